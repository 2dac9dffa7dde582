//! Invoices: money that customers said they would send.

use clap::{Arg, ArgMatches};
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::invoices::MarkInvoicePaid;
use panel_contract::invoices::PayInvoiceInput;
use panel_contract::lists;

use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of, opt};
use crate::command::confirm::{Danger, is_dry};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

/// `invoices`.
pub(crate) const NOUN: Noun = Noun {
    name: "invoices",
    alias: Some("invoice"),
    about: "Invoices: money that customers said they would send",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&MARK_PAID), Cmd::Export(&LIST)],
};

const LIST: List = List {
    of: &lists::invoices::INVOICES,
    noun: "invoices",
    one: "invoice",
    about: "Invoices, newest first",
    filters: &[
        Filter::new("status", "status", "Where they stand"),
        Filter::new("amount", "amount", "What was said"),
        Filter::new("name", "short_name", "Part of their name"),
        Filter::new("method", "payment_method", "Part of the payment method's name"),
        Filter::new("user", "user", "The customer, by name or email"),
        Filter::new("user-id", "user_id", "The customer"),
        Filter::new("paid", "paid_at", "When they were paid"),
        Filter::new("created", "created_at", "When they were made"),
    ],
    since: "created_at",
    examples: &[
        ("invoices list --status pending --since 7d", "what is still to come"),
        ("invoices list --status paid --paid today --all -o csv", "what came in today"),
    ],
};

const MARK_PAID: Call = Call {
    name: "mark-paid",
    about: "Marks a pending invoice as paid: credits the main balance once, with the payment method's bonus",
    examples: &[
        ("invoices mark-paid 17 --amount 50 --dry-run", "which bonus it would bring"),
        ("invoices mark-paid 17 --amount 49.5", "with what came in"),
    ],
    op: MarkInvoicePaid::OP,
    args: |command| {
        let amount = Arg::new("amount").long("amount").value_name("MONEY").required(true);
        let amount = amount.value_parser(clap::value_parser!(Money));
        let comment = Arg::new("comment").long("comment").value_name("TEXT");
        let comment = comment.help("Why; needed where more came in than was invoiced");
        command.arg(id_arg()).arg(amount.help("What came in, above zero")).arg(comment)
    },
    request: |_, matches| {
        let body = PayInvoiceInput { amount: arg(matches, "amount")?, comment: opt(matches, "comment") };
        of::<MarkInvoicePaid>(id(matches)?, &DryRun { dry_run: is_dry(matches) }, &body)
    },
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Mark {} as paid?", said(matches)),
        danger: Danger::Final,
        said: |matches| format!("Paid: {}.", said(matches)),
        rehearses: true,
    }),
};

/// Such as `invoice 17 with 49.5`.
fn said(matches: &ArgMatches) -> String {
    let amount = opt::<Money>(matches, "amount").unwrap_or_default();
    format!("invoice {} with {amount}", given_id(matches))
}
