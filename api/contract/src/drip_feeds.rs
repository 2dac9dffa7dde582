//! Drip-feeds: prepaid orders that the panel repeats at an interval.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::NamedRef;
use crate::ids::{DripFeedId, OrderId, ServiceId};
use crate::moment::{Time, Timestamp};
use crate::orders::Promotable;
use crate::payments::UserSummary;

crate::string_enum! {
    /// Status of a drip-feed or subscription.
    RecurringOrderStatus { InProcessing = "in_processing", Completed = "completed", Canceled = "canceled" }
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RecurringOrderActions {
    /// Whether the caller can send `POST …/{id}/cancel`.
    pub cancelable: bool,
}

/// A drip-feed: `runs` orders of `quantity` each, `minutes_between_runs` apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DripFeed {
    /// Id of the drip-feed.
    pub id: DripFeedId,
    /// Name of the delivery, by default the name of the service when the drip-feed was created.
    pub name: String,
    /// Link to deliver to, as the customer entered it.
    pub url: String,
    /// Customer who ordered the drip-feed.
    pub user: UserSummary,
    /// Service that each order is for, by id and name.
    pub service: NamedRef<ServiceId>,
    /// Status of the drip-feed.
    pub status: RecurringOrderStatus,
    /// Number of orders to place in total.
    pub runs: i64,
    /// Number of orders placed so far.
    pub orders_count: i64,
    /// Ids of the last 100 placed orders, newest first.
    pub orders: Vec<OrderId>,
    /// Price per `pricing_per` units, in the panel's currency.
    pub price: Money,
    /// Number of units that `price` is for.
    pub pricing_per: i64,
    /// Quantity of each order in units.
    pub quantity: i64,
    /// Quantity of all orders together, in units.
    pub total_quantity: i64,
    /// Amount that the customer paid in advance for all orders.
    pub cost: Money,
    /// Amount refunded by the cancellation; 0 if the drip-feed was not canceled.
    pub refunded: Money,
    /// Amount that a cancellation would refund now.
    pub refund_amount: Money,
    /// Time between two orders, in minutes.
    pub minutes_between_runs: i64,
    /// ISO codes of the countries that the orders are restricted to; empty for all countries.
    pub countries: Vec<String>,
    /// When the next order is due; null after the last order.
    pub next_run_at: Option<Time>,
    /// Why the last run placed no order; null after a successful run.
    pub last_error: Option<String>,
    /// When the drip-feed was created.
    pub created_at: Time,
    /// When the last order was placed; null until then.
    pub completed_at: Option<Time>,
    /// When the drip-feed was canceled; null until then.
    pub canceled_at: Option<Time>,
    /// Information about the promoted content, from the newest order.
    pub promotable: Promotable,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: RecurringOrderActions,
}

crate::json_bodies!(DripFeed);
