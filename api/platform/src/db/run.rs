//! Runs single statements: reads on a reader, and writes that are their own transaction. One derived `FromRow` decodes the rows
//! of both databases.

use futures_util::stream::BoxStream;
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use panel_contract::ids::Id;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgPool, PgRow, Postgres};
use sqlx::query::QueryAs;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, FromRow};

use crate::db::measure::{self, READ_POOL, StatementTimer, WRITE_POOL};
use crate::db::{Db, DbError, DbResult, Dialect, Sql, Val};

/// A row of both databases: a tuple, or a struct that derives `sqlx::FromRow`.
pub trait DbRow:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{
}

impl<R> DbRow for R where
    R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{
}

/// Runs statements: a database, a transaction, or the unit of work of a request.
pub trait SqlExecutor: Send {
    fn fetch_all<R: DbRow>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Vec<R>>> + Send;

    /// Returns the ids that the statement selects, one per row.
    fn fetch_ids<I: Id>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Vec<I>>> + Send {
        async move { Ok(self.fetch_all::<(i64,)>(sql).await?.into_iter().map(|(id,)| I::new(id)).collect()) }
    }

    /// Runs a write; returns the number of rows that it wrote.
    fn execute(&mut self, sql: Sql) -> impl Future<Output = DbResult<u64>> + Send;

    /// Returns the first row, if there is one.
    fn fetch_optional<R: DbRow>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Option<R>>> + Send {
        async move { Ok(self.fetch_all(sql).await?.into_iter().next()) }
    }

    /// Returns the first row, or an error if there is none.
    fn fetch_one<R: DbRow>(&mut self, sql: Sql) -> impl Future<Output = DbResult<R>> + Send {
        async move { self.fetch_optional(sql).await?.ok_or(DbError::Other(sqlx::Error::RowNotFound)) }
    }
}

macro_rules! bind_values {
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

pub(super) type SqliteQueryAs<R> = QueryAs<'static, Sqlite, R, SqliteArguments>;
pub(super) type PgQueryAs<R> = QueryAs<'static, Postgres, R, PgArguments>;

// SQLite has no arrays: a set of ids is bound as a JSON text.
macro_rules! bind_ints {
    ($query:ident, $values:ident) => {
        $query.bind(serde_json::json!($values).to_string())
    };
}

pub(super) fn sqlite_query_as<R: DbRow>(sql: Sql) -> SqliteQueryAs<R> {
    let (text, values) = sql.render(Dialect::Sqlite);
    bind_values!(sqlx::query_as(AssertSqlSafe(text)), values)
}

pub(super) fn sqlite_query(sql: Sql) -> sqlx::query::Query<'static, Sqlite, SqliteArguments> {
    let (text, values) = sql.render(Dialect::Sqlite);
    bind_values!(sqlx::query(AssertSqlSafe(text)), values)
}

macro_rules! bind_ints {
    ($query:ident, $values:ident) => {
        $query.bind($values)
    };
}

pub(super) fn pg_query_as<R: DbRow>(sql: Sql) -> PgQueryAs<R> {
    let (text, values) = sql.render(Dialect::Postgres);
    bind_values!(sqlx::query_as(AssertSqlSafe(text)), values)
}

pub(super) fn pg_query(sql: Sql) -> sqlx::query::Query<'static, Postgres, PgArguments> {
    let (text, values) = sql.render(Dialect::Postgres);
    bind_values!(sqlx::query(AssertSqlSafe(text)), values)
}

impl SqlExecutor for &Db {
    /// Reads; on SQLite from a connection that cannot write.
    async fn fetch_all<R: DbRow>(&mut self, sql: Sql) -> DbResult<Vec<R>> {
        let name = sql.name();
        match self {
            Db::Sqlite { read, .. } => {
                let mut reader = measure::measure_acquire(READ_POOL, acquire(read)).await?;
                let timer = StatementTimer::start(name);
                let rows = sqlite_query_as(sql).fetch_all(&mut *reader).await;
                timer.stop(rows.map_err(DbError::from), measure::count_rows_read)
            }
            // Boxed, because each future that reads contains this one: otherwise debug builds run out of stack.
            Db::Postgres { read, write, availability } => {
                Box::pin(async move {
                    let wait = availability.watch(acquire_reader(read, write));
                    let mut reader = measure::measure_acquire(READ_POOL, wait).await?;
                    let timer = StatementTimer::start(name);
                    let rows = availability.watch(pg_query_as(sql).fetch_all(&mut *reader)).await;
                    timer.stop(rows, measure::count_rows_read)
                })
                .await
            }
        }
    }

