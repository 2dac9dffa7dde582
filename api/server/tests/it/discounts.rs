//! Tests discounts: creation and changes, overlaps, their effect on prices and orders, and their actions.

use panel_contract::ids::{ComboOrderId, UserId};
use panel_contract::moment::Time;
use panel_contract::users::DiscountType;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::{NewOrder, OrderParent};
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::{NOW, Panel};
use crate::shop::PLAIN_SERVICE;

test_both_databases! {
    a_discount_is_created_and_changed;
    invalid_fields_of_a_discount_are_named;
    the_status_of_a_discount_follows_the_time;
    a_dry_run_returns_overlaps;
    an_active_discount_lowers_the_cost_of_orders;
    discounts_are_applied_in_a_fixed_sequence;
    the_price_preview_includes_the_discount;
    parallel_edits_and_completions_succeed_once;
}

const DISCOUNTS: &str = "/api/v1/admin/discounts";
const HOUR_MICROS: i64 = 3_600_000_000;

fn hours_from_now(hours: i64) -> String {
    Time(NOW + hours * HOUR_MICROS).to_string()
}

fn discount_body(fraction: &str) -> Value {
    json!({ "name": "Sale", "valid_from": hours_from_now(-1), "valid_to": hours_from_now(12), "services": [{ "id": PLAIN_SERVICE, "discount_fraction": fraction }] })
}

/// Places the order and returns its cost.
async fn place_and_get_cost(panel: &Panel, new_order: NewOrder) -> String {
    panel.place_order(&new_order).await.cost.to_string()
}

fn new_order() -> NewOrder {
    NewOrder::without_options(UserId::new(2), PLAIN_SERVICE, "https://video.example/1", 1_000)
}

/// Type, cost before and cost after of each price modification of the newest order.
async fn fetch_price_modifications(panel: &Panel) -> Vec<(String, String, String)> {
    let id = panel.fetch_number(Sql::new("SELECT max(id) FROM orders")).await;
    let order = panel.fetch_order(id).await;
    let text_of = |modification: &Value, field: &str| modification[field].as_str().unwrap().to_owned();
    let modifications = order["price_modifications"].as_array().unwrap();
    modifications
        .iter()
        .map(|modification| {
            (
                text_of(modification, "type"),
                text_of(modification, "cost_before"),
                text_of(modification, "cost_after"),
            )
        })
        .collect()
}

async fn a_discount_is_created_and_changed(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let mut body = discount_body("0.2");
    body["is_countdown_enabled"] = json!(true);
    body["countries"] = json!(["US", "DE"]);
    let discount = panel.post_data(DISCOUNTS, body).await;
    assert_eq!((&discount["status"], &discount["services_count"]), (&json!("active"), &json!(1)));
    assert_eq!(
        (&discount["countries"], &discount["discount_fraction"]),
        (&json!(["DE", "US"]), &json!("0.2"))
    );
    assert_eq!(discount["services"], json!([{ "id": 1, "name": "Service 1", "discount_fraction": "0.2" }]));
    let path = format!("{DISCOUNTS}/{}", discount["id"]);
    assert_eq!(panel.get_data(&path).await, discount);
    panel.clock.advance_secs(5);
    let change_body = json!({ "name": "Summer", "services": [{ "id": 2, "discount_fraction": "0.5" }], "updated_at": discount["updated_at"] });
    let change_response = panel.put(&path, &change_body).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let changed_discount = change_response.json()["data"].clone();
    assert_eq!(
        (&changed_discount["name"], &changed_discount["countries"]),
        (&json!("Summer"), &json!(["DE", "US"]))
    );
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(
        panel.put(&path, &json!({})).await.json()["data"],
        changed_discount,
        "an empty body must change nothing"
    );
    assert_eq!(
        ids(&panel.get_data(&format!("{DISCOUNTS}?search[value]=umme")).await),
        [discount["id"].as_i64().unwrap()]
    );
    for (countries, expected_count) in [("US", 1), ("FR,de", 1), ("FR", 0)] {
        let discounts = panel.get_data(&format!("{DISCOUNTS}?countries={countries}")).await;
        assert_eq!(discounts.as_array().unwrap().len(), expected_count, "{countries}");
    }
    assert_eq!(panel.get(&format!("{DISCOUNTS}?countries=Germany")).await.status, 422);
    let count_audits_sql =
        "SELECT count(*) FROM audits WHERE event IN ('discount.created', 'discount.updated')";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 2);
    let count_change_logs_sql = "SELECT count(*) FROM change_logs WHERE type = 'discount' AND information = 'Name' AND new_value = 'Summer'";
    assert_eq!(panel.fetch_number(Sql::new(count_change_logs_sql)).await, 1);
}

