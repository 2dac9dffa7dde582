//! Pollers for maintenance. Each runs one statement or a short check.

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

/// Adds the stored deltas to the materialized counts.
fn count_fold_poller() -> Poller<App> {
    Poller::task("count_fold", SECOND, |app: App| async move {
        let folded_count = counts::fold_deltas(&app.db).await?;
        Ok(WorkSummary::done(usize::try_from(folded_count).unwrap_or(usize::MAX)))
    })
}

/// Checkpoints SQLite's write-ahead log. The next poll retries pages that could not be written to the database file.
fn wal_checkpoint_poller() -> Poller<App> {
    Poller::task("wal_checkpoint", SECOND, |app: App| async move {
        checkpoint::checkpoint(&app.db).await?;
        Ok(WorkSummary::default())
    })
}

/// Seals new entries of the audit trail.
fn audit_seal_poller() -> Poller<App> {
    Poller::stateful("audit_seal", SECOND, |app: App, mut sealer: Sealer| async move {
        let seal_result = sealer.poll(&app).await;
        let summary = seal_result
            .map(|entry_count| WorkSummary::done(usize::try_from(entry_count).unwrap_or_default()));
        (sealer, summary.map_err(Error::from))
    })
}

fn audit_seal_log_poller() -> Poller<App> {
    Poller::task("audit_seal_log", TEN_MINUTES, |app: App| async move {
        seal::log_newest_seal(&app.db).await?;
        Ok(WorkSummary::default())
    })
}

/// Updates users whose affiliation starts or ends.
fn affiliates_poller() -> Poller<App> {
    Poller::stateful("affiliates", MINUTE, |app: App, mut updater: ActiveAffiliateUpdater| async move {
        let update_result = updater.update_users(&app.db, app.clock.now()).await;
        let summary = update_result
            .map(|user_count| WorkSummary::done(usize::try_from(user_count).unwrap_or(usize::MAX)));
        (updater, summary.map_err(Error::from))
    })
}

fn late_thresholds_poller() -> Poller<App> {
    Poller::task("late_thresholds", TEN_MINUTES, |app: App| async move {
        late_thresholds::refresh(&app.db, app.clock.now()).await?;
        Ok(WorkSummary::default())
    })
}

/// Removes the token buckets of HTTP rate limits that are full again.
fn rate_limit_cleanup_poller() -> Poller<App> {
    Poller::task("rate_limit_cleanup", TEN_MINUTES, |app: App| async move {
        app.request_rates.remove_full_buckets();
        Ok(WorkSummary::default())
    })
}
