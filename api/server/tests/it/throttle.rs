//! Limits of guesses: attempts are counted before the check, per account over all networks, except for its usual networks.

use std::sync::Mutex;

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::app::App;
use panel_server::auth::throttle::{Attempt, CaptchaState, Purpose};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::login::{http_response, start_captcha_server};
use crate::panel::{NOW, Panel};
use crate::test_users::PASSWORD;

test_both_databases! {
    only_five_of_sixty_concurrent_guesses_are_checked;
    concurrent_attempts_never_exceed_the_limit;
    a_locked_account_can_sign_in_only_from_its_usual_networks;
    an_account_with_failures_needs_a_captcha_except_in_its_usual_networks;
    one_time_codes_are_counted_before_they_are_checked;
    an_attempt_that_was_not_checked_does_not_count;
    each_purpose_has_its_own_counter;
}

const STAFF: [Permission; 1] = [Permission::ViewOrders];
const ANNA: &str = "anna@panel.test";

/// An address in network `n`, which is no usual network of any account.
fn address_in_network(number: usize) -> String {
    format!("198.18.{number}.7")
}

async fn only_five_of_sixty_concurrent_guesses_are_checked(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    panel.create_user(ANNA, &STAFF).await;
    let guesses = (0..60).map(|number| {
        let panel = &panel;
        async move { panel.login(ANNA, &format!("guess number {number}")).await }
    });
    let responses = futures_util::future::join_all(guesses).await;
    let checked_count = responses
        .iter()
        .filter(|response| response.status_and_code() == (422, "wrong_credentials".into()))
        .count();
    let rejection =
        responses.iter().filter(|response| response.status_and_code() == (429, "too_many_attempts".into()));
    assert_eq!(
        checked_count,
        5,
        "of {:?}",
        responses.iter().map(crate::panel::TestResponse::status_and_code).collect::<Vec<_>>()
    );
    assert!(rejection.clone().all(|response| (60..=61).contains(&response.retry_after_secs())));
    assert_eq!(rejection.count(), 55);
}

/// Reserves the attempts concurrently. Returns how many were accepted.
async fn reserve_all(app: &App, attempts: Vec<Attempt>) -> usize {
    let tasks = attempts.into_iter().map(|attempt| {
        let app = app.clone();
        tokio::spawn(async move { attempt.reserve(&app, CaptchaState::Unavailable).await.is_ok() })
    });
    let accepted = futures_util::future::join_all(tasks).await;
    accepted.into_iter().filter(|accepted| *accepted.as_ref().unwrap()).count()
}

async fn concurrent_attempts_never_exceed_the_limit(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| {
        config.limits.login_failures = 2;
        config.limits.login_failures_per_account = 3;
    })
    .await;
    for round in 0..200 {
        let attempt = |who: &str, network: usize| {
            let email = format!("{who}{round}@panel.test");
            Attempt::new(Purpose::Login, &email, address_in_network(network).parse().unwrap())
        };
        let one_network = (0..6).map(|_| attempt("one", 1)).collect();
        assert_eq!(reserve_all(&panel.app, one_network).await, 2, "round {round}");
        let many_networks = (0..6).map(|network| attempt("many", network)).collect();
        assert_eq!(reserve_all(&panel.app, many_networks).await, 3, "round {round}");
    }
}

/// A panel with a limit of three failures per account over all networks.
async fn strict_panel(dialect: Dialect) -> Panel {
    let panel = Panel::with_config(dialect, |config| config.limits.login_failures_per_account = 3).await;
    panel.create_user(ANNA, &STAFF).await;
    panel
}

