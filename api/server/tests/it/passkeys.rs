//! Passkeys as a second factor, from registering to reset: what counts, what works once, and what is refused.

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
    registering_asks_for_a_confirmation_a_name_and_a_true_answer;
    answers_of_others_are_refused;
    a_challenge_works_once_for_five_minutes_for_its_purpose;
    a_counter_that_goes_back_is_refused;
    wrong_answers_are_slowed_down_like_digits;
    a_role_is_satisfied_and_keeps_the_last_factor;
    the_app_and_passkeys_stand_beside_each_other;
    another_member_of_staff_resets_them;
    ten_passkeys_and_none_twice;
    a_panel_without_a_fitting_address_has_none;
}

const MINE: &str = "/api/v1/profile/passkeys";
const FACTOR: &str = "/api/v1/profile/second-factor";
const CONFIRM: &str = "/api/v1/profile/confirm";
const ANNA: &str = "anna@panel.test";
const BERT: &str = "bert@panel.test";

/// A panel with the address that the authenticators know, whose guesses are not slowed down.
async fn panel(dialect: Dialect) -> Panel {
    Panel::with(dialect, |config| {
        config.public_url = Some(ORIGIN.into());
        config.limits.login_failures = 100;
        config.limits.logins_per_minute = 1_000;
    })
    .await
}

/// A signed-in member of staff.
struct Person<'p> {
    panel: &'p Panel,
    email: &'static str,
    token: String,
}

impl<'p> Person<'p> {
    async fn new(panel: &'p Panel, email: &'static str) -> Self {
        panel.person(email, &[Permission::ViewOrders]).await;
        Self::sign_in(panel, email).await
    }

    async fn sign_in(panel: &'p Panel, email: &'static str) -> Self {
        Self { panel, email, token: panel.login(email, PASSWORD).await.token() }
    }

    async fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.panel.call("203.0.113.7", Some(&self.token), method, path, body).await
    }

    async fn begin(&self) -> Value {
        data(&self.call("POST", &format!("{MINE}/begin"), &Value::Null).await)
    }

    async fn register(&self, key: &Authenticator, name: &str) -> Answer {
        let begun = self.begin().await;
        self.finish(&begun, key, name).await
    }

    async fn finish(&self, begun: &Value, key: &Authenticator, name: &str) -> Answer {
        let credential = key.create(&begun["options"]);
        let body = json!({ "name": name, "ceremony": begun["ceremony"], "credential": credential });
        self.call("POST", MINE, &body).await
    }

    /// A challenge within the session.
    async fn challenge(&self) -> Value {
        data(&self.call("POST", &format!("{MINE}/challenge"), &Value::Null).await)
    }

    async fn remove(&self, id: &Value, proof: Value) -> Answer {
        let mut body = json!({ "password": PASSWORD });
        body.as_object_mut().unwrap().extend(proof.as_object().unwrap().clone());
        self.call("DELETE", &format!("{MINE}/{id}"), &body).await
    }

    /// Signs in, with a second factor or without.
    async fn enter(&self, factor: Value) -> Answer {
        let mut body = json!({ "email": self.email, "password": PASSWORD });
        body.as_object_mut().unwrap().extend(factor.as_object().unwrap().clone());
        self.panel.call("203.0.113.9", None, "POST", "/login", &body).await
    }

    /// What a sign-in is asked for.
    async fn asked(&self) -> Value {
        let answer = self.enter(json!({})).await;
        assert_eq!(answer.says(), (422, "otp_required".into()), "{}", answer.text);
        answer.json()["second_factor"].clone()
    }

    /// Signs in with a passkey.
    async fn enter_with(&self, key: &Authenticator) -> Answer {
        let asked = self.asked().await;
        self.enter(json!({ "passkey": key.answer(&asked["passkey"]) })).await
    }

    async fn state(&self) -> Value {
        data(&self.call("GET", FACTOR, &Value::Null).await)
    }
}

fn data(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"].clone()
}

fn wrong() -> (u16, String) {
    (422, "passkey_wrong".into())
}

async fn audited(panel: &Panel, event: &'static str) -> i64 {
    panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
}

async fn mails(panel: &Panel, what: &str) -> i64 {
    let sql = "SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE ?";
    panel.number(Sql::new(sql).bind(format!("%{what}%"))).await
}

