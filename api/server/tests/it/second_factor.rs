//! The second factor from enrolment to reset: required passwords and codes, and the roles and settings that require a second factor.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::panel::{NOW, Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    enrolment_requires_a_first_code;
    recovery_codes_work_once;
    removing_the_authenticator_app_requires_password_and_code;
    guesses_of_passwords_and_codes_are_rate_limited;
    a_role_can_require_a_second_factor;
    a_setting_can_require_a_second_factor_of_all_staff;
    another_staff_member_can_reset_a_second_factor;
    an_enrolment_secret_is_valid_for_fifteen_minutes_in_its_session;
    a_correct_password_or_code_does_not_reset_the_failures_of_the_other;
}

const SECOND_FACTOR_PATH: &str = "/api/v1/profile/second-factor";
const ANNA_EMAIL: &str = "anna@panel.test";

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
        let token = panel.login(email, PASSWORD).await.session_token();
        Self { panel, email, token, secret: String::new(), recovery_codes: Vec::new() }
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> TestResponse {
        self.panel.request_from("203.0.113.7", Some(&self.token), method, path, body).await
    }

    /// The digits that the app shows `seconds` after the start of the test.
    fn digits(&self, seconds: i64) -> String {
        let secret = Secret::try_from_base32(&self.secret).unwrap();
        let totp = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
        totp.generate(u64::try_from(NOW / 1_000_000 + seconds).unwrap()).to_string()
    }

    /// Enrols with the digits at the start of the test.
    async fn enrol(&mut self) {
        let start_response = self.send("POST", SECOND_FACTOR_PATH, &Value::Null).await;
        assert_eq!(start_response.status, 200, "{}", start_response.text);
        start_response.json()["data"]["secret"].as_str().unwrap().clone_into(&mut self.secret);
        let response = self
            .send("POST", &format!("{SECOND_FACTOR_PATH}/confirm"), &json!({ "otp": self.digits(0) }))
            .await;
        assert_eq!(response.status, 200, "{}", response.text);
        self.recovery_codes = parse_recovery_codes(&response);
    }

    async fn sign_in_with(&self, otp: &str) -> TestResponse {
        let body = json!({ "email": self.email, "password": PASSWORD, "otp": otp });
        self.panel.request_from("203.0.113.9", None, "POST", "/login", &body).await
    }

    async fn fetch_status(&self) -> Value {
        self.send("GET", SECOND_FACTOR_PATH, &Value::Null).await.json()["data"].clone()
    }
}

fn parse_recovery_codes(response: &TestResponse) -> Vec<String> {
    let codes: Vec<String> =
        serde_json::from_value(response.json()["data"]["recovery_codes"].clone()).unwrap();
    assert_eq!(codes.len(), 10, "{}", response.text);
    codes
}

async fn count_audits(panel: &Panel, event: &'static str) -> i64 {
    panel.fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
}

/// The number of sign-ins with exactly these factors, as a JSON list.
async fn count_sign_ins(panel: &Panel, factors: &str) -> i64 {
    let sql = "SELECT count(*) FROM audits WHERE event = 'user.signed_in' AND new_values LIKE ?";
    panel.fetch_number(Sql::new(sql).bind(format!("%{factors}%"))).await
}

async fn count_emails(panel: &Panel, text: &str) -> i64 {
    let sql = "SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE ?";
    panel.fetch_number(Sql::new(sql).bind(format!("%{text}%"))).await
}

