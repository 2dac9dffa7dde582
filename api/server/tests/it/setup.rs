//! The first-time setup: a token creates exactly one owner. Further owners are created on the command line.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_server::auth::setup;
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    the_setup_creates_the_owner_only_once;
    the_setup_can_require_a_second_factor;
    the_error_names_the_invalid_field_of_the_setup;
    one_of_several_concurrent_setups_succeeds;
    the_response_with_a_token_is_not_replayed;
    the_command_line_creates_owners;
}

/// A panel without users, like a panel before the setup.
async fn panel_without_users(dialect: Dialect) -> Panel {
    let panel = Panel::start(dialect).await;
    for sql in ["DELETE FROM sessions", "DELETE FROM user_permissions", "DELETE FROM users"] {
        panel.execute(Sql::new(sql)).await;
    }
    panel
}

fn setup_body(token: &str, email: &str) -> Value {
    json!({ "token": token, "panel_name": " Anna's panel ", "name": "Anna", "email": email, "password": PASSWORD })
}

impl Panel {
    async fn post_setup(&self, body: &Value) -> TestResponse {
        self.request_from("203.0.113.7", None, "POST", "/setup", body).await
    }

    async fn fetch_public_settings(&self) -> Value {
        self.request_from("203.0.113.7", None, "GET", "/settings", &Value::Null).await.json()["data"].clone()
    }
}

async fn the_setup_creates_the_owner_only_once(dialect: Dialect) {
    let panel = panel_without_users(dialect).await;
    assert_eq!(
        panel.post_setup(&setup_body("guess", "anna@panel.test")).await.status_and_code(),
        (409, "already_set_up".into())
    );
    let old_token = setup::create_setup_token(&panel.app).await.unwrap().unwrap();
    let token = setup::create_setup_token(&panel.app).await.unwrap().unwrap();
    assert_eq!(panel.fetch_public_settings().await["needs_setup"], true);
    assert_eq!(
        panel.post_setup(&setup_body(&old_token, "anna@panel.test")).await.status,
        409,
        "a newer token must replace the old one"
    );
    let response = panel.post_setup(&setup_body(&token, " Anna@Panel.test ")).await;
    let body = response.json();
    assert_eq!(body["user"]["email"], "anna@panel.test");
    assert_eq!(body["user"]["roles"][0]["name"], "Owner");
    assert_eq!(body["user"]["allPermissions"].as_array().unwrap().len(), Permission::ALL.len());
    assert_eq!(panel.profile_status(&response.session_token()).await.0, 200);
    let public_settings = panel.fetch_public_settings().await;
    assert_eq!(
        (&public_settings["needs_setup"], &public_settings["panel_name"]),
        (&json!(false), &json!("Anna's panel"))
    );
    panel.login("anna@panel.test", PASSWORD).await.session_token();
    for token in [token.as_str(), "", "guess"] {
        assert_eq!(panel.post_setup(&setup_body(token, "eve@panel.test")).await.status, 409);
    }
    assert!(setup::create_setup_token(&panel.app).await.unwrap().is_none());
    let (event, new_values): (String, String) =
        (&mut &panel.app.db).fetch_one(Sql::new("SELECT event, new_values FROM audits")).await.unwrap();
    assert!(
        event == "panel.set_up" && !new_values.contains(PASSWORD) && !new_values.contains("argon2"),
        "{new_values}"
    );
}

async fn the_setup_can_require_a_second_factor(dialect: Dialect) {
    let panel = panel_without_users(dialect).await;
    let token = setup::create_setup_token(&panel.app).await.unwrap().unwrap();
    let mut body = setup_body(&token, "anna@panel.test");
    body["require_second_factor"] = json!(true);
    let response = panel.post_setup(&body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let token = response.session_token();
    let get_with_token =
        async |path: &str| panel.request_from("203.0.113.7", Some(&token), "GET", path, &Value::Null).await;
    assert_eq!(get_with_token("/api/v1/profile").await.json()["data"]["must_enrol_second_factor"], true);
    assert_eq!(
        get_with_token("/api/v1/admin/orders").await.status_and_code(),
        (403, "second_factor_required".into())
    );
}

async fn the_error_names_the_invalid_field_of_the_setup(dialect: Dialect) {
    let panel = panel_without_users(dialect).await;
    let token = setup::create_setup_token(&panel.app).await.unwrap().unwrap();
    for (field, value) in [
        ("password", "short"),
        ("password", "Football123"),
        ("password", "AnnasPanel2026"),
        ("password", "password1"),
        ("email", "no address"),
        ("name", " "),
        ("panel_name", ""),
    ] {
        let mut body = setup_body(&token, "anna@panel.test");
        body[field] = json!(value);
        let response = panel.post_setup(&body).await;
        assert_eq!(response.status, 422, "{field}: {}", response.text);
        assert!(response.json()["errors"][field][0].is_string(), "{field}: {}", response.text);
    }
    // A rejected setup does not use up the token.
    panel.post_setup(&setup_body(&token, "anna@panel.test")).await.session_token();
}

async fn one_of_several_concurrent_setups_succeeds(dialect: Dialect) {
    let panel = panel_without_users(dialect).await;
    let token = setup::create_setup_token(&panel.app).await.unwrap().unwrap();
    let bodies: Vec<Value> =
        (0..4).map(|number| setup_body(&token, &format!("owner{number}@panel.test"))).collect();
    let responses = futures_util::future::join_all(bodies.iter().map(|body| panel.post_setup(body))).await;
    let mut statuses: Vec<u16> = responses.iter().map(|response| response.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409]);
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM users")).await, 1);
}

async fn the_response_with_a_token_is_not_replayed(dialect: Dialect) {
    let panel = panel_without_users(dialect).await;
    let token = setup::create_setup_token(&panel.app).await.unwrap().unwrap();
    let body = setup_body(&token, "anna@panel.test");
    let first_response = panel.send("guest", "POST", "/setup", &body, Some("key")).await;
    first_response.session_token();
    let replay_response = panel.send("guest", "POST", "/setup", &body, Some("key")).await;
    assert_eq!(replay_response.status_and_code(), (409, "already_set_up".into()));
    assert!(!replay_response.headers.contains_key("idempotent-replayed"));
}

async fn the_command_line_creates_owners(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let create_owner =
        async |email: &str, password: &str| setup::create_admin(&panel.app, "Anna", email, password).await;
    assert!(create_owner("anna@panel.test", "short").await.unwrap_err().contains("8 to 256"));
    create_owner(" Anna@panel.test ", PASSWORD).await.unwrap();
    assert!(create_owner("anna@panel.test", PASSWORD).await.unwrap_err().contains("has this email address"));
    create_owner("bert@panel.test", PASSWORD).await.unwrap();
    let response = panel.login("bert@panel.test", PASSWORD).await;
    assert_eq!(response.json()["user"]["allPermissions"].as_array().unwrap().len(), Permission::ALL.len());
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM roles WHERE name = 'Owner'")).await, 1);
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'user.created' AND user_id IS NULL");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 2);
}
