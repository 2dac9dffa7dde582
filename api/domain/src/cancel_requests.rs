//! Rules of cancel requests: whether staff may decide a request, and how the panel handles a new one. Pure; the transition table is
//! `crate::states::cancel_requests`.

use panel_contract::cancel_requests::{CancelRequestCause, CancelRequestStatus};
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_kernel::rejection::Rejection;

use crate::state_machine::next;
use crate::states::cancel_requests::{CancelRequestEvent, CancelRequestState, CancelRequests};

/// Checks that the event applies to the request. It fills the flags of a record and decides in its endpoint.
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

/// Facts about an open placement attempt of an order to cancel.
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
    /// Whether a change of provider has requested its cancel already.
    pub is_replaced: bool,
    /// Whether the external panel cancels orders of this service; none where its catalogue has no such field.
    pub cancels: Option<bool>,
}

/// How the panel handles a cancel request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelRoute {
    /// Cancel and refund at once: the order was certainly not sent.
    AtOnce,
    /// Request the cancel from the external panel of this attempt.
    Ask(ExternalOrderId),
    /// Check again soon: it is unknown whether a provider has the order, or an earlier provider still cancels it.
    Wait,
    /// Leave the decision to staff; with the attempt concerned.
    Staff(CancelRequestCause, Option<ExternalOrderId>),
}

/// Chooses by the open attempts of the order.
#[must_use]
pub fn choose_route(open: &[OpenAttempt]) -> CancelRoute {
    if let Some(attempt) = open.iter().find(|attempt| attempt.by_hand && !attempt.is_replaced) {
        return CancelRoute::Staff(CancelRequestCause::ByHand, Some(attempt.id));
    }
    let mut sent = open.iter().filter(|attempt| attempt.was_sent && !attempt.by_hand).peekable();
    if sent.peek().is_none() {
        return CancelRoute::AtOnce;
    }
    match sent.find(|attempt| !attempt.is_replaced) {
        Some(OpenAttempt { is_known_there: true, cancels: Some(false), id, .. }) => {
            CancelRoute::Staff(CancelRequestCause::NotSupported, Some(*id))
        }
        Some(OpenAttempt { is_known_there: true, id, .. }) => CancelRoute::Ask(*id),
        _ => CancelRoute::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_final() {
        use CancelRequestState::{Confirmed, Expired, Refused, Requested};
        let judged = |state| judge(state, CancelRequestStatus::Confirmed, CancelRequestEvent::Refuse);
        for state in [Confirmed, Refused, Expired] {
            assert_eq!(judged(state).unwrap_err().code, "cancel_request_not_open");
        }
        assert!(judged(Requested).is_ok());
    }

    #[test]
    fn cancels_at_once_only_an_order_that_was_certainly_not_sent() {
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
            (vec![], CancelRoute::AtOnce),
            (vec![unsent.clone()], CancelRoute::AtOnce),
            (vec![attempt.clone()], CancelRoute::Ask(id)),
            (vec![unlisted], CancelRoute::Ask(id)),
            (vec![unknown.clone()], CancelRoute::Wait),
            (vec![no_call], CancelRoute::Staff(CancelRequestCause::NotSupported, Some(id))),
            (vec![by_hand.clone()], CancelRoute::Staff(CancelRequestCause::ByHand, Some(id))),
            (vec![replaced.clone(), unsent], CancelRoute::Wait),
            (vec![replaced.clone(), attempt], CancelRoute::Ask(id)),
            (vec![replaced.clone(), unknown], CancelRoute::Wait),
            (vec![replaced, by_hand], CancelRoute::Staff(CancelRequestCause::ByHand, Some(id))),
        ] {
            assert_eq!(choose_route(&open), wanted, "{open:?}");
        }
    }
}
