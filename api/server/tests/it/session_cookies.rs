//! The session cookie of the console: how the server sets, refreshes, replaces and clears the cookie, and rejects it from other sites.

use axum::body::Body;
use axum::http::{HeaderMap, Request};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    a_console_sign_in_returns_the_token_only_in_the_cookie;
    the_cookie_authenticates_and_is_refreshed;
    a_confirmation_renews_the_cookie;
    the_cookie_is_secure_unless_the_host_is_loopback;
    another_site_cannot_use_the_cookie;
    a_new_sign_in_ends_the_former_session_of_the_browser;
    a_sign_out_clears_the_data_of_the_browser;
    the_cookie_cannot_be_exchanged_for_a_bearer_token;
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
        let panel = Panel::start(dialect).await;
        panel.create_user("anna@panel.test", &[Permission::ViewOrders, Permission::ManageStaff]).await;
        let mut browser = Self { panel, cookie: String::new() };
        let response = browser.sign_in().await;
        browser.cookie = parse_cookie(&response.headers).0;
        browser
    }

    async fn sign_in(&self) -> TestResponse {
        let body = json!({ "email": "anna@panel.test", "password": PASSWORD });
        let headers = [SAME_ORIGIN[0], SAME_ORIGIN[1], ("x-panel-session", "cookie")];
        self.send("POST", "/login", &headers, &body).await
    }

    /// Sends a request with the cookie if the browser has one.
    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &Value) -> TestResponse {
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
        self.panel.send_request(request.body(body).unwrap()).await
    }

    async fn profile_status(&self) -> u16 {
        self.send("GET", "/api/v1/profile", &SAME_ORIGIN, &Value::Null).await.status.as_u16()
    }
}

/// `name=value` and the attributes of the cookie that a response sets.
fn parse_cookie(headers: &HeaderMap) -> (String, String) {
    let header = headers["set-cookie"].to_str().unwrap();
    let (name_and_value, attributes) = header.split_once("; ").unwrap();
    (name_and_value.to_owned(), attributes.to_owned())
}

async fn a_console_sign_in_returns_the_token_only_in_the_cookie(dialect: Dialect) {
    let browser = Browser::with_session(dialect).await;
    let response = browser.sign_in().await;
    assert_eq!(response.status, 200, "{}", response.text);
    let (name_and_value, attributes) = parse_cookie(&response.headers);
    assert!(name_and_value.starts_with("panel_session=pnl_"), "{name_and_value}");
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict; Max-Age=604800");
    assert!(!response.headers.contains_key("authorization"));
    assert!(!response.text.contains("pnl_"));
    let program_response = browser.panel.login("anna@panel.test", PASSWORD).await;
    assert!(
        !program_response.headers.contains_key("set-cookie"),
        "a sign-in without the console's header must return a bearer token"
    );
    program_response.session_token();
}

async fn the_cookie_authenticates_and_is_refreshed(dialect: Dialect) {
    let mut browser = Browser::with_session(dialect).await;
    assert_eq!(browser.profile_status().await, 200);
    let orders_path = "/api/v1/admin/orders?length=10";
    for _ in 0..2 {
        assert_eq!(
            browser.send("GET", orders_path, &SAME_ORIGIN, &Value::Null).await.status,
            200,
            "the second request, which uses the cached session, must succeed too"
        );
    }
    let csv_headers = [SAME_ORIGIN[0], SAME_ORIGIN[1], ("accept", "text/csv")];
    assert_eq!(
        browser.send("GET", orders_path, &csv_headers, &Value::Null).await.status,
        200,
        "a download must accept the cookie"
    );
    let refresh_response = browser.send("GET", "/refresh", &SAME_ORIGIN, &Value::Null).await;
    assert!(
        !refresh_response.headers.contains_key("authorization"),
        "a refresh with the cookie must not return a bearer token"
    );
    let new_cookie = parse_cookie(&refresh_response.headers).0;
    assert_ne!(new_cookie, browser.cookie);
    browser.cookie = new_cookie;
    assert_eq!(browser.profile_status().await, 200);
    browser.cookie = String::new();
    let response_without_cookie = browser.send("GET", "/refresh", &SAME_ORIGIN, &Value::Null).await;
    assert_eq!(response_without_cookie.status_and_code(), (401, "no_saved_token".into()));
}

