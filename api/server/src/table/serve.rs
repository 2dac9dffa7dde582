//! Answering a list: one page, only ids, or a file.

use std::collections::HashMap;

use axum::http::StatusCode;
use axum::response::Response;
use panel_contract::endpoint::{Endpoint, NoBody};
use panel_contract::fields::FieldErrors;
use panel_contract::table::{IdsPage, Page, TableQuery};
use serde::Serialize;

use crate::db::{Row, Source, Sql};
use crate::http::api::{Admission, Api};
use crate::http::context::FileKind;
use crate::http::error::Result;
use crate::http::reply::json;
use crate::http::{Ctx, Req};
use crate::table::export::Export;
use crate::table::order::Order;
use crate::table::plan::{Plan, WorkedOut};
use crate::table::{Table, csv, fetch, size, xlsx};

impl Api {
    /// Ties the list endpoint `E` to its declaration; `shown` makes a row of a record for a caller.
    #[must_use]
    pub fn table<E, R, O>(self, table: &'static Table, shown: fn(R, &Ctx) -> O) -> Self
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = NoBody, Answer = Page<O>>,
        R: Row,
        O: Serialize + Send + 'static,
    {
        self.by::<E, _, _>(Admission::Remembered, move |ctx, req: Req<E>| async move {
            answer(ctx, table, &req.query, shown).await
        })
        .described_by::<E>(table)
    }
}

/// Answers a list that is read by a handler of its own: one of a record in the path.
pub async fn answer<R: Row, O: Serialize + Send + 'static>(
    ctx: Ctx,
    table: &'static Table,
    query: &TableQuery,
    shown: fn(R, &Ctx) -> O,
) -> Result<Response> {
    let plan = Plan::read(table, query, &ctx)?;
    answer_plan(ctx, plan, query, shown).await
}

/// As [`answer`], of a list with columns that no SQL works out: `work_out` does, where a filter or the order needs them.
pub async fn answer_beside<R: Row, O: Serialize + Send + 'static>(
    ctx: Ctx,
    table: &'static Table,
    query: &TableQuery,
    shown: fn(R, &Ctx) -> O,
    (alias, work_out): (&'static str, impl AsyncFnOnce(&Ctx) -> Result<WorkedOut>),
) -> Result<Response> {
    let mut plan = Plan::read(table, query, &ctx)?;
    if plan.needs(alias) {
        plan.worked_out = Some(work_out(&ctx).await?);
    }
    answer_plan(ctx, plan, query, shown).await
}

async fn answer_plan<R: Row, O: Serialize + Send + 'static>(
    ctx: Ctx,
    mut plan: Plan,
    query: &TableQuery,
    shown: fn(R, &Ctx) -> O,
) -> Result<Response> {
    let table = plan.place.table;
    let is_page = ctx.meta.export.is_none() && !query.ids_only;
    if !is_page {
        ctx.sure()?;
    }
    if let Some(kind) = ctx.meta.export {
        let export = Export::begin(ctx, plan, query, shown).await?;
        return match kind {
            FileKind::Csv => csv::answer(export),
            FileKind::Xlsx => xlsx::answer(export).await,
        };
    }
    if !query.export_columns.is_empty() {
        let sentence = "export_columns goes with an export: Accept: text/csv, or that of XLSX.";
        return Err(FieldErrors::one("export_columns", sentence).into());
    }
    if query.ids_only {
        plan.order = Order { keys: Vec::new(), descending: true };
        (plan.start, plan.below) = (0, query.after);
        let found = fetch::find(&mut ctx.db(), &plan).await?;
        return json(StatusCode::OK, serde_json::to_vec(&IdsPage { ids: found.ids, total: found.filtered }));
    }
    if query.after.is_some() {
        return Err(FieldErrors::one("after", "after goes with ids_only=1; for pages use start.").into());
    }
    if let Some(page) = at_once(&ctx, &plan, query.draw, shown).await? {
        return json(StatusCode::OK, serde_json::to_vec(&page));
    }
    ctx.sure()?;
    let found = fetch::find(&mut ctx.db(), &plan).await?;
    let page = Page {
        draw: query.draw,
        records_total: found.total,
        records_filtered: found.filtered,
        records_filtered_is_at_least: found.at_least,
        data: rows(&ctx, table, &found.ids, shown).await?,
    };
    json(StatusCode::OK, serde_json::to_vec(&page))
}

