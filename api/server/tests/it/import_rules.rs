//! Tests the import rule of an external panel: a sync imports each new service once if the service matches the rule, and lists the
//! services that the rule cannot import.

use std::sync::Arc;

use panel_contract::permission::Permission;
use panel_demo::panel::FakePanel;
use panel_demo::panel::state::{FakePanelState, FakeService};
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::{Value, json};

use crate::imports::{EXTERNAL_PANEL_TOKEN, start_panel_with_external_panel};
use crate::panel::Panel;

test_both_databases! {
    a_rule_is_stored_read_and_audited;
    all_invalid_fields_of_a_rule_are_named;
    new_services_are_imported_by_the_rule_once;
    services_in_the_first_list_do_not_count_as_new;
    a_list_of_the_previous_endpoint_is_ignored;
    services_that_the_rule_cannot_import_are_recorded;
    without_a_rule_new_services_are_only_recorded;
    a_sync_imports_at_most_a_thousand_services;
    a_service_type_in_a_rule_cannot_be_deleted;
}

const IMPORT_RULE: &str = "/api/v1/admin/external-panels/1/import-rule";

/// Starts a panel that has fetched the first list of its external panel, and then enables an import rule.
async fn start_panel_with_rule(dialect: Dialect, rule: Value) -> (Panel, FakePanel) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    panel
        .execute(Sql::new("UPDATE external_panels SET sync_services = FALSE, resale_margin_ppm = 100000"))
        .await;
    panel.fetch_panel_services(&[]).await;
    panel.clock.advance_secs(60);
    let mut enabled_rule = json!({ "is_enabled": true });
    enabled_rule.as_object_mut().unwrap().extend(rule.as_object().unwrap().clone());
    let response = panel.put(IMPORT_RULE, &enabled_rule).await;
    assert_eq!(response.status, 200, "{}", response.text);
    panel.clock.advance_secs(60);
    (panel, fake_panel)
}

impl Panel {
    async fn count_services(&self) -> i64 {
        self.fetch_number(Sql::new("SELECT count(*) FROM services")).await
    }
}

async fn a_rule_is_stored_read_and_audited(dialect: Dialect) {
    let (panel, _fake_panel) = start_panel_with_external_panel(dialect).await;
    panel.execute(Sql::new("UPDATE external_panels SET sync_services = FALSE")).await;
    panel.fetch_panel_services(&[]).await;
    let without_rule = panel.get_data(IMPORT_RULE).await;
    assert_eq!(
        (&without_rule["is_enabled"], &without_rule["enabled_since"], &without_rule["updated_at"]),
        (&json!(false), &Value::Null, &Value::Null)
    );
    let insert_group_sql =
        "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (4, 'Posts', 'Youtube')";
    panel.execute(Sql::new(insert_group_sql)).await;
    let rule = json!({
        "is_enabled": true, "margin_fraction": "0.4", "network_id": 1, "service_type_id": 1, "keep_categories": true,
        "promotable_checker_group_id": 4, "sync_params": false, "sync_prices": true, "sync_labels": false, "sync_name": true, "sync_meta": false,
        "sync_service_details": true, "sync_description_field": false, "sync_short_description": true, "sync_reviews": false,
        "categories": ["Likes"], "types": ["Default", "Poll"], "name_contains": "a", "name_excludes": "b", "price_from": "0.1", "price_to": "9",
    });
    let dry_run = panel.put(&format!("{IMPORT_RULE}?dry_run=1"), &rule).await;
    assert_eq!(
        (dry_run.status.as_u16(), panel.get_data(IMPORT_RULE).await),
        (200, without_rule),
        "{}",
        dry_run.text
    );
    let stored_rule = panel.put(IMPORT_RULE, &rule).await.json()["data"].clone();
    for (field, value) in rule.as_object().unwrap() {
        assert_eq!(&stored_rule[field], value, "{field}");
    }
    assert!(
        stored_rule["enabled_since"].is_string() && panel.get_data(IMPORT_RULE).await == stored_rule,
        "{stored_rule}"
    );
    let external_panel = panel.get_data("/api/v1/admin/external-panels/1").await;
    assert_eq!(
        external_panel["sync_services"], true,
        "the rule must enable sync_services of the external panel"
    );
    let audits = panel.get("/api/v1/admin/audits?length=1").await.text;
    assert!(
        audits.contains("import_rule.margin_fraction") && audits.contains("external_panel.updated"),
        "{audits}"
    );
    // An outdated `updated_at` is rejected. Disabling `sync_services` of the external panel also disables the rule.
    let outdated_body = json!({ "updated_at": "2020-01-01 00:00:00.000000" });
    assert!([409, 422].contains(&panel.put(IMPORT_RULE, &outdated_body).await.status.as_u16()));
    let patch_response = panel
        .send("owner", "PATCH", "/api/v1/admin/external-panels/1", &json!({ "sync_services": false }), None)
        .await;
    assert_eq!(patch_response.status, 200, "{}", patch_response.text);
    let disabled_rule = panel.get_data(IMPORT_RULE).await;
    assert_eq!(
        (&disabled_rule["is_enabled"], &disabled_rule["enabled_since"], &disabled_rule["margin_fraction"]),
        (&json!(false), &Value::Null, &json!("0.4"))
    );
    panel.create_staff("bob", &[Permission::ViewServices]).await;
    assert_eq!(panel.send("bob", "PUT", IMPORT_RULE, &rule, None).await.status, 403);
    assert_eq!(panel.get("/api/v1/admin/external-panels/9/import-rule").await.status, 404);
    panel.execute(Sql::new("UPDATE external_panels SET is_archived = TRUE")).await;
    assert_eq!(panel.put(IMPORT_RULE, &rule).await.status, 409);
}

