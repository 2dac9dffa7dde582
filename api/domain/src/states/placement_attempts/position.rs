//! A placement attempt by both of its state machines: its own state, and the progress of the request to cancel it.

use super::cancel::{AttemptCancels, CancelEvent, CancelProgress};
use super::state::{AttemptEvent, AttemptState, PlacementAttempts};
use crate::state_machine;

/// The state of an attempt and the progress of the request to cancel it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttemptPosition {
    pub state: AttemptState,
    pub cancel: CancelProgress,
}

/// The position after an event; `None` if the event is refused. After a request to cancel, `Claim`, `Requeue` and a second request
/// are refused.
#[must_use]
pub fn next(at: AttemptPosition, event: AttemptEvent) -> Option<AttemptPosition> {
    let state = state_machine::next::<PlacementAttempts>(at.state, event)?;
    let cancel = match cancel_event(at.state, event) {
        Some(cancel_event) => state_machine::next::<AttemptCancels>(at.cancel, cancel_event)?,
        None => at.cancel,
    };
    let is_refused =
        matches!(event, AttemptEvent::Claim | AttemptEvent::Requeue) && at.cancel != CancelProgress::None;
    (!is_refused).then_some(AttemptPosition { state, cancel })
}

/// The event for the request to cancel; most events of an attempt are none.
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

    /// Both tables, written a second time independently: the columns that an event writes.
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
    fn the_tables_have_exactly_the_expected_transitions() {
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
