//! Endpoints for quests. A quest describes the task that a customer does for a free trial, and the free order. Customers cannot
//! request an archived quest, but staff still decide about its pending requests.

use panel_contract::amount::Money;
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, NamedRef, Translations};
use panel_contract::endpoints::free_trials::{
    ArchiveFreeTrialQuest, CreateFreeTrialQuest, GetFreeTrialQuest, ListFreeTrialQuests,
    UnarchiveFreeTrialQuest, UpdateFreeTrialQuest,
};
use panel_contract::free_trials::FreeTrialQuest;
use panel_contract::ids::{FreeTrialQuestId, ServiceId};
use panel_contract::moment::{Time, Timestamp};
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::free_trials::quest_rules::{QuestFields, TEXT_FIELDS, check_deadline};
use crate::records::archivable_kinds::QUEST;
use crate::records::change_log::ChangedRecord;
use crate::records::references::quest_reference;
use crate::records::search_texts;
use crate::records::{changes, references, texts};
use crate::texts_of;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::table::{Join, RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListFreeTrialQuests, _, _>(&QUESTS, |row: QuestRow, _| row.into_response())
        .route::<CreateFreeTrialQuest, _, _, _>(create)
        .route::<GetFreeTrialQuest, _, _, _>(get)
        .route::<UpdateFreeTrialQuest, _, _, _>(update)
        .archive_endpoints::<ArchiveFreeTrialQuest, UnarchiveFreeTrialQuest, _, _, _>(
            &QUEST,
            commit_and_respond,
        )
}

pub static QUESTS: Table = Table::new(
    &panel_contract::lists::free_trials::FREE_TRIAL_QUESTS,
    RowSource {
        base: "free_trial_quests",
        alias: "q",
        key: "q.id",
        joins: &[Join { alias: "s", sql: "JOIN services s ON s.id = q.service_id" }],
        select: SELECT,
        ..RowSource::NONE
    },
    &[
        expr("service", "s.name").join("s").text_index("q.service_id", &search_texts::SERVICES, ""),
        expr("service.id", "q.service_id"),
        expr("service.name", "s.name").join("s").text_index("q.service_id", &search_texts::SERVICES, "name"),
    ],
)
.global_search(&[
    SearchTarget::new("q.id", &search_texts::QUESTS, "name").own_columns(&["q.name"]),
    SearchTarget::new("q.service_id", &search_texts::SERVICES, "service"),
])
.count_from("free_trial_quests", "");

async fn get(ctx: Ctx, req: Req<GetFreeTrialQuest>) -> Result<Data<FreeTrialQuest>> {
    Ok(Data { data: load_row(&mut ctx.db(), req.path).await?.into_response() })
}

async fn create(ctx: Ctx, req: Req<CreateFreeTrialQuest>) -> Result<Data<FreeTrialQuest>> {
    let input = &req.body;
    let (mut fields, errors) = QuestFields { is_enabled: true, ..QuestFields::default() }.apply_input(input);
    let mut field_errors = FieldErrorCollector::from(errors);
    field_errors.collect(check_deadline(input, None, ctx.now()))?;
    let image = ctx.app.uploads.store_image(ctx.meta.dry_run, "image", &input.image, None).await;
    fields.image = field_errors.collect(image)?.flatten();
    let icon = ctx.app.uploads.store_image(ctx.meta.dry_run, "icon", &input.icon, None).await;
    fields.icon = field_errors.collect(icon)?.flatten();
    let mut work = ctx.begin().await?;
    field_errors.collect(check_service(&mut work, &fields, None).await)?;
    field_errors.into_result(())?;
    let id = insert(&mut work, &fields).await?;
    audit_change(&mut work, ChangeAction::Created, id, &fields.name(), json!({}), fields.json()).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateFreeTrialQuest>) -> Result<Data<FreeTrialQuest>> {
    let (id, input) = (req.path, &req.body);
    let mut field_errors = FieldErrorCollector::default();
    let image = field_errors
        .collect(ctx.app.uploads.store_image_before_lock(ctx.meta.dry_run, "image", &input.image).await)?;
    let icon = field_errors
        .collect(ctx.app.uploads.store_image_before_lock(ctx.meta.dry_run, "icon", &input.icon).await)?;
    let mut work = ctx.begin().await?;
    let quest = lock_row(&mut work, id).await?;
    Error::check_not_stale("quest", input.updated_at, quest.updated_at)?;
    let old_fields = quest.fields();
    field_errors.collect(check_deadline(input, old_fields.deadline, work.now))?;
    let (mut new_fields, errors) = old_fields.clone().apply_input(input);
    field_errors.collect(errors.into_result(()))?;
    if let Some(image) = image {
        new_fields.image = field_errors.collect(image.new_value(old_fields.image.as_deref()))?.flatten();
    }
    if let Some(icon) = icon {
        new_fields.icon = field_errors.collect(icon.new_value(old_fields.icon.as_deref()))?.flatten();
    }
    if (new_fields.service_id, new_fields.quantity) != (old_fields.service_id, old_fields.quantity) {
        field_errors.collect(check_service(&mut work, &new_fields, old_fields.service_id).await)?;
    }
    field_errors.into_result(())?;
    if new_fields != old_fields {
        update_row(&mut work, id, &new_fields).await?;
        audit_change(
            &mut work,
            ChangeAction::Updated,
            id,
            &new_fields.name(),
            old_fields.json(),
            new_fields.json(),
        )
        .await?;
    }
    commit_and_respond(work, id).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: FreeTrialQuestId) -> Result<Data<FreeTrialQuest>> {
    let data = load_row(&mut work, id).await?.into_response();
    work.finish(Data { data }).await
}

