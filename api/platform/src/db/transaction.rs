//! Transactions, on the writer of SQLite or on a pooled connection of PostgreSQL, measured from begin to end.

use std::sync::Arc;
use std::time::Instant;

use ::metrics::SharedString;
use sqlx::postgres::{PgPool, Postgres};
use sqlx::sqlite::Sqlite;
use sqlx::{AssertSqlSafe, Executor as _, Transaction};

use crate::db::availability::Availability;
use crate::db::measure::{self, StatementTimer, TransactionTrace, WRITE};
use crate::db::run::{pg_as, pg_exec, sqlite_as, sqlite_exec};
use crate::db::{Db, DbError, DbResult, Dialect, Row, Source, Sql};
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
        let (mut trace, begun) = (TransactionTrace::begin(self.dialect()), Instant::now());
        let inner = match self {
            Self::Sqlite { write, .. } => {
                let begin = async { Ok(write.begin_with("BEGIN IMMEDIATE").await?) };
                TxInner::Sqlite(measure::measure_acquire(WRITE, begin).await?)
            }
            Self::Postgres { write, availability, .. } => {
                let begin = Box::pin(availability.watch(begin_uncancellable(write.clone())));
                let tx = measure::measure_acquire(WRITE, begin).await?;
                TxInner::Postgres { tx, availability: Arc::clone(availability) }
            }
        };
        trace.begun(begun.elapsed());
        Ok(Tx { inner, trace })
    }
}

/// Begins in a task of its own, which completes even where the caller's future is dropped. Otherwise the driver (sqlx 0.9.0,
/// its issue 4385) forgets the BEGIN that it has sent and gives the connection to the next caller inside of that transaction.
/// The next caller's writes would never be committed, and their rows would stay locked.
async fn begin_uncancellable(pool: PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    let begun = tokio::spawn(async move { pool.begin().await });
    begun.await.map_err(|_| sqlx::Error::WorkerCrashed)?
}

impl Tx {
    /// Commits. Where the database becomes unavailable meanwhile, the outcome is unknown ([`DbError::UnknownOutcome`]).
    pub async fn commit(self) -> DbResult<()> {
        let ended = match self.inner {
            TxInner::Sqlite(tx) => tx.commit().await.map_err(DbError::from),
            TxInner::Postgres { tx, availability } => availability.watch_write(tx.commit()).await,
        };
        self.trace.end("commit", ended)
    }

    /// Rolls back.
    pub async fn rollback(self) -> DbResult<()> {
        let ended = match self.inner {
            TxInner::Sqlite(tx) => match tx.rollback().await {
                // SQLite has rolled back by itself, for example on a full disk; the pool then opens a new writer.
                Err(sqlx::Error::Database(error)) if error.message().contains("no transaction is active") => {
                    Ok(())
                }
                ended => ended.map_err(DbError::from),
            },
            TxInner::Postgres { tx, availability } => availability.watch(tx.rollback()).await,
        };
        self.trace.end("rollback", ended)
    }

    /// SQLite or PostgreSQL.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.inner {
            TxInner::Sqlite(_) => Dialect::Sqlite,
            TxInner::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// Adds `n` to the series with this label at the commit, and nothing at a rollback.
    pub fn count_on_commit(&mut self, counter: &'static Counter<1>, label: impl Into<SharedString>, n: u64) {
        self.trace.count_on_commit(counter, label.into(), n);
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

impl Source for Tx {
    async fn all<R: Row>(&mut self, sql: Sql) -> DbResult<Vec<R>> {
        let timer = StatementTimer::begin(sql.name());
        let rows = match &mut self.inner {
            TxInner::Sqlite(tx) => sqlite_as(sql).fetch_all(&mut **tx).await.map_err(DbError::from),
            TxInner::Postgres { tx, availability } => {
                availability.watch(pg_as(sql).fetch_all(&mut **tx)).await
            }
        };
        self.trace.count(&rows, measure::rows_read);
        timer.end(rows, measure::rows_read)
    }

    async fn exec(&mut self, sql: Sql) -> DbResult<u64> {
        let timer = StatementTimer::begin(sql.name());
        let done = match &mut self.inner {
            TxInner::Sqlite(tx) => sqlite_exec(sql)
                .execute(&mut **tx)
                .await
                .map(|done| done.rows_affected())
                .map_err(DbError::from),
            TxInner::Postgres { tx, availability } => {
                availability.watch(pg_exec(sql).execute(&mut **tx)).await.map(|done| done.rows_affected())
            }
        };
        self.trace.count(&done, measure::rows_written);
        timer.end(done, measure::rows_written)
    }
}
