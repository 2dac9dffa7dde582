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
    staff_sign_in_with_email_and_password;
    failed_sign_ins_are_indistinguishable;
    an_account_is_throttled_after_five_failures;
    an_address_is_throttled_after_twenty_attempts;
    a_one_time_code_works_once;
    an_outdated_password_hash_is_replaced;
    passwords_do_not_expire;
    a_captcha_is_required_and_verified;
    sign_in_logs_no_secrets;
    invalid_sign_in_input_is_refused;
    an_empty_sign_in_field_is_named;
    a_concurrent_account_change_refuses_the_sign_in;
}

const STAFF: [Permission; 1] = [Permission::ViewOrders];

/// A password, status or second factor that changes after the check and before the session is created.
async fn a_concurrent_account_change_refuses_the_sign_in(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.create_user("anna@panel.test", &STAFF).await;
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
        let transaction = begin(&ctx, &checked).await.unwrap();
        assert!(transaction.is_some(), "nothing changed before {change}");
        drop(transaction);
        let sql = Sql::new(change);
        let sql = if change.contains("totp") { sql.bind(vec![7_u8; 8]) } else { sql };
        panel.execute(sql.bind(id)).await;
        assert!(begin(&ctx, &checked).await.unwrap().is_none(), "{change}");
    }
}

async fn staff_sign_in_with_email_and_password(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.create_user("anna@panel.test", &STAFF).await;
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
    let sessions = panel
        .number(
            Sql::new("SELECT count(*) FROM sessions WHERE user_id = ? AND ip_address = '203.0.113.7'")
                .bind(id),
        )
        .await;
    assert_eq!(sessions, 2);
}

