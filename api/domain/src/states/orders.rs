//! The state machine of orders: the actions of staff and workers on an order, and the undoing of actions. `crate::orders` checks
//! the other conditions of an action, such as an active customer, and decides about charges and refunds.

use panel_contract::orders::{Approval, OrderStatus};

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// The status of an order. A stopped order that staff rejected in moderation has its own state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderState {
    /// The customer was not charged.
    Unpaid,
    /// The customer was charged; staff approve or reject the order.
    InModeration,
    InProcessing,
    Stopped,
    Rejected,
    Completed,
    /// Ended before it was completed, with or without a refund.
    Canceled,
}

impl OrderState {
    /// The state that the stored columns mean.
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
    /// Staff approve it in moderation, or after a rejection.
    Approve,
    Reject,
    Activate,
    /// The customer is charged.
    Charge,
    /// The customer is charged, and staff must approve the order.
    ChargeForModeration,
    Pause,
    Complete,
    /// The order ends before it is completed, with or without a refund.
    Cancel,
    /// Staff change its link, comment or refill flags.
    Edit,
    /// Staff move it to another provider.
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

/// The state machine of the table `orders`.
#[derive(Debug)]
pub struct Orders;

impl StateMachine for Orders {
    type State = OrderState;
    type Event = OrderEvent;
    const NAME: &'static str = "order";
    const TITLE: &'static str = "Orders";
    const ABOUT: &'static str = "An order of a customer. A charge and the end of an order are final. Other actions of staff can be undone by an undo event. \
        The [placement attempts](placement-attempt.md) of an order decide which provider delivers it.";
    const STATES: &'static [DiagramLabel<OrderState>] = &[
        label(OrderState::Unpaid, "unpaid", "The customer was not charged"),
        label(OrderState::InModeration, "in_moderation", "Charged; staff approve or reject it"),
        label(OrderState::InProcessing, "in_processing", "Providers deliver it, or it waits for a provider"),
        label(OrderState::Stopped, "stopped", "Staff paused it"),
        label(OrderState::Rejected, "rejected", "Staff rejected it in moderation. Shown as `stopped`"),
        label(OrderState::Completed, "completed", "Delivered"),
        label(OrderState::Canceled, "canceled", "Ended before it was completed, with or without a refund"),
    ];
    const EVENTS: &'static [DiagramLabel<OrderEvent>] = &[
        label(OrderEvent::Approve, "approve", "Staff approve it in moderation, or after a rejection"),
        label(OrderEvent::Reject, "reject", "Staff reject it in moderation"),
        label(OrderEvent::Activate, "activate", "Staff resume a paused order"),
        label(OrderEvent::Charge, "charge", "The customer is charged"),
        label(
            OrderEvent::ChargeForModeration,
            "charge for moderation",
            "The customer is charged, and the service or the cost requires moderation",
        ),
        label(OrderEvent::Pause, "pause", "Staff pause it"),
        label(OrderEvent::Complete, "complete", "All units are delivered, or staff mark it as completed"),
        label(OrderEvent::Cancel, "cancel", "Staff, the customer or the dispatcher end it"),
        label(OrderEvent::Edit, "edit", "Staff change its link, comment or refill flags"),
        label(OrderEvent::ChangeProvider, "change provider", "Staff move it to another provider"),
        label(OrderEvent::UndoApprove, "undo approve", "The approval of an order in moderation is undone"),
        label(
            OrderEvent::UndoApproveOfRejected,
            "undo approve of rejected",
            "The approval of a rejected order is undone",
        ),
        label(OrderEvent::UndoReject, "undo reject", "The rejection is undone"),
        label(OrderEvent::UndoPause, "undo pause", "The pause is undone"),
        label(OrderEvent::UndoActivate, "undo activate", "The activation of a paused order is undone"),
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
    use crate::state_machine::{all_events, all_states, assert_table, next_state};

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
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
    fn an_undo_restores_the_state_before_the_action() {
        use OrderEvent::*;
        for (action, from, undo) in [
            (Approve, OrderState::InModeration, UndoApprove),
            (Approve, OrderState::Rejected, UndoApproveOfRejected),
            (Reject, OrderState::InModeration, UndoReject),
            (Pause, OrderState::InProcessing, UndoPause),
            (Activate, OrderState::Stopped, UndoActivate),
        ] {
            let to = next_state::<Orders>(from, action).unwrap();
            assert_eq!(next_state::<Orders>(to, undo), Some(from), "{undo:?}");
        }
        for event in all_events::<Orders>() {
            for state in all_states::<Orders>().filter(|state| next_state::<Orders>(*state, event).is_some())
            {
                let charges = matches!(event, Charge | ChargeForModeration);
                assert!(!charges || state == OrderState::Unpaid, "an order is charged once");
            }
        }
    }

    #[test]
    fn the_stored_columns_determine_the_state() {
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
