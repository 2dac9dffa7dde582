//! Providers: creating, updating, archiving; the effects on services and orders within the same transaction; the provider report.

use panel_contract::ids::ServiceId;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_platform::sql;
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::{Answer, NOW, Panel};
use crate::shop::{ABANDONED, PLAIN};

both! {
    creates_updates_archives_and_restores_a_provider;
    refuses_an_invalid_provider_and_names_the_fields;
    changing_a_provider_updates_its_services_and_waiting_orders;
    a_provider_of_a_disabled_panel_is_not_available;
    concurrent_edits_of_a_provider_keep_only_the_first;
    the_provider_report_counts_outcomes_and_margins;
    filters_providers_by_the_id_or_part_of_the_name_of_their_panel;
    filters_services_and_packages_by_their_external_panels;
}

const PROVIDERS: &str = "/api/v1/admin/providers";
const DAY_MICROS: i64 = 86_400_000_000;

/// Inserts an external panel named `Upstream` with id 1.
pub(crate) async fn insert_external_panel(panel: &Panel) {
    let sql = "INSERT INTO external_panels (id, name, endpoint, currency, created_at, updated_at) VALUES (1, 'Upstream', 'https://up.example/api/v2', 'EUR', 1, 1)";
    panel.execute(Sql::new(sql)).await;
}

fn boost_input() -> Value {
    json!({ "name": "Boost", "external_panel_id": 1, "external_panel_service_id": "77", "source_price": "0.9" })
}

async fn wrong_fields(panel: &Panel, method: &str, path: &str, body: Value) -> Vec<String> {
    let answer = panel.send("owner", method, path, &body, None).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
}

