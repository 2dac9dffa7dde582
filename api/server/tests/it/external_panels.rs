//! Tests external panels: connecting them, the protection of their tokens, archiving, payments and polls of balances.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::StatusCode;
use panel_contract::amount::Money;
use panel_contract::ids::ExternalPanelId;
use panel_contract::permission::Permission;
use panel_demo::panel::state::FakePanelState;
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_platform::db::{Dialect, Sql};
use panel_server::supply::{balances, panels};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::logs::Log;
use crate::panel::{Panel, TestResponse};
use crate::shop;
use crate::test_server::TestServer;

test_both_databases! {
    the_token_of_a_connected_panel_is_never_returned;
    a_token_is_not_sent_to_another_server;
    only_panels_of_this_product_provide_labels_and_packages;
    a_validation_requests_the_external_panel;
    private_addresses_are_rejected;
    panels_of_this_product_create_accounts_for_each_other;
    an_account_is_not_requested_twice_without_a_check_by_staff;
    a_panel_in_use_cannot_be_archived;
    parallel_edits_do_not_overwrite_each_other;
    payments_are_listed_with_the_received_amount;
    a_currency_with_amounts_cannot_be_changed;
    balances_are_polled_once_and_a_low_balance_notifies_once;
    a_response_to_an_outdated_request_is_ignored;
    a_rejected_token_is_shown_in_the_external_panel;
}

const PANELS: &str = "/api/v1/admin/external-panels";
const PAYMENTS: &str = "/api/v1/admin/external-panel-payments";
const TOKEN: &str = "token-of-ours-0123456789";

impl Panel {
    /// A panel that may send requests to the loopback address.
    async fn with_loopback_panels(dialect: Dialect) -> Self {
        Self::with_config(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.outbound.timeout_seconds = 1;
        })
        .await
    }

    async fn start_fake_panel(&self) -> FakePanel {
        FakePanel::start(FakePanelState::new(TOKEN), Arc::new(self.clock.clone())).await.unwrap()
    }

    async fn patch_external_panel(&self, id: i64, body: Value) -> TestResponse {
        self.send("owner", "PATCH", &format!("{PANELS}/{id}"), &body, None).await
    }

    /// Connects an external panel and returns its id.
    async fn connect_panel_at(&self, endpoint: &str, fields: &Value) -> i64 {
        let mut body = json!({ "name": "Upstream", "endpoint": endpoint, "api_token": TOKEN });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let response = self.post(PANELS, &body).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"]["id"].as_i64().unwrap()
    }

    async fn fetch_external_panel(&self, id: i64) -> Value {
        self.get(&format!("{PANELS}/{id}")).await.json()["data"].clone()
    }
}

#[derive(Debug, PartialEq)]
struct InvalidFields {
    /// The names of the invalid fields, separated by commas.
    names: String,
    first_message: String,
}

/// Asserts that the server rejected the request because of invalid fields, and returns them.
fn expect_invalid_fields(response: &TestResponse) -> InvalidFields {
    assert_eq!(response.status, 422, "{}", response.text);
    let errors = response.json()["errors"].as_object().unwrap().clone();
    let names = errors.keys().cloned().collect::<Vec<_>>().join(",");
    let first_message = errors.values().next().unwrap()[0].as_str().unwrap().to_owned();
    InvalidFields { names, first_message }
}

