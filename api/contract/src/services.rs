//! Services as they cross the wire: what is sold, at which price and within which bounds.

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

/// One row of the services list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceRow {
    /// The service's id.
    pub id: ServiceId,
    /// English name.
    pub name: String,
    /// Its type.
    pub service_type: Named<ServiceTypeId>,
    /// The same, by the name of the specification.
    pub service_type_id: ServiceTypeId,
    /// What the reseller API sells it as: which parameters its orders need, and how their quantity is found.
    pub panel_service_type: PanelServiceType,
    /// Its network.
    pub network: Named<NetworkId>,
    /// Price per `pricing_per` units.
    pub default_price: Money,
    /// The lowest price a customer may get.
    pub min_price: Money,
    /// Units that prices are for.
    pub pricing_per: i64,
    /// Smallest order.
    pub min_quantity: i64,
    /// Largest order.
    pub max_quantity: i64,
    /// Steps between.
    pub quantity_step: i64,
    /// Whether it is on sale.
    pub is_enabled: bool,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Whether new orders wait for moderation.
    pub moderation_is_enabled: bool,
    /// Whether it is refilled.
    pub has_refill: bool,
    /// Whether it may be drip-fed.
    pub drip_feed_is_allowed: bool,
    /// Whether no provider of it is active.
    pub has_no_active_providers: bool,
    /// The external panels of its providers, with commas, to tell services of one name apart; none without any.
    #[serde(default)]
    pub external_panels: Option<String>,
    /// When it was made.
    pub created_at: Time,
    /// What the caller may do with it.
    pub actions: ServiceActions,
}

/// What the caller may do with a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceActions {
    /// Change it.
    pub editable: bool,
    /// Take it off sale for good.
    pub archivable: bool,
    /// Bring it back.
    pub restore: bool,
    /// Make another one like it.
    pub copyable: bool,
}

crate::words! {
    /// Where a service's full description stands on its page.
    DescriptionLocation { Header = "header", Footer = "footer" }
}

/// Calls `$then! { switch "what it says"; … }` with every switch of a service, as it is called everywhere.
#[macro_export]
macro_rules! for_each_service_switch {
    ($then:ident) => {
        $then! {
            is_enabled "On sale.";
            moderation_is_enabled "New orders wait for moderation.";
            has_refill "It is refilled.";
            auto_refill_is_allowed "Refills come by themselves.";
            drip_feed_is_allowed "May be drip-fed.";
            api_access "Sold by the API.";
            restricted_access "Sold only to chosen customers.";
            can_speedup "May be sped up.";
            no_refund "Undelivered shares are not returned.";
            is_deactivated "Switched off by a sync.";
            url_is_required "An address must be given.";
            real_counter_complete_is_enabled "Completes when the real counter is reached.";
            cancel_by_client_is_allowed "Customers may cancel.";
            auto_cancel "Canceled when nobody can deliver.";
            gather_statistic "The counter is watched.";
            calculable_quantity "The quantity is worked out from what the customer enters.";
            forbids_orders_with_same_url "Refuses a second open order with the same address.";
            sync_params "Parameters follow the provider.";
            sync_prices "Prices follow the provider.";
            sync_labels "Labels follow the provider.";
            sync_name "The name follows the provider.";
            sync_meta "Meta texts follow the provider.";
            sync_service_details "Details follow the provider.";
            sync_description_field "The description follows the provider.";
            sync_short_description "The short description follows the provider.";
            sync_reviews "Reviews follow the provider.";
        }
    };
}

/// One service with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Service {
    /// What the list shows.
    #[serde(flatten)]
    pub row: ServiceRow,
    /// The rest of its switches.
    #[serde(flatten)]
    pub switches: ServiceSwitches,
    /// Its numbers and words.
    #[serde(flatten)]
    pub terms: ServiceTerms,
    /// Label ids.
    pub labels: Vec<LabelId>,
    /// Providers in the order they are tried.
    pub providers: Vec<Named<ProviderId>>,
    /// No provider has been active for a day or longer.
    pub providers_are_unavailable_for_a_long_time: bool,
    /// When a provider was last active; none while one is, or when none ever was.
    pub last_time_providers_are_available_at: Option<Time>,
    /// ISO codes of the countries it is sold for.
    pub countries: Vec<String>,
    /// What it asks its customers.
    #[serde(flatten)]
    pub asked: ServiceTargets,
    /// What it asks its customers, as the form of an order needs it.
    #[serde(default)]
    pub asks: Vec<AskedTarget>,
    /// Locale → field → text.
    pub translations: Translations,
    /// When it last changed.
    pub updated_at: Stamp,
}