async fn creates_updates_archives_and_restores_a_provider(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    insert_external_panel(&panel).await;
    let dry_run = panel.post(&format!("{PROVIDERS}?dry_run=1"), &boost_input()).await;
    assert_eq!(dry_run.status, 200, "{}", dry_run.text);
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM providers")).await,
        2,
        "a dry run changes nothing"
    );
    let created = panel.post_data(PROVIDERS, boost_input()).await;
    assert_eq!(
        created["source_price"],
        json!({ "amount": "0.9", "currency": "EUR" }),
        "the panel's currency"
    );
    assert_eq!(created["external_panel"], json!({ "id": 1, "name": "Upstream" }));
    let actions =
        json!({ "editable": true, "archivable": true, "restore": false, "enable": false, "disable": true });
    assert_eq!(created["actions"], actions);
    assert_eq!(
        (&created["type"], &created["status"], &created["is_available"], &created["source_pricing_per"]),
        (&json!("external_panel"), &json!("active"), &json!(true), &json!(1000))
    );
    let path = format!("{PROVIDERS}/{}", created["id"]);
    assert_eq!(panel.get_data(&path).await, created);
    panel.clock.advance_secs(5);
    let change = json!({ "name": "Boost 2", "source_price": "1", "status": "disabled", "updated_at": created["updated_at"] });
    let changed = panel.put(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["name"], &changed["is_available"]), (&json!("Boost 2"), &json!(false)));
    assert!(changed["last_available_at"].is_string(), "{changed}");
    assert_eq!(panel.put(&path, &change).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.put(&path, &json!({})).await.json()["data"], changed, "an empty body changes nothing");
    let archived = panel.post_data(&format!("{path}/archive"), json!({})).await;
    assert_eq!((&archived["status"], &archived["actions"]["restore"]), (&json!("archived"), &json!(true)));
    assert_eq!(
        (&archived["actions"]["enable"], &archived["actions"]["disable"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.status_and_code(),
        (409, "provider_archived".into())
    );
    assert_eq!(ids(&panel.get_data(&format!("{PROVIDERS}?is_archived=0")).await), [1, 2]);
    let restored = panel.post_data(&format!("{path}/unarchive"), json!({})).await;
    assert_eq!(restored["status"], "disabled", "restoring does not change the status `disabled`");
    assert_eq!(
        panel.post(&format!("{path}/unarchive"), &json!({})).await.status_and_code(),
        (409, "provider_not_archived".into())
    );
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'provider.%'")).await, 4);
    let manual = panel.post_data(PROVIDERS, json!({ "name": "Aaron", "type": "manual" })).await;
    assert_eq!(manual["source_price"]["currency"], "USD", "the currency of this panel");
    assert!(manual.get("external_panel_id").is_none(), "{manual}");
    let by_name: Vec<Value> =
        panel.get_data(PROVIDERS).await.as_array().unwrap().iter().map(|row| row["name"].clone()).collect();
    assert_eq!(by_name, ["Aaron", "Boost 2", "Provider 1", "Provider 2"]);
    let collections = panel.get_data(&format!("{PROVIDERS}/collections")).await;
    assert_eq!(collections["topProviders"][0]["name"], "Provider 1", "two services use provider 1");
    panel.create_staff("reader", &[Permission::ViewServices]).await;
    assert_eq!(panel.get_as("reader", PROVIDERS, "*/*").await.status, 403);
}

async fn refuses_an_invalid_provider_and_names_the_fields(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    insert_external_panel(&panel).await;
    assert_eq!(
        wrong_fields(&panel, "POST", PROVIDERS, json!({})).await,
        ["external_panel_id", "external_panel_service_id", "name"]
    );
    let boost_with = |change: Value| {
        let mut body = boost_input();
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
        let fields = wrong_fields(&panel, "POST", PROVIDERS, boost_with(change.clone())).await;
        assert!(fields.contains(&field.to_owned()), "{change}: {fields:?}");
    }
    let created = panel.post_data(PROVIDERS, boost_input()).await;
    assert_eq!(
        wrong_fields(&panel, "POST", PROVIDERS, boost_input()).await,
        ["external_panel_service_id"],
        "another provider already uses this service of the panel"
    );
    let path = format!("{PROVIDERS}/{}", created["id"]);
    assert_eq!(
        wrong_fields(&panel, "PUT", &path, json!({ "external_panel_id": null })).await,
        ["external_panel_id"]
    );
    assert!(
        wrong_fields(&panel, "PUT", &path, json!({ "type": "manual" })).await.contains(&"type".to_owned())
    );
    assert_eq!(panel.get(&format!("{PROVIDERS}/99")).await.status_and_code(), (404, "not_found".into()));
    assert_eq!(panel.get(&format!("{PROVIDERS}/report?days=91")).await.status, 422);
}

/// How the providers of a service affect it and its orders.
#[derive(Debug, PartialEq)]
struct ProviderEffects {
    has_active_providers: bool,
    /// Whether the service records since when it has no active provider.
    has_last_available_time: bool,
    waiting_orders: i64,
    orders_due_for_dispatch: i64,
}

async fn effects(panel: &Panel, service: ServiceId) -> ProviderEffects {
    let row = panel.get_data(&format!("/api/v1/admin/services/{service}")).await;
    let waiting = Sql::new("SELECT count(*) FROM orders WHERE service_id = ? AND has_no_active_providers");
    let due = Sql::new("SELECT count(*) FROM orders WHERE service_id = ? AND dispatch_at IS NOT NULL");
    ProviderEffects {
        has_active_providers: row["has_no_active_providers"] == false,
        has_last_available_time: row["last_time_providers_are_available_at"].is_string(),
        waiting_orders: panel.number(waiting.bind(service)).await,
        orders_due_for_dispatch: panel.number(due.bind(service)).await,
    }
}

async fn changing_a_provider_updates_its_services_and_waiting_orders(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 20).await;
    insert_external_panel(&panel).await;
    assert_eq!(
        effects(&panel, PLAIN).await,
        ProviderEffects {
            has_active_providers: true,
            has_last_available_time: false,
            waiting_orders: 0,
            orders_due_for_dispatch: 0,
        }
    );
    let dry_run =
        panel.post(&format!("{PROVIDERS}/1/archive?dry_run=1"), &json!({})).await.json()["data"].clone();
    assert_eq!(ids(&dry_run["services"]), [1, 2], "the answer lists the services that use the provider");
    assert_eq!(
        dry_run["services"][0]["has_no_active_providers"], true,
        "the answer marks services that would have no provider left"
    );
    assert_eq!(
        effects(&panel, PLAIN).await,
        ProviderEffects {
            has_active_providers: true,
            has_last_available_time: false,
            waiting_orders: 0,
            orders_due_for_dispatch: 0,
        },
        "a dry run changes nothing"
    );
    panel.post_data(&format!("{PROVIDERS}/1/archive"), json!({})).await;
    assert_eq!(
        effects(&panel, PLAIN).await,
        ProviderEffects {
            has_active_providers: false,
            has_last_available_time: true,
            waiting_orders: 20,
            orders_due_for_dispatch: 0,
        }
    );
    panel.assert_healthy().await;
    // A provider that is created with services makes their waiting orders due for dispatch at once.
    let body = json!({ "name": "Boost", "external_panel_id": 1, "external_panel_service_id": "77", "services": [PLAIN, ABANDONED] });
    let created = panel.post_data(PROVIDERS, body).await;
    assert_eq!(ids(&created["services"]), [PLAIN, ABANDONED].map(ServiceId::get));
    assert_eq!(
        effects(&panel, PLAIN).await,
        ProviderEffects {
            has_active_providers: true,
            has_last_available_time: false,
            waiting_orders: 0,
            orders_due_for_dispatch: 20,
        }
    );
    assert!(effects(&panel, ABANDONED).await.has_active_providers);
    panel.assert_healthy().await;
    let path = format!("{PROVIDERS}/{}", created["id"]);
    assert_eq!(panel.put(&path, &json!({ "status": "disabled" })).await.status, 200);
    assert_eq!(effects(&panel, PLAIN).await.waiting_orders, 20);
    assert_eq!(panel.put(&path, &json!({ "status": "active", "services": [ABANDONED] })).await.status, 200);
    let unlinked = effects(&panel, PLAIN).await;
    assert_eq!(
        (unlinked.has_active_providers, unlinked.waiting_orders),
        (false, 20),
        "the provider is no longer linked"
    );
    assert!(effects(&panel, ABANDONED).await.has_active_providers);
    panel.post_data(&format!("{PROVIDERS}/1/unarchive"), json!({})).await;
    assert_eq!(effects(&panel, PLAIN).await.waiting_orders, 0);
    // A provider that is linked later comes last in the order of the service's providers.
    assert_eq!(panel.put(&path, &json!({ "services": [PLAIN] })).await.status, 200);
    let service = panel.get_data(&format!("/api/v1/admin/services/{PLAIN}")).await;
    assert_eq!(ids(&service["providers"]), [1, created["id"].as_i64().unwrap()]);
    panel.assert_healthy().await;
}

