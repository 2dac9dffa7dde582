//! Rules of combo orders. Pure.

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
    /// Completes its orders; the combo order is final then.
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

    /// The action on its orders, and the input of a cancel.
    #[must_use]
    pub fn of_orders(self) -> (OrderAction, Option<CancelInput>) {
        match self {
            Self::Approve => (OrderAction::Approve, None),
            Self::Complete => (OrderAction::Complete, None),
            Self::Reject => {
                (OrderAction::Cancel, Some(CancelInput { return_money: true, ..CancelInput::default() }))
            }
        }
    }
}

/// The status after the action. Where the table has no such transition, the rejection names the allowed actions.
pub fn judge(action: ComboAction, status: ComboStatus) -> Result<ComboStatus, Rejection> {
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

/// Rejection of completing a combo order with undecided orders: a completed combo order is final, so none of its orders may stay
/// rejected without a refund, or in moderation.
#[must_use]
pub fn undecided_orders_rejection(orders: &[OrderId]) -> Rejection {
    let ids = orders.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let message = format!(
        "These orders were rejected or wait for moderation: {ids}. Approve or cancel them first, then complete the combo order."
    );
    Rejection::conflict("combo_order_has_undecided_orders", message)
}

/// Rejection of approving a combo order without orders in moderation: an approval does not affect rejected orders.
#[must_use]
pub fn nothing_to_approve_rejection() -> Rejection {
    let message = "None of its orders is in moderation. Approve its rejected orders one by one, or reject the combo order.";
    Rejection::conflict("combo_order_not_approvable", message)
}

/// What the orders of a combo order allow, in addition to its own status.
#[derive(Debug, Clone, Copy)]
pub struct ComboOrderChecks {
    /// Whether one of them is in moderation.
    pub approve: bool,
    /// Whether none of them is rejected or in moderation.
    pub complete: bool,
}

/// The actions of a combo order, by the same rule as its endpoints.
#[must_use]
pub fn actions(status: ComboStatus, orders: ComboOrderChecks, may_manage: bool) -> ComboActions {
    let may = |action| may_manage && judge(action, status).is_ok();
    ComboActions {
        approvable: may(ComboAction::Approve) && orders.approve,
        rejectable: may(ComboAction::Reject),
        completable: may(ComboAction::Complete) && orders.complete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_moves_are_one_rule() {
        for status in ComboStatus::ALL {
            let all = ComboOrderChecks { approve: true, complete: true };
            let flags = actions(*status, all, true);
            let allowed = [flags.approvable, flags.rejectable, flags.completable];
            let expected = match status {
                ComboStatus::InModeration => [true, true, false],
                ComboStatus::InProcessing => [false, false, true],
                ComboStatus::Completed | ComboStatus::Canceled => [false; 3],
            };
            assert_eq!(allowed, expected, "{status}");
            assert_eq!(actions(*status, all, false), ComboActions::default());
            let open = actions(*status, ComboOrderChecks { complete: false, ..all }, true);
            assert!(!open.completable, "an order would be left behind");
            let rejected = actions(*status, ComboOrderChecks { approve: false, ..all }, true);
            assert!(!rejected.approvable, "no order waits for moderation");
        }
        let refusal = judge(ComboAction::Reject, ComboStatus::InProcessing).unwrap_err();
        assert_eq!(refusal.message, "You cannot reject a combo order that is in_processing; complete it.");
    }
}
