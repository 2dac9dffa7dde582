//! Compares quotes with the price that a customer calculates from the listed rate. Needs no database.

use num_rational::BigRational;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

fn modified(price: i64, lowest: i64, changes: &[PriceChange]) -> PriceTerms {
    let modifier = |change: &PriceChange| Modifier {
        id: None,
        name: String::new(),
        kind: "discount".into(),
        change: *change,
        is_speedup: false,
        has_countries: false,
    };
    let modifiers = changes.iter().map(modifier).collect();
    PriceTerms { lowest: Money(lowest), modifiers, ..PriceTerms::plain(Money(price), 1_000) }
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
    let twice = [PriceChange::Share(Fraction(-500_000)), PriceChange::Share(Fraction(1_000_000))];
    let terms = modified(15_090_000, 0, &twice);
    assert_eq!(terms.quote(100, 2).unwrap().cost, Money(1_510_000));
    assert_eq!(steps(&terms, 100), [(1_510_000, 760_000), (760_000, 1_510_000)]);
}

#[test]
fn modifiers_apply_one_after_the_other() {
    let changes = [PriceChange::Share(Fraction(-100_000)), PriceChange::Amount(Money(500_000))];
    let terms = modified(10_000_000, 0, &changes);
    assert_eq!(steps(&terms, 1_000), [(10_000_000, 9_000_000), (9_000_000, 9_500_000)]);
    let agreed = modified(10_000_000, 0, &[PriceChange::To(Money(7_010_000))]);
    assert_eq!(steps(&agreed, 1_000), [(10_000_000, 7_010_000)]);
    let free = modified(10_000_000, 0, &[PriceChange::Share(Fraction(-2_000_000))]);
    assert_eq!(free.quote(1_000, 2).unwrap().cost, Money(10_000));
    let capped = PriceChange::Off { share: Fraction(500_000), most: Money(1_000_000) };
    assert_eq!(steps(&modified(10_000_000, 0, &[capped]), 1_000), [(10_000_000, 9_000_000)]);
    assert_eq!(steps(&modified(10_000_000, 0, &[capped]), 100), [(1_000_000, 500_000)]);
}

#[test]
fn the_lowest_price_holds_for_all_changes_together() {
    let half = PriceChange::Share(Fraction(-500_000));
    let terms = modified(10_000_000, 4_000_000, &[half, half, half]);
    assert_eq!(steps(&terms, 500), [(5_000_000, 2_500_000), (2_500_000, 2_000_000), (2_000_000, 2_000_000)]);
    // A lowest price above the price itself raises no price.
    assert_eq!(modified(10, 20, &[half]).quote(1_000, 6).unwrap().cost, Money(10));
}

#[test]
fn the_least_margin_holds_above_the_price_itself() {
    let terms = modified(10_000_000, 0, &[PriceChange::Share(Fraction(-900_000))]);
    let floored = terms.clone().with_least(Money(4_000_000));
    assert_eq!(steps(&floored, 1_000), [(10_000_000, 4_000_000)]);
    let raised = terms.with_least(Money(12_000_000));
    assert_eq!(steps(&raised, 1_000), [(10_000_000, 12_000_000), (12_000_000, 12_000_000)]);
    assert_eq!(raised.modifiers[0].kind, "least_margin");
}

#[test]
fn an_agreed_price_may_be_below_the_lowest_price() {
    let agreed = |money| {
        modified(10_000_000, 9_000_000, &[PriceChange::To(Money(money))]).quote(1_000, 2).unwrap().cost
    };
    assert_eq!(agreed(4_000_000), Money(4_000_000));
    assert_eq!(agreed(0), Money(10_000), "but not to nothing");
}

#[test]
fn an_overflow_is_an_error() {
    let plain = |per| PriceTerms::plain(Money(i64::MAX), per);
    assert_eq!(plain(1).quote(i64::MAX, 6), Err(Overflow));
    let more =
        PriceTerms { modifiers: modified(1, 0, &[PriceChange::Amount(Money(1))]).modifiers, ..plain(1) };
    assert_eq!(more.quote(1, 6), Err(Overflow));
}

/// Any terms that a service and its customers can have, and a quantity of it.
fn any_terms() -> impl Strategy<Value = (PriceTerms, i64, u8)> {
    let price = prop_oneof![0_i64..100, 0_i64..100_000_000, 0_i64..1_000_000_000_000];
    let per = prop_oneof![Just(1_000_i64), Just(1), Just(100), 1_i64..5_000];
    let share = prop_oneof![Just(0_i64), Just(1_000_000), (0_i64..=1_000).prop_map(|parts| parts * 1_000)];
    let quantity = prop_oneof![1_i64..2_000, 1_i64..1_000_000_000];
    let least = prop_oneof![3 => Just(0_i64), 1 => 0_i64..100_000_000];
    // Discounts first, then what the order itself adds, such as a speed-up.
    let off = share.clone().prop_map(|share| PriceChange::Share(Fraction(-share)));
    let on = share.prop_map(|share| PriceChange::Share(Fraction(share)));
    let changes = (prop::collection::vec(off, 0..4), prop::collection::vec(on, 0..3))
        .prop_map(|(off, on)| off.into_iter().chain(on).collect::<Vec<_>>());
    (price, per, 0_i64..100_000_000, least, changes, quantity, 0_u8..=6).prop_map(
        |(price, pricing_per, lowest, least, changes, quantity, places)| {
            let terms = PriceTerms { pricing_per, ..modified(price, lowest, &changes) };
            (terms.with_least(Money(least)), quantity, places)
        },
    )
}

