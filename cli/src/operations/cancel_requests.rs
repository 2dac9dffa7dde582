//! Cancel requests: what customers want to cancel, and the decision of staff.

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

use crate::command::act::{Verb, one};
use crate::command::call::{of, opt};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::Done;

/// `cancel-requests`.
pub(crate) const NOUN: Noun = Noun {
    name: "cancel-requests",
    alias: Some("cancel-request"),
    about: "Customers' requests to cancel orders",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&CONFIRM), Cmd::Act(&REFUSE), Cmd::Export(&LIST)],
};

const LIST: List = List {
    of: &lists::cancel_requests::CANCEL_REQUESTS,
    noun: "cancel-requests",
    one: "cancel request",
    about: "Customers' requests to cancel orders, newest first",
    filters: &[
        Filter::new("status", "status", "Where they stand"),
        Filter::new("cause", "cause", "Why staff must decide"),
        Filter::new("waiting", "waiting", "Those that wait for staff").words(&["1"]),
        Filter::new("order-id", "order_id", "Of this order"),
        Filter::new("user", "user", "The customer, by name or email"),
        Filter::new("created", "created_at", "When it was requested"),
        Filter::new("deadline", "deadline_at", "When staff decide instead"),
    ],
    since: "created_at",
    examples: &[("cancel-requests list --waiting 1", "what waits for your decision")],
};

const CONFIRM: Verb = Verb {
    name: "confirm",
    past: "confirmed",
    about: "Confirms open requests: their orders are canceled and refunded",
    list: &LIST,
    danger: Danger::Final,
    reaches: &[ConfirmCancelRequests::OP, ConfirmCancelRequest::OP],
    of_one: &["amount"],
    args: |command| {
        command.args([
            Arg::new("amount")
                .long("amount")
                .value_name("MONEY")
                .value_parser(clap::value_parser!(Money))
                .help("How much to refund, for one request [default: what is undelivered]"),
            Arg::new("no-email").long("no-email").action(ArgAction::SetTrue).help("Customers get no email"),
        ])
    },
    many: confirm_many,
    one: confirm_one,
    examples: &[
        ("cancel-requests confirm 17", "one request; what is undelivered is refunded"),
        ("cancel-requests confirm 17 --amount 2.50", "one request; this much is refunded"),
        ("cancel-requests confirm --waiting 1 --all-matching --dry-run", "what it would come to"),
    ],
};

const REFUSE: Verb = Verb {
    name: "refuse",
    past: "refused",
    about: "Refuses open requests: their orders go on",
    reaches: &[RefuseCancelRequests::OP, RefuseCancelRequest::OP],
    of_one: &[],
    args: |command| command,
    many: |_| Ok(Action::of::<RefuseCancelRequests>("ids", &CancelRequestIds { ids: Vec::new() })?),
    one: one::<RefuseCancelRequest>,
    examples: &[
        ("cancel-requests refuse 17", "one request"),
        (
            "cancel-requests refuse --waiting 1 --cause provider_refused --all-matching",
            "what providers refused",
        ),
    ],
    ..CONFIRM
};

fn confirm_many(matches: &ArgMatches) -> Done<Action> {
    let send_email_notification = !matches.get_flag("no-email");
    let body = ConfirmCancelRequestsInput { ids: Vec::new(), send_email_notification };
    Ok(Action::of::<ConfirmCancelRequests>("ids", &body)?)
}

fn confirm_one(matches: &ArgMatches, id: RecordId) -> Done<Option<Request>> {
    let body = ConfirmCancelRequestInput {
        amount: opt(matches, "amount"),
        send_email_notification: !matches.get_flag("no-email"),
    };
    Ok(Some(of::<ConfirmCancelRequest>(id.known_as(), &DryRun::NO, &body)?))
}
