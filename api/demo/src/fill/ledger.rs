//! A year of ledger transactions: charges and refunds of orders, and the deposits that pay for them. Inserted in order of time, so
//! that the balance after every entry is correct.

use super::plan::{DemoPlan, HOUR_MICROS};
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};

/// The balances that paid each order. Some orders are paid from two balances. Canceled orders are paid from one, so that each
/// refund has a single entry for the customer.
const INSERT_ORDER_PAYMENTS: [&str; 2] = [
    "INSERT INTO order_balance_payments (order_id, balance_type, amount, refunded)
     SELECT id, 'main', cost - CASE WHEN id % 37 = 0 AND status <> 'canceled' THEN cost / 5 ELSE 0 END, refunded FROM orders WHERE is_paid AND cost > 0",
    "INSERT INTO order_balance_payments (order_id, balance_type, amount)
     SELECT id, 'task', cost / 5 FROM orders WHERE is_paid AND id % 37 = 0 AND status <> 'canceled' AND cost >= 5",
];

/// Transactions in order of time. A deposit covers the amount that its customer spends in a period of 30 days; `seq` is twice the
/// number of the period, plus one for rewards of quests. Binds: an hour, the order id above which the moderator made the
/// refunds, and the moderator's id.
const INSERT_TRANSACTIONS: &str = "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, seq, created_at, actor_id)
  SELECT row_number() OVER (ORDER BY at, turn, ref_id, seq), kind, ref_type, ref_id, seq, at, actor FROM (
    SELECT 0 AS turn, 'deposit' AS kind, 'user' AS ref_type, o.user_id AS ref_id,
        o.created_at / 2592000000000 * 2 + CASE p.balance_type WHEN 'task' THEN 1 ELSE 0 END AS seq, min(o.created_at) - ? AS at, CAST(NULL AS BIGINT) AS actor
      FROM orders o JOIN order_balance_payments p ON p.order_id = o.id GROUP BY 4, 5
    UNION ALL SELECT 1, 'order_charge', 'order', id, 0, created_at, NULL FROM orders WHERE is_paid AND cost > 0
    UNION ALL SELECT 2, 'order_refund', 'order', o.id, part.n, o.canceled_at + part.n, CASE WHEN o.id > ? THEN CAST(? AS BIGINT) END FROM orders o JOIN (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2) part
      ON part.n < o.refund_seq
    UNION ALL SELECT 3, 'commission', 'order', o.id, 0, o.completed_at, NULL FROM orders o JOIN users u ON u.id = o.user_id
      WHERE u.affiliate_id IS NOT NULL AND o.is_paid AND o.status = 'completed' AND o.refunded = 0 AND o.cost >= 20) AS moved";

/// The deposits. A deposit to the main balance is rounded up to five dollars, so that the customer keeps some balance.
const SELECT_DEPOSITS: &str = "SELECT t.id AS txn_id, t.ref_id AS user_id, t.seq % 2 AS is_task, t.created_at,
    CASE t.seq % 2 WHEN 1 THEN s.amount ELSE (s.amount + 4999999) / 5000000 * 5000000 + (t.ref_id % 3) * 5000000 END AS amount
  FROM ledger_txns t JOIN (SELECT o.user_id, o.created_at / 2592000000000 * 2 + CASE p.balance_type WHEN 'task' THEN 1 ELSE 0 END AS seq,
      CAST(sum(p.amount) AS BIGINT) AS amount FROM orders o JOIN order_balance_payments p ON p.order_id = o.id GROUP BY 1, 2) s
    ON s.user_id = t.ref_id AND s.seq = t.seq WHERE t.kind = 'deposit'";

