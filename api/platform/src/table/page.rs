//! Reads a page of a list, or only ids.

use panel_contract::ids::RecordId;
use panel_contract::table::{IdsPage, Page};
use panel_kernel::error::Result;

use crate::db::{Row, Source as _, Sql};
use crate::scope::Scope;
use crate::table::order::Order;
use crate::table::plan::Plan;
use crate::table::rows::{Keyed, rows};
use crate::table::{fetch, size};

/// The page that `plan` asks for; `draw` is the number that the caller gave it.
pub async fn page<R: Row, O>(
    scope: &Scope,
    plan: &Plan,
    draw: i64,
    shown: fn(R, &Scope) -> O,
) -> Result<Page<O>> {
    if let Some(page) = at_once(scope, plan, draw, shown).await? {
        return Ok(page);
    }
    scope.sure()?;
    let found = fetch::find(&mut scope.db(), plan).await?;
    Ok(Page {
        draw,
        records_total: found.total,
        records_filtered: found.filtered,
        records_filtered_is_at_least: found.at_least,
        data: rows(scope, plan.place.table, &found.ids, shown).await?,
    })
}

/// The ids of the rows that `plan` finds, the newest first, those below `after` where it is given.
pub async fn ids_page(scope: &Scope, mut plan: Plan, after: Option<RecordId>) -> Result<IdsPage> {
    plan.order = Order { keys: Vec::new(), descending: true };
    (plan.start, plan.below) = (0, after.map(RecordId::get));
    let found = fetch::find(&mut scope.db(), &plan).await?;
    Ok(IdsPage { ids: found.ids, total: found.filtered })
}

/// Totals, ids and rows in one statement, where the totals are kept and the page is near or ranked.
async fn at_once<R: Row, O>(
    scope: &Scope,
    plan: &Plan,
    draw: i64,
    shown: fn(R, &Scope) -> O,
) -> Result<Option<Page<O>>> {
    let table = plan.place.table;
    let Some(step) = fetch::step(&mut scope.db(), plan).await? else { return Ok(None) };
    let (total, filtered) = size::sums(plan);
    let mut sql = Sql::new("WITH page AS MATERIALIZED (").append(step).push(") SELECT ").append(total);
    sql = sql.push(" AS list_total, ");
    sql = match filtered {
        Some(filtered) => sql.append(filtered),
        None => sql.push("CAST(-1 AS BIGINT)"),
    };
    sql = sql.push(" AS list_filtered, (SELECT n FROM access_version) AS list_access, ");
    sql = sql.push(table.source.key).push(" AS list_key, ").push(table.source.select);
    // SQLite takes the tables of a CROSS JOIN in their order: the page first.
    sql = sql
        .push(" FROM page")
        .either(" CROSS JOIN ", " JOIN ")
        .push(table.source.base)
        .push(" ")
        .push(table.source.alias);
    sql = sql.push(" ON ").push(table.source.key).push(" = page.id");
    for join in table.source.joins {
        sql = sql.push(" ").push(join.sql);
    }
    let sql = plan.order.here(sql, table).named("now", plan.place.now);
    let records: Vec<Keyed<R>> = (&mut scope.db()).all(sql).await?;
    let Some(first) = records.first() else { return Ok(None) };
    if scope.as_of().is_some_and(|version| version != first.list_access) {
        scope.sure()?;
    }
    let total = first.list_total;
    let filtered = if first.list_filtered < 0 { total } else { first.list_filtered };
    Ok(Some(Page {
        draw,
        records_total: total,
        records_filtered: filtered,
        records_filtered_is_at_least: false,
        data: records.into_iter().map(|record| shown(record.record, scope)).collect(),
    }))
}
