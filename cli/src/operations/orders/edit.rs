//! Commands that change the link, the comment or the refill settings of one order.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::{EmptyQuery, Endpoint as _};
use panel_contract::endpoints::orders::*;
use panel_contract::orders::{AutoRefillInput, ChangeUrlInput, CommentInput, HasRefillInput};

use crate::command::confirm::Reversibility;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg, required_id,
    required_value,
};
use crate::ctx::Ctx;
use crate::failure::CommandResult;
use crate::output::column::{Column, DisplayKind};

/// The columns of an order after a change.
const COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("status", DisplayKind::Enum),
    Column::new("url", DisplayKind::Text),
    Column::new("comment", DisplayKind::Text),
    Column::new("has_refill", DisplayKind::Enum),
    Column::new("auto_refill_is_allowed", DisplayKind::Enum),
];

pub(crate) const SET_URL: RequestCommand = RequestCommand {
    name: "set-url",
    about: "Change the link of an order",
    examples: &[("orders set-url 981204 https://example.com/p/7", "deliver to another link from now on")],
    op: ChangeOrderUrl::OP,
    args: |command| {
        command
            .arg(id_arg())
            .arg(Arg::new("url").value_name("URL").required(true).help("New link, http or https"))
    },
    request: build_set_url_request,
    json_pointer: "/data",
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Change the link of order {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old link"),
        success: |matches| format!("Link of order {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
};

pub(crate) const SET_COMMENT: RequestCommand = RequestCommand {
    name: "set-comment",
    about: "Change the internal comment of an order",
    examples: &[
        (
            "orders set-comment 981204 'Asked for patience until Monday'",
            "leave a note for other staff members",
        ),
        ("orders set-comment 981204 none", "remove the comment"),
    ],
    op: UpdateOrderComment::OP,
    args: |command| {
        command
            .arg(id_arg())
            .arg(Arg::new("text").value_name("TEXT").required(true).help("Comment, or none to remove it"))
    },
    request: |_, matches| {
        let text: String = required_value(matches, "text")?;
        let body = CommentInput { comment: Some(text).filter(|text| text != "none") };
        build_request::<UpdateOrderComment>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Change the comment of order {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old comment"),
        success: |matches| format!("Comment of order {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

pub(crate) const SET_REFILL: RequestCommand = RequestCommand {
    name: "set-refill",
    about: "Enable or disable refill requests for an order",
    examples: &[("orders set-refill 981204 on", "allow refill requests")],
    op: SetHasRefill::OP,
    args: add_id_and_switch,
    request: |_, matches| {
        build_request::<SetHasRefill>(
            required_id(matches)?,
            &EmptyQuery {},
            &HasRefillInput { has_refill: required_value(matches, "value")? },
        )
    },
    columns: COLUMNS,
    write: Some(UPDATE_WRITE),
    ..BASE_COMMAND
};

pub(crate) const SET_AUTO_REFILL: RequestCommand = RequestCommand {
    name: "set-auto-refill",
    about: "Enable or disable automatic refills of an order",
    examples: &[("orders set-auto-refill 981204 off", "disable automatic refills")],
    op: SetAutoRefillIsAllowed::OP,
    args: add_id_and_switch,
    request: |_, matches| {
        let body = AutoRefillInput { auto_refill_is_allowed: required_value(matches, "value")? };
        build_request::<SetAutoRefillIsAllowed>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: COLUMNS,
    write: Some(UPDATE_WRITE),
    ..BASE_COMMAND
};

const UPDATE_WRITE: WriteSpec = WriteSpec {
    question: |matches| format!("Update order {}?", id_for_message(matches)),
    reversibility: Reversibility::Reversible("run the command again with the other value"),
    success: |matches| format!("Order {} updated.", id_for_message(matches)),
    has_dry_run: false,
};

fn add_id_and_switch(command: Command) -> Command {
    command.arg(id_arg()).arg(on_off_arg("value").required(true))
}

fn build_set_url_request(_: &Ctx, matches: &ArgMatches) -> CommandResult<Request> {
    build_request::<ChangeOrderUrl>(
        required_id(matches)?,
        &EmptyQuery {},
        &ChangeUrlInput { url: required_value(matches, "url")? },
    )
}
