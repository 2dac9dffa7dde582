//! Runs statements on a reader, or as a write of their own. One derived `FromRow` decodes the rows of both databases.

use futures_util::stream::BoxStream;
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use panel_contract::ids::Id;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgPool, PgRow, Postgres};
use sqlx::query::QueryAs;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, FromRow};

use crate::db::measure::{self, READ, StatementTimer, WRITE};
use crate::db::{Db, DbError, DbResult, Dialect, Sql, Val};

/// A row of both databases: a tuple, or a struct that derives `sqlx::FromRow`.
pub trait Row: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static {}

impl<R> Row for R where R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{}

/// Something that runs statements.
pub trait Source: Send {
    /// All rows.
    fn all<R: Row>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Vec<R>>> + Send;

    /// The ids that the statement returns, one per row.
    fn ids_of<I: Id>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Vec<I>>> + Send {
        async move { Ok(self.all::<(i64,)>(sql).await?.into_iter().map(|(id,)| I::new(id)).collect()) }
    }

    /// Runs a write; the number of rows that it wrote.
    fn exec(&mut self, sql: Sql) -> impl Future<Output = DbResult<u64>> + Send;

    /// The first row, if there is one.
    fn opt<R: Row>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Option<R>>> + Send {
        async move { Ok(self.all(sql).await?.into_iter().next()) }
    }

    /// The first row; an error where there is none.
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

pub(super) type SqliteAs<R> = QueryAs<'static, Sqlite, R, SqliteArguments>;
pub(super) type PgAs<R> = QueryAs<'static, Postgres, R, PgArguments>;

// SQLite has no arrays: a set of ids is bound as a JSON text.
macro_rules! bind_ints {
    ($query:ident, $values:ident) => {
        $query.bind(serde_json::json!($values).to_string())
    };
}

pub(super) fn sqlite_as<R: Row>(sql: Sql) -> SqliteAs<R> {
    let (text, values) = sql.render(Dialect::Sqlite);
    bound!(sqlx::query_as(AssertSqlSafe(text)), values)
}

pub(super) fn sqlite_exec(sql: Sql) -> sqlx::query::Query<'static, Sqlite, SqliteArguments> {
    let (text, values) = sql.render(Dialect::Sqlite);
    bound!(sqlx::query(AssertSqlSafe(text)), values)
}

macro_rules! bind_ints {
    ($query:ident, $values:ident) => {
        $query.bind($values)
    };
}

pub(super) fn pg_as<R: Row>(sql: Sql) -> PgAs<R> {
    let (text, values) = sql.render(Dialect::Postgres);
    bound!(sqlx::query_as(AssertSqlSafe(text)), values)
}

pub(super) fn pg_exec(sql: Sql) -> sqlx::query::Query<'static, Postgres, PgArguments> {
    let (text, values) = sql.render(Dialect::Postgres);
    bound!(sqlx::query(AssertSqlSafe(text)), values)
}

impl Source for &Db {
    /// Reads; on SQLite from a connection that cannot write.
    async fn all<R: Row>(&mut self, sql: Sql) -> DbResult<Vec<R>> {
        let name = sql.name();
        match self {
            Db::Sqlite { read, .. } => {
                let mut reader = measure::measure_acquire(READ, acquire(read)).await?;
                let timer = StatementTimer::begin(name);
                let rows = sqlite_as(sql).fetch_all(&mut *reader).await;
                timer.end(rows.map_err(DbError::from), measure::rows_read)
            }
            // Boxed, because each future that reads contains this one: otherwise debug builds run out of stack.
            Db::Postgres { read, write, availability } => {
                Box::pin(async move {
                    let wait = availability.watch(reader(read, write));
                    let mut reader = measure::measure_acquire(READ, wait).await?;
                    let timer = StatementTimer::begin(name);
                    let rows = availability.watch(pg_as(sql).fetch_all(&mut *reader)).await;
                    timer.end(rows, measure::rows_read)
                })
                .await
            }
        }
    }

