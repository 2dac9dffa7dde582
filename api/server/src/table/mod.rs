//! The one list engine: every list of the panel is a [`Table`] (data) and a function that shows a record.
//!
//! It does what is the same in all of them: allow-listed columns, bound values, exact totals from kept counts,
//! deep pages by rank, searches through trigram indexes, the ids projection, CSV. It knows no resource.

mod condition;
mod csv;
pub mod declare;
mod fetch;
mod order;
mod plan;
mod search;
mod serve;
mod size;
mod values;

pub use declare::{Arm, Column, Group, Index, Join, Kind, Table};
