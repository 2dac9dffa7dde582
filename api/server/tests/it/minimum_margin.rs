//! The minimum margin over the provider's price: checked wherever staff set a price or a cost, and applied to every charge.

use panel_contract::ids::UserId;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::shop::PLAIN;

both! {
    refuses_personal_prices_below_the_minimum_margin;
    charges_a_confirmed_personal_price_below_the_minimum_margin;
    refuses_discounts_below_the_minimum_margin;
    refuses_provider_costs_that_break_the_minimum_margin;
    raises_every_charge_to_the_minimum_margin;
    refuses_packages_below_the_minimum_margin;
    charges_a_confirmed_package_below_the_minimum_margin;
    the_minimum_margin_includes_the_order_quantity_ratio;
    checks_the_minimum_margin_when_a_provider_or_panel_is_restored;
    checks_the_minimum_margin_when_a_discount_applies_to_more_orders;
    resale_margins_below_the_minimum_need_a_confirmation;
}

const PRICES: &str = "/api/v1/admin/users/2/user-services";

/// Service 1 costs the customer 10 per 1,000 and the panel 9. With a minimum margin of 10 %, its lowest possible price is 9.9.
async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 3, 0).await;
    for sql in [
        "UPDATE providers SET source_price = 9000000 WHERE id = 1",
        "INSERT INTO settings (key, value, updated_at) VALUES ('min_margin_fraction', '\"0.1\"', 1), ('min_margin_action', '\"refuse\"', 1)",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    panel
}

/// Asserts that the request was refused and that the message names the lowest possible price. Returns the refused field.
fn refused_field(answer: &Answer, lowest: &str) -> String {
    assert_eq!(answer.status_and_code(), (422, "below_minimum_margin".into()), "{}", answer.text);
    let errors = answer.json()["errors"].as_object().unwrap().clone();
    let (field, messages) = errors.into_iter().next().unwrap();
    let message = messages[0].as_str().unwrap().to_owned();
    assert!(message.contains(&format!("{lowest} is the lowest possible price")), "{message}");
    field
}

async fn warn_instead_of_refusing(panel: &Panel) {
    panel.execute(Sql::new("UPDATE settings SET value = '\"warn\"' WHERE key = 'min_margin_action'")).await;
}

/// Places an order for 1,000 units and returns its cost.
async fn place_and_get_cost(panel: &Panel) -> String {
    panel
        .place(&NewOrder::plain(UserId::new(2), PLAIN, "https://video.example/1", 1_000))
        .await
        .cost
        .to_string()
}

async fn refuses_personal_prices_below_the_minimum_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    let price = |price: &str| json!({ "service_id": PLAIN, "default_price": price });
    let bulk_prices = |price: &str| json!({ "user_services": [{ "service_id": 3, "default_price": "1" }, { "service_id": PLAIN, "default_price": price }] });
    assert_eq!(refused_field(&panel.post(PRICES, &price("9.89")).await, "9.9"), "default_price");
    let confirmed = json!({ "service_id": PLAIN, "default_price": "9.89", "confirm_below_margin": true });
    assert_eq!(
        refused_field(&panel.post(PRICES, &confirmed).await, "9.9"),
        "default_price",
        "a confirmation has no effect under `refuse`"
    );
    let bulk = format!("{PRICES}/bulk");
    let field = refused_field(&panel.post(&bulk, &bulk_prices("9.89")).await, "9.9");
    assert_eq!(field, "user_services.1.default_price", "service 3 has no available provider");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM user_services")).await, 0);
    assert_eq!(panel.post(&bulk, &bulk_prices("9.9")).await.status, 200);
    let id = panel.number(Sql::new("SELECT id FROM user_services WHERE service_id = 1")).await;
    let path = format!("{PRICES}/{id}");
    let below_minimum = panel.send("owner", "PATCH", &path, &price("9"), None).await;
    assert_eq!(refused_field(&below_minimum, "9.9"), "default_price");
    // A price that fell below the minimum because its cost rose may stay as it is while staff change other fields.
    panel.execute(Sql::new("UPDATE providers SET source_price = 12000000 WHERE id = 1")).await;
    let unchanged_price = json!({ "service_id": PLAIN, "default_price": "9.9", "has_refill": true });
    assert_eq!(panel.send("owner", "PATCH", &path, &unchanged_price, None).await.status, 200);
}