async fn a_provider_of_a_disabled_panel_is_not_available(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 5).await;
    insert_external_panel(&panel).await;
    let created = panel.post_data(PROVIDERS, boost_input()).await;
    let path = format!("{PROVIDERS}/{}", created["id"]);
    for (disabled, enabled) in
        [("is_archived = TRUE", "is_archived = FALSE"), ("status = 'disabled'", "status = 'error'")]
    {
        panel.execute(Sql::new("UPDATE external_panels SET ").push(disabled)).await;
        assert_eq!(panel.get_data(&path).await["is_available"], false, "{disabled}");
        let change = json!({ "order_ids": [1], "provider_id": created["id"] });
        let refused = panel.post("/api/v1/admin/orders/change-provider", &change).await;
        assert_eq!(refused.status_and_code(), (422, "provider_not_available".into()));
        let choices = panel.get(&format!("{PROVIDERS}/available-for-order-recreate?name=boost")).await.json();
        assert_eq!(choices["items"], json!([]));
        assert_eq!(panel.put(&path, &json!({ "services": [ABANDONED] })).await.status, 200);
        assert!(!effects(&panel, ABANDONED).await.has_active_providers, "{disabled}");
        panel.assert_healthy().await;
        panel.execute(Sql::new("UPDATE external_panels SET ").push(enabled)).await;
        assert_eq!(panel.put(&path, &json!({ "services": [] })).await.status, 200);
    }
    assert_eq!(panel.get_data(&path).await["is_available"], true, "a panel that failed may work again");
}

