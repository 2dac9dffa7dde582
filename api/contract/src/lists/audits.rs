//! The list of the audit trail.

use crate::endpoints::audits::ListAudits;
use crate::lists::column::{Column, choice, id, json, record, text, time};
use crate::lists::{List, Record};

/// Entries of the audit trail, newest first.
pub static AUDITS: List = List::of::<ListAudits>("audits", COLUMNS)
    .wide(&["created_at", "user.name", "event", "auditable_type", "auditable_id", "new_values", "ip_address"])
    .narrow(&[
        "id",
        "created_at",
        "user.email",
        "event",
        "auditable_type",
        "auditable_id",
        "old_values",
        "new_values",
    ])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    time("created_at", "When"),
    record("user", "", Record::User).nullable().filter_only(),
    id("user.id", "").nullable(),
    text("user.name", "Who").nullable().filtered_by("user"),
    text("user.email", "").short("who").nullable(),
    choice("event", "Event"),
    choice("auditable_type", "Type").short("record"),
    id("auditable_id", "Record").short("of"),
    id("target", "").alias_of("auditable_id").filter_only(),
    choice("ip_address", "IP address"),
    text("user_agent", "User agent").not_searchable(),
    text("request_id", "Request").not_searchable(),
    json("old_values", "").short("old").not_searchable(),
    json("new_values", "Changes").short("new").not_searchable(),
];
