//! Lists over HTTP: one page as JSON, only the ids, or an exported file. The platform's `table` module runs the queries.

mod csv;
mod export;
mod serve;
mod xlsx;

pub use serve::{serve_list, serve_list_with_computed_columns};
