//! A bulk cancel with money beside the bare statements that do the same, and how long others wait meanwhile.
//!
//! Without `SCALE` the table is small and only gross failure is one; `SCALE=1m` measures (see docs/benchmarks).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use panel_server::db::{Dialect, Source, Sql};
use serde_json::json;

use crate::panel::Panel;

both! {
    a_bulk_cancel_beside_bare_sql;
}

const LOT: i64 = 10_000;

/// The least that cancels a range of orders and gives the money back.
const BARE: [&str; 7] = [
    "UPDATE orders SET status = 'canceled', refunded = cost, refund_seq = 1, canceled_at = 2, updated_at = 2
     WHERE id BETWEEN ? AND ? AND status = 'in_processing'",
    "UPDATE order_balance_payments SET refunded = amount WHERE order_id BETWEEN ? AND ?",
    "INSERT INTO ledger_txns (kind, ref_type, ref_id, seq, created_at) SELECT 'order_refund', 'order', id, 0, 2 FROM orders WHERE id BETWEEN ? AND ? ORDER BY id",
    "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, order_id, created_at)
     SELECT t.id, p.balance_type, o.user_id, p.amount,
       CASE WHEN p.balance_type = 'main' THEN u.balance_main ELSE u.balance_task END
         + CAST(sum(p.amount) OVER (PARTITION BY o.user_id, p.balance_type ORDER BY o.id) AS BIGINT), 'refund', 'income', o.id, 2
     FROM orders o JOIN order_balance_payments p ON p.order_id = o.id JOIN users u ON u.id = o.user_id
       JOIN ledger_txns t ON t.kind = 'order_refund' AND t.ref_type = 'order' AND t.ref_id = o.id AND t.seq = 0
     WHERE o.id BETWEEN ? AND ?",
    "INSERT INTO ledger_entries (txn_id, account, amount, type, transaction_type, order_id, created_at)
     SELECT t.id, 'revenue', -o.cost, 'refund', 'outcome', o.id, 2
     FROM orders o JOIN ledger_txns t ON t.kind = 'order_refund' AND t.ref_type = 'order' AND t.ref_id = o.id AND t.seq = 0 WHERE o.id BETWEEN ? AND ?",
    "UPDATE users SET balance_main = balance_main + s.main, balance_task = balance_task + s.task, spent = spent - s.main - s.task
     FROM (SELECT o.user_id, CAST(sum(CASE WHEN p.balance_type = 'main' THEN p.amount ELSE 0 END) AS BIGINT) AS main,
         CAST(sum(CASE WHEN p.balance_type = 'task' THEN p.amount ELSE 0 END) AS BIGINT) AS task
       FROM orders o JOIN order_balance_payments p ON p.order_id = o.id WHERE o.id BETWEEN ? AND ? GROUP BY o.user_id) s WHERE users.id = s.user_id",
    "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
     SELECT 2, 1000001, '127.0.0.1', '', '', 'order.canceled', 'order', id, '{\"status\":\"in_processing\"}', '{\"status\":\"canceled\"}' FROM orders WHERE id BETWEEN ? AND ?",
];

async fn bare(panel: &Panel, first: i64) -> Duration {
    let started = Instant::now();
    let mut tx = panel.app.db.begin().await.unwrap();
    let locks =
        "SELECT id FROM users WHERE id IN (SELECT user_id FROM orders WHERE id BETWEEN ? AND ?) ORDER BY id";
    for sql in [
        Sql::new("SELECT id FROM orders WHERE id BETWEEN ? AND ? ORDER BY id")
            .bind(first)
            .bind(first + LOT - 1)
            .for_update(),
        Sql::new(locks).bind(first).bind(first + LOT - 1).for_update(),
    ] {
        tx.all::<(i64,)>(sql).await.unwrap();
    }
    for statement in BARE {
        tx.exec(Sql::new(statement).bind(first).bind(first + LOT - 1)).await.unwrap();
    }
    tx.commit().await.unwrap();
    started.elapsed()
}

async fn ours(panel: &Panel, first: i64, mail: bool) -> Duration {
    let ids: Vec<i64> = (first..first + LOT).collect();
    let body = json!({ "order_ids": ids, "return_money": true, "send_email_notification": mail });
    let started = Instant::now();
    let answer = panel.post("/api/v1/admin/orders/cancel", &body).await;
    let took = started.elapsed();
    assert_eq!(answer.json()["processed"], LOT, "{}", answer.text);
    took
}

/// Somebody else's small writes until `stop`; the longest of them.
async fn others(panel: Arc<Panel>, stop: Arc<AtomicBool>) -> Duration {
    let mut longest = Duration::ZERO;
    let mut step = 0_i64;
    while !stop.load(Ordering::Relaxed) {
        let action = if step % 2 == 0 { "pause" } else { "activate" };
        let started = Instant::now();
        let answer = panel.post(&format!("/api/v1/admin/orders/7/{action}"), &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        longest = longest.max(started.elapsed());
        step += 1;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    longest
}

async fn a_bulk_cancel_beside_bare_sql(dialect: Dialect) {
    let scaled = std::env::var_os("SCALE").is_some();
    let panel = Arc::new(Panel::shop(dialect, 2_500, if scaled { 1_000_000 } else { 80_000 }).await);
    // A small one first, so that its plan is not the plan of the large ones.
    panel.post("/api/v1/admin/orders/cancel", &json!({ "order_ids": [1, 2], "return_money": true })).await;
    let (mut plain, mut served) = (Vec::new(), Vec::new());
    for round in 0..3 {
        plain.push(bare(&panel, 10_001 + round * 2 * LOT).await);
        served.push(ours(&panel, 20_001 + round * 2 * LOT, false).await);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let waiting = tokio::spawn(others(Arc::clone(&panel), Arc::clone(&stop)));
    tokio::time::sleep(Duration::from_millis(50)).await;
    let mailed = ours(&panel, 70_001, true).await;
    stop.store(true, Ordering::Relaxed);
    let longest = waiting.await.unwrap();
    let (plain, served) = (plain.into_iter().min().unwrap(), served.into_iter().min().unwrap());
    eprintln!(
        "{dialect:?}: 10,000 canceled with money in {served:?} (with 10,000 letters {mailed:?}), bare SQL {plain:?}; others waited at most {longest:?}"
    );
    if scaled {
        assert!(served < plain * 2, "more than twice the bare SQL");
        assert!(longest < Duration::from_millis(500), "others waited too long");
    }
}
