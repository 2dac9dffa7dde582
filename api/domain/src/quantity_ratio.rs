//! The order ratio: how many units to order from a panel for the sold ones, and how many sold units a delivery counts for. Panels lose
//! a part of what they deliver, or deliver more than was ordered; a ratio compensates for it. The bounds of the panel's service limit
//! what the ratio adds or removes, and never change the sold quantity itself. Pure.

/// The ratio 1, in parts per million.
pub const ONE: i64 = 1_000_000;

/// Units to order for `sold` ones from a panel with a minimum of `least` and a maximum of `most`; the ratio is in parts per million.
#[must_use]
pub fn ordered(sold: i64, ratio: i64, least: i64, most: i64) -> i64 {
    let scaled = (i128::from(sold) * i128::from(ratio) + i128::from(ONE - 1)) / i128::from(ONE);
    let scaled = i64::try_from(scaled).unwrap_or(i64::MAX).max(1);
    if scaled > sold { scaled.min(most).max(sold) } else { scaled.max(least).min(sold) }
}

/// The sold units that count as delivered when the panel has delivered `delivered` of `ordered` units: all of them for a full delivery,
/// else rounded down.
#[must_use]
pub fn counted(delivered: i64, ordered: i64, sold: i64) -> i64 {
    let counted = i128::from(delivered.clamp(0, ordered)) * i128::from(sold) / i128::from(ordered.max(1));
    i64::try_from(counted).unwrap_or(sold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bounds_hold_back_the_ratio_and_nothing_else() {
        for (sold, ratio, least, most, wanted) in [
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
                ordered(sold, ratio, least, most),
                wanted,
                "{sold} × {ratio} within {least} to {most}"
            );
        }
    }

    proptest! {
        /// Several providers deliver parts of what they were ordered, one after the other, each the remainder of the one
        /// before, reported in any number of words.
        #[test]
        fn never_more_than_was_sold_and_complete_exactly_with_all_of_it(
            quantity in 1..1_000_000_i64,
            ratio in 1..=100_000_000_i64,
            attempts in prop::collection::vec(prop::collection::vec(0..=1_000_i64, 1..4), 0..6),
        ) {
            let mut current = 0;
            for words in attempts {
                let sold = quantity - current;
                if sold == 0 {
                    break;
                }
                let asked = ordered(sold, ratio, 1, i64::MAX);
                prop_assert!((asked >= sold) == (ratio >= ONE || asked == sold));
                let mut before = 0;
                for word in words {
                    let delivered = asked * word / 1_000;
                    // What is booked with each word adds up to what the last one says.
                    current += counted(delivered, asked, sold) - counted(before, asked, sold);
                    before = delivered;
                }
                prop_assert!((0..=quantity).contains(&current));
                prop_assert_eq!(current == quantity, before == asked, "complete with all, and only then");
            }
            // The last one delivers all, and then it is all.
            let sold = quantity - current;
            let asked = ordered(sold.max(1), ratio, 1, i64::MAX);
            if sold > 0 {
                current += counted(asked, asked, sold);
            }
            prop_assert_eq!(current, quantity);
        }
    }
}
