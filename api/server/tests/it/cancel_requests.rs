//! A customer cancels an order by a cancel request: an order that was not sent is refunded at once, otherwise the provider decides
//! first, and staff decide where it does not. No refund exceeds the undelivered part of an order.

use panel_contract::amount::Money;
use panel_contract::ids::{CancelRequestId, OrderId};
use panel_demo::panel::state::{CancelBehavior, OrderBehavior};
use panel_demo::panel::{FakeBehavior, FixedReply};
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::cancel_requests::store;
use panel_server::supply::dispatch;
use serde_json::{Value, json};

use crate::intake::call;
use crate::shop::{DEPOSIT, PLAIN};
use crate::shop_with_panels::ShopWithPanels;

both! {
    an_unsent_order_is_refunded_at_once;
    a_sent_order_is_refunded_when_the_provider_has_canceled_it;
    deliveries_after_the_provider_accepts_reduce_the_refund;
    staff_decide_and_refund_after_the_provider_refuses;
    staff_decide_when_the_provider_does_not_answer_in_time;
    staff_decide_when_the_provider_accepts_but_does_not_cancel;
    a_request_that_the_provider_ignores_expires_with_the_completed_order;
    an_open_request_keeps_the_order_at_its_provider;
    an_order_continues_after_staff_refuse_its_request;
    staff_decide_for_panels_without_cancel_and_manual_providers;
    an_unknown_attempt_is_not_refunded;
    many_requests_are_decided_at_once;
    a_call_that_was_not_made_does_not_count_as_a_try;
    random_cancels_never_refund_delivered_units;
}

const LIST: &str = "/api/v1/admin/order-cancel-requests";

/// A shop whose panels deliver 60 units per minute and whose service allows customers to cancel; and the API key of customer 1.
pub(crate) async fn shop(dialect: Dialect, panels: usize) -> (ShopWithPanels, String) {
    let shop = ShopWithPanels::on(dialect, &vec![OrderBehavior::Delivered; panels]).await;
    shop.panel
        .execute(Sql::new("UPDATE services SET api_access = TRUE, cancel_by_client_is_allowed = TRUE"))
        .await;
    for fake in &shop.fake_panels {
        fake.state().services.get_mut(&7).unwrap().speed = 60;
    }
    let answer = shop.panel.send("owner", "POST", "/api/v1/admin/users/1/api-key", &json!({}), None).await;
    let key = answer.json()["data"]["key"].as_str().unwrap().to_owned();
    (shop, key)
}

pub(crate) fn set_cancel_behavior(shop: &ShopWithPanels, panel: usize, behavior: CancelBehavior) {
    shop.fake_panels[panel].state().services.get_mut(&7).unwrap().cancel_behavior = behavior;
}

/// Sends a cancel request through the reseller API and asserts that the server accepts it.
pub(crate) async fn request_cancel(shop: &ShopWithPanels, key: &str, order: OrderId) {
    let response = call(&shop.panel, key, &format!("action=cancel&orders={order}")).await;
    assert_eq!(response, json!([{ "order": order, "cancel": 1 }]));
}

async fn order_status(shop: &ShopWithPanels, key: &str, order: OrderId) -> Value {
    call(&shop.panel, key, &format!("action=status&order={order}")).await
}

async fn a_call_that_was_not_made_does_not_count_as_a_try(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    let order = shop.order(1).await;
    shop.run_until_idle().await;
    request_cancel(&shop, &key, order).await;
    let app = &shop.panel.app;
    let tries = async || shop.panel.number(Sql::new("SELECT tries FROM order_cancel_requests")).await;
    let id = CancelRequestId::new(latest_request(&shop).await["id"].as_i64().unwrap());
    // The request is due now; `due_at` also identifies the lease, so both are `now`.
    let now = app.clock.now();
    assert_eq!(store::mark_sent(&app.db, (&[id], now), now).await.unwrap(), [id]);
    assert_eq!((latest_request(&shop).await["status"].clone(), tries().await), (json!("sent"), 1));
    store::unmark_sent(&mut &app.db, (id, now), now).await.unwrap().ignore_superseded();
    let after = latest_request(&shop).await;
    assert_eq!((&after["status"], &after["sent_at"], tries().await), (&json!("requested"), &json!(null), 0));
    // Undoing one of two calls leaves the request sent, because the other call was made.
    for _ in 0..2 {
        store::mark_sent(&app.db, (&[id], now), now).await.unwrap();
    }
    store::unmark_sent(&mut &app.db, (id, now), now).await.unwrap().ignore_superseded();
    assert_eq!((latest_request(&shop).await["status"].clone(), tries().await), (json!("sent"), 1));
}