async fn the_token_of_a_connected_panel_is_never_returned(dialect: Dialect) {
    let (log, _guard) = Log::capture(tracing::Level::TRACE);
    let panel = Panel::with_loopback_panels(dialect).await;
    let fake_panel = panel.start_fake_panel().await;
    let body =
        json!({ "name": " Upstream ", "endpoint": fake_panel.url, "api_token": TOKEN, "low_balance": "5" });
    let create_response = panel.send("owner", "POST", PANELS, &body, Some("key-1")).await;
    let created_panel = create_response.json()["data"].clone();
    let id = created_panel["id"].as_i64().unwrap();
    assert_eq!(
        (&created_panel["name"], &created_panel["api_token_is_set"]),
        (&json!("Upstream"), &json!(true))
    );
    assert_eq!(
        (&created_panel["api_token_hint"], &created_panel["sync_prices"]),
        (&json!("6789"), &json!(true))
    );
    assert_eq!(
        (&created_panel["price_jump_fraction"], &created_panel["status"]),
        (&json!("0.2"), &json!("active"))
    );
    assert_eq!(created_panel["actions"]["archivable"], true);
    let repeated_response = panel.send("owner", "POST", PANELS, &body, Some("key-1")).await;
    assert_eq!(repeated_response.json()["data"]["id"], id, "{}", repeated_response.text);
    let connection =
        panels::load_connection(&panel.app, &mut &panel.app.db, ExternalPanelId::new(id)).await.unwrap();
    assert_eq!((connection.api().token, connection.endpoint.as_str()), (TOKEN, fake_panel.url.as_str()));
    assert_eq!(
        panel.patch_external_panel(id, json!({ "api_token": "token-that-is-another" })).await.status,
        200
    );
    assert_eq!(balances::poll_due(&panel.app).await.unwrap(), 1);
    for path in [
        PANELS.to_owned(),
        format!("{PANELS}/{id}"),
        "/api/v1/admin/audits".into(),
        "/api/v1/admin/services/logs".into(),
    ] {
        let text = panel.get(&path).await.text;
        assert!(!text.contains(TOKEN) && !text.contains("token-that-is"), "{path}: {text}");
    }
    for count_sql in [
        "SELECT count(*) FROM audits WHERE new_values LIKE ? OR old_values LIKE ?",
        "SELECT count(*) FROM idempotency WHERE response LIKE ? OR key LIKE ?",
        "SELECT count(*) FROM external_panels WHERE last_error LIKE ? OR api_token_hint LIKE ?",
    ] {
        for secret in [TOKEN, "token-that-is-another"] {
            let pattern = format!("%{secret}%");
            assert_eq!(
                panel.fetch_number(Sql::new(count_sql).bind(pattern.clone()).bind(pattern)).await,
                0,
                "{count_sql}"
            );
        }
    }
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'external_panel.%'")).await,
        2
    );
    let text = log.text();
    assert!(!text.is_empty() && !text.contains(TOKEN) && !text.contains("token-that-is-another"));
    let without_token =
        panel.post(PANELS, &json!({ "name": "x", "endpoint": "8.8.8.8", "api_token": " " })).await;
    assert_eq!(expect_invalid_fields(&without_token).names, "api_token");
    assert_eq!(expect_invalid_fields(&panel.post(PANELS, &json!({})).await).names, "api_token,endpoint,name");
}

async fn a_token_is_not_sent_to_another_server(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let id = panel.connect_panel_at("https://8.8.8.8/api/v2", &json!({})).await;
    for endpoint in
        ["http://8.8.8.8/api/v2", "https://8.8.8.8:8443/api/v2", "https://8.8.4.4/api/v2", "8.8.4.4"]
    {
        for token in [json!(null), json!(""), json!("  ")] {
            let response =
                panel.patch_external_panel(id, json!({ "endpoint": endpoint, "api_token": token })).await;
            assert_eq!(expect_invalid_fields(&response).names, "api_token", "{endpoint}");
        }
    }
    assert_eq!(panel.fetch_external_panel(id).await["endpoint"], "https://8.8.8.8/api/v2");
    let other_path = panel.patch_external_panel(id, json!({ "endpoint": "8.8.8.8:443/other/" })).await;
    assert_eq!(
        other_path.json()["data"]["endpoint"],
        "https://8.8.8.8/other",
        "a change of the path must not require the token again"
    );
    let load_token = |panel: &Panel| {
        let app = panel.app.clone();
        let id = ExternalPanelId::new(id);
        async move { panels::load_connection(&app, &mut &app.db, id).await.unwrap().api().token.to_owned() }
    };
    assert_eq!(load_token(&panel).await, TOKEN);
    let change_response =
        panel.patch_external_panel(id, json!({ "endpoint": "8.8.4.4", "api_token": "their-token" })).await;
    assert_eq!(change_response.json()["data"]["endpoint"], "https://8.8.4.4/api/v2");
    assert_eq!(load_token(&panel).await, "their-token");
    assert_eq!(
        change_response.json()["data"]["api_token_hint"],
        json!(null),
        "a short token must not have a hint"
    );
}

