//! Withdrawals: the amount is held on request, then refunded or paid out exactly once, also under concurrent requests.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, UserId, WithdrawalId};
use panel_contract::payments::BalanceType;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::operations::withdrawals::request::{NewWithdrawal, request};
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::shop::{DEPOSIT, EARNED};

const URL: &str = "/api/v1/admin/withdrawals";
const UNIT: i64 = 1_000_000;

both! {
    a_withdrawal_is_held_approved_and_paid;
    a_rejection_refunds_the_original_balance;
    a_hold_never_exceeds_the_balance;
    what_the_rules_lack_is_a_conflict;
    wrong_inputs_are_named;
    a_transfer_pays_one_withdrawal_of_a_method;
    two_at_once_have_one_effect;
    a_rejection_and_a_payment_at_once;
    each_step_by_its_own_permission;
    customers_are_notified_by_their_preferences;
    a_deactivated_customer_keeps_what_is_theirs;
    a_dry_run_and_a_repeated_key;
    the_approver_does_not_pay_where_two_can;
    the_setting_rules_four_eyes;
}

pub(crate) async fn methods(panel: &Panel) {
    let sql = "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (1, 'Bank', 'bank', 1, 1, 1), (2, 'PayPal', 'paypal', 2, 1, 1)";
    panel.exec(Sql::new(sql)).await;
}

fn wish(user: i64, amount: i64) -> NewWithdrawal {
    NewWithdrawal {
        user_id: UserId::new(user),
        amount: Money(amount),
        balance_type: BalanceType::Main,
        payment_method_id: PaymentMethodId::new(1),
        account_number: format!("DE{user}"),
        user_comment: Some("=Please <b>soon</b>".into()),
    }
}

async fn ask(panel: &Panel, new: &NewWithdrawal) -> Result<WithdrawalId, String> {
    let mut work = panel.work().await;
    match request(&mut work, new).await {
        Ok(id) => Ok(work.finish(id).await.unwrap()),
        Err(error) => Err(format!("{error:?}")),
    }
}

pub(crate) async fn asked(panel: &Panel, user: i64, amount: i64) -> WithdrawalId {
    ask(panel, &wish(user, amount)).await.unwrap()
}

async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 5, 0).await;
    methods(&panel).await;
    panel
}

async fn act(
    panel: &Panel,
    who: &str,
    id: impl std::fmt::Display,
    step: &str,
    body: &Value,
) -> (u16, String) {
    panel.send(who, "POST", &format!("{URL}/{id}/{step}"), body, None).await.says()
}

