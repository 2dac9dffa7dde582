//! Placement attempts on their way to the external panel: claimed, accepted, unknown, queued again or rejected. Every answer
//! but an acceptance names its claim; an acceptance is recorded whenever it is known.

use panel_contract::ids::ExternalOrderId;
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_domain::states::placement_attempts::cancel::CancelProgress;
use panel_domain::states::placement_attempts::state::AttemptEvent;
use panel_platform::db::state::{Transition, transition, transition_all};
use panel_platform::db::{Db, DbResult, Source, Sql, Val};
use panel_platform::sql;
use serde_json::json;

use super::conditions::{CANCELS, STATES, attempt_is};
use super::truncate_text;

/// The claim that an answer belongs to.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    pub attempt: ExternalOrderId,
    /// When a worker claimed it (`sent_at`).
    pub claimed_at: Time,
}

/// The request and answer of a call, as staff see them.
#[derive(Debug, Clone, Copy)]
pub struct CallTexts<'a> {
    /// The request without the panel's key.
    pub request: &'a str,
    /// The answer or the error.
    pub answer: &'a str,
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

/// Claims the attempts that `due` selects as `id` and locks, until `until`, and returns their ids. From here on the panel may
/// have them. The alert of an earlier try is cleared, because it would mean that the outcome of this one is unknown.
pub async fn claim(db: &mut impl Source, due: Sql, until: Time, now: Time) -> DbResult<Vec<ExternalOrderId>> {
    let sql = due.first().push(
        "UPDATE external_panel_orders SET sent_at = ?, due_at = ?, tries = tries + 1, alert_at = NULL, updated_at = ?
         WHERE id IN (SELECT id FROM due)",
    );
    let sql = sql.bind(now).bind(until).bind(now);
    let sql = sql.append(STATES.leaving(AttemptEvent::Claim)).append(CANCELS.within(&[CancelProgress::None]));
    transition_all(db, sql.push(" RETURNING id")).await
}

/// Stores, by attempt, a JSON list of the customers' answers for which the panel has no parameter.
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
    db.exec(sql).await.map(drop)
}

/// Postpones queued attempts. `which` is a condition that begins with AND.
pub async fn postpone_queued(db: &mut impl Source, which: Sql, until: Time) -> DbResult<()> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE ").bind(until);
    db.exec(sql.push(attempt_is!(queued, "external_panel_orders")).append(which)).await.map(drop)
}

/// The panel has accepted the order under this id; it is polled at `next_poll`, or at once if a cancellation was requested
/// meanwhile. Needs no claim: an acceptance is recorded whenever it is known. If another open attempt has the id, staff must
/// find out which of the two it belongs to.
pub async fn mark_accepted(
    db: &Db,
    id: ExternalOrderId,
    external_id: &str,
    request: &str,
    (now, next_poll): (Time, Time),
) -> DbResult<AcceptOutcome> {
    let answer = json!({ "order": external_id }).to_string();
    let sql = sql!(
        "UPDATE external_panel_orders SET external_order_id = @external_order_id, status = @status, last_error = NULL, \
           alert_at = NULL, tries = 0, last_request = @last_request,
           last_answer = @last_answer, \
           due_at = CASE WHEN cancel_requested_at IS NULL THEN CAST(@next_poll AS BIGINT) ELSE CAST(@now AS BIGINT) END, \
           updated_at = @now,
           full_charge = (SELECT CASE WHEN p.source_price * 1.0 * external_panel_orders.initial_quantity / p.source_pricing_per < 9e18
             THEN CAST(p.source_price * 1.0 * external_panel_orders.initial_quantity / p.source_pricing_per AS BIGINT) END
             FROM providers p WHERE p.id = external_panel_orders.provider_id)
         WHERE id = @id",
        {
            external_order_id: external_id,
            status: ExternalStatus::Pending.as_str(),
            last_request: request,
            last_answer: &*answer,
            next_poll,
            now,
            id,
        },
    );
    let sql = sql.append(STATES.leaving(AttemptEvent::Accept));
    match transition(&mut &*db, sql).await {
        Ok(Transition::Applied) => Ok(AcceptOutcome::Accepted),
        Ok(Transition::Superseded) => existing_acceptance(db, id, external_id).await,
        Err(error) if error.is_unique() => {
            record_conflict(db, id, external_id, request, (now, &answer)).await
        }
        Err(error) => Err(error),
    }
}

