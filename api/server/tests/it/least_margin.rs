//! The least margin holds wherever a price or a cost is set, and in every charge.

use panel_contract::ids::UserId;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::shop::PLAIN;

both! {
    own_prices_hold_the_least_margin;
    a_confirmed_own_price_is_charged;
    discounts_hold_the_least_margin;
    costs_hold_the_least_margin;
    no_charge_falls_below_the_least_margin;
    packages_hold_the_least_margin;
    a_confirmed_package_is_charged_as_it_is;
    what_is_ordered_for_each_unit_counts;
    what_comes_back_is_judged;
    a_discount_is_judged_again_when_it_counts_again;
    resale_margins_are_confirmed;
}

const PRICES: &str = "/api/v1/admin/users/2/user-services";

/// Service 1 is sold at 10 for 1,000 and costs 9: with a tenth on it, 9.9 is the lowest price.
async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 3, 0).await;
    for sql in [
        "UPDATE providers SET source_price = 9000000 WHERE id = 1",
        "INSERT INTO settings (key, value, updated_at) VALUES ('min_margin_percent', '\"0.1\"', 1), ('min_margin_action', '\"refuse\"', 1)",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    panel
}

/// The refusal's only field; it says the lowest possible price.
fn refused(answer: &Answer, lowest: &str) -> String {
    assert_eq!(answer.says(), (422, "below_least_margin".into()), "{}", answer.text);
    let errors = answer.json()["errors"].as_object().unwrap().clone();
    let (field, messages) = errors.into_iter().next().unwrap();
    let message = messages[0].as_str().unwrap().to_owned();
    assert!(message.contains(&format!("{lowest} is the lowest possible price")), "{message}");
    field
}

async fn warn(panel: &Panel) {
    panel.exec(Sql::new("UPDATE settings SET value = '\"warn\"' WHERE key = 'min_margin_action'")).await;
}

async fn cost(panel: &Panel) -> String {
    panel
        .place(&NewOrder::plain(UserId::new(2), PLAIN, "https://video.example/1", 1_000))
        .await
        .cost
        .to_string()
}

async fn own_prices_hold_the_least_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    let price = |price: &str| json!({ "service_id": PLAIN, "default_price": price });
    let many = |price: &str| json!({ "user_services": [{ "service_id": 3, "default_price": "1" }, { "service_id": PLAIN, "default_price": price }] });
    assert_eq!(refused(&panel.post(PRICES, &price("9.89")).await, "9.9"), "default_price");
    let confirmed = json!({ "service_id": PLAIN, "default_price": "9.89", "confirm_below_margin": true });
    assert_eq!(refused(&panel.post(PRICES, &confirmed).await, "9.9"), "default_price", "it refuses");
    let bulk = format!("{PRICES}/bulk");
    let field = refused(&panel.post(&bulk, &many("9.89")).await, "9.9");
    assert_eq!(field, "user_services.1.default_price", "service 3 has no available provider");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM user_services")).await, 0);
    assert_eq!(panel.post(&bulk, &many("9.9")).await.status, 200);
    let id = panel.number(Sql::new("SELECT id FROM user_services WHERE service_id = 1")).await;
    let path = format!("{PRICES}/{id}");
    let low = panel.send("owner", "PATCH", &path, &price("9"), None).await;
    assert_eq!(refused(&low, "9.9"), "default_price");
    // What costs more by now may be mended in everything but its price.
    panel.exec(Sql::new("UPDATE providers SET source_price = 12000000 WHERE id = 1")).await;
    let same = json!({ "service_id": PLAIN, "default_price": "9.9", "has_refill": true });
    assert_eq!(panel.send("owner", "PATCH", &path, &same, None).await.status, 200);
}

