//! Custom prices of a customer: creation, changes, bulk changes and deletion, and the cost of orders with them.

use panel_contract::ids::{ServiceId, UserId};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::shop::{MODERATED_SERVICE, PLAIN_SERVICE};

test_both_databases! {
    a_custom_price_decides_the_cost_of_orders;
    a_bulk_change_of_prices_is_all_or_nothing;
    one_of_two_concurrent_changes_of_a_price_succeeds;
    errors_of_a_price_name_the_wrong_field;
}

const USER_SERVICES_PATH: &str = "/api/v1/admin/users/2/user-services";

impl Panel {
    async fn delete_price(&self, path: &str) -> TestResponse {
        self.request_from("127.0.0.1", Some("owner"), "DELETE", path, &Value::Null).await
    }

    async fn custom_prices(&self) -> Vec<Value> {
        let response = self.get(USER_SERVICES_PATH).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"].as_array().unwrap().clone()
    }
}

fn price_body(service: ServiceId, price: &str) -> Value {
    json!({ "service_id": service, "default_price": price, "min_price": "1", "has_refill": true,
      "auto_refill_once_fill_fraction": "0.25" })
}

async fn a_custom_price_decides_the_cost_of_orders(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let cost = async || {
        panel
            .place_order(&NewOrder::without_options(
                UserId::new(2),
                PLAIN_SERVICE,
                "https://video.example/1",
                1_000,
            ))
            .await
            .cost
            .to_string()
    };
    assert_eq!(cost().await, "10");
    let response = panel.post(USER_SERVICES_PATH, &price_body(PLAIN_SERVICE, "4.5")).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let created_record = response.json()["data"].clone();
    assert_eq!(
        (&created_record["default_price"], &created_record["service_default_price"]),
        (&json!("4.5"), &json!("10"))
    );
    assert_eq!(
        (&created_record["service"]["name"], &created_record["auto_refill_once_fill_fraction"]),
        (&json!("Service 1"), &json!("0.25"))
    );
    assert_eq!(panel.custom_prices().await, std::slice::from_ref(&created_record));
    assert_eq!(cost().await, "4.5");
    assert_eq!(panel.get("/api/v1/admin/users/2").await.json()["data"]["user_service_exists"], true);
    assert_eq!(
        panel.delete_price(&format!("{USER_SERVICES_PATH}/{}", created_record["id"])).await.status,
        204
    );
    assert_eq!(
        panel.delete_price(&format!("{USER_SERVICES_PATH}/{}", created_record["id"])).await.status,
        404
    );
    assert_eq!(cost().await, "10");
    let count_audits_sql = "SELECT count(*) FROM audits WHERE auditable_type = 'user' AND auditable_id = 2 AND event IN ('user.price_created', 'user.price_deleted')";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 2);
    panel.assert_healthy().await;
}

