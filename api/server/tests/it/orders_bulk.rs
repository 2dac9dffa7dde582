//! Bulk actions on orders: the server checks each order separately, reports the orders in the order of the ids, changes them in one
//! transaction, and does so once per idempotency key.

use panel_contract::ids::{ServiceId, UserId};
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};

test_both_databases! {
    a_bulk_cancel_reports_each_order_separately;
    every_bulk_action_changes_the_status;
    a_bulk_action_without_changes_is_rejected_with_the_reasons;
    a_dry_run_writes_nothing;
    a_repeated_idempotency_key_replays_the_response;
    cancels_ten_thousand_orders_in_one_request;
    bulk_activation_skips_orders_that_the_balance_cannot_pay;
}

fn action_path(action: &str) -> String {
    format!("/api/v1/admin/orders/{action}")
}

impl Panel {
    async fn post_bulk_action(&self, action: &str, body: Value) -> TestResponse {
        self.post(&action_path(action), &body).await
    }

    /// The numbers of rows in the tables that a bulk action changes.
    async fn fetch_row_counts(&self) -> [i64; 5] {
        let mut counts = [0; 5];
        for (count, sql) in counts.iter_mut().zip([
            "SELECT count(*) FROM ledger_entries",
            "SELECT count(*) FROM audits",
            "SELECT count(*) FROM jobs",
            "SELECT count(*) FROM idempotency",
            "SELECT count(*) FROM orders WHERE status <> 'in_processing'",
        ]) {
            *count = self.fetch_number(Sql::new(sql)).await;
        }
        counts
    }
}

