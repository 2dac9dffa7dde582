//! Holds the circuit breaker and the rate limiter of every external panel, for this process. The processes share the requests per
//! second that a panel allows. This module sends no request: the code in `supply` calls `admit` before each request and `record`
//! after it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use panel_kernel::backoff::Backoff;
use panel_kernel::circuit_breaker::{BreakerPolicy, BreakerState, CircuitBreaker};
use panel_kernel::rate_limiter::{Quota, RateLimiter};

use panel_platform::jobs::processes::Processes;

/// Number of concurrent requests to one panel in one batch of work.
pub const BATCH_CONCURRENCY: i64 = 6;
/// Longest `Retry-After` of a panel that this process follows.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);
/// When the breaker of a panel opens, and for how long.
const BREAKER_POLICY: BreakerPolicy = BreakerPolicy {
    threshold: 5,
    open_for: Backoff::doubling(Duration::from_secs(30), Duration::from_secs(600)),
    trial_timeout: Duration::from_secs(30),
};

/// How a request to a panel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelRequestOutcome {
    /// The panel sent a valid response, which may contain an error message.
    ResponseReceived,
    /// The panel sent no response, or one that cannot be parsed.
    NoResponse,
    /// The panel sent a `Retry-After` header with this duration.
    RetryAfter(Duration),
}

/// Limits on the requests of this process to each panel.
#[derive(Debug)]
pub struct PanelLimits {
    /// Requests per second to one panel, the sum over all processes.
    requests_per_second: u32,
    /// The processes that share `requests_per_second`.
    processes: Processes,
    limits_by_panel: Mutex<HashMap<ExternalPanelId, PanelLimit>>,
}

/// Current limits of one panel.
#[derive(Debug, Clone, Copy)]
pub struct PanelLimitState {
    pub external_panel_id: ExternalPanelId,
    pub breaker: BreakerState,
    /// Number of requests that would be admitted now.
    pub available_requests: i64,
    /// Maximum of `available_requests`.
    pub burst: i64,
}

#[derive(Debug)]
struct PanelLimit {
    breaker: CircuitBreaker,
    limiter: RateLimiter,
}

impl PanelLimits {
    /// All processes together send at most `requests_per_second` to one panel; each process gets an equal share.
    #[must_use]
    pub fn new(requests_per_second: u32, processes: Processes) -> Self {
        Self { requests_per_second: requests_per_second.max(1), processes, limits_by_panel: Mutex::default() }
    }

    fn with_panel_limit<T>(&self, panel: ExternalPanelId, action: impl FnOnce(&mut PanelLimit) -> T) -> T {
        let quota = panel_quota(self.requests_per_second, self.processes.count());
        let mut limits = self.limits_by_panel.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = limits.entry(panel).or_insert_with(|| PanelLimit {
            breaker: CircuitBreaker::new(BREAKER_POLICY),
            limiter: RateLimiter::new(quota),
        });
        limit.limiter.set_quota(quota);
        action(limit)
    }

    /// Admits a request to a panel, or returns the time at which to try again. The caller must record the outcome of an admitted
    /// request. The rate limiter is checked first, and its permit is acquired last. So a request that is not admitted uses neither
    /// the trial request of a half-open breaker nor a permit of the rate limiter.
    pub fn admit(&self, panel: ExternalPanelId, now: Time) -> Result<(), Time> {
        self.with_panel_limit(panel, |limit| {
            let permit_at = limit.limiter.available_at(1, now);
            if permit_at > now {
                return Err(permit_at.max(limit.breaker.next_admission_at(now)));
            }
            limit.breaker.admit(now)?;
            limit.limiter.acquire(now)
        })
    }

    /// Records the outcome of an admitted request.
    pub fn record(&self, panel: ExternalPanelId, outcome: PanelRequestOutcome, now: Time) {
        self.with_panel_limit(panel, |limit| match outcome {
            PanelRequestOutcome::ResponseReceived => limit.breaker.record_success(now),
            PanelRequestOutcome::NoResponse => limit.breaker.record_failure(now),
            PanelRequestOutcome::RetryAfter(pause) => {
                limit.breaker.open_until(now.plus(pause.clamp(Duration::from_secs(1), MAX_RETRY_AFTER)), now)
            }
        });
    }

    /// Whether the breaker of a panel admits no request now.
    #[must_use]
    pub fn is_open(&self, panel: ExternalPanelId, now: Time) -> bool {
        self.with_panel_limit(panel, |limit| limit.breaker.is_open(now))
    }

