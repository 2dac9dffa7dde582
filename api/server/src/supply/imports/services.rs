//! Imports services of an external panel. Each import creates a service with its provider and its texts. The number of statements
//! does not depend on the number of services.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoints::external_services::ImportServices;
use panel_contract::external_services::{ImportOutcome, ImportServicesInput, ImportedItem};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{
    CheckerGroupId, ExternalPanelId, Id, ImportableServiceId, NetworkId, ProviderId, ServiceId, ServiceTypeId,
};
use panel_contract::service_types::ServiceTypeKind;
use panel_kernel::error::Result;
use serde_json::json;

use super::lines::{self, ImportContext, ImportLine, ServiceTypeChoice};
use super::stored_catalogue::{self, StoredPanelService};
use super::sync_flags::SyncFlags;
use super::{imported_targets, panel_pricing, providers};
use crate::catalogue::service_types::categories;
use crate::context::Ctx;
use crate::http::Req;
use crate::pricing::minimum_margin;
use crate::records::changes::{self, RecordChange};
use panel_domain::imports;
use panel_domain::minimum_margin::NewPrice;
use panel_platform::db::{Sql, SqlExecutor, Val};
use panel_platform::work::UnitOfWork;

/// Maximum number of rows in one statement.
const ROWS_PER_STATEMENT: usize = 5_000;

// Routes

/// `POST external-panels/import-services`.
pub async fn import(ctx: Ctx, req: Req<ImportServices>) -> Result<Data<ImportOutcome>> {
    let mut work = ctx.begin().await?;
    let imported_services = import_lines(&mut work, &req.body).await?;
    let outcome = providers::to_import_outcome(&ctx, imported_services.items.len(), imported_services.items);
    let data = ImportOutcome { service_types: imported_services.created_service_types, ..outcome };
    work.finish(Data { data }).await
}

pub struct ImportedServices {
    /// In the order of the lines.
    pub items: Vec<ImportedItem>,
    /// Names of the service types that were created for categories.
    pub created_service_types: Vec<String>,
}

/// Imports all lines, or none if a line is invalid. The error contains every invalid field.
pub async fn import_lines(work: &mut UnitOfWork, input: &ImportServicesInput) -> Result<ImportedServices> {
    let ids: Vec<ImportableServiceId> = input.services.iter().map(|item| item.id).collect();
    let mut errors = FieldErrors::default();
    imports::check_ids(&mut errors, "services", ".id", &ids, imports::MAX_IMPORT_ITEMS);
    errors.into_result(())?;
    providers::lock_panel(work, input.external_panel_id).await?;
    let context = load_import_context(work, input).await?;
    let lines = lines::validate_lines(input, &context)?;
    let indexes: BTreeMap<ImportableServiceId, usize> =
        ids.iter().enumerate().map(|(index, id)| (*id, index)).collect();
    let price_field =
        |id: ImportableServiceId| indexes.get(&id).map(|index| format!("services.{index}.price"));
    insert_lines(work, input.external_panel_id, &context, &lines, &price_field).await
}

// Store

/// Loads the flags of an external panel, with the names that they have in a service.
pub async fn load_sync_flags(db: &mut impl SqlExecutor, panel: ExternalPanelId) -> Result<SyncFlags> {
    let sql = Sql::new(
        "SELECT sync_params, sync_prices, sync_labels, sync_name, sync_meta, sync_service_details, sync_description AS sync_description_field, sync_short_description, sync_reviews
         FROM external_panels WHERE id = ?",
    );
    Ok(db.fetch_one(sql.bind(panel)).await?)
}

