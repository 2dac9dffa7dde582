//! Endpoints of background work and the system's status.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::JobId;
use crate::jobs::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_jobs_endpoint "system";
    /// Version, database, queues, webhooks, external panels, backups and the last look at the ledger.
    GetSystemStatus system_status: GET "/api/v1/admin/system/status" [ManagePanelSettings] ((), NoQuery, NoBody) -> Data<SystemStatus>;
    /// Background work, newest first.
    ListJobs list_jobs: GET "/api/v1/admin/jobs" [ManagePanelSettings] ((), TableQuery, NoBody) -> Page<JobRow>;
    /// Tries a job that waits or was given up at once, from its first try.
    RetryJob retry_job: POST "/api/v1/admin/jobs/{id}/retry" [ManagePanelSettings] (JobId, DryRun, NoBody) -> Data<JobRow>;
}
