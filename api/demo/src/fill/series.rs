//! Statements over a series of integers.

use panel_platform::db::{Dialect, Sql};

/// A column of integers from the first bind to the second.
pub(crate) const SERIES: &str =
    "WITH RECURSIVE n (i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?) ";

/// `INSERT` over a series; the rest of the statement follows with `push`. Both databases accept the series only after the target.
pub(crate) fn over(into: &'static str, from: i64, to: i64) -> Sql {
    Sql::new(into).push(" ").push(SERIES).bind(from).bind(to)
}

/// Rows per statement. PostgreSQL gets fewer, because it reads a recursive series through a temporary table.
pub(crate) fn chunk(dialect: Dialect) -> i64 {
    match dialect {
        Dialect::Sqlite => 500_000,
        Dialect::Postgres => 250_000,
    }
}
