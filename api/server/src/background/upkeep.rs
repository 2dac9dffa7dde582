//! Maintenance pollers. Each runs one statement or a short check in the background.

use std::time::Duration;

use panel_kernel::error::Error;
use panel_platform::audit::seal::{self, Sealer};
use panel_platform::db::{Dialect, checkpoint, counts};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;

use crate::app::App;
use crate::operations::affiliates::ActiveAffiliateUpdater;
use crate::supply::late_thresholds;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const TEN_MINUTES: Duration = Duration::from_secs(600);

pub(super) fn pollers(app: &App) -> Vec<Poller<App>> {
    let database_poller = match app.db.dialect() {
        Dialect::Sqlite => wal_checkpoint_poller(),
        Dialect::Postgres => count_fold_poller(),
    };
    vec![
        database_poller,
        audit_seal_poller(),
        audit_seal_log_poller(),
        affiliates_poller(),
        late_thresholds_poller(),
        rate_limit_cleanup_poller(),
    ]
}

/// Adds the deltas of materialized counts to the counts.
fn count_fold_poller() -> Poller<App> {
    Poller::task("count_fold", SECOND, |app: App| async move {
        let folded = counts::fold_deltas(&app.db).await?;
        Ok(WorkSummary::done(usize::try_from(folded).unwrap_or(usize::MAX)))
    })
}

/// Checkpoints SQLite's write-ahead log; the next poll retries pages that could not be written back.
fn wal_checkpoint_poller() -> Poller<App> {
    Poller::task("wal_checkpoint", SECOND, |app: App| async move {
        checkpoint::checkpoint(&app.db).await?;
        Ok(WorkSummary::default())
    })
}

/// Seals new entries of the audit trail.
fn audit_seal_poller() -> Poller<App> {
    Poller::stateful("audit_seal", SECOND, |app: App, mut sealer: Sealer| async move {
        let sealed = sealer.poll(&app).await;
        let summary = sealed.map(|entries| WorkSummary::done(usize::try_from(entries).unwrap_or_default()));
        (sealer, summary.map_err(Error::from))
    })
}

fn audit_seal_log_poller() -> Poller<App> {
    Poller::task("audit_seal_log", TEN_MINUTES, |app: App| async move {
        seal::log_newest_seal(&app.db).await?;
        Ok(WorkSummary::default())
    })
}

/// Updates users when affiliations begin and end.
fn affiliates_poller() -> Poller<App> {
    Poller::stateful("affiliates", MINUTE, |app: App, mut updater: ActiveAffiliateUpdater| async move {
        let updated = updater.update_users(&app.db, app.clock.now()).await;
        let summary = updated.map(|users| WorkSummary::done(usize::try_from(users).unwrap_or(usize::MAX)));
        (updater, summary.map_err(Error::from))
    })
}

fn late_thresholds_poller() -> Poller<App> {
    Poller::task("late_thresholds", TEN_MINUTES, |app: App| async move {
        late_thresholds::refresh(&app.db, app.clock.now()).await?;
        Ok(WorkSummary::default())
    })
}

/// Removes HTTP rate limits whose buckets are full again.
fn rate_limit_cleanup_poller() -> Poller<App> {
    Poller::task("rate_limit_cleanup", TEN_MINUTES, |app: App| async move {
        app.rates.forget_full_buckets();
        Ok(WorkSummary::default())
    })
}
