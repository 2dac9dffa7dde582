//! The change log of the catalogue.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::change_logs::ChangeLogCollectionsOp;
use panel_contract::lists;

use crate::command::call::{Call, of};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

pub(crate) const NOUN: Noun = Noun {
    name: "change-logs",
    alias: Some("change-log"),
    about: "List changes of the catalogue",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&COLLECTIONS), Cmd::Export(&LIST)],
};

const LIST: List = List {
    declaration: &lists::change_logs::CHANGE_LOGS,
    noun: "changes",
    one: "change",
    about: "List changes of the catalogue, newest first",
    filters: &[
        Filter::new("action", "action_type", "Filter by action"),
        Filter::new("type", "type", "Filter by record type"),
        Filter::new("target-id", "target_id", "Filter by record id"),
        Filter::new("user-id", "user.id", "Filter by the id of the user who made the change"),
        Filter::new("created", "created_at", "Filter by time"),
    ],
    since: "created_at",
    examples: &[("change-logs list --type service --target-id 12", "every change of one service")],
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "List action types and record types with their labels",
    examples: &[],
    op: ChangeLogCollectionsOp::OP,
    args: |command| command,
    request: |_, _| of::<ChangeLogCollectionsOp>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: None,
};
