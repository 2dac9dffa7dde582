//! The circuit breaker and the rate limiter of every external panel, in this process. Each process uses its share of the calls
//! that a panel allows per second. This module makes no calls: the code in `supply` that makes them calls `admit` before and
//! `record` after each.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use panel_kernel::backoff::Backoff;
use panel_kernel::circuit_breaker::{BreakerPolicy, BreakerState, CircuitBreaker};
use panel_kernel::rate_limiter::{Quota, RateLimiter};

use panel_platform::jobs::processes::Processes;

/// Calls to one panel that one batch of work makes concurrently.
pub const BATCH_CONCURRENCY: i64 = 6;
/// Upper bound on a panel's `Retry-After`.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);
/// When the breaker of a panel opens, and for how long.
const BREAKER: BreakerPolicy = BreakerPolicy {
    threshold: 5,
    open_for: Backoff::doubling(Duration::from_secs(30), Duration::from_secs(600)),
    trial_timeout: Duration::from_secs(30),
};

/// How a call to a panel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// The panel sent a response, which may be an error message.
    ResponseReceived,
    /// The panel sent no response that can be parsed.
    NoResponse,
    /// The panel sent `Retry-After`.
    RetryAfter(Duration),
}

/// Limits on this process's calls to each panel.
#[derive(Debug)]
pub struct PanelLimits {
    /// Calls per second to one panel, summed over all processes.
    calls_per_second: u32,
    /// The processes that share the calls.
    processes: Processes,
    by_panel: Mutex<HashMap<ExternalPanelId, PanelLimit>>,
}

/// Current limits of one panel.
#[derive(Debug, Clone, Copy)]
pub struct PanelLimitState {
    pub external_panel_id: ExternalPanelId,
    pub breaker: BreakerState,
    /// Calls that would be admitted now.
    pub available: i64,
    /// Upper bound of `available`.
    pub burst: i64,
}

#[derive(Debug)]
struct PanelLimit {
    breaker: CircuitBreaker,
    limiter: RateLimiter,
}

impl PanelLimits {
    /// `calls_per_second` to one panel, shared equally by all processes.
    #[must_use]
    pub fn new(calls_per_second: u32, processes: Processes) -> Self {
        Self { calls_per_second: calls_per_second.max(1), processes, by_panel: Mutex::default() }
    }

    fn with_limit<T>(&self, panel: ExternalPanelId, action: impl FnOnce(&mut PanelLimit) -> T) -> T {
        let quota = panel_quota(self.calls_per_second, self.processes.count());
        let mut limits = self.by_panel.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = limits.entry(panel).or_insert_with(|| PanelLimit {
            breaker: CircuitBreaker::new(BREAKER),
            limiter: RateLimiter::new(quota),
        });
        limit.limiter.set_quota(quota);
        action(limit)
    }

    /// Admits a call to a panel, or returns the time at which to try again. The caller must record the outcome of an admitted call.
    /// The rate limiter is checked first and its permit is acquired last. So a call that the limiter or the breaker refuses uses
    /// neither the trial of a half-open breaker nor a permit.
    pub fn admit(&self, panel: ExternalPanelId, now: Time) -> Result<(), Time> {
        self.with_limit(panel, |limit| {
            let permit_at = limit.limiter.available_at(1, now);
            if permit_at > now {
                return Err(permit_at.max(limit.breaker.admits_at(now)));
            }
            limit.breaker.admit(now)?;
            limit.limiter.acquire(now)
        })
    }

    /// Records the outcome of an admitted call.
    pub fn record(&self, panel: ExternalPanelId, outcome: CallOutcome, now: Time) {
        self.with_limit(panel, |limit| match outcome {
            CallOutcome::ResponseReceived => limit.breaker.record_success(now),
            CallOutcome::NoResponse => limit.breaker.record_failure(now),
            CallOutcome::RetryAfter(pause) => {
                limit.breaker.open_until(now.plus(pause.clamp(Duration::from_secs(1), MAX_RETRY_AFTER)), now)
            }
        });
    }

    /// Whether the breaker of a panel refuses all calls now.
    #[must_use]
    pub fn is_open(&self, panel: ExternalPanelId, now: Time) -> bool {
        self.with_limit(panel, |limit| limit.breaker.is_open(now))
    }

