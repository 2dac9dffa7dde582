//! Packages: cost calculation, editing, bulk updates, archiving and buying.

use std::collections::BTreeMap;

use futures_util::future::join;
use panel_contract::ids::{PackageId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::packages::BuyPackageInput;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::combo_orders::buy_package::buy;
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::Panel;
use crate::shop::{
    CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS, MODERATED_SERVICE, PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER,
};

test_both_databases! {
    calculates_the_cost_of_package_contents;
    creates_updates_archives_and_restores_a_package;
    rejects_an_invalid_package_and_names_the_fields;
    a_bulk_update_with_an_invalid_package_changes_no_package;
    buying_a_package_charges_its_total_cost;
    rejects_selling_a_package_with_services_that_are_not_on_sale;
    the_minimum_prices_of_services_do_not_apply_within_a_package;
    staff_with_permission_buy_a_package_for_a_customer;
    concurrent_edits_of_a_package_keep_only_the_first;
    staff_read_the_packages_of_external_panels;
}

const PACKAGES_PATH: &str = "/api/v1/admin/packages";

/// Three contents that cost 10, 5 and 0.5: the services cost 10 per 1,000, but the third content has a package price of 5 per 1,000.
fn package_contents() -> Value {
    json!([{ "id": PLAIN_SERVICE, "quantity": 1_000 }, { "id": MODERATED_SERVICE, "quantity": 500, "is_displayable": false }, { "id": SERVICE_WITHOUT_PROVIDER, "quantity": 100, "price": "5" }])
}

fn starter_input() -> Value {
    json!({ "name": "Starter", "network_id": 1, "service_type_id": 1, "discount_fraction": "0.125", "slug": "starter", "package_contents": package_contents(),
        "translations": { "en": { "name": "Starter", "short_description": "All you need" }, "de": { "name": "Anfang" } } })
}

async fn expect_invalid_fields(panel: &Panel, method: &str, path: &str, body: Value) -> Vec<String> {
    let response = panel.send("owner", method, path, &body, None).await;
    assert_eq!(response.status, 422, "{}", response.text);
    response.json()["errors"].as_object().unwrap().keys().cloned().collect()
}

async fn calculates_the_cost_of_package_contents(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let path = format!("{PACKAGES_PATH}/total-cost");
    let totals = panel
        .post_data(&path, json!({ "package_contents": package_contents(), "discount_fraction": "0.125" }))
        .await;
    // 10 + 5 + 0.5, minus one eighth: 13.5625.
    let costs = (&totals["default_cost"], &totals["total_cost"], &totals["difference"]);
    assert_eq!(costs, (&json!("16"), &json!("13.57"), &json!("2.43")));
    assert_eq!(
        (&totals["package_contents"][2]["cost"], &totals["package_contents"][2]["default_price"]),
        (&json!("0.5"), &json!("10"))
    );
    let fixed_cost_totals =
        panel.post_data(&path, json!({ "package_contents": package_contents(), "fixed_cost": "20" })).await;
    assert_eq!(
        (&fixed_cost_totals["total_cost"], &fixed_cost_totals["difference"]),
        (&json!("20"), &json!("-4"))
    );
    assert_eq!(
        expect_invalid_fields(&panel, "POST", &path, json!({ "package_contents": [] })).await,
        ["package_contents"]
    );
    let body = json!({ "package_contents": [{ "id": 99, "quantity": 1 }] });
    assert_eq!(expect_invalid_fields(&panel, "POST", &path, body).await, ["package_contents.0.id"]);
    let services = panel.get_data(&format!("{PACKAGES_PATH}/available-services?search=vice%202")).await;
    assert_eq!(ids(&services), [2]);
    assert_eq!(
        ids(&panel.get_data(&format!("{PACKAGES_PATH}/available-services?network_id=9")).await),
        [] as [i64; 0]
    );
    let types = panel.get_data(&format!("{PACKAGES_PATH}/available-service-types")).await;
    assert_eq!(types, json!([{ "id": 1, "name": "Views", "network": { "id": 1, "name": "Video" } }]));
}

async fn creates_updates_archives_and_restores_a_package(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let created_record = panel.post_data(PACKAGES_PATH, starter_input()).await;
    assert_eq!(
        (&created_record["total_cost"], &created_record["difference"], &created_record["type"]),
        (&json!("13.57"), &json!("2.43"), &json!("auto"))
    );
    assert_eq!(
        (&created_record["contents_count"], &created_record["package_contents"][1]["is_displayable"]),
        (&json!(3), &json!(false))
    );
    let path = format!("{PACKAGES_PATH}/{}", created_record["id"]);
    assert_eq!(panel.get_data(&path).await, created_record);
    assert_eq!(
        panel.get_data(PACKAGES_PATH).await[0]["total_cost"],
        "13.57",
        "the list must show the same cost"
    );
    panel.clock.advance_secs(5);
    let change_body = json!({ "discount_fraction": "0", "fixed_cost": "12.5", "type": "manual", "slug": null, "updated_at": created_record["updated_at"] });
    let change_response = panel.put(&path, &change_body).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let changed_record = change_response.json()["data"].clone();
    assert_eq!(
        (&changed_record["total_cost"], &changed_record["fixed_cost"], &changed_record["slug"]),
        (&json!("12.5"), &json!("12.5"), &Value::Null)
    );
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(
        panel.put(&path, &json!({})).await.json()["data"],
        changed_record,
        "an empty body must not change anything"
    );
    let archive_service_path = format!("/api/v1/admin/services/{PLAIN_SERVICE}/archive");
    let rejection = panel.post(&archive_service_path, &json!({})).await;
    assert_eq!(rejection.status_and_code(), (409, "service_in_use".into()));
    assert!(rejection.text.contains("Starter ("), "{}", rejection.text);
    assert_eq!(panel.post_data(&format!("{path}/archive"), json!({})).await["actions"]["restore"], true);
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.status_and_code(),
        (409, "package_archived".into())
    );
    assert_eq!(ids(&panel.get_data(&format!("{PACKAGES_PATH}?is_archived=0")).await), [] as [i64; 0]);
    assert_eq!(
        panel.post(&archive_service_path, &json!({})).await.status,
        200,
        "an archived package must not prevent archiving the service"
    );
    let restore_package = async || panel.post(&format!("{path}/unarchive"), &json!({})).await;
    assert_eq!(restore_package().await.status_and_code(), (409, "service_archived".into()));
    panel.post_data(&format!("/api/v1/admin/services/{PLAIN_SERVICE}/unarchive"), json!({})).await;
    assert_eq!(restore_package().await.json()["data"]["is_archived"], false);
    let count_audits_sql = Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'package.%'");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 4);
    let change_logs = panel
        .get_data("/api/v1/admin/services/logs?columns[0][data]=type&columns[0][search][value]=package")
        .await;
    assert!(change_logs.as_array().unwrap().len() >= 5, "{change_logs}");
    panel.create_staff("reader", &[Permission::ViewServices]).await;
    assert_eq!(panel.get_as("reader", PACKAGES_PATH, "*/*").await.status, 403);
}

