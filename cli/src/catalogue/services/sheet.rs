//! Services as a file: `services export` writes what `services import` reads. Importing an unedited export changes nothing.

mod diff;
mod export;
mod fields;
mod import;

pub(super) use export::EXPORT;
#[cfg(test)]
pub(crate) use fields::SCHEMA;
pub(super) use import::IMPORT;
