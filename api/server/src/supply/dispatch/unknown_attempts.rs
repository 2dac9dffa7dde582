//! Notifies staff of placement attempts whose outcome remains unknown. This module does not change an attempt.

use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::stores::placement_attempts::conditions::attempt_is;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::scope::Scope;

/// Notifies staff of those attempts whose outcome is still unknown while their order waits. The caller does this once per attempt.
pub(super) async fn notify_staff(app: &App, attempts: &[ExternalOrderId]) -> Result<()> {
    if attempts.is_empty() {
        return Ok(());
    }
    let mut work = Scope::system(app, "reconcile").begin().await?;
    let sql = Sql::new(concat!(
        "SELECT e.id, e.order_id, e.unknown_message FROM external_panel_orders e JOIN orders o ON o.id = e.order_id
         WHERE ",
        attempt_is!(unconfirmed, "e"),
        " AND o.status = 'in_processing' AND e.id IN ",
    ));
    let unknown_attempts: Vec<(ExternalOrderId, OrderId, Option<String>)> =
        work.fetch_all(sql.ids(attempts).push(" ORDER BY e.id")).await?;
    let changes = unknown_attempts.into_iter().map(|(id, order, message)| {
        let new = json!({ "external_panel_order_id": id, "unknown_message": message });
        AuditChange { id: order.as_record_id(), old: json!({}), new }
    });
    audit::record_all(&mut work, "order.attempt_unknown", "order", changes.collect()).await?;
    work.finish(()).await
}
