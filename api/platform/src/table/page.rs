//! Reads a page of a list, or only ids.

use panel_contract::ids::RecordId;
use panel_contract::table::{IdsPage, Page};
use panel_kernel::error::Result;

use crate::db::{Row, Source as _, Sql};
use crate::scope::Scope;
use crate::table::order::Order;
use crate::table::plan::Plan;
use crate::table::rows::{ListRow, rows};
use crate::table::{fetch, size};

/// Reads the page of `plan`; `draw` is the caller's number of the query, which the answer repeats.
pub async fn page<R: Row, O>(
    scope: &Scope,
    plan: &Plan,
    draw: i64,
    to_row: fn(R, &Scope) -> O,
) -> Result<Page<O>> {
    if let Some(page) = by_single_statement(scope, plan, draw, to_row).await? {
        return Ok(page);
    }
    scope.require_fresh_session()?;
    let page_ids = fetch::find_page(&mut scope.db(), plan).await?;
    Ok(Page {
        draw,
        records_total: page_ids.total,
        records_filtered: page_ids.filtered,
        records_filtered_is_at_least: page_ids.at_least,
        data: rows(scope, plan.place.table, &page_ids.ids, to_row).await?,
    })
}

/// The ids of the rows that `plan` finds, newest first; only ids below `after` where it is set.
pub async fn ids_page(scope: &Scope, mut plan: Plan, after: Option<RecordId>) -> Result<IdsPage> {
    plan.order = Order { keys: Vec::new(), descending: true };
    (plan.start, plan.below) = (0, after.map(RecordId::get));
    let page_ids = fetch::find_page(&mut scope.db(), &plan).await?;
    Ok(IdsPage { ids: page_ids.ids, total: page_ids.filtered })
}

/// Reads totals, ids and rows by one statement, where the totals are materialized and the page is near the start or found by rank.
async fn by_single_statement<R: Row, O>(
    scope: &Scope,
    plan: &Plan,
    draw: i64,
    to_row: fn(R, &Scope) -> O,
) -> Result<Option<Page<O>>> {
    let table = plan.place.table;
    let Some(step) = fetch::page_step(&mut scope.db(), plan).await? else { return Ok(None) };
    let (total, filtered) = size::sums(plan);
    let mut sql = Sql::new("WITH page AS MATERIALIZED (").append(step).push(") SELECT ").append(total);
    sql = sql.push(" AS list_total, ");
    sql = match filtered {
        Some(filtered) => sql.append(filtered),
        None => sql.push("CAST(-1 AS BIGINT)"),
    };
    sql = sql.push(" AS list_filtered, (SELECT n FROM access_version) AS list_access, ");
    sql = sql.push(table.source.key).push(" AS list_key, ").push(table.source.select);
    // SQLite joins the tables of a CROSS JOIN in the written order: the page first.
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
    let sql = plan.order.order_by(sql, table).named("now", plan.place.now);
    let records: Vec<ListRow<R>> = (&mut scope.db()).all(sql).await?;
    let Some(first) = records.first() else { return Ok(None) };
    if scope.as_of().is_some_and(|version| version != first.list_access) {
        scope.require_fresh_session()?;
    }
    let total = first.list_total;
    let filtered = if first.list_filtered < 0 { total } else { first.list_filtered };
    Ok(Some(Page {
        draw,
        records_total: total,
        records_filtered: filtered,
        records_filtered_is_at_least: false,
        data: records.into_iter().map(|record| to_row(record.record, scope)).collect(),
    }))
}
