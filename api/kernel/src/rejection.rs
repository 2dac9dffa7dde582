//! A rejection of a request: kind, machine-readable code and one sentence for the caller. Business rules return rejections, and the
//! HTTP layer converts them to responses. A rejection must not contain internal details of the panel.

use panel_contract::common::SkippedRecord;
use panel_contract::fields::FieldErrors;
use panel_contract::second_factor::SecondFactorChoice;

/// Kind of a rejection, each with its HTTP status. The comments describe what the caller can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectionKind {
    /// Fix the malformed request (400).
    Malformed,
    /// Sign in (401).
    Unauthenticated,
    /// Get the required permission (403).
    Forbidden,
    /// Use another id or URL (404).
    NotFound,
    /// Use another method (405).
    MethodNotAllowed,
    /// Send the request faster (408).
    RequestTimeout,
    /// Read the record again, because its state does not allow the change (409).
    Conflict,
    /// Send a shorter request (413).
    TooLarge,
    /// Send another media type (415).
    UnsupportedMediaType,
    /// Fix the listed fields (422).
    Invalid,
    /// Wait before the next request (429).
    TooManyRequests,
    /// Send shorter headers (431).
    HeadTooLarge,
    /// Report an internal error of the panel to the operator (500).
    Internal,
    /// Report to the operator that another server did not send a valid response to the panel (502).
    BadGateway,
    /// Try again later (503).
    Unavailable,
    /// Report to the operator that the disk is full (507).
    StorageFull,
}

impl RejectionKind {
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::Malformed => 400,
            Self::Unauthenticated => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::RequestTimeout => 408,
            Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::Invalid => 422,
            Self::TooManyRequests => 429,
            Self::HeadTooLarge => 431,
            Self::Internal => 500,
            Self::BadGateway => 502,
            Self::Unavailable => 503,
            Self::StorageFull => 507,
        }
    }

    /// Whether the panel, and not the caller, caused the rejection.
    #[must_use]
    pub const fn is_server_error(self) -> bool {
        self.status() >= 500
    }
}

/// Why a request was rejected, for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Kind and HTTP status.
    pub kind: RejectionKind,
    /// Machine-readable code that never changes, such as `order_not_cancelable`.
    pub code: &'static str,
    /// Message for users: what is wrong, and what to do.
    pub message: String,
    pub errors: FieldErrors,
    /// For a bulk request that changed no record: all records, each with the reason.
    pub skipped: Vec<SkippedRecord>,
    /// Second factors with which the user can complete a sign-in.
    pub second_factor: Option<Box<SecondFactorChoice>>,
    /// Value of the `Retry-After` header, in seconds.
    pub retry_after_secs: Option<u64>,
    /// Whether the server closes the connection after the response, because it did not read the rest of the request.
    pub closes_connection: bool,
}

impl Rejection {
    /// A rejection without field errors.
    pub fn new(kind: RejectionKind, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            code,
            message: message.into(),
            errors: FieldErrors::default(),
            skipped: Vec::new(),
            second_factor: None,
            retry_after_secs: None,
            closes_connection: false,
        }
    }

    /// A rejection with status 409, because the state of the record does not allow the change.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(RejectionKind::Conflict, code, message)
    }

    /// A rejection with status 403, because the caller lacks a permission.
    pub fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(RejectionKind::Forbidden, code, message)
    }

    /// A rejection with status 422, because one field is invalid.
    pub fn invalid(field: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        Self { code, ..FieldErrors::single(field, message).into() }
    }

    #[must_use]
    pub fn has_field_errors(&self) -> bool {
        !self.errors.0.is_empty()
    }
}

impl From<FieldErrors> for Rejection {
    fn from(errors: FieldErrors) -> Self {
        let message = errors.summary();
        Self { errors, ..Self::new(RejectionKind::Invalid, "invalid", message) }
    }
}
