//! Checks a service against other records. The checks of its providers and its price run after the write, in the same transaction,
//! so that an error rolls the write back. This module never writes.

use std::collections::BTreeSet;

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{NetworkId, ProviderId, ServiceId, ServiceTypeId};
use panel_contract::service_types::ServiceTypeKind;
use panel_kernel::error::Result;

use crate::catalogue::delivery_checks;
use crate::catalogue::services::draft::ServiceDraft;
use crate::catalogue::targets::checkers;
use crate::pricing::minimum_margin;
use crate::records::references;
use panel_domain::minimum_margin::NewPrice;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::work::UnitOfWork;

/// Checks, after the write, that the providers can deliver orders with the inputs that the service asks for. If its targets or its
/// reseller API type changed, all providers are checked, otherwise only the added ones.
pub(super) async fn check_providers(
    work: &mut UnitOfWork,
    id: ServiceId,
    after: &ServiceDraft,
    before: &ServiceDraft,
) -> Result<()> {
    let inputs_changed =
        after.targets != before.targets || after.panel_service_type != before.panel_service_type;
    let needs_check = |provider: &&ProviderId| inputs_changed || !before.providers.contains(provider);
    let links: Vec<(ServiceId, ProviderId)> =
        after.providers.iter().filter(needs_check).map(|provider| (id, *provider)).collect();
    delivery_checks::check_provider_links(work, "providers", &links).await
}

/// Checks that the promotable checker group exists and that its URL patterns are for the platform of the service type. Runs only if
/// the group or the service type changed.
pub(super) async fn check_checker_group(
    work: &mut UnitOfWork,
    errors: &mut FieldErrors,
    after: &ServiceDraft,
    before: &ServiceDraft,
) -> Result<()> {
    let Some(id) = after.promotable_checker_group_id else { return Ok(()) };
    let is_new = before.promotable_checker_group_id != Some(id);
    if !is_new && after.service_type_id == before.service_type_id {
        return Ok(());
    }
    let sql = Sql::new(
        "SELECT g.service_type_type, (SELECT t.type FROM service_types t WHERE t.id = ?)
         FROM promotable_checker_groups g WHERE g.id = ?",
    );
    let platforms: Option<(ServiceTypeKind, Option<ServiceTypeKind>)> =
        work.fetch_optional(sql.bind(after.service_type_id).bind(id)).await?;
    let field = if is_new { "promotable_checker_group_id" } else { "service_type_id" };
    match platforms {
        None => errors.add(field, format!("There is no promotable checker group {id}.")),
        Some((group_platform, type_platform)) => {
            if let Some(message) =
                type_platform.and_then(|platform| checkers::platform_mismatch(group_platform, platform))
            {
                errors.add(field, message);
            }
        }
    }
    Ok(())
}

/// Rejects a move to a service type of another network while a special offer uses the service, because the services of an offer
/// belong to one network.
pub(super) async fn check_network_change(
    work: &mut UnitOfWork,
    id: ServiceId,
    (old_type, new_type): (ServiceTypeId, ServiceTypeId),
) -> Result<()> {
    let sql = Sql::new("SELECT network_id FROM service_types WHERE id IN ").ids(&[old_type, new_type]);
    let networks: BTreeSet<(NetworkId,)> = work.fetch_all(sql).await?.into_iter().collect();
    if networks.len() > 1 {
        references::reject_if_used(work, &references::BOUND_TO_NETWORK_OF_SERVICE, id).await?;
    }
    Ok(())
}

/// Checks, after the write, that the price is not below the lowest allowed price. `field` is the input
/// field that gets the error; `low_margin_is_confirmed` is whether the caller confirmed a price below it.
pub(super) async fn check_price(
    work: &mut UnitOfWork,
    (id, field): (ServiceId, &str),
    draft: &ServiceDraft,
    low_margin_is_confirmed: bool,
) -> Result<()> {
    let new_price = NewPrice::of_service(field.to_owned(), id, draft.default_price, draft.pricing_per);
    minimum_margin::check_prices(work, &[new_price], low_margin_is_confirmed).await?;
    Ok(())
}
