//! The first-time setup: a token creates exactly one owner. Further owners are created on the command line.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::auth::setup;
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    the_setup_creates_the_owner_only_once;
    the_setup_can_require_a_second_factor;
    errors_of_the_setup_name_the_wrong_field;
    of_concurrent_setups_one_succeeds;
    the_answer_with_a_token_is_not_replayed;
    the_command_line_creates_owners;
}

/// A panel without users, as before the setup.
async fn panel_without_users(dialect: Dialect) -> Panel {
    let panel = Panel::on(dialect).await;
    for sql in ["DELETE FROM sessions", "DELETE FROM user_permissions", "DELETE FROM users"] {
        panel.execute(Sql::new(sql)).await;
    }
    panel
}

fn setup_body(token: &str, email: &str) -> Value {
    json!({ "token": token, "panel_name": " Anna's panel ", "name": "Anna", "email": email, "password": PASSWORD })
}

impl Panel {
    async fn post_setup(&self, body: &Value) -> Answer {
        self.call("203.0.113.7", None, "POST", "/setup", body).await
    }

    async fn public_settings(&self) -> Value {
        self.call("203.0.113.7", None, "GET", "/settings", &Value::Null).await.json()["data"].clone()
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
    assert_eq!(panel.public_settings().await["needs_setup"], true);
    assert_eq!(
        panel.post_setup(&setup_body(&old_token, "anna@panel.test")).await.status,
        409,
        "a newer token replaced it"
    );
    let answer = panel.post_setup(&setup_body(&token, " Anna@Panel.test ")).await;
    let body = answer.json();
    assert_eq!(body["user"]["email"], "anna@panel.test");
    assert_eq!(body["user"]["roles"][0]["name"], "Owner");
    assert_eq!(body["user"]["allPermissions"].as_array().unwrap().len(), Permission::ALL.len());
    assert_eq!(panel.who_am_i(&answer.token()).await.0, 200);
    let public = panel.public_settings().await;
    assert_eq!((&public["needs_setup"], &public["panel_name"]), (&json!(false), &json!("Anna's panel")));
    panel.login("anna@panel.test", PASSWORD).await.token();
    for token in [token.as_str(), "", "guess"] {
        assert_eq!(panel.post_setup(&setup_body(token, "eve@panel.test")).await.status, 409);
    }
    assert!(setup::create_setup_token(&panel.app).await.unwrap().is_none());
    let (event, new): (String, String) =
        (&mut &panel.app.db).fetch_one(Sql::new("SELECT event, new_values FROM audits")).await.unwrap();
    assert!(event == "panel.set_up" && !new.contains(PASSWORD) && !new.contains("argon2"), "{new}");
}

async fn the_setup_can_require_a_second_factor(dialect: Dialect) {
    let panel = panel_without_users(dialect).await;
    let token = setup::create_setup_token(&panel.app).await.unwrap().unwrap();
    let mut body = setup_body(&token, "anna@panel.test");
    body["require_second_factor"] = json!(true);
    let answer = panel.post_setup(&body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let token = answer.token();
    let call = async |path: &str| panel.call("203.0.113.7", Some(&token), "GET", path, &Value::Null).await;
    assert_eq!(call("/api/v1/profile").await.json()["data"]["must_enrol_second_factor"], true);
    assert_eq!(call("/api/v1/admin/orders").await.status_and_code(), (403, "second_factor_required".into()));
}

async fn errors_of_the_setup_name_the_wrong_field(dialect: Dialect) {
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
        let answer = panel.post_setup(&body).await;
        assert_eq!(answer.status, 422, "{field}: {}", answer.text);
        assert!(answer.json()["errors"][field][0].is_string(), "{field}: {}", answer.text);
    }
    // A refused setup does not consume the token.
    panel.post_setup(&setup_body(&token, "anna@panel.test")).await.token();
}

async fn of_concurrent_setups_one_succeeds(dialect: Dialect) {
    let panel = panel_without_users(dialect).await;
    let token = setup::create_setup_token(&panel.app).await.unwrap().unwrap();
    let bodies: Vec<Value> = (0..4).map(|n| setup_body(&token, &format!("owner{n}@panel.test"))).collect();
    let answers = futures_util::future::join_all(bodies.iter().map(|body| panel.post_setup(body))).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409]);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM users")).await, 1);
}

async fn the_answer_with_a_token_is_not_replayed(dialect: Dialect) {
    let panel = panel_without_users(dialect).await;
    let token = setup::create_setup_token(&panel.app).await.unwrap().unwrap();
    let body = setup_body(&token, "anna@panel.test");
    let first = panel.send("guest", "POST", "/setup", &body, Some("key")).await;
    first.token();
    let replayed = panel.send("guest", "POST", "/setup", &body, Some("key")).await;
    assert_eq!(replayed.status_and_code(), (409, "already_set_up".into()));
    assert!(!replayed.headers.contains_key("idempotent-replayed"));
}

async fn the_command_line_creates_owners(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let create =
        async |email: &str, password: &str| setup::create_admin(&panel.app, "Anna", email, password).await;
    assert!(create("anna@panel.test", "short").await.unwrap_err().contains("8 to 256"));
    create(" Anna@panel.test ", PASSWORD).await.unwrap();
    assert!(create("anna@panel.test", PASSWORD).await.unwrap_err().contains("has this email address"));
    create("bert@panel.test", PASSWORD).await.unwrap();
    let answer = panel.login("bert@panel.test", PASSWORD).await;
    assert_eq!(answer.json()["user"]["allPermissions"].as_array().unwrap().len(), Permission::ALL.len());
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM roles WHERE name = 'Owner'")).await, 1);
    let audits = Sql::new("SELECT count(*) FROM audits WHERE event = 'user.created' AND user_id IS NULL");
    assert_eq!(panel.number(audits).await, 2);
}
