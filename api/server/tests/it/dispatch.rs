//! Dispatch of orders from placement to their end: sent, polled, completed, failed over or refunded; and refills.

use panel_contract::ids::OrderId;
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::state::{OrderBehavior, START_COUNT};
use panel_platform::db::{Dialect, Sql};
use panel_server::supply::dispatch;
use serde_json::{Value, json};

use crate::shop::{DEPOSIT, PLAIN};
use crate::shop_with_panels::ShopWithPanels;

both! {
    an_order_is_placed_polled_and_completed;
    the_undelivered_remainder_fails_over;
    the_charge_determines_the_delivered_quantity_where_the_panel_is_configured_so;
    orders_without_a_provider_are_counted;
    staff_are_notified_once_of_an_order_without_a_provider;
    an_order_without_a_provider_refunds_the_undelivered_part;
    a_canceled_order_is_canceled_at_the_panel_and_refunded_once;
    a_new_provider_waits_for_the_outcome_of_the_first_attempt;
    paused_orders_are_not_sent;
    moderated_orders_are_sent_when_approved;
    refusals_are_retried_or_fail_over;
    panel_responses_are_recorded;
    a_refill_is_requested_from_the_panel_and_polled;
    losses_are_refilled_automatically;
    staff_close_a_refill_that_was_requested_from_no_panel;
    staff_close_a_refill_whose_panel_cannot_be_reached;
    a_loss_that_the_panel_reports_is_refilled_automatically;
    losses_are_measured_from_when_auto_refill_is_switched_on;
}

fn cancel_path(id: OrderId) -> String {
    format!("/api/v1/admin/orders/{id}/cancel")
}

async fn an_order_is_placed_polled_and_completed(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    assert_eq!((shop.attempt_statuses(id).await, shop.order_counts()), (vec!["Pending".to_owned()], vec![1]));
    shop.run_for_secs(60).await;
    let order = shop.panel.order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["current_quantity"].as_i64()),
        (Some("in_processing"), Some(300))
    );
    assert_eq!(order["external_order_start_count"], 3572);
    shop.run_for_secs(120).await;
    let order = shop.panel.order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["current_quantity"].as_i64()),
        (Some("completed"), Some(600))
    );
    assert_eq!((order["provider_cost"].as_str(), order["revenue"].as_str()), (Some("0.6"), Some("5.4")));
    assert_eq!(shop.attempts(id).await[0]["charge"], "0.6");
    let statistics = Sql::new(
        "SELECT CAST(sum(quantity * 1000000000 + cost) AS BIGINT) FROM provider_statistics WHERE order_id = ?",
    );
    assert_eq!(shop.panel.number(statistics.bind(id)).await, 600_000_600_000);
    let calls = shop.fake_panels[0].calls().len();
    shop.run_for_secs(600).await;
    assert_eq!(shop.fake_panels[0].calls().len(), calls, "a completed attempt is not polled");
    shop.assert_healthy().await;
}

async fn the_undelivered_remainder_fails_over(dialect: Dialect) {
    let shop = ShopWithPanels::on(
        dialect,
        &[OrderBehavior::Partial(40), OrderBehavior::Canceled, OrderBehavior::Delivered],
    )
    .await;
    let id = shop.order(1).await;
    shop.run_for_secs(600).await;
    let order = shop.panel.order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["current_quantity"].as_i64()),
        (Some("completed"), Some(600))
    );
    assert_eq!(shop.attempt_statuses(id).await, ["Partial", "Canceled", "Completed"]);
    let quantities: Vec<i64> =
        shop.attempts(id).await.iter().map(|attempt| attempt["initial_quantity"].as_i64().unwrap()).collect();
    assert_eq!(quantities, [600, 360, 360]);
    assert_eq!(order["provider_cost"], "0.6");
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 6_000_000, "the customer paid once");
    shop.assert_healthy().await;
}

