//! Reads the size, the schema version and the server version of the database.

use crate::db::{Db, DbResult, Sql, SqlExecutor as _};

/// The size and the schema version of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseFacts {
    pub size_bytes: i64,
    /// The number of the last applied migration.
    pub migration: i64,
}

pub async fn load_facts(mut db: &Db) -> DbResult<DatabaseFacts> {
    let sql = Sql::new("SELECT ").per_dialect(
        "(SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size())",
        "pg_database_size(current_database())",
    );
    let (size_bytes, migration): (i64, i64) =
        db.fetch_one(sql.push(", (SELECT max(version) FROM _sqlx_migrations)")).await?;
    Ok(DatabaseFacts { size_bytes, migration })
}

/// Reads the major version of the PostgreSQL server, such as 15.
pub async fn postgres_version(mut db: &Db) -> DbResult<u32> {
    let sql = Sql::new("SELECT CAST(current_setting('server_version_num') AS BIGINT)");
    let (number,): (i64,) = db.fetch_one(sql).await?;
    Ok(u32::try_from(number / 10_000).unwrap_or(0))
}
