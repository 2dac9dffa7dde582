//! Stores a copy of the service list of each external panel. One statement writes many rows, and only changed rows are written.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::Money;
use panel_contract::external_services::{FetchedServices, PanelServiceRejection};
use panel_contract::ids::{ExternalPanelId, ImportableServiceId, ProviderId};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::catalogue::services::TEXTS;
use crate::supply::panels::{self, PanelConnection};
use panel_domain::imports;
use panel_domain::reseller_protocol::extended_texts::ExtendedTexts;
use panel_domain::reseller_protocol::responses::{Catalogue, CatalogueService, ServiceParameter};
use panel_platform::db::{Sql, SqlExecutor, Val};
use panel_platform::work::UnitOfWork;

/// Maximum length of a stored name or category in characters. Our own services have the same limit.
const MAX_NAME_CHARS: usize = 255;
/// Maximum quantity of an order. Our own services have the same limit.
const MAX_QUANTITY: i64 = 1_000_000_000;
const ROWS_PER_STATEMENT: usize = 5_000;

// Rules

/// The error message for a service that is not in the stored list of the external panel.
pub fn unlisted_message(id: ImportableServiceId) -> String {
    format!("Service {id} is not in the service list of this external panel. Fetch the list again.")
}

/// The error for a calculated price that is above the maximum amount.
pub fn price_too_large_error(field: &str) -> Error {
    Error::invalid(field, "too_large", "The calculated price is too large.")
}

/// The capabilities of a service as they are stored. A capability is false if the list does not contain the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StoredCapabilities {
    refill: bool,
    cancel: bool,
    dripfeed: bool,
}

/// A service in the list of an external panel. The name, type and category have no line breaks, and all values are within the
/// limits of our own services.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedService {
    /// Id at the external panel.
    pub id: String,
    pub name: String,
    /// The service type as the external panel writes it.
    pub kind: String,
    pub category: String,
    /// The price in the currency of the external panel.
    pub rate: Money,
    pub min_quantity: i64,
    pub max_quantity: i64,
    /// Allowed quantities are `min_quantity` plus a multiple of this step; `None` if the list has no step.
    pub quantity_step: Option<i64>,
    capabilities: StoredCapabilities,
    /// Whether the service has refill; `None` if the list does not contain this field.
    pub listed_refill: Option<bool>,
    /// Whether the service allows drip feeds; `None` if the list does not contain this field.
    pub listed_drip_feed: Option<bool>,
    /// Parameters of an order in addition to those of the service type.
    pub parameters: Vec<ServiceParameter>,
    pub description: Option<String>,
    /// Texts and labels that only external panels that run the same product send. They are copied to services and not stored in the
    /// list.
    pub texts: ExtendedTexts,
    /// The reason why the service cannot be imported; `None` if it can be imported.
    rejection: Option<PanelServiceRejection>,
}

impl ListedService {
    #[must_use]
    pub fn from_catalogue(service: &CatalogueService) -> Self {
        let kind = to_single_line(&service.kind);
        // A package is always ordered with quantity 1, regardless of its contents.
        let (min_quantity, max_quantity, quantity_step) = match imports::is_package(&kind) {
            true => (1, 1, service.quantity_step.map(|_| 1)),
            false => (service.min_quantity, service.max_quantity, service.quantity_step),
        };
        let min_quantity = min_quantity.clamp(1, MAX_QUANTITY);
        let rejection = imports::parse_sellable_type(&kind, &service.parameters)
            .err()
            .map(|not_sellable| not_sellable.kind);
        Self {
            rejection,
            id: service.id.clone(),
            name: to_single_line(&service.name),
            kind,
            category: to_single_line(&service.category),
            rate: Money(service.rate.0.min(imports::MAX_PRICE)),
            min_quantity,
            max_quantity: max_quantity.clamp(min_quantity, MAX_QUANTITY),
            quantity_step: quantity_step.map(|step| step.clamp(1, MAX_QUANTITY)),
            capabilities: StoredCapabilities {
                refill: service.refill.unwrap_or_default(),
                cancel: service.cancel,
                dripfeed: service.dripfeed.unwrap_or_default(),
            },
            listed_refill: service.refill,
            listed_drip_feed: service.dripfeed,
            parameters: service.parameters.clone(),
            description: service
                .description
                .as_deref()
                .map(imports::html_to_plain_text)
                .filter(|text| !text.is_empty()),
            texts: truncate_texts(&service.texts),
        }
    }

