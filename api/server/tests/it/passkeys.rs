//! Passkeys as a second factor, from registration to reset: which assertions the server accepts, once and only once, and which
//! it refuses.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::background::retention;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::authenticator::{Authenticator, ORIGIN};
use crate::panel::{Answer, NOW, Panel};
use crate::people::PASSWORD;

both! {
    a_passkey_signs_in_and_confirms;
    registration_refuses_bad_names_forged_credentials_and_used_ceremonies;
    refuses_forged_and_foreign_assertions;
    a_challenge_works_once_within_five_minutes_and_only_for_its_purpose;
    refuses_a_signature_counter_that_does_not_increase;
    wrong_passkeys_are_throttled_like_wrong_codes;
    a_passkey_satisfies_a_role_and_the_last_factor_cannot_be_removed;
    the_authenticator_app_can_be_removed_while_a_passkey_remains;
    another_staff_member_resets_the_second_factor;
    an_account_has_at_most_ten_passkeys_and_each_belongs_to_one_account;
    passkeys_need_an_https_public_url;
}

const PASSKEYS: &str = "/api/v1/profile/passkeys";
const FACTOR: &str = "/api/v1/profile/second-factor";
const CONFIRM: &str = "/api/v1/profile/confirm";
const ANNA_EMAIL: &str = "anna@panel.test";
const BERT_EMAIL: &str = "bert@panel.test";

/// A panel at the origin of the test authenticators, with limits that do not throttle the sign-ins of a test.
async fn panel(dialect: Dialect) -> Panel {
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
        Self { panel, email, token: panel.login(email, PASSWORD).await.token() }
    }

    async fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.panel.call("203.0.113.7", Some(&self.token), method, path, body).await
    }

    async fn begin_registration(&self) -> Value {
        data(&self.call("POST", &format!("{PASSKEYS}/begin"), &Value::Null).await)
    }

    async fn register(&self, key: &Authenticator, name: &str) -> Answer {
        let ceremony = self.begin_registration().await;
        self.finish_registration(&ceremony, key, name).await
    }

    async fn finish_registration(&self, ceremony: &Value, key: &Authenticator, name: &str) -> Answer {
        let credential = key.create(&ceremony["options"]);
        let body = json!({ "name": name, "ceremony": ceremony["ceremony"], "credential": credential });
        self.call("POST", PASSKEYS, &body).await
    }

    /// A challenge that confirms an action of the signed-in session.
    async fn challenge(&self) -> Value {
        data(&self.call("POST", &format!("{PASSKEYS}/challenge"), &Value::Null).await)
    }

    async fn remove(&self, id: &Value, proof: Value) -> Answer {
        let mut body = json!({ "password": PASSWORD });
        body.as_object_mut().unwrap().extend(proof.as_object().unwrap().clone());
        self.call("DELETE", &format!("{PASSKEYS}/{id}"), &body).await
    }

    /// Signs in with the password and the given second factor, `{}` for none.
    async fn sign_in_with(&self, factor: Value) -> Answer {
        let mut body = json!({ "email": self.email, "password": PASSWORD });
        body.as_object_mut().unwrap().extend(factor.as_object().unwrap().clone());
        self.panel.call("203.0.113.9", None, "POST", "/login", &body).await
    }

    /// The second factor that a sign-in with the right password still needs: methods and a passkey challenge.
    async fn requested_factor(&self) -> Value {
        let answer = self.sign_in_with(json!({})).await;
        assert_eq!(answer.status_and_code(), (422, "otp_required".into()), "{}", answer.text);
        answer.json()["second_factor"].clone()
    }

    /// Signs in with the password and a passkey.
    async fn sign_in_with_passkey(&self, key: &Authenticator) -> Answer {
        let requested_factor = self.requested_factor().await;
        self.sign_in_with(json!({ "passkey": key.answer(&requested_factor["passkey"]) })).await
    }

    async fn state(&self) -> Value {
        data(&self.call("GET", FACTOR, &Value::Null).await)
    }
}

