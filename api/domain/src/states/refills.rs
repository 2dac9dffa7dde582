//! The state machine of refill requests: requests to an external panel to deliver lost units again.

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// The status of a refill request. For an open request, the state also shows the progress at the external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefillState {
    /// No worker has chosen the placement attempt to refill yet.
    Unassigned,
    /// It waits to be sent to the external panel.
    Queued,
    /// A worker sends the request, so the external panel may have it.
    Calling,
    /// The external panel has the request, and a worker polls its status.
    AtPanel,
    /// No external panel has the order: staff refill it.
    ByHand,
    /// Refilled, or closed by staff.
    Completed,
    /// The external panel or staff rejected it.
    Rejected,
}

/// The columns that hold the state of a refill request.
#[derive(Debug, Clone, Copy)]
pub struct RefillColumns<'a> {
    /// The status that customers see.
    pub status: &'a str,
    /// Whether it has a placement attempt.
    pub is_assigned: bool,
    /// Whether a call may have been made.
    pub is_called: bool,
    /// Whether a worker has a next step to do at some time.
    pub is_due: bool,
}

impl RefillState {
    /// The state that the columns mean; `None` for an unknown status.
    #[must_use]
    pub fn of(columns: RefillColumns<'_>) -> Option<Self> {
        Some(match columns.status {
            "completed" => Self::Completed,
            "rejected" => Self::Rejected,
            "sent" => Self::AtPanel,
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
    /// A worker assigns the last placement attempt that completed the order at a panel.
    Assign,
    /// No panel has the order.
    AssignNone,
    /// A worker is about to send it to the panel, perhaps again.
    Call,
    /// The request was certainly not sent, so the panel does not have it.
    CallNotMade,
    /// The panel has it.
    Accept,
    /// The response was not final; a worker sends or polls the request again later.
    Postpone,
    /// The panel reports that it is done.
    Complete,
    /// The panel rejected it, or the maximum number of attempts was reached.
    Reject,
    /// Staff mark it as done.
    Close,
    /// Staff reject it.
    CloseRejected,
}

/// The state machine of the table `order_refill_requests`.
#[derive(Debug)]
pub struct Refills;

impl StateMachine for Refills {
    type State = RefillState;
    type Event = RefillEvent;
    const NAME: &'static str = "refill";
    const TITLE: &'static str = "Refill requests";
    const ABOUT: &'static str = "A request to the external panel that delivered an order: it should deliver the lost units again. Staff can close a request only while no panel can have it.";
    const STATES: &'static [DiagramLabel<RefillState>] = &[
        label(RefillState::Unassigned, "unassigned", "No attempt is assigned yet. Shown as `pending`"),
        label(RefillState::Queued, "queued", "It waits to be sent to the panel. Shown as `pending`"),
        label(
            RefillState::Calling,
            "calling",
            "A worker sends it, so the panel may have it. Shown as `pending`",
        ),
        label(RefillState::AtPanel, "sent", "The panel has it and is polled"),
        label(
            RefillState::ByHand,
            "by_hand",
            "No external panel has the order, so staff refill it. Shown as `pending`",
        ),
        label(RefillState::Completed, "completed", "Refilled, or closed by staff"),
        label(RefillState::Rejected, "rejected", "The panel or staff rejected it"),
    ];
    const EVENTS: &'static [DiagramLabel<RefillEvent>] = &[
        label(
            RefillEvent::Assign,
            "assign",
            "A worker assigns the last placement attempt that completed the order at a panel",
        ),
        label(RefillEvent::AssignNone, "assign none", "No panel has the order"),
        label(RefillEvent::Call, "call", "A worker is about to send it to the panel, perhaps again"),
        label(
            RefillEvent::CallNotMade,
            "call not made",
            "The request was certainly not sent, so the panel does not have it",
        ),
        label(RefillEvent::Accept, "accept", "The panel has it"),
        label(
            RefillEvent::Postpone,
            "postpone",
            "The response was not final; a worker sends or polls the request again later",
        ),
        label(RefillEvent::Complete, "complete", "The panel reports that it is done"),
        label(
            RefillEvent::Reject,
            "reject",
            "The panel rejected it, or the maximum number of attempts was reached",
        ),
        label(RefillEvent::Close, "close", "Staff mark it as done"),
        label(RefillEvent::CloseRejected, "close rejected", "Staff reject it"),
    ];
    const INITIAL_STATES: &'static [RefillState] = &[RefillState::Unassigned];
    const TRANSITIONS: &'static [Transitions<RefillState, RefillEvent>] = {
        use RefillEvent as E;
        use RefillState as S;
        &[
            transitions(&[S::Unassigned], &[(E::Assign, S::Queued), (E::AssignNone, S::ByHand)]),
            transitions(&[S::Queued, S::Calling], &[(E::Call, S::Calling)]),
            transitions(&[S::Calling], &[(E::CallNotMade, S::Queued), (E::Accept, S::AtPanel)]),
            transitions(&[S::Queued], &[(E::Postpone, S::Queued)]),
            transitions(&[S::Calling], &[(E::Postpone, S::Calling)]),
            transitions(&[S::AtPanel], &[(E::Postpone, S::AtPanel), (E::Complete, S::Completed)]),
            transitions(&[S::Queued, S::Calling, S::AtPanel], &[(E::Reject, S::Rejected)]),
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
    fn the_table_has_exactly_the_expected_transitions() {
        use RefillEvent as E;
        use RefillState as S;
        assert_table::<Refills>(|state, event| match event {
            E::Assign => (state == S::Unassigned).then_some(S::Queued),
            E::AssignNone => (state == S::Unassigned).then_some(S::ByHand),
            E::Call => matches!(state, S::Queued | S::Calling).then_some(S::Calling),
            E::CallNotMade => (state == S::Calling).then_some(S::Queued),
            E::Accept => (state == S::Calling).then_some(S::AtPanel),
            E::Postpone => matches!(state, S::Queued | S::Calling | S::AtPanel).then_some(state),
            E::Complete => (state == S::AtPanel).then_some(S::Completed),
            E::Reject => matches!(state, S::Queued | S::Calling | S::AtPanel).then_some(S::Rejected),
            E::Close => matches!(state, S::Unassigned | S::Queued | S::ByHand).then_some(S::Completed),
            E::CloseRejected => matches!(state, S::Unassigned | S::Queued | S::ByHand).then_some(S::Rejected),
        });
    }
}
