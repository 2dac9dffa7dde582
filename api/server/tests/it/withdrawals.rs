//! Withdrawals: the amount is held on request, then refunded or paid out exactly once, also under concurrent requests.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, UserId, WithdrawalId};
use panel_contract::payments::BalanceType;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::operations::withdrawals::request::{NewWithdrawal, submit_withdrawal};
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::shop::{CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS};

const WITHDRAWALS_PATH: &str = "/api/v1/admin/withdrawals";
const ONE_DOLLAR: i64 = 1_000_000;

test_both_databases! {
    a_withdrawal_is_held_approved_and_paid;
    a_rejection_refunds_the_original_balance;
    a_hold_never_exceeds_the_balance_under_concurrency;
    a_step_that_the_status_forbids_is_a_conflict;
    an_error_names_the_wrong_field;
    a_transaction_id_pays_only_one_withdrawal_of_a_payment_method;
    concurrent_equal_requests_take_effect_once;
    one_of_a_concurrent_rejection_and_payment_succeeds;
    each_step_needs_its_own_permission;
    customers_are_notified_by_their_preferences;
    withdrawals_of_a_deactivated_customer_can_be_rejected_and_paid;
    a_dry_run_writes_nothing_and_a_repeated_idempotency_key_replays_the_response;
    the_approver_must_not_pay_where_two_staff_members_can;
    the_setting_switches_four_eyes_on_and_off;
}

pub(crate) async fn add_payment_methods(panel: &Panel) {
    let sql = "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (1, 'Bank', 'bank', 1, 1, 1), (2, 'PayPal', 'paypal', 2, 1, 1)";
    panel.execute(Sql::new(sql)).await;
}

fn new_withdrawal(user: i64, amount: i64) -> NewWithdrawal {
    NewWithdrawal {
        user_id: UserId::new(user),
        amount: Money(amount),
        balance_type: BalanceType::Main,
        payment_method_id: PaymentMethodId::new(1),
        account_number: format!("DE{user}"),
        user_comment: Some("=Please <b>soon</b>".into()),
    }
}

async fn try_request_withdrawal(panel: &Panel, new: &NewWithdrawal) -> Result<WithdrawalId, String> {
    let mut work = panel.begin_work().await;
    match submit_withdrawal(&mut work, new).await {
        Ok(id) => Ok(work.finish(id).await.unwrap()),
        Err(error) => Err(format!("{error:?}")),
    }
}

pub(crate) async fn request_withdrawal(panel: &Panel, user: i64, amount: i64) -> WithdrawalId {
    try_request_withdrawal(panel, &new_withdrawal(user, amount)).await.unwrap()
}

async fn start_shop(dialect: Dialect) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    add_payment_methods(&panel).await;
    panel
}

async fn post_step(
    panel: &Panel,
    staff: &str,
    id: impl std::fmt::Display,
    step: &str,
    body: &Value,
) -> (u16, String) {
    panel.send(staff, "POST", &format!("{WITHDRAWALS_PATH}/{id}/{step}"), body, None).await.status_and_code()
}

