//! Webhooks: URLs that the panel sends events to.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{WebhookDeliveryId, WebhookId};
use crate::moment::{Stamp, Time};

crate::string_enum! {
    /// Type of an event.
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
    /// Event types that a webhook can subscribe to: all but `webhook.test`.
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

crate::string_enum! {
    /// Status of a webhook.
    WebhookStatus {
        Active = "active",
        /// The last deliveries failed.
        Failing = "failing",
        Disabled = "disabled",
        /// Disabled by the panel after days of failures or a 410 response.
        SwitchedOff = "switched_off",
    }
}

crate::string_enum! {
    /// Status of a delivery.
    DeliveryStatus {
        /// Waits for the next attempt.
        Pending = "pending",
        Delivered = "delivered",
        /// Failed; there is no automatic retry.
        Failed = "failed",
    }
}

/// An event type with its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookType {
    /// Number of the event type.
    pub id: i64,
    /// English name of the event type.
    pub name: String,
    /// Value of the event type, as in the body of deliveries.
    #[serde(rename = "type")]
    pub kind: EventType,
}

/// A webhook with its status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Webhook {
    /// Id of the webhook.
    pub id: WebhookId,
    /// URL that deliveries are sent to.
    pub url: String,
    /// Secret that signs deliveries; only present once in the responses of create and rotate-secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Whether the webhook is enabled.
    pub is_active: bool,
    /// Status of the webhook.
    pub status: WebhookStatus,
    /// Why the panel disabled the webhook, one sentence.
    pub notice: Option<String>,
    /// Event types that the webhook subscribes to.
    pub webhook_types: Vec<WebhookType>,
    /// Start of the current series of failed deliveries.
    pub failing_since: Option<Time>,
    /// When a delivery last succeeded.
    pub last_delivered_at: Option<Time>,
    /// Until when the previous secret also signs deliveries.
    pub old_secret_until: Option<Time>,
    /// When the webhook was created.
    pub created_at: Time,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: WebhookActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookActions {
    /// Whether the caller can change URL and event types.
    pub editable: bool,
    /// Whether the caller can enable the webhook.
    pub enable: bool,
    /// Whether the caller can disable the webhook.
    pub disable: bool,
    /// Whether the caller can call `POST webhooks/{id}/test`.
    pub test: bool,
    /// Whether the caller can call `POST webhooks/{id}/rotate-secret`.
    pub rotate_secret: bool,
    /// Whether the caller can call `DELETE webhooks/{id}`.
    pub deletable: bool,
}

/// Body of `POST webhooks` and `PUT webhooks/{id}`. Absent fields of an update keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WebhookInput {
    /// Absolute https URL with a public address; required for a new webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether the webhook is enabled; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// Subscribed event types, at least one; required for a new webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_types: Option<Vec<EventType>>,
    /// `updated_at` of the webhook that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// The delivery of an event to a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookDelivery {
    /// Id of the webhook delivery.
    pub id: WebhookDeliveryId,
    /// Id of the webhook.
    pub webhook_id: WebhookId,
    /// Value of the header `webhook-id`, the same for every attempt.
    pub message_id: String,
    /// Type of the delivered event.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// Status of the delivery.
    pub status: DeliveryStatus,
    /// Number of attempts so far.
    pub attempts: i64,
    /// HTTP status of the last response; null without a response.
    pub response_status: Option<i64>,
    /// Error of the last attempt.
    pub error: Option<String>,
    /// When the next attempt is due.
    pub next_attempt_at: Option<Time>,
    /// When the last attempt started.
    pub attempted_at: Option<Time>,
    /// When the event happened.
    pub created_at: Time,
    /// Body of the delivery, the same bytes for every attempt.
    pub body: String,
    /// The last 20 attempts, oldest first.
    pub log: Vec<WebhookAttempt>,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: WebhookDeliveryActions,
}

/// An attempt of a delivery. The signature is never stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookAttempt {
    /// When the attempt started; also the header `webhook-timestamp`, in seconds.
    pub at: Time,
    /// URL of the request.
    pub url: String,
    /// HTTP status of the response; null without a response.
    pub status: Option<i64>,
    /// Beginning of the response body, without secrets.
    pub answer: Option<String>,
    /// Error of the attempt.
    pub error: Option<String>,
    /// Duration in milliseconds.
    pub took_ms: i64,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookDeliveryActions {
    /// Whether the caller can call `POST webhooks/{id}/deliveries/{delivery_id}/redeliver`.
    pub redeliver: bool,
}

crate::wire!(Webhook, WebhookDelivery, WebhookInput);
