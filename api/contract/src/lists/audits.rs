//! The list of audit log entries.

use crate::endpoints::audits::ListAudits;
use crate::lists::column::{Column, id, json, open_enum, record, text, time};
use crate::lists::{List, RecordKind};

/// Entries of the audit log, newest first.
pub static AUDITS: List = List::for_endpoint::<ListAudits>("audits", COLUMNS)
    .console_columns(&[
        "created_at",
        "user.name",
        "event",
        "auditable_type",
        "auditable_id",
        "new_values",
        "ip_address",
    ])
    .terminal_columns(&[
        "id",
        "created_at",
        "user.email",
        "event",
        "auditable_type",
        "auditable_id",
        "old_values",
        "new_values",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    time("created_at", "When"),
    record("user", "", RecordKind::User).nullable().filter_only(),
    id("user.id", "").nullable(),
    text("user.name", "Who").nullable().filtered_by("user"),
    text("user.email", "").short_label("who").nullable(),
    open_enum("event", "Event"),
    open_enum("auditable_type", "Type").short_label("record"),
    id("auditable_id", "Record").short_label("of"),
    id("target", "").alias_of("auditable_id").filter_only(),
    open_enum("ip_address", "IP address"),
    text("user_agent", "User agent").not_searchable(),
    text("request_id", "Request").not_searchable(),
    json("old_values", "").short_label("old").not_searchable(),
    json("new_values", "Changes").short_label("new").not_searchable(),
];
