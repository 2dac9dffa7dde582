//! Tests cancel requests of customers: the server refunds an unsent order at once. For a sent order the provider decides, and staff
//! decide if the provider does not. No refund exceeds the undelivered part of an order.

use panel_contract::amount::Money;
use panel_contract::ids::{CancelRequestId, OrderId};
use panel_demo::panel::state::{CancelBehavior, OrderBehavior};
use panel_demo::panel::{FakeBehavior, FixedReply};
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::cancel_requests::store;
use panel_server::supply::dispatch;
use serde_json::{Value, json};

use crate::placing_orders::send_reseller_request;
use crate::shop::{CUSTOMER_DEPOSIT, PLAIN_SERVICE};
use crate::shop_with_panels::{FAKE_SERVICE_ID, ShopWithPanels};

test_both_databases! {
    an_unsent_order_is_refunded_at_once;
    a_sent_order_is_refunded_when_the_provider_has_canceled_it;
    deliveries_after_the_provider_accepts_reduce_the_refund;
    staff_decide_and_refund_after_the_provider_rejects;
    staff_decide_when_the_provider_does_not_answer_in_time;
    staff_decide_when_the_provider_accepts_but_does_not_cancel;
    a_request_that_the_provider_ignores_expires_with_the_completed_order;
    an_order_with_an_open_request_stays_at_its_provider;
    an_order_continues_after_staff_reject_its_request;
    staff_decide_for_panels_without_cancel_and_manual_providers;
    an_unknown_attempt_is_not_refunded;
    staff_decide_many_requests_at_once;
    a_request_that_was_not_sent_does_not_count_as_a_try;
    random_cancels_never_refund_delivered_units;
}

/// The cost of an order of [`ShopWithPanels::place_order`], in millionths.
const ORDER_COST: i64 = 6_000_000;
const CANCEL_REQUESTS: &str = "/api/v1/admin/order-cancel-requests";

/// Starts a shop whose external panels deliver 60 units per minute and whose services allow customers to cancel. Returns it with
/// the API key of customer 1.
pub(crate) async fn start_shop(dialect: Dialect, panel_count: usize) -> (ShopWithPanels, String) {
    let shop = ShopWithPanels::start(dialect, &vec![OrderBehavior::Delivered; panel_count]).await;
    shop.panel
        .execute(Sql::new("UPDATE services SET api_access = TRUE, cancel_by_client_is_allowed = TRUE"))
        .await;
    for fake in &shop.fake_panels {
        fake.state().services.get_mut(&FAKE_SERVICE_ID).unwrap().units_per_minute = 60;
    }
    let response = shop.panel.send("owner", "POST", "/api/v1/admin/users/1/api-key", &json!({}), None).await;
    let key = response.json()["data"]["key"].as_str().unwrap().to_owned();
    (shop, key)
}

pub(crate) fn set_cancel_behavior(shop: &ShopWithPanels, panel_index: usize, behavior: CancelBehavior) {
    shop.fake_panels[panel_index].state().services.get_mut(&FAKE_SERVICE_ID).unwrap().cancel_behavior =
        behavior;
}

/// Sends a cancel request through the reseller API and asserts that the server accepts it.
pub(crate) async fn request_cancel(shop: &ShopWithPanels, key: &str, order: OrderId) {
    let response = send_reseller_request(&shop.panel, key, &format!("action=cancel&orders={order}")).await;
    assert_eq!(response, json!([{ "order": order, "cancel": 1 }]));
}

async fn fetch_order_status(shop: &ShopWithPanels, key: &str, order: OrderId) -> Value {
    send_reseller_request(&shop.panel, key, &format!("action=status&order={order}")).await
}

