//! `invoices`: lists the deposits that customers started, and marks them as paid.

use clap::{Arg, ArgMatches};
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::invoices::MarkInvoicePaid;
use panel_contract::invoices::PayInvoiceInput;
use panel_contract::lists;

use crate::command::confirm::{Reversibility, is_dry_run};
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value, required_id,
    required_value,
};
use crate::command::{CommandGroup, CommandSpec};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "invoices",
    alias: Some("invoice"),
    about: "Manage invoices: deposits that customers started",
    commands: &[CommandSpec::List(&LIST), CommandSpec::Request(&MARK_PAID), CommandSpec::Export(&LIST)],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::invoices::INVOICES,
    plural: "invoices",
    singular: "invoice",
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
    time_column: "created_at",
    examples: &[
        ("invoices list --status pending --since 7d", "pending invoices of the last week"),
        ("invoices list --status paid --paid today --all -o csv", "export the invoices paid today"),
    ],
};

const MARK_PAID: RequestCommand = RequestCommand {
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
        let comment = comment.help("Reason; required if the received amount is larger than the invoice");
        command.arg(id_arg()).arg(amount.help("Received amount, above zero")).arg(comment)
    },
    request: |_, matches| {
        let body = PayInvoiceInput {
            amount: required_value(matches, "amount")?,
            comment: optional_value(matches, "comment"),
        };
        build_request::<MarkInvoicePaid>(
            required_id(matches)?,
            &DryRun { dry_run: is_dry_run(matches) },
            &body,
        )
    },
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Mark {} as paid?", describe_invoice_payment(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Marked as paid: {}.", describe_invoice_payment(matches)),
        has_dry_run: true,
    }),
};

/// Describes the payment for messages, such as `invoice 17 with 49.5`.
fn describe_invoice_payment(matches: &ArgMatches) -> String {
    let amount = optional_value::<Money>(matches, "amount").unwrap_or_default();
    format!("invoice {} with {amount}", id_for_message(matches))
}