/// The panel delivers 40 % of 600 and charges half of the known price: by the remaining quantity 240 units are delivered, by the
/// charge 120.
async fn the_charge_determines_the_delivered_quantity_where_the_panel_is_configured_so(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Partial(40)]).await;
    shop.panel.execute(Sql::new("UPDATE providers SET source_price = source_price * 2")).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET statistic_type = 'charge'")).await;
    let id = shop.order(1).await;
    shop.run_for_secs(600).await;
    assert_eq!(shop.attempt_statuses(id).await, ["Partial"]);
    assert_eq!(shop.attempts(id).await[0]["remains"], 480);
    assert_eq!(shop.panel.order(id).await["current_quantity"], 120);
    // Polled again after an hour, the panel returns the same, and staff get no alert.
    shop.run_for_secs(3_690).await;
    let alerts = Sql::new(
        "SELECT count(*) FROM external_panel_orders WHERE alert_at IS NOT NULL OR last_error IS NOT NULL",
    );
    assert_eq!(shop.panel.number(alerts).await, 0);
    shop.assert_healthy().await;
}

async fn orders_without_a_provider_are_counted(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Partial(40), OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    let id = shop.order(1).await;
    shop.run_for_secs(600).await;
    let order = shop.panel.order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["has_no_active_providers"].as_bool()),
        (Some("in_processing"), Some(true))
    );
    assert_eq!(
        (shop.attempt_statuses(id).await, shop.order_counts()),
        (vec!["Partial".to_owned()], vec![1, 0])
    );
    shop.assert_healthy().await;
    // Staff change the provider: the order is placed again and completes.
    let change_provider = json!({ "order_ids": [id], "provider_id": 12 });
    assert_eq!(shop.panel.post("/api/v1/admin/orders/change-provider", &change_provider).await.status, 200);
    shop.run_for_secs(600).await;
    let order = shop.panel.order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["has_no_active_providers"].as_bool()),
        (Some("completed"), Some(false))
    );
    shop.assert_healthy().await;
}

async fn staff_are_notified_once_of_an_order_without_a_provider(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Partial(40), OrderBehavior::Partial(20)]).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    let recipient = "INSERT INTO notification_recipients (audience, user_id) SELECT 'support', id FROM users WHERE email = 'owner@panel.test'";
    assert_eq!(shop.panel.execute(Sql::new(recipient)).await, 1);
    let id = shop.order(1).await;
    let audits = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'order.left_without_provider' AND auditable_id = ?",
    );
    let audits = audits.bind(id);
    let emails =
        Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE '%no active provider%'");
    shop.run_for_secs(600).await;
    assert_eq!((shop.panel.number(audits.clone()).await, shop.panel.number(emails.clone()).await), (1, 1));
    // Further cycles send no second email.
    shop.panel.execute(Sql::new("UPDATE orders SET dispatch_at = 1")).await;
    shop.run_until_idle().await;
    assert_eq!((shop.panel.number(audits.clone()).await, shop.panel.number(emails.clone()).await), (1, 1));
    // The order gets another provider and loses it again, so staff are notified again.
    let change_provider = json!({ "order_ids": [id], "provider_id": 12 });
    assert_eq!(shop.panel.post("/api/v1/admin/orders/change-provider", &change_provider).await.status, 200);
    shop.run_for_secs(600).await;
    assert_eq!(shop.attempt_statuses(id).await, ["Partial", "Partial"]);
    let has_no_provider = shop.panel.order(id).await["has_no_active_providers"].clone();
    let counts = (shop.panel.number(audits).await, shop.panel.number(emails).await);
    assert_eq!((has_no_provider, counts), (json!(true), (2, 2)));
    shop.assert_healthy().await;
}

