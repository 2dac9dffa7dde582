//! The only place that reads the system clock. Everybody else is handed a [`Clock`], so tests decide the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use panel_contract::moment::Time;

/// Tells the time in microseconds since 1970, UTC.
pub trait Clock: Send + Sync + 'static {
    /// The current moment.
    fn now(&self) -> Time;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the room that may read the clock")]
    fn now(&self) -> Time {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Time(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }
}

/// A clock that stands until it is moved, for tests.
#[derive(Debug, Clone, Default)]
pub struct FixedClock(Arc<AtomicI64>);

impl FixedClock {
    /// Stands at `now`.
    #[must_use]
    pub fn at(now: Time) -> Self {
        Self(Arc::new(AtomicI64::new(now.0)))
    }

    /// Moves on by `seconds`.
    pub fn advance_secs(&self, seconds: i64) {
        self.0.fetch_add(seconds.saturating_mul(1_000_000), Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Time {
        Time(self.0.load(Ordering::SeqCst))
    }
}
