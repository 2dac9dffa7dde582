//! Background work and the state of the whole system, for those who run the panel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::JobId;
use crate::moment::Time;
use crate::quarantine::QuarantineCounts;

/// The kinds of jobs; each is a queue of its own, so that none waits behind another's slow receivers.
pub const QUEUES: &[&str] = &["mail", "sync", "telegram", "webhook"];

crate::words! {
    /// Where a job stands.
    JobStatus {
        Waiting = "waiting",
        /// A worker holds it; one that died lets go of it when its lease runs out.
        Running = "running",
        Done = "done",
        /// It failed too often; it is not tried again by itself.
        GivenUp = "given_up",
    }
}

/// One piece of background work. Done ones are kept for a week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobRow {
    /// Its id.
    pub id: JobId,
    /// Its kind, which is its queue, such as `mail`.
    pub kind: String,
    /// What it is about, such as a mail's subject.
    pub about: Option<String>,
    /// Where it stands.
    pub status: JobStatus,
    /// How often it was tried.
    pub attempts: i64,
    /// When it is due.
    pub run_at: Time,
    /// Until when a worker holds it.
    pub lease_until: Option<Time>,
    /// Why the last try failed.
    pub last_error: Option<String>,
    /// When it was wanted.
    pub created_at: Time,
    /// When it was done.
    pub done_at: Option<Time>,
    /// When it was given up.
    pub dead_at: Option<Time>,
    /// What the caller may do with it.
    pub actions: JobActions,
}

/// What the caller may do with a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobActions {
    /// `POST jobs/{id}/retry`.
    pub retry: bool,
}

/// The system at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SystemStatus {
    /// The program's version.
    pub version: String,
    /// When this process started.
    pub started_at: Time,
    /// The moment of this answer.
    pub now: Time,
    /// The database.
    pub database: DatabaseStatus,
    /// Every queue of background work.
    pub queues: Vec<QueueStatus>,
    /// Processes that work on this database.
    #[serde(default)]
    pub processes: i64,
    /// Live sockets that are open here.
    pub sockets: i64,
    /// Webhooks by how they are doing.
    pub webhooks: WebhookCounts,
    /// External panels by how they are doing.
    pub external_panels: PanelCounts,
    /// Background work that ended a process.
    #[serde(default)]
    pub quarantine: QuarantineCounts,
    /// What the doctor last said; none when it was never asked.
    pub ledger_check: Option<LedgerCheck>,
    /// When a backup was last made by `panel-server`; copies by other tools are not seen.
    pub last_backup_at: Option<Time>,
    /// Whether it is older than twice the interval of the server's own backups; never where those are off.
    #[serde(default)]
    pub backup_is_overdue: bool,
    /// Why the server's own last backup failed; none once one was made.
    #[serde(default)]
    pub backup_error: Option<String>,
}

/// The database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DatabaseStatus {
    /// `sqlite` or `postgres`.
    pub kind: String,
    /// Bytes of its data.
    pub bytes: i64,
    /// Number of its last migration.
    pub migration: i64,
    /// Connections at work.
    pub connections_in_use: i64,
}

/// One queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueueStatus {
    /// The kind of its jobs.
    pub kind: String,
    /// Jobs that are not over.
    pub waiting: i64,
    /// Of them, those that are due and that nobody holds.
    pub due: i64,
    /// Of them, those that a worker holds.
    pub running: i64,
    /// Of them, those that have failed before.
    pub failing: i64,
    /// Jobs that were given up.
    pub given_up: i64,
    /// Since when the oldest due one is due.
    pub oldest_due_at: Option<Time>,
}

/// Webhooks by how they are doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookCounts {
    /// Told of events, and well.
    pub active: i64,
    /// Told of events, and failing.
    pub failing: i64,
    /// Switched off by the panel.
    pub switched_off: i64,
}

/// External panels by how they are doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelCounts {
    /// In use.
    pub active: i64,
    /// In use, and not to be reached or not understood.
    pub failing: i64,
}

/// What the doctor last said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LedgerCheck {
    /// When.
    pub checked_at: Time,
    /// Whether everything held.
    pub healthy: bool,
    /// Names of the checks that did not hold.
    pub broken: Vec<String>,
}

crate::wire!(JobRow, SystemStatus);
