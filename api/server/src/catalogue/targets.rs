//! Targets: what services ask their customers beside the address. Their kinds are the panel's own.

pub mod asked;
pub mod checkers;
pub mod parameters;
mod rules;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Choice, Data};
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::targets::{
    CreateTarget, DeleteTarget, GetTarget, ListTargetAttachmentsTypes, ListTargetTypes, ListTargets,
    TargetDictionariesOp, UpdateTarget,
};
use panel_contract::moment::{Stamp, Time};
use panel_contract::panel_service_types::PanelParameter;
use panel_contract::permission::Permission;
use panel_contract::targets::{
    Target, TargetActions, TargetAttachmentType, TargetDictionaries, TargetName, TargetRow, TargetType,
    ViewType,
};
use serde_json::json;

use crate::catalogue::change_logs::Noted;
use crate::catalogue::targets::rules::Draft;
use crate::catalogue::texts::{self, Text, Texts};
use crate::catalogue::{record, uses};
use crate::configuration::dictionaries::label;
use crate::db::{Source, Sql};
use crate::http::api::Api;
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::table::{self, Arm, Column, Index, Join, Kind, Table};
use crate::words_of;
use crate::work::Work;

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
    let draft = Draft::default().with(&req.body, &types, &[])?;
    let id = insert(&mut work, &draft).await?;
    tell(&mut work, ChangeAction::Created, id, &Draft::default(), &draft).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateTarget>) -> Result<Data<Target>> {
    let mut work = ctx.begin().await?;
    let (before, stamp) = lock(&mut work, req.path).await?;
    ApiError::unless_newest("target", req.body.updated_at, stamp)?;
    let types = types(&mut work).await?;
    let used = asked::used_values(&mut work, req.path).await?;
    let after = before.clone().with(&req.body, &types, &used)?;
    if after != before {
        write(&mut work, req.path, &after).await?;
        tell(&mut work, ChangeAction::Updated, req.path, &before, &after).await?;
    }
    answer(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteTarget>) -> Result<NoBody> {
    let mut work = ctx.begin().await?;
    let (before, _) = lock(&mut work, req.path).await?;
    rules::judge_delete(before.is_system)?;
    uses::unless_used(&mut work, &uses::OF_TARGET, req.path).await?;
    remove(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::Target);
    let noted = Noted { action, model, id: req.path, name: &before.name };
    record::tell(&mut work, noted, &json!(before), &json!({})).await?;
    work.finish(NoBody {}).await
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

async fn answer(mut work: Work, id: i64) -> Result<Data<Target>> {
    let ctx = work.ctx().clone();
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

/// Names of targets.
pub static NAMES: Index = Index::rows("targets", &["name"]);
static TYPE_TITLES: Index = Index::rows("target_types", &["name", "title"]);

/// All targets, newest first.
pub static TARGETS: Table = Table {
    name: "targets",
    base: "targets",
    alias: "g",
    key: "g.id",
    scope: None,
    joins: &[Join { alias: "k", sql: "JOIN target_types k ON k.id = g.target_type_id" }],
    select: SELECT,
    columns: &[
        Column::new("id", "g.id", Kind::Id),
        Column::new("name", "g.name", Kind::Text),
        Column::new("target_type.id", "g.target_type_id", Kind::Id),
        Column::new("target_type.name", "k.name", words_of!(TargetName)).of("k"),
        Column::new("target_type.title", "k.title", Kind::Text).of("k"),
        Column::new("target_type.view_type", "k.view_type", words_of!(ViewType)).of("k"),
        Column::new("is_system", "g.is_system", Kind::Flag),
        Column::new("is_visible_default_values", "g.is_visible_default_values", Kind::Flag),
        Column::new("created_at", "g.created_at", Kind::Time),
    ],
    plain: &[],
    common: &[
        Arm::new("g.id", &NAMES, "name").here(&["g.name"]),
        Arm::new("g.target_type_id", &TYPE_TITLES, "target_type.title"),
    ],
    order: &[],
    kept: None,
};

const SELECT: &str = "g.id, g.name, g.target_type_id, g.is_system, g.is_visible_default_values, g.selectable_values, g.parameter, g.created_at,
  k.name AS type_name, k.title AS type_title, k.selectable, k.enabled_for_service, k.view_type,
  (SELECT x.value FROM translations x WHERE x.owner_type = 'target' AND x.owner_id = g.id AND x.locale = 'en' AND x.field = 'placeholder') AS placeholder,
  (SELECT count(*) FROM service_targets m WHERE m.target_id = g.id) AS services_count";

/// What a target has in every language.
const TEXTS: Texts = Texts {
    owner: "target",
    fields: &[Text { field: "name", most: 100 }, Text { field: "placeholder", most: 255 }],
};

// Store

/// A target as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: i64,
    name: String,
    target_type_id: i64,
    is_system: bool,
    is_visible_default_values: bool,
    selectable_values: String,
    parameter: Option<PanelParameter>,
    created_at: Time,
    type_name: TargetName,
    type_title: String,
    selectable: bool,
    enabled_for_service: bool,
    view_type: ViewType,
    placeholder: Option<String>,
    services_count: i64,
}

impl Record {
    fn shown(self, ctx: &Ctx) -> TargetRow {
        let may = ctx.may(Permission::ManageTargets);
        TargetRow {
            id: self.id,
            name: self.name,
            placeholder: self.placeholder,
            is_system: self.is_system,
            is_visible_default_values: self.is_visible_default_values,
            target_type: TargetType {
                id: self.target_type_id,
                name: self.type_name,
                title: self.type_title,
                selectable: self.selectable,
                enabled_for_service: self.enabled_for_service,
                view_type: self.view_type,
            },
            selectable_values: list(&self.selectable_values),
            parameter: self.parameter,
            services_count: self.services_count,
            created_at: self.created_at,
            actions: TargetActions {
                editable: may,
                deletable: may && rules::judge_delete(self.is_system).is_ok(),
            },
        }
    }
}

/// A list of texts as a column has it.
fn list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

/// One target, in three statements.
async fn load(db: &mut impl Source, ctx: &Ctx, id: i64) -> Result<Target> {
    let shown = |record: Record, ctx: &Ctx| record.shown(ctx);
    let row = table::rows_from(db, ctx, &TARGETS, &[id], shown).await?.pop();
    let row = row.ok_or_else(|| ApiError::not_found("target", id))?;
    let stamp = Sql::new("SELECT updated_at FROM targets WHERE id = ?").bind(id);
    let (updated_at,): (Stamp,) = db.one(stamp).await?;
    let translations = texts::of(db, &TEXTS, id, &row.name).await?;
    Ok(Target { target_type_id: row.target_type.id, row, translations, updated_at })
}

/// The kinds of target.
async fn types(db: &mut impl Source) -> Result<Vec<TargetType>> {
    type Row = (i64, TargetName, String, bool, bool, ViewType);
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

async fn lock(work: &mut Work, id: i64) -> Result<(Draft, Stamp)> {
    let sql = Sql::new(
        "SELECT name, target_type_id, is_system, is_visible_default_values, selectable_values, updated_at FROM targets WHERE id = ?",
    );
    let row: Option<(String, i64, bool, bool, String, Stamp)> = work.opt(sql.bind(id).for_update()).await?;
    let (name, target_type_id, is_system, is_visible_default_values, values, stamp) =
        row.ok_or_else(|| ApiError::not_found("target", id))?;
    let translations = texts::of(work, &TEXTS, id, &name).await?;
    let selectable_values = list(&values);
    Ok((
        Draft { name, target_type_id, is_system, is_visible_default_values, selectable_values, translations },
        stamp,
    ))
}

async fn insert(work: &mut Work, draft: &Draft) -> Result<i64> {
    let now = work.stamp();
    let sql = Sql::new(
        "INSERT INTO targets (name, target_type_id, is_visible_default_values, selectable_values, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
    );
    let sql = sql.bind(&*draft.name).bind(draft.target_type_id).bind(draft.is_visible_default_values);
    let sql = sql.bind(json!(draft.selectable_values).to_string()).bind(now).bind(now);
    let (id,): (i64,) = work.one(sql).await?;
    texts::write(work, &TEXTS, id, &draft.translations).await?;
    Ok(id)
}

async fn remove(work: &mut Work, id: i64) -> Result<()> {
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

async fn write(work: &mut Work, id: i64, draft: &Draft) -> Result<()> {
    let sql = Sql::new(
        "UPDATE targets SET name = ?, target_type_id = ?, is_visible_default_values = ?, selectable_values = ?, updated_at = ? WHERE id = ?",
    );
    let sql = sql.bind(&*draft.name).bind(draft.target_type_id).bind(draft.is_visible_default_values);
    let sql = sql.bind(json!(draft.selectable_values).to_string()).bind(work.stamp()).bind(id);
    work.exec(sql).await?;
    Ok(texts::write(work, &TEXTS, id, &draft.translations).await?)
}

async fn tell(work: &mut Work, action: ChangeAction, id: i64, before: &Draft, after: &Draft) -> Result<()> {
    let noted = Noted { action, model: ChangeModel::Target, id, name: &after.name };
    record::tell(work, noted, &json!(before), &json!(after)).await
}