async fn a_bulk_cancel_reports_each_order_separately(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    panel.post_bulk_action("complete", json!({ "order_ids": [3] })).await;
    let ids = json!([9, 3, 404, 4, 9, 3, -1]);
    let response = panel.post_bulk_action("cancel", json!({ "order_ids": ids, "return_money": true })).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let result = response.json();
    // Orders 9 and 4 cost 5 each, and both belong to user 2.
    let expected_totals =
        json!({ "orders": 2, "refunded": "10", "users": 1, "charged": "0", "services": 1, "customers": 1 });
    assert_eq!(result["totals"], expected_totals);
    assert_eq!((&result["processed"], &result["dry_run"]), (&json!(2), &json!(false)));
    let skipped: Vec<_> = result["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["id"].as_i64().unwrap(), entry["code"].as_str().unwrap()))
        .collect();
    assert_eq!(skipped, [(3, "order_not_cancelable"), (404, "not_found"), (-1, "not_found")]);
    assert!(result["skipped"][0]["message"].as_str().unwrap().contains("completed"));
    panel.assert_healthy().await;
}

async fn every_bulk_action_changes_the_status(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    for (action, status) in [("pause", "stopped"), ("activate", "in_processing"), ("complete", "completed")] {
        let response = panel.post_bulk_action(action, json!({ "order_ids": [1, 2] })).await;
        assert_eq!((response.status.as_u16(), &response.json()["processed"]), (200, &json!(2)), "{action}");
        assert_eq!(panel.fetch_order(2).await["status"], status);
    }
    panel
        .execute(Sql::new(
            "UPDATE orders SET status = 'in_moderation', approval = 'pending' WHERE id IN (5, 6)",
        ))
        .await;
    assert_eq!(panel.post_bulk_action("approve", json!({ "order_ids": [5] })).await.status, 200);
    assert_eq!(panel.post_bulk_action("reject", json!({ "order_ids": [6] })).await.status, 200);
    let (order_5, order_6) = (panel.fetch_order(5).await, panel.fetch_order(6).await);
    assert_eq!((&order_5["status"], &order_5["approval"]), (&json!("in_processing"), &json!("approved")));
    assert_eq!((&order_6["status"], &order_6["approval"]), (&json!("stopped"), &json!("rejected")));
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'order' AND user_id IS NOT NULL");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 8);
    panel.assert_healthy().await;
}

async fn a_bulk_action_without_changes_is_rejected_with_the_reasons(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    let response = panel.post_bulk_action("approve", json!({ "order_ids": [1, 2, 404] })).await;
    assert_eq!(response.status, 422);
    let error = response.json();
    assert_eq!(error["code"], "nothing_processed");
    let reason = error["errors"]["order_ids"][0].as_str().unwrap();
    assert!(reason.contains("3 orders") && reason.contains("in processing"), "{reason}");
    let too_many_ids: Vec<i64> = (1..=10_001).collect();
    for (body, field) in [
        (json!({ "order_ids": [] }), "order_ids"),
        (json!({ "order_ids": too_many_ids }), "order_ids"),
        (json!({ "order_ids": ["1"] }), "order_ids"),
        (json!({ "order_ids": [1], "extra": 1 }), "extra"),
        (json!({}), "order_ids"),
    ] {
        let response = panel.post_bulk_action("pause", body).await;
        assert_eq!(response.status, 422, "{}", response.text);
        let errors = response.json()["errors"].clone();
        assert!(errors.as_object().unwrap().keys().any(|key| key.starts_with(field)), "{field}: {errors}");
    }
    let body_with_amount = json!({ "order_ids": [1], "return_money": true, "amount": "1" });
    assert_eq!(panel.post_bulk_action("cancel", body_with_amount).await.status, 422);
}

async fn a_dry_run_writes_nothing(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 50).await;
    let row_counts_before = panel.fetch_row_counts().await;
    let body = json!({ "order_ids": (1..=50).collect::<Vec<_>>(), "return_money": true });
    let dry_run =
        panel.send("owner", "POST", &action_path("cancel?dry_run=1"), &body, Some("k")).await.json();
    assert_eq!((&dry_run["dry_run"], &dry_run["processed"]), (&json!(true), &json!(50)));
    let totals = &dry_run["totals"];
    assert_eq!((&totals["orders"], &totals["refunded"]), (&json!(50), &json!("150")));
    assert_eq!((&totals["users"], &totals["customers"]), (&json!(5), &json!(5)));
    // The response lists ids, so that a client that splits a bulk action into several requests can count each customer once.
    let customers: Vec<i64> = (1..=5).collect();
    assert_eq!(
        (&dry_run["affected_ids"]["users"], &dry_run["affected_ids"]["customers"]),
        (&json!(customers), &json!(customers))
    );
    assert_eq!(panel.fetch_row_counts().await, row_counts_before);
    let executed_response =
        panel.send("owner", "POST", &action_path("cancel"), &body, Some("k")).await.json();
    assert_eq!(
        (&executed_response["totals"], &executed_response["dry_run"]),
        (&dry_run["totals"], &json!(false))
    );
    panel.assert_healthy().await;
}

async fn a_repeated_idempotency_key_replays_the_response(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    let body = json!({ "order_ids": [1, 2], "return_money": true });
    let send = |body: Value, key: &'static str| {
        let panel = &panel;
        async move { panel.send("owner", "POST", &action_path("cancel"), &body, Some(key)).await }
    };
    let first_response = send(body.clone(), "key-1").await;
    let row_counts = panel.fetch_row_counts().await;
    let replayed_response = send(body.clone(), "key-1").await;
    assert_eq!(
        (first_response.status, &first_response.text),
        (replayed_response.status, &replayed_response.text)
    );
    assert!(!first_response.headers.contains_key("idempotent-replayed"));
    assert_eq!(replayed_response.headers["idempotent-replayed"], "true");
    let other_body_response = send(json!({ "order_ids": [3] }), "key-1").await;
    assert_eq!(
        (other_body_response.status.as_u16(), &other_body_response.json()["code"]),
        (422, &json!("idempotency_key_reused"))
    );
    // A failed response is not stored, so the same key can be used again.
    let failed_response = send(json!({ "order_ids": [1] }), "key-2").await;
    assert_eq!(failed_response.status, 422);
    assert_eq!(panel.fetch_row_counts().await, row_counts);
    assert_eq!(send(json!({ "order_ids": [3] }), "key-2").await.status, 200);
    // The key of another staff member is a different key, even if the value is equal.
    panel.create_staff("second", panel_contract::permission::Permission::ALL).await;
    let other_staff_response = panel
        .send("second", "POST", &action_path("cancel"), &json!({ "order_ids": [4] }), Some("key-1"))
        .await;
    assert!(
        other_staff_response.status == 200
            && !other_staff_response.headers.contains_key("idempotent-replayed")
    );
    // One of twenty concurrent requests cancels the orders. The other requests wait for it and get the same response.
    let body = json!({ "order_ids": [5, 6], "return_money": true });
    let responses = futures_util::future::join_all((0..20).map(|_| send(body.clone(), "key-3"))).await;
    assert!(responses.iter().all(|response| response.status == 200 && response.text == responses[0].text));
    assert_eq!(
        responses.iter().filter(|response| !response.headers.contains_key("idempotent-replayed")).count(),
        1
    );
    panel.assert_healthy().await;
}

