//! Custom prices of a customer: creation, changes, bulk changes and deletion, and the cost of orders with them.

use panel_contract::ids::{ServiceId, UserId};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::shop::{MODERATED, PLAIN};

both! {
    a_custom_price_decides_the_cost_of_orders;
    a_bulk_change_of_prices_is_all_or_nothing;
    of_two_concurrent_changes_of_a_price_one_succeeds;
    errors_of_a_price_name_the_wrong_field;
}

const PATH: &str = "/api/v1/admin/users/2/user-services";

impl Panel {
    async fn delete_price(&self, path: &str) -> Answer {
        self.call("127.0.0.1", Some("owner"), "DELETE", path, &Value::Null).await
    }

    async fn custom_prices(&self) -> Vec<Value> {
        let answer = self.get(PATH).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].as_array().unwrap().clone()
    }
}

fn price(service: ServiceId, price: &str) -> Value {
    json!({ "service_id": service, "default_price": price, "min_price": "1", "has_refill": true,
      "auto_refill_once_fill_fraction": "0.25" })
}

async fn a_custom_price_decides_the_cost_of_orders(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let cost = async || {
        panel
            .place(&NewOrder::plain(UserId::new(2), PLAIN, "https://video.example/1", 1_000))
            .await
            .cost
            .to_string()
    };
    assert_eq!(cost().await, "10");
    let answer = panel.post(PATH, &price(PLAIN, "4.5")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let created = answer.json()["data"].clone();
    assert_eq!((&created["default_price"], &created["service_default_price"]), (&json!("4.5"), &json!("10")));
    assert_eq!(
        (&created["service"]["name"], &created["auto_refill_once_fill_fraction"]),
        (&json!("Service 1"), &json!("0.25"))
    );
    assert_eq!(panel.custom_prices().await, std::slice::from_ref(&created));
    assert_eq!(cost().await, "4.5");
    assert_eq!(panel.get("/api/v1/admin/users/2").await.json()["data"]["user_service_exists"], true);
    assert_eq!(panel.delete_price(&format!("{PATH}/{}", created["id"])).await.status, 204);
    assert_eq!(panel.delete_price(&format!("{PATH}/{}", created["id"])).await.status, 404);
    assert_eq!(cost().await, "10");
    let audits = "SELECT count(*) FROM audits WHERE auditable_type = 'user' AND auditable_id = 2 AND event IN ('user.price_created', 'user.price_deleted')";
    assert_eq!(panel.number(Sql::new(audits)).await, 2);
    panel.assert_healthy().await;
}

async fn a_bulk_change_of_prices_is_all_or_nothing(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let first = panel.post(PATH, &price(PLAIN, "4.5")).await.json()["data"].clone();
    let bulk = format!("{PATH}/bulk");
    let body = json!({ "user_services": [
        { "service_id": 2, "default_price": "3", "min_price": "2" }, { "service_id": PLAIN, "default_price": "5" }] });
    let answer = panel.post(&bulk, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let prices = panel.custom_prices().await;
    assert_eq!(answer.json()["data"], json!(prices));
    assert_eq!(prices.len(), 2);
    let custom_price = &prices[0];
    assert_eq!(
        (&custom_price["id"], &custom_price["default_price"], &custom_price["min_price"]),
        (&first["id"], &json!("5"), &json!("1")),
        "a minimum price that the body does not contain keeps its value"
    );
    assert_eq!(custom_price["has_refill"], true, "the refill settings keep their values");
    let unknown = json!({ "user_services": [{ "service_id": 1, "default_price": "3" }, { "service_id": 99, "default_price": "3" }] });
    let refused = panel.post(&bulk, &unknown).await;
    assert_eq!(refused.status, 422);
    assert!(refused.json()["errors"]["user_services.1.service_id"].is_array(), "{}", refused.text);
    assert_eq!(panel.custom_prices().await, prices, "a refused request changed a price");
    let below_minimum = json!({ "user_services": [{ "service_id": PLAIN, "default_price": "0.9" }] });
    let refused = panel.post(&bulk, &below_minimum).await;
    assert!(refused.json()["errors"]["user_services.0.min_price"].is_array(), "{}", refused.text);
    let cleared =
        json!({ "user_services": [{ "service_id": PLAIN, "default_price": "0.9", "min_price": null }] });
    assert_eq!(panel.post(&bulk, &cleared).await.status, 200);
    assert_eq!(panel.custom_prices().await[0]["min_price"], Value::Null);
    let no_prices = json!({ "user_services": [] });
    assert_eq!(panel.post(&bulk, &no_prices).await.status, 422);
}

async fn of_two_concurrent_changes_of_a_price_one_succeeds(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let created = panel.post(PATH, &price(PLAIN, "4.5")).await.json()["data"].clone();
    panel.clock.advance_secs(1);
    let path = format!("{PATH}/{}", created["id"]);
    let edit = |amount: &str| {
        let mut body = price(PLAIN, amount);
        body["updated_at"] = created["updated_at"].clone();
        body
    };
    let (first, second) = (edit("6"), edit("7"));
    let (first, second) = tokio::join!(
        panel.send("owner", "PATCH", &path, &first, None),
        panel.send("owner", "PATCH", &path, &second, None)
    );
    let (succeeded, refused) = if first.status == 200 { (first, second) } else { (second, first) };
    assert_eq!(succeeded.status, 200, "{}", succeeded.text);
    assert_eq!(refused.status_and_code(), (409, "changed_meanwhile".into()));
    let other_service = panel.send("owner", "PATCH", &path, &price(MODERATED, "7"), None).await;
    assert_eq!(other_service.status_and_code(), (422, "service_is_fixed".into()));
    let path_of_other_user = format!("/api/v1/admin/users/1/user-services/{}", created["id"]);
    assert_eq!(panel.send("owner", "PATCH", &path_of_other_user, &price(PLAIN, "7"), None).await.status, 404);
}

async fn errors_of_a_price_name_the_wrong_field(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    for (field, value) in [
        ("min_price", json!("100")),
        ("default_price", json!("-1")),
        ("default_price", json!("0.0000001")),
        ("auto_refill_once_fill_fraction", json!("1.5")),
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
    assert_eq!(panel.post(PATH, &price(PLAIN, "1")).await.status_and_code(), (422, "price_exists".into()));
    panel.create_staff("looker", &[Permission::ViewUsers]).await;
    assert_eq!(panel.send("looker", "POST", PATH, &price(MODERATED, "1"), None).await.status, 403);
}
