//! Running statements: on a reader, or in a transaction. Rows decode through one derived `FromRow` on both.

use std::sync::Arc;

use futures_util::stream::BoxStream;
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgPool, PgRow, Postgres};
use sqlx::query::QueryAs;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteRow};
use sqlx::{AssertSqlSafe, FromRow, Transaction};
use tracing::Instrument as _;

use crate::db::availability::Availability;
use crate::db::{Db, DbError, DbResult, Dialect, Sql, Val};

/// A row of both databases: a tuple, or a struct that derives `sqlx::FromRow`.
pub trait Row: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static {}

impl<R> Row for R where R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{}

/// Something that runs statements.
pub trait Source: Send {
    /// All rows.
    fn all<R: Row>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Vec<R>>> + Send;

    /// How many rows were written.
    fn exec(&mut self, sql: Sql) -> impl Future<Output = DbResult<u64>> + Send;

    /// The first row, if there is one.
    fn opt<R: Row>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Option<R>>> + Send {
        async move { Ok(self.all(sql).await?.into_iter().next()) }
    }

    /// The first row; none is an error of ours.
    fn one<R: Row>(&mut self, sql: Sql) -> impl Future<Output = DbResult<R>> + Send {
        async move { self.opt(sql).await?.ok_or(DbError::Other(sqlx::Error::RowNotFound)) }
    }
}

macro_rules! bound {
    ($query:expr, $values:expr) => {{
        let mut query = $query;
        for value in $values {
            query = match value {
                Val::Int(value) => query.bind(value),
                Val::Text(value) => query.bind(value),
                Val::Bool(value) => query.bind(value),
                Val::Bytes(value) => query.bind(value),
                Val::Ints(values) => bind_ints!(query, values),
            };
        }
        query
    }};
}

type SqliteAs<R> = QueryAs<'static, Sqlite, R, SqliteArguments>;
type PgAs<R> = QueryAs<'static, Postgres, R, PgArguments>;

// SQLite never sees `Ints`: sets of ids travel as JSON there.
macro_rules! bind_ints {
    ($query:ident, $values:ident) => {
        $query.bind(serde_json::json!($values).to_string())
    };
}

fn sqlite_as<R: Row>(sql: Sql) -> SqliteAs<R> {
    let (text, values) = sql.render(Dialect::Sqlite);
    bound!(sqlx::query_as(AssertSqlSafe(text)), values)
}

fn sqlite_exec(sql: Sql) -> sqlx::query::Query<'static, Sqlite, SqliteArguments> {
    let (text, values) = sql.render(Dialect::Sqlite);
    bound!(sqlx::query(AssertSqlSafe(text)), values)
}

macro_rules! bind_ints {
    ($query:ident, $values:ident) => {
        $query.bind($values)
    };
}

fn pg_as<R: Row>(sql: Sql) -> PgAs<R> {
    let (text, values) = sql.render(Dialect::Postgres);
    bound!(sqlx::query_as(AssertSqlSafe(text)), values)
}

fn pg_exec(sql: Sql) -> sqlx::query::Query<'static, Postgres, PgArguments> {
    let (text, values) = sql.render(Dialect::Postgres);
    bound!(sqlx::query(AssertSqlSafe(text)), values)
}

impl Source for &Db {
    /// Reads; on SQLite from a connection that cannot write.
    async fn all<R: Row>(&mut self, sql: Sql) -> DbResult<Vec<R>> {
        Ok(match self {
            Db::Sqlite { read, .. } => sqlite_as(sql).fetch_all(read).await?,
            // Boxed, as each future that reads holds this one: else debug builds run out of stack.
            Db::Postgres { read, write, availability } => {
                Box::pin(async move {
                    let mut reader = availability.watch(reader(read, write)).await?;
                    availability.watch(pg_as(sql).fetch_all(&mut *reader)).await
                })
                .await?
            }
        })
    }

    /// One statement as its own transaction.
    async fn exec(&mut self, sql: Sql) -> DbResult<u64> {
        Ok(match self {
            Db::Sqlite { write, .. } => sqlite_exec(sql).execute(write).await?.rows_affected(),
            Db::Postgres { write, availability, .. } => Box::pin(async move {
                let mut connection = availability.acquire(write).await?;
                availability.watch_write(pg_exec(sql).execute(&mut *connection)).await
            })
            .await?
            .rows_affected(),
        })
    }
}

impl Db {
    /// Begins a transaction that may write: on SQLite it waits for the one writer, then takes the lock at once.
    pub async fn begin(&self) -> DbResult<Tx> {
        Ok(match self {
            Self::Sqlite { write, .. } => Tx::Sqlite(write.begin_with("BEGIN IMMEDIATE").await?),
            Self::Postgres { write, availability, .. } => Tx::Postgres {
                tx: Box::pin(availability.watch(begin_to_the_end(write.clone()))).await?,
                availability: Arc::clone(availability),
            },
        })
    }

