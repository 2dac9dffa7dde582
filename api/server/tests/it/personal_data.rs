//! Export and erasure of a customer's personal data: the export contains every table of `PERSONAL_TABLES` with exported fields, and
//! after the erasure no table contains personal data of the customer.

use std::collections::BTreeSet;
use std::path::Path;

use panel_contract::permission::Permission;
use panel_contract::upload::to_data_url;
use panel_platform::db::{Db, Dialect, Sql, SqlExecutor};
use panel_server::operations::personal_data::tables::{
    PERSONAL_TABLES, RowOwner, TABLES_WITHOUT_PERSONAL_DATA, Treatment,
};
use panel_server::operations::personal_data::worker;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::uploads::PIXEL;

test_both_databases! {
    an_export_contains_every_declared_table_and_is_audited;
    an_export_of_many_orders_contains_each_order_once;
    a_subscription_with_many_contents_is_exported_and_erased_in_batches;
    a_dry_run_lists_the_treatment_of_each_table_and_writes_nothing;
    an_erasure_removes_all_personal_data_of_the_customer;
    an_interrupted_erasure_resumes_at_its_stored_position;
    concurrent_workers_erase_a_customer_once;
    a_balance_or_an_open_order_blocks_an_erasure;
    an_erased_account_cannot_be_activated_or_edited;
}

/// A customer of the shop with a record in most tables.
const CUSTOMER_ID: i64 = 5;
/// Strings that no table may contain after the erasure.
const PERSONAL_TEXTS: [&str; 4] = ["olga@person.test", "Olga Personova", "secret-place", "203.0.113.77"];

fn user_action_path(action: &str) -> String {
    format!("/api/v1/admin/users/{CUSTOMER_ID}/{action}")
}

/// A shop whose customer 5 has personal data in most tables, no open orders and no balance.
async fn start_shop(dialect: Dialect) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 9, 40).await;
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
    let mail_body = json!({ "kind": "mail", "name": "Olga Personova", "email": "olga@person.test", "subject": "S", "text": "secret-place" });
    let event_body = json!({ "type": "order.created", "timestamp": "t", "data": { "id": 1, "url": "secret-place", "user": { "id": CUSTOMER_ID } } });
    let other_body =
        json!({ "type": "order.created", "timestamp": "t", "data": { "id": 2, "user": { "id": 6 } } });
    let sql = Sql::new("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ('mail', ?, 1, 1)");
    panel.execute(sql.bind(mail_body.to_string())).await;
    let sql = Sql::new(
        "INSERT INTO webhook_events (message_id, type, body, created_at) VALUES ('a', 'order.created', ?, 1), ('b', 'order.created', ?, 1)",
    );
    panel.execute(sql.bind(event_body.to_string()).bind(other_body.to_string())).await;
    let document_body = json!({ "group": "selfie", "picture": to_data_url(PIXEL) });
    assert_eq!(panel.post(&user_action_path("verification-documents"), &document_body).await.status, 200);
    close_records_that_block_an_erasure(&panel).await;
    panel
}

