//! Changing the own password: validation, throttling, and the sessions that end.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    a_changed_password_ends_the_other_sessions;
    refuses_an_invalid_new_password_and_names_the_field;
    the_current_password_can_be_guessed_five_times;
    one_of_two_concurrent_password_changes_succeeds;
}

const ANNA_EMAIL: &str = "anna@panel.test";
const NEW_PASSWORD: &str = "lamps rain over violet";

impl Panel {
    async fn change_password(&self, token: &str, current: &str, new: &str) -> Answer {
        let body = json!({ "current_password": current, "password": new });
        self.call("203.0.113.7", Some(token), "POST", "/api/v1/profile/password", &body).await
    }
}

async fn panel_with_anna(dialect: Dialect) -> (Panel, String) {
    let panel = Panel::on(dialect).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA_EMAIL, PASSWORD).await.token();
    (panel, token)
}

async fn a_changed_password_ends_the_other_sessions(dialect: Dialect) {
    let (panel, first) = panel_with_anna(dialect).await;
    let other = panel.login(ANNA_EMAIL, PASSWORD).await.token();
    // A refreshed token belongs to the session that changes the password, which continues.
    let token = panel.refresh(&first).await.token();
    let changed = panel.change_password(&token, PASSWORD, NEW_PASSWORD).await;
    assert_eq!(changed.status, 204, "{}", changed.text);
    assert_eq!(panel.who_am_i(&token).await.0, 200);
    assert_eq!(panel.who_am_i(&other).await, (401, "token_ended".into()));
    assert_eq!(panel.get("/api/v1/profile").await.status, 200, "sessions of other users continue");
    assert_eq!(panel.login(ANNA_EMAIL, PASSWORD).await.status, 422);
    panel.login(ANNA_EMAIL, NEW_PASSWORD).await.token();
    let sql = Sql::new("SELECT new_values FROM audits WHERE event = 'user.password_changed'");
    let (new,): (String,) = (&mut &panel.app.db).fetch_one(sql).await.unwrap();
    assert!(new.contains("changed") && !new.contains(NEW_PASSWORD), "{new}");
    let sql = Sql::new("SELECT payload FROM jobs WHERE kind = 'mail'");
    let (mail,): (String,) = (&mut &panel.app.db).fetch_one(sql).await.unwrap();
    assert!(
        mail.contains(ANNA_EMAIL) && mail.contains("203.0.113.7") && !mail.contains(NEW_PASSWORD),
        "{mail}"
    );
}

async fn refuses_an_invalid_new_password_and_names_the_field(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let other = panel.login(ANNA_EMAIL, PASSWORD).await.token();
    for (current, new, field) in [
        ("wrong", NEW_PASSWORD, "current_password"),
        ("", NEW_PASSWORD, "current_password"),
        (PASSWORD, "short", "password"),
        (PASSWORD, "Football123", "password"),
        (PASSWORD, "Anna-2026-panel", "password"),
        (PASSWORD, PASSWORD, "password"),
    ] {
        let answer = panel.change_password(&token, current, new).await;
        let errors = answer.json()["errors"].clone();
        assert_eq!(answer.status, 422, "{current} {new}: {}", answer.text);
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), [field], "{current} {new}");
    }
    assert_eq!(
        panel.call("203.0.113.7", None, "POST", "/api/v1/profile/password", &Value::Null).await.status,
        401
    );
    assert_eq!(panel.who_am_i(&other).await.0, 200, "refused requests end no session");
    // A dry run changes nothing.
    let body = json!({ "current_password": PASSWORD, "password": NEW_PASSWORD });
    let path = "/api/v1/profile/password?dry_run=1";
    assert_eq!(panel.call("203.0.113.7", Some(&token), "POST", path, &body).await.status, 204);
    panel.login(ANNA_EMAIL, PASSWORD).await.token();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail'")).await, 0);
}

async fn the_current_password_can_be_guessed_five_times(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let guesses: Vec<String> = (0..15).map(|n| format!("guess number {n}")).collect();
    let answers = futures_util::future::join_all(
        guesses.iter().map(|guess| panel.change_password(&token, guess, NEW_PASSWORD)),
    )
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.status_and_code().1 == "wrong_password").count(), 5);
    assert_eq!(
        answers
            .iter()
            .filter(|answer| answer.status_and_code().0 == 429 && answer.retry_after_secs() > 0)
            .count(),
        10
    );
    assert_eq!(panel.change_password(&token, PASSWORD, NEW_PASSWORD).await.status_and_code().0, 429);
    // Sign-in has separate counters, and the throttling of the password change ends.
    panel.login(ANNA_EMAIL, PASSWORD).await.token();
    panel.clock.advance_secs(61);
    assert_eq!(panel.change_password(&token, PASSWORD, NEW_PASSWORD).await.status, 204);
}

async fn one_of_two_concurrent_password_changes_succeeds(dialect: Dialect) {
    let (panel, token) = panel_with_anna(dialect).await;
    let changes = ["lamps rain over violet", "seven quiet river stones"]
        .map(|new| panel.change_password(&token, PASSWORD, new));
    let answers = futures_util::future::join_all(changes).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    statuses.sort_unstable();
    // The second request fails with 422 if it checks its current password after the first change, else with 409.
    assert!(statuses == [204, 409] || statuses == [204, 422], "{statuses:?}");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail'")).await, 1);
}
