//! Combo orders: packages of several orders, which staff decide as a whole and which end with their orders.

use panel_contract::combo_orders::ComboStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// An event of a combo order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ComboOrderEvent {
    /// One of the orders that were just placed asks for moderation.
    HoldForModeration,
    /// Staff approve all of its orders.
    Approve,
    /// Staff reject it: its orders are canceled.
    Reject,
    /// Staff complete all of its orders.
    Complete,
    /// None of its orders waits for moderation any more.
    OrdersLeaveModeration,
    /// The approval of an order was undone.
    OrdersReturn,
    /// Its orders are over, and one of them was delivered.
    OrdersComplete,
    /// All of its orders are canceled.
    OrdersCancel,
}

/// The machine of `combo_orders`.
#[derive(Debug)]
pub struct ComboOrders;

impl StateMachine for ComboOrders {
    type State = ComboStatus;
    type Event = ComboOrderEvent;
    const NAME: &'static str = "combo-order";
    const TITLE: &'static str = "Combo orders";
    const ABOUT: &'static str = "A package that a customer bought as several orders. Staff decide about all of them at once; what happens to single orders moves it as well.";
    const STATES: &'static [Described<ComboStatus>] = &[
        described(
            ComboStatus::InModeration,
            "in_moderation",
            "At least one of its orders waits for moderation",
        ),
        described(ComboStatus::InProcessing, "in_processing", "Its orders are delivered"),
        described(ComboStatus::Completed, "completed", "Its orders are over, and one of them was delivered"),
        described(ComboStatus::Canceled, "canceled", "All of its orders are canceled"),
    ];
    const EVENTS: &'static [Described<ComboOrderEvent>] = &[
        described(
            ComboOrderEvent::HoldForModeration,
            "hold for moderation",
            "One of the orders that were just placed asks for moderation",
        ),
        described(ComboOrderEvent::Approve, "approve", "Staff approve all of its orders"),
        described(ComboOrderEvent::Reject, "reject", "Staff reject it: its orders are canceled"),
        described(ComboOrderEvent::Complete, "complete", "Staff complete all of its orders"),
        described(
            ComboOrderEvent::OrdersLeaveModeration,
            "orders leave moderation",
            "None of its orders waits for moderation any more",
        ),
        described(ComboOrderEvent::OrdersReturn, "orders return", "The approval of an order was undone"),
        described(
            ComboOrderEvent::OrdersComplete,
            "orders complete",
            "Its orders are over, and one of them was delivered",
        ),
        described(ComboOrderEvent::OrdersCancel, "orders cancel", "All of its orders are canceled"),
    ];
    const INITIAL_STATES: &'static [ComboStatus] = &[ComboStatus::InModeration, ComboStatus::InProcessing];
    const TRANSITIONS: &'static [Transitions<ComboStatus, ComboOrderEvent>] = {
        use ComboOrderEvent as E;
        use ComboStatus as S;
        &[
            transitions(
                &[S::InProcessing],
                &[
                    (E::HoldForModeration, S::InModeration),
                    (E::Complete, S::Completed),
                    (E::OrdersReturn, S::InModeration),
                ],
            ),
            transitions(
                &[S::InModeration],
                &[
                    (E::Approve, S::InProcessing),
                    (E::Reject, S::Canceled),
                    (E::OrdersLeaveModeration, S::InProcessing),
                ],
            ),
            transitions(
                &[S::InModeration, S::InProcessing],
                &[(E::OrdersComplete, S::Completed), (E::OrdersCancel, S::Canceled)],
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
        use ComboOrderEvent as E;
        use ComboStatus as S;
        assert_table::<ComboOrders>(|state, event| match event {
            E::HoldForModeration | E::OrdersReturn => (state == S::InProcessing).then_some(S::InModeration),
            E::Approve | E::OrdersLeaveModeration => (state == S::InModeration).then_some(S::InProcessing),
            E::Reject => (state == S::InModeration).then_some(S::Canceled),
            E::Complete => (state == S::InProcessing).then_some(S::Completed),
            E::OrdersComplete => matches!(state, S::InModeration | S::InProcessing).then_some(S::Completed),
            E::OrdersCancel => matches!(state, S::InModeration | S::InProcessing).then_some(S::Canceled),
        });
    }
}
