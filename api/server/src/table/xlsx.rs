//! A list as a workbook with one sheet. Written to a file first, as a sheet cannot be streamed; memory stays small
//! however many rows there are. Texts are texts: nothing that a customer typed becomes a formula.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};
use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

use crate::db::Row;
use crate::http::context::FileKind;
use crate::http::error::{ApiError, Result};
use crate::table::export::{Export, fault, value};
use crate::table::{Column, Kind};

/// Rows of a sheet, without its head.
const MOST_ROWS: u32 = 1_048_575;
/// Digits that a spreadsheet's numbers keep.
const EXACT_DIGITS: usize = 15;
/// Bytes sent at once.
const PIECE: usize = 64 * 1_024;

/// Writes the workbook, then streams it.
pub(super) async fn answer<R: Row, O: Serialize + Send + 'static>(
    mut export: Export<R, O>,
) -> Result<Response> {
    let headers = export.headers(FileKind::Xlsx)?;
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet_with_constant_memory().map_err(fault)?;
    head(sheet, &export.columns).map_err(fault)?;
    let mut at = 0;
    while let Some(rows) = export.next().await? {
        for row in rows {
            at += 1;
            if at > MOST_ROWS {
                let message = format!(
                    "A sheet holds {MOST_ROWS} rows; narrow the search, or take CSV (Accept: text/csv)."
                );
                return Err(ApiError::invalid("length", "too_many_rows", message));
            }
            line(sheet, at, &export.columns, &row).map_err(fault)?;
        }
    }
    let file = tokio::task::spawn_blocking(move || {
        let mut file = tempfile::tempfile()?;
        workbook.save_to_writer(&mut file).map_err(std::io::Error::other)?;
        Ok::<_, std::io::Error>(file)
    });
    let mut file = tokio::fs::File::from_std(file.await.map_err(fault)?.map_err(fault)?);
    file.rewind().await.map_err(fault)?;
    let pieces = stream::unfold(Some(file), async |file| {
        let mut file = file?;
        let mut piece = vec![0; PIECE];
        match file.read(&mut piece).await {
            Ok(0) => None,
            Ok(read) => {
                piece.truncate(read);
                Some((Ok(Bytes::from(piece)), Some(file)))
            }
            Err(error) => Some((Err(error), None)),
        }
    });
    Ok((headers, Body::from_stream(pieces)).into_response())
}

fn head(sheet: &mut Worksheet, columns: &[&Column]) -> std::result::Result<(), XlsxError> {
    let bold = Format::new().set_bold();
    for (at, column) in (0..).zip(columns) {
        sheet.write_string_with_format(0, at, column.name, &bold)?;
    }
    sheet.set_freeze_panes(1, 0)?;
    Ok(())
}

fn line(
    sheet: &mut Worksheet,
    at: u32,
    columns: &[&Column],
    row: &Value,
) -> std::result::Result<(), XlsxError> {
    for (column, name) in (0..).zip(columns) {
        match value(name, row) {
            None => {}
            Some(Value::Bool(flag)) => {
                sheet.write_boolean(at, column, *flag)?;
            }
            Some(Value::Number(number)) => write_exact(sheet, at, column, &number.to_string())?,
            Some(Value::String(text)) if matches!(name.kind, Kind::Money | Kind::Percent) => {
                write_exact(sheet, at, column, text)?;
            }
            Some(Value::String(text)) => {
                sheet.write_string(at, column, text)?;
            }
            Some(other) => {
                sheet.write_string(at, column, other.to_string())?;
            }
        }
    }
    Ok(())
}

/// A number where a spreadsheet keeps every digit of it, a text where it would not.
fn write_exact(
    sheet: &mut Worksheet,
    row: u32,
    column: u16,
    text: &str,
) -> std::result::Result<(), XlsxError> {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    match text.parse::<f64>() {
        Ok(number) if digits <= EXACT_DIGITS => sheet.write_number(row, column, number)?,
        _ => sheet.write_string(row, column, text)?,
    };
    Ok(())
}
