//! Losses of completed orders: how far the counter of the address has fallen since the first count. Pure.

use std::time::Duration;

/// How long after its completion the losses of an order are measured.
pub const MEASURED_FOR: Duration = Duration::from_hours(90 * 24);

/// The first and the last count of a completed order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// The count that later ones are compared with.
    pub first: i64,
    /// The current count.
    pub last: i64,
}

impl Counts {
    /// Adds a count. While another order for the same address is running (`is_shared`), it may cause the change; the first count then
    /// changes by the same amount, so that the loss stays the same.
    #[must_use]
    pub fn with(before: Option<Self>, baseline: Option<i64>, count: i64, is_shared: bool) -> Self {
        let first = match before {
            None => baseline.unwrap_or(count),
            Some(before) if is_shared => before.first + (count - before.last),
            Some(before) => before.first,
        };
        Self { first, last: count }
    }

    /// Lost units of an order of `quantity`.
    #[must_use]
    pub fn lost(self, quantity: i64) -> i64 {
        (self.first - self.last).clamp(0, quantity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_how_far_the_count_fell_since_the_first_one() {
        let first = Counts::with(None, None, 4_000, false);
        assert_eq!((first, first.lost(600)), (Counts { first: 4_000, last: 4_000 }, 0));
        let after = |count, shared| Counts::with(Some(first), None, count, shared);
        assert_eq!(after(3_900, false).lost(600), 100);
        assert_eq!(after(4_500, false).lost(600), 0, "it grew");
        assert_eq!(after(0, false).lost(600), 600, "no more than was ordered");
        let fell = after(3_900, false);
        let shared = Counts::with(Some(fell), None, 5_000, true);
        assert_eq!((shared.first, shared.lost(600)), (5_100, 100), "another order's growth hides no loss");
        assert_eq!(Counts::with(Some(fell), None, 4_000, false).lost(600), 0, "refilled");
        assert_eq!(
            Counts::with(None, Some(4_000), 3_910, false).lost(600),
            90,
            "lost before the first count"
        );
    }
}
