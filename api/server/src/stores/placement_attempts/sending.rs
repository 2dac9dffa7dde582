//! Statements for placement attempts that a worker sends to the external panel: they claim attempts, and store whether the panel
//! accepted or rejected the order, or whether the outcome is unknown. An acceptance is always stored; any other outcome only if the
//! worker still has the claim.

use panel_contract::ids::ExternalOrderId;
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_domain::states::placement_attempts::cancel::CancelProgress;
use panel_domain::states::placement_attempts::state::AttemptEvent;
use panel_platform::db::state::{Transition, transition, transition_all};
use panel_platform::db::{Db, DbResult, Sql, SqlExecutor, Val};
use panel_platform::sql;
use serde_json::json;

use super::conditions::{CANCEL_STATES, STATES, attempt_is};
use super::truncate_text;

/// The claim of the worker that sent the request to the panel.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    pub attempt_id: ExternalOrderId,
    /// When the worker claimed the attempt (column `sent_at`).
    pub claimed_at: Time,
}

/// The texts of a request to the panel and of its response, as staff see them.
#[derive(Debug, Clone, Copy)]
pub struct RequestAndResponse<'a> {
    /// The request without the API key.
    pub request: &'a str,
    /// The response, or the error if there was no response.
    pub response: &'a str,
}

/// Whether the external panel's acceptance was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "the external panel has an order that the server may not have recorded"]
pub enum AcceptOutcome {
    /// The attempt has the external order id, which this call or an earlier call stored.
    Accepted,
    /// Another open attempt has the same external order id: staff must decide.
    Conflicting,
    /// The attempt already had another external id or had ended.
    Superseded,
}

/// Claims attempts until `lease_until`, and returns their ids. `select_due_sql` selects their `id` and locks them. From the claim
/// on, the panel may have the orders. Clears the alert of an earlier try, because an alert on a claimed attempt means that the
/// outcome of the current try is unknown.
pub async fn claim(
    db: &mut impl SqlExecutor,
    select_due_sql: Sql,
    lease_until: Time,
    now: Time,
) -> DbResult<Vec<ExternalOrderId>> {
    let sql = select_due_sql.into_materialized_cte().push(
        "UPDATE external_panel_orders SET sent_at = ?, due_at = ?, tries = tries + 1, alert_at = NULL, updated_at = ?
         WHERE id IN (SELECT id FROM due)",
    );
    let sql = sql.bind(now).bind(lease_until).bind(now);
    let sql = sql
        .append(STATES.condition_for(AttemptEvent::Claim))
        .append(CANCEL_STATES.condition_in(&[CancelProgress::None]));
    transition_all(db, sql.push(" RETURNING id")).await
}

/// Stores for each attempt which of the customer's answers were not sent, because the panel has no parameter for them. Each attempt
/// has a JSON list of names.
pub async fn record_not_forwarded(
    db: &mut impl SqlExecutor,
    names_by_attempt: Vec<(ExternalOrderId, String)>,
) -> DbResult<()> {
    if names_by_attempt.is_empty() {
        return Ok(());
    }
    let rows = names_by_attempt.into_iter().map(|(id, names)| vec![Val::from(id), names.into()]).collect();
    let sql = Sql::new("UPDATE external_panel_orders SET not_forwarded = r.names FROM ");
    let sql = sql.rows("r", &["id", "names"], rows).push(" WHERE external_panel_orders.id = r.id");
    db.execute(sql).await.map(drop)
}

/// Postpones the queued attempts that match `condition`, an SQL condition that begins with AND.
pub async fn postpone_queued(db: &mut impl SqlExecutor, condition: Sql, retry_at: Time) -> DbResult<()> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE ").bind(retry_at);
    db.execute(sql.push(attempt_is!(queued, "external_panel_orders")).append(condition)).await.map(drop)
}

/// Stores that the panel accepted the order with the id `external_id`. The worker polls it at `next_poll_at`, or at once if a
/// cancellation was requested meanwhile. Needs no claim, because an acceptance is always stored. If another open attempt
/// already has the same external id, staff must find out to which of the two attempts the order belongs.
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
           last_response = @last_response, \
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
            last_response: &*response,
            next_poll_at,
            now,
            id,
        },
    );
    let sql = sql.append(STATES.condition_for(AttemptEvent::Accept));
    match transition(&mut &*db, sql).await {
        Ok(Transition::Applied) => Ok(AcceptOutcome::Accepted),
        Ok(Transition::Superseded) => check_existing_acceptance(db, id, external_id).await,
        Err(error) if error.is_unique() => {
            record_conflict(db, id, external_id, request, (now, &response)).await
        }
        Err(error) => Err(error),
    }
}

