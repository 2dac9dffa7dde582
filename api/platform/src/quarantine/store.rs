//! SQL statements on claimed batches and quarantined records. Every write requires the state on which the caller based its
//! decision.

use std::time::Duration;

use panel_contract::ids::{Id, QuarantineId, RecordId};
use panel_contract::moment::Time;
use panel_contract::quarantine::{Poller, QuarantineCounts, QuarantineStatus};
use panel_domain::states::quarantine::{Quarantine, QuarantineEvent};
use serde::{Deserialize, Serialize};

use super::leases;
use crate::db::state::{StoredStates, transition};
use crate::db::{DbResult, Sql, SqlExecutor};
use crate::jobs::processes;
use crate::platform::Platform;
use crate::sql;
use crate::status_conditions;

/// Delay before the runner starts a retry again that could not start.
const RETRY_DELAY: Duration = Duration::from_mins(1);
/// Longest stored reason, in characters.
const MAX_REASON_CHARS: usize = 1_000;

pub const STATES: StoredStates<Quarantine> = StoredStates {
    table: "quarantine",
    conditions: status_conditions!(
        "quarantine.status",
        QuarantineStatus::Suspected => "suspected",
        QuarantineStatus::Trying => "trying",
        QuarantineStatus::Quarantined => "quarantined",
    ),
};

/// A record that a retry process retries; serialized as one line of the input of that process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct Suspect {
    /// The id of the row of `quarantine`.
    pub id: QuarantineId,
    /// The kind of the poller that claims the record.
    pub poller: Poller,
    pub record_id: RecordId,
}

pub(super) async fn insert_batch(
    tx: &mut impl SqlExecutor,
    platform: &Platform,
    poller: Poller,
    ids: &[impl Id],
) -> DbResult<RecordId> {
    // `,1,2,`: a comma before and after each id, so that LIKE finds whole ids.
    let mut record_ids = String::from(",");
    for id in ids {
        record_ids.push_str(&format!("{id},"));
    }
    let sql = Sql::new(
        "INSERT INTO claimed_batches (instance, poller, record_ids, claimed_at) VALUES (?, ?, ?, ?) RETURNING id",
    );
    let sql = sql
        .bind(platform.instance.as_str())
        .bind(poller.as_str())
        .bind(record_ids)
        .bind(platform.clock.now());
    tx.fetch_one::<(RecordId,)>(sql).await.map(|(id,)| id)
}

/// Releases a record on request of staff. Returns false if it has changed since staff loaded it, because another process has
/// retried, quarantined or released it.
pub async fn release(
    tx: &mut impl SqlExecutor,
    id: QuarantineId,
    status: QuarantineStatus,
    updated_at: Time,
) -> DbResult<bool> {
    let sql = Sql::new(
        "DELETE FROM quarantine WHERE id = ? AND status <> 'trying' AND status = ? AND updated_at = ?",
    );
    Ok(tx.execute(sql.bind(id).bind(status.as_str()).bind(updated_at)).await? == 1)
}

pub(super) async fn delete_batch(platform: &Platform, id: RecordId) -> DbResult<()> {
    let sql = Sql::new("DELETE FROM claimed_batches WHERE id = ? AND instance = ?");
    (&mut &platform.db).execute(sql.bind(id).bind(platform.instance.as_str())).await.map(drop)
}

#[derive(sqlx::FromRow)]
struct DeadBatch {
    id: RecordId,
    instance: String,
    poller: Poller,
    record_ids: String,
    claimed_at: Time,
}

impl DeadBatch {
    fn ids(&self) -> Vec<RecordId> {
        self.record_ids.split(',').filter_map(|id| id.parse().ok()).collect()
    }
}

const SELECT_BATCH: &str =
    "SELECT b.id, b.instance, b.poller, b.record_ids, b.claimed_at FROM claimed_batches b WHERE ";

fn select_dead_batches(platform: &Platform) -> Sql {
    let now = platform.clock.now();
    let sql = Sql::new(SELECT_BATCH).push("b.instance <> ? AND b.claimed_at <= ? AND");
    let sql = sql.bind(platform.instance.as_str()).bind(now.minus(processes::PROCESS_TIMEOUT));
    sql.append(processes::is_dead("b.instance", now))
}