/// The newest cancel request in the admin list.
async fn latest_request(shop: &ShopWithPanels) -> Value {
    let answer = shop.panel.get(&format!("{LIST}?draw=1&length=1")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"][0].clone()
}

async fn waiting_count(shop: &ShopWithPanels) -> i64 {
    let answer = shop.panel.get(&format!("{LIST}?waiting=1")).await.json();
    answer["recordsTotal"].as_i64().unwrap()
}

async fn balance(shop: &ShopWithPanels) -> i64 {
    shop.panel.main_balance(1).await
}

/// Places an order of 600 units for 6.00, sends it to its provider, and advances the clock by `seconds`.
pub(crate) async fn place_and_send(shop: &ShopWithPanels, n: u32, seconds: i64) -> OrderId {
    let order = shop.order(n).await;
    shop.run_until_idle().await;
    shop.run_for_secs(seconds).await;
    order
}

async fn an_unsent_order_is_refunded_at_once(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    let order = shop.order(1).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    request_cancel(&shop, &key, order).await;
    assert_eq!(balance(&shop).await, DEPOSIT);
    let response = order_status(&shop, &key, order).await;
    assert_eq!((&response["status"], &response["cancel_status"]), (&json!("Canceled"), &json!("confirmed")));
    shop.run_for_secs(120).await;
    assert_eq!(shop.order_counts(), [0], "it is never sent");
    let request = latest_request(&shop).await;
    assert_eq!((request["returned"].as_str(), request["sent_at"].is_null()), (Some("6"), true));
    let repeated = call(&shop.panel, &key, &format!("action=cancel&orders={order}")).await;
    assert!(repeated[0]["cancel"]["error"].as_str().unwrap().contains("canceled"), "{repeated}");
    assert_eq!(balance(&shop).await, DEPOSIT);
    shop.assert_healthy().await;
}

async fn a_sent_order_is_refunded_when_the_provider_has_canceled_it(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    assert_eq!(
        balance(&shop).await,
        DEPOSIT - 6_000_000,
        "no refund before the provider has canceled the order"
    );
    let response = order_status(&shop, &key, order).await;
    assert_eq!(
        (&response["status"], &response["cancel_status"]),
        (&json!("In progress"), &json!("requested"))
    );
    shop.run_until_idle().await;
    let response = order_status(&shop, &key, order).await;
    assert_eq!((&response["status"], &response["cancel_status"]), (&json!("Partial"), &json!("confirmed")));
    assert_eq!(shop.attempt_statuses(order).await, ["Canceled"]);
    // 60 of 600 were delivered.
    assert_eq!(balance(&shop).await, DEPOSIT - 600_000);
    let cancel_calls = shop.fake_panels[0].calls().iter().filter(|call| call["action"] == "cancel").count();
    assert_eq!(cancel_calls, 1);
    let request = latest_request(&shop).await;
    assert_eq!((request["returned"].as_str(), request["provider"]["id"].as_i64()), (Some("5.4"), Some(11)));
    assert_eq!(shop.panel.order(order).await["cancel_reason"], "customer_request");
    assert_eq!(waiting_count(&shop).await, 0);
    shop.run_for_secs(3_600).await;
    assert_eq!(balance(&shop).await, DEPOSIT - 600_000, "the refund is posted once");
    shop.assert_healthy().await;
}

async fn deliveries_after_the_provider_accepts_reduce_the_refund(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::StopsAfterSecs(120));
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    shop.run_until_idle().await;
    let response = order_status(&shop, &key, order).await;
    assert_eq!((&response["status"], &response["cancel_status"]), (&json!("In progress"), &json!("sent")));
    assert_eq!(balance(&shop).await, DEPOSIT - 6_000_000, "the provider's acceptance alone refunds nothing");
    shop.run_for_secs(600).await;
    // 120 more were delivered.
    assert_eq!(balance(&shop).await, DEPOSIT - 1_800_000);
    assert_eq!(order_status(&shop, &key, order).await["cancel_status"], "confirmed");
    shop.assert_healthy().await;
}