async fn charges_a_confirmed_personal_price_below_the_minimum_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    warn_instead_of_refusing(&panel).await;
    let mut price = json!({ "service_id": PLAIN, "default_price": "5" });
    let below_minimum = panel.post(PRICES, &price).await;
    assert_eq!(refused_field(&below_minimum, "9.9"), "default_price");
    assert!(below_minimum.text.contains("Send confirm_below_margin"), "{}", below_minimum.text);
    price["confirm_below_margin"] = json!(true);
    let created = panel.post(PRICES, &price).await.json()["data"].clone();
    assert_eq!(created["below_margin_confirmed"], true);
    assert_eq!(place_and_get_cost(&panel).await, "5");
    // A confirmation covers one price only.
    let path = format!("{PRICES}/{}", created["id"]);
    let change = json!({ "service_id": PLAIN, "default_price": "9.9" });
    let raised = panel.send("owner", "PATCH", &path, &change, None).await.json()["data"].clone();
    assert_eq!(raised["below_margin_confirmed"], false);
    panel.execute(Sql::new("UPDATE user_services SET default_price = 5000000")).await;
    assert_eq!(place_and_get_cost(&panel).await, "9.9", "staff did not confirm this cost");
    panel.assert_healthy().await;
}

async fn refuses_discounts_below_the_minimum_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    let body = |fraction: &str| json!({ "name": "Sale", "valid_from": "2026-01-01 00:00:00", "services": [{ "id": 3, "discount_fraction": "0.9" }, { "id": PLAIN, "discount_fraction": fraction }] });
    let path = "/api/v1/admin/discounts";
    panel.execute(Sql::new("UPDATE services SET min_price = 0")).await;
    assert_eq!(refused_field(&panel.post(path, &body("0.9")).await, "9.9"), "services.1.discount_fraction");
    let created = panel.post_data(path, body("0.01")).await;
    let path = format!("{path}/{}", created["id"]);
    let larger_discount =
        panel.put(&path, &json!({ "services": [{ "id": PLAIN, "discount_fraction": "0.011" }] })).await;
    assert_eq!(refused_field(&larger_discount, "9.9"), "services.0.discount_fraction");
    warn_instead_of_refusing(&panel).await;
    let confirmed =
        json!({ "services": [{ "id": PLAIN, "discount_fraction": "0.5" }], "confirm_below_margin": true });
    assert_eq!(panel.put(&path, &confirmed).await.status, 200);
    assert_eq!(place_and_get_cost(&panel).await, "9.9", "the charge still has the minimum margin");
}

async fn refuses_provider_costs_that_break_the_minimum_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    let provider = "/api/v1/admin/providers/1";
    panel.execute(Sql::new("UPDATE providers SET type = 'manual', source_currency = 'USD'")).await;
    let too_expensive = panel.put(provider, &json!({ "source_price": "9.5" })).await;
    assert_eq!(refused_field(&too_expensive, "10.45"), "source_price");
    assert_eq!(panel.put(provider, &json!({ "source_price": "9.05" })).await.status, 200);
    let expensive_provider = |services: Value| json!({ "name": "Expensive", "type": "manual", "source_price": "20", "services": services });
    let created = panel.post("/api/v1/admin/providers", &expensive_provider(json!([PLAIN]))).await;
    assert_eq!(refused_field(&created, "22"), "source_price");
    let created = panel.post_data("/api/v1/admin/providers", expensive_provider(json!([]))).await;
    let path = format!("/api/v1/admin/providers/{}", created["id"]);
    assert_eq!(refused_field(&panel.put(&path, &json!({ "services": [PLAIN] })).await, "22"), "services");
    let service = format!("/api/v1/admin/services/{PLAIN}");
    let linked = panel.put(&service, &json!({ "providers": [1, created["id"]] })).await;
    assert_eq!(refused_field(&linked, "22"), "default_price");
    let linked_with_higher_price = json!({ "providers": [1, created["id"]], "default_price": "22" });
    assert_eq!(panel.put(&service, &linked_with_higher_price).await.status, 200);
    assert_eq!(
        refused_field(&panel.put(&service, &json!({ "default_price": "21" })).await, "22"),
        "default_price"
    );
    // A service that is already below the minimum margin accepts a lower cost.
    panel.execute(Sql::new("UPDATE services SET default_price = 5000000 WHERE id = 1")).await;
    assert_eq!(panel.put(&path, &json!({ "source_price": "19" })).await.status, 200);
}

