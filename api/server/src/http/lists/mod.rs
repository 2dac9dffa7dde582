//! Lists over HTTP: a page as JSON, the ids alone, or a file. The list engine in the platform runs the queries.

mod csv;
mod export;
mod serve;
mod xlsx;

pub use serve::{serve_list, serve_list_with_computed_columns};
