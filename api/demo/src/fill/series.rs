//! Statements over a series of whole numbers.

use panel_platform::db::{Dialect, Sql};

/// A column of whole numbers from the first bind to the second.
pub(crate) const SERIES: &str =
    "WITH RECURSIVE n (i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?) ";

/// `INSERT` over a series; the rest of the statement follows with `push`. SQLite wants the series behind the
/// target, and so does PostgreSQL.
pub(crate) fn over(into: &'static str, from: i64, to: i64) -> Sql {
    Sql::new(into).push(" ").push(SERIES).bind(from).bind(to)
}

/// Whether this is worth a different plan: PostgreSQL reads a recursive series through a temporary table.
pub(crate) fn chunk(dialect: Dialect) -> i64 {
    match dialect {
        Dialect::Sqlite => 500_000,
        Dialect::Postgres => 250_000,
    }
}
