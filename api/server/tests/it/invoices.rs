//! Invoices: a payment credits its customer once, and the bonus of the payment method is a separate entry.

use std::fmt::Display;
use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_contract::ids::{InvoiceId, PaymentMethodId, UserId};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::operations::invoices::bill::{NewInvoice, issue_invoice};
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::shop::DEPOSIT;
use crate::withdrawals::add_payment_methods;

const URL: &str = "/api/v1/admin/invoices";
const UNIT: i64 = 1_000_000;

both! {
    a_payment_credits_once_with_its_bonus;
    the_received_amount_is_credited_not_the_invoiced_one;
    wrong_amounts_are_named;
    parallel_payments_credit_once;
    only_pending_invoices_are_paid;
    payment_methods_are_shown_with_permission_only;
    customers_are_notified_by_their_preferences;
    a_dry_run_and_a_repeated_key;
}

pub(crate) async fn create_invoice(panel: &Panel, user: i64, amount: i64) -> InvoiceId {
    let new_invoice = NewInvoice {
        user_id: UserId::new(user),
        amount: Money(amount),
        payment_method_id: PaymentMethodId::new(1),
        short_name: format!("INV-{user}"),
        coupon: None,
    };
    let mut work = panel.begin_work().await;
    let id = issue_invoice(&mut work, &new_invoice).await.unwrap();
    work.finish(id).await.unwrap()
}

async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 5, 0).await;
    add_payment_methods(&panel).await;
    let bonuses = "INSERT INTO payment_method_bonuses (payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, updated_at) VALUES
      (1, 100000000, 50000, TRUE, 1, 1), (1, 200000000, 100000, TRUE, 1, 1), (1, 0, 900000, FALSE, 1, 1), (2, 0, 990000, TRUE, 1, 1)";
    panel.execute(Sql::new(bonuses)).await;
    panel
}

async fn pay(panel: &Panel, token: &str, id: impl Display, amount: &str) -> (u16, String) {
    panel
        .send(
            token,
            "POST",
            &format!("{URL}/{id}/mark-as-paid"),
            &json!({ "amount": amount, "comment": "By the bank" }),
            None,
        )
        .await
        .status_and_code()
}

