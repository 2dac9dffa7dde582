//! Placement attempts that are sent to the external panel: claimed, accepted, unknown, queued again or rejected. Every outcome
//! except an acceptance is stored only under its claim; an acceptance is always stored.

use panel_contract::ids::ExternalOrderId;
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_domain::states::placement_attempts::cancel::CancelProgress;
use panel_domain::states::placement_attempts::state::AttemptEvent;
use panel_platform::db::state::{Transition, transition, transition_all};
use panel_platform::db::{Db, DbResult, Source, Sql, Val};
use panel_platform::sql;
use serde_json::json;

use super::conditions::{CANCEL_STATES, STATES, attempt_is};
use super::truncate_text;

/// The claim of the worker that called the panel.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    pub attempt: ExternalOrderId,
    /// When a worker claimed it (`sent_at`).
    pub claimed_at: Time,
}

/// The request and the response of a call, as staff read them.
#[derive(Debug, Clone, Copy)]
pub struct CallTexts<'a> {
    /// The request without the panel's key.
    pub request: &'a str,
    /// The response or the error.
    pub response: &'a str,
}

/// Whether the external panel's acceptance was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "the panel has an order that may have no record here"]
pub enum AcceptOutcome {
    /// The attempt has the external id, from this write or from an earlier try of it.
    Accepted,
    /// Another open attempt has the same external order id: staff must decide.
    Conflicting,
    /// The attempt already had another external id or had ended.
    Superseded,
}

/// Claims the attempts until `lease_until`, and returns their ids. `select_due` selects their `id` and locks them. After the
/// claim the panel may have the orders. The alert of an earlier try is cleared, because it would mean that the outcome of the
/// new try is unknown.
pub async fn claim(
    db: &mut impl Source,
    select_due: Sql,
    lease_until: Time,
    now: Time,
) -> DbResult<Vec<ExternalOrderId>> {
    let sql = select_due.into_materialized_cte().push(
        "UPDATE external_panel_orders SET sent_at = ?, due_at = ?, tries = tries + 1, alert_at = NULL, updated_at = ?
         WHERE id IN (SELECT id FROM due)",
    );
    let sql = sql.bind(now).bind(lease_until).bind(now);
    let sql = sql
        .append(STATES.condition_for(AttemptEvent::Claim))
        .append(CANCEL_STATES.condition_in(&[CancelProgress::None]));
    transition_all(db, sql.push(" RETURNING id")).await
}

/// Stores for each attempt a JSON list of the customer's answers that were not sent, because the panel has no parameter for
/// them.
pub async fn record_not_forwarded(
    db: &mut impl Source,
    names: Vec<(ExternalOrderId, String)>,
) -> DbResult<()> {
    if names.is_empty() {
        return Ok(());
    }
    let rows = names.into_iter().map(|(id, names)| vec![Val::from(id), names.into()]).collect();
    let sql = Sql::new("UPDATE external_panel_orders SET not_forwarded = r.names FROM ");
    let sql = sql.rows("r", &["id", "names"], rows).push(" WHERE external_panel_orders.id = r.id");
    db.execute(sql).await.map(drop)
}

/// Postpones the queued attempts to which `condition` applies, an SQL condition that begins with AND.
pub async fn postpone_queued(db: &mut impl Source, condition: Sql, retry_at: Time) -> DbResult<()> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE ").bind(retry_at);
    db.execute(sql.push(attempt_is!(queued, "external_panel_orders")).append(condition)).await.map(drop)
}

/// Stores that the panel accepted the order with the id `external_id`. The worker polls it at `next_poll_at`, or at once if a
/// cancellation was requested meanwhile. Needs no claim, because an acceptance is always stored. If another open attempt
/// already has the id, staff must find out to which of the two attempts it belongs.
pub async fn mark_accepted(
    db: &Db,
    id: ExternalOrderId,
    external_id: &str,
    request: &str,
    (now, next_poll_at): (Time, Time),
) -> DbResult<AcceptOutcome> {
    let response = json!({ "order": external_id }).to_string();
    let sql = sql!(
        "UPDATE external_panel_orders SET external_order_id = @external_order_id, status = @status, last_error = NULL, \
           alert_at = NULL, tries = 0, last_request = @last_request,
           last_answer = @last_answer, \
           due_at = CASE WHEN cancel_requested_at IS NULL THEN CAST(@next_poll_at AS BIGINT) ELSE CAST(@now AS BIGINT) END, \
           updated_at = @now,
           full_charge = (SELECT CASE WHEN p.source_price * 1.0 * external_panel_orders.initial_quantity / p.source_pricing_per < 9e18
             THEN CAST(p.source_price * 1.0 * external_panel_orders.initial_quantity / p.source_pricing_per AS BIGINT) END
             FROM providers p WHERE p.id = external_panel_orders.provider_id)
         WHERE id = @id",
        {
            external_order_id: external_id,
            status: ExternalStatus::Pending.as_str(),
            last_request: request,
            last_answer: &*response,
            next_poll_at,
            now,
            id,
        },
    );
    let sql = sql.append(STATES.condition_for(AttemptEvent::Accept));
    match transition(&mut &*db, sql).await {
        Ok(Transition::Applied) => Ok(AcceptOutcome::Accepted),
        Ok(Transition::Superseded) => existing_acceptance(db, id, external_id).await,
        Err(error) if error.is_unique() => {
            record_conflict(db, id, external_id, request, (now, &response)).await
        }
        Err(error) => Err(error),
    }
}

