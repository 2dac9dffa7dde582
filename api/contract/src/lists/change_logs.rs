//! The list of changes of the catalogue.

use crate::change_logs::{ChangeAction, ChangeModel};
use crate::endpoints::change_logs::ListChangeLogs;
use crate::lists::column::{Column, id, record, text, time, word};
use crate::lists::{List, Record};

/// Changes of services, providers and other records of the catalogue, newest first.
pub static CHANGE_LOGS: List = List::of::<ListChangeLogs>("change-logs", COLUMNS)
    .wide(&["id", "created_at", "user.name", "action_type", "type", "target_id", "information", "new_value"])
    .narrow(&[
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
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    time("created_at", "When"),
    record("user", "", Record::User).nullable().filter_only(),
    id("user.id", "").nullable(),
    text("user.name", "Who").nullable().filtered_by("user"),
    word("action_type", "Action", ChangeAction::VALUES),
    word("type", "Type", ChangeModel::VALUES).short("type"),
    id("target_id", "Record").short("target"),
    id("target", "").alias_of("target_id").filter_only(),
    text("information", "Information").nullable(),
    text("old_value", "Value before").short("old").nullable(),
    text("new_value", "Change").short("new").nullable(),
];
