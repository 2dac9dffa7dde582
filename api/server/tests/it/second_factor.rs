//! The second factor from enrolment to reset: required proofs, one-time codes, and roles and settings that require it.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::panel::{Answer, NOW, Panel};
use crate::people::PASSWORD;

both! {
    enrolment_requires_a_first_code;
    recovery_codes_work_once;
    removing_the_authenticator_app_needs_password_and_code;
    guessed_proofs_are_rate_limited;
    a_role_can_require_a_second_factor;
    a_setting_can_require_a_second_factor_of_all_staff;
    another_staff_member_can_reset_a_second_factor;
    an_enrolment_secret_is_valid_for_fifteen_minutes_in_its_session;
    a_successful_proof_does_not_reset_the_failures_of_another_kind;
}

const SECOND_FACTOR: &str = "/api/v1/profile/second-factor";
const ANNA: &str = "anna@panel.test";

/// A staff member with their authenticator app: `secret` is empty until the enrolment.
struct StaffMember<'p> {
    panel: &'p Panel,
    email: &'static str,
    token: String,
    secret: String,
    recovery_codes: Vec<String>,
}

impl<'p> StaffMember<'p> {
    async fn sign_in(panel: &'p Panel, email: &'static str) -> Self {
        let token = panel.login(email, PASSWORD).await.token();
        Self { panel, email, token, secret: String::new(), recovery_codes: Vec::new() }
    }

    async fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.panel.call("203.0.113.7", Some(&self.token), method, path, body).await
    }

    /// The digits that the app shows `seconds` after the start of the test.
    fn digits(&self, seconds: i64) -> String {
        let secret = Secret::try_from_base32(&self.secret).unwrap();
        let totp = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
        totp.generate(u64::try_from(NOW / 1_000_000 + seconds).unwrap()).to_string()
    }

    /// Enrols with the digits at the start of the test.
    async fn enrol(&mut self) {
        let started = self.call("POST", SECOND_FACTOR, &Value::Null).await;
        assert_eq!(started.status, 200, "{}", started.text);
        started.json()["data"]["secret"].as_str().unwrap().clone_into(&mut self.secret);
        let answer =
            self.call("POST", &format!("{SECOND_FACTOR}/confirm"), &json!({ "otp": self.digits(0) })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        self.recovery_codes = parse_recovery_codes(&answer);
    }

    async fn sign_in_with(&self, otp: &str) -> Answer {
        let body = json!({ "email": self.email, "password": PASSWORD, "otp": otp });
        self.panel.call("203.0.113.9", None, "POST", "/login", &body).await
    }

    async fn status(&self) -> Value {
        self.call("GET", SECOND_FACTOR, &Value::Null).await.json()["data"].clone()
    }
}

fn parse_recovery_codes(answer: &Answer) -> Vec<String> {
    let codes: Vec<String> = serde_json::from_value(answer.json()["data"]["recovery_codes"].clone()).unwrap();
    assert_eq!(codes.len(), 10, "{}", answer.text);
    codes
}

async fn audit_count(panel: &Panel, event: &'static str) -> i64 {
    panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
}

/// The number of sign-ins with exactly these factors, as a JSON list.
async fn sign_in_count(panel: &Panel, factors: &str) -> i64 {
    let sql = "SELECT count(*) FROM audits WHERE event = 'user.signed_in' AND new_values LIKE ?";
    panel.number(Sql::new(sql).bind(format!("%{factors}%"))).await
}

async fn email_count(panel: &Panel, text: &str) -> i64 {
    let sql = "SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE ?";
    panel.number(Sql::new(sql).bind(format!("%{text}%"))).await
}