fn said(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

fn paid(transfer: &str) -> Value {
    json!({ "transaction_id": transfer })
}

fn note() -> Value {
    json!({ "admin_note": "The account is not yours" })
}

/// Main and referral balance, and the held amount.
async fn money(panel: &Panel, user: i64) -> (i64, i64, i64, i64) {
    let sql =
        Sql::new("SELECT balance_main, hold_main, balance_referral, hold_referral FROM users WHERE id = ?");
    (&mut &panel.app.db).one(sql.bind(user)).await.unwrap()
}

async fn one(panel: &Panel, id: WithdrawalId) -> Value {
    let query = format!("{URL}?columns[0][data]=id&columns[0][search][value]={id}");
    panel.get(&query).await.json()["data"][0].clone()
}

async fn a_withdrawal_is_held_approved_and_paid(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = asked(&panel, 2, 30 * UNIT).await;
    assert_eq!(money(&panel, 2).await, (DEPOSIT - 30 * UNIT, 30 * UNIT, 0, 0));
    let row = one(&panel, id).await;
    assert_eq!(
        (&row["status"], &row["amount"], &row["returned"]),
        (&json!("pending"), &json!("30"), &json!("0"))
    );
    assert_eq!(
        row["actions"],
        json!({ "approve": true, "paid": false, "reject": true, "needs_colleague": false })
    );
    assert_eq!(row["withdrawal_method"], json!({ "id": 1, "name": "Bank" }));
    assert_eq!(act(&panel, "owner", id, "approve", &json!({})).await, said(200, ""));
    assert_eq!(money(&panel, 2).await, (DEPOSIT - 30 * UNIT, 30 * UNIT, 0, 0));
    panel.assert_healthy().await;
    assert_eq!(act(&panel, "owner", id, "mark-as-paid", &paid(" T-1 ")).await, said(200, ""));
    assert_eq!(money(&panel, 2).await, (DEPOSIT - 30 * UNIT, 0, 0, 0));
    let row = one(&panel, id).await;
    assert_eq!((&row["status"], &row["transaction_id"]), (&json!("paid"), &json!("T-1")));
    assert_eq!(
        row["actions"],
        json!({ "approve": false, "paid": false, "reject": false, "needs_colleague": false })
    );
    let out = "SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE account = 'payouts'";
    assert_eq!(panel.number(Sql::new(out)).await, 30 * UNIT);
    // Customers see the changes of their balance, not the entries between holds.
    let payments = panel
        .get("/api/v1/admin/payments?user_id=2&columns[0][data]=type&columns[0][search][value]=withdrawal")
        .await
        .json();
    assert_eq!((&payments["recordsFiltered"], &payments["data"][0]["amount"]), (&json!(1), &json!("-30")));
    let sql = "SELECT event FROM audits WHERE auditable_type = 'withdrawal' AND auditable_id = ? ORDER BY id";
    let events: Vec<(String,)> = (&mut &panel.app.db).all(Sql::new(sql).bind(id)).await.unwrap();
    let events: Vec<&str> = events.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(events, ["withdrawal.requested", "withdrawal.approved", "withdrawal.paid"]);
    panel.assert_healthy().await;
}

async fn a_rejection_refunds_the_original_balance(dialect: Dialect) {
    let panel = shop(dialect).await;
    let pay = json!({ "user_id": 3, "transaction_type": "income", "amount": "12.345678", "balance_type": "referral", "comment": "Test" });
    assert_eq!(panel.send("owner", "POST", "/api/v1/admin/payments", &pay, Some("k")).await.status, 200);
    let new = NewWithdrawal { balance_type: BalanceType::Referral, ..wish(3, 12_345_678) };
    for approved in [false, true] {
        let id = ask(&panel, &new).await.unwrap();
        assert_eq!(money(&panel, 3).await, (DEPOSIT, 0, 0, 12_345_678));
        if approved {
            assert_eq!(act(&panel, "owner", id, "approve", &json!({})).await, said(200, ""));
        }
        assert_eq!(act(&panel, "owner", id, "reject", &note()).await, said(200, ""));
        assert_eq!(money(&panel, 3).await, (DEPOSIT, 0, 12_345_678, 0));
        let row = one(&panel, id).await;
        assert_eq!((&row["status"], &row["returned"]), (&json!("rejected"), &json!("12.345678")));
        assert_eq!(row["admin_note"], "The account is not yours");
    }
    panel.assert_healthy().await;
}

async fn a_hold_never_exceeds_the_balance(dialect: Dialect) {
    let panel = shop(dialect).await;
    for new in [
        wish(2, DEPOSIT + 1),
        wish(2, 0),
        wish(2, -5),
        wish(2, i64::MAX),
        wish(2, i64::MIN),
        wish(404, 1),
        NewWithdrawal { balance_type: BalanceType::Task, ..wish(2, 1) },
        NewWithdrawal { balance_type: BalanceType::Referral, ..wish(2, 1) },
        NewWithdrawal { account_number: " \n".into(), ..wish(2, 1) },
    ] {
        assert!(ask(&panel, &new).await.is_err(), "{new:?}");
    }
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM withdrawals")).await, 0);
    // Two concurrent requests for the whole balance: the second is refused.
    let panel = Arc::new(panel);
    let tries = (0..4).map(|_| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move { ask(&panel, &wish(2, DEPOSIT)).await.is_ok() })
    });
    let held = join_all(tries).await.into_iter().filter(|held| *held.as_ref().unwrap()).count();
    assert_eq!(held, 1);
    assert_eq!(money(&panel, 2).await, (0, DEPOSIT, 0, 0));
    // A held amount cannot be spent or debited.
    let debit = json!({ "user_id": 2, "transaction_type": "outcome", "amount": "1", "balance_type": "main" });
    let answer = panel.send("owner", "POST", "/api/v1/admin/payments", &debit, Some("k")).await;
    assert_eq!(answer.says(), said(422, "not_enough_balance"));
    panel.assert_healthy().await;
}

