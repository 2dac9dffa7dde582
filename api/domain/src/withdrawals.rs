//! Rules of withdrawals. The same rules check a request and fill `actions` of the record. Pure: they never move money.

use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::withdrawals::{WithdrawalActions, WithdrawalStatus};
use panel_kernel::rejection::Rejection;

use crate::state_machine::next;
use crate::states::withdrawals::{WithdrawalEvent, Withdrawals};

/// A step of a withdrawal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WithdrawalStep {
    /// Allows the payment; moves no money.
    Approve,
    /// Returns the money to the customer; with the note to the customer.
    Reject(String),
    /// Records the payment; with the id of the transfer.
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

/// The status after the step, or a rejection where the step does not apply to `status`.
pub fn judge(step: &WithdrawalStep, status: WithdrawalStatus) -> Result<WithdrawalStatus, Rejection> {
    if let Some(to) = next::<Withdrawals>(status, step.event()) {
        return Ok(to);
    }
    let (code, verb, needs) = match step {
        WithdrawalStep::Approve => ("withdrawal_not_approvable", "approve", "a pending one is approved"),
        WithdrawalStep::Reject(_) => {
            ("withdrawal_not_rejectable", "reject", "a pending or approved one is rejected")
        }
        WithdrawalStep::Pay(_) => ("withdrawal_not_payable", "mark as paid", "an approved one is paid"),
    };
    let message = format!("You cannot {verb} a withdrawal that is {status}; only {needs}.");
    Err(Rejection::conflict(code, message))
}

/// Whether approval and payment need two staff members: by the setting, or for `auto` where at least two active staff members
/// (`payers`) may mark as paid.
#[must_use]
pub fn needs_four_eyes(setting: &str, payers: i64) -> bool {
    match setting {
        "on" => true,
        "off" => false,
        _ => payers >= 2,
    }
}

/// Facts of the four-eyes check: whether the caller, who holds the permission, may pay a withdrawal.
#[derive(Debug, Clone, Copy)]
pub struct FourEyes {
    /// Whether the staff member who approved may not pay.
    pub is_required: bool,
    /// The staff member who approved.
    pub approved_by: Option<UserId>,
}

/// Rejects a payment by the staff member who approved, where the four-eyes check is required.
pub fn check_four_eyes(eyes: &FourEyes, actor: Option<UserId>) -> Result<(), Rejection> {
    if !eyes.is_required || eyes.approved_by.is_none() || eyes.approved_by != actor {
        return Ok(());
    }
    let message = "You approved this withdrawal. Ask a colleague to mark it as paid (withdrawals_four_eyes).";
    Err(Rejection::forbidden("four_eyes", message))
}

/// The actions of a withdrawal in `status` for the caller; `is_own` where the four-eyes check forbids the payment, because the
/// caller approved it.
#[must_use]
pub fn actions(
    status: WithdrawalStatus,
    is_own: bool,
    may: impl Fn(Permission) -> bool,
) -> WithdrawalActions {
    let manages = may(Permission::ManageWithdrawals);
    let can = |step: &WithdrawalStep| judge(step, status).is_ok();
    let payable = (manages || may(Permission::MarkAsPaidWithdrawalRequests))
        && can(&WithdrawalStep::Pay(String::new()));
    WithdrawalActions {
        approve: (manages || may(Permission::ApproveWithdrawalRequests)) && can(&WithdrawalStep::Approve),
        paid: payable && !is_own,
        reject: manages && can(&WithdrawalStep::Reject(String::new())),
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
    fn each_status_leads_where_the_rules_say() {
        use WithdrawalStatus::{Approved, Paid, Pending, Rejected};
        let to = |status| steps().map(|step| judge(&step, status).ok());
        assert_eq!(to(Pending), [Some(Approved), Some(Rejected), None]);
        assert_eq!(to(Approved), [None, Some(Rejected), Some(Paid)]);
        assert_eq!(to(Paid), [None, None, None]);
        assert_eq!(to(Rejected), [None, None, None]);
    }

    #[test]
    fn flags_are_the_status_and_the_callers_permission() {
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
        let unfit = actions(approved, true, |permission| permission == ApproveWithdrawalRequests);
        assert!(!unfit.needs_colleague, "the permission is missing anyhow");
    }

    #[test]
    fn four_eyes_count_by_themselves_where_two_can_pay() {
        assert!(needs_four_eyes("auto", 2) && !needs_four_eyes("auto", 1));
        assert!(needs_four_eyes("on", 1) && !needs_four_eyes("off", 9));
    }

    #[test]
    fn only_the_approver_may_not_pay() {
        let code = |is_required, approved_by, actor| {
            check_four_eyes(&FourEyes { is_required, approved_by }, actor).map_err(|refusal| refusal.code)
        };
        let [nine, eight] = [9, 8].map(|id| Some(UserId::new(id)));
        assert_eq!(code(true, nine, nine), Err("four_eyes"));
        assert_eq!(code(true, nine, eight), Ok(()));
        assert_eq!(code(false, nine, nine), Ok(()));
        assert_eq!((code(true, None, None), code(true, None, nine)), (Ok(()), Ok(())));
    }
}
