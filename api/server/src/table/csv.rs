//! A list as CSV: everything that the filter leaves, in the list's order, streamed. Raw values, UTF-8 with a mark
//! for spreadsheets, and no text that a spreadsheet would take for a formula.

use std::collections::VecDeque;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use panel_contract::table::TableQuery;
use serde::Serialize;
use serde_json::{Value, json};

use crate::audit::{self, Change};
use crate::db::Row;
use crate::http::Ctx;
use crate::http::error::{ApiError, Result};
use crate::table::fetch;
use crate::table::plan::{Length, Plan};
use crate::table::serve::rows;
use crate::table::{Column, Kind, Table};

/// Rows read at once.
const CHUNK: usize = 1_000;
/// The same for the database.
const CHUNK_ROWS: i64 = 1_000;

/// Starts the stream; the audit trail keeps who took what.
pub(super) async fn answer<R: Row, O: Serialize + Send + 'static>(
    ctx: Ctx,
    plan: Plan,
    query: &TableQuery,
    shown: fn(R, &Ctx) -> O,
) -> Result<Response> {
    let table = plan.place.table;
    record(&ctx, table.name, query).await?;
    let columns: Vec<&'static Column> = table.columns.iter().filter(|column| column.exported).collect();
    let names = columns.iter().map(|column| column.name.to_owned()).collect::<Vec<_>>();
    let mut head = Bytes::from_static("\u{feff}".as_bytes()).to_vec();
    head.extend(line(&names)?);
    let export = Export { ids: Ids::new(&ctx, plan).await?, table, ctx, columns, shown };
    let body = stream::unfold((Some(Bytes::from(head)), Some(export)), async |(head, export)| match head {
        Some(head) => Some((Ok(head), (None, export))),
        None => {
            let mut export = export?;
            match export.next().await {
                Ok(Some(bytes)) => Some((Ok(bytes), (None, Some(export)))),
                Ok(None) => None,
                // The status is sent: a broken connection is the only way to say that the file is not whole.
                Err(error) => {
                    let told = error.into_told(&export.ctx.meta.request_id);
                    Some((Err(std::io::Error::other(told.message)), (None, None)))
                }
            }
        }
    });
    let name = format!("attachment; filename=\"{}.csv\"", table.name);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
        (header::CONTENT_DISPOSITION, HeaderValue::try_from(name).map_err(fault)?),
    ];
    Ok((headers, Body::from_stream(body)).into_response())
}

fn fault(error: impl std::fmt::Display) -> ApiError {
    ApiError::Fault(error.to_string())
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
            plan.length = Length::Rows(CHUNK_ROWS);
            return Ok(Self::Keyset(Box::new(plan)));
        }
        plan.length = Length::Rows(i64::MAX);
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

struct Export<R, O> {
    ids: Ids,
    table: &'static Table,
    ctx: Ctx,
    columns: Vec<&'static Column>,
    shown: fn(R, &Ctx) -> O,
}

impl<R: Row, O: Serialize> Export<R, O> {
    async fn next(&mut self) -> Result<Option<Bytes>> {
        let ids = self.ids.next(&self.ctx).await?;
        if ids.is_empty() {
            return Ok(None);
        }
        let mut out = Vec::with_capacity(CHUNK * 200);
        for row in rows(&self.ctx, self.table, &ids, self.shown).await? {
            let row = serde_json::to_value(row).map_err(fault)?;
            let cells: Vec<String> = self.columns.iter().map(|column| cell(column, &row)).collect();
            out.extend(line(&cells)?);
        }
        Ok(Some(out.into()))
    }
}

/// The raw text of one value; only free texts can be formulas.
fn cell(column: &Column, row: &Value) -> String {
    let value = column.name.split('.').try_fold(row, |value, part| value.get(part));
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) if matches!(column.kind, Kind::Text) => harmless(text),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

fn harmless(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

fn line(cells: &[String]) -> Result<Vec<u8>> {
    let mut writer = csv_writer();
    writer.write_record(cells).map_err(fault)?;
    writer.into_inner().map_err(fault)
}

fn csv_writer() -> csv::Writer<Vec<u8>> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new())
}