async fn cancels_ten_thousand_orders_in_one_request(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 200, 9_800).await;
    // Small requests come first, on many connections, because PostgreSQL must not reuse the query plans for the large request.
    panel.post_bulk_action("cancel", json!({ "order_ids": [1], "return_money": true })).await;
    let small_requests = (2..=17).map(|id| {
        let panel = &panel;
        async move { panel.post_bulk_action("pause", json!({ "order_ids": [id] })).await }
    });
    futures_util::future::join_all(small_requests).await;
    let ids: Vec<i64> = (1..=9_900).rev().chain([5; 100]).collect();
    let body = json!({ "order_ids": ids, "return_money": true, "cancel_reason": "duplicate" });
    let started_at = std::time::Instant::now();
    let response = panel.send("owner", "POST", &action_path("cancel"), &body, Some("large")).await;
    let duration = started_at.elapsed();
    assert_eq!(response.status, 200, "{}", response.text);
    assert!(duration.as_secs() < 10, "{duration:?}");
    let result = response.json();
    assert_eq!(result["processed"], 9_799);
    let skipped = result["skipped"].as_array().unwrap();
    let ids: Vec<i64> = skipped.iter().map(|entry| entry["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, (9_801..=9_900).rev().chain([1]).collect::<Vec<_>>());
    let count_refunds_sql = Sql::new("SELECT count(*) FROM ledger_txns WHERE kind = 'order_refund'");
    assert_eq!(panel.fetch_number(count_refunds_sql).await, 9_800);
    let count_audits_sql = Sql::new("SELECT count(*) FROM audits WHERE event = 'order.canceled'");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 9_800);
    let total_spent_sql = Sql::new("SELECT CAST(sum(spent) AS BIGINT) FROM users");
    assert_eq!(panel.fetch_number(total_spent_sql).await, 0);
    panel.assert_healthy().await;
    eprintln!("{dialect:?}: 9,799 orders canceled with money in {duration:?}");
}

async fn bulk_activation_skips_orders_that_the_balance_cannot_pay(dialect: Dialect) {
    use panel_contract::payments::BalanceType;
    use panel_server::operations::orders::place::NewOrder;
    let panel = Panel::with_users_and_orders(dialect, 2, 0).await;
    let mut ids = Vec::new();
    for _ in 0..4 {
        let new_order = NewOrder {
            paying_balances: vec![BalanceType::Referral],
            ..NewOrder::without_options(
                UserId::new(1),
                ServiceId::new(1),
                "https://video.example/m",
                1_000_000,
            )
        };
        ids.push(panel.place_order(&new_order).await.id);
    }
    // Each order costs 10,000. The debit leaves 25,000 of the balance of 100,000, enough for two orders.
    let body =
        json!({ "user_id": 1, "transaction_type": "outcome", "amount": "75000", "balance_type": "main" });
    panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some("drain")).await;
    let result = panel.post_bulk_action("activate", json!({ "order_ids": ids })).await.json();
    assert_eq!(result["processed"], 2);
    let skipped: Vec<_> = result["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["id"].clone(), entry["code"].clone()))
        .collect();
    assert_eq!(
        skipped,
        ids[2..].iter().map(|id| (json!(id), json!("not_enough_balance"))).collect::<Vec<_>>()
    );
    assert_eq!(panel.fetch_main_balance(1).await, 5_000_000_000);
    panel.assert_healthy().await;
}
