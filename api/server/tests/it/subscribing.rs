//! Customers' programs subscribe by the reseller API, follow their subscription and end it.

use axum::http::Request;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::subscriptions::content;
use serde_json::{Value, json};

use crate::contents::{Followed, MOST};
use crate::intake::{call, key};
use crate::shop::{DEPOSIT, MODERATED, PLAIN};

both! {
    a_program_subscribes_and_follows;
    json_and_other_habits_are_understood;
    what_is_wrong_is_refused_with_nothing_written;
    a_customer_cannot_have_any_number_run;
    a_customer_sees_why_nothing_comes;
    a_subscription_is_ended_beside_orders;
    anothers_subscription_does_not_exist;
}

const CHANNEL: &str = "https%3A%2F%2Fvideo.example%2F%40channel";
/// The first subscription, as the API returns it.
const FIRST: i64 = 2_000_000_001;

async fn followed(dialect: Dialect) -> (Followed, String) {
    let followed = Followed::on(dialect).await;
    let panel = &followed.panel;
    let may =
        [Permission::ViewUsers, Permission::ManageApiKeys, Permission::ManageOrders, Permission::ViewOrders];
    panel.staff("ada", &may).await;
    panel.exec(Sql::new("UPDATE services SET api_access = TRUE")).await;
    let key = key(panel, 1).await;
    (followed, key)
}

fn add(rest: &str) -> String {
    format!("action=add&service={PLAIN}&username={CHANNEL}&min=1000&max=1000{rest}")
}

async fn count(followed: &Followed) -> i64 {
    followed.panel.number(Sql::new("SELECT count(*) FROM subscriptions")).await
}

async fn a_program_subscribes_and_follows(dialect: Dialect) {
    let (followed, key) = followed(dialect).await;
    let panel = &followed.panel;
    followed.publish(1, -10);
    followed.publish(2, -5);
    // NOW is the 20th of November 2026.
    let said = call(panel, &key, &add("&posts=2&old_posts=1&delay=30&expiry=25/11/2026")).await;
    assert_eq!(said, json!({ "order": FIRST }));
    let status = format!("action=status&order={FIRST}");
    let expected = json!({ "status": "Active", "expiry": "25/11/2026", "posts": "2", "orders": [] });
    assert_eq!(call(panel, &key, &status).await, expected);
    followed.settle().await;
    let orders = call(panel, &key, &status).await["orders"].clone();
    let first: Vec<String> = serde_json::from_value(orders).unwrap();
    assert_eq!(first.len(), 1, "the newest old one");
    let order = call(panel, &key, &format!("action=status&order={}", first[0])).await;
    assert_eq!((&order["charge"], &order["status"]), (&json!("10"), &json!("Processing")));
    followed.publish(3, 1);
    followed.publish(4, 2);
    for _ in 0..3 {
        followed.pass(31);
        followed.settle().await;
    }
    let done = call(panel, &key, &status).await;
    assert_eq!((&done["status"], done["orders"].as_array().unwrap().len()), (&json!("Completed"), 3));
    assert_eq!(followed.ordered(1).await, ["2", "3", "4"]);
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 30_000_000);
    let shown = followed.shown(1).await;
    assert_eq!((&shown["type"], &shown["billing_type"]), (&json!("video"), &json!("per_content")));
    assert_eq!(
        (&shown["delay_minutes"], &shown["old_contents"], &shown["contents_limit"]),
        (&json!(30), &json!(1), &json!(3))
    );
    let audited = "SELECT count(*) FROM audits WHERE event = 'subscription.started' AND auditable_id = 1";
    assert_eq!(panel.number(Sql::new(audited)).await, 1);
    panel.assert_healthy().await;
}

