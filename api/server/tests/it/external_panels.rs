//! External panels: connecting, protection of their tokens, archiving, payments and balance polls.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::StatusCode;
use panel_contract::amount::Money;
use panel_contract::ids::ExternalPanelId;
use panel_contract::permission::Permission;
use panel_demo::panel::world::World;
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_platform::db::{Dialect, Sql};
use panel_server::supply::{balances, panels};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::logs::Log;
use crate::panel::{Answer, Panel};
use crate::served::Served;
use crate::shop;

both! {
    a_connected_panels_token_is_never_returned;
    a_token_is_not_sent_to_another_server;
    only_own_panels_give_services_and_packages;
    an_address_is_asked_whether_a_panel_answers;
    private_addresses_are_refused;
    panels_of_this_product_know_each_other_and_hand_out_accounts;
    an_account_is_never_asked_for_twice_without_a_look;
    a_panel_in_use_cannot_be_archived;
    editors_do_not_overwrite_each_other;
    billing_adds_up;
    a_currency_with_amounts_stays;
    balances_are_polled_once_and_a_low_one_notifies_once;
    a_response_to_an_outdated_request_is_ignored;
    a_token_that_is_refused_shows_on_the_panel;
}

const LIST: &str = "/api/v1/admin/external-panels";
const BILLS: &str = "/api/v1/admin/external-panel-payments";
const KEY: &str = "key-of-ours-0123456789";

impl Panel {
    /// A panel that may call the loopback address.
    async fn buying(dialect: Dialect) -> Self {
        Self::with(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.outbound.seconds = 1;
        })
        .await
    }

    async fn upstream(&self) -> FakePanel {
        FakePanel::start(World::new(KEY), Arc::new(self.clock.clone())).await.unwrap()
    }

    async fn alter(&self, id: i64, body: Value) -> Answer {
        self.send("owner", "PATCH", &format!("{LIST}/{id}"), &body, None).await
    }

    /// Connects a panel and returns its id.
    async fn connect(&self, endpoint: &str, more: &Value) -> i64 {
        let mut body = json!({ "name": "Upstream", "endpoint": endpoint, "api_token": KEY });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = self.post(LIST, &body).await;
        assert_eq!(made.status, 200, "{}", made.text);
        made.json()["data"]["id"].as_i64().unwrap()
    }

    async fn connected(&self, id: i64) -> Value {
        self.get(&format!("{LIST}/{id}")).await.json()["data"].clone()
    }
}

/// The fields with errors, and the first message.
fn wrong(answer: &Answer) -> (String, String) {
    assert_eq!(answer.status, 422, "{}", answer.text);
    let errors = answer.json()["errors"].as_object().unwrap().clone();
    let fields = errors.keys().cloned().collect::<Vec<_>>().join(",");
    let first = errors.values().next().unwrap()[0].as_str().unwrap().to_owned();
    (fields, first)
}

async fn a_connected_panels_token_is_never_returned(dialect: Dialect) {
    let (log, _guard) = Log::begin(tracing::Level::TRACE);
    let panel = Panel::buying(dialect).await;
    let theirs = panel.upstream().await;
    let body = json!({ "name": " Upstream ", "endpoint": theirs.url, "api_token": KEY, "low_balance": "5" });
    let first = panel.send("owner", "POST", LIST, &body, Some("key-1")).await;
    let made = first.json()["data"].clone();
    let id = made["id"].as_i64().unwrap();
    assert_eq!((&made["name"], &made["api_token_is_set"]), (&json!("Upstream"), &json!(true)));
    assert_eq!((&made["api_token_hint"], &made["sync_prices"]), (&json!("6789"), &json!(true)));
    assert_eq!((&made["price_jump_percent"], &made["status"]), (&json!("0.2"), &json!("active")));
    assert_eq!(made["actions"]["archivable"], true);
    let again = panel.send("owner", "POST", LIST, &body, Some("key-1")).await;
    assert_eq!(again.json()["data"]["id"], id, "{}", again.text);
    let reachable =
        panels::reachable(&panel.app, &mut &panel.app.db, ExternalPanelId::new(id)).await.unwrap();
    assert_eq!((reachable.panel().token, reachable.endpoint.as_str()), (KEY, theirs.url.as_str()));
    assert_eq!(panel.alter(id, json!({ "api_token": "key-that-is-another" })).await.status, 200);
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
            let like = format!("%{secret}%");
            assert_eq!(panel.number(Sql::new(text).bind(like.clone()).bind(like)).await, 0, "{text}");
        }
    }
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'external_panel.%'")).await,
        2
    );
    let text = log.text();
    assert!(!text.is_empty() && !text.contains(KEY) && !text.contains("key-that-is-another"));
    let missing = panel.post(LIST, &json!({ "name": "x", "endpoint": "8.8.8.8", "api_token": " " })).await;
    assert_eq!(wrong(&missing).0, "api_token");
    assert_eq!(wrong(&panel.post(LIST, &json!({})).await).0, "api_token,endpoint,name");
}