async fn an_order_without_a_provider_refunds_the_undelivered_part(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Partial(40)]).await;
    shop.panel.execute(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    let id = shop.order(1).await;
    shop.run_for_secs(600).await;
    let order = shop.panel.order(id).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("3.6")));
    assert_eq!(order["cancel_reason"], "provider_failure");
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 2_400_000);
    shop.panel.execute(Sql::new("UPDATE services SET no_refund = TRUE")).await;
    let without_refund = shop.order(2).await;
    shop.run_for_secs(600).await;
    let order = shop.panel.order(without_refund).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("0")));
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 8_400_000);
    shop.assert_healthy().await;
}

async fn a_canceled_order_is_canceled_at_the_panel_and_refunded_once(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.run_for_secs(90).await;
    assert_eq!(shop.panel.post(&cancel_path(id), &json!({ "return_money": true })).await.status, 200);
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 3_000_000);
    shop.run_until_idle().await;
    shop.run_for_secs(600).await;
    assert_eq!(shop.attempt_statuses(id).await, ["Canceled"]);
    let cancel_calls = shop.fake_panels[0].calls().iter().filter(|call| call["action"] == "cancel").count();
    assert_eq!(cancel_calls, 1);
    let order = shop.panel.order(id).await;
    assert_eq!((order["status"].as_str(), order["provider_cost"].as_str()), (Some("canceled"), Some("0.3")));
    assert_eq!(
        shop.panel.main_balance(1).await,
        DEPOSIT - 3_000_000,
        "the final status at the panel posts no refund"
    );
    // A canceled order that was not sent yet is never sent.
    let unsent = shop.order(2).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    assert_eq!(shop.panel.post(&cancel_path(unsent), &json!({})).await.status, 200);
    shop.run_for_secs(60).await;
    assert_eq!(
        (shop.attempt_statuses(unsent).await, shop.order_counts()),
        (vec!["Canceled".to_owned()], vec![1])
    );
    shop.assert_healthy().await;
}

async fn a_new_provider_waits_for_the_outcome_of_the_first_attempt(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Stuck, OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    shop.set_behavior(0, FakeBehavior::BadGateway);
    let change_provider = json!({ "order_ids": [id], "provider_id": 12 });
    assert_eq!(shop.panel.post("/api/v1/admin/orders/change-provider", &change_provider).await.status, 200);
    shop.run_for_secs(120).await;
    assert_eq!(shop.order_counts(), [1, 0], "the first attempt has no outcome yet");
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.run_for_secs(900).await;
    assert_eq!(
        (shop.attempt_statuses(id).await, shop.order_counts()),
        (vec!["Canceled".to_owned(), "Completed".into()], vec![1, 1])
    );
    assert_eq!(shop.panel.order(id).await["status"], "completed");
    shop.assert_healthy().await;
}

async fn paused_orders_are_not_sent(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    let action_path = |action: &str| format!("/api/v1/admin/orders/{id}/{action}");
    assert_eq!(shop.panel.post(&action_path("pause"), &json!({})).await.status, 200);
    shop.run_for_secs(300).await;
    assert_eq!(
        (shop.order_counts(), shop.attempt_statuses(id).await),
        (vec![0], vec!["Creating".to_owned()])
    );
    assert_eq!(shop.panel.post(&action_path("activate"), &json!({})).await.status, 200);
    shop.run_for_secs(300).await;
    assert_eq!(
        (shop.order_counts(), shop.panel.order(id).await["status"].clone()),
        (vec![1], json!("completed"))
    );
    shop.assert_healthy().await;
}

async fn moderated_orders_are_sent_when_approved(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel
        .execute(Sql::new("UPDATE services SET moderation_is_enabled = TRUE WHERE id = ?").bind(PLAIN))
        .await;
    let id = shop.order(1).await;
    shop.run_for_secs(60).await;
    assert!(shop.attempts(id).await.is_empty());
    assert_eq!(shop.panel.post(&format!("/api/v1/admin/orders/{id}/approve"), &json!({})).await.status, 200);
    shop.run_until_idle().await;
    assert_eq!((shop.order_counts(), shop.attempt_statuses(id).await), (vec![1], vec!["Pending".to_owned()]));
    shop.assert_healthy().await;
}

