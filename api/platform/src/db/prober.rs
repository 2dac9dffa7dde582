//! Decides when to probe the database: one probe at a time, at most every 250 ms while the database answers, and at the delays
//! of its circuit breaker while it does not. Pure: the caller passes the time, and only `availability` connects and waits.
//!
//! Only a failed probe opens the breaker. A slow statement or a pool without a free connection only triggers a probe.

use std::time::Duration;

use panel_contract::moment::Time;
use panel_kernel::backoff::Backoff;
use panel_kernel::circuit_breaker::{BreakerPolicy, BreakerState, BreakerTransition, CircuitBreaker};

/// Shortest time between two probes of a database that answered.
const PROBE_INTERVAL: Duration = Duration::from_millis(250);
/// The first failed probe opens the breaker. The timeout of a probe is well below that of a trial.
const BREAKER: BreakerPolicy = BreakerPolicy {
    threshold: 1,
    open_for: Backoff::doubling(Duration::from_millis(250), Duration::from_secs(2)),
    trial_timeout: Duration::from_secs(5),
};

/// The database's circuit breaker, and whether a probe is running.
#[derive(Debug)]
pub(super) struct Prober {
    breaker: CircuitBreaker,
    is_probing: bool,
    /// `None` if the last probe failed.
    last_success_at: Option<Time>,
}

impl Default for Prober {
    fn default() -> Self {
        Self { breaker: CircuitBreaker::new(BREAKER), is_probing: false, last_success_at: None }
    }
}

impl Prober {
    /// Returns whether the caller must probe now; the caller then reports the result by [`Self::end_probe`].
    pub(super) fn begin_probe(&mut self, now: Time) -> bool {
        let is_recent = self.last_success_at.is_some_and(|success_at| now < success_at.plus(PROBE_INTERVAL));
        if self.is_probing || is_recent {
            return false;
        }
        self.is_probing = self.breaker.admit(now).is_ok();
        self.is_probing
    }

    /// Records the result of a probe.
    pub(super) fn end_probe(&mut self, has_succeeded: bool, now: Time) -> BreakerTransition {
        self.is_probing = false;
        self.last_success_at = has_succeeded.then_some(now);
        if has_succeeded { self.breaker.record_success(now) } else { self.breaker.record_failure(now) }
    }

    /// Returns how long an open breaker waits before its next probe; `None` if it is closed.
    #[must_use]
    pub(super) fn delay_to_next_probe(&self, now: Time) -> Option<Duration> {
        let is_closed = self.breaker.state(now) == BreakerState::Closed;
        (!is_closed).then(|| self.breaker.next_admission_at(now).since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000;

    #[test]
    fn a_failed_probe_opens_the_breaker_and_a_successful_one_closes_it() {
        let mut prober = Prober::default();
        assert!(prober.delay_to_next_probe(Time(0)).is_none());
        assert!(prober.begin_probe(Time(0)));
        assert!(prober.delay_to_next_probe(Time(0)).is_none(), "a running probe is not an outage");
        assert_eq!(prober.end_probe(false, Time(MS)), BreakerTransition::Opened);
        assert!(prober.delay_to_next_probe(Time(MS)).is_some());
        assert!(!prober.begin_probe(Time(MS)), "no probe before the delay has passed");
        assert!(prober.begin_probe(Time(251 * MS)));
        assert!(prober.delay_to_next_probe(Time(251 * MS)).is_some(), "a half-open breaker still waits");
        let open_for = Duration::from_secs(1);
        assert_eq!(prober.end_probe(true, Time(1_001 * MS)), BreakerTransition::Closed { open_for });
        assert!(prober.delay_to_next_probe(Time(1_001 * MS)).is_none());
    }

    #[test]
    fn runs_one_probe_at_a_time() {
        let mut prober = Prober::default();
        assert!(prober.begin_probe(Time(0)) && !prober.begin_probe(Time(10_000 * MS)));
        assert_eq!(prober.end_probe(true, Time(0)), BreakerTransition::None);
        assert!(!prober.begin_probe(Time(249 * MS)), "a database that answers is probed rarely");
        assert!(prober.begin_probe(Time(250 * MS)));
        prober.end_probe(false, Time(250 * MS));
        let next_probe_at = Time(250 * MS).plus(prober.delay_to_next_probe(Time(250 * MS)).unwrap());
        assert!(prober.begin_probe(next_probe_at));
        assert!(!prober.begin_probe(Time(next_probe_at.0 + 10_000 * MS)));
    }

    #[test]
    fn delays_between_probes_grow_up_to_two_seconds() {
        let (mut prober, mut now) = (Prober::default(), Time(0));
        let mut delays = Vec::new();
        for _ in 0..6 {
            assert!(prober.begin_probe(now));
            prober.end_probe(false, now);
            let delay = prober.delay_to_next_probe(now).unwrap();
            delays.push(delay.as_millis());
            now = now.plus(delay);
        }
        assert_eq!(delays, [250, 500, 1_000, 2_000, 2_000, 2_000]);
    }
}
