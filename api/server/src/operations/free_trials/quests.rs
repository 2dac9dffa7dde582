//! Quests: the task for a free trial and its reward. Archiving hides a quest and stops new requests; staff still decide the
//! pending ones.

use panel_contract::amount::Money;
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, Named, Translations};
use panel_contract::endpoints::free_trials::{
    ArchiveFreeTrialQuest, CreateFreeTrialQuest, GetFreeTrialQuest, ListFreeTrialQuests,
    UnarchiveFreeTrialQuest, UpdateFreeTrialQuest,
};
use panel_contract::free_trials::FreeTrialQuest;
use panel_contract::ids::{FreeTrialQuestId, ServiceId};
use panel_contract::moment::{Stamp, Time};
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::free_trials::quest_rules::{QuestFields, TEXTS, check_fresh};
use crate::records::archivables::QUEST;
use crate::records::change_log::ChangedRecord;
use crate::records::search_texts;
use crate::records::uses::use_of_quest;
use crate::records::{changes, texts, uses};
use crate::texts_of;
use panel_platform::db::{Source, Sql};
use panel_platform::sql;
use panel_platform::table::{Join, RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.table::<ListFreeTrialQuests, _, _>(&QUESTS, |record: QuestRow, _| record.into_response())
        .on::<CreateFreeTrialQuest, _, _, _>(create)
        .on::<GetFreeTrialQuest, _, _, _>(get)
        .on::<UpdateFreeTrialQuest, _, _, _>(update)
        .archiving::<ArchiveFreeTrialQuest, UnarchiveFreeTrialQuest, _, _, _>(&QUEST, answer)
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
.common_search(&[
    SearchTarget::new("q.id", &search_texts::QUESTS, "name").here(&["q.name"]),
    SearchTarget::new("q.service_id", &search_texts::SERVICES, "service"),
])
.row_counts("free_trial_quests", "");

async fn get(ctx: Ctx, req: Req<GetFreeTrialQuest>) -> Result<Data<FreeTrialQuest>> {
    Ok(Data { data: find(&mut ctx.db(), req.path).await?.into_response() })
}

async fn create(ctx: Ctx, req: Req<CreateFreeTrialQuest>) -> Result<Data<FreeTrialQuest>> {
    let input = &req.body;
    let (mut fields, errors) = QuestFields { is_enabled: true, ..QuestFields::default() }.with(input);
    let mut wrong = WrongFields::from(errors);
    wrong.record(check_fresh(input, None, ctx.now()))?;
    let image = ctx.app.uploads.store_picture(ctx.meta.dry_run, "image", &input.image, None).await;
    fields.image = wrong.record(image)?.flatten();
    let icon = ctx.app.uploads.store_picture(ctx.meta.dry_run, "icon", &input.icon, None).await;
    fields.icon = wrong.record(icon)?.flatten();
    let mut work = ctx.begin().await?;
    wrong.record(check_service(&mut work, &fields, None).await)?;
    wrong.or(())?;
    let id = insert(&mut work, &fields).await?;
    audit_change(&mut work, ChangeAction::Created, id, &fields.name(), json!({}), fields.json()).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateFreeTrialQuest>) -> Result<Data<FreeTrialQuest>> {
    let (id, input) = (req.path, &req.body);
    let mut wrong = WrongFields::default();
    let image =
        wrong.record(ctx.app.uploads.store_new_image(ctx.meta.dry_run, "image", &input.image).await)?;
    let icon = wrong.record(ctx.app.uploads.store_new_image(ctx.meta.dry_run, "icon", &input.icon).await)?;
    let mut work = ctx.begin().await?;
    let quest = lock(&mut work, id).await?;
    Error::check_not_stale("quest", input.updated_at, quest.updated_at)?;
    let old = quest.fields();
    wrong.record(check_fresh(input, old.deadline, work.now))?;
    let (mut new, errors) = old.clone().with(input);
    wrong.record(errors.or(()))?;
    if let Some(image) = image {
        new.image = wrong.record(image.new_value(old.image.as_deref()))?.flatten();
    }
    if let Some(icon) = icon {
        new.icon = wrong.record(icon.new_value(old.icon.as_deref()))?.flatten();
    }
    if (new.service_id, new.quantity) != (old.service_id, old.quantity) {
        wrong.record(check_service(&mut work, &new, old.service_id).await)?;
    }
    wrong.or(())?;
    if new != old {
        write(&mut work, id, &new).await?;
        audit_change(&mut work, ChangeAction::Updated, id, &new.name(), old.json(), new.json()).await?;
    }
    answer(work, id).await
}

async fn answer(mut work: UnitOfWork, id: FreeTrialQuestId) -> Result<Data<FreeTrialQuest>> {
    let data = find(&mut work, id).await?.into_response();
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
        ChangedRecord { action, model: ChangeModel::Quest, id: id.record(), name },
        &old,
        &new,
    )
    .await
}

// Store

