//! Sign-in with email and password: who may sign in, what an attacker can learn, and how guessing is throttled.

use std::sync::{Arc, Mutex};

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_platform::secrets::Secrets;
use panel_platform::settings;
use panel_server::auth::login::begin_sign_in;
use panel_server::auth::store;
use panel_server::context::Ctx;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use totp_rs::{Builder, Secret};

use crate::logs::Log;
use crate::panel::{NOW, Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    staff_sign_in_with_email_and_password;
    failed_sign_ins_are_indistinguishable;
    an_account_is_throttled_after_five_failures;
    an_address_is_throttled_after_twenty_attempts;
    a_one_time_code_works_once;
    an_outdated_password_hash_is_replaced;
    passwords_do_not_expire;
    a_captcha_is_required_and_verified;
    the_log_of_a_sign_in_contains_no_secrets;
    invalid_sign_in_input_is_rejected;
    an_empty_sign_in_field_is_named_in_the_error;
    a_concurrent_account_change_rejects_the_sign_in;
}

const STAFF_PERMISSIONS: [Permission; 1] = [Permission::ViewOrders];

/// Changes the password, the status or a second factor after the server checked the password and before it creates the session.
async fn a_concurrent_account_change_rejects_the_sign_in(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    let insert_passkey_sql = "INSERT INTO passkeys (user_id, credential_id, credential, name, created_at)
      SELECT id, 'c' || id, '{}', 'Key', 1 FROM users WHERE id = ?";
    let changes = [
        "UPDATE users SET password_hash = 'another' WHERE id = ?",
        "UPDATE users SET status = 'deactivated' WHERE id = ?",
        "UPDATE users SET totp_secret = ? WHERE id = ?",
        insert_passkey_sql,
        "UPDATE passkeys SET user_id = (SELECT u.id FROM users u WHERE u.name = 'owner') WHERE user_id = ?",
    ];
    let ctx = Ctx::system(panel.app.clone(), "test");
    for change in changes {
        let account =
            store::load_account_by_email(&mut &panel.app.db, "anna@panel.test").await.unwrap().unwrap();
        let transaction = begin_sign_in(&ctx, &account).await.unwrap();
        assert!(transaction.is_some(), "the sign-in must succeed before {change}");
        drop(transaction);
        let sql = Sql::new(change);
        let sql = if change.contains("totp") { sql.bind(vec![7_u8; 8]) } else { sql };
        panel.execute(sql.bind(id)).await;
        assert!(begin_sign_in(&ctx, &account).await.unwrap().is_none(), "{change}");
    }
}

async fn staff_sign_in_with_email_and_password(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    let login_response = panel.login(" Anna@Panel.test ", PASSWORD).await;
    let token = login_response.session_token();
    let body = login_response.json();
    assert_eq!(body["user"]["id"], json!(id));
    assert_eq!(body["user"]["email"], "anna@panel.test");
    assert_eq!(body["user"]["allPermissions"].as_array().unwrap().len(), 1);
    let one_week_later = panel_contract::moment::Time(NOW + 7 * 86_400_000_000);
    assert_eq!(body["expires_at"], json!(one_week_later));
    assert_eq!(panel.profile_status(&token).await.0, 200);
    assert_ne!(panel.login("anna@panel.test", PASSWORD).await.session_token(), token);
    let sessions = panel
        .fetch_number(
            Sql::new("SELECT count(*) FROM sessions WHERE user_id = ? AND ip_address = '203.0.113.7'")
                .bind(id),
        )
        .await;
    assert_eq!(sessions, 2);
}

async fn failed_sign_ins_are_indistinguishable(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    panel.create_user("customer@shop.example", &[]).await;
    panel.create_user("gone@panel.test", &STAFF_PERMISSIONS).await;
    panel
        .execute(Sql::new(
            "UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE email = 'gone@panel.test'",
        ))
        .await;
    let mut bodies = Vec::new();
    for (email, password) in [
        ("anna@panel.test", "not her password"),
        ("customer@shop.example", PASSWORD),
        ("gone@panel.test", PASSWORD),
        ("unknown@panel.test", PASSWORD),
        // An account without a password.
        ("owner@panel.test", PASSWORD),
    ] {
        let response = panel.login(email, password).await;
        assert_eq!(response.status, 422, "{email}: {}", response.text);
        assert!(!response.headers.contains_key("authorization"));
        let mut body = response.json();
        body["request_id"] = Value::Null;
        bodies.push(body);
    }
    assert!(bodies[0]["errors"]["email"][0].is_string(), "{}", bodies[0]);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM sessions WHERE family_id <> 'owner'")).await,
        0
    );
}

