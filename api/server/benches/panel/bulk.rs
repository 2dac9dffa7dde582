//! A bulk cancel of 10,000 orders with money, in one request, without and with an email to each customer, compared with the
//! bare statements that do the same; and how long another writer waits meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use panel_platform::db::{Db, Source as _, Sql};
use serde_json::json;

use crate::served::Served;

const LOT: i64 = 10_000;

/// Results, in milliseconds.
pub(crate) struct Bulk {
    pub(crate) orders: usize,
    pub(crate) served_ms: f64,
    /// With an email for each order.
    pub(crate) emails_ms: f64,
    pub(crate) bare_ms: f64,
    pub(crate) longest_wait_ms: f64,
}

/// The minimal statements that cancel the orders of the batch and refund them.
const BARE: [&str; 7] = [
    "UPDATE orders SET status = 'canceled', refunded = cost, refund_seq = 1, canceled_at = 2, updated_at = 2 WHERE id IN (SELECT id FROM bench_lot) AND status = 'in_processing'",
    "UPDATE order_balance_payments SET refunded = amount WHERE order_id IN (SELECT id FROM bench_lot)",
    "INSERT INTO ledger_txns (kind, ref_type, ref_id, seq, created_at) SELECT 'order_refund', 'order', id, 0, 2 FROM bench_lot ORDER BY id",
    "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, order_id, created_at)
     SELECT t.id, p.balance_type, o.user_id, p.amount, CASE WHEN p.balance_type = 'main' THEN u.balance_main ELSE u.balance_task END
         + CAST(sum(p.amount) OVER (PARTITION BY o.user_id, p.balance_type ORDER BY o.id) AS BIGINT), 'refund', 'income', o.id, 2
     FROM bench_lot l JOIN orders o ON o.id = l.id JOIN order_balance_payments p ON p.order_id = o.id JOIN users u ON u.id = o.user_id
       JOIN ledger_txns t ON t.kind = 'order_refund' AND t.ref_type = 'order' AND t.ref_id = o.id AND t.seq = 0",
    "INSERT INTO ledger_entries (txn_id, account, amount, type, transaction_type, order_id, created_at)
     SELECT t.id, 'revenue', -o.cost, 'refund', 'outcome', o.id, 2 FROM bench_lot l JOIN orders o ON o.id = l.id
       JOIN ledger_txns t ON t.kind = 'order_refund' AND t.ref_type = 'order' AND t.ref_id = o.id AND t.seq = 0",
    "UPDATE users SET balance_main = balance_main + s.main, balance_task = balance_task + s.task, spent = spent - s.main - s.task
     FROM (SELECT o.user_id, CAST(sum(CASE WHEN p.balance_type = 'main' THEN p.amount ELSE 0 END) AS BIGINT) AS main,
         CAST(sum(CASE WHEN p.balance_type = 'task' THEN p.amount ELSE 0 END) AS BIGINT) AS task
       FROM bench_lot l JOIN orders o ON o.id = l.id JOIN order_balance_payments p ON p.order_id = o.id GROUP BY o.user_id) s WHERE users.id = s.user_id",
    "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
     SELECT 2, 1, '127.0.0.1', '', '', 'order.canceled', 'order', id, '{\"status\":\"in_processing\"}', '{\"status\":\"canceled\"}' FROM bench_lot",
];

async fn pick_orders(db: &Db, orders: i64) -> Vec<i64> {
    // Some orders that fill the lists have no recorded payment and cannot be refunded.
    let sql = Sql::new(
        "SELECT id FROM orders WHERE status = 'in_processing' AND id % 37 <> 0
           AND EXISTS (SELECT 1 FROM order_balance_payments p WHERE p.order_id = orders.id) ORDER BY id LIMIT ?",
    );
    let rows: Vec<(i64,)> = (&mut &*db).all(sql.bind(orders)).await.unwrap();
    rows.into_iter().map(|row| row.0).collect()
}

