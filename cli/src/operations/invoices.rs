//! Invoices: amounts that customers announced to pay.

use clap::{Arg, ArgMatches};
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::invoices::MarkInvoicePaid;
use panel_contract::invoices::PayInvoiceInput;
use panel_contract::lists;

use crate::command::call::{Call, Write, arg, id, id_arg, id_value, of, opt};
use crate::command::confirm::{Danger, is_dry};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

pub(crate) const NOUN: Noun = Noun {
    name: "invoices",
    alias: Some("invoice"),
    about: "Manage invoices: payments that customers announced",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&MARK_PAID), Cmd::Export(&LIST)],
};

const LIST: List = List {
    declaration: &lists::invoices::INVOICES,
    noun: "invoices",
    one: "invoice",
    about: "List invoices, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("amount", "amount", "Filter by amount"),
        Filter::new("name", "short_name", "Filter by part of the name"),
        Filter::new("method", "payment_method", "Filter by part of the payment method's name"),
        Filter::new("user", "user", "Filter by the customer's name or email"),
        Filter::new("user-id", "user_id", "Filter by customer id"),
        Filter::new("paid", "paid_at", "Filter by payment time"),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    since: "created_at",
    examples: &[
        ("invoices list --status pending --since 7d", "pending invoices of the last week"),
        ("invoices list --status paid --paid today --all -o csv", "export what was paid today"),
    ],
};

const MARK_PAID: Call = Call {
    name: "mark-paid",
    about: "Mark a pending invoice as paid; credits the main balance once, with the payment method's bonus",
    examples: &[
        ("invoices mark-paid 17 --amount 50 --dry-run", "show which bonus would be credited"),
        ("invoices mark-paid 17 --amount 49.5", "credit the received amount"),
    ],
    op: MarkInvoicePaid::OP,
    args: |command| {
        let amount = Arg::new("amount").long("amount").value_name("MONEY").required(true);
        let amount = amount.value_parser(clap::value_parser!(Money));
        let comment = Arg::new("comment").long("comment").value_name("TEXT");
        let comment = comment.help("Reason; required if more was received than invoiced");
        command.arg(id_arg()).arg(amount.help("Received amount, above zero")).arg(comment)
    },
    request: |_, matches| {
        let body = PayInvoiceInput { amount: arg(matches, "amount")?, comment: opt(matches, "comment") };
        of::<MarkInvoicePaid>(id(matches)?, &DryRun { dry_run: is_dry(matches) }, &body)
    },
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Mark {} as paid?", invoice_text(matches)),
        danger: Danger::Final,
        success: |matches| format!("Marked as paid: {}.", invoice_text(matches)),
        has_dry_run: true,
    }),
};

/// Such as `invoice 17 with 49.5`.
fn invoice_text(matches: &ArgMatches) -> String {
    let amount = opt::<Money>(matches, "amount").unwrap_or_default();
    format!("invoice {} with {amount}", id_value(matches))
}
