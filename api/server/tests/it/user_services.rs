//! Custom prices: made, changed, set in bulk, taken away; what orders cost then; two editors of one.

use panel_contract::ids::{ServiceId, UserId};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::shop::{MODERATED, PLAIN};

both! {
    a_custom_price_is_what_orders_cost;
    many_prices_at_once;
    two_editors_of_one_price;
    what_is_wrong_with_a_price_is_named;
}

const PATH: &str = "/api/v1/admin/users/2/user-services";

impl Panel {
    async fn delete(&self, path: &str) -> Answer {
        self.call("127.0.0.1", Some("owner"), "DELETE", path, &Value::Null).await
    }

    async fn prices(&self) -> Vec<Value> {
        let answer = self.get(PATH).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].as_array().unwrap().clone()
    }
}

fn price(service: ServiceId, price: &str) -> Value {
    json!({ "service_id": service, "default_price": price, "min_price": "1", "has_refill": true,
      "auto_refill_once_fill_percent": "0.25" })
}

async fn a_custom_price_is_what_orders_cost(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let cost = async || {
        panel
            .place(&NewOrder::plain(UserId::new(2), PLAIN, "https://video.example/1", 1_000))
            .await
            .cost
            .to_string()
    };
    assert_eq!(cost().await, "10");
    let made = panel.post(PATH, &price(PLAIN, "4.5")).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let made = made.json()["data"].clone();
    assert_eq!((&made["default_price"], &made["service_default_price"]), (&json!("4.5"), &json!("10")));
    assert_eq!(
        (&made["service"]["name"], &made["auto_refill_once_fill_percent"]),
        (&json!("Service 1"), &json!("0.25"))
    );
    assert_eq!(panel.prices().await, std::slice::from_ref(&made));
    assert_eq!(cost().await, "4.5");
    assert_eq!(panel.get("/api/v1/admin/users/2").await.json()["data"]["user_service_exists"], true);
    assert_eq!(panel.delete(&format!("{PATH}/{}", made["id"])).await.status, 204);
    assert_eq!(panel.delete(&format!("{PATH}/{}", made["id"])).await.status, 404);
    assert_eq!(cost().await, "10");
    let audits = "SELECT count(*) FROM audits WHERE auditable_type = 'user' AND auditable_id = 2 AND event IN ('user.price_created', 'user.price_deleted')";
    assert_eq!(panel.number(Sql::new(audits)).await, 2);
    panel.assert_healthy().await;
}

async fn many_prices_at_once(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let first = panel.post(PATH, &price(PLAIN, "4.5")).await.json()["data"].clone();
    let bulk = format!("{PATH}/bulk");
    let body = json!({ "user_services": [
        { "service_id": 2, "default_price": "3", "min_price": "2" }, { "service_id": PLAIN, "default_price": "5" }] });
    let answer = panel.post(&bulk, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let prices = panel.prices().await;
    assert_eq!(answer.json()["data"], json!(prices));
    assert_eq!(prices.len(), 2);
    let own = &prices[0];
    assert_eq!(
        (&own["id"], &own["default_price"], &own["min_price"]),
        (&first["id"], &json!("5"), &json!("1")),
        "a lowest price that is not named stays"
    );
    assert_eq!(own["has_refill"], true, "refill terms stay");
    let unknown = json!({ "user_services": [{ "service_id": 1, "default_price": "3" }, { "service_id": 99, "default_price": "3" }] });
    let refused = panel.post(&bulk, &unknown).await;
    assert_eq!(refused.status, 422);
    assert!(refused.json()["errors"]["user_services.1.service_id"].is_array(), "{}", refused.text);
    assert_eq!(panel.prices().await, prices, "all or nothing");
    let below = json!({ "user_services": [{ "service_id": PLAIN, "default_price": "0.9" }] });
    let refused = panel.post(&bulk, &below).await;
    assert!(refused.json()["errors"]["user_services.0.min_price"].is_array(), "{}", refused.text);
    let cleared =
        json!({ "user_services": [{ "service_id": PLAIN, "default_price": "0.9", "min_price": null }] });
    assert_eq!(panel.post(&bulk, &cleared).await.status, 200);
    assert_eq!(panel.prices().await[0]["min_price"], Value::Null);
    let zero = json!({ "user_services": [] });
    assert_eq!(panel.post(&bulk, &zero).await.status, 422);
}

async fn two_editors_of_one_price(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let made = panel.post(PATH, &price(PLAIN, "4.5")).await.json()["data"].clone();
    panel.clock.advance_secs(1);
    let path = format!("{PATH}/{}", made["id"]);
    let edit = |amount: &str| {
        let mut body = price(PLAIN, amount);
        body["updated_at"] = made["updated_at"].clone();
        body
    };
    let (one, other) = (edit("6"), edit("7"));
    let (one, other) = tokio::join!(
        panel.send("owner", "PATCH", &path, &one, None),
        panel.send("owner", "PATCH", &path, &other, None)
    );
    let (won, lost) = if one.status == 200 { (one, other) } else { (other, one) };
    assert_eq!(won.status, 200, "{}", won.text);
    assert_eq!(lost.says(), (409, "changed_meanwhile".into()));
    let moved = panel.send("owner", "PATCH", &path, &price(MODERATED, "7"), None).await;
    assert_eq!(moved.says(), (422, "service_is_fixed".into()));
    let elsewhere = format!("/api/v1/admin/users/1/user-services/{}", made["id"]);
    assert_eq!(panel.send("owner", "PATCH", &elsewhere, &price(PLAIN, "7"), None).await.status, 404);
}

async fn what_is_wrong_with_a_price_is_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    for (field, value) in [
        ("min_price", json!("100")),
        ("default_price", json!("-1")),
        ("default_price", json!("0.0000001")),
        ("auto_refill_once_fill_percent", json!("1.5")),
        ("max_order_quantity_for_use_throttle", json!(0)),
        ("order_quantity_ratio", json!("0")),
        ("service_id", json!(99)),
        ("balance", json!("1")),
    ] {
        let mut body = price(PLAIN, "10");
        body[field] = value;
        let answer = panel.post(PATH, &body).await;
        assert_eq!(answer.status, 422, "{field}: {}", answer.text);
        assert!(answer.json()["errors"][field].is_array(), "{field}: {}", answer.text);
    }
    assert_eq!(panel.post("/api/v1/admin/users/99/user-services", &price(PLAIN, "1")).await.status, 404);
    assert_eq!(panel.get("/api/v1/admin/users/99/user-services").await.status, 404);
    assert_eq!(panel.post(PATH, &price(PLAIN, "1")).await.status, 200);
    assert_eq!(panel.post(PATH, &price(PLAIN, "1")).await.says(), (422, "price_exists".into()));
    panel.staff("looker", &[Permission::ViewUsers]).await;
    assert_eq!(panel.send("looker", "POST", PATH, &price(MODERATED, "1"), None).await.status, 403);
}
