//! Drip-feeds, subscriptions and combo orders, which group several of the newest orders, and the amounts that customers prepaid for
//! them. Each customer has at most one active or canceled drip-feed and subscription.

use super::plan::{DAY_MICROS, DemoPlan, HOUR_MICROS};
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};
use panel_platform::sql;

/// One drip-feed per customer and service. Binds: the id above which orders have details.
const INSERT_DRIP_FEEDS: [&str; 2] = [
    "INSERT INTO drip_feeds (id, name, url, user_id, service_id, status, runs, orders_count, price, pricing_per, cost, quantity, minutes_between_runs, countries,
       created_at, updated_at, completed_at)
     SELECT row_number() OVER (ORDER BY min(id)), max(name), max(url), user_id, service_id, 'completed', count(*), count(*), max(price), max(pricing_per),
       CAST(sum(cost) AS BIGINT), max(quantity), (1 + user_id % 8) * (CASE WHEN user_id % 3 = 0 THEN 1440 ELSE 45 END), max(countries), min(created_at), max(created_at), max(created_at)
     FROM orders WHERE id > ? AND source = 'drip_feed' GROUP BY user_id, service_id",
    "UPDATE orders SET drip_feed_id = (SELECT d.id FROM drip_feeds d WHERE d.user_id = orders.user_id AND d.service_id = orders.service_id)
     WHERE id > ? AND source = 'drip_feed'",
];

/// One subscription per customer, to one channel. Binds: the id above which orders have details.
const INSERT_SUBSCRIPTIONS: [&str; 4] = [
    "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, subscription_contents_count, orders_count, cost,
       recurring_payment_methods, period_days, period_contents, created_at, updated_at, completed_at)
     SELECT row_number() OVER (ORDER BY min(id)), 'New videos of creator ' || user_id, 'https://video.example/@creator' || user_id, 'youtube', user_id, 'completed',
       CASE user_id % 3 WHEN 0 THEN 'recurring' ELSE 'prepaid' END, count(*), count(*), count(*), CAST(sum(cost) AS BIGINT) / count(*) * count(*),
       CASE user_id % 3 WHEN 0 THEN '[\"main\"]' ELSE '[]' END, CASE user_id % 3 WHEN 0 THEN 30 END, CASE user_id % 3 WHEN 0 THEN count(*) END, min(created_at), max(created_at), max(created_at)
     FROM orders WHERE id > ? AND source = 'subscription' GROUP BY user_id",
    "UPDATE orders SET subscription_id = (SELECT s.id FROM subscriptions s WHERE s.user_id = orders.user_id) WHERE id > ? AND source = 'subscription'",
    "INSERT INTO subscription_services (subscription_id, service_id, quantity) SELECT subscription_id, service_id, max(quantity) FROM orders
     WHERE id > ? AND subscription_id IS NOT NULL GROUP BY subscription_id, service_id",
    "INSERT INTO subscription_contents (subscription_id, url, orders_count, created_at) SELECT subscription_id,
       CASE WHEN row_number() OVER (PARTITION BY subscription_id, url ORDER BY id) > 1 THEN url || '#' || id ELSE url END, 1, created_at FROM orders
     WHERE id > ? AND subscription_id IS NOT NULL ORDER BY id",
];

/// One combo order for three consecutive orders. Binds: the id above which orders have details.
const INSERT_COMBO_ORDERS: [&str; 2] = [
    "INSERT INTO combo_orders (id, url, status, source, package_id, package_name, package_type, user_id, orders_count, created_at, updated_at, completed_at, canceled_at)
     SELECT id / 3, max(url), CASE WHEN min(status) = 'in_moderation' AND max(status) = 'in_moderation' THEN 'in_moderation' WHEN max(status) = 'canceled' THEN 'canceled'
         WHEN max(CASE WHEN status IN ('in_moderation', 'in_processing', 'stopped') THEN 1 ELSE 0 END) = 1 THEN 'in_processing' ELSE 'completed' END,
       CASE WHEN id / 3 % 4 = 0 THEN 'api' ELSE 'cabinet' END, 1 + id / 3 % 3, CASE id / 3 % 3 WHEN 0 THEN 'Starter' WHEN 1 THEN 'Creator' ELSE 'Label' END, CASE id / 3 % 3 WHEN 2 THEN 'manual' ELSE 'auto' END, max(user_id), count(*),
       min(created_at), max(updated_at), max(completed_at), max(canceled_at)
     FROM orders WHERE id > ? AND source = 'package' GROUP BY id / 3",
    "UPDATE orders SET combo_order_id = id / 3 WHERE id > ? AND source = 'package'",
];

