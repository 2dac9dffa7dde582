//! What a caller is answered where the database or its disk does not work: never 500, always when to come back, and
//! nothing of what is inside.

use axum::http::StatusCode;

use super::{Told, told};
use crate::db::DbError;

/// Seconds after which a database that is away is probed again at the latest.
const AWAY_SECONDS: u64 = 2;
/// Seconds until a person has freed or mended a disk, at the earliest.
const STORAGE_SECONDS: u64 = 30;

/// The answer; none to an error that is a fault of the panel.
pub(super) fn answer(error: &DbError, request_id: &str) -> Option<Told> {
    let (code, message, seconds) = match error {
        DbError::Retry(_) => ("database_busy", "The database is busy; try again in a moment.", 1),
        DbError::Busy(_) => (
            "database_busy",
            "The database has too much to do; nothing was changed. Try again in a moment.",
            2,
        ),
        DbError::Gone(_) => (
            "database_unavailable",
            "The panel's database cannot be reached; nothing was changed. Try again in a moment.",
            AWAY_SECONDS,
        ),
        DbError::UnknownOutcome(_) => (
            "outcome_unknown",
            "The panel's database went away while this was saved, so it may have been done. Look before you send it again, or repeat it under the same Idempotency-Key.",
            AWAY_SECONDS,
        ),
        DbError::TooSlow(_) => ("too_slow", "This took too long and was given up; nothing was changed.", 2),
        DbError::ReadOnly(_) => (
            "storage_read_only",
            "The panel's database can only be read at the moment; nothing was changed.",
            STORAGE_SECONDS,
        ),
        DbError::Full(_) => {
            ("storage_full", "The server's disk is full; nothing was changed.", STORAGE_SECONDS)
        }
        DbError::StorageFailed(_) => (
            "storage_failed",
            "The panel's database cannot read or write its disk. Look whether this was done before you send it again.",
            STORAGE_SECONDS,
        ),
        DbError::Corrupt(_) => (
            "storage_corrupt",
            "The panel's database is damaged. The operator has to restore it from a backup.",
            STORAGE_SECONDS,
        ),
        _ => return None,
    };
    log(error, request_id, code);
    let status = match error {
        DbError::Full(_) => StatusCode::INSUFFICIENT_STORAGE,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    Some(Told { retry_after: Some(seconds), ..told(status, code, message) })
}

/// The start and the end of an outage are logged once, by the circuit breaker; a full disk has no such place.
fn log(error: &DbError, request_id: &str, code: &str) {
    match error {
        DbError::Retry(_) | DbError::Gone(_) => {}
        DbError::Busy(_) | DbError::TooSlow(_) | DbError::UnknownOutcome(_) => {
            tracing::warn!(request_id, code, %error, "a request was given up");
        }
        _ => tracing::error!(request_id, code, %error, "the database's storage does not work"),
    }
}

#[cfg(test)]
mod tests {
    use sqlx::Error::RowNotFound;

    use super::*;

    #[test]
    fn what_the_database_cannot_do_is_never_a_fault() {
        for (error, code, status) in [
            (DbError::Retry(RowNotFound), "database_busy", 503),
            (DbError::Busy(RowNotFound), "database_busy", 503),
            (DbError::Gone(RowNotFound), "database_unavailable", 503),
            (DbError::UnknownOutcome(RowNotFound), "outcome_unknown", 503),
            (DbError::TooSlow(RowNotFound), "too_slow", 503),
            (DbError::ReadOnly(RowNotFound), "storage_read_only", 503),
            (DbError::Full(RowNotFound), "storage_full", 507),
            (DbError::StorageFailed(RowNotFound), "storage_failed", 503),
            (DbError::Corrupt(RowNotFound), "storage_corrupt", 503),
        ] {
            let told = answer(&error, "test").unwrap();
            assert_eq!((told.code, told.status.as_u16()), (code, status));
            assert!(told.retry_after.is_some(), "{code}");
            let is_certain = told.message.contains("nothing was changed");
            assert!(!is_certain || !matches!(error, DbError::UnknownOutcome(_) | DbError::StorageFailed(_)));
        }
        assert!(answer(&DbError::Other(RowNotFound), "test").is_none());
    }
}
