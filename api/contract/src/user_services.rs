//! Individual terms of a customer for a service, which are prices and refill settings.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{NamedRef, Patch};
use crate::ids::{ServiceId, UserServiceId};
use crate::moment::Timestamp;

/// Individual terms of a customer for a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserService {
    /// Id of these terms.
    pub id: UserServiceId,
    /// Id of the service.
    pub service_id: ServiceId,
    /// The same service, by id and name.
    pub service: NamedRef<ServiceId>,
    /// Default price of the service, per `pricing_per` units.
    pub service_default_price: Money,
    /// Number of units that prices are for.
    pub pricing_per: i64,
    /// Prices and refill settings for the customer.
    #[serde(flatten)]
    pub terms: UserServiceTerms,
    /// Whether staff confirmed a price below the cost plus the minimum margin.
    pub below_margin_confirmed: bool,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// Prices and refill settings for one customer. The value of the service applies if a field is null.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserServiceTerms {
    /// Lowest price that discounts can reach, per `pricing_per` units; at most `default_price`.
    pub min_price: Option<Money>,
    /// Price for the customer, per `pricing_per` units.
    pub default_price: Option<Money>,
    /// Whether the panel requests refills automatically.
    pub auto_refill_is_allowed: bool,
    /// Part of the lost units that one refill restores, a fraction from 0 to 1.
    pub auto_refill_once_fill_fraction: Option<Fraction>,
    /// Smallest loss that is refilled, as a fraction from 0 to 1.
    pub auto_refill_min_drop_fraction: Option<Fraction>,
    /// Largest loss that is refilled, as a fraction from 0 to 1.
    pub auto_refill_max_drop_fraction: Option<Fraction>,
    /// Maximum of all refills of an order, as a fraction from 0 to 1.
    pub auto_refill_max_total_refilled_fraction: Option<Fraction>,
    /// Largest quantity of orders to which `order_quantity_ratio` applies; null for all orders.
    pub max_order_quantity_for_use_throttle: Option<i64>,
    /// Units ordered at providers per sold unit.
    pub order_quantity_ratio: Option<Fraction>,
    /// Whether a refill of an order can be requested.
    pub has_refill: bool,
}

/// Body of `POST users/{id}/user-services`. The value of the service applies if a field is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserServiceInput {
    /// Id of the service.
    pub service_id: ServiceId,
    /// Lowest price that discounts can reach; at most `default_price`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_price: Option<Money>,
    /// Price for the customer, per `pricing_per` units of the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_price: Option<Money>,
    /// Whether the panel requests refills automatically.
    #[serde(default)]
    pub auto_refill_is_allowed: bool,
    /// Part of the lost units that one refill restores, a fraction from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_once_fill_fraction: Option<Fraction>,
    /// Smallest loss that is refilled, as a fraction from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_min_drop_fraction: Option<Fraction>,
    /// Largest loss that is refilled, as a fraction from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_max_drop_fraction: Option<Fraction>,
    /// Maximum of all refills of an order, as a fraction from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_max_total_refilled_fraction: Option<Fraction>,
    /// Largest quantity of orders to which `order_quantity_ratio` applies, at least 1; absent for all orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_order_quantity_for_use_throttle: Option<i64>,
    /// Units ordered at providers per sold unit, above 0 and at most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_quantity_ratio: Option<Fraction>,
    /// Whether a refill of an order can be requested.
    #[serde(default)]
    pub has_refill: bool,
    /// Accept a price below the minimum margin; only possible if the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

impl UserServiceInput {
    /// The terms in the body.
    #[must_use]
    pub fn terms(&self) -> UserServiceTerms {
        UserServiceTerms {
            min_price: self.min_price,
            default_price: self.default_price,
            auto_refill_is_allowed: self.auto_refill_is_allowed,
            auto_refill_once_fill_fraction: self.auto_refill_once_fill_fraction,
            auto_refill_min_drop_fraction: self.auto_refill_min_drop_fraction,
            auto_refill_max_drop_fraction: self.auto_refill_max_drop_fraction,
            auto_refill_max_total_refilled_fraction: self.auto_refill_max_total_refilled_fraction,
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
    /// Lowest price that discounts can reach; at most `default_price`. Null removes the lowest price.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_price: Patch<Money>,
    /// Price for the customer, per `pricing_per` units; null for the price of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub default_price: Patch<Money>,
    /// Whether the panel requests refills automatically.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_refill_is_allowed: Option<bool>,
    /// Fraction of the loss that one refill restores, 0 to 1; null for the value of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_once_fill_fraction: Patch<Fraction>,
    /// Smallest loss that is refilled, as a fraction from 0 to 1; null for the value of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_min_drop_fraction: Patch<Fraction>,
    /// Largest loss that is refilled, as a fraction from 0 to 1; null for the value of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_max_drop_fraction: Patch<Fraction>,
    /// Maximum of all refills of an order, as a fraction from 0 to 1; null for the value of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_max_total_refilled_fraction: Patch<Fraction>,
    /// Largest quantity of orders to which `order_quantity_ratio` applies, at least 1; null for all orders.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub max_order_quantity_for_use_throttle: Patch<i64>,
    /// Units ordered at providers per sold unit, above 0 and at most 100; null for the value of the service.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub order_quantity_ratio: Patch<Fraction>,
    /// Whether a refill of an order can be requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_refill: Option<bool>,
    /// Accept a price below the minimum margin; only possible if the setting `min_margin_action` is `warn`.
    #[serde(skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
    /// `updated_at` of the record that the editor read; 409 `stale_record` if the record has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

impl UserServicePatch {
    /// The terms after an update of `current`.
    #[must_use]
    pub fn apply_to(&self, current: &UserServiceTerms) -> UserServiceTerms {
        UserServiceTerms {
            min_price: self.min_price.apply_to(current.min_price),
            default_price: self.default_price.apply_to(current.default_price),
            auto_refill_is_allowed: self.auto_refill_is_allowed.unwrap_or(current.auto_refill_is_allowed),
            auto_refill_once_fill_fraction: self
                .auto_refill_once_fill_fraction
                .apply_to(current.auto_refill_once_fill_fraction),
            auto_refill_min_drop_fraction: self
                .auto_refill_min_drop_fraction
                .apply_to(current.auto_refill_min_drop_fraction),
            auto_refill_max_drop_fraction: self
                .auto_refill_max_drop_fraction
                .apply_to(current.auto_refill_max_drop_fraction),
            auto_refill_max_total_refilled_fraction: self
                .auto_refill_max_total_refilled_fraction
                .apply_to(current.auto_refill_max_total_refilled_fraction),
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
    /// Accept a price below the minimum margin; only possible if the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// An individual price in the body of a bulk request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserServicePrice {
    /// Id of the service.
    pub service_id: ServiceId,
    /// Price for the customer, per `pricing_per` units of the service.
    pub default_price: Money,
    /// Lowest price that discounts can reach; at most `default_price`. An absent field keeps the current value, null removes the
    /// value.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_price: Patch<Money>,
}

crate::json_bodies!(UserService, UserServiceInput, UserServicePatch, UserServicesInput);