async fn audit_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: FreeTrialQuestId,
    name: &str,
    old: Value,
    new: Value,
) -> Result<()> {
    changes::record(
        work,
        ChangedRecord { action, model: ChangeModel::Quest, id: id.as_record_id(), name },
        &old,
        &new,
    )
    .await
}

// Store

/// Checks that the service exists and accepts the quantity. An archived service is accepted only if the quest already has it
/// (`old_service_id`).
async fn check_service(
    work: &mut UnitOfWork,
    fields: &QuestFields,
    old_service_id: Option<ServiceId>,
) -> Result<()> {
    // `QuestFields` already reports a missing service.
    let Some(id) = fields.service_id else { return Ok(()) };
    let sql =
        Sql::new("SELECT min_quantity, max_quantity, quantity_step FROM services WHERE id = ?").bind(id);
    let Some((min, max, step)) = work.fetch_optional::<(i64, i64, i64)>(sql).await? else {
        let message = format!("There is no service {id}. Choose another service.");
        return Err(Error::invalid("service_id", "service_unknown", message));
    };
    let mut field_errors = FieldErrorCollector::default();
    if Some(id) != old_service_id {
        let archived_check = references::check_not_archived(work, &[("service_id".to_owned(), id)]).await?;
        field_errors.collect(archived_check.into_result(()))?;
    }
    let is_allowed_quantity =
        (min..=max).contains(&fields.quantity) && (fields.quantity - min) % step.max(1) == 0;
    if !is_allowed_quantity && fields.quantity > 0 {
        let message = format!("Enter {min} to {max} for this service, in steps of {step} from {min}.");
        field_errors.collect(Err::<(), _>(Error::invalid("quantity", "quantity_out_of_bounds", message)))?;
    }
    field_errors.into_result(())
}

/// Builds the INSERT and the UPDATE of all fields of a quest.
fn insert_and_update_sql(fields: &QuestFields, timestamp: Timestamp) -> [Sql; 2] {
    let QuestFields {
        translations: _,
        image,
        icon,
        service_id,
        quantity,
        deadline,
        is_enabled,
        is_repeatable,
        repeats_count,
        allow_proof_url,
        auto_approve_is_allowed,
        min_amount_for_auto_approve,
        requires_min_spend,
        min_user_spend_amount,
    } = fields;
    sql!(
        [
            "INSERT INTO free_trial_quests (name, image, icon, service_id, quantity, deadline, is_enabled, is_repeatable, \
               repeats_count,
               allow_proof_url, auto_approve_is_allowed, min_amount_for_auto_approve, is_allowed_with_spend_above, \
               min_user_spend_amount, created_at, updated_at)
             VALUES (@name, @image, @icon, @service_id, @quantity, @deadline, @is_enabled, @is_repeatable, @repeats_count, \
               @allow_proof_url, @auto_approve_is_allowed, @min_amount_for_auto_approve, @is_allowed_with_spend_above, \
               @min_user_spend_amount, @now, @timestamp) RETURNING id",
            "UPDATE free_trial_quests SET name = @name, image = @image, icon = @icon, service_id = @service_id, \
               quantity = @quantity, deadline = @deadline, is_enabled = @is_enabled,
               is_repeatable = @is_repeatable, repeats_count = @repeats_count, allow_proof_url = @allow_proof_url, \
               auto_approve_is_allowed = @auto_approve_is_allowed, min_amount_for_auto_approve = @min_amount_for_auto_approve,
               is_allowed_with_spend_above = @is_allowed_with_spend_above, min_user_spend_amount = @min_user_spend_amount, \
               updated_at = @timestamp WHERE id = @id",
        ],
        {
            name: fields.name(),
            image: image.as_deref(),
            icon: icon.as_deref(),
            service_id,
            quantity,
            deadline,
            is_enabled,
            is_repeatable,
            repeats_count,
            allow_proof_url,
            auto_approve_is_allowed,
            min_amount_for_auto_approve,
            is_allowed_with_spend_above: requires_min_spend,
            min_user_spend_amount,
            timestamp,
        },
        bound_later: [now, id],
    )
}