fn data(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"].clone()
}

fn passkey_wrong() -> (u16, String) {
    (422, "passkey_wrong".into())
}

async fn audit_count(panel: &Panel, event: &'static str) -> i64 {
    panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
}

async fn mail_count(panel: &Panel, text: &str) -> i64 {
    let sql = "SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE ?";
    panel.number(Sql::new(sql).bind(format!("%{text}%"))).await
}

async fn a_passkey_signs_in_and_confirms(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let other = panel.login(ANNA_EMAIL, PASSWORD).await.token();
    let (laptop, phone) = (Authenticator::new(1), Authenticator::new(2));
    let registered = data(&anna.register(&laptop, " Work laptop ").await);
    assert_eq!(registered["recovery_codes"].as_array().unwrap().len(), 10);
    assert_eq!(registered["passkey"]["name"], "Work laptop");
    assert_eq!(panel.who_am_i(&other).await, (401, "token_ended".into()), "other sessions end");
    assert_eq!(
        anna.state().await,
        json!({ "is_enabled": true, "has_authenticator_app": false, "passkeys": 1, "is_required": false, "recovery_codes_left": 10, "is_app_removable": false })
    );
    assert_eq!(audit_count(&panel, "second_factor.passkey_added").await, 1);
    assert_eq!(mail_count(&panel, "Work laptop%was added").await, 1);

    let requested_factor = anna.requested_factor().await;
    assert_eq!(requested_factor["methods"], json!(["passkey", "recovery_code"]));
    assert_eq!(requested_factor["passkey"]["options"]["userVerification"], "required");
    assert_eq!(requested_factor["passkey"]["options"]["rpId"], "panel.example.com");
    let token = anna.sign_in_with_passkey(&laptop).await.token();
    let anna_again = StaffSession { panel: &panel, email: ANNA_EMAIL, token };
    let listed = data(&anna_again.call("GET", PASSKEYS, &Value::Null).await);
    assert!(listed[0]["last_used_at"].is_string() && listed.as_array().unwrap().len() == 1, "{listed}");

    let second = data(&anna_again.register(&phone, "Phone").await);
    assert_eq!(second["recovery_codes"], json!([]), "the account already has recovery codes");
    anna_again.sign_in_with_passkey(&phone).await.token();
    let renamed = anna_again
        .call("PATCH", &format!("{PASSKEYS}/{}", second["passkey"]["id"]), &json!({ "name": "New phone" }))
        .await;
    assert_eq!(data(&renamed)["name"], "New phone");
    assert_eq!(audit_count(&panel, "second_factor.passkey_renamed").await, 1);

    panel.execute(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await;
    let begin_registration = format!("{PASSKEYS}/begin");
    assert_eq!(
        anna_again.call("POST", &begin_registration, &Value::Null).await.status_and_code(),
        (403, "confirmation_required".into())
    );
    let answer = phone.answer(&anna_again.challenge().await);
    data(&anna_again.call("POST", CONFIRM, &json!({ "passkey": answer })).await);
    assert_eq!(anna_again.call("POST", &begin_registration, &Value::Null).await.status, 200);

    // Removing the last passkey disables the second factor.
    let proof = json!({ "passkey": laptop.answer(&anna_again.challenge().await) });
    assert_eq!(
        anna_again.remove(&second["passkey"]["id"], json!({ "otp": "123456" })).await.status_and_code(),
        (422, "otp_wrong".into())
    );
    assert_eq!(anna_again.remove(&second["passkey"]["id"], proof).await.status, 204);
    let proof = json!({ "passkey": laptop.answer(&anna_again.challenge().await) });
    assert_eq!(anna_again.remove(&registered["passkey"]["id"], proof).await.status, 204);
    assert_eq!(anna_again.state().await["recovery_codes_left"], 0);
    assert_eq!(
        (audit_count(&panel, "second_factor.passkey_removed").await, mail_count(&panel, "was removed").await),
        (2, 2)
    );
    anna.sign_in_with(json!({})).await.token();
}

async fn registration_refuses_bad_names_forged_credentials_and_used_ceremonies(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let key = Authenticator::new(1);
    for name in ["", "  ", &"x".repeat(61)] {
        assert_eq!(
            anna.register(&key, name).await.json()["errors"].as_object().unwrap().keys().collect::<Vec<_>>(),
            ["name"]
        );
    }
    let refused = (422, "passkey_refused".to_owned());
    let forgeries = [
        Authenticator { origin: "https://panel.example.org".into(), ..key.clone() },
        Authenticator { relying_party: "panel.example.org".into(), ..key.clone() },
        Authenticator { verifies_user: false, ..key.clone() },
    ];
    for forgery in &forgeries {
        assert_eq!(anna.register(forgery, "Key").await.status_and_code(), refused);
    }
    let ceremony = anna.begin_registration().await;
    let body = json!({ "name": "Key", "ceremony": ceremony["ceremony"], "credential": { "id": "x" } });
    assert_eq!(anna.call("POST", PASSKEYS, &body).await.status_and_code(), refused);
    let ceremony_over = (422, "passkey_ceremony_over".to_owned());
    assert_eq!(
        anna.finish_registration(&ceremony, &key, "Key").await.status_and_code(),
        ceremony_over,
        "the refused credential used the ceremony up"
    );
    let (older, newer) = (anna.begin_registration().await, anna.begin_registration().await);
    assert_eq!(
        anna.finish_registration(&older, &key, "Key").await.status_and_code(),
        ceremony_over,
        "a newer ceremony replaces it"
    );
    let other_session = StaffSession::sign_in(&panel, ANNA_EMAIL).await;
    assert_eq!(
        other_session.finish_registration(&newer, &key, "Key").await.status_and_code(),
        ceremony_over,
        "the ceremony belongs to another session"
    );
    let refreshed = panel.refresh(&anna.token).await.token();
    let anna = StaffSession { token: refreshed, ..anna };
    assert_eq!(
        anna.finish_registration(&newer, &key, "Key").await.status,
        200,
        "a refreshed token belongs to the same session"
    );
    assert_eq!(anna.state().await["passkeys"], 1);
}

async fn refuses_forged_and_foreign_assertions(dialect: Dialect) {
    let panel = panel(dialect).await;
    let (anna, bert) =
        (StaffSession::new(&panel, ANNA_EMAIL).await, StaffSession::new(&panel, BERT_EMAIL).await);
    let (anna_key, bert_key) = (Authenticator::new(1), Authenticator::new(2));
    data(&anna.register(&anna_key, "Hers").await);
    data(&bert.register(&bert_key, "His").await);
    let forgeries = [
        Authenticator { origin: "https://panel.example.com.evil.example".into(), ..anna_key.clone() },
        Authenticator { origin: "http://panel.example.com".into(), ..anna_key.clone() },
        Authenticator { relying_party: "example.com".into(), ..anna_key.clone() },
        Authenticator { verifies_user: false, ..anna_key.clone() },
        bert_key.clone(),
    ];
    for forgery in &forgeries {
        let answer = anna.sign_in_with_passkey(forgery).await;
        assert_eq!(answer.status_and_code(), passkey_wrong(), "{}", answer.text);
        assert!(
            answer.json()["second_factor"]["passkey"]["ceremony"].is_string(),
            "the error has a new challenge"
        );
    }
    // Bert's valid assertion for his own challenge, sent for Anna's account.
    let requested_factor = bert.requested_factor().await;
    let answer = json!({ "passkey": bert_key.answer(&requested_factor["passkey"]) });
    assert_eq!(anna.sign_in_with(answer.clone()).await.status_and_code(), passkey_wrong());
    bert.sign_in_with(answer).await.token();
    let garbage = json!({ "ceremony": anna.requested_factor().await["passkey"]["ceremony"], "credential": { "id": [1] } });
    assert_eq!(anna.sign_in_with(json!({ "passkey": garbage })).await.status_and_code(), passkey_wrong());
    let wrong_password = json!({ "email": ANNA_EMAIL, "password": "a wrong one", "passkey": anna_key.answer(&anna.requested_factor().await["passkey"]) });
    let answer = panel.call("203.0.113.9", None, "POST", "/login", &wrong_password).await;
    assert_eq!(answer.status_and_code(), (422, "wrong_credentials".into()));
    assert!(answer.json()["second_factor"].is_null());
    anna.sign_in_with_passkey(&anna_key).await.token();
}

async fn a_challenge_works_once_within_five_minutes_and_only_for_its_purpose(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let key = Authenticator::new(1);
    data(&anna.register(&key, "Key").await);
    let answer = json!({ "passkey": key.answer(&anna.requested_factor().await["passkey"]) });
    anna.sign_in_with(answer.clone()).await.token();
    assert_eq!(anna.sign_in_with(answer).await.status_and_code(), passkey_wrong(), "a replay");
    let same = json!({ "passkey": key.answer(&anna.requested_factor().await["passkey"]) });
    let (first, second) = tokio::join!(anna.sign_in_with(same.clone()), anna.sign_in_with(same));
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422], "one of two concurrent requests signs in");

    let for_sign_in = key.answer(&anna.requested_factor().await["passkey"]);
    let refused = anna.call("POST", CONFIRM, &json!({ "passkey": for_sign_in })).await;
    assert_eq!(
        refused.status_and_code(),
        (422, "confirmation_wrong".into()),
        "a challenge for sign-in cannot confirm an action"
    );
    let for_confirming = json!({ "passkey": key.answer(&anna.challenge().await) });
    assert_eq!(anna.sign_in_with(for_confirming).await.status_and_code(), passkey_wrong());

    let (just_in_time, expired) = (anna.requested_factor().await, anna.requested_factor().await);
    panel.clock.advance_secs(299);
    anna.sign_in_with(json!({ "passkey": key.answer(&just_in_time["passkey"]) })).await.token();
    panel.clock.advance_secs(1);
    assert_eq!(
        anna.sign_in_with(json!({ "passkey": key.answer(&expired["passkey"]) })).await.status_and_code(),
        passkey_wrong()
    );
    panel.clock.advance_secs(301);
    retention::remove_due(&panel.app, None).await.unwrap();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM passkey_ceremonies")).await, 0);
}

