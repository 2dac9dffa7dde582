//! Writers at once, transactions that are dropped, a disk that fills up.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::poll;
use sqlx::postgres::PgPoolOptions;

use super::{on_both, order, shop, soon};
use crate::db::open::shares;
use crate::db::{Db, DbError, Dialect, Source as _, Sql, checkpoint};

on_both!(
    two_hundred_writers,
    dropped_is_undone,
    given_up_while_it_begins,
    reads_wait_for_no_writer,
    full_disk_passes,
    a_busy_pool_is_no_outage,
    the_log_is_written_back_by_a_reader,
);

async fn two_hundred_writers(db: &Db) {
    shop(db).await;
    let writers = (0..200).map(|_| {
        let db = db.clone();
        tokio::spawn(async move {
            let mut tx = db.begin().await?;
            // Read, think, write: what a deferred transaction loses.
            let sql = Sql::new("SELECT balance_main FROM users WHERE id = 1").for_update();
            let (balance,) = tx.one::<(i64,)>(sql).await?;
            tokio::task::yield_now().await;
            tx.exec(Sql::new("UPDATE users SET balance_main = ? WHERE id = 1").bind(balance + 1)).await?;
            tx.commit().await
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        soon(writer).await.unwrap().unwrap();
    }
    let mut db = db;
    let (balance,) = db.one::<(i64,)>(Sql::new("SELECT balance_main FROM users WHERE id = 1")).await.unwrap();
    assert_eq!(balance, 200);
}

async fn dropped_is_undone(mut db: &Db) {
    shop(db).await;
    for ending in ["dropped", "rolled back"] {
        let mut tx = db.begin().await.unwrap();
        tx.exec(Sql::new("UPDATE users SET name = ?").bind(ending)).await.unwrap();
        if ending == "rolled back" {
            tx.rollback().await.unwrap();
        }
    }
    let (name,) = soon(db.one::<(String,)>(Sql::new("SELECT name FROM users"))).await.unwrap();
    assert_eq!(name, "Ann");
    soon(async { db.begin().await.unwrap().commit().await }).await.unwrap();
}

/// A caller that hung up while its transaction began must not leave the connection inside of it: what the next one writes
/// there would never be committed, and its rows would stay locked.
async fn given_up_while_it_begins(mut db: &Db) {
    shop(db).await;
    let one = &with_one_connection(db);
    for polls in 0..40 {
        {
            let mut begins = pin!(one.begin());
            for _ in 0..polls {
                if poll!(begins.as_mut()).is_ready() {
                    break;
                }
            }
        }
        soon(at_rest(one)).await;
        let said = format!("Eve {polls}");
        { one }.exec(Sql::new("UPDATE users SET name = ?").bind(&*said)).await.unwrap();
        let (name,) = db.one::<(String,)>(Sql::new("SELECT name FROM users")).await.unwrap();
        assert_eq!(name, said, "what others see");
    }
}

/// Writers that wait for one row hold all connections that may write; reads have their own.
async fn reads_wait_for_no_writer(mut db: &Db) {
    shop(db).await;
    let rename = || Sql::new("UPDATE users SET name = 'Eve' WHERE id = 1");
    let mut first = db.begin().await.unwrap();
    first.exec(rename()).await.unwrap();
    // More than there are connections.
    let writers = (0..12).map(|_| {
        let db = db.clone();
        tokio::spawn(async move { (&mut &db).exec(rename()).await })
    });
    let writers: Vec<_> = writers.collect();
    if db.dialect() == Dialect::Postgres {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while soon(db.one::<(i64,)>(Sql::new(waiting))).await.unwrap().0 < i64::from(shares(8).1 - 1) {}
    }
    let read = db.one::<(String,)>(Sql::new("SELECT name FROM users WHERE id = 1"));
    let name = tokio::time::timeout(Duration::from_secs(1), read).await.expect("within a second").unwrap();
    assert_eq!(name.0, "Ann");
    first.commit().await.unwrap();
    for writer in writers {
        assert_eq!(soon(writer).await.unwrap().unwrap(), 1);
    }
}

/// A quarter of the connections reads, and neither side is ever left without.
#[test]
fn connections_are_shared_between_reads_and_writes() {
    assert_eq!([1, 4, 8, 10, 100].map(shares), [(2, 2), (2, 2), (2, 6), (3, 7), (25, 75)]);
}

/// The same database, written by one connection.
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

/// Waits until no connection is at work.
async fn at_rest(db: &Db) {
    while db.in_use() > 0 {
        tokio::task::yield_now().await;
    }
}

/// SQLite has rolled back by itself when the disk was full: the writer must not be stuck in a transaction that is
/// no more.
async fn full_disk_passes(db: &Db) {
    if db.dialect() == Dialect::Postgres {
        return;
    }
    shop(db).await;
    order(db, 1, "https://kept.example").await;
    for ending in ["dropped", "rolled back"] {
        let mut tx = db.begin().await.unwrap();
        let (pages,) = tx.one::<(i64,)>(Sql::new("PRAGMA page_count")).await.unwrap();
        tx.all::<(i64,)>(Sql::new("PRAGMA max_page_count = 1")).await.unwrap();
        tx.exec(Sql::new("UPDATE orders SET comment = 'lost'")).await.unwrap();
        let much = Sql::new("INSERT INTO settings (key, value, updated_at) VALUES ('big', ?, 0)")
            .bind("x".repeat(1 << 20));
        let error = tx.exec(much).await.unwrap_err();
        assert!(error.is_full(), "{error} at {pages} pages");
        if ending == "rolled back" {
            tx.rollback().await.unwrap();
        }
    }
    let mut tx = soon(db.begin()).await.unwrap();
    tx.all::<(i64,)>(Sql::new("PRAGMA max_page_count = 4294967294")).await.unwrap();
    assert_eq!(
        tx.exec(Sql::new("UPDATE orders SET comment = 'again' WHERE comment IS NULL")).await.unwrap(),
        1
    );
    tx.commit().await.unwrap();
}

/// No commit pays for it: the log grows until somebody beside the writer writes it back.
async fn the_log_is_written_back_by_a_reader(db: &Db) {
    if db.dialect() == Dialect::Postgres {
        return;
    }
    shop(db).await;
    let mut tx = db.begin().await.unwrap();
    let much = Sql::new("INSERT INTO settings (key, value, updated_at) VALUES ('big', ?, 0)");
    tx.exec(much.bind("x".repeat(8 << 20))).await.unwrap();
    tx.commit().await.unwrap();
    let (log, done) = checkpoint::write_back(db).await.unwrap();
    assert!(log > 2_000 && done == log, "{log} pages, {done} written back");
}

/// All connections are in use: the pool is busy, and the database is not away.
async fn a_busy_pool_is_no_outage(db: &Db) {
    let Db::Postgres { read, write, availability } = db else { return };
    let options = PgPoolOptions::new().max_connections(1).acquire_timeout(Duration::from_millis(600));
    let db = Db::Postgres {
        read: read.clone(),
        write: options.connect_lazy_with((*write.connect_options()).clone()),
        availability: Arc::clone(availability),
    };
    let held = db.begin().await.unwrap();
    let error = soon(db.begin()).await.err().unwrap();
    assert!(matches!(error, DbError::Busy(_)), "{error}");
    assert!(db.is_available());
    held.rollback().await.unwrap();
    soon(db.begin()).await.unwrap().rollback().await.unwrap();
}
