//! What a token is worth: until when, for whom, and what ends it.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source, Sql};
use panel_platform::settings;
use serde_json::Value;

use crate::panel::{NOW, Panel};
use crate::people::PASSWORD;

both! {
    refreshing_replaces_a_token;
    using_a_replaced_token_ends_the_sign_in;
    signing_out_ends_one_sign_in;
    changes_of_a_person_bite_at_once;
    a_token_lives_a_week_without_use;
    a_sign_in_lives_thirty_days;
    stricter_settings_end_sessions_that_exist;
    a_refresh_copies_when_the_person_signed_in;
    a_replaced_token_is_known_as_long_as_its_sign_in_is_used;
    last_use_is_written_once_a_minute;
    without_a_token;
    tokens_are_kept_hashed;
    signing_out_wins_against_refreshing;
}

const HERE: &str = "203.0.113.7";
const STAFF: [Permission; 1] = [Permission::ViewOrders];
const ORDERS: &str = "/api/v1/admin/orders?length=1";

/// A panel where Anna has signed in, and her token.
async fn anna(dialect: Dialect) -> (Panel, String) {
    let panel = Panel::on(dialect).await;
    panel.person("anna@panel.test", &STAFF).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    (panel, token)
}

async fn refreshing_replaces_a_token(dialect: Dialect) {
    let (panel, first) = anna(dialect).await;
    panel.clock.advance_secs(1_200);
    let answer = panel.refresh(&first).await;
    assert_eq!(answer.json()["user"]["email"], "anna@panel.test");
    let second = answer.token();
    assert_ne!(first, second);
    // Another tab still holds the old one for a moment, and may refresh it as well.
    panel.clock.advance_secs(29);
    assert_eq!(panel.who_am_i(&first).await.0, 200);
    let third = panel.refresh(&first).await.token();
    panel.clock.advance_secs(1_000);
    for token in [&second, &third] {
        assert_eq!(panel.who_am_i(token).await.0, 200);
    }
    let families = panel.number(Sql::new("SELECT count(DISTINCT family_id) FROM sessions")).await;
    assert_eq!(families, 2, "Anna's and the owner's");
}

async fn using_a_replaced_token_ends_the_sign_in(dialect: Dialect) {
    let (panel, first) = anna(dialect).await;
    let elsewhere = panel.login("anna@panel.test", PASSWORD).await.token();
    let second = panel.refresh(&first).await.token();
    panel.clock.advance_secs(31);
    assert_eq!(panel.who_am_i(&second).await.0, 200);
    assert_eq!(panel.who_am_i(&first).await, (401, "token_replaced".into()));
    assert_eq!(panel.who_am_i(&second).await, (401, "token_ended".into()));
    assert_eq!(panel.refresh(&second).await.says(), (401, "token_ended".into()));
    assert_eq!(panel.who_am_i(&elsewhere).await.0, 200, "another sign-in stands");
}

async fn signing_out_ends_one_sign_in(dialect: Dialect) {
    let (panel, first) = anna(dialect).await;
    let elsewhere = panel.login("anna@panel.test", PASSWORD).await.token();
    let second = panel.refresh(&first).await.token();
    let out = panel.call(HERE, Some(&second), "POST", "/logout", &Value::Null).await;
    assert_eq!((out.status.as_u16(), out.text.as_str()), (204, ""));
    for token in [&first, &second] {
        assert_eq!(panel.who_am_i(token).await, (401, "token_ended".into()));
    }
    assert_eq!(panel.who_am_i(&elsewhere).await.0, 200);
    assert_eq!(panel.call(HERE, Some(&second), "POST", "/logout", &Value::Null).await.status, 401);
}

