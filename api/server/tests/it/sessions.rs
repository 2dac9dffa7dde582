//! Session tokens: refresh, expiry, replacement, sign-out, and the changes that end them.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source, Sql};
use panel_platform::settings;
use serde_json::Value;

use crate::panel::{NOW, Panel};
use crate::people::PASSWORD;

both! {
    a_refresh_replaces_the_token;
    using_a_replaced_token_ends_its_token_family;
    signing_out_ends_only_its_token_family;
    changes_of_a_user_apply_at_once;
    an_unused_token_expires_after_a_week;
    a_sign_in_expires_after_thirty_days;
    stricter_settings_end_existing_sessions;
    a_refresh_copies_the_time_of_the_sign_in;
    a_replaced_token_is_detected_while_its_sign_in_is_used;
    last_use_is_written_once_a_minute;
    requests_without_a_valid_token_are_unauthenticated;
    tokens_are_stored_as_hashes;
    a_concurrent_refresh_does_not_outlive_a_sign_out;
}

const CLIENT_ADDRESS: &str = "203.0.113.7";
const STAFF: [Permission; 1] = [Permission::ViewOrders];
const ORDERS: &str = "/api/v1/admin/orders?length=1";

/// A panel where Anna is signed in, and her token.
async fn panel_with_anna(dialect: Dialect) -> (Panel, String) {
    let panel = Panel::on(dialect).await;
    panel.create_user("anna@panel.test", &STAFF).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    (panel, token)
}

async fn a_refresh_replaces_the_token(dialect: Dialect) {
    let (panel, first) = panel_with_anna(dialect).await;
    panel.clock.advance_secs(1_200);
    let answer = panel.refresh(&first).await;
    assert_eq!(answer.json()["user"]["email"], "anna@panel.test");
    let second = answer.token();
    assert_ne!(first, second);
    // For 30 seconds another tab can still use and refresh the old token.
    panel.clock.advance_secs(29);
    assert_eq!(panel.who_am_i(&first).await.0, 200);
    let third = panel.refresh(&first).await.token();
    panel.clock.advance_secs(1_000);
    for token in [&second, &third] {
        assert_eq!(panel.who_am_i(token).await.0, 200);
    }
    let families = panel.number(Sql::new("SELECT count(DISTINCT family_id) FROM sessions")).await;
    assert_eq!(families, 2, "one of Anna and one of the owner");
}

async fn using_a_replaced_token_ends_its_token_family(dialect: Dialect) {
    let (panel, first) = panel_with_anna(dialect).await;
    let other_sign_in = panel.login("anna@panel.test", PASSWORD).await.token();
    let second = panel.refresh(&first).await.token();
    panel.clock.advance_secs(31);
    assert_eq!(panel.who_am_i(&second).await.0, 200);
    assert_eq!(panel.who_am_i(&first).await, (401, "token_replaced".into()));
    assert_eq!(panel.who_am_i(&second).await, (401, "token_ended".into()));
    assert_eq!(panel.refresh(&second).await.status_and_code(), (401, "token_ended".into()));
    assert_eq!(panel.who_am_i(&other_sign_in).await.0, 200, "another sign-in stays valid");
}

async fn signing_out_ends_only_its_token_family(dialect: Dialect) {
    let (panel, first) = panel_with_anna(dialect).await;
    let other_sign_in = panel.login("anna@panel.test", PASSWORD).await.token();
    let second = panel.refresh(&first).await.token();
    let sign_out = panel.call(CLIENT_ADDRESS, Some(&second), "POST", "/logout", &Value::Null).await;
    assert_eq!((sign_out.status.as_u16(), sign_out.text.as_str()), (204, ""));
    for token in [&first, &second] {
        assert_eq!(panel.who_am_i(token).await, (401, "token_ended".into()));
    }
    assert_eq!(panel.who_am_i(&other_sign_in).await.0, 200);
    assert_eq!(panel.call(CLIENT_ADDRESS, Some(&second), "POST", "/logout", &Value::Null).await.status, 401);
}

