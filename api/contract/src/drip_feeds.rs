//! Drip-feeds: prepaid orders that the panel repeats at an interval.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::Named;
use crate::ids::{DripFeedId, OrderId, ServiceId};
use crate::moment::{Stamp, Time};
use crate::orders::Promotable;
use crate::payments::PaymentUser;

crate::string_enum! {
    /// Status of a drip-feed or a subscription.
    BatchStatus { InProcessing = "in_processing", Completed = "completed", Canceled = "canceled" }
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct BatchActions {
    /// Whether the caller can call `POST …/{id}/cancel`.
    pub cancelable: bool,
}

/// A drip-feed: `runs` orders of `quantity` each, `minutes_between_runs` apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DripFeed {
    /// Id of the drip feed.
    pub id: DripFeedId,
    /// Name of the delivery, by default the name of the service when the drip-feed was created.
    pub name: String,
    /// Link to deliver to, as the customer entered it.
    pub url: String,
    /// Customer of the drip feed.
    pub user: PaymentUser,
    /// Service of the orders.
    pub service: Named<ServiceId>,
    /// Status of the drip feed.
    pub status: BatchStatus,
    /// Number of orders to place in total.
    pub runs: i64,
    /// Number of orders placed so far.
    pub orders_count: i64,
    /// Ids of the last 100 placed orders, newest first.
    pub orders: Vec<OrderId>,
    /// Unit price, per `pricing_per`.
    pub price: Money,
    /// Number of units that `price` is for.
    pub pricing_per: i64,
    /// Quantity of each order.
    pub quantity: i64,
    /// Quantity of all orders together.
    pub total_quantity: i64,
    /// Amount prepaid for all orders.
    pub cost: Money,
    /// Amount refunded when the drip-feed was canceled.
    pub returned: Money,
    /// Amount that a cancellation would refund now.
    pub refund_amount: Money,
    /// Minutes between two orders.
    pub minutes_between_runs: i64,
    /// ISO codes of the countries that the orders are restricted to.
    pub countries: Vec<String>,
    /// When the next order is due.
    pub next_run_at: Option<Time>,
    /// Why the last attempt placed no order.
    pub last_error: Option<String>,
    /// When the drip-feed was created.
    pub created_at: Time,
    /// When the drip feed was completed; null before.
    pub completed_at: Option<Time>,
    /// When the drip feed was canceled; null before.
    pub canceled_at: Option<Time>,
    /// Promoted content, as the newest order recorded it.
    pub promotable: Promotable,
    /// When the record last changed.
    pub updated_at: Stamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: BatchActions,
}

crate::wire!(DripFeed);