async fn enrolment_requires_a_first_code(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let other_session = panel.login(ANNA, PASSWORD).await.token();
    let mut anna = StaffMember::sign_in(&panel, ANNA).await;
    let expected_status = |is_enabled: bool, codes_left: i64| json!({"is_enabled": is_enabled, "has_authenticator_app": is_enabled, "passkeys": 0, "is_required": false, "recovery_codes_left": codes_left, "is_app_removable": is_enabled});
    assert_eq!(anna.status().await, expected_status(false, 0));
    let confirm = format!("{SECOND_FACTOR}/confirm");
    let early = anna.call("POST", &confirm, &json!({ "otp": "123456" })).await;
    assert_eq!(early.status_and_code(), (409, "second_factor_not_begun".into()));

    let started = anna.call("POST", SECOND_FACTOR, &Value::Null).await.json()["data"].clone();
    started["secret"].as_str().unwrap().clone_into(&mut anna.secret);
    let url = started["otpauth_url"].as_str().unwrap();
    assert!(url.starts_with("otpauth://totp/") && url.contains(&format!("secret={}", anna.secret)), "{url}");
    assert!(started["qr_svg"].as_str().unwrap().starts_with("<svg "));
    panel.login(ANNA, PASSWORD).await.token();
    let wrong = anna.call("POST", &confirm, &json!({ "otp": "000000" })).await;
    assert_eq!(wrong.status_and_code(), (422, "otp_wrong".into()));
    assert_eq!(anna.status().await, expected_status(false, 0));

    let answer = anna.call("POST", &confirm, &json!({ "otp": anna.digits(0) })).await;
    assert_eq!(parse_recovery_codes(&answer).len(), 10);
    assert_eq!(anna.status().await, expected_status(true, 10));
    assert_eq!(panel.who_am_i(&other_session).await, (401, "token_ended".into()), "other sessions end");
    assert_eq!(panel.login(ANNA, PASSWORD).await.status_and_code(), (422, "otp_required".into()));
    assert_eq!(
        anna.sign_in_with(&anna.digits(0)).await.status_and_code(),
        (422, "otp_wrong".into()),
        "the enrolment already used these digits"
    );
    panel.clock.advance_secs(30);
    anna.sign_in_with(&anna.digits(30)).await.token();
    assert_eq!(sign_in_count(&panel, r#"["password","totp"]"#).await, 1);
    assert_eq!(
        anna.call("POST", SECOND_FACTOR, &Value::Null).await.status_and_code(),
        (409, "second_factor_on".into())
    );
    assert_eq!(
        (
            audit_count(&panel, "second_factor.enabled").await,
            email_count(&panel, "the second factor of your account was enabled").await
        ),
        (1, 1)
    );
    let stored_codes = "SELECT count(*) FROM recovery_codes c WHERE c.user_id NOT IN (SELECT e.user_id FROM authenticator_enrolments e)";
    assert_eq!(panel.number(Sql::new(stored_codes)).await, 10);
}

async fn recovery_codes_work_once(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA).await;
    anna.enrol().await;
    anna.sign_in_with(&anna.recovery_codes[0].to_uppercase().replace('-', " ")).await.token();
    assert_eq!(anna.sign_in_with(&anna.recovery_codes[0]).await.status_and_code(), (422, "otp_wrong".into()));
    assert_eq!(
        anna.sign_in_with("2222-2222-2222-2222-2222-2222-2222").await.status_and_code(),
        (422, "otp_wrong".into())
    );
    assert_eq!(anna.status().await["recovery_codes_left"], 9);
    assert_eq!(sign_in_count(&panel, r#"["password","recovery_code"]"#).await, 1);
    assert_eq!(audit_count(&panel, "second_factor.recovery_code_used").await, 1);
    assert_eq!(email_count(&panel, "a recovery code was used").await, 1);

    let renew = json!({ "password": PASSWORD, "otp": anna.recovery_codes[1] });
    let answer = anna.call("POST", &format!("{SECOND_FACTOR}/recovery-codes"), &renew).await;
    let (old, new) = (anna.recovery_codes.clone(), parse_recovery_codes(&answer));
    assert_eq!(anna.status().await["recovery_codes_left"], 10);
    assert_eq!(
        anna.sign_in_with(&old[2]).await.status_and_code(),
        (422, "otp_wrong".into()),
        "the former codes no longer work"
    );
    // Of two concurrent sign-ins with one code, one succeeds.
    let (first, second) = tokio::join!(anna.sign_in_with(&new[3]), anna.sign_in_with(&new[3]));
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422]);
}

async fn removing_the_authenticator_app_needs_password_and_code(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA).await;
    let body = json!({ "password": PASSWORD, "otp": "123456" });
    assert_eq!(
        anna.call("DELETE", SECOND_FACTOR, &body).await.status_and_code(),
        (409, "no_second_factor".into())
    );
    anna.enrol().await;
    panel.clock.advance_secs(30);
    let wrong = json!({ "password": "another password", "otp": anna.digits(30) });
    assert_eq!(
        anna.call("DELETE", SECOND_FACTOR, &wrong).await.status_and_code(),
        (422, "wrong_password".into())
    );
    let wrong = json!({ "password": PASSWORD, "otp": "000000" });
    assert_eq!(anna.call("DELETE", SECOND_FACTOR, &wrong).await.status_and_code(), (422, "otp_wrong".into()));
    let right = json!({ "password": PASSWORD, "otp": anna.digits(30) });
    let answer = anna.call("DELETE", SECOND_FACTOR, &right).await;
    assert_eq!(answer.status, 204, "{}", answer.text);
    panel.login(ANNA, PASSWORD).await.token();
    assert_eq!(anna.status().await["recovery_codes_left"], 0);
    assert_eq!(
        (
            audit_count(&panel, "second_factor.disabled").await,
            email_count(&panel, "the authenticator app of your account was removed").await
        ),
        (1, 1)
    );
}