async fn a_confirmed_own_price_is_charged(dialect: Dialect) {
    let panel = shop(dialect).await;
    warn(&panel).await;
    let mut price = json!({ "service_id": PLAIN, "default_price": "5" });
    let low = panel.post(PRICES, &price).await;
    assert_eq!(refused(&low, "9.9"), "default_price");
    assert!(low.text.contains("Send confirm_below_margin"), "{}", low.text);
    price["confirm_below_margin"] = json!(true);
    let made = panel.post(PRICES, &price).await.json()["data"].clone();
    assert_eq!(made["below_margin_confirmed"], true);
    assert_eq!(cost(&panel).await, "5");
    // A confirmation is for one price.
    let path = format!("{PRICES}/{}", made["id"]);
    let risen = json!({ "service_id": PLAIN, "default_price": "9.9" });
    let risen = panel.send("owner", "PATCH", &path, &risen, None).await.json()["data"].clone();
    assert_eq!(risen["below_margin_confirmed"], false);
    panel.exec(Sql::new("UPDATE user_services SET default_price = 5000000")).await;
    assert_eq!(cost(&panel).await, "9.9", "staff did not confirm this cost");
    panel.assert_healthy().await;
}

async fn discounts_hold_the_least_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    let body = |share: &str| json!({ "name": "Sale", "valid_from": "2026-01-01 00:00:00", "services": [{ "id": 3, "discount_percent": "0.9" }, { "id": PLAIN, "discount_percent": share }] });
    let path = "/api/v1/admin/discounts";
    panel.exec(Sql::new("UPDATE services SET min_price = 0")).await;
    assert_eq!(refused(&panel.post(path, &body("0.9")).await, "9.9"), "services.1.discount_percent");
    let made = panel.made(path, body("0.01")).await;
    let path = format!("{path}/{}", made["id"]);
    let dearer =
        panel.renew(&path, &json!({ "services": [{ "id": PLAIN, "discount_percent": "0.011" }] })).await;
    assert_eq!(refused(&dearer, "9.9"), "services.0.discount_percent");
    warn(&panel).await;
    let confirmed =
        json!({ "services": [{ "id": PLAIN, "discount_percent": "0.5" }], "confirm_below_margin": true });
    assert_eq!(panel.renew(&path, &confirmed).await.status, 200);
    assert_eq!(cost(&panel).await, "9.9", "the charge holds it all the same");
}

async fn costs_hold_the_least_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    let provider = "/api/v1/admin/providers/1";
    panel.exec(Sql::new("UPDATE providers SET type = 'manual', source_currency = 'USD'")).await;
    let dearer = panel.renew(provider, &json!({ "source_price": "9.5" })).await;
    assert_eq!(refused(&dearer, "10.45"), "source_price");
    assert_eq!(panel.renew(provider, &json!({ "source_price": "9.05" })).await.status, 200);
    let new = |services: Value| json!({ "name": "Dear", "type": "manual", "source_price": "20", "services": services });
    let made = panel.post("/api/v1/admin/providers", &new(json!([PLAIN]))).await;
    assert_eq!(refused(&made, "22"), "source_price");
    let made = panel.made("/api/v1/admin/providers", new(json!([]))).await;
    let path = format!("/api/v1/admin/providers/{}", made["id"]);
    assert_eq!(refused(&panel.renew(&path, &json!({ "services": [PLAIN] })).await, "22"), "services");
    let service = format!("/api/v1/admin/services/{PLAIN}");
    let attached = panel.renew(&service, &json!({ "providers": [1, made["id"]] })).await;
    assert_eq!(refused(&attached, "22"), "default_price");
    let both = json!({ "providers": [1, made["id"]], "default_price": "22" });
    assert_eq!(panel.renew(&service, &both).await.status, 200);
    assert_eq!(
        refused(&panel.renew(&service, &json!({ "default_price": "21" })).await, "22"),
        "default_price"
    );
    // Where it costs too much already, a lower cost is no worse.
    panel.exec(Sql::new("UPDATE services SET default_price = 5000000 WHERE id = 1")).await;
    assert_eq!(panel.renew(&path, &json!({ "source_price": "19" })).await.status, 200);
}

