//! Writes the table `order_cancel_requests`. Each update changes only rows in a state in which
//! `panel_domain::states::cancel_requests` allows the event. The update with the result of a worker also requires the lease
//! (`due_at`) of this worker: if another worker has the lease now, nothing changes. Books no payment.

use std::collections::HashMap;

use panel_contract::amount::Money;
use panel_contract::cancel_requests::{CancelRequestCause, CancelRequestStatus};
use panel_contract::ids::{CancelRequestId, ExternalOrderId, OrderId, RecordId};
use panel_contract::moment::Time;
use panel_domain::cancel_requests::OpenAttempt;
use panel_domain::states::cancel_requests::{CancelRequestEvent, CancelRequestState, CancelRequests};
use panel_kernel::error::Result;
use serde_json::json;

use crate::stores::placement_attempts::conditions::attempt_is;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::state::{StoredStates, Transition, transition, transition_all};
use panel_platform::db::{Db, DbResult, Sql, SqlExecutor, Val};
use panel_platform::lease::LeasedRow;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Longest stored response of an external panel, in characters.
const MAX_RESPONSE_CHARS: usize = 1_000;

/// SQL condition: the order has an open request. `$order` is the SQL of the order's id.
macro_rules! cancel_requested {
    ($order:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM order_cancel_requests cr WHERE cr.order_id = ",
            $order,
            " AND cr.status IN ('requested', 'sent'))"
        )
    };
}
pub(crate) use cancel_requested;

/// SQL conditions of the states of a cancel request.
pub const STATES: StoredStates<CancelRequests> = {
    use CancelRequestState::*;
    StoredStates {
        table: "order_cancel_requests",
        conditions: &[
            (
                &[Requested],
                "order_cancel_requests.status = 'requested' AND order_cancel_requests.acknowledged_at IS NULL AND order_cancel_requests.escalated_at IS NULL",
            ),
            (
                &[Sent],
                "order_cancel_requests.status = 'sent' AND order_cancel_requests.acknowledged_at IS NULL AND order_cancel_requests.escalated_at IS NULL",
            ),
            (
                &[Acknowledged],
                "order_cancel_requests.status IN ('requested', 'sent') AND order_cancel_requests.acknowledged_at IS NOT NULL AND order_cancel_requests.escalated_at IS NULL",
            ),
            (
                &[Escalated],
                "order_cancel_requests.status IN ('requested', 'sent') AND order_cancel_requests.escalated_at IS NOT NULL",
            ),
            (&[Confirmed], "order_cancel_requests.status = 'confirmed'"),
            (&[Rejected], "order_cancel_requests.status = 'rejected'"),
            (&[Expired], "order_cancel_requests.status = 'expired'"),
        ],
    }
};
/// States in which a worker does the next step.
const UNDECIDED_STATES: [CancelRequestState; 3] =
    [CancelRequestState::Requested, CancelRequestState::Sent, CancelRequestState::Acknowledged];

/// Truncates a response of an external panel to [`MAX_RESPONSE_CHARS`].
fn truncate_response(text: &str) -> String {
    text.chars().take(MAX_RESPONSE_CHARS).collect()
}

/// The ids of the open requests, by order.
pub async fn load_open_ids(
    db: &mut impl SqlExecutor,
    orders: &[OrderId],
) -> Result<HashMap<OrderId, CancelRequestId>> {
    let sql = Sql::new(
        "SELECT order_id, id FROM order_cancel_requests WHERE status IN ('requested', 'sent') AND order_id IN ",
    );
    Ok(db.fetch_all::<(OrderId, CancelRequestId)>(sql.ids(orders)).await?.into_iter().collect())
}

/// The fields of an [`OpenAttempt`], in their order.
type AttemptRow = (OrderId, ExternalOrderId, bool, bool, bool, bool, Option<bool>);

/// The open attempts of orders, by order.
pub async fn load_open_attempts(
    db: &mut impl SqlExecutor,
    orders: &[OrderId],
) -> Result<HashMap<OrderId, Vec<OpenAttempt>>> {
    let sql = Sql::new(concat!(
        "SELECT e.order_id, e.id, e.external_panel_id IS NULL AS by_hand, e.sent_at IS NOT NULL OR e.external_order_id IS NOT NULL AS was_sent,
           e.external_order_id IS NOT NULL AS has_external_id, e.cancel_requested_at IS NOT NULL AS is_replaced, k.cancel AS is_cancelable
         FROM external_panel_orders e LEFT JOIN external_panel_services k
           ON k.external_panel_id = e.external_panel_id AND k.external_panel_service_id = e.external_panel_service_id
         WHERE ",
        attempt_is!(unfinished, "e"),
        " AND e.order_id IN ",
    ));
    let rows: Vec<AttemptRow> = db.fetch_all(sql.ids(orders).push(" ORDER BY e.order_id, e.id")).await?;
    let mut attempts_by_order: HashMap<OrderId, Vec<OpenAttempt>> = HashMap::new();
    for (order_id, id, by_hand, was_sent, has_external_id, is_replaced, is_cancelable) in rows {
        let attempt =
            OpenAttempt { order_id, id, by_hand, was_sent, has_external_id, is_replaced, is_cancelable };
        attempts_by_order.entry(order_id).or_default().push(attempt);
    }
    Ok(attempts_by_order)
}

