//! The list of records in quarantine.

use crate::endpoints::quarantine::ListQuarantine;
use crate::lists::List;
use crate::lists::column::{Column, enum_value, id, number, text, time};
use crate::quarantine::{Poller, QuarantineStatus};

/// Records in quarantine, newest first.
pub static QUARANTINE: List = List::for_endpoint::<ListQuarantine>("quarantine", COLUMNS)
    .console_columns(&[
        "id",
        "poller",
        "record_id",
        "status",
        "reason",
        "crashes",
        "first_crash_at",
        "retry_at",
    ])
    .terminal_columns(&["id", "poller", "record_id", "status", "crashes", "reason", "first_crash_at"])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    enum_value("poller", "Queue", Poller::VALUES),
    number("record_id", "Record"),
    enum_value("status", "Status", QuarantineStatus::VALUES),
    text("reason", "Reason").nullable(),
    number("crashes", "Crashes"),
    time("first_crash_at", "First crash"),
    time("retry_at", "Checked at").nullable(),
    time("updated_at", "Updated"),
    id("order_id", "").nullable().row_only(),
    id("subscription_id", "").nullable().row_only(),
];