/// A coupon, or a fixed amount that an order adds or takes off. It depends on the quantity, so it is not part of a rate.
fn final_change() -> impl Strategy<Value = PriceChange> {
    let amount = prop_oneof![0_i64..100_000, 0_i64..1_000_000_000];
    let off = (0_i64..=1_000_000, amount.clone())
        .prop_map(|(share, most)| PriceChange::Off { share: Fraction(share), most: Money(most) });
    let by = (amount, any::<bool>())
        .prop_map(|(amount, adds)| PriceChange::Amount(Money(if adds { amount } else { -amount })));
    prop_oneof![off, by]
}

/// Parses a decimal as an exact fraction.
fn parse_decimal(text: &str) -> BigRational {
    let (units, parts) = text.split_once('.').unwrap_or((text, ""));
    let digits: BigRational = format!("{units}{parts}").parse().unwrap();
    let ten = BigRational::from_integer(10.into());
    digits / ten.pow(parts.len().try_into().unwrap())
}

/// The price that a customer's program calculates: `rate × quantity ÷ 1,000`, rounded up to `places` decimals, in millionths.
fn calculated(rate: &str, quantity: i64, places: u8) -> BigRational {
    let step = BigRational::new(Money::smallest(places).0.into(), 1_000_000.into());
    let cost = parse_decimal(rate) * BigRational::new(quantity.into(), 1_000.into());
    (cost / &step).ceil() * step * BigRational::from_integer(1_000_000.into())
}

#[test]
fn the_listed_rate_gives_the_charge_in_a_hundred_thousand_cases() {
    const MOST: i64 = 1_000_000_000;
    let mut runner = TestRunner::new(Config { cases: 100_000, ..Config::default() });
    let outcome = runner.run(&any_terms(), |(terms, quantity, places)| {
        let (Ok(quote), Ok(rate)) = (terms.quote(quantity, places), terms.rate(RATE_PER, places, MOST))
        else {
            return Ok(());
        };
        let charged = BigRational::from_integer(quote.cost.0.into());
        prop_assert_eq!(calculated(&rate, quantity, places), charged.clone(), "{} for {}", rate, quantity);
        // Rounded up, by less than a step, and a whole number of steps.
        let step = Money::smallest(places).0;
        let up = &charged - quote.exact.as_rational();
        prop_assert!(
            up >= BigRational::from_integer(0.into()) && up < BigRational::from_integer(step.into())
        );
        prop_assert_eq!(quote.cost.0 % step, 0);
        prop_assert_eq!(quote.cost > Money::ZERO, terms.price > Money::ZERO || terms.least > Money::ZERO);
        // The changes chain, and the last one is the charge.
        prop_assert!(quote.steps.windows(2).all(|pair| pair[0].1 == pair[1].0));
        prop_assert!(quote.steps.last().is_none_or(|last| last.1 == quote.cost));
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a_coupon_reduces_the_exact_cost_but_never_below_the_floor() {
    let mut runner = TestRunner::new(Config { cases: 100_000, ..Config::default() });
    let outcome = runner.run(&(any_terms(), final_change()), |((mut terms, quantity, places), change)| {
        let Ok(before) = terms.quote(quantity, places) else { return Ok(()) };
        terms.modifiers.extend(modified(0, 0, &[change]).modifiers);
        let Ok(after) = terms.quote(quantity, places) else { return Ok(()) };
        let zero = BigRational::from_integer(0.into());
        let whole = |number: i64| BigRational::from_integer(number.into());
        let exact = before.exact.as_rational().clone();
        let changed = match change {
            PriceChange::Off { share, most } => {
                let off = &exact * whole(share.0) / whole(1_000_000);
                &exact - off.min(whole(most.0))
            }
            PriceChange::Amount(amount) => &exact + whole(amount.0),
            _ => exact,
        };
        let floor = whole(terms.floor().0) * whole(quantity) / whole(terms.pricing_per);
        let expected = changed.max(floor).max(zero);
        prop_assert_eq!(after.exact.as_rational(), &expected);
        // Rounded up once, from the exact cost and not from the rounded one.
        let step = whole(Money::smallest(places).0);
        prop_assert_eq!(whole(after.cost.0), (&expected / &step).ceil() * step);
        let (last, charged) = (after.steps.last().copied(), (before.cost, after.cost));
        prop_assert_eq!(last, Some(charged));
        Ok(())
    });
    outcome.unwrap();
}
