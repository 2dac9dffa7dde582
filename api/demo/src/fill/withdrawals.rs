//! Withdrawals of the last weeks with their ledger transactions, which follow those of the orders. The newest withdrawals are
//! pending.

use super::plan::{DemoPlan, HOUR_MICROS};
use super::series::insert_series;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};

/// Maximum number of withdrawals; every fifth customer has one.
const MAX_WITHDRAWALS: i64 = 2_000;

/// Named values: `first` is the id of the first customer, `users` the number of customers, `now` the time, `count` the number of
/// withdrawals, `hour` an hour in microseconds.
const SELECT_WITHDRAWALS: &str =
    "SELECT i, CAST(@first AS BIGINT) + (i * 3) % CAST(@users AS BIGINT), CASE WHEN i % 4 = 0 THEN 2 ELSE 1 + i % 3 + i % 2 END,
    CASE WHEN i % 4 = 0 OR (i % 3 + i % 2) = 1 THEN 'DE89 3704 0044 0532 ' || (1000 + i * 37 % 9000) WHEN (i % 3 + i % 2) = 2 THEN 'TQn9Y2khEsLJW1ChVWFMSMeRDow5K' || i
      WHEN (i % 3 + i % 2) = 3 THEN 'payouts+' || i || '@example.com' ELSE '**** **** **** ' || (1000 + i * 91 % 9000) END,
    CASE WHEN i % 5 = 0 THEN 'main' ELSE 'referral' END, 5000000 + (i * 7919 % 195) * 1000000 + (i % 4) * 250000, status,
    CASE WHEN i % 6 = 0 THEN 'Please pay before the weekend, thank you!' WHEN i % 23 = 1 THEN 'ありがとうございます' END,
    CASE status WHEN 'rejected' THEN CASE WHEN i % 2 = 0 THEN 'The account number is not yours.' ELSE 'You disputed an earlier payout; answer our e-mail first.' END END,
    CASE status WHEN 'paid' THEN 'TX-' || (700000 + i * 13) END, at, at + CASE status WHEN 'pending' THEN 0 ELSE 2 END * hour,
    CASE WHEN status IN ('approved', 'paid') THEN at + hour END, CASE status WHEN 'paid' THEN at + 2 * hour END, CASE status WHEN 'rejected' THEN at + 2 * hour END
  FROM (SELECT i, CAST(@now AS BIGINT) - (CAST(@count AS BIGINT) - i) * 3 * CAST(@hour AS BIGINT) - 3 * CAST(@hour AS BIGINT) AS at, CAST(@hour AS BIGINT) AS hour,
      CASE WHEN i > CAST(@count AS BIGINT) - 9 THEN 'pending' WHEN i > CAST(@count AS BIGINT) - 15 THEN 'approved' WHEN i % 6 = 1 THEN 'rejected' ELSE 'paid' END AS status FROM n) AS asked";

/// For each withdrawal: the earnings that it pays out, its hold, and the release or payout. Binds: the staff member who decided.
const INSERT_TRANSACTIONS: &str = "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, seq, created_at, actor_id, comment)
  SELECT last.id + row_number() OVER (ORDER BY at, w, turn), kind, ref_type, ref_id, seq, at, actor, comment FROM (
    SELECT 0 AS turn, id AS w, CASE balance_type WHEN 'main' THEN 'correction' ELSE 'referral_earnings' END AS kind, 'user' AS ref_type, user_id AS ref_id, id AS seq,
        created_at - 1 AS at, CAST(NULL AS BIGINT) AS actor, CAST(NULL AS TEXT) AS comment FROM withdrawals
    UNION ALL SELECT 1, id, 'withdrawal_hold', 'withdrawal', id, 0, created_at, NULL, 'Withdrawal ' || id FROM withdrawals
    UNION ALL SELECT 2, id, CASE status WHEN 'paid' THEN 'withdrawal_payout' ELSE 'withdrawal_release' END, 'withdrawal', id, 0, updated_at, CAST(? AS BIGINT), 'Withdrawal ' || id
      FROM withdrawals WHERE status IN ('paid', 'rejected')) AS moved CROSS JOIN (SELECT COALESCE(max(id), 0) AS id FROM ledger_txns) AS last";

