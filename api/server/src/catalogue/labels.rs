//! Labels that staff attach to services. At most one label is for custom comments: services with this label ask customers for
//! comments.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, NamedRef, Translations};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::labels::{
    CreateLabel, DeleteLabel, GetLabel, ListAvailableLabels, ListLabels, ListServicesOfLabel, UpdateLabel,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{LabelId, ServiceId};
use panel_contract::labels::{Label, LabelInput, LabelRow};
use panel_contract::moment::Timestamp;
use panel_contract::panel_service_types::PanelParameter;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde::Serialize;
use serde_json::json;

use crate::catalogue::targets::parameters;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::texts::{self, TextField, TextFields};
use panel_platform::db::{DbError, Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListLabels, _, _, _>(list)
        .route::<CreateLabel, _, _, _>(create)
        .route::<ListAvailableLabels, _, _, _>(list_available)
        .route::<ListServicesOfLabel, _, _, _>(list_services)
        .route::<GetLabel, _, _, _>(get)
        .route::<UpdateLabel, _, _, _>(update)
        .route::<DeleteLabel, _, _, _>(delete)
}

async fn list(ctx: Ctx, _req: Req<ListLabels>) -> Result<Data<Vec<LabelRow>>> {
    Ok(Data { data: load_all(&mut ctx.db()).await?.into_iter().map(LabelRecord::into_row).collect() })
}

async fn list_available(ctx: Ctx, _req: Req<ListAvailableLabels>) -> Result<Data<Vec<NamedRef<LabelId>>>> {
    let to_named_ref = |label: LabelRecord| NamedRef { id: label.id, name: label.name };
    Ok(Data { data: load_all(&mut ctx.db()).await?.into_iter().map(to_named_ref).collect() })
}

async fn list_services(ctx: Ctx, req: Req<ListServicesOfLabel>) -> Result<Data<Vec<NamedRef<ServiceId>>>> {
    let db = &mut ctx.db();
    load_record(db, req.path).await?;
    Ok(Data { data: load_services(db, req.path).await? })
}

