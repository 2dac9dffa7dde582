//! Compares quotes with the price that a customer calculates from the listed rate. Needs no database.

use num_rational::BigRational;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

fn modified(price: i64, min_price: i64, changes: &[PriceChange]) -> PriceTerms {
    let modifier = |change: &PriceChange| Modifier {
        id: None,
        name: String::new(),
        kind: "discount".into(),
        change: *change,
        is_speedup: false,
        has_countries: false,
    };
    let modifiers = changes.iter().map(modifier).collect();
    PriceTerms { min_price: Money(min_price), modifiers, ..PriceTerms::plain(Money(price), 1_000) }
}

fn steps(terms: &PriceTerms, quantity: i64) -> Vec<(i64, i64)> {
    let quote = terms.quote(quantity, 2).unwrap();
    quote.steps.iter().map(|step| (step.0.0, step.1.0)).collect()
}

#[test]
fn rounds_up_once() {
    let cost = |price, quantity, per| PriceTerms::plain(Money(price), per).quote(quantity, 2).unwrap().cost;
    assert_eq!(cost(1_234_567, 333, 1_000), Money(420_000));
    assert_eq!(cost(1, 1, 1_000), Money(10_000));
    assert_eq!(cost(0, 1_000, 1_000), Money::ZERO);
    // 1.509 is 1.51, not 1.52, although two modifiers follow that cancel each other.
    let half_then_double =
        [PriceChange::ByFraction(Fraction(-500_000)), PriceChange::ByFraction(Fraction(1_000_000))];
    let terms = modified(15_090_000, 0, &half_then_double);
    assert_eq!(terms.quote(100, 2).unwrap().cost, Money(1_510_000));
    assert_eq!(steps(&terms, 100), [(1_510_000, 760_000), (760_000, 1_510_000)]);
}

#[test]
fn modifiers_apply_one_after_the_other() {
    let changes = [PriceChange::ByFraction(Fraction(-100_000)), PriceChange::ByAmount(Money(500_000))];
    let terms = modified(10_000_000, 0, &changes);
    assert_eq!(steps(&terms, 1_000), [(10_000_000, 9_000_000), (9_000_000, 9_500_000)]);
    let agreed = modified(10_000_000, 0, &[PriceChange::AgreedCost(Money(7_010_000))]);
    assert_eq!(steps(&agreed, 1_000), [(10_000_000, 7_010_000)]);
    let free = modified(10_000_000, 0, &[PriceChange::ByFraction(Fraction(-2_000_000))]);
    assert_eq!(free.quote(1_000, 2).unwrap().cost, Money(10_000));
    let capped = PriceChange::CappedReduction { fraction: Fraction(500_000), max: Money(1_000_000) };
    assert_eq!(steps(&modified(10_000_000, 0, &[capped]), 1_000), [(10_000_000, 9_000_000)]);
    assert_eq!(steps(&modified(10_000_000, 0, &[capped]), 100), [(1_000_000, 500_000)]);
}

#[test]
fn modifiers_together_never_go_below_the_minimum_price() {
    let half = PriceChange::ByFraction(Fraction(-500_000));
    let terms = modified(10_000_000, 4_000_000, &[half, half, half]);
    assert_eq!(steps(&terms, 500), [(5_000_000, 2_500_000), (2_500_000, 2_000_000), (2_000_000, 2_000_000)]);
    // A minimum price above the price itself does not raise the price.
    assert_eq!(modified(10, 20, &[half]).quote(1_000, 6).unwrap().cost, Money(10));
}

#[test]
fn the_margin_floor_raises_a_lower_price() {
    let terms = modified(10_000_000, 0, &[PriceChange::ByFraction(Fraction(-900_000))]);
    let floored = terms.clone().with_margin_floor(Money(4_000_000));
    assert_eq!(steps(&floored, 1_000), [(10_000_000, 4_000_000)]);
    let raised = terms.with_margin_floor(Money(12_000_000));
    assert_eq!(steps(&raised, 1_000), [(10_000_000, 12_000_000), (12_000_000, 12_000_000)]);
    assert_eq!(raised.modifiers[0].kind, "least_margin");
}

#[test]
fn an_agreed_cost_may_be_below_the_minimum_price() {
    let agreed = |money| {
        modified(10_000_000, 9_000_000, &[PriceChange::AgreedCost(Money(money))])
            .quote(1_000, 2)
            .unwrap()
            .cost
    };
    assert_eq!(agreed(4_000_000), Money(4_000_000));
    assert_eq!(agreed(0), Money(10_000), "an agreed cost of zero still charges the smallest amount");
}

#[test]
fn an_overflow_is_an_error() {
    let plain = |per| PriceTerms::plain(Money(i64::MAX), per);
    assert_eq!(plain(1).quote(i64::MAX, 6), Err(Overflow));
    let more =
        PriceTerms { modifiers: modified(1, 0, &[PriceChange::ByAmount(Money(1))]).modifiers, ..plain(1) };
    assert_eq!(more.quote(1, 6), Err(Overflow));
}