    /// Compares only the fields that are stored.
    fn is_same_as_stored(&self, stored: &Self) -> bool {
        (&self.name, &self.kind, &self.category, self.capabilities, &self.parameters)
            == (&stored.name, &stored.kind, &stored.category, stored.capabilities, &stored.parameters)
            && (self.rate, self.min_quantity, self.max_quantity)
                == (stored.rate, stored.min_quantity, stored.max_quantity)
            && self.step_or_one() == stored.step_or_one()
            && (&self.description, self.rejection) == (&stored.description, stored.rejection)
    }

    /// An external panel whose list has no step accepts every quantity within the limits.
    fn step_or_one(&self) -> i64 {
        self.quantity_step.unwrap_or(1)
    }

    fn to_row(&self) -> Vec<Val> {
        let StoredCapabilities { refill, cancel, dripfeed } = self.capabilities;
        vec![
            (&*self.id).into(),
            (&*self.name).into(),
            (&*self.kind).into(),
            (&*self.category).into(),
            self.rate.into(),
            imports::units_per_price(&self.kind).into(),
            self.min_quantity.into(),
            self.max_quantity.into(),
            self.step_or_one().into(),
            refill.into(),
            cancel.into(),
            dripfeed.into(),
            json!(self.parameters).to_string().into(),
            self.description.as_deref().unwrap_or_default().into(),
            self.rejection.map(PanelServiceRejection::as_str).into(),
        ]
    }
}

/// Converts the texts of the external panel to plain text and truncates each to the maximum length of its field.
fn truncate_texts(listed: &ExtendedTexts) -> ExtendedTexts {
    let truncate = |text: &Option<String>, field: &str| {
        let html_to_plain_text = text.as_deref().map(imports::html_to_plain_text)?;
        let max_chars = TEXTS
            .fields
            .iter()
            .find(|limit| limit.field == field)
            .map_or(MAX_NAME_CHARS, |limit| limit.max_chars);
        Some(html_to_plain_text.chars().take(max_chars).collect::<String>()).filter(|text| !text.is_empty())
    };
    ExtendedTexts {
        short_description: truncate(&listed.short_description, "short_description"),
        meta_title: truncate(&listed.meta_title, "meta_title").map(|title| to_single_line(&title)),
        meta_description: truncate(&listed.meta_description, "meta_description"),
        reviews: truncate(&listed.reviews, "reviews"),
        labels: listed.labels.clone(),
    }
}

fn to_single_line(text: &str) -> String {
    let without_control_chars: String =
        text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    without_control_chars
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(MAX_NAME_CHARS)
        .collect()
}

/// The changes that a fetched list requires in the stored list.
struct CatalogueChanges {
    /// Services that are new or differ from the stored ones.
    services_to_write: Vec<ListedService>,
    /// Ids of services that are no longer listed.
    vanished_ids: Vec<String>,
    counts: FetchedServices,
}

struct StoredListedService {
    service: ListedService,
    is_vanished: bool,
}