/// Inserts a request for each of these orders and returns the ids by order. The orders must be locked and have no open request.
pub async fn insert(
    work: &mut UnitOfWork,
    orders: &[OrderId],
    deadline: Time,
) -> Result<HashMap<OrderId, CancelRequestId>> {
    let now = work.now;
    let rows: Vec<Vec<Val>> = orders.iter().map(|order| vec![(*order).into()]).collect();
    let sql = Sql::new(
        "INSERT INTO order_cancel_requests (order_id, due_at, created_at, deadline_at)
         SELECT r.id, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ",
    );
    let sql = sql.bind(now).bind(now).bind(deadline).rows("r", &["id"], rows);
    let inserted_rows: Vec<(OrderId, CancelRequestId)> =
        work.fetch_all(sql.push(" RETURNING order_id, id")).await?;
    let ids_by_order: HashMap<OrderId, CancelRequestId> = inserted_rows.into_iter().collect();
    let mut changes: Vec<AuditChange> = ids_by_order
        .iter()
        .map(|(order, id)| AuditChange {
            id: id.as_record_id(),
            old: json!({}),
            new: json!({ "order_id": order }),
        })
        .collect();
    changes.sort_by_key(|change| change.id);
    audit::record_all(work, "cancel_request.requested", "cancel_request", changes).await?;
    Ok(ids_by_order)
}

/// A request that a worker has leased in order to send it to the external panel.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct LeasedRequest {
    pub id: CancelRequestId,
    /// Number of earlier requests to the external panel.
    pub tries: i64,
    /// Id of the placement attempt in this database.
    pub attempt: ExternalOrderId,
    /// Id of the external order at the external panel.
    pub external_order_id: String,
}

impl LeasedRequest {
    /// The columns that a claim returns.
    pub const COLUMNS: &str = "id, tries, external_panel_order_id AS attempt,
          (SELECT a.external_order_id FROM external_panel_orders a WHERE a.id = order_cancel_requests.external_panel_order_id) AS external_order_id";
}

impl LeasedRow for LeasedRequest {
    fn id(&self) -> RecordId {
        self.id.as_record_id()
    }
}

