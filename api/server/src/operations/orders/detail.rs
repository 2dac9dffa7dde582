//! Loads one order with all its details. The number of SQL statements is fixed.

use panel_contract::amount::{Money, Percent};
use panel_contract::common::NamedRef;
use panel_contract::ids::{
    ComboOrderId, DripFeedId, ExternalOrderId, ExternalPanelId, OrderId, PaymentId, PriceModificationId,
    ProviderId, RecordId, ServiceId, SubscriptionId, UserId,
};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::orders::{
    Approval, BalancePayment, CancelReason, CountSource, ExternalStatus, Order, OrderAttempt, OrderDetail,
    OrderLinks, OrderProvider, OrderRefill, OrderRow, OrderSource, OrderStatus, OrderUser, PriceModification,
    RefillStatistic, RefundPayment, TargetableValue,
};
use panel_contract::payments::{BalanceType, TransactionType};
use panel_domain::orders::{self, OrderSnapshot};
use panel_domain::states::placement_attempts::state::{AttemptColumns, AttemptState};
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::operations::orders::promotable::{self, PromotableColumns};
use panel_contract::orders::OrderCounter;
use panel_domain::refund::BilledOrder;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::sql;

/// A row of the orders lists.
#[derive(Debug, sqlx::FromRow)]
pub struct OrderListRow {
    id: OrderId,
    name: String,
    url: String,
    status: OrderStatus,
    approval: Option<Approval>,
    source: OrderSource,
    cost: Money,
    refunded: Money,
    provider_cost: Money,
    price: Money,
    quantity: i64,
    current_quantity: i64,
    created_at: Time,
    completed_at: Option<Time>,
    updated_at: Timestamp,
    is_paid: bool,
    has_refill: bool,
    auto_refill_is_allowed: bool,
    has_no_active_providers: bool,
    comment: Option<String>,
    subscription_id: Option<SubscriptionId>,
    drip_feed_id: Option<DripFeedId>,
    combo_order_id: Option<ComboOrderId>,
    service_id: ServiceId,
    service_name: String,
    service_moderates: bool,
    user_id: UserId,
    user_name: String,
    user_email: String,
    user_balance: Money,
    user_spent: Money,
    user_telegram: Option<String>,
    user_is_active: bool,
}

/// The columns of [`OrderListRow`], for the table aliases `o` (orders), `s` (services) and `u` (users).
pub const LIST_COLUMNS: &str = "o.id, o.name, o.url, o.status, o.approval, o.source, o.cost, o.refunded, o.provider_cost, o.price, o.quantity,
  o.current_quantity, o.created_at, o.completed_at, o.updated_at, o.is_paid, o.has_refill, o.auto_refill_is_allowed,
  o.has_no_active_providers, o.comment, o.subscription_id, o.drip_feed_id, o.combo_order_id, o.service_id, s.name AS service_name,
  s.moderation_is_enabled AS service_moderates, o.user_id, u.name AS user_name, u.email AS user_email, u.balance_main AS user_balance,
  u.spent AS user_spent, u.telegram_username AS user_telegram, u.status = 'active' AS user_is_active";

impl OrderListRow {
    /// The charge minus the refunds, in millionths of the currency; zero if the customer was never charged.
    fn net_charge(&self) -> i64 {
        if self.is_paid { self.cost.0 - self.refunded.0 } else { 0 }
    }

    /// Converts the row to the response, with the actions that the caller may use.
    #[must_use]
    pub fn into_response(self, scope: &Scope) -> OrderRow {
        let snapshot = OrderSnapshot {
            status: self.status,
            approval: self.approval,
            requires_moderation: self.service_moderates,
            customer_is_active: self.user_is_active,
        };
        let net_charge = self.net_charge();
        OrderRow {
            id: self.id,
            percent_of_current_fill: Percent::from_ratio(self.current_quantity, self.quantity)
                .unwrap_or_default(),
            margin_percent: Percent::from_ratio(net_charge - self.provider_cost.0, net_charge),
            actions: orders::actions(snapshot, self.has_refill, |permission| {
                scope.has_permission(permission)
            }),
            service: NamedRef { id: self.service_id, name: self.service_name },
            user: OrderUser {
                id: self.user_id,
                name: self.user_name,
                email: self.user_email,
                balance: self.user_balance,
                spent: self.user_spent,
                telegram_username: self.user_telegram,
            },
            name: self.name,
            url: self.url,
            status: self.status,
            approval: self.approval,
            source: self.source,
            cost: self.cost,
            refunded: self.refunded,
            price: self.price,
            quantity: self.quantity,
            current_quantity: self.current_quantity,
            created_at: self.created_at,
            completed_at: self.completed_at,
            updated_at: self.updated_at,
            is_paid: self.is_paid,
            has_refill: self.has_refill,
            auto_refill_is_allowed: self.auto_refill_is_allowed,
            has_no_active_providers: self.has_no_active_providers,
            comment: self.comment,
            subscription_id: self.subscription_id,
            drip_feed_id: self.drip_feed_id,
            combo_order_id: self.combo_order_id,
        }
    }
}

