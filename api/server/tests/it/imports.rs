//! Tests imports of the services of an external panel, and their syncs: prices are exact, no service is imported twice or sold at a
//! loss, and staff decide about changes that look like a mistake of the external panel.

use std::sync::Arc;

use panel_contract::amount::Money;
use panel_contract::ids::ExternalPanelId;
use panel_demo::panel::state::{FakePanelState, FakeService};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::background::worker;
use panel_server::supply::imports::sync;
use panel_server::supply::panels::seal_token;
use serde_json::{Value, json};

use crate::panel::{NOW, Panel};

test_both_databases! {
    services_are_imported_at_exact_prices;
    a_dry_run_returns_the_same_result_and_writes_nothing;
    invalid_fields_are_named_by_position_and_id;
    providers_and_packages_are_imported_without_services;
    the_list_of_a_panel_is_fetched_and_its_errors_are_shown;
    a_response_without_a_list_changes_nothing;
    prices_names_and_limits_are_synced_once;
    a_price_jump_waits_for_a_decision_of_staff;
    a_vanished_service_is_off_sale_until_it_returns;
    many_vanished_services_wait_for_a_decision_of_staff;
    no_service_is_sold_at_a_loss;
    a_sync_considers_all_providers_of_a_service;
    the_price_of_a_service_that_becomes_a_package_is_per_unit;
    agreed_prices_rise_with_the_cost_at_the_external_panel;
    descriptions_and_service_features_are_synced;
    external_panels_are_synced_every_hour;
    twenty_thousand_services_are_imported_and_synced;
}

pub(crate) const EXTERNAL_PANEL_TOKEN: &str = "token-of-ours";
/// External ids of the services of [`start_panel_with_external_panel`].
pub(crate) const LIKES_ID: i64 = 101;
pub(crate) const VIEWS_ID: i64 = 102;
pub(crate) const FOLLOWERS_ID: i64 = 103;
pub(crate) const PACKAGE_ID: i64 = 104;
const IMPORT_SERVICES: &str = "/api/v1/admin/external-panels/import-services";
const PANELS: &str = "/api/v1/admin/external-panels";
const SYNC_CHANGES: &str = "/api/v1/admin/external-panels/sync-changes";

fn money(text: &str) -> Money {
    text.parse().unwrap()
}

/// Starts a panel with the external panel 1, which sells three services and a package.
pub(crate) async fn start_panel_with_external_panel(dialect: Dialect) -> (Panel, FakePanel) {
    let panel = Panel::with_config(dialect, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.timeout_seconds = 5;
    })
    .await;
    let mut panel_state = FakePanelState::new(EXTERNAL_PANEL_TOKEN);
    panel_state.add_service(
        LIKES_ID,
        FakeService { rate: money("0.9"), ..FakeService::with_name("Likes  fast\u{7}") },
    );
    panel_state
        .add_service(VIEWS_ID, FakeService { rate: money("0.000001"), ..FakeService::with_name("Views") });
    panel_state
        .add_service(FOLLOWERS_ID, FakeService { rate: money("2"), ..FakeService::with_name("Followers") });
    panel_state.add_service(
        PACKAGE_ID,
        FakeService {
            rate: money("5"),
            service_type: "Package",
            min_quantity: 1,
            max_quantity: 1,
            ..FakeService::with_name("Starter pack")
        },
    );
    let fake_panel = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
    for sql in [
        "INSERT INTO networks (id, name, created_at, updated_at) VALUES (1, 'Instagram', 1, 1), (2, 'TikTok', 1, 1)",
        "INSERT INTO service_types (network_id, name, created_at, updated_at) VALUES (1, 'Likes', 1, 1), (2, 'Views', 1, 1)",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    let sealed_token = seal_token(&panel.app, ExternalPanelId::new(1), EXTERNAL_PANEL_TOKEN).unwrap();
    let insert_panel_sql = Sql::new(
        "INSERT INTO external_panels (id, name, endpoint, api_token_sealed, sync_services, sync_prices, sync_name, sync_params, created_at, updated_at)
         VALUES (1, 'Upstream', ?, ?, TRUE, TRUE, TRUE, TRUE, 1, 1)",
    );
    panel.execute(insert_panel_sql.bind(fake_panel.url.clone()).bind(sealed_token)).await;
    (panel, fake_panel)
}

impl Panel {
    /// Fetches the list of the external panel and returns our ids of the services with these external ids.
    pub(crate) async fn fetch_panel_services(&self, external_ids: &[&str]) -> Vec<i64> {
        self.post_data(&format!("{PANELS}/1/available-services"), json!({})).await;
        self.load_panel_service_ids(external_ids).await
    }

    pub(crate) async fn load_panel_service_ids(&self, external_ids: &[&str]) -> Vec<i64> {
        let mut ids = Vec::new();
        for id in external_ids {
            let sql = Sql::new("SELECT id FROM external_panel_services WHERE external_panel_service_id = ?");
            ids.push(self.fetch_number(sql.bind(*id)).await);
        }
        ids
    }

