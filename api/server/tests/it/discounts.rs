//! Discounts: the editor, overlaps, their effect on prices and orders, and their actions.

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
    a_discount_is_created_and_changed;
    invalid_fields_of_a_discount_are_named;
    the_status_of_a_discount_follows_the_time;
    a_dry_run_returns_overlaps;
    an_active_discount_lowers_the_cost_of_orders;
    discounts_are_applied_in_one_order;
    the_price_preview_includes_the_discount;
    parallel_edits_and_completions_succeed_once;
}

const DISCOUNTS: &str = "/api/v1/admin/discounts";
const HOUR_MICROS: i64 = 3_600_000_000;

fn time_after(hours: i64) -> String {
    Time(NOW + hours * HOUR_MICROS).to_string()
}

fn discount_body(fraction: &str) -> Value {
    json!({ "name": "Sale", "valid_from": time_after(-1), "valid_to": time_after(12), "services": [{ "id": PLAIN, "discount_fraction": fraction }] })
}

async fn order_cost(panel: &Panel, new_order: NewOrder) -> String {
    panel.place(&new_order).await.cost.to_string()
}

fn new_order() -> NewOrder {
    NewOrder::plain(UserId::new(2), PLAIN, "https://video.example/1", 1_000)
}

/// Type, cost before and cost after of each price modification of the newest order.
async fn price_modifications(panel: &Panel) -> Vec<(String, String, String)> {
    let id = panel.number(Sql::new("SELECT max(id) FROM orders")).await;
    let order = panel.order(id).await;
    let text = |modification: &Value, field: &str| modification[field].as_str().unwrap().to_owned();
    let modifications = order["price_modifications"].as_array().unwrap();
    modifications
        .iter()
        .map(|modification| {
            (text(modification, "type"), text(modification, "cost_before"), text(modification, "cost_after"))
        })
        .collect()
}

async fn a_discount_is_created_and_changed(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let mut body = discount_body("0.2");
    body["is_countdown_enabled"] = json!(true);
    body["countries"] = json!(["US", "DE"]);
    let created = panel.post_data(DISCOUNTS, body).await;
    assert_eq!((&created["status"], &created["services_count"]), (&json!("active"), &json!(1)));
    assert_eq!((&created["countries"], &created["discount_fraction"]), (&json!(["DE", "US"]), &json!("0.2")));
    assert_eq!(created["services"], json!([{ "id": 1, "name": "Service 1", "discount_fraction": "0.2" }]));
    let path = format!("{DISCOUNTS}/{}", created["id"]);
    assert_eq!(panel.get_data(&path).await, created);
    panel.clock.advance_secs(5);
    let change = json!({ "name": "Summer", "services": [{ "id": 2, "discount_fraction": "0.5" }], "updated_at": created["updated_at"] });
    let changed = panel.put(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["name"], &changed["countries"]), (&json!("Summer"), &json!(["DE", "US"])));
    assert_eq!(panel.put(&path, &change).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.put(&path, &json!({})).await.json()["data"], changed, "an empty body changes nothing");
    assert_eq!(
        ids(&panel.get_data(&format!("{DISCOUNTS}?search[value]=umme")).await),
        [created["id"].as_i64().unwrap()]
    );
    for (countries, count) in [("US", 1), ("FR,de", 1), ("FR", 0)] {
        let found = panel.get_data(&format!("{DISCOUNTS}?countries={countries}")).await;
        assert_eq!(found.as_array().unwrap().len(), count, "{countries}");
    }
    assert_eq!(panel.get(&format!("{DISCOUNTS}?countries=Germany")).await.status, 422);
    let audits = "SELECT count(*) FROM audits WHERE event IN ('discount.created', 'discount.updated')";
    assert_eq!(panel.number(Sql::new(audits)).await, 2);
    let log = "SELECT count(*) FROM change_logs WHERE type = 'discount' AND information = 'Name' AND new_value = 'Summer'";
    assert_eq!(panel.number(Sql::new(log)).await, 1);
}

