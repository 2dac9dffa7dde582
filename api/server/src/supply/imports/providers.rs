//! Importing providers: links to services of a panel, without services of ours.

use std::collections::BTreeMap;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoints::external_services::ImportProviders;
use panel_contract::external_services::{ImportOutcome, ImportedItem};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ExternalPanelId, ImportableServiceId, ProviderId};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::stored_catalogue::{self, Importable};
use crate::context::Ctx;
use crate::http::Req;
use crate::records::changes::{self, RecordChange};
use panel_domain::imports::{self, NotSellable};
use panel_platform::db::{Source as _, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Most things of an import that its answer shows.
const SHOWN: usize = 1_000;

// Routes

/// `POST external-panels/import-providers`.
pub async fn import(ctx: Ctx, req: Req<ImportProviders>) -> Result<Data<ImportOutcome>> {
    let ids = &req.body.importable_services_ids;
    let panel = req.body.external_panel_id;
    let field = "importable_services_ids";
    let mut errors = FieldErrors::default();
    imports::check_ids(&mut errors, field, "", ids, imports::MOST);
    errors.or(())?;
    let mut work = ctx.begin().await?;
    lock(&mut work, panel).await?;
    let terms = stored_catalogue::load_pricing(&mut work, panel).await?;
    let known = stored_catalogue::by_id(&mut work, panel, ids).await?;
    let all = chosen(&known, ids, |at| format!("{field}.{at}"))?;
    insert(&mut work, panel, &terms.currency, &all).await?;
    let item = |one: &&Importable| ImportedItem {
        id: one.id.record(),
        name: one.name.clone(),
        external_panel_price: one.rate,
        provider_price: terms.rates.to_own(one.rate, &terms.currency),
        price: None,
        pricing_per: one.pricing_per,
    };
    let items = all.iter().take(SHOWN).map(item).collect();
    let data = outcome(&ctx, all.len(), items);
    work.finish(Data { data }).await
}

// Rules

/// What decides whether a service of a panel can be imported: the list of services and the imports ask the same rules.
#[derive(Debug)]
pub(super) struct ImportFacts<'a> {
    /// Its id here.
    pub(super) id: ImportableServiceId,
    /// The panel's word for its type.
    pub(super) kind: &'a str,
    /// Whether the panel sells it no longer.
    pub(super) is_gone: bool,
    /// The provider that was made of it.
    pub(super) provider_id: Option<ProviderId>,
    /// Why it cannot be sold here; none where it can.
    pub(super) not_sellable: Option<NotSellable>,
}

impl<'a> ImportFacts<'a> {
    /// Those of a service that an import found.
    pub(super) fn of(service: &'a Importable) -> Self {
        Self {
            id: service.id,
            kind: &service.kind,
            is_gone: service.is_gone,
            provider_id: service.provider_id,
            not_sellable: imports::sellable(&service.kind, &service.parameters()).err(),
        }
    }
}

/// The answer of an import; a long one shows its beginning.
pub fn outcome(ctx: &Ctx, created: usize, mut items: Vec<ImportedItem>) -> ImportOutcome {
    items.truncate(SHOWN);
    let created = i64::try_from(created).unwrap_or(i64::MAX);
    ImportOutcome { created, dry_run: ctx.meta.dry_run, items, service_types: Vec::new() }
}

/// Why one cannot be imported, if it cannot.
#[must_use]
pub fn fault(known: Option<&Importable>, id: ImportableServiceId) -> Option<String> {
    match known {
        None => Some(stored_catalogue::unknown(id)),
        Some(known) => fault_of(&ImportFacts::of(known)),
    }
}

/// Why a service that is known cannot be imported, as a service or as a provider alone; none where it can.
pub(super) fn fault_of(service: &ImportFacts<'_>) -> Option<String> {
    let id = service.id;
    if service.is_gone {
        return Some(format!("The panel no longer sells service {id}."));
    }
    if let Some(provider) = service.provider_id {
        return Some(format!("Service {id} is imported already, as provider {provider}."));
    }
    service.not_sellable.as_ref().map(|why| format!("Service {id} {why}."))
}

/// Whether a panel is imported from: an archived one is not.
pub(super) const fn is_open(is_archived: bool) -> bool {
    !is_archived
}

