//! Session tokens: refresh, expiry, replacement, sign-out, and the changes that end them.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_platform::settings;
use serde_json::Value;

use crate::panel::{NOW, Panel};
use crate::test_users::PASSWORD;

test_both_databases! {
    a_refresh_replaces_the_token;
    using_a_replaced_token_ends_its_token_family;
    signing_out_ends_only_its_token_family;
    changes_of_a_user_apply_immediately;
    an_unused_token_expires_after_a_week;
    a_sign_in_expires_after_thirty_days;
    stricter_settings_end_existing_sessions;
    a_refresh_does_not_change_the_time_of_the_sign_in;
    reuse_of_a_replaced_token_is_detected_as_long_as_the_session_is_active;
    the_last_use_is_stored_at_most_once_a_minute;
    requests_without_a_valid_token_are_unauthenticated;
    tokens_are_stored_as_hashes;
    a_concurrent_refresh_does_not_outlive_a_sign_out;
}

const CLIENT_ADDRESS: &str = "203.0.113.7";
const STAFF_PERMISSIONS: [Permission; 1] = [Permission::ViewOrders];
const ORDERS_PATH: &str = "/api/v1/admin/orders?length=1";

/// A panel where Anna is signed in, and her token.
async fn panel_with_anna(dialect: Dialect) -> (Panel, String) {
    let panel = Panel::start(dialect).await;
    panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    (panel, token)
}

async fn a_refresh_replaces_the_token(dialect: Dialect) {
    let (panel, first_token) = panel_with_anna(dialect).await;
    panel.clock.advance_secs(1_200);
    let response = panel.refresh_session(&first_token).await;
    assert_eq!(response.json()["user"]["email"], "anna@panel.test");
    let second_token = response.session_token();
    assert_ne!(first_token, second_token);
    // For 30 seconds another tab can still use and refresh the old token.
    panel.clock.advance_secs(29);
    assert_eq!(panel.profile_status(&first_token).await.0, 200);
    let third_token = panel.refresh_session(&first_token).await.session_token();
    panel.clock.advance_secs(1_000);
    for token in [&second_token, &third_token] {
        assert_eq!(panel.profile_status(token).await.0, 200);
    }
    let family_count = panel.fetch_number(Sql::new("SELECT count(DISTINCT family_id) FROM sessions")).await;
    assert_eq!(family_count, 2, "Anna and the owner must have one token family each");
}

async fn using_a_replaced_token_ends_its_token_family(dialect: Dialect) {
    let (panel, first_token) = panel_with_anna(dialect).await;
    let other_token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    let second_token = panel.refresh_session(&first_token).await.session_token();
    panel.clock.advance_secs(31);
    assert_eq!(panel.profile_status(&second_token).await.0, 200);
    assert_eq!(panel.profile_status(&first_token).await, (401, "token_replaced".into()));
    assert_eq!(panel.profile_status(&second_token).await, (401, "token_ended".into()));
    assert_eq!(panel.refresh_session(&second_token).await.status_and_code(), (401, "token_ended".into()));
    assert_eq!(panel.profile_status(&other_token).await.0, 200, "another sign-in must stay valid");
}

async fn signing_out_ends_only_its_token_family(dialect: Dialect) {
    let (panel, first_token) = panel_with_anna(dialect).await;
    let other_token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    let second_token = panel.refresh_session(&first_token).await.session_token();
    let sign_out_response =
        panel.request_from(CLIENT_ADDRESS, Some(&second_token), "POST", "/logout", &Value::Null).await;
    assert_eq!((sign_out_response.status.as_u16(), sign_out_response.text.as_str()), (204, ""));
    for token in [&first_token, &second_token] {
        assert_eq!(panel.profile_status(token).await, (401, "token_ended".into()));
    }
    assert_eq!(panel.profile_status(&other_token).await.0, 200);
    assert_eq!(
        panel.request_from(CLIENT_ADDRESS, Some(&second_token), "POST", "/logout", &Value::Null).await.status,
        401
    );
}

