//! A service as it is written and as the audit trail shows it: read whole and locked, changed by the rules, written
//! whole. One list of its columns for making, changing and copying.

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
use crate::catalogue::targets::asked::{self, Asked};
use crate::pricing::available;
use crate::records::change_log::ChangedRecord;
use crate::records::{changes, texts};
use panel_platform::db::{DbError, Source, Sql, Val};
use panel_platform::sql;
use panel_platform::work::Work;

macro_rules! switches {
    ($($switch:ident $doc:literal;)+) => {
        /// All switches of a service.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, sqlx::FromRow)]
        pub struct Switches {
            $(#[doc = $doc] pub $switch: bool,)+
        }

        /// Their columns, each with a comma behind it.
        pub const SWITCHES: &str = concat!($(stringify!($switch), ", "),+);
        /// Their columns, for rows of a bulk change.
        pub const SWITCH_NAMES: &[&str] = &[$(stringify!($switch)),+];
        /// What a bulk change sets, from its rows `r`.
        pub const SWITCHES_FROM_ROWS: &str = concat!($(stringify!($switch), " = r.", stringify!($switch), ", "),+);

        impl Switches {
            /// After an input.
            pub fn with(&mut self, input: &ServiceInput) {
                $(self.$switch = input.$switch.unwrap_or(self.$switch);)+
            }

            /// After a bulk change; whether it names any switch.
            pub fn with_bulk(&mut self, input: &BulkService) -> bool {
                $(self.$switch = input.$switch.unwrap_or(self.$switch);)+
                [$(input.$switch.is_some()),+].contains(&true)
            }

            /// Their values, as [`SWITCH_NAMES`] has them.
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

/// A service with everything that staff decide about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct Draft {
    /// All of its switches.
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub switches: Switches,
    /// English name.
    pub name: String,
    /// Its service type; none yet for a new one.
    #[serde(serialize_with = "changes::none_as_zero")]
    pub service_type_id: Option<ServiceTypeId>,
    /// Min quantity.
    pub min_quantity: i64,
    /// Max quantity.
    pub max_quantity: i64,
    /// Quantity step.
    pub quantity_step: i64,
    /// Min price.
    pub min_price: Money,
    /// Default price.
    pub default_price: Money,
    /// Pricing per.
    pub pricing_per: i64,
    /// Service type of the reseller API.
    pub panel_service_type: PanelServiceType,
    /// Admin note.
    pub admin_note: Option<String>,
    /// Auto refill after hours.
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
    /// Default quantity for order widget.
    pub default_quantity_for_order_widget: Option<i64>,
    /// Budget multiplier, in parts per million.
    #[serde(rename = "budget_multiplier")]
    pub budget_multiplier_ppm: Option<Fraction>,
    /// Full description location.
    pub full_description_location: DescriptionLocation,
    /// Slug.
    pub slug: Option<String>,
    /// Buy page url.
    pub buy_page_url: Option<String>,
    /// Resale margin, in parts per million.
    #[serde(rename = "resale_margin_percent")]
    pub resale_margin_ppm: Option<Fraction>,
    /// Promotable checker group id.
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Live stream support minutes.
    pub live_stream_support_minutes: Option<i64>,
    /// Live stream retention quantity multiplier, in parts per million.
    #[serde(rename = "live_stream_retention_quantity_multiplier")]
    pub live_stream_retention_quantity_multiplier_ppm: Option<Fraction>,
    /// ISO codes as JSON, by name.
    pub countries: String,
    /// By id.
    #[sqlx(skip)]
    pub labels: Vec<LabelId>,
    /// In the order they are tried.
    #[sqlx(skip)]
    pub providers: Vec<ProviderId>,
    /// What it asks its customers, in this order.
    #[sqlx(skip)]
    pub targets: Vec<Asked>,
    /// Texts in every language.
    #[sqlx(skip)]
    pub translations: Translations,
}

/// The columns beside the switches.
pub const COLUMNS: &str = "name, service_type_id, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per, panel_service_type, admin_note,
  auto_refill_after_hours, auto_refill_once_fill_ppm, auto_refill_min_drop_ppm, auto_refill_max_drop_ppm, auto_refill_max_total_refilled_ppm,
  order_quantity_ratio_ppm, default_quantity_for_order_widget, budget_multiplier_ppm, full_description_location, slug, buy_page_url,
  resale_margin_ppm, promotable_checker_group_id, live_stream_support_minutes, live_stream_retention_quantity_multiplier_ppm, countries";

impl Draft {
    /// A service of which nothing is said yet.
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

    /// What the list does not show, as the wire has it.
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

    /// Reads it with its parts, in five statements; none when there is no such service.
    pub async fn read(db: &mut impl Source, id: ServiceId, lock: bool) -> Result<Option<CurrentDraft>> {
        let sql = Sql::new("SELECT ").push(SWITCHES).push(COLUMNS);
        let sql = sql.push(", updated_at, is_archived FROM services WHERE id = ?").bind(id);
        let sql = if lock { sql.for_update() } else { sql };
        let Some(kept) = db.opt::<Kept>(sql).await? else { return Ok(None) };
        let mut draft = kept.draft;
        let labels = Sql::new("SELECT label_id FROM service_labels WHERE service_id = ? ORDER BY label_id");
        draft.labels = db.ids_of(labels.bind(id)).await?;
        let providers =
            "SELECT provider_id FROM service_providers WHERE service_id = ? ORDER BY position, provider_id";
        draft.providers = db.ids_of(Sql::new(providers).bind(id)).await?;
        draft.targets = asked::read(db, id).await?;
        draft.translations = texts::of(db, &TEXTS, id, &draft.name).await?;
        Ok(Some((draft, kept.updated_at, kept.is_archived)))
    }

    /// Reads and locks a service that must be there: it, its stamp, and whether it is archived.
    pub async fn lock(work: &mut Work, id: ServiceId) -> Result<CurrentDraft> {
        Self::read(work, id, true).await?.ok_or_else(|| Error::not_found("service", id))
    }

    /// Writes a new one, last in its service type; its id.
    pub async fn insert(&self, work: &mut Work) -> Result<ServiceId> {
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

    /// Writes it over `before`.
    pub async fn write(&self, work: &mut Work, id: ServiceId, before: &Self) -> Result<()> {
        let mut sql = Sql::new("UPDATE services SET updated_at = ?").bind(work.stamp());
        for (column, value) in self.columns() {
            sql = sql.push(", ").push(column).bind(value);
        }
        if before.service_type_id != self.service_type_id && before.service_type_id.is_some() {
            sql = sql.push(", sorting = (SELECT COALESCE(max(x.sorting), 0) + 1 FROM services x WHERE x.service_type_id = ?)");
            sql = sql.bind(self.service_type_id);
        }
        work.exec(sql.push(" WHERE id = ?").bind(id)).await.map_err(taken)?;
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

    /// Writes down what was done.
    pub async fn tell(
        &self,
        work: &mut Work,
        action: ChangeAction,
        id: ServiceId,
        before: &Self,
    ) -> Result<()> {
        let noted = ChangedRecord { action, model: ChangeModel::Service, id: id.record(), name: &self.name };
        changes::note(work, noted, &json!(before), &json!(self)).await
    }
}

/// The stored draft of a service, when it was last changed, and whether it is archived.
pub type CurrentDraft = (Draft, Stamp, bool);

#[derive(sqlx::FromRow)]
struct Kept {
    #[sqlx(flatten)]
    draft: Draft,
    updated_at: Stamp,
    is_archived: bool,
}

async fn write_labels(work: &mut Work, id: ServiceId, labels: &[LabelId]) -> Result<()> {
    work.exec(Sql::new("DELETE FROM service_labels WHERE service_id = ?").bind(id)).await?;
    let sql = "INSERT INTO service_labels (service_id, label_id) SELECT ?, id FROM labels WHERE id IN ";
    work.exec(Sql::new(sql).bind(id).ids(labels)).await?;
    Ok(())
}

/// Providers, and what hangs on whether one of them is available.
async fn write_providers(work: &mut Work, id: ServiceId, providers: &[ProviderId]) -> Result<()> {
    work.exec(Sql::new("DELETE FROM service_providers WHERE service_id = ?").bind(id)).await?;
    let rows: Vec<Vec<Val>> =
        providers.iter().zip(0_i64..).map(|(provider, at)| vec![(*provider).into(), at.into()]).collect();
    if !rows.is_empty() {
        let sql = Sql::new(
            "INSERT INTO service_providers (service_id, provider_id, position) SELECT ?, r.id, r.place FROM ",
        );
        work.exec(sql.bind(id).rows("r", &["id", "place"], rows)).await?;
    }
    available::follow(work, &[id]).await
}

fn taken(error: DbError) -> Error {
    if error.is_unique() { slug_taken() } else { error.into() }
}

/// Another service has the slug.
pub fn slug_taken() -> Error {
    Error::invalid("slug", "slug_taken", "Another service has this slug; take another.")
}
