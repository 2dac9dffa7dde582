//! Contains the only statement that inserts into the table `orders`. The caller decides the cost of an order and who pays for it.

use panel_contract::amount::Money;
use panel_contract::ids::{
    ComboOrderId, DripFeedId, FreeTrialId, OrderId, OrderWidgetId, ServiceId, SubscriptionId, UserId,
};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::orders::{Approval, OrderSource, OrderStatus};
use panel_platform::db::{DbResult, SqlExecutor};
use panel_platform::sql;

/// The record for which an order was placed, if the customer did not place the order directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderParent {
    /// A run of a drip-feed.
    DripFeed(DripFeedId),
    /// A subscription, which places an order for each new content.
    Subscription(SubscriptionId),
    /// A combo order, which consists of several orders.
    ComboOrder(ComboOrderId),
    /// A free-trial request.
    FreeTrial(FreeTrialId),
}

/// An order to insert, with the current price and terms of its service.
#[derive(Debug, Clone)]
pub struct NewOrderRow<'a> {
    pub name: &'a str,
    /// The URL to which the order is delivered, without surrounding spaces.
    pub url: &'a str,
    /// The initial status. An order in processing is dispatched at once. Every status except unpaid means that the customer was
    /// charged.
    pub status: OrderStatus,
    /// State of the moderation, if the order needs moderation.
    pub approval: Option<Approval>,
    pub source: OrderSource,
    pub user_id: UserId,
    pub service_id: ServiceId,
    /// The amount that this customer pays for the quantity.
    pub cost: Money,
    /// Price of `pricing_per` units, before discounts and other modifiers.
    pub price: Money,
    /// Number of units that `price` covers.
    pub pricing_per: i64,
    /// Number of decimals to which the charge and the refunds are rounded.
    pub rounding_precision: u8,
    pub quantity: i64,
    pub has_refill: bool,
    /// Whether the server requests refills automatically.
    pub auto_refill_is_allowed: bool,
    /// Whether no provider of the service is active. Stored only for an order in processing.
    pub is_without_provider: bool,
    pub parent: Option<OrderParent>,
    pub order_widget_id: Option<OrderWidgetId>,
    /// Whether the customer is a child panel.
    pub is_child_panel: bool,
}

/// Inserts an order and returns its id.
pub async fn insert(
    db: &mut impl SqlExecutor,
    order: &NewOrderRow<'_>,
    (now, timestamp): (Time, Timestamp),
) -> DbResult<OrderId> {
    let is_in_processing = order.status == OrderStatus::InProcessing;
    let sql = sql!(
        "INSERT INTO orders (name, url, status, approval, source, user_id, service_id, cost, price, pricing_per, \
           rounding_precision, quantity,
           is_paid, has_refill, auto_refill_is_allowed, has_no_active_providers, drip_feed_id, subscription_id, \
           combo_order_id, free_trial_id,
           dispatch_at, order_widget_id, is_child_panel, created_at, updated_at)
         VALUES (@name, @url, @status, @approval, @source, @user_id, @service_id, @cost, @price, @pricing_per, \
           @rounding_precision, @quantity, @is_paid, @has_refill, @auto_refill_is_allowed, @has_no_active_providers, \
           @drip_feed_id, @subscription_id, @combo_order_id, @free_trial_id, @dispatch_at, @order_widget_id, @is_child_panel, \
           @now, @timestamp) RETURNING id",
        {
            name: order.name,
            url: order.url,
            status: order.status.as_str(),
            approval: order.approval.map(Approval::as_str),
            source: order.source.as_str(),
            user_id: order.user_id,
            service_id: order.service_id,
            cost: order.cost,
            price: order.price,
            pricing_per: order.pricing_per,
            rounding_precision: i64::from(order.rounding_precision),
            quantity: order.quantity,
            is_paid: order.status != OrderStatus::Unpaid,
            has_refill: order.has_refill,
            auto_refill_is_allowed: order.auto_refill_is_allowed,
            has_no_active_providers: is_in_processing && order.is_without_provider,
            drip_feed_id: match order.parent { Some(OrderParent::DripFeed(id)) => Some(id), _ => None },
            subscription_id: match order.parent { Some(OrderParent::Subscription(id)) => Some(id), _ => None },
            combo_order_id: match order.parent { Some(OrderParent::ComboOrder(id)) => Some(id), _ => None },
            free_trial_id: match order.parent { Some(OrderParent::FreeTrial(id)) => Some(id), _ => None },
            dispatch_at: is_in_processing.then_some(now),
            order_widget_id: order.order_widget_id,
            is_child_panel: order.is_child_panel,
            now,
            timestamp,
        },
    );
    Ok(db.fetch_one::<(OrderId,)>(sql).await?.0)
}
