//! Leases of due records. Until the end of a lease no other process claims the record. For most records a claim moves the due date
//! by [`declared::CLAIM_DURATION`], and every write of a result requires that date as its token. A process that resumes after its
//! lease was ended therefore writes nothing. The areas of the server declare their records as a [`declared::Lease`].

pub mod declared;
pub mod named;

use panel_contract::ids::{Id, RecordId};
use panel_contract::moment::Time;

use crate::db::{DbResult, Row, Source, Sql};
use crate::lease::declared::{CLAIM_DURATION, DueDateMoves, Lease};
use crate::platform::Platform;
use crate::quarantine::{self, ClaimedBatch};

/// Limit of the counted backlog, so that a scrape of the metrics stays cheap.
const MAX_BACKLOG: i64 = 10_000;

/// A row that a claim returns.
pub trait LeasedRow: Row {
    /// The id of the record.
    fn id(&self) -> RecordId;
}

/// Records that this process has leased until `until`, which is the token of every write of a result.
#[derive(Debug)]
pub struct LeasedRows<R> {
    /// Sorted by id.
    pub rows: Vec<R>,
    /// When the lease ends.
    pub until: Time,
}

/// A claimed batch, with the row that records the claim for the other processes.
#[must_use = "a dropped batch looks like that of a dead process"]
#[derive(Debug)]
pub struct ClaimedWork<B> {
    /// The claimed records.
    pub batch: B,
    /// Number of claimed records.
    pub records: usize,
    /// Deletes the row once the work on the batch has ended.
    pub guard: ClaimedBatch,
}

impl<B> ClaimedWork<B> {
    /// A batch of `records` records.
    pub const fn new(batch: B, records: usize, guard: ClaimedBatch) -> Self {
        Self { batch, records, guard }
    }
}

impl<R> ClaimedWork<LeasedRows<R>> {
    /// The empty batch, where no record is due.
    pub const fn empty(until: Time) -> Self {
        Self::new(LeasedRows { rows: Vec::new(), until }, 0, ClaimedBatch::none())
    }
}

impl Lease {
    fn select(&self, columns: &'static str, now: Time) -> Sql {
        let (table, _) = self.table_and_id();
        let sql = Sql::new("SELECT ").push(columns).push(" FROM ").push(table).push(" WHERE ").push(self.due);
        sql.push(" IS NOT NULL AND ").push(self.due).push(" <= ?").bind(now).push(self.filter)
    }

    /// Selects the ids of due records that this process may claim; the caller adds conditions, order and limit.
    #[must_use]
    pub fn due(&self, platform: &Platform) -> Sql {
        let sql = self.select(self.record, platform.clock.now());
        sql.append(quarantine::condition(platform, self.kind, self.record))
    }

    /// As [`Self::due`], for records whose due date no claim moves: excludes the records in batches of other processes.
    #[must_use]
    pub fn due_unclaimed(&self, platform: &Platform) -> Sql {
        let sql = self.select(self.record, platform.clock.now());
        sql.append(quarantine::condition_without_lease(platform, self.kind, self.record))
    }

    /// Claims the records of the query `due` in one transaction; `returning` names columns of their table. Processes skip each
    /// other's rows.
    pub async fn claim<R: LeasedRow>(
        &self,
        platform: &Platform,
        due: Sql,
        returning: &'static str,
    ) -> DbResult<ClaimedWork<LeasedRows<R>>> {
        let until = platform.clock.now().after(CLAIM_DURATION);
        // A read first, because usually no record is due and a read needs no writer.
        if (&mut &platform.db).all::<(i64,)>(due.clone()).await?.is_empty() {
            return Ok(ClaimedWork::empty(until));
        }
        let (table, id) = self.table_and_id();
        let sql = due.for_update_skipping().first().push("UPDATE ").push(table).push(" SET ").push(self.due);
        let sql = sql.push(" = ? WHERE ").bind(until).push(id).push(" IN (SELECT ").push(id);
        let sql = sql.push(" FROM due) RETURNING ").push(returning);
        let mut tx = platform.db.begin().await?;
        let mut rows: Vec<R> = tx.all(sql).await?;
        rows.sort_by_key(LeasedRow::id);
        let ids: Vec<RecordId> = rows.iter().map(LeasedRow::id).collect();
        let guard = quarantine::insert_batch(&mut tx, platform, self.kind, &ids).await?;
        tx.commit().await?;
        Ok(ClaimedWork::new(LeasedRows { rows, until }, ids.len(), guard))
    }

    /// Claims the records of the query `due` (from [`Self::due_unclaimed`]) by a row of their batch alone.
    pub async fn claim_batch<I: Id>(&self, platform: &Platform, due: Sql) -> DbResult<ClaimedWork<Vec<I>>> {
        let ids: Vec<I> = (&mut &platform.db).ids_of(due).await?;
        let guard = quarantine::claim_for(platform, self.kind, &ids).await?;
        let records = ids.len();
        Ok(ClaimedWork::new(ids, records, guard))
    }

    /// Whether the record is due, claimed or not. False for records that are polled at intervals, because only their poller knows
    /// the interval.
    pub(crate) async fn is_due(&self, platform: &Platform, record_id: RecordId) -> DbResult<bool> {
        if self.moves == DueDateMoves::LastPoll {
            return Ok(false);
        }
        let sql = self.select(self.record, platform.clock.now()).push(" AND ").push(self.table_and_id().1);
        Ok((&mut &platform.db).opt::<(i64,)>(sql.push(" = ?").bind(record_id)).await?.is_some())
    }

    /// Selects the number of due records, counted up to `MAX_BACKLOG`, and since when the oldest is due.
    #[must_use]
    pub fn backlog(&self, platform: &Platform) -> Sql {
        let sql = Sql::new("SELECT count(*), min(d.due) FROM (SELECT ").push(self.due).push(" AS due FROM ");
        let sql = sql.push(self.table_and_id().0).push(" WHERE ").push(self.due).push(" IS NOT NULL AND ");
        let sql = sql.push(self.due).push(" <= ?").bind(platform.clock.now()).push(self.filter);
        let sql = sql.append(quarantine::condition(platform, self.kind, self.record));
        sql.push(" ORDER BY ").push(self.due).push(" LIMIT ?").bind(MAX_BACKLOG).push(") d")
    }
}
