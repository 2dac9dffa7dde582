//! Input and result of background work: [`PollContext`] and [`WorkSummary`]. It does not depend on pollers.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures_util::FutureExt as _;
use panel_contract::ids::RecordId;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::{Error, Result};

use crate::platform::Platform;

/// Context of background work: the platform, or an application that contains it. Cheap to clone.
pub trait PollContext: Clone + Send + Sync + 'static {
    /// The platform.
    fn platform(&self) -> &Platform;
}

impl PollContext for Platform {
    fn platform(&self) -> &Platform {
        self
    }
}

/// Number of processed records of a poll. A record that waits without an attempt is in neither number.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct WorkSummary {
    /// Records whose step was done.
    pub done: usize,
    /// Records whose step failed; it is retried later or given up.
    pub failed: usize,
}

impl WorkSummary {
    /// A summary of `done` records without a failure.
    #[must_use]
    pub const fn done(done: usize) -> Self {
        Self { done, failed: 0 }
    }

    /// Counts a record whose step failed and logs the error, so that the work continues with the next record. Returns the error
    /// where the database failed: that is no fault of the record, and the next one would fail as well. A record whose transaction
    /// conflicted with another one stays due and counts in neither number.
    pub fn fail(&mut self, kind: QuarantineKind, record_id: RecordId, error: Error) -> Result<()> {
        if error.is_database_error() {
            return Err(error);
        }
        let (kind, record_id) = (kind.as_str(), record_id.get());
        if error.is_worth_a_retry() {
            tracing::debug!(
                kind,
                record_id,
                ?error,
                "the transaction of a due record conflicted with another one"
            );
            return Ok(());
        }
        tracing::error!(kind, record_id, ?error, "failed to work on a due record");
        self.failed += 1;
        Ok(())
    }
}

/// A boxed future.
pub(super) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Turns a panic into an error, so that it does not drop the calls that run beside it.
pub async fn catch_panic<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let ended = AssertUnwindSafe(work).catch_unwind().await;
    ended.unwrap_or_else(|_| Err(Error::Fault("the work panicked".to_owned())))
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use panel_kernel::storage_error::{StorageError, StorageErrorKind};

    use super::*;

    #[test]
    fn only_a_failed_database_ends_the_work() {
        let storage = |kind| Error::Storage(StorageError { kind, text: String::new() });
        let mut summary = WorkSummary::done(1);
        let mut fail = |error| summary.fail(QuarantineKind::Order, RecordId::NONE, error);
        assert!(fail(storage(StorageErrorKind::Other)).is_ok() && fail(Error::Fault("ours".into())).is_ok());
        assert!(fail(storage(StorageErrorKind::Retry)).is_ok(), "it is in neither number");
        use StorageErrorKind::{Busy, Full, ReadOnly, TooSlow, Unavailable, UnknownOutcome};
        for kind in [Busy, Full, Unavailable, ReadOnly, TooSlow, UnknownOutcome] {
            assert!(fail(storage(kind)).is_err(), "{kind:?}");
        }
        assert_eq!(summary, WorkSummary { done: 1, failed: 2 });
    }

    #[tokio::test]
    async fn work_that_panics_drops_no_work_beside_it() {
        let works = (0..3).map(|n| {
            catch_panic(async move {
                assert_ne!(n, 0, "the first one");
                tokio::task::yield_now().await;
                Ok(n)
            })
        });
        let ended: Vec<_> = join_all(works).await.into_iter().map(Result::ok).collect();
        assert_eq!(ended, [None, Some(1), Some(2)]);
    }
}