/// Numbers and words of a service that the list does not show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceTerms {
    /// A word among staff.
    pub admin_note: Option<String>,
    /// Hours after completion.
    pub auto_refill_after_hours: Option<i64>,
    /// Share refilled at once.
    pub auto_refill_once_fill_percent: Option<Fraction>,
    /// Smallest loss that is refilled.
    pub auto_refill_min_drop_percent: Option<Fraction>,
    /// Largest loss that is refilled.
    pub auto_refill_max_drop_percent: Option<Fraction>,
    /// Most that is refilled in all.
    pub auto_refill_max_total_refilled_percent: Option<Fraction>,
    /// Units ordered at providers per unit sold.
    pub order_quantity_ratio: Option<Fraction>,
    /// What an order widget starts with.
    pub default_quantity_for_order_widget: Option<i64>,
    /// What a customer's budget is multiplied by.
    pub budget_multiplier: Option<Fraction>,
    /// `header` or `footer`.
    pub full_description_location: DescriptionLocation,
    /// Part of its address.
    pub slug: Option<String>,
    /// Its own page.
    pub buy_page_url: Option<String>,
    /// Margin on what it costs where its price follows the panel, 0 to 10; null for the panel's margin.
    pub resale_margin_percent: Option<Fraction>,
    /// What its addresses are checked with.
    pub promotable_checker_group_id: Option<CheckerGroupId>,
    /// How long a live stream is held.
    pub live_stream_support_minutes: Option<i64>,
    /// Viewers ordered per viewer held.
    pub live_stream_retention_quantity_multiplier: Option<Fraction>,
}

