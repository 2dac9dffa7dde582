//! The import rule of an external panel: a sync imports each new service once by the rule, and shows staff the services that the
//! rule cannot import.

use std::sync::Arc;

use panel_contract::permission::Permission;
use panel_demo::panel::FakePanel;
use panel_demo::panel::state::{FakePanelState, FakeService};
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::imports::{KEY, panel_with_upstream};
use crate::panel::Panel;

both! {
    a_rule_is_stored_read_and_audited;
    wrong_fields_of_a_rule_are_named_at_once;
    new_services_are_imported_by_the_rule_once;
    services_of_the_first_list_are_not_new;
    a_list_of_the_former_endpoint_is_ignored;
    services_that_the_rule_cannot_import_are_recorded;
    without_a_rule_new_services_are_recorded_only;
    a_sync_imports_at_most_a_thousand_services;
    a_service_type_in_a_rule_is_in_use;
}

const RULE: &str = "/api/v1/admin/external-panels/1/import-rule";

/// A panel with an enabled import rule, which has already fetched the first list of the external panel.
async fn panel_with_rule(dialect: Dialect, rule: Value) -> (Panel, FakePanel) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    panel
        .execute(Sql::new("UPDATE external_panels SET sync_services = FALSE, resale_margin_ppm = 100000"))
        .await;
    panel.fetch_panel_services(&[]).await;
    panel.clock.advance_secs(60);
    let mut enabled_rule = json!({ "is_enabled": true });
    enabled_rule.as_object_mut().unwrap().extend(rule.as_object().unwrap().clone());
    let stored = panel.put(RULE, &enabled_rule).await;
    assert_eq!(stored.status, 200, "{}", stored.text);
    panel.clock.advance_secs(60);
    (panel, fake_panel)
}

impl Panel {
    async fn services_count(&self) -> i64 {
        self.number(Sql::new("SELECT count(*) FROM services")).await
    }
}

async fn a_rule_is_stored_read_and_audited(dialect: Dialect) {
    let (panel, _fake_panel) = panel_with_upstream(dialect).await;
    panel.execute(Sql::new("UPDATE external_panels SET sync_services = FALSE")).await;
    panel.fetch_panel_services(&[]).await;
    let without_rule = panel.get_data(RULE).await;
    assert_eq!(
        (&without_rule["is_enabled"], &without_rule["enabled_since"], &without_rule["updated_at"]),
        (&json!(false), &Value::Null, &Value::Null)
    );
    let group =
        "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (4, 'Posts', 'Youtube')";
    panel.execute(Sql::new(group)).await;
    let rule = json!({
        "is_enabled": true, "margin_fraction": "0.4", "network_id": 1, "service_type_id": 1, "keep_categories": true,
        "promotable_checker_group_id": 4, "sync_params": false, "sync_prices": true, "sync_labels": false, "sync_name": true, "sync_meta": false,
        "sync_service_details": true, "sync_description_field": false, "sync_short_description": true, "sync_reviews": false,
        "categories": ["Likes"], "types": ["Default", "Poll"], "name_contains": "a", "name_excludes": "b", "price_from": "0.1", "price_to": "9",
    });
    let dry_run = panel.put(&format!("{RULE}?dry_run=1"), &rule).await;
    assert_eq!(
        (dry_run.status.as_u16(), panel.get_data(RULE).await),
        (200, without_rule),
        "{}",
        dry_run.text
    );
    let stored = panel.put(RULE, &rule).await.json()["data"].clone();
    for (field, value) in rule.as_object().unwrap() {
        assert_eq!(&stored[field], value, "{field}");
    }
    assert!(stored["enabled_since"].is_string() && panel.get_data(RULE).await == stored, "{stored}");
    let external_panel = panel.get_data("/api/v1/admin/external-panels/1").await;
    assert_eq!(external_panel["sync_services"], true, "the rule sets the switch of the panel");
    let audits = panel.get("/api/v1/admin/audits?length=1").await.text;
    assert!(
        audits.contains("import_rule.margin_fraction") && audits.contains("external_panel.updated"),
        "{audits}"
    );
    // A save with an outdated `updated_at` is refused. The switch of the panel also switches the rule.
    let stale = json!({ "updated_at": "2020-01-01 00:00:00.000000" });
    assert!([409, 422].contains(&panel.put(RULE, &stale).await.status.as_u16()));
    let switched_off = panel
        .send("owner", "PATCH", "/api/v1/admin/external-panels/1", &json!({ "sync_services": false }), None)
        .await;
    assert_eq!(switched_off.status, 200, "{}", switched_off.text);
    let switched_off = panel.get_data(RULE).await;
    assert_eq!(
        (&switched_off["is_enabled"], &switched_off["enabled_since"], &switched_off["margin_fraction"]),
        (&json!(false), &Value::Null, &json!("0.4"))
    );
    panel.create_staff("bob", &[Permission::ViewServices]).await;
    assert_eq!(panel.send("bob", "PUT", RULE, &rule, None).await.status, 403);
    assert_eq!(panel.get("/api/v1/admin/external-panels/9/import-rule").await.status, 404);
    panel.execute(Sql::new("UPDATE external_panels SET is_archived = TRUE")).await;
    assert_eq!(panel.put(RULE, &rule).await.status, 409);
}

