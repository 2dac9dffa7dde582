//! The minimum margin over the provider's price: checked when staff set a price or a cost, and applied to every charge.

use panel_contract::ids::UserId;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::shop::PLAIN_SERVICE;

test_both_databases! {
    rejects_personal_prices_below_the_minimum_margin;
    charges_a_confirmed_personal_price_below_the_minimum_margin;
    rejects_discounts_below_the_minimum_margin;
    rejects_provider_costs_that_break_the_minimum_margin;
    raises_every_charge_to_the_minimum_margin;
    rejects_packages_below_the_minimum_margin;
    charges_a_confirmed_package_below_the_minimum_margin;
    the_minimum_margin_includes_the_order_quantity_ratio;
    checks_the_minimum_margin_when_a_provider_or_panel_is_restored;
    checks_the_minimum_margin_when_a_discount_applies_to_more_orders;
    resale_margins_below_the_minimum_need_a_confirmation;
}

const PRICES_PATH: &str = "/api/v1/admin/users/2/user-services";

/// Starts a shop whose service 1 costs the customer 10 per 1,000 units and the shop 9. With the minimum margin of 10 %, the lowest
/// possible price of the service is 9.9.
async fn start_shop(dialect: Dialect) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    for sql in [
        "UPDATE providers SET source_price = 9000000 WHERE id = 1",
        "INSERT INTO settings (key, value, updated_at) VALUES ('min_margin_fraction', '\"0.1\"', 1), ('min_margin_action', '\"reject\"', 1)",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    panel
}

/// Asserts that the request was rejected because of the minimum margin, and that the message contains the lowest possible price.
/// Returns the field of the error.
fn assert_below_minimum_margin(response: &TestResponse, lowest_price: &str) -> String {
    assert_eq!(response.status_and_code(), (422, "below_minimum_margin".into()), "{}", response.text);
    let errors = response.json()["errors"].as_object().unwrap().clone();
    let (field, messages) = errors.into_iter().next().unwrap();
    let message = messages[0].as_str().unwrap().to_owned();
    assert!(message.contains(&format!("{lowest_price} is the lowest possible price")), "{message}");
    field
}

async fn allow_confirmed_margins(panel: &Panel) {
    panel.execute(Sql::new("UPDATE settings SET value = '\"warn\"' WHERE key = 'min_margin_action'")).await;
}

/// Places an order for 1,000 units and returns its cost.
async fn place_order_and_return_cost(panel: &Panel) -> String {
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
}

async fn rejects_personal_prices_below_the_minimum_margin(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let price_body = |price: &str| json!({ "service_id": PLAIN_SERVICE, "default_price": price });
    let bulk_prices_body = |price: &str| json!({ "user_services": [{ "service_id": 3, "default_price": "1" }, { "service_id": PLAIN_SERVICE, "default_price": price }] });
    assert_eq!(
        assert_below_minimum_margin(&panel.post(PRICES_PATH, &price_body("9.89")).await, "9.9"),
        "default_price"
    );
    let confirmed_body =
        json!({ "service_id": PLAIN_SERVICE, "default_price": "9.89", "confirm_below_margin": true });
    assert_eq!(
        assert_below_minimum_margin(&panel.post(PRICES_PATH, &confirmed_body).await, "9.9"),
        "default_price",
        "a confirmation must not have an effect with the action `reject`"
    );
    let bulk_path = format!("{PRICES_PATH}/bulk");
    let field = assert_below_minimum_margin(&panel.post(&bulk_path, &bulk_prices_body("9.89")).await, "9.9");
    assert_eq!(
        field, "user_services.1.default_price",
        "service 3 has no available provider, so only service 1 is rejected"
    );
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM user_services")).await, 0);
    assert_eq!(panel.post(&bulk_path, &bulk_prices_body("9.9")).await.status, 200);
    let id = panel.fetch_number(Sql::new("SELECT id FROM user_services WHERE service_id = 1")).await;
    let path = format!("{PRICES_PATH}/{id}");
    let response_below_minimum = panel.send("owner", "PATCH", &path, &price_body("9"), None).await;
    assert_eq!(assert_below_minimum_margin(&response_below_minimum, "9.9"), "default_price");
    // A price that fell below the minimum because its cost rose may stay as it is while staff change other fields.
    panel.execute(Sql::new("UPDATE providers SET source_price = 12000000 WHERE id = 1")).await;
    let unchanged_price_body =
        json!({ "service_id": PLAIN_SERVICE, "default_price": "9.9", "has_refill": true });
    assert_eq!(panel.send("owner", "PATCH", &path, &unchanged_price_body, None).await.status, 200);
}

