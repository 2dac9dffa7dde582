//! Importing services: each with its provider, its link and its texts, however many, in a handful of statements.

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

pub use super::lines::Flags;
use super::lines::{self, Known, Line, Place};
use super::stored_catalogue::{self, Importable};
use super::{providers, questions};
use crate::catalogue::service_types::categories;
use crate::context::Ctx;
use crate::http::Req;
use crate::pricing::least_margin;
use crate::records::changes::{self, RecordChange};
use panel_domain::imports;
use panel_domain::least_margin::NewPrice;
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::UnitOfWork;

/// What of a service can follow its panel: the service's columns, in the order of [`Flags`].
const FLAGS: [&str; 9] = [
    "sync_params",
    "sync_prices",
    "sync_labels",
    "sync_name",
    "sync_meta",
    "sync_service_details",
    "sync_description_field",
    "sync_short_description",
    "sync_reviews",
];
/// Rows of one statement.
const ROWS: usize = 5_000;

// Routes

/// `POST external-panels/import-services`.
pub async fn import(ctx: Ctx, req: Req<ImportServices>) -> Result<Data<ImportOutcome>> {
    let mut work = ctx.begin().await?;
    let done = run(&mut work, &req.body).await?;
    let outcome = providers::outcome(&ctx, done.items.len(), done.items);
    let data = ImportOutcome { service_types: done.service_types, ..outcome };
    work.finish(Data { data }).await
}

/// What an import made.
pub struct Imported {
    /// Its services, in the order of the lines.
    pub items: Vec<ImportedItem>,
    /// Names of the service types that were made for categories.
    pub service_types: Vec<String>,
}

/// Imports all lines, or none: everything that is wrong is named.
pub async fn run(work: &mut UnitOfWork, input: &ImportServicesInput) -> Result<Imported> {
    let ids: Vec<ImportableServiceId> = input.services.iter().map(|item| item.id).collect();
    let mut errors = FieldErrors::default();
    imports::check_ids(&mut errors, "services", ".id", &ids, imports::MOST);
    errors.or(())?;
    providers::lock(work, input.external_panel_id).await?;
    let known = known(work, input).await?;
    let lines = lines::all(input, &known)?;
    let places: BTreeMap<ImportableServiceId, usize> =
        ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let at = |id: ImportableServiceId| places.get(&id).map(|at| format!("services.{at}.price"));
    write(work, input.external_panel_id, &known, &lines, &at).await
}

// Store

/// The panel's own switches, as services have them.
pub async fn flags(db: &mut impl Source, panel: ExternalPanelId) -> Result<Flags> {
    let sql = Sql::new(
        "SELECT sync_params, sync_prices, sync_labels, sync_name, sync_meta, sync_service_details, sync_description, sync_short_description, sync_reviews
         FROM external_panels WHERE id = ?",
    );
    let (a, b, c, d, e, f, g, h, i) = db.one(sql.bind(panel)).await?;
    Ok([a, b, c, d, e, f, g, h, i])
}

/// Everything that the lines are judged by, in a fixed number of statements.
pub async fn known(work: &mut UnitOfWork, input: &ImportServicesInput) -> Result<Known> {
    let panel = input.external_panel_id;
    let ids: Vec<ImportableServiceId> = input.services.iter().map(|item| item.id).collect();
    let lines = &input.services;
    let types = distinct(lines.iter().filter_map(|item| item.service_type_id).chain(input.service_type_id));
    let networks = distinct(lines.iter().filter_map(|item| item.network_id).chain(input.network_id));
    let groups = distinct(lines.iter().filter_map(|item| item.promotable_checker_group_id));
    let types = Sql::new("SELECT id, network_id, type FROM service_types WHERE id IN ").ids(&types);
    let types: Vec<(ServiceTypeId, NetworkId, ServiceTypeKind)> = work.all(types).await?;
    let services = stored_catalogue::by_id(work, panel, &ids).await?;
    let category_kinds = match input.keep_categories && !groups.is_empty() {
        true => category_kinds(work, &networks, &services).await?,
        false => BTreeMap::new(),
    };
    let networks = Sql::new("SELECT id FROM networks WHERE id IN ").ids(&networks);
    let groups =
        Sql::new("SELECT id, service_type_type FROM promotable_checker_groups WHERE id IN ").ids(&groups);
    Ok(Known {
        terms: stored_catalogue::load_pricing(work, panel).await?,
        flags: flags(work, panel).await?,
        services,
        types: types.iter().map(|(id, network, _)| (*id, *network)).collect(),
        networks: work.all::<(NetworkId,)>(networks).await?.into_iter().map(|(id,)| id).collect(),
        groups: work.all::<(CheckerGroupId, ServiceTypeKind)>(groups).await?.into_iter().collect(),
        kinds: types.into_iter().map(|(id, _, kind)| (id, kind)).collect(),
        category_kinds,
    })
}

