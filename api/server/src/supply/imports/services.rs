//! Importing services: each with its provider, its link and its name, however many, in a handful of statements.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoints::external_services::ImportServices;
use panel_contract::external_services::{
    ImportOutcome, ImportServiceItem, ImportServicesInput, ImportedItem,
};
use panel_contract::fields::FieldErrors;
use panel_contract::panel_service_types::PanelServiceType;
use serde_json::json;

use super::kept::{self, Importable, Terms};
use super::{providers, questions, rules};
use crate::catalogue::fields::fits;
use crate::catalogue::record::{self, Told};
use crate::db::{Source, Sql, Val};
use crate::http::error::Result;
use crate::http::{Ctx, Req};
use crate::operations::least_margin::{self, NewSale};
use crate::work::Work;

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

type Flags = [bool; 9];

// Routes

/// `POST external-panels/import-services`.
pub async fn import(ctx: Ctx, req: Req<ImportServices>) -> Result<Data<ImportOutcome>> {
    let input = &req.body;
    let ids: Vec<i64> = input.services.iter().map(|item| item.id).collect();
    let mut errors = FieldErrors::default();
    rules::check_ids(&mut errors, "services", ".id", &ids, rules::MOST);
    errors.or(())?;
    let panel = input.external_panel_id;
    let mut work = ctx.begin().await?;
    providers::lock(&mut work, panel).await?;
    let around = Around {
        terms: kept::terms(&mut work, panel).await?,
        flags: flags(&mut work, panel).await?,
        known: kept::by_id(&mut work, panel, &ids).await?,
        types: types(&mut work, input).await?,
        groups: groups(&mut work, input).await?,
    };
    let items = settle(input, &around)?;
    judge_margin(input, &items, around.terms.least).map_err(least_margin::refused)?;
    write(&mut work, panel, &around.terms.currency, &items).await?;
    let shown = items.iter().map(|item| ImportedItem {
        id: item.kept.id,
        name: item.name.clone(),
        external_panel_price: item.kept.rate,
        provider_price: Some(item.cost),
        price: Some(item.price),
        pricing_per: item.kept.pricing_per,
    });
    let data = providers::outcome(&ctx, items.len(), shown.collect());
    work.finish(Data { data }).await
}

// Rules

/// What an import is judged by.
struct Around {
    terms: Terms,
    /// The panel's own switches.
    flags: Flags,
    known: BTreeMap<i64, Importable>,
    /// Networks by service type.
    types: BTreeMap<i64, i64>,
    groups: Vec<i64>,
}

/// A service as it will be.
#[derive(Debug)]
struct Item<'a> {
    kept: &'a Importable,
    name: String,
    /// What the panel asks, in our currency.
    cost: Money,
    price: Money,
    /// The lowest possible price, the cost and the least margin: below it no discount goes.
    floor: Money,
    /// What its price follows with.
    margin: Fraction,
    kind: i64,
    /// The service type of the reseller API.
    panel_type: PanelServiceType,
    group: Option<i64>,
    flags: Flags,
}

/// All of them, or what is wrong with each, named by its place and saying its id.
fn settle<'a>(input: &ImportServicesInput, around: &'a Around) -> Result<Vec<Item<'a>>, FieldErrors> {
    let mut errors = FieldErrors::default();
    rules::check_margin(&mut errors, input.margin_percent);
    let mut items = Vec::with_capacity(input.services.len());
    for (at, item) in input.services.iter().enumerate() {
        let mut wrong = Vec::new();
        items.extend(one(input, item, around, &mut wrong));
        for (field, message) in wrong {
            errors.add(format!("services.{at}.{field}"), message);
        }
    }
    errors.or(items)
}

/// The margin and the prices that were given against the least margin, once nothing else is wrong. An import has no form to
/// confirm them in: a price below is set afterwards, one by one.
fn judge_margin(
    input: &ImportServicesInput,
    items: &[Item<'_>],
    least: Option<Fraction>,
) -> Result<(), FieldErrors> {
    let Some(margin) = least else { return Ok(()) };
    let mut errors = FieldErrors::default();
    let wanted = least_margin::judge_margin("margin_percent", input.margin_percent, least, "");
    let sales = items.iter().enumerate().map(|(at, item)| NewSale {
        field: format!("services.{at}.price"),
        what: format!("service {}", item.kept.id),
        price: item.price,
        lowest: item.floor,
    });
    let sales: Vec<NewSale> = sales.collect();
    for found in [wanted, least_margin::judge(&sales, margin, "")].into_iter().filter_map(Result::err) {
        errors.0.extend(found.0);
    }
    errors.or(())
}

type Wrong = Vec<(&'static str, String)>;

fn one<'a>(
    input: &ImportServicesInput,
    item: &ImportServiceItem,
    around: &'a Around,
    wrong: &mut Wrong,
) -> Option<Item<'a>> {
    let id = item.id;
    let kept = around.known.get(&id);
    if let Some(fault) = providers::fault(kept, id) {
        wrong.push(("id", fault));
        return None;
    }
    let kept = kept?;
    let panel_type = rules::sellable(&kept.kind, &kept.parameters()).ok()?;
    let name = item.name.as_deref().unwrap_or(&kept.name).trim();
    if name.is_empty() {
        wrong.push(("name", format!("Give service {id} a name.")));
    } else if let Err(message) = fits(name, 255) {
        wrong.push(("name", format!("Service {id}: {message}")));
    }
    let kind = placed(input, item, around, wrong);
    if let Some(group) = item.promotable_checker_group_id.filter(|group| !around.groups.contains(group)) {
        wrong.push((
            "promotable_checker_group_id",
            format!("Service {id}: there is no promotable checker group {group}."),
        ));
    }
    let (cost, price, floor, margin) = prices(input.margin_percent, item, kept, &around.terms, wrong)?;
    let group = item.promotable_checker_group_id;
    let flags = flags_of(item, &around.flags);
    Some(Item {
        kept,
        name: name.to_owned(),
        cost,
        price,
        floor,
        margin,
        kind: kind?,
        panel_type,
        group,
        flags,
    })
}

