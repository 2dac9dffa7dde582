//! The input and the result of background work: [`PollContext`] and [`WorkSummary`]. This module does not depend on pollers.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures_util::FutureExt as _;
use panel_contract::ids::RecordId;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::{Error, Result};

use crate::platform::Platform;

/// The context of background work: the platform, or an application that contains it. Cheap to clone.
pub trait PollContext: Clone + Send + Sync + 'static {
    fn platform(&self) -> &Platform;
}

impl PollContext for Platform {
    fn platform(&self) -> &Platform {
        self
    }
}

/// The number of records that a poll processed. Neither number includes a record that still waits for its attempt.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct WorkSummary {
    /// Records whose due step succeeded.
    pub done: usize,
    /// Records whose due step failed; the worker retries the step later or gives it up.
    pub failed: usize,
}

impl WorkSummary {
    /// Creates a summary of `done` records without a failure.
    #[must_use]
    pub const fn done(done: usize) -> Self {
        Self { done, failed: 0 }
    }

    /// Counts a record whose due step failed and logs the error, so that the work continues with the next record. Returns an error
    /// of the database instead, because the next record would fail as well. A record whose transaction conflicted with another
    /// transaction stays due, and neither number includes it.
    pub fn record_failure(&mut self, kind: QuarantineKind, record_id: RecordId, error: Error) -> Result<()> {
        if error.is_database_error() {
            return Err(error);
        }
        let (kind, record_id) = (kind.as_str(), record_id.get());
        if error.is_retryable() {
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

pub(super) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Converts a panic of one call into an error, so that the panic does not drop the calls that run in the same task.
pub async fn catch_panic<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let result = AssertUnwindSafe(work).catch_unwind().await;
    result.unwrap_or_else(|_| Err(Error::Internal("the work panicked".to_owned())))
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use panel_kernel::storage_error::{StorageError, StorageErrorKind};

    use super::*;

    #[test]
    fn only_an_error_of_the_database_ends_the_work() {
        let storage_error = |kind| Error::Storage(StorageError { kind, text: String::new() });
        let mut summary = WorkSummary::done(1);
        let mut record_failure = |error| summary.record_failure(QuarantineKind::Order, RecordId::NONE, error);
        assert!(record_failure(storage_error(StorageErrorKind::Other)).is_ok());
        assert!(record_failure(Error::Internal("bug".into())).is_ok());
        assert!(record_failure(storage_error(StorageErrorKind::Retry)).is_ok(), "neither number includes it");
        use StorageErrorKind::{Busy, Full, ReadOnly, TooSlow, Unavailable, UnknownOutcome};
        for kind in [Busy, Full, Unavailable, ReadOnly, TooSlow, UnknownOutcome] {
            assert!(record_failure(storage_error(kind)).is_err(), "{kind:?}");
        }
        assert_eq!(summary, WorkSummary { done: 1, failed: 2 });
    }

    #[tokio::test]
    async fn a_panic_does_not_drop_concurrent_work() {
        let calls = (0..3).map(|number| {
            catch_panic(async move {
                assert_ne!(number, 0, "the first call panics");
                tokio::task::yield_now().await;
                Ok(number)
            })
        });
        let results: Vec<_> = join_all(calls).await.into_iter().map(Result::ok).collect();
        assert_eq!(results, [None, Some(1), Some(2)]);
    }
}
