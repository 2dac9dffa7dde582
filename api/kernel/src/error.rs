//! The error type of the panel, for requests and background work. It never builds a response: the HTTP layer does, and only
//! [`Error::report`] writes to the log.

use panel_contract::amount::Overflow;
use panel_contract::common::Skipped;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::Id;
use panel_contract::moment::Stamp;
use panel_contract::second_factor::SecondFactorChoice;

use crate::rejection::{Rejection, RejectionKind};
use crate::storage_error::{StorageError, StorageErrorKind};

/// Result of handlers and stores.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request or background work failed.
#[derive(Debug)]
pub enum Error {
    /// Rejected by a rule; the caller gets the reason.
    Rejected(Box<Rejection>),
    /// The database failed; some failures can be retried.
    Storage(StorageError),
    /// The request was already processed under its idempotency key: the stored response.
    Replay(Box<StoredAnswer>),
    /// A fault of the panel; only the log contains the text.
    Fault(String),
}

/// A response stored under an idempotency key.
#[derive(Debug, Clone)]
pub struct StoredAnswer {
    /// HTTP status, such as 200.
    pub status: u16,
    /// JSON body, unchanged.
    pub body: String,
}

impl Error {
    /// A rejection without wrong fields.
    pub fn rejected(kind: RejectionKind, code: &'static str, message: impl Into<String>) -> Self {
        Rejection::new(kind, code, message).into()
    }

    /// The rejection, if the error is one.
    #[must_use]
    pub fn rejection(&self) -> Option<&Rejection> {
        match self {
            Self::Rejected(rejection) => Some(rejection),
            _ => None,
        }
    }

    /// The same rejection, changed; any other error stays as it is.
    #[must_use]
    pub fn map_rejection(mut self, change: impl FnOnce(&mut Rejection)) -> Self {
        if let Self::Rejected(rejection) = &mut self {
            change(rejection);
        }
        self
    }

    /// The same rejection, with the seconds after which the caller may try again.
    #[must_use]
    pub fn retry_after_secs(self, secs: u64) -> Self {
        self.map_rejection(|rejection| rejection.retry_after_secs = Some(secs))
    }

    /// The same rejection with the second factors of the account.
    #[must_use]
    pub fn with_second_factor_choice(self, choice: SecondFactorChoice) -> Self {
        self.map_rejection(|rejection| rejection.second_factor = Some(Box::new(choice)))
    }

    /// The same rejection, after which the connection is closed.
    #[must_use]
    pub fn closing_connection(self) -> Self {
        self.map_rejection(|rejection| rejection.closes_connection = true)
    }

    /// 401: the caller has to sign in.
    #[must_use]
    pub fn unauthenticated(code: &'static str) -> Self {
        Self::rejected(RejectionKind::Unauthenticated, code, "Unauthenticated.")
    }

