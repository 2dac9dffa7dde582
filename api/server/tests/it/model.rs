//! Runs random operations on the panel and on a small model of the rules of orders: both must agree in any order of operations.
//!
//! After each operation the test compares every customer's balance with the model, and the last ledger transaction must sum up to
//! zero. At intervals it compares all orders and runs the doctor. `PANEL_TEST_OPS=100000` sets the number of operations for a full
//! run, and `PANEL_TEST_SEED` repeats a failed run.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::ids::{ServiceId, UserId};
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::shop::{CUSTOMER_DEPOSIT, insert_shop_records};

test_both_databases! {
    random_operations_on_orders_match_a_model;
}

const USER_COUNT: i64 = 6;
/// Price per 1,000 units, in millionths. With this value almost every cost has to be rounded.
const SERVICE_PRICE: i64 = 7_777_777;
/// The minimum number of operations between two full comparisons.
const COMPARE_INTERVAL: u64 = 250;
/// Number of full comparisons in a long run. A comparison takes longer with more records.
const MAX_COMPARISONS: u64 = 100;

/// The number of operations between two full comparisons in a run of `operations`.
pub(crate) fn check_interval(min_interval: u64, operations: u64) -> u64 {
    min_interval.max(operations / MAX_COMPARISONS)
}

/// `amount / divisor` in millionths, rounded up to cents.
fn round_up_to_cents(amount: i128, divisor: i64) -> i64 {
    let cents = i128::from(divisor) * 10_000;
    i64::try_from((amount + cents - 1) / cents * 10_000).unwrap()
}

struct ModelOrder {
    user_id: i64,
    cost: i64,
    refunded: i64,
    quantity: i64,
    delivered: i64,
    status: &'static str,
    is_rejected: bool,
    needs_moderation: bool,
    is_paid: bool,
}

/// The expected state. Only main balances are used.
#[derive(Default)]
struct Model {
    balances: BTreeMap<i64, i64>,
    spent: BTreeMap<i64, i64>,
    orders: BTreeMap<i64, ModelOrder>,
}

/// The money part of a cancel request.
#[derive(Clone, Copy)]
enum Refund {
    None,
    Undelivered,
    Amount(i64),
}

impl Model {
    fn charge(&mut self, user: i64, cost: i64) -> bool {
        let balance = self.balances.entry(user).or_default();
        let is_sufficient = *balance >= cost;
        if is_sufficient {
            *balance -= cost;
            *self.spent.entry(user).or_default() += cost;
        }
        is_sufficient
    }

    /// Refunds the amount, by default the undelivered part.
    ///
    /// # Errors
    /// The status 422 if the amount exceeds the part of the charge that was not refunded yet.
    fn refund(&mut self, id: i64, amount: Option<i64>) -> Result<i64, u16> {
        let order = self.orders.get_mut(&id).unwrap();
        let refundable = if order.is_paid { order.cost - order.refunded } else { 0 };
        // The delivered part is rounded up, so the refund is rounded down.
        let delivered_cost = i128::from(order.cost) * i128::from(order.delivered.min(order.quantity));
        let rounded_delivered_cost = round_up_to_cents(delivered_cost, order.quantity);
        let undelivered =
            if order.is_paid { (order.cost - rounded_delivered_cost - order.refunded).max(0) } else { 0 };
        let amount = amount.unwrap_or(undelivered);
        if amount > refundable {
            return Err(422);
        }
        order.refunded += amount;
        let user = order.user_id;
        *self.balances.entry(user).or_default() += amount;
        *self.spent.entry(user).or_default() -= amount;
        Ok(amount)
    }

    /// Applies the action to the model, and returns the HTTP status of the expected response.
    fn act(&mut self, id: i64, action: &str, refund: Refund) -> u16 {
        let Some(order) = self.orders.get(&id) else { return 404 };
        let next_status = match (action, order.status, order.is_rejected) {
            ("approve", "in_moderation", _) | ("approve", "stopped", true) => "in_processing",
            ("reject", "in_moderation", _) => "stopped",
            ("activate", "stopped", false) => "in_processing",
            ("activate", "unpaid", _) if order.needs_moderation => "in_moderation",
            ("activate", "unpaid", _) => "in_processing",
            ("pause", "in_processing", _) => "stopped",
            ("complete", "in_processing", _) | ("complete", "stopped", false) => "completed",
            ("cancel", "unpaid" | "in_moderation" | "in_processing" | "stopped", _) => "canceled",
            _ => return 409,
        };
        let (user, cost, is_unpaid) = (order.user_id, order.cost, order.status == "unpaid");
        let refund_result = match refund {
            Refund::None => Ok(0),
            Refund::Undelivered => self.refund(id, None),
            Refund::Amount(amount) => self.refund(id, Some(amount)),
        };
        if let Err(status) = refund_result {
            return status;
        }
        if action == "activate" && is_unpaid && !self.charge(user, cost) {
            return 422;
        }
        let order = self.orders.get_mut(&id).unwrap();
        order.is_paid |= action == "activate" && is_unpaid;
        order.status = next_status;
        order.is_rejected = if action == "reject" { true } else { order.is_rejected && action != "approve" };
        200
    }
}

