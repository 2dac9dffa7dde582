//! The minimum rate of request bodies. The server rejects the body of a client that sends more slowly.

use std::time::Duration;

/// The minimum rate at which a body must arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MinimumRate {
    /// The server rejects no body as too slow before the end of this period.
    pub(crate) grace_period: Duration,
    /// Average since the start of the body. Each byte extends the deadline beyond the grace period.
    pub(crate) bytes_per_second: u64,
}

/// Whether the server continues to wait for a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RateDecision {
    /// Wait at most this long for the next bytes.
    Wait(Duration),
    TooSlow,
}

impl MinimumRate {
    /// Decides about a body of which `received_bytes` bytes arrived within `elapsed`.
    pub(crate) fn decide(self, received_bytes: usize, elapsed: Duration) -> RateDecision {
        let received_bytes = u64::try_from(received_bytes).unwrap_or(u64::MAX);
        let extension =
            Duration::from_micros(received_bytes.saturating_mul(1_000_000) / self.bytes_per_second.max(1));
        match self.grace_period.saturating_add(extension).checked_sub(elapsed) {
            Some(remaining) if !remaining.is_zero() => RateDecision::Wait(remaining),
            _ => RateDecision::TooSlow,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: MinimumRate = MinimumRate { grace_period: Duration::from_secs(5), bytes_per_second: 500 };

    fn decide_after(received_bytes: usize, millis: u64) -> RateDecision {
        RATE.decide(received_bytes, Duration::from_millis(millis))
    }

    #[test]
    fn rejects_a_body_below_the_rate_after_the_grace_period() {
        let wait = |millis| RateDecision::Wait(Duration::from_millis(millis));
        assert_eq!(decide_after(0, 0), wait(5_000));
        assert_eq!(decide_after(0, 4_999), wait(1));
        assert_eq!(decide_after(0, 5_000), RateDecision::TooSlow);
        // Each byte extends the deadline by two milliseconds.
        assert_eq!(decide_after(5, 5_000), wait(10));
        assert_eq!(decide_after(5, 5_010), RateDecision::TooSlow);
        assert_eq!(decide_after(500, 5_999), wait(1));
        assert_eq!(decide_after(500, 6_000), RateDecision::TooSlow);
        // The rate is an average, so bytes that arrived fast at the start extend the deadline.
        assert_eq!(decide_after(27_500, 59_999), wait(1));
        assert_eq!(decide_after(27_500, 60_000), RateDecision::TooSlow);
    }

    #[test]
    fn extreme_values_neither_overflow_nor_divide_by_zero() {
        assert!(matches!(decide_after(usize::MAX, 1), RateDecision::Wait(_)));
        assert_eq!(RATE.decide(0, Duration::MAX), RateDecision::TooSlow);
        let zero_rate = MinimumRate { bytes_per_second: 0, ..RATE };
        assert!(matches!(zero_rate.decide(1, Duration::ZERO), RateDecision::Wait(_)));
    }
}
