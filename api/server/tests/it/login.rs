//! Sign-in with email and password: who may sign in, what an attacker can learn, and how guessing is throttled.

use std::sync::{Arc, Mutex};

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source, Sql};
use panel_platform::secrets::Secrets;
use panel_platform::settings;
use panel_server::auth::login::begin;
use panel_server::auth::store;
use panel_server::context::Ctx;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use totp_rs::{Builder, Secret};

use crate::logs::Log;
use crate::panel::{Answer, NOW, Panel};
use crate::people::PASSWORD;

both! {
    staff_sign_in;
    failed_sign_ins_are_indistinguishable;
    an_account_is_throttled_after_five_failures;
    an_address_is_throttled_after_twenty_attempts;
    a_one_time_code_works_once;
    an_outdated_password_hash_is_replaced;
    passwords_do_not_expire;
    a_captcha_is_required_and_verified;
    no_secret_is_logged;
    invalid_sign_in_input_is_refused;
    an_empty_sign_in_field_is_named;
    a_concurrent_account_change_refuses_the_sign_in;
}

const STAFF: [Permission; 1] = [Permission::ViewOrders];

/// A password, status or second factor that changes after the check and before the session is created.
async fn a_concurrent_account_change_refuses_the_sign_in(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.person("anna@panel.test", &STAFF).await;
    let passkey = "INSERT INTO passkeys (user_id, credential_id, credential, name, created_at)
      SELECT id, 'c' || id, '{}', 'Key', 1 FROM users WHERE id = ?";
    let changes = [
        "UPDATE users SET password_hash = 'another' WHERE id = ?",
        "UPDATE users SET status = 'deactivated' WHERE id = ?",
        "UPDATE users SET totp_secret = ? WHERE id = ?",
        passkey,
        "UPDATE passkeys SET user_id = (SELECT u.id FROM users u WHERE u.name = 'owner') WHERE user_id = ?",
    ];
    let ctx = Ctx::system(panel.app.clone(), "test");
    for change in changes {
        let checked = store::account_by_email(&mut &panel.app.db, "anna@panel.test").await.unwrap().unwrap();
        let begun = begin(&ctx, &checked).await.unwrap();
        assert!(begun.is_some(), "nothing changed before {change}");
        drop(begun);
        let sql = Sql::new(change);
        let sql = if change.contains("totp") { sql.bind(vec![7_u8; 8]) } else { sql };
        panel.exec(sql.bind(id)).await;
        assert!(begin(&ctx, &checked).await.unwrap().is_none(), "{change}");
    }
}

async fn staff_sign_in(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.person("anna@panel.test", &STAFF).await;
    let answer = panel.login(" Anna@Panel.test ", PASSWORD).await;
    let token = answer.token();
    let body = answer.json();
    assert_eq!(body["user"]["id"], json!(id));
    assert_eq!(body["user"]["email"], "anna@panel.test");
    assert_eq!(body["user"]["allPermissions"].as_array().unwrap().len(), 1);
    let week = panel_contract::moment::Time(NOW + 7 * 86_400_000_000);
    assert_eq!(body["expires_at"], json!(week));
    assert_eq!(panel.who_am_i(&token).await.0, 200);
    assert_ne!(panel.login("anna@panel.test", PASSWORD).await.token(), token);
    let kept = panel
        .number(
            Sql::new("SELECT count(*) FROM sessions WHERE user_id = ? AND ip_address = '203.0.113.7'")
                .bind(id),
        )
        .await;
    assert_eq!(kept, 2);
}

async fn failed_sign_ins_are_indistinguishable(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.person("anna@panel.test", &STAFF).await;
    panel.person("customer@shop.example", &[]).await;
    panel.person("gone@panel.test", &STAFF).await;
    panel
        .exec(Sql::new(
            "UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE email = 'gone@panel.test'",
        ))
        .await;
    let mut answers = Vec::new();
    for (email, password) in [
        ("anna@panel.test", "not her password"),
        ("customer@shop.example", PASSWORD),
        ("gone@panel.test", PASSWORD),
        ("nobody@panel.test", PASSWORD),
        // An account without a password.
        ("owner@panel.test", PASSWORD),
    ] {
        let answer = panel.login(email, password).await;
        assert_eq!(answer.status, 422, "{email}: {}", answer.text);
        assert!(!answer.headers.contains_key("authorization"));
        let mut body = answer.json();
        body["request_id"] = Value::Null;
        answers.push(body);
    }
    assert!(answers[0]["errors"]["email"][0].is_string(), "{}", answers[0]);
    assert!(answers.iter().all(|body| *body == answers[0]), "{answers:?}");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM sessions WHERE family_id <> 'owner'")).await, 0);
}