    /// 403: the caller may not do this.
    pub fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Rejection::forbidden(code, message).into()
    }

    /// 404: there is no such record.
    #[must_use]
    pub fn not_found(what: &str, id: impl Id) -> Self {
        Self::rejected(RejectionKind::NotFound, "not_found", format!("There is no {what} {id}."))
    }

    /// 409: the record's state does not allow the change.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Rejection::conflict(code, message).into()
    }

    /// Rejects an editor who `read` the record before its last change; `what` is the record, such as "grade".
    pub fn check_not_stale(what: &str, read: Option<Stamp>, changed: Stamp) -> Result<()> {
        if read.is_none_or(|read| read == changed) {
            return Ok(());
        }
        let message = format!("This {what} was changed at {changed}. Reload it before you save.");
        Err(Self::conflict("changed_meanwhile", message))
    }

    /// 422: one field is wrong.
    pub fn invalid(field: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        Rejection::invalid(field, code, message).into()
    }

    /// The same rejection of a request whose fields are within `part` of its body: each is named by its path.
    #[must_use]
    pub fn within(self, part: &str) -> Self {
        self.map_rejection(|rejection| rejection.errors = std::mem::take(&mut rejection.errors).within(part))
    }

    /// 422: a bulk call that changed none of its records (`noun`, plural); `skipped` holds the reason of each.
    #[must_use]
    pub fn nothing_processed(field: &str, noun: &str, skipped: Vec<Skipped>) -> Self {
        let first = skipped.first().map_or("", |skip| skip.message.as_str());
        let message = format!("None of the {} {noun} could be changed. The first: {first}", skipped.len());
        Self::invalid(field, "nothing_processed", message)
            .map_rejection(|rejection| rejection.skipped = skipped)
    }

    /// `Ok` if all checks pass, otherwise one rejection with all field errors. A single rejection is returned unchanged.
    pub fn unless_all(checks: impl IntoIterator<Item = Result<()>>) -> Result<()> {
        let mut errors = checks.into_iter().filter_map(Result::err);
        let Some(first) = errors.next() else { return Ok(()) };
        Err(errors.fold(first, |all, error| match error {
            Self::Rejected(rejection) => all.with_fields(rejection.errors),
            _ => all,
        }))
    }

    /// The same rejection with more wrong fields; any other error stays as it is.
    #[must_use]
    pub fn with_fields(self, more: FieldErrors) -> Self {
        match self {
            Self::Rejected(rejection) if rejection.names_fields() && !more.0.is_empty() => {
                let mut errors = more;
                errors.extend(rejection.errors);
                errors.into()
            }
            other => other,
        }
    }

    /// 429: too often.
    #[must_use]
    pub fn throttled(retry_after_secs: u64) -> Self {
        Self::rejected(RejectionKind::TooManyRequests, "too_many_attempts", "Too Many Attempts.")
            .retry_after_secs(retry_after_secs)
    }

    fn is_storage(&self, kind: StorageErrorKind) -> bool {
        matches!(self, Self::Storage(error) if error.kind == kind)
    }

    /// Whether a retry of the same transaction may succeed.
    #[must_use]
    pub fn is_worth_a_retry(&self) -> bool {
        self.is_storage(StorageErrorKind::Retry)
    }

    /// Whether a connection to the database broke before anything was changed.
    #[must_use]
    pub fn is_lost_connection(&self) -> bool {
        self.is_storage(StorageErrorKind::Unavailable)
    }

    /// Whether the request may have succeeded: the commit was sent, but not acknowledged.
    #[must_use]
    pub fn is_unknown_outcome(&self) -> bool {
        self.is_storage(StorageErrorKind::UnknownOutcome)
    }

    /// Whether the database is temporarily unavailable.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Storage(error) if error.is_unavailable())
    }

    /// Whether the database itself failed, so that work on the next record would fail as well.
    #[must_use]
    pub fn is_database_error(&self) -> bool {
        matches!(self, Self::Storage(error) if error.is_database_error())
    }

    /// The rejection for the caller. Internal details are logged under the request id or the name of the background work.
    #[must_use]
    pub fn report(self, request_id: &str) -> Rejection {
        match self {
            Self::Rejected(rejection) => *rejection,
            Self::Replay(stored) => {
                report_fault(request_id, &format!("a stored answer left the guard: {}", stored.status))
            }
            Self::Storage(error) => match error.rejection() {
                Some(rejection) => {
                    log_storage(&error, request_id, rejection.code);
                    rejection
                }
                None => report_fault(request_id, &error.text),
            },
            Self::Fault(text) => report_fault(request_id, &text),
        }
    }
}

fn report_fault(request_id: &str, text: &str) -> Rejection {
    tracing::error!(request_id, error = text, "a request failed");
    Rejection::new(RejectionKind::Fault, "server_error", "Server Error")
}

/// The start and the end of an outage are logged once, by the circuit breaker; a full disk has no such place.
fn log_storage(error: &StorageError, request_id: &str, code: &str) {
    use StorageErrorKind::*;
    match error.kind {
        Retry | Unavailable => {}
        Busy | TooSlow | UnknownOutcome => {
            tracing::warn!(request_id, code, %error, "gave up a request after a database error");
        }
        _ => tracing::error!(request_id, code, %error, "the database's storage does not work"),
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(Box::new(rejection))
    }
}

impl From<FieldErrors> for Error {
    fn from(errors: FieldErrors) -> Self {
        Rejection::from(errors).into()
    }
}

impl From<Overflow> for Error {
    fn from(overflow: Overflow) -> Self {
        Self::invalid("amount", "amount_too_large", format!("Enter a smaller amount: {overflow}."))
    }
}
