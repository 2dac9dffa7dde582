//! Tests invoices: a payment credits the customer once, and the bonus of the payment method is a separate ledger entry.

use std::fmt::Display;
use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_contract::ids::{InvoiceId, PaymentMethodId, UserId};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::operations::invoices::bill::{NewInvoice, issue_invoice};
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::shop::CUSTOMER_DEPOSIT;
use crate::withdrawals::add_payment_methods;

const INVOICES: &str = "/api/v1/admin/invoices";
/// One currency unit, in millionths.
const UNIT: i64 = 1_000_000;

test_both_databases! {
    a_payment_credits_once_with_its_bonus;
    the_received_amount_is_credited_and_not_the_invoiced_amount;
    invalid_amounts_are_rejected;
    parallel_payments_credit_once;
    only_pending_invoices_are_paid;
    payment_methods_are_shown_with_permission_only;
    customers_are_notified_by_their_preferences;
    a_dry_run_credits_nothing_and_a_repeated_key_credits_once;
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

async fn start_shop(dialect: Dialect) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    add_payment_methods(&panel).await;
    let insert_bonuses_sql = "INSERT INTO payment_method_bonuses (payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, updated_at) VALUES
      (1, 100000000, 50000, TRUE, 1, 1), (1, 200000000, 100000, TRUE, 1, 1), (1, 0, 900000, FALSE, 1, 1), (2, 0, 990000, TRUE, 1, 1)";
    panel.execute(Sql::new(insert_bonuses_sql)).await;
    panel
}

/// Marks the invoice as paid. Returns the HTTP status and the error code.
async fn mark_as_paid(panel: &Panel, token: &str, id: impl Display, amount: &str) -> (u16, String) {
    panel
        .send(
            token,
            "POST",
            &format!("{INVOICES}/{id}/mark-as-paid"),
            &json!({ "amount": amount, "comment": "By the bank" }),
            None,
        )
        .await
        .status_and_code()
}

