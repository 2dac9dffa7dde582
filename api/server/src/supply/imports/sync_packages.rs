//! Syncs the packages of an external panel: the provider packages, and our own packages that were created from them. The prices of
//! the services in a package are synced like the prices of all services. This module raises the fixed cost of a package that would
//! be lower than the sum of these prices.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::{ExternalPanelId, PackageId, ProviderPackageId, ServiceId};
use panel_kernel::error::Result;
use serde_json::{Map, Value, json};

use crate::pricing::minimum_margin;
use crate::pricing::quote::ExactAmount;
use crate::records::changes::{self, RecordChange};
use crate::supply::imports::panel_pricing;
use panel_platform::db::{Sql, SqlExecutor as _, Val};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// A package of an external panel: the values of the stored provider package, and the listed values.
#[derive(Debug, sqlx::FromRow)]
struct PanelPackageRow {
    id: ProviderPackageId,
    stored_name: String,
    stored_price: Money,
    listed_name: String,
    /// The price in the currency of the external panel.
    listed_price: Money,
    is_vanished: bool,
}

/// One of our own packages that is synced with a package of an external panel.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
struct SyncedPackage {
    id: PackageId,
    provider_package_id: ProviderPackageId,
    name: String,
    is_enabled: bool,
    fixed_cost: Option<Money>,
    is_vanished: bool,
    /// Whether staff confirmed a fixed cost below the minimum margin. A sync does not raise such a cost.
    below_margin_confirmed: bool,
}

// Rules

/// Returns the package with the changes of the sync. The name changes only if staff did not change it. A package that staff
/// disabled stays disabled.
fn package_after_sync(before: &SyncedPackage, listed: &PanelPackageRow, lowest_cost: Money) -> SyncedPackage {
    let mut after = before.clone();
    if before.name == listed.stored_name {
        after.name.clone_from(&listed.listed_name);
    }
    if !before.below_margin_confirmed {
        after.fixed_cost = before.fixed_cost.map(|cost| cost.max(lowest_cost));
    }
    if listed.is_vanished && before.is_enabled {
        (after.is_enabled, after.is_vanished) = (false, true);
    }
    if !listed.is_vanished && before.is_vanished {
        (after.is_enabled, after.is_vanished) = (true, false);
    }
    after
}

/// Returns the old and new values of the changed fields.
fn changed_fields(before: &SyncedPackage, after: &SyncedPackage) -> (Value, Value) {
    let to_fields = |package: &SyncedPackage| {
        [
            ("name", json!(package.name)),
            ("is_enabled", json!(package.is_enabled)),
            ("fixed_cost", json!(package.fixed_cost)),
        ]
    };
    let (mut old, mut new) = (Map::new(), Map::new());
    for ((field, old_value), (_, new_value)) in to_fields(before).into_iter().zip(to_fields(after)) {
        if old_value != new_value {
            old.insert(field.to_owned(), old_value);
            new.insert(field.to_owned(), new_value);
        }
    }
    (old.into(), new.into())
}

// Store

/// Syncs all packages of an external panel, in a fixed number of statements. The packages of an external panel that runs the same
/// product are synced only if its option `sync_packages` is enabled; other external panels do not have this option.
pub(super) async fn sync_packages(work: &mut UnitOfWork, panel: ExternalPanelId) -> Result<()> {
    let sql = Sql::new(
        "SELECT y.id, c.name AS stored_name, c.price AS stored_price, k.name AS listed_name, k.rate AS listed_price, k.vanished_at IS NOT NULL AS is_vanished
         FROM provider_packages y JOIN provider_package_contents c ON c.provider_package_id = y.id AND c.external_panel_service_id = y.external_panel_package_id
         JOIN external_panel_services k ON k.external_panel_id = y.external_panel_id AND k.external_panel_service_id = y.external_panel_package_id
         JOIN external_panels e ON e.id = y.external_panel_id
         WHERE y.external_panel_id = ? AND (e.sync_packages OR e.type <> 'socpanel') ORDER BY y.id",
    );
    let listed_packages: Vec<PanelPackageRow> = work.fetch_all(sql.bind(panel)).await?;
    if listed_packages.is_empty() {
        return Ok(());
    }
    let ids: Vec<ProviderPackageId> = listed_packages.iter().map(|listed| listed.id).collect();
    let sql = Sql::new(
        "SELECT id, provider_package_id, name, is_enabled, fixed_cost, vanished_at IS NOT NULL AS is_vanished, below_margin_confirmed FROM packages
         WHERE sync AND NOT is_archived AND provider_package_id IN ",
    );
    let packages: Vec<SyncedPackage> =
        work.fetch_all(sql.ids(&ids).push(" ORDER BY id").for_update()).await?;
    let lowest_costs = load_lowest_costs(work, &packages).await?;
    let mut changes = Vec::new();
    for before in &packages {
        let Some(listed) = listed_packages.iter().find(|listed| listed.id == before.provider_package_id)
        else {
            continue;
        };
        let after =
            package_after_sync(before, listed, lowest_costs.get(&before.id).copied().unwrap_or_default());
        if after != *before {
            changes.push((before, after));
        }
    }
    update_packages(work, &changes).await?;
    update_provider_packages(work, panel, &listed_packages).await
}

