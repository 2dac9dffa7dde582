//! The worker: leases due jobs, does them side by side, and tries failed ones again later and later.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use panel_contract::moment::Time;
use tokio::sync::watch;

use crate::app::App;
use crate::background::quarantine_runner;
use crate::background::retention;
use crate::backup::schedule;
use crate::job_handlers;
use crate::operations::affiliates::Follower;
use crate::operations::{drip_feeds, grades, personal_data, subscriptions};
use crate::supply::{balances, counter, dispatch, imports, paces};
use panel_platform::audit::seal::Sealer;
use panel_platform::db::{DbResult, counts};
use panel_platform::jobs::failure::Failure;
use panel_platform::jobs::heartbeat;
use panel_platform::jobs::job::Job;
use panel_platform::jobs::rounds::wait_for_next_round;
use panel_platform::jobs::store::{self, Leased};

/// How long a batch is this worker's before others may have its jobs; well above [`LONGEST`].
const LEASE_MICROS: i64 = 120_000_000;
/// Jobs leased and done at once.
const BATCH: i64 = 20;
/// How long one job may take.
const LONGEST: Duration = Duration::from_secs(60);
/// How long a job may go on when the process is to end.
const PARTING: Duration = Duration::from_secs(5);
/// Seconds until the next try, by tries so far; after the last a job is given up and shown to staff.
const DELAYS: [i64; 10] = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 72_000, 86_400];
/// How often the table is looked at.
const PAUSE: Duration = Duration::from_secs(1);
/// How often is asked whether the daily removal of old records is due.
const RETENTION_PAUSE: Duration = Duration::from_secs(60);
/// Looks between two tidyings.
const ROUNDS: u64 = 600;
/// Rounds of a minute.
const MINUTE: u64 = 60;

/// How a job ended.
enum Outcome {
    Done,
    Failed(Failure),
    /// The process is to end: another try is due at once and this one does not count.
    Interrupted,
}

/// Works until `stop` says so. What must not wait for a slow mail server runs beside the jobs.
pub async fn run(app: App, stop: watch::Receiver<bool>) {
    // This one takes no more than its part from the start; the others learn of it at their next sign of life.
    heartbeat::say(&app).await;
    quarantine_runner::suspect_first(&app, &stop).await;
    let (ended, has_ended) = watch::channel(false);
    let work = async {
        pollers(&app, &stop).await;
        ended.send_replace(true);
    };
    tokio::join!(work, ever("processes", || heartbeat::run(&app, has_ended.clone())));
    if let Err(error) = heartbeat::leave(&app).await {
        tracing::warn!(%error, "this process could not say that it ends");
    }
}

/// All work until `stop` says so and what was begun is written down.
async fn pollers(app: &App, stop: &watch::Receiver<bool>) {
    let queues = Job::KINDS.iter().map(|kind| ever("jobs", || work(app, kind, stop.clone())));
    tokio::join!(
        join_all(queues),
        ever("quarantine", || quarantine_runner::run(app, stop.clone())),
        ever("tidying", || keep(app, stop.clone())),
        ever("drip-feeds", || drip(app, stop.clone())),
        ever("contents", || subscriptions::look::run(app, stop.clone())),
        ever("balances", || ask_balances(app, stop.clone())),
        ever("counter", || ask_counter(app, stop.clone())),
        ever("erasures", || erase(app, stop.clone())),
        ever("retention", || retain(app, stop.clone())),
        ever("backups", || schedule::run(app, stop.clone())),
        ever("dispatch", || dispatch::run(app.clone(), stop.clone()))
    );
}

/// Begins work again that panicked: what one of them meets must not end the others, which share a task with it.
async fn ever<F: Future<Output = ()>>(what: &str, begin: impl Fn() -> F) {
    while AssertUnwindSafe(begin()).catch_unwind().await.is_err() {
        tracing::error!(what, "background work panicked and begins again");
        tokio::time::sleep(PAUSE).await;
    }
}

