//! Concurrent writers, dropped transactions, a full disk.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::poll;
use sqlx::postgres::PgPoolOptions;

use super::{insert_customer_and_service, insert_order, on_both, within_a_minute};
use crate::db::open::split_connections;
use crate::db::{Db, DbError, Dialect, Source as _, Sql, checkpoint};

on_both!(
    two_hundred_concurrent_writers_lose_no_update,
    a_dropped_transaction_is_rolled_back,
    a_dropped_begin_leaves_no_open_transaction,
    reads_do_not_wait_for_writers,
    recovers_from_a_full_disk,
    a_busy_pool_is_no_outage,
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
            let (balance,) = tx.one::<(i64,)>(sql).await?;
            tokio::task::yield_now().await;
            tx.exec(Sql::new("UPDATE users SET balance_main = ? WHERE id = 1").bind(balance + 1)).await?;
            tx.commit().await
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        within_a_minute(writer).await.unwrap().unwrap();
    }
    let mut db = db;
    let (balance,) = db.one::<(i64,)>(Sql::new("SELECT balance_main FROM users WHERE id = 1")).await.unwrap();
    assert_eq!(balance, 200);
}

async fn a_dropped_transaction_is_rolled_back(mut db: &Db) {
    insert_customer_and_service(db).await;
    for how in ["dropped", "rolled back"] {
        let mut tx = db.begin().await.unwrap();
        tx.exec(Sql::new("UPDATE users SET name = ?").bind(how)).await.unwrap();
        if how == "rolled back" {
            tx.rollback().await.unwrap();
        }
    }
    let (name,) = within_a_minute(db.one::<(String,)>(Sql::new("SELECT name FROM users"))).await.unwrap();
    assert_eq!(name, "Ann");
    within_a_minute(async { db.begin().await.unwrap().commit().await }).await.unwrap();
}

/// A future dropped while its transaction begins must not leave the connection in the transaction: the writes of the next caller
/// would never be committed, and their rows would stay locked.
async fn a_dropped_begin_leaves_no_open_transaction(mut db: &Db) {
    insert_customer_and_service(db).await;
    let one = &with_one_connection(db);
    for polls in 0..40 {
        {
            let mut begin = pin!(one.begin());
            for _ in 0..polls {
                if poll!(begin.as_mut()).is_ready() {
                    break;
                }
            }
        }
        within_a_minute(until_idle(one)).await;
        let name_written = format!("Eve {polls}");
        { one }.exec(Sql::new("UPDATE users SET name = ?").bind(&*name_written)).await.unwrap();
        let (name,) = db.one::<(String,)>(Sql::new("SELECT name FROM users")).await.unwrap();
        assert_eq!(name, name_written, "committed name");
    }
}

/// Writers that wait for one row hold all connections of the write pool; reads have their own pool.
async fn reads_do_not_wait_for_writers(mut db: &Db) {
    insert_customer_and_service(db).await;
    let rename = || Sql::new("UPDATE users SET name = 'Eve' WHERE id = 1");
    let mut first = db.begin().await.unwrap();
    first.exec(rename()).await.unwrap();
    // More writers than connections.
    let writers = (0..12).map(|_| {
        let db = db.clone();
        tokio::spawn(async move { (&mut &db).exec(rename()).await })
    });
    let writers: Vec<_> = writers.collect();
    if db.dialect() == Dialect::Postgres {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while within_a_minute(db.one::<(i64,)>(Sql::new(waiting))).await.unwrap().0
            < i64::from(split_connections(8).1 - 1)
        {}
    }
    let read = db.one::<(String,)>(Sql::new("SELECT name FROM users WHERE id = 1"));
    let name = tokio::time::timeout(Duration::from_secs(1), read).await.expect("within a second").unwrap();
    assert_eq!(name.0, "Ann");
    first.commit().await.unwrap();
    for writer in writers {
        assert_eq!(within_a_minute(writer).await.unwrap().unwrap(), 1);
    }
}

/// A quarter of the connections is for reads; both pools have at least two.
#[test]
fn connections_are_shared_between_reads_and_writes() {
    assert_eq!([1, 4, 8, 10, 100].map(split_connections), [(2, 2), (2, 2), (2, 6), (3, 7), (25, 75)]);
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
async fn until_idle(db: &Db) {
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
    for how in ["dropped", "rolled back"] {
        let mut tx = db.begin().await.unwrap();
        let (pages,) = tx.one::<(i64,)>(Sql::new("PRAGMA page_count")).await.unwrap();
        tx.all::<(i64,)>(Sql::new("PRAGMA max_page_count = 1")).await.unwrap();
        tx.exec(Sql::new("UPDATE orders SET comment = 'lost'")).await.unwrap();
        let large = Sql::new("INSERT INTO settings (key, value, updated_at) VALUES ('big', ?, 0)")
            .bind("x".repeat(1 << 20));
        let error = tx.exec(large).await.unwrap_err();
        assert!(error.is_full(), "{error} at {pages} pages");
        if how == "rolled back" {
            tx.rollback().await.unwrap();
        }
    }
    let mut tx = within_a_minute(db.begin()).await.unwrap();
    tx.all::<(i64,)>(Sql::new("PRAGMA max_page_count = 4294967294")).await.unwrap();
    assert_eq!(
        tx.exec(Sql::new("UPDATE orders SET comment = 'again' WHERE comment IS NULL")).await.unwrap(),
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
    tx.exec(large.bind("x".repeat(8 << 20))).await.unwrap();
    tx.commit().await.unwrap();
    let (log, done) = checkpoint::write_back(db).await.unwrap();
    assert!(log > 2_000 && done == log, "{log} pages, {done} written back");
}

/// A pool without a free connection is busy; the database is still available.
async fn a_busy_pool_is_no_outage(db: &Db) {
    let Db::Postgres { read, write, availability } = db else { return };
    let options = PgPoolOptions::new().max_connections(1).acquire_timeout(Duration::from_millis(600));
    let db = Db::Postgres {
        read: read.clone(),
        write: options.connect_lazy_with((*write.connect_options()).clone()),
        availability: Arc::clone(availability),
    };
    let open = db.begin().await.unwrap();
    let error = within_a_minute(db.begin()).await.err().unwrap();
    assert!(matches!(error, DbError::Busy(_)), "{error}");
    assert!(db.is_available());
    open.rollback().await.unwrap();
    within_a_minute(db.begin()).await.unwrap().rollback().await.unwrap();
}
