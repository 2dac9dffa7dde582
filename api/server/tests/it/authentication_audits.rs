//! Tests the audit entries and log lines of authentication: sign-ins, failures, sign-outs, use of API keys, and client addresses.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::{Value, json};

use crate::logs::Log;
use crate::panel::Panel;
use crate::placing_orders::{create_api_key, parse_order_id, send_reseller_request, start_shop};
use crate::test_users::PASSWORD;

test_both_databases! {
    sign_ins_and_sign_outs_are_audited;
    wrong_secrets_of_a_session_are_audited;
    failures_of_unknown_accounts_write_a_limited_number_of_entries;
    actions_of_an_api_key_are_audited_with_its_customer;
    request_logs_have_the_client_address;
}

/// An audit entry: event, id of the acting user, id of the record, new values.
type AuditEntry = (String, Option<i64>, i64, Value);

async fn load_audit_entries(panel: &Panel, event_prefix: &str) -> Vec<AuditEntry> {
    let sql = "SELECT event, user_id, auditable_id, new_values FROM audits ORDER BY id";
    let rows: Vec<(String, Option<i64>, i64, String)> =
        (&mut &panel.app.db).fetch_all(Sql::new(sql)).await.unwrap();
    let matching_rows = rows.into_iter().filter(|row| row.0.starts_with(event_prefix));
    matching_rows
        .map(|(event, user_id, record_id, new_values)| {
            (event, user_id, record_id, new_values.parse().unwrap())
        })
        .collect()
}

/// Waits for `count` entries of sign-ins: the server records a failed sign-in after it has sent the response.
async fn wait_for_sign_in_entries(panel: &Panel, count: usize) -> Vec<AuditEntry> {
    wait_for_entries(panel, "user.sign", count).await
}

async fn wait_for_entries(panel: &Panel, event_prefix: &str, count: usize) -> Vec<AuditEntry> {
    for _ in 0..10_000 {
        let entries = load_audit_entries(panel, event_prefix).await;
        if entries.len() >= count {
            return entries;
        }
        tokio::task::yield_now().await;
    }
    panic!("fewer than {count} audit entries were written");
}

async fn sign_ins_and_sign_outs_are_audited(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let anna = panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
    for _ in 0..3 {
        assert_eq!(panel.login("anna@panel.test", "wrong").await.status, 422);
    }
    panel.login_from("198.51.100.7", "anna@panel.test", "wrong").await;
    let token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    assert_eq!(
        panel.request_from("203.0.113.7", Some(&token), "POST", "/logout", &Value::Null).await.status,
        204
    );
    let failed_sign_in = |network: &str| {
        let new_values = json!({ "network": network, "account_is_known": true });
        ("user.sign_in_failed".to_owned(), None, anna, new_values)
    };
    let by_anna = |event: &str, new_values: Value| (event.to_owned(), Some(anna), anna, new_values);
    let expected_entries = [
        failed_sign_in("203.0.113.7"),
        failed_sign_in("198.51.100.7"),
        by_anna("user.signed_in", json!({ "factors": ["password"] })),
        by_anna("user.signed_out", json!({})),
    ];
    assert_eq!(wait_for_sign_in_entries(&panel, 4).await, expected_entries);
    panel.clock.advance_secs(601);
    panel.login("anna@panel.test", "wrong").await;
    assert_eq!(
        wait_for_sign_in_entries(&panel, 5).await.last(),
        Some(&failed_sign_in("203.0.113.7")),
        "the first failure in a new time window must be recorded"
    );
}

