//! Billing entries: what staff paid to an external panel, in the panel's currency.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::ids::{ExternalPanelId, ExternalPanelPaymentId};
use crate::moment::{Day, Stamp, Time};

/// Something paid to an external panel, in its currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelPayment {
    /// The id of the billing entry.
    pub id: ExternalPanelPaymentId,
    /// The id of the external panel that was paid.
    pub external_panel_id: ExternalPanelId,
    /// The day of the payment, never in the future.
    pub date: Day,
    /// What staff spent, above 0, in the panel's currency.
    pub amount: Money,
    /// What of it the panel kept.
    pub fee: Money,
    /// What of it the payment method kept.
    pub payment_method_commission: Money,
    /// What the panel gave on top.
    pub bonus: Money,
    /// What arrived on our balance there: amount − fee − commission + bonus.
    pub received: Money,
    /// When it was written down.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: ExternalPanelPaymentActions,
}

/// What the caller may do with a billing entry of an external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalPanelPaymentActions {
    /// Whether `PUT external-panel-payments/{id}` is allowed.
    pub editable: bool,
    /// Whether `DELETE external-panel-payments/{id}` is allowed.
    pub deletable: bool,
}

/// Body of `POST external-panel-payments` and `PUT external-panel-payments/{id}`; an update takes what is absent as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExternalPanelPaymentInput {
    /// The panel; required for a new one, and the same as before in an update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_panel_id: Option<ExternalPanelId>,
    /// The day, not in the future; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
    /// What we spent, above 0; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// What of it the panel kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fee: Option<Money>,
    /// What of it the payment method kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_method_commission: Option<Money>,
    /// What the panel gave on top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonus: Option<Money>,
    /// The entry as the editor read it; a newer one is a 409.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(ExternalPanelPayment, ExternalPanelPaymentInput);
