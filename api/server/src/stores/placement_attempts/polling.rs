//! Placement attempts that an external panel has accepted: leased for a poll, postponed, and updated by the panel's status reports.

use panel_contract::amount::Money;
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_domain::state_machine::next;
use panel_domain::states::placement_attempts::cancel::CancelEvent;
use panel_domain::states::placement_attempts::state::{AttemptEvent, AttemptState, PlacementAttempts};
use panel_platform::db::state::{Transition, transition, transition_all};
use panel_platform::db::{DbResult, Source, Sql, Val};

use super::conditions::{CANCELS, STATES, attempt_is};

/// Leases the attempts that `due` selects as `id` and locks, until `until`. The caller appends a RETURNING.
pub fn lease_for_poll(due: Sql, until: Time) -> Sql {
    let sql = due.first();
    sql.push("UPDATE external_panel_orders SET due_at = ? WHERE id IN (SELECT id FROM due)").bind(until)
}

/// Postpones the next poll of each attempt; `None` ends its polling.
pub async fn postpone_polls(db: &mut impl Source, polls: &[(ExternalOrderId, Option<Time>)]) -> DbResult<()> {
    if polls.is_empty() {
        return Ok(());
    }
    let rows = polls.iter().map(|(id, due)| vec![(*id).into(), (*due).into()]).collect();
    let sql =
        Sql::new("UPDATE external_panel_orders SET due_at = r.due FROM ").rows("r", &["id", "due"], rows);
    let sql = sql.push(" WHERE external_panel_orders.id = r.id AND external_panel_orders.due_at IS NOT NULL");
    db.exec(sql).await.map(drop)
}

/// What a status report changes in an attempt, and the attempt's state when the panel was called.
#[derive(Debug, Clone)]
pub struct StatusReport {
    pub id: ExternalOrderId,
    /// The event that the report means for the attempt.
    pub event: AttemptEvent,
    /// Its status, booked cost and end when the panel was called. The write is conditional on them.
    pub before: (ExternalStatus, Money, Option<Time>),
    /// The new status.
    pub status: ExternalStatus,
    /// Undelivered units.
    pub remains: Option<i64>,
    /// The count before the delivery.
    pub start_count: Option<i64>,
    /// What the panel charges, in its currency.
    pub charge: Money,
    /// The part of the charge that is booked with the order, in the panel's own currency.
    pub booked_cost: Money,
    /// The problem that staff see.
    pub error: Option<String>,
    /// Since when it waits for a staff member.
    pub alert_at: Option<Time>,
    /// Since when the panel does not find it.
    pub missing_since: Option<Time>,
    /// The panel's answer, if it has more information than the one before.
    pub answer: Option<String>,
    pub due_at: Option<Time>,
    pub ended_at: Option<Time>,
}

/// The columns of a [`StatusReport`], in the order of [`row`].
const COLUMNS: [&str; 15] = [
    "id",
    "was",
    "booked_was",
    "status",
    "remains",
    "start_count",
    "charge",
    "booked",
    "error",
    "alert_at",
    "missing_since",
    "answer",
    "due",
    "ended_at",
    "ended_was",
];

fn row(report: &StatusReport) -> Vec<Val> {
    let (was, booked_was, ended_was) = report.before;
    vec![
        report.id.into(),
        was.as_str().into(),
        booked_was.into(),
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
        ended_was.map_or(0, |ended| ended.0).into(),
    ]
}

/// Records reports of attempts that did not change since the panel was called, and returns their ids. `reindexed` are the
/// reports that change an indexed column: on SQLite a statement that names a column writes all of its indexes, even if the
/// value stays the same.
pub async fn record_reports(
    db: &mut impl Source,
    reindexed: &[StatusReport],
    others: &[StatusReport],
    now: Time,
) -> DbResult<Vec<ExternalOrderId>> {
    let indexed = "status = r.status, alert_at = r.alert_at, ended_at = r.ended_at, ";
    let mut recorded = record(db, reindexed, indexed, now).await?;
    recorded.extend(record(db, others, "", now).await?);
    Ok(recorded)
}

