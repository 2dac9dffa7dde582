//! The session cookie of the console: how it is set, refreshed, replaced and cleared, and that other sites cannot use it.

use axum::body::Body;
use axum::http::{HeaderMap, Request};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    a_console_sign_in_returns_the_token_only_in_the_cookie;
    the_cookie_authenticates_and_is_refreshed;
    a_confirmation_renews_the_cookie;
    the_cookie_is_secure_unless_the_host_is_loopback;
    another_site_cannot_use_the_cookie;
    a_new_sign_in_ends_the_former_session_of_the_browser;
    signing_out_clears_the_browser;
    a_script_cannot_turn_the_cookie_into_a_token;
    the_realtime_channel_accepts_the_cookie;
}

const LOOPBACK: &str = "127.0.0.1:8080";
const SAME_ORIGIN: [(&str, &str); 2] = [("host", LOOPBACK), ("sec-fetch-site", "same-origin")];

struct Browser {
    panel: Panel,
    cookie: String,
}

impl Browser {
    async fn with_session(dialect: Dialect) -> Self {
        let panel = Panel::on(dialect).await;
        panel.create_user("anna@panel.test", &[Permission::ViewOrders, Permission::ManageStaff]).await;
        let mut browser = Self { panel, cookie: String::new() };
        let answer = browser.sign_in().await;
        browser.cookie = cookie_of(&answer.headers).0;
        browser
    }

    async fn sign_in(&self) -> Answer {
        let body = json!({ "email": "anna@panel.test", "password": PASSWORD });
        let headers = [SAME_ORIGIN[0], SAME_ORIGIN[1], ("x-panel-session", "cookie")];
        self.call("POST", "/login", &headers, &body).await
    }

    /// Sends a request with the cookie, if there is one.
    async fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !self.cookie.is_empty() {
            request = request.header("cookie", format!("theme=dark; {}", self.cookie));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = match body {
            Value::Null => Body::empty(),
            body => {
                request = request.header("content-type", "application/json");
                Body::from(body.to_string())
            }
        };
        self.panel.answer(request.body(body).unwrap()).await
    }

    async fn profile_status(&self) -> u16 {
        self.call("GET", "/api/v1/profile", &SAME_ORIGIN, &Value::Null).await.status.as_u16()
    }
}

/// `name=value` and the attributes of the cookie that an answer sets.
fn cookie_of(headers: &HeaderMap) -> (String, String) {
    let text = headers["set-cookie"].to_str().unwrap();
    let (pair, attributes) = text.split_once("; ").unwrap();
    (pair.to_owned(), attributes.to_owned())
}

async fn a_console_sign_in_returns_the_token_only_in_the_cookie(dialect: Dialect) {
    let browser = Browser::with_session(dialect).await;
    let answer = browser.sign_in().await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let (pair, attributes) = cookie_of(&answer.headers);
    assert!(pair.starts_with("panel_session=pnl_"), "{pair}");
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict; Max-Age=604800");
    assert!(!answer.headers.contains_key("authorization"));
    assert!(!answer.text.contains("pnl_"));
    let program = browser.panel.login("anna@panel.test", PASSWORD).await;
    assert!(!program.headers.contains_key("set-cookie"), "a program gets a bearer token");
    program.token();
}

async fn the_cookie_authenticates_and_is_refreshed(dialect: Dialect) {
    let mut browser = Browser::with_session(dialect).await;
    assert_eq!(browser.profile_status().await, 200);
    let list = "/api/v1/admin/orders?length=10";
    for _ in 0..2 {
        assert_eq!(
            browser.call("GET", list, &SAME_ORIGIN, &Value::Null).await.status,
            200,
            "the second request uses the cached session"
        );
    }
    let file = [SAME_ORIGIN[0], SAME_ORIGIN[1], ("accept", "text/csv")];
    assert_eq!(browser.call("GET", list, &file, &Value::Null).await.status, 200, "a download");
    let refreshed = browser.call("GET", "/refresh", &SAME_ORIGIN, &Value::Null).await;
    assert!(!refreshed.headers.contains_key("authorization"), "a refresh by cookie returns no bearer token");
    let new_cookie = cookie_of(&refreshed.headers).0;
    assert_ne!(new_cookie, browser.cookie);
    browser.cookie = new_cookie;
    assert_eq!(browser.profile_status().await, 200);
    browser.cookie = String::new();
    let without_cookie = browser.call("GET", "/refresh", &SAME_ORIGIN, &Value::Null).await;
    assert_eq!(without_cookie.status_and_code(), (401, "no_saved_token".into()));
}

