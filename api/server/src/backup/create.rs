//! Creates a backup: a folder that gets its final name once all of its files are complete and synced to disk. A failed or
//! interrupted backup leaves no such folder.
//!
//! The database is copied before the files: a file is stored before the record that names it and never changed, so each copied
//! record finds its file in the backup.

use std::fs::File;
use std::io::{Read, Seek as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use panel_contract::moment::Time;
use panel_kernel::random::Random;

use crate::backup::manifest::{self, BackupOrigin, DatabaseKind, FileEntry, Manifest, UploadsStorage};
use crate::backup::pg_tools::PgTools;
use crate::backup::stream::{self, Cancel, Sealing};
use panel_platform::config::Config;
use panel_platform::db::{Db, Dialect, backup, facts};
use panel_platform::secrets::Secrets;

const UPLOAD_FOLDERS: [&str; 2] = ["public", "private"];
/// Prefix of schemas that a restore left behind; they are not part of the panel.
pub(super) const FORMER_SCHEMA_PREFIX: &str = "panel_before_restore_";

/// Parameters of a backup.
pub struct BackupPlan<'a> {
    pub config: &'a Config,
    pub db: &'a Db,
    pub secrets: &'a Secrets,
    pub random: &'a Random,
    /// The new folder of the backup. It must not exist.
    pub target: &'a Path,
    /// What started the backup.
    pub origin: BackupOrigin,
    /// Whether its files are encrypted.
    pub encrypt: bool,
    pub now: Time,
}

/// Creates the backup and returns its manifest. Errors are sentences for the operator.
pub async fn create(plan: &BackupPlan<'_>) -> Result<Manifest, String> {
    let target = plan.target;
    let with_path = |error: std::io::Error| format!("{}: {error}", target.display());
    if target.exists() {
        return Err(format!("{}: a file or folder with this name already exists", target.display()));
    }
    let parent = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder_name = target.file_name().ok_or("a backup needs a name")?.to_string_lossy();
    // Only readable by its owner. It is removed unless it gets its final name below.
    let temporary_folder = tempfile::Builder::new()
        .prefix(&format!(".{folder_name}."))
        .suffix(".partial")
        .permissions(backup::owner_only_permissions())
        .tempdir_in(parent)
        .map_err(with_path)?;
    let manifest = write_contents(plan, temporary_folder.path()).await?;
    let (manifest, json) = manifest.into_sealed(plan.secrets)?;
    write_manifest(temporary_folder.path(), &json).map_err(with_path)?;
    std::fs::rename(temporary_folder.path(), target).map_err(with_path)?;
    drop(temporary_folder.keep());
    backup::sync_folder(parent).map_err(with_path)?;
    Ok(manifest)
}

async fn write_contents(plan: &BackupPlan<'_>, folder: &Path) -> Result<Manifest, String> {
    let database_kind = DatabaseKind::from(plan.db.dialect());
    let schema_version = load_schema_version(plan.db).await?;
    let mut manifest = Manifest::new(database_kind, schema_version, plan.now, plan.secrets);
    manifest.origin = plan.origin;
    manifest.encrypted = plan.encrypt;
    let sealing = plan.encrypt.then(|| Sealing::new(plan.secrets, plan.random));
    let cancel = Cancel::default();
    let _cancel_guard = cancel.on_drop();
    let writer = BackupWriter { folder: folder.to_owned(), sealing, cancel };
    let database = match plan.db.dialect() {
        Dialect::Sqlite => copy_sqlite(plan.config, writer.clone()).await?,
        Dialect::Postgres => {
            let tools = find_tools(plan.config, plan.db, 0).await?;
            manifest.pg_dump = Some(tools.version);
            copy_postgres(plan.config, tools, writer.clone()).await?
        }
    };
    manifest.files.push(database);
    if load_schema_version(plan.db).await? != schema_version {
        return Err("the database was migrated during the backup; try again".into());
    }
    match plan.config.uploads_folder() {
        None => manifest.uploads = UploadsStorage::Bucket,
        Some(uploads) => manifest.files.extend(run_blocking(move || copy_uploads(&uploads, &writer)).await?),
    }
    Ok(manifest)
}

async fn load_schema_version(db: &Db) -> Result<i64, String> {
    facts::load_facts(db).await.map(|facts| facts.migration).map_err(|error| error.to_string())
}

/// Finds PostgreSQL's programs for this database, of at least version `min_version`.
pub(super) async fn find_tools(config: &Config, db: &Db, min_version: u32) -> Result<PgTools, String> {
    let required_version =
        facts::postgres_version(db).await.map_err(|error| error.to_string())?.max(min_version);
    let configured = config.backup.postgres_tools.clone();
    run_blocking(move || PgTools::find(configured.as_deref(), required_version)).await
}

/// Runs work that waits for disks or other programs in a thread for blocking work.
pub(super) async fn run_blocking<T, F>(work: F) -> Result<T, String>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, String> + Send + 'static,
{
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?
}

