//! The import rule of an external panel, which decides which new services a sync imports: its endpoints, validation and storage.
//! `new_services` does the import.

use std::collections::BTreeSet;

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoints::external_services::{GetImportRule, UpdateImportRule};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{CheckerGroupId, ExternalPanelId, NetworkId, ServiceTypeId};
use panel_contract::import_rules::{ImportRule, ImportRuleInput};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::service_types::ServiceTypeKind;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::{Map, Value, json};

use crate::catalogue::targets::checkers;
use crate::context::Ctx;
use crate::http::Req;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::supply::external_panels::NEW_SERVICES_SINCE;
use panel_domain::fields::check_text;
use panel_domain::imports;
use panel_platform::db::{Sql, SqlExecutor, names};
use panel_platform::settings;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

const MAX_CATEGORIES: usize = 500;
/// Maximum length of a category and of a name filter.
const MAX_FILTER_CHARS: usize = 255;

// Routes

/// `GET external-panels/{id}/import-rule`.
pub async fn get(ctx: Ctx, req: Req<GetImportRule>) -> Result<Data<ImportRule>> {
    let db = &mut ctx.db();
    let panel = load_panel(db, req.path, false).await?;
    Ok(Data { data: to_import_rule(req.path, &panel, load_rule(db, req.path).await?) })
}

/// `PUT external-panels/{id}/import-rule`.
pub async fn update(ctx: Ctx, req: Req<UpdateImportRule>) -> Result<Data<ImportRule>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    let panel_before = load_panel(&mut work, id, true).await?;
    if panel_before.is_archived {
        let message = "This external panel is archived. Restore it first.";
        return Err(Rejection::conflict("external_panel_archived", message).into());
    }
    let (rule_before, updated_at) = load_rule(&mut work, id).await?.unzip();
    Error::check_not_stale("import rule", req.body.updated_at, updated_at.unwrap_or(Timestamp(0)))?;
    let (after, mut errors) = validate_rule(&req.body);
    check_references(&mut work, &after, &mut errors).await?;
    errors.into_result(())?;
    write_rule(&mut work, id, &after).await?;
    set_enabled(&mut work, id, panel_before.sync_services && rule_before.is_some(), after.is_enabled).await?;
    let old = ImportRuleInput { is_enabled: panel_before.sync_services, ..rule_before.unwrap_or_default() };
    let (action, model) = (ChangeAction::Updated, ChangeModel::ExternalPanel);
    let record = ChangedRecord { action, model, id: id.as_record_id(), name: &panel_before.name };
    changes::record(&mut work, record, &change_log_values(&old), &change_log_values(&after)).await?;
    let panel_after = load_panel(&mut work, id, false).await?;
    let data = to_import_rule(id, &panel_after, load_rule(&mut work, id).await?);
    work.finish(Data { data }).await
}

// Rules

/// Returns the rule to store, with trimmed strings and without duplicates, and the errors of its fields.
fn validate_rule(input: &ImportRuleInput) -> (ImportRuleInput, FieldErrors) {
    let mut errors = FieldErrors::default();
    let mut rule = ImportRuleInput { updated_at: None, ..input.clone() };
    let filters = [("name_contains", &mut rule.name_contains), ("name_excludes", &mut rule.name_excludes)];
    for (field, text) in filters {
        *text = text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        if let Some(Err(message)) = text.as_deref().map(|text| check_text(text, MAX_FILTER_CHARS)) {
            errors.add(field, message);
        }
    }
    validate_categories(&mut rule, &mut errors);
    for (index, kind) in rule.types.iter().enumerate() {
        if let Some(reason) = kind.reason_not_sellable() {
            errors.add(format!("types.{index}"), format!("{kind} is not sold here: {reason}."));
        }
    }
    let mut earlier_types = BTreeSet::new();
    rule.types.retain(|kind| earlier_types.insert(kind.as_str()));
    for (field, price) in [("price_from", rule.price_from), ("price_to", rule.price_to)] {
        if price.is_some_and(|price| price < Money::ZERO || price.0 > imports::MAX_PRICE) {
            errors.add(field, format!("Enter a price from 0 to {}.", Money(imports::MAX_PRICE)));
        }
    }
    if let (Some(min_price), Some(max_price)) = (rule.price_from, rule.price_to)
        && min_price > max_price
    {
        errors.add("price_to", format!("Enter a price of at least {min_price}, or leave the field empty."));
    }
    if rule.keep_categories && rule.network_id.is_none() {
        errors.add("network_id", "Choose the network in which to create service types for the categories.");
    }
    if rule.is_enabled && rule.service_type_id.is_none() && !rule.keep_categories {
        let message =
            "Choose the service type for new services, or keep the categories of the external panel.";
        errors.add("service_type_id", message);
    }
    (rule, errors)
}

