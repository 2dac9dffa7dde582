//! Staff place an order for a customer: the same way in as any other, charged at once or not placed at all.

use std::collections::BTreeMap;

use isocountry::CountryCode;
use panel_contract::fields::FieldErrors;
use panel_contract::intake::PlaceOrderInput;
use panel_contract::orders::OrderStatus;
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;

use crate::operations::orders::edit;
use crate::operations::orders::place::{NewOrder, Placed, place, place_after};
use panel_platform::work::Work;

/// Most values that a service asks for beside the address.
const MOST_TARGETS: usize = 20;
/// Longest of them, in characters: comments come one a line.
const LONGEST_TARGET: usize = 100_000;

/// Places it; too little balance is 422 on `balance`, and nothing is written.
pub async fn create(work: &mut Work, input: &PlaceOrderInput) -> Result<Placed> {
    let plain = NewOrder::plain(input.user_id, input.service_id, &input.url, input.quantity);
    let mut wrong = WrongFields::default();
    let targets = wrong.note(check_targets(&input.targets))?.unwrap_or_default();
    let country = wrong.note(country(input.country.as_deref()))?.flatten();
    let comment = input.comment.as_deref().map(str::trim).filter(|comment| !comment.is_empty());
    let comment = wrong.note(edit::comment(comment))?.filter(|_| comment.is_some());
    let coupon = coupon(input.coupon.as_deref());
    let (speedup, guarantee) = (input.speedup, input.guarantee);
    let new = NewOrder { targets, speedup, guarantee, coupon, country, ..plain };
    let placed = paid(place_after(work, &new, wrong).await?)?;
    if let Some(comment) = comment {
        edit::apply(work, placed.id, comment).await?;
    }
    Ok(placed)
}

/// Places an order that is refused where the customer's balance does not reach, instead of one that waits unpaid.
pub async fn place_paid(work: &mut Work, new: &NewOrder) -> Result<Placed> {
    paid(place(work, new).await?)
}

fn paid(placed: Placed) -> Result<Placed> {
    if placed.status != OrderStatus::Unpaid {
        return Ok(placed);
    }
    let message = format!(
        "The customer's balance does not reach: the order costs {}; credit them or order less.",
        placed.cost
    );
    Err(Error::invalid("balance", "not_enough_balance", message))
}

// Rules

/// A country by its ISO code, as services and discounts name it; none where nothing was sent.
pub fn country(code: Option<&str>) -> Result<Option<String>, FieldErrors> {
    let Some(code) = code.map(str::trim).filter(|code| !code.is_empty()) else { return Ok(None) };
    match CountryCode::for_alpha2_caseless(code) {
        Ok(country) => Ok(Some(country.alpha2().to_owned())),
        Err(_) => Err(FieldErrors::one("country", "Give a country by its two letters, such as DE.")),
    }
}

/// The code of a coupon; none where nothing was sent.
#[must_use]
pub fn coupon(code: Option<&str>) -> Option<String> {
    code.map(str::trim).filter(|code| !code.is_empty()).map(str::to_owned)
}

/// The answers to a service's targets as they were sent, by the targets' names.
///
/// # Errors
/// Names and values that are too long, and too many of them.
pub fn check_targets(targets: &BTreeMap<String, String>) -> Result<Vec<(String, String)>, FieldErrors> {
    let mut errors = FieldErrors::default();
    if targets.len() > MOST_TARGETS {
        errors.add("targets", format!("Give at most {MOST_TARGETS} values."));
    }
    for (name, value) in targets {
        if name.is_empty() || name.len() > 100 || value.chars().count() > LONGEST_TARGET {
            errors.add(
                format!("targets.{name:.100}"),
                format!("A name has 1 to 100 characters, a value at most {LONGEST_TARGET}."),
            );
        }
    }
    errors.or(targets.iter().map(|(name, value)| (name.clone(), value.trim().to_owned())).collect())
}