#[derive(Debug, sqlx::FromRow)]
struct OrderDetailRow {
    pricing_per: i64,
    rounding_precision: i64,
    quantity_for_full_fill: Option<i64>,
    external_order_start_count: Option<i64>,
    external_statistics_quantity: Option<i64>,
    cancel_reason: Option<String>,
    cancel_description: Option<String>,
    child_id: Option<i64>,
    countries: String,
    seo_keyword: Option<String>,
    keyword: Option<String>,
    refill_quantity: Option<i64>,
    refill_first_at: Option<Time>,
    refill_first_quantity: Option<i64>,
    refill_last_at: Option<Time>,
    refill_last_quantity: Option<i64>,
    refill_source: Option<CountSource>,
    drop_quantity: i64,
    #[sqlx(flatten)]
    promotable: PromotableColumns,
}

const DETAIL_COLUMNS: &str = "p.pricing_per, p.rounding_precision, p.quantity_for_full_fill, p.external_order_start_count, p.external_statistics_quantity,
  p.cancel_reason, p.cancel_description, p.child_id, p.countries, p.seo_keyword, p.keyword, p.refill_quantity, p.refill_first_at,
  p.refill_first_quantity, p.refill_last_at, p.refill_last_quantity, p.refill_source, p.drop_quantity";

/// Loads the response of `GET orders/{id}`.
pub async fn load_detail(ctx: &Ctx, id: OrderId) -> Result<OrderDetail> {
    let data = load(&mut ctx.db(), ctx, id).await?;
    let sql = Sql::new(
        "SELECT (SELECT max(id) FROM orders WHERE id < ?), (SELECT min(id) FROM orders WHERE id > ?)",
    )
    .bind(id)
    .bind(id);
    let (previous, next): (Option<OrderId>, Option<OrderId>) = (&mut ctx.db()).fetch_one(sql).await?;
    Ok(OrderDetail { data, links: OrderLinks { previous, next } })
}

/// Loads one order. Returns a 404 if it does not exist.
pub async fn load(db: &mut impl SqlExecutor, scope: &Scope, id: OrderId) -> Result<Order> {
    let sql = Sql::new("SELECT ").push(LIST_COLUMNS);
    let sql = sql.push(" FROM orders o JOIN services s ON s.id = o.service_id JOIN users u ON u.id = o.user_id WHERE o.id = ?").bind(id);
    let row: OrderListRow = db.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("order", id))?;
    let sql = Sql::new("SELECT ")
        .push(DETAIL_COLUMNS)
        .push(", ")
        .push(promotable::COLUMNS)
        .push(" FROM orders p WHERE p.id = ?");
    let detail: OrderDetailRow = db.fetch_one(sql.bind(id)).await?;
    let (cost, refunded, provider_cost, quantity) = (row.cost, row.refunded, row.provider_cost, row.quantity);
    let bill = BilledOrder {
        cost,
        refunded,
        quantity,
        delivered: row.current_quantity,
        precision: u8::try_from(detail.rounding_precision).unwrap_or(6),
        is_paid: row.is_paid,
    };
    let (service_id, service_name) = (row.service_id, row.service_name.clone());
    let revenue = Money(row.net_charge() - provider_cost.0);
    Ok(Order {
        row: row.into_response(scope),
        revenue,
        provider_cost,
        pricing_per: detail.pricing_per,
        quantity_for_full_fill: detail.quantity_for_full_fill,
        percent_of_external_statistics_fill: detail
            .external_statistics_quantity
            .and_then(|delivered| Percent::from_ratio(delivered, quantity)),
        external_order_start_count: detail.external_order_start_count,
        cancel_reason: detail.cancel_reason.as_deref().and_then(|reason| reason.parse::<CancelReason>().ok()),
        cancel_description: detail.cancel_description.clone(),
        child_id: detail.child_id,
        service_id,
        service_name,
        countries: serde_json::from_str(&detail.countries).unwrap_or_default(),
        seo_keyword: detail.seo_keyword.clone(),
        keyword: detail.keyword.clone(),
        refill_quantity: detail.refill_quantity,
        refund_amount: bill.default_refund()?,
        providers: load_providers(db, id, service_id).await?,
        external_panel_orders: load_attempts(db, id).await?,
        price_modifications: load_price_modifications(db, id).await?,
        refund_payments: load_refunds(db, id).await?,
        order_balance_payments: load_balance_payments(db, id).await?,
        targetable_values: load_target_values(db, id).await?,
        refill: refill_response(&detail),
        promotable: detail.promotable.into(),
        counter: load_counter(db, id).await?,
    })
}

