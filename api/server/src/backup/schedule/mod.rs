//! Backups that the server makes by itself, every few hours, by one process at a time.
//!
//! A lease (`NamedLease`) says which process makes one; it is renewed while the backup is made, and is another process's once
//! this one is gone. A failure is logged and tried again after a while; it never stops other
//! work. When the last backup is too old, staff are notified once a day. Old backups are removed by [`retention`].

pub mod retention;

use std::path::Path;
use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::moment::{DAY, Time};
use panel_kernel::error::Result;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::backup::create::{self, Plan, blocking};
use crate::backup::manifest::MadeBy;
use crate::backup::stamp;
use crate::configuration::status;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::lease::named::{NamedLease, take_turn};
use panel_platform::poller::Poller;
use panel_platform::poller::worked::Worked;
use panel_platform::scope::Scope;
use panel_platform::settings;

/// Between two looks whether a backup is due.
const EVERY: Duration = Duration::from_secs(60);
/// A failed backup is tried again after this time.
const BACKUP_RETRY: Duration = Duration::from_mins(15);
/// Between two notifications about the same old backup.
const REMINDER: Duration = DAY;
/// The lease of the process that makes a backup.
const LEASE: &str = "backup";
/// The turn of the process that notifies staff.
const NOTIFICATION: &str = "backup_overdue";
/// The setting that has the [`State`].
const STATE: &str = "backup_schedule";

/// What is known of the schedule's backups. Only the process with the lease writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// When the schedule began.
    pub since: Option<Time>,
    /// When its last complete backup was begun.
    pub succeeded_at: Option<Time>,
    /// When its last attempt failed; none once one succeeded.
    pub failed_at: Option<Time>,
    /// Why.
    pub error: Option<String>,
}

impl State {
    /// Whether a backup is due. A time in the future, of a clock that was set back, counts as none.
    fn is_due(&self, every: Duration, now: Time) -> bool {
        let passed = |at: Option<Time>, span: Duration| {
            at.is_none_or(|at| at.after(span) <= now || at > now.after(span))
        };
        passed(self.succeeded_at, every) && passed(self.failed_at, BACKUP_RETRY.min(every))
    }
}

/// Whether the last backup is older than twice the interval; where there is none, whether the schedule is.
#[must_use]
pub fn is_overdue(last: Option<Time>, since: Option<Time>, every: Duration, now: Time) -> bool {
    last.max(since).is_some_and(|at| now.since(at) > 2 * every)
}

/// What the schedule has to say of the panel's backups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BackupHealth {
    /// When the last backup was begun, by the schedule or by the command.
    pub last: Option<Time>,
    /// Whether it is older than twice the interval; never without a schedule.
    pub overdue: bool,
    /// Why the schedule's last attempt failed.
    pub error: Option<String>,
}

/// How the panel's backups are doing.
pub async fn health(app: &App, db: &mut impl Source) -> Result<BackupHealth> {
    let last = settings::get(db, status::LAST_BACKUP).await?;
    let last = last.and_then(|last| serde_json::from_value(last).ok());
    if app.config.backup.folder.is_none() {
        return Ok(BackupHealth { last, ..BackupHealth::default() });
    }
    let state = state(db).await?;
    let overdue = is_overdue(last, state.since, app.config.backup.every(), app.clock.now());
    Ok(BackupHealth { last, overdue, error: state.error })
}

/// Makes backups as they come due; a backup that is being made is given up when the process is to end.
#[must_use]
pub fn poller() -> Poller<App> {
    let work = |app: App| async move { Ok(Worked::done(usize::from(look(&app).await?))) };
    Poller::task("backup", EVERY, work).dropped_at_stop()
}

/// Makes a backup if one is due and no other process makes it; whether it was made. Then notifies staff of an old one.
pub async fn look(app: &App) -> Result<bool> {
    let Some(folder) = &app.config.backup.folder else { return Ok(false) };
    let made = make_due(app, folder).await;
    notify_if_overdue(app).await?;
    made
}