async fn staff_decide_and_refund_after_the_provider_refuses(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    shop.panel.execute(Sql::new("INSERT INTO notification_recipients (audience, user_id) SELECT 'support', id FROM users WHERE email = 'owner@panel.test'")).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::Refuses);
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    shop.run_until_idle().await;
    let request = latest_request(&shop).await;
    assert_eq!(
        (request["status"].as_str(), request["cause"].as_str()),
        (Some("sent"), Some("provider_refused"))
    );
    assert_eq!(request["answer"], "Order cannot be canceled");
    assert_eq!((request["returned"].as_str(), waiting_count(&shop).await), (Some("5.4"), 1));
    let emails =
        Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE '%cancel request%'");
    assert_eq!(shop.panel.number(emails).await, 1, "staff get one email");
    let response = order_status(&shop, &key, order).await;
    assert_eq!((&response["status"], &response["cancel_status"]), (&json!("In progress"), &json!("sent")));
    let path = format!("{LIST}/{}/confirm", request["id"]);
    let dry_run = shop.panel.post(&format!("{path}?dry_run=1"), &json!({})).await.json();
    assert_eq!(
        (dry_run["data"]["status"].as_str(), dry_run["data"]["returned"].as_str()),
        (Some("confirmed"), Some("5.4"))
    );
    assert_eq!(balance(&shop).await, DEPOSIT - 6_000_000);
    assert_eq!(shop.panel.post(&path, &json!({ "amount": "9" })).await.status, 422);
    let decided = shop.panel.post(&path, &json!({ "amount": "1.5" })).await.json()["data"].clone();
    assert_eq!((decided["status"].as_str(), decided["returned"].as_str()), (Some("confirmed"), Some("1.5")));
    assert_eq!(decided["decided_by"]["name"], "owner");
    assert_eq!(balance(&shop).await, DEPOSIT - 4_500_000);
    let repeated = shop.panel.post(&path, &json!({})).await;
    assert_eq!(
        (repeated.status.as_u16(), repeated.json()["code"].as_str()),
        (409, Some("cancel_request_not_open"))
    );
    shop.run_for_secs(900).await;
    assert_eq!(balance(&shop).await, DEPOSIT - 4_500_000);
    shop.assert_healthy().await;
}

async fn staff_decide_when_the_provider_does_not_answer_in_time(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    shop.panel
        .execute(Sql::new(
            "INSERT INTO settings (key, value, updated_at) VALUES ('cancel_request_hours', '2', 1)",
        ))
        .await;
    shop.fake_panels[0].state().services.get_mut(&7).unwrap().behavior = OrderBehavior::Stuck;
    let order = place_and_send(&shop, 1, 60).await;
    shop.set_behavior(0, FakeBehavior::BadGateway);
    request_cancel(&shop, &key, order).await;
    shop.run_for_secs(7_100).await;
    assert_eq!(
        (latest_request(&shop).await["status"].as_str(), waiting_count(&shop).await),
        (Some("sent"), 0)
    );
    let cancel_calls = shop.fake_panels[0].calls().iter().filter(|call| call["action"] == "cancel").count();
    assert!((3..40).contains(&cancel_calls), "the calls repeat with backoff: {cancel_calls}");
    shop.run_for_secs(300).await;
    let request = latest_request(&shop).await;
    assert_eq!((request["cause"].as_str(), waiting_count(&shop).await), (Some("no_answer"), 1));
    assert_eq!(balance(&shop).await, DEPOSIT - 6_000_000);
    // The provider cancels the order later by itself, which decides the request.
    shop.set_behavior(0, FakeBehavior::Correct);
    let external_id = shop.fake_panels[0].state().orders.keys().copied().next().unwrap();
    shop.fake_panels[0].state().orders.get_mut(&external_id).unwrap().set_behavior(OrderBehavior::Canceled);
    shop.run_for_secs(900).await;
    assert_eq!(
        (latest_request(&shop).await["status"].as_str(), balance(&shop).await),
        (Some("confirmed"), DEPOSIT)
    );
    shop.assert_healthy().await;
}