/// Loads the records that the lines are validated against, in a fixed number of statements.
pub async fn load_import_context(
    work: &mut UnitOfWork,
    input: &ImportServicesInput,
) -> Result<ImportContext> {
    let panel = input.external_panel_id;
    let ids: Vec<ImportableServiceId> = input.services.iter().map(|item| item.id).collect();
    let lines = &input.services;
    let type_ids =
        distinct(lines.iter().filter_map(|item| item.service_type_id).chain(input.service_type_id));
    let network_ids = distinct(lines.iter().filter_map(|item| item.network_id).chain(input.network_id));
    let group_ids = distinct(lines.iter().filter_map(|item| item.promotable_checker_group_id));
    let types_sql = Sql::new("SELECT id, network_id, type FROM service_types WHERE id IN ").ids(&type_ids);
    let types: Vec<(ServiceTypeId, NetworkId, ServiceTypeKind)> = work.fetch_all(types_sql).await?;
    let services = stored_catalogue::load_services(work, panel, &ids).await?;
    let category_platforms = match input.keep_categories && !group_ids.is_empty() {
        true => load_category_platforms(work, &network_ids, &services).await?,
        false => BTreeMap::new(),
    };
    let networks_sql = Sql::new("SELECT id FROM networks WHERE id IN ").ids(&network_ids);
    let groups_sql =
        Sql::new("SELECT id, service_type_type FROM promotable_checker_groups WHERE id IN ").ids(&group_ids);
    Ok(ImportContext {
        pricing: panel_pricing::load_pricing(work, panel).await?,
        panel_flags: load_sync_flags(work, panel).await?,
        services,
        service_type_networks: types.iter().map(|(id, network, _)| (*id, *network)).collect(),
        networks: work.fetch_all::<(NetworkId,)>(networks_sql).await?.into_iter().map(|(id,)| id).collect(),
        checker_groups: work
            .fetch_all::<(CheckerGroupId, ServiceTypeKind)>(groups_sql)
            .await?
            .into_iter()
            .collect(),
        platforms: types.into_iter().map(|(id, _, platform)| (id, platform)).collect(),
        category_platforms,
    })
}

fn distinct<I: Id>(ids: impl Iterator<Item = I>) -> Vec<I> {
    ids.collect::<BTreeSet<I>>().into_iter().collect()
}

/// Loads the platforms of the service types that belong to the categories of these services, by network and category.
async fn load_category_platforms(
    work: &mut UnitOfWork,
    networks: &[NetworkId],
    services: &BTreeMap<ImportableServiceId, StoredPanelService>,
) -> Result<BTreeMap<(NetworkId, String), ServiceTypeKind>> {
    let categories: BTreeSet<&str> = services.values().map(|service| &*service.category).collect();
    let mut platforms = BTreeMap::new();
    for network in networks {
        let platforms_by_category = categories::load_platforms(work, *network, &categories).await?;
        platforms.extend(
            platforms_by_category.into_iter().map(|(category, platform)| ((*network, category), platform)),
        );
    }
    Ok(platforms)
}

/// A line with its inserted service and provider.
struct InsertedLine<'a> {
    provider: ProviderId,
    service: ServiceId,
    line: &'a ImportLine<'a>,
}

