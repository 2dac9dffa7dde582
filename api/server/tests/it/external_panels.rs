//! External panels: connecting, protection of their tokens, archiving, payments and balance polls.

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
use crate::panel::{Answer, Panel};
use crate::shop;
use crate::test_server::TestServer;

both! {
    a_connected_panels_token_is_never_returned;
    a_token_is_not_sent_to_another_server;
    only_panels_of_this_product_provide_labels_and_packages;
    validation_calls_the_panel_at_an_address;
    private_addresses_are_refused;
    panels_of_this_product_create_accounts_for_each_other;
    an_account_is_not_requested_twice_without_a_check_by_staff;
    a_panel_in_use_cannot_be_archived;
    parallel_edits_do_not_overwrite_each_other;
    payments_are_listed_with_the_received_amount;
    a_currency_with_amounts_stays;
    balances_are_polled_once_and_a_low_one_notifies_once;
    a_response_to_an_outdated_request_is_ignored;
    a_rejected_token_is_shown_at_the_panel;
}

const LIST: &str = "/api/v1/admin/external-panels";
const BILLS: &str = "/api/v1/admin/external-panel-payments";
const KEY: &str = "key-of-ours-0123456789";

impl Panel {
    /// A panel that may call the loopback address.
    async fn with_loopback_panels(dialect: Dialect) -> Self {
        Self::with_config(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.outbound.timeout_seconds = 1;
        })
        .await
    }

    async fn start_fake_panel(&self) -> FakePanel {
        FakePanel::start(FakePanelState::new(KEY), Arc::new(self.clock.clone())).await.unwrap()
    }

    async fn patch_panel(&self, id: i64, body: Value) -> Answer {
        self.send("owner", "PATCH", &format!("{LIST}/{id}"), &body, None).await
    }

    /// Connects a panel and returns its id.
    async fn connect_panel(&self, endpoint: &str, fields: &Value) -> i64 {
        let mut body = json!({ "name": "Upstream", "endpoint": endpoint, "api_token": KEY });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let answer = self.post(LIST, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"]["id"].as_i64().unwrap()
    }

    async fn get_panel(&self, id: i64) -> Value {
        self.get(&format!("{LIST}/{id}")).await.json()["data"].clone()
    }
}

/// The names of the fields with errors, and the first message.
fn field_errors(answer: &Answer) -> (String, String) {
    assert_eq!(answer.status, 422, "{}", answer.text);
    let errors = answer.json()["errors"].as_object().unwrap().clone();
    let fields = errors.keys().cloned().collect::<Vec<_>>().join(",");
    let first = errors.values().next().unwrap()[0].as_str().unwrap().to_owned();
    (fields, first)
}