fn outcome(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

fn transaction_body(transfer: &str) -> Value {
    json!({ "transaction_id": transfer })
}

fn rejection_note() -> Value {
    json!({ "admin_note": "The account is not yours" })
}

/// Main balance, hold on it, referral balance, hold on it; in millionths.
async fn main_and_referral_balances(panel: &Panel, user: i64) -> (i64, i64, i64, i64) {
    let sql =
        Sql::new("SELECT balance_main, hold_main, balance_referral, hold_referral FROM users WHERE id = ?");
    (&mut &panel.app.db).fetch_one(sql.bind(user)).await.unwrap()
}

async fn load_row(panel: &Panel, id: WithdrawalId) -> Value {
    let query = format!("{WITHDRAWALS_PATH}?columns[0][data]=id&columns[0][search][value]={id}");
    panel.get(&query).await.json()["data"][0].clone()
}

async fn a_withdrawal_is_held_approved_and_paid(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = request_withdrawal(&panel, 2, 30 * ONE_DOLLAR).await;
    assert_eq!(
        main_and_referral_balances(&panel, 2).await,
        (CUSTOMER_DEPOSIT - 30 * ONE_DOLLAR, 30 * ONE_DOLLAR, 0, 0)
    );
    let row = load_row(&panel, id).await;
    assert_eq!(
        (&row["status"], &row["amount"], &row["refunded"]),
        (&json!("pending"), &json!("30"), &json!("0"))
    );
    assert_eq!(
        row["actions"],
        json!({ "approve": true, "paid": false, "reject": true, "needs_colleague": false })
    );
    assert_eq!(row["withdrawal_method"], json!({ "id": 1, "name": "Bank" }));
    assert_eq!(post_step(&panel, "owner", id, "approve", &json!({})).await, outcome(200, ""));
    assert_eq!(
        main_and_referral_balances(&panel, 2).await,
        (CUSTOMER_DEPOSIT - 30 * ONE_DOLLAR, 30 * ONE_DOLLAR, 0, 0)
    );
    panel.assert_healthy().await;
    assert_eq!(
        post_step(&panel, "owner", id, "mark-as-paid", &transaction_body(" T-1 ")).await,
        outcome(200, "")
    );
    assert_eq!(main_and_referral_balances(&panel, 2).await, (CUSTOMER_DEPOSIT - 30 * ONE_DOLLAR, 0, 0, 0));
    let row = load_row(&panel, id).await;
    assert_eq!((&row["status"], &row["transaction_id"]), (&json!("paid"), &json!("T-1")));
    assert_eq!(
        row["actions"],
        json!({ "approve": false, "paid": false, "reject": false, "needs_colleague": false })
    );
    let sum_payouts_sql = "SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE account = 'payouts'";
    assert_eq!(panel.fetch_number(Sql::new(sum_payouts_sql)).await, 30 * ONE_DOLLAR);
    // Customers see the changes of their balance, but no ledger entries that move money out of a hold.
    let payments = panel
        .get("/api/v1/admin/payments?user_id=2&columns[0][data]=type&columns[0][search][value]=withdrawal")
        .await
        .json();
    assert_eq!((&payments["recordsFiltered"], &payments["data"][0]["amount"]), (&json!(1), &json!("-30")));
    let sql = "SELECT event FROM audits WHERE auditable_type = 'withdrawal' AND auditable_id = ? ORDER BY id";
    let events: Vec<(String,)> = (&mut &panel.app.db).fetch_all(Sql::new(sql).bind(id)).await.unwrap();
    let events: Vec<&str> = events.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(events, ["withdrawal.requested", "withdrawal.approved", "withdrawal.paid"]);
    panel.assert_healthy().await;
}

async fn a_rejection_refunds_the_original_balance(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let credit_body = json!({ "user_id": 3, "transaction_type": "income", "amount": "12.345678", "balance_type": "referral", "comment": "Test" });
    assert_eq!(
        panel.send("owner", "POST", "/api/v1/admin/payments", &credit_body, Some("k")).await.status,
        200
    );
    let new = NewWithdrawal { balance_type: BalanceType::Referral, ..new_withdrawal(3, 12_345_678) };
    for approved in [false, true] {
        let id = try_request_withdrawal(&panel, &new).await.unwrap();
        assert_eq!(main_and_referral_balances(&panel, 3).await, (CUSTOMER_DEPOSIT, 0, 0, 12_345_678));
        if approved {
            assert_eq!(post_step(&panel, "owner", id, "approve", &json!({})).await, outcome(200, ""));
        }
        assert_eq!(post_step(&panel, "owner", id, "reject", &rejection_note()).await, outcome(200, ""));
        assert_eq!(main_and_referral_balances(&panel, 3).await, (CUSTOMER_DEPOSIT, 0, 12_345_678, 0));
        let row = load_row(&panel, id).await;
        assert_eq!((&row["status"], &row["refunded"]), (&json!("rejected"), &json!("12.345678")));
        assert_eq!(row["admin_note"], "The account is not yours");
    }
    panel.assert_healthy().await;
}

async fn a_hold_never_exceeds_the_balance_under_concurrency(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    for new in [
        new_withdrawal(2, CUSTOMER_DEPOSIT + 1),
        new_withdrawal(2, 0),
        new_withdrawal(2, -5),
        new_withdrawal(2, i64::MAX),
        new_withdrawal(2, i64::MIN),
        new_withdrawal(404, 1),
        NewWithdrawal { balance_type: BalanceType::Task, ..new_withdrawal(2, 1) },
        NewWithdrawal { balance_type: BalanceType::Referral, ..new_withdrawal(2, 1) },
        NewWithdrawal { account_number: " \n".into(), ..new_withdrawal(2, 1) },
    ] {
        assert!(try_request_withdrawal(&panel, &new).await.is_err(), "{new:?}");
    }
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM withdrawals")).await, 0);
    // Two concurrent requests for the whole balance: the second is rejected.
    let panel = Arc::new(panel);
    let attempts = (0..4).map(|_| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            try_request_withdrawal(&panel, &new_withdrawal(2, CUSTOMER_DEPOSIT)).await.is_ok()
        })
    });
    let successes = join_all(attempts).await.into_iter().filter(|success| *success.as_ref().unwrap()).count();
    assert_eq!(successes, 1);
    assert_eq!(main_and_referral_balances(&panel, 2).await, (0, CUSTOMER_DEPOSIT, 0, 0));
    // A held amount cannot be spent or debited.
    let debit_body =
        json!({ "user_id": 2, "transaction_type": "outcome", "amount": "1", "balance_type": "main" });
    let response = panel.send("owner", "POST", "/api/v1/admin/payments", &debit_body, Some("k")).await;
    assert_eq!(response.status_and_code(), outcome(422, "not_enough_balance"));
    panel.assert_healthy().await;
}

