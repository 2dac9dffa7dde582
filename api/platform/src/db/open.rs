//! Opens SQLite or PostgreSQL: connection pools, session options, migrations.

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
use crate::db::measure::{READ_POOL, WRITE_POOL};
use crate::db::{checkpoint, connection_check, postgres_options};

static SQLITE_MIGRATIONS: Migrator = sqlx::migrate!("./migrations/sqlite");
static POSTGRES_MIGRATIONS: Migrator = sqlx::migrate!("./migrations/postgres");

/// Returns the number of the newest migration of this program. Both databases have the same numbers.
#[must_use]
pub fn newest_migration() -> i64 {
    SQLITE_MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// Which database to open, and how.
#[derive(Debug, Clone)]
pub struct DbConfig {
    /// Address of PostgreSQL; `None` to open SQLite.
    pub url: Option<String>,
    /// File of SQLite; PostgreSQL ignores it.
    pub path: PathBuf,
    /// SQLite: the largest number of readers. PostgreSQL: the largest number of connections, a quarter of which only read.
    pub max_connections: u32,
    /// Whether a commit waits until it is on the disk.
    pub is_durable: bool,
}

/// An open database; cheap to clone.
#[derive(Debug, Clone)]
pub enum Db {
    /// One writer, which serves one transaction after another, and several readers.
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
    pub in_use: u32,
    /// Open connections that are free.
    pub idle: u32,
    /// Limit of open connections.
    pub max: u32,
}

impl PoolSize {
    fn from_pool<D: sqlx::Database>(pool: &sqlx::Pool<D>) -> Self {
        let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
        let max = pool.options().get_max_connections();
        Self { in_use: pool.size().saturating_sub(idle), idle, max }
    }
}

/// The maximum number of connections of each pool of PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolLimits {
    pub read: u32,
    pub write: u32,
}

/// Splits the connections to PostgreSQL: a quarter of them only read, and the others may write. Each pool has at least two.
#[must_use]
pub fn split_connections(max_connections: u32) -> PoolLimits {
    let max_connections = max_connections.max(4);
    let read = max_connections.div_ceil(4).max(2);
    PoolLimits { read, write: max_connections - read }
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
            Some(url) => Self::connect_postgres(url, config).await,
            None => Self::connect_sqlite(config).await,
        }
    }

    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite { .. } => Dialect::Sqlite,
            Self::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// Applies the migrations; safe to run in several processes at the same time.
    pub async fn migrate(&self) -> DbResult<()> {
        let result = match self {
            Self::Sqlite { write, .. } => SQLITE_MIGRATIONS.run(write).await,
            Self::Postgres { write, .. } => POSTGRES_MIGRATIONS.run(write).await,
        };
        result.map_err(|error| match error {
            MigrateError::VersionMissing(version) => DbError::Setup(format!(
                "the database has schema {version}, but this program supports {} at most: start the newer panel-server, or restore a backup with this one",
                newest_migration()
            )),
            error => error.into(),
        })
    }

    /// Counts the connections in use, of all pools.
    #[must_use]
    pub fn in_use(&self) -> i64 {
        self.pools().iter().map(|(_, pool)| i64::from(pool.in_use)).sum()
    }

    /// Name and size of each pool.
    #[must_use]
    pub fn pools(&self) -> [(&'static str, PoolSize); 2] {
        match self {
            Self::Sqlite { read, write } => {
                [(READ_POOL, PoolSize::from_pool(read)), (WRITE_POOL, PoolSize::from_pool(write))]
            }
            Self::Postgres { read, write, .. } => {
                [(READ_POOL, PoolSize::from_pool(read)), (WRITE_POOL, PoolSize::from_pool(write))]
            }
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
    pub async fn wait_until_available(&self) {
        if let Self::Postgres { availability, .. } = self {
            availability.wait_until_available().await;
        }
    }

    /// Closes all connections; SQLite copies its write-ahead log into the database file.
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

    async fn connect_sqlite(config: &DbConfig) -> DbResult<Self> {
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
            .after_release(|writer, _| Box::pin(is_outside_of_transaction(writer)))
            .connect_with(
                options
                    .clone()
                    .pragma("cache_size", "-64000")
                    // The page cache of the writer stays valid, because no other connection writes, so it needs no memory map.
                    // Each commit invalidates the caches of the readers.
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

    async fn connect_postgres(url: &str, config: &DbConfig) -> DbResult<Self> {
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
        let create_pool = |max_connections| {
            let availability = Arc::downgrade(&availability);
            PgPoolOptions::new()
                .max_connections(max_connections)
                .acquire_timeout(Duration::from_secs(15))
                .test_before_acquire(false)
                .before_acquire(move |_, connection| {
                    let availability = availability.upgrade();
                    let is_usable =
                        availability.is_none_or(|availability| availability.is_usable(connection.age));
                    Box::pin(async move { Ok(is_usable) })
                })
                .connect_lazy_with(options.clone())
        };
        let limits = split_connections(config.max_connections);
        let (read, write) = (create_pool(limits.read), create_pool(limits.write));
        Ok(Self::Postgres { read, write, availability })
    }
}

/// Whether the pool can use the writer again. When the disk is full, SQLite rolls a transaction back by itself; the driver
/// still counts it as open and would do so until a restart, so that no write could succeed. The pool closes such a writer and
/// opens a new one.
async fn is_outside_of_transaction(writer: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    if writer.is_in_transaction() {
        // The driver's thread rolls a dropped transaction back; the ping returns after that.
        writer.ping().await?;
    }
    Ok(!writer.is_in_transaction())
}
