//! Tests combo orders: their orders change with them, a refund is posted once, and the moderation count is correct.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::{ComboOrderId, PackageId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::combo_orders::buy::{NewCombo, buy};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::shop::{
    CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS, MODERATED_SERVICE, PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER,
};

test_both_databases! {
    the_orders_of_a_combo_order_change_with_it;
    a_rejected_combo_order_is_refunded_once;
    a_canceled_order_of_a_combo_order_stays_canceled;
    approving_a_combo_order_keeps_rejected_orders;
    a_combo_order_completes_with_its_last_order;
    the_orders_of_a_combo_order_are_moderated_one_by_one;
    canceling_all_orders_in_moderation_cancels_the_combo_order;
    canceling_all_orders_in_processing_cancels_the_combo_order;
    a_combo_order_with_rejected_orders_stays_in_moderation;
    a_rejected_order_prevents_completion;
    undoing_an_approval_returns_a_combo_order_to_moderation;
    parallel_completions_of_the_last_orders_complete_a_combo_order;
    one_of_parallel_approvals_and_rejections_succeeds;
    a_combo_order_is_placed_completely_or_not_at_all;
}

/// A combo order of three orders that cost 10, 5 and 1.
fn new_starter_combo() -> NewCombo {
    NewCombo {
        user_id: UserId::new(1),
        url: "https://photo.example/p/1".into(),
        source: OrderSource::Cabinet,
        package: (Some(PackageId::new(3)), "Starter".into(), "combo".into()),
        parts: vec![(PLAIN_SERVICE, 1_000), (MODERATED_SERVICE, 500), (SERVICE_WITHOUT_PROVIDER, 100)],
        targets: std::collections::BTreeMap::new(),
        is_moderated: true,
    }
}

impl Panel {
    async fn buy_combo(&self, new_combo: &NewCombo) -> ComboOrderId {
        let mut work = self.begin_work().await;
        let id = buy(&mut work, new_combo).await.unwrap();
        work.finish(id).await.unwrap()
    }

    async fn act_on_combo(&self, id: impl std::fmt::Display, action: &str) -> TestResponse {
        self.post(&format!("/api/v1/admin/combo-orders/{id}/{action}"), &json!({})).await
    }

    /// The statuses of the orders of a combo order, sorted by id.
    async fn fetch_order_statuses(&self, id: ComboOrderId) -> Vec<String> {
        let orders = self.get(&format!("/api/v1/admin/orders?combo_order_id={id}&order[0][column]=0&order[0][dir]=asc&columns[0][data]=id")).await.json();
        let rows = orders["data"].as_array().unwrap();
        rows.iter().map(|row| row["status"].as_str().unwrap().to_owned()).collect()
    }

    async fn fetch_first_order_id(&self, id: ComboOrderId) -> i64 {
        self.fetch_number(Sql::new("SELECT min(id) FROM orders WHERE combo_order_id = ?").bind(id)).await
    }

    async fn act_on_order(&self, order: i64, action: &str) -> TestResponse {
        let response = self.post(&format!("/api/v1/admin/orders/{order}/{action}"), &json!({})).await;
        assert_eq!(response.status, 200, "{action} {order}: {}", response.text);
        response
    }

    async fn fetch_combo_status(&self, id: ComboOrderId) -> String {
        let rows = self.get(&format!("/api/v1/admin/combo-orders?id={id}")).await.json();
        rows["data"][0]["status"].as_str().unwrap().to_owned()
    }

    async fn fetch_in_moderation_count(&self) -> Value {
        self.get("/api/v1/admin/combo-orders/in-moderation-count").await.json()["count"].clone()
    }
}