async fn a_request_that_was_not_sent_does_not_count_as_a_try(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    let order = shop.place_order(1).await;
    shop.run_until_idle().await;
    request_cancel(&shop, &key, order).await;
    let app = &shop.panel.app;
    let load_tries =
        async || shop.panel.fetch_number(Sql::new("SELECT tries FROM order_cancel_requests")).await;
    let id = CancelRequestId::new(fetch_latest_request(&shop).await["id"].as_i64().unwrap());
    // The request is due now. `due_at` also identifies the lease, so both arguments are `now`.
    let now = app.clock.now();
    assert_eq!(store::mark_sent(&app.db, (&[id], now), now).await.unwrap(), [id]);
    assert_eq!((fetch_latest_request(&shop).await["status"].clone(), load_tries().await), (json!("sent"), 1));
    store::unmark_sent(&mut &app.db, (id, now), now).await.unwrap().ignore_superseded();
    let request = fetch_latest_request(&shop).await;
    assert_eq!(
        (&request["status"], &request["sent_at"], load_tries().await),
        (&json!("requested"), &json!(null), 0)
    );
    // After two attempts, of which one is undone, the request stays sent because the other attempt was sent.
    for _ in 0..2 {
        store::mark_sent(&app.db, (&[id], now), now).await.unwrap();
    }
    store::unmark_sent(&mut &app.db, (id, now), now).await.unwrap().ignore_superseded();
    assert_eq!((fetch_latest_request(&shop).await["status"].clone(), load_tries().await), (json!("sent"), 1));
}

/// The newest cancel request in the admin list.
async fn fetch_latest_request(shop: &ShopWithPanels) -> Value {
    let response = shop.panel.get(&format!("{CANCEL_REQUESTS}?draw=1&length=1")).await;
    assert_eq!(response.status, 200, "{}", response.text);
    response.json()["data"][0].clone()
}

async fn fetch_waiting_count(shop: &ShopWithPanels) -> i64 {
    let page = shop.panel.get(&format!("{CANCEL_REQUESTS}?waiting=1")).await.json();
    page["recordsTotal"].as_i64().unwrap()
}

async fn fetch_balance(shop: &ShopWithPanels) -> i64 {
    shop.panel.fetch_main_balance(1).await
}

/// Places an order of 600 units for 6.00, sends it to its provider, and advances the clock by `seconds`.
pub(crate) async fn place_and_send(shop: &ShopWithPanels, url_number: u32, seconds: i64) -> OrderId {
    let order = shop.place_order(url_number).await;
    shop.run_until_idle().await;
    shop.run_for_secs(seconds).await;
    order
}

async fn an_unsent_order_is_refunded_at_once(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    let order = shop.place_order(1).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    request_cancel(&shop, &key, order).await;
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT);
    let response = fetch_order_status(&shop, &key, order).await;
    assert_eq!((&response["status"], &response["cancel_status"]), (&json!("Canceled"), &json!("confirmed")));
    shop.run_for_secs(120).await;
    assert_eq!(shop.order_counts(), [0], "the order must not be sent");
    let request = fetch_latest_request(&shop).await;
    assert_eq!((request["refunded"].as_str(), request["sent_at"].is_null()), (Some("6"), true));
    let repeated_response =
        send_reseller_request(&shop.panel, &key, &format!("action=cancel&orders={order}")).await;
    assert!(
        repeated_response[0]["cancel"]["error"].as_str().unwrap().contains("canceled"),
        "{repeated_response}"
    );
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT);
    shop.assert_healthy().await;
}

