//! The commission of an affiliate or of the owner of an order widget, which is a fraction of a charge. Pure functions.

use panel_contract::amount::{Fraction, Money};

/// The fraction of the cost, rounded down to `decimals` decimals, so that the commission is never too high.
#[must_use]
pub fn calculate_commission(cost: Money, fraction: Fraction, decimals: u8) -> Money {
    let commission = i128::from(cost.0) * i128::from(fraction.0) / 1_000_000;
    Money(i64::try_from(commission).unwrap_or(0)).rounded_down(decimals)
}