async fn a_step_that_the_status_forbids_is_a_conflict(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = request_withdrawal(&panel, 2, ONE_DOLLAR).await;
    assert_eq!(
        post_step(&panel, "owner", id, "mark-as-paid", &transaction_body("T")).await,
        outcome(409, "withdrawal_not_payable")
    );
    assert_eq!(post_step(&panel, "owner", id, "approve", &json!({})).await, outcome(200, ""));
    assert_eq!(
        post_step(&panel, "owner", id, "approve", &json!({})).await,
        outcome(409, "withdrawal_not_approvable")
    );
    assert_eq!(
        post_step(&panel, "owner", id, "mark-as-paid", &transaction_body("T")).await,
        outcome(200, "")
    );
    for (step, body, code) in [
        ("approve", json!({}), "withdrawal_not_approvable"),
        ("reject", rejection_note(), "withdrawal_not_rejectable"),
        ("mark-as-paid", transaction_body("T"), "withdrawal_not_payable"),
        ("mark-as-paid", transaction_body("U"), "withdrawal_not_payable"),
    ] {
        assert_eq!(post_step(&panel, "owner", id, step, &body).await, outcome(409, code));
        assert_eq!(post_step(&panel, "owner", 999, step, &body).await, outcome(404, "not_found"));
    }
    let rejected = request_withdrawal(&panel, 2, ONE_DOLLAR).await;
    assert_eq!(post_step(&panel, "owner", rejected, "reject", &rejection_note()).await, outcome(200, ""));
    for (step, body) in
        [("approve", json!({})), ("reject", rejection_note()), ("mark-as-paid", transaction_body("V"))]
    {
        assert_eq!(post_step(&panel, "owner", rejected, step, &body).await.0, 409, "{step}");
    }
    assert_eq!(main_and_referral_balances(&panel, 2).await, (CUSTOMER_DEPOSIT - ONE_DOLLAR, 0, 0, 0));
    panel.assert_healthy().await;
}

async fn an_error_names_the_wrong_field(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = request_withdrawal(&panel, 2, ONE_DOLLAR).await;
    post_step(&panel, "owner", id, "approve", &json!({})).await;
    for (step, field, text) in [
        ("reject", "admin_note", json!("")),
        ("reject", "admin_note", json!("  \n ")),
        ("reject", "admin_note", json!("x".repeat(1_001))),
        ("reject", "admin_note", json!(null)),
        ("reject", "admin_note", json!(7)),
        ("reject", "admin_note", json!("a\u{0}b")),
        ("mark-as-paid", "transaction_id", json!("")),
        ("mark-as-paid", "transaction_id", json!(" ")),
        ("mark-as-paid", "transaction_id", json!("a\nb")),
        ("mark-as-paid", "transaction_id", json!("a\u{1b}[31m")),
        ("mark-as-paid", "transaction_id", json!("x".repeat(201))),
        ("mark-as-paid", "transaction_id", json!(["T"])),
    ] {
        let response = panel.post(&format!("{WITHDRAWALS_PATH}/{id}/{step}"), &json!({ field: text })).await;
        assert_eq!(response.status, 422, "{step} {text}: {}", response.text);
        assert!(response.json()["errors"][field].is_array(), "{step} {text}: {}", response.text);
    }
    for (step, body, field) in [
        ("reject", json!({}), "admin_note"),
        ("mark-as-paid", json!({}), "transaction_id"),
        ("mark-as-paid", json!({ "transaction_id": "T", "amount": "1" }), "amount"),
    ] {
        let response = panel.post(&format!("{WITHDRAWALS_PATH}/{id}/{step}"), &body).await;
        assert!(response.status == 422 && response.json()["errors"][field].is_array(), "{}", response.text);
    }
    assert_eq!(
        main_and_referral_balances(&panel, 2).await,
        (CUSTOMER_DEPOSIT - ONE_DOLLAR, ONE_DOLLAR, 0, 0)
    );
    panel.assert_healthy().await;
}

