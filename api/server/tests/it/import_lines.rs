//! Tests imports whose lines staff edited: the server stores every field, the error response lists every invalid field of every
//! line, and each category of the external panel becomes one service type.

use panel_demo::panel::FakePanel;
use panel_demo::panel::state::FakeService;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::supply::dispatch;
use serde_json::{Value, json};

use crate::imports::{FOLLOWERS_ID, LIKES_ID, PACKAGE_ID, VIEWS_ID, start_panel_with_external_panel};
use crate::panel::Panel;

test_both_databases! {
    every_field_of_a_line_is_imported;
    a_checker_group_must_have_the_platform_of_the_service_type;
    every_invalid_field_of_every_line_is_named;
    a_line_with_outdated_prices_is_rejected;
    each_category_becomes_one_service_type;
    parallel_imports_create_one_service_type;
    the_preview_contains_the_values_of_each_line;
    a_service_from_an_edited_line_can_be_ordered;
    ten_thousand_lines_with_categories_are_imported_in_seconds;
}

const IMPORT_SERVICES: &str = "/api/v1/admin/external-panels/import-services";
const PANELS: &str = "/api/v1/admin/external-panels";

impl Panel {
    /// Sends an import, asserts that the server rejects it, and returns the names of the invalid fields.
    async fn import_and_expect_invalid_fields(&self, body: Value) -> Vec<String> {
        let response = self.post(IMPORT_SERVICES, &body).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect()
    }

    async fn fetch_service_by_name(&self, name: &str) -> Value {
        let id = self.fetch_number(Sql::new("SELECT id FROM services WHERE name = ?").bind(name)).await;
        self.fetch_service(id).await
    }
}

fn set_categories(fake_panel: &FakePanel) {
    let mut panel_state = fake_panel.state();
    for (id, category) in
        [(LIKES_ID, "Likes"), (VIEWS_ID, "Reels 🔥"), (FOLLOWERS_ID, "Reels 🔥"), (PACKAGE_ID, "")]
    {
        panel_state.services.get_mut(&id).unwrap().category = category.into();
    }
}

async fn every_field_of_a_line_is_imported(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    fake_panel.state().services.get_mut(&LIKES_ID).unwrap().description = "<p>Fast</p>".into();
    fake_panel.state().services.get_mut(&VIEWS_ID).unwrap().description = "Description of the panel".into();
    let ids = panel.fetch_panel_services(&["101", "102", "103"]).await;
    let insert_group_sql =
        "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (4, 'Posts', 'Youtube')";
    panel.execute(Sql::new(insert_group_sql)).await;
    let line = json!({
        "id": ids[0], "name": " Hearts ", "description": " Real people ", "marginPercent": "0.5", "externalPanelPrice": "0.9",
        "providerPrice": "0.9", "networkId": 2, "serviceTypeId": 2, "promotableCheckerGroupId": 4, "syncParams": false, "syncPrices": false,
        "syncLabels": true, "syncName": false, "syncMeta": true, "syncServiceDetails": true, "syncDescriptionField": true,
        "syncShortDescription": true, "syncReviews": true,
    });
    let services = json!([line, { "id": ids[1], "price": "3", "description": "" }, { "id": ids[2] }]);
    let body = json!({ "external_panel_id": 1, "services": services, "margin_fraction": "0.3", "service_type_id": 1 });
    panel.post_data(IMPORT_SERVICES, body).await;
    let hearts = panel.fetch_service_by_name("Hearts").await;
    assert_eq!((&hearts["default_price"], &hearts["min_price"]), (&json!("1.35"), &json!("0.9")));
    assert_eq!(
        (&hearts["resale_margin_fraction"], &hearts["service_type"]["id"]),
        (&json!("0.5"), &json!(2))
    );
    assert_eq!(hearts["promotable_checker_group_id"], 4);
    assert_eq!(hearts["translations"]["en"], json!({ "name": "Hearts", "description": "Real people" }));
    for (sync_flag, expected_value) in [
        ("sync_params", false),
        ("sync_prices", false),
        ("sync_labels", true),
        ("sync_name", false),
        ("sync_meta", true),
        ("sync_service_details", true),
        ("sync_description_field", true),
        ("sync_short_description", true),
        ("sync_reviews", true),
    ] {
        assert_eq!(hearts[sync_flag], expected_value, "{sync_flag}");
    }
    let views = panel.fetch_service_by_name("Views").await;
    assert_eq!(
        views["translations"]["en"],
        json!({ "name": "Views" }),
        "an empty description must not be stored"
    );
    assert_eq!((&views["default_price"], &views["sync_prices"]), (&json!("3"), &json!(true)));
    let repeated_response = panel
        .post(
            IMPORT_SERVICES,
            &json!({ "external_panel_id": 1, "services": [{ "id": ids[0] }], "service_type_id": 1 }),
        )
        .await;
    assert_eq!(repeated_response.status, 422, "a service must not be imported twice");
    fake_panel.state().add_service(
        105,
        FakeService { description: "What they say".into(), ..FakeService::with_name("Shares") },
    );
    let id = panel.fetch_panel_services(&["105"]).await[0];
    panel
        .post_data(
            IMPORT_SERVICES,
            json!({ "external_panel_id": 1, "services": [{ "id": id }], "service_type_id": 1 }),
        )
        .await;
    let shares = panel.fetch_service_by_name("Shares").await;
    assert_eq!(
        shares["translations"]["en"]["description"], "What they say",
        "if staff enter no description, the external panel's description must be imported"
    );
    fake_panel.state().services.get_mut(&105).unwrap().description = "Something else".into();
    let fetch_result = panel.post_data(&format!("{PANELS}/1/available-services"), json!({})).await;
    assert_eq!(fetch_result["changed_count"], 1, "a changed description must count as a change");
}

