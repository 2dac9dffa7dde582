//! Time and chance, handed in: tests decide what the clock says, and nobody waits in them.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use panel_contract::moment::Time;

/// What the client needs of the world outside.
pub trait World: Send + Sync + 'static {
    /// The time.
    fn now(&self) -> Time;
    /// Waits.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
    /// Any number, for jitter.
    fn chance(&self) -> u64;
}

/// The real one.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealWorld;

impl World for RealWorld {
    #[expect(clippy::disallowed_methods, reason = "the client library's one room that reads the clock")]
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn chance(&self) -> u64 {
        uuid::Uuid::new_v4().as_u64_pair().1
    }
}

/// A world whose clock stands still and where waiting takes no time, for tests.
#[derive(Debug, Clone, Copy)]
pub struct StillWorld(pub Time);

impl World for StillWorld {
    fn now(&self) -> Time {
        self.0
    }
    fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(std::future::ready(()))
    }
    fn chance(&self) -> u64 {
        0
    }
}