async fn an_account_is_throttled_after_five_failures(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    panel.person("anna@panel.test", &STAFF).await;
    for _ in 0..5 {
        assert_eq!(panel.login("anna@panel.test", "wrong").await.says().0, 422);
    }
    // The correct password has to wait too, from the whole network; other networks and other accounts are not affected.
    let waits = panel.login_from("203.0.113.200", "ANNA@panel.test", PASSWORD).await;
    assert_eq!(waits.says(), (429, "too_many_attempts".into()));
    assert!((60..=61).contains(&waits.wait()), "{}", waits.wait());
    assert_eq!(panel.login("nobody@panel.test", "wrong").await.says().0, 422);
    panel.login_from("198.51.100.7", "anna@panel.test", PASSWORD).await.token();
    // After the wait, the next failure doubles it, up to 15 minutes.
    for (passed, next) in [(61, 120), (121, 240), (241, 480), (481, 900), (901, 900)] {
        panel.clock.advance_secs(passed);
        assert_eq!(panel.login("anna@panel.test", "wrong").await.says().0, 422);
        let waits = panel.login("anna@panel.test", PASSWORD).await;
        assert!(waits.says().0 == 429 && (next..=next + 1).contains(&waits.wait()), "{next}: {}", waits.text);
    }
    panel.clock.advance_secs(901);
    panel.login("anna@panel.test", PASSWORD).await.token();
    assert_eq!(panel.login("anna@panel.test", "wrong").await.says().0, 422);
    panel.login("anna@panel.test", PASSWORD).await.token();
}

async fn an_address_is_throttled_after_twenty_attempts(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.person("anna@panel.test", &STAFF).await;
    panel.clock.advance_secs(10);
    for guess in 0..20 {
        assert_eq!(panel.login(&format!("guess{guess}@panel.test"), "wrong").await.says().0, 422);
        panel.clock.advance_secs(1);
    }
    let waits = panel.login("anna@panel.test", PASSWORD).await;
    assert!(waits.says().0 == 429 && (40..=41).contains(&waits.wait()), "{}", waits.text);
    // An IPv4-mapped IPv6 address counts as the same address; the next address does not.
    assert_eq!(panel.login_from("::ffff:203.0.113.7", "anna@panel.test", PASSWORD).await.says().0, 429);
    panel.login_from("::ffff:203.0.113.8", "anna@panel.test", PASSWORD).await.token();
    panel.clock.advance_secs(41);
    panel.login("anna@panel.test", PASSWORD).await.token();
}

async fn a_one_time_code_works_once(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.person("anna@panel.test", &STAFF).await;
    let seed = b"12345678901234567890".to_vec();
    let secrets: &Secrets = &panel.app.secrets;
    let sealed = secrets.seal(&panel.app.random, &seed, &format!("users|totp_secret|{id}")).unwrap();
    panel.exec(Sql::new("UPDATE users SET totp_secret = ? WHERE id = ?").bind(sealed).bind(id)).await;
    let totp = Builder::new().with_secret(Secret::from(seed)).with_account_name("anna").build().unwrap();
    let digits = |seconds: i64| totp.generate(u64::try_from(NOW / 1_000_000 + seconds).unwrap()).to_string();
    let enter = async |otp: Value| {
        let body = json!({ "email": "anna@panel.test", "password": PASSWORD, "otp": otp });
        panel.call("203.0.113.7", None, "POST", "/login", &body).await
    };

    let wanted = enter(Value::Null).await;
    assert_eq!(wanted.says(), (422, "otp_required".into()));
    assert!(wanted.json()["errors"]["otp"][0].is_string());
    // A caller without the password does not learn that the account has a second factor.
    assert_eq!(panel.login("anna@panel.test", "wrong").await.says().1, "wrong_credentials");
    enter(json!(format!(" {} ", digits(0)))).await.token();
    assert_eq!(enter(json!(digits(0))).await.says(), (422, "otp_wrong".into()));
    assert_eq!(enter(json!(digits(-30))).await.says().1, "otp_wrong", "older digits than the ones used");
    panel.clock.advance_secs(30);
    enter(json!(digits(30))).await.token();
    panel.clock.advance_secs(90);
    assert_eq!(enter(json!(digits(30))).await.says().1, "otp_wrong");
    // Guessing one-time codes is throttled like guessing passwords.
    for _ in 0..4 {
        enter(json!("000000")).await;
    }
    assert_eq!(enter(json!(digits(120))).await.says().0, 429);
}

