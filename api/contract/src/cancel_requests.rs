//! Cancel requests of customers, and the decisions of staff about them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::NamedRef;
use crate::ids::{CancelRequestId, ExternalOrderId, OrderId, ProviderId, UserId};
use crate::moment::Time;
use crate::orders::OrderStatus;
use crate::payments::UserSummary;

crate::string_enum! {
    /// Status of a cancel request. `requested` and `sent` are open; the others are final.
    CancelRequestStatus {
        /// The panel has not sent the request to a provider yet.
        Requested = "requested",
        /// The panel has requested the cancellation at the provider.
        Sent = "sent",
        /// The order is canceled, and the undelivered part is refunded.
        Confirmed = "confirmed",
        /// Staff rejected the request; the order continues.
        Rejected = "rejected",
        /// The order was completed before the request was decided.
        Expired = "expired",
    }
}

crate::string_enum! {
    /// Why staff must decide on a request.
    CancelRequestCause {
        /// The provider rejected the cancellation.
        ProviderRejected = "provider_rejected",
        /// The external panel cannot cancel orders of this service.
        NotSupported = "not_supported",
        /// The provider did not respond in time, or it is unknown whether the provider has the order.
        NoResponse = "no_answer",
        /// The provider agreed to cancel, but the external order did not end in time.
        NotEnded = "not_ended",
        /// Staff deliver the order manually.
        ManualDelivery = "by_hand",
    }
}

/// Actions that the caller's permissions and the status of the request allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct CancelRequestActions {
    /// Whether `POST order-cancel-requests/{id}/confirm` is allowed.
    pub confirmable: bool,
    /// Whether `POST order-cancel-requests/{id}/reject` is allowed.
    pub rejectable: bool,
}

/// The order that a cancel request is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CancelRequestOrder {
    /// Id of the order to cancel.
    pub id: OrderId,
    /// English name of the ordered service or package.
    pub name: String,
    /// Current status of the order.
    pub status: OrderStatus,
    /// Ordered quantity in units.
    pub quantity: i64,
    /// Delivered units that providers have reported.
    pub current_quantity: i64,
}

/// A customer's request to cancel an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderCancelRequest {
    /// Id of the cancel request.
    pub id: CancelRequestId,
    /// Order that the customer wants to cancel.
    pub order: CancelRequestOrder,
    /// Customer who placed the order.
    pub user: UserSummary,
    /// Id of the external order whose cancellation was requested at the provider; null if the panel has sent no request.
    pub external_order_id: Option<ExternalOrderId>,
    /// Provider that delivers the order; null while no provider is assigned.
    pub provider: Option<NamedRef<ProviderId>>,
    /// Status of the request; final once `decided_at` is set.
    pub status: CancelRequestStatus,
    /// Why staff must decide, or had to decide; null if the request was never escalated to staff.
    pub cause: Option<CancelRequestCause>,
    /// When the request was escalated to staff; null if it was never escalated.
    pub escalated_at: Option<Time>,
    /// Response of the provider, or the error of the last request to the provider; null if there is neither.
    pub provider_response: Option<String>,
    /// Amount that a confirmation would refund now by default. For a request that is no longer open, the refunded amount.
    pub refunded: Money,
    /// When the customer made the request.
    pub created_at: Time,
    /// When the panel first requested the cancellation at the provider; null until then.
    pub sent_at: Option<Time>,
    /// When the provider agreed to cancel; null until then. The refund waits until the provider reports the final quantity.
    pub acknowledged_at: Option<Time>,
    /// Deadline after which the request is escalated to staff.
    pub deadline_at: Time,
    /// When the request was confirmed, rejected or expired; null while the request is open.
    pub decided_at: Option<Time>,
    /// Staff member who decided; null if the provider or the panel decided.
    pub decided_by: Option<NamedRef<UserId>>,
    /// Actions that the caller's permissions and the status of the request allow.
    pub actions: CancelRequestActions,
}

/// Body of a confirmation, which cancels the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmCancelRequestInput {
    /// Amount to refund, at most the paid amount minus earlier refunds. Defaults to the part that is undelivered according
    /// to the last quantity of the provider, or to 0 if the service has no refunds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// Whether the customer gets an email; defaults to true.
    #[serde(default = "default_true")]
    pub send_email_notification: bool,
}

impl Default for ConfirmCancelRequestInput {
    fn default() -> Self {
        Self { amount: None, send_email_notification: true }
    }
}

/// Body of a bulk confirmation; each request refunds its default amount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmCancelRequestsInput {
    /// 1 to 10,000 ids of requests; duplicates count once.
    pub ids: Vec<CancelRequestId>,
    /// Whether the customers get an email; defaults to true.
    #[serde(default = "default_true")]
    pub send_email_notification: bool,
}

/// Body of the bulk actions on cancel requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelRequestIds {
    /// 1 to 10,000 ids of requests; duplicates count once.
    pub ids: Vec<CancelRequestId>,
}

fn default_true() -> bool {
    true
}

crate::json_bodies!(
    OrderCancelRequest,
    ConfirmCancelRequestInput,
    ConfirmCancelRequestsInput,
    CancelRequestIds
);
