//! Validates the individual prices and refill settings of a customer for a service. Pure functions.

use std::collections::{BTreeMap, HashSet};

use panel_contract::amount::Money;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ServiceId;
use panel_contract::user_services::{UserServicePrice, UserServiceTerms};

/// Maximum number of prices in one bulk request.
const MAX_PRICES: usize = 10_000;

/// Validates the individual terms for one service.
pub fn check_terms(terms: &UserServiceTerms) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    check_prices(&mut errors, "", terms.min_price, terms.default_price);
    let fractions = [
        ("auto_refill_once_fill_fraction", terms.auto_refill_once_fill_fraction),
        ("auto_refill_min_drop_fraction", terms.auto_refill_min_drop_fraction),
        ("auto_refill_max_drop_fraction", terms.auto_refill_max_drop_fraction),
        ("auto_refill_max_total_refilled_fraction", terms.auto_refill_max_total_refilled_fraction),
    ];
    for (field, fraction) in fractions {
        if fraction.is_some_and(|fraction| !(0..=Money::MILLIONTHS_PER_UNIT).contains(&fraction.0)) {
            errors.add(field, "Enter a fraction from 0 to 1, such as 0.1 for 10 %.");
        }
    }
    if let (Some(min_drop), Some(max_drop)) =
        (terms.auto_refill_min_drop_fraction, terms.auto_refill_max_drop_fraction)
        && min_drop > max_drop
    {
        errors.add("auto_refill_min_drop_fraction", "The minimum drop must not be above the maximum drop.");
    }
    if terms.max_order_quantity_for_use_throttle.is_some_and(|max_quantity| max_quantity < 1) {
        errors.add("max_order_quantity_for_use_throttle", "Enter at least 1, or leave the field empty.");
    }
    if terms
        .order_quantity_ratio
        .is_some_and(|ratio| !(1..=100 * Money::MILLIONTHS_PER_UNIT).contains(&ratio.0))
    {
        errors.add(
            "order_quantity_ratio",
            "Enter a ratio above 0 and up to 100. A ratio of 1 orders the quantity that the customer ordered.",
        );
    }
    errors.into_result(())
}

/// `prefix` precedes the field names in errors, such as `user_services.3.`.
fn check_prices(errors: &mut FieldErrors, prefix: &str, min_price: Option<Money>, price: Option<Money>) {
    for (field, price) in [("min_price", min_price), ("default_price", price)] {
        if price.is_some_and(|price| price < Money::ZERO) {
            errors.add(format!("{prefix}{field}"), "Enter a price of 0 or more.");
        }
    }
    if let (Some(min_price), Some(price)) = (min_price, price)
        && min_price > price
    {
        errors.add(
            format!("{prefix}min_price"),
            format!("The minimum price must not be above the price, {price}."),
        );
    }
}

/// A validated price of a bulk request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceRow {
    pub service_id: ServiceId,
    pub default_price: Money,
    pub min_price: Option<Money>,
}

/// Validates the prices of a bulk request and returns the prices to store. If a price keeps the minimum price, its value comes from
/// `current`, the current minimum prices of the customer. Errors contain row and field.
pub fn merge_prices(
    prices: &[UserServicePrice],
    current: &BTreeMap<ServiceId, Option<Money>>,
) -> Result<Vec<PriceRow>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut rows = Vec::with_capacity(prices.len());
    for (index, price) in prices.iter().enumerate() {
        let UserServicePrice { service_id, default_price, .. } = *price;
        let min_price = price.min_price.apply_to(current.get(&service_id).copied().flatten());
        check_prices(&mut errors, &format!("user_services.{index}."), min_price, Some(default_price));
        rows.push(PriceRow { service_id, default_price, min_price });
    }
    errors.into_result(rows)
}

/// Checks that a bulk request has 1 to 10,000 prices, at most one for each service.
pub fn check_bulk_prices(prices: &[UserServicePrice]) -> Result<(), FieldErrors> {
    if prices.is_empty() || prices.len() > MAX_PRICES {
        let message = format!("Send 1 to {MAX_PRICES} prices instead of {}.", prices.len());
        return Err(FieldErrors::single("user_services", message));
    }
    let (mut errors, mut previous_ids) = (FieldErrors::default(), HashSet::new());
    for (index, price) in prices.iter().enumerate() {
        if !previous_ids.insert(price.service_id) {
            errors.add(
                format!("user_services.{index}.service_id"),
                "This service is in the list twice. Remove one of the entries.",
            );
        }
    }
    errors.into_result(())
}

#[cfg(test)]
mod tests {
    use panel_contract::common::Patch;

    use super::*;

    #[test]
    fn a_minimum_price_is_at_most_the_price() {
        let terms = |min_price: i64, price: i64| UserServiceTerms {
            min_price: Some(Money(min_price)),
            default_price: Some(Money(price)),
            ..UserServiceTerms::default()
        };
        assert!(check_terms(&terms(1, 1)).is_ok() && check_terms(&UserServiceTerms::default()).is_ok());
        assert!(check_terms(&terms(2, 1)).unwrap_err().0.contains_key("min_price"));
        assert!(check_terms(&terms(-2, -1)).unwrap_err().0.contains_key("default_price"));
    }

    #[test]
    fn errors_of_a_bulk_request_contain_the_row() {
        let price = |service: i64, price: i64| UserServicePrice {
            service_id: ServiceId::new(service),
            default_price: Money(price),
            min_price: Patch::Set(Money(5)),
        };
        let merged = |prices: &[UserServicePrice]| merge_prices(prices, &BTreeMap::new());
        let fields = |errors: FieldErrors| errors.0.into_keys().collect::<Vec<_>>();
        let valid = [price(1, 5), price(2, 6)];
        assert!(check_bulk_prices(&valid).is_ok() && merged(&valid).is_ok());
        assert_eq!(fields(merged(&[price(1, 5), price(2, 4)]).unwrap_err()), ["user_services.1.min_price"]);
        assert_eq!(
            fields(check_bulk_prices(&[price(1, 5), price(1, 6)]).unwrap_err()),
            ["user_services.1.service_id"]
        );
        assert!(check_bulk_prices(&[]).is_err());
    }

    #[test]
    fn validates_the_stored_minimum_price_if_the_request_keeps_it() {
        let current = BTreeMap::from([(ServiceId::new(1), Some(Money(5)))]);
        let merged = |price: i64, min_price| {
            let service_id = ServiceId::new(1);
            let price = UserServicePrice { service_id, default_price: Money(price), min_price };
            merge_prices(&[price], &current).map(|rows| rows[0].min_price)
        };
        assert_eq!(merged(6, Patch::Keep), Ok(Some(Money(5))));
        assert_eq!(merged(4, Patch::Clear), Ok(None));
        assert!(merged(4, Patch::Keep).unwrap_err().0.contains_key("user_services.0.min_price"));
    }
}
