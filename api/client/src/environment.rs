//! Clock, timer and randomness as a trait, so that tests control the clock and never wait.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use panel_contract::moment::Time;

/// Clock, timer and randomness that the client uses.
pub trait Environment: Send + Sync + 'static {
    /// The current time in UTC.
    fn now(&self) -> Time;
    /// A future that completes after `duration`.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
    /// A random number, uniform over all `u64`; the client uses it for jitter.
    fn random_u64(&self) -> u64;
}

/// The system's clock, timer and randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEnvironment;

impl Environment for SystemEnvironment {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only module of the client library that reads the clock"
    )]
    fn now(&self) -> Time {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn random_u64(&self) -> u64 {
        uuid::Uuid::new_v4().as_u64_pair().1
    }
}

/// For tests: a clock that always returns the given time, a sleep that completes immediately, and 0 as every random number.
#[derive(Debug, Clone, Copy)]
pub struct FixedEnvironment(pub Time);

impl Environment for FixedEnvironment {
    fn now(&self) -> Time {
        self.0
    }
    fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(std::future::ready(()))
    }
    fn random_u64(&self) -> u64 {
        0
    }
}