async fn a_connected_panels_token_is_never_returned(dialect: Dialect) {
    let (log, _guard) = Log::capture(tracing::Level::TRACE);
    let panel = Panel::with_loopback_panels(dialect).await;
    let fake_panel = panel.start_fake_panel().await;
    let body =
        json!({ "name": " Upstream ", "endpoint": fake_panel.url, "api_token": KEY, "low_balance": "5" });
    let first = panel.send("owner", "POST", LIST, &body, Some("key-1")).await;
    let created = first.json()["data"].clone();
    let id = created["id"].as_i64().unwrap();
    assert_eq!((&created["name"], &created["api_token_is_set"]), (&json!("Upstream"), &json!(true)));
    assert_eq!((&created["api_token_hint"], &created["sync_prices"]), (&json!("6789"), &json!(true)));
    assert_eq!((&created["price_jump_fraction"], &created["status"]), (&json!("0.2"), &json!("active")));
    assert_eq!(created["actions"]["archivable"], true);
    let repeated = panel.send("owner", "POST", LIST, &body, Some("key-1")).await;
    assert_eq!(repeated.json()["data"]["id"], id, "{}", repeated.text);
    let connection =
        panels::load_connection(&panel.app, &mut &panel.app.db, ExternalPanelId::new(id)).await.unwrap();
    assert_eq!((connection.api().token, connection.endpoint.as_str()), (KEY, fake_panel.url.as_str()));
    assert_eq!(panel.patch_panel(id, json!({ "api_token": "key-that-is-another" })).await.status, 200);
    assert_eq!(balances::poll_due(&panel.app).await.unwrap(), 1);
    for path in [
        LIST.to_owned(),
        format!("{LIST}/{id}"),
        "/api/v1/admin/audits".into(),
        "/api/v1/admin/services/logs".into(),
    ] {
        let text = panel.get(&path).await.text;
        assert!(!text.contains(KEY) && !text.contains("key-that-is"), "{path}: {text}");
    }
    for text in [
        "SELECT count(*) FROM audits WHERE new_values LIKE ? OR old_values LIKE ?",
        "SELECT count(*) FROM idempotency WHERE response LIKE ? OR key LIKE ?",
        "SELECT count(*) FROM external_panels WHERE last_error LIKE ? OR api_token_hint LIKE ?",
    ] {
        for secret in [KEY, "key-that-is-another"] {
            let pattern = format!("%{secret}%");
            assert_eq!(panel.number(Sql::new(text).bind(pattern.clone()).bind(pattern)).await, 0, "{text}");
        }
    }
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'external_panel.%'")).await,
        2
    );
    let text = log.text();
    assert!(!text.is_empty() && !text.contains(KEY) && !text.contains("key-that-is-another"));
    let without_token =
        panel.post(LIST, &json!({ "name": "x", "endpoint": "8.8.8.8", "api_token": " " })).await;
    assert_eq!(field_errors(&without_token).0, "api_token");
    assert_eq!(field_errors(&panel.post(LIST, &json!({})).await).0, "api_token,endpoint,name");
}

async fn a_token_is_not_sent_to_another_server(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let id = panel.connect_panel("https://8.8.8.8/api/v2", &json!({})).await;
    for endpoint in
        ["http://8.8.8.8/api/v2", "https://8.8.8.8:8443/api/v2", "https://8.8.4.4/api/v2", "8.8.4.4"]
    {
        for token in [json!(null), json!(""), json!("  ")] {
            let answer = panel.patch_panel(id, json!({ "endpoint": endpoint, "api_token": token })).await;
            assert_eq!(field_errors(&answer).0, "api_token", "{endpoint}");
        }
    }
    assert_eq!(panel.get_panel(id).await["endpoint"], "https://8.8.8.8/api/v2");
    let other_path = panel.patch_panel(id, json!({ "endpoint": "8.8.8.8:443/other/" })).await;
    assert_eq!(
        other_path.json()["data"]["endpoint"],
        "https://8.8.8.8/other",
        "another path is the same server"
    );
    let token = |panel: &Panel| {
        let app = panel.app.clone();
        let id = ExternalPanelId::new(id);
        async move { panels::load_connection(&app, &mut &app.db, id).await.unwrap().api().token.to_owned() }
    };
    assert_eq!(token(&panel).await, KEY);
    let moved = panel.patch_panel(id, json!({ "endpoint": "8.8.4.4", "api_token": "their-token" })).await;
    assert_eq!(moved.json()["data"]["endpoint"], "https://8.8.4.4/api/v2");
    assert_eq!(token(&panel).await, "their-token");
    assert_eq!(moved.json()["data"]["api_token_hint"], json!(null), "a short token has no hint");
}

