//! Two who use one proof at once, and proofs and accounts that end while they are used: exactly one wins, and the state says so
//! afterwards. `PANEL_TEST_RACES=200` runs each so many times; both begin at other moments of each other in each run.

use panel_contract::amount::Money;
use panel_contract::ids::{InvoiceId, OrderId, PaymentMethodId, UserId};
use panel_contract::permission::Permission;
use panel_kernel::error::Result;
use panel_platform::db::{Dialect, Sql};
use panel_platform::sql;
use panel_server::auth::sessions;
use panel_server::operations::invoices::bill::{NewInvoice, bill};
use panel_server::operations::orders::place::{NewOrder, place};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::authenticator::{Authenticator, ORIGIN};
use crate::invoices::billed;
use crate::model::number_of;
use crate::panel::{Answer, NOW, Panel};
use crate::people::PASSWORD;
use crate::shop::{self, PLAIN};
use crate::withdrawals::methods;

both! {
    one_answer_of_a_passkey;
    a_passkey_is_removed_while_it_signs_in;
    one_link;
    a_link_is_used_while_the_password_changes;
    an_order_is_placed_during_an_erasure;
    a_payment_arrives_during_an_erasure;
    an_account_is_used_during_its_erasure;
    two_confirmations_with_the_same_digits;
    the_last_recovery_code;
    an_app_is_enrolled_during_a_reset;
    a_passkey_is_added_during_a_reset;
}

const ANNA: &str = "anna@panel.test";
const HERE: &str = "203.0.113.7";
const FACTOR: &str = "/api/v1/profile/second-factor";
const PASSKEYS: &str = "/api/v1/profile/passkeys";
const CONFIRM: &str = "/api/v1/profile/confirm";
const SEED: &[u8; 20] = b"12345678901234567890";

fn runs() -> u64 {
    number_of("PANEL_TEST_RACES", 6)
}

/// Runs both; which begins later, and how much, changes with the run.
async fn at_once<A, B>(run: u64, one: impl Future<Output = A>, two: impl Future<Output = B>) -> (A, B) {
    let lag = (run * 2_711) % 40_000;
    let (first, second) = [(0, 0), (0, lag), (lag, 0)][usize::try_from(run % 3).unwrap()];
    tokio::join!(
        async {
            wait(first).await;
            one.await
        },
        async {
            wait(second).await;
            two.await
        }
    )
}

async fn wait(turns: u64) {
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
}

