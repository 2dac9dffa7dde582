//! Failure of a job, and whether to retry it.

use panel_contract::moment::Time;

/// Failure of a job. The text is for the log and for staff, and never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobFailure {
    /// Retried after the backoff of the queue.
    Retry(String),
    /// Retried at this time, as the schedule of the job demands.
    RetryAt(String, Time),
    /// Not attempted, and due again at this time.
    Postponed(Time),
    /// Given up, because no retry can succeed.
    Permanent(String),
}
