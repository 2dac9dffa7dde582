//! Tests the dispatch of orders: the worker sends them, polls their status, and completes, fails over or refunds them. Also tests
//! refills.

use panel_contract::ids::OrderId;
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::state::{OrderBehavior, START_COUNT};
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::supply::dispatch;
use serde_json::{Value, json};

use crate::shop::{CUSTOMER_DEPOSIT, PLAIN_SERVICE};
use crate::shop_with_panels::{FAKE_SERVICE_ID, ShopWithPanels};

test_both_databases! {
    an_order_is_placed_polled_and_completed;
    the_undelivered_remainder_fails_over;
    the_charge_determines_the_delivered_quantity_if_the_external_panel_is_configured_so;
    orders_without_a_provider_are_counted;
    staff_are_notified_once_of_an_order_without_a_provider;
    an_order_without_a_provider_refunds_the_undelivered_part;
    a_canceled_order_is_canceled_at_the_panel_and_refunded_once;
    a_new_provider_waits_for_the_outcome_of_the_first_attempt;
    paused_orders_are_not_sent;
    moderated_orders_are_sent_when_approved;
    rejected_orders_are_retried_or_fail_over;
    requests_and_responses_of_external_panels_are_recorded;
    a_refill_is_requested_from_the_panel_and_polled;
    losses_are_refilled_automatically;
    staff_close_a_refill_that_no_external_panel_received;
    staff_close_a_refill_whose_panel_cannot_be_reached;
    a_loss_that_the_panel_reports_is_refilled_automatically;
    losses_are_measured_once_auto_refill_is_enabled;
}

/// The cost of an order of [`ShopWithPanels::place_order`], in millionths.
const ORDER_COST: i64 = 6_000_000;

fn cancel_path(id: OrderId) -> String {
    format!("/api/v1/admin/orders/{id}/cancel")
}

async fn an_order_is_placed_polled_and_completed(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.order_counts()),
        (vec!["Pending".to_owned()], vec![1])
    );
    shop.run_for_secs(60).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["current_quantity"].as_i64()),
        (Some("in_processing"), Some(300))
    );
    assert_eq!(order["external_order_start_count"], 3572);
    shop.run_for_secs(120).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["current_quantity"].as_i64()),
        (Some("completed"), Some(600))
    );
    assert_eq!((order["provider_cost"].as_str(), order["revenue"].as_str()), (Some("0.6"), Some("5.4")));
    assert_eq!(shop.fetch_attempts(id).await[0]["charge"], "0.6");
    let statistics_sql = Sql::new(
        "SELECT CAST(sum(quantity) AS BIGINT), CAST(sum(cost) AS BIGINT) FROM provider_statistics WHERE order_id = ?",
    );
    let quantity_and_cost: (i64, i64) =
        (&mut &shop.panel.app.db).fetch_one(statistics_sql.bind(id)).await.unwrap();
    assert_eq!(quantity_and_cost, (600, 600_000));
    let request_count = shop.fake_panels[0].requests().len();
    shop.run_for_secs(600).await;
    assert_eq!(shop.fake_panels[0].requests().len(), request_count, "a completed attempt must not be polled");
    shop.assert_healthy().await;
}

async fn the_undelivered_remainder_fails_over(dialect: Dialect) {
    let shop = ShopWithPanels::start(
        dialect,
        &[OrderBehavior::Partial(40), OrderBehavior::Canceled, OrderBehavior::Delivered],
    )
    .await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(600).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["current_quantity"].as_i64()),
        (Some("completed"), Some(600))
    );
    assert_eq!(shop.fetch_attempt_statuses(id).await, ["Partial", "Canceled", "Completed"]);
    let quantities: Vec<i64> = shop
        .fetch_attempts(id)
        .await
        .iter()
        .map(|attempt| attempt["initial_quantity"].as_i64().unwrap())
        .collect();
    assert_eq!(quantities, [600, 360, 360]);
    assert_eq!(order["provider_cost"], "0.6");
    assert_eq!(
        shop.panel.fetch_main_balance(1).await,
        CUSTOMER_DEPOSIT - ORDER_COST,
        "the customer must pay only once"
    );
    shop.assert_healthy().await;
}

