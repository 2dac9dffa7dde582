//! The editable fields of a service, for the database and for the change log. Handlers load and lock a draft, apply the
//! rules, and write it. Create, update and copy share one list of columns.

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Translations;
use panel_contract::ids::{CheckerGroupId, LabelId, ProviderId, ServiceId, ServiceTypeId};
use panel_contract::moment::Stamp;
use panel_contract::panel_service_types::PanelServiceType;
use panel_contract::services::{
    BulkService, DescriptionLocation, ServiceInput, ServiceSwitches, ServiceTerms,
};
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::json;

use crate::catalogue::services::TEXTS;
use crate::catalogue::targets::asked::{self, ServiceTarget};
use crate::pricing::available;
use crate::records::change_log::ChangedRecord;
use crate::records::{changes, texts};
use panel_platform::db::{DbError, Source, Sql, Val};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

macro_rules! switches {
    ($($switch:ident $doc:literal;)+) => {
        /// All boolean switches of a service.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, sqlx::FromRow)]
        pub struct Switches {
            $(#[doc = $doc] pub $switch: bool,)+
        }

        /// The columns of the switches for a `SELECT`, each with a trailing comma.
        pub const SWITCHES: &str = concat!($(stringify!($switch), ", "),+);
        /// The columns of the switches, for the rows of a bulk update.
        pub const SWITCH_NAMES: &[&str] = &[$(stringify!($switch)),+];
        /// The `SET` list of a bulk update from its rows `r`, with a trailing comma.
        pub const SWITCHES_FROM_ROWS: &str = concat!($(stringify!($switch), " = r.", stringify!($switch), ", "),+);

        impl Switches {
            /// Applies the switches that the input contains.
            pub fn with(&mut self, input: &ServiceInput) {
                $(self.$switch = input.$switch.unwrap_or(self.$switch);)+
            }

            /// Applies the switches that the bulk input contains; returns whether it contains any.
            pub fn with_bulk(&mut self, input: &BulkService) -> bool {
                $(self.$switch = input.$switch.unwrap_or(self.$switch);)+
                [$(input.$switch.is_some()),+].contains(&true)
            }

            /// The values in the order of [`SWITCH_NAMES`].
            #[must_use]
            pub fn values(&self) -> Vec<Val> {
                vec![$(self.$switch.into()),+]
            }

            fn columns(&self) -> Vec<(&'static str, Val)> {
                vec![$((concat!(stringify!($switch), " = ?"), self.$switch.into())),+]
            }
        }
    };
}
panel_contract::for_each_service_switch!(switches);

impl From<&Switches> for ServiceSwitches {
    fn from(of: &Switches) -> Self {
        Self {
            auto_refill_is_allowed: of.auto_refill_is_allowed,
            api_access: of.api_access,
            restricted_access: of.restricted_access,
            can_speedup: of.can_speedup,
            no_refund: of.no_refund,
            is_deactivated: of.is_deactivated,
            url_is_required: of.url_is_required,
            real_counter_complete_is_enabled: of.real_counter_complete_is_enabled,
            cancel_by_client_is_allowed: of.cancel_by_client_is_allowed,
            auto_cancel: of.auto_cancel,
            gather_statistic: of.gather_statistic,
            calculable_quantity: of.calculable_quantity,
            forbids_orders_with_same_url: of.forbids_orders_with_same_url,
            sync_params: of.sync_params,
            sync_prices: of.sync_prices,
            sync_labels: of.sync_labels,
            sync_name: of.sync_name,
            sync_meta: of.sync_meta,
            sync_service_details: of.sync_service_details,
            sync_description_field: of.sync_description_field,
            sync_short_description: of.sync_short_description,
            sync_reviews: of.sync_reviews,
        }
    }
}

/// All fields of a service that staff edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct ServiceDraft {
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub switches: Switches,
    /// In English; other languages are in `translations`.
    pub name: String,
    /// `None` only before the service is created.
    #[serde(serialize_with = "changes::none_as_zero")]
    pub service_type_id: Option<ServiceTypeId>,
    pub min_quantity: i64,
    pub max_quantity: i64,
    pub quantity_step: i64,
    /// Lowest price for `pricing_per` units after all discounts.
    pub min_price: Money,
    /// Price for `pricing_per` units before discounts.
    pub default_price: Money,
    /// Number of units that the prices are for.
    pub pricing_per: i64,
    /// Service type of the reseller API.
    pub panel_service_type: PanelServiceType,
    pub admin_note: Option<String>,
    pub auto_refill_after_hours: Option<i64>,
    /// Auto refill once fill, in parts per million.
    #[serde(rename = "auto_refill_once_fill_percent")]
    pub auto_refill_once_fill_ppm: Option<Fraction>,
    /// Auto refill min drop, in parts per million.
    #[serde(rename = "auto_refill_min_drop_percent")]
    pub auto_refill_min_drop_ppm: Option<Fraction>,
    /// Auto refill max drop, in parts per million.
    #[serde(rename = "auto_refill_max_drop_percent")]
    pub auto_refill_max_drop_ppm: Option<Fraction>,
    /// Auto refill max total refilled, in parts per million.
    #[serde(rename = "auto_refill_max_total_refilled_percent")]
    pub auto_refill_max_total_refilled_ppm: Option<Fraction>,
    /// Order quantity ratio, in parts per million.
    #[serde(rename = "order_quantity_ratio")]
    pub order_quantity_ratio_ppm: Option<Fraction>,
    pub default_quantity_for_order_widget: Option<i64>,
    /// Budget multiplier, in parts per million.
    #[serde(rename = "budget_multiplier")]
    pub budget_multiplier_ppm: Option<Fraction>,
    pub full_description_location: DescriptionLocation,
    pub slug: Option<String>,
    pub buy_page_url: Option<String>,
    /// Resale margin, in parts per million.
    #[serde(rename = "resale_margin_percent")]
    pub resale_margin_ppm: Option<Fraction>,
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    pub live_stream_support_minutes: Option<i64>,
    /// Live stream retention quantity multiplier, in parts per million.
    #[serde(rename = "live_stream_retention_quantity_multiplier")]
    pub live_stream_retention_quantity_multiplier_ppm: Option<Fraction>,
    /// JSON list of ISO country codes, sorted by code.
    pub countries: String,
    /// Sorted by id.
    #[sqlx(skip)]
    pub labels: Vec<LabelId>,
    /// In the order in which the worker tries them.
    #[sqlx(skip)]
    pub providers: Vec<ProviderId>,
    /// Inputs that the customer fills in, in display order.
    #[sqlx(skip)]
    pub targets: Vec<ServiceTarget>,
    /// Texts in all languages.
    #[sqlx(skip)]
    pub translations: Translations,
}