async fn concurrent_edits_of_a_provider_keep_only_the_first(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    insert_external_panel(&panel).await;
    let created = panel.post_data(PROVIDERS, boost_input()).await;
    let path = format!("{PROVIDERS}/{}", created["id"]);
    panel.clock.advance_secs(5);
    let body = |name: &str| json!({ "name": name, "services": [PLAIN], "updated_at": created["updated_at"] });
    let (first_body, second_body) = (body("One"), body("Other"));
    let (first, second) =
        futures_util::future::join(panel.put(&path, &first_body), panel.put(&path, &second_body)).await;
    assert_one_succeeds(&first, &second);
    let (archive, empty) = (format!("{path}/archive"), json!({}));
    let (first, second) =
        futures_util::future::join(panel.post(&archive, &empty), panel.post(&archive, &empty)).await;
    assert_one_succeeds(&first, &second);
    panel.assert_healthy().await;
}

fn assert_one_succeeds(first: &Answer, second: &Answer) {
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", first.text, second.text);
}

/// Inserts a placement attempt of the order with the provider. An attempt that is not in progress ended `hours` after it was sent.
async fn insert_attempt(
    panel: &Panel,
    (order_id, provider_id): (i64, i64),
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
        { provider_id, status, remains, booked_cost: cost, sent, ended_at: ended, id: order_id },
    );
    panel.execute(sql).await;
}

async fn the_provider_report_counts_outcomes_and_margins(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 20).await;
    insert_external_panel(&panel).await;
    panel.execute(Sql::new("UPDATE orders SET status = 'completed', completed_at = 5, current_quantity = quantity WHERE id IN (5, 10)")).await;
    // Orders 5 and 10 are for 100 units at a cost of 1.
    insert_attempt(&panel, (5, 1), "Completed", Some(0), 400_000, 2).await;
    insert_attempt(&panel, (10, 1), "Partial", Some(75), 100_000, 3).await;
    insert_attempt(&panel, (1, 1), "Canceled", None, 0, 1).await;
    insert_attempt(&panel, (2, 1), "In progress", None, 0, 0).await;
    let report = panel.get(&format!("{PROVIDERS}/report")).await.json();
    assert_eq!(report["by"], "provider");
    let row = &report["data"][0];
    assert_eq!(ids(&report["data"]), [1]);
    assert_eq!(
        (&row["open"], &row["completed"], &row["partial"], &row["failed"], &row["mean_minutes"]),
        (&json!(1), &json!(1), &json!(1), &json!(1), &json!(120))
    );
    assert_eq!((&row["error_share_percent"], &row["oldest_open_order_id"]), (&json!("33.33"), &json!(2)));
    // Revenue: 1 for 100 units and 0.25 for 25 units. The providers charged 0.5.
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
    let last_day = panel.get(&format!("{PROVIDERS}/report?days=1")).await.json();
    assert_eq!((&last_day["data"][0]["completed"], &last_day["data"][0]["open"]), (&json!(0), &json!(1)));
    // Costs that staff entered for a manual provider count as well.
    panel.execute(Sql::new("UPDATE providers SET type = 'manual' WHERE id = 2")).await;
    let insert_statistics = Sql::new(
        "INSERT INTO provider_statistics (order_id, provider_id, day, cost, quantity) VALUES (3, 2, ?, 1000000, 200)",
    );
    panel.execute(insert_statistics.bind(NOW / DAY_MICROS)).await;
    let report = panel.get(&format!("{PROVIDERS}/report")).await.json();
    let row = &report["data"][1];
    assert_eq!(
        (&row["name"], &row["quantity"], &row["cost"]),
        (&json!("Provider 2"), &json!(200), &json!("1"))
    );
}