async fn a_transaction_id_pays_only_one_withdrawal_of_a_payment_method(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let mut ids = Vec::new();
    for method in [1, 1, 2].map(PaymentMethodId::new) {
        let id = try_request_withdrawal(
            &panel,
            &NewWithdrawal { payment_method_id: method, ..new_withdrawal(2, ONE_DOLLAR) },
        )
        .await
        .unwrap();
        post_step(&panel, "owner", id, "approve", &json!({})).await;
        ids.push(id);
    }
    assert_eq!(
        post_step(&panel, "owner", ids[0], "mark-as-paid", &transaction_body("T")).await,
        outcome(200, "")
    );
    let repeated_response =
        panel.post(&format!("{WITHDRAWALS_PATH}/{}/mark-as-paid", ids[1]), &transaction_body(" T")).await;
    assert_eq!(repeated_response.status_and_code(), outcome(422, "transaction_id_used"));
    let message = repeated_response.json()["errors"]["transaction_id"][0].to_string();
    assert!(message.contains(&format!("withdrawal {}", ids[0])), "{message}");
    assert_eq!(
        post_step(&panel, "owner", ids[2], "mark-as-paid", &transaction_body("T")).await,
        outcome(200, "")
    );
    assert_eq!(
        post_step(&panel, "owner", ids[1], "mark-as-paid", &transaction_body("T2")).await,
        outcome(200, "")
    );
    panel.assert_healthy().await;
}

async fn concurrent_equal_requests_take_effect_once(dialect: Dialect) {
    let panel = Arc::new(start_shop(dialect).await);
    for round in 0..10 {
        for (step, body) in [
            ("approve", json!({})),
            ("mark-as-paid", transaction_body(&format!("T{round}"))),
            ("reject", rejection_note()),
        ] {
            let id = request_withdrawal(&panel, 2, ONE_DOLLAR).await;
            if step == "mark-as-paid" {
                post_step(&panel, "owner", id, "approve", &json!({})).await;
            }
            let attempts = (0..3).map(|_| {
                let (panel, body) = (Arc::clone(&panel), body.clone());
                tokio::spawn(async move { post_step(&panel, "owner", id, step, &body).await.0 })
            });
            let mut responses: Vec<u16> =
                join_all(attempts).await.into_iter().map(|response| response.unwrap()).collect();
            responses.sort_unstable();
            assert_eq!(responses, [200, 409, 409], "{step}");
        }
        // Two concurrent payments with one transaction id: one is rejected.
        let mut pair = Vec::new();
        for _ in 0..2 {
            let id = request_withdrawal(&panel, 3, ONE_DOLLAR).await;
            post_step(&panel, "owner", id, "approve", &json!({})).await;
            pair.push(id);
        }
        let attempts = pair.into_iter().map(|id| {
            let (panel, body) = (Arc::clone(&panel), transaction_body(&format!("S{round}")));
            tokio::spawn(async move { post_step(&panel, "owner", id, "mark-as-paid", &body).await })
        });
        let mut responses: Vec<_> =
            join_all(attempts).await.into_iter().map(|response| response.unwrap()).collect();
        responses.sort();
        assert_eq!(responses, [outcome(200, ""), outcome(422, "transaction_id_used")]);
    }
    panel.assert_healthy().await;
}