async fn an_enrolment_secret_is_valid_for_fifteen_minutes_in_its_session(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let other_session = StaffMember::sign_in(&panel, ANNA).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA).await;
    let start_enrolment = async |person: &StaffMember<'_>| {
        let started = person.call("POST", SECOND_FACTOR, &Value::Null).await;
        assert_eq!(started.status, 200, "{}", started.text);
        started.json()["data"]["secret"].as_str().unwrap().to_owned()
    };
    let confirm = async |person: &StaffMember<'_>, digits: String| {
        person.call("POST", &format!("{SECOND_FACTOR}/confirm"), &json!({ "otp": digits })).await
    };
    let enrolment_over = (409, "second_factor_enrolment_over".to_owned());
    anna.secret = start_enrolment(&anna).await;
    assert_eq!(
        confirm(&other_session, anna.digits(0)).await.status_and_code(),
        enrolment_over,
        "the secret belongs to another session"
    );
    start_enrolment(&other_session).await;
    assert_eq!(
        confirm(&anna, anna.digits(0)).await.status_and_code(),
        enrolment_over,
        "a newer enrolment replaced the secret"
    );
    anna.secret = start_enrolment(&anna).await;
    panel.clock.advance_secs(900);
    let expired = confirm(&anna, anna.digits(900)).await;
    assert_eq!(expired.status_and_code(), enrolment_over);
    assert!(
        expired.json()["message"].as_str().unwrap().contains("Start again with a new secret"),
        "{}",
        expired.text
    );
    assert_eq!(anna.status().await["is_enabled"], false);
    panel_server::background::retention::remove_due(&panel.app, None).await.unwrap();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM authenticator_enrolments")).await, 1);
    panel.clock.advance_secs(1);
    panel_server::background::retention::remove_due(&panel.app, None).await.unwrap();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM authenticator_enrolments")).await, 0);

    let confirmed = anna.call("POST", "/api/v1/profile/confirm", &json!({ "password": PASSWORD })).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
    anna.secret = start_enrolment(&anna).await;
    panel.clock.advance_secs(898);
    let refreshed = StaffMember { token: panel.refresh(&anna.token).await.token(), ..anna };
    let answer = confirm(&refreshed, refreshed.digits(1_799)).await;
    assert_eq!(answer.status, 200, "a refresh stays within the session: {}", answer.text);
    assert_eq!(refreshed.status().await["is_enabled"], true);
}

