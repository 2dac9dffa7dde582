//! Calculates the costs of all packages, so that staff can sort and filter the list by cost. The calculation is in Rust, by the
//! rules of `cost`, because its fractions and large products exceed the number types of both databases. It reads all packages for
//! each list, which is fast enough because staff create packages by hand.

use panel_kernel::error::Result;

use crate::catalogue::packages::{PACKAGES, PackageRecord};
use panel_platform::db::{Sql, SqlExecutor as _, Val};
use panel_platform::scope::Scope;
use panel_platform::table::ComputedColumns;

/// Joins the external panel that a package was created from.
pub(super) const ORIGIN_PANEL_JOIN: &str = "LEFT JOIN (provider_packages y JOIN external_panels e ON e.id = y.external_panel_id) ON y.id = p.provider_package_id";

/// Selects packages of external panels; the caller appends a condition.
pub(super) const SELECT_PROVIDER_PACKAGES: &str = "SELECT id FROM provider_packages WHERE ";

/// The columns of a [`PackageRecord`]. `contents_list` holds the contents as `quantity:price:default_price:pricing_per`,
/// separated by commas. It is no sum, because the cost of each content is rounded before the costs are added.
pub(super) const PACKAGE_SELECT_LIST: &str = "p.id, p.name, p.type AS kind, p.network_id, n.name AS network_name, p.service_type_id, t.name AS service_type_name,
  p.is_enabled, p.is_archived, p.restricted_access, p.sync, p.slug, p.fixed_cost, p.discount_ppm, p.created_at, p.provider_package_id, p.below_margin_confirmed,
  e.id AS provider_id, e.name AS provider_name,
  (SELECT string_agg(CAST(x.quantity AS TEXT) || ':' || CAST(COALESCE(x.price, s.default_price) AS TEXT) || ':' || CAST(s.default_price AS TEXT) || ':'
     || CAST(s.pricing_per AS TEXT), ',') FROM package_contents x JOIN services s ON s.id = x.service_id WHERE x.package_id = p.id) AS contents_list,
  (SELECT x.value FROM settings x WHERE x.key = 'rounding_precision') AS decimals";

/// SQL alias of the computed costs.
pub(super) const COSTS_ALIAS: &str = "k";

pub(super) async fn load_all_costs(scope: &Scope) -> Result<ComputedColumns> {
    let mut sql = Sql::new("SELECT ").push(PACKAGE_SELECT_LIST).push(" FROM packages p");
    for join in PACKAGES.source.joins {
        sql = sql.push(" ").push(join.sql);
    }
    let records: Vec<PackageRecord> = (&mut scope.db()).fetch_all(sql).await?;
    let rows = records.iter().map(|record| {
        let costs = record.costs(&record.contents());
        let difference = costs.difference().unwrap_or_default();
        vec![
            Val::from(record.id),
            Val::from(costs.default_cost),
            Val::from(costs.total_cost),
            Val::from(difference),
        ]
    });
    Ok(ComputedColumns {
        alias: COSTS_ALIAS,
        on: "k.id = p.id",
        columns: &["id", "default_cost", "total_cost", "difference"],
        rows: rows.collect(),
    })
}
