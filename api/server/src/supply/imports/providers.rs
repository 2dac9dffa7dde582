//! Imports services of an external panel as providers only, without creating services. Each provider is linked to one service of
//! the external panel.

use std::collections::BTreeMap;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoints::external_services::ImportProviders;
use panel_contract::external_services::{ImportOutcome, ImportedItem};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ExternalPanelId, ImportableServiceId, ProviderId};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::panel_pricing;
use super::stored_catalogue::{self, StoredPanelService};
use crate::context::Ctx;
use crate::http::Req;
use crate::records::changes::{self, RecordChange};
use panel_domain::imports::{self, NotSellableError};
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Maximum number of imported items in a response.
const MAX_ITEMS: usize = 1_000;

// Routes

/// `POST external-panels/import-providers`.
pub async fn import(ctx: Ctx, req: Req<ImportProviders>) -> Result<Data<ImportOutcome>> {
    let ids = &req.body.importable_services_ids;
    let panel = req.body.external_panel_id;
    let field = "importable_services_ids";
    let mut errors = FieldErrors::default();
    imports::check_ids(&mut errors, field, "", ids, imports::MAX_IMPORT_ITEMS);
    errors.into_result(())?;
    let mut work = ctx.begin().await?;
    lock_panel(&mut work, panel).await?;
    let pricing = panel_pricing::load_pricing(&mut work, panel).await?;
    let stored_services = stored_catalogue::load_services(&mut work, panel, ids).await?;
    let services = select_services(&stored_services, ids, |index| format!("{field}.{index}"))?;
    insert_providers(&mut work, panel, &pricing.currency, &services).await?;
    let to_item = |service: &&StoredPanelService| ImportedItem {
        id: service.id.as_record_id(),
        name: service.name.clone(),
        external_panel_price: service.rate,
        provider_price: pricing.rates.to_own_currency(service.rate, &pricing.currency),
        price: None,
        pricing_per: service.pricing_per,
    };
    let items = services.iter().take(MAX_ITEMS).map(to_item).collect();
    let data = to_import_outcome(&ctx, services.len(), items);
    work.finish(Data { data }).await
}

// Rules

/// The fields that decide whether a service of an external panel can be imported. The list of services and the imports use the same
/// rules.
#[derive(Debug)]
pub(super) struct ImportCandidate<'a> {
    pub(super) id: ImportableServiceId,
    /// The service type as the external panel writes it.
    pub(super) kind: &'a str,
    pub(super) is_vanished: bool,
    /// The provider that was created from the service.
    pub(super) provider_id: Option<ProviderId>,
    /// The reason why the service cannot be sold here; `None` if it can be sold.
    pub(super) not_sellable: Option<NotSellableError>,
}

impl<'a> ImportCandidate<'a> {
    pub(super) fn of(service: &'a StoredPanelService) -> Self {
        Self {
            id: service.id,
            kind: &service.kind,
            is_vanished: service.is_vanished,
            provider_id: service.provider_id,
            not_sellable: imports::parse_sellable_type(&service.kind, &service.parameters()).err(),
        }
    }

    /// The reason why the service cannot be imported as a service or a provider; `None` if it can be imported.
    pub(super) fn service_rejection(&self) -> Option<String> {
        let id = self.id;
        if self.is_vanished {
            return Some(format!("The external panel no longer sells service {id}."));
        }
        if let Some(provider) = self.provider_id {
            return Some(format!("Service {id} is already imported as provider {provider}."));
        }
        self.not_sellable.as_ref().map(|not_sellable| format!("Service {id} {not_sellable}."))
    }
}

/// Builds the result of an import, with the first `MAX_ITEMS` items.
pub fn to_import_outcome(ctx: &Ctx, created_count: usize, mut items: Vec<ImportedItem>) -> ImportOutcome {
    items.truncate(MAX_ITEMS);
    let created = i64::try_from(created_count).unwrap_or(i64::MAX);
    ImportOutcome { created, dry_run: ctx.meta.dry_run, items, service_types: Vec::new() }
}

/// The reason why a service cannot be imported as a service or a provider; `None` if it can be imported. `panel_service` is `None`
/// if the stored list of the external panel does not contain the id.
#[must_use]
pub fn service_import_rejection(
    panel_service: Option<&StoredPanelService>,
    id: ImportableServiceId,
) -> Option<String> {
    match panel_service {
        None => Some(stored_catalogue::unlisted_message(id)),
        Some(panel_service) => ImportCandidate::of(panel_service).service_rejection(),
    }
}

pub(super) const fn can_import_from(is_archived: bool) -> bool {
    !is_archived
}

/// Returns the requested services in the order of the request, or an error for each service that cannot be imported. `field_at`
/// returns the request field for an index.
fn select_services<'a>(
    stored_services: &'a BTreeMap<ImportableServiceId, StoredPanelService>,
    ids: &[ImportableServiceId],
    field_at: impl Fn(usize) -> String,
) -> Result<Vec<&'a StoredPanelService>, FieldErrors> {
    let mut errors = FieldErrors::default();
    for (index, id) in ids.iter().enumerate() {
        if let Some(rejection) = service_import_rejection(stored_services.get(id), *id) {
            errors.add(field_at(index), rejection);
        }
    }
    errors.into_result(ids.iter().filter_map(|id| stored_services.get(id)).collect())
}

