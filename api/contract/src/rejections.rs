//! How external panels say that they did not take an order, as it crosses the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

crate::words! {
    /// Why a panel did not take an order. Each means that another attempt cannot make a second order.
    RejectionReason {
        /// It does not know our token.
        InvalidKey = "invalid_key",
        /// Our account there is suspended or not activated.
        AccountSuspended = "account_suspended",
        /// Our balance there is too low.
        InsufficientFunds = "insufficient_funds",
        /// It has an open order for this address.
        DuplicateLink = "duplicate_link",
        /// Fewer than its smallest order.
        QuantityBelow = "quantity_below",
        /// More than its largest order.
        QuantityAbove = "quantity_above",
        /// It does not sell this service.
        UnknownService = "unknown_service",
        /// It does not sell this service now.
        ServiceDisabled = "service_disabled",
        /// It does not accept the address.
        InvalidLink = "invalid_link",
        /// A field of the request is missing or wrong.
        InvalidRequest = "invalid_request",
        /// It was called too often.
        TooManyCalls = "too_many_calls",
    }
}

/// A message by which a panel says that it did not take an order.
/// Also the body of `POST external-panels/{id}/rejection-messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectionMessage {
    /// The panel's exact words, 1 to 500 characters; case, punctuation, spaces and HTML tags are not compared.
    /// `{number}` stands for any number.
    pub message: String,
    /// What the panel means by them.
    pub reason: RejectionReason,
}

crate::wire!(RejectionMessage);
