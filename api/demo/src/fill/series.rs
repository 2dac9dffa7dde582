//! SQL statements that insert one row per integer of a series.

use panel_platform::db::{Dialect, Sql};

/// A temporary table `n` whose column `i` holds the integers from the first bound value to the second.
pub(crate) const SERIES_SQL: &str =
    "WITH RECURSIVE n (i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?) ";

/// An `INSERT` with the series `n`; the caller appends the `SELECT`. The series follows the target table, because both databases
/// accept it there.
pub(crate) fn insert_series(insert_sql: &'static str, first: i64, last: i64) -> Sql {
    Sql::new(insert_sql).push(" ").push(SERIES_SQL).bind(first).bind(last)
}

/// Maximum number of rows of one `INSERT`. PostgreSQL gets fewer, because it materializes a recursive series in a temporary table.
pub(crate) fn max_rows_per_statement(dialect: Dialect) -> i64 {
    match dialect {
        Dialect::Sqlite => 500_000,
        Dialect::Postgres => 250_000,
    }
}
