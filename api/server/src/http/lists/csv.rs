//! Streams a list as CSV: raw values, UTF-8 with a byte order mark for spreadsheets. A text that a spreadsheet would read as a
//! formula is guarded.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use panel_kernel::error::Result;
use panel_kernel::request_meta::FileKind;
use panel_kernel::spreadsheet::escape_formula;
use serde::Serialize;
use serde_json::Value;

use crate::http::lists::export::{ListExport, fault, value};
use panel_platform::db::Row;
use panel_platform::table::Column;

pub(super) fn answer<R: Row, O: Serialize + Send + 'static>(export: ListExport<R, O>) -> Result<Response> {
    let headers = export.headers(FileKind::Csv)?;
    let names = export.columns.iter().map(|column| column.name.to_owned()).collect::<Vec<_>>();
    let mut head = Bytes::from_static("\u{feff}".as_bytes()).to_vec();
    head.extend(line(&names)?);
    let body = stream::unfold((Some(Bytes::from(head)), Some(export)), async |(head, export)| match head {
        Some(head) => Some((Ok(head), (None, export))),
        None => {
            let mut export = export?;
            match lines(&mut export).await {
                Ok(Some(bytes)) => Some((Ok(bytes), (None, Some(export)))),
                Ok(None) => None,
                // The status is already sent: only a broken connection can show that the file is incomplete.
                Err(error) => {
                    let rejection = error.report(&export.scope.meta.request_id);
                    Some((Err(std::io::Error::other(rejection.message)), (None, None)))
                }
            }
        }
    });
    Ok((headers, Body::from_stream(body)).into_response())
}

async fn lines<R: Row, O: Serialize>(export: &mut ListExport<R, O>) -> Result<Option<Bytes>> {
    let Some(rows) = export.next().await? else { return Ok(None) };
    let mut out = Vec::with_capacity(rows.len() * 200);
    for row in rows {
        let cells: Vec<String> = export.columns.iter().map(|column| cell(column, &row)).collect();
        out.extend(line(&cells)?);
    }
    Ok(Some(out.into()))
}

/// The raw text of one value.
fn cell(column: &Column, row: &Value) -> String {
    match value(column, row) {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// One line of the file. Every cell is guarded against formulas, whatever its column; a plain number stays a number.
fn line(cells: &[String]) -> Result<Vec<u8>> {
    let mut writer = csv_writer();
    writer.write_record(cells.iter().map(|cell| escape_formula(cell).into_owned())).map_err(fault)?;
    writer.into_inner().map_err(fault)
}

fn csv_writer() -> csv::Writer<Vec<u8>> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new())
}
