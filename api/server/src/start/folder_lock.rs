//! The lock of a data folder with SQLite: one process writes there. PostgreSQL serves many processes and needs none.
//!
//! The kernel holds the lock for the life of the process, so a crash leaves nothing to clean up. The file's text, the
//! number of the process, only serves the sentence of a refusal and never decides anything. `backup` and `doctor` read and
//! take no lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use panel_platform::config::Config;

/// The name of the file in the data folder.
const NAME: &str = "panel.lock";

/// Held as long as this process may write to the folder's database.
#[must_use = "the lock ends when this is dropped"]
#[derive(Debug)]
pub struct FolderLock(Option<File>);

impl Drop for FolderLock {
    /// A program that another thread starts at this moment has a copy of the descriptor until it runs, and closing ours
    /// would leave the lock to that copy.
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            // The kernel ends a lock that cannot be given back with the process.
            drop(file.unlock());
        }
    }
}

/// Takes the folder for this process, or says which process has it.
pub fn take(config: &Config) -> Result<FolderLock, String> {
    if config.database_url.is_some() {
        return Ok(FolderLock(None));
    }
    let folder = &config.data_dir;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = folder.join(NAME);
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // Without a number the sentence is still true.
            drop(file.read_to_string(&mut holder));
            return Err(format!(
                "{}: another panel-server{} uses this folder. Stop it first, or set another data_dir. Only `backup` and `doctor` work beside it.",
                folder.display(),
                holder.trim().parse::<u32>().map_or_else(|_| String::new(), |id| format!(" (process {id})")),
            ));
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .map_err(failed)?;
    Ok(FolderLock(Some(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_has_the_folder_until_it_ends() {
        let home = tempfile::tempdir().unwrap();
        let config = Config { data_dir: home.path().join("data"), ..Config::default() };
        let lock = take(&config).unwrap();
        let refused = take(&config).unwrap_err();
        assert!(refused.contains(&format!("(process {})", std::process::id())), "{refused}");
        drop(lock);
        drop(take(&config).unwrap());
    }

    #[test]
    fn a_copy_of_the_descriptor_does_not_outlast_the_lock() {
        let home = tempfile::tempdir().unwrap();
        let config = Config { data_dir: home.path().into(), ..Config::default() };
        let lock = take(&config).unwrap();
        let _copy = lock.0.as_ref().unwrap().try_clone().unwrap();
        drop(lock);
        drop(take(&config).unwrap());
    }

    #[test]
    fn postgres_needs_no_lock() {
        let home = tempfile::tempdir().unwrap();
        let url = Some("postgres://panel@db/panel".to_owned());
        let config = Config { data_dir: home.path().into(), database_url: url, ..Config::default() };
        let _first = take(&config).unwrap();
        let _second = take(&config).unwrap();
        assert!(!home.path().join(NAME).exists());
    }
}