async fn charges_a_confirmed_personal_price_below_the_minimum_margin(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    allow_confirmed_margins(&panel).await;
    let mut price_body = json!({ "service_id": PLAIN_SERVICE, "default_price": "5" });
    let response_below_minimum = panel.post(PRICES_PATH, &price_body).await;
    assert_eq!(assert_below_minimum_margin(&response_below_minimum, "9.9"), "default_price");
    assert!(
        response_below_minimum.text.contains("Send confirm_below_margin"),
        "{}",
        response_below_minimum.text
    );
    price_body["confirm_below_margin"] = json!(true);
    let created_record = panel.post(PRICES_PATH, &price_body).await.json()["data"].clone();
    assert_eq!(created_record["below_margin_confirmed"], true);
    assert_eq!(place_order_and_return_cost(&panel).await, "5");
    // A confirmation applies to one price only.
    let path = format!("{PRICES_PATH}/{}", created_record["id"]);
    let change_body = json!({ "service_id": PLAIN_SERVICE, "default_price": "9.9" });
    let raised_record = panel.send("owner", "PATCH", &path, &change_body, None).await.json()["data"].clone();
    assert_eq!(raised_record["below_margin_confirmed"], false);
    panel.execute(Sql::new("UPDATE user_services SET default_price = 5000000")).await;
    assert_eq!(
        place_order_and_return_cost(&panel).await,
        "9.9",
        "staff did not confirm this price, so the minimum margin must apply"
    );
    panel.assert_healthy().await;
}

async fn rejects_discounts_below_the_minimum_margin(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let body = |fraction: &str| json!({ "name": "Sale", "valid_from": "2026-01-01 00:00:00", "services": [{ "id": 3, "discount_fraction": "0.9" }, { "id": PLAIN_SERVICE, "discount_fraction": fraction }] });
    let path = "/api/v1/admin/discounts";
    panel.execute(Sql::new("UPDATE services SET min_price = 0")).await;
    assert_eq!(
        assert_below_minimum_margin(&panel.post(path, &body("0.9")).await, "9.9"),
        "services.1.discount_fraction"
    );
    let created_record = panel.post_data(path, body("0.01")).await;
    let path = format!("{path}/{}", created_record["id"]);
    let larger_discount = panel
        .put(&path, &json!({ "services": [{ "id": PLAIN_SERVICE, "discount_fraction": "0.011" }] }))
        .await;
    assert_eq!(assert_below_minimum_margin(&larger_discount, "9.9"), "services.0.discount_fraction");
    allow_confirmed_margins(&panel).await;
    let confirmed_body = json!({ "services": [{ "id": PLAIN_SERVICE, "discount_fraction": "0.5" }], "confirm_below_margin": true });
    assert_eq!(panel.put(&path, &confirmed_body).await.status, 200);
    assert_eq!(
        place_order_and_return_cost(&panel).await,
        "9.9",
        "the charge must still have the minimum margin"
    );
}