async fn rejects_an_invalid_package_and_names_the_fields(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    assert_eq!(
        expect_invalid_fields(&panel, "POST", PACKAGES_PATH, json!({ "sync": true })).await,
        ["name", "network_id", "package_contents", "sync"]
    );
    assert_eq!(
        expect_invalid_fields(&panel, "POST", PACKAGES_PATH, json!({ "name": "Empty", "network_id": 1 }))
            .await,
        ["package_contents"]
    );
    let starter_with = |change: Value| {
        let mut body = starter_input();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    for (change, field) in [
        (json!({ "package_contents": [] }), "package_contents"),
        (json!({ "package_contents": [{ "id": 1, "quantity": 7 }] }), "package_contents.0.quantity"),
        (json!({ "discount_fraction": "0.1234" }), "discount_fraction"),
        (json!({ "fixed_cost": "12" }), "discount_fraction"),
        (json!({ "fixed_cost": "0.001", "discount_fraction": "0" }), "fixed_cost"),
        (json!({ "network_id": 9 }), "network_id"),
        (json!({ "service_type_id": 9 }), "service_type_id"),
        (json!({ "buy_page_url": "x" }), "buy_page_url"),
    ] {
        let fields = expect_invalid_fields(&panel, "POST", PACKAGES_PATH, starter_with(change.clone())).await;
        assert!(fields.contains(&field.to_owned()), "{change}: {fields:?}");
    }
    panel.post_data(PACKAGES_PATH, starter_input()).await;
    assert_eq!(
        panel.post(PACKAGES_PATH, &starter_input()).await.status_and_code(),
        (422, "slug_taken".into())
    );
    panel.execute(Sql::new("UPDATE services SET is_archived = TRUE WHERE id = 2")).await;
    assert_eq!(
        expect_invalid_fields(&panel, "POST", PACKAGES_PATH, starter_with(json!({ "slug": "other" }))).await,
        ["package_contents.1.id"]
    );
}

async fn a_bulk_update_with_an_invalid_package_changes_no_package(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let first_id = panel.post_data(PACKAGES_PATH, starter_input()).await["id"].clone();
    let mut other = starter_input();
    other["slug"] = json!("other");
    let second_id = panel.post_data(PACKAGES_PATH, other).await["id"].clone();
    let path = format!("{PACKAGES_PATH}/bulk");
    let body = json!({ "packages": [{ "id": second_id, "discount_fraction": "0.5" }, { "id": first_id, "discount_fraction": "0.12345" }, { "id": 99, "sync": false },
        { "id": second_id, "is_enabled": false }] });
    let fields = expect_invalid_fields(&panel, "PATCH", &path, body).await;
    assert_eq!(fields, ["packages.1.discount_fraction", "packages.2.id", "packages.3.id"]);
    assert_eq!(
        panel.get_data(&format!("{PACKAGES_PATH}/{second_id}")).await["discount_fraction"],
        "0.125",
        "a rejected bulk update must not change a package"
    );
    let body = json!({ "packages": [{ "id": first_id, "discount_fraction": "0.25" }, { "id": second_id, "is_enabled": false, "discount_fraction": "0", "fixed_cost": "9" }] });
    let dry_run = panel.send("owner", "PATCH", &format!("{path}?dry_run=1"), &body, None).await;
    assert_eq!((dry_run.status.as_u16(), &dry_run.json()["processed"]), (200, &json!(2)));
    assert_eq!(panel.get_data(&format!("{PACKAGES_PATH}/{first_id}")).await["discount_fraction"], "0.125");
    assert_eq!(panel.send("owner", "PATCH", &path, &body, None).await.status, 200);
    assert_eq!(panel.get_data(&format!("{PACKAGES_PATH}/{first_id}")).await["discount_fraction"], "0.25");
    let second_record = panel.get_data(&format!("{PACKAGES_PATH}/{second_id}")).await;
    assert_eq!((&second_record["is_enabled"], &second_record["total_cost"]), (&json!(false), &json!("9")));
    assert_eq!(
        expect_invalid_fields(&panel, "PATCH", &path, json!({ "packages": [{ "id": first_id }] })).await,
        ["packages.0"]
    );
    assert_eq!(expect_invalid_fields(&panel, "PATCH", &path, json!({ "packages": [] })).await, ["packages"]);
}

fn buy_input(user: i64, url: &str) -> BuyPackageInput {
    BuyPackageInput { user_id: UserId::new(user), url: url.to_owned(), targets: BTreeMap::new() }
}

async fn buying_a_package_charges_its_total_cost(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let id = panel.post_data(PACKAGES_PATH, starter_input()).await["id"].as_i64().unwrap();
    let url = "https://video.example/pack";
    let mut work = panel.begin_work().await;
    let combo_order_id =
        buy(&mut work, PackageId::new(id), &buy_input(1, url), OrderSource::Cabinet).await.unwrap();
    work.finish(combo_order_id).await.unwrap();
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 13_570_000);
    assert_eq!(panel.fetch_task_balance(1).await, CUSTOMER_EARNINGS);
    let row = panel.get_data("/api/v1/admin/combo-orders").await[0].clone();
    assert_eq!(
        (&row["cost"], &row["package"]),
        (&json!("13.57"), &json!({ "id": id, "name": "Starter", "type": "auto" }))
    );
    let orders = panel.get_data(&format!("/api/v1/admin/orders?combo_order_id={combo_order_id}")).await;
    let order = panel.fetch_order(ids(&orders)[0]).await;
    assert_eq!(order["price_modifications"][0]["name"], "Starter");
    // An order of a manual package waits for moderation, even if no service of the package needs moderation.
    panel
        .put(
            &format!("{PACKAGES_PATH}/{id}"),
            &json!({ "type": "manual", "package_contents": [{ "id": PLAIN_SERVICE, "quantity": 100 }] }),
        )
        .await;
    let mut work = panel.begin_work().await;
    let combo_order_id =
        buy(&mut work, PackageId::new(id), &buy_input(2, url), OrderSource::Cabinet).await.unwrap();
    work.finish(combo_order_id).await.unwrap();
    assert_eq!(panel.get_data("/api/v1/admin/combo-orders").await[0]["status"], "in_moderation");
    let is_buyable =
        async || panel.get_data(&format!("{PACKAGES_PATH}/{id}")).await["actions"]["buyable"].clone();
    assert_eq!(is_buyable().await, true);
    panel.post_data(&format!("{PACKAGES_PATH}/{id}/archive"), json!({})).await;
    assert_eq!(is_buyable().await, false);
    let mut work = panel.begin_work().await;
    let rejection =
        buy(&mut work, PackageId::new(id), &buy_input(1, url), OrderSource::Cabinet).await.unwrap_err();
    assert_eq!(rejection.report("").code, "package_not_on_sale");
}