async fn record(
    db: &mut impl Source,
    reports: &[StatusReport],
    indexed: &'static str,
    now: Time,
) -> DbResult<Vec<ExternalOrderId>> {
    if reports.is_empty() {
        return Ok(Vec::new());
    }
    debug_assert!(reports.iter().all(is_allowed_transition), "{reports:?}");
    let sql = Sql::new("UPDATE external_panel_orders SET ").push(indexed).push(
        "remains = r.remains, start_count = r.start_count, charge = r.charge,
           initial_charge = CASE WHEN external_panel_orders.initial_charge = 0 THEN r.charge ELSE external_panel_orders.initial_charge END,
           booked_cost = r.booked, last_error = r.error, missing_since = r.missing_since,
           last_answer = COALESCE(r.answer, external_panel_orders.last_answer), due_at = r.due, updated_at = ? FROM ",
    );
    let sql = sql.bind(now).rows("r", &COLUMNS, reports.iter().map(row).collect()).push(
        " WHERE external_panel_orders.id = r.id AND external_panel_orders.status = r.was AND external_panel_orders.booked_cost = r.booked_was
          AND COALESCE(external_panel_orders.ended_at, 0) = r.ended_was RETURNING external_panel_orders.id",
    );
    transition_all(db, sql).await
}

/// Whether the transition table allows the change that a report makes.
fn is_allowed_transition(report: &StatusReport) -> bool {
    let state = |status| match status {
        ExternalStatus::Completed => AttemptState::Completed,
        ExternalStatus::Partial => AttemptState::Partial,
        ExternalStatus::Canceled => AttemptState::Canceled,
        _ => AttemptState::Open,
    };
    next::<PlacementAttempts>(state(report.before.0), report.event) == Some(state(report.status))
}

/// Records the panel's answers to requests to cancel; with its message if it refused.
pub async fn record_cancel_answers(
    db: &mut impl Source,
    answers: Vec<(ExternalOrderId, Option<String>)>,
    now: Time,
) -> DbResult<()> {
    if answers.is_empty() {
        return Ok(());
    }
    let rows = answers.into_iter().map(|(id, words)| vec![id.into(), words.into()]).collect();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET cancel_answered_at = ?, last_error = COALESCE(r.words, external_panel_orders.last_error), updated_at = ? FROM ",
    );
    let sql = sql.bind(now).bind(now).rows("r", &["id", "words"], rows);
    let sql = sql.push(" WHERE external_panel_orders.id = r.id").append(CANCELS.leaving(CancelEvent::Answer));
    db.exec(sql).await.map(drop)
}

/// Makes an attempt due for a poll, because a decision depends on its final count.
pub async fn poll_now(db: &mut impl Source, id: ExternalOrderId, now: Time) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE id = ? AND due_at > ?");
    let sql = sql.bind(now).bind(id).bind(now);
    transition(db, sql.append(STATES.within(&[AttemptState::Open]))).await
}

/// Resumes polling of the last attempt that completed the order; it had ended because no change was expected. `order` is a
/// condition on the order `o` that begins with AND.
pub async fn resume_polling(
    db: &mut impl Source,
    order_id: OrderId,
    order: Sql,
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(concat!(
        "UPDATE external_panel_orders SET due_at = ? WHERE due_at IS NULL AND id = (SELECT max(a.id) FROM external_panel_orders a
           JOIN orders o ON o.id = a.order_id WHERE a.order_id = ? AND ",
        attempt_is!(completed, "a"),
        " AND a.external_panel_id IS NOT NULL AND a.external_order_id IS NOT NULL"
    ));
    transition(db, sql.bind(now).bind(order_id).append(order).push(")")).await
}