async fn only_panels_of_this_product_provide_labels_and_packages(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let switches = json!({ "sync_packages": true, "sync_labels": true });
    let id = panel.connect_panel("8.8.8.8", &json!({ "sync_name": true })).await;
    let panel_data = panel.get_panel(id).await;
    assert_eq!(
        (&panel_data["sync_name"], &panel_data["actions"]["import_packages"]),
        (&json!(true), &json!(true))
    );
    let refused = panel.patch_panel(id, switches.clone()).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    for field in ["sync_labels", "sync_packages"] {
        assert!(refused.json()["errors"][field].is_array(), "{}", refused.text);
    }
    let mut own_kind = switches.clone();
    own_kind["type"] = json!("socpanel");
    let panel_data = panel.patch_panel(id, own_kind).await.json()["data"].clone();
    assert_eq!([&panel_data["sync_labels"], &panel_data["sync_packages"]], [true, true]);
    assert_eq!(
        (&panel_data["type_label"], &panel_data["actions"]["import_packages"]),
        (&json!("Panvy"), &json!(true))
    );
    let panel_data = panel.patch_panel(id, json!({ "type": "perfect_panel" })).await.json()["data"].clone();
    assert_eq!(
        [&panel_data["sync_labels"], &panel_data["sync_packages"]],
        [false, false],
        "the type does not support these switches"
    );
    let choices = panel.get(&format!("{LIST}/collections")).await.json()["data"].clone();
    assert!(choices["currencies"].as_array().unwrap().iter().any(|choice| choice["type"] == "USD"));
    assert_eq!(choices["statisticTypes"].as_array().unwrap().len(), 2);
    assert!(panel.get(&format!("{LIST}/preset-panels")).await.json()["data"].as_array().unwrap().len() > 2);
}

async fn validation_calls_the_panel_at_an_address(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let fake_panel = panel.start_fake_panel().await;
    let validate = async |body: Value| panel.post(&format!("{LIST}/validate"), &body).await;
    let base_url = fake_panel.url.trim_end_matches("/api/v2").to_owned();
    for behavior in [FakeBehavior::Correct, FakeBehavior::ErrorsAs4xx, FakeBehavior::JsonNumbers] {
        fake_panel.set_behavior(behavior);
        let answer = validate(json!({ "endpoint": base_url })).await;
        assert_eq!(answer.status, 200, "{behavior:?}: {}", answer.text);
        let answer = answer.json()["data"].clone();
        assert_eq!((&answer["isOurPanel"], &answer["endpoint"]), (&json!(false), &json!(fake_panel.url)));
    }
    assert!(
        fake_panel.calls().iter().all(|call| call["key"].is_empty()),
        "no token is sent when the request has none"
    );
    for behavior in [
        FakeBehavior::HtmlPage,
        FakeBehavior::BadGateway,
        FakeBehavior::EmptyData,
        FakeBehavior::Truncated,
        FakeBehavior::NoAnswer,
        FakeBehavior::RateLimited,
    ] {
        fake_panel.set_behavior(behavior);
        let answer = validate(json!({ "endpoint": fake_panel.url, "api_token": KEY })).await;
        assert_eq!(field_errors(&answer).0, "endpoint", "{behavior:?}");
        assert!(!answer.text.contains(KEY));
    }
    fake_panel.set_behavior(FakeBehavior::Correct);
    let with_balance =
        validate(json!({ "endpoint": fake_panel.url, "api_token": KEY })).await.json()["data"].clone();
    assert_eq!((&with_balance["balance"], &with_balance["currency"]), (&json!("100"), &json!("USD")));
    let wrong_token = validate(json!({ "endpoint": fake_panel.url, "api_token": "stolen" })).await;
    assert_eq!(field_errors(&wrong_token), ("api_token".into(), "Invalid API key".into()));
    for endpoint in ["", "ftp://a.example", "https://a.example/?key=1"] {
        assert_eq!(
            field_errors(&validate(json!({ "endpoint": endpoint })).await).0,
            "endpoint",
            "{endpoint}"
        );
    }
}

