//! Endpoints for the grades of the loyalty program. `promotion` promotes customers automatically; `operations::users` lets staff
//! assign a grade.

pub mod promotion;

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, Translations};
use panel_contract::endpoints::grades::{
    ArchiveGrade, AvailableGrades, CreateGrade, GetGrade, ListGrades, UnarchiveGrade, UpdateGrade,
};
use panel_contract::fields::FieldErrors;
use panel_contract::grades::{AvailableGrade, Grade, GradeInput};
use panel_contract::ids::GradeId;
use panel_contract::moment::{Time, Timestamp};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::archivable_kinds::GRADE;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::search_texts;
use crate::records::texts::{self, TextField, TextFields};
use crate::texts_of;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table::{RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListGrades, _, _>(&GRADES, |row: GradeRow, ctx| row.into_response(ctx))
        .route::<AvailableGrades, _, _, _>(list_available)
        .route::<CreateGrade, _, _, _>(create)
        .route::<GetGrade, _, _, _>(get)
        .route::<UpdateGrade, _, _, _>(update)
        .archive_endpoints::<ArchiveGrade, UnarchiveGrade, _, _, _>(&GRADE, commit_and_respond)
}

const USERS_COUNT: &str = "(SELECT count(*) FROM users x WHERE x.grade_id = g.id)";
const COLUMNS: &str = concat!(
    "g.id, g.name, g.icon, g.created_at, (SELECT count(*) FROM users x WHERE x.grade_id = g.id) AS users_count, g.discount_ppm,
  g.thumbnail_period, g.consultation_chat_period, g.available_closed_sales, g.available_personal_manager, g.spending_goal,
  g.is_archived, g.updated_at, ",
    texts_of!("grade", "g.id")
);

pub static GRADES: Table = Table::new(
    &panel_contract::lists::grades::GRADES,
    RowSource { base: "grades", alias: "g", key: "g.id", select: COLUMNS, ..RowSource::NONE },
    &[expr("users_count", USERS_COUNT), expr("discount_fraction", "g.discount_ppm")],
)
.global_search(&[SearchTarget::new("g.id", &search_texts::GRADES, "name").own_columns(&["g.name"])])
.count_from("grades", "");

async fn list_available(ctx: Ctx, _req: Req<AvailableGrades>) -> Result<Data<Vec<AvailableGrade>>> {
    let grades = load_available_grades(&mut ctx.db()).await?;
    let to_response = |grade: GradeRow| AvailableGrade {
        id: grade.id,
        name: grade.name,
        icon: grade.icon,
        discount_fraction: grade.discount_ppm,
        spending_goal: grade.spending_goal,
    };
    Ok(Data { data: grades.into_iter().map(to_response).collect() })
}

async fn get(ctx: Ctx, req: Req<GetGrade>) -> Result<Data<Grade>> {
    Ok(Data { data: load_row(&mut ctx.db(), req.path).await?.into_response(&ctx) })
}

async fn create(ctx: Ctx, req: Req<CreateGrade>) -> Result<Data<Grade>> {
    let mut field_errors = FieldErrorCollector::default();
    let fields = field_errors.collect(GradeFields::default().apply_input(&req.body))?;
    let icon = field_errors
        .collect(ctx.app.uploads.store_image(ctx.meta.dry_run, "icon", &req.body.icon, None).await)?
        .flatten();
    field_errors.into_result(())?;
    let fields = GradeFields { icon, ..fields.unwrap_or_default() };
    let mut work = ctx.begin().await?;
    let id = insert(&mut work, &fields).await?;
    audit_change(&mut work, ChangeAction::Created, id, &fields.name(), json!({}), fields.json()).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateGrade>) -> Result<Data<Grade>> {
    let mut field_errors = FieldErrorCollector::default();
    let icon = field_errors
        .collect(ctx.app.uploads.store_image_before_lock(ctx.meta.dry_run, "icon", &req.body.icon).await)?;
    let mut work = ctx.begin().await?;
    // The image is checked before the grade is locked, because the check takes long. The response contains the errors of the image
    // even if the grade does not exist.
    let grade =
        lock_row(&mut work, req.path).await.map_err(|not_found| field_errors.finish_with(not_found))?;
    Error::check_not_stale("grade", req.body.updated_at, grade.updated_at)?;
    let old_fields = grade.fields();
    let merged_fields = field_errors.collect(old_fields.clone().apply_input(&req.body))?;
    let icon = match icon {
        Some(icon) => field_errors.collect(icon.new_value(old_fields.icon.as_deref()))?.flatten(),
        None => None,
    };
    field_errors.into_result(())?;
    let new_fields = GradeFields { icon, ..merged_fields.unwrap_or_default() };
    if new_fields != old_fields {
        update_row(&mut work, req.path, &new_fields).await?;
        audit_change(
            &mut work,
            ChangeAction::Updated,
            req.path,
            &new_fields.name(),
            old_fields.json(),
            new_fields.json(),
        )
        .await?;
    }
    commit_and_respond(work, req.path).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: GradeId) -> Result<Data<Grade>> {
    let ctx = work.scope().clone();
    let data = load_row(&mut work, id).await?.into_response(&ctx);
    work.finish(Data { data }).await
}

