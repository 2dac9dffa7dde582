//! Providers: made, changed, put away; what follows for services and orders in the same moment; how well they do.

use panel_contract::ids::ServiceId;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_platform::sql;
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::{NOW, Panel};
use crate::shop::{ABANDONED, PLAIN};

both! {
    a_provider_is_made_changed_and_put_away;
    what_is_wrong_with_a_provider_is_named;
    services_and_orders_follow_their_providers;
    a_provider_of_a_panel_that_is_off_is_not_available;
    two_editors_of_a_provider_leave_one_change;
    providers_are_reported_on;
    a_filter_names_a_panel_by_its_id_or_a_part_of_its_name;
    services_and_packages_are_found_by_their_panels;
}

const PROVIDERS: &str = "/api/v1/admin/providers";
const DAY_MICROS: i64 = 86_400_000_000;

/// An external panel, 1.
pub(crate) async fn upstream(panel: &Panel) {
    let sql = "INSERT INTO external_panels (id, name, endpoint, currency, created_at, updated_at) VALUES (1, 'Upstream', 'https://up.example/api/v2', 'EUR', 1, 1)";
    panel.exec(Sql::new(sql)).await;
}

fn boost() -> Value {
    json!({ "name": "Boost", "external_panel_id": 1, "external_panel_service_id": "77", "source_price": "0.9" })
}

async fn wrong(panel: &Panel, method: &str, path: &str, body: Value) -> Vec<String> {
    let answer = panel.send("owner", method, path, &body, None).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
}

