//! How guessing is slowed down: counted before the check, per account over all networks, and never for usual networks.

use std::sync::Mutex;

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::app::App;
use panel_server::auth::throttle::{Attempt, Captcha, Purpose};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::login::{answer_of, checker};
use crate::panel::{NOW, Panel};
use crate::people::PASSWORD;

both! {
    of_sixty_guesses_at_once_five_are_checked;
    of_parallel_attempts_never_more_than_allowed_are_counted;
    an_account_waits_over_all_networks_but_its_own;
    an_account_needs_a_captcha_over_all_networks_but_its_own;
    digits_are_counted_before_they_are_checked;
    what_was_not_checked_is_given_back;
    the_purposes_have_counters_of_their_own;
}

const STAFF: [Permission; 1] = [Permission::ViewOrders];
const ANNA: &str = "anna@panel.test";

/// An address of a network that nothing else uses.
fn elsewhere(n: usize) -> String {
    format!("198.18.{n}.7")
}

async fn of_sixty_guesses_at_once_five_are_checked(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    panel.person(ANNA, &STAFF).await;
    let guesses = (0..60).map(|n| {
        let panel = &panel;
        async move { panel.login(ANNA, &format!("guess number {n}")).await }
    });
    let answers = futures_util::future::join_all(guesses).await;
    let checked = answers.iter().filter(|answer| answer.says() == (422, "wrong_credentials".into())).count();
    let refused = answers.iter().filter(|answer| answer.says() == (429, "too_many_attempts".into()));
    assert_eq!(checked, 5, "of {:?}", answers.iter().map(crate::panel::Answer::says).collect::<Vec<_>>());
    assert!(refused.clone().all(|answer| (60..=61).contains(&answer.wait())));
    assert_eq!(refused.count(), 55);
}

/// Reserves in parallel; how many were let through.
async fn reserved(app: &App, attempts: Vec<Attempt>) -> usize {
    let tasks = attempts.into_iter().map(|attempt| {
        let app = app.clone();
        tokio::spawn(async move { attempt.reserve(&app, Captcha::Unavailable).await.is_ok() })
    });
    let through = futures_util::future::join_all(tasks).await;
    through.into_iter().filter(|through| *through.as_ref().unwrap()).count()
}

async fn of_parallel_attempts_never_more_than_allowed_are_counted(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| {
        config.limits.login_failures = 2;
        config.limits.login_failures_per_account = 3;
    })
    .await;
    for round in 0..200 {
        let attempt = |who: &str, from: usize| {
            let email = format!("{who}{round}@panel.test");
            Attempt::new(Purpose::Login, &email, elsewhere(from).parse().unwrap())
        };
        let one_network = (0..6).map(|_| attempt("one", 1)).collect();
        assert_eq!(reserved(&panel.app, one_network).await, 2, "round {round}");
        let many_networks = (0..6).map(|from| attempt("many", from)).collect();
        assert_eq!(reserved(&panel.app, many_networks).await, 3, "round {round}");
    }
}

/// A panel whose accounts may fail three times over all networks.
async fn strict(dialect: Dialect) -> Panel {
    let panel = Panel::with(dialect, |config| config.limits.login_failures_per_account = 3).await;
    panel.person(ANNA, &STAFF).await;
    panel
}

async fn an_account_waits_over_all_networks_but_its_own(dialect: Dialect) {
    let panel = strict(dialect).await;
    panel.login(ANNA, PASSWORD).await.token();
    for n in 0..3 {
        assert_eq!(panel.login_from(&elsewhere(n), ANNA, "wrong").await.says().0, 422);
    }
    // No network is left for a guess, nor for the right password; an account that does not exist looks the same.
    let waits = panel.login_from(&elsewhere(3), ANNA, PASSWORD).await;
    assert!(waits.says().0 == 429 && (60..=61).contains(&waits.wait()), "{}", waits.text);
    for n in 0..4 {
        let answer = panel.login_from(&elsewhere(n), "nobody@panel.test", "wrong").await;
        assert_eq!(answer.says().0, if n < 3 { 422 } else { 429 });
    }
    // She herself is unharmed where she usually is, also after a wrong password, and nothing there helps the attacker.
    for _ in 0..3 {
        assert_eq!(panel.login(ANNA, "wrong").await.says().0, 422);
        panel.login_from("203.0.113.200", ANNA, PASSWORD).await.token();
    }
    assert_eq!(panel.login_from(&elsewhere(4), ANNA, "wrong").await.says().0, 429);
    // The wait ends, and the next failure doubles it.
    panel.clock.advance_secs(61);
    assert_eq!(panel.login_from(&elsewhere(5), ANNA, "wrong").await.says().0, 422);
    let waits = panel.login_from(&elsewhere(6), ANNA, "wrong").await;
    assert!(waits.says().0 == 429 && (120..=121).contains(&waits.wait()), "{}", waits.text);
    panel.clock.advance_secs(121);
    panel.login_from(&elsewhere(7), ANNA, PASSWORD).await.token();
    let usual = Sql::new("SELECT count(*) FROM usual_networks");
    assert_eq!(panel.number(usual).await, 2);
    // A month without a sign-in, and her network is one like all others.
    panel.clock.advance_secs(29 * 86_400);
    for n in 10..13 {
        assert_eq!(panel.login_from(&elsewhere(n), ANNA, "wrong").await.says().0, 422);
    }
    panel.login(ANNA, PASSWORD).await.token();
    panel.clock.advance_secs(31 * 86_400);
    for n in 10..13 {
        assert_eq!(panel.login_from(&elsewhere(n), ANNA, "wrong").await.says().0, 422);
    }
    assert_eq!(panel.login(ANNA, PASSWORD).await.says().0, 429);
}

