//! Packages of services that are sold together. The database stores no cost of a package; `cost` calculates the cost from the
//! contents.

mod bulk;
pub mod cost;
pub(crate) mod draft;
mod list_costs;
pub mod provider_packages;

use axum::response::Response;
use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::ChangeAction;
use panel_contract::common::{ArchivableActions, Data, NamedRef};
use panel_contract::endpoints::packages::{
    ArchivePackage, BulkUpdatePackages, CreatePackage, GetPackage, ListPackages, PackageServiceTypes,
    PackageServices, PackageTotalCost, UnarchivePackage, UpdatePackage,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{NetworkId, PackageId, ProviderId, ProviderPackageId, ServiceId, ServiceTypeId};
use panel_contract::moment::Time;
use panel_contract::packages::{
    Package, PackageActions, PackageInput, PackageRow, PackageService, PackageServiceType,
    PackageServicesQuery, PackageType, TotalCost,
};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;

use crate::catalogue::packages::cost::{PackageCosts, PackagePricing, PricedContent};
use crate::catalogue::packages::draft::{PackageDraft, StoredPackage};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::lists;
use crate::records::archivable_kinds::PACKAGE;
use crate::records::search_texts;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::table::{self, ColumnSql, Join, RowSource, SearchTarget, Table, contains_text, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route_with_response::<ListPackages, _, _>(list)
        .describe_list::<ListPackages>(&PACKAGES)
        .route::<CreatePackage, _, _, _>(create)
        .route::<BulkUpdatePackages, _, _, _>(bulk::update)
        .route::<PackageTotalCost, _, _, _>(calculate_total_cost)
        .route::<PackageServices, _, _, _>(list_available_services)
        .route::<PackageServiceTypes, _, _, _>(list_available_service_types)
        .route::<GetPackage, _, _, _>(get)
        .route::<UpdatePackage, _, _, _>(update)
        .archive_endpoints::<ArchivePackage, UnarchivePackage, _, _, _>(&PACKAGE, commit_and_respond)
        .with(provider_packages::routes)
}

async fn list(ctx: Ctx, req: Req<ListPackages>) -> Result<Response> {
    let into_row = |record: PackageRecord, scope: &Scope| record.into_row(scope);
    let costs = (list_costs::COSTS_ALIAS, list_costs::load_all_costs);
    lists::serve_list_with_computed_columns(ctx, &PACKAGES, &req.query, into_row, costs).await
}

async fn get(ctx: Ctx, req: Req<GetPackage>) -> Result<Data<Package>> {
    Ok(Data { data: load_package(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreatePackage>) -> Result<Data<Package>> {
    let mut work = ctx.begin().await?;
    let draft = create_draft(&mut work, &req.body).await?;
    let id = draft.insert(&mut work).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &PackageDraft::default()).await?;
    commit_and_respond(work, id).await
}

/// Validates the draft of a new package. If the input names a package of an external panel, the draft starts as a copy of that
/// package. The error contains all invalid fields.
async fn create_draft(work: &mut UnitOfWork, input: &PackageInput) -> Result<PackageDraft> {
    let (origin, errors) = match input.provider_package_id {
        Some(id) => draft::draft_from_provider_package(work, id).await?,
        None => (Some(PackageDraft::default()), FieldErrors::default()),
    };
    let mut field_errors = FieldErrorCollector::from(errors);
    let origin_exists = origin.is_some();
    let (mut draft, mut errors) = origin.unwrap_or_default().apply(input);
    if !origin_exists {
        // These fields are invalid only because the named provider package, which would have set them, does not exist.
        for field in ["name", "network_id", "sync", "provider_package_id"] {
            errors.0.remove(field);
        }
    }
    field_errors.collect(errors.into_result(()))?;
    if origin_exists {
        draft.check(work, (&PackageDraft::default(), input.confirm_below_margin), field_errors).await?;
        return Ok(draft);
    }
    field_errors.into_result(draft)
}

async fn update(ctx: Ctx, req: Req<UpdatePackage>) -> Result<Data<Package>> {
    let mut work = ctx.begin().await?;
    let StoredPackage { draft: before, updated_at, .. } = StoredPackage::lock(&mut work, req.path).await?;
    Error::check_not_stale("package", req.body.updated_at, updated_at)?;
    let (mut after, errors) = before.clone().apply(&req.body);
    if after == before {
        FieldErrorCollector::from(errors).into_result(())?;
    } else {
        let is_confirmed = req.body.confirm_below_margin;
        after.check(&mut work, (&before, is_confirmed), FieldErrorCollector::from(errors)).await?;
        after.update(&mut work, req.path).await?;
        after.record_change(&mut work, ChangeAction::Updated, req.path, &before).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn calculate_total_cost(ctx: Ctx, req: Req<PackageTotalCost>) -> Result<Data<TotalCost>> {
    let input = &req.body;
    let db = &mut ctx.db();
    let contents = cost::load_contents(db, &input.package_contents).await?;
    let pricing = PackagePricing {
        fixed_cost: input.fixed_cost,
        discount_fraction: input.discount_fraction.unwrap_or_default(),
    };
    let decimals = settings::read_rounding_precision(db).await?;
    let costs = cost::validate_and_calculate_costs(&contents, &pricing, decimals)?;
    let (lowest_cost, _) = cost::load_lowest_cost(db, &contents, decimals).await?;
    let package_contents = contents.iter().map(|content| content.to_api(decimals)).collect();
    Ok(Data {
        data: TotalCost {
            default_cost: costs.default_cost,
            total_cost: costs.total_cost,
            difference: costs.difference()?,
            lowest_cost,
            is_below_minimum_margin: costs.total_cost < lowest_cost,
            package_contents,
        },
    })
}

async fn list_available_services(ctx: Ctx, req: Req<PackageServices>) -> Result<Data<Vec<PackageService>>> {
    Ok(Data { data: search_services(&ctx, &req.query).await? })
}

async fn list_available_service_types(
    ctx: Ctx,
    _req: Req<PackageServiceTypes>,
) -> Result<Data<Vec<PackageServiceType>>> {
    Ok(Data { data: load_service_types(&ctx).await? })
}

async fn commit_and_respond(mut work: UnitOfWork, id: PackageId) -> Result<Data<Package>> {
    let ctx = work.scope().clone();
    let data = load_package(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

pub static PACKAGES: Table = Table::new(
    &panel_contract::lists::packages::PACKAGES,
    RowSource {
        base: "packages",
        alias: "p",
        key: "p.id",
        joins: &[
            Join { alias: "n", sql: "JOIN networks n ON n.id = p.network_id" },
            Join { alias: "t", sql: "LEFT JOIN service_types t ON t.id = p.service_type_id" },
            Join { alias: "e", sql: list_costs::ORIGIN_PANEL_JOIN },
        ],
        computed_columns: Some(list_costs::COSTS_ALIAS),
        select: list_costs::PACKAGE_SELECT_LIST,
        ..RowSource::NONE
    },
    COLUMN_SQL,
)
.global_search(&[
    SearchTarget::new("p.id", &search_texts::PACKAGES, "name").own_columns(&["p.name", "p.slug"]),
    SearchTarget::new("p.network_id", &search_texts::NETWORKS, "network"),
    SearchTarget::new("p.service_type_id", &search_texts::SERVICE_TYPES, "service_type"),
]);

/// SQL of the list columns that differ from the column of the same name in `packages`.
const COLUMN_SQL: &[ColumnSql] = &[
    expr("network", "n.name").join("n"),
    expr("network.id", "p.network_id"),
    expr("network.name", "n.name").join("n"),
    expr("service_type", "t.name").join("t"),
    expr("service_type.id", "p.service_type_id"),
    expr("service_type.name", "t.name").join("t"),
    expr("provider", "e.name")
        .join("e")
        .text_index("p.provider_package_id", &search_texts::EXTERNAL_PANELS, "name")
        .through_join_table(list_costs::SELECT_PROVIDER_PACKAGES, "external_panel_id"),
    expr("provider.id", "e.id").join("e"),
    expr("provider.name", "e.name").join("e"),
    expr("discount_fraction", "p.discount_ppm"),
    expr("default_cost", "k.default_cost").join(list_costs::COSTS_ALIAS),
    expr("total_cost", "k.total_cost").join(list_costs::COSTS_ALIAS),
    expr("difference", "k.difference").join(list_costs::COSTS_ALIAS),
    expr("contents_count", CONTENTS_COUNT),
];

const CONTENTS_COUNT: &str = "(SELECT count(*) FROM package_contents x WHERE x.package_id = p.id)";

// Rules

/// Whether customers can buy a package. Purchases and the field `actions.buyable` must both use this rule.
#[must_use]
pub(crate) const fn is_on_sale(is_enabled: bool, is_archived: bool) -> bool {
    is_enabled && !is_archived
}

fn actions(is_enabled: bool, is_archived: bool, scope: &Scope) -> PackageActions {
    let may_manage = scope.has_permission(Permission::ManagePackages);
    let ArchivableActions { editable, archivable, restore } =
        PACKAGE.allowed_actions(may_manage, is_archived, false);
    PackageActions {
        editable,
        archivable,
        restore,
        buyable: scope.has_permission(Permission::ManageOrders) && is_on_sale(is_enabled, is_archived),
    }
}

// Store

/// A row of [`PACKAGES`] as the database returns it.
#[derive(Debug, sqlx::FromRow)]
pub struct PackageRecord {
    id: PackageId,
    name: String,
    kind: PackageType,
    network_id: NetworkId,
    network_name: String,
    service_type_id: Option<ServiceTypeId>,
    service_type_name: Option<String>,
    is_enabled: bool,
    is_archived: bool,
    restricted_access: bool,
    sync: bool,
    slug: Option<String>,
    fixed_cost: Option<Money>,
    discount_ppm: Fraction,
    below_margin_confirmed: bool,
    created_at: Time,
    provider_package_id: Option<ProviderPackageId>,
    provider_id: Option<ProviderId>,
    provider_name: Option<String>,
    /// The contents, separated by commas; [`PricedContent::parse`] describes the format of one.
    contents_list: Option<String>,
    /// Stored value of the setting `rounding_precision`: the number of decimal places of a charge.
    decimals: Option<String>,
}

impl PackageRecord {
    fn contents(&self) -> Vec<PricedContent> {
        self.contents_list
            .as_deref()
            .unwrap_or_default()
            .split(',')
            .filter_map(PricedContent::parse)
            .collect()
    }

    /// The costs that the row shows and that the list sorts and filters by.
    fn costs(&self, contents: &[PricedContent]) -> PackageCosts {
        let pricing = PackagePricing { fixed_cost: self.fixed_cost, discount_fraction: self.discount_ppm };
        let decimals = self.decimals.as_deref().and_then(|decimals| decimals.parse().ok());
        let decimals = decimals.filter(|decimals| *decimals <= 6).unwrap_or(2);
        // A cost that overflows cannot be saved, but the services may have become more expensive since the package was saved.
        cost::calculate_costs(contents, &pricing, decimals).unwrap_or(PackageCosts::OVERFLOWED)
    }

    fn into_row(self, scope: &Scope) -> PackageRow {
        let contents = self.contents();
        let costs = self.costs(&contents);
        PackageRow {
            id: self.id,
            name: self.name,
            kind: self.kind,
            network: NamedRef { id: self.network_id, name: self.network_name },
            service_type: to_named_ref(self.service_type_id, self.service_type_name),
            is_archived: self.is_archived,
            is_enabled: self.is_enabled,
            restricted_access: self.restricted_access,
            sync: self.sync,
            provider: to_named_ref(self.provider_id, self.provider_name),
            provider_package_id: self.provider_package_id,
            slug: self.slug,
            fixed_cost: self.fixed_cost,
            discount_fraction: self.discount_ppm,
            below_margin_confirmed: self.below_margin_confirmed,
            default_cost: costs.default_cost,
            total_cost: costs.total_cost,
            difference: costs.difference().unwrap_or_default(),
            contents_count: i64::try_from(contents.len()).unwrap_or(0),
            created_at: self.created_at,
            actions: actions(self.is_enabled, self.is_archived, scope),
        }
    }
}

/// Combines the id and the name of a joined record; `None` if the join has no record.
fn to_named_ref<I>(id: Option<I>, name: Option<String>) -> Option<NamedRef<I>> {
    id.zip(name).map(|(id, name)| NamedRef { id, name })
}

/// Loads one package with its contents, in six statements; 404 if it does not exist.
async fn load_package(db: &mut impl SqlExecutor, scope: &Scope, id: PackageId) -> Result<Package> {
    let into_row = |record: PackageRecord, scope: &Scope| record.into_row(scope);
    let row = table::load_rows_from(db, scope, &PACKAGES, &[id], into_row).await?.pop();
    let row = row.ok_or_else(|| Error::not_found("package", id))?;
    let stored = StoredPackage::load(db, id).await?;
    let StoredPackage { draft, updated_at, .. } = stored.ok_or_else(|| Error::not_found("package", id))?;
    let decimals = settings::read_rounding_precision(db).await?;
    let contents = cost::load_contents(db, &draft.content_inputs()).await?;
    Ok(Package {
        row,
        buy_page_url: draft.buy_page_url,
        package_contents: contents.iter().map(|content| content.to_api(decimals)).collect(),
        translations: draft.translations,
        updated_at,
    })
}

/// Loads the first 50 enabled services that match the query, sorted by name.
async fn search_services(ctx: &Ctx, query: &PackageServicesQuery) -> Result<Vec<PackageService>> {
    let mut sql = Sql::new(
        "SELECT s.id, s.name, s.default_price, s.pricing_per, s.min_quantity, s.max_quantity, s.quantity_step FROM services s
         WHERE NOT s.is_archived AND s.is_enabled",
    );
    if let Some(network) = query.network_id {
        sql = sql.push(" AND s.service_type_id IN (SELECT id FROM service_types WHERE network_id = ?)");
        sql = sql.bind(network);
    }
    match query.search.as_deref().map(str::trim) {
        None | Some("") => {}
        Some(text) => match text.parse::<ServiceId>() {
            Ok(id) => sql = sql.push(" AND s.id = ?").bind(id),
            Err(_) => sql = sql.push(" AND ").append(contains_text("s.name", text, ctx)),
        },
    }
    type ServiceRow = (ServiceId, String, Money, i64, i64, i64, i64);
    let rows: Vec<ServiceRow> =
        (&mut ctx.db()).fetch_all(sql.push(" ORDER BY s.name, s.id LIMIT 50")).await?;
    let to_service = |(id, name, default_price, pricing_per, min, max, step): ServiceRow| PackageService {
        id,
        name,
        default_price,
        pricing_per,
        min_quantity: min,
        max_quantity: max,
        quantity_step: step,
    };
    Ok(rows.into_iter().map(to_service).collect())
}

async fn load_service_types(ctx: &Ctx) -> Result<Vec<PackageServiceType>> {
    type ServiceTypeRow = (ServiceTypeId, String, NetworkId, String);
    let sql = "SELECT t.id, t.name, n.id, n.name FROM service_types t JOIN networks n ON n.id = t.network_id
        ORDER BY n.sorting, n.id, t.sorting, t.id";
    let rows: Vec<ServiceTypeRow> = (&mut ctx.db()).fetch_all(Sql::new(sql)).await?;
    let to_service_type = |(id, name, network_id, network_name): ServiceTypeRow| PackageServiceType {
        id,
        name,
        network: NamedRef { id: network_id, name: network_name },
    };
    Ok(rows.into_iter().map(to_service_type).collect())
}
