//! Lists over HTTP: a page as JSON, the ids alone, or a file. What a list is, the list engine knows.

mod csv;
mod export;
mod serve;
mod xlsx;

pub use serve::{answer, answer_beside};
