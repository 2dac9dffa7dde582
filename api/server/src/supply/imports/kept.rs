//! What is kept of panels' catalogues: written set-wise, where it differs.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{FetchedServices, PanelServiceRefusal};
use panel_contract::ids::{ExternalPanelId, ImportableServiceId, ProviderId};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::catalogue::services::TEXTS;
use crate::pricing::rates::Rates;
use crate::supply::panels::{self, Reachable};
use panel_domain::imports;
use panel_domain::reseller_protocol::own_texts::OwnTexts;
use panel_domain::reseller_protocol::read::{Catalogue, Service, ServiceParameter};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::settings;
use panel_platform::work::Work;

/// Longest name and category that are kept, as services have it.
const LONGEST: usize = 255;
/// Largest quantity of an order, as services have it.
const LARGEST: i64 = 1_000_000_000;
/// Rows of one statement.
const ROWS: usize = 5_000;

// Rules

/// What is said of a service that is not in the list.
pub fn unknown(id: ImportableServiceId) -> String {
    format!("Service {id} is not among what this panel sells; ask it again.")
}

/// What is said of a price that does not fit.
pub fn too_large(field: &str) -> Error {
    Error::invalid(field, "too_large", "This comes to too much.")
}

/// A service as it is kept: one line, within what a service here may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Its id there.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The panel's word for its type.
    pub kind: String,
    /// The panel's category.
    pub category: String,
    /// What it asks.
    pub rate: Money,
    /// Smallest order.
    pub min: i64,
    /// Largest order.
    pub max: i64,
    /// Quantities are `min` plus a multiple of it, where the panel says so.
    pub step: Option<i64>,
    flags: [bool; 3],
    /// Whether it is refilled, where the panel says so or not so.
    pub refills: Option<bool>,
    /// Whether it takes runs, where the panel says so or not so.
    pub drips: Option<bool>,
    /// What an order takes beside the type's parameters.
    pub parameters: Vec<ServiceParameter>,
    /// What the panel says about it.
    pub description: Option<String>,
    /// Texts and labels that only panels of this product say; not kept, only taken over.
    pub texts: OwnTexts,
    /// Why it cannot be imported, if it cannot.
    refusal: Option<PanelServiceRefusal>,
}

