//! A user lists and ends their own sessions, and staff end the sessions of another staff member.

use axum::body::Body;
use axum::http::Request;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    refreshing_a_token_does_not_create_a_session;
    ended_sessions_are_not_listed;
    an_ended_session_is_rejected_immediately;
    users_cannot_end_sessions_of_other_users;
    ending_all_sessions_does_not_end_the_current_one;
    tabs_that_refreshed_the_same_token_stay_signed_in;
    staff_end_the_sessions_of_another_staff_member;
    staff_cannot_end_sessions_of_staff_with_more_permissions;
}

const CLIENT_IP: &str = "203.0.113.7";
const OWN_SESSIONS_PATH: &str = "/api/v1/profile/sessions";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";

async fn panel_with_anna(dialect: Dialect) -> (Panel, i64) {
    let panel = Panel::start(dialect).await;
    let id = panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
    (panel, id)
}

impl Panel {
    async fn sign_in(&self, email: &str) -> String {
        self.login(email, PASSWORD).await.session_token()
    }

    async fn request_with_token(&self, token: &str, method: &str, path: &str) -> TestResponse {
        self.request_from(CLIENT_IP, Some(token), method, path, &Value::Null).await
    }

    async fn fetch_own_sessions(&self, token: &str) -> Vec<Value> {
        let response = self.request_with_token(token, "GET", OWN_SESSIONS_PATH).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"].as_array().unwrap().clone()
    }

    /// The audit entries of an event, newest first.
    async fn fetch_audit_entries(&self, event: &str) -> Vec<Value> {
        let path = format!(
            "/api/v1/admin/audits?columns[0][data]=event&columns[0][search][value]={event}&length=10"
        );
        self.get(&path).await.json()["data"].as_array().unwrap().clone()
    }
}

async fn refreshing_a_token_does_not_create_a_session(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    let body = json!({ "email": "anna@panel.test", "password": PASSWORD }).to_string();
    let request =
        Request::post("/login").header("user-agent", FIREFOX).header("content-type", "application/json");
    let firefox_token = panel.send_request(request.body(Body::from(body)).unwrap()).await.session_token();
    panel.clock.advance_secs(600);
    let first_token = panel.sign_in("anna@panel.test").await;
    panel.clock.advance_secs(61);
    let second_token = panel.refresh_session(&first_token).await.session_token();
    let sessions = panel.fetch_own_sessions(&second_token).await;
    assert_eq!(sessions.len(), 2, "{sessions:?}");
    assert_eq!((&sessions[0]["is_current"], &sessions[1]["is_current"]), (&json!(true), &json!(false)));
    assert_eq!(sessions[1]["device"], "Firefox · Linux");
    assert_eq!(sessions[0]["signed_in_at"], "2026-11-20 16:10:00", "{sessions:?}");
    assert_eq!(sessions[0]["last_used_at"], "2026-11-20 16:11:01");
    assert_eq!(sessions[0]["ends_at"], "2026-11-27 16:11:01");
    let id = sessions[0]["id"].clone();
    panel.clock.advance_secs(61);
    let third_token = panel.refresh_session(&second_token).await.session_token();
    let sessions_after_refresh = panel.fetch_own_sessions(&third_token).await;
    assert_eq!(
        (sessions_after_refresh.len(), &sessions_after_refresh[0]["id"]),
        (2, &id),
        "a refresh must not change the id of the session"
    );
    assert!(!panel.request_with_token(&third_token, "GET", OWN_SESSIONS_PATH).await.text.contains("pnl_"));
    let firefox_sessions = panel.fetch_own_sessions(&firefox_token).await;
    assert_eq!(
        firefox_sessions[0]["device"], "Firefox · Linux",
        "each browser must list its own session first"
    );
}