async fn refuses_a_signature_counter_that_does_not_increase(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let key = |counter| Authenticator { counter, ..Authenticator::new(1) };
    data(&anna.register(&key(3), "Key").await);
    anna.sign_in_with_passkey(&key(5)).await.token();
    for counter in [5, 4, 0] {
        assert_eq!(
            anna.sign_in_with_passkey(&key(counter)).await.status_and_code(),
            passkey_wrong(),
            "{counter}"
        );
    }
    assert_eq!(
        (
            audit_count(&panel, "second_factor.passkey_copied").await,
            mail_count(&panel, "may have been copied").await
        ),
        (3, 3)
    );
    // Two challenges are open at once. The server compares with the stored counter, not with the counter when the challenge began.
    let (first, second) = (anna.requested_factor().await, anna.requested_factor().await);
    anna.sign_in_with(json!({ "passkey": key(9).answer(&first["passkey"]) })).await.token();
    assert_eq!(
        anna.sign_in_with(json!({ "passkey": key(9).answer(&second["passkey"]) })).await.status_and_code(),
        passkey_wrong()
    );
    anna.sign_in_with_passkey(&key(10)).await.token();
}

async fn wrong_passkeys_are_throttled_like_wrong_codes(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.public_url = Some(ORIGIN.into())).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let key = Authenticator::new(1);
    data(&anna.register(&key, "Key").await);
    let mut requested_factor = anna.requested_factor().await;
    let mut answers = Vec::new();
    for _ in 0..6 {
        let answer = anna
            .sign_in_with(json!({ "passkey": Authenticator::new(2).answer(&requested_factor["passkey"]) }))
            .await;
        answers.push(answer.status.as_u16());
        requested_factor = answer.json()["second_factor"].clone();
    }
    assert_eq!(answers, [422, 422, 422, 422, 422, 429]);
    let challenge = anna.challenge().await;
    let mut answers = Vec::new();
    for _ in 0..6 {
        let answer = json!({ "passkey": Authenticator::new(2).answer(&challenge) });
        answers.push(anna.call("POST", CONFIRM, &answer).await.status.as_u16());
    }
    assert_eq!(answers, [422, 422, 422, 422, 422, 429]);
}