async fn a_token_is_not_sent_to_another_server(dialect: Dialect) {
    let panel = Panel::buying(dialect).await;
    let id = panel.connect("https://8.8.8.8/api/v2", &json!({})).await;
    for moved in ["http://8.8.8.8/api/v2", "https://8.8.8.8:8443/api/v2", "https://8.8.4.4/api/v2", "8.8.4.4"]
    {
        for token in [json!(null), json!(""), json!("  ")] {
            let answer = panel.alter(id, json!({ "endpoint": moved, "api_token": token })).await;
            assert_eq!(wrong(&answer).0, "api_token", "{moved}");
        }
    }
    assert_eq!(panel.connected(id).await["endpoint"], "https://8.8.8.8/api/v2");
    let same = panel.alter(id, json!({ "endpoint": "8.8.8.8:443/other/" })).await;
    assert_eq!(same.json()["data"]["endpoint"], "https://8.8.8.8/other", "another path is the same server");
    let token = |panel: &Panel| {
        let app = panel.app.clone();
        let id = ExternalPanelId::new(id);
        async move { panels::reachable(&app, &mut &app.db, id).await.unwrap().panel().token.to_owned() }
    };
    assert_eq!(token(&panel).await, KEY);
    let moved = panel.alter(id, json!({ "endpoint": "8.8.4.4", "api_token": "their-token" })).await;
    assert_eq!(moved.json()["data"]["endpoint"], "https://8.8.4.4/api/v2");
    assert_eq!(token(&panel).await, "their-token");
    assert_eq!(moved.json()["data"]["api_token_hint"], json!(null), "a short one tells nothing");
}

async fn only_own_panels_give_services_and_packages(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let all = json!({ "sync_packages": true, "sync_labels": true });
    let id = panel.connect("8.8.8.8", &json!({ "sync_name": true })).await;
    let shown = panel.connected(id).await;
    assert_eq!((&shown["sync_name"], &shown["actions"]["import_packages"]), (&json!(true), &json!(true)));
    let refused = panel.alter(id, all.clone()).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    for field in ["sync_labels", "sync_packages"] {
        assert!(refused.json()["errors"][field].is_array(), "{}", refused.text);
    }
    let mut ours = all.clone();
    ours["type"] = json!("socpanel");
    let shown = panel.alter(id, ours).await.json()["data"].clone();
    assert_eq!([&shown["sync_labels"], &shown["sync_packages"]], [true, true]);
    assert_eq!((&shown["type_label"], &shown["actions"]["import_packages"]), (&json!("Panvy"), &json!(true)));
    let shown = panel.alter(id, json!({ "type": "perfect_panel" })).await.json()["data"].clone();
    assert_eq!([&shown["sync_labels"], &shown["sync_packages"]], [false, false], "off with the kind");
    let choices = panel.get(&format!("{LIST}/collections")).await.json()["data"].clone();
    assert!(choices["currencies"].as_array().unwrap().iter().any(|choice| choice["type"] == "USD"));
    assert_eq!(choices["statisticTypes"].as_array().unwrap().len(), 2);
    assert!(panel.get(&format!("{LIST}/preset-panels")).await.json()["data"].as_array().unwrap().len() > 2);
}

