//! Claimed batches and quarantined records in the database. Every write names the state that it was judged from.

use std::time::Duration;

use panel_contract::ids::{Id, QuarantineId, RecordId};
use panel_contract::moment::Time;
use panel_contract::quarantine::{Poller, QuarantineCounts, QuarantineStatus};
use panel_domain::states::quarantine::{Quarantine, QuarantineEvent};
use serde::{Deserialize, Serialize};

use super::leases;
use crate::db::state::{StoredStates, transition};
use crate::db::{DbResult, Source, Sql};
use crate::jobs::processes;
use crate::platform::Platform;
use crate::sql;
use crate::word_conditions;

/// A record that could not be tried now is tried again after this time.
const LATER: Duration = Duration::from_mins(1);
/// Longest reason that is kept.
const LONGEST: usize = 1_000;

/// How the states of a record in quarantine are stored.
pub const STATES: StoredStates<Quarantine> = StoredStates {
    table: "quarantine",
    conditions: word_conditions!(
        "quarantine.status",
        QuarantineStatus::Suspected => "suspected",
        QuarantineStatus::Trying => "trying",
        QuarantineStatus::Quarantined => "quarantined",
    ),
};

/// A record that is tried alone; the line that names it to the process which does so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct Suspect {
    /// Its row of `quarantine`.
    pub id: QuarantineId,
    /// The work that claims it.
    pub poller: Poller,
    /// The record.
    pub record_id: RecordId,
}

pub(super) async fn insert_batch(
    tx: &mut impl Source,
    platform: &Platform,
    poller: Poller,
    ids: &[impl Id],
) -> DbResult<RecordId> {
    let mut text = String::from(",");
    for id in ids {
        text.push_str(&format!("{id},"));
    }
    let sql = Sql::new(
        "INSERT INTO claimed_batches (instance, poller, record_ids, claimed_at) VALUES (?, ?, ?, ?) RETURNING id",
    );
    let sql =
        sql.bind(platform.instance.as_str()).bind(poller.as_str()).bind(text).bind(platform.clock.now());
    tx.one::<(RecordId,)>(sql).await.map(|(id,)| id)
}

/// Lets a record go that is still as it was read: it may be tried, quarantined or released meanwhile. Says whether it was.
pub async fn release(
    tx: &mut impl Source,
    id: QuarantineId,
    status: QuarantineStatus,
    updated_at: Time,
) -> DbResult<bool> {
    let sql = Sql::new(
        "DELETE FROM quarantine WHERE id = ? AND status <> 'trying' AND status = ? AND updated_at = ?",
    );
    Ok(tx.exec(sql.bind(id).bind(status.as_str()).bind(updated_at)).await? == 1)
}