async fn filters_providers_by_the_id_or_part_of_the_name_of_their_panel(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    insert_external_panel(&panel).await;
    let sql = "INSERT INTO external_panels (id, name, endpoint, currency, created_at, updated_at) VALUES (2, 'Upstream', 'https://two.example/api/v2', 'USD', 1, 1)";
    panel.execute(Sql::new(sql)).await;
    let created = panel.post_data(PROVIDERS, boost_input()).await;
    let other = panel
        .post_data(PROVIDERS, json!({ "name": "Other", "external_panel_id": 2, "external_panel_service_id": "78", "source_price": "0.9" }))
        .await;
    let found_ids = async |text: &str| {
        let path = format!("{PROVIDERS}?columns[0][data]=external_panel&columns[0][search][value]={text}");
        let answer = panel.get(&path).await.json();
        answer["data"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        found_ids("1").await,
        [created["id"].clone()],
        "a number is an id, although both panels have the same name"
    );
    assert_eq!(found_ids("2").await, [other["id"].clone()]);
    assert_eq!(found_ids("upstr").await, [created["id"].clone(), other["id"].clone()]);
    let choices = panel.get_data(&format!("{PROVIDERS}/collections")).await;
    assert_eq!(choices["currency"], "USD");
    assert!(choices["exchangeRates"].is_object(), "{choices}");
}

async fn filters_services_and_packages_by_their_external_panels(dialect: Dialect) {
    const SERVICES: &str = "/api/v1/admin/services";
    const PACKAGES: &str = "/api/v1/admin/packages";
    let panel = Panel::shop(dialect, 3, 0).await;
    insert_external_panel(&panel).await;
    let body = json!({ "name": "Boost", "external_panel_id": 1, "external_panel_service_id": "77", "services": [PLAIN, ABANDONED] });
    let provider = panel.post_data(PROVIDERS, body).await;
    let found_ids =
        async |list: &str, query: &str| ids(&panel.get_data(&format!("{list}?{query}&sort=id")).await);
    assert_eq!(found_ids(SERVICES, "external_panels=1").await, [PLAIN, ABANDONED].map(ServiceId::get));
    assert_eq!(found_ids(SERVICES, "external_panels=upstr").await, [PLAIN, ABANDONED].map(ServiceId::get));
    assert_eq!(found_ids(SERVICES, "external_panels=2").await, [0; 0]);
    let path = format!("{SERVICES}?export_columns=id,external_panels&external_panels=1&sort=id");
    let csv = panel.get_as("owner", &path, "text/csv").await;
    assert!(csv.text.contains(&format!("{PLAIN},Upstream")), "{}", csv.text);
    panel.post_data(&format!("{PROVIDERS}/{}/archive", provider["id"]), json!({})).await;
    assert_eq!(found_ids(SERVICES, "external_panels=1").await, [0; 0], "archived providers deliver nothing");
    let sql = "INSERT INTO provider_packages (id, external_panel_id, external_panel_package_id, name, type, created_at, updated_at) VALUES (7, 1, 'p7', 'Bundle', 'auto', 1, 1)";
    panel.execute(Sql::new(sql)).await;
    let mut package_ids = Vec::new();
    for name in ["Ours", "Theirs"] {
        let contents = json!([{ "id": PLAIN, "quantity": 1_000 }]);
        let body = json!({ "name": name, "network_id": 1, "package_contents": contents });
        package_ids.push(panel.post_data(PACKAGES, body).await["id"].as_i64().unwrap());
    }
    panel
        .execute(Sql::new("UPDATE packages SET provider_package_id = 7 WHERE id = ?").bind(package_ids[1]))
        .await;
    for query in ["provider=1", "provider=upstr", "provider.id=1", "provider.name=Upstream"] {
        assert_eq!(found_ids(PACKAGES, query).await, package_ids[1..], "{query}");
    }
    assert_eq!(found_ids(PACKAGES, "provider=2").await, [0; 0]);
    let sorted = panel.get_data(&format!("{PACKAGES}?sort=provider.name")).await;
    assert_eq!(
        sorted[0]["provider"],
        json!({ "id": 1, "name": "Upstream" }),
        "packages without a panel come last"
    );
}
