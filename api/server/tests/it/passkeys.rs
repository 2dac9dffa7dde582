//! Passkeys as a second factor, from registration to reset: the assertions that the server accepts exactly once, and the assertions
//! that it rejects.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::background::retention;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::authenticator::{Authenticator, ORIGIN};
use crate::panel::{NOW, Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    a_passkey_signs_in_and_confirms_actions;
    registration_rejects_bad_names_forged_credentials_and_used_ceremonies;
    rejects_forged_and_foreign_assertions;
    a_challenge_works_once_within_five_minutes_and_only_for_its_purpose;
    rejects_a_signature_counter_that_does_not_increase;
    wrong_passkeys_are_throttled_like_wrong_codes;
    the_last_second_factor_that_a_role_requires_cannot_be_removed;
    the_authenticator_app_can_be_removed_while_a_passkey_remains;
    another_staff_member_resets_the_second_factor;
    an_account_has_at_most_ten_passkeys_and_each_belongs_to_one_account;
    passkeys_require_an_https_public_url;
}

const PASSKEYS_PATH: &str = "/api/v1/profile/passkeys";
const FACTOR_PATH: &str = "/api/v1/profile/second-factor";
const CONFIRM_PATH: &str = "/api/v1/profile/confirm";
const ANNA_EMAIL: &str = "anna@panel.test";
const BERT_EMAIL: &str = "bert@panel.test";

/// A panel at the origin of the test authenticators, with limits that do not throttle the sign-ins of a test.
async fn start_panel(dialect: Dialect) -> Panel {
    Panel::with_config(dialect, |config| {
        config.public_url = Some(ORIGIN.into());
        config.limits.login_failures = 100;
        config.limits.logins_per_minute = 1_000;
    })
    .await
}

/// A signed-in staff member.
struct StaffSession<'p> {
    panel: &'p Panel,
    email: &'static str,
    token: String,
}

impl<'p> StaffSession<'p> {
    async fn new(panel: &'p Panel, email: &'static str) -> Self {
        panel.create_user(email, &[Permission::ViewOrders]).await;
        Self::sign_in(panel, email).await
    }

