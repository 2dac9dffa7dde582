//! Random operations against a small model of the rules: whatever the order, the panel and the model agree.
//!
//! After each operation every purse is as the model has it and the last booking comes to nothing; the doctor and all
//! orders are looked at from time to time. `PANEL_TEST_OPS=100000` is the whole run, `PANEL_TEST_SEED` repeats one that
//! failed.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::ids::{ServiceId, UserId};
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::shop::{DEPOSIT, fill};

both! {
    the_panel_and_the_model_agree;
}

const USERS: i64 = 6;
/// Per 1,000: nothing comes out even.
const PRICE: i64 = 7_777_777;
/// Operations between two looks at everything, at least.
const BATCH: u64 = 250;
/// Looks at everything in a long run: each takes the longer the more there is.
const LOOKS: u64 = 100;

/// Operations between two looks at everything in a run of so many.
pub(crate) fn between(least: u64, operations: u64) -> u64 {
    least.max(operations / LOOKS)
}

/// The amount over `divisor`, rounded up to cents.
fn cents_up(amount: i128, divisor: i64) -> i64 {
    let cents = i128::from(divisor) * 10_000;
    i64::try_from((amount + cents - 1) / cents * 10_000).unwrap()
}

struct Order {
    user: i64,
    cost: i64,
    refunded: i64,
    quantity: i64,
    delivered: i64,
    status: &'static str,
    rejected: bool,
    moderated: bool,
    paid: bool,
}

/// What the rules make of it all; main balances only.
#[derive(Default)]
struct Model {
    balance: BTreeMap<i64, i64>,
    spent: BTreeMap<i64, i64>,
    orders: BTreeMap<i64, Order>,
}

impl Model {
    fn charge(&mut self, user: i64, cost: i64) -> bool {
        let balance = self.balance.entry(user).or_default();
        let enough = *balance >= cost;
        if enough {
            *balance -= cost;
            *self.spent.entry(user).or_default() += cost;
        }
        enough
    }

    fn refund(&mut self, id: i64, amount: Option<i64>) -> Result<i64, u16> {
        let order = self.orders.get_mut(&id).unwrap();
        let left = if order.paid { order.cost - order.refunded } else { 0 };
        // What is delivered rounds up, so what goes back rounds down.
        let exact = i128::from(order.cost) * i128::from(order.delivered.min(order.quantity));
        let earned = cents_up(exact, order.quantity);
        let default = if order.paid { (order.cost - earned - order.refunded).max(0) } else { 0 };
        let amount = amount.unwrap_or(default);
        if amount > left {
            return Err(422);
        }
        order.refunded += amount;
        let user = order.user;
        *self.balance.entry(user).or_default() += amount;
        *self.spent.entry(user).or_default() -= amount;
        Ok(amount)
    }

    /// The status that is answered, with the model moved on where it is 200.
    fn act(&mut self, id: i64, action: &str, money: Option<Option<i64>>) -> u16 {
        let Some(order) = self.orders.get(&id) else { return 404 };
        let next = match (action, order.status, order.rejected) {
            ("approve", "in_moderation", _) | ("approve", "stopped", true) => "in_processing",
            ("reject", "in_moderation", _) => "stopped",
            ("activate", "stopped", false) => "in_processing",
            ("activate", "unpaid", _) if order.moderated => "in_moderation",
            ("activate", "unpaid", _) => "in_processing",
            ("pause", "in_processing", _) => "stopped",
            ("complete", "in_processing", _) | ("complete", "stopped", false) => "completed",
            ("cancel", "unpaid" | "in_moderation" | "in_processing" | "stopped", _) => "canceled",
            _ => return 409,
        };
        let (user, cost, unpaid) = (order.user, order.cost, order.status == "unpaid");
        if let Some(amount) = money
            && let Err(status) = self.refund(id, amount)
        {
            return status;
        }
        if action == "activate" && unpaid && !self.charge(user, cost) {
            return 422;
        }
        let order = self.orders.get_mut(&id).unwrap();
        order.paid |= action == "activate" && unpaid;
        order.status = next;
        order.rejected = if action == "reject" { true } else { order.rejected && action != "approve" };
        200
    }
}