async fn failed_sign_ins_are_indistinguishable(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_user("anna@panel.test", &STAFF).await;
    panel.create_user("customer@shop.example", &[]).await;
    panel.create_user("gone@panel.test", &STAFF).await;
    panel
        .execute(Sql::new(
            "UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE email = 'gone@panel.test'",
        ))
        .await;
    let mut answers = Vec::new();
    for (email, password) in [
        ("anna@panel.test", "not her password"),
        ("customer@shop.example", PASSWORD),
        ("gone@panel.test", PASSWORD),
        ("unknown@panel.test", PASSWORD),
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
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    panel.create_user("anna@panel.test", &STAFF).await;
    for _ in 0..5 {
        assert_eq!(panel.login("anna@panel.test", "wrong").await.status_and_code().0, 422);
    }
    // The correct password has to wait too, from the whole network; other networks and other accounts are not affected.
    let throttled = panel.login_from("203.0.113.200", "ANNA@panel.test", PASSWORD).await;
    assert_eq!(throttled.status_and_code(), (429, "too_many_attempts".into()));
    assert!((60..=61).contains(&throttled.retry_after_secs()), "{}", throttled.retry_after_secs());
    assert_eq!(panel.login("unknown@panel.test", "wrong").await.status_and_code().0, 422);
    panel.login_from("198.51.100.7", "anna@panel.test", PASSWORD).await.token();
    // After the wait, the next failure doubles it, up to 15 minutes.
    for (elapsed_secs, next_wait_secs) in [(61, 120), (121, 240), (241, 480), (481, 900), (901, 900)] {
        panel.clock.advance_secs(elapsed_secs);
        assert_eq!(panel.login("anna@panel.test", "wrong").await.status_and_code().0, 422);
        let throttled = panel.login("anna@panel.test", PASSWORD).await;
        assert!(
            throttled.status_and_code().0 == 429
                && (next_wait_secs..=next_wait_secs + 1).contains(&throttled.retry_after_secs()),
            "{next_wait_secs}: {}",
            throttled.text
        );
    }
    panel.clock.advance_secs(901);
    panel.login("anna@panel.test", PASSWORD).await.token();
    assert_eq!(panel.login("anna@panel.test", "wrong").await.status_and_code().0, 422);
    panel.login("anna@panel.test", PASSWORD).await.token();
}

async fn an_address_is_throttled_after_twenty_attempts(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_user("anna@panel.test", &STAFF).await;
    panel.clock.advance_secs(10);
    for guess in 0..20 {
        assert_eq!(panel.login(&format!("guess{guess}@panel.test"), "wrong").await.status_and_code().0, 422);
        panel.clock.advance_secs(1);
    }
    let throttled = panel.login("anna@panel.test", PASSWORD).await;
    assert!(
        throttled.status_and_code().0 == 429 && (40..=41).contains(&throttled.retry_after_secs()),
        "{}",
        throttled.text
    );
    // An IPv4-mapped IPv6 address counts as the same address; the next address does not.
    assert_eq!(
        panel.login_from("::ffff:203.0.113.7", "anna@panel.test", PASSWORD).await.status_and_code().0,
        429
    );
    panel.login_from("::ffff:203.0.113.8", "anna@panel.test", PASSWORD).await.token();
    panel.clock.advance_secs(41);
    panel.login("anna@panel.test", PASSWORD).await.token();
}

async fn a_one_time_code_works_once(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.create_user("anna@panel.test", &STAFF).await;
    let seed = b"12345678901234567890".to_vec();
    let secrets: &Secrets = &panel.app.secrets;
    let sealed = secrets.seal(&panel.app.random, &seed, &format!("users|totp_secret|{id}")).unwrap();
    panel.execute(Sql::new("UPDATE users SET totp_secret = ? WHERE id = ?").bind(sealed).bind(id)).await;
    let totp = Builder::new().with_secret(Secret::from(seed)).with_account_name("anna").build().unwrap();
    let one_time_code =
        |seconds: i64| totp.generate(u64::try_from(NOW / 1_000_000 + seconds).unwrap()).to_string();
    let sign_in = async |otp: Value| {
        let body = json!({ "email": "anna@panel.test", "password": PASSWORD, "otp": otp });
        panel.call("203.0.113.7", None, "POST", "/login", &body).await
    };

    let code_required = sign_in(Value::Null).await;
    assert_eq!(code_required.status_and_code(), (422, "otp_required".into()));
    assert!(code_required.json()["errors"]["otp"][0].is_string());
    // A caller without the password does not learn that the account has a second factor.
    assert_eq!(panel.login("anna@panel.test", "wrong").await.status_and_code().1, "wrong_credentials");
    sign_in(json!(format!(" {} ", one_time_code(0)))).await.token();
    assert_eq!(sign_in(json!(one_time_code(0))).await.status_and_code(), (422, "otp_wrong".into()));
    assert_eq!(
        sign_in(json!(one_time_code(-30))).await.status_and_code().1,
        "otp_wrong",
        "a code older than the last used one"
    );
    panel.clock.advance_secs(30);
    sign_in(json!(one_time_code(30))).await.token();
    panel.clock.advance_secs(90);
    assert_eq!(sign_in(json!(one_time_code(30))).await.status_and_code().1, "otp_wrong");
    // Guessing one-time codes is throttled like guessing passwords.
    for _ in 0..4 {
        sign_in(json!("000000")).await;
    }
    assert_eq!(sign_in(json!(one_time_code(120))).await.status_and_code().0, 429);
}

async fn an_outdated_password_hash_is_replaced(dialect: Dialect) {
    use argon2::password_hash::PasswordHasher as _;
    let panel = Panel::on(dialect).await;
    let id = panel.create_user("anna@panel.test", &STAFF).await;
    let weak = argon2::Params::new(256, 1, 1, None).unwrap();
    let weak = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, weak);
    let old_hash = weak.hash_password(PASSWORD.as_bytes()).unwrap().to_string();
    panel
        .execute(Sql::new("UPDATE users SET password_hash = ? WHERE id = ?").bind(old_hash.clone()).bind(id))
        .await;
    let hash = async || {
        let sql = Sql::new("SELECT password_hash FROM users WHERE id = ?").bind(id);
        (&mut &panel.app.db).fetch_one::<(String,)>(sql).await.unwrap().0
    };
    panel.login("anna@panel.test", "wrong").await;
    assert_eq!(hash().await, old_hash);
    panel.login("anna@panel.test", PASSWORD).await.token();
    let new_hash = hash().await;
    assert!(panel.app.passwords.is_current(&new_hash) && new_hash != old_hash, "{new_hash}");
    panel.login("anna@panel.test", PASSWORD).await.token();
    assert_eq!(hash().await, new_hash);
}

async fn passwords_do_not_expire(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.create_user("anna@panel.test", &STAFF).await;
    let hash = async || {
        let sql = Sql::new("SELECT password_hash FROM users WHERE id = ?").bind(id);
        (&mut &panel.app.db).fetch_one::<(String,)>(sql).await.unwrap().0
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
pub(crate) async fn start_captcha_server(
    answer: &'static Mutex<&'static str>,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/siteverify", listener.local_addr().unwrap());
    let received_requests = Arc::new(Mutex::new(Vec::new()));
    let requests = Arc::clone(&received_requests);
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
            requests.lock().unwrap().push(String::from_utf8(request).unwrap());
            let answer = *answer.lock().unwrap();
            drop(socket.write_all(answer.as_bytes()).await);
        }
    });
    (url, received_requests)
}

