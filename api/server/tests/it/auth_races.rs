//! Tests races: two parallel requests use the same credential, or one request uses a credential or an account while another removes
//! it. Exactly one request may succeed, and the database must agree with it. `PANEL_TEST_RACES=200` sets the number of runs of each
//! test; the delay between both requests differs from run to run.

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
use crate::panel::{NOW, Panel, TestResponse};
use crate::shop::{self, PLAIN_SERVICE};
use crate::test_users::PASSWORD;
use crate::withdrawals::add_payment_methods;

test_both_databases! {
    one_passkey_assertion_signs_in_once;
    a_passkey_is_removed_during_a_sign_in_with_it;
    a_password_link_works_once;
    a_reset_link_is_used_while_the_password_changes;
    an_order_is_placed_during_an_erasure;
    a_payment_arrives_during_an_erasure;
    an_account_is_used_during_its_erasure;
    one_app_code_confirms_once;
    a_recovery_code_signs_in_once;
    an_app_is_enrolled_during_a_reset;
    a_passkey_is_added_during_a_reset;
}

const ANNA: &str = "anna@panel.test";
const CLIENT_IP: &str = "203.0.113.7";
const SECOND_FACTOR: &str = "/api/v1/profile/second-factor";
const PASSKEYS: &str = "/api/v1/profile/passkeys";
const CONFIRM: &str = "/api/v1/profile/confirm";
const TOTP_SECRET: &[u8; 20] = b"12345678901234567890";

fn run_count() -> u64 {
    number_from_env("PANEL_TEST_RACES", 6)
}

/// Runs both futures at the same time. `run` determines which of them starts later, and after how many yields to the scheduler.
async fn race<A, B>(run: u64, first: impl Future<Output = A>, second: impl Future<Output = B>) -> (A, B) {
    let delay = (run * 2_711) % 40_000;
    let (first_delay, second_delay) = [(0, 0), (0, delay), (delay, 0)][usize::try_from(run % 3).unwrap()];
    tokio::join!(
        async {
            yield_repeatedly(first_delay).await;
            first.await
        },
        async {
            yield_repeatedly(second_delay).await;
            second.await
        }
    )
}

async fn yield_repeatedly(yield_count: u64) {
    for _ in 0..yield_count {
        tokio::task::yield_now().await;
    }
}

/// A panel with passkeys and without limits for failed sign-ins.
async fn start_panel_without_login_limits(dialect: Dialect) -> Panel {
    Panel::with_config(dialect, |config| {
        config.public_url = Some(ORIGIN.into());
        config.limits.login_failures = 1_000_000;
        config.limits.login_failures_per_account = 1_000_000;
        config.limits.logins_per_minute = 1_000_000;
    })
    .await
}

async fn fetch_count(panel: &Panel, sql: &'static str) -> i64 {
    panel.fetch_number(Sql::new(sql)).await
}

async fn count_audits(panel: &Panel, event: &'static str) -> i64 {
    panel.fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
}

async fn count_open_sessions(panel: &Panel, user: i64) -> i64 {
    let sql = "SELECT count(*) FROM sessions WHERE revoked_at IS NULL AND user_id = ?";
    panel.fetch_number(Sql::new(sql).bind(user)).await
}

/// The HTTP statuses of both responses in ascending order.
fn sorted_statuses(first: &TestResponse, second: &TestResponse) -> [u16; 2] {
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    statuses
}

fn expect_data(response: &TestResponse) -> Value {
    assert_eq!(response.status, 200, "{}", response.text);
    response.json()["data"].clone()
}

/// Sends a sign-in of Anna; `factor` is `{}` or the fields of the second factor.
async fn sign_in(panel: &Panel, factor: &Value) -> TestResponse {
    let mut body = json!({ "email": ANNA, "password": PASSWORD });
    body.as_object_mut().unwrap().extend(factor.as_object().unwrap().clone());
    panel.request_from("203.0.113.9", None, "POST", "/login", &body).await
}

