//! Races: two parallel requests with one proof, and proofs and accounts that are removed while a request uses them. Exactly one
//! request succeeds, and the stored state agrees with it. `PANEL_TEST_RACES=200` sets the number of runs of each test; the delay
//! between both requests differs from run to run.

use panel_contract::amount::Money;
use panel_contract::ids::{InvoiceId, OrderId, PaymentMethodId, UserId};
use panel_contract::permission::Permission;
use panel_kernel::error::Result;
use panel_platform::db::{Dialect, Sql};
use panel_platform::sql;
use panel_server::auth::sessions;
use panel_server::operations::invoices::bill::{NewInvoice, issue_invoice};
use panel_server::operations::orders::place::{NewOrder, place};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::authenticator::{Authenticator, ORIGIN};
use crate::invoices::create_invoice;
use crate::model::number_from_env;
use crate::panel::{Answer, NOW, Panel};
use crate::people::PASSWORD;
use crate::shop::{self, PLAIN};
use crate::withdrawals::add_payment_methods;

both! {
    one_passkey_answer_signs_in_once;
    a_passkey_is_removed_while_it_signs_in;
    a_password_link_works_once;
    a_link_is_used_while_the_password_changes;
    an_order_is_placed_during_an_erasure;
    a_payment_arrives_during_an_erasure;
    an_account_is_used_during_its_erasure;
    the_same_digits_confirm_once;
    a_recovery_code_signs_in_once;
    an_app_is_enrolled_during_a_reset;
    a_passkey_is_added_during_a_reset;
}

const ANNA: &str = "anna@panel.test";
const CLIENT_IP: &str = "203.0.113.7";
const FACTOR: &str = "/api/v1/profile/second-factor";
const PASSKEYS: &str = "/api/v1/profile/passkeys";
const CONFIRM: &str = "/api/v1/profile/confirm";
const TOTP_SECRET: &[u8; 20] = b"12345678901234567890";

fn run_count() -> u64 {
    number_from_env("PANEL_TEST_RACES", 6)
}

/// Runs both futures at once. `run` determines which one begins later, and by how many yields to the scheduler.
async fn race<A, B>(run: u64, first: impl Future<Output = A>, second: impl Future<Output = B>) -> (A, B) {
    let lag = (run * 2_711) % 40_000;
    let (first_delay, second_delay) = [(0, 0), (0, lag), (lag, 0)][usize::try_from(run % 3).unwrap()];
    tokio::join!(
        async {
            yield_times(first_delay).await;
            first.await
        },
        async {
            yield_times(second_delay).await;
            second.await
        }
    )
}

async fn yield_times(times: u64) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}

/// A panel with passkeys and without limits for failed sign-ins.
async fn panel_without_login_limits(dialect: Dialect) -> Panel {
    Panel::with_config(dialect, |config| {
        config.public_url = Some(ORIGIN.into());
        config.limits.login_failures = 1_000_000;
        config.limits.login_failures_per_account = 1_000_000;
        config.limits.logins_per_minute = 1_000_000;
    })
    .await
}

async fn count(panel: &Panel, sql: &'static str) -> i64 {
    panel.number(Sql::new(sql)).await
}

async fn audits_count(panel: &Panel, event: &'static str) -> i64 {
    panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
}

async fn open_sessions(panel: &Panel, user: i64) -> i64 {
    let sql = "SELECT count(*) FROM sessions WHERE revoked_at IS NULL AND user_id = ?";
    panel.number(Sql::new(sql).bind(user)).await
}

/// The HTTP statuses of both answers in ascending order.
fn statuses(first: &Answer, second: &Answer) -> [u16; 2] {
    let mut both = [first.status.as_u16(), second.status.as_u16()];
    both.sort_unstable();
    both
}

fn ok_data(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"].clone()
}

/// Sends a sign-in of Anna; `factor` is `{}` or the fields of the second factor.
async fn sign_in(panel: &Panel, factor: &Value) -> Answer {
    let mut body = json!({ "email": ANNA, "password": PASSWORD });
    body.as_object_mut().unwrap().extend(factor.as_object().unwrap().clone());
    panel.call("203.0.113.9", None, "POST", "/login", &body).await
}

/// The passkey's answer to the challenge of a sign-in of Anna.
async fn passkey_answer(panel: &Panel, key: &Authenticator) -> Value {
    let challenge = sign_in(panel, &json!({})).await;
    assert_eq!(challenge.status_and_code(), (422, "otp_required".into()), "{}", challenge.text);
    json!({ "passkey": key.answer(&challenge.json()["second_factor"]["passkey"]) })
}

