//! Rules of withdrawals. The same rules check a request and determine the field `actions` of the record. Pure functions, which must
//! not move money.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::withdrawals::{WithdrawalActions, WithdrawalStatus};
use panel_kernel::rejection::Rejection;

use crate::state_machine::next_state;
use crate::states::withdrawals::{WithdrawalEvent, Withdrawals};

/// An action of staff on a withdrawal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WithdrawalStep {
    /// Allows the payout, without a change of the balance.
    Approve,
    /// Returns the amount to the balance. The string is the note to the customer.
    Reject(String),
    /// Records that staff paid the customer. The string is the id of the transfer.
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
    if let Some(to) = next_state::<Withdrawals>(status, step.event()) {
        return Ok(to);
    }
    let (code, verb, condition) = match step {
        WithdrawalStep::Approve => {
            ("withdrawal_not_approvable", "approve", "a pending withdrawal can be approved")
        }
        WithdrawalStep::Reject(_) => {
            ("withdrawal_not_rejectable", "reject", "a pending or approved withdrawal can be rejected")
        }
        WithdrawalStep::Pay(_) => {
            ("withdrawal_not_payable", "mark as paid", "an approved withdrawal can be marked as paid")
        }
    };
    let message = format!("You cannot {verb} a withdrawal that is {status}; only {condition}.");
    Err(Rejection::conflict(code, message))
}

/// Whether different staff members must approve a withdrawal and mark it as paid. The setting is `on`, `off` or `auto`; `auto`
/// means yes if at least two active staff members can mark withdrawals as paid.
#[must_use]
pub fn needs_four_eyes(setting: &str, payer_count: i64) -> bool {
    match setting {
        "on" => true,
        "off" => false,
        _ => payer_count >= 2,
    }
}

/// The input of the four-eyes check: the same staff member must not approve a withdrawal and mark it as paid.
#[derive(Debug, Clone, Copy)]
pub struct FourEyesCheck {
    /// Whether the check applies: see [`needs_four_eyes`].
    pub is_required: bool,
    pub approved_by: Option<UserId>,
}

/// Rejects marking a withdrawal as paid by the staff member who approved it, if the check applies. The caller must check the
/// permission.
pub fn check_four_eyes(check: &FourEyesCheck, actor: Option<UserId>) -> Result<(), Rejection> {
    if !check.is_required || check.approved_by.is_none() || check.approved_by != actor {
        return Ok(());
    }
    let message = "You approved this withdrawal. Ask a colleague to mark it as paid (withdrawals_four_eyes).";
    Err(Rejection::forbidden("four_eyes", message))
}

/// The field `actions` of a withdrawal. `is_own_approval` is whether the four-eyes check rejects the caller because they approved
/// the withdrawal.
#[must_use]
pub fn actions(
    status: WithdrawalStatus,
    is_own_approval: bool,
    has_permission: impl Fn(Permission) -> bool,
) -> WithdrawalActions {
    let may_manage = has_permission(Permission::ManageWithdrawals);
    let can = |step: &WithdrawalStep| status_after(step, status).is_ok();
    let payable = (may_manage || has_permission(Permission::MarkAsPaidWithdrawalRequests))
        && can(&WithdrawalStep::Pay(String::new()));
    WithdrawalActions {
        approve: (may_manage || has_permission(Permission::ApproveWithdrawalRequests))
            && can(&WithdrawalStep::Approve),
        paid: payable && !is_own_approval,
        reject: may_manage && can(&WithdrawalStep::Reject(String::new())),
        needs_colleague: payable && is_own_approval,
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
        let allowed_actions = |status, permissions: &[Permission]| {
            let WithdrawalActions { approve, paid, reject, .. } =
                actions(status, false, |permission| permissions.contains(&permission));
            (approve, paid, reject)
        };
        let (pending, approved) = (WithdrawalStatus::Pending, WithdrawalStatus::Approved);
        assert_eq!(allowed_actions(pending, &[ManageWithdrawals]), (true, false, true));
        assert_eq!(allowed_actions(approved, &[ManageWithdrawals]), (false, true, true));
        assert_eq!(allowed_actions(pending, &[ApproveWithdrawalRequests]), (true, false, false));
        assert_eq!(allowed_actions(approved, &[MarkAsPaidWithdrawalRequests]), (false, true, false));
        assert_eq!(allowed_actions(approved, &[ApproveWithdrawalRequests]), (false, false, false));
        assert_eq!(allowed_actions(WithdrawalStatus::Paid, Permission::ALL), (false, false, false));
        let own_approval = actions(approved, true, |permission| permission == MarkAsPaidWithdrawalRequests);
        assert!(!own_approval.paid && own_approval.needs_colleague);
        let without_permission =
            actions(approved, true, |permission| permission == ApproveWithdrawalRequests);
        assert!(
            !without_permission.needs_colleague,
            "a caller without the permission must not get needs_colleague"
        );
    }

    #[test]
    fn the_automatic_four_eyes_check_applies_if_two_staff_members_can_pay() {
        assert!(needs_four_eyes("auto", 2) && !needs_four_eyes("auto", 1));
        assert!(needs_four_eyes("on", 1) && !needs_four_eyes("off", 9));
    }

    #[test]
    fn rejects_only_the_approver() {
        let code = |is_required, approved_by, actor| {
            check_four_eyes(&FourEyesCheck { is_required, approved_by }, actor)
                .map_err(|rejection| rejection.code)
        };
        let [nine, eight] = [9, 8].map(|id| Some(UserId::new(id)));
        assert_eq!(code(true, nine, nine), Err("four_eyes"));
        assert_eq!(code(true, nine, eight), Ok(()));
        assert_eq!(code(false, nine, nine), Ok(()));
        assert_eq!((code(true, None, None), code(true, None, nine)), (Ok(()), Ok(())));
    }
}