async fn private_addresses_are_refused(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.connect_panel("8.8.8.8", &json!({})).await;
    for endpoint in
        ["127.0.0.1", "localhost", "https://169.254.169.254/latest", "10.0.0.7:8443", "http://8.8.8.8/"]
    {
        let body = json!({ "name": "x", "endpoint": endpoint, "api_token": KEY });
        let error = field_errors(&panel.post(LIST, &body).await);
        assert_eq!(error.0, "endpoint", "{endpoint}");
        assert!(error.1.starts_with("This address cannot be called: "), "{}", error.1);
        assert_eq!(
            field_errors(&panel.patch_panel(id, json!({ "endpoint": endpoint, "api_token": KEY })).await).0,
            "endpoint"
        );
        for path in ["validate", "create-account"] {
            let answer = panel.post(&format!("{LIST}/{path}"), &json!({ "endpoint": endpoint })).await;
            assert_eq!(field_errors(&answer).0, "endpoint", "{path} {endpoint}");
        }
    }
}

async fn panels_of_this_product_create_accounts_for_each_other(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let fake_panel = panel.start_fake_panel().await;
    let create_account = async |endpoint: &str| {
        panel.post(&format!("{LIST}/create-account"), &json!({ "endpoint": endpoint })).await
    };
    let (field, message) = field_errors(&create_account(&fake_panel.url).await);
    assert!(field == "endpoint" && message.starts_with("Only panels of this product"), "{message}");
    let closed_panel = TestServer::on(dialect).await;
    let (field, message) = field_errors(&create_account(&format!("http://{}", closed_panel.host())).await);
    assert!(field == "endpoint" && message.contains("does not create accounts automatically"), "{message}");
    let open_panel = Panel::with_config(dialect, |config| config.panels.allow_account_creation = true).await;
    let open_panel = TestServer::start(open_panel).await;
    let address = format!("http://{}", open_panel.host());
    let validated = panel.post(&format!("{LIST}/validate"), &json!({ "endpoint": address })).await.json();
    assert_eq!(validated["data"]["isOurPanel"], true);
    let account = create_account(&address).await;
    assert_eq!(account.status, 200, "{}", account.text);
    let account = account.json()["data"].clone();
    assert_eq!(
        (&account["currency"], &account["endpoint"]),
        (&json!("USD"), &json!(format!("{address}/api/v2")))
    );
    let body = json!({ "endpoint": address, "api_token": account["apiToken"] });
    let with_token = panel.post(&format!("{LIST}/validate"), &body).await.json();
    assert_eq!(with_token["data"]["balance"], "0", "{with_token}");
    let token = account["apiToken"].as_str().unwrap();
    let audits = "SELECT count(*) FROM audits WHERE new_values LIKE ? AND event LIKE ?";
    let count = |text: String, event: &'static str| Sql::new(audits).bind(text).bind(event);
    for (side, event) in [
        (&panel, "external_panel.account_requested"),
        (&panel, "external_panel.account_created"),
        (&open_panel.panel, "user.account_handed_out"),
    ] {
        assert_eq!(side.number(count(format!("%{token}%"), "%")).await, 0);
        // This panel requested one account before without success.
        let expected = if event.ends_with("account_requested") { 2 } else { 1 };
        assert_eq!(side.number(count("%".into(), event)).await, expected);
    }
    let dry_run =
        panel.post(&format!("{LIST}/create-account?dry_run=1"), &json!({ "endpoint": address })).await;
    assert_eq!(dry_run.status, 422, "{}", dry_run.text);
    let repeated = create_account(&address).await;
    assert_eq!(
        (repeated.status.as_u16(), &repeated.json()["code"]),
        (409, &json!("account_requested_before")),
        "{}",
        repeated.text
    );
    let accounts = || Sql::new("SELECT count(*) FROM api_keys");
    assert_eq!(open_panel.panel.number(accounts()).await, 1);
    let child_panels = Sql::new("SELECT count(*) FROM users WHERE account_type = 'child_panel'");
    assert_eq!(open_panel.panel.number(child_panels).await, 1, "the account is a child panel's");
    // The server calls no panel while it cannot write to the database.
    panel.execute(Sql::new("DROP TABLE audits")).await;
    let after_check = json!({ "endpoint": address, "checked": true });
    assert_eq!(panel.post(&format!("{LIST}/create-account"), &after_check).await.status, 500);
    assert_eq!(open_panel.panel.number(accounts()).await, 1);
}