    pub(crate) async fn set_setting(&self, key: &str, value: &str) {
        let sql = Sql::new(
            "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, 1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        );
        self.execute(sql.bind(key).bind(value)).await;
    }

    /// Imports the three services with a margin of 30 %. Returns the ids of the imported services.
    async fn import_three_services(&self) -> Vec<i64> {
        let ids = self.fetch_panel_services(&["101", "102", "103"]).await;
        let services: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
        let body = json!({ "external_panel_id": 1, "services": services, "margin_fraction": "0.3", "service_type_id": 1 });
        self.post_data(IMPORT_SERVICES, body).await;
        let sql = Sql::new(
            "SELECT s.id FROM services s JOIN providers p ON p.id = s.imported_provider_id ORDER BY p.external_panel_service_id",
        );
        (&mut &self.app.db).fetch_all::<(i64,)>(sql).await.unwrap().into_iter().map(|(id,)| id).collect()
    }

    pub(crate) async fn fetch_service(&self, id: i64) -> Value {
        self.get_data(&format!("/api/v1/admin/services/{id}")).await
    }

    /// Runs a sync of the external panel and returns the sync run.
    pub(crate) async fn run_sync(&self) -> Value {
        sync::run(&self.app, ExternalPanelId::new(1)).await.unwrap();
        self.get(&format!("{PANELS}/sync-runs")).await.json()["data"][0].clone()
    }

    /// The sync changes in this state, oldest first, as "field old_value new_value".
    async fn fetch_changes_in_state(&self, state: &str) -> Vec<String> {
        let query = format!("{SYNC_CHANGES}?columns[0][data]=state&columns[0][search][value]={state}");
        let mut rows = self.get(&query).await.json()["data"].as_array().unwrap().clone();
        rows.reverse();
        let text_of = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
        rows.iter()
            .map(|row| {
                format!(
                    "{} {} {}",
                    text_of(row, "field"),
                    text_of(row, "old_value"),
                    text_of(row, "new_value")
                )
            })
            .collect()
    }

    async fn load_latest_held_change_id(&self) -> i64 {
        self.fetch_number(Sql::new("SELECT max(id) FROM sync_changes WHERE state = 'held'")).await
    }

    /// Row counts and last update times of all tables that an import or a sync changes.
    async fn load_table_state(&self) -> Vec<i64> {
        let mut values = Vec::new();
        for sql in [
            "SELECT count(*) FROM services",
            "SELECT count(*) FROM providers",
            "SELECT count(*) FROM service_providers",
            "SELECT count(*) FROM translations",
            "SELECT count(*) FROM audits",
            "SELECT count(*) FROM change_logs",
            "SELECT count(*) FROM sync_changes",
            "SELECT COALESCE(max(updated_at), 0) FROM services",
            "SELECT COALESCE(max(updated_at), 0) FROM providers",
            "SELECT COALESCE(max(updated_at), 0) FROM external_panel_services",
        ] {
            values.push(self.fetch_number(Sql::new(sql)).await);
        }
        values
    }
}

async fn services_are_imported_at_exact_prices(dialect: Dialect) {
    let (panel, _fake_panel) = start_panel_with_external_panel(dialect).await;
    panel.set_setting("currencies.exchange_rates", r#"{"EUR":"0.5"}"#).await;
    panel.execute(Sql::new("UPDATE external_panels SET currency = 'EUR'")).await;
    let ids = panel.fetch_panel_services(&["101", "102", "103"]).await;
    let services = json!([
        { "id": ids[0], "network_id": 1, "sync_prices": false },
        { "id": ids[1], "name": "Reel views" },
        { "id": ids[2], "price": "7", "service_type_id": 2, "network_id": 2 },
    ]);
    let body = json!({ "external_panel_id": 1, "services": services, "margin_fraction": "0.3", "service_type_id": 1 });
    let import_result = panel.post_data(IMPORT_SERVICES, body).await;
    assert_eq!(
        (import_result["created"].as_i64(), import_result["dry_run"].as_bool()),
        (Some(3), Some(false))
    );
    // 0.9 EUR are 1.8 USD, and 2.34 with a margin of 30 %.
    let prices_of = |item: &Value| {
        [&item["external_panel_price"], &item["provider_price"], &item["price"]].map(Clone::clone)
    };
    assert_eq!(prices_of(&import_result["items"][0]), ["0.9", "1.8", "2.34"]);
    assert_eq!(prices_of(&import_result["items"][1]), ["0.000001", "0.000002", "0.000003"]);
    assert_eq!(prices_of(&import_result["items"][2]), ["2", "4", "7"]);
    let sql = Sql::new("SELECT id FROM services ORDER BY id");
    let service_ids: Vec<(i64,)> = (&mut &panel.app.db).fetch_all(sql).await.unwrap();
    assert_eq!(service_ids.len(), 3);
    let first_service = panel.fetch_service(service_ids[0].0).await;
    assert_eq!(
        (&first_service["name"], &first_service["default_price"], &first_service["min_price"]),
        (&json!("Likes fast"), &json!("2.34"), &json!("1.8"))
    );
    assert_eq!(
        (&first_service["min_quantity"], &first_service["max_quantity"]),
        (&json!(10), &json!(10_000))
    );
    assert_eq!(
        (&first_service["sync_prices"], &first_service["sync_name"], &first_service["has_refill"]),
        (&json!(false), &json!(true), &json!(true))
    );
    assert_eq!(
        (&first_service["has_no_active_providers"], &first_service["providers"][0]["name"]),
        (&json!(false), &json!("Likes fast"))
    );
    assert_eq!(first_service["resale_margin_fraction"], "0.3");
    let second_service = panel.fetch_service(service_ids[1].0).await;
    assert_eq!(
        (&second_service["name"], &second_service["translations"]["en"]["name"]),
        (&json!("Reel views"), &json!("Reel views"))
    );
    let third_service = panel.fetch_service(service_ids[2].0).await;
    assert_eq!(
        (&third_service["service_type"]["id"], &third_service["resale_margin_fraction"]),
        (&json!(2), &json!("0.75")),
        "the margin must follow from the price in the request"
    );
    let provider: (i64, String, i64, String) = (&mut &panel.app.db)
        .fetch_one(Sql::new("SELECT source_price, source_currency, source_pricing_per, external_panel_service_id FROM providers WHERE name = 'Likes fast'"))
        .await
        .unwrap();
    assert_eq!(provider, (900_000, "EUR".into(), 1_000, "101".into()));
    let page = panel
        .get(&format!("{PANELS}/1/services?columns[0][data]=is_imported&columns[0][search][value]=1"))
        .await
        .json();
    assert_eq!(page["recordsFiltered"], 3, "{page}");
    let log_page = panel.get("/api/v1/admin/services/logs?length=10").await.json();
    assert_eq!(
        (&log_page["recordsTotal"], &log_page["data"][0]["action_type"]),
        (&json!(6), &json!("imported"))
    );
    let preview_lines = panel
        .post_data(&format!("{PANELS}/1/services"), json!({ "ids": [ids[0]], "margin_fraction": "1" }))
        .await;
    assert_eq!(
        (&preview_lines[0]["provider_price"], &preview_lines[0]["price"]),
        (&json!("1.8"), &json!("3.6"))
    );
}

async fn a_dry_run_returns_the_same_result_and_writes_nothing(dialect: Dialect) {
    let (panel, _fake_panel) = start_panel_with_external_panel(dialect).await;
    let ids = panel.fetch_panel_services(&["101", "103"]).await;
    let state_before = panel.load_table_state().await;
    let services: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    let body = json!({ "external_panel_id": 1, "services": services, "margin_fraction": "0.5", "service_type_id": 1 });
    let dry_run = panel.post_data(&format!("{IMPORT_SERVICES}?dry_run=1"), body.clone()).await;
    assert_eq!((panel.load_table_state().await, dry_run["dry_run"].as_bool()), (state_before, Some(true)));
    let import_result = panel.post_data(IMPORT_SERVICES, body.clone()).await;
    assert_eq!(
        (&dry_run["items"], &dry_run["created"]),
        (&import_result["items"], &import_result["created"])
    );
    let repeated_response = panel.post(IMPORT_SERVICES, &body).await;
    assert_eq!(
        repeated_response.status, 422,
        "a service must not be imported twice: {}",
        repeated_response.text
    );
    assert!(repeated_response.text.contains("is already imported as provider"), "{}", repeated_response.text);
}

async fn invalid_fields_are_named_by_position_and_id(dialect: Dialect) {
    let (panel, _fake_panel) = start_panel_with_external_panel(dialect).await;
    panel.set_setting("min_margin_fraction", r#""0.2""#).await;
    let ids = panel.fetch_panel_services(&["101", "102", "103"]).await;
    let post_and_get_errors = async |body: Value| {
        let response = panel.post(IMPORT_SERVICES, &body).await;
        assert_eq!(response.status, 422, "{}", response.text);
        let errors = response.json()["errors"].as_object().unwrap().clone();
        errors
            .into_iter()
            .map(|(field, messages)| (field, messages[0].as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    let services = json!([
        { "id": ids[0] },
        { "id": 99, "service_type_id": 1 },
        { "id": ids[1], "service_type_id": 1, "network_id": 2, "name": " " },
        { "id": ids[2], "service_type_id": 9, "price": "2.39", "promotable_checker_group_id": 4 },
    ]);
    let errors =
        post_and_get_errors(json!({ "external_panel_id": 1, "services": services, "margin_fraction": "11" }))
            .await;
    let field_names: Vec<&str> = errors.iter().map(|(field, _)| field.as_str()).collect();
    let expected_fields = [
        "margin_fraction",
        "services.0.service_type_id",
        "services.1.id",
        "services.2.name",
        "services.2.network_id",
        "services.3.promotable_checker_group_id",
        "services.3.service_type_id",
    ];
    assert_eq!(field_names, expected_fields);
    assert!(errors[2].1.contains("Service 99"), "{errors:?}");
    // The server checks the minimum margin only if all other fields are valid.
    let services = json!([{ "id": ids[0], "price": "0.1" }, { "id": ids[2], "price": "2.39" }]);
    let body = json!({ "external_panel_id": 1, "services": services, "margin_fraction": "0.1", "service_type_id": 1 });
    let errors = post_and_get_errors(body.clone()).await;
    let field_names: Vec<&str> = errors.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(field_names, ["margin_fraction", "services.0.price", "services.1.price"]);
    assert!(errors[2].1.contains("2.4 is the lowest possible price"), "{errors:?}");
    assert_eq!(panel.post(IMPORT_SERVICES, &body).await.status_and_code().1, "below_minimum_margin");
    let preview_body = json!({ "ids": [ids[0]], "margin_fraction": "0.1" });
    assert_eq!(
        panel.post(&format!("{PANELS}/1/services"), &preview_body).await.status_and_code().1,
        "below_minimum_margin"
    );
    assert_eq!(post_and_get_errors(json!({ "external_panel_id": 1, "services": [] })).await[0].0, "services");
    let same_id_twice = json!([{ "id": ids[0] }, { "id": ids[0] }]);
    assert_eq!(
        post_and_get_errors(json!({ "external_panel_id": 1, "services": same_id_twice })).await[0].0,
        "services.1.id"
    );
    assert_eq!(
        post_and_get_errors(json!({ "external_panel_id": 7, "services": [{ "id": 1 }] })).await[0].0,
        "external_panel_id"
    );
    // Services of another panel cannot be imported from this one.
    for sql in [
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (2, 'Other', 'https://other.example', 1, 1)",
        "INSERT INTO external_panel_services (id, external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity, created_at, updated_at)
         VALUES (900, 2, '101', 'Likes', 'Default', '', 1, 1000, 1, 10, 1, 1)",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    let errors = post_and_get_errors(
        json!({ "external_panel_id": 1, "services": [{ "id": 900, "service_type_id": 1 }] }),
    )
    .await;
    assert!(errors[0].0 == "services.0.id" && errors[0].1.contains("Service 900"), "{errors:?}");
    panel.execute(Sql::new("UPDATE external_panels SET currency = 'RUB'")).await;
    let errors = post_and_get_errors(
        json!({ "external_panel_id": 1, "services": [{ "id": ids[0], "service_type_id": 1 }] }),
    )
    .await;
    assert!(errors[0].0 == "services.0.price" && errors[0].1.contains("RUB"), "{errors:?}");
}

async fn providers_and_packages_are_imported_without_services(dialect: Dialect) {
    let (panel, _fake_panel) = start_panel_with_external_panel(dialect).await;
    let ids = panel.fetch_panel_services(&["101", "104"]).await;
    let body = json!({ "externalPanelId": 1, "importableServicesIds": [ids[0]] });
    let import_result = panel.post_data(&format!("{PANELS}/import-providers"), body.clone()).await;
    assert_eq!((&import_result["created"], &import_result["items"][0]["price"]), (&json!(1), &Value::Null));
    let repeated_response = panel.post(&format!("{PANELS}/import-providers"), &body).await;
    assert_eq!(
        repeated_response.json()["errors"].as_object().unwrap().keys().next().unwrap(),
        "importable_services_ids.0"
    );
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM services")).await, 0);
    let package_body = |id: i64| json!({ "external_panel_id": 1, "packages": [{ "id": id, "network_id": 1, "type": "manual" }] });
    let path = format!("{PANELS}/import-packages");
    let rejected_response = panel.post(&path, &package_body(ids[0])).await;
    assert!(
        rejected_response.status == 422 && rejected_response.text.contains("not a package"),
        "{}",
        rejected_response.text
    );
    let import_result = panel.post_data(&path, package_body(ids[1])).await;
    assert_eq!(
        (&import_result["items"][0]["name"], &import_result["items"][0]["pricing_per"]),
        (&json!("Starter pack"), &json!(1))
    );
    let id = panel.fetch_number(Sql::new("SELECT id FROM provider_packages")).await;
    let package = panel.get_data(&format!("/api/v1/admin/providers-packages/{id}")).await;
    assert_eq!((&package["type"], &package["network"]["id"]), (&json!("manual"), &json!(1)));
    assert_eq!(
        (&package["contents"][0]["price"], &package["contents"][0]["pricing_per"]),
        (&json!("5"), &json!(1))
    );
    assert_eq!(
        panel.post(&path, &package_body(ids[1])).await.status,
        422,
        "a package must not be imported twice"
    );
}

async fn the_list_of_a_panel_is_fetched_and_its_errors_are_shown(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let path = format!("{PANELS}/1/available-services");
    let services = panel.get_data(&path).await;
    assert_eq!((services.as_array().unwrap().len(), &services[0]["name"]), (4, &json!("Likes fast")));
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM external_panel_services")).await,
        0,
        "a GET request must not store services"
    );
    let fetch_result = panel.post_data(&path, json!({})).await;
    assert_eq!((&fetch_result["services_count"], &fetch_result["new_count"]), (&json!(4), &json!(4)));
    let state_before = panel.load_table_state().await;
    panel.clock.advance_secs(60);
    let fetch_result = panel.post_data(&path, json!({})).await;
    assert_eq!(
        (&fetch_result["new_count"], &fetch_result["changed_count"], &fetch_result["vanished_count"]),
        (&json!(0), &json!(0), &json!(0))
    );
    assert_eq!(panel.load_table_state().await, state_before, "unchanged services must not be written");
    fake_panel.state().api_key = "another".into();
    let rejected_response = panel.get(&path).await;
    assert!(
        rejected_response.status == 422 && rejected_response.text.contains("Invalid API key"),
        "{}",
        rejected_response.text
    );
    assert!(!rejected_response.text.contains(EXTERNAL_PANEL_TOKEN));
    fake_panel.set_behavior(FakeBehavior::EmptyData);
    let rejected_response = panel.post(&path, &json!({})).await;
    assert!(
        rejected_response.status == 422 && rejected_response.text.contains("no list of services"),
        "{}",
        rejected_response.text
    );
    assert_eq!(panel.get(&format!("{PANELS}/9/available-services")).await.status, 404);
    assert_eq!(panel.get(&format!("{PANELS}/9/services")).await.status, 404);
}

async fn a_response_without_a_list_changes_nothing(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    panel.import_three_services().await;
    let state_before = panel.load_table_state().await;
    for behavior in
        [FakeBehavior::EmptyData, FakeBehavior::HtmlPage, FakeBehavior::BadGateway, FakeBehavior::Truncated]
    {
        fake_panel.set_behavior(behavior);
        let run = panel.run_sync().await;
        assert!(!run["error"].is_null() && !run["ended_at"].is_null(), "{run}");
        panel.clock.advance_secs(3_600);
    }
    fake_panel.set_behavior(FakeBehavior::Correct);
    fake_panel.state().services.clear();
    let run = panel.run_sync().await;
    assert!(run["error"].as_str().unwrap().contains("without services"), "{run}");
    assert_eq!(panel.load_table_state().await, state_before);
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM external_panels WHERE sync_failed")).await,
        1
    );
}

async fn prices_names_and_limits_are_synced_once(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let ids = panel.import_three_services().await;
    {
        let mut panel_state = fake_panel.state();
        let likes = panel_state.services.get_mut(&LIKES_ID).unwrap();
        (likes.rate, likes.name, likes.min_quantity, likes.max_quantity) =
            (money("1"), "Likes new".into(), 20, 5_000);
    }
    let run = panel.run_sync().await;
    assert_eq!(
        (&run["applied_count"], &run["held_count"], &run["error"]),
        (&json!(6), &json!(0), &Value::Null)
    );
    let likes = panel.fetch_service(ids[0]).await;
    assert_eq!(
        (&likes["default_price"], &likes["min_price"], &likes["name"]),
        (&json!("1.3"), &json!("1"), &json!("Likes new"))
    );
    assert_eq!((&likes["min_quantity"], &likes["max_quantity"]), (&json!(20), &json!(5_000)));
    assert_eq!(likes["translations"]["en"]["name"], "Likes new");
    let log_page = panel
        .get("/api/v1/admin/services/logs?columns[0][data]=action_type&columns[0][search][value]=updated")
        .await
        .json();
    assert_eq!(log_page["recordsFiltered"], 6, "the change log must contain each change: {log_page}");
    assert_eq!(panel.fetch_changes_in_state("applied").await.len(), 6);
    panel.clock.advance_secs(3_600);
    let state_before = panel.load_table_state().await;
    let run = panel.run_sync().await;
    assert_eq!(
        (panel.load_table_state().await, &run["applied_count"]),
        (state_before, &json!(0)),
        "a second sync must change nothing"
    );
}

async fn a_price_jump_waits_for_a_decision_of_staff(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let ids = panel.import_three_services().await;
    fake_panel.state().services.get_mut(&LIKES_ID).unwrap().rate = money("9");
    fake_panel.state().services.get_mut(&FOLLOWERS_ID).unwrap().rate = money("1");
    let run = panel.run_sync().await;
    assert_eq!((&run["applied_count"], &run["held_count"]), (&json!(1), &json!(2)));
    assert_eq!(panel.fetch_changes_in_state("held").await, ["source_price 0.9 9", "source_price 2 1"]);
    assert_eq!(
        panel.fetch_changes_in_state("applied").await,
        ["is_deactivated false true"],
        "the service must be off sale while the change waits for staff, because it would be sold at a loss"
    );
    let likes = panel.fetch_service(ids[0]).await;
    assert_eq!((&likes["default_price"], &likes["is_deactivated"]), (&json!("1.17"), &json!(true)));
    assert_eq!(panel.run_sync().await["held_count"], 0, "the same change must wait only once");
    // Staff reject the lower price, so later syncs do not ask again. They accept the higher price.
    let rejected_id = panel.load_latest_held_change_id().await;
    let rejected_change = panel.post_data(&format!("{SYNC_CHANGES}/{rejected_id}/reject"), json!({})).await;
    assert_eq!(
        (&rejected_change["state"], &rejected_change["decided_by"]["name"]),
        (&json!("rejected"), &json!("owner"))
    );
    assert_eq!(panel.run_sync().await["held_count"], 0);
    assert_eq!(panel.fetch_service(ids[2]).await["default_price"], "2.6");
    let accepted_id = panel.load_latest_held_change_id().await;
    let state_before = panel.load_table_state().await;
    assert_eq!(
        panel.post(&format!("{SYNC_CHANGES}/{accepted_id}/accept?dry_run=1"), &json!({})).await.status,
        200
    );
    assert_eq!(panel.load_table_state().await, state_before);
    panel.post_data(&format!("{SYNC_CHANGES}/{accepted_id}/accept"), json!({})).await;
    let likes = panel.fetch_service(ids[0]).await;
    assert_eq!(
        (&likes["default_price"], &likes["min_price"], &likes["is_deactivated"]),
        (&json!("11.7"), &json!("9"), &json!(false))
    );
    for decision in ["accept", "reject"] {
        assert_eq!(
            panel.post(&format!("{SYNC_CHANGES}/{accepted_id}/{decision}"), &json!({})).await.status,
            409
        );
    }
    assert_eq!(panel.post(&format!("{SYNC_CHANGES}/999/accept"), &json!({})).await.status, 404);
    let run = panel.run_sync().await;
    assert_eq!((&run["applied_count"], &run["held_count"]), (&json!(0), &json!(0)));
    // A different price waits for staff again.
    fake_panel.state().services.get_mut(&FOLLOWERS_ID).unwrap().rate = money("0.5");
    assert_eq!(panel.run_sync().await["held_count"], 1);
    fake_panel.state().services.get_mut(&FOLLOWERS_ID).unwrap().rate = money("2");
    panel.run_sync().await;
    assert_eq!(panel.fetch_changes_in_state("outdated").await, ["source_price 2 0.5"]);
}

/// The next sync takes a service off sale if the external panel no longer lists it.
async fn a_vanished_service_is_off_sale_until_it_returns(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    // With the default settings of an external panel, syncs import no new services, but check existing ones.
    let default_settings_sql =
        "UPDATE external_panels SET sync_services = FALSE, sync_name = FALSE, sync_params = FALSE";
    panel.execute(Sql::new(default_settings_sql)).await;
    let ids = panel.import_three_services().await;
    let vanished_service = fake_panel.state().services.remove(&FOLLOWERS_ID).unwrap();
    let fetch_provider_and_sale_flags = async || {
        let service = panel.fetch_service(ids[2]).await;
        (service["has_no_active_providers"] == true, service["is_deactivated"] == true)
    };
    let run = panel.run_sync().await;
    assert_eq!(
        (&run["vanished_count"], &run["held_count"], &run["applied_count"]),
        (&json!(1), &json!(0), &json!(2))
    );
    assert_eq!(
        panel.fetch_changes_in_state("applied").await,
        ["availability true false", "is_deactivated false true"]
    );
    assert_eq!(fetch_provider_and_sale_flags().await, (true, true));
    assert_eq!(panel.run_sync().await["applied_count"], 0, "a second sync must change nothing");
    fake_panel.state().add_service(FOLLOWERS_ID, vanished_service.clone());
    assert_eq!(panel.run_sync().await["applied_count"], 2);
    assert_eq!(fetch_provider_and_sale_flags().await, (false, false));
    // The same happens if prices are not synced.
    panel.execute(Sql::new("UPDATE external_panels SET sync_prices = FALSE, sync_params = TRUE")).await;
    fake_panel.state().services.remove(&FOLLOWERS_ID);
    panel.run_sync().await;
    assert_eq!(fetch_provider_and_sale_flags().await, (true, true));
    fake_panel.state().add_service(FOLLOWERS_ID, vanished_service.clone());
    panel.run_sync().await;
    assert_eq!(fetch_provider_and_sale_flags().await, (false, false));
    // A service with another provider stays on sale. A service that staff deactivated stays off sale.
    let insert_second_provider_sql = Sql::new(
        "INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, (SELECT imported_provider_id FROM services WHERE id = ?), 1)",
    );
    panel.execute(insert_second_provider_sql.bind(ids[2]).bind(ids[0])).await;
    fake_panel.state().services.remove(&FOLLOWERS_ID);
    panel.run_sync().await;
    assert_eq!(fetch_provider_and_sale_flags().await, (false, false));
    panel
        .execute(
            Sql::new("UPDATE services SET is_deactivated = TRUE, deactivated_by_sync_at = NULL WHERE id = ?")
                .bind(ids[2]),
        )
        .await;
    fake_panel.state().add_service(FOLLOWERS_ID, vanished_service);
    panel.run_sync().await;
    assert_eq!(fetch_provider_and_sale_flags().await, (false, true));
}

/// If an external panel suddenly lists only half of its services, the list is probably wrong, so staff must decide.
async fn many_vanished_services_wait_for_a_decision_of_staff(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let external_ids: Vec<i64> = (201..=208).collect();
    for id in &external_ids {
        fake_panel
            .state()
            .add_service(*id, FakeService { rate: money("2"), ..FakeService::with_name("Shares") });
    }
    let external_id_texts: Vec<String> = external_ids.iter().map(i64::to_string).collect();
    let ids =
        panel.fetch_panel_services(&external_id_texts.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let services: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    panel
        .post_data(
            IMPORT_SERVICES,
            json!({ "external_panel_id": 1, "services": services, "service_type_id": 1 }),
        )
        .await;
    let vanished_services: Vec<FakeService> =
        external_ids[..4].iter().map(|id| fake_panel.state().services.remove(id).unwrap()).collect();
    let run = panel.run_sync().await;
    assert_eq!(
        (&run["vanished_count"], &run["held_count"], &run["applied_count"]),
        (&json!(4), &json!(4), &json!(0))
    );
    assert_eq!(panel.fetch_changes_in_state("held").await, vec!["availability true false"; 4]);
    let count_services_off_sale = async || {
        panel
            .fetch_number(Sql::new(
                "SELECT count(*) FROM services WHERE is_deactivated AND NOT has_active_providers",
            ))
            .await
    };
    assert_eq!(count_services_off_sale().await, 0, "no service may change before staff accept");
    panel
        .post_data(&format!("{SYNC_CHANGES}/{}/accept", panel.load_latest_held_change_id().await), json!({}))
        .await;
    assert_eq!(count_services_off_sale().await, 1);
    assert_eq!(panel.run_sync().await["held_count"], 0, "a change must wait only once");
    // If the services return before the decision, their changes become outdated.
    for (id, service) in external_ids.iter().zip(vanished_services) {
        fake_panel.state().add_service(*id, service);
    }
    panel.run_sync().await;
    assert_eq!(count_services_off_sale().await, 0);
    assert_eq!(panel.fetch_changes_in_state("outdated").await, vec!["availability true false"; 3]);
}

async fn no_service_is_sold_at_a_loss(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let ids = panel.import_three_services().await;
    panel.set_setting("min_margin_fraction", r#""0.25""#).await;
    panel.execute(Sql::new("UPDATE services SET sync_prices = FALSE WHERE id = ?").bind(ids[0])).await;
    fake_panel.state().services.get_mut(&LIKES_ID).unwrap().rate = money("1");
    fake_panel.state().services.get_mut(&FOLLOWERS_ID).unwrap().rate = money("2.2");
    panel.run_sync().await;
    let fixed_service = panel.fetch_service(ids[0]).await;
    assert_eq!(
        (&fixed_service["default_price"], &fixed_service["is_deactivated"]),
        (&json!("1.17"), &json!(true)),
        "the price is not synced, so the service must be off sale"
    );
    let synced_service = panel.fetch_service(ids[2]).await;
    assert_eq!(
        (&synced_service["default_price"], &synced_service["min_price"], &synced_service["is_deactivated"]),
        (&json!("2.86"), &json!("2.75"), &json!(false))
    );
    fake_panel.state().services.get_mut(&LIKES_ID).unwrap().rate = money("0.93");
    panel.run_sync().await;
    assert_eq!(
        panel.fetch_service(ids[0]).await["is_deactivated"],
        false,
        "a sync must reactivate a service that a sync deactivated"
    );
    assert_eq!(
        panel.fetch_service(ids[0]).await["min_price"],
        "1.1625",
        "the minimum price must cover the current cost"
    );
    let updated_count = panel.execute(Sql::new("UPDATE external_panels SET currency = 'RUB'")).await;
    let run = panel.run_sync().await;
    assert!(updated_count == 1 && run["error"].as_str().unwrap().contains("RUB"), "{run}");
    assert_eq!(run["applied_count"], 0);
}

async fn a_sync_considers_all_providers_of_a_service(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let ids = panel.import_three_services().await;
    panel.set_setting("min_margin_fraction", r#""0.25""#).await;
    for sql in [
        "INSERT INTO providers (id, name, type, source_price, created_at, updated_at) VALUES (900, 'By hand', 'manual', 2000000, 1, 1)",
        "UPDATE services SET sync_prices = FALSE, default_price = 2400000 WHERE id = (SELECT min(id) FROM services)",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    for id in [ids[0], ids[2]] {
        let sql =
            Sql::new("INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, 900, 1)");
        panel.execute(sql.bind(id)).await;
    }
    fake_panel.state().services.get_mut(&LIKES_ID).unwrap().rate = money("1");
    fake_panel.state().services.get_mut(&FOLLOWERS_ID).unwrap().rate = money("1.8");
    panel.run_sync().await;
    let fixed_service = panel.fetch_service(ids[0]).await;
    assert_eq!(
        fixed_service["is_deactivated"], true,
        "the service must be off sale, because the second provider needs a price of 2.5"
    );
    let synced_service = panel.fetch_service(ids[2]).await;
    assert_eq!(
        (&synced_service["default_price"], &synced_service["min_price"], &synced_service["is_deactivated"]),
        (&json!("2.5"), &json!("2.5"), &json!(false))
    );
    panel.execute(Sql::new("UPDATE providers SET is_archived = TRUE WHERE id = 900")).await;
    panel.run_sync().await;
    assert_eq!(panel.fetch_service(ids[0]).await["is_deactivated"], false);
    assert_eq!(panel.fetch_service(ids[2]).await["default_price"], "2.34");
}

async fn the_price_of_a_service_that_becomes_a_package_is_per_unit(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let ids = panel.import_three_services().await;
    let source_price_sql =
        "SELECT source_price, source_pricing_per FROM providers WHERE external_panel_service_id = '103'";
    let fetch_source_price =
        async || (&mut &panel.app.db).fetch_one::<(i64, i64)>(Sql::new(source_price_sql)).await.unwrap();
    assert_eq!(fetch_source_price().await, (2_000_000, 1_000));
    fake_panel.state().services.get_mut(&FOLLOWERS_ID).unwrap().service_type = "Package";
    panel.run_sync().await;
    assert_eq!(
        panel.fetch_changes_in_state("held").await,
        ["source_price 2 2"],
        "the change must wait, because one unit costs a thousand times as much"
    );
    assert_eq!(panel.fetch_service(ids[2]).await["is_deactivated"], true);
    assert_eq!(fetch_source_price().await, (2_000_000, 1_000));
    panel
        .post_data(&format!("{SYNC_CHANGES}/{}/accept", panel.load_latest_held_change_id().await), json!({}))
        .await;
    assert_eq!(fetch_source_price().await, (2_000_000, 1));
    let service = panel.fetch_service(ids[2]).await;
    assert_eq!((&service["default_price"], &service["is_deactivated"]), (&json!("2600"), &json!(true)));
    let second_run = panel.run_sync().await;
    assert_eq!(
        (&second_run["held_count"], &second_run["applied_count"]),
        (&json!(0), &json!(0)),
        "{second_run}"
    );
}

async fn agreed_prices_rise_with_the_cost_at_the_external_panel(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let ids = panel.import_three_services().await;
    panel.set_setting("min_margin_fraction", r#""0.25""#).await;
    let fix_default_price_sql =
        "UPDATE services SET sync_prices = FALSE, default_price = 2000000 WHERE id = ?";
    panel.execute(Sql::new(fix_default_price_sql).bind(ids[0])).await;
    for (user, default_price, min_price) in
        [(901, Some(950_000), None), (902, Some(500_000), None), (903, Some(1_500_000), Some(900_000))]
    {
        let sql = Sql::new(
            "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (?, 'Ann', ?, 1, 1)",
        );
        panel.execute(sql.bind(user).bind(format!("{user}@shop.example"))).await;
        let sql = Sql::new(
            "INSERT INTO user_services (user_id, service_id, default_price, min_price, created_at, updated_at) VALUES (?, ?, ?, ?, 1, 1)",
        );
        panel.execute(sql.bind(user).bind(ids[0]).bind(default_price).bind(min_price)).await;
    }
    fake_panel.state().services.get_mut(&LIKES_ID).unwrap().rate = money("1");
    panel.run_sync().await;
    assert_eq!(
        panel.fetch_changes_in_state("applied").await,
        [
            "source_price 0.9 1",
            "min_price 0.9 1.25",
            "own_prices 0.9 1.25",
            "min_price 0.000001 0.000002",
            "min_price 2 2.5"
        ],
        "the new minimum margin must also change the minimum prices of the other services"
    );
    let own_prices_sql =
        "SELECT COALESCE(default_price, 0), COALESCE(min_price, 0) FROM user_services ORDER BY user_id";
    let agreed_prices: Vec<(i64, i64)> =
        (&mut &panel.app.db).fetch_all(Sql::new(own_prices_sql)).await.unwrap();
    assert_eq!(
        agreed_prices,
        [(1_250_000, 0), (500_000, 0), (1_500_000, 1_250_000)],
        "a price agreed below the minimum price must stay"
    );
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'user.price_updated'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 2);
    let log = panel.get("/api/v1/admin/services/logs").await.text;
    assert!(log.contains("Own prices"), "{log}");
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.run_sync().await["applied_count"], 0);
}

async fn descriptions_and_service_features_are_synced(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    let enable_syncs_sql = "UPDATE external_panels SET sync_services = FALSE, sync_prices = FALSE, sync_name = FALSE, sync_params = FALSE,
        sync_description = TRUE, sync_service_details = TRUE";
    panel.execute(Sql::new(enable_syncs_sql)).await;
    let ids = panel.import_three_services().await;
    assert_eq!(panel.fetch_service(ids[0]).await["has_refill"], true);
    {
        let mut panel_state = fake_panel.state();
        let likes = panel_state.services.get_mut(&LIKES_ID).unwrap();
        (likes.allows_refill, likes.description) = (false, "<p>Fast</p><script>alert(1)</script>".into());
    }
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 1, "these settings alone must make a sync due");
    assert_eq!(panel.run_sync().await["applied_count"], 2);
    let likes = panel.fetch_service(ids[0]).await;
    assert_eq!(
        (&likes["has_refill"], &likes["translations"]["en"]["description"]),
        (&json!(false), &json!("Fast\nalert(1)"))
    );
    let log = panel.get("/api/v1/admin/services/logs").await.text;
    assert!(log.contains("Description") && log.contains("Has refill"), "{log}");
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.run_sync().await["applied_count"], 0, "a second sync must change nothing");
}

async fn external_panels_are_synced_every_hour(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 1);
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 0, "a sync must be enqueued only once");
    worker::run_due_jobs(&panel.app).await.unwrap();
    assert_eq!(
        (fake_panel.requests().len(), panel.fetch_number(Sql::new("SELECT count(*) FROM sync_runs")).await),
        (1, 1)
    );
    panel.clock.advance_secs(3_599);
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 0);
    panel.clock.advance_secs(1);
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 1);
    let sync_result = panel.post_data(&format!("{PANELS}/1/sync"), json!({})).await;
    assert_eq!(sync_result["external_panel_id"], 1);
    worker::run_due_jobs(&panel.app).await.unwrap();
    assert_eq!(fake_panel.requests().len(), 3);
    panel.execute(Sql::new("UPDATE external_panels SET is_archived = TRUE, synced_at = NULL")).await;
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 0);
    assert_eq!(panel.post(&format!("{PANELS}/1/sync"), &json!({})).await.status, 409);
    assert_eq!(panel.post(&format!("{PANELS}/9/sync"), &json!({})).await.status, 404);
    let count_polled_panels_sql =
        Sql::new("SELECT count(*) FROM external_panels WHERE last_ok_at = ?").bind(NOW + 3_600_000_000);
    assert_eq!(panel.fetch_number(count_polled_panels_sql).await, 1);
}