/// Starts a sign-in of Anna and returns the fields with which her passkey answers the challenge.
async fn request_passkey_assertion(panel: &Panel, key: &Authenticator) -> Value {
    let challenge = sign_in(panel, &json!({})).await;
    assert_eq!(challenge.status_and_code(), (422, "otp_required".into()), "{}", challenge.text);
    json!({ "passkey": key.answer_challenge(&challenge.json()["second_factor"]["passkey"]) })
}

async fn send_with_token(panel: &Panel, token: &str, method: &str, path: &str, body: &Value) -> TestResponse {
    panel.request_from(CLIENT_IP, Some(token), method, path, body).await
}

async fn register_passkey(panel: &Panel, token: &str, key: &Authenticator) -> TestResponse {
    let challenge =
        expect_data(&send_with_token(panel, token, "POST", &format!("{PASSKEYS}/begin"), &Value::Null).await);
    finish_registration(panel, token, key, &challenge).await
}

async fn finish_registration(
    panel: &Panel,
    token: &str,
    key: &Authenticator,
    challenge: &Value,
) -> TestResponse {
    let credential = key.create(&challenge["options"]);
    let body = json!({ "name": "Key", "ceremony": challenge["ceremony"], "credential": credential });
    send_with_token(panel, token, "POST", PASSKEYS, &body).await
}

/// Requests a challenge for a confirmation within a session and returns the fields with which the passkey answers.
async fn request_confirmation_assertion(panel: &Panel, token: &str, key: &Authenticator) -> Value {
    let challenge = expect_data(
        &send_with_token(panel, token, "POST", &format!("{PASSKEYS}/challenge"), &Value::Null).await,
    );
    key.answer_challenge(&challenge)
}

/// Stores [`TOTP_SECRET`] for a user, as the enrolment of an authenticator app does.
async fn insert_totp_secret(panel: &Panel, user: i64) {
    let purpose = format!("users|totp_secret|{user}");
    let sealed = panel.app.secrets.seal(&panel.app.random, TOTP_SECRET, &purpose).unwrap();
    let sql = Sql::new("UPDATE users SET totp_secret = ?, totp_last_step = NULL WHERE id = ?");
    panel.execute(sql.bind(sealed).bind(user)).await;
}

/// The code that an authenticator app shows `seconds` after the start of the test.
fn generate_totp_code(secret: Secret, seconds: u64) -> String {
    let totp = Builder::new().with_secret(secret).with_account_name("anna").build().unwrap();
    totp.generate(u64::try_from(NOW / 1_000_000).unwrap() + seconds).to_string()
}

async fn one_passkey_assertion_signs_in_once(dialect: Dialect) {
    let panel = start_panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA, PASSWORD).await.session_token();
    let key = Authenticator::new(1);
    expect_data(&register_passkey(&panel, &token, &key).await);
    for run in 0..run_count() {
        let assertion = request_passkey_assertion(&panel, &key).await;
        let (audits_before, sessions_before) =
            (count_audits(&panel, "user.signed_in").await, count_open_sessions(&panel, anna).await);
        let (first_response, second_response) =
            race(run, sign_in(&panel, &assertion), sign_in(&panel, &assertion)).await;
        assert_eq!(
            sorted_statuses(&first_response, &second_response),
            [200, 422],
            "run {run}: {} {}",
            first_response.text,
            second_response.text
        );
        let counts_after =
            (count_audits(&panel, "user.signed_in").await, count_open_sessions(&panel, anna).await);
        assert_eq!(counts_after, (audits_before + 1, sessions_before + 1), "run {run}");

        let body = json!({ "passkey": request_confirmation_assertion(&panel, &token, &key).await });
        let confirm = || send_with_token(&panel, &token, "POST", CONFIRM, &body);
        let (first_response, second_response) = race(run, confirm(), confirm()).await;
        assert_eq!(
            sorted_statuses(&first_response, &second_response),
            [200, 422],
            "run {run}: {} {}",
            first_response.text,
            second_response.text
        );
    }
    assert_eq!(
        count_audits(&panel, "second_factor.passkey_copied").await,
        0,
        "a replayed assertion must not count as a copied passkey"
    );
    panel.assert_healthy().await;
}