async fn a_sent_order_is_refunded_when_the_provider_has_canceled_it(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    assert_eq!(
        fetch_balance(&shop).await,
        CUSTOMER_DEPOSIT - ORDER_COST,
        "a refund was posted before the provider canceled the order"
    );
    let response = fetch_order_status(&shop, &key, order).await;
    assert_eq!(
        (&response["status"], &response["cancel_status"]),
        (&json!("In progress"), &json!("requested"))
    );
    shop.run_until_idle().await;
    let response = fetch_order_status(&shop, &key, order).await;
    assert_eq!((&response["status"], &response["cancel_status"]), (&json!("Partial"), &json!("confirmed")));
    assert_eq!(shop.fetch_attempt_statuses(order).await, ["Canceled"]);
    // The provider delivered 60 of 600 units.
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - 600_000);
    let cancel_request_count =
        shop.fake_panels[0].requests().iter().filter(|request| request["action"] == "cancel").count();
    assert_eq!(cancel_request_count, 1);
    let request = fetch_latest_request(&shop).await;
    assert_eq!((request["refunded"].as_str(), request["provider"]["id"].as_i64()), (Some("5.4"), Some(11)));
    assert_eq!(shop.panel.fetch_order(order).await["cancel_reason"], "customer_request");
    assert_eq!(fetch_waiting_count(&shop).await, 0);
    shop.run_for_secs(3_600).await;
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - 600_000, "the refund must be posted once");
    shop.assert_healthy().await;
}

async fn deliveries_after_the_provider_accepts_reduce_the_refund(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::StopsAfterSecs(120));
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    shop.run_until_idle().await;
    let response = fetch_order_status(&shop, &key, order).await;
    assert_eq!((&response["status"], &response["cancel_status"]), (&json!("In progress"), &json!("sent")));
    assert_eq!(
        fetch_balance(&shop).await,
        CUSTOMER_DEPOSIT - ORDER_COST,
        "the provider's acceptance alone must not cause a refund"
    );
    shop.run_for_secs(600).await;
    // The provider delivered 120 more units after it accepted the cancel request.
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - 1_800_000);
    assert_eq!(fetch_order_status(&shop, &key, order).await["cancel_status"], "confirmed");
    shop.assert_healthy().await;
}

async fn staff_decide_and_refund_after_the_provider_rejects(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    shop.panel.execute(Sql::new("INSERT INTO notification_recipients (audience, user_id) SELECT 'support', id FROM users WHERE email = 'owner@panel.test'")).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::Rejects);
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    shop.run_until_idle().await;
    let request = fetch_latest_request(&shop).await;
    assert_eq!(
        (request["status"].as_str(), request["cause"].as_str()),
        (Some("sent"), Some("provider_rejected"))
    );
    assert_eq!(request["provider_response"], "Order cannot be canceled");
    assert_eq!((request["refunded"].as_str(), fetch_waiting_count(&shop).await), (Some("5.4"), 1));
    let count_emails_sql =
        Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE '%cancel request%'");
    assert_eq!(shop.panel.fetch_number(count_emails_sql).await, 1, "staff must get one email");
    let response = fetch_order_status(&shop, &key, order).await;
    assert_eq!((&response["status"], &response["cancel_status"]), (&json!("In progress"), &json!("sent")));
    let path = format!("{CANCEL_REQUESTS}/{}/confirm", request["id"]);
    let dry_run = shop.panel.post(&format!("{path}?dry_run=1"), &json!({})).await.json();
    assert_eq!(
        (dry_run["data"]["status"].as_str(), dry_run["data"]["refunded"].as_str()),
        (Some("confirmed"), Some("5.4"))
    );
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - ORDER_COST);
    assert_eq!(shop.panel.post(&path, &json!({ "amount": "9" })).await.status, 422);
    let decided_request = shop.panel.post(&path, &json!({ "amount": "1.5" })).await.json()["data"].clone();
    assert_eq!(
        (decided_request["status"].as_str(), decided_request["refunded"].as_str()),
        (Some("confirmed"), Some("1.5"))
    );
    assert_eq!(decided_request["decided_by"]["name"], "owner");
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - 4_500_000);
    let repeated_response = shop.panel.post(&path, &json!({})).await;
    assert_eq!(
        (repeated_response.status.as_u16(), repeated_response.json()["code"].as_str()),
        (409, Some("cancel_request_not_open"))
    );
    shop.run_for_secs(900).await;
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - 4_500_000);
    shop.assert_healthy().await;
}

