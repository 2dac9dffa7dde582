//! Transactions: begun on the writer or a pooled connection, and measured until they end.

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

/// A transaction; dropped without [`Tx::commit`] it is rolled back.
pub struct Tx {
    inner: TxInner,
    trace: TransactionTrace,
}

enum TxInner {
    /// On the one writer.
    Sqlite(Transaction<'static, Sqlite>),
    /// On a pooled connection, READ COMMITTED.
    Postgres {
        tx: Transaction<'static, Postgres>,
        /// Whether its server answers.
        availability: Arc<Availability>,
    },
}

impl Db {
    /// Begins a transaction that may write: on SQLite it waits for the one writer, then takes the lock at once.
    pub async fn begin(&self) -> DbResult<Tx> {
        let (mut trace, begun) = (TransactionTrace::begin(self.dialect()), Instant::now());
        let inner = match self {
            Self::Sqlite { write, .. } => {
                let begin = async { Ok(write.begin_with("BEGIN IMMEDIATE").await?) };
                TxInner::Sqlite(measure::acquired(WRITE, begin).await?)
            }
            Self::Postgres { write, availability, .. } => {
                let begin = Box::pin(availability.watch(begin_to_the_end(write.clone())));
                let tx = measure::acquired(WRITE, begin).await?;
                TxInner::Postgres { tx, availability: Arc::clone(availability) }
            }
        };
        trace.begun(begun.elapsed());
        Ok(Tx { inner, trace })
    }
}

/// Begins in a task of its own, which ends also where its caller hangs up: the driver (sqlx 0.9.0, its issue 4385) forgets
/// a BEGIN that nobody waits for any more and hands the connection on inside of that transaction. What others write there
/// is never committed, and its rows stay locked.
async fn begin_to_the_end(pool: PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    let begun = tokio::spawn(async move { pool.begin().await });
    begun.await.map_err(|_| sqlx::Error::WorkerCrashed)?
}

impl Tx {
    /// Makes it last. Where the database goes away meanwhile, the outcome is unknown
    /// ([`DbError::UnknownOutcome`]).
    pub async fn commit(self) -> DbResult<()> {
        let ended = match self.inner {
            TxInner::Sqlite(tx) => tx.commit().await.map_err(DbError::from),
            TxInner::Postgres { tx, availability } => availability.watch_write(tx.commit()).await,
        };
        self.trace.end("commit", ended)
    }

    /// Undoes it.
    pub async fn rollback(self) -> DbResult<()> {
        let ended = match self.inner {
            TxInner::Sqlite(tx) => match tx.rollback().await {
                // Undone already by SQLite itself, as when the disk is full; `open` then takes a new writer.
                Err(sqlx::Error::Database(error)) if error.message().contains("no transaction is active") => {
                    Ok(())
                }
                ended => ended.map_err(DbError::from),
            },
            TxInner::Postgres { tx, availability } => availability.watch(tx.rollback()).await,
        };
        self.trace.end("rollback", ended)
    }

    /// Which database it runs on.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.inner {
            TxInner::Sqlite(_) => Dialect::Sqlite,
            TxInner::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// Counts `n` of the series with this label once the transaction is committed: what is rolled back did not happen.
    pub fn count_on_commit(&mut self, counter: &'static Counter<1>, label: impl Into<SharedString>, n: u64) {
        self.trace.count_on_commit(counter, label.into(), n);
    }

    /// Runs a text that the database module made itself.
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
        self.trace.count(&rows, measure::read);
        timer.end(rows, measure::read)
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
        self.trace.count(&done, measure::written);
        timer.end(done, measure::written)
    }
}