async fn changes_of_a_user_apply_at_once(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let list_orders =
        async || panel.call(CLIENT_ADDRESS, Some(&token), "GET", ORDERS, &Value::Null).await.status.as_u16();
    assert_eq!(list_orders().await, 200);
    let freeze =
        Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE email = 'anna@panel.test'");
    panel.execute(freeze).await;
    assert_eq!(list_orders().await, 200, "a frozen user can sign in, but cannot order");
    panel.execute(Sql::new("UPDATE user_permissions SET permission = 'manage panel settings' WHERE permission = 'view orders' AND user_id IN (SELECT id FROM users WHERE email = 'anna@panel.test')")).await;
    assert_eq!(list_orders().await, 403);
    let remove_permissions = "DELETE FROM user_permissions WHERE user_id IN (SELECT id FROM users WHERE email = 'anna@panel.test')";
    panel.execute(Sql::new(remove_permissions)).await;
    assert_eq!(
        panel.who_am_i(&token).await,
        (401, "not_staff".into()),
        "a user without permissions is no staff member"
    );
    panel.execute(Sql::new("INSERT INTO user_permissions (user_id, permission) SELECT id, 'view orders' FROM users WHERE email = 'anna@panel.test'")).await;
    assert_eq!(list_orders().await, 200);
    panel
        .execute(Sql::new(
            "UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE email = 'anna@panel.test'",
        ))
        .await;
    assert_eq!(panel.who_am_i(&token).await, (401, "account_deactivated".into()));
    assert_eq!(panel.refresh(&token).await.status, 401);
}

const DAY_SECS: i64 = 86_400;

async fn an_unused_token_expires_after_a_week(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    panel.clock.advance_secs(6 * DAY_SECS);
    let refreshed = panel.refresh(&token).await;
    assert_eq!(
        refreshed.json()["expires_at"],
        Value::from(Time(NOW + 13 * DAY_SECS * 1_000_000).to_string())
    );
    let new_token = refreshed.token();
    panel.clock.advance_secs(7 * DAY_SECS - 1);
    assert_eq!(panel.who_am_i(&new_token).await.0, 200, "this use restarts the week");
    panel.clock.advance_secs(7 * DAY_SECS);
    assert_eq!(panel.who_am_i(&new_token).await, (401, "token_ended".into()));
    assert_eq!(panel.refresh(&new_token).await.status, 401);
}

async fn a_sign_in_expires_after_thirty_days(dialect: Dialect) {
    let (panel, mut token) = panel_with_anna(dialect).await;
    for _ in 0..5 {
        panel.clock.advance_secs(5 * DAY_SECS);
        token = panel.refresh(&token).await.token();
    }
    let last_answer = panel.refresh(&token).await;
    assert_eq!(
        last_answer.json()["expires_at"],
        Value::from(Time(NOW + 30 * DAY_SECS * 1_000_000).to_string())
    );
    let last_token = last_answer.token();
    panel.clock.advance_secs(5 * DAY_SECS - 1);
    assert_eq!(panel.who_am_i(&last_token).await.0, 200);
    panel.clock.advance_secs(1);
    assert_eq!(
        panel.who_am_i(&last_token).await,
        (401, "token_ended".into()),
        "use does not extend the thirty days"
    );
    let new_sign_in = panel.login("anna@panel.test", PASSWORD).await.token();
    assert_eq!(panel.who_am_i(&new_sign_in).await.0, 200, "a new sign-in starts new thirty days");
}

/// Stores a setting as another process would.
async fn put_setting(panel: &Panel, key: &str, value: Value) {
    let now = Time(NOW);
    settings::put(&mut &panel.app.db, key, &value, now).await.unwrap();
}

async fn stricter_settings_end_existing_sessions(dialect: Dialect) {
    let list_orders = async |panel: &Panel, token: &str| {
        panel.call(CLIENT_ADDRESS, Some(token), "GET", ORDERS, &Value::Null).await.status.as_u16()
    };
    for (key, value) in [("session_preset", Value::from("strict")), ("session_absolute_days", Value::from(1))]
    {
        let (panel, old) = panel_with_anna(dialect).await;
        panel.clock.advance_secs(DAY_SECS);
        let new = panel.login("anna@panel.test", PASSWORD).await.token();
        // The second request uses the cached session, which the setting must end too.
        assert_eq!([list_orders(&panel, &old).await, list_orders(&panel, &old).await], [200, 200]);
        put_setting(&panel, key, value).await;
        assert_eq!(list_orders(&panel, &old).await, 401, "{key}");
        assert_eq!(panel.who_am_i(&old).await.1, "token_ended", "{key}");
        assert_eq!(list_orders(&panel, &new).await, 200, "{key}: a newer session stays valid");
    }
    let (panel, token) = panel_with_anna(dialect).await;
    panel.clock.advance_secs(2 * DAY_SECS);
    put_setting(&panel, "session_idle_days", Value::from(1)).await;
    assert_eq!(list_orders(&panel, &token).await, 401, "two days without use");
    put_setting(&panel, "session_preset", Value::from("strict")).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    panel.clock.advance_secs(12 * 3_600 - 1);
    assert_eq!(list_orders(&panel, &token).await, 200);
    panel.clock.advance_secs(12 * 3_600);
    assert_eq!(list_orders(&panel, &token).await, 401, "twelve hours without use");
}

