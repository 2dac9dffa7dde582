//! Manual provider statistics: staff record the quantity that each provider delivered for an order, and the cost.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};

const STATISTICS_PATH: &str = "/api/v1/admin/provider-statistics";
/// The day before `NOW`.
const YESTERDAY: &str = "2026-11-19";
const TODAY: &str = "2026-11-20";

test_both_databases! {
    recorded_statistics_are_added_up;
    an_error_names_the_invalid_row;
    statistics_need_a_running_order_and_a_permission;
    concurrent_records_are_both_counted;
}

async fn panel_with_providers(dialect: Dialect) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 3, 6).await;
    panel
        .execute(Sql::new(
            "INSERT INTO service_providers (service_id, provider_id, position) VALUES (1, 2, 1)",
        ))
        .await;
    panel
}

async fn add_statistics(panel: &Panel, order: i64, date: &str, rows: Value) -> TestResponse {
    let body = json!({ "order_id": order, "date": date, "provider_statistics": rows });
    panel.send("owner", "POST", STATISTICS_PATH, &body, None).await
}

async fn recorded_statistics_are_added_up(dialect: Dialect) {
    let panel = panel_with_providers(dialect).await;
    let rows = json!([{ "provider_id": 1, "cost": "0.5", "quantity": 40 }, { "provider_id": 2, "cost": "0.25", "quantity": 10 }]);
    let response = add_statistics(&panel, 1, YESTERDAY, rows).await;
    assert_eq!(response.status, 200, "{}", response.json());
    assert_eq!(response.json()["data"][0]["cost"], "0.5");
    assert_eq!(
        add_statistics(&panel, 1, TODAY, json!([{ "provider_id": 1, "cost": "1", "quantity": 5 }]))
            .await
            .status,
        200
    );
    let order = panel.fetch_order(1).await;
    assert_eq!((&order["provider_cost"], &order["current_quantity"]), (&json!("1.75"), &json!(55)));
    // A second record for the same day replaces the first, and zero removes it.
    assert_eq!(
        add_statistics(&panel, 1, YESTERDAY, json!([{ "provider_id": 1, "cost": "0", "quantity": 0 }]))
            .await
            .status,
        200
    );
    let order = panel.fetch_order(1).await;
    assert_eq!((&order["provider_cost"], &order["current_quantity"]), (&json!("1.25"), &json!(15)));
    let list =
        panel.get("/api/v1/admin/providers/get-available-for-manual-add-statistics?order_id=1").await.json();
    assert_eq!(list["data"][0]["quantity"], 5);
    assert_eq!(list["data"][1]["cost"], "0.25");
    panel.assert_healthy().await;
}

async fn an_error_names_the_invalid_row(dialect: Dialect) {
    let panel = panel_with_providers(dialect).await;
    let rows = json!([{ "provider_id": 1, "cost": "-1", "quantity": 1 }, { "provider_id": 9, "cost": "1", "quantity": 1 }]);
    let response = add_statistics(&panel, 1, "2031-01-01", rows).await;
    assert_eq!(response.status, 422);
    let body = response.json();
    let error_fields: Vec<_> = body["errors"].as_object().unwrap().keys().collect();
    assert_eq!(error_fields, ["date", "provider_statistics.0.cost", "provider_statistics.1.provider_id"]);
    let statistics = json!([{ "provider_id": 1, "cost": "1", "quantity": 1 }]);
    assert!(add_statistics(&panel, 99, TODAY, statistics).await.json()["errors"]["order_id"].is_array());
    assert_eq!(panel.fetch_order(1).await["provider_cost"], "0");
}

async fn statistics_need_a_running_order_and_a_permission(dialect: Dialect) {
    let panel = panel_with_providers(dialect).await;
    panel.create_staff("viewer", &[Permission::ViewOrders]).await;
    let statistics = json!([{ "provider_id": 1, "cost": "1", "quantity": 1 }]);
    panel.execute(Sql::new("UPDATE orders SET status = 'in_moderation' WHERE id = 2")).await;
    assert_eq!(
        add_statistics(&panel, 2, TODAY, statistics.clone()).await.status_and_code(),
        (409, "order_not_started".into())
    );
    for (order_id, is_bookable) in [(1, true), (2, false)] {
        assert_eq!(
            panel.fetch_order(order_id).await["actions"]["delivery_bookable"],
            is_bookable,
            "order {order_id}"
        );
    }
    let body = json!({ "order_id": 1, "date": TODAY, "provider_statistics": statistics });
    assert_eq!(panel.send("viewer", "POST", STATISTICS_PATH, &body, None).await.status, 403);
}

async fn concurrent_records_are_both_counted(dialect: Dialect) {
    let panel = panel_with_providers(dialect).await;
    let statistics_for = |provider: i64| json!([{ "provider_id": provider, "cost": "1", "quantity": 7 }]);
    let (first_response, second_response) = tokio::join!(
        add_statistics(&panel, 1, TODAY, statistics_for(1)),
        add_statistics(&panel, 1, TODAY, statistics_for(2))
    );
    assert_eq!((first_response.status_and_code().0, second_response.status_and_code().0), (200, 200));
    let order = panel.fetch_order(1).await;
    assert_eq!((&order["provider_cost"], &order["current_quantity"]), (&json!("2"), &json!(14)));
}
