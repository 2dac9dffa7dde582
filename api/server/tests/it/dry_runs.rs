//! Tests the dry runs of every endpoint with a `dry_run` parameter: a dry run writes nothing and predicts the response of the real
//! request. Other test modules cover the validation of the request bodies.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::endpoint::Op;
use panel_contract::endpoints;
use panel_demo::fill::DemoSize;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::{Value, json};

use crate::demo::start_demo_panel;
use crate::panel::Panel;

test_both_databases! {
    a_dry_run_writes_nothing_and_predicts_the_response;
}

const DEMO_SIZE: DemoSize = DemoSize { orders: 2_000, users: 150, seed: 7 };

/// Operation ids of endpoints that need a complete body or a record that the demo lacks. Other test modules cover their dry runs.
const TESTED_ELSEWHERE: &[&str] = &[
    "bulk_update_packages",
    "bulk_update_services",
    "buy_package",
    "change_own_password",
    "change_provider",
    "create_discount",
    "create_payment",
    "create_provider",
    "create_service",
    "end_staff_sessions",
    "erase_user",
    "import_packages",
    "import_providers",
    "import_services",
    "invite_staff",
    "mark_invoice_paid",
    "mark_withdrawal_paid",
    "place_order",
    "reject_withdrawal",
    "renew_subscription",
    "reset_second_factor",
    "undo",
    "update_discount",
    "update_own_profile",
    "update_provider",
    "update_service",
    "update_settings",
    "withdraw_invitation",
];

/// Inserts records that the demo lacks: unused records, which can be deleted, and records that wait for a decision of staff.
const INSERT_EXTRA_RECORDS_SQL: &[&str] = &[
    "INSERT INTO networks (id, name, created_at, updated_at) VALUES (900001, 'Spare', 1, 1)",
    "INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (900001, 1, 'Spare', 1, 1)",
    "INSERT INTO targets (id, name, target_type_id, created_at, updated_at) VALUES (900001, 'Spare', 1, 1, 1)",
    "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (900001, 'Spare', 'Youtube')",
    "INSERT INTO labels (id, name, created_at, updated_at) VALUES (900001, 'Spare', 1, 1)",
    "INSERT INTO roles (id, name, created_at, updated_at) VALUES (900001, 'Spare', 1, 1)",
    "INSERT INTO grades (id, name, created_at, updated_at) VALUES (900001, 'Spare', 1, 1)",
    "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, updated_at)
       VALUES (900001, 1, 'Spare', 1, 10, 1, 1, 1, 1)",
    "INSERT INTO free_trial_quests (id, name, service_id, quantity, created_at, updated_at) VALUES (900001, 'Spare', 900001, 1, 1, 1)",
    "INSERT INTO providers (id, name, status, created_at, updated_at) VALUES (900001, 'Spare', 'active', 1, 1)",
    "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (900001, 'Spare', 'https://spare.example/api', 1, 1)",
    "INSERT INTO packages (id, name, type, network_id, created_at, updated_at) VALUES (900001, 'Spare', 'manual', 1, 1, 1)",
    "INSERT INTO jobs (id, kind, payload, run_at, attempts, dead_at, created_at) VALUES (900001, 'webhook', '{}', 1, 9, 2, 1)",
    "INSERT INTO grades (id, name, is_archived, created_at, updated_at) VALUES (900002, 'Old', TRUE, 1, 1)",
    "INSERT INTO providers (id, name, status, is_archived, created_at, updated_at) VALUES (900002, 'Old', 'active', TRUE, 1, 1)",
    "INSERT INTO external_panels (id, name, endpoint, is_archived, created_at, updated_at)
       VALUES (900002, 'Old', 'https://old.example/api', TRUE, 1, 1)",
    "INSERT INTO combo_orders (id, url, status, source, package_id, package_name, package_type, user_id, orders_count, created_at, updated_at)
       SELECT 900001, 'https://shop.example/1', 'in_processing', 'cabinet', min(p.id), 'Spare', 'auto', (SELECT max(id) FROM users), 0, 1, 1 FROM packages p",
    "INSERT INTO user_services (user_id, service_id, created_at, updated_at) SELECT max(id), 900001, 1, 1 FROM users",
    "INSERT INTO user_affiliates (referral_id, user_id, started_at, created_at, updated_at) SELECT max(id), max(id) - 1, 1, 1, 1 FROM users",
    "INSERT INTO combo_orders (id, url, status, source, package_id, package_name, package_type, user_id, orders_count, created_at, updated_at)
       SELECT 900002, url, 'in_moderation', source, package_id, package_name, package_type, user_id, 0, 1, 1 FROM combo_orders WHERE id = 900001",
    "INSERT INTO combo_orders (id, url, status, source, package_id, package_name, package_type, user_id, orders_count, created_at, updated_at)
       SELECT 900003, url, status, source, package_id, package_name, package_type, user_id, 1, 1, 1 FROM combo_orders WHERE id = 900002",
    "UPDATE orders SET combo_order_id = 900003 WHERE id = (SELECT min(id) FROM orders WHERE status = 'in_moderation' AND combo_order_id IS NULL)",
    "INSERT INTO order_cancel_requests (order_id, status, created_at, deadline_at) SELECT o.id, 'requested', 1, 1 FROM orders o
       WHERE o.status = 'in_processing' AND NOT EXISTS (SELECT 1 FROM order_cancel_requests r WHERE r.order_id = o.id) ORDER BY o.id LIMIT 5",
    "UPDATE webhooks SET is_active = TRUE, auto_disabled = NULL, failing_since = NULL WHERE id = 1",
    "UPDATE external_panel_orders SET status = 'Canceled', ended_at = 1, due_at = NULL, remains = initial_quantity
       WHERE ended_at IS NULL AND order_id IN (SELECT id FROM orders WHERE status = 'in_processing')",
    "INSERT INTO quarantine (poller, record_id, status, crashes, first_crash_at, created_at, updated_at)
       VALUES ('webhook', 900001, 'quarantined', 2, 1, 1, 1)",
];

