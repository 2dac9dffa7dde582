//! What can go wrong in a database, sorted by what the caller can do about it.

use panel_kernel::error::Error;
use panel_kernel::storage_error::{StorageError, StorageErrorKind};

/// What the database room returns.
pub type DbResult<T> = Result<T, DbError>;

/// A database error. Its text is for the log, never for an answer.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// Another transaction was in the way; the same one may succeed when it is run again.
    #[error("lost against another transaction: {0}")]
    Retry(sqlx::Error),
    /// A unique key refused a second record.
    #[error("not unique: {0}")]
    Unique(sqlx::Error),
    /// A record that is referred to is not there, or still is.
    #[error("broken reference: {0}")]
    Reference(sqlx::Error),
    /// A CHECK refused a value.
    #[error("refused by a check: {0}")]
    Check(sqlx::Error),
    /// The disk is full.
    #[error("the disk is full: {0}")]
    Full(sqlx::Error),
    /// The database takes no changes: a file without write permission, or a PostgreSQL standby.
    #[error("the database is read-only: {0}")]
    ReadOnly(sqlx::Error),
    /// The disk under the database cannot be read or written.
    #[error("the database's disk failed: {0}")]
    StorageFailed(sqlx::Error),
    /// The database's file is damaged, or is none.
    #[error("the database is damaged: {0}")]
    Corrupt(sqlx::Error),
    /// The server, or the connection to it, was not there; it may be back soon. Nothing was changed.
    #[error("the database is gone: {0}")]
    Gone(sqlx::Error),
    /// As `Gone`, after the change was sent: it may have been made.
    #[error("the database is gone, and the outcome is unknown: {0}")]
    UnknownOutcome(sqlx::Error),
    /// All connections, or the database's memory, are in use.
    #[error("the database has no room for more work: {0}")]
    Busy(sqlx::Error),
    /// A statement reached its time limit.
    #[error("a statement took too long: {0}")]
    TooSlow(sqlx::Error),
    /// A migration failed.
    #[error("migration: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// The database cannot be used as configured.
    #[error("{0}")]
    Setup(String),
    /// Anything else.
    #[error(transparent)]
    Other(sqlx::Error),
}

impl DbError {
    /// Its kind, as the label of a metric.
    pub(super) const fn label(&self) -> &'static str {
        match self {
            Self::Retry(_) => "retry",
            Self::Unique(_) => "unique",
            Self::Reference(_) => "reference",
            Self::Check(_) => "check",
            Self::Full(_) | Self::ReadOnly(_) | Self::StorageFailed(_) | Self::Corrupt(_) => "storage",
            Self::Gone(_) => "gone",
            Self::UnknownOutcome(_) => "unknown_outcome",
            Self::Busy(_) => "busy",
            Self::TooSlow(_) => "too_slow",
            Self::Migrate(_) | Self::Setup(_) | Self::Other(_) => "other",
        }
    }

    /// Whether the same transaction may succeed when it is run again.
    #[must_use]
    pub fn is_worth_a_retry(&self) -> bool {
        matches!(self, Self::Retry(_))
    }

    /// Whether the database could not be used at the moment, which says nothing of the statement.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Gone(_) | Self::UnknownOutcome(_) | Self::Busy(_))
    }

    /// Whether the disk is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    /// Whether a unique key refused.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        matches!(self, Self::Unique(_))
    }

    /// The same error of a change that was sent before the connection broke.
    #[must_use]
    pub(super) fn into_unknown_outcome(self) -> Self {
        match self {
            Self::Gone(error) => Self::UnknownOutcome(error),
            other => other,
        }
    }

    /// Whether PostgreSQL answered that it has no connection left, which it does while it works.
    pub(super) fn is_out_of_connections(error: &sqlx::Error) -> bool {
        error.as_database_error().is_some_and(|error| error.code().as_deref() == Some("53300"))
    }
}

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        let Some(database) = error.as_database_error() else {
            return match error {
                sqlx::Error::PoolTimedOut => Self::Busy(error),
                sqlx::Error::Io(_) | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => {
                    Self::Gone(error)
                }
                // A proxy that accepts a connection and closes it: the driver takes the missing answer to its first
                // message for a wrong one.
                sqlx::Error::Protocol(_) | sqlx::Error::Tls(_) => Self::Gone(error),
                _ => Self::Other(error),
            };
        };
        if database.is_unique_violation() {
            return Self::Unique(error);
        }
        if database.is_foreign_key_violation() {
            return Self::Reference(error);
        }
        if database.is_check_violation() {
            return Self::Check(error);
        }
        let kind = database.code().map_or(DbError::Other as Kind, |code| kind_of(&code));
        kind(error)
    }
}

