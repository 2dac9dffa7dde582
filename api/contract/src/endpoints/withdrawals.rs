//! Endpoints of withdrawals.

use crate::common::{Data, DryRun};
use crate::endpoint::NoBody;
use crate::ids::WithdrawalId;
use crate::table::{Page, TableQuery};
use crate::withdrawals::*;

crate::endpoints! { $ for_each_withdrawals_endpoint "withdrawals";
    /// Withdrawals, newest first.
    ListWithdrawals list_withdrawals: GET "/api/v1/admin/withdrawals" [ViewWithdrawals] ((), TableQuery, NoBody) -> Page<Withdrawal>;
    /// Says yes to a pending one; the money stays held until it is paid.
    ApproveWithdrawal approve_withdrawal: POST "/api/v1/admin/withdrawals/{id}/approve" [ApproveWithdrawalRequests | ManageWithdrawals] (WithdrawalId, DryRun, NoBody) -> Data<Withdrawal>;
    /// Says no to a pending or approved one; the held money goes back to the balance it came from.
    RejectWithdrawal reject_withdrawal: POST "/api/v1/admin/withdrawals/{id}/reject" [ManageWithdrawals] (WithdrawalId, DryRun, RejectWithdrawalInput) -> Data<Withdrawal>;
    /// An approved one was paid out: the held money leaves the panel. With four eyes (`withdrawals_four_eyes`) another staff
    /// member than the one who approved it.
    MarkWithdrawalPaid mark_withdrawal_paid: POST "/api/v1/admin/withdrawals/{id}/mark-as-paid" [MarkAsPaidWithdrawalRequests | ManageWithdrawals] confirmed (WithdrawalId, DryRun, PaidWithdrawalInput) -> Data<Withdrawal>;
}