/// Each once, sorted.
fn distinct<I: Id>(ids: impl Iterator<Item = I>) -> Vec<I> {
    ids.collect::<BTreeSet<I>>().into_iter().collect()
}

/// What the service types are about that keep the categories of these services, by network and category.
async fn category_kinds(
    work: &mut UnitOfWork,
    networks: &[NetworkId],
    services: &BTreeMap<ImportableServiceId, Importable>,
) -> Result<BTreeMap<(NetworkId, String), ServiceTypeKind>> {
    let all: BTreeSet<&str> = services.values().map(|service| &*service.category).collect();
    let mut kinds = BTreeMap::new();
    for network in networks {
        let found = categories::kinds(work, *network, &all).await?;
        kinds.extend(found.into_iter().map(|(category, kind)| ((*network, category), kind)));
    }
    Ok(kinds)
}

/// Service types, providers, services, links and texts; each in one statement. `field` names the price of a line, by the
/// panel's service.
pub async fn write(
    work: &mut UnitOfWork,
    panel: ExternalPanelId,
    known: &Known,
    lines: &[Line<'_>],
    field: &(dyn Fn(ImportableServiceId) -> Option<String> + Sync),
) -> Result<Imported> {
    let (types, service_types) = places(work, lines).await?;
    let kept: Vec<&Importable> = lines.iter().map(|line| line.kept).collect();
    let providers = providers::insert(work, panel, &known.terms.currency, &kept).await?;
    let made = insert(work, lines, &types, &providers).await?;
    let of = |line: &Line<'_>| {
        let provider = *providers.get(&line.kept.external_panel_service_id)?;
        Some((provider, *made.get(&provider)?))
    };
    let sold: Vec<(ProviderId, ServiceId, &Line<'_>)> =
        lines.iter().filter_map(|line| of(line).map(|(provider, id)| (provider, id, line))).collect();
    let ids: Vec<ServiceId> = sold.iter().map(|(_, id, _)| *id).collect();
    let links = "INSERT INTO service_providers (service_id, provider_id, position)
         SELECT id, imported_provider_id, 0 FROM services WHERE id IN ";
    work.exec(Sql::new(links).ids(&ids)).await?;
    let asked = sold.iter().map(|(_, id, line)| (*id, line.panel_type, line.kept.parameters()));
    questions::attach(work, &asked.collect::<Vec<_>>()).await?;
    texts(work, &ids, &sold).await?;
    let prices = sold.iter().map(|(_, id, line)| {
        let field = field(line.kept.id).unwrap_or_else(|| "services".into());
        NewPrice::of_service(field, *id, line.price, line.kept.pricing_per)
    });
    // The lines were judged by the same rule; what else sets a price is judged here, too.
    least_margin::check(work, &prices.collect::<Vec<_>>(), false).await?;
    record_change(work, &types, &sold).await?;
    let items = lines.iter().map(|line| ImportedItem {
        id: line.kept.id.record(),
        name: line.name.clone(),
        external_panel_price: line.kept.rate,
        provider_price: Some(line.cost),
        price: Some(line.price),
        pricing_per: line.kept.pricing_per,
    });
    Ok(Imported { items: items.collect(), service_types })
}

/// Service types by place, and the names of those that were made for categories.
async fn places<'a>(
    work: &mut UnitOfWork,
    lines: &[Line<'a>],
) -> Result<(BTreeMap<Place<'a>, ServiceTypeId>, Vec<String>)> {
    let (mut types, mut made) = (BTreeMap::new(), Vec::new());
    let mut wanted: BTreeMap<NetworkId, BTreeSet<&'a str>> = BTreeMap::new();
    for line in lines {
        match line.place {
            Place::Type(id) => {
                types.insert(Place::Type(id), id);
            }
            Place::Category(network, category) => {
                wanted.entry(network).or_default().insert(category);
            }
        }
    }
    for (network, all) in wanted {
        let found = categories::ensure(work, network, &all).await?;
        for category in all {
            if let Some(id) = found.ids.get(category) {
                types.insert(Place::Category(network, category), *id);
            }
        }
        made.extend(found.made);
    }
    Ok((types, made))
}

/// English names and descriptions.
async fn texts(
    work: &mut UnitOfWork,
    ids: &[ServiceId],
    sold: &[(ProviderId, ServiceId, &Line<'_>)],
) -> Result<()> {
    let names = "INSERT INTO translations (owner_type, owner_id, locale, field, value)
         SELECT 'service', id, 'en', 'name', name FROM services WHERE id IN ";
    work.exec(Sql::new(names).ids(ids)).await?;
    let described = sold.iter().filter(|(_, _, line)| !line.description.is_empty());
    let rows: Vec<Vec<Val>> =
        described.map(|(_, id, line)| vec![(*id).into(), Val::from(&*line.description)]).collect();
    for part in rows.chunks(ROWS) {
        let sql = Sql::new(
            "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'service', r.id, 'en', 'description', r.text FROM ",
        );
        work.exec(sql.rows("r", &["id", "text"], part.to_vec())).await?;
    }
    Ok(())
}

async fn record_change(
    work: &mut UnitOfWork,
    types: &BTreeMap<Place<'_>, ServiceTypeId>,
    sold: &[(ProviderId, ServiceId, &Line<'_>)],
) -> Result<()> {
    let record_changes = sold.iter().map(|(provider, id, line)| {
        let description = Some(&line.description).filter(|text| !text.is_empty());
        let new = json!({
            "service_type_id": types.get(&line.place), "name": line.name, "description": description, "default_price": line.price,
            "min_price": line.floor.min(line.price), "pricing_per": line.kept.pricing_per, "panel_service_type": line.panel_type,
            "min_quantity": line.kept.min_quantity, "max_quantity": line.kept.max_quantity, "quantity_step": line.kept.quantity_step,
            "providers": [provider],
        });
        RecordChange { id: (*id).record(), name: line.name.clone(), old: json!({}), new }
    });
    changes::record_all(work, ChangeAction::Imported, ChangeModel::Service, record_changes.collect()).await
}

/// Makes the services, last in their types; their ids by their providers'.
async fn insert(
    work: &mut UnitOfWork,
    lines: &[Line<'_>],
    types: &BTreeMap<Place<'_>, ServiceTypeId>,
    providers: &BTreeMap<String, ProviderId>,
) -> Result<BTreeMap<ProviderId, ServiceId>> {
    let mut last = last_places(work, types.values().copied().collect()).await?;
    let now = work.stamp();
    let mut rows = Vec::with_capacity(lines.len());
    for line in lines {
        let Some(provider) = providers.get(&line.kept.external_panel_service_id) else { continue };
        let Some(kind) = types.get(&line.place).copied() else { continue };
        let place = last.entry(kind).or_default();
        *place += 1;
        let mut row: Vec<Val> = vec![
            kind.into(),
            (&*line.name).into(),
            line.kept.min_quantity.into(),
            line.kept.max_quantity.into(),
            line.kept.quantity_step.into(),
            line.floor.min(line.price).into(),
            line.price.into(),
            line.kept.pricing_per.into(),
            line.kept.refill.into(),
            line.kept.dripfeed.into(),
            line.margin.into(),
            line.group.into(),
            (*provider).into(),
            (*place).into(),
            line.panel_type.as_str().into(),
        ];
        row.extend(line.flags.map(Val::from));
        rows.push(row);
    }
    let columns: Vec<&'static str> = [
        "kind",
        "name",
        "least",
        "most",
        "step",
        "floor",
        "price",
        "per",
        "refill",
        "dripfeed",
        "margin",
        "checkers",
        "provider",
        "place",
        "panel_type",
    ]
    .into_iter()
    .chain(FLAGS)
    .collect();
    let sql = Sql::new(
        "INSERT INTO services (service_type_id, name, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per, has_refill, drip_feed_is_allowed,
           resale_margin_ppm, promotable_checker_group_id, imported_provider_id, sorting, panel_service_type, has_active_providers, created_at, updated_at, sync_params, sync_prices,
           sync_labels, sync_name, sync_meta, sync_service_details, sync_description_field, sync_short_description, sync_reviews)
         SELECT r.kind, r.name, r.least, r.most, r.step, r.floor, r.price, r.per, r.refill, r.dripfeed, r.margin, r.checkers, r.provider, r.place, r.panel_type, TRUE,
           CAST(? AS BIGINT), CAST(? AS BIGINT), r.sync_params, r.sync_prices, r.sync_labels, r.sync_name, r.sync_meta, r.sync_service_details,
           r.sync_description_field, r.sync_short_description, r.sync_reviews FROM ",
    );
    let sql = sql.bind(now).bind(now).rows("r", &columns, rows).push(" RETURNING imported_provider_id, id");
    Ok(work.all::<(ProviderId, ServiceId)>(sql).await?.into_iter().collect())
}

async fn last_places(
    work: &mut UnitOfWork,
    types: BTreeSet<ServiceTypeId>,
) -> Result<BTreeMap<ServiceTypeId, i64>> {
    let ids: Vec<ServiceTypeId> = types.into_iter().collect();
    let sql = Sql::new("SELECT service_type_id, max(sorting) FROM services WHERE service_type_id IN ");
    let last: Vec<(ServiceTypeId, i64)> = work.all(sql.ids(&ids).push(" GROUP BY service_type_id")).await?;
    Ok(last.into_iter().collect())
}
