//! Records the duration of statements, of waits for a connection and of transactions as metrics and spans, and adds them to the
//! statistics of the current request or poll.

use std::time::{Duration, Instant};

use ::metrics::SharedString;
use tracing::Span;

use crate::db::statement_name::StatementName;
use crate::db::{DbError, DbResult, Dialect};
use crate::metrics::Counter;
use crate::metrics::catalogue::{DB_ACQUIRE_DURATION, DB_ERRORS, DB_STATEMENT_DURATION, DB_TRANSACTIONS};
use crate::telemetry::spans;
use crate::telemetry::stats::UnitStats;

/// Labels of the pools.
pub(super) const READ: &str = "read";
pub(super) const WRITE: &str = "write";

/// Times one statement.
pub(super) struct StatementTimer {
    name: StatementName,
    begun: Instant,
}

impl StatementTimer {
    /// Starts the timer, after the statement has its connection.
    pub(super) fn begin(name: StatementName) -> Self {
        Self { name, begun: Instant::now() }
    }

    /// Records the statement; `rows` counts the rows that it read or wrote.
    pub(super) fn end<T>(self, result: DbResult<T>, rows: impl FnOnce(&T) -> u64) -> DbResult<T> {
        let took = self.begun.elapsed();
        let StatementName { operation, table } = self.name;
        DB_STATEMENT_DURATION.with([operation, table]).record(took);
        UnitStats::count(result.as_ref().map_or(0, rows), took);
        count_error(result)
    }
}

/// Counts the error of a failed statement.
pub(super) fn count_error<T>(result: DbResult<T>) -> DbResult<T> {
    result.inspect_err(|error| DB_ERRORS.with([error.label()]).increment(1))
}

/// Waits for a connection of a pool and records the wait.
pub(super) async fn measure_acquire<T>(
    pool: &'static str,
    connection: impl Future<Output = DbResult<T>>,
) -> DbResult<T> {
    let begun = Instant::now();
    let connection = connection.await;
    DB_ACQUIRE_DURATION.with([pool]).record(begun.elapsed());
    count_error(connection)
}

/// Statistics and outcome of a transaction: `dropped` where it has begun and [`Self::end`] is not called. It does not hold the
/// transaction itself, so that a commit can move that out of [`Tx`](crate::db::Tx).
pub(super) struct TransactionTrace {
    span: Span,
    /// None until the transaction has begun.
    outcome: Option<&'static str>,
    statements: u64,
    rows: u64,
    on_commit: Vec<(&'static Counter<1>, SharedString, u64)>,
}

impl TransactionTrace {
    /// Begins the span, before the wait for a connection.
    pub(super) fn begin(dialect: Dialect) -> Self {
        // The names of OpenTelemetry.
        let span = spans::transaction(match dialect {
            Dialect::Sqlite => "sqlite",
            Dialect::Postgres => "postgresql",
        });
        Self { span, outcome: None, statements: 0, rows: 0, on_commit: Vec::new() }
    }

    /// Records that the transaction has begun after waiting for `waited`.
    pub(super) fn begun(&mut self, waited: Duration) {
        self.outcome = Some("dropped");
        self.span.record("wait_ms", i64::try_from(waited.as_millis()).unwrap_or(i64::MAX));
    }

    /// Counts a statement.
    pub(super) fn count<T>(&mut self, result: &DbResult<T>, rows: impl FnOnce(&T) -> u64) {
        self.statements += 1;
        self.rows += result.as_ref().map_or(0, rows);
    }

    /// Adds `n` to a series at the commit.
    pub(super) fn count_on_commit(&mut self, counter: &'static Counter<1>, label: SharedString, n: u64) {
        self.on_commit.push((counter, label, n));
    }

    /// Records how a commit or a rollback ended.
    pub(super) fn end(mut self, outcome: &'static str, result: DbResult<()>) -> DbResult<()> {
        self.outcome = Some(match &result {
            Ok(()) => outcome,
            Err(DbError::UnknownOutcome(_)) => "unknown",
            // The database rolls back a commit that it refuses.
            Err(_) => "rollback",
        });
        if result.is_ok() && outcome == "commit" {
            for (counter, label, n) in self.on_commit.drain(..) {
                counter.with([label]).increment(n);
            }
        }
        count_error(result)
    }
}

impl Drop for TransactionTrace {
    fn drop(&mut self) {
        if let Some(outcome) = self.outcome {
            DB_TRANSACTIONS.with([outcome]).increment(1);
            self.span.record("outcome", outcome);
        }
        self.span.record("statements", spans::number(self.statements));
        self.span.record("rows", spans::number(self.rows));
        if self.outcome.is_none_or(|outcome| outcome == "unknown") {
            self.span.record("otel.status_code", "ERROR");
        }
    }
}

/// Number of rows that a statement read.
#[expect(clippy::ptr_arg, reason = "the callers pass it the result of a statement")]
pub(super) fn rows_read<R>(rows: &Vec<R>) -> u64 {
    rows.len() as u64
}

/// Number of rows that a statement wrote.
pub(super) const fn rows_written(rows: &u64) -> u64 {
    *rows
}
