//! Which transactions are on their way: ids are given out when a row is written, and seen when it is committed, so that
//! a lower id may appear after a higher one.

use crate::db::{Db, DbResult, Source as _, Sql};

/// `(ended, begun)`: every transaction numbered below `ended` has ended, and none from `begun` on had written yet.
/// SQLite has one writer, so ids appear in their order: both are 0.
pub async fn in_flight(mut db: &Db) -> DbResult<(i64, i64)> {
    let postgres = "SELECT CAST(CAST(pg_snapshot_xmin(now.s) AS TEXT) AS BIGINT), CAST(CAST(pg_snapshot_xmax(now.s) AS TEXT) AS BIGINT)
      FROM (SELECT pg_current_snapshot() AS s) now";
    db.one(Sql::empty().either("SELECT 0, 0", postgres)).await
}
