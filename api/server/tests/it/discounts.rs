//! Discounts: the editor, what overlaps, what they do to prices and orders, and what may be done with them.

use panel_contract::ids::{ComboOrderId, UserId};
use panel_contract::moment::Time;
use panel_contract::users::DiscountType;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::{NewOrder, OrderParent};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::{NOW, Panel};
use crate::shop::PLAIN;

both! {
    a_discount_is_made_and_changed;
    what_is_wrong_with_a_discount_is_named;
    its_status_is_what_the_time_says;
    overlaps_are_shown_before_they_are_saved;
    a_running_discount_is_what_orders_cost;
    what_is_taken_off_follows_one_rule;
    the_price_preview_knows_the_discount;
    two_editors_and_two_completions;
}

const DISCOUNTS: &str = "/api/v1/admin/discounts";
const HOUR_MICROS: i64 = 3_600_000_000;

fn at(hours: i64) -> String {
    Time(NOW + hours * HOUR_MICROS).to_string()
}

fn sale(percent: &str) -> Value {
    json!({ "name": "Sale", "valid_from": at(-1), "valid_to": at(12), "services": [{ "id": PLAIN, "discount_percent": percent }] })
}

async fn cost(panel: &Panel, new: NewOrder) -> String {
    panel.place(&new).await.cost.to_string()
}

fn order() -> NewOrder {
    NewOrder::plain(UserId::new(2), PLAIN, "https://video.example/1", 1_000)
}

/// Kind, before and after of each price modification of the newest order.
async fn steps(panel: &Panel) -> Vec<(String, String, String)> {
    let id = panel.number(Sql::new("SELECT max(id) FROM orders")).await;
    let order = panel.order(id).await;
    let text = |step: &Value, field: &str| step[field].as_str().unwrap().to_owned();
    let steps = order["price_modifications"].as_array().unwrap();
    steps
        .iter()
        .map(|step| (text(step, "type"), text(step, "cost_before"), text(step, "cost_after")))
        .collect()
}

async fn a_discount_is_made_and_changed(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let mut body = sale("0.2");
    body["is_countdown_enabled"] = json!(true);
    body["countries"] = json!(["US", "DE"]);
    let made = panel.made(DISCOUNTS, body).await;
    assert_eq!((&made["status"], &made["services_count"]), (&json!("active"), &json!(1)));
    assert_eq!((&made["countries"], &made["discount_percent"]), (&json!(["DE", "US"]), &json!("0.2")));
    assert_eq!(made["services"], json!([{ "id": 1, "name": "Service 1", "discount_percent": "0.2" }]));
    let path = format!("{DISCOUNTS}/{}", made["id"]);
    assert_eq!(panel.data(&path).await, made);
    panel.clock.advance_secs(5);
    let change = json!({ "name": "Summer", "services": [{ "id": 2, "discount_percent": "0.5" }], "updated_at": made["updated_at"] });
    let changed = panel.renew(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["name"], &changed["countries"]), (&json!("Summer"), &json!(["DE", "US"])));
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.renew(&path, &json!({})).await.json()["data"], changed, "nothing said, nothing changed");
    assert_eq!(
        ids(&panel.data(&format!("{DISCOUNTS}?search[value]=umme")).await),
        [made["id"].as_i64().unwrap()]
    );
    for (countries, count) in [("US", 1), ("FR,de", 1), ("FR", 0)] {
        let found = panel.data(&format!("{DISCOUNTS}?countries={countries}")).await;
        assert_eq!(found.as_array().unwrap().len(), count, "{countries}");
    }
    assert_eq!(panel.get(&format!("{DISCOUNTS}?countries=Germany")).await.status, 422);
    let audits = "SELECT count(*) FROM audits WHERE event IN ('discount.created', 'discount.updated')";
    assert_eq!(panel.number(Sql::new(audits)).await, 2);
    let log = "SELECT count(*) FROM change_logs WHERE type = 'discount' AND information = 'Name' AND new_value = 'Summer'";
    assert_eq!(panel.number(Sql::new(log)).await, 1);
}

