//! Payments of this panel to external panels, in the currency of the external panel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::ids::{ExternalPanelId, ExternalPanelPaymentId};
use crate::moment::{Day, Time, Timestamp};

/// A recorded payment to an external panel. All amounts are in its currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelPayment {
    /// Id of the recorded payment.
    pub id: ExternalPanelPaymentId,
    /// Id of the external panel.
    pub external_panel_id: ExternalPanelId,
    /// Day of the payment, not in the future.
    pub date: Day,
    /// Amount that was paid, above 0.
    pub amount: Money,
    /// Fee that the external panel deducted.
    pub fee: Money,
    /// Commission that the payment method deducted.
    pub payment_method_commission: Money,
    /// Bonus that the external panel added.
    pub bonus: Money,
    /// Amount credited at the external panel: amount − fee − commission + bonus.
    pub received: Money,
    /// When the payment was recorded.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ExternalPanelPaymentActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelPaymentActions {
    /// Whether `PUT external-panel-payments/{id}` is allowed.
    pub editable: bool,
    /// Whether `DELETE external-panel-payments/{id}` is allowed.
    pub deletable: bool,
}

/// Body of `POST external-panel-payments` and `PUT external-panel-payments/{id}`. Absent fields of an update keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExternalPanelPaymentInput {
    /// Id of the external panel; required for a new payment, and unchanged in an update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_panel_id: Option<ExternalPanelId>,
    /// Day of the payment, not in the future; required for a new payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
    /// Amount that was paid, above 0; required for a new payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// Fee that the external panel deducted; defaults to 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fee: Option<Money>,
    /// Commission that the payment method deducted; defaults to 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_method_commission: Option<Money>,
    /// Bonus that the external panel added; defaults to 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonus: Option<Money>,
    /// `updated_at` of the payment that the editor read; 409 `stale_record` if the payment has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

crate::json_bodies!(ExternalPanelPayment, ExternalPanelPaymentInput);