pub(crate) fn http_response(status: &str, body: &str) -> &'static str {
    let length = body.len();
    Box::leak(
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}")
            .into_boxed_str(),
    )
}

async fn a_captcha_is_required_and_verified(dialect: Dialect) {
    let answer: &'static Mutex<&'static str> = Box::leak(Box::new(Mutex::new("")));
    let (url, received_requests) = start_captcha_server(answer).await;
    let panel = Panel::with_config(dialect, |config| {
        config.captcha.verify_url = Some(url);
        config.captcha.secret = Some("captcha-secret".into());
        config.captcha.hostname = Some("panel.example.com".into());
        config.limits.logins_per_minute = 1_000;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.allow_http = true;
        config.outbound.timeout_seconds = 2;
    })
    .await;
    panel.create_user("anna@panel.test", &STAFF).await;
    panel.login("anna@panel.test", PASSWORD).await.token();
    assert!(received_requests.lock().unwrap().is_empty(), "no captcha is required yet");
    let now = panel_contract::moment::Time(NOW);
    settings::put(&mut &panel.app.db, settings::CAPTCHA_IS_ENABLED, &json!(true), now).await.unwrap();
    let sign_in = async |solved: Value| -> Answer {
        let body =
            json!({ "email": "anna@panel.test", "password": PASSWORD, "g-recaptcha-response": solved });
        panel.call("203.0.113.7", None, "POST", "/login", &body).await
    };

    let missing = sign_in(Value::Null).await;
    assert_eq!(missing.status_and_code(), (422, "captcha_required".into()));
    assert!(missing.json()["errors"]["g-recaptcha-response"][0].is_string());
    let valid_response = r#"{"success":true,"hostname":"panel.example.com","score":0.9,"action":"login"}"#;
    for (status, body, expected) in [
        ("200 OK", valid_response, (200, "")),
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
        ("500 Oops", valid_response, (503, "captcha_unavailable")),
        ("302 Found", valid_response, (503, "captcha_unavailable")),
    ] {
        *answer.lock().unwrap() = http_response(status, body);
        let outcome = sign_in(json!("solved+it & more")).await.status_and_code();
        assert_eq!(outcome, (expected.0, expected.1.to_owned()), "{status} {body}");
    }
    *answer.lock().unwrap() = "";
    assert_eq!(
        sign_in(json!("solved")).await.status_and_code().0,
        503,
        "a captcha service that closes the connection"
    );
    let received_requests = received_requests.lock().unwrap().clone();
    assert!(
        received_requests[0]
            .contains("secret=captcha-secret&response=solved%2Bit+%26+more&remoteip=203.0.113.7")
    );
    // An outage of the captcha service does not count as a failed attempt.
    *answer.lock().unwrap() = http_response("200 OK", valid_response);
    sign_in(json!("solved")).await.token();
}

async fn sign_in_logs_no_secrets(dialect: Dialect) {
    // Run once without a subscriber: a call site that another test reaches first, while the subscriber is installed, may be
    // cached as disabled for the rest of the process.
    sign_in_in_every_way(dialect).await;
    // A subscriber for this thread only; the whole test runs on it.
    let (log, _guard) = Log::capture(tracing::Level::TRACE);
    let secrets = sign_in_in_every_way(dialect).await;
    let text = log.text();
    assert!(text.contains("signed in") && text.contains("a replaced token was used"), "{text}");
    for secret in secrets {
        assert!(!text.contains(&secret), "{secret} was logged");
    }
}

/// Tries every way to sign in, with success and failure. Returns the secrets that no log may contain.
async fn sign_in_in_every_way(dialect: Dialect) -> Vec<String> {
    let panel = Panel::on(dialect).await;
    panel.create_user("anna@panel.test", &STAFF).await;
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
    let fixed_secrets = ["a-wrong-password", "a-made-up-code", "in-the-query", "argon2id", PASSWORD];
    fixed_secrets.into_iter().map(str::to_owned).chain([first, second, code, exchanged]).collect()
}

async fn invalid_sign_in_input_is_refused(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let long = "x".repeat(2_000);
    for (body, expected_status) in [
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
        assert_eq!(answer.status.as_u16(), expected_status, "{body}: {}", answer.text);
    }
}

async fn an_empty_sign_in_field_is_named(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_user("anna@panel.test", &STAFF).await;
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
