//! Exact amounts: money, fractions and percentages, which are decimal strings in JSON. Amounts are never floats and never wrap:
//! every operation that can overflow returns [`Overflow`].

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// Why a string is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// The string is not digits with an optional minus sign and decimal point. Exponents, spaces and separators are not allowed.
    #[error("must be a plain decimal number, such as 12.50")]
    Malformed,
    /// The string has more decimals than the type stores.
    #[error("must have at most {0} decimals")]
    TooPrecise(usize),
    /// The value does not fit into 64 bits.
    #[error("is too large")]
    TooLarge,
}

/// Parses a decimal number to an integer in units of the last of `scale` decimals.
fn parse_decimal(text: &str, scale: usize) -> Result<i64, AmountError> {
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |unsigned| (true, unsigned));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || !is_digits(whole)
        || !is_digits(fraction)
        || (digits.contains('.') && fraction.is_empty())
    {
        return Err(AmountError::Malformed);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > scale {
        return Err(AmountError::TooPrecise(scale));
    }
    let whole = whole.trim_start_matches('0');
    if whole.len() > 19 {
        return Err(AmountError::TooLarge);
    }
    let mut value: i128 =
        whole.bytes().chain(fraction.bytes()).fold(0, |value, digit| value * 10 + i128::from(digit - b'0'));
    for _ in fraction.len()..scale {
        value *= 10;
    }
    i64::try_from(if is_negative { -value } else { value }).map_err(|_| AmountError::TooLarge)
}

fn write_decimal(f: &mut fmt::Formatter<'_>, value: i64, scale: u32) -> fmt::Result {
    let units_per_whole = 10_u64.pow(scale);
    let magnitude = value.unsigned_abs();
    if value < 0 {
        f.write_str("-")?;
    }
    write!(f, "{}", magnitude / units_per_whole)?;
    let fraction = magnitude % units_per_whole;
    if fraction == 0 {
        return Ok(());
    }
    let digits = format!("{fraction:0width$}", width = scale as usize);
    write!(f, ".{}", digits.trim_end_matches('0'))
}

/// Returns the number as a string, which [`parse_decimal`] parses.
struct DecimalTextVisitor;

impl serde::de::Visitor<'_> for DecimalTextVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal number as a string, such as \"12.5\"")
    }
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<String, E> {
        Ok(value.to_string())
    }
    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<String, E> {
        Ok(value.to_string())
    }
}