async fn what_the_rules_lack_is_a_conflict(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = asked(&panel, 2, UNIT).await;
    assert_eq!(
        act(&panel, "owner", id, "mark-as-paid", &paid("T")).await,
        said(409, "withdrawal_not_payable")
    );
    assert_eq!(act(&panel, "owner", id, "approve", &json!({})).await, said(200, ""));
    assert_eq!(act(&panel, "owner", id, "approve", &json!({})).await, said(409, "withdrawal_not_approvable"));
    assert_eq!(act(&panel, "owner", id, "mark-as-paid", &paid("T")).await, said(200, ""));
    for (step, body, code) in [
        ("approve", json!({}), "withdrawal_not_approvable"),
        ("reject", note(), "withdrawal_not_rejectable"),
        ("mark-as-paid", paid("T"), "withdrawal_not_payable"),
        ("mark-as-paid", paid("U"), "withdrawal_not_payable"),
    ] {
        assert_eq!(act(&panel, "owner", id, step, &body).await, said(409, code));
        assert_eq!(act(&panel, "owner", 999, step, &body).await, said(404, "not_found"));
    }
    let rejected = asked(&panel, 2, UNIT).await;
    assert_eq!(act(&panel, "owner", rejected, "reject", &note()).await, said(200, ""));
    for (step, body) in [("approve", json!({})), ("reject", note()), ("mark-as-paid", paid("V"))] {
        assert_eq!(act(&panel, "owner", rejected, step, &body).await.0, 409, "{step}");
    }
    assert_eq!(money(&panel, 2).await, (DEPOSIT - UNIT, 0, 0, 0));
    panel.assert_healthy().await;
}

async fn wrong_inputs_are_named(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = asked(&panel, 2, UNIT).await;
    act(&panel, "owner", id, "approve", &json!({})).await;
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
        let answer = panel.post(&format!("{URL}/{id}/{step}"), &json!({ field: text })).await;
        assert_eq!(answer.status, 422, "{step} {text}: {}", answer.text);
        assert!(answer.json()["errors"][field].is_array(), "{step} {text}: {}", answer.text);
    }
    for (step, body, field) in [
        ("reject", json!({}), "admin_note"),
        ("mark-as-paid", json!({}), "transaction_id"),
        ("mark-as-paid", json!({ "transaction_id": "T", "amount": "1" }), "amount"),
    ] {
        let answer = panel.post(&format!("{URL}/{id}/{step}"), &body).await;
        assert!(answer.status == 422 && answer.json()["errors"][field].is_array(), "{}", answer.text);
    }
    assert_eq!(money(&panel, 2).await, (DEPOSIT - UNIT, UNIT, 0, 0));
    panel.assert_healthy().await;
}

async fn a_transfer_pays_one_withdrawal_of_a_method(dialect: Dialect) {
    let panel = shop(dialect).await;
    let mut ids = Vec::new();
    for method in [1, 1, 2].map(PaymentMethodId::new) {
        let id = ask(&panel, &NewWithdrawal { payment_method_id: method, ..wish(2, UNIT) }).await.unwrap();
        act(&panel, "owner", id, "approve", &json!({})).await;
        ids.push(id);
    }
    assert_eq!(act(&panel, "owner", ids[0], "mark-as-paid", &paid("T")).await, said(200, ""));
    let again = panel.post(&format!("{URL}/{}/mark-as-paid", ids[1]), &paid(" T")).await;
    assert_eq!(again.says(), said(422, "transaction_id_used"));
    let message = again.json()["errors"]["transaction_id"][0].to_string();
    assert!(message.contains(&format!("withdrawal {}", ids[0])), "{message}");
    assert_eq!(act(&panel, "owner", ids[2], "mark-as-paid", &paid("T")).await, said(200, ""));
    assert_eq!(act(&panel, "owner", ids[1], "mark-as-paid", &paid("T2")).await, said(200, ""));
    panel.assert_healthy().await;
}

