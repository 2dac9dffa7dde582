//! What can go wrong in a database, sorted by what the caller can do about it.

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
    /// The server, or the connection to it, was not there; it may be back soon.
    #[error("the database is gone: {0}")]
    Gone(sqlx::Error),
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
    /// Whether the same transaction may succeed when it is run again.
    #[must_use]
    pub fn is_worth_a_retry(&self) -> bool {
        matches!(self, Self::Retry(_))
    }

    /// Whether the database was not there.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Gone(_))
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
}

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        let Some(database) = error.as_database_error() else {
            return match error {
                sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => {
                    Self::Gone(error)
                }
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
        match database.code().as_deref() {
            // PostgreSQL: serialization failure, deadlock, lock not available. SQLite: BUSY and its kin, LOCKED.
            Some("40001" | "40P01" | "55P03" | "5" | "6" | "261" | "517" | "262") => Self::Retry(error),
            Some("53100" | "13") => Self::Full(error),
            // PostgreSQL: shut down by whoever runs it, after a crash, and starting up again.
            Some("57P01" | "57P02" | "57P03") => Self::Gone(error),
            _ => Self::Other(error),
        }
    }
}
