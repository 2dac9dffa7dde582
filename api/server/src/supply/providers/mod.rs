//! Providers deliver the orders of services. A provider is a service of an external panel, or staff who deliver manually. Orders
//! wait while no provider is available: see `pricing::available`.

mod draft;
mod picker;
mod report;

use panel_contract::amount::Money;
use panel_contract::change_logs::ChangeAction;
use panel_contract::common::{ArchivableActions, Data, Named};
use panel_contract::endpoints::providers::{
    ArchiveProvider, CreateProvider, GetProvider, ListProviders, UnarchiveProvider, UpdateProvider,
};
use panel_contract::ids::{ExternalPanelId, ProviderId, ServiceId};
use panel_contract::moment::{Day, Stamp, Time};
use panel_contract::permission::Permission;
use panel_contract::providers::{
    Provider, ProviderActions, ProviderRow, ProviderService, ProviderStatus, ProviderType, SourcePrice,
};
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;

use crate::catalogue::deliverable;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::available::{self, available};
use crate::pricing::least_margin;
use crate::records::archivables::PROVIDER;
use crate::records::search_texts;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::supply::providers::draft::ProviderDraft;
use panel_domain::states::providers::is_settable;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::table::{self, Join, RowSource, SearchTarget, Table, base, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.table::<ListProviders, _, _>(&PROVIDERS, |record: ProviderRecord, ctx| record.shown(ctx))
        .on::<CreateProvider, _, _, _>(create)
        .with(picker::routes)
        .with(report::routes)
        .on::<GetProvider, _, _, _>(get)
        .on::<UpdateProvider, _, _, _>(update)
        .archiving_by::<ArchiveProvider, UnarchiveProvider, _, _, _>(set_archived)
}

