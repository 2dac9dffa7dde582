//! Subscriptions: orders for every new content of a channel, up to a limit.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::{Choice, Named};
use crate::drip_feeds::BatchStatus;
use crate::ids::{ServiceId, SubscriptionContentId, SubscriptionId};
use crate::moment::{Stamp, Time};
use crate::payments::PaymentUser;

crate::words! {
    /// Where a content stands: found and waiting for its orders, with its orders, or left without any.
    ContentStatus { Found = "found", Placed = "placed", Left = "left" }
}

crate::words! {
    /// How a subscription is paid: all contents ahead, each content when it comes, or ahead per period.
    BillingType { Prepaid = "prepaid", PerContent = "per_content", Recurring = "recurring" }
}

/// One row of the subscriptions list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionRow {
    /// Its id.
    pub id: SubscriptionId,
    /// What it is called.
    pub name: String,
    /// The channel whose contents it follows: what the customer typed.
    pub url: String,
    /// What is followed, such as `youtube`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The customer.
    pub user: PaymentUser,
    /// Where it stands.
    pub status: BatchStatus,
    /// How it is paid.
    pub billing_type: BillingType,
    /// How many contents get orders.
    pub contents_limit: i64,
    /// How many contents have theirs.
    pub subscription_contents_count: i64,
    /// What each content gets.
    pub subscription_services: Vec<SubscriptionService>,
    /// Orders placed so far.
    pub orders_count: i64,
    /// Paid ahead; nothing where each content is paid when it comes.
    pub cost: Money,
    /// Given back when it was canceled.
    pub returned: Money,
    /// What a cancel would give back now.
    pub refund_amount: Money,
    /// Names of the methods that pay the next period.
    pub recurring_payment_methods: Vec<String>,
    /// Minutes between a content being found and its orders.
    #[serde(default)]
    pub delay_minutes: i64,
    /// Contents from before it began that get orders too.
    #[serde(default)]
    pub old_contents: i64,
    /// When its channel was last read without trouble.
    #[serde(default)]
    pub looked_at: Option<Time>,
    /// When its channel is read next.
    #[serde(default)]
    pub look_at: Option<Time>,
    /// Why its channel could not be read; empty once it could.
    #[serde(default)]
    pub last_error: Option<String>,
    /// Why a content that was found has no orders yet, or why it is paused.
    #[serde(default)]
    pub wait_reason: Option<String>,
    /// Days of a period, where it is paid by the period.
    #[serde(default)]
    pub period_days: Option<i64>,
    /// When its period is renewed, or the renewal tried again.
    #[serde(default)]
    pub renews_at: Option<Time>,
    /// Since when it is paused, because its period could not be renewed; `wait_reason` says why.
    #[serde(default)]
    pub paused_at: Option<Time>,
    /// When it ends at the latest.
    pub expired_at: Option<Time>,
    /// When it began.
    pub created_at: Time,
    /// When it was completed.
    pub completed_at: Option<Time>,
    /// When it was canceled.
    pub canceled_at: Option<Time>,
    /// When it last changed.
    pub updated_at: Stamp,
    /// What the caller may do now.
    pub actions: SubscriptionActions,
}

/// What the caller may do with a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionActions {
    /// `POST …/{id}/cancel`.
    pub cancelable: bool,
    /// `POST …/{id}/renew`.
    #[serde(default)]
    pub renewable: bool,
}

/// A service that each content gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionService {
    /// The service.
    pub service: Named<ServiceId>,
    /// How many of it for each content, at least.
    pub quantity: i64,
    /// How many of it for each content, at most; between the two it is chosen by chance.
    #[serde(default)]
    pub max_quantity: i64,
}

/// A content that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionContent {
    /// Its id.
    pub id: SubscriptionContentId,
    /// Where it is.
    pub url: String,
    /// How many orders it got.
    pub orders_count: i64,
    /// When it was found.
    pub created_at: Time,
    /// Where it stands; those of before have their orders.
    #[serde(default = "placed")]
    pub status: ContentStatus,
    /// When it was published, where its feed says so.
    #[serde(default)]
    pub published_at: Option<Time>,
    /// When its orders are placed, or tried again.
    #[serde(default)]
    pub due_at: Option<Time>,
    /// Why its orders could not be placed.
    #[serde(default)]
    pub last_error: Option<String>,
}

const fn placed() -> ContentStatus {
    ContentStatus::Placed
}

/// One subscription with its services and contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Subscription {
    /// What the list shows.
    #[serde(flatten)]
    pub row: SubscriptionRow,
    /// The newest 100 contents.
    pub subscription_contents: Vec<SubscriptionContent>,
}

/// What pickers of subscriptions offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionCollections {
    /// How subscriptions are paid.
    pub billing_types: Vec<Choice>,
}

/// Answer of `POST subscriptions/{id}/renew`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RenewedSubscription {
    /// The subscription after the change.
    pub data: Subscription,
    /// The money that the customer paid ahead for the next period, in the panel's currency.
    pub charged: Money,
}

crate::wire!(RenewedSubscription, Subscription, SubscriptionRow, SubscriptionCollections);
