//! Manual credits by staff: each needs a reason, and together they stay within the daily limit of the setting, whichever endpoint
//! credits the money and however many requests run at once.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::InvoiceId;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::invoices::create_invoice;
use crate::panel::{Answer, Panel};
use crate::shop::DEPOSIT;
use crate::withdrawals::add_payment_methods;

both! {
    a_manual_credit_needs_a_comment_and_a_debit_does_not;
    each_staff_member_has_a_daily_credit_limit;
    concurrent_credits_stay_within_the_daily_limit;
    an_invoice_payment_above_its_amount_counts_as_manual_credit;
    a_refund_above_the_undelivered_part_counts_as_manual_credit;
}

const PAYMENTS: &str = "/api/v1/admin/payments";
const UNIT: i64 = 1_000_000;
/// Every test starts at 16:00 UTC.
const SECS_TO_MIDNIGHT: i64 = 8 * 3_600;

async fn post_payment(panel: &Panel, staff: &str, direction: &str, amount: &str, key: &str) -> Answer {
    let body = json!({ "user_id": 2, "transaction_type": direction, "amount": amount, "balance_type": "main", "comment": "For the delay" });
    panel.send(staff, "POST", PAYMENTS, &body, Some(key)).await
}

async fn panel_with_daily_limit(dialect: Dialect, limit: Value) -> Panel {
    let panel = Panel::shop(dialect, 5, 0).await;
    add_payment_methods(&panel).await;
    panel.save_settings(json!({ "manual_credit_daily_limit": limit })).await;
    panel
}

async fn a_manual_credit_needs_a_comment_and_a_debit_does_not(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    for comment in [json!(null), json!(""), json!(" \n ")] {
        let body = json!({ "user_id": 2, "transaction_type": "income", "amount": "1", "balance_type": "main", "comment": comment });
        let answer = panel.send("owner", "POST", PAYMENTS, &body, Some("k")).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        assert!(answer.json()["errors"]["comment"].is_array(), "{}", answer.text);
    }
    assert_eq!(panel.main_balance(2).await, DEPOSIT);
    let debit = json!({ "user_id": 2, "transaction_type": "outcome", "amount": "1", "balance_type": "main" });
    assert_eq!(panel.send("owner", "POST", PAYMENTS, &debit, Some("d")).await.status, 200);
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
        panel.send("clerk", "POST", &format!("{PAYMENTS}?dry_run=1"), &dry_run_body, None).await.status,
        200
    );
    assert_eq!(post_payment(&panel, "clerk", "income", "79.5", "a").await.status, 200);
    let refused = post_payment(&panel, "clerk", "income", "20.500001", "c").await;
    assert_eq!(refused.status_and_code(), (422, "manual_credit_limit".into()));
    let message = refused.json()["errors"]["amount"][0].to_string();
    assert!(message.contains("You may credit 20.5 more today of 100 a day"), "{message}");
    assert_eq!(post_payment(&panel, "clerk", "income", "20.5", "d").await.status, 200);
    assert_eq!(
        post_payment(&panel, "clerk", "income", "0.000001", "e").await.status_and_code().1,
        "manual_credit_limit"
    );
    assert_eq!(
        post_payment(&panel, "owner", "income", "100", "f").await.status,
        200,
        "each staff member has their own limit"
    );
    panel.clock.advance_secs(SECS_TO_MIDNIGHT);
    assert_eq!(
        post_payment(&panel, "clerk", "income", "100", "g").await.status,
        200,
        "the limit starts again each day"
    );
    for no_limit in [json!("0"), json!(null)] {
        panel.save_settings(json!({ "manual_credit_daily_limit": no_limit })).await;
        let key = format!("h{no_limit}");
        assert_eq!(
            post_payment(&panel, "clerk", "income", "5000", &key).await.status,
            200,
            "0 and null mean no limit"
        );
    }
    panel.save_settings(json!({ "manual_credit_daily_limit": "10000" })).await;
    let refused = post_payment(&panel, "clerk", "income", "1", "i").await;
    assert!(
        refused.text.contains("You may credit 0 more today"),
        "credits also count while there is no limit: {}",
        refused.text
    );
    panel.assert_healthy().await;
}

