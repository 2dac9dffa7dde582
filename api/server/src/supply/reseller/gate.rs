//! Manners towards one panel: so many calls a second, and none for a while where it does not answer. Pure: time is given.

use panel_contract::moment::Time;

/// Failures in a row after which a panel is left alone.
const MOST_FAILURES: u32 = 5;
/// Microseconds that it is left alone then; twice as long after each further failure.
const FIRST_REST: i64 = 30_000_000;
/// Calls that a round of work makes at once.
pub const ROUND: i64 = 6;
/// The longest it is left alone.
const LONGEST_REST: i64 = 600_000_000;

/// The gate of one panel.
#[derive(Debug, Clone)]
pub struct Gate {
    /// Microseconds between two calls, on average.
    pace: i64,
    /// Calls that may come at once before the pace holds.
    burst: i64,
    failures: u32,
    /// Nobody calls before.
    closed_until: Option<Time>,
    /// When the pace would allow the next call, were there no burst.
    next: Time,
}

impl Gate {
    /// With so many calls a second, and twice as many at once.
    #[must_use]
    pub fn new(calls_per_second: u32) -> Self {
        let mut gate = Self { pace: 0, burst: 0, failures: 0, closed_until: None, next: Time(0) };
        gate.share(calls_per_second, 1);
        gate
    }

    /// From now on it lets through its part of so many calls a second, which so many processes make together.
    pub fn share(&mut self, calls_per_second: u32, processes: u32) {
        let (calls, processes) = (i64::from(calls_per_second.max(1)), i64::from(processes.max(1)));
        self.pace = 1_000_000 * processes / calls;
        // Never fewer than a round of work wants at once: the pace holds them apart all the same.
        self.burst = (calls * 2 / processes).max(ROUND.min(calls * 2));
    }

    /// How many calls it lets through at once when none came for a while.
    #[must_use]
    pub fn at_once(&self) -> i64 {
        self.burst
    }

    /// Lets a call through, or says when to ask again. After a rest exactly one call tries.
    pub fn ask(&mut self, now: Time) -> Result<(), Time> {
        if let Some(until) = self.closed_until {
            if now < until {
                return Err(until);
            }
            // Others wait for what this one hears.
            self.closed_until = Some(Time(now.0 + FIRST_REST));
        }
        let earliest = self.next.0 - self.pace * (self.burst - 1);
        if now.0 < earliest {
            return Err(Time(earliest));
        }
        self.next = Time(self.next.0.max(now.0) + self.pace);
        Ok(())
    }

    /// How many calls it would let through now. Whoever claims work for a panel asks before.
    #[must_use]
    pub fn allows(&self, now: Time) -> i64 {
        match self.closed_until {
            Some(until) if now < until => 0,
            // One tries.
            Some(_) => i64::from(self.opens_at(1, now) <= now),
            None => {
                let ahead = (self.next.0 - now.0).max(0);
                (self.burst - (ahead + self.pace - 1) / self.pace).max(0)
            }
        }
    }

    /// When it would let so many calls through at once, or as many as ever come at once.
    #[must_use]
    pub fn opens_at(&self, calls: i64, now: Time) -> Time {
        let calls = if self.closed_until.is_some() { 1 } else { calls.clamp(1, self.burst) };
        let paced = self.next.0 - self.pace * (self.burst - calls);
        now.max(Time(paced)).max(self.closed_until.unwrap_or(now))
    }

    /// The panel answered: whatever it said, it is there.
    pub fn heard(&mut self) {
        self.failures = 0;
        self.closed_until = None;
    }