async fn a_provider_is_made_changed_and_put_away(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    upstream(&panel).await;
    let tried = panel.post(&format!("{PROVIDERS}?dry_run=1"), &boost()).await;
    assert_eq!(tried.status, 200, "{}", tried.text);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM providers")).await, 2, "only tried");
    let made = panel.made(PROVIDERS, boost()).await;
    assert_eq!(made["source_price"], json!({ "amount": "0.9", "currency": "EUR" }), "the panel's currency");
    assert_eq!(made["external_panel"], json!({ "id": 1, "name": "Upstream" }));
    let offered =
        json!({ "editable": true, "archivable": true, "restore": false, "enable": false, "disable": true });
    assert_eq!(made["actions"], offered);
    assert_eq!(
        (&made["type"], &made["status"], &made["is_available"], &made["source_pricing_per"]),
        (&json!("external_panel"), &json!("active"), &json!(true), &json!(1000))
    );
    let path = format!("{PROVIDERS}/{}", made["id"]);
    assert_eq!(panel.data(&path).await, made);
    panel.clock.advance_secs(5);
    let change = json!({ "name": "Boost 2", "source_price": "1", "status": "disabled", "updated_at": made["updated_at"] });
    let changed = panel.renew(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["name"], &changed["is_available"]), (&json!("Boost 2"), &json!(false)));
    assert!(changed["last_available_at"].is_string(), "{changed}");
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.renew(&path, &json!({})).await.json()["data"], changed, "nothing said, nothing changed");
    let archived = panel.made(&format!("{path}/archive"), json!({})).await;
    assert_eq!((&archived["status"], &archived["actions"]["restore"]), (&json!("archived"), &json!(true)));
    assert_eq!(
        (&archived["actions"]["enable"], &archived["actions"]["disable"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.says(),
        (409, "provider_archived".into())
    );
    assert_eq!(ids(&panel.data(&format!("{PROVIDERS}?is_archived=0")).await), [1, 2]);
    let back = panel.made(&format!("{path}/unarchive"), json!({})).await;
    assert_eq!(back["status"], "disabled", "as it was");
    assert_eq!(
        panel.post(&format!("{path}/unarchive"), &json!({})).await.says(),
        (409, "provider_not_archived".into())
    );
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'provider.%'")).await, 4);
    let staff = panel.made(PROVIDERS, json!({ "name": "Aaron", "type": "manual" })).await;
    assert_eq!(staff["source_price"]["currency"], "USD", "the house's own");
    assert!(staff.get("external_panel_id").is_none(), "{staff}");
    let by_name: Vec<Value> =
        panel.data(PROVIDERS).await.as_array().unwrap().iter().map(|row| row["name"].clone()).collect();
    assert_eq!(by_name, ["Aaron", "Boost 2", "Provider 1", "Provider 2"]);
    let top = panel.data(&format!("{PROVIDERS}/collections")).await;
    assert_eq!(top["topProviders"][0]["name"], "Provider 1", "two services use it");
    panel.staff("reader", &[Permission::ViewServices]).await;
    assert_eq!(panel.get_as("reader", PROVIDERS, "*/*").await.status, 403);
}

async fn what_is_wrong_with_a_provider_is_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    upstream(&panel).await;
    assert_eq!(
        wrong(&panel, "POST", PROVIDERS, json!({})).await,
        ["external_panel_id", "external_panel_service_id", "name"]
    );
    let with = |change: Value| {
        let mut body = boost();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    for (change, field) in [
        (json!({ "type": "manual" }), "external_panel_id"),
        (json!({ "external_panel_id": 9 }), "external_panel_id"),
        (json!({ "source_price": "-1" }), "source_price"),
        (json!({ "source_currency": "euro" }), "source_currency"),
        (json!({ "source_pricing_per": 0 }), "source_pricing_per"),
        (json!({ "status": "error" }), "status"),
        (json!({ "services": [PLAIN, 99] }), "services"),
        (json!({ "name": "a\u{7}" }), "name"),
    ] {
        let named = wrong(&panel, "POST", PROVIDERS, with(change.clone())).await;
        assert!(named.contains(&field.to_owned()), "{change}: {named:?}");
    }
    let made = panel.made(PROVIDERS, boost()).await;
    assert_eq!(
        wrong(&panel, "POST", PROVIDERS, boost()).await,
        ["external_panel_service_id"],
        "the same service of the same panel"
    );
    let path = format!("{PROVIDERS}/{}", made["id"]);
    assert_eq!(
        wrong(&panel, "PUT", &path, json!({ "external_panel_id": null })).await,
        ["external_panel_id"]
    );
    assert!(wrong(&panel, "PUT", &path, json!({ "type": "manual" })).await.contains(&"type".to_owned()));
    assert_eq!(panel.get(&format!("{PROVIDERS}/99")).await.says(), (404, "not_found".into()));
    assert_eq!(panel.get(&format!("{PROVIDERS}/report?days=91")).await.status, 422);
}

/// What the service and its orders say: has active providers, since when not, orders that wait, orders to be looked at.
async fn standing(panel: &Panel, service: ServiceId) -> (bool, bool, i64, i64) {
    let shown = panel.data(&format!("/api/v1/admin/services/{service}")).await;
    let waiting = Sql::new("SELECT count(*) FROM orders WHERE service_id = ? AND has_no_active_providers");
    let due = Sql::new("SELECT count(*) FROM orders WHERE service_id = ? AND dispatch_at IS NOT NULL");
    (
        shown["has_no_active_providers"] == false,
        shown["last_time_providers_are_available_at"].is_string(),
        panel.number(waiting.bind(service)).await,
        panel.number(due.bind(service)).await,
    )
}

async fn services_and_orders_follow_their_providers(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 20).await;
    upstream(&panel).await;
    assert_eq!(standing(&panel, PLAIN).await, (true, false, 0, 0));
    let tried =
        panel.post(&format!("{PROVIDERS}/1/archive?dry_run=1"), &json!({})).await.json()["data"].clone();
    assert_eq!(ids(&tried["services"]), [1, 2], "it says what uses it");
    assert_eq!(tried["services"][0]["has_no_active_providers"], true, "and what it leaves without any");
    assert_eq!(standing(&panel, PLAIN).await, (true, false, 0, 0), "only tried");
    panel.made(&format!("{PROVIDERS}/1/archive"), json!({})).await;
    assert_eq!(standing(&panel, PLAIN).await, (false, true, 20, 0));
    panel.assert_healthy().await;
    // One that is made with services takes their orders at once.
    let body = json!({ "name": "Boost", "external_panel_id": 1, "external_panel_service_id": "77", "services": [PLAIN, ABANDONED] });
    let made = panel.made(PROVIDERS, body).await;
    assert_eq!(ids(&made["services"]), [PLAIN, ABANDONED].map(ServiceId::get));
    assert_eq!(standing(&panel, PLAIN).await, (true, false, 0, 20));
    assert!(standing(&panel, ABANDONED).await.0);
    panel.assert_healthy().await;
    let path = format!("{PROVIDERS}/{}", made["id"]);
    assert_eq!(panel.renew(&path, &json!({ "status": "disabled" })).await.status, 200);
    assert_eq!(standing(&panel, PLAIN).await.2, 20);
    assert_eq!(panel.renew(&path, &json!({ "status": "active", "services": [ABANDONED] })).await.status, 200);
    let left = standing(&panel, PLAIN).await;
    assert_eq!((left.0, left.2), (false, 20), "taken from the service");
    assert!(standing(&panel, ABANDONED).await.0);
    panel.made(&format!("{PROVIDERS}/1/unarchive"), json!({})).await;
    assert_eq!(standing(&panel, PLAIN).await.2, 0);
    // The one that came last is tried last.
    assert_eq!(panel.renew(&path, &json!({ "services": [PLAIN] })).await.status, 200);
    let service = panel.data(&format!("/api/v1/admin/services/{PLAIN}")).await;
    assert_eq!(ids(&service["providers"]), [1, made["id"].as_i64().unwrap()]);
    panel.assert_healthy().await;
}

