//! Subscriptions: posts that wait for their orders, cancellation and renewal.

use panel_contract::amount::Money;
use panel_contract::ids::{ServiceId, UserId};
use panel_contract::subscriptions::BillingType;
use panel_platform::db::{Source as _, Sql};
use panel_server::context::Ctx;
use panel_server::operations::subscriptions::content;
use panel_server::operations::subscriptions::start::{NewSubscription, ServiceQuantity, start};
use serde_json::json;

use crate::panel::Panel;

/// A shop with a subscription whose first post has an order and whose second waits for a sufficient balance.
async fn shop() -> Panel {
    let panel = Panel::shop().await;
    let new = NewSubscription {
        user_id: UserId::new(1),
        name: "New videos".into(),
        url: "https://video.example/@channel".into(),
        kind: "video".into(),
        billing_type: BillingType::PerContent,
        contents_limit: 5,
        old_contents: 1,
        delay_minutes: 30,
        services: vec![ServiceQuantity { service_id: ServiceId::new(1), least: 100, most: 200 }],
        expired_at: None,
        period_days: None,
    };
    let mut work = Ctx::system(panel.app.clone(), "test").begin().await.unwrap();
    let id = start(&mut work, &new).await.unwrap();
    content::place_by_url(&mut work, id, "https://video.example/1").await.unwrap();
    work.finish(()).await.unwrap();
    let waits = "INSERT INTO subscription_contents (subscription_id, url, status, due_at, last_error, created_at) VALUES (1, 'https://video.example/2', 'found', 1795190400000000, 'The balance does not reach', 1795190400000000)";
    (&mut &panel.app.db).exec(Sql::new(waits)).await.unwrap();
    let why = "UPDATE subscriptions SET wait_reason = 'The balance does not reach', look_error = 'the other side answered 500'";
    (&mut &panel.app.db).exec(Sql::new(why)).await.unwrap();
    panel
}

#[tokio::test]
async fn waiting_posts_are_found_and_shown() {
    let panel = shop().await;
    let list =
        panel.run(&["subscriptions", "list", "--waits", "balance", "--trouble", "500", "-o", "json"]).await;
    let rows = list.json();
    assert_eq!((&rows[0]["id"], &rows[0]["delay_minutes"]), (&json!(1), &json!(30)), "{}", list.transcript());
    let none = panel.run(&["subscriptions", "list", "--waits", "something else", "-o", "json"]).await;
    assert_eq!(none.json(), json!([]));
    let table = panel
        .run(&[
            "subscriptions",
            "list",
            "--columns",
            "id,delay_minutes,wait_reason,last_error",
            "-o",
            "table",
        ])
        .await;
    let text = table.ok();
    assert!(text.contains("The balance does not reach") && text.contains("answered 500"), "{text}");
    let one = panel.run(&["subscriptions", "get", "1", "-o", "json"]).await.json();
    assert_eq!(one["subscription_contents"][0]["status"], "found");
    assert_eq!(one["subscription_contents"][1]["status"], "placed");
    let service = &one["subscription_services"][0];
    assert_eq!((&service["quantity"], &service["max_quantity"]), (&json!(100), &json!(200)));
    let card = panel.run(&["subscriptions", "get", "1", "-o", "table"]).await;
    assert!(card.ok().contains("wait_reason"), "{}", card.transcript());
}

#[tokio::test]
async fn a_canceled_subscription_leaves_waiting_posts() {
    let panel = shop().await;
    let done = panel.run(&["subscriptions", "cancel", "1", "--yes"]).await;
    assert_eq!(done.code, 0, "{}", done.transcript());
    let one = panel.run(&["subscriptions", "get", "1", "-o", "json"]).await.json();
    assert_eq!((&one["status"], &one["look_at"]), (&json!("canceled"), &json!(null)));
    assert_eq!(one["subscription_contents"][0]["status"], "left");
    assert_eq!(one["wait_reason"], json!(null));
}

#[tokio::test]
async fn a_paused_subscription_is_renewed() {
    let panel = shop().await;
    let refused = panel.run(&["subscriptions", "renew", "1", "--yes"]).await;
    assert!(
        refused.code != 0 && refused.transcript().contains("Only a paused subscription"),
        "{}",
        refused.transcript()
    );
    let paused = "UPDATE subscriptions SET billing_type = 'recurring', period_days = 30, period_contents = 5, renews_at = 1, paused_at = 1";
    (&mut &panel.app.db).exec(Sql::new(paused)).await.unwrap();
    let list = panel
        .run(&[
            "subscriptions",
            "list",
            "--paused",
            "..2030-01-01",
            "--columns",
            "id,period_days",
            "-o",
            "json",
        ])
        .await;
    assert_eq!(list.json()[0]["period_days"], 30, "{}", list.transcript());
    let before = panel.money("balance_main").await;
    let preview = panel.run(&["subscriptions", "renew", "1", "--dry-run", "-o", "json"]).await.json();
    assert_eq!(panel.money("balance_main").await, before, "dry run only");
    let done = panel.run(&["subscriptions", "renew", "1", "--yes", "-o", "json"]).await;
    assert_eq!(done.code, 0, "{}", done.transcript());
    let paid = Money(before.0 - panel.money("balance_main").await.0);
    assert!(paid > Money::ZERO, "{}", done.transcript());
    assert_eq!((&done.json()["charged"], &preview["charged"]), (&json!(paid), &json!(paid)));
    let one = panel.run(&["subscriptions", "get", "1", "-o", "json"]).await.json();
    assert_eq!((&one["paused_at"], &one["period_days"]), (&json!(null), &json!(30)), "{one}");
}
