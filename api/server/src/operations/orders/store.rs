//! Orders in the database: locked reads and conditional writes for many orders. Each write requires the status that was read.

use std::collections::BTreeSet;

use panel_contract::amount::Money;
use panel_contract::ids::{OrderId, ServiceId, UserId};
use panel_contract::orders::{Approval, OrderStatus};
use panel_contract::payments::BalanceType;
use panel_domain::orders::OrderSnapshot;
use panel_kernel::error::{Error, Result};

use crate::stores::orders::moves::{self, OrderMove};
use panel_domain::refund::{Bill, Share};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::UnitOfWork;

/// The order with the properties that actions depend on.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct OrderFacts {
    pub id: OrderId,
    pub user_id: UserId,
    pub service_id: ServiceId,
    pub name: String,
    pub url: String,
    pub status: OrderStatus,
    /// The decision of moderation, if the order was moderated.
    pub approval: Option<Approval>,
    pub cost: Money,
    pub refunded: Money,
    /// Number of refunds so far.
    pub refund_seq: i64,
    pub quantity: i64,
    pub current_quantity: i64,
    /// Decimals that the charge is rounded to.
    pub rounding_precision: i64,
    pub is_paid: bool,
    /// Whether its service asks for moderation.
    pub moderation_is_enabled: bool,
    /// Whether a provider of its service is active.
    pub has_active_providers: bool,
    /// Whether the customer is neither frozen nor deactivated.
    pub customer_is_active: bool,
    pub user_name: String,
    pub user_email: String,
    /// Whether the customer subscribed to emails about orders.
    pub notify_orders: bool,
}

impl OrderFacts {
    /// The input of the transition table; an order above `limit` needs moderation.
    #[must_use]
    pub fn state_above(&self, limit: Option<Money>) -> OrderSnapshot {
        let asks_for_moderation = self.moderation_is_enabled || limit.is_some_and(|limit| self.cost > limit);
        let (status, approval, customer_is_active) = (self.status, self.approval, self.customer_is_active);
        OrderSnapshot { status, approval, asks_for_moderation, customer_is_active }
    }

    /// The same for an action that charges nothing.
    #[must_use]
    pub fn state(&self) -> OrderSnapshot {
        self.state_above(None)
    }

    #[must_use]
    pub fn bill(&self) -> Bill {
        Bill {
            cost: self.cost,
            refunded: self.refunded,
            quantity: self.quantity,
            delivered: self.current_quantity,
            precision: u8::try_from(self.rounding_precision).unwrap_or(6),
            is_paid: self.is_paid,
        }
    }
}

const FACTS: &str = "SELECT o.id, o.user_id, o.service_id, o.name, o.url, o.status, o.approval, o.cost, o.refunded, o.refund_seq, o.quantity,
    o.current_quantity, o.rounding_precision, o.is_paid, s.moderation_is_enabled, s.has_active_providers, u.status = 'active' AS customer_is_active,
    u.name AS user_name, u.email AS user_email, u.notify_orders
  FROM orders o JOIN services s ON s.id = o.service_id JOIN users u ON u.id = o.user_id WHERE o.id IN ";