async fn enrolment_requires_a_first_code(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let other_session = panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    let mut anna = StaffMember::sign_in(&panel, ANNA_EMAIL).await;
    let expected_status = |is_enabled: bool, codes_left: i64| json!({"is_enabled": is_enabled, "has_authenticator_app": is_enabled, "passkeys": 0, "is_required": false, "recovery_codes_left": codes_left, "is_app_removable": is_enabled});
    assert_eq!(anna.fetch_status().await, expected_status(false, 0));
    let confirm = format!("{SECOND_FACTOR_PATH}/confirm");
    let response_before_start = anna.send("POST", &confirm, &json!({ "otp": "123456" })).await;
    assert_eq!(response_before_start.status_and_code(), (409, "second_factor_not_begun".into()));

    let enrolment = anna.send("POST", SECOND_FACTOR_PATH, &Value::Null).await.json()["data"].clone();
    enrolment["secret"].as_str().unwrap().clone_into(&mut anna.secret);
    let url = enrolment["otpauth_url"].as_str().unwrap();
    assert!(url.starts_with("otpauth://totp/") && url.contains(&format!("secret={}", anna.secret)), "{url}");
    assert!(enrolment["qr_svg"].as_str().unwrap().starts_with("<svg "));
    panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    let wrong_response = anna.send("POST", &confirm, &json!({ "otp": "000000" })).await;
    assert_eq!(wrong_response.status_and_code(), (422, "otp_wrong".into()));
    assert_eq!(anna.fetch_status().await, expected_status(false, 0));

    let response = anna.send("POST", &confirm, &json!({ "otp": anna.digits(0) })).await;
    assert_eq!(parse_recovery_codes(&response).len(), 10);
    assert_eq!(anna.fetch_status().await, expected_status(true, 10));
    assert_eq!(
        panel.profile_status(&other_session).await,
        (401, "token_ended".into()),
        "the enrolment must end the other sessions"
    );
    assert_eq!(panel.login(ANNA_EMAIL, PASSWORD).await.status_and_code(), (422, "otp_required".into()));
    assert_eq!(
        anna.sign_in_with(&anna.digits(0)).await.status_and_code(),
        (422, "otp_wrong".into()),
        "the enrolment has used these digits"
    );
    panel.clock.advance_secs(30);
    anna.sign_in_with(&anna.digits(30)).await.session_token();
    assert_eq!(count_sign_ins(&panel, r#"["password","totp"]"#).await, 1);
    assert_eq!(
        anna.send("POST", SECOND_FACTOR_PATH, &Value::Null).await.status_and_code(),
        (409, "second_factor_on".into())
    );
    assert_eq!(
        (
            count_audits(&panel, "second_factor.enabled").await,
            count_emails(&panel, "the second factor of your account was enabled").await
        ),
        (1, 1)
    );
    let count_codes_sql = "SELECT count(*) FROM recovery_codes c WHERE c.user_id NOT IN (SELECT e.user_id FROM authenticator_enrolments e)";
    assert_eq!(panel.fetch_number(Sql::new(count_codes_sql)).await, 10);
}

async fn recovery_codes_work_once(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA_EMAIL).await;
    anna.enrol().await;
    anna.sign_in_with(&anna.recovery_codes[0].to_uppercase().replace('-', " ")).await.session_token();
    assert_eq!(anna.sign_in_with(&anna.recovery_codes[0]).await.status_and_code(), (422, "otp_wrong".into()));
    assert_eq!(
        anna.sign_in_with("2222-2222-2222-2222-2222-2222-2222").await.status_and_code(),
        (422, "otp_wrong".into())
    );
    assert_eq!(anna.fetch_status().await["recovery_codes_left"], 9);
    assert_eq!(count_sign_ins(&panel, r#"["password","recovery_code"]"#).await, 1);
    assert_eq!(count_audits(&panel, "second_factor.recovery_code_used").await, 1);
    assert_eq!(count_emails(&panel, "a recovery code was used").await, 1);

    let renew_body = json!({ "password": PASSWORD, "otp": anna.recovery_codes[1] });
    let response = anna.send("POST", &format!("{SECOND_FACTOR_PATH}/recovery-codes"), &renew_body).await;
    let (former_codes, new_codes) = (anna.recovery_codes.clone(), parse_recovery_codes(&response));
    assert_eq!(anna.fetch_status().await["recovery_codes_left"], 10);
    assert_eq!(
        anna.sign_in_with(&former_codes[2]).await.status_and_code(),
        (422, "otp_wrong".into()),
        "the former codes must no longer work"
    );
    // Only one of two concurrent sign-ins with the same code succeeds.
    let (first_response, second_response) =
        tokio::join!(anna.sign_in_with(&new_codes[3]), anna.sign_in_with(&new_codes[3]));
    let mut statuses = [first_response.status.as_u16(), second_response.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422]);
}

async fn removing_the_authenticator_app_requires_password_and_code(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA_EMAIL).await;
    let body = json!({ "password": PASSWORD, "otp": "123456" });
    assert_eq!(
        anna.send("DELETE", SECOND_FACTOR_PATH, &body).await.status_and_code(),
        (409, "no_second_factor".into())
    );
    anna.enrol().await;
    panel.clock.advance_secs(30);
    let wrong_password_body = json!({ "password": "another password", "otp": anna.digits(30) });
    assert_eq!(
        anna.send("DELETE", SECOND_FACTOR_PATH, &wrong_password_body).await.status_and_code(),
        (422, "wrong_password".into())
    );
    let wrong_body = json!({ "password": PASSWORD, "otp": "000000" });
    assert_eq!(
        anna.send("DELETE", SECOND_FACTOR_PATH, &wrong_body).await.status_and_code(),
        (422, "otp_wrong".into())
    );
    let removal_body = json!({ "password": PASSWORD, "otp": anna.digits(30) });
    let response = anna.send("DELETE", SECOND_FACTOR_PATH, &removal_body).await;
    assert_eq!(response.status, 204, "{}", response.text);
    panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    assert_eq!(anna.fetch_status().await["recovery_codes_left"], 0);
    assert_eq!(
        (
            count_audits(&panel, "second_factor.disabled").await,
            count_emails(&panel, "the authenticator app of your account was removed").await
        ),
        (1, 1)
    );
}

async fn an_enrolment_secret_is_valid_for_fifteen_minutes_in_its_session(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let other_session = StaffMember::sign_in(&panel, ANNA_EMAIL).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA_EMAIL).await;
    let start_enrolment = async |staff_member: &StaffMember<'_>| {
        let start_response = staff_member.send("POST", SECOND_FACTOR_PATH, &Value::Null).await;
        assert_eq!(start_response.status, 200, "{}", start_response.text);
        start_response.json()["data"]["secret"].as_str().unwrap().to_owned()
    };
    let confirm = async |staff_member: &StaffMember<'_>, digits: String| {
        staff_member.send("POST", &format!("{SECOND_FACTOR_PATH}/confirm"), &json!({ "otp": digits })).await
    };
    let enrolment_over_error = (409, "second_factor_enrolment_over".to_owned());
    anna.secret = start_enrolment(&anna).await;
    assert_eq!(
        confirm(&other_session, anna.digits(0)).await.status_and_code(),
        enrolment_over_error,
        "the secret must be valid only in the session that created it"
    );
    start_enrolment(&other_session).await;
    assert_eq!(
        confirm(&anna, anna.digits(0)).await.status_and_code(),
        enrolment_over_error,
        "a newer enrolment must replace the secret"
    );
    anna.secret = start_enrolment(&anna).await;
    panel.clock.advance_secs(900);
    let expired_response = confirm(&anna, anna.digits(900)).await;
    assert_eq!(expired_response.status_and_code(), enrolment_over_error);
    assert!(
        expired_response.json()["message"].as_str().unwrap().contains("Start again with a new secret"),
        "{}",
        expired_response.text
    );
    assert_eq!(anna.fetch_status().await["is_enabled"], false);
    panel_server::background::retention::remove_expired_records(&panel.app, None).await.unwrap();
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM authenticator_enrolments")).await, 1);
    panel.clock.advance_secs(1);
    panel_server::background::retention::remove_expired_records(&panel.app, None).await.unwrap();
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM authenticator_enrolments")).await, 0);

    let confirm_response =
        anna.send("POST", "/api/v1/profile/confirm", &json!({ "password": PASSWORD })).await;
    assert_eq!(confirm_response.status, 200, "{}", confirm_response.text);
    anna.secret = start_enrolment(&anna).await;
    panel.clock.advance_secs(898);
    let refreshed_token =
        StaffMember { token: panel.refresh_session(&anna.token).await.session_token(), ..anna };
    let response = confirm(&refreshed_token, refreshed_token.digits(1_799)).await;
    assert_eq!(response.status, 200, "a refreshed token must belong to the same session: {}", response.text);
    assert_eq!(refreshed_token.fetch_status().await["is_enabled"], true);
}

