//! Subscriptions through the reseller API: creation, status and cancellation.

use axum::http::Request;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::subscriptions::content;
use serde_json::{Value, json};

use crate::contents::{MAX_SUBSCRIPTIONS, ShopWithFeeds};
use crate::placing_orders::{create_api_key, send_reseller_request};
use crate::shop::{CUSTOMER_DEPOSIT, MODERATED_SERVICE, PLAIN_SERVICE};

test_both_databases! {
    a_reseller_can_subscribe_and_read_the_status;
    json_bodies_and_other_variants_are_accepted;
    an_invalid_request_is_rejected_and_writes_no_record;
    the_active_subscriptions_of_a_customer_are_limited;
    the_status_explains_why_no_order_is_placed;
    one_request_cancels_subscriptions_and_orders;
    the_subscription_of_another_customer_is_unknown;
}

const ENCODED_CHANNEL_URL: &str = "https%3A%2F%2Fvideo.example%2F%40channel";
/// The id of the first subscription in the reseller API.
const FIRST_SUBSCRIPTION_ID: i64 = 2_000_000_001;

async fn start_shop_with_feeds(dialect: Dialect) -> (ShopWithFeeds, String) {
    let shop = ShopWithFeeds::start(dialect).await;
    let panel = &shop.panel;
    let permissions =
        [Permission::ViewUsers, Permission::ManageApiKeys, Permission::ManageOrders, Permission::ViewOrders];
    panel.create_staff("ada", &permissions).await;
    panel.execute(Sql::new("UPDATE services SET api_access = TRUE")).await;
    let key = create_api_key(panel, 1).await;
    (shop, key)
}

fn subscription_request(extra_fields: &str) -> String {
    format!(
        "action=add&service={PLAIN_SERVICE}&username={ENCODED_CHANNEL_URL}&min=1000&max=1000{extra_fields}"
    )
}

async fn subscription_count(shop: &ShopWithFeeds) -> i64 {
    shop.panel.fetch_number(Sql::new("SELECT count(*) FROM subscriptions")).await
}

async fn a_reseller_can_subscribe_and_read_the_status(dialect: Dialect) {
    let (shop, key) = start_shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    shop.publish_content(1, -10);
    shop.publish_content(2, -5);
    // NOW is the 20th of November 2026.
    let response = send_reseller_request(
        panel,
        &key,
        &subscription_request("&posts=2&old_posts=1&delay=30&expiry=25/11/2026"),
    )
    .await;
    assert_eq!(response, json!({ "order": FIRST_SUBSCRIPTION_ID }));
    let status_request = format!("action=status&order={FIRST_SUBSCRIPTION_ID}");
    let expected_status = json!({ "status": "Active", "expiry": "25/11/2026", "posts": "2", "orders": [] });
    assert_eq!(send_reseller_request(panel, &key, &status_request).await, expected_status);
    shop.run_until_idle().await;
    let orders = send_reseller_request(panel, &key, &status_request).await["orders"].clone();
    let first_orders: Vec<String> = serde_json::from_value(orders).unwrap();
    assert_eq!(first_orders.len(), 1, "only the newest old content must get an order");
    let order = send_reseller_request(panel, &key, &format!("action=status&order={}", first_orders[0])).await;
    assert_eq!((&order["charge"], &order["status"]), (&json!("10"), &json!("Processing")));
    shop.publish_content(3, 1);
    shop.publish_content(4, 2);
    for _ in 0..3 {
        shop.advance_minutes(31);
        shop.run_until_idle().await;
    }
    let final_status = send_reseller_request(panel, &key, &status_request).await;
    assert_eq!(
        (&final_status["status"], final_status["orders"].as_array().unwrap().len()),
        (&json!("Completed"), 3)
    );
    assert_eq!(shop.fetch_ordered_names(1).await, ["2", "3", "4"]);
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 30_000_000);
    let subscription = shop.fetch_subscription(1).await;
    assert_eq!(
        (&subscription["type"], &subscription["billing_type"]),
        (&json!("video"), &json!("per_content"))
    );
    assert_eq!(
        (&subscription["delay_minutes"], &subscription["old_contents"], &subscription["contents_limit"]),
        (&json!(30), &json!(1), &json!(3))
    );
    let count_audits_sql =
        "SELECT count(*) FROM audits WHERE event = 'subscription.started' AND auditable_id = 1";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
    panel.assert_healthy().await;
}

