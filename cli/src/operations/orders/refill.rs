//! Refills: asked for by staff, or coming by themselves.

use clap::{Arg, ArgMatches};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::orders::*;
use panel_contract::ids::{OrderId, RefillRequestId};
use panel_contract::orders::{AutoRefillParamsInput, RefillRequestInput};

use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of, on_off_arg, opt};
use crate::command::confirm::Danger;
use crate::command::{Cmd, Noun};
use crate::failure::Failure;
use crate::output::column::{Column, Kind};

/// `orders refill`.
pub(crate) const REFILL: Noun = Noun {
    name: "refill",
    alias: None,
    about: "Refills of one order that were asked for",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&REQUEST), Cmd::Call(&COMPLETE), Cmd::Call(&REJECT)],
};

/// `orders auto-refill`.
pub(crate) const AUTO_REFILL: Noun = Noun {
    name: "auto-refill",
    alias: None,
    about: "How one order refills by itself",
    verbs: &[Cmd::Call(&GET), Cmd::Call(&SET)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("quantity", Kind::Number),
    Column::new("status", Kind::Word),
    Column::new("created_by.name", Kind::Text),
    Column::new("created_at", Kind::Time),
    Column::new("last_error", Kind::Text),
];

const LIST: Call = Call {
    name: "list",
    about: "Refills asked for, newest first",
    examples: &[("orders refill list 981204", "one order")],
    op: ListRefillRequests::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ListRefillRequests>(id(matches)?, &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: COLUMNS,
    write: None,
};

const REQUEST: Call = Call {
    name: "request",
    about: "Asks for a refill",
    examples: &[("orders refill request 981204 250", "so many again")],
    op: CreateRefillRequest::OP,
    args: |command| {
        let parser = clap::value_parser!(i64).range(1..);
        let quantity = Arg::new("quantity").value_name("NUMBER").value_parser(parser).required(true);
        command.arg(id_arg()).arg(quantity.help("How many to deliver again"))
    },
    request: |_, matches| {
        let body = RefillRequestInput { quantity: arg(matches, "quantity")? };
        of::<CreateRefillRequest>(id(matches)?, &NoQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Ask for a refill of order {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("A refill of order {} is asked for.", given_id(matches)),
        rehearses: false,
    }),
    ..LIST
};

fn request_arg() -> Arg {
    let parser = clap::value_parser!(i64).range(1..);
    Arg::new("request")
        .value_name("REQUEST")
        .value_parser(parser)
        .required(true)
        .help("Id of the refill request")
}

fn shown(matches: &ArgMatches) -> i64 {
    arg(matches, "request").unwrap_or_default()
}

const COMPLETE: Call = Call {
    name: "complete",
    about: "Says that a refill was done by hand that no panel was asked for",
    examples: &[("orders refill complete 981204 17", "refill request 17 of one order")],
    op: CompleteRefillRequest::OP,
    args: |command| command.arg(id_arg()).arg(request_arg()),
    request: |_, matches| {
        let path: (OrderId, RefillRequestId) = (id(matches)?, arg(matches, "request")?);
        of::<CompleteRefillRequest>(path, &NoQuery {}, &NoBody {})
    },
    write: Some(Write {
        question: |matches| format!("Complete refill request {}?", shown(matches)),
        danger: Danger::Final,
        said: |matches| format!("Refill request {} is completed.", shown(matches)),
        rehearses: false,
    }),
    ..LIST
};

const REJECT: Call = Call {
    name: "reject",
    about: "Rejects a refill that no panel was asked for",
    examples: &[("orders refill reject 981204 17", "refill request 17 of one order")],
    op: RejectRefillRequest::OP,
    request: |_, matches| {
        let path: (OrderId, RefillRequestId) = (id(matches)?, arg(matches, "request")?);
        of::<RejectRefillRequest>(path, &NoQuery {}, &NoBody {})
    },
    write: Some(Write {
        question: |matches| format!("Reject refill request {}?", shown(matches)),
        danger: Danger::Final,
        said: |matches| format!("Refill request {} is rejected.", shown(matches)),
        rehearses: false,
    }),
    ..COMPLETE
};

const GET: Call = Call {
    name: "get",
    about: "How an order refills by itself",
    examples: &[("orders auto-refill get 981204", "one order")],
    op: GetAutoRefillParams::OP,
    request: |_, matches| of::<GetAutoRefillParams>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: &[],
    ..LIST
};

const SET: Call = Call {
    name: "set",
    about: "Changes how an order refills by itself; only what is given changes",
    examples: &[("orders auto-refill set 981204 --allowed on --refill-quantity 100", "so many next time")],
    op: UpdateAutoRefillParams::OP,
    args: |command| {
        let number = |flag: &'static str, help: &'static str| {
            let parser = clap::value_parser!(i64).range(0..);
            Arg::new(flag).long(flag).value_name("NUMBER").value_parser(parser).help(help)
        };
        command.arg(id_arg()).args([
            on_off_arg("allowed").long("allowed").help("Whether it refills by itself"),
            on_off_arg("broken-pipes").long("broken-pipes").help("Whether the counter cannot be trusted"),
            number("drop-quantity", "How many were lost"),
            number("refill-quantity", "How many to refill next"),
        ])
    },
    request: |_, matches| {
        let body = AutoRefillParamsInput {
            auto_refill_is_allowed: opt(matches, "allowed"),
            broken_pipes: opt(matches, "broken-pipes"),
            drop_quantity: opt(matches, "drop-quantity"),
            refill_quantity: opt(matches, "refill-quantity"),
        };
        if body == AutoRefillParamsInput::default() {
            return Err(Failure::usage("Say what to change, such as --allowed off."));
        }
        of::<UpdateAutoRefillParams>(id(matches)?, &NoQuery {}, &body)
    },
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Change how order {} refills?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Order {} refills otherwise.", given_id(matches)),
        rehearses: false,
    }),
    ..LIST
};
