//! The own profile: name, language and time zone, their validation, and where a change shows.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    a_user_changes_name_language_and_time_zone;
    refuses_an_invalid_profile_and_names_the_fields;
    refuses_to_overwrite_a_profile_that_changed_meanwhile;
}

const ANNA_EMAIL: &str = "anna@panel.test";
const PROFILE: &str = "/api/v1/profile";

impl Panel {
    async fn patch_profile(&self, token: &str, body: &Value) -> Answer {
        self.call("203.0.113.7", Some(token), "PATCH", PROFILE, body).await
    }

    async fn profile(&self, token: &str) -> Value {
        self.call("203.0.113.7", Some(token), "GET", PROFILE, &Value::Null).await.json()["data"].clone()
    }
}

async fn panel_with_anna(dialect: Dialect) -> (Panel, String) {
    let panel = Panel::on(dialect).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA_EMAIL, PASSWORD).await.token();
    (panel, token)
}

async fn a_user_changes_name_language_and_time_zone(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let before = panel.profile(&token).await;
    assert_eq!((&before["locale"], &before["time_zone"]), (&Value::Null, &Value::Null));
    panel.clock.advance_secs(1);
    let body = json!({ "name": " Anna Berg ", "locale": "pt_BR", "time_zone": "america/sao_paulo", "updated_at": before["updated_at"] });
    let dry_run = panel.call("203.0.113.7", Some(&token), "PATCH", "/api/v1/profile?dry_run=1", &body).await;
    assert_eq!(dry_run.json()["data"]["name"], "Anna Berg", "{}", dry_run.text);
    assert_eq!(panel.profile(&token).await, before, "a dry run changes nothing");
    let changed = panel.patch_profile(&token, &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let after = panel.profile(&token).await;
    assert_eq!(changed.json()["data"], after);
    assert_eq!(
        (&after["name"], &after["locale"], &after["time_zone"]),
        (&json!("Anna Berg"), &json!("pt_BR"), &json!("America/Sao_Paulo"))
    );
    // The response of every sign-in has the new language, and cached sessions have the new name.
    let signed_in = panel.login(ANNA_EMAIL, PASSWORD).await.json();
    assert_eq!(
        (&signed_in["user"]["locale"], &signed_in["user"]["name"]),
        (&json!("pt_BR"), &json!("Anna Berg"))
    );
    assert_eq!(panel.refresh(&token).await.json()["user"]["time_zone"], "America/Sao_Paulo");
    let sql = Sql::new("SELECT old_values, new_values FROM audits WHERE event = 'user.updated'");
    let (old, new): (String, String) = (&mut &panel.app.db).fetch_one(sql).await.unwrap();
    assert!(
        old.contains("Somebody") && new.contains("America/Sao_Paulo") && new.contains("pt_BR"),
        "{old} {new}"
    );
    // Null clears a field, an omitted field is unchanged, and a request without a change writes no audit entry.
    let cleared = panel.patch_profile(&token, &json!({ "locale": null })).await.json()["data"].clone();
    assert_eq!((&cleared["locale"], &cleared["time_zone"]), (&Value::Null, &json!("America/Sao_Paulo")));
    assert_eq!(panel.patch_profile(&token, &json!({ "locale": null })).await.status, 200);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = 'user.updated'")).await, 2);
}

async fn refuses_an_invalid_profile_and_names_the_fields(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    for (body, fields) in [
        (json!({ "name": " " }), vec!["name"]),
        (json!({ "name": "x".repeat(101), "time_zone": "Mars/Olympus" }), vec!["name", "time_zone"]),
        (json!({ "locale": "xx" }), vec!["locale"]),
        (json!({ "email": "other@panel.test" }), vec!["email"]),
    ] {
        let answer = panel.patch_profile(&token, &body).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        let errors = answer.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), fields, "{body}");
    }
    assert_eq!(panel.profile(&token).await["name"], "Somebody");
    assert_eq!(
        panel.call("203.0.113.7", None, "PATCH", PROFILE, &json!({ "name": "Eve" })).await.status,
        401
    );
}

async fn refuses_to_overwrite_a_profile_that_changed_meanwhile(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let loaded = panel.profile(&token).await;
    panel.clock.advance_secs(1);
    assert_eq!(panel.patch_profile(&token, &json!({ "locale": "de" })).await.status, 200);
    let outdated = json!({ "locale": "fr", "updated_at": loaded["updated_at"] });
    assert_eq!(
        panel.patch_profile(&token, &outdated).await.status_and_code(),
        (409, "changed_meanwhile".into())
    );
    assert_eq!(panel.profile(&token).await["locale"], "de");
}