async fn a_confirmation_renews_the_cookie(dialect: Dialect) {
    let mut browser = Browser::with_session(dialect).await;
    browser.panel.execute(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await;
    let confirm_body = json!({ "password": PASSWORD });
    let wrong_response =
        browser.send("POST", "/api/v1/profile/confirm", &SAME_ORIGIN, &json!({ "password": "wrong" })).await;
    assert!(wrong_response.status == 422 && !wrong_response.headers.contains_key("set-cookie"));
    let response = browser.send("POST", "/api/v1/profile/confirm", &SAME_ORIGIN, &confirm_body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert!(!response.headers.contains_key("authorization"));
    let old_cookie = std::mem::replace(&mut browser.cookie, parse_cookie(&response.headers).0);
    assert_ne!(old_cookie, browser.cookie);
    let sessions_path = "/api/v1/profile/sessions";
    let response = browser.send("DELETE", sessions_path, &SAME_ORIGIN, &Value::Null).await;
    assert_eq!(
        response.status_and_code(),
        (409, "no_sessions".into()),
        "the request must count as confirmed, and only one session exists"
    );
    // The old token still works for 30 seconds, because other tabs use it, but it is not confirmed.
    let confirmed_cookie = std::mem::replace(&mut browser.cookie, old_cookie);
    assert_eq!(browser.profile_status().await, 200);
    let rejection = browser.send("DELETE", sessions_path, &SAME_ORIGIN, &Value::Null).await;
    assert_eq!(rejection.status_and_code(), (403, "confirmation_required".into()));
    browser.panel.clock.advance_secs(31);
    browser.cookie = confirmed_cookie;
    assert_eq!(browser.profile_status().await, 200);

    let program_token = browser.panel.login("anna@panel.test", PASSWORD).await.session_token();
    let path = "/api/v1/profile/confirm";
    let program_response =
        browser.panel.request_from("203.0.113.7", Some(&program_token), "POST", path, &confirm_body).await;
    assert!(
        program_response.status == 200 && !program_response.headers.contains_key("authorization"),
        "the confirmation of a program must not change its token"
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
    let response = browser.send("POST", "/login", &headers, &body).await;
    let (name_and_value, attributes) = parse_cookie(&response.headers);
    assert!(name_and_value.starts_with("__Host-panel_session=pnl_"), "{name_and_value}");
    assert_eq!(attributes, "Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=604800");
    browser.cookie = name_and_value;
    let refresh_response =
        browser.send("GET", "/refresh", &[("host", "panel.example.com")], &Value::Null).await;
    assert!(parse_cookie(&refresh_response.headers).0.starts_with("__Host-panel_session=pnl_"));
}

async fn another_site_cannot_use_the_cookie(dialect: Dialect) {
    let browser = Browser::with_session(dialect).await;
    let roles_path = "/api/v1/admin/roles";
    let role_body = json!({ "name": "Made by another site", "permissions": ["view orders"] });
    let host = SAME_ORIGIN[0];
    for origin_header in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "none"),
        ("origin", "http://evil.example"),
        ("origin", "http://127.0.0.1:8081"),
        ("origin", "null"),
        ("accept", "*/*"),
    ] {
        let response = browser.send("POST", roles_path, &[host, origin_header], &role_body).await;
        assert_eq!(response.status_and_code(), (403, "cross_site_request".into()), "{origin_header:?}");
    }
    let read_response =
        browser.send("GET", roles_path, &[host, ("sec-fetch-site", "same-site")], &Value::Null).await;
    assert_eq!(read_response.status_and_code(), (403, "cross_site_request".into()));
    let count_rows_sql = Sql::new("SELECT count(*) FROM roles WHERE name = 'Made by another site'");
    assert_eq!(browser.panel.fetch_number(count_rows_sql).await, 0);
    let sign_out_response =
        browser.send("POST", "/logout", &[host, ("sec-fetch-site", "cross-site")], &Value::Null).await;
    assert_eq!((sign_out_response.status.as_u16(), browser.profile_status().await), (403, 200));
    let body = json!({ "email": "anna@panel.test", "password": PASSWORD });
    let headers = [host, ("x-panel-session", "cookie"), ("sec-fetch-site", "cross-site")];
    assert_eq!(
        browser.send("POST", "/login", &headers, &body).await.status_and_code().1,
        "cross_site_request"
    );
    let same_origin_headers = [host, ("origin", "http://127.0.0.1:8080")];
    assert_eq!(
        browser.send("POST", roles_path, &same_origin_headers, &role_body).await.status,
        200,
        "a browser without fetch metadata must be accepted"
    );
    // Requests with a bearer token are not checked, because a browser never adds the token automatically.
    let token = browser.panel.login("anna@panel.test", PASSWORD).await.session_token();
    let authorization = format!("Bearer {token}");
    let program_headers = [("authorization", authorization.as_str()), ("sec-fetch-site", "cross-site")];
    assert_eq!(browser.send("GET", roles_path, &program_headers, &Value::Null).await.status, 200);
}

async fn a_new_sign_in_ends_the_former_session_of_the_browser(dialect: Dialect) {
    let mut browser = Browser::with_session(dialect).await;
    let program_token = browser.panel.login("anna@panel.test", PASSWORD).await.session_token();
    let first_cookie = browser.cookie.clone();
    let new_cookie = parse_cookie(&browser.sign_in().await.headers).0;
    assert_eq!(browser.profile_status().await, 401, "the former session of the browser must end");
    browser.cookie = new_cookie;
    assert_eq!(browser.profile_status().await, 200);
    assert_ne!(first_cookie, browser.cookie);
    assert_eq!(
        browser.panel.profile_status(&program_token).await.0,
        200,
        "the session of the program must stay valid"
    );
}

async fn a_sign_out_clears_the_data_of_the_browser(dialect: Dialect) {
    let browser = Browser::with_session(dialect).await;
    let sign_out_response = browser.send("POST", "/logout", &SAME_ORIGIN, &Value::Null).await;
    assert_eq!(sign_out_response.status, 204, "{}", sign_out_response.text);
    assert_eq!(sign_out_response.headers["clear-site-data"], "\"cache\", \"cookies\", \"storage\"");
    let cleared_cookie =
        ("panel_session=".to_owned(), "Path=/; HttpOnly; SameSite=Strict; Max-Age=0".to_owned());
    assert_eq!(parse_cookie(&sign_out_response.headers), cleared_cookie);
    assert_eq!(browser.profile_status().await, 401);
    let token = browser.panel.login("anna@panel.test", PASSWORD).await.session_token();
    let program_response =
        browser.panel.request_from("203.0.113.7", Some(&token), "POST", "/logout", &Value::Null).await;
    assert!(!program_response.headers.contains_key("clear-site-data"));
}

async fn the_cookie_cannot_be_exchanged_for_a_bearer_token(dialect: Dialect) {
    let browser = Browser::with_session(dialect).await;
    let code_response = browser.send("POST", "/api/v1/admin/handoff-codes", &SAME_ORIGIN, &Value::Null).await;
    assert_eq!(code_response.status_and_code(), (403, "bearer_required".into()));
    let refresh_response = browser.send("GET", "/refresh", &SAME_ORIGIN, &Value::Null).await;
    assert!(!refresh_response.headers.contains_key("authorization"));
}

async fn the_realtime_channel_accepts_the_cookie(dialect: Dialect) {
    let browser = Browser::with_session(dialect).await;
    let body = json!({ "socket_id": "1.2", "channel_name": "private-admin" });
    let auth_response = browser.send("POST", "/broadcasting/auth", &SAME_ORIGIN, &body).await;
    assert_eq!(auth_response.status, 200, "{}", auth_response.text);
    let other_origin_headers = [SAME_ORIGIN[0], ("origin", "http://evil.example")];
    assert_eq!(browser.send("POST", "/broadcasting/auth", &other_origin_headers, &body).await.status, 403);
}
