//! Bulk actions on orders: each order is checked by itself and reported in the order of the ids, in one transaction, once per
//! idempotency key.

use panel_contract::ids::{ServiceId, UserId};
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};

both! {
    a_bulk_cancel_reports_each_order_separately;
    every_bulk_action_changes_the_status;
    a_bulk_action_that_changes_nothing_names_the_reasons;
    a_dry_run_writes_nothing;
    a_repeated_idempotency_key_replays_the_response;
    cancels_ten_thousand_orders_in_one_request;
    bulk_activation_skips_orders_that_the_balance_cannot_pay;
}

fn url(action: &str) -> String {
    format!("/api/v1/admin/orders/{action}")
}

impl Panel {
    async fn bulk(&self, action: &str, body: Value) -> Answer {
        self.post(&url(action), &body).await
    }

    /// The numbers of rows that any bulk action would change.
    async fn row_counts(&self) -> [i64; 5] {
        let mut counts = [0; 5];
        for (count, sql) in counts.iter_mut().zip([
            "SELECT count(*) FROM ledger_entries",
            "SELECT count(*) FROM audits",
            "SELECT count(*) FROM jobs",
            "SELECT count(*) FROM idempotency",
            "SELECT count(*) FROM orders WHERE status <> 'in_processing'",
        ]) {
            *count = self.number(Sql::new(sql)).await;
        }
        counts
    }
}

async fn a_bulk_cancel_reports_each_order_separately(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    panel.bulk("complete", json!({ "order_ids": [3] })).await;
    let ids = json!([9, 3, 404, 4, 9, 3, -1]);
    let answer = panel.bulk("cancel", json!({ "order_ids": ids, "return_money": true })).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let outcome = answer.json();
    // Orders 9 and 4 cost 5 each, and both belong to user 2.
    let totals =
        json!({ "orders": 2, "returned": "10", "users": 1, "charged": "0", "services": 1, "customers": 1 });
    assert_eq!(outcome["totals"], totals);
    assert_eq!((&outcome["processed"], &outcome["dry_run"]), (&json!(2), &json!(false)));
    let skipped: Vec<_> = outcome["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skip| (skip["id"].as_i64().unwrap(), skip["code"].as_str().unwrap()))
        .collect();
    assert_eq!(skipped, [(3, "order_not_cancelable"), (404, "not_found"), (-1, "not_found")]);
    assert!(outcome["skipped"][0]["message"].as_str().unwrap().contains("completed"));
    panel.assert_healthy().await;
}

async fn every_bulk_action_changes_the_status(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    for (action, status) in [("pause", "stopped"), ("activate", "in_processing"), ("complete", "completed")] {
        let answer = panel.bulk(action, json!({ "order_ids": [1, 2] })).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["processed"]), (200, &json!(2)), "{action}");
        assert_eq!(panel.order(2).await["status"], status);
    }
    panel
        .execute(Sql::new(
            "UPDATE orders SET status = 'in_moderation', approval = 'pending' WHERE id IN (5, 6)",
        ))
        .await;
    assert_eq!(panel.bulk("approve", json!({ "order_ids": [5] })).await.status, 200);
    assert_eq!(panel.bulk("reject", json!({ "order_ids": [6] })).await.status, 200);
    let (five, six) = (panel.order(5).await, panel.order(6).await);
    assert_eq!((&five["status"], &five["approval"]), (&json!("in_processing"), &json!("approved")));
    assert_eq!((&six["status"], &six["approval"]), (&json!("stopped"), &json!("rejected")));
    let audits =
        Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'order' AND user_id IS NOT NULL");
    assert_eq!(panel.number(audits).await, 8);
    panel.assert_healthy().await;
}

async fn a_bulk_action_that_changes_nothing_names_the_reasons(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    let answer = panel.bulk("approve", json!({ "order_ids": [1, 2, 404] })).await;
    assert_eq!(answer.status, 422);
    let problem = answer.json();
    assert_eq!(problem["code"], "nothing_processed");
    let reason = problem["errors"]["order_ids"][0].as_str().unwrap();
    assert!(reason.contains("3 orders") && reason.contains("in processing"), "{reason}");
    let many: Vec<i64> = (1..=10_001).collect();
    for (body, field) in [
        (json!({ "order_ids": [] }), "order_ids"),
        (json!({ "order_ids": many }), "order_ids"),
        (json!({ "order_ids": ["1"] }), "order_ids"),
        (json!({ "order_ids": [1], "extra": 1 }), "extra"),
        (json!({}), "order_ids"),
    ] {
        let answer = panel.bulk("pause", body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        let errors = answer.json()["errors"].clone();
        assert!(errors.as_object().unwrap().keys().any(|key| key.starts_with(field)), "{field}: {errors}");
    }
    let amount = json!({ "order_ids": [1], "return_money": true, "amount": "1" });
    assert_eq!(panel.bulk("cancel", amount).await.status, 422);
}

async fn a_dry_run_writes_nothing(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 50).await;
    let before = panel.row_counts().await;
    let body = json!({ "order_ids": (1..=50).collect::<Vec<_>>(), "return_money": true });
    let dry_run = panel.send("owner", "POST", &url("cancel?dry_run=1"), &body, Some("k")).await.json();
    assert_eq!((&dry_run["dry_run"], &dry_run["processed"]), (&json!(true), &json!(50)));
    let totals = &dry_run["totals"];
    assert_eq!((&totals["orders"], &totals["returned"]), (&json!(50), &json!("150")));
    assert_eq!((&totals["users"], &totals["customers"]), (&json!(5), &json!(5)));
    // The response lists ids, so that a client that splits a bulk action into several requests can count each customer once.
    let customers: Vec<i64> = (1..=5).collect();
    assert_eq!(
        (&dry_run["reach"]["users"], &dry_run["reach"]["customers"]),
        (&json!(customers), &json!(customers))
    );
    assert_eq!(panel.row_counts().await, before);
    let executed = panel.send("owner", "POST", &url("cancel"), &body, Some("k")).await.json();
    assert_eq!((&executed["totals"], &executed["dry_run"]), (&dry_run["totals"], &json!(false)));
    panel.assert_healthy().await;
}