/// The external panel delivers 40 % of 600 units and charges half of the known price. According to `remains`, it delivered 240
/// units; according to the charge, 120.
async fn the_charge_determines_the_delivered_quantity_if_the_external_panel_is_configured_so(
    dialect: Dialect,
) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Partial(40)]).await;
    shop.panel.execute(Sql::new("UPDATE providers SET source_price = source_price * 2")).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET statistic_type = 'charge'")).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(600).await;
    assert_eq!(shop.fetch_attempt_statuses(id).await, ["Partial"]);
    assert_eq!(shop.fetch_attempts(id).await[0]["remains"], 480);
    assert_eq!(shop.panel.fetch_order(id).await["current_quantity"], 120);
    // After an hour, the worker polls the attempt again. The response is the same, and staff get no alert.
    shop.run_for_secs(3_690).await;
    let count_alerts_sql = Sql::new(
        "SELECT count(*) FROM external_panel_orders WHERE alert_at IS NOT NULL OR last_error IS NOT NULL",
    );
    assert_eq!(shop.panel.fetch_number(count_alerts_sql).await, 0);
    shop.assert_healthy().await;
}

async fn orders_without_a_provider_are_counted(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Partial(40), OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(600).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["has_no_active_providers"].as_bool()),
        (Some("in_processing"), Some(true))
    );
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.order_counts()),
        (vec!["Partial".to_owned()], vec![1, 0])
    );
    shop.assert_healthy().await;
    // Staff change the provider. The worker sends the order to the new provider, and the order completes.
    let change_body = json!({ "order_ids": [id], "provider_id": 12 });
    assert_eq!(shop.panel.post("/api/v1/admin/orders/change-provider", &change_body).await.status, 200);
    shop.run_for_secs(600).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!(
        (order["status"].as_str(), order["has_no_active_providers"].as_bool()),
        (Some("completed"), Some(false))
    );
    shop.assert_healthy().await;
}

async fn staff_are_notified_once_of_an_order_without_a_provider(dialect: Dialect) {
    let shop =
        ShopWithPanels::start(dialect, &[OrderBehavior::Partial(40), OrderBehavior::Partial(20)]).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    let insert_recipient_sql = "INSERT INTO notification_recipients (audience, user_id) SELECT 'support', id FROM users WHERE email = 'owner@panel.test'";
    assert_eq!(shop.panel.execute(Sql::new(insert_recipient_sql)).await, 1);
    let id = shop.place_order(1).await;
    let count_audits_query = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'order.left_without_provider' AND auditable_id = ?",
    );
    let count_audits_sql = count_audits_query.bind(id);
    let count_emails_sql =
        Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE '%no active provider%'");
    shop.run_for_secs(600).await;
    assert_eq!(
        (
            shop.panel.fetch_number(count_audits_sql.clone()).await,
            shop.panel.fetch_number(count_emails_sql.clone()).await
        ),
        (1, 1)
    );
    // Later dispatch cycles send no second email.
    shop.panel.execute(Sql::new("UPDATE orders SET dispatch_at = 1")).await;
    shop.run_until_idle().await;
    assert_eq!(
        (
            shop.panel.fetch_number(count_audits_sql.clone()).await,
            shop.panel.fetch_number(count_emails_sql.clone()).await
        ),
        (1, 1)
    );
    // The order gets another provider, which also fails, so staff are notified again.
    let change_body = json!({ "order_ids": [id], "provider_id": 12 });
    assert_eq!(shop.panel.post("/api/v1/admin/orders/change-provider", &change_body).await.status, 200);
    shop.run_for_secs(600).await;
    assert_eq!(shop.fetch_attempt_statuses(id).await, ["Partial", "Partial"]);
    let has_no_provider = shop.panel.fetch_order(id).await["has_no_active_providers"].clone();
    let audit_and_email_counts =
        (shop.panel.fetch_number(count_audits_sql).await, shop.panel.fetch_number(count_emails_sql).await);
    assert_eq!((has_no_provider, audit_and_email_counts), (json!(true), (2, 2)));
    shop.assert_healthy().await;
}