/// The columns except the switches.
pub const COLUMNS: &str = "name, service_type_id, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per, panel_service_type, admin_note,
  auto_refill_after_hours, auto_refill_once_fill_ppm, auto_refill_min_drop_ppm, auto_refill_max_drop_ppm, auto_refill_max_total_refilled_ppm,
  order_quantity_ratio_ppm, default_quantity_for_order_widget, budget_multiplier_ppm, full_description_location, slug, buy_page_url,
  resale_margin_ppm, promotable_checker_group_id, live_stream_support_minutes, live_stream_retention_quantity_multiplier_ppm, countries";

impl ServiceDraft {
    /// A new service with the default values.
    #[must_use]
    pub fn blank() -> Self {
        let switches =
            Switches { is_enabled: true, api_access: true, url_is_required: true, ..Switches::default() };
        Self {
            switches,
            name: String::new(),
            service_type_id: None,
            min_quantity: 0,
            max_quantity: 0,
            quantity_step: 1,
            min_price: Money::ZERO,
            default_price: Money::ZERO,
            pricing_per: 1_000,
            panel_service_type: PanelServiceType::Default,
            admin_note: None,
            auto_refill_after_hours: None,
            auto_refill_once_fill_ppm: None,
            auto_refill_min_drop_ppm: None,
            auto_refill_max_drop_ppm: None,
            auto_refill_max_total_refilled_ppm: None,
            order_quantity_ratio_ppm: None,
            default_quantity_for_order_widget: None,
            budget_multiplier_ppm: None,
            full_description_location: DescriptionLocation::Footer,
            slug: None,
            buy_page_url: None,
            resale_margin_ppm: None,
            promotable_checker_group_id: None,
            live_stream_support_minutes: None,
            live_stream_retention_quantity_multiplier_ppm: None,
            countries: "[]".to_owned(),
            labels: Vec::new(),
            providers: Vec::new(),
            targets: Vec::new(),
            translations: Translations::default(),
        }
    }

