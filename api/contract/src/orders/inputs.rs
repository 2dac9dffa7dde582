//! What is sent to do something to an order, or to many.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::orders::CancelReason;

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
    pub order_ids: Vec<i64>,
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
    pub order_ids: Vec<i64>,
}

/// Moves orders to another provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeProviderInput {
    /// Must be active.
    pub provider_id: i64,
    /// 1 to 10,000 ids; duplicates count once.
    pub order_ids: Vec<i64>,
    /// How much to order there; what is undelivered when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<i64>,
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

crate::wire!(
    CancelInput,
    BulkCancelInput,
    OrderIds,
    ChangeProviderInput,
    HasRefillInput,
    AutoRefillInput,
    ChangeUrlInput,
    CommentInput
);
