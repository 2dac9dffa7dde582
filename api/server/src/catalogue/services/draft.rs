//! The editable fields of a service. `rules` validates an input into a draft, `store` loads and writes drafts, and the change log
//! shows the serialized draft. Create, update and copy share this one struct.

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Translations;
use panel_contract::ids::{CheckerGroupId, LabelId, ProviderId, ServiceTypeId};
use panel_contract::panel_service_types::PanelServiceType;
use panel_contract::services::{DescriptionLocation, ServiceSettings};
use serde::Serialize;

use crate::catalogue::services::switches::SwitchColumns;
use crate::catalogue::targets::service_targets::ServiceTarget;
use crate::records::changes;

/// A service as staff edit it. The column names are those of the table `services`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct ServiceDraft {
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub switches: SwitchColumns,
    /// In English; other languages are in `translations`.
    pub name: String,
    /// `None` only before the service is created.
    #[serde(serialize_with = "changes::serialize_none_as_zero")]
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
    /// Hours after completion in which automatic refills are possible.
    pub auto_refill_after_hours: Option<i64>,
    /// Fraction of the loss that one refill restores. Like all columns in `_ppm`, stored in parts per million.
    #[serde(rename = "auto_refill_once_fill_fraction")]
    pub auto_refill_once_fill_ppm: Option<Fraction>,
    /// Smallest loss that is refilled, as a fraction.
    #[serde(rename = "auto_refill_min_drop_fraction")]
    pub auto_refill_min_drop_ppm: Option<Fraction>,
    /// Largest loss that is refilled, as a fraction.
    #[serde(rename = "auto_refill_max_drop_fraction")]
    pub auto_refill_max_drop_ppm: Option<Fraction>,
    /// Maximum of all refills of one order together, as a fraction.
    #[serde(rename = "auto_refill_max_total_refilled_fraction")]
    pub auto_refill_max_total_refilled_ppm: Option<Fraction>,
    /// Units ordered at a provider per sold unit.
    #[serde(rename = "order_quantity_ratio")]
    pub order_quantity_ratio_ppm: Option<Fraction>,
    pub default_quantity_for_order_widget: Option<i64>,
    /// Factor for the budget of a customer.
    #[serde(rename = "budget_multiplier")]
    pub budget_multiplier_ppm: Option<Fraction>,
    pub full_description_location: DescriptionLocation,
    pub slug: Option<String>,
    pub buy_page_url: Option<String>,
    /// Markup on the cost, for syncs that update the price; if `None`, the margin of the external panel applies.
    #[serde(rename = "resale_margin_fraction")]
    pub resale_margin_ppm: Option<Fraction>,
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    pub live_stream_support_minutes: Option<i64>,
    /// Number of viewers to order for each viewer that the customer bought, because some viewers leave.
    #[serde(rename = "live_stream_retention_quantity_multiplier")]
    pub live_stream_retention_quantity_multiplier_ppm: Option<Fraction>,
    /// JSON list of ISO country codes, sorted by code.
    pub countries: String,
    #[sqlx(skip)]
    pub labels: Vec<LabelId>,
    /// In the order in which the dispatcher tries them.
    #[sqlx(skip)]
    pub providers: Vec<ProviderId>,
    /// Inputs that the customer fills in, in display order.
    #[sqlx(skip)]
    pub targets: Vec<ServiceTarget>,
    #[sqlx(skip)]
    pub translations: Translations,
}

impl ServiceDraft {
    /// A new service with the default values.
    #[must_use]
    pub fn blank() -> Self {
        let switches = SwitchColumns {
            is_enabled: true,
            api_access: true,
            url_is_required: true,
            ..SwitchColumns::default()
        };
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

    /// The fields of the API's `Service` that its list row omits.
    #[must_use]
    pub fn settings(&self) -> ServiceSettings {
        ServiceSettings {
            admin_note: self.admin_note.clone(),
            auto_refill_after_hours: self.auto_refill_after_hours,
            auto_refill_once_fill_fraction: self.auto_refill_once_fill_ppm,
            auto_refill_min_drop_fraction: self.auto_refill_min_drop_ppm,
            auto_refill_max_drop_fraction: self.auto_refill_max_drop_ppm,
            auto_refill_max_total_refilled_fraction: self.auto_refill_max_total_refilled_ppm,
            order_quantity_ratio: self.order_quantity_ratio_ppm,
            default_quantity_for_order_widget: self.default_quantity_for_order_widget,
            budget_multiplier: self.budget_multiplier_ppm,
            full_description_location: self.full_description_location,
            slug: self.slug.clone(),
            buy_page_url: self.buy_page_url.clone(),
            resale_margin_fraction: self.resale_margin_ppm,
            promotable_checker_group_id: self.promotable_checker_group_id,
            live_stream_support_minutes: self.live_stream_support_minutes,
            live_stream_retention_quantity_multiplier: self.live_stream_retention_quantity_multiplier_ppm,
        }
    }
}