/// An attacker who knows the password or a code gets no additional guesses for the other one.
async fn a_correct_password_or_code_does_not_reset_the_failures_of_the_other(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA_EMAIL).await;
    anna.enrol().await;
    let confirm =
        async |proof: Value| anna.send("POST", "/api/v1/profile/confirm", &proof).await.status.as_u16();
    let mut guess_statuses = Vec::new();
    for _ in 0..8 {
        guess_statuses.push(confirm(json!({ "otp": "000000" })).await);
        assert_eq!(confirm(json!({ "password": PASSWORD })).await, 200);
    }
    assert_eq!(
        guess_statuses,
        [422, 422, 422, 422, 422, 429, 429, 429],
        "a correct password must not reset the failures of the code"
    );
    panel.clock.advance_secs(61);
    let remove_app = async |password: &str, otp: &str| {
        anna.send("DELETE", SECOND_FACTOR_PATH, &json!({ "password": password, "otp": otp }))
            .await
            .status_and_code()
    };
    assert_eq!(
        remove_app(PASSWORD, "000000").await,
        (422, "otp_wrong".into()),
        "the first guess after the wait must be checked"
    );
    assert_eq!(remove_app(PASSWORD, "000000").await, (429, "too_many_attempts".into()));

    panel.clock.advance_secs(86_401);
    let mut guess_statuses = Vec::new();
    for code_index in 1..=8 {
        guess_statuses.push(remove_app("a wrong password", &anna.recovery_codes[0]).await.0);
        assert_eq!(confirm(json!({ "otp": anna.recovery_codes[code_index] })).await, 200);
    }
    assert_eq!(
        guess_statuses,
        [422, 422, 422, 422, 422, 429, 429, 429],
        "a correct code must not reset the failures of the password"
    );
    // A correct password resets the failures of the password.
    panel.clock.advance_secs(86_401);
    for _ in 0..2 {
        for _ in 0..4 {
            assert_eq!(confirm(json!({ "password": "a wrong password" })).await, 422);
        }
        assert_eq!(confirm(json!({ "password": PASSWORD })).await, 200);
    }
}

