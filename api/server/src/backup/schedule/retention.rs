//! Removes old scheduled backups: only complete ones, never the newest, and never anything else in the folder. A failed removal
//! is logged and tried again after the next backup.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use panel_contract::moment::{DAY, Time};

use crate::backup::manifest::{BackupOrigin, Manifest};
use crate::backup::time_stamp;
use panel_platform::config::BackupConfig;

/// Prefix of the names of scheduled backups.
pub const BACKUP_PREFIX: &str = "panel-";
/// Suffix of backups that are being removed.
const DELETING_SUFFIX: &str = ".deleting";
/// Suffix of incomplete backups.
const PARTIAL_SUFFIX: &str = ".partial";
/// An incomplete backup older than this was left by a process that died.
const MAX_BACKUP_DURATION: Duration = DAY;

/// Creates the folder, readable by its owner only, and removes leftovers of dead processes.
pub fn prepare_folder(folder: &Path, now: Time) -> Result<(), String> {
    use std::os::unix::fs::DirBuilderExt as _;
    let with_path = |error: io::Error| format!("{}: {error}", folder.display());
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(with_path)?;
    let abandoned_before = time_stamp(now.minus(MAX_BACKUP_DURATION));
    for (name, path) in list_entries(folder).map_err(with_path)? {
        let Some(name_suffix) = name.strip_prefix('.').and_then(|name| name.strip_prefix(BACKUP_PREFIX))
        else {
            continue;
        };
        let is_abandoned = name_suffix
            .get(..abandoned_before.len())
            .is_some_and(|time_stamp| time_stamp < abandoned_before.as_str());
        if name.ends_with(DELETING_SUFFIX) || (name.ends_with(PARTIAL_SUFFIX) && is_abandoned) {
            remove_folder(&path);
        }
    }
    Ok(())
}

/// Removes scheduled backups beyond the configured retention.
pub fn remove_expired_backups(folder: &Path, config: &BackupConfig, now: Time) -> Result<(), String> {
    let with_path = |error: io::Error| format!("{}: {error}", folder.display());
    let mut backups: Vec<(Time, PathBuf)> = list_entries(folder)
        .map_err(with_path)?
        .into_iter()
        .filter(|(name, _)| name.starts_with(BACKUP_PREFIX))
        .filter_map(|(_, path)| Some((Manifest::read(&path).ok()?, path)))
        .filter(|(manifest, _)| manifest.origin == BackupOrigin::Schedule)
        .map(|(manifest, path)| (manifest.created_at, path))
        .collect();
    backups.sort();
    let times: Vec<Time> = backups.iter().map(|(time, _)| *time).collect();
    for (_, path) in backups.drain(..count_expired(&times, config, now)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Renamed first, so that a half-removed folder never looks like a backup.
        let hidden_path = folder.join(format!(".{name}{DELETING_SUFFIX}"));
        match std::fs::rename(&path, &hidden_path) {
            Ok(()) => remove_folder(&hidden_path),
            Err(error) => tracing::warn!(folder = %path.display(), %error, "failed to remove an old backup"),
        }
    }
    Ok(())
}

/// Counts the oldest backups that have expired; `times` is sorted.
fn count_expired(times: &[Time], config: &BackupConfig, now: Time) -> usize {
    let retention_start = now.minus(DAY * config.keep_days);
    let expired_by_age = times.iter().take_while(|time| **time < retention_start).count();
    expired_by_age.min(times.len().saturating_sub(config.keep_last.max(1)))
}

fn list_entries(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())))
        .collect()
}

fn remove_folder(path: &Path) {
    if let Err(error) = std::fs::remove_dir_all(path) {
        tracing::warn!(folder = %path.display(), %error, "failed to remove an old backup");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_newest_and_recent_backups() {
        let config = BackupConfig { keep_days: 10, keep_last: 2, ..BackupConfig::default() };
        let day = |days: u32| Time(0).plus(DAY * days);
        let count_expired = |days: &[u32]| {
            let times: Vec<Time> = days.iter().map(|days| day(*days)).collect();
            count_expired(&times, &config, day(100))
        };
        assert_eq!(count_expired(&[]), 0);
        assert_eq!(count_expired(&[1]), 0, "never the newest");
        assert_eq!(count_expired(&[1, 2]), 0, "the last two stay");
        assert_eq!(count_expired(&[1, 2, 3]), 1);
        assert_eq!(count_expired(&[1, 2, 90, 91]), 2);
        assert_eq!(count_expired(&[90, 91, 92, 93]), 0, "recent backups stay");
    }
}
