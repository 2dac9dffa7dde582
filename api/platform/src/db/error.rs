//! Errors of the database, grouped by what the caller can do about them.

use panel_kernel::error::Error;
use panel_kernel::storage_error::{StorageError, StorageErrorKind};

/// Result of the `db` module.
pub type DbResult<T> = Result<T, DbError>;

/// A database error. Its text is for the log and must never reach a response.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// A conflict with another transaction; running this one again may succeed.
    #[error("conflict with another transaction: {0}")]
    Retry(sqlx::Error),
    /// A unique constraint rejected a second record with the same value.
    #[error("not unique: {0}")]
    Unique(sqlx::Error),
    /// A foreign key rejected the write: the referenced record is missing, or a record still references the deleted one.
    #[error("broken reference: {0}")]
    ForeignKey(sqlx::Error),
    /// A CHECK constraint rejected a value.
    #[error("check constraint violated: {0}")]
    Check(sqlx::Error),
    /// The disk is full.
    #[error("the disk is full: {0}")]
    Full(sqlx::Error),
    /// The database accepts no writes: a file without write permission, or a PostgreSQL standby.
    #[error("the database is read-only: {0}")]
    ReadOnly(sqlx::Error),
    /// Reading or writing the disk of the database failed.
    #[error("the database's disk failed: {0}")]
    StorageFailed(sqlx::Error),
    /// The file is damaged, or it is not a database.
    #[error("the database is damaged: {0}")]
    Corrupt(sqlx::Error),
    /// The server, or the connection to it, was lost, probably for a short time. The database changed nothing.
    #[error("the database is unavailable: {0}")]
    Unavailable(sqlx::Error),
    /// The connection was lost after the change was sent: the database may have applied it.
    #[error("the database is unavailable, and the outcome is unknown: {0}")]
    UnknownOutcome(sqlx::Error),
    /// All connections, or the database's memory, are in use.
    #[error("the database is out of connections or memory: {0}")]
    Busy(sqlx::Error),
    /// A statement reached its time limit.
    #[error("a statement took too long: {0}")]
    TooSlow(sqlx::Error),
    #[error("migration: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// The database cannot be used as configured.
    #[error("{0}")]
    Setup(String),
    #[error(transparent)]
    Other(sqlx::Error),
}

impl DbError {
    /// The value of the label `kind` in metrics.
    pub(super) const fn label(&self) -> &'static str {
        match self {
            Self::Retry(_) => "retry",
            Self::Unique(_) => "unique",
            Self::ForeignKey(_) => "reference",
            Self::Check(_) => "check",
            Self::Full(_) | Self::ReadOnly(_) | Self::StorageFailed(_) | Self::Corrupt(_) => "storage",
            Self::Unavailable(_) => "gone",
            Self::UnknownOutcome(_) => "unknown_outcome",
            Self::Busy(_) => "busy",
            Self::TooSlow(_) => "too_slow",
            Self::Migrate(_) | Self::Setup(_) | Self::Other(_) => "other",
        }
    }

    /// Whether running the same transaction again may succeed.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Retry(_))
    }

    /// Whether the database was unavailable, which is no fault of the statement.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::UnknownOutcome(_) | Self::Busy(_))
    }

    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    #[must_use]
    pub fn is_unique(&self) -> bool {
        matches!(self, Self::Unique(_))
    }

    /// Converts the error of a change that was sent before the connection broke.
    #[must_use]
    pub(super) fn into_unknown_outcome(self) -> Self {
        match self {
            Self::Unavailable(error) => Self::UnknownOutcome(error),
            other => other,
        }
    }

    /// Whether PostgreSQL answered that it has no free connection, which proves that it is available.
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
                    Self::Unavailable(error)
                }
                // If a proxy accepts a connection and closes it, the driver reports the missing response to its first
                // message as a protocol error.
                sqlx::Error::Protocol(_) | sqlx::Error::Tls(_) => Self::Unavailable(error),
                _ => Self::Other(error),
            };
        };
        if database.is_unique_violation() {
            return Self::Unique(error);
        }
        if database.is_foreign_key_violation() {
            return Self::ForeignKey(error);
        }
        if database.is_check_violation() {
            return Self::Check(error);
        }
        let to_db_error =
            database.code().map_or(DbError::Other as VariantConstructor, |code| variant_of_code(&code));
        to_db_error(error)
    }
}