async fn guesses_of_passwords_and_codes_are_rate_limited(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA_EMAIL).await;
    anna.enrol().await;
    let guess_body = json!({ "password": PASSWORD, "otp": "000000" });
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(anna.send("DELETE", SECOND_FACTOR_PATH, &guess_body).await.status_and_code().0);
    }
    assert_eq!((statuses.first(), statuses.last()), (Some(&422), Some(&429)), "{statuses:?}");
}

async fn a_role_can_require_a_second_factor(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.create_user(ANNA_EMAIL, &[]).await;
    let role_body =
        json!({"name": "Cashier", "permissions": ["view orders"], "requires_second_factor": false});
    let created_record = panel.post("/api/v1/admin/roles", &role_body).await.json()["data"].clone();
    assert_eq!(created_record["requires_second_factor"], false);
    let path = format!("/api/v1/admin/roles/{}", created_record["id"]);
    panel
        .execute(
            Sql::new("INSERT INTO user_roles (user_id, role_id) VALUES (?, ?)")
                .bind(id)
                .bind(created_record["id"].as_i64().unwrap()),
        )
        .await;
    let mut anna = StaffMember::sign_in(&panel, ANNA_EMAIL).await;
    let orders_path = "/api/v1/admin/orders?length=1";
    assert_eq!(anna.send("GET", orders_path, &Value::Null).await.status, 200);

    let change_body = json!({ "requires_second_factor": true });
    let change_response = panel.send("owner", "PATCH", &path, &change_body, None).await;
    assert_eq!(
        (change_response.status.as_u16(), &change_response.json()["data"]["requires_second_factor"]),
        (200, &json!(true))
    );
    for (method, path) in
        [("GET", orders_path), ("GET", "/api/v1/countries"), ("POST", "/api/v1/admin/handoff-codes")]
    {
        let rejection = anna.send(method, path, &Value::Null).await.status_and_code();
        assert_eq!(rejection, (403, "second_factor_required".into()), "{path}");
    }
    let profile = anna.send("GET", "/api/v1/profile", &Value::Null).await.json();
    assert_eq!(profile["data"]["must_enrol_second_factor"], true);
    assert_eq!(panel.login(ANNA_EMAIL, PASSWORD).await.json()["user"]["must_enrol_second_factor"], true);
    // An unattended session cannot enrol, because the staff member must confirm their identity first.
    panel.execute(Sql::new("UPDATE sessions SET confirmed_at = NULL WHERE user_id = ?").bind(id)).await;
    let rejection = anna.send("POST", SECOND_FACTOR_PATH, &Value::Null).await.status_and_code();
    assert_eq!(rejection, (403, "confirmation_required".into()));
    let confirm_response =
        anna.send("POST", "/api/v1/profile/confirm", &json!({ "password": PASSWORD })).await;
    assert_eq!(confirm_response.status, 200, "{}", confirm_response.text);
    anna.enrol().await;
    assert_eq!(anna.send("GET", orders_path, &Value::Null).await.status, 200);
    panel.clock.advance_secs(30);
    let removal_body = json!({ "password": PASSWORD, "otp": anna.digits(30) });
    assert_eq!(
        anna.send("DELETE", SECOND_FACTOR_PATH, &removal_body).await.status_and_code(),
        (409, "second_factor_is_required".into())
    );
}

