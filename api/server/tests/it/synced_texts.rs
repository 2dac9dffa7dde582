//! Service texts, labels and quantity steps. Only a panel of this product publishes them: it returns them on request, and a sync
//! imports them. A sync never requests them from other panels. If a panel of this product rejects an order, it always means that it
//! did not accept the order.

use std::sync::Arc;

use panel_contract::ids::ExternalPanelId;
use panel_contract::permission::Permission;
use panel_demo::panel::FakePanel;
use panel_demo::panel::state::{FakePanelState, FakeService};
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::supply::dispatch;
use panel_server::supply::imports::sync;
use panel_server::supply::panels::seal_token;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::placing_orders::{create_api_key, send_reseller_request};
use crate::shop;
use crate::test_server::TestServer;

test_both_databases! {
    texts_and_labels_are_returned_on_request;
    texts_and_labels_of_a_panel_of_this_product_are_synced_once;
    no_texts_are_requested_from_other_panels;
    a_panel_with_only_a_synced_package_is_synced;
    a_quantity_step_is_imported_and_synced;
    an_order_rejected_by_a_panel_of_this_product_fails_over;
}

const API_TOKEN: &str = "api-token";
const IMPORT_PATH: &str = "/api/v1/admin/external-panels/import-services";
const ENABLE_TEXT_SYNC: &str =
    "sync_labels = TRUE, sync_meta = TRUE, sync_short_description = TRUE, sync_reviews = TRUE";

async fn new_panel(dialect: Dialect) -> Panel {
    let panel = Panel::with_config(dialect, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.timeout_seconds = 5;
    })
    .await;
    shop::insert_shop_records(&panel.app.db, 3, 0).await;
    panel.execute(Sql::new("UPDATE services SET api_access = TRUE")).await;
    panel.create_staff("ada", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    panel
}

impl Panel {
    /// Connects external panel 1 of this type and fetches the list of its services.
    async fn connect_and_list_services(&self, panel_type: &str, url: &str, token: &str) {
        let sealed_token = seal_token(&self.app, ExternalPanelId::new(1), token).unwrap();
        let sql = Sql::new(
            "INSERT INTO external_panels (id, name, type, endpoint, api_token_sealed, created_at, updated_at) VALUES (1, 'Upstream', ?, ?, ?, 1, 1)",
        );
        self.execute(sql.bind(panel_type).bind(url).bind(sealed_token)).await;
        self.post_data("/api/v1/admin/external-panels/1/available-services", json!({})).await;
    }

    /// Imports all services of external panel 1. Returns the id of the first imported service.
    async fn import_services(&self) -> i64 {
        let ids = (&mut &self.app.db)
            .fetch_all::<(i64,)>(Sql::new("SELECT id FROM external_panel_services ORDER BY id"))
            .await
            .unwrap();
        let services: Vec<Value> = ids.into_iter().map(|(id,)| json!({ "id": id })).collect();
        let body = json!({ "external_panel_id": 1, "services": services, "service_type_id": 1 });
        self.post_data(IMPORT_PATH, body).await;
        let first_sql = "SELECT s.id FROM services s JOIN providers p ON p.id = s.imported_provider_id ORDER BY p.external_panel_service_id LIMIT 1";
        self.fetch_number(Sql::new(first_sql)).await
    }

    /// Runs a sync and returns its changes, oldest first: field and new value.
    async fn sync_changes(&self) -> Vec<(String, String)> {
        sync::run(&self.app, ExternalPanelId::new(1)).await.unwrap();
        let sql = Sql::new(
            "SELECT field, new_value FROM sync_changes WHERE sync_run_id = (SELECT max(id) FROM sync_runs) ORDER BY id",
        );
        (&mut &self.app.db).fetch_all(sql).await.unwrap()
    }
}

fn fields_and_values(changes: &[(String, String)]) -> Vec<(&str, &str)> {
    changes.iter().map(|(field, new)| (field.as_str(), new.as_str())).collect()
}

