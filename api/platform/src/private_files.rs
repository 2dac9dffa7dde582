//! Makes the panel's files private to its user, regardless of the umask of the parent process: mode 0700 for folders, 0600 for
//! files. It never adds a permission, and never follows a symbolic link inside the data folder.
//!
//! Other users cannot reach files below a folder with mode 0700. The server therefore checks only the direct children of the data
//! folder at its start, so that the start takes as long with a million images as with none.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::Mode;

use crate::config::Config;

/// The mode bits of the group and of other users.
const GROUP_AND_OTHERS: u32 = 0o077;

/// Sets the umask, so that only the panel's user can open new files and folders, also temporary ones and those of SQLite.
pub fn restrict_new_files() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// Creates the data folder if it is missing, and makes the existing files in it private. Logs a warning about a file that belongs
/// to another user, because the server cannot change its mode.
pub fn make_data_private(config: &Config) -> Result<(), String> {
    let data = &config.data_dir;
    let with_path = |error: io::Error| format!("{}: {error}", data.display());
    if !data.exists() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(data).map_err(with_path)?;
    }
    make_private_or_log(data);
    for entry in fs::read_dir(data).map_err(with_path)? {
        make_private_or_log(&entry.map_err(with_path)?.path());
    }
    // A configured uploads folder may be shared with other programs; its folder of documents is never shared.
    if let Some(private) = config.uploads_folder().map(|uploads| uploads.join("private"))
        && private.exists()
    {
        make_private_or_log(&private);
    }
    Ok(())
}

fn make_private_or_log(path: &Path) {
    if let Err(error) = make_private(path) {
        tracing::warn!(
            path = %path.display(),
            %error,
            "failed to make a file private; run the panel as the user that owns it, or change its mode to 0600 (folders: 0700)"
        );
    }
}

/// Removes the permissions of the group and of other users. Skips symbolic links, which have no mode.
fn make_private(path: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        // SQLite and other programs may remove their files during the start.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        metadata => metadata?,
    };
    let mode = metadata.permissions().mode();
    if metadata.is_symlink() || mode & GROUP_AND_OTHERS == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o7777 & !GROUP_AND_OTHERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn makes_existing_files_private_and_skips_links() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("deep/data");
        let config = Config { data_dir: data.clone(), ..Config::default() };
        make_data_private(&config).unwrap();
        assert_eq!(mode(&data), 0o700);
        fs::set_permissions(&data, fs::Permissions::from_mode(0o775)).unwrap();
        let link_target = home.path().join("elsewhere");
        fs::write(&link_target, "").unwrap();
        fs::set_permissions(&link_target, fs::Permissions::from_mode(0o644)).unwrap();
        std::os::unix::fs::symlink(&link_target, data.join("link")).unwrap();
        fs::create_dir_all(data.join("uploads/private")).unwrap();
        for (name, old_mode) in [("panel.db", 0o666), ("panel.db-wal", 0o644), ("secret.key", 0o440)] {
            fs::write(data.join(name), "").unwrap();
            fs::set_permissions(data.join(name), fs::Permissions::from_mode(old_mode)).unwrap();
        }
        for folder in ["uploads", "uploads/private"] {
            fs::set_permissions(data.join(folder), fs::Permissions::from_mode(0o755)).unwrap();
        }
        make_data_private(&config).unwrap();
        for (name, new_mode) in [
            ("", 0o700),
            ("panel.db", 0o600),
            ("panel.db-wal", 0o600),
            ("secret.key", 0o400),
            ("uploads", 0o700),
            ("uploads/private", 0o700),
        ] {
            assert_eq!(mode(&data.join(name)), new_mode, "{name}");
        }
        assert_eq!(mode(&link_target), 0o644);
    }

    #[test]
    fn an_unreachable_file_is_an_error_and_a_deleted_one_is_not() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(make_private(&file.join("below a file")).is_err());
        assert!(make_private(&home.path().join("deleted")).is_ok());
    }
}