async fn rejects_provider_costs_that_break_the_minimum_margin(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let provider_path = "/api/v1/admin/providers/1";
    panel.execute(Sql::new("UPDATE providers SET type = 'manual', source_currency = 'USD'")).await;
    let too_expensive = panel.put(provider_path, &json!({ "source_price": "9.5" })).await;
    assert_eq!(assert_below_minimum_margin(&too_expensive, "10.45"), "source_price");
    assert_eq!(panel.put(provider_path, &json!({ "source_price": "9.05" })).await.status, 200);
    let expensive_provider = |services: Value| json!({ "name": "Expensive", "type": "manual", "source_price": "20", "services": services });
    let create_response =
        panel.post("/api/v1/admin/providers", &expensive_provider(json!([PLAIN_SERVICE]))).await;
    assert_eq!(assert_below_minimum_margin(&create_response, "22"), "source_price");
    let created_record = panel.post_data("/api/v1/admin/providers", expensive_provider(json!([]))).await;
    let path = format!("/api/v1/admin/providers/{}", created_record["id"]);
    assert_eq!(
        assert_below_minimum_margin(&panel.put(&path, &json!({ "services": [PLAIN_SERVICE] })).await, "22"),
        "services"
    );
    let service_path = format!("/api/v1/admin/services/{PLAIN_SERVICE}");
    let link_response = panel.put(&service_path, &json!({ "providers": [1, created_record["id"]] })).await;
    assert_eq!(assert_below_minimum_margin(&link_response, "22"), "default_price");
    let linked_with_higher_price_body =
        json!({ "providers": [1, created_record["id"]], "default_price": "22" });
    assert_eq!(panel.put(&service_path, &linked_with_higher_price_body).await.status, 200);
    assert_eq!(
        assert_below_minimum_margin(&panel.put(&service_path, &json!({ "default_price": "21" })).await, "22"),
        "default_price"
    );
    // A service that is already below the minimum margin accepts a lower cost.
    panel.execute(Sql::new("UPDATE services SET default_price = 5000000 WHERE id = 1")).await;
    assert_eq!(panel.put(&path, &json!({ "source_price": "19" })).await.status, 200);
}

async fn raises_every_charge_to_the_minimum_margin(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.execute(Sql::new("UPDATE services SET min_price = 0")).await;
    let insert_discount_sql = "INSERT INTO user_discounts (user_id, kind, discount_ppm, updated_at) VALUES (2, 'orders', 500000, 1)";
    panel.execute(Sql::new(insert_discount_sql)).await;
    assert_eq!(place_order_and_return_cost(&panel).await, "9.9");
    panel.execute(Sql::new("UPDATE services SET default_price = 5000000 WHERE id = 1")).await;
    let placed_order = panel
        .place_order(&NewOrder::without_options(
            UserId::new(2),
            PLAIN_SERVICE,
            "https://video.example/1",
            100,
        ))
        .await;
    assert_eq!(placed_order.cost.to_string(), "0.99");
    let modifications = panel.fetch_order(placed_order.id).await["price_modifications"].clone();
    assert_eq!(
        (&modifications[0]["type"], &modifications[0]["cost_diff"]),
        (&json!("minimum_margin"), &json!("0.49"))
    );
    let preview_body = json!({ "default_price": "5", "min_price": "0", "pricing_per": 1000, "quantity": 100, "service_id": PLAIN_SERVICE });
    let preview_response = panel.post("/api/v1/admin/services/price-preview", &preview_body).await;
    assert_eq!(preview_response.json()["data"][0]["cost"], "0.99", "{}", preview_response.text);
    panel.execute(Sql::new("UPDATE settings SET value = 'null' WHERE key = 'min_margin_fraction'")).await;
    assert_eq!(
        place_order_and_return_cost(&panel).await,
        "9",
        "without a minimum margin, the provider's cost must be the lowest price"
    );
    panel.execute(Sql::new("DELETE FROM settings WHERE key LIKE 'min_margin%'")).await;
    assert_eq!(
        place_order_and_return_cost(&panel).await,
        "9",
        "a panel without the setting must behave in the same way"
    );
    assert_eq!(
        assert_below_minimum_margin(
            &panel.post(PRICES_PATH, &json!({ "service_id": PLAIN_SERVICE, "default_price": "8" })).await,
            "9"
        ),
        "default_price"
    );
    panel.save_settings(json!({ "min_margin_action": "off" })).await;
    assert_eq!(place_order_and_return_cost(&panel).await, "2.5");
    panel.assert_healthy().await;
}

