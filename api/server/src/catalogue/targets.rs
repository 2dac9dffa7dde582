//! Targets: input fields that customers fill in when they order a service, in addition to the link. Staff create targets of
//! built-in kinds, and the server creates one target for each parameter of the reseller API that an import needs.

pub mod checkers;
mod list;
pub mod parameters;
mod rules;
pub mod service_targets;
mod stored_texts;

pub use list::TARGETS;
use list::{TargetRecord, load_target};
use stored_texts::{TEXTS, parse_list};

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Choice, Data};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::targets::{
    CreateTarget, DeleteTarget, GetTarget, GetTargetDictionaries, ListTargetAttachmentsTypes,
    ListTargetTypes, ListTargets, UpdateTarget,
};
use panel_contract::ids::{TargetId, TargetTypeId};
use panel_contract::moment::Timestamp;
use panel_contract::targets::{
    Target, TargetAttachmentType, TargetDictionaries, TargetName, TargetType, ViewType,
};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::catalogue::targets::rules::TargetDraft;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::texts;
use crate::records::{changes, references};
use panel_contract::dictionary::enum_label;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListTargets, _, _>(&TARGETS, |record: TargetRecord, ctx| record.into_row(ctx))
        .route::<CreateTarget, _, _, _>(create)
        .route::<GetTargetDictionaries, _, _, _>(get_dictionaries)
        .route::<GetTarget, _, _, _>(get)
        .route::<UpdateTarget, _, _, _>(update)
        .route::<DeleteTarget, _, _, _>(delete)
        .route::<ListTargetTypes, _, _, _>(list_types)
        .route::<ListTargetAttachmentsTypes, _, _, _>(list_attachment_types)
        .with(checkers::routes)
}

