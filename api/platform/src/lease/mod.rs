//! Leases of due records. Until the end of a lease no other process claims the record. For most records a claim moves the due date
//! by [`declared::CLAIM_DURATION`], and every write of a result requires this date as a fencing token. A process that resumes after
//! the end of its lease therefore writes nothing. The areas of the server declare their records as a [`declared::Lease`].

pub mod declared;
pub mod named;

use panel_contract::ids::{Id, RecordId};
use panel_contract::moment::Time;

use crate::db::{DbResult, DbRow, Sql, SqlExecutor};
use crate::lease::declared::{CLAIM_DURATION, DueDateMoves, Lease};
use crate::platform::Platform;
use crate::quarantine::{self, ClaimedBatch};

/// The backlog is counted up to this number of records, so that a scrape of the metrics is cheap.
const MAX_BACKLOG: i64 = 10_000;

/// A row that a claim returns.
pub trait LeasedRow: DbRow {
    fn id(&self) -> RecordId;
}

/// Records that this process has leased.
#[derive(Debug)]
pub struct LeasedRows<R> {
    pub rows: Vec<R>,
    /// The end of the lease, which every write of a result requires as its fencing token.
    pub until: Time,
}

/// Records that a process has claimed, and the row of `claimed_batches` that shows the claim to other processes.
#[must_use = "call `guard.finish`; if the row stays, other processes assume that this process died"]
#[derive(Debug)]
pub struct ClaimedWork<B> {
    pub batch: B,
    /// Number of claimed records.
    pub records: usize,
    /// The row of the claim. It is deleted by `finish` and not when the value is dropped.
    pub guard: ClaimedBatch,
}

impl<B> ClaimedWork<B> {
    pub const fn new(batch: B, records: usize, guard: ClaimedBatch) -> Self {
        Self { batch, records, guard }
    }
}

impl<R> ClaimedWork<LeasedRows<R>> {
    /// A batch without records, because no record is due.
    pub const fn empty(until: Time) -> Self {
        Self::new(LeasedRows { rows: Vec::new(), until }, 0, ClaimedBatch::none())
    }
}

impl Lease {
    fn select_due(&self, columns: &'static str, now: Time) -> Sql {
        let (table, _) = self.table_and_id();
        let sql = Sql::new("SELECT ")
            .push(columns)
            .push(" FROM ")
            .push(table)
            .push(" WHERE ")
            .push(self.due_column);
        sql.push(" IS NOT NULL AND ").push(self.due_column).push(" <= ?").bind(now).push(self.index_condition)
    }

    /// Selects the ids of due records that this process may claim; the caller adds conditions, order and limit.
    #[must_use]
    pub fn select_claimable(&self, platform: &Platform) -> Sql {
        let sql = self.select_due(self.id_column, platform.clock.now());
        sql.append(quarantine::claimable_condition(platform, self.kind, self.id_column))
    }

    /// As [`Self::select_claimable`], for leases whose claims do not move the due date. The query also excludes records in batches of
    /// other processes.
    #[must_use]
    pub fn select_claimable_outside_of_batches(&self, platform: &Platform) -> Sql {
        let sql = self.select_due(self.id_column, platform.clock.now());
        sql.append(quarantine::claimable_condition_without_lease(platform, self.kind, self.id_column))
    }

    /// Claims the records of the query `due` (from [`Self::select_claimable`]) in one transaction; `returning` lists columns of their
    /// table. Concurrent processes skip each other's rows.
    pub async fn claim<R: LeasedRow>(
        &self,
        platform: &Platform,
        due: Sql,
        returning: &'static str,
    ) -> DbResult<ClaimedWork<LeasedRows<R>>> {
        let until = platform.clock.now().plus(CLAIM_DURATION);
        // Usually no record is due, and a read, unlike a claim, needs no writer.
        if (&mut &platform.db).fetch_all::<(i64,)>(due.clone()).await?.is_empty() {
            return Ok(ClaimedWork::empty(until));
        }
        let (table, id) = self.table_and_id();
        let sql = due.for_update_skip_locked().into_materialized_cte();
        let sql = sql
            .push("UPDATE ")
            .push(table)
            .push(" SET ")
            .push(self.due_column)
            .push(" = ? WHERE ")
            .bind(until)
            .push(id)
            .push(" IN (SELECT ")
            .push(id);
        let sql = sql.push(" FROM due) RETURNING ").push(returning);
        let mut tx = platform.db.begin().await?;
        let mut rows: Vec<R> = tx.fetch_all(sql).await?;
        rows.sort_by_key(LeasedRow::id);
        let ids: Vec<RecordId> = rows.iter().map(LeasedRow::id).collect();
        let guard = quarantine::insert_batch(&mut tx, platform, self.kind, &ids).await?;
        tx.commit().await?;
        Ok(ClaimedWork::new(LeasedRows { rows, until }, ids.len(), guard))
    }

    /// Claims the records of the query `due` (from [`Self::select_claimable_outside_of_batches`]) by inserting the row of their batch.
    /// Their due dates do not change.
    pub async fn claim_batch<I: Id>(&self, platform: &Platform, due: Sql) -> DbResult<ClaimedWork<Vec<I>>> {
        let ids: Vec<I> = (&mut &platform.db).fetch_ids(due).await?;
        let guard = quarantine::claim_batch(platform, self.kind, &ids).await?;
        let count = ids.len();
        Ok(ClaimedWork::new(ids, count, guard))
    }

    /// Whether the due date of the record has passed. Always false for [`DueDateMoves::LastPoll`]: the column holds the time of the
    /// last poll, and only the poller knows the interval.
    pub(crate) async fn is_due(&self, platform: &Platform, record_id: RecordId) -> DbResult<bool> {
        if self.moves == DueDateMoves::LastPoll {
            return Ok(false);
        }
        let sql =
            self.select_due(self.id_column, platform.clock.now()).push(" AND ").push(self.table_and_id().1);
        Ok((&mut &platform.db).fetch_optional::<(i64,)>(sql.push(" = ?").bind(record_id)).await?.is_some())
    }

    /// Selects the number of due records, counted up to `MAX_BACKLOG`, and the time since which the oldest is due.
    #[must_use]
    pub fn select_backlog(&self, platform: &Platform) -> Sql {
        let sql =
            Sql::new("SELECT count(*), min(d.due) FROM (SELECT ").push(self.due_column).push(" AS due FROM ");
        let sql =
            sql.push(self.table_and_id().0).push(" WHERE ").push(self.due_column).push(" IS NOT NULL AND ");
        let sql =
            sql.push(self.due_column).push(" <= ?").bind(platform.clock.now()).push(self.index_condition);
        let sql = sql.append(quarantine::claimable_condition(platform, self.kind, self.id_column));
        sql.push(" ORDER BY ").push(self.due_column).push(" LIMIT ?").bind(MAX_BACKLOG).push(") d")
    }
}
