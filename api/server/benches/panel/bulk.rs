//! Measures a bulk cancel of 10,000 paid orders in one request, without and with emails to the customers, compared with the
//! equivalent SQL statements; and the longest wait of a concurrent writer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use panel_platform::db::{Db, Sql, SqlExecutor as _};
use serde_json::json;

use crate::server_process::ServerProcess;

const BATCH_SIZE: i64 = 10_000;

pub(crate) struct BulkCancelTimes {
    pub(crate) order_count: usize,
    pub(crate) http_ms: f64,
    /// With an email for each order.
    pub(crate) http_with_emails_ms: f64,
    pub(crate) sql_ms: f64,
    /// Longest request of another staff member during the bulk cancel.
    pub(crate) longest_wait_ms: f64,
}

/// The minimal statements that cancel the orders of the batch and refund them.
const CANCEL_STATEMENTS: [&str; 7] = [
    "UPDATE orders SET status = 'canceled', refunded = cost, refund_seq = 1, canceled_at = 2, updated_at = 2 WHERE id IN (SELECT id FROM bench_batch) AND status = 'in_processing'",
    "UPDATE order_balance_payments SET refunded = amount WHERE order_id IN (SELECT id FROM bench_batch)",
    "INSERT INTO ledger_txns (kind, ref_type, ref_id, seq, created_at) SELECT 'order_refund', 'order', id, 0, 2 FROM bench_batch ORDER BY id",
    "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, order_id, created_at)
     SELECT t.id, p.balance_type, o.user_id, p.amount, CASE WHEN p.balance_type = 'main' THEN u.balance_main ELSE u.balance_task END
         + CAST(sum(p.amount) OVER (PARTITION BY o.user_id, p.balance_type ORDER BY o.id) AS BIGINT), 'refund', 'income', o.id, 2
     FROM bench_batch l JOIN orders o ON o.id = l.id JOIN order_balance_payments p ON p.order_id = o.id JOIN users u ON u.id = o.user_id
       JOIN ledger_txns t ON t.kind = 'order_refund' AND t.ref_type = 'order' AND t.ref_id = o.id AND t.seq = 0",
    "INSERT INTO ledger_entries (txn_id, account, amount, type, transaction_type, order_id, created_at)
     SELECT t.id, 'revenue', -o.cost, 'refund', 'outcome', o.id, 2 FROM bench_batch l JOIN orders o ON o.id = l.id
       JOIN ledger_txns t ON t.kind = 'order_refund' AND t.ref_type = 'order' AND t.ref_id = o.id AND t.seq = 0",
    "UPDATE users SET balance_main = balance_main + s.main, balance_task = balance_task + s.task, spent = spent - s.main - s.task
     FROM (SELECT o.user_id, CAST(sum(CASE WHEN p.balance_type = 'main' THEN p.amount ELSE 0 END) AS BIGINT) AS main,
         CAST(sum(CASE WHEN p.balance_type = 'task' THEN p.amount ELSE 0 END) AS BIGINT) AS task
       FROM bench_batch l JOIN orders o ON o.id = l.id JOIN order_balance_payments p ON p.order_id = o.id GROUP BY o.user_id) s WHERE users.id = s.user_id",
    "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
     SELECT 2, 1, '127.0.0.1', '', '', 'order.canceled', 'order', id, '{\"status\":\"in_processing\"}', '{\"status\":\"canceled\"}' FROM bench_batch",
];

async fn select_cancelable_orders(db: &Db, limit: i64) -> Vec<i64> {
    // Some orders were only inserted to fill the lists. They have no recorded payment and cannot be refunded.
    let sql = Sql::new(
        "SELECT id FROM orders WHERE status = 'in_processing' AND id % 37 <> 0
           AND EXISTS (SELECT 1 FROM order_balance_payments p WHERE p.order_id = orders.id) ORDER BY id LIMIT ?",
    );
    let rows: Vec<(i64,)> = (&mut &*db).fetch_all(sql.bind(limit)).await.unwrap();
    rows.into_iter().map(|row| row.0).collect()
}