async fn get(ctx: Ctx, req: Req<GetTarget>) -> Result<Data<Target>> {
    Ok(Data { data: load_target(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateTarget>) -> Result<Data<Target>> {
    let mut work = ctx.begin().await?;
    let types = load_types(&mut work).await?;
    let draft = TargetDraft::default().apply(&req.body, &types, &[])?;
    let id = insert(&mut work, &draft).await?;
    record_change(&mut work, ChangeAction::Created, id, &TargetDraft::default(), &draft).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateTarget>) -> Result<Data<Target>> {
    let mut work = ctx.begin().await?;
    let (before, updated_at) = lock(&mut work, req.path).await?;
    Error::check_not_stale("target", req.body.updated_at, updated_at)?;
    let types = load_types(&mut work).await?;
    let used_values = service_targets::load_used_values(&mut work, req.path).await?;
    let after = before.clone().apply(&req.body, &types, &used_values)?;
    if after != before {
        update_target(&mut work, req.path, &after).await?;
        record_change(&mut work, ChangeAction::Updated, req.path, &before, &after).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteTarget>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (before, _) = lock(&mut work, req.path).await?;
    rules::check_deletable(before.is_system)?;
    references::reject_if_used(&mut work, &references::TO_TARGET, req.path).await?;
    delete_target(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::Target);
    let record = ChangedRecord { action, model, id: req.path.as_record_id(), name: &before.name };
    changes::record(&mut work, record, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn list_types(ctx: Ctx, _req: Req<ListTargetTypes>) -> Result<Data<Vec<TargetType>>> {
    Ok(Data { data: load_types(&mut ctx.db()).await? })
}

async fn list_attachment_types(
    _ctx: Ctx,
    _req: Req<ListTargetAttachmentsTypes>,
) -> Result<Data<Vec<Choice>>> {
    Ok(Data { data: attachment_choices() })
}

async fn get_dictionaries(ctx: Ctx, _req: Req<GetTargetDictionaries>) -> Result<Data<TargetDictionaries>> {
    Ok(Data {
        data: TargetDictionaries {
            names: TargetName::ALL.iter().map(|value| to_choice(value.as_str())).collect(),
            view_types: ViewType::ALL.iter().map(|value| to_choice(value.as_str())).collect(),
            target_types: load_types(&mut ctx.db()).await?,
            target_attachments_types: attachment_choices(),
        },
    })
}

fn attachment_choices() -> Vec<Choice> {
    TargetAttachmentType::ALL.iter().map(|value| to_choice(value.as_str())).collect()
}

fn to_choice(value: &str) -> Choice {
    Choice { kind: value.to_owned(), label: enum_label(value) }
}

async fn commit_and_respond(mut work: UnitOfWork, id: TargetId) -> Result<Data<Target>> {
    let ctx = work.scope().clone();
    let data = load_target(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

// Store

async fn load_types(db: &mut impl SqlExecutor) -> Result<Vec<TargetType>> {
    type TargetTypeRow = (TargetTypeId, TargetName, String, bool, bool, ViewType);
    let sql =
        "SELECT id, name, title, selectable, enabled_for_service, view_type FROM target_types ORDER BY id";
    let rows: Vec<TargetTypeRow> = db.fetch_all(Sql::new(sql)).await?;
    let to_target_type = |(id, name, title, selectable, enabled_for_service, view_type): TargetTypeRow| {
        TargetType { id, name, title, selectable, enabled_for_service, view_type }
    };
    Ok(rows.into_iter().map(to_target_type).collect())
}

async fn lock(work: &mut UnitOfWork, id: TargetId) -> Result<(TargetDraft, Timestamp)> {
    let sql = Sql::new(
        "SELECT name, target_type_id, is_system, is_visible_default_values, selectable_values, updated_at FROM targets WHERE id = ?",
    );
    let row: Option<(String, TargetTypeId, bool, bool, String, Timestamp)> =
        work.fetch_optional(sql.bind(id).for_update()).await?;
    let (name, target_type_id, is_system, is_visible_default_values, values, updated_at) =
        row.ok_or_else(|| Error::not_found("target", id))?;
    let translations = texts::load_one(work, &TEXTS, id, &name).await?;
    let selectable_values = parse_list(&values);
    Ok((
        TargetDraft {
            name,
            target_type_id: Some(target_type_id),
            is_system,
            is_visible_default_values,
            selectable_values,
            translations,
        },
        updated_at,
    ))
}

/// The INSERT, and the UPDATE to which the caller binds `id`. Neither statement writes texts.
fn insert_and_update_sql(draft: &TargetDraft, now: Timestamp) -> [Sql; 2] {
    sql!(
        [
            "INSERT INTO targets (name, target_type_id, is_visible_default_values, selectable_values, created_at, updated_at)
             VALUES (@name, @target_type_id, @is_visible_default_values, @selectable_values, @now, @now) RETURNING id",
            "UPDATE targets SET name = @name, target_type_id = @target_type_id, \
               is_visible_default_values = @is_visible_default_values, selectable_values = @selectable_values, \
               updated_at = @now WHERE id = @id",
        ],
        {
            name: &*draft.name,
            target_type_id: draft.target_type_id,
            is_visible_default_values: draft.is_visible_default_values,
            selectable_values: json!(draft.selectable_values).to_string(),
            now,
        },
        bound_later: [id],
    )
}

async fn insert(work: &mut UnitOfWork, draft: &TargetDraft) -> Result<TargetId> {
    let [insert_sql, _] = insert_and_update_sql(draft, work.timestamp());
    let (id,): (TargetId,) = work.fetch_one(insert_sql).await?;
    texts::write(work, &TEXTS, id, &draft.translations).await?;
    Ok(id)
}

async fn delete_target(work: &mut UnitOfWork, id: TargetId) -> Result<()> {
    for sql in [
        // Finished orders keep the customer's answer together with the name of the deleted target.
        "UPDATE order_targetable_values SET target_id = NULL WHERE target_id = ?",
        "DELETE FROM translations WHERE owner_type = 'target' AND owner_id = ?",
        "DELETE FROM targets WHERE id = ?",
    ] {
        work.execute(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

async fn update_target(work: &mut UnitOfWork, id: TargetId, draft: &TargetDraft) -> Result<()> {
    let [_, update_sql] = insert_and_update_sql(draft, work.timestamp());
    work.execute(update_sql.bind_named("id", id)).await?;
    Ok(texts::write(work, &TEXTS, id, &draft.translations).await?)
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: TargetId,
    before: &TargetDraft,
    after: &TargetDraft,
) -> Result<()> {
    let record =
        ChangedRecord { action, model: ChangeModel::Target, id: id.as_record_id(), name: &after.name };
    changes::record(work, record, &json!(before), &json!(after)).await
}
