//! Checkpoints SQLite's write-ahead log on a connection other than the writer. Otherwise the commit at which the log reaches
//! SQLite's own limit would have to copy the whole log into the database file. PostgreSQL checkpoints by itself.

use crate::db::{Db, DbResult, Dialect, Sql, SqlExecutor as _};

/// Size of the log, in pages of 4 KiB, at which a commit checkpoints after all, because this module is too slow: 256 MiB.
pub(super) const MAX_WAL_PAGES: &str = "65536";

/// How many pages the log has, and how many of them the database file has as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckpointProgress {
    pub log_pages: i64,
    pub copied_pages: i64,
}

/// Copies the pages of the log that no reader needs into the database file, and waits for no reader. Does nothing on PostgreSQL.
pub async fn checkpoint(mut db: &Db) -> DbResult<CheckpointProgress> {
    if db.dialect() == Dialect::Postgres {
        return Ok(CheckpointProgress::default());
    }
    let (_, log_pages, copied_pages): (i64, i64, i64) =
        db.fetch_one(Sql::new("PRAGMA wal_checkpoint(PASSIVE)")).await?;
    Ok(CheckpointProgress { log_pages, copied_pages })
}
