//! Losses of completed orders: the decrease of the public counter of the link since the first count. Pure.

use std::time::Duration;

/// Losses of an order are measured for this long after its completion.
pub const MEASURED_FOR: Duration = Duration::from_hours(90 * 24);

/// The first and the last value of the public counter of a completed order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterReadings {
    /// The value that later ones are compared with.
    pub first: i64,
    pub last: i64,
}

impl CounterReadings {
    /// Adds a count. If another order for the same link is running (`is_shared`), it may have caused the change. Then the first
    /// count changes by the same amount, so that the loss stays the same. `baseline` is the first count if the order has none yet.
    #[must_use]
    pub fn after_count(before: Option<Self>, baseline: Option<i64>, count: i64, is_shared: bool) -> Self {
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
    fn the_loss_is_the_decrease_since_the_first_count() {
        let first = CounterReadings::after_count(None, None, 4_000, false);
        assert_eq!((first, first.lost(600)), (CounterReadings { first: 4_000, last: 4_000 }, 0));
        let after = |count, shared| CounterReadings::after_count(Some(first), None, count, shared);
        assert_eq!(after(3_900, false).lost(600), 100);
        assert_eq!(after(4_500, false).lost(600), 0, "the counter grew");
        assert_eq!(after(0, false).lost(600), 600, "at most the ordered quantity");
        let decreased = after(3_900, false);
        let shared = CounterReadings::after_count(Some(decreased), None, 5_000, true);
        assert_eq!(
            (shared.first, shared.lost(600)),
            (5_100, 100),
            "the growth of another order does not hide the loss"
        );
        assert_eq!(
            CounterReadings::after_count(Some(decreased), None, 4_000, false).lost(600),
            0,
            "refilled"
        );
        assert_eq!(
            CounterReadings::after_count(None, Some(4_000), 3_910, false).lost(600),
            90,
            "lost since the baseline"
        );
    }
}
