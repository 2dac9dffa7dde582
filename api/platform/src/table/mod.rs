//! The list engine: every list of the contract has a [`Table`] (its SQL as data) and a function that converts a row to a record.
//!
//! The engine has the common parts: allow-listed columns, bound values, exact totals from materialized counts, deep pages by
//! rank, searches by trigram indexes, and answers of ids only. It knows no resource and no HTTP.

mod check;
pub mod chunks;
mod column_sql;
mod condition;
pub mod declare;
mod fetch;
mod order;
pub mod page;
mod parameters;
pub mod plan;
mod resolve;
mod row_source;
pub mod rows;
mod search;
mod size;
mod values;

pub use plan::ComputedColumns;
pub use rows::{rows, rows_from};

use crate::db::Sql;
use crate::scope::Scope;

/// Selects the ids of the records whose texts in `index` contain `text`, for pickers.
#[must_use]
pub fn search_ids(index: &Index, text: &str, scope: &Scope) -> Sql {
    search::matching_ids(index, "", text, scope.db().dialect(), false)
}

/// Condition that `expr` contains `text`, ignoring case, for small tables without an index.
#[must_use]
pub fn text_has(expr: &'static str, text: &str, scope: &Scope) -> Sql {
    search::contains(expr, text, search::MatchPosition::Anywhere, scope.db().dialect())
}

pub use column_sql::{ColumnSql, Group, base, expr};
pub use declare::Table;
pub use resolve::{Column, Kind};
pub use row_source::{Find, Index, Join, JoinTable, RowSource, SearchTarget};