const PACKAGES_PATH: &str = "/api/v1/admin/packages";

/// A package with 1,000 units of a service, whose lowest cost is 9.9, and 500 units of another service, whose lowest cost is 4.95.
fn package_body(discount: &str) -> Value {
    json!({ "name": "Starter", "network_id": 1, "discount_fraction": discount,
        "package_contents": [{ "id": PLAIN_SERVICE, "quantity": 1_000 }, { "id": 2, "quantity": 500 }] })
}

async fn rejects_packages_below_the_minimum_margin(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    assert_eq!(
        assert_below_minimum_margin(&panel.post(PACKAGES_PATH, &package_body("0.5")).await, "14.85"),
        "discount_fraction"
    );
    // The cost calculation shows the lowest cost before staff save the package.
    let fetch_lowest_cost = async |discount: &str| {
        let body = json!({ "package_contents": package_body("0")["package_contents"], "discount_fraction": discount });
        let calculation = panel.post_data(&format!("{PACKAGES_PATH}/total-cost"), body).await;
        (calculation["lowest_cost"].clone(), calculation["is_below_minimum_margin"].clone())
    };
    assert_eq!(fetch_lowest_cost("0.5").await, (json!("14.85"), json!(true)));
    assert_eq!(fetch_lowest_cost("0.01").await, (json!("14.85"), json!(false)));
    let mut cheap_package_body = package_body("0");
    cheap_package_body["package_contents"][0]["price"] = json!("5");
    assert_eq!(
        assert_below_minimum_margin(&panel.post(PACKAGES_PATH, &cheap_package_body).await, "14.85"),
        "package_contents"
    );
    let created_record = panel.post_data(PACKAGES_PATH, package_body("0.01")).await;
    let path = format!("{PACKAGES_PATH}/{}", created_record["id"]);
    let fixed_body = json!({ "fixed_cost": "14.84", "discount_fraction": "0" });
    assert_eq!(assert_below_minimum_margin(&panel.put(&path, &fixed_body).await, "14.85"), "fixed_cost");
    let confirmed_body =
        json!({ "fixed_cost": "14.84", "discount_fraction": "0", "confirm_below_margin": true });
    assert_eq!(
        assert_below_minimum_margin(&panel.put(&path, &confirmed_body).await, "14.85"),
        "fixed_cost",
        "a confirmation must not have an effect with the action `reject`"
    );
    let bulk_body = |discount: &str| json!({ "packages": [{ "id": created_record["id"], "discount_fraction": discount }] });
    let patch_discounts = |discount: &str| {
        let body = bulk_body(discount);
        let panel = &panel;
        async move { panel.send("owner", "PATCH", &format!("{PACKAGES_PATH}/bulk"), &body, None).await }
    };
    assert_eq!(
        assert_below_minimum_margin(&patch_discounts("0.2").await, "14.85"),
        "packages.0.discount_fraction"
    );
    assert_eq!(patch_discounts("0.005").await.status, 200);
    // A package that fell below the minimum because its cost rose may stay as it is; customers then pay the lowest possible cost.
    panel.execute(Sql::new("UPDATE providers SET source_price = 12000000 WHERE id = 1")).await;
    assert_eq!(panel.put(&path, &json!({ "name": "Beginner" })).await.status, 200);
    let balance_before = panel.fetch_main_balance(2).await;
    let combo_order = panel
        .post_data(&format!("{path}/buy"), json!({ "user_id": 2, "url": "https://video.example/1" }))
        .await;
    assert_eq!(combo_order["cost"], "19.8");
    assert_eq!(balance_before - panel.fetch_main_balance(2).await, 19_800_000);
    panel.assert_healthy().await;
}