    /// Streams rows without holding them; the reader is busy until the stream ends.
    pub fn stream<R: Row>(&self, sql: Sql) -> BoxStream<'static, DbResult<R>> {
        match self.clone() {
            Self::Sqlite { read, .. } => async_stream(move |send| async move {
                let mut rows = sqlite_as::<R>(sql).fetch(&read);
                while let Some(row) = rows.try_next().await? {
                    if send.send(Ok(row)).await.is_err() {
                        break;
                    }
                }
                Ok(())
            }),
            Self::Postgres { read, write, availability } => async_stream(move |send| async move {
                let mut reader = availability.watch(reader(&read, &write)).await?;
                let mut rows = pg_as::<R>(sql).fetch(&mut *reader);
                while let Some(row) = availability.watch(rows.try_next()).await? {
                    if send.send(Ok(row)).await.is_err() {
                        break;
                    }
                }
                Ok(())
            }),
        }
    }
}

/// A connection to read with: of the readers' own, else one that no writer needs now, else the readers' next free one.
/// A read never waits for a writer.
async fn reader(read: &PgPool, write: &PgPool) -> sqlx::Result<PoolConnection<Postgres>> {
    if let Some(idle) = idle(read) {
        return Ok(idle);
    }
    let are_all_busy = read.size() >= read.options().get_max_connections();
    match are_all_busy.then(|| idle(write)).flatten() {
        Some(idle) => Ok(idle),
        None => read.acquire().await,
    }
}

/// A connection that is free now and was made after the last one that broke. The pool's own `try_acquire` does not ask
/// `before_acquire` about its age: after a restart of PostgreSQL it would hand out one broken connection after another.
fn idle(pool: &PgPool) -> Option<PoolConnection<Postgres>> {
    if pool.num_idle() == 0 {
        return None;
    }
    pool.acquire().now_or_never()?.ok()
}

/// Begins in a task of its own, which ends also where its caller hangs up: the driver (sqlx 0.9.0, its issue 4385) forgets
/// a BEGIN that nobody waits for any more and hands the connection on inside of that transaction. What others write there
/// is never committed, and its rows stay locked.
async fn begin_to_the_end(pool: PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    let begun = tokio::spawn(async move { pool.begin().await }.in_current_span());
    begun.await.map_err(|_| sqlx::Error::WorkerCrashed)?
}

/// Runs `produce` in a task of its own and streams what it sends; a slow reader slows it down.
fn async_stream<R, F, Fut>(produce: F) -> BoxStream<'static, DbResult<R>>
where
    R: Send + 'static,
    F: FnOnce(tokio::sync::mpsc::Sender<DbResult<R>>) -> Fut,
    Fut: Future<Output = DbResult<()>> + Send + 'static,
{
    let (send, receive) = tokio::sync::mpsc::channel(256);
    let work = produce(send.clone());
    tokio::spawn(async move {
        if let Err(error) = work.await {
            // The reader may be gone; then nobody is left to tell.
            drop(send.send(Err(error)).await);
        }
    });
    futures_util::stream::unfold(receive, |mut receive| async move {
        receive.recv().await.map(|row| (row, receive))
    })
    .boxed()
}

/// A transaction; dropped without [`Tx::commit`] it is rolled back.
pub enum Tx {
    /// On the one writer.
    Sqlite(Transaction<'static, Sqlite>),
    /// On a pooled connection, READ COMMITTED.
    Postgres {
        /// The transaction.
        tx: Transaction<'static, Postgres>,
        /// Whether its server answers.
        availability: Arc<Availability>,
    },
}

impl Tx {
    /// Makes it last. Where the database goes away meanwhile, the outcome is unknown
    /// ([`DbError::UnknownOutcome`]).
    pub async fn commit(self) -> DbResult<()> {
        match self {
            Self::Sqlite(tx) => tx.commit().await?,
            Self::Postgres { tx, availability } => availability.watch_write(tx.commit()).await?,
        }
        Ok(())
    }

    /// Undoes it.
    pub async fn rollback(self) -> DbResult<()> {
        match self {
            Self::Sqlite(tx) => match tx.rollback().await {
                // Undone already by SQLite itself, as when the disk is full; `open` then takes a new writer.
                Err(sqlx::Error::Database(error)) if error.message().contains("no transaction is active") => {
                }
                ended => ended?,
            },
            Self::Postgres { tx, availability } => availability.watch(tx.rollback()).await?,
        }
        Ok(())
    }

    /// Which database it runs on.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres { .. } => Dialect::Postgres,
        }
    }
}

impl Source for Tx {
    async fn all<R: Row>(&mut self, sql: Sql) -> DbResult<Vec<R>> {
        Ok(match self {
            Self::Sqlite(tx) => sqlite_as(sql).fetch_all(&mut **tx).await?,
            Self::Postgres { tx, availability } => {
                availability.watch(pg_as(sql).fetch_all(&mut **tx)).await?
            }
        })
    }

    async fn exec(&mut self, sql: Sql) -> DbResult<u64> {
        Ok(match self {
            Self::Sqlite(tx) => sqlite_exec(sql).execute(&mut **tx).await?.rows_affected(),
            Self::Postgres { tx, availability } => {
                availability.watch(pg_exec(sql).execute(&mut **tx)).await?.rows_affected()
            }
        })
    }
}
