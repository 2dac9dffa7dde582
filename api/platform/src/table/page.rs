//! Reads a page of a list: its rows, or only their ids.

use panel_contract::ids::RecordId;
use panel_contract::table::{IdsPage, Page};
use panel_kernel::error::Result;

use crate::db::{DbRow, Sql, SqlExecutor as _};
use crate::scope::Scope;
use crate::table::order::Order;
use crate::table::plan::Plan;
use crate::table::rows::{ListRow, load_rows};
use crate::table::{fetch, size};

/// Reads the page of `plan`; `draw` is the caller's number of the query, which the response repeats.
pub async fn read_page<R: DbRow, O>(
    scope: &Scope,
    plan: &Plan,
    draw: i64,
    to_row: fn(R, &Scope) -> O,
) -> Result<Page<O>> {
    if let Some(page) = read_by_single_statement(scope, plan, draw, to_row).await? {
        return Ok(page);
    }
    scope.require_fresh_session()?;
    let page_ids = fetch::find_page(&mut scope.db(), plan).await?;
    Ok(Page {
        draw,
        records_total: page_ids.total,
        records_filtered: page_ids.filtered,
        records_filtered_is_at_least: page_ids.filtered_is_at_least,
        data: load_rows(scope, plan.context.table, &page_ids.ids, to_row).await?,
    })
}

/// Reads the ids of the rows that match `plan`, newest first; with `after`, only ids below it.
pub async fn read_ids_page(scope: &Scope, mut plan: Plan, after: Option<RecordId>) -> Result<IdsPage> {
    plan.order = Order { keys: Vec::new(), descending: true };
    (plan.start, plan.below_id) = (0, after.map(RecordId::get));
    let page_ids = fetch::find_page(&mut scope.db(), &plan).await?;
    Ok(IdsPage { ids: page_ids.ids, total: page_ids.filtered })
}

/// Reads totals, ids and rows by one statement, if the totals are materialized and the page is near the start or can be found by
/// its rank. Returns `None` otherwise, and for an empty page.
async fn read_by_single_statement<R: DbRow, O>(
    scope: &Scope,
    plan: &Plan,
    draw: i64,
    to_row: fn(R, &Scope) -> O,
) -> Result<Option<Page<O>>> {
    let table = plan.context.table;
    let Some(page_ids) = fetch::select_page_ids(&mut scope.db(), plan).await? else { return Ok(None) };
    let (total, filtered) = size::count_exprs(plan);
    let mut sql = Sql::new("WITH page AS MATERIALIZED (").append(page_ids).push(") SELECT ").append(total);
    sql = sql.push(" AS list_total, ");
    sql = match filtered {
        Some(filtered) => sql.append(filtered),
        None => sql.push("CAST(-1 AS BIGINT)"),
    };
    sql = sql.push(" AS list_filtered, (SELECT n FROM access_version) AS list_access, ");
    sql = sql.push(table.source.key).push(" AS list_key, ").push(table.source.select);
    // SQLite joins the tables of a CROSS JOIN in the written order, so it starts with the page.
    sql = sql
        .push(" FROM page")
        .per_dialect(" CROSS JOIN ", " JOIN ")
        .push(table.source.base)
        .push(" ")
        .push(table.source.alias);
    sql = sql.push(" ON ").push(table.source.key).push(" = page.id");
    for join in table.source.joins {
        sql = sql.push(" ").push(join.sql);
    }
    let sql = plan.order.order_by(sql, table).bind_named("now", plan.context.now);
    let rows: Vec<ListRow<R>> = (&mut scope.db()).fetch_all(sql).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    if scope.access_version().is_some_and(|version| version != first.list_access) {
        scope.require_fresh_session()?;
    }
    let total = first.list_total;
    let filtered = if first.list_filtered < 0 { total } else { first.list_filtered };
    Ok(Some(Page {
        draw,
        records_total: total,
        records_filtered: filtered,
        records_filtered_is_at_least: false,
        data: rows.into_iter().map(|row| to_row(row.record, scope)).collect(),
    }))
}
