//! Compares quotes with the price that a customer calculates from the listed rate. These tests use no database.

use num_rational::BigRational;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

fn terms_with_changes(price: i64, min_price: i64, changes: &[PriceChange]) -> PriceTerms {
    let to_modifier = |change: &PriceChange| PriceModifier {
        id: None,
        name: String::new(),
        kind: "discount".into(),
        change: *change,
        is_speedup: false,
        is_country_restricted: false,
    };
    let modifiers = changes.iter().map(to_modifier).collect();
    PriceTerms {
        min_price: Money(min_price),
        modifiers,
        ..PriceTerms::without_modifiers(Money(price), 1_000)
    }
}

/// The costs before and after each modifier, in millionths.
fn price_steps(terms: &PriceTerms, quantity: i64) -> Vec<(i64, i64)> {
    let quote = terms.quote(quantity, 2).unwrap();
    quote.steps.iter().map(|step| (step.cost_before.0, step.cost_after.0)).collect()
}

#[test]
fn a_cost_is_rounded_up_once() {
    let cost = |price, quantity, per| {
        PriceTerms::without_modifiers(Money(price), per).quote(quantity, 2).unwrap().cost
    };
    assert_eq!(cost(1_234_567, 333, 1_000), Money(420_000));
    assert_eq!(cost(1, 1, 1_000), Money(10_000));
    assert_eq!(cost(0, 1_000, 1_000), Money::ZERO);
    // 1.509 is rounded up to 1.51. Two modifiers that cancel each other must not raise the cost to 1.52.
    let half_then_double =
        [PriceChange::ByFraction(Fraction(-500_000)), PriceChange::ByFraction(Fraction(1_000_000))];
    let terms = terms_with_changes(15_090_000, 0, &half_then_double);
    assert_eq!(terms.quote(100, 2).unwrap().cost, Money(1_510_000));
    assert_eq!(price_steps(&terms, 100), [(1_510_000, 760_000), (760_000, 1_510_000)]);
}

#[test]
fn modifiers_apply_one_after_the_other() {
    let changes = [PriceChange::ByFraction(Fraction(-100_000)), PriceChange::ByAmount(Money(500_000))];
    let terms = terms_with_changes(10_000_000, 0, &changes);
    assert_eq!(price_steps(&terms, 1_000), [(10_000_000, 9_000_000), (9_000_000, 9_500_000)]);
    let with_prepaid_cost = terms_with_changes(10_000_000, 0, &[PriceChange::PrepaidCost(Money(7_010_000))]);
    assert_eq!(price_steps(&with_prepaid_cost, 1_000), [(10_000_000, 7_010_000)]);
    let with_excessive_discount =
        terms_with_changes(10_000_000, 0, &[PriceChange::ByFraction(Fraction(-2_000_000))]);
    assert_eq!(with_excessive_discount.quote(1_000, 2).unwrap().cost, Money(10_000));
    let capped_reduction =
        PriceChange::CappedReduction { fraction: Fraction(500_000), max: Money(1_000_000) };
    assert_eq!(
        price_steps(&terms_with_changes(10_000_000, 0, &[capped_reduction]), 1_000),
        [(10_000_000, 9_000_000)]
    );
    assert_eq!(
        price_steps(&terms_with_changes(10_000_000, 0, &[capped_reduction]), 100),
        [(1_000_000, 500_000)]
    );
}

#[test]
fn modifiers_together_never_go_below_the_minimum_price() {
    let halve = PriceChange::ByFraction(Fraction(-500_000));
    let terms = terms_with_changes(10_000_000, 4_000_000, &[halve, halve, halve]);
    assert_eq!(
        price_steps(&terms, 500),
        [(5_000_000, 2_500_000), (2_500_000, 2_000_000), (2_000_000, 2_000_000)]
    );
    // A minimum price above the price itself does not raise the price.
    assert_eq!(terms_with_changes(10, 20, &[halve]).quote(1_000, 6).unwrap().cost, Money(10));
}

