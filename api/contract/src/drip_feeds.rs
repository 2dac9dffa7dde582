//! Drip-feeds: the same order placed again and again, paid ahead.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::Named;
use crate::ids::{DripFeedId, OrderId, ServiceId};
use crate::moment::{Stamp, Time};
use crate::orders::Promotable;
use crate::payments::PaymentUser;

crate::words! {
    /// Where a drip-feed or a subscription stands.
    BatchStatus { InProcessing = "in_processing", Completed = "completed", Canceled = "canceled" }
}

/// What the caller may do with it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct BatchActions {
    /// `POST …/{id}/cancel`.
    pub cancelable: bool,
}

/// A drip-feed: `runs` orders of `quantity` each, `minutes_between_runs` apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DripFeed {
    /// Its id.
    pub id: DripFeedId,
    /// What is delivered, usually the service's name when it began.
    pub name: String,
    /// Where it is delivered: what the customer typed.
    pub url: String,
    /// The customer.
    pub user: PaymentUser,
    /// The service of its orders.
    pub service: Named<ServiceId>,
    /// Where it stands.
    pub status: BatchStatus,
    /// How many orders it places in all.
    pub runs: i64,
    /// How many it has placed.
    pub orders_count: i64,
    /// Ids of the orders that it placed, the newest 100, newest first.
    pub orders: Vec<OrderId>,
    /// Unit price, per `pricing_per`.
    pub price: Money,
    /// Units that `price` is for.
    pub pricing_per: i64,
    /// Ordered by each run.
    pub quantity: i64,
    /// Ordered by all runs.
    pub total_quantity: i64,
    /// Paid ahead for all runs.
    pub cost: Money,
    /// Given back when it was canceled.
    pub returned: Money,
    /// What a cancel would give back now.
    pub refund_amount: Money,
    /// Minutes from one run to the next.
    pub minutes_between_runs: i64,
    /// ISO codes its orders are bound to.
    pub countries: Vec<String>,
    /// When the next run is due.
    pub next_run_at: Option<Time>,
    /// Why the last try of a run placed no order.
    pub last_error: Option<String>,
    /// When it began.
    pub created_at: Time,
    /// When it was completed.
    pub completed_at: Option<Time>,
    /// When it was canceled.
    pub canceled_at: Option<Time>,
    /// What its newest order knows of the promoted thing.
    pub promotable: Promotable,
    /// When it last changed.
    pub updated_at: Stamp,
    /// What the caller may do now.
    pub actions: BatchActions,
}

crate::wire!(DripFeed);