async fn charges_a_confirmed_package_below_the_minimum_margin(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    allow_confirmed_margins(&panel).await;
    let mut body = package_body("0.5");
    let response_below_minimum = panel.post(PACKAGES_PATH, &body).await;
    assert_eq!(assert_below_minimum_margin(&response_below_minimum, "14.85"), "discount_fraction");
    assert!(
        response_below_minimum.text.contains("Send confirm_below_margin"),
        "{}",
        response_below_minimum.text
    );
    body["confirm_below_margin"] = json!(true);
    let created_record = panel.post_data(PACKAGES_PATH, body).await;
    assert_eq!(created_record["below_margin_confirmed"], true);
    let path = format!("{PACKAGES_PATH}/{}", created_record["id"]);
    let buy_body = json!({ "user_id": 2, "url": "https://video.example/1" });
    assert_eq!(panel.post_data(&format!("{path}/buy"), buy_body.clone()).await["cost"], "7.5");
    // A confirmation applies to one cost only.
    let raised_record = panel.put(&path, &json!({ "discount_fraction": "0" })).await.json()["data"].clone();
    assert_eq!(
        (&raised_record["below_margin_confirmed"], &raised_record["total_cost"]),
        (&json!(false), &json!("15"))
    );
    panel.execute(Sql::new("UPDATE packages SET discount_ppm = 500000")).await;
    assert_eq!(panel.post_data(&format!("{path}/buy"), buy_body).await["cost"], "14.85");
    let bulk_body = json!({ "packages": [{ "id": created_record["id"], "discount_fraction": "0.4" }], "confirm_below_margin": true });
    assert_eq!(
        panel.send("owner", "PATCH", &format!("{PACKAGES_PATH}/bulk"), &bulk_body, None).await.status,
        200
    );
    assert_eq!(panel.get_data(&path).await["below_margin_confirmed"], true);
    panel.assert_healthy().await;
}

/// Makes provider 1 a service of an external panel, because the quantity ratio does not apply to manual providers.
async fn shop_with_external_provider(dialect: Dialect) -> Panel {
    let panel = start_shop(dialect).await;
    for sql in [
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'Upstream', 'https://up.example', 1, 1)",
        "UPDATE providers SET external_panel_id = 7, external_panel_service_id = '5' WHERE id = 1",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    panel
}

