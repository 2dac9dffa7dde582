//! Errors of calls: the panel refused the call, the network failed, or the response could not be parsed.

use std::time::Duration;

use panel_contract::error::ErrorBody;

/// Result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The panel returned an error response.
    #[error("{}", .0.problem.message)]
    Refused(Box<Refused>),
    /// No response: the panel could not be reached, or the connection broke.
    #[error("{what}: {}", root_cause(.source))]
    Transport {
        /// Method and path of the request.
        what: String,
        /// Network error.
        source: reqwest::Error,
    },
    /// The response could not be parsed.
    #[error("{what}: unexpected response: {why}")]
    Decode {
        /// Method and path of the request.
        what: String,
        /// Parser's message.
        why: String,
    },
    /// The client or the request was configured wrongly.
    #[error("{0}")]
    Setup(String),
    /// A bulk run's journal could not be read or written.
    #[error("{what}: {source}")]
    Journal {
        /// Path of the file.
        what: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
}

/// An error response of the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// HTTP status, 300 to 599.
    pub status: u16,
    /// Body of the response. For responses without the panel's format (for example from a proxy), the client creates it with a
    /// code such as `http_502`.
    pub problem: ErrorBody,
    /// Value of `Retry-After`.
    pub retry_after: Option<Duration>,
}

impl Error {
    /// The panel's error response, if there is one.
    #[must_use]
    pub fn refused(&self) -> Option<&Refused> {
        match self {
            Self::Refused(refused) => Some(refused),
            _ => None,
        }
    }

    /// HTTP status of the error response.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.refused().map(|refused| refused.status)
    }

    /// Stable code of the error response, such as `order_not_cancelable`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.refused().map(|refused| refused.problem.code.as_str())
    }

    /// Value of the response's `Retry-After`.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.refused()?.retry_after
    }

    /// 401: not signed in, or the session ended.
    #[must_use]
    pub fn is_unauthenticated(&self) -> bool {
        self.status() == Some(401)
    }

    /// 403: signed in, but without permission.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.status() == Some(403)
    }

    /// 404: there is no such record.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.status() == Some(404)
    }

    /// 409: another request changed the record first, or the record is in another state.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.status() == Some(409)
    }

    /// 422: the input is invalid; `problem.errors` lists the fields.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.status() == Some(422)
    }

    /// 429: too many requests.
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        self.status() == Some(429)
    }

    /// The panel's database is unavailable; it is unknown whether a write was applied.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        matches!(self.code(), Some("database_unavailable" | "outcome_unknown"))
    }

    /// There was no response.
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

/// The innermost cause of a network error: reqwest's own message has the URL and not the cause.
fn root_cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    if error.is_timeout() { "no answer in time".to_owned() } else { inner.to_string() }
}
