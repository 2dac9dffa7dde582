//! Maintenance pollers: each runs one statement or a short check besides the requests.

use std::time::Duration;

use panel_kernel::error::Error;
use panel_platform::audit::seal::{self, Sealer};
use panel_platform::db::{Dialect, checkpoint, counts};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;

use crate::app::App;
use crate::operations::affiliates::Follower;
use crate::supply::paces;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const TEN_MINUTES: Duration = Duration::from_secs(600);

pub(super) fn pollers(app: &App) -> Vec<Poller<App>> {
    let database_poller = match app.db.dialect() {
        Dialect::Sqlite => wal_checkpoint(),
        Dialect::Postgres => count_fold(),
    };
    vec![database_poller, audit_seal(), audit_seal_log(), affiliates(), service_paces(), rate_limit_cleanup()]
}

/// Folds the deltas of materialized counts into the counts.
fn count_fold() -> Poller<App> {
    Poller::task("count_fold", SECOND, |app: App| async move {
        let folded = counts::fold(&app.db).await?;
        Ok(WorkSummary::done(usize::try_from(folded).unwrap_or(usize::MAX)))
    })
}

/// Checkpoints SQLite's write-ahead log; the next poll retries pages that could not be written back.
fn wal_checkpoint() -> Poller<App> {
    Poller::task("wal_checkpoint", SECOND, |app: App| async move {
        checkpoint::write_back(&app.db).await?;
        Ok(WorkSummary::default())
    })
}

/// Seals new entries of the audit trail.
fn audit_seal() -> Poller<App> {
    Poller::stateful("audit_seal", SECOND, |app: App, mut sealer: Sealer| async move {
        let sealed = sealer.poll(&app).await;
        let worked = sealed.map(|entries| WorkSummary::done(usize::try_from(entries).unwrap_or_default()));
        (sealer, worked.map_err(Error::from))
    })
}

fn audit_seal_log() -> Poller<App> {
    Poller::task("audit_seal_log", TEN_MINUTES, |app: App| async move {
        seal::log_newest(&app.db).await?;
        Ok(WorkSummary::default())
    })
}

/// Updates users when affiliations begin and end.
fn affiliates() -> Poller<App> {
    Poller::stateful("affiliates", MINUTE, |app: App, mut follower: Follower| async move {
        let set = follower.look(&app.db, app.clock.now()).await;
        let worked = set.map(|users| WorkSummary::done(usize::try_from(users).unwrap_or(usize::MAX)));
        (follower, worked.map_err(Error::from))
    })
}

fn service_paces() -> Poller<App> {
    Poller::task("service_paces", TEN_MINUTES, |app: App| async move {
        paces::refresh(&app.db, app.clock.now()).await?;
        Ok(WorkSummary::default())
    })
}

/// Removes HTTP rate limits whose buckets are full again.
fn rate_limit_cleanup() -> Poller<App> {
    Poller::task("rate_limit_cleanup", TEN_MINUTES, |app: App| async move {
        app.rates.forget_full_buckets();
        Ok(WorkSummary::default())
    })
}