/// Compares the fetched list with the stored services, which are given by their id at the external panel. If some entries are
/// unreadable, a missing service may be one of them, so no service counts as vanished.
fn compare_with_stored(
    stored: &BTreeMap<String, StoredListedService>,
    catalogue: &Catalogue,
) -> CatalogueChanges {
    let mut counts = FetchedServices {
        services_count: to_count(catalogue.services.len()),
        unreadable_count: to_count(catalogue.unreadable),
        ..FetchedServices::default()
    };
    let (mut services_to_write, mut seen_ids) = (Vec::new(), BTreeSet::new());
    for listed in catalogue.services.iter().map(ListedService::from_catalogue) {
        // If an id occurs twice, the first entry counts.
        if !seen_ids.insert(listed.id.clone()) {
            continue;
        }
        match stored.get(&listed.id) {
            None => counts.new_count += 1,
            Some(current) if !listed.is_same_as_stored(&current.service) || current.is_vanished => {
                counts.changed_count += 1
            }
            Some(_) => continue,
        }
        services_to_write.push(listed);
    }
    let is_complete = catalogue.unreadable == 0 && !catalogue.services.is_empty();
    let vanished_services =
        stored.iter().filter(|(id, current)| is_complete && !current.is_vanished && !seen_ids.contains(*id));
    let vanished_ids: Vec<String> = vanished_services.map(|(id, _)| id.clone()).collect();
    counts.vanished_count = to_count(vanished_ids.len());
    CatalogueChanges { services_to_write, vanished_ids, counts }
}

fn to_count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

// Store

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
    rejection_kind: Option<PanelServiceRejection>,
    is_vanished: bool,
}

/// Stores the fetched list of an external panel: writes the changed services, and marks the missing ones as vanished.
pub async fn store_catalogue(
    work: &mut UnitOfWork,
    panel: &PanelConnection,
    catalogue: &Catalogue,
) -> Result<FetchedServices> {
    // The lock ensures that only one process at a time writes the list of an external panel.
    panels::lock_if_endpoint_unchanged(work, panel).await?;
    let panel = panel.id;
    let sql = Sql::new(
        "SELECT external_panel_service_id, name, type AS kind, category, rate, min_quantity, max_quantity, quantity_step, refill, cancel, dripfeed, parameters, description,
           rejection_kind,
           vanished_at IS NOT NULL AS is_vanished FROM external_panel_services WHERE external_panel_id = ?",
    );
    let stored_services = work.fetch_all::<ListedServiceRow>(sql.bind(panel)).await?.into_iter().map(|row| {
        let capabilities =
            StoredCapabilities { refill: row.refill, cancel: row.cancel, dripfeed: row.dripfeed };
        let id = row.external_panel_service_id;
        let service = ListedService {
            id: id.clone(),
            name: row.name,
            kind: row.kind,
            category: row.category,
            rate: row.rate,
            min_quantity: row.min_quantity,
            max_quantity: row.max_quantity,
            quantity_step: Some(row.quantity_step),
            capabilities,
            listed_refill: None,
            listed_drip_feed: None,
            parameters: ServiceParameter::parse_stored(&row.parameters),
            description: Some(row.description).filter(|text| !text.is_empty()),
            texts: ExtendedTexts::default(),
            rejection: row.rejection_kind,
        };
        (id, StoredListedService { service, is_vanished: row.is_vanished })
    });
    let CatalogueChanges { services_to_write, vanished_ids, counts } =
        compare_with_stored(&stored_services.collect(), catalogue);
    let now = work.timestamp();
    for services in services_to_write.chunks(ROWS_PER_STATEMENT) {
        let columns = [
            "id",
            "name",
            "type",
            "category",
            "rate",
            "pricing_per",
            "min_quantity",
            "max_quantity",
            "quantity_step",
            "refill",
            "cancel",
            "dripfeed",
            "parameters",
            "description",
            "rejection",
        ];
        let sql = Sql::new(
            "INSERT INTO external_panel_services (external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity,
               quantity_step, refill, cancel, dripfeed, parameters, description, rejection_kind, created_at, updated_at)
             SELECT CAST(? AS BIGINT), r.id, r.name, r.type, r.category, r.rate, r.pricing_per, r.min_quantity, r.max_quantity, r.quantity_step, r.refill, r.cancel, r.dripfeed, r.parameters, r.description, r.rejection, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ",
        );
        let sql = sql.bind(panel).bind(now).bind(now).rows(
            "r",
            &columns,
            services.iter().map(ListedService::to_row).collect(),
        );
        work.execute(sql.push(
            " WHERE TRUE ON CONFLICT (external_panel_id, external_panel_service_id) DO UPDATE SET name = excluded.name, type = excluded.type, category = excluded.category,
               rate = excluded.rate, pricing_per = excluded.pricing_per, min_quantity = excluded.min_quantity, max_quantity = excluded.max_quantity,
               quantity_step = excluded.quantity_step, refill = excluded.refill, cancel = excluded.cancel, dripfeed = excluded.dripfeed, parameters = excluded.parameters,
               description = excluded.description, rejection_kind = excluded.rejection_kind, vanished_at = NULL, updated_at = excluded.updated_at",
        ))
        .await?;
    }
    for ids in vanished_ids.chunks(ROWS_PER_STATEMENT) {
        let rows = ids.iter().map(|id| vec![Val::from(&**id)]).collect();
        let sql = Sql::new("UPDATE external_panel_services SET vanished_at = ?, updated_at = ? FROM ")
            .bind(now)
            .bind(now);
        let sql = sql.rows("r", &["id"], rows).push(" WHERE external_panel_services.external_panel_id = ? AND external_panel_services.external_panel_service_id = r.id");
        work.execute(sql.bind(panel)).await?;
    }
    Ok(counts)
}