/// Inserts service types, providers, services, the links between them, and texts. `price_field` returns the request field that
/// contains the price of a service.
pub async fn insert_lines(
    work: &mut UnitOfWork,
    panel: ExternalPanelId,
    context: &ImportContext,
    lines: &[ImportLine<'_>],
    price_field: &(dyn Fn(ImportableServiceId) -> Option<String> + Sync),
) -> Result<ImportedServices> {
    let (service_types, created_service_types) = find_or_create_service_types(work, lines).await?;
    let panel_services: Vec<&StoredPanelService> = lines.iter().map(|line| line.panel_service).collect();
    let providers =
        providers::insert_providers(work, panel, &context.pricing.currency, &panel_services).await?;
    let services = insert_services(work, lines, &service_types, &providers).await?;
    let inserted_lines: Vec<InsertedLine<'_>> = lines
        .iter()
        .filter_map(|line| {
            let provider = *providers.get(&line.panel_service.external_panel_service_id)?;
            Some(InsertedLine { provider, service: *services.get(&provider)?, line })
        })
        .collect();
    let ids: Vec<ServiceId> = inserted_lines.iter().map(|inserted| inserted.service).collect();
    let links_sql = "INSERT INTO service_providers (service_id, provider_id, position)
         SELECT id, imported_provider_id, 0 FROM services WHERE id IN ";
    work.execute(Sql::new(links_sql).ids(&ids)).await?;
    let services_with_parameters = inserted_lines.iter().map(|InsertedLine { service, line, .. }| {
        (*service, line.panel_type, line.panel_service.parameters())
    });
    imported_targets::attach_targets(work, &services_with_parameters.collect::<Vec<_>>()).await?;
    insert_texts(work, &ids, &inserted_lines).await?;
    let prices = inserted_lines.iter().map(|InsertedLine { service, line, .. }| {
        let field = price_field(line.panel_service.id).unwrap_or_else(|| "services".into());
        NewPrice::of_service(field, *service, line.price, line.panel_service.pricing_per)
    });
    // `validate_lines` already checked the prices of an import request. The prices of an import rule are checked only here.
    minimum_margin::check_prices(work, &prices.collect::<Vec<_>>(), false).await?;
    record_changes(work, &service_types, &inserted_lines).await?;
    let items = lines.iter().map(|line| ImportedItem {
        id: line.panel_service.id.as_record_id(),
        name: line.name.clone(),
        external_panel_price: line.panel_service.rate,
        provider_price: Some(line.cost),
        price: Some(line.price),
        pricing_per: line.panel_service.pricing_per,
    });
    Ok(ImportedServices { items: items.collect(), created_service_types })
}

/// Finds or creates the service types of the lines. Returns their ids, and the names of those that were created for categories.
async fn find_or_create_service_types<'a>(
    work: &mut UnitOfWork,
    lines: &[ImportLine<'a>],
) -> Result<(BTreeMap<ServiceTypeChoice<'a>, ServiceTypeId>, Vec<String>)> {
    let (mut types, mut created_names) = (BTreeMap::new(), Vec::new());
    let mut categories_by_network: BTreeMap<NetworkId, BTreeSet<&'a str>> = BTreeMap::new();
    for line in lines {
        match line.service_type {
            ServiceTypeChoice::Existing(id) => {
                types.insert(ServiceTypeChoice::Existing(id), id);
            }
            ServiceTypeChoice::ForCategory(network, category) => {
                categories_by_network.entry(network).or_default().insert(category);
            }
        }
    }
    for (network, categories) in categories_by_network {
        let service_types = categories::find_or_create(work, network, &categories).await?;
        for category in categories {
            if let Some(id) = service_types.by_category.get(category) {
                types.insert(ServiceTypeChoice::ForCategory(network, category), *id);
            }
        }
        created_names.extend(service_types.created_names);
    }
    Ok((types, created_names))
}

/// Inserts the English names and descriptions of the services.
async fn insert_texts(
    work: &mut UnitOfWork,
    ids: &[ServiceId],
    inserted_lines: &[InsertedLine<'_>],
) -> Result<()> {
    let names_sql = "INSERT INTO translations (owner_type, owner_id, locale, field, value)
         SELECT 'service', id, 'en', 'name', name FROM services WHERE id IN ";
    work.execute(Sql::new(names_sql).ids(ids)).await?;
    let lines_with_description =
        inserted_lines.iter().filter(|inserted| !inserted.line.description.is_empty());
    let rows: Vec<Vec<Val>> = lines_with_description
        .map(|inserted| vec![inserted.service.into(), Val::from(&*inserted.line.description)])
        .collect();
    for chunk in rows.chunks(ROWS_PER_STATEMENT) {
        let sql = Sql::new(
            "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'service', r.id, 'en', 'description', r.text FROM ",
        );
        work.execute(sql.rows("r", &["id", "text"], chunk.to_vec())).await?;
    }
    Ok(())
}

async fn record_changes(
    work: &mut UnitOfWork,
    types: &BTreeMap<ServiceTypeChoice<'_>, ServiceTypeId>,
    inserted_lines: &[InsertedLine<'_>],
) -> Result<()> {
    let record_changes = inserted_lines.iter().map(|InsertedLine { provider, service, line }| {
        let description = Some(&line.description).filter(|text| !text.is_empty());
        let new = json!({
            "service_type_id": types.get(&line.service_type), "name": line.name, "description": description, "default_price": line.price,
            "min_price": line.min_price.min(line.price), "pricing_per": line.panel_service.pricing_per, "panel_service_type": line.panel_type,
            "min_quantity": line.panel_service.min_quantity, "max_quantity": line.panel_service.max_quantity, "quantity_step": line.panel_service.quantity_step,
            "providers": [provider],
        });
        RecordChange { id: service.as_record_id(), name: line.name.clone(), old: json!({}), new }
    });
    changes::record_all(work, ChangeAction::Imported, ChangeModel::Service, record_changes.collect()).await
}

/// Inserts the services at the end of their service types. Returns the id of each service by its provider.
async fn insert_services(
    work: &mut UnitOfWork,
    lines: &[ImportLine<'_>],
    types: &BTreeMap<ServiceTypeChoice<'_>, ServiceTypeId>,
    providers: &BTreeMap<String, ProviderId>,
) -> Result<BTreeMap<ProviderId, ServiceId>> {
    let mut last_positions = load_last_positions(work, types.values().copied().collect()).await?;
    let now = work.timestamp();
    let mut rows = Vec::with_capacity(lines.len());
    for line in lines {
        let Some(provider) = providers.get(&line.panel_service.external_panel_service_id) else { continue };
        let Some(service_type) = types.get(&line.service_type).copied() else { continue };
        let position = last_positions.entry(service_type).or_default();
        *position += 1;
        let mut row: Vec<Val> = vec![
            service_type.into(),
            (&*line.name).into(),
            line.panel_service.min_quantity.into(),
            line.panel_service.max_quantity.into(),
            line.panel_service.quantity_step.into(),
            line.min_price.min(line.price).into(),
            line.price.into(),
            line.panel_service.pricing_per.into(),
            line.panel_service.refill.into(),
            line.panel_service.dripfeed.into(),
            line.margin.into(),
            line.checker_group_id.into(),
            (*provider).into(),
            (*position).into(),
            line.panel_type.as_str().into(),
        ];
        row.extend(line.flags.values().map(Val::from));
        rows.push(row);
    }
    let columns: Vec<&'static str> = [
        "service_type",
        "name",
        "min_quantity",
        "max_quantity",
        "quantity_step",
        "min_price",
        "price",
        "pricing_per",
        "refill",
        "dripfeed",
        "margin",
        "checker_group",
        "provider",
        "position",
        "panel_type",
    ]
    .into_iter()
    .chain(SyncFlags::COLUMNS)
    .collect();
    let sql = Sql::new(
        "INSERT INTO services (service_type_id, name, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per, has_refill, drip_feed_is_allowed,
           resale_margin_ppm, promotable_checker_group_id, imported_provider_id, sorting, panel_service_type, has_active_providers, created_at, updated_at, sync_params, sync_prices,
           sync_labels, sync_name, sync_meta, sync_service_details, sync_description_field, sync_short_description, sync_reviews)
         SELECT r.service_type, r.name, r.min_quantity, r.max_quantity, r.quantity_step, r.min_price, r.price, r.pricing_per, r.refill, r.dripfeed, r.margin, r.checker_group, r.provider, r.position, r.panel_type, TRUE,
           CAST(? AS BIGINT), CAST(? AS BIGINT), r.sync_params, r.sync_prices, r.sync_labels, r.sync_name, r.sync_meta, r.sync_service_details,
           r.sync_description_field, r.sync_short_description, r.sync_reviews FROM ",
    );
    let sql = sql.bind(now).bind(now).rows("r", &columns, rows).push(" RETURNING imported_provider_id, id");
    Ok(work.fetch_all::<(ProviderId, ServiceId)>(sql).await?.into_iter().collect())
}

async fn load_last_positions(
    work: &mut UnitOfWork,
    types: BTreeSet<ServiceTypeId>,
) -> Result<BTreeMap<ServiceTypeId, i64>> {
    let ids: Vec<ServiceTypeId> = types.into_iter().collect();
    let sql = Sql::new("SELECT service_type_id, max(sorting) FROM services WHERE service_type_id IN ");
    let positions: Vec<(ServiceTypeId, i64)> =
        work.fetch_all(sql.ids(&ids).push(" GROUP BY service_type_id")).await?;
    Ok(positions.into_iter().collect())
}
