//! Placement attempts of an order at providers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ExternalStatus;
use crate::amount::Money;
use crate::common::Named;
use crate::ids::{ExternalOrderId, ExternalPanelId, ProviderId};
use crate::moment::Time;

/// A placement attempt of an order at a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderAttempt {
    /// Id of the attempt in this panel.
    pub id: ExternalOrderId,
    /// Id of the order at the external panel; null until it is known.
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
    /// Units of the order that this quantity covers; different where the service has a quantity ratio.
    #[serde(default)]
    pub sold_quantity: i64,
    /// Undelivered units, where the external panel reports them.
    pub remains: Option<i64>,
    /// Count at the start of the delivery; null until the external panel reports it.
    pub start_count: Option<i64>,
    /// Last error message of the external panel.
    pub last_error: Option<String>,
    /// Last request, without the API token.
    pub last_request: Option<String>,
    /// Last response of the external panel, as text.
    pub last_answer: Option<String>,
    /// Names of customer parameters that were not sent, because the external panel does not accept them.
    #[serde(default)]
    pub not_forwarded: Vec<String>,
    /// Since when the attempt needs the attention of staff.
    pub alert_at: Option<Time>,
    /// Whether the outcome is unknown: the request was sent, but it is not known whether the external panel accepted it.
    pub is_unknown: bool,
    /// When cancellation was requested at the external panel.
    pub cancel_requested_at: Option<Time>,
    /// When the attempt was created.
    pub created_at: Time,
}
