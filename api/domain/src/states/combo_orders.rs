//! The state machine of combo orders. A combo order is the purchase of a package, with one order for each service. Staff decide
//! about all orders together, and the combo order ends when its orders have ended.

use panel_contract::combo_orders::ComboStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of a combo order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ComboOrderEvent {
    /// At least one of the orders that were just placed requires moderation.
    HoldForModeration,
    /// Staff approve all of its orders.
    Approve,
    /// Staff reject the combo order: its orders are canceled.
    Reject,
    /// Staff complete all of its orders.
    Complete,
    /// No order waits for moderation any more.
    OrdersLeaveModeration,
    /// The approval of an order was undone, so it waits for moderation again.
    OrdersReturn,
    /// All orders ended, and at least one was completed.
    OrdersComplete,
    /// All of its orders are canceled.
    OrdersCancel,
}

/// The state machine of the table `combo_orders`.
#[derive(Debug)]
pub struct ComboOrders;

impl StateMachine for ComboOrders {
    type State = ComboStatus;
    type Event = ComboOrderEvent;
    const NAME: &'static str = "combo-order";
    const TITLE: &'static str = "Combo orders";
    const ABOUT: &'static str = "The purchase of a package, with one order for each service. Staff decide about all orders together; events of single orders also change the state of the combo order.";
    const STATES: &'static [DiagramLabel<ComboStatus>] = &[
        label(ComboStatus::InModeration, "in_moderation", "At least one of its orders waits for moderation"),
        label(ComboStatus::InProcessing, "in_processing", "Its orders are delivered"),
        label(ComboStatus::Completed, "completed", "All orders ended, and at least one was completed"),
        label(ComboStatus::Canceled, "canceled", "All of its orders are canceled"),
    ];
    const EVENTS: &'static [DiagramLabel<ComboOrderEvent>] = &[
        label(
            ComboOrderEvent::HoldForModeration,
            "hold for moderation",
            "At least one of the orders that were just placed requires moderation",
        ),
        label(ComboOrderEvent::Approve, "approve", "Staff approve all of its orders"),
        label(ComboOrderEvent::Reject, "reject", "Staff reject the combo order: its orders are canceled"),
        label(ComboOrderEvent::Complete, "complete", "Staff complete all of its orders"),
        label(
            ComboOrderEvent::OrdersLeaveModeration,
            "orders leave moderation",
            "No order waits for moderation any more",
        ),
        label(
            ComboOrderEvent::OrdersReturn,
            "orders return",
            "The approval of an order was undone, so it waits for moderation again",
        ),
        label(
            ComboOrderEvent::OrdersComplete,
            "orders complete",
            "All orders ended, and at least one was completed",
        ),
        label(ComboOrderEvent::OrdersCancel, "orders cancel", "All of its orders are canceled"),
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
    fn the_table_has_exactly_the_expected_transitions() {
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
