//! The worker: leases due jobs, does them, and tries failed ones again later and later.

use std::time::Duration;

use panel_contract::moment::Time;
use tokio::sync::watch;

use crate::app::App;
use crate::db::{DbResult, counts};
use crate::jobs::{Job, store};

/// How long a worker may take for a batch before others may have its jobs.
const LEASE_MICROS: i64 = 120_000_000;
/// Jobs leased at once.
const BATCH: i64 = 20;
/// Seconds until the next try, by tries so far; after the last a job is given up and shown to staff.
const DELAYS: [i64; 10] = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 72_000, 86_400];
/// How often the table is looked at.
const PAUSE: Duration = Duration::from_secs(1);

/// Works until `stop` says so; the batch in hand is finished first.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut round = 0_u64;
    while !*stop.borrow() {
        if let Err(error) = tick(&app, round).await {
            tracing::warn!(%error, "background work failed");
        }
        round += 1;
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = stop.changed() => {}
        }
    }
}

async fn tick(app: &App, round: u64) -> DbResult<()> {
    counts::fold(&app.db).await?;
    while run_due(app).await? > 0 {}
    if round.is_multiple_of(600) {
        store::prune(&app.db, app.clock.now()).await?;
        app.rates.tidy();
    }
    Ok(())
}

/// Does one batch of due jobs; how many there were.
pub async fn run_due(app: &App) -> DbResult<usize> {
    let now = app.clock.now();
    let jobs = store::lease(&app.db, &app.instance, now, Time(now.0 + LEASE_MICROS), BATCH).await?;
    let found = jobs.len();
    for job in jobs {
        let outcome = match serde_json::from_str::<Job>(&job.payload) {
            Ok(work) => work.run(app).await,
            Err(error) => Err(format!("the job cannot be read: {error}")),
        };
        match outcome {
            Ok(()) => store::mark_done(&app.db, job.id, app.clock.now()).await?,
            Err(error) => {
                tracing::warn!(job = job.id, attempts = job.attempts, %error, "a job failed");
                store::mark_failed(&app.db, job.id, &error, now, next_try(job.id, job.attempts, now)).await?;
            }
        }
    }
    Ok(found)
}

/// When to try again after `attempts` tries; spread by the id, so that a mail server that comes back is not stormed.
fn next_try(id: i64, attempts: i64, now: Time) -> Option<Time> {
    let delay = DELAYS.get(usize::try_from(attempts).ok()?.checked_sub(1)?)?;
    let spread = (id % 10) * delay * 20_000;
    Some(Time(now.0 + delay * 1_000_000 + spread))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_later_and_later_then_gives_up() {
        assert_eq!(next_try(10, 1, Time(0)), Some(Time(5_000_000)));
        assert_eq!(next_try(19, 1, Time(0)), Some(Time(5_900_000)));
        assert_eq!(next_try(10, 10, Time(0)), Some(Time(86_400_000_000)));
        assert_eq!(next_try(10, 11, Time(0)), None);
    }
}