    /// The fields that the list of services omits, in the API's form.
    #[must_use]
    pub fn terms(&self) -> ServiceTerms {
        ServiceTerms {
            admin_note: self.admin_note.clone(),
            auto_refill_after_hours: self.auto_refill_after_hours,
            auto_refill_once_fill_percent: self.auto_refill_once_fill_ppm,
            auto_refill_min_drop_percent: self.auto_refill_min_drop_ppm,
            auto_refill_max_drop_percent: self.auto_refill_max_drop_ppm,
            auto_refill_max_total_refilled_percent: self.auto_refill_max_total_refilled_ppm,
            order_quantity_ratio: self.order_quantity_ratio_ppm,
            default_quantity_for_order_widget: self.default_quantity_for_order_widget,
            budget_multiplier: self.budget_multiplier_ppm,
            full_description_location: self.full_description_location,
            slug: self.slug.clone(),
            buy_page_url: self.buy_page_url.clone(),
            resale_margin_percent: self.resale_margin_ppm,
            promotable_checker_group_id: self.promotable_checker_group_id,
            live_stream_support_minutes: self.live_stream_support_minutes,
            live_stream_retention_quantity_multiplier: self.live_stream_retention_quantity_multiplier_ppm,
        }
    }

    /// Loads a service with its labels, providers, targets and texts in five statements; `None` if it does not exist.
    pub async fn read(db: &mut impl Source, id: ServiceId, lock: bool) -> Result<Option<StoredService>> {
        let sql = Sql::new("SELECT ").push(SWITCHES).push(COLUMNS);
        let sql = sql.push(", updated_at, is_archived FROM services WHERE id = ?").bind(id);
        let sql = if lock { sql.for_update() } else { sql };
        let Some(row) = db.opt::<ServiceRow>(sql).await? else { return Ok(None) };
        let mut draft = row.draft;
        let labels = Sql::new("SELECT label_id FROM service_labels WHERE service_id = ? ORDER BY label_id");
        draft.labels = db.ids_of(labels.bind(id)).await?;
        let providers =
            "SELECT provider_id FROM service_providers WHERE service_id = ? ORDER BY position, provider_id";
        draft.providers = db.ids_of(Sql::new(providers).bind(id)).await?;
        draft.targets = asked::read(db, id).await?;
        draft.translations = texts::load_one(db, &TEXTS, id, &draft.name).await?;
        Ok(Some((draft, row.updated_at, row.is_archived)))
    }

    /// Loads and locks a service; 404 if it does not exist.
    pub async fn lock(work: &mut UnitOfWork, id: ServiceId) -> Result<StoredService> {
        Self::read(work, id, true).await?.ok_or_else(|| Error::not_found("service", id))
    }

