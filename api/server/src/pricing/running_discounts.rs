//! Loads the running discount of a service: the largest of all discounts that apply at the given time. Discounts are never
//! combined.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::Fraction;
use panel_contract::ids::{DiscountId, ServiceId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;

use panel_platform::db::{Sql, SqlExecutor};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveDiscount {
    pub id: DiscountId,
    pub name: String,
    /// Fraction of the price that the discount takes off.
    pub fraction: Fraction,
    /// Whether the discount applies only to customers from some countries.
    pub is_country_restricted: bool,
}

// Rules

/// Whether the first of two discounts applies instead of the second, because it is larger, or equal and older.
pub(crate) fn takes_precedence(first: (Fraction, DiscountId), second: (Fraction, DiscountId)) -> bool {
    (first.0.0, Reverse(first.1)) > (second.0.0, Reverse(second.1))
}

/// Whether both discounts can apply to customers of the same country. An empty set means all countries.
pub(crate) fn have_common_country(first: &BTreeSet<String>, second: &BTreeSet<String>) -> bool {
    first.is_empty() || second.is_empty() || first.intersection(second).next().is_some()
}

/// The discount that applies to a customer from `country`. If the country is unknown, only discounts for all countries apply.
fn applicable_discount(
    discounts: Vec<(ActiveDiscount, BTreeSet<String>)>,
    country: Option<&str>,
) -> Option<ActiveDiscount> {
    discounts
        .into_iter()
        .filter(|(_, countries)| {
            countries.is_empty() || country.is_some_and(|country| countries.contains(country))
        })
        .map(|(discount, _)| discount)
        .reduce(|best, next| match takes_precedence((next.fraction, next.id), (best.fraction, best.id)) {
            true => next,
            false => best,
        })
}

// Store

/// Loads the discount that applies to a service at `now` for a customer from `country`.
pub async fn load_for_service(
    db: &mut impl SqlExecutor,
    service: ServiceId,
    now: Time,
    country: Option<&str>,
) -> Result<Option<ActiveDiscount>> {
    Ok(load_for_services(db, &[service], now, country).await?.remove(&service))
}

/// Like [`load_for_service`], for many services in one statement.
pub async fn load_for_services(
    db: &mut impl SqlExecutor,
    services: &[ServiceId],
    now: Time,
    country: Option<&str>,
) -> Result<BTreeMap<ServiceId, ActiveDiscount>> {
    let sql = Sql::new(
        "SELECT x.service_id, d.id, d.name, x.discount_ppm, d.countries FROM discount_services x JOIN discounts d ON d.id = x.discount_id
         WHERE NOT d.is_archived AND d.completed_at IS NULL AND d.valid_from <= ? AND (d.valid_to IS NULL OR d.valid_to > ?) AND x.service_id IN ",
    );
    let rows: Vec<(ServiceId, DiscountId, String, Fraction, String)> =
        db.fetch_all(sql.bind(now).bind(now).ids(services)).await?;
    let mut by_service: BTreeMap<ServiceId, Vec<(ActiveDiscount, BTreeSet<String>)>> = BTreeMap::new();
    for (service, id, name, fraction, countries) in rows {
        let countries: BTreeSet<String> = serde_json::from_str(&countries).unwrap_or_default();
        let discount = ActiveDiscount { id, name, fraction, is_country_restricted: !countries.is_empty() };
        by_service.entry(service).or_default().push((discount, countries));
    }
    let applicable = by_service
        .into_iter()
        .filter_map(|(service, discounts)| Some((service, applicable_discount(discounts, country)?)));
    Ok(applicable.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discount_for_countries(id: i64, ppm: i64, countries: &[&str]) -> (ActiveDiscount, BTreeSet<String>) {
        let countries: BTreeSet<String> = countries.iter().map(|code| (*code).to_owned()).collect();
        let is_country_restricted = !countries.is_empty();
        let (id, name) = (DiscountId::new(id), format!("Sale {id}"));
        (ActiveDiscount { id, name, fraction: Fraction(ppm), is_country_restricted }, countries)
    }

    #[test]
    fn only_the_largest_discount_applies() {
        let discounts = || {
            let european = discount_for_countries(2, 300_000, &["DE", "AT"]);
            vec![discount_for_countries(1, 100_000, &[]), european, discount_for_countries(3, 100_000, &[])]
        };
        let applied_id =
            |country| applicable_discount(discounts(), country).map(|discount| discount.id.get());
        assert_eq!(applied_id(Some("AT")), Some(2));
        assert_eq!(applied_id(Some("FR")), Some(1), "the older of two equal discounts must apply");
        assert_eq!(applied_id(None), Some(1));
        assert_eq!(applicable_discount(vec![discount_for_countries(2, 300_000, &["DE"])], None), None);
    }
}
