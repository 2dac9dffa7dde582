//! Measures statements, waits for a connection and transactions: records their durations as metrics and spans, and adds them to
//! the statistics of the current request or poll.

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
pub(super) const READ_POOL: &str = "read";
pub(super) const WRITE_POOL: &str = "write";

pub(super) struct StatementTimer {
    name: StatementName,
    started_at: Instant,
}

impl StatementTimer {
    /// Starts the timer. The caller has acquired a connection, so that the wait for it is not part of the duration.
    pub(super) fn start(name: StatementName) -> Self {
        Self { name, started_at: Instant::now() }
    }

    /// Records the statement. `count_rows` counts the rows that the statement read or wrote.
    pub(super) fn stop<T>(self, result: DbResult<T>, count_rows: impl FnOnce(&T) -> u64) -> DbResult<T> {
        let duration = self.started_at.elapsed();
        let StatementName { operation, table } = self.name;
        DB_STATEMENT_DURATION.with_labels([operation, table]).record(duration);
        UnitStats::count(result.as_ref().map_or(0, count_rows), duration);
        count_error(result)
    }
}

/// Counts the error of a failed statement.
pub(super) fn count_error<T>(result: DbResult<T>) -> DbResult<T> {
    result.inspect_err(|error| DB_ERRORS.with_labels([error.label()]).increment(1))
}

/// Waits for a connection of a pool and records the wait.
pub(super) async fn measure_acquire<T>(
    pool: &'static str,
    connection: impl Future<Output = DbResult<T>>,
) -> DbResult<T> {
    let started_at = Instant::now();
    let connection = connection.await;
    DB_ACQUIRE_DURATION.with_labels([pool]).record(started_at.elapsed());
    count_error(connection)
}

/// Statistics and outcome of a transaction. The outcome is `dropped` if the transaction has begun and [`Self::end`] is never
/// called. The trace does not own the transaction, so that a commit can move the transaction out of [`Tx`](crate::db::Tx).
pub(super) struct TransactionTrace {
    span: Span,
    /// `None` until the transaction has begun.
    outcome: Option<&'static str>,
    statements: u64,
    rows: u64,
    /// Counter, label and amount of each series to increment at the commit.
    increments_on_commit: Vec<(&'static Counter<1>, SharedString, u64)>,
}

impl TransactionTrace {
    /// Begins the span, before the wait for a connection.
    pub(super) fn begin(dialect: Dialect) -> Self {
        // OpenTelemetry defines these names.
        let span = spans::transaction(match dialect {
            Dialect::Sqlite => "sqlite",
            Dialect::Postgres => "postgresql",
        });
        Self { span, outcome: None, statements: 0, rows: 0, increments_on_commit: Vec::new() }
    }

    /// Records that the transaction has begun, after it waited so long for a connection or for SQLite's writer.
    pub(super) fn record_begin(&mut self, wait: Duration) {
        self.outcome = Some("dropped");
        self.span.record("wait_ms", i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
    }

    pub(super) fn count_statement<T>(&mut self, result: &DbResult<T>, count_rows: impl FnOnce(&T) -> u64) {
        self.statements += 1;
        self.rows += result.as_ref().map_or(0, count_rows);
    }

    /// Increments a series by `amount` at the commit.
    pub(super) fn count_on_commit(&mut self, counter: &'static Counter<1>, label: SharedString, amount: u64) {
        self.increments_on_commit.push((counter, label, amount));
    }

    /// Records how a commit or a rollback ended.
    pub(super) fn end(mut self, outcome: &'static str, result: DbResult<()>) -> DbResult<()> {
        self.outcome = Some(match &result {
            Ok(()) => outcome,
            Err(DbError::UnknownOutcome(_)) => "unknown",
            // The database rolls back a commit that it rejects.
            Err(_) => "rollback",
        });
        if result.is_ok() && outcome == "commit" {
            for (counter, label, amount) in self.increments_on_commit.drain(..) {
                counter.with_labels([label]).increment(amount);
            }
        }
        count_error(result)
    }
}

impl Drop for TransactionTrace {
    fn drop(&mut self) {
        if let Some(outcome) = self.outcome {
            DB_TRANSACTIONS.with_labels([outcome]).increment(1);
            self.span.record("outcome", outcome);
        }
        self.span.record("statements", spans::to_i64(self.statements));
        self.span.record("rows", spans::to_i64(self.rows));
        if self.outcome.is_none_or(|outcome| outcome == "unknown") {
            self.span.record("otel.status_code", "ERROR");
        }
    }
}

#[expect(clippy::ptr_arg, reason = "the callers pass it the result of a statement")]
pub(super) fn count_rows_read<R>(rows: &Vec<R>) -> u64 {
    rows.len() as u64
}

pub(super) const fn count_rows_written(rows: &u64) -> u64 {
    *rows
}
