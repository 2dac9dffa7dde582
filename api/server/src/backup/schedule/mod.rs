//! Scheduled backups, every few hours, created by one process at a time.
//!
//! The process with the lease (`NamedLease`) creates the backup and renews the lease meanwhile; if it dies, another process
//! acquires the lease. A failed backup is logged and retried later, and never stops other work. If the last backup is too old,
//! staff are notified once a day. [`retention`] removes old backups.

pub mod retention;

use std::path::Path;
use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::moment::{DAY, Time};
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::backup::create::{self, BackupPlan, run_blocking};
use crate::backup::manifest::BackupOrigin;
use crate::backup::time_stamp;
use crate::stores::backups::{self, ScheduleState};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::lease::named::{NamedLease, claim_run_if_due};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::settings;

/// Interval between checks whether a backup is due.
const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// Interval between notifications about the same old backup.
const REMINDER_INTERVAL: Duration = DAY;
/// The lease of the process that creates a backup.
const LEASE_NAME: &str = "backup";
/// Name of the entry in `shared_schedules` that limits notifications.
const NOTIFICATION_SCHEDULE: &str = "backup_overdue";

/// Creates due backups. A running backup is canceled when the process stops.
#[must_use]
pub fn poller() -> Poller<App> {
    let work =
        |app: App| async move { Ok(WorkSummary::done(usize::from(create_backup_if_due(&app).await?))) };
    Poller::task("backup", POLL_INTERVAL, work).cancel_on_shutdown()
}

/// Creates a backup if one is due and no other process is creating it, and then notifies staff of an overdue one. Returns whether
/// it created a backup.
pub async fn create_backup_if_due(app: &App) -> Result<bool> {
    let Some(folder) = &app.config.backup.folder else { return Ok(false) };
    let result = create_due_backup(app, folder).await;
    notify_if_overdue(app).await?;
    result
}

async fn create_due_backup(app: &App, folder: &Path) -> Result<bool> {
    let interval = app.config.backup.interval();
    if !backups::load_schedule_state(&mut &app.db).await?.is_due(interval, app.clock.now()) {
        return Ok(false);
    }
    let Some(mut lease) = NamedLease::acquire(app, LEASE_NAME).await? else { return Ok(false) };
    // Read again: another process may have created one before this one acquired the lease.
    let old_state = backups::load_schedule_state(&mut &app.db).await?;
    let now = app.clock.now();
    if !old_state.is_due(interval, now) {
        lease.release(app, now).await?;
        return Ok(false);
    }
    let old_state = ScheduleState { started_at: old_state.started_at.or(Some(now)), ..old_state };
    let result = lease.run_with_renewal(app, create_backup(app, folder, now)).await;
    let result = result.unwrap_or_else(|error| Err(error.report("backup").message));
    let new_state = match &result {
        Ok(()) => ScheduleState { succeeded_at: Some(now), failed_at: None, error: None, ..old_state },
        Err(error) => {
            tracing::error!(%error, "failed to create the scheduled backup");
            ScheduleState { failed_at: Some(now), error: Some(error.clone()), ..old_state }
        }
    };
    let mut tx = app.db.begin().await?;
    // First, so that no other process can take over before the commit.
    if !lease.release_in(&mut tx, app, app.clock.now()).await?.is_applied() {
        tracing::warn!(
            is_created = result.is_ok(),
            "another process took over the scheduled backup; dropped this result"
        );
        return Ok(false);
    }
    settings::put(&mut tx, backups::SCHEDULE_STATE_SETTING, &json!(new_state), now).await?;
    if result.is_ok() {
        settings::put(&mut tx, backups::LAST_BACKUP_SETTING, &json!(now), now).await?;
        // Staff are notified of the next overdue backup at once.
        tx.execute(Sql::new("DELETE FROM shared_schedules WHERE name = ?").bind(NOTIFICATION_SCHEDULE))
            .await?;
    }
    tx.commit().await?;
    Ok(result.is_ok())
}

async fn create_backup(app: &App, folder: &Path, now: Time) -> std::result::Result<(), String> {
    let (backups_folder, config) = (folder.to_owned(), app.config.backup.clone());
    run_blocking(move || retention::prepare_folder(&backups_folder, now)).await?;
    let target = folder.join(format!("{}{}", retention::BACKUP_PREFIX, time_stamp(now)));
    let plan = BackupPlan {
        config: &app.config,
        db: &app.db,
        secrets: &app.secrets,
        random: &app.random,
        target: &target,
        origin: BackupOrigin::Schedule,
        encrypt: config.encrypt,
        now,
    };
    let manifest = create::create(&plan).await?;
    tracing::info!(folder = %target.display(), bytes = manifest.total_bytes(), "created the scheduled backup");
    let backups_folder = folder.to_owned();
    // The backup is complete; failed removals are tried again after the next one.
    if let Err(error) =
        run_blocking(move || retention::remove_expired_backups(&backups_folder, &config, now)).await
    {
        tracing::warn!(%error, "failed to remove old backups");
    }
    Ok(())
}

/// Notifies staff of an overdue backup, once a day, from one process.
async fn notify_if_overdue(app: &App) -> Result<()> {
    let health = backups::load_health(app, &mut &app.db).await?;
    if !health.is_overdue {
        return Ok(());
    }
    let mut work = Scope::system(app, "backup").begin().await?;
    let now = work.now;
    if !claim_run_if_due(&mut work, NOTIFICATION_SCHEDULE, now.plus(REMINDER_INTERVAL), now).await? {
        return Ok(());
    }
    tracing::error!(last_backup_at = ?health.last_backup_at, error = ?health.error, "the last backup is too old");
    let new = json!({ "last_backup_at": health.last_backup_at, "error": health.error });
    audit::record(
        &mut work,
        "backup.overdue",
        "backup",
        AuditChange { id: RecordId::NONE, old: json!({}), new },
    )
    .await?;
    work.finish(()).await
}
