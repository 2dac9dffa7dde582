//! Stored copies of the external panels' catalogues. One statement writes many rows, and only rows that differ are written.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{FetchedServices, PanelServiceRefusal};
use panel_contract::ids::{ExternalPanelId, ImportableServiceId, ProviderId};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::catalogue::services::TEXTS;
use crate::pricing::rates::ExchangeRates;
use crate::supply::panels::{self, Reachable};
use panel_domain::imports;
use panel_domain::reseller_protocol::own_texts::OwnTexts;
use panel_domain::reseller_protocol::read::{Catalogue, Service, ServiceParameter};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Longest stored name and category in characters: the limit of a service of this panel.
const MAX_NAME_CHARS: usize = 255;
/// Largest quantity of an order: the limit of a service of this panel.
const MAX_QUANTITY: i64 = 1_000_000_000;
/// Rows of one statement.
const ROWS_PER_STATEMENT: usize = 5_000;

// Rules

/// The error text for a service that is not in the stored catalogue of the panel.
pub fn unknown(id: ImportableServiceId) -> String {
    format!("Service {id} is not in the list of this panel. Fetch the list again.")
}

/// The error of a price that is above the limit of an amount.
pub fn too_large(field: &str) -> Error {
    Error::invalid(field, "too_large", "The calculated price is too large.")
}

/// A service of an external panel's list. The name, type and category are single lines,
/// and values are within the limits of a service of this panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedService {
    /// Id at the external panel.
    pub id: String,
    pub name: String,
    /// The type as the external panel writes it.
    pub kind: String,
    pub category: String,
    /// The external panel's price, in its currency.
    pub rate: Money,
    pub min: i64,
    pub max: i64,
    /// Quantities are `min` plus a multiple of it; `None` if the list has no step.
    pub step: Option<i64>,
    flags: [bool; 3],
    /// Whether the service has refill; `None` if the list does not contain this field.
    pub refills: Option<bool>,
    /// Whether the service allows drip feeds; `None` if the list does not contain this field.
    pub drips: Option<bool>,
    /// Parameters of an order in addition to those of its type.
    pub parameters: Vec<ServiceParameter>,
    pub description: Option<String>,
    /// Texts and labels that only panels of this product send. They are copied to services and not stored in the catalogue.
    pub texts: OwnTexts,
    /// Why it cannot be imported; `None` if it can.
    refusal: Option<PanelServiceRefusal>,
}

impl ListedService {
    #[must_use]
    pub fn of(service: &Service) -> Self {
        let kind = line(&service.kind);
        // The quantity of a package is always one, whatever the package contains.
        let (min, max, step) = match imports::is_package(&kind) {
            true => (1, 1, service.step.map(|_| 1)),
            false => (service.min, service.max, service.step),
        };
        let min = min.clamp(1, MAX_QUANTITY);
        let refusal = imports::sellable(&kind, &service.parameters).err().map(|refused| refused.kind);
        Self {
            refusal,
            id: service.id.clone(),
            name: line(&service.name),
            kind,
            category: line(&service.category),
            rate: Money(service.rate.0.min(imports::DEAREST)),
            min,
            max: max.clamp(min, MAX_QUANTITY),
            step: step.map(|step| step.clamp(1, MAX_QUANTITY)),
            flags: [service.refill, service.cancel, service.dripfeed],
            refills: service.says_refill.then_some(service.refill),
            drips: service.says_dripfeed.then_some(service.dripfeed),
            parameters: service.parameters.clone(),
            description: service
                .description
                .as_deref()
                .map(imports::plain_text)
                .filter(|text| !text.is_empty()),
            texts: own_texts(&service.texts),
        }
    }

    /// Whether all stored fields are equal.
    fn is_same_as_stored(&self, kept: &Self) -> bool {
        (&self.name, &self.kind, &self.category, self.flags, &self.parameters)
            == (&kept.name, &kept.kind, &kept.category, kept.flags, &kept.parameters)
            && (self.rate, self.min, self.max) == (kept.rate, kept.min, kept.max)
            && self.step_or_one() == kept.step_or_one()
            && (&self.description, self.refusal) == (&kept.description, kept.refusal)
    }

    /// A panel whose list has no step accepts every quantity within the bounds.
    fn step_or_one(&self) -> i64 {
        self.step.unwrap_or(1)
    }

    fn row(&self) -> Vec<Val> {
        let [refill, cancel, dripfeed] = self.flags;
        vec![
            (&*self.id).into(),
            (&*self.name).into(),
            (&*self.kind).into(),
            (&*self.category).into(),
            self.rate.into(),
            imports::per(&self.kind).into(),
            self.min.into(),
            self.max.into(),
            self.step_or_one().into(),
            refill.into(),
            cancel.into(),
            dripfeed.into(),
            json!(self.parameters).to_string().into(),
            self.description.as_deref().unwrap_or_default().into(),
            self.refusal.map(PanelServiceRefusal::as_str).into(),
        ]
    }
}