async fn invalid_fields_of_a_discount_are_named(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let post_and_get_invalid_fields = async |body: Value| -> Vec<String> {
        let response = panel.post(DISCOUNTS, &body).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(post_and_get_invalid_fields(json!({})).await, ["name", "services", "valid_from"]);
    let mut body = discount_body("0.2");
    body["services"] = json!([{ "id": PLAIN_SERVICE, "discount_fraction": "0.2" }, { "id": 99, "discount_fraction": "0.1" }]);
    assert_eq!(post_and_get_invalid_fields(body.clone()).await, ["services.1.id"]);
    body["services"] = json!([{ "id": PLAIN_SERVICE, "discount_fraction": "0.0005" }]);
    assert_eq!(post_and_get_invalid_fields(body).await, ["services.0.discount_fraction"]);
    assert_eq!(panel.put(&format!("{DISCOUNTS}/99"), &json!({})).await.status, 404);
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM discounts")).await, 0);
}

async fn the_status_of_a_discount_follows_the_time(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let mut body = discount_body("0.2");
    body["valid_from"] = json!(hours_from_now(1));
    let id = panel.post_data(DISCOUNTS, body).await["id"].clone();
    let path = format!("{DISCOUNTS}/{id}");
    let fetch_status = async || {
        let status = panel.get_data(&path).await["status"].clone();
        let list_path = format!(
            "{DISCOUNTS}?columns[0][data]=status&columns[0][search][value]={}",
            status.as_str().unwrap()
        );
        assert_eq!(
            ids(&panel.get_data(&list_path).await),
            [id.as_i64().unwrap()],
            "the list must find the discount by this status"
        );
        status
    };
    assert_eq!(fetch_status().await, "scheduled");
    panel.clock.advance_secs(3_600);
    assert_eq!(fetch_status().await, "active");
    panel.execute(Sql::new("UPDATE services SET is_enabled = NOT is_enabled WHERE id = 1")).await;
    assert_eq!(
        fetch_status().await,
        "disabled",
        "a discount must be disabled if none of its services is on sale"
    );
    panel.execute(Sql::new("UPDATE services SET is_enabled = NOT is_enabled WHERE id = 1")).await;
    panel.clock.advance_secs(11 * 3_600);
    assert_eq!(fetch_status().await, "completed");
    let change_response = panel.put(&path, &json!({ "valid_to": null })).await;
    assert_eq!(change_response.json()["data"]["status"], "active", "{}", change_response.text);
    let post_action = async |action: &str| panel.post(&format!("{path}/{action}"), &json!({})).await;
    assert_eq!(post_action("unarchive").await.status_and_code(), (409, "discount_not_archived".into()));
    assert_eq!(post_action("complete").await.json()["data"]["status"], "completed");
    assert_eq!(post_action("complete").await.status_and_code(), (409, "discount_completed".into()));
    assert_eq!(
        panel.put(&path, &json!({ "name": "Again" })).await.status_and_code(),
        (409, "discount_completed".into())
    );
    let archived_discount = post_action("archive").await.json()["data"].clone();
    assert_eq!(
        (&archived_discount["status"], &archived_discount["actions"]["unarchivable"]),
        (&json!("archived"), &json!(true))
    );
    assert_eq!(post_action("archive").await.status_and_code(), (409, "discount_archived".into()));
    assert_eq!(
        post_action("unarchive").await.json()["data"]["status"],
        "completed",
        "a completed discount must stay completed after it is restored"
    );
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event IN ('discount.completed', 'discount.archived', 'discount.unarchived')";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 3);
}

async fn a_dry_run_returns_overlaps(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let first_discount = panel.post_data(DISCOUNTS, discount_body("0.2")).await;
    assert_eq!(first_discount["overlaps"], json!([]));
    let dry_run = panel.post(&format!("{DISCOUNTS}?dry_run=1"), &discount_body("0.1")).await;
    let overlaps = dry_run.json()["data"]["overlaps"].clone();
    assert_eq!(
        overlaps,
        json!([{ "service": { "id": 1, "name": "Service 1" }, "discount": { "id": first_discount["id"], "name": "Sale" },
            "discount_fraction": "0.2", "valid_from": hours_from_now(-1), "valid_to": hours_from_now(12), "is_stronger": true }])
    );
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM discounts")).await,
        1,
        "a dry run must not create a discount"
    );
    let count_overlaps = async |change: Value| {
        let mut body = discount_body("0.3");
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let dry_run = panel.post(&format!("{DISCOUNTS}?dry_run=1"), &body).await;
        dry_run.json()["data"]["overlaps"].as_array().unwrap().len()
    };
    assert_eq!(count_overlaps(json!({})).await, 1);
    assert_eq!(
        count_overlaps(json!({ "valid_from": hours_from_now(12), "valid_to": hours_from_now(48) })).await,
        0,
        "a discount that begins when the other ends must not overlap"
    );
    assert_eq!(count_overlaps(json!({ "services": [{ "id": 2, "discount_fraction": "0.1" }] })).await, 0);
    panel.put(&format!("{DISCOUNTS}/{}", first_discount["id"]), &json!({ "countries": ["DE"] })).await;
    assert_eq!(count_overlaps(json!({ "countries": ["FR"] })).await, 0);
    assert_eq!(count_overlaps(json!({ "countries": ["FR", "DE"] })).await, 1);
    panel.post(&format!("{DISCOUNTS}/{}/complete", first_discount["id"]), &json!({})).await;
    assert_eq!(count_overlaps(json!({})).await, 0);
}