async fn raises_every_charge_to_the_minimum_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.execute(Sql::new("UPDATE services SET min_price = 0")).await;
    let discount = "INSERT INTO user_discounts (user_id, kind, discount_ppm, updated_at) VALUES (2, 'orders', 500000, 1)";
    panel.execute(Sql::new(discount)).await;
    assert_eq!(place_and_get_cost(&panel).await, "9.9");
    panel.execute(Sql::new("UPDATE services SET default_price = 5000000 WHERE id = 1")).await;
    let placed = panel.place(&NewOrder::plain(UserId::new(2), PLAIN, "https://video.example/1", 100)).await;
    assert_eq!(placed.cost.to_string(), "0.99");
    let modifications = panel.order(placed.id).await["price_modifications"].clone();
    assert_eq!(
        (&modifications[0]["type"], &modifications[0]["cost_diff"]),
        (&json!("least_margin"), &json!("0.49"))
    );
    let preview = json!({ "default_price": "5", "min_price": "0", "pricing_per": 1000, "quantity": 100, "service_id": PLAIN });
    let preview_response = panel.post("/api/v1/admin/services/price-preview", &preview).await;
    assert_eq!(preview_response.json()["data"][0]["cost"], "0.99", "{}", preview_response.text);
    panel.execute(Sql::new("UPDATE settings SET value = 'null' WHERE key = 'min_margin_fraction'")).await;
    assert_eq!(
        place_and_get_cost(&panel).await,
        "9",
        "without a minimum margin, the cost is the lowest price"
    );
    panel.execute(Sql::new("DELETE FROM settings WHERE key LIKE 'min_margin%'")).await;
    assert_eq!(place_and_get_cost(&panel).await, "9", "a new panel has the same default");
    assert_eq!(
        refused_field(&panel.post(PRICES, &json!({ "service_id": PLAIN, "default_price": "8" })).await, "9"),
        "default_price"
    );
    panel.save_settings(json!({ "min_margin_action": "off" })).await;
    assert_eq!(place_and_get_cost(&panel).await, "2.5");
    panel.assert_healthy().await;
}

const PACKAGES: &str = "/api/v1/admin/packages";

/// 1,000 units of a service whose lowest cost is 9.9, and 500 of another one whose lowest cost is 4.95.
fn package(discount: &str) -> Value {
    json!({ "name": "Starter", "network_id": 1, "discount_fraction": discount,
        "package_contents": [{ "id": PLAIN, "quantity": 1_000 }, { "id": 2, "quantity": 500 }] })
}

