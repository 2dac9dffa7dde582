//! Rules of cancel requests: whether staff can decide a request, and how the server handles a new request. Pure functions. The
//! transition table is in `crate::states::cancel_requests`.

use panel_contract::cancel_requests::{CancelRequestCause, CancelRequestStatus};
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_kernel::rejection::Rejection;

use crate::state_machine::next_state;
use crate::states::cancel_requests::{CancelRequestEvent, CancelRequestState, CancelRequests};

/// Checks that staff can decide the request. Used by the endpoint and by the field `actions` of the record.
pub fn check_decision(
    state: CancelRequestState,
    status: CancelRequestStatus,
    event: CancelRequestEvent,
) -> Result<(), Rejection> {
    if next_state::<CancelRequests>(state, event).is_some() {
        return Ok(());
    }
    let verb = if event == CancelRequestEvent::Reject { "reject" } else { "confirm" };
    let message =
        format!("You cannot {verb} a cancel request that is {status}, because this status is final.");
    Err(Rejection::conflict("cancel_request_not_open", message))
}

/// An open placement attempt, with the properties that decide how a cancel request is handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAttempt {
    pub order_id: OrderId,
    pub id: ExternalOrderId,
    /// Whether staff deliver the attempt manually.
    pub by_hand: bool,
    /// Whether the attempt may have been sent to the external panel.
    pub was_sent: bool,
    /// Whether the id of the order at the external panel is known.
    pub has_external_id: bool,
    /// Whether staff moved the order to another provider. The cancellation of this attempt was requested at that time.
    pub is_replaced: bool,
    /// Whether the external panel can cancel orders of this service; `None` if its list of services does not contain this
    /// information.
    pub is_cancelable: Option<bool>,
}

/// The next step of the server in the handling of a cancel request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelStep {
    /// Cancel and refund immediately, because the order was certainly not sent.
    Immediately,
    /// Request the cancellation at the external panel of this attempt.
    Send(ExternalOrderId),
    /// Check again later, because it is unknown whether a provider has the order, or because an earlier provider has not canceled
    /// the order yet.
    Wait,
    /// Escalate to staff, with the reason and the attempt.
    Staff(CancelRequestCause, Option<ExternalOrderId>),
}

/// Chooses the next step by the open attempts of the order.
#[must_use]
pub fn choose_cancel_step(open_attempts: &[OpenAttempt]) -> CancelStep {
    if let Some(attempt) = open_attempts.iter().find(|attempt| attempt.by_hand && !attempt.is_replaced) {
        return CancelStep::Staff(CancelRequestCause::ManualDelivery, Some(attempt.id));
    }
    let mut sent_attempts =
        open_attempts.iter().filter(|attempt| attempt.was_sent && !attempt.by_hand).peekable();
    if sent_attempts.peek().is_none() {
        return CancelStep::Immediately;
    }
    match sent_attempts.find(|attempt| !attempt.is_replaced) {
        Some(OpenAttempt { has_external_id: true, is_cancelable: Some(false), id, .. }) => {
            CancelStep::Staff(CancelRequestCause::NotSupported, Some(*id))
        }
        Some(OpenAttempt { has_external_id: true, id, .. }) => CancelStep::Send(*id),
        _ => CancelStep::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_final() {
        use CancelRequestState::{Confirmed, Expired, Rejected, Requested};
        let reject =
            |state| check_decision(state, CancelRequestStatus::Confirmed, CancelRequestEvent::Reject);
        for state in [Confirmed, Rejected, Expired] {
            assert_eq!(reject(state).unwrap_err().code, "cancel_request_not_open");
        }
        assert!(reject(Requested).is_ok());
    }

    #[test]
    fn cancels_immediately_only_an_order_that_was_certainly_not_sent() {
        let [replaced_id, id, unsent_id] = [6, 7, 8].map(ExternalOrderId::new);
        let attempt = OpenAttempt {
            order_id: OrderId::new(1),
            id,
            by_hand: false,
            was_sent: true,
            has_external_id: true,
            is_replaced: false,
            is_cancelable: Some(true),
        };
        let unsent =
            OpenAttempt { was_sent: false, has_external_id: false, id: unsent_id, ..attempt.clone() };
        let unknown = OpenAttempt { has_external_id: false, ..attempt.clone() };
        let replaced = OpenAttempt { is_replaced: true, id: replaced_id, ..attempt.clone() };
        let by_hand =
            OpenAttempt { by_hand: true, was_sent: false, has_external_id: false, ..attempt.clone() };
        let not_cancelable = OpenAttempt { is_cancelable: Some(false), ..attempt.clone() };
        let maybe_cancelable = OpenAttempt { is_cancelable: None, ..attempt.clone() };
        for (open_attempts, expected_step) in [
            (vec![], CancelStep::Immediately),
            (vec![unsent.clone()], CancelStep::Immediately),
            (vec![attempt.clone()], CancelStep::Send(id)),
            (vec![maybe_cancelable], CancelStep::Send(id)),
            (vec![unknown.clone()], CancelStep::Wait),
            (vec![not_cancelable], CancelStep::Staff(CancelRequestCause::NotSupported, Some(id))),
            (vec![by_hand.clone()], CancelStep::Staff(CancelRequestCause::ManualDelivery, Some(id))),
            (vec![replaced.clone(), unsent], CancelStep::Wait),
            (vec![replaced.clone(), attempt], CancelStep::Send(id)),
            (vec![replaced.clone(), unknown], CancelStep::Wait),
            (vec![replaced, by_hand], CancelStep::Staff(CancelRequestCause::ManualDelivery, Some(id))),
        ] {
            assert_eq!(choose_cancel_step(&open_attempts), expected_step, "{open_attempts:?}");
        }
    }
}