/// A checker group (column `service_type_type`) belongs to one platform. The first line names an existing service type. For the
/// second line, the import creates a service type, whose platform is derived from the name of the network.
async fn a_checker_group_must_have_the_platform_of_the_service_type(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    set_categories(&fake_panel);
    let ids = panel.fetch_panel_services(&["102", "103"]).await;
    let insert_groups_sql = "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (4, 'Posts', 'Instagram'), (5, 'Any', 'Other'), (6, 'Clips', 'Tiktok')";
    panel.execute(Sql::new(insert_groups_sql)).await;
    panel.execute(Sql::new("UPDATE service_types SET network_id = 1")).await;
    let import_with_groups = async |first_group_id: i64, second_group_id: i64| {
        let services = json!([
            { "id": ids[0], "service_type_id": 1, "promotable_checker_group_id": first_group_id },
            { "id": ids[1], "network_id": 2, "promotable_checker_group_id": second_group_id },
        ]);
        let body = json!({ "external_panel_id": 1, "services": services, "keep_categories": true });
        panel.post(IMPORT_SERVICES, &body).await
    };
    let rejected_response = import_with_groups(4, 4).await;
    assert_eq!(rejected_response.status, 422, "{}", rejected_response.text);
    let errors = rejected_response.json()["errors"].clone();
    let fields: Vec<_> = errors.as_object().unwrap().keys().map(String::as_str).collect();
    let expected_fields =
        ["services.0.promotable_checker_group_id", "services.1.promotable_checker_group_id"];
    assert_eq!(fields, expected_fields, "{}", rejected_response.text);
    assert!(
        errors[expected_fields[0]][0].as_str().unwrap().contains("is for Youtube"),
        "{}",
        rejected_response.text
    );
    assert!(
        errors[expected_fields[1]][0].as_str().unwrap().contains("is for Tiktok"),
        "{}",
        rejected_response.text
    );
    let import_response = import_with_groups(5, 6).await;
    assert_eq!(import_response.status, 200, "{}", import_response.text);
}

