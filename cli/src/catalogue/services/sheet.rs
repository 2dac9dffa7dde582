//! `services export` and `services import`: write and read files of services. Importing an unedited export changes nothing.

mod diff;
mod export;
mod fields;
mod import;

pub(super) use export::EXPORT;
#[cfg(test)]
pub(crate) use fields::SCHEMA;
pub(super) use import::IMPORT;
