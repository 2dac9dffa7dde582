//! Reads the rows of an export of any file format: all rows that match the filter, in the list's order, a thousand at a time. Every
//! export writes an audit entry.

use axum::http::{HeaderValue, header};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::RecordId;
use panel_contract::table::TableQuery;
use panel_kernel::error::{Error, Result};
use panel_kernel::request_meta::FileKind;
use serde::Serialize;
use serde_json::{Value, json};

use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::DbRow;
use panel_platform::scope::Scope;
use panel_platform::table::chunks::Chunks;
use panel_platform::table::plan::Plan;
use panel_platform::table::rows::load_rows;
use panel_platform::table::{Column, Table};

/// An export that has started.
pub(super) struct ListExport<R, O> {
    id_chunks: Chunks,
    pub(super) table: &'static Table,
    pub(super) scope: Scope,
    pub(super) columns: Vec<&'static Column>,
    to_row: fn(R, &Scope) -> O,
}

impl<R: DbRow, O: Serialize> ListExport<R, O> {
    /// Checks the requested columns and writes the audit entry.
    pub(super) async fn start(
        scope: Scope,
        plan: Plan,
        query: &TableQuery,
        to_row: fn(R, &Scope) -> O,
    ) -> Result<Self> {
        let table = plan.table();
        let columns = requested_columns(table, query, &scope)?;
        record_export(&scope, table.name(), query).await?;
        Ok(Self { id_chunks: Chunks::new(&scope, plan).await?, table, scope, columns, to_row })
    }

    /// The next rows as JSON; `None` at the end.
    pub(super) async fn next_rows(&mut self) -> Result<Option<Vec<Value>>> {
        let ids = self.id_chunks.next(&self.scope).await?;
        if ids.is_empty() {
            return Ok(None);
        }
        let rows = load_rows(&self.scope, self.table, &ids, self.to_row).await?;
        let values: std::result::Result<_, _> = rows.into_iter().map(serde_json::to_value).collect();
        Ok(Some(values.map_err(internal_error)?))
    }

    pub(super) fn headers(&self, kind: FileKind) -> Result<[(header::HeaderName, HeaderValue); 2]> {
        let media_type = match kind {
            FileKind::Csv => "text/csv; charset=utf-8",
            FileKind::Xlsx => kind.media_type(),
        };
        let name = format!("attachment; filename=\"{}.{}\"", self.table.name(), kind.extension());
        Ok([
            (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
            (header::CONTENT_DISPOSITION, HeaderValue::try_from(name).map_err(internal_error)?),
        ])
    }
}

/// The value of a column in a row. A dot in the column's name selects a nested field. `None` for null.
pub(super) fn column_value<'a>(column: &Column, row: &'a Value) -> Option<&'a Value> {
    let value = column.name.split('.').try_fold(row, |value, part| value.get(part));
    value.filter(|value| !value.is_null())
}

pub(super) fn internal_error(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}

/// The requested columns in the requested order; all exportable columns if the query requests no columns.
fn requested_columns(
    table: &'static Table,
    query: &TableQuery,
    scope: &Scope,
) -> Result<Vec<&'static Column>, FieldErrors> {
    let mut exportable_columns = table.columns().iter().filter(|column| {
        column.exported && column.permission.is_none_or(|permission| scope.has_permission(permission))
    });
    if query.export_columns.is_empty() {
        return Ok(exportable_columns.collect());
    }
    let mut errors = FieldErrors::default();
    let mut columns = Vec::new();
    for name in &query.export_columns {
        match exportable_columns.clone().find(|column| column.name == name) {
            Some(column) if columns.iter().any(|other: &&Column| other.name == column.name) => {
                errors.add("export_columns", format!("The column {name} occurs twice. List it once."));
            }
            Some(column) => columns.push(column),
            None => {
                errors.add(
                    "export_columns",
                    format!("The list has no exportable column {name}. Remove it from export_columns."),
                );
            }
        }
    }
    if columns.is_empty() && exportable_columns.next().is_none() {
        errors.add("export_columns", "The list has no column that you may export.");
    }
    errors.into_result(columns)
}

async fn record_export(scope: &Scope, name: &str, query: &TableQuery) -> Result<()> {
    use panel_contract::endpoint::Query as _;
    let parameters: serde_json::Map<String, Value> = query
        .to_pairs()
        .into_iter()
        .filter(|(key, value)| !value.is_empty() && !key.ends_with("able]"))
        .map(|(key, value)| (key, Value::String(value.chars().take(500).collect())))
        .collect();
    let mut work = scope.begin().await?;
    let change = AuditChange { id: RecordId::NONE, old: json!({}), new: Value::Object(parameters) };
    audit::record(&mut work, "list.exported", name, change).await?;
    work.finish(()).await
}
