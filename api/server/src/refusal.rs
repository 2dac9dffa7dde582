//! What a rule says when it does not allow something. Rules know nothing of HTTP; `http::error` words it there.

/// A refusal with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What sort of no it is.
    pub kind: RefusalKind,
    /// Stable and made for programs, such as `order_not_cancelable`.
    pub code: &'static str,
    /// One sentence that says why, and what to do.
    pub message: String,
}

/// What sort of no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusalKind {
    /// The record is not in a state that allows it (409).
    Conflict,
    /// The input is wrong in this field (422).
    Invalid(String),
    /// The caller may not (403).
    Forbidden,
}

impl Refusal {
    /// The record's state does not allow it.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Conflict, code, message: message.into() }
    }

    /// The input is wrong in `field`.
    pub fn invalid(field: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Invalid(field.into()), code, message: message.into() }
    }

    /// The caller may not.
    pub fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Forbidden, code, message: message.into() }
    }
}
