//! The records of one customer in every declared table: read in pages, overwritten and deleted in batches. The SQL is derived from
//! the declaration of a table. No page and no batch has more than [`PAGE`] records, however many belong to one parent.

use panel_contract::amount::Money;
use panel_contract::ids::{DocumentId, RecordId, UserId};
use panel_contract::moment::Time;
use panel_kernel::error::{Error, Result};
use serde_json::{Map, Value};

use crate::operations::personal_data::declared::{Blank, MARK, PersonalTable, RowOwner, Treatment};
use crate::operations::personal_data::exported::{Field, Kind};
use crate::operations::personal_data::store::PAGE;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::work::UnitOfWork;

/// Largest number of parents per page: most have a few records, some more than a page.
const PARENTS: i64 = 100;
/// Replacement of an address, followed by the id of the record.
const ADDRESS: &str = "https://erased.invalid/";

/// Up to a page of ids after `after`: of the records, or of the records that refer to them.
async fn ids(
    db: &mut impl Source,
    of: &PersonalTable,
    user: UserId,
    after: Option<RecordId>,
) -> DbResult<Vec<RecordId>> {
    let (table, column) = match of.owner {
        RowOwner::Column(column) => (of.table, column),
        RowOwner::Through(records, _) => (records, "user_id"),
        RowOwner::Parent(..) | RowOwner::Few(_) | RowOwner::Contents | RowOwner::Address => {
            return Ok(Vec::new());
        }
    };
    let sql = Sql::new("SELECT id FROM ").push(table).push(" WHERE ").push(column).push(" = ").bind(user);
    let sql = sql.push(" AND id > ").bind(stored_id(after)).push(" ORDER BY id LIMIT ").bind(PAGE);
    db.ids_of(sql).await
}

/// Up to a page of ids of one parent's records after `after`.
async fn ids_of_parent(
    db: &mut impl Source,
    table: &'static str,
    column: &'static str,
    parent: RecordId,
    after: Option<RecordId>,
) -> DbResult<Vec<RecordId>> {
    let sql = Sql::new("SELECT id FROM ").push(table).push(" WHERE ").push(column).push(" = ").bind(parent);
    let sql = sql.push(" AND id > ").bind(stored_id(after)).push(" ORDER BY id LIMIT ").bind(PAGE);
    db.ids_of(sql).await
}

/// The user's next parents after `after`, with the number of records of each, counted up to one more than a page.
async fn parents(
    db: &mut impl Source,
    (parent, table, column): (&'static str, &'static str, &'static str),
    user: UserId,
    after: Option<RecordId>,
) -> DbResult<Vec<(RecordId, i64)>> {
    let sql = Sql::new("SELECT p.id, (SELECT count(*) FROM (SELECT 1 FROM ").push(table).push(" t WHERE t.");
    let sql = sql.push(column).push(" = p.id LIMIT ").bind(PAGE + 1).push(") few) FROM ").push(parent);
    let sql = sql.push(" p WHERE p.user_id = ").bind(user).push(" AND p.id > ").bind(stored_id(after));
    db.all(sql.push(" ORDER BY p.id LIMIT ").bind(PARENTS)).await
}

/// Progress of an export or erasure in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cursor {
    /// All records up to this record id, or up to this parent id, are done; `None` at the start.
    pub(super) id: Option<RecordId>,
    /// Of that parent, only the records up to this id are done; `None` if all are.
    pub(super) record: Option<RecordId>,
}

impl Cursor {
    /// After a record, or after all records of a parent.
    pub(super) const fn after(id: RecordId) -> Self {
        Self { id: Some(id), record: None }
    }
}

/// The stored form of a cursor's id: 0 for `None`.
pub(super) fn stored_id(after: Option<RecordId>) -> i64 {
    after.map_or(0, RecordId::get)
}

/// A batch of a table's records, at most [`PAGE`] of them, and the start of the next batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableBatch {
    /// The column that holds the ids.
    by: &'static str,
    /// If the ids belong to records of another table: that table, and its column with the id of these records.
    through: Option<(&'static str, &'static str)>,
    ids: Vec<RecordId>,
    /// Start of the next batch; `None` at the end.
    pub(super) next: Option<Cursor>,
}

impl TableBatch {
    /// The next batch of a user's records after `after`.
    pub(super) async fn of(
        db: &mut impl Source,
        of: &PersonalTable,
        user: UserId,
        after: Cursor,
    ) -> DbResult<Self> {
        let by = match of.owner {
            RowOwner::Column(_) | RowOwner::Through(..) => "id",
            RowOwner::Few(column) => column,
            RowOwner::Parent(parent, column) => {
                return Self::of_parents(db, (parent, of.table, column), user, after).await;
            }
            RowOwner::Contents | RowOwner::Address => return Ok(Self::of_ids(Vec::new(), None)),
        };
        let through = match of.owner {
            RowOwner::Through(records, column) => Some((records, column)),
            _ => None,
        };
        if matches!(of.owner, RowOwner::Few(_)) {
            return Ok(Self { by, through, ids: vec![user.record()], next: None });
        }
        let ids = ids(db, of, user, after.id).await?;
        Ok(Self { by, through, next: ids.last().copied().map(Cursor::after), ids })
    }

