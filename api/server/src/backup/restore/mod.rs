//! Restores a backup: verifies it first, then puts it in place at once or not at all. The former database gets another name,
//! and the report says which.
//!
//! Nothing is restored beside a running server, and nothing replaces a database unless it was asked for. Files are only
//! added: their names are never used twice, so those of the former database stay for a way back.

mod postgres;
mod sqlite;

use std::io::Write as _;
use std::path::Path;

use panel_contract::moment::Time;
use panel_contract::system::DoctorReport;

use crate::backup::create::blocking;
use crate::backup::manifest::{DatabaseKind, Manifest, UploadsIn, upload_name};
use crate::backup::stream;
use crate::doctor;
use panel_platform::config::Config;
use panel_platform::db::{Db, DbConfig, backup, open};
use panel_platform::secrets::Secrets;

/// What to restore, and how.
pub struct Plan<'a> {
    /// The configuration of the panel.
    pub config: &'a Config,
    /// Its key.
    pub secrets: &'a Secrets,
    /// The backup.
    pub folder: &'a Path,
    /// Whether a database that is there is replaced.
    pub replace: bool,
    /// Whether the backup is put in place although the doctor finds something in it.
    pub accept_findings: bool,
    /// The present moment, for the new name of the former database.
    pub now: Time,
}

/// How it went.
#[derive(Debug)]
pub struct Restored {
    /// What was restored.
    pub manifest: Manifest,
    /// Where the former database is.
    pub former: Option<String>,
    /// What the doctor says of the restored database; none where its schema is older than the program's.
    pub report: Option<DoctorReport>,
}

/// Why a database was not put in place.
#[derive(Debug)]
pub enum NotRestored {
    /// A sentence that says what to do.
    Refused(String),
    /// The doctor found something.
    Findings(Box<DoctorReport>),
}

impl From<String> for NotRestored {
    fn from(sentence: String) -> Self {
        Self::Refused(sentence)
    }
}

/// Reads the whole backup and checks that it is as it was made and that this program can restore it.
pub async fn verify(folder: &Path, secrets: &Secrets) -> Result<Manifest, String> {
    let (folder, secrets) = (folder.to_owned(), secrets.clone());
    blocking(move || Manifest::verified(&folder, &secrets)).await
}

/// Restores the backup. The caller holds the lock of the data folder.
pub async fn restore(plan: &Plan<'_>) -> Result<Restored, NotRestored> {
    let manifest = verify(plan.folder, plan.secrets).await?;
    // The key from then opens its files, also where the panel has another one by now.
    let secrets = manifest.key(plan.secrets).unwrap_or_else(|| plan.secrets.clone());
    let plan = &Plan { secrets: &secrets, ..*plan };
    let database = plan.config.database();
    let kind = if database.url.is_some() { DatabaseKind::Postgres } else { DatabaseKind::Sqlite };
    if manifest.database != kind {
        let rule = "a backup is restored to the database that it was made of";
        return Err(NotRestored::Refused(format!(
            "this is a backup of {}, and the configuration names {}: {rule}",
            manifest.database.name(),
            kind.name()
        )));
    }
    let uploads = plan.config.uploads_folder();
    if uploads.is_none() && manifest.uploads == UploadsIn::Folder {
        return Err(NotRestored::Refused(
            "the backup has uploaded files, and the configuration names a bucket: restore with uploads.folder instead, then copy that folder to the bucket"
                .into(),
        ));
    }
    let target = match kind {
        DatabaseKind::Sqlite => Target::Sqlite(sqlite::Target::open(plan, &database)?),
        DatabaseKind::Postgres => Target::Postgres(postgres::Target::open(plan, &manifest).await?),
    };
    // The files are there before a record names them.
    if let Some(uploads) = uploads {
        restore_uploads(plan, &manifest, &uploads).await?;
    }
    let (former, report) = match target {
        Target::Sqlite(target) => target.restore(plan, &manifest).await?,
        Target::Postgres(target) => target.restore(plan, &manifest).await?,
    };
    Ok(Restored { manifest, former, report })
}

/// A database that may be written.
enum Target {
    Sqlite(sqlite::Target),
    Postgres(postgres::Target),
}

/// The key, where the files are sealed.
fn opening(manifest: &Manifest, secrets: &Secrets) -> Option<Secrets> {
    manifest.encrypted.then(|| secrets.clone())
}

/// Looks at a restored database as of the moment of its backup: what came due since then is not its fault. The statements of
/// this program do not fit an older schema; the next start brings that up to date.
async fn examine(
    config: &DbConfig,
    manifest: &Manifest,
    plan: &Plan<'_>,
) -> Result<Option<DoctorReport>, NotRestored> {
    if manifest.schema_version < open::newest_migration() {
        return Ok(None);
    }
    let db = Db::connect(config).await.map_err(|error| error.to_string())?;
    let report = doctor::whole(&db, Some(plan.secrets), manifest.created_at).await;
    db.close().await;
    let report = report.map_err(|error| error.report("").message)?;
    if report.healthy || plan.accept_findings {
        return Ok(Some(report));
    }
    Err(NotRestored::Findings(Box::new(report)))
}

async fn restore_uploads(plan: &Plan<'_>, manifest: &Manifest, uploads: &Path) -> Result<(), String> {
    let (folder, uploads) = (plan.folder.to_owned(), uploads.to_owned());
    let (manifest, secrets) = (manifest.clone(), opening(manifest, plan.secrets));
    blocking(move || {
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

/// Writes one file. One of the same name is replaced: it can only be the same, or damaged.
fn restore_upload(folder: &Path, path: &str, to: &Path, secrets: Option<&Secrets>) -> std::io::Result<()> {
    let parent = to.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)?;
    let mut part = tempfile::Builder::new().prefix(".").suffix(".partial").tempfile_in(parent)?;
    stream::fetch(&folder.join(path), part.as_file_mut(), path, secrets)?;
    part.as_file_mut().flush()?;
    part.as_file().sync_all()?;
    part.persist(to).map_err(|error| error.error)?;
    backup::sync_folder(parent)
}