/// Loads the last measurement of the counter service for an order.
async fn load_counter(db: &mut impl SqlExecutor, order: OrderId) -> Result<Option<OrderCounter>> {
    let sql = Sql::new(
        "SELECT start_count, last_count, counted_at, quantity, is_shared, last_error FROM order_counters WHERE order_id = ?",
    );
    Ok(db.fetch_optional(sql.bind(order)).await?)
}

fn refill_response(detail: &OrderDetailRow) -> OrderRefill {
    let statistic = |date: Option<Time>, quantity: Option<i64>| {
        Some(RefillStatistic { date: date?, quantity: quantity? })
    };
    OrderRefill {
        first: statistic(detail.refill_first_at, detail.refill_first_quantity),
        last: statistic(detail.refill_last_at, detail.refill_last_quantity),
        source: detail.refill_source,
        drop_quantity: detail.drop_quantity,
    }
}

/// Loads the providers of the order's service, then other providers to which the order was sent, each with the quantity that it
/// delivered and the cost.
pub async fn load_providers(
    db: &mut impl SqlExecutor,
    id: OrderId,
    service_id: ServiceId,
) -> Result<Vec<OrderProvider>> {
    let sql = sql!(
        "SELECT p.id, p.name, p.status, p.is_archived, CAST(COALESCE(sum(t.cost), 0) AS BIGINT), \
           CAST(COALESCE(sum(t.quantity), 0) AS BIGINT)
         FROM (SELECT provider_id, position FROM service_providers WHERE service_id = @service_id
           UNION ALL SELECT other.provider_id, NULL FROM (SELECT provider_id FROM external_panel_orders WHERE order_id = @id
             UNION SELECT provider_id FROM provider_statistics WHERE order_id = @id) other
           WHERE other.provider_id NOT IN (SELECT provider_id FROM service_providers WHERE service_id = @service_id)) l
         JOIN providers p ON p.id = l.provider_id
         LEFT JOIN provider_statistics t ON t.provider_id = p.id AND t.order_id = @id
         GROUP BY p.id, p.name, p.status, p.is_archived, l.position
         ORDER BY CASE WHEN l.position IS NULL THEN 1 ELSE 0 END, l.position, p.id",
        { service_id, id },
    );
    type ProviderRow = (ProviderId, String, String, bool, Money, i64);
    let rows: Vec<ProviderRow> = db.fetch_all(sql).await?;
    let to_response = |(id, name, status, is_archived, cost, quantity): ProviderRow| {
        let status = if is_archived { "archived".into() } else { status };
        OrderProvider { id, name, status, cost, quantity }
    };
    Ok(rows.into_iter().map(to_response).collect())
}

#[derive(sqlx::FromRow)]
struct AttemptRow {
    id: ExternalOrderId,
    external_order_id: Option<String>,
    provider_id: ProviderId,
    provider_name: String,
    panel_id: Option<ExternalPanelId>,
    panel_name: Option<String>,
    status: ExternalStatus,
    charge: Money,
    initial_quantity: i64,
    sold_quantity: i64,
    remains: Option<i64>,
    start_count: Option<i64>,
    last_error: Option<String>,
    last_request: Option<String>,
    last_response: Option<String>,
    not_forwarded: String,
    alert_at: Option<Time>,
    is_due: bool,
    sent_at: Option<Time>,
    cancel_requested_at: Option<Time>,
    created_at: Time,
}

impl AttemptRow {
    /// Whether it is unknown if the external panel accepted the order. `recreate` places an order again by the same rule.
    fn is_unknown(&self) -> bool {
        let state = AttemptState::of(AttemptColumns {
            status: self.status,
            is_by_hand: self.panel_id.is_none(),
            is_sent: self.sent_at.is_some(),
            has_external_id: self.external_order_id.is_some(),
            has_alert: self.alert_at.is_some(),
            is_due: self.is_due,
        });
        state.is_some_and(AttemptState::is_unknown)
    }
}

