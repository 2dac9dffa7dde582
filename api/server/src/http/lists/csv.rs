//! Streams a list as CSV: unformatted values in UTF-8, with a byte order mark for spreadsheet programs. A text that a spreadsheet
//! program would interpret as a formula is escaped.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use panel_kernel::error::Result;
use panel_kernel::request_meta::FileKind;
use panel_kernel::spreadsheet::escape_formula;
use serde::Serialize;
use serde_json::Value;

use crate::http::lists::export::{ListExport, column_value, internal_error};
use panel_platform::db::DbRow;
use panel_platform::table::Column;

pub(super) fn respond<R: DbRow, O: Serialize + Send + 'static>(export: ListExport<R, O>) -> Result<Response> {
    let headers = export.headers(FileKind::Csv)?;
    let names = export.columns.iter().map(|column| column.name.to_owned()).collect::<Vec<_>>();
    let mut header_bytes = Bytes::from_static("\u{feff}".as_bytes()).to_vec();
    header_bytes.extend(csv_line(&names)?);
    let body =
        stream::unfold((Some(Bytes::from(header_bytes)), Some(export)), async |(header_bytes, export)| {
            match header_bytes {
                Some(header_bytes) => Some((Ok(header_bytes), (None, export))),
                None => {
                    let mut export = export?;
                    match next_lines(&mut export).await {
                        Ok(Some(bytes)) => Some((Ok(bytes), (None, Some(export)))),
                        Ok(None) => None,
                        // The status code is already sent, so only a broken connection can show the client that the file is incomplete.
                        Err(error) => {
                            let rejection = error.report(&export.scope.meta.request_id);
                            Some((Err(std::io::Error::other(rejection.message)), (None, None)))
                        }
                    }
                }
            }
        });
    Ok((headers, Body::from_stream(body)).into_response())
}

async fn next_lines<R: DbRow, O: Serialize>(export: &mut ListExport<R, O>) -> Result<Option<Bytes>> {
    let Some(rows) = export.next_rows().await? else { return Ok(None) };
    let mut out = Vec::with_capacity(rows.len() * 200);
    for row in rows {
        let cells: Vec<String> = export.columns.iter().map(|column| cell_text(column, &row)).collect();
        out.extend(csv_line(&cells)?);
    }
    Ok(Some(out.into()))
}

/// The unformatted text of one value.
fn cell_text(column: &Column, row: &Value) -> String {
    match column_value(column, row) {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

/// One line of the file. Escapes each text that a spreadsheet program would interpret as a formula; numbers do not change.
fn csv_line(cells: &[String]) -> Result<Vec<u8>> {
    let mut writer = csv_writer();
    writer
        .write_record(cells.iter().map(|cell| escape_formula(cell).into_owned()))
        .map_err(internal_error)?;
    writer.into_inner().map_err(internal_error)
}

fn csv_writer() -> csv::Writer<Vec<u8>> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new())
}
