//! A rate limiter with a burst (GCRA). Pure: the caller passes the time, and nothing waits. The quota may change at run time.
//!
//! `governor` limits HTTP requests. This limiter is for work that checks the available permits before it claims records, and
//! whose share of a limit changes with the number of processes.

use std::time::Duration;

use panel_contract::moment::Time;

/// Rate and burst of a limiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Average interval between two permits.
    pub interval: Duration,
    /// Permits that are available at once after a pause; at least 1.
    pub burst: i64,
}

/// The limiter of one peer.
#[derive(Debug, Clone)]
pub struct RateLimiter {
    /// Microseconds between two permits.
    interval_micros: i64,
    burst: i64,
    /// When the next permit would be due if there were no burst.
    next_permit_at: Time,
}

impl RateLimiter {
    /// A limiter with its full burst available.
    #[must_use]
    pub fn new(quota: Quota) -> Self {
        let mut limiter = Self { interval_micros: 0, burst: 1, next_permit_at: Time(0) };
        limiter.set_quota(quota);
        limiter
    }

    /// Applies `quota` from now on; permits already acquired still count.
    pub fn set_quota(&mut self, quota: Quota) {
        self.interval_micros = i64::try_from(quota.interval.as_micros()).unwrap_or(i64::MAX).max(1);
        self.burst = quota.burst.max(1);
    }

    /// Permits that are available at once after a pause.
    #[must_use]
    pub const fn burst(&self) -> i64 {
        self.burst
    }

    /// Acquires a permit, or returns the time of the next one.
    pub fn acquire(&mut self, now: Time) -> Result<(), Time> {
        let earliest = self.available_at(1, now);
        if now < earliest {
            return Err(earliest);
        }
        self.next_permit_at = Time(self.next_permit_at.0.max(now.0) + self.interval_micros);
        Ok(())
    }

    /// Permits that are available now.
    #[must_use]
    pub fn available(&self, now: Time) -> i64 {
        let micros_ahead = (self.next_permit_at.0 - now.0).max(0);
        (self.burst - (micros_ahead + self.interval_micros - 1) / self.interval_micros).max(0)
    }

    /// Earliest time at which `permits` (at most the burst) are available at once.
    #[must_use]
    pub fn available_at(&self, permits: i64, now: Time) -> Time {
        let unused_burst = self.burst - permits.clamp(1, self.burst);
        now.max(Time(self.next_permit_at.0 - self.interval_micros * unused_burst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH_SECOND_MICROS: i64 = 100_000;
    const NOW: Time = Time(1_000_000_000);

    fn quota(processes: u32) -> Quota {
        Quota { interval: processes * Duration::from_millis(100), burst: 20 / i64::from(processes) }
    }

    fn acquire_all(limiter: &mut RateLimiter, now: Time) -> i64 {
        (0..100).take_while(|_| limiter.acquire(now).is_ok()).count().try_into().unwrap()
    }

    #[test]
    fn permits_follow_the_interval_after_a_burst() {
        let mut limiter = RateLimiter::new(quota(1));
        assert_eq!((acquire_all(&mut limiter, NOW), limiter.burst()), (20, 20));
        assert_eq!(limiter.acquire(NOW), Err(Time(NOW.0 + TENTH_SECOND_MICROS)));
        assert_eq!(limiter.acquire(Time(NOW.0 + TENTH_SECOND_MICROS)), Ok(()));
        assert!(limiter.acquire(Time(NOW.0 + TENTH_SECOND_MICROS)).is_err());
    }

    #[test]
    fn a_changed_quota_applies_at_once() {
        let mut limiter = RateLimiter::new(quota(4));
        assert_eq!(acquire_all(&mut limiter, NOW), 5);
        let permits: i64 =
            (1..=100).map(|tenth| acquire_all(&mut limiter, Time(NOW.0 + tenth * TENTH_SECOND_MICROS))).sum();
        assert_eq!(permits, 25, "ten seconds at a quarter of ten permits per second");
        limiter.set_quota(quota(1));
        assert_eq!(acquire_all(&mut limiter, Time(NOW.0 + 60_000_000)), 20);
    }

    #[test]
    fn available_equals_the_permits_that_can_be_acquired() {
        let (mut limiter, mut now) = (RateLimiter::new(quota(1)), NOW);
        for step in 0..200_i64 {
            let processes = u32::try_from(1 + step / 50).unwrap();
            limiter.set_quota(quota(processes));
            let available = limiter.available(now);
            assert_eq!(limiter.available_at(available.max(1), now) <= now, available > 0, "{step}");
            assert_eq!(acquire_all(&mut limiter, now), available, "{step}");
            assert_eq!(limiter.available(now), 0);
            assert!(limiter.available_at(1, now).0 - now.0 <= TENTH_SECOND_MICROS * i64::from(processes));
            now = limiter.available_at(step % 25, Time(now.0 + step * 777));
        }
    }
}