struct Run {
    panel: Panel,
    model: Model,
    random: Random,
    at: u64,
}

impl Run {
    fn below(&self, bound: i64) -> i64 {
        below(&self.random, bound)
    }

    async fn step(&mut self) {
        self.at += 1;
        let orders = i64::try_from(self.model.orders.len()).unwrap();
        let order = 1 + self.below(orders + 2);
        match self.below(20) {
            0..=5 => self.place().await,
            6 | 7 => self.pay().await,
            8 => self.deliver(order).await,
            9 => self.bulk_cancel(orders).await,
            10 => self.single(order, "approve", None).await,
            11 => self.single(order, "reject", None).await,
            12 | 13 => self.single(order, "pause", None).await,
            14 | 15 => self.single(order, "activate", None).await,
            16 => self.single(order, "complete", None).await,
            17 => self.single(order, "cancel", None).await,
            18 => self.single(order, "cancel", Some(None)).await,
            _ => {
                let amount = 1 + self.below(20_000_000);
                self.single(order, "cancel", Some(Some(amount))).await;
            }
        }
    }

    async fn place(&mut self) {
        let (user, service, quantity) = (1 + self.below(USERS), 1 + self.below(3), 100 + self.below(900_000));
        let (customer, sold) = (UserId::new(user), ServiceId::new(service));
        let placed =
            self.panel.place(&NewOrder::plain(customer, sold, "https://video.example/m", quantity)).await;
        let cost = cents_up(i128::from(PRICE) * i128::from(quantity), 1_000);
        assert_eq!(placed.cost, Money(cost));
        let paid = self.model.charge(user, cost);
        let status = match (paid, service) {
            (false, _) => "unpaid",
            (true, 2) => "in_moderation",
            _ => "in_processing",
        };
        assert_eq!(placed.status.as_str(), status);
        let order = Order {
            user,
            cost,
            refunded: 0,
            quantity,
            delivered: 0,
            status,
            rejected: false,
            moderated: service == 2,
            paid,
        };
        self.model.orders.insert(placed.id.get(), order);
    }

    async fn pay(&mut self) {
        let (user, amount) = (1 + self.below(USERS), 1 + self.below(9_000_000_000));
        let credit = self.below(2) == 0;
        let direction = if credit { "income" } else { "outcome" };
        let body = json!({ "user_id": user, "transaction_type": direction, "amount": Money(amount), "balance_type": "main", "comment": "Test" });
        let key = format!("op-{}", self.at);
        let balance = self.model.balance.entry(user).or_default();
        let expected = if credit || *balance >= amount { 200 } else { 422 };
        if expected == 200 {
            *balance += if credit { amount } else { -amount };
        }
        for _ in 0..2 {
            // The second is a repetition and pays nothing.
            let answer = self.panel.send("owner", "POST", "/api/v1/admin/payments", &body, Some(&key)).await;
            assert_eq!(answer.status, expected, "{}", answer.text);
        }
    }

    /// What a provider would report.
    async fn deliver(&mut self, id: i64) {
        let Some(order) = self.model.orders.get_mut(&id) else { return };
        let more = i64::from(self.random.bytes::<1>()[0]) * order.quantity / 200;
        order.delivered += more;
        let sql =
            Sql::new("UPDATE orders SET current_quantity = ? WHERE id = ?").bind(order.delivered).bind(id);
        self.panel.exec(sql).await;
    }

    async fn single(&mut self, id: i64, action: &str, money: Option<Option<i64>>) {
        let body = match money {
            None => json!({}),
            Some(None) => json!({ "return_money": true }),
            Some(Some(amount)) => json!({ "return_money": true, "amount": Money(amount) }),
        };
        let answer = self.panel.post(&format!("/api/v1/admin/orders/{id}/{action}"), &body).await;
        let expected = self.model.act(id, action, money);
        assert_eq!(answer.status.as_u16(), expected, "{action} of order {id}: {}", answer.text);
    }

