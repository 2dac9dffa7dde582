//! Money by hand, and what the database itself refuses.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::shop::{DEPOSIT, EARNED};

both! {
    payments_by_hand;
    wrong_payments_are_refused;
    the_ledger_is_written_once;
    collections_have_labels;
}

const URL: &str = "/api/v1/admin/payments";

fn payment(direction: &str, amount: &str, balance: &str) -> Value {
    json!({ "user_id": 2, "transaction_type": direction, "amount": amount, "balance_type": balance, "comment": " thanks " })
}

impl Panel {
    async fn pay(&self, body: &Value, key: &str) -> Answer {
        self.send("owner", "POST", URL, body, Some(key)).await
    }
}

async fn payments_by_hand(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let answer = panel.pay(&payment("income", "12.345678", "main"), "a").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let row = &answer.json()["data"];
    assert_eq!((&row["amount"], &row["balance_after"]), (&json!("12.345678"), &json!("100012.345678")));
    assert_eq!(
        (&row["type"], &row["transaction_type"], &row["comment"]),
        (&json!("manual"), &json!("income"), &json!("thanks"))
    );
    assert_eq!((&row["user"]["id"], &row["admin_id"]), (&json!(2), &json!(1_000_001)));
    let replay = panel.pay(&payment("income", "12.345678", "main"), "a").await;
    assert_eq!(
        (replay.text == answer.text, &replay.headers["idempotent-replayed"]),
        (true, &"true".parse().unwrap())
    );
    assert_eq!(panel.balances(2).await, (DEPOSIT + 12_345_678, EARNED, 0));
    let all = payment("outcome", "1000", "task");
    assert_eq!(panel.pay(&all, "b").await.json()["data"]["balance_after"], "0");
    let more = panel.pay(&payment("outcome", "0.000001", "task"), "c").await;
    assert_eq!((more.status.as_u16(), &more.json()["code"]), (422, &json!("not_enough_balance")));
    let dry = panel.post(&format!("{URL}?dry_run=1"), &payment("income", "1", "main")).await;
    assert_eq!(dry.status, 200);
    assert_eq!(panel.balances(2).await, (DEPOSIT + 12_345_678, 0, 0));
    let audits = Sql::new("SELECT count(*) FROM audits WHERE event = 'payment.created' AND auditable_id = 2");
    assert_eq!(panel.number(audits).await, 2);
    panel.assert_healthy().await;
}

async fn wrong_payments_are_refused(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let bare = panel.post(URL, &payment("income", "1", "main")).await;
    assert_eq!((bare.status.as_u16(), &bare.json()["code"]), (400, &json!("idempotency_key_required")));
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
        // Fits by itself and not on top of the balance.
        (payment("income", "9223372036854.775807", "main"), "amount"),
        (payment("sideways", "1", "main"), "transaction_type"),
        (payment("income", "1", "hold_main"), "balance_type"),
        (long, "comment"),
        (unknown_user, "user_id"),
    ] {
        let answer = panel.pay(&body, "k").await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        assert!(answer.json()["errors"][field].is_array(), "{body}: {}", answer.text);
    }
    panel.staff("viewer", &[Permission::ViewFinances]).await;
    let theirs = panel.send("viewer", "POST", URL, &payment("income", "1", "main"), Some("k")).await;
    assert_eq!(theirs.status, 403);
    assert_eq!(panel.balances(2).await, (DEPOSIT, EARNED, 0));
    panel.assert_healthy().await;
}

async fn the_ledger_is_written_once(dialect: Dialect) {
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
        assert!(tx.exec(Sql::new(statement)).await.is_err(), "{statement}");
        tx.rollback().await.unwrap();
    }
    panel.post("/api/v1/admin/orders/1/pause", &json!({})).await;
    for statement in ["UPDATE audits SET event = 'x'", "DELETE FROM audits"] {
        let mut tx = panel.app.db.begin().await.unwrap();
        assert!(tx.exec(Sql::new(statement)).await.is_err(), "{statement}");
        tx.rollback().await.unwrap();
    }
    panel.assert_healthy().await;
}

async fn collections_have_labels(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let data = panel.get(&format!("{URL}/collections")).await.json()["data"].clone();
    for (list, word) in [("types", "manual"), ("transaction_types", "outcome"), ("balance_types", "referral")]
    {
        let known = data[list]
            .as_array()
            .unwrap()
            .iter()
            .any(|choice| choice["type"] == word && choice["label"].is_string());
        assert!(known, "{list}: {data}");
    }
}