    /// Runs the statement as its own transaction.
    async fn execute(&mut self, sql: Sql) -> DbResult<u64> {
        let name = sql.name();
        match self {
            Db::Sqlite { write, .. } => {
                let mut writer = measure::measure_acquire(WRITE_POOL, acquire(write)).await?;
                let timer = StatementTimer::start(name);
                let result = sqlite_query(sql).execute(&mut *writer).await;
                let rows = result.map(|result| result.rows_affected()).map_err(DbError::from);
                timer.stop(rows, measure::count_rows_written)
            }
            Db::Postgres { write, availability, .. } => {
                Box::pin(async move {
                    let mut connection =
                        measure::measure_acquire(WRITE_POOL, availability.acquire(write)).await?;
                    let timer = StatementTimer::start(name);
                    let result = availability.watch_write(pg_query(sql).execute(&mut *connection)).await;
                    timer.stop(result.map(|result| result.rows_affected()), measure::count_rows_written)
                })
                .await
            }
        }
    }
}

impl Db {
    /// Streams rows without collecting them; the stream holds the connection until it ends. The measured duration of the
    /// statement includes the time that the consumer takes.
    pub fn stream<R: DbRow>(&self, sql: Sql) -> BoxStream<'static, DbResult<R>> {
        let name = sql.name();
        match self.clone() {
            Self::Sqlite { read, .. } => spawn_stream(move |sender| async move {
                let mut reader = measure::measure_acquire(READ_POOL, acquire(&read)).await?;
                let (timer, mut sent_rows) = (StatementTimer::start(name), 0);
                let mut rows = sqlite_query_as::<R>(sql).fetch(&mut *reader);
                let result = loop {
                    let row = match rows.try_next().await {
                        Ok(Some(row)) => row,
                        Ok(None) => break Ok(sent_rows),
                        Err(error) => break Err(DbError::from(error)),
                    };
                    // The consumer has dropped the stream.
                    if sender.send(Ok(row)).await.is_err() {
                        break Ok(sent_rows);
                    }
                    sent_rows += 1;
                };
                timer.stop(result, measure::count_rows_written).map(drop)
            }),
            Self::Postgres { read, write, availability } => spawn_stream(move |sender| async move {
                let wait = availability.watch(acquire_reader(&read, &write));
                let mut reader = measure::measure_acquire(READ_POOL, wait).await?;
                let (timer, mut sent_rows) = (StatementTimer::start(name), 0);
                let mut rows = pg_query_as::<R>(sql).fetch(&mut *reader);
                let result = loop {
                    let row = match availability.watch(rows.try_next()).await {
                        Ok(Some(row)) => row,
                        Ok(None) => break Ok(sent_rows),
                        Err(error) => break Err(error),
                    };
                    // The consumer has dropped the stream.
                    if sender.send(Ok(row)).await.is_err() {
                        break Ok(sent_rows);
                    }
                    sent_rows += 1;
                };
                timer.stop(result, measure::count_rows_written).map(drop)
            }),
        }
    }
}

async fn acquire(pool: &SqlitePool) -> DbResult<PoolConnection<Sqlite>> {
    Ok(pool.acquire().await?)
}

/// Acquires a connection to read with: an idle one of the read pool, else an idle one of the write pool, else the next free one
/// of the read pool. A read never waits for a writer.
async fn acquire_reader(read: &PgPool, write: &PgPool) -> sqlx::Result<PoolConnection<Postgres>> {
    if let Some(connection) = take_idle_connection(read) {
        return Ok(connection);
    }
    let are_all_busy = read.size() >= read.options().get_max_connections();
    match are_all_busy.then(|| take_idle_connection(write)).flatten() {
        Some(connection) => Ok(connection),
        None => read.acquire().await,
    }
}

/// Takes a connection that is idle now and was opened after the last one that broke. The pool's own `try_acquire` does not call
/// `before_acquire`, which checks the age: after a restart of PostgreSQL it would return one broken connection after another.
fn take_idle_connection(pool: &PgPool) -> Option<PoolConnection<Postgres>> {
    if pool.num_idle() == 0 {
        return None;
    }
    pool.acquire().now_or_never()?.ok()
}

/// Runs `produce_rows` in a new task and streams the rows that it sends. The channel is bounded, so that a slow consumer slows
/// the task down.
fn spawn_stream<R, F, Fut>(produce_rows: F) -> BoxStream<'static, DbResult<R>>
where
    R: Send + 'static,
    F: FnOnce(tokio::sync::mpsc::Sender<DbResult<R>>) -> Fut,
    Fut: Future<Output = DbResult<()>> + Send + 'static,
{
    let (sender, receiver) = tokio::sync::mpsc::channel(256);
    let producer = produce_rows(sender.clone());
    tokio::spawn(async move {
        if let Err(error) = producer.await {
            // Fails if the consumer has dropped the stream.
            drop(sender.send(Err(error)).await);
        }
    });
    futures_util::stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|row| (row, receiver))
    })
    .boxed()
}
