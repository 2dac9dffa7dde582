//! Loads the records of one customer in pages, and overwrites or deletes them in batches. The SQL follows from the declaration of a
//! table. No page and no batch has more than [`PAGE_SIZE`] records, even if a parent record has more records.

use panel_contract::amount::Money;
use panel_contract::ids::{DocumentId, RecordId, UserId};
use panel_contract::moment::Time;
use panel_kernel::error::{Error, Result};
use serde_json::{Map, Value};

use crate::operations::personal_data::export_fields::{ExportField, FieldKind};
use crate::operations::personal_data::store::PAGE_SIZE;
use crate::operations::personal_data::tables::{
    ERASED_TEXT, PersonalTable, Replacement, RowOwner, Treatment,
};
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Maximum number of parent records that are loaded at once. Most parents have a few records, but some have more than a page.
const MAX_PARENTS_PER_PAGE: i64 = 100;
/// Prefix of the URL that replaces an erased URL. The id of the record follows.
const ERASED_URL_PREFIX: &str = "https://erased.invalid/";

/// Loads a page of ids greater than `after`: the ids of the records, or of the records of another table that refer to them.
async fn load_page_of_ids(
    db: &mut impl SqlExecutor,
    personal_table: &PersonalTable,
    user_id: UserId,
    after: Option<RecordId>,
) -> DbResult<Vec<RecordId>> {
    let (table, column) = match personal_table.owner {
        RowOwner::Column(column) => (personal_table.table, column),
        RowOwner::Through(records, _) => (records, "user_id"),
        RowOwner::Parent(..) | RowOwner::ColumnWithoutId(_) | RowOwner::Contents | RowOwner::Address => {
            return Ok(Vec::new());
        }
    };
    let sql = Sql::new("SELECT id FROM ").push(table).push(" WHERE ").push(column).push(" = ").bind(user_id);
    let sql = sql.push(" AND id > ").bind(stored_id(after)).push(" ORDER BY id LIMIT ").bind(PAGE_SIZE);
    db.fetch_ids(sql).await
}

/// Loads a page of ids greater than `after` of the records of one parent.
async fn load_page_of_ids_of_parent(
    db: &mut impl SqlExecutor,
    table: &'static str,
    column: &'static str,
    parent: RecordId,
    after: Option<RecordId>,
) -> DbResult<Vec<RecordId>> {
    let sql = Sql::new("SELECT id FROM ").push(table).push(" WHERE ").push(column).push(" = ").bind(parent);
    let sql = sql.push(" AND id > ").bind(stored_id(after)).push(" ORDER BY id LIMIT ").bind(PAGE_SIZE);
    db.fetch_ids(sql).await
}

/// Loads the parent records of the user with ids greater than `after`, with the number of records of each parent. Counts at most
/// one record more than a page.
async fn load_page_of_parents(
    db: &mut impl SqlExecutor,
    (parent, table, column): (&'static str, &'static str, &'static str),
    user_id: UserId,
    after: Option<RecordId>,
) -> DbResult<Vec<(RecordId, i64)>> {
    let sql = Sql::new("SELECT p.id, (SELECT count(*) FROM (SELECT 1 FROM ").push(table).push(" t WHERE t.");
    let sql = sql.push(column).push(" = p.id LIMIT ").bind(PAGE_SIZE + 1).push(") few) FROM ").push(parent);
    let sql = sql.push(" p WHERE p.user_id = ").bind(user_id).push(" AND p.id > ").bind(stored_id(after));
    db.fetch_all(sql.push(" ORDER BY p.id LIMIT ").bind(MAX_PARENTS_PER_PAGE)).await
}

/// Progress of an export or erasure in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cursor {
    /// All records up to this record id, or up to this parent id, are processed; `None` at the start.
    pub(super) id: Option<RecordId>,
    /// Of this parent, only the records up to this id are processed; `None` if all its records are processed.
    pub(super) record: Option<RecordId>,
}

impl Cursor {
    /// The position after a record, or after all records of a parent.
    pub(super) const fn after(id: RecordId) -> Self {
        Self { id: Some(id), record: None }
    }
}

/// Converts an id of a cursor to its stored form: `None` is stored as 0.
pub(super) fn stored_id(after: Option<RecordId>) -> i64 {
    after.map_or(0, RecordId::get)
}

