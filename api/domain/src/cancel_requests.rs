//! Whether staff may decide about a cancel request, and what is done about an order whose customer requested to cancel it. Pure;
//! the transition table is `crate::states::cancel_requests`.

use panel_contract::cancel_requests::{CancelRequestCause, CancelRequestStatus};
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_kernel::rejection::Rejection;

use crate::state_machine::next;
use crate::states::cancel_requests::{CancelRequestEvent, CancelRequestState, CancelRequests};

/// Whether an event may happen to it: the flags of a record, and the answer of its endpoint.
pub fn judge(
    state: CancelRequestState,
    status: CancelRequestStatus,
    event: CancelRequestEvent,
) -> Result<(), Rejection> {
    if next::<CancelRequests>(state, event).is_some() {
        return Ok(());
    }
    let verb = if event == CancelRequestEvent::Refuse { "refuse" } else { "confirm" };
    let message = format!("You cannot {verb} a cancel request that is {status}; that is final.");
    Err(Rejection::conflict("cancel_request_not_open", message))
}

/// An open attempt of an order, as its cancel looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAttempt {
    /// Id of the order.
    pub order_id: OrderId,
    /// Id of the attempt at the external panel.
    pub id: ExternalOrderId,
    /// Whether staff deliver it by hand.
    pub by_hand: bool,
    /// Whether a call may have placed it.
    pub was_sent: bool,
    /// Whether its id at the external panel is known.
    pub is_known_there: bool,
    /// Whether it was asked to end before, for another provider's sake.
    pub is_replaced: bool,
    /// Whether the external panel cancels orders of this service; none where its list does not say.
    pub cancels: Option<bool>,
}

/// What is done about an order whose customer wants to cancel it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It surely was not sent: it is canceled and refunded at once.
    AtOnce,
    /// The external panel of this attempt is asked.
    Ask(ExternalOrderId),
    /// Whether a provider has it is not known yet, or an earlier provider still ends it: look again soon.
    Wait,
    /// Staff decide; with the attempt that it is about.
    Staff(CancelRequestCause, Option<ExternalOrderId>),
}

/// Judges an order by its open attempts.
#[must_use]
pub fn way(open: &[OpenAttempt]) -> Way {
    if let Some(attempt) = open.iter().find(|attempt| attempt.by_hand && !attempt.is_replaced) {
        return Way::Staff(CancelRequestCause::ByHand, Some(attempt.id));
    }
    let mut sent = open.iter().filter(|attempt| attempt.was_sent && !attempt.by_hand).peekable();
    if sent.peek().is_none() {
        return Way::AtOnce;
    }
    match sent.find(|attempt| !attempt.is_replaced) {
        Some(OpenAttempt { is_known_there: true, cancels: Some(false), id, .. }) => {
            Way::Staff(CancelRequestCause::NotSupported, Some(*id))
        }
        Some(OpenAttempt { is_known_there: true, id, .. }) => Way::Ask(*id),
        _ => Way::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decided_is_not_decided_again() {
        use CancelRequestState::{Confirmed, Expired, Refused, Requested};
        let judged = |state| judge(state, CancelRequestStatus::Confirmed, CancelRequestEvent::Refuse);
        for state in [Confirmed, Refused, Expired] {
            assert_eq!(judged(state).unwrap_err().code, "cancel_request_not_open");
        }
        assert!(judged(Requested).is_ok());
    }

    #[test]
    fn only_what_surely_was_not_sent_is_canceled_at_once() {
        let [earlier, id, unsent] = [6, 7, 8].map(ExternalOrderId::new);
        let attempt = OpenAttempt {
            order_id: OrderId::new(1),
            id,
            by_hand: false,
            was_sent: true,
            is_known_there: true,
            is_replaced: false,
            cancels: Some(true),
        };
        let unsent = OpenAttempt { was_sent: false, is_known_there: false, id: unsent, ..attempt.clone() };
        let unknown = OpenAttempt { is_known_there: false, ..attempt.clone() };
        let replaced = OpenAttempt { is_replaced: true, id: earlier, ..attempt.clone() };
        let by_hand =
            OpenAttempt { by_hand: true, was_sent: false, is_known_there: false, ..attempt.clone() };
        let no_call = OpenAttempt { cancels: Some(false), ..attempt.clone() };
        let unlisted = OpenAttempt { cancels: None, ..attempt.clone() };
        for (open, wanted) in [
            (vec![], Way::AtOnce),
            (vec![unsent.clone()], Way::AtOnce),
            (vec![attempt.clone()], Way::Ask(id)),
            (vec![unlisted], Way::Ask(id)),
            (vec![unknown.clone()], Way::Wait),
            (vec![no_call], Way::Staff(CancelRequestCause::NotSupported, Some(id))),
            (vec![by_hand.clone()], Way::Staff(CancelRequestCause::ByHand, Some(id))),
            (vec![replaced.clone(), unsent], Way::Wait),
            (vec![replaced.clone(), attempt], Way::Ask(id)),
            (vec![replaced.clone(), unknown], Way::Wait),
            (vec![replaced, by_hand], Way::Staff(CancelRequestCause::ByHand, Some(id))),
        ] {
            assert_eq!(way(&open), wanted, "{open:?}");
        }
    }
}
