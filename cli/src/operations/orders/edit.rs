//! Changes of a single order by staff: its link, its comment and its refill settings.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::{EmptyQuery, Endpoint as _};
use panel_contract::endpoints::orders::*;
use panel_contract::orders::{AutoRefillInput, ChangeUrlInput, CommentInput, HasRefillInput};

use crate::command::call::{Call, Write, arg, id, id_arg, id_value, of, on_off_arg};
use crate::command::confirm::Danger;
use crate::ctx::Ctx;
use crate::failure::CmdResult;
use crate::output::column::{Column, Kind};

/// Columns of a changed order.
const CHANGED: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("status", Kind::Word),
    Column::new("url", Kind::Text),
    Column::new("comment", Kind::Text),
    Column::new("has_refill", Kind::Word),
    Column::new("auto_refill_is_allowed", Kind::Word),
];

const SET_URL_CALL: Call = Call {
    name: "set-url",
    about: "Change the link of an order",
    examples: &[("orders set-url 981204 https://example.com/p/7", "deliver to another link from now on")],
    op: ChangeOrderUrl::OP,
    args: |command| {
        command.arg(id_arg()).arg(Arg::new("url").value_name("URL").required(true).help("http or https"))
    },
    request: set_url,
    pointer: "/data",
    columns: CHANGED,
    write: Some(Write {
        question: |matches| format!("Change the link of order {}?", shown_id(matches)),
        danger: Danger::Reversible("run the command again with the old link"),
        success: |matches| format!("Link of order {} updated.", shown_id(matches)),
        has_dry_run: false,
    }),
};

pub(crate) const SET_URL: Call = SET_URL_CALL;

pub(crate) const SET_COMMENT: Call = Call {
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
        let text: String = arg(matches, "text")?;
        let body = CommentInput { comment: Some(text).filter(|text| text != "none") };
        of::<UpdateOrderComment>(id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Change the comment of order {}?", shown_id(matches)),
        danger: Danger::Reversible("run the command again with the old comment"),
        success: |matches| format!("Comment of order {} updated.", shown_id(matches)),
        has_dry_run: false,
    }),
    ..SET_URL_CALL
};

pub(crate) const SET_REFILL: Call = Call {
    name: "set-refill",
    about: "Enable or disable refill requests for an order",
    examples: &[("orders set-refill 981204 on", "allow refill requests")],
    op: SetHasRefill::OP,
    args: switch,
    request: |_, matches| {
        of::<SetHasRefill>(
            id(matches)?,
            &EmptyQuery {},
            &HasRefillInput { has_refill: arg(matches, "value")? },
        )
    },
    write: Some(SWITCHED),
    ..SET_URL_CALL
};

pub(crate) const SET_AUTO_REFILL: Call = Call {
    name: "set-auto-refill",
    about: "Enable or disable automatic refills of an order",
    examples: &[("orders set-auto-refill 981204 off", "disable automatic refills")],
    op: SetAutoRefillIsAllowed::OP,
    args: switch,
    request: |_, matches| {
        let body = AutoRefillInput { auto_refill_is_allowed: arg(matches, "value")? };
        of::<SetAutoRefillIsAllowed>(id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(SWITCHED),
    ..SET_URL_CALL
};

const SWITCHED: Write = Write {
    question: |matches| format!("Update order {}?", shown_id(matches)),
    danger: Danger::Reversible("run the command again with the other value"),
    success: |matches| format!("Order {} updated.", shown_id(matches)),
    has_dry_run: false,
};

fn switch(command: Command) -> Command {
    command.arg(id_arg()).arg(on_off_arg("value").required(true))
}

fn set_url(_: &Ctx, matches: &ArgMatches) -> CmdResult<Request> {
    of::<ChangeOrderUrl>(id(matches)?, &EmptyQuery {}, &ChangeUrlInput { url: arg(matches, "url")? })
}

fn shown_id(matches: &ArgMatches) -> i64 {
    id_value(matches)
}
