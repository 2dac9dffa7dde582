//! Concurrent requests that change the same order, the same balance or the same row.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_platform::db::open::split_connections;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::json;

use crate::panel::Panel;

test_both_databases! {
    two_concurrent_cancels_refund_an_order_once;
    concurrent_actions_and_payments_keep_the_ledger_balanced;
    bulk_cancels_in_opposite_order_do_not_deadlock;
    concurrent_debits_do_not_spend_a_refund_twice;
    reads_work_while_payments_wait_for_a_lock;
}

/// Two requests cancel each of a thousand orders. One request refunds the order, and the other gets an error.
async fn two_concurrent_cancels_refund_an_order_once(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 20, 1_000).await);
    let body = json!({ "return_money": true, "send_email_notification": false });
    for batch in (1..=1_000).collect::<Vec<i64>>().chunks(50) {
        let requests = batch.iter().flat_map(|id| [*id, *id]).map(|id| {
            let (panel, body) = (Arc::clone(&panel), body.clone());
            tokio::spawn(async move {
                let response = panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &body).await;
                (id, response)
            })
        });
        let results: Vec<_> =
            join_all(requests).await.into_iter().map(|response| response.unwrap()).collect();
        for pair in results.chunks(2) {
            let (succeeded, rejected): (Vec<_>, Vec<_>) =
                pair.iter().partition(|(_, response)| response.status == 200);
            assert_eq!((succeeded.len(), rejected.len()), (1, 1), "order {}: {}", pair[0].0, pair[1].1.text);
            assert_eq!(
                (rejected[0].1.status.as_u16(), &rejected[0].1.json()["code"]),
                (409, &json!("order_not_cancelable"))
            );
        }
    }
    let count_refunds_sql = Sql::new("SELECT count(*) FROM ledger_txns WHERE kind = 'order_refund'");
    assert_eq!(panel.fetch_number(count_refunds_sql).await, 1_000);
    let spent_sql = Sql::new("SELECT CAST(sum(spent) AS BIGINT) FROM users");
    assert_eq!(panel.fetch_number(spent_sql).await, 0);
    panel.assert_healthy().await;
}

/// Sixteen tasks pause, activate, complete and cancel the same orders, and post manual payments for the same customers.
async fn concurrent_actions_and_payments_keep_the_ledger_balanced(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 3, 60).await);
    let tasks = (0..16_i64).map(|task_index| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            for step in 0..30_i64 {
                let order = 1 + (task_index * 7 + step * 13) % 60;
                let action = ["pause", "activate", "pause", "activate", "complete", "cancel"][usize::try_from((task_index + step) % 6).unwrap()];
                let body = if action == "cancel" { json!({ "return_money": true }) } else { json!({}) };
                let response = panel.post(&format!("/api/v1/admin/orders/{order}/{action}"), &body).await;
                assert!(matches!(response.status.as_u16(), 200 | 409), "{action}: {}", response.text);
                let payment_body = json!({ "user_id": 1 + order % 3, "transaction_type": if step % 2 == 0 { "income" } else { "outcome" }, "amount": "0.5", "balance_type": "main", "comment": "Test" });
                let key = format!("{task_index}-{step}");
                let response = panel.send("owner", "POST", "/api/v1/admin/payments", &payment_body, Some(&key)).await;
                assert_eq!(response.status, 200, "{}", response.text);
            }
        })
    });
    for task in join_all(tasks).await {
        task.unwrap();
    }
    panel.assert_healthy().await;
}

/// Bulk cancels of the same orders in opposite order cause no deadlock, and each order is refunded once.
async fn bulk_cancels_in_opposite_order_do_not_deadlock(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 20, 600).await);
    let requests = (0..8_usize).map(|request_index| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            let mut ids: Vec<i64> =
                (1..=600).filter(|id| (id + i64::try_from(request_index).unwrap()) % 3 != 0).collect();
            if request_index % 2 == 0 {
                ids.reverse();
            }
            let body = json!({ "order_ids": ids, "return_money": true });
            let response = panel.post("/api/v1/admin/orders/cancel", &body).await;
            assert!(matches!(response.status.as_u16(), 200 | 422), "{}", response.text);
            response.json()["processed"].as_i64().unwrap_or(0)
        })
    });
    let processed_count: i64 = join_all(requests).await.into_iter().map(|count| count.unwrap()).sum();
    assert_eq!(processed_count, 600);
    panel.assert_healthy().await;
}