async fn an_account_needs_a_captcha_over_all_networks_but_its_own(dialect: Dialect) {
    let answer: &'static Mutex<&'static str> = Box::leak(Box::new(Mutex::new("")));
    let (url, asked) = checker(answer).await;
    let panel = Panel::with(dialect, |config| {
        config.limits.login_failures_per_account = 3;
        config.captcha.verify_url = Some(url);
        config.captcha.secret = Some("captcha-secret".into());
        config.captcha.site_key = Some("captcha-key".into());
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.allow_http = true;
        config.outbound.seconds = 2;
    })
    .await;
    panel.person(ANNA, &STAFF).await;
    panel.login(ANNA, PASSWORD).await.token();
    for n in 0..3 {
        assert_eq!(panel.login_from(&elsewhere(n), ANNA, "wrong").await.says().1, "wrong_credentials");
    }
    for password in [PASSWORD, "wrong"] {
        let wanted = panel.login_from(&elsewhere(3), ANNA, password).await;
        assert_eq!(wanted.says(), (422, "captcha_required".into()));
        assert!(wanted.json()["errors"]["g-recaptcha-response"][0].is_string());
    }
    panel.login_from("203.0.113.200", ANNA, PASSWORD).await.token();
    assert!(asked.lock().unwrap().is_empty(), "a missing captcha was sent to the captcha service");
    let solve = async |from: usize, password: &str| {
        let body = json!({ "email": ANNA, "password": password, "g-recaptcha-response": "solved" });
        panel.call(&elsewhere(from), None, "POST", "/login", &body).await
    };
    *answer.lock().unwrap() = answer_of("200 OK", r#"{"success":false}"#);
    assert_eq!(solve(3, PASSWORD).await.says().1, "captcha_failed");
    *answer.lock().unwrap() = answer_of("200 OK", r#"{"success":true}"#);
    for n in 4..9 {
        assert_eq!(
            solve(n, "wrong").await.says().1,
            "wrong_credentials",
            "a solved captcha is not a password"
        );
    }
    solve(9, PASSWORD).await.token();
    // Where she has signed in, no captcha is asked for any more.
    panel.login_from(&elsewhere(9), ANNA, PASSWORD).await.token();
    assert_eq!(panel.login_from(&elsewhere(10), ANNA, PASSWORD).await.says().1, "captcha_required");
    panel.clock.advance_secs(86_401);
    panel.login_from(&elsewhere(10), ANNA, PASSWORD).await.token();
}

async fn digits_are_counted_before_they_are_checked(dialect: Dialect) {
    let panel = Panel::with(dialect, |config| config.limits.logins_per_minute = 1_000).await;
    let id = panel.person(ANNA, &STAFF).await;
    let seed = b"12345678901234567890".to_vec();
    let place = format!("users|totp_secret|{id}");
    let sealed = panel.app.secrets.seal(&panel.app.random, &seed, &place).unwrap();
    panel.exec(Sql::new("UPDATE users SET totp_secret = ? WHERE id = ?").bind(sealed).bind(id)).await;
    let totp = Builder::new().with_secret(Secret::from(seed)).with_account_name("anna").build().unwrap();
    let right = totp.generate(u64::try_from(NOW / 1_000_000).unwrap()).to_string();
    let enter = async |otp: Value| {
        let body = json!({ "email": ANNA, "password": PASSWORD, "otp": otp });
        panel.call("203.0.113.7", None, "POST", "/login", &body).await
    };
    // To be asked for digits is no failure, however often.
    for _ in 0..12 {
        assert_eq!(enter(Value::Null).await.says().1, "otp_required");
    }
    let guesses = (0..20).filter(|n| format!("{n:06}") != right).map(|n| enter(json!(format!("{n:06}"))));
    let answers = futures_util::future::join_all(guesses).await;
    assert_eq!(answers.iter().filter(|answer| answer.says().1 == "otp_wrong").count(), 5);
    assert_eq!(enter(json!(right)).await.says().0, 429);
}

async fn what_was_not_checked_is_given_back(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.person(ANNA, &STAFF).await;
    let counted = || {
        Sql::new(
            "SELECT CAST(coalesce(sum(failures), 0) AS BIGINT) FROM login_throttle WHERE key LIKE 'login|%'",
        )
    };
    panel.exec(Sql::new("ALTER TABLE users RENAME COLUMN totp_secret TO away")).await;
    for _ in 0..6 {
        assert_eq!(panel.login(ANNA, PASSWORD).await.status, 500);
    }
    assert_eq!(panel.number(counted()).await, 0);
    panel.exec(Sql::new("ALTER TABLE users RENAME COLUMN away TO totp_secret")).await;
    panel.login(ANNA, PASSWORD).await.token();
}

async fn the_purposes_have_counters_of_their_own(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let of = |purpose| Attempt::new(purpose, ANNA, "203.0.113.7".parse().unwrap());
    for _ in 0..5 {
        of(Purpose::ConfirmByCode).reserve(&panel.app, Captcha::Unavailable).await.unwrap().unwrap().failed();
    }
    for other in [Purpose::Login, Purpose::ConfirmByPassword, Purpose::ConfirmByPasskey, Purpose::Enrolment] {
        let reservation = of(other).reserve(&panel.app, Captcha::Unavailable).await.unwrap().unwrap();
        reservation.succeeded(&panel.app.db).await.unwrap();
    }
    assert!(of(Purpose::ConfirmByCode).reserve(&panel.app, Captcha::Unavailable).await.is_err());
}