async fn get(ctx: Ctx, req: Req<GetProvider>) -> Result<Data<Provider>> {
    Ok(Data { data: load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateProvider>) -> Result<Data<Provider>> {
    let blank = ProviderDraft::default();
    let (mut draft, errors) = ProviderDraft::default().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    let mut work = ctx.begin().await?;
    available::lock(&mut work, &draft.services).await?;
    wrong.record(draft.check(&mut work, (None, &blank), req.body.source_pricing_per).await)?;
    wrong.or(())?;
    let costs = least_margin::of_services(&mut work, &draft.services).await?;
    let id = draft.insert(&mut work).await?;
    check_services(&mut work, id, &draft, &blank).await?;
    let confirmed = req.body.confirm_below_margin;
    least_margin::check_costs(&mut work, (&costs, "source_price"), &draft.services, confirmed).await?;
    available::update_availability(&mut work, &draft.services).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &blank).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateProvider>) -> Result<Data<Provider>> {
    let (id, mut work) = (req.path, ctx.begin().await?);
    let mut services = available::of_provider(&mut work, id).await?;
    services.extend(req.body.services.iter().flatten());
    services.sort_unstable();
    services.dedup();
    available::lock(&mut work, &services).await?;
    let (before, stamp) = ProviderDraft::lock(&mut work, id).await?;
    Error::check_not_stale("provider", req.body.updated_at, stamp)?;
    let (mut after, errors) = before.clone().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    if after != before {
        wrong.record(after.check(&mut work, (Some(id), &before), req.body.source_pricing_per).await)?;
    }
    wrong.or(())?;
    if after != before {
        let costs = least_margin::of_services(&mut work, &services).await?;
        after.write(&mut work, id, &before).await?;
        check_services(&mut work, id, &after, &before).await?;
        let confirmed = req.body.confirm_below_margin;
        least_margin::check_costs(&mut work, (&costs, after.cost_field(&before)), &services, confirmed)
            .await?;
        available::update_availability(&mut work, &services).await?;
        after.record_change(&mut work, ChangeAction::Updated, id, &before).await?;
    }
    answer(work, id).await
}

/// Checks that the stored provider can deliver its new services, or all of its services if it has moved to another panel service.
async fn check_services(
    work: &mut UnitOfWork,
    id: ProviderId,
    after: &ProviderDraft,
    before: &ProviderDraft,
) -> Result<()> {
    let has_moved = after.panel_service() != before.panel_service();
    let needs_check = |service: &&ServiceId| has_moved || !before.services.contains(service);
    let links: Vec<(ServiceId, ProviderId)> =
        after.services.iter().filter(needs_check).map(|service| (*service, id)).collect();
    deliverable::check(work, "services", &links).await
}

async fn set_archived(ctx: Ctx, id: ProviderId, is_archived: bool) -> Result<Data<Provider>> {
    let mut work = ctx.begin().await?;
    let services = available::of_provider(&mut work, id).await?;
    available::lock(&mut work, &services).await?;
    let (before, _) = ProviderDraft::lock(&mut work, id).await?;
    PROVIDER.check(before.is_archived, is_archived)?;
    let costs = least_margin::of_services(&mut work, &services).await?;
    PROVIDER.save(&mut work, (id, &before.name), is_archived).await?;
    least_margin::check_costs(&mut work, (&costs, "id"), &services, true).await?;
    available::update_availability(&mut work, &services).await?;
    answer(work, id).await
}

async fn answer(mut work: UnitOfWork, id: ProviderId) -> Result<Data<Provider>> {
    let ctx = work.scope().clone();
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

/// All providers, by name.
pub static PROVIDERS: Table = Table::new(
    &panel_contract::lists::providers::PROVIDERS,
    RowSource {
        base: "providers",
        alias: "p",
        key: "p.id",
        joins: &[Join { alias: "x", sql: "LEFT JOIN external_panels x ON x.id = p.external_panel_id" }],
        select: SELECT,
        ..RowSource::NONE
    },
    &[
        base("name").text_index("p.id", &search_texts::PROVIDERS, "name"),
        expr("external_panel", "x.name").join("x").text_index(
            "p.external_panel_id",
            &search_texts::EXTERNAL_PANELS,
            "name",
        ),
        expr("external_panel.id", "p.external_panel_id"),
        expr("external_panel.name", "x.name").join("x"),
        expr("source_price.amount", "p.source_price"),
        expr("source_price.currency", "p.source_currency"),
        expr("services_count", COUNT),
        expr("status", "(CASE WHEN p.is_archived THEN 'archived' ELSE p.status END)"),
        expr("is_available", available!()),
    ],
)
.common_search(&[
    SearchTarget::new("p.id", &search_texts::PROVIDERS, "name")
        .here(&["p.name", "p.external_panel_service_id"]),
    SearchTarget::new("p.external_panel_id", &search_texts::EXTERNAL_PANELS, "external_panel"),
]);

const COUNT: &str = "(SELECT count(*) FROM service_providers m WHERE m.provider_id = p.id)";

const SELECT: &str = concat!(
    "p.id, p.name, p.type AS kind, p.external_panel_id, p.external_panel_service_id, x.name AS panel_name, p.source_price, p.source_currency,
     p.source_pricing_per, (SELECT count(*) FROM service_providers m WHERE m.provider_id = p.id) AS services_count,
     CASE WHEN p.is_archived THEN 'archived' ELSE p.status END AS status, p.is_archived, ",
    available!(),
    " AS is_available, p.last_available_at, p.created_at, p.updated_at"
);

// Rules

/// `status` is the shown status: an archived provider has no other one.
fn actions(status: ProviderStatus, is_archived: bool, scope: &Scope) -> ProviderActions {
    let may = scope.may(Permission::ManageServicesAndProviders);
    let ArchivableActions { editable, archivable, restore } = PROVIDER.actions(may, is_archived, false);
    ProviderActions {
        editable,
        archivable,
        restore,
        enable: may && is_settable(status, ProviderStatus::Active),
        disable: may && is_settable(status, ProviderStatus::Disabled),
    }
}

// Store

/// A provider as the list reads it.
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
    updated_at: Stamp,
}

impl ProviderRecord {
    fn shown(self, scope: &Scope) -> ProviderRow {
        let panel = self.external_panel_id.zip(self.panel_name);
        ProviderRow {
            id: self.id,
            panel_id: 1,
            name: self.name,
            kind: self.kind,
            external_panel_id: self.external_panel_id,
            external_panel_service_id: self.external_panel_service_id,
            external_panel: panel.map(|(id, name)| Named { id, name }),
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

/// Loads one provider in four statements.
async fn load(db: &mut impl Source, scope: &Scope, id: ProviderId) -> Result<Provider> {
    let shown = |record: ProviderRecord, scope: &Scope| record.shown(scope);
    let row = table::rows_from(db, scope, &PROVIDERS, &[id], shown).await?.pop();
    let row = row.ok_or_else(|| Error::not_found("provider", id))?;
    type Events = (Option<String>, Option<String>, Option<Day>);
    let sql = Sql::new(
        "SELECT source_event, target_event, (SELECT max(x.day) FROM provider_statistics x WHERE x.provider_id = providers.id)
         FROM providers WHERE id = ?",
    );
    let (source_event, target_event, last_day): Events = db.one(sql.bind(id)).await?;
    let sql = Sql::new(
        "SELECT s.id, s.name, NOT s.has_active_providers FROM service_providers m JOIN services s ON s.id = m.service_id
         WHERE m.provider_id = ? ORDER BY s.id",
    );
    let services: Vec<(ServiceId, String, bool)> = db.all(sql.bind(id)).await?;
    let shown = |(id, name, has_no_active_providers)| ProviderService { id, name, has_no_active_providers };
    let open = Sql::new(concat!(
        "SELECT count(*) FROM external_panel_orders WHERE provider_id = ? AND ",
        attempt_is!(live, "external_panel_orders")
    ));
    let (open_orders_count,): (i64,) = db.one(open.bind(id)).await?;
    Ok(Provider {
        row,
        services: services.into_iter().map(shown).collect(),
        open_orders_count,
        source_event,
        target_event,
        last_stats_gather_period: last_day.map(|day| day.to_string()),
    })
}
