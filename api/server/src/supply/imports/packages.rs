//! Imports the packages of an external panel as provider packages, from which staff create our own packages.

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

use super::lines::LineErrors;
use super::panel_pricing::{self, PanelPricing};
use super::providers::{self, ImportCandidate};
use super::stored_catalogue::{self, StoredPanelService};
use crate::catalogue::packages::cost::DISCOUNT_STEP_PPM;
use crate::context::Ctx;
use crate::http::Req;
use panel_domain::fields::check_text;
use panel_domain::imports;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor, Val, names};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Maximum number of packages in one import.
const MAX_PACKAGES: usize = 1_000;

// Routes

/// `POST external-panels/import-packages`.
pub async fn import(ctx: Ctx, req: Req<ImportPackages>) -> Result<Data<ImportOutcome>> {
    let (panel, requested_items) = (req.body.external_panel_id, &req.body.packages);
    let ids: Vec<ImportableServiceId> = requested_items.iter().map(|item| item.id).collect();
    let mut errors = FieldErrors::default();
    imports::check_ids(&mut errors, "packages", ".id", &ids, MAX_PACKAGES);
    errors.into_result(())?;
    let mut work = ctx.begin().await?;
    providers::lock_panel(&mut work, panel).await?;
    let networks: Vec<NetworkId> = requested_items.iter().filter_map(|item| item.network_id).collect();
    let context = PackageImportContext {
        pricing: panel_pricing::load_pricing(&mut work, panel).await?,
        services: stored_catalogue::load_services(&mut work, panel, &ids).await?,
        networks: names::load_names(&mut work, "networks", &networks).await?,
        imported_packages: load_imported_packages(&mut work, panel).await?,
        max_decimals: settings::read_rounding_precision(&mut work).await?,
    };
    let packages = validate_packages(requested_items, &context)?;
    insert_packages(&mut work, panel, &packages).await?;
    let items = packages.iter().map(|package| ImportedItem {
        id: package.panel_service.id.as_record_id(),
        name: package.name.clone(),
        external_panel_price: package.panel_service.rate,
        provider_price: Some(package.cost),
        price: package.fixed_cost,
        pricing_per: package.panel_service.pricing_per,
    });
    let data = providers::to_import_outcome(&ctx, packages.len(), items.collect());
    work.finish(Data { data }).await
}

// Rules

struct PackageImportContext {
    pricing: PanelPricing,
    services: BTreeMap<ImportableServiceId, StoredPanelService>,
    networks: BTreeMap<NetworkId, String>,
    /// Packages that are already imported, by their id at the external panel.
    imported_packages: BTreeMap<String, ProviderPackageId>,
    /// Maximum number of decimals of a fixed cost.
    max_decimals: u8,
}

/// A validated package that is to be inserted.
struct PackageToImport<'a> {
    panel_service: &'a StoredPanelService,
    name: String,
    kind: PackageType,
    network_id: Option<NetworkId>,
    cost: Money,
    fixed_cost: Option<Money>,
    discount: Fraction,
    is_synced: bool,
}

/// Validates all packages. Returns either all of them, or the errors of all invalid ones. The field of an error contains the index
/// of the package, and its message contains the id.
fn validate_packages<'a>(
    requested_items: &[ImportPackageItem],
    context: &'a PackageImportContext,
) -> Result<Vec<PackageToImport<'a>>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut packages = Vec::new();
    for (index, item) in requested_items.iter().enumerate() {
        match validate_package(item, context) {
            Ok(package) => packages.push(package),
            Err(package_errors) => {
                for (field, message) in package_errors {
                    errors.add(format!("packages.{index}.{field}"), message);
                }
            }
        }
    }
    errors.into_result(packages)
}

fn validate_package<'a>(
    item: &ImportPackageItem,
    context: &'a PackageImportContext,
) -> Result<PackageToImport<'a>, LineErrors> {
    let id = item.id;
    let panel_service = find_importable(id, context).map_err(|message| vec![("id", message)])?;
    let mut errors = LineErrors::new();
    let name = item.name.as_deref().unwrap_or(&panel_service.name).trim();
    if name.is_empty() {
        errors.push(("name", format!("Enter a name for package {id}.")));
    } else if let Err(message) = check_text(name, 255) {
        errors.push(("name", format!("Package {id}: {message}")));
    }
    if let Some(network) = item.network_id.filter(|network| !context.networks.contains_key(network)) {
        errors.push(("network_id", format!("Package {id}: there is no network {network}.")));
    }
    let currency = &context.pricing.currency;
    let cost = context.pricing.rates.to_own_currency(panel_service.rate, currency);
    if cost.is_none() {
        let message = format!("Package {id}: there is no exchange rate for {currency}. Set the rate first.");
        errors.push(("id", message));
    }
    check_pricing(item, context.max_decimals, &mut errors);
    let (Some(cost), true) = (cost, errors.is_empty()) else { return Err(errors) };
    Ok(PackageToImport {
        panel_service,
        name: name.to_owned(),
        kind: item.kind.unwrap_or(PackageType::Auto),
        network_id: item.network_id,
        cost,
        fixed_cost: item.fixed_cost,
        discount: item.discount_fraction.unwrap_or_default(),
        is_synced: item.sync.unwrap_or(false),
    })
}

/// Returns the stored service, or the reason why it cannot be imported as a package.
fn find_importable(
    id: ImportableServiceId,
    context: &PackageImportContext,
) -> Result<&StoredPanelService, String> {
    let panel_service = context.services.get(&id).ok_or_else(|| stored_catalogue::unlisted_message(id))?;
    package_import_rejection(panel_service, &context.imported_packages).map_or(Ok(panel_service), Err)
}