async fn every_invalid_field_of_every_line_is_named(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    panel.set_setting("min_margin_fraction", r#""0.2""#).await;
    set_categories(&fake_panel);
    let ids = panel.fetch_panel_services(&["101", "102", "103", "104"]).await;
    let services = json!([
        { "id": ids[0], "name": "x".repeat(256), "description": "x".repeat(50_001), "price": "9", "margin_fraction": "0.1",
          "promotable_checker_group_id": 9, "service_type_id": 9, "external_panel_price": "1", "provider_price": "1" },
        { "id": ids[1], "margin_fraction": "11", "service_type_id": 1, "network_id": 2, "name": " " },
        { "id": ids[2], "network_id": 7 },
        { "id": ids[3] },
        { "id": 99 },
    ]);
    let body = json!({ "external_panel_id": 1, "services": services, "keep_categories": true });
    let expected_fields = [
        "services.0.description",
        "services.0.external_panel_price",
        "services.0.margin_fraction",
        "services.0.name",
        "services.0.promotable_checker_group_id",
        "services.0.provider_price",
        "services.0.service_type_id",
        "services.1.margin_fraction",
        "services.1.name",
        "services.1.network_id",
        "services.2.network_id",
        "services.3.service_type_id",
        "services.4.id",
    ];
    assert_eq!(panel.import_and_expect_invalid_fields(body).await, expected_fields);
    let body = json!({ "external_panel_id": 1, "services": [{ "id": ids[0] }], "keep_categories": true });
    assert_eq!(panel.import_and_expect_invalid_fields(body).await, ["services.0.network_id"]);
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM services")).await,
        0,
        "no line must be imported if one is invalid"
    );
    let too_many_services: Vec<Value> = (0..20_001).map(|id| json!({ "id": id })).collect();
    let body = json!({ "external_panel_id": 1, "services": too_many_services, "service_type_id": 1 });
    assert_eq!(panel.import_and_expect_invalid_fields(body).await, ["services"]);
}

async fn a_line_with_outdated_prices_is_rejected(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let ids = panel.fetch_panel_services(&["101"]).await;
    fake_panel.state().services.get_mut(&LIKES_ID).unwrap().rate = "1".parse().unwrap();
    panel.post_data(&format!("{PANELS}/1/available-services"), json!({})).await;
    let line_with_price =
        |price: &str| json!([{ "id": ids[0], "external_panel_price": price, "provider_price": price }]);
    let body_with_price =
        |price| json!({ "external_panel_id": 1, "services": line_with_price(price), "service_type_id": 1 });
    let expected_fields = ["services.0.external_panel_price", "services.0.provider_price"];
    assert_eq!(panel.import_and_expect_invalid_fields(body_with_price("0.9")).await, expected_fields);
    panel.post_data(IMPORT_SERVICES, body_with_price("1")).await;
}

async fn each_category_becomes_one_service_type(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    set_categories(&fake_panel);
    let ids = panel.fetch_panel_services(&["101", "102", "103", "104"]).await;
    let services: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    let body = json!({ "external_panel_id": 1, "services": services, "network_id": 1, "keep_categories": true, "service_type_id": 1 });
    let dry_run = panel.post_data(&format!("{IMPORT_SERVICES}?dry_run=1"), body.clone()).await;
    assert_eq!(
        dry_run["service_types"],
        json!(["Reels 🔥"]),
        "a service type named like the other category exists already"
    );
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM service_types")).await, 2);
    let import_result = panel.post_data(IMPORT_SERVICES, body).await;
    assert_eq!(import_result["service_types"], dry_run["service_types"]);
    let types = panel.get_data("/api/v1/admin/networks/1/service-types").await;
    let names: Vec<&str> =
        types.as_array().unwrap().iter().map(|service_type| service_type["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Likes", "Reels 🔥"]);
    let reels_id = types[1]["id"].as_i64().unwrap();
    assert_eq!(
        panel.fetch_service_by_name("Likes fast").await["service_type"]["id"],
        1,
        "the existing service type with the name of the category must be used"
    );
    assert_eq!(panel.fetch_service_by_name("Views").await["service_type"]["id"], reels_id);
    assert_eq!(panel.fetch_service_by_name("Followers").await["service_type"]["id"], reels_id);
    assert_eq!(
        panel.fetch_service_by_name("Starter pack").await["service_type"]["id"],
        1,
        "a service without a category must get the service type of the import"
    );
    let service_type = panel.get_data(&format!("/api/v1/admin/service-types/{reels_id}")).await;
    assert_eq!(
        (&service_type["panel_category"], &service_type["type"]),
        (&json!("Reels 🔥"), &json!("Instagram"))
    );
    assert_eq!(
        (&service_type["panel_service_type_id"], &service_type["translations"]["en"]["name"]),
        (&json!(reels_id), &json!("Reels 🔥"))
    );
    let count_audits_sql =
        "SELECT count(*) FROM audits WHERE event IN ('service_type.created', 'service_type.updated')";
    assert_eq!(
        panel.fetch_number(Sql::new(count_audits_sql)).await,
        2,
        "the log must have one entry for the created type, and one for the existing type whose category was set"
    );
    // A service type keeps its category if staff rename it.
    let rename_body = json!({ "panel_service_type": { "name": "Clips" } });
    assert_eq!(panel.put(&format!("/api/v1/admin/service-types/{reels_id}"), &rename_body).await.status, 200);
    fake_panel
        .state()
        .add_service(106, FakeService { category: "Reels 🔥".into(), ..FakeService::with_name("Saves") });
    let id = panel.fetch_panel_services(&["106"]).await[0];
    let body = json!({ "external_panel_id": 1, "services": [{ "id": id }], "network_id": 1, "keep_categories": true });
    assert_eq!(panel.post_data(IMPORT_SERVICES, body).await["service_types"], json!([]));
    assert_eq!(panel.fetch_service_by_name("Saves").await["service_type"]["id"], reels_id);
    // A service type that moves to another network keeps its category, unless another type of that network already has this
    // category.
    let insert_other_type_sql = "INSERT INTO service_types (id, network_id, name, panel_category, created_at, updated_at) VALUES (50, 2, 'Others', 'Reels 🔥', 1, 1)";
    panel.execute(Sql::new(insert_other_type_sql)).await;
    let move_body = json!({ "panel_service_type": { "network": 2 } });
    let move_response = panel.put(&format!("/api/v1/admin/service-types/{reels_id}"), &move_body).await;
    assert_eq!(
        (move_response.status.as_u16(), &move_response.json()["data"]["panel_category"]),
        (200, &Value::Null),
        "{}",
        move_response.text
    );
}

