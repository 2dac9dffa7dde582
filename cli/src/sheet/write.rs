//! Writes the file of an export. All cells are texts: money keeps its decimals, and no cell is a formula.

use panel_kernel::spreadsheet::escape_formula;
use rust_xlsxwriter::{Workbook, XlsxError};
use serde_json::{Map, Value};

use super::SheetFormat;
use super::field::{Field, Kind};
use crate::failure::{CmdResult, Failure};

/// The content of the file.
pub(crate) fn write(
    format: SheetFormat,
    fields: &[&Field],
    records: &[Map<String, Value>],
) -> CmdResult<Vec<u8>> {
    match format {
        SheetFormat::Csv => csv(fields, records).map_err(|error| Failure::failed(error.to_string())),
        SheetFormat::Xlsx => xlsx(fields, records).map_err(|error| Failure::failed(error.to_string())),
        SheetFormat::Json => json(fields, records),
    }
}

fn cells<'a>(fields: &'a [&Field], record: &'a Map<String, Value>) -> impl Iterator<Item = String> + 'a {
    let id = record.get("id").map(Value::to_string).unwrap_or_default();
    std::iter::once(id).chain(fields.iter().map(|field| field.text_of(record)))
}

fn header<'a>(fields: &'a [&Field]) -> impl Iterator<Item = &'static str> + 'a {
    std::iter::once("id").chain(fields.iter().map(|field| field.name))
}

fn csv(fields: &[&Field], records: &[Map<String, Value>]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(header(fields))?;
    for record in records {
        writer.write_record(cells(fields, record).map(|cell| escape_formula(&cell).into_owned()))?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

fn xlsx(fields: &[&Field], records: &[Map<String, Value>]) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet_with_constant_memory()?;
    for (column, name) in (0..).zip(header(fields)) {
        sheet.write_string(0, column, name)?;
    }
    for (row, record) in (1..).zip(records) {
        for (column, cell) in (0..).zip(cells(fields, record)) {
            sheet.write_string(row, column, cell)?;
        }
    }
    book.save_to_buffer()
}

fn json(fields: &[&Field], records: &[Map<String, Value>]) -> CmdResult<Vec<u8>> {
    let object = |record: &Map<String, Value>| {
        let mut values = Map::new();
        values.insert("id".to_owned(), record.get("id").cloned().unwrap_or_default());
        for field in fields {
            let text = field.text_of(record);
            let value =
                if field.kind == Kind::Text && text.is_empty() { Value::Null } else { field.value(&text) };
            values.insert(field.name.to_owned(), value);
        }
        Value::Object(values)
    };
    let all: Vec<Value> = records.iter().map(object).collect();
    let mut bytes = serde_json::to_vec_pretty(&all).map_err(|error| Failure::failed(error.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes)
}
