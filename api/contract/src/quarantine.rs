//! Records in quarantine: pollers skip them, because a process crashed while it worked on them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{OrderId, QuarantineId, RecordId, SubscriptionId};
use crate::moment::Time;

crate::string_enum! {
    /// A poller, which is a background loop that works on due records of one kind.
    Poller {
        Mail = "mail",
        Sync = "sync",
        Telegram = "telegram",
        Webhook = "webhook",
        /// Reads the feed of the channel of a subscription.
        SubscriptionPoll = "subscription_poll",
        /// Ends subscriptions that have expired.
        SubscriptionExpiry = "subscription_expiry",
        /// Places the orders for a post of a subscription.
        Content = "content",
        DripFeed = "drip_feed",
        /// Dispatches an order: decides its next step.
        Order = "order",
        /// Sends, reconciles or polls an external order.
        ExternalOrder = "external_order",
        Refill = "refill",
        /// Requests cancellations at external panels for cancel requests of customers.
        CancelRequest = "cancel_request",
        Counter = "counter",
        /// Requests the balance at an external panel.
        Balance = "balance",
    }
}

crate::string_enum! {
    /// Status of a quarantined record.
    QuarantineStatus {
        /// A process crashed while it worked on a batch with this record.
        Suspected = "suspected",
        /// A separate process works on this record alone, to test whether the record causes the crash.
        Trying = "trying",
        /// The separate process crashed as well, so staff must decide.
        Quarantined = "quarantined",
    }
}

/// A record that pollers skip, because a process crashed while it worked on the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineRow {
    /// Id of the quarantine entry, which is never reused.
    pub id: QuarantineId,
    /// Poller that skips the record.
    pub poller: Poller,
    /// Id of the record in the table of its poller, such as a job, an order or an external order.
    pub record_id: RecordId,
    /// Status of the record: it waits for a retry, is being retried, or waits for staff.
    pub status: QuarantineStatus,
    /// How the separate process ended, with its last output; null until it has ended.
    pub reason: Option<String>,
    /// Number of processes that crashed while they worked on the record.
    pub crashes: i64,
    /// When the first crash was detected.
    pub first_crash_at: Time,
    /// When a separate process retries the record; null unless the status is `suspected`.
    pub retry_at: Option<Time>,
    /// When the entry last changed.
    pub updated_at: Time,
    /// Id of the order that the record belongs to; null if there is none.
    pub order_id: Option<OrderId>,
    /// Id of the subscription that the record belongs to; null if there is none.
    pub subscription_id: Option<SubscriptionId>,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: QuarantineActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineActions {
    /// Whether the caller can send `POST quarantine/{id}/release`.
    pub release: bool,
}

/// Number of records in quarantine by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineCounts {
    /// Number of records with the status `suspected` or `trying`.
    pub suspected: i64,
    /// Number of records that wait for a decision of staff.
    pub quarantined: i64,
}

crate::json_bodies!(QuarantineRow, QuarantineCounts);
