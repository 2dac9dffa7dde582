//! The services that an external panel sells: the stored list, a new list from the external panel, and the prices at which the
//! services would be imported.

use std::collections::{BTreeMap, BTreeSet};

use axum::response::Response;
use panel_contract::amount::{Fraction, Money};
use panel_contract::common::{Data, NamedRef};
use panel_contract::endpoints::external_services::{
    FetchAvailableServices, ListPanelServices, PricePanelServices, RefreshAvailableServices,
};
use panel_contract::external_services::{
    AvailableService, FetchedServices, ImportableService, PanelService, PanelServiceActions,
    PanelServiceRejection,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ExternalPanelId, ImportableServiceId, ProviderId, ProviderPackageId};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};

use super::panel_pricing::load_pricing;
use super::providers::ImportCandidate;
use super::stored_catalogue::{
    ListedService, StoredPanelService, load_services, price_too_large_error, store_catalogue,
    unlisted_message,
};
use super::sync_flags::SyncFlags;
use super::{packages, providers, services};
use crate::catalogue::service_types::categories;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::lists;
use crate::pricing::minimum_margin;
use crate::supply::panels::{self, PanelConnection};
use crate::supply::reseller::{self, PanelError};
use panel_domain::imports;
use panel_domain::minimum_margin::price_with_margin;
use panel_domain::reseller_protocol::responses::{Catalogue, CatalogueService, ServiceParameter};
use panel_platform::db::{SqlExecutor, names};
use panel_platform::scope::Scope;
use panel_platform::table::{Join, RowSource, SearchTarget, Table, TextIndex, base_column, expr};

/// Maximum number of services in one request for prices.
const MAX_PRICED_SERVICES: usize = 1_000;

// Routes

/// `GET external-panels/{id}/services`.
pub async fn list(ctx: Ctx, req: Req<ListPanelServices>) -> Result<Response> {
    check_panel_exists(&mut ctx.db(), req.path).await?;
    let query = req.query.clone().simple_filter("external_panel_id", req.path.to_string());
    lists::serve_list(ctx, &PANEL_SERVICES, &query, |record: PanelServiceRecord, scope| {
        record.into_panel_service(scope)
    })
    .await
}

/// `POST external-panels/{id}/services`.
pub async fn calculate_prices(
    ctx: Ctx,
    req: Req<PricePanelServices>,
) -> Result<Data<Vec<ImportableService>>> {
    let db = &mut ctx.db();
    let pricing = load_pricing(db, req.path).await?;
    let mut errors = FieldErrors::default();
    imports::check_ids(&mut errors, "ids", "", &req.body.ids, MAX_PRICED_SERVICES);
    imports::check_margin(&mut errors, req.body.margin_fraction);
    errors.into_result(())?;
    let requested_margin = req.body.margin_fraction;
    panel_domain::minimum_margin::check_resale_margin(
        "margin_fraction",
        requested_margin,
        pricing.min_margin,
        "",
    )
    .map_err(minimum_margin::below_margin_error)?;
    let margin = imports::effective_margin(requested_margin.or(pricing.margin), pricing.min_margin);
    let sync_flags = services::load_sync_flags(db, req.path).await?;
    let mut services = load_services(db, req.path, &req.body.ids).await?;
    let categories: BTreeSet<&str> =
        services.values().map(|panel_service| &*panel_service.category).collect();
    let service_types = match req.body.network_id {
        Some(network) => categories::load_existing(db, network, &categories).await?,
        None => BTreeMap::new(),
    };
    let imported_packages = match req.body.as_packages {
        true => Some(packages::load_imported_packages(db, req.path).await?),
        false => None,
    };
    let mut data = Vec::new();
    for (index, id) in req.body.ids.iter().enumerate() {
        let Some(panel_service) = services.remove(id) else {
            return Err(FieldErrors::single(format!("ids.{index}"), unlisted_message(*id)).into());
        };
        let cost = pricing.rates.to_own_currency(panel_service.rate, &pricing.currency);
        let price_at_margin = |margin| {
            let per = panel_service.pricing_per;
            let price = cost.map(|cost| price_with_margin(cost, per, per, margin));
            price.transpose().map_err(|_| price_too_large_error("ids"))
        };
        let min_margin = imports::effective_margin(None, pricing.min_margin);
        let prices = ImportPrices {
            cost,
            price: price_at_margin(margin)?,
            lowest_price: price_at_margin(min_margin)?,
        };
        let service_type_id = service_types.get(&panel_service.category).copied();
        let rejection = match &imported_packages {
            Some(imported_packages) => packages::package_import_rejection(&panel_service, imported_packages),
            None => providers::service_import_rejection(Some(&panel_service), panel_service.id),
        };
        data.push(ImportableService {
            network_id: req.body.network_id,
            service_type_id,
            ..to_importable_service(panel_service, rejection, sync_flags, prices, margin)
        });
    }
    Ok(Data { data })
}

