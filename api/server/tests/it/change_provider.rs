//! Changing the provider of an order: no more than the missing quantity unless staff give a reason, and never at a loss that staff
//! did not confirm.

use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};

both! {
    no_more_is_ordered_than_is_missing;
    more_needs_a_reason;
    what_it_costs_is_said_before;
    a_loss_is_confirmed;
    an_unknown_cost_is_confirmed_as_a_loss_is;
    each_provider_says_what_an_order_comes_to;
    a_refused_cancel_still_delivers;
    a_provider_beside_the_service_stays_known;
}

const URL: &str = "/api/v1/admin/orders/change-provider";

impl Panel {
    /// Order 1 is 200 units at 2 in all; provider 1 takes what is said per 1,000.
    async fn with_price(dialect: Dialect, price: i64) -> Self {
        let panel = Self::shop(dialect, 5, 10).await;
        let sql = Sql::new(
            "UPDATE providers SET source_price = ?, source_pricing_per = 1000, source_currency = 'USD' WHERE id = 1",
        );
        panel.exec(sql.bind(price)).await;
        panel
    }

    async fn moved(&self, body: Value) -> Answer {
        let mut all = json!({ "provider_id": 1, "order_ids": [1] });
        for (field, value) in body.as_object().unwrap() {
            all[field] = value.clone();
        }
        self.post(URL, &all).await
    }

    async fn attempts_of_one(&self) -> Vec<(i64,)> {
        let sql =
            Sql::new("SELECT initial_quantity FROM external_panel_orders WHERE order_id = 1 ORDER BY id");
        (&mut &self.app.db).all(sql).await.unwrap()
    }
}

async fn no_more_is_ordered_than_is_missing(dialect: Dialect) {
    let panel = Panel::with_price(dialect, 1_000_000).await;
    panel.exec(Sql::new("UPDATE orders SET current_quantity = 60 WHERE id = 1")).await;
    let refused = panel.moved(json!({ "quantity": 50_000_000 })).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (422, &json!("quantity_above_missing")));
    assert!(refused.json()["errors"]["quantity"][0].as_str().unwrap().contains("140"), "{}", refused.text);
    assert_eq!(panel.moved(json!({ "quantity": 141 })).await.status, 422);
    let many =
        panel.post(URL, &json!({ "provider_id": 1, "order_ids": [1, 2], "quantity": 150 })).await.json();
    assert_eq!(
        (&many["processed"], &many["skipped"][0]["code"]),
        (&json!(1), &json!("quantity_above_missing"))
    );
    assert_eq!(panel.moved(json!({ "quantity": 140 })).await.status, 200);
    panel.exec(Sql::new("UPDATE orders SET current_quantity = 200 WHERE id = 1")).await;
    assert_eq!(panel.moved(json!({ "quantity": 600 })).await.json()["code"], "quantity_above_missing");
    assert_eq!(panel.moved(json!({})).await.json()["code"], "nothing_processed");
    assert_eq!(panel.attempts_of_one().await, [(140,)]);
}

async fn more_needs_a_reason(dialect: Dialect) {
    let panel = Panel::with_price(dialect, 1_000_000).await;
    panel.exec(Sql::new("UPDATE orders SET current_quantity = 200 WHERE id = 1")).await;
    let silent = panel.moved(json!({ "quantity": 600, "allow_excess": true, "reason": " " })).await;
    assert_eq!((silent.status.as_u16(), &silent.json()["code"]), (422, &json!("reason_required")));
    assert!(silent.json()["errors"]["reason"].is_array());
    let tried = json!({ "provider_id": 1, "order_ids": [1], "quantity": 600, "allow_excess": true });
    let tried = panel.post(&format!("{URL}?dry_run=1"), &tried).await;
    assert_eq!((tried.status.as_u16(), &tried.json()["costs"]["orders"][0]["quantity"]), (200, &json!(600)));
    let reasoned = json!({ "quantity": 600, "allow_excess": true, "reason": "The counter dropped." });
    assert_eq!(panel.moved(reasoned).await.status, 200);
    assert_eq!(panel.attempts_of_one().await, [(600,)]);
    let noted = "SELECT count(*) FROM audits WHERE event = 'order.provider_changed' AND new_values LIKE '%The counter dropped.%'";
    assert_eq!(panel.number(Sql::new(noted)).await, 1);
}

