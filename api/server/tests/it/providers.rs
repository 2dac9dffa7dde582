//! Providers: creating, updating and archiving them, the effects on services and orders in the same transaction, and the report.

use panel_contract::ids::ServiceId;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_platform::sql;
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::{NOW, Panel, TestResponse};
use crate::shop::{PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER};

test_both_databases! {
    creates_updates_archives_and_restores_a_provider;
    rejects_an_invalid_provider_and_names_the_fields;
    changing_a_provider_updates_its_services_and_waiting_orders;
    a_provider_of_a_disabled_panel_is_not_available;
    concurrent_edits_of_a_provider_keep_only_the_first;
    the_provider_report_counts_outcomes_and_margins;
    filters_providers_by_the_id_or_name_of_their_external_panel;
    filters_services_and_packages_by_their_external_panels;
}

const PROVIDERS_PATH: &str = "/api/v1/admin/providers";
const DAY_MICROS: i64 = 86_400_000_000;

/// Inserts an external panel named `Upstream` with id 1.
pub(crate) async fn insert_external_panel(panel: &Panel) {
    let sql = "INSERT INTO external_panels (id, name, endpoint, currency, created_at, updated_at) VALUES (1, 'Upstream', 'https://up.example/api/v2', 'EUR', 1, 1)";
    panel.execute(Sql::new(sql)).await;
}

fn boost_input() -> Value {
    json!({ "name": "Boost", "external_panel_id": 1, "external_panel_service_id": "77", "source_price": "0.9" })
}

async fn expect_invalid_fields(panel: &Panel, method: &str, path: &str, body: Value) -> Vec<String> {
    let response = panel.send("owner", method, path, &body, None).await;
    assert_eq!(response.status, 422, "{}", response.text);
    response.json()["errors"].as_object().unwrap().keys().cloned().collect()
}

async fn creates_updates_archives_and_restores_a_provider(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    insert_external_panel(&panel).await;
    let dry_run = panel.post(&format!("{PROVIDERS_PATH}?dry_run=1"), &boost_input()).await;
    assert_eq!(dry_run.status, 200, "{}", dry_run.text);
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM providers")).await,
        2,
        "a dry run must not change anything"
    );
    let created_record = panel.post_data(PROVIDERS_PATH, boost_input()).await;
    assert_eq!(
        created_record["source_price"],
        json!({ "amount": "0.9", "currency": "EUR" }),
        "the price must have the currency of the external panel"
    );
    assert_eq!(created_record["external_panel"], json!({ "id": 1, "name": "Upstream" }));
    let expected_actions =
        json!({ "editable": true, "archivable": true, "restore": false, "enable": false, "disable": true });
    assert_eq!(created_record["actions"], expected_actions);
    assert_eq!(
        (
            &created_record["type"],
            &created_record["status"],
            &created_record["is_available"],
            &created_record["source_pricing_per"]
        ),
        (&json!("external_panel"), &json!("active"), &json!(true), &json!(1000))
    );
    let path = format!("{PROVIDERS_PATH}/{}", created_record["id"]);
    assert_eq!(panel.get_data(&path).await, created_record);
    panel.clock.advance_secs(5);
    let change_body = json!({ "name": "Boost 2", "source_price": "1", "status": "disabled", "updated_at": created_record["updated_at"] });
    let change_response = panel.put(&path, &change_body).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let changed_record = change_response.json()["data"].clone();
    assert_eq!(
        (&changed_record["name"], &changed_record["is_available"]),
        (&json!("Boost 2"), &json!(false))
    );
    assert!(changed_record["last_available_at"].is_string(), "{changed_record}");
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(
        panel.put(&path, &json!({})).await.json()["data"],
        changed_record,
        "an empty body must not change anything"
    );
    let archived_record = panel.post_data(&format!("{path}/archive"), json!({})).await;
    assert_eq!(
        (&archived_record["status"], &archived_record["actions"]["restore"]),
        (&json!("archived"), &json!(true))
    );
    assert_eq!(
        (&archived_record["actions"]["enable"], &archived_record["actions"]["disable"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.status_and_code(),
        (409, "provider_archived".into())
    );
    assert_eq!(ids(&panel.get_data(&format!("{PROVIDERS_PATH}?is_archived=0")).await), [1, 2]);
    let restored_record = panel.post_data(&format!("{path}/unarchive"), json!({})).await;
    assert_eq!(restored_record["status"], "disabled", "a restore must not change the status `disabled`");
    assert_eq!(
        panel.post(&format!("{path}/unarchive"), &json!({})).await.status_and_code(),
        (409, "provider_not_archived".into())
    );
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'provider.%'")).await,
        4
    );
    let manual_provider = panel.post_data(PROVIDERS_PATH, json!({ "name": "Aaron", "type": "manual" })).await;
    assert_eq!(
        manual_provider["source_price"]["currency"], "USD",
        "the price must have the currency of this panel"
    );
    assert!(manual_provider.get("external_panel_id").is_none(), "{manual_provider}");
    let names: Vec<Value> = panel
        .get_data(PROVIDERS_PATH)
        .await
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].clone())
        .collect();
    assert_eq!(names, ["Aaron", "Boost 2", "Provider 1", "Provider 2"]);
    let collections = panel.get_data(&format!("{PROVIDERS_PATH}/collections")).await;
    assert_eq!(
        collections["topProviders"][0]["name"], "Provider 1",
        "the provider with the most services must be the first"
    );
    panel.create_staff("reader", &[Permission::ViewServices]).await;
    assert_eq!(panel.get_as("reader", PROVIDERS_PATH, "*/*").await.status, 403);
}