async fn no_charge_falls_below_the_least_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.exec(Sql::new("UPDATE services SET min_price = 0")).await;
    let discount =
        "INSERT INTO user_discounts (user_id, kind, percent_ppm, updated_at) VALUES (2, 'orders', 500000, 1)";
    panel.exec(Sql::new(discount)).await;
    assert_eq!(cost(&panel).await, "9.9");
    panel.exec(Sql::new("UPDATE services SET default_price = 5000000 WHERE id = 1")).await;
    let placed = panel.place(&NewOrder::plain(UserId::new(2), PLAIN, "https://video.example/1", 100)).await;
    assert_eq!(placed.cost.to_string(), "0.99");
    let steps = panel.order(placed.id).await["price_modifications"].clone();
    assert_eq!((&steps[0]["type"], &steps[0]["cost_diff"]), (&json!("least_margin"), &json!("0.49")));
    let preview = json!({ "default_price": "5", "min_price": "0", "pricing_per": 1000, "quantity": 100, "service_id": PLAIN });
    let quoted = panel.post("/api/v1/admin/services/price-preview", &preview).await;
    assert_eq!(quoted.json()["data"][0]["cost"], "0.99", "{}", quoted.text);
    panel.exec(Sql::new("UPDATE settings SET value = 'null' WHERE key = 'min_margin_percent'")).await;
    assert_eq!(cost(&panel).await, "9", "without a margin nothing is sold below its cost");
    panel.exec(Sql::new("DELETE FROM settings WHERE key LIKE 'min_margin%'")).await;
    assert_eq!(cost(&panel).await, "9", "and so it is on a new panel");
    assert_eq!(
        refused(&panel.post(PRICES, &json!({ "service_id": PLAIN, "default_price": "8" })).await, "9"),
        "default_price"
    );
    panel.settled(json!({ "min_margin_action": "off" })).await;
    assert_eq!(cost(&panel).await, "2.5");
    panel.assert_healthy().await;
}

const PACKAGES: &str = "/api/v1/admin/packages";

/// 1,000 of a service that costs 9.9 at the least, and 500 of another one that costs 4.95.
fn package(discount: &str) -> Value {
    json!({ "name": "Starter", "network_id": 1, "discount_percent": discount,
        "package_contents": [{ "id": PLAIN, "quantity": 1_000 }, { "id": 2, "quantity": 500 }] })
}

async fn packages_hold_the_least_margin(dialect: Dialect) {
    let panel = shop(dialect).await;
    assert_eq!(refused(&panel.post(PACKAGES, &package("0.5")).await, "14.85"), "discount_percent");
    // The editor says so before it saves.
    let previewed = async |discount: &str| {
        let body =
            json!({ "package_contents": package("0")["package_contents"], "discount_percent": discount });
        let cost = panel.made(&format!("{PACKAGES}/total-cost"), body).await;
        (cost["lowest_cost"].clone(), cost["is_below_least_margin"].clone())
    };
    assert_eq!(previewed("0.5").await, (json!("14.85"), json!(true)));
    assert_eq!(previewed("0.01").await, (json!("14.85"), json!(false)));
    let mut cheap = package("0");
    cheap["package_contents"][0]["price"] = json!("5");
    assert_eq!(refused(&panel.post(PACKAGES, &cheap).await, "14.85"), "package_contents");
    let made = panel.made(PACKAGES, package("0.01")).await;
    let path = format!("{PACKAGES}/{}", made["id"]);
    let fixed = json!({ "fixed_cost": "14.84", "discount_percent": "0" });
    assert_eq!(refused(&panel.renew(&path, &fixed).await, "14.85"), "fixed_cost");
    let confirmed = json!({ "fixed_cost": "14.84", "discount_percent": "0", "confirm_below_margin": true });
    assert_eq!(refused(&panel.renew(&path, &confirmed).await, "14.85"), "fixed_cost", "it refuses");
    let bulk = |discount: &str| json!({ "packages": [{ "id": made["id"], "discount_percent": discount }] });
    let many = |discount: &str| {
        let body = bulk(discount);
        let panel = &panel;
        async move { panel.send("owner", "PATCH", &format!("{PACKAGES}/bulk"), &body, None).await }
    };
    assert_eq!(refused(&many("0.2").await, "14.85"), "packages.0.discount_percent");
    assert_eq!(many("0.005").await.status, 200);
    // What costs more by now may be mended in everything but its cost; a customer pays the lowest possible one.
    panel.exec(Sql::new("UPDATE providers SET source_price = 12000000 WHERE id = 1")).await;
    assert_eq!(panel.renew(&path, &json!({ "name": "Beginner" })).await.status, 200);
    let before = panel.balances(2).await.0;
    let bought =
        panel.made(&format!("{path}/buy"), json!({ "user_id": 2, "url": "https://video.example/1" })).await;
    assert_eq!(bought["cost"], "19.8");
    assert_eq!(before - panel.balances(2).await.0, 19_800_000);
    panel.assert_healthy().await;
}

