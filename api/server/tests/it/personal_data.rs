//! A customer's export and erasure: everything that is declared, and nothing of the person left afterwards.

use std::collections::BTreeSet;
use std::path::Path;

use panel_contract::permission::Permission;
use panel_contract::upload::data_url;
use panel_platform::db::{Db, Dialect, Source, Sql};
use panel_server::operations::personal_data::declared::{PERSONAL, RowOwner, Treatment, WITHOUT};
use panel_server::operations::personal_data::worker;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::uploads::PIXEL;

both! {
    an_export_has_everything_and_is_audited;
    an_export_of_many_orders_comes_in_pages;
    a_parent_with_many_records_is_exported_and_erased_in_pages;
    a_preview_says_what_happens_and_writes_nothing;
    an_erasure_leaves_nothing_of_the_person;
    an_erasure_goes_on_where_a_process_ended;
    two_processes_erase_once;
    what_is_open_blocks_an_erasure;
    an_erased_account_stays_closed;
}

/// A customer of the shop with a record in most tables.
const USER: i64 = 5;
/// What must be gone afterwards, wherever it stood.
const TRACES: [&str; 4] = ["olga@person.test", "Olga Personova", "secret-place", "203.0.113.77"];

fn path(what: &str) -> String {
    format!("/api/v1/admin/users/{USER}/{what}")
}

/// A shop in which customer 5 is a person, all of whose work is done.
async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 9, 40).await;
    let sqls = [
        "UPDATE users SET name = 'Olga Personova', email = 'olga@person.test', telegram_username = 'olga', company_name = 'Olga Personova Ltd',
           messengers = '[{\"name\":\"signal\",\"value\":\"secret-place\"}]', additional_info = 'secret-place' WHERE id = 5",
        "UPDATE orders SET status = 'completed', url = 'https://secret-place.test/' || id, comment = 'secret-place', keyword = 'secret-place'
           WHERE user_id = 5",
        "INSERT INTO usual_networks (user_id, network, last_used_at) VALUES (5, '203.0.113.77/24', 1)",
        "INSERT INTO login_throttle (key, email, user_id, failures, window_started_at, blocked_until)
           VALUES ('login|olga@person.test', 'olga@person.test', NULL, 1, 1, 0),
                  ('confirm_code|olga@person.test|203.0.113.0/24', 'olga@person.test', NULL, 1, 1, 0),
                  ('trace|key|5|203.0.113.0/24', NULL, 5, 1, 1, 0), ('trace|login|5|203.0.113.0/24', NULL, 5, 1, 1, 0),
                  ('login|other@person.test', 'other@person.test', NULL, 1, 1, 0), ('trace|key|6|203.0.113.0/24', NULL, 6, 1, 1, 0)",
        "INSERT INTO order_targetable_values (order_id, name, value) SELECT min(id), 'comments', 'secret-place' FROM orders WHERE user_id = 5",
    ];
    for sql in sqls {
        panel.exec(Sql::new(sql)).await;
    }
    let sql = Sql::new(
        "INSERT INTO sessions (user_id, family_id, token_hash, created_at, signed_in_at, expires_at, last_used_at, ip_address, user_agent)
         VALUES (5, 'f', ?, 1, 1, 9000000000000000, 1, '203.0.113.77', 'secret-place')",
    );
    panel.exec(sql.bind(vec![7_u8; 32])).await;
    let sql = "INSERT INTO authenticator_enrolments (user_id, family_id, secret, expires_at) VALUES (5, 'f', ?, 9000000000000000)";
    panel.exec(Sql::new(sql).bind(vec![7_u8; 32])).await;
    let mail = json!({ "kind": "mail", "name": "Olga Personova", "email": "olga@person.test", "subject": "S", "text": "secret-place" });
    let event = json!({ "type": "order.created", "timestamp": "t", "data": { "id": 1, "url": "secret-place", "user": { "id": USER } } });
    let other =
        json!({ "type": "order.created", "timestamp": "t", "data": { "id": 2, "user": { "id": 6 } } });
    let sql = Sql::new("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ('mail', ?, 1, 1)");
    panel.exec(sql.bind(mail.to_string())).await;
    let sql = Sql::new(
        "INSERT INTO webhook_events (message_id, type, body, created_at) VALUES ('a', 'order.created', ?, 1), ('b', 'order.created', ?, 1)",
    );
    panel.exec(sql.bind(event.to_string()).bind(other.to_string())).await;
    let document = json!({ "group": "selfie", "picture": data_url(PIXEL) });
    assert_eq!(panel.post(&path("verification-documents"), &document).await.status, 200);
    settle(&panel).await;
    panel
}

