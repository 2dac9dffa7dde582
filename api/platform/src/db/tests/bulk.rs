//! Bulk loads: once the triggers are restored, counts and search are exact again.

use std::time::Duration;

use super::counts::assert_counts_are_exact;
use super::{ORDER, insert_customer_and_service, insert_order, on_both, within_a_minute};
use crate::db::{Db, Source as _, Sql, bulk, counts};

on_both!(a_bulk_load_keeps_counts_exact, a_rolled_back_load_keeps_the_triggers, a_rebuild_waits_for_writers);

const LOADED_ORDERS: &str = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
  SELECT i * 2, 'Views', 'https://load' || i || '.example', CASE WHEN i % 3 = 0 THEN 'stopped' ELSE 'completed' END, 'api', 1, 1,
    i, 1, 1000, 10, i * 50000000, 0 FROM n";

async fn a_bulk_load_keeps_counts_exact(mut db: &Db) {
    insert_customer_and_service(db).await;
    let mut tx = db.begin().await.unwrap();
    let suspended = bulk::suspend_triggers(&mut tx).await.unwrap();
    assert_eq!(tx.exec(Sql::new(ORDER).push(LOADED_ORDERS)).await.unwrap(), 20_000);
    bulk::restore_triggers(&mut tx, suspended).await.unwrap();
    tx.commit().await.unwrap();
    assert_counts_are_exact(db).await;
    assert_eq!(counts::count(&mut db, "orders", "stopped").await.unwrap(), 6_666);
    // The triggers are active again, and the next id follows the loaded ones.
    let placed = "INSERT INTO orders (name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, created_at, updated_at)
      VALUES ('Views', 'https://after.example', 'stopped', 'api', 1, 1, 1, 1, 1, 1, 0, 0) RETURNING id";
    let mut tx = db.begin().await.unwrap();
    assert_eq!(tx.one::<(i64,)>(Sql::new(placed)).await.unwrap().0, 40_001);
    tx.commit().await.unwrap();
    assert_counts_are_exact(db).await;
}

async fn a_rolled_back_load_keeps_the_triggers(mut db: &Db) {
    insert_customer_and_service(db).await;
    let mut tx = db.begin().await.unwrap();
    let _suspended = bulk::suspend_triggers(&mut tx).await.unwrap();
    tx.rollback().await.unwrap();
    insert_order(db, 9, "https://guarded.example").await;
    assert_counts_are_exact(db).await;
    assert_eq!(counts::count(&mut db, "orders", "").await.unwrap(), 1);
}

/// The doctor rebuilds counts while the panel runs: an order placed during the rebuild is counted once.
async fn a_rebuild_waits_for_writers(db: &Db) {
    insert_customer_and_service(db).await;
    insert_order(db, 1, "https://first.example").await;
    counts::fold(db).await.unwrap();
    // Blocks the rebuild between the deletion of the deltas and the recount.
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
        async move { insert_order(&db, 2, "https://halfway.example").await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    holder.commit().await.unwrap();
    within_a_minute(async { tokio::try_join!(rebuild, placed) }).await.unwrap();
    assert_counts_are_exact(db).await;
}
