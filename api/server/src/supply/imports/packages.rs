//! Importing packages that a panel sells: each becomes a package of that panel with what is in it, for packages of ours
//! to be made of.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Data;
use panel_contract::endpoints::external_services::ImportPackages;
use panel_contract::external_services::{ImportOutcome, ImportPackageItem, ImportedItem};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ExternalPanelId, ImportableServiceId, NetworkId, ProviderPackageId};
use panel_contract::packages::PackageType;
use panel_kernel::error::Result;
use serde_json::json;

use super::lines::Wrong;
use super::providers::{self, ImportFacts};
use super::stored_catalogue::{self, Importable, PanelPricing};
use crate::catalogue::packages::cost::FINEST as FINEST_DISCOUNT;
use crate::context::Ctx;
use crate::http::Req;
use panel_domain::fields::fits;
use panel_domain::imports;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Source, Sql, Val, names};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Most packages of one import.
const MOST: usize = 1_000;

// Routes

/// `POST external-panels/import-packages`.
pub async fn import(ctx: Ctx, req: Req<ImportPackages>) -> Result<Data<ImportOutcome>> {
    let (panel, wanted) = (req.body.external_panel_id, &req.body.packages);
    let ids: Vec<ImportableServiceId> = wanted.iter().map(|item| item.id).collect();
    let mut errors = FieldErrors::default();
    imports::check_ids(&mut errors, "packages", ".id", &ids, MOST);
    errors.or(())?;
    let mut work = ctx.begin().await?;
    providers::lock(&mut work, panel).await?;
    let networks: Vec<NetworkId> = wanted.iter().filter_map(|item| item.network_id).collect();
    let around = Around {
        terms: stored_catalogue::load_pricing(&mut work, panel).await?,
        known: stored_catalogue::by_id(&mut work, panel, &ids).await?,
        networks: names::load_names(&mut work, "networks", &networks).await?,
        taken: taken(&mut work, panel).await?,
        places: settings::rounding_precision(&mut work).await?,
    };
    let items = settle(wanted, &around)?;
    write(&mut work, panel, &items).await?;
    let shown = items.iter().map(|item| ImportedItem {
        id: item.kept.id.record(),
        name: item.name.clone(),
        external_panel_price: item.kept.rate,
        provider_price: Some(item.cost),
        price: item.fixed_cost,
        pricing_per: item.kept.pricing_per,
    });
    let data = providers::outcome(&ctx, items.len(), shown.collect());
    work.finish(Data { data }).await
}

// Rules

struct Around {
    terms: PanelPricing,
    known: BTreeMap<ImportableServiceId, Importable>,
    networks: BTreeMap<NetworkId, String>,
    /// Packages by the panel's id of them.
    taken: BTreeMap<String, ProviderPackageId>,
    /// Decimals that a fixed cost may have.
    places: u8,
}

/// A package as it will be known.
struct Item<'a> {
    kept: &'a Importable,
    name: String,
    kind: PackageType,
    network: Option<NetworkId>,
    cost: Money,
    fixed_cost: Option<Money>,
    discount: Fraction,
    sync: bool,
}

/// All of them, or every wrong field of each, named by its place and saying its id.
fn settle<'a>(wanted: &[ImportPackageItem], around: &'a Around) -> Result<Vec<Item<'a>>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut items = Vec::new();
    for (at, item) in wanted.iter().enumerate() {
        match one(item, around) {
            Ok(item) => items.push(item),
            Err(wrong) => {
                for (field, message) in wrong {
                    errors.add(format!("packages.{at}.{field}"), message);
                }
            }
        }
    }
    errors.or(items)
}

fn one<'a>(item: &ImportPackageItem, around: &'a Around) -> Result<Item<'a>, Wrong> {
    let id = item.id;
    let kept = importable(id, around).map_err(|message| vec![("id", message)])?;
    let mut wrong = Wrong::new();
    let name = item.name.as_deref().unwrap_or(&kept.name).trim();
    if name.is_empty() {
        wrong.push(("name", format!("Give package {id} a name.")));
    } else if let Err(message) = fits(name, 255) {
        wrong.push(("name", format!("Package {id}: {message}")));
    }
    if let Some(network) = item.network_id.filter(|network| !around.networks.contains_key(network)) {
        wrong.push(("network_id", format!("Package {id}: there is no network {network}.")));
    }
    let currency = &around.terms.currency;
    let cost = around.terms.rates.to_own(kept.rate, currency);
    if cost.is_none() {
        let message = format!("Service {id}: there is no exchange rate for {currency}; set one first.");
        wrong.push(("id", message));
    }
    check_pricing(item, around.places, &mut wrong);
    let (Some(cost), true) = (cost, wrong.is_empty()) else { return Err(wrong) };
    Ok(Item {
        kept,
        name: name.to_owned(),
        kind: item.kind.unwrap_or(PackageType::Auto),
        network: item.network_id,
        cost,
        fixed_cost: item.fixed_cost,
        discount: item.discount_percent.unwrap_or_default(),
        sync: item.sync.unwrap_or(false),
    })
}

