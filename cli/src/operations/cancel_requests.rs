//! `cancel-requests`: lists the cancel requests of customers, and confirms or rejects them.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::bulk::action::BulkAction;
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::cancel_requests::{
    CancelRequestIds, ConfirmCancelRequestInput, ConfirmCancelRequestsInput,
};
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::cancel_requests::*;
use panel_contract::ids::RecordId;
use panel_contract::lists;

use crate::command::bulk::{BulkCommand, single_record_request};
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{build_request, optional_value};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "cancel-requests",
    alias: Some("cancel-request"),
    about: "Manage customers' requests to cancel orders",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Bulk(&CONFIRM),
        CommandSpec::Bulk(&REJECT),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::cancel_requests::CANCEL_REQUESTS,
    plural: "cancel requests",
    singular: "cancel request",
    about: "List cancel requests, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new(
            "cause",
            "cause",
            "Filter by the reason why staff must decide: provider_rejected, not_supported, no_answer, not_ended (the provider agreed, but the order did not end) or by_hand (staff deliver the order)",
        ),
        Filter::new("waiting", "waiting", "Only requests that wait for staff").enum_values(&["1"]),
        Filter::new("order-id", "order_id", "Filter by order id"),
        Filter::new("user", "user", "Filter by the customer's name or email"),
        Filter::new("created", "created_at", "Filter by request time"),
        Filter::new(
            "deadline",
            "deadline_at",
            "Filter by the time until which the provider can answer; then staff decide",
        ),
    ],
    time_column: "created_at",
    examples: &[("cancel-requests list --waiting 1", "requests that wait for a decision")],
};

const CONFIRM: BulkCommand = BulkCommand {
    name: "confirm",
    past_participle: "confirmed",
    about: "Confirm open requests (status requested or sent); cancels and refunds the orders",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[ConfirmCancelRequests::OP, ConfirmCancelRequest::OP],
    single_record_flags: &["amount"],
    args: |command| {
        command.args([
            Arg::new("amount")
                .long("amount")
                .value_name("MONEY")
                .value_parser(clap::value_parser!(Money))
                .help("Amount to refund, for one request [default: the undelivered part]"),
            Arg::new("no-email")
                .long("no-email")
                .action(ArgAction::SetTrue)
                .help("Do not email the customers"),
        ])
    },
    bulk_action: build_confirm_action,
    single_request: build_confirm_request,
    examples: &[
        ("cancel-requests confirm 17", "confirm one request and refund the undelivered part"),
        ("cancel-requests confirm 17 --amount 2.50", "confirm one request and refund this amount"),
        ("cancel-requests confirm --waiting 1 --all-matching --dry-run", "show what would be refunded"),
    ],
};

const REJECT: BulkCommand = BulkCommand {
    name: "reject",
    past_participle: "rejected",
    about: "Reject open requests (status requested or sent); the orders continue",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[RejectCancelRequests::OP, RejectCancelRequest::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: |_| {
        Ok(BulkAction::bulk::<RejectCancelRequests>("ids", &CancelRequestIds { ids: Vec::new() })?)
    },
    single_request: single_record_request::<RejectCancelRequest>,
    examples: &[
        ("cancel-requests reject 17", "reject one request"),
        (
            "cancel-requests reject --waiting 1 --cause provider_rejected --all-matching",
            "reject all requests that the provider has rejected",
        ),
    ],
};

fn build_confirm_action(matches: &ArgMatches) -> CommandResult<BulkAction> {
    let send_email_notification = !matches.get_flag("no-email");
    let body = ConfirmCancelRequestsInput { ids: Vec::new(), send_email_notification };
    Ok(BulkAction::bulk::<ConfirmCancelRequests>("ids", &body)?)
}

fn build_confirm_request(matches: &ArgMatches, id: RecordId) -> CommandResult<Option<Request>> {
    let body = ConfirmCancelRequestInput {
        amount: optional_value(matches, "amount"),
        send_email_notification: !matches.get_flag("no-email"),
    };
    Ok(Some(build_request::<ConfirmCancelRequest>(id.typed_as(), &DryRun::NO, &body)?))
}