async fn json_and_other_habits_are_understood(dialect: Dialect) {
    let (followed, key) = followed(dialect).await;
    let panel = &followed.panel;
    let body = json!({ "key": key, "action": "add", "service": PLAIN, "username": "@channel", "min": 100, "max": "200", "posts": 0, "delay": 90, "runs": "", "quantity": "" });
    let request = Request::post("/api/v2").header("content-type", "application/json");
    let answer = panel.answer(request.body(body.to_string().into()).unwrap()).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({ "order": FIRST })));
    let linked = format!("action=add&service={PLAIN}&link={CHANNEL}&min=100&max=200&posts=5");
    assert_eq!(call(panel, &key, &linked).await, json!({ "order": FIRST + 1 }));
    let many = call(panel, &key, &format!("action=status&orders={FIRST},{},7", FIRST + 1)).await;
    let no_limit = json!({ "status": "Active", "expiry": null, "posts": "0", "orders": [] });
    assert_eq!(many[FIRST.to_string()], no_limit);
    assert_eq!(
        (&many[(FIRST + 1).to_string()]["posts"], &many["7"]["error"]),
        (&json!("5"), &json!("Incorrect order ID"))
    );
    let plain = format!("action=add&service={PLAIN}&link={CHANNEL}&quantity=100");
    let order = call(panel, &key, &format!("{plain}&min=&max=&username=")).await["order"].as_i64().unwrap();
    assert!(order < FIRST, "with a quantity it is an order");
    let both = call(panel, &key, &format!("{plain}&min=1&max=2")).await;
    assert!(both["error"].as_str().unwrap().contains("An order takes no min"), "{both}");
    panel.assert_healthy().await;
}

