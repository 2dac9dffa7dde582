//! Following the packages of a panel: what is known of them, and the packages of ours that were made of them. Prices of
//! their services follow as all services do; here a fixed cost is kept from falling below them.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::{ExternalPanelId, PackageId, ProviderPackageId, ServiceId};
use panel_kernel::error::Result;
use serde_json::{Map, Value, json};

use crate::pricing::least_margin;
use crate::pricing::quote::Exact;
use crate::records::changes::{self, RecordChange};
use crate::supply::imports::stored_catalogue;
use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// A package of the panel, as it is known and as the panel says it now.
#[derive(Debug, sqlx::FromRow)]
struct OriginRow {
    id: ProviderPackageId,
    known_name: String,
    known_price: Money,
    name: String,
    rate: Money,
    is_gone: bool,
}

/// A package of ours that follows one.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
struct Follower {
    id: PackageId,
    provider_package_id: ProviderPackageId,
    name: String,
    is_enabled: bool,
    fixed_cost: Option<Money>,
    is_vanished: bool,
    /// Staff confirmed that it costs less than the least margin allows.
    below_margin_confirmed: bool,
}

// Rules

/// What a follower becomes. A name follows where it was the panel's; one that staff took off sale stays off.
fn next(before: &Follower, origin: &OriginRow, least: Money) -> Follower {
    let mut after = before.clone();
    if before.name == origin.known_name {
        after.name.clone_from(&origin.name);
    }
    if !before.below_margin_confirmed {
        after.fixed_cost = before.fixed_cost.map(|cost| cost.max(least));
    }
    if origin.is_gone && before.is_enabled {
        (after.is_enabled, after.is_vanished) = (false, true);
    }
    if !origin.is_gone && before.is_vanished {
        (after.is_enabled, after.is_vanished) = (true, false);
    }
    after
}

/// The fields that differ, before and after.
fn changed_fields(before: &Follower, after: &Follower) -> (Value, Value) {
    let fields = |of: &Follower| {
        [("name", json!(of.name)), ("is_enabled", json!(of.is_enabled)), ("fixed_cost", json!(of.fixed_cost))]
    };
    let (mut old, mut new) = (Map::new(), Map::new());
    for ((field, was), (_, is)) in fields(before).into_iter().zip(fields(after)) {
        if was != is {
            old.insert(field.to_owned(), was);
            new.insert(field.to_owned(), is);
        }
    }
    (old.into(), new.into())
}

// Store

/// Follows all packages of a panel, in a fixed number of statements. A panel of this product is followed where its switch
/// `sync_packages` is on; others have no such switch.
pub(super) async fn follow(work: &mut UnitOfWork, panel: ExternalPanelId) -> Result<()> {
    let sql = Sql::new(
        "SELECT y.id, c.name AS known_name, c.price AS known_price, k.name, k.rate, k.gone_at IS NOT NULL AS is_gone
         FROM provider_packages y JOIN provider_package_contents c ON c.provider_package_id = y.id AND c.external_panel_service_id = y.external_panel_package_id
         JOIN external_panel_services k ON k.external_panel_id = y.external_panel_id AND k.external_panel_service_id = y.external_panel_package_id
         JOIN external_panels e ON e.id = y.external_panel_id
         WHERE y.external_panel_id = ? AND (e.sync_packages OR e.type <> 'socpanel') ORDER BY y.id",
    );
    let origins: Vec<OriginRow> = work.all(sql.bind(panel)).await?;
    if origins.is_empty() {
        return Ok(());
    }
    let ids: Vec<ProviderPackageId> = origins.iter().map(|origin| origin.id).collect();
    let sql = Sql::new(
        "SELECT id, provider_package_id, name, is_enabled, fixed_cost, vanished_at IS NOT NULL AS is_vanished, below_margin_confirmed FROM packages
         WHERE sync AND NOT is_archived AND provider_package_id IN ",
    );
    let followers: Vec<Follower> = work.all(sql.ids(&ids).push(" ORDER BY id").for_update()).await?;
    let least = least_costs(work, &followers).await?;
    let mut changes = Vec::new();
    for before in &followers {
        let Some(origin) = origins.iter().find(|origin| origin.id == before.provider_package_id) else {
            continue;
        };
        let after = next(before, origin, least.get(&before.id).copied().unwrap_or_default());
        if after != *before {
            changes.push((before, after));
        }
    }
    write(work, &changes).await?;
    write_known(work, panel, &origins).await
}

/// What the services of packages cost at their lowest prices, those that staff keep and those that the least margin allows:
/// below it a fixed cost would be a loss.
async fn least_costs(work: &mut UnitOfWork, followers: &[Follower]) -> Result<BTreeMap<PackageId, Money>> {
    let ids: Vec<PackageId> = followers.iter().map(|follower| follower.id).collect();
    let sql = Sql::new(
        "SELECT x.package_id, x.service_id, x.quantity, s.min_price, s.pricing_per FROM package_contents x JOIN services s ON s.id = x.service_id WHERE x.package_id IN ",
    );
    let parts: Vec<(PackageId, ServiceId, i64, Money, i64)> = work.all(sql.ids(&ids)).await?;
    let services: Vec<ServiceId> = parts.iter().map(|part| part.1).collect();
    let prices = least_margin::of_services(work, &services).await?;
    let places = settings::rounding_precision(work).await?;
    let mut least: BTreeMap<PackageId, Exact> = BTreeMap::new();
    for (package, service, quantity, floor, per) in parts {
        let floor = floor.max(prices.of(service, per));
        let sum = least.entry(package).or_insert_with(|| Money::ZERO.into());
        *sum = sum.plus(&Exact::cost(floor, quantity, per));
    }
    // A package is one charge, rounded once.
    let rounded = least.into_iter().map(|(package, cost)| Ok((package, cost.rounded_up(places)?)));
    rounded.collect()
}

