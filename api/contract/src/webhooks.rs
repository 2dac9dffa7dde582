//! Webhooks: addresses of others that the panel tells what happens in it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{WebhookDeliveryId, WebhookId};
use crate::moment::{Stamp, Time};

crate::words! {
    /// What receivers can be told of.
    EventType {
        OrderCreated = "order.created",
        OrderStatusChanged = "order.status_changed",
        OrderCompleted = "order.completed",
        OrderCanceled = "order.canceled",
        PaymentCreated = "payment.created",
        WithdrawalCreated = "withdrawal.created",
        WithdrawalStatusChanged = "withdrawal.status_changed",
        UserCreated = "user.created",
        UserUpdated = "user.updated",
        UserStatusChanged = "user.status_changed",
        /// Only ever sent by the test button.
        Test = "webhook.test",
    }
}

impl EventType {
    /// What can be subscribed to: every word but the test's.
    pub const CHOICES: &'static [Self] = &[
        Self::OrderCreated,
        Self::OrderStatusChanged,
        Self::OrderCompleted,
        Self::OrderCanceled,
        Self::PaymentCreated,
        Self::WithdrawalCreated,
        Self::WithdrawalStatusChanged,
        Self::UserCreated,
        Self::UserUpdated,
        Self::UserStatusChanged,
    ];
}

crate::words! {
    /// How a webhook is doing.
    WebhookStatus {
        Active = "active",
        /// Its last deliveries failed.
        Failing = "failing",
        Disabled = "disabled",
        /// By the panel itself, after days of failures or an answer 410.
        SwitchedOff = "switched_off",
    }
}

crate::words! {
    /// What became of a delivery.
    DeliveryStatus {
        /// It waits for its next attempt.
        Pending = "pending",
        Delivered = "delivered",
        /// It is not tried again by itself.
        Failed = "failed",
    }
}

/// A type of event, for pickers and on a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookType {
    /// Its number.
    pub id: i64,
    /// What people call it.
    pub name: String,
    /// Its word, as in a delivery's body.
    #[serde(rename = "type")]
    pub kind: EventType,
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// Where deliveries go.
    pub url: String,
    /// What signs deliveries: only in the answers to create and rotate-secret, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Whether it is told anything.
    pub is_active: bool,
    /// How it is doing.
    pub status: WebhookStatus,
    /// Why the panel switched it off, in a sentence.
    pub notice: Option<String>,
    /// What it is told of.
    pub webhook_types: Vec<WebhookType>,
    /// Since when every delivery has failed.
    pub failing_since: Option<Time>,
    /// When a delivery last arrived.
    pub last_delivered_at: Option<Time>,
    /// Until when the secret before the last rotation signs as well.
    pub old_secret_until: Option<Time>,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: WebhookActions,
}

/// What the caller may do with a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookActions {
    /// Change its address and its types of event.
    pub editable: bool,
    /// Switch it on: it is off.
    pub enable: bool,
    /// Switch it off: it is on.
    pub disable: bool,
    /// `POST webhooks/{id}/test`.
    pub test: bool,
    /// `POST webhooks/{id}/rotate-secret`.
    pub rotate_secret: bool,
    /// `DELETE webhooks/{id}`.
    pub deletable: bool,
}

/// Body of `POST webhooks` and `PUT webhooks/{id}`; an update takes what is absent as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WebhookInput {
    /// An absolute https address that is not private; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether it is told anything; a new one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// What it is told of, at least one; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_types: Option<Vec<EventType>>,
    /// As it was read: refused when somebody changed the webhook meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// One event on its way to one webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookDelivery {
    /// Its id.
    pub id: WebhookDeliveryId,
    /// The webhook.
    pub webhook_id: WebhookId,
    /// The header `webhook-id`: the same at every attempt.
    pub message_id: String,
    /// What it tells.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// What became of it.
    pub status: DeliveryStatus,
    /// How often it was tried.
    pub attempts: i64,
    /// What the receiver answered last; none when it did not.
    pub response_status: Option<i64>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When it is tried again.
    pub next_attempt_at: Option<Time>,
    /// When the last attempt was.
    pub attempted_at: Option<Time>,
    /// When the event happened.
    pub created_at: Time,
    /// The body, the same bytes at every attempt.
    pub body: String,
    /// The last attempts, oldest first; at most 20.
    pub log: Vec<WebhookAttempt>,
    /// What the caller may do with it.
    pub actions: WebhookDeliveryActions,
}

/// One attempt at a delivery. The signature is never kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookAttempt {
    /// When it began; also the header `webhook-timestamp`, in seconds.
    pub at: Time,
    /// Where it went.
    pub url: String,
    /// What was answered; none when nothing was.
    pub status: Option<i64>,
    /// The beginning of the answer, without secrets.
    pub answer: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// Milliseconds it took.
    pub took_ms: i64,
}

/// What the caller may do with a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookDeliveryActions {
    /// `POST webhooks/{id}/deliveries/{delivery_id}/redeliver`.
    pub redeliver: bool,
}

crate::wire!(Webhook, WebhookDelivery, WebhookInput);
