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

use super::kept::{self, Importable};
use crate::context::Ctx;
use crate::http::Req;
use crate::records::changes::{self, RecordChange};
use panel_domain::imports;
use panel_platform::db::{Source as _, Sql};
use panel_platform::sql;
use panel_platform::work::Work;

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
    let terms = kept::terms(&mut work, panel).await?;
    let known = kept::by_id(&mut work, panel, ids).await?;
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
        None => Some(kept::unknown(id)),
        Some(Importable { is_gone: true, .. }) => Some(format!("The panel no longer sells service {id}.")),
        Some(Importable { provider_id: Some(provider), .. }) => {
            Some(format!("Service {id} is imported already, as provider {provider}."))
        }
        Some(known) => {
            let judged = imports::sellable(&known.kind, &known.parameters());
            judged.err().map(|why| format!("Service {id} {why}."))
        }
    }
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
pub async fn lock(work: &mut Work, panel: ExternalPanelId) -> Result<()> {
    let sql = Sql::new("SELECT is_archived FROM external_panels WHERE id = ?").bind(panel).for_update();
    let message = match work.opt::<(bool,)>(sql).await? {
        Some((false,)) => return Ok(()),
        Some(_) => "This panel is archived; bring it back first.".to_owned(),
        None => format!("There is no external panel {panel}."),
    };
    Err(Error::invalid("external_panel_id", "unknown_panel", message))
}

/// Makes providers; their ids by the services' ids there.
pub async fn insert(
    work: &mut Work,
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
    changes::note_all(work, ChangeAction::Imported, ChangeModel::Provider, record_changes.collect()).await?;
    Ok(ids)
}
