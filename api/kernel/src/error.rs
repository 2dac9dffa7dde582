//! The error type of the panel, for requests and background work. It never builds a response: the HTTP layer does, and only
//! [`Error::report`] writes to the log.

use panel_contract::amount::Overflow;
use panel_contract::common::SkippedRecord;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::Id;
use panel_contract::moment::Timestamp;
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
    /// A defect of the panel; only the log contains the text.
    Internal(String),
}

/// A response stored under an idempotency key.
#[derive(Debug, Clone)]
pub struct StoredAnswer {
    /// HTTP status, such as 200.
    pub status: u16,
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

    /// 404: the record does not exist.
    #[must_use]
    pub fn not_found(noun: &str, id: impl Id) -> Self {
        Self::rejected(RejectionKind::NotFound, "not_found", format!("There is no {noun} {id}."))
    }

    /// 409: the record's state does not allow the change.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Rejection::conflict(code, message).into()
    }

    /// Rejects an editor who loaded the record before its last change. `noun` names the record, such as "grade"; `loaded` is the
    /// `updated_at` that the editor loaded.
    pub fn check_not_stale(noun: &str, loaded: Option<Timestamp>, changed: Timestamp) -> Result<()> {
        if loaded.is_none_or(|loaded| loaded == changed) {
            return Ok(());
        }
        let message = format!("This {noun} was changed at {changed}. Reload it before you save.");
        Err(Self::conflict("changed_meanwhile", message))
    }

    /// 422: one field is wrong.
    pub fn invalid(field: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        Rejection::invalid(field, code, message).into()
    }

    /// The same rejection with `parent` in front of each field name, for the fields of a nested object.
    #[must_use]
    pub fn with_prefix(self, parent: &str) -> Self {
        self.map_rejection(|rejection| {
            rejection.errors = std::mem::take(&mut rejection.errors).with_prefix(parent)
        })
    }

    /// 422: a bulk call that changed none of its records (`noun`, plural); `skipped` holds the reason of each.
    #[must_use]
    pub fn nothing_processed(field: &str, noun: &str, skipped: Vec<SkippedRecord>) -> Self {
        let first = skipped.first().map_or("", |skip| skip.message.as_str());
        let message = format!("None of the {} {noun} could be changed. The first: {first}", skipped.len());
        Self::invalid(field, "nothing_processed", message)
            .map_rejection(|rejection| rejection.skipped = skipped)
    }

    /// `Ok` if all checks pass, otherwise one rejection with all field errors. A single rejection stays unchanged.
    pub fn merge_field_errors(checks: impl IntoIterator<Item = Result<()>>) -> Result<()> {
        let mut errors = checks.into_iter().filter_map(Result::err);
        let Some(first) = errors.next() else { return Ok(()) };
        Err(errors.fold(first, |merged, error| match error {
            Self::Rejected(rejection) => merged.with_fields(rejection.errors),
            _ => merged,
        }))
    }

    /// The same rejection with more wrong fields; any other error stays as it is.
    #[must_use]
    pub fn with_fields(self, more: FieldErrors) -> Self {
        match self {
            Self::Rejected(rejection) if rejection.has_field_errors() && !more.0.is_empty() => {
                let mut errors = more;
                errors.extend(rejection.errors);
                errors.into()
            }
            other => other,
        }
    }

    /// 429: the caller made too many attempts.
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
    pub fn is_retryable(&self) -> bool {
        self.is_storage(StorageErrorKind::Retry)
    }

    /// Whether a connection to the database broke before the database changed anything.
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
            Self::Replay(stored) => report_internal_error(
                request_id,
                &format!("a replayed response of status {} was not sent", stored.status),
            ),
            Self::Storage(error) => match error.rejection() {
                Some(rejection) => {
                    log_storage(&error, request_id, rejection.code);
                    rejection
                }
                None => report_internal_error(request_id, &error.text),
            },
            Self::Internal(text) => report_internal_error(request_id, &text),
        }
    }
}

fn report_internal_error(request_id: &str, text: &str) -> Rejection {
    tracing::error!(request_id, error = text, "request failed");
    Rejection::new(RejectionKind::Internal, "server_error", "Server Error")
}

/// Does not log outages: the circuit breaker logs their start and end once. Full and broken disks are logged here.
fn log_storage(error: &StorageError, request_id: &str, code: &str) {
    use StorageErrorKind::*;
    match error.kind {
        Retry | Unavailable => {}
        Busy | TooSlow | UnknownOutcome => {
            tracing::warn!(request_id, code, %error, "request failed after a database error");
        }
        _ => tracing::error!(request_id, code, %error, "database storage failed"),
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
