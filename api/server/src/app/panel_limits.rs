//! The circuit breaker and the rate limiter of every external panel, in this process. Each process takes its share of the calls
//! that a panel allows a second. It makes no call: `ask_by` asks before a call and records the outcome after it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use panel_kernel::backoff::Backoff;
use panel_kernel::circuit_breaker::{BreakerPolicy, BreakerState, CircuitBreaker};
use panel_kernel::rate_limiter::{Quota, RateLimiter};

use panel_platform::jobs::processes::Processes;

/// Calls that one round of work for a panel makes at once.
pub const ROUND: i64 = 6;
/// The longest `Retry-After` of a panel that holds.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);
/// When a panel is not called for a while.
const BREAKER: BreakerPolicy = BreakerPolicy {
    threshold: 5,
    open_for: Backoff::doubling(Duration::from_secs(30), Duration::from_secs(600)),
    trial_timeout: Duration::from_secs(30),
};

/// How a call to a panel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// The panel answered, whatever it answered.
    Answered,
    /// It gave no answer that can be understood.
    NoAnswer,
    /// It asked not to be called for so long.
    RetryAfter(Duration),
}

/// Whether, and how often, this process calls each panel.
#[derive(Debug)]
pub struct PanelLimits {
    /// Calls a second to one panel, of all processes together.
    calls_per_second: u32,
    /// Which the calls are shared with.
    processes: Processes,
    by_panel: Mutex<HashMap<ExternalPanelId, PanelLimit>>,
}

/// How one panel is limited.
#[derive(Debug, Clone, Copy)]
pub struct PanelLimitState {
    /// The panel.
    pub external_panel_id: ExternalPanelId,
    /// How its circuit breaker is.
    pub breaker: BreakerState,
    /// Calls that would be let through at once.
    pub available: i64,
    /// The most of them that there ever are.
    pub burst: i64,
}

#[derive(Debug)]
struct PanelLimit {
    breaker: CircuitBreaker,
    limiter: RateLimiter,
}

impl PanelLimits {
    /// With so many calls a second to one panel, of which each of the processes makes its share.
    #[must_use]
    pub fn new(calls_per_second: u32, processes: Processes) -> Self {
        Self { calls_per_second: calls_per_second.max(1), processes, by_panel: Mutex::default() }
    }

    fn with<T>(&self, panel: ExternalPanelId, what: impl FnOnce(&mut PanelLimit) -> T) -> T {
        let quota = panel_quota(self.calls_per_second, self.processes.number());
        let mut limits = self.by_panel.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = limits.entry(panel).or_insert_with(|| PanelLimit {
            breaker: CircuitBreaker::new(BREAKER),
            limiter: RateLimiter::new(quota),
        });
        limit.limiter.set_quota(quota);
        what(limit)
    }

    /// Lets a call to a panel through, or says when to ask again. Its outcome must be recorded. The rate is looked at first and
    /// taken last: a refusal by one of the two costs neither a half-open breaker its trial nor the panel a permit.
    pub fn admit(&self, panel: ExternalPanelId, now: Time) -> Result<(), Time> {
        self.with(panel, |limit| {
            let permit_at = limit.limiter.available_at(1, now);
            if permit_at > now {
                return Err(permit_at.max(limit.breaker.admits_at(now)));
            }
            limit.breaker.admit(now)?;
            limit.limiter.acquire(now)
        })
    }

    /// Records how a call ended that was let through.
    pub fn record(&self, panel: ExternalPanelId, outcome: CallOutcome, now: Time) {
        self.with(panel, |limit| match outcome {
            CallOutcome::Answered => limit.breaker.succeeded(now),
            CallOutcome::NoAnswer => limit.breaker.failed(now),
            CallOutcome::RetryAfter(pause) => {
                limit.breaker.open_until(now.after(pause.clamp(Duration::from_secs(1), MAX_RETRY_AFTER)), now)
            }
        });
    }