async fn ended_sessions_are_not_listed(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.sign_in("anna@panel.test").await;
    let ended_token = panel.sign_in("anna@panel.test").await;
    panel.request_with_token(&ended_token, "POST", "/logout").await;
    panel.clock.advance_secs(6 * 86_400);
    let token = panel.sign_in("anna@panel.test").await;
    assert_eq!(panel.fetch_own_sessions(&token).await.len(), 2);
    panel.clock.advance_secs(2 * 86_400);
    assert_eq!(
        panel.fetch_own_sessions(&token).await.len(),
        1,
        "a session must end after a week without use"
    );
}

async fn an_ended_session_is_rejected_immediately(dialect: Dialect) {
    let (panel, anna_id) = panel_with_anna(dialect).await;
    let (token, other_token) =
        (panel.sign_in("anna@panel.test").await, panel.sign_in("anna@panel.test").await);
    let orders_path = "/api/v1/admin/orders?length=1";
    assert_eq!(panel.request_with_token(&other_token, "GET", orders_path).await.status, 200);
    let sessions = panel.fetch_own_sessions(&token).await;
    let current_path = format!("{OWN_SESSIONS_PATH}/{}", sessions[0]["id"]);
    let rejection = panel.request_with_token(&token, "DELETE", &current_path).await;
    assert_eq!(rejection.status_and_code(), (409, "current_session".into()));
    let other_path = format!("{OWN_SESSIONS_PATH}/{}", sessions[1]["id"]);
    assert_eq!(panel.request_with_token(&token, "DELETE", &other_path).await.status, 204);
    assert_eq!(
        panel.request_with_token(&other_token, "GET", orders_path).await.status,
        401,
        "the session cache must not accept an ended session"
    );
    assert_eq!(panel.profile_status(&other_token).await, (401, "token_ended".into()));
    assert_eq!(
        panel.request_with_token(&token, "DELETE", &other_path).await.status_and_code(),
        (409, "session_ended".into())
    );
    let entries = panel.fetch_audit_entries("user.session_ended").await;
    assert_eq!((entries.len(), &entries[0]["auditable_id"]), (1, &json!(anna_id)), "{entries:?}");
}

async fn users_cannot_end_sessions_of_other_users(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.create_user("bob@panel.test", &[Permission::ViewOrders]).await;
    let (anna_token, bob_token) =
        (panel.sign_in("anna@panel.test").await, panel.sign_in("bob@panel.test").await);
    let id = panel.fetch_own_sessions(&anna_token).await[0]["id"].clone();
    for id in [id.to_string(), "999999".into()] {
        let response =
            panel.request_with_token(&bob_token, "DELETE", &format!("{OWN_SESSIONS_PATH}/{id}")).await;
        assert_eq!(response.status_and_code(), (404, "not_found".into()), "{id}");
    }
    assert_eq!(panel.profile_status(&anna_token).await.0, 200);
    let sessions = panel.fetch_own_sessions(&bob_token).await;
    assert_eq!(sessions.len(), 1, "the list must contain only the sessions of the caller");
}

async fn ending_all_sessions_does_not_end_the_current_one(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    let token = panel.sign_in("anna@panel.test").await;
    let other_tokens = [panel.sign_in("anna@panel.test").await, panel.sign_in("anna@panel.test").await];
    panel.clock.advance_secs(1);
    let refreshed_token = panel.refresh_session(&token).await.session_token();
    let response = panel.request_with_token(&refreshed_token, "DELETE", OWN_SESSIONS_PATH).await;
    assert_eq!((response.status.as_u16(), response.json()), (200, json!({ "ended": 2 })));
    for token in &other_tokens {
        assert_eq!(panel.profile_status(token).await.0, 401);
    }
    assert_eq!(panel.profile_status(&refreshed_token).await.0, 200);
    assert_eq!(
        panel.profile_status(&token).await.0,
        200,
        "the old token must still work for some seconds, for other tabs"
    );
    assert_eq!(
        panel.request_with_token(&refreshed_token, "DELETE", OWN_SESSIONS_PATH).await.status_and_code(),
        (409, "no_sessions".into())
    );
    assert_eq!(panel.fetch_audit_entries("user.sessions_ended").await.len(), 1);
    assert_eq!(panel.get("/api/v1/profile").await.status, 200, "sessions of other users must continue");
}

