//! A list as a file: everything that the filter leaves, in the list's order, a thousand rows at a time, whatever the
//! file's kind. The audit trail keeps who took what.

use std::collections::VecDeque;

use axum::http::{HeaderValue, header};
use panel_contract::fields::FieldErrors;
use panel_contract::table::TableQuery;
use serde::Serialize;
use serde_json::{Value, json};

use crate::audit::{self, Change};
use crate::db::Row;
use crate::http::Ctx;
use crate::http::context::FileKind;
use crate::http::error::{ApiError, Result};
use crate::table::fetch;
use crate::table::plan::Plan;
use crate::table::serve::rows;
use crate::table::{Column, Table};

/// Rows read at once.
const CHUNK: usize = 1_000;
/// The same for the database.
const CHUNK_ROWS: i64 = 1_000;

/// An export that was begun.
pub(super) struct Export<R, O> {
    ids: Ids,
    pub(super) table: &'static Table,
    pub(super) ctx: Ctx,
    /// The file's columns.
    pub(super) columns: Vec<&'static Column>,
    shown: fn(R, &Ctx) -> O,
}

impl<R: Row, O: Serialize> Export<R, O> {
    /// Judges the columns and writes the audit entry.
    pub(super) async fn begin(
        ctx: Ctx,
        plan: Plan,
        query: &TableQuery,
        shown: fn(R, &Ctx) -> O,
    ) -> Result<Self> {
        let table = plan.place.table;
        let columns = chosen(table, query, &ctx)?;
        record(&ctx, table.name, query).await?;
        Ok(Self { ids: Ids::new(&ctx, plan).await?, table, ctx, columns, shown })
    }

    /// The next rows as they cross the wire; none at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<Value>>> {
        let ids = self.ids.next(&self.ctx).await?;
        if ids.is_empty() {
            return Ok(None);
        }
        let found = rows(&self.ctx, self.table, &ids, self.shown).await?;
        let values: std::result::Result<_, _> = found.into_iter().map(serde_json::to_value).collect();
        Ok(Some(values.map_err(fault)?))
    }

    /// The headers of the answer.
    pub(super) fn headers(&self, kind: FileKind) -> Result<[(header::HeaderName, HeaderValue); 2]> {
        let media = match kind {
            FileKind::Csv => "text/csv; charset=utf-8",
            FileKind::Xlsx => kind.media_type(),
        };
        let name = format!("attachment; filename=\"{}.{}\"", self.table.name, kind.extension());
        Ok([
            (header::CONTENT_TYPE, HeaderValue::from_static(media)),
            (header::CONTENT_DISPOSITION, HeaderValue::try_from(name).map_err(fault)?),
        ])
    }
}

/// The value of a column in a row, nested by dots.
pub(super) fn value<'a>(column: &Column, row: &'a Value) -> Option<&'a Value> {
    let found = column.name.split('.').try_fold(row, |value, part| value.get(part));
    found.filter(|value| !value.is_null())
}

pub(super) fn fault(error: impl std::fmt::Display) -> ApiError {
    ApiError::Fault(error.to_string())
}

/// The columns asked for, in their order; all that a file has when none is named.
fn chosen(table: &'static Table, query: &TableQuery, ctx: &Ctx) -> Result<Vec<&'static Column>, FieldErrors> {
    let mut all = table
        .columns
        .iter()
        .filter(|column| column.exported && column.permission.is_none_or(|permission| ctx.may(permission)));
    if query.export_columns.is_empty() {
        return Ok(all.collect());
    }
    let mut errors = FieldErrors::default();
    let mut chosen = Vec::new();
    for name in &query.export_columns {
        match all.clone().find(|column| column.name == name) {
            Some(column) if chosen.iter().any(|other: &&Column| other.name == column.name) => {
                errors.add("export_columns", format!("The column {name} is there twice; name it once."));
            }
            Some(column) => chosen.push(column),
            None => {
                errors.add("export_columns", format!("There is no column {name} to export; leave it out."))
            }
        }
    }
    if chosen.is_empty() && all.next().is_none() {
        errors.add("export_columns", "Name at least one column.");
    }
    errors.or(chosen)
}

async fn record(ctx: &Ctx, name: &str, query: &TableQuery) -> Result<()> {
    use panel_contract::endpoint::Query as _;
    let asked: serde_json::Map<String, Value> = query
        .pairs()
        .into_iter()
        .filter(|(key, value)| !value.is_empty() && !key.ends_with("able]"))
        .map(|(key, value)| (key, Value::String(value.chars().take(500).collect())))
        .collect();
    let mut work = ctx.begin().await?;
    let change = Change { id: 0, old: json!({}), new: Value::Object(asked) };
    audit::record(&mut work, "list.exported", name, change).await?;
    work.finish(()).await
}

/// The ids still to come.
enum Ids {
    /// In the order of the id: the plan moves on below (or above) the last one.
    Keyset(Box<Plan>),
    /// In any other order, or after a search: found once.
    Frozen(VecDeque<i64>),
    Done,
}

impl Ids {
    async fn new(ctx: &Ctx, mut plan: Plan) -> Result<Self> {
        plan.start = 0;
        if plan.order.is_by_id() && plan.order.descending && !plan.has_text() {
            plan.length = CHUNK_ROWS;
            return Ok(Self::Keyset(Box::new(plan)));
        }
        plan.length = i64::MAX;
        Ok(Self::Frozen(fetch::ids(&mut ctx.db(), &plan).await?.into()))
    }

    async fn next(&mut self, ctx: &Ctx) -> Result<Vec<i64>> {
        match self {
            Self::Done => Ok(Vec::new()),
            Self::Frozen(ids) => Ok(ids.drain(..ids.len().min(CHUNK)).collect()),
            Self::Keyset(plan) => {
                let ids = fetch::ids(&mut ctx.db(), plan).await?;
                plan.below = ids.last().copied();
                if ids.len() < CHUNK {
                    *self = Self::Done;
                }
                Ok(ids)
            }
        }
    }
}