/// The external panel's texts as plain text, each cut to the limit of its field.
fn own_texts(listed: &OwnTexts) -> OwnTexts {
    let text = |text: &Option<String>, field: &str| {
        let plain = text.as_deref().map(imports::plain_text)?;
        let most =
            TEXTS.fields.iter().find(|known| known.field == field).map_or(MAX_NAME_CHARS, |known| known.most);
        Some(plain.chars().take(most).collect::<String>()).filter(|text| !text.is_empty())
    };
    OwnTexts {
        short_description: text(&listed.short_description, "short_description"),
        meta_title: text(&listed.meta_title, "meta_title").map(|title| line(&title)),
        meta_description: text(&listed.meta_description, "meta_description"),
        reviews: text(&listed.reviews, "reviews"),
        labels: listed.labels.clone(),
    }
}

fn line(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_NAME_CHARS).collect()
}

/// The services that differ from the stored ones, the ids that disappeared, and the counts of both. If some entries are
/// unreadable, a missing service may be one of them, so no id counts as gone.
fn changed_fields(
    known: &BTreeMap<String, (ListedService, bool)>,
    catalogue: &Catalogue,
) -> (Vec<ListedService>, Vec<String>, FetchedServices) {
    let mut counts = FetchedServices {
        services_count: count(catalogue.services.len()),
        unreadable_count: count(catalogue.unreadable),
        ..FetchedServices::default()
    };
    let (mut write, mut seen) = (Vec::new(), BTreeSet::new());
    for listed in catalogue.services.iter().map(ListedService::of) {
        // If an id occurs twice, the first entry counts.
        if !seen.insert(listed.id.clone()) {
            continue;
        }
        match known.get(&listed.id) {
            None => counts.new_count += 1,
            Some((before, is_gone)) if !listed.is_same_as_stored(before) || *is_gone => {
                counts.changed_count += 1
            }
            Some(_) => continue,
        }
        write.push(listed);
    }
    let complete = catalogue.unreadable == 0 && !catalogue.services.is_empty();
    let gone = known.iter().filter(|(id, (_, is_gone))| complete && !is_gone && !seen.contains(*id));
    let gone: Vec<String> = gone.map(|(id, _)| id.clone()).collect();
    counts.gone_count = count(gone.len());
    (write, gone, counts)
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

// Store

/// What the prices of imported services are calculated from.
pub struct PanelPricing {
    /// ISO code of the external panel's currency.
    pub currency: String,
    /// Margin of the external panel.
    pub margin: Option<Fraction>,
    /// Lowest margin that the settings allow.
    pub least: Option<Fraction>,
    pub rates: ExchangeRates,
}

/// Loads the pricing of an external panel; 404 if the panel does not exist.
pub async fn load_pricing(db: &mut impl Source, id: ExternalPanelId) -> Result<PanelPricing> {
    let sql = Sql::new("SELECT currency, resale_margin_ppm FROM external_panels WHERE id = ?").bind(id);
    let row: Option<(String, Option<Fraction>)> = db.opt(sql).await?;
    let (currency, margin) = row.ok_or_else(|| Error::not_found("external panel", id))?;
    Ok(PanelPricing {
        currency,
        margin,
        least: settings::min_margin(db).await?,
        rates: ExchangeRates::read(db).await?,
    })
}

#[derive(sqlx::FromRow)]
struct ListedServiceRow {
    external_panel_service_id: String,
    name: String,
    kind: String,
    category: String,
    rate: Money,
    min_quantity: i64,
    max_quantity: i64,
    quantity_step: i64,
    refill: bool,
    cancel: bool,
    dripfeed: bool,
    parameters: String,
    description: String,
    refusal_kind: Option<PanelServiceRefusal>,
    is_gone: bool,
}

/// Stores the fetched catalogue of a panel: writes the services that differ, and marks the missing ones as gone.
pub async fn keep(
    work: &mut UnitOfWork,
    panel: &Reachable,
    catalogue: &Catalogue,
) -> Result<FetchedServices> {
    // The lock lets one process at a time write the catalogue of a panel.
    panels::lock_unless_moved(work, panel).await?;
    let panel = panel.id;
    let sql = Sql::new(
        "SELECT external_panel_service_id, name, type AS kind, category, rate, min_quantity, max_quantity, quantity_step, refill, cancel, dripfeed, parameters, description,
           refusal_kind,
           gone_at IS NOT NULL AS is_gone FROM external_panel_services WHERE external_panel_id = ?",
    );
    let known = work.all::<ListedServiceRow>(sql.bind(panel)).await?.into_iter().map(|row| {
        let flags = [row.refill, row.cancel, row.dripfeed];
        let id = row.external_panel_service_id;
        let (min, max) = (row.min_quantity, row.max_quantity);
        let listed = ListedService {
            id: id.clone(),
            name: row.name,
            kind: row.kind,
            category: row.category,
            rate: row.rate,
            min,
            max,
            step: Some(row.quantity_step),
            flags,
            refills: None,
            drips: None,
            parameters: ServiceParameter::read_stored(&row.parameters),
            description: Some(row.description).filter(|text| !text.is_empty()),
            texts: OwnTexts::default(),
            refusal: row.refusal_kind,
        };
        (id, (listed, row.is_gone))
    });
    let (write, gone, counts) = changed_fields(&known.collect(), catalogue);
    let now = work.stamp();
    for listed in write.chunks(ROWS_PER_STATEMENT) {
        let columns = [
            "id",
            "name",
            "type",
            "category",
            "rate",
            "per",
            "least",
            "most",
            "step",
            "refill",
            "cancel",
            "dripfeed",
            "parameters",
            "description",
            "refusal",
        ];
        let sql = Sql::new(
            "INSERT INTO external_panel_services (external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity,
               quantity_step, refill, cancel, dripfeed, parameters, description, refusal_kind, created_at, updated_at)
             SELECT CAST(? AS BIGINT), r.id, r.name, r.type, r.category, r.rate, r.per, r.least, r.most, r.step, r.refill, r.cancel, r.dripfeed, r.parameters, r.description, r.refusal, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ",
        );
        let sql = sql.bind(panel).bind(now).bind(now).rows(
            "r",
            &columns,
            listed.iter().map(ListedService::row).collect(),
        );
        work.exec(sql.push(
            " WHERE TRUE ON CONFLICT (external_panel_id, external_panel_service_id) DO UPDATE SET name = excluded.name, type = excluded.type, category = excluded.category,
               rate = excluded.rate, pricing_per = excluded.pricing_per, min_quantity = excluded.min_quantity, max_quantity = excluded.max_quantity,
               quantity_step = excluded.quantity_step, refill = excluded.refill, cancel = excluded.cancel, dripfeed = excluded.dripfeed, parameters = excluded.parameters,
               description = excluded.description, refusal_kind = excluded.refusal_kind, gone_at = NULL, updated_at = excluded.updated_at",
        ))
        .await?;
    }
    for ids in gone.chunks(ROWS_PER_STATEMENT) {
        let rows = ids.iter().map(|id| vec![Val::from(&**id)]).collect();
        let sql = Sql::new("UPDATE external_panel_services SET gone_at = ?, updated_at = ? FROM ")
            .bind(now)
            .bind(now);
        let sql = sql.rows("r", &["gone"], rows).push(" WHERE external_panel_services.external_panel_id = ? AND external_panel_services.external_panel_service_id = r.gone");
        work.exec(sql.bind(panel)).await?;
    }
    Ok(counts)
}

