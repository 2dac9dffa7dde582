//! Lines of an import as staff edit them: every field is stored, every wrong field of every line is named, and each category of
//! the panel becomes one service type.

use panel_demo::panel::FakePanel;
use panel_demo::panel::state::FakeService;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::supply::dispatch;
use serde_json::{Value, json};

use crate::imports::panel_with_upstream;
use crate::panel::Panel;

both! {
    every_field_of_a_line_is_imported;
    a_checker_group_must_fit_the_service_type_of_a_line;
    every_wrong_field_of_every_line_is_named;
    a_line_with_outdated_prices_is_refused;
    each_category_becomes_one_service_type;
    parallel_imports_create_one_service_type;
    the_preview_has_the_values_of_each_line;
    an_edited_line_is_ordered_and_delivered;
    ten_thousand_lines_with_categories_are_imported_in_seconds;
}

const IMPORT: &str = "/api/v1/admin/external-panels/import-services";
const PANELS: &str = "/api/v1/admin/external-panels";

impl Panel {
    /// Sends an import, asserts that it is refused, and returns the names of the wrong fields.
    async fn wrong_fields_of_import(&self, body: Value) -> Vec<String> {
        let answer = self.post(IMPORT, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    }

    async fn service_named(&self, name: &str) -> Value {
        let id = self.number(Sql::new("SELECT id FROM services WHERE name = ?").bind(name)).await;
        self.service(id).await
    }
}

fn set_categories(fake_panel: &FakePanel) {
    let mut panel_state = fake_panel.state();
    for (id, category) in [(101, "Likes"), (102, "Reels 🔥"), (103, "Reels 🔥"), (104, "")] {
        panel_state.services.get_mut(&id).unwrap().category = category.into();
    }
}

async fn every_field_of_a_line_is_imported(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    fake_panel.state().services.get_mut(&101).unwrap().desc = "<p>Fast</p>".into();
    fake_panel.state().services.get_mut(&102).unwrap().desc = "Theirs".into();
    let ids = panel.fetch_panel_services(&["101", "102", "103"]).await;
    let group =
        "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (4, 'Posts', 'Youtube')";
    panel.execute(Sql::new(group)).await;
    let line = json!({
        "id": ids[0], "name": " Hearts ", "description": " Real people ", "marginPercent": "0.5", "externalPanelPrice": "0.9",
        "providerPrice": "0.9", "networkId": 2, "serviceTypeId": 2, "promotableCheckerGroupId": 4, "syncParams": false, "syncPrices": false,
        "syncLabels": true, "syncName": false, "syncMeta": true, "syncServiceDetails": true, "syncDescriptionField": true,
        "syncShortDescription": true, "syncReviews": true,
    });
    let services = json!([line, { "id": ids[1], "price": "3", "description": "" }, { "id": ids[2] }]);
    let body = json!({ "external_panel_id": 1, "services": services, "margin_fraction": "0.3", "service_type_id": 1 });
    panel.post_data(IMPORT, body).await;
    let hearts = panel.service_named("Hearts").await;
    assert_eq!((&hearts["default_price"], &hearts["min_price"]), (&json!("1.35"), &json!("0.9")));
    assert_eq!(
        (&hearts["resale_margin_fraction"], &hearts["service_type"]["id"]),
        (&json!("0.5"), &json!(2))
    );
    assert_eq!(hearts["promotable_checker_group_id"], 4);
    assert_eq!(hearts["translations"]["en"], json!({ "name": "Hearts", "description": "Real people" }));
    for (flag, is_on) in [
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
        assert_eq!(hearts[flag], is_on, "{flag}");
    }
    let views = panel.service_named("Views").await;
    assert_eq!(
        views["translations"]["en"],
        json!({ "name": "Views" }),
        "an empty description is stored as none"
    );
    assert_eq!((&views["default_price"], &views["sync_prices"]), (&json!("3"), &json!(true)));
    let repeated = panel
        .post(
            IMPORT,
            &json!({ "external_panel_id": 1, "services": [{ "id": ids[0] }], "service_type_id": 1 }),
        )
        .await;
    assert_eq!(repeated.status, 422, "no service is imported twice");
    fake_panel
        .state()
        .add_service(105, FakeService { desc: "What they say".into(), ..FakeService::plain("Shares") });
    let id = panel.fetch_panel_services(&["105"]).await[0];
    panel
        .post_data(
            IMPORT,
            json!({ "external_panel_id": 1, "services": [{ "id": id }], "service_type_id": 1 }),
        )
        .await;
    let shares = panel.service_named("Shares").await;
    assert_eq!(
        shares["translations"]["en"]["description"], "What they say",
        "without a description of staff the panel's is imported"
    );
    fake_panel.state().services.get_mut(&105).unwrap().desc = "Something else".into();
    let fetched = panel.post_data(&format!("{PANELS}/1/available-services"), json!({})).await;
    assert_eq!(fetched["changed_count"], 1, "a changed description counts as a change");
}

/// The first line goes to a service type by its id, the second to one that the import creates for a category, whose platform
/// follows from the name of the network.
async fn a_checker_group_must_fit_the_service_type_of_a_line(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    set_categories(&fake_panel);
    let ids = panel.fetch_panel_services(&["102", "103"]).await;
    let groups = "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (4, 'Posts', 'Instagram'), (5, 'Any', 'Other'), (6, 'Clips', 'Tiktok')";
    panel.execute(Sql::new(groups)).await;
    panel.execute(Sql::new("UPDATE service_types SET network_id = 1")).await;
    let import = async |first: i64, second: i64| {
        let services = json!([
            { "id": ids[0], "service_type_id": 1, "promotable_checker_group_id": first },
            { "id": ids[1], "network_id": 2, "promotable_checker_group_id": second },
        ]);
        let body = json!({ "external_panel_id": 1, "services": services, "keep_categories": true });
        panel.post(IMPORT, &body).await
    };
    let refused = import(4, 4).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let errors = refused.json()["errors"].clone();
    let fields: Vec<_> = errors.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = ["services.0.promotable_checker_group_id", "services.1.promotable_checker_group_id"];
    assert_eq!(fields, expected, "{}", refused.text);
    assert!(errors[expected[0]][0].as_str().unwrap().contains("is for Youtube"), "{}", refused.text);
    assert!(errors[expected[1]][0].as_str().unwrap().contains("is for Tiktok"), "{}", refused.text);
    let imported = import(5, 6).await;
    assert_eq!(imported.status, 200, "{}", imported.text);
}

async fn every_wrong_field_of_every_line_is_named(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
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
    let expected = [
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
    assert_eq!(panel.wrong_fields_of_import(body).await, expected);
    let body = json!({ "external_panel_id": 1, "services": [{ "id": ids[0] }], "keep_categories": true });
    assert_eq!(panel.wrong_fields_of_import(body).await, ["services.0.network_id"]);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM services")).await, 0, "no line is imported");
    let too_many: Vec<Value> = (0..20_001).map(|id| json!({ "id": id })).collect();
    let body = json!({ "external_panel_id": 1, "services": too_many, "service_type_id": 1 });
    assert_eq!(panel.wrong_fields_of_import(body).await, ["services"]);
}

async fn a_line_with_outdated_prices_is_refused(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    let ids = panel.fetch_panel_services(&["101"]).await;
    fake_panel.state().services.get_mut(&101).unwrap().rate = "1".parse().unwrap();
    panel.post_data(&format!("{PANELS}/1/available-services"), json!({})).await;
    let line =
        |price: &str| json!([{ "id": ids[0], "external_panel_price": price, "provider_price": price }]);
    let body = |price| json!({ "external_panel_id": 1, "services": line(price), "service_type_id": 1 });
    let expected = ["services.0.external_panel_price", "services.0.provider_price"];
    assert_eq!(panel.wrong_fields_of_import(body("0.9")).await, expected);
    panel.post_data(IMPORT, body("1")).await;
}

async fn each_category_becomes_one_service_type(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    set_categories(&fake_panel);
    let ids = panel.fetch_panel_services(&["101", "102", "103", "104"]).await;
    let services: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    let body = json!({ "external_panel_id": 1, "services": services, "network_id": 1, "keep_categories": true, "service_type_id": 1 });
    let dry_run = panel.post_data(&format!("{IMPORT}?dry_run=1"), body.clone()).await;
    assert_eq!(
        dry_run["service_types"],
        json!(["Reels 🔥"]),
        "the other category has a service type of its name"
    );
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM service_types")).await, 2);
    let imported = panel.post_data(IMPORT, body).await;
    assert_eq!(imported["service_types"], dry_run["service_types"]);
    let types = panel.get_data("/api/v1/admin/networks/1/service-types").await;
    let names: Vec<&str> =
        types.as_array().unwrap().iter().map(|service_type| service_type["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Likes", "Reels 🔥"]);
    let reels = types[1]["id"].as_i64().unwrap();
    assert_eq!(panel.service_named("Likes fast").await["service_type"]["id"], 1, "found by its name");
    assert_eq!(panel.service_named("Views").await["service_type"]["id"], reels);
    assert_eq!(panel.service_named("Followers").await["service_type"]["id"], reels);
    assert_eq!(
        panel.service_named("Starter pack").await["service_type"]["id"],
        1,
        "the service has no category"
    );
    let service_type = panel.get_data(&format!("/api/v1/admin/service-types/{reels}")).await;
    assert_eq!(
        (&service_type["panel_category"], &service_type["type"]),
        (&json!("Reels 🔥"), &json!("Instagram"))
    );
    assert_eq!(
        (&service_type["panel_service_type_id"], &service_type["translations"]["en"]["name"]),
        (&json!(reels), &json!("Reels 🔥"))
    );
    let audits =
        "SELECT count(*) FROM audits WHERE event IN ('service_type.created', 'service_type.updated')";
    assert_eq!(panel.number(Sql::new(audits)).await, 2, "one created and one existing type got a category");
    // A renamed service type keeps its category.
    let renamed = json!({ "panel_service_type": { "name": "Clips" } });
    assert_eq!(panel.put(&format!("/api/v1/admin/service-types/{reels}"), &renamed).await.status, 200);
    fake_panel
        .state()
        .add_service(106, FakeService { category: "Reels 🔥".into(), ..FakeService::plain("Saves") });
    let id = panel.fetch_panel_services(&["106"]).await[0];
    let body = json!({ "external_panel_id": 1, "services": [{ "id": id }], "network_id": 1, "keep_categories": true });
    assert_eq!(panel.post_data(IMPORT, body).await["service_types"], json!([]));
    assert_eq!(panel.service_named("Saves").await["service_type"]["id"], reels);
    // A service type that moves to another network keeps its category, unless a type there already has it.
    let other_type_with_category = "INSERT INTO service_types (id, network_id, name, panel_category, created_at, updated_at) VALUES (50, 2, 'Others', 'Reels 🔥', 1, 1)";
    panel.execute(Sql::new(other_type_with_category)).await;
    let move_to_other_network = json!({ "panel_service_type": { "network": 2 } });
    let moved = panel.put(&format!("/api/v1/admin/service-types/{reels}"), &move_to_other_network).await;
    assert_eq!(
        (moved.status.as_u16(), &moved.json()["data"]["panel_category"]),
        (200, &Value::Null),
        "{}",
        moved.text
    );
}

async fn parallel_imports_create_one_service_type(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    set_categories(&fake_panel);
    let first = panel.fetch_panel_services(&["102", "103"]).await;
    let columns = "external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity, created_at, updated_at";
    panel.execute(Sql::new("INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (2, 'Other', 'https://other.example', 1, 1)")).await;
    let sql = format!(
        "INSERT INTO external_panel_services (id, external_panel_id, {columns}) VALUES (900, 2, '1', 'Other', 'Default', 'Reels 🔥', 1, 1000, 1, 10, 1, 1)"
    );
    panel.execute(Sql::new(Box::leak(sql.into_boxed_str()))).await;
    let body = |panel_id: i64, id: i64| json!({ "external_panel_id": panel_id, "services": [{ "id": id }], "network_id": 1, "keep_categories": true });
    let bodies = [body(1, first[0]), body(1, first[1]), body(2, 900)];
    let (first_answer, second_answer, third_answer) = tokio::join!(
        panel.post(IMPORT, &bodies[0]),
        panel.post(IMPORT, &bodies[1]),
        panel.post(IMPORT, &bodies[2])
    );
    for answer in [first_answer, second_answer, third_answer] {
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let sql = Sql::new("SELECT count(*) FROM service_types WHERE panel_category = 'Reels 🔥'");
    assert_eq!(panel.number(sql).await, 1);
    let sql = Sql::new(
        "SELECT count(*) FROM services s JOIN service_types t ON t.id = s.service_type_id WHERE t.panel_category = 'Reels 🔥'",
    );
    assert_eq!(panel.number(sql).await, 3);
}

async fn the_preview_has_the_values_of_each_line(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    panel.set_setting("min_margin_fraction", r#""0.2""#).await;
    set_categories(&fake_panel);
    fake_panel.state().services.get_mut(&101).unwrap().desc = "Fast".into();
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
        (&likes["sync_prices"], &likes["sync_labels"], &likes["refusal"]),
        (&json!(true), &json!(false), &Value::Null)
    );
    assert_eq!(lines[1]["service_type_id"], Value::Null, "the import creates the service type");
    let import = json!({ "external_panel_id": 1, "services": [{ "id": ids[0] }], "service_type_id": 1 });
    panel.post_data(IMPORT, import).await;
    let lines = panel.post_data(&format!("{PANELS}/1/services"), json!({ "ids": [ids[0]] })).await;
    assert!(lines[0]["refusal"].as_str().unwrap().contains("imported already"), "{lines}");
}

async fn an_edited_line_is_ordered_and_delivered(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    let customer = "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (900, 'Eve', 'eve@shop.example', 1, 1)";
    panel.execute(Sql::new(customer)).await;
    set_categories(&fake_panel);
    let ids = panel.fetch_panel_services(&["103"]).await;
    let line =
        json!({ "id": ids[0], "name": "Fans", "price": "5", "description": "Ours", "sync_prices": false });
    let body =
        json!({ "external_panel_id": 1, "services": [line], "network_id": 2, "keep_categories": true });
    panel.post_data(IMPORT, body).await;
    let fans = panel.service_named("Fans").await;
    assert_eq!(fans["service_type"]["name"], "Reels 🔥");
    let payment = json!({ "user_id": 900, "transaction_type": "income", "amount": "10", "comment": "cash", "balance_type": "main" });
    let paid = panel.send("owner", "POST", "/api/v1/admin/payments", &payment, Some("cash")).await;
    assert_eq!(paid.status, 200, "{}", paid.text);
    let order =
        json!({ "user_id": 900, "service_id": fans["id"], "url": "https://a.example/1", "quantity": 100 });
    let order = panel.post_data("/api/v1/admin/orders", order).await["id"].as_i64().unwrap();
    for _ in 0..20 {
        for _ in 0..20 {
            if dispatch::cycle(&panel.app).await.unwrap() == 0 {
                break;
            }
        }
        panel.clock.advance_secs(60);
    }
    let order_data = panel.get_data(&format!("/api/v1/admin/orders/{order}")).await;
    assert_eq!(
        (&order_data["status"], &order_data["cost"]),
        (&json!("completed"), &json!("0.5")),
        "{order_data}"
    );
    assert_eq!(fake_panel.state().orders.len(), 1);
}

async fn ten_thousand_lines_with_categories_are_imported_in_seconds(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    for id in 1_000..11_000 {
        let category = format!("Category {}", id % 300);
        fake_panel.state().add_service(
            id,
            FakeService {
                category,
                desc: "Words. ".repeat(40),
                ..FakeService::plain(&format!("Service {id}"))
            },
        );
    }
    panel.post_data(&format!("{PANELS}/1/available-services"), json!({})).await;
    let sql = Sql::new("SELECT id FROM external_panel_services WHERE name LIKE 'Service %' ORDER BY id");
    let ids: Vec<(i64,)> = (&mut &panel.app.db).fetch_all(sql).await.unwrap();
    let services: Vec<Value> = ids
        .iter()
        .map(|(id,)| json!({ "id": id, "name": format!("Ours {id}"), "margin_fraction": "0.4" }))
        .collect();
    let started = std::time::Instant::now();
    let body =
        json!({ "external_panel_id": 1, "services": services, "network_id": 1, "keep_categories": true });
    let imported = panel.post_data(IMPORT, body).await;
    eprintln!("{dialect:?}: imported in {:?}", started.elapsed());
    assert_eq!(
        (&imported["created"], imported["service_types"].as_array().unwrap().len()),
        (&json!(10_000), 300)
    );
    let sql =
        Sql::new("SELECT count(*) FROM translations WHERE owner_type = 'service' AND field = 'description'");
    assert_eq!(panel.number(sql).await, 10_000);
}