    /// Returns how many requests to a panel would be admitted now. The dispatcher claims at most as many placement attempts.
    #[must_use]
    pub fn available_requests(&self, panel: ExternalPanelId, now: Time) -> i64 {
        self.with_panel_limit(panel, |limit| match limit.breaker.state(now) {
            BreakerState::Closed => limit.limiter.available(now),
            _ if limit.breaker.is_open(now) => 0,
            // A half-open breaker admits one trial request.
            _ => limit.limiter.available(now).min(1),
        })
    }

    /// Current limits of every panel to which this process has sent a request, sorted by id.
    #[must_use]
    pub fn snapshot(&self, now: Time) -> Vec<PanelLimitState> {
        let mut panels: Vec<ExternalPanelId> =
            self.limits_by_panel.lock().unwrap_or_else(PoisonError::into_inner).keys().copied().collect();
        panels.sort_unstable();
        let state = |panel: ExternalPanelId| PanelLimitState {
            external_panel_id: panel,
            breaker: self.with_panel_limit(panel, |limit| limit.breaker.state(now)),
            available_requests: self.available_requests(panel, now),
            burst: self.burst(panel),
        };
        panels.into_iter().map(state).collect()
    }

    /// Returns the time from which `request_count` requests to a panel would be admitted together. `request_count` must not be
    /// greater than the burst of the panel.
    #[must_use]
    pub fn available_at(&self, panel: ExternalPanelId, request_count: i64, now: Time) -> Time {
        self.with_panel_limit(panel, |limit| {
            let is_closed = limit.breaker.state(now) == BreakerState::Closed;
            let request_count = if is_closed { request_count } else { 1 };
            limit.limiter.available_at(request_count, now).max(limit.breaker.next_admission_at(now))
        })
    }

    /// Maximum number of requests to a panel that are admitted at once.
    #[must_use]
    pub fn burst(&self, panel: ExternalPanelId) -> i64 {
        self.with_panel_limit(panel, |limit| limit.limiter.burst())
    }
}

