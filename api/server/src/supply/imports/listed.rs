//! The list of what a panel sells: as it is kept, as the panel says it now, and what it would cost here.

use std::collections::{BTreeMap, BTreeSet};

use axum::response::Response;
use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::common::{Data, Named};
use panel_contract::endpoints::external_services::{
    AskAvailableServices, FetchAvailableServices, ListPanelServices, PricePanelServices,
};
use panel_contract::external_services::{
    AvailableService, FetchedServices, ImportableService, PanelService, PanelServiceActions,
    PanelServiceRefusal,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{
    ExternalPanelId, ImportableServiceId, NetworkId, ProviderId, ProviderPackageId, ServiceTypeId,
};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};

use super::providers::ImportFacts;
use super::stored_catalogue::{Importable, ListedService, by_id, keep, load_pricing, too_large, unknown};
use super::{packages, providers, services};
use crate::catalogue::service_types::categories;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::lists;
use crate::pricing::least_margin;
use crate::supply::panels::{self, Reachable};
use crate::supply::reseller::{self, PanelError};
use panel_domain::imports;
use panel_domain::least_margin::price_with_margin;
use panel_domain::reseller_protocol::read::{Catalogue, Service, ServiceParameter};
use panel_platform::db::{Source, names};
use panel_platform::scope::Scope;
use panel_platform::table::{Index, Join, RowSource, SearchTarget, Table, base, expr};

/// Most services that are priced in one answer.
const PRICED: usize = 1_000;

// Routes

/// `GET external-panels/{id}/services`.
pub async fn list(ctx: Ctx, req: Req<ListPanelServices>) -> Result<Response> {
    unless_unknown(&mut ctx.db(), req.path).await?;
    let query = req.query.clone().plain("external_panel_id", req.path.to_string());
    lists::answer(ctx, &PANEL_SERVICES, &query, |record: Record, scope| record.shown(scope)).await
}

/// `POST external-panels/{id}/services`.
pub async fn price(ctx: Ctx, req: Req<PricePanelServices>) -> Result<Data<Vec<ImportableService>>> {
    let db = &mut ctx.db();
    let pricing = load_pricing(db, req.path).await?;
    let mut errors = FieldErrors::default();
    imports::check_ids(&mut errors, "ids", "", &req.body.ids, PRICED);
    imports::check_margin(&mut errors, req.body.margin_percent);
    errors.or(())?;
    let (wanted, least) = (req.body.margin_percent, pricing.least);
    panel_domain::least_margin::judge_margin("margin_percent", wanted, least, "")
        .map_err(least_margin::below_margin_error)?;
    let margin = imports::margin(req.body.margin_percent.or(pricing.margin), pricing.least);
    let sync = services::flags(db, req.path).await?;
    let mut known = by_id(db, req.path, &req.body.ids).await?;
    let categories: BTreeSet<&str> = known.values().map(|kept| &*kept.category).collect();
    let types = match req.body.network_id {
        Some(network) => categories::known(db, network, &categories).await?,
        None => BTreeMap::new(),
    };
    let taken = match req.body.as_packages {
        true => Some(packages::taken(db, req.path).await?),
        false => None,
    };
    let mut data = Vec::new();
    for (at, id) in req.body.ids.iter().enumerate() {
        let Some(kept) = known.remove(id) else {
            return Err(FieldErrors::one(format!("ids.{at}"), unknown(*id)).into());
        };
        let own = pricing.rates.to_own(kept.rate, &pricing.currency);
        let priced =
            |margin| own.map(|own| price_with_margin(own, kept.pricing_per, kept.pricing_per, margin));
        let fits = |price: Option<std::result::Result<Money, Overflow>>| {
            price.transpose().map_err(|_| too_large("ids"))
        };
        let (price, lowest) = (fits(priced(margin))?, fits(priced(imports::margin(None, pricing.least)))?);
        let service_type_id = types.get(&kept.category).copied();
        let refusal = match &taken {
            Some(taken) => packages::fault(&kept, taken),
            None => providers::fault(Some(&kept), kept.id),
        };
        let place = (req.body.network_id, service_type_id);
        data.push(line(kept, refusal, sync, (own, price, lowest), margin, place));
    }
    Ok(Data { data })
}

