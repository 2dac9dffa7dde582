//! The own sessions of a user, and ending the sessions of another staff member.

use axum::body::Body;
use axum::http::Request;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    refreshing_a_token_does_not_create_a_session;
    ended_sessions_are_not_listed;
    an_ended_session_is_refused_at_once;
    users_cannot_end_sessions_of_other_users;
    ending_all_sessions_spares_the_current_one;
    tabs_that_refreshed_the_same_token_stay_signed_in;
    staff_end_the_sessions_of_another_staff_member;
    staff_cannot_end_sessions_of_staff_with_more_permissions;
}

const CLIENT_IP: &str = "203.0.113.7";
const OWN_SESSIONS: &str = "/api/v1/profile/sessions";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";

async fn panel_with_anna(dialect: Dialect) -> (Panel, i64) {
    let panel = Panel::on(dialect).await;
    let id = panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
    (panel, id)
}

impl Panel {
    async fn sign_in_token(&self, email: &str) -> String {
        self.login(email, PASSWORD).await.token()
    }

    async fn call_with_token(&self, token: &str, method: &str, path: &str) -> Answer {
        self.call(CLIENT_IP, Some(token), method, path, &Value::Null).await
    }

    async fn own_sessions(&self, token: &str) -> Vec<Value> {
        let answer = self.call_with_token(token, "GET", OWN_SESSIONS).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].as_array().unwrap().clone()
    }

    /// The audit entries of an event, newest first.
    async fn audit_entries(&self, event: &str) -> Vec<Value> {
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
    let browser = panel.answer(request.body(Body::from(body)).unwrap()).await.token();
    panel.clock.advance_secs(600);
    let first = panel.sign_in_token("anna@panel.test").await;
    panel.clock.advance_secs(61);
    let second = panel.refresh(&first).await.token();
    let sessions = panel.own_sessions(&second).await;
    assert_eq!(sessions.len(), 2, "{sessions:?}");
    assert_eq!((&sessions[0]["is_current"], &sessions[1]["is_current"]), (&json!(true), &json!(false)));
    assert_eq!(sessions[1]["device"], "Firefox · Linux");
    assert_eq!(sessions[0]["signed_in_at"], "2026-11-20 16:10:00", "{sessions:?}");
    assert_eq!(sessions[0]["last_used_at"], "2026-11-20 16:11:01");
    assert_eq!(sessions[0]["ends_at"], "2026-11-27 16:11:01");
    let id = sessions[0]["id"].clone();
    panel.clock.advance_secs(61);
    let third = panel.refresh(&second).await.token();
    let sessions_after_refresh = panel.own_sessions(&third).await;
    assert_eq!(
        (sessions_after_refresh.len(), &sessions_after_refresh[0]["id"]),
        (2, &id),
        "a refresh keeps the id of the session"
    );
    assert!(!panel.call_with_token(&third, "GET", OWN_SESSIONS).await.text.contains("pnl_"));
    let other = panel.own_sessions(&browser).await;
    assert_eq!(other[0]["device"], "Firefox · Linux", "each browser lists its own session first");
}

async fn ended_sessions_are_not_listed(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.sign_in_token("anna@panel.test").await;
    let signed_out = panel.sign_in_token("anna@panel.test").await;
    panel.call_with_token(&signed_out, "POST", "/logout").await;
    panel.clock.advance_secs(6 * 86_400);
    let token = panel.sign_in_token("anna@panel.test").await;
    assert_eq!(panel.own_sessions(&token).await.len(), 2);
    panel.clock.advance_secs(2 * 86_400);
    assert_eq!(panel.own_sessions(&token).await.len(), 1, "a session ends after a week without use");
}

async fn an_ended_session_is_refused_at_once(dialect: Dialect) {
    let (panel, anna) = panel_with_anna(dialect).await;
    let (token, other_token) =
        (panel.sign_in_token("anna@panel.test").await, panel.sign_in_token("anna@panel.test").await);
    let orders = "/api/v1/admin/orders?length=1";
    assert_eq!(panel.call_with_token(&other_token, "GET", orders).await.status, 200);
    let sessions = panel.own_sessions(&token).await;
    let current = format!("{OWN_SESSIONS}/{}", sessions[0]["id"]);
    let refused = panel.call_with_token(&token, "DELETE", &current).await;
    assert_eq!(refused.status_and_code(), (409, "current_session".into()));
    let other = format!("{OWN_SESSIONS}/{}", sessions[1]["id"]);
    assert_eq!(panel.call_with_token(&token, "DELETE", &other).await.status, 204);
    assert_eq!(
        panel.call_with_token(&other_token, "GET", orders).await.status,
        401,
        "the session cache does not serve an ended session"
    );
    assert_eq!(panel.who_am_i(&other_token).await, (401, "token_ended".into()));
    assert_eq!(
        panel.call_with_token(&token, "DELETE", &other).await.status_and_code(),
        (409, "session_ended".into())
    );
    let entries = panel.audit_entries("user.session_ended").await;
    assert_eq!((entries.len(), &entries[0]["auditable_id"]), (1, &json!(anna)), "{entries:?}");
}