    /// Whether the breaker of a panel lets no call through now.
    #[must_use]
    pub fn is_open(&self, panel: ExternalPanelId, now: Time) -> bool {
        self.with(panel, |limit| limit.breaker.is_open(now))
    }

    /// How many calls to a panel would be let through now. The dispatcher claims no more than that.
    #[must_use]
    pub fn available(&self, panel: ExternalPanelId, now: Time) -> i64 {
        self.with(panel, |limit| match limit.breaker.state(now) {
            BreakerState::Closed => limit.limiter.available(now),
            _ if limit.breaker.is_open(now) => 0,
            // A trial is one call.
            _ => limit.limiter.available(now).min(1),
        })
    }

    /// How every panel that was called is limited now, by its id.
    #[must_use]
    pub fn snapshot(&self, now: Time) -> Vec<PanelLimitState> {
        let mut called: Vec<ExternalPanelId> =
            self.by_panel.lock().unwrap_or_else(PoisonError::into_inner).keys().copied().collect();
        called.sort_unstable();
        let state = |panel: ExternalPanelId| PanelLimitState {
            external_panel_id: panel,
            breaker: self.with(panel, |limit| limit.breaker.state(now)),
            available: self.available(panel, now),
            burst: self.burst(panel),
        };
        called.into_iter().map(state).collect()
    }

    /// When so many calls to a panel, at most its burst, would be let through at once.
    #[must_use]
    pub fn available_at(&self, panel: ExternalPanelId, calls: i64, now: Time) -> Time {
        self.with(panel, |limit| {
            let is_closed = limit.breaker.state(now) == BreakerState::Closed;
            let calls = if is_closed { calls } else { 1 };
            limit.limiter.available_at(calls, now).max(limit.breaker.admits_at(now))
        })
    }

    /// How many calls to a panel come at once at most.
    #[must_use]
    pub fn burst(&self, panel: ExternalPanelId) -> i64 {
        self.with(panel, |limit| limit.limiter.burst())
    }
}

