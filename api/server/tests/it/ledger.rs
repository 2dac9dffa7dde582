//! Manual payments by staff, and the constraints of the database that protect the ledger and the audit trail.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::shop::{DEPOSIT, EARNED};

both! {
    staff_post_manual_payments;
    refuses_invalid_manual_payments;
    the_database_refuses_changes_of_the_ledger_and_the_audit_trail;
    payment_collections_have_labels;
}

const URL: &str = "/api/v1/admin/payments";

fn payment(direction: &str, amount: &str, balance: &str) -> Value {
    json!({ "user_id": 2, "transaction_type": direction, "amount": amount, "balance_type": balance, "comment": " thanks " })
}

impl Panel {
    async fn post_payment(&self, body: &Value, key: &str) -> Answer {
        self.send("owner", "POST", URL, body, Some(key)).await
    }
}

async fn staff_post_manual_payments(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let answer = panel.post_payment(&payment("income", "12.345678", "main"), "a").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let row = &answer.json()["data"];
    assert_eq!((&row["amount"], &row["balance_after"]), (&json!("12.345678"), &json!("100012.345678")));
    assert_eq!(
        (&row["type"], &row["transaction_type"], &row["comment"]),
        (&json!("manual"), &json!("income"), &json!("thanks"))
    );
    assert_eq!((&row["user"]["id"], &row["admin_id"]), (&json!(2), &json!(1_000_001)));
    let replay = panel.post_payment(&payment("income", "12.345678", "main"), "a").await;
    assert_eq!(
        (replay.text == answer.text, &replay.headers["idempotent-replayed"]),
        (true, &"true".parse().unwrap())
    );
    assert_eq!(panel.balances(2).await, (DEPOSIT + 12_345_678, EARNED, 0));
    let whole_balance = payment("outcome", "1000", "task");
    assert_eq!(panel.post_payment(&whole_balance, "b").await.json()["data"]["balance_after"], "0");
    let overdraft = panel.post_payment(&payment("outcome", "0.000001", "task"), "c").await;
    assert_eq!((overdraft.status.as_u16(), &overdraft.json()["code"]), (422, &json!("not_enough_balance")));
    let dry_run = panel.post(&format!("{URL}?dry_run=1"), &payment("income", "1", "main")).await;
    assert_eq!(dry_run.status, 200);
    assert_eq!(panel.balances(2).await, (DEPOSIT + 12_345_678, 0, 0));
    let audits = Sql::new("SELECT count(*) FROM audits WHERE event = 'payment.created' AND auditable_id = 2");
    assert_eq!(panel.number(audits).await, 2);
    panel.assert_healthy().await;
}

async fn refuses_invalid_manual_payments(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let without_key = panel.post(URL, &payment("income", "1", "main")).await;
    assert_eq!(
        (without_key.status.as_u16(), &without_key.json()["code"]),
        (400, &json!("idempotency_key_required"))
    );
    let mut long = payment("income", "1", "main");
    long["comment"] = json!("x".repeat(1_001));
    let mut unknown_user = payment("income", "1", "main");
    unknown_user["user_id"] = json!(404);
    for (body, field) in [
        (payment("income", "0", "main"), "amount"),
        (payment("income", "-5", "main"), "amount"),
        (payment("income", "0.0000001", "main"), "amount"),
        (payment("income", "1e3", "main"), "amount"),
        (payment("income", "NaN", "main"), "amount"),
        (payment("income", "99999999999999999999", "main"), "amount"),
        // The largest amount: valid by itself, but the sum with the balance overflows.
        (payment("income", "9223372036854.775807", "main"), "amount"),
        (payment("sideways", "1", "main"), "transaction_type"),
        (payment("income", "1", "hold_main"), "balance_type"),
        (long, "comment"),
        (unknown_user, "user_id"),
    ] {
        let answer = panel.post_payment(&body, "k").await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        assert!(answer.json()["errors"][field].is_array(), "{body}: {}", answer.text);
    }
    panel.create_staff("viewer", &[Permission::ViewFinances]).await;
    let forbidden = panel.send("viewer", "POST", URL, &payment("income", "1", "main"), Some("k")).await;
    assert_eq!(forbidden.status, 403);
    assert_eq!(panel.balances(2).await, (DEPOSIT, EARNED, 0));
    panel.assert_healthy().await;
}

async fn the_database_refuses_changes_of_the_ledger_and_the_audit_trail(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 5).await;
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

async fn payment_collections_have_labels(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let data = panel.get(&format!("{URL}/collections")).await.json()["data"].clone();
    for (list, choice_type) in
        [("types", "manual"), ("transaction_types", "outcome"), ("balance_types", "referral")]
    {
        let has_choice = data[list]
            .as_array()
            .unwrap()
            .iter()
            .any(|choice| choice["type"] == choice_type && choice["label"].is_string());
        assert!(has_choice, "{list}: {data}");
    }
}
