//! Rules of withdrawals. The same rules check a request and fill `actions` of the record. Pure: they never move money.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::withdrawals::{WithdrawalActions, WithdrawalStatus};
use panel_kernel::rejection::Rejection;

use crate::state_machine::next;
use crate::states::withdrawals::{WithdrawalEvent, Withdrawals};

/// An action of staff on a withdrawal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WithdrawalStep {
    /// Allows the payment. It does not change the balance.
    Approve,
    /// Returns the amount to the balance. Holds the note to the customer.
    Reject(String),
    /// Records that staff paid. Holds the id of the transfer.
    Pay(String),
}

impl WithdrawalStep {
    const fn event(&self) -> WithdrawalEvent {
        match self {
            Self::Approve => WithdrawalEvent::Approve,
            Self::Reject(_) => WithdrawalEvent::Reject,
            Self::Pay(_) => WithdrawalEvent::Pay,
        }
    }
}

/// The status after the step, or a rejection if the transition table does not allow it.
pub fn status_after(step: &WithdrawalStep, status: WithdrawalStatus) -> Result<WithdrawalStatus, Rejection> {
    if let Some(to) = next::<Withdrawals>(status, step.event()) {
        return Ok(to);
    }
    let (code, verb, condition) = match step {
        WithdrawalStep::Approve => ("withdrawal_not_approvable", "approve", "a pending one can be approved"),
        WithdrawalStep::Reject(_) => {
            ("withdrawal_not_rejectable", "reject", "a pending or approved one can be rejected")
        }
        WithdrawalStep::Pay(_) => ("withdrawal_not_payable", "mark as paid", "an approved one can be paid"),
    };
    let message = format!("You cannot {verb} a withdrawal that is {status}; only {condition}.");
    Err(Rejection::conflict(code, message))
}

/// Whether different staff members must approve and pay. The setting is `on`, `off` or `auto`, which means yes if at least two
/// active staff members may mark withdrawals as paid.
#[must_use]
pub fn needs_four_eyes(setting: &str, staff_who_may_pay: i64) -> bool {
    match setting {
        "on" => true,
        "off" => false,
        _ => staff_who_may_pay >= 2,
    }
}

/// The facts of the four-eyes check, which forbids that one staff member both approves and pays.
#[derive(Debug, Clone, Copy)]
pub struct FourEyes {
    /// Whether the check applies: see [`needs_four_eyes`].
    pub is_required: bool,
    pub approved_by: Option<UserId>,
}

/// Rejects a payment by the staff member who approved, if the check applies. The caller checks the permission.
pub fn check_four_eyes(facts: &FourEyes, actor: Option<UserId>) -> Result<(), Rejection> {
    if !facts.is_required || facts.approved_by.is_none() || facts.approved_by != actor {
        return Ok(());
    }
    let message = "You approved this withdrawal. Ask a colleague to mark it as paid (withdrawals_four_eyes).";
    Err(Rejection::forbidden("four_eyes", message))
}

/// The actions of a withdrawal for the caller. With `is_own`, the four-eyes check forbids the payment because the caller approved.
#[must_use]
pub fn actions(
    status: WithdrawalStatus,
    is_own: bool,
    may: impl Fn(Permission) -> bool,
) -> WithdrawalActions {
    let may_manage = may(Permission::ManageWithdrawals);
    let can = |step: &WithdrawalStep| status_after(step, status).is_ok();
    let payable = (may_manage || may(Permission::MarkAsPaidWithdrawalRequests))
        && can(&WithdrawalStep::Pay(String::new()));
    WithdrawalActions {
        approve: (may_manage || may(Permission::ApproveWithdrawalRequests)) && can(&WithdrawalStep::Approve),
        paid: payable && !is_own,
        reject: may_manage && can(&WithdrawalStep::Reject(String::new())),
        needs_colleague: payable && is_own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> [WithdrawalStep; 3] {
        [WithdrawalStep::Approve, WithdrawalStep::Reject("No".into()), WithdrawalStep::Pay("T1".into())]
    }

    #[test]
    fn each_status_allows_its_steps() {
        use WithdrawalStatus::{Approved, Paid, Pending, Rejected};
        let next_statuses = |status| steps().map(|step| status_after(&step, status).ok());
        assert_eq!(next_statuses(Pending), [Some(Approved), Some(Rejected), None]);
        assert_eq!(next_statuses(Approved), [None, Some(Rejected), Some(Paid)]);
        assert_eq!(next_statuses(Paid), [None, None, None]);
        assert_eq!(next_statuses(Rejected), [None, None, None]);
    }

    #[test]
    fn actions_depend_on_the_status_and_the_permission() {
        use Permission::{ApproveWithdrawalRequests, ManageWithdrawals, MarkAsPaidWithdrawalRequests};
        let flags = |status, held: &[Permission]| {
            let WithdrawalActions { approve, paid, reject, .. } =
                actions(status, false, |permission| held.contains(&permission));
            (approve, paid, reject)
        };
        let (pending, approved) = (WithdrawalStatus::Pending, WithdrawalStatus::Approved);
        assert_eq!(flags(pending, &[ManageWithdrawals]), (true, false, true));
        assert_eq!(flags(approved, &[ManageWithdrawals]), (false, true, true));
        assert_eq!(flags(pending, &[ApproveWithdrawalRequests]), (true, false, false));
        assert_eq!(flags(approved, &[MarkAsPaidWithdrawalRequests]), (false, true, false));
        assert_eq!(flags(approved, &[ApproveWithdrawalRequests]), (false, false, false));
        assert_eq!(flags(WithdrawalStatus::Paid, Permission::ALL), (false, false, false));
        let own = actions(approved, true, |permission| permission == MarkAsPaidWithdrawalRequests);
        assert!(!own.paid && own.needs_colleague);
        let without_permission =
            actions(approved, true, |permission| permission == ApproveWithdrawalRequests);
        assert!(!without_permission.needs_colleague, "the caller could not pay anyway");
    }

    #[test]
    fn the_automatic_four_eyes_check_needs_two_who_can_pay() {
        assert!(needs_four_eyes("auto", 2) && !needs_four_eyes("auto", 1));
        assert!(needs_four_eyes("on", 1) && !needs_four_eyes("off", 9));
    }

    #[test]
    fn only_the_approver_may_not_pay() {
        let code = |is_required, approved_by, actor| {
            check_four_eyes(&FourEyes { is_required, approved_by }, actor).map_err(|rejection| rejection.code)
        };
        let [nine, eight] = [9, 8].map(|id| Some(UserId::new(id)));
        assert_eq!(code(true, nine, nine), Err("four_eyes"));
        assert_eq!(code(true, nine, eight), Ok(()));
        assert_eq!(code(false, nine, nine), Ok(()));
        assert_eq!((code(true, None, None), code(true, None, nine)), (Ok(()), Ok(())));
    }
}
