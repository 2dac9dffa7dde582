//! The change log of the catalogue.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::change_logs::{ChangeLogCollectionsOp, ListChangeLogs};

use crate::command::call::{Call, of};
use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::words_of;

/// `change-logs`.
pub(crate) const NOUN: Noun = Noun {
    name: "change-logs",
    alias: Some("change-log"),
    about: "What was changed in the catalogue",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&COLLECTIONS), Cmd::Export(&LIST)],
};

const LIST: List = List {
    noun: "changes",
    one: "change",
    about: "Changes of the catalogue, newest first",
    op: ListChangeLogs::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("created_at", Kind::Time).titled("when"),
        Column::new("user.name", Kind::Text).titled("who"),
        Column::new("action_type", Kind::Word).titled("action"),
        Column::new("type", Kind::Word),
        Column::new("target_id", Kind::Id).titled("target"),
        Column::new("information", Kind::Text),
        Column::new("old_value", Kind::Text).titled("old"),
        Column::new("new_value", Kind::Text).titled("new"),
        Column::more("user.id", Kind::Id),
    ],
    filters: &[
        Filter {
            flag: "action",
            column: "action_type",
            takes: words_of!(ChangeAction),
            help: "What was done",
        },
        Filter { flag: "type", column: "type", takes: words_of!(ChangeModel), help: "The kind of record" },
        Filter { flag: "target-id", column: "target_id", takes: Takes::Ids, help: "The record" },
        Filter { flag: "user-id", column: "user.id", takes: Takes::Ids, help: "Who did it" },
        Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When" },
    ],
    also_filters: &["user", "target"],
    since: "created_at",
    examples: &[(
        "change-logs list --type service --target-id 12",
        "everything that was changed at one service",
    )],
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "Action types and model types with their labels",
    examples: &[],
    op: ChangeLogCollectionsOp::OP,
    args: |command| command,
    request: |_, _| of::<ChangeLogCollectionsOp>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: None,
};