/// Calculates the lowest fixed cost of each package, which is the sum of the lowest prices of its services. The lowest price of a
/// service is the higher one of its minimum price and the cost plus the minimum margin. A lower fixed cost would be a loss.
async fn load_lowest_costs(
    work: &mut UnitOfWork,
    packages: &[SyncedPackage],
) -> Result<BTreeMap<PackageId, Money>> {
    let ids: Vec<PackageId> = packages.iter().map(|package| package.id).collect();
    let sql = Sql::new(
        "SELECT x.package_id, x.service_id, x.quantity, s.min_price, s.pricing_per FROM package_contents x JOIN services s ON s.id = x.service_id WHERE x.package_id IN ",
    );
    let content_rows: Vec<(PackageId, ServiceId, i64, Money, i64)> = work.fetch_all(sql.ids(&ids)).await?;
    let service_ids: Vec<ServiceId> = content_rows.iter().map(|content_row| content_row.1).collect();
    let prices = minimum_margin::load_lowest_prices(work, &service_ids).await?;
    let decimals = settings::read_rounding_precision(work).await?;
    let mut lowest_costs: BTreeMap<PackageId, ExactAmount> = BTreeMap::new();
    for (package, service, quantity, min_price, per) in content_rows {
        let lowest_price = min_price.max(prices.price(service, per));
        let sum = lowest_costs.entry(package).or_insert_with(|| Money::ZERO.into());
        *sum = sum.plus(&ExactAmount::from_price(lowest_price, quantity, per));
    }
    // An order of a package is charged as one amount, so only the sum is rounded.
    let rounded_costs =
        lowest_costs.into_iter().map(|(package, cost)| Ok((package, cost.rounded_up(decimals)?)));
    rounded_costs.collect()
}

async fn update_packages(work: &mut UnitOfWork, changes: &[(&SyncedPackage, SyncedPackage)]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let now = work.timestamp();
    let renamed_packages = changes.iter().filter(|(before, after)| before.name != after.name);
    let name_rows: Vec<Vec<Val>> =
        renamed_packages.map(|(_, after)| vec![Val::from(after.id), (&*after.name).into()]).collect();
    let to_row = |(_, after): &(&SyncedPackage, SyncedPackage)| -> Vec<Val> {
        vec![
            after.id.into(),
            (&*after.name).into(),
            after.is_enabled.into(),
            after.fixed_cost.into(),
            after.is_vanished.into(),
        ]
    };
    let sql = Sql::new(
        "UPDATE packages SET name = r.name, is_enabled = r.is_enabled, fixed_cost = CASE WHEN packages.fixed_cost IS NULL THEN NULL ELSE r.fixed_cost END,
           vanished_at = CASE WHEN r.is_vanished THEN COALESCE(packages.vanished_at, CAST(? AS BIGINT)) END, updated_at = ? FROM ",
    );
    let columns = ["id", "name", "is_enabled", "fixed_cost", "is_vanished"];
    let sql = sql.bind(work.now).bind(now).rows("r", &columns, changes.iter().map(to_row).collect());
    work.execute(sql.push(" WHERE packages.id = r.id")).await?;
    if !name_rows.is_empty() {
        let sql =
            Sql::new("UPDATE translations SET value = r.name FROM ").rows("r", &["id", "name"], name_rows);
        let where_sql = " WHERE translations.owner_type = 'package' AND translations.owner_id = r.id AND translations.locale = 'en' AND translations.field = 'name'";
        work.execute(sql.push(where_sql)).await?;
    }
    let record_changes = changes.iter().map(|(before, after)| {
        let (old, new) = changed_fields(before, after);
        RecordChange { id: after.id.as_record_id(), name: after.name.clone(), old, new }
    });
    changes::record_all(work, ChangeAction::Updated, ChangeModel::Package, record_changes.collect()).await
}

