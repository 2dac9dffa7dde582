//! Providers deliver the orders of services. A provider is either a service of an external panel, or staff who deliver by hand. An
//! order waits while no provider of its service is available: see `pricing::available`.

mod draft;
mod picker;
mod report;

use panel_contract::amount::Money;
use panel_contract::change_logs::ChangeAction;
use panel_contract::common::{ArchivableActions, Data, NamedRef};
use panel_contract::endpoints::providers::{
    ArchiveProvider, CreateProvider, GetProvider, ListProviders, UnarchiveProvider, UpdateProvider,
};
use panel_contract::ids::{ExternalPanelId, ProviderId, ServiceId};
use panel_contract::moment::{Day, Time, Timestamp};
use panel_contract::permission::Permission;
use panel_contract::providers::{
    Provider, ProviderActions, ProviderRow, ProviderService, ProviderStatus, ProviderType, SourcePrice,
};
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;

use crate::catalogue::delivery_checks;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::available::{self, provider_is_available};
use crate::pricing::minimum_margin;
use crate::records::archivable_kinds::PROVIDER;
use crate::records::search_texts;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::supply::providers::draft::ProviderDraft;
use panel_domain::states::providers::is_settable;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::table::{self, Join, RowSource, SearchTarget, Table, base_column, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListProviders, _, _>(&PROVIDERS, |record: ProviderRecord, ctx| record.into_row(ctx))
        .route::<CreateProvider, _, _, _>(create)
        .with(picker::routes)
        .with(report::routes)
        .route::<GetProvider, _, _, _>(get)
        .route::<UpdateProvider, _, _, _>(update)
        .archive_endpoints_with_handler::<ArchiveProvider, UnarchiveProvider, _, _, _>(set_archived)
}