async fn staff_decide_when_the_provider_does_not_answer_in_time(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    shop.panel
        .execute(Sql::new(
            "INSERT INTO settings (key, value, updated_at) VALUES ('cancel_request_hours', '2', 1)",
        ))
        .await;
    shop.fake_panels[0].state().services.get_mut(&FAKE_SERVICE_ID).unwrap().behavior = OrderBehavior::Stuck;
    let order = place_and_send(&shop, 1, 60).await;
    shop.set_behavior(0, FakeBehavior::BadGateway);
    request_cancel(&shop, &key, order).await;
    shop.run_for_secs(7_100).await;
    assert_eq!(
        (fetch_latest_request(&shop).await["status"].as_str(), fetch_waiting_count(&shop).await),
        (Some("sent"), 0)
    );
    let cancel_request_count =
        shop.fake_panels[0].requests().iter().filter(|request| request["action"] == "cancel").count();
    assert!(
        (3..40).contains(&cancel_request_count),
        "{cancel_request_count} requests were sent, but they must repeat with backoff"
    );
    shop.run_for_secs(300).await;
    let request = fetch_latest_request(&shop).await;
    assert_eq!((request["cause"].as_str(), fetch_waiting_count(&shop).await), (Some("no_answer"), 1));
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - ORDER_COST);
    // Later the provider cancels the order without a request. That confirms the cancel request.
    shop.set_behavior(0, FakeBehavior::Correct);
    let external_id = shop.fake_panels[0].state().orders.keys().copied().next().unwrap();
    shop.fake_panels[0].state().orders.get_mut(&external_id).unwrap().set_behavior(OrderBehavior::Canceled);
    shop.run_for_secs(900).await;
    assert_eq!(
        (fetch_latest_request(&shop).await["status"].as_str(), fetch_balance(&shop).await),
        (Some("confirmed"), CUSTOMER_DEPOSIT)
    );
    shop.assert_healthy().await;
}

async fn staff_decide_when_the_provider_accepts_but_does_not_cancel(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::StopsAfterSecs(400_000));
    shop.fake_panels[0].state().services.get_mut(&FAKE_SERVICE_ID).unwrap().behavior = OrderBehavior::Stuck;
    let order = place_and_send(&shop, 1, 60).await;
    request_cancel(&shop, &key, order).await;
    shop.run_for_secs(86_000).await;
    assert_eq!(fetch_waiting_count(&shop).await, 0);
    shop.run_for_secs(600).await;
    assert_eq!(
        (fetch_latest_request(&shop).await["cause"].as_str(), fetch_waiting_count(&shop).await),
        (Some("not_ended"), 1)
    );
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - ORDER_COST);
    shop.assert_healthy().await;
}

async fn a_request_that_the_provider_ignores_expires_with_the_completed_order(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::ConfirmsWithoutStopping);
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    shop.run_for_secs(1_200).await;
    let response = fetch_order_status(&shop, &key, order).await;
    assert_eq!((&response["status"], &response["cancel_status"]), (&json!("Completed"), &json!("expired")));
    assert_eq!(
        (fetch_balance(&shop).await, fetch_waiting_count(&shop).await),
        (CUSTOMER_DEPOSIT - ORDER_COST, 0)
    );
    shop.assert_healthy().await;
}