async fn an_address_is_asked_whether_a_panel_answers(dialect: Dialect) {
    let panel = Panel::buying(dialect).await;
    let theirs = panel.upstream().await;
    let ask = async |body: Value| panel.post(&format!("{LIST}/validate"), &body).await;
    let bare = theirs.url.trim_end_matches("/api/v2").to_owned();
    for temper in [FakeBehavior::Good, FakeBehavior::Strict, FakeBehavior::Numbers] {
        theirs.behave(temper);
        let found = ask(json!({ "endpoint": bare })).await;
        assert_eq!(found.status, 200, "{temper:?}: {}", found.text);
        let found = found.json()["data"].clone();
        assert_eq!((&found["isOurPanel"], &found["endpoint"]), (&json!(false), &json!(theirs.url)));
    }
    assert!(theirs.calls().iter().all(|call| call["key"].is_empty()), "no token is sent to a stranger");
    for temper in [
        FakeBehavior::Html,
        FakeBehavior::Down,
        FakeBehavior::Empty,
        FakeBehavior::Half,
        FakeBehavior::Silent,
        FakeBehavior::Busy,
    ] {
        theirs.behave(temper);
        let answer = ask(json!({ "endpoint": theirs.url, "api_token": KEY })).await;
        assert_eq!(wrong(&answer).0, "endpoint", "{temper:?}");
        assert!(!answer.text.contains(KEY));
    }
    theirs.behave(FakeBehavior::Good);
    let known = ask(json!({ "endpoint": theirs.url, "api_token": KEY })).await.json()["data"].clone();
    assert_eq!((&known["balance"], &known["currency"]), (&json!("100"), &json!("USD")));
    let stranger = ask(json!({ "endpoint": theirs.url, "api_token": "stolen" })).await;
    assert_eq!(wrong(&stranger), ("api_token".into(), "Invalid API key".into()));
    for endpoint in ["", "ftp://a.example", "https://a.example/?key=1"] {
        assert_eq!(wrong(&ask(json!({ "endpoint": endpoint })).await).0, "endpoint", "{endpoint}");
    }
}

async fn private_addresses_are_refused(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.connect("8.8.8.8", &json!({})).await;
    for endpoint in
        ["127.0.0.1", "localhost", "https://169.254.169.254/latest", "10.0.0.7:8443", "http://8.8.8.8/"]
    {
        let body = json!({ "name": "x", "endpoint": endpoint, "api_token": KEY });
        let refused = wrong(&panel.post(LIST, &body).await);
        assert_eq!(refused.0, "endpoint", "{endpoint}");
        assert!(refused.1.starts_with("This address cannot be called: "), "{}", refused.1);
        assert_eq!(
            wrong(&panel.alter(id, json!({ "endpoint": endpoint, "api_token": KEY })).await).0,
            "endpoint"
        );
        for path in ["validate", "create-account"] {
            let answer = panel.post(&format!("{LIST}/{path}"), &json!({ "endpoint": endpoint })).await;
            assert_eq!(wrong(&answer).0, "endpoint", "{path} {endpoint}");
        }
    }
}

