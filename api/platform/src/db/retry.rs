//! Retries a transaction after a conflict with another one, or after its connection broke while the database is available. A
//! write that must not be lost also waits for an unavailable database. The caller chooses the policy; this module never decides
//! whether the work is safe to repeat.

use std::time::{Duration, Instant};

use panel_kernel::backoff::{Backoff, Chance};
use panel_kernel::error::{Error, Result};

use crate::metrics::catalogue::DB_RETRIES;
use crate::platform::Platform;

/// Jittered delays, so that two transactions that conflicted do not conflict again.
const CONFLICT_BACKOFF: Backoff<'static> =
    Backoff::doubling(Duration::from_millis(32), Duration::from_millis(128)).full_jitter();
/// Delays between attempts while the database is unavailable.
const OUTAGE_BACKOFF: Backoff<'static> = Backoff::doubling(Duration::from_millis(20), Duration::from_secs(2));

/// How often, and for how long, a transaction is retried.
#[derive(Debug, Clone, Copy)]
pub struct RetryPolicy {
    /// Label of the metric.
    scope: &'static str,
    /// Largest number of attempts, the first one included.
    attempts: u32,
    /// Whether to retry after a connection broke before any change, while the database is available.
    retry_lost_connections: bool,
    backoff: Backoff<'static>,
    /// How long to retry while the database is unavailable; none to fail at once.
    outage_timeout: Option<Duration>,
}

/// The transaction of a request.
pub const REQUEST: RetryPolicy = RetryPolicy {
    scope: "request",
    attempts: 4,
    retry_lost_connections: true,
    backoff: CONFLICT_BACKOFF,
    outage_timeout: None,
};
/// The lookup of the caller's session or key: a read, which cannot conflict with other transactions.
pub const SESSION_LOOKUP: RetryPolicy =
    RetryPolicy { scope: "admission", backoff: Backoff::constant(Duration::ZERO), ..REQUEST };
/// The write of the outcome of a call to an external panel. After a broken connection it is unknown whether the outcome was
/// written, and another process may have claimed the attempt.
pub const RECORD_OUTCOME: RetryPolicy = RetryPolicy {
    scope: "record_outcome",
    attempts: 5,
    retry_lost_connections: false,
    backoff: CONFLICT_BACKOFF,
    outage_timeout: None,
};
/// The write that an external panel accepted an order: retried through an outage of the database, because the panel already
/// holds the order. The timeout is well below the duration of a claim.
pub const RECORD_ACCEPTED: RetryPolicy =
    RetryPolicy { scope: "record_accepted", outage_timeout: Some(Duration::from_secs(45)), ..RECORD_OUTCOME };

impl RetryPolicy {
    /// The same policy with a single attempt.
    #[must_use]
    pub const fn once(self) -> Self {
        Self { attempts: 1, ..self }
    }

    fn retries(&self, platform: &Platform, error: &Error) -> bool {
        error.is_worth_a_retry()
            || (self.retry_lost_connections && error.is_lost_connection() && platform.db.is_available())
    }
}

/// Runs `run` until it succeeds, fails with an error that a retry cannot change, or the policy is exhausted.
pub async fn retry<T, F, Fut>(platform: &Platform, policy: RetryPolicy, run: F) -> Result<T>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<T>>,
{
    let (begun, mut attempts, mut outages) = (Instant::now(), 0, 0);
    loop {
        attempts += 1;
        let error = match run().await {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        if attempts < policy.attempts && policy.retries(platform, &error) {
            tracing::debug!(
                attempts,
                scope = policy.scope,
                "a transaction conflicted with another one; retrying"
            );
            DB_RETRIES.with([policy.scope]).increment(1);
            let [byte] = platform.random.bytes::<1>();
            tokio::time::sleep(policy.backoff.delay(i64::from(attempts), Chance::of_byte(byte))).await;
        } else if error.is_unavailable()
            && policy.outage_timeout.is_some_and(|timeout| begun.elapsed() < timeout)
        {
            tracing::warn!(?error, scope = policy.scope, "the database does not answer; retrying the write");
            outages += 1;
            // After the outage the policy allows its full number of attempts again.
            attempts = 0;
            tokio::time::sleep(OUTAGE_BACKOFF.delay(outages, Chance::NONE)).await;
        } else {
            return Err(error);
        }
    }
}
