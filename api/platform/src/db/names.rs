//! Names of records by id. The only module that reads names, or whether records exist, for any table.

use std::collections::BTreeMap;

use panel_contract::ids::Id;

use crate::db::{DbResult, Source, Sql};

/// The names of the records of `table`, by id, without the ids of missing records.
pub async fn load_names<I: Id>(
    db: &mut impl Source,
    table: &'static str,
    ids: &[I],
) -> DbResult<BTreeMap<I, String>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let sql = Sql::new("SELECT id, name FROM ").push(table).push(" WHERE id IN ").ids(ids);
    Ok(db.all::<(i64, String)>(sql).await?.into_iter().map(|(id, name)| (I::new(id), name)).collect())
}

/// The name of one record; none where the record is missing.
pub async fn load_name(db: &mut impl Source, table: &'static str, id: impl Id) -> DbResult<Option<String>> {
    Ok(load_names(db, table, &[id]).await?.remove(&id))
}
