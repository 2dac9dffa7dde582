//! The position of a placement attempt in both state machines: the state of the attempt, and the progress of the request to cancel
//! the attempt.

use super::cancel::{AttemptCancels, CancelEvent, CancelProgress};
use super::state::{AttemptEvent, AttemptState, PlacementAttempts};
use crate::state_machine;

/// The state of an attempt and the progress of the request to cancel it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttemptPosition {
    pub state: AttemptState,
    pub cancel: CancelProgress,
}

/// The position after an event; `None` if the event is not allowed. `Claim`, `Requeue` and a second request are not
/// allowed once a cancellation was requested.
#[must_use]
pub fn next_position(current: AttemptPosition, event: AttemptEvent) -> Option<AttemptPosition> {
    let state = state_machine::next_state::<PlacementAttempts>(current.state, event)?;
    let cancel = match find_cancel_event(current.state, event) {
        Some(cancel_event) => state_machine::next_state::<AttemptCancels>(current.cancel, cancel_event)?,
        None => current.cancel,
    };
    let is_blocked = matches!(event, AttemptEvent::Claim | AttemptEvent::Requeue)
        && current.cancel != CancelProgress::None;
    (!is_blocked).then_some(AttemptPosition { state, cancel })
}

/// The event in the state machine of the request to cancel; `None` for events that do not affect the request.
const fn find_cancel_event(state: AttemptState, event: AttemptEvent) -> Option<CancelEvent> {
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
    use crate::state_machine::{all_events, all_states};

    /// An independent second implementation of both tables.
    fn expected_position(position: AttemptPosition, event: AttemptEvent) -> Option<AttemptPosition> {
        use AttemptEvent::{Claim, EndWithOrder, RequestCancel, Requeue, WithdrawUnsent};
        let state = state_machine::next_state::<PlacementAttempts>(position.state, event)?;
        let is_new = position.cancel == CancelProgress::None;
        let unsent = matches!(position.state, AttemptState::ByHand | AttemptState::Queued);
        let cancel = match event {
            Claim | Requeue | RequestCancel | WithdrawUnsent if !is_new => return None,
            WithdrawUnsent => CancelProgress::Answered,
            RequestCancel if unsent => CancelProgress::Answered,
            RequestCancel => CancelProgress::Requested,
            EndWithOrder if is_new => CancelProgress::Requested,
            _ => position.cancel,
        };
        Some(AttemptPosition { state, cancel })
    }

    #[test]
    fn the_tables_have_exactly_the_expected_transitions() {
        let mut pair_count = 0;
        for state in all_states::<PlacementAttempts>() {
            for cancel in all_states::<AttemptCancels>() {
                for event in all_events::<PlacementAttempts>() {
                    let position = AttemptPosition { state, cancel };
                    assert_eq!(
                        next_position(position, event),
                        expected_position(position, event),
                        "{position:?} {event:?}"
                    );
                    pair_count += 1;
                }
            }
        }
        assert_eq!(pair_count, 9 * 3 * 19);
    }
}
