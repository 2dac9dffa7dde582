//! How far the request to cancel a placement attempt came. It decides one thing: an attempt that is to be canceled is neither
//! claimed nor queued again.

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// How far the request to cancel an attempt came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CancelProgress {
    /// No cancel was requested.
    None,
    /// The external panel is to be asked.
    Requested,
    /// The external panel answered, or did not have to be asked.
    Answered,
}

impl CancelProgress {
    /// The progress that the columns `cancel_requested_at` and `cancel_answered_at` mean.
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
    /// The order was canceled or moved; the external panel is to be asked.
    RequestCancel,
    /// The attempt was not sent: no panel has to be asked.
    Withdraw,
    /// The external panel answered.
    Answer,
    /// The attempt ended with its order.
    EndWithOrder,
}

/// The machine of the request to cancel an attempt.
#[derive(Debug)]
pub struct AttemptCancels;

impl StateMachine for AttemptCancels {
    type State = CancelProgress;
    type Event = CancelEvent;
    const NAME: &'static str = "placement-attempt-cancel";
    const TITLE: &'static str = "Cancels of placement attempts";
    const ABOUT: &'static str = "How far the request to cancel a [placement attempt](placement-attempt.md) came. An attempt with one is \
        neither claimed nor queued again.";
    const STATES: &'static [Described<CancelProgress>] = &[
        described(CancelProgress::None, "none", "No cancel was requested"),
        described(CancelProgress::Requested, "requested", "The panel is to be asked"),
        described(CancelProgress::Answered, "answered", "The panel answered, or did not have to be asked"),
    ];
    const EVENTS: &'static [Described<CancelEvent>] = &[
        described(
            CancelEvent::RequestCancel,
            "request cancel",
            "The order was canceled or moved, and the panel may have the attempt",
        ),
        described(CancelEvent::Withdraw, "withdraw", "The attempt was not sent, so no panel has to be asked"),
        described(CancelEvent::Answer, "answer", "The panel answered"),
        described(CancelEvent::EndWithOrder, "end with order", "The attempt ended with its order"),
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
    fn every_event_in_every_progress() {
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