async fn the_orders_of_a_combo_order_change_with_it(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    panel.create_staff("reader", &[Permission::ViewOrders]).await;
    let id = panel.buy_combo(&new_starter_combo()).await;
    assert_eq!(
        (panel.fetch_order_statuses(id).await, panel.fetch_in_moderation_count().await),
        (vec!["in_moderation".to_owned(); 3], json!(1))
    );
    assert_eq!(panel.fetch_balances(1).await, (CUSTOMER_DEPOSIT - 16_000_000, CUSTOMER_EARNINGS, 16_000_000));
    for action in ["approve", "reject", "complete"] {
        let path = format!("/api/v1/admin/combo-orders/{id}/{action}");
        assert_eq!(panel.send("reader", "POST", &path, &json!({}), None).await.status, 403);
    }
    let completion_response = panel.act_on_combo(id, "complete").await;
    assert_eq!(
        (completion_response.status.as_u16(), &completion_response.json()["code"]),
        (409, &json!("combo_order_not_completable"))
    );
    let dry_run = panel.act_on_combo(id, "approve?dry_run=1").await;
    assert_eq!((dry_run.status.as_u16(), panel.fetch_in_moderation_count().await), (200, json!(1)));
    let approval = panel.act_on_combo(id, "approve").await.json();
    assert_eq!(
        (&approval["data"]["status"], &approval["data"]["cost"]),
        (&json!("in_processing"), &json!("16"))
    );
    assert_eq!(
        (panel.fetch_order_statuses(id).await, panel.fetch_in_moderation_count().await),
        (vec!["in_processing".to_owned(); 3], json!(0))
    );
    assert_eq!(panel.act_on_combo(id, "approve").await.json()["code"], "combo_order_not_approvable");
    let completion = panel.act_on_combo(id, "complete").await.json();
    assert_eq!(
        (&completion["data"]["status"], completion["data"]["completed_at"].is_string()),
        (&json!("completed"), true)
    );
    assert_eq!(panel.fetch_order_statuses(id).await, vec!["completed"; 3]);
    assert_eq!(panel.act_on_combo(id, "reject").await.status, 409);
    assert_eq!(panel.act_on_combo(99, "approve").await.status, 404);
    panel.assert_healthy().await;
}

async fn a_rejected_combo_order_is_refunded_once(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.buy_combo(&new_starter_combo()).await;
    let dry_run = panel.act_on_combo(id, "reject?dry_run=1").await.json();
    assert_eq!((&dry_run["data"]["refunded"], panel.fetch_total_spent(1).await), (&json!("16"), 16_000_000));
    let rejection = panel.act_on_combo(id, "reject").await.json();
    assert_eq!(
        (&rejection["data"]["status"], &rejection["data"]["refunded"]),
        (&json!("canceled"), &json!("16"))
    );
    assert_eq!(
        (panel.fetch_order_statuses(id).await, panel.fetch_balances(1).await),
        (vec!["canceled".to_owned(); 3], (CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS, 0))
    );
    assert_eq!(panel.act_on_combo(id, "reject").await.status, 409);
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT, "the refund must be posted once");
    panel.assert_healthy().await;
}

/// Staff cancel one of the orders first. The other orders change with the combo order; the canceled one is not refunded again.
async fn a_canceled_order_of_a_combo_order_stays_canceled(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.buy_combo(&new_starter_combo()).await;
    let first_order_id =
        panel.fetch_number(Sql::new("SELECT min(id) FROM orders WHERE combo_order_id = ?").bind(id)).await;
    panel
        .post(&format!("/api/v1/admin/orders/{first_order_id}/cancel"), &json!({ "return_money": true }))
        .await;
    assert_eq!(panel.fetch_total_spent(1).await, 6_000_000);
    panel.act_on_combo(id, "approve").await;
    assert_eq!(panel.fetch_order_statuses(id).await, ["canceled", "in_processing", "in_processing"]);
    panel.act_on_combo(id, "complete").await;
    assert_eq!(panel.fetch_order_statuses(id).await, ["canceled", "completed", "completed"]);
    assert_eq!(panel.fetch_balances(1).await, (CUSTOMER_DEPOSIT - 6_000_000, CUSTOMER_EARNINGS, 6_000_000));
    panel.assert_healthy().await;
}

/// Approving a combo order does not send an order that staff rejected earlier.
async fn approving_a_combo_order_keeps_rejected_orders(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.buy_combo(&new_starter_combo()).await;
    let first_order_id =
        panel.fetch_number(Sql::new("SELECT min(id) FROM orders WHERE combo_order_id = ?").bind(id)).await;
    panel.post(&format!("/api/v1/admin/orders/{first_order_id}/reject"), &json!({})).await;
    assert_eq!(panel.act_on_combo(id, "approve").await.status, 200);
    assert_eq!(panel.fetch_order_statuses(id).await, ["stopped", "in_processing", "in_processing"]);
    assert_eq!(panel.fetch_order(first_order_id).await["approval"], "rejected");
    panel.assert_healthy().await;
}