    async fn sign_in(panel: &'p Panel, email: &'static str) -> Self {
        Self { panel, email, token: panel.login(email, PASSWORD).await.session_token() }
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> TestResponse {
        self.panel.request_from("203.0.113.7", Some(&self.token), method, path, body).await
    }

    async fn begin_registration(&self) -> Value {
        successful_data(&self.send("POST", &format!("{PASSKEYS_PATH}/begin"), &Value::Null).await)
    }

    async fn register_passkey(&self, key: &Authenticator, name: &str) -> TestResponse {
        let ceremony = self.begin_registration().await;
        self.finish_registration(&ceremony, key, name).await
    }

    async fn finish_registration(&self, ceremony: &Value, key: &Authenticator, name: &str) -> TestResponse {
        let credential = key.create(&ceremony["options"]);
        let body = json!({ "name": name, "ceremony": ceremony["ceremony"], "credential": credential });
        self.send("POST", PASSKEYS_PATH, &body).await
    }

    /// Requests a challenge that confirms an action of the signed-in session.
    async fn begin_confirmation(&self) -> Value {
        successful_data(&self.send("POST", &format!("{PASSKEYS_PATH}/challenge"), &Value::Null).await)
    }

    async fn remove_passkey(&self, id: &Value, proof: Value) -> TestResponse {
        let mut body = json!({ "password": PASSWORD });
        body.as_object_mut().unwrap().extend(proof.as_object().unwrap().clone());
        self.send("DELETE", &format!("{PASSKEYS_PATH}/{id}"), &body).await
    }

    /// Signs in with the password and the given second factor, `{}` for none.
    async fn sign_in_with(&self, factor: Value) -> TestResponse {
        let mut body = json!({ "email": self.email, "password": PASSWORD });
        body.as_object_mut().unwrap().extend(factor.as_object().unwrap().clone());
        self.panel.request_from("203.0.113.9", None, "POST", "/login", &body).await
    }

    /// Signs in with the password alone. Returns the requested second factor: the allowed methods and a passkey challenge.
    async fn request_second_factor(&self) -> Value {
        let response = self.sign_in_with(json!({})).await;
        assert_eq!(response.status_and_code(), (422, "otp_required".into()), "{}", response.text);
        response.json()["second_factor"].clone()
    }

    /// Signs in with the password and a passkey.
    async fn sign_in_with_passkey(&self, key: &Authenticator) -> TestResponse {
        let requested_factor = self.request_second_factor().await;
        self.sign_in_with(json!({ "passkey": key.answer_challenge(&requested_factor["passkey"]) })).await
    }

    async fn fetch_factor_state(&self) -> Value {
        successful_data(&self.send("GET", FACTOR_PATH, &Value::Null).await)
    }
}

fn successful_data(response: &TestResponse) -> Value {
    assert_eq!(response.status, 200, "{}", response.text);
    response.json()["data"].clone()
}

fn passkey_wrong_error() -> (u16, String) {
    (422, "passkey_wrong".into())
}

async fn count_audits(panel: &Panel, event: &'static str) -> i64 {
    panel.fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
}

async fn count_emails(panel: &Panel, text: &str) -> i64 {
    let sql = "SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE ?";
    panel.fetch_number(Sql::new(sql).bind(format!("%{text}%"))).await
}

async fn a_passkey_signs_in_and_confirms_actions(dialect: Dialect) {
    let panel = start_panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let other_token = panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    let (laptop, phone) = (Authenticator::new(1), Authenticator::new(2));
    let registration = successful_data(&anna.register_passkey(&laptop, " Work laptop ").await);
    assert_eq!(registration["recovery_codes"].as_array().unwrap().len(), 10);
    assert_eq!(registration["passkey"]["name"], "Work laptop");
    assert_eq!(
        panel.profile_status(&other_token).await,
        (401, "token_ended".into()),
        "a new second factor must end the other sessions"
    );
    assert_eq!(
        anna.fetch_factor_state().await,
        json!({ "is_enabled": true, "has_authenticator_app": false, "passkeys": 1, "is_required": false, "recovery_codes_left": 10, "is_app_removable": false })
    );
    assert_eq!(count_audits(&panel, "second_factor.passkey_added").await, 1);
    assert_eq!(count_emails(&panel, "Work laptop%was added").await, 1);

    let requested_factor = anna.request_second_factor().await;
    assert_eq!(requested_factor["methods"], json!(["passkey", "recovery_code"]));
    assert_eq!(requested_factor["passkey"]["options"]["userVerification"], "required");
    assert_eq!(requested_factor["passkey"]["options"]["rpId"], "panel.example.com");
    let token = anna.sign_in_with_passkey(&laptop).await.session_token();
    let anna_second_session = StaffSession { panel: &panel, email: ANNA_EMAIL, token };
    let listed = successful_data(&anna_second_session.send("GET", PASSKEYS_PATH, &Value::Null).await);
    assert!(listed[0]["last_used_at"].is_string() && listed.as_array().unwrap().len() == 1, "{listed}");

    let second_registration = successful_data(&anna_second_session.register_passkey(&phone, "Phone").await);
    assert_eq!(
        second_registration["recovery_codes"],
        json!([]),
        "an account with recovery codes must not get new ones"
    );
    anna_second_session.sign_in_with_passkey(&phone).await.session_token();
    let rename_response = anna_second_session
        .send(
            "PATCH",
            &format!("{PASSKEYS_PATH}/{}", second_registration["passkey"]["id"]),
            &json!({ "name": "New phone" }),
        )
        .await;
    assert_eq!(successful_data(&rename_response)["name"], "New phone");
    assert_eq!(count_audits(&panel, "second_factor.passkey_renamed").await, 1);

    panel.execute(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await;
    let begin_registration = format!("{PASSKEYS_PATH}/begin");
    assert_eq!(
        anna_second_session.send("POST", &begin_registration, &Value::Null).await.status_and_code(),
        (403, "confirmation_required".into())
    );
    let response = phone.answer_challenge(&anna_second_session.begin_confirmation().await);
    successful_data(&anna_second_session.send("POST", CONFIRM_PATH, &json!({ "passkey": response })).await);
    assert_eq!(anna_second_session.send("POST", &begin_registration, &Value::Null).await.status, 200);

    // The removal of the last passkey disables the second factor.
    let proof =
        json!({ "passkey": laptop.answer_challenge(&anna_second_session.begin_confirmation().await) });
    assert_eq!(
        anna_second_session
            .remove_passkey(&second_registration["passkey"]["id"], json!({ "otp": "123456" }))
            .await
            .status_and_code(),
        (422, "otp_wrong".into())
    );
    assert_eq!(
        anna_second_session.remove_passkey(&second_registration["passkey"]["id"], proof).await.status,
        204
    );
    let proof_body =
        json!({ "passkey": laptop.answer_challenge(&anna_second_session.begin_confirmation().await) });
    assert_eq!(
        anna_second_session.remove_passkey(&registration["passkey"]["id"], proof_body).await.status,
        204
    );
    assert_eq!(anna_second_session.fetch_factor_state().await["recovery_codes_left"], 0);
    assert_eq!(
        (
            count_audits(&panel, "second_factor.passkey_removed").await,
            count_emails(&panel, "was removed").await
        ),
        (2, 2)
    );
    anna.sign_in_with(json!({})).await.session_token();
}

async fn registration_rejects_bad_names_forged_credentials_and_used_ceremonies(dialect: Dialect) {
    let panel = start_panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let key = Authenticator::new(1);
    for name in ["", "  ", &"x".repeat(61)] {
        assert_eq!(
            anna.register_passkey(&key, name).await.json()["errors"]
                .as_object()
                .unwrap()
                .keys()
                .collect::<Vec<_>>(),
            ["name"]
        );
    }
    let rejection = (422, "passkey_rejected".to_owned());
    let forged_authenticators = [
        Authenticator { origin: "https://panel.example.org".into(), ..key.clone() },
        Authenticator { relying_party: "panel.example.org".into(), ..key.clone() },
        Authenticator { verifies_user: false, ..key.clone() },
    ];
    for forged_authenticator in &forged_authenticators {
        assert_eq!(anna.register_passkey(forged_authenticator, "Key").await.status_and_code(), rejection);
    }
    let ceremony = anna.begin_registration().await;
    let body = json!({ "name": "Key", "ceremony": ceremony["ceremony"], "credential": { "id": "x" } });
    assert_eq!(anna.send("POST", PASSKEYS_PATH, &body).await.status_and_code(), rejection);
    let ceremony_over_error = (422, "passkey_ceremony_over".to_owned());
    assert_eq!(
        anna.finish_registration(&ceremony, &key, "Key").await.status_and_code(),
        ceremony_over_error,
        "a rejected credential must end the ceremony"
    );
    let (older_ceremony, newer_ceremony) = (anna.begin_registration().await, anna.begin_registration().await);
    assert_eq!(
        anna.finish_registration(&older_ceremony, &key, "Key").await.status_and_code(),
        ceremony_over_error,
        "a newer ceremony must replace the older one"
    );
    let other_session = StaffSession::sign_in(&panel, ANNA_EMAIL).await;
    assert_eq!(
        other_session.finish_registration(&newer_ceremony, &key, "Key").await.status_and_code(),
        ceremony_over_error,
        "a ceremony must belong to one session"
    );
    let refreshed_token = panel.refresh_session(&anna.token).await.session_token();
    let anna = StaffSession { token: refreshed_token, ..anna };
    assert_eq!(
        anna.finish_registration(&newer_ceremony, &key, "Key").await.status,
        200,
        "a refreshed token must belong to the same session"
    );
    assert_eq!(anna.fetch_factor_state().await["passkeys"], 1);
}

async fn rejects_forged_and_foreign_assertions(dialect: Dialect) {
    let panel = start_panel(dialect).await;
    let (anna, bert) =
        (StaffSession::new(&panel, ANNA_EMAIL).await, StaffSession::new(&panel, BERT_EMAIL).await);
    let (anna_key, bert_key) = (Authenticator::new(1), Authenticator::new(2));
    successful_data(&anna.register_passkey(&anna_key, "Hers").await);
    successful_data(&bert.register_passkey(&bert_key, "His").await);
    let forged_authenticators = [
        Authenticator { origin: "https://panel.example.com.evil.example".into(), ..anna_key.clone() },
        Authenticator { origin: "http://panel.example.com".into(), ..anna_key.clone() },
        Authenticator { relying_party: "example.com".into(), ..anna_key.clone() },
        Authenticator { verifies_user: false, ..anna_key.clone() },
        bert_key.clone(),
    ];
    for forged_authenticator in &forged_authenticators {
        let response = anna.sign_in_with_passkey(forged_authenticator).await;
        assert_eq!(response.status_and_code(), passkey_wrong_error(), "{}", response.text);
        assert!(
            response.json()["second_factor"]["passkey"]["ceremony"].is_string(),
            "the error must contain a new challenge"
        );
    }
    // A valid assertion of Bert for his own challenge is sent for Anna's account.
    let requested_factor = bert.request_second_factor().await;
    let response = json!({ "passkey": bert_key.answer_challenge(&requested_factor["passkey"]) });
    assert_eq!(anna.sign_in_with(response.clone()).await.status_and_code(), passkey_wrong_error());
    bert.sign_in_with(response).await.session_token();
    let malformed_passkey = json!({ "ceremony": anna.request_second_factor().await["passkey"]["ceremony"], "credential": { "id": [1] } });
    assert_eq!(
        anna.sign_in_with(json!({ "passkey": malformed_passkey })).await.status_and_code(),
        passkey_wrong_error()
    );
    let wrong_password_body = json!({ "email": ANNA_EMAIL, "password": "a wrong one", "passkey": anna_key.answer_challenge(&anna.request_second_factor().await["passkey"]) });
    let response = panel.request_from("203.0.113.9", None, "POST", "/login", &wrong_password_body).await;
    assert_eq!(response.status_and_code(), (422, "wrong_credentials".into()));
    assert!(response.json()["second_factor"].is_null());
    anna.sign_in_with_passkey(&anna_key).await.session_token();
}

async fn a_challenge_works_once_within_five_minutes_and_only_for_its_purpose(dialect: Dialect) {
    let panel = start_panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let key = Authenticator::new(1);
    successful_data(&anna.register_passkey(&key, "Key").await);
    let response_body =
        json!({ "passkey": key.answer_challenge(&anna.request_second_factor().await["passkey"]) });
    anna.sign_in_with(response_body.clone()).await.session_token();
    assert_eq!(
        anna.sign_in_with(response_body).await.status_and_code(),
        passkey_wrong_error(),
        "an assertion must not be accepted twice"
    );
    let repeated_body =
        json!({ "passkey": key.answer_challenge(&anna.request_second_factor().await["passkey"]) });
    let (first_response, second_response) =
        tokio::join!(anna.sign_in_with(repeated_body.clone()), anna.sign_in_with(repeated_body));
    let mut statuses = [first_response.status.as_u16(), second_response.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422], "exactly one of two concurrent requests must sign in");

    let sign_in_assertion = key.answer_challenge(&anna.request_second_factor().await["passkey"]);
    let rejection = anna.send("POST", CONFIRM_PATH, &json!({ "passkey": sign_in_assertion })).await;
    assert_eq!(
        rejection.status_and_code(),
        (422, "confirmation_wrong".into()),
        "a challenge for sign-in must not confirm an action"
    );
    let confirmation_assertion_body =
        json!({ "passkey": key.answer_challenge(&anna.begin_confirmation().await) });
    assert_eq!(anna.sign_in_with(confirmation_assertion_body).await.status_and_code(), passkey_wrong_error());

    let (accepted_challenge, expired_challenge) =
        (anna.request_second_factor().await, anna.request_second_factor().await);
    panel.clock.advance_secs(299);
    anna.sign_in_with(json!({ "passkey": key.answer_challenge(&accepted_challenge["passkey"]) }))
        .await
        .session_token();
    panel.clock.advance_secs(1);
    assert_eq!(
        anna.sign_in_with(json!({ "passkey": key.answer_challenge(&expired_challenge["passkey"]) }))
            .await
            .status_and_code(),
        passkey_wrong_error()
    );
    panel.clock.advance_secs(301);
    retention::remove_expired_records(&panel.app, None).await.unwrap();
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM passkey_ceremonies")).await, 0);
}

async fn rejects_a_signature_counter_that_does_not_increase(dialect: Dialect) {
    let panel = start_panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let key = |counter| Authenticator { counter, ..Authenticator::new(1) };
    successful_data(&anna.register_passkey(&key(3), "Key").await);
    anna.sign_in_with_passkey(&key(5)).await.session_token();
    for counter in [5, 4, 0] {
        assert_eq!(
            anna.sign_in_with_passkey(&key(counter)).await.status_and_code(),
            passkey_wrong_error(),
            "{counter}"
        );
    }
    assert_eq!(
        (
            count_audits(&panel, "second_factor.passkey_copied").await,
            count_emails(&panel, "may have been copied").await
        ),
        (3, 3)
    );
    // Two challenges are open. The server compares with the stored counter, not with the counter at the start of the challenge.
    let (first_challenge, second_challenge) =
        (anna.request_second_factor().await, anna.request_second_factor().await);
    anna.sign_in_with(json!({ "passkey": key(9).answer_challenge(&first_challenge["passkey"]) }))
        .await
        .session_token();
    assert_eq!(
        anna.sign_in_with(json!({ "passkey": key(9).answer_challenge(&second_challenge["passkey"]) }))
            .await
            .status_and_code(),
        passkey_wrong_error()
    );
    anna.sign_in_with_passkey(&key(10)).await.session_token();
}

async fn wrong_passkeys_are_throttled_like_wrong_codes(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.public_url = Some(ORIGIN.into())).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let key = Authenticator::new(1);
    successful_data(&anna.register_passkey(&key, "Key").await);
    let mut requested_factor = anna.request_second_factor().await;
    let mut responses = Vec::new();
    for _ in 0..6 {
        let response = anna
            .sign_in_with(
                json!({ "passkey": Authenticator::new(2).answer_challenge(&requested_factor["passkey"]) }),
            )
            .await;
        responses.push(response.status.as_u16());
        requested_factor = response.json()["second_factor"].clone();
    }
    assert_eq!(responses, [422, 422, 422, 422, 422, 429]);
    let challenge = anna.begin_confirmation().await;
    let mut responses = Vec::new();
    for _ in 0..6 {
        let response_body = json!({ "passkey": Authenticator::new(2).answer_challenge(&challenge) });
        responses.push(anna.send("POST", CONFIRM_PATH, &response_body).await.status.as_u16());
    }
    assert_eq!(responses, [422, 422, 422, 422, 422, 429]);
}