async fn a_refresh_copies_the_time_of_the_sign_in(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    panel.clock.advance_secs(61);
    panel.refresh(&token).await.token();
    let copied_sessions = Sql::new("SELECT count(*) FROM sessions WHERE signed_in_at = ? AND created_at > ?")
        .bind(NOW)
        .bind(NOW);
    assert_eq!(panel.number(copied_sessions).await, 1);
}

async fn a_replaced_token_is_detected_while_its_sign_in_is_used(dialect: Dialect) {
    let (panel, first) = panel_with_anna(dialect).await;
    panel.clock.advance_secs(61);
    let second = panel.refresh(&first).await.token();
    for _ in 0..2 {
        panel.clock.advance_secs(5 * DAY_SECS);
        assert_eq!(panel.who_am_i(&second).await.0, 200);
        panel_server::background::retention::remove_due(&panel.app, None).await.unwrap();
    }
    assert_eq!(
        panel.who_am_i(&first).await,
        (401, "token_replaced".into()),
        "the use of a replaced token is detected"
    );
    assert_eq!(panel.who_am_i(&second).await, (401, "token_ended".into()));
    panel.clock.advance_secs(8 * DAY_SECS);
    panel_server::background::retention::remove_due(&panel.app, None).await.unwrap();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM sessions")).await, 0);
}

async fn last_use_is_written_once_a_minute(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let sql = "SELECT s.last_used_at FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = 'anna@panel.test'";
    let last_used_at = async || panel.number(Sql::new(sql)).await;
    let before = last_used_at().await;
    panel.clock.advance_secs(59);
    panel.who_am_i(&token).await;
    assert_eq!(last_used_at().await, before);
    panel.clock.advance_secs(2);
    panel.who_am_i(&token).await;
    assert_eq!(last_used_at().await, before + 61_000_000);
}

async fn requests_without_a_valid_token_are_unauthenticated(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let answer = panel.call(CLIENT_ADDRESS, None, "GET", "/refresh", &Value::Null).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["message"]), (401, &Value::from("no_saved_token")));
    for token in [None, Some("pnl_nobody"), Some(" "), Some("owner x")] {
        let answer = panel.call(CLIENT_ADDRESS, token, "GET", "/api/v1/profile", &Value::Null).await;
        assert_eq!(answer.status, 401, "{token:?}");
        assert_eq!(answer.json()["message"], "Unauthenticated.");
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
    }
    let refused = panel.refresh("pnl_nobody").await;
    assert_eq!(refused.json()["message"], "Unauthenticated.", "an invalid token is not a missing token");
}

async fn tokens_are_stored_as_hashes(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let rows: Vec<(Vec<u8>, String)> =
        (&mut &panel.app.db).fetch_all(Sql::new("SELECT token_hash, family_id FROM sessions")).await.unwrap();
    for (hash, family) in rows {
        assert_eq!(hash.len(), 32);
        assert!(!family.contains(&token) && hash != token.as_bytes());
    }
}

async fn a_concurrent_refresh_does_not_outlive_a_sign_out(dialect: Dialect) {
    let (panel, mut token) = panel_with_anna(dialect).await;
    for _ in 0..12 {
        let sign_out = panel.call(CLIENT_ADDRESS, Some(&token), "POST", "/logout", &Value::Null);
        let (refreshed, sign_out) = tokio::join!(panel.refresh(&token), sign_out);
        assert!(matches!(sign_out.status.as_u16(), 204 | 401), "{}", sign_out.text);
        assert!(matches!(refreshed.status.as_u16(), 200 | 401), "{}", refreshed.text);
        if refreshed.status == 200 {
            assert_eq!(
                panel.who_am_i(&refreshed.token()).await.0,
                401,
                "a refreshed token outlived the sign-out"
            );
        }
        panel.clock.advance_secs(60);
        token = panel.login("anna@panel.test", PASSWORD).await.token();
    }
}