async fn an_outdated_password_hash_is_replaced(dialect: Dialect) {
    use argon2::password_hash::PasswordHasher as _;
    let panel = Panel::on(dialect).await;
    let id = panel.person("anna@panel.test", &STAFF).await;
    let weak = argon2::Params::new(256, 1, 1, None).unwrap();
    let weak = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, weak);
    let old = weak.hash_password(PASSWORD.as_bytes()).unwrap().to_string();
    panel.exec(Sql::new("UPDATE users SET password_hash = ? WHERE id = ?").bind(old.clone()).bind(id)).await;
    let hash = async || {
        let sql = Sql::new("SELECT password_hash FROM users WHERE id = ?").bind(id);
        (&mut &panel.app.db).one::<(String,)>(sql).await.unwrap().0
    };
    panel.login("anna@panel.test", "wrong").await;
    assert_eq!(hash().await, old);
    panel.login("anna@panel.test", PASSWORD).await.token();
    let new = hash().await;
    assert!(panel.app.passwords.is_current(&new) && new != old, "{new}");
    panel.login("anna@panel.test", PASSWORD).await.token();
    assert_eq!(hash().await, new);
}

async fn passwords_do_not_expire(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.person("anna@panel.test", &STAFF).await;
    let hash = async || {
        let sql = Sql::new("SELECT password_hash FROM users WHERE id = ?").bind(id);
        (&mut &panel.app.db).one::<(String,)>(sql).await.unwrap().0
    };
    let before = (panel.login("anna@panel.test", PASSWORD).await, hash().await);
    panel.clock.advance_secs(10 * 365 * 86_400);
    let after = panel.login("anna@panel.test", PASSWORD).await;
    // Ten years later the response still does not ask for a new password.
    let fields = |answer: &Answer| answer.json().as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!((after.status.as_u16(), fields(&after)), (200, fields(&before.0)));
    assert_eq!(panel.who_am_i(&after.token()).await.0, 200);
    assert_eq!(hash().await, before.1);
}

/// A captcha service that returns the given response. Returns its URL and the requests it received.
pub(crate) async fn checker(answer: &'static Mutex<&'static str>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/siteverify", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !String::from_utf8_lossy(&request).contains("remoteip=") {
                let mut part = [0; 4_096];
                match socket.read(&mut part).await {
                    Ok(read) if read > 0 => request.extend_from_slice(&part[..read]),
                    _ => break,
                }
            }
            seen.lock().unwrap().push(String::from_utf8(request).unwrap());
            let answer = *answer.lock().unwrap();
            drop(socket.write_all(answer.as_bytes()).await);
        }
    });
    (url, asked)
}

pub(crate) fn answer_of(status: &str, body: &str) -> &'static str {
    let length = body.len();
    Box::leak(
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}")
            .into_boxed_str(),
    )
}

