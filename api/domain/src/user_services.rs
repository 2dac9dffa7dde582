//! What a customer's own terms of a service may be. These rules read nothing but the terms.

use std::collections::{BTreeMap, HashSet};

use panel_contract::amount::Money;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ServiceId;
use panel_contract::user_services::{UserServicePrice, UserServiceTerms};

/// The most prices of one bulk call.
const MOST: usize = 10_000;

/// What is wrong with the terms, by field.
pub fn check(terms: &UserServiceTerms) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    check_prices(&mut errors, "", terms.min_price, terms.default_price);
    let shares = [
        ("auto_refill_once_fill_percent", terms.auto_refill_once_fill_percent),
        ("auto_refill_min_drop_percent", terms.auto_refill_min_drop_percent),
        ("auto_refill_max_drop_percent", terms.auto_refill_max_drop_percent),
        ("auto_refill_max_total_refilled_percent", terms.auto_refill_max_total_refilled_percent),
    ];
    for (field, share) in shares {
        if share.is_some_and(|share| !(0..=Money::UNIT).contains(&share.0)) {
            errors.add(field, "Give a share from 0 to 1, such as 0.1 for 10 %.");
        }
    }
    if let (Some(least), Some(most)) =
        (terms.auto_refill_min_drop_percent, terms.auto_refill_max_drop_percent)
        && least > most
    {
        errors.add("auto_refill_min_drop_percent", "The smallest drop is above the largest.");
    }
    if terms.max_order_quantity_for_use_throttle.is_some_and(|most| most < 1) {
        errors.add("max_order_quantity_for_use_throttle", "Give at least 1, or leave it empty.");
    }
    if terms.order_quantity_ratio.is_some_and(|ratio| !(1..=100 * Money::UNIT).contains(&ratio.0)) {
        errors.add("order_quantity_ratio", "Give a ratio above 0 and up to 100; 1 orders what was sold.");
    }
    errors.or(())
}

/// `place` stands before the fields' names, such as `user_services.3.`.
fn check_prices(errors: &mut FieldErrors, place: &str, least: Option<Money>, price: Option<Money>) {
    for (field, given) in [("min_price", least), ("default_price", price)] {
        if given.is_some_and(|given| given < Money::ZERO) {
            errors.add(format!("{place}{field}"), "A price is 0 or more.");
        }
    }
    if let (Some(least), Some(price)) = (least, price)
        && least > price
    {
        errors.add(format!("{place}min_price"), format!("The lowest price is above the price, {price}."));
    }
}

/// A price of a bulk call as it will be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceRow {
    pub service_id: ServiceId,
    pub default_price: Money,
    pub min_price: Option<Money>,
}

/// The prices of a bulk call as they will be stored, by the lowest prices that the customer has now; else what is wrong,
/// by row and field.
pub fn merge_many(
    prices: &[UserServicePrice],
    current: &BTreeMap<ServiceId, Option<Money>>,
) -> Result<Vec<PriceRow>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut rows = Vec::with_capacity(prices.len());
    for (at, price) in prices.iter().enumerate() {
        let UserServicePrice { service_id, default_price, .. } = *price;
        let min_price = price.min_price.apply_to(current.get(&service_id).copied().flatten());
        check_prices(&mut errors, &format!("user_services.{at}."), min_price, Some(default_price));
        rows.push(PriceRow { service_id, default_price, min_price });
    }
    errors.or(rows)
}

/// What is wrong with a bulk call whatever the customer has, by row and field.
pub fn check_many(prices: &[UserServicePrice]) -> Result<(), FieldErrors> {
    if prices.is_empty() || prices.len() > MOST {
        let message = format!("Give 1 to {MOST} prices; there are {}.", prices.len());
        return Err(FieldErrors::one("user_services", message));
    }
    let (mut errors, mut seen) = (FieldErrors::default(), HashSet::new());
    for (at, price) in prices.iter().enumerate() {
        let place = format!("user_services.{at}.");
        if !seen.insert(price.service_id) {
            errors.add(format!("{place}service_id"), "This service stands in the list twice.");
        }
    }
    errors.or(())
}

#[cfg(test)]
mod tests {
    use panel_contract::common::Patch;

    use super::*;

    #[test]
    fn prices_stand_in_order() {
        let terms = |least: i64, price: i64| UserServiceTerms {
            min_price: Some(Money(least)),
            default_price: Some(Money(price)),
            ..UserServiceTerms::default()
        };
        assert!(check(&terms(1, 1)).is_ok() && check(&UserServiceTerms::default()).is_ok());
        assert!(check(&terms(2, 1)).unwrap_err().0.contains_key("min_price"));
        assert!(check(&terms(-2, -1)).unwrap_err().0.contains_key("default_price"));
    }

    #[test]
    fn a_bulk_call_names_the_row() {
        let price = |service: i64, price: i64| UserServicePrice {
            service_id: ServiceId::new(service),
            default_price: Money(price),
            min_price: Patch::Set(Money(5)),
        };
        let merged = |prices: &[UserServicePrice]| merge_many(prices, &BTreeMap::new());
        let fields = |wrong: FieldErrors| wrong.0.into_keys().collect::<Vec<_>>();
        let good = [price(1, 5), price(2, 6)];
        assert!(check_many(&good).is_ok() && merged(&good).is_ok());
        assert_eq!(fields(merged(&[price(1, 5), price(2, 4)]).unwrap_err()), ["user_services.1.min_price"]);
        assert_eq!(
            fields(check_many(&[price(1, 5), price(1, 6)]).unwrap_err()),
            ["user_services.1.service_id"]
        );
        assert!(check_many(&[]).is_err());
    }

    #[test]
    fn validates_the_stored_lowest_price_where_none_is_given() {
        let current = BTreeMap::from([(ServiceId::new(1), Some(Money(5)))]);
        let merged = |price: i64, min_price| {
            let service_id = ServiceId::new(1);
            let price = UserServicePrice { service_id, default_price: Money(price), min_price };
            merge_many(&[price], &current).map(|rows| rows[0].min_price)
        };
        assert_eq!(merged(6, Patch::Keep), Ok(Some(Money(5))));
        assert_eq!(merged(4, Patch::Clear), Ok(None));
        assert!(merged(4, Patch::Keep).unwrap_err().0.contains_key("user_services.0.min_price"));
    }
}
