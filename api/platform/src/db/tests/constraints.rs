//! Tests the constraints of the schema, and the errors of their violations.

use super::{insert_customer_and_service, insert_order, test_on_both_databases};
use crate::db::{Db, DbError, Sql, SqlExecutor as _};

test_on_both_databases!(
    distinguishes_constraint_violations,
    the_ledger_and_audits_are_append_only,
    a_refund_cannot_exceed_the_cost
);

async fn distinguishes_constraint_violations(mut db: &Db) {
    insert_customer_and_service(db).await;
    let insert_user = |id: i64, email: &str| {
        Sql::new("INSERT INTO users (id, name, email, created_at, updated_at) VALUES (?, 'x', ?, 0, 0)")
            .bind(id)
            .bind(email.to_owned())
    };
    assert!(matches!(db.execute(insert_user(1, "new@x")).await, Err(DbError::Unique(_))));
    assert!(matches!(db.execute(insert_user(2, "ann@shop.example")).await, Err(DbError::Unique(_))));
    let insert_for_missing_user =
        Sql::new("INSERT INTO user_permissions (user_id, permission) VALUES (99, 'view users')");
    assert!(matches!(db.execute(insert_for_missing_user).await, Err(DbError::ForeignKey(_))));
    for update in ["UPDATE users SET balance_main = -1", "UPDATE users SET status = 'cancelled'"] {
        assert!(matches!(db.execute(Sql::new(update)).await, Err(DbError::Check(_))), "{update}");
    }
    assert!(matches!(db.execute(Sql::new("UPDATE users SET email = NULL")).await, Err(DbError::Other(_))));
}

async fn a_refund_cannot_exceed_the_cost(mut db: &Db) {
    insert_customer_and_service(db).await;
    insert_order(db, 1, "https://a.example").await;
    for update in ["UPDATE orders SET refunded = 1001", "UPDATE orders SET refunded = -1"] {
        assert!(matches!(db.execute(Sql::new(update)).await, Err(DbError::Check(_))), "{update}");
    }
    assert_eq!(db.execute(Sql::new("UPDATE orders SET refunded = 1000")).await.unwrap(), 1);
}

async fn the_ledger_and_audits_are_append_only(mut db: &Db) {
    insert_customer_and_service(db).await;
    let sql = "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, seq, created_at) VALUES (?, 'refund', 'order', 7, 0, 0)";
    db.execute(Sql::new(sql).bind(1)).await.unwrap();
    assert!(
        matches!(db.execute(Sql::new(sql).bind(2)).await, Err(DbError::Unique(_))),
        "one ledger transaction per reference"
    );
    db.execute(Sql::new(
        "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, created_at)
         VALUES (1, 'main', 1, 5, 5, 'refund', 'income', 0)",
    ))
    .await
    .unwrap();
    db.execute(Sql::new(
        "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
         VALUES (0, 1, '', '', '', 'updated', 'order', 7, '{}', '{}')",
    ))
    .await
    .unwrap();
    for update in [
        "UPDATE ledger_txns SET comment = 'x'",
        "DELETE FROM ledger_entries",
        "UPDATE ledger_entries SET amount = 6",
        "DELETE FROM ledger_txns",
        "UPDATE audits SET event = 'x'",
        "DELETE FROM audits",
    ] {
        let message = db.execute(Sql::new(update)).await.unwrap_err().to_string();
        assert!(message.contains("append-only"), "{update}: {message}");
    }
}
