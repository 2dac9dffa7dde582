//! Subscriptions through the reseller API: creation, status and cancellation.

use axum::http::Request;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::subscriptions::content;
use serde_json::{Value, json};

use crate::contents::{MAX_SUBSCRIPTIONS, ShopWithFeeds};
use crate::intake::{call, create_api_key};
use crate::shop::{DEPOSIT, MODERATED, PLAIN};

both! {
    a_reseller_can_subscribe_and_read_the_status;
    json_bodies_and_other_variants_are_accepted;
    an_invalid_request_is_refused_and_nothing_is_written;
    the_active_subscriptions_of_a_customer_are_limited;
    the_status_explains_why_no_order_is_placed;
    one_call_cancels_subscriptions_and_orders;
    the_subscription_of_another_customer_is_unknown;
}

const CHANNEL: &str = "https%3A%2F%2Fvideo.example%2F%40channel";
/// The id of the first subscription in the reseller API.
const FIRST_ID: i64 = 2_000_000_001;

async fn shop_with_feeds(dialect: Dialect) -> (ShopWithFeeds, String) {
    let shop = ShopWithFeeds::on(dialect).await;
    let panel = &shop.panel;
    let permissions =
        [Permission::ViewUsers, Permission::ManageApiKeys, Permission::ManageOrders, Permission::ViewOrders];
    panel.create_staff("ada", &permissions).await;
    panel.execute(Sql::new("UPDATE services SET api_access = TRUE")).await;
    let key = create_api_key(panel, 1).await;
    (shop, key)
}

fn add_request(extra_fields: &str) -> String {
    format!("action=add&service={PLAIN}&username={CHANNEL}&min=1000&max=1000{extra_fields}")
}

async fn subscription_count(shop: &ShopWithFeeds) -> i64 {
    shop.panel.number(Sql::new("SELECT count(*) FROM subscriptions")).await
}

async fn a_reseller_can_subscribe_and_read_the_status(dialect: Dialect) {
    let (shop, key) = shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    shop.publish(1, -10);
    shop.publish(2, -5);
    // NOW is the 20th of November 2026.
    let answer = call(panel, &key, &add_request("&posts=2&old_posts=1&delay=30&expiry=25/11/2026")).await;
    assert_eq!(answer, json!({ "order": FIRST_ID }));
    let status = format!("action=status&order={FIRST_ID}");
    let expected = json!({ "status": "Active", "expiry": "25/11/2026", "posts": "2", "orders": [] });
    assert_eq!(call(panel, &key, &status).await, expected);
    shop.run_until_idle().await;
    let orders = call(panel, &key, &status).await["orders"].clone();
    let first: Vec<String> = serde_json::from_value(orders).unwrap();
    assert_eq!(first.len(), 1, "the order for the newest of the old contents");
    let order = call(panel, &key, &format!("action=status&order={}", first[0])).await;
    assert_eq!((&order["charge"], &order["status"]), (&json!("10"), &json!("Processing")));
    shop.publish(3, 1);
    shop.publish(4, 2);
    for _ in 0..3 {
        shop.advance_minutes(31);
        shop.run_until_idle().await;
    }
    let status_answer = call(panel, &key, &status).await;
    assert_eq!(
        (&status_answer["status"], status_answer["orders"].as_array().unwrap().len()),
        (&json!("Completed"), 3)
    );
    assert_eq!(shop.ordered_contents(1).await, ["2", "3", "4"]);
    assert_eq!(panel.main_balance(1).await, DEPOSIT - 30_000_000);
    let subscription = shop.subscription(1).await;
    assert_eq!(
        (&subscription["type"], &subscription["billing_type"]),
        (&json!("video"), &json!("per_content"))
    );
    assert_eq!(
        (&subscription["delay_minutes"], &subscription["old_contents"], &subscription["contents_limit"]),
        (&json!(30), &json!(1), &json!(3))
    );
    let audit_count = "SELECT count(*) FROM audits WHERE event = 'subscription.started' AND auditable_id = 1";
    assert_eq!(panel.number(Sql::new(audit_count)).await, 1);
    panel.assert_healthy().await;
}