async fn one_of_a_concurrent_rejection_and_payment_succeeds(dialect: Dialect) {
    let panel = Arc::new(start_shop(dialect).await);
    for round in 0..20 {
        let id = request_withdrawal(&panel, 4, ONE_DOLLAR).await;
        post_step(&panel, "owner", id, "approve", &json!({})).await;
        let attempts =
            [("reject", rejection_note()), ("mark-as-paid", transaction_body(&format!("T{round}")))].map(
                |(step, body)| {
                    let panel = Arc::clone(&panel);
                    tokio::spawn(async move { post_step(&panel, "owner", id, step, &body).await.0 })
                },
            );
        let mut responses: Vec<u16> =
            join_all(attempts).await.into_iter().map(|response| response.unwrap()).collect();
        responses.sort_unstable();
        assert_eq!(responses, [200, 409]);
    }
    let (main_balance, held, ..) = main_and_referral_balances(&panel, 4).await;
    let paid_count =
        panel.fetch_number(Sql::new("SELECT count(*) FROM withdrawals WHERE status = 'paid'")).await;
    assert_eq!((main_balance, held), (CUSTOMER_DEPOSIT - paid_count * ONE_DOLLAR, 0));
    panel.assert_healthy().await;
}

async fn each_step_needs_its_own_permission(dialect: Dialect) {
    use Permission::{ApproveWithdrawalRequests, MarkAsPaidWithdrawalRequests, ViewWithdrawals};
    let panel = start_shop(dialect).await;
    panel.create_staff("viewer", &[ViewWithdrawals]).await;
    panel.create_staff("approver", &[ViewWithdrawals, ApproveWithdrawalRequests]).await;
    panel.create_staff("payer", &[ViewWithdrawals, MarkAsPaidWithdrawalRequests]).await;
    let id = request_withdrawal(&panel, 2, ONE_DOLLAR).await;
    for staff in ["viewer", "payer"] {
        assert_eq!(post_step(&panel, staff, id, "approve", &json!({})).await.0, 403, "{staff}");
    }
    for staff in ["viewer", "approver", "payer"] {
        assert_eq!(post_step(&panel, staff, id, "reject", &rejection_note()).await.0, 403, "{staff}");
    }
    let page = panel.get_as("approver", WITHDRAWALS_PATH, "application/json").await.json();
    assert_eq!(
        page["data"][0]["actions"],
        json!({ "approve": true, "paid": false, "reject": false, "needs_colleague": false })
    );
    assert_eq!(post_step(&panel, "approver", id, "approve", &json!({})).await, outcome(200, ""));
    for staff in ["viewer", "approver"] {
        assert_eq!(
            post_step(&panel, staff, id, "mark-as-paid", &transaction_body("T")).await.0,
            403,
            "{staff}"
        );
    }
    assert_eq!(
        post_step(&panel, "payer", id, "mark-as-paid", &transaction_body("T")).await,
        outcome(200, "")
    );
    panel.assert_healthy().await;
}

async fn customers_are_notified_by_their_preferences(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.execute(Sql::new("UPDATE users SET notify_payments = FALSE WHERE id = 3")).await;
    for user in [2, 3] {
        let id = request_withdrawal(&panel, user, ONE_DOLLAR).await;
        post_step(&panel, "owner", id, "approve", &json!({})).await;
        post_step(&panel, "owner", id, "mark-as-paid", &transaction_body(&format!("T{user}"))).await;
        let id = request_withdrawal(&panel, user, ONE_DOLLAR).await;
        post_step(&panel, "owner", id, "reject", &rejection_note()).await;
        // A rejected request sends no notification.
        post_step(&panel, "owner", id, "reject", &rejection_note()).await;
    }
    let emails: Vec<(String,)> =
        (&mut &panel.app.db).fetch_all(Sql::new("SELECT payload FROM jobs ORDER BY id")).await.unwrap();
    assert_eq!(emails.len(), 3, "{emails:?}");
    for (email, words) in emails.iter().zip(["was approved", "Transaction: T2", "Reason: The account"]) {
        assert!(email.0.contains(words) && email.0.contains("c2@shop.example"), "{}", email.0);
    }
}

async fn withdrawals_of_a_deactivated_customer_can_be_rejected_and_paid(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let (to_reject, to_pay) =
        (request_withdrawal(&panel, 2, ONE_DOLLAR).await, request_withdrawal(&panel, 2, ONE_DOLLAR).await);
    assert_eq!(panel.post("/api/v1/admin/users/2/deactivate", &json!({})).await.status, 200);
    assert_eq!(post_step(&panel, "owner", to_reject, "reject", &rejection_note()).await, outcome(200, ""));
    post_step(&panel, "owner", to_pay, "approve", &json!({})).await;
    assert_eq!(
        post_step(&panel, "owner", to_pay, "mark-as-paid", &transaction_body("T")).await,
        outcome(200, "")
    );
    assert_eq!(main_and_referral_balances(&panel, 2).await, (CUSTOMER_DEPOSIT - ONE_DOLLAR, 0, 0, 0));
    assert_eq!(panel.fetch_task_balance(2).await, CUSTOMER_EARNINGS);
    panel.assert_healthy().await;
}