async fn rejects_an_invalid_provider_and_names_the_fields(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    insert_external_panel(&panel).await;
    assert_eq!(
        expect_invalid_fields(&panel, "POST", PROVIDERS_PATH, json!({})).await,
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
        (json!({ "services": [PLAIN_SERVICE, 99] }), "services"),
        (json!({ "name": "a\u{7}" }), "name"),
    ] {
        let fields = expect_invalid_fields(&panel, "POST", PROVIDERS_PATH, boost_with(change.clone())).await;
        assert!(fields.contains(&field.to_owned()), "{change}: {fields:?}");
    }
    let created_record = panel.post_data(PROVIDERS_PATH, boost_input()).await;
    assert_eq!(
        expect_invalid_fields(&panel, "POST", PROVIDERS_PATH, boost_input()).await,
        ["external_panel_service_id"],
        "another provider uses this service of the external panel"
    );
    let path = format!("{PROVIDERS_PATH}/{}", created_record["id"]);
    assert_eq!(
        expect_invalid_fields(&panel, "PUT", &path, json!({ "external_panel_id": null })).await,
        ["external_panel_id"]
    );
    assert!(
        expect_invalid_fields(&panel, "PUT", &path, json!({ "type": "manual" }))
            .await
            .contains(&"type".to_owned())
    );
    assert_eq!(panel.get(&format!("{PROVIDERS_PATH}/99")).await.status_and_code(), (404, "not_found".into()));
    assert_eq!(panel.get(&format!("{PROVIDERS_PATH}/report?days=91")).await.status, 422);
}

/// The effects of a service's providers on the service and its orders.
#[derive(Debug, PartialEq)]
struct ProviderEffects {
    has_active_providers: bool,
    /// Whether the service stores the time when its last active provider became unavailable.
    has_last_available_time: bool,
    waiting_orders: i64,
    orders_due_for_dispatch: i64,
}

async fn fetch_effects(panel: &Panel, service: ServiceId) -> ProviderEffects {
    let row = panel.get_data(&format!("/api/v1/admin/services/{service}")).await;
    let count_waiting_sql =
        Sql::new("SELECT count(*) FROM orders WHERE service_id = ? AND has_no_active_providers");
    let count_due_sql =
        Sql::new("SELECT count(*) FROM orders WHERE service_id = ? AND dispatch_at IS NOT NULL");
    ProviderEffects {
        has_active_providers: row["has_no_active_providers"] == false,
        has_last_available_time: row["last_time_providers_are_available_at"].is_string(),
        waiting_orders: panel.fetch_number(count_waiting_sql.bind(service)).await,
        orders_due_for_dispatch: panel.fetch_number(count_due_sql.bind(service)).await,
    }
}