/// A panel with passkeys, where guessing is not slowed down.
async fn panel(dialect: Dialect) -> Panel {
    Panel::with(dialect, |config| {
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

async fn audited(panel: &Panel, event: &'static str) -> i64 {
    panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
}

/// A user's open sessions.
async fn open_sessions(panel: &Panel, user: i64) -> i64 {
    let sql = "SELECT count(*) FROM sessions WHERE revoked_at IS NULL AND user_id = ?";
    panel.number(Sql::new(sql).bind(user)).await
}

/// Both statuses, the lower one first.
fn statuses(one: &Answer, two: &Answer) -> [u16; 2] {
    let mut both = [one.status.as_u16(), two.status.as_u16()];
    both.sort_unstable();
    both
}

fn data(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"].clone()
}

/// Signs Anna in, with a second factor or without.
async fn enter(panel: &Panel, factor: &Value) -> Answer {
    let mut body = json!({ "email": ANNA, "password": PASSWORD });
    body.as_object_mut().unwrap().extend(factor.as_object().unwrap().clone());
    panel.call("203.0.113.9", None, "POST", "/login", &body).await
}

/// A passkey's answer for a sign-in of Anna.
async fn answer_of(panel: &Panel, key: &Authenticator) -> Value {
    let asked = enter(panel, &json!({})).await;
    assert_eq!(asked.says(), (422, "otp_required".into()), "{}", asked.text);
    json!({ "passkey": key.answer(&asked.json()["second_factor"]["passkey"]) })
}

async fn call(panel: &Panel, token: &str, method: &str, path: &str, body: &Value) -> Answer {
    panel.call(HERE, Some(token), method, path, body).await
}

async fn register(panel: &Panel, token: &str, key: &Authenticator) -> Answer {
    let begun = data(&call(panel, token, "POST", &format!("{PASSKEYS}/begin"), &Value::Null).await);
    finish(panel, token, key, &begun).await
}

async fn finish(panel: &Panel, token: &str, key: &Authenticator, begun: &Value) -> Answer {
    let credential = key.create(&begun["options"]);
    let body = json!({ "name": "Key", "ceremony": begun["ceremony"], "credential": credential });
    call(panel, token, "POST", PASSKEYS, &body).await
}

/// A passkey's answer within a session.
async fn confirming(panel: &Panel, token: &str, key: &Authenticator) -> Value {
    let challenge = data(&call(panel, token, "POST", &format!("{PASSKEYS}/challenge"), &Value::Null).await);
    key.answer(&challenge)
}

/// Gives a user an authenticator app with [`SEED`].
async fn give_app(panel: &Panel, user: i64) {
    let place = format!("users|totp_secret|{user}");
    let sealed = panel.app.secrets.seal(&panel.app.random, SEED, &place).unwrap();
    let sql = Sql::new("UPDATE users SET totp_secret = ?, totp_last_step = NULL WHERE id = ?");
    panel.exec(sql.bind(sealed).bind(user)).await;
}

/// What an app shows so many seconds after the test began.
fn digits(secret: Secret, seconds: u64) -> String {
    let totp = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
    totp.generate(u64::try_from(NOW / 1_000_000).unwrap() + seconds).to_string()
}

async fn one_answer_of_a_passkey(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = panel.person(ANNA, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA, PASSWORD).await.token();
    let key = Authenticator::new(1);
    data(&register(&panel, &token, &key).await);
    for run in 0..runs() {
        let answer = answer_of(&panel, &key).await;
        let before = (audited(&panel, "user.signed_in").await, open_sessions(&panel, anna).await);
        let (one, two) = at_once(run, enter(&panel, &answer), enter(&panel, &answer)).await;
        assert_eq!(statuses(&one, &two), [200, 422], "run {run}: {} {}", one.text, two.text);
        let after = (audited(&panel, "user.signed_in").await, open_sessions(&panel, anna).await);
        assert_eq!(after, (before.0 + 1, before.1 + 1), "run {run}");

        let answer = json!({ "passkey": confirming(&panel, &token, &key).await });
        let confirm = || call(&panel, &token, "POST", CONFIRM, &answer);
        let (one, two) = at_once(run, confirm(), confirm()).await;
        assert_eq!(statuses(&one, &two), [200, 422], "run {run}: {} {}", one.text, two.text);
    }
    assert_eq!(audited(&panel, "second_factor.passkey_copied").await, 0, "a replay is no copy");
    panel.assert_healthy().await;
}

async fn a_passkey_is_removed_while_it_signs_in(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = panel.person(ANNA, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA, PASSWORD).await.token();
    let (lost, other) = (Authenticator::new(1), Authenticator::new(2));
    // Once the last factor is gone, the password alone signs in.
    let late =
        "SELECT count(*) FROM audits s WHERE s.event = 'user.signed_in' AND s.new_values LIKE '%passkey%'
      AND s.id > (SELECT max(r.id) FROM audits r WHERE r.event = 'second_factor.passkey_removed')";
    for run in 0..runs() {
        panel.exec(Sql::new("DELETE FROM passkeys WHERE user_id = ?").bind(anna)).await;
        let made = data(&register(&panel, &token, &lost).await);
        // In every other run it is the last factor.
        let is_last = run % 2 == 1;
        if !is_last {
            data(&register(&panel, &token, &other).await);
        }
        let answer = answer_of(&panel, &lost).await;
        let prover = if is_last { &lost } else { &other };
        let proof = json!({ "password": PASSWORD, "passkey": confirming(&panel, &token, prover).await });
        let path = format!("{PASSKEYS}/{}", made["passkey"]["id"]);
        let before = (audited(&panel, "user.signed_in").await, open_sessions(&panel, anna).await);
        let remove = call(&panel, &token, "DELETE", &path, &proof);
        let (entered, removed) = at_once(run, enter(&panel, &answer), remove).await;
        assert_eq!(removed.status, 204, "run {run}: {}", removed.text);
        let is_in = entered.status == 200;
        assert!(is_in || entered.status == 422, "run {run}: {}", entered.text);
        let after = (audited(&panel, "user.signed_in").await, open_sessions(&panel, anna).await);
        assert_eq!(after, (before.0 + i64::from(is_in), before.1 + i64::from(is_in)), "run {run}");
        assert_eq!(count(&panel, late).await, 0, "run {run}: signed in by a passkey that was gone");
        let left = panel.number(Sql::new("SELECT count(*) FROM passkeys WHERE user_id = ?").bind(anna)).await;
        assert_eq!(left, i64::from(!is_last), "run {run}");
    }
    assert_eq!(audited(&panel, "second_factor.passkey_copied").await, 0, "a removal is no copy");
    panel.assert_healthy().await;
}

/// Puts a link of a password reset into the database, as an email that left does.
async fn link(panel: &Panel, user: i64, token: &str) {
    let sql = sql!(
        "INSERT INTO account_links (user_id, purpose, token_hash, email, created_at, expires_at) \
           VALUES (@user, 'password_reset', @token_hash, @email, @now, @expires_at)",
        { user, token_hash: sessions::hash(token), email: ANNA, now: NOW, expires_at: NOW + 3_600_000_000 },
    );
    panel.exec(sql).await;
}

async fn use_link(panel: &Panel, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "password": password });
    panel.call(HERE, None, "POST", "/password-links/use", &body).await
}

async fn one_link(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = panel.person(ANNA, &[Permission::ViewOrders]).await;
    panel.login(ANNA, PASSWORD).await.token();
    for run in 0..runs() {
        let token = format!("link-{run}");
        link(&panel, anna, &token).await;
        let passwords = [format!("lamps rain over violet {run}"), format!("violet rain on lamps {run}")];
        let use_it = |nth: usize| use_link(&panel, &token, &passwords[nth]);
        let (one, two) = at_once(run, use_it(0), use_it(1)).await;
        assert_eq!(statuses(&one, &two), [204, 409], "run {run}: {} {}", one.text, two.text);
        assert_eq!(open_sessions(&panel, anna).await, 0, "run {run}");
        let (won, lost) = if one.status == 204 { (0, 1) } else { (1, 0) };
        assert_eq!(panel.login(ANNA, &passwords[lost]).await.status, 422, "run {run}");
        panel.login(ANNA, &passwords[won]).await.token();
        assert_eq!(audited(&panel, "user.password_reset").await, i64::try_from(run).unwrap() + 1);
        assert_eq!(count(&panel, "SELECT count(*) FROM account_links").await, 0, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn a_link_is_used_while_the_password_changes(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = panel.person(ANNA, &[Permission::ViewOrders]).await;
    let mut current = PASSWORD.to_owned();
    let changes = async |panel: &Panel| {
        audited(panel, "user.password_reset").await + audited(panel, "user.password_changed").await
    };
    for run in 0..runs() {
        let token = panel.login(ANNA, &current).await.token();
        let link_token = format!("link-{run}");
        link(&panel, anna, &link_token).await;
        let (by_link, by_hand) =
            (format!("lamps rain over violet {run}"), format!("violet rain on lamps {run}"));
        let body = json!({ "current_password": current, "password": by_hand });
        let before = changes(&panel).await;
        let change = call(&panel, &token, "POST", "/api/v1/profile/password", &body);
        let (linked, changed) = at_once(run, use_link(&panel, &link_token, &by_link), change).await;
        let says = format!("run {run}: {} {}", linked.text, changed.text);
        assert_ne!(linked.status == 204, changed.status == 204, "{says}");
        assert!(linked.status == 204 || linked.status == 409, "{says}");
        assert!([204, 401, 409, 422].contains(&changed.status.as_u16()), "{says}");
        let is_linked = linked.status == 204;
        // A reset ends every session; a change keeps the one that changed it.
        assert_eq!(open_sessions(&panel, anna).await, i64::from(!is_linked), "{says}");
        let (won, lost) = if is_linked { (by_link, by_hand) } else { (by_hand, by_link) };
        for wrong in [&lost, &current] {
            assert_eq!(panel.login(ANNA, wrong).await.status, 422, "{says}");
        }
        assert_eq!(changes(&panel).await, before + 1, "{says}");
        current = won;
    }
    panel.assert_healthy().await;
}

/// A customer without money.
async fn customer(panel: &Panel, run: u64) -> i64 {
    let email = format!("customer-{run}@shop.example");
    let sql = "INSERT INTO users (name, email, created_at, updated_at) VALUES ('Olga', ?, 1, 1)";
    panel.exec(Sql::new(sql).bind(email.clone())).await;
    panel.number(Sql::new("SELECT id FROM users WHERE email = ?").bind(email)).await
}

async fn shop(dialect: Dialect) -> Panel {
    let panel = panel(dialect).await;
    shop::fill(&panel.app.db, 1, 0).await;
    methods(&panel).await;
    panel
}

async fn erase(panel: &Panel, user: i64) -> Answer {
    panel.post(&format!("/api/v1/admin/users/{user}/erase"), &json!({})).await
}

/// What an erased account must not have.
const LEFT: &str = "SELECT (SELECT count(*) FROM orders o WHERE o.user_id = u.id) + (SELECT count(*) FROM invoices i WHERE i.user_id = u.id)
    + (SELECT count(*) FROM ledger_entries e WHERE e.user_id = u.id) + (SELECT count(*) FROM sessions s WHERE s.user_id = u.id)
    + (SELECT count(*) FROM api_keys k WHERE k.user_id = u.id) + ABS(u.balance_main + u.balance_task + u.balance_referral)
  FROM users u WHERE u.erasure_requested_at IS NOT NULL AND u.id = ?";

/// Exactly one of an erasure and something that the customer gets: an erased account has nothing, another one is as it was.
async fn judge(panel: &Panel, run: u64, user: i64, erased: &Answer, is_done: bool, why: &str) {
    let is_erased = erased.status == 200;
    assert!(is_erased || erased.says() == (409, "erasure_blocked".into()), "run {run}: {}", erased.text);
    assert_ne!(is_erased, is_done, "run {run}: {} {why}", erased.text);
    if is_erased {
        assert_eq!(panel.number(Sql::new(LEFT).bind(user)).await, 0, "run {run}");
    }
    let asked = "SELECT count(*) FROM audits WHERE event = 'user.erasure_requested' AND auditable_id = ?";
    assert_eq!(panel.number(Sql::new(asked).bind(user)).await, i64::from(is_erased), "run {run}");
}

async fn place_unpaid(panel: &Panel, user: i64) -> Result<OrderId> {
    let mut work = panel.work().await;
    let plain = NewOrder::plain(UserId::new(user), PLAIN, "https://video.example/race", 100);
    let placed = place(&mut work, &NewOrder { pays: Vec::new(), ..plain }).await?;
    work.finish(placed.id).await
}

async fn an_order_is_placed_during_an_erasure(dialect: Dialect) {
    let panel = shop(dialect).await;
    for run in 0..runs() {
        let user = customer(&panel, run).await;
        let (placed, erased) = at_once(run, place_unpaid(&panel, user), erase(&panel, user)).await;
        judge(&panel, run, user, &erased, placed.is_ok(), &format!("{placed:?}")).await;
    }
    panel.assert_healthy().await;
}

async fn bill_one(panel: &Panel, user: i64) -> Result<InvoiceId> {
    let short_name = format!("INV-{user}");
    let new = NewInvoice {
        user_id: UserId::new(user),
        amount: Money(1_000_000),
        payment_method_id: PaymentMethodId::new(1),
        short_name,
        coupon: None,
    };
    let mut work = panel.work().await;
    let id = bill(&mut work, &new).await?;
    work.finish(id).await
}

async fn a_payment_arrives_during_an_erasure(dialect: Dialect) {
    let panel = shop(dialect).await;
    for run in 0..runs() {
        let user = customer(&panel, run).await;
        let credit = json!({ "user_id": user, "transaction_type": "income", "amount": "0.01", "balance_type": "main", "comment": "By the bank" });
        let credit = panel.post("/api/v1/admin/payments", &credit);
        let (credited, erased) = at_once(run, credit, erase(&panel, user)).await;
        judge(&panel, run, user, &erased, credited.status == 200, &credited.text).await;
        let paid = if credited.status == 200 { 10_000 } else { 0 };
        assert_eq!(panel.balances(user).await.0, paid, "run {run}");

        let user = customer(&panel, 1_000_000 + run).await;
        let (invoice, erased) = at_once(run, bill_one(&panel, user), erase(&panel, user)).await;
        judge(&panel, run, user, &erased, invoice.is_ok(), &format!("{invoice:?}")).await;

        // What waits for its payment keeps the account, before and after it is paid.
        let user = customer(&panel, 2_000_000 + run).await;
        let invoice = billed(&panel, user, 1_000_000).await;
        let path = format!("/api/v1/admin/invoices/{invoice}/mark-as-paid");
        let amount = json!({ "amount": "1", "comment": "By the bank" });
        let (paid, erased) = at_once(run, panel.post(&path, &amount), erase(&panel, user)).await;
        assert_eq!(paid.status, 200, "run {run}: {}", paid.text);
        judge(&panel, run, user, &erased, true, &paid.text).await;
        assert_eq!(panel.balances(user).await.0, 1_000_000, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn an_account_is_used_during_its_erasure(dialect: Dialect) {
    let panel = shop(dialect).await;
    for run in 0..runs() {
        let user = customer(&panel, run).await;
        let key = format!("key-{run}");
        let sql = Sql::new("INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, 1)");
        panel.exec(sql.bind(user).bind(sessions::hash(&key))).await;
        let email = format!("customer-{run}@shop.example");
        let body = json!({ "key": key, "action": "balance" });
        let ask = || panel.call(HERE, None, "POST", "/api/v2", &body);
        let come_in = async {
            let used = ask().await;
            (used, panel.login(&email, PASSWORD).await)
        };
        let ((used, entered), erased) = at_once(run, come_in, erase(&panel, user)).await;
        assert!(used.status.as_u16() < 500, "run {run}: {}", used.text);
        assert_eq!(entered.status, 422, "run {run}: {}", entered.text);
        judge(&panel, run, user, &erased, false, &used.text).await;
        assert!(ask().await.text.contains("Invalid API key"), "run {run}");
        let closed =
            "SELECT count(*) FROM users WHERE id = ? AND status = 'deactivated' AND password_hash IS NULL";
        assert_eq!(panel.number(Sql::new(closed).bind(user)).await, 1, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn two_confirmations_with_the_same_digits(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = panel.person(ANNA, &[Permission::ViewOrders]).await;
    let tabs = [panel.login(ANNA, PASSWORD).await.token(), panel.login(ANNA, PASSWORD).await.token()];
    give_app(&panel, anna).await;
    for run in 0..runs() {
        panel.clock.advance_secs(30);
        let otp = digits(Secret::from(SEED.to_vec()), (run + 1) * 30);
        let body = json!({ "otp": otp });
        let confirm = |nth: usize| call(&panel, &tabs[nth], "POST", CONFIRM, &body);
        let (one, two) = at_once(run, confirm(0), confirm(1)).await;
        assert_eq!(statuses(&one, &two), [200, 422], "run {run}: {} {}", one.text, two.text);
        let confirmed = "SELECT count(*) FROM sessions WHERE user_id = ? AND confirmed_at = ?";
        let now = panel.app.clock.now();
        assert_eq!(panel.number(Sql::new(confirmed).bind(anna).bind(now)).await, 1, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn the_last_recovery_code(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = panel.person(ANNA, &[Permission::ViewOrders]).await;
    give_app(&panel, anna).await;
    for run in 0..runs() {
        // Codes have no 1 and no i, l, o.
        let code = format!("{run:z>28}").replace('1', "x");
        let sql = Sql::new("INSERT INTO recovery_codes (user_id, code_hash, created_at) VALUES (?, ?, 1)");
        panel.exec(sql.bind(anna).bind(sessions::hash(&code))).await;
        let before = open_sessions(&panel, anna).await;
        let body = json!({ "otp": code });
        let (one, two) = at_once(run, enter(&panel, &body), enter(&panel, &body)).await;
        assert_eq!(statuses(&one, &two), [200, 422], "run {run}: {} {}", one.text, two.text);
        assert_eq!(open_sessions(&panel, anna).await, before + 1, "run {run}");
        let left = count(&panel, "SELECT count(*) FROM recovery_codes WHERE used_at IS NULL").await;
        let used = audited(&panel, "second_factor.recovery_code_used").await;
        assert_eq!((left, used), (0, i64::try_from(run).unwrap() + 1), "run {run}");
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
    assert_eq!(audited(panel, "second_factor.reset").await, i64::try_from(run).unwrap() + 1);
}

async fn an_app_is_enrolled_during_a_reset(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = panel.person(ANNA, &[Permission::ViewOrders]).await;
    let reset = format!("/api/v1/admin/staffs/{anna}/reset-second-factor");
    for run in 0..runs() {
        let token = panel.login(ANNA, PASSWORD).await.token();
        data(&register(&panel, &token, &Authenticator::new(1)).await);
        let begun = data(&call(&panel, &token, "POST", FACTOR, &Value::Null).await);
        let secret = Secret::try_from_base32(begun["secret"].as_str().unwrap()).unwrap();
        let body = json!({ "otp": digits(secret, 0) });
        let before = audited(&panel, "second_factor.enabled").await;
        let path = format!("{FACTOR}/confirm");
        let enrol = call(&panel, &token, "POST", &path, &body);
        let (enrolled, cleared) = at_once(run, enrol, panel.post(&reset, &json!({}))).await;
        assert_eq!(cleared.status, 204, "run {run}: {}", cleared.text);
        assert!([200, 401, 409].contains(&enrolled.status.as_u16()), "run {run}: {}", enrolled.text);
        let is_on = i64::from(enrolled.status == 200);
        assert_eq!(audited(&panel, "second_factor.enabled").await, before + is_on, "run {run}");
        assert_reset(&panel, run, anna).await;
    }
    panel.assert_healthy().await;
}

async fn a_passkey_is_added_during_a_reset(dialect: Dialect) {
    let panel = panel(dialect).await;
    let anna = panel.person(ANNA, &[Permission::ViewOrders]).await;
    let reset = format!("/api/v1/admin/staffs/{anna}/reset-second-factor");
    for run in 0..runs() {
        let token = panel.login(ANNA, PASSWORD).await.token();
        give_app(&panel, anna).await;
        let begun = data(&call(&panel, &token, "POST", &format!("{PASSKEYS}/begin"), &Value::Null).await);
        let before = audited(&panel, "second_factor.passkey_added").await;
        let key = Authenticator::new(1);
        let add = finish(&panel, &token, &key, &begun);
        let (added, cleared) = at_once(run, add, panel.post(&reset, &json!({}))).await;
        assert_eq!(cleared.status, 204, "run {run}: {}", cleared.text);
        assert!([200, 401, 422].contains(&added.status.as_u16()), "run {run}: {}", added.text);
        let is_added = i64::from(added.status == 200);
        assert_eq!(audited(&panel, "second_factor.passkey_added").await, before + is_added, "run {run}");
        assert_reset(&panel, run, anna).await;
    }
    panel.assert_healthy().await;
}