async fn what_is_wrong_is_refused_with_nothing_written(dialect: Dialect) {
    let (followed, key) = followed(dialect).await;
    let panel = &followed.panel;
    let refused = async |fields: &str| {
        let said = call(panel, &key, fields).await;
        said["error"].as_str().unwrap_or_else(|| panic!("{fields}: {said}")).to_owned()
    };
    for (fields, says) in [
        (add("&posts=x"), "Incorrect posts"),
        (add("&old_posts=900"), "Incorrect old_posts"),
        (add("&delay=-5"), "Incorrect delay"),
        (add("&expiry=19/11/2026"), "Incorrect expiry"),
        (add("&expiry=tomorrow"), "Incorrect expiry"),
        (add("&runs=3"), "takes no runs"),
        (format!("action=add&service={PLAIN}&username=&min=100&max=200"), "Incorrect username"),
        (format!("action=add&service={PLAIN}&username=a%20b&min=100&max=200"), "address of the channel"),
        (format!("action=add&service={PLAIN}&username=x&min=200&max=100"), "Incorrect max"),
        (format!("action=add&service={PLAIN}&username=x&min=10&max=100"), "Order 100 to"),
        ("action=add&service=999&username=x&min=100&max=100".to_owned(), "Incorrect service ID"),
    ] {
        assert!(refused(&fields).await.contains(says), "{fields}: {}", refused(&fields).await);
    }
    panel.exec(Sql::new("UPDATE services SET api_access = FALSE WHERE id = ?").bind(MODERATED)).await;
    let closed = format!("action=add&service={MODERATED}&username=x&min=100&max=100&posts=1");
    assert_eq!(refused(&closed).await, "Incorrect service ID");
    panel.exec(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 1")).await;
    assert!(refused(&add("&posts=1")).await.contains("suspended"));
    assert_eq!(count(&followed).await, 0);
    panel.assert_healthy().await;
}

async fn a_customer_cannot_have_any_number_run(dialect: Dialect) {
    let (followed, key) = followed(dialect).await;
    for at in 0..i64::from(MOST) {
        assert_eq!(call(&followed.panel, &key, &add("&posts=1")).await, json!({ "order": FIRST + at }));
    }
    let refused = call(&followed.panel, &key, &add("&posts=1")).await;
    assert!(refused["error"].as_str().unwrap().contains("20 active subscriptions"), "{refused}");
    assert_eq!(count(&followed).await, i64::from(MOST));
    call(&followed.panel, &key, &format!("action=cancel&orders={FIRST}")).await;
    let again = call(&followed.panel, &key, &add("&posts=1")).await;
    assert_eq!(again, json!({ "order": FIRST + i64::from(MOST) }));
}

async fn a_customer_sees_why_nothing_comes(dialect: Dialect) {
    let (followed, key) = followed(dialect).await;
    let panel = &followed.panel;
    panel.exec(Sql::new("UPDATE services SET max_quantity = 10000000")).await;
    let dear = format!("action=add&service={PLAIN}&username={CHANNEL}&min=10000000&max=10000000&posts=5");
    call(panel, &key, &dear).await;
    followed.publish(1, 1);
    followed.publish(2, 2);
    followed.pass(5);
    followed.settle().await;
    let status = call(panel, &key, &format!("action=status&order={FIRST}")).await;
    assert_eq!((&status["status"], status["orders"].as_array().unwrap().len()), (&json!("Active"), 1));
    assert!(status["note"].as_str().unwrap().contains("balance is too low"), "{status}");
    panel
        .exec(Sql::new(
            "UPDATE subscriptions SET wait_reason = NULL, look_error = '10.0.0.1 is a private address'",
        ))
        .await;
    let status = call(panel, &key, &format!("action=status&order={FIRST}")).await;
    assert_eq!(status["note"], "The channel cannot be read now; it is tried again.");
    panel.assert_healthy().await;
}

async fn a_subscription_is_ended_beside_orders(dialect: Dialect) {
    let (followed, key) = followed(dialect).await;
    let panel = &followed.panel;
    panel.exec(Sql::new("UPDATE services SET cancel_by_client_is_allowed = TRUE")).await;
    call(panel, &key, &add("&posts=5&delay=60")).await;
    let link = format!("action=add&service={PLAIN}&link={CHANNEL}&quantity=100");
    let order = call(panel, &key, &link).await["order"].as_i64().unwrap();
    followed.publish(1, 1);
    followed.pass(5);
    followed.settle().await;
    let said = call(panel, &key, &format!("action=cancel&orders={order},{FIRST},{}", FIRST + 8)).await;
    let unknown = json!({ "error": "Incorrect order ID" });
    assert_eq!(
        said,
        json!([{ "order": order, "cancel": 1 }, { "order": FIRST, "cancel": 1 }, { "order": FIRST + 8, "cancel": unknown }])
    );
    let again = call(panel, &key, &format!("action=cancel&order={FIRST}")).await;
    assert!(again[0]["cancel"]["error"].as_str().unwrap().contains("canceled"), "{again}");
    followed.pass(120);
    followed.settle().await;
    assert_eq!(content::end_expired(&panel.app).await.unwrap(), 0);
    let status = call(panel, &key, &format!("action=status&order={FIRST}")).await;
    assert_eq!((&status["status"], &status["orders"]), (&json!("Canceled"), &json!([])));
    assert_eq!(panel.balances(1).await.0, DEPOSIT);
    assert_eq!(call(panel, &key, &format!("action=refill&order={FIRST}")).await, unknown);
    panel.assert_healthy().await;
}

async fn anothers_subscription_does_not_exist(dialect: Dialect) {
    let (followed, first) = followed(dialect).await;
    let panel = &followed.panel;
    call(panel, &first, &add("&posts=5")).await;
    let other = key(panel, 2).await;
    let unknown = json!({ "error": "Incorrect order ID" });
    assert_eq!(call(panel, &other, &format!("action=status&order={FIRST}")).await, unknown);
    let said: Value = call(panel, &other, &format!("action=cancel&orders={FIRST}")).await;
    assert_eq!(said, json!([{ "order": FIRST, "cancel": unknown }]));
    assert_eq!(call(panel, &first, &format!("action=status&order={FIRST}")).await["status"], "Active");
    // The bare number is an order's, and there is none.
    assert_eq!(call(panel, &first, "action=status&order=1").await, unknown);
}
