//! Background work that ended the process that did it, and is left to a person.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{OrderId, QuarantineId, RecordId, SubscriptionId};
use crate::moment::Time;

crate::words! {
    /// Which background work claims a record.
    Poller {
        Mail = "mail",
        Sync = "sync",
        Telegram = "telegram",
        Webhook = "webhook",
        /// Reads the feed of a subscription's channel.
        SubscriptionPoll = "subscription_poll",
        /// Ends a subscription whose time is over.
        SubscriptionExpiry = "subscription_expiry",
        /// Places the orders of a subscription's content.
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
        /// Asks an external panel for our balance.
        Balance = "balance",
    }
}

crate::words! {
    /// Where a record stands.
    QuarantineStatus {
        /// A process died while it worked on this record, perhaps because of another one of its batch.
        Suspected = "suspected",
        /// A process of its own works on it, alone.
        Trying = "trying",
        /// That process died as well: a person decides.
        Quarantined = "quarantined",
    }
}

/// A record that no poller claims, because a process died while it worked on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineRow {
    /// Its id, never given to another record.
    pub id: QuarantineId,
    /// The work that claims it.
    pub poller: Poller,
    /// The record, by its id in the table of its poller: a job, an order, an external order and so on.
    pub record_id: RecordId,
    /// Whether it waits for its try, is being tried, or waits for a person.
    pub status: QuarantineStatus,
    /// How the process ended that worked on it alone, and its last words; none before.
    pub reason: Option<String>,
    /// How many processes died with it.
    pub deaths: i64,
    /// When the first death was noticed.
    pub first_death_at: Time,
    /// When a suspected record is tried alone.
    pub retry_at: Option<Time>,
    /// When anything here last changed.
    pub updated_at: Time,
    /// The order that it belongs to, where there is one.
    pub order_id: Option<OrderId>,
    /// The subscription that it belongs to, where there is one.
    pub subscription_id: Option<SubscriptionId>,
    /// What the caller may do with it.
    pub actions: QuarantineActions,
}

/// What the caller may do with a record in quarantine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineActions {
    /// `POST quarantine/{id}/release`.
    pub release: bool,
}

/// Records in quarantine by where they stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineCounts {
    /// Suspected, or being tried alone.
    pub suspected: i64,
    /// Left to a person.
    pub quarantined: i64,
}

crate::wire!(QuarantineRow, QuarantineCounts);
