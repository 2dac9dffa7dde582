//! Writes SQLite's log back into the database file beside the writer, so that no commit has to: the one who happens
//! to pass SQLite's own mark would pay for everybody. PostgreSQL does this by itself.

use crate::db::{Db, DbResult, Dialect, Source as _, Sql};

/// Pages after which a commit does it after all, should this ever fall behind: 256 MiB.
pub(super) const MOST_PAGES: &str = "65536";

/// Writes back what no reader needs any more; waits for no reader. Answers the pages in the log, and those written back;
/// PostgreSQL has no such log.
pub async fn write_back(mut db: &Db) -> DbResult<(i64, i64)> {
    if db.dialect() == Dialect::Postgres {
        return Ok((0, 0));
    }
    let (_, log, done): (i64, i64, i64) = db.one(Sql::new("PRAGMA wal_checkpoint(PASSIVE)")).await?;
    Ok((log, done))
}
