//! Background jobs and the status of the system, for operators.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::JobId;
use crate::moment::Time;
use crate::quarantine::QuarantineCounts;

/// Job types. Each has its own queue, so that slow receivers of one type do not delay the others.
pub const QUEUES: &[&str] = &["mail", "sync", "telegram", "webhook"];

crate::string_enum! {
    /// Status of a job.
    JobStatus {
        Waiting = "waiting",
        /// A worker holds a lease on the job. If the worker dies, the job becomes available when the lease expires.
        Running = "running",
        Done = "done",
        /// Failed too often; the job is not retried automatically.
        GivenUp = "given_up",
    }
}

/// A background job. Completed jobs are deleted after a week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobRow {
    /// Id of the job.
    pub id: JobId,
    /// Job type and queue, such as `mail`.
    pub kind: String,
    /// Short description, such as the subject of an email.
    pub about: Option<String>,
    /// Status of the job.
    pub status: JobStatus,
    /// Number of attempts so far.
    pub attempts: i64,
    /// When the job is due.
    pub run_at: Time,
    /// Expiry of the lease of the worker that runs the job.
    pub lease_until: Option<Time>,
    /// Error message of the last failed attempt.
    pub last_error: Option<String>,
    /// When the job was wanted.
    pub created_at: Time,
    /// When the job was done; null before.
    pub done_at: Option<Time>,
    /// When the last allowed attempt failed; null before.
    pub dead_at: Option<Time>,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: JobActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobActions {
    /// Whether the caller can call `POST jobs/{id}/retry`.
    pub retry: bool,
}

/// Status of the system at a point in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SystemStatus {
    /// Version of the server.
    pub version: String,
    /// When this process started.
    pub started_at: Time,
    /// Time of the response.
    pub now: Time,
    /// Status of the database.
    pub database: DatabaseStatus,
    /// Status of each job queue.
    pub queues: Vec<QueueStatus>,
    /// Number of server processes that use this database.
    #[serde(default)]
    pub processes: i64,
    /// Number of open live sockets of this process.
    pub sockets: i64,
    /// Number of webhooks by health.
    pub webhooks: WebhookCounts,
    /// Number of external panels by health.
    pub external_panels: PanelCounts,
    /// Background work that is quarantined because it crashed a process.
    #[serde(default)]
    pub quarantine: QuarantineCounts,
    /// Result of the last ledger check by `panel-server doctor`; null before the first one.
    pub ledger_check: Option<LedgerCheck>,
    /// When `panel-server` last made a backup; backups by other tools are not known.
    pub last_backup_at: Option<Time>,
    /// Whether the last backup is older than twice the backup interval; always false where scheduled backups are disabled.
    #[serde(default)]
    pub backup_is_overdue: bool,
    /// Why the last scheduled backup failed; null after a successful one.
    #[serde(default)]
    pub backup_error: Option<String>,
}

/// Status of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DatabaseStatus {
    /// Database system: `sqlite` or `postgres`.
    pub kind: String,
    /// Size of the data in bytes.
    pub bytes: i64,
    /// Number of the last applied migration.
    pub migration: i64,
    /// Number of connections in use.
    pub connections_in_use: i64,
}

/// Status of a job queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueueStatus {
    /// Type of the jobs.
    pub kind: String,
    /// Number of unfinished jobs.
    pub waiting: i64,
    /// Number of unfinished jobs that are due and not leased.
    pub due: i64,
    /// Number of unfinished jobs that a worker runs.
    pub running: i64,
    /// Number of unfinished jobs that have failed before.
    pub failing: i64,
    /// Number of jobs that failed too often.
    pub given_up: i64,
    /// Due time of the oldest due job.
    pub oldest_due_at: Option<Time>,
}

/// Number of webhooks by health.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookCounts {
    /// Enabled webhooks without failures.
    pub active: i64,
    /// Enabled webhooks that are failing.
    pub failing: i64,
    /// Webhooks that the panel disabled after too many failures.
    pub switched_off: i64,
}

/// Number of external panels by health.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelCounts {
    /// External panels in use.
    pub active: i64,
    /// External panels in use that cannot be reached or send invalid responses.
    pub failing: i64,
}

/// Result of a ledger check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LedgerCheck {
    /// When the check ran.
    pub checked_at: Time,
    /// Whether all checks passed.
    pub healthy: bool,
    /// Names of the failed checks.
    pub broken: Vec<String>,
}

crate::wire!(JobRow, SystemStatus);