fn validate_categories(rule: &mut ImportRuleInput, errors: &mut FieldErrors) {
    if rule.categories.len() > MAX_CATEGORIES {
        let message =
            format!("Enter at most {MAX_CATEGORIES} categories; the rule has {}.", rule.categories.len());
        errors.add("categories", message);
        return;
    }
    for (index, category) in rule.categories.iter_mut().enumerate() {
        *category = category.trim().to_owned();
        match check_text(category, MAX_FILTER_CHARS) {
            Err(message) => errors.add(format!("categories.{index}"), message),
            Ok(()) if category.is_empty() => {
                errors.add(format!("categories.{index}"), "Enter a category, or remove the line.")
            }
            Ok(()) => {}
        }
    }
    let mut earlier_categories = BTreeSet::new();
    rule.categories.retain(|category| earlier_categories.insert(category.clone()));
}

/// Returns the fields of the rule for the change log of the external panel. Their prefix separates them from the fields of the
/// panel.
fn change_log_values(rule: &ImportRuleInput) -> Value {
    let fields: Map<String, Value> = json!(rule).as_object().cloned().unwrap_or_default();
    let prefixed_fields = fields.into_iter().map(|(field, value)| match &*field {
        "is_enabled" => ("sync_services".to_owned(), value),
        _ => (format!("import_rule.{field}"), value),
    });
    Value::Object(prefixed_fields.collect())
}

fn to_import_rule(
    external_panel_id: ExternalPanelId,
    panel: &PanelRow,
    stored_rule: Option<(ImportRuleInput, Timestamp)>,
) -> ImportRule {
    let (rule, updated_at) = stored_rule.unzip();
    let rule = rule.unwrap_or_default();
    ImportRule {
        external_panel_id,
        is_enabled: panel.sync_services,
        enabled_since: panel.sync_services_at,
        margin_fraction: rule.margin_fraction,
        network_id: rule.network_id,
        service_type_id: rule.service_type_id,
        keep_categories: rule.keep_categories,
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
        categories: rule.categories,
        types: rule.types,
        name_contains: rule.name_contains,
        name_excludes: rule.name_excludes,
        price_from: rule.price_from,
        price_to: rule.price_to,
        updated_at,
    }
}

// Store

/// The fields of an external panel that decide whether its import rule applies.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct PanelRow {
    name: String,
    pub(super) is_archived: bool,
    pub(super) sync_services: bool,
    pub(super) sync_services_at: Option<Time>,
}

pub(super) async fn load_panel(
    db: &mut impl SqlExecutor,
    id: ExternalPanelId,
    is_locking: bool,
) -> Result<PanelRow> {
    let sql = Sql::new(
        "SELECT name, is_archived, sync_services, sync_services_at FROM external_panels WHERE id = ?",
    );
    let sql = sql.bind(id);
    let row = db.fetch_optional(if is_locking { sql.for_update() } else { sql }).await?;
    row.ok_or_else(|| Error::not_found("external panel", id))
}

#[derive(sqlx::FromRow)]
struct RuleRow {
    margin_ppm: Option<Fraction>,
    network_id: Option<NetworkId>,
    service_type_id: Option<ServiceTypeId>,
    keep_categories: bool,
    promotable_checker_group_id: Option<CheckerGroupId>,
    sync_params: Option<bool>,
    sync_prices: Option<bool>,
    sync_labels: Option<bool>,
    sync_name: Option<bool>,
    sync_meta: Option<bool>,
    sync_service_details: Option<bool>,
    sync_description_field: Option<bool>,
    sync_short_description: Option<bool>,
    sync_reviews: Option<bool>,
    categories: String,
    types: String,
    name_contains: Option<String>,
    name_excludes: Option<String>,
    price_from: Option<Money>,
    price_to: Option<Money>,
    updated_at: Timestamp,
}

