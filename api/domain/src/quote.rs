//! Exact amounts for the calculation from a price to a charge. They are fractions of integers of any size, so that no intermediate
//! result is rounded or overflows. An exact amount must not be stored or charged; it is rounded to [`Money`] once, at the end. Pure
//! functions.

use num_rational::BigRational;
use panel_contract::amount::{Fraction, Money, Overflow};

/// An amount in millionths of the panel's currency, as a fraction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExactAmount(BigRational);

impl From<Money> for ExactAmount {
    fn from(money: Money) -> Self {
        Self(integer(money.0))
    }
}

impl ExactAmount {
    /// The cost of a quantity at a price for `pricing_per` units.
    #[must_use]
    pub fn from_price(price: Money, quantity: i64, pricing_per: i64) -> Self {
        Self(integer(price.0) * ratio(quantity, pricing_per.max(1)))
    }

    /// The amount plus a signed fraction of the amount: -0.05 lowers the amount by 5 %. The result is never below zero.
    #[must_use]
    pub fn changed_by(&self, change: Fraction) -> Self {
        let factor = integer(Money::MILLIONTHS_PER_UNIT) + integer(change.0);
        Self(&self.0 * factor.max(integer(0)) / integer(Money::MILLIONTHS_PER_UNIT))
    }

    /// The amount multiplied by `fraction`.
    #[must_use]
    pub fn multiply(&self, fraction: Fraction) -> Self {
        Self(&self.0 * ratio(fraction.0, Money::MILLIONTHS_PER_UNIT))
    }

    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self(&self.0 + &other.0)
    }

    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Self(&self.0 - &other.0)
    }

    /// The charge, which is the amount rounded up to `decimals` decimals, or [`Overflow`].
    pub fn rounded_up(&self, decimals: u8) -> Result<Money, Overflow> {
        let step = Money::smallest_unit(decimals).0;
        let steps = (&self.0 / integer(step)).ceil().to_integer();
        i64::try_from(steps * step).map(Money).map_err(|_| Overflow)
    }

    /// Formats a rate, in units of currency, as a plain decimal number. A rate with infinitely many decimals is truncated after
    /// enough decimals that `rate × quantity`, rounded up to `charge_decimals` decimals, is the exact charge for every quantity up
    /// to `max_quantity`.
    ///
    /// The rate is truncated and not rounded up, because a rate that is too high would turn a charge of exactly one cent into two
    /// cents. Two different fractions whose denominators divide `d` differ by at least `1/d`, so an error below `1/d` does not
    /// change the rounded charge.
    #[must_use]
    pub fn to_decimal(&self, charge_decimals: u8, max_quantity: i64) -> String {
        let units = &self.0 / integer(Money::MILLIONTHS_PER_UNIT);
        let denominator = units.denom().to_string();
        let decimals = count_decimals(&units).unwrap_or_else(|| {
            denominator.len() + usize::from(charge_decimals) + max_quantity.max(1).to_string().len()
        });
        format_truncated(&units, decimals)
    }

    /// The exact amount, for comparisons without rounding.
    #[must_use]
    pub const fn as_rational(&self) -> &BigRational {
        &self.0
    }
}

fn integer(number: i64) -> BigRational {
    BigRational::from_integer(number.into())
}

fn ratio(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// The number of decimals; `None` if there are infinitely many.
fn count_decimals(number: &BigRational) -> Option<usize> {
    let (one, zero) = (integer(1).to_integer(), integer(0).to_integer());
    let mut denominator = number.denom().clone();
    let mut count_factor = |factor: u8| {
        let mut count = 0;
        while &denominator % factor == zero {
            denominator /= factor;
            count += 1;
        }
        count
    };
    let decimals = usize::max(count_factor(2), count_factor(5));
    (denominator == one).then_some(decimals)
}

/// Formats a non-negative number, truncated to `decimals` decimals and without trailing zeros.
fn format_truncated(number: &BigRational, decimals: usize) -> String {
    // Calculates with integers, because the fraction type reduces every product, which is slow.
    let factor = integer(10).to_integer().pow(u32::try_from(decimals).unwrap_or(u32::MAX));
    let scaled = number.numer() * factor / number.denom();
    let digits = format!("{:0>width$}", scaled.to_string(), width = decimals + 1);
    let (units, fraction) = digits.split_at(digits.len() - decimals);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { units.to_owned() } else { format!("{units}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_enough_decimals_for_the_exact_charge() {
        let rate = |price, per| ExactAmount::from_price(Money(price), 1_000, per).to_decimal(2, 1_000_000);
        assert_eq!(rate(15_090_000, 1_000), "15.09");
        assert_eq!(rate(0, 1_000), "0");
        assert_eq!(rate(12_000_000, 1), "12000");
        assert_eq!(ExactAmount::from_price(Money(1), 1, 64).to_decimal(2, 10), "0.000000015625");
        assert!(rate(1_000_000, 3).starts_with("333.333333333"));
    }

    #[test]
    fn a_charge_is_rounded_up_once() {
        let cost = ExactAmount::from_price(Money(15_090_000), 100, 1_000);
        assert_eq!(cost.rounded_up(2), Ok(Money(1_510_000)));
        assert_eq!(cost.changed_by(Fraction(-5_000)).rounded_up(2), Ok(Money(1_510_000)), "1.501455");
        assert_eq!(cost.rounded_up(6), Ok(Money(1_509_000)));
        assert_eq!(ExactAmount::from_price(Money(i64::MAX), i64::MAX, 1).rounded_up(6), Err(Overflow));
    }
}
