//! Background jobs and the status of the system, for operators.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::JobId;
use crate::moment::Time;
use crate::quarantine::QuarantineCounts;

/// Job types. Each type has its own queue, so that a slow recipient of one type does not delay jobs of the other types.
pub const QUEUES: &[&str] = &["mail", "sync", "telegram", "webhook"];

crate::string_enum! {
    /// Status of a job.
    JobStatus {
        Waiting = "waiting",
        /// A worker has a lease on the job. If the worker dies, another one can run the job after the lease has expired.
        Running = "running",
        Done = "done",
        /// The job failed too often and is not retried automatically.
        GivenUp = "given_up",
    }
}

/// A background job. Completed jobs are deleted after a week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobRow {
    /// Id of the job.
    pub id: JobId,
    /// Type of the job, which is also its queue, such as `mail`.
    pub kind: String,
    /// Short description, such as the subject of an email; null if there is none.
    pub about: Option<String>,
    /// Status of the job.
    pub status: JobStatus,
    /// Number of attempts so far.
    pub attempts: i64,
    /// When the job is due or retried.
    pub run_at: Time,
    /// Expiry of the lease of the worker that runs the job; null while no worker runs it.
    pub lease_until: Option<Time>,
    /// Error message of the last failed attempt; null if there is none.
    pub last_error: Option<String>,
    /// When the job was enqueued.
    pub created_at: Time,
    /// When the job succeeded; null until then.
    pub done_at: Option<Time>,
    /// When the job was given up after its last allowed attempt; null for other jobs.
    pub dead_at: Option<Time>,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: JobActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobActions {
    /// Whether the caller can send `POST jobs/{id}/retry`.
    pub retry: bool,
}

/// Response of `GET system/status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SystemStatus {
    /// Version of the server program.
    pub version: String,
    /// Start time of the server process that sent this response.
    pub started_at: Time,
    /// Current time of the server.
    pub now: Time,
    /// Type, size and use of the database.
    pub database: DatabaseStatus,
    /// Numbers of jobs by queue.
    pub queues: Vec<QueueStatus>,
    /// Number of server processes that use this database.
    #[serde(default)]
    pub processes: i64,
    /// Number of open WebSocket connections of the process that responded.
    pub sockets: i64,
    /// Number of webhooks by health.
    pub webhooks: WebhookCounts,
    /// Number of external panels by health.
    pub external_panels: PanelCounts,
    /// Number of records that are in quarantine because they crashed a process.
    #[serde(default)]
    pub quarantine: QuarantineCounts,
    /// Result of the last ledger check by `panel-server doctor`; null before the first check.
    pub ledger_check: Option<LedgerCheck>,
    /// When `panel-server` last created a backup; null before the first backup. Backups by other tools are not included.
    pub last_backup_at: Option<Time>,
    /// Whether the last backup is older than twice the backup interval; always false if scheduled backups are disabled.
    #[serde(default)]
    pub backup_is_overdue: bool,
    /// Why the last scheduled backup failed; null if it succeeded.
    #[serde(default)]
    pub backup_error: Option<String>,
}

/// Type, size and use of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DatabaseStatus {
    /// Database system: `sqlite` or `postgres`.
    pub kind: String,
    /// Size of the database in bytes.
    pub bytes: i64,
    /// Number of the last applied migration.
    pub migration: i64,
    /// Number of database connections of the process that are in use.
    pub connections_in_use: i64,
}

/// Numbers of jobs in a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueueStatus {
    /// Type of the jobs, such as `mail`.
    pub kind: String,
    /// Number of jobs that are neither done nor given up.
    pub waiting: i64,
    /// Number of unfinished jobs that are due and that no worker runs.
    pub due: i64,
    /// Number of unfinished jobs that a worker runs.
    pub running: i64,
    /// Number of unfinished jobs that have failed before.
    pub failing: i64,
    /// Number of jobs that failed too often.
    pub given_up: i64,
    /// Due time of the job that has been due for the longest time; null without a due job.
    pub oldest_due_at: Option<Time>,
}

/// Number of webhooks by health.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookCounts {
    /// Number of enabled webhooks whose deliveries succeed.
    pub active: i64,
    /// Number of enabled webhooks whose last deliveries failed.
    pub failing: i64,
    /// Number of webhooks that the panel disabled after too many failures.
    pub auto_disabled: i64,
}

/// Number of external panels by health.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelCounts {
    /// Number of external panels in use that work.
    pub active: i64,
    /// Number of external panels in use that cannot be reached or send invalid responses.
    pub failing: i64,
}

/// Result of the check that balances equal the sums of their ledger entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LedgerCheck {
    /// When the check was made.
    pub checked_at: Time,
    /// Whether no check found an inconsistency.
    pub healthy: bool,
    /// Names of the checks that found an inconsistency; empty if `healthy`.
    pub failed_checks: Vec<String>,
}

crate::json_bodies!(JobRow, SystemStatus);