async fn changes_of_a_person_bite_at_once(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    let orders = async || panel.call(HERE, Some(&token), "GET", ORDERS, &Value::Null).await.status.as_u16();
    assert_eq!(orders().await, 200);
    let freeze =
        Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE email = 'anna@panel.test'");
    panel.exec(freeze).await;
    assert_eq!(orders().await, 200, "frozen people sign in, they cannot order");
    panel.exec(Sql::new("UPDATE user_permissions SET permission = 'manage panel settings' WHERE permission = 'view orders' AND user_id IN (SELECT id FROM users WHERE email = 'anna@panel.test')")).await;
    assert_eq!(orders().await, 403);
    let own = "DELETE FROM user_permissions WHERE user_id IN (SELECT id FROM users WHERE email = 'anna@panel.test')";
    panel.exec(Sql::new(own)).await;
    assert_eq!(panel.who_am_i(&token).await, (401, "not_staff".into()), "a customer has no business here");
    panel.exec(Sql::new("INSERT INTO user_permissions (user_id, permission) SELECT id, 'view orders' FROM users WHERE email = 'anna@panel.test'")).await;
    assert_eq!(orders().await, 200);
    panel
        .exec(Sql::new(
            "UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE email = 'anna@panel.test'",
        ))
        .await;
    assert_eq!(panel.who_am_i(&token).await, (401, "account_deactivated".into()));
    assert_eq!(panel.refresh(&token).await.status, 401);
}

const DAY_SECS: i64 = 86_400;

async fn a_token_lives_a_week_without_use(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    panel.clock.advance_secs(6 * DAY_SECS);
    let fresh = panel.refresh(&token).await;
    assert_eq!(fresh.json()["expires_at"], Value::from(Time(NOW + 13 * DAY_SECS * 1_000_000).to_string()));
    let fresh = fresh.token();
    panel.clock.advance_secs(7 * DAY_SECS - 1);
    assert_eq!(panel.who_am_i(&fresh).await.0, 200, "a use");
    panel.clock.advance_secs(7 * DAY_SECS);
    assert_eq!(panel.who_am_i(&fresh).await, (401, "token_ended".into()));
    assert_eq!(panel.refresh(&fresh).await.status, 401);
}

async fn a_sign_in_lives_thirty_days(dialect: Dialect) {
    let (panel, mut token) = anna(dialect).await;
    for _ in 0..5 {
        panel.clock.advance_secs(5 * DAY_SECS);
        token = panel.refresh(&token).await.token();
    }
    let last = panel.refresh(&token).await;
    assert_eq!(last.json()["expires_at"], Value::from(Time(NOW + 30 * DAY_SECS * 1_000_000).to_string()));
    let last = last.token();
    panel.clock.advance_secs(5 * DAY_SECS - 1);
    assert_eq!(panel.who_am_i(&last).await.0, 200);
    panel.clock.advance_secs(1);
    assert_eq!(panel.who_am_i(&last).await, (401, "token_ended".into()), "however much it is used");
    let again = panel.login("anna@panel.test", PASSWORD).await.token();
    assert_eq!(panel.who_am_i(&again).await.0, 200, "a new sign-in begins anew");
}

/// As the editor of settings, or another process, writes it.
async fn put(panel: &Panel, key: &str, value: Value) {
    let now = Time(NOW);
    settings::put(&mut &panel.app.db, key, &value, now).await.unwrap();
}

async fn stricter_settings_end_sessions_that_exist(dialect: Dialect) {
    let orders = async |panel: &Panel, token: &str| {
        panel.call(HERE, Some(token), "GET", ORDERS, &Value::Null).await.status.as_u16()
    };
    for (key, value) in [("session_preset", Value::from("strict")), ("session_absolute_days", Value::from(1))]
    {
        let (panel, old) = anna(dialect).await;
        panel.clock.advance_secs(DAY_SECS);
        let new = panel.login("anna@panel.test", PASSWORD).await.token();
        // The list remembers the caller; the setting ends the session all the same.
        assert_eq!([orders(&panel, &old).await, orders(&panel, &old).await], [200, 200]);
        put(&panel, key, value).await;
        assert_eq!(orders(&panel, &old).await, 401, "{key}");
        assert_eq!(panel.who_am_i(&old).await.1, "token_ended", "{key}");
        assert_eq!(orders(&panel, &new).await, 200, "{key}: a younger session stands");
    }
    let (panel, token) = anna(dialect).await;
    panel.clock.advance_secs(2 * DAY_SECS);
    put(&panel, "session_idle_days", Value::from(1)).await;
    assert_eq!(orders(&panel, &token).await, 401, "two days without use");
    put(&panel, "session_preset", Value::from("strict")).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    panel.clock.advance_secs(12 * 3_600 - 1);
    assert_eq!(orders(&panel, &token).await, 200);
    panel.clock.advance_secs(12 * 3_600);
    assert_eq!(orders(&panel, &token).await, 401, "twelve hours without use");
}

