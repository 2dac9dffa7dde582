//! Loads and locks orders, and writes changes of many orders at once. A write changes an order only if it still has the status that
//! was loaded.

use std::collections::BTreeSet;

use panel_contract::amount::Money;
use panel_contract::ids::{OrderId, ServiceId, UserId};
use panel_contract::orders::{Approval, OrderStatus};
use panel_contract::payments::BalanceType;
use panel_domain::orders::OrderSnapshot;
use panel_kernel::error::{Error, Result};

use crate::stores::orders::transitions::{self, OrderStatusChange};
use panel_domain::refund::{BalanceShare, BilledOrder};
use panel_platform::db::{Sql, SqlExecutor, Val};
use panel_platform::work::UnitOfWork;

/// An order, with the properties of its service and customer that decide which actions are allowed.
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
    /// Delivered units.
    pub current_quantity: i64,
    /// Number of decimals to which the charge is rounded.
    pub rounding_precision: i64,
    pub is_paid: bool,
    /// Whether orders of the service need moderation.
    pub moderation_is_enabled: bool,
    /// Whether a provider of the service is active.
    pub has_active_providers: bool,
    /// Whether the customer is neither frozen nor deactivated.
    pub customer_is_active: bool,
    pub user_name: String,
    pub user_email: String,
    /// Whether the customer subscribed to emails about orders.
    pub notify_orders: bool,
}

impl OrderFacts {
    /// Returns the input of the state machine. An order that costs more than `moderation_limit` needs moderation.
    #[must_use]
    pub fn snapshot_with_limit(&self, moderation_limit: Option<Money>) -> OrderSnapshot {
        let requires_moderation =
            self.moderation_is_enabled || moderation_limit.is_some_and(|limit| self.cost > limit);
        let (status, approval, customer_is_active) = (self.status, self.approval, self.customer_is_active);
        OrderSnapshot { status, approval, requires_moderation, customer_is_active }
    }

    /// Returns the input of the state machine for an action that does not charge the customer.
    #[must_use]
    pub fn snapshot(&self) -> OrderSnapshot {
        self.snapshot_with_limit(None)
    }

    #[must_use]
    pub fn bill(&self) -> BilledOrder {
        BilledOrder {
            cost: self.cost,
            refunded: self.refunded,
            quantity: self.quantity,
            delivered: self.current_quantity,
            precision: u8::try_from(self.rounding_precision).unwrap_or(6),
            is_paid: self.is_paid,
        }
    }
}

const SELECT_FACTS: &str = "SELECT o.id, o.user_id, o.service_id, o.name, o.url, o.status, o.approval, o.cost, o.refunded, o.refund_seq, o.quantity,
    o.current_quantity, o.rounding_precision, o.is_paid, s.moderation_is_enabled, s.has_active_providers, u.status = 'active' AS customer_is_active,
    u.name AS user_name, u.email AS user_email, u.notify_orders
  FROM orders o JOIN services s ON s.id = o.service_id JOIN users u ON u.id = o.user_id WHERE o.id IN ";

