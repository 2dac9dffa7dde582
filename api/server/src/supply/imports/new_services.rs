//! Imports the new services of an external panel during a sync, by its import rule. Each service is imported at most once. A
//! service that cannot be imported is reported with the reason and never stops the sync. This module sends no requests to the
//! external panel.

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
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Maximum number of services that one sync imports.
const MAX_IMPORTED_SERVICES: usize = 1_000;
const SERVICES_PER_TRANSACTION: usize = 250;
/// Maximum number of services that a sync run stores with the reason why they were not imported.
const MAX_STORED_REASONS: usize = 20;

/// The result of importing the new services that the import rule chose in a sync.
#[derive(Debug, Default)]
pub(super) struct NewServices {
    pub(super) imported_count: i64,
    /// Services that the rule chose but that could not be imported.
    pub(super) not_imported_count: i64,
    /// The first `MAX_STORED_REASONS` services that were not imported.
    pub(super) first_not_imported: Vec<NotImportedService>,
}

impl NewServices {
    fn add_not_imported(&mut self, service: &NewService, reason: String) {
        self.not_imported_count += 1;
        if self.first_not_imported.len() < MAX_STORED_REASONS {
            self.first_not_imported.push(NotImportedService {
                id: service.id,
                external_panel_service_id: service.external_panel_service_id.clone(),
                name: service.name.clone(),
                reason,
            });
        }
    }
}

// Rules

fn matches_rule(rule: &ImportRuleInput, service: &NewService) -> bool {
    let name = service.name.to_lowercase();
    let name_contains =
        |text: &Option<String>| text.as_deref().map(|text| name.contains(&text.to_lowercase()));
    let category_matches = rule.categories.is_empty() || rule.categories.contains(&service.category);
    let panel_type = PanelServiceType::parse(&service.kind);
    let type_matches =
        rule.types.is_empty() || panel_type.is_some_and(|panel_type| rule.types.contains(&panel_type));
    category_matches
        && type_matches
        && name_contains(&rule.name_contains).unwrap_or(true)
        && !name_contains(&rule.name_excludes).unwrap_or(false)
        && rule.price_from.is_none_or(|from| service.rate >= from)
        && rule.price_to.is_none_or(|to| service.rate <= to)
}

/// Builds the input for an import of the chosen services with the settings of the rule.
fn build_import_input(
    panel: ExternalPanelId,
    rule: &ImportRuleInput,
    chosen_services: &[&NewService],
) -> ImportServicesInput {
    let to_item = |service: &&NewService| ImportServiceItem {
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
        services: chosen_services.iter().map(to_item).collect(),
        margin_fraction: rule.margin_fraction,
        network_id: rule.network_id,
        service_type_id: rule.service_type_id,
        keep_categories: rule.keep_categories,
    }
}

// Store

/// A service that the external panel listed for the first time after the rule was enabled, and that was never imported.
#[derive(Debug, sqlx::FromRow)]
struct NewService {
    id: ImportableServiceId,
    external_panel_service_id: String,
    name: String,
    kind: String,
    category: String,
    rate: Money,
}

/// Imports the services that the import rule of the external panel chooses, in several transactions. Does nothing if the rule is
/// disabled.
pub(super) async fn import_new_services(ctx: &Ctx, panel: ExternalPanelId) -> Result<NewServices> {
    let mut result = NewServices::default();
    let Some(since) = rule_enabled_since(&import_rule::load_panel(&mut ctx.db(), panel, false).await?) else {
        return Ok(result);
    };
    let new_services = load_new_services(&mut ctx.db(), panel, since, None).await?;
    let Some((rule, _)) = import_rule::load_rule(&mut ctx.db(), panel).await? else {
        let reason =
            "The import rule of the external panel has no service type for new services. Edit the rule.";
        new_services.iter().for_each(|service| result.add_not_imported(service, reason.into()));
        return Ok(result);
    };
    let chosen_ids: Vec<ImportableServiceId> = new_services
        .iter()
        .filter(|service| matches_rule(&rule, service))
        .map(|service| service.id)
        .collect();
    for ids in chosen_ids.chunks(SERVICES_PER_TRANSACTION) {
        let remaining = MAX_IMPORTED_SERVICES
            .saturating_sub(usize::try_from(result.imported_count).unwrap_or(MAX_IMPORTED_SERVICES));
        if remaining == 0 {
            break;
        }
        import_chunk(ctx, panel, &ids[..ids.len().min(remaining)], &mut result).await?;
    }
    Ok(result)
}