#[test]
fn a_price_below_the_minimum_margin_price_is_raised_to_it() {
    let terms = terms_with_changes(10_000_000, 0, &[PriceChange::ByFraction(Fraction(-900_000))]);
    let with_lower_minimum = terms.clone().with_min_margin_price(Money(4_000_000));
    assert_eq!(price_steps(&with_lower_minimum, 1_000), [(10_000_000, 4_000_000)]);
    let with_higher_minimum = terms.with_min_margin_price(Money(12_000_000));
    assert_eq!(
        price_steps(&with_higher_minimum, 1_000),
        [(10_000_000, 12_000_000), (12_000_000, 12_000_000)]
    );
    assert_eq!(with_higher_minimum.modifiers[0].kind, "minimum_margin");
}

#[test]
fn a_prepaid_cost_may_be_below_the_minimum_price() {
    let cost_if_prepaid = |amount| {
        terms_with_changes(10_000_000, 9_000_000, &[PriceChange::PrepaidCost(Money(amount))])
            .quote(1_000, 2)
            .unwrap()
            .cost
    };
    assert_eq!(cost_if_prepaid(4_000_000), Money(4_000_000));
    assert_eq!(
        cost_if_prepaid(0),
        Money(10_000),
        "a prepaid cost of zero must still charge the smallest amount"
    );
}

#[test]
fn an_overflow_is_an_error() {
    let terms_with_largest_price = |per| PriceTerms::without_modifiers(Money(i64::MAX), per);
    assert_eq!(terms_with_largest_price(1).quote(i64::MAX, 6), Err(Overflow));
    let modifiers = terms_with_changes(1, 0, &[PriceChange::ByAmount(Money(1))]).modifiers;
    let with_surcharge = PriceTerms { modifiers, ..terms_with_largest_price(1) };
    assert_eq!(with_surcharge.quote(1, 6), Err(Overflow));
}

/// Generates price terms, an ordered quantity, and a number of decimal places.
fn arbitrary_terms() -> impl Strategy<Value = (PriceTerms, i64, u8)> {
    let price = prop_oneof![0_i64..100, 0_i64..100_000_000, 0_i64..1_000_000_000_000];
    let per = prop_oneof![Just(1_000_i64), Just(1), Just(100), 1_i64..5_000];
    let ppm = prop_oneof![
        Just(0_i64),
        Just(1_000_000),
        (0_i64..=1_000).prop_map(|tenths_of_percent| tenths_of_percent * 1_000)
    ];
    let quantity = prop_oneof![1_i64..2_000, 1_i64..1_000_000_000];
    let min_margin_price = prop_oneof![3 => Just(0_i64), 1 => 0_i64..100_000_000];
    // Discounts come first, then surcharges of the order itself, such as a speed-up.
    let reduction = ppm.clone().prop_map(|ppm| PriceChange::ByFraction(Fraction(-ppm)));
    let surcharge = ppm.prop_map(|ppm| PriceChange::ByFraction(Fraction(ppm)));
    let changes = (prop::collection::vec(reduction, 0..4), prop::collection::vec(surcharge, 0..3))
        .prop_map(|(reductions, surcharges)| reductions.into_iter().chain(surcharges).collect::<Vec<_>>());
    (price, per, 0_i64..100_000_000, min_margin_price, changes, quantity, 0_u8..=6).prop_map(
        |(price, pricing_per, min_price, min_margin_price, changes, quantity, decimals)| {
            let terms = PriceTerms { pricing_per, ..terms_with_changes(price, min_price, &changes) };
            (terms.with_min_margin_price(Money(min_margin_price)), quantity, decimals)
        },
    )
}

/// Generates a coupon, or a fixed amount that the order adds or subtracts. The effect of such a change depends on the quantity, so
/// a listed rate cannot contain the change.
fn arbitrary_final_change() -> impl Strategy<Value = PriceChange> {
    let amount = prop_oneof![0_i64..100_000, 0_i64..1_000_000_000];
    let capped_reduction = (0_i64..=1_000_000, amount.clone())
        .prop_map(|(ppm, max)| PriceChange::CappedReduction { fraction: Fraction(ppm), max: Money(max) });
    let fixed_amount = (amount, any::<bool>()).prop_map(|(amount, is_surcharge)| {
        PriceChange::ByAmount(Money(if is_surcharge { amount } else { -amount }))
    });
    prop_oneof![capped_reduction, fixed_amount]
}

fn parse_decimal(decimal: &str) -> BigRational {
    let (units, decimal_places) = decimal.split_once('.').unwrap_or((decimal, ""));
    let digits: BigRational = format!("{units}{decimal_places}").parse().unwrap();
    let ten = BigRational::from_integer(10.into());
    digits / ten.pow(decimal_places.len().try_into().unwrap())
}