/// Measures both, the server first.
pub(crate) async fn measure(served: &Served, db: &Db) -> Bulk {
    let ids = pick_orders(db, LOT).await;
    let other = spare(db).await;
    let (served_ms, first_wait_ms) = over_http(served, &ids, other, false).await;
    let (emails_ms, second_wait_ms) = over_http(served, &pick_orders(db, LOT).await, other, true).await;
    let longest_wait_ms = first_wait_ms.max(second_wait_ms);
    let bare_ms = bare(db, &pick_orders(db, LOT).await).await;
    println!(
        "bulk cancel of {}: {served_ms:.0} ms served, {emails_ms:.0} ms with emails, {bare_ms:.0} ms bare, others waited {longest_wait_ms:.0} ms",
        ids.len()
    );
    Bulk { orders: ids.len(), served_ms, emails_ms, bare_ms, longest_wait_ms }
}

/// Time of one request that cancels and refunds `orders` orders, beside another writer, in milliseconds.
pub(crate) async fn cancel(served: &Served, db: &Db, orders: i64) -> f64 {
    let (spent_ms, _) = over_http(served, &pick_orders(db, orders).await, spare(db).await, false).await;
    spent_ms
}

/// An order that is in no batch.
async fn spare(db: &Db) -> i64 {
    let sql = "SELECT min(id) FROM orders WHERE status = 'in_processing' AND id % 37 = 0";
    let (id,): (i64,) = (&mut &*db).one(Sql::new(sql)).await.unwrap();
    id
}

async fn over_http(served: &Served, ids: &[i64], order: i64, with_emails: bool) -> (f64, f64) {
    let running = AtomicBool::new(true);
    let cancel = async {
        let begun = Instant::now();
        // Full refunds, as in the bare statements: no delivery of these orders is recorded.
        let body = json!({ "order_ids": ids, "return_money": true, "send_email_notification": with_emails });
        let outcome = served.post("/api/v1/admin/orders/cancel", &body).await;
        running.store(false, Ordering::SeqCst);
        let refused = &outcome["skipped"][0];
        assert_eq!(
            outcome["processed"].as_u64(),
            u64::try_from(ids.len()).ok(),
            "the first refusal: {refused}"
        );
        begun.elapsed().as_secs_f64() * 1_000.0
    };
    // Another staff member, who writes a comment on an order outside of the batch.
    let other = async {
        let mut longest = 0.0_f64;
        while running.load(Ordering::SeqCst) {
            let begun = Instant::now();
            let path = format!("/api/v1/admin/orders/{order}/update-comment");
            served.post(&path, &json!({ "comment": "meanwhile" })).await;
            longest = longest.max(begun.elapsed().as_secs_f64() * 1_000.0);
        }
        longest
    };
    tokio::join!(cancel, other)
}

async fn bare(db: &Db, ids: &[i64]) -> f64 {
    let mut tx = db.begin().await.unwrap();
    tx.exec(Sql::new("CREATE TEMPORARY TABLE bench_lot (id BIGINT PRIMARY KEY)")).await.unwrap();
    tx.exec(
        Sql::new("INSERT INTO bench_lot SELECT id FROM orders WHERE id IN ").numbers(ids.iter().copied()),
    )
    .await
    .unwrap();
    let begun = Instant::now();
    for statement in [
        "SELECT id FROM orders WHERE id IN (SELECT id FROM bench_lot) ORDER BY id",
        "SELECT id FROM users WHERE id IN (SELECT user_id FROM orders WHERE id IN (SELECT id FROM bench_lot)) ORDER BY id",
    ] {
        tx.all::<(i64,)>(Sql::new(statement).for_update()).await.unwrap();
    }
    for statement in BARE {
        tx.exec(Sql::new(statement)).await.unwrap();
    }
    tx.commit().await.unwrap();
    begun.elapsed().as_secs_f64() * 1_000.0
}