async fn refusals_are_retried_or_fail_over(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    shop.fake_panels[0].state().balance.0 = 100_000;
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    assert_eq!(shop.attempt_statuses(id).await, ["Creating"]);
    assert_eq!(shop.attempts(id).await[0]["last_error"], "neworder.error.not_enough_funds");
    shop.fake_panels[0].state().balance.0 = 1_000_000;
    shop.run_for_secs(30).await;
    assert_eq!(
        (shop.attempt_statuses(id).await, shop.order_counts()),
        (vec!["Pending".to_owned()], vec![1, 0]),
        "the add call is retried"
    );
    // A service that the panel deleted is not retried; the order fails over to the next provider.
    shop.fake_panels[0].state().services.clear();
    let other = shop.order(2).await;
    shop.run_until_idle().await;
    assert_eq!(shop.attempt_statuses(other).await, ["Canceled", "Pending"]);
    assert_eq!(shop.attempts(other).await[0]["last_error"], "error.incorrect_service_id");
    // When the balance at the panel stays too low, the order fails over after some hours.
    shop.fake_panels[0].state().add_service(7, panel_demo::panel::state::FakeService::plain("Likes"));
    shop.fake_panels[0].state().balance.0 = 0;
    let unaffordable = shop.order(3).await;
    shop.run_for_secs(6 * 3_600).await;
    assert_eq!(shop.attempt_statuses(unaffordable).await, ["Canceled", "Completed"]);
    shop.assert_healthy().await;
}