/// Starts a panel of this product that creates accounts and loses its responses. Returns its URL and the number of created
/// accounts.
async fn start_panel_that_loses_responses() -> (String, Arc<Mutex<usize>>) {
    let created = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&created);
    let answer = async move |body: String| {
        if body.contains("create_account") {
            *counter.lock().unwrap() += 1;
            return (StatusCode::BAD_GATEWAY, String::new());
        }
        (StatusCode::OK, json!({ "panel": "panel", "currency": "USD" }).to_string())
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/api/v2", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await.unwrap() });
    (url, created)
}

async fn an_account_is_not_requested_twice_without_a_check_by_staff(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let (url, created) = start_panel_that_loses_responses().await;
    let request_account = async |checked: bool| {
        let body = json!({ "endpoint": url, "checked": checked });
        panel.post(&format!("{LIST}/create-account"), &body).await
    };
    let created = || *created.lock().unwrap();
    assert_eq!((request_account(false).await.status.as_u16(), created()), (422, 1), "the outcome is unknown");
    for _ in 0..2 {
        let repeated = request_account(false).await;
        assert_eq!((repeated.status.as_u16(), created()), (409, 1), "{}", repeated.text);
        assert!(
            repeated.json()["message"].as_str().unwrap().contains("unknown outcome"),
            "{}",
            repeated.text
        );
    }
    assert_eq!(
        (request_account(true).await.status.as_u16(), created()),
        (422, 2),
        "staff confirmed that no account was created"
    );
    assert_eq!((request_account(false).await.status.as_u16(), created()), (409, 2));
    // Simulate a process that died during a call.
    panel.execute(Sql::new("UPDATE account_requests SET outcome = 'sent'")).await;
    let pending = request_account(true).await;
    assert_eq!((pending.status.as_u16(), &pending.json()["code"]), (409, &json!("account_request_pending")));
    panel.clock.advance_secs(121);
    assert_eq!((request_account(false).await.status.as_u16(), created()), (409, 2));
    assert_eq!((request_account(true).await.status.as_u16(), created()), (422, 3));
    // Of two concurrent requests only one calls the panel.
    panel.execute(Sql::new("DELETE FROM account_requests")).await;
    let (first, second) = tokio::join!(request_account(false), request_account(false));
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!((statuses, created()), ([409, 422], 4));
}

async fn a_panel_in_use_cannot_be_archived(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    shop::fill(&panel.app.db, 3, 5).await;
    let id = panel.connect_panel("8.8.8.8", &json!({})).await;
    let act = async |action: &str| panel.post(&format!("{LIST}/{id}/{action}"), &json!({})).await;
    panel
        .execute(
            Sql::new("UPDATE providers SET external_panel_id = ?, is_archived = FALSE WHERE id IN (1, 2)")
                .bind(id),
        )
        .await;
    let refused = act("archive").await;
    assert_eq!(refused.status, 409);
    assert!(refused.text.contains("providers: Provider 1 (1), Provider 2 (2)"), "{}", refused.text);
    assert_eq!(panel.get_panel(id).await["actions"]["archivable"], false);
    panel
        .execute(Sql::new("UPDATE providers SET is_archived = TRUE WHERE external_panel_id = ?").bind(id))
        .await;
    let attempt = Sql::new(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, initial_quantity, created_at, updated_at)
         SELECT min(id), 1, ?, 'In progress', 10, 1, 1 FROM orders",
    );
    panel.execute(attempt.bind(id)).await;
    let refused = act("archive").await;
    assert!(refused.text.contains("orders placed with it: Service 1 ("), "{}", refused.text);
    assert_eq!(panel.get_panel(id).await["open_orders_count"], 1);
    panel.execute(Sql::new("UPDATE external_panel_orders SET status = 'Completed'")).await;
    let archived = act("archive").await;
    assert_eq!((archived.status.as_u16(), &archived.json()["data"]["status"]), (200, &json!("archived")));
    assert_eq!(act("archive").await.status, 409);
    assert_eq!(panel.patch_panel(id, json!({ "name": "Other" })).await.status, 409);
    assert_eq!(act("unarchive").await.json()["data"]["status"], "active");
    assert_eq!(act("unarchive").await.status, 409);
    panel.create_staff("keeper", &[Permission::ManageServicesAndProviders]).await;
    let denied = panel.get_as("keeper", LIST, "application/json").await;
    assert_eq!(denied.status, 403);
}

