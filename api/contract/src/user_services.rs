//! Individual prices and refill settings of a customer for a service.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{Named, Patch};
use crate::ids::{ServiceId, UserServiceId};
use crate::moment::Stamp;

/// Individual conditions of a customer for a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserService {
    /// Id of the individual conditions.
    pub id: UserServiceId,
    /// Id of the service.
    pub service_id: ServiceId,
    /// Service, by id and name.
    pub service: Named<ServiceId>,
    /// Default price of the service, per `pricing_per` units.
    pub service_default_price: Money,
    /// Number of units that prices are for.
    pub pricing_per: i64,
    /// Individual conditions.
    #[serde(flatten)]
    pub terms: UserServiceTerms,
    /// Whether staff confirmed a price below the cost plus the minimum margin.
    pub below_margin_confirmed: bool,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
}

/// Conditions that differ for a customer. Null fields use those of the service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserServiceTerms {
    /// Lowest price that discounts can reach; at most the default price.
    pub min_price: Option<Money>,
    /// Price for the customer, per `pricing_per` units.
    pub default_price: Option<Money>,
    /// Whether orders are refilled automatically.
    pub auto_refill_is_allowed: bool,
    /// Fraction of the loss that one refill restores, 0 to 1.
    pub auto_refill_once_fill_percent: Option<Fraction>,
    /// Smallest loss that is refilled, as a fraction from 0 to 1.
    pub auto_refill_min_drop_percent: Option<Fraction>,
    /// Largest loss that is refilled, as a fraction from 0 to 1.
    pub auto_refill_max_drop_percent: Option<Fraction>,
    /// Maximum of all refills of an order, as a fraction from 0 to 1.
    pub auto_refill_max_total_refilled_percent: Option<Fraction>,
    /// Largest quantity to which the individual ratio applies; null for all orders.
    pub max_order_quantity_for_use_throttle: Option<i64>,
    /// Units ordered at the provider per sold unit.
    pub order_quantity_ratio: Option<Fraction>,
    /// Whether a refill can be requested.
    pub has_refill: bool,
}

/// Body of `POST users/{id}/user-services`, the complete conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserServiceInput {
    /// Id of the service.
    pub service_id: ServiceId,
    /// Lowest price that discounts can reach; at most the default price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_price: Option<Money>,
    /// Price for the customer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_price: Option<Money>,
    /// Whether orders are refilled automatically.
    #[serde(default)]
    pub auto_refill_is_allowed: bool,
    /// Fraction from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_once_fill_percent: Option<Fraction>,
    /// Fraction from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_min_drop_percent: Option<Fraction>,
    /// Fraction from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_max_drop_percent: Option<Fraction>,
    /// Fraction from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_max_total_refilled_percent: Option<Fraction>,
    /// Largest quantity to which the individual ratio applies, at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_order_quantity_for_use_throttle: Option<i64>,
    /// Units ordered at the provider per sold unit, above 0 and at most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_quantity_ratio: Option<Fraction>,
    /// Whether a refill can be requested.
    #[serde(default)]
    pub has_refill: bool,
    /// Accept a price below the minimum margin, where the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

impl UserServiceInput {
    /// The conditions of the body.
    #[must_use]
    pub fn terms(&self) -> UserServiceTerms {
        UserServiceTerms {
            min_price: self.min_price,
            default_price: self.default_price,
            auto_refill_is_allowed: self.auto_refill_is_allowed,
            auto_refill_once_fill_percent: self.auto_refill_once_fill_percent,
            auto_refill_min_drop_percent: self.auto_refill_min_drop_percent,
            auto_refill_max_drop_percent: self.auto_refill_max_drop_percent,
            auto_refill_max_total_refilled_percent: self.auto_refill_max_total_refilled_percent,
            max_order_quantity_for_use_throttle: self.max_order_quantity_for_use_throttle,
            order_quantity_ratio: self.order_quantity_ratio,
            has_refill: self.has_refill,
        }
    }
}

/// Body of `PATCH users/{id}/user-services/{user_service_id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UserServicePatch {
    /// Id of the service, which cannot change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_id: Option<ServiceId>,
    /// Lowest price that discounts can reach; at most the default price. Null removes it.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_price: Patch<Money>,
    /// Price for the customer; null for the price of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub default_price: Patch<Money>,
    /// Whether orders are refilled automatically.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_refill_is_allowed: Option<bool>,
    /// Fraction from 0 to 1; null for the value of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_once_fill_percent: Patch<Fraction>,
    /// Fraction from 0 to 1; null for the value of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_min_drop_percent: Patch<Fraction>,
    /// Fraction from 0 to 1; null for the value of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_max_drop_percent: Patch<Fraction>,
    /// Fraction from 0 to 1; null for the value of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_max_total_refilled_percent: Patch<Fraction>,
    /// Largest quantity to which the individual ratio applies, at least 1; null for all orders.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub max_order_quantity_for_use_throttle: Patch<i64>,
    /// Units ordered at the provider per sold unit, above 0 and at most 100; null for the value of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub order_quantity_ratio: Patch<Fraction>,
    /// Whether a refill can be requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_refill: Option<bool>,
    /// Accept a price below the minimum margin, where the setting `min_margin_action` is `warn`.
    #[serde(skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
    /// `updated_at` of the record that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

impl UserServicePatch {
    /// The conditions after the update of `current`.
    #[must_use]
    pub fn apply_to(&self, current: &UserServiceTerms) -> UserServiceTerms {
        UserServiceTerms {
            min_price: self.min_price.apply_to(current.min_price),
            default_price: self.default_price.apply_to(current.default_price),
            auto_refill_is_allowed: self.auto_refill_is_allowed.unwrap_or(current.auto_refill_is_allowed),
            auto_refill_once_fill_percent: self
                .auto_refill_once_fill_percent
                .apply_to(current.auto_refill_once_fill_percent),
            auto_refill_min_drop_percent: self
                .auto_refill_min_drop_percent
                .apply_to(current.auto_refill_min_drop_percent),
            auto_refill_max_drop_percent: self
                .auto_refill_max_drop_percent
                .apply_to(current.auto_refill_max_drop_percent),
            auto_refill_max_total_refilled_percent: self
                .auto_refill_max_total_refilled_percent
                .apply_to(current.auto_refill_max_total_refilled_percent),
            max_order_quantity_for_use_throttle: self
                .max_order_quantity_for_use_throttle
                .apply_to(current.max_order_quantity_for_use_throttle),
            order_quantity_ratio: self.order_quantity_ratio.apply_to(current.order_quantity_ratio),
            has_refill: self.has_refill.unwrap_or(current.has_refill),
        }
    }
}

/// Body of `POST users/{id}/user-services/bulk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserServicesInput {
    /// 1 to 10,000 prices, each service once. Existing prices are replaced; refill settings stay.
    pub user_services: Vec<UserServicePrice>,
    /// Accept a price below the minimum margin, where the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// A price of a bulk call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserServicePrice {
    /// Id of the service.
    pub service_id: ServiceId,
    /// Price for the customer.
    pub default_price: Money,
    /// Lowest price that discounts can reach; at most the default price. Absent keeps the current value, null removes it.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_price: Patch<Money>,
}

crate::wire!(UserService, UserServiceInput, UserServicePatch, UserServicesInput);