/// Debit and credit of each transaction. The balance after an entry is the customer's current balance plus all new amounts up to
/// this entry.
const INSERT_ENTRIES: &str = "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, payment_method_id, created_at)
  WITH moved AS (
    SELECT t.id AS txn_id, t.kind, t.created_at, w.user_id, w.balance_type, w.amount, w.payment_method_id FROM ledger_txns t JOIN withdrawals w ON w.id = t.ref_id
      WHERE t.kind IN ('withdrawal_hold', 'withdrawal_release', 'withdrawal_payout') AND t.ref_type = 'withdrawal'
    UNION ALL SELECT t.id, t.kind, t.created_at, w.user_id, w.balance_type, w.amount, w.payment_method_id FROM ledger_txns t JOIN withdrawals w ON w.id = t.seq
      WHERE t.kind IN ('correction', 'referral_earnings') AND t.ref_type = 'user'),
  legs AS (
    SELECT txn_id, balance_type AS account, user_id, CASE kind WHEN 'withdrawal_hold' THEN -amount ELSE amount END AS amount,
        CASE kind WHEN 'correction' THEN 'manual' WHEN 'referral_earnings' THEN 'referral' ELSE 'withdrawal' END AS kind,
        CASE WHEN kind IN ('withdrawal_hold', 'withdrawal_release') THEN payment_method_id END AS method, created_at FROM moved WHERE kind <> 'withdrawal_payout'
    UNION ALL SELECT txn_id, 'hold_' || balance_type, user_id, CASE kind WHEN 'withdrawal_hold' THEN amount ELSE -amount END, 'withdrawal', payment_method_id, created_at
      FROM moved WHERE kind IN ('withdrawal_hold', 'withdrawal_release', 'withdrawal_payout')
    UNION ALL SELECT txn_id, 'payouts', NULL, amount, 'withdrawal', payment_method_id, created_at FROM moved WHERE kind = 'withdrawal_payout'
    UNION ALL SELECT txn_id, 'adjustments', NULL, -amount, 'manual', NULL, created_at FROM moved WHERE kind = 'correction'
    UNION ALL SELECT txn_id, 'referral_expense', NULL, -amount, 'referral', NULL, created_at FROM moved WHERE kind = 'referral_earnings')
  SELECT txn_id, account, user_id, amount, CASE WHEN user_id IS NOT NULL THEN
      COALESCE((SELECT CASE account WHEN 'main' THEN u.balance_main WHEN 'referral' THEN u.balance_referral WHEN 'hold_main' THEN u.hold_main ELSE u.hold_referral END FROM users u WHERE u.id = legs.user_id), 0)
      + CAST(sum(amount) OVER (PARTITION BY user_id, account ORDER BY txn_id) AS BIGINT) END,
    kind, CASE WHEN amount > 0 THEN 'income' ELSE 'outcome' END, method, created_at FROM legs ORDER BY txn_id, user_id IS NULL, account";

const UPDATE_BALANCES: &str = "UPDATE users SET balance_main = balance_main + s.main, balance_referral = balance_referral + s.referral, hold_main = hold_main + s.h_main, hold_referral = hold_referral + s.h_referral
  FROM (SELECT e.user_id, CAST(sum(CASE e.account WHEN 'main' THEN e.amount ELSE 0 END) AS BIGINT) AS main,
      CAST(sum(CASE e.account WHEN 'referral' THEN e.amount ELSE 0 END) AS BIGINT) AS referral,
      CAST(sum(CASE e.account WHEN 'hold_main' THEN e.amount ELSE 0 END) AS BIGINT) AS h_main,
      CAST(sum(CASE e.account WHEN 'hold_referral' THEN e.amount ELSE 0 END) AS BIGINT) AS h_referral
    FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id
    WHERE e.user_id IS NOT NULL AND t.kind IN ('correction', 'referral_earnings', 'withdrawal_hold', 'withdrawal_release', 'withdrawal_payout')
    GROUP BY e.user_id) AS s WHERE users.id = s.user_id";

const INSERT_AUDITS: &str = "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
  SELECT at, CAST(? AS BIGINT), '127.0.0.1', 'demo', 'demo-w' || id, 'withdrawal.' || word, 'withdrawal', id, '{\"status\":\"' || before || '\"}', '{\"status\":\"' || word || '\"}' FROM (
    SELECT id, approved_at AS at, 'pending' AS before, 'approved' AS word FROM withdrawals WHERE approved_at IS NOT NULL
    UNION ALL SELECT id, updated_at, CASE status WHEN 'paid' THEN 'approved' ELSE 'pending' END, status FROM withdrawals WHERE status IN ('paid', 'rejected')) AS decided ORDER BY 1, 8";

/// Runs after the ledger of the orders, because the new entries add to the customers' current balances.
pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let count = (plan.size.users / 5).min(MAX_WITHDRAWALS);
    let Some(deciding_staff_id) = plan.owner_id.filter(|_| count > 0) else { return Ok(()) };
    let insert_sql = "INSERT INTO withdrawals (id, user_id, payment_method_id, account_number, balance_type, amount, status, user_comment, admin_note, transaction_id,
      created_at, updated_at, approved_at, paid_at, rejected_at)";
    let sql = insert_series(insert_sql, 1, count)
        .push(SELECT_WITHDRAWALS)
        .bind_named("first", plan.first_customer_id)
        .bind_named("users", plan.size.users);
    tx.execute(sql.bind_named("now", plan.now).bind_named("count", count).bind_named("hour", HOUR_MICROS))
        .await?;
    tx.execute(Sql::new(INSERT_TRANSACTIONS).bind(deciding_staff_id)).await?;
    tx.execute(Sql::new(INSERT_ENTRIES)).await?;
    tx.execute(Sql::new(UPDATE_BALANCES)).await?;
    tx.execute(Sql::new(INSERT_AUDITS).bind(deciding_staff_id)).await?;
    Ok(())
}