/// Makes the longest drip-feed of each customer active or canceled, with a prepaid amount. Binds: the time of the next run, an
/// hour, and twice the time between the last change and this change, in microseconds.
const REOPEN_DRIP_FEEDS: &str = "UPDATE drip_feeds SET runs = orders_count + 2 + id % 9, cost = cost / orders_count * (orders_count + 2 + id % 9), completed_at = NULL,
    refunded = CASE WHEN id % 4 = 0 THEN cost / orders_count * (2 + id % 9) ELSE 0 END, status = CASE WHEN id % 4 = 0 THEN 'canceled' ELSE 'in_processing' END,
    next_run_at = CASE WHEN id % 4 <> 0 THEN ? + id % 48 * ? END, canceled_at = CASE WHEN id % 4 = 0 THEN updated_at + ? END, updated_at = updated_at + ?
  WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY user_id ORDER BY orders_count DESC, id DESC) AS n FROM drip_feeds) AS longest WHERE n = 1)";

/// Makes most subscriptions active or canceled. Recurring subscriptions renew later.
const REOPEN_SUBSCRIPTIONS: &str = "UPDATE subscriptions SET contents_limit = orders_count + 3 + id % 7, cost = cost / orders_count * (orders_count + 3 + id % 7), completed_at = NULL,
    period_contents = CASE WHEN billing_type = 'recurring' THEN orders_count + 3 + id % 7 END,
    renews_at = CASE WHEN billing_type = 'recurring' AND id % 5 <> 0 THEN @renewal + id % 25 * @day END,
    refunded = CASE WHEN id % 5 = 0 THEN cost / orders_count * (3 + id % 7) ELSE 0 END, status = CASE WHEN id % 5 = 0 THEN 'canceled' ELSE 'in_processing' END,
    expired_at = CASE WHEN id % 2 = 0 THEN @end + id % 60 * @day END, canceled_at = CASE WHEN id % 5 = 0 THEN updated_at + @moment END, updated_at = updated_at + @moment
  WHERE id % 7 <> 0";

/// Pretends that the server polled the channels of active subscriptions recently, some with errors. It does not schedule another
/// poll, because the channels do not exist. Binds: the time of the poll.
const SET_LAST_POLL: &str =
    "UPDATE subscriptions SET last_polled_at = ?, delay_minutes = CASE WHEN id % 2 = 0 THEN 30 ELSE 0 END,
    poll_error = CASE WHEN id % 4 = 0 THEN 'the response has the status 500' END WHERE status = 'in_processing'";

/// Prepaid amounts that no order has used: id of the drip-feed, its customer, the amount, and whether it was refunded (`back`).
const SELECT_PREPAID_BY_DRIP_FEED: &str = "SELECT id, user_id, cost / runs * (runs - orders_count) AS amount, status = 'canceled' AS back FROM drip_feeds WHERE runs > orders_count AND cost > 0";
const SELECT_PREPAID_BY_SUBSCRIPTION: &str =
    "SELECT id, user_id, cost / contents_limit * (contents_limit - orders_count) AS amount, status = 'canceled' AS back FROM subscriptions
     WHERE contents_limit > orders_count AND cost > 0";

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    for statement in INSERT_DRIP_FEEDS.iter().chain(&INSERT_SUBSCRIPTIONS).chain(&INSERT_COMBO_ORDERS) {
        tx.execute(Sql::new(statement).bind(plan.last_order_id_without_details())).await?;
    }
    let (next_run_at, expires_at) = (plan.now + 3 * HOUR_MICROS, plan.now + 10 * DAY_MICROS);
    tx.execute(
        Sql::new(REOPEN_DRIP_FEEDS).bind(next_run_at).bind(HOUR_MICROS).bind(1_000_i64).bind(1_000_i64),
    )
    .await?;
    let reopen_subscriptions_sql = sql!(REOPEN_SUBSCRIPTIONS, { renewal: next_run_at + DAY_MICROS, day: DAY_MICROS, end: expires_at, moment: 1_000_i64 });
    tx.execute(reopen_subscriptions_sql).await?;
    tx.execute(Sql::new(SET_LAST_POLL).bind(plan.now - HOUR_MICROS)).await?;
    post_prepayments(tx, plan, "drip_feed", SELECT_PREPAID_BY_DRIP_FEED).await?;
    post_prepayments(tx, plan, "subscription", SELECT_PREPAID_BY_SUBSCRIPTION).await
}

