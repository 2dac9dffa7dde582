//! The list engine. Every list of the contract has a [`Table`] (its SQL as data) and a function that converts a row to a record.
//!
//! The engine does what all lists need: it allows declared columns only, binds values, reads exact totals from materialized
//! counts, finds deep pages by their rank, searches texts by trigram indexes, and returns ids only. It knows no resource and no
//! HTTP.

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
pub use rows::{load_rows, load_rows_from};

use crate::db::Sql;
use crate::scope::Scope;

/// Selects the ids of the records whose texts in `index` contain `text`, for pickers.
#[must_use]
pub fn select_matching_ids(index: &TextIndex, text: &str, scope: &Scope) -> Sql {
    search::matching_ids(index, "", text, scope.db().dialect(), false)
}

/// Returns the condition that `expr` contains `text` in any case, for small tables without an index.
#[must_use]
pub fn contains_text(expr: &'static str, text: &str, scope: &Scope) -> Sql {
    search::contains(expr, text, search::MatchPosition::Anywhere, scope.db().dialect())
}

pub use column_sql::{ColumnSql, CountGroup, base_column, expr};
pub use declare::Table;
pub use resolve::{Column, FilterKind};
pub use row_source::{IndexKind, Join, JoinTable, RowSource, SearchTarget, TextIndex};
