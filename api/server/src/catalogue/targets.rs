//! Targets: what services ask their customers beside the address. Their kinds are the panel's own.

pub mod asked;
pub mod checkers;
mod list;
pub mod parameters;
mod rules;
mod words;

pub use list::TARGETS;
use list::{Record, load};
use words::{TEXTS, list};

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Choice, Data};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::targets::{
    CreateTarget, DeleteTarget, GetTarget, ListTargetAttachmentsTypes, ListTargetTypes, ListTargets,
    TargetDictionariesOp, UpdateTarget,
};
use panel_contract::ids::{TargetId, TargetTypeId};
use panel_contract::moment::Stamp;
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
use crate::records::texts::{self};
use crate::records::{changes, uses};
use panel_contract::dictionary::label;
use panel_platform::db::{Source, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListTargets, _, _>(&TARGETS, |record: Record, ctx| record.shown(ctx))
        .on::<CreateTarget, _, _, _>(create)
        .on::<TargetDictionariesOp, _, _, _>(dictionaries)
        .on::<GetTarget, _, _, _>(get)
        .on::<UpdateTarget, _, _, _>(update)
        .on::<DeleteTarget, _, _, _>(delete)
        .on::<ListTargetTypes, _, _, _>(list_types)
        .on::<ListTargetAttachmentsTypes, _, _, _>(attachments)
        .with(checkers::routes)
}

async fn get(ctx: Ctx, req: Req<GetTarget>) -> Result<Data<Target>> {
    Ok(Data { data: load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateTarget>) -> Result<Data<Target>> {
    let mut work = ctx.begin().await?;
    let types = types(&mut work).await?;
    let draft = TargetDraft::default().with(&req.body, &types, &[])?;
    let id = insert(&mut work, &draft).await?;
    record_change(&mut work, ChangeAction::Created, id, &TargetDraft::default(), &draft).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateTarget>) -> Result<Data<Target>> {
    let mut work = ctx.begin().await?;
    let (before, stamp) = lock(&mut work, req.path).await?;
    Error::check_not_stale("target", req.body.updated_at, stamp)?;
    let types = types(&mut work).await?;
    let used = asked::used_values(&mut work, req.path).await?;
    let after = before.clone().with(&req.body, &types, &used)?;
    if after != before {
        write(&mut work, req.path, &after).await?;
        record_change(&mut work, ChangeAction::Updated, req.path, &before, &after).await?;
    }
    answer(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteTarget>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (before, _) = lock(&mut work, req.path).await?;
    rules::judge_delete(before.is_system)?;
    uses::refuse_if_used(&mut work, &uses::OF_TARGET, req.path).await?;
    remove(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::Target);
    let noted = ChangedRecord { action, model, id: req.path.record(), name: &before.name };
    changes::record(&mut work, noted, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn list_types(ctx: Ctx, _req: Req<ListTargetTypes>) -> Result<Data<Vec<TargetType>>> {
    Ok(Data { data: types(&mut ctx.db()).await? })
}

async fn attachments(_ctx: Ctx, _req: Req<ListTargetAttachmentsTypes>) -> Result<Data<Vec<Choice>>> {
    Ok(Data { data: attachment_choices() })
}

async fn dictionaries(ctx: Ctx, _req: Req<TargetDictionariesOp>) -> Result<Data<TargetDictionaries>> {
    Ok(Data {
        data: TargetDictionaries {
            names: TargetName::ALL.iter().map(|word| choice(word.as_str())).collect(),
            view_types: ViewType::ALL.iter().map(|word| choice(word.as_str())).collect(),
            target_types: types(&mut ctx.db()).await?,
            target_attachments_types: attachment_choices(),
        },
    })
}

fn attachment_choices() -> Vec<Choice> {
    TargetAttachmentType::ALL.iter().map(|word| choice(word.as_str())).collect()
}

fn choice(word: &str) -> Choice {
    Choice { kind: word.to_owned(), label: label(word) }
}

async fn answer(mut work: UnitOfWork, id: TargetId) -> Result<Data<Target>> {
    let ctx = work.scope().clone();
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

// Store

/// The kinds of target.
async fn types(db: &mut impl Source) -> Result<Vec<TargetType>> {
    type Row = (TargetTypeId, TargetName, String, bool, bool, ViewType);
    let sql =
        "SELECT id, name, title, selectable, enabled_for_service, view_type FROM target_types ORDER BY id";
    let rows: Vec<Row> = db.all(Sql::new(sql)).await?;
    let kind = |(id, name, title, selectable, enabled_for_service, view_type): Row| TargetType {
        id,
        name,
        title,
        selectable,
        enabled_for_service,
        view_type,
    };
    Ok(rows.into_iter().map(kind).collect())
}

async fn lock(work: &mut UnitOfWork, id: TargetId) -> Result<(TargetDraft, Stamp)> {
    let sql = Sql::new(
        "SELECT name, target_type_id, is_system, is_visible_default_values, selectable_values, updated_at FROM targets WHERE id = ?",
    );
    let row: Option<(String, TargetTypeId, bool, bool, String, Stamp)> =
        work.opt(sql.bind(id).for_update()).await?;
    let (name, target_type_id, is_system, is_visible_default_values, values, stamp) =
        row.ok_or_else(|| Error::not_found("target", id))?;
    let translations = texts::load_one(work, &TEXTS, id, &name).await?;
    let selectable_values = list(&values);
    Ok((
        TargetDraft {
            name,
            target_type_id: Some(target_type_id),
            is_system,
            is_visible_default_values,
            selectable_values,
            translations,
        },
        stamp,
    ))
}

/// The INSERT and the UPDATE of all fields of a target.
fn statements(draft: &TargetDraft, now: Stamp) -> [Sql; 2] {
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
        later: [id],
    )
}

async fn insert(work: &mut UnitOfWork, draft: &TargetDraft) -> Result<TargetId> {
    let [insert, _] = statements(draft, work.stamp());
    let (id,): (TargetId,) = work.one(insert).await?;
    texts::write(work, &TEXTS, id, &draft.translations).await?;
    Ok(id)
}

async fn remove(work: &mut UnitOfWork, id: TargetId) -> Result<()> {
    for sql in [
        // Finished orders keep what was answered, under the target's name.
        "UPDATE order_targetable_values SET target_id = NULL WHERE target_id = ?",
        "DELETE FROM translations WHERE owner_type = 'target' AND owner_id = ?",
        "DELETE FROM targets WHERE id = ?",
    ] {
        work.exec(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

async fn write(work: &mut UnitOfWork, id: TargetId, draft: &TargetDraft) -> Result<()> {
    let [_, update] = statements(draft, work.stamp());
    work.exec(update.named("id", id)).await?;
    Ok(texts::write(work, &TEXTS, id, &draft.translations).await?)
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: TargetId,
    before: &TargetDraft,
    after: &TargetDraft,
) -> Result<()> {
    let noted = ChangedRecord { action, model: ChangeModel::Target, id: id.record(), name: &after.name };
    changes::record(work, noted, &json!(before), &json!(after)).await
}