async fn an_order_with_an_open_request_stays_at_its_provider(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 2).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::Rejects);
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    let repeated_response =
        send_reseller_request(&shop.panel, &key, &format!("action=cancel&orders={order}")).await;
    assert_eq!(repeated_response[0]["cancel"]["error"], "Cancel is already requested");
    shop.run_until_idle().await;
    let change_body = json!({ "order_ids": [order], "provider_id": 12 });
    let change_response = shop.panel.post("/api/v1/admin/orders/change-provider", &change_body).await;
    assert_eq!(change_response.status, 422);
    assert!(change_response.text.contains("requested to cancel"), "{}", change_response.text);
    // The undelivered part does not fail over to the next provider; the customer gets a refund.
    let external_id = shop.fake_panels[0].state().orders.keys().copied().next().unwrap();
    shop.fake_panels[0]
        .state()
        .orders
        .get_mut(&external_id)
        .unwrap()
        .set_behavior(OrderBehavior::Partial(40));
    shop.run_for_secs(900).await;
    assert_eq!(
        (shop.order_counts(), shop.fetch_attempt_statuses(order).await),
        (vec![1, 0], vec!["Partial".to_owned()])
    );
    assert_eq!(
        (fetch_latest_request(&shop).await["status"].as_str(), fetch_balance(&shop).await),
        (Some("confirmed"), CUSTOMER_DEPOSIT - 2_400_000)
    );
    // If staff cancel an order themselves, the server confirms its open request.
    set_cancel_behavior(&shop, 0, CancelBehavior::Rejects);
    let second_order = place_and_send(&shop, 2, 90).await;
    request_cancel(&shop, &key, second_order).await;
    let path = format!("/api/v1/admin/orders/{second_order}/cancel");
    assert_eq!(shop.panel.post(&path, &json!({ "return_money": true })).await.status, 200);
    let request = fetch_latest_request(&shop).await;
    assert_eq!((request["status"].as_str(), request["refunded"].as_str()), (Some("confirmed"), Some("5.4")));
    shop.assert_healthy().await;
}

async fn an_order_continues_after_staff_reject_its_request(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::Rejects);
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    shop.run_until_idle().await;
    let path = format!("{CANCEL_REQUESTS}/{}/reject", fetch_latest_request(&shop).await["id"]);
    let decision_response = shop.panel.post(&path, &json!({})).await;
    assert_eq!(
        (decision_response.status.as_u16(), decision_response.json()["data"]["status"].as_str()),
        (200, Some("rejected"))
    );
    assert_eq!(fetch_order_status(&shop, &key, order).await["cancel_status"], "rejected");
    assert_eq!(shop.panel.post(&path, &json!({})).await.status, 409);
    shop.run_for_secs(1_200).await;
    assert_eq!(shop.panel.fetch_order(order).await["status"], "completed");
    assert_eq!(
        (fetch_latest_request(&shop).await["status"].as_str(), fetch_balance(&shop).await),
        (Some("rejected"), CUSTOMER_DEPOSIT - ORDER_COST)
    );
    shop.assert_healthy().await;
}

async fn staff_decide_for_panels_without_cancel_and_manual_providers(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    let insert_panel_service_sql = "INSERT INTO external_panel_services (external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity,
        refill, cancel, created_at, updated_at) VALUES (1, '7', 'Likes', 'Default', 'All', 1, 1000, 1, 1000, FALSE, FALSE, 1, 1)";
    shop.panel.execute(Sql::new(insert_panel_service_sql)).await;
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    assert_eq!(fetch_latest_request(&shop).await["cause"], "not_supported");
    shop.run_until_idle().await;
    assert!(
        shop.fake_panels[0].requests().iter().all(|request| request["action"] != "cancel"),
        "no cancel request must be sent"
    );
    let moved_order = place_and_send(&shop, 2, 30).await;
    let change_body = json!({ "order_ids": [moved_order], "provider_id": 1 });
    assert_eq!(shop.panel.post("/api/v1/admin/orders/change-provider", &change_body).await.status, 200);
    shop.run_until_idle().await;
    request_cancel(&shop, &key, moved_order).await;
    assert_eq!(fetch_latest_request(&shop).await["cause"], "by_hand");
    assert_eq!(
        (fetch_waiting_count(&shop).await, fetch_balance(&shop).await),
        (2, CUSTOMER_DEPOSIT - 2 * ORDER_COST)
    );
    shop.assert_healthy().await;
}

