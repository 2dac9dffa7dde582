//! Custom prices: what one customer pays for a service, and how it refills for them, beside the service's own terms.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{Named, Patch};
use crate::ids::{ServiceId, UserServiceId};
use crate::moment::Stamp;

/// A customer's own terms of one service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserService {
    /// Its id.
    pub id: UserServiceId,
    /// The service.
    pub service_id: ServiceId,
    /// The service by name.
    pub service: Named<ServiceId>,
    /// What everybody else pays, per `pricing_per` units.
    pub service_default_price: Money,
    /// Units of one price.
    pub pricing_per: i64,
    /// The terms themselves.
    #[serde(flatten)]
    pub terms: UserServiceTerms,
    /// Staff confirmed this price below the cost and the least margin, so orders are charged it.
    pub below_margin_confirmed: bool,
    /// When they last changed; an editor sends it back.
    pub updated_at: Stamp,
}

/// The terms that differ for one customer. Empty fields leave the service's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserServiceTerms {
    /// The lowest price that discounts may lead to; at most the default price.
    pub min_price: Option<Money>,
    /// What this customer pays, per `pricing_per` units.
    pub default_price: Option<Money>,
    /// Whether orders refill by themselves.
    pub auto_refill_is_allowed: bool,
    /// How much of the drop one refill makes good; 0 to 1.
    pub auto_refill_once_fill_percent: Option<Fraction>,
    /// The smallest drop that is refilled; 0 to 1.
    pub auto_refill_min_drop_percent: Option<Fraction>,
    /// The largest drop that is refilled; 0 to 1.
    pub auto_refill_max_drop_percent: Option<Fraction>,
    /// How much all refills of an order may come to; 0 to 1.
    pub auto_refill_max_total_refilled_percent: Option<Fraction>,
    /// Orders of up to this quantity take the own ratio, larger ones the service's; none: all do.
    pub max_order_quantity_for_use_throttle: Option<i64>,
    /// What is ordered at the provider for each unit sold; 1 is as sold.
    pub order_quantity_ratio: Option<Fraction>,
    /// Whether a refill may be asked for.
    pub has_refill: bool,
}

/// Body of `POST users/{id}/user-services`: the terms as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserServiceInput {
    /// Id of the service that gets the own price.
    pub service_id: ServiceId,
    /// The lowest price; at most the default price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_price: Option<Money>,
    /// The price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_price: Option<Money>,
    /// Whether orders refill by themselves.
    #[serde(default)]
    pub auto_refill_is_allowed: bool,
    /// 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_once_fill_percent: Option<Fraction>,
    /// 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_min_drop_percent: Option<Fraction>,
    /// 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_max_drop_percent: Option<Fraction>,
    /// 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_refill_max_total_refilled_percent: Option<Fraction>,
    /// At least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_order_quantity_for_use_throttle: Option<i64>,
    /// Above 0, at most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_quantity_ratio: Option<Fraction>,
    /// Whether a refill may be asked for.
    #[serde(default)]
    pub has_refill: bool,
    /// Sets a price below the least margin all the same, where the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

impl UserServiceInput {
    /// The terms of it.
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

/// Body of `PATCH users/{id}/user-services/{user_service_id}`: only what is named changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UserServicePatch {
    /// The service that the terms are for; another one is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_id: Option<ServiceId>,
    /// The lowest price; at most the default price. Null takes it away.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_price: Patch<Money>,
    /// The price; null for the service's own.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub default_price: Patch<Money>,
    /// Whether orders refill by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_refill_is_allowed: Option<bool>,
    /// 0 to 1; null for the service's own.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_once_fill_percent: Patch<Fraction>,
    /// 0 to 1; null for the service's own.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_min_drop_percent: Patch<Fraction>,
    /// 0 to 1; null for the service's own.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_max_drop_percent: Patch<Fraction>,
    /// 0 to 1; null for the service's own.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub auto_refill_max_total_refilled_percent: Patch<Fraction>,
    /// At least 1; null for all orders.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub max_order_quantity_for_use_throttle: Patch<i64>,
    /// Above 0, at most 100; null for the service's own.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Fraction>)]
    pub order_quantity_ratio: Patch<Fraction>,
    /// Whether a refill may be asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_refill: Option<bool>,
    /// Sets a price below the least margin all the same, where the setting `min_margin_action` is `warn`.
    #[serde(skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
    /// The record as the editor read it; a newer one is a 409.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

impl UserServicePatch {
    /// The terms after the update, by the `current` ones.
    #[must_use]
    pub fn over(&self, current: &UserServiceTerms) -> UserServiceTerms {
        UserServiceTerms {
            min_price: self.min_price.over(current.min_price),
            default_price: self.default_price.over(current.default_price),
            auto_refill_is_allowed: self.auto_refill_is_allowed.unwrap_or(current.auto_refill_is_allowed),
            auto_refill_once_fill_percent: self
                .auto_refill_once_fill_percent
                .over(current.auto_refill_once_fill_percent),
            auto_refill_min_drop_percent: self
                .auto_refill_min_drop_percent
                .over(current.auto_refill_min_drop_percent),
            auto_refill_max_drop_percent: self
                .auto_refill_max_drop_percent
                .over(current.auto_refill_max_drop_percent),
            auto_refill_max_total_refilled_percent: self
                .auto_refill_max_total_refilled_percent
                .over(current.auto_refill_max_total_refilled_percent),
            max_order_quantity_for_use_throttle: self
                .max_order_quantity_for_use_throttle
                .over(current.max_order_quantity_for_use_throttle),
            order_quantity_ratio: self.order_quantity_ratio.over(current.order_quantity_ratio),
            has_refill: self.has_refill.unwrap_or(current.has_refill),
        }
    }
}

/// Body of `POST users/{id}/user-services/bulk`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserServicesInput {
    /// 1 to 10,000 prices, each service once. A service that has a custom price gets the new one; its refill terms stay.
    pub user_services: Vec<UserServicePrice>,
    /// Sets a price below the least margin all the same, where the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

/// One price of a bulk call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UserServicePrice {
    /// The service.
    pub service_id: ServiceId,
    /// The price.
    pub default_price: Money,
    /// The lowest price; at most the default price. Left out, the customer keeps the one that they have; null takes it away.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub min_price: Patch<Money>,
}

crate::wire!(UserService, UserServiceInput, UserServicePatch, UserServicesInput);
