//! Services, which customers order, with their prices, quantities and switches.

mod preview;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{NamedRef, Patch, Translations};
use crate::ids::{CheckerGroupId, LabelId, NetworkId, ProviderId, ServiceId, ServiceTypeId, TargetId};
use crate::moment::{Time, Timestamp};
use crate::panel_service_types::PanelServiceType;
use crate::targets::{RequestedTarget, ServiceTargets, TargetAttachment, TargetValues};
pub use preview::{GradePrice, PricePreviewInput};

/// A row of the services list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceRow {
    /// Id of the service.
    pub id: ServiceId,
    /// English name of the service.
    pub name: String,
    /// Service type of the service, by id and name.
    pub service_type: NamedRef<ServiceTypeId>,
    /// Id of the same service type, under the name of the specification.
    pub service_type_id: ServiceTypeId,
    /// Service type in the reseller API, which determines parameters and quantity of orders.
    pub panel_service_type: PanelServiceType,
    /// Network of the service, by id and name.
    pub network: NamedRef<NetworkId>,
    /// Price per `pricing_per` units, in the panel's currency.
    pub default_price: Money,
    /// Lowest price that discounts can reach, per `pricing_per` units.
    pub min_price: Money,
    /// Number of units that prices are for.
    pub pricing_per: i64,
    /// Minimum quantity of an order.
    pub min_quantity: i64,
    /// Maximum quantity of an order.
    pub max_quantity: i64,
    /// Step of quantities: valid quantities are the minimum plus a multiple of the step.
    pub quantity_step: i64,
    /// Whether customers can order the service.
    pub is_enabled: bool,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Whether new orders wait for moderation.
    pub moderation_is_enabled: bool,
    /// Whether orders can be refilled.
    pub has_refill: bool,
    /// Whether customers can order the service as a drip-feed.
    pub drip_feed_is_allowed: bool,
    /// Whether none of the providers of the service is active. In that case the orders of the service wait.
    pub has_no_active_providers: bool,
    /// Comma-separated names of the external panels of the providers, to distinguish services with the same name; null without any.
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