/// The texts of the first service of the external panel.
fn external_texts() -> Value {
    json!({
        "labels": ["New", "Hot"], "short_description": "Fast <b>likes</b>", "reviews": "Good.",
        "meta": { "title": "Buy likes", "description": "Likes for all" },
    })
}

async fn texts_and_labels_are_returned_on_request(dialect: Dialect) {
    let upstream = new_panel(dialect).await;
    let token = create_api_key(&upstream, 1).await;
    let english_body = json!({ "name": "Service 1", "description": "Long", "short_description": "Short", "reviews": "Good.",
        "meta_title": "Buy", "meta_description": "All of it" });
    let body = json!({ "translations": { "en": english_body } });
    assert_eq!(upstream.put("/api/v1/admin/services/1", &body).await.status, 200);
    upstream.post_data("/api/v1/admin/services/labels", json!({ "name": "New", "services": [1] })).await;
    let services_without_texts = send_reseller_request(&upstream, &token, "action=services").await;
    for field in ["desc", "labels", "meta", "short_description", "reviews"] {
        assert!(
            services_without_texts[0].get(field).is_none(),
            "{field} is returned without a request for texts: {services_without_texts}"
        );
    }
    let with_texts = send_reseller_request(&upstream, &token, "action=services&texts=1").await;
    let field_of = |field: &str| with_texts[0][field].clone();
    assert_eq!(
        (field_of("desc"), field_of("short_description"), field_of("reviews")),
        (json!("Long"), json!("Short"), json!("Good."))
    );
    assert_eq!(field_of("meta"), json!({ "title": "Buy", "description": "All of it" }));
    assert_eq!((field_of("labels"), &with_texts[1]["labels"]), (json!(["New"]), &json!([])));
    // A panel of this product imports the texts.
    let upstream = TestServer::serve(upstream).await;
    let panel = new_panel(dialect).await;
    panel.connect_and_list_services("socpanel", &format!("http://{}/api/v2", upstream.host()), &token).await;
    let service_id = panel.import_services().await;
    for update in ["UPDATE services SET ", "UPDATE external_panels SET "] {
        panel.execute(Sql::new(update).push(ENABLE_TEXT_SYNC)).await;
    }
    let changes = panel.sync_changes().await;
    let expected = [
        ("short_description", "Short"),
        ("meta_title", "Buy"),
        ("meta_description", "All of it"),
        ("reviews", "Good."),
        ("labels", "New"),
    ];
    assert_eq!(fields_and_values(&changes), expected);
    let service_data = panel.get_data(&format!("/api/v1/admin/services/{service_id}")).await;
    assert_eq!(service_data["translations"]["en"]["meta_title"], "Buy");
}

