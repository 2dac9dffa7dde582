//! The sessions of one's own, and ending those of a colleague.

use axum::body::Body;
use axum::http::Request;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    a_sign_in_is_one_session_however_often_it_is_refreshed;
    ended_sessions_are_not_shown;
    one_session_ends_at_once;
    nobody_ends_the_session_of_somebody_else_by_its_id;
    all_others_end_but_not_the_one_in_use;
    all_tabs_of_the_own_sign_in_stay;
    staff_end_the_sessions_of_a_colleague;
    who_holds_more_is_signed_out_by_those_who_hold_as_much;
}

const HERE: &str = "203.0.113.7";
const OWN: &str = "/api/v1/profile/sessions";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";

async fn panel_with_anna(dialect: Dialect) -> (Panel, i64) {
    let panel = Panel::on(dialect).await;
    let id = panel.person("anna@panel.test", &[Permission::ViewOrders]).await;
    (panel, id)
}

impl Panel {
    async fn token_of(&self, email: &str) -> String {
        self.login(email, PASSWORD).await.token()
    }

    async fn with_token(&self, token: &str, method: &str, path: &str) -> Answer {
        self.call(HERE, Some(token), method, path, &Value::Null).await
    }

    async fn own_sessions(&self, token: &str) -> Vec<Value> {
        let answer = self.with_token(token, "GET", OWN).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].as_array().unwrap().clone()
    }

    /// What the audit trail says of an event, newest first: old and new values.
    async fn audited(&self, event: &str) -> Vec<Value> {
        let path = format!(
            "/api/v1/admin/audits?columns[0][data]=event&columns[0][search][value]={event}&length=10"
        );
        self.get(&path).await.json()["data"].as_array().unwrap().clone()
    }
}

async fn a_sign_in_is_one_session_however_often_it_is_refreshed(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    let body = json!({ "email": "anna@panel.test", "password": PASSWORD }).to_string();
    let request =
        Request::post("/login").header("user-agent", FIREFOX).header("content-type", "application/json");
    let browser = panel.answer(request.body(Body::from(body)).unwrap()).await.token();
    panel.clock.advance_secs(600);
    let first = panel.token_of("anna@panel.test").await;
    panel.clock.advance_secs(61);
    let second = panel.refresh(&first).await.token();
    let shown = panel.own_sessions(&second).await;
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert_eq!((&shown[0]["is_current"], &shown[1]["is_current"]), (&json!(true), &json!(false)));
    assert_eq!(shown[1]["device"], "Firefox · Linux");
    assert_eq!(shown[0]["signed_in_at"], "2026-11-20 16:10:00", "{shown:?}");
    assert_eq!(shown[0]["last_used_at"], "2026-11-20 16:11:01");
    assert_eq!(shown[0]["ends_at"], "2026-11-27 16:11:01");
    let id = shown[0]["id"].clone();
    panel.clock.advance_secs(61);
    let third = panel.refresh(&second).await.token();
    let again = panel.own_sessions(&third).await;
    assert_eq!((again.len(), &again[0]["id"]), (2, &id), "the id stays with the sign-in");
    assert!(!panel.with_token(&third, "GET", OWN).await.text.contains("pnl_"));
    let other = panel.own_sessions(&browser).await;
    assert_eq!(other[0]["device"], "Firefox · Linux", "each sees their own first");
}

async fn ended_sessions_are_not_shown(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.token_of("anna@panel.test").await;
    let signed_out = panel.token_of("anna@panel.test").await;
    panel.with_token(&signed_out, "POST", "/logout").await;
    panel.clock.advance_secs(6 * 86_400);
    let token = panel.token_of("anna@panel.test").await;
    assert_eq!(panel.own_sessions(&token).await.len(), 2);
    panel.clock.advance_secs(2 * 86_400);
    assert_eq!(panel.own_sessions(&token).await.len(), 1, "a week without use");
}

async fn one_session_ends_at_once(dialect: Dialect) {
    let (panel, anna) = panel_with_anna(dialect).await;
    let (here, there) = (panel.token_of("anna@panel.test").await, panel.token_of("anna@panel.test").await);
    let orders = "/api/v1/admin/orders?length=1";
    assert_eq!(panel.with_token(&there, "GET", orders).await.status, 200);
    let shown = panel.own_sessions(&here).await;
    let current = format!("{OWN}/{}", shown[0]["id"]);
    let refused = panel.with_token(&here, "DELETE", &current).await;
    assert_eq!(refused.says(), (409, "current_session".into()));
    let other = format!("{OWN}/{}", shown[1]["id"]);
    assert_eq!(panel.with_token(&here, "DELETE", &other).await.status, 204);
    assert_eq!(
        panel.with_token(&there, "GET", orders).await.status,
        401,
        "a list does not cache a revoked session"
    );
    assert_eq!(panel.who_am_i(&there).await, (401, "token_ended".into()));
    assert_eq!(panel.with_token(&here, "DELETE", &other).await.says(), (409, "session_ended".into()));
    let entries = panel.audited("user.session_ended").await;
    assert_eq!((entries.len(), &entries[0]["auditable_id"]), (1, &json!(anna)), "{entries:?}");
}

