//! Errors of calls: an error response of the panel, a network failure, or a response that cannot be parsed.

use std::time::Duration;

use panel_contract::error::ErrorBody;

/// Result of a call, with [`Error`] as the default error type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The panel returned an error response.
    #[error("{}", .0.problem.message)]
    Api(Box<ApiError>),
    /// No response: the panel could not be reached, or the connection broke.
    #[error("{request}: {}", root_cause_message(.source))]
    Transport {
        /// Method and path of the request.
        request: String,
        /// Network error, without the URL.
        source: reqwest::Error,
    },
    /// The response could not be parsed.
    #[error("{request}: unexpected response: {reason}")]
    Decode {
        /// Method and path of the request.
        request: String,
        /// Message of the parser.
        reason: String,
    },
    /// The client, the request or a bulk run is not set up correctly; the text describes the remedy.
    #[error("{0}")]
    Setup(String),
    /// The journal of a bulk run could not be read or written.
    #[error("{path}: {source}")]
    Journal {
        /// Path of the journal.
        path: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
}

/// An error response of the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// HTTP status, 300 to 599.
    pub status: u16,
    /// Body of the response. For a response in another format, for example from a proxy, the client creates a body with a code such
    /// as `http_502`.
    pub problem: ErrorBody,
    /// Value of the `Retry-After` header, in whole seconds; `None` without the header.
    pub retry_after: Option<Duration>,
}

impl Error {
    /// The error response of the panel; `None` for every other kind of error.
    #[must_use]
    pub fn api_error(&self) -> Option<&ApiError> {
        match self {
            Self::Api(error) => Some(error),
            _ => None,
        }
    }

    /// HTTP status of the error response; `None` without a response.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.api_error().map(|error| error.status)
    }

    /// Stable code of the error response, such as `order_not_cancelable`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.api_error().map(|error| error.problem.code.as_str())
    }

    /// Value of the `Retry-After` header of the error response.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.api_error()?.retry_after
    }

    /// Whether the status is 401: not signed in, or the session ended.
    #[must_use]
    pub fn is_unauthenticated(&self) -> bool {
        self.status() == Some(401)
    }

    /// Whether the status is 403: signed in, but without permission.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.status() == Some(403)
    }

    /// Whether the status is 404: there is no such record.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.status() == Some(404)
    }

    /// Whether the status is 409: another request changed the record first, or the record is in another state.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.status() == Some(409)
    }

    /// Whether the status is 422: the input is invalid, and `problem.errors` lists the fields.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.status() == Some(422)
    }

    /// Whether the status is 429: too many requests.
    #[must_use]
    pub fn is_rate_limited(&self) -> bool {
        self.status() == Some(429)
    }

    /// Whether the database of the panel is unavailable. It is unknown whether the panel applied a write.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        matches!(self.code(), Some("database_unavailable" | "outcome_unknown"))
    }

    /// Whether there was no complete response.
    #[must_use]
    pub fn is_transport(&self) -> bool {
        matches!(self, Self::Transport { .. })
    }

    /// Whether the same call may succeed later: no response, too many requests, or the panel is not ready.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.is_transport() || matches!(self.status(), Some(429 | 502 | 503 | 504))
    }
}

/// Message of the innermost cause of a network error, because the message of reqwest has the URL instead of the cause.
fn root_cause_message(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    if error.is_timeout() { "no response in time".to_owned() } else { cause.to_string() }
}