async fn staff_decide_when_the_provider_accepts_but_does_not_cancel(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::StopsAfterSecs(400_000));
    shop.fake_panels[0].state().services.get_mut(&7).unwrap().behavior = OrderBehavior::Stuck;
    let order = place_and_send(&shop, 1, 60).await;
    request_cancel(&shop, &key, order).await;
    shop.run_for_secs(86_000).await;
    assert_eq!(waiting_count(&shop).await, 0);
    shop.run_for_secs(600).await;
    assert_eq!(
        (latest_request(&shop).await["cause"].as_str(), waiting_count(&shop).await),
        (Some("not_ended"), 1)
    );
    assert_eq!(balance(&shop).await, DEPOSIT - 6_000_000);
    shop.assert_healthy().await;
}

async fn a_request_that_the_provider_ignores_expires_with_the_completed_order(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::ConfirmsWithoutStopping);
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    shop.run_for_secs(1_200).await;
    let response = order_status(&shop, &key, order).await;
    assert_eq!((&response["status"], &response["cancel_status"]), (&json!("Completed"), &json!("expired")));
    assert_eq!((balance(&shop).await, waiting_count(&shop).await), (DEPOSIT - 6_000_000, 0));
    shop.assert_healthy().await;
}

async fn an_open_request_keeps_the_order_at_its_provider(dialect: Dialect) {
    let (shop, key) = shop(dialect, 2).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::Refuses);
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    let repeated = call(&shop.panel, &key, &format!("action=cancel&orders={order}")).await;
    assert_eq!(repeated[0]["cancel"]["error"], "Cancel is already requested");
    shop.run_until_idle().await;
    let change_provider = json!({ "order_ids": [order], "provider_id": 12 });
    let refused = shop.panel.post("/api/v1/admin/orders/change-provider", &change_provider).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("requested to cancel"), "{}", refused.text);
    // The undelivered rest does not fail over to the next provider; it is refunded.
    let external_id = shop.fake_panels[0].state().orders.keys().copied().next().unwrap();
    shop.fake_panels[0]
        .state()
        .orders
        .get_mut(&external_id)
        .unwrap()
        .set_behavior(OrderBehavior::Partial(40));
    shop.run_for_secs(900).await;
    assert_eq!(
        (shop.order_counts(), shop.attempt_statuses(order).await),
        (vec![1, 0], vec!["Partial".to_owned()])
    );
    assert_eq!(
        (latest_request(&shop).await["status"].as_str(), balance(&shop).await),
        (Some("confirmed"), DEPOSIT - 2_400_000)
    );
    // When staff cancel an order themselves, its open request is confirmed.
    set_cancel_behavior(&shop, 0, CancelBehavior::Refuses);
    let other = place_and_send(&shop, 2, 90).await;
    request_cancel(&shop, &key, other).await;
    let path = format!("/api/v1/admin/orders/{other}/cancel");
    assert_eq!(shop.panel.post(&path, &json!({ "return_money": true })).await.status, 200);
    let request = latest_request(&shop).await;
    assert_eq!((request["status"].as_str(), request["returned"].as_str()), (Some("confirmed"), Some("5.4")));
    shop.assert_healthy().await;
}

async fn an_order_continues_after_staff_refuse_its_request(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::Refuses);
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    shop.run_until_idle().await;
    let path = format!("{LIST}/{}/refuse", latest_request(&shop).await["id"]);
    let decided = shop.panel.post(&path, &json!({})).await;
    assert_eq!((decided.status.as_u16(), decided.json()["data"]["status"].as_str()), (200, Some("refused")));
    assert_eq!(order_status(&shop, &key, order).await["cancel_status"], "refused");
    assert_eq!(shop.panel.post(&path, &json!({})).await.status, 409);
    shop.run_for_secs(1_200).await;
    assert_eq!(shop.panel.order(order).await["status"], "completed");
    assert_eq!(
        (latest_request(&shop).await["status"].as_str(), balance(&shop).await),
        (Some("refused"), DEPOSIT - 6_000_000)
    );
    shop.assert_healthy().await;
}