/// Returns [`AcceptOutcome::Accepted`] if an earlier call has already stored the same acceptance, for example before an outage.
async fn check_existing_acceptance(
    db: &Db,
    id: ExternalOrderId,
    external_id: &str,
) -> DbResult<AcceptOutcome> {
    let sql = Sql::new("SELECT id FROM external_panel_orders WHERE id = ? AND external_order_id = ?");
    let existing_attempt: Option<(ExternalOrderId,)> =
        (&mut &*db).fetch_optional(sql.bind(id).bind(external_id)).await?;
    Ok(if existing_attempt.is_some() { AcceptOutcome::Accepted } else { AcceptOutcome::Superseded })
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
           last_request = @last_request, last_response = @last_response, updated_at = @now
         WHERE id = @id",
        { last_error: truncate_text(&reason), now, last_request: request, last_response: response, id },
    );
    Ok(match transition(&mut &*db, sql.append(STATES.condition_for(AttemptEvent::FindConflict))).await? {
        Transition::Applied => AcceptOutcome::Conflicting,
        Transition::Superseded => AcceptOutcome::Superseded,
    })
}

/// Stores that it is unknown whether the panel has the order: staff get an alert, and a worker reconciles the attempt at
/// `next_reconcile_at`. `rejection_message` is the exact message of the panel, if staff may want to add it to the known rejection
/// messages of the panel.
pub async fn mark_unknown(
    db: &mut impl SqlExecutor,
    claim: Claim,
    exchange: RequestAndResponse<'_>,
    rejection_message: Option<&str>,
    (now, next_reconcile_at): (Time, Option<Time>),
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE external_panel_orders SET last_error = @last_error, last_request = @last_request, last_response = @last_response, \
           unknown_message = @unknown_message, alert_at = @now, tries = 0, due_at = @due_at, updated_at = @now
         WHERE id = @id AND sent_at = @sent_at",
        {
            last_error: truncate_text(exchange.response),
            last_request: exchange.request,
            last_response: truncate_text(exchange.response),
            unknown_message: rejection_message,
            now,
            due_at: next_reconcile_at,
            id: claim.attempt_id,
            sent_at: claim.claimed_at,
        },
    );
    transition(db, sql.append(STATES.condition_for(AttemptEvent::LoseOutcome))).await
}

/// Queues the attempt again for a try at `retry_at`, because the panel certainly does not have the order. Returns `Superseded` if
/// the worker lost its claim, or if a cancellation was requested meanwhile.
pub async fn requeue(
    db: &mut impl SqlExecutor,
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
            id: claim.attempt_id,
            sent_at: claim.claimed_at,
        },
    );
    let sql = sql.append(STATES.condition_for(AttemptEvent::Requeue));
    transition(db, sql.append(CANCEL_STATES.condition_in(&[CancelProgress::None]))).await
}

/// Like [`requeue`], and alerts staff, because several tries have failed.
pub async fn requeue_with_alert(
    db: &mut impl SqlExecutor,
    claim: Claim,
    exchange: RequestAndResponse<'_>,
    retry_at: Time,
    now: Time,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE external_panel_orders SET sent_at = NULL, due_at = @due_at, alert_at = COALESCE(alert_at, @now), \
           last_error = @last_error, last_request = @last_request,
           last_response = @last_response, updated_at = @now
         WHERE id = @id AND sent_at = @sent_at",
        {
            due_at: retry_at,
            now,
            last_error: truncate_text(exchange.response),
            last_request: exchange.request,
            last_response: truncate_text(exchange.response),
            id: claim.attempt_id,
            sent_at: claim.claimed_at,
        },
    );
    let sql = sql.append(STATES.condition_for(AttemptEvent::Requeue));
    transition(db, sql.append(CANCEL_STATES.condition_in(&[CancelProgress::None]))).await
}

/// Ends an attempt without delivered units, because the panel certainly does not have the order and another try at this panel
/// cannot succeed.
pub async fn mark_rejected(
    db: &mut impl SqlExecutor,
    claim: Claim,
    exchange: RequestAndResponse<'_>,
    now: Time,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE external_panel_orders SET status = 'Canceled', remains = initial_quantity, ended_at = @now, due_at = NULL, \
           last_error = @last_error,
           last_request = @last_request, last_response = @last_response, updated_at = @now
         WHERE id = @id AND sent_at = @sent_at",
        {
            now,
            last_error: truncate_text(exchange.response),
            last_request: exchange.request,
            last_response: truncate_text(exchange.response),
            id: claim.attempt_id,
            sent_at: claim.claimed_at,
        },
    );
    transition(db, sql.append(STATES.condition_for(AttemptEvent::Reject))).await
}
