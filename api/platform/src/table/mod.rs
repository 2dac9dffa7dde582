//! The one list engine: every list of the contract has a [`Table`] (its SQL as data) and a function that shows a record.
//!
//! It does what is the same in all of them: allow-listed columns, bound values, exact totals from kept counts,
//! deep pages by rank, searches through trigram indexes, the ids projection. It knows no resource and no HTTP.

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

pub use plan::WorkedOut;
pub use rows::{rows, rows_from};

use crate::db::Sql;
use crate::scope::Scope;

/// The ids of the records whose texts in `index` have `text` in them, for pickers.
#[must_use]
pub fn search_ids(index: &Index, text: &str, scope: &Scope) -> Sql {
    search::found(index, "", text, scope.db().dialect(), false)
}

/// `expr` has `text` in it, ignoring case, for small tables without an index.
#[must_use]
pub fn text_has(expr: &'static str, text: &str, scope: &Scope) -> Sql {
    search::has(expr, text, search::Part::Anywhere, scope.db().dialect())
}

pub use column_sql::{ColumnSql, Group, base, expr};
pub use declare::Table;
pub use resolve::{Column, Kind};
pub use row_source::{Arm, Find, Index, Join, RowSource, Through};
