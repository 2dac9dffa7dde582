//! The queues of jobs: each kind is claimed by a poller of its own, so that emails do not wait behind ten thousand deliveries.
//! Failed jobs are tried again later and later. What a job does is the context's business.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use panel_contract::ids::JobId;
use panel_contract::moment::Time;
use panel_kernel::backoff::{Backoff, Chance};
use panel_kernel::error::Result;
use tracing::Instrument as _;

use crate::db::DbResult;
use crate::jobs;
use crate::jobs::failure::Failure;
use crate::jobs::job::Job;
use crate::jobs::store::{self, Leased};
use crate::lease::Claimed;
use crate::lease::declared::CLAIM;
use crate::platform::Platform;
use crate::poller::Poller;
use crate::poller::worked::{PollContext, Worked};
use crate::quarantine::ClaimedBatch;
use crate::telemetry::spans;

/// Between two polls of a queue.
const EVERY: Duration = Duration::from_secs(1);
/// Jobs claimed and done at once.
const BATCH: i64 = 20;
/// How long one job may take.
const JOB_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a job may go on when the process is to end.
const JOB_STOP_GRACE: Duration = Duration::from_secs(5);
/// Between two tries of a job, spread by its id, so that a mail server that comes back is not stormed. After the last step a job
/// is given up and shown to staff.
const JOB_BACKOFF: Backoff<'static> =
    Backoff::steps_secs(&[5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 72_000, 86_400]).add_up_to(200);

/// A context that knows how to do jobs.
pub trait JobContext: PollContext {
    /// Does one job, as it was claimed.
    fn run_job(&self, job: Job, claimed: &Leased) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// How a job ended.
enum Outcome {
    Done,
    Failed(Failure),
    /// The process is to end: another try is due at once and this one does not count.
    Interrupted,
}

impl Outcome {
    const fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed(Failure::Postponed(_)) => "postponed",
            Self::Failed(Failure::Never(_)) => "given_up",
            Self::Failed(Failure::Later(_) | Failure::At(..)) => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The poller of one queue.
#[must_use]
pub fn poller<C: JobContext>(queue: &'static str) -> Poller<C> {
    let claim = move |context: C| async move { Ok(claim(context.platform(), queue).await?) };
    let work = move |context: C, jobs| async move { Ok(run_batch(&context, queue, jobs).await?) };
    Poller::new(queue, EVERY, claim, work)
        .again_while_found()
        .quarantined_as(jobs::quarantine_kind(queue))
        .with_backlog(move |context: &C| store::backlog(context.platform(), queue))
}

async fn claim(platform: &Platform, queue: &'static str) -> DbResult<Claimed<Vec<Leased>>> {
    let now = platform.clock.now();
    // A look that needs no writer, as there is mostly nothing to do.
    if !store::any_due(platform, queue, now).await? {
        return Ok(Claimed::new(Vec::new(), 0, ClaimedBatch::none()));
    }
    let (jobs, guard) = store::lease(platform, queue, now, now.after(CLAIM), BATCH).await?;
    let records = jobs.len();
    Ok(Claimed::new(jobs, records, guard))
}

async fn run_batch<C: JobContext>(context: &C, queue: &'static str, jobs: Vec<Leased>) -> DbResult<Worked> {
    let platform = context.platform();
    let ended = join_all(jobs.into_iter().map(|job| attempt(context, queue, job))).await;
    let now = platform.clock.now();
    let done: Vec<JobId> =
        ended.iter().filter(|(_, end)| matches!(end, Outcome::Done)).map(|(job, _)| job.id).collect();
    store::mark_done(&platform.db, &platform.instance, &done, now).await?;
    let mut worked = Worked::done(done.len());
    for (job, outcome) in ended {
        match outcome {
            Outcome::Done => {}
            Outcome::Interrupted => store::release(&platform.db, &platform.instance, job.id, None).await?,
            Outcome::Failed(Failure::Postponed(until)) => {
                store::release(&platform.db, &platform.instance, job.id, Some(until)).await?;
            }
            Outcome::Failed(failure) => {
                worked.failed += 1;
                set_back(platform, &job, &failure, now).await?;
            }
        }
    }
    Ok(worked)
}

/// Does one job, in a span of its own.
async fn attempt<C: JobContext>(context: &C, queue: &'static str, job: Leased) -> (Leased, Outcome) {
    let span = spans::job(queue, job.id, job.attempts);
    let outcome = run_one(context, &job).instrument(span.clone()).await;
    span.record("outcome", outcome.word());
    if matches!(outcome, Outcome::Failed(Failure::Later(_) | Failure::At(..) | Failure::Never(_))) {
        span.record("otel.status_code", "ERROR");
    }
    (job, outcome)
}

/// Does one job. It may neither hang nor take the others of its batch down with it.
async fn run_one<C: JobContext>(context: &C, job: &Leased) -> Outcome {
    let work = match serde_json::from_str::<Job>(&job.payload) {
        Ok(work) => work,
        Err(error) => {
            return Outcome::Failed(Failure::Never(format!("the job cannot be read: {error}")));
        }
    };
    let work = AssertUnwindSafe(context.run_job(work, job)).catch_unwind();
    let mut stop = context.platform().stop.subscribe();
    let stopped = async {
        // The sender lives in the platform; without it there is nothing to stop for.
        drop(stop.wait_for(|stop| *stop).await);
        // No poller: the deadline of one job, in the task that does it.
        tokio::time::sleep(JOB_STOP_GRACE).await;
    };
    tokio::select! {
        ended = tokio::time::timeout(JOB_TIMEOUT, work) => match ended {
            Ok(Ok(Ok(()))) => Outcome::Done,
            Ok(Ok(Err(failure))) => Outcome::Failed(failure),
            Ok(Err(_)) => Outcome::Failed(Failure::Later("the job panicked".into())),
            Err(_) => Outcome::Failed(Failure::Later(format!("no end after {} s", JOB_TIMEOUT.as_secs()))),
        },
        () = stopped => Outcome::Interrupted,
    }
}

async fn set_back(platform: &Platform, job: &Leased, failure: &Failure, now: Time) -> DbResult<()> {
    let (error, next) = match failure {
        Failure::Later(error) => (error.as_str(), next_try(job.id, job.attempts, now)),
        Failure::At(error, next) => (error.as_str(), Some(*next)),
        Failure::Postponed(next) => ("", Some(*next)),
        Failure::Never(error) => (error.as_str(), None),
    };
    let gives_up = next.is_none();
    tracing::warn!(job_id = job.id.get(), attempts = job.attempts, gives_up, %error, "a job failed");
    store::mark_failed(&platform.db, &platform.instance, job.id, error, now, next).await
}

/// When to try again after `attempts` tries; none to give up.
fn next_try(id: JobId, attempts: i64, now: Time) -> Option<Time> {
    JOB_BACKOFF.next_try(attempts, Chance::of_id(id), now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_later_and_later_then_gives_up() {
        assert_eq!(next_try(JobId::new(10), 1, Time(0)), Some(Time(5_000_000)));
        assert_eq!(next_try(JobId::new(19), 1, Time(0)), Some(Time(5_900_000)));
        assert_eq!(next_try(JobId::new(10), 10, Time(0)), Some(Time(86_400_000_000)));
        assert_eq!(next_try(JobId::new(10), 11, Time(0)), None);
    }

    #[test]
    fn a_claim_outlives_the_longest_job() {
        assert!(JOB_TIMEOUT + JOB_STOP_GRACE < CLAIM);
    }
}
