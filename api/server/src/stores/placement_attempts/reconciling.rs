//! Placement attempts of which it is unknown whether the external panel has them: a worker looks for them, a few times.

use panel_contract::ids::ExternalOrderId;
use panel_contract::moment::Time;
use panel_domain::states::placement_attempts::state::AttemptEvent;
use panel_platform::db::state::{Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};

use super::conditions::{STATES, attempt_is};

/// A look at the external panel.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The attempt.
    pub id: ExternalOrderId,
    /// Looks so far, with this one.
    pub tries: i64,
    /// When a worker looks again; none after the last look.
    pub next: Option<Time>,
}

/// Records looks before they are made: a worker that dies meanwhile has looked. The rows are locked.
pub async fn record_looks(db: &mut impl Source, looks: &[Look], now: Time) -> DbResult<()> {
    if looks.is_empty() {
        return Ok(());
    }
    let rows = looks.iter().map(|look| vec![look.id.into(), look.tries.into(), look.next.into()]);
    let sql = Sql::new(
        "UPDATE external_panel_orders SET tries = r.tries, due_at = r.due, alert_at = COALESCE(external_panel_orders.alert_at, ?),
           last_error = COALESCE(external_panel_orders.last_error, 'Whether the panel took it is not known.') FROM ",
    );
    let sql = sql.bind(now).rows("r", &["id", "tries", "due"], rows.collect());
    let sql = sql.push(" WHERE external_panel_orders.id = r.id");
    // Look and LookLastTime leave the same states.
    db.exec(sql.append(STATES.leaving(AttemptEvent::Look))).await.map(drop)
}

/// The panel was not called: a worker looks then, with as many tries as before.
pub async fn postpone_look(
    db: &mut impl Source,
    id: ExternalOrderId,
    tries: i64,
    until: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ?, tries = ? WHERE id = ?");
    let sql = sql.bind(until).bind(tries).bind(id);
    transition(db, sql.append(STATES.leaving(AttemptEvent::SkipLook))).await
}

/// A worker looks for it at once, which was claimed for longer than others.
pub async fn look_now(db: &mut impl Source, id: ExternalOrderId, now: Time) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE id = ? AND due_at > ? AND ");
    let sql = sql.bind(now).bind(id).bind(now);
    transition(db, sql.push(attempt_is!(unconfirmed, "external_panel_orders"))).await
}
