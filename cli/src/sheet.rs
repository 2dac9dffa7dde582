//! Files of records: CSV, XLSX and JSON with one record a line. An export writes what an import reads, so that an export
//! which nobody touched changes nothing. Which fields the records have is declared by the command.

pub(crate) mod field;
#[cfg(test)]
mod fuzz;
mod json;
pub(crate) mod line;
pub(crate) mod read;
pub(crate) mod write;

use std::path::Path;

use field::Field;

use crate::failure::{Done, Failure};

/// What the records of a file are and which fields they have.
#[derive(Debug)]
pub(crate) struct Schema {
    /// What one record is called.
    pub(crate) one: &'static str,
    /// The fields in the order of an export, in parts.
    pub(crate) parts: &'static [&'static [Field]],
    /// What to do about a file that has no column `id`.
    pub(crate) id_advice: &'static str,
}

impl Schema {
    /// All fields, in the order of an export.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.parts.iter().copied().flatten()
    }

    /// The field of a column.
    pub(crate) fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields().find(|field| field.name == name)
    }

    /// The place of a field among the fields.
    fn place_of(&self, name: &str) -> Option<u16> {
        self.fields().position(|field| field.name == name).and_then(|place| u16::try_from(place).ok())
    }
}

/// What a file is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Csv,
    Xlsx,
    Json,
}

impl Form {
    pub(crate) fn of(file: &str) -> Done<Self> {
        let ending = Path::new(file).extension().and_then(|ending| ending.to_str());
        match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("xlsx") => Ok(Self::Xlsx),
            Some("json") => Ok(Self::Json),
            _ => Err(Failure::usage(format!("--file {file}: name it .csv, .xlsx or .json."))),
        }
    }
}