async fn changing_a_provider_updates_its_services_and_waiting_orders(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 20).await;
    insert_external_panel(&panel).await;
    assert_eq!(
        fetch_effects(&panel, PLAIN_SERVICE).await,
        ProviderEffects {
            has_active_providers: true,
            has_last_available_time: false,
            waiting_orders: 0,
            orders_due_for_dispatch: 0,
        }
    );
    let dry_run =
        panel.post(&format!("{PROVIDERS_PATH}/1/archive?dry_run=1"), &json!({})).await.json()["data"].clone();
    assert_eq!(
        ids(&dry_run["services"]),
        [1, 2],
        "the response must list the services that use the provider"
    );
    assert_eq!(
        dry_run["services"][0]["has_no_active_providers"], true,
        "the response must mark services that would have no active provider"
    );
    assert_eq!(
        fetch_effects(&panel, PLAIN_SERVICE).await,
        ProviderEffects {
            has_active_providers: true,
            has_last_available_time: false,
            waiting_orders: 0,
            orders_due_for_dispatch: 0,
        },
        "a dry run must not change anything"
    );
    panel.post_data(&format!("{PROVIDERS_PATH}/1/archive"), json!({})).await;
    assert_eq!(
        fetch_effects(&panel, PLAIN_SERVICE).await,
        ProviderEffects {
            has_active_providers: false,
            has_last_available_time: true,
            waiting_orders: 20,
            orders_due_for_dispatch: 0,
        }
    );
    panel.assert_healthy().await;
    // If staff create a provider with services, the waiting orders of these services are due for dispatch at once.
    let body = json!({ "name": "Boost", "external_panel_id": 1, "external_panel_service_id": "77", "services": [PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER] });
    let created_record = panel.post_data(PROVIDERS_PATH, body).await;
    assert_eq!(
        ids(&created_record["services"]),
        [PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER].map(ServiceId::get)
    );
    assert_eq!(
        fetch_effects(&panel, PLAIN_SERVICE).await,
        ProviderEffects {
            has_active_providers: true,
            has_last_available_time: false,
            waiting_orders: 0,
            orders_due_for_dispatch: 20,
        }
    );
    assert!(fetch_effects(&panel, SERVICE_WITHOUT_PROVIDER).await.has_active_providers);
    panel.assert_healthy().await;
    let path = format!("{PROVIDERS_PATH}/{}", created_record["id"]);
    assert_eq!(panel.put(&path, &json!({ "status": "disabled" })).await.status, 200);
    assert_eq!(fetch_effects(&panel, PLAIN_SERVICE).await.waiting_orders, 20);
    assert_eq!(
        panel.put(&path, &json!({ "status": "active", "services": [SERVICE_WITHOUT_PROVIDER] })).await.status,
        200
    );
    let effects_after_unlinking = fetch_effects(&panel, PLAIN_SERVICE).await;
    assert_eq!(
        (effects_after_unlinking.has_active_providers, effects_after_unlinking.waiting_orders),
        (false, 20),
        "the service must have no active provider after the provider was unlinked"
    );
    assert!(fetch_effects(&panel, SERVICE_WITHOUT_PROVIDER).await.has_active_providers);
    panel.post_data(&format!("{PROVIDERS_PATH}/1/unarchive"), json!({})).await;
    assert_eq!(fetch_effects(&panel, PLAIN_SERVICE).await.waiting_orders, 0);
    // A provider that is linked later gets the last position among the service's providers.
    assert_eq!(panel.put(&path, &json!({ "services": [PLAIN_SERVICE] })).await.status, 200);
    let service = panel.get_data(&format!("/api/v1/admin/services/{PLAIN_SERVICE}")).await;
    assert_eq!(ids(&service["providers"]), [1, created_record["id"].as_i64().unwrap()]);
    panel.assert_healthy().await;
}

async fn a_provider_of_a_disabled_panel_is_not_available(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 5).await;
    insert_external_panel(&panel).await;
    let created_record = panel.post_data(PROVIDERS_PATH, boost_input()).await;
    let path = format!("{PROVIDERS_PATH}/{}", created_record["id"]);
    for (disable_assignment, enable_assignment) in
        [("is_archived = TRUE", "is_archived = FALSE"), ("status = 'disabled'", "status = 'error'")]
    {
        panel.execute(Sql::new("UPDATE external_panels SET ").push(disable_assignment)).await;
        assert_eq!(panel.get_data(&path).await["is_available"], false, "{disable_assignment}");
        let change_body = json!({ "order_ids": [1], "provider_id": created_record["id"] });
        let rejection = panel.post("/api/v1/admin/orders/change-provider", &change_body).await;
        assert_eq!(rejection.status_and_code(), (422, "provider_not_available".into()));
        let provider_choices =
            panel.get(&format!("{PROVIDERS_PATH}/available-for-order-recreate?name=boost")).await.json();
        assert_eq!(provider_choices["items"], json!([]));
        assert_eq!(panel.put(&path, &json!({ "services": [SERVICE_WITHOUT_PROVIDER] })).await.status, 200);
        assert!(
            !fetch_effects(&panel, SERVICE_WITHOUT_PROVIDER).await.has_active_providers,
            "{disable_assignment}"
        );
        panel.assert_healthy().await;
        panel.execute(Sql::new("UPDATE external_panels SET ").push(enable_assignment)).await;
        assert_eq!(panel.put(&path, &json!({ "services": [] })).await.status, 200);
    }
    assert_eq!(
        panel.get_data(&path).await["is_available"],
        true,
        "a panel with the status `error` must be available"
    );
}