fn answer_of(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

async fn invoice_row(panel: &Panel, id: InvoiceId) -> Value {
    let query = format!("{URL}?columns[0][data]=id&columns[0][search][value]={id}");
    panel.get(&query).await.json()["data"][0].clone()
}

async fn a_payment_credits_once_with_its_bonus(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = create_invoice(&panel, 2, 150 * UNIT).await;
    let row = invoice_row(&panel, id).await;
    assert_eq!(row["actions"], json!({ "can_be_marked_as_paid": true }));
    assert_eq!((&row["status"], &row["paid_amount"]), (&json!("pending"), &Value::Null));
    assert_eq!(pay(&panel, "owner", id, "150").await, answer_of(200, ""));
    assert_eq!(panel.main_balance(2).await, DEPOSIT + 150 * UNIT + 7_500_000);
    let row = invoice_row(&panel, id).await;
    assert_eq!(
        (&row["status"], &row["paid_amount"], &row["bonus_amount"]),
        (&json!("paid"), &json!("150"), &json!("7.5"))
    );
    assert_eq!(row["actions"], json!({ "can_be_marked_as_paid": false }));
    assert!(row["paid_at"].is_string());
    // Two entries on the customer's balance, each with its own type.
    let sql = "SELECT e.type, e.amount FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id WHERE t.ref_type = 'invoice' AND e.user_id = 2 ORDER BY e.id";
    let entries: Vec<(String, i64)> = (&mut &panel.app.db).fetch_all(Sql::new(sql)).await.unwrap();
    assert_eq!(entries, [("deposit".to_owned(), 150 * UNIT), ("bonus".to_owned(), 7_500_000)]);
    let counter_accounts = "SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE account IN ('gateway_clearing', 'bonus') AND payment_method_id = 1";
    assert_eq!(panel.number(Sql::new(counter_accounts)).await, -157_500_000);
    let audits = "SELECT count(*) FROM audits WHERE event = 'invoice.paid' AND auditable_id = ?";
    assert_eq!(panel.number(Sql::new(audits).bind(id)).await, 1);
    assert_eq!(pay(&panel, "owner", id, "150").await, answer_of(409, "invoice_not_payable"));
    assert_eq!(pay(&panel, "owner", 999, "1").await, answer_of(404, "not_found"));
    panel.assert_healthy().await;
}

async fn the_received_amount_is_credited_not_the_invoiced_one(dialect: Dialect) {
    let panel = shop(dialect).await;
    for (amount, credited) in [
        ("99.999999", 99_999_999),
        ("200", 220 * UNIT),
        ("0.000001", 1),
        ("123.456789", 123_456_789 + 6_170_000),
    ] {
        let before = panel.main_balance(3).await;
        let id = create_invoice(&panel, 3, 50 * UNIT).await;
        assert_eq!(pay(&panel, "owner", id, amount).await, answer_of(200, ""));
        assert_eq!(panel.main_balance(3).await, before + credited, "{amount}");
    }
    // Amounts without a bonus have no transaction for it.
    let bonus_transactions = "SELECT count(*) FROM ledger_txns WHERE kind = 'invoice_bonus'";
    assert_eq!(panel.number(Sql::new(bonus_transactions)).await, 2);
    panel.assert_healthy().await;
}

async fn wrong_amounts_are_named(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = create_invoice(&panel, 2, UNIT).await;
    for amount in [
        json!("0"),
        json!("-5"),
        json!("0.0000001"),
        json!("1e3"),
        json!("NaN"),
        json!(""),
        json!(null),
        json!(1.5),
        json!("99999999999999999999"),
        // These amounts are valid, but the balance after the credit, or after its bonus, would overflow.
        json!("9223372036854.775807"),
        json!("9000000000000"),
    ] {
        let answer = panel
            .post(&format!("{URL}/{id}/mark-as-paid"), &json!({ "amount": amount, "comment": "By the bank" }))
            .await;
        assert_eq!(answer.status, 422, "{amount}: {}", answer.text);
        assert!(answer.json()["errors"]["amount"].is_array(), "{amount}: {}", answer.text);
    }
    for (body, field) in [(json!({}), "amount"), (json!({ "amount": "1", "currency": "EUR" }), "currency")] {
        let answer = panel.post(&format!("{URL}/{id}/mark-as-paid"), &body).await;
        assert!(answer.status == 422 && answer.json()["errors"][field].is_array(), "{}", answer.text);
    }
    assert_eq!(panel.main_balance(2).await, DEPOSIT);
    assert_eq!(invoice_row(&panel, id).await["status"], "pending");
    panel.assert_healthy().await;
}

async fn parallel_payments_credit_once(dialect: Dialect) {
    let panel = Arc::new(shop(dialect).await);
    for _ in 0..20 {
        let id = create_invoice(&panel, 4, 100 * UNIT).await;
        let payments = ["100", "100", "200"].map(|amount| {
            let panel = Arc::clone(&panel);
            tokio::spawn(async move { pay(&panel, "owner", id, amount).await.0 })
        });
        let mut answers: Vec<u16> =
            join_all(payments).await.into_iter().map(|answer| answer.unwrap()).collect();
        answers.sort_unstable();
        assert_eq!(answers, [200, 409, 409]);
    }
    let credited = "SELECT CAST(sum(paid_amount + bonus_amount) AS BIGINT) FROM invoices";
    assert_eq!(panel.main_balance(4).await, DEPOSIT + panel.number(Sql::new(credited)).await);
    panel.assert_healthy().await;
}

async fn only_pending_invoices_are_paid(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = create_invoice(&panel, 2, UNIT).await;
    panel.execute(Sql::new("UPDATE invoices SET status = 'canceled'")).await;
    assert_eq!(invoice_row(&panel, id).await["actions"]["can_be_marked_as_paid"], false);
    assert_eq!(pay(&panel, "owner", id, "1").await, answer_of(409, "invoice_not_payable"));
    // A received payment is credited to its customer, also after a deactivation.
    let invoice_of_deactivated = create_invoice(&panel, 3, UNIT).await;
    assert_eq!(panel.post("/api/v1/admin/users/3/deactivate", &json!({})).await.status, 200);
    assert_eq!(pay(&panel, "owner", invoice_of_deactivated, "1").await, answer_of(200, ""));
    assert_eq!(panel.main_balance(3).await, DEPOSIT + UNIT);
    panel.assert_healthy().await;
}

async fn payment_methods_are_shown_with_permission_only(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.create_staff("clerk", &[Permission::ViewInvoices]).await;
    let id = create_invoice(&panel, 2, UNIT).await;
    let row = panel.get_as("clerk", URL, "application/json").await.json()["data"][0].clone();
    assert_eq!(
        (&row["payment_method"], &row["actions"]["can_be_marked_as_paid"]),
        (&Value::Null, &json!(false))
    );
    assert_eq!(invoice_row(&panel, id).await["payment_method"]["name"], "Bank");
    assert_eq!(pay(&panel, "clerk", id, "1").await.0, 403);
    // The ledger lists show the payment method to the same staff.
    panel.create_staff("cashier", &[Permission::ViewFinances]).await;
    assert_eq!(pay(&panel, "owner", id, "1").await.0, 200);
    for list in ["payments", "transactions"] {
        let path = format!("/api/v1/admin/{list}?length=1");
        let row = panel.get_as("cashier", &path, "application/json").await.json()["data"][0].clone();
        assert_eq!((&row["type"], &row["payment_method"]), (&json!("deposit"), &Value::Null));
        assert_eq!(panel.get(&path).await.json()["data"][0]["payment_method"]["name"], "Bank");
    }
}

async fn customers_are_notified_by_their_preferences(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.execute(Sql::new("UPDATE users SET notify_payments = FALSE WHERE id = 3")).await;
    for user in [2, 3] {
        let id = create_invoice(&panel, user, UNIT).await;
        pay(&panel, "owner", id, "100").await;
        pay(&panel, "owner", id, "100").await;
    }
    let emails: Vec<(String,)> =
        (&mut &panel.app.db).fetch_all(Sql::new("SELECT payload FROM jobs")).await.unwrap();
    assert_eq!(emails.len(), 1, "{emails:?}");
    assert!(emails[0].0.contains("We added 100 and a bonus of 5 to your balance"), "{}", emails[0].0);
}

async fn a_dry_run_and_a_repeated_key(dialect: Dialect) {
    let panel = shop(dialect).await;
    let id = create_invoice(&panel, 2, UNIT).await;
    let dry_run = panel
        .post(&format!("{URL}/{id}/mark-as-paid?dry_run=1"), &json!({ "amount": "100", "comment": "A gift" }))
        .await;
    assert_eq!((dry_run.status.as_u16(), &dry_run.json()["data"]["bonus_amount"]), (200, &json!("5")));
    assert_eq!(panel.main_balance(2).await, DEPOSIT);
    let send = async |amount: &str| {
        let body = json!({ "amount": amount, "comment": "A gift" });
        panel.send("owner", "POST", &format!("{URL}/{id}/mark-as-paid"), &body, Some("key-1")).await
    };
    let (first, second, other) = (send("100").await, send("100").await, send("200").await);
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (200, 200));
    assert_eq!((first.text == second.text, second.headers.contains_key("idempotent-replayed")), (true, true));
    assert_eq!(other.status_and_code(), answer_of(422, "idempotency_key_reused"));
    assert_eq!(panel.main_balance(2).await, DEPOSIT + 105 * UNIT);
    panel.assert_healthy().await;
}