async fn only_panels_of_this_product_provide_labels_and_packages(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let sync_settings = json!({ "sync_packages": true, "sync_labels": true });
    let id = panel.connect_panel_at("8.8.8.8", &json!({ "sync_name": true })).await;
    let external_panel = panel.fetch_external_panel(id).await;
    assert_eq!(
        (&external_panel["sync_name"], &external_panel["actions"]["import_packages"]),
        (&json!(true), &json!(true))
    );
    let rejected_response = panel.patch_external_panel(id, sync_settings.clone()).await;
    assert_eq!(rejected_response.status, 422, "{}", rejected_response.text);
    for field in ["sync_labels", "sync_packages"] {
        assert!(rejected_response.json()["errors"][field].is_array(), "{}", rejected_response.text);
    }
    let mut change_body = sync_settings.clone();
    change_body["type"] = json!("socpanel");
    let external_panel = panel.patch_external_panel(id, change_body).await.json()["data"].clone();
    assert_eq!([&external_panel["sync_labels"], &external_panel["sync_packages"]], [true, true]);
    assert_eq!(
        (&external_panel["type_label"], &external_panel["actions"]["import_packages"]),
        (&json!("Panvy"), &json!(true))
    );
    let external_panel =
        panel.patch_external_panel(id, json!({ "type": "perfect_panel" })).await.json()["data"].clone();
    assert_eq!(
        [&external_panel["sync_labels"], &external_panel["sync_packages"]],
        [false, false],
        "the type does not support these settings, so both must be off"
    );
    let collections = panel.get(&format!("{PANELS}/collections")).await.json()["data"].clone();
    assert!(collections["currencies"].as_array().unwrap().iter().any(|choice| choice["type"] == "USD"));
    assert_eq!(collections["statisticTypes"].as_array().unwrap().len(), 2);
    assert!(panel.get(&format!("{PANELS}/preset-panels")).await.json()["data"].as_array().unwrap().len() > 2);
}

async fn a_validation_requests_the_external_panel(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let fake_panel = panel.start_fake_panel().await;
    let post_validation = async |body: Value| panel.post(&format!("{PANELS}/validate"), &body).await;
    let base_url = fake_panel.url.trim_end_matches("/api/v2").to_owned();
    for behavior in [FakeBehavior::Correct, FakeBehavior::ErrorsAs4xx, FakeBehavior::JsonNumbers] {
        fake_panel.set_behavior(behavior);
        let response = post_validation(json!({ "endpoint": base_url })).await;
        assert_eq!(response.status, 200, "{behavior:?}: {}", response.text);
        let response = response.json()["data"].clone();
        assert_eq!((&response["isOurPanel"], &response["endpoint"]), (&json!(false), &json!(fake_panel.url)));
    }
    assert!(
        fake_panel.requests().iter().all(|request| request["key"].is_empty()),
        "the server sent a token although the request had none"
    );
    for behavior in [
        FakeBehavior::HtmlPage,
        FakeBehavior::BadGateway,
        FakeBehavior::EmptyData,
        FakeBehavior::Truncated,
        FakeBehavior::NoResponse,
        FakeBehavior::RateLimited,
    ] {
        fake_panel.set_behavior(behavior);
        let response = post_validation(json!({ "endpoint": fake_panel.url, "api_token": TOKEN })).await;
        assert_eq!(expect_invalid_fields(&response).names, "endpoint", "{behavior:?}");
        assert!(!response.text.contains(TOKEN));
    }
    fake_panel.set_behavior(FakeBehavior::Correct);
    let validation = post_validation(json!({ "endpoint": fake_panel.url, "api_token": TOKEN })).await.json()
        ["data"]
        .clone();
    assert_eq!((&validation["balance"], &validation["currency"]), (&json!("100"), &json!("USD")));
    let wrong_token = post_validation(json!({ "endpoint": fake_panel.url, "api_token": "stolen" })).await;
    assert_eq!(
        expect_invalid_fields(&wrong_token),
        InvalidFields { names: "api_token".into(), first_message: "Invalid API key".into() }
    );
    for endpoint in ["", "ftp://a.example", "https://a.example/?key=1"] {
        assert_eq!(
            expect_invalid_fields(&post_validation(json!({ "endpoint": endpoint })).await).names,
            "endpoint",
            "{endpoint}"
        );
    }
}