async fn wrong_secrets_of_a_session_are_audited(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let anna = panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    let post = async |client_ip: &str, path: &str, body: Value| {
        panel.request_from(client_ip, Some(&token), "POST", path, &body).await.status.as_u16()
    };
    let confirm_path = "/api/v1/profile/confirm";
    let wrong_password_body = json!({ "password": "my-wrong-secret" });
    let change_body = json!({ "current_password": "my-wrong-secret", "password": "a new and long one" });
    for _ in 0..2 {
        assert_eq!(post("203.0.113.7", confirm_path, wrong_password_body.clone()).await, 422);
    }
    assert_eq!(post("198.51.100.7", "/api/v1/profile/password", change_body).await, 422);
    let failed_confirmation = |network: &str| {
        ("user.confirmation_failed".to_owned(), Some(anna), anna, json!({ "network": network }))
    };
    let entries = wait_for_entries(&panel, "user.confirmation_failed", 2).await;
    assert_eq!(entries, [failed_confirmation("203.0.113.7"), failed_confirmation("198.51.100.7")]);
    assert_eq!(post("203.0.113.7", confirm_path, json!({ "password": PASSWORD })).await, 200);
    assert_eq!(
        load_audit_entries(&panel, "user.confirmation_failed").await.len(),
        2,
        "a correct password must not record a failure"
    );
    let count_entries_with_input_sql = "SELECT count(*) FROM audits WHERE new_values LIKE '%secret%'";
    assert_eq!(
        panel.fetch_number(Sql::new(count_entries_with_input_sql)).await,
        0,
        "an entry must not contain the submitted secret or email"
    );
}

async fn failures_of_unknown_accounts_write_a_limited_number_of_entries(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    for number in 0..150 {
        let client_ip = format!("2001:db8:0:{number:x}::1");
        assert_eq!(
            panel.login_from(&client_ip, &format!("guess{number}@panel.test"), "my-secret").await.status,
            422
        );
    }
    let entries = wait_for_sign_in_entries(&panel, 20).await;
    assert!((20..=64).contains(&entries.len()), "{} entries were written", entries.len());
    assert!(entries.iter().all(|(_, user_id, record_id, new_values)| user_id.is_none()
        && *record_id == 0
        && new_values["account_is_known"] == false));
    let count_entries_with_input_sql =
        "SELECT count(*) FROM audits WHERE new_values LIKE '%guess%' OR new_values LIKE '%secret%'";
    assert_eq!(
        panel.fetch_number(Sql::new(count_entries_with_input_sql)).await,
        0,
        "an entry must not contain the submitted secret or email"
    );
}

async fn actions_of_an_api_key_are_audited_with_its_customer(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let last_audit_id = panel.fetch_number(Sql::new("SELECT max(id) FROM audits")).await;
    let add_fields = "action=add&service=1&link=https://video.example/1&quantity=600";
    let order = parse_order_id(&send_reseller_request(&panel, &key, add_fields).await);
    let sql = "SELECT event, user_id, auditable_id FROM audits WHERE id > ? ORDER BY event";
    let entries_since = async || -> Vec<(String, Option<i64>, i64)> {
        (&mut &panel.app.db).fetch_all(Sql::new(sql).bind(last_audit_id)).await.unwrap()
    };
    let entries = entries_since().await;
    assert!(entries.contains(&("order.placed".into(), Some(1), order)), "{entries:?}");
    assert!(entries.contains(&("user.api_key_used".into(), Some(1), 1)), "{entries:?}");
    assert!(entries.iter().all(|(_, user_id, _)| *user_id == Some(1)), "{entries:?}");
    for _ in 0..5 {
        panel.clock.advance_secs(3_600);
        send_reseller_request(&panel, &key, "action=balance").await;
    }
    assert_eq!(
        entries_since().await.len(),
        entries.len(),
        "uses of a key must be recorded once per day and network"
    );
    panel.clock.advance_secs(86_400);
    send_reseller_request(&panel, &key, "action=balance").await;
    assert_eq!(entries_since().await.len(), entries.len() + 1);
}

async fn request_logs_have_the_client_address(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let (log, _capture_guard) = Log::capture(tracing::Level::INFO);
    panel.login_from("198.51.100.23", "unknown@panel.test", "wrong").await;
    assert!(log.text().contains("client=198.51.100.23"), "{}", log.text());
    assert!(log.text().contains("code=\"wrong_credentials\""), "{}", log.text());
}
