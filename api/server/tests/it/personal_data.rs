//! Export and erasure of a customer's personal data: the export has every declared table, and the erasure leaves no trace.

use std::collections::BTreeSet;
use std::path::Path;

use panel_contract::permission::Permission;
use panel_contract::upload::to_data_url;
use panel_platform::db::{Db, Dialect, Source, Sql};
use panel_server::operations::personal_data::tables::{
    PERSONAL_TABLES, RowOwner, TABLES_WITHOUT_PERSONAL_DATA, Treatment,
};
use panel_server::operations::personal_data::worker;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::uploads::PIXEL;

both! {
    an_export_has_every_declared_table_and_is_audited;
    an_export_of_many_orders_has_each_order_once;
    a_subscription_with_many_contents_is_exported_and_erased_in_batches;
    a_dry_run_lists_the_treatment_of_each_table_and_writes_nothing;
    an_erasure_removes_every_trace_of_the_customer;
    an_interrupted_erasure_resumes_at_its_stored_position;
    concurrent_workers_erase_a_customer_once;
    a_balance_or_an_open_order_blocks_an_erasure;
    an_erased_account_cannot_be_activated_or_edited;
}

/// A customer of the shop with a record in most tables.
const USER: i64 = 5;
/// Texts that no table may contain after the erasure.
const TRACES: [&str; 4] = ["olga@person.test", "Olga Personova", "secret-place", "203.0.113.77"];

fn path(action: &str) -> String {
    format!("/api/v1/admin/users/{USER}/{action}")
}

/// A shop whose customer 5 has personal data in most tables, no open orders and no balance.
async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 9, 40).await;
    let statements = [
        "UPDATE users SET name = 'Olga Personova', email = 'olga@person.test', telegram_username = 'olga', company_name = 'Olga Personova Ltd',
           messengers = '[{\"name\":\"signal\",\"value\":\"secret-place\"}]', additional_info = 'secret-place' WHERE id = 5",
        "UPDATE orders SET status = 'completed', url = 'https://secret-place.test/' || id, comment = 'secret-place', keyword = 'secret-place'
           WHERE user_id = 5",
        "INSERT INTO user_login_networks (user_id, network, last_used_at) VALUES (5, '203.0.113.77/24', 1)",
        "INSERT INTO login_throttle (key, email, user_id, failures, window_started_at, blocked_until)
           VALUES ('login|olga@person.test', 'olga@person.test', NULL, 1, 1, 0),
                  ('confirm_code|olga@person.test|203.0.113.0/24', 'olga@person.test', NULL, 1, 1, 0),
                  ('trace|key|5|203.0.113.0/24', NULL, 5, 1, 1, 0), ('trace|login|5|203.0.113.0/24', NULL, 5, 1, 1, 0),
                  ('login|other@person.test', 'other@person.test', NULL, 1, 1, 0), ('trace|key|6|203.0.113.0/24', NULL, 6, 1, 1, 0)",
        "INSERT INTO order_targetable_values (order_id, name, value) SELECT min(id), 'comments', 'secret-place' FROM orders WHERE user_id = 5",
    ];
    for sql in statements {
        panel.execute(Sql::new(sql)).await;
    }
    let sql = Sql::new(
        "INSERT INTO sessions (user_id, family_id, token_hash, created_at, signed_in_at, expires_at, last_used_at, ip_address, user_agent)
         VALUES (5, 'f', ?, 1, 1, 9000000000000000, 1, '203.0.113.77', 'secret-place')",
    );
    panel.execute(sql.bind(vec![7_u8; 32])).await;
    let sql = "INSERT INTO authenticator_enrolments (user_id, family_id, secret, expires_at) VALUES (5, 'f', ?, 9000000000000000)";
    panel.execute(Sql::new(sql).bind(vec![7_u8; 32])).await;
    let mail = json!({ "kind": "mail", "name": "Olga Personova", "email": "olga@person.test", "subject": "S", "text": "secret-place" });
    let event = json!({ "type": "order.created", "timestamp": "t", "data": { "id": 1, "url": "secret-place", "user": { "id": USER } } });
    let other =
        json!({ "type": "order.created", "timestamp": "t", "data": { "id": 2, "user": { "id": 6 } } });
    let sql = Sql::new("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ('mail', ?, 1, 1)");
    panel.execute(sql.bind(mail.to_string())).await;
    let sql = Sql::new(
        "INSERT INTO webhook_events (message_id, type, body, created_at) VALUES ('a', 'order.created', ?, 1), ('b', 'order.created', ?, 1)",
    );
    panel.execute(sql.bind(event.to_string()).bind(other.to_string())).await;
    let document = json!({ "group": "selfie", "picture": to_data_url(PIXEL) });
    assert_eq!(panel.post(&path("verification-documents"), &document).await.status, 200);
    close_open_records(&panel).await;
    panel
}

