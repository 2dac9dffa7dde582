//! Services on the wirewith prices, quantities and flags.

mod preview;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{Named, Patch, Translations};
use crate::ids::{CheckerGroupId, LabelId, NetworkId, ProviderId, ServiceId, ServiceTypeId, TargetId};
use crate::moment::{Stamp, Time};
use crate::panel_service_types::PanelServiceType;
use crate::targets::{AskedTarget, ServiceTargets, TargetAttachment, TargetValues};
pub use preview::{GradePrice, PricePreviewInput};

/// A row of the services list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceRow {
    /// Id of the service.
    pub id: ServiceId,
    /// English name of the service.
    pub name: String,
    /// Service type of the service.
    pub service_type: Named<ServiceTypeId>,
    /// The same value under the name of the specification.
    pub service_type_id: ServiceTypeId,
    /// Service type for the reseller API: determines the parameters and the quantity of orders.
    pub panel_service_type: PanelServiceType,
    /// Network of the record.
    pub network: Named<NetworkId>,
    /// Price per `pricing_per` units.
    pub default_price: Money,
    /// Lowest price that discounts can reach.
    pub min_price: Money,
    /// Number of units that prices are for.
    pub pricing_per: i64,
    /// Minimum quantity of an order.
    pub min_quantity: i64,
    /// Maximum quantity of an order.
    pub max_quantity: i64,
    /// Step of quantities: valid quantities are the minimum plus a multiple of the step.
    pub quantity_step: i64,
    /// Whether customers can order it.
    pub is_enabled: bool,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Whether new orders wait for moderation.
    pub moderation_is_enabled: bool,
    /// Whether orders can be refilled.
    pub has_refill: bool,
    /// Whether customers can order it as a drip-feed.
    pub drip_feed_is_allowed: bool,
    /// Whether none of its providers is active.
    pub has_no_active_providers: bool,
    /// Comma-separated names of the external panels of its providers, to distinguish services with the same name; null without any.
    #[serde(default)]
    pub external_panels: Option<String>,
    /// When the service was created.
    pub created_at: Time,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ServiceActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceActions {
    /// Whether the caller can update the record.
    pub editable: bool,
    /// Whether the caller can archive the service.
    pub archivable: bool,
    /// Whether the caller can restore the archived record.
    pub restore: bool,
    /// Whether the caller can copy the service.
    pub copyable: bool,
}

crate::string_enum! {
    /// Position of the full description on the page of a service.
    DescriptionLocation { Header = "header", Footer = "footer" }
}

/// Calls `$then! { flag "description"; … }` with every flag of a service.
#[macro_export]
macro_rules! for_each_service_switch {
    ($then:ident) => {
        $then! {
            is_enabled "Whether customers can order it.";
            moderation_is_enabled "Whether new orders wait for moderation.";
            has_refill "Whether orders can be refilled.";
            auto_refill_is_allowed "Whether refills are automatic.";
            drip_feed_is_allowed "Whether customers can order it as a drip-feed.";
            api_access "Whether the reseller API sells it.";
            restricted_access "Whether only selected customers can order it.";
            can_speedup "Whether orders can be sped up.";
            no_refund "Whether undelivered units are not refunded.";
            is_deactivated "Whether a synchronization deactivated it.";
            url_is_required "Whether an order requires a link.";
            real_counter_complete_is_enabled "Whether orders complete when the public counter reaches the quantity.";
            cancel_by_client_is_allowed "Whether customers can request a cancellation.";
            auto_cancel "Whether orders are canceled automatically if no provider can deliver.";
            gather_statistic "Whether the public counter is monitored.";
            calculable_quantity "Whether the form calculates the quantity from the customer's input.";
            forbids_orders_with_same_url "Whether a second open order with the same link is refused.";
            sync_params "Whether synchronization updates minimum and maximum quantities.";
            sync_prices "Whether synchronization updates prices.";
            sync_labels "Whether synchronization updates labels.";
            sync_name "Whether synchronization updates the name.";
            sync_meta "Whether synchronization updates search engine texts.";
            sync_service_details "Whether synchronization updates refill and drip-feed support.";
            sync_description_field "Whether synchronization updates the description.";
            sync_short_description "Whether synchronization updates the short description.";
            sync_reviews "Whether synchronization updates reviews.";
        }
    };
}

