//! Orders: what staff, workers and the undo of an action may do to one. Whether an action is allowed beside that (an active
//! customer, a permission) and what money moves is decided by the rules of orders.

use panel_contract::orders::{Approval, OrderStatus};

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// Where an order is: its status, and of a stopped one also whether moderation rejected it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderState {
    /// The customer was not charged.
    Unpaid,
    /// Staff approve or reject it.
    InModeration,
    /// Providers deliver it.
    InProcessing,
    /// Staff paused it.
    Stopped,
    /// Moderation rejected it.
    Rejected,
    /// Delivered.
    Completed,
    /// Over, with or without money returned.
    Canceled,
}

impl OrderState {
    /// The state of an order as it is stored.
    #[must_use]
    pub const fn of(status: OrderStatus, approval: Option<Approval>) -> Self {
        match (status, approval) {
            (OrderStatus::Unpaid, _) => Self::Unpaid,
            (OrderStatus::InModeration, _) => Self::InModeration,
            (OrderStatus::InProcessing, _) => Self::InProcessing,
            (OrderStatus::Stopped, Some(Approval::Rejected)) => Self::Rejected,
            (OrderStatus::Stopped, _) => Self::Stopped,
            (OrderStatus::Completed, _) => Self::Completed,
            (OrderStatus::Canceled, _) => Self::Canceled,
        }
    }

    /// Its status.
    #[must_use]
    pub const fn status(self) -> OrderStatus {
        match self {
            Self::Unpaid => OrderStatus::Unpaid,
            Self::InModeration => OrderStatus::InModeration,
            Self::InProcessing => OrderStatus::InProcessing,
            Self::Stopped | Self::Rejected => OrderStatus::Stopped,
            Self::Completed => OrderStatus::Completed,
            Self::Canceled => OrderStatus::Canceled,
        }
    }
}

/// An event of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderEvent {
    /// Moderation approves it, also after a rejection.
    Approve,
    /// Moderation rejects it.
    Reject,
    /// It goes on.
    Activate,
    /// The customer is charged.
    Charge,
    /// The customer is charged, and staff look at it first.
    ChargeForModeration,
    /// Staff pause it.
    Pause,
    /// It is delivered.
    Complete,
    /// It ends, with or without money returned.
    Cancel,
    /// Staff change its address, comment or refill flags.
    Edit,
    /// It goes to another provider.
    ChangeProvider,
    /// The approval of an order in moderation is undone.
    UndoApprove,
    /// The approval of a rejected order is undone.
    UndoApproveOfRejected,
    /// The rejection is undone.
    UndoReject,
    /// The pause is undone.
    UndoPause,
    /// The activation of a paused order is undone.
    UndoActivate,
}

/// The machine of `orders`.
#[derive(Debug)]
pub struct Orders;

