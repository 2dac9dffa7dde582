//! Events of the client for logs and progress: requests, responses and waits. They never contain a token or a body.

use std::time::Duration;

/// Event during a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientEvent<'a> {
    /// A request ended.
    Answered {
        /// HTTP method, such as `GET`.
        method: &'a str,
        /// Path and query.
        target: &'a str,
        /// HTTP status; `None` without a response.
        status: Option<u16>,
        /// Duration of the attempt.
        took: Duration,
        /// Number of the attempt, from 1.
        attempt: u32,
    },
    /// The client waits before the next attempt.
    Waiting {
        /// Error of the last attempt.
        why: &'a str,
        /// Duration of the wait.
        wait: Duration,
        /// Number of the failed attempt, from 1.
        attempt: u32,
        /// Whether the panel's database is unavailable; calls wait for it up to `Retry::outage_limit`.
        is_outage: bool,
    },
    /// The token was refreshed.
    Refreshed,
}

/// Callback for events.
pub type Watcher = dyn Fn(&ClientEvent<'_>) + Send + Sync;
