//! Money that staff add by hand: with a reason, and no more on a day than the setting allows, whatever path and however many
//! at once.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::InvoiceId;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::invoices::billed;
use crate::panel::{Answer, Panel};
use crate::shop::DEPOSIT;
use crate::withdrawals::methods;

both! {
    a_credit_says_why_and_a_debit_need_not;
    a_day_has_a_limit_for_each_staff_member;
    requests_at_the_same_moment_stay_within_the_limit;
    an_invoice_paid_above_what_was_invoiced_counts;
    a_refund_above_what_is_due_counts;
}

const PAYMENTS: &str = "/api/v1/admin/payments";
const UNIT: i64 = 1_000_000;
/// From the moment of every test, 16:00 UTC.
const TO_MIDNIGHT: i64 = 8 * 3_600;

async fn pay(panel: &Panel, who: &str, way: &str, amount: &str, key: &str) -> Answer {
    let body = json!({ "user_id": 2, "transaction_type": way, "amount": amount, "balance_type": "main", "comment": "For the delay" });
    panel.send(who, "POST", PAYMENTS, &body, Some(key)).await
}

async fn limited(dialect: Dialect, limit: Value) -> Panel {
    let panel = Panel::shop(dialect, 5, 0).await;
    methods(&panel).await;
    panel.settled(json!({ "manual_credit_daily_limit": limit })).await;
    panel
}

async fn a_credit_says_why_and_a_debit_need_not(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    for comment in [json!(null), json!(""), json!(" \n ")] {
        let body = json!({ "user_id": 2, "transaction_type": "income", "amount": "1", "balance_type": "main", "comment": comment });
        let answer = panel.send("owner", "POST", PAYMENTS, &body, Some("k")).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        assert!(answer.json()["errors"]["comment"].is_array(), "{}", answer.text);
    }
    assert_eq!(panel.balances(2).await.0, DEPOSIT);
    let debit = json!({ "user_id": 2, "transaction_type": "outcome", "amount": "1", "balance_type": "main" });
    assert_eq!(panel.send("owner", "POST", PAYMENTS, &debit, Some("d")).await.status, 200);
    panel.assert_healthy().await;
}

async fn a_day_has_a_limit_for_each_staff_member(dialect: Dialect) {
    let panel = limited(dialect, json!("100")).await;
    panel.staff("clerk", &[Permission::ManageFinances]).await;
    assert_eq!(pay(&panel, "clerk", "income", "79.5", "a").await.status, 200);
    // A debit gives nothing back, a dry run takes nothing, a repeated key counts once.
    assert_eq!(pay(&panel, "clerk", "outcome", "50", "b").await.status, 200);
    let dry = json!({ "user_id": 2, "transaction_type": "income", "amount": "20", "balance_type": "main", "comment": "x" });
    assert_eq!(panel.send("clerk", "POST", &format!("{PAYMENTS}?dry_run=1"), &dry, None).await.status, 200);
    assert_eq!(pay(&panel, "clerk", "income", "79.5", "a").await.status, 200);
    let refused = pay(&panel, "clerk", "income", "20.500001", "c").await;
    assert_eq!(refused.says(), (422, "manual_credit_limit".into()));
    let message = refused.json()["errors"]["amount"][0].to_string();
    assert!(message.contains("You may credit 20.5 more today of 100 a day"), "{message}");
    assert_eq!(pay(&panel, "clerk", "income", "20.5", "d").await.status, 200);
    assert_eq!(pay(&panel, "clerk", "income", "0.000001", "e").await.says().1, "manual_credit_limit");
    assert_eq!(pay(&panel, "owner", "income", "100", "f").await.status, 200, "each has their own");
    panel.clock.advance_secs(TO_MIDNIGHT);
    assert_eq!(pay(&panel, "clerk", "income", "100", "g").await.status, 200, "each day anew");
    for none in [json!("0"), json!(null)] {
        panel.settled(json!({ "manual_credit_daily_limit": none })).await;
        let key = format!("h{none}");
        assert_eq!(pay(&panel, "clerk", "income", "5000", &key).await.status, 200, "no cap");
    }
    panel.settled(json!({ "manual_credit_daily_limit": "10000" })).await;
    let counted = pay(&panel, "clerk", "income", "1", "i").await;
    assert!(
        counted.text.contains("You may credit 0 more today"),
        "counted without a cap, too: {}",
        counted.text
    );
    panel.assert_healthy().await;
}