async fn a_locked_account_can_sign_in_only_from_its_usual_networks(dialect: Dialect) {
    let panel = strict_panel(dialect).await;
    panel.login(ANNA, PASSWORD).await.session_token();
    for number in 0..3 {
        assert_eq!(
            panel.login_from(&address_in_network(number), ANNA, "wrong").await.status_and_code().0,
            422
        );
    }
    // Other networks are rejected, also with the right password; an unknown account gets the same answers.
    let rejection = panel.login_from(&address_in_network(3), ANNA, PASSWORD).await;
    assert!(
        rejection.status_and_code().0 == 429 && (60..=61).contains(&rejection.retry_after_secs()),
        "{}",
        rejection.text
    );
    for number in 0..4 {
        let response = panel.login_from(&address_in_network(number), "unknown@panel.test", "wrong").await;
        assert_eq!(response.status_and_code().0, if number < 3 { 422 } else { 429 });
    }
    // Anna can still sign in from her usual network, also after a wrong password; other networks stay locked.
    for _ in 0..3 {
        assert_eq!(panel.login(ANNA, "wrong").await.status_and_code().0, 422);
        panel.login_from("203.0.113.200", ANNA, PASSWORD).await.session_token();
    }
    assert_eq!(panel.login_from(&address_in_network(4), ANNA, "wrong").await.status_and_code().0, 429);
    // After the waiting time the next failure doubles it.
    panel.clock.advance_secs(61);
    assert_eq!(panel.login_from(&address_in_network(5), ANNA, "wrong").await.status_and_code().0, 422);
    let rejection = panel.login_from(&address_in_network(6), ANNA, "wrong").await;
    assert!(
        rejection.status_and_code().0 == 429 && (120..=121).contains(&rejection.retry_after_secs()),
        "{}",
        rejection.text
    );
    panel.clock.advance_secs(121);
    panel.login_from(&address_in_network(7), ANNA, PASSWORD).await.session_token();
    let count_usual_networks_sql = Sql::new("SELECT count(*) FROM user_login_networks");
    assert_eq!(panel.fetch_number(count_usual_networks_sql).await, 2);
    // A network without a sign-in for a month is no usual network any more.
    panel.clock.advance_secs(29 * 86_400);
    for number in 10..13 {
        assert_eq!(
            panel.login_from(&address_in_network(number), ANNA, "wrong").await.status_and_code().0,
            422
        );
    }
    panel.login(ANNA, PASSWORD).await.session_token();
    panel.clock.advance_secs(31 * 86_400);
    for number in 10..13 {
        assert_eq!(
            panel.login_from(&address_in_network(number), ANNA, "wrong").await.status_and_code().0,
            422
        );
    }
    assert_eq!(panel.login(ANNA, PASSWORD).await.status_and_code().0, 429);
}

