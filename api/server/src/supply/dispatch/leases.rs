//! Declares the leases of the records that dispatch processes. It claims nothing.

use panel_contract::quarantine::Poller as QuarantineKind;
use panel_platform::lease::declared::{DueDateMoves, Lease};

/// An order that is due for dispatch. One transaction processes it, so a claim does not postpone its due time.
pub const ORDER: Lease = Lease {
    kind: QuarantineKind::Order,
    record: "orders.id",
    due: "dispatch_at",
    filter: "",
    moves: DueDateMoves::ByRelease,
    error: None,
};
/// The lease of a placement attempt that is sent, reconciled or polled.
pub const EXTERNAL_ORDER: Lease = Lease {
    kind: QuarantineKind::ExternalOrder,
    record: "external_panel_orders.id",
    due: "due_at",
    filter: "",
    moves: DueDateMoves::ByClaim,
    error: Some("last_error"),
};
/// The lease of a refill request.
pub const REFILL: Lease = Lease {
    kind: QuarantineKind::Refill,
    record: "order_refill_requests.id",
    due: "due_at",
    filter: "",
    moves: DueDateMoves::ByClaim,
    error: Some("last_error"),
};
/// The lease of a cancel request.
pub const CANCEL_REQUEST: Lease = Lease {
    kind: QuarantineKind::CancelRequest,
    record: "order_cancel_requests.id",
    due: "due_at",
    filter: "",
    moves: DueDateMoves::ByClaim,
    error: Some("answer"),
};