/// Loads the rule of an external panel and the time of its last change. `is_enabled` is always false in the result, because the
/// column `sync_services` of the panel stores it.
pub(super) async fn load_rule(
    db: &mut impl SqlExecutor,
    panel: ExternalPanelId,
) -> Result<Option<(ImportRuleInput, Timestamp)>> {
    let sql = Sql::new(
        "SELECT margin_ppm, network_id, service_type_id, keep_categories, promotable_checker_group_id, sync_params, sync_prices, sync_labels, sync_name, sync_meta, sync_service_details,
           sync_description_field, sync_short_description, sync_reviews,
           categories, types, name_contains, name_excludes, price_from, price_to, updated_at FROM import_rules WHERE external_panel_id = ?",
    );
    let Some(row) = db.fetch_optional::<RuleRow>(sql.bind(panel)).await? else { return Ok(None) };
    let invalid_json_error =
        |error: serde_json::Error| Error::Internal(format!("import rule of panel {panel}: {error}"));
    let rule = ImportRuleInput {
        is_enabled: false,
        margin_fraction: row.margin_ppm,
        network_id: row.network_id,
        service_type_id: row.service_type_id,
        keep_categories: row.keep_categories,
        promotable_checker_group_id: row.promotable_checker_group_id,
        sync_params: row.sync_params,
        sync_prices: row.sync_prices,
        sync_labels: row.sync_labels,
        sync_name: row.sync_name,
        sync_meta: row.sync_meta,
        sync_service_details: row.sync_service_details,
        sync_description_field: row.sync_description_field,
        sync_short_description: row.sync_short_description,
        sync_reviews: row.sync_reviews,
        categories: serde_json::from_str(&row.categories).map_err(invalid_json_error)?,
        types: serde_json::from_str(&row.types).map_err(invalid_json_error)?,
        name_contains: row.name_contains,
        name_excludes: row.name_excludes,
        price_from: row.price_from,
        price_to: row.price_to,
        updated_at: None,
    };
    Ok(Some((rule, row.updated_at)))
}

/// Checks that the records to which the rule refers exist and fit together, and that the margin of the rule is not below the
/// minimum margin.
async fn check_references(
    work: &mut UnitOfWork,
    rule: &ImportRuleInput,
    errors: &mut FieldErrors,
) -> Result<()> {
    let min_margin = settings::read_min_margin(work).await?;
    imports::check_margin(errors, rule.margin_fraction);
    if let Err(margin_errors) = panel_domain::minimum_margin::check_resale_margin(
        "margin_fraction",
        rule.margin_fraction,
        min_margin,
        "",
    ) {
        errors.0.extend(margin_errors.0);
    }
    for (field, table, noun, id) in [
        ("network_id", "networks", "network", rule.network_id.map(NetworkId::as_record_id)),
        (
            "promotable_checker_group_id",
            "promotable_checker_groups",
            "promotable checker group",
            rule.promotable_checker_group_id.map(CheckerGroupId::as_record_id),
        ),
    ] {
        if let Some(id) = id
            && names::load_name(work, table, id).await?.is_none()
        {
            errors.add(field, format!("There is no {noun} {id}."));
        }
    }
    let Some(id) = rule.service_type_id else { return Ok(()) };
    let sql = Sql::new(
        "SELECT t.network_id, t.type, (SELECT g.service_type_type FROM promotable_checker_groups g WHERE g.id = ?)
         FROM service_types t WHERE t.id = ?",
    );
    let sql = sql.bind(rule.promotable_checker_group_id).bind(id);
    let service_type: Option<(NetworkId, ServiceTypeKind, Option<ServiceTypeKind>)> =
        work.fetch_optional(sql).await?;
    let Some((network_of_type, platform, group_platform)) = service_type else {
        errors.add("service_type_id", format!("There is no service type {id}."));
        return Ok(());
    };
    if let Some(network) = rule.network_id.filter(|network| *network != network_of_type) {
        errors.add(
            "network_id",
            format!("Service type {id} belongs to network {network_of_type}, not {network}."),
        );
    }
    if let Some(message) =
        group_platform.and_then(|group_platform| checkers::platform_mismatch(group_platform, platform))
    {
        errors.add("promotable_checker_group_id", message);
    }
    Ok(())
}