/// The prices of a service in our own currency; `None` if there is no exchange rate for the currency of the external panel.
#[derive(Clone, Copy)]
struct ImportPrices {
    cost: Option<Money>,
    price: Option<Money>,
    /// The price with the minimum margin.
    lowest_price: Option<Money>,
}

/// Builds a service as the import dialog shows it, without network and service type.
fn to_importable_service(
    panel_service: StoredPanelService,
    rejection: Option<String>,
    sync_flags: SyncFlags,
    prices: ImportPrices,
    margin: Fraction,
) -> ImportableService {
    let SyncFlags {
        sync_params,
        sync_prices,
        sync_labels,
        sync_name,
        sync_meta,
        sync_service_details,
        sync_description_field,
        sync_short_description,
        sync_reviews,
    } = sync_flags;
    ImportableService {
        rejection,
        id: panel_service.id,
        external_panel_service_id: panel_service.external_panel_service_id,
        name: panel_service.name,
        description: Some(panel_service.description).filter(|text| !text.is_empty()),
        kind: panel_service.kind,
        category: panel_service.category,
        external_panel_price: panel_service.rate,
        provider_price: prices.cost,
        price: prices.price,
        lowest_price: prices.lowest_price,
        margin_fraction: margin,
        pricing_per: panel_service.pricing_per,
        network_id: None,
        service_type_id: None,
        promotable_checker_group_id: None,
        sync_params,
        sync_prices,
        sync_labels,
        sync_name,
        sync_meta,
        sync_service_details,
        sync_description_field,
        sync_short_description,
        sync_reviews,
    }
}

/// `GET external-panels/{id}/available-services`.
pub async fn preview(ctx: Ctx, req: Req<RefreshAvailableServices>) -> Result<Data<Vec<AvailableService>>> {
    let (_, catalogue) = fetch_catalogue(&ctx, req.path).await?;
    let to_available_service = |service: &CatalogueService| {
        let service = ListedService::from_catalogue(service);
        AvailableService {
            pricing_per: imports::units_per_price(&service.kind),
            external_panel_service_id: service.id,
            name: service.name,
            kind: service.kind,
            category: service.category,
            external_panel_price: service.rate,
            min_quantity: service.min_quantity,
            max_quantity: service.max_quantity,
        }
    };
    Ok(Data { data: catalogue.services.iter().map(to_available_service).collect() })
}

/// `POST external-panels/{id}/available-services`.
pub async fn fetch_and_store(ctx: Ctx, req: Req<FetchAvailableServices>) -> Result<Data<FetchedServices>> {
    let (panel, catalogue) = fetch_catalogue(&ctx, req.path).await?;
    let mut work = ctx.begin().await?;
    let data = store_catalogue(&mut work, &panel, &catalogue).await?;
    work.finish(Data { data }).await
}

/// Fetches the service list from the external panel. No transaction is open meanwhile, so that no transaction waits for the answer.
pub(super) async fn fetch_catalogue(ctx: &Ctx, id: ExternalPanelId) -> Result<(PanelConnection, Catalogue)> {
    let panel = panels::load_connection(&ctx.app, &mut ctx.db(), id).await?;
    let catalogue = reseller::fetch_services(&ctx.app, panel.api())
        .await
        .map_err(|error| panel_error_to_invalid(&error))?;
    Ok((panel, catalogue))
}

static TEXTS: TextIndex =
    TextIndex::trigrams("external_panel_services", &["name", "category", "external_panel_service_id"]);