async fn a_refresh_copies_when_the_person_signed_in(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    panel.clock.advance_secs(61);
    panel.refresh(&token).await.token();
    let copied = Sql::new("SELECT count(*) FROM sessions WHERE signed_in_at = ? AND created_at > ?")
        .bind(NOW)
        .bind(NOW);
    assert_eq!(panel.number(copied).await, 1);
}

async fn a_replaced_token_is_known_as_long_as_its_sign_in_is_used(dialect: Dialect) {
    let (panel, first) = anna(dialect).await;
    panel.clock.advance_secs(61);
    let second = panel.refresh(&first).await.token();
    for _ in 0..2 {
        panel.clock.advance_secs(5 * DAY_SECS);
        assert_eq!(panel.who_am_i(&second).await.0, 200);
        panel_server::background::retention::remove_due(&panel.app, None).await.unwrap();
    }
    assert_eq!(panel.who_am_i(&first).await, (401, "token_replaced".into()), "a copy that was stolen");
    assert_eq!(panel.who_am_i(&second).await, (401, "token_ended".into()));
    panel.clock.advance_secs(8 * DAY_SECS);
    panel_server::background::retention::remove_due(&panel.app, None).await.unwrap();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM sessions")).await, 0);
}

async fn last_use_is_written_once_a_minute(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    let sql = "SELECT s.last_used_at FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = 'anna@panel.test'";
    let last = async || panel.number(Sql::new(sql)).await;
    let at_first = last().await;
    panel.clock.advance_secs(59);
    panel.who_am_i(&token).await;
    assert_eq!(last().await, at_first);
    panel.clock.advance_secs(2);
    panel.who_am_i(&token).await;
    assert_eq!(last().await, at_first + 61_000_000);
}

async fn without_a_token(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let answer = panel.call(HERE, None, "GET", "/refresh", &Value::Null).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["message"]), (401, &Value::from("no_saved_token")));
    for token in [None, Some("pnl_nobody"), Some(" "), Some("owner x")] {
        let answer = panel.call(HERE, token, "GET", "/api/v1/profile", &Value::Null).await;
        assert_eq!(answer.status, 401, "{token:?}");
        assert_eq!(answer.json()["message"], "Unauthenticated.");
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
    }
    let ended = panel.refresh("pnl_nobody").await;
    assert_eq!(ended.json()["message"], "Unauthenticated.", "a token that has ended is another matter");
}

async fn tokens_are_kept_hashed(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    let rows: Vec<(Vec<u8>, String)> =
        (&mut &panel.app.db).all(Sql::new("SELECT token_hash, family_id FROM sessions")).await.unwrap();
    for (hash, family) in rows {
        assert_eq!(hash.len(), 32);
        assert!(!family.contains(&token) && hash != token.as_bytes());
    }
}

async fn signing_out_wins_against_refreshing(dialect: Dialect) {
    let (panel, mut token) = anna(dialect).await;
    for _ in 0..12 {
        let out = panel.call(HERE, Some(&token), "POST", "/logout", &Value::Null);
        let (fresh, out) = tokio::join!(panel.refresh(&token), out);
        assert!(matches!(out.status.as_u16(), 204 | 401), "{}", out.text);
        assert!(matches!(fresh.status.as_u16(), 200 | 401), "{}", fresh.text);
        if fresh.status == 200 {
            assert_eq!(panel.who_am_i(&fresh.token()).await.0, 401, "a sign-in outlived its end");
        }
        panel.clock.advance_secs(60);
        token = panel.login("anna@panel.test", PASSWORD).await.token();
    }
}
