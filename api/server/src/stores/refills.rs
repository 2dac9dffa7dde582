//! Stores refill requests. Only this module writes the table. Each update changes only rows whose state allows its event
//! (`panel_domain::states::refills`). An update by a worker also requires the lease of the worker (`due_at`), so it changes nothing
//! if another worker has leased the request meanwhile. The caller decides all times.

use panel_contract::ids::{ExternalOrderId, OrderId, RefillRequestId, UserId};
use panel_contract::moment::Time;
use panel_domain::states::refills::{RefillEvent, RefillState, Refills};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::sql;

use super::placement_attempts::truncate_text;

pub const STATES: StoredStates<Refills> = {
    use RefillState::*;
    StoredStates {
        table: "order_refill_requests",
        conditions: &[
            (
                &[Unassigned],
                "order_refill_requests.status = 'pending' AND order_refill_requests.sent_at IS NULL
                   AND order_refill_requests.external_panel_order_id IS NULL AND order_refill_requests.due_at IS NOT NULL",
            ),
            (
                &[Queued],
                "order_refill_requests.status = 'pending' AND order_refill_requests.sent_at IS NULL
                   AND order_refill_requests.external_panel_order_id IS NOT NULL",
            ),
            (
                &[Calling],
                "order_refill_requests.status = 'pending' AND order_refill_requests.sent_at IS NOT NULL",
            ),
            (&[AtPanel], "order_refill_requests.status = 'sent'"),
            (
                &[ByHand],
                "order_refill_requests.status = 'pending' AND order_refill_requests.sent_at IS NULL
                   AND order_refill_requests.external_panel_order_id IS NULL AND order_refill_requests.due_at IS NULL",
            ),
            (&[Completed], "order_refill_requests.status = 'completed'"),
            (&[Rejected], "order_refill_requests.status = 'rejected'"),
        ],
    }
};

/// Inserts a request of a staff member or a customer, and returns its id.
pub async fn insert(
    db: &mut impl SqlExecutor,
    (order_id, quantity): (OrderId, i64),
    created_by: Option<UserId>,
    now: Time,
) -> DbResult<RefillRequestId> {
    let sql = sql!(
        "INSERT INTO order_refill_requests (order_id, quantity, created_by, due_at, created_at) \
           VALUES (@order_id, @quantity, @created_by, @now, @now) RETURNING id",
        { order_id, quantity, created_by, now },
    );
    Ok(db.fetch_one::<(RefillRequestId,)>(sql).await?.0)
}

/// Inserts an automatic request unless the order has an open request. Returns whether a request was inserted.
pub async fn insert_unless_open(
    db: &mut impl SqlExecutor,
    order_id: OrderId,
    quantity: i64,
    now: Time,
) -> DbResult<bool> {
    let sql = sql!(
        "INSERT INTO order_refill_requests (order_id, quantity, due_at, created_at)
         SELECT CAST(@order_id AS BIGINT), CAST(@quantity AS BIGINT), CAST(@now AS BIGINT), CAST(@now AS BIGINT)
         WHERE NOT EXISTS (SELECT 1 FROM order_refill_requests WHERE order_id = @order_id AND status IN ('pending', 'sent'))",
        { order_id, quantity, now },
    );
    Ok(db.execute(sql).await? == 1)
}

/// Assigns each request to the placement attempt whose panel will refill the order. Without an attempt, staff refill the order
/// by hand.
pub async fn assign(
    db: &mut impl SqlExecutor,
    assignments: &[(RefillRequestId, Option<ExternalOrderId>)],
) -> DbResult<()> {
    let rows = assignments.iter().map(|(id, attempt)| vec![(*id).into(), (*attempt).into()]).collect();
    let sql = Sql::new(
        "UPDATE order_refill_requests SET external_panel_order_id = r.attempt, due_at = CASE WHEN r.attempt IS NULL THEN NULL ELSE due_at END,
           last_error = CASE WHEN r.attempt IS NULL THEN CAST(? AS TEXT) ELSE last_error END FROM ",
    );
    let sql = sql.bind("No panel has this order: refill it by hand.").rows("r", &["id", "attempt"], rows);
    let sql = sql.push(" WHERE order_refill_requests.id = r.id");
    // The events with and without an attempt start from the same state.
    db.execute(sql.append(STATES.condition_for(RefillEvent::Assign))).await.map(drop)
}