/// SQL condition: the request is undecided, and its attempt is open at an external panel to which the worker can send requests.
/// The subquery over the attempt `a` is not closed: the statement adds its own conditions and the closing parenthesis.
pub const HAS_CALLABLE_ATTEMPT: &str = concat!(
    "order_cancel_requests.acknowledged_at IS NULL AND order_cancel_requests.escalated_at IS NULL
  AND EXISTS (SELECT 1 FROM external_panel_orders a WHERE a.id = order_cancel_requests.external_panel_order_id AND a.external_order_id IS NOT NULL
    AND ",
    attempt_is!(open, "a")
);

/// The fields of an undecided request that determine its next step.
#[derive(Debug, sqlx::FromRow)]
pub struct UndecidedRequest {
    /// When the external panel accepted the cancellation.
    pub acknowledged_at: Option<Time>,
    /// The time after which staff decide instead of the provider.
    pub deadline_at: Time,
}

/// Loads a due request; `None` if it was decided or claimed meanwhile.
pub async fn load_undecided(
    db: &mut impl SqlExecutor,
    id: CancelRequestId,
    now: Time,
) -> DbResult<Option<UndecidedRequest>> {
    let sql = Sql::new(
        "SELECT acknowledged_at, deadline_at FROM order_cancel_requests WHERE id = ? AND due_at <= ?",
    );
    db.fetch_optional(sql.bind(id).bind(now).append(STATES.condition_in(&UNDECIDED_STATES))).await
}

/// Stores which placement attempt the worker cancels at its external panel. The request to the panel is due at once.
pub async fn assign(
    db: &mut impl SqlExecutor,
    id: CancelRequestId,
    attempt: ExternalOrderId,
    now: Time,
) -> DbResult<Transition> {
    let sql =
        Sql::new("UPDATE order_cancel_requests SET external_panel_order_id = ?, due_at = ? WHERE id = ?");
    let sql = sql.bind(attempt).bind(now).bind(id).append(STATES.condition_for(CancelRequestEvent::Send));
    transition(db, sql).await
}

/// Postpones the next step of a due request. The result is `Superseded` if a worker has claimed it, because its lease must not
/// change.
pub async fn postpone(
    db: &mut impl SqlExecutor,
    id: CancelRequestId,
    now: Time,
    next_due_at: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE order_cancel_requests SET due_at = ? WHERE id = ? AND due_at <= ?");
    transition(db, sql.bind(next_due_at).bind(id).bind(now).append(STATES.condition_in(&UNDECIDED_STATES)))
        .await
}

/// Records that the worker is about to send these requests to the external panel. Returns the ids that the worker must still
/// send, ascending.
pub async fn mark_sent(
    db: &Db,
    (ids, lease_until): (&[CancelRequestId], Time),
    now: Time,
) -> DbResult<Vec<CancelRequestId>> {
    let sql = Sql::new(
        "UPDATE order_cancel_requests SET status = 'sent', sent_at = COALESCE(sent_at, ?), tries = tries + 1
         WHERE due_at = ? AND id IN ",
    );
    let sql = sql.bind(now).bind(lease_until).ids(ids).append(STATES.condition_for(CancelRequestEvent::Send));
    let mut tx = db.begin().await?;
    let marked_ids = transition_all(&mut tx, sql.push(" RETURNING id")).await?;
    tx.commit().await?;
    Ok(marked_ids)
}

/// Reverts [`mark_sent`], because the worker sent nothing, and schedules the next attempt to send.
pub async fn unmark_sent(
    db: &mut impl SqlExecutor,
    (id, lease_until): (CancelRequestId, Time),
    retry_at: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE order_cancel_requests SET due_at = CASE WHEN deadline_at < ? THEN deadline_at ELSE CAST(? AS BIGINT) END,
           status = CASE WHEN tries > 1 THEN status ELSE 'requested' END, sent_at = CASE WHEN tries > 1 THEN sent_at END,
           tries = CASE WHEN tries > 1 THEN tries - 1 ELSE 0 END WHERE id = ? AND due_at = ?",
    );
    let sql = sql.bind(retry_at).bind(retry_at).bind(id).bind(lease_until);
    // The number of earlier tries decides whether the status becomes `sent` or `requested`; both start from the same states.
    transition(db, sql.append(STATES.condition_for(CancelRequestEvent::RevertSend))).await
}

/// Records that the external panel accepted the cancellation. The worker waits until the deadline for the final delivered
/// quantity.
pub async fn acknowledge(
    db: &mut impl SqlExecutor,
    (id, lease_until): (CancelRequestId, Time),
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE order_cancel_requests SET acknowledged_at = ?, provider_response = NULL, due_at = deadline_at WHERE id = ? AND due_at = ?",
    );
    let sql = sql.bind(now).bind(id).bind(lease_until);
    transition(db, sql.append(STATES.condition_for(CancelRequestEvent::Acknowledge))).await
}

/// Records that the request to the external panel failed, with the reason if there is one. The worker sends it again at
/// `retry_at`, or staff decide at the deadline if that is earlier.
pub async fn retry(
    db: &mut impl SqlExecutor,
    (id, lease_until): (CancelRequestId, Time),
    retry_at: Time,
    reason: Option<&str>,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE order_cancel_requests SET due_at = CASE WHEN deadline_at < @retry_at THEN deadline_at ELSE CAST(@retry_at AS BIGINT) END,
           provider_response = COALESCE(@reason, provider_response) WHERE id = @id AND due_at = @lease_until",
        { retry_at, reason: reason.map(truncate_response), id, lease_until },
    );
    transition(db, sql.append(STATES.condition_for(CancelRequestEvent::Send))).await
}

/// Escalates the decision to staff, who are notified once by the audit event. A request that is already decided or escalated
/// does not change.
pub async fn escalate(
    work: &mut UnitOfWork,
    id: CancelRequestId,
    cause: CancelRequestCause,
    attempt: Option<ExternalOrderId>,
) -> Result<()> {
    let sql = escalation_sql((id, work.now), cause, attempt, None);
    execute_escalation(work, sql, id, cause).await?.ignore_superseded();
    Ok(())
}

