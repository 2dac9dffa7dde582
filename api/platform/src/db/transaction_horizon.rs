//! Reads which transactions are still running. PostgreSQL assigns an id when a row is written, but other transactions see the
//! row only after the commit, so a lower id may appear after a higher one.

use crate::db::{Db, DbResult, Sql, SqlExecutor as _};

/// Bounds of the transactions that may still commit, as PostgreSQL numbers transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionHorizon {
    /// Every transaction with a lower number has ended.
    pub oldest_running: i64,
    /// No transaction with this number or a higher one has written yet.
    pub next_number: i64,
}

/// Reads the horizon. SQLite has one writer, so ids appear in their order: both bounds are 0.
pub async fn transaction_horizon(mut db: &Db) -> DbResult<TransactionHorizon> {
    let postgres = "SELECT CAST(CAST(pg_snapshot_xmin(now.s) AS TEXT) AS BIGINT), CAST(CAST(pg_snapshot_xmax(now.s) AS TEXT) AS BIGINT)
      FROM (SELECT pg_current_snapshot() AS s) now";
    let (oldest_running, next_number) =
        db.fetch_one::<(i64, i64)>(Sql::empty().per_dialect("SELECT 0, 0", postgres)).await?;
    Ok(TransactionHorizon { oldest_running, next_number })
}
