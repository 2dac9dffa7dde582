//! The second factor from enrolment to reset: what each step asks for, what works once, and what a role requires.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::panel::{Answer, NOW, Panel};
use crate::people::PASSWORD;

both! {
    enrolment_asks_for_a_first_code;
    recovery_codes_work_once;
    switching_off_needs_password_and_code;
    guessed_proofs_are_slowed_down;
    a_role_requires_it;
    a_setting_requires_it_of_all_staff;
    another_member_of_staff_resets_it;
    a_secret_waits_fifteen_minutes_for_its_session;
    one_proof_does_not_forgive_the_guesses_of_another;
}

const MINE: &str = "/api/v1/profile/second-factor";
const ANNA: &str = "anna@panel.test";

/// A member of staff and their authenticator app.
struct Person<'p> {
    panel: &'p Panel,
    email: &'static str,
    token: String,
    secret: String,
    codes: Vec<String>,
}

impl<'p> Person<'p> {
    async fn sign_in(panel: &'p Panel, email: &'static str) -> Self {
        let token = panel.login(email, PASSWORD).await.token();
        Self { panel, email, token, secret: String::new(), codes: Vec::new() }
    }

    async fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.panel.call("203.0.113.7", Some(&self.token), method, path, body).await
    }

    /// What the app shows so many seconds after the test began.
    fn digits(&self, seconds: i64) -> String {
        let secret = Secret::try_from_base32(&self.secret).unwrap();
        let totp = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
        totp.generate(u64::try_from(NOW / 1_000_000 + seconds).unwrap()).to_string()
    }

    /// Enrols with the digits of the test's first moment.
    async fn enrol(&mut self) {
        let begun = self.call("POST", MINE, &Value::Null).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
        begun.json()["data"]["secret"].as_str().unwrap().clone_into(&mut self.secret);
        let answer = self.call("POST", &format!("{MINE}/confirm"), &json!({ "otp": self.digits(0) })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        self.codes = codes(&answer);
    }

    async fn enter(&self, otp: &str) -> Answer {
        let body = json!({ "email": self.email, "password": PASSWORD, "otp": otp });
        self.panel.call("203.0.113.9", None, "POST", "/login", &body).await
    }

    async fn state(&self) -> Value {
        self.call("GET", MINE, &Value::Null).await.json()["data"].clone()
    }
}

fn codes(answer: &Answer) -> Vec<String> {
    let codes: Vec<String> = serde_json::from_value(answer.json()["data"]["recovery_codes"].clone()).unwrap();
    assert_eq!(codes.len(), 10, "{}", answer.text);
    codes
}

async fn audited(panel: &Panel, event: &'static str) -> i64 {
    panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
}

/// Sign-ins that were proven so.
async fn signed_in_by(panel: &Panel, factors: &str) -> i64 {
    let sql = "SELECT count(*) FROM audits WHERE event = 'user.signed_in' AND new_values LIKE ?";
    panel.number(Sql::new(sql).bind(format!("%{factors}%"))).await
}

async fn mails(panel: &Panel, what: &str) -> i64 {
    let sql = "SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE ?";
    panel.number(Sql::new(sql).bind(format!("%{what}%"))).await
}