struct ModelRun {
    panel: Panel,
    model: Model,
    random: Random,
    step: u64,
}

impl ModelRun {
    fn random_below(&self, bound: i64) -> i64 {
        random_below(&self.random, bound)
    }

    async fn run_step(&mut self) {
        self.step += 1;
        let order_count = i64::try_from(self.model.orders.len()).unwrap();
        let order = 1 + self.random_below(order_count + 2);
        match self.random_below(20) {
            0..=5 => self.place_order().await,
            6 | 7 => self.post_manual_payment().await,
            8 => self.deliver(order).await,
            9 => self.bulk_cancel(order_count).await,
            10 => self.act(order, "approve", Refund::None).await,
            11 => self.act(order, "reject", Refund::None).await,
            12 | 13 => self.act(order, "pause", Refund::None).await,
            14 | 15 => self.act(order, "activate", Refund::None).await,
            16 => self.act(order, "complete", Refund::None).await,
            17 => self.act(order, "cancel", Refund::None).await,
            18 => self.act(order, "cancel", Refund::Undelivered).await,
            _ => {
                let amount = 1 + self.random_below(20_000_000);
                self.act(order, "cancel", Refund::Amount(amount)).await;
            }
        }
    }

    async fn place_order(&mut self) {
        let (user, service, quantity) =
            (1 + self.random_below(USER_COUNT), 1 + self.random_below(3), 100 + self.random_below(900_000));
        let placed_order = self
            .panel
            .place_order(&NewOrder::without_options(
                UserId::new(user),
                ServiceId::new(service),
                "https://video.example/m",
                quantity,
            ))
            .await;
        let cost = round_up_to_cents(i128::from(SERVICE_PRICE) * i128::from(quantity), 1_000);
        assert_eq!(placed_order.cost, Money(cost));
        let is_paid = self.model.charge(user, cost);
        let status = match (is_paid, service) {
            (false, _) => "unpaid",
            (true, 2) => "in_moderation",
            _ => "in_processing",
        };
        assert_eq!(placed_order.status.as_str(), status);
        let order = ModelOrder {
            user_id: user,
            cost,
            refunded: 0,
            quantity,
            delivered: 0,
            status,
            is_rejected: false,
            needs_moderation: service == 2,
            is_paid,
        };
        self.model.orders.insert(placed_order.id.get(), order);
    }

