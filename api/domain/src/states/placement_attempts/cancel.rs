//! The request to cancel a placement attempt. While there is such a request, no worker claims the attempt or queues it again.

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// The progress of the request to cancel an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CancelProgress {
    /// No cancellation was requested.
    None,
    /// A worker will send the request to the external panel.
    Requested,
    /// The external panel responded, or no request was necessary because the attempt was not sent.
    Answered,
}

impl CancelProgress {
    /// The progress by the columns `cancel_requested_at` and `cancel_answered_at`.
    #[must_use]
    pub const fn of(is_requested: bool, is_answered: bool) -> Self {
        match (is_requested, is_answered) {
            (false, _) => Self::None,
            (true, false) => Self::Requested,
            (true, true) => Self::Answered,
        }
    }
}

/// An event of the request to cancel an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CancelEvent {
    /// The order was canceled or moved to another provider, and the external panel may have the attempt.
    RequestCancel,
    /// The attempt was not sent, so no request to the panel is necessary.
    Withdraw,
    /// The external panel responded.
    Answer,
    /// The attempt ended with its order.
    EndWithOrder,
}

/// The state machine of the request to cancel an attempt.
#[derive(Debug)]
pub struct AttemptCancels;

impl StateMachine for AttemptCancels {
    type State = CancelProgress;
    type Event = CancelEvent;
    const NAME: &'static str = "placement-attempt-cancel";
    const TITLE: &'static str = "Cancels of placement attempts";
    const ABOUT: &'static str = "The request to cancel a [placement attempt](placement-attempt.md). While there is such a request, no worker claims \
        the attempt or queues it again.";
    const STATES: &'static [DiagramLabel<CancelProgress>] = &[
        label(CancelProgress::None, "none", "No cancellation was requested"),
        label(CancelProgress::Requested, "requested", "A worker will send the request to the panel"),
        label(
            CancelProgress::Answered,
            "answered",
            "The panel responded, or no request was necessary because the attempt was not sent",
        ),
    ];
    const EVENTS: &'static [DiagramLabel<CancelEvent>] = &[
        label(
            CancelEvent::RequestCancel,
            "request cancel",
            "The order was canceled or moved to another provider, and the panel may have the attempt",
        ),
        label(
            CancelEvent::Withdraw,
            "withdraw",
            "The attempt was not sent, so no request to the panel is necessary",
        ),
        label(CancelEvent::Answer, "answer", "The panel responded"),
        label(CancelEvent::EndWithOrder, "end with order", "The attempt ended with its order"),
    ];
    const INITIAL_STATES: &'static [CancelProgress] = &[CancelProgress::None];
    const TRANSITIONS: &'static [Transitions<CancelProgress, CancelEvent>] = {
        use CancelEvent::*;
        use CancelProgress::{Answered, None, Requested};
        &[
            transitions(&[None], &[(RequestCancel, Requested), (Withdraw, Answered)]),
            transitions(&[Requested], &[(Answer, Answered)]),
            transitions(&[None, Requested], &[(EndWithOrder, Requested)]),
            transitions(&[Answered], &[(EndWithOrder, Answered)]),
        ]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use CancelProgress::{Answered, Requested};
        assert_table::<AttemptCancels>(|progress, event| {
            let is_none = progress == CancelProgress::None;
            match event {
                CancelEvent::RequestCancel => is_none.then_some(Requested),
                CancelEvent::Withdraw => is_none.then_some(Answered),
                CancelEvent::Answer => (progress == Requested).then_some(Answered),
                CancelEvent::EndWithOrder => Some(if is_none { Requested } else { progress }),
            }
        });
    }
}
