//! Combo orders: a package of orders that is bought, moderated and completed as one.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::ids::{ComboOrderId, PackageId};
use crate::moment::{Stamp, Time};
use crate::orders::OrderSource;
use crate::payments::PaymentUser;

crate::words! {
    /// Where a combo order stands.
    ComboStatus {
        InModeration = "in_moderation",
        InProcessing = "in_processing",
        Completed = "completed",
        Canceled = "canceled",
    }
}

/// What the caller may do with it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ComboActions {
    /// `POST combo-orders/{id}/approve`.
    pub approvable: bool,
    /// `POST combo-orders/{id}/reject`.
    pub rejectable: bool,
    /// `POST combo-orders/{id}/complete`.
    pub completable: bool,
}

/// The package of a combo order, as it was bought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComboPackage {
    /// Its id, where it still exists.
    pub id: Option<PackageId>,
    /// Its name.
    pub name: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A combo order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComboOrder {
    /// Its id.
    pub id: ComboOrderId,
    /// Where it stands.
    pub status: ComboStatus,
    /// Where it is delivered: what the customer typed.
    pub url: String,
    /// Where it came from.
    pub source: OrderSource,
    /// What was bought.
    pub package: ComboPackage,
    /// The customer.
    pub user: PaymentUser,
    /// How many orders it is made of.
    pub orders_count: i64,
    /// What they cost.
    pub cost: Money,
    /// What of that went back.
    pub returned: Money,
    /// When it was placed.
    pub created_at: Time,
    /// When it was completed.
    pub completed_at: Option<Time>,
    /// When it was canceled.
    pub canceled_at: Option<Time>,
    /// When it last changed.
    pub updated_at: Stamp,
    /// What the caller may do now.
    pub actions: ComboActions,
}

/// How many combo orders wait for moderation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComboCount {
    /// So many.
    pub count: i64,
}

crate::wire!(ComboOrder, ComboCount);