/// Gives a role that requires a second factor.
async fn require_second_factor(panel: &Panel, email: &'static str) {
    let role = json!({ "name": "Cashier", "permissions": ["view orders"], "requires_second_factor": true });
    let id = data(&panel.post("/api/v1/admin/roles", &role).await)["id"].as_i64().unwrap();
    let sql = "INSERT INTO user_roles (user_id, role_id) SELECT id, ? FROM users WHERE email = ?";
    panel.execute(Sql::new(sql).bind(id).bind(email)).await;
}

async fn a_passkey_satisfies_a_role_and_the_last_factor_cannot_be_removed(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    require_second_factor(&panel, ANNA_EMAIL).await;
    let orders = "/api/v1/admin/orders?length=1";
    let refused = anna.call("GET", orders, &Value::Null).await.status_and_code();
    assert_eq!(refused, (403, "second_factor_required".into()));
    assert_eq!(anna.call("GET", PASSKEYS, &Value::Null).await.status, 200);
    let first = data(&anna.register(&Authenticator::new(1), "First").await);
    assert_eq!(anna.call("GET", orders, &Value::Null).await.status, 200);
    let code = |n: usize| json!({ "otp": first["recovery_codes"][n] });
    let still_required = (409, "second_factor_is_required".to_owned());
    assert_eq!(anna.remove(&first["passkey"]["id"], code(0)).await.status_and_code(), still_required);
    data(&anna.register(&Authenticator::new(2), "Second").await);
    assert_eq!(
        anna.remove(&first["passkey"]["id"], code(0)).await.status,
        204,
        "the refused request did not use up the recovery code"
    );
    let remaining = data(&anna.call("GET", PASSKEYS, &Value::Null).await)[0]["id"].clone();
    assert_eq!(anna.remove(&remaining, code(1)).await.status_and_code(), still_required);
    // Once no passkey is left, however it was removed, the role requires a second factor again.
    panel.execute(Sql::new("DELETE FROM passkeys")).await;
    assert_eq!(anna.call("GET", orders, &Value::Null).await.status_and_code(), refused);
}