async fn a_provider_of_a_panel_that_is_off_is_not_available(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 5).await;
    upstream(&panel).await;
    let made = panel.made(PROVIDERS, boost()).await;
    let path = format!("{PROVIDERS}/{}", made["id"]);
    for (off, on) in
        [("is_archived = TRUE", "is_archived = FALSE"), ("status = 'disabled'", "status = 'error'")]
    {
        panel.exec(Sql::new("UPDATE external_panels SET ").push(off)).await;
        assert_eq!(panel.data(&path).await["is_available"], false, "{off}");
        let moved = json!({ "order_ids": [1], "provider_id": made["id"] });
        let refused = panel.post("/api/v1/admin/orders/change-provider", &moved).await;
        assert_eq!(refused.says(), (422, "provider_not_available".into()));
        let offered = panel.get(&format!("{PROVIDERS}/available-for-order-recreate?name=boost")).await.json();
        assert_eq!(offered["items"], json!([]));
        assert_eq!(panel.renew(&path, &json!({ "services": [ABANDONED] })).await.status, 200);
        assert!(!standing(&panel, ABANDONED).await.0, "{off}");
        panel.assert_healthy().await;
        panel.exec(Sql::new("UPDATE external_panels SET ").push(on)).await;
        assert_eq!(panel.renew(&path, &json!({ "services": [] })).await.status, 200);
    }
    assert_eq!(panel.data(&path).await["is_available"], true, "a panel that failed may work again");
}

async fn two_editors_of_a_provider_leave_one_change(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    upstream(&panel).await;
    let made = panel.made(PROVIDERS, boost()).await;
    let path = format!("{PROVIDERS}/{}", made["id"]);
    panel.clock.advance_secs(5);
    let body = |name: &str| json!({ "name": name, "services": [PLAIN], "updated_at": made["updated_at"] });
    let (one, other) = (body("One"), body("Other"));
    let (one, other) = futures_util::future::join(panel.renew(&path, &one), panel.renew(&path, &other)).await;
    let mut said = [one.status.as_u16(), other.status.as_u16()];
    said.sort_unstable();
    assert_eq!(said, [200, 409], "{} {}", one.text, other.text);
    let (away, nothing) = (format!("{path}/archive"), json!({}));
    let (one, other) =
        futures_util::future::join(panel.post(&away, &nothing), panel.post(&away, &nothing)).await;
    let mut said = [one.status.as_u16(), other.status.as_u16()];
    said.sort_unstable();
    assert_eq!(said, [200, 409], "{} {}", one.text, other.text);
    panel.assert_healthy().await;
}