async fn requests_at_the_same_moment_stay_within_the_limit(dialect: Dialect) {
    let panel = Arc::new(limited(dialect, json!("50")).await);
    let tries = (0..20_i64).map(|at| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            let body = json!({ "user_id": 1 + at % 5, "transaction_type": "income", "amount": "10", "balance_type": "main", "comment": "x" });
            panel.send("owner", "POST", PAYMENTS, &body, Some(&format!("k{at}"))).await.status.as_u16()
        })
    });
    let answers: Vec<u16> = join_all(tries).await.into_iter().map(|one| one.unwrap()).collect();
    assert_eq!(answers.iter().filter(|status| **status == 200).count(), 5, "{answers:?}");
    assert!(answers.iter().all(|status| matches!(status, 200 | 422)), "{answers:?}");
    let credited = "SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE type = 'manual' AND user_id IS NOT NULL";
    assert_eq!(panel.number(Sql::new(credited)).await, 50 * UNIT);
    assert_eq!(panel.number(Sql::new("SELECT amount FROM manual_credits")).await, 50 * UNIT);
    panel.assert_healthy().await;
}

async fn an_invoice_paid_above_what_was_invoiced_counts(dialect: Dialect) {
    let panel = limited(dialect, json!("30")).await;
    let mark = async |id: InvoiceId, body: Value| {
        panel.post(&format!("/api/v1/admin/invoices/{id}/mark-as-paid"), &body).await
    };
    let id = billed(&panel, 2, 100 * UNIT).await;
    assert_eq!(mark(id, json!({ "amount": "120" })).await.says(), (422, "comment_required".into()));
    let beyond = mark(id, json!({ "amount": "130.000001", "comment": "Paid twice" })).await;
    assert_eq!(beyond.says(), (422, "manual_credit_limit".into()));
    assert!(beyond.json()["errors"]["amount"].is_array());
    let paid = mark(id, json!({ "amount": "120", "comment": "Paid twice" })).await;
    assert_eq!(paid.status, 200, "{}", paid.text);
    assert_eq!(panel.balances(2).await.0, DEPOSIT + 120 * UNIT);
    let kept =
        "SELECT count(*) FROM ledger_txns WHERE kind = 'invoice_payment' AND comment LIKE '%: Paid twice'";
    assert_eq!(panel.number(Sql::new(kept)).await, 1);
    // What was invoiced is no credit by hand, nor is less.
    for amount in ["1000", "999"] {
        let id = billed(&panel, 3, 1_000 * UNIT).await;
        assert_eq!(mark(id, json!({ "amount": amount })).await.status, 200, "{amount}");
    }
    assert_eq!(pay(&panel, "owner", "income", "10.000001", "a").await.says().1, "manual_credit_limit");
    assert_eq!(pay(&panel, "owner", "income", "10", "b").await.status, 200, "both paths share the limit");
    panel.assert_healthy().await;
}

/// The amount of a cancel is free up to what was paid: what is above the undelivered share is given by hand.
async fn a_refund_above_what_is_due_counts(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 5).await;
    panel.settled(json!({ "manual_credit_daily_limit": "0.5" })).await;
    // Delivered but for a tenth; order 1 costs 2, order 2 costs 3.
    panel.exec(Sql::new("UPDATE orders SET current_quantity = quantity - quantity / 10")).await;
    let cancel = async |id: i64, amount: Value| {
        let mut body = json!({ "return_money": true, "send_email_notification": false });
        if !amount.is_null() {
            body["amount"] = amount;
        }
        panel.post(&format!("/api/v1/admin/orders/{id}/cancel"), &body).await
    };
    assert_eq!(cancel(1, json!("0.700001")).await.says(), (422, "manual_credit_limit".into()));
    let given = cancel(1, json!("0.6")).await;
    assert_eq!(given.status, 200, "0.2 is due, 0.4 is given: {}", given.text);
    assert_eq!(
        cancel(2, json!("0.5")).await.says(),
        (422, "manual_credit_limit".into()),
        "0.1 is left, 0.2 is above"
    );
    assert_eq!(cancel(2, json!(null)).await.status, 200, "what is due is no gift");
    assert_eq!(panel.number(Sql::new("SELECT amount FROM manual_credits")).await, 400_000);
    panel.assert_healthy().await;
}
