//! Placement attempts that an external panel has accepted: leased for a poll, postponed, and updated by the panel's status
//! reports.

use panel_contract::amount::Money;
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_domain::state_machine::next;
use panel_domain::states::placement_attempts::cancel::CancelEvent;
use panel_domain::states::placement_attempts::state::{AttemptEvent, AttemptState, PlacementAttempts};
use panel_platform::db::state::{Transition, transition, transition_all};
use panel_platform::db::{DbResult, Source, Sql, Val};

use super::conditions::{CANCEL_STATES, STATES, attempt_is};

/// Leases the attempts until `lease_until`. `select_due` selects their `id` and locks them. The caller appends a RETURNING
/// clause.
pub fn lease_for_poll(select_due: Sql, lease_until: Time) -> Sql {
    let sql = select_due.into_materialized_cte();
    sql.push("UPDATE external_panel_orders SET due_at = ? WHERE id IN (SELECT id FROM due)").bind(lease_until)
}

/// Postpones the next poll of each attempt; `None` ends its polling.
pub async fn postpone_polls(db: &mut impl Source, polls: &[(ExternalOrderId, Option<Time>)]) -> DbResult<()> {
    if polls.is_empty() {
        return Ok(());
    }
    let rows = polls.iter().map(|(id, due_at)| vec![(*id).into(), (*due_at).into()]).collect();
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = r.due_at FROM ").rows(
        "r",
        &["id", "due_at"],
        rows,
    );
    let sql = sql.push(" WHERE external_panel_orders.id = r.id AND external_panel_orders.due_at IS NOT NULL");
    db.execute(sql).await.map(drop)
}

/// The changes of an attempt by a status report, and the attempt's state when the panel was called.
#[derive(Debug, Clone)]
pub struct StatusReport {
    pub id: ExternalOrderId,
    /// The transition that the report causes.
    pub event: AttemptEvent,
    /// Status, booked cost and end of the attempt when the panel was called. The report is stored only if they did not change.
    pub expected_state: (ExternalStatus, Money, Option<Time>),
    pub status: ExternalStatus,
    /// Undelivered units.
    pub remains: Option<i64>,
    /// The count before the delivery.
    pub start_count: Option<i64>,
    /// The charge of the panel, in its currency.
    pub charge: Money,
    /// The part of the charge that is booked with the order, in the panel's own currency.
    pub booked_cost: Money,
    /// The error message for staff.
    pub error: Option<String>,
    /// The time since which the attempt waits for staff.
    pub alert_at: Option<Time>,
    /// The time since which the panel does not find the order.
    pub missing_since: Option<Time>,
    /// The panel's response, if it has more information than the previous response.
    pub answer: Option<String>,
    pub due_at: Option<Time>,
    pub ended_at: Option<Time>,
}

/// The columns of a [`StatusReport`], in the order of [`row`].
const COLUMNS: [&str; 15] = [
    "id",
    "old_status",
    "old_booked_cost",
    "status",
    "remains",
    "start_count",
    "charge",
    "booked_cost",
    "error",
    "alert_at",
    "missing_since",
    "answer",
    "due_at",
    "ended_at",
    "old_ended_at",
];

fn row(report: &StatusReport) -> Vec<Val> {
    let (old_status, old_booked_cost, old_ended_at) = report.expected_state;
    vec![
        report.id.into(),
        old_status.as_str().into(),
        old_booked_cost.into(),
        report.status.as_str().into(),
        report.remains.into(),
        report.start_count.into(),
        report.charge.into(),
        report.booked_cost.into(),
        report.error.clone().into(),
        report.alert_at.into(),
        report.missing_since.into(),
        report.answer.clone().into(),
        report.due_at.into(),
        report.ended_at.into(),
        old_ended_at.map_or(0, |time| time.0).into(),
    ]
}

/// Stores the reports of attempts that did not change since the panel was called, and returns the ids of these attempts.
/// `index_changing_reports` holds the reports that change an indexed column: on SQLite a statement that sets a column writes
/// all of its indexes, even if the value stays the same.
pub async fn record_reports(
    db: &mut impl Source,
    index_changing_reports: &[StatusReport],
    other_reports: &[StatusReport],
    now: Time,
) -> DbResult<Vec<ExternalOrderId>> {
    let indexed_columns = "status = r.status, alert_at = r.alert_at, ended_at = r.ended_at, ";
    let mut recorded_ids = write_reports(db, index_changing_reports, indexed_columns, now).await?;
    recorded_ids.extend(write_reports(db, other_reports, "", now).await?);
    Ok(recorded_ids)
}