/// Its service type, which is one of its network.
fn placed(
    input: &ImportServicesInput,
    item: &ImportServiceItem,
    around: &Around,
    wrong: &mut Wrong,
) -> Option<i64> {
    let id = item.id;
    let Some(kind) = item.service_type_id.or(input.service_type_id) else {
        wrong.push(("service_type_id", format!("Choose the service type that service {id} belongs to.")));
        return None;
    };
    let network = item.network_id.or(input.network_id);
    match (around.types.get(&kind), network) {
        (None, _) => {
            wrong.push(("service_type_id", format!("Service {id}: there is no service type {kind}.")));
            None
        }
        (Some(of), Some(network)) if *of != network => {
            let message = format!("Service {id}: service type {kind} is of network {of}, not {network}.");
            wrong.push(("network_id", message));
            None
        }
        _ => Some(kind),
    }
}

/// Cost, price, floor and margin.
fn prices(
    margin: Option<Fraction>,
    item: &ImportServiceItem,
    kept: &Importable,
    terms: &Terms,
    wrong: &mut Wrong,
) -> Option<(Money, Money, Money, Fraction)> {
    let id = item.id;
    let Some(cost) = terms.rates.to_own(kept.rate, &terms.currency) else {
        let message =
            format!("Service {id}: there is no exchange rate for {}; set one first.", terms.currency);
        wrong.push(("price", message));
        return None;
    };
    let per = kept.pricing_per;
    let margin = rules::margin(margin.or(terms.margin), terms.least);
    let floor = rules::priced(cost, per, per, rules::margin(None, terms.least)).ok();
    let floor = floor.filter(|floor| floor.0 <= rules::DEAREST);
    let price = match item.price {
        Some(price) => Some(price),
        None => rules::priced(cost, per, per, margin).ok(),
    };
    let (Some(floor), Some(price)) = (floor, price.filter(|price| price.0 <= rules::DEAREST)) else {
        wrong.push(("price", format!("Service {id} would cost too much.")));
        return None;
    };
    let margin = match item.price {
        Some(price) => rules::margin_of(price, cost).unwrap_or(margin),
        None => margin,
    };
    Some((cost, price, floor, margin))
}

fn flags_of(item: &ImportServiceItem, panel: &Flags) -> Flags {
    let said = [
        item.sync_params,
        item.sync_prices,
        item.sync_labels,
        item.sync_name,
        item.sync_meta,
        item.sync_service_details,
        item.sync_description_field,
        item.sync_short_description,
        item.sync_reviews,
    ];
    let mut flags = *panel;
    for (flag, said) in flags.iter_mut().zip(said) {
        *flag = said.unwrap_or(*flag);
    }
    flags
}

// Store

async fn flags(work: &mut Work, panel: i64) -> Result<Flags> {
    let sql = Sql::new(
        "SELECT sync_params, sync_prices, sync_labels, sync_name, sync_meta, sync_service_details, sync_description, sync_short_description, sync_reviews
         FROM external_panels WHERE id = ?",
    );
    let (a, b, c, d, e, f, g, h, i) = work.one(sql.bind(panel)).await?;
    Ok([a, b, c, d, e, f, g, h, i])
}

async fn types(work: &mut Work, input: &ImportServicesInput) -> Result<BTreeMap<i64, i64>> {
    let mut ids: Vec<i64> = input.services.iter().filter_map(|item| item.service_type_id).collect();
    ids.extend(input.service_type_id);
    ids.sort_unstable();
    ids.dedup();
    let sql = Sql::new("SELECT id, network_id FROM service_types WHERE id IN ").ids(&ids);
    Ok(work.all::<(i64, i64)>(sql).await?.into_iter().collect())
}