async fn a_passkey_signs_in_and_confirms(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = Person::new(&panel, ANNA).await;
    let other = panel.login(ANNA, PASSWORD).await.token();
    let (laptop, phone) = (Authenticator::new(1), Authenticator::new(2));
    let registered = data(&anna.register(&laptop, " Work laptop ").await);
    assert_eq!(registered["recovery_codes"].as_array().unwrap().len(), 10);
    assert_eq!(registered["passkey"]["name"], "Work laptop");
    assert_eq!(panel.who_am_i(&other).await, (401, "token_ended".into()), "other sessions end");
    assert_eq!(
        anna.state().await,
        json!({ "is_enabled": true, "has_authenticator_app": false, "passkeys": 1, "is_required": false, "recovery_codes_left": 10, "is_app_removable": false })
    );
    assert_eq!(audited(&panel, "second_factor.passkey_added").await, 1);
    assert_eq!(mails(&panel, "Work laptop%was added").await, 1);

    let asked = anna.asked().await;
    assert_eq!(asked["methods"], json!(["passkey", "recovery_code"]));
    assert_eq!(asked["passkey"]["options"]["userVerification"], "required");
    assert_eq!(asked["passkey"]["options"]["rpId"], "panel.example.com");
    let token = anna.enter_with(&laptop).await.token();
    let again = Person { panel: &panel, email: ANNA, token };
    let listed = data(&again.call("GET", MINE, &Value::Null).await);
    assert!(listed[0]["last_used_at"].is_string() && listed.as_array().unwrap().len() == 1, "{listed}");

    let second = data(&again.register(&phone, "Phone").await);
    assert_eq!(second["recovery_codes"], json!([]), "the account has codes");
    again.enter_with(&phone).await.token();
    let renamed = again
        .call("PATCH", &format!("{MINE}/{}", second["passkey"]["id"]), &json!({ "name": "New phone" }))
        .await;
    assert_eq!(data(&renamed)["name"], "New phone");
    assert_eq!(audited(&panel, "second_factor.passkey_renamed").await, 1);

    panel.exec(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await;
    let begin = format!("{MINE}/begin");
    assert_eq!(again.call("POST", &begin, &Value::Null).await.says(), (403, "confirmation_required".into()));
    let answer = phone.answer(&again.challenge().await);
    data(&again.call("POST", CONFIRM, &json!({ "passkey": answer })).await);
    assert_eq!(again.call("POST", &begin, &Value::Null).await.status, 200);

    // Of passkeys that are taken away the last one switches the second factor off.
    let proof = json!({ "passkey": laptop.answer(&again.challenge().await) });
    assert_eq!(
        again.remove(&second["passkey"]["id"], json!({ "otp": "123456" })).await.says(),
        (422, "otp_wrong".into())
    );
    assert_eq!(again.remove(&second["passkey"]["id"], proof).await.status, 204);
    let proof = json!({ "passkey": laptop.answer(&again.challenge().await) });
    assert_eq!(again.remove(&registered["passkey"]["id"], proof).await.status, 204);
    assert_eq!(again.state().await["recovery_codes_left"], 0);
    assert_eq!(
        (audited(&panel, "second_factor.passkey_removed").await, mails(&panel, "was removed").await),
        (2, 2)
    );
    anna.enter(json!({})).await.token();
}

async fn registering_asks_for_a_confirmation_a_name_and_a_true_answer(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = Person::new(&panel, ANNA).await;
    let key = Authenticator::new(1);
    for name in ["", "  ", &"x".repeat(61)] {
        assert_eq!(
            anna.register(&key, name).await.json()["errors"].as_object().unwrap().keys().collect::<Vec<_>>(),
            ["name"]
        );
    }
    let refused = (422, "passkey_refused".to_owned());
    let lies = [
        Authenticator { origin: "https://panel.example.org".into(), ..key.clone() },
        Authenticator { rp: "panel.example.org".into(), ..key.clone() },
        Authenticator { verifies_user: false, ..key.clone() },
    ];
    for lie in &lies {
        assert_eq!(anna.register(lie, "Key").await.says(), refused);
    }
    let begun = anna.begin().await;
    let body = json!({ "name": "Key", "ceremony": begun["ceremony"], "credential": { "id": "x" } });
    assert_eq!(anna.call("POST", MINE, &body).await.says(), refused);
    let over = (422, "passkey_ceremony_over".to_owned());
    assert_eq!(anna.finish(&begun, &key, "Key").await.says(), over, "used up by the first answer");
    let (older, newer) = (anna.begin().await, anna.begin().await);
    assert_eq!(anna.finish(&older, &key, "Key").await.says(), over, "replaced by the newer one");
    let elsewhere = Person::sign_in(&panel, ANNA).await;
    assert_eq!(elsewhere.finish(&newer, &key, "Key").await.says(), over, "of another session");
    let refreshed = panel.refresh(&anna.token).await.token();
    let anna = Person { token: refreshed, ..anna };
    assert_eq!(anna.finish(&newer, &key, "Key").await.status, 200, "a refresh stays within the session");
    assert_eq!(anna.state().await["passkeys"], 1);
}

async fn answers_of_others_are_refused(dialect: Dialect) {
    let panel = panel(dialect).await;
    let (anna, bert) = (Person::new(&panel, ANNA).await, Person::new(&panel, BERT).await);
    let (hers, his) = (Authenticator::new(1), Authenticator::new(2));
    data(&anna.register(&hers, "Hers").await);
    data(&bert.register(&his, "His").await);
    let lies = [
        Authenticator { origin: "https://panel.example.com.evil.example".into(), ..hers.clone() },
        Authenticator { origin: "http://panel.example.com".into(), ..hers.clone() },
        Authenticator { rp: "example.com".into(), ..hers.clone() },
        Authenticator { verifies_user: false, ..hers.clone() },
        his.clone(),
    ];
    for lie in &lies {
        let answer = anna.enter_with(lie).await;
        assert_eq!(answer.says(), wrong(), "{}", answer.text);
        assert!(answer.json()["second_factor"]["passkey"]["ceremony"].is_string(), "with another challenge");
    }
    // His own answer to his own challenge, for her account.
    let asked = bert.asked().await;
    let answer = json!({ "passkey": his.answer(&asked["passkey"]) });
    assert_eq!(anna.enter(answer.clone()).await.says(), wrong());
    bert.enter(answer).await.token();
    let garbage =
        json!({ "ceremony": anna.asked().await["passkey"]["ceremony"], "credential": { "id": [1] } });
    assert_eq!(anna.enter(json!({ "passkey": garbage })).await.says(), wrong());
    let passwordless = json!({ "email": ANNA, "password": "a wrong one", "passkey": hers.answer(&anna.asked().await["passkey"]) });
    let answer = panel.call("203.0.113.9", None, "POST", "/login", &passwordless).await;
    assert_eq!(answer.says(), (422, "wrong_credentials".into()));
    assert!(answer.json()["second_factor"].is_null());
    anna.enter_with(&hers).await.token();
}

async fn a_challenge_works_once_for_five_minutes_for_its_purpose(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = Person::new(&panel, ANNA).await;
    let key = Authenticator::new(1);
    data(&anna.register(&key, "Key").await);
    let answer = json!({ "passkey": key.answer(&anna.asked().await["passkey"]) });
    anna.enter(answer.clone()).await.token();
    assert_eq!(anna.enter(answer).await.says(), wrong(), "a replay");
    let same = json!({ "passkey": key.answer(&anna.asked().await["passkey"]) });
    let (first, second) = tokio::join!(anna.enter(same.clone()), anna.enter(same));
    let mut both = [first.status.as_u16(), second.status.as_u16()];
    both.sort_unstable();
    assert_eq!(both, [200, 422], "of two at once one signs in");

    let for_sign_in = key.answer(&anna.asked().await["passkey"]);
    let refused = anna.call("POST", CONFIRM, &json!({ "passkey": for_sign_in })).await;
    assert_eq!(refused.says(), (422, "confirmation_wrong".into()), "a sign-in's challenge confirms nothing");
    let for_confirming = json!({ "passkey": key.answer(&anna.challenge().await) });
    assert_eq!(anna.enter(for_confirming).await.says(), wrong());

    let (late, later) = (anna.asked().await, anna.asked().await);
    panel.clock.advance_secs(299);
    anna.enter(json!({ "passkey": key.answer(&late["passkey"]) })).await.token();
    panel.clock.advance_secs(1);
    assert_eq!(anna.enter(json!({ "passkey": key.answer(&later["passkey"]) })).await.says(), wrong());
    panel.clock.advance_secs(301);
    retention::remove_due(&panel.app, None).await.unwrap();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM passkey_ceremonies")).await, 0);
}

async fn a_counter_that_goes_back_is_refused(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = Person::new(&panel, ANNA).await;
    let key = |counter| Authenticator { counter, ..Authenticator::new(1) };
    data(&anna.register(&key(3), "Key").await);
    anna.enter_with(&key(5)).await.token();
    for counter in [5, 4, 0] {
        assert_eq!(anna.enter_with(&key(counter)).await.says(), wrong(), "{counter}");
    }
    assert_eq!(
        (audited(&panel, "second_factor.passkey_copied").await, mails(&panel, "may have been copied").await),
        (3, 3)
    );
    // Two challenges from before either answer: the stored counter decides, not that of the challenge.
    let (first, second) = (anna.asked().await, anna.asked().await);
    anna.enter(json!({ "passkey": key(9).answer(&first["passkey"]) })).await.token();
    assert_eq!(anna.enter(json!({ "passkey": key(9).answer(&second["passkey"]) })).await.says(), wrong());
    anna.enter_with(&key(10)).await.token();
}

async fn wrong_answers_are_slowed_down_like_digits(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| config.public_url = Some(ORIGIN.into())).await;
    let anna = Person::new(&panel, ANNA).await;
    let key = Authenticator::new(1);
    data(&anna.register(&key, "Key").await);
    let mut asked = anna.asked().await;
    let mut answers = Vec::new();
    for _ in 0..6 {
        let answer = anna.enter(json!({ "passkey": Authenticator::new(2).answer(&asked["passkey"]) })).await;
        answers.push(answer.status.as_u16());
        asked = answer.json()["second_factor"].clone();
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
async fn require(panel: &Panel, email: &'static str) {
    let role = json!({ "name": "Cashier", "permissions": ["view orders"], "requires_second_factor": true });
    let id = data(&panel.post("/api/v1/admin/roles", &role).await)["id"].as_i64().unwrap();
    let sql = "INSERT INTO user_roles (user_id, role_id) SELECT id, ? FROM users WHERE email = ?";
    panel.exec(Sql::new(sql).bind(id).bind(email)).await;
}

async fn a_role_is_satisfied_and_keeps_the_last_factor(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = Person::new(&panel, ANNA).await;
    require(&panel, ANNA).await;
    let orders = "/api/v1/admin/orders?length=1";
    let refused = anna.call("GET", orders, &Value::Null).await.says();
    assert_eq!(refused, (403, "second_factor_required".into()));
    assert_eq!(anna.call("GET", MINE, &Value::Null).await.status, 200);
    let first = data(&anna.register(&Authenticator::new(1), "First").await);
    assert_eq!(anna.call("GET", orders, &Value::Null).await.status, 200);
    let code = |n: usize| json!({ "otp": first["recovery_codes"][n] });
    let kept = (409, "second_factor_is_required".to_owned());
    assert_eq!(anna.remove(&first["passkey"]["id"], code(0)).await.says(), kept);
    data(&anna.register(&Authenticator::new(2), "Second").await);
    assert_eq!(anna.remove(&first["passkey"]["id"], code(0)).await.status, 204, "the refusal used no code");
    let left = data(&anna.call("GET", MINE, &Value::Null).await)[0]["id"].clone();
    assert_eq!(anna.remove(&left, code(1)).await.says(), kept);
    // Whatever takes the last one away, the role asks again.
    panel.exec(Sql::new("DELETE FROM passkeys")).await;
    assert_eq!(anna.call("GET", orders, &Value::Null).await.says(), refused);
}

async fn the_app_and_passkeys_stand_beside_each_other(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = Person::new(&panel, ANNA).await;
    require(&panel, ANNA).await;
    let begun = data(&anna.call("POST", FACTOR, &Value::Null).await);
    let digits = |seconds: i64| {
        let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
        let totp = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
        totp.generate(u64::try_from(NOW / 1_000_000 + seconds).unwrap()).to_string()
    };
    data(&anna.call("POST", &format!("{FACTOR}/confirm"), &json!({ "otp": digits(0) })).await);
    let key = Authenticator::new(1);
    data(&anna.register(&key, "Key").await);
    assert_eq!(anna.asked().await["methods"], json!(["totp", "passkey", "recovery_code"]));
    panel.clock.advance_secs(30);
    anna.enter(json!({ "otp": digits(30) })).await.token();
    let proof = json!({ "password": PASSWORD, "passkey": key.answer(&anna.challenge().await) });
    assert_eq!(anna.call("DELETE", FACTOR, &proof).await.status, 204, "the passkey satisfies the role");
    let state = anna.state().await;
    assert_eq!((&state["is_enabled"], &state["recovery_codes_left"]), (&json!(true), &json!(10)));
    assert_eq!(anna.asked().await["methods"], json!(["passkey", "recovery_code"]));
    let proof = json!({ "password": PASSWORD, "passkey": key.answer(&anna.challenge().await) });
    let refused = anna.call("DELETE", FACTOR, &proof).await.says();
    assert_eq!(refused, (409, "no_authenticator_app".into()));
    let proof = json!({ "password": PASSWORD, "passkey": key.answer(&anna.challenge().await) });
    let codes = data(&anna.call("POST", &format!("{FACTOR}/recovery-codes"), &proof).await);
    anna.enter(json!({ "otp": codes["recovery_codes"][0] })).await.token();
}

async fn another_member_of_staff_resets_them(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = Person::new(&panel, ANNA).await;
    data(&anna.register(&Authenticator::new(1), "Key").await);
    let id = panel.number(Sql::new("SELECT id FROM users WHERE email = ?").bind(ANNA)).await;
    let reset = panel.post(&format!("/api/v1/admin/staffs/{id}/reset-second-factor"), &json!({})).await;
    assert_eq!(reset.status, 204, "{}", reset.text);
    assert_eq!(panel.who_am_i(&anna.token).await.0, 401, "their sessions end");
    let left = "SELECT (SELECT count(*) FROM passkeys) + (SELECT count(*) FROM recovery_codes)";
    assert_eq!(panel.number(Sql::new(left)).await, 0);
    assert_eq!(
        (audited(&panel, "second_factor.reset").await, mails(&panel, "removed by another").await),
        (1, 1)
    );
    Person::sign_in(&panel, ANNA).await;
}

async fn ten_passkeys_and_none_twice(dialect: Dialect) {
    let panel = panel(dialect).await;
    let (anna, bert) = (Person::new(&panel, ANNA).await, Person::new(&panel, BERT).await);
    data(&bert.register(&Authenticator::new(1), "His").await);
    let taken = anna.register(&Authenticator::new(1), "Mine").await.says();
    assert_eq!(taken, (409, "passkey_taken".into()), "a credential belongs to one account");
    for number in 2..=11 {
        data(&anna.register(&Authenticator::new(number), &format!("Key {number}")).await);
    }
    let full = anna.call("POST", &format!("{MINE}/begin"), &Value::Null).await.says();
    assert_eq!(full, (409, "too_many_passkeys".into()));
    let his = data(&bert.call("GET", MINE, &Value::Null).await)[0]["id"].clone();
    let proof = json!({ "passkey": Authenticator::new(2).answer(&anna.challenge().await) });
    assert_eq!(anna.remove(&his, proof).await.says().0, 404, "another's passkey");
    assert_eq!(anna.call("PATCH", &format!("{MINE}/{his}"), &json!({ "name": "Mine" })).await.says().0, 404);
}

async fn a_panel_without_a_fitting_address_has_none(dialect: Dialect) {
    let panel =
        Panel::with(dialect, |config| config.public_url = Some("http://panel.example.com".into())).await;
    let anna = Person::new(&panel, ANNA).await;
    let begun = anna.call("POST", &format!("{MINE}/begin"), &Value::Null).await;
    assert_eq!(begun.says(), (409, "passkeys_unavailable".into()));
    assert!(begun.text.contains("public_url"), "{}", begun.text);
}
