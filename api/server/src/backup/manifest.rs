//! The manifest of a backup: `manifest.json` in its folder. It is written last and sealed with the panel's key. A folder
//! without it is not a backup, and changed, missing and added files are detected before anything is restored.
//!
//! The data of a backup is untrusted: nothing in it is used before its seal is verified, and no path may lead out of its folder.

use std::io::Read as _;
use std::path::Path;

use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::backup::stream;
use panel_platform::db::sql::hex;
use panel_platform::db::{Dialect, open};
use panel_platform::secrets::Secrets;

/// File name of the manifest.
pub const MANIFEST_NAME: &str = "manifest.json";
/// The format that this program writes and reads.
const FORMAT: u32 = 1;
/// Maximum size of a manifest in bytes: enough for about two million files.
const MAX_MANIFEST_BYTES: u64 = 512 << 20;
/// Folders of uploads in a backup.
const UPLOAD_FOLDERS: [&str; 2] = ["uploads/private/", "uploads/public/"];

/// Kind of the copied database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseKind {
    /// A file of SQLite.
    Sqlite,
    /// An archive of `pg_dump`.
    Postgres,
}

impl DatabaseKind {
    /// Returns the file name of the database copy in a backup.
    #[must_use]
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Sqlite => "database.sqlite",
            Self::Postgres => "database.pgdump",
        }
    }

    /// Returns the name of the database system for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

impl From<Dialect> for DatabaseKind {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Sqlite => Self::Sqlite,
            Dialect::Postgres => Self::Postgres,
        }
    }
}

/// What created a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackupOrigin {
    /// `panel-server backup`.
    Command,
    /// The server's schedule. Only these backups are removed by age.
    Schedule,
}

/// Storage of the uploaded files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UploadsStorage {
    /// In a folder: the backup includes them.
    Folder,
    /// In a bucket: the backup does not include them.
    Bucket,
}

/// A file of a backup, as stored on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Path in the backup's folder, with slashes.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the stored bytes, in hexadecimal.
    pub sha256: String,
}

/// The manifest of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The format of the folder.
    pub format: u32,
    /// Version of the program that created it.
    pub program_version: String,
    /// Kind of the copied database.
    pub database: DatabaseKind,
    /// Number of the last migration.
    pub schema_version: i64,
    /// Start time of the backup.
    pub created_at: Time,
    #[serde(rename = "made_by")]
    pub origin: BackupOrigin,
    /// Whether the files are encrypted with the panel's key.
    pub encrypted: bool,
    /// Id of the panel's key for the encryption and the MAC.
    pub key_id: String,
    /// Major version of `pg_dump`; `None` for SQLite.
    pub pg_dump: Option<u32>,
    /// Where the uploaded files were.
    pub uploads: UploadsStorage,
    /// All files, by path.
    pub files: Vec<FileEntry>,
    /// MAC with the panel's key over all fields above.
    pub seal: String,
}

/// The field of a manifest that every format has.
#[derive(Deserialize)]
struct FormatVersion {
    format: u32,
}

impl Manifest {
    /// The manifest of a new backup, without files.
    #[must_use]
    pub fn new(database: DatabaseKind, schema_version: i64, created_at: Time, secrets: &Secrets) -> Self {
        Self {
            format: FORMAT,
            program_version: env!("CARGO_PKG_VERSION").into(),
            database,
            schema_version,
            created_at,
            origin: BackupOrigin::Command,
            encrypted: false,
            key_id: secrets.key_id().to_string(),
            pg_dump: None,
            uploads: UploadsStorage::Folder,
            files: Vec::new(),
            seal: String::new(),
        }
    }

    /// Total size of its files, in bytes.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    fn compute_seal(&self, secrets: &Secrets) -> Result<String, String> {
        let unsealed = Self { seal: String::new(), ..self.clone() };
        let bytes = serde_json::to_vec(&unsealed).map_err(|error| error.to_string())?;
        Ok(hex(&secrets.mac("backup_manifest", &bytes)))
    }

    /// Seals the manifest, and returns it with its JSON.
    pub fn into_sealed(mut self, secrets: &Secrets) -> Result<(Self, String), String> {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.seal = self.compute_seal(secrets)?;
        let text = serde_json::to_string_pretty(&self).map_err(|error| error.to_string())?;
        Ok((self, text))
    }

    /// Reads the manifest of the backup in `folder` without checking its seal.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join(MANIFEST_NAME);
        let with_path = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let file = std::fs::File::open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                format!("{}: this is not a complete backup: it has no {MANIFEST_NAME}", folder.display())
            }
            _ => with_path(&error),
        })?;
        let mut text = String::new();
        file.take(MAX_MANIFEST_BYTES).read_to_string(&mut text).map_err(|error| with_path(&error))?;
        let version: FormatVersion = serde_json::from_str(&text).map_err(|error| with_path(&error))?;
        if version.format != FORMAT {
            return Err(format!(
                "{}: this backup has format {}, and this program reads {FORMAT}: install the version of panel-server that created it",
                folder.display(),
                version.format
            ));
        }
        serde_json::from_str(&text).map_err(|error| with_path(&error))
    }

    /// The key that sealed the backup, if it is a current or former key of the panel.
    #[must_use]
    pub fn find_key(&self, secrets: &Secrets) -> Option<Secrets> {
        secrets.one_per_key().find(|key| key.key_id().to_string() == self.key_id)
    }

    /// Reads the manifest and checks that one of this panel's keys sealed it, that this program can restore it, and that no
    /// file was changed.
    pub fn read_verified(folder: &Path, secrets: &Secrets) -> Result<Self, String> {
        let manifest = Self::read(folder)?;
        let path = folder.display();
        let key = manifest.find_key(secrets).ok_or_else(|| {
            format!(
                "{path}: the backup belongs to another key ({}): put the secret.key from its time into data_dir, or name that key in former_secret_keys",
                manifest.key_id
            )
        })?;
        if manifest.compute_seal(&key)? != manifest.seal {
            return Err(format!("{path}: {MANIFEST_NAME} was changed after the backup was created"));
        }
        let newest_version = open::newest_migration();
        if manifest.schema_version > newest_version {
            return Err(format!(
                "{path}: panel-server {} created this backup with schema {}, and this program knows at most {newest_version}: install that version or a newer one",
                manifest.program_version, manifest.schema_version
            ));
        }
        manifest.check_files(folder)?;
        Ok(manifest)
    }

    fn check_files(&self, folder: &Path) -> Result<(), String> {
        if !self.files.iter().any(|file| file.path == self.database.file_name()) {
            return Err(format!("{}: the backup has no database", folder.display()));
        }
        for file in &self.files {
            let path = folder.join(&file.path);
            if file.path != self.database.file_name() && upload_name(&file.path).is_none() {
                return Err(format!("{MANIFEST_NAME} names a file that no backup has: {}", file.path));
            }
            let file_digest =
                stream::compute_digest(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            if file_digest.bytes != file.bytes || file_digest.sha256 != file.sha256 {
                return Err(format!("{}: the file was changed after the backup was created", path.display()));
            }
        }
        Ok(())
    }
}