async fn what_it_costs_is_said_before(dialect: Dialect) {
    let panel = Panel::with_price(dialect, 2_500_000).await;
    panel
        .exec(Sql::new("UPDATE orders SET current_quantity = 100, provider_cost = 250000 WHERE id = 1"))
        .await;
    let body = json!({ "provider_id": 1, "order_ids": [1, 2] });
    let tried = panel.post(&format!("{URL}?dry_run=1"), &body).await.json();
    // 2 charged, 0.25 paid before, 100 units at 2.5 per 1,000.
    let one = json!({ "id": 1, "quantity": 100,
      "margin": { "provider_cost": "0.25", "margin": "1.5", "margin_percent": "0.75" } });
    assert_eq!(tried["costs"]["orders"][0], one);
    assert_eq!(tried["costs"]["orders"][1]["quantity"], 300);
    // 3 charged for the other, 300 units: 0.75.
    assert_eq!((&tried["totals"]["services"], &tried["totals"]["customers"]), (&json!(1), &json!(2)));
    let total = json!({ "provider_cost": "1", "margin": "3.75", "margin_percent": "0.75" });
    assert_eq!(tried["costs"]["total"], total);
    assert!(panel.attempts_of_one().await.is_empty(), "only tried");
    panel.exec(Sql::new("UPDATE providers SET source_currency = 'XXX' WHERE id = 1")).await;
    let unknown = panel.post(&format!("{URL}?dry_run=1"), &body).await.json();
    assert!(unknown["costs"]["total"].is_null() && unknown["costs"]["orders"][0]["margin"].is_null());
}

async fn a_loss_is_confirmed(dialect: Dialect) {
    let panel = Panel::with_price(dialect, 50_000_000).await;
    let tried = panel.post(&format!("{URL}?dry_run=1"), &json!({ "provider_id": 1, "order_ids": [1] })).await;
    assert_eq!(tried.json()["costs"]["total"]["margin"], "-8", "{}", tried.text);
    let refused = panel.moved(json!({})).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (422, &json!("negative_margin")));
    assert!(refused.json()["errors"]["confirm_negative_margin"].is_array());
    assert!(panel.attempts_of_one().await.is_empty());
    assert_eq!(panel.moved(json!({ "confirm_negative_margin": true })).await.status, 200);
    assert_eq!(panel.attempts_of_one().await, [(200,)]);
}

/// A currency without a rate asks for the same confirmation as a loss; a cost that no amount holds is refused.
async fn an_unknown_cost_is_confirmed_as_a_loss_is(dialect: Dialect) {
    let panel = Panel::with_price(dialect, 1_000_000).await;
    panel.exec(Sql::new("UPDATE providers SET source_currency = 'XXX' WHERE id = 1")).await;
    let refused = panel.moved(json!({})).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (422, &json!("unknown_margin")));
    assert!(refused.json()["errors"]["confirm_negative_margin"][0].as_str().unwrap().contains("XXX"));
    assert!(panel.attempts_of_one().await.is_empty());
    assert_eq!(panel.moved(json!({ "confirm_negative_margin": true })).await.status, 200);
    assert_eq!(panel.attempts_of_one().await, [(200,)]);
    let huge = Sql::new(
        "UPDATE providers SET source_price = ?, source_pricing_per = 1, source_currency = 'USD' WHERE id = 1",
    );
    panel.exec(huge.bind(i64::MAX / 2)).await;
    for body in [json!({}), json!({ "confirm_negative_margin": true })] {
        let refused = panel.moved(body).await;
        assert_eq!(refused.json()["code"], "provider_cost_too_large", "{}", refused.text);
    }
    assert_eq!(panel.attempts_of_one().await, [(200,)]);
}

