//! Audit entries and log lines of authentication: sign-ins, failures, sign-outs, use of API keys, and the client address.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::intake::{call, create_api_key, order_id, shop};
use crate::logs::Log;
use crate::panel::Panel;
use crate::people::PASSWORD;

both! {
    sign_ins_and_sign_outs_are_audited;
    wrong_secrets_of_a_session_are_audited;
    failures_of_unknown_accounts_write_a_limited_number_of_entries;
    actions_of_an_api_key_are_audited_with_its_customer;
    request_logs_have_the_client_address;
}

/// An audit entry: event, acting user, id of the record, new values.
type AuditEntry = (String, Option<i64>, i64, Value);

async fn audit_entries(panel: &Panel, events: &str) -> Vec<AuditEntry> {
    let sql = "SELECT event, user_id, auditable_id, new_values FROM audits ORDER BY id";
    let rows: Vec<(String, Option<i64>, i64, String)> =
        (&mut &panel.app.db).fetch_all(Sql::new(sql)).await.unwrap();
    let matching = rows.into_iter().filter(|row| row.0.starts_with(events));
    matching.map(|(event, user, record, new)| (event, user, record, new.parse().unwrap())).collect()
}

/// Waits for `count` entries of sign-ins: the server writes failures after it has answered.
async fn wait_for_sign_in_entries(panel: &Panel, count: usize) -> Vec<AuditEntry> {
    wait_for_entries(panel, "user.sign", count).await
}

async fn wait_for_entries(panel: &Panel, events: &str, count: usize) -> Vec<AuditEntry> {
    for _ in 0..10_000 {
        let entries = audit_entries(panel, events).await;
        if entries.len() >= count {
            return entries;
        }
        tokio::task::yield_now().await;
    }
    panic!("fewer than {count} entries");
}

async fn sign_ins_and_sign_outs_are_audited(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let anna = panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
    for _ in 0..3 {
        assert_eq!(panel.login("anna@panel.test", "wrong").await.status, 422);
    }
    panel.login_from("198.51.100.7", "anna@panel.test", "wrong").await;
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    assert_eq!(panel.call("203.0.113.7", Some(&token), "POST", "/logout", &Value::Null).await.status, 204);
    let refused = |network: &str| {
        let new_values = json!({ "network": network, "account_is_known": true });
        ("user.sign_in_failed".to_owned(), None, anna, new_values)
    };
    let by_anna = |event: &str, new_values: Value| (event.to_owned(), Some(anna), anna, new_values);
    let expected = [
        refused("203.0.113.7"),
        refused("198.51.100.7"),
        by_anna("user.signed_in", json!({ "factors": ["password"] })),
        by_anna("user.signed_out", json!({})),
    ];
    assert_eq!(wait_for_sign_in_entries(&panel, 4).await, expected);
    panel.clock.advance_secs(601);
    panel.login("anna@panel.test", "wrong").await;
    assert_eq!(
        wait_for_sign_in_entries(&panel, 5).await.last(),
        Some(&refused("203.0.113.7")),
        "a new time window writes a new entry"
    );
}

async fn wrong_secrets_of_a_session_are_audited(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let anna = panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    let call = async |from: &str, path: &str, body: Value| {
        panel.call(from, Some(&token), "POST", path, &body).await.status.as_u16()
    };
    let confirm = "/api/v1/profile/confirm";
    let wrong = json!({ "password": "my-wrong-secret" });
    let change = json!({ "current_password": "my-wrong-secret", "password": "a new and long one" });
    for _ in 0..2 {
        assert_eq!(call("203.0.113.7", confirm, wrong.clone()).await, 422);
    }
    assert_eq!(call("198.51.100.7", "/api/v1/profile/password", change).await, 422);
    let failed = |network: &str| {
        ("user.confirmation_failed".to_owned(), Some(anna), anna, json!({ "network": network }))
    };
    let entries = wait_for_entries(&panel, "user.confirmation_failed", 2).await;
    assert_eq!(entries, [failed("203.0.113.7"), failed("198.51.100.7")]);
    assert_eq!(call("203.0.113.7", confirm, json!({ "password": PASSWORD })).await, 200);
    assert_eq!(
        audit_entries(&panel, "user.confirmation_failed").await.len(),
        2,
        "a correct password writes no failure"
    );
    let entries_with_input = "SELECT count(*) FROM audits WHERE new_values LIKE '%secret%'";
    assert_eq!(panel.number(Sql::new(entries_with_input)).await, 0, "no entry contains the input");
}

async fn failures_of_unknown_accounts_write_a_limited_number_of_entries(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    for n in 0..150 {
        let from = format!("2001:db8:0:{n:x}::1");
        assert_eq!(panel.login_from(&from, &format!("guess{n}@panel.test"), "my-secret").await.status, 422);
    }
    let entries = wait_for_sign_in_entries(&panel, 20).await;
    assert!((20..=64).contains(&entries.len()), "{}", entries.len());
    assert!(
        entries.iter().all(|entry| entry.1.is_none() && entry.2 == 0 && entry.3["account_is_known"] == false)
    );
    let entries_with_input =
        "SELECT count(*) FROM audits WHERE new_values LIKE '%guess%' OR new_values LIKE '%secret%'";
    assert_eq!(panel.number(Sql::new(entries_with_input)).await, 0, "no entry contains the input");
}

async fn actions_of_an_api_key_are_audited_with_its_customer(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = create_api_key(&panel, 1).await;
    let before = panel.number(Sql::new("SELECT max(id) FROM audits")).await;
    let add = "action=add&service=1&link=https://video.example/1&quantity=600";
    let order = order_id(&call(&panel, &key, add).await);
    let sql = "SELECT event, user_id, auditable_id FROM audits WHERE id > ? ORDER BY event";
    let entries_since = async || -> Vec<(String, Option<i64>, i64)> {
        (&mut &panel.app.db).fetch_all(Sql::new(sql).bind(before)).await.unwrap()
    };
    let entries = entries_since().await;
    assert!(entries.contains(&("order.placed".into(), Some(1), order)), "{entries:?}");
    assert!(entries.contains(&("user.api_key_used".into(), Some(1), 1)), "{entries:?}");
    assert!(entries.iter().all(|entry| entry.1 == Some(1)), "{entries:?}");
    for _ in 0..5 {
        panel.clock.advance_secs(3_600);
        call(&panel, &key, "action=balance").await;
    }
    assert_eq!(entries_since().await.len(), entries.len(), "one entry for each day and network");
    panel.clock.advance_secs(86_400);
    call(&panel, &key, "action=balance").await;
    assert_eq!(entries_since().await.len(), entries.len() + 1);
}

async fn request_logs_have_the_client_address(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let (log, _guard) = Log::capture(tracing::Level::INFO);
    panel.login_from("198.51.100.23", "unknown@panel.test", "wrong").await;
    assert!(log.text().contains("client=198.51.100.23"), "{}", log.text());
    assert!(log.text().contains("code=\"wrong_credentials\""), "{}", log.text());
}