/// An attempt: order, provider, status, what is left, what it cost, and hours from sending to its end.
async fn attempt(
    panel: &Panel,
    of: (i64, i64),
    status: &'static str,
    remains: Option<i64>,
    cost: i64,
    hours: i64,
) {
    let sent = NOW - 2 * DAY_MICROS;
    let ended = (!matches!(status, "In progress")).then_some(sent + hours * 3_600_000_000);
    let sql = sql!(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, external_order_id, status, \
           initial_quantity, remains, booked_cost, sent_at, ended_at,
           created_at, updated_at) SELECT id, CAST(@provider_id AS BIGINT), 1, 'x', @status, quantity, \
           CAST(@remains AS BIGINT), CAST(@booked_cost AS BIGINT), CAST(@sent AS BIGINT), CAST(@ended_at AS BIGINT), \
           CAST(@sent AS BIGINT), 1
         FROM orders WHERE id = @id",
        { provider_id: of.1, status, remains, booked_cost: cost, sent, ended_at: ended, id: of.0 },
    );
    panel.exec(sql).await;
}

async fn providers_are_reported_on(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 20).await;
    upstream(&panel).await;
    panel.exec(Sql::new("UPDATE orders SET status = 'completed', completed_at = 5, current_quantity = quantity WHERE id IN (5, 10)")).await;
    // Orders 5 and 10: 100 units for 1.
    attempt(&panel, (5, 1), "Completed", Some(0), 400_000, 2).await;
    attempt(&panel, (10, 1), "Partial", Some(75), 100_000, 3).await;
    attempt(&panel, (1, 1), "Canceled", None, 0, 1).await;
    attempt(&panel, (2, 1), "In progress", None, 0, 0).await;
    let report = panel.get(&format!("{PROVIDERS}/report")).await.json();
    assert_eq!(report["by"], "provider");
    let row = &report["data"][0];
    assert_eq!(ids(&report["data"]), [1]);
    assert_eq!(
        (&row["open"], &row["completed"], &row["partial"], &row["failed"], &row["mean_minutes"]),
        (&json!(1), &json!(1), &json!(1), &json!(1), &json!(120))
    );
    assert_eq!((&row["error_share_percent"], &row["oldest_open_order_id"]), (&json!("33.33"), &json!(2)));
    // 1 for 100 units, a quarter of 1 for 25; they cost 0.5.
    assert_eq!(
        (&row["quantity"], &row["revenue"], &row["cost"], &row["margin_percent"]),
        (&json!(125), &json!("1.25"), &json!("0.5"), &json!("60"))
    );
    let services = panel.get(&format!("{PROVIDERS}/report?by=service&days=7")).await.json();
    assert_eq!(
        (&services["data"][0]["name"], &services["data"][0]["failed"]),
        (&json!("Service 1"), &json!(1))
    );
    let panels = panel.get(&format!("{PROVIDERS}/report?by=panel")).await.json();
    assert_eq!(
        (&panels["data"][0]["name"], &panels["data"][0]["currency"]),
        (&json!("Upstream"), &json!("EUR"))
    );
    let short = panel.get(&format!("{PROVIDERS}/report?days=1")).await.json();
    assert_eq!((&short["data"][0]["completed"], &short["data"][0]["open"]), (&json!(0), &json!(1)));
    // What staff booked for one who delivers by hand counts as well.
    panel.exec(Sql::new("UPDATE providers SET type = 'manual' WHERE id = 2")).await;
    let booked = Sql::new(
        "INSERT INTO provider_statistics (order_id, provider_id, day, cost, quantity) VALUES (3, 2, ?, 1000000, 200)",
    );
    panel.exec(booked.bind(NOW / DAY_MICROS)).await;
    let report = panel.get(&format!("{PROVIDERS}/report")).await.json();
    let row = &report["data"][1];
    assert_eq!(
        (&row["name"], &row["quantity"], &row["cost"]),
        (&json!("Provider 2"), &json!(200), &json!("1"))
    );
}

