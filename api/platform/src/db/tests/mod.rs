//! Tests of the `db` module. Each runs on an empty SQLite and on an empty PostgreSQL.

mod bulk;
mod constraints;
mod counts;
mod schema;
mod search;
mod statements;
mod writers;

use std::time::Duration;

use crate::db::cluster::{Cluster, TestDatabase};
use crate::db::{Db, DbConfig, Dialect, Sql, SqlExecutor as _};

/// The database of one test; dropping it deletes its folder.
struct FreshDatabase {
    db: Db,
    _database: Option<TestDatabase>,
    _home: tempfile::TempDir,
}

async fn open_fresh_database(dialect: Dialect) -> FreshDatabase {
    let home = tempfile::tempdir().unwrap();
    let database = match dialect {
        Dialect::Sqlite => None,
        Dialect::Postgres => {
            let cluster = tokio::task::spawn_blocking(Cluster::shared).await.unwrap().unwrap();
            Some(cluster.fresh_database().await.unwrap())
        }
    };
    let url = database.as_ref().map(|database| database.url.clone());
    let path = home.path().join("panel.sqlite");
    let config = DbConfig { url, path, max_connections: 8, is_durable: false };
    FreshDatabase { db: Db::open(&config).await.unwrap(), _database: database, _home: home }
}

/// Declares two tests for each function, one per database.
macro_rules! test_on_both_databases {
    ($($name:ident),+ $(,)?) => { $(
        mod $name {
            use crate::db::Dialect;
            use crate::db::tests::open_fresh_database;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                super::$name(&open_fresh_database(Dialect::Sqlite).await.db).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                super::$name(&open_fresh_database(Dialect::Postgres).await.db).await;
            }
        }
    )+ };
}
use test_on_both_databases;

/// Inserts a customer and a service, both with id 1, which an order needs.
async fn insert_customer_and_service(mut db: &Db) {
    for sql in [
        "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (1, 'Ann', 'ann@shop.example', 0, 0)",
        "INSERT INTO networks (id, name, created_at, updated_at) VALUES (1, 'Video', 0, 0)",
        "INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (1, 1, 'Views', 0, 0)",
        "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, updated_at)
         VALUES (1, 1, 'Views', 1, 1000, 1, 1, 0, 0)",
    ] {
        db.execute(Sql::new(sql)).await.unwrap();
    }
}

/// Inserts orders with the columns that have no default; the caller adds VALUES or a SELECT.
const INSERT_ORDER: &str = "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, created_at, updated_at) ";

/// Inserts an order with the status `in_processing`.
async fn insert_order(mut db: &Db, id: i64, url: &str) {
    let values = "VALUES (?, 'Views', ?, 'in_processing', 'cabinet', 1, 1, 1000, 1, 1000, 10, 0, 0)";
    db.execute(Sql::new(INSERT_ORDER).push(values).bind(id).bind(url)).await.unwrap();
}

/// Panics if `work` takes longer than a minute.
async fn within_a_minute<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work).await.expect("within a minute")
}