/// An attacker who has one proof gets no additional guesses for another proof.
async fn a_successful_proof_does_not_reset_the_failures_of_another_kind(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA).await;
    anna.enrol().await;
    let confirm =
        async |proof: Value| anna.call("POST", "/api/v1/profile/confirm", &proof).await.status.as_u16();
    let mut guesses = Vec::new();
    for _ in 0..8 {
        guesses.push(confirm(json!({ "otp": "000000" })).await);
        assert_eq!(confirm(json!({ "password": PASSWORD })).await, 200);
    }
    assert_eq!(
        guesses,
        [422, 422, 422, 422, 422, 429, 429, 429],
        "a correct password does not reset the failures of the digits"
    );
    panel.clock.advance_secs(61);
    let remove_app = async |password: &str, otp: &str| {
        anna.call("DELETE", SECOND_FACTOR, &json!({ "password": password, "otp": otp }))
            .await
            .status_and_code()
    };
    assert_eq!(
        remove_app(PASSWORD, "000000").await,
        (422, "otp_wrong".into()),
        "the last guess within the limit"
    );
    assert_eq!(remove_app(PASSWORD, "000000").await, (429, "too_many_attempts".into()));

    panel.clock.advance_secs(86_401);
    let mut guesses = Vec::new();
    for code in 1..=8 {
        guesses.push(remove_app("a wrong password", &anna.recovery_codes[0]).await.0);
        assert_eq!(confirm(json!({ "otp": anna.recovery_codes[code] })).await, 200);
    }
    assert_eq!(
        guesses,
        [422, 422, 422, 422, 422, 429, 429, 429],
        "a correct code does not reset the failures of the password"
    );
    // A success of the same kind resets the failures.
    panel.clock.advance_secs(86_401);
    for _ in 0..2 {
        for _ in 0..4 {
            assert_eq!(confirm(json!({ "password": "a wrong password" })).await, 422);
        }
        assert_eq!(confirm(json!({ "password": PASSWORD })).await, 200);
    }
}

async fn guessed_proofs_are_rate_limited(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA).await;
    anna.enrol().await;
    let guess = json!({ "password": PASSWORD, "otp": "000000" });
    let mut answers = Vec::new();
    for _ in 0..8 {
        answers.push(anna.call("DELETE", SECOND_FACTOR, &guess).await.status_and_code().0);
    }
    assert_eq!((answers.first(), answers.last()), (Some(&422), Some(&429)), "{answers:?}");
}

async fn a_role_can_require_a_second_factor(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.create_user(ANNA, &[]).await;
    let role = json!({"name": "Cashier", "permissions": ["view orders"], "requires_second_factor": false});
    let created = panel.post("/api/v1/admin/roles", &role).await.json()["data"].clone();
    assert_eq!(created["requires_second_factor"], false);
    let path = format!("/api/v1/admin/roles/{}", created["id"]);
    panel
        .execute(
            Sql::new("INSERT INTO user_roles (user_id, role_id) VALUES (?, ?)")
                .bind(id)
                .bind(created["id"].as_i64().unwrap()),
        )
        .await;
    let mut anna = StaffMember::sign_in(&panel, ANNA).await;
    let orders = "/api/v1/admin/orders?length=1";
    assert_eq!(anna.call("GET", orders, &Value::Null).await.status, 200);

    let change = json!({ "requires_second_factor": true });
    let changed = panel.send("owner", "PATCH", &path, &change, None).await;
    assert_eq!(
        (changed.status.as_u16(), &changed.json()["data"]["requires_second_factor"]),
        (200, &json!(true))
    );
    for (method, path) in
        [("GET", orders), ("GET", "/api/v1/countries"), ("POST", "/api/v1/admin/handoff-codes")]
    {
        let refused = anna.call(method, path, &Value::Null).await.status_and_code();
        assert_eq!(refused, (403, "second_factor_required".into()), "{path}");
    }
    let profile = anna.call("GET", "/api/v1/profile", &Value::Null).await.json();
    assert_eq!(profile["data"]["must_enrol_second_factor"], true);
    assert_eq!(panel.login(ANNA, PASSWORD).await.json()["user"]["must_enrol_second_factor"], true);
    // An unattended session cannot enrol: the staff member must confirm their identity first.
    panel.execute(Sql::new("UPDATE sessions SET confirmed_at = NULL WHERE user_id = ?").bind(id)).await;
    let refused = anna.call("POST", SECOND_FACTOR, &Value::Null).await.status_and_code();
    assert_eq!(refused, (403, "confirmation_required".into()));
    let confirmed = anna.call("POST", "/api/v1/profile/confirm", &json!({ "password": PASSWORD })).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
    anna.enrol().await;
    assert_eq!(anna.call("GET", orders, &Value::Null).await.status, 200);
    panel.clock.advance_secs(30);
    let removal = json!({ "password": PASSWORD, "otp": anna.digits(30) });
    assert_eq!(
        anna.call("DELETE", SECOND_FACTOR, &removal).await.status_and_code(),
        (409, "second_factor_is_required".into())
    );
}

