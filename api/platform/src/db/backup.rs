//! Copies a running SQLite database. PostgreSQL has its own tool, `pg_dump`.
//!
//! The copy gets its final name only after it is complete and synced to the disk: a failure leaves no file.

use std::path::Path;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

use crate::db::{DbError, DbResult};

/// Copies the database file `source` to `target`, which must not exist, and checks the copy. It reads `source` on its own
/// connection, so that no writer waits.
pub async fn copy_sqlite(source: &Path, target: &Path) -> DbResult<()> {
    let to_db_error = |error: std::io::Error| DbError::Setup(format!("{}: {error}", target.display()));
    if target.exists() {
        return Err(DbError::Setup(format!("{}: the file already exists", target.display())));
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Readable by the owner only, because it holds all data of the panel; deleted unless it gets its final name below.
    let copy =
        tempfile::Builder::new().prefix(".").suffix(".partial").tempfile_in(folder).map_err(to_db_error)?;
    let mut connection =
        SqliteConnectOptions::new().filename(source).create_if_missing(false).connect().await?;
    sqlx::query("VACUUM INTO ?").bind(copy.path().display().to_string()).execute(&mut connection).await?;
    check(copy.path()).await?;
    copy.as_file().sync_all().map_err(to_db_error)?;
    copy.persist_noclobber(target).map_err(|error| to_db_error(error.error))?;
    sync_folder(folder).map_err(to_db_error)
}

/// Checks the integrity of a SQLite database file.
pub async fn check(file: &Path) -> DbResult<()> {
    let mut connection = SqliteConnectOptions::new().filename(file).read_only(true).connect().await?;
    let (result,): (String,) = sqlx::query_as("PRAGMA integrity_check(1)").fetch_one(&mut connection).await?;
    match result.as_str() {
        "ok" => Ok(()),
        _ => Err(DbError::Setup(format!("{}: the database is damaged: {result}", file.display()))),
    }
}

/// Permissions of a folder that only its owner may open.
#[must_use]
pub fn owner_only_permissions() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o700)
}

/// Syncs a folder, so that the names of its files survive a loss of power.
pub fn sync_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}