/// Debit and credit of every transaction. Reads the subqueries `deposits` and `refunds`.
const SELECT_TRANSACTION_SIDES: &str = "SELECT txn_id, CASE is_task WHEN 1 THEN 'task' ELSE 'main' END AS account, user_id, amount, CASE is_task WHEN 1 THEN 'task' ELSE 'deposit' END AS kind,
      CAST(NULL AS BIGINT) AS order_id, CASE is_task WHEN 0 THEN 1 + user_id % 4 END AS method, created_at FROM deposits
    UNION ALL SELECT txn_id, CASE is_task WHEN 1 THEN 'bonus' ELSE 'gateway_clearing' END, NULL, -amount, CASE is_task WHEN 1 THEN 'task' ELSE 'deposit' END, NULL, NULL, created_at FROM deposits
    UNION ALL SELECT t.id, p.balance_type, o.user_id, -p.amount, 'order', o.id, NULL, t.created_at
      FROM ledger_txns t JOIN orders o ON o.id = t.ref_id JOIN order_balance_payments p ON p.order_id = o.id WHERE t.kind = 'order_charge'
    UNION ALL SELECT t.id, 'revenue', NULL, o.cost, 'order', o.id, NULL, t.created_at FROM ledger_txns t JOIN orders o ON o.id = t.ref_id WHERE t.kind = 'order_charge'
    UNION ALL SELECT t.id, 'referral', u.affiliate_id, o.cost / 20, 'referral', o.id, NULL, t.created_at
      FROM ledger_txns t JOIN orders o ON o.id = t.ref_id JOIN users u ON u.id = o.user_id WHERE t.kind = 'commission'
    UNION ALL SELECT t.id, 'referral_expense', NULL, -(o.cost / 20), 'referral', o.id, NULL, t.created_at
      FROM ledger_txns t JOIN orders o ON o.id = t.ref_id WHERE t.kind = 'commission'
    UNION ALL SELECT txn_id, 'main', user_id, amount, 'refund', order_id, NULL, created_at FROM refunds
    UNION ALL SELECT txn_id, 'revenue', NULL, -amount, 'refund', order_id, NULL, created_at FROM refunds";

/// Each refund. If an order has three refunds, the last one is the remainder.
const SELECT_REFUNDS: &str = "SELECT t.id AS txn_id, o.id AS order_id, o.user_id, t.created_at,
    CASE WHEN t.seq = o.refund_seq - 1 THEN o.refunded - o.refunded / o.refund_seq * t.seq ELSE o.refunded / o.refund_seq END AS amount
  FROM ledger_txns t JOIN orders o ON o.id = t.ref_id WHERE t.kind = 'order_refund'";

const SELECT_ENTRIES: &str = " SELECT txn_id, account, user_id, amount,
    CASE WHEN user_id IS NOT NULL THEN CAST(sum(amount) OVER (PARTITION BY user_id, account ORDER BY txn_id) AS BIGINT) END,
    kind, CASE WHEN amount > 0 THEN 'income' ELSE 'outcome' END, order_id, method, created_at FROM legs ORDER BY txn_id, user_id IS NULL, account";

/// Sets the balances and spent amounts of customers to the sums of their entries.
const UPDATE_BALANCES: &str = "UPDATE users SET balance_main = s.main, balance_task = s.task, balance_referral = s.referral, spent = s.spent
  FROM (SELECT user_id, CAST(sum(CASE WHEN account = 'main' THEN amount ELSE 0 END) AS BIGINT) AS main,
      CAST(sum(CASE WHEN account = 'task' THEN amount ELSE 0 END) AS BIGINT) AS task,
      CAST(sum(CASE WHEN account = 'referral' THEN amount ELSE 0 END) AS BIGINT) AS referral,
      CAST(-sum(CASE WHEN type IN ('order', 'refund') THEN amount ELSE 0 END) AS BIGINT) AS spent
    FROM ledger_entries WHERE user_id IS NOT NULL GROUP BY user_id) s WHERE users.id = s.user_id";

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    for statement in INSERT_ORDER_PAYMENTS {
        tx.execute(Sql::new(statement)).await?;
    }
    tx.execute(
        Sql::new(INSERT_TRANSACTIONS)
            .bind(HOUR_MICROS)
            .bind(plan.last_order_id_without_details())
            .bind(plan.moderator_id),
    )
    .await?;
    let insert_entries_sql = "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, order_id, payment_method_id, created_at) WITH deposits AS (";
    let sql = Sql::new(insert_entries_sql)
        .push(SELECT_DEPOSITS)
        .push("), refunds AS (")
        .push(SELECT_REFUNDS)
        .push("), legs AS (")
        .push(SELECT_TRANSACTION_SIDES);
    tx.execute(sql.push(")").push(SELECT_ENTRIES)).await?;
    tx.execute(Sql::new(UPDATE_BALANCES)).await?;
    Ok(())
}