async fn insert(work: &mut UnitOfWork, fields: &QuestFields) -> Result<FreeTrialQuestId> {
    let [insert_sql, _] = insert_and_update_sql(fields, work.timestamp());
    let insert_sql = insert_sql.bind_named("now", work.now);
    let (id,) = work.fetch_one::<(FreeTrialQuestId,)>(insert_sql).await?;
    texts::write(work, &TEXT_FIELDS, id, &fields.translations).await?;
    Ok(id)
}

async fn update_row(work: &mut UnitOfWork, id: FreeTrialQuestId, fields: &QuestFields) -> Result<()> {
    let [_, update_sql] = insert_and_update_sql(fields, work.timestamp());
    work.execute(update_sql.bind_named("id", id)).await?;
    Ok(texts::write(work, &TEXT_FIELDS, id, &fields.translations).await?)
}

fn select_by_id(id: FreeTrialQuestId) -> Sql {
    Sql::new("SELECT ")
        .push(SELECT)
        .push(" FROM free_trial_quests q JOIN services s ON s.id = q.service_id WHERE q.id = ?")
        .bind(id)
}

async fn load_row(db: &mut impl SqlExecutor, id: FreeTrialQuestId) -> Result<QuestRow> {
    db.fetch_optional(select_by_id(id)).await?.ok_or_else(|| Error::not_found("quest", id))
}

async fn lock_row(work: &mut UnitOfWork, id: FreeTrialQuestId) -> Result<QuestRow> {
    work.lock("free_trial_quests", &[id]).await?;
    load_row(work, id).await
}

const SELECT: &str = concat!(
    "q.id, q.name, q.image, q.icon, q.service_id, s.name AS service_name, q.quantity, q.deadline, q.is_enabled, q.is_archived,
  q.is_repeatable, q.repeats_count, q.allow_proof_url, q.auto_approve_is_allowed, q.min_amount_for_auto_approve, q.is_allowed_with_spend_above,
  q.min_user_spend_amount, q.created_at, q.updated_at, EXISTS (",
    quest_reference!(requests, "q.id"),
    ") AS is_used, ",
    texts_of!("free_trial_quest", "q.id")
);

/// A row of `free_trial_quests`, with its service and texts.
#[derive(Debug, sqlx::FromRow)]
pub struct QuestRow {
    id: FreeTrialQuestId,
    name: String,
    texts: Option<String>,
    image: Option<String>,
    icon: Option<String>,
    service_id: ServiceId,
    service_name: String,
    quantity: i64,
    deadline: Option<Time>,
    is_enabled: bool,
    is_archived: bool,
    is_used: bool,
    is_repeatable: bool,
    repeats_count: Option<i64>,
    allow_proof_url: bool,
    auto_approve_is_allowed: bool,
    min_amount_for_auto_approve: Option<Money>,
    is_allowed_with_spend_above: bool,
    min_user_spend_amount: Option<Money>,
    created_at: Time,
    updated_at: Timestamp,
}

impl QuestRow {
    fn texts(&self) -> Translations {
        texts::parse(self.texts.as_deref(), &self.name)
    }

    fn fields(&self) -> QuestFields {
        QuestFields {
            translations: self.texts(),
            image: self.image.clone(),
            icon: self.icon.clone(),
            service_id: Some(self.service_id),
            quantity: self.quantity,
            deadline: self.deadline,
            is_enabled: self.is_enabled,
            is_repeatable: self.is_repeatable,
            repeats_count: self.repeats_count,
            allow_proof_url: self.allow_proof_url,
            auto_approve_is_allowed: self.auto_approve_is_allowed,
            min_amount_for_auto_approve: self.min_amount_for_auto_approve,
            requires_min_spend: self.is_allowed_with_spend_above,
            min_user_spend_amount: self.min_user_spend_amount,
        }
    }

    fn into_response(self) -> FreeTrialQuest {
        FreeTrialQuest {
            translations: self.texts(),
            // The permission to read the list also allows every action.
            actions: QUEST.allowed_actions(true, self.is_archived, self.is_used).into(),
            id: self.id,
            name: self.name,
            image: self.image,
            icon: self.icon,
            service: NamedRef { id: self.service_id, name: self.service_name },
            quantity: self.quantity,
            deadline: self.deadline,
            is_enabled: self.is_enabled,
            is_archived: self.is_archived,
            is_repeatable: self.is_repeatable,
            repeats_count: self.repeats_count,
            allow_proof_url: self.allow_proof_url,
            auto_approve_is_allowed: self.auto_approve_is_allowed,
            min_amount_for_auto_approve: self.min_amount_for_auto_approve,
            is_allowed_with_spend_above: self.is_allowed_with_spend_above,
            min_user_spend_amount: self.min_user_spend_amount,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}