/// Target and options of the copies.
#[derive(Clone)]
struct BackupWriter {
    folder: PathBuf,
    sealing: Option<Sealing>,
    cancel: Cancel,
}

impl BackupWriter {
    fn store_file(&self, source: &mut dyn Read, path: &str) -> Result<FileEntry, String> {
        let target = self.folder.join(path);
        let digest = stream::store_file(source, &target, path, self.sealing.as_ref(), &self.cancel)
            .map_err(|error| format!("{path}: {error}"))?;
        Ok(FileEntry { path: path.to_owned(), bytes: digest.bytes, sha256: digest.sha256 })
    }
}

async fn copy_sqlite(config: &Config, writer: BackupWriter) -> Result<FileEntry, String> {
    let path = DatabaseKind::Sqlite.file_name();
    let source = config.database().path;
    if writer.sealing.is_none() {
        let database_copy = writer.folder.join(path);
        backup::copy_sqlite(&source, &database_copy).await.map_err(|error| error.to_string())?;
        return run_blocking(move || {
            let digest = stream::compute_digest(&database_copy).map_err(|error| error.to_string())?;
            Ok(FileEntry { path: path.into(), bytes: digest.bytes, sha256: digest.sha256 })
        })
        .await;
    }
    // The unencrypted copy is created beside the database, never in the backup's folder.
    let temporary_folder = tempfile::Builder::new()
        .prefix(".backup.")
        .suffix(".partial")
        .permissions(backup::owner_only_permissions())
        .tempdir_in(&config.data_dir)
        .map_err(|error| format!("{}: {error}", config.data_dir.display()))?;
    let database_copy = temporary_folder.path().join(path);
    backup::copy_sqlite(&source, &database_copy).await.map_err(|error| error.to_string())?;
    run_blocking(move || {
        let mut file = File::open(temporary_folder.path().join(path)).map_err(|error| error.to_string())?;
        writer.store_file(&mut file, path)
    })
    .await
}

async fn copy_postgres(config: &Config, tools: PgTools, writer: BackupWriter) -> Result<FileEntry, String> {
    let url = config.database_url.clone().ok_or("database_url is not set")?;
    let mut error_file = tempfile::tempfile().map_err(|error| error.to_string())?;
    let mut command = tools.build_command("pg_dump", &url)?;
    command
        .args([
            "--format=custom",
            "--no-owner",
            "--no-privileges",
            "--no-password",
            "--lock-wait-timeout=60s",
        ])
        .arg(format!("--exclude-schema={FORMER_SCHEMA_PREFIX}*"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(error_file.try_clone().map_err(|error| error.to_string())?);
    let mut child = tokio::process::Command::from(command)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot start pg_dump: {error}"))?;
    let dump_output = child.stdout.take().ok_or("pg_dump has no output")?;
    let dump_output = dump_output.into_owned_fd().map_err(|error| error.to_string())?;
    // If this future is dropped, the program is killed, its output ends, and so does the thread.
    let file_entry = run_blocking(move || {
        writer.store_file(&mut File::from(dump_output), DatabaseKind::Postgres.file_name())
    })
    .await?;
    let status = child.wait().await.map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("pg_dump failed ({status}): {}", last_error_lines(&mut error_file)));
    }
    Ok(file_entry)
}

/// The last lines that a program wrote to its error file.
pub(super) fn last_error_lines(error_file: &mut File) -> String {
    let mut text = Vec::new();
    // If the file cannot be read, the message only lacks these lines.
    if error_file.rewind().is_ok() {
        drop(error_file.take(64 << 10).read_to_end(&mut text));
    }
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(5)..].join("; ")
}

fn copy_uploads(uploads: &Path, writer: &BackupWriter) -> Result<Vec<FileEntry>, String> {
    let mut files = Vec::new();
    for folder in UPLOAD_FOLDERS {
        let with_path = |error: std::io::Error| format!("{}: {error}", uploads.join(folder).display());
        let target = writer.folder.join("uploads").join(folder);
        std::fs::create_dir_all(&target).map_err(with_path)?;
        let entries = match std::fs::read_dir(uploads.join(folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(with_path(error)),
        };
        for entry in entries {
            let entry = entry.map_err(with_path)?;
            let path = format!("uploads/{folder}/{}", entry.file_name().to_string_lossy());
            // A file that is still being written has a name that `upload_name` does not accept.
            if manifest::upload_name(&path).is_none() || !entry.file_type().map_err(with_path)?.is_file() {
                continue;
            }
            match File::open(entry.path()) {
                Ok(mut file) => files.push(writer.store_file(&mut file, &path)?),
                // Deleted after the folder was read.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(with_path(error)),
            }
        }
        backup::sync_folder(&target).map_err(with_path)?;
    }
    backup::sync_folder(&writer.folder.join("uploads")).map_err(|error| error.to_string())?;
    Ok(files)
}

fn write_manifest(folder: &Path, json: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let path = folder.join(manifest::MANIFEST_NAME);
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(json.as_bytes())?;
    file.sync_all()?;
    backup::sync_folder(folder)
}
