//! Subscriptions: orders for every new content of a channel, up to a limit.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::{Choice, Named};
use crate::drip_feeds::{BatchActions, BatchStatus};
use crate::moment::{Stamp, Time};
use crate::payments::PaymentUser;

crate::words! {
    /// How a subscription is paid: all contents ahead, each content when it comes, or ahead per period.
    BillingType { Prepaid = "prepaid", PerContent = "per_content", Recurring = "recurring" }
}

/// One row of the subscriptions list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionRow {
    /// Its id.
    pub id: i64,
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
    pub actions: BatchActions,
}

/// A service that each content gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionService {
    /// The service.
    pub service: Named,
    /// How many of it for each content.
    pub quantity: i64,
}

/// A content that was found and got its orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubscriptionContent {
    /// Its id.
    pub id: i64,
    /// Where it is.
    pub url: String,
    /// How many orders it got.
    pub orders_count: i64,
    /// When it was found.
    pub created_at: Time,
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

crate::wire!(Subscription, SubscriptionRow, SubscriptionCollections);