async fn refuses_packages_below_the_minimum_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    assert_eq!(refused_field(&panel.post(PACKAGES, &package("0.5")).await, "14.85"), "discount_fraction");
    // The cost calculation of the editor reports it before the package is saved.
    let lowest_cost = async |discount: &str| {
        let body =
            json!({ "package_contents": package("0")["package_contents"], "discount_fraction": discount });
        let calculated = panel.post_data(&format!("{PACKAGES}/total-cost"), body).await;
        (calculated["lowest_cost"].clone(), calculated["is_below_minimum_margin"].clone())
    };
    assert_eq!(lowest_cost("0.5").await, (json!("14.85"), json!(true)));
    assert_eq!(lowest_cost("0.01").await, (json!("14.85"), json!(false)));
    let mut cheap = package("0");
    cheap["package_contents"][0]["price"] = json!("5");
    assert_eq!(refused_field(&panel.post(PACKAGES, &cheap).await, "14.85"), "package_contents");
    let created = panel.post_data(PACKAGES, package("0.01")).await;
    let path = format!("{PACKAGES}/{}", created["id"]);
    let fixed = json!({ "fixed_cost": "14.84", "discount_fraction": "0" });
    assert_eq!(refused_field(&panel.put(&path, &fixed).await, "14.85"), "fixed_cost");
    let confirmed = json!({ "fixed_cost": "14.84", "discount_fraction": "0", "confirm_below_margin": true });
    assert_eq!(
        refused_field(&panel.put(&path, &confirmed).await, "14.85"),
        "fixed_cost",
        "a confirmation has no effect under `refuse`"
    );
    let bulk =
        |discount: &str| json!({ "packages": [{ "id": created["id"], "discount_fraction": discount }] });
    let bulk_prices = |discount: &str| {
        let body = bulk(discount);
        let panel = &panel;
        async move { panel.send("owner", "PATCH", &format!("{PACKAGES}/bulk"), &body, None).await }
    };
    assert_eq!(refused_field(&bulk_prices("0.2").await, "14.85"), "packages.0.discount_fraction");
    assert_eq!(bulk_prices("0.005").await.status, 200);
    // A package that fell below the minimum because its cost rose may stay as it is; customers then pay the lowest possible cost.
    panel.execute(Sql::new("UPDATE providers SET source_price = 12000000 WHERE id = 1")).await;
    assert_eq!(panel.put(&path, &json!({ "name": "Beginner" })).await.status, 200);
    let before = panel.main_balance(2).await;
    let combo_order = panel
        .post_data(&format!("{path}/buy"), json!({ "user_id": 2, "url": "https://video.example/1" }))
        .await;
    assert_eq!(combo_order["cost"], "19.8");
    assert_eq!(before - panel.main_balance(2).await, 19_800_000);
    panel.assert_healthy().await;
}

async fn charges_a_confirmed_package_below_the_minimum_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    warn_instead_of_refusing(&panel).await;
    let mut body = package("0.5");
    let below_minimum = panel.post(PACKAGES, &body).await;
    assert_eq!(refused_field(&below_minimum, "14.85"), "discount_fraction");
    assert!(below_minimum.text.contains("Send confirm_below_margin"), "{}", below_minimum.text);
    body["confirm_below_margin"] = json!(true);
    let created = panel.post_data(PACKAGES, body).await;
    assert_eq!(created["below_margin_confirmed"], true);
    let path = format!("{PACKAGES}/{}", created["id"]);
    let buy = json!({ "user_id": 2, "url": "https://video.example/1" });
    assert_eq!(panel.post_data(&format!("{path}/buy"), buy.clone()).await["cost"], "7.5");
    // A confirmation covers one cost only.
    let raised = panel.put(&path, &json!({ "discount_fraction": "0" })).await.json()["data"].clone();
    assert_eq!((&raised["below_margin_confirmed"], &raised["total_cost"]), (&json!(false), &json!("15")));
    panel.execute(Sql::new("UPDATE packages SET discount_ppm = 500000")).await;
    assert_eq!(panel.post_data(&format!("{path}/buy"), buy).await["cost"], "14.85");
    let bulk = json!({ "packages": [{ "id": created["id"], "discount_fraction": "0.4" }], "confirm_below_margin": true });
    assert_eq!(panel.send("owner", "PATCH", &format!("{PACKAGES}/bulk"), &bulk, None).await.status, 200);
    assert_eq!(panel.get_data(&path).await["below_margin_confirmed"], true);
    panel.assert_healthy().await;
}