async fn all_invalid_fields_of_a_rule_are_named(dialect: Dialect) {
    let (panel, _fake_panel) = start_panel_with_external_panel(dialect).await;
    panel.set_setting("min_margin_fraction", r#""0.2""#).await;
    let put_and_get_invalid_fields = async |body: Value| {
        let response = panel.put(IMPORT_RULE, &body).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let body = json!({ "is_enabled": true, "margin_fraction": "0.1", "network_id": 7, "promotable_checker_group_id": 9, "types": ["Subscriptions"],
        "price_from": "2", "price_to": "1", "categories": [" "] });
    let expected_fields = [
        "categories.0",
        "margin_fraction",
        "network_id",
        "price_to",
        "promotable_checker_group_id",
        "service_type_id",
        "types.0",
    ];
    assert_eq!(put_and_get_invalid_fields(body).await, expected_fields);
    assert_eq!(
        put_and_get_invalid_fields(json!({ "service_type_id": 9, "keep_categories": true })).await,
        ["network_id", "service_type_id"]
    );
    assert_eq!(
        put_and_get_invalid_fields(json!({ "service_type_id": 1, "network_id": 2 })).await,
        ["network_id"]
    );
    let insert_group_sql = "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (4, 'Posts', 'Instagram')";
    panel.execute(Sql::new(insert_group_sql)).await;
    let body = json!({ "service_type_id": 1, "promotable_checker_group_id": 4 });
    assert_eq!(put_and_get_invalid_fields(body).await, ["promotable_checker_group_id"]);
}

async fn new_services_are_imported_by_the_rule_once(dialect: Dialect) {
    let rule = json!({ "network_id": 1, "keep_categories": true, "margin_fraction": "0.5", "name_excludes": "cheap", "price_to": "4", "sync_name": false });
    let (panel, fake_panel) = start_panel_with_rule(dialect, rule).await;
    assert_eq!(
        panel.run_sync().await["imported_count"],
        0,
        "services that the external panel listed before the rule must not be imported"
    );
    panel.set_setting("min_margin_fraction", r#""0.6""#).await;
    {
        let mut panel_state = fake_panel.state();
        panel_state.add_service(
            201,
            FakeService {
                category: "Shares".into(),
                description: "Quick".into(),
                ..FakeService::with_name("Shares")
            },
        );
        panel_state.add_service(
            202,
            FakeService { category: "Shares".into(), ..FakeService::with_name("Cheap shares") },
        );
        panel_state.add_service(
            203,
            FakeService {
                category: "Saves".into(),
                rate: "4.1".parse().unwrap(),
                ..FakeService::with_name("Saves")
            },
        );
    }
    panel.clock.advance_secs(3_600);
    let run = panel.run_sync().await;
    assert_eq!(
        (&run["new_count"], &run["imported_count"], &run["not_imported_count"]),
        (&json!(3), &json!(1), &json!(0)),
        "{run}"
    );
    let id = panel.fetch_number(Sql::new("SELECT id FROM services")).await;
    let shares = panel.fetch_service(id).await;
    assert_eq!(
        (&shares["name"], &shares["default_price"], &shares["min_price"]),
        (&json!("Shares"), &json!("1.6"), &json!("1.6"))
    );
    assert_eq!(
        (&shares["service_type"]["name"], &shares["translations"]["en"]["description"]),
        (&json!("Shares"), &json!("Quick"))
    );
    assert_eq!((&shares["sync_name"], &shares["sync_prices"]), (&json!(false), &json!(true)));
    // A service that staff archived is not imported again. A service that did not match the rule is imported as soon as it matches.
    for sql in [
        "UPDATE services SET is_archived = TRUE",
        "UPDATE providers SET is_archived = TRUE, external_panel_service_id = '0'",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    fake_panel.state().services.get_mut(&203).unwrap().rate = "4".parse().unwrap();
    panel.clock.advance_secs(3_600);
    let run = panel.run_sync().await;
    assert_eq!((&run["imported_count"], panel.count_services().await), (&json!(1), 2), "{run}");
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.run_sync().await["imported_count"], 0);
    let disable_response = panel.put(IMPORT_RULE, &json!({ "network_id": 1, "keep_categories": true })).await;
    assert_eq!(disable_response.status, 200, "{}", disable_response.text);
    fake_panel.state().add_service(204, FakeService::with_name("Later"));
    panel.clock.advance_secs(3_600);
    assert_eq!(
        (&panel.run_sync().await["imported_count"], panel.count_services().await),
        (&json!(0), 2),
        "a disabled rule must import nothing"
    );
}

async fn services_in_the_first_list_do_not_count_as_new(dialect: Dialect) {
    // `sync_services` was enabled before the external panel had a rule, and the server has never fetched the list.
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let rule = json!({ "is_enabled": true, "network_id": 1, "keep_categories": true });
    assert_eq!(panel.put(IMPORT_RULE, &rule).await.status, 200);
    assert_eq!(
        panel.run_sync().await["imported_count"],
        0,
        "services in the first list must not count as new"
    );
    fake_panel.state().add_service(201, FakeService::with_name("Shares"));
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.run_sync().await["imported_count"], 1);
    // Another endpoint can be another external panel, so the services in its first list do not count as new either.
    let mut panel_state = FakePanelState::new(EXTERNAL_PANEL_TOKEN);
    panel_state.add_service(901, FakeService::with_name("Other likes"));
    let other_panel = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
    let endpoint_body = json!({ "endpoint": other_panel.url, "api_token": EXTERNAL_PANEL_TOKEN });
    let patch_response =
        panel.send("owner", "PATCH", "/api/v1/admin/external-panels/1", &endpoint_body, None).await;
    assert_eq!(patch_response.status, 200, "{}", patch_response.text);
    panel.clock.advance_secs(3_600);
    assert_eq!((&panel.run_sync().await["imported_count"], panel.count_services().await), (&json!(0), 1));
    other_panel.state().add_service(902, FakeService::with_name("Other views"));
    panel.clock.advance_secs(3_600);
    assert_eq!((&panel.run_sync().await["imported_count"], panel.count_services().await), (&json!(1), 2));
}

/// Staff change the endpoint of the external panel while a sync waits for the list.
async fn a_list_of_the_previous_endpoint_is_ignored(dialect: Dialect) {
    let (panel, _fake_panel) = start_panel_with_external_panel(dialect).await;
    let app = panel.app.clone();
    let respond_with_list = move || {
        let app = app.clone();
        async move {
            let change_endpoint_sql = "UPDATE external_panels SET endpoint = 'https://other.example/api/v2'";
            (&mut &app.db).execute(Sql::new(change_endpoint_sql)).await.unwrap();
            axum::Json(
                json!([{ "service": 1, "name": "Likes", "type": "Default", "category": "Likes", "rate": "1", "min": "1", "max": "10" }]),
            )
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/api/v2", listener.local_addr().unwrap());
    let router = axum::Router::new().fallback(respond_with_list);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    panel.execute(Sql::new("UPDATE external_panels SET endpoint = ?").bind(endpoint)).await;
    let run = panel.run_sync().await;
    assert!(run["error"].as_str().unwrap().contains("endpoint of the external panel changed"), "{run}");
    let count_services_sql = "SELECT count(*) FROM external_panel_services";
    assert_eq!(
        (panel.fetch_number(Sql::new(count_services_sql)).await, panel.count_services().await),
        (0, 0)
    );
    let count_fetched_lists_sql = "SELECT count(*) FROM external_panels WHERE sync_services_at IS NOT NULL";
    assert_eq!(
        panel.fetch_number(Sql::new(count_fetched_lists_sql)).await,
        0,
        "the server must not record the first list of the new endpoint as fetched"
    );
}

async fn services_that_the_rule_cannot_import_are_recorded(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_rule(dialect, json!({ "service_type_id": 1 })).await;
    {
        let mut panel_state = fake_panel.state();
        panel_state.add_service(
            201,
            FakeService { service_type: "Subscriptions", ..FakeService::with_name("New posts") },
        );
        panel_state.add_service(
            202,
            FakeService { service_type: "Something New", ..FakeService::with_name("Strange") },
        );
        panel_state.add_service(203, FakeService::with_name("Shares"));
    }
    let run = panel.run_sync().await;
    assert_eq!(
        (&run["imported_count"], &run["not_imported_count"], &run["error"]),
        (&json!(1), &json!(2), &Value::Null)
    );
    let not_imported = run["not_imported"].as_array().unwrap();
    assert_eq!(
        (&not_imported[0]["name"], &not_imported[0]["external_panel_service_id"]),
        (&json!("New posts"), &json!("201"))
    );
    assert!(not_imported[0]["reason"].as_str().unwrap().contains("which this panel cannot sell"), "{run}");
    assert!(not_imported[1]["reason"].as_str().unwrap().contains("does not know"), "{run}");
    let filtered_response = panel.get("/api/v1/admin/external-panels/sync-runs?columns[0][data]=not_imported_count&columns[0][search][value]=2").await;
    assert_eq!(filtered_response.json()["recordsFiltered"], 1, "{}", filtered_response.text);
}

async fn without_a_rule_new_services_are_only_recorded(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    panel.fetch_panel_services(&[]).await;
    panel.execute(Sql::new("UPDATE external_panels SET sync_services = FALSE")).await;
    panel.clock.advance_secs(60);
    let patch_response = panel
        .send("owner", "PATCH", "/api/v1/admin/external-panels/1", &json!({ "sync_services": true }), None)
        .await;
    assert_eq!(
        (patch_response.status.as_u16(), &patch_response.json()["data"]["sync_services"]),
        (200, &json!(true)),
        "{}",
        patch_response.text
    );
    panel.clock.advance_secs(60);
    fake_panel.state().add_service(201, FakeService::with_name("Shares"));
    let run = panel.run_sync().await;
    assert_eq!((&run["imported_count"], &run["not_imported_count"]), (&json!(0), &json!(1)));
    assert!(run["not_imported"][0]["reason"].as_str().unwrap().contains("import rule"), "{run}");
    assert_eq!(panel.count_services().await, 0);
}

async fn a_sync_imports_at_most_a_thousand_services(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_rule(dialect, json!({ "service_type_id": 1 })).await;
    for id in 1_000..2_100 {
        fake_panel.state().add_service(id, FakeService::with_name(&format!("Service {id}")));
    }
    assert_eq!(panel.run_sync().await["imported_count"], 1_000);
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.run_sync().await["imported_count"], 100);
    assert_eq!(panel.count_services().await, 1_100);
}

async fn a_service_type_in_a_rule_cannot_be_deleted(dialect: Dialect) {
    let (panel, _fake_panel) =
        start_panel_with_rule(dialect, json!({ "service_type_id": 1, "network_id": 1 })).await;
    let delete_response = panel
        .request_from("127.0.0.1", Some("owner"), "DELETE", "/api/v1/admin/service-types/1", &Value::Null)
        .await;
    assert!(
        delete_response.status == 409 && delete_response.text.contains("Upstream"),
        "{}",
        delete_response.text
    );
    let delete_response = panel
        .request_from("127.0.0.1", Some("owner"), "DELETE", "/api/v1/admin/networks/1", &Value::Null)
        .await;
    assert!(
        delete_response.status == 409 && delete_response.text.contains("used by import rules"),
        "{}",
        delete_response.text
    );
}
