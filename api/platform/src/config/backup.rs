//! Configuration of backups: the schedule of the server's own backups, and the options of all backups.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Backups.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Backup {
    /// The folder of the backups that the server makes by itself; it makes none when absent.
    pub folder: Option<PathBuf>,
    /// Hours from one backup to the next.
    pub every_hours: u32,
    /// Days that a backup is kept.
    pub keep_days: u32,
    /// How many of the newest backups are kept regardless of their age.
    pub keep_last: usize,
    /// Whether files are sealed with the panel's key.
    pub encrypt: bool,
    /// The folder of `pg_dump`, `pg_restore` and `psql`.
    pub postgres_tools: Option<PathBuf>,
}

impl Default for Backup {
    fn default() -> Self {
        Self {
            folder: None,
            every_hours: 24,
            keep_days: 30,
            keep_last: 7,
            encrypt: false,
            postgres_tools: None,
        }
    }
}

impl Backup {
    /// The time from one backup to the next.
    #[must_use]
    pub fn interval(&self) -> Duration {
        Duration::from_hours(u64::from(self.every_hours))
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if !(1..=744).contains(&self.every_hours) {
            return Err("configuration: backup.every_hours must be 1 to 744".into());
        }
        if !(1..=3_650).contains(&self.keep_days) {
            return Err("configuration: backup.keep_days must be 1 to 3650".into());
        }
        if !(1..=1_000).contains(&self.keep_last) {
            return Err("configuration: backup.keep_last must be 1 to 1000".into());
        }
        Ok(())
    }
}
