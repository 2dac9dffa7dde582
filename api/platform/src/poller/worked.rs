//! What work is given and what it answers. It knows no poller.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures_util::FutureExt as _;
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

    use super::*;

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
