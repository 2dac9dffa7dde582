//! Losses of completed orders: how much the public counter of the link has decreased since the first count. Pure functions.

use std::time::Duration;

/// Losses of an order are measured for this long after its completion.
pub const MEASUREMENT_PERIOD: Duration = Duration::from_hours(90 * 24);

/// The first and the last value of the public counter of a completed order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterReadings {
    /// The value with which later values are compared.
    pub first: i64,
    pub last: i64,
}

impl CounterReadings {
    /// Adds a count. `is_shared` is true if another order for the same link is in processing, which may have caused the change of
    /// the counter. In that case the first count changes by the same amount, so that the loss stays the same. `baseline` becomes
    /// the first count if there are no readings yet.
    #[must_use]
    pub fn add_count(current: Option<Self>, baseline: Option<i64>, count: i64, is_shared: bool) -> Self {
        let first = match current {
            None => baseline.unwrap_or(count),
            Some(current) if is_shared => current.first + (count - current.last),
            Some(current) => current.first,
        };
        Self { first, last: count }
    }

    /// Lost units of an order, at most its `quantity`.
    #[must_use]
    pub fn lost_units(self, quantity: i64) -> i64 {
        (self.first - self.last).clamp(0, quantity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_is_the_decrease_since_the_first_count() {
        let first = CounterReadings::add_count(None, None, 4_000, false);
        assert_eq!((first, first.lost_units(600)), (CounterReadings { first: 4_000, last: 4_000 }, 0));
        let add_count = |count, is_shared| CounterReadings::add_count(Some(first), None, count, is_shared);
        assert_eq!(add_count(3_900, false).lost_units(600), 100);
        assert_eq!(add_count(4_500, false).lost_units(600), 0, "a counter that grew must not show a loss");
        assert_eq!(add_count(0, false).lost_units(600), 600, "the loss must not exceed the ordered quantity");
        let decreased = add_count(3_900, false);
        let shared = CounterReadings::add_count(Some(decreased), None, 5_000, true);
        assert_eq!(
            (shared.first, shared.lost_units(600)),
            (5_100, 100),
            "the growth of another order must not hide the loss"
        );
        assert_eq!(
            CounterReadings::add_count(Some(decreased), None, 4_000, false).lost_units(600),
            0,
            "a refilled order must not have a loss"
        );
        assert_eq!(
            CounterReadings::add_count(None, Some(4_000), 3_910, false).lost_units(600),
            90,
            "the loss must be measured from the baseline"
        );
    }
}