/// Closes the customer's records that block an erasure, and empties the balances.
async fn close_records_that_block_an_erasure(panel: &Panel) {
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

/// Each row of a table as one string. On SQLite the string contains no binary columns.
pub(crate) async fn fetch_rows_as_text(db: &Db, table: &'static str) -> Vec<String> {
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

async fn fetch_number(panel: &Panel, sql: &'static str) -> i64 {
    panel.fetch_number(Sql::new(sql)).await
}

async fn an_export_contains_every_declared_table_and_is_audited(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.create_staff("clerk", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    assert_eq!(panel.get_as("clerk", &user_action_path("data-export"), "*/*").await.status, 403);
    assert_eq!(panel.get("/api/v1/admin/users/99/data-export").await.status, 404);
    let response = panel.get(&user_action_path("data-export")).await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(response.headers["cache-control"], "private, no-store");
    let export = response.json();
    assert_eq!(export["user_id"], CUSTOMER_ID);
    let tables = export["tables"].as_object().unwrap();
    let declared_tables: BTreeSet<&str> =
        PERSONAL_TABLES.iter().filter(|entry| !entry.fields.is_empty()).map(|entry| entry.table).collect();
    assert_eq!(tables.keys().map(String::as_str).collect::<BTreeSet<_>>(), declared_tables);
    let user = &tables["users"][0];
    assert_eq!(
        (user["email"].as_str(), user["balance_main"].as_str()),
        (Some("olga@person.test"), Some("0"))
    );
    assert!(user["created_at"].as_str().unwrap().starts_with("20"), "{user}");
    assert_eq!(user["messengers"][0]["value"], "secret-place");
    let orders = tables["orders"].as_array().unwrap();
    assert_eq!(
        orders.len() as i64,
        fetch_number(&panel, "SELECT count(*) FROM orders WHERE user_id = 5").await
    );
    assert!(orders.iter().all(|order| order["url"].as_str().unwrap().contains("secret-place")));
    assert!(orders[0]["is_paid"].is_boolean(), "{}", orders[0]);
    assert_eq!(tables["order_targetable_values"][0]["value"], "secret-place");
    let file = &export["files"][0];
    assert_eq!(file["document_id"], tables["verification_documents"][0]["id"]);
    assert!(file["content"].as_str().unwrap().len() > 20, "{file}");
    // The export holds no secrets.
    assert!(!response.text.contains("password") && !response.text.contains("hash"), "{}", response.text);
    let count_export_audits_sql =
        "SELECT count(*) FROM audits WHERE event = 'user.data_exported' AND auditable_id = 5";
    assert_eq!(fetch_number(&panel, count_export_audits_sql).await, 1);
}

async fn an_export_of_many_orders_contains_each_order_once(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 2, 2_300).await;
    panel.execute(Sql::new("UPDATE orders SET user_id = 1")).await;
    let export = panel.get("/api/v1/admin/users/1/data-export").await.json();
    let ids: Vec<i64> = export["tables"]["orders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|order| order["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids.len(), 2_300);
    assert!(ids.is_sorted_by(|a, b| a < b), "each record must occur once, and the ids must ascend");
}

/// The maximum number of rows that one transaction of the erasure overwrites.
const MAX_BATCH: i64 = 500;

/// Deletes all contents and assigns all subscriptions to customer 6. Then gives customer 5 one subscription per entry of
/// `content_counts`, with this number of contents, and adds two contents to a subscription of customer 6.
async fn replace_subscriptions_and_contents(panel: &Panel, content_counts: &[i64]) {
    panel.execute(Sql::new("UPDATE subscriptions SET user_id = 6, status = 'completed'")).await;
    let insert_subscriptions_sql = "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, subscription_contents_count,
        orders_count, cost, refunded, created_at, updated_at, delay_minutes, old_contents)
      SELECT i, 'Blog', 'https://blog.example/' || i, 'posts', 6, 'completed', 'prepaid', 5, 0, 0, 0, 0, 1, 1, 0, 0
      FROM (SELECT CAST(row_number() OVER (ORDER BY id) AS BIGINT) + 100000 AS i FROM users) n WHERE i <= 100009";
    panel.execute(Sql::new(insert_subscriptions_sql)).await;
    let sql = Sql::new("SELECT id FROM subscriptions WHERE id > 100000 ORDER BY id");
    let ids: Vec<(i64,)> = (&mut &panel.app.db).fetch_all(sql).await.unwrap();
    let mut rows = Vec::new();
    for ((id,), content_count) in ids.iter().zip(content_counts.iter().chain(&[2])) {
        rows.extend(
            (0..*content_count)
                .map(|number| vec![(*id).into(), format!("https://secret-place.test/{number}").into()]),
        );
    }
    panel.execute(Sql::new("DELETE FROM subscription_contents")).await;
    let sql = Sql::new(
        "INSERT INTO subscription_contents (subscription_id, url, created_at) SELECT r.id, r.url, 1 FROM ",
    );
    panel.execute(sql.rows("r", &["id", "url"], rows)).await;
    let own_ids: Vec<i64> = ids.iter().take(content_counts.len()).map(|(id,)| *id).collect();
    panel.execute(Sql::new("UPDATE subscriptions SET user_id = 5 WHERE id IN ").numbers(own_ids)).await;
}

/// A subscription may have a million contents, so the number of contents limits a batch, not the number of subscriptions.
async fn a_subscription_with_many_contents_is_exported_and_erased_in_batches(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let content_counts = [3, 1_200, 0, 499, 1, 500, 1_000, 7];
    replace_subscriptions_and_contents(&panel, &content_counts).await;
    let total_count: i64 = content_counts.iter().sum();
    let export = panel.get(&user_action_path("data-export")).await.json();
    let exported_ids: Vec<(i64, i64)> = export["tables"]["subscription_contents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["subscription_id"].as_i64().unwrap(), row["id"].as_i64().unwrap()))
        .collect();
    assert_eq!(exported_ids.len() as i64, total_count);
    assert!(exported_ids.is_sorted_by(|a, b| a < b), "each record must occur once, and the ids must ascend");

    assert_eq!(panel.post(&user_action_path("erase"), &json!({})).await.status, 200);
    let count_remaining_sql =
        "SELECT count(*) FROM subscription_contents WHERE url LIKE 'https://secret-place.test/%'";
    let (mut count_before, mut batch_count) = (fetch_number(&panel, count_remaining_sql).await, 0);
    assert_eq!(count_before, total_count + 2);
    while worker::run_due(&panel.app).await.unwrap() > 0 {
        let count_after = fetch_number(&panel, count_remaining_sql).await;
        assert!(
            count_before - count_after <= MAX_BATCH,
            "one transaction erased {count_before} - {count_after} contents"
        );
        batch_count += i64::from(count_after < count_before);
        count_before = count_after;
    }
    assert_eq!(
        (count_before, batch_count),
        (2, 9),
        "the contents of the other customer must remain, and small subscriptions must share a batch"
    );
}

async fn a_dry_run_lists_the_treatment_of_each_table_and_writes_nothing(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let record_before = panel.get(&user_action_path("data-export")).await.json()["tables"]["users"].clone();
    let response = panel.post(&format!("{}?dry_run=1", user_action_path("erase")), &json!({})).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let erasure_plan = response.json()["data"].clone();
    assert_eq!((&erasure_plan["requested_at"], &erasure_plan["erased_at"]), (&Value::Null, &Value::Null));
    let find_plan_entry = |table: &str| {
        erasure_plan["tables"]
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["table"] == table)
            .unwrap()
            .clone()
    };
    let orders = fetch_number(&panel, "SELECT count(*) FROM orders WHERE user_id = 5").await;
    assert_eq!(
        (&find_plan_entry("orders")["treatment"], &find_plan_entry("orders")["records"]),
        (&json!("overwritten"), &json!(orders))
    );
    assert!(find_plan_entry("orders")["fields"].as_array().unwrap().contains(&json!("url")));
    assert_eq!(find_plan_entry("verification_documents")["records"], 1);
    assert_eq!(find_plan_entry("ledger_entries")["treatment"], "kept");
    assert!(find_plan_entry("ledger_entries")["note"].as_str().unwrap().contains("Money records"));
    assert_eq!(find_plan_entry("jobs")["records"], Value::Null);
    assert_eq!(erasure_plan["tables"].as_array().unwrap().len(), PERSONAL_TABLES.len());
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM erasures").await, 0);
    assert_eq!(panel.get(&user_action_path("data-export")).await.json()["tables"]["users"], record_before);
}

async fn an_erasure_removes_all_personal_data_of_the_customer(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let document_file_sql = "SELECT file FROM verification_documents WHERE user_id = 5";
    let (file,): (String,) = (&mut &panel.app.db).fetch_one(Sql::new(document_file_sql)).await.unwrap();
    let stored_file = panel.app.config.data_dir.join("uploads/private").join(&file);
    assert!(stored_file.exists(), "{}", stored_file.display());
    let ledger_sum_sql = "SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger_entries";
    let ledger_before = (
        fetch_number(&panel, ledger_sum_sql).await,
        fetch_number(&panel, "SELECT count(*) FROM ledger_entries").await,
    );

    let response = panel.post(&user_action_path("erase"), &json!({})).await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert!(response.json()["data"]["requested_at"].is_string());
    let user = panel.get("/api/v1/admin/users/5").await.json()["data"].clone();
    assert_eq!((&user["status"], &user["email"]), (&json!("deactivated"), &json!("erased-5@invalid")));
    assert!(user["erasure_requested_at"].is_string() && user["erased_at"].is_null(), "{user}");
    let count_throttle_rows_sql = "SELECT count(*) FROM login_throttle";
    assert_eq!(
        fetch_number(&panel, count_throttle_rows_sql).await,
        2,
        "the rows of other accounts must remain"
    );
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM authenticator_enrolments").await, 0);
    run_worker_until_done(&panel).await;

    assert!(!stored_file.exists(), "the erasure must delete the file of the document");
    let user = panel.get("/api/v1/admin/users/5").await.json()["data"].clone();
    assert!(user["erased_at"].is_string(), "{user}");
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM erasures").await, 0);
    assert_eq!(
        fetch_number(&panel, "SELECT count(*) FROM webhook_events").await,
        1,
        "only the event of the other customer must remain"
    );
    assert_eq!(
        (
            fetch_number(&panel, ledger_sum_sql).await,
            fetch_number(&panel, "SELECT count(*) FROM ledger_entries").await
        ),
        ledger_before
    );
    let export = panel.get(&user_action_path("data-export")).await.text;
    for personal_text in PERSONAL_TEXTS {
        assert!(!export.contains(personal_text), "{personal_text} is in {export}");
    }
    for entry in PERSONAL_TABLES.iter().filter(|entry| !matches!(entry.erasure, Treatment::Kept(_))) {
        let rows = fetch_rows_as_text(&panel.app.db, entry.table).await;
        let row_with_personal_text =
            rows.iter().find(|row| PERSONAL_TEXTS.iter().any(|personal_text| row.contains(personal_text)));
        assert_eq!(row_with_personal_text, None, "{}", entry.table);
    }
    // A search by the former email finds no user, and a second erasure has no effect.
    let search_results = panel.get("/api/v1/admin/users/search?query=olga@person.test").await.json();
    assert_eq!(search_results["data"], json!([]));
    let audit_count = fetch_number(&panel, "SELECT count(*) FROM audits").await;
    let second_erasure = panel.post(&user_action_path("erase"), &json!({})).await;
    assert_eq!((second_erasure.status.as_u16(), &second_erasure.json()["data"]["tables"]), (200, &json!([])));
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM audits").await, audit_count);
    // The audit entries of the erasure contain no personal text. The pattern matches `Olga` and `olga`.
    let count_audits_without_personal_text_sql = "SELECT count(*) FROM audits WHERE event IN ('user.erasure_requested', 'user.erased') AND auditable_id = 5
      AND old_values NOT LIKE '%lga%' AND new_values NOT LIKE '%lga%'";
    assert_eq!(fetch_number(&panel, count_audits_without_personal_text_sql).await, 2);
}

async fn an_interrupted_erasure_resumes_at_its_stored_position(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel
        .execute(Sql::new(
            "UPDATE orders SET user_id = 5, status = 'completed', url = 'https://secret-place.test'",
        ))
        .await;
    assert_eq!(panel.post(&user_action_path("erase"), &json!({})).await.status, 200);
    // The state that a process leaves if it ends after the first 20 orders.
    let set_position_sql =
        Sql::new("UPDATE erasures SET step = 'orders', last_id = (SELECT min(id) + 19 FROM orders)");
    panel.execute(set_position_sql).await;
    run_worker_until_done(&panel).await;
    let count_remaining_sql = "SELECT count(*) FROM orders WHERE url = 'https://secret-place.test'";
    assert_eq!(
        fetch_number(&panel, count_remaining_sql).await,
        20,
        "the erasure must skip the orders before the stored position"
    );
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM users WHERE erased_at IS NOT NULL").await, 1);
}

async fn concurrent_workers_erase_a_customer_once(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    assert_eq!(panel.post(&user_action_path("erase"), &json!({})).await.status, 200);
    let (first_result, second_result) =
        tokio::join!(worker::run_due(&panel.app), worker::run_due(&panel.app));
    first_result.unwrap();
    second_result.unwrap();
    run_worker_until_done(&panel).await;
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM audits WHERE event = 'user.erased'").await, 1);
}

async fn a_balance_or_an_open_order_blocks_an_erasure(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    for (block_sql, unblock_sql) in [
        ("UPDATE users SET balance_main = 1 WHERE id = 5", "UPDATE users SET balance_main = 0 WHERE id = 5"),
        (
            "UPDATE orders SET status = 'in_processing' WHERE user_id = 5",
            "UPDATE orders SET status = 'completed' WHERE user_id = 5",
        ),
    ] {
        panel.execute(Sql::new(block_sql)).await;
        for query in ["", "?dry_run=1"] {
            let response = panel.post(&format!("{}{query}", user_action_path("erase")), &json!({})).await;
            assert_eq!(response.status_and_code(), (409, "erasure_blocked".into()), "{}", response.text);
        }
        panel.execute(Sql::new(unblock_sql)).await;
    }
    panel.create_staff("clerk", &[Permission::ViewOrders]).await;
    let sql = Sql::new("SELECT max(id) FROM users WHERE is_staff = TRUE");
    let clerk_id = panel.fetch_number(sql).await;
    let response = panel.post(&format!("/api/v1/admin/users/{clerk_id}/erase"), &json!({})).await;
    assert_eq!(response.status_and_code(), (409, "user_is_staff".into()), "{}", response.text);
    assert_eq!(panel.post("/api/v1/admin/users/99/erase", &json!({})).await.status, 404);
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM erasures").await, 0);
}

async fn an_erased_account_cannot_be_activated_or_edited(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.execute(Sql::new("UPDATE users SET status = 'active' WHERE id = 5")).await;
    let freeze_response = panel.post("/api/v1/admin/users/5/freeze", &json!({})).await;
    let undo_request_id = freeze_response.json()["undo"]["request_id"].clone();
    assert_eq!(panel.post(&user_action_path("erase"), &json!({})).await.status, 200);
    let user_erased_error = (409, "user_erased".to_owned());
    for (method, path, body) in [
        ("POST", user_action_path("activate"), json!({})),
        ("PATCH", "/api/v1/admin/users/5".to_owned(), json!({ "name": "Olga" })),
        ("POST", user_action_path("api-key"), json!({})),
        ("POST", user_action_path("user-discount"), json!({ "discount_fraction": "0.05", "type": "all" })),
        (
            "POST",
            user_action_path("verification-documents"),
            json!({ "group": "card", "picture": to_data_url(PIXEL) }),
        ),
    ] {
        assert_eq!(
            panel.send("owner", method, &path, &body, None).await.status_and_code(),
            user_erased_error,
            "{method} {path}"
        );
    }
    let bulk_body = json!({ "user_ids": [CUSTOMER_ID], "contact_step": null });
    let response = panel.post("/api/v1/admin/users/bulk-actions", &bulk_body).await;
    assert_eq!(response.json()["skipped"][0]["code"], "user_erased", "{}", response.text);
    let response = panel.post("/api/v1/admin/undo", &json!({ "request_id": undo_request_id })).await;
    assert_ne!(response.status, 200, "{}", response.text);
    let actions = panel.get("/api/v1/admin/users/5").await.json()["data"]["actions"].clone();
    assert_eq!((&actions["erasable"], &actions["activable"]), (&json!(false), &json!(false)));
    assert_eq!(
        fetch_number(&panel, "SELECT count(*) FROM users WHERE id = 5 AND status = 'deactivated'").await,
        1
    );
}

/// Each table of the schema is declared exactly once, and the data inventory lists each table with personal data.
#[tokio::test]
async fn every_table_is_declared_and_documented_in_the_data_inventory() {
    let panel = Panel::start(Dialect::Sqlite).await;
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'
      AND name NOT LIKE '\\_sqlx%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'";
    let tables: Vec<(String,)> = (&mut &panel.app.db).fetch_all(Sql::new(sql)).await.unwrap();
    let declared_tables: Vec<&str> = PERSONAL_TABLES
        .iter()
        .map(|entry| entry.table)
        .chain(TABLES_WITHOUT_PERSONAL_DATA.iter().copied())
        .collect();
    let unique_tables: BTreeSet<&str> = declared_tables.iter().copied().collect();
    assert_eq!(unique_tables.len(), declared_tables.len(), "a table is declared twice");
    let undeclared_tables: Vec<_> =
        tables.iter().filter(|(name,)| !unique_tables.contains(name.as_str())).collect();
    assert!(
        undeclared_tables.is_empty(),
        "declare in personal_data/tables.rs which customer data these tables hold: {undeclared_tables:?}"
    );
    let missing_tables: Vec<_> =
        unique_tables.iter().filter(|name| !tables.contains(&((**name).to_owned(),))).collect();
    assert!(missing_tables.is_empty(), "these declared tables are not in the schema: {missing_tables:?}");
    let page_path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let security_page = std::fs::read_to_string(page_path).unwrap();
    let inventory = security_page.split("\n## Data inventory").nth(1).unwrap().split("\n## ").next().unwrap();
    let cells = inventory.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let documented_tables: BTreeSet<&str> = cells.flat_map(|cell| cell.split('`')).collect();
    let undocumented_tables: Vec<_> = PERSONAL_TABLES
        .iter()
        .filter(|entry| !documented_tables.contains(entry.table))
        .map(|entry| entry.table)
        .collect();
    assert!(
        undocumented_tables.is_empty(),
        "the data inventory of docs/security.md does not list {undocumented_tables:?}"
    );
    // These tables have no column with the user, so the worker has code for each of them that finds the customer in the JSON.
    let tables_with_owner_in_payload: BTreeSet<&str> = PERSONAL_TABLES
        .iter()
        .filter(|entry| entry.owner == RowOwner::Contents && !matches!(entry.erasure, Treatment::Kept(_)))
        .map(|entry| entry.table)
        .collect();
    assert_eq!(
        tables_with_owner_in_payload,
        BTreeSet::from(["jobs", "webhook_deliveries", "webhook_events"])
    );
}
