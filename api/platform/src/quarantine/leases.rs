//! Ends the leases of batches that a dead process claimed, and makes released records due. A process that wakes up after its
//! lease was ended writes nothing. Which lease a kind of record has, and where its errors stand, is registered
//! (`Quarantine::new`), so no table of an area is named here; jobs are the platform's own. Never decides who is dead.

use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;

use crate::db::{DbResult, Source, Sql};
use crate::lease::declared::{CLAIM, DueMoves, Lease};
use crate::platform::Platform;

/// Between the moment from which a lease counts and the one at which its batch is written, at most: a claim may wait for rows.
const CLAIMING: Duration = Duration::from_secs(15);

/// Ends the leases of a batch that `instance` claimed, where they still hold. Work whose records have no lease is left alone by
/// other processes as long as the batch is there.
pub(super) async fn end(
    tx: &mut impl Source,
    platform: &Platform,
    poller: Poller,
    instance: &str,
    ids: &[RecordId],
    claimed_at: Time,
) -> DbResult<()> {
    if is_of_jobs(poller) {
        return end_of_jobs(tx, instance, ids).await;
    }
    let until = claimed_at.after(CLAIM);
    for lease in platform.quarantine.leases_of(poller) {
        if lease.moves == DueMoves::ByClaim {
            end_claims(tx, lease, ids, until, platform.clock.now()).await?;
        }
    }
    Ok(())
}

/// Rows that a transaction has locked are left: a frozen process may hold them, and the batches of others must not wait for it.
async fn end_claims(
    tx: &mut impl Source,
    lease: &Lease,
    ids: &[RecordId],
    until: Time,
    now: Time,
) -> DbResult<()> {
    let ((table, id), due) = (lease.table_and_id(), lease.due);
    let held = Sql::new("SELECT ").push(id).push(" FROM ").push(table).push(" WHERE ").push(due);
    let held = held.push(" > ? AND ").bind(until.before(CLAIMING)).push(due).push(" <= ? AND ").bind(until);
    let held = held.push(id).push(" IN ").ids(ids).for_update_skipping();
    let sql = held.first().push("UPDATE ").push(table).push(" SET ").push(due).push(" = ? WHERE ").bind(now);
    tx.exec(sql.push(id).push(" IN (SELECT ").push(id).push(" FROM due)")).await.map(drop)
}

const fn is_of_jobs(poller: Poller) -> bool {
    matches!(poller, Poller::Mail | Poller::Sync | Poller::Telegram | Poller::Webhook)
}

async fn end_of_jobs(tx: &mut impl Source, instance: &str, ids: &[RecordId]) -> DbResult<()> {
    let held = Sql::new(
        "SELECT id FROM jobs WHERE leased_by = ? AND lease_until IS NOT NULL AND done_at IS NULL AND id IN ",
    );
    let held = held.bind(instance).ids(ids).for_update_skipping();
    let sql = held.first().push("UPDATE jobs SET lease_until = NULL WHERE id IN (SELECT id FROM due)");
    tx.exec(sql).await.map(drop)
}

/// Makes a record due at once whose work has ended, where it waits for anything at all.
pub async fn make_due(
    db: &mut impl Source,
    platform: &Platform,
    poller: Poller,
    record_id: RecordId,
) -> DbResult<()> {
    let now = platform.clock.now();
    if is_of_jobs(poller) {
        let sql = Sql::new(
            "UPDATE jobs SET run_at = ?, lease_until = NULL WHERE done_at IS NULL AND dead_at IS NULL AND id = ?",
        );
        return db.exec(sql.bind(now).bind(record_id)).await.map(drop);
    }
    for lease in platform.quarantine.leases_of(poller) {
        let ((table, id), due) = (lease.table_and_id(), lease.due);
        let sql = Sql::new("UPDATE ").push(table).push(" SET ").push(due);
        let sql = match lease.moves {
            DueMoves::Never => continue,
            DueMoves::LastPoll => sql.push(" = NULL WHERE ").push(due).push(" <= ?").bind(now),
            DueMoves::ByClaim | DueMoves::ByRelease => {
                sql.push(" = ? WHERE ").bind(now).push(due).push(" IS NOT NULL")
            }
        };
        db.exec(sql.push(" AND ").push(id).push(" = ?").bind(record_id)).await?;
    }
    Ok(())
}

/// Writes to the record itself what went wrong with it, where it has a place for that; the next success clears it.
pub(super) async fn write_error(
    db: &mut impl Source,
    platform: &Platform,
    poller: Poller,
    record_id: RecordId,
    text: String,
) -> DbResult<()> {
    if is_of_jobs(poller) {
        let sql = Sql::new("UPDATE jobs SET last_error = ? WHERE id = ?").bind(text).bind(record_id);
        return db.exec(sql).await.map(drop);
    }
    // Leases of one word are of one table.
    let declared = platform.quarantine.leases_of(poller).find_map(|lease| Some((lease, lease.error?)));
    let Some((lease, column)) = declared else { return Ok(()) };
    let (table, id) = lease.table_and_id();
    let sql = Sql::new("UPDATE ").push(table).push(" SET ").push(column).push(" = ? WHERE ").bind(text);
    db.exec(sql.push(id).push(" = ?").bind(record_id)).await.map(drop)
}

/// Whether the record is still due: nothing claimed it.
pub(super) async fn is_due(platform: &Platform, poller: Poller, record_id: RecordId) -> DbResult<bool> {
    if is_of_jobs(poller) {
        let sql = Sql::new(
            "SELECT id FROM jobs WHERE done_at IS NULL AND dead_at IS NULL AND lease_until IS NULL AND id = ? AND run_at <= ?",
        );
        let sql = sql.bind(record_id).bind(platform.clock.now());
        return Ok((&mut &platform.db).opt::<(i64,)>(sql).await?.is_some());
    }
    for lease in platform.quarantine.leases_of(poller) {
        if lease.is_due(platform, record_id).await? {
            return Ok(true);
        }
    }
    Ok(false)
}