async fn a_setting_can_require_a_second_factor_of_all_staff(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let mut anna = StaffMember::sign_in(&panel, ANNA_EMAIL).await;
    let orders_path = "/api/v1/admin/orders?length=1";
    // The second request uses the cached session, to which the setting must apply too.
    for _ in 0..2 {
        assert_eq!(anna.send("GET", orders_path, &Value::Null).await.status, 200);
    }
    let setting_body = json!({ "second_factor_for_all_staff": true });
    let save_response = panel.post("/api/v1/admin/settings", &setting_body).await;
    assert_eq!(save_response.status, 200, "{}", save_response.text);
    for path in [orders_path, "/api/v1/countries"] {
        let rejection = anna.send("GET", path, &Value::Null).await.status_and_code();
        assert_eq!(rejection, (403, "second_factor_required".into()), "{path}");
    }
    assert_eq!(panel.login(ANNA_EMAIL, PASSWORD).await.json()["user"]["must_enrol_second_factor"], true);
    let owner_status = panel.get(orders_path).await.status;
    assert_eq!(owner_status, 403, "the setting must apply to the staff member who enabled it too");
    let second_factor_status = anna.send("GET", SECOND_FACTOR_PATH, &Value::Null).await.json();
    assert_eq!(second_factor_status["data"]["is_required"], true);
    anna.enrol().await;
    assert_eq!(anna.send("GET", orders_path, &Value::Null).await.status, 200);
    panel.clock.advance_secs(30);
    let removal_body = json!({ "password": PASSWORD, "otp": anna.digits(30) });
    assert_eq!(
        anna.send("DELETE", SECOND_FACTOR_PATH, &removal_body).await.status_and_code(),
        (409, "second_factor_is_required".into())
    );
    assert_eq!(anna.fetch_status().await["is_app_removable"], false);
}

async fn another_staff_member_can_reset_a_second_factor(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.create_user(ANNA_EMAIL, &[Permission::ViewOrders]).await;
    let customer_id = panel.create_user("customer@shop.example", &[]).await;
    panel.create_user("junior@panel.test", &[Permission::ManageStaff]).await;
    let reset_path = |id: i64| format!("/api/v1/admin/staffs/{id}/reset-second-factor");
    let mut anna = StaffMember::sign_in(&panel, ANNA_EMAIL).await;
    let junior = StaffMember::sign_in(&panel, "junior@panel.test").await;
    let reset_as_owner = async |id: i64| panel.send("owner", "POST", &reset_path(id), &json!({}), None).await;
    assert_eq!(reset_as_owner(id).await.status_and_code(), (409, "no_second_factor".into()));
    anna.enrol().await;
    assert_eq!(
        junior.send("POST", &reset_path(id), &Value::Null).await.status_and_code(),
        (403, "outranked".into())
    );
    assert_eq!(
        anna.send("POST", &reset_path(id), &Value::Null).await.status_and_code(),
        (403, "forbidden".into())
    );
    assert_eq!(reset_as_owner(customer_id).await.status_and_code().0, 404);
    let fetch_factor_and_action = async |staff: &str| {
        let rows = panel.get_as(staff, "/api/v1/admin/staffs", "*/*").await.json()["data"].clone();
        let row = rows.as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
        (row["has_second_factor"].clone(), row["actions"]["second_factor_resettable"].clone())
    };
    assert_eq!(fetch_factor_and_action("owner").await, (json!(true), json!(true)));
    let dry_run =
        panel.send("owner", "POST", &format!("{}?dry_run=1", reset_path(id)), &json!({}), None).await;
    assert_eq!((dry_run.status.as_u16(), count_audits(&panel, "second_factor.reset").await), (204, 0));
    assert_eq!(
        fetch_factor_and_action("owner").await,
        (json!(true), json!(true)),
        "a dry run must not remove the second factor"
    );
    let response = reset_as_owner(id).await;
    assert_eq!(response.status, 204, "{}", response.text);
    assert_eq!(panel.profile_status(&anna.token).await.0, 401, "the reset must end all sessions");
    assert_eq!(fetch_factor_and_action("owner").await, (json!(false), json!(false)));
    panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM recovery_codes")).await, 0);
    assert_eq!(
        (count_audits(&panel, "second_factor.reset").await, count_emails(&panel, "removed by another").await),
        (1, 1)
    );
}
