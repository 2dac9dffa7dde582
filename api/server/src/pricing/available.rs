//! Which providers are available for orders, and from that, whether a service has one and its orders can be dispatched. Code
//! that changes providers, their links to services, or external panels calls [`update_availability`] in the same transaction.

use panel_contract::ids::{ExternalPanelId, OrderId, ProviderId, ServiceId};
use panel_kernel::error::Result;

use crate::stores::orders::dispatch;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::ending;
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

/// Whether provider `p` is available, as SQL: active, not archived, and its panel neither archived nor disabled.
macro_rules! available {
    () => {
        "(p.status = 'active' AND NOT p.is_archived AND NOT EXISTS (SELECT 1 FROM external_panels px
            WHERE px.id = p.external_panel_id AND (px.is_archived OR px.status = 'disabled')))"
    };
}
pub(crate) use available;

/// The condition of `available!` for statements that are composed at run time.
pub const IS_AVAILABLE: &str = available!();

/// Locks services in the order of their ids. A transaction locks services before providers, or two transactions could deadlock.
pub async fn lock_services(work: &mut UnitOfWork, services: &[ServiceId]) -> Result<()> {
    if !services.is_empty() {
        work.lock("services", services).await?;
    }
    Ok(())
}

/// The services that a provider delivers, sorted by id.
pub async fn services_of_provider(db: &mut impl Source, provider: ProviderId) -> Result<Vec<ServiceId>> {
    let sql = Sql::new("SELECT service_id FROM service_providers WHERE provider_id = ? ORDER BY service_id");
    Ok(db.fetch_all::<(ServiceId,)>(sql.bind(provider)).await?.into_iter().map(|(id,)| id).collect())
}

/// The services that have a provider at this external panel, sorted by id.
pub async fn services_of_panel(db: &mut impl Source, panel: ExternalPanelId) -> Result<Vec<ServiceId>> {
    let sql = Sql::new(
        "SELECT DISTINCT m.service_id FROM service_providers m JOIN providers p ON p.id = m.provider_id
         WHERE p.external_panel_id = ? ORDER BY m.service_id",
    );
    Ok(db.fetch_all::<(ServiceId,)>(sql.bind(panel)).await?.into_iter().map(|(id,)| id).collect())
}

/// Updates whether these services, and their orders in processing, have an available provider. Orders that waited for a
/// provider, and orders queued for a provider that is no longer available, are dispatched at once.
pub async fn update_availability(work: &mut UnitOfWork, services: &[ServiceId]) -> Result<()> {
    update_services(work, services).await?;
    withdraw_from_unavailable(work).await
}

/// Withdraws unsent attempts at unavailable providers, for all services, because staff may have moved an order to any provider.
/// Locks orders first, then attempts.
async fn withdraw_from_unavailable(work: &mut UnitOfWork) -> Result<()> {
    let now = work.now;
    let orders = Sql::new(concat!(
        "SELECT id FROM orders WHERE status = 'in_processing' AND id IN (SELECT e.order_id FROM external_panel_orders e
           JOIN providers p ON p.id = e.provider_id WHERE e.due_at IS NOT NULL AND ",
        attempt_is!(unsent, "e"),
        " AND NOT ",
        available!(),
        ") ORDER BY id"
    ));
    let orders: Vec<(OrderId,)> = work.fetch_all(orders.for_update()).await?;
    if !orders.is_empty() {
        let ids: Vec<OrderId> = orders.into_iter().map(|(id,)| id).collect();
        dispatch::schedule_dispatch(work, &ids, now).await?;
    }
    let at_unavailable_provider = Sql::new(concat!(
        "due_at IS NOT NULL AND provider_id IN (SELECT p.id FROM providers p WHERE NOT ",
        available!(),
        ")"
    ));
    Ok(ending::withdraw_unsent(work, at_unavailable_provider, now).await?)
}

async fn update_services(work: &mut UnitOfWork, services: &[ServiceId]) -> Result<()> {
    if services.is_empty() {
        return Ok(());
    }
    let now = work.now;
    let sql = Sql::new(concat!(
        "UPDATE services SET last_time_providers_are_available_at = CASE WHEN has_active_providers THEN CAST(? AS BIGINT) END,
           has_active_providers = NOT has_active_providers
         WHERE has_active_providers <> EXISTS (SELECT 1 FROM service_providers m JOIN providers p ON p.id = m.provider_id
           WHERE m.service_id = services.id AND ",
        available!(),
        ") AND id IN "
    ));
    work.execute(sql.bind(now).ids(services)).await?;
    Ok(dispatch::update_orders_of_services(work, services, now).await?)
}