async fn a_confirmed_package_is_charged_as_it_is(dialect: Dialect) {
    let panel = shop(dialect).await;
    warn(&panel).await;
    let mut body = package("0.5");
    let low = panel.post(PACKAGES, &body).await;
    assert_eq!(refused(&low, "14.85"), "discount_percent");
    assert!(low.text.contains("Send confirm_below_margin"), "{}", low.text);
    body["confirm_below_margin"] = json!(true);
    let made = panel.made(PACKAGES, body).await;
    assert_eq!(made["below_margin_confirmed"], true);
    let path = format!("{PACKAGES}/{}", made["id"]);
    let buy = json!({ "user_id": 2, "url": "https://video.example/1" });
    assert_eq!(panel.made(&format!("{path}/buy"), buy.clone()).await["cost"], "7.5");
    // A confirmation is for one cost.
    let risen = panel.renew(&path, &json!({ "discount_percent": "0" })).await.json()["data"].clone();
    assert_eq!((&risen["below_margin_confirmed"], &risen["total_cost"]), (&json!(false), &json!("15")));
    panel.exec(Sql::new("UPDATE packages SET discount_ppm = 500000")).await;
    assert_eq!(panel.made(&format!("{path}/buy"), buy).await["cost"], "14.85");
    let bulk = json!({ "packages": [{ "id": made["id"], "discount_percent": "0.4" }], "confirm_below_margin": true });
    assert_eq!(panel.send("owner", "PATCH", &format!("{PACKAGES}/bulk"), &bulk, None).await.status, 200);
    assert_eq!(panel.data(&path).await["below_margin_confirmed"], true);
    panel.assert_healthy().await;
}

/// Provider 1 is a service of an external panel: by hand no more is ordered than was sold.
async fn supplied(dialect: Dialect) -> Panel {
    let panel = shop(dialect).await;
    for sql in [
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'Upstream', 'https://up.example', 1, 1)",
        "UPDATE providers SET external_panel_id = 7, external_panel_service_id = '5' WHERE id = 1",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    panel
}