/// The cost that a customer's program calculates from the listed rate: `rate × quantity ÷ 1,000`, rounded up to `decimals` decimal
/// places, in millionths.
fn cost_from_rate(rate: &str, quantity: i64, decimals: u8) -> BigRational {
    let rounding_unit = BigRational::new(Money::smallest_unit(decimals).0.into(), 1_000_000.into());
    let cost = parse_decimal(rate) * BigRational::new(quantity.into(), 1_000.into());
    (cost / &rounding_unit).ceil() * rounding_unit * BigRational::from_integer(1_000_000.into())
}

#[test]
fn the_listed_rate_gives_the_charge_in_100_000_random_cases() {
    const MAX_QUANTITY: i64 = 1_000_000_000;
    let mut runner = TestRunner::new(Config { cases: 100_000, ..Config::default() });
    let outcome = runner.run(&arbitrary_terms(), |(terms, quantity, decimals)| {
        let (Ok(quote), Ok(rate)) =
            (terms.quote(quantity, decimals), terms.rate(UNITS_PER_RATE, decimals, MAX_QUANTITY))
        else {
            return Ok(());
        };
        let charged = BigRational::from_integer(quote.cost.0.into());
        prop_assert_eq!(
            cost_from_rate(&rate, quantity, decimals),
            charged.clone(),
            "{} for {}",
            rate,
            quantity
        );
        // The charge is a multiple of the rounding unit, and rounding adds less than one unit.
        let rounding_unit = Money::smallest_unit(decimals).0;
        let rounding = &charged - quote.exact_cost.as_rational();
        prop_assert!(
            rounding >= BigRational::from_integer(0.into())
                && rounding < BigRational::from_integer(rounding_unit.into())
        );
        prop_assert_eq!(quote.cost.0 % rounding_unit, 0);
        prop_assert_eq!(
            quote.cost > Money::ZERO,
            terms.price > Money::ZERO || terms.min_margin_price > Money::ZERO
        );
        // Each step begins with the cost after the previous step, and the cost after the last step is the charge.
        prop_assert!(quote.steps.windows(2).all(|pair| pair[0].cost_after == pair[1].cost_before));
        prop_assert!(quote.steps.last().is_none_or(|last| last.cost_after == quote.cost));
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a_coupon_reduces_the_exact_cost_but_never_below_the_minimum() {
    let mut runner = TestRunner::new(Config { cases: 100_000, ..Config::default() });
    let outcome = runner.run(
        &(arbitrary_terms(), arbitrary_final_change()),
        |((mut terms, quantity, decimals), change)| {
            let Ok(quote_before) = terms.quote(quantity, decimals) else { return Ok(()) };
            terms.modifiers.extend(terms_with_changes(0, 0, &[change]).modifiers);
            let Ok(quote_after) = terms.quote(quantity, decimals) else { return Ok(()) };
            let zero = BigRational::from_integer(0.into());
            let rational = |number: i64| BigRational::from_integer(number.into());
            let exact_cost = quote_before.exact_cost.as_rational().clone();
            let changed_cost = match change {
                PriceChange::CappedReduction { fraction, max } => {
                    let reduction = &exact_cost * rational(fraction.0) / rational(1_000_000);
                    &exact_cost - reduction.min(rational(max.0))
                }
                PriceChange::ByAmount(amount) => &exact_cost + rational(amount.0),
                _ => exact_cost,
            };
            let min_cost =
                rational(terms.effective_min_price().0) * rational(quantity) / rational(terms.pricing_per);
            let expected_cost = changed_cost.max(min_cost).max(zero);
            prop_assert_eq!(quote_after.exact_cost.as_rational(), &expected_cost);
            // The charge is rounded up once, from the exact cost.
            let rounding_unit = rational(Money::smallest_unit(decimals).0);
            prop_assert_eq!(
                rational(quote_after.cost.0),
                (&expected_cost / &rounding_unit).ceil() * rounding_unit
            );
            let expected_step = PriceStep { cost_before: quote_before.cost, cost_after: quote_after.cost };
            prop_assert_eq!(quote_after.steps.last().copied(), Some(expected_step));
            Ok(())
        },
    );
    outcome.unwrap();
}
