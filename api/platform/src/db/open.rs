//! Opens a database: pools, pragmas, migrations.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sqlx::Connection as _;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};

use crate::db::Dialect;
use crate::db::availability::Availability;
use crate::db::error::{DbError, DbResult};
use crate::db::measure::{READ, WRITE};
use crate::db::{checkpoint, connection_check, postgres_options};

static SQLITE_MIGRATIONS: Migrator = sqlx::migrate!("./migrations/sqlite");
static POSTGRES_MIGRATIONS: Migrator = sqlx::migrate!("./migrations/postgres");

/// Number of the newest migration of this program. Both databases have the same numbers.
#[must_use]
pub fn newest_migration() -> i64 {
    SQLITE_MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// Which database to open, and how.
#[derive(Debug, Clone)]
pub struct DbConfig {
    /// Address of PostgreSQL; SQLite when absent.
    pub url: Option<String>,
    /// File of SQLite.
    pub path: PathBuf,
    /// Largest number of connections: of readers on SQLite, of all on PostgreSQL, where a quarter of them only reads.
    pub max_connections: u32,
    /// Whether a commit waits until it is on the disk.
    pub is_durable: bool,
}

/// An open database; cheap to clone.
#[derive(Debug, Clone)]
pub enum Db {
    /// One writer, for which transactions wait in order, and several readers.
    Sqlite {
        /// `query_only` connections.
        read: SqlitePool,
        /// The one connection that writes.
        write: SqlitePool,
    },
    /// Two pools of one server: writers that wait for a locked row never take the last connection of the readers.
    Postgres {
        /// Connections that only read.
        read: PgPool,
        /// Connections of transactions and single writes; a read may use one that is idle.
        write: PgPool,
        /// Whether the server answers.
        availability: Arc<Availability>,
    },
}

/// Number of connections of a pool.
#[derive(Debug, Clone, Copy)]
pub struct PoolSize {
    /// Connections in use.
    pub in_use: u32,
    /// Open connections that are free.
    pub idle: u32,
    /// Limit of open connections.
    pub max: u32,
}

impl PoolSize {
    fn of<D: sqlx::Database>(pool: &sqlx::Pool<D>) -> Self {
        let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
        let max = pool.options().get_max_connections();
        Self { in_use: pool.size().saturating_sub(idle), idle, max }
    }
}

/// Splits `most` connections to PostgreSQL into those that only read and those that may write: a quarter and the rest, at
/// least two of each.
#[must_use]
pub fn split_connections(most: u32) -> (u32, u32) {
    let most = most.max(4);
    let read = most.div_ceil(4).max(2);
    (read, most - read)
}

impl Db {
    /// Opens the database and applies the migrations.
    pub async fn open(config: &DbConfig) -> DbResult<Self> {
        let db = Self::connect(config).await?;
        db.migrate().await?;
        Ok(db)
    }

    /// Opens the database without checking its schema.
    pub async fn connect(config: &DbConfig) -> DbResult<Self> {
        match &config.url {
            Some(url) => Self::postgres(url, config).await,
            None => Self::sqlite(config).await,
        }
    }

    /// SQLite or PostgreSQL.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite { .. } => Dialect::Sqlite,
            Self::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// Applies the migrations; several processes may do so at once.
    pub async fn migrate(&self) -> DbResult<()> {
        let migrated = match self {
            Self::Sqlite { write, .. } => SQLITE_MIGRATIONS.run(write).await,
            Self::Postgres { write, .. } => POSTGRES_MIGRATIONS.run(write).await,
        };
        migrated.map_err(|error| match error {
            MigrateError::VersionMissing(version) => DbError::Setup(format!(
                "the database has schema {version}, but this program supports {} at most: start the newer panel-server, or restore a backup with this one",
                newest_migration()
            )),
            error => error.into(),
        })
    }

    /// Number of connections in use, of all pools.
    #[must_use]
    pub fn in_use(&self) -> i64 {
        self.pools().iter().map(|(_, pool)| i64::from(pool.in_use)).sum()
    }

    /// Name and size of each pool.
    #[must_use]
    pub fn pools(&self) -> [(&'static str, PoolSize); 2] {
        match self {
            Self::Sqlite { read, write } => [(READ, PoolSize::of(read)), (WRITE, PoolSize::of(write))],
            Self::Postgres { read, write, .. } => [(READ, PoolSize::of(read)), (WRITE, PoolSize::of(write))],
        }
    }

    /// Whether the database is considered available: SQLite always, PostgreSQL until a probe fails.
    #[must_use]
    pub fn is_available(&self) -> bool {
        match self {
            Self::Sqlite { .. } => true,
            Self::Postgres { availability, .. } => availability.is_available(),
        }
    }

    /// Waits until the database is considered available.
    pub async fn until_available(&self) {
        if let Self::Postgres { availability, .. } = self {
            availability.until_available().await;
        }
    }

    /// Closes all connections; SQLite writes its log back into the file.
    pub async fn close(&self) {
        match self {
            Self::Sqlite { read, write } => {
                read.close().await;
                write.close().await;
            }
            Self::Postgres { read, write, availability } => {
                read.close().await;
                write.close().await;
                availability.close().await;
            }
        }
    }

    async fn sqlite(config: &DbConfig) -> DbResult<Self> {
        let options = SqliteConnectOptions::new()
            .filename(&config.path)
            .create_if_missing(true)
            .foreign_keys(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(if config.is_durable { SqliteSynchronous::Full } else { SqliteSynchronous::Off })
            .busy_timeout(Duration::from_secs(5))
            .statement_cache_capacity(200)
            .pragma("temp_store", "MEMORY")
            .pragma("cache_size", "-8000")
            .pragma("mmap_size", "268435456")
            .pragma("journal_size_limit", "67108864")
            .optimize_on_close(true, 400);
        let write = SqlitePoolOptions::new()
            .max_connections(1)
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(Duration::from_secs(30))
            .after_release(|writer, _| Box::pin(is_sound(writer)))
            .connect_with(
                options
                    .clone()
                    .pragma("cache_size", "-64000")
                    // The cache of the writer stays valid, because no other connection writes; those of readers do not.
                    .pragma("mmap_size", "0")
                    .pragma("wal_autocheckpoint", checkpoint::MAX_WAL_PAGES),
            )
            .await?;
        let read = SqlitePoolOptions::new()
            .max_connections(config.max_connections.clamp(1, 16))
            .acquire_timeout(Duration::from_secs(15))
            .connect_lazy_with(options.create_if_missing(false).pragma("query_only", "ON"));
        Ok(Self::Sqlite { read, write })
    }

    async fn postgres(url: &str, config: &DbConfig) -> DbResult<Self> {
        let options = postgres_options::parse(url)
            .map_err(DbError::Setup)?
            .application_name("panel-server")
            .statement_cache_capacity(200)
            .options([
                ("lock_timeout", "10s"),
                ("statement_timeout", "60s"),
                ("idle_in_transaction_session_timeout", "60s"),
                ("timezone", "UTC"),
                ("jit", "off"),
            ]);
        let options =
            if config.is_durable { options } else { options.options([("synchronous_commit", "off")]) };
        connection_check::check(&options).await?;
        let availability = Availability::new(options.clone());
        let pool = |most| {
            let trust = Arc::downgrade(&availability);
            PgPoolOptions::new()
                .max_connections(most)
                .acquire_timeout(Duration::from_secs(15))
                .test_before_acquire(false)
                .before_acquire(move |_, connection| {
                    let trusts = trust.upgrade().is_none_or(|trust| trust.trusts(connection.age));
                    Box::pin(async move { Ok(trusts) })
                })
                .connect_lazy_with(options.clone())
        };
        let (readers, writers) = split_connections(config.max_connections);
        Ok(Self::Postgres { read: pool(readers), write: pool(writers), availability })
    }
}

/// Whether the writer is outside of a transaction. SQLite rolls a transaction back by itself when the disk is full; the
/// driver counts transactions and would consider this one open until a restart, so that no write could succeed. The pool
/// closes such a writer and opens a new one.
async fn is_sound(writer: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    if writer.is_in_transaction() {
        // The driver's thread rolls a dropped transaction back; the ping waits until it has done so.
        writer.ping().await?;
    }
    Ok(!writer.is_in_transaction())
}
