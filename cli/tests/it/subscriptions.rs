//! Subscriptions: waiting posts, cancellation and renewal.

use panel_contract::amount::Money;
use panel_contract::ids::{ServiceId, UserId};
use panel_contract::subscriptions::BillingType;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_server::context::Ctx;
use panel_server::operations::subscriptions::content;
use panel_server::operations::subscriptions::start::{NewSubscription, ServiceQuantity, start};
use serde_json::json;

use crate::panel::Panel;

/// Starts a panel with a subscription whose first post has an order. The second post waits for a sufficient balance.
async fn panel_with_subscription() -> Panel {
    let panel = Panel::with_sample_data().await;
    let new_subscription = NewSubscription {
        user_id: UserId::new(1),
        name: "New videos".into(),
        url: "https://video.example/@channel".into(),
        kind: "video".into(),
        billing_type: BillingType::PerContent,
        contents_limit: 5,
        old_contents: 1,
        delay_minutes: 30,
        services: vec![ServiceQuantity { service_id: ServiceId::new(1), min: 100, max: 200 }],
        expired_at: None,
        period_days: None,
    };
    let mut work = Ctx::system(panel.app.clone(), "test").begin().await.unwrap();
    let id = start(&mut work, &new_subscription).await.unwrap();
    content::place_by_url(&mut work, id, "https://video.example/1").await.unwrap();
    work.finish(()).await.unwrap();
    let insert_waiting_post_sql = "INSERT INTO subscription_contents (subscription_id, url, status, due_at, last_error, created_at) VALUES (1, 'https://video.example/2', 'found', 1795190400000000, 'The balance does not reach', 1795190400000000)";
    (&mut &panel.app.db).execute(Sql::new(insert_waiting_post_sql)).await.unwrap();
    let set_wait_reason_sql = "UPDATE subscriptions SET wait_reason = 'The balance does not reach', poll_error = 'the response has the status 500'";
    (&mut &panel.app.db).execute(Sql::new(set_wait_reason_sql)).await.unwrap();
    panel
}

#[tokio::test]
async fn finds_and_shows_waiting_posts() {
    let panel = panel_with_subscription().await;
    let list = panel
        .run(&["subscriptions", "list", "--wait-reason", "balance", "--error", "500", "-o", "json"])
        .await;
    let rows = list.json();
    assert_eq!((&rows[0]["id"], &rows[0]["delay_minutes"]), (&json!(1), &json!(30)), "{}", list.transcript());
    let no_match =
        panel.run(&["subscriptions", "list", "--wait-reason", "something else", "-o", "json"]).await;
    assert_eq!(no_match.json(), json!([]));
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
    assert!(text.contains("The balance does not reach") && text.contains("status 500"), "{text}");
    let subscription = panel.run(&["subscriptions", "get", "1", "-o", "json"]).await.json();
    assert_eq!(subscription["subscription_contents"][0]["status"], "found");
    assert_eq!(subscription["subscription_contents"][1]["status"], "placed");
    let service = &subscription["subscription_services"][0];
    assert_eq!((&service["quantity"], &service["max_quantity"]), (&json!(100), &json!(200)));
    let table_output = panel.run(&["subscriptions", "get", "1", "-o", "table"]).await;
    assert!(table_output.ok().contains("wait_reason"), "{}", table_output.transcript());
}

#[tokio::test]
async fn a_canceled_subscription_skips_its_waiting_posts() {
    let panel = panel_with_subscription().await;
    let cancel_output = panel.run(&["subscriptions", "cancel", "1", "--yes"]).await;
    assert_eq!(cancel_output.code, 0, "{}", cancel_output.transcript());
    let subscription = panel.run(&["subscriptions", "get", "1", "-o", "json"]).await.json();
    assert_eq!((&subscription["status"], &subscription["next_poll_at"]), (&json!("canceled"), &json!(null)));
    assert_eq!(subscription["subscription_contents"][0]["status"], "skipped");
    assert_eq!(subscription["wait_reason"], json!(null));
}

#[tokio::test]
async fn renews_a_paused_subscription() {
    let panel = panel_with_subscription().await;
    let rejected = panel.run(&["subscriptions", "renew", "1", "--yes"]).await;
    assert!(
        rejected.code != 0 && rejected.transcript().contains("Only a paused subscription"),
        "{}",
        rejected.transcript()
    );
    let pause_subscription_sql = "UPDATE subscriptions SET billing_type = 'recurring', period_days = 30, period_contents = 5, renews_at = 1, paused_at = 1";
    (&mut &panel.app.db).execute(Sql::new(pause_subscription_sql)).await.unwrap();
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
    let balance_before = panel.load_customer_money("balance_main").await;
    let preview = panel.run(&["subscriptions", "renew", "1", "--dry-run", "-o", "json"]).await.json();
    assert_eq!(
        panel.load_customer_money("balance_main").await,
        balance_before,
        "a dry run must charge nothing"
    );
    let renew_output = panel.run(&["subscriptions", "renew", "1", "--yes", "-o", "json"]).await;
    assert_eq!(renew_output.code, 0, "{}", renew_output.transcript());
    let paid_amount = Money(balance_before.0 - panel.load_customer_money("balance_main").await.0);
    assert!(paid_amount > Money::ZERO, "{}", renew_output.transcript());
    assert_eq!(
        (&renew_output.json()["charged"], &preview["charged"]),
        (&json!(paid_amount), &json!(paid_amount))
    );
    let subscription = panel.run(&["subscriptions", "get", "1", "-o", "json"]).await.json();
    assert_eq!(
        (&subscription["paused_at"], &subscription["period_days"]),
        (&json!(null), &json!(30)),
        "{subscription}"
    );
}
