//! The running discount of a service: the largest of all discounts that apply now. Discounts are never combined.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::Fraction;
use panel_contract::ids::{DiscountId, ServiceId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;

use panel_platform::db::{Source, Sql};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveDiscount {
    pub id: DiscountId,
    pub name: String,
    /// Fraction of the price that the discount takes off.
    pub fraction: Fraction,
    /// Whether it is limited to some countries.
    pub has_countries: bool,
}

// Rules

/// Whether the first of two discounts applies instead of the second: the larger one, or the older of two equal ones.
pub(crate) fn is_stronger(first: (Fraction, DiscountId), second: (Fraction, DiscountId)) -> bool {
    (first.0.0, Reverse(first.1)) > (second.0.0, Reverse(second.1))
}

/// Whether both discounts can apply to customers of the same country. An empty set means all countries.
pub(crate) fn share_a_country(first: &BTreeSet<String>, second: &BTreeSet<String>) -> bool {
    first.is_empty() || second.is_empty() || first.intersection(second).next().is_some()
}

/// The discount that applies to a customer from `country`. If the country is unknown, only discounts for all countries apply.
fn strongest(all: Vec<(ActiveDiscount, BTreeSet<String>)>, country: Option<&str>) -> Option<ActiveDiscount> {
    all.into_iter()
        .filter(|(_, countries)| {
            countries.is_empty() || country.is_some_and(|country| countries.contains(country))
        })
        .map(|(running, _)| running)
        .reduce(|best, next| match is_stronger((next.fraction, next.id), (best.fraction, best.id)) {
            true => next,
            false => best,
        })
}

// Store

/// The discount on a service at `now`, for a customer from `country`.
pub async fn load_for_service(
    db: &mut impl Source,
    service: ServiceId,
    now: Time,
    country: Option<&str>,
) -> Result<Option<ActiveDiscount>> {
    Ok(load_for_services(db, &[service], now, country).await?.remove(&service))
}

/// Like [`load_for_service`], for many services, in one statement.
pub async fn load_for_services(
    db: &mut impl Source,
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
    let mut all: BTreeMap<ServiceId, Vec<(ActiveDiscount, BTreeSet<String>)>> = BTreeMap::new();
    for (service, id, name, fraction, countries) in rows {
        let countries: BTreeSet<String> = serde_json::from_str(&countries).unwrap_or_default();
        let running = ActiveDiscount { id, name, fraction, has_countries: !countries.is_empty() };
        all.entry(service).or_default().push((running, countries));
    }
    Ok(all.into_iter().filter_map(|(service, all)| Some((service, strongest(all, country)?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(id: i64, ppm: i64, countries: &[&str]) -> (ActiveDiscount, BTreeSet<String>) {
        let countries: BTreeSet<String> = countries.iter().map(|code| (*code).to_owned()).collect();
        let has_countries = !countries.is_empty();
        let (id, name) = (DiscountId::new(id), format!("Sale {id}"));
        (ActiveDiscount { id, name, fraction: Fraction(ppm), has_countries }, countries)
    }

    #[test]
    fn only_the_largest_discount_applies() {
        let all =
            || vec![running(1, 100_000, &[]), running(2, 300_000, &["DE", "AT"]), running(3, 100_000, &[])];
        let applied_id = |country| strongest(all(), country).map(|running| running.id.get());
        assert_eq!(applied_id(Some("AT")), Some(2));
        assert_eq!(applied_id(Some("FR")), Some(1), "the older of two equal discounts applies");
        assert_eq!(applied_id(None), Some(1));
        assert_eq!(strongest(vec![running(2, 300_000, &["DE"])], None), None);
    }
}
