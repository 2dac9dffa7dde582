//! `change-logs`: lists the changes of the catalogue.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::change_logs::GetChangeLogCollections;
use panel_contract::lists;

use crate::command::call::{Call, request_for};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, CommandGroup};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "change-logs",
    alias: Some("change-log"),
    about: "List changes of the catalogue",
    commands: &[Cmd::List(&LIST), Cmd::Call(&ENUM_LABELS), Cmd::Export(&LIST)],
};

const LIST: List = List {
    declaration: &lists::change_logs::CHANGE_LOGS,
    plural: "changes",
    singular: "change",
    about: "List changes of the catalogue, newest first",
    filters: &[
        Filter::new("action", "action_type", "Filter by action"),
        Filter::new("type", "type", "Filter by record type"),
        Filter::new("target-id", "target_id", "Filter by record id"),
        Filter::new("user-id", "user.id", "Filter by the id of the user who made the change"),
        Filter::new("created", "created_at", "Filter by time"),
    ],
    time_column: "created_at",
    examples: &[("change-logs list --type service --target-id 12", "every change of one service")],
};

const ENUM_LABELS: Call = Call {
    name: "collections",
    about: "List action types and record types with their labels",
    examples: &[],
    op: GetChangeLogCollections::OP,
    args: |command| command,
    request: |_, _| request_for::<GetChangeLogCollections>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: None,
};