/// Sets the start time of the import rule when the first list of the external panel is stored, if the rule was already enabled: the
/// services of the first list do not count as new.
pub(super) async fn start_after_first_list(work: &mut UnitOfWork, panel: ExternalPanelId) -> Result<()> {
    let now = work.now;
    let sql = Sql::new(
        "UPDATE external_panels SET sync_services_at = ? WHERE id = ? AND sync_services AND sync_services_at IS NULL",
    );
    work.execute(sql.bind(now).bind(panel)).await?;
    Ok(())
}

fn rule_enabled_since(panel: &import_rule::PanelRow) -> Option<Time> {
    panel.sync_services_at.filter(|_| panel.sync_services && !panel.is_archived)
}

/// Imports some of the chosen services. Loads the rule and the services again after locking the external panel.
async fn import_chunk(
    ctx: &Ctx,
    panel: ExternalPanelId,
    ids: &[ImportableServiceId],
    result: &mut NewServices,
) -> Result<()> {
    let mut work = ctx.begin().await?;
    let Some(since) = rule_enabled_since(&import_rule::load_panel(&mut work, panel, true).await?) else {
        return Ok(());
    };
    let Some((rule, _)) = import_rule::load_rule(&mut work, panel).await? else { return Ok(()) };
    let new_services = load_new_services(&mut work, panel, since, Some(ids)).await?;
    let chosen_services: Vec<&NewService> =
        new_services.iter().filter(|service| matches_rule(&rule, service)).collect();
    let input = build_import_input(panel, &rule, &chosen_services);
    let imported_count = insert_valid_lines(&mut work, &input, &chosen_services, result).await?;
    work.finish(()).await?;
    result.imported_count += imported_count;
    Ok(())
}

/// Imports the valid lines and reports the others in `result`. Returns the number of valid lines.
async fn insert_valid_lines(
    work: &mut UnitOfWork,
    input: &ImportServicesInput,
    chosen_services: &[&NewService],
    result: &mut NewServices,
) -> Result<i64> {
    let context = services::load_import_context(work, input).await?;
    let mut valid_lines = Vec::with_capacity(chosen_services.len());
    for (item, service) in input.services.iter().zip(chosen_services) {
        match lines::validate_line(input, item, &context) {
            Ok(line) => valid_lines.push(line),
            Err(errors) => {
                let reasons: BTreeSet<String> = errors.into_iter().map(|(_, message)| message).collect();
                result.add_not_imported(service, reasons.into_iter().collect::<Vec<_>>().join(" "));
            }
        }
    }
    if !valid_lines.is_empty() {
        services::insert_lines(work, input.external_panel_id, &context, &valid_lines, &|_| None).await?;
    }
    Ok(i64::try_from(valid_lines.len()).unwrap_or(i64::MAX))
}

/// Loads the services that the external panel listed for the first time after `since` and that were never imported. `id_filter`
/// limits the result to these services.
async fn load_new_services(
    db: &mut impl SqlExecutor,
    panel: ExternalPanelId,
    since: Time,
    id_filter: Option<&[ImportableServiceId]>,
) -> Result<Vec<NewService>> {
    let sql = Sql::new(
        "SELECT k.id, k.external_panel_service_id, k.name, k.type AS kind, k.category, k.rate FROM external_panel_services k
         WHERE k.external_panel_id = ? AND k.created_at > ? AND k.vanished_at IS NULL AND k.imported_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM providers x WHERE x.external_panel_id = k.external_panel_id AND x.external_panel_service_id = k.external_panel_service_id)",
    );
    let sql = sql.bind(panel).bind(since);
    let sql = match id_filter {
        Some(ids) => sql.push(" AND k.id IN ").ids(ids),
        None => sql,
    };
    Ok(db.fetch_all(sql.push(" ORDER BY k.id")).await?)
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
        let matches = |rule: &str| matches_rule(&serde_json::from_str(rule).unwrap(), &service);
        for rule in [
            "{}",
            r#"{"categories":["Likes"],"types":["Custom Comments"]}"#,
            r#"{"name_contains":"likes","name_excludes":"slow"}"#,
            r#"{"price_from":"2","price_to":"2"}"#,
        ] {
            assert!(matches(rule), "{rule}");
        }
        for rule in [
            r#"{"categories":["likes"]}"#,
            r#"{"types":["Poll"]}"#,
            r#"{"name_contains":"views"}"#,
            r#"{"name_excludes":"Fast"}"#,
            r#"{"price_from":"2.1"}"#,
            r#"{"price_to":"1.9"}"#,
        ] {
            assert!(!matches(rule), "{rule}");
        }
    }
}