/// A stored service of an external panel that staff can import.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Importable {
    /// The external panel that sells it.
    external_panel_id: ExternalPanelId,
    pub id: ImportableServiceId,
    /// Id at the external panel.
    pub external_panel_service_id: String,
    pub name: String,
    /// The type as the external panel writes it.
    pub kind: String,
    pub category: String,
    /// Empty if the panel sends none.
    pub description: String,
    /// The external panel's price for `pricing_per` units, in its currency.
    pub rate: Money,
    pub pricing_per: i64,
    pub min_quantity: i64,
    pub max_quantity: i64,
    /// Quantities are `min_quantity` plus a multiple of it.
    pub quantity_step: i64,
    pub refill: bool,
    /// Whether it allows drip feeds.
    pub dripfeed: bool,
    /// JSON list of the order's parameters in addition to those of its type.
    parameters: String,
    /// Whether the external panel no longer lists it.
    pub is_gone: bool,
    /// The first provider that was created from it.
    pub provider_id: Option<ProviderId>,
}

impl Importable {
    /// Parameters of an order in addition to those of its type.
    #[must_use]
    pub fn parameters(&self) -> Vec<ServiceParameter> {
        ServiceParameter::read_stored(&self.parameters)
    }
}

/// The requested services of one panel, by id. Ids of other panels are ignored.
pub async fn by_id(
    db: &mut impl Source,
    panel: ExternalPanelId,
    ids: &[ImportableServiceId],
) -> Result<BTreeMap<ImportableServiceId, Importable>> {
    // The panel is compared in Rust and not in SQL: right after an import, PostgreSQL has no statistics on the panel's rows,
    // and its plan would scan all ids for each service.
    let sql = Sql::new(concat!(
        "SELECT k.external_panel_id, k.id, k.external_panel_service_id, k.name, k.type AS kind, k.category, k.description, k.rate, k.pricing_per, k.min_quantity, k.max_quantity, k.quantity_step, k.refill,
           k.dripfeed, k.parameters, k.gone_at IS NOT NULL AS is_gone, ",
        first_provider!(),
        " AS provider_id FROM external_panel_services k WHERE k.id IN ",
    ));
    let found: Vec<Importable> = db.all(sql.ids(ids)).await?;
    let of_panel = found.into_iter().filter(|one| one.external_panel_id == panel);
    Ok(of_panel.map(|one| (one.id, one)).collect())
}
