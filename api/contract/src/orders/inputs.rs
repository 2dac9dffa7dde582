//! Request bodies of actions on orders, and their responses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::is_false;
use crate::ids::{OrderId, ProviderId};
use crate::orders::{CancelReason, Order};

/// Body of `POST orders/{id}/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelInput {
    /// Whether to refund the customer; defaults to false.
    #[serde(default)]
    pub return_money: bool,
    /// Amount to refund, only with `return_money`; defaults to the amount of `GET orders/{id}/refund-amount`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// Reason of the cancellation; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_reason: Option<CancelReason>,
    /// Description of the reason, at most 2,000 characters; required for the reason `other`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_description: Option<String>,
    /// Whether the customer gets an email; defaults to true.
    #[serde(default = "default_true")]
    pub send_email_notification: bool,
}

impl Default for CancelInput {
    fn default() -> Self {
        Self {
            return_money: false,
            amount: None,
            cancel_reason: None,
            cancel_description: None,
            send_email_notification: true,
        }
    }
}

fn default_true() -> bool {
    true
}

/// Body of `POST orders/cancel`; each order refunds its default amount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkCancelInput {
    /// 1 to 10,000 ids of orders; duplicates count once.
    pub order_ids: Vec<OrderId>,
    /// Whether to refund the customers; defaults to false.
    #[serde(default)]
    pub return_money: bool,
    /// Reason of the cancellation; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_reason: Option<CancelReason>,
    /// Description of the reason, at most 2,000 characters; required for the reason `other`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_description: Option<String>,
    /// Whether the customers get an email; defaults to true.
    #[serde(default = "default_true")]
    pub send_email_notification: bool,
}

/// Body of the bulk actions on orders that need only ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderIds {
    /// 1 to 10,000 ids of orders; duplicates count once.
    pub order_ids: Vec<OrderId>,
}

/// Body of `POST orders/change-provider`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeProviderInput {
    /// Id of the new provider, which must be active.
    pub provider_id: ProviderId,
    /// 1 to 10,000 ids of orders; duplicates count once.
    pub order_ids: Vec<OrderId>,
    /// Quantity to order at the provider; defaults to the undelivered units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
    /// Whether `quantity` may exceed the undelivered units; requires a reason.
    #[serde(default, skip_serializing_if = "is_false")]
    pub allow_excess: bool,
    /// Reason for ordering more than the undelivered units, for the audit log; up to 2,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Accept orders that cost more at the provider than the customer paid. A dry run reports their margins.
    #[serde(default, skip_serializing_if = "is_false")]
    pub confirm_negative_margin: bool,
}

/// Body of `POST orders/{id}/set-has-refill`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HasRefillInput {
    /// Whether a refill of the order can be requested.
    pub has_refill: bool,
}

/// Body of `POST orders/{id}/set-auto-refill-is-allowed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoRefillInput {
    /// Whether the panel requests refills automatically.
    pub auto_refill_is_allowed: bool,
}

/// Body of `POST orders/{id}/change-url`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeUrlInput {
    /// New link: an absolute http(s) URL of at most 2,000 characters.
    pub url: String,
}

/// Body of `POST orders/{id}/update-comment`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommentInput {
    /// Internal comment, at most 5,000 characters; null or empty removes it.
    pub comment: Option<String>,
}

/// Response of `POST orders/{id}/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CanceledOrder {
    /// Order after the cancellation.
    pub data: Order,
    /// Amount refunded by this cancellation, in the panel's currency.
    pub refunded: Money,
}

/// Response of `POST orders/{id}/activate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActivatedOrder {
    /// Order after the activation.
    pub data: Order,
    /// Amount charged by this activation, in the panel's currency; 0 for an order that was already paid.
    pub charged: Money,
}

crate::json_bodies!(
    ActivatedOrder,
    CanceledOrder,
    CancelInput,
    BulkCancelInput,
    OrderIds,
    ChangeProviderInput,
    HasRefillInput,
    AutoRefillInput,
    ChangeUrlInput,
    CommentInput
);