async fn groups(work: &mut Work, input: &ImportServicesInput) -> Result<Vec<i64>> {
    let mut ids: Vec<i64> =
        input.services.iter().filter_map(|item| item.promotable_checker_group_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let sql = Sql::new("SELECT id FROM promotable_checker_groups WHERE id IN ").ids(&ids);
    Ok(work.all::<(i64,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Providers, services, links and names; each in one statement.
async fn write(work: &mut Work, panel: i64, currency: &str, items: &[Item<'_>]) -> Result<()> {
    let kept: Vec<&Importable> = items.iter().map(|item| item.kept).collect();
    let providers = providers::insert(work, panel, currency, &kept).await?;
    let made = insert(work, items, &providers).await?;
    let ids: Vec<i64> = made.values().copied().collect();
    let links = "INSERT INTO service_providers (service_id, provider_id, position)
         SELECT id, imported_provider_id, 0 FROM services WHERE id IN ";
    work.exec(Sql::new(links).ids(&ids)).await?;
    let sold = items.iter().filter_map(|item| {
        let provider = providers.get(&item.kept.external_panel_service_id)?;
        Some((*made.get(provider)?, item.panel_type, item.kept.parameters()))
    });
    questions::attach(work, &sold.collect::<Vec<_>>()).await?;
    let names = "INSERT INTO translations (owner_type, owner_id, locale, field, value)
         SELECT 'service', id, 'en', 'name', name FROM services WHERE id IN ";
    work.exec(Sql::new(names).ids(&ids)).await?;
    let told = items.iter().filter_map(|item| {
        let provider = *providers.get(&item.kept.external_panel_service_id)?;
        let new = json!({
            "service_type_id": item.kind, "name": item.name, "default_price": item.price, "min_price": item.floor.min(item.price), "pricing_per": item.kept.pricing_per,
            "panel_service_type": item.panel_type, "min_quantity": item.kept.min_quantity, "max_quantity": item.kept.max_quantity, "providers": [provider],
        });
        Some(Told { id: *made.get(&provider)?, name: item.name.clone(), old: json!({}), new })
    });
    record::tell_all(work, ChangeAction::Imported, ChangeModel::Service, told.collect()).await
}

/// Makes the services, last in their types; their ids by their providers'.
async fn insert(
    work: &mut Work,
    items: &[Item<'_>],
    providers: &BTreeMap<String, i64>,
) -> Result<BTreeMap<i64, i64>> {
    let mut last = last_places(work, items).await?;
    let now = work.stamp();
    let mut rows = Vec::with_capacity(items.len());
    for item in items {
        let Some(provider) = providers.get(&item.kept.external_panel_service_id) else { continue };
        let place = last.entry(item.kind).or_default();
        *place += 1;
        let mut row: Vec<Val> = vec![
            item.kind.into(),
            (&*item.name).into(),
            item.kept.min_quantity.into(),
            item.kept.max_quantity.into(),
            item.floor.min(item.price).into(),
            item.price.into(),
            item.kept.pricing_per.into(),
            item.kept.refill.into(),
            item.kept.dripfeed.into(),
            item.margin.into(),
            item.group.into(),
            (*provider).into(),
            (*place).into(),
            item.panel_type.as_str().into(),
        ];
        row.extend(item.flags.map(Val::from));
        rows.push(row);
    }
    let columns: Vec<&'static str> = [
        "kind",
        "name",
        "least",
        "most",
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
        "INSERT INTO services (service_type_id, name, min_quantity, max_quantity, min_price, default_price, pricing_per, has_refill, drip_feed_is_allowed,
           resale_margin_ppm, promotable_checker_group_id, imported_provider_id, sorting, panel_service_type, has_active_providers, created_at, updated_at, sync_params, sync_prices,
           sync_labels, sync_name, sync_meta, sync_service_details, sync_description_field, sync_short_description, sync_reviews)
         SELECT r.kind, r.name, r.least, r.most, r.floor, r.price, r.per, r.refill, r.dripfeed, r.margin, r.checkers, r.provider, r.place, r.panel_type, TRUE,
           CAST(? AS BIGINT), CAST(? AS BIGINT), r.sync_params, r.sync_prices, r.sync_labels, r.sync_name, r.sync_meta, r.sync_service_details,
           r.sync_description_field, r.sync_short_description, r.sync_reviews FROM ",
    );
    let sql = sql.bind(now).bind(now).rows("r", &columns, rows).push(" RETURNING imported_provider_id, id");
    Ok(work.all::<(i64, i64)>(sql).await?.into_iter().collect())
}

async fn last_places(work: &mut Work, items: &[Item<'_>]) -> Result<BTreeMap<i64, i64>> {
    let mut ids: Vec<i64> = items.iter().map(|item| item.kind).collect();
    ids.sort_unstable();
    ids.dedup();
    let sql = Sql::new("SELECT service_type_id, max(sorting) FROM services WHERE service_type_id IN ");
    let last: Vec<(i64, i64)> = work.all(sql.ids(&ids).push(" GROUP BY service_type_id")).await?;
    Ok(last.into_iter().collect())
}