async fn a_passkey_is_removed_during_a_sign_in_with_it(dialect: Dialect) {
    let panel = start_panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let token = panel.login(ANNA, PASSWORD).await.session_token();
    let (removed_key, other_key) = (Authenticator::new(1), Authenticator::new(2));
    // Counts sign-ins with a passkey after its removal. (Without a second factor, the password alone signs in.)
    let count_late_sign_ins_sql =
        "SELECT count(*) FROM audits s WHERE s.event = 'user.signed_in' AND s.new_values LIKE '%passkey%'
      AND s.id > (SELECT max(r.id) FROM audits r WHERE r.event = 'second_factor.passkey_removed')";
    for run in 0..run_count() {
        panel.execute(Sql::new("DELETE FROM passkeys WHERE user_id = ?").bind(anna)).await;
        let registration = expect_data(&register_passkey(&panel, &token, &removed_key).await);
        // In every second run the passkey is the last factor.
        let is_last_factor = run % 2 == 1;
        if !is_last_factor {
            expect_data(&register_passkey(&panel, &token, &other_key).await);
        }
        let assertion = request_passkey_assertion(&panel, &removed_key).await;
        let confirming_key = if is_last_factor { &removed_key } else { &other_key };
        let confirmation_body = json!({ "password": PASSWORD, "passkey": request_confirmation_assertion(&panel, &token, confirming_key).await });
        let path = format!("{PASSKEYS}/{}", registration["passkey"]["id"]);
        let (audits_before, sessions_before) =
            (count_audits(&panel, "user.signed_in").await, count_open_sessions(&panel, anna).await);
        let removal_request = send_with_token(&panel, &token, "DELETE", &path, &confirmation_body);
        let (sign_in_response, removal_response) =
            race(run, sign_in(&panel, &assertion), removal_request).await;
        assert_eq!(removal_response.status, 204, "run {run}: {}", removal_response.text);
        let is_signed_in = sign_in_response.status == 200;
        assert!(is_signed_in || sign_in_response.status == 422, "run {run}: {}", sign_in_response.text);
        let counts_after =
            (count_audits(&panel, "user.signed_in").await, count_open_sessions(&panel, anna).await);
        assert_eq!(
            counts_after,
            (audits_before + i64::from(is_signed_in), sessions_before + i64::from(is_signed_in)),
            "run {run}"
        );
        assert_eq!(
            fetch_count(&panel, count_late_sign_ins_sql).await,
            0,
            "run {run}: a passkey signed in after its removal"
        );
        let remaining_count =
            panel.fetch_number(Sql::new("SELECT count(*) FROM passkeys WHERE user_id = ?").bind(anna)).await;
        assert_eq!(remaining_count, i64::from(!is_last_factor), "run {run}");
    }
    assert_eq!(
        count_audits(&panel, "second_factor.passkey_copied").await,
        0,
        "a removal must not count as a copied passkey"
    );
    panel.assert_healthy().await;
}

/// Inserts a password reset link, as the server does when it sends the email.
async fn insert_reset_link(panel: &Panel, user: i64, token: &str) {
    let sql = sql!(
        "INSERT INTO account_links (user_id, purpose, token_hash, email, created_at, expires_at) \
           VALUES (@user, 'password_reset', @token_hash, @email, @now, @expires_at)",
        { user, token_hash: sessions::hash(token), email: ANNA, now: NOW, expires_at: NOW + 3_600_000_000 },
    );
    panel.execute(sql).await;
}

async fn use_reset_link(panel: &Panel, token: &str, password: &str) -> TestResponse {
    let body = json!({ "token": token, "password": password });
    panel.request_from(CLIENT_IP, None, "POST", "/password-links/use", &body).await
}

