//! Placement attempts of which it is unknown whether the external panel has them. A worker looks for them there, a limited
//! number of times.

use panel_contract::ids::ExternalOrderId;
use panel_contract::moment::Time;
use panel_domain::states::placement_attempts::state::AttemptEvent;
use panel_platform::db::state::{Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};

use super::conditions::{STATES, attempt_is};

/// One try to find an attempt at its external panel.
#[derive(Debug, Clone, Copy)]
pub struct ReconcileTry {
    pub id: ExternalOrderId,
    /// Number of tries, including this one.
    pub tries: i64,
    /// When a worker tries again; `None` after the last try.
    pub next: Option<Time>,
}

/// Records tries before the panel is called, so that a try counts even if the worker dies. The caller has locked the rows.
pub async fn record_reconcile_tries(db: &mut impl Source, looks: &[ReconcileTry], now: Time) -> DbResult<()> {
    if looks.is_empty() {
        return Ok(());
    }
    let rows = looks.iter().map(|look| vec![look.id.into(), look.tries.into(), look.next.into()]);
    let sql = Sql::new(
        "UPDATE external_panel_orders SET tries = r.tries, due_at = r.due, alert_at = COALESCE(external_panel_orders.alert_at, ?),
           last_error = COALESCE(external_panel_orders.last_error, 'It is unknown whether the panel accepted the order.') FROM ",
    );
    let sql = sql.bind(now).rows("r", &["id", "tries", "due"], rows.collect());
    let sql = sql.push(" WHERE external_panel_orders.id = r.id");
    // Look and LookLastTime leave the same states.
    db.exec(sql.append(STATES.leaving(AttemptEvent::Look))).await.map(drop)
}

/// The panel was not called: a worker tries at `until`, and `tries` is restored.
pub async fn postpone_reconcile(
    db: &mut impl Source,
    id: ExternalOrderId,
    tries: i64,
    until: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ?, tries = ? WHERE id = ?");
    let sql = sql.bind(until).bind(tries).bind(id);
    transition(db, sql.append(STATES.leaving(AttemptEvent::SkipLook))).await
}

/// Makes an attempt due at once that a quarantine had leased for longer than usual.
pub async fn reconcile_now(db: &mut impl Source, id: ExternalOrderId, now: Time) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE id = ? AND due_at > ? AND ");
    let sql = sql.bind(now).bind(id).bind(now);
    transition(db, sql.push(attempt_is!(unconfirmed, "external_panel_orders"))).await
}