async fn panels_of_this_product_know_each_other_and_hand_out_accounts(dialect: Dialect) {
    let panel = Panel::buying(dialect).await;
    let theirs = panel.upstream().await;
    let ask = async |endpoint: &str| {
        panel.post(&format!("{LIST}/create-account"), &json!({ "endpoint": endpoint })).await
    };
    let (field, words) = wrong(&ask(&theirs.url).await);
    assert!(field == "endpoint" && words.starts_with("Only panels of this product"), "{words}");
    let closed = Served::on(dialect).await;
    let (field, words) = wrong(&ask(&format!("http://{}", closed.host())).await);
    assert!(field == "endpoint" && words.contains("does not create accounts automatically"), "{words}");
    let open = Panel::with(dialect, |config| config.panels.hands_out_accounts = true).await;
    let open = Served::start(open).await;
    let address = format!("http://{}", open.host());
    let found = panel.post(&format!("{LIST}/validate"), &json!({ "endpoint": address })).await.json();
    assert_eq!(found["data"]["isOurPanel"], true);
    let made = ask(&address).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let made = made.json()["data"].clone();
    assert_eq!((&made["currency"], &made["endpoint"]), (&json!("USD"), &json!(format!("{address}/api/v2"))));
    let body = json!({ "endpoint": address, "api_token": made["apiToken"] });
    let known = panel.post(&format!("{LIST}/validate"), &body).await.json();
    assert_eq!(known["data"]["balance"], "0", "{known}");
    let token = made["apiToken"].as_str().unwrap();
    let stored = "SELECT count(*) FROM audits WHERE new_values LIKE ? AND event LIKE ?";
    let count = |what: String, event: &'static str| Sql::new(stored).bind(what).bind(event);
    for (who, event) in [
        (&panel, "external_panel.account_asked"),
        (&panel, "external_panel.account_created"),
        (&open.panel, "user.account_handed_out"),
    ] {
        assert_eq!(who.number(count(format!("%{token}%"), "%")).await, 0);
        // The first panel was asked before without success.
        let asked = if event.ends_with("asked") { 2 } else { 1 };
        assert_eq!(who.number(count("%".into(), event)).await, asked);
    }
    let rehearsed =
        panel.post(&format!("{LIST}/create-account?dry_run=1"), &json!({ "endpoint": address })).await;
    assert_eq!(rehearsed.status, 422, "{}", rehearsed.text);
    let again = ask(&address).await;
    assert_eq!(
        (again.status.as_u16(), &again.json()["code"]),
        (409, &json!("account_asked_before")),
        "{}",
        again.text
    );
    let accounts = || Sql::new("SELECT count(*) FROM api_keys");
    assert_eq!(open.panel.number(accounts()).await, 1);
    let kind = Sql::new("SELECT count(*) FROM users WHERE account_type = 'child_panel'");
    assert_eq!(open.panel.number(kind).await, 1, "the account is a child panel's");
    // The server calls no panel while it cannot write to the database.
    panel.exec(Sql::new("DROP TABLE audits")).await;
    let checked = json!({ "endpoint": address, "checked": true });
    assert_eq!(panel.post(&format!("{LIST}/create-account"), &checked).await.status, 500);
    assert_eq!(open.panel.number(accounts()).await, 1);
}

/// A panel of this product that opens accounts, but whose response is lost.
async fn forgetful() -> (String, Arc<Mutex<usize>>) {
    let opened = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&opened);
    let answer = async move |sent: String| {
        if sent.contains("create_account") {
            *counted.lock().unwrap() += 1;
            return (StatusCode::BAD_GATEWAY, String::new());
        }
        (StatusCode::OK, json!({ "panel": "panel", "currency": "USD" }).to_string())
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/api/v2", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await.unwrap() });
    (url, opened)
}

async fn an_account_is_never_asked_for_twice_without_a_look(dialect: Dialect) {
    let panel = Panel::buying(dialect).await;
    let (url, opened) = forgetful().await;
    let ask = async |checked: bool| {
        let body = json!({ "endpoint": url, "checked": checked });
        panel.post(&format!("{LIST}/create-account"), &body).await
    };
    let opened = || *opened.lock().unwrap();
    assert_eq!((ask(false).await.status.as_u16(), opened()), (422, 1), "the outcome is unknown");
    for _ in 0..2 {
        let again = ask(false).await;
        assert_eq!((again.status.as_u16(), opened()), (409, 1), "{}", again.text);
        assert!(again.json()["message"].as_str().unwrap().contains("unknown outcome"), "{}", again.text);
    }
    assert_eq!((ask(true).await.status.as_u16(), opened()), (422, 2), "staff looked");
    assert_eq!((ask(false).await.status.as_u16(), opened()), (409, 2));
    // Simulate a process that died during a call.
    panel.exec(Sql::new("UPDATE account_requests SET outcome = 'asked'")).await;
    let under_way = ask(true).await;
    assert_eq!((under_way.status.as_u16(), &under_way.json()["code"]), (409, &json!("account_being_asked")));
    panel.clock.advance_secs(121);
    assert_eq!((ask(false).await.status.as_u16(), opened()), (409, 2));
    assert_eq!((ask(true).await.status.as_u16(), opened()), (422, 3));
    // Of two concurrent requests only one calls the panel.
    panel.exec(Sql::new("DELETE FROM account_requests")).await;
    let (one, two) = tokio::join!(ask(false), ask(false));
    let mut said = [one.status.as_u16(), two.status.as_u16()];
    said.sort_unstable();
    assert_eq!((said, opened()), ([409, 422], 4));
}

