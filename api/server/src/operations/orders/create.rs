//! Places an order for a customer on request of a staff member. An order is rejected if the balance of the customer is too low.

use std::collections::BTreeMap;

use isocountry::CountryCode;
use panel_contract::fields::FieldErrors;
use panel_contract::order_requests::PlaceOrderInput;
use panel_contract::orders::OrderStatus;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;

use crate::operations::orders::edit;
use crate::operations::orders::place::{NewOrder, PlacedOrder, place, place_with_errors};
use panel_platform::work::UnitOfWork;

/// Maximum number of target values in addition to the URL.
const MAX_TARGETS: usize = 20;
/// Maximum number of characters of a target value. It is large because a list of comments is one value, with one comment per line.
const MAX_TARGET_CHARS: usize = 100_000;

/// Places an order. If the balance of the customer is too low, returns a 422 for the field `balance` and writes nothing.
pub async fn create(work: &mut UnitOfWork, input: &PlaceOrderInput) -> Result<PlacedOrder> {
    let order_without_options =
        NewOrder::without_options(input.user_id, input.service_id, &input.url, input.quantity);
    let mut field_errors = FieldErrorCollector::default();
    let targets = field_errors.collect(validate_targets(&input.targets))?.unwrap_or_default();
    let country = field_errors.collect(parse_country(input.country.as_deref()))?.flatten();
    let comment = input.comment.as_deref().map(str::trim).filter(|comment| !comment.is_empty());
    let comment_edit = field_errors.collect(edit::comment_edit(comment))?.filter(|_| comment.is_some());
    let coupon = parse_coupon_code(input.coupon.as_deref());
    let (speedup, guarantee) = (input.speedup, input.guarantee);
    let new = NewOrder { targets, speedup, guarantee, coupon, country, ..order_without_options };
    let placed_order = require_paid(place_with_errors(work, &new, field_errors).await?)?;
    if let Some(comment_edit) = comment_edit {
        edit::apply_edit(work, placed_order.id, comment_edit).await?;
    }
    Ok(placed_order)
}

/// Places an order, or rejects it if the balance of the customer is too low, so that no unpaid order is stored.
pub async fn place_paid(work: &mut UnitOfWork, new: &NewOrder) -> Result<PlacedOrder> {
    require_paid(place(work, new).await?)
}

fn require_paid(placed_order: PlacedOrder) -> Result<PlacedOrder> {
    if placed_order.status != OrderStatus::Unpaid {
        return Ok(placed_order);
    }
    let message = format!(
        "The customer's balance is too low: the order costs {}. Add money to the balance or order less.",
        placed_order.cost
    );
    Err(Error::invalid("balance", "not_enough_balance", message))
}

// Rules

/// Parses an ISO code of a country and returns it in capitals; `None` if the input is empty.
pub fn parse_country(code: Option<&str>) -> Result<Option<String>, FieldErrors> {
    let Some(code) = code.map(str::trim).filter(|code| !code.is_empty()) else { return Ok(None) };
    match CountryCode::for_alpha2_caseless(code) {
        Ok(country) => Ok(Some(country.alpha2().to_owned())),
        Err(_) => Err(FieldErrors::single("country", "Enter a two-letter country code, such as DE.")),
    }
}

/// Returns the trimmed coupon code; `None` if the input is empty.
#[must_use]
pub fn parse_coupon_code(code: Option<&str>) -> Option<String> {
    code.map(str::trim).filter(|code| !code.is_empty()).map(str::to_owned)
}

/// Validates the target values of a request. Returns names and trimmed values.
///
/// # Errors
/// Field errors for names and values that are too long, and for too many values.
pub fn validate_targets(targets: &BTreeMap<String, String>) -> Result<Vec<(String, String)>, FieldErrors> {
    let mut errors = FieldErrors::default();
    if targets.len() > MAX_TARGETS {
        errors.add("targets", format!("Enter at most {MAX_TARGETS} values."));
    }
    for (name, value) in targets {
        if name.is_empty() || name.len() > 100 || value.chars().count() > MAX_TARGET_CHARS {
            errors.add(
                format!("targets.{name:.100}"),
                format!("A name has 1 to 100 characters, a value at most {MAX_TARGET_CHARS}."),
            );
        }
    }
    errors.into_result(targets.iter().map(|(name, value)| (name.clone(), value.trim().to_owned())).collect())
}
