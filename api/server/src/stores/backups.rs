//! Stores the state of the backups as settings: when the last backup began, and how the last scheduled backup ended. The backup
//! schedule (`backup/schedule`) and the backup command write these settings; the status page and the metrics show them.

use std::time::Duration;

use panel_contract::moment::Time;
use panel_kernel::error::Result;
use panel_platform::db::SqlExecutor;
use panel_platform::platform::Platform;
use panel_platform::settings;
use serde::{Deserialize, Serialize};

/// Key of the setting that holds the start time of the last complete backup.
pub const LAST_BACKUP_SETTING: &str = "last_backup_at";
/// Key of the setting that holds the [`ScheduleState`].
pub const SCHEDULE_STATE_SETTING: &str = "backup_schedule";
/// Delay before a failed backup is retried.
const RETRY_DELAY: Duration = Duration::from_mins(15);

/// State of the backup schedule. Only the process that holds the lease writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScheduleState {
    /// When the first scheduled backup was attempted.
    #[serde(rename = "since")]
    pub started_at: Option<Time>,
    /// When the last complete scheduled backup began.
    pub succeeded_at: Option<Time>,
    /// When the last scheduled backup failed; `None` if it succeeded.
    pub failed_at: Option<Time>,
    /// Why the last scheduled backup failed.
    pub error: Option<String>,
}

impl ScheduleState {
    /// Whether a backup is due. Ignores a stored time in the future, because the clock may have been set back.
    #[must_use]
    pub fn is_due(&self, interval: Duration, now: Time) -> bool {
        let has_elapsed = |time: Option<Time>, span: Duration| {
            time.is_none_or(|time| time.plus(span) <= now || time > now.plus(span))
        };
        has_elapsed(self.succeeded_at, interval) && has_elapsed(self.failed_at, RETRY_DELAY.min(interval))
    }
}

/// Whether the last backup (or the start of the schedule, if there is no backup) is older than twice the interval.
#[must_use]
pub fn is_overdue(
    last_backup_at: Option<Time>,
    schedule_started_at: Option<Time>,
    interval: Duration,
    now: Time,
) -> bool {
    last_backup_at.max(schedule_started_at).is_some_and(|time| now.since(time) > 2 * interval)
}

/// Health of the panel's backups, for the status page and the metrics.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BackupHealth {
    /// When the last backup began, by the schedule or by the command.
    pub last_backup_at: Option<Time>,
    /// Whether the last backup is older than twice the interval. Always false without a schedule.
    pub is_overdue: bool,
    /// Why the schedule's last attempt failed.
    pub error: Option<String>,
}

pub async fn load_health(platform: &Platform, db: &mut impl SqlExecutor) -> Result<BackupHealth> {
    let stored_time = settings::read_stored(db, LAST_BACKUP_SETTING).await?;
    let last_backup_at = stored_time.and_then(|time| serde_json::from_value(time).ok());
    if platform.config.backup.folder.is_none() {
        return Ok(BackupHealth { last_backup_at, ..BackupHealth::default() });
    }
    let state = load_schedule_state(db).await?;
    let is_overdue =
        is_overdue(last_backup_at, state.started_at, platform.config.backup.interval(), platform.clock.now());
    Ok(BackupHealth { last_backup_at, is_overdue, error: state.error })
}

pub async fn load_schedule_state(db: &mut impl SqlExecutor) -> Result<ScheduleState> {
    let stored_state = settings::read_stored(db, SCHEDULE_STATE_SETTING).await?;
    Ok(stored_state.and_then(|state| serde_json::from_value(state).ok()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);
    const NOW: Time = Time(3_600_000_000_000);

    #[test]
    fn a_backup_is_due_after_the_interval_or_the_retry_delay() {
        let ago = |span: Duration| Some(NOW.minus(span));
        let state =
            |succeeded_at, failed_at| ScheduleState { succeeded_at, failed_at, ..ScheduleState::default() };
        let is_due = |succeeded_at, failed_at| state(succeeded_at, failed_at).is_due(24 * HOUR, NOW);
        assert!(is_due(None, None));
        assert!(!is_due(ago(23 * HOUR), None));
        assert!(is_due(ago(24 * HOUR), None));
        assert!(!is_due(None, ago(RETRY_DELAY - Duration::from_micros(1))));
        assert!(is_due(None, ago(RETRY_DELAY)));
        assert!(!is_due(ago(HOUR), ago(RETRY_DELAY)));
        assert!(is_due(Some(NOW.plus(30 * HOUR)), None), "a time in the future must be ignored");
    }

    #[test]
    fn a_backup_is_overdue_after_twice_the_interval() {
        let ago = |hours: u32| Some(NOW.minus(HOUR * hours));
        assert!(!is_overdue(None, None, 24 * HOUR, NOW));
        assert!(!is_overdue(None, ago(48), 24 * HOUR, NOW));
        assert!(is_overdue(None, ago(49), 24 * HOUR, NOW));
        assert!(!is_overdue(ago(48), ago(900), 24 * HOUR, NOW));
        assert!(is_overdue(ago(49), ago(900), 24 * HOUR, NOW));
    }
}