async fn wrong_fields_of_a_rule_are_named_at_once(dialect: Dialect) {
    let (panel, _fake_panel) = panel_with_upstream(dialect).await;
    panel.set_setting("min_margin_fraction", r#""0.2""#).await;
    let wrong_fields = async |body: Value| {
        let answer = panel.put(RULE, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let body = json!({ "is_enabled": true, "margin_fraction": "0.1", "network_id": 7, "promotable_checker_group_id": 9, "types": ["Subscriptions"],
        "price_from": "2", "price_to": "1", "categories": [" "] });
    let expected = [
        "categories.0",
        "margin_fraction",
        "network_id",
        "price_to",
        "promotable_checker_group_id",
        "service_type_id",
        "types.0",
    ];
    assert_eq!(wrong_fields(body).await, expected);
    assert_eq!(
        wrong_fields(json!({ "service_type_id": 9, "keep_categories": true })).await,
        ["network_id", "service_type_id"]
    );
    assert_eq!(wrong_fields(json!({ "service_type_id": 1, "network_id": 2 })).await, ["network_id"]);
    let group = "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (4, 'Posts', 'Instagram')";
    panel.execute(Sql::new(group)).await;
    let other_platform = json!({ "service_type_id": 1, "promotable_checker_group_id": 4 });
    assert_eq!(wrong_fields(other_platform).await, ["promotable_checker_group_id"]);
}

async fn new_services_are_imported_by_the_rule_once(dialect: Dialect) {
    let rule = json!({ "network_id": 1, "keep_categories": true, "margin_fraction": "0.5", "name_excludes": "cheap", "price_to": "4", "sync_name": false });
    let (panel, fake_panel) = panel_with_rule(dialect, rule).await;
    assert_eq!(panel.run_sync().await["imported_count"], 0, "services from before the rule are not imported");
    panel.set_setting("min_margin_fraction", r#""0.6""#).await;
    {
        let mut panel_state = fake_panel.state();
        panel_state.add_service(
            201,
            FakeService { category: "Shares".into(), desc: "Quick".into(), ..FakeService::plain("Shares") },
        );
        panel_state.add_service(
            202,
            FakeService { category: "Shares".into(), ..FakeService::plain("Cheap shares") },
        );
        panel_state.add_service(
            203,
            FakeService {
                category: "Saves".into(),
                rate: "4.1".parse().unwrap(),
                ..FakeService::plain("Saves")
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
    let id = panel.number(Sql::new("SELECT id FROM services")).await;
    let shares = panel.service(id).await;
    assert_eq!(
        (&shares["name"], &shares["default_price"], &shares["min_price"]),
        (&json!("Shares"), &json!("1.6"), &json!("1.6"))
    );
    assert_eq!(
        (&shares["service_type"]["name"], &shares["translations"]["en"]["description"]),
        (&json!("Shares"), &json!("Quick"))
    );
    assert_eq!((&shares["sync_name"], &shares["sync_prices"]), (&json!(false), &json!(true)));
    // A service that staff archived is not imported again. A service that did not match the rule is imported once it does.
    for sql in [
        "UPDATE services SET is_archived = TRUE",
        "UPDATE providers SET is_archived = TRUE, external_panel_service_id = '0'",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    fake_panel.state().services.get_mut(&203).unwrap().rate = "4".parse().unwrap();
    panel.clock.advance_secs(3_600);
    let run = panel.run_sync().await;
    assert_eq!((&run["imported_count"], panel.services_count().await), (&json!(1), 2), "{run}");
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.run_sync().await["imported_count"], 0);
    let disabled = panel.put(RULE, &json!({ "network_id": 1, "keep_categories": true })).await;
    assert_eq!(disabled.status, 200, "{}", disabled.text);
    fake_panel.state().add_service(204, FakeService::plain("Later"));
    panel.clock.advance_secs(3_600);
    assert_eq!(
        (&panel.run_sync().await["imported_count"], panel.services_count().await),
        (&json!(0), 2),
        "a disabled rule imports nothing"
    );
}

async fn services_of_the_first_list_are_not_new(dialect: Dialect) {
    // The switch of the panel was on before it had a rule, and its list was never fetched.
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    let rule = json!({ "is_enabled": true, "network_id": 1, "keep_categories": true });
    assert_eq!(panel.put(RULE, &rule).await.status, 200);
    assert_eq!(panel.run_sync().await["imported_count"], 0, "services of the first list are not new");
    fake_panel.state().add_service(201, FakeService::plain("Shares"));
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.run_sync().await["imported_count"], 1);
    // Another endpoint may be another panel, so its first list is not new either.
    let mut panel_state = FakePanelState::new(KEY);
    panel_state.add_service(901, FakeService::plain("Other likes"));
    let other = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
    let new_endpoint = json!({ "endpoint": other.url, "api_token": KEY });
    let moved = panel.send("owner", "PATCH", "/api/v1/admin/external-panels/1", &new_endpoint, None).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    panel.clock.advance_secs(3_600);
    assert_eq!((&panel.run_sync().await["imported_count"], panel.services_count().await), (&json!(0), 1));
    other.state().add_service(902, FakeService::plain("Other views"));
    panel.clock.advance_secs(3_600);
    assert_eq!((&panel.run_sync().await["imported_count"], panel.services_count().await), (&json!(1), 2));
}

/// Staff change the endpoint of the panel while a sync waits for its list.
async fn a_list_of_the_former_endpoint_is_ignored(dialect: Dialect) {
    let (panel, _fake_panel) = panel_with_upstream(dialect).await;
    let app = panel.app.clone();
    let change_endpoint_and_list = move || {
        let app = app.clone();
        async move {
            let change_endpoint = "UPDATE external_panels SET endpoint = 'https://other.example/api/v2'";
            (&mut &app.db).execute(Sql::new(change_endpoint)).await.unwrap();
            axum::Json(
                json!([{ "service": 1, "name": "Likes", "type": "Default", "category": "Likes", "rate": "1", "min": "1", "max": "10" }]),
            )
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/api/v2", listener.local_addr().unwrap());
    let router = axum::Router::new().fallback(change_endpoint_and_list);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    panel.execute(Sql::new("UPDATE external_panels SET endpoint = ?").bind(endpoint)).await;
    let run = panel.run_sync().await;
    assert!(run["error"].as_str().unwrap().contains("endpoint changed"), "{run}");
    let services = "SELECT count(*) FROM external_panel_services";
    assert_eq!((panel.number(Sql::new(services)).await, panel.services_count().await), (0, 0));
    let first_lists = "SELECT count(*) FROM external_panels WHERE sync_services_at IS NOT NULL";
    assert_eq!(
        panel.number(Sql::new(first_lists)).await,
        0,
        "the first list of the new endpoint was not fetched yet"
    );
}

async fn services_that_the_rule_cannot_import_are_recorded(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_rule(dialect, json!({ "service_type_id": 1 })).await;
    {
        let mut panel_state = fake_panel.state();
        panel_state
            .add_service(201, FakeService { kind: "Subscriptions", ..FakeService::plain("New posts") });
        panel_state.add_service(202, FakeService { kind: "Something New", ..FakeService::plain("Strange") });
        panel_state.add_service(203, FakeService::plain("Shares"));
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
    assert!(not_imported[0]["reason"].as_str().unwrap().contains("cannot be sold here"), "{run}");
    assert!(not_imported[1]["reason"].as_str().unwrap().contains("does not know"), "{run}");
    let filtered = panel.get("/api/v1/admin/external-panels/sync-runs?columns[0][data]=not_imported_count&columns[0][search][value]=2").await;
    assert_eq!(filtered.json()["recordsFiltered"], 1, "{}", filtered.text);
}

async fn without_a_rule_new_services_are_recorded_only(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    panel.fetch_panel_services(&[]).await;
    panel.execute(Sql::new("UPDATE external_panels SET sync_services = FALSE")).await;
    panel.clock.advance_secs(60);
    let switched_on = panel
        .send("owner", "PATCH", "/api/v1/admin/external-panels/1", &json!({ "sync_services": true }), None)
        .await;
    assert_eq!(
        (switched_on.status.as_u16(), &switched_on.json()["data"]["sync_services"]),
        (200, &json!(true)),
        "{}",
        switched_on.text
    );
    panel.clock.advance_secs(60);
    fake_panel.state().add_service(201, FakeService::plain("Shares"));
    let run = panel.run_sync().await;
    assert_eq!((&run["imported_count"], &run["not_imported_count"]), (&json!(0), &json!(1)));
    assert!(run["not_imported"][0]["reason"].as_str().unwrap().contains("import rule"), "{run}");
    assert_eq!(panel.services_count().await, 0);
}

async fn a_sync_imports_at_most_a_thousand_services(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_rule(dialect, json!({ "service_type_id": 1 })).await;
    for id in 1_000..2_100 {
        fake_panel.state().add_service(id, FakeService::plain(&format!("Service {id}")));
    }
    assert_eq!(panel.run_sync().await["imported_count"], 1_000);
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.run_sync().await["imported_count"], 100);
    assert_eq!(panel.services_count().await, 1_100);
}

async fn a_service_type_in_a_rule_is_in_use(dialect: Dialect) {
    let (panel, _fake_panel) =
        panel_with_rule(dialect, json!({ "service_type_id": 1, "network_id": 1 })).await;
    let refused =
        panel.call("127.0.0.1", Some("owner"), "DELETE", "/api/v1/admin/service-types/1", &Value::Null).await;
    assert!(refused.status == 409 && refused.text.contains("Upstream"), "{}", refused.text);
    let refused =
        panel.call("127.0.0.1", Some("owner"), "DELETE", "/api/v1/admin/networks/1", &Value::Null).await;
    assert!(refused.status == 409 && refused.text.contains("rules by which"), "{}", refused.text);
}