async fn the_authenticator_app_can_be_removed_while_a_passkey_remains(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    require_second_factor(&panel, ANNA_EMAIL).await;
    let enrolment = data(&anna.call("POST", FACTOR, &Value::Null).await);
    let totp_code = |seconds: i64| {
        let secret = Secret::try_from_base32(enrolment["secret"].as_str().unwrap()).unwrap();
        let totp = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
        totp.generate(u64::try_from(NOW / 1_000_000 + seconds).unwrap()).to_string()
    };
    data(&anna.call("POST", &format!("{FACTOR}/confirm"), &json!({ "otp": totp_code(0) })).await);
    let key = Authenticator::new(1);
    data(&anna.register(&key, "Key").await);
    assert_eq!(anna.requested_factor().await["methods"], json!(["totp", "passkey", "recovery_code"]));
    panel.clock.advance_secs(30);
    anna.sign_in_with(json!({ "otp": totp_code(30) })).await.token();
    let proof = json!({ "password": PASSWORD, "passkey": key.answer(&anna.challenge().await) });
    assert_eq!(anna.call("DELETE", FACTOR, &proof).await.status, 204, "the passkey satisfies the role");
    let state = anna.state().await;
    assert_eq!((&state["is_enabled"], &state["recovery_codes_left"]), (&json!(true), &json!(10)));
    assert_eq!(anna.requested_factor().await["methods"], json!(["passkey", "recovery_code"]));
    let proof = json!({ "password": PASSWORD, "passkey": key.answer(&anna.challenge().await) });
    let refused = anna.call("DELETE", FACTOR, &proof).await.status_and_code();
    assert_eq!(refused, (409, "no_authenticator_app".into()));
    let proof = json!({ "password": PASSWORD, "passkey": key.answer(&anna.challenge().await) });
    let codes = data(&anna.call("POST", &format!("{FACTOR}/recovery-codes"), &proof).await);
    anna.sign_in_with(json!({ "otp": codes["recovery_codes"][0] })).await.token();
}