async fn a_setting_can_require_a_second_factor_of_all_staff(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA).await;
    let orders = "/api/v1/admin/orders?length=1";
    // Twice, so that the session is cached: the setting must apply to cached sessions too.
    for _ in 0..2 {
        assert_eq!(anna.call("GET", orders, &Value::Null).await.status, 200);
    }
    let setting = json!({ "second_factor_for_all_staff": true });
    let saved = panel.post("/api/v1/admin/settings", &setting).await;
    assert_eq!(saved.status, 200, "{}", saved.text);
    for path in [orders, "/api/v1/countries"] {
        let refused = anna.call("GET", path, &Value::Null).await.status_and_code();
        assert_eq!(refused, (403, "second_factor_required".into()), "{path}");
    }
    assert_eq!(panel.login(ANNA, PASSWORD).await.json()["user"]["must_enrol_second_factor"], true);
    let owner = panel.get(orders).await.status;
    assert_eq!(owner, 403, "the staff member who enabled the setting needs a second factor too");
    let status = anna.call("GET", SECOND_FACTOR, &Value::Null).await.json();
    assert_eq!(status["data"]["is_required"], true);
    anna.enrol().await;
    assert_eq!(anna.call("GET", orders, &Value::Null).await.status, 200);
    panel.clock.advance_secs(30);
    let removal = json!({ "password": PASSWORD, "otp": anna.digits(30) });
    assert_eq!(
        anna.call("DELETE", SECOND_FACTOR, &removal).await.status_and_code(),
        (409, "second_factor_is_required".into())
    );
    assert_eq!(anna.status().await["is_app_removable"], false);
}

async fn another_staff_member_can_reset_a_second_factor(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let customer = panel.create_user("customer@shop.example", &[]).await;
    panel.create_user("junior@panel.test", &[Permission::ManageStaff]).await;
    let reset_path = |id: i64| format!("/api/v1/admin/staffs/{id}/reset-second-factor");
    let mut anna = StaffMember::sign_in(&panel, ANNA).await;
    let junior = StaffMember::sign_in(&panel, "junior@panel.test").await;
    let reset_as_owner = async |id: i64| panel.send("owner", "POST", &reset_path(id), &json!({}), None).await;
    assert_eq!(reset_as_owner(id).await.status_and_code(), (409, "no_second_factor".into()));
    anna.enrol().await;
    assert_eq!(
        junior.call("POST", &reset_path(id), &Value::Null).await.status_and_code(),
        (403, "outranked".into())
    );
    assert_eq!(
        anna.call("POST", &reset_path(id), &Value::Null).await.status_and_code(),
        (403, "forbidden".into())
    );
    assert_eq!(reset_as_owner(customer).await.status_and_code().0, 404);
    let factor_and_action = async |who: &str| {
        let rows = panel.get_as(who, "/api/v1/admin/staffs", "*/*").await.json()["data"].clone();
        let row = rows.as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
        (row["has_second_factor"].clone(), row["actions"]["second_factor_resettable"].clone())
    };
    assert_eq!(factor_and_action("owner").await, (json!(true), json!(true)));
    let dry_run =
        panel.send("owner", "POST", &format!("{}?dry_run=1", reset_path(id)), &json!({}), None).await;
    assert_eq!((dry_run.status.as_u16(), audit_count(&panel, "second_factor.reset").await), (204, 0));
    assert_eq!(factor_and_action("owner").await, (json!(true), json!(true)), "a dry run removes nothing");
    let answer = reset_as_owner(id).await;
    assert_eq!(answer.status, 204, "{}", answer.text);
    assert_eq!(panel.who_am_i(&anna.token).await.0, 401, "the reset ends all sessions");
    assert_eq!(factor_and_action("owner").await, (json!(false), json!(false)));
    panel.login(ANNA, PASSWORD).await.token();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM recovery_codes")).await, 0);
    assert_eq!(
        (audit_count(&panel, "second_factor.reset").await, email_count(&panel, "removed by another").await),
        (1, 1)
    );
}