/// A batch of at most [`PAGE_SIZE`] records of a table, and the start of the next batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableBatch {
    /// The column to which `ids` belong.
    key_column: &'static str,
    /// If `ids` are ids of another table: this other table, and its column with the ids of the records of the batch.
    through: Option<(&'static str, &'static str)>,
    ids: Vec<RecordId>,
    /// Start of the next batch; `None` at the end.
    pub(super) next: Option<Cursor>,
}

impl TableBatch {
    /// Loads the batch of records of a user that begins after `after`.
    pub(super) async fn load(
        db: &mut impl SqlExecutor,
        personal_table: &PersonalTable,
        user_id: UserId,
        after: Cursor,
    ) -> DbResult<Self> {
        let key_column = match personal_table.owner {
            RowOwner::Column(_) | RowOwner::Through(..) => "id",
            RowOwner::ColumnWithoutId(column) => column,
            RowOwner::Parent(parent, column) => {
                return Self::load_by_parents(db, (parent, personal_table.table, column), user_id, after)
                    .await;
            }
            RowOwner::Contents | RowOwner::Address => return Ok(Self::of_ids(Vec::new(), None)),
        };
        let through = match personal_table.owner {
            RowOwner::Through(records, column) => Some((records, column)),
            _ => None,
        };
        if matches!(personal_table.owner, RowOwner::ColumnWithoutId(_)) {
            return Ok(Self { key_column, through, ids: vec![user_id.as_record_id()], next: None });
        }
        let ids = load_page_of_ids(db, personal_table, user_id, after.id).await?;
        Ok(Self { key_column, through, next: ids.last().copied().map(Cursor::after), ids })
    }

