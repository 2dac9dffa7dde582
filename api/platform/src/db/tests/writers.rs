//! Tests concurrent writers, dropped transactions and a full disk.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::poll;
use sqlx::postgres::PgPoolOptions;

use super::{insert_customer_and_service, insert_order, test_on_both_databases, within_a_minute};
use crate::db::open::{PoolLimits, split_connections};
use crate::db::{Db, DbError, Dialect, Sql, SqlExecutor as _, checkpoint};

test_on_both_databases!(
    two_hundred_concurrent_writers_lose_no_update,
    a_dropped_transaction_is_rolled_back,
    a_dropped_begin_leaves_no_open_transaction,
    reads_do_not_wait_for_writers,
    recovers_from_a_full_disk,
    a_pool_without_a_free_connection_is_not_an_outage,
    a_reader_checkpoints_the_log,
);

async fn two_hundred_concurrent_writers_lose_no_update(db: &Db) {
    insert_customer_and_service(db).await;
    let writers = (0..200).map(|_| {
        let db = db.clone();
        tokio::spawn(async move {
            let mut tx = db.begin().await?;
            // A read before the write: concurrent deferred transactions would lose the update.
            let sql = Sql::new("SELECT balance_main FROM users WHERE id = 1").for_update();
            let (balance,) = tx.fetch_one::<(i64,)>(sql).await?;
            tokio::task::yield_now().await;
            tx.execute(Sql::new("UPDATE users SET balance_main = ? WHERE id = 1").bind(balance + 1)).await?;
            tx.commit().await
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        within_a_minute(writer).await.unwrap().unwrap();
    }
    let mut db = db;
    let (balance,) =
        db.fetch_one::<(i64,)>(Sql::new("SELECT balance_main FROM users WHERE id = 1")).await.unwrap();
    assert_eq!(balance, 200);
}

async fn a_dropped_transaction_is_rolled_back(mut db: &Db) {
    insert_customer_and_service(db).await;
    for ending in ["dropped", "rolled back"] {
        let mut tx = db.begin().await.unwrap();
        tx.execute(Sql::new("UPDATE users SET name = ?").bind(ending)).await.unwrap();
        if ending == "rolled back" {
            tx.rollback().await.unwrap();
        }
    }
    let (name,) =
        within_a_minute(db.fetch_one::<(String,)>(Sql::new("SELECT name FROM users"))).await.unwrap();
    assert_eq!(name, "Ann");
    within_a_minute(async { db.begin().await.unwrap().commit().await }).await.unwrap();
}

/// A future that is dropped while its transaction begins must not leave the connection in the transaction: the writes of the next
/// caller would never be committed, and their rows would stay locked.
async fn a_dropped_begin_leaves_no_open_transaction(mut db: &Db) {
    insert_customer_and_service(db).await;
    let single_connection = &with_one_connection(db);
    for polls in 0..40 {
        {
            let mut begin = pin!(single_connection.begin());
            for _ in 0..polls {
                if poll!(begin.as_mut()).is_ready() {
                    break;
                }
            }
        }
        within_a_minute(wait_until_idle(single_connection)).await;
        let name_written = format!("Eve {polls}");
        { single_connection }
            .execute(Sql::new("UPDATE users SET name = ?").bind(&*name_written))
            .await
            .unwrap();
        let (name,) = db.fetch_one::<(String,)>(Sql::new("SELECT name FROM users")).await.unwrap();
        assert_eq!(name, name_written, "the update is committed");
    }
}

/// Writers that wait for one row hold all connections of the write pool; reads have their own pool.
async fn reads_do_not_wait_for_writers(mut db: &Db) {
    insert_customer_and_service(db).await;
    let rename = || Sql::new("UPDATE users SET name = 'Eve' WHERE id = 1");
    let mut first = db.begin().await.unwrap();
    first.execute(rename()).await.unwrap();
    // More writers than connections.
    let writers = (0..12).map(|_| {
        let db = db.clone();
        tokio::spawn(async move { (&mut &db).execute(rename()).await })
    });
    let writers: Vec<_> = writers.collect();
    if db.dialect() == Dialect::Postgres {
        let count_waiting_writers = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while within_a_minute(db.fetch_one::<(i64,)>(Sql::new(count_waiting_writers))).await.unwrap().0
            < i64::from(split_connections(8).write - 1)
        {}
    }
    let select = db.fetch_one::<(String,)>(Sql::new("SELECT name FROM users WHERE id = 1"));
    let name = tokio::time::timeout(Duration::from_secs(1), select).await.expect("within a second").unwrap();
    assert_eq!(name.0, "Ann");
    first.commit().await.unwrap();
    for writer in writers {
        assert_eq!(within_a_minute(writer).await.unwrap().unwrap(), 1);
    }
}

#[test]
fn a_quarter_of_the_connections_is_for_reads_and_both_pools_have_at_least_two() {
    for (max_connections, read, write) in [(1, 2, 2), (4, 2, 2), (8, 2, 6), (10, 3, 7), (100, 25, 75)] {
        assert_eq!(split_connections(max_connections), PoolLimits { read, write }, "{max_connections}");
    }
}

/// The same database with a write pool of one connection.
fn with_one_connection(db: &Db) -> Db {
    match db {
        Db::Sqlite { .. } => db.clone(),
        Db::Postgres { read, write, availability } => {
            let options = PgPoolOptions::new().max_connections(1);
            let write = options.connect_lazy_with((*write.connect_options()).clone());
            Db::Postgres { read: read.clone(), write, availability: Arc::clone(availability) }
        }
    }
}

/// Waits until no connection is in use.
async fn wait_until_idle(db: &Db) {
    while db.in_use() > 0 {
        tokio::task::yield_now().await;
    }
}

/// SQLite rolls back by itself when the disk is full: the writer must not stay in a transaction that has ended.
async fn recovers_from_a_full_disk(db: &Db) {
    if db.dialect() == Dialect::Postgres {
        return;
    }
    insert_customer_and_service(db).await;
    insert_order(db, 1, "https://full.example").await;
    for ending in ["dropped", "rolled back"] {
        let mut tx = db.begin().await.unwrap();
        let (pages,) = tx.fetch_one::<(i64,)>(Sql::new("PRAGMA page_count")).await.unwrap();
        tx.fetch_all::<(i64,)>(Sql::new("PRAGMA max_page_count = 1")).await.unwrap();
        tx.execute(Sql::new("UPDATE orders SET comment = 'lost'")).await.unwrap();
        let large = Sql::new("INSERT INTO settings (key, value, updated_at) VALUES ('big', ?, 0)")
            .bind("x".repeat(1 << 20));
        let error = tx.execute(large).await.unwrap_err();
        assert!(error.is_full(), "{error} at {pages} pages");
        if ending == "rolled back" {
            tx.rollback().await.unwrap();
        }
    }
    let mut tx = within_a_minute(db.begin()).await.unwrap();
    tx.fetch_all::<(i64,)>(Sql::new("PRAGMA max_page_count = 4294967294")).await.unwrap();
    assert_eq!(
        tx.execute(Sql::new("UPDATE orders SET comment = 'again' WHERE comment IS NULL")).await.unwrap(),
        1
    );
    tx.commit().await.unwrap();
}

/// Commits do not checkpoint the write-ahead log: it grows until a reader does.
async fn a_reader_checkpoints_the_log(db: &Db) {
    if db.dialect() == Dialect::Postgres {
        return;
    }
    insert_customer_and_service(db).await;
    let mut tx = db.begin().await.unwrap();
    let large = Sql::new("INSERT INTO settings (key, value, updated_at) VALUES ('big', ?, 0)");
    tx.execute(large.bind("x".repeat(8 << 20))).await.unwrap();
    tx.commit().await.unwrap();
    let progress = checkpoint::checkpoint(db).await.unwrap();
    assert!(progress.log_pages > 2_000 && progress.copied_pages == progress.log_pages, "{progress:?}");
}

async fn a_pool_without_a_free_connection_is_not_an_outage(db: &Db) {
    let Db::Postgres { read, write, availability } = db else { return };
    let options = PgPoolOptions::new().max_connections(1).acquire_timeout(Duration::from_millis(600));
    let db = Db::Postgres {
        read: read.clone(),
        write: options.connect_lazy_with((*write.connect_options()).clone()),
        availability: Arc::clone(availability),
    };
    let open_transaction = db.begin().await.unwrap();
    let error = within_a_minute(db.begin()).await.err().unwrap();
    assert!(matches!(error, DbError::Busy(_)), "{error}");
    assert!(db.is_available());
    open_transaction.rollback().await.unwrap();
    within_a_minute(db.begin()).await.unwrap().rollback().await.unwrap();
}