async fn what_is_ordered_for_each_unit_counts(dialect: Dialect) {
    let panel = supplied(dialect).await;
    let service = format!("/api/v1/admin/services/{PLAIN}");
    let ratio = json!({ "order_quantity_ratio": "1.5" });
    assert_eq!(refused(&panel.renew(&service, &ratio).await, "14.85"), "order_quantity_ratio");
    let dearer = json!({ "order_quantity_ratio": "1.5", "default_price": "15" });
    assert_eq!(panel.renew(&service, &dearer).await.status, 200);
    panel.exec(Sql::new("UPDATE services SET default_price = 10000000, min_price = 0 WHERE id = 1")).await;
    assert_eq!(cost(&panel).await, "14.85");
    let preview = json!({ "default_price": "10", "min_price": "0", "pricing_per": 1000, "quantity": 1000, "service_id": PLAIN });
    let quoted = panel.post("/api/v1/admin/services/price-preview", &preview).await;
    assert_eq!(quoted.json()["data"][0]["cost"], "14.85", "{}", quoted.text);
    // A customer's own ratio goes before the service's.
    let own = |price: &str, ratio: &str| json!({ "service_id": PLAIN, "default_price": price, "order_quantity_ratio": ratio });
    assert_eq!(refused(&panel.post(PRICES, &own("15", "2")).await, "19.8"), "default_price");
    let made = panel.made(PRICES, own("10", "1")).await;
    assert_eq!(cost(&panel).await, "10");
    let path = format!("{PRICES}/{}", made["id"]);
    let patch = async |body: Value| panel.send("owner", "PATCH", &path, &body, None).await;
    assert_eq!(refused(&patch(json!({ "order_quantity_ratio": "2" })).await, "19.8"), "order_quantity_ratio");
    let bulk = json!({ "user_services": [{ "service_id": PLAIN, "default_price": "9.8" }] });
    let field = refused(&panel.post(&format!("{PRICES}/bulk"), &bulk).await, "9.9");
    assert_eq!(field, "user_services.0.default_price", "the ratio that the customer has counts");
    panel.exec(Sql::new("UPDATE user_services SET order_quantity_ratio_ppm = 2000000")).await;
    assert_eq!(cost(&panel).await, "19.8");
    // Larger orders are placed by the service's ratio.
    panel.exec(Sql::new("UPDATE user_services SET order_quantity_ratio_ppm = 1000000, max_order_quantity_for_use_throttle = 100")).await;
    assert_eq!(cost(&panel).await, "14.85");
    // Confirmed, the ratio alone changes no price.
    warn(&panel).await;
    panel
        .exec(Sql::new(
            "UPDATE user_services SET default_price = NULL, max_order_quantity_for_use_throttle = NULL",
        ))
        .await;
    let twice = |confirmed: bool| json!({ "order_quantity_ratio": "2", "confirm_below_margin": confirmed });
    assert_eq!(refused(&patch(twice(false)).await, "19.8"), "order_quantity_ratio");
    assert_eq!(patch(twice(true)).await.status, 200);
    assert_eq!(cost(&panel).await, "10");
    panel.exec(Sql::new("DELETE FROM user_services")).await;
    assert_eq!(cost(&panel).await, "14.85");
    // By hand no more is ordered than was sold.
    panel.exec(Sql::new("UPDATE providers SET external_panel_id = NULL WHERE id = 1")).await;
    assert_eq!(cost(&panel).await, "10");
    panel.assert_healthy().await;
}

async fn what_comes_back_is_judged(dialect: Dialect) {
    let panel = supplied(dialect).await;
    let (provider, upstream) = ("/api/v1/admin/providers/1", "/api/v1/admin/external-panels/7");
    let dear = "UPDATE providers SET source_price = 20000000 WHERE id = 1";
    let undo = async |answer: &Answer| {
        panel.post("/api/v1/admin/undo", &json!({ "request_id": answer.json()["undo"]["request_id"] })).await
    };
    let archived = panel.post(&format!("{provider}/archive"), &json!({})).await;
    panel.exec(Sql::new(dear)).await;
    assert_eq!(refused(&undo(&archived).await, "22"), "request_id");
    assert_eq!(refused(&panel.post(&format!("{provider}/unarchive"), &json!({})).await, "22"), "id");
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM providers WHERE id = 1 AND is_archived")).await,
        1
    );
    let archived = panel.post(&format!("{upstream}/archive"), &json!({})).await;
    assert_eq!(archived.status, 200, "{}", archived.text);
    panel.exec(Sql::new("UPDATE providers SET is_archived = FALSE WHERE id = 1")).await;
    assert_eq!(refused(&panel.post(&format!("{upstream}/unarchive"), &json!({})).await, "22"), "id");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM external_panels WHERE is_archived")).await, 1);
    warn(&panel).await;
    assert_eq!(panel.post(&format!("{upstream}/unarchive"), &json!({})).await.status, 200);
}