/// Marks the records of dead processes' batches as suspects and ends their leases; returns the number of batches.
pub async fn suspect_dead_batches(platform: &Platform) -> DbResult<usize> {
    // Usually there is no such batch, and a read, unlike a write, needs no writer.
    let first = select_dead_batches(platform).push(" LIMIT 1");
    if (&mut &platform.db).fetch_optional::<DeadBatch>(first).await?.is_none() {
        return Ok(0);
    }
    suspect_batches(platform, select_dead_batches(platform)).await
}

/// Does the same with the unfinished batches of this process at its shutdown. A record that the process could not finish within
/// the shutdown timeout may be the cause, so a retry process retries it, too.
pub async fn suspect_own_batches(platform: &Platform) -> DbResult<usize> {
    let select_own = || Sql::new(SELECT_BATCH).push("b.instance = ?").bind(platform.instance.as_str());
    if (&mut &platform.db).fetch_optional::<DeadBatch>(select_own().push(" LIMIT 1")).await?.is_none() {
        return Ok(0);
    }
    suspect_batches(platform, select_own()).await
}

async fn suspect_batches(platform: &Platform, batches: Sql) -> DbResult<usize> {
    let mut tx = platform.db.begin().await?;
    let batches: Vec<DeadBatch> =
        tx.fetch_all(batches.push(" ORDER BY b.id").for_update_skip_locked_of("b")).await?;
    for batch in &batches {
        let ids = batch.ids();
        let record_ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        tracing::warn!(poller = %batch.poller, ?record_ids, "a process died while it worked on these records; each is retried in a separate process");
        insert_suspects(&mut tx, platform, batch, &ids).await?;
        leases::end_leases(&mut tx, platform, batch.poller, &batch.instance, &ids, batch.claimed_at).await?;
    }
    let ids: Vec<RecordId> = batches.iter().map(|batch| batch.id).collect();
    tx.execute(Sql::new("DELETE FROM claimed_batches WHERE id IN ").ids(&ids)).await?;
    tx.commit().await?;
    Ok(batches.len())
}

async fn insert_suspects(
    tx: &mut impl SqlExecutor,
    platform: &Platform,
    batch: &DeadBatch,
    ids: &[RecordId],
) -> DbResult<()> {
    let now = platform.clock.now();
    let rows = ids.iter().map(|id| vec![(*id).into()]).collect();
    let sql = sql!(
        "INSERT INTO quarantine (poller, record_id, status, crashes, first_crash_at, retry_at, created_at, updated_at)
         SELECT CAST(@poller AS TEXT), r.id, 'suspected', 1, CAST(@now AS BIGINT), CAST(@now AS BIGINT), CAST(@now AS BIGINT), \
           CAST(@now AS BIGINT) FROM ",
        { poller: batch.poller.as_str(), now },
    );
    let sql = sql.rows("r", &["id"], rows).push(
        " WHERE TRUE ON CONFLICT (poller, record_id) DO UPDATE SET crashes = quarantine.crashes + 1, updated_at = excluded.updated_at",
    );
    tx.execute(sql).await.map(drop)
}

/// Quarantines suspects whose retry process died together with the server that had started it.
pub async fn quarantine_abandoned_suspects(platform: &Platform) -> DbResult<Vec<Suspect>> {
    let now = platform.clock.now();
    let select_expired =
        Sql::new("SELECT id FROM quarantine WHERE status = 'trying' AND retry_at <= ?").bind(now);
    if (&mut &platform.db).fetch_optional::<(i64,)>(select_expired.push(" LIMIT 1")).await?.is_none() {
        return Ok(Vec::new());
    }
    let sql = Sql::new(
        "UPDATE quarantine SET status = 'quarantined', crashes = crashes + 1, retry_at = NULL, reason = ?, updated_at = ?
         WHERE status = 'trying' AND retry_at <= ? RETURNING id, poller, record_id",
    );
    let reason = "The process that retried the record alone died, and so did the server that waited for it.";
    let mut tx = platform.db.begin().await?;
    let abandoned: Vec<Suspect> = tx.fetch_all(sql.bind(reason).bind(now).bind(now)).await?;
    // There are few of them, because each server retries one record at a time.
    for suspect in &abandoned {
        write_reason(&mut tx, platform, suspect, reason).await?;
    }
    tx.commit().await?;
    Ok(abandoned)
}

pub async fn has_due_suspects(platform: &Platform) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM quarantine WHERE status = 'suspected' AND retry_at <= ? LIMIT 1");
    Ok((&mut &platform.db).fetch_optional::<(i64,)>(sql.bind(platform.clock.now())).await?.is_some())
}