async fn json_bodies_and_other_variants_are_accepted(dialect: Dialect) {
    let (shop, key) = start_shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    let body = json!({ "key": key, "action": "add", "service": PLAIN_SERVICE, "username": "@channel", "min": 100, "max": "200", "posts": 0, "delay": 90, "runs": "", "quantity": "" });
    let request = Request::post("/api/v2").header("content-type", "application/json");
    let response = panel.send_request(request.body(body.to_string().into()).unwrap()).await;
    assert_eq!((response.status.as_u16(), response.json()), (200, json!({ "order": FIRST_SUBSCRIPTION_ID })));
    let request_by_link =
        format!("action=add&service={PLAIN_SERVICE}&link={ENCODED_CHANNEL_URL}&min=100&max=200&posts=5");
    assert_eq!(
        send_reseller_request(panel, &key, &request_by_link).await,
        json!({ "order": FIRST_SUBSCRIPTION_ID + 1 })
    );
    let statuses = send_reseller_request(
        panel,
        &key,
        &format!("action=status&orders={FIRST_SUBSCRIPTION_ID},{},7", FIRST_SUBSCRIPTION_ID + 1),
    )
    .await;
    let expected_status = json!({ "status": "Active", "expiry": null, "posts": "0", "orders": [] });
    assert_eq!(statuses[FIRST_SUBSCRIPTION_ID.to_string()], expected_status);
    assert_eq!(
        (&statuses[(FIRST_SUBSCRIPTION_ID + 1).to_string()]["posts"], &statuses["7"]["error"]),
        (&json!("5"), &json!("Incorrect order ID"))
    );
    let order_request = format!("action=add&service={PLAIN_SERVICE}&link={ENCODED_CHANNEL_URL}&quantity=100");
    let order =
        send_reseller_request(panel, &key, &format!("{order_request}&min=&max=&username=")).await["order"]
            .as_i64()
            .unwrap();
    assert!(order < FIRST_SUBSCRIPTION_ID, "a request with a quantity must create an order");
    let min_response = send_reseller_request(panel, &key, &format!("{order_request}&min=1&max=2")).await;
    assert!(min_response["error"].as_str().unwrap().contains("An order takes no min"), "{min_response}");
    panel.assert_healthy().await;
}

async fn an_invalid_request_is_rejected_and_writes_no_record(dialect: Dialect) {
    let (shop, key) = start_shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    let expect_error = async |fields: &str| {
        let response = send_reseller_request(panel, &key, fields).await;
        response["error"].as_str().unwrap_or_else(|| panic!("{fields}: {response}")).to_owned()
    };
    for (fields, message) in [
        (subscription_request("&posts=x"), "Incorrect posts"),
        (subscription_request("&old_posts=900"), "Incorrect old_posts"),
        (subscription_request("&delay=-5"), "Incorrect delay"),
        (subscription_request("&expiry=19/11/2026"), "Incorrect expiry"),
        (subscription_request("&expiry=tomorrow"), "Incorrect expiry"),
        (subscription_request("&runs=3"), "takes no runs"),
        (format!("action=add&service={PLAIN_SERVICE}&username=&min=100&max=200"), "Incorrect username"),
        (format!("action=add&service={PLAIN_SERVICE}&username=a%20b&min=100&max=200"), "URL of the channel"),
        (format!("action=add&service={PLAIN_SERVICE}&username=x&min=200&max=100"), "Incorrect max"),
        (format!("action=add&service={PLAIN_SERVICE}&username=x&min=10&max=100"), "Order 100 to"),
        ("action=add&service=999&username=x&min=100&max=100".to_owned(), "Incorrect service ID"),
    ] {
        assert!(expect_error(&fields).await.contains(message), "{fields}: {}", expect_error(&fields).await);
    }
    panel
        .execute(Sql::new("UPDATE services SET api_access = FALSE WHERE id = ?").bind(MODERATED_SERVICE))
        .await;
    let request_without_api_access =
        format!("action=add&service={MODERATED_SERVICE}&username=x&min=100&max=100&posts=1");
    assert_eq!(expect_error(&request_without_api_access).await, "Incorrect service ID");
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 1")).await;
    assert!(expect_error(&subscription_request("&posts=1")).await.contains("suspended"));
    assert_eq!(subscription_count(&shop).await, 0);
    panel.assert_healthy().await;
}

async fn the_active_subscriptions_of_a_customer_are_limited(dialect: Dialect) {
    let (shop, key) = start_shop_with_feeds(dialect).await;
    for index in 0..i64::from(MAX_SUBSCRIPTIONS) {
        assert_eq!(
            send_reseller_request(&shop.panel, &key, &subscription_request("&posts=1")).await,
            json!({ "order": FIRST_SUBSCRIPTION_ID + index })
        );
    }
    let rejection = send_reseller_request(&shop.panel, &key, &subscription_request("&posts=1")).await;
    assert!(rejection["error"].as_str().unwrap().contains("20 active subscriptions"), "{rejection}");
    assert_eq!(subscription_count(&shop).await, i64::from(MAX_SUBSCRIPTIONS));
    send_reseller_request(&shop.panel, &key, &format!("action=cancel&orders={FIRST_SUBSCRIPTION_ID}")).await;
    let second_response = send_reseller_request(&shop.panel, &key, &subscription_request("&posts=1")).await;
    assert_eq!(second_response, json!({ "order": FIRST_SUBSCRIPTION_ID + i64::from(MAX_SUBSCRIPTIONS) }));
}