async fn a_repeated_idempotency_key_replays_the_response(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    let body = json!({ "order_ids": [1, 2], "return_money": true });
    let send = |body: Value, key: &'static str| {
        let panel = &panel;
        async move { panel.send("owner", "POST", &url("cancel"), &body, Some(key)).await }
    };
    let first = send(body.clone(), "key-1").await;
    let row_counts = panel.row_counts().await;
    let second = send(body.clone(), "key-1").await;
    assert_eq!((first.status, &first.text), (second.status, &second.text));
    assert!(!first.headers.contains_key("idempotent-replayed"));
    assert_eq!(second.headers["idempotent-replayed"], "true");
    let other = send(json!({ "order_ids": [3] }), "key-1").await;
    assert_eq!((other.status.as_u16(), &other.json()["code"]), (422, &json!("idempotency_key_reused")));
    // A failed response is not stored, so the same key can be used again.
    let failed = send(json!({ "order_ids": [1] }), "key-2").await;
    assert_eq!(failed.status, 422);
    assert_eq!(panel.row_counts().await, row_counts);
    assert_eq!(send(json!({ "order_ids": [3] }), "key-2").await.status, 200);
    // The same key of another staff member is a different key.
    panel.create_staff("second", panel_contract::permission::Permission::ALL).await;
    let second_staff =
        panel.send("second", "POST", &url("cancel"), &json!({ "order_ids": [4] }), Some("key-1")).await;
    assert!(second_staff.status == 200 && !second_staff.headers.contains_key("idempotent-replayed"));
    // Of twenty concurrent requests one cancels the orders; the others wait for it and replay its response.
    let body = json!({ "order_ids": [5, 6], "return_money": true });
    let answers = futures_util::future::join_all((0..20).map(|_| send(body.clone(), "key-3"))).await;
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.text == answers[0].text));
    assert_eq!(
        answers.iter().filter(|answer| !answer.headers.contains_key("idempotent-replayed")).count(),
        1
    );
    panel.assert_healthy().await;
}

async fn cancels_ten_thousand_orders_in_one_request(dialect: Dialect) {
    let panel = Panel::shop(dialect, 200, 9_800).await;
    // Small requests first, on many connections: PostgreSQL must not reuse their query plans for the large request.
    panel.bulk("cancel", json!({ "order_ids": [1], "return_money": true })).await;
    let small_requests = (2..=17).map(|id| {
        let panel = &panel;
        async move { panel.bulk("pause", json!({ "order_ids": [id] })).await }
    });
    futures_util::future::join_all(small_requests).await;
    let ids: Vec<i64> = (1..=9_900).rev().chain([5; 100]).collect();
    let body = json!({ "order_ids": ids, "return_money": true, "cancel_reason": "duplicate" });
    let started = std::time::Instant::now();
    let answer = panel.send("owner", "POST", &url("cancel"), &body, Some("large")).await;
    let duration = started.elapsed();
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(duration.as_secs() < 10, "{duration:?}");
    let outcome = answer.json();
    assert_eq!(outcome["processed"], 9_799);
    let skipped = outcome["skipped"].as_array().unwrap();
    let ids: Vec<i64> = skipped.iter().map(|skip| skip["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, (9_801..=9_900).rev().chain([1]).collect::<Vec<_>>());
    let txns = Sql::new("SELECT count(*) FROM ledger_txns WHERE kind = 'order_refund'");
    assert_eq!(panel.number(txns).await, 9_800);
    let audits = Sql::new("SELECT count(*) FROM audits WHERE event = 'order.canceled'");
    assert_eq!(panel.number(audits).await, 9_800);
    let spent = Sql::new("SELECT CAST(sum(spent) AS BIGINT) FROM users");
    assert_eq!(panel.number(spent).await, 0);
    panel.assert_healthy().await;
    eprintln!("{dialect:?}: 9,799 orders canceled with money in {duration:?}");
}

async fn bulk_activation_skips_orders_that_the_balance_cannot_pay(dialect: Dialect) {
    use panel_contract::payments::BalanceType;
    use panel_server::operations::orders::place::NewOrder;
    let panel = Panel::shop(dialect, 2, 0).await;
    let mut ids = Vec::new();
    for _ in 0..4 {
        let new = NewOrder {
            paying_balances: vec![BalanceType::Referral],
            ..NewOrder::plain(UserId::new(1), ServiceId::new(1), "https://video.example/m", 1_000_000)
        };
        ids.push(panel.place(&new).await.id);
    }
    // Each order costs 10,000. The debit leaves 25,000 of the balance of 100,000, enough for two orders.
    let body =
        json!({ "user_id": 1, "transaction_type": "outcome", "amount": "75000", "balance_type": "main" });
    panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some("drain")).await;
    let outcome = panel.bulk("activate", json!({ "order_ids": ids })).await.json();
    assert_eq!(outcome["processed"], 2);
    let skipped: Vec<_> = outcome["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skip| (skip["id"].clone(), skip["code"].clone()))
        .collect();
    assert_eq!(
        skipped,
        ids[2..].iter().map(|id| (json!(id), json!("not_enough_balance"))).collect::<Vec<_>>()
    );
    assert_eq!(panel.main_balance(1).await, 5_000_000_000);
    panel.assert_healthy().await;
}