async fn the_minimum_margin_includes_the_order_quantity_ratio(dialect: Dialect) {
    let panel = shop_with_external_provider(dialect).await;
    let service_path = format!("/api/v1/admin/services/{PLAIN_SERVICE}");
    let ratio_body = json!({ "order_quantity_ratio": "1.5" });
    assert_eq!(
        assert_below_minimum_margin(&panel.put(&service_path, &ratio_body).await, "14.85"),
        "order_quantity_ratio"
    );
    let too_expensive_body = json!({ "order_quantity_ratio": "1.5", "default_price": "15" });
    assert_eq!(panel.put(&service_path, &too_expensive_body).await.status, 200);
    panel.execute(Sql::new("UPDATE services SET default_price = 10000000, min_price = 0 WHERE id = 1")).await;
    assert_eq!(place_order_and_return_cost(&panel).await, "14.85");
    let preview_body = json!({ "default_price": "10", "min_price": "0", "pricing_per": 1000, "quantity": 1000, "service_id": PLAIN_SERVICE });
    let preview_response = panel.post("/api/v1/admin/services/price-preview", &preview_body).await;
    assert_eq!(preview_response.json()["data"][0]["cost"], "14.85", "{}", preview_response.text);
    // The personal ratio of a customer overrides the ratio of the service.
    let personal_price_body = |price: &str, ratio: &str| json!({ "service_id": PLAIN_SERVICE, "default_price": price, "order_quantity_ratio": ratio });
    assert_eq!(
        assert_below_minimum_margin(&panel.post(PRICES_PATH, &personal_price_body("15", "2")).await, "19.8"),
        "default_price"
    );
    let created_record = panel.post_data(PRICES_PATH, personal_price_body("10", "1")).await;
    assert_eq!(place_order_and_return_cost(&panel).await, "10");
    let path = format!("{PRICES_PATH}/{}", created_record["id"]);
    let patch = async |body: Value| panel.send("owner", "PATCH", &path, &body, None).await;
    assert_eq!(
        assert_below_minimum_margin(&patch(json!({ "order_quantity_ratio": "2" })).await, "19.8"),
        "order_quantity_ratio"
    );
    let bulk_body = json!({ "user_services": [{ "service_id": PLAIN_SERVICE, "default_price": "9.8" }] });
    let field =
        assert_below_minimum_margin(&panel.post(&format!("{PRICES_PATH}/bulk"), &bulk_body).await, "9.9");
    assert_eq!(
        field, "user_services.0.default_price",
        "the check must use the personal ratio of the customer"
    );
    panel.execute(Sql::new("UPDATE user_services SET order_quantity_ratio_ppm = 2000000")).await;
    assert_eq!(place_order_and_return_cost(&panel).await, "19.8");
    // Orders above the threshold use the ratio of the service.
    panel.execute(Sql::new("UPDATE user_services SET order_quantity_ratio_ppm = 1000000, max_order_quantity_for_use_throttle = 100")).await;
    assert_eq!(place_order_and_return_cost(&panel).await, "14.85");
    // A confirmed ratio without a personal price does not raise the charge.
    allow_confirmed_margins(&panel).await;
    panel
        .execute(Sql::new(
            "UPDATE user_services SET default_price = NULL, max_order_quantity_for_use_throttle = NULL",
        ))
        .await;
    let double_ratio_body =
        |confirmed: bool| json!({ "order_quantity_ratio": "2", "confirm_below_margin": confirmed });
    assert_eq!(
        assert_below_minimum_margin(&patch(double_ratio_body(false)).await, "19.8"),
        "order_quantity_ratio"
    );
    assert_eq!(patch(double_ratio_body(true)).await.status, 200);
    assert_eq!(place_order_and_return_cost(&panel).await, "10");
    panel.execute(Sql::new("DELETE FROM user_services")).await;
    assert_eq!(place_order_and_return_cost(&panel).await, "14.85");
    // The ratio does not apply to a manual provider.
    panel.execute(Sql::new("UPDATE providers SET external_panel_id = NULL WHERE id = 1")).await;
    assert_eq!(place_order_and_return_cost(&panel).await, "10");
    panel.assert_healthy().await;
}

async fn checks_the_minimum_margin_when_a_provider_or_panel_is_restored(dialect: Dialect) {
    let panel = shop_with_external_provider(dialect).await;
    let (provider_path, external_panel_path) =
        ("/api/v1/admin/providers/1", "/api/v1/admin/external-panels/7");
    let raise_source_price_sql = "UPDATE providers SET source_price = 20000000 WHERE id = 1";
    let undo = async |response: &TestResponse| {
        panel
            .post("/api/v1/admin/undo", &json!({ "request_id": response.json()["undo"]["request_id"] }))
            .await
    };
    let provider_archive_response = panel.post(&format!("{provider_path}/archive"), &json!({})).await;
    panel.execute(Sql::new(raise_source_price_sql)).await;
    assert_eq!(assert_below_minimum_margin(&undo(&provider_archive_response).await, "22"), "request_id");
    assert_eq!(
        assert_below_minimum_margin(
            &panel.post(&format!("{provider_path}/unarchive"), &json!({})).await,
            "22"
        ),
        "id"
    );
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM providers WHERE id = 1 AND is_archived")).await,
        1
    );
    let archive_response = panel.post(&format!("{external_panel_path}/archive"), &json!({})).await;
    assert_eq!(archive_response.status, 200, "{}", archive_response.text);
    panel.execute(Sql::new("UPDATE providers SET is_archived = FALSE WHERE id = 1")).await;
    assert_eq!(
        assert_below_minimum_margin(
            &panel.post(&format!("{external_panel_path}/unarchive"), &json!({})).await,
            "22"
        ),
        "id"
    );
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM external_panels WHERE is_archived")).await,
        1
    );
    allow_confirmed_margins(&panel).await;
    assert_eq!(panel.post(&format!("{external_panel_path}/unarchive"), &json!({})).await.status, 200);
}