async fn a_discount_is_judged_again_when_it_counts_again(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.exec(Sql::new("UPDATE services SET min_price = 0")).await;
    let body = json!({ "name": "Sale", "valid_from": "2026-01-01 00:00:00", "valid_to": "2098-01-01 00:00:00", "countries": ["DE", "FR"], "services": [{ "id": PLAIN, "discount_percent": "0.01" }] });
    let made = panel.made("/api/v1/admin/discounts", body).await;
    let path = format!("/api/v1/admin/discounts/{}", made["id"]);
    panel.exec(Sql::new("UPDATE providers SET source_price = 9050000 WHERE id = 1")).await;
    let later = json!({ "valid_to": "2099-01-01 00:00:00" });
    assert_eq!(refused(&panel.renew(&path, &later).await, "9.955"), "valid_to");
    for wider in [json!({ "countries": [] }), json!({ "countries": ["DE", "IT"] })] {
        assert_eq!(refused(&panel.renew(&path, &wider).await, "9.955"), "countries");
    }
    // What fewer customers get, or get for a shorter time, sells no more below the margin than before.
    let narrower = json!({ "countries": ["DE"], "valid_to": "2097-01-01 00:00:00", "valid_from": "2026-01-02 00:00:00" });
    assert_eq!(panel.renew(&path, &narrower).await.status, 200);
    assert_eq!(panel.renew(&path, &json!({ "name": "Autumn" })).await.status, 200);
    let archived = panel.post(&format!("{path}/archive"), &json!({})).await;
    assert_eq!(archived.status, 200, "{}", archived.text);
    assert_eq!(refused(&panel.post(&format!("{path}/unarchive"), &json!({})).await, "9.955"), "id");
    let undo = json!({ "request_id": archived.json()["undo"]["request_id"] });
    let field = refused(&panel.post("/api/v1/admin/undo", &undo).await, "9.955");
    assert_eq!((field.as_str(), &panel.data(&path).await["status"]), ("request_id", &json!("archived")));
    warn(&panel).await;
    let undone = panel.post("/api/v1/admin/undo", &undo).await;
    assert_eq!(undone.status, 200, "{}", undone.text);
    assert_eq!(panel.data(&path).await["status"], "active");
}

async fn resale_margins_are_confirmed(dialect: Dialect) {
    let panel = shop(dialect).await;
    let service = format!("/api/v1/admin/services/{PLAIN}");
    let promoted = "/api/v1/admin/auto-promotions/services";
    let margin =
        |confirmed: bool| json!({ "resale_margin_percent": "0.05", "confirm_below_margin": confirmed });
    let promote = |confirmed: bool| json!({ "services": [PLAIN], "resale_margin_percent": "0.05", "confirm_below_margin": confirmed });
    let code = |answer: &Answer| answer.says().1;
    assert_eq!(code(&panel.renew(&service, &margin(true)).await), "below_least_margin", "it refuses");
    assert_eq!(code(&panel.post(promoted, &promote(true)).await), "below_least_margin");
    warn(&panel).await;
    assert_eq!(code(&panel.renew(&service, &margin(false)).await), "below_least_margin");
    assert_eq!(panel.renew(&service, &margin(true)).await.status, 200);
    assert_eq!(code(&panel.post(promoted, &promote(false)).await), "below_least_margin");
    assert_eq!(panel.post(promoted, &promote(true)).await.status, 200);
}