async fn two_at_once_have_one_effect(dialect: Dialect) {
    let panel = Arc::new(shop(dialect).await);
    for round in 0..10 {
        for (step, body) in
            [("approve", json!({})), ("mark-as-paid", paid(&format!("T{round}"))), ("reject", note())]
        {
            let id = asked(&panel, 2, UNIT).await;
            if step == "mark-as-paid" {
                act(&panel, "owner", id, "approve", &json!({})).await;
            }
            let tries = (0..3).map(|_| {
                let (panel, body) = (Arc::clone(&panel), body.clone());
                tokio::spawn(async move { act(&panel, "owner", id, step, &body).await.0 })
            });
            let mut answers: Vec<u16> = join_all(tries).await.into_iter().map(|one| one.unwrap()).collect();
            answers.sort_unstable();
            assert_eq!(answers, [200, 409, 409], "{step}");
        }
        // One transfer for two withdrawals at the same moment.
        let mut pair = Vec::new();
        for _ in 0..2 {
            let id = asked(&panel, 3, UNIT).await;
            act(&panel, "owner", id, "approve", &json!({})).await;
            pair.push(id);
        }
        let tries = pair.into_iter().map(|id| {
            let (panel, body) = (Arc::clone(&panel), paid(&format!("S{round}")));
            tokio::spawn(async move { act(&panel, "owner", id, "mark-as-paid", &body).await })
        });
        let mut answers: Vec<_> = join_all(tries).await.into_iter().map(|one| one.unwrap()).collect();
        answers.sort();
        assert_eq!(answers, [said(200, ""), said(422, "transaction_id_used")]);
    }
    panel.assert_healthy().await;
}

async fn a_rejection_and_a_payment_at_once(dialect: Dialect) {
    let panel = Arc::new(shop(dialect).await);
    for round in 0..20 {
        let id = asked(&panel, 4, UNIT).await;
        act(&panel, "owner", id, "approve", &json!({})).await;
        let tries = [("reject", note()), ("mark-as-paid", paid(&format!("T{round}")))].map(|(step, body)| {
            let panel = Arc::clone(&panel);
            tokio::spawn(async move { act(&panel, "owner", id, step, &body).await.0 })
        });
        let mut answers: Vec<u16> = join_all(tries).await.into_iter().map(|one| one.unwrap()).collect();
        answers.sort_unstable();
        assert_eq!(answers, [200, 409]);
    }
    let (main, held, ..) = money(&panel, 4).await;
    let paid = panel.number(Sql::new("SELECT count(*) FROM withdrawals WHERE status = 'paid'")).await;
    assert_eq!((main, held), (DEPOSIT - paid * UNIT, 0));
    panel.assert_healthy().await;
}

async fn each_step_by_its_own_permission(dialect: Dialect) {
    use Permission::{ApproveWithdrawalRequests, MarkAsPaidWithdrawalRequests, ViewWithdrawals};
    let panel = shop(dialect).await;
    panel.staff("viewer", &[ViewWithdrawals]).await;
    panel.staff("approver", &[ViewWithdrawals, ApproveWithdrawalRequests]).await;
    panel.staff("payer", &[ViewWithdrawals, MarkAsPaidWithdrawalRequests]).await;
    let id = asked(&panel, 2, UNIT).await;
    for who in ["viewer", "payer"] {
        assert_eq!(act(&panel, who, id, "approve", &json!({})).await.0, 403, "{who}");
    }
    for who in ["viewer", "approver", "payer"] {
        assert_eq!(act(&panel, who, id, "reject", &note()).await.0, 403, "{who}");
    }
    let theirs = panel.get_as("approver", URL, "application/json").await.json();
    assert_eq!(
        theirs["data"][0]["actions"],
        json!({ "approve": true, "paid": false, "reject": false, "needs_colleague": false })
    );
    assert_eq!(act(&panel, "approver", id, "approve", &json!({})).await, said(200, ""));
    for who in ["viewer", "approver"] {
        assert_eq!(act(&panel, who, id, "mark-as-paid", &paid("T")).await.0, 403, "{who}");
    }
    assert_eq!(act(&panel, "payer", id, "mark-as-paid", &paid("T")).await, said(200, ""));
    panel.assert_healthy().await;
}

async fn customers_are_notified_by_their_preferences(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.exec(Sql::new("UPDATE users SET notify_payments = FALSE WHERE id = 3")).await;
    for user in [2, 3] {
        let id = asked(&panel, user, UNIT).await;
        act(&panel, "owner", id, "approve", &json!({})).await;
        act(&panel, "owner", id, "mark-as-paid", &paid(&format!("T{user}"))).await;
        let id = asked(&panel, user, UNIT).await;
        act(&panel, "owner", id, "reject", &note()).await;
        // A refused request sends no notification.
        act(&panel, "owner", id, "reject", &note()).await;
    }
    let letters: Vec<(String,)> =
        (&mut &panel.app.db).all(Sql::new("SELECT payload FROM jobs ORDER BY id")).await.unwrap();
    assert_eq!(letters.len(), 3, "{letters:?}");
    for (letter, words) in letters.iter().zip(["was approved", "Transaction: T2", "Reason: The account"]) {
        assert!(letter.0.contains(words) && letter.0.contains("c2@shop.example"), "{}", letter.0);
    }
}