async fn the_status_explains_why_no_order_is_placed(dialect: Dialect) {
    let (shop, key) = start_shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    panel.execute(Sql::new("UPDATE services SET max_quantity = 10000000")).await;
    let expensive_request = format!(
        "action=add&service={PLAIN_SERVICE}&username={ENCODED_CHANNEL_URL}&min=10000000&max=10000000&posts=5"
    );
    send_reseller_request(panel, &key, &expensive_request).await;
    shop.publish_content(1, 1);
    shop.publish_content(2, 2);
    shop.advance_minutes(5);
    shop.run_until_idle().await;
    let status =
        send_reseller_request(panel, &key, &format!("action=status&order={FIRST_SUBSCRIPTION_ID}")).await;
    assert_eq!((&status["status"], status["orders"].as_array().unwrap().len()), (&json!("Active"), 1));
    assert!(status["note"].as_str().unwrap().contains("balance is too low"), "{status}");
    panel
        .execute(Sql::new(
            "UPDATE subscriptions SET wait_reason = NULL, poll_error = '10.0.0.1 is a private address'",
        ))
        .await;
    let status =
        send_reseller_request(panel, &key, &format!("action=status&order={FIRST_SUBSCRIPTION_ID}")).await;
    assert_eq!(status["note"], "The channel cannot be read now. The panel tries again.");
    panel.assert_healthy().await;
}

async fn one_request_cancels_subscriptions_and_orders(dialect: Dialect) {
    let (shop, key) = start_shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    panel.execute(Sql::new("UPDATE services SET cancel_by_client_is_allowed = TRUE")).await;
    send_reseller_request(panel, &key, &subscription_request("&posts=5&delay=60")).await;
    let order_request = format!("action=add&service={PLAIN_SERVICE}&link={ENCODED_CHANNEL_URL}&quantity=100");
    let order = send_reseller_request(panel, &key, &order_request).await["order"].as_i64().unwrap();
    shop.publish_content(1, 1);
    shop.advance_minutes(5);
    shop.run_until_idle().await;
    let response = send_reseller_request(
        panel,
        &key,
        &format!("action=cancel&orders={order},{FIRST_SUBSCRIPTION_ID},{}", FIRST_SUBSCRIPTION_ID + 8),
    )
    .await;
    let unknown_order_error = json!({ "error": "Incorrect order ID" });
    assert_eq!(
        response,
        json!([{ "order": order, "cancel": 1 }, { "order": FIRST_SUBSCRIPTION_ID, "cancel": 1 }, { "order": FIRST_SUBSCRIPTION_ID + 8, "cancel": unknown_order_error }])
    );
    let second_response =
        send_reseller_request(panel, &key, &format!("action=cancel&order={FIRST_SUBSCRIPTION_ID}")).await;
    assert!(
        second_response[0]["cancel"]["error"].as_str().unwrap().contains("canceled"),
        "{second_response}"
    );
    shop.advance_minutes(120);
    shop.run_until_idle().await;
    assert_eq!(content::end_expired(&panel.app).await.unwrap(), 0);
    let status =
        send_reseller_request(panel, &key, &format!("action=status&order={FIRST_SUBSCRIPTION_ID}")).await;
    assert_eq!((&status["status"], &status["orders"]), (&json!("Canceled"), &json!([])));
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT);
    assert_eq!(
        send_reseller_request(panel, &key, &format!("action=refill&order={FIRST_SUBSCRIPTION_ID}")).await,
        unknown_order_error
    );
    panel.assert_healthy().await;
}

async fn the_subscription_of_another_customer_is_unknown(dialect: Dialect) {
    let (shop, first_key) = start_shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    send_reseller_request(panel, &first_key, &subscription_request("&posts=5")).await;
    let other_key = create_api_key(panel, 2).await;
    let unknown_order_error = json!({ "error": "Incorrect order ID" });
    assert_eq!(
        send_reseller_request(panel, &other_key, &format!("action=status&order={FIRST_SUBSCRIPTION_ID}"))
            .await,
        unknown_order_error
    );
    let response: Value =
        send_reseller_request(panel, &other_key, &format!("action=cancel&orders={FIRST_SUBSCRIPTION_ID}"))
            .await;
    assert_eq!(response, json!([{ "order": FIRST_SUBSCRIPTION_ID, "cancel": unknown_order_error }]));
    assert_eq!(
        send_reseller_request(panel, &first_key, &format!("action=status&order={FIRST_SUBSCRIPTION_ID}"))
            .await["status"],
        "Active"
    );
    // The reseller API treats the database id of a subscription as the id of an order.
    assert_eq!(send_reseller_request(panel, &first_key, "action=status&order=1").await, unknown_order_error);
}
