//! Services as a file: `services export` writes what `services import` reads, so that an export which nobody touched
//! changes nothing.

mod diff;
mod export;
mod fields;
#[cfg(test)]
mod fuzz;
mod import;
mod json;
mod line;
mod read;
mod write;

pub(super) use export::EXPORT;
pub(super) use import::IMPORT;

use std::path::Path;

use crate::failure::{Done, Failure};

/// What a file is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Csv,
    Xlsx,
    Json,
}

impl Form {
    fn of(file: &str) -> Done<Self> {
        let ending = Path::new(file).extension().and_then(|ending| ending.to_str());
        match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("xlsx") => Ok(Self::Xlsx),
            Some("json") => Ok(Self::Json),
            _ => Err(Failure::usage(format!("--file {file}: name it .csv, .xlsx or .json."))),
        }
    }
}