impl From<DbError> for Error {
    fn from(error: DbError) -> Self {
        let kind = match &error {
            DbError::Retry(_) => StorageErrorKind::Retry,
            DbError::Busy(_) => StorageErrorKind::Busy,
            DbError::Gone(_) => StorageErrorKind::Gone,
            DbError::UnknownOutcome(_) => StorageErrorKind::UnknownOutcome,
            DbError::TooSlow(_) => StorageErrorKind::TooSlow,
            DbError::ReadOnly(_) => StorageErrorKind::ReadOnly,
            DbError::Full(_) => StorageErrorKind::Full,
            DbError::StorageFailed(_) => StorageErrorKind::Failed,
            DbError::Corrupt(_) => StorageErrorKind::Corrupt,
            DbError::Setup(_) => StorageErrorKind::Setup,
            DbError::Unique(_)
            | DbError::Reference(_)
            | DbError::Check(_)
            | DbError::Migrate(_)
            | DbError::Other(_) => StorageErrorKind::Other,
        };
        Self::Storage(StorageError { kind, text: error.to_string() })
    }
}

/// Makes an error of one kind.
type Kind = fn(sqlx::Error) -> DbError;

/// PostgreSQL's codes have five characters, SQLite's are shorter numbers whose last byte is the kind.
fn kind_of(code: &str) -> Kind {
    if code.len() < 5 {
        return code.parse().map_or(DbError::Other, |code: u32| kind_of_sqlite(code & 0xff));
    }
    match code {
        // Serialization failure, deadlock, lock not available.
        "40001" | "40P01" | "55P03" => DbError::Retry,
        "53100" => DbError::Full,
        // Out of memory, too many connections, a configured limit.
        "53000" | "53200" | "53300" | "53400" => DbError::Busy,
        "25006" => DbError::ReadOnly,
        "57014" => DbError::TooSlow,
        // Shut down, crashed, starting up, idle too long within or outside of a transaction.
        "57P01" | "57P02" | "57P03" | "57P05" | "25P03" => DbError::Gone,
        // The password or the role was changed, or the database was dropped, while the panel runs.
        "28000" | "28P01" | "3D000" => DbError::Gone,
        "58030" => DbError::StorageFailed,
        "XX001" | "XX002" => DbError::Corrupt,
        code if code.starts_with("08") => DbError::Gone,
        _ => DbError::Other,
    }
}

/// By the primary result codes of <https://sqlite.org/rescode.html>.
fn kind_of_sqlite(code: u32) -> Kind {
    match code {
        // BUSY, LOCKED, PROTOCOL: another connection is in the way.
        5 | 6 | 15 => DbError::Retry,
        // NOMEM.
        7 => DbError::Busy,
        8 => DbError::ReadOnly,
        // IOERR, CANTOPEN.
        10 | 14 => DbError::StorageFailed,
        // CORRUPT, NOTADB.
        11 | 26 => DbError::Corrupt,
        13 => DbError::Full,
        _ => DbError::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(code: &str) -> String {
        let text = format!("{:?}", kind_of(code)(sqlx::Error::RowNotFound));
        text.split('(').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_connection_that_ends_within_its_first_messages_is_gone() {
        for error in [
            sqlx::Error::Protocol("unexpected response from SSLRequest: 0x00".into()),
            sqlx::Error::PoolClosed,
        ] {
            assert!(matches!(DbError::from(error), DbError::Gone(_)));
        }
        assert!(matches!(DbError::from(sqlx::Error::PoolTimedOut), DbError::Busy(_)));
        assert!(matches!(DbError::from(sqlx::Error::RowNotFound), DbError::Other(_)));
    }

    #[test]
    fn codes_of_both_databases_are_sorted() {
        for (kind, codes) in [
            ("Gone", &["57P01", "57P02", "57P03", "57P05", "25P03", "08000", "08006", "08P01", "28P01"][..]),
            ("Busy", &["53300", "53200", "7"]),
            ("Full", &["53100", "13"]),
            ("ReadOnly", &["25006", "8", "264", "520", "776", "1032", "1288"]),
            ("StorageFailed", &["58030", "10", "266", "522", "1290", "3082", "8714", "14", "526"]),
            ("Corrupt", &["XX001", "XX002", "11", "267", "26"]),
            ("TooSlow", &["57014"]),
            ("Retry", &["40001", "40P01", "55P03", "5", "6", "261", "517", "773", "262", "15"]),
            ("Other", &["42601", "22001", "1", "19", "", "words"]),
        ] {
            for code in codes {
                assert_eq!(name(code), kind, "{code}");
            }
        }
    }
}
