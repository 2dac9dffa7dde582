//! Which providers orders can go to, and what follows from it: whether a service has one, and so whether its orders
//! wait. Whoever changes providers, their links to services, or panels, calls [`follow`] in the same transaction.

use panel_contract::ids::{ExternalPanelId, OrderId, ProviderId, ServiceId};
use panel_kernel::error::Result;

use crate::stores::orders::dispatch;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::ending;
use panel_platform::db::{Source, Sql};
use panel_platform::work::Work;

/// Whether provider `p` is available, as SQL: active, not archived, and its panel neither.
macro_rules! available {
    () => {
        "(p.status = 'active' AND NOT p.is_archived AND NOT EXISTS (SELECT 1 FROM external_panels px
            WHERE px.id = p.external_panel_id AND (px.is_archived OR px.status = 'disabled')))"
    };
}
pub(crate) use available;

/// The same for statements that are put together.
pub const IS_AVAILABLE: &str = available!();

/// Locks services by id. Before providers are: the editor of a service locks in this order as well.
pub async fn lock(work: &mut Work, services: &[ServiceId]) -> Result<()> {
    if !services.is_empty() {
        work.lock("services", services).await?;
    }
    Ok(())
}

/// The services of a provider, by id.
pub async fn of_provider(db: &mut impl Source, provider: ProviderId) -> Result<Vec<ServiceId>> {
    let sql = Sql::new("SELECT service_id FROM service_providers WHERE provider_id = ? ORDER BY service_id");
    Ok(db.all::<(ServiceId,)>(sql.bind(provider)).await?.into_iter().map(|(id,)| id).collect())
}

/// The services that providers of an external panel deliver, by id.
pub async fn of_panel(db: &mut impl Source, panel: ExternalPanelId) -> Result<Vec<ServiceId>> {
    let sql = Sql::new(
        "SELECT DISTINCT m.service_id FROM service_providers m JOIN providers p ON p.id = m.provider_id
         WHERE p.external_panel_id = ? ORDER BY m.service_id",
    );
    Ok(db.all::<(ServiceId,)>(sql.bind(panel)).await?.into_iter().map(|(id,)| id).collect())
}

/// Whether these services have an available provider is written anew where it changed, and so is it with their orders
/// in processing. Orders that waited are looked at by the dispatcher at once, and so are those that were about to be sent
/// to a provider that takes none now.
pub async fn follow(work: &mut Work, services: &[ServiceId]) -> Result<()> {
    follow_services(work, services).await?;
    take_back(work).await
}

/// Ends what was not sent yet where nobody takes orders, whichever service it is of: staff may have moved an order to any
/// provider. Orders first, then attempts.
async fn take_back(work: &mut Work) -> Result<()> {
    let now = work.now;
    let orders = Sql::new(concat!(
        "SELECT id FROM orders WHERE status = 'in_processing' AND id IN (SELECT e.order_id FROM external_panel_orders e
           JOIN providers p ON p.id = e.provider_id WHERE e.due_at IS NOT NULL AND ",
        attempt_is!(unsent, "e"),
        " AND NOT ",
        available!(),
        ") ORDER BY id"
    ));
    let orders: Vec<(OrderId,)> = work.all(orders.for_update()).await?;
    if !orders.is_empty() {
        let ids: Vec<OrderId> = orders.into_iter().map(|(id,)| id).collect();
        dispatch::schedule_dispatch(work, &ids, now).await?;
    }
    let which = Sql::new(concat!(
        "due_at IS NOT NULL AND provider_id IN (SELECT p.id FROM providers p WHERE NOT ",
        available!(),
        ")"
    ));
    Ok(ending::withdraw_unsent(work, which, now).await?)
}

async fn follow_services(work: &mut Work, services: &[ServiceId]) -> Result<()> {
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
    work.exec(sql.bind(now).ids(services)).await?;
    Ok(dispatch::follow_services(work, services, now).await?)
}