async fn rejects_selling_a_package_with_services_that_are_not_on_sale(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let path = format!("{PACKAGES_PATH}/{}/buy", panel.post_data(PACKAGES_PATH, starter_input()).await["id"]);
    panel.execute(Sql::new("UPDATE services SET is_enabled = FALSE WHERE id = 2")).await;
    panel.execute(Sql::new("UPDATE services SET is_deactivated = TRUE WHERE id = 3")).await;
    let body = json!({ "user_id": 1, "url": "https://video.example/pack" });
    let rejection = panel.post(&path, &body).await;
    assert_eq!(rejection.status, 422, "{}", rejection.text);
    let errors = rejection.json()["errors"].clone();
    assert_eq!(
        errors.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["package_contents.1", "package_contents.2"]
    );
    let message = errors["package_contents.1"][0].as_str().unwrap();
    assert!(message.starts_with("Service 2 (service 2) is not on sale"), "{message}");
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT);
    panel.execute(Sql::new("UPDATE services SET is_enabled = TRUE, is_deactivated = FALSE")).await;
    assert_eq!(panel.post(&path, &body).await.status, 200);
}

async fn concurrent_edits_of_a_package_keep_only_the_first(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let created_record = panel.post_data(PACKAGES_PATH, starter_input()).await;
    panel.clock.advance_secs(5);
    let path = format!("{PACKAGES_PATH}/{}", created_record["id"]);
    let body = |name: &str| json!({ "name": name, "updated_at": created_record["updated_at"] });
    let (first_body, second_body) = (body("One"), body("Two"));
    let (first_response, second_response) =
        join(panel.put(&path, &first_body), panel.put(&path, &second_body)).await;
    let mut statuses = [first_response.status.as_u16(), second_response.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
}

async fn staff_read_the_packages_of_external_panels(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let path = "/api/v1/admin/providers-packages";
    assert_eq!(panel.get_data(path).await, json!([]));
    for sql in [
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (1, 'Upstream', 'https://up.example/api', 1, 1)",
        "INSERT INTO provider_packages (id, external_panel_id, external_panel_package_id, name, type, discount_ppm, created_at, updated_at)
           VALUES (1, 1, 'p7', 'Bundle', 'auto', 100000, 1, 1)",
        "INSERT INTO provider_package_contents (provider_package_id, external_panel_service_id, name, quantity, price, pricing_per) VALUES (1, '44', 'Likes', 500, 900000, 1000)",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    let row = panel.get_data(path).await[0].clone();
    assert_eq!(
        (&row["external_panel"]["name"], &row["contents_count"], &row["packages_count"]),
        (&json!("Upstream"), &json!(1), &json!(0))
    );
    let package = panel.get_data(&format!("{path}/1")).await;
    let content_body = json!({ "external_panel_service_id": "44", "name": "Likes", "quantity": 500, "price": "0.9", "pricing_per": 1000 });
    assert_eq!(
        (&package["contents"], &package["discount_fraction"]),
        (&json!([content_body]), &json!("0.1"))
    );
    assert_eq!(panel.get(&format!("{path}/9")).await.status, 404);
}

async fn the_minimum_prices_of_services_do_not_apply_within_a_package(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.execute(Sql::new("UPDATE services SET min_price = default_price")).await;
    let id = panel.post_data(PACKAGES_PATH, starter_input()).await["id"].as_i64().unwrap();
    let buy_and_return_cost = async |user: i64| {
        let body = json!({ "user_id": user, "url": "https://video.example/pack" });
        let response = panel.post(&format!("{PACKAGES_PATH}/{id}/buy"), &body).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"]["cost"].clone()
    };
    assert_eq!(buy_and_return_cost(1).await, "13.57", "minimum prices must not change the cost");
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 13_570_000);
    // A personal discount for packages reduces the total.
    let discount_body = |fraction: &str, kind: &str| json!({ "discount_fraction": fraction, "type": kind });
    let path = "/api/v1/admin/users/2/user-discount";
    assert_eq!(panel.post(path, &discount_body("0.1", "packages")).await.status, 200);
    assert_eq!(buy_and_return_cost(2).await, "12.21", "12.2085 must be rounded up once");
    assert_eq!(panel.post(path, &discount_body("0.1", "orders")).await.status, 200);
    assert_eq!(buy_and_return_cost(2).await, "13.57");
    panel.assert_healthy().await;
}

async fn staff_with_permission_buy_a_package_for_a_customer(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.create_staff("orders", &[Permission::ManageOrders]).await;
    panel.create_staff("packages", &[Permission::ManagePackages]).await;
    let id = panel.post_data(PACKAGES_PATH, starter_input()).await["id"].as_i64().unwrap();
    let path = format!("{PACKAGES_PATH}/{id}/buy");
    let body = |user: i64| json!({ "user_id": user, "url": "https://video.example/pack" });
    assert_eq!(panel.send("packages", "POST", &path, &body(1), None).await.status, 403);
    let dry_run = panel.send("orders", "POST", &format!("{path}?dry_run=1"), &body(1), None).await;
    assert_eq!((dry_run.status.as_u16(), &dry_run.json()["data"]["cost"]), (200, &json!("13.57")));
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT);
    let first_response = panel.send("orders", "POST", &path, &body(1), Some("k")).await.json();
    let replayed_response = panel.send("orders", "POST", &path, &body(1), Some("k")).await.json();
    assert_eq!(
        (&first_response["data"]["id"], &first_response["data"]["package"]["id"]),
        (&replayed_response["data"]["id"], &json!(id))
    );
    assert_eq!(
        panel.fetch_main_balance(1).await,
        CUSTOMER_DEPOSIT - 13_570_000,
        "a repeated idempotency key must not buy the package again"
    );
    let bad_url_body = json!({ "user_id": 1, "url": "nowhere" });
    assert!(panel.post(&path, &bad_url_body).await.json()["errors"]["url"].is_array());
    assert_eq!(panel.post(&path, &body(77)).await.status, 422);
    assert_eq!(panel.post(&format!("{PACKAGES_PATH}/99/buy"), &body(1)).await.status, 404);
    // Only customers with personal prices for the services of a restricted package may buy it.
    panel.put(&format!("{PACKAGES_PATH}/{id}"), &json!({ "restricted_access": true })).await;
    assert_eq!(panel.post(&path, &body(1)).await.status_and_code(), (422, "package_restricted".into()));
    panel
        .execute(Sql::new(
            "INSERT INTO user_services (user_id, service_id, default_price, created_at, updated_at) SELECT 1, id, default_price, 1, 1 FROM services",
        ))
        .await;
    assert_eq!(panel.post(&path, &body(1)).await.status, 200);
    panel.assert_healthy().await;
}