/// Tabs of one browser refresh the same token at the same time, and each continues with its own new token.
async fn tabs_that_refreshed_the_same_token_stay_signed_in(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    let first_token = panel.sign_in("anna@panel.test").await;
    let tab_tokens = [
        panel.refresh_session(&first_token).await.session_token(),
        panel.refresh_session(&first_token).await.session_token(),
    ];
    let other_token = panel.sign_in("anna@panel.test").await;
    let response = panel.request_with_token(&tab_tokens[0], "DELETE", OWN_SESSIONS_PATH).await;
    assert_eq!((response.status.as_u16(), response.json()), (200, json!({ "ended": 1 })));
    assert_eq!(panel.profile_status(&other_token).await, (401, "token_ended".into()));
    for tab_token in &tab_tokens {
        assert_eq!(panel.profile_status(tab_token).await.0, 200);
    }
    let other_token = panel.sign_in("anna@panel.test").await;
    let body = json!({ "current_password": PASSWORD, "password": "lamps rain over violet" });
    let change_response =
        panel.request_from(CLIENT_IP, Some(&tab_tokens[1]), "POST", "/api/v1/profile/password", &body).await;
    assert_eq!(change_response.status, 204, "{}", change_response.text);
    assert_eq!(panel.profile_status(&other_token).await, (401, "token_ended".into()));
    for tab_token in &tab_tokens {
        assert_eq!(
            panel.profile_status(tab_token).await.0,
            200,
            "a password change must not sign out the tabs"
        );
    }
}

async fn staff_end_the_sessions_of_another_staff_member(dialect: Dialect) {
    let (panel, anna_id) = panel_with_anna(dialect).await;
    let tokens = [panel.sign_in("anna@panel.test").await, panel.sign_in("anna@panel.test").await];
    let path = format!("/api/v1/admin/staffs/{anna_id}/end-sessions");
    let dry_run = panel.post(&format!("{path}?dry_run=1"), &json!({})).await;
    assert_eq!(dry_run.json()["ended"], 2);
    assert_eq!(panel.profile_status(&tokens[0]).await.0, 200, "a dry run must not end a session");
    let response = panel.post(&path, &json!({})).await;
    assert_eq!((response.status.as_u16(), &response.json()["ended"]), (200, &json!(2)));
    for token in &tokens {
        assert_eq!(panel.profile_status(token).await, (401, "token_ended".into()));
    }
    assert_eq!(panel.post(&path, &json!({})).await.status_and_code(), (409, "no_sessions".into()));
    assert_eq!(panel.sign_in("anna@panel.test").await.len(), 47, "the user must be able to sign in again");
    let owner_id = panel.fetch_number(Sql::new("SELECT id FROM users WHERE name = 'owner'")).await;
    let owner_response =
        panel.post(&format!("/api/v1/admin/staffs/{owner_id}/end-sessions"), &json!({})).await;
    assert_eq!(
        owner_response.status_and_code(),
        (409, "no_sessions".into()),
        "the current session of the caller must not be ended"
    );
    let entries = panel.fetch_audit_entries("user.sessions_ended").await;
    assert_eq!((entries.len(), &entries[0]["auditable_id"]), (1, &json!(anna_id)));
}

async fn staff_cannot_end_sessions_of_staff_with_more_permissions(dialect: Dialect) {
    let (panel, anna_id) = panel_with_anna(dialect).await;
    let token = panel.sign_in("anna@panel.test").await;
    panel.create_staff("mona", &[Permission::ManageStaff]).await;
    panel.create_staff("vera", &[Permission::ViewOrders]).await;
    let path = format!("/api/v1/admin/staffs/{anna_id}/end-sessions");
    let rejection = panel.send("mona", "POST", &path, &json!({}), None).await;
    assert_eq!(rejection.status_and_code(), (403, "outranked".into()));
    assert_eq!(
        panel.send("vera", "POST", &path, &json!({}), None).await.status_and_code(),
        (403, "forbidden".into())
    );
    assert_eq!(panel.profile_status(&token).await.0, 200);
}
