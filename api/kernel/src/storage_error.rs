//! Failures of the database or its disk, classified by what the caller can do about them. The platform converts driver errors,
//! whose text only goes to the log.

use crate::rejection::{Rejection, RejectionKind};

/// `Retry-After` during an outage: the maximum interval between two probes of an unavailable database.
const OUTAGE_RETRY_SECS: u64 = 2;
/// `Retry-After` of a full or broken disk: an operator needs at least this long to repair it.
const STORAGE_RETRY_SECS: u64 = 30;

/// A failure of the database.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct StorageError {
    /// Kind of the failure.
    pub kind: StorageErrorKind,
    /// Error message of the driver, for the log.
    pub text: String,
}

/// Kind of a database failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageErrorKind {
    /// A conflict with another transaction; a retry may succeed.
    Retry,
    /// All connections or all memory of the database are in use.
    Busy,
    /// The server or the connection was unavailable. Nothing was changed.
    Unavailable,
    /// As `Unavailable`, but after the commit was sent: the change may have been made.
    UnknownOutcome,
    TooSlow,
    ReadOnly,
    Full,
    /// The disk cannot be read or written.
    Failed,
    /// The database's file is damaged.
    Corrupt,
    /// The configuration of the database is wrong.
    Setup,
    /// Any other error, which is a defect of the panel.
    Other,
}

impl StorageError {
    /// The rejection for the caller, always with `Retry-After`; `None` for a defect of the panel.
    #[must_use]
    pub fn rejection(&self) -> Option<Rejection> {
        use StorageErrorKind::*;
        let (code, message, seconds) = match self.kind {
            Retry => ("database_busy", "The database is busy; try again in a moment.", 1),
            Busy => (
                "database_busy",
                "The database is overloaded; nothing was changed. Try again in a moment.",
                2,
            ),
            Unavailable => (
                "database_unavailable",
                "The panel's database cannot be reached; nothing was changed. Try again in a moment.",
                OUTAGE_RETRY_SECS,
            ),
            UnknownOutcome => (
                "outcome_unknown",
                "The connection to the database was lost while the change was saved, so the change may have been made. Check before you send the request again, or repeat it with the same Idempotency-Key.",
                OUTAGE_RETRY_SECS,
            ),
            TooSlow => ("too_slow", "The request took too long and was canceled; nothing was changed.", 2),
            ReadOnly => (
                "storage_read_only",
                "The panel's database is read-only at the moment; nothing was changed.",
                STORAGE_RETRY_SECS,
            ),
            Full => ("storage_full", "The server's disk is full; nothing was changed.", STORAGE_RETRY_SECS),
            Failed => (
                "storage_failed",
                "The panel's database cannot read or write its disk. Check whether the change was made before you send the request again.",
                STORAGE_RETRY_SECS,
            ),
            Corrupt => (
                "storage_corrupt",
                "The panel's database is damaged. The operator must restore it from a backup.",
                STORAGE_RETRY_SECS,
            ),
            Setup | Other => return None,
        };
        let kind = if self.kind == Full { RejectionKind::StorageFull } else { RejectionKind::Unavailable };
        Some(Rejection { retry_after_secs: Some(seconds), ..Rejection::new(kind, code, message) })
    }

    /// Whether the database was temporarily unavailable, independent of the statement.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        use StorageErrorKind::*;
        matches!(self.kind, Unavailable | UnknownOutcome | Busy)
    }

    /// Whether the database itself failed, so that the next statement would fail as well.
    #[must_use]
    pub fn is_database_error(&self) -> bool {
        !matches!(self.kind, StorageErrorKind::Retry | StorageErrorKind::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::StorageErrorKind::*;
    use super::*;

    #[test]
    fn a_database_outage_is_never_an_internal_error() {
        for (kind, code, status) in [
            (Retry, "database_busy", 503),
            (Busy, "database_busy", 503),
            (Unavailable, "database_unavailable", 503),
            (UnknownOutcome, "outcome_unknown", 503),
            (TooSlow, "too_slow", 503),
            (ReadOnly, "storage_read_only", 503),
            (Full, "storage_full", 507),
            (Failed, "storage_failed", 503),
            (Corrupt, "storage_corrupt", 503),
        ] {
            let rejection = StorageError { kind, text: "text of the driver".into() }.rejection().unwrap();
            assert_eq!((rejection.code, rejection.kind.status()), (code, status));
            assert!(rejection.retry_after_secs.is_some(), "{code}");
            let claims_no_change = rejection.message.contains("nothing was changed");
            assert!(!claims_no_change || !matches!(kind, UnknownOutcome | Failed));
        }
        for kind in [Setup, Other] {
            assert!(StorageError { kind, text: String::new() }.rejection().is_none());
        }
    }
}