pub(super) async fn delete_batch(platform: &Platform, id: RecordId) -> DbResult<()> {
    let sql = Sql::new("DELETE FROM claimed_batches WHERE id = ? AND instance = ?");
    (&mut &platform.db).exec(sql.bind(id).bind(platform.instance.as_str())).await.map(drop)
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

const BATCH: &str =
    "SELECT b.id, b.instance, b.poller, b.record_ids, b.claimed_at FROM claimed_batches b WHERE ";

/// Batches of processes that are gone: not seen for so long that others do their part.
fn dead(platform: &Platform) -> Sql {
    let now = platform.clock.now();
    let sql = Sql::new(BATCH).push("b.instance <> ? AND b.claimed_at <= ? AND");
    let sql = sql.bind(platform.instance.as_str()).bind(now.before(processes::GONE));
    sql.append(processes::is_gone("b.instance", now))
}

/// Suspects the records of batches whose process is gone, and ends their leases; how many batches there were.
pub async fn suspect(platform: &Platform) -> DbResult<usize> {
    // A look that needs no writer, as there is mostly nothing to do.
    if (&mut &platform.db).opt::<DeadBatch>(dead(platform).push(" LIMIT 1")).await?.is_none() {
        return Ok(0);
    }
    abandon(platform, dead(platform)).await
}

/// The same for what this process was cut off from at its own end. A record that it could not finish within the time of an
/// orderly stop may be the reason, so it is tried alone too.
pub async fn abandon_own(platform: &Platform) -> DbResult<usize> {
    let own = || Sql::new(BATCH).push("b.instance = ?").bind(platform.instance.as_str());
    if (&mut &platform.db).opt::<DeadBatch>(own().push(" LIMIT 1")).await?.is_none() {
        return Ok(0);
    }
    abandon(platform, own()).await
}

async fn abandon(platform: &Platform, batches: Sql) -> DbResult<usize> {
    let mut tx = platform.db.begin().await?;
    let batches: Vec<DeadBatch> = tx.all(batches.push(" ORDER BY b.id").for_update_skipping_of("b")).await?;
    for batch in &batches {
        let ids = batch.ids();
        let numbers: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        tracing::warn!(poller = %batch.poller, record_ids = ?numbers, "a process ended while it worked on these records; each is tried alone");
        insert_suspects(&mut tx, platform, batch, &ids).await?;
        leases::end(&mut tx, platform, batch.poller, &batch.instance, &ids, batch.claimed_at).await?;
    }
    let ids: Vec<RecordId> = batches.iter().map(|batch| batch.id).collect();
    tx.exec(Sql::new("DELETE FROM claimed_batches WHERE id IN ").ids(&ids)).await?;
    tx.commit().await?;
    Ok(batches.len())
}

async fn insert_suspects(
    tx: &mut impl Source,
    platform: &Platform,
    batch: &DeadBatch,
    ids: &[RecordId],
) -> DbResult<()> {
    let now = platform.clock.now();
    let rows = ids.iter().map(|id| vec![(*id).into()]).collect();
    let sql = sql!(
        "INSERT INTO quarantine (poller, record_id, status, deaths, first_death_at, retry_at, created_at, updated_at)
         SELECT CAST(@poller AS TEXT), r.id, 'suspected', 1, CAST(@now AS BIGINT), CAST(@now AS BIGINT), CAST(@now AS BIGINT), \
           CAST(@now AS BIGINT) FROM ",
        { poller: batch.poller.as_str(), now },
    );
    let sql = sql.rows("r", &["id"], rows).push(
        " WHERE TRUE ON CONFLICT (poller, record_id) DO UPDATE SET deaths = quarantine.deaths + 1, updated_at = excluded.updated_at",
    );
    tx.exec(sql).await.map(drop)
}

/// Quarantines what was being tried by a process that is gone together with the one that waited for it.
pub async fn quarantine_abandoned(platform: &Platform) -> DbResult<Vec<Suspect>> {
    let now = platform.clock.now();
    let over = Sql::new("SELECT id FROM quarantine WHERE status = 'trying' AND retry_at <= ?").bind(now);
    if (&mut &platform.db).opt::<(i64,)>(over.push(" LIMIT 1")).await?.is_none() {
        return Ok(Vec::new());
    }
    let sql = Sql::new(
        "UPDATE quarantine SET status = 'quarantined', deaths = deaths + 1, retry_at = NULL, reason = ?, updated_at = ?
         WHERE status = 'trying' AND retry_at <= ? RETURNING id, poller, record_id",
    );
    let reason = "The process that worked on it alone died, and so did the server that waited for it.";
    let mut tx = platform.db.begin().await?;
    let abandoned: Vec<Suspect> = tx.all(sql.bind(reason).bind(now).bind(now)).await?;
    // Few: a process tries one record at a time.
    for suspect in &abandoned {
        mark(&mut tx, platform, suspect, reason).await?;
    }
    tx.commit().await?;
    Ok(abandoned)
}

/// Whether a suspected record may be tried now.
pub async fn any_due(platform: &Platform) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM quarantine WHERE status = 'suspected' AND retry_at <= ? LIMIT 1");
    Ok((&mut &platform.db).opt::<(i64,)>(sql.bind(platform.clock.now())).await?.is_some())
}

