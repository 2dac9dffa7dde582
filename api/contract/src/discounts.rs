//! Discounts: temporary reductions of the prices of services.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Fraction;
use crate::common::{NamedRef, Patch};
use crate::ids::{DiscountId, ServiceId};
use crate::moment::{Time, Timestamp};

crate::string_enum! {
    /// Status of a discount or coupon, which the server computes for each response.
    PromotionStatus {
        Active = "active",
        Scheduled = "scheduled",
        Completed = "completed",
        Disabled = "disabled",
        Archived = "archived",
    }
}

/// A row of the discounts list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiscountRow {
    /// Id of the discount.
    pub id: DiscountId,
    /// Name of the discount, for staff only.
    pub name: String,
    /// When the discount was created.
    pub created_at: Time,
    /// Start of the discount.
    pub valid_from: Time,
    /// End of the discount; null if the discount has no end and runs until staff complete it.
    pub valid_to: Option<Time>,
    /// Whether customers see a countdown to the end of the discount.
    pub is_countdown_enabled: bool,
    /// ISO codes of the countries whose customers get the discount; empty for all countries.
    pub countries: Vec<String>,
    /// Number of discounted services.
    pub services_count: i64,
    /// Largest reduction of the price of one of the services, as a fraction.
    pub discount_fraction: Fraction,
    /// Status: `archived`; `completed` by staff or after its end; `scheduled` before its start; `disabled` while none of its
    /// services is active; otherwise `active`.
    pub status: PromotionStatus,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: DiscountActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiscountActions {
    /// Whether the caller can update the record.
    pub editable: bool,
    /// Whether the caller can complete the discount. A completed discount cannot be started again.
    pub completable: bool,
    /// Whether the caller can archive the record.
    pub archivable: bool,
    /// Whether the caller can restore the archived record.
    pub unarchivable: bool,
}

/// A discount with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Discount {
    /// Fields of a row of the discounts list.
    #[serde(flatten)]
    pub row: DiscountRow,
    /// Discounted services, sorted by name.
    pub services: Vec<DiscountService>,
    /// Other discounts of the same services at overlapping times. The largest discount applies; discounts never add up.
    pub overlaps: Vec<DiscountOverlap>,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// A service of a discount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiscountService {
    /// Id of the service.
    pub id: ServiceId,
    /// Name of the service.
    pub name: String,
    /// Reduction of the price, as a fraction.
    pub discount_fraction: Fraction,
}

/// Another discount of one of the services at an overlapping time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiscountOverlap {
    /// Service of both discounts, by id and name.
    pub service: NamedRef<ServiceId>,
    /// Overlapping discount, by id and name.
    pub discount: NamedRef<DiscountId>,
    /// Reduction of the price of the service by the overlapping discount, as a fraction.
    pub discount_fraction: Fraction,
    /// Start of the overlapping discount.
    pub valid_from: Time,
    /// End of the overlapping discount; null if there is none.
    pub valid_to: Option<Time>,
    /// Whether the overlapping discount is larger and therefore applies.
    pub is_stronger: bool,
}

/// An active discount for customers of all countries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunningDiscount {
    /// Id of the discount.
    pub id: DiscountId,
    /// Name of the discount.
    pub name: String,
    /// Reduction of the price, as a fraction.
    pub discount_fraction: Fraction,
}

/// A service in the body of a discount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscountServiceInput {
    /// Id of the service.
    pub id: ServiceId,
    /// Discount as a fraction: above 0, at most 1, up to three decimals.
    pub discount_fraction: Fraction,
}

/// Body of `POST discounts` and `PUT discounts/{id}`. Absent fields keep their value. With `dry_run=1` the server
/// changes nothing and returns the overlaps.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DiscountInput {
    /// Name of the discount, for staff only, 1 to 255 characters; required for a new discount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Start of the discount; required for a new discount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Time>,
    /// End of the discount, after its start; null lets it run until staff complete it.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Time>)]
    pub valid_to: Patch<Time>,
    /// Whether customers see a countdown; requires an end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_countdown_enabled: Option<bool>,
    /// ISO codes of the countries whose customers get the discount; empty for all countries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub countries: Option<Vec<String>>,
    /// All discounted services, 1 to 10,000. Errors have field names such as `services.N.field`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<DiscountServiceInput>>,
    /// `updated_at` of the discount that the editor read; 409 `stale_record` if the discount has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Accept a price below the minimum margin; only possible if the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

crate::json_bodies!(Discount, DiscountRow, DiscountInput);