async fn a_panel_in_use_cannot_be_archived(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    shop::fill(&panel.app.db, 3, 5).await;
    let id = panel.connect("8.8.8.8", &json!({})).await;
    let put = async |action: &str| panel.post(&format!("{LIST}/{id}/{action}"), &json!({})).await;
    panel
        .exec(
            Sql::new("UPDATE providers SET external_panel_id = ?, is_archived = FALSE WHERE id IN (1, 2)")
                .bind(id),
        )
        .await;
    let refused = put("archive").await;
    assert_eq!(refused.status, 409);
    assert!(refused.text.contains("providers: Provider 1 (1), Provider 2 (2)"), "{}", refused.text);
    assert_eq!(panel.connected(id).await["actions"]["archivable"], false);
    panel
        .exec(Sql::new("UPDATE providers SET is_archived = TRUE WHERE external_panel_id = ?").bind(id))
        .await;
    let attempt = Sql::new(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, initial_quantity, created_at, updated_at)
         SELECT min(id), 1, ?, 'In progress', 10, 1, 1 FROM orders",
    );
    panel.exec(attempt.bind(id)).await;
    let refused = put("archive").await;
    assert!(refused.text.contains("orders placed with it: Service 1 ("), "{}", refused.text);
    assert_eq!(panel.connected(id).await["open_orders_count"], 1);
    panel.exec(Sql::new("UPDATE external_panel_orders SET status = 'Completed'")).await;
    let archived = put("archive").await;
    assert_eq!((archived.status.as_u16(), &archived.json()["data"]["status"]), (200, &json!("archived")));
    assert_eq!(put("archive").await.status, 409);
    assert_eq!(panel.alter(id, json!({ "name": "Other" })).await.status, 409);
    assert_eq!(put("unarchive").await.json()["data"]["status"], "active");
    assert_eq!(put("unarchive").await.status, 409);
    panel.staff("keeper", &[Permission::ManageServicesAndProviders]).await;
    let denied = panel.get_as("keeper", LIST, "application/json").await;
    assert_eq!(denied.status, 403);
}

async fn editors_do_not_overwrite_each_other(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.connect("8.8.8.8", &json!({})).await;
    let seen = panel.connected(id).await["updated_at"].clone();
    panel.clock.advance_secs(1);
    assert_eq!(panel.alter(id, json!({ "name": "First", "updated_at": seen })).await.status, 200);
    let second = panel.alter(id, json!({ "name": "Second", "updated_at": seen })).await;
    assert_eq!((second.status.as_u16(), &second.json()["code"]), (409, &json!("changed_meanwhile")));
    let name = panel.connected(id).await["name"].clone();
    assert_eq!(name, "First");
    let path = format!("{LIST}/{id}?dry_run=1");
    panel.send("owner", "PATCH", &path, &json!({ "name": "Tried" }), None).await;
    assert_eq!(panel.connected(id).await["name"], "First");
    assert_eq!(panel.alter(999, json!({ "name": "x" })).await.status, 404);
}

async fn a_currency_with_amounts_stays(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    shop::fill(&panel.app.db, 1, 1).await;
    let id = panel.connect("8.8.8.8", &json!({})).await;
    let currency = async |currency: &str| panel.alter(id, json!({ "currency": currency })).await;
    let refused = async |why: &str| {
        let refused = currency("RUB").await;
        assert_eq!(refused.says(), (409, "external_panel_currency_in_use".into()));
        assert!(refused.text.contains(&format!("has {why} in EUR")), "{}", refused.text);
        assert_eq!(panel.connected(id).await["currency"], "EUR");
    };
    assert_eq!(currency("EUR").await.status, 200, "nothing is written in it yet");
    let body = json!({ "external_panel_id": id, "date": "2026-11-19", "amount": "100" });
    let bill = panel.post(BILLS, &body).await.json()["data"]["id"].clone();
    refused("payments in its billing").await;
    assert_eq!(panel.alter(id, json!({ "currency": "EUR", "name": "Up" })).await.status, 200, "it stays");
    let deleted = panel.send("owner", "DELETE", &format!("{BILLS}/{bill}"), &json!({}), None).await;
    assert_eq!(deleted.status, 204, "{}", deleted.text);
    let attempt = "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, charge, initial_quantity, created_at, updated_at)
        SELECT (SELECT min(id) FROM orders), (SELECT min(id) FROM providers), ?, 'Pending', 0, 100, 1, 1";
    panel.exec(Sql::new(attempt).bind(id)).await;
    refused("orders placed with it").await;
    panel.exec(Sql::new("UPDATE external_panel_orders SET status = 'Completed', charge = 5")).await;
    refused("charges of orders").await;
    panel.exec(Sql::new("UPDATE external_panel_orders SET charge = 0")).await;
    assert_eq!(currency("RUB").await.status, 200);
}