    async fn post_manual_payment(&mut self) {
        let (user, amount) = (1 + self.random_below(USER_COUNT), 1 + self.random_below(9_000_000_000));
        let is_credit = self.random_below(2) == 0;
        let direction = if is_credit { "income" } else { "outcome" };
        let body = json!({ "user_id": user, "transaction_type": direction, "amount": Money(amount), "balance_type": "main", "comment": "Test" });
        let key = format!("op-{}", self.step);
        let balance = self.model.balances.entry(user).or_default();
        let expected_status = if is_credit || *balance >= amount { 200 } else { 422 };
        if expected_status == 200 {
            *balance += if is_credit { amount } else { -amount };
        }
        for _ in 0..2 {
            // The second request is a replay of the first and moves no money.
            let response =
                self.panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some(&key)).await;
            assert_eq!(response.status, expected_status, "{}", response.text);
        }
    }

    /// Stores additional delivered units, as if a provider had reported them.
    async fn deliver(&mut self, id: i64) {
        let Some(order) = self.model.orders.get_mut(&id) else { return };
        let added_quantity = i64::from(self.random.bytes::<1>()[0]) * order.quantity / 200;
        order.delivered += added_quantity;
        let sql =
            Sql::new("UPDATE orders SET current_quantity = ? WHERE id = ?").bind(order.delivered).bind(id);
        self.panel.execute(sql).await;
    }

    async fn act(&mut self, id: i64, action: &str, refund: Refund) {
        let body = match refund {
            Refund::None => json!({}),
            Refund::Undelivered => json!({ "return_money": true }),
            Refund::Amount(amount) => json!({ "return_money": true, "amount": Money(amount) }),
        };
        let response = self.panel.post(&format!("/api/v1/admin/orders/{id}/{action}"), &body).await;
        let expected_status = self.model.act(id, action, refund);
        assert_eq!(response.status.as_u16(), expected_status, "{action} of order {id}: {}", response.text);
    }

    async fn bulk_cancel(&mut self, order_count: i64) {
        let ids: Vec<i64> =
            (0..1 + self.random_below(8)).map(|_| 1 + self.random_below(order_count + 3)).collect();
        let body = json!({ "order_ids": ids, "return_money": true });
        let key = format!("op-{}", self.step);
        let first_response =
            self.panel.send("owner", "POST", "/api/v1/admin/orders/cancel", &body, Some(&key)).await;
        let replay_response =
            self.panel.send("owner", "POST", "/api/v1/admin/orders/cancel", &body, Some(&key)).await;
        let mut unique_ids = Vec::new();
        for id in ids {
            if !unique_ids.contains(&id) {
                unique_ids.push(id);
            }
        }
        let canceled_count =
            unique_ids.iter().filter(|id| self.model.act(**id, "cancel", Refund::Undelivered) == 200).count();
        if canceled_count == 0 {
            assert_eq!(first_response.json()["code"], "nothing_processed");
        } else {
            assert_eq!(
                (first_response.json()["processed"].clone(), &first_response.text),
                (json!(canceled_count), &replay_response.text)
            );
        }
    }

    /// Compares the state that one operation may change: every customer's balance, and the last ledger transaction.
    async fn compare_balances(&self) {
        let db = &self.panel.app.db;
        let users: Vec<(i64, i64, i64)> = (&mut &*db)
            .fetch_all(Sql::new("SELECT id, balance_main, spent FROM users WHERE id < 1000000 ORDER BY id"))
            .await
            .unwrap();
        for (id, balance, spent) in users {
            let model_balances = (self.model.balances[&id], self.model.spent.get(&id).copied().unwrap_or(0));
            assert_eq!((balance, spent), model_balances, "user {id}, step {}", self.step);
            assert!(balance >= 0, "user {id}, step {}", self.step);
        }
        let last_transaction_sum_sql = "SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger_entries WHERE txn_id = (SELECT max(id) FROM ledger_txns)";
        assert_eq!(
            self.panel.fetch_number(Sql::new(last_transaction_sum_sql)).await,
            0,
            "step {}",
            self.step
        );
    }

    /// Compares all orders, and runs the doctor.
    async fn compare_all(&self) {
        let db = &self.panel.app.db;
        let orders: Vec<(i64, String, i64, bool)> = (&mut &*db)
            .fetch_all(Sql::new("SELECT id, status, refunded, is_paid FROM orders ORDER BY id"))
            .await
            .unwrap();
        assert_eq!(orders.len(), self.model.orders.len());
        for (id, status, refunded, is_paid) in orders {
            let order = &self.model.orders[&id];
            assert_eq!(
                (status.as_str(), refunded, is_paid),
                (order.status, order.refunded, order.is_paid),
                "order {id}"
            );
        }
        self.panel.assert_healthy().await;
    }
}

/// A random number from 0 to `bound - 1`.
pub(crate) fn random_below(random: &Random, bound: i64) -> i64 {
    i64::try_from(u64::from_le_bytes(random.bytes::<8>()) % u64::try_from(bound).unwrap()).unwrap()
}

/// A number from an environment variable.
pub(crate) fn number_from_env(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

async fn random_operations_on_orders_match_a_model(dialect: Dialect) {
    let (operation_count, seed) =
        (number_from_env("PANEL_TEST_OPS", 2_000), number_from_env("PANEL_TEST_SEED", 20_261_120));
    eprintln!("{operation_count} operations, PANEL_TEST_SEED={seed}");
    let panel = Panel::start(dialect).await;
    insert_shop_records(&panel.app.db, USER_COUNT, 0).await;
    panel.execute(Sql::new("UPDATE services SET default_price = ?").bind(SERVICE_PRICE)).await;
    let model =
        Model { balances: (1..=USER_COUNT).map(|id| (id, CUSTOMER_DEPOSIT)).collect(), ..Model::default() };
    let mut run = ModelRun { panel, model, random: Random::seeded(seed), step: 0 };
    while run.step < operation_count {
        run.run_step().await;
        run.compare_balances().await;
        if run.step.is_multiple_of(check_interval(COMPARE_INTERVAL, operation_count))
            || run.step == operation_count
        {
            run.compare_all().await;
        }
    }
    let unknown_order_response: Value = run.panel.get("/api/v1/admin/orders/999999999").await.json();
    assert_eq!(unknown_order_response["code"], "not_found");
}