macro_rules! decimal_type {
    ($(#[$doc:meta])* $name:ident, $scale:literal, $pattern:literal, $example:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_decimal(f, self.0, $scale)
            }
        }

        impl FromStr for $name {
            type Err = AmountError;
            fn from_str(text: &str) -> Result<Self, AmountError> {
                parse_decimal(text, $scale).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            /// Accepts a string or a JSON integer. Rejects a JSON number with a fraction, because the client computed it with
            /// floats.
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(DecimalTextVisitor)?.parse().map_err(D::Error::custom)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(SchemaType::new(Type::String))
                    .pattern(Some($pattern))
                    .examples([$example])
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    };
}

decimal_type! {
    /// An amount of money, as a decimal string with up to six decimals: `"12.5"`. Unless a field names another currency, it is the
    /// currency of the panel. Stored in millionths.
    Money, 6, r"^-?\d{1,13}(\.\d{1,6})?$", "12.5"
}
decimal_type! {
    /// A fraction, as a decimal string with up to six decimals: a discount of 5 % is `"0.05"`. Stored in parts per million.
    Fraction, 6, r"^-?\d{1,13}(\.\d{1,6})?$", "0.05"
}
decimal_type! {
    /// A percentage, as a decimal string with up to two decimals: `"88.25"` is 88.25 %. Stored in hundredths of a percent.
    Percent, 2, r"^-?\d{1,17}(\.\d{1,2})?$", "88.25"
}

/// The result of a calculation with amounts does not fit into 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the amount is too large to be stored")]
pub struct Overflow;

impl Money {
    /// The amount zero, `"0"` in JSON.
    pub const ZERO: Self = Self(0);
    /// Millionths in one unit of currency.
    pub const MILLIONTHS_PER_UNIT: i64 = 1_000_000;

    /// The sum of two amounts, or [`Overflow`].
    pub fn plus(self, other: Self) -> Result<Self, Overflow> {
        self.0.checked_add(other.0).map(Self).ok_or(Overflow)
    }

    /// The difference of two amounts, or [`Overflow`].
    pub fn minus(self, other: Self) -> Result<Self, Overflow> {
        self.0.checked_sub(other.0).map(Self).ok_or(Overflow)
    }

    /// The amount with the opposite sign, or [`Overflow`] for the smallest value.
    pub fn negated(self) -> Result<Self, Overflow> {
        self.0.checked_neg().map(Self).ok_or(Overflow)
    }

    /// `self × numerator ÷ denominator`, rounded up to `decimals` decimals. The denominator must be positive. The calculation uses
    /// 128-bit integers; returns [`Overflow`] if the result does not fit into 64 bits.
    pub fn scaled_rounded_up(self, numerator: i64, denominator: i64, decimals: u8) -> Result<Self, Overflow> {
        let step = step_millionths(decimals);
        let product = i128::from(self.0).checked_mul(i128::from(numerator)).ok_or(Overflow)?;
        let divisor = i128::from(denominator).checked_mul(step).ok_or(Overflow)?;
        let steps = product.div_euclid(divisor) + i128::from(product.rem_euclid(divisor) != 0);
        i64::try_from(steps * step).map(Self).map_err(|_| Overflow)
    }

    /// The amount rounded down to `decimals` decimals, also below zero.
    #[must_use]
    pub fn rounded_down(self, decimals: u8) -> Self {
        let remainder = i128::from(self.0).rem_euclid(step_millionths(decimals));
        Self(self.0 - i64::try_from(remainder).unwrap_or(0))
    }

    /// The smallest positive amount with `decimals` decimals: `smallest_unit(2)` is 0.01.
    #[must_use]
    pub fn smallest_unit(decimals: u8) -> Self {
        Self(i64::try_from(step_millionths(decimals)).unwrap_or(1))
    }

    /// The sum of all amounts, or [`Overflow`].
    pub fn sum(amounts: impl IntoIterator<Item = Self>) -> Result<Self, Overflow> {
        amounts.into_iter().try_fold(Self::ZERO, Self::plus)
    }
}

impl Percent {
    /// `part ÷ whole` as a percentage with two decimals, rounded towards zero; `None` unless `whole` is positive.
    #[must_use]
    pub fn from_ratio(part: i64, whole: i64) -> Option<Self> {
        if whole <= 0 {
            return None;
        }
        i64::try_from(i128::from(part) * 10_000 / i128::from(whole)).ok().map(Self)
    }
}

/// Millionths in one unit of the last decimal, for 0 to 6 decimals: 10,000 for 2 decimals.
fn step_millionths(decimals: u8) -> i128 {
    10_i128.pow(u32::from(6 - decimals.min(6)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parses_and_formats_canonical_decimals() {
        for (text, value) in
            [("0", 0), ("12.5", 12_500_000), ("-0.000001", -1), ("1000000", 1_000_000_000_000)]
        {
            assert_eq!(text.parse::<Money>().map(|money| money.0), Ok(value));
            assert_eq!(Money(value).to_string(), text);
        }
        assert_eq!(Money(i64::MIN).to_string().parse::<Money>(), Ok(Money(i64::MIN)));
    }

    #[test]
    fn rejects_strings_that_are_not_plain_decimals() {
        for text in ["", "-", ".5", "5.", "1e3", "NaN", "+1", " 1", "1,5", "0x1", "--1", "1.2.3", "١"] {
            assert_eq!(text.parse::<Money>(), Err(AmountError::Malformed), "{text}");
        }
        assert_eq!("0.0000001".parse::<Money>(), Err(AmountError::TooPrecise(6)));
        assert_eq!("9223372036854.775808".parse::<Money>(), Err(AmountError::TooLarge));
        assert_eq!("99999999999999999999999".parse::<Money>(), Err(AmountError::TooLarge));
    }

    #[test]
    fn json_accepts_strings_and_integers_only() {
        assert_eq!(serde_json::from_str::<Money>("\"1.50\"").ok(), Some(Money(1_500_000)));
        assert_eq!(serde_json::from_str::<Money>("3").ok(), Some(Money(3_000_000)));
        assert!(serde_json::from_str::<Money>("1.5").is_err());
        assert!(serde_json::from_str::<Money>("1e400").is_err());
        assert!(serde_json::from_str::<Money>("null").is_err());
    }

    #[test]
    fn a_tiny_order_costs_at_least_the_smallest_amount() {
        assert_eq!(Money(1).scaled_rounded_up(1, 1000, 2), Ok(Money(10_000)));
    }

    proptest! {
        #[test]
        fn formatted_amounts_parse_to_the_same_value(value: i64) {
            prop_assert_eq!(Money(value).to_string().parse::<Money>(), Ok(Money(value)));
        }

        #[test]
        fn scaling_rounds_up_by_less_than_a_step(value in 0_i64..1_000_000_000_000, numerator in 0_i64..1_000_000, denominator in 1_i64..100_000, decimals in 0_u8..=6) {
            if let Ok(result) = Money(value).scaled_rounded_up(numerator, denominator, decimals) {
                let exact_product = i128::from(value) * i128::from(numerator);
                let rounded_product = i128::from(result.0) * i128::from(denominator);
                prop_assert!(rounded_product >= exact_product);
                let step_product = i128::from(denominator) * step_millionths(decimals);
                prop_assert!(rounded_product - exact_product < step_product);
                prop_assert_eq!(i128::from(result.0) % step_millionths(decimals), 0);
            }
        }

        #[test]
        fn sums_never_wrap(a: i64, b: i64) {
            prop_assert_eq!(Money(a).plus(Money(b)).ok().map(|money| money.0), a.checked_add(b));
            prop_assert_eq!(Money(a).minus(Money(b)).ok().map(|money| money.0), a.checked_sub(b));
        }

        #[test]
        fn rounding_down_never_increases_an_amount(value: i64, decimals in 0_u8..=6) {
            prop_assume!(value > i64::MIN + 1_000_000);
            let rounded = Money(value).rounded_down(decimals);
            prop_assert!(rounded.0 <= value);
            prop_assert!(i128::from(value) - i128::from(rounded.0) < step_millionths(decimals));
        }
    }

    #[test]
    fn fuzz_amounts() {
        const SAMPLES: &[&str] = &["0", "-1.50", "9223372036854.775807", "0.000001", "1,234.50", "1e5", "+7"];
        const TOKENS: &[&str] =
            &["-", "+", ".", ",", "e", "0", "999999999999999999999", "\u{662}", " ", "NaN"];
        panel_fuzz::FuzzTarget::new("panel-contract", "amounts").run(
            panel_fuzz::mutated_texts(SAMPLES, TOKENS),
            |text| {
                if let Ok(money) = text.parse::<Money>() {
                    assert_eq!(money.to_string().parse::<Money>().ok(), Some(money), "{text}");
                }
            },
        );
    }
}
