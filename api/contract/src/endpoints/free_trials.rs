//! Endpoints of free trials.

use crate::common::{Data, DryRun};
use crate::endpoint::NoBody;
use crate::free_trials::{ApproveFreeTrialInput, FreeTrial};
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_free_trials_endpoint "free-trials";
    /// Requests for free trials, newest first.
    ListFreeTrials list_free_trials: GET "/api/v1/admin/free-trials" [ManageFreeTrials] ((), TableQuery, NoBody) -> Page<FreeTrial>;
    /// Approves one: an order that costs nothing is placed and linked.
    ApproveFreeTrial approve_free_trial: POST "/api/v1/admin/free-trials/{id}/approve" [ManageFreeTrials] (i64, DryRun, ApproveFreeTrialInput) -> Data<FreeTrial>;
    /// Rejects one.
    RejectFreeTrial reject_free_trial: POST "/api/v1/admin/free-trials/{id}/reject" [ManageFreeTrials] (i64, DryRun, NoBody) -> Data<FreeTrial>;
}