    /// The next batch of records that belong to a user's parents: all records of as many parents as fit, or a page of one that has
    /// more.
    async fn of_parents(
        db: &mut impl Source,
        tables: (&'static str, &'static str, &'static str),
        user: UserId,
        after: Cursor,
    ) -> DbResult<Self> {
        let (_, table, column) = tables;
        let (parent, record) = if let (Some(parent), Some(record)) = (after.id, after.record) {
            (parent, Some(record))
        } else {
            let parents = parents(db, tables, user, after.id).await?;
            let Some((first, _)) = parents.first().copied() else {
                return Ok(Self::of_ids(Vec::new(), None));
            };
            let mut remaining = PAGE;
            let fit = parents.into_iter().take_while(|(_, records)| {
                remaining -= records;
                remaining >= 0
            });
            let ids: Vec<RecordId> = fit.map(|(id, _)| id).collect();
            if let Some(last) = ids.last().copied() {
                return Ok(Self { by: column, through: None, ids, next: Some(Cursor::after(last)) });
            }
            (first, None)
        };
        let ids = ids_of_parent(db, table, column, parent, record).await?;
        let next = Cursor { id: Some(parent), record: ids.last().copied() };
        Ok(Self::of_ids(ids, Some(next)))
    }

    /// The records with these ids; the next batch starts after `next`.
    pub(super) const fn of_ids(ids: Vec<RecordId>, next: Option<Cursor>) -> Self {
        Self { by: "id", through: None, ids, next }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    fn sql(&self) -> Sql {
        let sql = Sql::new(" WHERE ").push(self.by).push(" IN ");
        match self.through {
            None => sql.ids(&self.ids),
            Some((records, column)) => {
                let sql =
                    sql.push("(SELECT ").push(column).push(" FROM ").push(records).push(" WHERE id IN ");
                sql.ids(&self.ids).push(")")
            }
        }
    }

    /// Its records in the format of the export.
    pub(super) async fn read(&self, db: &mut impl Source, of: &PersonalTable) -> Result<Vec<Value>> {
        let columns = of.fields.iter().map(|field| (field.name, field.name)).collect();
        let sql = Sql::new("SELECT ").object(columns).push(" FROM ").push(of.table).append(self.sql());
        let rows: Vec<(String,)> = db.all(sql.push(" ORDER BY ").append(order(of))).await?;
        rows.into_iter().map(|(row,)| to_export(of.fields, &row)).collect()
    }

    /// Overwrites or deletes its records as declared, and returns their number.
    pub(super) async fn erase(&self, work: &mut UnitOfWork, of: &PersonalTable) -> DbResult<u64> {
        if self.is_empty() {
            return Ok(0);
        }
        match of.erasure {
            Treatment::Removed => {
                if of.table == "webhook_events" {
                    work.exec(Sql::new("DELETE FROM webhook_deliveries WHERE event_id IN ").ids(&self.ids))
                        .await?;
                }
                work.exec(Sql::new("DELETE FROM ").push(of.table).append(self.sql())).await
            }
            Treatment::Overwritten(columns) => {
                let mut sql = Sql::new("UPDATE ").push(of.table).push(" SET ");
                for (at, (column, blank)) in columns.iter().enumerate() {
                    sql = sql.push(if at == 0 { "" } else { ", " }).push(column).push(" = ");
                    sql = overwrite(sql, column, *blank);
                }
                work.exec(sql.append(self.sql())).await
            }
            Treatment::WithRequest(_) | Treatment::Kept(_) => Ok(0),
        }
    }

    /// The files of its verification documents.
    pub(super) async fn files(&self, db: &mut impl Source) -> DbResult<Vec<(DocumentId, String)>> {
        db.all(
            Sql::new("SELECT id, file FROM verification_documents").append(self.sql()).push(" ORDER BY id"),
        )
        .await
    }
}

fn order(of: &PersonalTable) -> Sql {
    Sql::new(match of.owner {
        RowOwner::Column(_) | RowOwner::Through(..) => "id",
        RowOwner::Parent(_, column) => return Sql::new(column).push(", id"),
        RowOwner::Few(column) => column,
        RowOwner::Contents | RowOwner::Address => "1",
    })
}

fn overwrite(sql: Sql, column: &'static str, blank: Blank) -> Sql {
    match blank {
        Blank::Null => sql.push("NULL"),
        Blank::Mark => sql.bind(MARK),
        Blank::MarkWhereSet => {
            sql.push("CASE WHEN ").push(column).push(" IS NULL THEN NULL ELSE ").bind(MARK).push(" END")
        }
        Blank::EmptyList => sql.push("'[]'"),
        Blank::Address => sql.bind(ADDRESS).push(" || id"),
        Blank::AddressWhereSet => sql
            .push("CASE WHEN ")
            .push(column)
            .push(" IS NULL THEN NULL ELSE ")
            .bind(ADDRESS)
            .push(" || id END"),
    }
}

/// Converts a row to the format of the export.
fn to_export(fields: &[Field], row: &str) -> Result<Value> {
    let fault = |error: serde_json::Error| Error::Fault(error.to_string());
    let mut row: Map<String, Value> = serde_json::from_str(row).map_err(fault)?;
    let mut out = Map::with_capacity(fields.len());
    for field in fields {
        let value = row.remove(field.name).unwrap_or_default();
        let value = match (field.kind, value.as_i64()) {
            (Kind::Money, Some(amount)) => serde_json::to_value(Money(amount)).map_err(fault)?,
            (Kind::Time, Some(moment)) => serde_json::to_value(Time(moment)).map_err(fault)?,
            (Kind::Flag, Some(flag)) => Value::Bool(flag != 0),
            (Kind::Json, None) => match value.as_str().and_then(|text| serde_json::from_str(text).ok()) {
                Some(parsed) => parsed,
                None => value,
            },
            _ => value,
        };
        out.insert(field.name.to_owned(), value);
    }
    Ok(Value::Object(out))
}
