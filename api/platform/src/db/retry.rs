//! Runs a transaction again that another one was in the way of, or whose connection broke while the database is there. A write
//! that must not be lost also waits for a database that is away. The caller says what may be repeated; this module never
//! judges whether the work is safe to repeat.

use std::time::{Duration, Instant};

use panel_kernel::backoff::{Backoff, Chance};
use panel_kernel::error::{Error, Result};

use crate::metrics::catalogue::DB_RETRIES;
use crate::platform::Platform;

/// Uneven pauses, so that two transactions that met do not meet again.
const CONFLICT_BACKOFF: Backoff<'static> =
    Backoff::doubling(Duration::from_millis(32), Duration::from_millis(128)).full_jitter();
/// Between two tries while the database is away.
const OUTAGE_BACKOFF: Backoff<'static> = Backoff::doubling(Duration::from_millis(20), Duration::from_secs(2));

/// How often a transaction is run.
#[derive(Debug, Clone, Copy)]
pub struct RetryPolicy {
    /// Label of the metric.
    scope: &'static str,
    /// Tries in all.
    attempts: u32,
    /// Whether a connection that broke before anything was changed is a reason to try again while the database answers.
    lost_connections: bool,
    pause: Backoff<'static>,
    /// How long it goes on while the database is away.
    outage: Option<Duration>,
}

/// The transaction of a request.
pub const REQUEST: RetryPolicy = RetryPolicy {
    scope: "request",
    attempts: 4,
    lost_connections: true,
    pause: CONFLICT_BACKOFF,
    outage: None,
};
/// Looking up who calls: it changes nothing, so that no other transaction has to be avoided.
pub const ADMISSION: RetryPolicy =
    RetryPolicy { scope: "admission", pause: Backoff::constant(Duration::ZERO), ..REQUEST };
/// What a call to an external panel brought. A broken connection leaves open whether it was written, and by now the attempt may
/// be another process's.
pub const RECORD_OUTCOME: RetryPolicy = RetryPolicy {
    scope: "record_outcome",
    attempts: 5,
    lost_connections: false,
    pause: CONFLICT_BACKOFF,
    outage: None,
};
/// That an external panel accepted an order: it is written even where the database comes back only after a while, well below
/// the length of a claim.
pub const RECORD_ACCEPTED: RetryPolicy =
    RetryPolicy { scope: "record_accepted", outage: Some(Duration::from_secs(45)), ..RECORD_OUTCOME };

impl RetryPolicy {
    /// The same with a single try.
    #[must_use]
    pub const fn once(self) -> Self {
        Self { attempts: 1, ..self }
    }

    fn retries(&self, platform: &Platform, error: &Error) -> bool {
        error.is_worth_a_retry()
            || (self.lost_connections && error.is_lost_connection() && platform.db.is_available())
    }
}

/// Runs `run` until it succeeds, fails for a reason that another try does not change, or the policy ends.
pub async fn retry<T, F, Fut>(platform: &Platform, policy: RetryPolicy, run: F) -> Result<T>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<T>>,
{
    let (begun, mut tries, mut outages) = (Instant::now(), 0, 0);
    loop {
        tries += 1;
        let error = match run().await {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        if tries < policy.attempts && policy.retries(platform, &error) {
            tracing::debug!(
                tries,
                scope = policy.scope,
                "another transaction was in the way; it is run again"
            );
            DB_RETRIES.with([policy.scope]).increment(1);
            let [byte] = platform.random.bytes::<1>();
            tokio::time::sleep(policy.pause.delay(i64::from(tries), Chance::of_byte(byte))).await;
        } else if error.is_gone() && policy.outage.is_some_and(|longest| begun.elapsed() < longest) {
            tracing::warn!(
                ?error,
                scope = policy.scope,
                "the database does not answer; the write is tried again"
            );
            outages += 1;
            // Conflicts count anew for the database that comes back.
            tries = 0;
            tokio::time::sleep(OUTAGE_BACKOFF.delay(outages, Chance::NONE)).await;
        } else {
            return Err(error);
        }
    }
}
