//! Runs the queues of jobs. Each queue has its own poller, so that emails do not wait behind ten thousand webhook deliveries. The
//! poller retries failed jobs with backoff. The [`JobContext`] implements what a job does.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use panel_contract::ids::JobId;
use panel_contract::moment::Time;
use panel_kernel::backoff::{Backoff, JitterFraction};
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

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Number of jobs that a poll claims and runs in parallel.
const BATCH_SIZE: i64 = 20;
const JOB_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a job may continue after shutdown begins.
const JOB_SHUTDOWN_GRACE: Duration = Duration::from_secs(5);
/// Delays between two attempts of a job. The id of the job adds jitter, so that all retries together do not overload a mail server
/// that has just recovered. After the last delay the worker gives the job up, and staff see it.
const JOB_BACKOFF: Backoff<'static> =
    Backoff::steps_secs(&[5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 72_000, 86_400]).add_up_to(200);

/// Implements the jobs of the server.
pub trait JobContext: PollContext {
    /// Runs one job; `leased` is the row of the job.
    fn run_job(&self, job: Job, leased: &LeasedJob) -> impl Future<Output = Result<(), JobFailure>> + Send;
}

enum JobOutcome {
    Done,
    Failed(JobFailure),
    /// Shutdown interrupted the job: it is due again immediately, and this attempt does not count.
    Interrupted,
}