impl StateMachine for Orders {
    type State = OrderState;
    type Event = OrderEvent;
    const NAME: &'static str = "order";
    const TITLE: &'static str = "Orders";
    const ABOUT: &'static str = "What a customer ordered. A charge is final and so is the end of an order: what staff did is undone only where an undo event \
        leads back. Which provider delivers an order is decided by its [placement attempts](placement-attempt.md).";
    const STATES: &'static [Described<OrderState>] = &[
        described(OrderState::Unpaid, "unpaid", "The customer was not charged"),
        described(OrderState::InModeration, "in_moderation", "Charged; staff approve or reject it"),
        described(OrderState::InProcessing, "in_processing", "Providers deliver it, or it waits for one"),
        described(OrderState::Stopped, "stopped", "Staff paused it"),
        described(OrderState::Rejected, "rejected", "Moderation rejected it. Shown as `stopped`"),
        described(OrderState::Completed, "completed", "Delivered"),
        described(OrderState::Canceled, "canceled", "Over, with or without money returned"),
    ];
    const EVENTS: &'static [Described<OrderEvent>] = &[
        described(OrderEvent::Approve, "approve", "Moderation approves it, also after a rejection"),
        described(OrderEvent::Reject, "reject", "Moderation rejects it"),
        described(OrderEvent::Activate, "activate", "Staff resume a paused order"),
        described(OrderEvent::Charge, "charge", "The customer is charged"),
        described(
            OrderEvent::ChargeForModeration,
            "charge for moderation",
            "The customer is charged, and its service or its cost asks for moderation",
        ),
        described(OrderEvent::Pause, "pause", "Staff pause it"),
        described(OrderEvent::Complete, "complete", "All of it is delivered, or staff mark it as completed"),
        described(OrderEvent::Cancel, "cancel", "Staff, the customer or the dispatcher end it"),
        described(OrderEvent::Edit, "edit", "Staff change its address, comment or refill flags"),
        described(OrderEvent::ChangeProvider, "change provider", "Staff move it to another provider"),
        described(
            OrderEvent::UndoApprove,
            "undo approve",
            "The approval of an order in moderation is undone",
        ),
        described(
            OrderEvent::UndoApproveOfRejected,
            "undo approve of rejected",
            "The approval of a rejected order is undone",
        ),
        described(OrderEvent::UndoReject, "undo reject", "The rejection is undone"),
        described(OrderEvent::UndoPause, "undo pause", "The pause is undone"),
        described(OrderEvent::UndoActivate, "undo activate", "The activation of a paused order is undone"),
    ];
    const INITIAL_STATES: &'static [OrderState] =
        &[OrderState::Unpaid, OrderState::InModeration, OrderState::InProcessing];
    const TRANSITIONS: &'static [Transitions<OrderState, OrderEvent>] = {
        use OrderEvent::*;
        use OrderState::*;
        &[
            transitions(
                &[Unpaid],
                &[(Charge, InProcessing), (ChargeForModeration, InModeration), (Edit, Unpaid)],
            ),
            transitions(
                &[InModeration],
                &[(Approve, InProcessing), (Reject, Rejected), (Edit, InModeration)],
            ),
            transitions(
                &[InProcessing],
                &[
                    (Pause, Stopped),
                    (Complete, Completed),
                    (Edit, InProcessing),
                    (ChangeProvider, InProcessing),
                    (UndoApprove, InModeration),
                    (UndoApproveOfRejected, Rejected),
                    (UndoActivate, Stopped),
                ],
            ),
            transitions(
                &[Stopped],
                &[
                    (Activate, InProcessing),
                    (Complete, Completed),
                    (Edit, Stopped),
                    (ChangeProvider, Stopped),
                    (UndoPause, InProcessing),
                ],
            ),
            transitions(
                &[Rejected],
                &[
                    (Approve, InProcessing),
                    (Edit, Rejected),
                    (ChangeProvider, Rejected),
                    (UndoReject, InModeration),
                ],
            ),
            transitions(&[Unpaid, InModeration, InProcessing, Stopped, Rejected], &[(Cancel, Canceled)]),
        ]
    };
    const HIDDEN_EVENTS: &'static [OrderEvent] = &[OrderEvent::Edit, OrderEvent::ChangeProvider];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::{assert_table, events, next, states};

    #[test]
    fn every_event_in_every_state() {
        use OrderEvent::*;
        use OrderState::*;
        assert_table::<Orders>(|state, event| {
            let open = !matches!(state, Completed | Canceled);
            match event {
                Approve => matches!(state, InModeration | Rejected).then_some(InProcessing),
                Reject => (state == InModeration).then_some(Rejected),
                Activate => (state == Stopped).then_some(InProcessing),
                Charge => (state == Unpaid).then_some(InProcessing),
                ChargeForModeration => (state == Unpaid).then_some(InModeration),
                Pause => (state == InProcessing).then_some(Stopped),
                Complete => matches!(state, InProcessing | Stopped).then_some(Completed),
                Cancel => open.then_some(Canceled),
                Edit => open.then_some(state),
                ChangeProvider => matches!(state, InProcessing | Stopped | Rejected).then_some(state),
                UndoApprove => (state == InProcessing).then_some(InModeration),
                UndoApproveOfRejected => (state == InProcessing).then_some(Rejected),
                UndoReject => (state == Rejected).then_some(InModeration),
                UndoPause => (state == Stopped).then_some(InProcessing),
                UndoActivate => (state == InProcessing).then_some(Stopped),
            }
        });
    }

    #[test]
    fn an_undo_leads_back_to_where_the_action_began() {
        use OrderEvent::*;
        for (action, from, undo) in [
            (Approve, OrderState::InModeration, UndoApprove),
            (Approve, OrderState::Rejected, UndoApproveOfRejected),
            (Reject, OrderState::InModeration, UndoReject),
            (Pause, OrderState::InProcessing, UndoPause),
            (Activate, OrderState::Stopped, UndoActivate),
        ] {
            let to = next::<Orders>(from, action).unwrap();
            assert_eq!(next::<Orders>(to, undo), Some(from), "{undo:?}");
        }
        for event in events::<Orders>() {
            for state in states::<Orders>().filter(|state| next::<Orders>(*state, event).is_some()) {
                let charges = matches!(event, Charge | ChargeForModeration);
                assert!(!charges || state == OrderState::Unpaid, "a charge is once");
            }
        }
    }

    #[test]
    fn a_state_is_read_from_what_is_stored() {
        for status in OrderStatus::ALL {
            for approval in
                [None, Some(Approval::Pending), Some(Approval::Approved), Some(Approval::Rejected)]
            {
                assert_eq!(OrderState::of(*status, approval).status(), *status);
            }
        }
        let stopped = |approval| OrderState::of(OrderStatus::Stopped, approval);
        assert_eq!(stopped(Some(Approval::Rejected)), OrderState::Rejected);
        assert_eq!(stopped(Some(Approval::Approved)), OrderState::Stopped);
    }
}