async fn invalid_fields_of_a_discount_are_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let wrong_fields = async |body: Value| -> Vec<String> {
        let answer = panel.post(DISCOUNTS, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(wrong_fields(json!({})).await, ["name", "services", "valid_from"]);
    let mut body = discount_body("0.2");
    body["services"] =
        json!([{ "id": PLAIN, "discount_fraction": "0.2" }, { "id": 99, "discount_fraction": "0.1" }]);
    assert_eq!(wrong_fields(body.clone()).await, ["services.1.id"]);
    body["services"] = json!([{ "id": PLAIN, "discount_fraction": "0.0005" }]);
    assert_eq!(wrong_fields(body).await, ["services.0.discount_fraction"]);
    assert_eq!(panel.put(&format!("{DISCOUNTS}/99"), &json!({})).await.status, 404);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM discounts")).await, 0);
}

async fn the_status_of_a_discount_follows_the_time(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let mut body = discount_body("0.2");
    body["valid_from"] = json!(time_after(1));
    let id = panel.post_data(DISCOUNTS, body).await["id"].clone();
    let path = format!("{DISCOUNTS}/{id}");
    let status = async || {
        let status_now = panel.get_data(&path).await["status"].clone();
        let filter = format!(
            "{DISCOUNTS}?columns[0][data]=status&columns[0][search][value]={}",
            status_now.as_str().unwrap()
        );
        assert_eq!(
            ids(&panel.get_data(&filter).await),
            [id.as_i64().unwrap()],
            "the list finds the discount by this status"
        );
        status_now
    };
    assert_eq!(status().await, "scheduled");
    panel.clock.advance_secs(3_600);
    assert_eq!(status().await, "active");
    panel.execute(Sql::new("UPDATE services SET is_enabled = NOT is_enabled WHERE id = 1")).await;
    assert_eq!(status().await, "disabled", "none of its services is on sale");
    panel.execute(Sql::new("UPDATE services SET is_enabled = NOT is_enabled WHERE id = 1")).await;
    panel.clock.advance_secs(11 * 3_600);
    assert_eq!(status().await, "completed");
    let extended = panel.put(&path, &json!({ "valid_to": null })).await;
    assert_eq!(extended.json()["data"]["status"], "active", "{}", extended.text);
    let act = async |action: &str| panel.post(&format!("{path}/{action}"), &json!({})).await;
    assert_eq!(act("unarchive").await.status_and_code(), (409, "discount_not_archived".into()));
    assert_eq!(act("complete").await.json()["data"]["status"], "completed");
    assert_eq!(act("complete").await.status_and_code(), (409, "discount_completed".into()));
    assert_eq!(
        panel.put(&path, &json!({ "name": "Again" })).await.status_and_code(),
        (409, "discount_completed".into())
    );
    let archived = act("archive").await.json()["data"].clone();
    assert_eq!(
        (&archived["status"], &archived["actions"]["unarchivable"]),
        (&json!("archived"), &json!(true))
    );
    assert_eq!(act("archive").await.status_and_code(), (409, "discount_archived".into()));
    assert_eq!(
        act("unarchive").await.json()["data"]["status"],
        "completed",
        "a completed discount stays completed"
    );
    let audits = "SELECT count(*) FROM audits WHERE event IN ('discount.completed', 'discount.archived', 'discount.unarchived')";
    assert_eq!(panel.number(Sql::new(audits)).await, 3);
}

async fn a_dry_run_returns_overlaps(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let first = panel.post_data(DISCOUNTS, discount_body("0.2")).await;
    assert_eq!(first["overlaps"], json!([]));
    let dry_run = panel.post(&format!("{DISCOUNTS}?dry_run=1"), &discount_body("0.1")).await;
    let overlaps = dry_run.json()["data"]["overlaps"].clone();
    assert_eq!(
        overlaps,
        json!([{ "service": { "id": 1, "name": "Service 1" }, "discount": { "id": first["id"], "name": "Sale" },
            "discount_fraction": "0.2", "valid_from": time_after(-1), "valid_to": time_after(12), "is_stronger": true }])
    );
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM discounts")).await, 1, "no discount is created");
    let overlaps_count = async |change: Value| {
        let mut body = discount_body("0.3");
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let dry_run = panel.post(&format!("{DISCOUNTS}?dry_run=1"), &body).await;
        dry_run.json()["data"]["overlaps"].as_array().unwrap().len()
    };
    assert_eq!(overlaps_count(json!({})).await, 1);
    assert_eq!(
        overlaps_count(json!({ "valid_from": time_after(12), "valid_to": time_after(48) })).await,
        0,
        "one discount ends when the other begins"
    );
    assert_eq!(overlaps_count(json!({ "services": [{ "id": 2, "discount_fraction": "0.1" }] })).await, 0);
    panel.put(&format!("{DISCOUNTS}/{}", first["id"]), &json!({ "countries": ["DE"] })).await;
    assert_eq!(overlaps_count(json!({ "countries": ["FR"] })).await, 0);
    assert_eq!(overlaps_count(json!({ "countries": ["FR", "DE"] })).await, 1);
    panel.post(&format!("{DISCOUNTS}/{}/complete", first["id"]), &json!({})).await;
    assert_eq!(overlaps_count(json!({})).await, 0);
}

async fn an_active_discount_lowers_the_cost_of_orders(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    assert_eq!(order_cost(&panel, new_order()).await, "10");
    let created = panel.post_data(DISCOUNTS, discount_body("0.25")).await;
    assert_eq!(order_cost(&panel, new_order()).await, "7.5");
    assert_eq!(price_modifications(&panel).await, [("discount".into(), "10".into(), "7.5".into())]);
    let charged = "SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE account = 'revenue'";
    assert_eq!(panel.number(Sql::new(charged)).await, 17_500_000);
    let mut larger = discount_body("0.4");
    larger["countries"] = json!(["DE"]);
    panel.post_data(DISCOUNTS, larger).await;
    assert_eq!(
        order_cost(&panel, new_order()).await,
        "7.5",
        "without a country only the other discount applies"
    );
    assert_eq!(
        order_cost(&panel, NewOrder { country: Some("DE".into()), ..new_order() }).await,
        "6",
        "only the larger discount applies"
    );
    let path = format!("{DISCOUNTS}/{}/complete", created["id"]);
    assert_eq!(panel.post(&path, &json!({})).await.status, 200);
    assert_eq!(order_cost(&panel, new_order()).await, "10");
    panel.clock.advance_secs(12 * 3_600);
    assert_eq!(
        order_cost(&panel, NewOrder { country: Some("DE".into()), ..new_order() }).await,
        "10",
        "valid_to has passed"
    );
    panel.assert_healthy().await;
}

async fn discounts_are_applied_in_one_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.post_data(DISCOUNTS, discount_body("0.2")).await;
    let grade = "INSERT INTO grades (id, name, discount_ppm, spending_goal, created_at, updated_at) VALUES (1, 'Gold', 100000, 0, 1, 1)";
    panel.execute(Sql::new(grade)).await;
    panel.execute(Sql::new("UPDATE users SET grade_id = 1 WHERE id = 2")).await;
    let user_discount = json!({ "discount_fraction": "0.05", "type": DiscountType::Orders });
    assert_eq!(panel.post("/api/v1/admin/users/2/user-discount", &user_discount).await.status, 200);
    // Discount of the service, grade, and the user's own: each lowers the result of the one before.
    assert_eq!(order_cost(&panel, new_order()).await, "6.84");
    let types: Vec<String> = price_modifications(&panel).await.into_iter().map(|step| step.0).collect();
    assert_eq!(types, ["discount", "grade", "user_discount"]);
    // An order of a combo order gets no user discount of the type `orders`.
    let combo = "INSERT INTO combo_orders (id, url, status, source, package_name, package_type, user_id, orders_count, created_at, updated_at)
        VALUES (1, 'https://video.example/1', 'in_processing', 'cabinet', 'P', 'manual', 2, 1, 1, 1)";
    panel.execute(Sql::new(combo)).await;
    assert_eq!(
        order_cost(
            &panel,
            NewOrder { parent: Some(OrderParent::ComboOrder(ComboOrderId::new(1))), ..new_order() }
        )
        .await,
        "7.2"
    );
    panel
        .execute(Sql::new(
            "UPDATE users SET grade_discounts_enabled = NOT grade_discounts_enabled WHERE id = 2",
        ))
        .await;
    assert_eq!(order_cost(&panel, new_order()).await, "7.6");
    // The lowest price limits all discounts together; a customer's own price replaces the price of the service.
    panel.execute(Sql::new("UPDATE services SET min_price = 7800000 WHERE id = 1")).await;
    assert_eq!(order_cost(&panel, new_order()).await, "7.8");
    let own_price = |lowest: Value| json!({ "service_id": PLAIN, "default_price": "5", "min_price": lowest });
    let created = panel.post("/api/v1/admin/users/2/user-services", &own_price(Value::Null)).await;
    assert_eq!(
        order_cost(&panel, new_order()).await,
        "5",
        "an own price below the lowest price is not raised"
    );
    let path = format!("/api/v1/admin/users/2/user-services/{}", created.json()["data"]["id"]);
    assert_eq!(panel.send("owner", "PATCH", &path, &own_price(json!("3.9")), None).await.status, 200);
    assert_eq!(order_cost(&panel, new_order()).await, "3.9");
    panel.assert_healthy().await;
}