async fn json_bodies_and_other_variants_are_accepted(dialect: Dialect) {
    let (shop, key) = shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    let body = json!({ "key": key, "action": "add", "service": PLAIN, "username": "@channel", "min": 100, "max": "200", "posts": 0, "delay": 90, "runs": "", "quantity": "" });
    let request = Request::post("/api/v2").header("content-type", "application/json");
    let answer = panel.answer(request.body(body.to_string().into()).unwrap()).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({ "order": FIRST_ID })));
    let by_link = format!("action=add&service={PLAIN}&link={CHANNEL}&min=100&max=200&posts=5");
    assert_eq!(call(panel, &key, &by_link).await, json!({ "order": FIRST_ID + 1 }));
    let statuses = call(panel, &key, &format!("action=status&orders={FIRST_ID},{},7", FIRST_ID + 1)).await;
    let no_limit = json!({ "status": "Active", "expiry": null, "posts": "0", "orders": [] });
    assert_eq!(statuses[FIRST_ID.to_string()], no_limit);
    assert_eq!(
        (&statuses[(FIRST_ID + 1).to_string()]["posts"], &statuses["7"]["error"]),
        (&json!("5"), &json!("Incorrect order ID"))
    );
    let plain_order = format!("action=add&service={PLAIN}&link={CHANNEL}&quantity=100");
    let order =
        call(panel, &key, &format!("{plain_order}&min=&max=&username=")).await["order"].as_i64().unwrap();
    assert!(order < FIRST_ID, "a request with a quantity creates an order");
    let order_with_min = call(panel, &key, &format!("{plain_order}&min=1&max=2")).await;
    assert!(order_with_min["error"].as_str().unwrap().contains("An order takes no min"), "{order_with_min}");
    panel.assert_healthy().await;
}

async fn an_invalid_request_is_refused_and_nothing_is_written(dialect: Dialect) {
    let (shop, key) = shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    let refused = async |fields: &str| {
        let answer = call(panel, &key, fields).await;
        answer["error"].as_str().unwrap_or_else(|| panic!("{fields}: {answer}")).to_owned()
    };
    for (fields, message) in [
        (add_request("&posts=x"), "Incorrect posts"),
        (add_request("&old_posts=900"), "Incorrect old_posts"),
        (add_request("&delay=-5"), "Incorrect delay"),
        (add_request("&expiry=19/11/2026"), "Incorrect expiry"),
        (add_request("&expiry=tomorrow"), "Incorrect expiry"),
        (add_request("&runs=3"), "takes no runs"),
        (format!("action=add&service={PLAIN}&username=&min=100&max=200"), "Incorrect username"),
        (format!("action=add&service={PLAIN}&username=a%20b&min=100&max=200"), "address of the channel"),
        (format!("action=add&service={PLAIN}&username=x&min=200&max=100"), "Incorrect max"),
        (format!("action=add&service={PLAIN}&username=x&min=10&max=100"), "Order 100 to"),
        ("action=add&service=999&username=x&min=100&max=100".to_owned(), "Incorrect service ID"),
    ] {
        assert!(refused(&fields).await.contains(message), "{fields}: {}", refused(&fields).await);
    }
    panel.execute(Sql::new("UPDATE services SET api_access = FALSE WHERE id = ?").bind(MODERATED)).await;
    let closed = format!("action=add&service={MODERATED}&username=x&min=100&max=100&posts=1");
    assert_eq!(refused(&closed).await, "Incorrect service ID");
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 1")).await;
    assert!(refused(&add_request("&posts=1")).await.contains("suspended"));
    assert_eq!(subscription_count(&shop).await, 0);
    panel.assert_healthy().await;
}

async fn the_active_subscriptions_of_a_customer_are_limited(dialect: Dialect) {
    let (shop, key) = shop_with_feeds(dialect).await;
    for index in 0..i64::from(MAX_SUBSCRIPTIONS) {
        assert_eq!(
            call(&shop.panel, &key, &add_request("&posts=1")).await,
            json!({ "order": FIRST_ID + index })
        );
    }
    let refused = call(&shop.panel, &key, &add_request("&posts=1")).await;
    assert!(refused["error"].as_str().unwrap().contains("20 active subscriptions"), "{refused}");
    assert_eq!(subscription_count(&shop).await, i64::from(MAX_SUBSCRIPTIONS));
    call(&shop.panel, &key, &format!("action=cancel&orders={FIRST_ID}")).await;
    let second_answer = call(&shop.panel, &key, &add_request("&posts=1")).await;
    assert_eq!(second_answer, json!({ "order": FIRST_ID + i64::from(MAX_SUBSCRIPTIONS) }));
}

