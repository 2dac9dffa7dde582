//! Loads and writes services with their labels, providers, targets and texts.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::{LabelId, ProviderId, ServiceId};
use panel_contract::moment::Timestamp;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::catalogue::services::draft::ServiceDraft;
use crate::catalogue::services::switches::SWITCH_SELECT_LIST;
use crate::catalogue::services::texts::TEXTS;
use crate::catalogue::targets::service_targets;
use crate::pricing::available;
use crate::records::change_log::ChangedRecord;
use crate::records::{changes, texts};
use panel_platform::db::{DbError, Sql, SqlExecutor, Val};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Select list for the columns of a [`ServiceDraft`] that follow [`SWITCH_SELECT_LIST`].
const DRAFT_SELECT_LIST: &str = "name, service_type_id, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per, panel_service_type, admin_note,
  auto_refill_after_hours, auto_refill_once_fill_ppm, auto_refill_min_drop_ppm, auto_refill_max_drop_ppm, auto_refill_max_total_refilled_ppm,
  order_quantity_ratio_ppm, default_quantity_for_order_widget, budget_multiplier_ppm, full_description_location, slug, buy_page_url,
  resale_margin_ppm, promotable_checker_group_id, live_stream_support_minutes, live_stream_retention_quantity_multiplier_ppm, countries";

/// The stored values of a service.
#[derive(Debug, sqlx::FromRow)]
pub struct StoredService {
    #[sqlx(flatten)]
    pub draft: ServiceDraft,
    pub updated_at: Timestamp,
    pub is_archived: bool,
}

impl StoredService {
    /// Loads a service with its labels, providers, targets and texts in five statements; `None` if it does not exist.
    pub async fn load(db: &mut impl SqlExecutor, id: ServiceId) -> Result<Option<Self>> {
        Self::load_with_sql(db, id, select_service_sql(id)).await
    }

    /// Loads a service and locks its row until the transaction ends; 404 if it does not exist.
    pub async fn lock(work: &mut UnitOfWork, id: ServiceId) -> Result<Self> {
        let stored = Self::load_with_sql(work, id, select_service_sql(id).for_update()).await?;
        stored.ok_or_else(|| Error::not_found("service", id))
    }

    async fn load_with_sql(
        db: &mut impl SqlExecutor,
        id: ServiceId,
        select_sql: Sql,
    ) -> Result<Option<Self>> {
        let Some(mut stored) = db.fetch_optional::<Self>(select_sql).await? else { return Ok(None) };
        let draft = &mut stored.draft;
        let labels_sql =
            Sql::new("SELECT label_id FROM service_labels WHERE service_id = ? ORDER BY label_id");
        draft.labels = db.fetch_ids(labels_sql.bind(id)).await?;
        let providers_sql =
            "SELECT provider_id FROM service_providers WHERE service_id = ? ORDER BY position, provider_id";
        draft.providers = db.fetch_ids(Sql::new(providers_sql).bind(id)).await?;
        draft.targets = service_targets::load(db, id).await?;
        draft.translations = texts::load_one(db, &TEXTS, id, &draft.name).await?;
        Ok(Some(stored))
    }
}

fn select_service_sql(id: ServiceId) -> Sql {
    let sql = Sql::new("SELECT ").push(SWITCH_SELECT_LIST).push(DRAFT_SELECT_LIST);
    sql.push(", updated_at, is_archived FROM services WHERE id = ?").bind(id)
}

impl ServiceDraft {
    /// Inserts the service at the last position of its service type and returns its id.
    pub async fn insert(&self, work: &mut UnitOfWork) -> Result<ServiceId> {
        let now = work.timestamp();
        let Self { service_type_id, name, min_quantity, max_quantity, min_price, default_price, .. } = self;
        let sql = sql!(
            "INSERT INTO services (service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, \
               updated_at, sorting)
             SELECT @service_type_id, @name, @min_quantity, @max_quantity, @min_price, @default_price, @now, @now, \
               COALESCE(max(sorting), 0) + 1 FROM services WHERE service_type_id = @service_type_id RETURNING id",
            { service_type_id, name: name.as_str(), min_quantity, max_quantity, min_price, default_price, now },
        );
        let (id,): (ServiceId,) = work.fetch_one(sql).await?;
        self.update(work, id, &Self::blank()).await?;
        Ok(id)
    }

    /// Updates the row of the service, and those of its texts, labels, providers and targets that differ from `before`. A service
    /// that changes its service type moves to the last position of the new one.
    pub async fn update(&self, work: &mut UnitOfWork, id: ServiceId, before: &Self) -> Result<()> {
        let mut sql = Sql::new("UPDATE services SET updated_at = ?").bind(work.timestamp());
        for (assignment, value) in self.assignments() {
            sql = sql.push(", ").push(assignment).bind(value);
        }
        if before.service_type_id != self.service_type_id && before.service_type_id.is_some() {
            sql = sql.push(", sorting = (SELECT COALESCE(max(x.sorting), 0) + 1 FROM services x WHERE x.service_type_id = ?)");
            sql = sql.bind(self.service_type_id);
        }
        work.execute(sql.push(" WHERE id = ?").bind(id)).await.map_err(unique_violation_as_duplicate_slug)?;
        if self.translations != before.translations {
            texts::write(work, &TEXTS, id, &self.translations).await?;
        }
        if self.labels != before.labels {
            replace_labels(work, id, &self.labels).await?;
        }
        if self.providers != before.providers {
            replace_providers(work, id, &self.providers).await?;
        }
        if self.targets != before.targets {
            service_targets::replace(work, id, &self.targets).await?;
        }
        Ok(())
    }

