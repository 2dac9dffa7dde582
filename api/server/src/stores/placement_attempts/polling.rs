//! Statements for placement attempts that an external panel has accepted: they lease attempts for a poll, postpone polls, and store
//! the status reports of the panel.

use panel_contract::amount::Money;
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_domain::state_machine::next_state;
use panel_domain::states::placement_attempts::cancel::CancelEvent;
use panel_domain::states::placement_attempts::state::{AttemptEvent, AttemptState, PlacementAttempts};
use panel_platform::db::state::{Transition, transition, transition_all};
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};

use super::conditions::{CANCEL_STATES, STATES, attempt_is};

/// Returns the statement that leases attempts until `lease_until`. `select_due_sql` selects their `id` and locks them. The caller
/// appends a RETURNING clause.
pub fn lease_for_poll_sql(select_due_sql: Sql, lease_until: Time) -> Sql {
    let sql = select_due_sql.into_materialized_cte();
    sql.push("UPDATE external_panel_orders SET due_at = ? WHERE id IN (SELECT id FROM due)").bind(lease_until)
}

/// Postpones the next poll of each attempt; `None` ends its polling.
pub async fn postpone_polls(
    db: &mut impl SqlExecutor,
    next_polls: &[(ExternalOrderId, Option<Time>)],
) -> DbResult<()> {
    if next_polls.is_empty() {
        return Ok(());
    }
    let rows = next_polls.iter().map(|(id, due_at)| vec![(*id).into(), (*due_at).into()]).collect();
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = r.due_at FROM ").rows(
        "r",
        &["id", "due_at"],
        rows,
    );
    let sql = sql.push(" WHERE external_panel_orders.id = r.id AND external_panel_orders.due_at IS NOT NULL");
    db.execute(sql).await.map(drop)
}

/// The values that a status report sets, and the state that the attempt had before the server requested the report.
#[derive(Debug, Clone)]
pub struct StatusReport {
    pub id: ExternalOrderId,
    /// The event that the report causes.
    pub event: AttemptEvent,
    /// Status, booked cost and end time of the attempt before the request. The report is stored only if they did not change since.
    pub expected_state: (ExternalStatus, Money, Option<Time>),
    pub status: ExternalStatus,
    /// Number of undelivered units.
    pub remains: Option<i64>,
    /// The count at the order's URL before the delivery.
    pub start_count: Option<i64>,
    /// The amount that the panel charges, in the panel's currency.
    pub charge: Money,
    /// The part of the charge that is booked as the cost of the order, in the currency of this server.
    pub booked_cost: Money,
    /// The error message for staff.
    pub error: Option<String>,
    /// When staff were alerted; `None` if no staff member needs to act.
    pub alert_at: Option<Time>,
    /// When the panel first reported that it does not know the order; `None` if it knows the order.
    pub missing_since: Option<Time>,
    /// The panel's response; `None` if the stored response contains at least the same information.
    pub response: Option<String>,
    /// When a worker polls the attempt next.
    pub due_at: Option<Time>,
    pub ended_at: Option<Time>,
}

/// The columns of a [`StatusReport`], in the order of [`report_row`].
const REPORT_COLUMNS: [&str; 15] = [
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
    "response",
    "due_at",
    "ended_at",
    "old_ended_at",
];

fn report_row(report: &StatusReport) -> Vec<Val> {
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
        report.response.clone().into(),
        report.due_at.into(),
        report.ended_at.into(),
        old_ended_at.map_or(0, |time| time.0).into(),
    ]
}

/// Stores the reports of attempts that did not change since the request, and returns the ids of these attempts.
/// `index_changing_reports` holds the reports that change an indexed column. They are stored by a separate statement, because a
/// statement that sets a column on SQLite writes all indexes of the column, even if the value stays the same.
pub async fn record_reports(
    db: &mut impl SqlExecutor,
    index_changing_reports: &[StatusReport],
    other_reports: &[StatusReport],
    now: Time,
) -> DbResult<Vec<ExternalOrderId>> {
    let indexed_assignments = "status = r.status, alert_at = r.alert_at, ended_at = r.ended_at, ";
    let mut recorded_ids = write_reports(db, index_changing_reports, indexed_assignments, now).await?;
    recorded_ids.extend(write_reports(db, other_reports, "", now).await?);
    Ok(recorded_ids)
}

async fn write_reports(
    db: &mut impl SqlExecutor,
    reports: &[StatusReport],
    indexed_assignments: &'static str,
    now: Time,
) -> DbResult<Vec<ExternalOrderId>> {
    if reports.is_empty() {
        return Ok(Vec::new());
    }
    debug_assert!(reports.iter().all(is_allowed_transition), "{reports:?}");
    let sql = Sql::new("UPDATE external_panel_orders SET ").push(indexed_assignments).push(
        "remains = r.remains, start_count = r.start_count, charge = r.charge,
           initial_charge = CASE WHEN external_panel_orders.initial_charge = 0 THEN r.charge ELSE external_panel_orders.initial_charge END,
           booked_cost = r.booked_cost, last_error = r.error, missing_since = r.missing_since,
           last_response = COALESCE(r.response, external_panel_orders.last_response), due_at = r.due_at, updated_at = ? FROM ",
    );
    let sql = sql.bind(now).rows("r", &REPORT_COLUMNS, reports.iter().map(report_row).collect()).push(
        " WHERE external_panel_orders.id = r.id AND external_panel_orders.status = r.old_status AND external_panel_orders.booked_cost = r.old_booked_cost
          AND COALESCE(external_panel_orders.ended_at, 0) = r.old_ended_at RETURNING external_panel_orders.id",
    );
    transition_all(db, sql).await
}

/// Whether the state machine allows the status change of a report.
fn is_allowed_transition(report: &StatusReport) -> bool {
    let to_state = |status| match status {
        ExternalStatus::Completed => AttemptState::Completed,
        ExternalStatus::Partial => AttemptState::Partial,
        ExternalStatus::Canceled => AttemptState::Canceled,
        _ => AttemptState::Open,
    };
    next_state::<PlacementAttempts>(to_state(report.expected_state.0), report.event)
        == Some(to_state(report.status))
}

/// Stores the panel's responses to cancellation requests, with the panel's message if it rejected the request.
pub async fn record_cancel_responses(
    db: &mut impl SqlExecutor,
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

/// Makes an attempt due for a poll at once, because a decision depends on its final delivered quantity.
pub async fn poll_now(db: &mut impl SqlExecutor, id: ExternalOrderId, now: Time) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE id = ? AND due_at > ?");
    let sql = sql.bind(now).bind(id).bind(now);
    transition(db, sql.append(STATES.condition_in(&[AttemptState::Open]))).await
}

/// Resumes polling of the last completed attempt of an order, which had ended because no change was expected. `order_condition` is
/// an SQL condition on the order `o` that begins with AND.
pub async fn resume_polling(
    db: &mut impl SqlExecutor,
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
