//! Transactions, on the writer of SQLite or on a pooled connection of PostgreSQL, measured from begin to end.

use std::sync::Arc;
use std::time::Instant;

use ::metrics::SharedString;
use sqlx::postgres::{PgPool, Postgres};
use sqlx::sqlite::Sqlite;
use sqlx::{AssertSqlSafe, Executor as _, Transaction};

use crate::db::availability::Availability;
use crate::db::measure::{self, StatementTimer, TransactionTrace, WRITE_POOL};
use crate::db::run::{pg_query, pg_query_as, sqlite_query, sqlite_query_as};
use crate::db::{Db, DbError, DbResult, DbRow, Dialect, Sql, SqlExecutor};
use crate::metrics::Counter;

/// A transaction. Dropping it without [`Tx::commit`] rolls it back.
pub struct Tx {
    inner: TxInner,
    trace: TransactionTrace,
}

enum TxInner {
    /// On the only writer.
    Sqlite(Transaction<'static, Sqlite>),
    /// On a pooled connection, READ COMMITTED.
    Postgres {
        tx: Transaction<'static, Postgres>,
        /// Whether the server answers.
        availability: Arc<Availability>,
    },
}

impl Db {
    /// Begins a transaction that may write. On SQLite it waits for the only writer and locks the database immediately.
    pub async fn begin(&self) -> DbResult<Tx> {
        let (mut trace, started_at) = (TransactionTrace::begin(self.dialect()), Instant::now());
        let inner = match self {
            Self::Sqlite { write, .. } => {
                let begin = async { Ok(write.begin_with("BEGIN IMMEDIATE").await?) };
                TxInner::Sqlite(measure::measure_acquire(WRITE_POOL, begin).await?)
            }
            Self::Postgres { write, availability, .. } => {
                let begin = Box::pin(availability.watch(begin_uncancellable(write.clone())));
                let tx = measure::measure_acquire(WRITE_POOL, begin).await?;
                TxInner::Postgres { tx, availability: Arc::clone(availability) }
            }
        };
        trace.record_begin(started_at.elapsed());
        Ok(Tx { inner, trace })
    }
}

/// Begins in a new task, which completes even if the caller's future is dropped. Otherwise the driver (sqlx 0.9.0, its issue
/// 4385) forgets the BEGIN that it has sent and hands the connection to the next caller inside of that transaction. The next
/// caller's writes would never be committed, and their rows would stay locked.
async fn begin_uncancellable(pool: PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    let task = tokio::spawn(async move { pool.begin().await });
    task.await.map_err(|_| sqlx::Error::WorkerCrashed)?
}

impl Tx {
    /// Commits. If the database becomes unavailable during the commit, the outcome is unknown ([`DbError::UnknownOutcome`]).
    pub async fn commit(self) -> DbResult<()> {
        let result = match self.inner {
            TxInner::Sqlite(tx) => tx.commit().await.map_err(DbError::from),
            TxInner::Postgres { tx, availability } => availability.watch_write(tx.commit()).await,
        };
        self.trace.end("commit", result)
    }

    pub async fn rollback(self) -> DbResult<()> {
        let result = match self.inner {
            TxInner::Sqlite(tx) => match tx.rollback().await {
                // SQLite has rolled back by itself, for example on a full disk; the pool then opens a new writer.
                Err(sqlx::Error::Database(error)) if error.message().contains("no transaction is active") => {
                    Ok(())
                }
                result => result.map_err(DbError::from),
            },
            TxInner::Postgres { tx, availability } => availability.watch(tx.rollback()).await,
        };
        self.trace.end("rollback", result)
    }

    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.inner {
            TxInner::Sqlite(_) => Dialect::Sqlite,
            TxInner::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// Increments the series with this label by `amount` at the commit; a rollback increments nothing.
    pub fn count_on_commit(
        &mut self,
        counter: &'static Counter<1>,
        label: impl Into<SharedString>,
        amount: u64,
    ) {
        self.trace.count_on_commit(counter, label.into(), amount);
    }

    /// Runs SQL text that the `db` module composed. The text must hold no input of a user.
    pub(super) async fn run_text(&mut self, text: String) -> DbResult<()> {
        let text = sqlx::raw_sql(AssertSqlSafe(text));
        match &mut self.inner {
            TxInner::Sqlite(tx) => {
                tx.execute(text).await?;
            }
            TxInner::Postgres { tx, .. } => {
                tx.execute(text).await?;
            }
        }
        Ok(())
    }
}

impl SqlExecutor for Tx {
    async fn fetch_all<R: DbRow>(&mut self, sql: Sql) -> DbResult<Vec<R>> {
        let timer = StatementTimer::start(sql.name());
        let rows = match &mut self.inner {
            TxInner::Sqlite(tx) => sqlite_query_as(sql).fetch_all(&mut **tx).await.map_err(DbError::from),
            TxInner::Postgres { tx, availability } => {
                availability.watch(pg_query_as(sql).fetch_all(&mut **tx)).await
            }
        };
        self.trace.count_statement(&rows, measure::count_rows_read);
        timer.stop(rows, measure::count_rows_read)
    }

    async fn execute(&mut self, sql: Sql) -> DbResult<u64> {
        let timer = StatementTimer::start(sql.name());
        let rows = match &mut self.inner {
            TxInner::Sqlite(tx) => sqlite_query(sql)
                .execute(&mut **tx)
                .await
                .map(|result| result.rows_affected())
                .map_err(DbError::from),
            TxInner::Postgres { tx, availability } => availability
                .watch(pg_query(sql).execute(&mut **tx))
                .await
                .map(|result| result.rows_affected()),
        };
        self.trace.count_statement(&rows, measure::count_rows_written);
        timer.stop(rows, measure::count_rows_written)
    }
}