/// A line of the import's dialog.
fn line(
    kept: Importable,
    refusal: Option<String>,
    sync: services::Flags,
    (own, price, lowest): (Option<Money>, Option<Money>, Option<Money>),
    margin: Fraction,
    (network_id, service_type_id): (Option<NetworkId>, Option<ServiceTypeId>),
) -> ImportableService {
    let [
        sync_params,
        sync_prices,
        sync_labels,
        sync_name,
        sync_meta,
        sync_service_details,
        sync_description_field,
        sync_short_description,
        sync_reviews,
    ] = sync;
    ImportableService {
        refusal,
        id: kept.id,
        external_panel_service_id: kept.external_panel_service_id,
        name: kept.name,
        description: Some(kept.description).filter(|text| !text.is_empty()),
        kind: kept.kind,
        category: kept.category,
        external_panel_price: kept.rate,
        provider_price: own,
        price,
        lowest_price: lowest,
        margin_percent: margin,
        pricing_per: kept.pricing_per,
        network_id,
        service_type_id,
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
pub async fn ask(ctx: Ctx, req: Req<AskAvailableServices>) -> Result<Data<Vec<AvailableService>>> {
    let (_, catalogue) = asked(&ctx, req.path).await?;
    let shown = |service: &Service| {
        let service = ListedService::of(service);
        AvailableService {
            pricing_per: imports::per(&service.kind),
            external_panel_service_id: service.id,
            name: service.name,
            kind: service.kind,
            category: service.category,
            external_panel_price: service.rate,
            min_quantity: service.min,
            max_quantity: service.max,
        }
    };
    Ok(Data { data: catalogue.services.iter().map(shown).collect() })
}

/// `POST external-panels/{id}/available-services`.
pub async fn fetch(ctx: Ctx, req: Req<FetchAvailableServices>) -> Result<Data<FetchedServices>> {
    let (panel, catalogue) = asked(&ctx, req.path).await?;
    let mut work = ctx.begin().await?;
    let data = keep(&mut work, &panel, &catalogue).await?;
    work.finish(Data { data }).await
}

/// Asks the panel; no transaction waits for it.
pub(super) async fn asked(ctx: &Ctx, id: ExternalPanelId) -> Result<(Reachable, Catalogue)> {
    let panel = panels::reachable(&ctx.app, &mut ctx.db(), id).await?;
    let catalogue = reseller::services(&ctx.app, panel.panel()).await.map_err(|error| refused(&error))?;
    Ok((panel, catalogue))
}

static TEXTS: Index =
    Index::trigrams("external_panel_services", &["name", "category", "external_panel_service_id"]);

/// All services of all panels, newest first.
pub static PANEL_SERVICES: Table = Table::new(
    &panel_contract::lists::external_services::PANEL_SERVICES,
    RowSource {
        base: "external_panel_services",
        alias: "k",
        key: "k.id",
        joins: &[
            Join { alias: "e", sql: "JOIN external_panels e ON e.id = k.external_panel_id" },
            Join { alias: "p", sql: concat!("LEFT JOIN providers p ON p.id = ", first_provider!()) },
        ],
        select: "k.id, k.external_panel_service_id, k.name, k.type AS kind, k.category, substr(k.description, 1, 500) AS description, k.external_panel_id, e.name AS panel_name, e.currency, k.rate, k.pricing_per,
      k.min_quantity, k.max_quantity, k.refill, k.cancel, k.parameters, k.refusal_kind, p.id AS provider_id, p.name AS provider_name, k.gone_at, k.created_at,
      e.is_archived AS panel_is_archived, (SELECT x.id FROM provider_packages x WHERE x.external_panel_id = k.external_panel_id
        AND x.external_panel_package_id = k.external_panel_service_id) AS package_id",
        ..RowSource::NONE
    },
    &[
        base("name").text_index("k.id", &TEXTS, "name"),
        base("category").text_index("k.id", &TEXTS, "category"),
        expr("external_panel_price", "k.rate"),
        expr("provider.id", "p.id").join("p"),
        expr("is_imported", "(p.id IS NOT NULL)").join("p"),
        expr("is_refused", "k.refusal_kind IS NOT NULL").bare(),
        expr("is_gone", "(k.gone_at IS NOT NULL)"),
    ],
)
.common_search(&[
    SearchTarget::new("k.id", &TEXTS, "name").here(&["k.name", "k.category", "k.external_panel_service_id"]),
]);

// Rules

/// The panel's own words, as a refusal of the request.
fn refused(error: &PanelError) -> Error {
    Error::invalid("external_panel_id", "panel_refused", error.to_string())
}

// Store

/// A panel must be there.
async fn unless_unknown(db: &mut impl Source, id: ExternalPanelId) -> Result<()> {
    match names::load_name(db, "external_panels", id).await? {
        Some(_) => Ok(()),
        None => Err(Error::not_found("external panel", id)),
    }
}

/// A service of the list as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
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
    refusal_kind: Option<PanelServiceRefusal>,
    provider_id: Option<ProviderId>,
    provider_name: Option<String>,
    gone_at: Option<Time>,
    created_at: Time,
    panel_is_archived: bool,
    package_id: Option<ProviderPackageId>,
}

impl Record {
    fn facts(&self) -> ImportFacts<'_> {
        let parameters = ServiceParameter::read_stored(&self.parameters);
        ImportFacts {
            id: self.id,
            kind: &self.kind,
            is_gone: self.gone_at.is_some(),
            provider_id: self.provider_id,
            not_sellable: imports::sellable(&self.kind, &parameters).err(),
        }
    }

    fn shown(self, scope: &Scope) -> PanelService {
        let facts = self.facts();
        let may = scope.may(Permission::ManageExternalPanels) && providers::is_open(self.panel_is_archived);
        let actions = PanelServiceActions {
            importable: may && providers::fault_of(&facts).is_none(),
            importable_as_package: may && packages::fault_of(&facts, self.package_id).is_none(),
        };
        let refusal = facts.not_sellable.map(|why| why.to_string());
        PanelService {
            refusal,
            actions,
            refusal_kind: self.refusal_kind,
            id: self.id,
            external_panel_service_id: self.external_panel_service_id,
            name: self.name,
            kind: self.kind,
            category: self.category,
            description: Some(self.description).filter(|text| !text.is_empty()),
            external_panel: Named { id: self.external_panel_id, name: self.panel_name },
            external_panel_price: self.rate,
            currency: self.currency,
            pricing_per: self.pricing_per,
            min_quantity: self.min_quantity,
            max_quantity: self.max_quantity,
            refill: self.refill,
            cancel: self.cancel,
            provider: self.provider_id.zip(self.provider_name).map(|(id, name)| Named { id, name }),
            gone_at: self.gone_at,
            created_at: self.created_at,
        }
    }
}
