//! A whole copy of a running SQLite panel in one step. PostgreSQL has its own tool, `pg_dump`.

use std::path::Path;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

use crate::db::{Db, DbError, DbResult, Source as _, Sql};

/// Writes a copy to `file`, which must not exist, and checks that it is whole. Writers wait for a moment only.
pub async fn write(mut db: &Db, file: &Path) -> DbResult<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let failed = |error: std::io::Error| DbError::Setup(format!("{}: {error}", file.display()));
    // The copy holds everything that the panel knows: nobody else may read it.
    let out =
        std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(failed)?;
    db.exec(Sql::new("VACUUM INTO ?").bind(file.display().to_string())).await?;
    out.sync_all().map_err(failed)?;
    check(file).await
}

async fn check(file: &Path) -> DbResult<()> {
    let mut copy = SqliteConnectOptions::new().filename(file).read_only(true).connect().await?;
    let (said,): (String,) = sqlx::query_as("PRAGMA integrity_check(1)").fetch_one(&mut copy).await?;
    match said.as_str() {
        "ok" => Ok(()),
        _ => Err(DbError::Setup(format!("{}: the copy is damaged: {said}", file.display()))),
    }
}