/// The reason why a service of an external panel cannot be imported as a package; `None` if it can be imported. `imported_packages`
/// are the packages of the external panel that are already imported, by their id at the external panel.
pub(super) fn package_import_rejection(
    panel_service: &StoredPanelService,
    imported_packages: &BTreeMap<String, ProviderPackageId>,
) -> Option<String> {
    let provider_package_id = imported_packages.get(&panel_service.external_panel_service_id).copied();
    ImportCandidate::of(panel_service).package_rejection(provider_package_id)
}

impl ImportCandidate<'_> {
    /// The reason why the service cannot be imported as a package; `None` if it can be imported. `provider_package_id` is the
    /// provider package as which it is already imported.
    pub(super) fn package_rejection(&self, provider_package_id: Option<ProviderPackageId>) -> Option<String> {
        let id = self.id;
        if self.is_vanished {
            return Some(format!("The external panel no longer sells service {id}."));
        }
        if !imports::is_package(self.kind) {
            return Some(format!(
                "Service {id} is of type {}, not a package. Import it as a service.",
                self.kind
            ));
        }
        if let Some(not_sellable) = &self.not_sellable {
            return Some(format!("Service {id} {not_sellable}."));
        }
        provider_package_id
            .map(|package| format!("Service {id} is already imported as provider package {package}."))
    }
}

/// Checks the fixed cost or discount against the limits of our own packages, because staff create packages from the imported ones.
fn check_pricing(item: &ImportPackageItem, max_decimals: u8, errors: &mut LineErrors) {
    let id = item.id;
    if let Some(cost) = item.fixed_cost {
        if !(1..=imports::MAX_PRICE).contains(&cost.0) {
            errors.push(("fixed_cost", format!("Package {id}: enter an amount above 0, at most 1,000,000.")));
        } else if cost.0 % Money::smallest_unit(max_decimals).0 != 0 {
            errors.push(("fixed_cost", format!("Package {id}: enter at most {max_decimals} decimals.")));
        }
    }
    let discount = item.discount_fraction.unwrap_or_default();
    if !(0..=Money::MILLIONTHS_PER_UNIT).contains(&discount.0) || discount.0 % DISCOUNT_STEP_PPM != 0 {
        let message = format!("Package {id}: enter a fraction from 0 to 1 with at most three decimals.");
        errors.push(("discount_fraction", message));
    } else if item.fixed_cost.is_some() && discount.0 > 0 {
        let message = format!("Package {id}: enter a fixed cost or a discount, not both.");
        errors.push(("discount_fraction", message));
    }
}

// Store

/// Loads the imported packages of an external panel, by their id at the external panel.
pub(super) async fn load_imported_packages(
    db: &mut impl SqlExecutor,
    panel: ExternalPanelId,
) -> Result<BTreeMap<String, ProviderPackageId>> {
    let sql =
        Sql::new("SELECT external_panel_package_id, id FROM provider_packages WHERE external_panel_id = ?");
    Ok(db.fetch_all::<(String, ProviderPackageId)>(sql.bind(panel)).await?.into_iter().collect())
}

async fn insert_packages(
    work: &mut UnitOfWork,
    panel: ExternalPanelId,
    packages: &[PackageToImport<'_>],
) -> Result<()> {
    let now = work.timestamp();
    let rows = packages.iter().map(|package| -> Vec<Val> {
        vec![
            (&*package.panel_service.external_panel_service_id).into(),
            (&*package.name).into(),
            package.kind.as_str().into(),
            package.network_id.into(),
            package.fixed_cost.into(),
            package.discount.into(),
            package.is_synced.into(),
        ]
    });
    let sql = Sql::new(
        "INSERT INTO provider_packages (external_panel_id, external_panel_package_id, name, type, network_id, fixed_cost, discount_ppm, sync, created_at, updated_at)
         SELECT CAST(? AS BIGINT), r.external_id, r.name, r.kind, r.network, r.fixed_cost, r.discount, r.sync, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM ",
    );
    let columns = ["external_id", "name", "kind", "network", "fixed_cost", "discount", "sync"];
    let sql = sql.bind(panel).bind(now).bind(now).rows("r", &columns, rows.collect());
    let inserted_rows: Vec<(String, ProviderPackageId)> =
        work.fetch_all(sql.push(" RETURNING external_panel_package_id, id")).await?;
    let ids: BTreeMap<String, ProviderPackageId> = inserted_rows.into_iter().collect();
    let find_id =
        |package: &PackageToImport<'_>| ids.get(&package.panel_service.external_panel_service_id).copied();
    let content_rows = packages.iter().filter_map(|package| -> Option<Vec<Val>> {
        let external_id = (&*package.panel_service.external_panel_service_id).into();
        Some(vec![
            find_id(package)?.into(),
            external_id,
            (&*package.panel_service.name).into(),
            package.cost.into(),
        ])
    });
    // The service list of an external panel does not contain the contents of a package, so one unit of the package itself is stored
    // as its contents.
    let sql = Sql::new(
        "INSERT INTO provider_package_contents (provider_package_id, external_panel_service_id, name, quantity, price, pricing_per)
         SELECT r.package, r.external_id, r.name, 1, r.price, 1 FROM ",
    );
    work.execute(sql.rows("r", &["package", "external_id", "name", "price"], content_rows.collect())).await?;
    let audit_changes = packages.iter().filter_map(|package| {
        let new = json!({ "external_panel_id": panel, "external_panel_package_id": package.panel_service.external_panel_service_id, "name": package.name, "fixed_cost": package.fixed_cost });
        Some(AuditChange { id: find_id(package)?.as_record_id(), old: json!({}), new })
    });
    // The change log does not cover provider packages, so only the audit log records them.
    audit::record_all(work, "provider_package.imported", "provider_package", audit_changes.collect()).await
}
