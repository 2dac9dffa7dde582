//! The one list engine: every list of the panel is a [`Table`] (data) and a function that shows a record.
//!
//! It does what is the same in all of them: allow-listed columns, bound values, exact totals from kept counts,
//! deep pages by rank, searches through trigram indexes, the ids projection, CSV and XLSX. It knows no resource.

mod condition;
mod csv;
pub mod declare;
mod export;
mod fetch;
mod order;
mod parameters;
mod plan;
mod search;
mod serve;
mod size;
mod values;
mod xlsx;

pub use plan::WorkedOut;
pub use serve::{answer, answer_beside, rows, rows_from};

use crate::db::Sql;
use crate::http::Ctx;

/// The ids of the records whose texts in `index` have `text` in them, for pickers.
#[must_use]
pub fn search_ids(index: &Index, text: &str, ctx: &Ctx) -> Sql {
    search::found(index, "", text, ctx.db().dialect(), false)
}

/// `expr` has `text` in it, ignoring case, for small tables without an index.
#[must_use]
pub fn text_has(expr: &'static str, text: &str, ctx: &Ctx) -> Sql {
    search::has(expr, text, search::Part::Anywhere, ctx.db().dialect())
}

pub use declare::{Arm, Column, Find, Group, Index, Join, Kind, Table, Through};
