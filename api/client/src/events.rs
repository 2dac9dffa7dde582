//! Events for logs and progress displays: responses, waits and refreshes. They never contain a token or a body.

use std::time::Duration;

/// An event during a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientEvent<'a> {
    /// A request ended, with or without a response.
    RequestEnded {
        /// HTTP method, such as `GET`.
        method: &'a str,
        /// Path and query of the URL.
        target: &'a str,
        /// HTTP status; `None` without a response.
        status: Option<u16>,
        /// Time from sending the request to the headers of the response or the network error.
        duration: Duration,
        /// Number of the attempt, from 1.
        attempt: u32,
    },
    /// The client waits before the next attempt.
    Waiting {
        /// Message of the error with which the last attempt failed.
        error: &'a str,
        /// Time until the next attempt.
        delay: Duration,
        /// Number of the failed attempt, from 1.
        attempt: u32,
        /// Whether the database of the panel is unavailable; calls wait for it up to `RetryPolicy::max_outage_wait`.
        is_outage: bool,
    },
    /// The client refreshed and stored the token.
    TokenRefreshed,
}

/// Callback that receives the events of a client.
pub type EventHandler = dyn Fn(&ClientEvent<'_>) + Send + Sync;