async fn each_provider_says_what_an_order_comes_to(dialect: Dialect) {
    let panel = Panel::with_price(dialect, 2_500_000).await;
    panel
        .exec(Sql::new("UPDATE orders SET current_quantity = 100, provider_cost = 250000 WHERE id = 1"))
        .await;
    let path = "/api/v1/admin/providers/available-for-order-recreate";
    let offers = panel.get(&format!("{path}?order_id=1")).await.json();
    let body = json!({ "provider_id": 1, "order_ids": [1] });
    let tried = panel.post(&format!("{URL}?dry_run=1"), &body).await.json()["costs"]["orders"][0].clone();
    assert_eq!(
        offers["items"][0]["offer"],
        json!({ "quantity": tried["quantity"], "margin": tried["margin"] })
    );
    assert_eq!(tried["margin"]["margin"], "1.5");
    assert!(panel.get(path).await.json()["items"][0].get("offer").is_none(), "only of an order");
    assert_eq!(panel.get(&format!("{path}?order_id=404")).await.status, 404);
    panel.exec(Sql::new("UPDATE providers SET source_currency = 'XXX' WHERE id = 1")).await;
    let unknown = panel.get(&format!("{path}?order_id=1")).await.json()["items"][0]["offer"].clone();
    assert_eq!(unknown, json!({ "quantity": 100, "margin": null }));
}

async fn a_refused_cancel_still_delivers(dialect: Dialect) {
    let panel = Panel::with_price(dialect, 1_000_000).await;
    let attempt = "INSERT INTO external_panel_orders (order_id, provider_id, status, initial_quantity, remains, sent_at, cancel_requested_at,
      cancel_answered_at, created_at, updated_at) VALUES (1, 1, 'In progress', 200, 120, 1, 1, 1, 1, 1)";
    panel.exec(Sql::new(attempt)).await;
    panel.exec(Sql::new("UPDATE orders SET current_quantity = 50 WHERE id = 1")).await;
    // 200 ordered, 50 delivered, 120 still come.
    assert_eq!(panel.moved(json!({ "quantity": 31 })).await.json()["code"], "quantity_above_missing");
    let moved = panel.moved(json!({})).await.json();
    assert_eq!(moved["costs"]["orders"][0]["quantity"], 30);
}

/// Staff may send an order to a provider that its service does not have: what it does is shown and booked as of the others.
async fn a_provider_beside_the_service_stays_known(dialect: Dialect) {
    let panel = Panel::with_price(dialect, 1_000_000).await;
    let beside = "INSERT INTO providers (id, name, status, created_at, updated_at, source_price, source_pricing_per, source_currency)
      VALUES (901, 'Beside', 'active', 1, 1, 1000000, 1000, 'USD')";
    panel.exec(Sql::new(beside)).await;
    let ids = |rows: &Value| {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&panel.order(1).await["providers"]), [1]);
    let moved = panel.moved(json!({ "provider_id": 901 })).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(ids(&panel.order(1).await["providers"]), [1, 901]);
    let known = "/api/v1/admin/providers/get-available-for-manual-add-statistics?order_id=1";
    assert_eq!(ids(&panel.get(known).await.json()["data"]), [1, 901]);
    let day = panel.order(1).await["created_at"].as_str().unwrap()[..10].to_owned();
    let rows = json!([{ "provider_id": 901, "cost": "0.5", "quantity": 20 }]);
    let body = json!({ "order_id": 1, "date": day, "provider_statistics": rows });
    let booked = panel.post("/api/v1/admin/provider-statistics", &body).await;
    assert_eq!(booked.status, 200, "{}", booked.text);
    // Its statistics keep it among the providers where no attempt is left.
    panel.exec(Sql::new("DELETE FROM external_panel_orders WHERE order_id = 1")).await;
    let shown = panel.order(1).await["providers"][1].clone();
    assert_eq!((&shown["id"], &shown["cost"], &shown["quantity"]), (&json!(901), &json!("0.5"), &json!(20)));
}
