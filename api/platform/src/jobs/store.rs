//! SQL statements on the table `jobs`.

use std::collections::BTreeSet;

use panel_contract::ids::JobId;
use panel_contract::jobs::{JobStatus, QueueStatus};
use panel_contract::moment::Time;
use panel_domain::states::jobs::{JobEvent, Jobs};
use panel_kernel::error::{Error, Result};
use sha2::{Digest as _, Sha256};

use crate::db::sql::hex;
use crate::db::state::{StoredStates, Transition, transition};
use crate::db::{Db, DbResult, Sql, SqlExecutor, Val};
use crate::jobs;
use crate::jobs::job::Job;
use crate::platform::Platform;
use crate::quarantine::{self, ClaimedBatch};
use crate::sql;

/// A job that this process has leased.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct LeasedJob {
    pub id: JobId,
    /// A [`Job`] as JSON.
    pub payload: String,
    /// Number of attempts, including the current one.
    pub attempts: i64,
}

impl LeasedJob {
    /// The key by which a receiver recognizes a repeated attempt. All attempts of a job have the same key, and no other job, not
    /// even of another panel, has it.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        format!("{}.{}", self.id, hex(&Sha256::digest(self.payload.as_bytes())[..8]))
    }
}

/// Inserts jobs, due at `now`.
pub async fn insert(db: &mut impl SqlExecutor, jobs: &[Job], now: Time) -> Result<()> {
    if jobs.is_empty() {
        return Ok(());
    }
    let to_row =
        |job: &Job| serde_json::to_string(job).map(|payload| vec![Val::from(job.kind()), Val::from(payload)]);
    let rows = jobs
        .iter()
        .map(to_row)
        .collect::<serde_json::Result<Vec<_>>>()
        .map_err(|error| Error::Internal(error.to_string()))?;
    let sql =
        Sql::new("INSERT INTO jobs (kind, payload, run_at, created_at) SELECT r.kind, r.payload, ?, ? FROM ")
            .bind(now)
            .bind(now);
    db.execute(sql.rows("r", &["kind", "payload"], rows)).await?;
    Ok(())
}

/// How the states of a job are stored.
pub const STATES: StoredStates<Jobs> = {
    use JobStatus::*;
    StoredStates {
        table: "jobs",
        conditions: &[
            (&[Waiting], "jobs.done_at IS NULL AND jobs.dead_at IS NULL AND jobs.lease_until IS NULL"),
            (&[Running], "jobs.done_at IS NULL AND jobs.dead_at IS NULL AND jobs.lease_until IS NOT NULL"),
            (&[GivenUp], "jobs.done_at IS NULL AND jobs.dead_at IS NOT NULL"),
            (&[Done], "jobs.done_at IS NOT NULL"),
            (&[Waiting, Running], "jobs.done_at IS NULL AND jobs.dead_at IS NULL"),
            (&[Waiting, Running, GivenUp], "jobs.done_at IS NULL"),
        ],
    }
};

/// Selects the ids of the due jobs of a queue.
fn select_due_ids(platform: &Platform, queue: &'static str, now: Time) -> Sql {
    let sql = Sql::new(
        "SELECT id FROM jobs WHERE done_at IS NULL AND dead_at IS NULL AND kind = ? AND run_at <= ? AND (lease_until IS NULL OR lease_until < ?)",
    )
    .bind(queue)
    .bind(now)
    .bind(now);
    sql.append(quarantine::claimable_condition(platform, jobs::quarantine_kind(queue), "jobs.id"))
}

pub async fn has_due_jobs(platform: &Platform, queue: &'static str, now: Time) -> DbResult<bool> {
    Ok((&mut &platform.db)
        .fetch_optional::<(i64,)>(select_due_ids(platform, queue, now).push(" LIMIT 1"))
        .await?
        .is_some())
}

/// Selects the number of due jobs of a queue, counted up to ten thousand, and the time since which the oldest is due.
#[must_use]
pub fn select_backlog(platform: &Platform, queue: &'static str) -> Sql {
    let due_ids = select_due_ids(platform, queue, platform.clock.now()).push(" ORDER BY run_at LIMIT 10000");
    // A subquery of the ids, so that the lease and the backlog have the same condition.
    Sql::new("SELECT count(*), min(j.run_at) FROM jobs j WHERE j.id IN (").append(due_ids).push(")")
}

/// Leases up to `limit` due jobs of a queue. Jobs whose lease has expired are due again.
pub async fn lease(
    platform: &Platform,
    queue: &'static str,
    now: Time,
    lease_until: Time,
    limit: i64,
) -> DbResult<(Vec<LeasedJob>, ClaimedBatch)> {
    // On PostgreSQL, workers skip the rows that other workers have locked; SQLite has one writer.
    let due_ids = select_due_ids(platform, queue, now).push(" ORDER BY run_at, id LIMIT ?").bind(limit);
    let sql = due_ids.for_update_skip_locked().into_materialized_cte().push(
        "UPDATE jobs SET lease_until = ?, leased_by = ?, attempts = attempts + 1 WHERE id IN (SELECT id FROM due) RETURNING id, payload, attempts",
    );
    let sql = sql.bind(lease_until).bind(platform.instance.as_str());
    let mut tx = platform.db.begin().await?;
    let mut leased: Vec<LeasedJob> = tx.fetch_all(sql).await?;
    leased.sort_by_key(|job| job.id);
    let ids: Vec<JobId> = leased.iter().map(|job| job.id).collect();
    let batch = quarantine::insert_batch(&mut tx, platform, jobs::quarantine_kind(queue), &ids).await?;
    tx.commit().await?;
    Ok((leased, batch))
}

