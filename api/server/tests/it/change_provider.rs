//! Tests changing the provider of an order: the new quantity is at most the missing quantity unless staff give a reason, and staff
//! must confirm a loss.

use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};

test_both_databases! {
    the_quantity_is_at_most_the_missing_quantity;
    a_larger_quantity_needs_a_reason;
    a_dry_run_returns_costs_and_margins;
    a_loss_needs_confirmation;
    an_unknown_cost_needs_the_same_confirmation_as_a_loss;
    the_offer_of_a_provider_has_quantity_and_margin;
    units_of_an_attempt_with_a_rejected_cancel_are_not_missing;
    an_order_keeps_a_provider_that_its_service_does_not_have;
}

const CHANGE_PROVIDER: &str = "/api/v1/admin/orders/change-provider";

impl Panel {
    /// Starts a panel where order 1 has 200 units and costs 2, and where provider 1 costs `provider_price` per 1,000 units, in
    /// millionths.
    async fn with_provider_price(dialect: Dialect, provider_price: i64) -> Self {
        let panel = Self::with_users_and_orders(dialect, 5, 10).await;
        let sql = Sql::new(
            "UPDATE providers SET source_price = ?, source_pricing_per = 1000, source_currency = 'USD' WHERE id = 1",
        );
        panel.execute(sql.bind(provider_price)).await;
        panel
    }

    async fn change_provider(&self, body: Value) -> TestResponse {
        let mut request = json!({ "provider_id": 1, "order_ids": [1] });
        for (field, value) in body.as_object().unwrap() {
            request[field] = value.clone();
        }
        self.post(CHANGE_PROVIDER, &request).await
    }

    async fn fetch_attempt_quantities(&self) -> Vec<(i64,)> {
        let sql =
            Sql::new("SELECT initial_quantity FROM external_panel_orders WHERE order_id = 1 ORDER BY id");
        (&mut &self.app.db).fetch_all(sql).await.unwrap()
    }
}

async fn the_quantity_is_at_most_the_missing_quantity(dialect: Dialect) {
    let panel = Panel::with_provider_price(dialect, 1_000_000).await;
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 60 WHERE id = 1")).await;
    let rejected_response = panel.change_provider(json!({ "quantity": 50_000_000 })).await;
    assert_eq!(
        (rejected_response.status.as_u16(), &rejected_response.json()["code"]),
        (422, &json!("quantity_above_missing"))
    );
    assert!(
        rejected_response.json()["errors"]["quantity"][0].as_str().unwrap().contains("140"),
        "{}",
        rejected_response.text
    );
    assert_eq!(panel.change_provider(json!({ "quantity": 141 })).await.status, 422);
    let bulk_result = panel
        .post(CHANGE_PROVIDER, &json!({ "provider_id": 1, "order_ids": [1, 2], "quantity": 150 }))
        .await
        .json();
    assert_eq!(
        (&bulk_result["processed"], &bulk_result["skipped"][0]["code"]),
        (&json!(1), &json!("quantity_above_missing"))
    );
    assert_eq!(panel.change_provider(json!({ "quantity": 140 })).await.status, 200);
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 200 WHERE id = 1")).await;
    assert_eq!(
        panel.change_provider(json!({ "quantity": 600 })).await.json()["code"],
        "quantity_above_missing"
    );
    assert_eq!(panel.change_provider(json!({})).await.json()["code"], "nothing_processed");
    assert_eq!(panel.fetch_attempt_quantities().await, [(140,)]);
}

async fn a_larger_quantity_needs_a_reason(dialect: Dialect) {
    let panel = Panel::with_provider_price(dialect, 1_000_000).await;
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 200 WHERE id = 1")).await;
    let without_reason =
        panel.change_provider(json!({ "quantity": 600, "allow_excess": true, "reason": " " })).await;
    assert_eq!(
        (without_reason.status.as_u16(), &without_reason.json()["code"]),
        (422, &json!("reason_required"))
    );
    assert!(without_reason.json()["errors"]["reason"].is_array());
    let body = json!({ "provider_id": 1, "order_ids": [1], "quantity": 600, "allow_excess": true });
    let dry_run = panel.post(&format!("{CHANGE_PROVIDER}?dry_run=1"), &body).await;
    assert_eq!(
        (dry_run.status.as_u16(), &dry_run.json()["costs"]["orders"][0]["quantity"]),
        (200, &json!(600))
    );
    let body = json!({ "quantity": 600, "allow_excess": true, "reason": "The counter dropped." });
    assert_eq!(panel.change_provider(body).await.status, 200);
    assert_eq!(panel.fetch_attempt_quantities().await, [(600,)]);
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'order.provider_changed' AND new_values LIKE '%The counter dropped.%'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
}

