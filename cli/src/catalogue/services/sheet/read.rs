//! A file as lines of cells, whatever it is. Says every fault with its line; knows nothing of services but the names of
//! columns.

use std::collections::BTreeMap;

use calamine::{Data, Reader as _, Xlsx};
use serde_json::{Map, Value};

use super::Form;
use super::fields::{field, fields};
use super::write::unguarded;
use crate::failure::{Done, Failure};

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Where it stands: the line of a text, the row of a workbook, the place in a list of JSON, from 1.
    pub(super) line: u64,
    /// The service it is about; none for a new one.
    pub(super) id: Option<i64>,
    /// Cells by column; what a JSON object does not name is not there.
    pub(super) cells: BTreeMap<&'static str, String>,
    /// What is wrong with it as a whole.
    pub(super) fault: Option<String>,
}

/// The lines of a file.
pub(super) fn read(file: &str) -> Done<Vec<Line>> {
    let told = |why: &dyn std::fmt::Display| Failure::usage(format!("--file {file}: {why}."));
    let form = Form::of(file)?;
    let bytes = std::fs::read(file).map_err(|error| told(&error))?;
    let lines = match form {
        Form::Csv => of_csv(&bytes),
        Form::Xlsx => of_xlsx(bytes),
        Form::Json => of_json(&bytes),
    };
    let lines = lines.map_err(|error| told(&error))?;
    if lines.is_empty() {
        return Err(told(&"there is no service in it"));
    }
    Ok(lines)
}

fn of_csv(bytes: &[u8]) -> Result<Vec<Line>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())?;
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut head = None;
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let start = record.position().map_or(0, csv::Position::byte);
        let line = line_at(text, usize::try_from(start).unwrap_or(0));
        let cells: Vec<String> = record.iter().map(unguarded).collect();
        match &head {
            None => head = Some(columns(&cells)?),
            Some(head) => lines.extend(line_of(line, head, &cells)),
        }
    }
    Ok(lines)
}