/// Orders by id, locked in the order of their ids.
pub async fn lock(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<Vec<OrderFacts>> {
    work.lock("orders", ids).await?;
    Ok(work.all(Sql::new(FACTS).ids(ids).push(" ORDER BY o.id")).await?)
}

/// The customers among `ids` who are frozen or deactivated. Read it after the customers are locked: the status that was read
/// with the orders may have changed during the wait for the lock.
pub async fn inactive_customers(work: &mut UnitOfWork, ids: &[UserId]) -> Result<BTreeSet<UserId>> {
    let sql = Sql::new("SELECT id FROM users WHERE status <> 'active' AND id IN ").ids(ids);
    Ok(work.all::<(UserId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// One order without a lock; 404 if it does not exist.
pub async fn load_facts(db: &mut impl Source, id: OrderId) -> Result<OrderFacts> {
    let row: Option<OrderFacts> = db.opt(Sql::new(FACTS).ids(&[id])).await?;
    row.ok_or_else(|| Error::not_found("order", id))
}

#[derive(Debug, Clone)]
pub struct OrderTransition {
    /// The order before the change.
    pub facts: OrderFacts,
    pub status: OrderStatus,
    /// The moderation decision after the change.
    pub approval: Option<Approval>,
    /// Whether this change charges the order.
    pub charged: bool,
    /// Refund of this change, by balance.
    pub returned: Vec<(BalanceType, Money)>,
}

impl OrderTransition {
    /// Whether no provider can deliver it now.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.status == OrderStatus::InProcessing && !self.facts.has_active_providers
    }

    /// Refund of this change.
    #[must_use]
    pub fn returned_total(&self) -> Money {
        Money(self.returned.iter().map(|part| part.1.0).sum())
    }
}

/// Reason and description of a cancellation.
#[derive(Debug, Clone, Default)]
pub struct CancelTexts {
    pub reason: Option<String>,
    pub description: Option<String>,
}

/// Writes the new states, each only if the order still has the status that was read.
pub async fn write_transitions(
    work: &mut UnitOfWork,
    moved: &[OrderTransition],
    words: &CancelTexts,
) -> Result<()> {
    let row = |moved: &OrderTransition| OrderMove {
        id: moved.facts.id,
        from: moved.facts.status,
        to: moved.status,
        approval: moved.approval,
        is_paid: moved.facts.is_paid || moved.charged,
        returned: (!moved.returned.is_empty()).then(|| moved.returned_total()),
        is_without_provider: moved.is_stuck(),
    };
    let (now, words) = (work.now, (words.reason.as_deref(), words.description.as_deref()));
    let written = moves::write(work, &moved.iter().map(row).collect::<Vec<_>>(), words, now).await?;
    if usize::try_from(written).ok() == Some(moved.len()) {
        return Ok(());
    }
    // The locks make this impossible. If it happens anyway, the transaction must not commit a part.
    Err(Error::conflict("order_changed_meanwhile", "An order changed meanwhile; reload and try again."))
}

/// The balances that paid for each of these orders.
pub async fn load_payment_shares(db: &mut impl Source, ids: &[OrderId]) -> Result<Vec<(OrderId, Share)>> {
    let sql = Sql::new(
        "SELECT order_id, balance_type, amount, refunded FROM order_balance_payments WHERE order_id IN ",
    )
    .ids(ids);
    let rows: Vec<(OrderId, BalanceType, Money, Money)> =
        db.all(sql.push(" ORDER BY order_id, balance_type")).await?;
    Ok(rows
        .into_iter()
        .map(|(id, balance, paid, refunded)| (id, Share { balance, paid, refunded }))
        .collect())
}

/// Records the refund to each balance.
pub async fn record_refunds(work: &mut UnitOfWork, moves: &[OrderTransition]) -> Result<()> {
    let rows: Vec<Vec<Val>> = moves
        .iter()
        .flat_map(|moved| {
            moved
                .returned
                .iter()
                .map(|(kind, amount)| vec![moved.facts.id.into(), kind.as_str().into(), (*amount).into()])
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "UPDATE order_balance_payments SET refunded = order_balance_payments.refunded + r.amount FROM ",
    )
    .rows("r", &["order_id", "kind", "amount"], rows);
    work.exec(sql.push(" WHERE order_balance_payments.order_id = r.order_id AND order_balance_payments.balance_type = r.kind")).await?;
    Ok(())
}

/// Records what each balance paid for a new order.
pub(super) async fn record_payment_parts(
    work: &mut UnitOfWork,
    id: OrderId,
    payment: &[(BalanceType, Money)],
) -> Result<()> {
    for (kind, amount) in payment {
        let sql =
            Sql::new("INSERT INTO order_balance_payments (order_id, balance_type, amount) VALUES (?, ?, ?)");
        work.exec(sql.bind(id).bind(kind.as_str()).bind(*amount)).await?;
    }
    Ok(())
}

/// Records that the main balance paid for these orders.
pub async fn record_charges(work: &mut UnitOfWork, moves: &[&OrderTransition]) -> Result<()> {
    let rows: Vec<Vec<Val>> = moves
        .iter()
        .filter(|moved| moved.facts.cost > Money::ZERO)
        .map(|moved| vec![moved.facts.id.into(), moved.facts.cost.into()])
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "INSERT INTO order_balance_payments (order_id, balance_type, amount) SELECT r.order_id, 'main', r.amount FROM ",
    );
    work.exec(sql.rows("r", &["order_id", "amount"], rows)).await?;
    Ok(())
}

/// A commission or reward for an order that was not reversed yet.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub struct OrderEarning {
    pub order_id: OrderId,
    pub user_id: UserId,
    /// True for the owner of the order widget, false for the affiliate of the customer.
    pub by_widget: bool,
    pub amount: Money,
}

/// Commissions and rewards for these orders that were not reversed yet.
pub async fn load_earnings(db: &mut impl Source, ids: &[OrderId]) -> Result<Vec<OrderEarning>> {
    let sql = Sql::new(
        "SELECT e.order_id, e.user_id, t.kind LIKE 'order_widget_%' AS by_widget, CAST(sum(e.amount) AS BIGINT) AS amount
         FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id WHERE e.type = 'referral' AND e.user_id IS NOT NULL AND e.order_id IN ",
    );
    let sql = sql.ids(ids).push(" GROUP BY 1, 2, 3 HAVING sum(e.amount) > 0 ORDER BY 1, 3, 2");
    Ok(db.all(sql).await?)
}
