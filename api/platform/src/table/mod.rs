//! The one list engine: every list of the panel is a [`Table`] (data) and a function that shows a record.
//!
//! It does what is the same in all of them: allow-listed columns, bound values, exact totals from kept counts,
//! deep pages by rank, searches through trigram indexes, the ids projection. It knows no resource and no HTTP.

pub mod chunks;
mod condition;
pub mod declare;
mod fetch;
mod order;
pub mod page;
mod parameters;
pub mod plan;
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

pub use declare::{Arm, Column, Find, Group, Index, Join, Kind, Table, Through};