async fn private_addresses_are_rejected(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.connect_panel_at("8.8.8.8", &json!({})).await;
    for endpoint in
        ["127.0.0.1", "localhost", "https://169.254.169.254/latest", "10.0.0.7:8443", "http://8.8.8.8/"]
    {
        let body = json!({ "name": "x", "endpoint": endpoint, "api_token": TOKEN });
        let error = expect_invalid_fields(&panel.post(PANELS, &body).await);
        assert_eq!(error.names, "endpoint", "{endpoint}");
        assert!(
            error.first_message.starts_with("This address cannot be called: "),
            "{}",
            error.first_message
        );
        assert_eq!(
            expect_invalid_fields(
                &panel.patch_external_panel(id, json!({ "endpoint": endpoint, "api_token": TOKEN })).await
            )
            .names,
            "endpoint"
        );
        for path in ["validate", "create-account"] {
            let response = panel.post(&format!("{PANELS}/{path}"), &json!({ "endpoint": endpoint })).await;
            assert_eq!(expect_invalid_fields(&response).names, "endpoint", "{path} {endpoint}");
        }
    }
}

async fn panels_of_this_product_create_accounts_for_each_other(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let fake_panel = panel.start_fake_panel().await;
    let post_account_request = async |endpoint: &str| {
        panel.post(&format!("{PANELS}/create-account"), &json!({ "endpoint": endpoint })).await
    };
    let InvalidFields { names, first_message } =
        expect_invalid_fields(&post_account_request(&fake_panel.url).await);
    assert!(
        names == "endpoint"
            && first_message.starts_with("The API of this external panel cannot create accounts"),
        "{first_message}"
    );
    let closed_panel = TestServer::start(dialect).await;
    let InvalidFields { names, first_message } =
        expect_invalid_fields(&post_account_request(&format!("http://{}", closed_panel.host())).await);
    assert!(
        names == "endpoint" && first_message.contains("does not create accounts automatically"),
        "{first_message}"
    );
    let open_panel = Panel::with_config(dialect, |config| config.panels.allow_account_creation = true).await;
    let open_panel = TestServer::serve(open_panel).await;
    let address = format!("http://{}", open_panel.host());
    let validation = panel.post(&format!("{PANELS}/validate"), &json!({ "endpoint": address })).await.json();
    assert_eq!(validation["data"]["isOurPanel"], true);
    let account_response = post_account_request(&address).await;
    assert_eq!(account_response.status, 200, "{}", account_response.text);
    let account = account_response.json()["data"].clone();
    assert_eq!(
        (&account["currency"], &account["endpoint"]),
        (&json!("USD"), &json!(format!("{address}/api/v2")))
    );
    let body = json!({ "endpoint": address, "api_token": account["apiToken"] });
    let validation = panel.post(&format!("{PANELS}/validate"), &body).await.json();
    assert_eq!(validation["data"]["balance"], "0", "{validation}");
    let token = account["apiToken"].as_str().unwrap();
    let count_audits_sql = "SELECT count(*) FROM audits WHERE new_values LIKE ? AND event LIKE ?";
    let count_audits = |value_pattern: String, event_pattern: &'static str| {
        Sql::new(count_audits_sql).bind(value_pattern).bind(event_pattern)
    };
    for (panel_to_check, event_pattern) in [
        (&panel, "external_panel.account_requested"),
        (&panel, "external_panel.account_created"),
        (&open_panel.panel, "user.account_handed_out"),
    ] {
        assert_eq!(panel_to_check.fetch_number(count_audits(format!("%{token}%"), "%")).await, 0);
        // This panel requested one account earlier, without success.
        let expected_count = if event_pattern.ends_with("account_requested") { 2 } else { 1 };
        assert_eq!(
            panel_to_check.fetch_number(count_audits("%".into(), event_pattern)).await,
            expected_count
        );
    }
    let dry_run =
        panel.post(&format!("{PANELS}/create-account?dry_run=1"), &json!({ "endpoint": address })).await;
    assert_eq!(dry_run.status, 422, "{}", dry_run.text);
    let repeated_response = post_account_request(&address).await;
    assert_eq!(
        (repeated_response.status.as_u16(), &repeated_response.json()["code"]),
        (409, &json!("account_requested_before")),
        "{}",
        repeated_response.text
    );
    let count_accounts_sql = || Sql::new("SELECT count(*) FROM api_keys");
    assert_eq!(open_panel.panel.fetch_number(count_accounts_sql()).await, 1);
    let count_child_panels_sql = Sql::new("SELECT count(*) FROM users WHERE account_type = 'child_panel'");
    assert_eq!(
        open_panel.panel.fetch_number(count_child_panels_sql).await,
        1,
        "the account must have the type child_panel"
    );
    // The server sends no request to an external panel while it cannot write to the database.
    panel.execute(Sql::new("DROP TABLE audits")).await;
    let confirmed_body = json!({ "endpoint": address, "checked": true });
    assert_eq!(panel.post(&format!("{PANELS}/create-account"), &confirmed_body).await.status, 500);
    assert_eq!(open_panel.panel.fetch_number(count_accounts_sql()).await, 1);
}