async fn a_combo_order_completes_with_its_last_order(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.buy_combo(&new_starter_combo()).await;
    panel.act_on_combo(id, "approve").await;
    let first_order_id =
        panel.fetch_number(Sql::new("SELECT min(id) FROM orders WHERE combo_order_id = ?").bind(id)).await;
    let count_completed_sql =
        Sql::new("SELECT count(*) FROM combo_orders WHERE status = 'completed' AND completed_at IS NOT NULL");
    for (order, action, expected_count) in [
        (first_order_id, "complete", 0),
        (first_order_id + 1, "cancel", 0),
        (first_order_id + 2, "complete", 1),
    ] {
        let response = panel.post(&format!("/api/v1/admin/orders/{order}/{action}"), &json!({})).await;
        assert_eq!(
            (response.status.as_u16(), panel.fetch_number(count_completed_sql.clone()).await),
            (200, expected_count),
            "{order}"
        );
    }
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'combo_order.completed'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
    assert_eq!(panel.act_on_combo(id, "complete").await.status, 409);
    panel.assert_healthy().await;
}

/// A combo order stays in moderation, and in the moderation count, until staff have moderated the last of its orders, one by one or
/// by a bulk action.
async fn the_orders_of_a_combo_order_are_moderated_one_by_one(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.buy_combo(&new_starter_combo()).await;
    let first_order_id = panel.fetch_first_order_id(id).await;
    panel.act_on_order(first_order_id, "approve").await;
    assert_eq!(
        (panel.fetch_combo_status(id).await, panel.fetch_in_moderation_count().await),
        ("in_moderation".to_owned(), json!(1))
    );
    panel.act_on_order(first_order_id, "complete").await;
    let dry_run = panel
        .post(
            "/api/v1/admin/orders/reject?dry_run=1",
            &json!({ "order_ids": [first_order_id + 1, first_order_id + 2] }),
        )
        .await;
    assert_eq!((dry_run.status.as_u16(), panel.fetch_in_moderation_count().await), (200, json!(1)));
    panel
        .post(
            "/api/v1/admin/orders/reject",
            &json!({ "order_ids": [first_order_id + 1, first_order_id + 2] }),
        )
        .await;
    assert_eq!(
        (panel.fetch_combo_status(id).await, panel.fetch_in_moderation_count().await),
        ("in_processing".to_owned(), json!(0))
    );
    let rejection_response = panel.act_on_combo(id, "reject").await;
    assert_eq!(
        (rejection_response.status.as_u16(), &rejection_response.json()["code"]),
        (409, &json!("combo_order_not_rejectable"))
    );
    assert_eq!(
        panel.fetch_order_statuses(id).await,
        ["completed", "stopped", "stopped"],
        "a completed order must stay completed"
    );
    let count_audits_sql =
        "SELECT count(*) FROM audits WHERE event = 'combo_order.approved' AND auditable_type = 'combo_order'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
    // A rejected order stays open until staff cancel it.
    panel.act_on_order(first_order_id + 1, "cancel").await;
    assert_eq!(panel.fetch_combo_status(id).await, "in_processing");
    panel.act_on_order(first_order_id + 2, "cancel").await;
    assert_eq!(panel.fetch_combo_status(id).await, "completed");
    panel.assert_healthy().await;
}

async fn canceling_all_orders_in_moderation_cancels_the_combo_order(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.buy_combo(&new_starter_combo()).await;
    let first_order_id = panel.fetch_first_order_id(id).await;
    let body = json!({ "order_ids": [first_order_id, first_order_id + 1, first_order_id + 2], "return_money": true });
    assert_eq!(panel.post("/api/v1/admin/orders/cancel", &body).await.status, 200);
    let combo_order = panel.get("/api/v1/admin/combo-orders").await.json()["data"][0].clone();
    assert_eq!(
        (&combo_order["status"], combo_order["canceled_at"].is_string(), &combo_order["completed_at"]),
        (&json!("canceled"), true, &Value::Null)
    );
    assert_eq!(
        (panel.fetch_in_moderation_count().await, panel.fetch_main_balance(1).await),
        (json!(0), CUSTOMER_DEPOSIT)
    );
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'combo_order.canceled'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
    panel.assert_healthy().await;
}

async fn canceling_all_orders_in_processing_cancels_the_combo_order(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.buy_combo(&new_starter_combo()).await;
    panel.act_on_combo(id, "approve").await;
    let first_order_id = panel.fetch_first_order_id(id).await;
    let body = json!({ "order_ids": [first_order_id, first_order_id + 1, first_order_id + 2], "return_money": true });
    assert_eq!(panel.post("/api/v1/admin/orders/cancel", &body).await.status, 200);
    assert_eq!(
        (panel.fetch_combo_status(id).await, panel.fetch_main_balance(1).await),
        ("canceled".to_owned(), CUSTOMER_DEPOSIT)
    );
    panel.assert_healthy().await;
}