async fn audit_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: GradeId,
    name: &str,
    old: Value,
    new: Value,
) -> Result<()> {
    changes::record(
        work,
        ChangedRecord { action, model: ChangeModel::Grade, id: id.as_record_id(), name },
        &old,
        &new,
    )
    .await
}

// Rules

const TEXTS: TextFields =
    TextFields { owner_type: "grade", fields: &[TextField { field: "name", max_chars: 100 }] };
const MAX_PERIOD_DAYS: i64 = 3_650;

/// The editable fields of a grade.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct GradeFields {
    icon: Option<String>,
    discount_fraction: Fraction,
    thumbnail_period: Option<i64>,
    consultation_chat_period: Option<i64>,
    /// Whether customers of this grade can take part in closed sales.
    has_closed_sales: bool,
    /// Whether customers of this grade get a personal manager.
    has_personal_manager: bool,
    spending_goal: Money,
    translations: Translations,
}

impl GradeFields {
    /// Merges the fields with an input, and validates the result. The uploads module checks the image.
    fn apply_input(mut self, input: &GradeInput) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        self.translations =
            texts::merge_texts(&mut errors, &TEXTS, &self.translations, input.translations.as_ref());
        self.discount_fraction = input.discount_fraction.unwrap_or(self.discount_fraction);
        if !(0..=1_000_000).contains(&self.discount_fraction.0) || self.discount_fraction.0 % 1_000 != 0 {
            errors.add(
                "discount_fraction",
                "Enter a fraction from 0 to 1 with at most three decimals, such as 0.05.",
            );
        }
        self.spending_goal = input.spending_goal.unwrap_or(self.spending_goal);
        if self.spending_goal < Money::ZERO {
            errors.add("spending_goal", "Enter an amount of zero or more.");
        }
        let periods = [
            ("thumbnail_period", input.thumbnail_period, &mut self.thumbnail_period),
            ("consultation_chat_period", input.consultation_chat_period, &mut self.consultation_chat_period),
        ];
        for (field, input_days, field_value) in periods {
            let Some(days) = input_days else { continue };
            if !(0..=MAX_PERIOD_DAYS).contains(&days) {
                errors.add(
                    field,
                    format!("Enter 1 to {MAX_PERIOD_DAYS} days, or 0 if the grade has no such period."),
                );
            }
            *field_value = Some(days).filter(|days| *days > 0);
        }
        self.has_closed_sales = input.available_closed_sales.unwrap_or(self.has_closed_sales);
        self.has_personal_manager = input.available_personal_manager.unwrap_or(self.has_personal_manager);
        errors.into_result(self)
    }

    fn name(&self) -> String {
        self.translations.text("en", "name").unwrap_or_default().to_owned()
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name(),
            "icon": self.icon,
            "discount_fraction": self.discount_fraction,
            "thumbnail_period": self.thumbnail_period,
            "consultation_chat_period": self.consultation_chat_period,
            "available_closed_sales": self.has_closed_sales,
            "available_personal_manager": self.has_personal_manager,
            "spending_goal": self.spending_goal,
            "translations": self.translations,
        })
    }
}

// Store

/// A row of `grades`, with its texts and number of users.
#[derive(Debug, sqlx::FromRow)]
pub struct GradeRow {
    id: GradeId,
    name: String,
    icon: Option<String>,
    created_at: Time,
    users_count: i64,
    discount_ppm: Fraction,
    thumbnail_period: Option<i64>,
    consultation_chat_period: Option<i64>,
    available_closed_sales: bool,
    available_personal_manager: bool,
    spending_goal: Money,
    texts: Option<String>,
    is_archived: bool,
    updated_at: Timestamp,
}

impl GradeRow {
    fn texts(&self) -> Translations {
        texts::parse(self.texts.as_deref(), &self.name)
    }

    fn fields(&self) -> GradeFields {
        GradeFields {
            icon: self.icon.clone(),
            discount_fraction: self.discount_ppm,
            thumbnail_period: self.thumbnail_period,
            consultation_chat_period: self.consultation_chat_period,
            has_closed_sales: self.available_closed_sales,
            has_personal_manager: self.available_personal_manager,
            spending_goal: self.spending_goal,
            translations: self.texts(),
        }
    }

    fn into_response(self, scope: &Scope) -> Grade {
        let may_manage = scope.has_permission(Permission::ManageGrades);
        Grade {
            id: self.id,
            translations: self.texts(),
            actions: GRADE.allowed_actions(may_manage, self.is_archived, self.users_count > 0).into(),
            name: self.name,
            icon: self.icon,
            created_at: self.created_at,
            users_count: self.users_count,
            discount_fraction: self.discount_ppm,
            thumbnail_period: self.thumbnail_period,
            consultation_chat_period: self.consultation_chat_period,
            available_closed_sales: self.available_closed_sales,
            available_personal_manager: self.available_personal_manager,
            spending_goal: self.spending_goal,
            is_archived: self.is_archived,
            updated_at: self.updated_at,
        }
    }
}