async fn an_order_without_a_provider_refunds_the_undelivered_part(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Partial(40)]).await;
    shop.panel.execute(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(600).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("3.6")));
    assert_eq!(order["cancel_reason"], "provider_failure");
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 2_400_000);
    shop.panel.execute(Sql::new("UPDATE services SET no_refund = TRUE")).await;
    let unrefunded_order_id = shop.place_order(2).await;
    shop.run_for_secs(600).await;
    let order = shop.panel.fetch_order(unrefunded_order_id).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("0")));
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 8_400_000);
    shop.assert_healthy().await;
}

async fn a_canceled_order_is_canceled_at_the_panel_and_refunded_once(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(90).await;
    assert_eq!(shop.panel.post(&cancel_path(id), &json!({ "return_money": true })).await.status, 200);
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 3_000_000);
    shop.run_until_idle().await;
    shop.run_for_secs(600).await;
    assert_eq!(shop.fetch_attempt_statuses(id).await, ["Canceled"]);
    let cancel_count =
        shop.fake_panels[0].requests().iter().filter(|request| request["action"] == "cancel").count();
    assert_eq!(cancel_count, 1);
    let order = shop.panel.fetch_order(id).await;
    assert_eq!((order["status"].as_str(), order["provider_cost"].as_str()), (Some("canceled"), Some("0.3")));
    assert_eq!(
        shop.panel.fetch_main_balance(1).await,
        CUSTOMER_DEPOSIT - 3_000_000,
        "the final status of the external order must not cause a second refund"
    );
    // The worker never sends an order that was canceled before.
    let unsent_order_id = shop.place_order(2).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    assert_eq!(shop.panel.post(&cancel_path(unsent_order_id), &json!({})).await.status, 200);
    shop.run_for_secs(60).await;
    assert_eq!(
        (shop.fetch_attempt_statuses(unsent_order_id).await, shop.order_counts()),
        (vec!["Canceled".to_owned()], vec![1])
    );
    shop.assert_healthy().await;
}

async fn a_new_provider_waits_for_the_outcome_of_the_first_attempt(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck, OrderBehavior::Delivered]).await;
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    shop.set_behavior(0, FakeBehavior::BadGateway);
    let change_body = json!({ "order_ids": [id], "provider_id": 12 });
    assert_eq!(shop.panel.post("/api/v1/admin/orders/change-provider", &change_body).await.status, 200);
    shop.run_for_secs(120).await;
    assert_eq!(
        shop.order_counts(),
        [1, 0],
        "the second provider must wait for the outcome of the first attempt"
    );
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.run_for_secs(900).await;
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.order_counts()),
        (vec!["Canceled".to_owned(), "Completed".into()], vec![1, 1])
    );
    assert_eq!(shop.panel.fetch_order(id).await["status"], "completed");
    shop.assert_healthy().await;
}

async fn paused_orders_are_not_sent(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.place_order(1).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    let action_path = |action: &str| format!("/api/v1/admin/orders/{id}/{action}");
    assert_eq!(shop.panel.post(&action_path("pause"), &json!({})).await.status, 200);
    shop.run_for_secs(300).await;
    assert_eq!(
        (shop.order_counts(), shop.fetch_attempt_statuses(id).await),
        (vec![0], vec!["Creating".to_owned()])
    );
    assert_eq!(shop.panel.post(&action_path("activate"), &json!({})).await.status, 200);
    shop.run_for_secs(300).await;
    assert_eq!(
        (shop.order_counts(), shop.panel.fetch_order(id).await["status"].clone()),
        (vec![1], json!("completed"))
    );
    shop.assert_healthy().await;
}

async fn moderated_orders_are_sent_when_approved(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel
        .execute(
            Sql::new("UPDATE services SET moderation_is_enabled = TRUE WHERE id = ?").bind(PLAIN_SERVICE),
        )
        .await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(60).await;
    assert!(shop.fetch_attempts(id).await.is_empty());
    assert_eq!(shop.panel.post(&format!("/api/v1/admin/orders/{id}/approve"), &json!({})).await.status, 200);
    shop.run_until_idle().await;
    assert_eq!(
        (shop.order_counts(), shop.fetch_attempt_statuses(id).await),
        (vec![1], vec!["Pending".to_owned()])
    );
    shop.assert_healthy().await;
}