async fn a_quantity_step_is_imported_and_synced(dialect: Dialect) {
    let upstream = new_panel(dialect).await;
    let token = create_api_key(&upstream, 1).await;
    let set_step = async |step: i64| {
        assert_eq!(
            upstream.put("/api/v1/admin/services/1", &json!({ "quantity_step": step })).await.status,
            200
        );
    };
    set_step(50).await;
    let services_without_texts = send_reseller_request(&upstream, &token, "action=services").await;
    assert!(
        services_without_texts[0].get("step").is_none(),
        "the step is returned without a request for texts: {services_without_texts}"
    );
    let with_texts = send_reseller_request(&upstream, &token, "action=services&texts=1").await;
    assert_eq!((&with_texts[0]["step"], &with_texts[1]["step"]), (&json!("50"), &json!("1")));
    let upstream = TestServer::serve(upstream).await;
    let panel = new_panel(dialect).await;
    panel.connect_and_list_services("socpanel", &format!("http://{}/api/v2", upstream.host()), &token).await;
    let service_id = panel.import_services().await;
    let path = format!("/api/v1/admin/services/{service_id}");
    let service_data = panel.get_data(&path).await;
    assert_eq!(service_data["quantity_step"], 50);
    let min_quantity = service_data["min_quantity"].as_i64().unwrap();
    let off_step_body = json!({ "user_id": 2, "service_id": service_id, "url": "https://video.example/1", "quantity": min_quantity + 10 });
    let rejection = panel.post("/api/v1/admin/orders", &off_step_body).await;
    assert!(
        rejection.json()["errors"]["quantity"].is_array(),
        "the panel must reject the order before it charges the customer: {}",
        rejection.text
    );
    // The step is synced together with the quantity limits.
    let set_step = async |step: i64| {
        let body = json!({ "quantity_step": step });
        assert_eq!(upstream.panel.put("/api/v1/admin/services/1", &body).await.status, 200);
    };
    set_step(25).await;
    assert!(
        panel.sync_changes().await.is_empty(),
        "nothing must be synced while the switch of the external panel is off"
    );
    panel.execute(Sql::new("UPDATE external_panels SET sync_params = TRUE")).await;
    panel.execute(Sql::new("UPDATE services SET sync_params = TRUE")).await;
    assert_eq!(fields_and_values(&panel.sync_changes().await), [("quantity_step", "25")]);
    assert_eq!(panel.get_data(&path).await["quantity_step"], 25);
    assert!(panel.sync_changes().await.is_empty(), "a second sync must not change anything");
}

/// Each order is valid for the imported service, but not for the new limits on the external panel.
async fn an_order_rejected_by_a_panel_of_this_product_fails_over(dialect: Dialect) {
    let upstream = new_panel(dialect).await;
    let token = create_api_key(&upstream, 1).await;
    let insert_group_sql = "INSERT INTO promotable_checker_groups (id, name, service_type_type, checkers) VALUES (9, 'Posts', 'Instagram', '[\"https://instagram.com/*\"]')";
    upstream.execute(Sql::new(insert_group_sql)).await;
    let upstream = TestServer::serve(upstream).await;
    let panel = new_panel(dialect).await;
    panel.connect_and_list_services("socpanel", &format!("http://{}/api/v2", upstream.host()), &token).await;
    let service_id = panel.import_services().await;
    for (case_number, service_change, quantity, message) in [
        (1, "min_quantity = 500", 110, "Quantity less than minimal 500"),
        (2, "min_quantity = 100, max_quantity = 105", 110, "Quantity more than maximum 105"),
        (
            3,
            "max_quantity = 1000, quantity_step = 50",
            110,
            "Incorrect request: Order 100 to 1000 in steps of 50",
        ),
        (4, "quantity_step = 1, promotable_checker_group_id = 9", 110, "Incorrect link"),
        (
            5,
            "promotable_checker_group_id = NULL, countries = '[\"DE\"]', api_access = FALSE",
            110,
            "Incorrect service ID",
        ),
    ] {
        upstream
            .panel
            .execute(Sql::new("UPDATE services SET ").push(service_change).push(" WHERE id = 1"))
            .await;
        let url = format!("https://video.example/{case_number}");
        let body = json!({ "user_id": 1, "service_id": service_id, "url": url, "quantity": quantity });
        let order_id = panel.post_data("/api/v1/admin/orders", body).await["id"].as_i64().unwrap();
        for _ in 0..5 {
            dispatch::process_all_queues(&panel.app).await.unwrap();
        }
        let attempt = panel.fetch_order(order_id).await["external_panel_orders"][0].clone();
        assert_eq!(attempt["status"], "Canceled", "{message}: {attempt}");
        assert!(attempt.to_string().contains(message), "{message}: {attempt}");
    }
    let count_upstream_orders_sql = Sql::new("SELECT count(*) FROM orders");
    assert_eq!(upstream.panel.fetch_number(count_upstream_orders_sql).await, 0);
    let count_unclear_attempts_sql =
        Sql::new("SELECT count(*) FROM external_panel_orders WHERE status = 'Creating'");
    assert_eq!(
        panel.fetch_number(count_unclear_attempts_sql).await,
        0,
        "no order must wait for a staff member"
    );
}