async fn parallel_edits_do_not_overwrite_each_other(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.connect_panel("8.8.8.8", &json!({})).await;
    let updated_at = panel.get_panel(id).await["updated_at"].clone();
    panel.clock.advance_secs(1);
    assert_eq!(panel.patch_panel(id, json!({ "name": "First", "updated_at": updated_at })).await.status, 200);
    let second = panel.patch_panel(id, json!({ "name": "Second", "updated_at": updated_at })).await;
    assert_eq!((second.status.as_u16(), &second.json()["code"]), (409, &json!("changed_meanwhile")));
    let name = panel.get_panel(id).await["name"].clone();
    assert_eq!(name, "First");
    let path = format!("{LIST}/{id}?dry_run=1");
    panel.send("owner", "PATCH", &path, &json!({ "name": "Tried" }), None).await;
    assert_eq!(panel.get_panel(id).await["name"], "First");
    assert_eq!(panel.patch_panel(999, json!({ "name": "x" })).await.status, 404);
}

async fn a_currency_with_amounts_stays(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    shop::fill(&panel.app.db, 1, 1).await;
    let id = panel.connect_panel("8.8.8.8", &json!({})).await;
    let set_currency = async |currency: &str| panel.patch_panel(id, json!({ "currency": currency })).await;
    let assert_refused = async |reason: &str| {
        let answer = set_currency("RUB").await;
        assert_eq!(answer.status_and_code(), (409, "external_panel_currency_in_use".into()));
        assert!(answer.text.contains(&format!("has {reason} in EUR")), "{}", answer.text);
        assert_eq!(panel.get_panel(id).await["currency"], "EUR");
    };
    assert_eq!(set_currency("EUR").await.status, 200, "no amount is stored in the currency");
    let body = json!({ "external_panel_id": id, "date": "2026-11-19", "amount": "100" });
    let payment = panel.post(BILLS, &body).await.json()["data"]["id"].clone();
    assert_refused("payments in its billing").await;
    assert_eq!(
        panel.patch_panel(id, json!({ "currency": "EUR", "name": "Up" })).await.status,
        200,
        "the same currency is no change"
    );
    let deleted = panel.send("owner", "DELETE", &format!("{BILLS}/{payment}"), &json!({}), None).await;
    assert_eq!(deleted.status, 204, "{}", deleted.text);
    let attempt = "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, charge, initial_quantity, created_at, updated_at)
        SELECT (SELECT min(id) FROM orders), (SELECT min(id) FROM providers), ?, 'Pending', 0, 100, 1, 1";
    panel.execute(Sql::new(attempt).bind(id)).await;
    assert_refused("orders placed with it").await;
    panel.execute(Sql::new("UPDATE external_panel_orders SET status = 'Completed', charge = 5")).await;
    assert_refused("charges of orders").await;
    panel.execute(Sql::new("UPDATE external_panel_orders SET charge = 0")).await;
    assert_eq!(set_currency("RUB").await.status, 200);
}

