//! What staff may do with a combo order: pure.

use panel_contract::combo_orders::{ComboActions, ComboStatus};
use panel_contract::ids::OrderId;
use panel_contract::orders::CancelInput;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;

use crate::orders::Action;
use crate::state_machine::next;
use crate::states::combo_orders::{ComboOrderEvent, ComboOrders};

/// What staff do with a combo order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Its orders in moderation go to providers.
    Approve,
    /// Its orders are canceled and refunded.
    Reject,
    /// Its orders are done, so it is final.
    Complete,
}

impl Move {
    /// The audit event, such as `combo_order.approved`.
    #[must_use]
    pub const fn event(self) -> &'static str {
        match self {
            Self::Approve => "combo_order.approved",
            Self::Reject => "combo_order.rejected",
            Self::Complete => "combo_order.completed",
        }
    }

    /// What it is in the transition table.
    #[must_use]
    pub const fn transition(self) -> ComboOrderEvent {
        match self {
            Self::Approve => ComboOrderEvent::Approve,
            Self::Reject => ComboOrderEvent::Reject,
            Self::Complete => ComboOrderEvent::Complete,
        }
    }

    /// What its orders do then, and how they are canceled where they are.
    #[must_use]
    pub fn of_orders(self) -> (Action, Option<CancelInput>) {
        match self {
            Self::Approve => (Action::Approve, None),
            Self::Complete => (Action::Complete, None),
            Self::Reject => {
                (Action::Cancel, Some(CancelInput { return_money: true, ..CancelInput::default() }))
            }
        }
    }
}

/// The status that a combo order in `status` comes to; a move that the table lacks is a refusal with what is allowed.
pub fn judge(wanted: Move, status: ComboStatus) -> Result<ComboStatus, Rejection> {
    next::<ComboOrders>(status, wanted.transition()).ok_or_else(|| refused(wanted, status))
}

fn refused(wanted: Move, status: ComboStatus) -> Rejection {
    let (verb, code) = match wanted {
        Move::Approve => ("approve", "combo_order_not_approvable"),
        Move::Reject => ("reject", "combo_order_not_rejectable"),
        Move::Complete => ("complete", "combo_order_not_completable"),
    };
    let allowed = match status {
        ComboStatus::InModeration => "approve or reject it",
        ComboStatus::InProcessing => "complete it",
        ComboStatus::Completed | ComboStatus::Canceled => "nothing more can be done to it",
    };
    Rejection::conflict(code, format!("You cannot {verb} a combo order that is {status}; {allowed}."))
}

/// A completed combo order is final, so none of its orders may be left over: not one that was rejected, whose money the
/// panel still has, and not one that waits for moderation.
#[must_use]
pub fn undecided(orders: &[OrderId]) -> Rejection {
    let ids = orders.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let message = format!(
        "These orders were rejected or wait for moderation: {ids}. Approve or cancel them first, then complete the combo order."
    );
    Rejection::conflict("combo_order_has_undecided_orders", message)
}

/// Approving the whole approves the orders that wait for moderation and leaves those alone that staff rejected.
#[must_use]
pub fn nothing_to_approve() -> Rejection {
    let message = "None of its orders waits for moderation. Approve those that it needs one by one, or reject the combo order.";
    Rejection::conflict("combo_order_not_approvable", message)
}

/// What its orders allow, beside its own status.
#[derive(Debug, Clone, Copy)]
pub struct OrdersAllow {
    /// Whether one of them waits for moderation.
    pub approve: bool,
    /// Whether none of them would be left behind, rejected or in moderation.
    pub complete: bool,
}

/// The flags of a record, by the same rule as its endpoints.
#[must_use]
pub fn actions(status: ComboStatus, orders: OrdersAllow, may_manage: bool) -> ComboActions {
    let may = |wanted| may_manage && judge(wanted, status).is_ok();
    ComboActions {
        approvable: may(Move::Approve) && orders.approve,
        rejectable: may(Move::Reject),
        completable: may(Move::Complete) && orders.complete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_moves_are_one_rule() {
        for status in ComboStatus::ALL {
            let all = OrdersAllow { approve: true, complete: true };
            let flags = actions(*status, all, true);
            let allowed = [flags.approvable, flags.rejectable, flags.completable];
            let expected = match status {
                ComboStatus::InModeration => [true, true, false],
                ComboStatus::InProcessing => [false, false, true],
                ComboStatus::Completed | ComboStatus::Canceled => [false; 3],
            };
            assert_eq!(allowed, expected, "{status}");
            assert_eq!(actions(*status, all, false), ComboActions::default());
            let open = actions(*status, OrdersAllow { complete: false, ..all }, true);
            assert!(!open.completable, "an order would be left behind");
            let rejected = actions(*status, OrdersAllow { approve: false, ..all }, true);
            assert!(!rejected.approvable, "no order waits for moderation");
        }
        let refusal = judge(Move::Reject, ComboStatus::InProcessing).unwrap_err();
        assert_eq!(refusal.message, "You cannot reject a combo order that is in_processing; complete it.");
    }
}
