//! Reads the rows of a page by their ids.

use std::collections::HashMap;

use panel_contract::ids::Id;
use panel_kernel::error::Result;

use crate::db::{DbRow, Sql, SqlExecutor};
use crate::scope::Scope;
use crate::table::Table;

/// A record with its id, and with the totals if the statement selects them.
#[derive(sqlx::FromRow)]
pub(super) struct ListRow<Record> {
    pub(super) list_key: i64,
    #[sqlx(default)]
    pub(super) list_total: i64,
    #[sqlx(default)]
    pub(super) list_filtered: i64,
    #[sqlx(default)]
    pub(super) list_access: i64,
    #[sqlx(flatten)]
    pub(super) record: Record,
}

/// Loads the rows of `ids`, in the same order. Rows that were deleted in the meantime are missing.
pub async fn load_rows<R: DbRow, O>(
    scope: &Scope,
    table: &'static Table,
    ids: &[impl Id],
    to_row: fn(R, &Scope) -> O,
) -> Result<Vec<O>> {
    load_rows_from(&mut scope.db(), scope, table, ids, to_row).await
}

/// Like [`load_rows`], but reads from `db`, so that a transaction sees its own writes.
pub async fn load_rows_from<R: DbRow, O>(
    db: &mut impl SqlExecutor,
    scope: &Scope,
    table: &'static Table,
    ids: &[impl Id],
    to_row: fn(R, &Scope) -> O,
) -> Result<Vec<O>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut sql = Sql::new("SELECT ").push(table.source.key).push(" AS list_key, ").push(table.source.select);
    sql = sql.push(" FROM ").push(table.source.base).push(" ").push(table.source.alias);
    for join in table.source.joins {
        sql = sql.push(" ").push(join.sql);
    }
    let sql = sql.push(" WHERE ").push(table.source.key).push(" IN ").ids(ids).bind_named("now", scope.now());
    let rows: Vec<ListRow<R>> = db.fetch_all(sql).await?;
    let mut records: HashMap<i64, R> = rows.into_iter().map(|row| (row.list_key, row.record)).collect();
    Ok(ids.iter().filter_map(|id| records.remove(&id.get())).map(|record| to_row(record, scope)).collect())
}
