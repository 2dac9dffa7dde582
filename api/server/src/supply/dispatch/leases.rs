//! Declares the leases of the records that dispatch processes. This module claims no record.

use panel_contract::quarantine::Poller as QuarantineKind;
use panel_platform::lease::declared::{DueDateMoves, Lease};

/// An order that is due for dispatch. One transaction processes it, so a claim does not postpone its due time.
pub const ORDER_LEASE: Lease = Lease {
    kind: QuarantineKind::Order,
    id_column: "orders.id",
    due_column: "dispatch_at",
    index_condition: "",
    moves: DueDateMoves::ByRelease,
    error_column: None,
};
/// The lease of a placement attempt that is sent, reconciled or polled.
pub const EXTERNAL_ORDER_LEASE: Lease = Lease {
    kind: QuarantineKind::ExternalOrder,
    id_column: "external_panel_orders.id",
    due_column: "due_at",
    index_condition: "",
    moves: DueDateMoves::ByClaim,
    error_column: Some("last_error"),
};
/// The lease of a refill request.
pub const REFILL_LEASE: Lease = Lease {
    kind: QuarantineKind::Refill,
    id_column: "order_refill_requests.id",
    due_column: "due_at",
    index_condition: "",
    moves: DueDateMoves::ByClaim,
    error_column: Some("last_error"),
};
/// The lease of a cancel request.
pub const CANCEL_REQUEST_LEASE: Lease = Lease {
    kind: QuarantineKind::CancelRequest,
    id_column: "order_cancel_requests.id",
    due_column: "due_at",
    index_condition: "",
    moves: DueDateMoves::ByClaim,
    error_column: Some("provider_response"),
};
