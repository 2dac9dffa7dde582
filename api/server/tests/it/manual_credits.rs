//! Manual credits by staff: each needs a comment, and together they stay within the daily limit of the settings, whichever endpoint
//! credits the money and however many requests run at the same time.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::InvoiceId;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::invoices::create_invoice;
use crate::panel::{Panel, TestResponse};
use crate::shop::CUSTOMER_DEPOSIT;
use crate::withdrawals::add_payment_methods;

test_both_databases! {
    a_manual_credit_needs_a_comment_and_a_debit_does_not;
    each_staff_member_has_a_daily_credit_limit;
    concurrent_credits_stay_within_the_daily_limit;
    an_invoice_payment_above_its_amount_counts_as_manual_credit;
    a_refund_above_the_undelivered_part_counts_as_manual_credit;
}

const PAYMENTS_PATH: &str = "/api/v1/admin/payments";
const ONE: i64 = 1_000_000;
/// Seconds from 16:00 UTC, when every test starts, to the next day.
const SECS_TO_MIDNIGHT: i64 = 8 * 3_600;

async fn post_payment(panel: &Panel, staff: &str, direction: &str, amount: &str, key: &str) -> TestResponse {
    let body = json!({ "user_id": 2, "transaction_type": direction, "amount": amount, "balance_type": "main", "comment": "For the delay" });
    panel.send(staff, "POST", PAYMENTS_PATH, &body, Some(key)).await
}

async fn panel_with_daily_limit(dialect: Dialect, limit: Value) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    add_payment_methods(&panel).await;
    panel.save_settings(json!({ "manual_credit_daily_limit": limit })).await;
    panel
}

async fn a_manual_credit_needs_a_comment_and_a_debit_does_not(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    for comment in [json!(null), json!(""), json!(" \n ")] {
        let body = json!({ "user_id": 2, "transaction_type": "income", "amount": "1", "balance_type": "main", "comment": comment });
        let response = panel.send("owner", "POST", PAYMENTS_PATH, &body, Some("k")).await;
        assert_eq!(response.status, 422, "{}", response.text);
        assert!(response.json()["errors"]["comment"].is_array(), "{}", response.text);
    }
    assert_eq!(panel.fetch_main_balance(2).await, CUSTOMER_DEPOSIT);
    let debit_body =
        json!({ "user_id": 2, "transaction_type": "outcome", "amount": "1", "balance_type": "main" });
    assert_eq!(panel.send("owner", "POST", PAYMENTS_PATH, &debit_body, Some("d")).await.status, 200);
    panel.assert_healthy().await;
}

async fn each_staff_member_has_a_daily_credit_limit(dialect: Dialect) {
    let panel = panel_with_daily_limit(dialect, json!("100")).await;
    panel.create_staff("clerk", &[Permission::ManageFinances]).await;
    assert_eq!(post_payment(&panel, "clerk", "income", "79.5", "a").await.status, 200);
    // A debit does not raise the remaining limit, a dry run does not lower it, and a repeated idempotency key counts once.
    assert_eq!(post_payment(&panel, "clerk", "outcome", "50", "b").await.status, 200);
    let dry_run_body = json!({ "user_id": 2, "transaction_type": "income", "amount": "20", "balance_type": "main", "comment": "x" });
    assert_eq!(
        panel.send("clerk", "POST", &format!("{PAYMENTS_PATH}?dry_run=1"), &dry_run_body, None).await.status,
        200
    );
    assert_eq!(post_payment(&panel, "clerk", "income", "79.5", "a").await.status, 200);
    let rejection = post_payment(&panel, "clerk", "income", "20.500001", "c").await;
    assert_eq!(rejection.status_and_code(), (422, "manual_credit_limit".into()));
    let message = rejection.json()["errors"]["amount"][0].to_string();
    assert!(message.contains("You may credit 20.5 more today of 100 a day"), "{message}");
    assert_eq!(post_payment(&panel, "clerk", "income", "20.5", "d").await.status, 200);
    assert_eq!(
        post_payment(&panel, "clerk", "income", "0.000001", "e").await.status_and_code().1,
        "manual_credit_limit"
    );
    assert_eq!(
        post_payment(&panel, "owner", "income", "100", "f").await.status,
        200,
        "each staff member must have their own limit"
    );
    panel.clock.advance_secs(SECS_TO_MIDNIGHT);
    assert_eq!(
        post_payment(&panel, "clerk", "income", "100", "g").await.status,
        200,
        "a new day must start with the full limit"
    );
    for unlimited in [json!("0"), json!(null)] {
        panel.save_settings(json!({ "manual_credit_daily_limit": unlimited })).await;
        let key = format!("h{unlimited}");
        assert_eq!(
            post_payment(&panel, "clerk", "income", "5000", &key).await.status,
            200,
            "0 and null must mean that there is no limit"
        );
    }
    panel.save_settings(json!({ "manual_credit_daily_limit": "10000" })).await;
    let rejection = post_payment(&panel, "clerk", "income", "1", "i").await;
    assert!(
        rejection.text.contains("You may credit 0 more today"),
        "credits without a limit must count towards a later limit: {}",
        rejection.text
    );
    panel.assert_healthy().await;
}