macro_rules! inputs {
    ($($switch:ident $doc:literal;)+) => {
        /// Body of `POST services` and `PUT services/{id}`: what is left out stays, or has its usual value at the beginning.
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct ServiceInput {
            /// English name, 1 to 255 characters; required for a new one, here or among the translations.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub name: Option<String>,
            /// Its service type; required for a new one. Another one puts it last there.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub service_type_id: Option<ServiceTypeId>,
            /// Smallest order, from 1; required for a new one.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub min_quantity: Option<i64>,
            /// Largest order; required for a new one.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub max_quantity: Option<i64>,
            /// Steps between, from 1.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub quantity_step: Option<i64>,
            /// Price per `pricing_per` units; required for a new one.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub default_price: Option<Money>,
            /// The lowest price a customer may get; not above the price.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub min_price: Option<Money>,
            /// Units that prices are for; 1,000 when nothing is said.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub pricing_per: Option<i64>,
            $(
                #[doc = $doc]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $switch: Option<bool>,
            )+
            /// What the reseller API sells it as; `Default` when nothing is said. It must ask for what the type needs.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub panel_service_type: Option<PanelServiceType>,
            /// A word among staff.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<String>)]
            pub admin_note: Patch<String>,
            /// Hours after completion, 1 to 8,760.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub auto_refill_after_hours: Patch<i64>,
            /// Share refilled at once, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_once_fill_percent: Patch<Fraction>,
            /// Smallest loss that is refilled, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_min_drop_percent: Patch<Fraction>,
            /// Largest loss that is refilled, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_max_drop_percent: Patch<Fraction>,
            /// Most that is refilled in all, 0 to 1.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub auto_refill_max_total_refilled_percent: Patch<Fraction>,
            /// Units ordered at providers per unit sold, up to 100.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub order_quantity_ratio: Patch<Fraction>,
            /// What an order widget starts with; a quantity that can be ordered.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub default_quantity_for_order_widget: Patch<i64>,
            /// What a customer's budget is multiplied by, up to 100.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub budget_multiplier: Patch<Fraction>,
            /// Where the full description stands.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub full_description_location: Option<DescriptionLocation>,
            /// Small letters, digits and hyphens, no other service's.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<String>)]
            pub slug: Patch<String>,
            /// Absolute http(s) address of its own page.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<String>)]
            pub buy_page_url: Patch<String>,
            /// Margin on what it costs where its price follows the panel, 0 to 10; null for the panel's margin.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub resale_margin_percent: Patch<Fraction>,
            /// What its addresses are checked with.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub promotable_checker_group_id: Patch<CheckerGroupId>,
            /// How long a live stream is held, 1 to 10,080.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<i64>)]
            pub live_stream_support_minutes: Patch<i64>,
            /// Viewers ordered per viewer held, up to 100.
            #[serde(skip_serializing_if = "Patch::is_keep")]
            #[schema(value_type = Option<Fraction>)]
            pub live_stream_retention_quantity_multiplier: Patch<Fraction>,
            /// All labels.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub labels: Option<Vec<LabelId>>,
            /// All providers, in the order they are tried.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub providers: Option<Vec<ProviderId>>,
            /// ISO codes of all countries it is sold for; empty for all of them.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub countries: Option<Vec<String>>,
            /// All targets that it asks for, in this order; a new one is required at first.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub targets: Option<Vec<TargetId>>,
            /// Its own values for targets of its; targets that are not named keep theirs.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub targetable_values: Option<Vec<TargetValues>>,
            /// How targets hang on it; targets that are not named stay as they are.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub target_attachments: Option<Vec<TargetAttachment>>,
            /// All texts; empty ones are dropped.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub translations: Option<Translations>,
            /// As it was read: refused when somebody changed the service meanwhile.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub updated_at: Option<Stamp>,
            /// Sets a price below the least margin all the same, where the setting `min_margin_action` is `warn`.
            #[serde(default, skip_serializing_if = "crate::common::is_false")]
            pub confirm_below_margin: bool,
        }

        /// One service of a bulk change, with the switches that change.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub struct BulkService {
            /// The service.
            pub id: ServiceId,
            $(
                #[doc = $doc]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $switch: Option<bool>,
            )+
        }

        impl BulkService {
            /// A service whose switches stay as they are.
            #[must_use]
            pub fn new(id: ServiceId) -> Self {
                Self { id, $($switch: None,)+ }
            }
        }
    };
}
for_each_service_switch!(inputs);

/// Switches of a service that the list does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ServiceSwitches {
    /// Refills come by themselves.
    pub auto_refill_is_allowed: bool,
    /// Sold by the API.
    pub api_access: bool,
    /// Sold only to chosen customers.
    pub restricted_access: bool,
    /// May be sped up.
    pub can_speedup: bool,
    /// Undelivered shares are not returned.
    pub no_refund: bool,
    /// Switched off by a sync.
    pub is_deactivated: bool,
    /// An address must be given.
    pub url_is_required: bool,
    /// Completes when the real counter is reached.
    pub real_counter_complete_is_enabled: bool,
    /// Customers may cancel.
    pub cancel_by_client_is_allowed: bool,
    /// Canceled when nobody can deliver.
    pub auto_cancel: bool,
    /// Whether the counter is watched.
    pub gather_statistic: bool,
    /// The quantity is worked out from what the customer enters.
    pub calculable_quantity: bool,
    /// Refuses a second open order with the same address.
    pub forbids_orders_with_same_url: bool,
    /// Parameters follow the provider.
    pub sync_params: bool,
    /// Prices follow the provider.
    pub sync_prices: bool,
    /// Labels follow the provider.
    pub sync_labels: bool,
    /// The name follows the provider.
    pub sync_name: bool,
    /// Meta texts follow the provider.
    pub sync_meta: bool,
    /// Details follow the provider.
    pub sync_service_details: bool,
    /// The description follows the provider.
    pub sync_description_field: bool,
    /// The short description follows the provider.
    pub sync_short_description: bool,
    /// Reviews follow the provider.
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