/// Without an approved order the combo order stays in moderation: rejecting it refunds the customer, and approving one of its
/// orders approves it. It cannot be approved as a whole, because staff rejected each of its orders.
async fn a_combo_order_with_rejected_orders_stays_in_moderation(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    for should_reject in [true, false] {
        let id = panel.buy_combo(&new_starter_combo()).await;
        let first_order_id = panel.fetch_first_order_id(id).await;
        for order in first_order_id..first_order_id + 3 {
            panel.act_on_order(order, "reject").await;
            assert_eq!(panel.fetch_combo_status(id).await, "in_moderation");
        }
        let combo_order = panel.get(&format!("/api/v1/admin/combo-orders?id={id}")).await.json();
        let expected_actions = json!({ "approvable": false, "rejectable": true, "completable": false });
        assert_eq!(
            (&combo_order["data"][0]["actions"], panel.fetch_in_moderation_count().await),
            (&expected_actions, json!(1))
        );
        let approval_response = panel.act_on_combo(id, "approve").await;
        assert_eq!(approval_response.status_and_code(), (409, "combo_order_not_approvable".into()));
        assert_eq!(panel.fetch_order_statuses(id).await, ["stopped"; 3]);
        if should_reject {
            assert_eq!(panel.act_on_combo(id, "reject").await.json()["data"]["status"], "canceled");
            assert_eq!(
                (panel.fetch_order_statuses(id).await, panel.fetch_main_balance(1).await),
                (vec!["canceled".into(); 3], CUSTOMER_DEPOSIT)
            );
        } else {
            panel.act_on_order(first_order_id, "approve").await;
            assert_eq!(panel.fetch_order_statuses(id).await, ["in_processing", "stopped", "stopped"]);
            assert_eq!(panel.fetch_combo_status(id).await, "in_processing");
        }
        assert_eq!(panel.fetch_in_moderation_count().await, json!(0));
    }
    panel.assert_healthy().await;
}

/// A completed combo order is final, and the server would never refund its rejected orders. So staff must cancel or approve these
/// orders first.
async fn a_rejected_order_prevents_completion(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.buy_combo(&new_starter_combo()).await;
    let first_order_id = panel.fetch_first_order_id(id).await;
    panel.act_on_order(first_order_id, "reject").await;
    panel.act_on_combo(id, "approve").await;
    let fetch_completable = async || {
        let combo_order = panel.get(&format!("/api/v1/admin/combo-orders?id={id}")).await.json();
        combo_order["data"][0]["actions"]["completable"].clone()
    };
    assert_eq!(fetch_completable().await, false);
    let completion_response = panel.act_on_combo(id, "complete").await;
    assert_eq!(completion_response.status_and_code(), (409, "combo_order_has_undecided_orders".into()));
    let message = completion_response.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains(&format!(": {first_order_id}.")), "{message}");
    assert_eq!(panel.fetch_order_statuses(id).await, ["stopped", "in_processing", "in_processing"]);
    let cancel_body = json!({ "return_money": true });
    panel.post(&format!("/api/v1/admin/orders/{first_order_id}/cancel"), &cancel_body).await;
    assert_eq!(fetch_completable().await, true);
    assert_eq!(panel.act_on_combo(id, "complete").await.status, 200);
    assert_eq!(panel.fetch_order_statuses(id).await, ["canceled", "completed", "completed"]);
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 6_000_000);
    panel.assert_healthy().await;
}

