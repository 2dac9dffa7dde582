//! `orders refill` and `orders auto-refill`: manages the refills of an order.

use clap::{Arg, ArgMatches};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::orders::*;
use panel_contract::ids::{OrderId, RefillRequestId};
use panel_contract::orders::{AutoRefillParamsInput, RefillRequestInput};

use crate::command::confirm::Reversibility;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg,
    optional_value, required_id, required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::Failure;
use crate::output::column::{Column, DisplayKind};

pub(crate) const REFILL: CommandGroup = CommandGroup {
    name: "refill",
    alias: None,
    about: "Manage the refill requests of an order",
    commands: &[
        CommandSpec::Request(&LIST),
        CommandSpec::Request(&REQUEST_REFILL),
        CommandSpec::Request(&COMPLETE),
        CommandSpec::Request(&REJECT),
    ],
};

pub(crate) const AUTO_REFILL: CommandGroup = CommandGroup {
    name: "auto-refill",
    alias: None,
    about: "Manage the automatic refills of an order",
    commands: &[CommandSpec::Request(&GET_AUTO_REFILL), CommandSpec::Request(&SET_AUTO_REFILL)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("quantity", DisplayKind::Number),
    Column::new("status", DisplayKind::Enum),
    Column::new("created_by.name", DisplayKind::Text),
    Column::new("created_at", DisplayKind::Time),
    Column::new("last_error", DisplayKind::Text),
];

const LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List the refill requests of an order, newest first",
    examples: &[("orders refill list 981204", "list the refill requests of one order")],
    op: ListRefillRequests::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<ListRefillRequests>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: COLUMNS,
    write: None,
};

const REQUEST_REFILL: RequestCommand = RequestCommand {
    name: "request",
    about: "Request a refill of an order",
    examples: &[("orders refill request 981204 250", "request 250 again")],
    op: CreateRefillRequest::OP,
    args: |command| {
        let parser = clap::value_parser!(i64).range(1..);
        let quantity = Arg::new("quantity").value_name("NUMBER").value_parser(parser).required(true);
        command.arg(id_arg()).arg(quantity.help("Quantity to deliver again"))
    },
    request: |_, matches| {
        let body = RefillRequestInput { quantity: required_value(matches, "quantity")? };
        build_request::<CreateRefillRequest>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Request a refill of order {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Refill of order {} requested.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

fn request_arg() -> Arg {
    let parser = clap::value_parser!(i64).range(1..);
    Arg::new("request")
        .value_name("REQUEST")
        .value_parser(parser)
        .required(true)
        .help("Id of the refill request")
}

fn refill_request_id(matches: &ArgMatches) -> i64 {
    required_value(matches, "request").unwrap_or_default()
}

const COMPLETE: RequestCommand = RequestCommand {
    name: "complete",
    about: "Mark a refill request as completed manually; only for a request that was not sent to an external panel",
    examples: &[("orders refill complete 981204 17", "complete refill request 17")],
    op: CompleteRefillRequest::OP,
    args: |command| command.arg(id_arg()).arg(request_arg()),
    request: |_, matches| {
        let path: (OrderId, RefillRequestId) = (required_id(matches)?, required_value(matches, "request")?);
        build_request::<CompleteRefillRequest>(path, &EmptyQuery {}, &EmptyBody {})
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Complete refill request {}?", refill_request_id(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Refill request {} completed.", refill_request_id(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const REJECT: RequestCommand = RequestCommand {
    name: "reject",
    about: "Reject a refill request that was not sent to an external panel",
    examples: &[("orders refill reject 981204 17", "reject refill request 17")],
    op: RejectRefillRequest::OP,
    args: |command| command.arg(id_arg()).arg(request_arg()),
    request: |_, matches| {
        let path: (OrderId, RefillRequestId) = (required_id(matches)?, required_value(matches, "request")?);
        build_request::<RejectRefillRequest>(path, &EmptyQuery {}, &EmptyBody {})
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Reject refill request {}?", refill_request_id(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Refill request {} rejected.", refill_request_id(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const GET_AUTO_REFILL: RequestCommand = RequestCommand {
    name: "get",
    about: "Show the automatic refill settings of an order",
    examples: &[("orders auto-refill get 981204", "show the settings of one order")],
    op: GetAutoRefillParams::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<GetAutoRefillParams>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[],
    ..BASE_COMMAND
};

const SET_AUTO_REFILL: RequestCommand = RequestCommand {
    name: "set",
    about: "Change the automatic refill settings of an order; settings without an option keep their values",
    examples: &[(
        "orders auto-refill set 981204 --allowed on --refill-quantity 100",
        "enable automatic refills; the next refill orders 100",
    )],
    op: UpdateAutoRefillParams::OP,
    args: |command| {
        let number_arg = |flag: &'static str, help: &'static str| {
            let parser = clap::value_parser!(i64).range(0..);
            Arg::new(flag).long(flag).value_name("NUMBER").value_parser(parser).help(help)
        };
        command.arg(id_arg()).args([
            on_off_arg("allowed").long("allowed").help("Allow automatic refills"),
            on_off_arg("broken-pipes")
                .long("broken-pipes")
                .help("Mark the counter of the link as unreliable, so that losses are not measured"),
            number_arg("drop-quantity", "Quantity that was lost after delivery"),
            number_arg("refill-quantity", "Quantity of the next refill"),
        ])
    },
    request: |_, matches| {
        let body = AutoRefillParamsInput {
            auto_refill_is_allowed: optional_value(matches, "allowed"),
            broken_pipes: optional_value(matches, "broken-pipes"),
            drop_quantity: optional_value(matches, "drop-quantity"),
            refill_quantity: optional_value(matches, "refill-quantity"),
        };
        if body == AutoRefillParamsInput::default() {
            return Err(Failure::usage("Nothing to change: set an option, such as --allowed off."));
        }
        build_request::<UpdateAutoRefillParams>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| {
            format!("Change the automatic refill settings of order {}?", id_for_message(matches))
        },
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Automatic refill settings of order {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};