/// The package of the panel, or why it cannot be imported.
fn importable(id: ImportableServiceId, around: &Around) -> Result<&Importable, String> {
    let kept = around.known.get(&id).ok_or_else(|| stored_catalogue::unknown(id))?;
    fault(kept, &around.taken).map_or(Ok(kept), Err)
}

/// Why a service of a panel cannot be imported as a package, if it cannot; `taken` are the panel's packages that are
/// imported already.
pub(super) fn fault(kept: &Importable, taken: &BTreeMap<String, ProviderPackageId>) -> Option<String> {
    fault_of(&ImportFacts::of(kept), taken.get(&kept.external_panel_service_id).copied())
}

/// The same; `package` is what it is imported as already.
pub(super) fn fault_of(service: &ImportFacts<'_>, package: Option<ProviderPackageId>) -> Option<String> {
    let id = service.id;
    if service.is_gone {
        return Some(format!("The panel no longer sells service {id}."));
    }
    if !imports::is_package(service.kind) {
        return Some(format!("Service {id} is no package, but {}; import it as a service.", service.kind));
    }
    if let Some(why) = &service.not_sellable {
        return Some(format!("Service {id} {why}."));
    }
    package.map(|package| format!("Service {id} is imported already, as package {package} of the panel."))
}

/// A fixed cost or a discount, each as packages of ours have it: what is imported must be good for making a package.
fn check_pricing(item: &ImportPackageItem, places: u8, wrong: &mut Wrong) {
    let id = item.id;
    if let Some(cost) = item.fixed_cost {
        if !(1..=imports::DEAREST).contains(&cost.0) {
            wrong.push(("fixed_cost", format!("Package {id}: give an amount above 0, up to 1,000,000.")));
        } else if cost.0 % Money::smallest(places).0 != 0 {
            wrong.push(("fixed_cost", format!("Package {id}: give at most {places} decimals.")));
        }
    }
    let discount = item.discount_percent.unwrap_or_default();
    if !(0..=Money::UNIT).contains(&discount.0) || discount.0 % FINEST_DISCOUNT != 0 {
        let message = format!("Package {id}: give a fraction from 0 to 1 with at most three decimals.");
        wrong.push(("discount_percent", message));
    } else if item.fixed_cost.is_some() && discount.0 > 0 {
        let message = format!("Package {id}: give a fixed cost or a discount, not both.");
        wrong.push(("discount_percent", message));
    }
}

// Store

/// The packages of a panel that are imported, by the panel's id of them.
pub(super) async fn taken(
    db: &mut impl Source,
    panel: ExternalPanelId,
) -> Result<BTreeMap<String, ProviderPackageId>> {
    let sql =
        Sql::new("SELECT external_panel_package_id, id FROM provider_packages WHERE external_panel_id = ?");
    Ok(db.all::<(String, ProviderPackageId)>(sql.bind(panel)).await?.into_iter().collect())
}

async fn write(work: &mut UnitOfWork, panel: ExternalPanelId, items: &[Item<'_>]) -> Result<()> {
    let now = work.stamp();
    let rows = items.iter().map(|item| -> Vec<Val> {
        vec![
            (&*item.kept.external_panel_service_id).into(),
            (&*item.name).into(),
            item.kind.as_str().into(),
            item.network.into(),
            item.fixed_cost.into(),
            item.discount.into(),
            item.sync.into(),
        ]
    });
    let sql = Sql::new(
        "INSERT INTO provider_packages (external_panel_id, external_panel_package_id, name, type, network_id, fixed_cost, discount_ppm, sync, created_at, updated_at)
         SELECT CAST(? AS BIGINT), r.there, r.name, r.kind, r.network, r.fixed, r.discount, r.follows, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ",
    );
    let columns = ["there", "name", "kind", "network", "fixed", "discount", "follows"];
    let sql = sql.bind(panel).bind(now).bind(now).rows("r", &columns, rows.collect());
    let made: Vec<(String, ProviderPackageId)> =
        work.all(sql.push(" RETURNING external_panel_package_id, id")).await?;
    let made: BTreeMap<String, ProviderPackageId> = made.into_iter().collect();
    let id = |item: &Item<'_>| made.get(&item.kept.external_panel_service_id).copied();
    let contents = items.iter().filter_map(|item| -> Option<Vec<Val>> {
        let there = (&*item.kept.external_panel_service_id).into();
        Some(vec![id(item)?.into(), there, (&*item.kept.name).into(), item.cost.into()])
    });
    // The panel sells the package itself by the piece; what is in it, it does not say.
    let sql = Sql::new(
        "INSERT INTO provider_package_contents (provider_package_id, external_panel_service_id, name, quantity, price, pricing_per)
         SELECT r.package, r.there, r.name, 1, r.price, 1 FROM ",
    );
    work.exec(sql.rows("r", &["package", "there", "name", "price"], contents.collect())).await?;
    let told = items.iter().filter_map(|item| {
        let new = json!({ "external_panel_id": panel, "external_panel_package_id": item.kept.external_panel_service_id, "name": item.name, "fixed_cost": item.fixed_cost });
        Some(AuditChange { id: id(item)?.record(), old: json!({}), new })
    });
    // The change log knows packages of ours; these are the panel's.
    audit::record_all(work, "provider_package.imported", "provider_package", told.collect()).await
}
