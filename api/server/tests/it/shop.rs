//! A panel with services, with customers who have balances, and with their paid orders; the ledger entries add up to the balances.

use panel_contract::ids::ServiceId;
use panel_platform::db::{Db, Dialect, Sql, SqlExecutor, bulk};
use panel_platform::work::UnitOfWork;
use panel_server::context::Ctx;
use panel_server::doctor;
use panel_server::operations::orders::place::{NewOrder, PlacedOrder, place};
use serde_json::Value;

use crate::panel::{NOW, Panel};

/// The deposit of each customer, in millionths.
pub(crate) const CUSTOMER_DEPOSIT: i64 = 100_000_000_000;
/// The task balance of each customer, in millionths.
pub(crate) const CUSTOMER_EARNINGS: i64 = 1_000_000_000;
/// A service at 10 per 1,000 units with an active provider and without moderation.
pub(crate) const PLAIN_SERVICE: ServiceId = ServiceId::new(1);
/// Like `PLAIN_SERVICE`, but staff moderate its orders.
pub(crate) const MODERATED_SERVICE: ServiceId = ServiceId::new(2);
/// Like `PLAIN_SERVICE`, but its only provider is disabled.
pub(crate) const SERVICE_WITHOUT_PROVIDER: ServiceId = ServiceId::new(3);

const SERIES: &str =
    " WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?) ";

const USERS: &str = "SELECT i, 'Customer ' || i, 'c' || i || '@shop.example', CAST(? AS BIGINT), 1 FROM n";
const SERVICES: &str =
    "SELECT i, 1, 'Service ' || i, 100, 1000000, 1, 1, 10000000, 1000, i = 2, i <> 3, 1, 1 FROM n";
const ORDERS: &str = "SELECT i, 'Service 1', 'https://video.example/' || i, 'in_processing', 'cabinet', 1 + (i * 7919) % CAST(? AS BIGINT), 1, 1000000 * (1 + i % 5),
  10000000, 1000, 2, 100 * (1 + i % 5), TRUE, 1795000000000000 + i * 1000, 1 FROM n";

/// Inserts customers and `orders` paid orders in processing, of which every tenth is paid from the main and
/// the task balance. The records are the same at each call.
pub(crate) async fn insert_shop_records(db: &Db, users: i64, orders: i64) {
    let mut tx = db.begin().await.unwrap();
    let suspended_triggers = bulk::suspend_triggers(&mut tx).await.unwrap();
    let series = |insert_into: &'static str, count: i64| Sql::new(insert_into).push(SERIES).bind(count);
    for sql in [
        Sql::new("INSERT INTO networks (id, name, created_at, updated_at) VALUES (1, 'Video', 1, 1)"),
        Sql::new("INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (1, 1, 'Views', 1, 1)"),
        series("INSERT INTO users (id, name, email, created_at, updated_at) ", users).push(USERS).bind(NOW),
        series("INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per,
          moderation_is_enabled, has_active_providers, created_at, updated_at) ", 3)
        .push(SERVICES),
        series("INSERT INTO providers (id, name, status, created_at, updated_at) ", 2)
            .push("SELECT i, 'Provider ' || i, CASE WHEN i = 1 THEN 'active' ELSE 'disabled' END, 1, 1 FROM n"),
        series("INSERT INTO service_providers (service_id, provider_id) ", 3)
            .push("SELECT i, CASE WHEN i = 3 THEN 2 ELSE 1 END FROM n"),
    ] {
        tx.execute(sql).await.unwrap();
    }
    if orders > 0 {
        let insert_into_sql = "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, rounding_precision, quantity, is_paid,
          created_at, updated_at) ";
        tx.execute(series(insert_into_sql, orders).push(ORDERS).bind(users)).await.unwrap();
    }
    insert_ledger_records(&mut tx, users).await;
    bulk::restore_triggers(&mut tx, suspended_triggers).await.unwrap();
    for table in ["ledger_txns", "networks", "service_types", "services", "providers"] {
        bulk::advance_id_sequence(&mut tx, table).await.unwrap();
    }
    tx.commit().await.unwrap();
    if db.dialect() == Dialect::Postgres {
        let analyze = "ANALYZE users, services, orders, order_balance_payments, ledger_txns, ledger_entries";
        (&mut &*db).execute(Sql::new(analyze)).await.unwrap();
    }
}