async fn a_dry_run_writes_nothing_and_a_repeated_idempotency_key_replays_the_response(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = request_withdrawal(&panel, 2, ONE_DOLLAR).await;
    let dry_run_response =
        panel.post(&format!("{WITHDRAWALS_PATH}/{id}/reject?dry_run=1"), &rejection_note()).await;
    assert_eq!(
        (dry_run_response.status.as_u16(), &dry_run_response.json()["data"]["refunded"]),
        (200, &json!("1"))
    );
    assert_eq!(load_row(&panel, id).await["status"], "pending");
    let send = async || {
        panel
            .send(
                "owner",
                "POST",
                &format!("{WITHDRAWALS_PATH}/{id}/reject"),
                &rejection_note(),
                Some("key-1"),
            )
            .await
    };
    let first = send().await;
    let second = send().await;
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (200, 200));
    assert_eq!((first.text == second.text, second.headers.contains_key("idempotent-replayed")), (true, true));
    assert_eq!(main_and_referral_balances(&panel, 2).await, (CUSTOMER_DEPOSIT, 0, 0, 0));
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM jobs")).await, 1);
    panel.assert_healthy().await;
}

/// Four eyes apply by default where two active staff members may pay; the record gives the reason why paying is not allowed.
async fn the_approver_must_not_pay_where_two_staff_members_can(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = request_withdrawal(&panel, 2, ONE_DOLLAR).await;
    assert_eq!(post_step(&panel, "owner", id, "approve", &json!({})).await, outcome(200, ""));
    let row = load_row(&panel, id).await;
    assert_eq!(row["approved_by"]["name"], "owner");
    assert_eq!(row["actions"]["paid"], true, "the owner is the only one who can");
    panel
        .create_staff("payer", &[Permission::ViewWithdrawals, Permission::MarkAsPaidWithdrawalRequests])
        .await;
    let row = load_row(&panel, id).await;
    assert_eq!(
        row["actions"],
        json!({ "approve": false, "paid": false, "reject": true, "needs_colleague": true })
    );
    assert_eq!(
        post_step(&panel, "owner", id, "mark-as-paid", &transaction_body("T")).await,
        outcome(403, "four_eyes")
    );
    let actions =
        panel.get_as("payer", WITHDRAWALS_PATH, "application/json").await.json()["data"][0]["actions"]
            .clone();
    assert_eq!((&actions["paid"], &actions["needs_colleague"]), (&json!(true), &json!(false)));
    assert_eq!(
        post_step(&panel, "payer", id, "mark-as-paid", &transaction_body("T")).await,
        outcome(200, "")
    );
    // A staff member who cannot sign in does not count.
    panel
        .execute(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE name = 'payer'"))
        .await;
    let id = request_withdrawal(&panel, 2, ONE_DOLLAR).await;
    assert_eq!(post_step(&panel, "owner", id, "approve", &json!({})).await, outcome(200, ""));
    assert_eq!(
        post_step(&panel, "owner", id, "mark-as-paid", &transaction_body("U")).await,
        outcome(200, "")
    );
    panel.assert_healthy().await;
}

async fn the_setting_switches_four_eyes_on_and_off(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.save_settings(json!({ "withdrawals_four_eyes": "on" })).await;
    let id = request_withdrawal(&panel, 2, ONE_DOLLAR).await;
    assert_eq!(post_step(&panel, "owner", id, "approve", &json!({})).await, outcome(200, ""));
    assert_eq!(
        post_step(&panel, "owner", id, "mark-as-paid", &transaction_body("T")).await,
        outcome(403, "four_eyes")
    );
    assert_eq!(
        main_and_referral_balances(&panel, 2).await,
        (CUSTOMER_DEPOSIT - ONE_DOLLAR, ONE_DOLLAR, 0, 0),
        "the amount must still be held"
    );
    panel.save_settings(json!({ "withdrawals_four_eyes": "off" })).await;
    panel.create_staff("payer", &[Permission::MarkAsPaidWithdrawalRequests]).await;
    assert_eq!(load_row(&panel, id).await["actions"]["paid"], true);
    assert_eq!(
        post_step(&panel, "owner", id, "mark-as-paid", &transaction_body("T")).await,
        outcome(200, "")
    );
    panel.assert_healthy().await;
}
