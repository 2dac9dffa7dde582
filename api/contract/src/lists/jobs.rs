//! The list of background jobs.

use crate::endpoints::jobs::ListJobs;
use crate::jobs::JobStatus;
use crate::lists::List;
use crate::lists::column::{Column, enum_value, id, number, open_enum, text, time};

/// Background jobs, newest first.
pub static JOBS: List = List::for_endpoint::<ListJobs>("jobs", COLUMNS)
    .console_columns(&["id", "kind", "about", "status", "attempts", "run_at", "last_error", "created_at"])
    .terminal_columns(&["id", "kind", "status", "about", "attempts", "run_at", "last_error"])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    open_enum("kind", "Queue"),
    enum_value("status", "Status", JobStatus::VALUES),
    number("attempts", "Attempts").short_label("attempts"),
    time("run_at", "Due"),
    time("lease_until", "Claimed until").nullable(),
    text("last_error", "Last error").short_label("error").nullable(),
    time("created_at", "Created"),
    time("done_at", "Done").nullable(),
    time("dead_at", "Gave up").nullable(),
    text("about", "About").nullable().row_only(),
];