/// Gives the user a role that requires a second factor.
async fn require_second_factor(panel: &Panel, email: &'static str) {
    let role_body =
        json!({ "name": "Cashier", "permissions": ["view orders"], "requires_second_factor": true });
    let id = successful_data(&panel.post("/api/v1/admin/roles", &role_body).await)["id"].as_i64().unwrap();
    let sql = "INSERT INTO user_roles (user_id, role_id) SELECT id, ? FROM users WHERE email = ?";
    panel.execute(Sql::new(sql).bind(id).bind(email)).await;
}

async fn the_last_second_factor_that_a_role_requires_cannot_be_removed(dialect: Dialect) {
    let panel = start_panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    require_second_factor(&panel, ANNA_EMAIL).await;
    let orders_path = "/api/v1/admin/orders?length=1";
    let rejection = anna.send("GET", orders_path, &Value::Null).await.status_and_code();
    assert_eq!(rejection, (403, "second_factor_required".into()));
    assert_eq!(anna.send("GET", PASSKEYS_PATH, &Value::Null).await.status, 200);
    let first_registration = successful_data(&anna.register_passkey(&Authenticator::new(1), "First").await);
    assert_eq!(anna.send("GET", orders_path, &Value::Null).await.status, 200);
    let recovery_code_body = |index: usize| json!({ "otp": first_registration["recovery_codes"][index] });
    let still_required_error = (409, "second_factor_is_required".to_owned());
    assert_eq!(
        anna.remove_passkey(&first_registration["passkey"]["id"], recovery_code_body(0))
            .await
            .status_and_code(),
        still_required_error
    );
    successful_data(&anna.register_passkey(&Authenticator::new(2), "Second").await);
    assert_eq!(
        anna.remove_passkey(&first_registration["passkey"]["id"], recovery_code_body(0)).await.status,
        204,
        "a rejected request must not use up the recovery code"
    );
    let remaining_id = successful_data(&anna.send("GET", PASSKEYS_PATH, &Value::Null).await)[0]["id"].clone();
    assert_eq!(
        anna.remove_passkey(&remaining_id, recovery_code_body(1)).await.status_and_code(),
        still_required_error
    );
    // If no passkey is left, the role requires a second factor again, even if the passkey was not removed by a request.
    panel.execute(Sql::new("DELETE FROM passkeys")).await;
    assert_eq!(anna.send("GET", orders_path, &Value::Null).await.status_and_code(), rejection);
}

