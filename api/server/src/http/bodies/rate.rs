//! The minimum rate of a body: the server stops waiting for a client that sends slower. Pure.

use std::time::Duration;

/// The slowest rate at which a body may arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MinimumRate {
    /// The grace period: no body is refused as too slow before it ends.
    pub(crate) grace: Duration,
    /// Bytes per second, on average since the body began; each byte extends the deadline beyond the grace period.
    pub(crate) bytes_per_second: u64,
}

/// Whether the server continues to wait for a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RateDecision {
    /// Wait at most this long for the next byte.
    Wait(Duration),
    TooSlow,
}

impl MinimumRate {
    /// The decision on a body of which `received` bytes arrived within `elapsed`.
    pub(crate) fn decide(self, received: usize, elapsed: Duration) -> RateDecision {
        let received = u64::try_from(received).unwrap_or(u64::MAX);
        let extension =
            Duration::from_micros(received.saturating_mul(1_000_000) / self.bytes_per_second.max(1));
        match self.grace.saturating_add(extension).checked_sub(elapsed) {
            Some(remaining) if !remaining.is_zero() => RateDecision::Wait(remaining),
            _ => RateDecision::TooSlow,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: MinimumRate = MinimumRate { grace: Duration::from_secs(5), bytes_per_second: 500 };

    fn decide_after(received: usize, millis: u64) -> RateDecision {
        RATE.decide(received, Duration::from_millis(millis))
    }

    #[test]
    fn refuses_a_body_below_the_rate_after_the_grace_period() {
        let wait = |millis| RateDecision::Wait(Duration::from_millis(millis));
        assert_eq!(decide_after(0, 0), wait(5_000));
        assert_eq!(decide_after(0, 4_999), wait(1));
        assert_eq!(decide_after(0, 5_000), RateDecision::TooSlow);
        // Each byte extends the deadline by two milliseconds.
        assert_eq!(decide_after(5, 5_000), wait(10));
        assert_eq!(decide_after(5, 5_010), RateDecision::TooSlow);
        assert_eq!(decide_after(500, 5_999), wait(1));
        assert_eq!(decide_after(500, 6_000), RateDecision::TooSlow);
        // The rate is an average: bytes that arrived fast at first count.
        assert_eq!(decide_after(27_500, 59_999), wait(1));
        assert_eq!(decide_after(27_500, 60_000), RateDecision::TooSlow);
    }

    #[test]
    fn extremes_neither_overflow_nor_divide_by_zero() {
        assert!(matches!(decide_after(usize::MAX, 1), RateDecision::Wait(_)));
        assert_eq!(RATE.decide(0, Duration::MAX), RateDecision::TooSlow);
        let zero = MinimumRate { bytes_per_second: 0, ..RATE };
        assert!(matches!(zero.decide(1, Duration::ZERO), RateDecision::Wait(_)));
    }
}
