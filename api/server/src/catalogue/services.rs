//! Services: the list, one service with everything about it, and what staff do with them.

pub mod bulk;
mod checks;
pub mod draft;
mod list;
pub mod preview;
mod rules;
mod texts;

pub use list::SERVICES;
use list::{Record, load};
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
use panel_kernel::wrong_fields::WrongFields;

use crate::catalogue::promoted_levels;
use crate::catalogue::services::checks::{check_group, check_margin, check_move, check_providers};
use crate::catalogue::services::draft::ServiceDraft;
use crate::catalogue::targets::asked;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::least_margin;
use crate::records::archivables::SERVICE;
use crate::records::uses;
use crate::stores::archivables;
use panel_platform::db::{Source, Sql, names};
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListServices, _, _>(&SERVICES, |record: Record, ctx| record.shown(ctx))
        .on::<GetService, _, _, _>(get)
        .on::<CreateService, _, _, _>(create)
        .on::<UpdateService, _, _, _>(update)
        .archiving_by::<ArchiveService, UnarchiveService, _, _, _>(set_archived)
        .on::<CopyService, _, _, _>(copy)
        .on::<BulkUpdateServices, _, _, _>(bulk::update)
        .on::<PreviewPrices, _, _, _>(preview::preview)
}

async fn get(ctx: Ctx, req: Req<GetService>) -> Result<Data<Service>> {
    Ok(Data { data: load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateService>) -> Result<Data<Service>> {
    let (draft, errors) = ServiceDraft::blank().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    let mut work = ctx.begin().await?;
    wrong.record(check_references(&mut work, &draft, &ServiceDraft::blank()).await)?;
    wrong.or(())?;
    let confirmed = req.body.confirm_below_margin;
    least_margin::check_margin(&mut work, "resale_margin_percent", draft.resale_margin_ppm, confirmed)
        .await?;
    let id = draft.insert(&mut work).await?;
    check_providers(&mut work, id, &draft, &ServiceDraft::blank()).await?;
    check_margin(&mut work, (id, "default_price"), &draft, req.body.confirm_below_margin).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &ServiceDraft::blank()).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateService>) -> Result<Data<Service>> {
    let mut work = ctx.begin().await?;
    let (before, stamp, _) = ServiceDraft::lock(&mut work, req.path).await?;
    Error::check_not_stale("service", req.body.updated_at, stamp)?;
    let (after, errors) = before.clone().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    wrong.record(check_references(&mut work, &after, &before).await)?;
    wrong.or(())?;
    if after != before {
        if after.resale_margin_ppm != before.resale_margin_ppm {
            let (field, wanted) = ("resale_margin_percent", after.resale_margin_ppm);
            least_margin::check_margin(&mut work, field, wanted, req.body.confirm_below_margin).await?;
        }
        after.write(&mut work, req.path, &before).await?;
        check_providers(&mut work, req.path, &after, &before).await?;
        if let Some(field) = after.earns_less_by(&before) {
            check_margin(&mut work, (req.path, field), &after, req.body.confirm_below_margin).await?;
        }
        if let (Some(from), Some(to)) = (before.service_type_id, after.service_type_id)
            && from != to
        {
            check_move(&mut work, req.path, (from, to)).await?;
            promoted_levels::follow_services(&mut work).await?;
        }
        after.record_change(&mut work, ChangeAction::Updated, req.path, &before).await?;
    }
    answer(work, req.path).await
}

async fn set_archived(ctx: Ctx, id: ServiceId, away: bool) -> Result<Data<Service>> {
    let mut work = ctx.begin().await?;
    let (draft, _, is_archived) = ServiceDraft::lock(&mut work, id).await?;
    SERVICE.check(is_archived, away)?;
    if away {
        uses::refuse_if_used(&mut work, &uses::OF_SERVICE, id).await?;
    }
    let before = SERVICE.before(&mut work, id).await?;
    write_archived(&mut work, id, away, draft.service_type_id).await?;
    SERVICE.record_change(&mut work, (id, &draft.name), away, &before).await?;
    answer(work, id).await
}

async fn copy(ctx: Ctx, req: Req<CopyService>) -> Result<Data<Service>> {
    let mut work = ctx.begin().await?;
    let (original, ..) = ServiceDraft::lock(&mut work, req.path).await?;
    let copy = original.copied();
    let id = copy.insert(&mut work).await?;
    copy.record_change(&mut work, ChangeAction::Copied, id, &ServiceDraft::blank()).await?;
    answer(work, id).await
}

async fn answer(mut work: UnitOfWork, id: ServiceId) -> Result<Data<Service>> {
    let ctx = work.scope().clone();
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

// Rules

// Store

/// What an input refers to must be there; only what changed is asked for.
async fn check_references(work: &mut UnitOfWork, after: &ServiceDraft, before: &ServiceDraft) -> Result<()> {
    let mut wrong = WrongFields::default();
    let mut errors = FieldErrors::default();
    if after.slug.is_some() && after.slug != before.slug {
        let other = Sql::new("SELECT id FROM services WHERE slug = ?").bind(after.slug.clone());
        if work.opt::<(ServiceId,)>(other).await?.is_some() {
            wrong.record(Err::<(), _>(draft::slug_taken()))?;
        }
    }
    // 0 is none.
    let before_id = before.service_type_id.map_or(0, ServiceTypeId::get);
    if let Some(id) = after.service_type_id.filter(|id| id.get() != before_id)
        && names::load_name(work, "service_types", id).await?.is_none()
    {
        errors.add("service_type_id", format!("There is no service type {id}."));
    }
    check_group(work, &mut errors, after, before).await?;
    if after.labels != before.labels {
        let known = names::load_names(work, "labels", &after.labels).await?;
        for id in after.labels.iter().filter(|id| !known.contains_key(*id)) {
            errors.add("labels", format!("There is no label {id}."));
        }
    }
    if after.providers != before.providers {
        let sql = Sql::new("SELECT id FROM providers WHERE NOT is_archived AND id IN ").ids(&after.providers);
        let known: BTreeSet<ProviderId> =
            work.all::<(ProviderId,)>(sql).await?.into_iter().map(|(id,)| id).collect();
        let new = |id: &ProviderId| !before.providers.contains(id) && !known.contains(id);
        for (at, id) in after.providers.iter().enumerate().filter(|(_, id)| new(id)) {
            errors.add(format!("providers.{at}"), format!("There is no provider {id}, or it is archived."));
        }
    }
    if after.targets != before.targets {
        asked::check(work, &mut errors, &after.targets).await?;
    }
    wrong.record(errors.or(()))?;
    wrong.or(())
}

/// Who comes back stands last in its service type.
async fn write_archived(
    work: &mut UnitOfWork,
    id: ServiceId,
    away: bool,
    kind: Option<ServiceTypeId>,
) -> Result<()> {
    if !away {
        let sql = Sql::new(
            "UPDATE services SET sorting = (SELECT COALESCE(max(x.sorting), 0) + 1 FROM services x WHERE NOT x.is_archived AND x.service_type_id = ?)
             WHERE id = ?",
        );
        work.exec(sql.bind(kind).bind(id)).await?;
    }
    let stamp = work.stamp();
    archivables::set_archived(work, "services", id, away, stamp).await?.ignore_superseded();
    Ok(())
}
