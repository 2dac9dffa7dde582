//! External panel orders: orders as they were placed at external panels, one attempt a row.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::Named;
use crate::ids::{ExternalOrderId, ExternalPanelId, ImportableServiceId, OrderId, ProviderId, ServiceId};
use crate::moment::{Stamp, Time};
use crate::orders::{ExternalStatus, OrderStatus};

/// The order that an attempt is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AttemptedOrder {
    /// The order's id.
    pub id: OrderId,
    /// What is delivered.
    pub name: String,
    /// Where it stands.
    pub status: OrderStatus,
    /// Ordered.
    pub quantity: i64,
    /// Delivered.
    pub current_quantity: i64,
}

/// What the caller may do with an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelOrderActions {
    /// `POST external-panel-orders/{id}/recreate`.
    pub recreatable: bool,
}

/// An order as it was placed at an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelOrder {
    /// The attempt's id here.
    pub id: ExternalOrderId,
    /// The order.
    pub order: AttemptedOrder,
    /// The order's service.
    pub service: Named<ServiceId>,
    /// The provider used.
    pub provider: Named<ProviderId>,
    /// The external panel used.
    pub external_panel: Option<Named<ExternalPanelId>>,
    /// The service's id there.
    pub external_panel_service_id: Option<String>,
    /// That service as the panel's list has it here.
    #[serde(default)]
    pub external_panel_service: Option<Named<ImportableServiceId>>,
    /// Its id there, once known.
    pub external_panel_order_id: Option<String>,
    /// Where it stands there.
    pub status: ExternalStatus,
    /// What the panel charged, in `currency`.
    pub charge: Money,
    /// What it charged at first.
    pub initial_charge: Money,
    /// The panel's currency.
    pub currency: Option<String>,
    /// What it was placed with.
    pub initial_quantity: i64,
    /// How many of the order's that is for: fewer or more where the service orders by a ratio.
    #[serde(default)]
    pub sold_quantity: i64,
    /// What is still undelivered, where the panel says so.
    pub remains: Option<i64>,
    /// The counter when it started.
    pub start_count: Option<i64>,
    /// The panel's last complaint.
    pub last_error: Option<String>,
    /// What was last sent, without the token.
    pub last_request: Option<String>,
    /// What was last answered.
    pub last_answer: Option<String>,
    /// Names of the customer's answers that were not sent, because the panel takes no such parameter.
    #[serde(default)]
    pub not_forwarded: Vec<String>,
    /// The panel's exact words where its answer left open whether it took the order: what staff may teach as a
    /// message of this panel that means "not taken". None where it said nothing that can be recognised again.
    #[serde(default)]
    pub unknown_message: Option<String>,
    /// It was sent, and nobody knows whether the panel took it.
    pub is_unknown: bool,
    /// It is open for longer than is usual, or a person should look.
    pub is_stuck: bool,
    /// Since when a person should look.
    pub alert_at: Option<Time>,
    /// When it was sent.
    pub sent_at: Option<Time>,
    /// When the panel was asked to cancel it.
    pub cancel_requested_at: Option<Time>,
    /// When it was over.
    pub ended_at: Option<Time>,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: ExternalPanelOrderActions,
}

crate::wire!(ExternalPanelOrder);
