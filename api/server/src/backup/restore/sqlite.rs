//! Restores SQLite: into a file beside the database, which gets the database's name once it is complete, checked and synced to
//! disk.
//!
//! The database's name always exists: a server that starts meanwhile would otherwise create an empty one.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use panel_contract::system::DoctorReport;
use sqlx::ConnectOptions as _;
use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnectOptions;
use tempfile::TempDir;

use super::{RestoreError, RestorePlan, decryption_key, run_doctor};
use crate::backup::create::run_blocking;
use crate::backup::manifest::{DatabaseKind, Manifest};
use crate::backup::{stream, time_stamp};
use panel_platform::db::{DbConfig, backup};

/// Suffixes of the files that SQLite creates beside a database.
const SIDECAR_SUFFIXES: [&str; 2] = ["-wal", "-shm"];

/// The database's file and the temporary folder for the new one.
pub(super) struct SqliteTarget {
    config: DbConfig,
    temporary_folder: TempDir,
}

impl SqliteTarget {
    pub(super) fn open(plan: &RestorePlan<'_>, config: &DbConfig) -> Result<Self, RestoreError> {
        if config.path.exists() && !plan.replace {
            return Err(RestoreError::PreconditionFailed(format!(
                "{}: a database already exists; use --replace to rename it and restore the backup in its place",
                config.path.display()
            )));
        }
        let folder = config.path.parent().unwrap_or(Path::new("."));
        let temporary_folder = tempfile::Builder::new()
            .prefix(".restore.")
            .suffix(".partial")
            .permissions(backup::owner_only_permissions())
            .tempdir_in(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { config: config.clone(), temporary_folder })
    }

    pub(super) async fn restore(
        self,
        plan: &RestorePlan<'_>,
        manifest: &Manifest,
    ) -> Result<(Option<String>, Option<DoctorReport>), RestoreError> {
        let file = self.temporary_folder.path().join("panel.db");
        let (backup_folder, target) = (plan.folder.to_owned(), file.clone());
        let secrets = decryption_key(manifest, plan.secrets);
        run_blocking(move || {
            write_database(&backup_folder, &target, secrets.as_ref())
                .map_err(|error| format!("{}: {error}", target.display()))
        })
        .await?;
        backup::check(&file).await.map_err(|error| error.to_string())?;
        let restored_config = DbConfig { path: file.clone(), ..self.config.clone() };
        let report = run_doctor(&restored_config, manifest, plan).await?;
        checkpoint_journal(&file).await.map_err(|error| format!("{}: {error}", file.display()))?;
        // A damaged database has no checkpoint: its journal is renamed with it.
        drop(checkpoint_journal(&self.config.path).await);
        let (path, former) =
            (self.config.path.clone(), former_path(&self.config.path, &time_stamp(plan.now)));
        let former = run_blocking(move || {
            replace_database(&file, &path, &former).map_err(|error| format!("{}: {error}", path.display()))
        })
        .await?;
        Ok((former.map(|path| path.display().to_string()), report))
    }
}

fn write_database(
    folder: &Path,
    target: &Path,
    secrets: Option<&panel_platform::secrets::Secrets>,
) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let path = DatabaseKind::Sqlite.file_name();
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(target)?;
    stream::extract_file(&folder.join(path), &mut file, path, secrets)?;
    file.flush()?;
    file.sync_all()
}

/// Writes the journal back into the database file, so that the file alone is complete.
async fn checkpoint_journal(file: &Path) -> Result<(), sqlx::Error> {
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(false);
    let mut connection = options.connect().await?;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut connection).await?;
    connection.close().await
}

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn former_path(path: &Path, time_stamp: &str) -> PathBuf {
    with_suffix(path, &format!(".before-restore-{time_stamp}"))
}

/// Renames the former database and the new one, and returns the new path of the former.
fn replace_database(new_database: &Path, path: &Path, former: &Path) -> std::io::Result<Option<PathBuf>> {
    let exists = path.exists();
    if exists {
        if former.exists() {
            return Err(std::io::Error::other(format!("{} already exists", former.display())));
        }
        for suffix in SIDECAR_SUFFIXES {
            let file = with_suffix(path, suffix);
            if file.exists() {
                std::fs::rename(&file, with_suffix(former, suffix))?;
            }
        }
        // A hard link, so that the first name always exists; not every file system has hard links.
        if std::fs::hard_link(path, former).is_err() {
            std::fs::rename(path, former)?;
        }
    }
    std::fs::File::open(new_database)?.sync_all()?;
    std::fs::rename(new_database, path)?;
    backup::sync_folder(path.parent().unwrap_or(Path::new(".")))?;
    Ok(exists.then(|| former.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_former_database_is_renamed_with_its_journal() {
        let temp_dir = tempfile::tempdir().unwrap();
        let path_of = |name: &str| temp_dir.path().join(name);
        for (name, text) in [("panel.db", "old"), ("panel.db-wal", "journal"), ("new", "new")] {
            std::fs::write(path_of(name), text).unwrap();
        }
        let former = former_path(&path_of("panel.db"), "x");
        assert_eq!(
            replace_database(&path_of("new"), &path_of("panel.db"), &former).unwrap(),
            Some(former.clone())
        );
        let read_text = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert_eq!((read_text(&path_of("panel.db")), read_text(&former)), ("new".into(), "old".into()));
        assert_eq!(read_text(&path_of("panel.db.before-restore-x-wal")), "journal");
        assert!(!path_of("panel.db-wal").exists());

        std::fs::write(path_of("new"), "newer").unwrap();
        assert!(replace_database(&path_of("new"), &path_of("panel.db"), &former).is_err());
        assert_eq!(read_text(&path_of("panel.db")), "new", "nothing is overwritten");
    }
}
