//! Placement attempts that an external panel has: leased for a poll, put off, and what the panel reported of them.

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

/// Leases the attempts that `due` selects as `id`, with their locks, until then; the caller adds what it reads of them.
pub fn lease_for_poll(due: Sql, until: Time) -> Sql {
    let sql = due.first();
    sql.push("UPDATE external_panel_orders SET due_at = ? WHERE id IN (SELECT id FROM due)").bind(until)
}

/// Puts off the next poll of each; none: it is not polled any more.
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

/// What is written of a report, and how its attempt was when the panel was asked.
#[derive(Debug, Clone)]
pub struct Report {
    /// The attempt.
    pub id: ExternalOrderId,
    /// What the report is for the attempt.
    pub event: AttemptEvent,
    /// Its state, what was booked of it and its end, when the panel was asked.
    pub before: (ExternalStatus, Money, Option<Time>),
    /// What is stored from then on.
    pub status: ExternalStatus,
    /// Units undelivered.
    pub remains: Option<i64>,
    /// The counter before delivery.
    pub start_count: Option<i64>,
    /// What the panel charges.
    pub charge: Money,
    /// The part of the charge that is booked with the order, in the panel's own currency.
    pub booked_cost: Money,
    /// What is wrong with it.
    pub error: Option<String>,
    /// Since when it waits for a person.
    pub alert_at: Option<Time>,
    /// Since when the panel does not know it.
    pub missing_since: Option<Time>,
    /// The panel's answer, where it says more than the one before.
    pub answer: Option<String>,
    /// When it is polled next.
    pub due_at: Option<Time>,
    /// When it ended.
    pub ended_at: Option<Time>,
}

/// The columns of a [`Report`], in the order of [`row`].
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

fn row(report: &Report) -> Vec<Val> {
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

/// Records reports of attempts that are as they were when the panel was asked; the ids of those. `moved` are those that change
/// their place in an index: a statement that names a column writes each of its indexes on SQLite, also where the value stays.
pub async fn record_reports(
    db: &mut impl Source,
    moved: &[Report],
    stay: &[Report],
    now: Time,
) -> DbResult<Vec<ExternalOrderId>> {
    let places = "status = r.status, alert_at = r.alert_at, ended_at = r.ended_at, ";
    let mut written = record(db, moved, places, now).await?;
    written.extend(record(db, stay, "", now).await?);
    Ok(written)
}

async fn record(
    db: &mut impl Source,
    reports: &[Report],
    places: &'static str,
    now: Time,
) -> DbResult<Vec<ExternalOrderId>> {
    if reports.is_empty() {
        return Ok(Vec::new());
    }
    debug_assert!(reports.iter().all(is_in_the_table), "{reports:?}");
    let sql = Sql::new("UPDATE external_panel_orders SET ").push(places).push(
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

/// Whether the transition table leads to what a report writes.
fn is_in_the_table(report: &Report) -> bool {
    let state = |status| match status {
        ExternalStatus::Completed => AttemptState::Completed,
        ExternalStatus::Partial => AttemptState::Partial,
        ExternalStatus::Canceled => AttemptState::Canceled,
        _ => AttemptState::Open,
    };
    next::<PlacementAttempts>(state(report.before.0), report.event) == Some(state(report.status))
}

/// The panel answered the requests to cancel these; with its words where it refused.
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

/// It is polled next: its final count decides about something.
pub async fn poll_now(db: &mut impl Source, id: ExternalOrderId, now: Time) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE id = ? AND due_at > ?");
    let sql = sql.bind(now).bind(id).bind(now);
    transition(db, sql.append(STATES.within(&[AttemptState::Open]))).await
}

/// Polls the last attempt that completed the order again, where `order` is a condition over the order `o` that begins with AND:
/// polling had ended because nothing was to be learned from it.
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
