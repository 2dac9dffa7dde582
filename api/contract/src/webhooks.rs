//! Webhooks: URLs to which the panel sends events.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{WebhookDeliveryId, WebhookId};
use crate::moment::{Time, Timestamp};

crate::string_enum! {
    /// Type of an event that the panel sends to webhooks.
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
        /// Sent only by `POST webhooks/{id}/test`.
        Test = "webhook.test",
    }
}

impl EventType {
    /// Event types that a webhook can subscribe to: all but `webhook.test`.
    pub const SUBSCRIBABLE_TYPES: &'static [Self] = &[
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
        /// The webhook is enabled, but the last deliveries failed.
        Failing = "failing",
        Disabled = "disabled",
        /// The panel disabled the webhook, after days of failures or a response 410.
        AutoDisabled = "auto_disabled",
    }
}

crate::string_enum! {
    /// Status of the delivery of an event.
    DeliveryStatus {
        /// The event is not delivered yet; the panel will try again.
        Pending = "pending",
        Delivered = "delivered",
        /// The delivery failed too often; the panel does not retry it.
        Failed = "failed",
    }
}

/// An event type with its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookType {
    /// Position of the event type in the list.
    pub id: i64,
    /// English name of the event type.
    pub name: String,
    /// Event type as in the body of deliveries, such as `order.created`.
    #[serde(rename = "type")]
    pub kind: EventType,
}

/// A webhook: a URL, and the event types that the panel sends to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Webhook {
    /// Id of the webhook.
    pub id: WebhookId,
    /// URL to which the panel sends deliveries.
    pub url: String,
    /// Secret that signs deliveries. Only the responses of `POST webhooks` and `POST webhooks/{id}/rotate-secret` have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Whether the webhook is enabled.
    pub is_active: bool,
    /// Status of the webhook: whether it is enabled, and whether its deliveries succeed.
    pub status: WebhookStatus,
    /// Why the panel disabled the webhook, one sentence; null if the panel did not disable it.
    pub notice: Option<String>,
    /// Event types that the webhook subscribes to.
    pub webhook_types: Vec<WebhookType>,
    /// Time since which deliveries fail; null while deliveries succeed.
    pub failing_since: Option<Time>,
    /// When a delivery last succeeded; null before the first success.
    pub last_delivered_at: Option<Time>,
    /// Time until which the previous secret also signs deliveries; null if there is only one secret.
    pub old_secret_until: Option<Time>,
    /// When the webhook was created.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
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
    /// Whether the caller can send `POST webhooks/{id}/test`.
    pub test: bool,
    /// Whether the caller can send `POST webhooks/{id}/rotate-secret`.
    pub rotate_secret: bool,
    /// Whether the caller can send `DELETE webhooks/{id}`.
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
    /// `updated_at` of the webhook that the editor read; 409 `stale_record` if the webhook has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// The delivery of an event to a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookDelivery {
    /// Id of the delivery.
    pub id: WebhookDeliveryId,
    /// Id of the webhook that the event is for.
    pub webhook_id: WebhookId,
    /// Value of the header `webhook-id`, the same for every attempt.
    pub message_id: String,
    /// Type of the delivered event.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// Status of the delivery: pending, delivered or failed.
    pub status: DeliveryStatus,
    /// Number of attempts so far.
    pub attempts: i64,
    /// HTTP status of the last response; null without a response.
    pub response_status: Option<i64>,
    /// Why the last attempt failed; null after a success.
    pub error: Option<String>,
    /// When the next attempt is due; null if there is none.
    pub next_attempt_at: Option<Time>,
    /// When the last attempt started; null before the first attempt.
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

/// An attempt of a delivery, without the signature, which the panel does not store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookAttempt {
    /// When the attempt started; also the header `webhook-timestamp`, in seconds.
    pub at: Time,
    /// URL to which the request was sent.
    pub url: String,
    /// HTTP status of the response; null without a response.
    pub status: Option<i64>,
    /// Beginning of the response body, without secrets; null without a response.
    pub response_body: Option<String>,
    /// Why the attempt failed; null after a success.
    pub error: Option<String>,
    /// Duration of the attempt in milliseconds.
    pub took_ms: i64,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookDeliveryActions {
    /// Whether the caller can send `POST webhooks/{id}/deliveries/{delivery_id}/redeliver`.
    pub redeliver: bool,
}

crate::json_bodies!(Webhook, WebhookDelivery, WebhookInput);