/// A customer without balance gets a refund while two requests debit the same amount. At most one debit succeeds.
async fn concurrent_debits_do_not_spend_a_refund_twice(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 10, 60).await);
    // The test skips every tenth order, because two balances paid it.
    for order in (1..=60_i64).filter(|order| order % 10 != 0) {
        let order_column_sql = |column: &str| {
            Sql::new(match column {
                "user" => "SELECT user_id FROM orders WHERE id = ?",
                _ => "SELECT cost FROM orders WHERE id = ?",
            })
        };
        let user = panel.fetch_number(order_column_sql("user").bind(order)).await;
        let cost = panel.fetch_number(order_column_sql("cost").bind(order)).await;
        let balance = panel.fetch_main_balance(user).await;
        if balance > 0 {
            assert_eq!(post_debit(&panel, user, balance, &format!("empty-{order}")).await, 200);
        }
        let refund_task = {
            let panel = Arc::clone(&panel);
            tokio::spawn(async move {
                let body = json!({ "return_money": true });
                panel.post(&format!("/api/v1/admin/orders/{order}/cancel"), &body).await.status.as_u16()
            })
        };
        let debit_tasks = (0..2).map(|index| {
            let panel = Arc::clone(&panel);
            tokio::spawn(
                async move { post_debit(&panel, user, cost, &format!("race-{order}-{index}")).await },
            )
        });
        let debit_results = join_all(debit_tasks.collect::<Vec<_>>()).await;
        assert_eq!(refund_task.await.unwrap(), 200);
        let mut debited_amount = 0;
        for result in debit_results {
            match result.unwrap() {
                200 => debited_amount += cost,
                status => assert_eq!(status, 422),
            }
        }
        assert_eq!(panel.fetch_main_balance(user).await, cost - debited_amount, "order {order}");
    }
    panel.assert_healthy().await;
}

async fn post_debit(panel: &Panel, user: i64, amount: i64, key: &str) -> u16 {
    let body = json!({ "user_id": user, "transaction_type": "outcome", "amount": Money(amount), "balance_type": "main" });
    panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some(key)).await.status.as_u16()
}

/// Fourteen payments wait for the lock of one customer's row, which is more than the number of connections. Read requests still
/// succeed, even if the server also has to store the last use of the session.
async fn reads_work_while_payments_wait_for_a_lock(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 3, 60).await);
    let mut lock_holder = panel.app.db.begin().await.unwrap();
    lock_holder.execute(Sql::new("UPDATE users SET name = name WHERE id = 1")).await.unwrap();
    let payment_tasks = (0..14_i64).map(|index| {
        let panel = Arc::clone(&panel);
        let body =
            json!({ "user_id": 1, "transaction_type": "income", "amount": "1", "balance_type": "main", "comment": "Waits" });
        tokio::spawn(async move {
            panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some(&format!("wait-{index}"))).await
        })
    });
    let payment_tasks: Vec<_> = payment_tasks.collect();
    if dialect == Dialect::Postgres {
        let count_waiting_sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let writers = i64::from(split_connections(panel.app.config.database_connections).write);
        let deadline = Instant::now() + Duration::from_secs(30);
        while panel.fetch_number(Sql::new(count_waiting_sql)).await < writers - 1 {
            assert!(Instant::now() < deadline, "the payments do not wait for the row");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    panel.clock.advance_secs(120);
    for path in ["/api/v1/admin/orders", "/api/v1/admin/orders", "/api/v1/admin/users/1"] {
        let read_result = tokio::time::timeout(Duration::from_secs(1), panel.get(path)).await;
        assert_eq!(read_result.unwrap().status, 200, "{path}");
    }
    lock_holder.commit().await.unwrap();
    for payment_task in payment_tasks {
        let response = payment_task.await.unwrap();
        assert_eq!(response.status, 200, "{}", response.text);
    }
    panel.assert_healthy().await;
}