async fn a_filter_names_a_panel_by_its_id_or_a_part_of_its_name(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    upstream(&panel).await;
    let sql = "INSERT INTO external_panels (id, name, endpoint, currency, created_at, updated_at) VALUES (2, 'Upstream', 'https://two.example/api/v2', 'USD', 1, 1)";
    panel.exec(Sql::new(sql)).await;
    let made = panel.made(PROVIDERS, boost()).await;
    let other = panel
        .made(PROVIDERS, json!({ "name": "Other", "external_panel_id": 2, "external_panel_service_id": "78", "source_price": "0.9" }))
        .await;
    let found = async |text: &str| {
        let path = format!("{PROVIDERS}?columns[0][data]=external_panel&columns[0][search][value]={text}");
        let answer = panel.get(&path).await.json();
        answer["data"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(found("1").await, [made["id"].clone()], "by id, although both panels are called the same");
    assert_eq!(found("2").await, [other["id"].clone()]);
    assert_eq!(found("upstr").await, [made["id"].clone(), other["id"].clone()]);
    let choices = panel.data(&format!("{PROVIDERS}/collections")).await;
    assert_eq!(choices["currency"], "USD");
    assert!(choices["exchangeRates"].is_object(), "{choices}");
}

async fn services_and_packages_are_found_by_their_panels(dialect: Dialect) {
    const SERVICES: &str = "/api/v1/admin/services";
    const PACKAGES: &str = "/api/v1/admin/packages";
    let panel = Panel::shop(dialect, 3, 0).await;
    upstream(&panel).await;
    let body = json!({ "name": "Boost", "external_panel_id": 1, "external_panel_service_id": "77", "services": [PLAIN, ABANDONED] });
    let provider = panel.made(PROVIDERS, body).await;
    let found = async |list: &str, query: &str| ids(&panel.data(&format!("{list}?{query}&sort=id")).await);
    assert_eq!(found(SERVICES, "external_panels=1").await, [PLAIN, ABANDONED].map(ServiceId::get));
    assert_eq!(found(SERVICES, "external_panels=upstr").await, [PLAIN, ABANDONED].map(ServiceId::get));
    assert_eq!(found(SERVICES, "external_panels=2").await, [0; 0]);
    let path = format!("{SERVICES}?export_columns=id,external_panels&external_panels=1&sort=id");
    let csv = panel.get_as("owner", &path, "text/csv").await;
    assert!(csv.text.contains(&format!("{PLAIN},Upstream")), "{}", csv.text);
    panel.made(&format!("{PROVIDERS}/{}/archive", provider["id"]), json!({})).await;
    assert_eq!(found(SERVICES, "external_panels=1").await, [0; 0], "archived providers deliver nothing");
    let sql = "INSERT INTO provider_packages (id, external_panel_id, external_panel_package_id, name, type, created_at, updated_at) VALUES (7, 1, 'p7', 'Bundle', 'auto', 1, 1)";
    panel.exec(Sql::new(sql)).await;
    let mut made = Vec::new();
    for name in ["Ours", "Theirs"] {
        let contents = json!([{ "id": PLAIN, "quantity": 1_000 }]);
        let body = json!({ "name": name, "network_id": 1, "package_contents": contents });
        made.push(panel.made(PACKAGES, body).await["id"].as_i64().unwrap());
    }
    panel.exec(Sql::new("UPDATE packages SET provider_package_id = 7 WHERE id = ?").bind(made[1])).await;
    for query in ["provider=1", "provider=upstr", "provider.id=1", "provider.name=Upstream"] {
        assert_eq!(found(PACKAGES, query).await, made[1..], "{query}");
    }
    assert_eq!(found(PACKAGES, "provider=2").await, [0; 0]);
    let sorted = panel.data(&format!("{PACKAGES}?sort=provider.name")).await;
    assert_eq!(sorted[0]["provider"], json!({ "id": 1, "name": "Upstream" }), "those without one stand last");
}