/// Distinguishes an acceptance that an earlier try of the same write has already stored, for example before an outage.
async fn existing_acceptance(db: &Db, id: ExternalOrderId, external_id: &str) -> DbResult<AcceptOutcome> {
    let sql = Sql::new("SELECT id FROM external_panel_orders WHERE id = ? AND external_order_id = ?");
    let existing: Option<(ExternalOrderId,)> =
        (&mut &*db).fetch_optional(sql.bind(id).bind(external_id)).await?;
    Ok(if existing.is_some() { AcceptOutcome::Accepted } else { AcceptOutcome::Superseded })
}

async fn record_conflict(
    db: &Db,
    id: ExternalOrderId,
    external_id: &str,
    request: &str,
    (now, response): (Time, &str),
) -> DbResult<AcceptOutcome> {
    let reason = format!("The panel returned its order id {external_id}, which another attempt already has.");
    let sql = sql!(
        "UPDATE external_panel_orders SET last_error = @last_error, alert_at = @now, due_at = NULL, \
           last_request = @last_request, last_answer = @last_answer, updated_at = @now
         WHERE id = @id",
        { last_error: truncate_text(&reason), now, last_request: request, last_answer: response, id },
    );
    Ok(match transition(&mut &*db, sql.append(STATES.condition_for(AttemptEvent::FindConflict))).await? {
        Transition::Applied => AcceptOutcome::Conflicting,
        Transition::Superseded => AcceptOutcome::Superseded,
    })
}

/// Stores that it is unknown whether the panel has the order: staff get an alert, and a worker reconciles the attempt at
/// `next_reconcile_at`. `message` is the panel's exact message, if staff can add it to the known rejection messages of the
/// panel.
pub async fn mark_unknown(
    db: &mut impl Source,
    claim: Claim,
    texts: CallTexts<'_>,
    message: Option<&str>,
    (now, next_reconcile_at): (Time, Option<Time>),
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE external_panel_orders SET last_error = @last_error, last_request = @last_request, last_answer = @last_answer, \
           unknown_message = @unknown_message, alert_at = @now, tries = 0, due_at = @due_at, updated_at = @now
         WHERE id = @id AND sent_at = @sent_at",
        {
            last_error: truncate_text(texts.response),
            last_request: texts.request,
            last_answer: truncate_text(texts.response),
            unknown_message: message,
            now,
            due_at: next_reconcile_at,
            id: claim.attempt,
            sent_at: claim.claimed_at,
        },
    );
    transition(db, sql.append(STATES.condition_for(AttemptEvent::LoseOutcome))).await
}

/// Queues the attempt again, to be sent at `retry_at`, because the panel certainly does not have the order. The result is also
/// `Superseded` if a cancellation was requested meanwhile.
pub async fn requeue(
    db: &mut impl Source,
    claim: Claim,
    (retry_at, tries): (Time, i64),
    error: Option<&str>,
    now: Time,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE external_panel_orders SET sent_at = NULL, due_at = @due_at, tries = @tries, last_error = COALESCE(@last_error, \
           last_error), updated_at = @now
         WHERE id = @id AND sent_at = @sent_at",
        {
            due_at: retry_at,
            tries: tries.max(0),
            last_error: error.map(truncate_text),
            now,
            id: claim.attempt,
            sent_at: claim.claimed_at,
        },
    );
    let sql = sql.append(STATES.condition_for(AttemptEvent::Requeue));
    transition(db, sql.append(CANCEL_STATES.condition_in(&[CancelProgress::None]))).await
}

/// Like [`requeue`], with an alert: after several failed tries, staff are alerted that the attempt waits.
pub async fn requeue_with_alert(
    db: &mut impl Source,
    claim: Claim,
    texts: CallTexts<'_>,
    retry_at: Time,
    now: Time,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE external_panel_orders SET sent_at = NULL, due_at = @due_at, alert_at = COALESCE(alert_at, @now), \
           last_error = @last_error, last_request = @last_request,
           last_answer = @last_answer, updated_at = @now
         WHERE id = @id AND sent_at = @sent_at",
        {
            due_at: retry_at,
            now,
            last_error: truncate_text(texts.response),
            last_request: texts.request,
            last_answer: truncate_text(texts.response),
            id: claim.attempt,
            sent_at: claim.claimed_at,
        },
    );
    let sql = sql.append(STATES.condition_for(AttemptEvent::Requeue));
    transition(db, sql.append(CANCEL_STATES.condition_in(&[CancelProgress::None]))).await
}

/// Ends an attempt with nothing delivered, because the panel certainly does not have the order and another try there cannot
/// succeed.
pub async fn mark_rejected(
    db: &mut impl Source,
    claim: Claim,
    texts: CallTexts<'_>,
    now: Time,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE external_panel_orders SET status = 'Canceled', remains = initial_quantity, ended_at = @now, due_at = NULL, \
           last_error = @last_error,
           last_request = @last_request, last_answer = @last_answer, updated_at = @now
         WHERE id = @id AND sent_at = @sent_at",
        {
            now,
            last_error: truncate_text(texts.response),
            last_request: texts.request,
            last_answer: truncate_text(texts.response),
            id: claim.attempt,
            sent_at: claim.claimed_at,
        },
    );
    transition(db, sql.append(STATES.condition_for(AttemptEvent::Reject))).await
}