async fn nobody_ends_the_session_of_somebody_else_by_its_id(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.person("bob@panel.test", &[Permission::ViewOrders]).await;
    let (anna, bob) = (panel.token_of("anna@panel.test").await, panel.token_of("bob@panel.test").await);
    let id = panel.own_sessions(&anna).await[0]["id"].clone();
    for id in [id.to_string(), "999999".into()] {
        let answer = panel.with_token(&bob, "DELETE", &format!("{OWN}/{id}")).await;
        assert_eq!(answer.says(), (404, "not_found".into()), "{id}");
    }
    assert_eq!(panel.who_am_i(&anna).await.0, 200);
    let shown = panel.own_sessions(&bob).await;
    assert_eq!(shown.len(), 1, "only one's own");
}

async fn all_others_end_but_not_the_one_in_use(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    let here = panel.token_of("anna@panel.test").await;
    let others = [panel.token_of("anna@panel.test").await, panel.token_of("anna@panel.test").await];
    panel.clock.advance_secs(1);
    let fresh = panel.refresh(&here).await.token();
    let answer = panel.with_token(&fresh, "DELETE", OWN).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({ "ended": 2 })));
    for token in &others {
        assert_eq!(panel.who_am_i(token).await.0, 401);
    }
    assert_eq!(panel.who_am_i(&fresh).await.0, 200);
    assert_eq!(panel.who_am_i(&here).await.0, 200, "another tab still has the old token for a moment");
    assert_eq!(panel.with_token(&fresh, "DELETE", OWN).await.says(), (409, "no_sessions".into()));
    assert_eq!(panel.audited("user.sessions_ended").await.len(), 1);
    assert_eq!(panel.get("/api/v1/profile").await.status, 200, "others keep theirs");
}

/// Tabs of one browser refresh the same token at the same time, and each goes on with its own.
async fn all_tabs_of_the_own_sign_in_stay(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    let first = panel.token_of("anna@panel.test").await;
    let tabs = [panel.refresh(&first).await.token(), panel.refresh(&first).await.token()];
    let other = panel.token_of("anna@panel.test").await;
    let answer = panel.with_token(&tabs[0], "DELETE", OWN).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({ "ended": 1 })));
    assert_eq!(panel.who_am_i(&other).await, (401, "token_ended".into()));
    for tab in &tabs {
        assert_eq!(panel.who_am_i(tab).await.0, 200);
    }
    let other = panel.token_of("anna@panel.test").await;
    let body = json!({ "current_password": PASSWORD, "password": "lamps rain over violet" });
    let changed = panel.call(HERE, Some(&tabs[1]), "POST", "/api/v1/profile/password", &body).await;
    assert_eq!(changed.status, 204, "{}", changed.text);
    assert_eq!(panel.who_am_i(&other).await, (401, "token_ended".into()));
    for tab in &tabs {
        assert_eq!(panel.who_am_i(tab).await.0, 200, "a new password keeps the tabs as well");
    }
}

async fn staff_end_the_sessions_of_a_colleague(dialect: Dialect) {
    let (panel, anna) = panel_with_anna(dialect).await;
    let tokens = [panel.token_of("anna@panel.test").await, panel.token_of("anna@panel.test").await];
    let path = format!("/api/v1/admin/staffs/{anna}/end-sessions");
    let tried = panel.post(&format!("{path}?dry_run=1"), &json!({})).await;
    assert_eq!(tried.json()["ended"], 2);
    assert_eq!(panel.who_am_i(&tokens[0]).await.0, 200, "a dry run ends nothing");
    let answer = panel.post(&path, &json!({})).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["ended"]), (200, &json!(2)));
    for token in &tokens {
        assert_eq!(panel.who_am_i(token).await, (401, "token_ended".into()));
    }
    assert_eq!(panel.post(&path, &json!({})).await.says(), (409, "no_sessions".into()));
    assert_eq!(panel.token_of("anna@panel.test").await.len(), 47, "she may sign in again");
    let owner = panel.number(Sql::new("SELECT id FROM users WHERE name = 'owner'")).await;
    let own = panel.post(&format!("/api/v1/admin/staffs/{owner}/end-sessions"), &json!({})).await;
    assert_eq!(own.says(), (409, "no_sessions".into()), "of one's own the one in use stays");
    let entries = panel.audited("user.sessions_ended").await;
    assert_eq!((entries.len(), &entries[0]["auditable_id"]), (1, &json!(anna)));
}

async fn who_holds_more_is_signed_out_by_those_who_hold_as_much(dialect: Dialect) {
    let (panel, anna) = panel_with_anna(dialect).await;
    let token = panel.token_of("anna@panel.test").await;
    panel.staff("mona", &[Permission::ManageStaff]).await;
    panel.staff("vera", &[Permission::ViewOrders]).await;
    let path = format!("/api/v1/admin/staffs/{anna}/end-sessions");
    let refused = panel.send("mona", "POST", &path, &json!({}), None).await;
    assert_eq!(refused.says(), (403, "outranked".into()));
    assert_eq!(panel.send("vera", "POST", &path, &json!({}), None).await.says(), (403, "forbidden".into()));
    assert_eq!(panel.who_am_i(&token).await.0, 200);
}