/// Calls `$then! { switch "description"; … }` with every switch (boolean setting) of a service.
#[macro_export]
macro_rules! for_each_service_switch {
    ($then:ident) => {
        $then! {
            is_enabled "Whether customers can order the service.";
            moderation_is_enabled "Whether new orders wait for moderation.";
            has_refill "Whether orders can be refilled.";
            auto_refill_is_allowed "Whether the panel requests refills automatically.";
            drip_feed_is_allowed "Whether customers can order the service as a drip-feed.";
            api_access "Whether the reseller API sells the service.";
            restricted_access "Whether only selected customers can order the service.";
            can_speedup "Whether orders can be sped up.";
            no_refund "Whether the service has no refunds: undelivered units stay charged.";
            is_deactivated "Whether a synchronization deactivated the service.";
            url_is_required "Whether an order requires a link.";
            real_counter_complete_is_enabled "Whether orders complete when the public counter reaches the quantity.";
            cancel_by_client_is_allowed "Whether customers can request a cancellation.";
            auto_cancel "Whether orders are canceled automatically if no provider can deliver.";
            gather_statistic "Whether the panel measures the public counter of the orders.";
            calculable_quantity "Whether the form calculates the quantity from the customer's input.";
            forbids_orders_with_same_url "Whether a second open order with the same link is rejected.";
            sync_params "Whether synchronization updates minimum and maximum quantities.";
            sync_prices "Whether synchronization updates prices.";
            sync_labels "Whether synchronization updates labels.";
            sync_name "Whether synchronization updates the name.";
            sync_meta "Whether synchronization updates texts for search engines.";
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
    /// Fields of a row of the services list.
    #[serde(flatten)]
    pub row: ServiceRow,
    /// Switches that rows of the services list do not have.
    #[serde(flatten)]
    pub switches: ServiceSwitches,
    /// Settings that rows of the services list do not have.
    #[serde(flatten)]
    pub settings: ServiceSettings,
    /// Ids of the labels of the service.
    pub labels: Vec<LabelId>,
    /// Providers by id and name: the panel sends an order to the first available one and fails over to the next.
    pub providers: Vec<NamedRef<ProviderId>>,
    /// Whether no provider has been active for at least a day.
    pub providers_are_unavailable_for_a_long_time: bool,
    /// When a provider was last active; null while a provider is active, or if no provider was ever active.
    pub last_time_providers_are_available_at: Option<Time>,
    /// ISO codes of the countries whose customers can order the service; empty for all countries.
    pub countries: Vec<String>,
    /// Targets that are attached to the service, with values and attachment types.
    #[serde(flatten)]
    pub service_targets: ServiceTargets,
    /// The same targets with the labels and values of the order form.
    #[serde(default)]
    pub requested_targets: Vec<RequestedTarget>,
    /// Texts by locale and field.
    pub translations: Translations,
    /// When the record last changed.
    pub updated_at: Timestamp,
}

/// Settings of a service that rows of the services list do not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceSettings {
    /// Internal note that only staff see; null if there is none.
    pub admin_note: Option<String>,
    /// Hours after completion in which automatic refills are possible.
    pub auto_refill_after_hours: Option<i64>,
    /// Part of the lost units that one refill restores, as a fraction.
    pub auto_refill_once_fill_fraction: Option<Fraction>,
    /// Smallest loss that is refilled, as a fraction.
    pub auto_refill_min_drop_fraction: Option<Fraction>,
    /// Largest loss that is refilled, as a fraction.
    pub auto_refill_max_drop_fraction: Option<Fraction>,
    /// Maximum of all refills of an order, as a fraction.
    pub auto_refill_max_total_refilled_fraction: Option<Fraction>,
    /// Units ordered at providers per sold unit; null for 1.
    pub order_quantity_ratio: Option<Fraction>,
    /// Quantity with which an order widget starts; null for none.
    pub default_quantity_for_order_widget: Option<i64>,
    /// Factor by which the order form multiplies the budget of a customer; null for 1.
    pub budget_multiplier: Option<Fraction>,
    /// Position of the full description on the page of the service: `header` or `footer`.
    pub full_description_location: DescriptionLocation,
    /// URL slug of the page of the service; null if there is none.
    pub slug: Option<String>,
    /// URL of the order page of the service; null if there is none.
    pub buy_page_url: Option<String>,
    /// Markup on the cost with which synchronization sets the price, a fraction from 0 to 10; null for the markup of the panel.
    pub resale_margin_fraction: Option<Fraction>,
    /// Id of the checker group for the links of orders; null for any link.
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// Minutes for which viewers stay in a live stream; null for none.
    pub live_stream_support_minutes: Option<i64>,
    /// Viewers ordered at providers per viewer who stays in a live stream; null for none.
    pub live_stream_retention_quantity_multiplier: Option<Fraction>,
}

macro_rules! define_service_inputs {
    ($($switch:ident $doc:literal;)+) => {
        /// Body of `POST services` and `PUT services/{id}`. Absent fields keep their value, or get their default in a new service.
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct ServiceInput {
            /// English name, 1 to 255 characters; required for a new service, in this field or in `translations`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub name: Option<String>,
            /// Id of the service type; required for a new service. A change moves the service to the last position of the new type.
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
            /// Price per `pricing_per` units, in the panel's currency; required for a new service.
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
            /// Internal note that only staff see, at most 2,000 characters; null for none.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<String>)]
            pub admin_note: Patch<String>,
            /// Hours after completion in which automatic refills are possible, 1 to 8,760.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub auto_refill_after_hours: Patch<i64>,
            /// Part of the lost units that one refill restores, a fraction from 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_once_fill_fraction: Patch<Fraction>,
            /// Smallest loss that is refilled, as a fraction, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_min_drop_fraction: Patch<Fraction>,
            /// Largest loss that is refilled, as a fraction, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_max_drop_fraction: Patch<Fraction>,
            /// Maximum of all refills of an order, as a fraction, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_max_total_refilled_fraction: Patch<Fraction>,
            /// Units ordered at providers per sold unit, up to 100.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub order_quantity_ratio: Patch<Fraction>,
            /// Quantity with which an order widget starts, which must be a valid quantity; null for none.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub default_quantity_for_order_widget: Patch<i64>,
            /// Factor by which the order form multiplies the budget of a customer, up to 100; null for 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub budget_multiplier: Patch<Fraction>,
            /// Position of the full description on the page of the service.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub full_description_location: Option<DescriptionLocation>,
            /// Unique URL slug of lowercase letters, digits and hyphens; null for none.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<String>)]
            pub slug: Patch<String>,
            /// Absolute http(s) URL of the order page of the service; null for none.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<String>)]
            pub buy_page_url: Patch<String>,
            /// Markup on the cost with which synchronization sets the price, a fraction from 0 to 10; null for the markup of the
            /// panel.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub resale_margin_fraction: Patch<Fraction>,
            /// Id of the checker group for the links of orders; null for any link.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub promotable_checker_group_id: Patch<CheckerGroupId>,
            /// Minutes for which viewers stay in a live stream, 1 to 10,080; null for none.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub live_stream_support_minutes: Patch<i64>,
            /// Viewers ordered at providers per viewer who stays in a live stream, up to 100; null for none.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub live_stream_retention_quantity_multiplier: Patch<Fraction>,
            /// Ids of all labels of the service.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub labels: Option<Vec<LabelId>>,
            /// Ids of all providers, at most 50. The panel sends an order to the first available one and fails over to the next.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub providers: Option<Vec<ProviderId>>,
            /// ISO codes of the countries whose customers can order the service; empty for all countries.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub countries: Option<Vec<String>>,
            /// Ids of all targets in their order. A target that is new for the service is attached as `required`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub targets: Option<Vec<TargetId>>,
            /// Values of the service for its targets; targets that are not listed keep their values.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub targetable_values: Option<Vec<TargetValues>>,
            /// Attachment types of targets; targets that are not listed keep their types.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub target_attachments: Option<Vec<TargetAttachment>>,
            /// All texts by locale and field; empty texts are removed.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub translations: Option<Translations>,
            /// `updated_at` of the service that the editor read; 409 `stale_record` if the service has changed since.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub updated_at: Option<Timestamp>,
            /// Accept a price below the minimum margin; only possible if the setting `min_margin_action` is `warn`.
            #[serde(default, skip_serializing_if = "crate::common::is_false")]
            pub confirm_below_margin: bool,
        }

        /// A service in the body of a bulk update. Absent switches keep their value.
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
            /// An update of the service that changes nothing, until the caller sets switches.
            #[must_use]
            pub fn new(id: ServiceId) -> Self {
                Self { id, $($switch: None,)+ }
            }
        }
    };
}
for_each_service_switch!(define_service_inputs);