/// Computes the quota of one of `process_count` processes. The burst allows a whole batch ([`BATCH_CONCURRENCY`]) at once, even if
/// the share of the process is smaller; this does not change the average rate.
fn panel_quota(requests_per_second: u32, process_count: u32) -> Quota {
    let (requests, processes) = (i64::from(requests_per_second.max(1)), i64::from(process_count.max(1)));
    Quota {
        interval: Duration::from_micros((1_000_000 * processes / requests).unsigned_abs()),
        burst: (requests * 2 / processes).max(BATCH_CONCURRENCY.min(requests * 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;
    const TENTH_OF_SECOND: i64 = SECOND / 10;
    const NOW: Time = Time(1_000 * SECOND);
    const PANEL: ExternalPanelId = ExternalPanelId::new(7);

    fn limits_for(requests_per_second: u32, processes: u32) -> PanelLimits {
        let limits = PanelLimits::new(requests_per_second, Processes::default());
        limits.processes.set_count(processes);
        limits
    }

    fn count_admitted(limits: &PanelLimits, now: Time) -> i64 {
        (0..100).take_while(|_| limits.admit(PANEL, now).is_ok()).count().try_into().unwrap()
    }

    #[test]
    fn the_pauses_grow_if_a_panel_sends_no_response() {
        let (limits, mut now) = (limits_for(10, 1), NOW);
        for _ in 0..5 {
            assert_eq!(limits.admit(PANEL, now), Ok(()));
            limits.record(PANEL, PanelRequestOutcome::NoResponse, now);
        }
        let mut pauses = Vec::new();
        for _ in 0..6 {
            assert!(limits.is_open(PANEL, now));
            let open_until = limits.admit(PANEL, now).unwrap_err();
            pauses.push((open_until.0 - now.0) / SECOND);
            now = open_until;
            assert_eq!(
                limits.admit(PANEL, now),
                Ok(()),
                "the half-open breaker must admit one trial request"
            );
            assert!(
                limits.admit(PANEL, now).is_err(),
                "the half-open breaker must admit only one trial request"
            );
            limits.record(PANEL, PanelRequestOutcome::NoResponse, now);
        }
        assert_eq!(pauses, [30, 60, 120, 240, 480, 600]);
        now = limits.admit(PANEL, now).unwrap_err();
        assert_eq!(limits.admit(PANEL, now), Ok(()));
        limits.record(PANEL, PanelRequestOutcome::ResponseReceived, now);
        assert!(!limits.is_open(PANEL, now) && limits.admit(PANEL, now).is_ok());
        assert!(
            limits.admit(ExternalPanelId::new(8), now).is_ok(),
            "the breaker of another panel must be closed"
        );
    }

    #[test]
    fn limits_the_rate_after_a_burst() {
        let limits = limits_for(10, 1);
        assert_eq!((count_admitted(&limits, NOW), limits.burst(PANEL)), (20, 20));
        assert_eq!(limits.admit(PANEL, NOW), Err(Time(NOW.0 + TENTH_OF_SECOND)));
        assert_eq!(limits.admit(PANEL, Time(NOW.0 + TENTH_OF_SECOND)), Ok(()));
        assert!(limits.admit(PANEL, Time(NOW.0 + TENTH_OF_SECOND)).is_err());
    }

    #[test]
    fn processes_share_a_rate() {
        let limits = limits_for(10, 4);
        assert_eq!(count_admitted(&limits, NOW), 6);
        let admitted_count: i64 =
            (1..=100).map(|tenth| count_admitted(&limits, Time(NOW.0 + tenth * TENTH_OF_SECOND))).sum();
        assert_eq!(admitted_count, 25, "10 seconds * 10 requests per second / 4 processes");
        limits.processes.set_count(1);
        assert_eq!(count_admitted(&limits, Time(NOW.0 + 60 * SECOND)), 20);
        assert_eq!(
            count_admitted(&limits_for(1, 100), NOW),
            2,
            "the burst must not be smaller than the rate of all processes allows"
        );
    }

    #[test]
    fn predicts_how_many_requests_it_will_admit() {
        let (limits, mut now) = (limits_for(10, 1), NOW);
        for round in 0..200_i64 {
            let processes = u32::try_from(1 + round / 50).unwrap();
            limits.processes.set_count(processes);
            let available_count = limits.available_requests(PANEL, now);
            assert_eq!(
                limits.available_at(PANEL, available_count.max(1), now) <= now,
                available_count > 0,
                "{round}"
            );
            assert_eq!(count_admitted(&limits, now), available_count, "{round}");
            let wait_micros = limits.available_at(PANEL, 1, now).0 - now.0;
            assert!(
                limits.available_requests(PANEL, now) == 0
                    && wait_micros <= TENTH_OF_SECOND * i64::from(processes)
            );
            now = limits.available_at(PANEL, round % 25, Time(now.0 + round * 777));
        }
        limits.record(PANEL, PanelRequestOutcome::RetryAfter(Duration::from_secs(5)), now);
        let half_open_at = Time(now.0 + 5 * SECOND);
        assert_eq!(
            (limits.available_requests(PANEL, now), limits.available_at(PANEL, 6, now)),
            (0, half_open_at)
        );
        assert_eq!(
            limits.available_requests(PANEL, half_open_at),
            1,
            "the half-open breaker must admit one trial request"
        );
    }

    #[test]
    fn a_request_that_is_not_admitted_uses_no_trial_and_no_permit() {
        let limits = limits_for(1, 10);
        let record_retry_after =
            |secs, at| limits.record(PANEL, PanelRequestOutcome::RetryAfter(Duration::from_secs(secs)), at);
        assert_eq!(count_admitted(&limits, NOW), 2, "the burst must be 2");
        record_retry_after(1, NOW);
        let permit_at = limits.admit(PANEL, Time(NOW.0 + SECOND)).unwrap_err();
        assert_eq!(
            permit_at,
            Time(NOW.0 + 10 * SECOND),
            "the rate limiter must decide, because it admits later than the breaker"
        );
        assert_eq!(
            limits.admit(PANEL, permit_at),
            Ok(()),
            "the request that was not admitted must not use the trial of the breaker"
        );
        record_retry_after(600, permit_at);
        let open_until = Time(permit_at.0 + 600 * SECOND);
        assert!(
            (1..100).all(|micros| limits.admit(PANEL, Time(open_until.0 - micros)) == Err(open_until)),
            "the breaker must stay open until the last microsecond"
        );
        assert_eq!(limits.admit(PANEL, open_until), Ok(()));
        limits.record(PANEL, PanelRequestOutcome::ResponseReceived, open_until);
        assert_eq!(
            count_admitted(&limits, open_until),
            1,
            "requests that the breaker did not admit must use no permit"
        );
    }

    #[test]
    fn follows_a_retry_after_within_bounds() {
        let limits = limits_for(10, 1);
        for (requested_secs, expected_secs) in [(90, 90), (1_000_000, 600), (0, 1)] {
            limits.record(PANEL, PanelRequestOutcome::RetryAfter(Duration::from_secs(requested_secs)), NOW);
            assert_eq!(limits.admit(PANEL, NOW), Err(Time(NOW.0 + expected_secs * SECOND)));
        }
    }
}