/// Like [`escalate`], after the external panel rejected with `message`. Changes nothing if the worker no longer has the lease.
pub async fn escalate_rejected(
    work: &mut UnitOfWork,
    (id, lease_until): (CancelRequestId, Time),
    message: &str,
) -> Result<Transition> {
    let cause = CancelRequestCause::ProviderRejected;
    let sql =
        escalation_sql((id, work.now), cause, None, Some(message)).push(" AND due_at = ?").bind(lease_until);
    execute_escalation(work, sql, id, cause).await
}

fn escalation_sql(
    (id, now): (CancelRequestId, Time),
    cause: CancelRequestCause,
    attempt: Option<ExternalOrderId>,
    response: Option<&str>,
) -> Sql {
    sql!(
        "UPDATE order_cancel_requests SET cause = @cause, escalated_at = @now, due_at = NULL,
           provider_response = COALESCE(@response, provider_response),
           external_panel_order_id = COALESCE(external_panel_order_id, @attempt) WHERE id = @id",
        { cause: cause.as_str(), now, response: response.map(truncate_response), attempt, id },
    )
}

async fn execute_escalation(
    work: &mut UnitOfWork,
    update_sql: Sql,
    id: CancelRequestId,
    cause: CancelRequestCause,
) -> Result<Transition> {
    let transition =
        transition(work, update_sql.append(STATES.condition_for(CancelRequestEvent::Escalate))).await?;
    if transition.is_applied() {
        let change = AuditChange { id: id.as_record_id(), old: json!({}), new: json!({ "cause": cause }) };
        audit::record(work, "cancel_request.escalated", "cancel_request", change).await?;
    }
    Ok(transition)
}

/// Closes the open requests of orders that this transaction cancels or completes. `refunds` holds the refund of each order.
pub async fn close(
    work: &mut UnitOfWork,
    event: CancelRequestEvent,
    refunds: &[(OrderId, Money)],
) -> Result<()> {
    let ids: Vec<OrderId> = refunds.iter().map(|(order, _)| *order).collect();
    // This query runs for every finished order, and few orders have a request, so it must be cheap.
    let open_requests = load_open_ids(work, &ids).await?;
    if open_requests.is_empty() {
        return Ok(());
    }
    let status = match event {
        CancelRequestEvent::OrderCompleted => CancelRequestStatus::Expired,
        _ => CancelRequestStatus::Confirmed,
    };
    let (now, actor) = (work.now, work.actor());
    let rows: Vec<Vec<Val>> = refunds
        .iter()
        .filter_map(|(order, amount)| Some(vec![(*open_requests.get(order)?).into(), (*amount).into()]))
        .collect();
    let sql = Sql::new(
        "UPDATE order_cancel_requests SET status = ?, refunded = r.refund, decided_at = ?, decided_by = ?, due_at = NULL FROM ",
    );
    let sql = sql.bind(status.as_str()).bind(now).bind(actor).rows("r", &["request", "refund"], rows);
    let sql = sql.push(" WHERE order_cancel_requests.id = r.request").append(STATES.condition_for(event));
    let mut closed_requests: Vec<(CancelRequestId, Money)> = work
        .fetch_all(sql.push(" RETURNING order_cancel_requests.id, order_cancel_requests.refunded"))
        .await?;
    closed_requests.sort_unstable_by_key(|(id, _)| *id);
    let changes = closed_requests.into_iter().map(|(id, amount)| AuditChange {
        id: id.as_record_id(),
        old: json!({}),
        new: json!({ "status": status, "refunded": amount }),
    });
    audit::record_all(work, &format!("cancel_request.{status}"), "cancel_request", changes.collect()).await
}

/// Stores that staff rejected these requests. Returns the ids of the requests that were open.
pub async fn record_rejected(work: &mut UnitOfWork, ids: &[CancelRequestId]) -> Result<Vec<CancelRequestId>> {
    let (now, actor) = (work.now, work.actor());
    let sql = Sql::new(
        "UPDATE order_cancel_requests SET status = 'rejected', decided_at = ?, decided_by = ?, due_at = NULL WHERE id IN ",
    );
    let sql = sql
        .bind(now)
        .bind(actor)
        .ids(ids)
        .append(STATES.condition_for(CancelRequestEvent::Reject))
        .push(" RETURNING id");
    let rejected_ids: Vec<CancelRequestId> = transition_all(work, sql).await?;
    let changes = rejected_ids.iter().map(|id| AuditChange {
        id: id.as_record_id(),
        old: json!({}),
        new: json!({ "status": CancelRequestStatus::Rejected }),
    });
    audit::record_all(work, "cancel_request.rejected", "cancel_request", changes.collect()).await?;
    Ok(rejected_ids)
}
