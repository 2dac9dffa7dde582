//! Failures of the database or its disk, classified by what the caller can do about them. The platform converts driver errors,
//! whose
//! text only goes to the log.

use crate::rejection::{Rejection, RejectionKind};

/// Maximum seconds between two probes of an unavailable database.
const AWAY_SECS: u64 = 2;
/// Minimum seconds until an operator can have freed or repaired a disk.
const STORAGE_SECS: u64 = 30;

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
    /// All connections, or the database's memory, are in use.
    Busy,
    /// The server or the connection was unavailable. Nothing was changed.
    Unavailable,
    /// As `Unavailable`, but after the commit was sent: the change may have been made.
    UnknownOutcome,
    /// A statement reached its time limit.
    TooSlow,
    /// The database is read-only.
    ReadOnly,
    /// The disk is full.
    Full,
    /// The disk cannot be read or written.
    Failed,
    /// The database's file is damaged.
    Corrupt,
    /// The database cannot be used as configured.
    Setup,
    /// Anything else: a fault of the panel.
    Other,
}

impl StorageError {
    /// The rejection for the caller, always with `Retry-After`; `None` for a fault of the panel.
    #[must_use]
    pub fn rejection(&self) -> Option<Rejection> {
        use StorageErrorKind::*;
        let (code, message, seconds) = match self.kind {
            Retry => ("database_busy", "The database is busy; try again in a moment.", 1),
            Busy => (
                "database_busy",
                "The database has too much to do; nothing was changed. Try again in a moment.",
                2,
            ),
            Unavailable => (
                "database_unavailable",
                "The panel's database cannot be reached; nothing was changed. Try again in a moment.",
                AWAY_SECS,
            ),
            UnknownOutcome => (
                "outcome_unknown",
                "The panel's database went away while this was saved, so it may have been done. Look before you send it again, or repeat it under the same Idempotency-Key.",
                AWAY_SECS,
            ),
            TooSlow => ("too_slow", "This took too long and was given up; nothing was changed.", 2),
            ReadOnly => (
                "storage_read_only",
                "The panel's database can only be read at the moment; nothing was changed.",
                STORAGE_SECS,
            ),
            Full => ("storage_full", "The server's disk is full; nothing was changed.", STORAGE_SECS),
            Failed => (
                "storage_failed",
                "The panel's database cannot read or write its disk. Look whether this was done before you send it again.",
                STORAGE_SECS,
            ),
            Corrupt => (
                "storage_corrupt",
                "The panel's database is damaged. The operator has to restore it from a backup.",
                STORAGE_SECS,
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
    fn a_database_that_does_not_work_is_never_a_fault() {
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
            let rejection = StorageError { kind, text: "driver's words".into() }.rejection().unwrap();
            assert_eq!((rejection.code, rejection.kind.status()), (code, status));
            assert!(rejection.retry_after_secs.is_some(), "{code}");
            let is_certain = rejection.message.contains("nothing was changed");
            assert!(!is_certain || !matches!(kind, UnknownOutcome | Failed));
        }
        for kind in [Setup, Other] {
            assert!(StorageError { kind, text: String::new() }.rejection().is_none());
        }
    }
}