/// Nothing of the customer is open, and the balance is spent.
async fn settle(panel: &Panel) {
    for sql in [
        "UPDATE users SET balance_main = 0, balance_task = 0, balance_referral = 0, hold_main = 0, hold_task = 0, hold_referral = 0 WHERE id = 5",
        "UPDATE drip_feeds SET status = 'completed' WHERE user_id = 5",
        "UPDATE subscriptions SET status = 'completed' WHERE user_id = 5",
        "UPDATE withdrawals SET status = 'rejected', admin_note = 'secret-place', rejected_at = 1 WHERE user_id = 5 AND status IN ('pending', 'approved')",
        "UPDATE invoices SET status = 'canceled' WHERE user_id = 5 AND status = 'pending'",
        "UPDATE free_trials SET status = 'rejected' WHERE user_id = 5 AND status = 'pending'",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
}

async fn finish(panel: &Panel) {
    while worker::run_due(&panel.app).await.unwrap() > 0 {}
}

/// The rows of a table as texts; without binary columns on SQLite.
pub(crate) async fn rows(db: &Db, table: &'static str) -> Vec<String> {
    let sql = match db.dialect() {
        Dialect::Postgres => Sql::new("SELECT CAST(row_to_json(t) AS TEXT) FROM ").push(table).push(" t"),
        Dialect::Sqlite => {
            let sql =
                Sql::new("SELECT name FROM pragma_table_info(").bind(table).push(") WHERE type <> 'BLOB'");
            let columns: Vec<(String,)> = (&mut &*db).all(sql).await.unwrap();
            let cells = columns.iter().map(|(name,)| format!("COALESCE(CAST({name} AS TEXT), '')"));
            let text = format!("SELECT {} FROM {table}", cells.collect::<Vec<_>>().join(" || ' ' || "));
            Sql::new(Box::leak(text.into_boxed_str()))
        }
    };
    let rows: Vec<(String,)> = (&mut &*db).all(sql).await.unwrap();
    rows.into_iter().map(|(row,)| row).collect()
}

async fn count(panel: &Panel, sql: &'static str) -> i64 {
    panel.number(Sql::new(sql)).await
}

async fn an_export_has_everything_and_is_audited(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.staff("clerk", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    assert_eq!(panel.get_as("clerk", &path("data-export"), "*/*").await.status, 403);
    assert_eq!(panel.get("/api/v1/admin/users/99/data-export").await.status, 404);
    let answer = panel.get(&path("data-export")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.headers["cache-control"], "private, no-store");
    let copy = answer.json();
    assert_eq!(copy["user_id"], USER);
    let tables = copy["tables"].as_object().unwrap();
    let declared: BTreeSet<&str> =
        PERSONAL.iter().filter(|of| !of.fields.is_empty()).map(|of| of.table).collect();
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
    // Nothing of others, and no secret.
    assert!(!answer.text.contains("password") && !answer.text.contains("hash"), "{}", answer.text);
    let looked = "SELECT count(*) FROM audits WHERE event = 'user.data_exported' AND auditable_id = 5";
    assert_eq!(count(&panel, looked).await, 1);
}

async fn an_export_of_many_orders_comes_in_pages(dialect: Dialect) {
    let panel = Panel::shop(dialect, 2, 2_300).await;
    panel.exec(Sql::new("UPDATE orders SET user_id = 1")).await;
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

/// Records that name a page, and no more of them than that are overwritten at once.
const PAGE: i64 = 500;

/// Gives subscriptions of customer 5 so many contents each, and one of another customer two.
async fn contents(panel: &Panel, of: &[i64]) {
    panel.exec(Sql::new("UPDATE subscriptions SET user_id = 6, status = 'completed'")).await;
    let more = "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, subscription_contents_count,
        orders_count, cost, returned, created_at, updated_at, delay_minutes, old_contents)
      SELECT i, 'Blog', 'https://blog.example/' || i, 'posts', 6, 'completed', 'prepaid', 5, 0, 0, 0, 0, 1, 1, 0, 0
      FROM (SELECT CAST(row_number() OVER (ORDER BY id) AS BIGINT) + 100000 AS i FROM users) n WHERE i <= 100009";
    panel.exec(Sql::new(more)).await;
    let sql = Sql::new("SELECT id FROM subscriptions WHERE id > 100000 ORDER BY id");
    let ids: Vec<(i64,)> = (&mut &panel.app.db).all(sql).await.unwrap();
    let mut rows = Vec::new();
    for ((id,), records) in ids.iter().zip(of.iter().chain(&[2])) {
        rows.extend(
            (0..*records).map(|at| vec![(*id).into(), format!("https://secret-place.test/{at}").into()]),
        );
    }
    panel.exec(Sql::new("DELETE FROM subscription_contents")).await;
    let sql = Sql::new(
        "INSERT INTO subscription_contents (subscription_id, url, created_at) SELECT r.id, r.url, 1 FROM ",
    );
    panel.exec(sql.rows("r", &["id", "url"], rows)).await;
    let mine: Vec<i64> = ids.iter().take(of.len()).map(|(id,)| *id).collect();
    panel.exec(Sql::new("UPDATE subscriptions SET user_id = 5 WHERE id IN ").numbers(mine)).await;
}

/// One subscription may have a million contents: a page has a bounded number of records, not of subscriptions.
async fn a_parent_with_many_records_is_exported_and_erased_in_pages(dialect: Dialect) {
    let panel = shop(dialect).await;
    let of = [3, 1_200, 0, 499, 1, 500, 1_000, 7];
    contents(&panel, &of).await;
    let all: i64 = of.iter().sum();
    let copy = panel.get(&path("data-export")).await.json();
    let exported: Vec<(i64, i64)> = copy["tables"]["subscription_contents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["subscription_id"].as_i64().unwrap(), row["id"].as_i64().unwrap()))
        .collect();
    assert_eq!(exported.len() as i64, all);
    assert!(exported.is_sorted_by(|one, next| one < next), "each once, in order");

    assert_eq!(panel.post(&path("erase"), &json!({})).await.status, 200);
    let left = "SELECT count(*) FROM subscription_contents WHERE url LIKE 'https://secret-place.test/%'";
    let (mut before, mut batches) = (count(&panel, left).await, 0);
    assert_eq!(before, all + 2);
    while worker::run_due(&panel.app).await.unwrap() > 0 {
        let after = count(&panel, left).await;
        assert!(before - after <= PAGE, "{before} to {after} in one transaction");
        batches += i64::from(after < before);
        before = after;
    }
    assert_eq!((before, batches), (2, 9), "the other customer's stay; small parents share a batch");
}

async fn a_preview_says_what_happens_and_writes_nothing(dialect: Dialect) {
    let panel = shop(dialect).await;
    let before = panel.get(&path("data-export")).await.json()["tables"]["users"].clone();
    let answer = panel.post(&format!("{}?dry_run=1", path("erase")), &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let plan = answer.json()["data"].clone();
    assert_eq!((&plan["requested_at"], &plan["erased_at"]), (&Value::Null, &Value::Null));
    let of = |table: &str| {
        plan["tables"].as_array().unwrap().iter().find(|one| one["table"] == table).unwrap().clone()
    };
    let orders = count(&panel, "SELECT count(*) FROM orders WHERE user_id = 5").await;
    assert_eq!(
        (&of("orders")["treatment"], &of("orders")["records"]),
        (&json!("overwritten"), &json!(orders))
    );
    assert!(of("orders")["fields"].as_array().unwrap().contains(&json!("url")));
    assert_eq!(of("verification_documents")["records"], 1);
    assert_eq!(of("ledger_entries")["treatment"], "kept");
    assert!(of("ledger_entries")["note"].as_str().unwrap().contains("Money records"));
    assert_eq!(of("jobs")["records"], Value::Null);
    assert_eq!(plan["tables"].as_array().unwrap().len(), PERSONAL.len());
    assert_eq!(count(&panel, "SELECT count(*) FROM erasures").await, 0);
    assert_eq!(panel.get(&path("data-export")).await.json()["tables"]["users"], before);
}

async fn an_erasure_leaves_nothing_of_the_person(dialect: Dialect) {
    let panel = shop(dialect).await;
    let document = "SELECT file FROM verification_documents WHERE user_id = 5";
    let (file,): (String,) = (&mut &panel.app.db).one(Sql::new(document)).await.unwrap();
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
    assert_eq!(count(&panel, throttled).await, 2, "those of other accounts");
    assert_eq!(count(&panel, "SELECT count(*) FROM authenticator_enrolments").await, 0);
    finish(&panel).await;

    assert!(!stored.exists(), "the file of the document");
    let user = panel.get("/api/v1/admin/users/5").await.json()["data"].clone();
    assert!(user["erased_at"].is_string(), "{user}");
    assert_eq!(count(&panel, "SELECT count(*) FROM erasures").await, 0);
    assert_eq!(count(&panel, "SELECT count(*) FROM webhook_events").await, 1, "the other customer's");
    assert_eq!(
        (count(&panel, money).await, count(&panel, "SELECT count(*) FROM ledger_entries").await),
        before
    );
    let copy = panel.get(&path("data-export")).await.text;
    for trace in TRACES {
        assert!(!copy.contains(trace), "{trace} is in {copy}");
    }
    for of in PERSONAL.iter().filter(|of| !matches!(of.erasure, Treatment::Kept(_))) {
        let rows = rows(&panel.app.db, of.table).await;
        let left = rows.iter().find(|row| TRACES.iter().any(|trace| row.contains(trace)));
        assert_eq!(left, None, "{}", of.table);
    }
    // Found by nothing that was theirs; a second request changes nothing.
    let found = panel.get("/api/v1/admin/users/search?query=olga@person.test").await.json();
    assert_eq!(found["data"], json!([]));
    let audits = count(&panel, "SELECT count(*) FROM audits").await;
    let again = panel.post(&path("erase"), &json!({})).await;
    assert_eq!((again.status.as_u16(), &again.json()["data"]["tables"]), (200, &json!([])));
    assert_eq!(count(&panel, "SELECT count(*) FROM audits").await, audits);
    // The trail names no erased value, but in what was written before.
    let audited = "SELECT count(*) FROM audits WHERE event IN ('user.erasure_requested', 'user.erased') AND auditable_id = 5
      AND old_values NOT LIKE '%lga%' AND new_values NOT LIKE '%lga%'";
    assert_eq!(count(&panel, audited).await, 2);
}

async fn an_erasure_goes_on_where_a_process_ended(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel
        .exec(Sql::new(
            "UPDATE orders SET user_id = 5, status = 'completed', url = 'https://secret-place.test'",
        ))
        .await;
    assert_eq!(panel.post(&path("erase"), &json!({})).await.status, 200);
    // As if a process ended after the first part of the orders.
    let half = Sql::new("UPDATE erasures SET step = 'orders', last_id = (SELECT min(id) + 19 FROM orders)");
    panel.exec(half).await;
    finish(&panel).await;
    let left = "SELECT count(*) FROM orders WHERE url = 'https://secret-place.test'";
    assert_eq!(count(&panel, left).await, 20, "those before its place count as done");
    assert_eq!(count(&panel, "SELECT count(*) FROM users WHERE erased_at IS NOT NULL").await, 1);
}

async fn two_processes_erase_once(dialect: Dialect) {
    let panel = shop(dialect).await;
    assert_eq!(panel.post(&path("erase"), &json!({})).await.status, 200);
    let (one, two) = tokio::join!(worker::run_due(&panel.app), worker::run_due(&panel.app));
    one.unwrap();
    two.unwrap();
    finish(&panel).await;
    assert_eq!(count(&panel, "SELECT count(*) FROM audits WHERE event = 'user.erased'").await, 1);
}

async fn what_is_open_blocks_an_erasure(dialect: Dialect) {
    let panel = shop(dialect).await;
    for (open, close) in [
        ("UPDATE users SET balance_main = 1 WHERE id = 5", "UPDATE users SET balance_main = 0 WHERE id = 5"),
        (
            "UPDATE orders SET status = 'in_processing' WHERE user_id = 5",
            "UPDATE orders SET status = 'completed' WHERE user_id = 5",
        ),
    ] {
        panel.exec(Sql::new(open)).await;
        for query in ["", "?dry_run=1"] {
            let answer = panel.post(&format!("{}{query}", path("erase")), &json!({})).await;
            assert_eq!(answer.says(), (409, "erasure_blocked".into()), "{}", answer.text);
        }
        panel.exec(Sql::new(close)).await;
    }
    panel.staff("clerk", &[Permission::ViewOrders]).await;
    let sql = Sql::new("SELECT max(id) FROM users WHERE is_staff = TRUE");
    let clerk = panel.number(sql).await;
    let answer = panel.post(&format!("/api/v1/admin/users/{clerk}/erase"), &json!({})).await;
    assert_eq!(answer.says(), (409, "user_is_staff".into()), "{}", answer.text);
    assert_eq!(panel.post("/api/v1/admin/users/99/erase", &json!({})).await.status, 404);
    assert_eq!(count(&panel, "SELECT count(*) FROM erasures").await, 0);
}

async fn an_erased_account_stays_closed(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.exec(Sql::new("UPDATE users SET status = 'active' WHERE id = 5")).await;
    let frozen = panel.post("/api/v1/admin/users/5/freeze", &json!({})).await;
    let undo = frozen.json()["undo"]["request_id"].clone();
    assert_eq!(panel.post(&path("erase"), &json!({})).await.status, 200);
    let refused = (409, "user_erased".to_owned());
    for (method, path, body) in [
        ("POST", path("activate"), json!({})),
        ("PATCH", "/api/v1/admin/users/5".to_owned(), json!({ "name": "Olga" })),
        ("POST", path("api-key"), json!({})),
        ("POST", path("user-discount"), json!({ "percent": "0.05", "type": "all" })),
        ("POST", path("verification-documents"), json!({ "group": "card", "picture": data_url(PIXEL) })),
    ] {
        assert_eq!(panel.send("owner", method, &path, &body, None).await.says(), refused, "{method} {path}");
    }
    let bulk = json!({ "user_ids": [USER], "contact_step": null });
    let answer = panel.post("/api/v1/admin/users/bulk-actions", &bulk).await;
    assert_eq!(answer.json()["skipped"][0]["code"], "user_erased", "{}", answer.text);
    let answer = panel.post("/api/v1/admin/undo", &json!({ "request_id": undo })).await;
    assert_ne!(answer.status, 200, "{}", answer.text);
    let actions = panel.get("/api/v1/admin/users/5").await.json()["data"]["actions"].clone();
    assert_eq!((&actions["erasable"], &actions["activable"]), (&json!(false), &json!(false)));
    assert_eq!(count(&panel, "SELECT count(*) FROM users WHERE id = 5 AND status = 'deactivated'").await, 1);
}

/// Every table of the schema is declared, once; the data inventory names what holds data of customers.
#[tokio::test]
async fn every_table_is_declared_and_the_data_inventory_agrees() {
    let panel = Panel::on(Dialect::Sqlite).await;
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'
      AND name NOT LIKE '\\_sqlx%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'";
    let tables: Vec<(String,)> = (&mut &panel.app.db).all(Sql::new(sql)).await.unwrap();
    let declared: Vec<&str> = PERSONAL.iter().map(|of| of.table).chain(WITHOUT.iter().copied()).collect();
    let once: BTreeSet<&str> = declared.iter().copied().collect();
    assert_eq!(once.len(), declared.len(), "a table is declared once");
    let wrong: Vec<_> = tables.iter().filter(|(name,)| !once.contains(name.as_str())).collect();
    assert!(wrong.is_empty(), "say in personal_data/declared.rs what these hold of customers: {wrong:?}");
    let gone: Vec<_> = once.iter().filter(|name| !tables.contains(&((**name).to_owned(),))).collect();
    assert!(gone.is_empty(), "declared, but not there: {gone:?}");
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let text = std::fs::read_to_string(text).unwrap();
    let inventory = text.split("\n## Data inventory").nth(1).unwrap().split("\n## ").next().unwrap();
    let cells = inventory.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let named: BTreeSet<&str> = cells.flat_map(|cell| cell.split('`')).collect();
    let silent: Vec<_> = PERSONAL.iter().filter(|of| !named.contains(of.table)).map(|of| of.table).collect();
    assert!(silent.is_empty(), "the data inventory of docs/security.md does not name {silent:?}");
    // Records that are kept say why; what is found by its contents is known to the worker.
    let found = PERSONAL
        .iter()
        .filter(|of| of.owner == RowOwner::Contents && !matches!(of.erasure, Treatment::Kept(_)));
    let found: BTreeSet<&str> = found.map(|of| of.table).collect();
    assert_eq!(found, BTreeSet::from(["jobs", "webhook_deliveries", "webhook_events"]));
}
