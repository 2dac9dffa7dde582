//! A circuit breaker: stops requests to a peer that does not respond, and tests the peer with a single trial request. This module
//! does not wait or send requests; the caller passes the current time.

use std::time::Duration;

use panel_contract::moment::Time;

use crate::backoff::{Backoff, JitterFraction};

/// Threshold and durations of a circuit breaker.
#[derive(Debug, Clone, Copy)]
pub struct BreakerPolicy {
    /// Consecutive failures that open the breaker.
    pub threshold: u32,
    /// How long the breaker stays open; the failure that opens it counts as the first.
    pub open_for: Backoff<'static>,
    /// Time after which another call replaces a trial without an outcome.
    pub trial_timeout: Duration,
}

/// State of a circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// All calls are allowed.
    Closed,
    /// All calls are rejected.
    Open,
    /// A single trial call is allowed or in progress.
    HalfOpen,
}

/// State change caused by the outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerTransition {
    None,
    Opened,
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

    /// Admits a call, or returns the time at which the caller may ask again. After the open period the breaker admits exactly one
    /// trial call; other calls wait for its outcome, at most for the trial timeout.
    pub fn admit(&mut self, now: Time) -> Result<(), Time> {
        let Some(open) = &mut self.open else { return Ok(()) };
        if now < open.until {
            return Err(open.until);
        }
        open.is_trial = true;
        open.until = now.plus(self.policy.trial_timeout);
        Ok(())
    }

    /// Earliest time at which a call would be admitted; at least `now`.
    #[must_use]
    pub fn next_admission_at(&self, now: Time) -> Time {
        self.open.map_or(now, |open| open.until.max(now))
    }

    /// Whether calls are rejected now, including during a trial.
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
    pub fn record_success(&mut self, now: Time) -> BreakerTransition {
        self.failures = 0;
        self.open.take().map_or(BreakerTransition::None, |open| BreakerTransition::Closed {
            open_for: now.since(open.since),
        })
    }

    /// Records a call without a response. Below the threshold a running trial continues.
    pub fn record_failure(&mut self, now: Time) -> BreakerTransition {
        self.failures = self.failures.saturating_add(1);
        let Some(excess_failures) = self.failures.checked_sub(self.policy.threshold) else {
            return BreakerTransition::None;
        };
        self.start_open_phase(
            self.policy.open_for.next_attempt_at(i64::from(excess_failures) + 1, JitterFraction::NONE, now),
            now,
        )
    }

    /// Opens the breaker until `until`, because the peer sent `Retry-After`. The failure count does not change.
    pub fn open_until(&mut self, until: Time, now: Time) -> BreakerTransition {
        self.start_open_phase(until, now)
    }

    fn start_open_phase(&mut self, until: Time, now: Time) -> BreakerTransition {
        let previous_phase = self.open;
        self.open =
            Some(OpenPhase { since: previous_phase.map_or(now, |open| open.since), until, is_trial: false });
        if previous_phase.is_none() { BreakerTransition::Opened } else { BreakerTransition::None }
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
            let transition = breaker.record_failure(now);
            assert_eq!(
                transition,
                if failure == 5 { BreakerTransition::Opened } else { BreakerTransition::None }
            );
        }
        let mut open_secs = Vec::new();
        for _ in 0..6 {
            assert_eq!(breaker.state(now), BreakerState::Open);
            let until = breaker.admit(now).unwrap_err();
            assert_eq!(breaker.next_admission_at(now), until);
            open_secs.push((until.0 - now.0) / SECOND);
            now = until;
            assert_eq!((breaker.is_open(now), breaker.state(now)), (false, BreakerState::HalfOpen));
            assert_eq!(breaker.admit(now), Ok(()), "one trial call is admitted");
            assert_eq!(breaker.admit(now), Err(Time(now.0 + 30 * SECOND)), "a second call is rejected");
            assert_eq!((breaker.is_open(now), breaker.state(now)), (true, BreakerState::HalfOpen));
            assert_eq!(breaker.record_failure(now), BreakerTransition::None);
        }
        assert_eq!(open_secs, [30, 60, 120, 240, 480, 600]);
        now = breaker.next_admission_at(now);
        assert_eq!(breaker.admit(now), Ok(()));
        let open_for = Duration::from_micros(u64::try_from(now.0 - opened_at.0).unwrap());
        assert_eq!(breaker.record_success(now), BreakerTransition::Closed { open_for });
        assert_eq!((breaker.state(now), breaker.admit(now)), (BreakerState::Closed, Ok(())));
        assert_eq!(
            breaker.record_failure(now),
            BreakerTransition::None,
            "the count of failures starts again"
        );
    }

    #[test]
    fn replaces_a_trial_without_an_outcome() {
        let mut breaker = CircuitBreaker::new(BreakerPolicy { threshold: 1, ..POLICY });
        assert_eq!(breaker.record_failure(Time(0)), BreakerTransition::Opened);
        assert_eq!(breaker.admit(Time(30 * SECOND)), Ok(()));
        assert_eq!(breaker.admit(Time(60 * SECOND)), Ok(()));
        assert_eq!(breaker.admit(Time(60 * SECOND)), Err(Time(90 * SECOND)));
    }

    #[test]
    fn honors_retry_after() {
        let mut breaker = CircuitBreaker::new(POLICY);
        assert_eq!(breaker.open_until(Time(90 * SECOND), Time(0)), BreakerTransition::Opened);
        assert_eq!(breaker.admit(Time(SECOND)), Err(Time(90 * SECOND)));
        assert_eq!(breaker.admit(Time(90 * SECOND)), Ok(()));
        assert_eq!(
            breaker.record_failure(Time(91 * SECOND)),
            BreakerTransition::None,
            "one failure is below the threshold of five"
        );
        assert_eq!(breaker.admit(Time(92 * SECOND)), Err(Time(120 * SECOND)), "the trial keeps its timeout");
    }
}