async fn a_confirmation_renews_the_cookie(dialect: Dialect) {
    let mut browser = Browser::with_session(dialect).await;
    browser.panel.execute(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await;
    let confirm = json!({ "password": PASSWORD });
    let wrong =
        browser.call("POST", "/api/v1/profile/confirm", &SAME_ORIGIN, &json!({ "password": "wrong" })).await;
    assert!(wrong.status == 422 && !wrong.headers.contains_key("set-cookie"));
    let answer = browser.call("POST", "/api/v1/profile/confirm", &SAME_ORIGIN, &confirm).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(!answer.headers.contains_key("authorization"));
    let old_cookie = std::mem::replace(&mut browser.cookie, cookie_of(&answer.headers).0);
    assert_ne!(old_cookie, browser.cookie);
    let other_sessions = "/api/v1/profile/sessions";
    let answer = browser.call("DELETE", other_sessions, &SAME_ORIGIN, &Value::Null).await;
    assert_eq!(
        answer.status_and_code(),
        (409, "no_sessions".into()),
        "the request is confirmed, and there is only one session"
    );
    // The old token still works for 30 seconds, because other tabs use it, but it is not confirmed.
    let confirmed_cookie = std::mem::replace(&mut browser.cookie, old_cookie);
    assert_eq!(browser.profile_status().await, 200);
    let refused = browser.call("DELETE", other_sessions, &SAME_ORIGIN, &Value::Null).await;
    assert_eq!(refused.status_and_code(), (403, "confirmation_required".into()));
    browser.panel.clock.advance_secs(31);
    browser.cookie = confirmed_cookie;
    assert_eq!(browser.profile_status().await, 200);

    let program = browser.panel.login("anna@panel.test", PASSWORD).await.token();
    let path = "/api/v1/profile/confirm";
    let program_answer = browser.panel.call("203.0.113.7", Some(&program), "POST", path, &confirm).await;
    assert!(
        program_answer.status == 200 && !program_answer.headers.contains_key("authorization"),
        "a program keeps its token"
    );
}

async fn the_cookie_is_secure_unless_the_host_is_loopback(dialect: Dialect) {
    let mut browser = Browser::with_session(dialect).await;
    browser.cookie = String::new();
    let body = json!({ "email": "anna@panel.test", "password": PASSWORD });
    let headers = [
        ("host", "panel.example.com"),
        ("origin", "https://panel.example.com"),
        ("x-panel-session", "cookie"),
    ];
    let answer = browser.call("POST", "/login", &headers, &body).await;
    let (pair, attributes) = cookie_of(&answer.headers);
    assert!(pair.starts_with("__Host-panel_session=pnl_"), "{pair}");
    assert_eq!(attributes, "Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=604800");
    browser.cookie = pair;
    let refreshed = browser.call("GET", "/refresh", &[("host", "panel.example.com")], &Value::Null).await;
    assert!(cookie_of(&refreshed.headers).0.starts_with("__Host-panel_session=pnl_"));
}

async fn another_site_cannot_use_the_cookie(dialect: Dialect) {
    let browser = Browser::with_session(dialect).await;
    let roles = "/api/v1/admin/roles";
    let role = json!({ "name": "Made by another site", "permissions": ["view orders"] });
    let host = SAME_ORIGIN[0];
    for from in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "none"),
        ("origin", "http://evil.example"),
        ("origin", "http://127.0.0.1:8081"),
        ("origin", "null"),
        ("accept", "*/*"),
    ] {
        let answer = browser.call("POST", roles, &[host, from], &role).await;
        assert_eq!(answer.status_and_code(), (403, "cross_site_request".into()), "{from:?}");
    }
    let read = browser.call("GET", roles, &[host, ("sec-fetch-site", "same-site")], &Value::Null).await;
    assert_eq!(read.status_and_code(), (403, "cross_site_request".into()));
    let count = Sql::new("SELECT count(*) FROM roles WHERE name = 'Made by another site'");
    assert_eq!(browser.panel.number(count).await, 0);
    let sign_out =
        browser.call("POST", "/logout", &[host, ("sec-fetch-site", "cross-site")], &Value::Null).await;
    assert_eq!((sign_out.status.as_u16(), browser.profile_status().await), (403, 200));
    let body = json!({ "email": "anna@panel.test", "password": PASSWORD });
    let headers = [host, ("x-panel-session", "cookie"), ("sec-fetch-site", "cross-site")];
    assert_eq!(
        browser.call("POST", "/login", &headers, &body).await.status_and_code().1,
        "cross_site_request"
    );
    let own_origin = [host, ("origin", "http://127.0.0.1:8080")];
    assert_eq!(
        browser.call("POST", roles, &own_origin, &role).await.status,
        200,
        "a browser without fetch metadata"
    );
    // A bearer token needs no such check: a browser never adds it by itself.
    let token = browser.panel.login("anna@panel.test", PASSWORD).await.token();
    let bearer = format!("Bearer {token}");
    let program = [("authorization", bearer.as_str()), ("sec-fetch-site", "cross-site")];
    assert_eq!(browser.call("GET", roles, &program, &Value::Null).await.status, 200);
}