/// Places runs of drip-feeds and orders of contents as they come due; ends subscriptions whose time is over.
async fn drip(app: &App, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        if let Err(error) = drip_feeds::run::run_due(app).await {
            tracing::warn!(?error, "placing runs of drip-feeds failed");
        }
        if let Err(error) = subscriptions::content::place_due(app).await {
            tracing::warn!(?error, "placing orders of contents failed");
        }
        if let Err(error) = subscriptions::content::end_expired(app).await {
            tracing::warn!(?error, "ending subscriptions failed");
        }
        if let Err(error) = subscriptions::renew::renew_due(app).await {
            tracing::warn!(?error, "failed to renew subscriptions");
        }
        wait_for_next_round(&app.db, PAUSE, &mut stop).await;
    }
}

/// Asks external panels for our balance there; a slow one holds up nothing but this.
async fn ask_balances(app: &App, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        if let Err(error) = balances::ask_due(app).await {
            tracing::warn!(?error, "asking panels for balances failed");
        }
        wait_for_next_round(&app.db, PAUSE, &mut stop).await;
    }
}

/// Asks the real counter, and finds orders that it is not asked about yet.
async fn ask_counter(app: &App, mut stop: watch::Receiver<bool>) {
    let mut finder = counter::Finder::default();
    while !*stop.borrow() {
        if let Err(error) = finder.look(app).await {
            tracing::warn!(?error, "looking for orders to count failed");
        }
        if let Err(error) = counter::ask_due(app).await {
            tracing::warn!(?error, "asking the counter failed");
        }
        wait_for_next_round(&app.db, PAUSE, &mut stop).await;
    }
}

/// Removes expired records, once a day.
async fn retain(app: &App, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        if let Err(error) = retention::run_daily(app).await {
            tracing::warn!(?error, "failed to remove expired records");
        }
        wait_for_next_round(&app.db, RETENTION_PAUSE, &mut stop).await;
    }
}

/// Erases the personal data of customers for whom that was requested.
async fn erase(app: &App, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        match personal_data::worker::run_due(app).await {
            Ok(batches) if batches > 0 => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(?error, "failed to erase records of a customer"),
        }
        wait_for_next_round(&app.db, PAUSE, &mut stop).await;
    }
}

async fn work(app: &App, kind: &'static str, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        match run_queue(app, kind).await {
            Ok(found) if found > 0 => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "background work failed"),
        }
        wait_for_next_round(&app.db, PAUSE, &mut stop).await;
    }
}

async fn keep(app: &App, mut stop: watch::Receiver<bool>) {
    let (mut round, mut sealer, mut affiliates) = (0_u64, Sealer::default(), Follower::default());
    while !*stop.borrow() {
        if let Err(error) = upkeep(app, &mut sealer, &mut affiliates, round).await {
            tracing::warn!(%error, "upkeep failed");
        }
        round += 1;
        wait_for_next_round(&app.db, PAUSE, &mut stop).await;
    }
}

async fn upkeep(app: &App, sealer: &mut Sealer, affiliates: &mut Follower, round: u64) -> DbResult<()> {
    counts::fold(&app.db).await?;
    sealer.look(app).await?;
    if round.is_multiple_of(MINUTE) {
        affiliates.look(&app.db, app.clock.now()).await?;
        if let Err(error) = imports::sync::enqueue_due(app).await {
            tracing::warn!(?error, "looking for panels to follow failed");
        }
        if let Err(error) = grades::promotion::promote_daily(app).await {
            tracing::warn!(?error, "failed to promote customers to the grades that they reached");
        }
    }
    if round.is_multiple_of(ROUNDS) {
        paces::refresh(&app.db, app.clock.now()).await?;
        app.rates.tidy();
        sealer.say(&app.db).await?;
    }
    Ok(())
}

/// Does one batch of due jobs of every queue; how many there were.
pub async fn run_due(app: &App) -> DbResult<usize> {
    let mut found = 0;
    for kind in Job::KINDS {
        found += run_queue(app, kind).await?;
    }
    Ok(found)
}

