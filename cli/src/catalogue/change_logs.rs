//! The change log of the catalogue.

use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::change_logs::ChangeLogCollectionsOp;
use panel_contract::lists;

use crate::command::call::{Call, of};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

/// `change-logs`.
pub(crate) const NOUN: Noun = Noun {
    name: "change-logs",
    alias: Some("change-log"),
    about: "What was changed in the catalogue",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&COLLECTIONS), Cmd::Export(&LIST)],
};

const LIST: List = List {
    of: &lists::change_logs::CHANGE_LOGS,
    noun: "changes",
    one: "change",
    about: "Changes of the catalogue, newest first",
    filters: &[
        Filter::new("action", "action_type", "What was done"),
        Filter::new("type", "type", "The kind of record"),
        Filter::new("target-id", "target_id", "The record"),
        Filter::new("user-id", "user.id", "Who did it"),
        Filter::new("created", "created_at", "When"),
    ],
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