async fn an_unknown_attempt_is_not_refunded(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    place_and_send(&shop, 8, 60).await;
    let lost_reply = FixedReply { accepts_order: true, status: 500, body: String::new() };
    shop.fake_panels[0].set_reply("https://video.example/1", lost_reply);
    let order = place_and_send(&shop, 1, 0).await;
    request_cancel(&shop, &key, order).await;
    shop.run_until_idle().await;
    assert_eq!(fetch_order_status(&shop, &key, order).await["cancel_status"], "requested");
    assert_eq!(
        fetch_balance(&shop).await,
        CUSTOMER_DEPOSIT - 2 * ORDER_COST,
        "no refund is possible, because the external panel may have the order"
    );
    // Reconciliation finds the external order between two others; it is canceled, and its delivered units stay charged.
    place_and_send(&shop, 9, 0).await;
    shop.run_for_secs(900).await;
    assert_eq!(fetch_order_status(&shop, &key, order).await["cancel_status"], "confirmed");
    let now = shop.panel.app.clock.now();
    let delivered_count = shop.fake_panels[0].state().delivered_quantity("https://video.example/1", now);
    assert!(delivered_count > 0);
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - 2 * ORDER_COST - delivered_count * 10_000);
    shop.assert_healthy().await;
}

async fn staff_decide_many_requests_at_once(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 1).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::Rejects);
    let mut orders = Vec::new();
    for n in 1..=4 {
        orders.push(place_and_send(&shop, n, 0).await);
    }
    shop.run_for_secs(90).await;
    for order in &orders {
        request_cancel(&shop, &key, *order).await;
    }
    shop.run_until_idle().await;
    let canceled_ids: Vec<String> = shop.fake_panels[0]
        .requests()
        .iter()
        .filter(|request| request["action"] == "cancel")
        .map(|request| request["orders"].clone())
        .collect();
    assert_eq!(
        (canceled_ids.len(), canceled_ids[0].split(',').count()),
        (1, 4),
        "one HTTP request must cancel all orders: {canceled_ids:?}"
    );
    let ids = shop
        .panel
        .get(&format!("{CANCEL_REQUESTS}?order[0][column]=0&order[0][dir]=asc&columns[0][data]=id"))
        .await
        .json();
    let ids: Vec<i64> =
        ids["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
    let rejection = shop
        .panel
        .post(&format!("{CANCEL_REQUESTS}/reject"), &json!({ "ids": [ids[3], 999, ids[3]] }))
        .await
        .json();
    assert_eq!((&rejection["processed"], &rejection["skipped"][0]["code"]), (&json!(1), &json!("not_found")));
    assert_eq!((&rejection["totals"]["services"], &rejection["totals"]["customers"]), (&json!(1), &json!(1)));
    let failed_response =
        shop.panel.post(&format!("{CANCEL_REQUESTS}/reject"), &json!({ "ids": [ids[3], 999] })).await;
    assert_eq!(
        (failed_response.status.as_u16(), &failed_response.json()["code"]),
        (422, &json!("nothing_processed"))
    );
    let skipped_requests: Vec<(i64, String)> = failed_response.json()["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skip| (skip["id"].as_i64().unwrap(), skip["code"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(
        skipped_requests,
        [(ids[3], "cancel_request_not_open".to_owned()), (999, "not_found".to_owned())]
    );
    let path = format!("{CANCEL_REQUESTS}/confirm");
    let dry_run = shop.panel.post(&format!("{path}?dry_run=1"), &json!({ "ids": ids })).await.json();
    assert_eq!(
        (dry_run["processed"].as_i64(), dry_run["totals"]["refunded"].as_str()),
        (Some(3), Some("16.2"))
    );
    assert_eq!(
        dry_run["skipped"],
        json!([{ "id": ids[3], "code": "cancel_request_not_open",
        "message": "You cannot confirm a cancel request that is rejected, because this status is final." }])
    );
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - 4 * ORDER_COST);
    shop.panel
        .execute(Sql::new("UPDATE services SET no_refund = TRUE WHERE id = ?").bind(PLAIN_SERVICE))
        .await;
    let confirmation = shop.panel.post(&path, &json!({ "ids": [ids[0]] })).await.json();
    assert_eq!(confirmation["totals"]["refunded"], "0");
    shop.panel.execute(Sql::new("UPDATE services SET no_refund = FALSE")).await;
    let confirmation = shop.panel.post(&path, &json!({ "ids": ids })).await.json();
    assert_eq!(
        (confirmation["processed"].as_i64(), confirmation["totals"]["refunded"].as_str()),
        (Some(2), Some("10.8"))
    );
    assert_eq!(fetch_balance(&shop).await, CUSTOMER_DEPOSIT - 13_200_000);
    assert_eq!(
        shop.panel.post(&path, &json!({ "ids": ids })).await.status,
        422,
        "no request is open any more"
    );
    assert_eq!(shop.panel.post(&path, &json!({ "ids": [] })).await.status, 422);
    shop.assert_healthy().await;
}

