//! Retry policy: when to retry, and after which delay. Pure: no clock, no I/O.
//!
//! The client retries reads, writes with an `Idempotency-Key` (the panel returns its first response again for a known key), and
//! requests that the panel certainly did not process (no connection, 429).

use std::time::Duration;

use panel_kernel::backoff::{Backoff, JitterFraction};

use crate::error::Error;

/// Maximum jitter that is added to a `Retry-After`.
const RETRY_AFTER_JITTER: Duration = Duration::from_millis(500);

/// How often and how long a client retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Maximum number of attempts, including the first; 1 means no retries.
    pub max_attempts: u32,
    /// Delay before the second attempt. The delay doubles before each further attempt. Jitter shortens each delay by up to a half.
    pub initial_delay: Duration,
    /// Maximum delay between two attempts. If the panel requests a longer one by `Retry-After`, the call fails at once.
    pub max_delay: Duration,
    /// Maximum total wait while the database of the panel is unavailable. It replaces `max_attempts` for these errors.
    pub max_outage_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 5,
            initial_delay: Duration::from_millis(250),
            max_delay: Duration::from_secs(60),
            max_outage_wait: Duration::from_secs(120),
        }
    }
}

impl RetryPolicy {
    /// A policy without retries.
    pub const NEVER: Self = Self {
        max_attempts: 1,
        initial_delay: Duration::ZERO,
        max_delay: Duration::from_secs(60),
        max_outage_wait: Duration::ZERO,
    };

    /// Delay before the next attempt, after attempt number `attempt` (from 1) failed with `error` and the call has waited
    /// `total_wait` so far; `None` to give up. `is_idempotent`: the request is a read or has an idempotency key. `random` is a
    /// random number for the jitter.
    #[must_use]
    pub fn delay_before_retry(
        &self,
        error: &Error,
        attempt: u32,
        total_wait: Duration,
        is_idempotent: bool,
        random: u64,
    ) -> Option<Duration> {
        let gives_up = match error.is_outage() {
            true => total_wait >= self.max_outage_wait,
            false => attempt >= self.max_attempts,
        };
        if gives_up || !is_retryable(error, is_idempotent) {
            return None;
        }
        match error.retry_after() {
            Some(requested) if requested > self.max_delay => None,
            // Without jitter all clients would retry in the same second.
            Some(requested) => Some(requested + JitterFraction::from_u64(random).scaled(RETRY_AFTER_JITTER)),
            None => {
                let backoff = Backoff::doubling(self.initial_delay, self.max_delay).half_jitter();
                Some(backoff.delay(i64::from(attempt), JitterFraction::from_u64(random)))
            }
        }
    }
}

fn is_retryable(error: &Error, is_idempotent: bool) -> bool {
    match error {
        Error::Transport { source, .. } => is_idempotent || source.is_connect(),
        Error::Api(api_error) => match api_error.status {
            429 => true,
            502..=504 => is_idempotent,
            // The first attempt of this call is still running at the panel.
            409 => is_idempotent && api_error.problem.code == "idempotency_key_in_use",
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use panel_contract::error::ErrorBody;

    use super::*;
    use crate::error::ApiError;

    fn api_error(status: u16, code: &str, retry_after: Option<u64>) -> Error {
        let problem = ErrorBody {
            skipped: Vec::new(),
            second_factor: None,
            message: "no".into(),
            errors: BTreeMap::new(),
            code: code.into(),
            request_id: String::new(),
        };
        Error::Api(Box::new(ApiError { status, problem, retry_after: retry_after.map(Duration::from_secs) }))
    }

    #[test]
    fn retries_only_requests_that_cannot_be_applied_twice() {
        let retry = RetryPolicy::default();
        let is_retried = |error: &Error, is_idempotent| {
            retry.delay_before_retry(error, 1, Duration::ZERO, is_idempotent, 0).is_some()
        };
        for status in [502, 503, 504] {
            assert!(is_retried(&api_error(status, "", None), true));
            assert!(!is_retried(&api_error(status, "", None), false), "a write without a key is not retried");
        }
        assert!(
            is_retried(&api_error(429, "", None), false),
            "the panel does not process a request to which it responds with 429"
        );
        assert!(is_retried(&api_error(409, "idempotency_key_in_use", None), true));
        for status in [400, 401, 403, 404, 409, 422, 500] {
            assert!(!is_retried(&api_error(status, "", None), true), "{status}");
        }
    }

    #[test]
    fn waits_for_retry_after_or_by_an_exponential_backoff() {
        let retry = RetryPolicy::default();
        let delay = |attempt, retry_after, random| {
            retry.delay_before_retry(&api_error(503, "", retry_after), attempt, Duration::ZERO, true, random)
        };
        assert_eq!(delay(1, Some(3), 0), Some(Duration::from_secs(3)));
        assert_eq!(delay(1, Some(61), 0), None, "longer than `max_delay`");
        assert_eq!(delay(1, None, 0), Some(Duration::from_millis(125)));
        assert_eq!(delay(2, None, 0), Some(Duration::from_millis(250)));
        assert_eq!(delay(4, None, 1_000), Some(Duration::from_millis(2_000)));
        assert_eq!(delay(5, None, 0), None, "the fifth attempt was the last");
    }

    #[test]
    fn an_outage_is_limited_by_the_total_wait_and_not_by_attempts() {
        let retry = RetryPolicy::default();
        let outage = api_error(503, "database_unavailable", Some(2));
        let delay = |waited_secs, is_idempotent| {
            retry.delay_before_retry(&outage, 50, Duration::from_secs(waited_secs), is_idempotent, 0)
        };
        assert_eq!(delay(119, true), Some(Duration::from_secs(2)));
        assert_eq!(delay(120, true), None);
        assert_eq!(delay(0, false), None, "a write without a key is not retried");
        let unknown = api_error(503, "outcome_unknown", Some(2));
        assert!(
            retry.delay_before_retry(&unknown, 50, Duration::ZERO, true, 0).is_some(),
            "the idempotency key makes a retry safe"
        );
        assert!(RetryPolicy::NEVER.delay_before_retry(&outage, 1, Duration::ZERO, true, 0).is_none());
    }
}
