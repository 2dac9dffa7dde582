//! Configuration of the scheduled backups of the server, and options of all backups.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BackupConfig {
    /// The folder of the scheduled backups; `None` disables them.
    pub folder: Option<PathBuf>,
    /// Hours from one backup to the next.
    pub every_hours: u32,
    /// Days after which the server deletes a backup.
    pub keep_days: u32,
    /// How many of the newest backups the server never deletes.
    pub keep_last: usize,
    /// Whether backups are encrypted with the key that seals secrets.
    pub encrypt: bool,
    /// The folder of `pg_dump`, `pg_restore` and `psql`.
    pub postgres_tools: Option<PathBuf>,
}

impl Default for BackupConfig {
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

impl BackupConfig {
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