async fn rejected_orders_are_retried_or_fail_over(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    shop.fake_panels[0].state().balance.0 = 100_000;
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_attempt_statuses(id).await, ["Creating"]);
    assert_eq!(shop.fetch_attempts(id).await[0]["last_error"], "neworder.error.not_enough_funds");
    shop.fake_panels[0].state().balance.0 = 1_000_000;
    shop.run_for_secs(30).await;
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.order_counts()),
        (vec!["Pending".to_owned()], vec![1, 0]),
        "the attempt must be sent again"
    );
    // If the external panel deleted the service, the order fails over to the next provider without a retry.
    shop.fake_panels[0].state().services.clear();
    let other_order_id = shop.place_order(2).await;
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_attempt_statuses(other_order_id).await, ["Canceled", "Pending"]);
    assert_eq!(shop.fetch_attempts(other_order_id).await[0]["last_error"], "error.incorrect_service_id");
    // If the balance at the external panel stays too low, the order fails over after some hours.
    shop.fake_panels[0]
        .state()
        .add_service(FAKE_SERVICE_ID, panel_demo::panel::state::FakeService::with_name("Likes"));
    shop.fake_panels[0].state().balance.0 = 0;
    let unaffordable_order_id = shop.place_order(3).await;
    shop.run_for_secs(6 * 3_600).await;
    assert_eq!(shop.fetch_attempt_statuses(unaffordable_order_id).await, ["Canceled", "Completed"]);
    shop.assert_healthy().await;
}

