//! Why a call did not succeed: the panel refused it, the network failed, or the answer made no sense.

use std::time::Duration;

use panel_contract::error::Problem;

/// What every call returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The panel answered, and the answer is an error.
    #[error("{}", .0.problem.message)]
    Refused(Box<Refused>),
    /// No answer: the panel could not be reached, or the connection broke.
    #[error("{what}: {}", words(.source))]
    Transport {
        /// Method and path.
        what: String,
        /// What the network said.
        source: reqwest::Error,
    },
    /// The answer is not what this client understands.
    #[error("{what}: the answer is not what this program understands: {why}")]
    Decode {
        /// Method and path.
        what: String,
        /// What did not fit.
        why: String,
    },
    /// The client was set up wrongly.
    #[error("{0}")]
    Setup(String),
    /// A bulk run's journal could not be read or written.
    #[error("{what}: {source}")]
    Journal {
        /// The file.
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// An error answer of the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// HTTP status, 300 to 599.
    pub status: u16,
    /// What it says. For answers without the panel's shape (of a proxy, say) it is made here, with code `http_502`.
    pub problem: Problem,
    /// How long to wait before another try.
    pub retry_after: Option<Duration>,
}

impl Error {
    /// The panel's error answer, when there is one.
    #[must_use]
    pub fn refused(&self) -> Option<&Refused> {
        match self {
            Self::Refused(refused) => Some(refused),
            _ => None,
        }
    }

    /// HTTP status of the error answer.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.refused().map(|refused| refused.status)
    }

    /// The stable code of the error answer, such as `order_not_cancelable`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.refused().map(|refused| refused.problem.code.as_str())
    }

    /// How long the panel asks to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.refused()?.retry_after
    }

    /// 401: not signed in, or no longer.
    #[must_use]
    pub fn is_unauthenticated(&self) -> bool {
        self.status() == Some(401)
    }

    /// 403: signed in, and not allowed.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        self.status() == Some(403)
    }

    /// 404: there is no such record.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.status() == Some(404)
    }

    /// 409: somebody else was faster, or the record is in another state.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.status() == Some(409)
    }

    /// 422: the input is wrong; the fields say where.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.status() == Some(422)
    }

    /// 429: too often.
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        self.status() == Some(429)
    }

    /// The panel runs and its database is away: it asks to come back, and a change may not have been made yet.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        matches!(self.code(), Some("database_unavailable" | "outcome_unknown"))
    }

    /// No answer came at all.
    #[must_use]
    pub fn is_transport(&self) -> bool {
        matches!(self, Self::Transport { .. })
    }

    /// Whether the same call may succeed later: no answer, too often, or the panel is not ready.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.is_transport() || matches!(self.status(), Some(429 | 502 | 503 | 504))
    }
}

/// The innermost reason of a network error: reqwest's own sentence names the address and not the reason.
fn words(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    if error.is_timeout() { "no answer in time".to_owned() } else { inner.to_string() }
}
