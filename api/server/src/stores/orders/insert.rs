//! How an order begins: the only INSERT of the table. What it costs and who pays for it is decided above.

use panel_contract::amount::Money;
use panel_contract::ids::{
    ComboOrderId, DripFeedId, FreeTrialId, OrderId, OrderWidgetId, ServiceId, SubscriptionId, UserId,
};
use panel_contract::moment::{Stamp, Time};
use panel_contract::orders::{Approval, OrderSource, OrderStatus};
use panel_platform::db::{DbResult, Source};
use panel_platform::sql;

/// What an order belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// A run of this drip-feed.
    DripFeed(DripFeedId),
    /// For a content of this subscription.
    Subscription(SubscriptionId),
    /// A part of this combo order.
    ComboOrder(ComboOrderId),
    /// What this free-trial request asked for.
    FreeTrial(FreeTrialId),
}

/// An order that is to be written, with the terms of its service at that moment.
#[derive(Debug, Clone)]
pub struct NewOrderRow<'a> {
    /// Name of the service.
    pub name: &'a str,
    /// Where it is delivered, without space around it.
    pub url: &'a str,
    /// Its first status: one in processing is dispatched at once, one that is not unpaid was charged.
    pub status: OrderStatus,
    /// What moderation is asked, where it comes there.
    pub approval: Option<Approval>,
    /// Which intake it came through.
    pub source: OrderSource,
    /// The customer.
    pub user_id: UserId,
    /// The service.
    pub service_id: ServiceId,
    /// What the quantity costs this customer.
    pub cost: Money,
    /// Price of `pricing_per` units before all modifiers.
    pub price: Money,
    /// Units that `price` is for.
    pub pricing_per: i64,
    /// Decimals that its charge and its refunds are rounded to.
    pub rounding_precision: u8,
    /// Units ordered.
    pub quantity: i64,
    /// Whether a refill may be requested.
    pub has_refill: bool,
    /// Whether it refills without a request.
    pub auto_refill_is_allowed: bool,
    /// Whether no provider of its service is active; counts while it is in processing.
    pub is_without_provider: bool,
    /// What placed it, where that is no person.
    pub parent: Option<Parent>,
    /// The widget that it came through.
    pub order_widget_id: Option<OrderWidgetId>,
    /// Whether its customer is a child panel.
    pub is_child_panel: bool,
}

/// Writes an order; its id.
pub async fn insert(
    db: &mut impl Source,
    order: &NewOrderRow<'_>,
    (now, stamp): (Time, Stamp),
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
           @now, @stamp) RETURNING id",
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
            drip_feed_id: match order.parent { Some(Parent::DripFeed(id)) => Some(id), _ => None },
            subscription_id: match order.parent { Some(Parent::Subscription(id)) => Some(id), _ => None },
            combo_order_id: match order.parent { Some(Parent::ComboOrder(id)) => Some(id), _ => None },
            free_trial_id: match order.parent { Some(Parent::FreeTrial(id)) => Some(id), _ => None },
            dispatch_at: is_in_processing.then_some(now),
            order_widget_id: order.order_widget_id,
            is_child_panel: order.is_child_panel,
            now,
            stamp,
        },
    );
    Ok(db.one::<(OrderId,)>(sql).await?.0)
}