async fn call(panel: &Panel, token: &str, method: &str, path: &str, body: &Value) -> Answer {
    panel.call(CLIENT_IP, Some(token), method, path, body).await
}

async fn register(panel: &Panel, token: &str, key: &Authenticator) -> Answer {
    let challenge = ok_data(&call(panel, token, "POST", &format!("{PASSKEYS}/begin"), &Value::Null).await);
    finish(panel, token, key, &challenge).await
}

async fn finish(panel: &Panel, token: &str, key: &Authenticator, challenge: &Value) -> Answer {
    let credential = key.create(&challenge["options"]);
    let body = json!({ "name": "Key", "ceremony": challenge["ceremony"], "credential": credential });
    call(panel, token, "POST", PASSKEYS, &body).await
}

/// The passkey's answer to the challenge of a confirmation within a session.
async fn confirmation_answer(panel: &Panel, token: &str, key: &Authenticator) -> Value {
    let challenge =
        ok_data(&call(panel, token, "POST", &format!("{PASSKEYS}/challenge"), &Value::Null).await);
    key.answer(&challenge)
}

/// Stores [`TOTP_SECRET`] for a user, as the enrolment of an authenticator app does.
async fn insert_totp_secret(panel: &Panel, user: i64) {
    let purpose = format!("users|totp_secret|{user}");
    let sealed = panel.app.secrets.seal(&panel.app.random, TOTP_SECRET, &purpose).unwrap();
    let sql = Sql::new("UPDATE users SET totp_secret = ?, totp_last_step = NULL WHERE id = ?");
    panel.execute(sql.bind(sealed).bind(user)).await;
}

/// The digits of an authenticator app `seconds` after the test began.
fn totp_digits(secret: Secret, seconds: u64) -> String {
    let totp = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
    totp.generate(u64::try_from(NOW / 1_000_000).unwrap() + seconds).to_string()
}

async fn one_passkey_answer_signs_in_once(dialect: Dialect) {
    let panel = panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA, PASSWORD).await.token();
    let key = Authenticator::new(1);
    ok_data(&register(&panel, &token, &key).await);
    for run in 0..run_count() {
        let answer = passkey_answer(&panel, &key).await;
        let before = (audits_count(&panel, "user.signed_in").await, open_sessions(&panel, anna).await);
        let (first, second) = race(run, sign_in(&panel, &answer), sign_in(&panel, &answer)).await;
        assert_eq!(statuses(&first, &second), [200, 422], "run {run}: {} {}", first.text, second.text);
        let after = (audits_count(&panel, "user.signed_in").await, open_sessions(&panel, anna).await);
        assert_eq!(after, (before.0 + 1, before.1 + 1), "run {run}");

        let answer = json!({ "passkey": confirmation_answer(&panel, &token, &key).await });
        let confirm = || call(&panel, &token, "POST", CONFIRM, &answer);
        let (first, second) = race(run, confirm(), confirm()).await;
        assert_eq!(statuses(&first, &second), [200, 422], "run {run}: {} {}", first.text, second.text);
    }
    assert_eq!(
        audits_count(&panel, "second_factor.passkey_copied").await,
        0,
        "a replayed answer does not count as a copied passkey"
    );
    panel.assert_healthy().await;
}

