//! External orders: each is one attempt to place an order at an external panel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::NamedRef;
use crate::ids::{ExternalOrderId, ExternalPanelId, ImportableServiceId, OrderId, ProviderId, ServiceId};
use crate::moment::{Time, Timestamp};
use crate::orders::{ExternalStatus, OrderStatus};

/// The order that an external order belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AttemptedOrder {
    /// Id of the order.
    pub id: OrderId,
    /// English name of the ordered service.
    pub name: String,
    /// Status of the order in this panel.
    pub status: OrderStatus,
    /// Quantity of the order in units.
    pub quantity: i64,
    /// Units of the order delivered so far, by all providers.
    pub current_quantity: i64,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelOrderActions {
    /// Whether the caller can send `POST external-panel-orders/{id}/recreate`.
    pub recreatable: bool,
}

/// An external order: one attempt to place an order at an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelOrder {
    /// Id of the external order in this panel.
    pub id: ExternalOrderId,
    /// Order that the external order belongs to.
    pub order: AttemptedOrder,
    /// Service of the order, by id and name.
    pub service: NamedRef<ServiceId>,
    /// Provider that the order was sent to, by id and name.
    pub provider: NamedRef<ProviderId>,
    /// External panel that the order was sent to; null for a provider without one.
    pub external_panel: Option<NamedRef<ExternalPanelId>>,
    /// Id of the service at the external panel; null for a provider without an external panel.
    pub external_panel_service_id: Option<String>,
    /// Service with that id in the list of services of the external panel; null if it is not in the list.
    #[serde(default)]
    pub external_panel_service: Option<NamedRef<ImportableServiceId>>,
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
    /// Quantity that was ordered at the external panel, in its units.
    pub initial_quantity: i64,
    /// Units of the order that `initial_quantity` covers; different if the service has a quantity ratio.
    #[serde(default)]
    pub sold_quantity: i64,
    /// Undelivered units; null unless the external panel reports them.
    pub remains: Option<i64>,
    /// Public counter at the start of the delivery, such as the views before the order; null unless the external panel reports it.
    pub start_count: Option<i64>,
    /// Last error message of the external panel; null if there is none.
    pub last_error: Option<String>,
    /// Last request to the external panel, without the API token; null before the first request.
    pub last_request: Option<String>,
    /// Last response of the external panel; null before the first response.
    pub last_response: Option<String>,
    /// Names of customer parameters that were not sent, because the external panel does not accept them.
    #[serde(default)]
    pub not_forwarded: Vec<String>,
    /// Message of the external panel that this panel does not know, so that the outcome is unknown. Staff can add the message to
    /// the rejection messages of the external panel. Null if there is no such message.
    #[serde(default)]
    pub unknown_message: Option<String>,
    /// Whether the outcome is unknown: the request was sent, but this panel does not know whether the external panel accepted it.
    pub is_unknown: bool,
    /// Whether the external order has been open for unusually long, or needs the attention of staff.
    pub is_stuck: bool,
    /// Time since which the external order needs the attention of staff; null if no attention is needed.
    pub alert_at: Option<Time>,
    /// When the order was sent to the external panel; null until then.
    pub sent_at: Option<Time>,
    /// When cancellation was requested at the external panel; null if no cancellation was requested.
    pub cancel_requested_at: Option<Time>,
    /// When the external order ended, with any result; null while it is open.
    pub ended_at: Option<Time>,
    /// When the external order was created.
    pub created_at: Time,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ExternalPanelOrderActions,
}

crate::json_bodies!(ExternalPanelOrder);