async fn panel_responses_are_recorded(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.run_for_secs(90).await;
    let recorded = Sql::new("SELECT count(*) FROM external_panel_orders WHERE order_id = ? AND last_request LIKE '%video.example%'
        AND last_answer LIKE '%In progress%' AND last_request NOT LIKE ? AND last_answer NOT LIKE ?");
    let key = format!("%{}%", crate::shop_with_panels::KEY);
    assert_eq!(shop.panel.number(recorded.bind(id).bind(key.clone()).bind(key)).await, 1);
    shop.set_behavior(0, FakeBehavior::UnknownStatuses);
    shop.run_for_secs(60).await;
    let attempt = shop.attempts(id).await[0].clone();
    assert_eq!(
        (attempt["status"].as_str(), attempt["remains"].as_i64()),
        (Some("In progress"), Some(300)),
        "an unreadable answer changes nothing"
    );
    assert!(attempt["last_error"].as_str().unwrap().contains("(auto)"));
    shop.set_behavior(0, FakeBehavior::JsonNumbers);
    shop.run_for_secs(600).await;
    assert_eq!(shop.panel.order(id).await["status"], "completed");
    shop.assert_healthy().await;
}

async fn a_refill_is_requested_from_the_panel_and_polled(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.order(1).await;
    shop.run_for_secs(300).await;
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    assert_eq!(shop.panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    let status = async || shop.panel.get(&path).await.json()["data"][0]["status"].clone();
    assert_eq!(status().await, "pending");
    shop.run_until_idle().await;
    assert_eq!(status().await, "sent");
    shop.run_for_secs(1_800).await;
    assert_eq!(status().await, "completed");
    let refill_calls = shop.fake_panels[0].calls().iter().filter(|call| call["action"] == "refill").count();
    assert_eq!(refill_calls, 1);
    let refilled = Sql::new("SELECT order_current_refilled_quantity FROM orders WHERE id = ?").bind(id);
    assert_eq!(shop.panel.number(refilled).await, 50);
    shop.assert_healthy().await;
}

async fn staff_close_a_refill_that_was_requested_from_no_panel(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel
        .execute(Sql::new("UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE"))
        .await;
    let id = shop.order(1).await;
    shop.run_for_secs(300).await;
    let loss_and_refilled = async || {
        let sql = "SELECT drop_quantity * 1000 + order_current_refilled_quantity FROM orders WHERE id = ?";
        shop.panel.number(Sql::new(sql).bind(id)).await
    };
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    let newest_request = async || shop.panel.get(&path).await.json()["data"][0].clone();
    shop.panel.execute(Sql::new("UPDATE orders SET drop_quantity = 60 WHERE id = ?").bind(id)).await;
    shop.panel
        .execute(Sql::new("UPDATE external_panel_orders SET status = 'Canceled' WHERE order_id = ?").bind(id))
        .await;
    shop.panel.clock.advance_secs(90_000);
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    shop.run_until_idle().await;
    let request = newest_request().await;
    assert_eq!(
        (&request["status"], &request["closable"], &request["last_error"]),
        (&json!("pending"), &json!(true), &json!("No panel has this order: refill it by hand."))
    );
    let close = async |request: &Value, action: &str| {
        shop.panel.post(&format!("{path}/{}/{action}", request["id"]), &json!({})).await
    };
    assert_eq!(close(&request, "reject").await.json()["data"]["status"], "rejected");
    assert_eq!(loss_and_refilled().await, 60_000, "nothing was refilled");
    assert_eq!(
        close(&request, "complete").await.status_and_code(),
        (409, "refill_request_not_closable".into())
    );
    // A rejected refill does not block a later one.
    shop.panel.clock.advance_secs(90_000);
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    let request = newest_request().await;
    assert_eq!(close(&request, "complete").await.json()["data"]["closable"], json!(false));
    assert_eq!(loss_and_refilled().await, 60, "staff refilled 60 by hand");
    // A refill that was requested from the panel ends with the panel's status.
    shop.panel
        .execute(
            Sql::new("UPDATE external_panel_orders SET status = 'Completed' WHERE order_id = ?").bind(id),
        )
        .await;
    assert_eq!(shop.panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    shop.run_until_idle().await;
    let request = newest_request().await;
    assert_eq!((&request["status"], &request["closable"]), (&json!("sent"), &json!(false)));
    assert_eq!(
        close(&request, "reject").await.status_and_code(),
        (409, "refill_request_not_closable".into())
    );
    let unknown_request = shop.panel.post(&format!("{path}/99999/reject"), &json!({})).await;
    assert_eq!(unknown_request.status, 404);
    let sql =
        "SELECT count(*) FROM audits WHERE event IN ('order.refill_completed', 'order.refill_rejected')";
    assert_eq!(shop.panel.number(Sql::new(sql)).await, 2);
    shop.assert_healthy().await;
}

async fn losses_are_refilled_automatically(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel
        .execute(Sql::new(
            "UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE, auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000",
        ))
        .await;
    let id = shop.order(1).await;
    shop.run_for_secs(300).await;
    let set_loss =
        |loss: i64| Sql::new("UPDATE orders SET drop_quantity = ? WHERE id = ?").bind(loss).bind(id);
    shop.panel.execute(set_loss(29)).await;
    shop.panel.clock.advance_secs(4_000);
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 0, "less than 5 percent");
    shop.panel.execute(set_loss(60)).await;
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    assert_eq!(
        dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(),
        0,
        "one request for each loss"
    );
    shop.run_for_secs(1_800).await;
    let loss_and_refilled =
        Sql::new("SELECT drop_quantity * 1000 + order_current_refilled_quantity FROM orders WHERE id = ?")
            .bind(id);
    assert_eq!(shop.panel.number(loss_and_refilled).await, 60);
    shop.assert_healthy().await;
}

async fn losses_are_measured_from_when_auto_refill_is_switched_on(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.order(1).await;
    shop.run_for_secs(300).await;
    assert_eq!(shop.panel.order(id).await["status"], "completed");
    let due_attempts = async || {
        let sql =
            Sql::new("SELECT count(*) FROM external_panel_orders WHERE due_at IS NOT NULL AND order_id = ?");
        shop.panel.number(sql.bind(id)).await
    };
    let body = |is_allowed: bool| json!({ "auto_refill_is_allowed": is_allowed });
    let single_path = format!("/api/v1/admin/orders/{id}/set-auto-refill-is-allowed");
    let params_path = format!("/api/v1/admin/orders/{id}/auto-refill-params");
    for (method, path) in [("POST", &single_path), ("PATCH", &params_path)] {
        shop.panel.execute(Sql::new("UPDATE external_panel_orders SET due_at = NULL")).await;
        assert_eq!(shop.panel.send("owner", method, path, &body(false), None).await.status, 200);
        assert_eq!(due_attempts().await, 0, "{method}");
        assert_eq!(shop.panel.send("owner", method, path, &body(true), None).await.status, 200);
        assert_eq!(due_attempts().await, 1, "{method}");
    }
    shop.assert_healthy().await;
}

async fn staff_close_a_refill_whose_panel_cannot_be_reached(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.order(1).await;
    shop.run_for_secs(300).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET endpoint = 'http://127.0.0.1:1'")).await;
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    assert_eq!(shop.panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    shop.run_until_idle().await;
    let request = shop.panel.get(&path).await.json()["data"][0].clone();
    assert_eq!((&request["status"], &request["closable"]), (&json!("pending"), &json!(true)), "{request}");
    let closed = shop.panel.post(&format!("{path}/{}/complete", request["id"]), &json!({})).await;
    assert_eq!((closed.status.as_u16(), &closed.json()["data"]["status"]), (200, &json!("completed")));
}

async fn a_loss_that_the_panel_reports_is_refilled_automatically(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let sql = "UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE, auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000";
    shop.panel.execute(Sql::new(sql)).await;
    let id = shop.order(1).await;
    shop.run_for_secs(300).await;
    assert_eq!(shop.panel.order(id).await["status"], "completed");
    let loss =
        async || shop.panel.number(Sql::new("SELECT drop_quantity FROM orders WHERE id = ?").bind(id)).await;
    let first_count = json!(START_COUNT + 600);
    // The loss happens before the first poll after completion.
    for order in shop.fake_panels[0].state().orders.values_mut() {
        order.set_lost_units(90);
    }
    shop.panel.execute(Sql::new("UPDATE external_panels SET statistic_type = 'charge'")).await;
    shop.run_for_secs(4_000).await;
    assert_eq!((shop.panel.order(id).await["refill"]["first"].clone(), loss().await), (json!(null), 0));
    shop.panel.execute(Sql::new("UPDATE external_panels SET statistic_type = 'remains'")).await;
    shop.run_for_secs(86_400).await;
    let order = shop.panel.order(id).await;
    assert_eq!(
        (&order["refill"]["first"]["quantity"], &order["refill"]["last"]["quantity"], loss().await),
        (&first_count, &json!(START_COUNT + 510), 90)
    );
    let params_path = format!("/api/v1/admin/orders/{id}/auto-refill-params");
    assert_eq!(
        shop.panel.send("owner", "PATCH", &params_path, &json!({ "refill_quantity": 89 }), None).await.status,
        200
    );
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    let requested = Sql::new("SELECT quantity FROM order_refill_requests WHERE order_id = ?").bind(id);
    let next_quantity = shop.panel.get(&params_path).await.json()["data"]["refill_quantity"].clone();
    assert_eq!(
        (shop.panel.number(requested).await, next_quantity),
        (89, json!(0)),
        "the quantity that staff set applies to one refill"
    );
    shop.run_for_secs(3_600).await;
    shop.run_for_secs(4 * 86_400).await;
    assert_eq!(
        (loss().await, shop.panel.order(id).await["refill"]["last"]["quantity"].clone()),
        (0, first_count)
    );
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 0, "nothing is missing");
    shop.assert_healthy().await;
}