    /// One statement as its own transaction.
    async fn exec(&mut self, sql: Sql) -> DbResult<u64> {
        let name = sql.name();
        match self {
            Db::Sqlite { write, .. } => {
                let mut writer = measure::measure_acquire(WRITE, acquire(write)).await?;
                let timer = StatementTimer::begin(name);
                let done = sqlite_exec(sql).execute(&mut *writer).await;
                timer.end(done.map(|done| done.rows_affected()).map_err(DbError::from), measure::rows_written)
            }
            Db::Postgres { write, availability, .. } => {
                Box::pin(async move {
                    let mut connection = measure::measure_acquire(WRITE, availability.acquire(write)).await?;
                    let timer = StatementTimer::begin(name);
                    let done = availability.watch_write(pg_exec(sql).execute(&mut *connection)).await;
                    timer.end(done.map(|done| done.rows_affected()), measure::rows_written)
                })
                .await
            }
        }
    }
}

impl Db {
    /// Streams rows without collecting them; the connection is in use until the stream ends. The measured duration of the
    /// statement includes the time that the consumer takes.
    pub fn stream<R: Row>(&self, sql: Sql) -> BoxStream<'static, DbResult<R>> {
        let name = sql.name();
        match self.clone() {
            Self::Sqlite { read, .. } => async_stream(move |send| async move {
                let mut reader = measure::measure_acquire(READ, acquire(&read)).await?;
                let (timer, mut sent) = (StatementTimer::begin(name), 0);
                let mut rows = sqlite_as::<R>(sql).fetch(&mut *reader);
                let ended = loop {
                    let row = match rows.try_next().await {
                        Ok(Some(row)) => row,
                        Ok(None) => break Ok(sent),
                        Err(error) => break Err(DbError::from(error)),
                    };
                    if send.send(Ok(row)).await.is_err() {
                        break Ok(sent);
                    }
                    sent += 1;
                };
                timer.end(ended, measure::rows_written).map(drop)
            }),
            Self::Postgres { read, write, availability } => async_stream(move |send| async move {
                let wait = availability.watch(reader(&read, &write));
                let mut reader = measure::measure_acquire(READ, wait).await?;
                let (timer, mut sent) = (StatementTimer::begin(name), 0);
                let mut rows = pg_as::<R>(sql).fetch(&mut *reader);
                let ended = loop {
                    let row = match availability.watch(rows.try_next()).await {
                        Ok(Some(row)) => row,
                        Ok(None) => break Ok(sent),
                        Err(error) => break Err(error),
                    };
                    if send.send(Ok(row)).await.is_err() {
                        break Ok(sent);
                    }
                    sent += 1;
                };
                timer.end(ended, measure::rows_written).map(drop)
            }),
        }
    }
}

async fn acquire(pool: &SqlitePool) -> DbResult<PoolConnection<Sqlite>> {
    Ok(pool.acquire().await?)
}

/// A connection to read with: an idle one of the readers, else an idle one of the writers, else the next free one of the
/// readers. A read never waits for a writer.
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

/// A connection that is idle now and was opened after the last one that broke. The pool's own `try_acquire` does not call
/// `before_acquire`, which checks the age: after a restart of PostgreSQL it would return one broken connection after another.
fn idle(pool: &PgPool) -> Option<PoolConnection<Postgres>> {
    if pool.num_idle() == 0 {
        return None;
    }
    pool.acquire().now_or_never()?.ok()
}

/// Runs `produce` in a task of its own and streams the rows that it sends. The channel is bounded, so that a slow consumer slows
/// the producer down.
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
            // Fails where the consumer has dropped the stream.
            drop(send.send(Err(error)).await);
        }
    });
    futures_util::stream::unfold(receive, |mut receive| async move {
        receive.recv().await.map(|row| (row, receive))
    })
    .boxed()
}
