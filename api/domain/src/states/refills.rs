//! Refill requests: units that an order lost and that the external panel is asked to deliver again.

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// Where a refill request is: its status, and of an open one how far the external panel got with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefillState {
    /// No attempt is assigned yet.
    Unassigned,
    /// It waits for the call to the external panel.
    Queued,
    /// A worker calls the external panel, which may have it.
    Calling,
    /// The external panel has it and is polled.
    Followed,
    /// No external panel has the order: staff refill it.
    ByHand,
    /// Refilled, or closed by staff.
    Completed,
    /// The external panel refused it, or staff did.
    Rejected,
}

/// The columns that hold the state of a refill request.
#[derive(Debug, Clone, Copy)]
pub struct RefillColumns<'a> {
    /// The word that customers see.
    pub status: &'a str,
    /// Whether it names an attempt.
    pub is_assigned: bool,
    /// Whether a call may have been made.
    pub is_called: bool,
    /// Whether a next step is due at some time.
    pub is_due: bool,
}

impl RefillState {
    /// The state that the columns mean; none for a word that is no status.
    #[must_use]
    pub fn of(columns: RefillColumns<'_>) -> Option<Self> {
        Some(match columns.status {
            "completed" => Self::Completed,
            "rejected" => Self::Rejected,
            "sent" => Self::Followed,
            "pending" if columns.is_called => Self::Calling,
            "pending" if columns.is_assigned => Self::Queued,
            "pending" if columns.is_due => Self::Unassigned,
            "pending" => Self::ByHand,
            _ => return None,
        })
    }
}

/// An event of a refill request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefillEvent {
    /// A worker names the last attempt that completed the order at a panel.
    Assign,
    /// No panel has the order.
    AssignNone,
    /// A worker is about to call the panel, perhaps again.
    Call,
    /// No call ever brought it to the panel.
    CallNotMade,
    /// The panel has it.
    Accept,
    /// The next step comes later.
    Postpone,
    /// The panel reports that it is done.
    Complete,
    /// The panel refused it, or it was tried often enough.
    Reject,
    /// Staff mark it as done.
    Close,
    /// Staff refuse it.
    CloseRejected,
}

/// The machine of `order_refill_requests`.
#[derive(Debug)]
pub struct Refills;

impl StateMachine for Refills {
    type State = RefillState;
    type Event = RefillEvent;
    const NAME: &'static str = "refill";
    const TITLE: &'static str = "Refill requests";
    const ABOUT: &'static str = "Units that an order lost and that the panel which delivered it is asked to deliver again. Staff close one only as long as no call may have brought it to a panel.";
    const STATES: &'static [Described<RefillState>] = &[
        described(RefillState::Unassigned, "unassigned", "No attempt is assigned yet. Shown as `pending`"),
        described(RefillState::Queued, "queued", "It waits for the call to the panel. Shown as `pending`"),
        described(
            RefillState::Calling,
            "calling",
            "A worker calls the panel, which may have it. Shown as `pending`",
        ),
        described(RefillState::Followed, "sent", "The panel has it and is polled"),
        described(
            RefillState::ByHand,
            "by_hand",
            "No panel has the order: staff refill it. Shown as `pending`",
        ),
        described(RefillState::Completed, "completed", "Refilled, or closed by staff"),
        described(RefillState::Rejected, "rejected", "The panel or staff refused it"),
    ];
    const EVENTS: &'static [Described<RefillEvent>] = &[
        described(
            RefillEvent::Assign,
            "assign",
            "A worker names the last attempt that completed the order at a panel",
        ),
        described(RefillEvent::AssignNone, "assign none", "No panel has the order"),
        described(RefillEvent::Call, "call", "A worker is about to call the panel, perhaps again"),
        described(RefillEvent::CallNotMade, "call not made", "No call ever brought it to the panel"),
        described(RefillEvent::Accept, "accept", "The panel has it"),
        described(RefillEvent::Postpone, "postpone", "The next step comes later"),
        described(RefillEvent::Complete, "complete", "The panel reports that it is done"),
        described(RefillEvent::Reject, "reject", "The panel refused it, or it was tried often enough"),
        described(RefillEvent::Close, "close", "Staff mark it as done"),
        described(RefillEvent::CloseRejected, "close rejected", "Staff refuse it"),
    ];
    const INITIAL_STATES: &'static [RefillState] = &[RefillState::Unassigned];
    const TRANSITIONS: &'static [Transitions<RefillState, RefillEvent>] = {
        use RefillEvent as E;
        use RefillState as S;
        &[
            transitions(&[S::Unassigned], &[(E::Assign, S::Queued), (E::AssignNone, S::ByHand)]),
            transitions(&[S::Queued, S::Calling], &[(E::Call, S::Calling)]),
            transitions(&[S::Calling], &[(E::CallNotMade, S::Queued), (E::Accept, S::Followed)]),
            transitions(&[S::Queued], &[(E::Postpone, S::Queued)]),
            transitions(&[S::Calling], &[(E::Postpone, S::Calling)]),
            transitions(&[S::Followed], &[(E::Postpone, S::Followed), (E::Complete, S::Completed)]),
            transitions(&[S::Queued, S::Calling, S::Followed], &[(E::Reject, S::Rejected)]),
            transitions(
                &[S::Unassigned, S::Queued, S::ByHand],
                &[(E::Close, S::Completed), (E::CloseRejected, S::Rejected)],
            ),
        ]
    };
    const HIDDEN_EVENTS: &'static [RefillEvent] = &[RefillEvent::Postpone];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use RefillEvent as E;
        use RefillState as S;
        assert_table::<Refills>(|state, event| match event {
            E::Assign => (state == S::Unassigned).then_some(S::Queued),
            E::AssignNone => (state == S::Unassigned).then_some(S::ByHand),
            E::Call => matches!(state, S::Queued | S::Calling).then_some(S::Calling),
            E::CallNotMade => (state == S::Calling).then_some(S::Queued),
            E::Accept => (state == S::Calling).then_some(S::Followed),
            E::Postpone => matches!(state, S::Queued | S::Calling | S::Followed).then_some(state),
            E::Complete => (state == S::Followed).then_some(S::Completed),
            E::Reject => matches!(state, S::Queued | S::Calling | S::Followed).then_some(S::Rejected),
            E::Close => matches!(state, S::Unassigned | S::Queued | S::ByHand).then_some(S::Completed),
            E::CloseRejected => matches!(state, S::Unassigned | S::Queued | S::ByHand).then_some(S::Rejected),
        });
    }
}
