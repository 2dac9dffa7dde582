//! An order as it was placed at one provider: one attempt to deliver it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ExternalStatus;
use crate::amount::Money;
use crate::common::Named;
use crate::ids::{ExternalOrderId, ExternalPanelId, ProviderId};
use crate::moment::Time;

/// An attempt: this order as it was placed at an external panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderAttempt {
    /// Id of the attempt in this panel.
    pub id: ExternalOrderId,
    /// Its id at the external panel, once known.
    pub external_panel_order_id: Option<String>,
    /// Provider that was chosen for the attempt.
    pub provider: Named<ProviderId>,
    /// External panel of the provider; null for a provider without one.
    pub external_panel: Option<Named<ExternalPanelId>>,
    /// The external panel's status of its order.
    pub status: ExternalStatus,
    /// The external panel's charge, in the external panel's currency.
    pub charge: Money,
    /// Quantity in units that was sent to the external panel.
    pub initial_quantity: i64,
    /// How many of the order's that is for: fewer or more where the service orders by a ratio.
    #[serde(default)]
    pub sold_quantity: i64,
    /// What is still undelivered, where the panel says so.
    pub remains: Option<i64>,
    /// Count of the target when the external panel began; null until it says so.
    pub start_count: Option<i64>,
    /// The external panel's last error, in its words.
    pub last_error: Option<String>,
    /// What was last sent, without the token.
    pub last_request: Option<String>,
    /// The external panel's last answer, as text.
    pub last_answer: Option<String>,
    /// Names of the customer's answers that were not sent, because the panel takes no such parameter.
    #[serde(default)]
    pub not_forwarded: Vec<String>,
    /// Since when a person should look.
    pub alert_at: Option<Time>,
    /// It was sent, and nobody knows whether the panel took it.
    pub is_unknown: bool,
    /// When the panel was asked to cancel it.
    pub cancel_requested_at: Option<Time>,
    /// When the attempt was created.
    pub created_at: Time,
}