/// Tests the stored refunds; `supply::dispatch::cancels` simulates the decisions ten thousand times without a database.
async fn random_cancels_never_refund_delivered_units(dialect: Dialect) {
    let (shop, key) = start_shop(dialect, 2).await;
    let random = Random::seeded(31);
    let random_below = |bound: i64| {
        i64::try_from(u64::from_le_bytes(random.bytes()) % u64::try_from(bound).unwrap()).unwrap()
    };
    let mut orders = Vec::new();
    for n in 1..=30 {
        for panel_index in 0..2 {
            let behavior = match random_below(5) {
                0 => CancelBehavior::Confirms,
                1 => CancelBehavior::Rejects,
                2 => CancelBehavior::ConfirmsWithoutStopping,
                3 => CancelBehavior::ConfirmsAfterSecs(random_below(900)),
                _ => CancelBehavior::StopsAfterSecs(random_below(900)),
            };
            set_cancel_behavior(&shop, panel_index, behavior);
        }
        let order = shop.place_order(n).await;
        if random_below(5) > 0 {
            shop.run_until_idle().await;
        }
        orders.push((order, n));
        shop.run_for_secs(30 * random_below(5)).await;
        let (canceled_order, _) = orders[usize::try_from(random_below(i64::from(n))).unwrap()];
        send_reseller_request(&shop.panel, &key, &format!("action=cancel&orders={canceled_order}")).await;
    }
    shop.run_for_secs(90_000).await;
    let (now, mut refunded_order_count) = (shop.panel.app.clock.now(), 0);
    for (order, n) in &orders {
        let url = format!("https://video.example/{n}");
        let delivered_count: i64 =
            shop.fake_panels.iter().map(|panel| panel.state().delivered_quantity(&url, now)).sum();
        let order_json = shop.panel.fetch_order(*order).await;
        let refunded_amount: Money = order_json["refunded"].as_str().unwrap().parse().unwrap();
        let undelivered_value = Money((600 - delivered_count.min(600)) * 10_000);
        assert!(
            refunded_amount <= undelivered_value,
            "order {order}: {refunded_amount} was refunded, but only {undelivered_value} is undelivered: {order_json}"
        );
        refunded_order_count += i64::from(refunded_amount > Money::ZERO);
    }
    assert!(refunded_order_count > 3, "only {refunded_order_count} orders were refunded");
    let count_open_requests_sql = Sql::new(
        "SELECT count(*) FROM order_cancel_requests WHERE status IN ('requested', 'sent') AND escalated_at IS NULL",
    );
    assert_eq!(
        shop.panel.fetch_number(count_open_requests_sql).await,
        0,
        "every request must be decided or wait for staff"
    );
    shop.assert_healthy().await;
}