async fn parallel_imports_create_one_service_type(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    set_categories(&fake_panel);
    let ids = panel.fetch_panel_services(&["102", "103"]).await;
    let columns = "external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity, created_at, updated_at";
    panel.execute(Sql::new("INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (2, 'Other', 'https://other.example', 1, 1)")).await;
    let insert_panel_service_sql = format!(
        "INSERT INTO external_panel_services (id, external_panel_id, {columns}) VALUES (900, 2, '1', 'Other', 'Default', 'Reels 🔥', 1, 1000, 1, 10, 1, 1)"
    );
    panel.execute(Sql::new(Box::leak(insert_panel_service_sql.into_boxed_str()))).await;
    let import_body = |panel_id: i64, id: i64| json!({ "external_panel_id": panel_id, "services": [{ "id": id }], "network_id": 1, "keep_categories": true });
    let bodies = [import_body(1, ids[0]), import_body(1, ids[1]), import_body(2, 900)];
    let (first_response, second_response, third_response) = tokio::join!(
        panel.post(IMPORT_SERVICES, &bodies[0]),
        panel.post(IMPORT_SERVICES, &bodies[1]),
        panel.post(IMPORT_SERVICES, &bodies[2])
    );
    for response in [first_response, second_response, third_response] {
        assert_eq!(response.status, 200, "{}", response.text);
    }
    let count_types_sql = Sql::new("SELECT count(*) FROM service_types WHERE panel_category = 'Reels 🔥'");
    assert_eq!(panel.fetch_number(count_types_sql).await, 1);
    let count_services_sql = Sql::new(
        "SELECT count(*) FROM services s JOIN service_types t ON t.id = s.service_type_id WHERE t.panel_category = 'Reels 🔥'",
    );
    assert_eq!(panel.fetch_number(count_services_sql).await, 3);
}

