//! Quarantine: background work that crashed its process and now waits for a decision of staff.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{OrderId, QuarantineId, RecordId, SubscriptionId};
use crate::moment::Time;

crate::string_enum! {
    /// Background poller that works on a record.
    Poller {
        Mail = "mail",
        Sync = "sync",
        Telegram = "telegram",
        Webhook = "webhook",
        /// Reads the feed of a subscription's channel.
        SubscriptionPoll = "subscription_poll",
        /// Ends an expired subscription.
        SubscriptionExpiry = "subscription_expiry",
        /// Places the orders for a post of a subscription.
        Content = "content",
        DripFeed = "drip_feed",
        /// Decides what an order does next.
        Order = "order",
        /// Sends, reconciles or polls an external order: whichever is due.
        ExternalOrder = "external_order",
        Refill = "refill",
        /// Asks external panels to cancel what customers requested to cancel.
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
        /// A separate process works on this record alone.
        Trying = "trying",
        /// The separate process crashed as well: staff must decide.
        Quarantined = "quarantined",
    }
}

/// A record that pollers skip, because a process crashed while it worked on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineRow {
    /// Id of the entry, never reused.
    pub id: QuarantineId,
    /// Poller that works on the record.
    pub poller: Poller,
    /// Id of the record in the table of its poller, such as a job, an order or an external order.
    pub record_id: RecordId,
    /// Whether the record waits for a retry, is being retried, or waits for staff.
    pub status: QuarantineStatus,
    /// How the separate process ended, with its last output; null before.
    pub reason: Option<String>,
    /// Number of crashed processes.
    pub deaths: i64,
    /// When the first crash was detected.
    pub first_death_at: Time,
    /// When a suspected record is retried alone.
    pub retry_at: Option<Time>,
    /// When the entry last changed.
    pub updated_at: Time,
    /// Id of the related order, if any.
    pub order_id: Option<OrderId>,
    /// Id of the related subscription, if any.
    pub subscription_id: Option<SubscriptionId>,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: QuarantineActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineActions {
    /// Whether the caller can call `POST quarantine/{id}/release`.
    pub release: bool,
}

/// Number of records in quarantine by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineCounts {
    /// Suspected records and those being retried alone.
    pub suspected: i64,
    /// Records that wait for staff.
    pub quarantined: i64,
}

crate::wire!(QuarantineRow, QuarantineCounts);