async fn billing_adds_up(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.connect("8.8.8.8", &json!({})).await;
    let missing = ("external_panel_id".to_owned(), "External Panel ID is missing".to_owned());
    assert_eq!(wrong(&panel.get(BILLS).await), missing);
    assert_eq!(wrong(&panel.post(BILLS, &json!({ "date": "2026-11-20", "amount": "1" })).await), missing);
    let unknown = json!({ "external_panel_id": 999, "date": "2026-11-20", "amount": "1" });
    assert_eq!(wrong(&panel.post(BILLS, &unknown).await).0, "external_panel_id");
    let body = json!({ "external_panel_id": id, "date": "2026-11-19", "amount": "100", "fee": "2.5", "payment_method_commission": "1.25", "bonus": "5.000001" });
    let first = panel.post(BILLS, &body).await.json()["data"].clone();
    assert_eq!((&first["received"], &first["date"]), (&json!("101.250001"), &json!("2026-11-19")));
    assert_eq!(first["actions"], json!({ "editable": true, "deletable": true }));
    let body = json!({ "external_panel_id": id, "date": "2026-11-20", "amount": "0.000001" });
    let second = panel.post(BILLS, &body).await.json()["data"].clone();
    assert_eq!(second["received"], "0.000001");
    let rows = async || panel.get(&format!("{BILLS}?external_panel_id={id}")).await.json();
    let page = rows().await;
    assert_eq!(
        (&page["recordsTotal"], &page["data"][0]["id"]),
        (&json!(2), &second["id"]),
        "the newest day first"
    );
    let path = format!("{BILLS}/{}", first["id"]);
    let too_much = panel.renew(&path, &json!({ "fee": "98.750001" })).await;
    assert_eq!(wrong(&too_much).0, "fee");
    assert_eq!(
        wrong(&panel.renew(&path, &json!({ "external_panel_id": id + 1 })).await).0,
        "external_panel_id"
    );
    let seen = first["updated_at"].clone();
    panel.clock.advance_secs(1);
    let changed =
        panel.renew(&path, &json!({ "fee": "98.75", "bonus": "0", "updated_at": seen })).await.json();
    assert_eq!(changed["data"]["received"], "0");
    assert_eq!(panel.renew(&path, &json!({ "fee": "0", "updated_at": seen })).await.status, 409);
    let gone = panel.send("owner", "DELETE", &path, &json!({}), None).await;
    assert_eq!(gone.status, 204, "{}", gone.text);
    assert_eq!(panel.send("owner", "DELETE", &path, &json!({}), None).await.status, 404);
    assert_eq!(rows().await["recordsTotal"], 1);
    let audits = Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'external_panel_payment'");
    assert_eq!(panel.number(audits).await, 4);
}

