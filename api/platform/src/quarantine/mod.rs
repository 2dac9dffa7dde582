//! Quarantine of records whose background work kills the process, for example by a stack overflow or by too much memory, which the
//! process cannot catch as a panic.
//!
//! A poller inserts one row into `claimed_batches` in the transaction that claims a batch, and deletes it after the work, even
//! after a failure or a panic. If a process dies, the records of its batch become suspects, and their leases end (`leases`). No
//! poller claims suspects ([`claimable_condition`]); the quarantine runner retries each of them in a separate process
//! (`background::quarantine_retry`). A record that also kills this process is quarantined until staff release it. This module does
//! not decide about a record: the retry runs the same step as the poller, so an order whose sending was interrupted is reconciled and
//! never sent again.
//!
//! These pollers insert no batches: `imports::sync::enqueue_due`, `refills::automatic`, `counter::UncountedOrderFinder`, and all
//! upkeep. They read no data of other systems, and run one statement or a transaction of integers for each record.

pub mod leases;
pub mod state;
pub mod store;

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;

use futures_util::FutureExt as _;
use panel_contract::ids::{Id, RecordId};
use panel_contract::quarantine::Poller;

use crate::db::{DbResult, Sql, SqlExecutor};
use crate::lease::declared::CLAIM_DURATION;
use crate::platform::Platform;
use crate::quarantine::state::ClaimMode;

/// Returns a path of the running executable that stays valid after an update has replaced the file.
pub fn current_executable() -> std::io::Result<PathBuf> {
    let proc_link = PathBuf::from("/proc/self/exe");
    if proc_link.exists() { Ok(proc_link) } else { std::env::current_exe() }
}

/// Returns ` AND …`: the condition that this process may claim the record whose id is in `column`. The column must be qualified by
/// its table, because the table `quarantine` also has an `id`.
#[must_use]
pub fn claimable_condition(platform: &Platform, poller: Poller, column: &'static str) -> Sql {
    assert!(column.contains('.'), "{column} must be qualified by its table");
    match platform.quarantine.claim_mode() {
        ClaimMode::Serving => {
            let not_quarantined =
                " AND NOT EXISTS (SELECT 1 FROM quarantine held WHERE held.poller = ? AND held.record_id = ";
            Sql::new(not_quarantined).bind(poller.as_str()).push(column).push(")")
        }
        ClaimMode::SingleRecord(Some((record_poller, id))) if record_poller == poller => {
            Sql::new(" AND ").push(column).push(" = ?").bind(id)
        }
        ClaimMode::SingleRecord(_) => Sql::new(" AND FALSE"),
    }
}

/// As [`claimable_condition`], for records without a lease: also excludes the records in batches of other processes.
#[must_use]
pub fn claimable_condition_without_lease(platform: &Platform, poller: Poller, column: &'static str) -> Sql {
    let sql = claimable_condition(platform, poller, column);
    if platform.quarantine.is_retry_process() {
        return sql;
    }
    let not_in_other_batches = Sql::new(
        " AND NOT EXISTS (SELECT 1 FROM claimed_batches b WHERE b.poller = ? AND b.instance <> ? AND b.claimed_at > ? AND b.record_ids LIKE '%,' || ",
    );
    let not_in_other_batches = not_in_other_batches
        .bind(poller.as_str())
        .bind(platform.instance.as_str())
        .bind(platform.clock.now().minus(CLAIM_DURATION));
    sql.append(not_in_other_batches.push(column).push(" || ',%')"))
}

/// The row of a batch that this process has claimed and not finished.
#[must_use = "other processes treat a dropped batch as the batch of a dead process"]
#[derive(Debug)]
pub struct ClaimedBatch(Option<RecordId>);

/// Inserts the batch of these records in the transaction that claims them.
pub async fn insert_batch(
    tx: &mut impl SqlExecutor,
    platform: &Platform,
    poller: Poller,
    ids: &[impl Id],
) -> DbResult<ClaimedBatch> {
    // A retry process needs no batch, because the row of `quarantine` records its claim.
    if ids.is_empty() || platform.quarantine.is_retry_process() {
        return Ok(ClaimedBatch::none());
    }
    store::insert_batch(tx, platform, poller, ids).await.map(|id| ClaimedBatch(Some(id)))
}

/// As [`insert_batch`], in a new transaction, for records that are claimed only by their batch.
pub async fn claim_batch(platform: &Platform, poller: Poller, ids: &[impl Id]) -> DbResult<ClaimedBatch> {
    if ids.is_empty() || platform.quarantine.is_retry_process() {
        return Ok(ClaimedBatch::none());
    }
    let mut tx = platform.db.begin().await?;
    let batch = insert_batch(&mut tx, platform, poller, ids).await?;
    tx.commit().await?;
    Ok(batch)
}

impl ClaimedBatch {
    /// A batch without records, which has no row.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Runs the work on the batch, then deletes the row of the batch, even after a panic.
    pub async fn run<T>(self, platform: &Platform, work: impl Future<Output = T>) -> T {
        let result = AssertUnwindSafe(work).catch_unwind().await;
        if let Some(id) = self.0
            && let Err(error) = store::delete_batch(platform, id).await
        {
            tracing::warn!(%error, batch = id.get(), "failed to delete a claimed batch; its records are retried in separate processes after this process ends");
        }
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}