/// A service with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Service {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: ServiceRow,
    /// Flags that the list does not contain.
    #[serde(flatten)]
    pub switches: ServiceSwitches,
    /// Settings that the list does not contain.
    #[serde(flatten)]
    pub terms: ServiceTerms,
    /// Ids of the labels.
    pub labels: Vec<LabelId>,
    /// Providers in the order of fail-over.
    pub providers: Vec<Named<ProviderId>>,
    /// Whether no provider has been active for at least a day.
    pub providers_are_unavailable_for_a_long_time: bool,
    /// When a provider was last active; null while one is active, or if none ever was.
    pub last_time_providers_are_available_at: Option<Time>,
    /// ISO codes of the countries that the service is for.
    pub countries: Vec<String>,
    /// Targets of the service: the parameters that customers enter.
    #[serde(flatten)]
    pub asked: ServiceTargets,
    /// Parameters that customers enter, for the order form.
    #[serde(default)]
    pub asks: Vec<AskedTarget>,
    /// Texts by locale and field.
    pub translations: Translations,
    /// When the record last changed.
    pub updated_at: Stamp,
}

/// Settings of a service that the list does not contain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceTerms {
    /// Internal note of staff.
    pub admin_note: Option<String>,
    /// Hours after completion in which automatic refills are possible.
    pub auto_refill_after_hours: Option<i64>,
    /// Fraction of the loss that one refill restores.
    pub auto_refill_once_fill_percent: Option<Fraction>,
    /// Smallest loss that is refilled, as a fraction.
    pub auto_refill_min_drop_percent: Option<Fraction>,
    /// Largest loss that is refilled, as a fraction.
    pub auto_refill_max_drop_percent: Option<Fraction>,
    /// Maximum of all refills of an order, as a fraction.
    pub auto_refill_max_total_refilled_percent: Option<Fraction>,
    /// Units ordered at providers per sold unit.
    pub order_quantity_ratio: Option<Fraction>,
    /// Initial quantity in order widgets.
    pub default_quantity_for_order_widget: Option<i64>,
    /// Factor for the budget of a customer.
    pub budget_multiplier: Option<Fraction>,
    /// Position of the full description: `header` or `footer`.
    pub full_description_location: DescriptionLocation,
    /// URL slug of its page; null without one.
    pub slug: Option<String>,
    /// URL of its own order page.
    pub buy_page_url: Option<String>,
    /// Markup on the cost, as a fraction, where synchronization updates the price, 0 to 10; null for the panel's margin.
    pub resale_margin_percent: Option<Fraction>,
    /// Id of the checker group for links.
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Duration of the support of a live stream, in minutes.
    pub live_stream_support_minutes: Option<i64>,
    /// Viewers ordered per viewer who stays.
    pub live_stream_retention_quantity_multiplier: Option<Fraction>,
}