async fn texts_and_labels_of_a_panel_of_this_product_are_synced_once(dialect: Dialect) {
    let panel = new_panel(dialect).await;
    let mut panel_state = FakePanelState::new(API_TOKEN);
    panel_state.add_service(
        101,
        FakeService { extended_fields: external_texts(), ..FakeService::with_name("Likes") },
    );
    let upstream = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
    panel.connect_and_list_services("socpanel", &upstream.url, API_TOKEN).await;
    let service_id = panel.import_services().await;
    let path = format!("/api/v1/admin/services/{service_id}");
    let hot_label_id =
        panel.post_data("/api/v1/admin/services/labels", json!({ "name": "Hot" })).await["id"].clone();
    assert!(panel.sync_changes().await.is_empty(), "nothing must be synced while all switches are off");
    panel.execute(Sql::new("UPDATE services SET ").push(ENABLE_TEXT_SYNC)).await;
    assert!(
        panel.sync_changes().await.is_empty(),
        "nothing must be synced while the switches of the external panel are off"
    );
    panel.execute(Sql::new("UPDATE external_panels SET ").push(ENABLE_TEXT_SYNC)).await;
    panel.execute(Sql::new("UPDATE services SET sync_reviews = FALSE")).await;
    let expected = [
        ("short_description", "Fast likes"),
        ("meta_title", "Buy likes"),
        ("meta_description", "Likes for all"),
        ("labels", "Hot, New"),
    ];
    assert_eq!(fields_and_values(&panel.sync_changes().await), expected);
    assert!(panel.sync_changes().await.is_empty(), "a second sync must not change anything");
    let service_data = panel.get_data(&path).await;
    let english_texts = &service_data["translations"]["en"];
    assert_eq!(
        (
            &english_texts["short_description"],
            &english_texts["meta_description"],
            english_texts.get("reviews")
        ),
        (&json!("Fast likes"), &json!("Likes for all"), None)
    );
    let labels = service_data["labels"].as_array().unwrap();
    assert!(
        labels.len() == 2 && labels.contains(&hot_label_id),
        "the existing label Hot must be used: {labels:?}"
    );
    let count_created_labels_sql = Sql::new("SELECT count(*) FROM audits WHERE event = 'label.created'");
    assert_eq!(
        panel.fetch_number(count_created_labels_sql).await,
        2,
        "staff and the sync must each have created one label"
    );
    // A text that the external panel removed stays. A label that the external panel removed is removed.
    upstream.state().add_service(
        101,
        FakeService { extended_fields: json!({ "labels": ["New"] }), ..FakeService::with_name("Likes") },
    );
    assert_eq!(fields_and_values(&panel.sync_changes().await), [("labels", "New")]);
    assert_eq!(panel.get_data(&path).await["translations"]["en"]["meta_title"], "Buy likes");
    // The label for services with custom comments stays too, even if the external panel has a label with this name.
    let comments_label = panel
        .post_data("/api/v1/admin/services/labels", json!({ "name": "Comments", "is_custom_comments": true }))
        .await;
    let attach_label_sql =
        Sql::new("INSERT INTO service_labels (service_id, label_id) SELECT id, ? FROM services");
    panel.execute(attach_label_sql.bind(comments_label["id"].as_i64())).await;
    assert!(panel.sync_changes().await.is_empty());
    upstream.state().add_service(
        101,
        FakeService { extended_fields: json!({ "labels": ["Comments"] }), ..FakeService::with_name("Likes") },
    );
    assert_eq!(fields_and_values(&panel.sync_changes().await), [("labels", "Comments")]);
    let count_labels_of_services_sql = "SELECT count(*) FROM service_labels x JOIN labels l ON l.id = x.label_id WHERE l.name = 'Comments' AND l.is_custom_comments";
    let services = panel.fetch_number(Sql::new("SELECT count(*) FROM services")).await;
    assert_eq!(panel.fetch_number(Sql::new(count_labels_of_services_sql)).await, services);
    // An older version of the product returns no labels. A sync with it removes no labels.
    upstream.state().add_service(101, FakeService::with_name("Likes"));
    assert!(panel.sync_changes().await.is_empty());
}

