//! Drip-feeds in the reseller API. `add` returns the id of the first order, and this id represents the whole drip-feed: the action
//! `status` returns the totals of all runs, and the action `cancel` ends future runs and requests the cancellation of open orders.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::drip_feeds::RecurringOrderStatus;
use panel_contract::ids::{DripFeedId, OrderId, UserId};
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use super::protocol;
use crate::operations::drip_feeds;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// A drip-feed with the totals of its orders.
#[derive(Debug, sqlx::FromRow)]
struct WholeDripFeed {
    first_order: OrderId,
    status: RecurringOrderStatus,
    cost: Money,
    /// Amount that the cancellation of the drip-feed refunded.
    refunded: Money,
    /// Sum of the refunds of all orders of the drip-feed.
    refunded_for_orders: Money,
    quantity: i64,
    /// Delivered units. A completed order counts with its full quantity.
    delivered: i64,
    /// Number of orders that are neither completed nor canceled.
    open_count: i64,
    /// Number of open orders that wait for payment or moderation.
    waiting_count: i64,
    start_count: Option<i64>,
    cancel_status: Option<String>,
}

/// A locked drip-feed that a request cancels.
#[derive(Debug)]
pub(super) struct LockedDripFeed {
    id: DripFeedId,
    status: RecurringOrderStatus,
    /// The orders of the drip-feed that are neither completed nor canceled.
    pub(super) open_orders: Vec<OrderId>,
}

impl LockedDripFeed {
    /// Returns why neither runs nor orders were canceled; `None` if some were canceled. `order_rejections` holds the reason for
    /// each order whose cancellation was rejected.
    fn rejection_message(&self, order_rejections: &BTreeMap<OrderId, String>) -> Option<String> {
        if self.status == RecurringOrderStatus::InProcessing
            || self.open_orders.iter().any(|id| !order_rejections.contains_key(id))
        {
            return None;
        }
        let order_rejection = self.open_orders.iter().find_map(|id| order_rejections.get(id)).cloned();
        order_rejection.or_else(|| {
            let check = drip_feeds::check_cancel(self.status, "drip-feed", "drip_feed_not_cancelable");
            check.err().map(|rejection| rejection.message)
        })
    }
}

// Rules

impl WholeDripFeed {
    fn status_name(&self) -> &'static str {
        let is_open = self.open_count > 0 || self.status == RecurringOrderStatus::InProcessing;
        match (is_open, self.delivered) {
            (true, 0) if self.waiting_count > 0 && self.waiting_count == self.open_count => "Pending",
            (true, 0) => "Processing",
            (true, _) => "In progress",
            (false, 0) => "Canceled",
            (false, delivered) if delivered >= self.quantity => "Completed",
            (false, _) => "Partial",
        }
    }

    fn to_response(&self, currency: &str) -> Result<Value> {
        let mut response = json!({
            "charge": self.cost.minus(self.refunded)?.minus(self.refunded_for_orders)?,
            "start_count": self.start_count.map(|count| count.to_string()),
            "status": self.status_name(),
            "remains": (self.quantity - self.delivered).max(0).to_string(),
            "currency": currency,
        });
        if let Some(status) = &self.cancel_status {
            response["cancel_status"] = json!(status);
        }
        Ok(response)
    }
}

// Store