macro_rules! inputs {
    ($($switch:ident $doc:literal;)+) => {
        /// Body of `POST services` and `PUT services/{id}`. Absent fields keep their value, or get their default in a new service.
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct ServiceInput {
            /// English name, 1 to 255 characters; required for a new record, here or in `translations`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub name: Option<String>,
            /// Id of the service type; required for a new service. Changing it moves the service to the last position there.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub service_type_id: Option<ServiceTypeId>,
            /// Minimum quantity of an order, from 1; required for a new service.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub min_quantity: Option<i64>,
            /// Maximum quantity of an order; required for a new service.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub max_quantity: Option<i64>,
            /// Step between quantities, from 1.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub quantity_step: Option<i64>,
            /// Price per `pricing_per` units; required for a new record.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub default_price: Option<Money>,
            /// Lowest price that discounts can reach; at most `default_price`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub min_price: Option<Money>,
            /// Number of units that prices are for; defaults to 1,000.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub pricing_per: Option<i64>,
            $(
                #[doc = $doc]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $switch: Option<bool>,
            )+
            /// Service type for the reseller API; defaults to `Default`. The targets must cover the parameters of the type.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub panel_service_type: Option<PanelServiceType>,
            /// Internal note of staff.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<String>)]
            pub admin_note: Patch<String>,
            /// Hours after completion in which automatic refills are possible, 1 to 8,760.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub auto_refill_after_hours: Patch<i64>,
            /// Fraction of the loss that one refill restores, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_once_fill_percent: Patch<Fraction>,
            /// Smallest loss that is refilled, as a fraction, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_min_drop_percent: Patch<Fraction>,
            /// Largest loss that is refilled, as a fraction, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_max_drop_percent: Patch<Fraction>,
            /// Maximum of all refills of an order, as a fraction, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_max_total_refilled_percent: Patch<Fraction>,
            /// Units ordered at providers per sold unit, up to 100.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub order_quantity_ratio: Patch<Fraction>,
            /// Initial quantity in order widgets; a quantity that can be ordered.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub default_quantity_for_order_widget: Patch<i64>,
            /// Factor for the budget of a customer, up to 100.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub budget_multiplier: Patch<Fraction>,
            /// Position of the full description.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub full_description_location: Option<DescriptionLocation>,
            /// Unique URL slug of lowercase letters, digits and hyphens.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<String>)]
            pub slug: Patch<String>,
            /// Absolute http(s) URL of its own order page.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<String>)]
            pub buy_page_url: Patch<String>,
            /// Markup on the cost, as a fraction, where synchronization updates the price, 0 to 10; null for the panel's margin.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub resale_margin_percent: Patch<Fraction>,
            /// Id of the checker group for links.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub promotable_checker_group_id: Patch<CheckerGroupId>,
            /// Duration of the support of a live stream, in minutes, 1 to 10,080.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub live_stream_support_minutes: Patch<i64>,
            /// Viewers ordered per viewer who stays, up to 100.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub live_stream_retention_quantity_multiplier: Patch<Fraction>,
            /// Ids of all labels.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub labels: Option<Vec<LabelId>>,
            /// Ids of all providers, in the order of fail-over.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub providers: Option<Vec<ProviderId>>,
            /// ISO codes of all countries that the service is for; empty for all countries.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub countries: Option<Vec<String>>,
            /// Ids of all targets in their order; new ones are attached as required.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub targets: Option<Vec<TargetId>>,
            /// Values of the service for its targets; targets that are not listed keep theirs.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub targetable_values: Option<Vec<TargetValues>>,
            /// Attachment types of targets; targets that are not listed keep theirs.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub target_attachments: Option<Vec<TargetAttachment>>,
            /// All texts by locale and field; empty texts are removed.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub translations: Option<Translations>,
            /// `updated_at` of the service that the editor read; a 409 `stale_record` if it has changed since.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub updated_at: Option<Stamp>,
            /// Accept a price below the minimum margin, where the setting `min_margin_action` is `warn`.
            #[serde(default, skip_serializing_if = "crate::common::is_false")]
            pub confirm_below_margin: bool,
        }

        /// A service of a bulk update with its changed flags.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub struct BulkService {
            /// Id of the service.
            pub id: ServiceId,
            $(
                #[doc = $doc]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $switch: Option<bool>,
            )+
        }

        impl BulkService {
            /// A service without changes.
            #[must_use]
            pub fn new(id: ServiceId) -> Self {
                Self { id, $($switch: None,)+ }
            }
        }
    };
}
for_each_service_switch!(inputs);

/// Flags of a service that the list does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ServiceSwitches {
    /// Whether refills are automatic.
    pub auto_refill_is_allowed: bool,
    /// Whether the reseller API sells it.
    pub api_access: bool,
    /// Whether only selected customers can order it.
    pub restricted_access: bool,
    /// Whether orders can be sped up.
    pub can_speedup: bool,
    /// Whether undelivered units are not refunded.
    pub no_refund: bool,
    /// Whether a synchronization deactivated it.
    pub is_deactivated: bool,
    /// Whether an order requires a link.
    pub url_is_required: bool,
    /// Whether orders complete when the public counter reaches the quantity.
    pub real_counter_complete_is_enabled: bool,
    /// Whether customers can request a cancellation.
    pub cancel_by_client_is_allowed: bool,
    /// Whether orders are canceled automatically if no provider can deliver.
    pub auto_cancel: bool,
    /// Whether the public counter is monitored.
    pub gather_statistic: bool,
    /// Whether the form calculates the quantity from the customer's input.
    pub calculable_quantity: bool,
    /// Whether a second open order with the same link is refused.
    pub forbids_orders_with_same_url: bool,
    /// Whether synchronization updates minimum and maximum quantities.
    pub sync_params: bool,
    /// Whether synchronization updates prices.
    pub sync_prices: bool,
    /// Whether synchronization updates labels.
    pub sync_labels: bool,
    /// Whether synchronization updates the name.
    pub sync_name: bool,
    /// Whether synchronization updates search engine texts.
    pub sync_meta: bool,
    /// Whether synchronization updates refill and drip-feed support.
    pub sync_service_details: bool,
    /// Whether synchronization updates the description.
    pub sync_description_field: bool,
    /// Whether synchronization updates the short description.
    pub sync_short_description: bool,
    /// Whether synchronization updates reviews.
    pub sync_reviews: bool,
}

/// Body of `PATCH services/bulk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkServicesInput {
    /// 1 to 10,000 services; errors are named `services.N.field`.
    pub services: Vec<BulkService>,
}

crate::wire!(Service, ServiceInput, BulkServicesInput);
