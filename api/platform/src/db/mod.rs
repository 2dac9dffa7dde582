//! The only module that depends on whether the database is SQLite or PostgreSQL.
//!
//! One SQL text runs on both databases: [`Sql`] renders the few differences, and [`SqlExecutor`] runs it on a reader, as a single write
//! or in a transaction. This module contains no business rule and no HTTP.

pub mod availability;
pub mod backup;
pub mod bulk;
pub mod checkpoint;
pub mod cluster;
mod connection_check;
pub mod counts;
mod dialect;
pub mod error;
pub mod facts;
mod measure;
pub mod named;
pub mod names;
pub mod notify;
pub mod open;
pub mod postgres_options;
mod prober;
pub mod retry;
pub mod run;
pub mod sql;
pub mod state;
mod statement_name;
#[cfg(test)]
mod tests;
mod transaction;
pub mod transaction_horizon;

pub use dialect::Dialect;
pub use error::{DbError, DbResult};
pub use open::{Db, DbConfig};
pub use run::{DbRow, SqlExecutor};
pub use sql::{Sql, Val};
pub use transaction::Tx;