/// Claims the next suspect for its retry, for the duration of `lease`.
pub async fn claim_next_suspect(platform: &Platform, lease: Duration) -> DbResult<Option<Suspect>> {
    let now = platform.clock.now();
    let due = Sql::new(
        "SELECT id FROM quarantine WHERE status = 'suspected' AND retry_at <= ? ORDER BY retry_at, id LIMIT 1",
    );
    let sql = due.bind(now).for_update_skip_locked().into_materialized_cte().push(
        "UPDATE quarantine SET status = 'trying', retry_at = ?, updated_at = ? WHERE id IN (SELECT id FROM due) RETURNING id, poller, record_id",
    );
    let mut tx = platform.db.begin().await?;
    let suspect = tx.fetch_optional(sql.bind(now.plus(lease)).bind(now)).await?;
    tx.commit().await?;
    Ok(suspect)
}

/// Clears a suspect whose retry did not kill the process, so that the ordinary pollers may claim it again.
pub async fn clear(platform: &Platform, suspect: &Suspect) -> DbResult<()> {
    let sql = Sql::new("DELETE FROM quarantine WHERE id = ? AND status = 'trying'").bind(suspect.id);
    (&mut &platform.db).execute(sql).await.map(drop)
}

/// Postpones the retry of a suspect, because its retry process could not start.
pub async fn postpone(platform: &Platform, suspect: &Suspect) -> DbResult<()> {
    set_suspected(&mut &platform.db, platform, suspect, RETRY_DELAY).await
}

/// Makes a suspect due again whose retry a shutdown interrupted, which the record did not cause, and ends the lease of the retry
/// process.
pub async fn release_interrupted(platform: &Platform, suspect: &Suspect) -> DbResult<()> {
    let mut tx = platform.db.begin().await?;
    leases::make_due(&mut tx, platform, suspect.poller, suspect.record_id).await?;
    set_suspected(&mut tx, platform, suspect, Duration::ZERO).await?;
    tx.commit().await
}

async fn set_suspected(
    db: &mut impl SqlExecutor,
    platform: &Platform,
    suspect: &Suspect,
    delay: Duration,
) -> DbResult<()> {
    let now = platform.clock.now();
    let sql =
        Sql::new("UPDATE quarantine SET status = 'suspected', retry_at = ?, updated_at = ? WHERE id = ?");
    let sql = sql.bind(now.plus(delay)).bind(now).bind(suspect.id);
    transition(db, sql.append(STATES.condition_for(QuarantineEvent::Postpone))).await?.ignore_superseded();
    Ok(())
}

/// Quarantines a suspect that killed its retry process. Returns false if the suspect is not being retried any more.
pub async fn quarantine(platform: &Platform, suspect: &Suspect, reason: &str) -> DbResult<bool> {
    let sql = Sql::new(
        "UPDATE quarantine SET status = 'quarantined', crashes = crashes + 1, retry_at = NULL, reason = ?, updated_at = ? WHERE id = ?",
    );
    let reason: String = reason.chars().take(MAX_REASON_CHARS).collect();
    let mut tx = platform.db.begin().await?;
    let sql = sql.bind(reason.as_str()).bind(platform.clock.now()).bind(suspect.id);
    let quarantined =
        transition(&mut tx, sql.append(STATES.condition_for(QuarantineEvent::Quarantine))).await?;
    if !quarantined.is_applied() {
        return Ok(false);
    }
    write_reason(&mut tx, platform, suspect, &reason).await?;
    tx.commit().await?;
    Ok(true)
}

/// Writes the reason to the error column of the quarantined record itself, which staff see.
async fn write_reason(
    tx: &mut impl SqlExecutor,
    platform: &Platform,
    suspect: &Suspect,
    reason: &str,
) -> DbResult<()> {
    let text = format!("Quarantined because working on it killed the server process. {reason}");
    leases::write_error(tx, platform, suspect.poller, suspect.record_id, text).await
}

pub async fn count_records(db: &mut impl SqlExecutor) -> DbResult<QuarantineCounts> {
    let sql = Sql::new(
        "SELECT count(CASE WHEN status <> 'quarantined' THEN 1 END), count(CASE WHEN status = 'quarantined' THEN 1 END) FROM quarantine",
    );
    let (suspected, quarantined) = db.fetch_one(sql).await?;
    Ok(QuarantineCounts { suspected, quarantined })
}

pub async fn is_due(platform: &Platform, suspect: &Suspect) -> DbResult<bool> {
    leases::is_due(platform, suspect.poller, suspect.record_id).await
}
