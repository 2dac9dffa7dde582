//! The leases of what dispatch works on. It declares them and claims nothing.

use panel_contract::quarantine::Poller as QuarantineKind;
use panel_platform::lease::declared::{DueMoves, Lease};

/// An order that is to be dispatched: one transaction judges it, so no claim puts it off.
pub const ORDER: Lease = Lease {
    kind: QuarantineKind::Order,
    record: "orders.id",
    due: "dispatch_at",
    filter: "",
    moves: DueMoves::ByRelease,
    error: None,
};
/// The lease of a placement attempt that is sent, reconciled or polled.
pub const EXTERNAL_ORDER: Lease = Lease {
    kind: QuarantineKind::ExternalOrder,
    record: "external_panel_orders.id",
    due: "due_at",
    filter: "",
    moves: DueMoves::ByClaim,
    error: Some("last_error"),
};
/// The lease of a refill request.
pub const REFILL: Lease = Lease {
    kind: QuarantineKind::Refill,
    record: "order_refill_requests.id",
    due: "due_at",
    filter: "",
    moves: DueMoves::ByClaim,
    error: Some("last_error"),
};
/// The lease of a request to cancel an order.
pub const CANCEL_REQUEST: Lease = Lease {
    kind: QuarantineKind::CancelRequest,
    record: "order_cancel_requests.id",
    due: "due_at",
    filter: "",
    moves: DueMoves::ByClaim,
    error: Some("answer"),
};