/// Takes the next record to try alone, for the time of `lease`.
pub async fn take(platform: &Platform, lease: Duration) -> DbResult<Option<Suspect>> {
    let now = platform.clock.now();
    let due = Sql::new(
        "SELECT id FROM quarantine WHERE status = 'suspected' AND retry_at <= ? ORDER BY retry_at, id LIMIT 1",
    );
    let sql = due.bind(now).for_update_skipping().first().push(
        "UPDATE quarantine SET status = 'trying', retry_at = ?, updated_at = ? WHERE id IN (SELECT id FROM due) RETURNING id, poller, record_id",
    );
    let mut tx = platform.db.begin().await?;
    let taken = tx.opt(sql.bind(now.after(lease)).bind(now)).await?;
    tx.commit().await?;
    Ok(taken)
}

/// It survived: the ordinary pollers have it again.
pub async fn forget(platform: &Platform, suspect: &Suspect) -> DbResult<()> {
    let sql = Sql::new("DELETE FROM quarantine WHERE id = ? AND status = 'trying'").bind(suspect.id);
    (&mut &platform.db).exec(sql).await.map(drop)
}

/// It could not be tried now: it is suspected as before.
pub async fn put_off(platform: &Platform, suspect: &Suspect) -> DbResult<()> {
    set_suspected(&mut &platform.db, platform, suspect, LATER).await
}

/// Its try was cut off by an orderly stop, which says nothing of it. The process that had its lease is gone.
pub async fn put_back(platform: &Platform, suspect: &Suspect) -> DbResult<()> {
    let mut tx = platform.db.begin().await?;
    leases::make_due(&mut tx, platform, suspect.poller, suspect.record_id).await?;
    set_suspected(&mut tx, platform, suspect, Duration::ZERO).await?;
    tx.commit().await
}

async fn set_suspected(
    db: &mut impl Source,
    platform: &Platform,
    suspect: &Suspect,
    wait: Duration,
) -> DbResult<()> {
    let now = platform.clock.now();
    let sql =
        Sql::new("UPDATE quarantine SET status = 'suspected', retry_at = ?, updated_at = ? WHERE id = ?");
    let sql = sql.bind(now.after(wait)).bind(now).bind(suspect.id);
    transition(db, sql.append(STATES.leaving(QuarantineEvent::Postpone))).await?.or_nothing();
    Ok(())
}

/// It ended the process that worked on it alone. Whether it was still being tried.
pub async fn quarantine(platform: &Platform, suspect: &Suspect, reason: &str) -> DbResult<bool> {
    let sql = Sql::new(
        "UPDATE quarantine SET status = 'quarantined', deaths = deaths + 1, retry_at = NULL, reason = ?, updated_at = ? WHERE id = ?",
    );
    let reason: String = reason.chars().take(LONGEST).collect();
    let mut tx = platform.db.begin().await?;
    let sql = sql.bind(reason.as_str()).bind(platform.clock.now()).bind(suspect.id);
    let condemned = transition(&mut tx, sql.append(STATES.leaving(QuarantineEvent::Condemn))).await?;
    if !condemned.is_applied() {
        return Ok(false);
    }
    mark(&mut tx, platform, suspect, &reason).await?;
    tx.commit().await?;
    Ok(true)
}

/// Writes the reason to the quarantined record itself, where staff read its other errors.
async fn mark(tx: &mut impl Source, platform: &Platform, suspect: &Suspect, reason: &str) -> DbResult<()> {
    let text = format!("Quarantined, as working on it ended the server. {reason}");
    leases::write_error(tx, platform, suspect.poller, suspect.record_id, text).await
}

/// How many there are.
pub async fn counts(db: &mut impl Source) -> DbResult<QuarantineCounts> {
    let sql = Sql::new(
        "SELECT count(CASE WHEN status <> 'quarantined' THEN 1 END), count(CASE WHEN status = 'quarantined' THEN 1 END) FROM quarantine",
    );
    let (suspected, quarantined) = db.one(sql).await?;
    Ok(QuarantineCounts { suspected, quarantined })
}

/// Whether the record is still due: nothing claimed it.
pub async fn is_due(platform: &Platform, suspect: &Suspect) -> DbResult<bool> {
    leases::is_due(platform, suspect.poller, suspect.record_id).await
}