async fn payments_are_listed_with_the_received_amount(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.connect_panel("8.8.8.8", &json!({})).await;
    let missing = ("external_panel_id".to_owned(), "External Panel ID is missing".to_owned());
    assert_eq!(field_errors(&panel.get(BILLS).await), missing);
    assert_eq!(
        field_errors(&panel.post(BILLS, &json!({ "date": "2026-11-20", "amount": "1" })).await),
        missing
    );
    let unknown = json!({ "external_panel_id": 999, "date": "2026-11-20", "amount": "1" });
    assert_eq!(field_errors(&panel.post(BILLS, &unknown).await).0, "external_panel_id");
    let body = json!({ "external_panel_id": id, "date": "2026-11-19", "amount": "100", "fee": "2.5", "payment_method_commission": "1.25", "bonus": "5.000001" });
    let first = panel.post(BILLS, &body).await.json()["data"].clone();
    assert_eq!((&first["received"], &first["date"]), (&json!("101.250001"), &json!("2026-11-19")));
    assert_eq!(first["actions"], json!({ "editable": true, "deletable": true }));
    let body = json!({ "external_panel_id": id, "date": "2026-11-20", "amount": "0.000001" });
    let second = panel.post(BILLS, &body).await.json()["data"].clone();
    assert_eq!(second["received"], "0.000001");
    let list = async || panel.get(&format!("{BILLS}?external_panel_id={id}")).await.json();
    let page = list().await;
    assert_eq!(
        (&page["recordsTotal"], &page["data"][0]["id"]),
        (&json!(2), &second["id"]),
        "the newest date first"
    );
    let path = format!("{BILLS}/{}", first["id"]);
    let too_high_fee = panel.put(&path, &json!({ "fee": "98.750001" })).await;
    assert_eq!(field_errors(&too_high_fee).0, "fee");
    assert_eq!(
        field_errors(&panel.put(&path, &json!({ "external_panel_id": id + 1 })).await).0,
        "external_panel_id"
    );
    let updated_at = first["updated_at"].clone();
    panel.clock.advance_secs(1);
    let changed =
        panel.put(&path, &json!({ "fee": "98.75", "bonus": "0", "updated_at": updated_at })).await.json();
    assert_eq!(changed["data"]["received"], "0");
    assert_eq!(panel.put(&path, &json!({ "fee": "0", "updated_at": updated_at })).await.status, 409);
    let deleted = panel.send("owner", "DELETE", &path, &json!({}), None).await;
    assert_eq!(deleted.status, 204, "{}", deleted.text);
    assert_eq!(panel.send("owner", "DELETE", &path, &json!({}), None).await.status, 404);
    assert_eq!(list().await["recordsTotal"], 1);
    let audits = Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'external_panel_payment'");
    assert_eq!(panel.number(audits).await, 4);
}

async fn balances_are_polled_once_and_a_low_one_notifies_once(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    panel.create_staff("buyer", &[Permission::ManageExternalPanels]).await;
    let fake_panel = panel.start_fake_panel().await;
    let add_recipient = Sql::new(
        "INSERT INTO notification_recipients (audience, user_id) SELECT 'admin', id FROM users WHERE name = 'buyer'",
    );
    panel.execute(add_recipient).await;
    let id = panel.connect_panel(&fake_panel.url, &json!({ "low_balance": "20" })).await;
    let balance_calls = || fake_panel.calls().iter().filter(|call| call["action"] == "balance").count();
    let emails_count = async || {
        panel
            .number(Sql::new(
                "SELECT count(*) FROM jobs WHERE payload LIKE '%balance at an external panel is low%'",
            ))
            .await
    };
    // Two processes poll at the same time.
    let (first, second) = tokio::join!(balances::poll_due(&panel.app), balances::poll_due(&panel.app));
    assert!(first.is_ok() && second.is_ok());
    assert_eq!((balance_calls(), emails_count().await), (1, 0));
    let panel_data = panel.get_panel(id).await;
    assert_eq!((&panel_data["balance"], &panel_data["balance_is_low"]), (&json!("100"), &json!(false)));
    panel.clock.advance_secs(599);
    balances::poll_due(&panel.app).await.unwrap();
    assert_eq!(balance_calls(), 1, "no poll within ten minutes");
    let mut as_expected = Vec::new();
    for (units, expected_emails) in [(19, 1), (18, 1), (20, 1), (19, 2)] {
        fake_panel.state().balance = Money(units * 1_000_000);
        panel.clock.advance_secs(600);
        balances::poll_due(&panel.app).await.unwrap();
        as_expected.push((
            panel.get_panel(id).await["balance_is_low"] == (units < 20),
            emails_count().await == expected_emails,
        ));
    }
    assert_eq!(as_expected, [(true, true); 4]);
    assert_eq!(
        panel
            .number(Sql::new("SELECT count(*) FROM audits WHERE event = 'external_panel.low_balance'"))
            .await,
        2
    );
    assert_eq!(panel.patch_panel(id, json!({ "low_balance": "30" })).await.status, 200);
    panel.clock.advance_secs(600);
    balances::poll_due(&panel.app).await.unwrap();
    assert_eq!(emails_count().await, 3, "a changed bound notifies again");
    let calls_before = balance_calls();
    panel.post(&format!("{LIST}/{id}/archive"), &json!({})).await;
    panel.clock.advance_secs(6_000);
    balances::poll_due(&panel.app).await.unwrap();
    assert_eq!(balance_calls(), calls_before, "an archived panel is not polled");
}