/// A successful dry run and its response.
struct DryRun {
    op: &'static Op,
    path: String,
    body: Value,
    response: Value,
}

async fn a_dry_run_writes_nothing_and_predicts_the_response(dialect: Dialect) {
    let panel = start_demo_panel(dialect, DEMO_SIZE).await;
    for sql in INSERT_EXTRA_RECORDS_SQL {
        panel.execute(Sql::new(sql)).await;
    }
    let endpoints = panel.find_endpoints_with_dry_run().await;
    let rows_before = panel.fetch_all_rows().await;
    let mut failed_ids = BTreeSet::new();
    for op in &endpoints {
        if panel.find_successful_dry_run(op).await.is_none() {
            failed_ids.insert(op.id);
        }
    }
    let rows_after = panel.fetch_all_rows().await;
    for (table, rows) in &rows_before {
        let rows_now: BTreeSet<&String> = rows_after[table].iter().collect();
        let missing_rows: Vec<&String> = rows.iter().filter(|row| !rows_now.contains(row)).take(3).collect();
        assert_eq!(
            (missing_rows, rows_after[table].len()),
            (vec![], rows.len()),
            "a dry run wrote to {table}"
        );
    }
    let tested_elsewhere: BTreeSet<_> = TESTED_ELSEWHERE.iter().copied().collect();
    assert_eq!(
        failed_ids, tested_elsewhere,
        "the dry run of exactly these endpoints may fail for every record of the demo"
    );

    for op in endpoints.into_iter().filter(|op| !tested_elsewhere.contains(op.id)) {
        let dry_run = panel.find_successful_dry_run(op).await.unwrap_or_else(|| {
            panic!("{}: no record is left for this endpoint after the earlier requests", op.id)
        });
        let audit_count = panel.fetch_number(Sql::new("SELECT count(*) FROM audits")).await;
        let response = panel.send("owner", op.method, &dry_run.path, &dry_run.body, Some(op.id)).await;
        assert!(response.status.is_success(), "{} {}: {}", op.id, dry_run.path, response.text);
        assert!(
            panel.fetch_number(Sql::new("SELECT count(*) FROM audits")).await > audit_count,
            "{} wrote no audit entry",
            op.id
        );
        let json = if response.text.is_empty() { Value::Null } else { response.json() };
        assert_eq!(select_predicted_parts(&dry_run.response), select_predicted_parts(&json), "{}", op.id);
    }
}

/// The parts of a response that a dry run must predict: the state of the record, the money, and whether the change can be undone.
fn select_predicted_parts(response: &Value) -> BTreeMap<&'static str, Value> {
    [
        "/data/status",
        "/data/is_archived",
        "/refunded",
        "/charged",
        "/processed",
        "/skipped",
        "/totals",
        "/undo/records",
    ]
    .into_iter()
    .filter_map(|pointer| Some((pointer, response.pointer(pointer)?.clone())))
    .collect()
}

