//! A request that is not carried out: its kind, a stable code and one sentence for the caller. Rules return it, and the HTTP layer
//! makes the answer of it. It never carries what happened inside of the panel.

use panel_contract::common::Skipped;
use panel_contract::fields::FieldErrors;
use panel_contract::second_factor::SecondFactorChoice;

/// What the caller has to do next. Each kind has one HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectionKind {
    /// Mend the request, which cannot be read (400).
    Malformed,
    /// Sign in (401).
    Unauthenticated,
    /// Ask for a permission (403).
    Forbidden,
    /// Look for another record (404).
    NotFound,
    /// Take another method (405).
    MethodNotAllowed,
    /// Send the request faster (408).
    RequestTimeout,
    /// Read the record again: its state does not allow the change (409).
    Conflict,
    /// Send less (413).
    TooLarge,
    /// Send another media type (415).
    UnsupportedMediaType,
    /// Mend the fields that are named (422).
    Invalid,
    /// Wait (429).
    TooManyRequests,
    /// Send shorter headers (431).
    HeadTooLarge,
    /// Report it to the operator: a fault of the panel (500).
    Fault,
    /// Report it to the operator: a program that the panel called gave no usable answer (502).
    BadGateway,
    /// Try again later (503).
    Unavailable,
    /// Report it to the operator: the disk is full (507).
    StorageFull,
}

impl RejectionKind {
    /// Its HTTP status.
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
            Self::Fault => 500,
            Self::BadGateway => 502,
            Self::Unavailable => 503,
            Self::StorageFull => 507,
        }
    }

    /// Whether the panel, and not the caller, is the reason.
    #[must_use]
    pub const fn is_server_error(self) -> bool {
        self.status() >= 500
    }
}

/// Why a request was not carried out, for its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// What the caller has to do next.
    pub kind: RejectionKind,
    /// Stable and made for programs, such as `order_not_cancelable`.
    pub code: &'static str,
    /// One sentence that says why, and what to do.
    pub message: String,
    /// What is wrong with which field.
    pub errors: FieldErrors,
    /// Every record of a bulk call that changed none.
    pub skipped: Vec<Skipped>,
    /// What a sign-in that waits for a second factor can go on with.
    pub second_factor: Option<Box<SecondFactorChoice>>,
    /// The wait of the `Retry-After` header.
    pub retry_after_secs: Option<u64>,
    /// Whether the connection ends with this answer, because the rest of the request stays unread.
    pub closes_connection: bool,
}

impl Rejection {
    /// One without wrong fields.
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

    /// The record's state does not allow the change.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(RejectionKind::Conflict, code, message)
    }

    /// The caller may not do this.
    pub fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(RejectionKind::Forbidden, code, message)
    }

    /// One field is wrong.
    pub fn invalid(field: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        Self { code, ..FieldErrors::one(field, message).into() }
    }

    /// Whether it says of any field what is wrong with it.
    #[must_use]
    pub fn names_fields(&self) -> bool {
        !self.errors.0.is_empty()
    }
}

impl From<FieldErrors> for Rejection {
    fn from(errors: FieldErrors) -> Self {
        let message = errors.summary();
        Self { errors, ..Self::new(RejectionKind::Invalid, "invalid", message) }
    }
}