async fn changes_of_a_user_apply_immediately(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let list_orders = async || {
        panel
            .request_from(CLIENT_ADDRESS, Some(&token), "GET", ORDERS_PATH, &Value::Null)
            .await
            .status
            .as_u16()
    };
    assert_eq!(list_orders().await, 200);
    let freeze_sql =
        Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE email = 'anna@panel.test'");
    panel.execute(freeze_sql).await;
    assert_eq!(list_orders().await, 200, "a frozen user must be able to sign in");
    panel.execute(Sql::new("UPDATE user_permissions SET permission = 'manage panel settings' WHERE permission = 'view orders' AND user_id IN (SELECT id FROM users WHERE email = 'anna@panel.test')")).await;
    assert_eq!(list_orders().await, 403);
    let remove_permissions_sql = "DELETE FROM user_permissions WHERE user_id IN (SELECT id FROM users WHERE email = 'anna@panel.test')";
    panel.execute(Sql::new(remove_permissions_sql)).await;
    assert_eq!(
        panel.profile_status(&token).await,
        (401, "not_staff".into()),
        "a user without permissions is not a staff member"
    );
    panel.execute(Sql::new("INSERT INTO user_permissions (user_id, permission) SELECT id, 'view orders' FROM users WHERE email = 'anna@panel.test'")).await;
    assert_eq!(list_orders().await, 200);
    panel
        .execute(Sql::new(
            "UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE email = 'anna@panel.test'",
        ))
        .await;
    assert_eq!(panel.profile_status(&token).await, (401, "account_deactivated".into()));
    assert_eq!(panel.refresh_session(&token).await.status, 401);
}

const DAY_SECS: i64 = 86_400;

async fn an_unused_token_expires_after_a_week(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    panel.clock.advance_secs(6 * DAY_SECS);
    let refresh_response = panel.refresh_session(&token).await;
    assert_eq!(
        refresh_response.json()["expires_at"],
        Value::from(Time(NOW + 13 * DAY_SECS * 1_000_000).to_string())
    );
    let new_token = refresh_response.session_token();
    panel.clock.advance_secs(7 * DAY_SECS - 1);
    assert_eq!(panel.profile_status(&new_token).await.0, 200, "a use must start a new period of a week");
    panel.clock.advance_secs(7 * DAY_SECS);
    assert_eq!(panel.profile_status(&new_token).await, (401, "token_ended".into()));
    assert_eq!(panel.refresh_session(&new_token).await.status, 401);
}

async fn a_sign_in_expires_after_thirty_days(dialect: Dialect) {
    let (panel, mut token) = panel_with_anna(dialect).await;
    for _ in 0..5 {
        panel.clock.advance_secs(5 * DAY_SECS);
        token = panel.refresh_session(&token).await.session_token();
    }
    let last_response = panel.refresh_session(&token).await;
    assert_eq!(
        last_response.json()["expires_at"],
        Value::from(Time(NOW + 30 * DAY_SECS * 1_000_000).to_string())
    );
    let last_token = last_response.session_token();
    panel.clock.advance_secs(5 * DAY_SECS - 1);
    assert_eq!(panel.profile_status(&last_token).await.0, 200);
    panel.clock.advance_secs(1);
    assert_eq!(
        panel.profile_status(&last_token).await,
        (401, "token_ended".into()),
        "a use must not extend the thirty days"
    );
    let new_token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    assert_eq!(
        panel.profile_status(&new_token).await.0,
        200,
        "a new sign-in must start a new period of thirty days"
    );
}

/// Writes the setting to the database without informing the cache of this process.
async fn write_setting(panel: &Panel, key: &str, value: Value) {
    let now = Time(NOW);
    settings::put(&mut &panel.app.db, key, &value, now).await.unwrap();
}

async fn stricter_settings_end_existing_sessions(dialect: Dialect) {
    let list_orders = async |panel: &Panel, token: &str| {
        panel
            .request_from(CLIENT_ADDRESS, Some(token), "GET", ORDERS_PATH, &Value::Null)
            .await
            .status
            .as_u16()
    };
    for (key, value) in [("session_preset", Value::from("strict")), ("session_absolute_days", Value::from(1))]
    {
        let (panel, old_token) = panel_with_anna(dialect).await;
        panel.clock.advance_secs(DAY_SECS);
        let new_token = panel.login("anna@panel.test", PASSWORD).await.session_token();
        // The second request uses the cached session, which the setting must end too.
        assert_eq!(
            [list_orders(&panel, &old_token).await, list_orders(&panel, &old_token).await],
            [200, 200]
        );
        write_setting(&panel, key, value).await;
        assert_eq!(list_orders(&panel, &old_token).await, 401, "{key}");
        assert_eq!(panel.profile_status(&old_token).await.1, "token_ended", "{key}");
        assert_eq!(list_orders(&panel, &new_token).await, 200, "{key}: a newer session must stay valid");
    }
    let (panel, token) = panel_with_anna(dialect).await;
    panel.clock.advance_secs(2 * DAY_SECS);
    write_setting(&panel, "session_idle_days", Value::from(1)).await;
    assert_eq!(list_orders(&panel, &token).await, 401, "a session must end after two days without use");
    write_setting(&panel, "session_preset", Value::from("strict")).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    panel.clock.advance_secs(12 * 3_600 - 1);
    assert_eq!(list_orders(&panel, &token).await, 200);
    panel.clock.advance_secs(12 * 3_600);
    assert_eq!(list_orders(&panel, &token).await, 401, "a session must end after twelve hours without use");
}