async fn the_status_explains_why_no_order_is_placed(dialect: Dialect) {
    let (shop, key) = shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    panel.execute(Sql::new("UPDATE services SET max_quantity = 10000000")).await;
    let expensive =
        format!("action=add&service={PLAIN}&username={CHANNEL}&min=10000000&max=10000000&posts=5");
    call(panel, &key, &expensive).await;
    shop.publish(1, 1);
    shop.publish(2, 2);
    shop.advance_minutes(5);
    shop.run_until_idle().await;
    let status = call(panel, &key, &format!("action=status&order={FIRST_ID}")).await;
    assert_eq!((&status["status"], status["orders"].as_array().unwrap().len()), (&json!("Active"), 1));
    assert!(status["note"].as_str().unwrap().contains("balance is too low"), "{status}");
    panel
        .execute(Sql::new(
            "UPDATE subscriptions SET wait_reason = NULL, poll_error = '10.0.0.1 is a private address'",
        ))
        .await;
    let status = call(panel, &key, &format!("action=status&order={FIRST_ID}")).await;
    assert_eq!(status["note"], "The channel cannot be read now. The panel tries again.");
    panel.assert_healthy().await;
}

async fn one_call_cancels_subscriptions_and_orders(dialect: Dialect) {
    let (shop, key) = shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    panel.execute(Sql::new("UPDATE services SET cancel_by_client_is_allowed = TRUE")).await;
    call(panel, &key, &add_request("&posts=5&delay=60")).await;
    let link = format!("action=add&service={PLAIN}&link={CHANNEL}&quantity=100");
    let order = call(panel, &key, &link).await["order"].as_i64().unwrap();
    shop.publish(1, 1);
    shop.advance_minutes(5);
    shop.run_until_idle().await;
    let answer =
        call(panel, &key, &format!("action=cancel&orders={order},{FIRST_ID},{}", FIRST_ID + 8)).await;
    let unknown = json!({ "error": "Incorrect order ID" });
    assert_eq!(
        answer,
        json!([{ "order": order, "cancel": 1 }, { "order": FIRST_ID, "cancel": 1 }, { "order": FIRST_ID + 8, "cancel": unknown }])
    );
    let second_answer = call(panel, &key, &format!("action=cancel&order={FIRST_ID}")).await;
    assert!(second_answer[0]["cancel"]["error"].as_str().unwrap().contains("canceled"), "{second_answer}");
    shop.advance_minutes(120);
    shop.run_until_idle().await;
    assert_eq!(content::end_expired(&panel.app).await.unwrap(), 0);
    let status = call(panel, &key, &format!("action=status&order={FIRST_ID}")).await;
    assert_eq!((&status["status"], &status["orders"]), (&json!("Canceled"), &json!([])));
    assert_eq!(panel.main_balance(1).await, DEPOSIT);
    assert_eq!(call(panel, &key, &format!("action=refill&order={FIRST_ID}")).await, unknown);
    panel.assert_healthy().await;
}

async fn the_subscription_of_another_customer_is_unknown(dialect: Dialect) {
    let (shop, first) = shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    call(panel, &first, &add_request("&posts=5")).await;
    let other_key = create_api_key(panel, 2).await;
    let unknown = json!({ "error": "Incorrect order ID" });
    assert_eq!(call(panel, &other_key, &format!("action=status&order={FIRST_ID}")).await, unknown);
    let answer: Value = call(panel, &other_key, &format!("action=cancel&orders={FIRST_ID}")).await;
    assert_eq!(answer, json!([{ "order": FIRST_ID, "cancel": unknown }]));
    assert_eq!(call(panel, &first, &format!("action=status&order={FIRST_ID}")).await["status"], "Active");
    // The id in the database is no id of the reseller API: it would be an order's.
    assert_eq!(call(panel, &first, "action=status&order=1").await, unknown);
}