async fn a_dry_run_returns_costs_and_margins(dialect: Dialect) {
    let panel = Panel::with_provider_price(dialect, 2_500_000).await;
    panel
        .execute(Sql::new("UPDATE orders SET current_quantity = 100, provider_cost = 250000 WHERE id = 1"))
        .await;
    let body = json!({ "provider_id": 1, "order_ids": [1, 2] });
    let dry_run = panel.post(&format!("{CHANGE_PROVIDER}?dry_run=1"), &body).await.json();
    // The customer paid 2. The provider cost is 0.25 so far, and 100 units at 2.5 per 1,000 cost 0.25 more.
    let expected_order = json!({ "id": 1, "quantity": 100,
      "margin": { "provider_cost": "0.25", "margin": "1.5", "margin_fraction": "0.75" } });
    assert_eq!(dry_run["costs"]["orders"][0], expected_order);
    assert_eq!(dry_run["costs"]["orders"][1]["quantity"], 300);
    // The customer of the other order paid 3, and its 300 units cost 0.75.
    assert_eq!((&dry_run["totals"]["services"], &dry_run["totals"]["customers"]), (&json!(1), &json!(2)));
    let expected_total = json!({ "provider_cost": "1", "margin": "3.75", "margin_fraction": "0.75" });
    assert_eq!(dry_run["costs"]["total"], expected_total);
    assert!(panel.fetch_attempt_quantities().await.is_empty(), "a dry run must not place an order");
    panel.execute(Sql::new("UPDATE providers SET source_currency = 'XXX' WHERE id = 1")).await;
    let dry_run_with_unknown_cost = panel.post(&format!("{CHANGE_PROVIDER}?dry_run=1"), &body).await.json();
    assert!(
        dry_run_with_unknown_cost["costs"]["total"].is_null()
            && dry_run_with_unknown_cost["costs"]["orders"][0]["margin"].is_null()
    );
}

async fn a_loss_needs_confirmation(dialect: Dialect) {
    let panel = Panel::with_provider_price(dialect, 50_000_000).await;
    let dry_run = panel
        .post(&format!("{CHANGE_PROVIDER}?dry_run=1"), &json!({ "provider_id": 1, "order_ids": [1] }))
        .await;
    assert_eq!(dry_run.json()["costs"]["total"]["margin"], "-8", "{}", dry_run.text);
    let rejected_response = panel.change_provider(json!({})).await;
    assert_eq!(
        (rejected_response.status.as_u16(), &rejected_response.json()["code"]),
        (422, &json!("negative_margin"))
    );
    assert!(rejected_response.json()["errors"]["confirm_negative_margin"].is_array());
    assert!(panel.fetch_attempt_quantities().await.is_empty());
    assert_eq!(panel.change_provider(json!({ "confirm_negative_margin": true })).await.status, 200);
    assert_eq!(panel.fetch_attempt_quantities().await, [(200,)]);
}

/// A currency without an exchange rate needs the same confirmation as a loss; a cost above the largest amount is rejected.
async fn an_unknown_cost_needs_the_same_confirmation_as_a_loss(dialect: Dialect) {
    let panel = Panel::with_provider_price(dialect, 1_000_000).await;
    panel.execute(Sql::new("UPDATE providers SET source_currency = 'XXX' WHERE id = 1")).await;
    let rejected_response = panel.change_provider(json!({})).await;
    assert_eq!(
        (rejected_response.status.as_u16(), &rejected_response.json()["code"]),
        (422, &json!("unknown_margin"))
    );
    assert!(
        rejected_response.json()["errors"]["confirm_negative_margin"][0].as_str().unwrap().contains("XXX")
    );
    assert!(panel.fetch_attempt_quantities().await.is_empty());
    assert_eq!(panel.change_provider(json!({ "confirm_negative_margin": true })).await.status, 200);
    assert_eq!(panel.fetch_attempt_quantities().await, [(200,)]);
    let set_huge_price_sql = Sql::new(
        "UPDATE providers SET source_price = ?, source_pricing_per = 1, source_currency = 'USD' WHERE id = 1",
    );
    panel.execute(set_huge_price_sql.bind(i64::MAX / 2)).await;
    for body in [json!({}), json!({ "confirm_negative_margin": true })] {
        let rejected_response = panel.change_provider(body).await;
        assert_eq!(rejected_response.json()["code"], "provider_cost_too_large", "{}", rejected_response.text);
    }
    assert_eq!(panel.fetch_attempt_quantities().await, [(200,)]);
}