async fn write_reports(
    db: &mut impl Source,
    reports: &[StatusReport],
    indexed_columns: &'static str,
    now: Time,
) -> DbResult<Vec<ExternalOrderId>> {
    if reports.is_empty() {
        return Ok(Vec::new());
    }
    debug_assert!(reports.iter().all(is_allowed_transition), "{reports:?}");
    let sql = Sql::new("UPDATE external_panel_orders SET ").push(indexed_columns).push(
        "remains = r.remains, start_count = r.start_count, charge = r.charge,
           initial_charge = CASE WHEN external_panel_orders.initial_charge = 0 THEN r.charge ELSE external_panel_orders.initial_charge END,
           booked_cost = r.booked_cost, last_error = r.error, missing_since = r.missing_since,
           last_answer = COALESCE(r.answer, external_panel_orders.last_answer), due_at = r.due_at, updated_at = ? FROM ",
    );
    let sql = sql.bind(now).rows("r", &COLUMNS, reports.iter().map(row).collect()).push(
        " WHERE external_panel_orders.id = r.id AND external_panel_orders.status = r.old_status AND external_panel_orders.booked_cost = r.old_booked_cost
          AND COALESCE(external_panel_orders.ended_at, 0) = r.old_ended_at RETURNING external_panel_orders.id",
    );
    transition_all(db, sql).await
}

/// Whether the transition table allows the change that a report makes.
fn is_allowed_transition(report: &StatusReport) -> bool {
    let to_state = |status| match status {
        ExternalStatus::Completed => AttemptState::Completed,
        ExternalStatus::Partial => AttemptState::Partial,
        ExternalStatus::Canceled => AttemptState::Canceled,
        _ => AttemptState::Open,
    };
    next::<PlacementAttempts>(to_state(report.expected_state.0), report.event)
        == Some(to_state(report.status))
}

/// Stores the panel's responses to cancellation requests, with the panel's message if it refused.
pub async fn record_cancel_responses(
    db: &mut impl Source,
    responses: Vec<(ExternalOrderId, Option<String>)>,
    now: Time,
) -> DbResult<()> {
    if responses.is_empty() {
        return Ok(());
    }
    let rows = responses.into_iter().map(|(id, message)| vec![id.into(), message.into()]).collect();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET cancel_answered_at = ?, last_error = COALESCE(r.message, external_panel_orders.last_error), updated_at = ? FROM ",
    );
    let sql = sql.bind(now).bind(now).rows("r", &["id", "message"], rows);
    let sql = sql
        .push(" WHERE external_panel_orders.id = r.id")
        .append(CANCEL_STATES.condition_for(CancelEvent::Answer));
    db.execute(sql).await.map(drop)
}

/// Makes an attempt due for a poll, because a decision depends on its final delivered quantity.
pub async fn poll_now(db: &mut impl Source, id: ExternalOrderId, now: Time) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE id = ? AND due_at > ?");
    let sql = sql.bind(now).bind(id).bind(now);
    transition(db, sql.append(STATES.condition_in(&[AttemptState::Open]))).await
}

/// Resumes the polls of the last attempt that completed the order. They had ended because no change was expected.
/// `order_condition` is an SQL condition on the order `o` that begins with AND.
pub async fn resume_polling(
    db: &mut impl Source,
    order_id: OrderId,
    order_condition: Sql,
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(concat!(
        "UPDATE external_panel_orders SET due_at = ? WHERE due_at IS NULL AND id = (SELECT max(a.id) FROM external_panel_orders a
           JOIN orders o ON o.id = a.order_id WHERE a.order_id = ? AND ",
        attempt_is!(completed, "a"),
        " AND a.external_panel_id IS NOT NULL AND a.external_order_id IS NOT NULL"
    ));
    transition(db, sql.bind(now).bind(order_id).append(order_condition).push(")")).await
}