/// A write repeated after an outage may find the result of its first try.
async fn existing_acceptance(db: &Db, id: ExternalOrderId, external_id: &str) -> DbResult<AcceptOutcome> {
    let sql = Sql::new("SELECT id FROM external_panel_orders WHERE id = ? AND external_order_id = ?");
    let found: Option<(ExternalOrderId,)> = (&mut &*db).opt(sql.bind(id).bind(external_id)).await?;
    Ok(if found.is_some() { AcceptOutcome::Accepted } else { AcceptOutcome::Superseded })
}

async fn record_conflict(
    db: &Db,
    id: ExternalOrderId,
    external_id: &str,
    request: &str,
    (now, answer): (Time, &str),
) -> DbResult<AcceptOutcome> {
    let why = format!("The panel returned its order id {external_id}, which another attempt already has.");
    let sql = sql!(
        "UPDATE external_panel_orders SET last_error = @last_error, alert_at = @now, due_at = NULL, \
           last_request = @last_request, last_answer = @last_answer, updated_at = @now
         WHERE id = @id",
        { last_error: truncate_text(&why), now, last_request: request, last_answer: answer, id },
    );
    Ok(match transition(&mut &*db, sql.append(STATES.leaving(AttemptEvent::FindConflict))).await? {
        Transition::Applied => AcceptOutcome::Conflicting,
        Transition::Superseded => AcceptOutcome::Superseded,
    })
}

/// It is unknown whether the panel has the order: staff get an alert, and a worker reconciles it at this time. `message` is the
/// panel's exact message, if staff can add it to the messages that the panel recognizes.
pub async fn mark_unknown(
    db: &mut impl Source,
    claim: Claim,
    texts: CallTexts<'_>,
    message: Option<&str>,
    (now, next_reconcile): (Time, Option<Time>),
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE external_panel_orders SET last_error = @last_error, last_request = @last_request, last_answer = @last_answer, \
           unknown_message = @unknown_message, alert_at = @now, tries = 0, due_at = @due_at, updated_at = @now
         WHERE id = @id AND sent_at = @sent_at",
        {
            last_error: truncate_text(texts.answer),
            last_request: texts.request,
            last_answer: truncate_text(texts.answer),
            unknown_message: message,
            now,
            due_at: next_reconcile,
            id: claim.attempt,
            sent_at: claim.claimed_at,
        },
    );
    transition(db, sql.append(STATES.leaving(AttemptEvent::LoseOutcome))).await
}

/// The panel certainly does not have the order: it is sent again at this time. Also superseded if a cancellation was requested
/// meanwhile.
pub async fn requeue(
    db: &mut impl Source,
    claim: Claim,
    (at, tries): (Time, i64),
    error: Option<&str>,
    now: Time,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE external_panel_orders SET sent_at = NULL, due_at = @due_at, tries = @tries, last_error = COALESCE(@last_error, \
           last_error), updated_at = @now
         WHERE id = @id AND sent_at = @sent_at",
        {
            due_at: at,
            tries: tries.max(0),
            last_error: error.map(truncate_text),
            now,
            id: claim.attempt,
            sent_at: claim.claimed_at,
        },
    );
    let sql = sql.append(STATES.leaving(AttemptEvent::Requeue));
    transition(db, sql.append(CANCELS.within(&[CancelProgress::None]))).await
}

/// Like [`requeue`], with an alert: after several failed tries, staff see that it waits.
pub async fn requeue_with_alert(
    db: &mut impl Source,
    claim: Claim,
    texts: CallTexts<'_>,
    at: Time,
    now: Time,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE external_panel_orders SET sent_at = NULL, due_at = @due_at, alert_at = COALESCE(alert_at, @now), \
           last_error = @last_error, last_request = @last_request,
           last_answer = @last_answer, updated_at = @now
         WHERE id = @id AND sent_at = @sent_at",
        {
            due_at: at,
            now,
            last_error: truncate_text(texts.answer),
            last_request: texts.request,
            last_answer: truncate_text(texts.answer),
            id: claim.attempt,
            sent_at: claim.claimed_at,
        },
    );
    let sql = sql.append(STATES.leaving(AttemptEvent::Requeue));
    transition(db, sql.append(CANCELS.within(&[CancelProgress::None]))).await
}

/// The panel certainly does not have the order, and another try there cannot succeed: the attempt ends with nothing delivered.
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
            last_error: truncate_text(texts.answer),
            last_request: texts.request,
            last_answer: truncate_text(texts.answer),
            id: claim.attempt,
            sent_at: claim.claimed_at,
        },
    );
    transition(db, sql.append(STATES.leaving(AttemptEvent::Reject))).await
}