async fn a_passkey_is_removed_while_it_signs_in(dialect: Dialect) {
    let panel = panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA, PASSWORD).await.token();
    let (removed_key, other_key) = (Authenticator::new(1), Authenticator::new(2));
    // Once the last factor is gone, the password alone signs in.
    let late_sign_ins =
        "SELECT count(*) FROM audits s WHERE s.event = 'user.signed_in' AND s.new_values LIKE '%passkey%'
      AND s.id > (SELECT max(r.id) FROM audits r WHERE r.event = 'second_factor.passkey_removed')";
    for run in 0..run_count() {
        panel.execute(Sql::new("DELETE FROM passkeys WHERE user_id = ?").bind(anna)).await;
        let registered = ok_data(&register(&panel, &token, &removed_key).await);
        // In every second run the passkey is the last factor.
        let is_last = run % 2 == 1;
        if !is_last {
            ok_data(&register(&panel, &token, &other_key).await);
        }
        let answer = passkey_answer(&panel, &removed_key).await;
        let proving_key = if is_last { &removed_key } else { &other_key };
        let proof = json!({ "password": PASSWORD, "passkey": confirmation_answer(&panel, &token, proving_key).await });
        let path = format!("{PASSKEYS}/{}", registered["passkey"]["id"]);
        let before = (audits_count(&panel, "user.signed_in").await, open_sessions(&panel, anna).await);
        let remove = call(&panel, &token, "DELETE", &path, &proof);
        let (sign_in_answer, removal) = race(run, sign_in(&panel, &answer), remove).await;
        assert_eq!(removal.status, 204, "run {run}: {}", removal.text);
        let is_signed_in = sign_in_answer.status == 200;
        assert!(is_signed_in || sign_in_answer.status == 422, "run {run}: {}", sign_in_answer.text);
        let after = (audits_count(&panel, "user.signed_in").await, open_sessions(&panel, anna).await);
        assert_eq!(
            after,
            (before.0 + i64::from(is_signed_in), before.1 + i64::from(is_signed_in)),
            "run {run}"
        );
        assert_eq!(count(&panel, late_sign_ins).await, 0, "run {run}: a passkey signed in after its removal");
        let remaining =
            panel.number(Sql::new("SELECT count(*) FROM passkeys WHERE user_id = ?").bind(anna)).await;
        assert_eq!(remaining, i64::from(!is_last), "run {run}");
    }
    assert_eq!(
        audits_count(&panel, "second_factor.passkey_copied").await,
        0,
        "a removal does not count as a copied passkey"
    );
    panel.assert_healthy().await;
}

/// Inserts a password reset link, as the server does when it sends the email.
async fn insert_link(panel: &Panel, user: i64, token: &str) {
    let sql = sql!(
        "INSERT INTO account_links (user_id, purpose, token_hash, email, created_at, expires_at) \
           VALUES (@user, 'password_reset', @token_hash, @email, @now, @expires_at)",
        { user, token_hash: sessions::hash(token), email: ANNA, now: NOW, expires_at: NOW + 3_600_000_000 },
    );
    panel.execute(sql).await;
}

async fn use_link(panel: &Panel, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "password": password });
    panel.call(CLIENT_IP, None, "POST", "/password-links/use", &body).await
}