/// Updates the names and prices of the stored provider packages to the listed values.
async fn update_provider_packages(
    work: &mut UnitOfWork,
    panel: ExternalPanelId,
    listed_packages: &[PanelPackageRow],
) -> Result<()> {
    let pricing = panel_pricing::load_pricing(work, panel).await?;
    let to_changed_row = |listed: &PanelPackageRow| -> Option<Vec<Val>> {
        let price = pricing
            .rates
            .to_own_currency(listed.listed_price, &pricing.currency)
            .unwrap_or(listed.stored_price);
        let has_changed = price != listed.stored_price || listed.listed_name != listed.stored_name;
        has_changed.then(|| {
            vec![listed.id.into(), (&*listed.stored_name).into(), (&*listed.listed_name).into(), price.into()]
        })
    };
    let rows: Vec<Vec<Val>> = listed_packages.iter().filter_map(to_changed_row).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let columns = ["id", "old_name", "name", "price"];
    let sql =
        Sql::new("UPDATE provider_packages SET name = r.name, updated_at = ? FROM ").bind(work.timestamp());
    let sql = sql.rows("r", &columns, rows.clone());
    work.execute(sql.push(" WHERE provider_packages.id = r.id AND provider_packages.name = r.old_name"))
        .await?;
    let sql = Sql::new("UPDATE provider_package_contents SET name = r.name, price = r.price FROM ");
    let where_sql = " WHERE provider_package_contents.provider_package_id = r.id AND provider_package_contents.name = r.old_name";
    work.execute(sql.rows("r", &columns, rows).push(where_sql)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_changes_a_package_except_for_the_fields_that_staff_changed() {
        let listed_package = |name: &str, is_vanished| PanelPackageRow {
            id: ProviderPackageId::new(4),
            stored_name: "Starter".into(),
            stored_price: Money(5_000_000),
            listed_name: name.into(),
            listed_price: Money(5_000_000),
            is_vanished,
        };
        let before = SyncedPackage {
            id: PackageId::new(1),
            provider_package_id: ProviderPackageId::new(4),
            name: "Starter".into(),
            is_enabled: true,
            fixed_cost: Some(Money(6_000_000)),
            is_vanished: false,
            below_margin_confirmed: false,
        };
        let lowest_cost = Money(5_500_000);
        assert_eq!(
            package_after_sync(&before, &listed_package("Starter", false), lowest_cost),
            before,
            "nothing has changed"
        );
        assert_eq!(package_after_sync(&before, &listed_package("Begin", false), lowest_cost).name, "Begin");
        let package_renamed_by_staff = SyncedPackage { name: "Ours".into(), ..before.clone() };
        assert_eq!(
            package_after_sync(&package_renamed_by_staff, &listed_package("Begin", false), lowest_cost).name,
            "Ours"
        );
        let package_with_higher_cost =
            package_after_sync(&before, &listed_package("Starter", false), Money(7_000_000));
        assert_eq!(package_with_higher_cost.fixed_cost, Some(Money(7_000_000)), "never sold at a loss");
        let confirmed_package = SyncedPackage { below_margin_confirmed: true, ..before.clone() };
        let fixed_cost =
            package_after_sync(&confirmed_package, &listed_package("Starter", false), Money(7_000_000))
                .fixed_cost;
        assert_eq!(fixed_cost, confirmed_package.fixed_cost, "staff confirmed the cost");
        let vanished_package = package_after_sync(&before, &listed_package("Starter", true), lowest_cost);
        assert!(!vanished_package.is_enabled && vanished_package.is_vanished);
        assert!(
            package_after_sync(&vanished_package, &listed_package("Starter", false), lowest_cost).is_enabled
        );
        let disabled_package = SyncedPackage { is_enabled: false, ..before };
        assert!(
            !package_after_sync(&disabled_package, &listed_package("Starter", false), lowest_cost).is_enabled,
            "staff disabled the package"
        );
        let (old, new) = changed_fields(
            &disabled_package,
            &SyncedPackage { name: "Begin".into(), ..disabled_package.clone() },
        );
        assert_eq!((old, new), (json!({ "name": "Starter" }), json!({ "name": "Begin" })));
    }
}
