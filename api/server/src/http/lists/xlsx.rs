//! Serves a list as an XLSX workbook with one sheet. The server first writes the workbook to a file, because the format cannot be
//! streamed; the memory does not grow with the number of rows. All texts are stored as strings, so that no text becomes a formula.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use panel_kernel::error::{Error, Result};
use panel_kernel::request_meta::FileKind;
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};
use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use tokio::sync::mpsc;

use crate::http::lists::export::{ListExport, column_value, internal_error};
use panel_platform::db::DbRow;
use panel_platform::table::{Column, FilterKind};

/// Maximum number of rows of a sheet, without the header row.
const MAX_ROWS: u32 = 1_048_575;
/// Maximum length of a text in a cell, in UTF-16 code units.
const MAX_CELL_UNITS: usize = 32_767;
/// Number of significant digits that a spreadsheet program stores.
const MAX_EXACT_DIGITS: usize = 15;
/// Size of a chunk of the response, in bytes.
const CHUNK_BYTES: usize = 64 * 1_024;

enum WorkbookError {
    /// The list does not fit into a workbook. Holds the error code and the message for the client.
    DoesNotFit(&'static str, String),
    Internal(String),
}

impl From<XlsxError> for WorkbookError {
    fn from(error: XlsxError) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<std::io::Error> for WorkbookError {
    fn from(error: std::io::Error) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<WorkbookError> for Error {
    fn from(error: WorkbookError) -> Self {
        match error {
            WorkbookError::DoesNotFit(code, message) => Self::invalid("length", code, message),
            WorkbookError::Internal(text) => Self::Internal(text),
        }
    }
}

/// Writes the workbook to a file, then streams it.
pub(super) async fn respond<R: DbRow, O: Serialize + Send + 'static>(
    mut export: ListExport<R, O>,
) -> Result<Response> {
    let headers = export.headers(FileKind::Xlsx)?;
    let columns = export.columns.clone();
    // A blocking thread writes one chunk of rows while the next chunk waits in the channel, so the memory is bounded.
    let (sender, chunks) = mpsc::channel(1);
    let writer = tokio::task::spawn_blocking(move || write_workbook(&columns, chunks));
    let send_result = send_rows(&mut export, sender).await;
    let file = writer.await.map_err(internal_error)?;
    send_result?;
    let mut file = tokio::fs::File::from_std(file?);
    file.rewind().await.map_err(internal_error)?;
    let chunks = stream::unfold(Some(file), async |file| {
        let mut file = file?;
        let mut chunk = vec![0; CHUNK_BYTES];
        match file.read(&mut chunk).await {
            Ok(0) => None,
            Ok(bytes_read) => {
                chunk.truncate(bytes_read);
                Some((Ok(Bytes::from(chunk)), Some(file)))
            }
            Err(error) => Some((Err(error), None)),
        }
    });
    Ok((headers, Body::from_stream(chunks)).into_response())
}

/// Sends all rows to the writer. Stops early if the writer has failed.
async fn send_rows<R: DbRow, O: Serialize>(
    export: &mut ListExport<R, O>,
    sender: mpsc::Sender<Vec<Value>>,
) -> Result<()> {
    while let Some(rows) = export.next_rows().await? {
        if sender.send(rows).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// Writes the workbook to a temporary file without a name, which the system deletes when the last handle is closed.
fn write_workbook(
    columns: &[&Column],
    mut chunks: mpsc::Receiver<Vec<Value>>,
) -> std::result::Result<std::fs::File, WorkbookError> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    write_header(sheet, columns)?;
    let mut row_index = 0;
    while let Some(rows) = chunks.blocking_recv() {
        for row in rows {
            row_index += 1;
            if row_index > MAX_ROWS {
                let message = format!(
                    "The list has more than {MAX_ROWS} rows, the maximum of a sheet. Narrow the search, or export CSV (Accept: text/csv)."
                );
                return Err(WorkbookError::DoesNotFit("too_many_rows", message));
            }
            write_row(sheet, row_index, columns, &row)?;
        }
    }
    let mut file = tempfile::tempfile()?;
    workbook.save_to_writer(&mut file)?;
    Ok(file)
}

fn write_header(sheet: &mut Worksheet, columns: &[&Column]) -> std::result::Result<(), XlsxError> {
    let bold = Format::new().set_bold();
    for (column_index, column) in (0..).zip(columns) {
        sheet.write_string_with_format(0, column_index, column.name, &bold)?;
    }
    sheet.set_freeze_panes(1, 0)?;
    Ok(())
}

fn write_row(
    sheet: &mut Worksheet,
    row_index: u32,
    columns: &[&Column],
    row: &Value,
) -> std::result::Result<(), WorkbookError> {
    for (column_index, column) in (0..).zip(columns) {
        match column_value(column, row) {
            None => {}
            Some(Value::Bool(flag)) => {
                sheet.write_boolean(row_index, column_index, *flag)?;
            }
            Some(Value::Number(number)) => {
                write_exact_number(sheet, row_index, column_index, &number.to_string())?
            }
            Some(Value::String(text)) if matches!(column.kind, FilterKind::Money | FilterKind::Percent) => {
                write_exact_number(sheet, row_index, column_index, text)?;
            }
            Some(Value::String(text)) => {
                sheet.write_string(row_index, column_index, cell_text(text, column)?)?;
            }
            Some(value) => {
                sheet.write_string(row_index, column_index, cell_text(&value.to_string(), column)?)?;
            }
        }
    }
    Ok(())
}

/// Removes control characters that XML does not allow.
///
/// # Errors
/// The text is too long for a cell.
fn cell_text(text: &str, column: &Column) -> std::result::Result<String, WorkbookError> {
    let is_allowed = |character: &char| {
        matches!(character, '\t' | '\n' | '\r')
            || !matches!(character, '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
    };
    let text: String = text.chars().filter(is_allowed).collect();
    if text.encode_utf16().count() > MAX_CELL_UNITS {
        let message = format!(
            "A text in the column {} is longer than {MAX_CELL_UNITS} characters, the maximum of a cell. Export CSV (Accept: text/csv), or omit the column.",
            column.name
        );
        return Err(WorkbookError::DoesNotFit("text_too_long", message));
    }
    Ok(text)
}

/// Writes a number if a spreadsheet program can store all its digits, otherwise a string.
fn write_exact_number(
    sheet: &mut Worksheet,
    row: u32,
    column: u16,
    text: &str,
) -> std::result::Result<(), XlsxError> {
    let digit_count = text.bytes().filter(u8::is_ascii_digit).count();
    match text.parse::<f64>() {
        Ok(number) if digit_count <= MAX_EXACT_DIGITS => sheet.write_number(row, column, number)?,
        _ => sheet.write_string(row, column, text)?,
    };
    Ok(())
}
