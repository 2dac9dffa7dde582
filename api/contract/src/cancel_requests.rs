//! Cancel requests of customers, and the decisions of staff about them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::Named;
use crate::ids::{CancelRequestId, ExternalOrderId, OrderId, ProviderId, UserId};
use crate::moment::Time;
use crate::orders::OrderStatus;
use crate::payments::PaymentUser;

crate::string_enum! {
    /// Status of a cancel request. `requested` and `asked` are open; the others are final.
    CancelRequestStatus {
        /// The panel accepted the request; no provider was asked yet.
        Requested = "requested",
        /// The provider was asked to cancel.
        Asked = "asked",
        /// The order is canceled; what was not delivered is refunded.
        Confirmed = "confirmed",
        /// Staff refused it; the order goes on.
        Refused = "refused",
        /// The order was completed before the request was decided.
        Expired = "expired",
    }
}

crate::string_enum! {
    /// Why staff must decide on a request.
    CancelRequestCause {
        /// The provider refused to cancel.
        ProviderRefused = "provider_refused",
        /// The external panel cannot cancel orders of this service.
        NotSupported = "not_supported",
        /// The provider did not answer in time, or whether it has the order is unknown.
        NoAnswer = "no_answer",
        /// The provider agreed, but its order did not end in time.
        NotEnded = "not_ended",
        /// Staff deliver the order by hand.
        ByHand = "by_hand",
    }
}

/// Actions that the caller's permissions and the status of the request allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct CancelRequestActions {
    /// Whether `POST order-cancel-requests/{id}/confirm` is allowed.
    pub confirmable: bool,
    /// Whether `POST order-cancel-requests/{id}/refuse` is allowed.
    pub refusable: bool,
}

/// The order to cancel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CancelRequestOrder {
    /// Id of the order.
    pub id: OrderId,
    /// English name of the ordered service or package.
    pub name: String,
    /// Status of the order now, which changes once the request is decided.
    pub status: OrderStatus,
    /// Ordered quantity in units.
    pub quantity: i64,
    /// Units delivered, as far as providers reported.
    pub current_quantity: i64,
}

/// A customer's request to cancel an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderCancelRequest {
    /// Id of the request.
    pub id: CancelRequestId,
    /// The order that the customer wants canceled.
    pub order: CancelRequestOrder,
    /// Customer who placed the order.
    pub user: PaymentUser,
    /// External order that the provider was asked to cancel; null if no call was made.
    pub external_order_id: Option<ExternalOrderId>,
    /// Provider that delivers the order; null while none is assigned.
    pub provider: Option<Named<ProviderId>>,
    /// Status of the request; final once `decided_at` is set.
    pub status: CancelRequestStatus,
    /// Why the request waits, or waited, for staff; null if it never did.
    pub cause: Option<CancelRequestCause>,
    /// When the request was escalated to staff; null if it never was.
    pub escalated_at: Option<Time>,
    /// The provider's response text, or the last error of the call.
    pub answer: Option<String>,
    /// Amount that a confirmation would refund now; for a decided request the refunded amount.
    pub returned: Money,
    /// When the customer requested it.
    pub created_at: Time,
    /// When the provider was first asked.
    pub asked_at: Option<Time>,
    /// When the provider agreed to cancel. The refund waits for its final count.
    pub acknowledged_at: Option<Time>,
    /// Deadline after which the request is escalated to staff.
    pub deadline_at: Time,
    /// When the request was confirmed, refused or expired; null while it is open.
    pub decided_at: Option<Time>,
    /// Staff member who decided; null where the provider or the panel did.
    pub decided_by: Option<Named<UserId>>,
    /// Actions that the caller has the permission for and the stage allows.
    pub actions: CancelRequestActions,
}

/// Body of a confirmation, which cancels the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmCancelRequestInput {
    /// Amount to refund, at most the paid amount minus earlier refunds. Defaults to the undelivered part by the provider's last
    /// count, or to 0 where the service has no refunds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// Whether the customer gets an email. True by default.
    #[serde(default = "yes")]
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
    /// Whether the customers get an email. True by default.
    #[serde(default = "yes")]
    pub send_email_notification: bool,
}

/// Body of the bulk actions on cancel requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelRequestIds {
    /// 1 to 10,000 ids of requests; duplicates count once.
    pub ids: Vec<CancelRequestId>,
}

fn yes() -> bool {
    true
}

crate::wire!(OrderCancelRequest, ConfirmCancelRequestInput, ConfirmCancelRequestsInput, CancelRequestIds);