async fn checks_the_minimum_margin_when_a_discount_applies_to_more_orders(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.execute(Sql::new("UPDATE services SET min_price = 0")).await;
    let body = json!({ "name": "Sale", "valid_from": "2026-01-01 00:00:00", "valid_to": "2098-01-01 00:00:00", "countries": ["DE", "FR"], "services": [{ "id": PLAIN_SERVICE, "discount_fraction": "0.01" }] });
    let created_record = panel.post_data("/api/v1/admin/discounts", body).await;
    let path = format!("/api/v1/admin/discounts/{}", created_record["id"]);
    panel.execute(Sql::new("UPDATE providers SET source_price = 9050000 WHERE id = 1")).await;
    let longer_body = json!({ "valid_to": "2099-01-01 00:00:00" });
    assert_eq!(assert_below_minimum_margin(&panel.put(&path, &longer_body).await, "9.955"), "valid_to");
    for more_countries in [json!({ "countries": [] }), json!({ "countries": ["DE", "IT"] })] {
        assert_eq!(
            assert_below_minimum_margin(&panel.put(&path, &more_countries).await, "9.955"),
            "countries"
        );
    }
    // A discount for fewer customers or a shorter time applies to no additional orders, so the server does not check it again.
    let fewer_orders_body = json!({ "countries": ["DE"], "valid_to": "2097-01-01 00:00:00", "valid_from": "2026-01-02 00:00:00" });
    assert_eq!(panel.put(&path, &fewer_orders_body).await.status, 200);
    assert_eq!(panel.put(&path, &json!({ "name": "Autumn" })).await.status, 200);
    let archive_response = panel.post(&format!("{path}/archive"), &json!({})).await;
    assert_eq!(archive_response.status, 200, "{}", archive_response.text);
    assert_eq!(
        assert_below_minimum_margin(&panel.post(&format!("{path}/unarchive"), &json!({})).await, "9.955"),
        "id"
    );
    let undo_body = json!({ "request_id": archive_response.json()["undo"]["request_id"] });
    let field = assert_below_minimum_margin(&panel.post("/api/v1/admin/undo", &undo_body).await, "9.955");
    assert_eq!((field.as_str(), &panel.get_data(&path).await["status"]), ("request_id", &json!("archived")));
    allow_confirmed_margins(&panel).await;
    let undo_response = panel.post("/api/v1/admin/undo", &undo_body).await;
    assert_eq!(undo_response.status, 200, "{}", undo_response.text);
    assert_eq!(panel.get_data(&path).await["status"], "active");
}

async fn resale_margins_below_the_minimum_need_a_confirmation(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let service_path = format!("/api/v1/admin/services/{PLAIN_SERVICE}");
    let promoted_services_path = "/api/v1/admin/auto-promotions/services";
    let margin_input =
        |confirmed: bool| json!({ "resale_margin_fraction": "0.05", "confirm_below_margin": confirmed });
    let promote_input = |confirmed: bool| json!({ "services": [PLAIN_SERVICE], "resale_margin_fraction": "0.05", "confirm_below_margin": confirmed });
    let error_code = |response: &TestResponse| response.status_and_code().1;
    assert_eq!(
        error_code(&panel.put(&service_path, &margin_input(true)).await),
        "below_minimum_margin",
        "a confirmation must not have an effect with the action `reject`"
    );
    assert_eq!(
        error_code(&panel.post(promoted_services_path, &promote_input(true)).await),
        "below_minimum_margin"
    );
    allow_confirmed_margins(&panel).await;
    assert_eq!(error_code(&panel.put(&service_path, &margin_input(false)).await), "below_minimum_margin");
    assert_eq!(panel.put(&service_path, &margin_input(true)).await.status, 200);
    assert_eq!(
        error_code(&panel.post(promoted_services_path, &promote_input(false)).await),
        "below_minimum_margin"
    );
    assert_eq!(panel.post(promoted_services_path, &promote_input(true)).await.status, 200);
}
