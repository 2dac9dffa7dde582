//! Importing a panel's new services by its rule, as a sync finds them: each at most once, so many of a sync, and what cannot
//! be imported is noted with its reason. It asks no panel, and it never stops the rest of a sync for one service.

use std::collections::BTreeSet;

use panel_contract::amount::Money;
use panel_contract::external_services::{ImportServiceItem, ImportServicesInput, NotImportedService};
use panel_contract::ids::{ExternalPanelId, ImportableServiceId};
use panel_contract::import_rules::ImportRuleInput;
use panel_contract::moment::Time;
use panel_contract::panel_service_types::PanelServiceType;
use panel_kernel::error::Result;

use super::{import_rule, lines, services};
use crate::context::Ctx;
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

/// Most services that one sync imports.
const MOST: usize = 1_000;
/// Services of one transaction.
const CHUNK: usize = 250;
/// Services that could not be imported of which a run keeps the reason.
const KEPT: usize = 20;

/// What the rule did in a sync.
#[derive(Debug, Default)]
pub(super) struct NewServices {
    /// How many it imported.
    pub(super) imported: i64,
    /// How many it chose and could not import.
    pub(super) not_imported: i64,
    /// The first of those.
    pub(super) first: Vec<NotImportedService>,
}

impl NewServices {
    fn note(&mut self, service: &NewService, reason: String) {
        self.not_imported += 1;
        if self.first.len() < KEPT {
            self.first.push(NotImportedService {
                id: service.id,
                external_panel_service_id: service.external_panel_service_id.clone(),
                name: service.name.clone(),
                reason,
            });
        }
    }
}

// Rules

/// Whether the rule is about a service.
fn chooses(rule: &ImportRuleInput, service: &NewService) -> bool {
    let name = service.name.to_lowercase();
    let has = |text: &Option<String>| text.as_deref().map(|text| name.contains(&text.to_lowercase()));
    let is_listed = rule.categories.is_empty() || rule.categories.contains(&service.category);
    let kind = PanelServiceType::parse(&service.kind);
    let is_typed = rule.types.is_empty() || kind.is_some_and(|kind| rule.types.contains(&kind));
    is_listed
        && is_typed
        && has(&rule.name_contains).unwrap_or(true)
        && !has(&rule.name_excludes).unwrap_or(false)
        && rule.price_from.is_none_or(|from| service.rate >= from)
        && rule.price_to.is_none_or(|to| service.rate <= to)
}

/// The import that the rule makes of services.
fn input(panel: ExternalPanelId, rule: &ImportRuleInput, chosen: &[&NewService]) -> ImportServicesInput {
    let item = |service: &&NewService| ImportServiceItem {
        promotable_checker_group_id: rule.promotable_checker_group_id,
        sync_params: rule.sync_params,
        sync_prices: rule.sync_prices,
        sync_labels: rule.sync_labels,
        sync_name: rule.sync_name,
        sync_meta: rule.sync_meta,
        sync_service_details: rule.sync_service_details,
        sync_description_field: rule.sync_description_field,
        sync_short_description: rule.sync_short_description,
        sync_reviews: rule.sync_reviews,
        ..ImportServiceItem::new(service.id)
    };
    ImportServicesInput {
        external_panel_id: panel,
        services: chosen.iter().map(item).collect(),
        margin_percent: rule.margin_percent,
        network_id: rule.network_id,
        service_type_id: rule.service_type_id,
        keep_categories: rule.keep_categories,
    }
}

// Store

/// A service that the panel did not sell before the rule was on, and that was never imported.
#[derive(Debug, sqlx::FromRow)]
struct NewService {
    id: ImportableServiceId,
    external_panel_service_id: String,
    name: String,
    kind: String,
    category: String,
    rate: Money,
}

/// Imports what the rule of a panel chooses, part by part; nothing where it is off.
pub(super) async fn import(ctx: &Ctx, panel: ExternalPanelId) -> Result<NewServices> {
    let mut done = NewServices::default();
    let Some(since) = since(&import_rule::panel(&mut ctx.db(), panel, false).await?) else { return Ok(done) };
    let found = found(&mut ctx.db(), panel, since, None).await?;
    let Some((rule, _)) = import_rule::stored(&mut ctx.db(), panel).await? else {
        let reason = "The panel's import rule does not say yet where its new services belong.";
        found.iter().for_each(|service| done.note(service, reason.into()));
        return Ok(done);
    };
    let chosen: Vec<ImportableServiceId> =
        found.iter().filter(|service| chooses(&rule, service)).map(|service| service.id).collect();
    for ids in chosen.chunks(CHUNK) {
        let left = MOST.saturating_sub(usize::try_from(done.imported).unwrap_or(MOST));
        if left == 0 {
            break;
        }
        part(ctx, panel, &ids[..ids.len().min(left)], &mut done).await?;
    }
    Ok(done)
}