/// Loads the customer's drip-feeds whose first order is among `ids`, by the id of that order.
pub(super) async fn load_statuses(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    (ids, currency): (&[OrderId], &str),
) -> Result<BTreeMap<OrderId, Value>> {
    let sql = Sql::new(
        "SELECT f.first_order, d.status, d.cost, d.refunded, d.runs * d.quantity AS quantity, f.refunded_for_orders, f.delivered, f.open_count, f.waiting_count,
           (SELECT o.external_order_start_count FROM orders o WHERE o.id = f.first_order) AS start_count,
           (SELECT c.status FROM orders o JOIN order_cancel_requests c ON c.order_id = o.id WHERE o.drip_feed_id = d.id
             ORDER BY c.id DESC LIMIT 1) AS cancel_status
         FROM (SELECT o.drip_feed_id, min(o.id) AS first_order, CAST(sum(o.refunded) AS BIGINT) AS refunded_for_orders,
             CAST(sum(CASE WHEN o.status = 'completed' OR o.current_quantity > o.quantity THEN o.quantity ELSE o.current_quantity END) AS BIGINT) AS delivered,
             CAST(sum(CASE WHEN o.status IN ('completed', 'canceled') THEN 0 ELSE 1 END) AS BIGINT) AS open_count,
             CAST(sum(CASE WHEN o.status IN ('unpaid', 'in_moderation') THEN 1 ELSE 0 END) AS BIGINT) AS waiting_count
           FROM orders o WHERE o.drip_feed_id IN (SELECT x.drip_feed_id FROM orders x WHERE x.user_id = ? AND x.drip_feed_id IS NOT NULL AND x.id IN ",
    );
    let sql = sql.bind(user_id).ids(ids).push(
        ") GROUP BY o.drip_feed_id) f JOIN drip_feeds d ON d.id = f.drip_feed_id WHERE f.first_order IN ",
    );
    let feeds: Vec<WholeDripFeed> = db.fetch_all(sql.ids(ids)).await?;
    feeds.into_iter().map(|feed| Ok((feed.first_order, feed.to_response(currency)?))).collect()
}

/// Locks the drip-feeds of the customer whose first order is among `ids`, and returns them by the id of this order. Call it before
/// the orders are locked, so that a run that is being placed finishes first and no further run starts.
pub(super) async fn lock_drip_feeds(
    work: &mut UnitOfWork,
    user_id: UserId,
    ids: &[OrderId],
) -> Result<BTreeMap<OrderId, LockedDripFeed>> {
    let sql = Sql::new(
        "SELECT d.id, d.status FROM drip_feeds d WHERE d.user_id = ? AND d.id IN (SELECT x.drip_feed_id FROM orders x
           WHERE x.user_id = ? AND x.drip_feed_id IS NOT NULL AND x.id IN ",
    );
    let sql = sql.bind(user_id).bind(user_id).ids(ids).push(") ORDER BY d.id").for_update();
    let locked_feeds: Vec<(DripFeedId, RecurringOrderStatus)> = work.fetch_all(sql).await?;
    let feed_ids: Vec<DripFeedId> = locked_feeds.iter().map(|(id, _)| *id).collect();
    let sql = Sql::new(
        "SELECT o.drip_feed_id, o.id, o.status IN ('completed', 'canceled') FROM orders o WHERE o.drip_feed_id IN ",
    );
    let orders: Vec<(DripFeedId, OrderId, bool)> =
        work.fetch_all(sql.ids(&feed_ids).push(" ORDER BY o.id")).await?;
    let mut feeds = BTreeMap::new();
    for (id, status) in locked_feeds {
        let feed_orders = || orders.iter().filter(|(feed_id, _, _)| *feed_id == id);
        let open_orders = feed_orders().filter(|(_, _, is_ended)| !is_ended).map(|(_, id, _)| *id).collect();
        if let Some(first_order) =
            feed_orders().map(|(_, id, _)| *id).next().filter(|first_order| ids.contains(first_order))
        {
            feeds.insert(first_order, LockedDripFeed { id, status, open_orders });
        }
    }
    Ok(feeds)
}

/// Cancels the drip-feeds that still have runs to place, with the same action as staff, and refunds these runs. Returns by the id
/// of the first order why neither runs nor orders were canceled, or `None` if some were canceled.
pub(super) async fn cancel_drip_feeds(
    work: &mut UnitOfWork,
    feeds: &BTreeMap<OrderId, LockedDripFeed>,
    order_rejections: &BTreeMap<OrderId, String>,
) -> Result<BTreeMap<OrderId, Option<String>>> {
    let mut rejections = BTreeMap::new();
    for (first_order, feed) in feeds {
        let mut message = feed.rejection_message(order_rejections);
        if feed.status == RecurringOrderStatus::InProcessing {
            match drip_feeds::cancel_drip_feed(work, feed.id).await {
                Ok(()) => {}
                Err(Error::Rejected(rejection)) => message = Some(protocol::rejection_message(&rejection)),
                Err(error) => return Err(error),
            }
        }
        rejections.insert(*first_order, message);
    }
    Ok(rejections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drip_feed_is_open_until_its_last_order_has_ended() {
        let status_name = |status, open_count, waiting_count, delivered| {
            let money = Money::ZERO;
            let feed = WholeDripFeed {
                first_order: OrderId::new(1),
                status,
                cost: money,
                refunded: money,
                refunded_for_orders: money,
                quantity: 300,
                delivered,
                open_count,
                waiting_count,
                start_count: None,
                cancel_status: None,
            };
            feed.status_name()
        };
        use RecurringOrderStatus::{Canceled, Completed, InProcessing};
        assert_eq!(status_name(InProcessing, 1, 1, 0), "Pending");
        assert_eq!(status_name(InProcessing, 1, 0, 0), "Processing");
        assert_eq!(status_name(InProcessing, 0, 0, 100), "In progress", "further runs must follow");
        assert_eq!(status_name(Completed, 1, 0, 200), "In progress");
        assert_eq!(status_name(Completed, 0, 0, 300), "Completed");
        assert_eq!(status_name(Completed, 0, 0, 250), "Partial");
        assert_eq!(status_name(Canceled, 1, 0, 0), "Processing", "an order must still be open");
        assert_eq!(
            [status_name(Canceled, 0, 0, 0), status_name(Canceled, 0, 0, 100)],
            ["Canceled", "Partial"]
        );
    }
}
