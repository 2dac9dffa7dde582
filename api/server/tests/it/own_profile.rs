//! A user edits their own profile: name, language and time zone, and the responses that contain a changed value.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    a_user_changes_name_language_and_time_zone;
    rejects_an_invalid_profile_and_names_the_fields;
    rejects_overwriting_a_profile_that_changed_meanwhile;
}

const ANNA_EMAIL: &str = "anna@panel.test";
const PROFILE_PATH: &str = "/api/v1/profile";

impl Panel {
    async fn patch_profile(&self, token: &str, body: &Value) -> TestResponse {
        self.request_from("203.0.113.7", Some(token), "PATCH", PROFILE_PATH, body).await
    }

    async fn fetch_profile(&self, token: &str) -> Value {
        self.request_from("203.0.113.7", Some(token), "GET", PROFILE_PATH, &Value::Null).await.json()["data"]
            .clone()
    }
}

async fn panel_with_anna(dialect: Dialect) -> (Panel, String) {
    let panel = Panel::start(dialect).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    (panel, token)
}

async fn a_user_changes_name_language_and_time_zone(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let profile_before = panel.fetch_profile(&token).await;
    assert_eq!((&profile_before["locale"], &profile_before["time_zone"]), (&Value::Null, &Value::Null));
    panel.clock.advance_secs(1);
    let body = json!({ "name": " Anna Berg ", "locale": "pt_BR", "time_zone": "america/sao_paulo", "updated_at": profile_before["updated_at"] });
    let dry_run =
        panel.request_from("203.0.113.7", Some(&token), "PATCH", "/api/v1/profile?dry_run=1", &body).await;
    assert_eq!(dry_run.json()["data"]["name"], "Anna Berg", "{}", dry_run.text);
    assert_eq!(panel.fetch_profile(&token).await, profile_before, "a dry run must not change anything");
    let patch_response = panel.patch_profile(&token, &body).await;
    assert_eq!(patch_response.status, 200, "{}", patch_response.text);
    let profile_after = panel.fetch_profile(&token).await;
    assert_eq!(patch_response.json()["data"], profile_after);
    assert_eq!(
        (&profile_after["name"], &profile_after["locale"], &profile_after["time_zone"]),
        (&json!("Anna Berg"), &json!("pt_BR"), &json!("America/Sao_Paulo"))
    );
    // The response of each later sign-in contains the new language, and cached sessions contain the new name.
    let login_body = panel.login(ANNA_EMAIL, PASSWORD).await.json();
    assert_eq!(
        (&login_body["user"]["locale"], &login_body["user"]["name"]),
        (&json!("pt_BR"), &json!("Anna Berg"))
    );
    assert_eq!(panel.refresh_session(&token).await.json()["user"]["time_zone"], "America/Sao_Paulo");
    let sql = Sql::new("SELECT old_values, new_values FROM audits WHERE event = 'user.updated'");
    let (old_values, new_values): (String, String) = (&mut &panel.app.db).fetch_one(sql).await.unwrap();
    assert!(
        old_values.contains("Somebody")
            && new_values.contains("America/Sao_Paulo")
            && new_values.contains("pt_BR"),
        "{old_values} {new_values}"
    );
    // Null clears a field, an omitted field is unchanged, and a request without a change writes no audit entry.
    let cleared_profile =
        panel.patch_profile(&token, &json!({ "locale": null })).await.json()["data"].clone();
    assert_eq!(
        (&cleared_profile["locale"], &cleared_profile["time_zone"]),
        (&Value::Null, &json!("America/Sao_Paulo"))
    );
    assert_eq!(panel.patch_profile(&token, &json!({ "locale": null })).await.status, 200);
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event = 'user.updated'")).await,
        2
    );
}

async fn rejects_an_invalid_profile_and_names_the_fields(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    for (body, fields) in [
        (json!({ "name": " " }), vec!["name"]),
        (json!({ "name": "x".repeat(101), "time_zone": "Mars/Olympus" }), vec!["name", "time_zone"]),
        (json!({ "locale": "xx" }), vec!["locale"]),
        (json!({ "email": "other@panel.test" }), vec!["email"]),
    ] {
        let response = panel.patch_profile(&token, &body).await;
        assert_eq!(response.status, 422, "{body}: {}", response.text);
        let errors = response.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), fields, "{body}");
    }
    assert_eq!(panel.fetch_profile(&token).await["name"], "Somebody");
    assert_eq!(
        panel
            .request_from("203.0.113.7", None, "PATCH", PROFILE_PATH, &json!({ "name": "Eve" }))
            .await
            .status,
        401
    );
}

async fn rejects_overwriting_a_profile_that_changed_meanwhile(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let loaded_profile = panel.fetch_profile(&token).await;
    panel.clock.advance_secs(1);
    assert_eq!(panel.patch_profile(&token, &json!({ "locale": "de" })).await.status, 200);
    let outdated_body = json!({ "locale": "fr", "updated_at": loaded_profile["updated_at"] });
    assert_eq!(
        panel.patch_profile(&token, &outdated_body).await.status_and_code(),
        (409, "changed_meanwhile".into())
    );
    assert_eq!(panel.fetch_profile(&token).await["locale"], "de");
}
