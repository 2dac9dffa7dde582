//! Combo orders. Each is the purchase of a package; its orders are moderated and completed together.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::ids::{ComboOrderId, PackageId};
use crate::moment::{Time, Timestamp};
use crate::orders::OrderSource;
use crate::payments::UserSummary;

crate::string_enum! {
    /// Status of a combo order.
    ComboStatus {
        InModeration = "in_moderation",
        InProcessing = "in_processing",
        Completed = "completed",
        Canceled = "canceled",
    }
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ComboActions {
    /// Whether the caller can send `POST combo-orders/{id}/approve`.
    pub approvable: bool,
    /// Whether the caller can send `POST combo-orders/{id}/reject`.
    pub rejectable: bool,
    /// Whether the caller can send `POST combo-orders/{id}/complete`.
    pub completable: bool,
}

/// The package of a combo order at the time of purchase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComboPackage {
    /// Id of the package; null if it no longer exists.
    pub id: Option<PackageId>,
    /// Name of the package.
    pub name: String,
    /// Type of the package: `auto` or `manual`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A combo order: one purchase of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComboOrder {
    /// Id of the combo order.
    pub id: ComboOrderId,
    /// Status of the combo order.
    pub status: ComboStatus,
    /// Link to deliver to, as the customer entered it.
    pub url: String,
    /// Channel through which the order was placed.
    pub source: OrderSource,
    /// Package at the time of purchase.
    pub package: ComboPackage,
    /// Customer who bought the package.
    pub user: UserSummary,
    /// Number of orders in the combo order.
    pub orders_count: i64,
    /// Amount charged for all orders together.
    pub cost: Money,
    /// Part of `cost` that was refunded.
    pub refunded: Money,
    /// When the combo order was placed.
    pub created_at: Time,
    /// When the combo order was completed; null until then.
    pub completed_at: Option<Time>,
    /// When the combo order was canceled; null until then.
    pub canceled_at: Option<Time>,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ComboActions,
}

/// Response of `GET combo-orders/in-moderation-count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComboCount {
    /// Number of combo orders in moderation.
    pub count: i64,
}

crate::json_bodies!(ComboOrder, ComboCount);