    async fn bulk_cancel(&mut self, orders: i64) {
        let ids: Vec<i64> = (0..1 + self.below(8)).map(|_| 1 + self.below(orders + 3)).collect();
        let body = json!({ "order_ids": ids, "return_money": true });
        let key = format!("op-{}", self.at);
        let first = self.panel.send("owner", "POST", "/api/v1/admin/orders/cancel", &body, Some(&key)).await;
        let again = self.panel.send("owner", "POST", "/api/v1/admin/orders/cancel", &body, Some(&key)).await;
        let mut unique = Vec::new();
        for id in ids {
            if !unique.contains(&id) {
                unique.push(id);
            }
        }
        let moved = unique.iter().filter(|id| self.model.act(**id, "cancel", Some(None)) == 200).count();
        if moved == 0 {
            assert_eq!(first.json()["code"], "nothing_processed");
        } else {
            assert_eq!((first.json()["processed"].clone(), &first.text), (json!(moved), &again.text));
        }
    }

    /// What an operation may have moved: every purse, and the last booking.
    async fn purses(&self) {
        let db = &self.panel.app.db;
        let users: Vec<(i64, i64, i64)> = (&mut &*db)
            .all(Sql::new("SELECT id, balance_main, spent FROM users WHERE id < 1000000 ORDER BY id"))
            .await
            .unwrap();
        for (id, balance, spent) in users {
            let model = (self.model.balance[&id], self.model.spent.get(&id).copied().unwrap_or(0));
            assert_eq!((balance, spent), model, "user {id}, step {}", self.at);
            assert!(balance >= 0, "user {id}, step {}", self.at);
        }
        let last = "SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger_entries WHERE txn_id = (SELECT max(id) FROM ledger_txns)";
        assert_eq!(self.panel.number(Sql::new(last)).await, 0, "step {}", self.at);
    }

    /// All records, and everything that must always hold.
    async fn compare(&self) {
        let db = &self.panel.app.db;
        let orders: Vec<(i64, String, i64, bool)> = (&mut &*db)
            .all(Sql::new("SELECT id, status, refunded, is_paid FROM orders ORDER BY id"))
            .await
            .unwrap();
        assert_eq!(orders.len(), self.model.orders.len());
        for (id, status, refunded, is_paid) in orders {
            let order = &self.model.orders[&id];
            assert_eq!(
                (status.as_str(), refunded, is_paid),
                (order.status, order.refunded, order.paid),
                "order {id}"
            );
        }
        self.panel.assert_healthy().await;
    }
}

/// A number from 0 that is less than `bound`.
pub(crate) fn below(random: &Random, bound: i64) -> i64 {
    i64::try_from(u64::from_le_bytes(random.bytes::<8>()) % u64::try_from(bound).unwrap()).unwrap()
}

/// A number from the environment.
pub(crate) fn number_of(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

async fn the_panel_and_the_model_agree(dialect: Dialect) {
    let (ops, seed) = (number_of("PANEL_TEST_OPS", 2_000), number_of("PANEL_TEST_SEED", 20_261_120));
    eprintln!("{ops} operations, PANEL_TEST_SEED={seed}");
    let panel = Panel::on(dialect).await;
    fill(&panel.app.db, USERS, 0).await;
    panel.exec(Sql::new("UPDATE services SET default_price = ?").bind(PRICE)).await;
    let model = Model { balance: (1..=USERS).map(|id| (id, DEPOSIT)).collect(), ..Model::default() };
    let mut run = Run { panel, model, random: Random::seeded(seed), at: 0 };
    while run.at < ops {
        run.step().await;
        run.purses().await;
        if run.at.is_multiple_of(between(BATCH, ops)) || run.at == ops {
            run.compare().await;
        }
    }
    let unknown: Value = run.panel.get("/api/v1/admin/orders/999999999").await.json();
    assert_eq!(unknown["code"], "not_found");
}
