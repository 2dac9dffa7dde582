//! Delays before the next attempt of failed work. Pure: the caller counts failures (usually in a column) and draws the jitter;
//! nothing sleeps here.

use std::time::Duration;

use panel_contract::ids::Id;
use panel_contract::moment::Time;

/// Number of doublings after which every limit is reached.
const MAX_DOUBLINGS: u32 = 32;

/// Delays that grow with the number of failures. Failures count from 1; less counts as 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff<'a> {
    delays: Delays<'a>,
    jitter: Jitter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delays<'a> {
    Steps { secs: &'a [u32] },
    Doubling { first: Duration, max: Duration },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Jitter {
    None,
    AddUpTo { permille: u32 },
    Half,
    Full,
}

impl<'a> Backoff<'a> {
    /// A fixed sequence of delays in seconds.
    #[must_use]
    pub const fn steps_secs(secs: &'a [u32]) -> Self {
        Self { delays: Delays::Steps { secs }, jitter: Jitter::None }
    }

    /// `first`, doubled after each further failure, at most `max`.
    #[must_use]
    pub const fn doubling(first: Duration, max: Duration) -> Self {
        Self { delays: Delays::Doubling { first, max }, jitter: Jitter::None }
    }

    /// The same delay after every failure.
    #[must_use]
    pub const fn constant(delay: Duration) -> Self {
        Self::doubling(delay, delay)
    }

    /// Adds up to `permille` thousandths of the delay, so that many records are not retried at the same time.
    #[must_use]
    pub const fn add_up_to(self, permille: u32) -> Self {
        Self { jitter: Jitter::AddUpTo { permille }, ..self }
    }

    /// Replaces each delay by one between half of it and all of it.
    #[must_use]
    pub const fn half_jitter(self) -> Self {
        Self { jitter: Jitter::Half, ..self }
    }

    /// Replaces each delay by one between zero and all of it, so that two transactions that collided do not collide again.
    #[must_use]
    pub const fn full_jitter(self) -> Self {
        Self { jitter: Jitter::Full, ..self }
    }

    /// The delay after the `failures`th failure. The last step repeats; without steps the delay is zero.
    #[must_use]
    pub fn delay(&self, failures: i64, jitter: JitterFraction) -> Duration {
        let previous_failures = u32::try_from(failures.max(1) - 1).unwrap_or(u32::MAX);
        let delay = match self.delays {
            Delays::Steps { secs } => {
                let index = usize::try_from(previous_failures).unwrap_or(usize::MAX);
                let secs = secs.get(index).or(secs.last()).copied().unwrap_or_default();
                Duration::from_secs(u64::from(secs))
            }
            Delays::Doubling { first, max } => first
                .saturating_mul(1_u32.checked_shl(previous_failures.min(MAX_DOUBLINGS)).unwrap_or(u32::MAX))
                .min(max),
        };
        match self.jitter {
            Jitter::None => delay,
            Jitter::AddUpTo { permille } => {
                delay + jitter.scaled(micros(delay.as_micros() * u128::from(permille) / 1_000))
            }
            Jitter::Half => delay / 2 + jitter.scaled(delay / 2),
            Jitter::Full => jitter.scaled(delay),
        }
    }

    /// Time of the next attempt after the `failures`th failure. The last step repeats.
    #[must_use]
    pub fn next_attempt_at(&self, failures: i64, jitter: JitterFraction, now: Time) -> Time {
        now.plus(self.delay(failures, jitter))
    }

    /// As [`Self::next_attempt_at`], but `None` if there are fewer steps than failures, so that the caller gives up. Doubling delays
    /// never end.
    #[must_use]
    pub fn next_attempt_at_or_none(&self, failures: i64, jitter: JitterFraction, now: Time) -> Option<Time> {
        let has_next_attempt = match self.delays {
            Delays::Steps { secs } => {
                usize::try_from(failures.max(1)).is_ok_and(|failures| failures <= secs.len())
            }
            Delays::Doubling { .. } => true,
        };
        has_next_attempt.then(|| self.next_attempt_at(failures, jitter, now))
    }
}

/// The poll interval for a record of this age: a fraction of its age, so that old records cost few calls, clamped to `min` and
/// `max`.
#[must_use]
pub fn poll_interval(age: Duration, divisor: u32, min: Duration, max: Duration) -> Duration {
    (age / divisor.max(1)).min(max).max(min)
}

/// The share of the possible jitter, from 0 to 1. The caller draws it, so that rules stay pure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JitterFraction {
    numerator: u32,
    denominator: u32,
}

impl JitterFraction {
    /// No jitter.
    pub const NONE: Self = Self { numerator: 0, denominator: 1 };

