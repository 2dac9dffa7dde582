//! The endpoints of services: list, get, create, update, copy and archive. `rules` validates an input, `checks` compares the input
//! with other records, and `store` loads and writes services.

pub mod bulk;
mod checks;
pub mod draft;
mod list;
pub mod preview;
mod rules;
pub mod store;
pub mod switches;
mod texts;

pub use list::SERVICES;
use list::{ServiceRecord, load_service};
pub use texts::TEXTS;

use std::collections::BTreeSet;

use panel_contract::change_logs::ChangeAction;
use panel_contract::common::Data;
use panel_contract::endpoints::services::{
    ArchiveService, BulkUpdateServices, CopyService, CreateService, GetService, ListServices, PreviewPrices,
    UnarchiveService, UpdateService,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ProviderId, ServiceId, ServiceTypeId};
use panel_contract::services::Service;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;

use crate::catalogue::promoted_levels;
use crate::catalogue::services::checks::{
    check_checker_group, check_network_change, check_price, check_providers,
};
use crate::catalogue::services::draft::ServiceDraft;
use crate::catalogue::services::store::StoredService;
use crate::catalogue::targets::service_targets;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::minimum_margin;
use crate::records::archivable_kinds::SERVICE;
use crate::records::references;
use crate::stores::archive_state;
use panel_platform::db::{Sql, SqlExecutor, names};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListServices, _, _>(&SERVICES, |record: ServiceRecord, ctx| record.into_row(ctx))
        .route::<GetService, _, _, _>(get)
        .route::<CreateService, _, _, _>(create)
        .route::<UpdateService, _, _, _>(update)
        .archive_endpoints_with_handler::<ArchiveService, UnarchiveService, _, _, _>(set_archived)
        .route::<CopyService, _, _, _>(copy)
        .route::<BulkUpdateServices, _, _, _>(bulk::update)
        .route::<PreviewPrices, _, _, _>(preview::preview)
}