/// Locks orders in the order of their ids, and loads them.
pub async fn lock(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<Vec<OrderFacts>> {
    work.lock("orders", ids).await?;
    Ok(work.fetch_all(Sql::new(SELECT_FACTS).ids(ids).push(" ORDER BY o.id")).await?)
}

/// Loads which of the customers are frozen or deactivated. Call it after the customers are locked, because the status that was loaded
/// with the orders may have changed while the transaction waited for the lock.
pub async fn load_inactive_customers(work: &mut UnitOfWork, ids: &[UserId]) -> Result<BTreeSet<UserId>> {
    let sql = Sql::new("SELECT id FROM users WHERE status <> 'active' AND id IN ").ids(ids);
    Ok(work.fetch_all::<(UserId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Loads an order without a lock. Returns a 404 if the order does not exist.
pub async fn load_facts(db: &mut impl SqlExecutor, id: OrderId) -> Result<OrderFacts> {
    let row: Option<OrderFacts> = db.fetch_optional(Sql::new(SELECT_FACTS).ids(&[id])).await?;
    row.ok_or_else(|| Error::not_found("order", id))
}

#[derive(Debug, Clone)]
pub struct OrderTransition {
    /// The order before the change.
    pub order: OrderFacts,
    pub status: OrderStatus,
    /// The moderation decision after the change.
    pub approval: Option<Approval>,
    /// Whether this change charges the customer for the order.
    pub is_charged: bool,
    /// The amounts that this change refunds to each balance.
    pub refunds: Vec<(BalanceType, Money)>,
}

impl OrderTransition {
    /// Whether the order is in processing without a provider that can deliver it.
    #[must_use]
    pub fn is_without_provider(&self) -> bool {
        self.status == OrderStatus::InProcessing && !self.order.has_active_providers
    }

    /// Returns the amount that this change refunds to all balances together.
    #[must_use]
    pub fn refund_total(&self) -> Money {
        Money(self.refunds.iter().map(|(_, amount)| amount.0).sum())
    }
}

/// Reason and description of a cancellation.
#[derive(Debug, Clone, Default)]
pub struct CancelTexts {
    pub reason: Option<String>,
    pub description: Option<String>,
}

/// Writes the changes. Returns a 409 if an order no longer has the status that was loaded.
pub async fn write_transitions(
    work: &mut UnitOfWork,
    transitions: &[OrderTransition],
    cancel_texts: &CancelTexts,
) -> Result<()> {
    let row = |transition: &OrderTransition| OrderStatusChange {
        id: transition.order.id,
        from: transition.order.status,
        to: transition.status,
        approval: transition.approval,
        is_paid: transition.order.is_paid || transition.is_charged,
        refund: (!transition.refunds.is_empty()).then(|| transition.refund_total()),
        is_without_provider: transition.is_without_provider(),
    };
    let (now, reason_and_description) =
        (work.now, (cancel_texts.reason.as_deref(), cancel_texts.description.as_deref()));
    let written_count = transitions::write_transitions(
        work,
        &transitions.iter().map(row).collect::<Vec<_>>(),
        reason_and_description,
        now,
    )
    .await?;
    if usize::try_from(written_count).ok() == Some(transitions.len()) {
        return Ok(());
    }
    // This cannot happen while the orders are locked. If it happened, the transaction must not commit only some of the changes.
    Err(Error::conflict(
        "order_changed_meanwhile",
        "Another request changed an order. Reload it and try again.",
    ))
}

/// Loads which balances paid for each of these orders, and how much.
pub async fn load_payment_shares(
    db: &mut impl SqlExecutor,
    ids: &[OrderId],
) -> Result<Vec<(OrderId, BalanceShare)>> {
    let sql = Sql::new(
        "SELECT order_id, balance_type, amount, refunded FROM order_balance_payments WHERE order_id IN ",
    )
    .ids(ids);
    let rows: Vec<(OrderId, BalanceType, Money, Money)> =
        db.fetch_all(sql.push(" ORDER BY order_id, balance_type")).await?;
    Ok(rows
        .into_iter()
        .map(|(id, balance, paid, refunded)| (id, BalanceShare { balance, paid, refunded }))
        .collect())
}

/// Records the refund to each balance.
pub async fn record_refunds(work: &mut UnitOfWork, transitions: &[OrderTransition]) -> Result<()> {
    let rows: Vec<Vec<Val>> = transitions
        .iter()
        .flat_map(|transition| {
            transition.refunds.iter().map(|(kind, amount)| {
                vec![transition.order.id.into(), kind.as_str().into(), (*amount).into()]
            })
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "UPDATE order_balance_payments SET refunded = order_balance_payments.refunded + r.amount FROM ",
    )
    .rows("r", &["order_id", "kind", "amount"], rows);
    work.execute(sql.push(" WHERE order_balance_payments.order_id = r.order_id AND order_balance_payments.balance_type = r.kind")).await?;
    Ok(())
}

/// Records the amount that each balance paid for a new order.
pub(super) async fn record_balance_payments(
    work: &mut UnitOfWork,
    id: OrderId,
    payment: &[(BalanceType, Money)],
) -> Result<()> {
    for (kind, amount) in payment {
        let sql =
            Sql::new("INSERT INTO order_balance_payments (order_id, balance_type, amount) VALUES (?, ?, ?)");
        work.execute(sql.bind(id).bind(kind.as_str()).bind(*amount)).await?;
    }
    Ok(())
}

/// Records that the main balance paid for these orders.
pub async fn record_charges(work: &mut UnitOfWork, transitions: &[&OrderTransition]) -> Result<()> {
    let rows: Vec<Vec<Val>> = transitions
        .iter()
        .filter(|transition| transition.order.cost > Money::ZERO)
        .map(|transition| vec![transition.order.id.into(), transition.order.cost.into()])
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "INSERT INTO order_balance_payments (order_id, balance_type, amount) SELECT r.order_id, 'main', r.amount FROM ",
    );
    work.execute(sql.rows("r", &["order_id", "amount"], rows)).await?;
    Ok(())
}

/// A commission or reward for an order, without the part that was already reversed.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub struct OrderEarning {
    pub order_id: OrderId,
    pub user_id: UserId,
    /// True for the owner of the order widget, false for the affiliate of the customer.
    pub is_widget_reward: bool,
    pub amount: Money,
}

/// Loads the commissions and rewards for these orders, without the parts that were already reversed.
pub async fn load_earnings(db: &mut impl SqlExecutor, ids: &[OrderId]) -> Result<Vec<OrderEarning>> {
    let sql = Sql::new(
        "SELECT e.order_id, e.user_id, t.kind LIKE 'order_widget_%' AS is_widget_reward, CAST(sum(e.amount) AS BIGINT) AS amount
         FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id WHERE e.type = 'referral' AND e.user_id IS NOT NULL AND e.order_id IN ",
    );
    let sql = sql.ids(ids).push(" GROUP BY 1, 2, 3 HAVING sum(e.amount) > 0 ORDER BY 1, 3, 2");
    Ok(db.fetch_all(sql).await?)
}