async fn an_account_is_throttled_after_five_failures(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    for _ in 0..5 {
        assert_eq!(panel.login("anna@panel.test", "wrong").await.status_and_code().0, 422);
    }
    // The correct password is throttled too, from the whole network. Other networks and other accounts are not affected.
    let throttled_response = panel.login_from("203.0.113.200", "ANNA@panel.test", PASSWORD).await;
    assert_eq!(throttled_response.status_and_code(), (429, "too_many_attempts".into()));
    assert!(
        (60..=61).contains(&throttled_response.retry_after_secs()),
        "{}",
        throttled_response.retry_after_secs()
    );
    assert_eq!(panel.login("unknown@panel.test", "wrong").await.status_and_code().0, 422);
    panel.login_from("198.51.100.7", "anna@panel.test", PASSWORD).await.session_token();
    // Each failure after the wait doubles the next wait, up to 15 minutes.
    for (elapsed_secs, next_wait_secs) in [(61, 120), (121, 240), (241, 480), (481, 900), (901, 900)] {
        panel.clock.advance_secs(elapsed_secs);
        assert_eq!(panel.login("anna@panel.test", "wrong").await.status_and_code().0, 422);
        let throttled_response = panel.login("anna@panel.test", PASSWORD).await;
        assert!(
            throttled_response.status_and_code().0 == 429
                && (next_wait_secs..=next_wait_secs + 1).contains(&throttled_response.retry_after_secs()),
            "{next_wait_secs}: {}",
            throttled_response.text
        );
    }
    panel.clock.advance_secs(901);
    panel.login("anna@panel.test", PASSWORD).await.session_token();
    assert_eq!(panel.login("anna@panel.test", "wrong").await.status_and_code().0, 422);
    panel.login("anna@panel.test", PASSWORD).await.session_token();
}

async fn an_address_is_throttled_after_twenty_attempts(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    panel.clock.advance_secs(10);
    for guess in 0..20 {
        assert_eq!(panel.login(&format!("guess{guess}@panel.test"), "wrong").await.status_and_code().0, 422);
        panel.clock.advance_secs(1);
    }
    let throttled_response = panel.login("anna@panel.test", PASSWORD).await;
    assert!(
        throttled_response.status_and_code().0 == 429
            && (40..=41).contains(&throttled_response.retry_after_secs()),
        "{}",
        throttled_response.text
    );
    // An IPv4-mapped IPv6 address counts as the same address; the next address does not.
    assert_eq!(
        panel.login_from("::ffff:203.0.113.7", "anna@panel.test", PASSWORD).await.status_and_code().0,
        429
    );
    panel.login_from("::ffff:203.0.113.8", "anna@panel.test", PASSWORD).await.session_token();
    panel.clock.advance_secs(41);
    panel.login("anna@panel.test", PASSWORD).await.session_token();
}