/// Provider 1 becomes a service of an external panel, because the quantity ratio does not apply to manual providers.
async fn shop_with_external_provider(dialect: Dialect) -> Panel {
    let panel = shop(dialect).await;
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
    let service = format!("/api/v1/admin/services/{PLAIN}");
    let ratio = json!({ "order_quantity_ratio": "1.5" });
    assert_eq!(refused_field(&panel.put(&service, &ratio).await, "14.85"), "order_quantity_ratio");
    let too_expensive = json!({ "order_quantity_ratio": "1.5", "default_price": "15" });
    assert_eq!(panel.put(&service, &too_expensive).await.status, 200);
    panel.execute(Sql::new("UPDATE services SET default_price = 10000000, min_price = 0 WHERE id = 1")).await;
    assert_eq!(place_and_get_cost(&panel).await, "14.85");
    let preview = json!({ "default_price": "10", "min_price": "0", "pricing_per": 1000, "quantity": 1000, "service_id": PLAIN });
    let preview_response = panel.post("/api/v1/admin/services/price-preview", &preview).await;
    assert_eq!(preview_response.json()["data"][0]["cost"], "14.85", "{}", preview_response.text);
    // The personal ratio of a customer overrides the ratio of the service.
    let personal_price = |price: &str, ratio: &str| json!({ "service_id": PLAIN, "default_price": price, "order_quantity_ratio": ratio });
    assert_eq!(refused_field(&panel.post(PRICES, &personal_price("15", "2")).await, "19.8"), "default_price");
    let created = panel.post_data(PRICES, personal_price("10", "1")).await;
    assert_eq!(place_and_get_cost(&panel).await, "10");
    let path = format!("{PRICES}/{}", created["id"]);
    let patch = async |body: Value| panel.send("owner", "PATCH", &path, &body, None).await;
    assert_eq!(
        refused_field(&patch(json!({ "order_quantity_ratio": "2" })).await, "19.8"),
        "order_quantity_ratio"
    );
    let bulk = json!({ "user_services": [{ "service_id": PLAIN, "default_price": "9.8" }] });
    let field = refused_field(&panel.post(&format!("{PRICES}/bulk"), &bulk).await, "9.9");
    assert_eq!(field, "user_services.0.default_price", "the check uses the personal ratio of the customer");
    panel.execute(Sql::new("UPDATE user_services SET order_quantity_ratio_ppm = 2000000")).await;
    assert_eq!(place_and_get_cost(&panel).await, "19.8");
    // Orders above the threshold use the ratio of the service.
    panel.execute(Sql::new("UPDATE user_services SET order_quantity_ratio_ppm = 1000000, max_order_quantity_for_use_throttle = 100")).await;
    assert_eq!(place_and_get_cost(&panel).await, "14.85");
    // A confirmed ratio without a personal price does not raise the charge.
    warn_instead_of_refusing(&panel).await;
    panel
        .execute(Sql::new(
            "UPDATE user_services SET default_price = NULL, max_order_quantity_for_use_throttle = NULL",
        ))
        .await;
    let ratio_of_two =
        |confirmed: bool| json!({ "order_quantity_ratio": "2", "confirm_below_margin": confirmed });
    assert_eq!(refused_field(&patch(ratio_of_two(false)).await, "19.8"), "order_quantity_ratio");
    assert_eq!(patch(ratio_of_two(true)).await.status, 200);
    assert_eq!(place_and_get_cost(&panel).await, "10");
    panel.execute(Sql::new("DELETE FROM user_services")).await;
    assert_eq!(place_and_get_cost(&panel).await, "14.85");
    // The ratio does not apply to a manual provider.
    panel.execute(Sql::new("UPDATE providers SET external_panel_id = NULL WHERE id = 1")).await;
    assert_eq!(place_and_get_cost(&panel).await, "10");
    panel.assert_healthy().await;
}

async fn checks_the_minimum_margin_when_a_provider_or_panel_is_restored(dialect: Dialect) {
    let panel = shop_with_external_provider(dialect).await;
    let (provider, external_panel) = ("/api/v1/admin/providers/1", "/api/v1/admin/external-panels/7");
    let raise_source_price = "UPDATE providers SET source_price = 20000000 WHERE id = 1";
    let undo = async |answer: &Answer| {
        panel.post("/api/v1/admin/undo", &json!({ "request_id": answer.json()["undo"]["request_id"] })).await
    };
    let archived = panel.post(&format!("{provider}/archive"), &json!({})).await;
    panel.execute(Sql::new(raise_source_price)).await;
    assert_eq!(refused_field(&undo(&archived).await, "22"), "request_id");
    assert_eq!(refused_field(&panel.post(&format!("{provider}/unarchive"), &json!({})).await, "22"), "id");
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM providers WHERE id = 1 AND is_archived")).await,
        1
    );
    let archived = panel.post(&format!("{external_panel}/archive"), &json!({})).await;
    assert_eq!(archived.status, 200, "{}", archived.text);
    panel.execute(Sql::new("UPDATE providers SET is_archived = FALSE WHERE id = 1")).await;
    assert_eq!(
        refused_field(&panel.post(&format!("{external_panel}/unarchive"), &json!({})).await, "22"),
        "id"
    );
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM external_panels WHERE is_archived")).await, 1);
    warn_instead_of_refusing(&panel).await;
    assert_eq!(panel.post(&format!("{external_panel}/unarchive"), &json!({})).await.status, 200);
}