/// Any price terms that a customer can have for a service, with a quantity and a number of decimals.
fn any_terms() -> impl Strategy<Value = (PriceTerms, i64, u8)> {
    let price = prop_oneof![0_i64..100, 0_i64..100_000_000, 0_i64..1_000_000_000_000];
    let per = prop_oneof![Just(1_000_i64), Just(1), Just(100), 1_i64..5_000];
    let ppm = prop_oneof![Just(0_i64), Just(1_000_000), (0_i64..=1_000).prop_map(|parts| parts * 1_000)];
    let quantity = prop_oneof![1_i64..2_000, 1_i64..1_000_000_000];
    let margin_floor = prop_oneof![3 => Just(0_i64), 1 => 0_i64..100_000_000];
    // Discounts come first, then surcharges of the order itself, such as a speed-up.
    let reduction = ppm.clone().prop_map(|ppm| PriceChange::ByFraction(Fraction(-ppm)));
    let surcharge = ppm.prop_map(|ppm| PriceChange::ByFraction(Fraction(ppm)));
    let changes = (prop::collection::vec(reduction, 0..4), prop::collection::vec(surcharge, 0..3))
        .prop_map(|(reductions, surcharges)| reductions.into_iter().chain(surcharges).collect::<Vec<_>>());
    (price, per, 0_i64..100_000_000, margin_floor, changes, quantity, 0_u8..=6).prop_map(
        |(price, pricing_per, min_price, margin_floor, changes, quantity, decimals)| {
            let terms = PriceTerms { pricing_per, ..modified(price, min_price, &changes) };
            (terms.with_margin_floor(Money(margin_floor)), quantity, decimals)
        },
    )
}

/// A coupon, or a fixed amount that the order adds or subtracts. Its effect depends on the quantity, so a rate cannot contain it.
fn final_change() -> impl Strategy<Value = PriceChange> {
    let amount = prop_oneof![0_i64..100_000, 0_i64..1_000_000_000];
    let capped = (0_i64..=1_000_000, amount.clone())
        .prop_map(|(ppm, max)| PriceChange::CappedReduction { fraction: Fraction(ppm), max: Money(max) });
    let fixed = (amount, any::<bool>())
        .prop_map(|(amount, adds)| PriceChange::ByAmount(Money(if adds { amount } else { -amount })));
    prop_oneof![capped, fixed]
}

/// Parses a decimal as an exact fraction.
fn parse_decimal(text: &str) -> BigRational {
    let (units, parts) = text.split_once('.').unwrap_or((text, ""));
    let digits: BigRational = format!("{units}{parts}").parse().unwrap();
    let ten = BigRational::from_integer(10.into());
    digits / ten.pow(parts.len().try_into().unwrap())
}

/// The price that a customer's program calculates: `rate × quantity ÷ 1,000`, rounded up to `decimals` decimal places, in
/// millionths.
fn calculated(rate: &str, quantity: i64, decimals: u8) -> BigRational {
    let step = BigRational::new(Money::smallest_unit(decimals).0.into(), 1_000_000.into());
    let cost = parse_decimal(rate) * BigRational::new(quantity.into(), 1_000.into());
    (cost / &step).ceil() * step * BigRational::from_integer(1_000_000.into())
}

#[test]
fn the_listed_rate_gives_the_charge_in_a_hundred_thousand_cases() {
    const MAX_QUANTITY: i64 = 1_000_000_000;
    let mut runner = TestRunner::new(Config { cases: 100_000, ..Config::default() });
    let outcome = runner.run(&any_terms(), |(terms, quantity, decimals)| {
        let (Ok(quote), Ok(rate)) =
            (terms.quote(quantity, decimals), terms.rate(RATE_PER, decimals, MAX_QUANTITY))
        else {
            return Ok(());
        };
        let charged = BigRational::from_integer(quote.cost.0.into());
        prop_assert_eq!(calculated(&rate, quantity, decimals), charged.clone(), "{} for {}", rate, quantity);
        // The charge is rounded up by less than one step, and is a whole number of steps.
        let step = Money::smallest_unit(decimals).0;
        let rounding = &charged - quote.exact.as_rational();
        prop_assert!(
            rounding >= BigRational::from_integer(0.into())
                && rounding < BigRational::from_integer(step.into())
        );
        prop_assert_eq!(quote.cost.0 % step, 0);
        prop_assert_eq!(
            quote.cost > Money::ZERO,
            terms.price > Money::ZERO || terms.margin_floor > Money::ZERO
        );
        // Each step begins with the result of the one before, and the last step ends with the charge.
        prop_assert!(quote.steps.windows(2).all(|pair| pair[0].1 == pair[1].0));
        prop_assert!(quote.steps.last().is_none_or(|last| last.1 == quote.cost));
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a_coupon_reduces_the_exact_cost_but_never_below_the_floor() {
    let mut runner = TestRunner::new(Config { cases: 100_000, ..Config::default() });
    let outcome = runner.run(&(any_terms(), final_change()), |((mut terms, quantity, decimals), change)| {
        let Ok(before) = terms.quote(quantity, decimals) else { return Ok(()) };
        terms.modifiers.extend(modified(0, 0, &[change]).modifiers);
        let Ok(after) = terms.quote(quantity, decimals) else { return Ok(()) };
        let zero = BigRational::from_integer(0.into());
        let whole = |number: i64| BigRational::from_integer(number.into());
        let exact = before.exact.as_rational().clone();
        let changed = match change {
            PriceChange::CappedReduction { fraction, max } => {
                let reduction = &exact * whole(fraction.0) / whole(1_000_000);
                &exact - reduction.min(whole(max.0))
            }
            PriceChange::ByAmount(amount) => &exact + whole(amount.0),
            _ => exact,
        };
        let floor = whole(terms.floor().0) * whole(quantity) / whole(terms.pricing_per);
        let expected = changed.max(floor).max(zero);
        prop_assert_eq!(after.exact.as_rational(), &expected);
        // Rounded up once, from the exact cost and not from the rounded one.
        let step = whole(Money::smallest_unit(decimals).0);
        prop_assert_eq!(whole(after.cost.0), (&expected / &step).ceil() * step);
        let (last, charged) = (after.steps.last().copied(), (before.cost, after.cost));
        prop_assert_eq!(last, Some(charged));
        Ok(())
    });
    outcome.unwrap();
}
