//! Orders in the database: locked facts, conditional set-wise writes. A write names the status it was judged from.

use std::collections::BTreeSet;

use panel_contract::amount::Money;
use panel_contract::ids::{OrderId, ServiceId, UserId};
use panel_contract::orders::{Approval, OrderStatus};
use panel_contract::payments::BalanceType;
use panel_domain::orders::State;
use panel_kernel::error::{Error, Result};

use crate::stores::orders::moves::{self, OrderMove};
use panel_domain::refund::{Bill, Share};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::Work;

/// What actions look at, locked.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Facts {
    /// The order's id.
    pub id: OrderId,
    /// The customer.
    pub user_id: UserId,
    /// The service.
    pub service_id: ServiceId,
    /// What is delivered.
    pub name: String,
    /// Where it is delivered.
    pub url: String,
    /// Where it stands.
    pub status: OrderStatus,
    /// What moderation said.
    pub approval: Option<Approval>,
    /// Charged.
    pub cost: Money,
    /// Returned.
    pub refunded: Money,
    /// How often something was returned.
    pub refund_seq: i64,
    /// Ordered.
    pub quantity: i64,
    /// Delivered.
    pub current_quantity: i64,
    /// Decimals of its charge.
    pub rounding_precision: i64,
    /// Whether it was charged.
    pub is_paid: bool,
    /// Whether its service asks for moderation.
    pub moderation_is_enabled: bool,
    /// Whether a provider of its service is active.
    pub has_active_providers: bool,
    /// Whether the customer is neither frozen nor deactivated.
    pub customer_is_active: bool,
    /// The customer's name.
    pub user_name: String,
    /// The customer's e-mail address.
    pub user_email: String,
    /// Whether the customer wants mail about orders.
    pub notify_orders: bool,
}

impl Facts {
    /// What the transition table looks at, where an order may cost no more than `limit` without moderation.
    #[must_use]
    pub fn state_above(&self, limit: Option<Money>) -> State {
        let asks_for_moderation = self.moderation_is_enabled || limit.is_some_and(|limit| self.cost > limit);
        let (status, approval, customer_is_active) = (self.status, self.approval, self.customer_is_active);
        State { status, approval, asks_for_moderation, customer_is_active }
    }

    /// The same where nothing is about to be charged.
    #[must_use]
    pub fn state(&self) -> State {
        self.state_above(None)
    }

    /// The money side.
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
pub async fn lock(work: &mut Work, ids: &[OrderId]) -> Result<Vec<Facts>> {
    work.lock("orders", ids).await?;
    Ok(work.all(Sql::new(FACTS).ids(ids).push(" ORDER BY o.id")).await?)
}

/// Those of these customers who are frozen or deactivated. Read once the customers are locked: the status that was read with
/// the orders may have changed while the lock was waited for.
pub async fn inactive_customers(work: &mut Work, ids: &[UserId]) -> Result<BTreeSet<UserId>> {
    let sql = Sql::new("SELECT id FROM users WHERE status <> 'active' AND id IN ").ids(ids);
    Ok(work.all::<(UserId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Orders by id, to look at.
pub async fn facts(db: &mut impl Source, id: OrderId) -> Result<Facts> {
    let row: Option<Facts> = db.opt(Sql::new(FACTS).ids(&[id])).await?;
    row.ok_or_else(|| Error::not_found("order", id))
}

/// One order's change of status.
#[derive(Debug, Clone)]
pub struct Moved {
    /// The order as it was judged.
    pub facts: Facts,
    /// Where it stands then.
    pub status: OrderStatus,
    /// What moderation said then.
    pub approval: Option<Approval>,
    /// Charged with this change.
    pub charged: bool,
    /// Returned with this change, by balance.
    pub returned: Vec<(BalanceType, Money)>,
}

impl Moved {
    /// Whether nobody can deliver it now.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.status == OrderStatus::InProcessing && !self.facts.has_active_providers
    }

    /// Returned with this change.
    #[must_use]
    pub fn returned_total(&self) -> Money {
        Money(self.returned.iter().map(|part| part.1.0).sum())
    }
}

/// Why and how orders are canceled.
#[derive(Debug, Clone, Default)]
pub struct CancelWords {
    /// The reason's word.
    pub reason: Option<String>,
    /// In words.
    pub description: Option<String>,
}

/// Moves orders, each only from the status it was judged from.
pub async fn write_moves(work: &mut Work, moved: &[Moved], words: &CancelWords) -> Result<()> {
    let row = |moved: &Moved| OrderMove {
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
    // The locks make this impossible; if it happens all the same, nothing may be half done.
    Err(Error::conflict("order_changed_meanwhile", "An order changed meanwhile; reload and try again."))
}

/// What paid for each of these orders.
pub async fn shares(db: &mut impl Source, ids: &[OrderId]) -> Result<Vec<(OrderId, Share)>> {
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

/// Notes what went back to which balance.
pub async fn write_returns(work: &mut Work, moves: &[Moved]) -> Result<()> {
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
pub(super) async fn write_payment(
    work: &mut Work,
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

/// Notes that the main balance paid for orders.
pub async fn write_payments(work: &mut Work, moves: &[&Moved]) -> Result<()> {
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

/// What somebody earned by an order and was not taken back yet.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub struct Earned {
    /// The order.
    pub order_id: OrderId,
    /// Who has it.
    pub user_id: UserId,
    /// As the owner of the widget it came through, instead of as the one who brought its customer.
    pub by_widget: bool,
    /// How much.
    pub amount: Money,
}

/// What was earned by orders and was not taken back yet.
pub async fn commissions(db: &mut impl Source, ids: &[OrderId]) -> Result<Vec<Earned>> {
    let sql = Sql::new(
        "SELECT e.order_id, e.user_id, t.kind LIKE 'order_widget_%' AS by_widget, CAST(sum(e.amount) AS BIGINT) AS amount
         FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id WHERE e.type = 'referral' AND e.user_id IS NOT NULL AND e.order_id IN ",
    );
    let sql = sql.ids(ids).push(" GROUP BY 1, 2, 3 HAVING sum(e.amount) > 0 ORDER BY 1, 3, 2");
    Ok(db.all(sql).await?)
}
