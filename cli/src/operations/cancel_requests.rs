//! Cancel requests: what customers want to cancel, and the decision of staff.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::bulk::action::Action;
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::cancel_requests::{
    CancelRequestCause, CancelRequestIds, CancelRequestStatus, ConfirmCancelRequestInput,
    ConfirmCancelRequestsInput,
};
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::cancel_requests::*;

use crate::command::act::{Verb, one};
use crate::command::call::{of, opt};
use crate::command::confirm::Danger;
use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::Done;
use crate::output::column::{Column, Kind};
use crate::words_of;

/// `cancel-requests`.
pub(crate) const NOUN: Noun = Noun {
    name: "cancel-requests",
    alias: Some("cancel-request"),
    about: "Customers' requests to cancel orders",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&CONFIRM), Cmd::Act(&REFUSE), Cmd::Export(&LIST)],
};

const LIST: List = List {
    noun: "cancel-requests",
    one: "cancel request",
    about: "Customers' requests to cancel orders, newest first",
    op: ListCancelRequests::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("status", Kind::Word),
        Column::new("cause", Kind::Word),
        Column::new("created_at", Kind::Time).titled("created"),
        Column::new("order.id", Kind::Id).titled("order"),
        Column::new("order.current_quantity", Kind::Number).titled("delivered"),
        Column::new("order.quantity", Kind::Number).titled("quantity"),
        Column::new("returned", Kind::Number),
        Column::new("user.email", Kind::Text).titled("user"),
        Column::new("provider.name", Kind::Text).titled("provider"),
        Column::new("answer", Kind::Text),
        Column::new("deadline_at", Kind::Time).titled("deadline"),
        Column::more("order.name", Kind::Text),
        Column::more("order.status", Kind::Word),
        Column::more("external_order_id", Kind::Id),
        Column::more("provider.id", Kind::Id),
        Column::more("asked_at", Kind::Time),
        Column::more("acknowledged_at", Kind::Time),
        Column::more("escalated_at", Kind::Time),
        Column::more("decided_at", Kind::Time),
        Column::more("decided_by.name", Kind::Text),
        Column::more("user.id", Kind::Id),
        Column::more("user.name", Kind::Text),
    ],
    filters: &[
        Filter {
            flag: "status",
            column: "status",
            takes: words_of!(CancelRequestStatus),
            help: "Where they stand",
        },
        Filter {
            flag: "cause",
            column: "cause",
            takes: words_of!(CancelRequestCause),
            help: "Why staff must decide",
        },
        Filter {
            flag: "waiting",
            column: "waiting",
            takes: Takes::Plain(&Takes::Words(|| vec!["1"])),
            help: "Those that wait for staff",
        },
        Filter {
            flag: "order-id",
            column: "order_id",
            takes: Takes::Plain(&Takes::Ids),
            help: "Of this order",
        },
        Filter {
            flag: "user",
            column: "user",
            takes: Takes::Any("TEXT"),
            help: "The customer, by name or email",
        },
        Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When it was requested" },
        Filter {
            flag: "deadline",
            column: "deadline_at",
            takes: Takes::Time,
            help: "When staff decide instead",
        },
    ],
    also_filters: &["user.id", "provider", "decided_by", "decided_by.id"],
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

fn confirm_one(matches: &ArgMatches, id: i64) -> Done<Option<Request>> {
    let body = ConfirmCancelRequestInput {
        amount: opt(matches, "amount"),
        send_email_notification: !matches.get_flag("no-email"),
    };
    Ok(Some(of::<ConfirmCancelRequest>(id, &DryRun::NO, &body)?))
}