/// The path of an uploaded file below the uploads folder, such as `public/abc.png`; `None` for any other path.
#[must_use]
pub fn upload_name(path: &str) -> Option<&str> {
    let folder = UPLOAD_FOLDERS.iter().find(|folder| path.starts_with(**folder))?;
    let name = &path[folder.len()..];
    let has_safe_characters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (has_safe_characters && !name.is_empty() && !name.starts_with('.')).then(|| &path["uploads/".len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_backup(folder: &Path, change: impl FnOnce(&mut Manifest)) {
        let secrets = Secrets::new(&[7; 32]);
        let mut manifest =
            Manifest::new(DatabaseKind::Sqlite, open::newest_migration(), Time(1_000_000), &secrets);
        for path in ["database.sqlite", "uploads/public/a.png"] {
            let file_path = folder.join(path);
            std::fs::create_dir_all(file_path.parent().unwrap()).unwrap();
            std::fs::write(&file_path, path).unwrap();
            let file_digest = stream::compute_digest(&file_path).unwrap();
            manifest.files.push(FileEntry {
                path: path.into(),
                bytes: file_digest.bytes,
                sha256: file_digest.sha256,
            });
        }
        change(&mut manifest);
        std::fs::write(folder.join(MANIFEST_NAME), manifest.into_sealed(&secrets).unwrap().1).unwrap();
    }

    fn read_verified(folder: &Path) -> Result<Manifest, String> {
        Manifest::read_verified(folder, &Secrets::new(&[7; 32]))
    }

    #[test]
    fn accepts_a_complete_backup_and_rejects_a_changed_one() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        assert!(read_verified(folder).unwrap_err().contains("not a complete backup"));
        write_backup(folder, |_| {});
        assert_eq!(read_verified(folder).unwrap().files.len(), 2);
        let other_key_error = Manifest::read_verified(folder, &Secrets::new(&[8; 32])).unwrap_err();
        assert!(other_key_error.contains("another key"), "{other_key_error}");

        let text = std::fs::read_to_string(folder.join(MANIFEST_NAME)).unwrap();
        std::fs::write(folder.join(MANIFEST_NAME), text.replace("\"command\"", "\"schedule\"")).unwrap();
        assert!(read_verified(folder).unwrap_err().contains("was changed"));
        std::fs::write(folder.join(MANIFEST_NAME), text.replace("\"format\": 1", "\"format\": 2")).unwrap();
        assert!(read_verified(folder).unwrap_err().contains("has format 2"));
        std::fs::write(folder.join(MANIFEST_NAME), text).unwrap();

        std::fs::write(folder.join("uploads/public/a.png"), "uploads/public/b.png").unwrap();
        assert!(read_verified(folder).unwrap_err().contains("a.png"));
        std::fs::remove_file(folder.join("uploads/public/a.png")).unwrap();
        assert!(read_verified(folder).unwrap_err().contains("a.png"));
    }

    #[test]
    fn a_newer_schema_is_rejected_with_both_numbers() {
        let home = tempfile::tempdir().unwrap();
        write_backup(home.path(), |manifest| manifest.schema_version += 5);
        let error_message = read_verified(home.path()).unwrap_err();
        let newer_version = (open::newest_migration() + 5).to_string();
        assert!(
            error_message.contains(&newer_version) && error_message.contains("install"),
            "{error_message}"
        );
    }

    #[test]
    fn rejects_paths_outside_of_the_folder() {
        assert_eq!(upload_name("uploads/private/a-b_1.webp"), Some("private/a-b_1.webp"));
        for path in [
            "uploads/public/../../x",
            "uploads/public/",
            "uploads/public/.x",
            "uploads/other/a.png",
            "/etc/passwd",
            "database.sqlite",
            "uploads/public/a/b.png",
        ] {
            assert_eq!(upload_name(path), None, "{path}");
        }
    }
}