async fn what_is_wrong_with_a_discount_is_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let wrong = async |body: Value| -> Vec<String> {
        let answer = panel.post(DISCOUNTS, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(wrong(json!({})).await, ["name", "services", "valid_from"]);
    let mut body = sale("0.2");
    body["services"] =
        json!([{ "id": PLAIN, "discount_percent": "0.2" }, { "id": 99, "discount_percent": "0.1" }]);
    assert_eq!(wrong(body.clone()).await, ["services.1.id"]);
    body["services"] = json!([{ "id": PLAIN, "discount_percent": "0.0005" }]);
    assert_eq!(wrong(body).await, ["services.0.discount_percent"]);
    assert_eq!(panel.renew(&format!("{DISCOUNTS}/99"), &json!({})).await.status, 404);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM discounts")).await, 0);
}

async fn its_status_is_what_the_time_says(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let mut body = sale("0.2");
    body["valid_from"] = json!(at(1));
    let id = panel.made(DISCOUNTS, body).await["id"].clone();
    let path = format!("{DISCOUNTS}/{id}");
    let status = async || {
        let now = panel.data(&path).await["status"].clone();
        let filter = format!(
            "{DISCOUNTS}?columns[0][data]=status&columns[0][search][value]={}",
            now.as_str().unwrap()
        );
        assert_eq!(ids(&panel.data(&filter).await), [id.as_i64().unwrap()], "the list says the same");
        now
    };
    assert_eq!(status().await, "scheduled");
    panel.clock.advance_secs(3_600);
    assert_eq!(status().await, "active");
    panel.exec(Sql::new("UPDATE services SET is_enabled = NOT is_enabled WHERE id = 1")).await;
    assert_eq!(status().await, "disabled", "nothing that it lowers is on sale");
    panel.exec(Sql::new("UPDATE services SET is_enabled = NOT is_enabled WHERE id = 1")).await;
    panel.clock.advance_secs(11 * 3_600);
    assert_eq!(status().await, "completed");
    let longer = panel.renew(&path, &json!({ "valid_to": null })).await;
    assert_eq!(longer.json()["data"]["status"], "active", "{}", longer.text);
    let act = async |what: &str| panel.post(&format!("{path}/{what}"), &json!({})).await;
    assert_eq!(act("unarchive").await.says(), (409, "discount_not_archived".into()));
    assert_eq!(act("complete").await.json()["data"]["status"], "completed");
    assert_eq!(act("complete").await.says(), (409, "discount_completed".into()));
    assert_eq!(
        panel.renew(&path, &json!({ "name": "Again" })).await.says(),
        (409, "discount_completed".into())
    );
    let archived = act("archive").await.json()["data"].clone();
    assert_eq!(
        (&archived["status"], &archived["actions"]["unarchivable"]),
        (&json!("archived"), &json!(true))
    );
    assert_eq!(act("archive").await.says(), (409, "discount_archived".into()));
    assert_eq!(act("unarchive").await.json()["data"]["status"], "completed", "what was completed stays so");
    let audits = "SELECT count(*) FROM audits WHERE event IN ('discount.completed', 'discount.archived', 'discount.unarchived')";
    assert_eq!(panel.number(Sql::new(audits)).await, 3);
}

async fn overlaps_are_shown_before_they_are_saved(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let first = panel.made(DISCOUNTS, sale("0.2")).await;
    assert_eq!(first["overlaps"], json!([]));
    let tried = panel.post(&format!("{DISCOUNTS}?dry_run=1"), &sale("0.1")).await;
    let overlaps = tried.json()["data"]["overlaps"].clone();
    assert_eq!(
        overlaps,
        json!([{ "service": { "id": 1, "name": "Service 1" }, "discount": { "id": first["id"], "name": "Sale" },
            "discount_percent": "0.2", "valid_from": at(-1), "valid_to": at(12), "is_stronger": true }])
    );
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM discounts")).await, 1, "nothing was written");
    let seen = async |change: Value| {
        let mut body = sale("0.3");
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let tried = panel.post(&format!("{DISCOUNTS}?dry_run=1"), &body).await;
        tried.json()["data"]["overlaps"].as_array().unwrap().len()
    };
    assert_eq!(seen(json!({})).await, 1);
    assert_eq!(
        seen(json!({ "valid_from": at(12), "valid_to": at(48) })).await,
        0,
        "one ends where the other begins"
    );
    assert_eq!(seen(json!({ "services": [{ "id": 2, "discount_percent": "0.1" }] })).await, 0);
    panel.renew(&format!("{DISCOUNTS}/{}", first["id"]), &json!({ "countries": ["DE"] })).await;
    assert_eq!(seen(json!({ "countries": ["FR"] })).await, 0);
    assert_eq!(seen(json!({ "countries": ["FR", "DE"] })).await, 1);
    panel.post(&format!("{DISCOUNTS}/{}/complete", first["id"]), &json!({})).await;
    assert_eq!(seen(json!({})).await, 0);
}

async fn a_running_discount_is_what_orders_cost(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    assert_eq!(cost(&panel, order()).await, "10");
    let made = panel.made(DISCOUNTS, sale("0.25")).await;
    assert_eq!(cost(&panel, order()).await, "7.5");
    assert_eq!(steps(&panel).await, [("discount".into(), "10".into(), "7.5".into())]);
    let charged = "SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE account = 'revenue'";
    assert_eq!(panel.number(Sql::new(charged)).await, 17_500_000);
    let mut larger = sale("0.4");
    larger["countries"] = json!(["DE"]);
    panel.made(DISCOUNTS, larger).await;
    assert_eq!(cost(&panel, order()).await, "7.5", "from nowhere known");
    assert_eq!(cost(&panel, NewOrder { country: Some("DE".into()), ..order() }).await, "6", "never both");
    let path = format!("{DISCOUNTS}/{}/complete", made["id"]);
    assert_eq!(panel.post(&path, &json!({})).await.status, 200);
    assert_eq!(cost(&panel, order()).await, "10");
    panel.clock.advance_secs(12 * 3_600);
    assert_eq!(
        cost(&panel, NewOrder { country: Some("DE".into()), ..order() }).await,
        "10",
        "its time is over"
    );
    panel.assert_healthy().await;
}

async fn what_is_taken_off_follows_one_rule(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.made(DISCOUNTS, sale("0.2")).await;
    let grade = "INSERT INTO grades (id, name, discount_ppm, spending_goal, created_at, updated_at) VALUES (1, 'Gold', 100000, 0, 1, 1)";
    panel.exec(Sql::new(grade)).await;
    panel.exec(Sql::new("UPDATE users SET grade_id = 1 WHERE id = 2")).await;
    let own = json!({ "percent": "0.05", "type": DiscountType::Orders });
    assert_eq!(panel.post("/api/v1/admin/users/2/user-discount", &own).await.status, 200);
    // Sale, grade, own: each off what the one before left.
    assert_eq!(cost(&panel, order()).await, "6.84");
    let kinds: Vec<String> = steps(&panel).await.into_iter().map(|step| step.0).collect();
    assert_eq!(kinds, ["discount", "grade", "user_discount"]);
    // A part of a package has no discount that is for single orders.
    let combo = "INSERT INTO combo_orders (id, url, status, source, package_name, package_type, user_id, orders_count, created_at, updated_at)
        VALUES (1, 'https://video.example/1', 'in_processing', 'cabinet', 'P', 'manual', 2, 1, 1, 1)";
    panel.exec(Sql::new(combo)).await;
    assert_eq!(
        cost(&panel, NewOrder { parent: Some(OrderParent::ComboOrder(ComboOrderId::new(1))), ..order() })
            .await,
        "7.2"
    );
    panel
        .exec(Sql::new("UPDATE users SET grade_discounts_enabled = NOT grade_discounts_enabled WHERE id = 2"))
        .await;
    assert_eq!(cost(&panel, order()).await, "7.6");
    // The lowest price holds for all of them together; an own price goes before the service's.
    panel.exec(Sql::new("UPDATE services SET min_price = 7800000 WHERE id = 1")).await;
    assert_eq!(cost(&panel, order()).await, "7.8");
    let price = |lowest: Value| json!({ "service_id": PLAIN, "default_price": "5", "min_price": lowest });
    let made = panel.post("/api/v1/admin/users/2/user-services", &price(Value::Null)).await;
    assert_eq!(cost(&panel, order()).await, "5", "an own price below the lowest one stays as it was agreed");
    let path = format!("/api/v1/admin/users/2/user-services/{}", made.json()["data"]["id"]);
    assert_eq!(panel.send("owner", "PATCH", &path, &price(json!("3.9")), None).await.status, 200);
    assert_eq!(cost(&panel, order()).await, "3.9");
    panel.assert_healthy().await;
}

async fn the_price_preview_knows_the_discount(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let made = panel.made(DISCOUNTS, sale("0.2")).await;
    let body = json!({ "default_price": "10", "min_price": "7.5", "pricing_per": 1000, "quantity": 1000, "service_id": PLAIN });
    let prices = panel.made("/api/v1/admin/services/price-preview", body.clone()).await;
    assert_eq!(prices[0]["discount"], json!({ "id": made["id"], "name": "Sale", "discount_percent": "0.2" }));
    assert_eq!((&prices[0]["cost"], &prices[0]["is_lowest"]), (&json!("8"), &json!(false)));
    let mut other = body;
    other["service_id"] = json!(2);
    let prices = panel.made("/api/v1/admin/services/price-preview", other).await;
    assert_eq!((&prices[0]["cost"], &prices[0]["discount"]), (&json!("10"), &Value::Null));
}

async fn two_editors_and_two_completions(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let made = panel.made(DISCOUNTS, sale("0.2")).await;
    panel.clock.advance_secs(1);
    let path = format!("{DISCOUNTS}/{}", made["id"]);
    let edit = |name: &str| json!({ "name": name, "updated_at": made["updated_at"] });
    let (one, other) = (edit("One"), edit("Other"));
    let (one, other) = tokio::join!(panel.renew(&path, &one), panel.renew(&path, &other));
    let mut all = [one.says(), other.says()];
    all.sort();
    assert_eq!(all[1], (409, "changed_meanwhile".into()));
    let complete = format!("{path}/complete");
    let nothing = json!({});
    let (one, other) = tokio::join!(panel.post(&complete, &nothing), panel.post(&complete, &nothing));
    let mut all = [one.status.as_u16(), other.status.as_u16()];
    all.sort_unstable();
    assert_eq!(all, [200, 409]);
    let audits = "SELECT count(*) FROM audits WHERE event = 'discount.completed'";
    assert_eq!(panel.number(Sql::new(audits)).await, 1);
}