/// Those that are asked for, in the order of the request; what is wrong is named by its place.
fn chosen<'k>(
    known: &'k BTreeMap<ImportableServiceId, Importable>,
    ids: &[ImportableServiceId],
    field: impl Fn(usize) -> String,
) -> Result<Vec<&'k Importable>, FieldErrors> {
    let mut errors = FieldErrors::default();
    for (at, id) in ids.iter().enumerate() {
        if let Some(fault) = fault(known.get(id), *id) {
            errors.add(field(at), fault);
        }
    }
    errors.or(ids.iter().filter_map(|id| known.get(id)).collect())
}

// Store

/// Locks the panel that is imported from: imports of one panel go one after the other, so nothing is imported twice.
pub async fn lock(work: &mut UnitOfWork, panel: ExternalPanelId) -> Result<()> {
    let sql = Sql::new("SELECT is_archived FROM external_panels WHERE id = ?").bind(panel).for_update();
    let message = match work.opt::<(bool,)>(sql).await? {
        Some((is_archived,)) if is_open(is_archived) => return Ok(()),
        Some(_) => "This panel is archived; bring it back first.".to_owned(),
        None => format!("There is no external panel {panel}."),
    };
    Err(Error::invalid("external_panel_id", "unknown_panel", message))
}

/// Makes providers; their ids by the services' ids there.
pub async fn insert(
    work: &mut UnitOfWork,
    panel: ExternalPanelId,
    currency: &str,
    all: &[&Importable],
) -> Result<BTreeMap<String, ProviderId>> {
    let now = work.stamp();
    let rows = all.iter().map(|one| {
        let id = (&*one.external_panel_service_id).into();
        vec![(&*one.name).into(), id, one.rate.into(), one.pricing_per.into()]
    });
    let sql = sql!(
        "INSERT INTO providers (name, type, external_panel_id, external_panel_service_id, source_price, source_currency, \
           source_pricing_per,
           last_available_at, created_at, updated_at)
         SELECT r.name, 'external_panel', CAST(@external_panel_id AS BIGINT), r.there, r.price, \
           CAST(@source_currency AS TEXT), r.per, CAST(@now AS BIGINT), CAST(@now AS BIGINT), CAST(@now AS BIGINT) FROM ",
        { external_panel_id: panel, source_currency: currency, now },
    );
    let sql = sql.rows("r", &["name", "there", "price", "per"], rows.collect());
    let made: Vec<(ProviderId, String)> =
        work.all(sql.push(" RETURNING id, external_panel_service_id")).await?;
    let imported = "UPDATE external_panel_services SET imported_at = ? WHERE imported_at IS NULL AND id IN ";
    let of: Vec<ImportableServiceId> = all.iter().map(|one| one.id).collect();
    work.exec(Sql::new(imported).bind(now).ids(&of)).await?;
    let ids: BTreeMap<String, ProviderId> = made.into_iter().map(|(id, there)| (there, id)).collect();
    let record_changes = all.iter().filter_map(|one| {
        let new = json!({
            "external_panel_id": panel, "external_panel_service_id": one.external_panel_service_id, "source_price": one.rate,
            "source_currency": currency, "source_pricing_per": one.pricing_per,
        });
        let id = *ids.get(&one.external_panel_service_id)?;
        Some(RecordChange { id: id.record(), name: one.name.clone(), old: json!({}), new })
    });
    changes::record_all(work, ChangeAction::Imported, ChangeModel::Provider, record_changes.collect())
        .await?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::ProviderPackageId;

    use super::super::packages;
    use super::*;

    /// Whether a service can be imported as a service, and as a package.
    fn offered(service: &ImportFacts<'_>) -> (bool, bool) {
        (fault_of(service).is_none(), packages::fault_of(service, None).is_none())
    }

    fn package() -> ImportFacts<'static> {
        let id = ImportableServiceId::new(7);
        ImportFacts { id, kind: "Package", is_gone: false, provider_id: None, not_sellable: None }
    }

    #[test]
    fn a_service_is_imported_once_and_a_package_in_both_ways() {
        assert_eq!(offered(&package()), (true, true));
        assert_eq!(offered(&ImportFacts { kind: "Default", ..package() }), (true, false));
        assert_eq!(offered(&ImportFacts { is_gone: true, ..package() }), (false, false));
        assert_eq!(
            offered(&ImportFacts { provider_id: Some(ProviderId::new(3)), ..package() }),
            (false, true)
        );
        let fault = packages::fault_of(&package(), Some(ProviderPackageId::new(4)));
        assert!(fault.is_some_and(|fault| fault.contains("as package 4 of the panel")));
        let not_sellable = imports::sellable("Subscriptions", &[]).err();
        assert_eq!(offered(&ImportFacts { not_sellable, ..package() }), (false, false));
        assert!(is_open(false) && !is_open(true));
    }
}
