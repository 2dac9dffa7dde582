//! The lock of a data folder with SQLite, which only one process may write to. PostgreSQL serves many processes and needs no lock.
//!
//! The kernel holds the lock for the life of the process, so a crash leaves nothing to clean up. The file contains the process
//! id, which only appears in the error message. `backup` and `doctor` only read and need no lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use panel_platform::config::Config;

/// Name of the lock file in the data folder.
const LOCK_FILE_NAME: &str = "panel.lock";

/// Held while this process may write to the folder's database.
#[must_use = "dropping this releases the lock"]
#[derive(Debug)]
pub struct FolderLock(Option<File>);

impl Drop for FolderLock {
    /// Unlocks explicitly: a child process that another thread is just starting has a copy of the descriptor, and closing ours
    /// alone would leave the lock with that copy.
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            // If unlocking fails, the kernel releases the lock when the process ends.
            drop(file.unlock());
        }
    }
}

/// Locks the folder for this process. The error names the process that has the lock.
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
            // The message is also correct without the process id.
            drop(file.read_to_string(&mut holder_process_id));
            return Err(format!(
                "{}: another panel-server{} uses this folder. Stop it first, or set another data_dir. Only `backup` and `doctor` can run beside it.",
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
    fn one_process_holds_the_lock_until_it_ends() {
        let temp_dir = tempfile::tempdir().unwrap();
        let config = Config { data_dir: temp_dir.path().join("data"), ..Config::default() };
        let lock = acquire(&config).unwrap();
        let refused = acquire(&config).unwrap_err();
        assert!(refused.contains(&format!("(process {})", std::process::id())), "{refused}");
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
