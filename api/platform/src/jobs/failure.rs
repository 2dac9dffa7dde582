//! The failure of a job, and whether the worker retries the job.

use panel_contract::moment::Time;

/// Why a job did not succeed. The text is for the log and for staff, and must never contain a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobFailure {
    /// The worker retries the job after the backoff of the queue.
    Retry(String),
    /// The worker retries the job at this time, because the job has its own retry schedule.
    RetryAt(String, Time),
    /// The worker did not attempt the job, and runs it at this time.
    Postponed(Time),
    /// No retry can succeed: the worker gives the job up.
    Permanent(String),
}
