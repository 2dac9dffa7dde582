//! External orders: attempts to place orders at external panels, one per row.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::Named;
use crate::ids::{ExternalOrderId, ExternalPanelId, ImportableServiceId, OrderId, ProviderId, ServiceId};
use crate::moment::{Stamp, Time};
use crate::orders::{ExternalStatus, OrderStatus};

/// The order of a placement attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AttemptedOrder {
    /// Id of the order.
    pub id: OrderId,
    /// English name of the ordered service.
    pub name: String,
    /// Status of the attempted order.
    pub status: OrderStatus,
    /// Quantity of the order in units.
    pub quantity: i64,
    /// Units delivered so far.
    pub current_quantity: i64,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelOrderActions {
    /// Whether the caller can call `POST external-panel-orders/{id}/recreate`.
    pub recreatable: bool,
}

/// An external order: one attempt to place an order at an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelOrder {
    /// Id of the external order in this panel.
    pub id: ExternalOrderId,
    /// Order with its details.
    pub order: AttemptedOrder,
    /// Service of the order.
    pub service: Named<ServiceId>,
    /// Provider that the order was sent to.
    pub provider: Named<ProviderId>,
    /// External panel that the order was sent to.
    pub external_panel: Option<Named<ExternalPanelId>>,
    /// Id of the service at the external panel.
    pub external_panel_service_id: Option<String>,
    /// The importable service with that id.
    #[serde(default)]
    pub external_panel_service: Option<Named<ImportableServiceId>>,
    /// Id of the order at the external panel; null until it is known.
    pub external_panel_order_id: Option<String>,
    /// Status at the external panel.
    pub status: ExternalStatus,
    /// Amount that the external panel charged, in `currency`.
    pub charge: Money,
    /// Amount that the external panel charged at first, in `currency`.
    pub initial_charge: Money,
    /// Currency code of the external panel.
    pub currency: Option<String>,
    /// Quantity that was ordered at the external panel.
    pub initial_quantity: i64,
    /// Units of the order that `initial_quantity` covers; different where the service has a quantity ratio.
    #[serde(default)]
    pub sold_quantity: i64,
    /// Undelivered units, where the external panel reports them.
    pub remains: Option<i64>,
    /// Count at the start of the delivery, such as views before the order.
    pub start_count: Option<i64>,
    /// Last error message of the external panel.
    pub last_error: Option<String>,
    /// Last request, without the API token.
    pub last_request: Option<String>,
    /// Last response of the external panel.
    pub last_answer: Option<String>,
    /// Names of customer parameters that were not sent, because the external panel does not accept them.
    #[serde(default)]
    pub not_forwarded: Vec<String>,
    /// Message of the external panel that left the outcome unknown. Staff can add it to the panel's rejection messages. Null where
    /// the response has no message that can be recognized again.
    #[serde(default)]
    pub unknown_message: Option<String>,
    /// Whether the outcome is unknown: the request was sent, but the panel has not learned whether the external panel accepted it.
    pub is_unknown: bool,
    /// Whether the external order is open for unusually long or needs attention.
    pub is_stuck: bool,
    /// Since when the external order needs the attention of staff.
    pub alert_at: Option<Time>,
    /// When the external panel order was sent; null before.
    pub sent_at: Option<Time>,
    /// When cancellation was requested at the external panel.
    pub cancel_requested_at: Option<Time>,
    /// When the external panel order was over; null before.
    pub ended_at: Option<Time>,
    /// When the external panel order was created.
    pub created_at: Time,
    /// When the record last changed.
    pub updated_at: Stamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ExternalPanelOrderActions,
}

crate::wire!(ExternalPanelOrder);
