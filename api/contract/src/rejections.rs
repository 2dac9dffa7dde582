//! Messages with which external panels reject orders.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

crate::string_enum! {
    /// Why an external panel rejected an order. For each of these reasons the external panel has not created an order, so another
    /// attempt cannot create a duplicate.
    RejectionReason {
        /// The API token is invalid.
        InvalidKey = "invalid_key",
        /// The account at the external panel is suspended or not activated.
        AccountSuspended = "account_suspended",
        /// The balance at the external panel is too low.
        InsufficientFunds = "insufficient_funds",
        /// The external panel has an open order for the same link.
        DuplicateLink = "duplicate_link",
        /// The quantity is below the minimum of the service.
        QuantityBelow = "quantity_below",
        /// The quantity is above the maximum of the service.
        QuantityAbove = "quantity_above",
        /// The external panel has no service with this id.
        UnknownService = "unknown_service",
        /// The service exists, but the external panel does not sell it at the moment.
        ServiceDisabled = "service_disabled",
        /// The external panel does not accept the link.
        InvalidLink = "invalid_link",
        /// A field of the request is missing or invalid.
        InvalidRequest = "invalid_request",
        /// The rate limit of the external panel is exceeded.
        TooManyCalls = "too_many_calls",
    }
}

/// A message with which an external panel rejects orders. Also the body of `POST external-panels/{id}/rejection-messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectionMessage {
    /// Text of the message, 1 to 500 characters. The comparison ignores case, punctuation, spaces and HTML tags; `{number}` matches
    /// any number.
    pub message: String,
    /// Why the external panel rejects an order with this message.
    pub reason: RejectionReason,
}

crate::json_bodies!(RejectionMessage);
