//! One's own profile: name, language and time zone, what is refused, and who sees the change.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    a_person_sets_name_language_and_time_zone;
    what_is_wrong_with_a_profile_is_named;
    a_profile_that_changed_meanwhile_stays;
}

const ANNA: &str = "anna@panel.test";
const PROFILE: &str = "/api/v1/profile";

impl Panel {
    async fn patch_profile(&self, token: &str, body: &Value) -> Answer {
        self.call("203.0.113.7", Some(token), "PATCH", PROFILE, body).await
    }

    async fn profile(&self, token: &str) -> Value {
        self.call("203.0.113.7", Some(token), "GET", PROFILE, &Value::Null).await.json()["data"].clone()
    }
}

async fn anna(dialect: Dialect) -> (Panel, String) {
    let panel = Panel::on(dialect).await;
    panel.person(ANNA, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA, PASSWORD).await.token();
    (panel, token)
}

async fn a_person_sets_name_language_and_time_zone(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    let before = panel.profile(&token).await;
    assert_eq!((&before["locale"], &before["time_zone"]), (&Value::Null, &Value::Null));
    panel.clock.advance_secs(1);
    let body = json!({ "name": " Anna Berg ", "locale": "pt_BR", "time_zone": "america/sao_paulo", "updated_at": before["updated_at"] });
    let tried = panel.call("203.0.113.7", Some(&token), "PATCH", "/api/v1/profile?dry_run=1", &body).await;
    assert_eq!(tried.json()["data"]["name"], "Anna Berg", "{}", tried.text);
    assert_eq!(panel.profile(&token).await, before, "a dry run changes nothing");
    let changed = panel.patch_profile(&token, &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let after = panel.profile(&token).await;
    assert_eq!(changed.json()["data"], after);
    assert_eq!(
        (&after["name"], &after["locale"], &after["time_zone"]),
        (&json!("Anna Berg"), &json!("pt_BR"), &json!("America/Sao_Paulo"))
    );
    // Every way to sign in tells the language, and the name is new in sessions that are remembered.
    let signed_in = panel.login(ANNA, PASSWORD).await.json();
    assert_eq!(
        (&signed_in["user"]["locale"], &signed_in["user"]["name"]),
        (&json!("pt_BR"), &json!("Anna Berg"))
    );
    assert_eq!(panel.refresh(&token).await.json()["user"]["time_zone"], "America/Sao_Paulo");
    let sql = Sql::new("SELECT old_values, new_values FROM audits WHERE event = 'user.updated'");
    let (old, new): (String, String) = (&mut &panel.app.db).one(sql).await.unwrap();
    assert!(
        old.contains("Somebody") && new.contains("America/Sao_Paulo") && new.contains("pt_BR"),
        "{old} {new}"
    );
    // Null clears, what is left out stays, and a save without a change leaves no trace.
    let cleared = panel.patch_profile(&token, &json!({ "locale": null })).await.json()["data"].clone();
    assert_eq!((&cleared["locale"], &cleared["time_zone"]), (&Value::Null, &json!("America/Sao_Paulo")));
    assert_eq!(panel.patch_profile(&token, &json!({ "locale": null })).await.status, 200);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = 'user.updated'")).await, 2);
}

async fn what_is_wrong_with_a_profile_is_named(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
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

async fn a_profile_that_changed_meanwhile_stays(dialect: Dialect) {
    let (panel, token) = anna(dialect).await;
    let read = panel.profile(&token).await;
    panel.clock.advance_secs(1);
    assert_eq!(panel.patch_profile(&token, &json!({ "locale": "de" })).await.status, 200);
    let late = json!({ "locale": "fr", "updated_at": read["updated_at"] });
    assert_eq!(panel.patch_profile(&token, &late).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.profile(&token).await["locale"], "de");
}
