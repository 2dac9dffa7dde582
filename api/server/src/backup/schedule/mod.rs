//! Backups that the server makes by itself, every few hours, by one process at a time.
//!
//! A lease in the database (the row `backup` of `call_paces`) says which process makes one; it is renewed while the backup is
//! made and ends by itself when the process dies. A failure is logged and tried again after a while; it never stops other
//! work. When the last backup is too old, staff are notified once a day. Old backups are removed by [`retention`].

pub mod retention;

use std::path::Path;
use std::time::Duration;

use panel_contract::moment::Time;
use panel_kernel::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::watch;

use crate::app::App;
use crate::backup::create::{self, Plan, blocking};
use crate::backup::manifest::MadeBy;
use crate::backup::stamp;
use crate::configuration::status;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::jobs::rounds::wait_for_next_round;
use panel_platform::scope::Scope;
use panel_platform::settings;

/// Between two looks whether a backup is due.
const PAUSE: Duration = Duration::from_secs(60);
/// Microseconds that a process has the lease without renewing it.
const LEASE: i64 = 600_000_000;
/// Between two renewals of the lease.
const RENEWAL: Duration = Duration::from_secs(60);
/// Microseconds until a failed backup is tried again.
const RETRY: i64 = 900_000_000;
/// Microseconds between two notifications about the same old backup.
const REMINDER: i64 = 86_400_000_000;
/// The row of `call_paces` that is the lease.
const PACE: &str = "backup";
/// The row of `call_paces` that says when staff are notified next.
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
    fn is_due(&self, every: i64, now: Time) -> bool {
        let passed =
            |at: Option<Time>, span: i64| at.is_none_or(|at| at.0 + span <= now.0 || at.0 > now.0 + span);
        passed(self.succeeded_at, every) && passed(self.failed_at, RETRY.min(every))
    }
}

