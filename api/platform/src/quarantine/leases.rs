//! Ends the leases of batches that a dead process claimed, and makes released records due. A process that wakes up after its
//! lease was ended writes nothing. Which lease a kind of record has is registered (`Quarantine::new`); jobs have columns of
//! their own. Never decides who is dead.

use std::time::Duration;

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
    ids: &[i64],
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
    ids: &[i64],
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

async fn end_of_jobs(tx: &mut impl Source, instance: &str, ids: &[i64]) -> DbResult<()> {
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
    record_id: i64,
) -> DbResult<()> {
    let now = platform.clock.now();
    for lease in platform.quarantine.leases_of(poller) {
        if lease.moves != DueMoves::Never {
            let ((table, id), due) = (lease.table_and_id(), lease.due);
            let sql = Sql::new("UPDATE ").push(table).push(" SET ").push(due).push(" = ? WHERE ").bind(now);
            let sql = sql.push(due).push(" IS NOT NULL AND ").push(id).push(" = ?").bind(record_id);
            db.exec(sql).await?;
        }
    }
    let update = match poller {
        Poller::Balance => "UPDATE external_panels SET balance_at = NULL WHERE balance_at <= ? AND id = ?",
        _ if is_of_jobs(poller) => {
            "UPDATE jobs SET run_at = ?, lease_until = NULL WHERE done_at IS NULL AND dead_at IS NULL AND id = ?"
        }
        _ => return Ok(()),
    };
    db.exec(Sql::new(update).bind(now).bind(record_id)).await.map(drop)
}
