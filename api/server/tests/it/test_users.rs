//! Users with passwords, and their requests from an IP address, with or without a session token.

use std::net::{IpAddr, SocketAddr};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, header};
use panel_contract::permission::Permission;
use panel_platform::db::Sql;
use serde_json::{Value, json};

use crate::panel::{NOW, Panel, TestResponse};

pub(crate) const PASSWORD: &str = "four words and some";

impl TestResponse {
    /// The session token in the `Authorization` header of a successful sign-in.
    pub(crate) fn session_token(&self) -> String {
        assert_eq!(self.status, 200, "{}", self.text);
        let value = self.headers[header::AUTHORIZATION].to_str().unwrap();
        let token = value.strip_prefix("Bearer ").unwrap();
        assert!(token.starts_with("pnl_") && token.len() == 47, "{token}");
        token.to_owned()
    }

    /// The HTTP status, and the `code` of the error body. The code is empty for a success.
    pub(crate) fn status_and_code(&self) -> (u16, String) {
        let body = serde_json::from_str::<Value>(&self.text).unwrap_or_default();
        (self.status.as_u16(), body["code"].as_str().unwrap_or_default().to_owned())
    }

    /// Whole seconds of the `Retry-After` header.
    pub(crate) fn retry_after_secs(&self) -> i64 {
        self.headers[header::RETRY_AFTER].to_str().unwrap().parse().unwrap()
    }
}

impl Panel {
    /// Creates a user who may sign in with [`PASSWORD`]. Returns the id.
    pub(crate) async fn create_user(&self, email: &str, permissions: &[Permission]) -> i64 {
        let hash = self.app.passwords.hash(PASSWORD).await.unwrap();
        let sql = Sql::new(
            "INSERT INTO users (name, email, password_hash, created_at, updated_at) VALUES ('Somebody', ?, ?, ?, ?)",
        );
        self.execute(sql.bind(email).bind(hash).bind(NOW).bind(NOW)).await;
        let id = self.fetch_number(Sql::new("SELECT id FROM users WHERE email = ?").bind(email)).await;
        for permission in permissions {
            let sql = Sql::new("INSERT INTO user_permissions (user_id, permission) VALUES (?, ?)");
            self.execute(sql.bind(id).bind(permission.as_str())).await;
        }
        id
    }

    /// Sends a request from an IP address, with or without a session token. If `body` is `null`, the request has no body.
    pub(crate) async fn request_from(
        &self,
        ip_address: &str,
        token: Option<&str>,
        method: &str,
        path: &str,
        body: &Value,
    ) -> TestResponse {
        let client_address = SocketAddr::new(ip_address.parse::<IpAddr>().unwrap(), 4_711);
        let mut request = Request::builder().method(method).uri(path).extension(ConnectInfo(client_address));
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = match body {
            Value::Null => Body::empty(),
            body => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Body::from(body.to_string())
            }
        };
        self.send_request(request.body(body).unwrap()).await
    }

    /// Tries to sign in from an IP address.
    pub(crate) async fn login_from(&self, ip_address: &str, email: &str, password: &str) -> TestResponse {
        let body = json!({ "email": email, "password": password });
        self.request_from(ip_address, None, "POST", "/login", &body).await
    }

    pub(crate) async fn login(&self, email: &str, password: &str) -> TestResponse {
        self.login_from("203.0.113.7", email, password).await
    }

    pub(crate) async fn refresh_session(&self, token: &str) -> TestResponse {
        self.request_from("203.0.113.7", Some(token), "GET", "/refresh", &Value::Null).await
    }

    /// Status and error code of a request for the profile. They show whether the session is still valid.
    pub(crate) async fn profile_status(&self, token: &str) -> (u16, String) {
        self.request_from("203.0.113.7", Some(token), "GET", "/api/v1/profile", &Value::Null)
            .await
            .status_and_code()
    }
}