async fn an_active_discount_lowers_the_cost_of_orders(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    assert_eq!(place_and_get_cost(&panel, new_order()).await, "10");
    let discount = panel.post_data(DISCOUNTS, discount_body("0.25")).await;
    assert_eq!(place_and_get_cost(&panel, new_order()).await, "7.5");
    assert_eq!(fetch_price_modifications(&panel).await, [("discount".into(), "10".into(), "7.5".into())]);
    let sum_revenue_sql = "SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE account = 'revenue'";
    assert_eq!(panel.fetch_number(Sql::new(sum_revenue_sql)).await, 17_500_000);
    let mut larger_discount = discount_body("0.4");
    larger_discount["countries"] = json!(["DE"]);
    panel.post_data(DISCOUNTS, larger_discount).await;
    assert_eq!(
        place_and_get_cost(&panel, new_order()).await,
        "7.5",
        "without a country, only the discount for all countries must apply"
    );
    assert_eq!(
        place_and_get_cost(&panel, NewOrder { country: Some("DE".into()), ..new_order() }).await,
        "6",
        "only the larger discount must apply"
    );
    let path = format!("{DISCOUNTS}/{}/complete", discount["id"]);
    assert_eq!(panel.post(&path, &json!({})).await.status, 200);
    assert_eq!(place_and_get_cost(&panel, new_order()).await, "10");
    panel.clock.advance_secs(12 * 3_600);
    assert_eq!(
        place_and_get_cost(&panel, NewOrder { country: Some("DE".into()), ..new_order() }).await,
        "10",
        "the discount must not apply after valid_to"
    );
    panel.assert_healthy().await;
}

