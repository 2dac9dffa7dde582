//! Rules of the actions of staff on combo orders, each of which is a package that a customer bought as several orders. Pure.

use panel_contract::combo_orders::{ComboActions, ComboStatus};
use panel_contract::ids::OrderId;
use panel_contract::orders::CancelInput;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;

use crate::orders::OrderAction;
use crate::state_machine::next;
use crate::states::combo_orders::{ComboOrderEvent, ComboOrders};

/// An action of staff on a combo order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComboAction {
    /// Approves its orders in moderation.
    Approve,
    /// Cancels and refunds its orders.
    Reject,
    /// Completes its orders. Nothing can change the combo order afterwards.
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

    /// The action on each of its orders, with the input if that is a cancel.
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

/// The status after the action. If the transition table does not allow the action, the rejection names the allowed ones.
pub fn status_after(action: ComboAction, status: ComboStatus) -> Result<ComboStatus, Rejection> {
    next::<ComboOrders>(status, action.transition()).ok_or_else(|| rejection(action, status))
}

fn rejection(action: ComboAction, status: ComboStatus) -> Rejection {
    let (verb, code) = match action {
        ComboAction::Approve => ("approve", "combo_order_not_approvable"),
        ComboAction::Reject => ("reject", "combo_order_not_rejectable"),
        ComboAction::Complete => ("complete", "combo_order_not_completable"),
    };
    let allowed = match status {
        ComboStatus::InModeration => "approve or reject it",
        ComboStatus::InProcessing => "complete it",
        ComboStatus::Completed | ComboStatus::Canceled => "it is final",
    };
    Rejection::conflict(code, format!("You cannot {verb} a combo order that is {status}; {allowed}."))
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

/// The actions that the orders of a combo order allow. Its own status must allow them too.
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
            let all = ComboOrderChecks { approve: true, complete: true };
            let actions_of_status = actions(*status, all, true);
            let allowed =
                [actions_of_status.approvable, actions_of_status.rejectable, actions_of_status.completable];
            let expected = match status {
                ComboStatus::InModeration => [true, true, false],
                ComboStatus::InProcessing => [false, false, true],
                ComboStatus::Completed | ComboStatus::Canceled => [false; 3],
            };
            assert_eq!(allowed, expected, "{status}");
            assert_eq!(actions(*status, all, false), ComboActions::default());
            let open = actions(*status, ComboOrderChecks { complete: false, ..all }, true);
            assert!(!open.completable, "an order is undecided");
            let rejected = actions(*status, ComboOrderChecks { approve: false, ..all }, true);
            assert!(!rejected.approvable, "no order waits for moderation");
        }
        let rejection = status_after(ComboAction::Reject, ComboStatus::InProcessing).unwrap_err();
        assert_eq!(rejection.message, "You cannot reject a combo order that is in_processing; complete it.");
    }
}
