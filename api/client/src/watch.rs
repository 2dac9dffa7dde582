//! Looking over the client's shoulder: what was asked, what came back, what is waited for. Never a token or a body.

use std::time::Duration;

/// Something that happened on the way of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen<'a> {
    /// A request ended.
    Answered {
        /// `GET`, …
        method: &'a str,
        /// Path and query.
        target: &'a str,
        /// HTTP status; none when no answer came.
        status: Option<u16>,
        /// How long it took.
        took: Duration,
        /// From 1.
        attempt: u32,
    },
    /// It is tried again after a while.
    Waiting {
        /// Why.
        why: &'a str,
        /// How long.
        wait: Duration,
        /// The try that failed, from 1.
        attempt: u32,
        /// Whether the panel's database is away; calls wait for it up to `Retry::outage_limit`.
        is_outage: bool,
    },
    /// The token was replaced by a fresh one.
    Refreshed,
}

/// Who looks.
pub type Watcher = dyn Fn(&Seen<'_>) + Send + Sync;
