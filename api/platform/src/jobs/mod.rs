//! Background work as rows: the outbox and everything that need not happen on the way of a request.
//!
//! A job is enqueued in the transaction of the change that wants it, so neither exists without the other. Workers
//! lease jobs, so several processes share them; a job may run twice (a worker can die after the effect), never
//! less than once.

pub mod daily;
pub mod failure;
pub mod heartbeat;
pub mod job;
pub mod processes;
pub mod rounds;
pub mod store;

use panel_kernel::error::Result;

use crate::db::Source;
use crate::jobs::job::Job;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;

/// What claims the jobs of a queue.
#[must_use]
pub fn poller(kind: &str) -> Poller {
    // A test asks for each kind.
    kind.parse().unwrap_or(Poller::Mail)
}

/// Enqueues jobs, due at once, in the caller's transaction.
pub async fn enqueue(db: &mut impl Source, jobs: &[Job], now: Time) -> Result<()> {
    store::insert(db, jobs, now).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_has_a_poller_of_its_name() {
        for kind in Job::KINDS {
            assert_eq!(poller(kind).as_str(), *kind);
        }
    }
}
