//! Traces: who signed in and out and could not, whose program used a key and what it did, and from where a request came.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::intake::{call, key, order_of, shop};
use crate::logs::Log;
use crate::panel::Panel;
use crate::people::PASSWORD;

both! {
    signing_in_and_out_is_audited;
    wrong_secrets_of_a_session_are_audited;
    strangers_fill_no_audit_trail;
    a_customers_program_is_named;
    request_lines_have_the_clients_address;
}

/// Event, who did it, the record and its values, oldest first.
type Trace = (String, Option<i64>, i64, Value);

async fn traces(panel: &Panel, events: &str) -> Vec<Trace> {
    let sql = "SELECT event, user_id, auditable_id, new_values FROM audits ORDER BY id";
    let rows: Vec<(String, Option<i64>, i64, String)> =
        (&mut &panel.app.db).all(Sql::new(sql)).await.unwrap();
    let of = rows.into_iter().filter(|row| row.0.starts_with(events));
    of.map(|(event, user, record, new)| (event, user, record, new.parse().unwrap())).collect()
}

/// What is known of signing in, once there are so many entries: failures are written beside their answers.
async fn traces_of(panel: &Panel, many: usize) -> Vec<Trace> {
    traces_like(panel, "user.sign", many).await
}

async fn traces_like(panel: &Panel, events: &str, many: usize) -> Vec<Trace> {
    for _ in 0..10_000 {
        let found = traces(panel, events).await;
        if found.len() >= many {
            return found;
        }
        tokio::task::yield_now().await;
    }
    panic!("fewer than {many} entries");
}

async fn signing_in_and_out_is_audited(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let anna = panel.person("anna@panel.test", &[Permission::ViewOrders]).await;
    for _ in 0..3 {
        assert_eq!(panel.login("anna@panel.test", "wrong").await.status, 422);
    }
    panel.login_from("198.51.100.7", "anna@panel.test", "wrong").await;
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    assert_eq!(panel.call("203.0.113.7", Some(&token), "POST", "/logout", &Value::Null).await.status, 204);
    let refused = |network: &str| {
        let new = json!({ "network": network, "account_is_known": true });
        ("user.sign_in_failed".to_owned(), None, anna, new)
    };
    let own = |event: &str, new: Value| (event.to_owned(), Some(anna), anna, new);
    let wanted = [
        refused("203.0.113.7"),
        refused("198.51.100.7"),
        own("user.signed_in", json!({ "factors": ["password"] })),
        own("user.signed_out", json!({})),
    ];
    assert_eq!(traces_of(&panel, 4).await, wanted);
    panel.clock.advance_secs(601);
    panel.login("anna@panel.test", "wrong").await;
    assert_eq!(traces_of(&panel, 5).await.last(), Some(&refused("203.0.113.7")), "a new window");
}

async fn wrong_secrets_of_a_session_are_audited(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let anna = panel.person("anna@panel.test", &[Permission::ViewOrders]).await;
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
    let found = traces_like(&panel, "user.confirmation_failed", 2).await;
    assert_eq!(found, [failed("203.0.113.7"), failed("198.51.100.7")]);
    assert_eq!(call("203.0.113.7", confirm, json!({ "password": PASSWORD })).await, 200);
    assert_eq!(traces(&panel, "user.confirmation_failed").await.len(), 2, "a right password is no failure");
    let typed = "SELECT count(*) FROM audits WHERE new_values LIKE '%secret%'";
    assert_eq!(panel.number(Sql::new(typed)).await, 0, "what was typed is not kept");
}

async fn strangers_fill_no_audit_trail(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    for n in 0..150 {
        let from = format!("2001:db8:0:{n:x}::1");
        assert_eq!(panel.login_from(&from, &format!("guess{n}@panel.test"), "my-secret").await.status, 422);
    }
    let found = traces_of(&panel, 20).await;
    assert!((20..=64).contains(&found.len()), "{}", found.len());
    assert!(
        found.iter().all(|trace| trace.1.is_none() && trace.2 == 0 && trace.3["account_is_known"] == false)
    );
    let typed = "SELECT count(*) FROM audits WHERE new_values LIKE '%guess%' OR new_values LIKE '%secret%'";
    assert_eq!(panel.number(Sql::new(typed)).await, 0, "what was typed is not kept");
}

async fn a_customers_program_is_named(dialect: Dialect) {
    let panel = shop(dialect).await;
    let key = key(&panel, 1).await;
    let before = panel.number(Sql::new("SELECT max(id) FROM audits")).await;
    let add = "action=add&service=1&link=https://video.example/1&quantity=600";
    let order = order_of(&call(&panel, &key, add).await);
    let sql = "SELECT event, user_id, auditable_id FROM audits WHERE id > ? ORDER BY event";
    let of = async || -> Vec<(String, Option<i64>, i64)> {
        (&mut &panel.app.db).all(Sql::new(sql).bind(before)).await.unwrap()
    };
    let entries = of().await;
    assert!(entries.contains(&("order.placed".into(), Some(1), order)), "{entries:?}");
    assert!(entries.contains(&("user.api_key_used".into(), Some(1), 1)), "{entries:?}");
    assert!(entries.iter().all(|entry| entry.1 == Some(1)), "{entries:?}");
    for _ in 0..5 {
        panel.clock.advance_secs(3_600);
        call(&panel, &key, "action=balance").await;
    }
    assert_eq!(of().await.len(), entries.len(), "once a day and network");
    panel.clock.advance_secs(86_400);
    call(&panel, &key, "action=balance").await;
    assert_eq!(of().await.len(), entries.len() + 1);
}

async fn request_lines_have_the_clients_address(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    // Once before: a place in the code that another test reaches first may miss the subscriber for good.
    panel.login_from("198.51.100.23", "nobody@panel.test", "wrong").await;
    let (log, _guard) = Log::begin(tracing::Level::INFO);
    panel.login_from("198.51.100.23", "nobody@panel.test", "wrong").await;
    assert!(log.text().contains("client=198.51.100.23"), "{}", log.text());
    assert!(log.text().contains("code=\"wrong_credentials\""), "{}", log.text());
}
