//! The one error type, and the one place that makes an HTTP answer of it.
//!
//! What happened inside is logged and never told; what the caller can do about it is told in one sentence.

mod database;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use panel_contract::amount::Overflow;
use panel_contract::common::Skipped;
use panel_contract::error::Problem;
use panel_contract::fields::FieldErrors;
use panel_contract::moment::Stamp;
use panel_contract::second_factor::SecondFactorChoice;
use serde::Serialize;

use crate::db::DbError;
use crate::refusal::{Refusal, RefusalKind};

/// What handlers and stores return.
pub type Result<T, E = ApiError> = std::result::Result<T, E>;

/// Why a request was not done.
#[derive(Debug)]
pub enum ApiError {
    /// An answer for the caller.
    Problem(Box<Told>),
    /// The database said something; some of it is worth another try.
    Db(DbError),
    /// This request was already done under its idempotency key: the stored answer.
    Replay(Box<Stored>),
    /// A fault of ours; the text goes to the log only.
    Fault(String),
}

/// What the caller is told.
#[derive(Debug, Clone)]
pub struct Told {
    /// HTTP status.
    pub status: StatusCode,
    /// Stable code.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// By field.
    pub errors: FieldErrors,
    /// Every record of a bulk call that processed none.
    pub skipped: Vec<Skipped>,
    /// What a sign-in that waits for a second factor can go on with.
    pub second_factor: Option<Box<SecondFactorChoice>>,
    /// Seconds to wait.
    pub retry_after: Option<u64>,
    /// The connection ends with this answer, because the rest of the request stays unread.
    pub closes: bool,
}

/// Why a request was refused, for its log line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefusalCode(pub(crate) &'static str);

/// An answer stored under an idempotency key.
#[derive(Debug, Clone)]
pub struct Stored {
    /// HTTP status.
    pub status: u16,
    /// The JSON body.
    pub body: String,
}

impl ApiError {
    /// Any answer without field errors.
    pub fn told(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self::Problem(Box::new(told(status, code, message)))
    }

    /// The same answer, with the seconds after which the caller may try again.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        if let Self::Problem(told) = &mut self {
            told.retry_after = Some(seconds);
        }
        self
    }

    /// The same answer, with what the sign-in can go on with.
    #[must_use]
    pub fn offering(mut self, choice: SecondFactorChoice) -> Self {
        if let Self::Problem(told) = &mut self {
            told.second_factor = Some(Box::new(choice));
        }
        self
    }

    /// The same answer, after which the connection is closed.
    #[must_use]
    pub fn closing(mut self) -> Self {
        if let Self::Problem(told) = &mut self {
            told.closes = true;
        }
        self
    }

    /// 401: who are you?
    #[must_use]
    pub fn unauthenticated(code: &'static str) -> Self {
        Self::told(StatusCode::UNAUTHORIZED, code, "Unauthenticated.")
    }

    /// 403: you may not.
    pub fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self::told(StatusCode::FORBIDDEN, code, message)
    }

    /// 404: there is no such record.
    #[must_use]
    pub fn not_found(what: &str, id: i64) -> Self {
        Self::told(StatusCode::NOT_FOUND, "not_found", format!("There is no {what} {id}."))
    }

    /// 409: the world has moved on.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::told(StatusCode::CONFLICT, code, message)
    }

    /// Refuses an editor who `read` the record before its last change; `what` is the record, such as "grade".
    pub fn unless_newest(what: &str, read: Option<Stamp>, changed: Stamp) -> Result<()> {
        if read.is_none_or(|read| read == changed) {
            return Ok(());
        }
        let message =
            format!("Somebody changed this {what} at {changed}. Load the newer one before you save.");
        Err(Self::conflict("changed_meanwhile", message))
    }

    /// 422: one field is wrong.
    pub fn invalid(field: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        let errors = FieldErrors::one(field, message);
        let message = errors.summary();
        Self::Problem(Box::new(Told { errors, ..told(StatusCode::UNPROCESSABLE_ENTITY, code, message) }))
    }

    /// The same answer to a request whose fields stand within `part` of its body: each is named by its path.
    #[must_use]
    pub fn within(mut self, part: &str) -> Self {
        if let Self::Problem(told) = &mut self {
            told.errors = std::mem::take(&mut told.errors).within(part);
        }
        self
    }

    /// 422: a bulk call that processed none of its records (`noun`, plural); each says why under `skipped`.
    #[must_use]
    pub fn nothing_processed(field: &str, noun: &str, skipped: Vec<Skipped>) -> Self {
        let first = skipped.first().map_or("", |skip| skip.message.as_str());
        let message = format!("None of the {} {noun} could be changed. The first: {first}", skipped.len());
        let mut error = Self::invalid(field, "nothing_processed", message);
        if let Self::Problem(told) = &mut error {
            told.skipped = skipped;
        }
        error
    }

    /// All checks of one request passed; or everything that is wrong, under its field. One refusal stays as it is.
    pub fn unless_all(checks: impl IntoIterator<Item = Result<()>>) -> Result<()> {
        let mut errors = checks.into_iter().filter_map(Result::err);
        let Some(first) = errors.next() else { return Ok(()) };
        Err(errors.fold(first, |all, error| match error {
            Self::Problem(told) => all.with_fields(told.errors),
            _ => all,
        }))
    }

    /// The same refusal with more wrong fields; any other error stays as it is.
    #[must_use]
    pub fn with_fields(self, more: FieldErrors) -> Self {
        match self {
            Self::Problem(told) if !told.errors.0.is_empty() && !more.0.is_empty() => {
                let mut errors = more;
                errors.extend(told.errors);
                errors.into()
            }
            other => other,
        }
    }

    /// 429: too often.
    #[must_use]
    pub fn throttled(seconds: u64) -> Self {
        Self::told(StatusCode::TOO_MANY_REQUESTS, "too_many_attempts", "Too Many Attempts.")
            .retry_after(seconds)
    }

    /// Whether the same transaction may succeed when it is run again.
    #[must_use]
    pub fn is_worth_a_retry(&self) -> bool {
        matches!(self, Self::Db(error) if error.is_worth_a_retry())
    }

    /// Whether a connection to the database broke before anything was changed.
    #[must_use]
    pub fn is_lost_connection(&self) -> bool {
        matches!(self, Self::Db(DbError::Gone(_)))
    }

    /// Whether the request may have been done all the same: its commit was sent and not answered.
    #[must_use]
    pub fn is_unknown_outcome(&self) -> bool {
        matches!(self, Self::Db(DbError::UnknownOutcome(_)))
    }

    /// Whether the database was not there, and may be back soon.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Db(error) if error.is_gone())
    }

    /// What is told of it; faults are logged on the way.
    #[must_use]
    pub fn into_told(self, request_id: &str) -> Told {
        match self {
            Self::Problem(told) => *told,
            Self::Replay(stored) => {
                fault(request_id, &format!("a stored answer left the guard: {}", stored.status))
            }
            Self::Db(error) => {
                database::answer(&error, request_id).unwrap_or_else(|| fault(request_id, &error.to_string()))
            }
            Self::Fault(text) => fault(request_id, &text),
        }
    }

    /// The answer.
    #[must_use]
    pub fn into_answer(self, request_id: &str) -> Response {
        self.into_told(request_id).into_answer(request_id, None)
    }
}