async fn balances_are_polled_once_and_a_low_one_notifies_once(dialect: Dialect) {
    let panel = Panel::buying(dialect).await;
    panel.staff("buyer", &[Permission::ManageExternalPanels]).await;
    let theirs = panel.upstream().await;
    let buyer = Sql::new(
        "INSERT INTO notification_recipients (audience, user_id) SELECT 'admin', id FROM users WHERE name = 'buyer'",
    );
    panel.exec(buyer).await;
    let id = panel.connect(&theirs.url, &json!({ "low_balance": "20" })).await;
    let asked = || theirs.calls().iter().filter(|call| call["action"] == "balance").count();
    let letters = async || {
        panel
            .number(Sql::new(
                "SELECT count(*) FROM jobs WHERE payload LIKE '%balance at an external panel is low%'",
            ))
            .await
    };
    // Two processes poll at the same time.
    let (one, other) = tokio::join!(balances::poll_due(&panel.app), balances::poll_due(&panel.app));
    assert!(one.is_ok() && other.is_ok());
    assert_eq!((asked(), letters().await), (1, 0));
    let shown = panel.connected(id).await;
    assert_eq!((&shown["balance"], &shown["balance_is_low"]), (&json!("100"), &json!(false)));
    panel.clock.advance_secs(599);
    balances::poll_due(&panel.app).await.unwrap();
    assert_eq!(asked(), 1, "not yet");
    let mut wanted = Vec::new();
    for (units, emails) in [(19, 1), (18, 1), (20, 1), (19, 2)] {
        theirs.world().balance = Money(units * 1_000_000);
        panel.clock.advance_secs(600);
        balances::poll_due(&panel.app).await.unwrap();
        wanted.push((panel.connected(id).await["balance_is_low"] == (units < 20), letters().await == emails));
    }
    assert_eq!(wanted, [(true, true); 4]);
    assert_eq!(
        panel
            .number(Sql::new("SELECT count(*) FROM audits WHERE event = 'external_panel.low_balance'"))
            .await,
        2
    );
    assert_eq!(panel.alter(id, json!({ "low_balance": "30" })).await.status, 200);
    panel.clock.advance_secs(600);
    balances::poll_due(&panel.app).await.unwrap();
    assert_eq!(letters().await, 3, "another bound is another question");
    let calls = asked();
    panel.post(&format!("{LIST}/{id}/archive"), &json!({})).await;
    panel.clock.advance_secs(6_000);
    balances::poll_due(&panel.app).await.unwrap();
    assert_eq!(asked(), calls, "an archived one is left alone");
}

async fn a_response_to_an_outdated_request_is_ignored(dialect: Dialect) {
    let panel = Panel::buying(dialect).await;
    let theirs = panel.upstream().await;
    let id = panel.connect(&theirs.url, &json!({})).await;
    theirs.behave(FakeBehavior::Silent);
    let late = balances::poll_due(&panel.app);
    let change = async {
        while theirs.calls().is_empty() {
            tokio::task::yield_now().await;
        }
        panel.alter(id, json!({ "currency": "EUR" })).await
    };
    let (asked, changed) = tokio::join!(late, change);
    assert_eq!((asked.unwrap(), changed.status.as_u16()), (1, 200));
    assert_eq!(panel.connected(id).await["last_error"], json!(null));
    theirs.behave(FakeBehavior::Good);
    balances::poll_due(&panel.app).await.unwrap();
    let shown = panel.connected(id).await;
    let error = shown["last_error"].as_str().unwrap();
    assert!(error.contains("USD") && error.contains("EUR"), "{error}");
    assert_eq!(shown["balance"], json!(null), "a balance in another currency is none");
}

async fn a_token_that_is_refused_shows_on_the_panel(dialect: Dialect) {
    let panel = Panel::buying(dialect).await;
    let theirs = panel.upstream().await;
    let id = panel.connect(&theirs.url, &json!({})).await;
    let ask = async || {
        panel.clock.advance_secs(601);
        balances::poll_due(&panel.app).await.unwrap();
        let shown = panel.connected(id).await;
        (shown["status"].as_str().unwrap().to_owned(), shown["last_error"].clone(), shown["balance"].clone())
    };
    assert_eq!(ask().await, ("active".into(), json!(null), json!("100")));
    theirs.behave(FakeBehavior::Down);
    let (status, error, balance) = ask().await;
    assert_eq!((status.as_str(), balance), ("active", json!("100")), "it will be back");
    assert!(error.as_str().unwrap().contains("502"), "{error}");
    theirs.behave(FakeBehavior::Good);
    theirs.world().key = "changed there".into();
    assert_eq!(ask().await, ("error".into(), json!("Invalid API key"), json!("100")));
    theirs.world().key = "new-key".into();
    let entered = panel.alter(id, json!({ "api_token": "new-key" })).await.json()["data"].clone();
    assert_eq!((&entered["status"], &entered["last_error"]), (&json!("active"), &json!(null)));
    assert_eq!(ask().await.0, "active");
}