async fn staff_decide_for_panels_without_cancel_and_manual_providers(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    let sql = "INSERT INTO external_panel_services (external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity,
        refill, cancel, created_at, updated_at) VALUES (1, '7', 'Likes', 'Default', 'All', 1, 1000, 1, 1000, FALSE, FALSE, 1, 1)";
    shop.panel.execute(Sql::new(sql)).await;
    let order = place_and_send(&shop, 1, 90).await;
    request_cancel(&shop, &key, order).await;
    assert_eq!(latest_request(&shop).await["cause"], "not_supported");
    shop.run_until_idle().await;
    assert!(
        shop.fake_panels[0].calls().iter().all(|call| call["action"] != "cancel"),
        "no cancel call is made"
    );
    let moved_order = place_and_send(&shop, 2, 30).await;
    let change_provider = json!({ "order_ids": [moved_order], "provider_id": 1 });
    assert_eq!(shop.panel.post("/api/v1/admin/orders/change-provider", &change_provider).await.status, 200);
    shop.run_until_idle().await;
    request_cancel(&shop, &key, moved_order).await;
    assert_eq!(latest_request(&shop).await["cause"], "by_hand");
    assert_eq!((waiting_count(&shop).await, balance(&shop).await), (2, DEPOSIT - 12_000_000));
    shop.assert_healthy().await;
}

async fn an_unknown_attempt_is_not_refunded(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    place_and_send(&shop, 8, 60).await;
    let lost_reply = FixedReply { accepts_order: true, status: 500, body: String::new() };
    shop.fake_panels[0].set_reply("https://video.example/1", lost_reply);
    let order = place_and_send(&shop, 1, 0).await;
    request_cancel(&shop, &key, order).await;
    shop.run_until_idle().await;
    assert_eq!(order_status(&shop, &key, order).await["cancel_status"], "requested");
    assert_eq!(balance(&shop).await, DEPOSIT - 12_000_000, "the panel may have the order");
    // Reconciliation finds the external order between two others; it is canceled, and its delivered units stay charged.
    place_and_send(&shop, 9, 0).await;
    shop.run_for_secs(900).await;
    assert_eq!(order_status(&shop, &key, order).await["cancel_status"], "confirmed");
    let now = shop.panel.app.clock.now();
    let delivered = shop.fake_panels[0].state().delivered("https://video.example/1", now);
    assert!(delivered > 0);
    assert_eq!(balance(&shop).await, DEPOSIT - 12_000_000 - delivered * 10_000);
    shop.assert_healthy().await;
}