    /// How many calls to a panel would be admitted now. The dispatcher claims no more attempts than that.
    #[must_use]
    pub fn available(&self, panel: ExternalPanelId, now: Time) -> i64 {
        self.with_limit(panel, |limit| match limit.breaker.state(now) {
            BreakerState::Closed => limit.limiter.available(now),
            _ if limit.breaker.is_open(now) => 0,
            // A half-open breaker admits one call.
            _ => limit.limiter.available(now).min(1),
        })
    }

    /// Current limits of every panel that this process has called, sorted by id.
    #[must_use]
    pub fn snapshot(&self, now: Time) -> Vec<PanelLimitState> {
        let mut panels: Vec<ExternalPanelId> =
            self.by_panel.lock().unwrap_or_else(PoisonError::into_inner).keys().copied().collect();
        panels.sort_unstable();
        let state = |panel: ExternalPanelId| PanelLimitState {
            external_panel_id: panel,
            breaker: self.with_limit(panel, |limit| limit.breaker.state(now)),
            available: self.available(panel, now),
            burst: self.burst(panel),
        };
        panels.into_iter().map(state).collect()
    }

    /// When this many calls to a panel, at most its burst, would be admitted together.
    #[must_use]
    pub fn available_at(&self, panel: ExternalPanelId, calls: i64, now: Time) -> Time {
        self.with_limit(panel, |limit| {
            let is_closed = limit.breaker.state(now) == BreakerState::Closed;
            let calls = if is_closed { calls } else { 1 };
            limit.limiter.available_at(calls, now).max(limit.breaker.admits_at(now))
        })
    }

    /// Maximum number of calls to a panel at once.
    #[must_use]
    pub fn burst(&self, panel: ExternalPanelId) -> i64 {
        self.with_limit(panel, |limit| limit.limiter.burst())
    }
}

