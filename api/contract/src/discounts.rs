//! Discounts as they cross the wire: a share off the price of some services, for a while.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Fraction;
use crate::common::{Named, Patch};
use crate::ids::{DiscountId, ServiceId};
use crate::moment::{Stamp, Time};

crate::words! {
    /// Where a discount or a coupon stands; computed from what is known of it, never kept.
    PromotionStatus {
        Active = "active",
        Scheduled = "scheduled",
        Completed = "completed",
        Disabled = "disabled",
        Archived = "archived",
    }
}

/// One row of the discounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiscountRow {
    /// The discount's id.
    pub id: DiscountId,
    /// What staff call it.
    pub name: String,
    /// When it was made.
    pub created_at: Time,
    /// It runs from then on.
    pub valid_from: Time,
    /// It runs until then; none: until somebody completes it.
    pub valid_to: Option<Time>,
    /// Whether customers see how long it still runs.
    pub is_countdown_enabled: bool,
    /// ISO codes of the countries whose customers have it; none for all of them.
    pub countries: Vec<String>,
    /// Services that it lowers.
    pub services_count: i64,
    /// The largest share that it takes off.
    pub discount_percent: Fraction,
    /// Archived; completed by hand or by its end; scheduled before its beginning; disabled while none of its services is
    /// on sale; active.
    pub status: PromotionStatus,
    /// What the caller may do with it.
    pub actions: DiscountActions,
}

/// What the caller may do with a discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiscountActions {
    /// Change it.
    pub editable: bool,
    /// End it now, for good.
    pub completable: bool,
    /// Put it away.
    pub archivable: bool,
    /// Bring it back.
    pub unarchivable: bool,
}

/// One discount with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Discount {
    /// What the list shows.
    #[serde(flatten)]
    pub row: DiscountRow,
    /// The services, by name.
    pub services: Vec<DiscountService>,
    /// Other discounts that lower one of its services at the same time; of these the largest share counts, never two.
    pub overlaps: Vec<DiscountOverlap>,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
}

/// A service of a discount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiscountService {
    /// The service.
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// What is taken off its price.
    pub discount_percent: Fraction,
}

/// Another discount on one of the services, at the same time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiscountOverlap {
    /// The service.
    pub service: Named<ServiceId>,
    /// The other discount.
    pub discount: Named<DiscountId>,
    /// What the other takes off.
    pub discount_percent: Fraction,
    /// The other runs from then on.
    pub valid_from: Time,
    /// The other runs until then.
    pub valid_to: Option<Time>,
    /// Whether the other is the one that counts.
    pub is_stronger: bool,
}

/// A discount that runs now, for customers of all countries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunningDiscount {
    /// The discount's id.
    pub id: DiscountId,
    /// Its name.
    pub name: String,
    /// What it takes off.
    pub discount_percent: Fraction,
}

/// A service of a discount, as it is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscountServiceInput {
    /// The service.
    pub id: ServiceId,
    /// Above 0, at most 1, with three decimals.
    pub discount_percent: Fraction,
}

/// Body of `POST discounts` and `PUT discounts/{id}`: what is left out stays. With `dry_run=1` the answer says what would
/// overlap, and nothing is written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DiscountInput {
    /// 1 to 255 characters; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// It runs from then on; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Time>,
    /// It runs until then, after its beginning; null: until somebody completes it.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Time>)]
    pub valid_to: Patch<Time>,
    /// Whether customers see how long it still runs; needs an end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_countdown_enabled: Option<bool>,
    /// ISO codes of the countries whose customers have it; empty for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub countries: Option<Vec<String>>,
    /// All its services, 1 to 10,000. Errors are named `services.N.field`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<DiscountServiceInput>>,
    /// As it was read: refused when somebody changed the discount meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
    /// Sets a price below the least margin all the same, where the setting `min_margin_action` is `warn`.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub confirm_below_margin: bool,
}

crate::wire!(Discount, DiscountRow, DiscountInput);
