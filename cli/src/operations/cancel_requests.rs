//! Cancel requests of customers, and the decisions of staff.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::bulk::action::Action;
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

use crate::command::act::{Verb, single};
use crate::command::call::{of, opt};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::CmdResult;

pub(crate) const NOUN: Noun = Noun {
    name: "cancel-requests",
    alias: Some("cancel-request"),
    about: "Manage customers' requests to cancel orders",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&CONFIRM), Cmd::Act(&REFUSE), Cmd::Export(&LIST)],
};

const LIST: List = List {
    declaration: &lists::cancel_requests::CANCEL_REQUESTS,
    noun: "cancel requests",
    one: "cancel request",
    about: "List cancel requests, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("cause", "cause", "Filter by the reason why staff must decide"),
        Filter::new("waiting", "waiting", "Only requests that wait for staff").words(&["1"]),
        Filter::new("order-id", "order_id", "Filter by order id"),
        Filter::new("user", "user", "Filter by the customer's name or email"),
        Filter::new("created", "created_at", "Filter by request time"),
        Filter::new("deadline", "deadline_at", "Filter by the deadline for staff"),
    ],
    since: "created_at",
    examples: &[("cancel-requests list --waiting 1", "requests that wait for a decision")],
};

const CONFIRM: Verb = Verb {
    name: "confirm",
    past: "confirmed",
    about: "Confirm open requests; cancels and refunds their orders",
    list: &LIST,
    danger: Danger::Final,
    ops: &[ConfirmCancelRequests::OP, ConfirmCancelRequest::OP],
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
    bulk: confirm_bulk_action,
    single: confirm_request,
    examples: &[
        ("cancel-requests confirm 17", "confirm one request and refund the undelivered part"),
        ("cancel-requests confirm 17 --amount 2.50", "confirm one request and refund this amount"),
        ("cancel-requests confirm --waiting 1 --all-matching --dry-run", "show what would be refunded"),
    ],
};

const REFUSE: Verb = Verb {
    name: "refuse",
    past: "refused",
    about: "Refuse open requests; their orders continue",
    ops: &[RefuseCancelRequests::OP, RefuseCancelRequest::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk: |_| Ok(Action::of::<RefuseCancelRequests>("ids", &CancelRequestIds { ids: Vec::new() })?),
    single: single::<RefuseCancelRequest>,
    examples: &[
        ("cancel-requests refuse 17", "refuse one request"),
        (
            "cancel-requests refuse --waiting 1 --cause provider_refused --all-matching",
            "refuse what the providers refused",
        ),
    ],
    ..CONFIRM
};

fn confirm_bulk_action(matches: &ArgMatches) -> CmdResult<Action> {
    let send_email_notification = !matches.get_flag("no-email");
    let body = ConfirmCancelRequestsInput { ids: Vec::new(), send_email_notification };
    Ok(Action::of::<ConfirmCancelRequests>("ids", &body)?)
}

fn confirm_request(matches: &ArgMatches, id: RecordId) -> CmdResult<Option<Request>> {
    let body = ConfirmCancelRequestInput {
        amount: opt(matches, "amount"),
        send_email_notification: !matches.get_flag("no-email"),
    };
    Ok(Some(of::<ConfirmCancelRequest>(id.typed_as(), &DryRun::NO, &body)?))
}