async fn load_attempts(db: &mut impl SqlExecutor, id: OrderId) -> Result<Vec<OrderAttempt>> {
    let sql = Sql::new(
        "SELECT e.id, e.external_order_id, e.provider_id, p.name AS provider_name, e.external_panel_id AS panel_id, x.name AS panel_name,
           e.status, e.charge, e.initial_quantity,
           COALESCE(e.sold_quantity, e.initial_quantity) AS sold_quantity, e.remains, e.start_count, e.last_error, e.last_request, e.last_response, e.not_forwarded, e.alert_at, e.due_at IS NOT NULL AS is_due, e.sent_at,
           e.cancel_requested_at, e.created_at
         FROM external_panel_orders e JOIN providers p ON p.id = e.provider_id LEFT JOIN external_panels x ON x.id = e.external_panel_id
         WHERE e.order_id = ? ORDER BY e.id DESC LIMIT 100",
    );
    let rows: Vec<AttemptRow> = db.fetch_all(sql.bind(id)).await?;
    let to_response = |row: AttemptRow| OrderAttempt {
        is_unknown: row.is_unknown(),
        id: row.id,
        external_panel_order_id: row.external_order_id,
        provider: NamedRef { id: row.provider_id, name: row.provider_name },
        external_panel: row.panel_id.zip(row.panel_name).map(|(id, name)| NamedRef { id, name }),
        status: row.status,
        charge: row.charge,
        initial_quantity: row.initial_quantity,
        sold_quantity: row.sold_quantity,
        remains: row.remains,
        start_count: row.start_count,
        last_error: row.last_error,
        last_request: row.last_request,
        last_response: row.last_response,
        not_forwarded: serde_json::from_str(&row.not_forwarded).unwrap_or_default(),
        alert_at: row.alert_at,
        cancel_requested_at: row.cancel_requested_at,
        created_at: row.created_at,
    };
    Ok(rows.into_iter().map(to_response).collect())
}

async fn load_price_modifications(db: &mut impl SqlExecutor, id: OrderId) -> Result<Vec<PriceModification>> {
    let sql = Sql::new(
        "SELECT id, modifier_id, name, type, cost_before, cost_after, is_speedup, has_countries FROM order_price_modifications
         WHERE order_id = ? ORDER BY id",
    );
    type ModificationRow = (PriceModificationId, Option<RecordId>, String, String, Money, Money, bool, bool);
    let rows: Vec<ModificationRow> = db.fetch_all(sql.bind(id)).await?;
    let to_response = |row: ModificationRow| PriceModification {
        id: row.0,
        modifier_id: row.1,
        name: row.2,
        kind: row.3,
        cost_before: row.4,
        cost_after: row.5,
        cost_diff: Money(row.5.0 - row.4.0),
        is_speedup: row.6,
        has_countries: row.7,
    };
    Ok(rows.into_iter().map(to_response).collect())
}

async fn load_refunds(db: &mut impl SqlExecutor, id: OrderId) -> Result<Vec<RefundPayment>> {
    let sql = Sql::new(
        "SELECT e.id, t.actor_id, a.name, e.account, e.transaction_type, e.created_at, e.amount
         FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id LEFT JOIN users a ON a.id = t.actor_id
         WHERE e.order_id = ? AND e.type = 'refund' AND e.user_id IS NOT NULL ORDER BY e.id DESC LIMIT 100",
    );
    type RefundRow = (PaymentId, Option<UserId>, Option<String>, BalanceType, TransactionType, Time, Money);
    let rows: Vec<RefundRow> = db.fetch_all(sql.bind(id)).await?;
    let to_response =
        |(id, actor_id, actor_name, kind, transaction_type, created_at, amount): RefundRow| RefundPayment {
            id,
            admin: actor_id.zip(actor_name).map(|(id, name)| NamedRef { id, name }),
            kind,
            transaction_type,
            created_at,
            amount,
        };
    Ok(rows.into_iter().map(to_response).collect())
}

async fn load_balance_payments(db: &mut impl SqlExecutor, id: OrderId) -> Result<Vec<BalancePayment>> {
    let sql = Sql::new(
        "SELECT amount, balance_type FROM order_balance_payments WHERE order_id = ? ORDER BY balance_type",
    );
    let rows: Vec<(Money, BalanceType)> = db.fetch_all(sql.bind(id)).await?;
    Ok(rows.into_iter().map(|(amount, balance_type)| BalancePayment { amount, balance_type }).collect())
}

async fn load_target_values(db: &mut impl SqlExecutor, id: OrderId) -> Result<Vec<TargetableValue>> {
    let sql = Sql::new("SELECT name, value FROM order_targetable_values WHERE order_id = ? ORDER BY id");
    let rows: Vec<(String, String)> = db.fetch_all(sql.bind(id)).await?;
    Ok(rows.into_iter().map(|(name, value)| TargetableValue { name, value }).collect())
}