    /// Inserts the service as the last of its service type and returns its id.
    pub async fn insert(&self, work: &mut UnitOfWork) -> Result<ServiceId> {
        let now = work.stamp();
        let Self { service_type_id, name, min_quantity, max_quantity, min_price, default_price, .. } = self;
        let sql = sql!(
            "INSERT INTO services (service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, \
               updated_at, sorting)
             SELECT @service_type_id, @name, @min_quantity, @max_quantity, @min_price, @default_price, @now, @now, \
               COALESCE(max(sorting), 0) + 1 FROM services WHERE service_type_id = @service_type_id RETURNING id",
            { service_type_id, name: name.as_str(), min_quantity, max_quantity, min_price, default_price, now },
        );
        let (id,): (ServiceId,) = work.one(sql).await?;
        self.write(work, id, &Self::blank()).await?;
        Ok(id)
    }

    /// Updates the service; skips texts, labels, providers and targets that are equal in `before`.
    pub async fn write(&self, work: &mut UnitOfWork, id: ServiceId, before: &Self) -> Result<()> {
        let mut sql = Sql::new("UPDATE services SET updated_at = ?").bind(work.stamp());
        for (column, value) in self.columns() {
            sql = sql.push(", ").push(column).bind(value);
        }
        if before.service_type_id != self.service_type_id && before.service_type_id.is_some() {
            sql = sql.push(", sorting = (SELECT COALESCE(max(x.sorting), 0) + 1 FROM services x WHERE x.service_type_id = ?)");
            sql = sql.bind(self.service_type_id);
        }
        work.exec(sql.push(" WHERE id = ?").bind(id)).await.map_err(slug_conflict)?;
        if self.translations != before.translations {
            texts::write(work, &TEXTS, id, &self.translations).await?;
        }
        if self.labels != before.labels {
            write_labels(work, id, &self.labels).await?;
        }
        if self.providers != before.providers {
            write_providers(work, id, &self.providers).await?;
        }
        if self.targets != before.targets {
            asked::write(work, id, &self.targets).await?;
        }
        Ok(())
    }

    fn columns(&self) -> Vec<(&'static str, Val)> {
        let mut columns = self.switches.columns();
        columns.extend([
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
        columns
    }

    /// Records the change in the change log.
    pub async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: ServiceId,
        before: &Self,
    ) -> Result<()> {
        let record = ChangedRecord { action, model: ChangeModel::Service, id: id.record(), name: &self.name };
        changes::record(work, record, &json!(before), &json!(self)).await
    }
}

/// The stored draft of a service, its `updated_at`, and whether it is archived.
pub type StoredService = (ServiceDraft, Stamp, bool);

#[derive(sqlx::FromRow)]
struct ServiceRow {
    #[sqlx(flatten)]
    draft: ServiceDraft,
    updated_at: Stamp,
    is_archived: bool,
}

async fn write_labels(work: &mut UnitOfWork, id: ServiceId, labels: &[LabelId]) -> Result<()> {
    work.exec(Sql::new("DELETE FROM service_labels WHERE service_id = ?").bind(id)).await?;
    let sql = "INSERT INTO service_labels (service_id, label_id) SELECT ?, id FROM labels WHERE id IN ";
    work.exec(Sql::new(sql).bind(id).ids(labels)).await?;
    Ok(())
}

/// Writes the providers and updates the service's availability, which depends on them.
async fn write_providers(work: &mut UnitOfWork, id: ServiceId, providers: &[ProviderId]) -> Result<()> {
    work.exec(Sql::new("DELETE FROM service_providers WHERE service_id = ?").bind(id)).await?;
    let rows: Vec<Vec<Val>> =
        providers.iter().zip(0_i64..).map(|(provider, at)| vec![(*provider).into(), at.into()]).collect();
    if !rows.is_empty() {
        let sql = Sql::new(
            "INSERT INTO service_providers (service_id, provider_id, position) SELECT ?, r.id, r.place FROM ",
        );
        work.exec(sql.bind(id).rows("r", &["id", "place"], rows)).await?;
    }
    available::update_availability(work, &[id]).await
}

fn slug_conflict(error: DbError) -> Error {
    if error.is_unique() { slug_taken() } else { error.into() }
}

pub fn slug_taken() -> Error {
    Error::invalid("slug", "slug_taken", "Another service has this slug. Enter a different one.")
}