async fn a_response_to_an_outdated_request_is_ignored(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let fake_panel = panel.start_fake_panel().await;
    let id = panel.connect_panel(&fake_panel.url, &json!({})).await;
    fake_panel.set_behavior(FakeBehavior::NoAnswer);
    let poll = balances::poll_due(&panel.app);
    let change = async {
        while fake_panel.calls().is_empty() {
            tokio::task::yield_now().await;
        }
        panel.patch_panel(id, json!({ "currency": "EUR" })).await
    };
    let (polled, changed) = tokio::join!(poll, change);
    assert_eq!((polled.unwrap(), changed.status.as_u16()), (1, 200));
    assert_eq!(panel.get_panel(id).await["last_error"], json!(null));
    fake_panel.set_behavior(FakeBehavior::Correct);
    balances::poll_due(&panel.app).await.unwrap();
    let panel_data = panel.get_panel(id).await;
    let error = panel_data["last_error"].as_str().unwrap();
    assert!(error.contains("USD") && error.contains("EUR"), "{error}");
    assert_eq!(panel_data["balance"], json!(null), "a balance in another currency is not stored");
}

async fn a_rejected_token_is_shown_at_the_panel(dialect: Dialect) {
    let panel = Panel::with_loopback_panels(dialect).await;
    let fake_panel = panel.start_fake_panel().await;
    let id = panel.connect_panel(&fake_panel.url, &json!({})).await;
    let poll = async || {
        panel.clock.advance_secs(601);
        balances::poll_due(&panel.app).await.unwrap();
        let panel_data = panel.get_panel(id).await;
        (
            panel_data["status"].as_str().unwrap().to_owned(),
            panel_data["last_error"].clone(),
            panel_data["balance"].clone(),
        )
    };
    assert_eq!(poll().await, ("active".into(), json!(null), json!("100")));
    fake_panel.set_behavior(FakeBehavior::BadGateway);
    let (status, error, balance) = poll().await;
    assert_eq!((status.as_str(), balance), ("active", json!("100")), "an outage does not change the status");
    assert!(error.as_str().unwrap().contains("502"), "{error}");
    fake_panel.set_behavior(FakeBehavior::Correct);
    fake_panel.state().key = "changed there".into();
    assert_eq!(poll().await, ("error".into(), json!("Invalid API key"), json!("100")));
    fake_panel.state().key = "new-key".into();
    let changed = panel.patch_panel(id, json!({ "api_token": "new-key" })).await.json()["data"].clone();
    assert_eq!((&changed["status"], &changed["last_error"]), (&json!("active"), &json!(null)));
    assert_eq!(poll().await.0, "active");
}
