//! The quantity ratio: the number of units to order at an external panel per sold unit. The ratio compensates for panels whose
//! deliveries are partly lost later, or that deliver more than was ordered. The ratio never moves a quantity out of the bounds of
//! the external service, but does not change a sold quantity that is already outside of the bounds. Pure functions.

/// The ratio 1, in parts per million.
pub const ONE: i64 = 1_000_000;

/// Units to order for `sold` units at an external panel that accepts `min` to `max` units. The ratio is in parts per million. The
/// result is rounded up.
#[must_use]
pub fn quantity_to_order(sold: i64, ratio: i64, min: i64, max: i64) -> i64 {
    let exact_quantity = (i128::from(sold) * i128::from(ratio) + i128::from(ONE - 1)) / i128::from(ONE);
    let scaled = i64::try_from(exact_quantity).unwrap_or(i64::MAX).max(1);
    if scaled > sold { scaled.min(max).max(sold) } else { scaled.max(min).min(sold) }
}

/// The sold units that count as delivered if the external panel has delivered `delivered` of `ordered` units. All sold units for a
/// full delivery, otherwise rounded down.
#[must_use]
pub fn credited_quantity(delivered: i64, ordered: i64, sold: i64) -> i64 {
    let credited = i128::from(delivered.clamp(0, ordered)) * i128::from(sold) / i128::from(ordered.max(1));
    i64::try_from(credited).unwrap_or(sold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bounds_limit_only_the_effect_of_the_ratio() {
        for (sold, ratio, min, max, expected) in [
            (1_000, 1_100_000, 1, 10_000, 1_100),
            (1, 1_000_001, 1, 10_000, 2),
            (1_000, 1_100_000, 1, 1_050, 1_050),
            (1_000, 1_100_000, 1, 900, 1_000),
            (50, 1_100_000, 100, 900, 55),
            (1_000, 900_000, 1, 10_000, 900),
            (1_000, 900_000, 950, 10_000, 950),
            (50, 900_000, 100, 10_000, 50),
            (1_000, 1, 1, 10_000, 1),
            (i64::MAX, 100_000_000, 1, i64::MAX, i64::MAX),
        ] {
            assert_eq!(
                quantity_to_order(sold, ratio, min, max),
                expected,
                "{sold} × {ratio} within {min} to {max}"
            );
        }
    }

    proptest! {
        /// Several providers, one after the other, deliver a part of the remaining units and report them in several status
        /// responses.
        #[test]
        fn counts_at_most_the_sold_units_and_all_of_them_only_for_a_full_delivery(
            quantity in 1..1_000_000_i64,
            ratio in 1..=100_000_000_i64,
            attempts in prop::collection::vec(prop::collection::vec(0..=1_000_i64, 1..4), 0..6),
        ) {
            let mut current = 0;
            for reports in attempts {
                let sold = quantity - current;
                if sold == 0 {
                    break;
                }
                let ordered_units = quantity_to_order(sold, ratio, 1, i64::MAX);
                prop_assert!((ordered_units >= sold) == (ratio >= ONE || ordered_units == sold));
                let mut previous_delivered = 0;
                for report in reports {
                    let delivered = ordered_units * report / 1_000;
                    // The differences between the reports add up to the last report.
                    current += credited_quantity(delivered, ordered_units, sold)
                        - credited_quantity(previous_delivered, ordered_units, sold);
                    previous_delivered = delivered;
                }
                prop_assert!((0..=quantity).contains(&current));
                prop_assert_eq!(current == quantity, previous_delivered == ordered_units, "an order must be complete only after a full delivery");
            }
            // The last provider delivers all remaining units.
            let sold = quantity - current;
            let ordered_units = quantity_to_order(sold.max(1), ratio, 1, i64::MAX);
            if sold > 0 {
                current += credited_quantity(ordered_units, ordered_units, sold);
            }
            prop_assert_eq!(current, quantity);
        }
    }
}
