//! Ends the leases of batches of dead processes, and makes released records due. A process that resumes after the end of its lease
//! writes nothing. Start-up registers the leases of all kinds of records (`Quarantine::new`), so this module depends on no table of
//! an area; the table `jobs` belongs to the platform. It never decides which process is dead.

use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;

use crate::db::{DbResult, Sql, SqlExecutor};
use crate::lease::declared::{CLAIM_DURATION, DueDateMoves, Lease};
use crate::platform::Platform;

/// Longest time between the start of a lease and the insert of its batch, because a claim may wait for locked rows.
const MAX_CLAIM_DELAY: Duration = Duration::from_secs(15);

/// Ends those leases of a batch of `instance` that have not changed since the claim. Records without a lease need nothing: only the
/// row of the batch excluded other processes.
pub(super) async fn end_leases(
    tx: &mut impl SqlExecutor,
    platform: &Platform,
    poller: Poller,
    instance: &str,
    ids: &[RecordId],
    claimed_at: Time,
) -> DbResult<()> {
    if is_job_poller(poller) {
        return end_job_leases(tx, instance, ids).await;
    }
    let lease_until = claimed_at.plus(CLAIM_DURATION);
    for lease in platform.quarantine.leases_of(poller) {
        if lease.moves == DueDateMoves::ByClaim {
            end_record_leases(tx, lease, ids, lease_until, platform.clock.now()).await?;
        }
    }
    Ok(())
}

/// Skips rows that a transaction has locked: a frozen process may hold the locks, and the batches of other processes must not wait
/// for it.
async fn end_record_leases(
    tx: &mut impl SqlExecutor,
    lease: &Lease,
    ids: &[RecordId],
    lease_until: Time,
    now: Time,
) -> DbResult<()> {
    let ((table, id), due) = (lease.table_and_id(), lease.due_column);
    let leased = Sql::new("SELECT ").push(id).push(" FROM ").push(table).push(" WHERE ").push(due);
    let leased = leased.push(" > ? AND ").bind(lease_until.minus(MAX_CLAIM_DELAY));
    let leased = leased.push(due).push(" <= ? AND ").bind(lease_until);
    let leased = leased.push(id).push(" IN ").ids(ids).for_update_skip_locked();
    let sql = leased.into_materialized_cte().push("UPDATE ").push(table).push(" SET ").push(due);
    let sql = sql.push(" = ? WHERE ").bind(now);
    tx.execute(sql.push(id).push(" IN (SELECT ").push(id).push(" FROM due)")).await.map(drop)
}

const fn is_job_poller(poller: Poller) -> bool {
    matches!(poller, Poller::Mail | Poller::Sync | Poller::Telegram | Poller::Webhook)
}

async fn end_job_leases(tx: &mut impl SqlExecutor, instance: &str, ids: &[RecordId]) -> DbResult<()> {
    let leased = Sql::new(
        "SELECT id FROM jobs WHERE leased_by = ? AND lease_until IS NOT NULL AND done_at IS NULL AND id IN ",
    );
    let leased = leased.bind(instance).ids(ids).for_update_skip_locked();
    let sql = leased
        .into_materialized_cte()
        .push("UPDATE jobs SET lease_until = NULL WHERE id IN (SELECT id FROM due)");
    tx.execute(sql).await.map(drop)
}

/// Makes a record due immediately, if it has a due date.
pub async fn make_due(
    db: &mut impl SqlExecutor,
    platform: &Platform,
    poller: Poller,
    record_id: RecordId,
) -> DbResult<()> {
    let now = platform.clock.now();
    if is_job_poller(poller) {
        let sql = Sql::new(
            "UPDATE jobs SET run_at = ?, lease_until = NULL WHERE done_at IS NULL AND dead_at IS NULL AND id = ?",
        );
        return db.execute(sql.bind(now).bind(record_id)).await.map(drop);
    }
    for lease in platform.quarantine.leases_of(poller) {
        let ((table, id), due) = (lease.table_and_id(), lease.due_column);
        let sql = Sql::new("UPDATE ").push(table).push(" SET ").push(due);
        let sql = match lease.moves {
            DueDateMoves::Never => continue,
            DueDateMoves::LastPoll => sql.push(" = NULL WHERE ").push(due).push(" <= ?").bind(now),
            DueDateMoves::ByClaim | DueDateMoves::ByRelease => {
                sql.push(" = ? WHERE ").bind(now).push(due).push(" IS NOT NULL")
            }
        };
        db.execute(sql.push(" AND ").push(id).push(" = ?").bind(record_id)).await?;
    }
    Ok(())
}

/// Writes an error to the record itself, if it has an error column. The next success clears the column.
pub(super) async fn write_error(
    db: &mut impl SqlExecutor,
    platform: &Platform,
    poller: Poller,
    record_id: RecordId,
    text: String,
) -> DbResult<()> {
    if is_job_poller(poller) {
        let sql = Sql::new("UPDATE jobs SET last_error = ? WHERE id = ?").bind(text).bind(record_id);
        return db.execute(sql).await.map(drop);
    }
    // All leases of one kind belong to the same table.
    let lease_with_column =
        platform.quarantine.leases_of(poller).find_map(|lease| Some((lease, lease.error_column?)));
    let Some((lease, column)) = lease_with_column else { return Ok(()) };
    let (table, id) = lease.table_and_id();
    let sql = Sql::new("UPDATE ").push(table).push(" SET ").push(column).push(" = ? WHERE ").bind(text);
    db.execute(sql.push(id).push(" = ?").bind(record_id)).await.map(drop)
}

pub(super) async fn is_due(platform: &Platform, poller: Poller, record_id: RecordId) -> DbResult<bool> {
    if is_job_poller(poller) {
        let sql = Sql::new(
            "SELECT id FROM jobs WHERE done_at IS NULL AND dead_at IS NULL AND lease_until IS NULL AND id = ? AND run_at <= ?",
        );
        let sql = sql.bind(record_id).bind(platform.clock.now());
        return Ok((&mut &platform.db).fetch_optional::<(i64,)>(sql).await?.is_some());
    }
    for lease in platform.quarantine.leases_of(poller) {
        if lease.is_due(platform, record_id).await? {
            return Ok(true);
        }
    }
    Ok(false)
}
