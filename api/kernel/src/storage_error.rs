//! What the database or its disk could not do, sorted by what the caller can do about it. It knows no database: the platform
//! makes it of a driver's error, whose text goes to the log only.

use crate::rejection::{Rejection, RejectionKind};

/// Seconds after which a database that is away is probed again at the latest.
const AWAY_SECS: u64 = 2;
/// Seconds until an operator has freed or mended a disk, at the earliest.
const STORAGE_SECS: u64 = 30;

/// A failure of the database.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct StorageError {
    /// What sort of failure it is.
    pub kind: StorageErrorKind,
    /// The driver's words, for the log.
    pub text: String,
}

/// What sort of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageErrorKind {
    /// Another transaction was in the way; the same one may succeed when it is run again.
    Retry,
    /// All connections, or the database's memory, are in use.
    Busy,
    /// The server, or the connection to it, was not there. Nothing was changed.
    Gone,
    /// As `Gone`, after the change was sent: it may have been made.
    UnknownOutcome,
    /// A statement reached its time limit.
    TooSlow,
    /// The database takes no changes.
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
    /// What the caller is answered, always with the time to wait; none where the panel is at fault.
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
            Gone => (
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

    /// Whether the database could not be used at the moment, which says nothing of the statement.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        use StorageErrorKind::*;
        matches!(self.kind, Gone | UnknownOutcome | Busy)
    }

    /// Whether it says something of the database and nothing of what was asked of it: the next statement would fail as well.
    #[must_use]
    pub fn is_of_database(&self) -> bool {
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
            (Gone, "database_unavailable", 503),
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