/// Marks jobs as done. Skips jobs whose lease `worker` no longer holds.
pub async fn mark_done(mut db: &Db, worker: &str, ids: &[JobId], now: Time) -> DbResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let sql =
        Sql::new("UPDATE jobs SET done_at = ?, lease_until = NULL, last_error = NULL WHERE leased_by = ?")
            .bind(now)
            .bind(worker)
            .push(" AND id IN ")
            .ids(ids);
    db.execute(sql.append(STATES.condition_for(JobEvent::Finish))).await?;
    Ok(())
}

/// Records the failure of a job, if `worker` still holds its lease. The job is retried at `run_at`; without `run_at` it is given
/// up.
pub async fn mark_failed(
    mut db: &Db,
    worker: &str,
    id: JobId,
    error: &str,
    now: Time,
    run_at: Option<Time>,
) -> DbResult<()> {
    let (event, dead_at) = match run_at {
        Some(_) => (JobEvent::Fail, None),
        None => (JobEvent::GiveUp, Some(now)),
    };
    let error: String = error.chars().take(1_000).collect();
    let sql = sql!(
        "UPDATE jobs SET last_error = @last_error, lease_until = NULL, run_at = COALESCE(@run_at, run_at), dead_at = @dead_at
         WHERE id = @id AND leased_by = @worker",
        { last_error: error, run_at, dead_at, id, worker },
    );
    transition(&mut db, sql.append(STATES.condition_for(event))).await?.ignore_superseded();
    Ok(())
}

/// Ends the lease of `worker` without counting the attempt. The job is due at `run_at`; without `run_at` it is due immediately.
pub async fn release(mut db: &Db, worker: &str, id: JobId, run_at: Option<Time>) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE jobs SET lease_until = NULL, attempts = attempts - 1, run_at = COALESCE(?, run_at)
         WHERE id = ? AND leased_by = ?",
    );
    let sql = sql.bind(run_at).bind(id).bind(worker);
    transition(&mut db, sql.append(STATES.condition_for(JobEvent::Release))).await?.ignore_superseded();
    Ok(())
}

/// Retries a job on request of staff: it is due immediately, unless a worker holds its lease.
pub async fn retry(db: &mut impl SqlExecutor, id: JobId, now: Time) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE jobs SET dead_at = NULL, attempts = 0, run_at = ?, lease_until = NULL
         WHERE (lease_until IS NULL OR lease_until < ?) AND id = ?",
    );
    transition(db, sql.bind(now).bind(now).bind(id).append(STATES.condition_for(JobEvent::Retry))).await
}

/// Reads the number of waiting, due, running, failing and given-up jobs of every queue.
pub async fn load_queue_statuses(mut db: &Db, now: Time) -> DbResult<Vec<QueueStatus>> {
    let sql = Sql::new(
        "SELECT kind, count(*), count(CASE WHEN run_at <= ? AND lease_until IS NULL THEN 1 END), count(lease_until),
           count(CASE WHEN last_error IS NOT NULL THEN 1 END), min(CASE WHEN run_at <= ? AND lease_until IS NULL THEN run_at END)
         FROM jobs WHERE done_at IS NULL AND dead_at IS NULL GROUP BY kind",
    );
    let unfinished: Vec<(String, i64, i64, i64, i64, Option<Time>)> =
        db.fetch_all(sql.bind(now).bind(now)).await?;
    let sql = Sql::new("SELECT kind, count(*) FROM jobs WHERE dead_at IS NOT NULL GROUP BY kind");
    let given_up: Vec<(String, i64)> = db.fetch_all(sql).await?;
    let mut kinds: BTreeSet<&str> = Job::KINDS.iter().copied().collect();
    let stored_kinds = unfinished.iter().map(|row| &row.0).chain(given_up.iter().map(|row| &row.0));
    kinds.extend(stored_kinds.map(String::as_str));
    let to_status = |kind: &str| {
        let counts =
            unfinished.iter().find(|row| row.0 == kind).map(|row| (row.1, row.2, row.3, row.4, row.5));
        let (waiting, due, running, failing, oldest_due_at) = counts.unwrap_or_default();
        let given_up = given_up.iter().find(|row| row.0 == kind).map_or(0, |row| row.1);
        QueueStatus { kind: kind.to_owned(), waiting, due, running, failing, given_up, oldest_due_at }
    };
    Ok(kinds.iter().map(|kind| to_status(kind)).collect())
}

/// Reads the number of unfinished jobs, counted up to ten thousand per queue, and the `run_at` of the oldest.
pub async fn read_queue_depth(mut db: &Db) -> DbResult<(i64, Option<i64>)> {
    let from_unfinished_jobs = " FROM jobs WHERE kind = ? AND done_at IS NULL AND dead_at IS NULL";
    let mut sql = Sql::new("SELECT CAST(sum(q.unfinished) AS BIGINT), min(q.oldest) FROM (");
    for (index, kind) in Job::KINDS.iter().enumerate() {
        sql = sql.push(if index == 0 { "" } else { " UNION ALL " });
        sql = sql.push("SELECT (SELECT count(*) FROM (SELECT 1").push(from_unfinished_jobs).bind(*kind);
        sql =
            sql.push(" LIMIT 10000) w) AS unfinished, (SELECT run_at").push(from_unfinished_jobs).bind(*kind);
        sql = sql.push(" ORDER BY run_at LIMIT 1) AS oldest");
    }
    db.fetch_one(sql.push(") q")).await
}
