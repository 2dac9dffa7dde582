//! Invoices: money that customers said they would send.

use clap::{Arg, ArgMatches};
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::invoices::{ListInvoices, MarkInvoicePaid};
use panel_contract::invoices::{InvoiceStatus, PayInvoiceInput};

use crate::command::call::{Call, Write, arg, id, id_arg, of, opt};
use crate::command::confirm::{Danger, is_dry};
use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::words_of;

/// `invoices`.
pub(crate) const NOUN: Noun = Noun {
    name: "invoices",
    alias: Some("invoice"),
    about: "Invoices: money that customers said they would send",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&MARK_PAID), Cmd::Export(&LIST)],
};

const LIST: List = List {
    noun: "invoices",
    one: "invoice",
    about: "Invoices, newest first",
    op: ListInvoices::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("status", Kind::Word),
        Column::new("created_at", Kind::Time).titled("created"),
        Column::new("short_name", Kind::Text).titled("name"),
        Column::more("coupon.code", Kind::Word),
        Column::new("amount", Kind::Number),
        Column::new("paid_amount", Kind::Number).titled("received"),
        Column::new("bonus_amount", Kind::Number).titled("bonus"),
        Column::new("payment_method.name", Kind::Text).titled("method"),
        Column::new("user.email", Kind::Text).titled("user"),
        Column::more("paid_at", Kind::Time),
        Column::more("payment_method.id", Kind::Id),
        Column::more("user.id", Kind::Id),
        Column::more("user.name", Kind::Text),
    ],
    filters: &[
        Filter {
            flag: "status",
            column: "status",
            takes: words_of!(InvoiceStatus),
            help: "Where they stand",
        },
        Filter { flag: "amount", column: "amount", takes: Takes::Numbers, help: "What was said" },
        Filter { flag: "name", column: "short_name", takes: Takes::Any("TEXT"), help: "Part of their name" },
        Filter {
            flag: "method",
            column: "payment_method",
            takes: Takes::Any("TEXT"),
            help: "Part of the payment method's name",
        },
        Filter {
            flag: "user",
            column: "user",
            takes: Takes::Any("TEXT"),
            help: "The customer, by name or email",
        },
        Filter { flag: "user-id", column: "user_id", takes: Takes::Plain(&Takes::Ids), help: "The customer" },
        Filter { flag: "paid", column: "paid_at", takes: Takes::Time, help: "When they were paid" },
        Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When they were made" },
    ],
    also_filters: &["coupon", "coupon.id"],
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
    format!("invoice {} with {amount}", id(matches).unwrap_or_default())
}
