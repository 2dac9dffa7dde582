//! Leases of claimed records, one list for all pollers. A lease is the moment until which no other process claims the record;
//! for most records it is the moment of their next step, put off by [`CLAIM`], and at the same time the token on which every
//! result is written. A process that wakes up after its lease was ended therefore writes nothing. Never decides who is dead.

use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;

use super::CLAIM;
use crate::db::{DbResult, Source, Sql};

/// Microseconds between the moment from which a lease counts and the one at which its batch is written, at most: a claim
/// may wait for rows.
const CLAIMING: i64 = 15_000_000;

/// Where a record's next step stands.
struct NextStep {
    table: &'static str,
    id: &'static str,
    due: &'static str,
}

const fn next_step(table: &'static str, id: &'static str, due: &'static str) -> Option<NextStep> {
    Some(NextStep { table, id, due })
}

/// None for work without a lease, and for jobs, whose lease has columns of its own.
const fn step_of(poller: Poller) -> Option<NextStep> {
    match poller {
        Poller::SubscriptionPoll => next_step("subscriptions", "id", "look_at"),
        Poller::Content => next_step("subscription_contents", "id", "due_at"),
        Poller::Order => next_step("orders", "id", "dispatch_at"),
        Poller::ExternalOrder => next_step("external_panel_orders", "id", "due_at"),
        Poller::Refill => next_step("order_refill_requests", "id", "due_at"),
        Poller::CancelRequest => next_step("order_cancel_requests", "id", "due_at"),
        Poller::Counter => next_step("order_counters", "order_id", "due_at"),
        Poller::Mail | Poller::Sync | Poller::Telegram | Poller::Webhook => None,
        // No lease puts them off: a balance is asked for alone whenever it was asked for last.
        Poller::Balance | Poller::DripFeed | Poller::SubscriptionExpiry => None,
    }
}

/// Ends the leases of a batch that `instance` claimed, where they still hold. Rows that a transaction has locked are left: a
/// frozen process may hold them, and the batches of others must not wait for it.
pub(super) async fn end(
    tx: &mut impl Source,
    poller: Poller,
    instance: &str,
    ids: &[i64],
    claimed_at: Time,
    now: Time,
) -> DbResult<()> {
    let (table, id, due) = match (poller, step_of(poller)) {
        (Poller::Mail | Poller::Sync | Poller::Telegram | Poller::Webhook, _) => {
            return end_of_jobs(tx, instance, ids).await;
        }
        // Not put off by a claim: other processes leave them alone as long as the batch is there.
        (Poller::Order, _) | (_, None) => return Ok(()),
        (_, Some(NextStep { table, id, due })) => (table, id, due),
    };
    let held =
        Sql::new("SELECT ").push(id).push(" FROM ").push(table).push(" WHERE ").push(due).push(" > ? AND ");
    let held =
        held.bind(claimed_at.0 + CLAIM - CLAIMING).push(due).push(" <= ? AND ").bind(claimed_at.0 + CLAIM);
    let held = held.push(id).push(" IN ").ids(ids).for_update_skipping();
    let sql = held.first().push("UPDATE ").push(table).push(" SET ").push(due).push(" = ? WHERE ").bind(now);
    tx.exec(sql.push(id).push(" IN (SELECT ").push(id).push(" FROM due)")).await.map(drop)
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
pub async fn make_due(db: &mut impl Source, poller: Poller, record_id: i64, now: Time) -> DbResult<()> {
    let sql = match (step_of(poller), poller) {
        (Some(NextStep { table, id, due }), _) => {
            let sql = Sql::new("UPDATE ").push(table).push(" SET ").push(due).push(" = ? WHERE ").bind(now);
            sql.push(due).push(" IS NOT NULL AND ").push(id).push(" = ?")
        }
        (None, Poller::Mail | Poller::Sync | Poller::Telegram | Poller::Webhook) => Sql::new(
            "UPDATE jobs SET run_at = ?, lease_until = NULL WHERE done_at IS NULL AND dead_at IS NULL AND id = ?",
        )
        .bind(now),
        (None, Poller::Balance) => {
            Sql::new("UPDATE external_panels SET balance_at = NULL WHERE balance_at <= ? AND id = ?").bind(now)
        }
        (None, _) => return Ok(()),
    };
    db.exec(sql.bind(record_id)).await.map(drop)
}
