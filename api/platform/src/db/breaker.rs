//! The circuit breaker of the database: closed while it answers, open while it does not, half-open while one probe tests
//! it. Pure: time is given, and it never connects or waits; `availability` does.
//!
//! Only a failed probe opens it. A slow statement or a pool without a free connection is a reason to probe, and no more.

use std::time::{Duration, Instant};

/// Least time between two probes of a database that answered.
const PROBE_INTERVAL: Duration = Duration::from_millis(250);
/// Time between the first failed probe and the next; twice as long after each further failure.
const FIRST_DELAY: Duration = Duration::from_millis(250);
/// Most time between two probes of a database that does not answer.
const MAX_DELAY: Duration = Duration::from_secs(2);

/// Whether statements are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// All are.
    Closed,
    /// None is, until a probe at `probe_at` or later succeeds.
    Open { since: Instant, failures: u32, probe_at: Instant },
    /// None is, and a probe is under way.
    HalfOpen { since: Instant, failures: u32 },
}

/// What the end of a probe changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// Nothing.
    None,
    /// The database does not answer any more.
    Opened,
    /// It answers again after so long.
    Closed(Duration),
}

/// The state, and whether a probe is under way.
#[derive(Debug)]
pub struct CircuitBreaker {
    state: State,
    is_probing: bool,
    /// When the last probe of a closed breaker succeeded.
    probed_at: Option<Instant>,
}

impl Default for CircuitBreaker {
    fn default() -> Self {
        Self { state: State::Closed, is_probing: false, probed_at: None }
    }
}

impl CircuitBreaker {
    /// Whether statements are sent.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// Whether the caller is to probe now and report by [`Self::end_probe`]. One probe at a time.
    pub fn begin_probe(&mut self, now: Instant) -> bool {
        let is_early = match self.state {
            State::Closed => self.probed_at.is_some_and(|at| now < at + PROBE_INTERVAL),
            State::Open { probe_at, .. } => now < probe_at,
            State::HalfOpen { .. } => true,
        };
        if self.is_probing || is_early {
            return false;
        }
        if let State::Open { since, failures, .. } = self.state {
            self.state = State::HalfOpen { since, failures };
        }
        self.is_probing = true;
        true
    }

    /// The probe has ended.
    pub fn end_probe(&mut self, is_answered: bool, now: Instant) -> Transition {
        self.is_probing = false;
        let open_since = match self.state {
            State::Closed => None,
            State::Open { since, failures, .. } | State::HalfOpen { since, failures } => {
                Some((since, failures))
            }
        };
        if is_answered {
            self.state = State::Closed;
            self.probed_at = Some(now);
            return open_since.map_or(Transition::None, |(since, _)| Transition::Closed(now - since));
        }
        let (since, failures) = open_since.unwrap_or((now, 0));
        let delay = FIRST_DELAY.saturating_mul(1 << failures.min(10)).min(MAX_DELAY);
        self.state = State::Open { since, failures: failures + 1, probe_at: now + delay };
        if open_since.is_none() { Transition::Opened } else { Transition::None }
    }

    /// How long an open breaker waits for its next probe; none where it is closed.
    #[must_use]
    pub fn next_probe(&self, now: Instant) -> Option<Duration> {
        match self.state {
            State::Open { probe_at, .. } => Some(probe_at.saturating_duration_since(now)),
            State::Closed | State::HalfOpen { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_failed_probe_opens_it_and_one_that_succeeds_closes_it() {
        let (mut breaker, start) = (CircuitBreaker::default(), Instant::now());
        assert!(breaker.is_closed() && breaker.next_probe(start).is_none());
        assert!(breaker.begin_probe(start));
        assert!(breaker.is_closed(), "a reason to probe is no outage");
        assert_eq!(breaker.end_probe(false, start + MS), Transition::Opened);
        assert!(!breaker.is_closed());
        assert!(!breaker.begin_probe(start + MS), "not before the delay");
        assert!(breaker.begin_probe(start + 251 * MS));
        assert!(!breaker.is_closed(), "half-open sends nothing but the probe");
        assert_eq!(breaker.end_probe(true, start + 1_001 * MS), Transition::Closed(1_000 * MS));
        assert!(breaker.is_closed());
    }

    #[test]
    fn one_probe_at_a_time() {
        let (mut breaker, start) = (CircuitBreaker::default(), Instant::now());
        assert!(breaker.begin_probe(start) && !breaker.begin_probe(start + 10_000 * MS));
        assert_eq!(breaker.end_probe(true, start), Transition::None);
        assert!(!breaker.begin_probe(start + 249 * MS), "a database that answers is not asked all the time");
        assert!(breaker.begin_probe(start + 250 * MS));
        breaker.end_probe(false, start + 250 * MS);
        let due = start + 250 * MS + breaker.next_probe(start + 250 * MS).unwrap();
        assert!(breaker.begin_probe(due) && !breaker.begin_probe(due + 10_000 * MS));
    }

    #[test]
    fn probes_become_rarer_and_never_rarer_than_two_seconds() {
        let (mut breaker, mut now) = (CircuitBreaker::default(), Instant::now());
        let mut delays = Vec::new();
        for _ in 0..6 {
            assert!(breaker.begin_probe(now));
            breaker.end_probe(false, now);
            let delay = breaker.next_probe(now).unwrap();
            delays.push(delay.as_millis());
            now += delay;
        }
        assert_eq!(delays, [250, 500, 1_000, 2_000, 2_000, 2_000]);
    }
}
