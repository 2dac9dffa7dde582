//! Stops calls to a peer that does not answer, and tests it again by one call. Pure: time is given, and nothing waits or calls
//! here.

use std::time::Duration;

use panel_contract::moment::Time;

use crate::backoff::{Backoff, Chance};

/// When a breaker opens, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct BreakerPolicy {
    /// Failures in a row that open it.
    pub threshold: u32,
    /// How long it stays open; the failure that opens it is the first.
    pub open_for: Backoff<'static>,
    /// How long a trial may take before another one begins.
    pub trial_timeout: Duration,
}

/// Whether calls are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// All are.
    Closed,
    /// None is.
    Open,
    /// One call tests the peer, or may.
    HalfOpen,
}

/// What a call's outcome changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// The breaker is as it was.
    None,
    /// It was closed, and calls end from now on.
    Opened,
    /// Calls are made again.
    Closed {
        /// How long none was.
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
    /// A closed one.
    #[must_use]
    pub const fn new(policy: BreakerPolicy) -> Self {
        Self { policy, failures: 0, open: None }
    }

    /// Lets a call through, or says when to ask again. Once the time is over exactly one call is let through; the others wait
    /// for its outcome, at most for the trial's timeout.
    pub fn admit(&mut self, now: Time) -> Result<(), Time> {
        let Some(open) = &mut self.open else { return Ok(()) };
        if now < open.until {
            return Err(open.until);
        }
        open.is_trial = true;
        open.until = now.after(self.policy.trial_timeout);
        Ok(())
    }

    /// When a call would be let through; `now` where it would be at once.
    #[must_use]
    pub fn admits_at(&self, now: Time) -> Time {
        self.open.map_or(now, |open| open.until.max(now))
    }

    /// Whether calls are refused now, also by a trial that is under way.
    #[must_use]
    pub fn is_open(&self, now: Time) -> bool {
        self.open.is_some_and(|open| now < open.until)
    }

    /// Whether calls are made: `HalfOpen` from the moment at which a trial may begin until its outcome is known.
    #[must_use]
    pub fn state(&self, now: Time) -> BreakerState {
        match self.open {
            None => BreakerState::Closed,
            Some(open) if now < open.until && !open.is_trial => BreakerState::Open,
            Some(_) => BreakerState::HalfOpen,
        }
    }

    /// The peer answered: whatever it answered, it is there.
    pub fn succeeded(&mut self, now: Time) -> Transition {
        self.failures = 0;
        self.open
            .take()
            .map_or(Transition::None, |open| Transition::Closed { open_for: now.since(open.since) })
    }

    /// The peer did not answer. Below the threshold a trial's time runs on.
    pub fn failed(&mut self, now: Time) -> Transition {
        self.failures = self.failures.saturating_add(1);
        let Some(beyond) = self.failures.checked_sub(self.policy.threshold) else { return Transition::None };
        self.begin(self.policy.open_for.at(i64::from(beyond) + 1, Chance::NONE, now), now)
    }

    /// The peer asked for a pause (`Retry-After`): it is open until then. The number of failures stays.
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
    fn a_peer_that_does_not_answer_is_tested_more_and_more_rarely() {
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
    fn a_trial_without_an_outcome_is_followed_by_another() {
        let mut breaker = CircuitBreaker::new(BreakerPolicy { threshold: 1, ..POLICY });
        assert_eq!(breaker.failed(Time(0)), Transition::Opened);
        assert_eq!(breaker.admit(Time(30 * SECOND)), Ok(()));
        assert_eq!(breaker.admit(Time(60 * SECOND)), Ok(()));
        assert_eq!(breaker.admit(Time(60 * SECOND)), Err(Time(90 * SECOND)));
    }

    #[test]
    fn a_peer_may_ask_for_a_pause() {
        let mut breaker = CircuitBreaker::new(POLICY);
        assert_eq!(breaker.open_until(Time(90 * SECOND), Time(0)), Transition::Opened);
        assert_eq!(breaker.admit(Time(SECOND)), Err(Time(90 * SECOND)));
        assert_eq!(breaker.admit(Time(90 * SECOND)), Ok(()));
        assert_eq!(breaker.failed(Time(91 * SECOND)), Transition::None, "one failure of five");
        assert_eq!(breaker.admit(Time(92 * SECOND)), Err(Time(120 * SECOND)), "the trial's time runs on");
    }
}
