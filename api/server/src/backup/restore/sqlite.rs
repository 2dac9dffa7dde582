//! Restores SQLite: into a file beside the database, which takes its name once it is whole, examined and on the disk.
//!
//! The database's name is never free in between: a server that starts then would make an empty one.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use panel_contract::system::DoctorReport;
use sqlx::ConnectOptions as _;
use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnectOptions;
use tempfile::TempDir;

use super::{NotRestored, Plan, examine, opening};
use crate::backup::create::blocking;
use crate::backup::manifest::{DatabaseKind, Manifest};
use crate::backup::{stamp, stream};
use panel_platform::db::{DbConfig, backup};

/// Files that SQLite keeps beside a database.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// The place of the database.
pub(super) struct Target {
    config: DbConfig,
    part: TempDir,
}

impl Target {
    pub(super) fn open(plan: &Plan<'_>, config: &DbConfig) -> Result<Self, NotRestored> {
        if config.path.exists() && !plan.replace {
            return Err(NotRestored::Refused(format!(
                "{}: there is a database already; with --replace the backup takes its place, and the database is renamed",
                config.path.display()
            )));
        }
        let folder = config.path.parent().unwrap_or(Path::new("."));
        let part = tempfile::Builder::new()
            .prefix(".restore.")
            .suffix(".partial")
            .permissions(backup::owner_only())
            .tempdir_in(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { config: config.clone(), part })
    }

    pub(super) async fn restore(
        self,
        plan: &Plan<'_>,
        manifest: &Manifest,
    ) -> Result<(Option<String>, Option<DoctorReport>), NotRestored> {
        let file = self.part.path().join("panel.db");
        let (from, to) = (plan.folder.to_owned(), file.clone());
        let secrets = opening(manifest, plan.secrets);
        blocking(move || {
            write(&from, &to, secrets.as_ref()).map_err(|error| format!("{}: {error}", to.display()))
        })
        .await?;
        backup::check(&file).await.map_err(|error| error.to_string())?;
        let restored = DbConfig { path: file.clone(), ..self.config.clone() };
        let report = examine(&restored, manifest, plan).await?;
        fold_journal(&file).await.map_err(|error| format!("{}: {error}", file.display()))?;
        // What is damaged cannot be folded: its journal goes aside with it.
        drop(fold_journal(&self.config.path).await);
        let (path, aside) = (self.config.path.clone(), aside(&self.config.path, &stamp(plan.now)));
        let former = blocking(move || {
            put_in_place(&file, &path, &aside).map_err(|error| format!("{}: {error}", path.display()))
        })
        .await?;
        Ok((former.map(|path| path.display().to_string()), report))
    }
}

fn write(
    folder: &Path,
    to: &Path,
    secrets: Option<&panel_platform::secrets::Secrets>,
) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let path = DatabaseKind::Sqlite.file();
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    stream::fetch(&folder.join(path), &mut file, path, secrets)?;
    file.flush()?;
    file.sync_all()
}

/// Writes the journal of a database back into its file, so that the file alone is the whole database.
async fn fold_journal(file: &Path) -> Result<(), sqlx::Error> {
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(false);
    let mut connection = options.connect().await?;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut connection).await?;
    connection.close().await
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn aside(path: &Path, stamp: &str) -> PathBuf {
    beside(path, &format!(".before-restore-{stamp}"))
}

/// Gives the database its name; where the former one is now.
fn put_in_place(new: &Path, path: &Path, aside: &Path) -> std::io::Result<Option<PathBuf>> {
    let is_there = path.exists();
    if is_there {
        if aside.exists() {
            return Err(std::io::Error::other(format!("{} is in the way", aside.display())));
        }
        for suffix in BESIDE {
            let file = beside(path, suffix);
            if file.exists() {
                std::fs::rename(&file, beside(aside, suffix))?;
            }
        }
        // A second name, so that the first is never free; not every file system has them.
        if std::fs::hard_link(path, aside).is_err() {
            std::fs::rename(path, aside)?;
        }
    }
    std::fs::File::open(new)?.sync_all()?;
    std::fs::rename(new, path)?;
    backup::sync_folder(path.parent().unwrap_or(Path::new(".")))?;
    Ok(is_there.then(|| aside.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_former_database_goes_aside_with_its_journal() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for (name, text) in [("panel.db", "old"), ("panel.db-wal", "journal"), ("new", "new")] {
            std::fs::write(at(name), text).unwrap();
        }
        let former = aside(&at("panel.db"), "x");
        assert_eq!(put_in_place(&at("new"), &at("panel.db"), &former).unwrap(), Some(former.clone()));
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert_eq!((read(&at("panel.db")), read(&former)), ("new".into(), "old".into()));
        assert_eq!(read(&at("panel.db.before-restore-x-wal")), "journal");
        assert!(!at("panel.db-wal").exists());

        std::fs::write(at("new"), "newer").unwrap();
        assert!(put_in_place(&at("new"), &at("panel.db"), &former).is_err());
        assert_eq!(read(&at("panel.db")), "new", "nothing is overwritten");
    }
}