/// Checks that the service exists and accepts the quantity, and that it is not archived unless it is the quest's service `before`.
async fn check_service(work: &mut UnitOfWork, fields: &QuestFields, before: Option<ServiceId>) -> Result<()> {
    // The rules already report a missing service.
    let Some(id) = fields.service_id else { return Ok(()) };
    let sql =
        Sql::new("SELECT min_quantity, max_quantity, quantity_step FROM services WHERE id = ?").bind(id);
    let Some((min, max, step)) = work.opt::<(i64, i64, i64)>(sql).await? else {
        let message = format!("Service {id} does not exist. Choose another service.");
        return Err(Error::invalid("service_id", "service_unknown", message));
    };
    let mut wrong = WrongFields::default();
    if Some(id) != before {
        let archived = uses::check_not_archived(work, &[("service_id".to_owned(), id)]).await?;
        wrong.record(archived.or(()))?;
    }
    let fits = (min..=max).contains(&fields.quantity) && (fields.quantity - min) % step.max(1) == 0;
    if !fits && fields.quantity > 0 {
        let message = format!("Enter {min} to {max} for this service, in steps of {step} from {min}.");
        wrong.record(Err::<(), _>(Error::invalid("quantity", "quantity_out_of_bounds", message)))?;
    }
    wrong.or(())
}

/// The INSERT and the UPDATE of all fields of a quest.
fn statements(fields: &QuestFields, stamp: Stamp) -> [Sql; 2] {
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
        auto_approve,
        auto_approve_from,
        asks_for_spending,
        spent_from,
    } = fields;
    sql!(
        [
            "INSERT INTO free_trial_quests (name, image, icon, service_id, quantity, deadline, is_enabled, is_repeatable, \
               repeats_count,
               allow_proof_url, auto_approve_is_allowed, min_amount_for_auto_approve, is_allowed_with_spend_above, \
               min_user_spend_amount, created_at, updated_at)
             VALUES (@name, @image, @icon, @service_id, @quantity, @deadline, @is_enabled, @is_repeatable, @repeats_count, \
               @allow_proof_url, @auto_approve_is_allowed, @min_amount_for_auto_approve, @is_allowed_with_spend_above, \
               @min_user_spend_amount, @now, @stamp) RETURNING id",
            "UPDATE free_trial_quests SET name = @name, image = @image, icon = @icon, service_id = @service_id, \
               quantity = @quantity, deadline = @deadline, is_enabled = @is_enabled,
               is_repeatable = @is_repeatable, repeats_count = @repeats_count, allow_proof_url = @allow_proof_url, \
               auto_approve_is_allowed = @auto_approve_is_allowed, min_amount_for_auto_approve = @min_amount_for_auto_approve,
               is_allowed_with_spend_above = @is_allowed_with_spend_above, min_user_spend_amount = @min_user_spend_amount, \
               updated_at = @stamp WHERE id = @id",
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
            auto_approve_is_allowed: auto_approve,
            min_amount_for_auto_approve: auto_approve_from,
            is_allowed_with_spend_above: asks_for_spending,
            min_user_spend_amount: spent_from,
            stamp,
        },
        later: [now, id],
    )
}

async fn insert(work: &mut UnitOfWork, fields: &QuestFields) -> Result<FreeTrialQuestId> {
    let [insert, _] = statements(fields, work.stamp());
    let insert = insert.named("now", work.now);
    let (id,) = work.one::<(FreeTrialQuestId,)>(insert).await?;
    texts::write(work, &TEXTS, id, &fields.translations).await?;
    Ok(id)
}

async fn write(work: &mut UnitOfWork, id: FreeTrialQuestId, fields: &QuestFields) -> Result<()> {
    let [_, update] = statements(fields, work.stamp());
    work.exec(update.named("id", id)).await?;
    Ok(texts::write(work, &TEXTS, id, &fields.translations).await?)
}

fn by_id(id: FreeTrialQuestId) -> Sql {
    Sql::new("SELECT ")
        .push(SELECT)
        .push(" FROM free_trial_quests q JOIN services s ON s.id = q.service_id WHERE q.id = ?")
        .bind(id)
}

async fn find(db: &mut impl Source, id: FreeTrialQuestId) -> Result<QuestRow> {
    db.opt(by_id(id)).await?.ok_or_else(|| Error::not_found("quest", id))
}

async fn lock(work: &mut UnitOfWork, id: FreeTrialQuestId) -> Result<QuestRow> {
    work.lock("free_trial_quests", &[id]).await?;
    find(work, id).await
}

const SELECT: &str = concat!(
    "q.id, q.name, q.image, q.icon, q.service_id, s.name AS service_name, q.quantity, q.deadline, q.is_enabled, q.is_archived,
  q.is_repeatable, q.repeats_count, q.allow_proof_url, q.auto_approve_is_allowed, q.min_amount_for_auto_approve, q.is_allowed_with_spend_above,
  q.min_user_spend_amount, q.created_at, q.updated_at, EXISTS (",
    use_of_quest!(requests, "q.id"),
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
    updated_at: Stamp,
}

impl QuestRow {
    fn texts(&self) -> Translations {
        texts::read(self.texts.as_deref(), &self.name)
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
            auto_approve: self.auto_approve_is_allowed,
            auto_approve_from: self.min_amount_for_auto_approve,
            asks_for_spending: self.is_allowed_with_spend_above,
            spent_from: self.min_user_spend_amount,
        }
    }

    fn into_response(self) -> FreeTrialQuest {
        FreeTrialQuest {
            translations: self.texts(),
            // The permission to see the list also allows every action.
            actions: QUEST.actions(true, self.is_archived, self.is_used).into(),
            id: self.id,
            name: self.name,
            image: self.image,
            icon: self.icon,
            service: Named { id: self.service_id, name: self.service_name },
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