async fn a_refresh_does_not_change_the_time_of_the_sign_in(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    panel.clock.advance_secs(61);
    panel.refresh_session(&token).await.session_token();
    let sessions_with_original_sign_in_time_sql =
        Sql::new("SELECT count(*) FROM sessions WHERE signed_in_at = ? AND created_at > ?")
            .bind(NOW)
            .bind(NOW);
    assert_eq!(panel.fetch_number(sessions_with_original_sign_in_time_sql).await, 1);
}

async fn reuse_of_a_replaced_token_is_detected_as_long_as_the_session_is_active(dialect: Dialect) {
    let (panel, first_token) = panel_with_anna(dialect).await;
    panel.clock.advance_secs(61);
    let second_token = panel.refresh_session(&first_token).await.session_token();
    for _ in 0..2 {
        panel.clock.advance_secs(5 * DAY_SECS);
        assert_eq!(panel.profile_status(&second_token).await.0, 200);
        panel_server::background::retention::remove_expired_records(&panel.app, None).await.unwrap();
    }
    assert_eq!(
        panel.profile_status(&first_token).await,
        (401, "token_replaced".into()),
        "the use of a replaced token must be detected"
    );
    assert_eq!(panel.profile_status(&second_token).await, (401, "token_ended".into()));
    panel.clock.advance_secs(8 * DAY_SECS);
    panel_server::background::retention::remove_expired_records(&panel.app, None).await.unwrap();
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM sessions")).await, 0);
}

async fn the_last_use_is_stored_at_most_once_a_minute(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let sql = "SELECT s.last_used_at FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = 'anna@panel.test'";
    let fetch_last_used_at = async || panel.fetch_number(Sql::new(sql)).await;
    let last_used_before = fetch_last_used_at().await;
    panel.clock.advance_secs(59);
    panel.profile_status(&token).await;
    assert_eq!(fetch_last_used_at().await, last_used_before);
    panel.clock.advance_secs(2);
    panel.profile_status(&token).await;
    assert_eq!(fetch_last_used_at().await, last_used_before + 61_000_000);
}

async fn requests_without_a_valid_token_are_unauthenticated(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let response = panel.request_from(CLIENT_ADDRESS, None, "GET", "/refresh", &Value::Null).await;
    assert_eq!(
        (response.status.as_u16(), &response.json()["message"]),
        (401, &Value::from("no_saved_token"))
    );
    for token in [None, Some("pnl_nobody"), Some(" "), Some("owner x")] {
        let response =
            panel.request_from(CLIENT_ADDRESS, token, "GET", "/api/v1/profile", &Value::Null).await;
        assert_eq!(response.status, 401, "{token:?}");
        assert_eq!(response.json()["message"], "Unauthenticated.");
        assert_eq!(response.headers["www-authenticate"], "Bearer");
    }
    let rejection = panel.refresh_session("pnl_nobody").await;
    assert_eq!(
        rejection.json()["message"],
        "Unauthenticated.",
        "an invalid token must not cause the error no_saved_token"
    );
}

async fn tokens_are_stored_as_hashes(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let rows: Vec<(Vec<u8>, String)> =
        (&mut &panel.app.db).fetch_all(Sql::new("SELECT token_hash, family_id FROM sessions")).await.unwrap();
    for (hash, family_id) in rows {
        assert_eq!(hash.len(), 32);
        assert!(!family_id.contains(&token) && hash != token.as_bytes());
    }
}

async fn a_concurrent_refresh_does_not_outlive_a_sign_out(dialect: Dialect) {
    let (panel, mut token) = panel_with_anna(dialect).await;
    for _ in 0..12 {
        let sign_out = panel.request_from(CLIENT_ADDRESS, Some(&token), "POST", "/logout", &Value::Null);
        let (refresh_response, sign_out_response) = tokio::join!(panel.refresh_session(&token), sign_out);
        assert!(matches!(sign_out_response.status.as_u16(), 204 | 401), "{}", sign_out_response.text);
        assert!(matches!(refresh_response.status.as_u16(), 200 | 401), "{}", refresh_response.text);
        if refresh_response.status == 200 {
            assert_eq!(
                panel.profile_status(&refresh_response.session_token()).await.0,
                401,
                "a refreshed token outlived the sign-out"
            );
        }
        panel.clock.advance_secs(60);
        token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    }
}
