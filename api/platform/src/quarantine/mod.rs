//! Quarantine of records whose background work kills the process, by a stack overflow or too little memory, where no panic can be
//! caught.
//!
//! A poller inserts one row into `claimed_batches` in the transaction that claims a batch, and deletes it after the work, also after a
//! failure or a panic. The records of a dead process's batch become suspects, and their leases end (`leases`): no poller claims them
//! ([`condition`]), and the quarantine runner retries each of them alone in a process of its own (`background::quarantine_retry`). A
//! record that kills that process as well is quarantined until staff release it. This module does not decide about a record: the retry
//! is its ordinary due step, so an order whose sending was interrupted is reconciled and never sent again.
//!
//! These have no batches: `imports::sync::enqueue_due`, `refills::dropped`, `counter::Finder`, and all upkeep. They read no foreign
//! data, and run one statement or a transaction of integers for each record.

pub mod leases;
pub mod state;
pub mod store;

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;

use futures_util::FutureExt as _;
use panel_contract::ids::{Id, RecordId};
use panel_contract::quarantine::Poller;

use crate::db::{DbResult, Source, Sql};
use crate::lease::declared::CLAIM_DURATION;
use crate::platform::Platform;
use crate::quarantine::state::Mode;

/// Path of the running executable, valid also after an update has replaced the file.
pub fn current_executable() -> std::io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() { Ok(running) } else { std::env::current_exe() }
}

/// ` AND …`: whether this process may claim the record whose id is in `column`. The column must have its table's name, because
/// `quarantine` has an `id` as well.
#[must_use]
pub fn condition(platform: &Platform, poller: Poller, column: &'static str) -> Sql {
    assert!(column.contains('.'), "{column} without its table");
    match platform.quarantine.mode() {
        Mode::Serving => {
            let held =
                " AND NOT EXISTS (SELECT 1 FROM quarantine held WHERE held.poller = ? AND held.record_id = ";
            Sql::new(held).bind(poller.as_str()).push(column).push(")")
        }
        Mode::Alone(Some((of, id))) if of == poller => Sql::new(" AND ").push(column).push(" = ?").bind(id),
        Mode::Alone(_) => Sql::new(" AND FALSE"),
    }
}

/// As [`condition`], for work whose records have no lease: also excludes the records in batches of other processes.
#[must_use]
pub fn condition_without_lease(platform: &Platform, poller: Poller, column: &'static str) -> Sql {
    let sql = condition(platform, poller, column);
    if platform.quarantine.is_alone() {
        return sql;
    }
    let theirs = Sql::new(
        " AND NOT EXISTS (SELECT 1 FROM claimed_batches b WHERE b.poller = ? AND b.instance <> ? AND b.claimed_at > ? AND b.record_ids LIKE '%,' || ",
    );
    let theirs = theirs
        .bind(poller.as_str())
        .bind(platform.instance.as_str())
        .bind(platform.clock.now().before(CLAIM_DURATION));
    sql.append(theirs.push(column).push(" || ',%')"))
}

/// The row of a batch that this process has claimed and not finished.
#[must_use = "a dropped batch looks like that of a dead process"]
#[derive(Debug)]
pub struct ClaimedBatch(Option<RecordId>);

/// Inserts the batch of these records, in the transaction that claims them.
pub async fn insert_batch(
    tx: &mut impl Source,
    platform: &Platform,
    poller: Poller,
    ids: &[impl Id],
) -> DbResult<ClaimedBatch> {
    // A process that retries one record alone needs no batch: the row of `quarantine` records the claim.
    if ids.is_empty() || platform.quarantine.is_alone() {
        return Ok(ClaimedBatch::none());
    }
    store::insert_batch(tx, platform, poller, ids).await.map(|id| ClaimedBatch(Some(id)))
}

/// As [`insert_batch`], in a transaction of its own, where nothing else is written to claim them.
pub async fn claim_for(platform: &Platform, poller: Poller, ids: &[impl Id]) -> DbResult<ClaimedBatch> {
    if ids.is_empty() || platform.quarantine.is_alone() {
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

    /// Runs the work on the batch, then deletes its row, also after a panic.
    pub async fn work<T>(self, platform: &Platform, work: impl Future<Output = T>) -> T {
        let ended = AssertUnwindSafe(work).catch_unwind().await;
        if let Some(id) = self.0
            && let Err(error) = store::delete_batch(platform, id).await
        {
            tracing::warn!(%error, batch = id.get(), "failed to delete a claimed batch; its records are retried alone after this process ends");
        }
        ended.unwrap_or_else(|panic| resume_unwind(panic))
    }
}