async fn a_one_time_code_works_once(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    let seed = b"12345678901234567890".to_vec();
    let secrets: &Secrets = &panel.app.secrets;
    let sealed = secrets.seal(&panel.app.random, &seed, &format!("users|totp_secret|{id}")).unwrap();
    panel.execute(Sql::new("UPDATE users SET totp_secret = ? WHERE id = ?").bind(sealed).bind(id)).await;
    let totp = Builder::new().with_secret(Secret::from(seed)).with_account_name("anna").build().unwrap();
    let one_time_code =
        |seconds: i64| totp.generate(u64::try_from(NOW / 1_000_000 + seconds).unwrap()).to_string();
    let sign_in = async |otp: Value| {
        let body = json!({ "email": "anna@panel.test", "password": PASSWORD, "otp": otp });
        panel.request_from("203.0.113.7", None, "POST", "/login", &body).await
    };

    let response_without_code = sign_in(Value::Null).await;
    assert_eq!(response_without_code.status_and_code(), (422, "otp_required".into()));
    assert!(response_without_code.json()["errors"]["otp"][0].is_string());
    // A caller without the password does not learn that the account has a second factor.
    assert_eq!(panel.login("anna@panel.test", "wrong").await.status_and_code().1, "wrong_credentials");
    sign_in(json!(format!(" {} ", one_time_code(0)))).await.session_token();
    assert_eq!(sign_in(json!(one_time_code(0))).await.status_and_code(), (422, "otp_wrong".into()));
    assert_eq!(
        sign_in(json!(one_time_code(-30))).await.status_and_code().1,
        "otp_wrong",
        "a code that is older than the last used code must be rejected"
    );
    panel.clock.advance_secs(30);
    sign_in(json!(one_time_code(30))).await.session_token();
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
    let panel = Panel::start(dialect).await;
    let id = panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    let outdated_hasher = argon2::Params::new(256, 1, 1, None).unwrap();
    let outdated_hasher =
        argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, outdated_hasher);
    let old_hash = outdated_hasher.hash_password(PASSWORD.as_bytes()).unwrap().to_string();
    panel
        .execute(Sql::new("UPDATE users SET password_hash = ? WHERE id = ?").bind(old_hash.clone()).bind(id))
        .await;
    let fetch_password_hash = async || {
        let sql = Sql::new("SELECT password_hash FROM users WHERE id = ?").bind(id);
        (&mut &panel.app.db).fetch_one::<(String,)>(sql).await.unwrap().0
    };
    panel.login("anna@panel.test", "wrong").await;
    assert_eq!(fetch_password_hash().await, old_hash);
    panel.login("anna@panel.test", PASSWORD).await.session_token();
    let new_hash = fetch_password_hash().await;
    assert!(panel.app.passwords.is_current(&new_hash) && new_hash != old_hash, "{new_hash}");
    panel.login("anna@panel.test", PASSWORD).await.session_token();
    assert_eq!(fetch_password_hash().await, new_hash);
}

async fn passwords_do_not_expire(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    let fetch_password_hash = async || {
        let sql = Sql::new("SELECT password_hash FROM users WHERE id = ?").bind(id);
        (&mut &panel.app.db).fetch_one::<(String,)>(sql).await.unwrap().0
    };
    let first_response = panel.login("anna@panel.test", PASSWORD).await;
    let first_hash = fetch_password_hash().await;
    panel.clock.advance_secs(10 * 365 * 86_400);
    let late_response = panel.login("anna@panel.test", PASSWORD).await;
    // Ten years later the response still does not ask for a new password.
    let field_names =
        |response: &TestResponse| response.json().as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        (late_response.status.as_u16(), field_names(&late_response)),
        (200, field_names(&first_response))
    );
    assert_eq!(panel.profile_status(&late_response.session_token()).await.0, 200);
    assert_eq!(fetch_password_hash().await, first_hash);
}

/// Starts a captcha service that returns the response in `next_response`. Returns the URL and the requests that arrived.
pub(crate) async fn start_captcha_server(
    next_response: &'static Mutex<&'static str>,
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
                let mut chunk = [0; 4_096];
                match socket.read(&mut chunk).await {
                    Ok(byte_count) if byte_count > 0 => request.extend_from_slice(&chunk[..byte_count]),
                    _ => break,
                }
            }
            requests.lock().unwrap().push(String::from_utf8(request).unwrap());
            let response = *next_response.lock().unwrap();
            drop(socket.write_all(response.as_bytes()).await);
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
    let next_response: &'static Mutex<&'static str> = Box::leak(Box::new(Mutex::new("")));
    let (url, received_requests) = start_captcha_server(next_response).await;
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
    panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    panel.login("anna@panel.test", PASSWORD).await.session_token();
    assert!(
        received_requests.lock().unwrap().is_empty(),
        "the server must not ask the captcha service before captchas are enabled"
    );
    let now = panel_contract::moment::Time(NOW);
    settings::put(&mut &panel.app.db, settings::CAPTCHA_IS_ENABLED, &json!(true), now).await.unwrap();
    let sign_in = async |captcha_response: Value| -> TestResponse {
        let body = json!({ "email": "anna@panel.test", "password": PASSWORD, "g-recaptcha-response": captcha_response });
        panel.request_from("203.0.113.7", None, "POST", "/login", &body).await
    };

    let response_without_captcha = sign_in(Value::Null).await;
    assert_eq!(response_without_captcha.status_and_code(), (422, "captcha_required".into()));
    assert!(response_without_captcha.json()["errors"]["g-recaptcha-response"][0].is_string());
    let valid_response = r#"{"success":true,"hostname":"panel.example.com","score":0.9,"action":"login"}"#;
    for (status, body, (expected_status, expected_code)) in [
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
        *next_response.lock().unwrap() = http_response(status, body);
        let status_and_code = sign_in(json!("solved+it & more")).await.status_and_code();
        assert_eq!(status_and_code, (expected_status, expected_code.to_owned()), "{status} {body}");
    }
    *next_response.lock().unwrap() = "";
    assert_eq!(
        sign_in(json!("solved")).await.status_and_code().0,
        503,
        "a captcha service that closes the connection counts as unavailable"
    );
    let received_requests = received_requests.lock().unwrap().clone();
    assert!(
        received_requests[0]
            .contains("secret=captcha-secret&response=solved%2Bit+%26+more&remoteip=203.0.113.7")
    );
    // An outage of the captcha service does not count as a failed attempt.
    *next_response.lock().unwrap() = http_response("200 OK", valid_response);
    sign_in(json!("solved")).await.session_token();
}