async fn discounts_are_applied_in_a_fixed_sequence(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.post_data(DISCOUNTS, discount_body("0.2")).await;
    let insert_grade_sql = "INSERT INTO grades (id, name, discount_ppm, spending_goal, created_at, updated_at) VALUES (1, 'Gold', 100000, 0, 1, 1)";
    panel.execute(Sql::new(insert_grade_sql)).await;
    panel.execute(Sql::new("UPDATE users SET grade_id = 1 WHERE id = 2")).await;
    let user_discount = json!({ "discount_fraction": "0.05", "type": DiscountType::Orders });
    assert_eq!(panel.post("/api/v1/admin/users/2/user-discount", &user_discount).await.status, 200);
    // First the discount of the service, then the discount of the grade, then the user's discount: each lowers the result of the
    // previous one.
    assert_eq!(place_and_get_cost(&panel, new_order()).await, "6.84");
    let types: Vec<String> = fetch_price_modifications(&panel)
        .await
        .into_iter()
        .map(|(modification_type, _, _)| modification_type)
        .collect();
    assert_eq!(types, ["discount", "grade", "user_discount"]);
    // A user discount of the type `orders` does not apply to the orders of a combo order.
    let insert_combo_order_sql = "INSERT INTO combo_orders (id, url, status, source, package_name, package_type, user_id, orders_count, created_at, updated_at)
        VALUES (1, 'https://video.example/1', 'in_processing', 'cabinet', 'P', 'manual', 2, 1, 1, 1)";
    panel.execute(Sql::new(insert_combo_order_sql)).await;
    assert_eq!(
        place_and_get_cost(
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
    assert_eq!(place_and_get_cost(&panel, new_order()).await, "7.6");
    // The minimum price limits the sum of all discounts. A price agreed with the customer replaces the price of the service.
    panel.execute(Sql::new("UPDATE services SET min_price = 7800000 WHERE id = 1")).await;
    assert_eq!(place_and_get_cost(&panel, new_order()).await, "7.8");
    let agreed_price = |min_price: Value| json!({ "service_id": PLAIN_SERVICE, "default_price": "5", "min_price": min_price });
    let create_response = panel.post("/api/v1/admin/users/2/user-services", &agreed_price(Value::Null)).await;
    assert_eq!(
        place_and_get_cost(&panel, new_order()).await,
        "5",
        "a price agreed with the customer must not be raised to the minimum price of the service"
    );
    let path = format!("/api/v1/admin/users/2/user-services/{}", create_response.json()["data"]["id"]);
    assert_eq!(panel.send("owner", "PATCH", &path, &agreed_price(json!("3.9")), None).await.status, 200);
    assert_eq!(place_and_get_cost(&panel, new_order()).await, "3.9");
    panel.assert_healthy().await;
}

async fn the_price_preview_includes_the_discount(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let discount = panel.post_data(DISCOUNTS, discount_body("0.2")).await;
    let body = json!({ "default_price": "10", "min_price": "7.5", "pricing_per": 1000, "quantity": 1000, "service_id": PLAIN_SERVICE });
    let prices = panel.post_data("/api/v1/admin/services/price-preview", body.clone()).await;
    assert_eq!(
        prices[0]["discount"],
        json!({ "id": discount["id"], "name": "Sale", "discount_fraction": "0.2" })
    );
    assert_eq!((&prices[0]["cost"], &prices[0]["is_lowest"]), (&json!("8"), &json!(false)));
    let mut other_body = body;
    other_body["service_id"] = json!(2);
    let prices = panel.post_data("/api/v1/admin/services/price-preview", other_body).await;
    assert_eq!((&prices[0]["cost"], &prices[0]["discount"]), (&json!("10"), &Value::Null));
}

async fn parallel_edits_and_completions_succeed_once(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let discount = panel.post_data(DISCOUNTS, discount_body("0.2")).await;
    panel.clock.advance_secs(1);
    let path = format!("{DISCOUNTS}/{}", discount["id"]);
    let edit_body = |name: &str| json!({ "name": name, "updated_at": discount["updated_at"] });
    let (first_body, second_body) = (edit_body("One"), edit_body("Other"));
    let (first_response, second_response) =
        tokio::join!(panel.put(&path, &first_body), panel.put(&path, &second_body));
    let mut outcomes = [first_response.status_and_code(), second_response.status_and_code()];
    outcomes.sort();
    assert_eq!(outcomes[1], (409, "changed_meanwhile".into()));
    let complete_path = format!("{path}/complete");
    let empty_body = json!({});
    let (first_response, second_response) =
        tokio::join!(panel.post(&complete_path, &empty_body), panel.post(&complete_path, &empty_body));
    let mut statuses = [first_response.status.as_u16(), second_response.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'discount.completed'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
}