async fn many_requests_are_decided_at_once(dialect: Dialect) {
    let (shop, key) = shop(dialect, 1).await;
    set_cancel_behavior(&shop, 0, CancelBehavior::Refuses);
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
        .calls()
        .iter()
        .filter(|call| call["action"] == "cancel")
        .map(|call| call["orders"].clone())
        .collect();
    assert_eq!(
        (canceled_ids.len(), canceled_ids[0].split(',').count()),
        (1, 4),
        "one call for all: {canceled_ids:?}"
    );
    let ids = shop
        .panel
        .get(&format!("{LIST}?order[0][column]=0&order[0][dir]=asc&columns[0][data]=id"))
        .await
        .json();
    let ids: Vec<i64> =
        ids["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
    let refused =
        shop.panel.post(&format!("{LIST}/refuse"), &json!({ "ids": [ids[3], 999, ids[3]] })).await.json();
    assert_eq!((&refused["processed"], &refused["skipped"][0]["code"]), (&json!(1), &json!("not_found")));
    assert_eq!((&refused["totals"]["services"], &refused["totals"]["customers"]), (&json!(1), &json!(1)));
    let nothing_processed =
        shop.panel.post(&format!("{LIST}/refuse"), &json!({ "ids": [ids[3], 999] })).await;
    assert_eq!(
        (nothing_processed.status.as_u16(), &nothing_processed.json()["code"]),
        (422, &json!("nothing_processed"))
    );
    let skipped: Vec<(i64, String)> = nothing_processed.json()["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skip| (skip["id"].as_i64().unwrap(), skip["code"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(skipped, [(ids[3], "cancel_request_not_open".to_owned()), (999, "not_found".to_owned())]);
    let path = format!("{LIST}/confirm");
    let dry_run = shop.panel.post(&format!("{path}?dry_run=1"), &json!({ "ids": ids })).await.json();
    assert_eq!(
        (dry_run["processed"].as_i64(), dry_run["totals"]["returned"].as_str()),
        (Some(3), Some("16.2"))
    );
    assert_eq!(
        dry_run["skipped"],
        json!([{ "id": ids[3], "code": "cancel_request_not_open",
        "message": "You cannot confirm a cancel request that is refused; that is final." }])
    );
    assert_eq!(balance(&shop).await, DEPOSIT - 24_000_000);
    shop.panel.execute(Sql::new("UPDATE services SET no_refund = TRUE WHERE id = ?").bind(PLAIN)).await;
    let without_refund = shop.panel.post(&path, &json!({ "ids": [ids[0]] })).await.json();
    assert_eq!(without_refund["totals"]["returned"], "0");
    shop.panel.execute(Sql::new("UPDATE services SET no_refund = FALSE")).await;
    let decided = shop.panel.post(&path, &json!({ "ids": ids })).await.json();
    assert_eq!(
        (decided["processed"].as_i64(), decided["totals"]["returned"].as_str()),
        (Some(2), Some("10.8"))
    );
    assert_eq!(balance(&shop).await, DEPOSIT - 13_200_000);
    assert_eq!(shop.panel.post(&path, &json!({ "ids": ids })).await.status, 422, "no open request is left");
    assert_eq!(shop.panel.post(&path, &json!({ "ids": [] })).await.status, 422);
    shop.assert_healthy().await;
}

/// Tests the stored refunds; `supply::dispatch::cancels` simulates the decisions ten thousand times without a database.
async fn random_cancels_never_refund_delivered_units(dialect: Dialect) {
    let (shop, key) = shop(dialect, 2).await;
    let random = Random::seeded(31);
    let random_below = |bound: i64| {
        i64::try_from(u64::from_le_bytes(random.bytes()) % u64::try_from(bound).unwrap()).unwrap()
    };
    let mut orders = Vec::new();
    for n in 1..=30 {
        for panel in 0..2 {
            let behavior = match random_below(5) {
                0 => CancelBehavior::Confirms,
                1 => CancelBehavior::Refuses,
                2 => CancelBehavior::ConfirmsWithoutStopping,
                3 => CancelBehavior::ConfirmsAfterSecs(random_below(900)),
                _ => CancelBehavior::StopsAfterSecs(random_below(900)),
            };
            set_cancel_behavior(&shop, panel, behavior);
        }
        let order = shop.order(n).await;
        if random_below(5) > 0 {
            shop.run_until_idle().await;
        }
        orders.push((order, n));
        shop.run_for_secs(30 * random_below(5)).await;
        let (canceled, _) = orders[usize::try_from(random_below(i64::from(n))).unwrap()];
        call(&shop.panel, &key, &format!("action=cancel&orders={canceled}")).await;
    }
    shop.run_for_secs(90_000).await;
    let (now, mut refunded_orders) = (shop.panel.app.clock.now(), 0);
    for (order, n) in &orders {
        let link = format!("https://video.example/{n}");
        let delivered: i64 = shop.fake_panels.iter().map(|panel| panel.state().delivered(&link, now)).sum();
        let order_json = shop.panel.order(*order).await;
        let refunded: Money = order_json["refunded"].as_str().unwrap().parse().unwrap();
        let undelivered = Money((600 - delivered.min(600)) * 10_000);
        assert!(refunded <= undelivered, "order {order}: {refunded} of {undelivered}, {order_json}");
        refunded_orders += i64::from(refunded > Money::ZERO);
    }
    assert!(refunded_orders > 3, "{refunded_orders} orders were refunded");
    let open = Sql::new(
        "SELECT count(*) FROM order_cancel_requests WHERE status IN ('requested', 'sent') AND escalated_at IS NULL",
    );
    assert_eq!(shop.panel.number(open).await, 0, "every request is decided or waits for staff");
    shop.assert_healthy().await;
}