/// Starts a panel of this product that creates accounts and loses its responses. Returns its URL and the number of created
/// accounts.
async fn start_panel_that_loses_responses() -> (String, Arc<Mutex<usize>>) {
    let account_count = Arc::new(Mutex::new(0));
    let shared_count = Arc::clone(&account_count);
    let respond = async move |body: String| {
        if body.contains("create_account") {
            *shared_count.lock().unwrap() += 1;
            return (StatusCode::BAD_GATEWAY, String::new());
        }
        (StatusCode::OK, json!({ "panel": "panel", "currency": "USD" }).to_string())
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/api/v2", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(respond)).await.unwrap() });
    (url, account_count)
}

async fn an_account_is_not_requested_twice_without_a_check_by_staff(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let (url, account_count) = start_panel_that_loses_responses().await;
    let post_account_request = async |checked: bool| {
        let body = json!({ "endpoint": url, "checked": checked });
        panel.post(&format!("{PANELS}/create-account"), &body).await
    };
    let account_count_now = || *account_count.lock().unwrap();
    assert_eq!(
        (post_account_request(false).await.status.as_u16(), account_count_now()),
        (422, 1),
        "the outcome must be unknown"
    );
    for _ in 0..2 {
        let repeated_response = post_account_request(false).await;
        assert_eq!(
            (repeated_response.status.as_u16(), account_count_now()),
            (409, 1),
            "{}",
            repeated_response.text
        );
        assert!(
            repeated_response.json()["message"].as_str().unwrap().contains("unknown outcome"),
            "{}",
            repeated_response.text
        );
    }
    assert_eq!(
        (post_account_request(true).await.status.as_u16(), account_count_now()),
        (422, 2),
        "the account must be requested again after staff confirmed that none was created"
    );
    assert_eq!((post_account_request(false).await.status.as_u16(), account_count_now()), (409, 2));
    // Simulate a process that crashed during a request.
    panel.execute(Sql::new("UPDATE account_requests SET outcome = 'sent'")).await;
    let pending_response = post_account_request(true).await;
    assert_eq!(
        (pending_response.status.as_u16(), &pending_response.json()["code"]),
        (409, &json!("account_request_pending"))
    );
    panel.clock.advance_secs(121);
    assert_eq!((post_account_request(false).await.status.as_u16(), account_count_now()), (409, 2));
    assert_eq!((post_account_request(true).await.status.as_u16(), account_count_now()), (422, 3));
    // Only one of two concurrent requests reaches the external panel.
    panel.execute(Sql::new("DELETE FROM account_requests")).await;
    let (first_response, second_response) =
        tokio::join!(post_account_request(false), post_account_request(false));
    let mut statuses = [first_response.status.as_u16(), second_response.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!((statuses, account_count_now()), ([409, 422], 4));
}

async fn a_panel_in_use_cannot_be_archived(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    shop::insert_shop_records(&panel.app.db, 3, 5).await;
    let id = panel.connect_panel_at("8.8.8.8", &json!({})).await;
    let post_action = async |action: &str| panel.post(&format!("{PANELS}/{id}/{action}"), &json!({})).await;
    panel
        .execute(
            Sql::new("UPDATE providers SET external_panel_id = ?, is_archived = FALSE WHERE id IN (1, 2)")
                .bind(id),
        )
        .await;
    let rejected_response = post_action("archive").await;
    assert_eq!(rejected_response.status, 409);
    assert!(
        rejected_response.text.contains("providers: Provider 1 (1), Provider 2 (2)"),
        "{}",
        rejected_response.text
    );
    assert_eq!(panel.fetch_external_panel(id).await["actions"]["archivable"], false);
    panel
        .execute(Sql::new("UPDATE providers SET is_archived = TRUE WHERE external_panel_id = ?").bind(id))
        .await;
    let insert_attempt_sql = Sql::new(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, initial_quantity, created_at, updated_at)
         SELECT min(id), 1, ?, 'In progress', 10, 1, 1 FROM orders",
    );
    panel.execute(insert_attempt_sql.bind(id)).await;
    let rejected_response = post_action("archive").await;
    assert!(
        rejected_response.text.contains("orders placed with it: Service 1 ("),
        "{}",
        rejected_response.text
    );
    assert_eq!(panel.fetch_external_panel(id).await["open_orders_count"], 1);
    panel.execute(Sql::new("UPDATE external_panel_orders SET status = 'Completed'")).await;
    let archive_response = post_action("archive").await;
    assert_eq!(
        (archive_response.status.as_u16(), &archive_response.json()["data"]["status"]),
        (200, &json!("archived"))
    );
    assert_eq!(post_action("archive").await.status, 409);
    assert_eq!(panel.patch_external_panel(id, json!({ "name": "Other" })).await.status, 409);
    assert_eq!(post_action("unarchive").await.json()["data"]["status"], "active");
    assert_eq!(post_action("unarchive").await.status, 409);
    panel.create_staff("keeper", &[Permission::ManageServicesAndProviders]).await;
    let forbidden_response = panel.get_as("keeper", PANELS, "application/json").await;
    assert_eq!(forbidden_response.status, 403);
}

async fn parallel_edits_do_not_overwrite_each_other(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.connect_panel_at("8.8.8.8", &json!({})).await;
    let updated_at = panel.fetch_external_panel(id).await["updated_at"].clone();
    panel.clock.advance_secs(1);
    assert_eq!(
        panel.patch_external_panel(id, json!({ "name": "First", "updated_at": updated_at })).await.status,
        200
    );
    let second_response =
        panel.patch_external_panel(id, json!({ "name": "Second", "updated_at": updated_at })).await;
    assert_eq!(
        (second_response.status.as_u16(), &second_response.json()["code"]),
        (409, &json!("changed_meanwhile"))
    );
    let name = panel.fetch_external_panel(id).await["name"].clone();
    assert_eq!(name, "First");
    let path = format!("{PANELS}/{id}?dry_run=1");
    panel.send("owner", "PATCH", &path, &json!({ "name": "Tried" }), None).await;
    assert_eq!(panel.fetch_external_panel(id).await["name"], "First");
    assert_eq!(panel.patch_external_panel(999, json!({ "name": "x" })).await.status, 404);
}

async fn a_currency_with_amounts_cannot_be_changed(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    shop::insert_shop_records(&panel.app.db, 1, 1).await;
    let id = panel.connect_panel_at("8.8.8.8", &json!({})).await;
    let set_currency =
        async |currency: &str| panel.patch_external_panel(id, json!({ "currency": currency })).await;
    let assert_rejected = async |reason: &str| {
        let response = set_currency("RUB").await;
        assert_eq!(response.status_and_code(), (409, "external_panel_currency_in_use".into()));
        assert!(response.text.contains(&format!("has {reason} in EUR")), "{}", response.text);
        assert_eq!(panel.fetch_external_panel(id).await["currency"], "EUR");
    };
    assert_eq!(
        set_currency("EUR").await.status,
        200,
        "the currency can change while no amount is stored in it"
    );
    let body = json!({ "external_panel_id": id, "date": "2026-11-19", "amount": "100" });
    let payment_id = panel.post(PAYMENTS, &body).await.json()["data"]["id"].clone();
    assert_rejected("payments in its billing").await;
    assert_eq!(
        panel.patch_external_panel(id, json!({ "currency": "EUR", "name": "Up" })).await.status,
        200,
        "the same currency must be accepted"
    );
    let delete_response =
        panel.send("owner", "DELETE", &format!("{PAYMENTS}/{payment_id}"), &json!({}), None).await;
    assert_eq!(delete_response.status, 204, "{}", delete_response.text);
    let insert_attempt_sql = "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, charge, initial_quantity, created_at, updated_at)
        SELECT (SELECT min(id) FROM orders), (SELECT min(id) FROM providers), ?, 'Pending', 0, 100, 1, 1";
    panel.execute(Sql::new(insert_attempt_sql).bind(id)).await;
    assert_rejected("open orders").await;
    panel.execute(Sql::new("UPDATE external_panel_orders SET status = 'Completed', charge = 5")).await;
    assert_rejected("charges of orders").await;
    panel.execute(Sql::new("UPDATE external_panel_orders SET charge = 0")).await;
    assert_eq!(set_currency("RUB").await.status, 200);
}

async fn payments_are_listed_with_the_received_amount(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.connect_panel_at("8.8.8.8", &json!({})).await;
    let missing_id_error = || InvalidFields {
        names: "external_panel_id".into(),
        first_message: "External Panel ID is missing".into(),
    };
    assert_eq!(expect_invalid_fields(&panel.get(PAYMENTS).await), missing_id_error());
    assert_eq!(
        expect_invalid_fields(&panel.post(PAYMENTS, &json!({ "date": "2026-11-20", "amount": "1" })).await),
        missing_id_error()
    );
    let unknown_panel_body = json!({ "external_panel_id": 999, "date": "2026-11-20", "amount": "1" });
    assert_eq!(
        expect_invalid_fields(&panel.post(PAYMENTS, &unknown_panel_body).await).names,
        "external_panel_id"
    );
    let body = json!({ "external_panel_id": id, "date": "2026-11-19", "amount": "100", "fee": "2.5", "payment_method_commission": "1.25", "bonus": "5.000001" });
    let first_payment = panel.post(PAYMENTS, &body).await.json()["data"].clone();
    assert_eq!(
        (&first_payment["received"], &first_payment["date"]),
        (&json!("101.250001"), &json!("2026-11-19"))
    );
    assert_eq!(first_payment["actions"], json!({ "editable": true, "deletable": true }));
    let body = json!({ "external_panel_id": id, "date": "2026-11-20", "amount": "0.000001" });
    let second_payment = panel.post(PAYMENTS, &body).await.json()["data"].clone();
    assert_eq!(second_payment["received"], "0.000001");
    let fetch_list = async || panel.get(&format!("{PAYMENTS}?external_panel_id={id}")).await.json();
    let page = fetch_list().await;
    assert_eq!(
        (&page["recordsTotal"], &page["data"][0]["id"]),
        (&json!(2), &second_payment["id"]),
        "the newest date must be first"
    );
    let path = format!("{PAYMENTS}/{}", first_payment["id"]);
    let too_high_fee_response = panel.put(&path, &json!({ "fee": "98.750001" })).await;
    assert_eq!(expect_invalid_fields(&too_high_fee_response).names, "fee");
    assert_eq!(
        expect_invalid_fields(&panel.put(&path, &json!({ "external_panel_id": id + 1 })).await).names,
        "external_panel_id"
    );
    let updated_at = first_payment["updated_at"].clone();
    panel.clock.advance_secs(1);
    let changed_payment =
        panel.put(&path, &json!({ "fee": "98.75", "bonus": "0", "updated_at": updated_at })).await.json();
    assert_eq!(changed_payment["data"]["received"], "0");
    assert_eq!(panel.put(&path, &json!({ "fee": "0", "updated_at": updated_at })).await.status, 409);
    let delete_response = panel.send("owner", "DELETE", &path, &json!({}), None).await;
    assert_eq!(delete_response.status, 204, "{}", delete_response.text);
    assert_eq!(panel.send("owner", "DELETE", &path, &json!({}), None).await.status, 404);
    assert_eq!(fetch_list().await["recordsTotal"], 1);
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'external_panel_payment'");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 4);
}

async fn balances_are_polled_once_and_a_low_balance_notifies_once(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    panel.create_staff("buyer", &[Permission::ManageExternalPanels]).await;
    let fake_panel = panel.start_fake_panel().await;
    let add_recipient_sql = Sql::new(
        "INSERT INTO notification_recipients (audience, user_id) SELECT 'admin', id FROM users WHERE name = 'buyer'",
    );
    panel.execute(add_recipient_sql).await;
    let id = panel.connect_panel_at(&fake_panel.url, &json!({ "low_balance": "20" })).await;
    let count_balance_requests =
        || fake_panel.requests().iter().filter(|request| request["action"] == "balance").count();
    let count_emails = async || {
        panel
            .fetch_number(Sql::new(
                "SELECT count(*) FROM jobs WHERE payload LIKE '%balance at an external panel is low%'",
            ))
            .await
    };
    // Two processes poll at the same time.
    let (first_result, second_result) =
        tokio::join!(balances::poll_due(&panel.app), balances::poll_due(&panel.app));
    assert!(first_result.is_ok() && second_result.is_ok());
    assert_eq!((count_balance_requests(), count_emails().await), (1, 0));
    let external_panel = panel.fetch_external_panel(id).await;
    assert_eq!(
        (&external_panel["balance"], &external_panel["balance_is_low"]),
        (&json!("100"), &json!(false))
    );
    panel.clock.advance_secs(599);
    balances::poll_due(&panel.app).await.unwrap();
    assert_eq!(count_balance_requests(), 1, "the balance was polled twice within ten minutes");
    let mut are_as_expected = Vec::new();
    for (units, expected_emails) in [(19, 1), (18, 1), (20, 1), (19, 2)] {
        fake_panel.state().balance = Money(units * 1_000_000);
        panel.clock.advance_secs(600);
        balances::poll_due(&panel.app).await.unwrap();
        are_as_expected.push((
            panel.fetch_external_panel(id).await["balance_is_low"] == (units < 20),
            count_emails().await == expected_emails,
        ));
    }
    assert_eq!(are_as_expected, [(true, true); 4]);
    assert_eq!(
        panel
            .fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event = 'external_panel.low_balance'"))
            .await,
        2
    );
    assert_eq!(panel.patch_external_panel(id, json!({ "low_balance": "30" })).await.status, 200);
    panel.clock.advance_secs(600);
    balances::poll_due(&panel.app).await.unwrap();
    assert_eq!(count_emails().await, 3, "a changed limit must notify again");
    let request_count_before = count_balance_requests();
    panel.post(&format!("{PANELS}/{id}/archive"), &json!({})).await;
    panel.clock.advance_secs(6_000);
    balances::poll_due(&panel.app).await.unwrap();
    assert_eq!(count_balance_requests(), request_count_before, "an archived panel must not be polled");
}

async fn a_response_to_an_outdated_request_is_ignored(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let fake_panel = panel.start_fake_panel().await;
    let id = panel.connect_panel_at(&fake_panel.url, &json!({})).await;
    fake_panel.set_behavior(FakeBehavior::NoResponse);
    let poll_balance = balances::poll_due(&panel.app);
    let change_currency = async {
        while fake_panel.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        panel.patch_external_panel(id, json!({ "currency": "EUR" })).await
    };
    let (poll_result, change_response) = tokio::join!(poll_balance, change_currency);
    assert_eq!((poll_result.unwrap(), change_response.status.as_u16()), (1, 200));
    assert_eq!(panel.fetch_external_panel(id).await["last_error"], json!(null));
    fake_panel.set_behavior(FakeBehavior::Correct);
    balances::poll_due(&panel.app).await.unwrap();
    let external_panel = panel.fetch_external_panel(id).await;
    let error = external_panel["last_error"].as_str().unwrap();
    assert!(error.contains("USD") && error.contains("EUR"), "{error}");
    assert_eq!(external_panel["balance"], json!(null), "a balance in another currency must not be stored");
}

async fn a_rejected_token_is_shown_in_the_external_panel(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let fake_panel = panel.start_fake_panel().await;
    let id = panel.connect_panel_at(&fake_panel.url, &json!({})).await;
    let poll_and_fetch_state = async || {
        panel.clock.advance_secs(601);
        balances::poll_due(&panel.app).await.unwrap();
        let external_panel = panel.fetch_external_panel(id).await;
        (
            external_panel["status"].as_str().unwrap().to_owned(),
            external_panel["last_error"].clone(),
            external_panel["balance"].clone(),
        )
    };
    assert_eq!(poll_and_fetch_state().await, ("active".into(), json!(null), json!("100")));
    fake_panel.set_behavior(FakeBehavior::BadGateway);
    let (status, error, balance) = poll_and_fetch_state().await;
    assert_eq!((status.as_str(), balance), ("active", json!("100")), "an outage must not change the status");
    assert!(error.as_str().unwrap().contains("502"), "{error}");
    fake_panel.set_behavior(FakeBehavior::Correct);
    fake_panel.state().api_key = "changed-key".into();
    assert_eq!(poll_and_fetch_state().await, ("error".into(), json!("Invalid API key"), json!("100")));
    fake_panel.state().api_key = "new-key".into();
    let changed_panel =
        panel.patch_external_panel(id, json!({ "api_token": "new-key" })).await.json()["data"].clone();
    assert_eq!((&changed_panel["status"], &changed_panel["last_error"]), (&json!("active"), &json!(null)));
    assert_eq!(poll_and_fetch_state().await.0, "active");
}
