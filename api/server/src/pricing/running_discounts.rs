//! The discount that lowers a service's price now: of all that run, the one that takes off most; never two.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::Fraction;
use panel_contract::ids::{DiscountId, ServiceId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;

use panel_platform::db::{Source, Sql};

/// A discount that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// The discount.
    pub id: DiscountId,
    /// Its name.
    pub name: String,
    /// What it takes off.
    pub percent: Fraction,
    /// Only for some countries.
    pub has_countries: bool,
}

// Rules

/// Whether the first of two counts: the larger share does, of equal ones that of the older discount.
pub(crate) fn is_stronger(one: (Fraction, DiscountId), other: (Fraction, DiscountId)) -> bool {
    (one.0.0, Reverse(one.1)) > (other.0.0, Reverse(other.1))
}

/// Whether customers of one country can have both; no countries are all of them.
pub(crate) fn share_a_country(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    one.is_empty() || other.is_empty() || one.intersection(other).next().is_some()
}

/// Of those that run, the one that counts for a customer from `country`; who is from nowhere known has only what is for
/// everybody.
fn strongest(all: Vec<(Running, BTreeSet<String>)>, country: Option<&str>) -> Option<Running> {
    all.into_iter()
        .filter(|(_, countries)| {
            countries.is_empty() || country.is_some_and(|country| countries.contains(country))
        })
        .map(|(running, _)| running)
        .reduce(|best, next| match is_stronger((next.percent, next.id), (best.percent, best.id)) {
            true => next,
            false => best,
        })
}

// Store

/// The discount on a service at `now`, for a customer from `country`.
pub async fn of_service(
    db: &mut impl Source,
    service: ServiceId,
    now: Time,
    country: Option<&str>,
) -> Result<Option<Running>> {
    Ok(of_services(db, &[service], now, country).await?.remove(&service))
}

/// The same for many services, by id, in one statement.
pub async fn of_services(
    db: &mut impl Source,
    services: &[ServiceId],
    now: Time,
    country: Option<&str>,
) -> Result<BTreeMap<ServiceId, Running>> {
    let sql = Sql::new(
        "SELECT x.service_id, d.id, d.name, x.percent_ppm, d.countries FROM discount_services x JOIN discounts d ON d.id = x.discount_id
         WHERE NOT d.is_archived AND d.completed_at IS NULL AND d.valid_from <= ? AND (d.valid_to IS NULL OR d.valid_to > ?) AND x.service_id IN ",
    );
    let rows: Vec<(ServiceId, DiscountId, String, Fraction, String)> =
        db.all(sql.bind(now).bind(now).ids(services)).await?;
    let mut all: BTreeMap<ServiceId, Vec<(Running, BTreeSet<String>)>> = BTreeMap::new();
    for (service, id, name, percent, countries) in rows {
        let countries: BTreeSet<String> = serde_json::from_str(&countries).unwrap_or_default();
        let running = Running { id, name, percent, has_countries: !countries.is_empty() };
        all.entry(service).or_default().push((running, countries));
    }
    Ok(all.into_iter().filter_map(|(service, all)| Some((service, strongest(all, country)?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(id: i64, ppm: i64, countries: &[&str]) -> (Running, BTreeSet<String>) {
        let countries: BTreeSet<String> = countries.iter().map(|code| (*code).to_owned()).collect();
        let has_countries = !countries.is_empty();
        let (id, name) = (DiscountId::new(id), format!("Sale {id}"));
        (Running { id, name, percent: Fraction(ppm), has_countries }, countries)
    }

    #[test]
    fn the_largest_share_counts_and_never_two() {
        let all =
            || vec![running(1, 100_000, &[]), running(2, 300_000, &["DE", "AT"]), running(3, 100_000, &[])];
        let of = |country| strongest(all(), country).map(|running| running.id.get());
        assert_eq!(of(Some("AT")), Some(2));
        assert_eq!(of(Some("FR")), Some(1), "of equal ones the older");
        assert_eq!(of(None), Some(1));
        assert_eq!(strongest(vec![running(2, 300_000, &["DE"])], None), None);
    }
}