/// The line that a record stands on; the reader's own count stands still at empty lines.
fn line_at(text: &str, start: usize) -> u64 {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let start = start + rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let before = text.as_bytes().get(..start).unwrap_or_default();
    1 + u64::try_from(before.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(0)
}

fn of_xlsx(bytes: Vec<u8>) -> Result<Vec<Line>, String> {
    let mut book: Xlsx<_> = Xlsx::new(std::io::Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let range = book.worksheet_range_at(0).ok_or_else(|| "it has no sheet".to_owned())?;
    let range = range.map_err(|error| error.to_string())?;
    let first = range.start().map_or(0, |(row, _)| u64::from(row)) + 1;
    let mut rows = (first..).zip(range.rows());
    let Some((_, head)) = rows.next() else { return Ok(Vec::new()) };
    let head = columns(&head.iter().map(cell).collect::<Vec<_>>())?;
    Ok(rows.flat_map(|(line, row)| line_of(line, &head, &row.iter().map(cell).collect::<Vec<_>>())).collect())
}

/// A cell as a text; a number as it is written shortest, so that what was typed comes out.
fn cell(data: &Data) -> String {
    match data {
        Data::Empty => String::new(),
        Data::String(text) => text.clone(),
        Data::Bool(flag) => flag.to_string(),
        Data::Int(number) => number.to_string(),
        Data::Float(number) => number.to_string(),
        other => other.to_string(),
    }
}

fn of_json(bytes: &[u8]) -> Result<Vec<Line>, String> {
    let all: Vec<Map<String, Value>> =
        serde_json::from_slice(bytes).map_err(|error| format!("it is no list of objects: {error}"))?;
    let names: Vec<String> = all.iter().flat_map(|one| one.keys().cloned()).collect();
    columns(&names.iter().map(String::as_str).chain(["id"]).map(str::to_owned).collect::<Vec<_>>())?;
    let line = |(line, one): (u64, Map<String, Value>)| {
        let text = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(all) => {
                let part = |part: &Value| part.as_str().map_or_else(|| part.to_string(), str::to_owned);
                all.iter().map(part).collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        };
        let cells = one.iter().filter_map(|(name, value)| Some((field(name)?.name, text(value)))).collect();
        identified(line, one.get("id").map(text).unwrap_or_default().trim(), cells)
    };
    Ok((1..).zip(all).map(line).collect())
}

/// The columns of a file; unknown ones are refused with the known ones.
fn columns(names: &[String]) -> Result<Vec<&'static str>, String> {
    let known = |name: &String| match name.trim() {
        "id" => Some("id"),
        name => field(name).map(|field| field.name),
    };
    let unknown: Vec<&str> =
        names.iter().filter(|name| known(name).is_none()).map(|name| name.trim()).collect();
    if !unknown.is_empty() {
        let all: Vec<&str> = std::iter::once("id").chain(fields().map(|field| field.name)).collect();
        return Err(format!("there is no column {}; known are {}", unknown.join(", "), all.join(", ")));
    }
    let columns: Vec<&'static str> = names.iter().filter_map(known).collect();
    if !columns.contains(&"id") {
        return Err("the column id is missing; leave its cells empty for new services".to_owned());
    }
    Ok(columns)
}

/// A line of cells; none for an empty one.
fn line_of(line: u64, head: &[&'static str], cells: &[String]) -> Option<Line> {
    if cells.iter().all(|cell| cell.trim().is_empty()) {
        return None;
    }
    let id = head.iter().position(|name| *name == "id").and_then(|at| cells.get(at));
    let by_name = head.iter().zip(cells).filter(|(name, _)| **name != "id");
    let by_name = by_name.map(|(name, cell)| (*name, cell.clone())).collect();
    let mut told = identified(line, id.map_or("", |id| id.trim()), by_name);
    if cells.len() != head.len() {
        told.fault = Some(format!("{} cells instead of {}", cells.len(), head.len()));
    }
    Some(told)
}

fn identified(line: u64, id: &str, cells: BTreeMap<&'static str, String>) -> Line {
    let number = id.parse::<i64>().ok().filter(|id| *id > 0);
    let fault = (number.is_none() && !id.is_empty()).then(|| format!("{id:?} is no id"));
    Line { line, id: number, cells, fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_where_they_stand() {
        let lines = of_csv(
            "\u{feff}id,name,default_price\r\n7,'=Likes,2.5\r\n\r\n,\"New\none\",1\nx,A,1\n8,A\n".as_bytes(),
        );
        let lines = lines.unwrap();
        let seen: Vec<_> = lines.iter().map(|line| (line.line, line.id, line.fault.is_some())).collect();
        assert_eq!(seen, [(2, Some(7), false), (4, None, false), (6, None, true), (7, Some(8), true)]);
        assert_eq!(
            (lines[0].cells["name"].as_str(), lines[1].cells["name"].as_str()),
            ("=Likes", "New\none")
        );
    }

    #[test]
    fn unknown_columns_are_refused_with_the_known_ones() {
        let told = of_csv(b"id,nmae,price\n1,a,2\n").unwrap_err();
        assert!(told.contains("nmae, price") && told.contains("default_price"), "{told}");
        assert!(of_csv(b"name\nA\n").unwrap_err().contains("column id is missing"));
        assert!(of_json(br#"[{"id":1,"nmae":"a"}]"#).unwrap_err().contains("nmae"));
    }

    #[test]
    fn json_leaves_alone_what_it_does_not_name() {
        let lines =
            of_json(br#"[{"id":7,"labels":[2,1],"slug":null},{"name":"New","default_price":"0.10"}]"#)
                .unwrap();
        let cells: Vec<_> = lines[0].cells.iter().map(|(name, cell)| (*name, cell.as_str())).collect();
        assert_eq!(cells, [("labels", "2,1"), ("slug", "")]);
        assert_eq!((lines[1].id, lines[1].cells["default_price"].as_str()), (None, "0.10"));
    }
}