async fn a_bulk_change_of_prices_is_all_or_nothing(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let first_record =
        panel.post(USER_SERVICES_PATH, &price_body(PLAIN_SERVICE, "4.5")).await.json()["data"].clone();
    let bulk_path = format!("{USER_SERVICES_PATH}/bulk");
    let body = json!({ "user_services": [
        { "service_id": 2, "default_price": "3", "min_price": "2" }, { "service_id": PLAIN_SERVICE, "default_price": "5" }] });
    let response = panel.post(&bulk_path, &body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let prices = panel.custom_prices().await;
    assert_eq!(response.json()["data"], json!(prices));
    assert_eq!(prices.len(), 2);
    let custom_price = &prices[0];
    assert_eq!(
        (&custom_price["id"], &custom_price["default_price"], &custom_price["min_price"]),
        (&first_record["id"], &json!("5"), &json!("1")),
        "a minimum price that the body does not contain keeps its value"
    );
    assert_eq!(custom_price["has_refill"], true, "the refill settings keep their values");
    let unknown_body = json!({ "user_services": [{ "service_id": 1, "default_price": "3" }, { "service_id": 99, "default_price": "3" }] });
    let rejection = panel.post(&bulk_path, &unknown_body).await;
    assert_eq!(rejection.status, 422);
    assert!(rejection.json()["errors"]["user_services.1.service_id"].is_array(), "{}", rejection.text);
    assert_eq!(panel.custom_prices().await, prices, "a rejected request must not change a price");
    let below_minimum_body =
        json!({ "user_services": [{ "service_id": PLAIN_SERVICE, "default_price": "0.9" }] });
    let rejection = panel.post(&bulk_path, &below_minimum_body).await;
    assert!(rejection.json()["errors"]["user_services.0.min_price"].is_array(), "{}", rejection.text);
    let cleared_body = json!({ "user_services": [{ "service_id": PLAIN_SERVICE, "default_price": "0.9", "min_price": null }] });
    assert_eq!(panel.post(&bulk_path, &cleared_body).await.status, 200);
    assert_eq!(panel.custom_prices().await[0]["min_price"], Value::Null);
    let no_prices_body = json!({ "user_services": [] });
    assert_eq!(panel.post(&bulk_path, &no_prices_body).await.status, 422);
}

async fn one_of_two_concurrent_changes_of_a_price_succeeds(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let created_record =
        panel.post(USER_SERVICES_PATH, &price_body(PLAIN_SERVICE, "4.5")).await.json()["data"].clone();
    panel.clock.advance_secs(1);
    let path = format!("{USER_SERVICES_PATH}/{}", created_record["id"]);
    let edit = |amount: &str| {
        let mut body = price_body(PLAIN_SERVICE, amount);
        body["updated_at"] = created_record["updated_at"].clone();
        body
    };
    let (first, second) = (edit("6"), edit("7"));
    let (first, second) = tokio::join!(
        panel.send("owner", "PATCH", &path, &first, None),
        panel.send("owner", "PATCH", &path, &second, None)
    );
    let (succeeded, rejection) = if first.status == 200 { (first, second) } else { (second, first) };
    assert_eq!(succeeded.status, 200, "{}", succeeded.text);
    assert_eq!(rejection.status_and_code(), (409, "changed_meanwhile".into()));
    let other_service = panel.send("owner", "PATCH", &path, &price_body(MODERATED_SERVICE, "7"), None).await;
    assert_eq!(other_service.status_and_code(), (422, "service_is_fixed".into()));
    let path_of_other_user = format!("/api/v1/admin/users/1/user-services/{}", created_record["id"]);
    assert_eq!(
        panel.send("owner", "PATCH", &path_of_other_user, &price_body(PLAIN_SERVICE, "7"), None).await.status,
        404
    );
}

async fn errors_of_a_price_name_the_wrong_field(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
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
        let mut body = price_body(PLAIN_SERVICE, "10");
        body[field] = value;
        let response = panel.post(USER_SERVICES_PATH, &body).await;
        assert_eq!(response.status, 422, "{field}: {}", response.text);
        assert!(response.json()["errors"][field].is_array(), "{field}: {}", response.text);
    }
    assert_eq!(
        panel.post("/api/v1/admin/users/99/user-services", &price_body(PLAIN_SERVICE, "1")).await.status,
        404
    );
    assert_eq!(panel.get("/api/v1/admin/users/99/user-services").await.status, 404);
    assert_eq!(panel.post(USER_SERVICES_PATH, &price_body(PLAIN_SERVICE, "1")).await.status, 200);
    assert_eq!(
        panel.post(USER_SERVICES_PATH, &price_body(PLAIN_SERVICE, "1")).await.status_and_code(),
        (422, "price_exists".into())
    );
    panel.create_staff("looker", &[Permission::ViewUsers]).await;
    assert_eq!(
        panel
            .send("looker", "POST", USER_SERVICES_PATH, &price_body(MODERATED_SERVICE, "1"), None)
            .await
            .status,
        403
    );
}
