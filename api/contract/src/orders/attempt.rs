//! Placement attempts of an order at providers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ExternalStatus;
use crate::amount::Money;
use crate::common::NamedRef;
use crate::ids::{ExternalOrderId, ExternalPanelId, ProviderId};
use crate::moment::Time;

/// A placement attempt of an order at a provider: one external order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderAttempt {
    /// Id of the external order in this panel.
    pub id: ExternalOrderId,
    /// Id of the order at the external panel; null until it is known.
    pub external_panel_order_id: Option<String>,
    /// Provider that was chosen for the attempt.
    pub provider: NamedRef<ProviderId>,
    /// External panel of the provider; null for a provider without one.
    pub external_panel: Option<NamedRef<ExternalPanelId>>,
    /// Status of the order at the external panel.
    pub status: ExternalStatus,
    /// Amount that the external panel charged, in its currency.
    pub charge: Money,
    /// Quantity in units that was sent to the external panel.
    pub initial_quantity: i64,
    /// Units of the order that this quantity covers; different if the service has a quantity ratio.
    #[serde(default)]
    pub sold_quantity: i64,
    /// Undelivered units; null unless the external panel reports them.
    pub remains: Option<i64>,
    /// Public counter at the start of the delivery; null until the external panel reports it.
    pub start_count: Option<i64>,
    /// Last error message of the external panel; null if there is none.
    pub last_error: Option<String>,
    /// Last request to the external panel, without the API token; null before the first request.
    pub last_request: Option<String>,
    /// Last response of the external panel as a string; null before the first response.
    pub last_response: Option<String>,
    /// Names of customer parameters that were not sent, because the external panel does not accept them.
    #[serde(default)]
    pub not_forwarded: Vec<String>,
    /// Time since which the attempt needs the attention of staff; null if no attention is needed.
    pub alert_at: Option<Time>,
    /// Whether the outcome is unknown: the request was sent, but this panel does not know whether the external panel accepted it.
    pub is_unknown: bool,
    /// When cancellation was requested at the external panel; null if no cancellation was requested.
    pub cancel_requested_at: Option<Time>,
    /// When the attempt was created.
    pub created_at: Time,
}