    /// The items of a `SET` list with their values, without `updated_at` and `sorting`.
    fn assignments(&self) -> Vec<(&'static str, Val)> {
        let mut assignments = self.switches.assignments();
        assignments.extend([
            ("name = ?", Val::from(&*self.name)),
            ("service_type_id = ?", self.service_type_id.into()),
            ("min_quantity = ?", self.min_quantity.into()),
            ("max_quantity = ?", self.max_quantity.into()),
            ("quantity_step = ?", self.quantity_step.into()),
            ("min_price = ?", self.min_price.into()),
            ("default_price = ?", self.default_price.into()),
            ("pricing_per = ?", self.pricing_per.into()),
            ("panel_service_type = ?", self.panel_service_type.as_str().into()),
            ("admin_note = ?", self.admin_note.clone().into()),
            ("auto_refill_after_hours = ?", self.auto_refill_after_hours.into()),
            ("auto_refill_once_fill_ppm = ?", self.auto_refill_once_fill_ppm.into()),
            ("auto_refill_min_drop_ppm = ?", self.auto_refill_min_drop_ppm.into()),
            ("auto_refill_max_drop_ppm = ?", self.auto_refill_max_drop_ppm.into()),
            ("auto_refill_max_total_refilled_ppm = ?", self.auto_refill_max_total_refilled_ppm.into()),
            ("order_quantity_ratio_ppm = ?", self.order_quantity_ratio_ppm.into()),
            ("default_quantity_for_order_widget = ?", self.default_quantity_for_order_widget.into()),
            ("budget_multiplier_ppm = ?", self.budget_multiplier_ppm.into()),
            ("full_description_location = ?", self.full_description_location.as_str().into()),
            ("slug = ?", self.slug.clone().into()),
            ("buy_page_url = ?", self.buy_page_url.clone().into()),
            ("resale_margin_ppm = ?", self.resale_margin_ppm.into()),
            ("promotable_checker_group_id = ?", self.promotable_checker_group_id.into()),
            ("live_stream_support_minutes = ?", self.live_stream_support_minutes.into()),
            (
                "live_stream_retention_quantity_multiplier_ppm = ?",
                self.live_stream_retention_quantity_multiplier_ppm.into(),
            ),
            ("countries = ?", Val::from(&*self.countries)),
        ]);
        assignments
    }

    /// Writes the change from `before` to the change log and the audit trail.
    pub async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: ServiceId,
        before: &Self,
    ) -> Result<()> {
        let record =
            ChangedRecord { action, model: ChangeModel::Service, id: id.as_record_id(), name: &self.name };
        changes::record(work, record, &json!(before), &json!(self)).await
    }
}

async fn replace_labels(work: &mut UnitOfWork, id: ServiceId, labels: &[LabelId]) -> Result<()> {
    work.execute(Sql::new("DELETE FROM service_labels WHERE service_id = ?").bind(id)).await?;
    let sql = "INSERT INTO service_labels (service_id, label_id) SELECT ?, id FROM labels WHERE id IN ";
    work.execute(Sql::new(sql).bind(id).ids(labels)).await?;
    Ok(())
}

/// Replaces the providers, and updates the availability of the service, which depends on its providers.
async fn replace_providers(work: &mut UnitOfWork, id: ServiceId, providers: &[ProviderId]) -> Result<()> {
    work.execute(Sql::new("DELETE FROM service_providers WHERE service_id = ?").bind(id)).await?;
    let rows: Vec<Vec<Val>> = providers
        .iter()
        .zip(0_i64..)
        .map(|(provider, position)| vec![(*provider).into(), position.into()])
        .collect();
    if !rows.is_empty() {
        let sql = Sql::new(
            "INSERT INTO service_providers (service_id, provider_id, position) SELECT ?, r.id, r.item_position FROM ",
        );
        work.execute(sql.bind(id).rows("r", &["id", "item_position"], rows)).await?;
    }
    available::update_availability(work, &[id]).await
}

/// If two requests insert the same slug at the same time, both pass the check, and the unique index rejects the second write.
fn unique_violation_as_duplicate_slug(error: DbError) -> Error {
    if error.is_unique() { duplicate_slug() } else { error.into() }
}

pub fn duplicate_slug() -> Error {
    Error::invalid("slug", "slug_taken", "Another service has this slug. Enter a different one.")
}