async fn a_captcha_is_required_and_verified(dialect: Dialect) {
    let answer: &'static Mutex<&'static str> = Box::leak(Box::new(Mutex::new("")));
    let (url, asked) = checker(answer).await;
    let panel = Panel::with(dialect, |config| {
        config.captcha.verify_url = Some(url);
        config.captcha.secret = Some("captcha-secret".into());
        config.captcha.hostname = Some("panel.example.com".into());
        config.limits.logins_per_minute = 1_000;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.allow_http = true;
        config.outbound.seconds = 2;
    })
    .await;
    panel.person("anna@panel.test", &STAFF).await;
    panel.login("anna@panel.test", PASSWORD).await.token();
    assert!(asked.lock().unwrap().is_empty(), "no captcha is required yet");
    let now = panel_contract::moment::Time(NOW);
    settings::put(&mut &panel.app.db, settings::CAPTCHA_IS_ENABLED, &json!(true), now).await.unwrap();
    let enter = async |solved: Value| -> Answer {
        let body =
            json!({ "email": "anna@panel.test", "password": PASSWORD, "g-recaptcha-response": solved });
        panel.call("203.0.113.7", None, "POST", "/login", &body).await
    };

    let missing = enter(Value::Null).await;
    assert_eq!(missing.says(), (422, "captcha_required".into()));
    assert!(missing.json()["errors"]["g-recaptcha-response"][0].is_string());
    let right = r#"{"success":true,"hostname":"panel.example.com","score":0.9,"action":"login"}"#;
    for (status, body, says) in [
        ("200 OK", right, (200, "")),
        ("200 OK", r#"{"success":true,"hostname":"panel.example.com","challenge_ts":"x"}"#, (200, "")),
        ("200 OK", r#"{"success":false,"error-codes":["timeout-or-duplicate"]}"#, (422, "captcha_failed")),
        ("200 OK", r#"{"success":true,"hostname":"elsewhere.example.com"}"#, (422, "captcha_failed")),
        ("200 OK", r#"{"success":true,"hostname":"panel.example.com","score":0.1}"#, (422, "captcha_failed")),
        (
            "200 OK",
            r#"{"success":true,"hostname":"panel.example.com","action":"other"}"#,
            (422, "captcha_failed"),
        ),
        ("200 OK", "<html>", (503, "captcha_unavailable")),
        ("500 Oops", right, (503, "captcha_unavailable")),
        ("302 Found", right, (503, "captcha_unavailable")),
    ] {
        *answer.lock().unwrap() = answer_of(status, body);
        let got = enter(json!("solved+it & more")).await.says();
        assert_eq!(got, (says.0, says.1.to_owned()), "{status} {body}");
    }
    *answer.lock().unwrap() = "";
    assert_eq!(enter(json!("solved")).await.says().0, 503, "a captcha service that closes the connection");
    let asked = asked.lock().unwrap().clone();
    assert!(asked[0].contains("secret=captcha-secret&response=solved%2Bit+%26+more&remoteip=203.0.113.7"));
    // An outage of the captcha service does not count as a failed attempt.
    *answer.lock().unwrap() = answer_of("200 OK", right);
    enter(json!("solved")).await.token();
}

async fn no_secret_is_logged(dialect: Dialect) {
    // Run once without a subscriber: a call site that another test reaches first, while the subscriber is installed, may be
    // cached as disabled for the rest of the process.
    tell_secrets(dialect).await;
    // A subscriber for this thread only; the whole test runs on it.
    let (log, _guard) = Log::begin(tracing::Level::TRACE);
    let secrets = tell_secrets(dialect).await;
    let text = log.text();
    assert!(text.contains("signed in") && text.contains("a replaced token was used"), "{text}");
    for secret in secrets {
        assert!(!text.contains(&secret), "{secret} was logged");
    }
}

/// Tries every way to sign in, with success and failure. Returns the secrets that no log may contain.
async fn tell_secrets(dialect: Dialect) -> Vec<String> {
    let panel = Panel::on(dialect).await;
    panel.person("anna@panel.test", &STAFF).await;
    let wrong = panel.login("anna@panel.test", "a-wrong-password").await;
    assert_eq!(wrong.status, 422);
    let first = panel.login("anna@panel.test", PASSWORD).await.token();
    let second = panel.refresh(&first).await.token();
    let body = json!({ "code": "a-made-up-code" });
    panel.call("203.0.113.7", None, "POST", "/handoff?token=in-the-query", &body).await;
    let path = "/api/v1/admin/handoff-codes";
    let code = panel.call("203.0.113.7", Some(&second), "POST", path, &Value::Null).await.json();
    let code = code["data"]["code"].as_str().unwrap().to_owned();
    let exchanged =
        panel.call("203.0.113.7", None, "POST", "/handoff", &json!({ "code": code })).await.token();
    panel.clock.advance_secs(31);
    assert_eq!(panel.who_am_i(&first).await.1, "token_replaced");
    let made_up = ["a-wrong-password", "a-made-up-code", "in-the-query", "argon2id", PASSWORD];
    made_up.into_iter().map(str::to_owned).chain([first, second, code, exchanged]).collect()
}

async fn invalid_sign_in_input_is_refused(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let long = "x".repeat(2_000);
    for (body, says) in [
        (json!({ "email": "", "password": PASSWORD }), 422),
        (json!({ "email": "anna@panel.test", "password": "" }), 422),
        (json!({ "email": "anna@panel.test", "password": long }), 422),
        (json!({ "email": long, "password": PASSWORD }), 422),
        (json!({ "email": "anna@panel.test" }), 422),
        (json!({ "email": 7, "password": PASSWORD }), 422),
        (json!({ "email": "a\0b@panel.test", "password": "x\0y" }), 422),
        (json!({ "email": "anna@panel.test", "password": PASSWORD, "admin": true }), 422),
        (json!([]), 422),
    ] {
        let answer = panel.call("203.0.113.7", None, "POST", "/login", &body).await;
        assert_eq!(answer.status.as_u16(), says, "{body}: {}", answer.text);
    }
}

async fn an_empty_sign_in_field_is_named(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.person("anna@panel.test", &STAFF).await;
    let fields = async |email: &str, password: &str| -> Vec<String> {
        let answer = panel.login(email, password).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(fields("anna@panel.test", "").await, ["password"]);
    assert_eq!(fields(" ", PASSWORD).await, ["email"]);
    assert_eq!(fields("", "").await, ["email", "password"]);
    assert_eq!(
        fields("anna@panel.test", "wrong").await,
        ["email"],
        "the response does not reveal which of the two is wrong"
    );
}