async fn users_cannot_end_sessions_of_other_users(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.create_user("bob@panel.test", &[Permission::ViewOrders]).await;
    let (anna, bob) =
        (panel.sign_in_token("anna@panel.test").await, panel.sign_in_token("bob@panel.test").await);
    let id = panel.own_sessions(&anna).await[0]["id"].clone();
    for id in [id.to_string(), "999999".into()] {
        let answer = panel.call_with_token(&bob, "DELETE", &format!("{OWN_SESSIONS}/{id}")).await;
        assert_eq!(answer.status_and_code(), (404, "not_found".into()), "{id}");
    }
    assert_eq!(panel.who_am_i(&anna).await.0, 200);
    let sessions = panel.own_sessions(&bob).await;
    assert_eq!(sessions.len(), 1, "the list has only the own sessions");
}

async fn ending_all_sessions_spares_the_current_one(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    let token = panel.sign_in_token("anna@panel.test").await;
    let others = [panel.sign_in_token("anna@panel.test").await, panel.sign_in_token("anna@panel.test").await];
    panel.clock.advance_secs(1);
    let refreshed = panel.refresh(&token).await.token();
    let answer = panel.call_with_token(&refreshed, "DELETE", OWN_SESSIONS).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({ "ended": 2 })));
    for token in &others {
        assert_eq!(panel.who_am_i(token).await.0, 401);
    }
    assert_eq!(panel.who_am_i(&refreshed).await.0, 200);
    assert_eq!(panel.who_am_i(&token).await.0, 200, "the old token still works for a moment, for other tabs");
    assert_eq!(
        panel.call_with_token(&refreshed, "DELETE", OWN_SESSIONS).await.status_and_code(),
        (409, "no_sessions".into())
    );
    assert_eq!(panel.audit_entries("user.sessions_ended").await.len(), 1);
    assert_eq!(panel.get("/api/v1/profile").await.status, 200, "sessions of other users continue");
}

/// Tabs of one browser refresh the same token at the same time, and each continues with its own new token.
async fn tabs_that_refreshed_the_same_token_stay_signed_in(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    let first = panel.sign_in_token("anna@panel.test").await;
    let tabs = [panel.refresh(&first).await.token(), panel.refresh(&first).await.token()];
    let other = panel.sign_in_token("anna@panel.test").await;
    let answer = panel.call_with_token(&tabs[0], "DELETE", OWN_SESSIONS).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({ "ended": 1 })));
    assert_eq!(panel.who_am_i(&other).await, (401, "token_ended".into()));
    for tab in &tabs {
        assert_eq!(panel.who_am_i(tab).await.0, 200);
    }
    let other = panel.sign_in_token("anna@panel.test").await;
    let body = json!({ "current_password": PASSWORD, "password": "lamps rain over violet" });
    let changed = panel.call(CLIENT_IP, Some(&tabs[1]), "POST", "/api/v1/profile/password", &body).await;
    assert_eq!(changed.status, 204, "{}", changed.text);
    assert_eq!(panel.who_am_i(&other).await, (401, "token_ended".into()));
    for tab in &tabs {
        assert_eq!(panel.who_am_i(tab).await.0, 200, "a password change does not sign out the tabs either");
    }
}

async fn staff_end_the_sessions_of_another_staff_member(dialect: Dialect) {
    let (panel, anna) = panel_with_anna(dialect).await;
    let tokens = [panel.sign_in_token("anna@panel.test").await, panel.sign_in_token("anna@panel.test").await];
    let path = format!("/api/v1/admin/staffs/{anna}/end-sessions");
    let dry_run = panel.post(&format!("{path}?dry_run=1"), &json!({})).await;
    assert_eq!(dry_run.json()["ended"], 2);
    assert_eq!(panel.who_am_i(&tokens[0]).await.0, 200, "a dry run ends nothing");
    let answer = panel.post(&path, &json!({})).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["ended"]), (200, &json!(2)));
    for token in &tokens {
        assert_eq!(panel.who_am_i(token).await, (401, "token_ended".into()));
    }
    assert_eq!(panel.post(&path, &json!({})).await.status_and_code(), (409, "no_sessions".into()));
    assert_eq!(panel.sign_in_token("anna@panel.test").await.len(), 47, "the user can sign in again");
    let owner = panel.number(Sql::new("SELECT id FROM users WHERE name = 'owner'")).await;
    let own = panel.post(&format!("/api/v1/admin/staffs/{owner}/end-sessions"), &json!({})).await;
    assert_eq!(
        own.status_and_code(),
        (409, "no_sessions".into()),
        "the current session of the caller does not count"
    );
    let entries = panel.audit_entries("user.sessions_ended").await;
    assert_eq!((entries.len(), &entries[0]["auditable_id"]), (1, &json!(anna)));
}

async fn staff_cannot_end_sessions_of_staff_with_more_permissions(dialect: Dialect) {
    let (panel, anna) = panel_with_anna(dialect).await;
    let token = panel.sign_in_token("anna@panel.test").await;
    panel.create_staff("mona", &[Permission::ManageStaff]).await;
    panel.create_staff("vera", &[Permission::ViewOrders]).await;
    let path = format!("/api/v1/admin/staffs/{anna}/end-sessions");
    let refused = panel.send("mona", "POST", &path, &json!({}), None).await;
    assert_eq!(refused.status_and_code(), (403, "outranked".into()));
    assert_eq!(
        panel.send("vera", "POST", &path, &json!({}), None).await.status_and_code(),
        (403, "forbidden".into())
    );
    assert_eq!(panel.who_am_i(&token).await.0, 200);
}
