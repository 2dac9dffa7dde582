//! What packages cost, for sorting and filtering their list: worked out by the rule that the rows are shown by, since its
//! fractions and large products fit in no arithmetic that both databases have. Staff write each package, so they are few.

use panel_kernel::error::Result;

use crate::catalogue::packages::{PACKAGES, Record};
use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::scope::Scope;
use panel_platform::table::ComputedColumns;

/// The external panel that a package comes from.
pub(super) const ORIGIN: &str = "LEFT JOIN (provider_packages y JOIN external_panels e ON e.id = y.external_panel_id) ON y.id = p.provider_package_id";

/// Start of a SELECT of the packages that panels sell.
pub(super) const OF_PANEL: &str = "SELECT id FROM provider_packages WHERE ";

/// What a [`Record`] is read of, with what is in it as `quantity:price:default price:per`, since sums are rounded order by order.
pub(super) const SELECT: &str = "p.id, p.name, p.type AS kind, p.network_id, n.name AS network_name, p.service_type_id, t.name AS service_type_name,
  p.is_enabled, p.is_archived, p.restricted_access, p.sync, p.slug, p.fixed_cost, p.discount_ppm, p.created_at, p.provider_package_id, p.below_margin_confirmed,
  e.id AS provider_id, e.name AS provider_name,
  (SELECT string_agg(CAST(x.quantity AS TEXT) || ':' || CAST(COALESCE(x.price, s.default_price) AS TEXT) || ':' || CAST(s.default_price AS TEXT) || ':'
     || CAST(s.pricing_per AS TEXT), ',') FROM package_contents x JOIN services s ON s.id = x.service_id WHERE x.package_id = p.id) AS parts,
  (SELECT x.value FROM settings x WHERE x.key = 'rounding_precision') AS places";

/// The alias of the costs beside the packages.
pub(super) const COSTS: &str = "k";

/// The costs of all packages.
pub(super) async fn of_all(scope: &Scope) -> Result<ComputedColumns> {
    let mut sql = Sql::new("SELECT ").push(SELECT).push(" FROM packages p");
    for join in PACKAGES.source.joins {
        sql = sql.push(" ").push(join.sql);
    }
    let records: Vec<Record> = (&mut scope.db()).all(sql).await?;
    let rows = records.iter().map(|record| {
        let sums = record.sums(&record.contents());
        let difference = sums.difference().unwrap_or_default();
        vec![
            Val::from(record.id),
            Val::from(sums.default_cost),
            Val::from(sums.total_cost),
            Val::from(difference),
        ]
    });
    Ok(ComputedColumns {
        alias: COSTS,
        on: "k.id = p.id",
        columns: &["id", "default_cost", "total_cost", "difference"],
        rows: rows.collect(),
    })
}
