//! Bulk loads: after the triggers are restored, counts and search are exact.

use std::time::Duration;

use super::counts::assert_counts_are_exact;
use super::{
    INSERT_ORDER, insert_customer_and_service, insert_order, test_on_both_databases, within_a_minute,
};
use crate::db::{Db, Sql, SqlExecutor as _, bulk, counts};

test_on_both_databases!(
    a_bulk_load_keeps_counts_exact,
    a_rolled_back_load_keeps_the_triggers,
    a_rebuild_waits_for_writers
);

const SELECT_20000_ORDERS: &str = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
  SELECT i * 2, 'Views', 'https://load' || i || '.example', CASE WHEN i % 3 = 0 THEN 'stopped' ELSE 'completed' END, 'api', 1, 1,
    i, 1, 1000, 10, i * 50000000, 0 FROM n";

async fn a_bulk_load_keeps_counts_exact(mut db: &Db) {
    insert_customer_and_service(db).await;
    let mut tx = db.begin().await.unwrap();
    let suspended = bulk::suspend_triggers(&mut tx).await.unwrap();
    assert_eq!(tx.execute(Sql::new(INSERT_ORDER).push(SELECT_20000_ORDERS)).await.unwrap(), 20_000);
    bulk::restore_triggers(&mut tx, suspended).await.unwrap();
    tx.commit().await.unwrap();
    assert_counts_are_exact(db).await;
    assert_eq!(counts::count(&mut db, "orders", "stopped").await.unwrap(), 6_666);
    // The triggers are active again, and the next id follows the loaded ones.
    let insert =
        "INSERT INTO orders (name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, created_at, updated_at)
      VALUES ('Views', 'https://after.example', 'stopped', 'api', 1, 1, 1, 1, 1, 1, 0, 0) RETURNING id";
    let mut tx = db.begin().await.unwrap();
    assert_eq!(tx.fetch_one::<(i64,)>(Sql::new(insert)).await.unwrap().0, 40_001);
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
    counts::fold_deltas(db).await.unwrap();
    // Locks rows, so that the rebuild waits between the deletion of the deltas and the recount.
    let mut lock_holder = db.begin().await.unwrap();
    lock_holder.fetch_all::<(i64,)>(Sql::new("SELECT n FROM order_days").for_update()).await.unwrap();
    let rebuild = tokio::spawn({
        let db = db.clone();
        async move {
            let mut tx = db.begin().await.unwrap();
            counts::rebuild(&mut tx).await.unwrap();
            tx.commit().await.unwrap();
        }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let insert = tokio::spawn({
        let db = db.clone();
        async move { insert_order(&db, 2, "https://halfway.example").await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    lock_holder.commit().await.unwrap();
    within_a_minute(async { tokio::try_join!(rebuild, insert) }).await.unwrap();
    assert_counts_are_exact(db).await;
}