impl Told {
    /// The answer; with `error`, a sentence for callers that read that field alone.
    #[must_use]
    pub fn into_answer(self, request_id: &str, error: Option<String>) -> Response {
        let problem = Problem {
            message: self.message,
            errors: self.errors.0,
            skipped: self.skipped,
            second_factor: self.second_factor,
            code: self.code.to_owned(),
            request_id: request_id.to_owned(),
        };
        let mut response = match error {
            None => (self.status, axum::Json(problem)).into_response(),
            Some(error) => (self.status, axum::Json(WithSentence { error, problem })).into_response(),
        };
        response.extensions_mut().insert(RefusalCode(self.code));
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.closes {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// An error answer of the reseller API.
#[derive(Serialize)]
struct WithSentence {
    error: String,
    #[serde(flatten)]
    problem: Problem,
}

fn told(status: StatusCode, code: &'static str, message: impl Into<String>) -> Told {
    let errors = FieldErrors::default();
    Told {
        status,
        code,
        message: message.into(),
        errors,
        skipped: Vec::new(),
        second_factor: None,
        retry_after: None,
        closes: false,
    }
}

fn fault(request_id: &str, text: &str) -> Told {
    tracing::error!(request_id, error = text, "a request failed");
    told(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "Server Error")
}

impl From<DbError> for ApiError {
    fn from(error: DbError) -> Self {
        Self::Db(error)
    }
}

impl From<FieldErrors> for ApiError {
    fn from(errors: FieldErrors) -> Self {
        let message = errors.summary();
        Self::Problem(Box::new(Told { errors, ..told(StatusCode::UNPROCESSABLE_ENTITY, "invalid", message) }))
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal.kind {
            RefusalKind::Conflict => Self::conflict(refusal.code, refusal.message),
            RefusalKind::Forbidden => Self::forbidden(refusal.code, refusal.message),
            RefusalKind::Invalid(field) => Self::invalid(field, refusal.code, refusal.message),
        }
    }
}

impl From<Overflow> for ApiError {
    fn from(overflow: Overflow) -> Self {
        Self::invalid("amount", "amount_too_large", format!("Give a smaller amount: {overflow}."))
    }
}