/// Undoing the approval of one order moves the combo order back to moderation. Nothing can be undone in a completed combo order.
async fn undoing_an_approval_returns_a_combo_order_to_moderation(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.buy_combo(&new_starter_combo()).await;
    let first_order_id = panel.fetch_first_order_id(id).await;
    let mut undo_offers = Vec::new();
    for order in first_order_id..first_order_id + 3 {
        undo_offers.push(panel.act_on_order(order, "approve").await.json()["undo"].clone());
    }
    let request_undo = async |offer: &Value| {
        panel.post("/api/v1/admin/undo", &json!({ "request_id": offer["request_id"] })).await.status.as_u16()
    };
    assert_eq!(panel.fetch_combo_status(id).await, "in_processing");
    assert_eq!(request_undo(&undo_offers[2]).await, 200);
    assert_eq!(
        (panel.fetch_combo_status(id).await, panel.fetch_in_moderation_count().await),
        ("in_moderation".to_owned(), json!(1))
    );
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'combo_order.approved.undone'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
    let undo_offer = panel.act_on_order(first_order_id + 2, "reject").await.json()["undo"].clone();
    let set_status_sql =
        "UPDATE combo_orders SET status = ?, completed_at = CASE WHEN ? THEN 1 END WHERE id = ?";
    let set_status = async |status: &'static str| {
        let sql = Sql::new(set_status_sql).bind(status).bind(status == "completed").bind(id);
        panel.execute(sql).await;
    };
    set_status("completed").await;
    assert_eq!(
        request_undo(&undo_offer).await,
        409,
        "the undo must fail, because the combo order is completed"
    );
    set_status("in_processing").await;
    assert_eq!(request_undo(&undo_offer).await, 200);
    assert_eq!(panel.fetch_order_statuses(id).await, ["in_processing", "in_processing", "in_moderation"]);
    assert_eq!(panel.fetch_combo_status(id).await, "in_moderation");
    panel.assert_healthy().await;
}

async fn parallel_completions_of_the_last_orders_complete_a_combo_order(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 5, 0).await);
    for _ in 0..5 {
        let id = panel
            .buy_combo(&NewCombo {
                parts: vec![(PLAIN_SERVICE, 100), (PLAIN_SERVICE, 100)],
                ..new_starter_combo()
            })
            .await;
        panel.act_on_combo(id, "approve").await;
    }
    let last_order_id = panel.fetch_number(Sql::new("SELECT max(id) FROM orders")).await;
    let completions = (last_order_id - 9..=last_order_id).map(|order| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            panel.post(&format!("/api/v1/admin/orders/{order}/complete"), &json!({})).await.status.as_u16()
        })
    });
    for status in join_all(completions).await {
        assert_eq!(status.unwrap(), 200);
    }
    let count_open_sql = "SELECT count(*) FROM combo_orders WHERE status <> 'completed'";
    assert_eq!(panel.fetch_number(Sql::new(count_open_sql)).await, 0);
    panel.assert_healthy().await;
}

/// Eight parallel requests approve or reject each of ten combo orders: exactly one request succeeds.
async fn one_of_parallel_approvals_and_rejections_succeeds(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 5, 0).await);
    let mut ids = Vec::new();
    for user_id in (1..=5).cycle().take(10) {
        ids.push(panel.buy_combo(&NewCombo { user_id: UserId::new(user_id), ..new_starter_combo() }).await);
    }
    let requests = ids.iter().flat_map(|id| (0..8).map(|number| (*id, number))).map(|(id, number)| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            let action = if number % 2 == 0 { "approve" } else { "reject" };
            (action, panel.act_on_combo(id, action).await.status.as_u16())
        })
    });
    let responses: Vec<_> = join_all(requests).await.into_iter().map(Result::unwrap).collect();
    for responses_of_combo in responses.chunks(8) {
        assert_eq!(
            responses_of_combo.iter().filter(|(_, status)| *status == 200).count(),
            1,
            "{responses_of_combo:?}"
        );
        assert!(
            responses_of_combo.iter().all(|(_, status)| matches!(status, 200 | 409)),
            "{responses_of_combo:?}"
        );
    }
    let rejected_count = responses.iter().filter(|response| **response == ("reject", 200)).count();
    let refund_count =
        panel.fetch_number(Sql::new("SELECT count(*) FROM ledger_txns WHERE kind = 'order_refund'")).await;
    assert_eq!(refund_count, i64::try_from(rejected_count).unwrap() * 3);
    panel.assert_healthy().await;
}

async fn a_combo_order_is_placed_completely_or_not_at_all(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let mut work = panel.begin_work().await;
    let too_expensive_combo = NewCombo { parts: vec![(PLAIN_SERVICE, 1_000_000); 15], ..new_starter_combo() };
    let error = buy(&mut work, &too_expensive_combo).await.unwrap_err().report("test");
    drop(work);
    assert_eq!(error.code, "not_enough_balance");
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM orders")).await, 0);
    let unmoderated_combo_id = panel
        .buy_combo(&NewCombo {
            parts: vec![(PLAIN_SERVICE, 100)],
            is_moderated: false,
            ..new_starter_combo()
        })
        .await;
    assert_eq!(panel.fetch_order_statuses(unmoderated_combo_id).await, ["in_processing"]);
    panel.assert_healthy().await;
}