/// The quota of each of `processes` processes. The burst is never below the concurrency of a batch, which does not change the
/// average rate.
fn panel_quota(calls_per_second: u32, processes: u32) -> Quota {
    let (calls, processes) = (i64::from(calls_per_second.max(1)), i64::from(processes.max(1)));
    Quota {
        interval: Duration::from_micros((1_000_000 * processes / calls).unsigned_abs()),
        burst: (calls * 2 / processes).max(BATCH_CONCURRENCY.min(calls * 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;
    const TENTH_OF_SECOND: i64 = SECOND / 10;
    const NOW: Time = Time(1_000 * SECOND);
    const PANEL: ExternalPanelId = ExternalPanelId::new(7);

    fn limits(calls_per_second: u32, processes: u32) -> PanelLimits {
        let limits = PanelLimits::new(calls_per_second, Processes::default());
        limits.processes.set_count(processes);
        limits
    }

    fn count_admitted(limits: &PanelLimits, now: Time) -> i64 {
        (0..100).take_while(|_| limits.admit(PANEL, now).is_ok()).count().try_into().unwrap()
    }

    #[test]
    fn a_panel_that_does_not_answer_is_called_with_growing_pauses() {
        let (limits, mut now) = (limits(10, 1), NOW);
        for _ in 0..5 {
            assert_eq!(limits.admit(PANEL, now), Ok(()));
            limits.record(PANEL, CallOutcome::NoResponse, now);
        }
        let mut pauses = Vec::new();
        for _ in 0..6 {
            assert!(limits.is_open(PANEL, now));
            let until = limits.admit(PANEL, now).unwrap_err();
            pauses.push((until.0 - now.0) / SECOND);
            now = until;
            assert_eq!(limits.admit(PANEL, now), Ok(()), "the breaker admits one trial call");
            assert!(limits.admit(PANEL, now).is_err(), "the breaker admits only one trial call");
            limits.record(PANEL, CallOutcome::NoResponse, now);
        }
        assert_eq!(pauses, [30, 60, 120, 240, 480, 600]);
        now = limits.admit(PANEL, now).unwrap_err();
        assert_eq!(limits.admit(PANEL, now), Ok(()));
        limits.record(PANEL, CallOutcome::ResponseReceived, now);
        assert!(!limits.is_open(PANEL, now) && limits.admit(PANEL, now).is_ok());
        assert!(limits.admit(ExternalPanelId::new(8), now).is_ok(), "each panel has a breaker of its own");
    }

    #[test]
    fn limits_the_rate_after_a_burst() {
        let limits = limits(10, 1);
        assert_eq!((count_admitted(&limits, NOW), limits.burst(PANEL)), (20, 20));
        assert_eq!(limits.admit(PANEL, NOW), Err(Time(NOW.0 + TENTH_OF_SECOND)));
        assert_eq!(limits.admit(PANEL, Time(NOW.0 + TENTH_OF_SECOND)), Ok(()));
        assert!(limits.admit(PANEL, Time(NOW.0 + TENTH_OF_SECOND)).is_err());
    }

    #[test]
    fn processes_share_a_rate() {
        let shared = limits(10, 4);
        assert_eq!(count_admitted(&shared, NOW), 6);
        let calls: i64 =
            (1..=100).map(|tenth| count_admitted(&shared, Time(NOW.0 + tenth * TENTH_OF_SECOND))).sum();
        assert_eq!(calls, 25, "ten seconds of a quarter of ten a second");
        shared.processes.set_count(1);
        assert_eq!(count_admitted(&shared, Time(NOW.0 + 60 * SECOND)), 20);
        assert_eq!(count_admitted(&limits(1, 100), NOW), 2, "the burst of the whole rate");
    }

    #[test]
    fn predicts_how_many_calls_it_will_admit() {
        let (limits, mut now) = (limits(10, 1), NOW);
        for round in 0..200_i64 {
            let processes = u32::try_from(1 + round / 50).unwrap();
            limits.processes.set_count(processes);
            let available = limits.available(PANEL, now);
            assert_eq!(limits.available_at(PANEL, available.max(1), now) <= now, available > 0, "{round}");
            assert_eq!(count_admitted(&limits, now), available, "{round}");
            let wait_micros = limits.available_at(PANEL, 1, now).0 - now.0;
            assert!(
                limits.available(PANEL, now) == 0 && wait_micros <= TENTH_OF_SECOND * i64::from(processes)
            );
            now = limits.available_at(PANEL, round % 25, Time(now.0 + round * 777));
        }
        limits.record(PANEL, CallOutcome::RetryAfter(Duration::from_secs(5)), now);
        let later = Time(now.0 + 5 * SECOND);
        assert_eq!((limits.available(PANEL, now), limits.available_at(PANEL, 6, now)), (0, later));
        assert_eq!(limits.available(PANEL, later), 1, "the breaker admits one trial call");
    }

    #[test]
    fn a_refused_call_uses_no_trial_and_no_permit() {
        let limits = limits(1, 10);
        let pause = |secs, at| limits.record(PANEL, CallOutcome::RetryAfter(Duration::from_secs(secs)), at);
        assert_eq!(count_admitted(&limits, NOW), 2, "the burst");
        pause(1, NOW);
        let permit_at = limits.admit(PANEL, Time(NOW.0 + SECOND)).unwrap_err();
        assert_eq!(permit_at, Time(NOW.0 + 10 * SECOND), "the rate limiter refuses the call");
        assert_eq!(
            limits.admit(PANEL, permit_at),
            Ok(()),
            "the refused call did not use the trial of the breaker"
        );
        pause(600, permit_at);
        let until = Time(permit_at.0 + 600 * SECOND);
        assert!((1..100).all(|early| limits.admit(PANEL, Time(until.0 - early)) == Err(until)));
        assert_eq!(limits.admit(PANEL, until), Ok(()));
        limits.record(PANEL, CallOutcome::ResponseReceived, until);
        assert_eq!(count_admitted(&limits, until), 1, "calls that the breaker refused used no permit");
    }

    #[test]
    fn a_retry_after_is_respected_within_bounds() {
        let limits = limits(10, 1);
        for (requested_secs, applied_secs) in [(90, 90), (1_000_000, 600), (0, 1)] {
            limits.record(PANEL, CallOutcome::RetryAfter(Duration::from_secs(requested_secs)), NOW);
            assert_eq!(limits.admit(PANEL, NOW), Err(Time(NOW.0 + applied_secs * SECOND)));
        }
    }
}
