//! What is sent to do something to an order, or to many.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::is_false;
use crate::ids::{OrderId, ProviderId};
use crate::orders::{CancelReason, Order};

/// How to cancel one order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelInput {
    /// Whether money goes back. False by default.
    #[serde(default)]
    pub return_money: bool,
    /// How much; the default refund when absent. Only with `return_money`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_reason: Option<CancelReason>,
    /// In words; required for `other`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_description: Option<String>,
    /// Whether the customer gets an e-mail. True by default.
    #[serde(default = "yes")]
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

fn yes() -> bool {
    true
}

/// How to cancel many orders; each returns its own default refund.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkCancelInput {
    /// 1 to 10,000 ids; duplicates count once.
    pub order_ids: Vec<OrderId>,
    /// Whether money goes back.
    #[serde(default)]
    pub return_money: bool,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_reason: Option<CancelReason>,
    /// In words; required for `other`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_description: Option<String>,
    /// Whether the customers get an e-mail. True by default.
    #[serde(default = "yes")]
    pub send_email_notification: bool,
}

/// Many orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderIds {
    /// 1 to 10,000 ids; duplicates count once.
    pub order_ids: Vec<OrderId>,
}

/// Moves orders to another provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeProviderInput {
    /// Must be active.
    pub provider_id: ProviderId,
    /// 1 to 10,000 ids; duplicates count once.
    pub order_ids: Vec<OrderId>,
    /// How much to order there; what is missing to the ordered quantity when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
    /// Lets `quantity` exceed what is missing; needs a reason.
    #[serde(default, skip_serializing_if = "is_false")]
    pub allow_excess: bool,
    /// Why more is ordered than is missing, for the audit trail; up to 2,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Goes on where an order would be delivered at a loss. A dry run says so before.
    #[serde(default, skip_serializing_if = "is_false")]
    pub confirm_negative_margin: bool,
}

/// Body of `set-has-refill`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HasRefillInput {
    /// The new value.
    pub has_refill: bool,
}

/// Body of `set-auto-refill-is-allowed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoRefillInput {
    /// The new value.
    pub auto_refill_is_allowed: bool,
}

/// Body of `change-url`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeUrlInput {
    /// An absolute http(s) address of at most 2,000 characters.
    pub url: String,
}

/// Body of `update-comment`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommentInput {
    /// At most 5,000 characters; null or empty removes it.
    pub comment: Option<String>,
}

/// Answer of `POST orders/{id}/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CanceledOrder {
    /// The order after the change.
    pub data: Order,
    /// The money that this cancel returned to the customer, in the panel's currency.
    pub returned: Money,
}

/// Answer of `POST orders/{id}/activate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActivatedOrder {
    /// The order after the change.
    pub data: Order,
    /// The money that this activation charged to the customer, in the panel's currency; zero for an order that was paid
    /// before.
    pub charged: Money,
}

crate::wire!(
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