async fn get(ctx: Ctx, req: Req<GetService>) -> Result<Data<Service>> {
    Ok(Data { data: load_service(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateService>) -> Result<Data<Service>> {
    let blank = ServiceDraft::blank();
    let (draft, errors) = blank.clone().apply(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    let mut work = ctx.begin().await?;
    field_errors.collect(check_references(&mut work, &draft, &blank).await)?;
    field_errors.into_result(())?;
    let is_confirmed = req.body.confirm_below_margin;
    minimum_margin::check_confirmed_margin(
        &mut work,
        "resale_margin_fraction",
        draft.resale_margin_ppm,
        is_confirmed,
    )
    .await?;
    let id = draft.insert(&mut work).await?;
    check_providers(&mut work, id, &draft, &blank).await?;
    check_price(&mut work, (id, "default_price"), &draft, is_confirmed).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &blank).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateService>) -> Result<Data<Service>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    let StoredService { draft: before, updated_at, .. } = StoredService::lock(&mut work, id).await?;
    Error::check_not_stale("service", req.body.updated_at, updated_at)?;
    let (after, errors) = before.clone().apply(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    field_errors.collect(check_references(&mut work, &after, &before).await)?;
    field_errors.into_result(())?;
    if after != before {
        let is_confirmed = req.body.confirm_below_margin;
        if after.resale_margin_ppm != before.resale_margin_ppm {
            let (field, margin) = ("resale_margin_fraction", after.resale_margin_ppm);
            minimum_margin::check_confirmed_margin(&mut work, field, margin, is_confirmed).await?;
        }
        after.update(&mut work, id, &before).await?;
        check_providers(&mut work, id, &after, &before).await?;
        if let Some(field) = after.field_that_lowers_profit(&before) {
            check_price(&mut work, (id, field), &after, is_confirmed).await?;
        }
        if let (Some(from), Some(to)) = (before.service_type_id, after.service_type_id)
            && from != to
        {
            check_network_change(&mut work, id, (from, to)).await?;
            promoted_levels::sync_with_services(&mut work).await?;
        }
        after.record_change(&mut work, ChangeAction::Updated, id, &before).await?;
    }
    commit_and_respond(work, id).await
}

async fn set_archived(ctx: Ctx, id: ServiceId, archive: bool) -> Result<Data<Service>> {
    let mut work = ctx.begin().await?;
    let StoredService { draft, is_archived, .. } = StoredService::lock(&mut work, id).await?;
    SERVICE.check_transition(is_archived, archive)?;
    if archive {
        references::reject_if_used(&mut work, &references::TO_SERVICE, id).await?;
    }
    let before = SERVICE.take_snapshot(&mut work, id).await?;
    write_archived(&mut work, id, archive, draft.service_type_id).await?;
    SERVICE.record_change(&mut work, (id, &draft.name), archive, &before).await?;
    commit_and_respond(work, id).await
}

async fn copy(ctx: Ctx, req: Req<CopyService>) -> Result<Data<Service>> {
    let mut work = ctx.begin().await?;
    let copy = StoredService::lock(&mut work, req.path).await?.draft.copy();
    let id = copy.insert(&mut work).await?;
    copy.record_change(&mut work, ChangeAction::Copied, id, &ServiceDraft::blank()).await?;
    commit_and_respond(work, id).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: ServiceId) -> Result<Data<Service>> {
    let ctx = work.scope().clone();
    let data = load_service(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

// Store

/// Checks that the draft refers only to records that exist and are not archived. Unchanged references are not checked again.
async fn check_references(work: &mut UnitOfWork, after: &ServiceDraft, before: &ServiceDraft) -> Result<()> {
    let mut field_errors = FieldErrorCollector::default();
    let mut errors = FieldErrors::default();
    if after.slug.is_some() && after.slug != before.slug {
        let same_slug_sql = Sql::new("SELECT id FROM services WHERE slug = ?").bind(after.slug.clone());
        if work.fetch_optional::<(ServiceId,)>(same_slug_sql).await?.is_some() {
            field_errors.collect(Err::<(), _>(store::duplicate_slug()))?;
        }
    }
    // `rules` has already rejected the id 0, which means that no type was chosen.
    let type_id_before = before.service_type_id.map_or(0, ServiceTypeId::get);
    if let Some(id) = after.service_type_id.filter(|id| id.get() != type_id_before)
        && names::load_name(work, "service_types", id).await?.is_none()
    {
        errors.add("service_type_id", format!("There is no service type {id}."));
    }
    check_checker_group(work, &mut errors, after, before).await?;
    if after.labels != before.labels {
        let names = names::load_names(work, "labels", &after.labels).await?;
        for id in after.labels.iter().filter(|id| !names.contains_key(*id)) {
            errors.add("labels", format!("There is no label {id}."));
        }
    }
    if after.providers != before.providers {
        let sql = Sql::new("SELECT id FROM providers WHERE NOT is_archived AND id IN ").ids(&after.providers);
        let usable_ids: BTreeSet<ProviderId> =
            work.fetch_all::<(ProviderId,)>(sql).await?.into_iter().map(|(id,)| id).collect();
        let is_unusable = |id: &ProviderId| !before.providers.contains(id) && !usable_ids.contains(id);
        for (index, id) in after.providers.iter().enumerate().filter(|(_, id)| is_unusable(id)) {
            errors
                .add(format!("providers.{index}"), format!("There is no provider {id}, or it is archived."));
        }
    }
    if after.targets != before.targets {
        service_targets::check(work, &mut errors, &after.targets).await?;
    }
    field_errors.collect(errors.into_result(()))?;
    field_errors.into_result(())
}

/// Archives or restores a service. A restored service gets the last position of its service type.
async fn write_archived(
    work: &mut UnitOfWork,
    id: ServiceId,
    archive: bool,
    service_type: Option<ServiceTypeId>,
) -> Result<()> {
    if !archive {
        let sql = Sql::new(
            "UPDATE services SET sorting = (SELECT COALESCE(max(x.sorting), 0) + 1 FROM services x WHERE NOT x.is_archived AND x.service_type_id = ?)
             WHERE id = ?",
        );
        work.execute(sql.bind(service_type).bind(id)).await?;
    }
    let timestamp = work.timestamp();
    archive_state::set_archived(work, "services", id, archive, timestamp).await?.ignore_superseded();
    Ok(())
}
