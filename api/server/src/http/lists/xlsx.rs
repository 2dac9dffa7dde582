//! A list as a workbook with one sheet. Written to a file first, as a sheet cannot be streamed; memory stays small
//! however many rows there are. Texts are texts: nothing that a customer typed becomes a formula.

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

use crate::http::lists::export::{Export, fault, value};
use panel_platform::db::Row;
use panel_platform::table::{Column, Kind};

/// Rows of a sheet, without its head.
const MOST_ROWS: u32 = 1_048_575;
/// Longest text of a cell, in UTF-16 units.
const MOST_UNITS: usize = 32_767;
/// Digits that a spreadsheet's numbers keep.
const EXACT_DIGITS: usize = 15;
/// Bytes sent at once.
const PIECE: usize = 64 * 1_024;

/// Why a workbook was not made.
enum Failure {
    /// It cannot hold what the list holds; the sentence says what to do.
    Unfit(&'static str, String),
    Fault(String),
}

impl From<XlsxError> for Failure {
    fn from(error: XlsxError) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unfit(code, sentence) => Self::invalid("length", code, sentence),
            Failure::Fault(text) => Self::Fault(text),
        }
    }
}

/// Writes the workbook, then streams it.
pub(super) async fn answer<R: Row, O: Serialize + Send + 'static>(
    mut export: Export<R, O>,
) -> Result<Response> {
    let headers = export.headers(FileKind::Xlsx)?;
    let columns = export.columns.clone();
    // One chunk waits while one is written, so memory stays small; the disk keeps no thread of other requests.
    let (sender, chunks) = mpsc::channel(1);
    let writing = tokio::task::spawn_blocking(move || written(&columns, chunks));
    let read = send(&mut export, sender).await;
    let file = writing.await.map_err(fault)?;
    read?;
    let mut file = tokio::fs::File::from_std(file?);
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

/// Hands all rows to the writer, until one of both ends.
async fn send<R: Row, O: Serialize>(
    export: &mut Export<R, O>,
    sender: mpsc::Sender<Vec<Value>>,
) -> Result<()> {
    while let Some(rows) = export.next().await? {
        if sender.send(rows).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// The workbook as a file without a name, gone with its last handle.
fn written(
    columns: &[&Column],
    mut chunks: mpsc::Receiver<Vec<Value>>,
) -> std::result::Result<std::fs::File, Failure> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    head(sheet, columns)?;
    let mut at = 0;
    while let Some(rows) = chunks.blocking_recv() {
        for row in rows {
            at += 1;
            if at > MOST_ROWS {
                let sentence = format!(
                    "A sheet holds {MOST_ROWS} rows; narrow the search, or take CSV (Accept: text/csv)."
                );
                return Err(Failure::Unfit("too_many_rows", sentence));
            }
            line(sheet, at, columns, &row)?;
        }
    }
    let mut file = tempfile::tempfile()?;
    workbook.save_to_writer(&mut file)?;
    Ok(file)
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
) -> std::result::Result<(), Failure> {
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
                sheet.write_string(at, column, fitting(text, name)?)?;
            }
            Some(other) => {
                sheet.write_string(at, column, fitting(&other.to_string(), name)?)?;
            }
        }
    }
    Ok(())
}

/// A text without the control characters that XML cannot carry; none that a cell would have to cut.
fn fitting(text: &str, column: &Column) -> std::result::Result<String, Failure> {
    let carried = |letter: &char| {
        matches!(letter, '\t' | '\n' | '\r') || !matches!(letter, '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
    };
    let text: String = text.chars().filter(carried).collect();
    if text.encode_utf16().count() > MOST_UNITS {
        let sentence = format!(
            "A text in {} is longer than the {MOST_UNITS} characters of a cell; take CSV (Accept: text/csv), or leave the column out.",
            column.name
        );
        return Err(Failure::Unfit("text_too_long", sentence));
    }
    Ok(text)
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