async fn enrolment_asks_for_a_first_code(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.person(ANNA, &[Permission::ViewOrders]).await;
    let other = panel.login(ANNA, PASSWORD).await.token();
    let mut anna = Person::sign_in(&panel, ANNA).await;
    let state = |on: bool, left: i64| json!({"is_enabled": on, "has_authenticator_app": on, "passkeys": 0, "is_required": false, "recovery_codes_left": left, "is_app_removable": on});
    assert_eq!(anna.state().await, state(false, 0));
    let confirm = format!("{MINE}/confirm");
    let early = anna.call("POST", &confirm, &json!({ "otp": "123456" })).await;
    assert_eq!(early.says(), (409, "second_factor_not_begun".into()));

    let begun = anna.call("POST", MINE, &Value::Null).await.json()["data"].clone();
    begun["secret"].as_str().unwrap().clone_into(&mut anna.secret);
    let address = begun["otpauth_url"].as_str().unwrap();
    assert!(
        address.starts_with("otpauth://totp/") && address.contains(&format!("secret={}", anna.secret)),
        "{address}"
    );
    assert!(begun["qr_svg"].as_str().unwrap().starts_with("<svg "));
    panel.login(ANNA, PASSWORD).await.token();
    let wrong = anna.call("POST", &confirm, &json!({ "otp": "000000" })).await;
    assert_eq!(wrong.says(), (422, "otp_wrong".into()));
    assert_eq!(anna.state().await, state(false, 0));

    let answer = anna.call("POST", &confirm, &json!({ "otp": anna.digits(0) })).await;
    assert_eq!(codes(&answer).len(), 10);
    assert_eq!(anna.state().await, state(true, 10));
    assert_eq!(panel.who_am_i(&other).await, (401, "token_ended".into()), "other sessions end");
    assert_eq!(panel.login(ANNA, PASSWORD).await.says(), (422, "otp_required".into()));
    assert_eq!(
        anna.enter(&anna.digits(0)).await.says(),
        (422, "otp_wrong".into()),
        "enrolment used these digits up"
    );
    panel.clock.advance_secs(30);
    anna.enter(&anna.digits(30)).await.token();
    assert_eq!(signed_in_by(&panel, r#"["password","totp"]"#).await, 1);
    assert_eq!(anna.call("POST", MINE, &Value::Null).await.says(), (409, "second_factor_on".into()));
    assert_eq!(
        (
            audited(&panel, "second_factor.enabled").await,
            mails(&panel, "the second factor of your account was enabled").await
        ),
        (1, 1)
    );
    let stored = "SELECT count(*) FROM recovery_codes c WHERE c.user_id NOT IN (SELECT e.user_id FROM authenticator_enrolments e)";
    assert_eq!(panel.number(Sql::new(stored)).await, 10);
}

async fn recovery_codes_work_once(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.person(ANNA, &[Permission::ViewOrders]).await;
    let mut anna = Person::sign_in(&panel, ANNA).await;
    anna.enrol().await;
    anna.enter(&anna.codes[0].to_uppercase().replace('-', " ")).await.token();
    assert_eq!(anna.enter(&anna.codes[0]).await.says(), (422, "otp_wrong".into()));
    assert_eq!(anna.enter("2222-2222-2222-2222-2222-2222-2222").await.says(), (422, "otp_wrong".into()));
    assert_eq!(anna.state().await["recovery_codes_left"], 9);
    assert_eq!(signed_in_by(&panel, r#"["password","recovery_code"]"#).await, 1);
    assert_eq!(audited(&panel, "second_factor.recovery_code_used").await, 1);
    assert_eq!(mails(&panel, "a recovery code was used").await, 1);

    let renew = json!({ "password": PASSWORD, "otp": anna.codes[1] });
    let answer = anna.call("POST", &format!("{MINE}/recovery-codes"), &renew).await;
    let (old, new) = (anna.codes.clone(), codes(&answer));
    assert_eq!(anna.state().await["recovery_codes_left"], 10);
    assert_eq!(anna.enter(&old[2]).await.says(), (422, "otp_wrong".into()), "the old ones no longer work");
    // Of two who have the same code one signs in.
    let (first, second) = tokio::join!(anna.enter(&new[3]), anna.enter(&new[3]));
    let mut both = [first.status.as_u16(), second.status.as_u16()];
    both.sort_unstable();
    assert_eq!(both, [200, 422]);
}

async fn switching_off_needs_password_and_code(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.person(ANNA, &[Permission::ViewOrders]).await;
    let mut anna = Person::sign_in(&panel, ANNA).await;
    let none = json!({ "password": PASSWORD, "otp": "123456" });
    assert_eq!(anna.call("DELETE", MINE, &none).await.says(), (409, "no_second_factor".into()));
    anna.enrol().await;
    panel.clock.advance_secs(30);
    let wrong = json!({ "password": "another password", "otp": anna.digits(30) });
    assert_eq!(anna.call("DELETE", MINE, &wrong).await.says(), (422, "wrong_password".into()));
    let wrong = json!({ "password": PASSWORD, "otp": "000000" });
    assert_eq!(anna.call("DELETE", MINE, &wrong).await.says(), (422, "otp_wrong".into()));
    let right = json!({ "password": PASSWORD, "otp": anna.digits(30) });
    let answer = anna.call("DELETE", MINE, &right).await;
    assert_eq!(answer.status, 204, "{}", answer.text);
    panel.login(ANNA, PASSWORD).await.token();
    assert_eq!(anna.state().await["recovery_codes_left"], 0);
    assert_eq!(
        (
            audited(&panel, "second_factor.disabled").await,
            mails(&panel, "the authenticator app of your account was removed").await
        ),
        (1, 1)
    );
}

async fn a_secret_waits_fifteen_minutes_for_its_session(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.person(ANNA, &[Permission::ViewOrders]).await;
    let elsewhere = Person::sign_in(&panel, ANNA).await;
    let mut anna = Person::sign_in(&panel, ANNA).await;
    let begin = async |person: &Person<'_>| {
        let begun = person.call("POST", MINE, &Value::Null).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
        begun.json()["data"]["secret"].as_str().unwrap().to_owned()
    };
    let confirm = async |person: &Person<'_>, digits: String| {
        person.call("POST", &format!("{MINE}/confirm"), &json!({ "otp": digits })).await
    };
    let over = (409, "second_factor_enrolment_over".to_owned());
    anna.secret = begin(&anna).await;
    assert_eq!(confirm(&elsewhere, anna.digits(0)).await.says(), over, "of another sign-in");
    begin(&elsewhere).await;
    assert_eq!(confirm(&anna, anna.digits(0)).await.says(), over, "a newer one replaced it");
    anna.secret = begin(&anna).await;
    panel.clock.advance_secs(900);
    let late = confirm(&anna, anna.digits(900)).await;
    assert_eq!(late.says(), over);
    assert!(
        late.json()["message"].as_str().unwrap().contains("Start again with a new secret"),
        "{}",
        late.text
    );
    assert_eq!(anna.state().await["is_enabled"], false);
    panel_server::background::retention::remove_due(&panel.app, None).await.unwrap();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM authenticator_enrolments")).await, 1);
    panel.clock.advance_secs(1);
    panel_server::background::retention::remove_due(&panel.app, None).await.unwrap();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM authenticator_enrolments")).await, 0);

    let confirmed = anna.call("POST", "/api/v1/profile/confirm", &json!({ "password": PASSWORD })).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
    anna.secret = begin(&anna).await;
    panel.clock.advance_secs(898);
    let refreshed = Person { token: panel.refresh(&anna.token).await.token(), ..anna };
    let answer = confirm(&refreshed, refreshed.digits(1_799)).await;
    assert_eq!(answer.status, 200, "a refresh stays within the session: {}", answer.text);
    assert_eq!(refreshed.state().await["is_enabled"], true);
}

/// Who has one proof and guesses another gets as many guesses as if they had none.
async fn one_proof_does_not_forgive_the_guesses_of_another(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    panel.person(ANNA, &[Permission::ViewOrders]).await;
    let mut anna = Person::sign_in(&panel, ANNA).await;
    anna.enrol().await;
    let confirm =
        async |proof: Value| anna.call("POST", "/api/v1/profile/confirm", &proof).await.status.as_u16();
    let mut guesses = Vec::new();
    for _ in 0..8 {
        guesses.push(confirm(json!({ "otp": "000000" })).await);
        assert_eq!(confirm(json!({ "password": PASSWORD })).await, 200);
    }
    assert_eq!(guesses, [422, 422, 422, 422, 422, 429, 429, 429], "the password forgives no digits");
    panel.clock.advance_secs(61);
    let off = async |password: &str, otp: &str| {
        anna.call("DELETE", MINE, &json!({ "password": password, "otp": otp })).await.says()
    };
    assert_eq!(off(PASSWORD, "000000").await, (422, "otp_wrong".into()), "counted with those before");
    assert_eq!(off(PASSWORD, "000000").await, (429, "too_many_attempts".into()));

    panel.clock.advance_secs(86_401);
    let mut guesses = Vec::new();
    for code in 1..=8 {
        guesses.push(off("a wrong password", &anna.codes[0]).await.0);
        assert_eq!(confirm(json!({ "otp": anna.codes[code] })).await, 200);
    }
    assert_eq!(guesses, [422, 422, 422, 422, 422, 429, 429, 429], "codes forgive no password");
    // A success of its own kind does.
    panel.clock.advance_secs(86_401);
    for _ in 0..2 {
        for _ in 0..4 {
            assert_eq!(confirm(json!({ "password": "a wrong password" })).await, 422);
        }
        assert_eq!(confirm(json!({ "password": PASSWORD })).await, 200);
    }
}

async fn guessed_proofs_are_slowed_down(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.person(ANNA, &[Permission::ViewOrders]).await;
    let mut anna = Person::sign_in(&panel, ANNA).await;
    anna.enrol().await;
    let guess = json!({ "password": PASSWORD, "otp": "000000" });
    let mut answers = Vec::new();
    for _ in 0..8 {
        answers.push(anna.call("DELETE", MINE, &guess).await.says().0);
    }
    assert_eq!((answers.first(), answers.last()), (Some(&422), Some(&429)), "{answers:?}");
}

async fn a_role_requires_it(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.person(ANNA, &[]).await;
    let role = json!({"name": "Cashier", "permissions": ["view orders"], "requires_second_factor": false});
    let made = panel.post("/api/v1/admin/roles", &role).await.json()["data"].clone();
    assert_eq!(made["requires_second_factor"], false);
    let path = format!("/api/v1/admin/roles/{}", made["id"]);
    panel
        .exec(
            Sql::new("INSERT INTO user_roles (user_id, role_id) VALUES (?, ?)")
                .bind(id)
                .bind(made["id"].as_i64().unwrap()),
        )
        .await;
    let mut anna = Person::sign_in(&panel, ANNA).await;
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
        let refused = anna.call(method, path, &Value::Null).await.says();
        assert_eq!(refused, (403, "second_factor_required".into()), "{path}");
    }
    let profile = anna.call("GET", "/api/v1/profile", &Value::Null).await.json();
    assert_eq!(profile["data"]["must_enrol_second_factor"], true);
    assert_eq!(panel.login(ANNA, PASSWORD).await.json()["user"]["must_enrol_second_factor"], true);
    // A session that was left open cannot enrol for its person, who confirms first who they are.
    panel.exec(Sql::new("UPDATE sessions SET confirmed_at = NULL WHERE user_id = ?").bind(id)).await;
    let refused = anna.call("POST", MINE, &Value::Null).await.says();
    assert_eq!(refused, (403, "confirmation_required".into()));
    let confirmed = anna.call("POST", "/api/v1/profile/confirm", &json!({ "password": PASSWORD })).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
    anna.enrol().await;
    assert_eq!(anna.call("GET", orders, &Value::Null).await.status, 200);
    panel.clock.advance_secs(30);
    let off = json!({ "password": PASSWORD, "otp": anna.digits(30) });
    assert_eq!(anna.call("DELETE", MINE, &off).await.says(), (409, "second_factor_is_required".into()));
}

async fn a_setting_requires_it_of_all_staff(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.person(ANNA, &[Permission::ViewOrders]).await;
    let mut anna = Person::sign_in(&panel, ANNA).await;
    let orders = "/api/v1/admin/orders?length=1";
    // Twice: the list remembers the caller, and the setting counts all the same.
    for _ in 0..2 {
        assert_eq!(anna.call("GET", orders, &Value::Null).await.status, 200);
    }
    let all = json!({ "second_factor_for_all_staff": true });
    let saved = panel.post("/api/v1/admin/settings", &all).await;
    assert_eq!(saved.status, 200, "{}", saved.text);
    for path in [orders, "/api/v1/countries"] {
        let refused = anna.call("GET", path, &Value::Null).await.says();
        assert_eq!(refused, (403, "second_factor_required".into()), "{path}");
    }
    assert_eq!(panel.login(ANNA, PASSWORD).await.json()["user"]["must_enrol_second_factor"], true);
    let owner = panel.get(orders).await.status;
    assert_eq!(owner, 403, "the person who switched it on needs one too");
    let mine = anna.call("GET", MINE, &Value::Null).await.json();
    assert_eq!(mine["data"]["is_required"], true);
    anna.enrol().await;
    assert_eq!(anna.call("GET", orders, &Value::Null).await.status, 200);
    panel.clock.advance_secs(30);
    let off = json!({ "password": PASSWORD, "otp": anna.digits(30) });
    assert_eq!(anna.call("DELETE", MINE, &off).await.says(), (409, "second_factor_is_required".into()));
    assert_eq!(anna.state().await["is_app_removable"], false);
}

async fn another_member_of_staff_resets_it(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.person(ANNA, &[Permission::ViewOrders]).await;
    let customer = panel.person("customer@shop.example", &[]).await;
    panel.person("junior@panel.test", &[Permission::ManageStaff]).await;
    let reset = |id: i64| format!("/api/v1/admin/staffs/{id}/reset-second-factor");
    let mut anna = Person::sign_in(&panel, ANNA).await;
    let junior = Person::sign_in(&panel, "junior@panel.test").await;
    let ask = async |id: i64| panel.send("owner", "POST", &reset(id), &json!({}), None).await;
    assert_eq!(ask(id).await.says(), (409, "no_second_factor".into()));
    anna.enrol().await;
    assert_eq!(junior.call("POST", &reset(id), &Value::Null).await.says(), (403, "outranked".into()));
    assert_eq!(anna.call("POST", &reset(id), &Value::Null).await.says(), (403, "forbidden".into()));
    assert_eq!(ask(customer).await.says().0, 404);
    let shown = async |who: &str| {
        let rows = panel.get_as(who, "/api/v1/admin/staffs", "*/*").await.json()["data"].clone();
        let row = rows.as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
        (row["has_second_factor"].clone(), row["actions"]["second_factor_resettable"].clone())
    };
    assert_eq!(shown("owner").await, (json!(true), json!(true)));
    let tried = panel.send("owner", "POST", &format!("{}?dry_run=1", reset(id)), &json!({}), None).await;
    assert_eq!((tried.status.as_u16(), audited(&panel, "second_factor.reset").await), (204, 0));
    assert_eq!(shown("owner").await, (json!(true), json!(true)), "a dry run removes nothing");
    let answer = ask(id).await;
    assert_eq!(answer.status, 204, "{}", answer.text);
    assert_eq!(panel.who_am_i(&anna.token).await.0, 401, "their sessions end");
    assert_eq!(shown("owner").await, (json!(false), json!(false)));
    panel.login(ANNA, PASSWORD).await.token();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM recovery_codes")).await, 0);
    assert_eq!(
        (audited(&panel, "second_factor.reset").await, mails(&panel, "removed by another").await),
        (1, 1)
    );
}
