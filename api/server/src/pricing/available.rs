//! Decides which providers are available for orders, and stores for each service and each order whether it has an available
//! provider. Code that changes providers, their links to services, or external panels must call [`update_availability`] in the
//! same transaction.

use panel_contract::ids::{ExternalPanelId, OrderId, ProviderId, ServiceId};
use panel_kernel::error::Result;

use crate::stores::orders::dispatch;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::ending;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// SQL condition: provider `p` is active and not archived, and its external panel is neither archived nor disabled.
macro_rules! provider_is_available {
    () => {
        "(p.status = 'active' AND NOT p.is_archived AND NOT EXISTS (SELECT 1 FROM external_panels px
            WHERE px.id = p.external_panel_id AND (px.is_archived OR px.status = 'disabled')))"
    };
}
pub(crate) use provider_is_available;

/// The condition of `provider_is_available!` for statements that are composed at run time.
pub const IS_PROVIDER_AVAILABLE: &str = provider_is_available!();

/// Locks services in ascending order of their ids. Every transaction locks services before providers, because another order could
/// cause a deadlock.
pub async fn lock_services(work: &mut UnitOfWork, services: &[ServiceId]) -> Result<()> {
    if !services.is_empty() {
        work.lock("services", services).await?;
    }
    Ok(())
}

/// The services that a provider delivers, sorted by id.
pub async fn load_services_of_provider(
    db: &mut impl SqlExecutor,
    provider: ProviderId,
) -> Result<Vec<ServiceId>> {
    let sql = Sql::new("SELECT service_id FROM service_providers WHERE provider_id = ? ORDER BY service_id");
    Ok(db.fetch_all::<(ServiceId,)>(sql.bind(provider)).await?.into_iter().map(|(id,)| id).collect())
}

/// The services that have a provider at this external panel, sorted by id.
pub async fn load_services_of_panel(
    db: &mut impl SqlExecutor,
    panel: ExternalPanelId,
) -> Result<Vec<ServiceId>> {
    let sql = Sql::new(
        "SELECT DISTINCT m.service_id FROM service_providers m JOIN providers p ON p.id = m.provider_id
         WHERE p.external_panel_id = ? ORDER BY m.service_id",
    );
    Ok(db.fetch_all::<(ServiceId,)>(sql.bind(panel)).await?.into_iter().map(|(id,)| id).collect())
}

/// Updates whether these services, and their orders in processing, have an available provider. The worker then dispatches two
/// groups of orders immediately: orders that waited for a provider, and orders queued for a provider that became unavailable.
pub async fn update_availability(work: &mut UnitOfWork, services: &[ServiceId]) -> Result<()> {
    update_services_and_orders(work, services).await?;
    withdraw_from_unavailable_providers(work).await
}

/// Withdraws unsent placement attempts at unavailable providers, for the orders of all services, because staff can move an order to
/// any provider. Locks orders first, then attempts.
async fn withdraw_from_unavailable_providers(work: &mut UnitOfWork) -> Result<()> {
    let now = work.now;
    let affected_orders_sql = Sql::new(concat!(
        "SELECT id FROM orders WHERE status = 'in_processing' AND id IN (SELECT e.order_id FROM external_panel_orders e
           JOIN providers p ON p.id = e.provider_id WHERE e.due_at IS NOT NULL AND ",
        attempt_is!(unsent, "e"),
        " AND NOT ",
        provider_is_available!(),
        ") ORDER BY id"
    ));
    let orders: Vec<(OrderId,)> = work.fetch_all(affected_orders_sql.for_update()).await?;
    if !orders.is_empty() {
        let ids: Vec<OrderId> = orders.into_iter().map(|(id,)| id).collect();
        dispatch::schedule_dispatch(work, &ids, now).await?;
    }
    let at_unavailable_provider_sql = Sql::new(concat!(
        "due_at IS NOT NULL AND provider_id IN (SELECT p.id FROM providers p WHERE NOT ",
        provider_is_available!(),
        ")"
    ));
    Ok(ending::withdraw_unsent(work, at_unavailable_provider_sql, now).await?)
}

async fn update_services_and_orders(work: &mut UnitOfWork, services: &[ServiceId]) -> Result<()> {
    if services.is_empty() {
        return Ok(());
    }
    let now = work.now;
    let sql = Sql::new(concat!(
        "UPDATE services SET last_time_providers_are_available_at = CASE WHEN has_active_providers THEN CAST(? AS BIGINT) END,
           has_active_providers = NOT has_active_providers
         WHERE has_active_providers <> EXISTS (SELECT 1 FROM service_providers m JOIN providers p ON p.id = m.provider_id
           WHERE m.service_id = services.id AND ",
        provider_is_available!(),
        ") AND id IN "
    ));
    work.execute(sql.bind(now).ids(services)).await?;
    Ok(dispatch::update_orders_of_services(work, services, now).await?)
}