async fn a_deactivated_customer_keeps_what_is_theirs(dialect: Dialect) {
    let panel = shop(dialect).await;
    let (back, out) = (asked(&panel, 2, UNIT).await, asked(&panel, 2, UNIT).await);
    assert_eq!(panel.post("/api/v1/admin/users/2/deactivate", &json!({})).await.status, 200);
    assert_eq!(act(&panel, "owner", back, "reject", &note()).await, said(200, ""));
    act(&panel, "owner", out, "approve", &json!({})).await;
    assert_eq!(act(&panel, "owner", out, "mark-as-paid", &paid("T")).await, said(200, ""));
    assert_eq!(money(&panel, 2).await, (DEPOSIT - UNIT, 0, 0, 0));
    assert_eq!(panel.balances(2).await.1, EARNED);
    panel.assert_healthy().await;
}

async fn a_dry_run_and_a_repeated_key(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = asked(&panel, 2, UNIT).await;
    let dry = panel.post(&format!("{URL}/{id}/reject?dry_run=1"), &note()).await;
    assert_eq!((dry.status.as_u16(), &dry.json()["data"]["returned"]), (200, &json!("1")));
    assert_eq!(one(&panel, id).await["status"], "pending");
    let send =
        async || panel.send("owner", "POST", &format!("{URL}/{id}/reject"), &note(), Some("key-1")).await;
    let first = send().await;
    let second = send().await;
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (200, 200));
    assert_eq!((first.text == second.text, second.headers.contains_key("idempotent-replayed")), (true, true));
    assert_eq!(money(&panel, 2).await, (DEPOSIT, 0, 0, 0));
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM jobs")).await, 1);
    panel.assert_healthy().await;
}

/// Four eyes apply by default where two active staff members may pay; the record gives the reason why paying is not allowed.
async fn the_approver_does_not_pay_where_two_can(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = asked(&panel, 2, UNIT).await;
    assert_eq!(act(&panel, "owner", id, "approve", &json!({})).await, said(200, ""));
    let row = one(&panel, id).await;
    assert_eq!(row["approved_by"]["name"], "owner");
    assert_eq!(row["actions"]["paid"], true, "the owner is the only one who can");
    panel.staff("payer", &[Permission::ViewWithdrawals, Permission::MarkAsPaidWithdrawalRequests]).await;
    let row = one(&panel, id).await;
    assert_eq!(
        row["actions"],
        json!({ "approve": false, "paid": false, "reject": true, "needs_colleague": true })
    );
    assert_eq!(act(&panel, "owner", id, "mark-as-paid", &paid("T")).await, said(403, "four_eyes"));
    let theirs = panel.get_as("payer", URL, "application/json").await.json()["data"][0]["actions"].clone();
    assert_eq!((&theirs["paid"], &theirs["needs_colleague"]), (&json!(true), &json!(false)));
    assert_eq!(act(&panel, "payer", id, "mark-as-paid", &paid("T")).await, said(200, ""));
    // A staff member who cannot sign in does not count.
    panel
        .exec(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE name = 'payer'"))
        .await;
    let id = asked(&panel, 2, UNIT).await;
    assert_eq!(act(&panel, "owner", id, "approve", &json!({})).await, said(200, ""));
    assert_eq!(act(&panel, "owner", id, "mark-as-paid", &paid("U")).await, said(200, ""));
    panel.assert_healthy().await;
}

async fn the_setting_rules_four_eyes(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.settled(json!({ "withdrawals_four_eyes": "on" })).await;
    let id = asked(&panel, 2, UNIT).await;
    assert_eq!(act(&panel, "owner", id, "approve", &json!({})).await, said(200, ""));
    assert_eq!(act(&panel, "owner", id, "mark-as-paid", &paid("T")).await, said(403, "four_eyes"));
    assert_eq!(money(&panel, 2).await, (DEPOSIT - UNIT, UNIT, 0, 0), "still held");
    panel.settled(json!({ "withdrawals_four_eyes": "off" })).await;
    panel.staff("payer", &[Permission::MarkAsPaidWithdrawalRequests]).await;
    assert_eq!(one(&panel, id).await["actions"]["paid"], true);
    assert_eq!(act(&panel, "owner", id, "mark-as-paid", &paid("T")).await, said(200, ""));
    panel.assert_healthy().await;
}
