//! What staff change on one order: its address, its comment, whether it may be refilled.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::{Endpoint as _, NoQuery};
use panel_contract::endpoints::orders::*;
use panel_contract::orders::{AutoRefillInput, ChangeUrlInput, CommentInput, HasRefillInput};

use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of, on_off_arg};
use crate::command::confirm::Danger;
use crate::ctx::Ctx;
use crate::failure::Done;
use crate::output::column::{Column, Kind};

/// What is shown of an order that was changed.
const CHANGED: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("status", Kind::Word),
    Column::new("url", Kind::Text),
    Column::new("comment", Kind::Text),
    Column::new("has_refill", Kind::Word),
    Column::new("auto_refill_is_allowed", Kind::Word),
];

const EDIT: Call = Call {
    name: "set-url",
    about: "Gives an order another address",
    examples: &[("orders set-url 981204 https://example.com/p/7", "where to deliver from now on")],
    op: ChangeOrderUrl::OP,
    args: |command| {
        command.arg(id_arg()).arg(Arg::new("url").value_name("URL").required(true).help("http or https"))
    },
    request: set_url,
    at: "/data",
    columns: CHANGED,
    write: Some(Write {
        question: |matches| format!("Change the address of order {}?", shown_id(matches)),
        danger: Danger::Reversible("The same command with the old address"),
        said: |matches| format!("Order {} has another address.", shown_id(matches)),
        rehearses: false,
    }),
};

/// `orders set-url`.
pub(crate) const SET_URL: Call = EDIT;

/// `orders set-comment`.
pub(crate) const SET_COMMENT: Call = Call {
    name: "set-comment",
    about: "Changes the staff's comment on an order",
    examples: &[
        ("orders set-comment 981204 'Asked for patience until Monday'", "a word for colleagues"),
        ("orders set-comment 981204 none", "removes it"),
    ],
    op: UpdateOrderComment::OP,
    args: |command| {
        command
            .arg(id_arg())
            .arg(Arg::new("text").value_name("TEXT").required(true).help("The comment; none removes it"))
    },
    request: |_, matches| {
        let text: String = arg(matches, "text")?;
        let body = CommentInput { comment: Some(text).filter(|text| text != "none") };
        of::<UpdateOrderComment>(id(matches)?, &NoQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Change the comment of order {}?", shown_id(matches)),
        danger: Danger::Reversible("The same command with the old comment"),
        said: |matches| format!("Order {} has another comment.", shown_id(matches)),
        rehearses: false,
    }),
    ..EDIT
};

/// `orders set-refill`.
pub(crate) const SET_REFILL: Call = Call {
    name: "set-refill",
    about: "Whether a refill of an order may be asked for",
    examples: &[("orders set-refill 981204 on", "it may")],
    op: SetHasRefill::OP,
    args: switch,
    request: |_, matches| {
        of::<SetHasRefill>(id(matches)?, &NoQuery {}, &HasRefillInput { has_refill: arg(matches, "value")? })
    },
    write: Some(SWITCHED),
    ..EDIT
};

/// `orders set-auto-refill`.
pub(crate) const SET_AUTO_REFILL: Call = Call {
    name: "set-auto-refill",
    about: "Whether refills of an order come by themselves",
    examples: &[("orders set-auto-refill 981204 off", "they do not")],
    op: SetAutoRefillIsAllowed::OP,
    args: switch,
    request: |_, matches| {
        let body = AutoRefillInput { auto_refill_is_allowed: arg(matches, "value")? };
        of::<SetAutoRefillIsAllowed>(id(matches)?, &NoQuery {}, &body)
    },
    write: Some(SWITCHED),
    ..EDIT
};

const SWITCHED: Write = Write {
    question: |matches| format!("Change order {}?", shown_id(matches)),
    danger: Danger::Reversible("The same command with the other word"),
    said: |matches| format!("Order {} is changed.", shown_id(matches)),
    rehearses: false,
};

fn switch(command: Command) -> Command {
    command.arg(id_arg()).arg(on_off_arg("value").required(true))
}

fn set_url(_: &Ctx, matches: &ArgMatches) -> Done<Request> {
    of::<ChangeOrderUrl>(id(matches)?, &NoQuery {}, &ChangeUrlInput { url: arg(matches, "url")? })
}

fn shown_id(matches: &ArgMatches) -> i64 {
    given_id(matches)
}