async fn make_due(app: &App, folder: &Path) -> Result<bool> {
    let every = app.config.backup.every();
    if !state(&mut &app.db).await?.is_due(every, app.clock.now()) {
        return Ok(false);
    }
    let Some(mut lease) = NamedLease::take(app, LEASE).await? else { return Ok(false) };
    // Read again: another process may have made one before this one had the lease.
    let before = state(&mut &app.db).await?;
    let now = app.clock.now();
    if !before.is_due(every, now) {
        lease.release(app, now).await?;
        return Ok(false);
    }
    let before = State { since: before.since.or(Some(now)), ..before };
    let made = lease.hold(app, make(app, folder, now)).await;
    let made = made.unwrap_or_else(|lost| Err(lost.report("backup").message));
    let after = match &made {
        Ok(()) => State { succeeded_at: Some(now), failed_at: None, error: None, ..before },
        Err(error) => {
            tracing::error!(%error, "failed to make the scheduled backup");
            State { failed_at: Some(now), error: Some(error.clone()), ..before }
        }
    };
    let mut tx = app.db.begin().await?;
    // First, so that no other process takes it over before the commit.
    if !lease.release_in(&mut tx, app, app.clock.now()).await?.is_applied() {
        tracing::warn!(
            is_made = made.is_ok(),
            "another process took the scheduled backup over; this result is dropped"
        );
        return Ok(false);
    }
    settings::put(&mut tx, STATE, &json!(after), now).await?;
    if made.is_ok() {
        settings::put(&mut tx, status::LAST_BACKUP, &json!(now), now).await?;
        // The next old backup is news at once.
        tx.exec(Sql::new("DELETE FROM call_paces WHERE name = ?").bind(NOTIFICATION)).await?;
    }
    tx.commit().await?;
    Ok(made.is_ok())
}

async fn make(app: &App, folder: &Path, now: Time) -> std::result::Result<(), String> {
    let (place, config) = (folder.to_owned(), app.config.backup.clone());
    blocking(move || retention::prepare(&place, now)).await?;
    let target = folder.join(format!("{}{}", retention::PREFIX, stamp(now)));
    let plan = Plan {
        config: &app.config,
        db: &app.db,
        secrets: &app.secrets,
        random: &app.random,
        target: &target,
        made_by: MadeBy::Schedule,
        encrypt: config.encrypt,
        now,
    };
    let manifest = create::create(&plan).await?;
    tracing::info!(folder = %target.display(), bytes = manifest.bytes(), "made the scheduled backup");
    let place = folder.to_owned();
    // The backup is made; what cannot be removed is tried again after the next one.
    if let Err(error) = blocking(move || retention::prune(&place, &config, now)).await {
        tracing::warn!(%error, "failed to remove old backups");
    }
    Ok(())
}

/// Notifies staff of an old backup, once a day, by one process.
async fn notify_if_overdue(app: &App) -> Result<()> {
    let health = health(app, &mut &app.db).await?;
    if !health.overdue {
        return Ok(());
    }
    let mut work = Scope::system(app, "backup").begin().await?;
    let now = work.now;
    if !take_turn(&mut work, NOTIFICATION, now.after(REMINDER), now).await? {
        return Ok(());
    }
    tracing::error!(last_backup_at = ?health.last, error = ?health.error, "the last backup is too old");
    let new = json!({ "last_backup_at": health.last, "error": health.error });
    audit::record(&mut work, "backup.overdue", "backup", Change { id: RecordId::NONE, old: json!({}), new })
        .await?;
    work.finish(()).await
}

// Store

/// What is known of the schedule's backups.
async fn state(db: &mut impl Source) -> Result<State> {
    let stored = settings::get(db, STATE).await?;
    Ok(stored.and_then(|stored| serde_json::from_value(stored).ok()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);
    const NOW: Time = Time(3_600_000_000_000);

    #[test]
    fn due_after_the_interval_and_some_time_after_a_failure() {
        let ago = |span: Duration| Some(NOW.before(span));
        let state = |succeeded_at, failed_at| State { succeeded_at, failed_at, ..State::default() };
        let is_due = |succeeded, failed| state(succeeded, failed).is_due(24 * HOUR, NOW);
        assert!(is_due(None, None));
        assert!(!is_due(ago(23 * HOUR), None));
        assert!(is_due(ago(24 * HOUR), None));
        assert!(!is_due(None, ago(BACKUP_RETRY - Duration::from_micros(1))));
        assert!(is_due(None, ago(BACKUP_RETRY)));
        assert!(!is_due(ago(HOUR), ago(BACKUP_RETRY)));
        assert!(is_due(Some(NOW.after(30 * HOUR)), None), "the clock was set back");
    }

    #[test]
    fn overdue_after_twice_the_interval() {
        let ago = |hours: u32| Some(NOW.before(HOUR * hours));
        assert!(!is_overdue(None, None, 24 * HOUR, NOW));
        assert!(!is_overdue(None, ago(48), 24 * HOUR, NOW));
        assert!(is_overdue(None, ago(49), 24 * HOUR, NOW));
        assert!(!is_overdue(ago(48), ago(900), 24 * HOUR, NOW));
        assert!(is_overdue(ago(49), ago(900), 24 * HOUR, NOW));
    }
}
