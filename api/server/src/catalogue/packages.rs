//! Packages: services that are sold together. What they cost is worked out from their contents wherever it is asked.

mod bulk;
pub mod cost;
pub(crate) mod draft;
pub mod provided;
mod sums;

use axum::response::Response;
use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::ChangeAction;
use panel_contract::common::{ArchivableActions, Data, Named};
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
use panel_kernel::wrong_fields::WrongFields;

use crate::catalogue::packages::cost::{Content, PackagePricing, Sums};
use crate::catalogue::packages::draft::PackageDraft;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::lists;
use crate::records::archivables::PACKAGE;
use crate::records::search_texts;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::table::{self, ColumnSql, Join, RowSource, SearchTarget, Table, expr, text_has};
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.raw::<ListPackages, _, _>(list)
        .described_by::<ListPackages>(&PACKAGES)
        .on::<CreatePackage, _, _, _>(create)
        .on::<BulkUpdatePackages, _, _, _>(bulk::update)
        .on::<PackageTotalCost, _, _, _>(total_cost)
        .on::<PackageServices, _, _, _>(services)
        .on::<PackageServiceTypes, _, _, _>(service_types)
        .on::<GetPackage, _, _, _>(get)
        .on::<UpdatePackage, _, _, _>(update)
        .archiving::<ArchivePackage, UnarchivePackage, _, _, _>(&PACKAGE, answer)
        .with(provided::routes)
}

async fn list(ctx: Ctx, req: Req<ListPackages>) -> Result<Response> {
    let shown = |record: Record, scope: &Scope| record.shown(scope);
    lists::answer_with_computed_columns(ctx, &PACKAGES, &req.query, shown, (sums::COSTS, sums::of_all)).await
}

