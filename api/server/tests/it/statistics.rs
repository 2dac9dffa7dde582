//! What providers did for an order, booked by hand.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};

const ADD: &str = "/api/v1/admin/provider-statistics";
/// The day before the harness's now.
const YESTERDAY: &str = "2026-11-19";
const TODAY: &str = "2026-11-20";

both! {
    what_is_booked_adds_up;
    what_is_wrong_is_named_by_row;
    only_an_order_that_runs_and_only_who_may;
    two_at_once_lose_nothing;
}

async fn panel(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 3, 6).await;
    panel
        .exec(Sql::new("INSERT INTO service_providers (service_id, provider_id, position) VALUES (1, 2, 1)"))
        .await;
    panel
}

async fn add(panel: &Panel, order: i64, date: &str, rows: Value) -> Answer {
    let body = json!({ "order_id": order, "date": date, "provider_statistics": rows });
    panel.send("owner", "POST", ADD, &body, None).await
}

async fn what_is_booked_adds_up(dialect: Dialect) {
    let panel = panel(dialect).await;
    let rows = json!([{ "provider_id": 1, "cost": "0.5", "quantity": 40 }, { "provider_id": 2, "cost": "0.25", "quantity": 10 }]);
    let answer = add(&panel, 1, YESTERDAY, rows).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    assert_eq!(answer.json()["data"][0]["cost"], "0.5");
    assert_eq!(
        add(&panel, 1, TODAY, json!([{ "provider_id": 1, "cost": "1", "quantity": 5 }])).await.status,
        200
    );
    let shown = panel.order(1).await;
    assert_eq!((&shown["provider_cost"], &shown["current_quantity"]), (&json!("1.75"), &json!(55)));
    // The same day again replaces; nothing at all takes away.
    assert_eq!(
        add(&panel, 1, YESTERDAY, json!([{ "provider_id": 1, "cost": "0", "quantity": 0 }])).await.status,
        200
    );
    let shown = panel.order(1).await;
    assert_eq!((&shown["provider_cost"], &shown["current_quantity"]), (&json!("1.25"), &json!(15)));
    let list =
        panel.get("/api/v1/admin/providers/get-available-for-manual-add-statistics?order_id=1").await.json();
    assert_eq!(list["data"][0]["quantity"], 5);
    assert_eq!(list["data"][1]["cost"], "0.25");
    panel.assert_healthy().await;
}

async fn what_is_wrong_is_named_by_row(dialect: Dialect) {
    let panel = panel(dialect).await;
    let rows = json!([{ "provider_id": 1, "cost": "-1", "quantity": 1 }, { "provider_id": 9, "cost": "1", "quantity": 1 }]);
    let answer = add(&panel, 1, "2031-01-01", rows).await;
    assert_eq!(answer.status, 422);
    let body = answer.json();
    let named: Vec<_> = body["errors"].as_object().unwrap().keys().collect();
    assert_eq!(named, ["date", "provider_statistics.0.cost", "provider_statistics.1.provider_id"]);
    let one = json!([{ "provider_id": 1, "cost": "1", "quantity": 1 }]);
    assert!(add(&panel, 99, TODAY, one).await.json()["errors"]["order_id"].is_array());
    assert_eq!(panel.order(1).await["provider_cost"], "0");
}

async fn only_an_order_that_runs_and_only_who_may(dialect: Dialect) {
    let panel = panel(dialect).await;
    panel.staff("viewer", &[Permission::ViewOrders]).await;
    let one = json!([{ "provider_id": 1, "cost": "1", "quantity": 1 }]);
    panel.exec(Sql::new("UPDATE orders SET status = 'in_moderation' WHERE id = 2")).await;
    assert_eq!(add(&panel, 2, TODAY, one.clone()).await.says(), (409, "order_not_started".into()));
    for (order, is_bookable) in [(1, true), (2, false)] {
        assert_eq!(panel.order(order).await["actions"]["delivery_bookable"], is_bookable, "order {order}");
    }
    let body = json!({ "order_id": 1, "date": TODAY, "provider_statistics": one });
    assert_eq!(panel.send("viewer", "POST", ADD, &body, None).await.status, 403);
}

async fn two_at_once_lose_nothing(dialect: Dialect) {
    let panel = panel(dialect).await;
    let row = |provider: i64| json!([{ "provider_id": provider, "cost": "1", "quantity": 7 }]);
    let (first, second) = tokio::join!(add(&panel, 1, TODAY, row(1)), add(&panel, 1, TODAY, row(2)));
    assert_eq!((first.says().0, second.says().0), (200, 200));
    let shown = panel.order(1).await;
    assert_eq!((&shown["provider_cost"], &shown["current_quantity"]), (&json!("2"), &json!(14)));
}