/// Measures the bulk cancel over HTTP without and with emails, then as SQL statements.
pub(crate) async fn measure(server: &ServerProcess, db: &Db) -> BulkCancelTimes {
    let ids = select_cancelable_orders(db, BATCH_SIZE).await;
    let other_order_id = find_order_outside_of_batch(db).await;
    let (http_ms, first_wait_ms) = cancel_over_http(server, &ids, other_order_id, false).await;
    let (http_with_emails_ms, second_wait_ms) =
        cancel_over_http(server, &select_cancelable_orders(db, BATCH_SIZE).await, other_order_id, true).await;
    let longest_wait_ms = first_wait_ms.max(second_wait_ms);
    let sql_ms = cancel_by_sql(db, &select_cancelable_orders(db, BATCH_SIZE).await).await;
    println!(
        "bulk cancel of {}: {http_ms:.0} ms over HTTP, {http_with_emails_ms:.0} ms with emails, {sql_ms:.0} ms by SQL, longest wait of another writer {longest_wait_ms:.0} ms",
        ids.len()
    );
    BulkCancelTimes { order_count: ids.len(), http_ms, http_with_emails_ms, sql_ms, longest_wait_ms }
}

/// Duration of one request that cancels and refunds `order_count` orders during other writes, in milliseconds.
pub(crate) async fn measure_http_cancel(server: &ServerProcess, db: &Db, order_count: i64) -> f64 {
    let (duration_ms, _) = cancel_over_http(
        server,
        &select_cancelable_orders(db, order_count).await,
        find_order_outside_of_batch(db).await,
        false,
    )
    .await;
    duration_ms
}

/// An order that no batch contains.
async fn find_order_outside_of_batch(db: &Db) -> i64 {
    let sql = "SELECT min(id) FROM orders WHERE status = 'in_processing' AND id % 37 = 0";
    let (id,): (i64,) = (&mut &*db).fetch_one(Sql::new(sql)).await.unwrap();
    id
}

/// Returns the duration of the bulk cancel, and the longest duration of a concurrent write to another order, in milliseconds.
async fn cancel_over_http(
    server: &ServerProcess,
    ids: &[i64],
    other_order_id: i64,
    with_emails: bool,
) -> (f64, f64) {
    let is_cancel_running = AtomicBool::new(true);
    let cancel_orders = async {
        let started_at = Instant::now();
        // The server refunds the full cost, as the SQL statements do, because no delivery of these orders is recorded.
        let body = json!({ "order_ids": ids, "return_money": true, "send_email_notification": with_emails });
        let outcome = server.post("/api/v1/admin/orders/cancel", &body).await;
        is_cancel_running.store(false, Ordering::SeqCst);
        let first_skipped = &outcome["skipped"][0];
        assert_eq!(
            outcome["processed"].as_u64(),
            u64::try_from(ids.len()).ok(),
            "the first skipped order: {first_skipped}"
        );
        started_at.elapsed().as_secs_f64() * 1_000.0
    };
    // Another staff member writes comments on an order outside of the batch.
    let write_comments = async {
        let mut longest_ms = 0.0_f64;
        while is_cancel_running.load(Ordering::SeqCst) {
            let started_at = Instant::now();
            let path = format!("/api/v1/admin/orders/{other_order_id}/update-comment");
            server.post(&path, &json!({ "comment": "meanwhile" })).await;
            longest_ms = longest_ms.max(started_at.elapsed().as_secs_f64() * 1_000.0);
        }
        longest_ms
    };
    tokio::join!(cancel_orders, write_comments)
}

async fn cancel_by_sql(db: &Db, ids: &[i64]) -> f64 {
    let mut tx = db.begin().await.unwrap();
    tx.execute(Sql::new("CREATE TEMPORARY TABLE bench_batch (id BIGINT PRIMARY KEY)")).await.unwrap();
    tx.execute(
        Sql::new("INSERT INTO bench_batch SELECT id FROM orders WHERE id IN ").numbers(ids.iter().copied()),
    )
    .await
    .unwrap();
    let started_at = Instant::now();
    for statement in [
        "SELECT id FROM orders WHERE id IN (SELECT id FROM bench_batch) ORDER BY id",
        "SELECT id FROM users WHERE id IN (SELECT user_id FROM orders WHERE id IN (SELECT id FROM bench_batch)) ORDER BY id",
    ] {
        tx.fetch_all::<(i64,)>(Sql::new(statement).for_update()).await.unwrap();
    }
    for statement in CANCEL_STATEMENTS {
        tx.execute(Sql::new(statement)).await.unwrap();
    }
    tx.commit().await.unwrap();
    started_at.elapsed().as_secs_f64() * 1_000.0
}
