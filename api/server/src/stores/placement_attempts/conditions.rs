//! SQL conditions for the states of a placement attempt. A statement that selects due work uses the macro `attempt_is`, because the
//! database uses a partial index only if the statement contains the exact text of the index condition. A transition takes its
//! condition from [`STATES`].

use panel_domain::states::placement_attempts::cancel::{AttemptCancels, CancelProgress};
use panel_domain::states::placement_attempts::state::{AttemptState, PlacementAttempts};
use panel_platform::db::state::StoredStates;

/// SQL condition: the attempt with the table alias `$a` is in the named state, or in one of the named set of states. The condition
/// contains AND, so put it in parentheses after NOT and beside OR.
macro_rules! attempt_is {
    (unsent, $a:literal) => {
        concat!($a, ".status = 'Creating' AND ", $a, ".sent_at IS NULL")
    };
    (by_hand, $a:literal) => {
        concat!(
            $crate::stores::placement_attempts::conditions::attempt_is!(unsent, $a),
            " AND ",
            $a,
            ".external_panel_id IS NULL"
        )
    };
    (queued, $a:literal) => {
        concat!(
            $crate::stores::placement_attempts::conditions::attempt_is!(unsent, $a),
            " AND ",
            $a,
            ".external_panel_id IS NOT NULL"
        )
    };
    // Sending, unknown or unresolved: the external panel may have accepted the order.
    (unconfirmed, $a:literal) => {
        concat!(
            $a,
            ".status = 'Creating' AND ",
            $a,
            ".sent_at IS NOT NULL AND ",
            $a,
            ".external_order_id IS NULL"
        )
    };
    (sending, $a:literal) => {
        concat!(
            $crate::stores::placement_attempts::conditions::attempt_is!(unconfirmed, $a),
            " AND ",
            $a,
            ".due_at IS NOT NULL AND ",
            $a,
            ".alert_at IS NULL"
        )
    };
    (unknown, $a:literal) => {
        concat!(
            $crate::stores::placement_attempts::conditions::attempt_is!(unconfirmed, $a),
            " AND ",
            $a,
            ".due_at IS NOT NULL AND ",
            $a,
            ".alert_at IS NOT NULL"
        )
    };
    // Sending or unknown: a worker reconciles the attempt when its lease has expired.
    (reconcilable, $a:literal) => {
        concat!(
            $crate::stores::placement_attempts::conditions::attempt_is!(unconfirmed, $a),
            " AND ",
            $a,
            ".due_at IS NOT NULL"
        )
    };
    (unresolved, $a:literal) => {
        concat!(
            $crate::stores::placement_attempts::conditions::attempt_is!(unconfirmed, $a),
            " AND ",
            $a,
            ".due_at IS NULL"
        )
    };
    (open, $a:literal) => {
        concat!($a, ".status IN ('Pending', 'In progress', 'Processing')")
    };
    (completed, $a:literal) => {
        concat!($a, ".status = 'Completed'")
    };
    (partial, $a:literal) => {
        concat!($a, ".status = 'Partial'")
    };
    (canceled, $a:literal) => {
        concat!($a, ".status = 'Canceled'")
    };
    // Every state that is not final.
    (unfinished, $a:literal) => {
        concat!($a, ".status IN ('Creating', 'Pending', 'In progress', 'Processing')")
    };
    // The external panel may still correct the delivered quantity and the charge of such an attempt.
    (completed_or_partial, $a:literal) => {
        concat!($a, ".status IN ('Completed', 'Partial')")
    };
    // Such an attempt ended without the full delivery.
    (partial_or_canceled, $a:literal) => {
        concat!($a, ".status IN ('Partial', 'Canceled')")
    };
}
pub(crate) use attempt_is;

/// SQL condition: the progress of the request to cancel the attempt with the table alias `$a`.
macro_rules! cancel_is {
    (none, $a:literal) => {
        concat!($a, ".cancel_requested_at IS NULL")
    };
    (requested, $a:literal) => {
        concat!($a, ".cancel_requested_at IS NOT NULL AND ", $a, ".cancel_answered_at IS NULL")
    };
    (answered, $a:literal) => {
        concat!($a, ".cancel_requested_at IS NOT NULL AND ", $a, ".cancel_answered_at IS NOT NULL")
    };
}

pub const STATES: StoredStates<PlacementAttempts> = {
    use AttemptState::*;
    StoredStates {
        table: "external_panel_orders",
        conditions: &[
            (&[ByHand], attempt_is!(by_hand, "external_panel_orders")),
            (&[Queued], attempt_is!(queued, "external_panel_orders")),
            (&[Sending], attempt_is!(sending, "external_panel_orders")),
            (&[Unknown], attempt_is!(unknown, "external_panel_orders")),
            (&[Unresolved], attempt_is!(unresolved, "external_panel_orders")),
            (&[Open], attempt_is!(open, "external_panel_orders")),
            (&[Completed], attempt_is!(completed, "external_panel_orders")),
            (&[Partial], attempt_is!(partial, "external_panel_orders")),
            (&[Canceled], attempt_is!(canceled, "external_panel_orders")),
            (&[ByHand, Queued], attempt_is!(unsent, "external_panel_orders")),
            (&[Sending, Unknown, Unresolved], attempt_is!(unconfirmed, "external_panel_orders")),
            (&[Sending, Unknown], attempt_is!(reconcilable, "external_panel_orders")),
            (&[Completed, Partial], attempt_is!(completed_or_partial, "external_panel_orders")),
            (&[Partial, Canceled], attempt_is!(partial_or_canceled, "external_panel_orders")),
            (
                &[ByHand, Queued, Sending, Unknown, Unresolved, Open],
                attempt_is!(unfinished, "external_panel_orders"),
            ),
        ],
    }
};

pub const CANCEL_STATES: StoredStates<AttemptCancels> = StoredStates {
    table: "external_panel_orders",
    conditions: &[
        (&[CancelProgress::None], cancel_is!(none, "external_panel_orders")),
        (&[CancelProgress::Requested], cancel_is!(requested, "external_panel_orders")),
        (&[CancelProgress::Answered], cancel_is!(answered, "external_panel_orders")),
    ],
};