/// Prints the durations. The benchmarks, not this test, compare them with limits.
async fn twenty_thousand_services_are_imported_and_synced(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    for id in 1_000..21_000 {
        fake_panel.state().add_service(id, FakeService::with_name(&format!("Service {id}")));
    }
    let fetch_started_at = std::time::Instant::now();
    panel.post_data(&format!("{PANELS}/1/available-services"), json!({})).await;
    let fetch_duration = fetch_started_at.elapsed();
    let ids_sql = Sql::new("SELECT id FROM external_panel_services WHERE name LIKE 'Service %' ORDER BY id");
    let ids: Vec<(i64,)> = (&mut &panel.app.db).fetch_all(ids_sql).await.unwrap();
    let services: Vec<Value> = ids.iter().map(|(id,)| json!({ "id": id })).collect();
    let body = json!({ "external_panel_id": 1, "services": services, "margin_fraction": "0.3", "service_type_id": 1 });
    let import_started_at = std::time::Instant::now();
    let import_result = panel.post_data(IMPORT_SERVICES, body).await;
    eprintln!("{dialect:?}: fetched in {fetch_duration:?}, imported in {:?}", import_started_at.elapsed());
    assert_eq!(
        (&import_result["created"], import_result["items"].as_array().unwrap().len()),
        (&json!(20_000), 1_000)
    );
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(DISTINCT sorting) FROM services")).await, 20_000);
    for service in fake_panel.state().services.values_mut() {
        service.rate = money("1.1");
    }
    // PostgreSQL would analyze the tables automatically only a minute later.
    panel.execute(Sql::new("ANALYZE")).await;
    let sync_started_at = std::time::Instant::now();
    let run = panel.run_sync().await;
    eprintln!("{dialect:?}: synced in {:?}", sync_started_at.elapsed());
    assert_eq!((&run["applied_count"], &run["error"]), (&json!(60_000), &Value::Null));
}