async fn a_new_sign_in_ends_the_former_session_of_the_browser(dialect: Dialect) {
    let mut browser = Browser::with_session(dialect).await;
    let program_token = browser.panel.login("anna@panel.test", PASSWORD).await.token();
    let first = browser.cookie.clone();
    let new_cookie = cookie_of(&browser.sign_in().await.headers).0;
    assert_eq!(browser.profile_status().await, 401, "the former session of the browser has ended");
    browser.cookie = new_cookie;
    assert_eq!(browser.profile_status().await, 200);
    assert_ne!(first, browser.cookie);
    assert_eq!(browser.panel.who_am_i(&program_token).await.0, 200, "the session of the program stays valid");
}

async fn signing_out_clears_the_browser(dialect: Dialect) {
    let browser = Browser::with_session(dialect).await;
    let sign_out = browser.call("POST", "/logout", &SAME_ORIGIN, &Value::Null).await;
    assert_eq!(sign_out.status, 204, "{}", sign_out.text);
    assert_eq!(sign_out.headers["clear-site-data"], "\"cache\", \"cookies\", \"storage\"");
    let expired = ("panel_session=".to_owned(), "Path=/; HttpOnly; SameSite=Strict; Max-Age=0".to_owned());
    assert_eq!(cookie_of(&sign_out.headers), expired);
    assert_eq!(browser.profile_status().await, 401);
    let token = browser.panel.login("anna@panel.test", PASSWORD).await.token();
    let program = browser.panel.call("203.0.113.7", Some(&token), "POST", "/logout", &Value::Null).await;
    assert!(!program.headers.contains_key("clear-site-data"));
}

async fn a_script_cannot_turn_the_cookie_into_a_token(dialect: Dialect) {
    let browser = Browser::with_session(dialect).await;
    let code = browser.call("POST", "/api/v1/admin/handoff-codes", &SAME_ORIGIN, &Value::Null).await;
    assert_eq!(code.status_and_code(), (403, "bearer_required".into()));
    let refreshed = browser.call("GET", "/refresh", &SAME_ORIGIN, &Value::Null).await;
    assert!(!refreshed.headers.contains_key("authorization"));
}

async fn the_realtime_channel_accepts_the_cookie(dialect: Dialect) {
    let browser = Browser::with_session(dialect).await;
    let body = json!({ "socket_id": "1.2", "channel_name": "private-admin" });
    let auth_answer = browser.call("POST", "/broadcasting/auth", &SAME_ORIGIN, &body).await;
    assert_eq!(auth_answer.status, 200, "{}", auth_answer.text);
    let foreign_origin = [SAME_ORIGIN[0], ("origin", "http://evil.example")];
    assert_eq!(browser.call("POST", "/broadcasting/auth", &foreign_origin, &body).await.status, 403);
}
