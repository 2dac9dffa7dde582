//! Services as a file: `services export` writes what `services import` reads, so that an export which nobody touched
//! changes nothing.

mod diff;
mod export;
mod fields;
mod import;

pub(super) use export::EXPORT;
#[cfg(test)]
pub(crate) use fields::SCHEMA;
pub(super) use import::IMPORT;
