//! Background work as rows: the outbox and everything that need not happen on the way of a request.
//!
//! A job is enqueued in the transaction of the change that wants it, so neither exists without the other. Workers
//! lease jobs, so several processes share them; a job may run twice (a worker can die after the effect), never
//! less than once.

pub mod failure;
pub mod heartbeat;
pub mod job;
pub mod processes;
pub mod queue;
pub mod store;

use panel_kernel::error::Result;

use crate::db::Source;
use crate::jobs::job::Job;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;

/// The word by which the jobs of a queue are quarantined.
#[must_use]
pub fn quarantine_kind(queue: &str) -> QuarantineKind {
    // A test asks for each queue.
    queue.parse().unwrap_or(QuarantineKind::Mail)
}

/// Enqueues jobs, due at once, in the caller's transaction.
pub async fn enqueue(db: &mut impl Source, jobs: &[Job], now: Time) -> Result<()> {
    store::insert(db, jobs, now).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_is_quarantined_by_its_name() {
        for queue in Job::KINDS {
            assert_eq!(quarantine_kind(queue).as_str(), *queue);
        }
    }
}