async fn the_authenticator_app_can_be_removed_while_a_passkey_remains(dialect: Dialect) {
    let panel = start_panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    require_second_factor(&panel, ANNA_EMAIL).await;
    let enrolment = successful_data(&anna.send("POST", FACTOR_PATH, &Value::Null).await);
    let totp_code_after = |seconds: i64| {
        let secret = Secret::try_from_base32(enrolment["secret"].as_str().unwrap()).unwrap();
        let totp = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
        totp.generate(u64::try_from(NOW / 1_000_000 + seconds).unwrap()).to_string()
    };
    successful_data(
        &anna.send("POST", &format!("{FACTOR_PATH}/confirm"), &json!({ "otp": totp_code_after(0) })).await,
    );
    let key = Authenticator::new(1);
    successful_data(&anna.register_passkey(&key, "Key").await);
    assert_eq!(anna.request_second_factor().await["methods"], json!(["totp", "passkey", "recovery_code"]));
    panel.clock.advance_secs(30);
    anna.sign_in_with(json!({ "otp": totp_code_after(30) })).await.session_token();
    let proof =
        json!({ "password": PASSWORD, "passkey": key.answer_challenge(&anna.begin_confirmation().await) });
    assert_eq!(anna.send("DELETE", FACTOR_PATH, &proof).await.status, 204, "a passkey must satisfy the role");
    let factor_state = anna.fetch_factor_state().await;
    assert_eq!(
        (&factor_state["is_enabled"], &factor_state["recovery_codes_left"]),
        (&json!(true), &json!(10))
    );
    assert_eq!(anna.request_second_factor().await["methods"], json!(["passkey", "recovery_code"]));
    let proof =
        json!({ "password": PASSWORD, "passkey": key.answer_challenge(&anna.begin_confirmation().await) });
    let rejection = anna.send("DELETE", FACTOR_PATH, &proof).await.status_and_code();
    assert_eq!(rejection, (409, "no_authenticator_app".into()));
    let proof_body =
        json!({ "password": PASSWORD, "passkey": key.answer_challenge(&anna.begin_confirmation().await) });
    let codes =
        successful_data(&anna.send("POST", &format!("{FACTOR_PATH}/recovery-codes"), &proof_body).await);
    anna.sign_in_with(json!({ "otp": codes["recovery_codes"][0] })).await.session_token();
}

