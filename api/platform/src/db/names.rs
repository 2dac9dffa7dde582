//! Reads the names of records by id, for any table. A missing name means that the record does not exist.

use std::collections::BTreeMap;

use panel_contract::ids::Id;

use crate::db::{DbResult, Sql, SqlExecutor};

/// Loads the names of records of `table`. The map has no entry for a record that does not exist.
pub async fn load_names<I: Id>(
    db: &mut impl SqlExecutor,
    table: &'static str,
    ids: &[I],
) -> DbResult<BTreeMap<I, String>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let sql = Sql::new("SELECT id, name FROM ").push(table).push(" WHERE id IN ").ids(ids);
    Ok(db.fetch_all::<(i64, String)>(sql).await?.into_iter().map(|(id, name)| (I::new(id), name)).collect())
}

/// Loads the name of one record; `None` if it does not exist.
pub async fn load_name(
    db: &mut impl SqlExecutor,
    table: &'static str,
    id: impl Id,
) -> DbResult<Option<String>> {
    Ok(load_names(db, table, &[id]).await?.remove(&id))
}
