//! Statements for placement attempts for which it is unknown whether the external panel accepted the order. A worker searches for
//! the order at the panel, a limited number of times.

use panel_contract::ids::ExternalOrderId;
use panel_contract::moment::Time;
use panel_domain::states::placement_attempts::state::AttemptEvent;
use panel_platform::db::state::{Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor};

use super::conditions::{STATES, attempt_is};

/// One search for the order of an attempt at its external panel.
#[derive(Debug, Clone, Copy)]
pub struct ReconcileTry {
    pub id: ExternalOrderId,
    /// Number of tries, including this one.
    pub tries: i64,
    /// When a worker tries again; `None` after the last try.
    pub next_try_at: Option<Time>,
}

/// Records tries before the requests to the panel are sent, so that a try counts even if the process crashes. The caller has locked
/// the rows.
pub async fn record_reconcile_tries(
    db: &mut impl SqlExecutor,
    tries: &[ReconcileTry],
    now: Time,
) -> DbResult<()> {
    if tries.is_empty() {
        return Ok(());
    }
    let rows = tries.iter().map(|reconcile_try| {
        vec![reconcile_try.id.into(), reconcile_try.tries.into(), reconcile_try.next_try_at.into()]
    });
    let sql = Sql::new(
        "UPDATE external_panel_orders SET tries = r.tries, due_at = r.next_try_at, alert_at = COALESCE(external_panel_orders.alert_at, ?),
           last_error = COALESCE(external_panel_orders.last_error, 'It is unknown whether the panel accepted the order.') FROM ",
    );
    let sql = sql.bind(now).rows("r", &["id", "tries", "next_try_at"], rows.collect());
    let sql = sql.push(" WHERE external_panel_orders.id = r.id");
    // The events Reconcile and ReconcileLastTime start from the same states.
    db.execute(sql.append(STATES.condition_for(AttemptEvent::Reconcile))).await.map(drop)
}

/// Postpones the next try to `retry_at` and restores the number of tries, because no request was sent to the panel.
pub async fn postpone_reconcile(
    db: &mut impl SqlExecutor,
    id: ExternalOrderId,
    tries: i64,
    retry_at: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ?, tries = ? WHERE id = ?");
    let sql = sql.bind(retry_at).bind(tries).bind(id);
    transition(db, sql.append(STATES.condition_for(AttemptEvent::SkipReconciliation))).await
}

/// Makes an attempt due for reconciliation at once. Used after a quarantine, which leases an attempt for longer than usual.
pub async fn reconcile_now(
    db: &mut impl SqlExecutor,
    id: ExternalOrderId,
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE id = ? AND due_at > ? AND ");
    let sql = sql.bind(now).bind(id).bind(now);
    transition(db, sql.push(attempt_is!(unconfirmed, "external_panel_orders"))).await
}
