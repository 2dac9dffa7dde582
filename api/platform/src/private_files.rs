//! Keeps the panel's files from other users of the machine, whatever the umask of the process that started it: folders 0700,
//! files 0600. It never opens a file wider than it was, and never follows a symbolic link inside the data folder.
//!
//! What lies below a folder of 0700 is out of reach, so a start looks at the data folder's own files and folders only, and
//! takes as long with a million images as with none.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::Mode;

use crate::config::Config;

/// The bits of a mode that open a file to other users.
const OTHERS: u32 = 0o077;

/// From now on the process makes files and folders that only its own user can open, temporary ones and SQLite's too.
pub fn restrict_new_files() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// Makes the data folder where there is none, and closes to others what lies in it from before. What cannot be closed, as it
/// belongs to another user, is a warning in the log.
pub fn restrict(config: &Config) -> Result<(), String> {
    let data = &config.data_dir;
    let named = |error: io::Error| format!("{}: {error}", data.display());
    if !data.exists() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(data).map_err(named)?;
    }
    close_logged(data);
    for entry in fs::read_dir(data).map_err(named)? {
        close_logged(&entry.map_err(named)?.path());
    }
    // Elsewhere the folder of files may be shared with other programs; the folder of documents never is.
    if let Some(private) = config.uploads_folder().map(|uploads| uploads.join("private"))
        && private.exists()
    {
        close_logged(&private);
    }
    Ok(())
}

fn close_logged(path: &Path) {
    if let Err(error) = close(path) {
        tracing::warn!(
            path = %path.display(),
            %error,
            "failed to keep a file from other users; run the panel as the user that owns it, or change its mode to 0600 (folders: 0700)"
        );
    }
}

/// Takes the file's mode for others away. A symbolic link has no mode of its own.
fn close(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        // SQLite and others remove their files while the panel starts.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    let mode = found.permissions().mode();
    if found.is_symlink() || mode & OTHERS == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o7777 & !OTHERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_from_before_are_closed_and_links_are_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("deep/data");
        let config = Config { data_dir: data.clone(), ..Config::default() };
        restrict(&config).unwrap();
        assert_eq!(mode(&data), 0o700);
        fs::set_permissions(&data, fs::Permissions::from_mode(0o775)).unwrap();
        let elsewhere = home.path().join("elsewhere");
        fs::write(&elsewhere, "").unwrap();
        fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o644)).unwrap();
        std::os::unix::fs::symlink(&elsewhere, data.join("link")).unwrap();
        fs::create_dir_all(data.join("uploads/private")).unwrap();
        for (name, before) in [("panel.db", 0o666), ("panel.db-wal", 0o644), ("secret.key", 0o440)] {
            fs::write(data.join(name), "").unwrap();
            fs::set_permissions(data.join(name), fs::Permissions::from_mode(before)).unwrap();
        }
        for folder in ["uploads", "uploads/private"] {
            fs::set_permissions(data.join(folder), fs::Permissions::from_mode(0o755)).unwrap();
        }
        restrict(&config).unwrap();
        for (name, after) in [
            ("", 0o700),
            ("panel.db", 0o600),
            ("panel.db-wal", 0o600),
            ("secret.key", 0o400),
            ("uploads", 0o700),
            ("uploads/private", 0o700),
        ] {
            assert_eq!(mode(&data.join(name)), after, "{name}");
        }
        assert_eq!(mode(&elsewhere), 0o644);
    }

    #[test]
    fn what_cannot_be_closed_is_an_error_of_its_own() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(close(&file.join("below a file")).is_err());
        assert!(close(&home.path().join("gone meanwhile")).is_ok());
    }
}