impl JobOutcome {
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

/// Creates the poller of one queue.
#[must_use]
pub fn poller<C: JobContext>(queue: &'static str) -> Poller<C> {
    let claim = move |context: C| async move { Ok(claim(context.platform(), queue).await?) };
    let work = move |context: C, jobs| async move { Ok(run_batch(&context, queue, jobs).await?) };
    Poller::new(queue, POLL_INTERVAL, claim, work)
        .repoll_while_found()
        .quarantined_as(jobs::quarantine_kind(queue))
        .with_backlog(move |context: &C| store::select_backlog(context.platform(), queue))
}

async fn claim(platform: &Platform, queue: &'static str) -> DbResult<ClaimedWork<Vec<LeasedJob>>> {
    let now = platform.clock.now();
    // Usually no job is due, and a read, unlike a claim, needs no writer.
    if !store::has_due_jobs(platform, queue, now).await? {
        return Ok(ClaimedWork::new(Vec::new(), 0, ClaimedBatch::none()));
    }
    let (jobs, batch) = store::lease(platform, queue, now, now.plus(CLAIM_DURATION), BATCH_SIZE).await?;
    let job_count = jobs.len();
    Ok(ClaimedWork::new(jobs, job_count, batch))
}

async fn run_batch<C: JobContext>(
    context: &C,
    queue: &'static str,
    jobs: Vec<LeasedJob>,
) -> DbResult<WorkSummary> {
    let platform = context.platform();
    let outcomes = join_all(jobs.into_iter().map(|job| run_in_span(context, queue, job))).await;
    let now = platform.clock.now();
    let is_done = |(_, outcome): &&(LeasedJob, JobOutcome)| matches!(outcome, JobOutcome::Done);
    let done: Vec<JobId> = outcomes.iter().filter(is_done).map(|(job, _)| job.id).collect();
    store::mark_done(&platform.db, &platform.instance, &done, now).await?;
    let mut summary = WorkSummary::done(done.len());
    for (job, outcome) in outcomes {
        match outcome {
            JobOutcome::Done => {}
            JobOutcome::Interrupted => {
                store::release(&platform.db, &platform.instance, job.id, None).await?;
            }
            JobOutcome::Failed(JobFailure::Postponed(until)) => {
                store::release(&platform.db, &platform.instance, job.id, Some(until)).await?;
            }
            JobOutcome::Failed(failure) => {
                summary.failed += 1;
                record_failure(platform, &job, &failure, now).await?;
            }
        }
    }
    Ok(summary)
}

async fn run_in_span<C: JobContext>(
    context: &C,
    queue: &'static str,
    job: LeasedJob,
) -> (LeasedJob, JobOutcome) {
    let span = spans::job(queue, job.id, job.attempts);
    let outcome = run_with_timeout(context, &job).instrument(span.clone()).await;
    span.record("outcome", outcome.as_str());
    if matches!(
        outcome,
        JobOutcome::Failed(JobFailure::Retry(_) | JobFailure::RetryAt(..) | JobFailure::Permanent(_))
    ) {
        span.record("otel.status_code", "ERROR");
    }
    (job, outcome)
}

/// Runs one job with a timeout. Catches a panic of the job, so that it cannot stop the other jobs of the batch.
async fn run_with_timeout<C: JobContext>(context: &C, leased: &LeasedJob) -> JobOutcome {
    let job = match serde_json::from_str::<Job>(&leased.payload) {
        Ok(job) => job,
        Err(error) => {
            return JobOutcome::Failed(JobFailure::Permanent(format!("failed to parse the job: {error}")));
        }
    };
    let run = AssertUnwindSafe(context.run_job(job, leased)).catch_unwind();
    let mut stop = context.platform().stop.subscribe();
    let shutdown_deadline = async {
        // The platform owns the sender, and outlives the job.
        drop(stop.wait_for(|stop| *stop).await);
        // Not a poller: the deadline of one job, in the task that runs the job.
        tokio::time::sleep(JOB_SHUTDOWN_GRACE).await;
    };
    tokio::select! {
        result = tokio::time::timeout(JOB_TIMEOUT, run) => match result {
            Ok(Ok(Ok(()))) => JobOutcome::Done,
            Ok(Ok(Err(failure))) => JobOutcome::Failed(failure),
            Ok(Err(_)) => JobOutcome::Failed(JobFailure::Retry("the job panicked".into())),
            Err(_) => JobOutcome::Failed(JobFailure::Retry(format!("the job timed out after {} s", JOB_TIMEOUT.as_secs()))),
        },
        () = shutdown_deadline => JobOutcome::Interrupted,
    }
}

async fn record_failure(
    platform: &Platform,
    job: &LeasedJob,
    failure: &JobFailure,
    now: Time,
) -> DbResult<()> {
    let (error, run_at) = match failure {
        JobFailure::Retry(error) => (error.as_str(), next_attempt_at(job.id, job.attempts, now)),
        JobFailure::RetryAt(error, run_at) => (error.as_str(), Some(*run_at)),
        JobFailure::Postponed(run_at) => ("", Some(*run_at)),
        JobFailure::Permanent(error) => (error.as_str(), None),
    };
    let is_given_up = run_at.is_none();
    tracing::warn!(job_id = job.id.get(), attempts = job.attempts, is_given_up, %error, "job failed");
    store::mark_failed(&platform.db, &platform.instance, job.id, error, now, run_at).await
}

/// Returns the time of the next attempt; `None` to give the job up after so many attempts.
fn next_attempt_at(id: JobId, attempts: i64, now: Time) -> Option<Time> {
    JOB_BACKOFF.next_attempt_at_or_none(attempts, JitterFraction::from_id(id), now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_until_the_worker_gives_the_job_up() {
        assert_eq!(next_attempt_at(JobId::new(10), 1, Time(0)), Some(Time(5_000_000)));
        assert_eq!(next_attempt_at(JobId::new(19), 1, Time(0)), Some(Time(5_900_000)));
        assert_eq!(next_attempt_at(JobId::new(10), 10, Time(0)), Some(Time(86_400_000_000)));
        assert_eq!(next_attempt_at(JobId::new(10), 11, Time(0)), None);
    }

    #[test]
    fn a_claim_lasts_longer_than_the_longest_job() {
        assert!(JOB_TIMEOUT + JOB_SHUTDOWN_GRACE < CLAIM_DURATION);
    }
}
