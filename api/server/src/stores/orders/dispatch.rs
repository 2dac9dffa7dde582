//! Writes the queue of the dispatcher (`dispatch_at`), and the flag of orders that have no active provider
//! (`has_no_active_providers`). Both columns are set only for orders in processing.

use panel_contract::ids::{OrderId, ServiceId};
use panel_contract::moment::Time;
use panel_domain::states::orders::OrderState;
use panel_platform::db::state::transition_all;
use panel_platform::db::{DbResult, Sql, SqlExecutor};

use super::transitions::STATES;

/// Makes orders due for dispatch at `dispatch_at`. Call it in the transaction of the change that requires the dispatch.
pub async fn schedule_dispatch(
    db: &mut impl SqlExecutor,
    ids: &[OrderId],
    dispatch_at: Time,
) -> DbResult<()> {
    let sql = Sql::new("UPDATE orders SET dispatch_at = ? WHERE id IN ").bind(dispatch_at).ids(ids);
    db.execute(sql.append(STATES.condition_in(&[OrderState::InProcessing]))).await.map(drop)
}

/// Postpones the dispatch of an order to `retry_at`, because the dispatcher failed to decide on it.
pub async fn postpone_dispatch(db: &mut impl SqlExecutor, id: OrderId, retry_at: Time) -> DbResult<()> {
    let sql = Sql::new("UPDATE orders SET dispatch_at = ? WHERE id = ? AND dispatch_at < ?");
    db.execute(sql.bind(retry_at).bind(id).bind(retry_at)).await.map(drop)
}

/// Removes orders of any status from the queue, because the dispatcher decided on them.
pub async fn mark_dispatched(db: &mut impl SqlExecutor, ids: &[OrderId]) -> DbResult<()> {
    let sql = Sql::new("UPDATE orders SET dispatch_at = NULL WHERE dispatch_at IS NOT NULL AND id IN ");
    db.execute(sql.ids(ids)).await.map(drop)
}

/// Sets or clears the flag of orders that have no active provider. Returns the ids of the orders that changed.
/// [`update_orders_of_services`] updates the flag of all orders of a service.
pub async fn set_without_provider(
    db: &mut impl SqlExecutor,
    ids: &[OrderId],
    is_without_provider: bool,
) -> DbResult<Vec<OrderId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = Sql::new(
        "UPDATE orders SET has_no_active_providers = ? WHERE has_no_active_providers <> ? AND id IN ",
    );
    let sql = sql.bind(is_without_provider).bind(is_without_provider).ids(ids);
    transition_all(db, sql.append(STATES.condition_in(&[OrderState::InProcessing])).push(" RETURNING id"))
        .await
}

/// Clears the flag of orders to which staff assigned a provider, unless their service has no active provider.
pub async fn clear_without_provider(db: &mut impl SqlExecutor, ids: &[OrderId]) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE orders SET has_no_active_providers = FALSE WHERE has_no_active_providers
           AND (SELECT s.has_active_providers FROM services s WHERE s.id = orders.service_id) AND id IN ",
    );
    db.execute(sql.ids(ids).append(STATES.condition_in(&[OrderState::InProcessing]))).await.map(drop)
}

/// SQL condition: the flag of the order contradicts the flag of its service. The ids of the services follow after the text.
const OUTDATED_FLAG_CONDITION: &str =
    "has_no_active_providers = (SELECT s.has_active_providers FROM services s WHERE s.id = orders.service_id)
   AND service_id IN ";

/// Updates the flag of the orders in processing of these services. The orders are locked first, by id. Orders that waited
/// for a provider are dispatched at once.
pub async fn update_orders_of_services(
    db: &mut impl SqlExecutor,
    services: &[ServiceId],
    now: Time,
) -> DbResult<()> {
    let in_processing_condition = || STATES.condition_in(&[OrderState::InProcessing]);
    let outdated_sql = Sql::new("SELECT id FROM orders WHERE ").push(OUTDATED_FLAG_CONDITION).ids(services);
    let outdated_sql = outdated_sql.append(in_processing_condition()).push(" ORDER BY id").for_update();
    let lock_outdated_sql = Sql::new("SELECT count(*) FROM (").append(outdated_sql);
    db.fetch_one::<(i64,)>(lock_outdated_sql.push(") AS locked")).await?;
    let update_sql = Sql::new(
        "UPDATE orders SET has_no_active_providers = NOT has_no_active_providers,
           dispatch_at = CASE WHEN has_no_active_providers THEN CAST(? AS BIGINT) ELSE dispatch_at END WHERE ",
    );
    let update_sql = update_sql.bind(now).push(OUTDATED_FLAG_CONDITION).ids(services);
    db.execute(update_sql.append(in_processing_condition())).await.map(drop)
}
