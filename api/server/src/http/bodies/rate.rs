//! The minimum rate of a body: a client that sends slower is cut off. Pure: bytes and time in, verdict out.

use std::time::Duration;

/// The slowest that a body may arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MinimumRate {
    /// Before this no body is too slow.
    pub(crate) grace: Duration,
    /// Bytes a second, on average since the body began; each byte buys its part of a second beyond the grace.
    pub(crate) bytes_per_second: u64,
}

/// Whether the server goes on waiting for a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RateVerdict {
    /// So long for the next byte.
    Wait(Duration),
    /// No longer.
    TooSlow,
}

impl MinimumRate {
    /// Judges a body of which `received` bytes came within `elapsed`.
    pub(crate) fn judge(self, received: usize, elapsed: Duration) -> RateVerdict {
        let received = u64::try_from(received).unwrap_or(u64::MAX);
        let bought = Duration::from_micros(received.saturating_mul(1_000_000) / self.bytes_per_second.max(1));
        match self.grace.saturating_add(bought).checked_sub(elapsed) {
            Some(left) if !left.is_zero() => RateVerdict::Wait(left),
            _ => RateVerdict::TooSlow,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: MinimumRate = MinimumRate { grace: Duration::from_secs(5), bytes_per_second: 500 };

    fn after(received: usize, millis: u64) -> RateVerdict {
        RATE.judge(received, Duration::from_millis(millis))
    }

    #[test]
    fn a_body_must_keep_the_rate_after_its_grace() {
        let wait = |millis| RateVerdict::Wait(Duration::from_millis(millis));
        assert_eq!(after(0, 0), wait(5_000));
        assert_eq!(after(0, 4_999), wait(1));
        assert_eq!(after(0, 5_000), RateVerdict::TooSlow);
        // One byte a second buys two milliseconds each.
        assert_eq!(after(5, 5_000), wait(10));
        assert_eq!(after(5, 5_010), RateVerdict::TooSlow);
        assert_eq!(after(500, 5_999), wait(1));
        assert_eq!(after(500, 6_000), RateVerdict::TooSlow);
        // What came fast at first counts: it is an average.
        assert_eq!(after(27_500, 59_999), wait(1));
        assert_eq!(after(27_500, 60_000), RateVerdict::TooSlow);
    }

    #[test]
    fn extremes_neither_overflow_nor_divide_by_zero() {
        assert!(matches!(after(usize::MAX, 1), RateVerdict::Wait(_)));
        assert_eq!(RATE.judge(0, Duration::MAX), RateVerdict::TooSlow);
        let zero = MinimumRate { bytes_per_second: 0, ..RATE };
        assert!(matches!(zero.judge(1, Duration::ZERO), RateVerdict::Wait(_)));
    }
}
