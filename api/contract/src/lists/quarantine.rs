//! The list of records in quarantine.

use crate::endpoints::quarantine::ListQuarantine;
use crate::lists::List;
use crate::lists::column::{Column, id, number, text, time, word};
use crate::quarantine::{Poller, QuarantineStatus};

/// Quarantined records, newest first.
pub static QUARANTINE: List = List::of::<ListQuarantine>("quarantine", COLUMNS)
    .wide(&["id", "poller", "record_id", "status", "reason", "deaths", "first_death_at", "retry_at"])
    .narrow(&["id", "poller", "record_id", "status", "deaths", "reason", "first_death_at"])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    word("poller", "Queue", Poller::VALUES),
    number("record_id", "Record"),
    word("status", "Status", QuarantineStatus::VALUES),
    text("reason", "Reason").nullable(),
    number("deaths", "Crashes"),
    time("first_death_at", "First crash"),
    time("retry_at", "Checked at").nullable(),
    time("updated_at", "Updated"),
    id("order_id", "").nullable().row_only(),
    id("subscription_id", "").nullable().row_only(),
];