async fn the_preview_contains_the_values_of_each_line(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    panel.set_setting("min_margin_fraction", r#""0.2""#).await;
    set_categories(&fake_panel);
    fake_panel.state().services.get_mut(&LIKES_ID).unwrap().description = "Fast".into();
    let ids = panel.fetch_panel_services(&["101", "102"]).await;
    let body = json!({ "ids": ids, "margin_fraction": "0.5", "network_id": 1 });
    let lines = panel.post_data(&format!("{PANELS}/1/services"), body).await;
    let likes = &lines[0];
    assert_eq!([&likes["provider_price"], &likes["price"], &likes["lowest_price"]], ["0.9", "1.35", "1.08"]);
    assert_eq!(
        (&likes["category"], &likes["type"], &likes["description"]),
        (&json!("Likes"), &json!("Default"), &json!("Fast"))
    );
    assert_eq!((&likes["network_id"], &likes["service_type_id"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&likes["sync_prices"], &likes["sync_labels"], &likes["rejection"]),
        (&json!(true), &json!(false), &Value::Null)
    );
    assert_eq!(lines[1]["service_type_id"], Value::Null, "the service type does not exist before the import");
    let import_body = json!({ "external_panel_id": 1, "services": [{ "id": ids[0] }], "service_type_id": 1 });
    panel.post_data(IMPORT_SERVICES, import_body).await;
    let lines = panel.post_data(&format!("{PANELS}/1/services"), json!({ "ids": [ids[0]] })).await;
    assert!(lines[0]["rejection"].as_str().unwrap().contains("already imported"), "{lines}");
}

async fn a_service_from_an_edited_line_can_be_ordered(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let insert_customer_sql = "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (900, 'Eve', 'eve@shop.example', 1, 1)";
    panel.execute(Sql::new(insert_customer_sql)).await;
    set_categories(&fake_panel);
    let ids = panel.fetch_panel_services(&["103"]).await;
    let line =
        json!({ "id": ids[0], "name": "Fans", "price": "5", "description": "Ours", "sync_prices": false });
    let body =
        json!({ "external_panel_id": 1, "services": [line], "network_id": 2, "keep_categories": true });
    panel.post_data(IMPORT_SERVICES, body).await;
    let fans = panel.fetch_service_by_name("Fans").await;
    assert_eq!(fans["service_type"]["name"], "Reels 🔥");
    let payment_body = json!({ "user_id": 900, "transaction_type": "income", "amount": "10", "comment": "cash", "balance_type": "main" });
    let payment_response =
        panel.send("owner", "POST", "/api/v1/admin/payments", &payment_body, Some("cash")).await;
    assert_eq!(payment_response.status, 200, "{}", payment_response.text);
    let order_body =
        json!({ "user_id": 900, "service_id": fans["id"], "url": "https://a.example/1", "quantity": 100 });
    let order_id = panel.post_data("/api/v1/admin/orders", order_body).await["id"].as_i64().unwrap();
    for _ in 0..20 {
        for _ in 0..20 {
            if dispatch::process_all_queues(&panel.app).await.unwrap() == 0 {
                break;
            }
        }
        panel.clock.advance_secs(60);
    }
    let order_data = panel.get_data(&format!("/api/v1/admin/orders/{order_id}")).await;
    assert_eq!(
        (&order_data["status"], &order_data["cost"]),
        (&json!("completed"), &json!("0.5")),
        "{order_data}"
    );
    assert_eq!(fake_panel.state().orders.len(), 1);
}

async fn ten_thousand_lines_with_categories_are_imported_in_seconds(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    for id in 1_000..11_000 {
        let category = format!("Category {}", id % 300);
        fake_panel.state().add_service(
            id,
            FakeService {
                category,
                description: "Words. ".repeat(40),
                ..FakeService::with_name(&format!("Service {id}"))
            },
        );
    }
    panel.post_data(&format!("{PANELS}/1/available-services"), json!({})).await;
    let ids_sql = Sql::new("SELECT id FROM external_panel_services WHERE name LIKE 'Service %' ORDER BY id");
    let ids: Vec<(i64,)> = (&mut &panel.app.db).fetch_all(ids_sql).await.unwrap();
    let services: Vec<Value> = ids
        .iter()
        .map(|(id,)| json!({ "id": id, "name": format!("Ours {id}"), "margin_fraction": "0.4" }))
        .collect();
    let import_started_at = std::time::Instant::now();
    let body =
        json!({ "external_panel_id": 1, "services": services, "network_id": 1, "keep_categories": true });
    let import_result = panel.post_data(IMPORT_SERVICES, body).await;
    eprintln!("{dialect:?}: imported in {:?}", import_started_at.elapsed());
    assert_eq!(
        (&import_result["created"], import_result["service_types"].as_array().unwrap().len()),
        (&json!(10_000), 300)
    );
    let count_descriptions_sql =
        Sql::new("SELECT count(*) FROM translations WHERE owner_type = 'service' AND field = 'description'");
    assert_eq!(panel.fetch_number(count_descriptions_sql).await, 10_000);
}
