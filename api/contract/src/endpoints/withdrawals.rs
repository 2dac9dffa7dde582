//! Endpoints of withdrawals.

use crate::common::{Data, DryRun};
use crate::endpoint::EmptyBody;
use crate::ids::WithdrawalId;
use crate::table::{Page, TableQuery};
use crate::withdrawals::*;

crate::endpoints! { $ for_each_withdrawals_endpoint "withdrawals";
    /// Lists withdrawals, newest first.
    ListWithdrawals list_withdrawals: GET "/api/v1/admin/withdrawals" [ViewWithdrawals] ((), TableQuery, EmptyBody) -> Page<Withdrawal>;
    /// Approves a pending withdrawal. The money stays on hold until the withdrawal is paid.
    ApproveWithdrawal approve_withdrawal: POST "/api/v1/admin/withdrawals/{id}/approve" [ApproveWithdrawalRequests | ManageWithdrawals] (WithdrawalId, DryRun, EmptyBody) -> Data<Withdrawal>;
    /// Rejects a pending or approved withdrawal; the held money returns to its balance.
    RejectWithdrawal reject_withdrawal: POST "/api/v1/admin/withdrawals/{id}/reject" [ManageWithdrawals] (WithdrawalId, DryRun, RejectWithdrawalInput) -> Data<Withdrawal>;
    /// Marks an approved withdrawal as paid: the held money leaves the panel. With the setting `withdrawals_four_eyes`, a staff
    /// member other than the approver must do this.
    MarkWithdrawalPaid mark_withdrawal_paid: POST "/api/v1/admin/withdrawals/{id}/mark-as-paid" [MarkAsPaidWithdrawalRequests | ManageWithdrawals] confirmed (WithdrawalId, DryRun, PaidWithdrawalInput) -> Data<Withdrawal>;
}