async fn requests_and_responses_of_external_panels_are_recorded(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(90).await;
    let count_recorded_sql = Sql::new("SELECT count(*) FROM external_panel_orders WHERE order_id = ? AND last_request LIKE '%video.example%'
        AND last_response LIKE '%In progress%' AND last_request NOT LIKE ? AND last_response NOT LIKE ?");
    let key_pattern = format!("%{}%", crate::shop_with_panels::FAKE_PANEL_KEY);
    assert_eq!(
        shop.panel
            .fetch_number(count_recorded_sql.bind(id).bind(key_pattern.clone()).bind(key_pattern))
            .await,
        1
    );
    shop.set_behavior(0, FakeBehavior::UnknownStatuses);
    shop.run_for_secs(60).await;
    let attempt = shop.fetch_attempts(id).await[0].clone();
    assert_eq!(
        (attempt["status"].as_str(), attempt["remains"].as_i64()),
        (Some("In progress"), Some(300)),
        "an unreadable response must change nothing"
    );
    assert!(attempt["last_error"].as_str().unwrap().contains("(auto)"));
    shop.set_behavior(0, FakeBehavior::JsonNumbers);
    shop.run_for_secs(600).await;
    assert_eq!(shop.panel.fetch_order(id).await["status"], "completed");
    shop.assert_healthy().await;
}

async fn a_refill_is_requested_from_the_panel_and_polled(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(300).await;
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    assert_eq!(shop.panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    let fetch_status = async || shop.panel.get(&path).await.json()["data"][0]["status"].clone();
    assert_eq!(fetch_status().await, "pending");
    shop.run_until_idle().await;
    assert_eq!(fetch_status().await, "sent");
    shop.run_for_secs(1_800).await;
    assert_eq!(fetch_status().await, "completed");
    let refill_count =
        shop.fake_panels[0].requests().iter().filter(|request| request["action"] == "refill").count();
    assert_eq!(refill_count, 1);
    let refilled_quantity_sql =
        Sql::new("SELECT order_current_refilled_quantity FROM orders WHERE id = ?").bind(id);
    assert_eq!(shop.panel.fetch_number(refilled_quantity_sql).await, 50);
    shop.assert_healthy().await;
}

async fn staff_close_a_refill_that_no_external_panel_received(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel
        .execute(Sql::new("UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE"))
        .await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(300).await;
    let fetch_loss_and_refilled_quantity = async || {
        let sql = Sql::new("SELECT drop_quantity, order_current_refilled_quantity FROM orders WHERE id = ?");
        (&mut &shop.panel.app.db).fetch_one::<(i64, i64)>(sql.bind(id)).await.unwrap()
    };
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    let fetch_newest_request = async || shop.panel.get(&path).await.json()["data"][0].clone();
    shop.panel.execute(Sql::new("UPDATE orders SET drop_quantity = 60 WHERE id = ?").bind(id)).await;
    shop.panel
        .execute(Sql::new("UPDATE external_panel_orders SET status = 'Canceled' WHERE order_id = ?").bind(id))
        .await;
    shop.panel.clock.advance_secs(90_000);
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    shop.run_until_idle().await;
    let request = fetch_newest_request().await;
    assert_eq!(
        (&request["status"], &request["closable"], &request["last_error"]),
        (&json!("pending"), &json!(true), &json!("No panel has this order: refill it by hand."))
    );
    let close_request = async |request: &Value, action: &str| {
        shop.panel.post(&format!("{path}/{}/{action}", request["id"]), &json!({})).await
    };
    assert_eq!(close_request(&request, "reject").await.json()["data"]["status"], "rejected");
    assert_eq!(
        fetch_loss_and_refilled_quantity().await,
        (60, 0),
        "a rejected refill must not change the loss"
    );
    assert_eq!(
        close_request(&request, "complete").await.status_and_code(),
        (409, "refill_request_not_closable".into())
    );
    // A rejected refill does not prevent a later one.
    shop.panel.clock.advance_secs(90_000);
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    let request = fetch_newest_request().await;
    assert_eq!(close_request(&request, "complete").await.json()["data"]["closable"], json!(false));
    assert_eq!(
        fetch_loss_and_refilled_quantity().await,
        (0, 60),
        "the completed refill must count as 60 refilled units"
    );
    // Staff cannot close a refill that the external panel received: the status of the external panel closes it.
    shop.panel
        .execute(
            Sql::new("UPDATE external_panel_orders SET status = 'Completed' WHERE order_id = ?").bind(id),
        )
        .await;
    assert_eq!(shop.panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    shop.run_until_idle().await;
    let request = fetch_newest_request().await;
    assert_eq!((&request["status"], &request["closable"]), (&json!("sent"), &json!(false)));
    assert_eq!(
        close_request(&request, "reject").await.status_and_code(),
        (409, "refill_request_not_closable".into())
    );
    let response = shop.panel.post(&format!("{path}/99999/reject"), &json!({})).await;
    assert_eq!(response.status, 404);
    let count_audits_sql =
        "SELECT count(*) FROM audits WHERE event IN ('order.refill_completed', 'order.refill_rejected')";
    assert_eq!(shop.panel.fetch_number(Sql::new(count_audits_sql)).await, 2);
    shop.assert_healthy().await;
}

async fn losses_are_refilled_automatically(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel
        .execute(Sql::new(
            "UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE, auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000",
        ))
        .await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(300).await;
    let set_loss_sql =
        |loss: i64| Sql::new("UPDATE orders SET drop_quantity = ? WHERE id = ?").bind(loss).bind(id);
    shop.panel.execute(set_loss_sql(29)).await;
    shop.panel.clock.advance_secs(4_000);
    assert_eq!(
        dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(),
        0,
        "a loss of less than 5 percent must not be refilled"
    );
    shop.panel.execute(set_loss_sql(60)).await;
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    assert_eq!(
        dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(),
        0,
        "each loss must have only one refill request"
    );
    shop.run_for_secs(1_800).await;
    let loss_and_refilled_sql =
        Sql::new("SELECT drop_quantity, order_current_refilled_quantity FROM orders WHERE id = ?").bind(id);
    let loss_and_refilled: (i64, i64) =
        (&mut &shop.panel.app.db).fetch_one(loss_and_refilled_sql).await.unwrap();
    assert_eq!(loss_and_refilled, (0, 60));
    shop.assert_healthy().await;
}

async fn losses_are_measured_once_auto_refill_is_enabled(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(300).await;
    assert_eq!(shop.panel.fetch_order(id).await["status"], "completed");
    let count_due_attempts = async || {
        let sql =
            Sql::new("SELECT count(*) FROM external_panel_orders WHERE due_at IS NOT NULL AND order_id = ?");
        shop.panel.fetch_number(sql.bind(id)).await
    };
    let body_for = |is_allowed: bool| json!({ "auto_refill_is_allowed": is_allowed });
    let single_path = format!("/api/v1/admin/orders/{id}/set-auto-refill-is-allowed");
    let params_path = format!("/api/v1/admin/orders/{id}/auto-refill-params");
    for (method, path) in [("POST", &single_path), ("PATCH", &params_path)] {
        shop.panel.execute(Sql::new("UPDATE external_panel_orders SET due_at = NULL")).await;
        assert_eq!(shop.panel.send("owner", method, path, &body_for(false), None).await.status, 200);
        assert_eq!(count_due_attempts().await, 0, "{method}");
        assert_eq!(shop.panel.send("owner", method, path, &body_for(true), None).await.status, 200);
        assert_eq!(count_due_attempts().await, 1, "{method}");
    }
    shop.assert_healthy().await;
}

async fn staff_close_a_refill_whose_panel_cannot_be_reached(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    shop.panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(300).await;
    shop.panel.execute(Sql::new("UPDATE external_panels SET endpoint = 'http://127.0.0.1:1'")).await;
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    assert_eq!(shop.panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    shop.run_until_idle().await;
    let request = shop.panel.get(&path).await.json()["data"][0].clone();
    assert_eq!((&request["status"], &request["closable"]), (&json!("pending"), &json!(true)), "{request}");
    let close_response = shop.panel.post(&format!("{path}/{}/complete", request["id"]), &json!({})).await;
    assert_eq!(
        (close_response.status.as_u16(), &close_response.json()["data"]["status"]),
        (200, &json!("completed"))
    );
}

async fn a_loss_that_the_panel_reports_is_refilled_automatically(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let enable_auto_refill_sql = "UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE, auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000";
    shop.panel.execute(Sql::new(enable_auto_refill_sql)).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(300).await;
    assert_eq!(shop.panel.fetch_order(id).await["status"], "completed");
    let fetch_loss = async || {
        shop.panel.fetch_number(Sql::new("SELECT drop_quantity FROM orders WHERE id = ?").bind(id)).await
    };
    let first_count = json!(START_COUNT + 600);
    // The loss occurs before the first poll after the completion.
    for order in shop.fake_panels[0].state().orders.values_mut() {
        order.set_lost_units(90);
    }
    shop.panel.execute(Sql::new("UPDATE external_panels SET statistic_type = 'charge'")).await;
    shop.run_for_secs(4_000).await;
    assert_eq!(
        (shop.panel.fetch_order(id).await["refill"]["first"].clone(), fetch_loss().await),
        (json!(null), 0)
    );
    shop.panel.execute(Sql::new("UPDATE external_panels SET statistic_type = 'remains'")).await;
    shop.run_for_secs(86_400).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!(
        (&order["refill"]["first"]["quantity"], &order["refill"]["last"]["quantity"], fetch_loss().await),
        (&first_count, &json!(START_COUNT + 510), 90)
    );
    let params_path = format!("/api/v1/admin/orders/{id}/auto-refill-params");
    assert_eq!(
        shop.panel.send("owner", "PATCH", &params_path, &json!({ "refill_quantity": 89 }), None).await.status,
        200
    );
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    let requested_quantity_sql =
        Sql::new("SELECT quantity FROM order_refill_requests WHERE order_id = ?").bind(id);
    let next_quantity = shop.panel.get(&params_path).await.json()["data"]["refill_quantity"].clone();
    assert_eq!(
        (shop.panel.fetch_number(requested_quantity_sql).await, next_quantity),
        (89, json!(0)),
        "the quantity that staff set must apply to one refill only"
    );
    shop.run_for_secs(3_600).await;
    shop.run_for_secs(4 * 86_400).await;
    assert_eq!(
        (fetch_loss().await, shop.panel.fetch_order(id).await["refill"]["last"]["quantity"].clone()),
        (0, first_count)
    );
    assert_eq!(
        dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(),
        0,
        "a refilled loss must not be refilled again"
    );
    shop.assert_healthy().await;
}
