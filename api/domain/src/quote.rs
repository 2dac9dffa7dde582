//! Exact amounts between a price and a charge: fractions of any size, so that nothing is rounded or overflows on the way.
//! Pure; an exact amount is never stored and never charged: it becomes [`Money`] once, at the end.

use num_rational::BigRational;
use panel_contract::amount::{Fraction, Money, Overflow};

/// An amount in millionths of the panel's currency, as a fraction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exact(BigRational);

impl From<Money> for Exact {
    fn from(money: Money) -> Self {
        Self(whole(money.0))
    }
}

impl Exact {
    /// What a quantity costs at a price for `pricing_per` units.
    #[must_use]
    pub fn cost(price: Money, quantity: i64, pricing_per: i64) -> Self {
        Self(whole(price.0) * ratio(quantity, pricing_per.max(1)))
    }

    /// The amount changed by a share with sign: -0.05 takes five percent off. Never below zero.
    #[must_use]
    pub fn changed_by(&self, share: Fraction) -> Self {
        let left = whole(Money::UNIT) + whole(share.0);
        Self(&self.0 * left.max(whole(0)) / whole(Money::UNIT))
    }

    /// Multiplies the amount by `share`.
    #[must_use]
    pub fn share(&self, share: Fraction) -> Self {
        Self(&self.0 * ratio(share.0, Money::UNIT))
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self(&self.0 + &other.0)
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Self(&self.0 - &other.0)
    }

    /// The charge: rounded up to `places` decimals, or [`Overflow`].
    pub fn rounded_up(&self, places: u8) -> Result<Money, Overflow> {
        let step = Money::smallest(places).0;
        let steps = (&self.0 / whole(step)).ceil().to_integer();
        i64::try_from(steps * step).map(Money).map_err(|_| Overflow)
    }

    /// A rate in units of currency as a plain decimal: all of its decimals where they end, else so many, cut off, that
    /// `rate × quantity` rounded up to `places` decimals is still the exact charge for every quantity up to `most`.
    ///
    /// Cutting off is right, as rounding the rate up would turn an exact cent into two. Two different numbers whose
    /// denominators divide `d` are at least `1/d` apart, so an error below `1/d` never crosses a step.
    #[must_use]
    pub fn decimal(&self, places: u8, most: i64) -> String {
        let units = &self.0 / whole(Money::UNIT);
        let denominator = units.denom().to_string();
        let decimals = ending(&units)
            .unwrap_or_else(|| denominator.len() + usize::from(places) + most.max(1).to_string().len());
        text(&units, decimals)
    }

    /// The exact amount, for comparisons without rounding.
    #[must_use]
    pub const fn as_rational(&self) -> &BigRational {
        &self.0
    }
}

fn whole(number: i64) -> BigRational {
    BigRational::from_integer(number.into())
}

fn ratio(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// How many decimals a number has; none where they never end.
fn ending(number: &BigRational) -> Option<usize> {
    let (one, zero) = (whole(1).to_integer(), whole(0).to_integer());
    let mut rest = number.denom().clone();
    let mut times = |factor: u8| {
        let mut count = 0;
        while &rest % factor == zero {
            rest /= factor;
            count += 1;
        }
        count
    };
    let decimals = usize::max(times(2), times(5));
    (rest == one).then_some(decimals)
}

/// A number that is not negative, with so many decimals and without zeros at its end.
fn text(number: &BigRational, decimals: usize) -> String {
    // As integers: a product of fractions is reduced at every step.
    let shift = whole(10).to_integer().pow(u32::try_from(decimals).unwrap_or(u32::MAX));
    let shifted = number.numer() * shift / number.denom();
    let digits = format!("{:0>width$}", shifted.to_string(), width = decimals + 1);
    let (units, parts) = digits.split_at(digits.len() - decimals);
    let parts = parts.trim_end_matches('0');
    if parts.is_empty() { units.to_owned() } else { format!("{units}.{parts}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_the_decimals_that_they_need() {
        let rate = |price, per| Exact::cost(Money(price), 1_000, per).decimal(2, 1_000_000);
        assert_eq!(rate(15_090_000, 1_000), "15.09");
        assert_eq!(rate(0, 1_000), "0");
        assert_eq!(rate(12_000_000, 1), "12000");
        assert_eq!(Exact::cost(Money(1), 1, 64).decimal(2, 10), "0.000000015625");
        assert!(rate(1_000_000, 3).starts_with("333.333333333"));
    }

    #[test]
    fn a_charge_rounds_up_once() {
        let cost = Exact::cost(Money(15_090_000), 100, 1_000);
        assert_eq!(cost.rounded_up(2), Ok(Money(1_510_000)));
        assert_eq!(cost.changed_by(Fraction(-5_000)).rounded_up(2), Ok(Money(1_510_000)), "1.501455");
        assert_eq!(cost.rounded_up(6), Ok(Money(1_509_000)));
        assert_eq!(Exact::cost(Money(i64::MAX), i64::MAX, 1).rounded_up(6), Err(Overflow));
    }
}
