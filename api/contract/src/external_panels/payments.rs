//! Payments of this panel to external panels, in the currency of the external panel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::ids::{ExternalPanelId, ExternalPanelPaymentId};
use crate::moment::{Day, Stamp, Time};

/// A recorded payment to an external panel, in its currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelPayment {
    /// Id of the payment.
    pub id: ExternalPanelPaymentId,
    /// Id of the external panel.
    pub external_panel_id: ExternalPanelId,
    /// Day of the payment, not in the future.
    pub date: Day,
    /// Paid amount, positive.
    pub amount: Money,
    /// Fee of the external panel.
    pub fee: Money,
    /// Commission of the payment method.
    pub payment_method_commission: Money,
    /// Bonus of the external panel.
    pub bonus: Money,
    /// Amount credited at the external panel: amount − fee − commission + bonus.
    pub received: Money,
    /// When the payment was recorded.
    pub created_at: Time,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
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
    /// Paid amount, positive; required for a new payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// Fee of the external panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fee: Option<Money>,
    /// Commission of the payment method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_method_commission: Option<Money>,
    /// Bonus of the external panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonus: Option<Money>,
    /// `updated_at` of the payment that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(ExternalPanelPayment, ExternalPanelPaymentInput);
