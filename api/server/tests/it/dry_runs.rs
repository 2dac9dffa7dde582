//! Dry runs: for every endpoint with a `dry_run` parameter, the dry run writes nothing and predicts the response of the real
//! request. The validation of forms is tested with their resources, not here.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::endpoint::Op;
use panel_contract::endpoints;
use panel_demo::fill::Size;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::demo::demo_panel;
use crate::panel::Panel;

both! {
    a_dry_run_writes_nothing_and_predicts_the_response;
}

const SIZE: Size = Size { orders: 2_000, users: 150, seed: 7 };

/// Endpoints that need a complete form or a record that the demo lacks. The tests of their resources cover their dry runs.
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

/// Records that the demo lacks: unused ones, which can be deleted, and work that waits for staff.
const EXTRA_RECORDS: &[&str] = &[
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

/// A successful dry run.
struct DryRun {
    op: &'static Op,
    path: String,
    body: Value,
    answer: Value,
}

async fn a_dry_run_writes_nothing_and_predicts_the_response(dialect: Dialect) {
    let panel = demo_panel(dialect, SIZE).await;
    for sql in EXTRA_RECORDS {
        panel.execute(Sql::new(sql)).await;
    }
    let endpoints = panel.endpoints_with_dry_run().await;
    let before = panel.rows().await;
    let mut missing = BTreeSet::new();
    for op in &endpoints {
        if panel.successful_dry_run(op).await.is_none() {
            missing.insert(op.id);
        }
    }
    let after = panel.rows().await;
    for (table, rows) in &before {
        let rows_after: BTreeSet<&String> = after[table].iter().collect();
        let missing_rows: Vec<&String> =
            rows.iter().filter(|row| !rows_after.contains(row)).take(3).collect();
        assert_eq!((missing_rows, after[table].len()), (vec![], rows.len()), "a dry run wrote to {table}");
    }
    let tested_elsewhere: BTreeSet<_> = TESTED_ELSEWHERE.iter().copied().collect();
    assert_eq!(
        missing, tested_elsewhere,
        "every other endpoint succeeds for at least one record of the demo"
    );

    for op in endpoints.into_iter().filter(|op| !tested_elsewhere.contains(op.id)) {
        let dry_run = panel
            .successful_dry_run(op)
            .await
            .unwrap_or_else(|| panic!("{}: earlier requests left no record for it", op.id));
        let audits = panel.number(Sql::new("SELECT count(*) FROM audits")).await;
        let response = panel.send("owner", op.method, &dry_run.path, &dry_run.body, Some(op.id)).await;
        assert!(response.status.is_success(), "{} {}: {}", op.id, dry_run.path, response.text);
        assert!(
            panel.number(Sql::new("SELECT count(*) FROM audits")).await > audits,
            "{} wrote no audit entry",
            op.id
        );
        let answer = if response.text.is_empty() { Value::Null } else { response.json() };
        assert_eq!(predicted_parts(&dry_run.answer), predicted_parts(&answer), "{}", op.id);
    }
}

/// The parts of a response that a dry run must predict: the state of the record, the money, and whether the change can be undone.
fn predicted_parts(answer: &Value) -> BTreeMap<&'static str, Value> {
    [
        "/data/status",
        "/data/is_archived",
        "/returned",
        "/charged",
        "/processed",
        "/skipped",
        "/totals",
        "/undo/records",
    ]
    .into_iter()
    .filter_map(|pointer| Some((pointer, answer.pointer(pointer)?.clone())))
    .collect()
}

impl Panel {
    /// Every endpoint with a `dry_run` query parameter in the OpenAPI document.
    async fn endpoints_with_dry_run(&self) -> Vec<&'static Op> {
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

    /// The first successful dry run of the endpoint, over the records that it could act on.
    async fn successful_dry_run(&self, op: &'static Op) -> Option<DryRun> {
        for path in self.paths(op).await {
            let body = self.request_body(op).await;
            let answer = self.send("owner", op.method, &format!("{path}?dry_run=1"), &body, None).await;
            let status = answer.status.as_u16();
            assert!(status < 500 && status != 403, "{} {path}: {}", op.id, answer.text);
            if answer.status.is_success() {
                let answer = if answer.text.is_empty() { Value::Null } else { answer.json() };
                return Some(DryRun { op, path, body, answer })
                    .filter(|dry_run| !TESTED_ELSEWHERE.contains(&dry_run.op.id));
            }
        }
        None
    }

    async fn request_body(&self, op: &Op) -> Value {
        let ids = async |sql| {
            let ids: Vec<(i64,)> = (&mut &self.app.db).fetch_all(Sql::new(sql)).await.unwrap();
            ids.into_iter().map(|(id,)| id).collect::<Vec<_>>()
        };
        let customers = "SELECT max(id) FROM users WHERE email NOT LIKE '%@panel.test' GROUP BY status";
        let orders_of_each_state = "SELECT max(id) FROM orders GROUP BY status, approval, is_paid";
        let requests = "SELECT max(id) FROM order_cancel_requests GROUP BY status";
        match op.id {
            "update_staff" => json!({ "is_active": false }),
            // The newest webhook of the demo is disabled.
            "update_webhook" => json!({ "is_active": true }),
            "update_import_rule" => json!({ "name_contains": "Views" }),
            "cancel_order" => json!({ "return_money": true }),
            "cancel_orders" => json!({ "order_ids": ids(orders_of_each_state).await, "return_money": true }),
            "activate_orders" | "pause_orders" | "complete_orders" | "approve_orders" | "reject_orders" => {
                json!({ "order_ids": ids(orders_of_each_state).await })
            }
            "bulk_update_users" => {
                json!({ "user_ids": ids(customers).await, "status": "frozen" })
            }
            "confirm_cancel_requests" | "refuse_cancel_requests" => json!({ "ids": ids(requests).await }),
            _ => json!({}),
        }
    }

    /// The paths of an endpoint: one for each record that it could act on, or a few of each state where there are many.
    async fn paths(&self, op: &Op) -> Vec<String> {
        let db = &mut &self.app.db;
        let id_pairs_sql = match op.id {
            "remove_affiliate" => "SELECT referral_id, id FROM user_affiliates LIMIT 50",
            "delete_user_service" => "SELECT user_id, id FROM user_services LIMIT 50",
            "redeliver_webhook" => "SELECT webhook_id, id FROM webhook_deliveries LIMIT 200",
            _ => "",
        };
        if !id_pairs_sql.is_empty() {
            let pairs: Vec<(i64, i64)> = db.fetch_all(Sql::new(id_pairs_sql)).await.unwrap();
            return pairs.into_iter().map(|(first, second)| fill_path(op.path, &[first, second])).collect();
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

/// Replaces the placeholders of a path by the ids.
fn fill_path(path: &str, ids: &[i64]) -> String {
    let mut ids = ids.iter();
    let segment = |segment: &str| {
        if segment.starts_with('{') { ids.next().unwrap().to_string() } else { segment.to_owned() }
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}