/// Switches, which are boolean settings, that rows of the services list do not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ServiceSwitches {
    /// Whether the panel requests refills automatically.
    pub auto_refill_is_allowed: bool,
    /// Whether the reseller API sells the service.
    pub api_access: bool,
    /// Whether only selected customers can order the service.
    pub restricted_access: bool,
    /// Whether orders can be sped up.
    pub can_speedup: bool,
    /// Whether the service has no refunds: undelivered units stay charged.
    pub no_refund: bool,
    /// Whether a synchronization deactivated the service.
    pub is_deactivated: bool,
    /// Whether an order requires a link.
    pub url_is_required: bool,
    /// Whether orders complete when the public counter reaches the quantity.
    pub real_counter_complete_is_enabled: bool,
    /// Whether customers can request a cancellation.
    pub cancel_by_client_is_allowed: bool,
    /// Whether orders are canceled automatically if no provider can deliver.
    pub auto_cancel: bool,
    /// Whether the panel measures the public counter of the orders.
    pub gather_statistic: bool,
    /// Whether the form calculates the quantity from the customer's input.
    pub calculable_quantity: bool,
    /// Whether a second open order with the same link is rejected.
    pub forbids_orders_with_same_url: bool,
    /// Whether synchronization updates minimum and maximum quantities.
    pub sync_params: bool,
    /// Whether synchronization updates prices.
    pub sync_prices: bool,
    /// Whether synchronization updates labels.
    pub sync_labels: bool,
    /// Whether synchronization updates the name.
    pub sync_name: bool,
    /// Whether synchronization updates texts for search engines.
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
    /// 1 to 10,000 services; errors have field names such as `services.N.field`.
    pub services: Vec<BulkService>,
}

crate::json_bodies!(Service, ServiceInput, BulkServicesInput);
