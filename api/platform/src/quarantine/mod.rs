//! Background work that ends the process which does it: a stack overflow or too little memory, where no panic is caught.
//!
//! A poller writes one row of `claimed_batches` in the transaction that claims a batch, and deletes it once the batch was
//! worked on: done, failed or panicked. What a dead process left there is suspected, and its leases end with the process
//! (`leases`): no poller claims it ([`condition`]), and `runner` has a process of its own (`background::quarantine_retry`) work on each such record alone. A record that ends that process as
//! well is quarantined until a person releases it. Nothing here decides what becomes of a record: the retry is the
//! ordinary step that is due for it, so an order whose sending was cut off is reconciled and never sent again.
//!
//! Without a batch of their own are: `imports::sync::enqueue_due`, `refills::dropped`, `counter::Finder`, and all upkeep.
//! They read nothing that a stranger wrote, and run one statement or a transaction of integers for each record.

pub mod leases;
pub mod state;
pub mod store;

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;

use futures_util::FutureExt as _;
use panel_contract::ids::{Id, RecordId};
use panel_contract::quarantine::Poller;

use crate::db::{DbResult, Source, Sql};
use crate::lease::declared::CLAIM;
use crate::platform::Platform;
use crate::quarantine::state::Mode;

/// This program: also where an update replaced its file meanwhile.
pub fn this_program() -> std::io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() { Ok(running) } else { std::env::current_exe() }
}

/// ` AND …`: whether this process may claim the record whose id stands in `column`, with its table's name: `quarantine` has an
/// id as well.
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

/// As [`condition`], for work whose records have no lease: the batches of other processes are theirs meanwhile.
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
        .bind(platform.clock.now().before(CLAIM));
    sql.append(theirs.push(column).push(" || ',%')"))
}

/// Records that this process has claimed and not worked on yet.
#[must_use = "a batch that is dropped looks as if its process had died"]
#[derive(Debug)]
pub struct ClaimedBatch(Option<RecordId>);

/// Says, in the transaction that claims these records, that this process works on them.
pub async fn claimed(
    tx: &mut impl Source,
    platform: &Platform,
    poller: Poller,
    ids: &[impl Id],
) -> DbResult<ClaimedBatch> {
    // Alone, the record's row of `quarantine` says so already.
    if ids.is_empty() || platform.quarantine.is_alone() {
        return Ok(ClaimedBatch::none());
    }
    store::insert_batch(tx, platform, poller, ids).await.map(|id| ClaimedBatch(Some(id)))
}

/// As [`claimed`], where nothing else is written to claim them.
pub async fn claim_for(platform: &Platform, poller: Poller, ids: &[impl Id]) -> DbResult<ClaimedBatch> {
    if ids.is_empty() || platform.quarantine.is_alone() {
        return Ok(ClaimedBatch::none());
    }
    let mut tx = platform.db.begin().await?;
    let batch = claimed(&mut tx, platform, poller, ids).await?;
    tx.commit().await?;
    Ok(batch)
}

impl ClaimedBatch {
    /// A batch without records: it has no row and releases none.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Does the work on the batch, then deletes its row, also where the work panics.
    pub async fn work<T>(self, platform: &Platform, work: impl Future<Output = T>) -> T {
        let ended = AssertUnwindSafe(work).catch_unwind().await;
        if let Some(id) = self.0
            && let Err(error) = store::delete_batch(platform, id).await
        {
            tracing::warn!(%error, batch = id.get(), "failed to release a claimed batch; its records are tried alone after this process ends");
        }
        ended.unwrap_or_else(|panic| resume_unwind(panic))
    }
}