async fn write(work: &mut UnitOfWork, changes: &[(&Follower, Follower)]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let now = work.stamp();
    let names = changes.iter().filter(|(before, after)| before.name != after.name);
    let names: Vec<Vec<Val>> =
        names.map(|(_, after)| vec![Val::from(after.id), (&*after.name).into()]).collect();
    let row = |(_, after): &(&Follower, Follower)| -> Vec<Val> {
        let vanished = after.is_vanished;
        vec![
            after.id.into(),
            (&*after.name).into(),
            after.is_enabled.into(),
            after.fixed_cost.into(),
            vanished.into(),
        ]
    };
    let sql = Sql::new(
        "UPDATE packages SET name = r.name, is_enabled = r.enabled, fixed_cost = CASE WHEN packages.fixed_cost IS NULL THEN NULL ELSE r.cost END,
           vanished_at = CASE WHEN r.vanished THEN COALESCE(packages.vanished_at, CAST(? AS BIGINT)) END, updated_at = ? FROM ",
    );
    let columns = ["id", "name", "enabled", "cost", "vanished"];
    let sql = sql.bind(work.now).bind(now).rows("r", &columns, changes.iter().map(row).collect());
    work.exec(sql.push(" WHERE packages.id = r.id")).await?;
    if !names.is_empty() {
        let sql = Sql::new("UPDATE translations SET value = r.name FROM ").rows("r", &["id", "name"], names);
        let end = " WHERE translations.owner_type = 'package' AND translations.owner_id = r.id AND translations.locale = 'en' AND translations.field = 'name'";
        work.exec(sql.push(end)).await?;
    }
    let record_changes = changes.iter().map(|(before, after)| {
        let (old, new) = changed_fields(before, after);
        RecordChange { id: after.id.record(), name: after.name.clone(), old, new }
    });
    changes::record_all(work, ChangeAction::Updated, ChangeModel::Package, record_changes.collect()).await
}

/// What is known of the panel's packages: their names and prices as the panel says them now.
async fn write_known(work: &mut UnitOfWork, panel: ExternalPanelId, origins: &[OriginRow]) -> Result<()> {
    let terms = stored_catalogue::load_pricing(work, panel).await?;
    let row = |origin: &OriginRow| -> Option<Vec<Val>> {
        let price = terms.rates.to_own(origin.rate, &terms.currency).unwrap_or(origin.known_price);
        let differs = price != origin.known_price || origin.name != origin.known_name;
        differs.then(|| {
            vec![origin.id.into(), (&*origin.known_name).into(), (&*origin.name).into(), price.into()]
        })
    };
    let rows: Vec<Vec<Val>> = origins.iter().filter_map(row).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let columns = ["id", "known", "name", "price"];
    let sql = Sql::new("UPDATE provider_packages SET name = r.name, updated_at = ? FROM ").bind(work.stamp());
    let sql = sql.rows("r", &columns, rows.clone());
    work.exec(sql.push(" WHERE provider_packages.id = r.id AND provider_packages.name = r.known")).await?;
    let sql = Sql::new("UPDATE provider_package_contents SET name = r.name, price = r.price FROM ");
    let end = " WHERE provider_package_contents.provider_package_id = r.id AND provider_package_contents.name = r.known";
    work.exec(sql.rows("r", &columns, rows).push(end)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_follows_its_panel_and_staff_keep_their_own() {
        let origin = |name: &str, is_gone| OriginRow {
            id: ProviderPackageId::new(4),
            known_name: "Starter".into(),
            known_price: Money(5_000_000),
            name: name.into(),
            rate: Money(5_000_000),
            is_gone,
        };
        let before = Follower {
            id: PackageId::new(1),
            provider_package_id: ProviderPackageId::new(4),
            name: "Starter".into(),
            is_enabled: true,
            fixed_cost: Some(Money(6_000_000)),
            is_vanished: false,
            below_margin_confirmed: false,
        };
        let least = Money(5_500_000);
        assert_eq!(next(&before, &origin("Starter", false), least), before, "nothing changed");
        assert_eq!(next(&before, &origin("Begin", false), least).name, "Begin");
        let own = Follower { name: "Ours".into(), ..before.clone() };
        assert_eq!(next(&own, &origin("Begin", false), least).name, "Ours");
        let dear = next(&before, &origin("Starter", false), Money(7_000_000));
        assert_eq!(dear.fixed_cost, Some(Money(7_000_000)), "never at a loss");
        let confirmed = Follower { below_margin_confirmed: true, ..before.clone() };
        let kept = next(&confirmed, &origin("Starter", false), Money(7_000_000)).fixed_cost;
        assert_eq!(kept, confirmed.fixed_cost, "staff confirmed it");
        let gone = next(&before, &origin("Starter", true), least);
        assert!(!gone.is_enabled && gone.is_vanished);
        assert!(next(&gone, &origin("Starter", false), least).is_enabled);
        let off = Follower { is_enabled: false, ..before };
        assert!(!next(&off, &origin("Starter", false), least).is_enabled, "staff's own");
        let (old, new) = changed_fields(&off, &Follower { name: "Begin".into(), ..off.clone() });
        assert_eq!((old, new), (json!({ "name": "Starter" }), json!({ "name": "Begin" })));
    }
}
