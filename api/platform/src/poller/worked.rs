//! What work is given and what it answers. It knows no poller.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures_util::FutureExt as _;
use panel_contract::ids::RecordId;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::{Error, Result};

use crate::platform::Platform;

/// What work is given: the platform, or what an application has around it. Cheap to clone.
pub trait PollContext: Clone + Send + Sync + 'static {
    /// The platform below.
    fn platform(&self) -> &Platform;
}

impl PollContext for Platform {
    fn platform(&self) -> &Platform {
        self
    }
}

/// What became of the records of a poll. Records that wait without a try are in neither number.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Worked {
    /// Records whose step was done.
    pub done: usize,
    /// Records whose step failed, and is tried again or given up.
    pub failed: usize,
}

impl Worked {
    /// So many records without a failure.
    #[must_use]
    pub const fn done(done: usize) -> Self {
        Self { done, failed: 0 }
    }

    /// Counts a record whose step failed and logs why, so that the next record follows. Returns the error where the
    /// database failed: that says nothing of the record, and the next one would fail as well. A record that another transaction was in
    /// the way of stays due and counts in neither number.
    pub fn fail(&mut self, kind: QuarantineKind, record_id: RecordId, error: Error) -> Result<()> {
        if error.is_of_database() {
            return Err(error);
        }
        let (kind, record_id) = (kind.as_str(), record_id.get());
        if error.is_worth_a_retry() {
            tracing::debug!(kind, record_id, ?error, "another transaction was in the way of a due record");
            return Ok(());
        }
        tracing::error!(kind, record_id, ?error, "failed to work on a due record");
        self.failed += 1;
        Ok(())
    }
}

/// A future without its type.
pub(super) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Turns a panic into an error: it must not drop the calls that are under way beside it.
pub async fn caught<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let ended = AssertUnwindSafe(work).catch_unwind().await;
    ended.unwrap_or_else(|_| Err(Error::Fault("it panicked".to_owned())))
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use panel_kernel::storage_error::{StorageError, StorageErrorKind};

    use super::*;

    #[test]
    fn only_a_database_that_fails_ends_the_work() {
        let storage = |kind| Error::Storage(StorageError { kind, text: String::new() });
        let mut worked = Worked::done(1);
        let mut fail = |error| worked.fail(QuarantineKind::Order, RecordId::NONE, error);
        assert!(fail(storage(StorageErrorKind::Other)).is_ok() && fail(Error::Fault("ours".into())).is_ok());
        assert!(fail(storage(StorageErrorKind::Retry)).is_ok(), "it is in neither number");
        use StorageErrorKind::{Busy, Full, Gone, ReadOnly, TooSlow, UnknownOutcome};
        for kind in [Busy, Full, Gone, ReadOnly, TooSlow, UnknownOutcome] {
            assert!(fail(storage(kind)).is_err(), "{kind:?}");
        }
        assert_eq!(worked, Worked { done: 1, failed: 2 });
    }

    #[tokio::test]
    async fn work_that_panics_drops_no_work_beside_it() {
        let works = (0..3).map(|n| {
            caught(async move {
                assert_ne!(n, 0, "the first one");
                tokio::task::yield_now().await;
                Ok(n)
            })
        });
        let ended: Vec<_> = join_all(works).await.into_iter().map(Result::ok).collect();
        assert_eq!(ended, [None, Some(1), Some(2)]);
    }
}
