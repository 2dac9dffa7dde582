//! Retries a transaction after a conflict with another transaction, or after its connection broke while the database is
//! available. A write that must not be lost also waits until an unavailable database is back. The caller chooses the policy; this
//! module never decides whether the transaction is safe to repeat.

use std::time::{Duration, Instant};

use panel_kernel::backoff::{Backoff, JitterFraction};
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
    /// Value of the label `scope` of the metric.
    scope: &'static str,
    /// Includes the first attempt.
    max_attempts: u32,
    /// Whether to retry after a connection broke before any change, while the database is available.
    retry_lost_connections: bool,
    backoff: Backoff<'static>,
    /// How long to retry while the database is unavailable; `None` to fail immediately.
    outage_timeout: Option<Duration>,
}

/// The transaction of a request.
pub const REQUEST_POLICY: RetryPolicy = RetryPolicy {
    scope: "request",
    max_attempts: 4,
    retry_lost_connections: true,
    backoff: CONFLICT_BACKOFF,
    outage_timeout: None,
};
/// The read of the caller's session or API key, which cannot conflict with other transactions.
pub const SESSION_LOOKUP_POLICY: RetryPolicy =
    RetryPolicy { scope: "admission", backoff: Backoff::constant(Duration::ZERO), ..REQUEST_POLICY };
/// The write of the outcome of a call to an external panel. It is not retried after a broken connection: the database may have
/// written the outcome, and another process may have claimed the attempt.
pub const RECORD_OUTCOME_POLICY: RetryPolicy = RetryPolicy {
    scope: "record_outcome",
    max_attempts: 5,
    retry_lost_connections: false,
    backoff: CONFLICT_BACKOFF,
    outage_timeout: None,
};
/// The write that an external panel accepted an order. It is also retried during an outage of the database, because the panel
/// already has the order. The timeout is well below the duration of a claim.
pub const RECORD_ACCEPTED_POLICY: RetryPolicy = RetryPolicy {
    scope: "record_accepted",
    outage_timeout: Some(Duration::from_secs(45)),
    ..RECORD_OUTCOME_POLICY
};

impl RetryPolicy {
    #[must_use]
    pub const fn with_single_attempt(self) -> Self {
        Self { max_attempts: 1, ..self }
    }

    fn allows_retry(&self, platform: &Platform, error: &Error) -> bool {
        error.is_retryable()
            || (self.retry_lost_connections && error.is_lost_connection() && platform.db.is_available())
    }
}

/// Runs `transaction` until it succeeds, fails with an error that a retry cannot change, or the policy is exhausted.
pub async fn retry<T, F, Fut>(platform: &Platform, policy: RetryPolicy, transaction: F) -> Result<T>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<T>>,
{
    let (started_at, mut attempts, mut outage_attempts) = (Instant::now(), 0, 0);
    loop {
        attempts += 1;
        let error = match transaction().await {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        if attempts < policy.max_attempts && policy.allows_retry(platform, &error) {
            tracing::debug!(
                attempts,
                scope = policy.scope,
                "a transaction conflicted with another one; retrying"
            );
            DB_RETRIES.with_labels([policy.scope]).increment(1);
            let [byte] = platform.random.bytes::<1>();
            tokio::time::sleep(policy.backoff.delay(i64::from(attempts), JitterFraction::from_byte(byte)))
                .await;
        } else if error.is_unavailable()
            && policy.outage_timeout.is_some_and(|timeout| started_at.elapsed() < timeout)
        {
            tracing::warn!(?error, scope = policy.scope, "the database does not answer; retrying the write");
            outage_attempts += 1;
            // After the outage the policy allows its full number of attempts again.
            attempts = 0;
            tokio::time::sleep(OUTAGE_BACKOFF.delay(outage_attempts, JitterFraction::NONE)).await;
        } else {
            return Err(error);
        }
    }
}