async fn the_log_of_a_sign_in_contains_no_secrets(dialect: Dialect) {
    // The first run is not captured: a call site that another test reaches first, while the subscriber is installed, may be
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
    let panel = Panel::start(dialect).await;
    panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    let wrong_response = panel.login("anna@panel.test", "a-wrong-password").await;
    assert_eq!(wrong_response.status, 422);
    let first_token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    let second_token = panel.refresh_session(&first_token).await.session_token();
    let body = json!({ "code": "a-made-up-code" });
    panel.request_from("203.0.113.7", None, "POST", "/handoff?token=in-the-query", &body).await;
    let path = "/api/v1/admin/handoff-codes";
    let code =
        panel.request_from("203.0.113.7", Some(&second_token), "POST", path, &Value::Null).await.json();
    let code = code["data"]["code"].as_str().unwrap().to_owned();
    let handed_over_token = panel
        .request_from("203.0.113.7", None, "POST", "/handoff", &json!({ "code": code }))
        .await
        .session_token();
    panel.clock.advance_secs(31);
    assert_eq!(panel.profile_status(&first_token).await.1, "token_replaced");
    let fixed_secrets = ["a-wrong-password", "a-made-up-code", "in-the-query", "argon2id", PASSWORD];
    fixed_secrets
        .into_iter()
        .map(str::to_owned)
        .chain([first_token, second_token, code, handed_over_token])
        .collect()
}

async fn invalid_sign_in_input_is_rejected(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let long_string = "x".repeat(2_000);
    for (body, expected_status) in [
        (json!({ "email": "", "password": PASSWORD }), 422),
        (json!({ "email": "anna@panel.test", "password": "" }), 422),
        (json!({ "email": "anna@panel.test", "password": long_string }), 422),
        (json!({ "email": long_string, "password": PASSWORD }), 422),
        (json!({ "email": "anna@panel.test" }), 422),
        (json!({ "email": 7, "password": PASSWORD }), 422),
        (json!({ "email": "a\0b@panel.test", "password": "x\0y" }), 422),
        (json!({ "email": "anna@panel.test", "password": PASSWORD, "admin": true }), 422),
        (json!([]), 422),
    ] {
        let response = panel.request_from("203.0.113.7", None, "POST", "/login", &body).await;
        assert_eq!(response.status.as_u16(), expected_status, "{body}: {}", response.text);
    }
}

async fn an_empty_sign_in_field_is_named_in_the_error(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_user("anna@panel.test", &STAFF_PERMISSIONS).await;
    let error_fields = async |email: &str, password: &str| -> Vec<String> {
        let response = panel.login(email, password).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(error_fields("anna@panel.test", "").await, ["password"]);
    assert_eq!(error_fields(" ", PASSWORD).await, ["email"]);
    assert_eq!(error_fields("", "").await, ["email", "password"]);
    assert_eq!(
        error_fields("anna@panel.test", "wrong").await,
        ["email"],
        "the response must not reveal whether the email or the password is wrong"
    );
}
