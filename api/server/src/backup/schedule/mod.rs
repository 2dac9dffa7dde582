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
use serde_json::json;

use crate::app::App;
use crate::backup::create::{self, Plan, blocking};
use crate::backup::manifest::MadeBy;
use crate::backup::stamp;
use crate::stores::backups::{self, ScheduleState};
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
/// Between two notifications about the same old backup.
const REMINDER: Duration = DAY;
/// The lease of the process that makes a backup.
const LEASE: &str = "backup";
/// The turn of the process that notifies staff.
const NOTIFICATION: &str = "backup_overdue";

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
    if !backups::schedule_state(&mut &app.db).await?.is_due(every, app.clock.now()) {
        return Ok(false);
    }
    let Some(mut lease) = NamedLease::take(app, LEASE).await? else { return Ok(false) };
    // Read again: another process may have made one before this one had the lease.
    let before = backups::schedule_state(&mut &app.db).await?;
    let now = app.clock.now();
    if !before.is_due(every, now) {
        lease.release(app, now).await?;
        return Ok(false);
    }
    let before = ScheduleState { since: before.since.or(Some(now)), ..before };
    let made = lease.hold(app, make(app, folder, now)).await;
    let made = made.unwrap_or_else(|lost| Err(lost.report("backup").message));
    let after = match &made {
        Ok(()) => ScheduleState { succeeded_at: Some(now), failed_at: None, error: None, ..before },
        Err(error) => {
            tracing::error!(%error, "failed to make the scheduled backup");
            ScheduleState { failed_at: Some(now), error: Some(error.clone()), ..before }
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
    settings::put(&mut tx, backups::SCHEDULE_STATE, &json!(after), now).await?;
    if made.is_ok() {
        settings::put(&mut tx, backups::LAST_BACKUP, &json!(now), now).await?;
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
    let health = backups::health(app, &mut &app.db).await?;
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
