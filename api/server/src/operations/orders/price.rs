//! What an order costs. Pure; exact; rounds up, so that no order is free by rounding.

use panel_contract::amount::{Fraction, Money, Overflow};

/// Something that changes the price before the charge, such as a discount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modifier {
    /// The id of what modifies, such as a discount's.
    pub id: Option<i64>,
    /// Its name.
    pub name: String,
    /// Its kind, such as `discount`, `grade`, `speedup`.
    pub kind: String,
    /// How it changes the cost.
    pub change: PriceChange,
    /// A paid speed-up.
    pub is_speedup: bool,
    /// Bound to countries.
    pub has_countries: bool,
}

/// How a cost changes; it never goes below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceChange {
    /// By a share with sign: -0.05 takes five percent off.
    Share(Fraction),
    /// By an amount with sign.
    Amount(Money),
    /// To a cost agreed before, such as an order's share of a package.
    To(Money),
}

/// A cost, and how each modifier changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priced {
    /// What is charged.
    pub cost: Money,
    /// Before and after, for each modifier in order.
    pub steps: Vec<(Money, Money)>,
}

/// `price × quantity ÷ pricing_per`, rounded up to `places` decimals, then the changes in order, each rounded up.
///
/// What has a price costs at least one step of `places`, however much is taken off: dust orders are not free.
pub fn cost(
    price: Money,
    quantity: i64,
    pricing_per: i64,
    places: u8,
    changes: impl IntoIterator<Item = PriceChange>,
) -> Result<Priced, Overflow> {
    cost_above(price, Money::ZERO, quantity, pricing_per, places, changes)
}

/// The same, where no change leads below what the quantity costs at the price `lowest`. A change that would stops there.
pub fn cost_above(
    price: Money,
    lowest: Money,
    quantity: i64,
    pricing_per: i64,
    places: u8,
    changes: impl IntoIterator<Item = PriceChange>,
) -> Result<Priced, Overflow> {
    let step = if price > Money::ZERO { Money::smallest(places) } else { Money::ZERO };
    let floor = lowest.min(price).scaled_up(quantity, pricing_per.max(1), places)?.max(step);
    let mut cost = price.scaled_up(quantity, pricing_per.max(1), places)?;
    let mut steps = Vec::new();
    for change in changes {
        let after = match change {
            PriceChange::Share(share) => {
                let part = share.0.checked_add(Money::UNIT).ok_or(Overflow)?;
                cost.scaled_up(part.max(0), Money::UNIT, places)?
            }
            PriceChange::Amount(amount) => cost.plus(amount)?.scaled_up(1, 1, places)?,
            PriceChange::To(agreed) => agreed.scaled_up(1, 1, places)?,
        };
        // What was agreed for a whole holds, whatever the parts cost at the least alone.
        let after = if let PriceChange::To(_) = change { after.max(step) } else { after.max(floor) };
        steps.push((cost, after));
        cost = after;
    }
    Ok(Priced { cost, steps })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rounds_up_once() {
        let priced = cost(Money(1_234_567), 333, 1000, 2, []).unwrap();
        assert_eq!(priced.cost, Money(420_000));
        assert_eq!(cost(Money(1), 1, 1000, 2, []).unwrap().cost, Money(10_000));
        assert_eq!(cost(Money::ZERO, 1_000, 1000, 2, []).unwrap().cost, Money::ZERO);
    }

    #[test]
    fn changes_follow_each_other() {
        let changes = [PriceChange::Share(Fraction(-100_000)), PriceChange::Amount(Money(500_000))];
        let priced = cost(Money(10_000_000), 1000, 1000, 2, changes).unwrap();
        assert_eq!(
            priced.steps,
            [(Money(10_000_000), Money(9_000_000)), (Money(9_000_000), Money(9_500_000))]
        );
        assert_eq!(priced.cost, Money(9_500_000));
        let agreed = cost(Money(10_000_000), 1000, 1000, 2, [PriceChange::To(Money(7_010_000))]).unwrap();
        assert_eq!(agreed.steps, [(Money(10_000_000), Money(7_010_000))]);
        let free =
            cost(Money(10_000_000), 1000, 1000, 2, [PriceChange::Share(Fraction(-2_000_000))]).unwrap();
        assert_eq!(free.cost, Money(10_000));
    }

    #[test]
    fn the_lowest_price_holds_for_all_changes_together() {
        let half = PriceChange::Share(Fraction(-500_000));
        let priced =
            cost_above(Money(10_000_000), Money(4_000_000), 500, 1000, 2, [half, half, half]).unwrap();
        let steps = [(5_000_000, 2_500_000), (2_500_000, 2_000_000), (2_000_000, 2_000_000)];
        assert_eq!(priced.steps, steps.map(|(before, after)| (Money(before), Money(after))));
        // A lowest price above the price itself makes nothing dearer.
        assert_eq!(cost_above(Money(10), Money(20), 1_000, 1000, 6, [half]).unwrap().cost, Money(10));
    }

    #[test]
    fn what_was_agreed_goes_below_the_lowest_price() {
        let agreed = |money| {
            let changes = [PriceChange::To(Money(money))];
            cost_above(Money(10_000_000), Money(9_000_000), 1000, 1000, 2, changes).unwrap().cost
        };
        assert_eq!(agreed(4_000_000), Money(4_000_000));
        assert_eq!(agreed(0), Money(10_000), "but not to nothing");
    }

    #[test]
    fn too_much_is_an_error() {
        assert_eq!(cost(Money(i64::MAX), i64::MAX, 1, 6, []), Err(Overflow));
        assert_eq!(cost(Money(i64::MAX), 1, 1, 6, [PriceChange::Amount(Money(1))]), Err(Overflow));
    }

    proptest! {
        #[test]
        fn never_less_than_exact_and_less_than_a_step_more(price in 0_i64..1_000_000_000, quantity in 1_i64..1_000_000, per in 1_i64..10_000, places in 0_u8..=6) {
            let cost = cost(Money(price), quantity, per, places, []).unwrap().cost;
            let exact = i128::from(price) * i128::from(quantity);
            let charged = i128::from(cost.0) * i128::from(per);
            prop_assert!(charged >= exact);
            prop_assert!(charged < exact + i128::from(per) * i128::from(Money::smallest(places).0));
            prop_assert_eq!(cost.0 % Money::smallest(places).0, 0);
        }
    }
}
