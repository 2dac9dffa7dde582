//! Rules of the actions of staff on combo orders. A combo order is the purchase of a package, with one order for each service of
//! the package. Pure functions.

use panel_contract::combo_orders::{ComboActions, ComboStatus};
use panel_contract::ids::OrderId;
use panel_contract::orders::CancelInput;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;

use crate::orders::OrderAction;
use crate::state_machine::next_state;
use crate::states::combo_orders::{ComboOrderEvent, ComboOrders};

/// An action of staff on a combo order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComboAction {
    /// Approves the orders in moderation.
    Approve,
    /// Cancels and refunds all orders.
    Reject,
    /// Completes all orders. The combo order cannot change afterwards.
    Complete,
}

impl ComboAction {
    /// The audit event, such as `combo_order.approved`.
    #[must_use]
    pub const fn event(self) -> &'static str {
        match self {
            Self::Approve => "combo_order.approved",
            Self::Reject => "combo_order.rejected",
            Self::Complete => "combo_order.completed",
        }
    }

    /// The event in the transition table.
    #[must_use]
    pub const fn transition(self) -> ComboOrderEvent {
        match self {
            Self::Approve => ComboOrderEvent::Approve,
            Self::Reject => ComboOrderEvent::Reject,
            Self::Complete => ComboOrderEvent::Complete,
        }
    }

    /// The action on each order of the combo order, and the input if the action is [`OrderAction::Cancel`].
    #[must_use]
    pub fn order_action(self) -> (OrderAction, Option<CancelInput>) {
        match self {
            Self::Approve => (OrderAction::Approve, None),
            Self::Complete => (OrderAction::Complete, None),
            Self::Reject => {
                (OrderAction::Cancel, Some(CancelInput { return_money: true, ..CancelInput::default() }))
            }
        }
    }
}

/// The status after the action. If the transition table does not allow the action, the rejection lists the allowed actions.
pub fn status_after(action: ComboAction, status: ComboStatus) -> Result<ComboStatus, Rejection> {
    next_state::<ComboOrders>(status, action.transition()).ok_or_else(|| rejection(action, status))
}

fn rejection(action: ComboAction, status: ComboStatus) -> Rejection {
    let (verb, code) = match action {
        ComboAction::Approve => ("approve", "combo_order_not_approvable"),
        ComboAction::Reject => ("reject", "combo_order_not_rejectable"),
        ComboAction::Complete => ("complete", "combo_order_not_completable"),
    };
    let advice = match status {
        ComboStatus::InModeration => "approve or reject it",
        ComboStatus::InProcessing => "complete it",
        ComboStatus::Completed | ComboStatus::Canceled => "this status is final",
    };
    Rejection::conflict(code, format!("You cannot {verb} a combo order that is {status}; {advice}."))
}

/// The rejection of completing a combo order with undecided orders. A completed combo order cannot change, so no order may stay in
/// moderation, or rejected without a refund.
#[must_use]
pub fn undecided_orders_rejection(orders: &[OrderId]) -> Rejection {
    let ids = orders.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let message = format!(
        "These orders were rejected or wait for moderation: {ids}. Approve or cancel them first, then complete the combo order."
    );
    Rejection::conflict("combo_order_has_undecided_orders", message)
}

/// The rejection of approving a combo order without orders in moderation. An approval does not affect rejected orders.
#[must_use]
pub fn nothing_to_approve_rejection() -> Rejection {
    let message = "No order of this combo order is in moderation. Approve its rejected orders one by one, or reject the combo order.";
    Rejection::conflict("combo_order_not_approvable", message)
}

/// The actions that the orders of a combo order allow. The status of the combo order must allow the action, too.
#[derive(Debug, Clone, Copy)]
pub struct ComboOrderChecks {
    /// Whether an order is in moderation.
    pub approve: bool,
    /// Whether no order is rejected or in moderation.
    pub complete: bool,
}

/// The actions of a combo order in the API, by the same rules as its endpoints.
#[must_use]
pub fn actions(status: ComboStatus, orders: ComboOrderChecks, may_manage: bool) -> ComboActions {
    let can = |action| may_manage && status_after(action, status).is_ok();
    ComboActions {
        approvable: can(ComboAction::Approve) && orders.approve,
        rejectable: can(ComboAction::Reject),
        completable: can(ComboAction::Complete) && orders.complete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_match_the_transitions_of_the_status() {
        for status in ComboStatus::ALL {
            let all_allowed = ComboOrderChecks { approve: true, complete: true };
            let actions_of_status = actions(*status, all_allowed, true);
            let allowed =
                [actions_of_status.approvable, actions_of_status.rejectable, actions_of_status.completable];
            let expected = match status {
                ComboStatus::InModeration => [true, true, false],
                ComboStatus::InProcessing => [false, false, true],
                ComboStatus::Completed | ComboStatus::Canceled => [false; 3],
            };
            assert_eq!(allowed, expected, "{status}");
            assert_eq!(actions(*status, all_allowed, false), ComboActions::default());
            let with_undecided = actions(*status, ComboOrderChecks { complete: false, ..all_allowed }, true);
            assert!(
                !with_undecided.completable,
                "a combo order with undecided orders must not be completable"
            );
            let without_moderation =
                actions(*status, ComboOrderChecks { approve: false, ..all_allowed }, true);
            assert!(
                !without_moderation.approvable,
                "a combo order without orders in moderation must not be approvable"
            );
        }
        let rejection = status_after(ComboAction::Reject, ComboStatus::InProcessing).unwrap_err();
        assert_eq!(rejection.message, "You cannot reject a combo order that is in_processing; complete it.");
    }
}