async fn concurrent_edits_of_a_provider_keep_only_the_first(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    insert_external_panel(&panel).await;
    let created_record = panel.post_data(PROVIDERS_PATH, boost_input()).await;
    let path = format!("{PROVIDERS_PATH}/{}", created_record["id"]);
    panel.clock.advance_secs(5);
    let body = |name: &str| json!({ "name": name, "services": [PLAIN_SERVICE], "updated_at": created_record["updated_at"] });
    let (first_body, second_body) = (body("One"), body("Other"));
    let (first_response, second_response) =
        futures_util::future::join(panel.put(&path, &first_body), panel.put(&path, &second_body)).await;
    assert_one_succeeds(&first_response, &second_response);
    let (archive_path, empty_body) = (format!("{path}/archive"), json!({}));
    let (first_response, second_response) = futures_util::future::join(
        panel.post(&archive_path, &empty_body),
        panel.post(&archive_path, &empty_body),
    )
    .await;
    assert_one_succeeds(&first_response, &second_response);
    panel.assert_healthy().await;
}

fn assert_one_succeeds(first: &TestResponse, second: &TestResponse) {
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", first.text, second.text);
}

/// Inserts a placement attempt of the order at the provider. An attempt that is not in progress ended `hours` after it was sent.
async fn insert_attempt(
    panel: &Panel,
    (order_id, provider_id): (i64, i64),
    status: &'static str,
    remains: Option<i64>,
    cost: i64,
    hours: i64,
) {
    let sent_at = NOW - 2 * DAY_MICROS;
    let ended_at = (!matches!(status, "In progress")).then_some(sent_at + hours * 3_600_000_000);
    let sql = sql!(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, external_order_id, status, \
           initial_quantity, remains, booked_cost, sent_at, ended_at,
           created_at, updated_at) SELECT id, CAST(@provider_id AS BIGINT), 1, 'x', @status, quantity, \
           CAST(@remains AS BIGINT), CAST(@booked_cost AS BIGINT), CAST(@sent AS BIGINT), CAST(@ended_at AS BIGINT), \
           CAST(@sent AS BIGINT), 1
         FROM orders WHERE id = @id",
        { provider_id, status, remains, booked_cost: cost, sent: sent_at, ended_at: ended_at, id: order_id },
    );
    panel.execute(sql).await;
}

async fn the_provider_report_counts_outcomes_and_margins(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 20).await;
    insert_external_panel(&panel).await;
    panel.execute(Sql::new("UPDATE orders SET status = 'completed', completed_at = 5, current_quantity = quantity WHERE id IN (5, 10)")).await;
    // Orders 5 and 10 are for 100 units at a cost of 1.
    insert_attempt(&panel, (5, 1), "Completed", Some(0), 400_000, 2).await;
    insert_attempt(&panel, (10, 1), "Partial", Some(75), 100_000, 3).await;
    insert_attempt(&panel, (1, 1), "Canceled", None, 0, 1).await;
    insert_attempt(&panel, (2, 1), "In progress", None, 0, 0).await;
    let report = panel.get(&format!("{PROVIDERS_PATH}/report")).await.json();
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
    let service_report = panel.get(&format!("{PROVIDERS_PATH}/report?by=service&days=7")).await.json();
    assert_eq!(
        (&service_report["data"][0]["name"], &service_report["data"][0]["failed"]),
        (&json!("Service 1"), &json!(1))
    );
    let panel_report = panel.get(&format!("{PROVIDERS_PATH}/report?by=panel")).await.json();
    assert_eq!(
        (&panel_report["data"][0]["name"], &panel_report["data"][0]["currency"]),
        (&json!("Upstream"), &json!("EUR"))
    );
    let last_day_report = panel.get(&format!("{PROVIDERS_PATH}/report?days=1")).await.json();
    assert_eq!(
        (&last_day_report["data"][0]["completed"], &last_day_report["data"][0]["open"]),
        (&json!(0), &json!(1))
    );
    // The report includes the costs that staff entered for a manual provider.
    panel.execute(Sql::new("UPDATE providers SET type = 'manual' WHERE id = 2")).await;
    let insert_statistics_sql = Sql::new(
        "INSERT INTO provider_statistics (order_id, provider_id, day, cost, quantity) VALUES (3, 2, ?, 1000000, 200)",
    );
    panel.execute(insert_statistics_sql.bind(NOW / DAY_MICROS)).await;
    let report = panel.get(&format!("{PROVIDERS_PATH}/report")).await.json();
    let row = &report["data"][1];
    assert_eq!(
        (&row["name"], &row["quantity"], &row["cost"]),
        (&json!("Provider 2"), &json!(200), &json!("1"))
    );
}

