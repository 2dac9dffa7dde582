//! Writes the file of an export. Everything is a text in it: money keeps its decimals, and nothing is a formula.

use panel_kernel::spreadsheet::guarded;
use rust_xlsxwriter::{Workbook, XlsxError};
use serde_json::{Map, Value};

use super::Form;
use super::field::{Field, Kind};
use crate::failure::{Done, Failure};

/// The bytes of a file.
pub(crate) fn write(form: Form, fields: &[&Field], records: &[Map<String, Value>]) -> Done<Vec<u8>> {
    match form {
        Form::Csv => csv(fields, records).map_err(|error| Failure::failed(error.to_string())),
        Form::Xlsx => xlsx(fields, records).map_err(|error| Failure::failed(error.to_string())),
        Form::Json => json(fields, records),
    }
}

fn cells<'a>(fields: &'a [&Field], record: &'a Map<String, Value>) -> impl Iterator<Item = String> + 'a {
    let id = record.get("id").map(Value::to_string).unwrap_or_default();
    std::iter::once(id).chain(fields.iter().map(|field| field.text_of(record)))
}

fn head<'a>(fields: &'a [&Field]) -> impl Iterator<Item = &'static str> + 'a {
    std::iter::once("id").chain(fields.iter().map(|field| field.name))
}

fn csv(fields: &[&Field], records: &[Map<String, Value>]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(head(fields))?;
    for record in records {
        writer.write_record(cells(fields, record).map(|cell| guarded(&cell).into_owned()))?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

fn xlsx(fields: &[&Field], records: &[Map<String, Value>]) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet_with_constant_memory()?;
    for (column, name) in (0..).zip(head(fields)) {
        sheet.write_string(0, column, name)?;
    }
    for (row, record) in (1..).zip(records) {
        for (column, cell) in (0..).zip(cells(fields, record)) {
            sheet.write_string(row, column, cell)?;
        }
    }
    book.save_to_buffer()
}

fn json(fields: &[&Field], records: &[Map<String, Value>]) -> Done<Vec<u8>> {
    let one = |record: &Map<String, Value>| {
        let mut told = Map::new();
        told.insert("id".to_owned(), record.get("id").cloned().unwrap_or_default());
        for field in fields {
            let text = field.text_of(record);
            let value =
                if field.kind == Kind::Text && text.is_empty() { Value::Null } else { field.value(&text) };
            told.insert(field.name.to_owned(), value);
        }
        Value::Object(told)
    };
    let all: Vec<Value> = records.iter().map(one).collect();
    let mut bytes = serde_json::to_vec_pretty(&all).map_err(|error| Failure::failed(error.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes)
}
