//! What records are called: the one place that reads names, or whether there are such records, by id.

use std::collections::BTreeMap;

use panel_contract::ids::Id;

use crate::db::{DbResult, Source, Sql};

/// The names of the records of `table`, by id; one that is not there is left out.
pub async fn of<I: Id>(
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

/// The name of one record, if it is there.
pub async fn one(db: &mut impl Source, table: &'static str, id: impl Id) -> DbResult<Option<String>> {
    Ok(of(db, table, &[id]).await?.remove(&id))
}
