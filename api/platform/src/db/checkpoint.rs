//! Checkpoints SQLite's write-ahead log on a connection other than the writer. Otherwise the commit that reaches SQLite's own
//! threshold would have to write all of the log back. PostgreSQL checkpoints by itself.

use crate::db::{Db, DbResult, Dialect, Source as _, Sql};

/// Size of the log, in pages, at which a commit checkpoints nevertheless because this module fell behind: 256 MiB.
pub(super) const MAX_WAL_PAGES: &str = "65536";

/// Writes back the pages that no reader needs, and waits for no reader. Returns the number of pages in the log and of those
/// that are written back; 0 and 0 on PostgreSQL.
pub async fn write_back(mut db: &Db) -> DbResult<(i64, i64)> {
    if db.dialect() == Dialect::Postgres {
        return Ok((0, 0));
    }
    let (_, log, done): (i64, i64, i64) = db.one(Sql::new("PRAGMA wal_checkpoint(PASSIVE)")).await?;
    Ok((log, done))
}
