//! The state machine of the requests of customers to cancel an order.

use panel_contract::cancel_requests::CancelRequestStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// The status of a request. For an open request, the state also shows whether the provider or staff must decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CancelRequestState {
    /// Accepted, but not sent to the provider yet.
    Requested,
    /// The request was sent to the provider, which has not responded yet.
    Sent,
    /// The provider agreed to cancel, but has not reported the delivered quantity yet.
    Acknowledged,
    /// Staff decide, because the provider rejected the cancellation or cannot cancel.
    Escalated,
    /// The order is canceled.
    Confirmed,
    /// Staff rejected the request, and the order continues.
    Rejected,
    /// The order was completed before the request was decided.
    Expired,
}

impl CancelRequestState {
    /// The state that the stored columns mean.
    #[must_use]
    pub const fn of(status: CancelRequestStatus, is_acknowledged: bool, is_escalated: bool) -> Self {
        match status {
            CancelRequestStatus::Confirmed => Self::Confirmed,
            CancelRequestStatus::Rejected => Self::Rejected,
            CancelRequestStatus::Expired => Self::Expired,
            _ if is_escalated => Self::Escalated,
            _ if is_acknowledged => Self::Acknowledged,
            CancelRequestStatus::Sent => Self::Sent,
            CancelRequestStatus::Requested => Self::Requested,
        }
    }
}

/// An event of a cancel request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CancelRequestEvent {
    /// A worker is about to send the request to the provider, perhaps again.
    Send,
    /// The first request was not sent to the provider.
    RevertFirstSend,
    /// A later request was not sent; the state does not change, because an earlier request was sent.
    RevertSend,
    /// The provider agreed to cancel.
    Acknowledge,
    /// Staff must decide, because the provider rejected the cancellation, did not respond in time, or cannot cancel.
    Escalate,
    /// The order was canceled: it was never sent, the provider ended it, or staff decided.
    OrderCanceled,
    /// The order was completed.
    OrderCompleted,
    /// Staff reject the request.
    Reject,
}

/// The state machine of the table `order_cancel_requests`.
#[derive(Debug)]
pub struct CancelRequests;

impl StateMachine for CancelRequests {
    type State = CancelRequestState;
    type Event = CancelRequestEvent;
    const NAME: &'static str = "cancel-request";
    const TITLE: &'static str = "Cancel requests";
    const ABOUT: &'static str = "A customer requests to cancel an order. The server sends the request to the provider; staff decide a request \
        that the provider rejects or does not respond to. Only the cancellation of the order refunds money, not the request. \
        [Cancel requests](../cancel-requests.md) describes what customers and staff see.";
    const STATES: &'static [DiagramLabel<CancelRequestState>] = {
        use CancelRequestState::*;
        &[
            label(Requested, "requested", "Accepted, but not sent to the provider yet"),
            label(Sent, "sent", "The request was sent to the provider, which has not responded yet"),
            label(
                Acknowledged,
                "acknowledged",
                "The provider agreed to cancel, but has not reported the delivered quantity yet. Shown as `sent`",
            ),
            label(Escalated, "staff", "Staff decide. Shown as `sent`, or as `requested` if it was not sent"),
            label(Confirmed, "confirmed", "The order is canceled"),
            label(Rejected, "rejected", "Staff rejected the request, and the order continues"),
            label(Expired, "expired", "The order was completed before the request was decided"),
        ]
    };
    const EVENTS: &'static [DiagramLabel<CancelRequestEvent>] = {
        use CancelRequestEvent::*;
        &[
            label(Send, "send", "A worker is about to send the request to the provider, perhaps again"),
            label(
                RevertFirstSend,
                "revert first send",
                "The first request was not sent, because of the circuit breaker or the rate limit of the panel",
            ),
            label(RevertSend, "revert send", "A later request was not sent for the same reason"),
            label(Acknowledge, "acknowledge", "The provider agreed to cancel"),
            label(
                Escalate,
                "escalate",
                "The provider rejected the cancellation, did not respond in time, or cannot cancel",
            ),
            label(
                OrderCanceled,
                "order canceled",
                "The order was canceled: it was never sent, the provider ended it, or staff decided",
            ),
            label(OrderCompleted, "order completed", "The order was completed"),
            label(Reject, "reject", "Staff reject the request"),
        ]
    };
    const INITIAL_STATES: &'static [CancelRequestState] = &[CancelRequestState::Requested];
    const TRANSITIONS: &'static [Transitions<CancelRequestState, CancelRequestEvent>] = {
        use CancelRequestEvent::*;
        use CancelRequestState::*;
        &[
            transitions(&[Requested, Sent], &[(Send, Sent)]),
            transitions(
                &[Sent],
                &[(RevertFirstSend, Requested), (RevertSend, Sent), (Acknowledge, Acknowledged)],
            ),
            transitions(&[Requested, Sent, Acknowledged], &[(Escalate, Escalated)]),
            transitions(
                &[Requested, Sent, Acknowledged, Escalated],
                &[(OrderCanceled, Confirmed), (OrderCompleted, Expired), (Reject, Rejected)],
            ),
        ]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use CancelRequestState::*;
        assert_table::<CancelRequests>(|state, event| {
            let open = matches!(state, Requested | Sent | Acknowledged | Escalated);
            match event {
                CancelRequestEvent::Send => matches!(state, Requested | Sent).then_some(Sent),
                CancelRequestEvent::RevertFirstSend => (state == Sent).then_some(Requested),
                CancelRequestEvent::RevertSend => (state == Sent).then_some(Sent),
                CancelRequestEvent::Acknowledge => (state == Sent).then_some(Acknowledged),
                CancelRequestEvent::Escalate => (open && state != Escalated).then_some(Escalated),
                CancelRequestEvent::OrderCanceled => open.then_some(Confirmed),
                CancelRequestEvent::OrderCompleted => open.then_some(Expired),
                CancelRequestEvent::Reject => open.then_some(Rejected),
            }
        });
    }

    #[test]
    fn the_stored_columns_determine_the_state() {
        use CancelRequestState as S;
        use CancelRequestStatus::{Confirmed, Expired, Rejected, Requested, Sent};
        assert_eq!(S::of(Requested, false, false), S::Requested);
        assert_eq!(S::of(Requested, false, true), S::Escalated);
        assert_eq!(S::of(Sent, false, false), S::Sent);
        assert_eq!(S::of(Sent, true, false), S::Acknowledged);
        assert_eq!(S::of(Sent, true, true), S::Escalated);
        for (status, state) in [(Confirmed, S::Confirmed), (Rejected, S::Rejected), (Expired, S::Expired)] {
            assert_eq!(S::of(status, true, true), state);
        }
    }
}
