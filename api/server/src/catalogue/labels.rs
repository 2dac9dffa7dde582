//! Labels: what services are marked with. One of them makes a service take the customer's own comments.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, Named, Translations};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::labels::{
    CreateLabel, DeleteLabel, GetLabel, ListAvailableLabels, ListLabels, ListServicesOfLabel, UpdateLabel,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{LabelId, ServiceId};
use panel_contract::labels::{Label, LabelInput, LabelRow};
use panel_contract::moment::Stamp;
use panel_contract::panel_service_types::PanelParameter;
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde::Serialize;
use serde_json::json;

use crate::catalogue::targets::parameters;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::texts::{self, Text, Texts};
use panel_platform::db::{DbError, Source, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListLabels, _, _, _>(list)
        .on::<CreateLabel, _, _, _>(create)
        .on::<ListAvailableLabels, _, _, _>(available)
        .on::<ListServicesOfLabel, _, _, _>(used)
        .on::<GetLabel, _, _, _>(get)
        .on::<UpdateLabel, _, _, _>(update)
        .on::<DeleteLabel, _, _, _>(delete)
}

async fn list(ctx: Ctx, _req: Req<ListLabels>) -> Result<Data<Vec<LabelRow>>> {
    Ok(Data { data: all(&mut ctx.db()).await?.into_iter().map(Record::shown).collect() })
}

async fn available(ctx: Ctx, _req: Req<ListAvailableLabels>) -> Result<Data<Vec<Named<LabelId>>>> {
    let named = |label: Record| Named { id: label.id, name: label.name };
    Ok(Data { data: all(&mut ctx.db()).await?.into_iter().map(named).collect() })
}

async fn used(ctx: Ctx, req: Req<ListServicesOfLabel>) -> Result<Data<Vec<Named<ServiceId>>>> {
    let db = &mut ctx.db();
    one(db, req.path).await?;
    Ok(Data { data: services(db, req.path).await? })
}

