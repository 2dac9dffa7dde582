//! Statements over a series of integers.

use panel_platform::db::{Dialect, Sql};

/// A table `n` with a column `i` of integers from the first bind to the second.
pub(crate) const SERIES: &str =
    "WITH RECURSIVE n (i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?) ";

/// An `INSERT` with the series `n`; the caller adds the `SELECT` with `push`. Both databases accept a series only after the target.
pub(crate) fn insert_series(into: &'static str, from: i64, to: i64) -> Sql {
    Sql::new(into).push(" ").push(SERIES).bind(from).bind(to)
}

/// PostgreSQL gets fewer, because it reads a recursive series through a temporary table.
pub(crate) fn rows_per_statement(dialect: Dialect) -> i64 {
    match dialect {
        Dialect::Sqlite => 500_000,
        Dialect::Postgres => 250_000,
    }
}
