//! Requests of customers to cancel an order: what may happen to one.

use panel_contract::cancel_requests::CancelRequestStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// Where a request is: its status, and of an open one also who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CancelRequestState {
    /// Accepted; no provider was asked.
    Requested,
    /// The provider was asked and did not answer yet.
    Asked,
    /// The provider agreed; its final count is awaited.
    Acknowledged,
    /// Staff decide.
    Escalated,
    /// The order is canceled.
    Confirmed,
    /// The order goes on.
    Refused,
    /// The order was completed.
    Expired,
}

impl CancelRequestState {
    /// The state of a request as it is stored.
    #[must_use]
    pub const fn of(status: CancelRequestStatus, is_acknowledged: bool, is_escalated: bool) -> Self {
        match status {
            CancelRequestStatus::Confirmed => Self::Confirmed,
            CancelRequestStatus::Refused => Self::Refused,
            CancelRequestStatus::Expired => Self::Expired,
            _ if is_escalated => Self::Escalated,
            _ if is_acknowledged => Self::Acknowledged,
            CancelRequestStatus::Asked => Self::Asked,
            CancelRequestStatus::Requested => Self::Requested,
        }
    }
}

/// An event of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CancelRequestEvent {
    /// The provider is about to be asked, perhaps again.
    Ask,
    /// The first call was not made.
    SkipFirstAsk,
    /// A later call was not made.
    SkipAsk,
    /// The provider agreed to cancel.
    Acknowledge,
    /// Staff must decide: the provider refused, is too late, or cannot be asked.
    Escalate,
    /// The order was canceled: not sent, ended by the provider, or decided by staff.
    OrderCanceled,
    /// The order was completed.
    OrderCompleted,
    /// Staff refuse the request.
    Refuse,
}

/// The machine of `order_cancel_requests`.
#[derive(Debug)]
pub struct CancelRequests;

impl StateMachine for CancelRequests {
    type State = CancelRequestState;
    type Event = CancelRequestEvent;
    const NAME: &'static str = "cancel-request";
    const TITLE: &'static str = "Cancel requests";
    const ABOUT: &'static str = "A customer asks to cancel an order. The panel asks the provider; a request that the provider \
        refuses or does not answer is decided by staff. Only the cancel of the order moves money, never the request. \
        [Cancel requests](../cancel-requests.md) describes what customers and staff see.";
    const STATES: &'static [Described<CancelRequestState>] = {
        use CancelRequestState::*;
        &[
            described(Requested, "requested", "Accepted; no provider was asked"),
            described(Asked, "asked", "The provider was asked and did not answer yet"),
            described(
                Acknowledged,
                "acknowledged",
                "The provider agreed; its final count is awaited. Shown as `asked`",
            ),
            described(
                Escalated,
                "staff",
                "Staff decide. Shown as `asked`, or `requested` where no provider was asked",
            ),
            described(Confirmed, "confirmed", "The order is canceled"),
            described(Refused, "refused", "Staff refused; the order goes on"),
            described(Expired, "expired", "The order was completed before the request was decided"),
        ]
    };
    const EVENTS: &'static [Described<CancelRequestEvent>] = {
        use CancelRequestEvent::*;
        &[
            described(Ask, "ask", "A worker is about to ask the provider, perhaps again"),
            described(
                SkipFirstAsk,
                "skip first ask",
                "The first call was not made, because the panel is not called now",
            ),
            described(SkipAsk, "skip ask", "A later call was not made for the same reason"),
            described(Acknowledge, "acknowledge", "The provider agreed to cancel"),
            described(Escalate, "escalate", "The provider refused, is too late, or cannot be asked"),
            described(
                OrderCanceled,
                "order canceled",
                "The order was canceled: unsent, ended by the provider, or by staff",
            ),
            described(OrderCompleted, "order completed", "The order was completed"),
            described(Refuse, "refuse", "Staff refuse the request"),
        ]
    };
    const INITIAL_STATES: &'static [CancelRequestState] = &[CancelRequestState::Requested];
    const TRANSITIONS: &'static [Transitions<CancelRequestState, CancelRequestEvent>] = {
        use CancelRequestEvent::*;
        use CancelRequestState::*;
        &[
            transitions(&[Requested, Asked], &[(Ask, Asked)]),
            transitions(
                &[Asked],
                &[(SkipFirstAsk, Requested), (SkipAsk, Asked), (Acknowledge, Acknowledged)],
            ),
            transitions(&[Requested, Asked, Acknowledged], &[(Escalate, Escalated)]),
            transitions(
                &[Requested, Asked, Acknowledged, Escalated],
                &[(OrderCanceled, Confirmed), (OrderCompleted, Expired), (Refuse, Refused)],
            ),
        ]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use CancelRequestState::*;
        assert_table::<CancelRequests>(|state, event| {
            let open = matches!(state, Requested | Asked | Acknowledged | Escalated);
            match event {
                CancelRequestEvent::Ask => matches!(state, Requested | Asked).then_some(Asked),
                CancelRequestEvent::SkipFirstAsk => (state == Asked).then_some(Requested),
                CancelRequestEvent::SkipAsk => (state == Asked).then_some(Asked),
                CancelRequestEvent::Acknowledge => (state == Asked).then_some(Acknowledged),
                CancelRequestEvent::Escalate => (open && state != Escalated).then_some(Escalated),
                CancelRequestEvent::OrderCanceled => open.then_some(Confirmed),
                CancelRequestEvent::OrderCompleted => open.then_some(Expired),
                CancelRequestEvent::Refuse => open.then_some(Refused),
            }
        });
    }

    #[test]
    fn a_state_is_read_from_what_is_stored() {
        use CancelRequestState as S;
        use CancelRequestStatus::{Asked, Confirmed, Expired, Refused, Requested};
        assert_eq!(S::of(Requested, false, false), S::Requested);
        assert_eq!(S::of(Requested, false, true), S::Escalated);
        assert_eq!(S::of(Asked, false, false), S::Asked);
        assert_eq!(S::of(Asked, true, false), S::Acknowledged);
        assert_eq!(S::of(Asked, true, true), S::Escalated);
        for (status, state) in [(Confirmed, S::Confirmed), (Refused, S::Refused), (Expired, S::Expired)] {
            assert_eq!(S::of(status, true, true), state);
        }
    }
}
