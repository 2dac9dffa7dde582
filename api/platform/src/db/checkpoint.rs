//! Writes SQLite's log back into the database file beside the writer, so that no commit has to: the one who happens
//! to pass SQLite's own mark would pay for everybody. PostgreSQL does this by itself.

use std::time::Duration;

use tokio::sync::watch;

use crate::db::{Db, DbResult, Dialect, Source as _, Sql};

/// How often the log is written back.
const PAUSE: Duration = Duration::from_secs(1);
/// Pages after which a commit does it after all, should this ever fall behind: 256 MiB.
pub(super) const MOST_PAGES: &str = "65536";

/// Runs until `stop`.
pub async fn run(db: Db, mut stop: watch::Receiver<bool>) {
    if matches!(db, Db::Postgres { .. }) {
        return;
    }
    while !*stop.borrow() {
        if let Err(error) = write_back(&db).await {
            tracing::warn!(%error, "the log cannot be written back; it is tried again");
        }
        drop(tokio::time::timeout(PAUSE, stop.changed()).await);
    }
}

/// Writes back what no reader needs any more; waits for no reader. Answers the pages in the log, and those written back;
/// PostgreSQL has no such log.
pub async fn write_back(mut db: &Db) -> DbResult<(i64, i64)> {
    if db.dialect() == Dialect::Postgres {
        return Ok((0, 0));
    }
    let (_, log, done): (i64, i64, i64) = db.one(Sql::new("PRAGMA wal_checkpoint(PASSIVE)")).await?;
    Ok((log, done))
}