/// Totals, ids and rows in one statement, where the totals are kept and the page is near or ranked.
async fn at_once<R: Row, O>(
    ctx: &Ctx,
    plan: &Plan,
    draw: i64,
    shown: fn(R, &Ctx) -> O,
) -> Result<Option<Page<O>>> {
    let table = plan.place.table;
    let Some(step) = fetch::step(&mut ctx.db(), plan).await? else { return Ok(None) };
    let (total, filtered) = size::sums(plan);
    let mut sql = Sql::new("WITH page AS MATERIALIZED (").append(step).push(") SELECT ").append(total);
    sql = sql.push(" AS list_total, ");
    sql = match filtered {
        Some(filtered) => sql.append(filtered),
        None => sql.push("CAST(-1 AS BIGINT)"),
    };
    sql = sql.push(" AS list_filtered, (SELECT n FROM access_version) AS list_access, ");
    sql = sql.push(table.key).push(" AS list_key, ").push(table.select);
    // SQLite takes the tables of a CROSS JOIN in their order: the page first.
    sql =
        sql.push(" FROM page").either(" CROSS JOIN ", " JOIN ").push(table.base).push(" ").push(table.alias);
    sql = sql.push(" ON ").push(table.key).push(" = page.id");
    for join in table.joins {
        sql = sql.push(" ").push(join.sql);
    }
    let records: Vec<Keyed<R>> = (&mut ctx.db()).all(plan.order.here(sql, table)).await?;
    let Some(first) = records.first() else { return Ok(None) };
    if ctx.as_of().is_some_and(|version| version != first.list_access) {
        ctx.sure()?;
    }
    let total = first.list_total;
    let filtered = if first.list_filtered < 0 { total } else { first.list_filtered };
    Ok(Some(Page {
        draw,
        records_total: total,
        records_filtered: filtered,
        records_filtered_is_at_least: false,
        data: records.into_iter().map(|record| shown(record.record, ctx)).collect(),
    }))
}

/// A record with its id, and where they come along, the totals.
#[derive(sqlx::FromRow)]
struct Keyed<Record> {
    list_key: i64,
    #[sqlx(default)]
    list_total: i64,
    #[sqlx(default)]
    list_filtered: i64,
    #[sqlx(default)]
    list_access: i64,
    #[sqlx(flatten)]
    record: Record,
}

/// The rows of `ids`, in their order; one that was deleted meanwhile is left out.
pub async fn rows<R: Row, O>(
    ctx: &Ctx,
    table: &'static Table,
    ids: &[i64],
    shown: fn(R, &Ctx) -> O,
) -> Result<Vec<O>> {
    rows_from(&mut ctx.db(), ctx, table, ids, shown).await
}

/// As [`rows`], read from `db`: a write in progress sees what it has written.
pub async fn rows_from<R: Row, O>(
    db: &mut impl Source,
    ctx: &Ctx,
    table: &'static Table,
    ids: &[i64],
    shown: fn(R, &Ctx) -> O,
) -> Result<Vec<O>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut sql = Sql::new("SELECT ").push(table.key).push(" AS list_key, ").push(table.select);
    sql = sql.push(" FROM ").push(table.base).push(" ").push(table.alias);
    for join in table.joins {
        sql = sql.push(" ").push(join.sql);
    }
    let sql = sql.push(" WHERE ").push(table.key).push(" IN ").ids(ids).at(ctx.now());
    let records: Vec<Keyed<R>> = db.all(sql).await?;
    let mut found: HashMap<i64, R> =
        records.into_iter().map(|record| (record.list_key, record.record)).collect();
    Ok(ids.iter().filter_map(|id| found.remove(id)).map(|record| shown(record, ctx)).collect())
}
