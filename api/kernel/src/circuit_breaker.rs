//! Circuit breaker: stops calls to a peer that does not respond, and tests it with a single trial call. Pure: the caller passes the
//! time, and nothing waits or calls here.

use std::time::Duration;

use panel_contract::moment::Time;

use crate::backoff::{Backoff, Chance};

/// Threshold and durations of a circuit breaker.
#[derive(Debug, Clone, Copy)]
pub struct BreakerPolicy {
    /// Consecutive failures that open the breaker.
    pub threshold: u32,
    /// Backoff of the open state; the failure that opens the breaker counts as the first.
    pub open_for: Backoff<'static>,
    /// Time after which a trial without an outcome is replaced by another one.
    pub trial_timeout: Duration,
}

/// State of a circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// All calls are allowed.
    Closed,
    /// All calls are refused.
    Open,
    /// A single trial call is allowed or in progress.
    HalfOpen,
}

/// State change caused by the outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// No change.
    None,
    /// The breaker opened.
    Opened,
    /// The breaker closed.
    Closed {
        /// How long the breaker was open.
        open_for: Duration,
    },
}

/// The circuit breaker of one peer.
#[derive(Debug, Clone)]
pub struct CircuitBreaker {
    policy: BreakerPolicy,
    failures: u32,
    open: Option<OpenPhase>,
}

#[derive(Debug, Clone, Copy)]
struct OpenPhase {
    since: Time,
    until: Time,
    is_trial: bool,
}

impl CircuitBreaker {
    /// A closed circuit breaker.
    #[must_use]
    pub const fn new(policy: BreakerPolicy) -> Self {
        Self { policy, failures: 0, open: None }
    }

    /// Admits a call, or returns the time of the next check. After the open period exactly one trial call is admitted; other calls
    /// wait for its outcome, at most for the trial timeout.
    pub fn admit(&mut self, now: Time) -> Result<(), Time> {
        let Some(open) = &mut self.open else { return Ok(()) };
        if now < open.until {
            return Err(open.until);
        }
        open.is_trial = true;
        open.until = now.after(self.policy.trial_timeout);
        Ok(())
    }

    /// Earliest time at which a call would be admitted; at least `now`.
    #[must_use]
    pub fn admits_at(&self, now: Time) -> Time {
        self.open.map_or(now, |open| open.until.max(now))
    }

    /// Whether calls are refused now, including during a trial.
    #[must_use]
    pub fn is_open(&self, now: Time) -> bool {
        self.open.is_some_and(|open| now < open.until)
    }

    /// Current state: `HalfOpen` from the start of the trial period until the outcome of the trial.
    #[must_use]
    pub fn state(&self, now: Time) -> BreakerState {
        match self.open {
            None => BreakerState::Closed,
            Some(open) if now < open.until && !open.is_trial => BreakerState::Open,
            Some(_) => BreakerState::HalfOpen,
        }
    }

    /// Records a response of the peer; any response counts as success.
    pub fn succeeded(&mut self, now: Time) -> Transition {
        self.failures = 0;
        self.open
            .take()
            .map_or(Transition::None, |open| Transition::Closed { open_for: now.since(open.since) })
    }

    /// Records a call without a response. Below the threshold a running trial continues.
    pub fn failed(&mut self, now: Time) -> Transition {
        self.failures = self.failures.saturating_add(1);
        let Some(beyond) = self.failures.checked_sub(self.policy.threshold) else { return Transition::None };
        self.begin(self.policy.open_for.at(i64::from(beyond) + 1, Chance::NONE, now), now)
    }

    /// Opens the breaker until `until`, because the peer sent `Retry-After`. The failure count does not change.
    pub fn open_until(&mut self, until: Time, now: Time) -> Transition {
        self.begin(until, now)
    }

    fn begin(&mut self, until: Time, now: Time) -> Transition {
        let was_open = self.open;
        self.open =
            Some(OpenPhase { since: was_open.map_or(now, |open| open.since), until, is_trial: false });
        if was_open.is_none() { Transition::Opened } else { Transition::None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;
    const POLICY: BreakerPolicy = BreakerPolicy {
        threshold: 5,
        open_for: Backoff::doubling(Duration::from_secs(30), Duration::from_secs(600)),
        trial_timeout: Duration::from_secs(30),
    };

    #[test]
    fn tests_a_silent_peer_with_growing_delays() {
        let (mut breaker, mut now) = (CircuitBreaker::new(POLICY), Time(1_000 * SECOND));
        let opened_at = now;
        for failure in 1..=5 {
            assert_eq!(breaker.admit(now), Ok(()));
            let transition = breaker.failed(now);
            assert_eq!(transition, if failure == 5 { Transition::Opened } else { Transition::None });
        }
        let mut pauses = Vec::new();
        for _ in 0..6 {
            assert_eq!(breaker.state(now), BreakerState::Open);
            let until = breaker.admit(now).unwrap_err();
            assert_eq!(breaker.admits_at(now), until);
            pauses.push((until.0 - now.0) / SECOND);
            now = until;
            assert_eq!((breaker.is_open(now), breaker.state(now)), (false, BreakerState::HalfOpen));
            assert_eq!(breaker.admit(now), Ok(()), "one call tests it");
            assert_eq!(breaker.admit(now), Err(Time(now.0 + 30 * SECOND)), "and only one");
            assert_eq!((breaker.is_open(now), breaker.state(now)), (true, BreakerState::HalfOpen));
            assert_eq!(breaker.failed(now), Transition::None);
        }
        assert_eq!(pauses, [30, 60, 120, 240, 480, 600]);
        now = breaker.admits_at(now);
        assert_eq!(breaker.admit(now), Ok(()));
        let open_for = Duration::from_micros(u64::try_from(now.0 - opened_at.0).unwrap());
        assert_eq!(breaker.succeeded(now), Transition::Closed { open_for });
        assert_eq!((breaker.state(now), breaker.admit(now)), (BreakerState::Closed, Ok(())));
        assert_eq!(breaker.failed(now), Transition::None, "failures count anew");
    }

    #[test]
    fn replaces_a_trial_without_an_outcome() {
        let mut breaker = CircuitBreaker::new(BreakerPolicy { threshold: 1, ..POLICY });
        assert_eq!(breaker.failed(Time(0)), Transition::Opened);
        assert_eq!(breaker.admit(Time(30 * SECOND)), Ok(()));
        assert_eq!(breaker.admit(Time(60 * SECOND)), Ok(()));
        assert_eq!(breaker.admit(Time(60 * SECOND)), Err(Time(90 * SECOND)));
    }

    #[test]
    fn honors_retry_after() {
        let mut breaker = CircuitBreaker::new(POLICY);
        assert_eq!(breaker.open_until(Time(90 * SECOND), Time(0)), Transition::Opened);
        assert_eq!(breaker.admit(Time(SECOND)), Err(Time(90 * SECOND)));
        assert_eq!(breaker.admit(Time(90 * SECOND)), Ok(()));
        assert_eq!(breaker.failed(Time(91 * SECOND)), Transition::None, "one failure of five");
        assert_eq!(breaker.admit(Time(92 * SECOND)), Err(Time(120 * SECOND)), "the trial's time runs on");
    }
}