async fn concurrent_credits_stay_within_the_daily_limit(dialect: Dialect) {
    let panel = Arc::new(panel_with_daily_limit(dialect, json!("50")).await);
    let requests = (0..20_i64).map(|index| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            let body = json!({ "user_id": 1 + index % 5, "transaction_type": "income", "amount": "10", "balance_type": "main", "comment": "x" });
            panel.send("owner", "POST", PAYMENTS, &body, Some(&format!("k{index}"))).await.status.as_u16()
        })
    });
    let answers: Vec<u16> = join_all(requests).await.into_iter().map(|task| task.unwrap()).collect();
    assert_eq!(answers.iter().filter(|status| **status == 200).count(), 5, "{answers:?}");
    assert!(answers.iter().all(|status| matches!(status, 200 | 422)), "{answers:?}");
    let credited = "SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE type = 'manual' AND user_id IS NOT NULL";
    assert_eq!(panel.number(Sql::new(credited)).await, 50 * UNIT);
    assert_eq!(panel.number(Sql::new("SELECT amount FROM manual_credits")).await, 50 * UNIT);
    panel.assert_healthy().await;
}

async fn an_invoice_payment_above_its_amount_counts_as_manual_credit(dialect: Dialect) {
    let panel = panel_with_daily_limit(dialect, json!("30")).await;
    let mark_as_paid = async |id: InvoiceId, body: Value| {
        panel.post(&format!("/api/v1/admin/invoices/{id}/mark-as-paid"), &body).await
    };
    let id = create_invoice(&panel, 2, 100 * UNIT).await;
    assert_eq!(
        mark_as_paid(id, json!({ "amount": "120" })).await.status_and_code(),
        (422, "comment_required".into())
    );
    let over_limit = mark_as_paid(id, json!({ "amount": "130.000001", "comment": "Paid twice" })).await;
    assert_eq!(over_limit.status_and_code(), (422, "manual_credit_limit".into()));
    assert!(over_limit.json()["errors"]["amount"].is_array());
    let paid = mark_as_paid(id, json!({ "amount": "120", "comment": "Paid twice" })).await;
    assert_eq!(paid.status, 200, "{}", paid.text);
    assert_eq!(panel.main_balance(2).await, DEPOSIT + 120 * UNIT);
    let transactions_with_comment =
        "SELECT count(*) FROM ledger_txns WHERE kind = 'invoice_payment' AND comment LIKE '%: Paid twice'";
    assert_eq!(panel.number(Sql::new(transactions_with_comment)).await, 1);
    // A payment of the invoiced amount or less is no manual credit.
    for amount in ["1000", "999"] {
        let id = create_invoice(&panel, 3, 1_000 * UNIT).await;
        assert_eq!(mark_as_paid(id, json!({ "amount": amount })).await.status, 200, "{amount}");
    }
    assert_eq!(
        post_payment(&panel, "owner", "income", "10.000001", "a").await.status_and_code().1,
        "manual_credit_limit"
    );
    assert_eq!(
        post_payment(&panel, "owner", "income", "10", "b").await.status,
        200,
        "invoices and manual payments share the limit"
    );
    panel.assert_healthy().await;
}

/// Staff may refund any amount up to the charge. The part above the undelivered share counts as manual credit.
async fn a_refund_above_the_undelivered_part_counts_as_manual_credit(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 5).await;
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
    let refunded = cancel(1, json!("0.6")).await;
    assert_eq!(refunded.status, 200, "0.2 are undelivered, 0.4 are a manual credit: {}", refunded.text);
    assert_eq!(
        cancel(2, json!("0.5")).await.status_and_code(),
        (422, "manual_credit_limit".into()),
        "0.1 of the limit remains, the refund exceeds the undelivered part by 0.2"
    );
    assert_eq!(
        cancel(2, json!(null)).await.status,
        200,
        "a refund of the undelivered part is no manual credit"
    );
    assert_eq!(panel.number(Sql::new("SELECT amount FROM manual_credits")).await, 400_000);
    panel.assert_healthy().await;
}
