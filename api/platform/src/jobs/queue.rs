//! The queues of jobs: each kind has a poller of its own, so that emails do not wait behind ten thousand webhook deliveries. Failed
//! jobs are retried with backoff. The context implements what a job does.

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
use crate::jobs::failure::JobFailure;
use crate::jobs::job::Job;
use crate::jobs::store::{self, LeasedJob};
use crate::lease::ClaimedWork;
use crate::lease::declared::CLAIM_DURATION;
use crate::platform::Platform;
use crate::poller::Poller;
use crate::poller::work::{PollContext, WorkSummary};
use crate::quarantine::ClaimedBatch;
use crate::telemetry::spans;

/// Interval between two polls of a queue.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Number of jobs that are claimed together and run in parallel.
const BATCH: i64 = 20;
/// Longest duration of one job.
const JOB_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a job may continue after shutdown begins.
const JOB_SHUTDOWN_GRACE: Duration = Duration::from_secs(5);
/// Delays between two attempts of a job, spread by its id, so that a mail server that recovers is not overloaded. After the last
/// step the job is given up and shown to staff.
const JOB_BACKOFF: Backoff<'static> =
    Backoff::steps_secs(&[5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 72_000, 86_400]).add_up_to(200);

/// A context that runs jobs.
pub trait JobContext: PollContext {
    /// Runs one job; `leased` is its row.
    fn run_job(&self, job: Job, leased: &LeasedJob) -> impl Future<Output = Result<(), JobFailure>> + Send;
}

/// How a job ended.
enum Outcome {
    Done,
    Failed(JobFailure),
    /// Shutdown interrupted the job: it is due again at once, and this attempt does not count.
    Interrupted,
}