async fn a_password_link_works_once(dialect: Dialect) {
    let panel = start_panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    panel.login(ANNA, PASSWORD).await.session_token();
    for run in 0..run_count() {
        let token = format!("link-{run}");
        insert_reset_link(&panel, anna, &token).await;
        let passwords = [format!("lamps rain over violet {run}"), format!("violet rain on lamps {run}")];
        let use_with = |nth: usize| use_reset_link(&panel, &token, &passwords[nth]);
        let (first_response, second_response) = race(run, use_with(0), use_with(1)).await;
        assert_eq!(
            sorted_statuses(&first_response, &second_response),
            [204, 409],
            "run {run}: {} {}",
            first_response.text,
            second_response.text
        );
        assert_eq!(count_open_sessions(&panel, anna).await, 0, "run {run}");
        let (winner_index, loser_index) = if first_response.status == 204 { (0, 1) } else { (1, 0) };
        assert_eq!(panel.login(ANNA, &passwords[loser_index]).await.status, 422, "run {run}");
        panel.login(ANNA, &passwords[winner_index]).await.session_token();
        assert_eq!(count_audits(&panel, "user.password_reset").await, i64::try_from(run).unwrap() + 1);
        assert_eq!(fetch_count(&panel, "SELECT count(*) FROM account_links").await, 0, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn a_reset_link_is_used_while_the_password_changes(dialect: Dialect) {
    let panel = start_panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let mut current_password = PASSWORD.to_owned();
    let password_changes = async |panel: &Panel| {
        count_audits(panel, "user.password_reset").await + count_audits(panel, "user.password_changed").await
    };
    for run in 0..run_count() {
        let token = panel.login(ANNA, &current_password).await.session_token();
        let link_token = format!("link-{run}");
        insert_reset_link(&panel, anna, &link_token).await;
        let (link_password, changed_password) =
            (format!("lamps rain over violet {run}"), format!("violet rain on lamps {run}"));
        let body = json!({ "current_password": current_password, "password": changed_password });
        let change_count_before = password_changes(&panel).await;
        let change_request = send_with_token(&panel, &token, "POST", "/api/v1/profile/password", &body);
        let (link_response, change_response) =
            race(run, use_reset_link(&panel, &link_token, &link_password), change_request).await;
        let details = format!("run {run}: {} {}", link_response.text, change_response.text);
        assert_ne!(link_response.status == 204, change_response.status == 204, "{details}");
        assert!(link_response.status == 204 || link_response.status == 409, "{details}");
        assert!([204, 401, 409, 422].contains(&change_response.status.as_u16()), "{details}");
        let has_link_won = link_response.status == 204;
        // A reset revokes every session; a change of the password keeps the session that sent it.
        assert_eq!(count_open_sessions(&panel, anna).await, i64::from(!has_link_won), "{details}");
        let (new_password, rejected_password) =
            if has_link_won { (link_password, changed_password) } else { (changed_password, link_password) };
        for old_password in [&rejected_password, &current_password] {
            assert_eq!(panel.login(ANNA, old_password).await.status, 422, "{details}");
        }
        assert_eq!(password_changes(&panel).await, change_count_before + 1, "{details}");
        current_password = new_password;
    }
    panel.assert_healthy().await;
}

async fn insert_customer(panel: &Panel, run: u64) -> i64 {
    let email = format!("customer-{run}@shop.example");
    let sql = "INSERT INTO users (name, email, created_at, updated_at) VALUES ('Olga', ?, 1, 1)";
    panel.execute(Sql::new(sql).bind(email.clone())).await;
    panel.fetch_number(Sql::new("SELECT id FROM users WHERE email = ?").bind(email)).await
}

async fn start_shop(dialect: Dialect) -> Panel {
    let panel = start_panel_without_login_limits(dialect).await;
    shop::insert_shop_records(&panel.app.db, 1, 0).await;
    add_payment_methods(&panel).await;
    panel
}

async fn request_erasure(panel: &Panel, user: i64) -> TestResponse {
    panel.post(&format!("/api/v1/admin/users/{user}/erase"), &json!({})).await
}

/// Counts the records that an erased account must not have, plus its balances. The result must be zero.
const COUNT_REMAINING_RECORDS_SQL: &str = "SELECT (SELECT count(*) FROM orders o WHERE o.user_id = u.id) + (SELECT count(*) FROM invoices i WHERE i.user_id = u.id)
    + (SELECT count(*) FROM ledger_entries e WHERE e.user_id = u.id) + (SELECT count(*) FROM sessions s WHERE s.user_id = u.id)
    + (SELECT count(*) FROM api_keys k WHERE k.user_id = u.id) + ABS(u.balance_main + u.balance_task + u.balance_referral)
  FROM users u WHERE u.erasure_requested_at IS NOT NULL AND u.id = ?";

/// Asserts that either the erasure or the competing request succeeded, and that an erased account has no records.
async fn assert_one_succeeded(
    panel: &Panel,
    run: u64,
    user: i64,
    erase_response: &TestResponse,
    has_other_succeeded: bool,
    other_response: &str,
) {
    let is_erased = erase_response.status == 200;
    assert!(
        is_erased || erase_response.status_and_code() == (409, "erasure_blocked".into()),
        "run {run}: {}",
        erase_response.text
    );
    assert_ne!(is_erased, has_other_succeeded, "run {run}: {} {other_response}", erase_response.text);
    if is_erased {
        assert_eq!(
            panel.fetch_number(Sql::new(COUNT_REMAINING_RECORDS_SQL).bind(user)).await,
            0,
            "run {run}"
        );
    }
    let count_erasures_sql =
        "SELECT count(*) FROM audits WHERE event = 'user.erasure_requested' AND auditable_id = ?";
    assert_eq!(
        panel.fetch_number(Sql::new(count_erasures_sql).bind(user)).await,
        i64::from(is_erased),
        "run {run}"
    );
}

async fn place_unpaid_order(panel: &Panel, user: i64) -> Result<OrderId> {
    let mut work = panel.begin_work().await;
    let order_defaults =
        NewOrder::without_options(UserId::new(user), PLAIN_SERVICE, "https://video.example/race", 100);
    let placed_order = place(&mut work, &NewOrder { paying_balances: Vec::new(), ..order_defaults }).await?;
    work.finish(placed_order.id).await
}

async fn an_order_is_placed_during_an_erasure(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    for run in 0..run_count() {
        let user = insert_customer(&panel, run).await;
        let (placing_result, erase_response) =
            race(run, place_unpaid_order(&panel, user), request_erasure(&panel, user)).await;
        assert_one_succeeded(
            &panel,
            run,
            user,
            &erase_response,
            placing_result.is_ok(),
            &format!("{placing_result:?}"),
        )
        .await;
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
    let panel = start_shop(dialect).await;
    for run in 0..run_count() {
        let user = insert_customer(&panel, run).await;
        let credit_body = json!({ "user_id": user, "transaction_type": "income", "amount": "0.01", "balance_type": "main", "comment": "By the bank" });
        let credit_request = panel.post("/api/v1/admin/payments", &credit_body);
        let (credit_response, erase_response) =
            race(run, credit_request, request_erasure(&panel, user)).await;
        assert_one_succeeded(
            &panel,
            run,
            user,
            &erase_response,
            credit_response.status == 200,
            &credit_response.text,
        )
        .await;
        let expected_balance = if credit_response.status == 200 { 10_000 } else { 0 };
        assert_eq!(panel.fetch_main_balance(user).await, expected_balance, "run {run}");

        let user = insert_customer(&panel, 1_000_000 + run).await;
        let (invoice_result, erase_response) =
            race(run, create_invoice_for(&panel, user), request_erasure(&panel, user)).await;
        assert_one_succeeded(
            &panel,
            run,
            user,
            &erase_response,
            invoice_result.is_ok(),
            &format!("{invoice_result:?}"),
        )
        .await;

        // A pending invoice blocks the erasure, before and after its payment.
        let user = insert_customer(&panel, 2_000_000 + run).await;
        let invoice = create_invoice(&panel, user, 1_000_000).await;
        let path = format!("/api/v1/admin/invoices/{invoice}/mark-as-paid");
        let body = json!({ "amount": "1", "comment": "By the bank" });
        let (payment_response, erase_response) =
            race(run, panel.post(&path, &body), request_erasure(&panel, user)).await;
        assert_eq!(payment_response.status, 200, "run {run}: {}", payment_response.text);
        assert_one_succeeded(&panel, run, user, &erase_response, true, &payment_response.text).await;
        assert_eq!(panel.fetch_main_balance(user).await, 1_000_000, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn an_account_is_used_during_its_erasure(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    for run in 0..run_count() {
        let user = insert_customer(&panel, run).await;
        let key = format!("key-{run}");
        let sql = Sql::new("INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, 1)");
        panel.execute(sql.bind(user).bind(sessions::hash(&key))).await;
        let email = format!("customer-{run}@shop.example");
        let body = json!({ "key": key, "action": "balance" });
        let call_reseller_api = || panel.request_from(CLIENT_IP, None, "POST", "/api/v2", &body);
        let use_account = async {
            let api_response = call_reseller_api().await;
            (api_response, panel.login(&email, PASSWORD).await)
        };
        let ((api_response, sign_in_response), erase_response) =
            race(run, use_account, request_erasure(&panel, user)).await;
        assert!(api_response.status.as_u16() < 500, "run {run}: {}", api_response.text);
        assert_eq!(sign_in_response.status, 422, "run {run}: {}", sign_in_response.text);
        assert_one_succeeded(&panel, run, user, &erase_response, false, &api_response.text).await;
        assert!(call_reseller_api().await.text.contains("Invalid API key"), "run {run}");
        let count_deactivated_sql =
            "SELECT count(*) FROM users WHERE id = ? AND status = 'deactivated' AND password_hash IS NULL";
        assert_eq!(panel.fetch_number(Sql::new(count_deactivated_sql).bind(user)).await, 1, "run {run}");
    }
    panel.assert_healthy().await;
}

async fn one_app_code_confirms_once(dialect: Dialect) {
    let panel = start_panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let session_tokens = [
        panel.login(ANNA, PASSWORD).await.session_token(),
        panel.login(ANNA, PASSWORD).await.session_token(),
    ];
    insert_totp_secret(&panel, anna).await;
    for run in 0..run_count() {
        panel.clock.advance_secs(30);
        let otp = generate_totp_code(Secret::from(TOTP_SECRET.to_vec()), (run + 1) * 30);
        let body = json!({ "otp": otp });
        let confirm = |nth: usize| send_with_token(&panel, &session_tokens[nth], "POST", CONFIRM, &body);
        let (first_response, second_response) = race(run, confirm(0), confirm(1)).await;
        assert_eq!(
            sorted_statuses(&first_response, &second_response),
            [200, 422],
            "run {run}: {} {}",
            first_response.text,
            second_response.text
        );
        let count_confirmed_sessions_sql =
            "SELECT count(*) FROM sessions WHERE user_id = ? AND confirmed_at = ?";
        let now = panel.app.clock.now();
        assert_eq!(
            panel.fetch_number(Sql::new(count_confirmed_sessions_sql).bind(anna).bind(now)).await,
            1,
            "run {run}"
        );
    }
    panel.assert_healthy().await;
}

async fn a_recovery_code_signs_in_once(dialect: Dialect) {
    let panel = start_panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    insert_totp_secret(&panel, anna).await;
    for run in 0..run_count() {
        // Recovery codes contain no 1, i, l or o.
        let code = format!("{run:z>28}").replace('1', "x");
        let sql = Sql::new("INSERT INTO recovery_codes (user_id, code_hash, created_at) VALUES (?, ?, 1)");
        panel.execute(sql.bind(anna).bind(sessions::hash(&code))).await;
        let session_count_before = count_open_sessions(&panel, anna).await;
        let body = json!({ "otp": code });
        let (first_response, second_response) =
            race(run, sign_in(&panel, &body), sign_in(&panel, &body)).await;
        assert_eq!(
            sorted_statuses(&first_response, &second_response),
            [200, 422],
            "run {run}: {} {}",
            first_response.text,
            second_response.text
        );
        assert_eq!(count_open_sessions(&panel, anna).await, session_count_before + 1, "run {run}");
        let unused_code_count =
            fetch_count(&panel, "SELECT count(*) FROM recovery_codes WHERE used_at IS NULL").await;
        let use_count = count_audits(&panel, "second_factor.recovery_code_used").await;
        assert_eq!((unused_code_count, use_count), (0, i64::try_from(run).unwrap() + 1), "run {run}");
    }
    panel.assert_healthy().await;
}

/// Asserts that the user has no second factor and no open session.
async fn assert_second_factor_was_reset(panel: &Panel, run: u64, anna: i64) {
    for (factor, sql) in [
        ("app", "SELECT count(*) FROM users WHERE totp_secret IS NOT NULL AND id = ?"),
        ("passkeys", "SELECT count(*) FROM passkeys WHERE user_id = ?"),
        ("recovery codes", "SELECT count(*) FROM recovery_codes WHERE user_id = ?"),
        ("enrolment", "SELECT count(*) FROM authenticator_enrolments WHERE user_id = ?"),
    ] {
        assert_eq!(panel.fetch_number(Sql::new(sql).bind(anna)).await, 0, "run {run}: {factor}");
    }
    assert_eq!(count_open_sessions(panel, anna).await, 0, "run {run}");
    assert_eq!(count_audits(panel, "second_factor.reset").await, i64::try_from(run).unwrap() + 1);
}

async fn an_app_is_enrolled_during_a_reset(dialect: Dialect) {
    let panel = start_panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let reset_path = format!("/api/v1/admin/staffs/{anna}/reset-second-factor");
    for run in 0..run_count() {
        let token = panel.login(ANNA, PASSWORD).await.session_token();
        expect_data(&register_passkey(&panel, &token, &Authenticator::new(1)).await);
        let enrolment =
            expect_data(&send_with_token(&panel, &token, "POST", SECOND_FACTOR, &Value::Null).await);
        let secret = Secret::try_from_base32(enrolment["secret"].as_str().unwrap()).unwrap();
        let body = json!({ "otp": generate_totp_code(secret, 0) });
        let count_before = count_audits(&panel, "second_factor.enabled").await;
        let path = format!("{SECOND_FACTOR}/confirm");
        let enrol_request = send_with_token(&panel, &token, "POST", &path, &body);
        let (enrol_response, reset_response) =
            race(run, enrol_request, panel.post(&reset_path, &json!({}))).await;
        assert_eq!(reset_response.status, 204, "run {run}: {}", reset_response.text);
        assert!(
            [200, 401, 409].contains(&enrol_response.status.as_u16()),
            "run {run}: {}",
            enrol_response.text
        );
        let is_enrolled = i64::from(enrol_response.status == 200);
        assert_eq!(
            count_audits(&panel, "second_factor.enabled").await,
            count_before + is_enrolled,
            "run {run}"
        );
        assert_second_factor_was_reset(&panel, run, anna).await;
    }
    panel.assert_healthy().await;
}

async fn a_passkey_is_added_during_a_reset(dialect: Dialect) {
    let panel = start_panel_without_login_limits(dialect).await;
    let anna = panel.create_user(ANNA, &[Permission::ViewOrders]).await;
    let reset_path = format!("/api/v1/admin/staffs/{anna}/reset-second-factor");
    for run in 0..run_count() {
        let token = panel.login(ANNA, PASSWORD).await.session_token();
        insert_totp_secret(&panel, anna).await;
        let challenge = expect_data(
            &send_with_token(&panel, &token, "POST", &format!("{PASSKEYS}/begin"), &Value::Null).await,
        );
        let count_before = count_audits(&panel, "second_factor.passkey_added").await;
        let key = Authenticator::new(1);
        let add_request = finish_registration(&panel, &token, &key, &challenge);
        let (add_response, reset_response) =
            race(run, add_request, panel.post(&reset_path, &json!({}))).await;
        assert_eq!(reset_response.status, 204, "run {run}: {}", reset_response.text);
        assert!([200, 401, 422].contains(&add_response.status.as_u16()), "run {run}: {}", add_response.text);
        let is_added = i64::from(add_response.status == 200);
        assert_eq!(
            count_audits(&panel, "second_factor.passkey_added").await,
            count_before + is_added,
            "run {run}"
        );
        assert_second_factor_was_reset(&panel, run, anna).await;
    }
    panel.assert_healthy().await;
}
