//! Background jobs as rows of a table: the outbox, and other work that a request does not wait for.
//!
//! The transaction that changes a record also enqueues its jobs, so that neither exists without the other. Workers lease jobs, so
//! that several processes share the work. A job runs at least once; it may run twice, because a worker can die after it did the
//! work and before it recorded that.

pub mod failure;
pub mod heartbeat;
pub mod job;
pub mod processes;
pub mod queue;
pub mod store;

use panel_kernel::error::Result;

use crate::db::SqlExecutor;
use crate::jobs::job::Job;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;

/// The kind under which the jobs of a queue are quarantined.
#[must_use]
pub fn quarantine_kind(queue: &str) -> QuarantineKind {
    // The fallback is never used: a test checks each queue.
    queue.parse().unwrap_or(QuarantineKind::Mail)
}

/// Enqueues jobs, due immediately, in the caller's transaction.
pub async fn enqueue(db: &mut impl SqlExecutor, jobs: &[Job], now: Time) -> Result<()> {
    store::insert(db, jobs, now).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_has_a_quarantine_kind_of_its_name() {
        for queue in Job::KINDS {
            assert_eq!(quarantine_kind(queue).as_str(), *queue);
        }
    }
}
