//! Retry policy: when to retry, and after which delay. Pure: no clock, no I/O.
//!
//! Retried are reads, writes with an `Idempotency-Key` (the panel replays its first response for a repeated key), and requests
//! that certainly did not begin (no connection, 429).

use std::time::Duration;

use panel_kernel::backoff::{Backoff, Chance};

use crate::error::Error;

/// Maximum jitter added to a `Retry-After`.
const RETRY_AFTER_JITTER: Duration = Duration::from_millis(500);

/// Retry policy of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Maximum number of attempts, including the first; 1 means no retries.
    pub attempts: u32,
    /// Delay before the second attempt, doubled before each further one.
    pub first_wait: Duration,
    /// Maximum delay. If the panel requests a longer one (`Retry-After`), the call fails.
    pub longest_wait: Duration,
    /// Maximum total wait while the panel's database is unavailable, for any number of attempts.
    pub outage_limit: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 5,
            first_wait: Duration::from_millis(250),
            longest_wait: Duration::from_secs(60),
            outage_limit: Duration::from_secs(120),
        }
    }
}

impl Retry {
    /// No retries.
    pub const NEVER: Self = Self {
        attempts: 1,
        first_wait: Duration::ZERO,
        longest_wait: Duration::from_secs(60),
        outage_limit: Duration::ZERO,
    };

    /// Delay before the next attempt, after the `attempt`th failure (from 1) and a total wait of `waited`; `None` to give up.
    /// `repeatable`: the request is a read or has an idempotency key. `chance` is a random number.
    #[must_use]
    pub fn wait(
        &self,
        error: &Error,
        attempt: u32,
        waited: Duration,
        repeatable: bool,
        chance: u64,
    ) -> Option<Duration> {
        let is_over = if error.is_outage() { waited >= self.outage_limit } else { attempt >= self.attempts };
        if is_over || !may_repeat(error, repeatable) {
            return None;
        }
        match error.retry_after() {
            Some(requested) if requested > self.longest_wait => None,
            // With jitter: otherwise all refused clients would retry in the same second.
            Some(requested) => Some(requested + Chance::of_u64(chance).part_of(RETRY_AFTER_JITTER)),
            None => {
                let backoff = Backoff::doubling(self.first_wait, self.longest_wait).half_jitter();
                Some(backoff.delay(i64::from(attempt), Chance::of_u64(chance)))
            }
        }
    }
}

fn may_repeat(error: &Error, repeatable: bool) -> bool {
    match error {
        Error::Transport { source, .. } => repeatable || source.is_connect(),
        Error::Refused(refused) => match refused.status {
            429 => true,
            502..=504 => repeatable,
            // Our own first attempt is still running at the panel.
            409 => repeatable && refused.problem.code == "idempotency_key_in_use",
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
    use crate::error::Refused;

    fn refused(status: u16, code: &str, retry_after: Option<u64>) -> Error {
        let problem = ErrorBody {
            skipped: Vec::new(),
            second_factor: None,
            message: "no".into(),
            errors: BTreeMap::new(),
            code: code.into(),
            request_id: String::new(),
        };
        Error::Refused(Box::new(Refused {
            status,
            problem,
            retry_after: retry_after.map(Duration::from_secs),
        }))
    }

    #[test]
    fn repeats_only_what_is_safe() {
        let retry = Retry::default();
        let may = |error: &Error, repeatable| retry.wait(error, 1, Duration::ZERO, repeatable, 0).is_some();
        for status in [502, 503, 504] {
            assert!(may(&refused(status, "", None), true));
            assert!(!may(&refused(status, "", None), false), "a write without a key is not repeated");
        }
        assert!(may(&refused(429, "", None), false), "429 means that it never began");
        assert!(may(&refused(409, "idempotency_key_in_use", None), true));
        for status in [400, 401, 403, 404, 409, 422, 500] {
            assert!(!may(&refused(status, "", None), true), "{status}");
        }
    }

    #[test]
    fn waits_as_asked_else_longer_and_longer() {
        let retry = Retry::default();
        let wait = |attempt, asked, chance| {
            retry.wait(&refused(503, "", asked), attempt, Duration::ZERO, true, chance)
        };
        assert_eq!(wait(1, Some(3), 0), Some(Duration::from_secs(3)));
        assert_eq!(wait(1, Some(61), 0), None, "longer than we are willing to wait");
        assert_eq!(wait(1, None, 0), Some(Duration::from_millis(125)));
        assert_eq!(wait(2, None, 0), Some(Duration::from_millis(250)));
        assert_eq!(wait(4, None, 1_000), Some(Duration::from_millis(2_000)));
        assert_eq!(wait(5, None, 0), None, "five tries in all");
    }

    #[test]
    fn an_outage_is_waited_for_by_time_and_not_by_tries() {
        let retry = Retry::default();
        let away = refused(503, "database_unavailable", Some(2));
        let wait = |waited, repeatable| retry.wait(&away, 50, Duration::from_secs(waited), repeatable, 0);
        assert_eq!(wait(119, true), Some(Duration::from_secs(2)));
        assert_eq!(wait(120, true), None);
        assert_eq!(wait(0, false), None, "a write without a key is not repeated");
        let unknown = refused(503, "outcome_unknown", Some(2));
        assert!(retry.wait(&unknown, 50, Duration::ZERO, true, 0).is_some(), "its key makes it safe");
        assert!(Retry::NEVER.wait(&away, 1, Duration::ZERO, true, 0).is_none());
    }
}