async fn the_offer_of_a_provider_has_quantity_and_margin(dialect: Dialect) {
    let panel = Panel::with_provider_price(dialect, 2_500_000).await;
    panel
        .execute(Sql::new("UPDATE orders SET current_quantity = 100, provider_cost = 250000 WHERE id = 1"))
        .await;
    let path = "/api/v1/admin/providers/available-for-order-recreate";
    let offers = panel.get(&format!("{path}?order_id=1")).await.json();
    let body = json!({ "provider_id": 1, "order_ids": [1] });
    let dry_run_order =
        panel.post(&format!("{CHANGE_PROVIDER}?dry_run=1"), &body).await.json()["costs"]["orders"][0].clone();
    assert_eq!(
        offers["items"][0]["offer"],
        json!({ "quantity": dry_run_order["quantity"], "margin": dry_run_order["margin"] })
    );
    assert_eq!(dry_run_order["margin"]["margin"], "1.5");
    assert!(
        panel.get(path).await.json()["items"][0].get("offer").is_none(),
        "a list without an order id must not contain offers"
    );
    assert_eq!(panel.get(&format!("{path}?order_id=404")).await.status, 404);
    panel.execute(Sql::new("UPDATE providers SET source_currency = 'XXX' WHERE id = 1")).await;
    let unknown_cost = panel.get(&format!("{path}?order_id=1")).await.json()["items"][0]["offer"].clone();
    assert_eq!(unknown_cost, json!({ "quantity": 100, "margin": null }));
}

async fn units_of_an_attempt_with_a_rejected_cancel_are_not_missing(dialect: Dialect) {
    let panel = Panel::with_provider_price(dialect, 1_000_000).await;
    let insert_attempt_sql = "INSERT INTO external_panel_orders (order_id, provider_id, status, initial_quantity, remains, sent_at, cancel_requested_at,
      cancel_answered_at, created_at, updated_at) VALUES (1, 1, 'In progress', 200, 120, 1, 1, 1, 1, 1)";
    panel.execute(Sql::new(insert_attempt_sql)).await;
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 50 WHERE id = 1")).await;
    // Of 200 units 50 are delivered, and the attempt will still deliver 120.
    assert_eq!(
        panel.change_provider(json!({ "quantity": 31 })).await.json()["code"],
        "quantity_above_missing"
    );
    let change_result = panel.change_provider(json!({})).await.json();
    assert_eq!(change_result["costs"]["orders"][0]["quantity"], 30);
}

/// Staff may send an order to a provider that the service does not have. The order then lists this provider, and staff can enter
/// statistics of this provider as for the others.
async fn an_order_keeps_a_provider_that_its_service_does_not_have(dialect: Dialect) {
    let panel = Panel::with_provider_price(dialect, 1_000_000).await;
    let insert_provider_sql = "INSERT INTO providers (id, name, status, created_at, updated_at, source_price, source_pricing_per, source_currency)
      VALUES (901, 'Beside', 'active', 1, 1, 1000000, 1000, 'USD')";
    panel.execute(Sql::new(insert_provider_sql)).await;
    let ids = |rows: &Value| {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&panel.fetch_order(1).await["providers"]), [1]);
    let change_response = panel.change_provider(json!({ "provider_id": 901 })).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    assert_eq!(ids(&panel.fetch_order(1).await["providers"]), [1, 901]);
    let path = "/api/v1/admin/providers/get-available-for-manual-add-statistics?order_id=1";
    assert_eq!(ids(&panel.get(path).await.json()["data"]), [1, 901]);
    let order_date = panel.fetch_order(1).await["created_at"].as_str().unwrap()[..10].to_owned();
    let rows = json!([{ "provider_id": 901, "cost": "0.5", "quantity": 20 }]);
    let body = json!({ "order_id": 1, "date": order_date, "provider_statistics": rows });
    let response = panel.post("/api/v1/admin/provider-statistics", &body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    // Without the attempt, the statistics keep the provider in the list.
    panel.execute(Sql::new("DELETE FROM external_panel_orders WHERE order_id = 1")).await;
    let provider = panel.fetch_order(1).await["providers"][1].clone();
    assert_eq!(
        (&provider["id"], &provider["cost"], &provider["quantity"]),
        (&json!(901), &json!("0.5"), &json!(20))
    );
}