/// Does one batch of a queue's due jobs; how many there were.
pub async fn run_queue(app: &App, kind: &'static str) -> DbResult<usize> {
    let now = app.clock.now();
    // A look that needs no writer, as there is mostly nothing to do.
    if !store::any_due(app, kind, now).await? {
        return Ok(0);
    }
    let (jobs, batch) = store::lease(app, kind, now, Time(now.0 + LEASE_MICROS), BATCH).await?;
    let found = jobs.len();
    batch.work(app, do_jobs(app, jobs)).await?;
    Ok(found)
}

async fn do_jobs(app: &App, jobs: Vec<Leased>) -> DbResult<()> {
    let ended = join_all(jobs.into_iter().map(|job| attempt(app, job))).await;
    let now = app.clock.now();
    let done: Vec<i64> =
        ended.iter().filter(|(_, end)| matches!(end, Outcome::Done)).map(|(job, _)| job.id).collect();
    store::mark_done(&app.db, &app.instance, &done, now).await?;
    for (job, outcome) in ended {
        match outcome {
            Outcome::Done => {}
            Outcome::Interrupted => store::release(&app.db, &app.instance, job.id, None).await?,
            Outcome::Failed(Failure::Postponed(until)) => {
                store::release(&app.db, &app.instance, job.id, Some(until)).await?;
            }
            Outcome::Failed(failure) => set_back(app, &job, &failure, now).await?,
        }
    }
    Ok(())
}

/// Does one job. It may neither hang nor take the worker down with it.
async fn attempt(app: &App, job: Leased) -> (Leased, Outcome) {
    let work = match serde_json::from_str::<Job>(&job.payload) {
        Ok(work) => work,
        Err(error) => {
            let failure = Failure::Never(format!("the job cannot be read: {error}"));
            return (job, Outcome::Failed(failure));
        }
    };
    let work = AssertUnwindSafe(job_handlers::run(work, app, &job)).catch_unwind();
    let mut stop = app.stop.subscribe();
    let stopped = async {
        // The sender lives in the app; without it there is nothing to stop for.
        drop(stop.wait_for(|stop| *stop).await);
        tokio::time::sleep(PARTING).await;
    };
    let outcome = tokio::select! {
        ended = tokio::time::timeout(LONGEST, work) => match ended {
            Ok(Ok(Ok(()))) => Outcome::Done,
            Ok(Ok(Err(failure))) => Outcome::Failed(failure),
            Ok(Err(_)) => Outcome::Failed(Failure::Later("the job panicked".into())),
            Err(_) => Outcome::Failed(Failure::Later(format!("no end after {} s", LONGEST.as_secs()))),
        },
        () = stopped => Outcome::Interrupted,
    };
    (job, outcome)
}

async fn set_back(app: &App, job: &Leased, failure: &Failure, now: Time) -> DbResult<()> {
    let (error, again) = match failure {
        Failure::Later(error) => (error.as_str(), next_try(job.id, job.attempts, now)),
        Failure::At(error, again) => (error.as_str(), Some(*again)),
        Failure::Postponed(again) => ("", Some(*again)),
        Failure::Never(error) => (error.as_str(), None),
    };
    let gives_up = again.is_none();
    tracing::warn!(job = job.id, attempts = job.attempts, gives_up, %error, "a job failed");
    store::mark_failed(&app.db, &app.instance, job.id, error, now, again).await
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

    #[tokio::test]
    async fn what_panics_begins_again() {
        let begun = std::cell::Cell::new(0);
        ever("test", || async {
            begun.set(begun.get() + 1);
            assert!(begun.get() > 1, "the first time");
        })
        .await;
        assert_eq!(begun.get(), 2);
    }

    #[test]
    fn a_lease_outlives_the_longest_job() {
        let longest = LONGEST + PARTING;
        assert!(i64::try_from(longest.as_micros()).unwrap() < LEASE_MICROS);
    }
}
