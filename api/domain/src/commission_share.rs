//! The commission as a share of a charge. Pure.

use panel_contract::amount::{Fraction, Money};

/// Rounded down: the panel never gives more than the share.
#[must_use]
pub fn commission_share(cost: Money, share: Fraction, places: u8) -> Money {
    let exact = i128::from(cost.0) * i128::from(share.0) / 1_000_000;
    Money(i64::try_from(exact).unwrap_or(0)).floored(places)
}