/// Closes everything of the customer that blocks an erasure, and empties the balances.
async fn close_open_records(panel: &Panel) {
    for sql in [
        "UPDATE users SET balance_main = 0, balance_task = 0, balance_referral = 0, hold_main = 0, hold_task = 0, hold_referral = 0 WHERE id = 5",
        "UPDATE drip_feeds SET status = 'completed' WHERE user_id = 5",
        "UPDATE subscriptions SET status = 'completed' WHERE user_id = 5",
        "UPDATE withdrawals SET status = 'rejected', admin_note = 'secret-place', rejected_at = 1 WHERE user_id = 5 AND status IN ('pending', 'approved')",
        "UPDATE invoices SET status = 'canceled' WHERE user_id = 5 AND status = 'pending'",
        "UPDATE free_trials SET status = 'rejected' WHERE user_id = 5 AND status = 'pending'",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
}

async fn run_worker_until_done(panel: &Panel) {
    while worker::run_due(&panel.app).await.unwrap() > 0 {}
}

/// The rows of a table, each as one text. On SQLite without binary columns.
pub(crate) async fn rows(db: &Db, table: &'static str) -> Vec<String> {
    let sql = match db.dialect() {
        Dialect::Postgres => Sql::new("SELECT CAST(row_to_json(t) AS TEXT) FROM ").push(table).push(" t"),
        Dialect::Sqlite => {
            let sql =
                Sql::new("SELECT name FROM pragma_table_info(").bind(table).push(") WHERE type <> 'BLOB'");
            let columns: Vec<(String,)> = (&mut &*db).fetch_all(sql).await.unwrap();
            let cells = columns.iter().map(|(name,)| format!("COALESCE(CAST({name} AS TEXT), '')"));
            let text = format!("SELECT {} FROM {table}", cells.collect::<Vec<_>>().join(" || ' ' || "));
            Sql::new(Box::leak(text.into_boxed_str()))
        }
    };
    let rows: Vec<(String,)> = (&mut &*db).fetch_all(sql).await.unwrap();
    rows.into_iter().map(|(row,)| row).collect()
}

async fn count(panel: &Panel, sql: &'static str) -> i64 {
    panel.number(Sql::new(sql)).await
}

async fn an_export_has_every_declared_table_and_is_audited(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.create_staff("clerk", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    assert_eq!(panel.get_as("clerk", &path("data-export"), "*/*").await.status, 403);
    assert_eq!(panel.get("/api/v1/admin/users/99/data-export").await.status, 404);
    let answer = panel.get(&path("data-export")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.headers["cache-control"], "private, no-store");
    let copy = answer.json();
    assert_eq!(copy["user_id"], USER);
    let tables = copy["tables"].as_object().unwrap();
    let declared: BTreeSet<&str> =
        PERSONAL_TABLES.iter().filter(|entry| !entry.fields.is_empty()).map(|entry| entry.table).collect();
    assert_eq!(tables.keys().map(String::as_str).collect::<BTreeSet<_>>(), declared);
    let user = &tables["users"][0];
    assert_eq!(
        (user["email"].as_str(), user["balance_main"].as_str()),
        (Some("olga@person.test"), Some("0"))
    );
    assert!(user["created_at"].as_str().unwrap().starts_with("20"), "{user}");
    assert_eq!(user["messengers"][0]["value"], "secret-place");
    let orders = tables["orders"].as_array().unwrap();
    assert_eq!(orders.len() as i64, count(&panel, "SELECT count(*) FROM orders WHERE user_id = 5").await);
    assert!(orders.iter().all(|order| order["url"].as_str().unwrap().contains("secret-place")));
    assert!(orders[0]["is_paid"].is_boolean(), "{}", orders[0]);
    assert_eq!(tables["order_targetable_values"][0]["value"], "secret-place");
    let file = &copy["files"][0];
    assert_eq!(file["document_id"], tables["verification_documents"][0]["id"]);
    assert!(file["content"].as_str().unwrap().len() > 20, "{file}");
    // The export holds no secrets.
    assert!(!answer.text.contains("password") && !answer.text.contains("hash"), "{}", answer.text);
    let export_audits = "SELECT count(*) FROM audits WHERE event = 'user.data_exported' AND auditable_id = 5";
    assert_eq!(count(&panel, export_audits).await, 1);
}

async fn an_export_of_many_orders_has_each_order_once(dialect: Dialect) {
    let panel = Panel::shop(dialect, 2, 2_300).await;
    panel.execute(Sql::new("UPDATE orders SET user_id = 1")).await;
    let copy = panel.get("/api/v1/admin/users/1/data-export").await.json();
    let ids: Vec<i64> = copy["tables"]["orders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|order| order["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids.len(), 2_300);
    assert!(ids.is_sorted_by(|a, b| a < b), "each once, in order");
}

/// The largest number of rows that one transaction of the erasure overwrites.
const MAX_BATCH: i64 = 500;

/// Gives customer 5 one subscription per entry of `counts`, with that many contents, and another customer one with two contents.
async fn insert_contents(panel: &Panel, counts: &[i64]) {
    panel.execute(Sql::new("UPDATE subscriptions SET user_id = 6, status = 'completed'")).await;
    let insert_subscriptions = "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, subscription_contents_count,
        orders_count, cost, returned, created_at, updated_at, delay_minutes, old_contents)
      SELECT i, 'Blog', 'https://blog.example/' || i, 'posts', 6, 'completed', 'prepaid', 5, 0, 0, 0, 0, 1, 1, 0, 0
      FROM (SELECT CAST(row_number() OVER (ORDER BY id) AS BIGINT) + 100000 AS i FROM users) n WHERE i <= 100009";
    panel.execute(Sql::new(insert_subscriptions)).await;
    let sql = Sql::new("SELECT id FROM subscriptions WHERE id > 100000 ORDER BY id");
    let ids: Vec<(i64,)> = (&mut &panel.app.db).fetch_all(sql).await.unwrap();
    let mut rows = Vec::new();
    for ((id,), records) in ids.iter().zip(counts.iter().chain(&[2])) {
        rows.extend(
            (0..*records)
                .map(|number| vec![(*id).into(), format!("https://secret-place.test/{number}").into()]),
        );
    }
    panel.execute(Sql::new("DELETE FROM subscription_contents")).await;
    let sql = Sql::new(
        "INSERT INTO subscription_contents (subscription_id, url, created_at) SELECT r.id, r.url, 1 FROM ",
    );
    panel.execute(sql.rows("r", &["id", "url"], rows)).await;
    let own_ids: Vec<i64> = ids.iter().take(counts.len()).map(|(id,)| *id).collect();
    panel.execute(Sql::new("UPDATE subscriptions SET user_id = 5 WHERE id IN ").numbers(own_ids)).await;
}

/// A subscription may have a million contents, so a batch is bounded by the number of contents, not of subscriptions.
async fn a_subscription_with_many_contents_is_exported_and_erased_in_batches(dialect: Dialect) {
    let panel = shop(dialect).await;
    let counts = [3, 1_200, 0, 499, 1, 500, 1_000, 7];
    insert_contents(&panel, &counts).await;
    let total: i64 = counts.iter().sum();
    let copy = panel.get(&path("data-export")).await.json();
    let exported: Vec<(i64, i64)> = copy["tables"]["subscription_contents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["subscription_id"].as_i64().unwrap(), row["id"].as_i64().unwrap()))
        .collect();
    assert_eq!(exported.len() as i64, total);
    assert!(exported.is_sorted_by(|a, b| a < b), "each once, in order");

    assert_eq!(panel.post(&path("erase"), &json!({})).await.status, 200);
    let remaining = "SELECT count(*) FROM subscription_contents WHERE url LIKE 'https://secret-place.test/%'";
    let (mut before, mut batches) = (count(&panel, remaining).await, 0);
    assert_eq!(before, total + 2);
    while worker::run_due(&panel.app).await.unwrap() > 0 {
        let after = count(&panel, remaining).await;
        assert!(before - after <= MAX_BATCH, "{before} to {after} in one transaction");
        batches += i64::from(after < before);
        before = after;
    }
    assert_eq!(
        (before, batches),
        (2, 9),
        "the contents of the other customer remain; small subscriptions share a batch"
    );
}

async fn a_dry_run_lists_the_treatment_of_each_table_and_writes_nothing(dialect: Dialect) {
    let panel = shop(dialect).await;
    let before = panel.get(&path("data-export")).await.json()["tables"]["users"].clone();
    let answer = panel.post(&format!("{}?dry_run=1", path("erase")), &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let plan = answer.json()["data"].clone();
    assert_eq!((&plan["requested_at"], &plan["erased_at"]), (&Value::Null, &Value::Null));
    let plan_of = |table: &str| {
        plan["tables"].as_array().unwrap().iter().find(|entry| entry["table"] == table).unwrap().clone()
    };
    let orders = count(&panel, "SELECT count(*) FROM orders WHERE user_id = 5").await;
    assert_eq!(
        (&plan_of("orders")["treatment"], &plan_of("orders")["records"]),
        (&json!("overwritten"), &json!(orders))
    );
    assert!(plan_of("orders")["fields"].as_array().unwrap().contains(&json!("url")));
    assert_eq!(plan_of("verification_documents")["records"], 1);
    assert_eq!(plan_of("ledger_entries")["treatment"], "kept");
    assert!(plan_of("ledger_entries")["note"].as_str().unwrap().contains("Money records"));
    assert_eq!(plan_of("jobs")["records"], Value::Null);
    assert_eq!(plan["tables"].as_array().unwrap().len(), PERSONAL_TABLES.len());
    assert_eq!(count(&panel, "SELECT count(*) FROM erasures").await, 0);
    assert_eq!(panel.get(&path("data-export")).await.json()["tables"]["users"], before);
}

async fn an_erasure_removes_every_trace_of_the_customer(dialect: Dialect) {
    let panel = shop(dialect).await;
    let document = "SELECT file FROM verification_documents WHERE user_id = 5";
    let (file,): (String,) = (&mut &panel.app.db).fetch_one(Sql::new(document)).await.unwrap();
    let stored = panel.app.config.data_dir.join("uploads/private").join(&file);
    assert!(stored.exists(), "{}", stored.display());
    let money = "SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger_entries";
    let before = (count(&panel, money).await, count(&panel, "SELECT count(*) FROM ledger_entries").await);

    let answer = panel.post(&path("erase"), &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.json()["data"]["requested_at"].is_string());
    let user = panel.get("/api/v1/admin/users/5").await.json()["data"].clone();
    assert_eq!((&user["status"], &user["email"]), (&json!("deactivated"), &json!("erased-5@invalid")));
    assert!(user["erasure_requested_at"].is_string() && user["erased_at"].is_null(), "{user}");
    let throttled = "SELECT count(*) FROM login_throttle";
    assert_eq!(count(&panel, throttled).await, 2, "rows of other accounts remain");
    assert_eq!(count(&panel, "SELECT count(*) FROM authenticator_enrolments").await, 0);
    run_worker_until_done(&panel).await;

    assert!(!stored.exists(), "the file of the document was deleted");
    let user = panel.get("/api/v1/admin/users/5").await.json()["data"].clone();
    assert!(user["erased_at"].is_string(), "{user}");
    assert_eq!(count(&panel, "SELECT count(*) FROM erasures").await, 0);
    assert_eq!(
        count(&panel, "SELECT count(*) FROM webhook_events").await,
        1,
        "only the event of the other customer remains"
    );
    assert_eq!(
        (count(&panel, money).await, count(&panel, "SELECT count(*) FROM ledger_entries").await),
        before
    );
    let copy = panel.get(&path("data-export")).await.text;
    for trace in TRACES {
        assert!(!copy.contains(trace), "{trace} is in {copy}");
    }
    for declared in PERSONAL_TABLES.iter().filter(|declared| !matches!(declared.erasure, Treatment::Kept(_)))
    {
        let rows = rows(&panel.app.db, declared.table).await;
        let remaining = rows.iter().find(|row| TRACES.iter().any(|trace| row.contains(trace)));
        assert_eq!(remaining, None, "{}", declared.table);
    }
    // A search by the former email finds nothing, and a second erasure changes nothing.
    let search_results = panel.get("/api/v1/admin/users/search?query=olga@person.test").await.json();
    assert_eq!(search_results["data"], json!([]));
    let audits = count(&panel, "SELECT count(*) FROM audits").await;
    let second_erasure = panel.post(&path("erase"), &json!({})).await;
    assert_eq!((second_erasure.status.as_u16(), &second_erasure.json()["data"]["tables"]), (200, &json!([])));
    assert_eq!(count(&panel, "SELECT count(*) FROM audits").await, audits);
    // The audit entries of the erasure itself name no erased value.
    let audited = "SELECT count(*) FROM audits WHERE event IN ('user.erasure_requested', 'user.erased') AND auditable_id = 5
      AND old_values NOT LIKE '%lga%' AND new_values NOT LIKE '%lga%'";
    assert_eq!(count(&panel, audited).await, 2);
}

async fn an_interrupted_erasure_resumes_at_its_stored_position(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel
        .execute(Sql::new(
            "UPDATE orders SET user_id = 5, status = 'completed', url = 'https://secret-place.test'",
        ))
        .await;
    assert_eq!(panel.post(&path("erase"), &json!({})).await.status, 200);
    // The state that a process leaves when it ends after the first 20 orders.
    let stored_position =
        Sql::new("UPDATE erasures SET step = 'orders', last_id = (SELECT min(id) + 19 FROM orders)");
    panel.execute(stored_position).await;
    run_worker_until_done(&panel).await;
    let remaining = "SELECT count(*) FROM orders WHERE url = 'https://secret-place.test'";
    assert_eq!(count(&panel, remaining).await, 20, "orders before the stored position count as erased");
    assert_eq!(count(&panel, "SELECT count(*) FROM users WHERE erased_at IS NOT NULL").await, 1);
}

async fn concurrent_workers_erase_a_customer_once(dialect: Dialect) {
    let panel = shop(dialect).await;
    assert_eq!(panel.post(&path("erase"), &json!({})).await.status, 200);
    let (first, second) = tokio::join!(worker::run_due(&panel.app), worker::run_due(&panel.app));
    first.unwrap();
    second.unwrap();
    run_worker_until_done(&panel).await;
    assert_eq!(count(&panel, "SELECT count(*) FROM audits WHERE event = 'user.erased'").await, 1);
}

async fn a_balance_or_an_open_order_blocks_an_erasure(dialect: Dialect) {
    let panel = shop(dialect).await;
    for (open, close) in [
        ("UPDATE users SET balance_main = 1 WHERE id = 5", "UPDATE users SET balance_main = 0 WHERE id = 5"),
        (
            "UPDATE orders SET status = 'in_processing' WHERE user_id = 5",
            "UPDATE orders SET status = 'completed' WHERE user_id = 5",
        ),
    ] {
        panel.execute(Sql::new(open)).await;
        for query in ["", "?dry_run=1"] {
            let answer = panel.post(&format!("{}{query}", path("erase")), &json!({})).await;
            assert_eq!(answer.status_and_code(), (409, "erasure_blocked".into()), "{}", answer.text);
        }
        panel.execute(Sql::new(close)).await;
    }
    panel.create_staff("clerk", &[Permission::ViewOrders]).await;
    let sql = Sql::new("SELECT max(id) FROM users WHERE is_staff = TRUE");
    let clerk = panel.number(sql).await;
    let answer = panel.post(&format!("/api/v1/admin/users/{clerk}/erase"), &json!({})).await;
    assert_eq!(answer.status_and_code(), (409, "user_is_staff".into()), "{}", answer.text);
    assert_eq!(panel.post("/api/v1/admin/users/99/erase", &json!({})).await.status, 404);
    assert_eq!(count(&panel, "SELECT count(*) FROM erasures").await, 0);
}

async fn an_erased_account_cannot_be_activated_or_edited(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.execute(Sql::new("UPDATE users SET status = 'active' WHERE id = 5")).await;
    let frozen = panel.post("/api/v1/admin/users/5/freeze", &json!({})).await;
    let undo_request_id = frozen.json()["undo"]["request_id"].clone();
    assert_eq!(panel.post(&path("erase"), &json!({})).await.status, 200);
    let refused = (409, "user_erased".to_owned());
    for (method, path, body) in [
        ("POST", path("activate"), json!({})),
        ("PATCH", "/api/v1/admin/users/5".to_owned(), json!({ "name": "Olga" })),
        ("POST", path("api-key"), json!({})),
        ("POST", path("user-discount"), json!({ "discount_fraction": "0.05", "type": "all" })),
        ("POST", path("verification-documents"), json!({ "group": "card", "picture": to_data_url(PIXEL) })),
    ] {
        assert_eq!(
            panel.send("owner", method, &path, &body, None).await.status_and_code(),
            refused,
            "{method} {path}"
        );
    }
    let bulk = json!({ "user_ids": [USER], "contact_step": null });
    let answer = panel.post("/api/v1/admin/users/bulk-actions", &bulk).await;
    assert_eq!(answer.json()["skipped"][0]["code"], "user_erased", "{}", answer.text);
    let answer = panel.post("/api/v1/admin/undo", &json!({ "request_id": undo_request_id })).await;
    assert_ne!(answer.status, 200, "{}", answer.text);
    let actions = panel.get("/api/v1/admin/users/5").await.json()["data"]["actions"].clone();
    assert_eq!((&actions["erasable"], &actions["activable"]), (&json!(false), &json!(false)));
    assert_eq!(count(&panel, "SELECT count(*) FROM users WHERE id = 5 AND status = 'deactivated'").await, 1);
}

/// Every table of the schema is declared exactly once, and the data inventory names each table with data of customers.
#[tokio::test]
async fn every_table_is_declared_and_the_data_inventory_agrees() {
    let panel = Panel::on(Dialect::Sqlite).await;
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'
      AND name NOT LIKE '\\_sqlx%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'";
    let tables: Vec<(String,)> = (&mut &panel.app.db).fetch_all(Sql::new(sql)).await.unwrap();
    let declared: Vec<&str> = PERSONAL_TABLES
        .iter()
        .map(|entry| entry.table)
        .chain(TABLES_WITHOUT_PERSONAL_DATA.iter().copied())
        .collect();
    let unique: BTreeSet<&str> = declared.iter().copied().collect();
    assert_eq!(unique.len(), declared.len(), "a table is declared once");
    let undeclared: Vec<_> = tables.iter().filter(|(name,)| !unique.contains(name.as_str())).collect();
    assert!(
        undeclared.is_empty(),
        "declare in personal_data/tables.rs which customer data these tables hold: {undeclared:?}"
    );
    let missing: Vec<_> = unique.iter().filter(|name| !tables.contains(&((**name).to_owned(),))).collect();
    assert!(missing.is_empty(), "declared, but not in the schema: {missing:?}");
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let text = std::fs::read_to_string(text).unwrap();
    let inventory = text.split("\n## Data inventory").nth(1).unwrap().split("\n## ").next().unwrap();
    let cells = inventory.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let documented: BTreeSet<&str> = cells.flat_map(|cell| cell.split('`')).collect();
    let undocumented: Vec<_> = PERSONAL_TABLES
        .iter()
        .filter(|entry| !documented.contains(entry.table))
        .map(|entry| entry.table)
        .collect();
    assert!(undocumented.is_empty(), "the data inventory of docs/security.md does not name {undocumented:?}");
    // The worker knows these tables by name, because the owner of their rows is found only in the contents.
    let found_by_contents: BTreeSet<&str> = PERSONAL_TABLES
        .iter()
        .filter(|entry| entry.owner == RowOwner::Contents && !matches!(entry.erasure, Treatment::Kept(_)))
        .map(|entry| entry.table)
        .collect();
    assert_eq!(found_by_contents, BTreeSet::from(["jobs", "webhook_deliveries", "webhook_events"]));
}
