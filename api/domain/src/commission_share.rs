//! The commission of a referrer or manager, which is a fraction of a charge. Pure.

use panel_contract::amount::{Fraction, Money};

/// Rounded down to `decimals` decimal places, so that the commission never exceeds the fraction.
#[must_use]
pub fn commission_share(cost: Money, fraction: Fraction, decimals: u8) -> Money {
    let exact = i128::from(cost.0) * i128::from(fraction.0) / 1_000_000;
    Money(i64::try_from(exact).unwrap_or(0)).rounded_down(decimals)
}
