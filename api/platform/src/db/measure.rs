//! What statements, waits for a connection and transactions cost: recorded as metrics and spans, and counted for the request or poll
//! that asks.

use std::time::{Duration, Instant};

use ::metrics::SharedString;
use tracing::Span;

use crate::db::statement_name::StatementName;
use crate::db::{DbError, DbResult, Dialect};
use crate::metrics::Counter;
use crate::metrics::catalogue::{DB_ACQUIRE_DURATION, DB_ERRORS, DB_STATEMENT_DURATION, DB_TRANSACTIONS};
use crate::telemetry::spans;
use crate::telemetry::stats::UnitStats;

/// The pools, as labels.
pub(super) const READ: &str = "read";
pub(super) const WRITE: &str = "write";

/// Times one statement.
pub(super) struct StatementTimer {
    name: StatementName,
    begun: Instant,
}

impl StatementTimer {
    /// Begins, when the statement's connection is there.
    pub(super) fn begin(name: StatementName) -> Self {
        Self { name, begun: Instant::now() }
    }

    /// Records the end; `rows` were read or written.
    pub(super) fn end<T>(self, result: DbResult<T>, rows: impl FnOnce(&T) -> u64) -> DbResult<T> {
        let took = self.begun.elapsed();
        let StatementName { operation, table } = self.name;
        DB_STATEMENT_DURATION.with([operation, table]).record(took);
        UnitStats::count(result.as_ref().map_or(0, rows), took);
        counted(result)
    }
}

/// Counts an error.
pub(super) fn counted<T>(result: DbResult<T>) -> DbResult<T> {
    result.inspect_err(|error| DB_ERRORS.with([error.label()]).increment(1))
}

/// Waits for a connection of a pool, and records for how long.
pub(super) async fn acquired<T>(
    pool: &'static str,
    connection: impl Future<Output = DbResult<T>>,
) -> DbResult<T> {
    let begun = Instant::now();
    let connection = connection.await;
    DB_ACQUIRE_DURATION.with([pool]).record(begun.elapsed());
    counted(connection)
}

/// What a transaction did, and how it ended: `dropped` where it began and [`Self::end`] is not called. It has no access to the transaction itself, so
/// that a commit can take that out of the struct around both.
pub(super) struct TransactionTrace {
    span: Span,
    /// None until it has begun.
    outcome: Option<&'static str>,
    statements: u64,
    rows: u64,
    on_commit: Vec<(&'static Counter<1>, SharedString, u64)>,
}

impl TransactionTrace {
    /// Begins the span, before the wait for a connection.
    pub(super) fn begin(dialect: Dialect) -> Self {
        // As OpenTelemetry names the two.
        let span = spans::transaction(match dialect {
            Dialect::Sqlite => "sqlite",
            Dialect::Postgres => "postgresql",
        });
        Self { span, outcome: None, statements: 0, rows: 0, on_commit: Vec::new() }
    }

    /// Notes that the transaction has begun, and for how long it waited.
    pub(super) fn begun(&mut self, waited: Duration) {
        self.outcome = Some("dropped");
        self.span.record("wait_ms", i64::try_from(waited.as_millis()).unwrap_or(i64::MAX));
    }

    /// Counts a statement.
    pub(super) fn count<T>(&mut self, result: &DbResult<T>, rows: impl FnOnce(&T) -> u64) {
        self.statements += 1;
        self.rows += result.as_ref().map_or(0, rows);
    }

    /// Counts `n` of a series once the transaction is committed.
    pub(super) fn count_on_commit(&mut self, counter: &'static Counter<1>, label: SharedString, n: u64) {
        self.on_commit.push((counter, label, n));
    }

    /// Records how a commit or a rollback ended.
    pub(super) fn end(mut self, outcome: &'static str, result: DbResult<()>) -> DbResult<()> {
        self.outcome = Some(match &result {
            Ok(()) => outcome,
            Err(DbError::UnknownOutcome(_)) => "unknown",
            // A commit that was refused is undone.
            Err(_) => "rollback",
        });
        if result.is_ok() && outcome == "commit" {
            for (counter, label, n) in self.on_commit.drain(..) {
                counter.with([label]).increment(n);
            }
        }
        counted(result)
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

/// How many rows were read.
#[expect(clippy::ptr_arg, reason = "it is handed to functions that take what a statement returned")]
pub(super) fn read<R>(rows: &Vec<R>) -> u64 {
    rows.len() as u64
}

/// How many rows were written.
pub(super) const fn written(rows: &u64) -> u64 {
    *rows
}
