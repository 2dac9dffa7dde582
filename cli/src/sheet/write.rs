//! Writes the file of an export. All cells are strings, so that amounts keep their decimals and no cell is a formula.

use panel_kernel::spreadsheet::escape_formula;
use rust_xlsxwriter::{Workbook, XlsxError};
use serde_json::{Map, Value};

use super::SheetFormat;
use super::field::{Field, FieldKind};
use crate::failure::{CommandResult, Failure};

pub(crate) fn encode_file(
    format: SheetFormat,
    fields: &[&Field],
    records: &[Map<String, Value>],
) -> CommandResult<Vec<u8>> {
    match format {
        SheetFormat::Csv => encode_csv(fields, records).map_err(|error| Failure::failed(error.to_string())),
        SheetFormat::Xlsx => encode_xlsx(fields, records).map_err(|error| Failure::failed(error.to_string())),
        SheetFormat::Json => encode_json(fields, records),
    }
}

fn format_cells<'a>(
    fields: &'a [&Field],
    record: &'a Map<String, Value>,
) -> impl Iterator<Item = String> + 'a {
    let id = record.get("id").map(Value::to_string).unwrap_or_default();
    std::iter::once(id).chain(fields.iter().map(|field| field.format_cell(record)))
}

fn column_names<'a>(fields: &'a [&Field]) -> impl Iterator<Item = &'static str> + 'a {
    std::iter::once("id").chain(fields.iter().map(|field| field.name))
}

fn encode_csv(fields: &[&Field], records: &[Map<String, Value>]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(column_names(fields))?;
    for record in records {
        writer.write_record(format_cells(fields, record).map(|cell| escape_formula(&cell).into_owned()))?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

fn encode_xlsx(fields: &[&Field], records: &[Map<String, Value>]) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    for (column, name) in (0..).zip(column_names(fields)) {
        sheet.write_string(0, column, name)?;
    }
    for (row, record) in (1..).zip(records) {
        for (column, cell) in (0..).zip(format_cells(fields, record)) {
            sheet.write_string(row, column, cell)?;
        }
    }
    workbook.save_to_buffer()
}

fn encode_json(fields: &[&Field], records: &[Map<String, Value>]) -> CommandResult<Vec<u8>> {
    let record_object = |record: &Map<String, Value>| {
        let mut values = Map::new();
        values.insert("id".to_owned(), record.get("id").cloned().unwrap_or_default());
        for field in fields {
            let text = field.format_cell(record);
            let value = if field.kind == FieldKind::Text && text.is_empty() {
                Value::Null
            } else {
                field.to_json_value(&text)
            };
            values.insert(field.name.to_owned(), value);
        }
        Value::Object(values)
    };
    let objects: Vec<Value> = records.iter().map(record_object).collect();
    let mut bytes =
        serde_json::to_vec_pretty(&objects).map_err(|error| Failure::failed(error.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes)
}
