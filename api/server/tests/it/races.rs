//! Concurrent requests on the same order, the same balance and the same row.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_platform::db::open::split_connections;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::json;

use crate::panel::Panel;

both! {
    two_concurrent_cancels_refund_an_order_once;
    concurrent_actions_and_payments_keep_the_ledger_balanced;
    bulk_cancels_in_opposite_order_do_not_deadlock;
    concurrent_debits_never_spend_a_refund_twice;
    reads_work_while_payments_wait_for_a_lock;
}

/// A thousand orders, two staff members on each: one refund each, and the loser gets an error.
async fn two_concurrent_cancels_refund_an_order_once(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 20, 1_000).await);
    let body = json!({ "return_money": true, "send_email_notification": false });
    for batch in (1..=1_000).collect::<Vec<i64>>().chunks(50) {
        let requests = batch.iter().flat_map(|id| [*id, *id]).map(|id| {
            let (panel, body) = (Arc::clone(&panel), body.clone());
            tokio::spawn(async move {
                let answer = panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &body).await;
                (id, answer)
            })
        });
        let answers: Vec<_> = join_all(requests).await.into_iter().map(|answer| answer.unwrap()).collect();
        for pair in answers.chunks(2) {
            let (succeeded, refused): (Vec<_>, Vec<_>) =
                pair.iter().partition(|(_, answer)| answer.status == 200);
            assert_eq!((succeeded.len(), refused.len()), (1, 1), "order {}: {}", pair[0].0, pair[1].1.text);
            assert_eq!(
                (refused[0].1.status.as_u16(), &refused[0].1.json()["code"]),
                (409, &json!("order_not_cancelable"))
            );
        }
    }
    let refunds = Sql::new("SELECT count(*) FROM ledger_txns WHERE kind = 'order_refund'");
    assert_eq!(panel.number(refunds).await, 1_000);
    let spent = Sql::new("SELECT CAST(sum(spent) AS BIGINT) FROM users");
    assert_eq!(panel.number(spent).await, 0);
    panel.assert_healthy().await;
}

/// Sixteen tasks pause, activate, complete and cancel few orders of few customers, and post manual payments.
async fn concurrent_actions_and_payments_keep_the_ledger_balanced(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 3, 60).await);
    let workers = (0..16_i64).map(|worker| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            for step in 0..30_i64 {
                let order = 1 + (worker * 7 + step * 13) % 60;
                let action = ["pause", "activate", "pause", "activate", "complete", "cancel"][usize::try_from((worker + step) % 6).unwrap()];
                let body = if action == "cancel" { json!({ "return_money": true }) } else { json!({}) };
                let answer = panel.post(&format!("/api/v1/admin/orders/{order}/{action}"), &body).await;
                assert!(matches!(answer.status.as_u16(), 200 | 409), "{action}: {}", answer.text);
                let payment = json!({ "user_id": 1 + order % 3, "transaction_type": if step % 2 == 0 { "income" } else { "outcome" }, "amount": "0.5", "balance_type": "main", "comment": "Test" });
                let key = format!("{worker}-{step}");
                let answer = panel.send("owner", "POST", "/api/v1/admin/payments", &payment, Some(&key)).await;
                assert_eq!(answer.status, 200, "{}", answer.text);
            }
        })
    });
    for worker in join_all(workers).await {
        worker.unwrap();
    }
    panel.assert_healthy().await;
}

/// Bulk cancels over the same orders in opposite order: no deadlock occurs, and every order is refunded once.
async fn bulk_cancels_in_opposite_order_do_not_deadlock(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 20, 600).await);
    let runs = (0..8_usize).map(|run| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            let mut ids: Vec<i64> =
                (1..=600).filter(|id| (id + i64::try_from(run).unwrap()) % 3 != 0).collect();
            if run % 2 == 0 {
                ids.reverse();
            }
            let body = json!({ "order_ids": ids, "return_money": true });
            let answer = panel.post("/api/v1/admin/orders/cancel", &body).await;
            assert!(matches!(answer.status.as_u16(), 200 | 422), "{}", answer.text);
            answer.json()["processed"].as_i64().unwrap_or(0)
        })
    });
    let processed: i64 = join_all(runs).await.into_iter().map(|run| run.unwrap()).sum();
    assert_eq!(processed, 600);
    panel.assert_healthy().await;
}

