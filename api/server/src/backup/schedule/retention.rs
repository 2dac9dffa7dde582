//! Removes old scheduled backups: only complete ones, never the newest, and never anything else in the folder. A failed removal
//! is logged and tried again after the next backup.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use panel_contract::moment::{DAY, Time};

use crate::backup::manifest::{BackupOrigin, Manifest};
use crate::backup::stamp;
use panel_platform::config::Backup;

/// Prefix of the names of scheduled backups.
pub const PREFIX: &str = "panel-";
/// Suffix of backups that are being removed.
const REMOVING: &str = ".deleting";
/// Suffix of incomplete backups.
const PARTIAL: &str = ".partial";
/// An incomplete backup older than this was left by a process that died.
const LONGEST_BACKUP: Duration = DAY;

/// Creates the folder, readable by its owner only, and removes leftovers of dead processes.
pub fn prepare(folder: &Path, now: Time) -> Result<(), String> {
    use std::os::unix::fs::DirBuilderExt as _;
    let failed = |error: io::Error| format!("{}: {error}", folder.display());
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let yesterday = stamp(now.before(LONGEST_BACKUP));
    for (name, path) in entries(folder).map_err(failed)? {
        let Some(rest) = name.strip_prefix('.').and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let is_old = rest.get(..yesterday.len()).is_some_and(|stamp| stamp < yesterday.as_str());
        if name.ends_with(REMOVING) || (name.ends_with(PARTIAL) && is_old) {
            remove(&path);
        }
    }
    Ok(())
}

/// Removes scheduled backups beyond the configured retention.
pub fn prune(folder: &Path, config: &Backup, now: Time) -> Result<(), String> {
    let failed = |error: io::Error| format!("{}: {error}", folder.display());
    let mut made: Vec<(Time, PathBuf)> = entries(folder)
        .map_err(failed)?
        .into_iter()
        .filter(|(name, _)| name.starts_with(PREFIX))
        .filter_map(|(_, path)| Some((Manifest::read(&path).ok()?, path)))
        .filter(|(manifest, _)| manifest.made_by == BackupOrigin::Schedule)
        .map(|(manifest, path)| (manifest.created_at, path))
        .collect();
    made.sort();
    let times: Vec<Time> = made.iter().map(|(time, _)| *time).collect();
    for (_, path) in made.drain(..expired(&times, config, now)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Renamed first, so that a half-removed folder never looks like a backup.
        let hidden = folder.join(format!(".{name}{REMOVING}"));
        match std::fs::rename(&path, &hidden) {
            Ok(()) => remove(&hidden),
            Err(error) => tracing::warn!(folder = %path.display(), %error, "failed to remove an old backup"),
        }
    }
    Ok(())
}

/// How many of the oldest backups expire; `times` is sorted.
fn expired(times: &[Time], config: &Backup, now: Time) -> usize {
    let oldest_kept = now.before(DAY * config.keep_days);
    let by_age = times.iter().take_while(|time| **time < oldest_kept).count();
    by_age.min(times.len().saturating_sub(config.keep_last.max(1)))
}

fn entries(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())))
        .collect()
}

fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_dir_all(path) {
        tracing::warn!(folder = %path.display(), %error, "failed to remove an old backup");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_newest_and_recent_backups() {
        let config = Backup { keep_days: 10, keep_last: 2, ..Backup::default() };
        let day = |days: u32| Time(0).after(DAY * days);
        let expired = |days: &[u32]| {
            let times: Vec<Time> = days.iter().map(|days| day(*days)).collect();
            expired(&times, &config, day(100))
        };
        assert_eq!(expired(&[]), 0);
        assert_eq!(expired(&[1]), 0, "never the newest");
        assert_eq!(expired(&[1, 2]), 0, "the last two stay");
        assert_eq!(expired(&[1, 2, 3]), 1);
        assert_eq!(expired(&[1, 2, 90, 91]), 2);
        assert_eq!(expired(&[90, 91, 92, 93]), 0, "young");
    }
}
