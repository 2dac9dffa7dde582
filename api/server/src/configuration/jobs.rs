//! The list of background jobs with their errors, and the retry of a failed job.

use panel_contract::common::Data;
use panel_contract::endpoints::jobs::{ListJobs, RetryJob};
use panel_contract::ids::JobId;
use panel_contract::jobs::{JobActions, JobRow, JobStatus};
use panel_contract::moment::Time;
use panel_domain::states::jobs;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::jobs::job::Job;
use panel_platform::jobs::store;
use panel_platform::scope::Scope;
use panel_platform::table::{self, RowSource, SearchTarget, Table, TextIndex, base_column, expr};

pub fn routes(api: Api) -> Api {
    api.list_route::<ListJobs, _, _>(&JOBS, JobRecord::into_row).route::<RetryJob, _, _, _>(retry_job)
}

static KIND_INDEX: TextIndex = TextIndex::values("jobs", &["kind"]);
static ERROR_INDEX: TextIndex = TextIndex::trigrams("jobs", &["last_error"]);

/// All stored jobs, newest first.
pub static JOBS: Table = Table::new(
    &panel_contract::lists::jobs::JOBS,
    RowSource {
        base: "jobs",
        alias: "j",
        key: "j.id",
        select: "j.id, j.kind, j.payload, j.attempts, j.run_at, j.lease_until, j.last_error, j.created_at, j.done_at, j.dead_at",
        ..RowSource::NONE
    },
    &[
        base_column("kind").values(&KIND_INDEX),
        expr("status", STATUS),
        base_column("last_error").text_index("j.id", &ERROR_INDEX, "last_error"),
    ],
)
.global_search(&[
    SearchTarget::new("j.kind", &KIND_INDEX, "kind").own_columns(&["j.kind"]),
    SearchTarget::new("j.id", &ERROR_INDEX, "last_error").own_columns(&["j.last_error"]),
]);

/// The SQL of [`JobRecord::status`]. A job with an expired lease still counts as running, because a worker claims it within a second.
const STATUS: &str = "CASE WHEN j.done_at IS NOT NULL THEN 'done' WHEN j.dead_at IS NOT NULL THEN 'given_up'
  WHEN j.lease_until IS NOT NULL THEN 'running' ELSE 'waiting' END";

async fn retry_job(ctx: Ctx, req: Req<RetryJob>) -> Result<Data<JobRow>> {
    let mut work = ctx.begin().await?;
    let now = work.now;
    let transition = store::retry(&mut work, req.path, now).await?;
    let mut rows = table::load_rows_from(&mut work, &ctx, &JOBS, &[req.path], JobRecord::into_row).await?;
    let data = rows.pop().ok_or_else(|| Error::not_found("job", req.path))?;
    if !transition.is_applied() {
        let message = match data.status {
            JobStatus::Done => "This job has already succeeded, so it cannot be retried.",
            _ => "A worker is running this job. Check it again in two minutes.",
        };
        return Err(Error::conflict("job_not_retriable", message));
    }
    let change = AuditChange {
        id: req.path.as_record_id(),
        old: json!({}),
        new: json!({ "run_at": now, "kind": data.kind }),
    };
    audit::record(&mut work, "job.retried", "job", change).await?;
    work.finish(Data { data }).await
}

/// A job as stored.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct JobRecord {
    id: JobId,
    kind: String,
    payload: String,
    attempts: i64,
    run_at: Time,
    lease_until: Option<Time>,
    last_error: Option<String>,
    created_at: Time,
    done_at: Option<Time>,
    dead_at: Option<Time>,
}

impl JobRecord {
    const fn status(&self) -> JobStatus {
        jobs::status(self.done_at.is_some(), self.dead_at.is_some(), self.lease_until.is_some())
    }

    fn into_row(self, scope: &Scope) -> JobRow {
        let is_leased = self.lease_until.is_some_and(|until| until >= scope.now());
        JobRow {
            status: self.status(),
            about: serde_json::from_str(&self.payload).ok().and_then(|job: Job| job.describe()),
            actions: JobActions { retry: self.done_at.is_none() && !is_leased },
            id: self.id,
            kind: self.kind,
            attempts: self.attempts,
            run_at: self.run_at,
            lease_until: self.lease_until,
            last_error: self.last_error,
            created_at: self.created_at,
            done_at: self.done_at,
            dead_at: self.dead_at,
        }
    }
}
