//! Parses a JSON list of objects. Each object becomes a line as soon as it is parsed, so that the whole file is never in memory as
//! a tree.

use std::fmt;

use panel_kernel::untrusted_data::{JsonLimits, MAX_DEPTH, check_json_within};
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::Schema;
use super::line::{Cells, Line, LineCollector, SheetColumn, UnknownColumns};
use crate::input::shorten;

/// Maximum number of values in one file, including the elements of lists.
const MAX_VALUES: usize = 1_500_000;

pub(super) fn parse_json_lines(schema: &Schema, bytes: &[u8]) -> Result<Vec<Line>, String> {
    let limits = JsonLimits { depth: MAX_DEPTH, values: MAX_VALUES };
    check_json_within(bytes, limits).map_err(|error| format!("the JSON is rejected: {error}"))?;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let list_visitor = ListVisitor {
        schema,
        lines: LineCollector::default(),
        unread_columns: UnknownColumns::default(),
        error: None,
    };
    let list_error = |error: serde_json::Error| {
        format!("the file is not a list of objects: {}", shorten(&error.to_string()))
    };
    let list = reader.deserialize_seq(list_visitor).map_err(list_error)?;
    reader.end().map_err(list_error)?;
    list.unread_columns.into_result(schema)?;
    match list.error {
        Some(error) => Err(error),
        None => Ok(list.lines.into_vec()),
    }
}

struct ListVisitor<'s> {
    schema: &'s Schema,
    lines: LineCollector,
    unread_columns: UnknownColumns,
    /// The first error of the collector. After an error, later lines are not collected.
    error: Option<String>,
}

impl<'de> Visitor<'de> for ListVisitor<'_> {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list_elements: A) -> Result<Self, A::Error> {
        let mut line_number = 0;
        while let Some(()) =
            list_elements.next_element_seed(ObjectSeed { list: &mut self, line_number: line_number + 1 })?
        {
            line_number += 1;
        }
        Ok(self)
    }
}

struct ObjectSeed<'l, 's> {
    list: &'l mut ListVisitor<'s>,
    line_number: u64,
}

impl<'de> DeserializeSeed<'de> for ObjectSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ObjectSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let (mut id, mut cells, mut read_columns) = (String::new(), Cells::default(), Vec::new());
        while let Some(name) = fields.next_key::<String>()? {
            match SheetColumn::from_name(self.list.schema, &name) {
                None => {
                    self.list.unread_columns.push(&name);
                    fields.next_value::<IgnoredAny>()?;
                }
                Some(column) if read_columns.contains(&column) => {
                    return Err(A::Error::custom(format!("{name} occurs twice")));
                }
                Some(column) => {
                    let CellText(text) = fields.next_value()?;
                    match column {
                        SheetColumn::Id => id = text,
                        SheetColumn::Field(_) => cells.push(column, &text),
                    }
                    read_columns.push(column);
                }
            }
        }
        if self.list.error.is_none() {
            self.list.error = self.list.lines.push_cells(self.line_number, &id, cells, None).err();
        }
        Ok(())
    }
}

/// The text of a cell; the elements of a list are separated by commas. A list is never parsed into values, because the values need 50
/// times the memory of the text.
struct CellText(String);

impl<'de> Deserialize<'de> for CellText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor).map(Self)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = String;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string, a number, true, false, null or a list of these values")
    }

    fn visit_unit<E: Error>(self) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<String, E> {
        Ok(flag.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<String, A::Error> {
        let mut text = String::new();
        let mut is_first = true;
        while let Some(CellText(element)) = elements.next_element()? {
            if !std::mem::take(&mut is_first) {
                text.push(',');
            }
            text.push_str(&element);
        }
        Ok(text)
    }
}
