//! The least margin: nothing is sold below what its dearest available provider asks and the least margin on it. The one rule
//! for every place that sets a price or a cost, and the floor of every quote. Prices are judged as the transaction leaves
//! them, so a caller writes first and the refusal undoes it.
//!
//! A provider whose currency has no rate cannot be judged, and is left out.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use panel_contract::amount::{Fraction, Money};
use panel_contract::fields::FieldErrors;

use crate::configuration::settings;
use crate::db::{Source, Sql};
use crate::http::error::{ApiError, Result};
use crate::supply::available::available;
use crate::supply::imports::rules;
use crate::supply::rates::Rates;
use crate::work::Work;

/// The code of a refusal.
const CODE: &str = "below_least_margin";
/// Most lines of one refusal.
const MOST_ERRORS: usize = 20;

// Rules

/// What services cost, and the least margin on it. Without a least margin nothing has a lowest price.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LowestPrices {
    margin: Fraction,
    /// By service: what its available providers ask in the panel's currency, and for how many units.
    costs: BTreeMap<i64, Vec<(Money, i64)>>,
}

impl LowestPrices {
    /// The lowest price of a service for `per` units, rounded up to the millionth; zero where there is none.
    #[must_use]
    pub fn of(&self, service: i64, per: i64) -> Money {
        let costs = self.costs.get(&service).into_iter().flatten();
        let lowest = costs.filter_map(|(cost, units)| rules::priced(*cost, *units, per, self.margin).ok());
        lowest.max().unwrap_or_default()
    }
}

/// A price that a request leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPrice {
    /// The request's field that leads to it.
    pub field: String,
    /// The service that is sold at it.
    pub service_id: i64,
    /// The price, for `pricing_per` units.
    pub price: Money,
    /// Units that prices of the service are for.
    pub pricing_per: i64,
}

/// What is too low, by field, and the lowest possible price for each.
fn judge(prices: &[NewPrice], lowest: &LowestPrices, hint: &str) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    let low = prices.iter().filter_map(|new| {
        let least = lowest.of(new.service_id, new.pricing_per);
        (new.price < least).then_some((new, least))
    });
    for (new, least) in low.take(MOST_ERRORS) {
        let (service, price) = (new.service_id, new.price);
        let message = format!(
            "This sells service {service} at {price}; with the least margin of {} on its cost, {least} is the lowest possible price.{hint}",
            lowest.margin
        );
        errors.add(new.field.clone(), message);
    }
    errors.or(())
}

// Store

/// The lowest prices of services as of now; nothing is asked where there is no least margin.
pub async fn of_services(db: &mut impl Source, services: &[i64]) -> Result<LowestPrices> {
    match settings::min_margin(db).await? {
        Some(margin) => with_margin(db, services, margin).await,
        None => Ok(LowestPrices::default()),
    }
}

/// The same, where the least margin is known already.
pub async fn with_margin(db: &mut impl Source, services: &[i64], margin: Fraction) -> Result<LowestPrices> {
    let sql = Sql::new(concat!(
        "SELECT m.service_id, p.source_price, p.source_currency, p.source_pricing_per FROM service_providers m JOIN providers p ON p.id = m.provider_id
         WHERE p.source_price > 0 AND ",
        available!(),
        " AND m.service_id IN "
    ));
    let asked: Vec<(i64, Money, String, i64)> = db.all(sql.ids(services)).await?;
    let mut costs: BTreeMap<i64, Vec<(Money, i64)>> = BTreeMap::new();
    if !asked.is_empty() {
        let rates = Rates::read(db).await?;
        for (service, price, currency, per) in asked {
            if let Some(own) = rates.to_own(price, &currency) {
                costs.entry(service).or_default().push((own, per));
            }
        }
    }
    Ok(LowestPrices { margin, costs })
}

/// Refuses prices below the lowest, as the transaction leaves them. Where the panel only warns, a caller who confirms gets
/// them; whether any price was below is the answer.
pub async fn check(work: &mut Work, prices: &[NewPrice], is_confirmed: bool) -> Result<bool> {
    let ids: Vec<i64> = prices.iter().map(|new| new.service_id).collect();
    let lowest = of_services(work, &ids).await?;
    check_against(work, prices, &lowest, is_confirmed).await
}

/// The same, against lowest prices that were read already.
pub async fn check_against(
    work: &mut Work,
    prices: &[NewPrice],
    lowest: &LowestPrices,
    is_confirmed: bool,
) -> Result<bool> {
    if judge(prices, lowest, "").is_ok() {
        return Ok(false);
    }
    let only_warns = settings::value(work, settings::MIN_MARGIN_ACTION).await? == "warn";
    if only_warns && is_confirmed {
        return Ok(true);
    }
    let hint = if only_warns { " Send confirm_below_margin to set it all the same." } else { "" };
    match judge(prices, lowest, hint) {
        Ok(()) => Ok(false),
        Err(errors) => Err(refused(errors)),
    }
}

/// Prices of services by hand or by their providers: refuses those that a change brought below the lowest. What was below
/// before and costs no more now stays.
pub async fn check_costs(
    work: &mut Work,
    (before, field): (&LowestPrices, &str),
    services: &[i64],
    is_confirmed: bool,
) -> Result<()> {
    let sql =
        Sql::new("SELECT id, default_price, pricing_per FROM services WHERE NOT is_archived AND id IN ");
    let sold: Vec<(i64, Money, i64)> = work.all(sql.ids(services).push(" ORDER BY id")).await?;
    let now = of_services(work, services).await?;
    let dearer = sold.into_iter().filter(|(id, _, per)| now.of(*id, *per) > before.of(*id, *per));
    let prices: Vec<NewPrice> = dearer
        .map(|(service_id, price, pricing_per)| NewPrice {
            field: field.to_owned(),
            service_id,
            price,
            pricing_per,
        })
        .collect();
    check_against(work, &prices, &now, is_confirmed).await?;
    Ok(())
}

fn refused(errors: FieldErrors) -> ApiError {
    let mut error = ApiError::told(StatusCode::UNPROCESSABLE_ENTITY, CODE, errors.summary());
    if let ApiError::Problem(told) = &mut error {
        told.errors = errors;
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lowest() -> LowestPrices {
        let costs = [(7, vec![(Money(1_000_000), 1_000), (Money(3_000_000), 1_000)])];
        LowestPrices { margin: Fraction(200_000), costs: costs.into_iter().collect() }
    }

    #[test]
    fn the_dearest_provider_and_the_margin_are_the_lowest() {
        assert_eq!(lowest().of(7, 1_000), Money(3_600_000));
        assert_eq!(lowest().of(7, 100), Money(360_000));
        assert_eq!(lowest().of(8, 1_000), Money::ZERO, "no provider asks anything");
        assert_eq!(LowestPrices::default().of(7, 1_000), Money::ZERO);
    }

    #[test]
    fn a_refusal_names_field_and_lowest_price() {
        let new = |price, field: &str| NewPrice {
            field: field.to_owned(),
            service_id: 7,
            price: Money(price),
            pricing_per: 1_000,
        };
        assert!(judge(&[new(3_600_000, "default_price")], &lowest(), "").is_ok());
        let errors = judge(&[new(3_600_000, "a"), new(3_599_999, "b")], &lowest(), " Hint.").unwrap_err();
        let messages: Vec<_> = errors.0.into_iter().collect();
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0].0, "b");
        let said = &messages[0].1[0];
        assert!(said.contains("3.6 is the lowest possible price. Hint."), "{said}");
    }
}