/// A stored service of an external panel that staff can import.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoredPanelService {
    external_panel_id: ExternalPanelId,
    pub id: ImportableServiceId,
    /// Id at the external panel.
    pub external_panel_service_id: String,
    pub name: String,
    /// The service type as the external panel writes it.
    pub kind: String,
    pub category: String,
    /// An empty string if the external panel sends no description.
    pub description: String,
    /// The price for `pricing_per` units in the currency of the external panel.
    pub rate: Money,
    pub pricing_per: i64,
    pub min_quantity: i64,
    pub max_quantity: i64,
    /// Allowed quantities are `min_quantity` plus a multiple of this step.
    pub quantity_step: i64,
    pub refill: bool,
    /// Whether the service allows drip feeds.
    pub dripfeed: bool,
    /// JSON list of the parameters of an order in addition to those of the service type.
    parameters: String,
    pub is_vanished: bool,
    /// The first provider that was created from the service.
    pub provider_id: Option<ProviderId>,
}

impl StoredPanelService {
    /// Returns the parameters of an order in addition to those of the service type.
    #[must_use]
    pub fn parameters(&self) -> Vec<ServiceParameter> {
        ServiceParameter::parse_stored(&self.parameters)
    }
}

/// Loads the requested services of one external panel, by id. Ids of other external panels are ignored.
pub async fn load_services(
    db: &mut impl SqlExecutor,
    panel: ExternalPanelId,
    ids: &[ImportableServiceId],
) -> Result<BTreeMap<ImportableServiceId, StoredPanelService>> {
    // The external panel is compared in Rust and not in SQL: right after an import, PostgreSQL has no statistics for the new rows,
    // and would scan all ids for each service.
    let sql = Sql::new(concat!(
        "SELECT k.external_panel_id, k.id, k.external_panel_service_id, k.name, k.type AS kind, k.category, k.description, k.rate, k.pricing_per, k.min_quantity, k.max_quantity, k.quantity_step, k.refill,
           k.dripfeed, k.parameters, k.vanished_at IS NOT NULL AS is_vanished, ",
        first_provider_id!(),
        " AS provider_id FROM external_panel_services k WHERE k.id IN ",
    ));
    let services: Vec<StoredPanelService> = db.fetch_all(sql.ids(ids)).await?;
    let services_of_panel = services.into_iter().filter(|service| service.external_panel_id == panel);
    Ok(services_of_panel.map(|service| (service.id, service)).collect())
}
