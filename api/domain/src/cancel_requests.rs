//! Rules of cancel requests: whether staff can decide a request, and how the server handles a new one. Pure. The transition table
//! is in `crate::states::cancel_requests`.

use panel_contract::cancel_requests::{CancelRequestCause, CancelRequestStatus};
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_kernel::rejection::Rejection;

use crate::state_machine::next;
use crate::states::cancel_requests::{CancelRequestEvent, CancelRequestState, CancelRequests};

/// Checks that staff can decide the request. The actions of the record and the endpoint both use it.
pub fn check_decision(
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

/// The facts about an open placement attempt that the handling of a cancel request needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAttempt {
    pub order_id: OrderId,
    pub id: ExternalOrderId,
    /// Whether staff deliver the attempt by hand.
    pub by_hand: bool,
    /// Whether the external panel may have been called.
    pub was_sent: bool,
    /// Whether the order id of the external panel is known.
    pub has_external_id: bool,
    /// Whether the order moved to another provider, which requested to cancel this attempt already.
    pub is_replaced: bool,
    /// Whether the external panel can cancel orders of this service; `None` if its list of services does not tell.
    pub is_cancelable: Option<bool>,
}

/// How the server handles a cancel request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelRoute {
    /// Cancel and refund immediately: the order was certainly not sent.
    Immediately,
    /// Request the cancel from the external panel of this attempt.
    Send(ExternalOrderId),
    /// Check again soon: it is unknown whether a provider has the order, or an earlier provider has not canceled it yet.
    Wait,
    /// Let staff decide about this attempt.
    Staff(CancelRequestCause, Option<ExternalOrderId>),
}

/// Decides by the open attempts of the order.
#[must_use]
pub fn choose_route(open: &[OpenAttempt]) -> CancelRoute {
    if let Some(attempt) = open.iter().find(|attempt| attempt.by_hand && !attempt.is_replaced) {
        return CancelRoute::Staff(CancelRequestCause::ManualDelivery, Some(attempt.id));
    }
    let mut sent = open.iter().filter(|attempt| attempt.was_sent && !attempt.by_hand).peekable();
    if sent.peek().is_none() {
        return CancelRoute::Immediately;
    }
    match sent.find(|attempt| !attempt.is_replaced) {
        Some(OpenAttempt { has_external_id: true, is_cancelable: Some(false), id, .. }) => {
            CancelRoute::Staff(CancelRequestCause::NotSupported, Some(*id))
        }
        Some(OpenAttempt { has_external_id: true, id, .. }) => CancelRoute::Send(*id),
        _ => CancelRoute::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_final() {
        use CancelRequestState::{Confirmed, Expired, Refused, Requested};
        let refuse =
            |state| check_decision(state, CancelRequestStatus::Confirmed, CancelRequestEvent::Refuse);
        for state in [Confirmed, Refused, Expired] {
            assert_eq!(refuse(state).unwrap_err().code, "cancel_request_not_open");
        }
        assert!(refuse(Requested).is_ok());
    }

    #[test]
    fn cancels_immediately_only_an_order_that_was_certainly_not_sent() {
        let [earlier, id, unsent] = [6, 7, 8].map(ExternalOrderId::new);
        let attempt = OpenAttempt {
            order_id: OrderId::new(1),
            id,
            by_hand: false,
            was_sent: true,
            has_external_id: true,
            is_replaced: false,
            is_cancelable: Some(true),
        };
        let unsent = OpenAttempt { was_sent: false, has_external_id: false, id: unsent, ..attempt.clone() };
        let unknown = OpenAttempt { has_external_id: false, ..attempt.clone() };
        let replaced = OpenAttempt { is_replaced: true, id: earlier, ..attempt.clone() };
        let by_hand =
            OpenAttempt { by_hand: true, was_sent: false, has_external_id: false, ..attempt.clone() };
        let not_cancelable = OpenAttempt { is_cancelable: Some(false), ..attempt.clone() };
        let unlisted = OpenAttempt { is_cancelable: None, ..attempt.clone() };
        for (open, expected) in [
            (vec![], CancelRoute::Immediately),
            (vec![unsent.clone()], CancelRoute::Immediately),
            (vec![attempt.clone()], CancelRoute::Send(id)),
            (vec![unlisted], CancelRoute::Send(id)),
            (vec![unknown.clone()], CancelRoute::Wait),
            (vec![not_cancelable], CancelRoute::Staff(CancelRequestCause::NotSupported, Some(id))),
            (vec![by_hand.clone()], CancelRoute::Staff(CancelRequestCause::ManualDelivery, Some(id))),
            (vec![replaced.clone(), unsent], CancelRoute::Wait),
            (vec![replaced.clone(), attempt], CancelRoute::Send(id)),
            (vec![replaced.clone(), unknown], CancelRoute::Wait),
            (vec![replaced, by_hand], CancelRoute::Staff(CancelRequestCause::ManualDelivery, Some(id))),
        ] {
            assert_eq!(choose_route(&open), expected, "{open:?}");
        }
    }
}