async fn write_rule(work: &mut UnitOfWork, panel: ExternalPanelId, rule: &ImportRuleInput) -> Result<()> {
    let now = work.timestamp();
    let sql = sql!(
        "INSERT INTO import_rules (external_panel_id, margin_ppm, network_id, service_type_id, keep_categories, \
           promotable_checker_group_id, 
           sync_params, sync_prices, sync_labels, sync_name, sync_meta, sync_service_details, sync_description_field, \
           sync_short_description, sync_reviews,
           categories, types, name_contains, name_excludes, price_from, price_to, created_at, updated_at)
         VALUES (@external_panel_id, @margin_ppm, @network_id, @service_type_id, @keep_categories, \
           @promotable_checker_group_id, @sync_params, @sync_prices, @sync_labels, @sync_name, @sync_meta, \
           @sync_service_details, @sync_description_field, @sync_short_description, @sync_reviews, @categories, @types, \
           @name_contains, @name_excludes, @price_from, @price_to, @now, @now)
         ON CONFLICT (external_panel_id) DO UPDATE SET margin_ppm = excluded.margin_ppm, network_id = excluded.network_id,
           service_type_id = excluded.service_type_id, keep_categories = excluded.keep_categories,
           promotable_checker_group_id = excluded.promotable_checker_group_id, sync_params = excluded.sync_params,
           sync_prices = excluded.sync_prices,
           sync_labels = excluded.sync_labels,
           sync_name = excluded.sync_name,
           sync_meta = excluded.sync_meta,
           sync_service_details = excluded.sync_service_details,
           sync_description_field = excluded.sync_description_field,
           sync_short_description = excluded.sync_short_description,
           sync_reviews = excluded.sync_reviews,
           categories = excluded.categories, types = excluded.types, name_contains = excluded.name_contains,
           name_excludes = excluded.name_excludes, price_from = excluded.price_from, price_to = excluded.price_to,
           updated_at = excluded.updated_at",
        {
            external_panel_id: panel,
            margin_ppm: rule.margin_fraction,
            network_id: rule.network_id,
            service_type_id: rule.service_type_id,
            keep_categories: rule.keep_categories,
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
            categories: json!(rule.categories).to_string(),
            types: json!(rule.types).to_string(),
            name_contains: rule.name_contains.as_deref(),
            name_excludes: rule.name_excludes.as_deref(),
            price_from: rule.price_from,
            price_to: rule.price_to,
            now,
        },
    );
    work.execute(sql).await?;
    Ok(())
}

/// Enables or disables the rule in the column `sync_services` of the panel. A rule that was already enabled keeps its start time.
async fn set_enabled(
    work: &mut UnitOfWork,
    panel: ExternalPanelId,
    was_enabled: bool,
    is_enabled: bool,
) -> Result<()> {
    let (now, timestamp) = (work.now, work.timestamp());
    let sql = Sql::new("UPDATE external_panels SET sync_services = ?").bind(is_enabled);
    let sql = match (was_enabled, is_enabled) {
        (true, true) => return Ok(()),
        (false, true) => sql.push(", sync_services_at = ").push(NEW_SERVICES_SINCE).bind(now),
        (_, false) => sql.push(", sync_services_at = NULL"),
    };
    work.execute(sql.push(", updated_at = ? WHERE id = ?").bind(timestamp).bind(panel)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid_fields(body: &str) -> Vec<String> {
        let input: ImportRuleInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        validate_rule(&input).1.0.into_keys().collect()
    }

    #[test]
    fn names_each_invalid_field_of_a_rule() {
        assert_eq!(invalid_fields("{}"), [""; 0], "a disabled rule must be allowed to be empty");
        assert_eq!(invalid_fields(r#"{"is_enabled":true}"#), ["service_type_id"]);
        assert_eq!(invalid_fields(r#"{"is_enabled":true,"keep_categories":true}"#), ["network_id"]);
        let too_long = "x".repeat(256);
        let body = format!(
            r#"{{"is_enabled":true,"service_type_id":1,"categories":["a"," ","{too_long}"],"types":["Poll","Subscriptions"],
            "name_contains":"{too_long}","name_excludes":"{too_long}","price_from":"3","price_to":"2"}}"#
        );
        let expected_fields =
            ["categories.1", "categories.2", "name_contains", "name_excludes", "price_to", "types.1"];
        assert_eq!(invalid_fields(&body), expected_fields);
        assert_eq!(invalid_fields(r#"{"price_from":"-1","price_to":"-1"}"#), ["price_from", "price_to"]);
    }

    #[test]
    fn removes_duplicates_and_blank_strings() {
        let body = br#"{"categories":[" Likes","Likes "],"types":["Poll","Poll"],"name_contains":" "}"#;
        let (rule, errors) = validate_rule(&FieldErrors::from_json(body).unwrap());
        assert!(errors.0.is_empty());
        assert_eq!((rule.categories, rule.types.len(), rule.name_contains), (vec!["Likes".into()], 1, None));
    }
}