impl Panel {
    /// Every endpoint with a `dry_run` query parameter in the OpenAPI document.
    async fn find_endpoints_with_dry_run(&self) -> Vec<&'static Op> {
        let document = self.get("/openapi.json").await.json();
        let has_dry_run = |op: &&'static Op| {
            let pointer = format!("/paths/{}/{}", op.path.replace('/', "~1"), op.method.to_lowercase());
            let operation =
                document.pointer(&pointer).unwrap_or_else(|| panic!("{} is not documented", op.id));
            operation["parameters"]
                .as_array()
                .is_some_and(|parameters| parameters.iter().any(|parameter| parameter["name"] == "dry_run"))
        };
        endpoints::all().filter(has_dry_run).collect()
    }

    /// Sends dry runs for the records that the endpoint could change, and returns the first successful one.
    async fn find_successful_dry_run(&self, op: &'static Op) -> Option<DryRun> {
        for path in self.paths_for(op).await {
            let body = self.body_for(op).await;
            let response = self.send("owner", op.method, &format!("{path}?dry_run=1"), &body, None).await;
            let status = response.status.as_u16();
            assert!(status < 500 && status != 403, "{} {path}: {}", op.id, response.text);
            if response.status.is_success() {
                let response = if response.text.is_empty() { Value::Null } else { response.json() };
                return Some(DryRun { op, path, body, response })
                    .filter(|dry_run| !TESTED_ELSEWHERE.contains(&dry_run.op.id));
            }
        }
        None
    }

    async fn body_for(&self, op: &Op) -> Value {
        let ids = async |sql| {
            let ids: Vec<(i64,)> = (&mut &self.app.db).fetch_all(Sql::new(sql)).await.unwrap();
            ids.into_iter().map(|(id,)| id).collect::<Vec<_>>()
        };
        let customer_ids_sql =
            "SELECT max(id) FROM users WHERE email NOT LIKE '%@panel.test' GROUP BY status";
        let order_ids_sql = "SELECT max(id) FROM orders GROUP BY status, approval, is_paid";
        let cancel_request_ids_sql = "SELECT max(id) FROM order_cancel_requests GROUP BY status";
        match op.id {
            "update_staff" => json!({ "is_active": false }),
            // The newest webhook of the demo is disabled, so enabling it is a change.
            "update_webhook" => json!({ "is_active": true }),
            "update_import_rule" => json!({ "name_contains": "Views" }),
            "cancel_order" => json!({ "return_money": true }),
            "cancel_orders" => json!({ "order_ids": ids(order_ids_sql).await, "return_money": true }),
            "activate_orders" | "pause_orders" | "complete_orders" | "approve_orders" | "reject_orders" => {
                json!({ "order_ids": ids(order_ids_sql).await })
            }
            "bulk_update_users" => {
                json!({ "user_ids": ids(customer_ids_sql).await, "status": "frozen" })
            }
            "confirm_cancel_requests" | "reject_cancel_requests" => {
                json!({ "ids": ids(cancel_request_ids_sql).await })
            }
            _ => json!({}),
        }
    }

    /// The paths of an endpoint: one for each record that it could change, or a few of each state if there are many records.
    async fn paths_for(&self, op: &Op) -> Vec<String> {
        let db = &mut &self.app.db;
        let id_pairs_sql = match op.id {
            "remove_affiliate" => "SELECT referral_id, id FROM user_affiliates LIMIT 50",
            "delete_user_service" => "SELECT user_id, id FROM user_services LIMIT 50",
            "redeliver_webhook" => "SELECT webhook_id, id FROM webhook_deliveries LIMIT 200",
            _ => "",
        };
        if !id_pairs_sql.is_empty() {
            let id_pairs: Vec<(i64, i64)> = db.fetch_all(Sql::new(id_pairs_sql)).await.unwrap();
            return id_pairs
                .into_iter()
                .map(|(parent_id, id)| fill_path(op.path, &[parent_id, id]))
                .collect();
        }
        if !op.path.contains('{') {
            return vec![op.path.to_owned()];
        }
        let resource = op.path.trim_start_matches("/api/v1/admin/").split("/{").next().unwrap();
        let table = match resource {
            "external-panels/sync-changes" => "sync_changes".to_owned(),
            "panel-menu-items" => "menu_items".to_owned(),
            "services/labels" => "labels".to_owned(),
            "staffs" => "users".to_owned(),
            other => other.replace('-', "_"),
        };
        let sql = match table.as_str() {
            "orders" => "SELECT max(id) FROM orders GROUP BY status, approval, is_paid ORDER BY 1".to_owned(),
            "external_panel_orders" => {
                "SELECT a.id FROM external_panel_orders a JOIN orders o ON o.id = a.order_id
               WHERE o.status = 'in_processing' ORDER BY a.id LIMIT 300"
                    .to_owned()
            }
            "combo_orders" => "SELECT max(id) FROM combo_orders GROUP BY status ORDER BY 1".to_owned(),
            "users" if op.id == "update_staff" => {
                "SELECT id FROM users WHERE email = 'readonly@panel.test'".to_owned()
            }
            "users" => {
                "SELECT max(id) FROM users WHERE email NOT LIKE '%@panel.test' GROUP BY status ORDER BY 1"
                    .to_owned()
            }
            table => format!("SELECT id FROM {table} ORDER BY id DESC LIMIT 200"),
        };
        let ids: Vec<(i64,)> = db.fetch_all(Sql::new(sql.leak())).await.unwrap();
        ids.into_iter().map(|(id,)| fill_path(op.path, &[id])).collect()
    }
}

/// Replaces the placeholders of a path with the ids.
fn fill_path(path: &str, ids: &[i64]) -> String {
    let mut ids = ids.iter();
    let fill_segment = |segment: &str| {
        if segment.starts_with('{') { ids.next().unwrap().to_string() } else { segment.to_owned() }
    };
    path.split('/').map(fill_segment).collect::<Vec<_>>().join("/")
}
