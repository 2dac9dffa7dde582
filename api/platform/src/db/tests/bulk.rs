//! Bulk loads: the triggers stand still, and afterwards everything is as if they had not.

use std::time::Duration;

use super::counts::exact;
use super::{ORDER, on_both, order, shop, soon};
use crate::db::{Db, Source as _, Sql, bulk, counts};

on_both!(a_load_counts_as_much, an_abandoned_load_leaves_the_guards, rebuild_waits_for_writers);

const MANY: &str = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
  SELECT i * 2, 'Views', 'https://load' || i || '.example', CASE WHEN i % 3 = 0 THEN 'stopped' ELSE 'completed' END, 'api', 1, 1,
    i, 1, 1000, 10, i * 50000000, 0 FROM n";

async fn a_load_counts_as_much(mut db: &Db) {
    shop(db).await;
    let mut tx = db.begin().await.unwrap();
    let quiet = bulk::quiet(&mut tx).await.unwrap();
    assert_eq!(tx.exec(Sql::new(ORDER).push(MANY)).await.unwrap(), 20_000);
    bulk::loud(&mut tx, quiet).await.unwrap();
    tx.commit().await.unwrap();
    exact(db).await;
    assert_eq!(counts::count(&mut db, "orders", "stopped").await.unwrap(), 6_666);
    // The triggers are back, and the next id is behind the loaded ones.
    let placed = "INSERT INTO orders (name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, created_at, updated_at)
      VALUES ('Views', 'https://after.example', 'stopped', 'api', 1, 1, 1, 1, 1, 1, 0, 0) RETURNING id";
    let mut tx = db.begin().await.unwrap();
    assert_eq!(tx.one::<(i64,)>(Sql::new(placed)).await.unwrap().0, 40_001);
    tx.commit().await.unwrap();
    exact(db).await;
}

async fn an_abandoned_load_leaves_the_guards(mut db: &Db) {
    shop(db).await;
    let mut tx = db.begin().await.unwrap();
    let _quiet = bulk::quiet(&mut tx).await.unwrap();
    tx.rollback().await.unwrap();
    order(db, 9, "https://guarded.example").await;
    exact(db).await;
    assert_eq!(counts::count(&mut db, "orders", "").await.unwrap(), 1);
}

/// The doctor rebuilds while the panel runs: an order placed halfway is counted once.
async fn rebuild_waits_for_writers(db: &Db) {
    shop(db).await;
    order(db, 1, "https://first.example").await;
    counts::fold(db).await.unwrap();
    // Holds the rebuild up between taking the deltas away and recounting.
    let mut holder = db.begin().await.unwrap();
    holder.all::<(i64,)>(Sql::new("SELECT n FROM order_days").for_update()).await.unwrap();
    let rebuild = tokio::spawn({
        let db = db.clone();
        async move {
            let mut tx = db.begin().await.unwrap();
            counts::rebuild(&mut tx).await.unwrap();
            tx.commit().await.unwrap();
        }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let placed = tokio::spawn({
        let db = db.clone();
        async move { order(&db, 2, "https://halfway.example").await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    holder.commit().await.unwrap();
    soon(async { tokio::try_join!(rebuild, placed) }).await.unwrap();
    exact(db).await;
}