    /// From the last digit of an id: constant for one record, different for adjacent records.
    #[must_use]
    pub fn from_id(id: impl Id) -> Self {
        Self { numerator: id.shard(10), denominator: 10 }
    }

    /// From a random byte; 255 is the full jitter.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Self {
        Self { numerator: byte as u32, denominator: 255 }
    }

    /// From a random number or a hash.
    #[must_use]
    pub fn from_u64(number: u64) -> Self {
        Self { numerator: u32::try_from(number % 1_001).unwrap_or_default(), denominator: 1_000 }
    }

    /// This fraction of `max`.
    #[must_use]
    pub fn scaled(self, max: Duration) -> Duration {
        micros(max.as_micros() * u128::from(self.numerator) / u128::from(self.denominator))
    }
}

fn micros(micros: u128) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::JobId;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn steps_end_or_repeat_the_last_delay() {
        let backoff = Backoff::steps_secs(&[10, 60, 300]);
        let next = |failures| {
            backoff
                .next_attempt_at_or_none(failures, JitterFraction::NONE, Time(0))
                .map(|at| at.0 / 1_000_000)
        };
        assert_eq!([-1, 0, 1, 2, 3, 4].map(next), [Some(10), Some(10), Some(10), Some(60), Some(300), None]);
        assert_eq!(backoff.delay(4, JitterFraction::NONE), 300 * SECOND);
        assert_eq!(backoff.delay(i64::MAX, JitterFraction::NONE), 300 * SECOND);
        let none = Backoff::steps_secs(&[]);
        assert_eq!(
            (
                none.delay(1, JitterFraction::NONE),
                none.next_attempt_at_or_none(1, JitterFraction::NONE, Time(0))
            ),
            (Duration::ZERO, None)
        );
    }

    #[test]
    fn doubling_stops_at_the_maximum_and_never_gives_up() {
        let backoff = Backoff::doubling(30 * SECOND, 600 * SECOND);
        let delays = [1, 2, 3, 4, 5, 6, 7, i64::MAX]
            .map(|failures| backoff.delay(failures, JitterFraction::NONE).as_secs());
        assert_eq!(delays, [30, 60, 120, 240, 480, 600, 600, 600]);
        assert_eq!(
            backoff.next_attempt_at_or_none(1_000, JitterFraction::NONE, Time(5)),
            Some(Time(600_000_005))
        );
        let short = Backoff::doubling(60 * SECOND, 20 * SECOND);
        assert_eq!(
            short.delay(1, JitterFraction::NONE),
            20 * SECOND,
            "the maximum also limits the first delay"
        );
        assert_eq!(Backoff::constant(SECOND).delay(9, JitterFraction::NONE), SECOND);
    }

    #[test]
    fn poll_intervals_grow_with_age_within_bounds() {
        let interval = |age| poll_interval(age, 10, 60 * SECOND, 600 * SECOND);
        let ages = [Duration::ZERO, 600 * SECOND, 700 * SECOND, 6_000 * SECOND, Duration::MAX];
        assert_eq!(ages.map(|age| interval(age).as_secs()), [60, 60, 70, 600, 600]);
        assert_eq!(poll_interval(SECOND, 0, SECOND, SECOND), SECOND, "a divisor of 0 counts as 1");
        assert_eq!(
            poll_interval(9 * SECOND, 1, 5 * SECOND, SECOND),
            5 * SECOND,
            "the minimum takes precedence over the maximum"
        );
    }

    #[test]
    fn jitter_stays_within_bounds() {
        let delay = |backoff: Backoff<'_>, jitter| backoff.delay(1, jitter).as_micros();
        let jobs = Backoff::steps_secs(&[5]).add_up_to(200);
        assert_eq!(
            [10, 19, -1].map(|id| delay(jobs, JitterFraction::from_id(JobId::new(id)))),
            [5_000_000, 5_900_000, 5_900_000]
        );
        let hour = Backoff::steps_secs(&[3_600]).add_up_to(100);
        assert_eq!(
            [0, 255].map(|byte| delay(hour, JitterFraction::from_byte(byte))),
            [3_600_000_000, 3_960_000_000]
        );
        let half = Backoff::constant(SECOND).half_jitter();
        assert_eq!(
            [0, 500, 1_000, 1_001].map(|n| delay(half, JitterFraction::from_u64(n))),
            [500_000, 750_000, 1_000_000, 500_000]
        );
        let full = Backoff::constant(SECOND).full_jitter();
        assert_eq!([0, 255].map(|byte| delay(full, JitterFraction::from_byte(byte))), [0, 1_000_000]);
    }
}