async fn get(ctx: Ctx, req: Req<GetProvider>) -> Result<Data<Provider>> {
    Ok(Data { data: load_provider(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateProvider>) -> Result<Data<Provider>> {
    let empty_draft = ProviderDraft::default();
    let (mut draft, errors) = ProviderDraft::default().apply_input(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    let mut work = ctx.begin().await?;
    available::lock_services(&mut work, &draft.services).await?;
    field_errors.collect(
        draft.check_references(&mut work, (None, &empty_draft), req.body.source_pricing_per).await,
    )?;
    field_errors.into_result(())?;
    let lowest_prices = minimum_margin::load_lowest_prices(&mut work, &draft.services).await?;
    let id = draft.insert(&mut work).await?;
    check_services(&mut work, id, &draft, &empty_draft).await?;
    let is_confirmed = req.body.confirm_below_margin;
    minimum_margin::check_after_cost_change(
        &mut work,
        (&lowest_prices, "source_price"),
        &draft.services,
        is_confirmed,
    )
    .await?;
    available::update_availability(&mut work, &draft.services).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &empty_draft).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateProvider>) -> Result<Data<Provider>> {
    let (id, mut work) = (req.path, ctx.begin().await?);
    let mut services = available::load_services_of_provider(&mut work, id).await?;
    services.extend(req.body.services.iter().flatten());
    services.sort_unstable();
    services.dedup();
    available::lock_services(&mut work, &services).await?;
    let (old_draft, current_updated_at) = ProviderDraft::lock(&mut work, id).await?;
    Error::check_not_stale("provider", req.body.updated_at, current_updated_at)?;
    let (mut new_draft, errors) = old_draft.clone().apply_input(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    if new_draft != old_draft {
        field_errors.collect(
            new_draft.check_references(&mut work, (Some(id), &old_draft), req.body.source_pricing_per).await,
        )?;
    }
    field_errors.into_result(())?;
    if new_draft != old_draft {
        let lowest_prices = minimum_margin::load_lowest_prices(&mut work, &services).await?;
        new_draft.update_row(&mut work, id, &old_draft).await?;
        check_services(&mut work, id, &new_draft, &old_draft).await?;
        let is_confirmed = req.body.confirm_below_margin;
        minimum_margin::check_after_cost_change(
            &mut work,
            (&lowest_prices, new_draft.field_that_changes_cost(&old_draft)),
            &services,
            is_confirmed,
        )
        .await?;
        available::update_availability(&mut work, &services).await?;
        new_draft.record_change(&mut work, ChangeAction::Updated, id, &old_draft).await?;
    }
    commit_and_respond(work, id).await
}

/// Checks that the stored provider can deliver its added services, or all its services if its service at the external panel
/// changed.
async fn check_services(
    work: &mut UnitOfWork,
    id: ProviderId,
    new_draft: &ProviderDraft,
    old_draft: &ProviderDraft,
) -> Result<()> {
    let has_other_panel_service = new_draft.panel_service() != old_draft.panel_service();
    let needs_check = |service: &&ServiceId| has_other_panel_service || !old_draft.services.contains(service);
    let links: Vec<(ServiceId, ProviderId)> =
        new_draft.services.iter().filter(needs_check).map(|service| (*service, id)).collect();
    delivery_checks::check_provider_links(work, "services", &links).await
}

async fn set_archived(ctx: Ctx, id: ProviderId, is_archived: bool) -> Result<Data<Provider>> {
    let mut work = ctx.begin().await?;
    let services = available::load_services_of_provider(&mut work, id).await?;
    available::lock_services(&mut work, &services).await?;
    let (old_draft, _) = ProviderDraft::lock(&mut work, id).await?;
    PROVIDER.check_transition(old_draft.is_archived, is_archived)?;
    let lowest_prices = minimum_margin::load_lowest_prices(&mut work, &services).await?;
    PROVIDER.save(&mut work, (id, &old_draft.name), is_archived).await?;
    minimum_margin::check_after_cost_change(&mut work, (&lowest_prices, "id"), &services, true).await?;
    available::update_availability(&mut work, &services).await?;
    commit_and_respond(work, id).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: ProviderId) -> Result<Data<Provider>> {
    let ctx = work.scope().clone();
    let data = load_provider(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

pub static PROVIDERS: Table = Table::new(
    &panel_contract::lists::providers::PROVIDERS,
    RowSource {
        base: "providers",
        alias: "p",
        key: "p.id",
        joins: &[Join { alias: "x", sql: "LEFT JOIN external_panels x ON x.id = p.external_panel_id" }],
        select: PROVIDER_SELECT_LIST,
        ..RowSource::NONE
    },
    &[
        base_column("name").text_index("p.id", &search_texts::PROVIDERS, "name"),
        expr("external_panel", "x.name").join("x").text_index(
            "p.external_panel_id",
            &search_texts::EXTERNAL_PANELS,
            "name",
        ),
        expr("external_panel.id", "p.external_panel_id"),
        expr("external_panel.name", "x.name").join("x"),
        expr("source_price.amount", "p.source_price"),
        expr("source_price.currency", "p.source_currency"),
        expr("services_count", SERVICES_COUNT),
        expr("status", "(CASE WHEN p.is_archived THEN 'archived' ELSE p.status END)"),
        expr("is_available", provider_is_available!()),
    ],
)
.global_search(&[
    SearchTarget::new("p.id", &search_texts::PROVIDERS, "name")
        .own_columns(&["p.name", "p.external_panel_service_id"]),
    SearchTarget::new("p.external_panel_id", &search_texts::EXTERNAL_PANELS, "external_panel"),
]);

const SERVICES_COUNT: &str = "(SELECT count(*) FROM service_providers m WHERE m.provider_id = p.id)";

const PROVIDER_SELECT_LIST: &str = concat!(
    "p.id, p.name, p.type AS kind, p.external_panel_id, p.external_panel_service_id, x.name AS panel_name, p.source_price, p.source_currency,
     p.source_pricing_per, (SELECT count(*) FROM service_providers m WHERE m.provider_id = p.id) AS services_count,
     CASE WHEN p.is_archived THEN 'archived' ELSE p.status END AS status, p.is_archived, ",
    provider_is_available!(),
    " AS is_available, p.last_available_at, p.created_at, p.updated_at"
);

// Rules

/// Returns the allowed actions. `status` is the displayed status, which is `archived` for every archived provider.
fn actions(status: ProviderStatus, is_archived: bool, scope: &Scope) -> ProviderActions {
    let can_manage = scope.has_permission(Permission::ManageServicesAndProviders);
    let ArchivableActions { editable, archivable, restore } =
        PROVIDER.allowed_actions(can_manage, is_archived, false);
    ProviderActions {
        editable,
        archivable,
        restore,
        enable: can_manage && is_settable(status, ProviderStatus::Active),
        disable: can_manage && is_settable(status, ProviderStatus::Disabled),
    }
}

// Store

/// A row of [`PROVIDERS`] as the database returns it.
#[derive(Debug, sqlx::FromRow)]
pub struct ProviderRecord {
    id: ProviderId,
    name: String,
    kind: ProviderType,
    external_panel_id: Option<ExternalPanelId>,
    external_panel_service_id: Option<String>,
    panel_name: Option<String>,
    source_price: Money,
    source_currency: String,
    source_pricing_per: i64,
    services_count: i64,
    status: ProviderStatus,
    is_archived: bool,
    is_available: bool,
    last_available_at: Option<Time>,
    created_at: Time,
    updated_at: Timestamp,
}

impl ProviderRecord {
    fn into_row(self, scope: &Scope) -> ProviderRow {
        let panel = self.external_panel_id.zip(self.panel_name);
        ProviderRow {
            id: self.id,
            panel_id: 1,
            name: self.name,
            kind: self.kind,
            external_panel_id: self.external_panel_id,
            external_panel_service_id: self.external_panel_service_id,
            external_panel: panel.map(|(id, name)| NamedRef { id, name }),
            source_price: SourcePrice { amount: self.source_price, currency: self.source_currency },
            source_pricing_per: self.source_pricing_per,
            services_count: self.services_count,
            status: self.status,
            is_archived: self.is_archived,
            is_available: self.is_available,
            last_available_at: self.last_available_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
            actions: actions(self.status, self.is_archived, scope),
        }
    }
}

/// Loads one provider in four statements; 404 if it does not exist.
async fn load_provider(db: &mut impl SqlExecutor, scope: &Scope, id: ProviderId) -> Result<Provider> {
    let into_row = |record: ProviderRecord, scope: &Scope| record.into_row(scope);
    let row = table::load_rows_from(db, scope, &PROVIDERS, &[id], into_row).await?.pop();
    let row = row.ok_or_else(|| Error::not_found("provider", id))?;
    type EventsAndLastDay = (Option<String>, Option<String>, Option<Day>);
    let sql = Sql::new(
        "SELECT source_event, target_event, (SELECT max(x.day) FROM provider_statistics x WHERE x.provider_id = providers.id)
         FROM providers WHERE id = ?",
    );
    let (source_event, target_event, last_day): EventsAndLastDay = db.fetch_one(sql.bind(id)).await?;
    let sql = Sql::new(
        "SELECT s.id, s.name, NOT s.has_active_providers FROM service_providers m JOIN services s ON s.id = m.service_id
         WHERE m.provider_id = ? ORDER BY s.id",
    );
    let services: Vec<(ServiceId, String, bool)> = db.fetch_all(sql.bind(id)).await?;
    let to_provider_service =
        |(id, name, has_no_active_providers)| ProviderService { id, name, has_no_active_providers };
    let count_open_orders_sql = Sql::new(concat!(
        "SELECT count(*) FROM external_panel_orders WHERE provider_id = ? AND ",
        attempt_is!(unfinished, "external_panel_orders")
    ));
    let (open_orders_count,): (i64,) = db.fetch_one(count_open_orders_sql.bind(id)).await?;
    Ok(Provider {
        row,
        services: services.into_iter().map(to_provider_service).collect(),
        open_orders_count,
        source_event,
        target_event,
        last_stats_gather_period: last_day.map(|day| day.to_string()),
    })
}
