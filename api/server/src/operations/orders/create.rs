//! Staff place an order for a customer, by the same function as every other intake. The order is charged at once or not placed.

use std::collections::BTreeMap;

use isocountry::CountryCode;
use panel_contract::fields::FieldErrors;
use panel_contract::intake::PlaceOrderInput;
use panel_contract::orders::OrderStatus;
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;

use crate::operations::orders::edit;
use crate::operations::orders::place::{NewOrder, PlacedOrder, place, place_with_errors};
use panel_platform::work::UnitOfWork;

/// Maximum number of target values beside the address.
const MAX_TARGETS: usize = 20;
/// In characters. It is large because a list of comments is one value, with one comment per line.
const MAX_TARGET_CHARS: usize = 100_000;

/// Places an order. If the customer's balance is too low, it returns 422 on `balance` and nothing is written.
pub async fn create(work: &mut UnitOfWork, input: &PlaceOrderInput) -> Result<PlacedOrder> {
    let plain = NewOrder::plain(input.user_id, input.service_id, &input.url, input.quantity);
    let mut wrong = WrongFields::default();
    let targets = wrong.record(check_targets(&input.targets))?.unwrap_or_default();
    let country = wrong.record(country(input.country.as_deref()))?.flatten();
    let comment = input.comment.as_deref().map(str::trim).filter(|comment| !comment.is_empty());
    let comment = wrong.record(edit::comment(comment))?.filter(|_| comment.is_some());
    let coupon = coupon(input.coupon.as_deref());
    let (speedup, guarantee) = (input.speedup, input.guarantee);
    let new = NewOrder { targets, speedup, guarantee, coupon, country, ..plain };
    let placed = paid(place_with_errors(work, &new, wrong).await?)?;
    if let Some(comment) = comment {
        edit::apply(work, placed.id, comment).await?;
    }
    Ok(placed)
}

/// Places an order, or refuses it if the customer's balance is too low, so that no unpaid order remains.
pub async fn place_paid(work: &mut UnitOfWork, new: &NewOrder) -> Result<PlacedOrder> {
    paid(place(work, new).await?)
}

fn paid(placed: PlacedOrder) -> Result<PlacedOrder> {
    if placed.status != OrderStatus::Unpaid {
        return Ok(placed);
    }
    let message = format!(
        "The customer's balance is too low: the order costs {}. Add money to the balance or order less.",
        placed.cost
    );
    Err(Error::invalid("balance", "not_enough_balance", message))
}

// Rules

/// The ISO code of a country in capitals; `None` for an empty input.
pub fn country(code: Option<&str>) -> Result<Option<String>, FieldErrors> {
    let Some(code) = code.map(str::trim).filter(|code| !code.is_empty()) else { return Ok(None) };
    match CountryCode::for_alpha2_caseless(code) {
        Ok(country) => Ok(Some(country.alpha2().to_owned())),
        Err(_) => Err(FieldErrors::one("country", "Enter a two-letter country code, such as DE.")),
    }
}

/// The trimmed coupon code; `None` for an empty input.
#[must_use]
pub fn coupon(code: Option<&str>) -> Option<String> {
    code.map(str::trim).filter(|code| !code.is_empty()).map(str::to_owned)
}

/// The values for the targets of a service, by the names of the targets, as the caller sent them.
///
/// # Errors
/// Field errors for names and values that are too long, and for too many values.
pub fn check_targets(targets: &BTreeMap<String, String>) -> Result<Vec<(String, String)>, FieldErrors> {
    let mut errors = FieldErrors::default();
    if targets.len() > MAX_TARGETS {
        errors.add("targets", format!("Give at most {MAX_TARGETS} values."));
    }
    for (name, value) in targets {
        if name.is_empty() || name.len() > 100 || value.chars().count() > MAX_TARGET_CHARS {
            errors.add(
                format!("targets.{name:.100}"),
                format!("A name has 1 to 100 characters, a value at most {MAX_TARGET_CHARS}."),
            );
        }
    }
    errors.or(targets.iter().map(|(name, value)| (name.clone(), value.trim().to_owned())).collect())
}