async fn checks_the_minimum_margin_when_a_discount_applies_to_more_orders(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.execute(Sql::new("UPDATE services SET min_price = 0")).await;
    let body = json!({ "name": "Sale", "valid_from": "2026-01-01 00:00:00", "valid_to": "2098-01-01 00:00:00", "countries": ["DE", "FR"], "services": [{ "id": PLAIN, "discount_fraction": "0.01" }] });
    let created = panel.post_data("/api/v1/admin/discounts", body).await;
    let path = format!("/api/v1/admin/discounts/{}", created["id"]);
    panel.execute(Sql::new("UPDATE providers SET source_price = 9050000 WHERE id = 1")).await;
    let longer = json!({ "valid_to": "2099-01-01 00:00:00" });
    assert_eq!(refused_field(&panel.put(&path, &longer).await, "9.955"), "valid_to");
    for more_countries in [json!({ "countries": [] }), json!({ "countries": ["DE", "IT"] })] {
        assert_eq!(refused_field(&panel.put(&path, &more_countries).await, "9.955"), "countries");
    }
    // A discount for fewer customers or for a shorter time applies to no additional order, so it is not checked again.
    let fewer_orders = json!({ "countries": ["DE"], "valid_to": "2097-01-01 00:00:00", "valid_from": "2026-01-02 00:00:00" });
    assert_eq!(panel.put(&path, &fewer_orders).await.status, 200);
    assert_eq!(panel.put(&path, &json!({ "name": "Autumn" })).await.status, 200);
    let archived = panel.post(&format!("{path}/archive"), &json!({})).await;
    assert_eq!(archived.status, 200, "{}", archived.text);
    assert_eq!(refused_field(&panel.post(&format!("{path}/unarchive"), &json!({})).await, "9.955"), "id");
    let undo = json!({ "request_id": archived.json()["undo"]["request_id"] });
    let field = refused_field(&panel.post("/api/v1/admin/undo", &undo).await, "9.955");
    assert_eq!((field.as_str(), &panel.get_data(&path).await["status"]), ("request_id", &json!("archived")));
    warn_instead_of_refusing(&panel).await;
    let undone = panel.post("/api/v1/admin/undo", &undo).await;
    assert_eq!(undone.status, 200, "{}", undone.text);
    assert_eq!(panel.get_data(&path).await["status"], "active");
}

async fn resale_margins_below_the_minimum_need_a_confirmation(dialect: Dialect) {
    let panel = shop(dialect).await;
    let service = format!("/api/v1/admin/services/{PLAIN}");
    let promoted_services = "/api/v1/admin/auto-promotions/services";
    let margin_input =
        |confirmed: bool| json!({ "resale_margin_fraction": "0.05", "confirm_below_margin": confirmed });
    let promote_input = |confirmed: bool| json!({ "services": [PLAIN], "resale_margin_fraction": "0.05", "confirm_below_margin": confirmed });
    let error_code = |answer: &Answer| answer.status_and_code().1;
    assert_eq!(
        error_code(&panel.put(&service, &margin_input(true)).await),
        "below_minimum_margin",
        "a confirmation has no effect under `refuse`"
    );
    assert_eq!(
        error_code(&panel.post(promoted_services, &promote_input(true)).await),
        "below_minimum_margin"
    );
    warn_instead_of_refusing(&panel).await;
    assert_eq!(error_code(&panel.put(&service, &margin_input(false)).await), "below_minimum_margin");
    assert_eq!(panel.put(&service, &margin_input(true)).await.status, 200);
    assert_eq!(
        error_code(&panel.post(promoted_services, &promote_input(false)).await),
        "below_minimum_margin"
    );
    assert_eq!(panel.post(promoted_services, &promote_input(true)).await.status, 200);
}
