//! Restores a backup: verifies it first, then restores it completely or not at all. The former database is renamed, and the
//! report names it.
//!
//! Never restores beside a running server, and replaces a database only on request. Files are only added: their names are never
//! reused, so the files of the former database stay and the restore can be reverted.

mod postgres;
mod sqlite;

use std::io::Write as _;
use std::path::Path;

use panel_contract::moment::Time;
use panel_contract::system::DoctorReport;

use crate::backup::create::run_blocking;
use crate::backup::manifest::{DatabaseKind, Manifest, UploadsStorage, upload_name};
use crate::backup::stream;
use crate::doctor;
use panel_platform::config::Config;
use panel_platform::db::{Db, DbConfig, backup, open};
use panel_platform::secrets::Secrets;

/// Parameters of a restore.
pub struct RestorePlan<'a> {
    pub config: &'a Config,
    pub secrets: &'a Secrets,
    pub folder: &'a Path,
    /// Whether an existing database is replaced.
    pub replace: bool,
    /// Whether the backup is restored even if the doctor finds violations in it.
    pub accept_findings: bool,
    /// The current time, for the new name of the former database.
    pub now: Time,
}

/// Result of a restore.
#[derive(Debug)]
pub struct RestoreResult {
    /// The manifest of the restored backup.
    pub manifest: Manifest,
    /// The new name of the former database; `None` if there was none.
    pub former_database: Option<String>,
    /// The doctor's report on the restored database; `None` if its schema is older than the program's.
    pub report: Option<DoctorReport>,
}

/// Reason why a backup was not restored.
#[derive(Debug)]
pub enum RestoreError {
    /// A precondition failed; the sentence says what to do.
    PreconditionFailed(String),
    /// The doctor found violations.
    ViolationsFound(Box<DoctorReport>),
}

impl From<String> for RestoreError {
    fn from(sentence: String) -> Self {
        Self::PreconditionFailed(sentence)
    }
}

/// Reads the whole backup and checks that it is unchanged and that this program can restore it.
pub async fn verify(folder: &Path, secrets: &Secrets) -> Result<Manifest, String> {
    let (folder, secrets) = (folder.to_owned(), secrets.clone());
    run_blocking(move || Manifest::read_verified(&folder, &secrets)).await
}

/// Restores the backup. The caller holds the lock of the data folder.
pub async fn restore(plan: &RestorePlan<'_>) -> Result<RestoreResult, RestoreError> {
    let manifest = verify(plan.folder, plan.secrets).await?;
    // The files need the key that sealed the backup, which may be a former key now.
    let secrets = manifest.find_key(plan.secrets).unwrap_or_else(|| plan.secrets.clone());
    let plan = &RestorePlan { secrets: &secrets, ..*plan };
    let database = plan.config.database();
    let configured_kind = if database.url.is_some() { DatabaseKind::Postgres } else { DatabaseKind::Sqlite };
    if manifest.database != configured_kind {
        let reason = "a backup can only be restored to the same kind of database";
        return Err(RestoreError::PreconditionFailed(format!(
            "this is a backup of {}, and the configuration names {}: {reason}",
            manifest.database.name(),
            configured_kind.name()
        )));
    }
    let uploads = plan.config.uploads_folder();
    if uploads.is_none() && manifest.uploads == UploadsStorage::Folder {
        return Err(RestoreError::PreconditionFailed(
            "the backup has uploaded files, and the configuration names a bucket: restore with uploads.folder instead, then copy that folder to the bucket"
                .into(),
        ));
    }
    let target = match configured_kind {
        DatabaseKind::Sqlite => RestoreTarget::Sqlite(sqlite::SqliteTarget::open(plan, &database)?),
        DatabaseKind::Postgres => {
            RestoreTarget::Postgres(postgres::PostgresTarget::open(plan, &manifest).await?)
        }
    };
    // Files are restored first, so that every record finds its file.
    if let Some(uploads) = uploads {
        restore_uploads(plan, &manifest, &uploads).await?;
    }
    let (former_database, report) = match target {
        RestoreTarget::Sqlite(target) => target.restore(plan, &manifest).await?,
        RestoreTarget::Postgres(target) => target.restore(plan, &manifest).await?,
    };
    Ok(RestoreResult { manifest, former_database, report })
}

/// The database to restore into.
enum RestoreTarget {
    Sqlite(sqlite::SqliteTarget),
    Postgres(postgres::PostgresTarget),
}

/// Returns the key if the files are encrypted.
fn decryption_key(manifest: &Manifest, secrets: &Secrets) -> Option<Secrets> {
    manifest.encrypted.then(|| secrets.clone())
}

/// Runs the doctor on a restored database as of the time of its backup, because work that became due since then is no
/// violation. Skips an older schema, which this program's statements do not fit; the next start migrates it.
async fn run_doctor(
    config: &DbConfig,
    manifest: &Manifest,
    plan: &RestorePlan<'_>,
) -> Result<Option<DoctorReport>, RestoreError> {
    if manifest.schema_version < open::newest_migration() {
        return Ok(None);
    }
    let db = Db::connect(config).await.map_err(|error| error.to_string())?;
    let report = doctor::run_all(&db, Some(plan.secrets), manifest.created_at).await;
    db.close().await;
    let report = report.map_err(|error| error.report("").message)?;
    if report.healthy || plan.accept_findings {
        return Ok(Some(report));
    }
    Err(RestoreError::ViolationsFound(Box::new(report)))
}

async fn restore_uploads(plan: &RestorePlan<'_>, manifest: &Manifest, uploads: &Path) -> Result<(), String> {
    let (folder, uploads) = (plan.folder.to_owned(), uploads.to_owned());
    let (manifest, secrets) = (manifest.clone(), decryption_key(manifest, plan.secrets));
    run_blocking(move || {
        for file in &manifest.files {
            if let Some(name) = upload_name(&file.path) {
                restore_upload(&folder, &file.path, &uploads.join(name), secrets.as_ref())
                    .map_err(|error| format!("{}: {error}", uploads.join(name).display()))?;
            }
        }
        Ok(())
    })
    .await
}

/// Writes one file. Replaces a file of the same name: it can only be identical or damaged.
fn restore_upload(
    folder: &Path,
    path: &str,
    target: &Path,
    secrets: Option<&Secrets>,
) -> std::io::Result<()> {
    let parent = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)?;
    let mut temporary_file = tempfile::Builder::new().prefix(".").suffix(".partial").tempfile_in(parent)?;
    stream::extract_file(&folder.join(path), temporary_file.as_file_mut(), path, secrets)?;
    temporary_file.as_file_mut().flush()?;
    temporary_file.as_file().sync_all()?;
    temporary_file.persist(target).map_err(|error| error.error)?;
    backup::sync_folder(parent)
}
