//! The list of jobs of the outbox.

use crate::endpoints::jobs::ListJobs;
use crate::jobs::JobStatus;
use crate::lists::List;
use crate::lists::column::{Column, choice, id, number, text, time, word};

/// Jobs of the outbox, newest first.
pub static JOBS: List = List::of::<ListJobs>("jobs", COLUMNS)
    .wide(&["id", "kind", "about", "status", "attempts", "run_at", "last_error", "created_at"])
    .narrow(&["id", "kind", "status", "about", "attempts", "run_at", "last_error"])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    choice("kind", "Queue"),
    word("status", "Status", JobStatus::VALUES),
    number("attempts", "Attempts").short("attempts"),
    time("run_at", "Due"),
    time("lease_until", "Claimed until").nullable(),
    text("last_error", "Last error").short("error").nullable(),
    time("created_at", "Created"),
    time("done_at", "Done").nullable(),
    time("dead_at", "Gave up").nullable(),
    text("about", "About").nullable().row_only(),
];
