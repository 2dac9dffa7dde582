//! The list of changes of the catalogue.

use crate::change_logs::{ChangeAction, ChangeModel};
use crate::endpoints::change_logs::ListChangeLogs;
use crate::lists::column::{Column, enum_value, id, record, text, time};
use crate::lists::{List, RecordKind};

/// Changes of services, providers and other records of the catalogue, newest first.
pub static CHANGE_LOGS: List = List::for_endpoint::<ListChangeLogs>("change-logs", COLUMNS)
    .console_columns(&[
        "id",
        "created_at",
        "user.name",
        "action_type",
        "type",
        "target_id",
        "information",
        "new_value",
    ])
    .terminal_columns(&[
        "id",
        "created_at",
        "user.name",
        "action_type",
        "type",
        "target_id",
        "information",
        "old_value",
        "new_value",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    time("created_at", "When"),
    record("user", "", RecordKind::User).nullable().filter_only(),
    id("user.id", "").nullable(),
    text("user.name", "Who").nullable().filtered_by("user"),
    enum_value("action_type", "Action", ChangeAction::VALUES),
    enum_value("type", "Type", ChangeModel::VALUES).short_label("type"),
    id("target_id", "Record").short_label("target"),
    id("target", "").alias_of("target_id").filter_only(),
    text("information", "Information").nullable(),
    text("old_value", "Value before").short_label("old").nullable(),
    text("new_value", "Change").short_label("new").nullable(),
];
