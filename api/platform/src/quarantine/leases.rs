//! Ends the leases of batches of dead processes, and makes released records due. A process that resumes after its lease was ended
//! writes nothing. Start-up registers the leases and error columns of all kinds of records (`Quarantine::new`), so this module names
//! no table of an area; jobs belong to the platform. It never decides which process is dead.

use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;

use crate::db::{DbResult, Source, Sql};
use crate::lease::declared::{CLAIM_DURATION, DueDateMoves, Lease};
use crate::platform::Platform;

/// Longest time between the start of a lease and the insert of its batch: a claim may wait for locked rows.
const MAX_CLAIM_DELAY: Duration = Duration::from_secs(15);

/// Ends the leases of a batch that `instance` claimed, where they have not changed. For records without a lease, the batch alone
/// excludes other processes.
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
    let until = claimed_at.after(CLAIM_DURATION);
    for lease in platform.quarantine.leases_of(poller) {
        if lease.moves == DueDateMoves::ByClaim {
            end_claims(tx, lease, ids, until, platform.clock.now()).await?;
        }
    }
    Ok(())
}

/// Skips rows that a transaction has locked: a frozen process may hold them, and the batches of others must not wait for it.
async fn end_claims(
    tx: &mut impl Source,
    lease: &Lease,
    ids: &[RecordId],
    until: Time,
    now: Time,
) -> DbResult<()> {
    let ((table, id), due) = (lease.table_and_id(), lease.due);
    let held = Sql::new("SELECT ").push(id).push(" FROM ").push(table).push(" WHERE ").push(due);
    let held =
        held.push(" > ? AND ").bind(until.before(MAX_CLAIM_DELAY)).push(due).push(" <= ? AND ").bind(until);
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

/// Makes a record due at once, where it has a due date.
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
            DueDateMoves::Never => continue,
            DueDateMoves::LastPoll => sql.push(" = NULL WHERE ").push(due).push(" <= ?").bind(now),
            DueDateMoves::ByClaim | DueDateMoves::ByRelease => {
                sql.push(" = ? WHERE ").bind(now).push(due).push(" IS NOT NULL")
            }
        };
        db.exec(sql.push(" AND ").push(id).push(" = ?").bind(record_id)).await?;
    }
    Ok(())
}

/// Writes an error to the record itself, where it has an error column; the next success clears it.
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
    // All leases of one kind belong to one table.
    let declared = platform.quarantine.leases_of(poller).find_map(|lease| Some((lease, lease.error?)));
    let Some((lease, column)) = declared else { return Ok(()) };
    let (table, id) = lease.table_and_id();
    let sql = Sql::new("UPDATE ").push(table).push(" SET ").push(column).push(" = ? WHERE ").bind(text);
    db.exec(sql.push(id).push(" = ?").bind(record_id)).await.map(drop)
}

/// Whether the record is still due.
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
