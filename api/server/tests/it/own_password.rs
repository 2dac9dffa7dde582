//! A user changes their own password: validation, throttling, and the sessions that end.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    a_changed_password_ends_the_other_sessions;
    rejects_an_invalid_new_password_and_names_the_field;
    a_caller_can_guess_the_current_password_five_times;
    one_of_two_concurrent_password_changes_succeeds;
}

const ANNA_EMAIL: &str = "anna@panel.test";
const NEW_PASSWORD: &str = "lamps rain over violet";

impl Panel {
    async fn change_password(&self, token: &str, current_password: &str, new_password: &str) -> TestResponse {
        let body = json!({ "current_password": current_password, "password": new_password });
        self.request_from("203.0.113.7", Some(token), "POST", "/api/v1/profile/password", &body).await
    }
}

async fn panel_with_anna(dialect: Dialect) -> (Panel, String) {
    let panel = Panel::start(dialect).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    (panel, token)
}

async fn a_changed_password_ends_the_other_sessions(dialect: Dialect) {
    let (panel, first_token) = panel_with_anna(dialect).await;
    let other_token = panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    // The session that changes the password continues, also with a refreshed token.
    let token = panel.refresh_session(&first_token).await.session_token();
    let change_response = panel.change_password(&token, PASSWORD, NEW_PASSWORD).await;
    assert_eq!(change_response.status, 204, "{}", change_response.text);
    assert_eq!(panel.profile_status(&token).await.0, 200);
    assert_eq!(panel.profile_status(&other_token).await, (401, "token_ended".into()));
    assert_eq!(panel.get("/api/v1/profile").await.status, 200, "sessions of other users must continue");
    assert_eq!(panel.login(ANNA_EMAIL, PASSWORD).await.status, 422);
    panel.login(ANNA_EMAIL, NEW_PASSWORD).await.session_token();
    let sql = Sql::new("SELECT new_values FROM audits WHERE event = 'user.password_changed'");
    let (new_values,): (String,) = (&mut &panel.app.db).fetch_one(sql).await.unwrap();
    assert!(new_values.contains("changed") && !new_values.contains(NEW_PASSWORD), "{new_values}");
    let sql = Sql::new("SELECT payload FROM jobs WHERE kind = 'mail'");
    let (email,): (String,) = (&mut &panel.app.db).fetch_one(sql).await.unwrap();
    assert!(
        email.contains(ANNA_EMAIL) && email.contains("203.0.113.7") && !email.contains(NEW_PASSWORD),
        "{email}"
    );
}

async fn rejects_an_invalid_new_password_and_names_the_field(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let other_token = panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    for (current_password, new_password, field) in [
        ("wrong", NEW_PASSWORD, "current_password"),
        ("", NEW_PASSWORD, "current_password"),
        (PASSWORD, "short", "password"),
        (PASSWORD, "Football123", "password"),
        (PASSWORD, "Anna-2026-panel", "password"),
        (PASSWORD, PASSWORD, "password"),
    ] {
        let response = panel.change_password(&token, current_password, new_password).await;
        let errors = response.json()["errors"].clone();
        assert_eq!(response.status, 422, "{current_password} {new_password}: {}", response.text);
        assert_eq!(
            errors.as_object().unwrap().keys().collect::<Vec<_>>(),
            [field],
            "{current_password} {new_password}"
        );
    }
    assert_eq!(
        panel
            .request_from("203.0.113.7", None, "POST", "/api/v1/profile/password", &Value::Null)
            .await
            .status,
        401
    );
    assert_eq!(panel.profile_status(&other_token).await.0, 200, "a rejected request must not end a session");
    // A dry run does not change the password.
    let body = json!({ "current_password": PASSWORD, "password": NEW_PASSWORD });
    let path = "/api/v1/profile/password?dry_run=1";
    assert_eq!(panel.request_from("203.0.113.7", Some(&token), "POST", path, &body).await.status, 204);
    panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail'")).await, 0);
}

async fn a_caller_can_guess_the_current_password_five_times(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let guesses: Vec<String> = (0..15).map(|n| format!("guess number {n}")).collect();
    let responses = futures_util::future::join_all(
        guesses.iter().map(|guess| panel.change_password(&token, guess, NEW_PASSWORD)),
    )
    .await;
    assert_eq!(
        responses.iter().filter(|response| response.status_and_code().1 == "wrong_password").count(),
        5
    );
    assert_eq!(
        responses
            .iter()
            .filter(|response| response.status_and_code().0 == 429 && response.retry_after_secs() > 0)
            .count(),
        10
    );
    assert_eq!(panel.change_password(&token, PASSWORD, NEW_PASSWORD).await.status_and_code().0, 429);
    // Sign-in has separate counters, and the throttling of the password change ends.
    panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    panel.clock.advance_secs(61);
    assert_eq!(panel.change_password(&token, PASSWORD, NEW_PASSWORD).await.status, 204);
}

async fn one_of_two_concurrent_password_changes_succeeds(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let change_requests = ["lamps rain over violet", "seven quiet river stones"]
        .map(|new_password| panel.change_password(&token, PASSWORD, new_password));
    let responses = futures_util::future::join_all(change_requests).await;
    let mut statuses: Vec<u16> = responses.iter().map(|response| response.status.as_u16()).collect();
    statuses.sort_unstable();
    // The second request fails with 422 if it checks its current password after the first change, else with 409.
    assert!(statuses == [204, 409] || statuses == [204, 422], "{statuses:?}");
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail'")).await, 1);
}