/// Whether the last backup is older than twice the interval; where there is none, whether the schedule is.
#[must_use]
pub fn is_overdue(last: Option<Time>, since: Option<Time>, every: i64, now: Time) -> bool {
    last.max(since).is_some_and(|at| now.0 - at.0 > 2 * every)
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

/// Makes backups as they come due until `stop` says so; a backup that is being made is given up then.
pub async fn run(app: &App, mut stop: watch::Receiver<bool>) {
    if app.config.backup.folder.is_none() {
        return;
    }
    while !*stop.borrow() {
        tokio::select! {
            looked = look(app) => {
                if let Err(error) = looked {
                    tracing::warn!(?error, "failed to look whether a backup is due");
                }
            }
            _ = stop.changed() => break,
        }
        wait_for_next_round(&app.db, PAUSE, &mut stop).await;
    }
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
    let Some(mut lease) = take(app).await? else { return Ok(false) };
    // Read again: another process may have made one before this one had the lease.
    let before = state(&mut &app.db).await?;
    let now = app.clock.now();
    if !before.is_due(every, now) {
        move_lease(app, lease, now).await?;
        return Ok(false);
    }
    let before = State { since: before.since.or(Some(now)), ..before };
    let made = tokio::select! {
        made = make(app, folder, now) => made,
        error = keep(app, &mut lease) => Err(error),
    };
    let after = match &made {
        Ok(()) => State { succeeded_at: Some(now), failed_at: None, error: None, ..before },
        Err(error) => {
            tracing::error!(%error, "failed to make the scheduled backup");
            State { failed_at: Some(now), error: Some(error.clone()), ..before }
        }
    };
    let mut tx = app.db.begin().await?;
    settings::put(&mut tx, STATE, &json!(after), now).await?;
    if made.is_ok() {
        settings::put(&mut tx, status::LAST_BACKUP, &json!(now), now).await?;
        // The next old backup is news at once.
        tx.exec(Sql::new("DELETE FROM call_paces WHERE name = ?").bind(NOTIFICATION)).await?;
    }
    tx.commit().await?;
    move_lease(app, lease, app.clock.now()).await?;
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
    if !take_pace(&mut work, NOTIFICATION, Time(now.0 + REMINDER), now).await? {
        return Ok(());
    }
    tracing::error!(last_backup_at = ?health.last, error = ?health.error, "the last backup is too old");
    let new = json!({ "last_backup_at": health.last, "error": health.error });
    audit::record(&mut work, "backup.overdue", "backup", Change { id: 0, old: json!({}), new }).await?;
    work.finish(()).await
}

// Store

/// What is known of the schedule's backups.
async fn state(db: &mut impl Source) -> Result<State> {
    let stored = settings::get(db, STATE).await?;
    Ok(stored.and_then(|stored| serde_json::from_value(stored).ok()).unwrap_or_default())
}

/// Takes the lease unless another process has it; until when.
async fn take(app: &App) -> Result<Option<Time>> {
    let now = app.clock.now();
    let lease = Time(now.0 + LEASE);
    Ok(take_pace(&mut &app.db, PACE, lease, now).await?.then_some(lease))
}

/// Moves a row of `call_paces` that is due to `next`; false where it is not due.
async fn take_pace(db: &mut impl Source, name: &str, next: Time, now: Time) -> DbResult<bool> {
    let sql = Sql::new(
        "INSERT INTO call_paces (name, next_at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at WHERE call_paces.next_at <= ?",
    );
    Ok(db.exec(sql.bind(name).bind(next).bind(now)).await? == 1)
}

/// Moves the lease; false where another process has it by now.
async fn move_lease(app: &App, lease: Time, next: Time) -> DbResult<bool> {
    let sql = Sql::new("UPDATE call_paces SET next_at = ? WHERE name = ? AND next_at = ?");
    Ok((&mut &app.db).exec(sql.bind(next).bind(PACE).bind(lease)).await? == 1)
}

/// Renews the lease until that fails; why it did.
async fn keep(app: &App, lease: &mut Time) -> String {
    loop {
        tokio::time::sleep(RENEWAL).await;
        let next = Time(app.clock.now().0 + LEASE);
        match move_lease(app, *lease, next).await {
            Ok(true) => *lease = next,
            Ok(false) => return "another process took over the backup, as this one was too slow".into(),
            // The lease holds for some renewals more.
            Err(error) if app.clock.now() < *lease => {
                tracing::warn!(%error, "failed to renew the lease of the backup");
            }
            Err(error) => return Error::from(error).report("").message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000_000;

    #[test]
    fn due_after_the_interval_and_some_time_after_a_failure() {
        let now = Time(1_000 * HOUR);
        let ago = |micros: i64| Some(Time(now.0 - micros));
        let state = |succeeded_at, failed_at| State { succeeded_at, failed_at, ..State::default() };
        let is_due = |succeeded, failed| state(succeeded, failed).is_due(24 * HOUR, now);
        assert!(is_due(None, None));
        assert!(!is_due(ago(23 * HOUR), None));
        assert!(is_due(ago(24 * HOUR), None));
        assert!(!is_due(None, ago(RETRY - 1)));
        assert!(is_due(None, ago(RETRY)));
        assert!(!is_due(ago(HOUR), ago(RETRY)));
        assert!(is_due(ago(-30 * HOUR), None), "the clock was set back");
    }

    #[test]
    fn overdue_after_twice_the_interval() {
        let now = Time(1_000 * HOUR);
        let ago = |hours: i64| Some(Time(now.0 - hours * HOUR));
        assert!(!is_overdue(None, None, 24 * HOUR, now));
        assert!(!is_overdue(None, ago(48), 24 * HOUR, now));
        assert!(is_overdue(None, ago(49), 24 * HOUR, now));
        assert!(!is_overdue(ago(48), ago(900), 24 * HOUR, now));
        assert!(is_overdue(ago(49), ago(900), 24 * HOUR, now));
    }
}