async fn filters_providers_by_the_id_or_name_of_their_external_panel(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    insert_external_panel(&panel).await;
    let sql = "INSERT INTO external_panels (id, name, endpoint, currency, created_at, updated_at) VALUES (2, 'Upstream', 'https://two.example/api/v2', 'USD', 1, 1)";
    panel.execute(Sql::new(sql)).await;
    let created_record = panel.post_data(PROVIDERS_PATH, boost_input()).await;
    let other_record = panel
        .post_data(PROVIDERS_PATH, json!({ "name": "Other", "external_panel_id": 2, "external_panel_service_id": "78", "source_price": "0.9" }))
        .await;
    let fetch_ids = async |text: &str| {
        let path =
            format!("{PROVIDERS_PATH}?columns[0][data]=external_panel&columns[0][search][value]={text}");
        let response = panel.get(&path).await.json();
        response["data"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        fetch_ids("1").await,
        [created_record["id"].clone()],
        "a number must be searched as an id, although both panels have the same name"
    );
    assert_eq!(fetch_ids("2").await, [other_record["id"].clone()]);
    assert_eq!(fetch_ids("upstr").await, [created_record["id"].clone(), other_record["id"].clone()]);
    let provider_choices = panel.get_data(&format!("{PROVIDERS_PATH}/collections")).await;
    assert_eq!(provider_choices["currency"], "USD");
    assert!(provider_choices["exchangeRates"].is_object(), "{provider_choices}");
}

async fn filters_services_and_packages_by_their_external_panels(dialect: Dialect) {
    const SERVICES_PATH: &str = "/api/v1/admin/services";
    const PACKAGES_PATH: &str = "/api/v1/admin/packages";
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    insert_external_panel(&panel).await;
    let body = json!({ "name": "Boost", "external_panel_id": 1, "external_panel_service_id": "77", "services": [PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER] });
    let provider = panel.post_data(PROVIDERS_PATH, body).await;
    let fetch_ids =
        async |list: &str, query: &str| ids(&panel.get_data(&format!("{list}?{query}&sort=id")).await);
    assert_eq!(
        fetch_ids(SERVICES_PATH, "external_panels=1").await,
        [PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER].map(ServiceId::get)
    );
    assert_eq!(
        fetch_ids(SERVICES_PATH, "external_panels=upstr").await,
        [PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER].map(ServiceId::get)
    );
    assert_eq!(fetch_ids(SERVICES_PATH, "external_panels=2").await, [0; 0]);
    let path = format!("{SERVICES_PATH}?export_columns=id,external_panels&external_panels=1&sort=id");
    let csv_response = panel.get_as("owner", &path, "text/csv").await;
    assert!(csv_response.text.contains(&format!("{PLAIN_SERVICE},Upstream")), "{}", csv_response.text);
    panel.post_data(&format!("{PROVIDERS_PATH}/{}/archive", provider["id"]), json!({})).await;
    assert_eq!(
        fetch_ids(SERVICES_PATH, "external_panels=1").await,
        [0; 0],
        "the filter must ignore archived providers"
    );
    let sql = "INSERT INTO provider_packages (id, external_panel_id, external_panel_package_id, name, type, created_at, updated_at) VALUES (7, 1, 'p7', 'Bundle', 'auto', 1, 1)";
    panel.execute(Sql::new(sql)).await;
    let mut package_ids = Vec::new();
    for name in ["Ours", "Theirs"] {
        let contents = json!([{ "id": PLAIN_SERVICE, "quantity": 1_000 }]);
        let body = json!({ "name": name, "network_id": 1, "package_contents": contents });
        package_ids.push(panel.post_data(PACKAGES_PATH, body).await["id"].as_i64().unwrap());
    }
    panel
        .execute(Sql::new("UPDATE packages SET provider_package_id = 7 WHERE id = ?").bind(package_ids[1]))
        .await;
    for query in ["provider=1", "provider=upstr", "provider.id=1", "provider.name=Upstream"] {
        assert_eq!(fetch_ids(PACKAGES_PATH, query).await, package_ids[1..], "{query}");
    }
    assert_eq!(fetch_ids(PACKAGES_PATH, "provider=2").await, [0; 0]);
    let sorted_packages = panel.get_data(&format!("{PACKAGES_PATH}?sort=provider.name")).await;
    assert_eq!(
        sorted_packages[0]["provider"],
        json!({ "id": 1, "name": "Upstream" }),
        "packages without an external panel must come last"
    );
}