async fn an_account_with_failures_needs_a_captcha_except_in_its_usual_networks(dialect: Dialect) {
    let captcha_response: &'static Mutex<&'static str> = Box::leak(Box::new(Mutex::new("")));
    let (url, captcha_requests) = start_captcha_server(captcha_response).await;
    let panel = Panel::with_config(dialect, |config| {
        config.limits.login_failures_per_account = 3;
        config.captcha.verify_url = Some(url);
        config.captcha.secret = Some("captcha-secret".into());
        config.captcha.site_key = Some("captcha-key".into());
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.allow_http = true;
        config.outbound.timeout_seconds = 2;
    })
    .await;
    panel.create_user(ANNA, &STAFF).await;
    panel.login(ANNA, PASSWORD).await.session_token();
    for number in 0..3 {
        assert_eq!(
            panel.login_from(&address_in_network(number), ANNA, "wrong").await.status_and_code().1,
            "wrong_credentials"
        );
    }
    for password in [PASSWORD, "wrong"] {
        let rejection = panel.login_from(&address_in_network(3), ANNA, password).await;
        assert_eq!(rejection.status_and_code(), (422, "captcha_required".into()));
        assert!(rejection.json()["errors"]["g-recaptcha-response"][0].is_string());
    }
    panel.login_from("203.0.113.200", ANNA, PASSWORD).await.session_token();
    assert!(
        captcha_requests.lock().unwrap().is_empty(),
        "a missing captcha must not be sent to the captcha service"
    );
    let sign_in_with_captcha = async |network: usize, password: &str| {
        let body = json!({ "email": ANNA, "password": password, "g-recaptcha-response": "solved" });
        panel.request_from(&address_in_network(network), None, "POST", "/login", &body).await
    };
    *captcha_response.lock().unwrap() = http_response("200 OK", r#"{"success":false}"#);
    assert_eq!(sign_in_with_captcha(3, PASSWORD).await.status_and_code().1, "captcha_failed");
    *captcha_response.lock().unwrap() = http_response("200 OK", r#"{"success":true}"#);
    for number in 4..9 {
        assert_eq!(
            sign_in_with_captcha(number, "wrong").await.status_and_code().1,
            "wrong_credentials",
            "a solved captcha must not replace the password"
        );
    }
    sign_in_with_captcha(9, PASSWORD).await.session_token();
    // A network in which Anna signed in needs no captcha any more.
    panel.login_from(&address_in_network(9), ANNA, PASSWORD).await.session_token();
    assert_eq!(
        panel.login_from(&address_in_network(10), ANNA, PASSWORD).await.status_and_code().1,
        "captcha_required"
    );
    panel.clock.advance_secs(86_401);
    panel.login_from(&address_in_network(10), ANNA, PASSWORD).await.session_token();
}

async fn one_time_codes_are_counted_before_they_are_checked(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let id = panel.create_user(ANNA, &STAFF).await;
    let seed = b"12345678901234567890".to_vec();
    let seal_context = format!("users|totp_secret|{id}");
    let sealed = panel.app.secrets.seal(&panel.app.random, &seed, &seal_context).unwrap();
    panel.execute(Sql::new("UPDATE users SET totp_secret = ? WHERE id = ?").bind(sealed).bind(id)).await;
    let totp = Builder::new().with_secret(Secret::from(seed)).with_account_name("anna").build().unwrap();
    let correct_code = totp.generate(u64::try_from(NOW / 1_000_000).unwrap()).to_string();
    let sign_in = async |otp: Value| {
        let body = json!({ "email": ANNA, "password": PASSWORD, "otp": otp });
        panel.request_from("203.0.113.7", None, "POST", "/login", &body).await
    };
    // A sign-in that only lacks the code does not count as a failure.
    for _ in 0..12 {
        assert_eq!(sign_in(Value::Null).await.status_and_code().1, "otp_required");
    }
    let guesses = (0..20)
        .filter(|number| format!("{number:06}") != correct_code)
        .map(|number| sign_in(json!(format!("{number:06}"))));
    let responses = futures_util::future::join_all(guesses).await;
    assert_eq!(responses.iter().filter(|response| response.status_and_code().1 == "otp_wrong").count(), 5);
    assert_eq!(sign_in(json!(correct_code)).await.status_and_code().0, 429);
}

async fn an_attempt_that_was_not_checked_does_not_count(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_user(ANNA, &STAFF).await;
    let failure_count = || {
        Sql::new(
            "SELECT CAST(coalesce(sum(failures), 0) AS BIGINT) FROM login_throttle WHERE key LIKE 'login|%'",
        )
    };
    panel.execute(Sql::new("ALTER TABLE users RENAME COLUMN totp_secret TO renamed")).await;
    for _ in 0..6 {
        assert_eq!(panel.login(ANNA, PASSWORD).await.status, 500);
    }
    assert_eq!(panel.fetch_number(failure_count()).await, 0);
    panel.execute(Sql::new("ALTER TABLE users RENAME COLUMN renamed TO totp_secret")).await;
    panel.login(ANNA, PASSWORD).await.session_token();
}

async fn each_purpose_has_its_own_counter(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let attempt_for = |purpose| Attempt::new(purpose, ANNA, "203.0.113.7".parse().unwrap());
    for _ in 0..5 {
        attempt_for(Purpose::ConfirmByCode)
            .reserve(&panel.app, CaptchaState::Unavailable)
            .await
            .unwrap()
            .unwrap()
            .record_failure();
    }
    for other_purpose in
        [Purpose::Login, Purpose::ConfirmByPassword, Purpose::ConfirmByPasskey, Purpose::Enrolment]
    {
        let reservation =
            attempt_for(other_purpose).reserve(&panel.app, CaptchaState::Unavailable).await.unwrap().unwrap();
        reservation.record_success(&panel.app.db).await.unwrap();
    }
    assert!(
        attempt_for(Purpose::ConfirmByCode).reserve(&panel.app, CaptchaState::Unavailable).await.is_err()
    );
}
