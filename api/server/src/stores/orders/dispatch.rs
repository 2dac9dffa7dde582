//! The dispatcher's queue (`dispatch_at`), and the flag of orders in processing that no provider delivers
//! (`has_no_active_providers`). Both are written only for orders in processing.

use panel_contract::ids::{OrderId, ServiceId};
use panel_contract::moment::Time;
use panel_domain::states::orders::OrderState;
use panel_platform::db::state::transition_all;
use panel_platform::db::{DbResult, Source, Sql};

use super::moves::STATES;

/// Makes orders due for dispatch at `at`, in the transaction that gives the reason for it.
pub async fn schedule_dispatch(db: &mut impl Source, ids: &[OrderId], at: Time) -> DbResult<()> {
    let sql = Sql::new("UPDATE orders SET dispatch_at = ? WHERE id IN ").bind(at).ids(ids);
    db.exec(sql.append(STATES.within(&[OrderState::InProcessing]))).await.map(drop)
}

/// The dispatcher failed to decide on a due order: it tries again at `until`.
pub async fn postpone_dispatch(db: &mut impl Source, id: OrderId, until: Time) -> DbResult<()> {
    let sql = Sql::new("UPDATE orders SET dispatch_at = ? WHERE id = ? AND dispatch_at < ?");
    db.exec(sql.bind(until).bind(id).bind(until)).await.map(drop)
}

/// Removes orders from the queue, whatever their state: the dispatcher decided on them.
pub async fn mark_dispatched(db: &mut impl Source, ids: &[OrderId]) -> DbResult<()> {
    let sql = Sql::new("UPDATE orders SET dispatch_at = NULL WHERE dispatch_at IS NOT NULL AND id IN ");
    db.exec(sql.ids(ids)).await.map(drop)
}

/// Sets or clears the flag of orders without active providers. Returns the orders that changed. [`update_orders_of_services`]
/// handles services without any provider.
pub async fn set_without_provider(
    db: &mut impl Source,
    ids: &[OrderId],
    is_without: bool,
) -> DbResult<Vec<OrderId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = Sql::new(
        "UPDATE orders SET has_no_active_providers = ? WHERE has_no_active_providers <> ? AND id IN ",
    );
    let sql = sql.bind(is_without).bind(is_without).ids(ids);
    transition_all(db, sql.append(STATES.within(&[OrderState::InProcessing])).push(" RETURNING id")).await
}

/// Staff gave these orders a provider: clears the flag, unless their service has no active provider.
pub async fn clear_without_provider(db: &mut impl Source, ids: &[OrderId]) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE orders SET has_no_active_providers = FALSE WHERE has_no_active_providers
           AND (SELECT s.has_active_providers FROM services s WHERE s.id = orders.service_id) AND id IN ",
    );
    db.exec(sql.ids(ids).append(STATES.within(&[OrderState::InProcessing]))).await.map(drop)
}

/// Orders of these services whose flag disagrees with that of the service.
const FLAG_DISAGREES: &str =
    "has_no_active_providers = (SELECT s.has_active_providers FROM services s WHERE s.id = orders.service_id)
   AND service_id IN ";

/// Brings the flag of these services' orders in processing up to date. The orders are locked first, by id. Those that waited
/// for a provider are dispatched at once.
pub async fn update_orders_of_services(
    db: &mut impl Source,
    services: &[ServiceId],
    now: Time,
) -> DbResult<()> {
    let in_processing = || STATES.within(&[OrderState::InProcessing]);
    let waiting = Sql::new("SELECT id FROM orders WHERE ").push(FLAG_DISAGREES).ids(services);
    let waiting = waiting.append(in_processing()).push(" ORDER BY id").for_update();
    let locked = Sql::new("SELECT count(*) FROM (").append(waiting);
    db.one::<(i64,)>(locked.push(") AS locked")).await?;
    let orders = Sql::new(
        "UPDATE orders SET has_no_active_providers = NOT has_no_active_providers,
           dispatch_at = CASE WHEN has_no_active_providers THEN CAST(? AS BIGINT) ELSE dispatch_at END WHERE ",
    );
    let orders = orders.bind(now).push(FLAG_DISAGREES).ids(services);
    db.exec(orders.append(in_processing())).await.map(drop)
}