async fn get(ctx: Ctx, req: Req<GetPackage>) -> Result<Data<Package>> {
    Ok(Data { data: load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreatePackage>) -> Result<Data<Package>> {
    let mut work = ctx.begin().await?;
    let draft = judged(&mut work, &req.body).await?;
    let id = draft.insert(&mut work).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &PackageDraft::default()).await?;
    answer(work, id).await
}

/// A new package by an input, or everything that is wrong with it.
async fn judged(work: &mut UnitOfWork, input: &PackageInput) -> Result<PackageDraft> {
    let (blank, errors) = match input.provider_package_id {
        Some(id) => draft::made_of(work, id).await?,
        None => (Some(PackageDraft::default()), FieldErrors::default()),
    };
    let mut wrong = WrongFields::from(errors);
    let is_made = blank.is_some();
    let (mut draft, mut errors) = blank.unwrap_or_default().with(input);
    if !is_made {
        // The package that is not there would have given these.
        for field in ["name", "network_id", "sync", "provider_package_id"] {
            errors.0.remove(field);
        }
    }
    wrong.record(errors.or(()))?;
    if is_made {
        draft.check(work, (&PackageDraft::default(), input.confirm_below_margin), wrong).await?;
        return Ok(draft);
    }
    wrong.or(draft)
}

async fn update(ctx: Ctx, req: Req<UpdatePackage>) -> Result<Data<Package>> {
    let mut work = ctx.begin().await?;
    let (before, stamp, _) = PackageDraft::lock(&mut work, req.path).await?;
    Error::check_not_stale("package", req.body.updated_at, stamp)?;
    let (mut after, errors) = before.clone().with(&req.body);
    if after == before {
        WrongFields::from(errors).or(())?;
    } else {
        let confirmed = req.body.confirm_below_margin;
        after.check(&mut work, (&before, confirmed), WrongFields::from(errors)).await?;
        after.write(&mut work, req.path).await?;
        after.record_change(&mut work, ChangeAction::Updated, req.path, &before).await?;
    }
    answer(work, req.path).await
}

async fn total_cost(ctx: Ctx, req: Req<PackageTotalCost>) -> Result<Data<TotalCost>> {
    let input = &req.body;
    let db = &mut ctx.db();
    let contents = cost::contents_of(db, &input.package_contents).await?;
    let pricing =
        PackagePricing { fixed_cost: input.fixed_cost, discount: input.discount_percent.unwrap_or_default() };
    let places = settings::rounding_precision(db).await?;
    let sums = cost::judge(&contents, &pricing, places)?;
    let (lowest_cost, _) = cost::lowest_of(db, &contents, places).await?;
    let package_contents = contents.iter().map(|content| content.shown(places)).collect();
    Ok(Data {
        data: TotalCost {
            default_cost: sums.default_cost,
            total_cost: sums.total_cost,
            difference: sums.difference()?,
            lowest_cost,
            is_below_least_margin: sums.total_cost < lowest_cost,
            package_contents,
        },
    })
}

async fn services(ctx: Ctx, req: Req<PackageServices>) -> Result<Data<Vec<PackageService>>> {
    Ok(Data { data: on_sale(&ctx, &req.query).await? })
}

async fn service_types(ctx: Ctx, _req: Req<PackageServiceTypes>) -> Result<Data<Vec<PackageServiceType>>> {
    Ok(Data { data: types(&ctx).await? })
}

async fn answer(mut work: UnitOfWork, id: PackageId) -> Result<Data<Package>> {
    let ctx = work.scope().clone();
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

/// All packages, newest first.
pub static PACKAGES: Table = Table::new(
    &panel_contract::lists::packages::PACKAGES,
    RowSource {
        base: "packages",
        alias: "p",
        key: "p.id",
        joins: &[
            Join { alias: "n", sql: "JOIN networks n ON n.id = p.network_id" },
            Join { alias: "t", sql: "LEFT JOIN service_types t ON t.id = p.service_type_id" },
            Join { alias: "e", sql: sums::ORIGIN },
        ],
        computed_columns: Some(sums::COSTS),
        select: sums::SELECT,
        ..RowSource::NONE
    },
    SQL,
)
.common_search(&[
    SearchTarget::new("p.id", &search_texts::PACKAGES, "name").here(&["p.name", "p.slug"]),
    SearchTarget::new("p.network_id", &search_texts::NETWORKS, "network"),
    SearchTarget::new("p.service_type_id", &search_texts::SERVICE_TYPES, "service_type"),
]);

/// What is not the column of the base that has the same name, or is counted or found by an index.
const SQL: &[ColumnSql] = &[
    expr("network", "n.name").join("n"),
    expr("network.id", "p.network_id"),
    expr("network.name", "n.name").join("n"),
    expr("service_type", "t.name").join("t"),
    expr("service_type.id", "p.service_type_id"),
    expr("service_type.name", "t.name").join("t"),
    expr("provider", "e.name")
        .join("e")
        .text_index("p.provider_package_id", &search_texts::EXTERNAL_PANELS, "name")
        .through(sums::OF_PANEL, "external_panel_id"),
    expr("provider.id", "e.id").join("e"),
    expr("provider.name", "e.name").join("e"),
    expr("discount_percent", "p.discount_ppm"),
    expr("default_cost", "k.default_cost").join(sums::COSTS),
    expr("total_cost", "k.total_cost").join(sums::COSTS),
    expr("difference", "k.difference").join(sums::COSTS),
    expr("contents_count", COUNT),
];

const COUNT: &str = "(SELECT count(*) FROM package_contents x WHERE x.package_id = p.id)";

// Rules

/// Whether a package is bought: the purchase asks it, and `actions.buyable` shows it.
#[must_use]
pub(crate) const fn is_on_sale(is_enabled: bool, is_archived: bool) -> bool {
    is_enabled && !is_archived
}

fn actions(is_enabled: bool, is_archived: bool, scope: &Scope) -> PackageActions {
    let may = scope.may(Permission::ManagePackages);
    let ArchivableActions { editable, archivable, restore } = PACKAGE.actions(may, is_archived, false);
    PackageActions {
        editable,
        archivable,
        restore,
        buyable: scope.may(Permission::ManageOrders) && is_on_sale(is_enabled, is_archived),
    }
}

// Store

/// A package as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
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
    parts: Option<String>,
    places: Option<String>,
}

impl Record {
    fn contents(&self) -> Vec<Content> {
        self.parts.as_deref().unwrap_or_default().split(',').filter_map(Content::read).collect()
    }

    /// What it comes to: shown in its row, and what the list sorts and filters by.
    fn sums(&self, contents: &[Content]) -> Sums {
        let pricing = PackagePricing { fixed_cost: self.fixed_cost, discount: self.discount_ppm };
        let places = self.places.as_deref().and_then(|text| text.parse().ok());
        let places = places.filter(|places| *places <= 6).unwrap_or(2);
        // Such a sum was refused when the package was written; its services may cost more since then.
        cost::sums(contents, &pricing, places).unwrap_or(Sums::BEYOND)
    }

    fn shown(self, scope: &Scope) -> PackageRow {
        let contents = self.contents();
        let sums = self.sums(&contents);
        PackageRow {
            id: self.id,
            name: self.name,
            kind: self.kind,
            network: Named { id: self.network_id, name: self.network_name },
            service_type: named(self.service_type_id, self.service_type_name),
            is_archived: self.is_archived,
            is_enabled: self.is_enabled,
            restricted_access: self.restricted_access,
            sync: self.sync,
            provider: named(self.provider_id, self.provider_name),
            provider_package_id: self.provider_package_id,
            slug: self.slug,
            fixed_cost: self.fixed_cost,
            discount_percent: self.discount_ppm,
            below_margin_confirmed: self.below_margin_confirmed,
            default_cost: sums.default_cost,
            total_cost: sums.total_cost,
            difference: sums.difference().unwrap_or_default(),
            contents_count: i64::try_from(contents.len()).unwrap_or(0),
            created_at: self.created_at,
            actions: actions(self.is_enabled, self.is_archived, scope),
        }
    }
}

/// A record named in passing, where there is one.
fn named<I>(id: Option<I>, name: Option<String>) -> Option<Named<I>> {
    id.zip(name).map(|(id, name)| Named { id, name })
}

/// One package, in six statements.
async fn load(db: &mut impl Source, scope: &Scope, id: PackageId) -> Result<Package> {
    let shown = |record: Record, scope: &Scope| record.shown(scope);
    let row = table::rows_from(db, scope, &PACKAGES, &[id], shown).await?.pop();
    let row = row.ok_or_else(|| Error::not_found("package", id))?;
    let read = PackageDraft::read(db, id, false).await?;
    let (draft, updated_at, _) = read.ok_or_else(|| Error::not_found("package", id))?;
    let places = settings::rounding_precision(db).await?;
    let contents = cost::contents_of(db, &draft.inputs()).await?;
    Ok(Package {
        row,
        buy_page_url: draft.buy_page_url,
        package_contents: contents.iter().map(|content| content.shown(places)).collect(),
        translations: draft.translations,
        updated_at,
    })
}

/// The first services on sale that a query leaves.
async fn on_sale(ctx: &Ctx, query: &PackageServicesQuery) -> Result<Vec<PackageService>> {
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
            Err(_) => sql = sql.push(" AND ").append(text_has("s.name", text, ctx)),
        },
    }
    type Row = (ServiceId, String, Money, i64, i64, i64, i64);
    let rows: Vec<Row> = (&mut ctx.db()).all(sql.push(" ORDER BY s.name, s.id LIMIT 50")).await?;
    let shown = |row: Row| PackageService {
        id: row.0,
        name: row.1,
        default_price: row.2,
        pricing_per: row.3,
        min_quantity: row.4,
        max_quantity: row.5,
        quantity_step: row.6,
    };
    Ok(rows.into_iter().map(shown).collect())
}

/// All service types with their networks.
async fn types(ctx: &Ctx) -> Result<Vec<PackageServiceType>> {
    type Row = (ServiceTypeId, String, NetworkId, String);
    let sql = "SELECT t.id, t.name, n.id, n.name FROM service_types t JOIN networks n ON n.id = t.network_id
        ORDER BY n.sorting, n.id, t.sorting, t.id";
    let rows: Vec<Row> = (&mut ctx.db()).all(Sql::new(sql)).await?;
    let shown = |(id, name, network, title): Row| PackageServiceType {
        id,
        name,
        network: Named { id: network, name: title },
    };
    Ok(rows.into_iter().map(shown).collect())
}