fn select_by_id(id: GradeId) -> Sql {
    Sql::new("SELECT ").push(COLUMNS).push(" FROM grades g WHERE g.id = ?").bind(id)
}

/// Loads the grades that are not archived, the lowest spending goal first.
async fn load_available_grades(db: &mut impl SqlExecutor) -> Result<Vec<GradeRow>> {
    let sql = Sql::new("SELECT ")
        .push(COLUMNS)
        .push(" FROM grades g WHERE NOT g.is_archived ORDER BY g.spending_goal, g.id");
    Ok(db.fetch_all(sql).await?)
}

async fn load_row(db: &mut impl SqlExecutor, id: GradeId) -> Result<GradeRow> {
    db.fetch_optional(select_by_id(id)).await?.ok_or_else(|| Error::not_found("grade", id))
}

async fn lock_row(work: &mut UnitOfWork, id: GradeId) -> Result<GradeRow> {
    work.lock("grades", &[id]).await?;
    load_row(work, id).await
}

/// Builds the INSERT and the UPDATE of all fields of a grade.
fn insert_and_update_sql(fields: &GradeFields, timestamp: Timestamp) -> [Sql; 2] {
    let GradeFields {
        icon,
        discount_fraction,
        thumbnail_period,
        consultation_chat_period,
        has_closed_sales,
        has_personal_manager,
        spending_goal,
        translations: _,
    } = fields;
    sql!(
        [
            "INSERT INTO grades (name, icon, discount_ppm, thumbnail_period, consultation_chat_period, available_closed_sales, \
               available_personal_manager,
               spending_goal, created_at, updated_at) VALUES (@name, @icon, @discount_ppm, @thumbnail_period, \
               @consultation_chat_period, @available_closed_sales, @available_personal_manager, @spending_goal, @now, @timestamp) \
               RETURNING id",
            "UPDATE grades SET name = @name, icon = @icon, discount_ppm = @discount_ppm, thumbnail_period = @thumbnail_period, \
               consultation_chat_period = @consultation_chat_period, available_closed_sales = @available_closed_sales,
               available_personal_manager = @available_personal_manager, spending_goal = @spending_goal, updated_at = @timestamp \
               WHERE id = @id",
        ],
        {
            name: fields.name(),
            icon: icon.as_deref(),
            discount_ppm: discount_fraction,
            thumbnail_period,
            consultation_chat_period,
            available_closed_sales: has_closed_sales,
            available_personal_manager: has_personal_manager,
            spending_goal,
            timestamp,
        },
        bound_later: [now, id],
    )
}

async fn insert(work: &mut UnitOfWork, fields: &GradeFields) -> Result<GradeId> {
    let [insert_sql, _] = insert_and_update_sql(fields, work.timestamp());
    let insert_sql = insert_sql.bind_named("now", work.now);
    let (id,) = work.fetch_one::<(GradeId,)>(insert_sql).await?;
    texts::write(work, &TEXTS, id, &fields.translations).await?;
    Ok(id)
}

async fn update_row(work: &mut UnitOfWork, id: GradeId, fields: &GradeFields) -> Result<()> {
    let [_, update_sql] = insert_and_update_sql(fields, work.timestamp());
    work.execute(update_sql.bind_named("id", id)).await?;
    Ok(texts::write(work, &TEXTS, id, &fields.translations).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(json: Value) -> GradeInput {
        serde_json::from_value(json).unwrap()
    }

    fn invalid_fields(json: Value) -> Vec<String> {
        GradeFields::default().apply_input(&input(json)).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn an_update_changes_only_its_fields() {
        let gold = GradeFields::default()
            .apply_input(&input(json!({"translations": {"en": {"name": " Gold "}, "de": {"name": " "}}, "discount_fraction": "0.05", "thumbnail_period": 30})))
            .unwrap();
        assert_eq!(
            (gold.name(), gold.translations.0.len(), gold.discount_fraction.0),
            ("Gold".to_owned(), 1, 50_000)
        );
        let updated = gold
            .clone()
            .apply_input(&input(json!({"thumbnail_period": 0, "consultation_chat_period": 7})))
            .unwrap();
        assert_eq!((updated.thumbnail_period, updated.consultation_chat_period), (None, Some(7)));
        assert_eq!((updated.discount_fraction, updated.name()), (gold.discount_fraction, gold.name()));
    }

    #[test]
    fn names_each_invalid_field() {
        assert_eq!(invalid_fields(json!({})), ["translations.en.name"]);
        let en = json!({"en": {"name": "Gold"}});
        for (field, value) in [
            ("discount_fraction", json!("1.001")),
            ("discount_fraction", json!("0.0005")),
            ("discount_fraction", json!("-0.1")),
            ("spending_goal", json!("-1")),
            ("thumbnail_period", json!(-1)),
            ("consultation_chat_period", json!(3_651)),
        ] {
            assert_eq!(invalid_fields(json!({"translations": en, field: value})), [field]);
        }
        assert_eq!(
            invalid_fields(json!({"translations": {"en": {"name": "x".repeat(101)}}})),
            ["translations.en.name"]
        );
    }
}
