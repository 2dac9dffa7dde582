//! Many at once: two staff members on one order, and everybody on one balance.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_platform::db::open::split_connections;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::json;

use crate::panel::Panel;

both! {
    two_cancel_the_same_order;
    sixteen_do_everything_at_once;
    bulks_cross_without_deadlock;
    debits_race_a_refund;
    waiting_payments_stop_no_reads;
}

/// A thousand orders, two staff members on each: one refund each, and the loser gets an error.
async fn two_cancel_the_same_order(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 20, 1_000).await);
    let body = json!({ "return_money": true, "send_email_notification": false });
    for lot in (1..=1_000).collect::<Vec<i64>>().chunks(50) {
        let tries = lot.iter().flat_map(|id| [*id, *id]).map(|id| {
            let (panel, body) = (Arc::clone(&panel), body.clone());
            tokio::spawn(async move {
                let answer = panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &body).await;
                (id, answer)
            })
        });
        let answers: Vec<_> = join_all(tries).await.into_iter().map(|answer| answer.unwrap()).collect();
        for pair in answers.chunks(2) {
            let (won, lost): (Vec<_>, Vec<_>) = pair.iter().partition(|(_, answer)| answer.status == 200);
            assert_eq!((won.len(), lost.len()), (1, 1), "order {}: {}", pair[0].0, pair[1].1.text);
            assert_eq!(
                (lost[0].1.status.as_u16(), &lost[0].1.json()["code"]),
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

/// Pauses, activations, completions, cancels and payments by hand on few orders of few customers.
async fn sixteen_do_everything_at_once(dialect: Dialect) {
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
                let pay = json!({ "user_id": 1 + order % 3, "transaction_type": if step % 2 == 0 { "income" } else { "outcome" }, "amount": "0.5", "balance_type": "main", "comment": "Test" });
                let key = format!("{worker}-{step}");
                let answer = panel.send("owner", "POST", "/api/v1/admin/payments", &pay, Some(&key)).await;
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
async fn bulks_cross_without_deadlock(dialect: Dialect) {
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

/// A customer with an empty purse: what is refunded can be taken by one of two debits, and never by both.
async fn debits_race_a_refund(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 10, 60).await);
    // Every tenth was paid by two balances.
    for order in (1..=60_i64).filter(|order| order % 10 != 0) {
        let of = |column: &str| {
            Sql::new(match column {
                "user" => "SELECT user_id FROM orders WHERE id = ?",
                _ => "SELECT cost FROM orders WHERE id = ?",
            })
        };
        let user = panel.number(of("user").bind(order)).await;
        let cost = panel.number(of("cost").bind(order)).await;
        let left = panel.balances(user).await.0;
        if left > 0 {
            assert_eq!(debit(&panel, user, left, &format!("empty-{order}")).await, 200);
        }
        let refund = {
            let panel = Arc::clone(&panel);
            tokio::spawn(async move {
                let body = json!({ "return_money": true });
                panel.post(&format!("/api/v1/admin/orders/{order}/cancel"), &body).await.status.as_u16()
            })
        };
        let debits = (0..2).map(|nth| {
            let panel = Arc::clone(&panel);
            tokio::spawn(async move { debit(&panel, user, cost, &format!("race-{order}-{nth}")).await })
        });
        let debits = join_all(debits.collect::<Vec<_>>()).await;
        assert_eq!(refund.await.unwrap(), 200);
        let mut taken = 0;
        for answer in debits {
            match answer.unwrap() {
                200 => taken += cost,
                status => assert_eq!(status, 422),
            }
        }
        assert_eq!(panel.balances(user).await.0, cost - taken, "order {order}");
    }
    panel.assert_healthy().await;
}

async fn debit(panel: &Panel, user: i64, amount: i64, key: &str) -> u16 {
    let body = json!({ "user_id": user, "transaction_type": "outcome", "amount": Money(amount), "balance_type": "main" });
    panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some(key)).await.status.as_u16()
}

/// Fourteen payments wait for one customer's row, more than there are connections: lists and records answer all the same,
/// also where the session's last use is to be written.
async fn waiting_payments_stop_no_reads(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 3, 60).await);
    let mut holder = panel.app.db.begin().await.unwrap();
    holder.exec(Sql::new("UPDATE users SET name = name WHERE id = 1")).await.unwrap();
    let payments = (0..14_i64).map(|nth| {
        let panel = Arc::clone(&panel);
        let body =
            json!({ "user_id": 1, "transaction_type": "income", "amount": "1", "balance_type": "main", "comment": "Waits" });
        tokio::spawn(async move {
            panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some(&format!("wait-{nth}"))).await
        })
    });
    let payments: Vec<_> = payments.collect();
    if dialect == Dialect::Postgres {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let writers = i64::from(split_connections(panel.app.config.database_connections).1);
        let until = Instant::now() + Duration::from_secs(30);
        while panel.number(Sql::new(waiting)).await < writers - 1 {
            assert!(Instant::now() < until, "the payments do not wait for the row");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    panel.clock.advance_secs(120);
    for path in ["/api/v1/admin/orders", "/api/v1/admin/orders", "/api/v1/admin/users/1"] {
        let read = tokio::time::timeout(Duration::from_secs(1), panel.get(path)).await;
        assert_eq!(read.unwrap().status, 200, "{path}");
    }
    holder.commit().await.unwrap();
    for payment in payments {
        let answer = payment.await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    panel.assert_healthy().await;
}
