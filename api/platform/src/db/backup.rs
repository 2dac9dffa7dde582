//! Copies a running SQLite database in one step. PostgreSQL has its own tool, `pg_dump`.
//!
//! The copy gets its name only once it is complete and synced to the disk: a failure leaves no file.

use std::path::Path;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

use crate::db::{DbError, DbResult};

/// Copies the database in `source` to `file`, which must not exist, and checks the copy. It reads on a connection of its
/// own, so that no writer waits for it.
pub async fn write(source: &Path, file: &Path) -> DbResult<()> {
    let failed = |error: std::io::Error| DbError::Setup(format!("{}: {error}", file.display()));
    if file.exists() {
        return Err(DbError::Setup(format!("{}: the file already exists", file.display())));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Readable by the owner only, because it holds all data of the panel; deleted unless it gets its name below.
    let part = tempfile::Builder::new().prefix(".").suffix(".partial").tempfile_in(folder).map_err(failed)?;
    let mut from = SqliteConnectOptions::new().filename(source).create_if_missing(false).connect().await?;
    sqlx::query("VACUUM INTO ?").bind(part.path().display().to_string()).execute(&mut from).await?;
    check(part.path()).await?;
    part.as_file().sync_all().map_err(failed)?;
    part.persist_noclobber(file).map_err(|error| failed(error.error))?;
    sync_folder(folder).map_err(failed)
}

/// Checks the integrity of a SQLite database file.
pub async fn check(file: &Path) -> DbResult<()> {
    let mut copy = SqliteConnectOptions::new().filename(file).read_only(true).connect().await?;
    let (result,): (String,) = sqlx::query_as("PRAGMA integrity_check(1)").fetch_one(&mut copy).await?;
    match result.as_str() {
        "ok" => Ok(()),
        _ => Err(DbError::Setup(format!("{}: the database is damaged: {result}", file.display()))),
    }
}

/// Permissions of a folder that only its owner may open.
#[must_use]
pub fn owner_only() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o700)
}

/// Syncs a folder, so that the names of its files survive a loss of power.
pub fn sync_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}
