//! The state of the panel's backups, stored as settings: when the last one began, and how the schedule's attempts ended. The
//! schedule (`backup/schedule`) and the command write it; the status page and the metrics show it.

use std::time::Duration;

use panel_contract::moment::Time;
use panel_kernel::error::Result;
use panel_platform::db::Source;
use panel_platform::platform::Platform;
use panel_platform::settings;
use serde::{Deserialize, Serialize};

/// The setting with the time at which the last complete backup began.
pub const LAST_BACKUP: &str = "last_backup_at";
/// The setting with the [`ScheduleState`].
pub const SCHEDULE_STATE: &str = "backup_schedule";
/// Delay before a failed backup is retried.
const BACKUP_RETRY: Duration = Duration::from_mins(15);

/// State of the backup schedule. Only the process that holds the lease writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScheduleState {
    /// When the schedule began to run.
    pub since: Option<Time>,
    /// When its last complete backup began.
    pub succeeded_at: Option<Time>,
    /// When its last attempt failed; `None` after a success.
    pub failed_at: Option<Time>,
    /// Error of the last failed attempt.
    pub error: Option<String>,
}

impl ScheduleState {
    /// Whether a backup is due. A stored time in the future is ignored, because the clock may have been set back.
    #[must_use]
    pub fn is_due(&self, interval: Duration, now: Time) -> bool {
        let has_elapsed = |time: Option<Time>, span: Duration| {
            time.is_none_or(|time| time.plus(span) <= now || time > now.plus(span))
        };
        has_elapsed(self.succeeded_at, interval) && has_elapsed(self.failed_at, BACKUP_RETRY.min(interval))
    }
}

/// Whether the last backup, or the start of the schedule if there is no backup, is older than twice the interval.
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

pub async fn load_health(platform: &Platform, db: &mut impl Source) -> Result<BackupHealth> {
    let stored = settings::read_stored(db, LAST_BACKUP).await?;
    let last_backup_at = stored.and_then(|time| serde_json::from_value(time).ok());
    if platform.config.backup.folder.is_none() {
        return Ok(BackupHealth { last_backup_at, ..BackupHealth::default() });
    }
    let state = load_schedule_state(db).await?;
    let is_overdue =
        is_overdue(last_backup_at, state.since, platform.config.backup.interval(), platform.clock.now());
    Ok(BackupHealth { last_backup_at, is_overdue, error: state.error })
}

pub async fn load_schedule_state(db: &mut impl Source) -> Result<ScheduleState> {
    let stored = settings::read_stored(db, SCHEDULE_STATE).await?;
    Ok(stored.and_then(|stored| serde_json::from_value(stored).ok()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);
    const NOW: Time = Time(3_600_000_000_000);

    #[test]
    fn is_due_after_the_interval_and_after_the_retry_pause() {
        let ago = |span: Duration| Some(NOW.minus(span));
        let state =
            |succeeded_at, failed_at| ScheduleState { succeeded_at, failed_at, ..ScheduleState::default() };
        let is_due = |succeeded_at, failed_at| state(succeeded_at, failed_at).is_due(24 * HOUR, NOW);
        assert!(is_due(None, None));
        assert!(!is_due(ago(23 * HOUR), None));
        assert!(is_due(ago(24 * HOUR), None));
        assert!(!is_due(None, ago(BACKUP_RETRY - Duration::from_micros(1))));
        assert!(is_due(None, ago(BACKUP_RETRY)));
        assert!(!is_due(ago(HOUR), ago(BACKUP_RETRY)));
        assert!(is_due(Some(NOW.plus(30 * HOUR)), None), "the clock was set back");
    }

    #[test]
    fn is_overdue_after_twice_the_interval() {
        let ago = |hours: u32| Some(NOW.minus(HOUR * hours));
        assert!(!is_overdue(None, None, 24 * HOUR, NOW));
        assert!(!is_overdue(None, ago(48), 24 * HOUR, NOW));
        assert!(is_overdue(None, ago(49), 24 * HOUR, NOW));
        assert!(!is_overdue(ago(48), ago(900), 24 * HOUR, NOW));
        assert!(is_overdue(ago(49), ago(900), 24 * HOUR, NOW));
    }
}