fn status_and_code(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

async fn fetch_invoice(panel: &Panel, id: InvoiceId) -> Value {
    let query = format!("{INVOICES}?columns[0][data]=id&columns[0][search][value]={id}");
    panel.get(&query).await.json()["data"][0].clone()
}

async fn a_payment_credits_once_with_its_bonus(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = create_invoice(&panel, 2, 150 * UNIT).await;
    let invoice = fetch_invoice(&panel, id).await;
    assert_eq!(invoice["actions"], json!({ "can_be_marked_as_paid": true }));
    assert_eq!((&invoice["status"], &invoice["paid_amount"]), (&json!("pending"), &Value::Null));
    assert_eq!(mark_as_paid(&panel, "owner", id, "150").await, status_and_code(200, ""));
    assert_eq!(panel.fetch_main_balance(2).await, CUSTOMER_DEPOSIT + 150 * UNIT + 7_500_000);
    let invoice = fetch_invoice(&panel, id).await;
    assert_eq!(
        (&invoice["status"], &invoice["paid_amount"], &invoice["bonus_amount"]),
        (&json!("paid"), &json!("150"), &json!("7.5"))
    );
    assert_eq!(invoice["actions"], json!({ "can_be_marked_as_paid": false }));
    assert!(invoice["paid_at"].is_string());
    // The customer's balance has two entries, each with its own type.
    let entries_sql = "SELECT e.type, e.amount FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id WHERE t.ref_type = 'invoice' AND e.user_id = 2 ORDER BY e.id";
    let entries: Vec<(String, i64)> = (&mut &panel.app.db).fetch_all(Sql::new(entries_sql)).await.unwrap();
    assert_eq!(entries, [("deposit".to_owned(), 150 * UNIT), ("bonus".to_owned(), 7_500_000)]);
    let sum_counter_accounts_sql = "SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE account IN ('gateway_clearing', 'bonus') AND payment_method_id = 1";
    assert_eq!(panel.fetch_number(Sql::new(sum_counter_accounts_sql)).await, -157_500_000);
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'invoice.paid' AND auditable_id = ?";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql).bind(id)).await, 1);
    assert_eq!(mark_as_paid(&panel, "owner", id, "150").await, status_and_code(409, "invoice_not_payable"));
    assert_eq!(mark_as_paid(&panel, "owner", 999, "1").await, status_and_code(404, "not_found"));
    panel.assert_healthy().await;
}

async fn the_received_amount_is_credited_and_not_the_invoiced_amount(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    for (amount, expected_credit) in [
        ("99.999999", 99_999_999),
        ("200", 220 * UNIT),
        ("0.000001", 1),
        ("123.456789", 123_456_789 + 6_170_000),
    ] {
        let balance_before = panel.fetch_main_balance(3).await;
        let id = create_invoice(&panel, 3, 50 * UNIT).await;
        assert_eq!(mark_as_paid(&panel, "owner", id, amount).await, status_and_code(200, ""));
        assert_eq!(panel.fetch_main_balance(3).await, balance_before + expected_credit, "{amount}");
    }
    // Payments without a bonus have no bonus transaction.
    let count_bonus_transactions_sql = "SELECT count(*) FROM ledger_txns WHERE kind = 'invoice_bonus'";
    assert_eq!(panel.fetch_number(Sql::new(count_bonus_transactions_sql)).await, 2);
    panel.assert_healthy().await;
}

async fn invalid_amounts_are_rejected(dialect: Dialect) {
    let panel = start_shop(dialect).await;
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
        let response = panel
            .post(
                &format!("{INVOICES}/{id}/mark-as-paid"),
                &json!({ "amount": amount, "comment": "By the bank" }),
            )
            .await;
        assert_eq!(response.status, 422, "{amount}: {}", response.text);
        assert!(response.json()["errors"]["amount"].is_array(), "{amount}: {}", response.text);
    }
    for (body, field) in [(json!({}), "amount"), (json!({ "amount": "1", "currency": "EUR" }), "currency")] {
        let response = panel.post(&format!("{INVOICES}/{id}/mark-as-paid"), &body).await;
        assert!(response.status == 422 && response.json()["errors"][field].is_array(), "{}", response.text);
    }
    assert_eq!(panel.fetch_main_balance(2).await, CUSTOMER_DEPOSIT);
    assert_eq!(fetch_invoice(&panel, id).await["status"], "pending");
    panel.assert_healthy().await;
}

async fn parallel_payments_credit_once(dialect: Dialect) {
    let panel = Arc::new(start_shop(dialect).await);
    for _ in 0..20 {
        let id = create_invoice(&panel, 4, 100 * UNIT).await;
        let payment_tasks = ["100", "100", "200"].map(|amount| {
            let panel = Arc::clone(&panel);
            tokio::spawn(async move { mark_as_paid(&panel, "owner", id, amount).await.0 })
        });
        let mut statuses: Vec<u16> =
            join_all(payment_tasks).await.into_iter().map(|response| response.unwrap()).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409, 409]);
    }
    let sum_credited_sql = "SELECT CAST(sum(paid_amount + bonus_amount) AS BIGINT) FROM invoices";
    assert_eq!(
        panel.fetch_main_balance(4).await,
        CUSTOMER_DEPOSIT + panel.fetch_number(Sql::new(sum_credited_sql)).await
    );
    panel.assert_healthy().await;
}

async fn only_pending_invoices_are_paid(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = create_invoice(&panel, 2, UNIT).await;
    panel.execute(Sql::new("UPDATE invoices SET status = 'canceled'")).await;
    assert_eq!(fetch_invoice(&panel, id).await["actions"]["can_be_marked_as_paid"], false);
    assert_eq!(mark_as_paid(&panel, "owner", id, "1").await, status_and_code(409, "invoice_not_payable"));
    // A payment is credited even if the customer was deactivated.
    let second_invoice = create_invoice(&panel, 3, UNIT).await;
    assert_eq!(panel.post("/api/v1/admin/users/3/deactivate", &json!({})).await.status, 200);
    assert_eq!(mark_as_paid(&panel, "owner", second_invoice, "1").await, status_and_code(200, ""));
    assert_eq!(panel.fetch_main_balance(3).await, CUSTOMER_DEPOSIT + UNIT);
    panel.assert_healthy().await;
}