/// Records that the worker is about to send the request to the panel. Staff can no longer close the request.
pub async fn mark_called(
    db: &mut impl SqlExecutor,
    (id, lease_until): (RefillRequestId, Time),
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE order_refill_requests SET sent_at = ? WHERE id = ? AND due_at = ?");
    let sql = sql.bind(now).bind(id).bind(lease_until);
    transition(db, sql.append(STATES.condition_for(RefillEvent::Call))).await
}

/// Reverts [`mark_called`], because the request certainly did not reach the panel. Staff can close the request again.
pub async fn unmark_called(
    db: &mut impl SqlExecutor,
    (id, lease_until): (RefillRequestId, Time),
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE order_refill_requests SET sent_at = NULL WHERE id = ? AND due_at = ?");
    transition(db, sql.bind(id).bind(lease_until).append(STATES.condition_for(RefillEvent::CallNotMade)))
        .await
}

/// Outcome of one request to the panel, which asks for a refill or polls its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefillOutcome {
    /// The panel accepted the refill. Holds the panel's id of the refill, and the time of the next poll.
    Accepted(String, Time),
    /// The panel completed the refill.
    Completed,
    /// The panel rejected the refill, or the maximum number of tries is reached. Holds the reason.
    Rejected(String),
    /// The panel has not decided. Holds the time of the next request, and the error if there was one. Counts as a try.
    Undecided(Time, Option<String>),
}

/// Stores the panel's response. An acceptance is always stored; any other response only while the worker has the lease.
pub async fn record_outcome(
    db: &mut impl SqlExecutor,
    (id, lease_until): (RefillRequestId, Time),
    outcome: &RefillOutcome,
) -> DbResult<Transition> {
    let (assignments, event) = match outcome {
        RefillOutcome::Accepted(..) => {
            ("status = 'sent', external_refill_id = ?, due_at = ?, last_error = NULL", RefillEvent::Accept)
        }
        RefillOutcome::Completed => {
            ("status = 'completed', due_at = NULL, last_error = NULL", RefillEvent::Complete)
        }
        RefillOutcome::Rejected(_) => {
            ("status = 'rejected', due_at = NULL, last_error = ?", RefillEvent::Reject)
        }
        RefillOutcome::Undecided(..) => {
            ("due_at = ?, last_error = ?, tries = tries + 1", RefillEvent::Postpone)
        }
    };
    let sql = Sql::new("UPDATE order_refill_requests SET ").push(assignments);
    let sql = match outcome {
        RefillOutcome::Accepted(refill_id, next_poll_at) => sql.bind(refill_id.as_str()).bind(*next_poll_at),
        RefillOutcome::Completed => sql,
        RefillOutcome::Rejected(reason) => sql.bind(truncate_text(reason)),
        RefillOutcome::Undecided(retry_at, reason) => {
            sql.bind(*retry_at).bind(reason.as_deref().map(truncate_text))
        }
    };
    let sql = sql.push(" WHERE id = ?").bind(id);
    // An acceptance is stored even if another worker has the lease now, because no other worker knows the panel's id of the
    // refill.
    let sql = match outcome {
        RefillOutcome::Accepted(..) => sql.push(" AND external_refill_id IS NULL"),
        _ => sql.push(" AND due_at = ?").bind(lease_until),
    };
    transition(db, sql.append(STATES.condition_for(event))).await
}

/// Postpones the request to the panel to `retry_at`. Does not count as a try.
pub async fn postpone(
    db: &mut impl SqlExecutor,
    (id, lease_until): (RefillRequestId, Time),
    retry_at: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE order_refill_requests SET due_at = ? WHERE id = ? AND due_at = ?");
    transition(
        db,
        sql.bind(retry_at).bind(id).bind(lease_until).append(STATES.condition_for(RefillEvent::Postpone)),
    )
    .await
}

/// Closes a request that staff completed or rejected, and that was certainly not sent to a panel.
pub async fn close(
    db: &mut impl SqlExecutor,
    id: RefillRequestId,
    is_completed: bool,
) -> DbResult<Transition> {
    let (status, event) = match is_completed {
        true => ("completed", RefillEvent::Close),
        false => ("rejected", RefillEvent::CloseRejected),
    };
    let sql = Sql::new("UPDATE order_refill_requests SET status = ?, due_at = NULL WHERE id = ?");
    transition(db, sql.bind(status).bind(id).append(STATES.condition_for(event))).await
}
