//! The only module that reads the system clock. Other code gets a [`Clock`], so that tests control the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use panel_contract::moment::Time;

/// A source of the current time.
pub trait Clock: Send + Sync + 'static {
    /// Current UTC time.
    fn now(&self) -> Time;
}

#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "only this module may read the clock")]
    fn now(&self) -> Time {
        let since_epoch =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Time(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    }
}

/// A manually advanced clock, for tests.
#[derive(Debug, Clone, Default)]
pub struct FixedClock(Arc<AtomicI64>);

impl FixedClock {
    #[must_use]
    pub fn new(now: Time) -> Self {
        Self(Arc::new(AtomicI64::new(now.0)))
    }

    pub fn advance_secs(&self, seconds: i64) {
        self.0.fetch_add(seconds.saturating_mul(1_000_000), Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Time {
        Time(self.0.load(Ordering::SeqCst))
    }
}