/// All services of all external panels, newest first.
pub static PANEL_SERVICES: Table = Table::new(
    &panel_contract::lists::external_services::PANEL_SERVICES,
    RowSource {
        base: "external_panel_services",
        alias: "k",
        key: "k.id",
        joins: &[
            Join { alias: "e", sql: "JOIN external_panels e ON e.id = k.external_panel_id" },
            Join { alias: "p", sql: concat!("LEFT JOIN providers p ON p.id = ", first_provider_id!()) },
        ],
        select: "k.id, k.external_panel_service_id, k.name, k.type AS kind, k.category, substr(k.description, 1, 500) AS description, k.external_panel_id, e.name AS panel_name, e.currency, k.rate, k.pricing_per,
      k.min_quantity, k.max_quantity, k.refill, k.cancel, k.parameters, k.rejection_kind, p.id AS provider_id, p.name AS provider_name, k.vanished_at, k.created_at,
      e.is_archived AS panel_is_archived, (SELECT x.id FROM provider_packages x WHERE x.external_panel_id = k.external_panel_id
        AND x.external_panel_package_id = k.external_panel_service_id) AS package_id",
        ..RowSource::NONE
    },
    &[
        base_column("name").text_index("k.id", &TEXTS, "name"),
        base_column("category").text_index("k.id", &TEXTS, "category"),
        expr("external_panel_price", "k.rate"),
        expr("provider.id", "p.id").join("p"),
        expr("is_imported", "(p.id IS NOT NULL)").join("p"),
        expr("is_rejected", "k.rejection_kind IS NOT NULL").condition_flag(),
        expr("is_vanished", "(k.vanished_at IS NOT NULL)"),
    ],
)
.global_search(&[
    SearchTarget::new("k.id", &TEXTS, "name").own_columns(&["k.name", "k.category", "k.external_panel_service_id"]),
]);

// Rules

/// Returns the error of the external panel as a validation error of the request.
fn panel_error_to_invalid(error: &PanelError) -> Error {
    Error::invalid("external_panel_id", "panel_rejected", error.to_string())
}

// Store

async fn check_panel_exists(db: &mut impl SqlExecutor, id: ExternalPanelId) -> Result<()> {
    match names::load_name(db, "external_panels", id).await? {
        Some(_) => Ok(()),
        None => Err(Error::not_found("external panel", id)),
    }
}

#[derive(Debug, sqlx::FromRow)]
pub struct PanelServiceRecord {
    id: ImportableServiceId,
    external_panel_service_id: String,
    name: String,
    kind: String,
    category: String,
    description: String,
    external_panel_id: ExternalPanelId,
    panel_name: String,
    currency: String,
    rate: Money,
    pricing_per: i64,
    min_quantity: i64,
    max_quantity: i64,
    refill: bool,
    cancel: bool,
    parameters: String,
    rejection_kind: Option<PanelServiceRejection>,
    provider_id: Option<ProviderId>,
    provider_name: Option<String>,
    vanished_at: Option<Time>,
    created_at: Time,
    panel_is_archived: bool,
    package_id: Option<ProviderPackageId>,
}

impl PanelServiceRecord {
    fn candidate(&self) -> ImportCandidate<'_> {
        let parameters = ServiceParameter::parse_stored(&self.parameters);
        ImportCandidate {
            id: self.id,
            kind: &self.kind,
            is_vanished: self.vanished_at.is_some(),
            provider_id: self.provider_id,
            not_sellable: imports::parse_sellable_type(&self.kind, &parameters).err(),
        }
    }

    fn into_panel_service(self, scope: &Scope) -> PanelService {
        let candidate = self.candidate();
        let may_import = scope.has_permission(Permission::ManageExternalPanels)
            && providers::can_import_from(self.panel_is_archived);
        let actions = PanelServiceActions {
            importable: may_import && candidate.service_rejection().is_none(),
            importable_as_package: may_import && candidate.package_rejection(self.package_id).is_none(),
        };
        let rejection = candidate.not_sellable.map(|not_sellable| not_sellable.to_string());
        PanelService {
            rejection,
            actions,
            rejection_kind: self.rejection_kind,
            id: self.id,
            external_panel_service_id: self.external_panel_service_id,
            name: self.name,
            kind: self.kind,
            category: self.category,
            description: Some(self.description).filter(|text| !text.is_empty()),
            external_panel: NamedRef { id: self.external_panel_id, name: self.panel_name },
            external_panel_price: self.rate,
            currency: self.currency,
            pricing_per: self.pricing_per,
            min_quantity: self.min_quantity,
            max_quantity: self.max_quantity,
            refill: self.refill,
            cancel: self.cancel,
            provider: self.provider_id.zip(self.provider_name).map(|(id, name)| NamedRef { id, name }),
            vanished_at: self.vanished_at,
            created_at: self.created_at,
        }
    }
}
