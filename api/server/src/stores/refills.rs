//! Refill requests in the database: the only writes of the table. Each transition leaves the states that the table of
//! `panel_domain::states::refills` lets its event leave, and those of a worker also name the lease under which it has the request
//! (`due_at`): where the lease is another worker's by now, they change nothing. No time is decided here.

use panel_contract::ids::{ExternalOrderId, OrderId, RefillRequestId, UserId};
use panel_contract::moment::Time;
use panel_domain::states::refills::{RefillEvent, RefillState, Refills};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::sql;

use super::placement_attempts::cut;

/// How the states of a refill request are stored.
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
            (&[Followed], "order_refill_requests.status = 'sent'"),
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

/// Writes a request of so many units that staff or a customer made; its id.
pub async fn insert(
    db: &mut impl Source,
    (order_id, quantity): (OrderId, i64),
    created_by: Option<UserId>,
    now: Time,
) -> DbResult<RefillRequestId> {
    let sql = sql!(
        "INSERT INTO order_refill_requests (order_id, quantity, created_by, due_at, created_at) \
           VALUES (@order_id, @quantity, @created_by, @now, @now) RETURNING id",
        { order_id, quantity, created_by, now },
    );
    Ok(db.one::<(RefillRequestId,)>(sql).await?.0)
}

/// Writes a request of the system, unless one is open; whether it did.
pub async fn insert_unless_open(
    db: &mut impl Source,
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
    Ok(db.exec(sql).await? == 1)
}

/// Names the attempt whose panel is asked for each; where there is none, staff refill by hand.
pub async fn assign(
    db: &mut impl Source,
    attempts: &[(RefillRequestId, Option<ExternalOrderId>)],
) -> DbResult<()> {
    let rows = attempts.iter().map(|(id, attempt)| vec![(*id).into(), (*attempt).into()]).collect();
    let sql = Sql::new(
        "UPDATE order_refill_requests SET external_panel_order_id = r.attempt, due_at = CASE WHEN r.attempt IS NULL THEN NULL ELSE due_at END,
           last_error = CASE WHEN r.attempt IS NULL THEN CAST(? AS TEXT) ELSE last_error END FROM ",
    );
    let sql = sql.bind("No panel has this order: refill it by hand.").rows("r", &["id", "attempt"], rows);
    let sql = sql.push(" WHERE order_refill_requests.id = r.id");
    // Both events leave the same state.
    db.exec(sql.append(STATES.leaving(RefillEvent::Assign))).await.map(drop)
}

/// The panel is about to be called: from now on staff cannot close the request.
pub async fn mark_called(
    db: &mut impl Source,
    (id, lease): (RefillRequestId, Time),
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE order_refill_requests SET sent_at = ? WHERE id = ? AND due_at = ?");
    let sql = sql.bind(now).bind(id).bind(lease);
    transition(db, sql.append(STATES.leaving(RefillEvent::Call))).await
}

/// No call ever brought it to the panel: staff may close it again.
pub async fn unmark_called(
    db: &mut impl Source,
    (id, lease): (RefillRequestId, Time),
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE order_refill_requests SET sent_at = NULL WHERE id = ? AND due_at = ?");
    transition(db, sql.bind(id).bind(lease).append(STATES.leaving(RefillEvent::CallNotMade))).await
}

/// What the panel answered about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefillOutcome {
    /// It has it, under this id, and is asked about it then.
    Accepted(String, Time),
    /// It is done.
    Completed,
    /// It refused, or was tried often enough.
    Rejected(String),
    /// Nothing is decided; it is asked again then. This was a try.
    Undecided(Time, Option<String>),
}

/// Records what the panel answered: an acceptance in any case, anything else while the lease holds.
pub async fn record_outcome(
    db: &mut impl Source,
    (id, lease): (RefillRequestId, Time),
    outcome: &RefillOutcome,
) -> DbResult<Transition> {
    let (set, event) = match outcome {
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
    let sql = Sql::new("UPDATE order_refill_requests SET ").push(set);
    let sql = match outcome {
        RefillOutcome::Accepted(refill, next) => sql.bind(refill.as_str()).bind(*next),
        RefillOutcome::Completed => sql,
        RefillOutcome::Rejected(why) => sql.bind(cut(why)),
        RefillOutcome::Undecided(at, why) => sql.bind(*at).bind(why.as_deref().map(cut)),
    };
    let sql = sql.push(" WHERE id = ?").bind(id);
    // That the panel has it is true whichever worker holds the claim by now, and no other worker knows its id.
    let sql = match outcome {
        RefillOutcome::Accepted(..) => sql.push(" AND external_refill_id IS NULL"),
        _ => sql.push(" AND due_at = ?").bind(lease),
    };
    transition(db, sql.append(STATES.leaving(event))).await
}

/// The panel is not called before then; this was no try.
pub async fn postpone(
    db: &mut impl Source,
    (id, lease): (RefillRequestId, Time),
    until: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE order_refill_requests SET due_at = ? WHERE id = ? AND due_at = ?");
    transition(db, sql.bind(until).bind(id).bind(lease).append(STATES.leaving(RefillEvent::Postpone))).await
}

/// Staff close a request that no call may have brought to a panel.
pub async fn close(db: &mut impl Source, id: RefillRequestId, is_completed: bool) -> DbResult<Transition> {
    let (status, event) = match is_completed {
        true => ("completed", RefillEvent::Close),
        false => ("rejected", RefillEvent::CloseRejected),
    };
    let sql = Sql::new("UPDATE order_refill_requests SET status = ?, due_at = NULL WHERE id = ?");
    transition(db, sql.bind(status).bind(id).append(STATES.leaving(event))).await
}
