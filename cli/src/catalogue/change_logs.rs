//! `change-logs`: lists the changes of the catalogue.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::change_logs::GetChangeLogCollections;
use panel_contract::lists;

use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{RequestCommand, build_request};
use crate::command::{CommandGroup, CommandSpec};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "change-logs",
    alias: Some("change-log"),
    about: "List changes of the catalogue",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Request(&LIST_ENUM_LABELS),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
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

const LIST_ENUM_LABELS: RequestCommand = RequestCommand {
    name: "collections",
    about: "List action types and record types with their labels",
    examples: &[],
    op: GetChangeLogCollections::OP,
    args: |command| command,
    request: |_, _| build_request::<GetChangeLogCollections>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[],
    write: None,
};