async fn the_price_preview_includes_the_discount(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let created = panel.post_data(DISCOUNTS, discount_body("0.2")).await;
    let body = json!({ "default_price": "10", "min_price": "7.5", "pricing_per": 1000, "quantity": 1000, "service_id": PLAIN });
    let prices = panel.post_data("/api/v1/admin/services/price-preview", body.clone()).await;
    assert_eq!(
        prices[0]["discount"],
        json!({ "id": created["id"], "name": "Sale", "discount_fraction": "0.2" })
    );
    assert_eq!((&prices[0]["cost"], &prices[0]["is_lowest"]), (&json!("8"), &json!(false)));
    let mut other = body;
    other["service_id"] = json!(2);
    let prices = panel.post_data("/api/v1/admin/services/price-preview", other).await;
    assert_eq!((&prices[0]["cost"], &prices[0]["discount"]), (&json!("10"), &Value::Null));
}

async fn parallel_edits_and_completions_succeed_once(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let created = panel.post_data(DISCOUNTS, discount_body("0.2")).await;
    panel.clock.advance_secs(1);
    let path = format!("{DISCOUNTS}/{}", created["id"]);
    let edit = |name: &str| json!({ "name": name, "updated_at": created["updated_at"] });
    let (first, second) = (edit("One"), edit("Other"));
    let (first, second) = tokio::join!(panel.put(&path, &first), panel.put(&path, &second));
    let mut answers = [first.status_and_code(), second.status_and_code()];
    answers.sort();
    assert_eq!(answers[1], (409, "changed_meanwhile".into()));
    let complete = format!("{path}/complete");
    let empty = json!({});
    let (first, second) = tokio::join!(panel.post(&complete, &empty), panel.post(&complete, &empty));
    let mut answers = [first.status.as_u16(), second.status.as_u16()];
    answers.sort_unstable();
    assert_eq!(answers, [200, 409]);
    let audits = "SELECT count(*) FROM audits WHERE event = 'discount.completed'";
    assert_eq!(panel.number(Sql::new(audits)).await, 1);
}