async fn concurrent_credits_stay_within_the_daily_limit(dialect: Dialect) {
    let panel = Arc::new(panel_with_daily_limit(dialect, json!("50")).await);
    let requests = (0..20_i64).map(|index| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            let body = json!({ "user_id": 1 + index % 5, "transaction_type": "income", "amount": "10", "balance_type": "main", "comment": "x" });
            panel.send("owner", "POST", PAYMENTS_PATH, &body, Some(&format!("k{index}"))).await.status.as_u16()
        })
    });
    let statuses: Vec<u16> = join_all(requests).await.into_iter().map(|task| task.unwrap()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 5, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 200 | 422)), "{statuses:?}");
    let credited_amount_sql = "SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE type = 'manual' AND user_id IS NOT NULL";
    assert_eq!(panel.fetch_number(Sql::new(credited_amount_sql)).await, 50 * ONE);
    assert_eq!(panel.fetch_number(Sql::new("SELECT amount FROM manual_credits")).await, 50 * ONE);
    panel.assert_healthy().await;
}

async fn an_invoice_payment_above_its_amount_counts_as_manual_credit(dialect: Dialect) {
    let panel = panel_with_daily_limit(dialect, json!("30")).await;
    let mark_as_paid = async |id: InvoiceId, body: Value| {
        panel.post(&format!("/api/v1/admin/invoices/{id}/mark-as-paid"), &body).await
    };
    let id = create_invoice(&panel, 2, 100 * ONE).await;
    assert_eq!(
        mark_as_paid(id, json!({ "amount": "120" })).await.status_and_code(),
        (422, "comment_required".into())
    );
    let response_over_limit =
        mark_as_paid(id, json!({ "amount": "130.000001", "comment": "Paid twice" })).await;
    assert_eq!(response_over_limit.status_and_code(), (422, "manual_credit_limit".into()));
    assert!(response_over_limit.json()["errors"]["amount"].is_array());
    let paid_response = mark_as_paid(id, json!({ "amount": "120", "comment": "Paid twice" })).await;
    assert_eq!(paid_response.status, 200, "{}", paid_response.text);
    assert_eq!(panel.fetch_main_balance(2).await, CUSTOMER_DEPOSIT + 120 * ONE);
    let count_commented_transactions_sql =
        "SELECT count(*) FROM ledger_txns WHERE kind = 'invoice_payment' AND comment LIKE '%: Paid twice'";
    assert_eq!(panel.fetch_number(Sql::new(count_commented_transactions_sql)).await, 1);
    // A payment of at most the invoiced amount is not a manual credit.
    for amount in ["1000", "999"] {
        let id = create_invoice(&panel, 3, 1_000 * ONE).await;
        assert_eq!(mark_as_paid(id, json!({ "amount": amount })).await.status, 200, "{amount}");
    }
    assert_eq!(
        post_payment(&panel, "owner", "income", "10.000001", "a").await.status_and_code().1,
        "manual_credit_limit"
    );
    assert_eq!(
        post_payment(&panel, "owner", "income", "10", "b").await.status,
        200,
        "invoices and manual payments must share the limit"
    );
    panel.assert_healthy().await;
}

/// Staff may refund any amount up to the charge. The part above the undelivered share counts as manual credit.
async fn a_refund_above_the_undelivered_part_counts_as_manual_credit(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 5).await;
    panel.save_settings(json!({ "manual_credit_daily_limit": "0.5" })).await;
    // All orders are delivered except for a tenth. Order 1 costs 2, order 2 costs 3.
    panel.execute(Sql::new("UPDATE orders SET current_quantity = quantity - quantity / 10")).await;
    let cancel = async |id: i64, amount: Value| {
        let mut body = json!({ "return_money": true, "send_email_notification": false });
        if !amount.is_null() {
            body["amount"] = amount;
        }
        panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &body).await
    };
    assert_eq!(cancel(1, json!("0.700001")).await.status_and_code(), (422, "manual_credit_limit".into()));
    let refund_response = cancel(1, json!("0.6")).await;
    assert_eq!(
        refund_response.status, 200,
        "0.2 of the refund are undelivered and 0.4 are a manual credit: {}",
        refund_response.text
    );
    assert_eq!(
        cancel(2, json!("0.5")).await.status_and_code(),
        (422, "manual_credit_limit".into()),
        "only 0.1 of the limit remains, and the refund exceeds the undelivered part by 0.2"
    );
    assert_eq!(
        cancel(2, json!(null)).await.status,
        200,
        "a refund of the undelivered part is not a manual credit"
    );
    assert_eq!(panel.fetch_number(Sql::new("SELECT amount FROM manual_credits")).await, 400_000);
    panel.assert_healthy().await;
}