    /// Loads the next batch of records that belong to parent records of a user: all records of as many parents as fit into a page,
    /// or a page of the records of one parent that has more.
    async fn load_by_parents(
        db: &mut impl SqlExecutor,
        tables: (&'static str, &'static str, &'static str),
        user_id: UserId,
        after: Cursor,
    ) -> DbResult<Self> {
        let (_, table, column) = tables;
        let (parent, record) = if let (Some(parent), Some(record)) = (after.id, after.record) {
            (parent, Some(record))
        } else {
            let parents = load_page_of_parents(db, tables, user_id, after.id).await?;
            let Some((first, _)) = parents.first().copied() else {
                return Ok(Self::of_ids(Vec::new(), None));
            };
            let mut remaining = PAGE_SIZE;
            let fitting_parents = parents.into_iter().take_while(|(_, records)| {
                remaining -= records;
                remaining >= 0
            });
            let ids: Vec<RecordId> = fitting_parents.map(|(id, _)| id).collect();
            if let Some(last) = ids.last().copied() {
                return Ok(Self { key_column: column, through: None, ids, next: Some(Cursor::after(last)) });
            }
            (first, None)
        };
        let ids = load_page_of_ids_of_parent(db, table, column, parent, record).await?;
        let next = Cursor { id: Some(parent), record: ids.last().copied() };
        Ok(Self::of_ids(ids, Some(next)))
    }

    /// Returns a batch of the records with these ids. The next batch begins after `next`.
    pub(super) const fn of_ids(ids: Vec<RecordId>, next: Option<Cursor>) -> Self {
        Self { key_column: "id", through: None, ids, next }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    fn where_clause(&self) -> Sql {
        let sql = Sql::new(" WHERE ").push(self.key_column).push(" IN ");
        match self.through {
            None => sql.ids(&self.ids),
            Some((records, column)) => {
                let sql =
                    sql.push("(SELECT ").push(column).push(" FROM ").push(records).push(" WHERE id IN ");
                sql.ids(&self.ids).push(")")
            }
        }
    }

    pub(super) async fn load_rows(
        &self,
        db: &mut impl SqlExecutor,
        personal_table: &PersonalTable,
    ) -> Result<Vec<Value>> {
        let columns = personal_table.fields.iter().map(|field| (field.name, field.name)).collect();
        let sql = Sql::new("SELECT ")
            .json_object(columns)
            .push(" FROM ")
            .push(personal_table.table)
            .append(self.where_clause());
        let rows: Vec<(String,)> =
            db.fetch_all(sql.push(" ORDER BY ").append(order_by_sql(personal_table))).await?;
        rows.into_iter().map(|(row,)| export_row(personal_table.fields, &row)).collect()
    }

    /// Overwrites or deletes the records as the table declares. Returns their number.
    pub(super) async fn erase(&self, work: &mut UnitOfWork, personal_table: &PersonalTable) -> DbResult<u64> {
        if self.is_empty() {
            return Ok(0);
        }
        match personal_table.erasure {
            Treatment::Removed => {
                if personal_table.table == "webhook_events" {
                    work.execute(
                        Sql::new("DELETE FROM webhook_deliveries WHERE event_id IN ").ids(&self.ids),
                    )
                    .await?;
                }
                work.execute(Sql::new("DELETE FROM ").push(personal_table.table).append(self.where_clause()))
                    .await
            }
            Treatment::Overwritten(columns) => {
                let mut sql = Sql::new("UPDATE ").push(personal_table.table).push(" SET ");
                for (index, (column, replacement)) in columns.iter().enumerate() {
                    sql = sql.push(if index == 0 { "" } else { ", " }).push(column).push(" = ");
                    sql = push_replacement(sql, column, *replacement);
                }
                work.execute(sql.append(self.where_clause())).await
            }
            Treatment::OverwrittenByRequest(_) | Treatment::Kept(_) => Ok(0),
        }
    }

    /// Loads the files of the verification documents in this batch.
    pub(super) async fn load_files(&self, db: &mut impl SqlExecutor) -> DbResult<Vec<(DocumentId, String)>> {
        db.fetch_all(
            Sql::new("SELECT id, file FROM verification_documents")
                .append(self.where_clause())
                .push(" ORDER BY id"),
        )
        .await
    }
}

fn order_by_sql(personal_table: &PersonalTable) -> Sql {
    Sql::new(match personal_table.owner {
        RowOwner::Column(_) | RowOwner::Through(..) => "id",
        RowOwner::Parent(_, column) => return Sql::new(column).push(", id"),
        RowOwner::ColumnWithoutId(column) => column,
        RowOwner::Contents | RowOwner::Address => "1",
    })
}

fn push_replacement(sql: Sql, column: &'static str, replacement: Replacement) -> Sql {
    match replacement {
        Replacement::Null => sql.push("NULL"),
        Replacement::ErasedText => sql.bind(ERASED_TEXT),
        Replacement::ErasedTextWhereSet => sql
            .push("CASE WHEN ")
            .push(column)
            .push(" IS NULL THEN NULL ELSE ")
            .bind(ERASED_TEXT)
            .push(" END"),
        Replacement::EmptyList => sql.push("'[]'"),
        Replacement::Address => sql.bind(ERASED_URL_PREFIX).push(" || id"),
        Replacement::AddressWhereSet => sql
            .push("CASE WHEN ")
            .push(column)
            .push(" IS NULL THEN NULL ELSE ")
            .bind(ERASED_URL_PREFIX)
            .push(" || id END"),
    }
}

/// Converts a row to the format of the export.
fn export_row(fields: &[ExportField], row: &str) -> Result<Value> {
    let internal_error = |error: serde_json::Error| Error::Internal(error.to_string());
    let mut row: Map<String, Value> = serde_json::from_str(row).map_err(internal_error)?;
    let mut exported_fields = Map::with_capacity(fields.len());
    for field in fields {
        let value = row.remove(field.name).unwrap_or_default();
        let value = match (field.kind, value.as_i64()) {
            (FieldKind::Money, Some(amount)) => {
                serde_json::to_value(Money(amount)).map_err(internal_error)?
            }
            (FieldKind::Time, Some(micros)) => serde_json::to_value(Time(micros)).map_err(internal_error)?,
            (FieldKind::Flag, Some(flag)) => Value::Bool(flag != 0),
            (FieldKind::Json, None) => {
                match value.as_str().and_then(|text| serde_json::from_str(text).ok()) {
                    Some(parsed) => parsed,
                    None => value,
                }
            }
            _ => value,
        };
        exported_fields.insert(field.name.to_owned(), value);
    }
    Ok(Value::Object(exported_fields))
}