    /// It did not answer, or not so that it could be understood.
    pub fn missed(&mut self, now: Time) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= MOST_FAILURES {
            let doublings = (self.failures - MOST_FAILURES).min(10);
            let rest = (FIRST_REST << doublings).min(LONGEST_REST);
            self.closed_until = Some(Time(now.0 + rest));
        }
    }

    /// It asked to be left alone for some seconds.
    pub fn asked_for_rest(&mut self, now: Time, seconds: i64) {
        let rest = (seconds.max(1) * 1_000_000).min(LONGEST_REST);
        self.closed_until = Some(Time(now.0 + rest));
    }

    /// The state of its circuit breaker: 0 closed, 1 half-open, 2 open.
    #[must_use]
    pub fn breaker(&self, now: Time) -> u8 {
        match self.closed_until {
            None => 0,
            Some(until) if now < until => 2,
            Some(_) => 1,
        }
    }

    /// Whether it is left alone now.
    #[must_use]
    pub fn is_closed(&self, now: Time) -> bool {
        self.closed_until.is_some_and(|until| now < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;
    const PACE: i64 = SECOND / 10;

    #[test]
    fn a_panel_that_does_not_answer_is_left_alone_longer_and_longer() {
        let (mut gate, mut now) = (Gate::new(10), Time(1_000 * SECOND));
        for _ in 0..5 {
            assert_eq!(gate.ask(now), Ok(()));
            gate.missed(now);
        }
        assert_eq!(gate.ask(now), Err(Time(now.0 + 30 * SECOND)));
        let mut rests = Vec::new();
        for _ in 0..6 {
            let until = gate.ask(now).unwrap_err();
            rests.push((until.0 - now.0) / SECOND);
            now = until;
            assert_eq!(gate.ask(now), Ok(()), "one tries");
            assert!(gate.ask(now).is_err(), "and only one");
            gate.missed(now);
        }
        assert_eq!(rests, [30, 60, 120, 240, 480, 600]);
        now = gate.ask(now).unwrap_err();
        assert_eq!(gate.ask(now), Ok(()));
        gate.heard();
        assert!(!gate.is_closed(now) && gate.ask(now).is_ok());
    }

    #[test]
    fn calls_keep_their_pace_after_a_burst() {
        let (mut gate, now) = (Gate::new(10), Time(1_000 * SECOND));
        let at_once = (0..100).take_while(|_| gate.ask(now).is_ok()).count();
        assert_eq!(at_once, 20);
        assert_eq!(gate.ask(now), Err(Time(now.0 + PACE)));
        assert_eq!(gate.ask(Time(now.0 + PACE)), Ok(()));
        assert!(gate.ask(Time(now.0 + PACE)).is_err());
    }

    #[test]
    fn processes_share_a_pace() {
        let let_through = |gate: &mut Gate, now: Time| (0..100).take_while(|_| gate.ask(now).is_ok()).count();
        let (mut gate, now) = (Gate::new(10), Time(1_000 * SECOND));
        gate.share(10, 4);
        assert_eq!(let_through(&mut gate, now), 6);
        let calls = (1..=100).map(|tenth| let_through(&mut gate, Time(now.0 + tenth * PACE))).sum::<usize>();
        assert_eq!(calls, 25, "ten seconds of a quarter of ten a second");
        gate.share(10, 1);
        assert_eq!(let_through(&mut gate, Time(now.0 + 60 * SECOND)), 20);
        gate.share(1, 100);
        assert_eq!(
            let_through(&mut gate, Time(now.0 + 600 * SECOND)),
            2,
            "as many as one process of this pace"
        );
    }

    #[test]
    fn it_says_before_what_it_will_let_through() {
        let (mut gate, mut now) = (Gate::new(10), Time(1_000 * SECOND));
        for turn in 0..200_u32 {
            let processes = 1 + turn / 50;
            gate.share(10, processes);
            let (turn, pace) = (i64::from(turn), PACE * i64::from(processes));
            let allowed = gate.allows(now);
            assert_eq!(gate.opens_at(allowed.max(1), now) <= now, allowed > 0, "{turn}");
            let at_once = (0..100).take_while(|_| gate.ask(now).is_ok()).count();
            assert_eq!(i64::try_from(at_once), Ok(allowed), "{turn}");
            assert_eq!((gate.allows(now), gate.opens_at(1, now).0 - now.0 <= pace), (0, true));
            now = gate.opens_at(turn % 25, Time(now.0 + turn * 777));
        }
        gate.asked_for_rest(now, 5);
        assert_eq!((gate.allows(now), gate.opens_at(6, now)), (0, Time(now.0 + 5 * SECOND)));
        assert_eq!(gate.allows(Time(now.0 + 5 * SECOND)), 1, "one tries");
    }

    #[test]
    fn a_panel_may_ask_for_rest() {
        let (mut gate, now) = (Gate::new(10), Time(0));
        gate.asked_for_rest(now, 90);
        assert_eq!(gate.ask(now), Err(Time(90 * SECOND)));
        gate.asked_for_rest(now, 1_000_000);
        assert_eq!(gate.ask(now), Err(Time(LONGEST_REST)));
    }
}