impl Said {
    /// Of what was read.
    #[must_use]
    pub fn of(service: &Service) -> Self {
        let kind = line(&service.kind);
        // Of a package one is ordered, whatever is in it.
        let (min, max, step) = match imports::is_package(&kind) {
            true => (1, 1, service.step.map(|_| 1)),
            false => (service.min, service.max, service.step),
        };
        let min = min.clamp(1, LARGEST);
        let refusal = imports::sellable(&kind, &service.parameters).err().map(|refused| refused.kind);
        Self {
            refusal,
            id: service.id.clone(),
            name: line(&service.name),
            kind,
            category: line(&service.category),
            rate: Money(service.rate.0.min(imports::DEAREST)),
            min,
            max: max.clamp(min, LARGEST),
            step: step.map(|step| step.clamp(1, LARGEST)),
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

    /// Whether everything of it that is kept is the same.
    fn is_as_kept(&self, kept: &Self) -> bool {
        (&self.name, &self.kind, &self.category, self.flags, &self.parameters)
            == (&kept.name, &kept.kind, &kept.category, kept.flags, &kept.parameters)
            && (self.rate, self.min, self.max) == (kept.rate, kept.min, kept.max)
            && self.step_or_one() == kept.step_or_one()
            && (&self.description, self.refusal) == (&kept.description, kept.refusal)
    }

    /// A panel that says nothing of it takes every quantity within its bounds.
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

/// A panel's texts as plain texts, each within what a service here may have.
fn own_texts(said: &OwnTexts) -> OwnTexts {
    let text = |text: &Option<String>, field: &str| {
        let plain = text.as_deref().map(imports::plain_text)?;
        let most = TEXTS.fields.iter().find(|known| known.field == field).map_or(LONGEST, |known| known.most);
        Some(plain.chars().take(most).collect::<String>()).filter(|text| !text.is_empty())
    };
    OwnTexts {
        short_description: text(&said.short_description, "short_description"),
        meta_title: text(&said.meta_title, "meta_title").map(|title| line(&title)),
        meta_description: text(&said.meta_description, "meta_description"),
        reviews: text(&said.reviews, "reviews"),
        labels: said.labels.clone(),
    }
}

fn line(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST).collect()
}

/// What of the catalogue differs from what is kept, and which ids are gone. Where some entries could not be read, nobody
/// knows whether the missing ones are among them, so none is gone.
fn differing(
    known: &BTreeMap<String, (Said, bool)>,
    catalogue: &Catalogue,
) -> (Vec<Said>, Vec<String>, FetchedServices) {
    let mut counts = FetchedServices {
        services_count: count(catalogue.services.len()),
        unreadable_count: count(catalogue.unreadable),
        ..FetchedServices::default()
    };
    let (mut write, mut seen) = (Vec::new(), BTreeSet::new());
    for said in catalogue.services.iter().map(Said::of) {
        // Two of one id: the first counts.
        if !seen.insert(said.id.clone()) {
            continue;
        }
        match known.get(&said.id) {
            None => counts.new_count += 1,
            Some((before, is_gone)) if !said.is_as_kept(before) || *is_gone => counts.changed_count += 1,
            Some(_) => continue,
        }
        write.push(said);
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

/// What prices of a panel's services hang on.
pub struct Terms {
    /// The panel's currency.
    pub currency: String,
    /// Its own margin.
    pub margin: Option<Fraction>,
    /// The least margin of all.
    pub least: Option<Fraction>,
    /// Currencies.
    pub rates: Rates,
}

/// The terms of a panel; a 404 where there is none.
pub async fn terms(db: &mut impl Source, id: ExternalPanelId) -> Result<Terms> {
    let sql = Sql::new("SELECT currency, resale_margin_ppm FROM external_panels WHERE id = ?").bind(id);
    let found: Option<(String, Option<Fraction>)> = db.opt(sql).await?;
    let (currency, margin) = found.ok_or_else(|| Error::not_found("external panel", id))?;
    Ok(Terms { currency, margin, least: settings::min_margin(db).await?, rates: Rates::read(db).await? })
}

#[derive(sqlx::FromRow)]
struct Known {
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

/// Keeps the catalogue that a panel gave: only what differs is written, and what is missing is marked as gone.
pub async fn keep(work: &mut Work, panel: &Reachable, catalogue: &Catalogue) -> Result<FetchedServices> {
    // One process at a time for a panel.
    panels::lock_where_asked(work, panel).await?;
    let panel = panel.id;
    let sql = Sql::new(
        "SELECT external_panel_service_id, name, type AS kind, category, rate, min_quantity, max_quantity, quantity_step, refill, cancel, dripfeed, parameters, description,
           refusal_kind,
           gone_at IS NOT NULL AS is_gone FROM external_panel_services WHERE external_panel_id = ?",
    );
    let known = work.all::<Known>(sql.bind(panel)).await?.into_iter().map(|row| {
        let flags = [row.refill, row.cancel, row.dripfeed];
        let id = row.external_panel_service_id;
        let (min, max) = (row.min_quantity, row.max_quantity);
        let said = Said {
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
        (id, (said, row.is_gone))
    });
    let (write, gone, counts) = differing(&known.collect(), catalogue);
    let now = work.stamp();
    for said in write.chunks(ROWS) {
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
        let sql =
            sql.bind(panel).bind(now).bind(now).rows("r", &columns, said.iter().map(Said::row).collect());
        work.exec(sql.push(
            " WHERE TRUE ON CONFLICT (external_panel_id, external_panel_service_id) DO UPDATE SET name = excluded.name, type = excluded.type, category = excluded.category,
               rate = excluded.rate, pricing_per = excluded.pricing_per, min_quantity = excluded.min_quantity, max_quantity = excluded.max_quantity,
               quantity_step = excluded.quantity_step, refill = excluded.refill, cancel = excluded.cancel, dripfeed = excluded.dripfeed, parameters = excluded.parameters,
               description = excluded.description, refusal_kind = excluded.refusal_kind, gone_at = NULL, updated_at = excluded.updated_at",
        ))
        .await?;
    }
    for ids in gone.chunks(ROWS) {
        let rows = ids.iter().map(|id| vec![Val::from(&**id)]).collect();
        let sql = Sql::new("UPDATE external_panel_services SET gone_at = ?, updated_at = ? FROM ")
            .bind(now)
            .bind(now);
        let sql = sql.rows("r", &["gone"], rows).push(" WHERE external_panel_services.external_panel_id = ? AND external_panel_services.external_panel_service_id = r.gone");
        work.exec(sql.bind(panel)).await?;
    }
    Ok(counts)
}

/// A service as imports want it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Importable {
    /// The panel that sells it.
    external_panel_id: ExternalPanelId,
    /// Its id here.
    pub id: ImportableServiceId,
    /// Its id there.
    pub external_panel_service_id: String,
    /// What it is called there.
    pub name: String,
    /// The panel's word for its type.
    pub kind: String,
    /// The panel's category.
    pub category: String,
    /// What the panel says about it; empty for nothing.
    pub description: String,
    /// What the panel asks.
    pub rate: Money,
    /// Units of it.
    pub pricing_per: i64,
    /// Smallest order.
    pub min_quantity: i64,
    /// Largest order.
    pub max_quantity: i64,
    /// Quantities are `min_quantity` plus a multiple of it.
    pub quantity_step: i64,
    /// Whether it is refilled.
    pub refill: bool,
    /// Whether it takes runs.
    pub dripfeed: bool,
    /// JSON list of what an order takes beside the type's parameters.
    parameters: String,
    /// Whether the panel sells it no longer.
    pub is_gone: bool,
    /// The provider that was made of it.
    pub provider_id: Option<ProviderId>,
}

impl Importable {
    /// What an order takes beside the type's parameters.
    #[must_use]
    pub fn parameters(&self) -> Vec<ServiceParameter> {
        ServiceParameter::read_stored(&self.parameters)
    }
}

/// Those of a panel that are asked for, by id.
pub async fn by_id(
    db: &mut impl Source,
    panel: ExternalPanelId,
    ids: &[ImportableServiceId],
) -> Result<BTreeMap<ImportableServiceId, Importable>> {
    // The panel is looked at afterwards: of one whose services were just written PostgreSQL knows none, and would go through
    // all of the ids for each service.
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