async fn a_password_link_works_once(dialect: Dialect) {
    let panel = panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    panel.login(ANNA, PASSWORD).await.token();
    for run in 0..run_count() {
        let token = format!("link-{run}");
        insert_link(&panel, anna, &token).await;
        let passwords = [format!("lamps rain over violet {run}"), format!("violet rain on lamps {run}")];
        let use_with = |nth: usize| use_link(&panel, &token, &passwords[nth]);
        let (first, second) = race(run, use_with(0), use_with(1)).await;
        assert_eq!(statuses(&first, &second), [204, 409], "run {run}: {} {}", first.text, second.text);
        assert_eq!(open_sessions(&panel, anna).await, 0, "run {run}");
        let (winner, loser) = if first.status == 204 { (0, 1) } else { (1, 0) };
        assert_eq!(panel.login(ANNA, &passwords[loser]).await.status, 422, "run {run}");
        panel.login(ANNA, &passwords[winner]).await.token();
        assert_eq!(audits_count(&panel, "user.password_reset").await, i64::try_from(run).unwrap() + 1);
        assert_eq!(count(&panel, "SELECT count(*) FROM account_links").await, 0, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn a_link_is_used_while_the_password_changes(dialect: Dialect) {
    let panel = panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let mut current = PASSWORD.to_owned();
    let password_changes = async |panel: &Panel| {
        audits_count(panel, "user.password_reset").await + audits_count(panel, "user.password_changed").await
    };
    for run in 0..run_count() {
        let token = panel.login(ANNA, &current).await.token();
        let link_token = format!("link-{run}");
        insert_link(&panel, anna, &link_token).await;
        let (link_password, changed_password) =
            (format!("lamps rain over violet {run}"), format!("violet rain on lamps {run}"));
        let body = json!({ "current_password": current, "password": changed_password });
        let before = password_changes(&panel).await;
        let change = call(&panel, &token, "POST", "/api/v1/profile/password", &body);
        let (link_answer, change_answer) =
            race(run, use_link(&panel, &link_token, &link_password), change).await;
        let texts = format!("run {run}: {} {}", link_answer.text, change_answer.text);
        assert_ne!(link_answer.status == 204, change_answer.status == 204, "{texts}");
        assert!(link_answer.status == 204 || link_answer.status == 409, "{texts}");
        assert!([204, 401, 409, 422].contains(&change_answer.status.as_u16()), "{texts}");
        let is_linked = link_answer.status == 204;
        // A reset revokes every session; a change keeps the session that made it.
        assert_eq!(open_sessions(&panel, anna).await, i64::from(!is_linked), "{texts}");
        let (new_password, rejected_password) =
            if is_linked { (link_password, changed_password) } else { (changed_password, link_password) };
        for old_password in [&rejected_password, &current] {
            assert_eq!(panel.login(ANNA, old_password).await.status, 422, "{texts}");
        }
        assert_eq!(password_changes(&panel).await, before + 1, "{texts}");
        current = new_password;
    }
    panel.assert_healthy().await;
}

async fn insert_customer(panel: &Panel, run: u64) -> i64 {
    let email = format!("customer-{run}@shop.example");
    let sql = "INSERT INTO users (name, email, created_at, updated_at) VALUES ('Olga', ?, 1, 1)";
    panel.execute(Sql::new(sql).bind(email.clone())).await;
    panel.number(Sql::new("SELECT id FROM users WHERE email = ?").bind(email)).await
}

async fn shop(dialect: Dialect) -> Panel {
    let panel = panel_without_login_limits(dialect).await;
    shop::fill(&panel.app.db, 1, 0).await;
    add_payment_methods(&panel).await;
    panel
}

async fn erase(panel: &Panel, user: i64) -> Answer {
    panel.post(&format!("/api/v1/admin/users/{user}/erase"), &json!({})).await
}

/// The number of records of an erased account that must not exist, plus its balances.
const REMAINS: &str = "SELECT (SELECT count(*) FROM orders o WHERE o.user_id = u.id) + (SELECT count(*) FROM invoices i WHERE i.user_id = u.id)
    + (SELECT count(*) FROM ledger_entries e WHERE e.user_id = u.id) + (SELECT count(*) FROM sessions s WHERE s.user_id = u.id)
    + (SELECT count(*) FROM api_keys k WHERE k.user_id = u.id) + ABS(u.balance_main + u.balance_task + u.balance_referral)
  FROM users u WHERE u.erasure_requested_at IS NOT NULL AND u.id = ?";

/// Asserts that either the erasure or the competing request succeeded, and that an erased account has no records.
async fn assert_one_succeeded(
    panel: &Panel,
    run: u64,
    user: i64,
    erased: &Answer,
    is_other_done: bool,
    other_answer: &str,
) {
    let is_erased = erased.status == 200;
    assert!(
        is_erased || erased.status_and_code() == (409, "erasure_blocked".into()),
        "run {run}: {}",
        erased.text
    );
    assert_ne!(is_erased, is_other_done, "run {run}: {} {other_answer}", erased.text);
    if is_erased {
        assert_eq!(panel.number(Sql::new(REMAINS).bind(user)).await, 0, "run {run}");
    }
    let erasures = "SELECT count(*) FROM audits WHERE event = 'user.erasure_requested' AND auditable_id = ?";
    assert_eq!(panel.number(Sql::new(erasures).bind(user)).await, i64::from(is_erased), "run {run}");
}

async fn place_unpaid(panel: &Panel, user: i64) -> Result<OrderId> {
    let mut work = panel.begin_work().await;
    let plain = NewOrder::plain(UserId::new(user), PLAIN, "https://video.example/race", 100);
    let placed = place(&mut work, &NewOrder { paying_balances: Vec::new(), ..plain }).await?;
    work.finish(placed.id).await
}

async fn an_order_is_placed_during_an_erasure(dialect: Dialect) {
    let panel = shop(dialect).await;
    for run in 0..run_count() {
        let user = insert_customer(&panel, run).await;
        let (placed, erased) = race(run, place_unpaid(&panel, user), erase(&panel, user)).await;
        assert_one_succeeded(&panel, run, user, &erased, placed.is_ok(), &format!("{placed:?}")).await;
    }
    panel.assert_healthy().await;
}

async fn create_invoice_for(panel: &Panel, user: i64) -> Result<InvoiceId> {
    let short_name = format!("INV-{user}");
    let new_invoice = NewInvoice {
        user_id: UserId::new(user),
        amount: Money(1_000_000),
        payment_method_id: PaymentMethodId::new(1),
        short_name,
        coupon: None,
    };
    let mut work = panel.begin_work().await;
    let id = issue_invoice(&mut work, &new_invoice).await?;
    work.finish(id).await
}

async fn a_payment_arrives_during_an_erasure(dialect: Dialect) {
    let panel = shop(dialect).await;
    for run in 0..run_count() {
        let user = insert_customer(&panel, run).await;
        let credit = json!({ "user_id": user, "transaction_type": "income", "amount": "0.01", "balance_type": "main", "comment": "By the bank" });
        let credit = panel.post("/api/v1/admin/payments", &credit);
        let (credited, erased) = race(run, credit, erase(&panel, user)).await;
        assert_one_succeeded(&panel, run, user, &erased, credited.status == 200, &credited.text).await;
        let expected_balance = if credited.status == 200 { 10_000 } else { 0 };
        assert_eq!(panel.main_balance(user).await, expected_balance, "run {run}");

        let user = insert_customer(&panel, 1_000_000 + run).await;
        let (invoice, erased) = race(run, create_invoice_for(&panel, user), erase(&panel, user)).await;
        assert_one_succeeded(&panel, run, user, &erased, invoice.is_ok(), &format!("{invoice:?}")).await;

        // A pending invoice blocks the erasure, before and after its payment.
        let user = insert_customer(&panel, 2_000_000 + run).await;
        let invoice = create_invoice(&panel, user, 1_000_000).await;
        let path = format!("/api/v1/admin/invoices/{invoice}/mark-as-paid");
        let amount = json!({ "amount": "1", "comment": "By the bank" });
        let (paid_answer, erased) = race(run, panel.post(&path, &amount), erase(&panel, user)).await;
        assert_eq!(paid_answer.status, 200, "run {run}: {}", paid_answer.text);
        assert_one_succeeded(&panel, run, user, &erased, true, &paid_answer.text).await;
        assert_eq!(panel.main_balance(user).await, 1_000_000, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn an_account_is_used_during_its_erasure(dialect: Dialect) {
    let panel = shop(dialect).await;
    for run in 0..run_count() {
        let user = insert_customer(&panel, run).await;
        let key = format!("key-{run}");
        let sql = Sql::new("INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, 1)");
        panel.execute(sql.bind(user).bind(sessions::hash(&key))).await;
        let email = format!("customer-{run}@shop.example");
        let body = json!({ "key": key, "action": "balance" });
        let call_reseller_api = || panel.call(CLIENT_IP, None, "POST", "/api/v2", &body);
        let use_account = async {
            let api_answer = call_reseller_api().await;
            (api_answer, panel.login(&email, PASSWORD).await)
        };
        let ((api_answer, sign_in_answer), erased) = race(run, use_account, erase(&panel, user)).await;
        assert!(api_answer.status.as_u16() < 500, "run {run}: {}", api_answer.text);
        assert_eq!(sign_in_answer.status, 422, "run {run}: {}", sign_in_answer.text);
        assert_one_succeeded(&panel, run, user, &erased, false, &api_answer.text).await;
        assert!(call_reseller_api().await.text.contains("Invalid API key"), "run {run}");
        let deactivated =
            "SELECT count(*) FROM users WHERE id = ? AND status = 'deactivated' AND password_hash IS NULL";
        assert_eq!(panel.number(Sql::new(deactivated).bind(user)).await, 1, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn the_same_digits_confirm_once(dialect: Dialect) {
    let panel = panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let tabs = [panel.login(ANNA, PASSWORD).await.token(), panel.login(ANNA, PASSWORD).await.token()];
    insert_totp_secret(&panel, anna).await;
    for run in 0..run_count() {
        panel.clock.advance_secs(30);
        let otp = totp_digits(Secret::from(TOTP_SECRET.to_vec()), (run + 1) * 30);
        let body = json!({ "otp": otp });
        let confirm = |nth: usize| call(&panel, &tabs[nth], "POST", CONFIRM, &body);
        let (first, second) = race(run, confirm(0), confirm(1)).await;
        assert_eq!(statuses(&first, &second), [200, 422], "run {run}: {} {}", first.text, second.text);
        let confirmed = "SELECT count(*) FROM sessions WHERE user_id = ? AND confirmed_at = ?";
        let now = panel.app.clock.now();
        assert_eq!(panel.number(Sql::new(confirmed).bind(anna).bind(now)).await, 1, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn a_recovery_code_signs_in_once(dialect: Dialect) {
    let panel = panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    insert_totp_secret(&panel, anna).await;
    for run in 0..run_count() {
        // Recovery codes contain no 1, i, l or o.
        let code = format!("{run:z>28}").replace('1', "x");
        let sql = Sql::new("INSERT INTO recovery_codes (user_id, code_hash, created_at) VALUES (?, ?, 1)");
        panel.execute(sql.bind(anna).bind(sessions::hash(&code))).await;
        let before = open_sessions(&panel, anna).await;
        let body = json!({ "otp": code });
        let (first, second) = race(run, sign_in(&panel, &body), sign_in(&panel, &body)).await;
        assert_eq!(statuses(&first, &second), [200, 422], "run {run}: {} {}", first.text, second.text);
        assert_eq!(open_sessions(&panel, anna).await, before + 1, "run {run}");
        let unused_codes = count(&panel, "SELECT count(*) FROM recovery_codes WHERE used_at IS NULL").await;
        let uses = audits_count(&panel, "second_factor.recovery_code_used").await;
        assert_eq!((unused_codes, uses), (0, i64::try_from(run).unwrap() + 1), "run {run}");
    }
    panel.assert_healthy().await;
}

/// No second factor is left, and no session is open.
async fn assert_reset(panel: &Panel, run: u64, anna: i64) {
    for (what, sql) in [
        ("app", "SELECT count(*) FROM users WHERE totp_secret IS NOT NULL AND id = ?"),
        ("passkeys", "SELECT count(*) FROM passkeys WHERE user_id = ?"),
        ("codes", "SELECT count(*) FROM recovery_codes WHERE user_id = ?"),
        ("enrolment", "SELECT count(*) FROM authenticator_enrolments WHERE user_id = ?"),
    ] {
        assert_eq!(panel.number(Sql::new(sql).bind(anna)).await, 0, "run {run}: {what}");
    }
    assert_eq!(open_sessions(panel, anna).await, 0, "run {run}");
    assert_eq!(audits_count(panel, "second_factor.reset").await, i64::try_from(run).unwrap() + 1);
}

async fn an_app_is_enrolled_during_a_reset(dialect: Dialect) {
    let panel = panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let reset = format!("/api/v1/admin/staffs/{anna}/reset-second-factor");
    for run in 0..run_count() {
        let token = panel.login(ANNA, PASSWORD).await.token();
        ok_data(&register(&panel, &token, &Authenticator::new(1)).await);
        let enrolment = ok_data(&call(&panel, &token, "POST", FACTOR, &Value::Null).await);
        let secret = Secret::try_from_base32(enrolment["secret"].as_str().unwrap()).unwrap();
        let body = json!({ "otp": totp_digits(secret, 0) });
        let before = audits_count(&panel, "second_factor.enabled").await;
        let path = format!("{FACTOR}/confirm");
        let enrol = call(&panel, &token, "POST", &path, &body);
        let (enrolled, reset_answer) = race(run, enrol, panel.post(&reset, &json!({}))).await;
        assert_eq!(reset_answer.status, 204, "run {run}: {}", reset_answer.text);
        assert!([200, 401, 409].contains(&enrolled.status.as_u16()), "run {run}: {}", enrolled.text);
        let is_enrolled = i64::from(enrolled.status == 200);
        assert_eq!(audits_count(&panel, "second_factor.enabled").await, before + is_enrolled, "run {run}");
        assert_reset(&panel, run, anna).await;
    }
    panel.assert_healthy().await;
}

async fn a_passkey_is_added_during_a_reset(dialect: Dialect) {
    let panel = panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let reset = format!("/api/v1/admin/staffs/{anna}/reset-second-factor");
    for run in 0..run_count() {
        let token = panel.login(ANNA, PASSWORD).await.token();
        insert_totp_secret(&panel, anna).await;
        let challenge =
            ok_data(&call(&panel, &token, "POST", &format!("{PASSKEYS}/begin"), &Value::Null).await);
        let before = audits_count(&panel, "second_factor.passkey_added").await;
        let key = Authenticator::new(1);
        let add = finish(&panel, &token, &key, &challenge);
        let (added, reset_answer) = race(run, add, panel.post(&reset, &json!({}))).await;
        assert_eq!(reset_answer.status, 204, "run {run}: {}", reset_answer.text);
        assert!([200, 401, 422].contains(&added.status.as_u16()), "run {run}: {}", added.text);
        let is_added = i64::from(added.status == 200);
        assert_eq!(audits_count(&panel, "second_factor.passkey_added").await, before + is_added, "run {run}");
        assert_reset(&panel, run, anna).await;
    }
    panel.assert_healthy().await;
}
