//! What is judged of a service as a transaction leaves it: its providers and its price. It writes nothing, and a refusal
//! takes the write back.

use std::collections::BTreeSet;

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{NetworkId, ProviderId, ServiceId, ServiceTypeId};
use panel_contract::service_types::ServiceTypeKind;
use panel_kernel::error::Result;

use crate::catalogue::deliverable;
use crate::catalogue::services::draft::ServiceDraft;
use crate::catalogue::targets::checkers;
use crate::pricing::least_margin;
use crate::records::uses;
use panel_domain::least_margin::NewPrice;
use panel_platform::db::{Source as _, Sql};
use panel_platform::work::UnitOfWork;

/// Its providers deliver what it asks for, as it was written: those that are new to it, and all of them where what it asks for
/// or its type changed.
pub(super) async fn check_providers(
    work: &mut UnitOfWork,
    id: ServiceId,
    after: &ServiceDraft,
    before: &ServiceDraft,
) -> Result<()> {
    let asks_otherwise =
        after.targets != before.targets || after.panel_service_type != before.panel_service_type;
    let is_judged = |provider: &&ProviderId| asks_otherwise || !before.providers.contains(provider);
    let links: Vec<(ServiceId, ProviderId)> =
        after.providers.iter().filter(is_judged).map(|provider| (id, *provider)).collect();
    deliverable::check(work, "providers", &links).await
}

/// The promotable checker group must be there, and check addresses of what the service type is about: judged where one of
/// both changed.
pub(super) async fn check_group(
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
    let kinds: Option<(ServiceTypeKind, Option<ServiceTypeKind>)> =
        work.opt(sql.bind(after.service_type_id).bind(id)).await?;
    let field = if is_new { "promotable_checker_group_id" } else { "service_type_id" };
    match kinds {
        None => errors.add(field, format!("There is no promotable checker group {id}.")),
        Some((group, kind)) => {
            if let Some(message) = kind.and_then(|kind| checkers::misfit(group, kind)) {
                errors.add(field, message);
            }
        }
    }
    Ok(())
}

/// A service goes to a type of another network only where no special offer holds it in its own.
pub(super) async fn check_move(
    work: &mut UnitOfWork,
    id: ServiceId,
    (from, to): (ServiceTypeId, ServiceTypeId),
) -> Result<()> {
    let sql = Sql::new("SELECT network_id FROM service_types WHERE id IN ").ids(&[from, to]);
    let networks: BTreeSet<(NetworkId,)> = work.all(sql).await?.into_iter().collect();
    if networks.len() > 1 {
        uses::refuse_if_used(work, &uses::OF_SERVICE_IN_NETWORK, id).await?;
    }
    Ok(())
}

/// The price of a service as it was written; `field` is what changed it or its cost.
pub(super) async fn check_margin(
    work: &mut UnitOfWork,
    (id, field): (ServiceId, &str),
    draft: &ServiceDraft,
    is_confirmed: bool,
) -> Result<()> {
    let new = NewPrice::of_service(field.to_owned(), id, draft.default_price, draft.pricing_per);
    least_margin::check(work, &[new], is_confirmed).await?;
    Ok(())
}