async fn get(ctx: Ctx, req: Req<GetLabel>) -> Result<Data<Label>> {
    Ok(Data { data: load(&mut ctx.db(), req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateLabel>) -> Result<Data<Label>> {
    let (mut draft, errors) = LabelDraft::default().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    let icon = ctx.app.uploads.store_picture(ctx.meta.dry_run, "icon", &req.body.icon, None).await;
    draft.icon = wrong.record(icon)?.flatten();
    let mut work = ctx.begin().await?;
    wrong.record(check_services(&mut work, &draft.services).await)?;
    wrong.or(())?;
    let id = draft.insert(&mut work).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &LabelDraft::default()).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateLabel>) -> Result<Data<Label>> {
    let mut wrong = WrongFields::default();
    let icon =
        wrong.record(ctx.app.uploads.store_new_image(ctx.meta.dry_run, "icon", &req.body.icon).await)?;
    let mut work = ctx.begin().await?;
    // The image was looked at before the record, so that no record is locked meanwhile: its refusal comes first.
    let (before, stamp) =
        LabelDraft::lock(&mut work, req.path).await.map_err(|missing| wrong.finish_with(missing))?;
    Error::check_not_stale("label", req.body.updated_at, stamp)?;
    let (mut after, errors) = before.clone().with(&req.body);
    wrong.record(errors.or(()))?;
    if let Some(icon) = icon {
        after.icon = wrong.record(icon.new_value(before.icon.as_deref()))?.flatten();
    }
    if after.services != before.services {
        wrong.record(check_services(&mut work, &after.services).await)?;
    }
    wrong.or(())?;
    if after != before {
        after.write(&mut work, req.path).await?;
        after.record_change(&mut work, ChangeAction::Updated, req.path, &before).await?;
    }
    answer(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteLabel>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (before, _) = LabelDraft::lock(&mut work, req.path).await?;
    remove(&mut work, req.path).await?;
    let noted = ChangedRecord {
        action: ChangeAction::Deleted,
        model: ChangeModel::Label,
        id: req.path.record(),
        name: &before.name,
    };
    changes::record(&mut work, noted, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn answer(mut work: UnitOfWork, id: LabelId) -> Result<Data<Label>> {
    let data = load(&mut work, id).await?;
    work.finish(Data { data }).await
}

// Rules

/// Most services of one label.
const MOST: usize = 10_000;

/// What a label has in every language.
const TEXTS: Texts = Texts { owner: "label", fields: &[Text { field: "name", most: 100 }] };

/// A label as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct LabelDraft {
    name: String,
    icon: Option<String>,
    is_custom_comments: bool,
    /// By id.
    services: Vec<ServiceId>,
    translations: Translations,
}

impl LabelDraft {
    /// After an input; each wrong field is named.
    fn with(mut self, input: &LabelInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        let (name, given) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, given);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        self.is_custom_comments = input.is_custom_comments.unwrap_or(self.is_custom_comments);
        if let Some(services) = &input.services {
            if services.len() > MOST {
                errors.add("services", format!("Choose at most {MOST} services."));
            }
            self.services.clone_from(services);
            self.services.sort_unstable();
            self.services.dedup();
        }
        (self, errors)
    }
}

// Store

#[derive(sqlx::FromRow)]
struct Record {
    id: LabelId,
    name: String,
    icon: Option<String>,
    is_custom_comments: bool,
    services_count: i64,
    updated_at: Stamp,
}

impl Record {
    fn shown(self) -> LabelRow {
        LabelRow {
            id: self.id,
            name: self.name,
            icon: self.icon,
            is_custom_comments: self.is_custom_comments,
            services_count: self.services_count,
        }
    }
}

const ROWS: &str = "SELECT l.id, l.name, l.icon, l.is_custom_comments, l.updated_at,
  (SELECT count(*) FROM service_labels x WHERE x.label_id = l.id) AS services_count FROM labels l";

async fn all(db: &mut impl Source) -> Result<Vec<Record>> {
    Ok(db.all(Sql::new(ROWS).push(" ORDER BY l.name, l.id")).await?)
}

async fn remove(work: &mut UnitOfWork, id: LabelId) -> Result<()> {
    for sql in [
        "DELETE FROM service_labels WHERE label_id = ?",
        "DELETE FROM translations WHERE owner_type = 'label' AND owner_id = ?",
        "DELETE FROM labels WHERE id = ?",
    ] {
        work.exec(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

async fn one(db: &mut impl Source, id: LabelId) -> Result<Record> {
    let record: Option<Record> = db.opt(Sql::new(ROWS).push(" WHERE l.id = ?").bind(id)).await?;
    record.ok_or_else(|| Error::not_found("label", id))
}

async fn services(db: &mut impl Source, id: LabelId) -> Result<Vec<Named<ServiceId>>> {
    let sql = Sql::new(
        "SELECT s.id, s.name FROM service_labels x JOIN services s ON s.id = x.service_id WHERE x.label_id = ? ORDER BY s.name, s.id",
    );
    let rows: Vec<(ServiceId, String)> = db.all(sql.bind(id)).await?;
    Ok(rows.into_iter().map(|(id, name)| Named { id, name }).collect())
}

/// One label, in three statements.
async fn load(db: &mut impl Source, id: LabelId) -> Result<Label> {
    let record = one(db, id).await?;
    let (services, updated_at) = (services(db, id).await?, record.updated_at);
    let translations = texts::load_one(db, &TEXTS, id, &record.name).await?;
    Ok(Label { row: record.shown(), services, translations, updated_at })
}

async fn check_services(work: &mut UnitOfWork, ids: &[ServiceId]) -> Result<()> {
    let sql = Sql::new("SELECT id FROM services WHERE id IN ").ids(ids);
    let known: std::collections::BTreeSet<ServiceId> =
        work.all::<(ServiceId,)>(sql).await?.into_iter().map(|(id,)| id).collect();
    let mut errors = FieldErrors::default();
    for id in ids.iter().filter(|id| !known.contains(*id)).take(20) {
        errors.add("services", format!("There is no service {id}."));
    }
    Ok(errors.or(())?)
}

impl LabelDraft {
    async fn lock(work: &mut UnitOfWork, id: LabelId) -> Result<(Self, Stamp)> {
        let lock = Sql::new("SELECT id FROM labels WHERE id = ?").bind(id).for_update();
        let known: Option<(LabelId,)> = work.opt(lock).await?;
        known.ok_or_else(|| Error::not_found("label", id))?;
        let now = load(work, id).await?;
        let mut services: Vec<ServiceId> = now.services.iter().map(|service| service.id).collect();
        services.sort_unstable();
        let draft = Self {
            name: now.row.name,
            icon: now.row.icon,
            is_custom_comments: now.row.is_custom_comments,
            services,
            translations: now.translations,
        };
        Ok((draft, now.updated_at))
    }

    /// The INSERT and the UPDATE of a label, without its services.
    fn statements(&self, now: Stamp) -> [Sql; 2] {
        sql!(
            [
                "INSERT INTO labels (name, icon, is_custom_comments, created_at, updated_at) \
                   VALUES (@name, @icon, @is_custom_comments, @now, @now) RETURNING id",
                "UPDATE labels SET name = @name, icon = @icon, is_custom_comments = @is_custom_comments, updated_at = @now \
                   WHERE id = @id",
            ],
            { name: &*self.name, icon: self.icon.clone(), is_custom_comments: self.is_custom_comments, now },
            later: [id],
        )
    }

    async fn insert(&self, work: &mut UnitOfWork) -> Result<LabelId> {
        let [insert, _] = self.statements(work.stamp());
        let (id,): (LabelId,) = work.one(insert).await.map_err(taken)?;
        self.write_parts(work, id).await?;
        Ok(id)
    }

    async fn write(&self, work: &mut UnitOfWork, id: LabelId) -> Result<()> {
        let [_, update] = self.statements(work.stamp());
        work.exec(update.named("id", id)).await.map_err(taken)?;
        self.write_parts(work, id).await
    }

    async fn write_parts(&self, work: &mut UnitOfWork, id: LabelId) -> Result<()> {
        work.exec(Sql::new("DELETE FROM service_labels WHERE label_id = ?").bind(id)).await?;
        let sql = Sql::new(
            "INSERT INTO service_labels (service_id, label_id) SELECT id, ? FROM services WHERE id IN ",
        );
        work.exec(sql.bind(id).ids(&self.services)).await?;
        if self.is_custom_comments {
            // Services that ask for no comments themselves ask by this target.
            parameters::ensure(work, &[PanelParameter::Comments]).await?;
        }
        Ok(texts::write(work, &TEXTS, id, &self.translations).await?)
    }

    async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: LabelId,
        before: &Self,
    ) -> Result<()> {
        let noted = ChangedRecord { action, model: ChangeModel::Label, id: id.record(), name: &self.name };
        changes::record(work, noted, &json!(before), &json!(self)).await
    }
}

fn taken(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid(
            "is_custom_comments",
            "custom_comments_taken",
            "Another label is the one for custom comments; take the mark from it first.",
        ),
        false => error.into(),
    }
}