async fn another_staff_member_resets_the_second_factor(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    data(&anna.register(&Authenticator::new(1), "Key").await);
    let id = panel.number(Sql::new("SELECT id FROM users WHERE email = ?").bind(ANNA_EMAIL)).await;
    let reset = panel.post(&format!("/api/v1/admin/staffs/{id}/reset-second-factor"), &json!({})).await;
    assert_eq!(reset.status, 204, "{}", reset.text);
    assert_eq!(panel.who_am_i(&anna.token).await.0, 401, "the sessions of the account end");
    let factor_rows = "SELECT (SELECT count(*) FROM passkeys) + (SELECT count(*) FROM recovery_codes)";
    assert_eq!(panel.number(Sql::new(factor_rows)).await, 0);
    assert_eq!(
        (audit_count(&panel, "second_factor.reset").await, mail_count(&panel, "removed by another").await),
        (1, 1)
    );
    StaffSession::sign_in(&panel, ANNA_EMAIL).await;
}

async fn an_account_has_at_most_ten_passkeys_and_each_belongs_to_one_account(dialect: Dialect) {
    let panel = panel(dialect).await;
    let (anna, bert) =
        (StaffSession::new(&panel, ANNA_EMAIL).await, StaffSession::new(&panel, BERT_EMAIL).await);
    data(&bert.register(&Authenticator::new(1), "His").await);
    let credential_in_use = anna.register(&Authenticator::new(1), "Mine").await.status_and_code();
    assert_eq!(credential_in_use, (409, "passkey_taken".into()), "a credential belongs to one account");
    for number in 2..=11 {
        data(&anna.register(&Authenticator::new(number), &format!("Key {number}")).await);
    }
    let at_limit = anna.call("POST", &format!("{PASSKEYS}/begin"), &Value::Null).await.status_and_code();
    assert_eq!(at_limit, (409, "too_many_passkeys".into()));
    let bert_passkey_id = data(&bert.call("GET", PASSKEYS, &Value::Null).await)[0]["id"].clone();
    let proof = json!({ "passkey": Authenticator::new(2).answer(&anna.challenge().await) });
    assert_eq!(
        anna.remove(&bert_passkey_id, proof).await.status_and_code().0,
        404,
        "a passkey of another account"
    );
    assert_eq!(
        anna.call("PATCH", &format!("{PASSKEYS}/{bert_passkey_id}"), &json!({ "name": "Mine" }))
            .await
            .status_and_code()
            .0,
        404
    );
}

async fn passkeys_need_an_https_public_url(dialect: Dialect) {
    let panel =
        Panel::with_config(dialect, |config| config.public_url = Some("http://panel.example.com".into()))
            .await;
    let anna = StaffSession::new(&panel, ANNA_EMAIL).await;
    let refused = anna.call("POST", &format!("{PASSKEYS}/begin"), &Value::Null).await;
    assert_eq!(refused.status_and_code(), (409, "passkeys_unavailable".into()));
    assert!(refused.text.contains("public_url"), "{}", refused.text);
}
