//! The least margin holds wherever a price or a cost is set, and in every charge.

use panel_server::db::{Dialect, Sql};
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
    panel.place(&NewOrder::plain(2, PLAIN, "https://video.example/1", 1_000)).await.cost.to_string()
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
    assert_eq!(cost(&panel).await, "9.9", "nobody confirmed this one");
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
    let placed = panel.place(&NewOrder::plain(2, PLAIN, "https://video.example/1", 100)).await;
    assert_eq!(placed.cost.to_string(), "0.99");
    let steps = panel.order(placed.id).await["price_modifications"].clone();
    assert_eq!((&steps[0]["type"], &steps[0]["cost_diff"]), (&json!("least_margin"), &json!("0.49")));
    let preview = json!({ "default_price": "5", "min_price": "0", "pricing_per": 1000, "quantity": 100, "service_id": PLAIN });
    let quoted = panel.post("/api/v1/admin/services/price-preview", &preview).await;
    assert_eq!(quoted.json()["data"][0]["cost"], "0.99", "{}", quoted.text);
    panel.exec(Sql::new("UPDATE settings SET value = 'null' WHERE key = 'min_margin_percent'")).await;
    assert_eq!(cost(&panel).await, "2.5");
    panel.assert_healthy().await;
}
