//! Subscriptions: orders for every new post of a channel, up to a limit.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::{Choice, Named};
use crate::drip_feeds::BatchStatus;
use crate::ids::{ServiceId, SubscriptionContentId, SubscriptionId};
use crate::moment::{Stamp, Time};
use crate::payments::PaymentUser;

crate::string_enum! {
    /// Status of a post: found and waiting for its orders, with placed orders, or skipped without orders.
    ContentStatus { Found = "found", Placed = "placed", Left = "left" }
}

crate::string_enum! {
    /// Billing of a subscription: all posts in advance, each post when it is found, or each period in advance.
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
    /// Customer of the subscription.
    pub user: PaymentUser,
    /// Status of the subscription.
    pub status: BatchStatus,
    /// How the customer pays for the subscription.
    pub billing_type: BillingType,
    /// Maximum number of posts that get orders.
    pub contents_limit: i64,
    /// Number of posts that have orders.
    pub subscription_contents_count: i64,
    /// Services that are ordered for each post.
    pub subscription_services: Vec<SubscriptionService>,
    /// Number of orders placed so far.
    pub orders_count: i64,
    /// Amount paid in advance; 0 if each post is charged when it is found.
    pub cost: Money,
    /// Amount refunded by the cancellation.
    pub returned: Money,
    /// Amount that a cancellation would refund now.
    pub refund_amount: Money,
    /// Names of the payment methods for the next period.
    pub recurring_payment_methods: Vec<String>,
    /// Minutes between finding a post and placing its orders.
    #[serde(default)]
    pub delay_minutes: i64,
    /// Number of posts from before the subscription that also get orders.
    #[serde(default)]
    pub old_contents: i64,
    /// When the channel was last polled successfully.
    #[serde(default)]
    pub looked_at: Option<Time>,
    /// When the channel is polled next.
    #[serde(default)]
    pub look_at: Option<Time>,
    /// Error of the last poll of the channel; null after a successful one.
    #[serde(default)]
    pub last_error: Option<String>,
    /// Why a found post has no orders yet, or why the subscription is paused.
    #[serde(default)]
    pub wait_reason: Option<String>,
    /// Length of a period in days, for recurring billing.
    #[serde(default)]
    pub period_days: Option<i64>,
    /// When the next renewal is due or retried.
    #[serde(default)]
    pub renews_at: Option<Time>,
    /// When it was paused because a renewal failed; `wait_reason` contains the reason.
    #[serde(default)]
    pub paused_at: Option<Time>,
    /// Latest end of the subscription.
    pub expired_at: Option<Time>,
    /// When the subscription was created.
    pub created_at: Time,
    /// When the subscription was completed; null before.
    pub completed_at: Option<Time>,
    /// When the subscription was canceled; null before.
    pub canceled_at: Option<Time>,
    /// When the record last changed.
    pub updated_at: Stamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: SubscriptionActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionActions {
    /// Whether the caller can call `POST …/{id}/cancel`.
    pub cancelable: bool,
    /// Whether the caller can call `POST …/{id}/renew`.
    #[serde(default)]
    pub renewable: bool,
}

/// A service that is ordered for each post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionService {
    /// Service, by id and name.
    pub service: Named<ServiceId>,
    /// Minimum quantity per post.
    pub quantity: i64,
    /// Maximum quantity per post; the quantity is chosen at random between the two.
    #[serde(default)]
    pub max_quantity: i64,
}

/// A post that was found in the channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionContent {
    /// Id of the subscription content.
    pub id: SubscriptionContentId,
    /// URL of the post.
    pub url: String,
    /// Number of orders for the post.
    pub orders_count: i64,
    /// When the subscription content was found.
    pub created_at: Time,
    /// Status of the post; older servers omit it for posts with orders.
    #[serde(default = "placed")]
    pub status: ContentStatus,
    /// When the post was published, if the feed contains it.
    #[serde(default)]
    pub published_at: Option<Time>,
    /// When its orders are placed or retried.
    #[serde(default)]
    pub due_at: Option<Time>,
    /// Why its orders could not be placed.
    #[serde(default)]
    pub last_error: Option<String>,
}

const fn placed() -> ContentStatus {
    ContentStatus::Placed
}

/// A subscription with its services and posts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Subscription {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: SubscriptionRow,
    /// The newest 100 posts.
    pub subscription_contents: Vec<SubscriptionContent>,
}

/// Options for forms and filters of subscriptions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionCollections {
    /// Values of `billing_type`.
    pub billing_types: Vec<Choice>,
}

/// Response of `POST subscriptions/{id}/renew`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RenewedSubscription {
    /// The subscription after the change.
    pub data: Subscription,
    /// Amount charged in advance for the next period, in the panel's currency.
    pub charged: Money,
}

crate::wire!(RenewedSubscription, Subscription, SubscriptionRow, SubscriptionCollections);