/// Posts the ledger transactions of the prepaid amounts: a deposit, the hold and the refund of the hold. They are newer than all
/// other transactions of the customers.
async fn post_prepayments(
    tx: &mut Tx,
    plan: &DemoPlan,
    ref_type: &'static str,
    select_prepaid_sql: &'static str,
) -> DbResult<()> {
    let posted_at = plan.now - HOUR_MICROS;
    let (last_id,): (i64,) = tx.fetch_one(Sql::new("SELECT COALESCE(max(id), 0) FROM ledger_txns")).await?;
    let insert_txns_sql = Sql::new("INSERT INTO ledger_txns (id, kind, ref_type, ref_id, seq, created_at) WITH held AS (").push(select_prepaid_sql).push(
        ") SELECT @last + row_number() OVER (ORDER BY id, turn), kind, ref_type, ref_id, seq, at FROM (
           SELECT id, 0 AS turn, 'deposit' AS kind, 'user' AS ref_type, user_id AS ref_id, CAST(@first_seq AS BIGINT) + id AS seq, CAST(@at AS BIGINT) AS at FROM held
           UNION ALL SELECT id, 1, 'advance', CAST(@kind AS TEXT), id, 0, @at FROM held
           UNION ALL SELECT id, 2, 'advance_returned', @kind, id, 0, @at FROM held WHERE back) AS moved",
    );
    let first_seq = if ref_type == "drip_feed" { 1_000_000_i64 } else { 2_000_000_000 };
    let insert_txns_sql = insert_txns_sql
        .bind_named("last", last_id)
        .bind_named("first_seq", first_seq)
        .bind_named("at", posted_at)
        .bind_named("kind", ref_type);
    tx.execute(insert_txns_sql).await?;
    let insert_entries_sql = Sql::new(
        "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, payment_method_id, created_at) WITH held AS (",
    )
    .push(select_prepaid_sql)
    .push(
        "), moved AS (SELECT t.id AS txn_id, t.kind, h.user_id, h.amount, u.balance_main, u.hold_main, t.created_at FROM ledger_txns t
           JOIN held h ON h.id = CASE t.kind WHEN 'deposit' THEN t.seq - ? ELSE t.ref_id END JOIN users u ON u.id = h.user_id WHERE t.id > ?)
         SELECT txn_id, account, user_id, amount, after, type, CASE WHEN amount > 0 THEN 'income' ELSE 'outcome' END, method, created_at FROM (
           SELECT txn_id, 'main' AS account, user_id, amount, balance_main + amount AS after, 'deposit' AS type, 1 AS method, created_at FROM moved WHERE kind = 'deposit'
           UNION ALL SELECT txn_id, 'gateway_clearing', NULL, -amount, NULL, 'deposit', NULL, created_at FROM moved WHERE kind = 'deposit'
           UNION ALL SELECT txn_id, 'main', user_id, -amount, balance_main, 'order', NULL, created_at FROM moved WHERE kind = 'advance'
           UNION ALL SELECT txn_id, 'hold_main', user_id, amount, hold_main + amount, 'order', NULL, created_at FROM moved WHERE kind = 'advance'
           UNION ALL SELECT txn_id, 'main', user_id, amount, balance_main + amount, 'refund', NULL, created_at FROM moved WHERE kind = 'advance_returned'
           UNION ALL SELECT txn_id, 'hold_main', user_id, -amount, hold_main, 'refund', NULL, created_at FROM moved WHERE kind = 'advance_returned') AS legs ORDER BY txn_id, account DESC",
    );
    tx.execute(insert_entries_sql.bind(first_seq).bind(last_id)).await?;
    let update_balances_sql = Sql::new("UPDATE users SET balance_main = balance_main + CASE WHEN h.back THEN h.amount ELSE 0 END, hold_main = hold_main + CASE WHEN h.back THEN 0 ELSE h.amount END FROM (")
        .push(select_prepaid_sql)
        .push(") h WHERE h.user_id = users.id");
    tx.execute(update_balances_sql).await?;
    let insert_advances_sql = Sql::new(
        "INSERT INTO advances (ref_type, ref_id, balance_type, amount, returned) SELECT ?, id, 'main', amount, CASE WHEN back THEN amount ELSE 0 END FROM (",
    );
    tx.execute(insert_advances_sql.bind(ref_type).push(select_prepaid_sql).push(") h")).await?;
    Ok(())
}