async fn no_texts_are_requested_from_other_panels(dialect: Dialect) {
    let panel = new_panel(dialect).await;
    let mut panel_state = FakePanelState::new(API_TOKEN);
    panel_state.add_service(
        101,
        FakeService { extended_fields: external_texts(), ..FakeService::with_name("Likes") },
    );
    let upstream = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
    panel.connect_and_list_services("perfect_panel", &upstream.url, API_TOKEN).await;
    panel.import_services().await;
    panel.execute(Sql::new("UPDATE services SET ").push(ENABLE_TEXT_SYNC)).await;
    // Sync switches that were stored before the server rejected them for such panels.
    panel.execute(Sql::new("UPDATE external_panels SET ").push(ENABLE_TEXT_SYNC)).await;
    assert!(panel.sync_changes().await.is_empty(), "no texts must be requested from such a panel");
    let path = "/api/v1/admin/external-panels/1";
    let rejection = panel
        .send("owner", "PATCH", path, &json!({ "sync_labels": true, "sync_packages": true }), None)
        .await;
    assert_eq!(rejection.status, 422, "{}", rejection.text);
    for field in ["sync_labels", "sync_packages"] {
        assert!(rejection.json()["errors"][field].is_array(), "{}", rejection.text);
    }
}

async fn a_panel_with_only_a_synced_package_is_synced(dialect: Dialect) {
    let panel = new_panel(dialect).await;
    let upstream =
        FakePanel::start(FakePanelState::new(API_TOKEN), Arc::new(panel.clock.clone())).await.unwrap();
    let mut package = FakeService::with_name("Pack");
    (package.service_type, package.min_quantity, package.max_quantity) = ("Package", 1, 1);
    upstream.state().add_service(104, package);
    panel.connect_and_list_services("perfect_panel", &upstream.url, API_TOKEN).await;
    panel.import_services().await;
    panel.execute(Sql::new("UPDATE external_panels SET sync_prices = FALSE")).await;
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 0, "no synced record must use the panel");
    let listed_id = panel.fetch_number(Sql::new("SELECT max(id) FROM external_panel_services")).await;
    let body = json!({ "external_panel_id": 1, "packages": [{ "id": listed_id }] });
    panel.post_data("/api/v1/admin/external-panels/import-packages", body).await;
    let provider_package_id = panel.fetch_number(Sql::new("SELECT max(id) FROM provider_packages")).await;
    let packages_path = "/api/v1/admin/packages";
    let without_network =
        panel.post(packages_path, &json!({ "provider_package_id": provider_package_id, "sync": true })).await;
    assert!(without_network.json()["errors"]["network_id"].is_array(), "{}", without_network.text);
    let body = json!({ "provider_package_id": provider_package_id, "sync": true, "network_id": 1 });
    let created_record = panel.post_data(packages_path, body).await;
    assert_eq!((&created_record["sync"], &created_record["network"]["id"]), (&json!(true), &json!(1)));
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 1, "a synced package must use the panel");
    assert_eq!(
        sync::enqueue_due(&panel.app).await.unwrap(),
        0,
        "a panel must be synced at most once an hour"
    );
    let path = format!("{packages_path}/{}", created_record["id"]);
    assert_eq!(panel.put(&path, &json!({ "sync": false })).await.status, 200);
    panel.clock.advance_secs(3_700);
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 0);
}
