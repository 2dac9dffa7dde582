//! Pollers of upkeep: each is one statement or a short look beside the requests. It decides nothing.

use std::time::Duration;

use panel_kernel::error::Error;
use panel_platform::audit::seal::{self, Sealer};
use panel_platform::db::{Dialect, checkpoint, counts};
use panel_platform::poller::Poller;
use panel_platform::poller::worked::Worked;

use crate::app::App;
use crate::operations::affiliates::Follower;
use crate::supply::paces;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const TEN_MINUTES: Duration = Duration::from_secs(600);

/// All of them.
pub(super) fn pollers(app: &App) -> Vec<Poller<App>> {
    let of_database = match app.db.dialect() {
        Dialect::Sqlite => wal_checkpoint(),
        Dialect::Postgres => count_fold(),
    };
    vec![of_database, audit_seal(), audit_seal_log(), affiliates(), service_paces(), rate_limit_cleanup()]
}

/// Adds up the deltas of materialized counts.
fn count_fold() -> Poller<App> {
    Poller::task("count_fold", SECOND, |app: App| async move {
        let folded = counts::fold(&app.db).await?;
        Ok(Worked::done(usize::try_from(folded).unwrap_or(usize::MAX)))
    })
}

/// Writes SQLite's log back; what could not be written back is tried again at the next poll.
fn wal_checkpoint() -> Poller<App> {
    Poller::task("wal_checkpoint", SECOND, |app: App| async move {
        checkpoint::write_back(&app.db).await?;
        Ok(Worked::default())
    })
}

/// Seals what was written to the audit trail.
fn audit_seal() -> Poller<App> {
    Poller::stateful("audit_seal", SECOND, |app: App, mut sealer: Sealer| async move {
        let sealed = sealer.look(&app).await;
        let worked = sealed.map(|entries| Worked::done(usize::try_from(entries).unwrap_or_default()));
        (sealer, worked.map_err(Error::from))
    })
}

fn audit_seal_log() -> Poller<App> {
    Poller::task("audit_seal_log", TEN_MINUTES, |app: App| async move {
        seal::log_newest(&app.db).await?;
        Ok(Worked::default())
    })
}

/// Follows affiliations as they begin and end.
fn affiliates() -> Poller<App> {
    Poller::stateful("affiliates", MINUTE, |app: App, mut follower: Follower| async move {
        let set = follower.look(&app.db, app.clock.now()).await;
        let worked = set.map(|users| Worked::done(usize::try_from(users).unwrap_or(usize::MAX)));
        (follower, worked.map_err(Error::from))
    })
}

fn service_paces() -> Poller<App> {
    Poller::task("service_paces", TEN_MINUTES, |app: App| async move {
        paces::refresh(&app.db, app.clock.now()).await?;
        Ok(Worked::default())
    })
}

/// Forgets rate limits of HTTP that are whole again.
fn rate_limit_cleanup() -> Poller<App> {
    Poller::task("rate_limit_cleanup", TEN_MINUTES, |app: App| async move {
        app.rates.tidy();
        Ok(Worked::default())
    })
}