impl Outcome {
    const fn as_str(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed(JobFailure::Postponed(_)) => "postponed",
            Self::Failed(JobFailure::Permanent(_)) => "given_up",
            Self::Failed(JobFailure::Retry(_) | JobFailure::RetryAt(..)) => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The poller of one queue.
#[must_use]
pub fn poller<C: JobContext>(queue: &'static str) -> Poller<C> {
    let claim = move |context: C| async move { Ok(claim(context.platform(), queue).await?) };
    let work = move |context: C, jobs| async move { Ok(run_batch(&context, queue, jobs).await?) };
    Poller::new(queue, POLL_INTERVAL, claim, work)
        .repoll_while_found()
        .quarantined_as(jobs::quarantine_kind(queue))
        .with_backlog(move |context: &C| store::backlog(context.platform(), queue))
}

async fn claim(platform: &Platform, queue: &'static str) -> DbResult<ClaimedWork<Vec<LeasedJob>>> {
    let now = platform.clock.now();
    // A read first, because usually no job is due and a read needs no writer.
    if !store::has_due_jobs(platform, queue, now).await? {
        return Ok(ClaimedWork::new(Vec::new(), 0, ClaimedBatch::none()));
    }
    let (jobs, guard) = store::lease(platform, queue, now, now.after(CLAIM_DURATION), BATCH).await?;
    let records = jobs.len();
    Ok(ClaimedWork::new(jobs, records, guard))
}

async fn run_batch<C: JobContext>(
    context: &C,
    queue: &'static str,
    jobs: Vec<LeasedJob>,
) -> DbResult<WorkSummary> {
    let platform = context.platform();
    let ended = join_all(jobs.into_iter().map(|job| attempt(context, queue, job))).await;
    let now = platform.clock.now();
    let done: Vec<JobId> =
        ended.iter().filter(|(_, end)| matches!(end, Outcome::Done)).map(|(job, _)| job.id).collect();
    store::mark_done(&platform.db, &platform.instance, &done, now).await?;
    let mut worked = WorkSummary::done(done.len());
    for (job, outcome) in ended {
        match outcome {
            Outcome::Done => {}
            Outcome::Interrupted => store::release(&platform.db, &platform.instance, job.id, None).await?,
            Outcome::Failed(JobFailure::Postponed(until)) => {
                store::release(&platform.db, &platform.instance, job.id, Some(until)).await?;
            }
            Outcome::Failed(failure) => {
                worked.failed += 1;
                record_failure(platform, &job, &failure, now).await?;
            }
        }
    }
    Ok(worked)
}

/// Runs one job in a span of its own.
async fn attempt<C: JobContext>(context: &C, queue: &'static str, job: LeasedJob) -> (LeasedJob, Outcome) {
    let span = spans::job(queue, job.id, job.attempts);
    let outcome = run_one(context, &job).instrument(span.clone()).await;
    span.record("outcome", outcome.as_str());
    if matches!(
        outcome,
        Outcome::Failed(JobFailure::Retry(_) | JobFailure::RetryAt(..) | JobFailure::Permanent(_))
    ) {
        span.record("otel.status_code", "ERROR");
    }
    (job, outcome)
}

/// Runs one job with a timeout, and catches its panic, so that it cannot stop the other jobs of its batch.
async fn run_one<C: JobContext>(context: &C, job: &LeasedJob) -> Outcome {
    let work = match serde_json::from_str::<Job>(&job.payload) {
        Ok(work) => work,
        Err(error) => {
            return Outcome::Failed(JobFailure::Permanent(format!("failed to parse the job: {error}")));
        }
    };
    let work = AssertUnwindSafe(context.run_job(work, job)).catch_unwind();
    let mut stop = context.platform().stop.subscribe();
    let stopped = async {
        // The sender lives in the platform, which outlives the job.
        drop(stop.wait_for(|stop| *stop).await);
        // Not a poller: the deadline of one job, in the task that runs it.
        tokio::time::sleep(JOB_SHUTDOWN_GRACE).await;
    };
    tokio::select! {
        ended = tokio::time::timeout(JOB_TIMEOUT, work) => match ended {
            Ok(Ok(Ok(()))) => Outcome::Done,
            Ok(Ok(Err(failure))) => Outcome::Failed(failure),
            Ok(Err(_)) => Outcome::Failed(JobFailure::Retry("the job panicked".into())),
            Err(_) => Outcome::Failed(JobFailure::Retry(format!("the job timed out after {} s", JOB_TIMEOUT.as_secs()))),
        },
        () = stopped => Outcome::Interrupted,
    }
}

async fn record_failure(
    platform: &Platform,
    job: &LeasedJob,
    failure: &JobFailure,
    now: Time,
) -> DbResult<()> {
    let (error, next) = match failure {
        JobFailure::Retry(error) => (error.as_str(), next_attempt_at(job.id, job.attempts, now)),
        JobFailure::RetryAt(error, next) => (error.as_str(), Some(*next)),
        JobFailure::Postponed(next) => ("", Some(*next)),
        JobFailure::Permanent(error) => (error.as_str(), None),
    };
    let is_given_up = next.is_none();
    tracing::warn!(job_id = job.id.get(), attempts = job.attempts, is_given_up, %error, "job failed");
    store::mark_failed(&platform.db, &platform.instance, job.id, error, now, next).await
}

/// Time of the next attempt after `attempts` attempts; none to give up.
fn next_attempt_at(id: JobId, attempts: i64, now: Time) -> Option<Time> {
    JOB_BACKOFF.next_try(attempts, Chance::of_id(id), now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_until_the_job_is_given_up() {
        assert_eq!(next_attempt_at(JobId::new(10), 1, Time(0)), Some(Time(5_000_000)));
        assert_eq!(next_attempt_at(JobId::new(19), 1, Time(0)), Some(Time(5_900_000)));
        assert_eq!(next_attempt_at(JobId::new(10), 10, Time(0)), Some(Time(86_400_000_000)));
        assert_eq!(next_attempt_at(JobId::new(10), 11, Time(0)), None);
    }

    #[test]
    fn a_claim_outlives_the_longest_job() {
        assert!(JOB_TIMEOUT + JOB_SHUTDOWN_GRACE < CLAIM_DURATION);
    }
}
