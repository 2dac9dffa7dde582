//! What packages cost, for sorting and filtering their list: worked out by the rule that the rows are shown by, since its
//! fractions and large products fit in no arithmetic that both databases have. Staff write each package, so they are few.

use crate::catalogue::packages::{PACKAGES, Record, SELECT};
use crate::db::{Source as _, Sql, Val};
use crate::http::Ctx;
use crate::http::error::Result;
use crate::table::WorkedOut;

/// The alias of the costs beside the packages.
pub(super) const COSTS: &str = "k";

/// The costs of all packages.
pub(super) async fn of_all(ctx: &Ctx) -> Result<WorkedOut> {
    let mut sql = Sql::new("SELECT ").push(SELECT).push(" FROM packages p");
    for join in PACKAGES.joins {
        sql = sql.push(" ").push(join.sql);
    }
    let records: Vec<Record> = (&mut ctx.db()).all(sql).await?;
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
    Ok(WorkedOut {
        alias: COSTS,
        on: "k.id = p.id",
        columns: &["id", "default_cost", "total_cost", "difference"],
        rows: rows.collect(),
    })
}