impl From<DbError> for Error {
    fn from(error: DbError) -> Self {
        let kind = match &error {
            DbError::Retry(_) => StorageErrorKind::Retry,
            DbError::Busy(_) => StorageErrorKind::Busy,
            DbError::Unavailable(_) => StorageErrorKind::Unavailable,
            DbError::UnknownOutcome(_) => StorageErrorKind::UnknownOutcome,
            DbError::TooSlow(_) => StorageErrorKind::TooSlow,
            DbError::ReadOnly(_) => StorageErrorKind::ReadOnly,
            DbError::Full(_) => StorageErrorKind::Full,
            DbError::StorageFailed(_) => StorageErrorKind::Failed,
            DbError::Corrupt(_) => StorageErrorKind::Corrupt,
            DbError::Setup(_) => StorageErrorKind::Setup,
            DbError::Unique(_)
            | DbError::ForeignKey(_)
            | DbError::Check(_)
            | DbError::Migrate(_)
            | DbError::Other(_) => StorageErrorKind::Other,
        };
        Self::Storage(StorageError { kind, text: error.to_string() })
    }
}

/// Constructor of a variant of [`DbError`].
type VariantConstructor = fn(sqlx::Error) -> DbError;

/// PostgreSQL's codes have five characters; SQLite's are shorter numbers whose last byte is the primary code.
fn variant_of_code(code: &str) -> VariantConstructor {
    if code.len() < 5 {
        return code.parse().map_or(DbError::Other, |code: u32| variant_of_sqlite_code(code & 0xff));
    }
    match code {
        // Serialization failure, deadlock, lock not available.
        "40001" | "40P01" | "55P03" => DbError::Retry,
        "53100" => DbError::Full,
        // Out of memory, too many connections, a configured limit.
        "53000" | "53200" | "53300" | "53400" => DbError::Busy,
        "25006" => DbError::ReadOnly,
        "57014" => DbError::TooSlow,
        // Shutdown, crash, start-up, idle timeout within or outside of a transaction.
        "57P01" | "57P02" | "57P03" | "57P05" | "25P03" => DbError::Unavailable,
        // The password or the role was changed, or the database was dropped, while the panel runs.
        "28000" | "28P01" | "3D000" => DbError::Unavailable,
        "58030" => DbError::StorageFailed,
        "XX001" | "XX002" => DbError::Corrupt,
        code if code.starts_with("08") => DbError::Unavailable,
        _ => DbError::Other,
    }
}

/// Maps the primary result codes of <https://sqlite.org/rescode.html>.
fn variant_of_sqlite_code(code: u32) -> VariantConstructor {
    match code {
        // BUSY, LOCKED, PROTOCOL: a conflict with another connection.
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

    fn variant_name(code: &str) -> String {
        let text = format!("{:?}", variant_of_code(code)(sqlx::Error::RowNotFound));
        text.split('(').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_connection_that_closes_during_the_handshake_means_unavailable() {
        for error in [
            sqlx::Error::Protocol("unexpected response from SSLRequest: 0x00".into()),
            sqlx::Error::PoolClosed,
        ] {
            assert!(matches!(DbError::from(error), DbError::Unavailable(_)));
        }
        assert!(matches!(DbError::from(sqlx::Error::PoolTimedOut), DbError::Busy(_)));
        assert!(matches!(DbError::from(sqlx::Error::RowNotFound), DbError::Other(_)));
    }

    #[test]
    fn maps_the_codes_of_both_databases() {
        for (variant, codes) in [
            (
                "Unavailable",
                &["57P01", "57P02", "57P03", "57P05", "25P03", "08000", "08006", "08P01", "28P01"][..],
            ),
            ("Busy", &["53300", "53200", "7"]),
            ("Full", &["53100", "13"]),
            ("ReadOnly", &["25006", "8", "264", "520", "776", "1032", "1288"]),
            ("StorageFailed", &["58030", "10", "266", "522", "1290", "3082", "8714", "14", "526"]),
            ("Corrupt", &["XX001", "XX002", "11", "267", "26"]),
            ("TooSlow", &["57014"]),
            ("Retry", &["40001", "40P01", "55P03", "5", "6", "261", "517", "773", "262", "15"]),
            ("Other", &["42601", "22001", "1", "19", "", "unknown"]),
        ] {
            for code in codes {
                assert_eq!(variant_name(code), variant, "{code}");
            }
        }
    }
}
