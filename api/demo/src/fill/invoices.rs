//! Invoices of the last weeks: most are paid, and the amount and the bonus of the payment method are credited. The newest are
//! pending.

use super::plan::{DemoPlan, HOUR_MICROS};
use super::series::insert_series;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};

/// Maximum number of invoices; every fourth customer has one.
const MAX_INVOICES: i64 = 2_500;

/// Named values: `first` is the id of the first customer, `users` the number of customers, `now` the time, `count` the number of
/// invoices, `hour` an hour in microseconds.
const SELECT_INVOICES: &str = "SELECT i, CAST(@first AS BIGINT) + (i * 7) % CAST(@users AS BIGINT), 1 + i % 4, 'INV-' || (20000 + i), amount, status,
    CASE status WHEN 'paid' THEN amount END, 0, at, CASE status WHEN 'paid' THEN at + hour ELSE at END, CASE status WHEN 'paid' THEN at + hour END
  FROM (SELECT i, (10 + (i * 6971) % 90 * 10) * CAST(1000000 AS BIGINT) AS amount, CAST(@now AS BIGINT) - (CAST(@count AS BIGINT) - i) * 2 * hour - 2 * hour AS at, hour,
      CASE WHEN i > CAST(@count AS BIGINT) - 12 THEN 'pending' WHEN i % 11 = 3 THEN 'canceled' WHEN i % 40 = 9 THEN 'pending' ELSE 'paid' END AS status
    FROM n CROSS JOIN (SELECT CAST(@hour AS BIGINT) AS hour) AS unit) AS billed";

/// The highest bonus of the payment method for the paid amount, rounded down.
const SET_BONUSES: &str = "UPDATE invoices SET bonus_amount = COALESCE((SELECT max(b.bonus_ppm) FROM payment_method_bonuses b
    WHERE b.payment_method_id = invoices.payment_method_id AND b.is_enabled = TRUE AND b.from_amount <= invoices.paid_amount), 0) * paid_amount / 1000000
  WHERE status = 'paid'";

const INSERT_TRANSACTIONS: &str = "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, seq, created_at, comment)
  SELECT last.id + row_number() OVER (ORDER BY moved.at, moved.id, moved.kind DESC), moved.kind, 'invoice', moved.id, 0, at, 'Invoice ' || short_name FROM (
    SELECT id, 'invoice_payment' AS kind, paid_at AS at, short_name FROM invoices WHERE status = 'paid'
    UNION ALL SELECT id, 'invoice_bonus', paid_at, short_name FROM invoices WHERE status = 'paid' AND bonus_amount > 0) AS moved
  CROSS JOIN (SELECT COALESCE(max(id), 0) AS id FROM ledger_txns) AS last";

const INSERT_ENTRIES: &str = "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, payment_method_id, created_at)
  WITH moved AS (
    SELECT t.id AS txn_id, i.user_id, i.payment_method_id, t.created_at, CASE t.kind WHEN 'invoice_payment' THEN i.paid_amount ELSE i.bonus_amount END AS amount,
      CASE t.kind WHEN 'invoice_payment' THEN 'deposit' ELSE 'bonus' END AS kind FROM ledger_txns t JOIN invoices i ON i.id = t.ref_id
      WHERE t.kind IN ('invoice_payment', 'invoice_bonus') AND t.ref_type = 'invoice'),
  legs AS (
    SELECT txn_id, 'main' AS account, user_id, amount, kind, payment_method_id, created_at FROM moved
    UNION ALL SELECT txn_id, CASE kind WHEN 'deposit' THEN 'gateway_clearing' ELSE 'bonus' END, NULL, -amount, kind, payment_method_id, created_at FROM moved)
  SELECT txn_id, account, user_id, amount, CASE WHEN user_id IS NOT NULL THEN (SELECT u.balance_main FROM users u WHERE u.id = legs.user_id)
      + CAST(sum(amount) OVER (PARTITION BY user_id, account ORDER BY txn_id) AS BIGINT) END,
    kind, CASE WHEN amount > 0 THEN 'income' ELSE 'outcome' END, payment_method_id, created_at FROM legs ORDER BY txn_id, user_id IS NULL";

const UPDATE_BALANCES: &str = "UPDATE users SET balance_main = balance_main + s.main
  FROM (SELECT user_id, CAST(sum(paid_amount + bonus_amount) AS BIGINT) AS main FROM invoices WHERE status = 'paid' GROUP BY user_id) AS s WHERE users.id = s.user_id";

/// Runs after the ledger of the orders, because the new entries add to the customers' current balances.
pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let count = (plan.size.users / 4).min(MAX_INVOICES);
    if count == 0 {
        return Ok(());
    }
    let insert_sql = "INSERT INTO invoices (id, user_id, payment_method_id, short_name, amount, status, paid_amount, bonus_amount, created_at, updated_at, paid_at)";
    let sql = insert_series(insert_sql, 1, count)
        .push(SELECT_INVOICES)
        .bind_named("first", plan.first_customer_id)
        .bind_named("users", plan.size.users);
    tx.execute(sql.bind_named("now", plan.now).bind_named("count", count).bind_named("hour", HOUR_MICROS))
        .await?;
    for statement in [SET_BONUSES, INSERT_TRANSACTIONS, INSERT_ENTRIES, UPDATE_BALANCES] {
        tx.execute(Sql::new(statement)).await?;
    }
    Ok(())
}