/// A customer without balance gets a refund while two debits of the same amount run: at most one debit succeeds.
async fn concurrent_debits_never_spend_a_refund_twice(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 10, 60).await);
    // Not every tenth order, because two balances paid it.
    for order in (1..=60_i64).filter(|order| order % 10 != 0) {
        let column_sql = |column: &str| {
            Sql::new(match column {
                "user" => "SELECT user_id FROM orders WHERE id = ?",
                _ => "SELECT cost FROM orders WHERE id = ?",
            })
        };
        let user = panel.number(column_sql("user").bind(order)).await;
        let cost = panel.number(column_sql("cost").bind(order)).await;
        let balance = panel.main_balance(user).await;
        if balance > 0 {
            assert_eq!(debit(&panel, user, balance, &format!("empty-{order}")).await, 200);
        }
        let refund = {
            let panel = Arc::clone(&panel);
            tokio::spawn(async move {
                let body = json!({ "return_money": true });
                panel.post(&format!("/api/v1/admin/orders/{order}/cancel"), &body).await.status.as_u16()
            })
        };
        let debits = (0..2).map(|index| {
            let panel = Arc::clone(&panel);
            tokio::spawn(async move { debit(&panel, user, cost, &format!("race-{order}-{index}")).await })
        });
        let debits = join_all(debits.collect::<Vec<_>>()).await;
        assert_eq!(refund.await.unwrap(), 200);
        let mut debited = 0;
        for answer in debits {
            match answer.unwrap() {
                200 => debited += cost,
                status => assert_eq!(status, 422),
            }
        }
        assert_eq!(panel.main_balance(user).await, cost - debited, "order {order}");
    }
    panel.assert_healthy().await;
}

async fn debit(panel: &Panel, user: i64, amount: i64, key: &str) -> u16 {
    let body = json!({ "user_id": user, "transaction_type": "outcome", "amount": Money(amount), "balance_type": "main" });
    panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some(key)).await.status.as_u16()
}

/// Fourteen payments wait for the lock of one customer's row, more than there are connections. Lists and records still answer, even
/// where the request also has to write the last use of the session.
async fn reads_work_while_payments_wait_for_a_lock(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 3, 60).await);
    let mut lock_holder = panel.app.db.begin().await.unwrap();
    lock_holder.execute(Sql::new("UPDATE users SET name = name WHERE id = 1")).await.unwrap();
    let payments = (0..14_i64).map(|index| {
        let panel = Arc::clone(&panel);
        let body =
            json!({ "user_id": 1, "transaction_type": "income", "amount": "1", "balance_type": "main", "comment": "Waits" });
        tokio::spawn(async move {
            panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some(&format!("wait-{index}"))).await
        })
    });
    let payments: Vec<_> = payments.collect();
    if dialect == Dialect::Postgres {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let writers = i64::from(split_connections(panel.app.config.database_connections).write);
        let deadline = Instant::now() + Duration::from_secs(30);
        while panel.number(Sql::new(waiting)).await < writers - 1 {
            assert!(Instant::now() < deadline, "the payments do not wait for the row");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    panel.clock.advance_secs(120);
    for path in ["/api/v1/admin/orders", "/api/v1/admin/orders", "/api/v1/admin/users/1"] {
        let read = tokio::time::timeout(Duration::from_secs(1), panel.get(path)).await;
        assert_eq!(read.unwrap().status, 200, "{path}");
    }
    lock_holder.commit().await.unwrap();
    for payment in payments {
        let answer = payment.await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    panel.assert_healthy().await;
}
