//! A placement attempt by both of its machines: where it is, and how far the request to cancel it came.

use super::cancel::{AttemptCancels, CancelEvent, CancelProgress};
use super::state::{AttemptEvent, AttemptState, PlacementAttempts};
use crate::state_machine;

/// Where an attempt is, and how far the request to cancel it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttemptPosition {
    /// Where it is.
    pub state: AttemptState,
    /// How far the request to cancel it came.
    pub cancel: CancelProgress,
}

/// Where an event leads; none where it is refused. What is to be canceled is neither claimed nor queued again, and is not
/// requested to be canceled a second time.
#[must_use]
pub fn next(at: AttemptPosition, event: AttemptEvent) -> Option<AttemptPosition> {
    let state = state_machine::next::<PlacementAttempts>(at.state, event)?;
    let cancel = match cancel_event(at.state, event) {
        Some(cancels) => state_machine::next::<AttemptCancels>(at.cancel, cancels)?,
        None => at.cancel,
    };
    let is_refused =
        matches!(event, AttemptEvent::Claim | AttemptEvent::Requeue) && at.cancel != CancelProgress::None;
    (!is_refused).then_some(AttemptPosition { state, cancel })
}

/// What an event is for the request to cancel: nothing, for most.
const fn cancel_event(state: AttemptState, event: AttemptEvent) -> Option<CancelEvent> {
    match (event, state) {
        (AttemptEvent::WithdrawUnsent, _)
        | (AttemptEvent::RequestCancel, AttemptState::ByHand | AttemptState::Queued) => {
            Some(CancelEvent::Withdraw)
        }
        (AttemptEvent::RequestCancel, _) => Some(CancelEvent::RequestCancel),
        (AttemptEvent::EndWithOrder, _) => Some(CancelEvent::EndWithOrder),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::{events, states};

    /// Both tables once more, in words of what is stored: which columns an event writes.
    fn expected(at: AttemptPosition, event: AttemptEvent) -> Option<AttemptPosition> {
        use AttemptEvent::{Claim, EndWithOrder, RequestCancel, Requeue, WithdrawUnsent};
        let state = state_machine::next::<PlacementAttempts>(at.state, event)?;
        let is_new = at.cancel == CancelProgress::None;
        let unsent = matches!(at.state, AttemptState::ByHand | AttemptState::Queued);
        let cancel = match event {
            Claim | Requeue | RequestCancel | WithdrawUnsent if !is_new => return None,
            WithdrawUnsent => CancelProgress::Answered,
            RequestCancel if unsent => CancelProgress::Answered,
            RequestCancel => CancelProgress::Requested,
            EndWithOrder if is_new => CancelProgress::Requested,
            _ => at.cancel,
        };
        Some(AttemptPosition { state, cancel })
    }

    #[test]
    fn every_event_in_every_position() {
        let mut cells = 0;
        for state in states::<PlacementAttempts>() {
            for cancel in states::<AttemptCancels>() {
                for event in events::<PlacementAttempts>() {
                    let at = AttemptPosition { state, cancel };
                    assert_eq!(next(at, event), expected(at, event), "{at:?} {event:?}");
                    cells += 1;
                }
            }
        }
        assert_eq!(cells, 9 * 3 * 19);
    }
}
