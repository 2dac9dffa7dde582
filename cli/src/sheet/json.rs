//! A file of records as a JSON list of objects: each becomes a line as soon as it is read, so that no tree of the whole
//! file is ever in memory.

use std::fmt;

use panel_kernel::foreign::{JsonLimits, MAX_DEPTH, check_json_within};
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::Schema;
use super::line::{Cells, Column, Line, Lines, Unknown};
use crate::input::shortened;

/// Values of one file, those within lists included.
const MAX_VALUES: usize = 1_500_000;

/// The lines of a JSON text.
pub(super) fn lines_of_json(schema: &Schema, bytes: &[u8]) -> Result<Vec<Line>, String> {
    let limits = JsonLimits { depth: MAX_DEPTH, values: MAX_VALUES };
    check_json_within(bytes, limits).map_err(|error| error.to_string())?;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let list = List { schema, lines: Lines::default(), unknown: Unknown::default(), refused: None };
    let wrong =
        |error: serde_json::Error| format!("it is no list of objects: {}", shortened(&error.to_string()));
    let list = reader.deserialize_seq(list).map_err(wrong)?;
    reader.end().map_err(wrong)?;
    list.unknown.refuse(schema)?;
    match list.refused {
        Some(why) => Err(why),
        None => Ok(list.lines.into_vec()),
    }
}

/// What was read of the list.
struct List<'s> {
    schema: &'s Schema,
    lines: Lines,
    unknown: Unknown,
    /// Why the lines that follow are passed over.
    refused: Option<String>,
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut objects: A) -> Result<Self, A::Error> {
        let mut line = 0;
        while let Some(()) = objects.next_element_seed(Object { list: &mut self, line: line + 1 })? {
            line += 1;
        }
        Ok(self)
    }
}

/// One object of the list.
struct Object<'l, 's> {
    list: &'l mut List<'s>,
    line: u64,
}

impl<'de> DeserializeSeed<'de> for Object<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let (mut id, mut cells, mut seen) = (String::new(), Cells::default(), Vec::new());
        while let Some(name) = fields.next_key::<String>()? {
            match Column::of(self.list.schema, &name) {
                None => {
                    self.list.unknown.push(&name);
                    fields.next_value::<IgnoredAny>()?;
                }
                Some(column) if seen.contains(&column) => {
                    return Err(A::Error::custom(format!("{name} is there twice")));
                }
                Some(column) => {
                    let CellText(text) = fields.next_value()?;
                    match column {
                        Column::Id => id = text,
                        Column::Field(_) => cells.push(column, &text),
                    }
                    seen.push(column);
                }
            }
        }
        if self.list.refused.is_none() {
            self.list.refused = self.list.lines.add(self.line, &id, cells, None).err();
        }
        Ok(())
    }
}

/// A value as the text of a cell; a list with commas. A list never becomes values of its own, which take 50 times the
/// bytes of its text.
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
        formatter.write_str("a text, a number, true, false, null or a list of them")
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<String, A::Error> {
        let mut text = String::new();
        let mut is_first = true;
        while let Some(CellText(part)) = parts.next_element()? {
            if !std::mem::take(&mut is_first) {
                text.push(',');
            }
            text.push_str(&part);
        }
        Ok(text)
    }
}