async fn payment_methods_are_shown_with_permission_only(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.create_staff("clerk", &[Permission::ViewInvoices]).await;
    let id = create_invoice(&panel, 2, UNIT).await;
    let row = panel.get_as("clerk", INVOICES, "application/json").await.json()["data"][0].clone();
    assert_eq!(
        (&row["payment_method"], &row["actions"]["can_be_marked_as_paid"]),
        (&Value::Null, &json!(false))
    );
    assert_eq!(fetch_invoice(&panel, id).await["payment_method"]["name"], "Bank");
    assert_eq!(mark_as_paid(&panel, "clerk", id, "1").await.0, 403);
    // The ledger lists also show the payment method only to staff with the permission.
    panel.create_staff("cashier", &[Permission::ViewFinances]).await;
    assert_eq!(mark_as_paid(&panel, "owner", id, "1").await.0, 200);
    for list in ["payments", "transactions"] {
        let path = format!("/api/v1/admin/{list}?length=1");
        let row = panel.get_as("cashier", &path, "application/json").await.json()["data"][0].clone();
        assert_eq!((&row["type"], &row["payment_method"]), (&json!("deposit"), &Value::Null));
        assert_eq!(panel.get(&path).await.json()["data"][0]["payment_method"]["name"], "Bank");
    }
}

async fn customers_are_notified_by_their_preferences(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.execute(Sql::new("UPDATE users SET notify_payments = FALSE WHERE id = 3")).await;
    for user in [2, 3] {
        let id = create_invoice(&panel, user, UNIT).await;
        mark_as_paid(&panel, "owner", id, "100").await;
        mark_as_paid(&panel, "owner", id, "100").await;
    }
    let email_payloads: Vec<(String,)> =
        (&mut &panel.app.db).fetch_all(Sql::new("SELECT payload FROM jobs")).await.unwrap();
    assert_eq!(email_payloads.len(), 1, "{email_payloads:?}");
    assert!(
        email_payloads[0].0.contains("We added 100 and a bonus of 5 to your balance"),
        "{}",
        email_payloads[0].0
    );
}

async fn a_dry_run_credits_nothing_and_a_repeated_key_credits_once(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let id = create_invoice(&panel, 2, UNIT).await;
    let dry_run = panel
        .post(
            &format!("{INVOICES}/{id}/mark-as-paid?dry_run=1"),
            &json!({ "amount": "100", "comment": "A gift" }),
        )
        .await;
    assert_eq!((dry_run.status.as_u16(), &dry_run.json()["data"]["bonus_amount"]), (200, &json!("5")));
    assert_eq!(panel.fetch_main_balance(2).await, CUSTOMER_DEPOSIT);
    let mark_with_key = async |amount: &str| {
        let body = json!({ "amount": amount, "comment": "A gift" });
        panel.send("owner", "POST", &format!("{INVOICES}/{id}/mark-as-paid"), &body, Some("key-1")).await
    };
    let (first_response, second_response, other_response) =
        (mark_with_key("100").await, mark_with_key("100").await, mark_with_key("200").await);
    assert_eq!((first_response.status.as_u16(), second_response.status.as_u16()), (200, 200));
    assert_eq!(
        (
            first_response.text == second_response.text,
            second_response.headers.contains_key("idempotent-replayed")
        ),
        (true, true)
    );
    assert_eq!(other_response.status_and_code(), status_and_code(422, "idempotency_key_reused"));
    assert_eq!(panel.fetch_main_balance(2).await, CUSTOMER_DEPOSIT + 105 * UNIT);
    panel.assert_healthy().await;
}
