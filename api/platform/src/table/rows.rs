//! Reads the rows of a page by their ids.

use std::collections::HashMap;

use panel_contract::ids::Id;
use panel_kernel::error::Result;

use crate::db::{Row, Source, Sql};
use crate::scope::Scope;
use crate::table::Table;

/// A record with its id, and with the totals where the statement selects them.
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

/// The rows of `ids`, in their order, without rows that were deleted meanwhile.
pub async fn rows<R: Row, O>(
    scope: &Scope,
    table: &'static Table,
    ids: &[impl Id],
    to_row: fn(R, &Scope) -> O,
) -> Result<Vec<O>> {
    rows_from(&mut scope.db(), scope, table, ids, to_row).await
}

/// Like [`rows`], read from `db`, so that a transaction reads its own writes.
pub async fn rows_from<R: Row, O>(
    db: &mut impl Source,
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
    let sql = sql.push(" WHERE ").push(table.source.key).push(" IN ").ids(ids).named("now", scope.now());
    let records: Vec<ListRow<R>> = db.all(sql).await?;
    let mut by_id: HashMap<i64, R> =
        records.into_iter().map(|record| (record.list_key, record.record)).collect();
    Ok(ids.iter().filter_map(|id| by_id.remove(&id.get())).map(|record| to_row(record, scope)).collect())
}
