//! The lock of a data folder with SQLite: only one process may write to the folder. PostgreSQL serves many processes and needs no
//! lock.
//!
//! The kernel releases the lock when the process exits, also after a crash. The lock file contains the process id for the error
//! message. `backup` and `doctor` only read and need no lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use panel_platform::config::Config;

/// Name of the lock file in the data folder.
const LOCK_FILE_NAME: &str = "panel.lock";

/// While this process holds the lock, it may write to the folder's database.
#[must_use = "dropping this releases the lock"]
#[derive(Debug)]
pub struct FolderLock(Option<File>);

impl Drop for FolderLock {
    /// Unlocks explicitly. A child process that another thread is starting at this moment has a copy of the file descriptor; if
    /// this process only closed its own descriptor, the copy would hold the lock.
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            // If unlocking fails, the kernel releases the lock when the process exits.
            drop(file.unlock());
        }
    }
}

/// Locks the folder for this process. The error names the process that holds the lock.
pub fn acquire(config: &Config) -> Result<FolderLock, String> {
    if config.database_url.is_some() {
        return Ok(FolderLock(None));
    }
    let folder = &config.data_dir;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = folder.join(LOCK_FILE_NAME);
    let with_path = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(with_path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder_process_id = String::new();
            // Without the process id, the message only names the folder.
            drop(file.read_to_string(&mut holder_process_id));
            return Err(format!(
                "{}: another panel-server{} uses this folder. Stop that process, or set another data_dir. Only `backup` and `doctor` can run at the same time.",
                folder.display(),
                holder_process_id
                    .trim()
                    .parse::<u32>()
                    .map_or_else(|_| String::new(), |id| format!(" (process {id})")),
            ));
        }
        Err(TryLockError::Error(error)) => return Err(with_path(error)),
    }
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .map_err(with_path)?;
    Ok(FolderLock(Some(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_holds_the_lock_until_it_releases_it() {
        let temp_dir = tempfile::tempdir().unwrap();
        let config = Config { data_dir: temp_dir.path().join("data"), ..Config::default() };
        let lock = acquire(&config).unwrap();
        let error = acquire(&config).unwrap_err();
        assert!(error.contains(&format!("(process {})", std::process::id())), "{error}");
        drop(lock);
        drop(acquire(&config).unwrap());
    }

    #[test]
    fn a_copy_of_the_descriptor_does_not_outlast_the_lock() {
        let temp_dir = tempfile::tempdir().unwrap();
        let config = Config { data_dir: temp_dir.path().into(), ..Config::default() };
        let lock = acquire(&config).unwrap();
        let _copy = lock.0.as_ref().unwrap().try_clone().unwrap();
        drop(lock);
        drop(acquire(&config).unwrap());
    }

    #[test]
    fn postgres_needs_no_lock() {
        let temp_dir = tempfile::tempdir().unwrap();
        let url = Some("postgres://panel@db/panel".to_owned());
        let config = Config { data_dir: temp_dir.path().into(), database_url: url, ..Config::default() };
        let _first = acquire(&config).unwrap();
        let _second = acquire(&config).unwrap();
        assert!(!temp_dir.path().join(LOCK_FILE_NAME).exists());
    }
}
