//! Manual payments by staff, and the constraints of the database that protect the ledger and the audit trail.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::shop::{CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS};

test_both_databases! {
    staff_post_manual_payments;
    rejects_invalid_manual_payments;
    the_database_rejects_changes_of_the_ledger_and_the_audit_trail;
    payment_choices_have_labels;
}

const PAYMENTS_PATH: &str = "/api/v1/admin/payments";

/// `direction` is `income` or `outcome`; `balance` is `main`, `task` (earnings of tasks) or `referral`.
fn payment_body(direction: &str, amount: &str, balance: &str) -> Value {
    json!({ "user_id": 2, "transaction_type": direction, "amount": amount, "balance_type": balance, "comment": " thanks " })
}

impl Panel {
    async fn post_payment(&self, body: &Value, key: &str) -> TestResponse {
        self.send("owner", "POST", PAYMENTS_PATH, body, Some(key)).await
    }
}

async fn staff_post_manual_payments(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let response = panel.post_payment(&payment_body("income", "12.345678", "main"), "a").await;
    assert_eq!(response.status, 200, "{}", response.text);
    let payment_row = &response.json()["data"];
    assert_eq!(
        (&payment_row["amount"], &payment_row["balance_after"]),
        (&json!("12.345678"), &json!("100012.345678"))
    );
    assert_eq!(
        (&payment_row["type"], &payment_row["transaction_type"], &payment_row["comment"]),
        (&json!("manual"), &json!("income"), &json!("thanks"))
    );
    assert_eq!((&payment_row["user"]["id"], &payment_row["admin_id"]), (&json!(2), &json!(1_000_001)));
    let replayed_response = panel.post_payment(&payment_body("income", "12.345678", "main"), "a").await;
    assert_eq!(
        (replayed_response.text == response.text, &replayed_response.headers["idempotent-replayed"]),
        (true, &"true".parse().unwrap())
    );
    assert_eq!(panel.fetch_balances(2).await, (CUSTOMER_DEPOSIT + 12_345_678, CUSTOMER_EARNINGS, 0));
    let payment_of_whole_balance = payment_body("outcome", "1000", "task");
    assert_eq!(panel.post_payment(&payment_of_whole_balance, "b").await.json()["data"]["balance_after"], "0");
    let overdraft_response = panel.post_payment(&payment_body("outcome", "0.000001", "task"), "c").await;
    assert_eq!(
        (overdraft_response.status.as_u16(), &overdraft_response.json()["code"]),
        (422, &json!("not_enough_balance"))
    );
    let dry_run =
        panel.post(&format!("{PAYMENTS_PATH}?dry_run=1"), &payment_body("income", "1", "main")).await;
    assert_eq!(dry_run.status, 200);
    assert_eq!(panel.fetch_balances(2).await, (CUSTOMER_DEPOSIT + 12_345_678, 0, 0));
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'payment.created' AND auditable_id = 2");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 2);
    panel.assert_healthy().await;
}

async fn rejects_invalid_manual_payments(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let response_without_key = panel.post(PAYMENTS_PATH, &payment_body("income", "1", "main")).await;
    assert_eq!(
        (response_without_key.status.as_u16(), &response_without_key.json()["code"]),
        (400, &json!("idempotency_key_required"))
    );
    let mut long_comment = payment_body("income", "1", "main");
    long_comment["comment"] = json!("x".repeat(1_001));
    let mut unknown_user = payment_body("income", "1", "main");
    unknown_user["user_id"] = json!(404);
    for (body, field) in [
        (payment_body("income", "0", "main"), "amount"),
        (payment_body("income", "-5", "main"), "amount"),
        (payment_body("income", "0.0000001", "main"), "amount"),
        (payment_body("income", "1e3", "main"), "amount"),
        (payment_body("income", "NaN", "main"), "amount"),
        (payment_body("income", "99999999999999999999", "main"), "amount"),
        // The largest amount: valid by itself, but the sum with the balance overflows.
        (payment_body("income", "9223372036854.775807", "main"), "amount"),
        (payment_body("sideways", "1", "main"), "transaction_type"),
        (payment_body("income", "1", "hold_main"), "balance_type"),
        (long_comment, "comment"),
        (unknown_user, "user_id"),
    ] {
        let response = panel.post_payment(&body, "k").await;
        assert_eq!(response.status, 422, "{body}: {}", response.text);
        assert!(response.json()["errors"][field].is_array(), "{body}: {}", response.text);
    }
    panel.create_staff("viewer", &[Permission::ViewFinances]).await;
    let forbidden_response =
        panel.send("viewer", "POST", PAYMENTS_PATH, &payment_body("income", "1", "main"), Some("k")).await;
    assert_eq!(forbidden_response.status, 403);
    assert_eq!(panel.fetch_balances(2).await, (CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS, 0));
    panel.assert_healthy().await;
}

async fn the_database_rejects_changes_of_the_ledger_and_the_audit_trail(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 5).await;
    for statement in [
        "UPDATE ledger_entries SET amount = amount + 1 WHERE id = 1",
        "DELETE FROM ledger_entries WHERE id = 1",
        "UPDATE ledger_txns SET kind = 'gift' WHERE id = 1",
        "DELETE FROM ledger_txns WHERE id = 1",
        "INSERT INTO ledger_txns (kind, ref_type, ref_id, seq, created_at) VALUES ('order_charge', 'order', 1, 0, 1)",
        "UPDATE users SET balance_main = -1 WHERE id = 1",
        "UPDATE orders SET refunded = cost + 1 WHERE id = 1",
    ] {
        let mut tx = panel.app.db.begin().await.unwrap();
        assert!(tx.execute(Sql::new(statement)).await.is_err(), "{statement}");
        tx.rollback().await.unwrap();
    }
    panel.post("/api/v1/admin/orders/1/pause", &json!({})).await;
    for statement in ["UPDATE audits SET event = 'x'", "DELETE FROM audits"] {
        let mut tx = panel.app.db.begin().await.unwrap();
        assert!(tx.execute(Sql::new(statement)).await.is_err(), "{statement}");
        tx.rollback().await.unwrap();
    }
    panel.assert_healthy().await;
}

async fn payment_choices_have_labels(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let data = panel.get(&format!("{PAYMENTS_PATH}/collections")).await.json()["data"].clone();
    for (list, expected_choice) in
        [("types", "manual"), ("transaction_types", "outcome"), ("balance_types", "referral")]
    {
        let has_choice = data[list]
            .as_array()
            .unwrap()
            .iter()
            .any(|choice| choice["type"] == expected_choice && choice["label"].is_string());
        assert!(has_choice, "{list}: {data}");
    }
}