async fn get(ctx: Ctx, req: Req<GetLabel>) -> Result<Data<Label>> {
    Ok(Data { data: load_label(&mut ctx.db(), req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateLabel>) -> Result<Data<Label>> {
    let (mut draft, errors) = LabelDraft::default().apply(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    let icon = ctx.app.uploads.store_image(ctx.meta.dry_run, "icon", &req.body.icon, None).await;
    draft.icon = field_errors.collect(icon)?.flatten();
    let mut work = ctx.begin().await?;
    field_errors.collect(check_services(&mut work, &draft.services).await)?;
    field_errors.into_result(())?;
    let id = draft.insert(&mut work).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &LabelDraft::default()).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateLabel>) -> Result<Data<Label>> {
    let mut field_errors = FieldErrorCollector::default();
    let icon = field_errors
        .collect(ctx.app.uploads.store_image_before_lock(ctx.meta.dry_run, "icon", &req.body.icon).await)?;
    let mut work = ctx.begin().await?;
    // The image is validated before the record is locked, because the validation takes time. If the image is invalid and the record
    // is missing, the error of the image comes first.
    let (before, updated_at) =
        LabelDraft::lock(&mut work, req.path).await.map_err(|missing| field_errors.finish_with(missing))?;
    Error::check_not_stale("label", req.body.updated_at, updated_at)?;
    let (mut after, errors) = before.clone().apply(&req.body);
    field_errors.collect(errors.into_result(()))?;
    if let Some(icon) = icon {
        after.icon = field_errors.collect(icon.new_value(before.icon.as_deref()))?.flatten();
    }
    if after.services != before.services {
        field_errors.collect(check_services(&mut work, &after.services).await)?;
    }
    field_errors.into_result(())?;
    if after != before {
        after.update(&mut work, req.path).await?;
        after.record_change(&mut work, ChangeAction::Updated, req.path, &before).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteLabel>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (before, _) = LabelDraft::lock(&mut work, req.path).await?;
    delete_label(&mut work, req.path).await?;
    let record = ChangedRecord {
        action: ChangeAction::Deleted,
        model: ChangeModel::Label,
        id: req.path.as_record_id(),
        name: &before.name,
    };
    changes::record(&mut work, record, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: LabelId) -> Result<Data<Label>> {
    let data = load_label(&mut work, id).await?;
    work.finish(Data { data }).await
}

// Rules

const MAX_SERVICES: usize = 10_000;
/// Maximum number of unknown services that a response names.
const MAX_REPORTED_SERVICES: usize = 20;

/// The texts of a label that staff translate.
const TEXTS: TextFields =
    TextFields { owner_type: "label", fields: &[TextField { field: "name", max_chars: 100 }] };

/// A label as staff edit it and as the change log shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct LabelDraft {
    name: String,
    icon: Option<String>,
    is_custom_comments: bool,
    services: Vec<ServiceId>,
    translations: Translations,
}

impl LabelDraft {
    /// Returns the draft with the changes of an input, and the errors of invalid fields.
    fn apply(mut self, input: &LabelInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        let (name, translations) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        self.is_custom_comments = input.is_custom_comments.unwrap_or(self.is_custom_comments);
        if let Some(services) = &input.services {
            if services.len() > MAX_SERVICES {
                errors.add("services", format!("Choose at most {MAX_SERVICES} services."));
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
struct LabelRecord {
    id: LabelId,
    name: String,
    icon: Option<String>,
    is_custom_comments: bool,
    services_count: i64,
    updated_at: Timestamp,
}

impl LabelRecord {
    fn into_row(self) -> LabelRow {
        LabelRow {
            id: self.id,
            name: self.name,
            icon: self.icon,
            is_custom_comments: self.is_custom_comments,
            services_count: self.services_count,
        }
    }
}

const SELECT_RECORDS: &str = "SELECT l.id, l.name, l.icon, l.is_custom_comments, l.updated_at,
  (SELECT count(*) FROM service_labels x WHERE x.label_id = l.id) AS services_count FROM labels l";

async fn load_all(db: &mut impl SqlExecutor) -> Result<Vec<LabelRecord>> {
    Ok(db.fetch_all(Sql::new(SELECT_RECORDS).push(" ORDER BY l.name, l.id")).await?)
}

async fn delete_label(work: &mut UnitOfWork, id: LabelId) -> Result<()> {
    for sql in [
        "DELETE FROM service_labels WHERE label_id = ?",
        "DELETE FROM translations WHERE owner_type = 'label' AND owner_id = ?",
        "DELETE FROM labels WHERE id = ?",
    ] {
        work.execute(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

async fn load_record(db: &mut impl SqlExecutor, id: LabelId) -> Result<LabelRecord> {
    let record: Option<LabelRecord> =
        db.fetch_optional(Sql::new(SELECT_RECORDS).push(" WHERE l.id = ?").bind(id)).await?;
    record.ok_or_else(|| Error::not_found("label", id))
}

async fn load_services(db: &mut impl SqlExecutor, id: LabelId) -> Result<Vec<NamedRef<ServiceId>>> {
    let sql = Sql::new(
        "SELECT s.id, s.name FROM service_labels x JOIN services s ON s.id = x.service_id WHERE x.label_id = ? ORDER BY s.name, s.id",
    );
    let rows: Vec<(ServiceId, String)> = db.fetch_all(sql.bind(id)).await?;
    Ok(rows.into_iter().map(|(id, name)| NamedRef { id, name }).collect())
}

/// Loads one label with its services and texts, in three statements; 404 if it does not exist.
async fn load_label(db: &mut impl SqlExecutor, id: LabelId) -> Result<Label> {
    let record = load_record(db, id).await?;
    let (services, updated_at) = (load_services(db, id).await?, record.updated_at);
    let translations = texts::load_one(db, &TEXTS, id, &record.name).await?;
    Ok(Label { row: record.into_row(), services, translations, updated_at })
}

async fn check_services(work: &mut UnitOfWork, ids: &[ServiceId]) -> Result<()> {
    let sql = Sql::new("SELECT id FROM services WHERE id IN ").ids(ids);
    let existing: std::collections::BTreeSet<ServiceId> =
        work.fetch_all::<(ServiceId,)>(sql).await?.into_iter().map(|(id,)| id).collect();
    let mut errors = FieldErrors::default();
    for id in ids.iter().filter(|id| !existing.contains(*id)).take(MAX_REPORTED_SERVICES) {
        errors.add("services", format!("There is no service {id}."));
    }
    Ok(errors.into_result(())?)
}

impl LabelDraft {
    async fn lock(work: &mut UnitOfWork, id: LabelId) -> Result<(Self, Timestamp)> {
        let lock_sql = Sql::new("SELECT id FROM labels WHERE id = ?").bind(id).for_update();
        let existing: Option<(LabelId,)> = work.fetch_optional(lock_sql).await?;
        existing.ok_or_else(|| Error::not_found("label", id))?;
        let label = load_label(work, id).await?;
        let mut services: Vec<ServiceId> = label.services.iter().map(|service| service.id).collect();
        services.sort_unstable();
        let draft = Self {
            name: label.row.name,
            icon: label.row.icon,
            is_custom_comments: label.row.is_custom_comments,
            services,
            translations: label.translations,
        };
        Ok((draft, label.updated_at))
    }

    /// The INSERT, and the UPDATE to which the caller binds `id`. Neither statement writes services or texts.
    fn insert_and_update_sql(&self, now: Timestamp) -> [Sql; 2] {
        sql!(
            [
                "INSERT INTO labels (name, icon, is_custom_comments, created_at, updated_at) \
                   VALUES (@name, @icon, @is_custom_comments, @now, @now) RETURNING id",
                "UPDATE labels SET name = @name, icon = @icon, is_custom_comments = @is_custom_comments, updated_at = @now \
                   WHERE id = @id",
            ],
            { name: &*self.name, icon: self.icon.clone(), is_custom_comments: self.is_custom_comments, now },
            bound_later: [id],
        )
    }

    async fn insert(&self, work: &mut UnitOfWork) -> Result<LabelId> {
        let [insert_sql, _] = self.insert_and_update_sql(work.timestamp());
        let (id,): (LabelId,) =
            work.fetch_one(insert_sql).await.map_err(unique_violation_as_second_custom_comments_label)?;
        self.write_services_and_texts(work, id).await?;
        Ok(id)
    }

    async fn update(&self, work: &mut UnitOfWork, id: LabelId) -> Result<()> {
        let [_, update_sql] = self.insert_and_update_sql(work.timestamp());
        work.execute(update_sql.bind_named("id", id))
            .await
            .map_err(unique_violation_as_second_custom_comments_label)?;
        self.write_services_and_texts(work, id).await
    }

    async fn write_services_and_texts(&self, work: &mut UnitOfWork, id: LabelId) -> Result<()> {
        work.execute(Sql::new("DELETE FROM service_labels WHERE label_id = ?").bind(id)).await?;
        let sql = Sql::new(
            "INSERT INTO service_labels (service_id, label_id) SELECT id, ? FROM services WHERE id IN ",
        );
        work.execute(sql.bind(id).ids(&self.services)).await?;
        if self.is_custom_comments {
            // Services that have this label but no target for comments use the built-in target for comments.
            parameters::find_or_create(work, &[PanelParameter::Comments]).await?;
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
        let record =
            ChangedRecord { action, model: ChangeModel::Label, id: id.as_record_id(), name: &self.name };
        changes::record(work, record, &json!(before), &json!(self)).await
    }
}

/// A unique index allows only one label for custom comments.
fn unique_violation_as_second_custom_comments_label(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid(
            "is_custom_comments",
            "custom_comments_taken",
            "Another label is already used for custom comments. Turn off custom comments in that label first.",
        ),
        false => error.into(),
    }
}
