//! Endpoints of background jobs and of the status of the system.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::JobId;
use crate::jobs::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_jobs_endpoint "system";
    /// Retrieves version, database, queues, webhooks, external panels, backups and the last ledger check.
    GetSystemStatus system_status: GET "/api/v1/admin/system/status" [ManagePanelSettings] ((), EmptyQuery, EmptyBody) -> Data<SystemStatus>;
    /// Lists background jobs, newest first.
    ListJobs list_jobs: GET "/api/v1/admin/jobs" [ManagePanelSettings] ((), TableQuery, EmptyBody) -> Page<JobRow>;
    /// Retries a waiting or failed job immediately and resets its attempts.
    RetryJob retry_job: POST "/api/v1/admin/jobs/{id}/retry" [ManagePanelSettings] (JobId, DryRun, EmptyBody) -> Data<JobRow>;
}
