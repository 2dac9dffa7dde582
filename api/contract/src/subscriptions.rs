//! Subscriptions: the panel places orders for every new post of a channel, up to a limit.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::{Choice, NamedRef};
use crate::drip_feeds::RecurringOrderStatus;
use crate::ids::{ServiceId, SubscriptionContentId, SubscriptionId};
use crate::moment::{Time, Timestamp};
use crate::payments::UserSummary;

crate::string_enum! {
    /// Status of a post: `found` waits for its orders, `placed` has orders, `skipped` gets no orders.
    ContentStatus { Found = "found", Placed = "placed", Skipped = "skipped" }
}

crate::string_enum! {
    /// When the customer pays: `prepaid` for all posts in advance, `per_content` for each post when it is found, `recurring` for
    /// each period in advance.
    BillingType { Prepaid = "prepaid", PerContent = "per_content", Recurring = "recurring" }
}

/// A row of the subscriptions list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionRow {
    /// Id of the subscription.
    pub id: SubscriptionId,
    /// Name of the subscription.
    pub name: String,
    /// URL of the channel, as the customer entered it.
    pub url: String,
    /// Platform of the channel, such as `youtube`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Customer who ordered the subscription.
    pub user: UserSummary,
    /// Status of the subscription.
    pub status: RecurringOrderStatus,
    /// When the customer pays.
    pub billing_type: BillingType,
    /// Maximum number of posts that get orders.
    pub contents_limit: i64,
    /// Number of posts that have orders.
    pub subscription_contents_count: i64,
    /// Services that the panel orders for each post.
    pub subscription_services: Vec<SubscriptionService>,
    /// Number of orders placed so far.
    pub orders_count: i64,
    /// Amount that the customer paid in advance, in the panel's currency; 0 for the billing `per_content`.
    pub cost: Money,
    /// Amount refunded by the cancellation; 0 if the subscription was not canceled.
    pub refunded: Money,
    /// Amount that a cancellation would refund now.
    pub refund_amount: Money,
    /// Names of the payment methods that pay the next period.
    pub recurring_payment_methods: Vec<String>,
    /// Delay in minutes between the time at which the panel finds a post and the time at which it places the orders.
    #[serde(default)]
    pub delay_minutes: i64,
    /// Number of older posts, published before the subscription, that also get orders.
    #[serde(default)]
    pub old_contents: i64,
    /// When the panel last read the channel successfully; null before the first success.
    #[serde(default)]
    pub last_polled_at: Option<Time>,
    /// When the panel reads the channel next; null after the end of the subscription.
    #[serde(default)]
    pub next_poll_at: Option<Time>,
    /// Why the panel could not read the channel at the last attempt; null after a success.
    #[serde(default)]
    pub last_error: Option<String>,
    /// Why a post has no orders yet, or why the subscription is paused; null if neither applies.
    #[serde(default)]
    pub wait_reason: Option<String>,
    /// Length of a period in days; null unless the billing is `recurring`.
    #[serde(default)]
    pub period_days: Option<i64>,
    /// When the next renewal is due or retried; null unless the billing is `recurring`.
    #[serde(default)]
    pub renews_at: Option<Time>,
    /// When the subscription was paused because a renewal failed; `wait_reason` has the reason. Null unless paused.
    #[serde(default)]
    pub paused_at: Option<Time>,
    /// Time after which the subscription ends; null without a limit.
    pub expired_at: Option<Time>,
    /// When the subscription was created.
    pub created_at: Time,
    /// When the subscription was completed; null until then.
    pub completed_at: Option<Time>,
    /// When the subscription was canceled; null until then.
    pub canceled_at: Option<Time>,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: SubscriptionActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionActions {
    /// Whether the caller can send `POST …/{id}/cancel`.
    pub cancelable: bool,
    /// Whether the caller can send `POST …/{id}/renew`.
    #[serde(default)]
    pub renewable: bool,
}

/// A service that the panel orders for each post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionService {
    /// Ordered service, by id and name.
    pub service: NamedRef<ServiceId>,
    /// Minimum quantity per post, in units.
    pub quantity: i64,
    /// Maximum quantity per post, in units. The panel chooses a random quantity between `quantity` and `max_quantity`.
    #[serde(default)]
    pub max_quantity: i64,
}

/// A post that the panel found in the channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionContent {
    /// Id of the post in this panel.
    pub id: SubscriptionContentId,
    /// URL of the post, which is the link of its orders.
    pub url: String,
    /// Number of orders that were placed for the post.
    pub orders_count: i64,
    /// When the panel found the post.
    pub created_at: Time,
    /// Status of the post. Older servers omit it for posts with orders.
    #[serde(default = "default_status")]
    pub status: ContentStatus,
    /// When the post was published; null unless the feed reports it.
    #[serde(default)]
    pub published_at: Option<Time>,
    /// When the orders for the post are placed or retried; null once they are placed.
    #[serde(default)]
    pub due_at: Option<Time>,
    /// Why the orders for the post could not be placed; null if there was no error.
    #[serde(default)]
    pub last_error: Option<String>,
}

const fn default_status() -> ContentStatus {
    ContentStatus::Placed
}

/// A subscription with its services and posts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Subscription {
    /// Fields of a row of the subscriptions list.
    #[serde(flatten)]
    pub row: SubscriptionRow,
    /// Newest posts that the panel found, at most 100.
    pub subscription_contents: Vec<SubscriptionContent>,
}

/// Response of `GET subscriptions/collections`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionCollections {
    /// Values of `billing_type`.
    pub billing_types: Vec<Choice>,
}

/// Response of `POST subscriptions/{id}/renew`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RenewedSubscription {
    /// Subscription after the renewal.
    pub data: Subscription,
    /// Amount charged in advance for the next period, in the panel's currency.
    pub charged: Money,
}

crate::json_bodies!(RenewedSubscription, Subscription, SubscriptionRow, SubscriptionCollections);