async fn another_staff_member_resets_the_second_factor(dialect: Dialect) {
    let panel = start_panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    successful_data(&anna.register_passkey(&Authenticator::new(1), "Key").await);
    let id = panel.fetch_number(Sql::new("SELECT id FROM users WHERE email = ?").bind(ANNA_EMAIL)).await;
    let reset_response =
        panel.post(&format!("/api/v1/admin/staffs/{id}/reset-second-factor"), &json!({})).await;
    assert_eq!(reset_response.status, 204, "{}", reset_response.text);
    assert_eq!(
        panel.profile_status(&anna.token).await.0,
        401,
        "a reset must end the sessions of the account"
    );
    let count_factors_sql = "SELECT (SELECT count(*) FROM passkeys) + (SELECT count(*) FROM recovery_codes)";
    assert_eq!(panel.fetch_number(Sql::new(count_factors_sql)).await, 0);
    assert_eq!(
        (count_audits(&panel, "second_factor.reset").await, count_emails(&panel, "removed by another").await),
        (1, 1)
    );
    StaffSession::sign_in(&panel, ANNA_EMAIL).await;
}

async fn an_account_has_at_most_ten_passkeys_and_each_belongs_to_one_account(dialect: Dialect) {
    let panel = start_panel(dialect).await;
    let (anna, bert) =
        (StaffSession::new(&panel, ANNA_EMAIL).await, StaffSession::new(&panel, BERT_EMAIL).await);
    successful_data(&bert.register_passkey(&Authenticator::new(1), "His").await);
    let error_of_used_credential =
        anna.register_passkey(&Authenticator::new(1), "Mine").await.status_and_code();
    assert_eq!(
        error_of_used_credential,
        (409, "passkey_taken".into()),
        "a credential must belong to one account"
    );
    for number in 2..=11 {
        successful_data(&anna.register_passkey(&Authenticator::new(number), &format!("Key {number}")).await);
    }
    let error_at_limit =
        anna.send("POST", &format!("{PASSKEYS_PATH}/begin"), &Value::Null).await.status_and_code();
    assert_eq!(error_at_limit, (409, "too_many_passkeys".into()));
    let bert_passkey_id =
        successful_data(&bert.send("GET", PASSKEYS_PATH, &Value::Null).await)[0]["id"].clone();
    let proof_body =
        json!({ "passkey": Authenticator::new(2).answer_challenge(&anna.begin_confirmation().await) });
    assert_eq!(
        anna.remove_passkey(&bert_passkey_id, proof_body).await.status_and_code().0,
        404,
        "a caller must not remove a passkey of another account"
    );
    assert_eq!(
        anna.send("PATCH", &format!("{PASSKEYS_PATH}/{bert_passkey_id}"), &json!({ "name": "Mine" }))
            .await
            .status_and_code()
            .0,
        404
    );
}

async fn passkeys_require_an_https_public_url(dialect: Dialect) {
    let panel =
        Panel::with_config(dialect, |config| config.public_url = Some("http://panel.example.com".into()))
            .await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let rejection = anna.send("POST", &format!("{PASSKEYS_PATH}/begin"), &Value::Null).await;
    assert_eq!(rejection.status_and_code(), (409, "passkeys_unavailable".into()));
    assert!(rejection.text.contains("public_url"), "{}", rejection.text);
}