/// The share of one of so many processes. Its burst is never below what a round of work wants at once: the average holds all the
/// same.
fn panel_quota(calls_per_second: u32, processes: u32) -> Quota {
    let (calls, processes) = (i64::from(calls_per_second.max(1)), i64::from(processes.max(1)));
    Quota {
        interval: Duration::from_micros((1_000_000 * processes / calls).unsigned_abs()),
        burst: (calls * 2 / processes).max(ROUND.min(calls * 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;
    const TENTH: i64 = SECOND / 10;
    const NOW: Time = Time(1_000 * SECOND);
    const PANEL: ExternalPanelId = ExternalPanelId::new(7);

    fn limits(calls_per_second: u32, processes: u32) -> PanelLimits {
        let limits = PanelLimits::new(calls_per_second, Processes::default());
        limits.processes.are(processes);
        limits
    }

    fn admitted(limits: &PanelLimits, now: Time) -> i64 {
        (0..100).take_while(|_| limits.admit(PANEL, now).is_ok()).count().try_into().unwrap()
    }

    #[test]
    fn a_panel_that_does_not_answer_is_called_more_and_more_rarely() {
        let (limits, mut now) = (limits(10, 1), NOW);
        for _ in 0..5 {
            assert_eq!(limits.admit(PANEL, now), Ok(()));
            limits.record(PANEL, CallOutcome::NoAnswer, now);
        }
        let mut pauses = Vec::new();
        for _ in 0..6 {
            assert!(limits.is_open(PANEL, now));
            let until = limits.admit(PANEL, now).unwrap_err();
            pauses.push((until.0 - now.0) / SECOND);
            now = until;
            assert_eq!(limits.admit(PANEL, now), Ok(()), "one call tests it");
            assert!(limits.admit(PANEL, now).is_err(), "and only one");
            limits.record(PANEL, CallOutcome::NoAnswer, now);
        }
        assert_eq!(pauses, [30, 60, 120, 240, 480, 600]);
        now = limits.admit(PANEL, now).unwrap_err();
        assert_eq!(limits.admit(PANEL, now), Ok(()));
        limits.record(PANEL, CallOutcome::Answered, now);
        assert!(!limits.is_open(PANEL, now) && limits.admit(PANEL, now).is_ok());
        assert!(limits.admit(ExternalPanelId::new(8), now).is_ok(), "each panel has a breaker of its own");
    }

    #[test]
    fn calls_keep_their_rate_after_a_burst() {
        let limits = limits(10, 1);
        assert_eq!((admitted(&limits, NOW), limits.burst(PANEL)), (20, 20));
        assert_eq!(limits.admit(PANEL, NOW), Err(Time(NOW.0 + TENTH)));
        assert_eq!(limits.admit(PANEL, Time(NOW.0 + TENTH)), Ok(()));
        assert!(limits.admit(PANEL, Time(NOW.0 + TENTH)).is_err());
    }

    #[test]
    fn processes_share_a_rate() {
        let shared = limits(10, 4);
        assert_eq!(admitted(&shared, NOW), 6);
        let calls: i64 = (1..=100).map(|tenth| admitted(&shared, Time(NOW.0 + tenth * TENTH))).sum();
        assert_eq!(calls, 25, "ten seconds of a quarter of ten a second");
        shared.processes.are(1);
        assert_eq!(admitted(&shared, Time(NOW.0 + 60 * SECOND)), 20);
        assert_eq!(admitted(&limits(1, 100), NOW), 2, "as many as one process of this rate");
    }

    #[test]
    fn it_says_before_what_it_will_let_through() {
        let (limits, mut now) = (limits(10, 1), NOW);
        for turn in 0..200_i64 {
            let processes = u32::try_from(1 + turn / 50).unwrap();
            limits.processes.are(processes);
            let available = limits.available(PANEL, now);
            assert_eq!(limits.available_at(PANEL, available.max(1), now) <= now, available > 0, "{turn}");
            assert_eq!(admitted(&limits, now), available, "{turn}");
            let next = limits.available_at(PANEL, 1, now).0 - now.0;
            assert!(limits.available(PANEL, now) == 0 && next <= TENTH * i64::from(processes));
            now = limits.available_at(PANEL, turn % 25, Time(now.0 + turn * 777));
        }
        limits.record(PANEL, CallOutcome::RetryAfter(Duration::from_secs(5)), now);
        let later = Time(now.0 + 5 * SECOND);
        assert_eq!((limits.available(PANEL, now), limits.available_at(PANEL, 6, now)), (0, later));
        assert_eq!(limits.available(PANEL, later), 1, "one call tests it");
    }

    #[test]
    fn a_refusal_costs_no_trial_and_no_permit() {
        let limits = limits(1, 10);
        let pause = |secs, at| limits.record(PANEL, CallOutcome::RetryAfter(Duration::from_secs(secs)), at);
        assert_eq!(admitted(&limits, NOW), 2, "the burst");
        pause(1, NOW);
        let permit_at = limits.admit(PANEL, Time(NOW.0 + SECOND)).unwrap_err();
        assert_eq!(permit_at, Time(NOW.0 + 10 * SECOND), "the limiter refuses");
        assert_eq!(limits.admit(PANEL, permit_at), Ok(()), "and that was no trial");
        pause(600, permit_at);
        let until = Time(permit_at.0 + 600 * SECOND);
        assert!((1..100).all(|early| limits.admit(PANEL, Time(until.0 - early)) == Err(until)));
        assert_eq!(limits.admit(PANEL, until), Ok(()));
        limits.record(PANEL, CallOutcome::Answered, until);
        assert_eq!(admitted(&limits, until), 1, "refusals by the breaker took no permit");
    }

    #[test]
    fn a_panel_may_ask_for_a_pause() {
        let limits = limits(10, 1);
        for (asked, holds) in [(90, 90), (1_000_000, 600), (0, 1)] {
            limits.record(PANEL, CallOutcome::RetryAfter(Duration::from_secs(asked)), NOW);
            assert_eq!(limits.admit(PANEL, NOW), Err(Time(NOW.0 + holds * SECOND)));
        }
    }
}