async fn insert_ledger_records(tx: &mut impl SqlExecutor, users: i64) {
    let insert_payments_sql = "INSERT INTO order_balance_payments (order_id, balance_type, amount)
      SELECT id, 'main', CASE WHEN id % 10 = 0 THEN cost / 2 ELSE cost END FROM orders UNION ALL SELECT id, 'task', cost / 2 FROM orders WHERE id % 10 = 0";
    let insert_txns_sql = "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, seq, created_at)
      SELECT id, 'deposit', 'user', id, 0, 1 FROM users WHERE id < 1000000 UNION ALL SELECT id + CAST(? AS BIGINT), 'deposit', 'user', id, 1, 1 FROM users WHERE id < 1000000
      UNION ALL SELECT id + 2 * CAST(? AS BIGINT), 'order_charge', 'order', id, 0, created_at FROM orders";
    let insert_entries_sql = "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, order_id, created_at)
      SELECT txn_id, account, user_id, amount, CASE WHEN user_id IS NOT NULL THEN CAST(sum(amount) OVER (PARTITION BY user_id, account ORDER BY txn_id) AS BIGINT) END,
        kind, CASE WHEN amount > 0 THEN 'income' ELSE 'outcome' END, order_id, 1
      FROM (SELECT id AS txn_id, 'main' AS account, ref_id AS user_id, CAST(@deposit AS BIGINT) AS amount, 'deposit' AS kind, CAST(NULL AS BIGINT) AS order_id
          FROM ledger_txns WHERE kind = 'deposit' AND seq = 0
        UNION ALL SELECT id, 'gateway_clearing', NULL, -CAST(@deposit AS BIGINT), 'deposit', NULL FROM ledger_txns WHERE kind = 'deposit' AND seq = 0
        UNION ALL SELECT id, 'task', ref_id, CAST(@earned AS BIGINT), 'task', NULL FROM ledger_txns WHERE kind = 'deposit' AND seq = 1
        UNION ALL SELECT id, 'bonus', NULL, -CAST(@earned AS BIGINT), 'task', NULL FROM ledger_txns WHERE kind = 'deposit' AND seq = 1
        UNION ALL SELECT p.order_id + 2 * CAST(@users AS BIGINT), p.balance_type, o.user_id, -p.amount, 'order', o.id FROM order_balance_payments p JOIN orders o ON o.id = p.order_id
        UNION ALL SELECT id + 2 * CAST(@users AS BIGINT), 'revenue', NULL, cost, 'order', id FROM orders) AS legs ORDER BY txn_id";
    let update_balances_sql = "UPDATE users SET balance_main = (SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE user_id = users.id AND account = 'main'),
        balance_task = (SELECT CAST(sum(amount) AS BIGINT) FROM ledger_entries WHERE user_id = users.id AND account = 'task'),
        spent = (SELECT -CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger_entries WHERE user_id = users.id AND type = 'order') WHERE id < 1000000";
    for sql in [
        Sql::new(insert_payments_sql),
        Sql::new(insert_txns_sql).bind(users).bind(users),
        Sql::new(insert_entries_sql)
            .bind_named("deposit", CUSTOMER_DEPOSIT)
            .bind_named("earned", CUSTOMER_EARNINGS)
            .bind_named("users", users),
        Sql::new(update_balances_sql),
    ] {
        tx.execute(sql).await.unwrap();
    }
}

impl Panel {
    /// A panel with `users` customers and `orders` paid orders, see [`insert_shop_records`].
    pub(crate) async fn with_users_and_orders(dialect: Dialect, users: i64, orders: i64) -> Self {
        let panel = Self::start(dialect).await;
        insert_shop_records(&panel.app.db, users, orders).await;
        panel
    }

    /// Begins a unit of work as the system, like a background job.
    pub(crate) async fn begin_work(&self) -> UnitOfWork {
        Ctx::system(self.app.clone(), "test").begin().await.unwrap()
    }

    pub(crate) async fn place_order(&self, new: &NewOrder) -> PlacedOrder {
        let mut work = self.begin_work().await;
        let placed = place(&mut work, new).await.unwrap();
        work.finish(()).await.unwrap();
        placed
    }

    pub(crate) async fn fetch_number(&self, sql: Sql) -> i64 {
        (&mut &self.app.db).fetch_one::<(i64,)>(sql).await.unwrap().0
    }

    /// Main balance, task balance and total spent, in millionths.
    pub(crate) async fn fetch_balances(&self, user: i64) -> (i64, i64, i64) {
        let sql = Sql::new("SELECT balance_main, balance_task, spent FROM users WHERE id = ?").bind(user);
        (&mut &self.app.db).fetch_one(sql).await.unwrap()
    }

    /// The main balance of a customer, in millionths.
    pub(crate) async fn fetch_main_balance(&self, user: i64) -> i64 {
        self.fetch_balances(user).await.0
    }

    /// The task balance of a customer, in millionths.
    pub(crate) async fn fetch_task_balance(&self, user: i64) -> i64 {
        self.fetch_balances(user).await.1
    }

    /// The amount that a customer has spent in all, in millionths.
    pub(crate) async fn fetch_total_spent(&self, user: i64) -> i64 {
        self.fetch_balances(user).await.2
    }

    /// One order as the admin API returns it.
    pub(crate) async fn fetch_order(&self, id: impl std::fmt::Display) -> Value {
        let response = self.get(&format!("/api/v1/admin/orders/{id}")).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"].clone()
    }

    /// Asserts that the doctor finds no broken invariant.
    pub(crate) async fn assert_healthy(&self) {
        let report =
            doctor::run_sql_checks(&mut &self.app.db, panel_contract::moment::Time(NOW)).await.unwrap();
        assert!(report.healthy, "{}", doctor::format_report(&report));
    }
}