/// Takes the list that the panel has just given for what it sold before, where none was known when the rule was switched
/// on: a panel's whole catalogue is not new.
pub(super) async fn mark_known(work: &mut UnitOfWork, panel: ExternalPanelId) -> Result<()> {
    let now = work.now;
    let sql = Sql::new(
        "UPDATE external_panels SET sync_services_at = ? WHERE id = ? AND sync_services AND sync_services_at IS NULL",
    );
    work.exec(sql.bind(now).bind(panel)).await?;
    Ok(())
}

fn since(panel: &import_rule::PanelRow) -> Option<Time> {
    panel.sync_services_at.filter(|_| panel.sync_services && !panel.is_archived)
}

/// Imports some of them, by the rule as it is under the panel's lock.
async fn part(
    ctx: &Ctx,
    panel: ExternalPanelId,
    ids: &[ImportableServiceId],
    done: &mut NewServices,
) -> Result<()> {
    let mut work = ctx.begin().await?;
    let Some(since) = since(&import_rule::panel(&mut work, panel, true).await?) else { return Ok(()) };
    let Some((rule, _)) = import_rule::stored(&mut work, panel).await? else { return Ok(()) };
    let found = found(&mut work, panel, since, Some(ids)).await?;
    let chosen: Vec<&NewService> = found.iter().filter(|service| chooses(&rule, service)).collect();
    let input = input(panel, &rule, &chosen);
    let imported = write(&mut work, &input, &chosen, done).await?;
    work.finish(()).await?;
    done.imported += imported;
    Ok(())
}

/// Writes the lines that are right, and notes the others; how many are right.
async fn write(
    work: &mut UnitOfWork,
    input: &ImportServicesInput,
    chosen: &[&NewService],
    done: &mut NewServices,
) -> Result<i64> {
    let known = services::known(work, input).await?;
    let mut right = Vec::with_capacity(chosen.len());
    for (item, service) in input.services.iter().zip(chosen) {
        match lines::one(input, item, &known) {
            Ok(line) => right.push(line),
            Err(wrong) => {
                let reasons: BTreeSet<String> = wrong.into_iter().map(|(_, message)| message).collect();
                done.note(service, reasons.into_iter().collect::<Vec<_>>().join(" "));
            }
        }
    }
    if !right.is_empty() {
        services::write(work, input.external_panel_id, &known, &right, &|_| None).await?;
    }
    Ok(i64::try_from(right.len()).unwrap_or(i64::MAX))
}

/// What the panel sells since a moment and what no import took; all, or those of some ids.
async fn found(
    db: &mut impl Source,
    panel: ExternalPanelId,
    since: Time,
    some: Option<&[ImportableServiceId]>,
) -> Result<Vec<NewService>> {
    let sql = Sql::new(
        "SELECT k.id, k.external_panel_service_id, k.name, k.type AS kind, k.category, k.rate FROM external_panel_services k
         WHERE k.external_panel_id = ? AND k.created_at > ? AND k.gone_at IS NULL AND k.imported_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM providers x WHERE x.external_panel_id = k.external_panel_id AND x.external_panel_service_id = k.external_panel_service_id)",
    );
    let sql = sql.bind(panel).bind(since);
    let sql = match some {
        Some(ids) => sql.push(" AND k.id IN ").ids(ids),
        None => sql,
    };
    Ok(db.all(sql.push(" ORDER BY k.id")).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_chooses_by_category_type_name_and_price() {
        let service = NewService {
            id: ImportableServiceId::new(1),
            external_panel_service_id: "7".into(),
            name: "Instagram LIKES fast".into(),
            kind: "Custom Comments".into(),
            category: "Likes".into(),
            rate: Money(2_000_000),
        };
        let chosen = |rule: &str| chooses(&serde_json::from_str(rule).unwrap(), &service);
        for rule in [
            "{}",
            r#"{"categories":["Likes"],"types":["Custom Comments"]}"#,
            r#"{"name_contains":"likes","name_excludes":"slow"}"#,
            r#"{"price_from":"2","price_to":"2"}"#,
        ] {
            assert!(chosen(rule), "{rule}");
        }
        for rule in [
            r#"{"categories":["likes"]}"#,
            r#"{"types":["Poll"]}"#,
            r#"{"name_contains":"views"}"#,
            r#"{"name_excludes":"Fast"}"#,
            r#"{"price_from":"2.1"}"#,
            r#"{"price_to":"1.9"}"#,
        ] {
            assert!(!chosen(rule), "{rule}");
        }
    }
}
