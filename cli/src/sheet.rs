//! Files of records: CSV, XLSX and JSON with one record per line. An export writes the format that an import reads, so that
//! importing an unedited export changes nothing. The command declares the fields of its records.

pub(crate) mod field;
#[cfg(test)]
mod fuzz;
mod json;
pub(crate) mod line;
pub(crate) mod read;
pub(crate) mod write;

use std::path::Path;

use field::Field;

use crate::failure::{CommandResult, Failure};

/// The records of a file and their fields.
#[derive(Debug)]
pub(crate) struct Schema {
    /// Singular noun of a record.
    pub(crate) singular: &'static str,
    /// The fields in the order of an export, in groups that several schemas can share.
    pub(crate) field_groups: &'static [&'static [Field]],
    /// What to do if a file has no column `id`.
    pub(crate) id_advice: &'static str,
}

impl Schema {
    /// All fields in the order of an export.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.field_groups.iter().copied().flatten()
    }

    pub(crate) fn find_field(&self, name: &str) -> Option<&'static Field> {
        self.fields().find(|field| field.name == name)
    }

    fn field_index(&self, name: &str) -> Option<u16> {
        self.fields().position(|field| field.name == name).and_then(|index| u16::try_from(index).ok())
    }
}

/// The format of a file, selected by its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SheetFormat {
    Csv,
    Xlsx,
    Json,
}

impl SheetFormat {
    pub(crate) fn from_path(file: &str) -> CommandResult<Self> {
        let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("xlsx") => Ok(Self::Xlsx),
            Some("json") => Ok(Self::Json),
            _ => Err(Failure::usage(format!("--file {file}: the extension must be .csv, .xlsx or .json."))),
        }
    }
}