// Store

/// Locks the external panel, so that imports from the same external panel run one after the other and no service is imported twice.
pub async fn lock_panel(work: &mut UnitOfWork, panel: ExternalPanelId) -> Result<()> {
    let sql = Sql::new("SELECT is_archived FROM external_panels WHERE id = ?").bind(panel).for_update();
    let message = match work.fetch_optional::<(bool,)>(sql).await? {
        Some((is_archived,)) if can_import_from(is_archived) => return Ok(()),
        Some(_) => "This external panel is archived. Restore it first.".to_owned(),
        None => format!("There is no external panel {panel}."),
    };
    Err(Error::invalid("external_panel_id", "unknown_panel", message))
}

/// Creates providers. Returns their ids by the id of the service at the external panel.
pub async fn insert_providers(
    work: &mut UnitOfWork,
    panel: ExternalPanelId,
    currency: &str,
    services: &[&StoredPanelService],
) -> Result<BTreeMap<String, ProviderId>> {
    let now = work.timestamp();
    let rows = services.iter().map(|service| {
        let external_id = (&*service.external_panel_service_id).into();
        vec![(&*service.name).into(), external_id, service.rate.into(), service.pricing_per.into()]
    });
    let sql = sql!(
        "INSERT INTO providers (name, type, external_panel_id, external_panel_service_id, source_price, source_currency, \
           source_pricing_per,
           last_available_at, created_at, updated_at)
         SELECT r.name, 'external_panel', CAST(@external_panel_id AS BIGINT), r.external_id, r.price, \
           CAST(@source_currency AS TEXT), r.per, CAST(@now AS BIGINT), CAST(@now AS BIGINT), CAST(@now AS BIGINT) FROM ",
        { external_panel_id: panel, source_currency: currency, now },
    );
    let sql = sql.rows("r", &["name", "external_id", "price", "per"], rows.collect());
    let inserted_rows: Vec<(ProviderId, String)> =
        work.fetch_all(sql.push(" RETURNING id, external_panel_service_id")).await?;
    let mark_imported_sql =
        "UPDATE external_panel_services SET imported_at = ? WHERE imported_at IS NULL AND id IN ";
    let service_ids: Vec<ImportableServiceId> = services.iter().map(|service| service.id).collect();
    work.execute(Sql::new(mark_imported_sql).bind(now).ids(&service_ids)).await?;
    let ids: BTreeMap<String, ProviderId> =
        inserted_rows.into_iter().map(|(id, external_id)| (external_id, id)).collect();
    let record_changes = services.iter().filter_map(|service| {
        let new = json!({
            "external_panel_id": panel, "external_panel_service_id": service.external_panel_service_id, "source_price": service.rate,
            "source_currency": currency, "source_pricing_per": service.pricing_per,
        });
        let id = *ids.get(&service.external_panel_service_id)?;
        Some(RecordChange { id: id.as_record_id(), name: service.name.clone(), old: json!({}), new })
    });
    changes::record_all(work, ChangeAction::Imported, ChangeModel::Provider, record_changes.collect())
        .await?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::ProviderPackageId;

    use super::*;

    /// Returns whether the service can be imported as a service, and whether it can be imported as a package.
    fn is_importable_as_service_and_package(service: &ImportCandidate<'_>) -> (bool, bool) {
        (service.service_rejection().is_none(), service.package_rejection(None).is_none())
    }

    fn package_candidate() -> ImportCandidate<'static> {
        let id = ImportableServiceId::new(7);
        ImportCandidate { id, kind: "Package", is_vanished: false, provider_id: None, not_sellable: None }
    }

    #[test]
    fn a_service_is_imported_only_once_and_a_package_can_also_be_imported_as_a_service() {
        assert_eq!(is_importable_as_service_and_package(&package_candidate()), (true, true));
        assert_eq!(
            is_importable_as_service_and_package(&ImportCandidate { kind: "Default", ..package_candidate() }),
            (true, false)
        );
        assert_eq!(
            is_importable_as_service_and_package(&ImportCandidate {
                is_vanished: true,
                ..package_candidate()
            }),
            (false, false)
        );
        assert_eq!(
            is_importable_as_service_and_package(&ImportCandidate {
                provider_id: Some(ProviderId::new(3)),
                ..package_candidate()
            }),
            (false, true)
        );
        let rejection = package_candidate().package_rejection(Some(ProviderPackageId::new(4)));
        assert!(rejection.is_some_and(|rejection| rejection.contains("as provider package 4")));
        let not_sellable = imports::parse_sellable_type("Subscriptions", &[]).err();
        assert_eq!(
            is_importable_as_service_and_package(&ImportCandidate { not_sellable, ..package_candidate() }),
            (false, false)
        );
        assert!(can_import_from(false) && !can_import_from(true));
    }
}
