//! Size and versions of the database.

use crate::db::{Db, DbResult, Source as _, Sql};

/// Size of the data in bytes, and the number of the last applied migration.
pub async fn size_and_migration(mut db: &Db) -> DbResult<(i64, i64)> {
    let sql = Sql::new("SELECT ").either(
        "(SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size())",
        "pg_database_size(current_database())",
    );
    db.one(sql.push(", (SELECT max(version) FROM _sqlx_migrations)")).await
}

/// Major version of the PostgreSQL server, such as 15.
pub async fn postgres_version(mut db: &Db) -> DbResult<u32> {
    let sql = Sql::new("SELECT CAST(current_setting('server_version_num') AS BIGINT)");
    let (number,): (i64,) = db.one(sql).await?;
    Ok(u32::try_from(number / 10_000).unwrap_or(0))
}
