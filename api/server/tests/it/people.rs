//! Users with passwords, and their requests: from an IP address, with a session token or without.

use std::net::{IpAddr, SocketAddr};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, header};
use panel_contract::permission::Permission;
use panel_platform::db::Sql;
use serde_json::{Value, json};

use crate::panel::{Answer, NOW, Panel};

pub(crate) const PASSWORD: &str = "four words and some";

impl Answer {
    /// The session token in the `Authorization` header of a successful sign-in.
    pub(crate) fn token(&self) -> String {
        assert_eq!(self.status, 200, "{}", self.text);
        let value = self.headers[header::AUTHORIZATION].to_str().unwrap();
        let token = value.strip_prefix("Bearer ").unwrap();
        assert!(token.starts_with("pnl_") && token.len() == 47, "{token}");
        token.to_owned()
    }

    /// The HTTP status, and the `code` of the error body, which is empty for a success.
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
        let id = self.number(Sql::new("SELECT id FROM users WHERE email = ?").bind(email)).await;
        for permission in permissions {
            let sql = Sql::new("INSERT INTO user_permissions (user_id, permission) VALUES (?, ?)");
            self.execute(sql.bind(id).bind(permission.as_str())).await;
        }
        id
    }

    /// Sends a request from an IP address, with a session token or without; a body of `null` sends none.
    pub(crate) async fn call(
        &self,
        from: &str,
        token: Option<&str>,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Answer {
        let peer = SocketAddr::new(from.parse::<IpAddr>().unwrap(), 4_711);
        let mut request = Request::builder().method(method).uri(path).extension(ConnectInfo(peer));
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
        self.answer(request.body(body).unwrap()).await
    }

    /// Tries to sign in from an IP address.
    pub(crate) async fn login_from(&self, from: &str, email: &str, password: &str) -> Answer {
        let body = json!({ "email": email, "password": password });
        self.call(from, None, "POST", "/login", &body).await
    }

    pub(crate) async fn login(&self, email: &str, password: &str) -> Answer {
        self.login_from("203.0.113.7", email, password).await
    }

    pub(crate) async fn refresh(&self, token: &str) -> Answer {
        self.call("203.0.113.7", Some(token), "GET", "/refresh", &Value::Null).await
    }

    /// Status and error code of the profile, which show whether the session is still valid.
    pub(crate) async fn who_am_i(&self, token: &str) -> (u16, String) {
        self.call("203.0.113.7", Some(token), "GET", "/api/v1/profile", &Value::Null).await.status_and_code()
    }
}
