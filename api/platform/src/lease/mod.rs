//! Leases of due records. A lease is the moment until which no other process claims a record; for most records a claim moves the
//! moment of their next step by [`declared::CLAIM`], and that moment is the token on which every result is written. A process that wakes
//! up after its lease was ended therefore writes nothing. It knows no record: the areas declare theirs as a [`declared::Lease`].

pub mod declared;
pub mod named;

use panel_contract::ids::{Id, RecordId};
use panel_contract::moment::Time;

use crate::db::{DbResult, Row, Source, Sql};
use crate::lease::declared::{CLAIM, DueMoves, Lease};
use crate::platform::Platform;
use crate::quarantine::{self, ClaimedBatch};

/// The backlog counts no further, so that a scrape stays cheap however much is due.
const MAX_BACKLOG: i64 = 10_000;

/// A record that a claim returns.
pub trait LeasedRow: Row {
    /// Its id.
    fn id(&self) -> RecordId;
}

/// Records that this process holds until `until`, the token of every write of a result.
#[derive(Debug)]
pub struct Leased<R> {
    /// Sorted by id.
    pub rows: Vec<R>,
    /// When the lease ends.
    pub until: Time,
}

/// A batch that this process works on, with the row that says so to the other processes.
#[must_use = "a batch that is dropped looks as if its process had died"]
#[derive(Debug)]
pub struct Claimed<B> {
    /// What was claimed.
    pub batch: B,
    /// How many records that is.
    pub records: usize,
    /// Released once the work on the batch has ended.
    pub guard: ClaimedBatch,
}

impl<B> Claimed<B> {
    /// So many records.
    pub const fn new(batch: B, records: usize, guard: ClaimedBatch) -> Self {
        Self { batch, records, guard }
    }
}

impl<R> Claimed<Leased<R>> {
    /// Nothing is due.
    pub const fn nothing(until: Time) -> Self {
        Self::new(Leased { rows: Vec::new(), until }, 0, ClaimedBatch::none())
    }
}

impl Lease {
    fn select(&self, what: &'static str, now: Time) -> Sql {
        let (table, _) = self.table_and_id();
        let sql = Sql::new("SELECT ").push(what).push(" FROM ").push(table).push(" WHERE ").push(self.due);
        sql.push(" IS NOT NULL AND ").push(self.due).push(" <= ?").bind(now).push(self.filter)
    }

    /// The ids of records that are due and that this process may claim, to be narrowed, ordered and limited.
    #[must_use]
    pub fn due(&self, platform: &Platform) -> Sql {
        let sql = self.select(self.record, platform.clock.now());
        sql.append(quarantine::condition(platform, self.kind, self.record))
    }

    /// As [`Self::due`], for records that no claim puts off: those in other processes' batches are theirs.
    #[must_use]
    pub fn due_unclaimed(&self, platform: &Platform) -> Sql {
        let sql = self.select(self.record, platform.clock.now());
        sql.append(quarantine::condition_without_lease(platform, self.kind, self.record))
    }

    /// Claims in one transaction the records that `due` finds; `returning` are columns of their table. Processes skip one
    /// another's rows.
    pub async fn claim<R: LeasedRow>(
        &self,
        platform: &Platform,
        due: Sql,
        returning: &'static str,
    ) -> DbResult<Claimed<Leased<R>>> {
        let until = platform.clock.now().after(CLAIM);
        // A look that needs no writer, as there is mostly nothing to do.
        if (&mut &platform.db).all::<(i64,)>(due.clone()).await?.is_empty() {
            return Ok(Claimed::nothing(until));
        }
        let (table, id) = self.table_and_id();
        let sql = due.for_update_skipping().first().push("UPDATE ").push(table).push(" SET ").push(self.due);
        let sql = sql.push(" = ? WHERE ").bind(until).push(id).push(" IN (SELECT ").push(id);
        let sql = sql.push(" FROM due) RETURNING ").push(returning);
        let mut tx = platform.db.begin().await?;
        let mut rows: Vec<R> = tx.all(sql).await?;
        rows.sort_by_key(LeasedRow::id);
        let ids: Vec<RecordId> = rows.iter().map(LeasedRow::id).collect();
        let guard = quarantine::claimed(&mut tx, platform, self.kind, &ids).await?;
        tx.commit().await?;
        Ok(Claimed::new(Leased { rows, until }, ids.len(), guard))
    }

    /// Claims the records that `due` (from [`Self::due_unclaimed`]) finds by their batch alone.
    pub async fn claim_batch<I: Id>(&self, platform: &Platform, due: Sql) -> DbResult<Claimed<Vec<I>>> {
        let ids: Vec<I> = (&mut &platform.db).ids_of(due).await?;
        let guard = quarantine::claim_for(platform, self.kind, &ids).await?;
        let records = ids.len();
        Ok(Claimed::new(ids, records, guard))
    }

    /// Whether the record is due, whoever may claim it. Of a record that is polled at intervals its poller alone knows.
    pub(crate) async fn is_due(&self, platform: &Platform, record_id: RecordId) -> DbResult<bool> {
        if self.moves == DueMoves::LastPoll {
            return Ok(false);
        }
        let sql = self.select(self.record, platform.clock.now()).push(" AND ").push(self.table_and_id().1);
        Ok((&mut &platform.db).opt::<(i64,)>(sql.push(" = ?").bind(record_id)).await?.is_some())
    }

    /// How many records are due, at most `MAX_BACKLOG` of them, and since when the first is.
    #[must_use]
    pub fn backlog(&self, platform: &Platform) -> Sql {
        let sql = Sql::new("SELECT count(*), min(d.due) FROM (SELECT ").push(self.due).push(" AS due FROM ");
        let sql = sql.push(self.table_and_id().0).push(" WHERE ").push(self.due).push(" IS NOT NULL AND ");
        let sql = sql.push(self.due).push(" <= ?").bind(platform.clock.now()).push(self.filter);
        let sql = sql.append(quarantine::condition(platform, self.kind, self.record));
        sql.push(" ORDER BY ").push(self.due).push(" LIMIT ?").bind(MAX_BACKLOG).push(") d")
    }
}
