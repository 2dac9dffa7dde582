//! Invoices for deposits that customers announced.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::Named;
use crate::ids::{CouponId, InvoiceId, PaymentMethodId};
use crate::moment::{Stamp, Time};
use crate::payments::PaymentUser;

crate::string_enum! {
    /// Status of an invoice. `paid` is final.
    InvoiceStatus { Pending = "pending", Paid = "paid", Canceled = "canceled" }
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct InvoiceActions {
    /// Whether the caller can call `POST …/{id}/mark-as-paid`.
    pub can_be_marked_as_paid: bool,
}

/// The coupon of an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvoiceCoupon {
    /// Id of the invoice coupon.
    pub id: CouponId,
    /// Code that the customer entered.
    pub code: String,
}

/// An invoice for a deposit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Invoice {
    /// Id of the invoice.
    pub id: InvoiceId,
    /// Invoiced amount in the panel's currency.
    pub amount: Money,
    /// Received amount; null before the payment.
    pub paid_amount: Option<Money>,
    /// Bonus of the payment method.
    pub bonus_amount: Money,
    /// When the invoice was created.
    pub created_at: Time,
    /// When the invoice was paid; null before.
    pub paid_at: Option<Time>,
    /// Payment method; null without the permission to view payment methods.
    pub payment_method: Option<Named<PaymentMethodId>>,
    /// Reference of the invoice for the customer and the payment provider.
    pub short_name: String,
    /// Coupon of the invoice.
    pub coupon: Option<InvoiceCoupon>,
    /// Status of the invoice.
    pub status: InvoiceStatus,
    /// When the record last changed.
    pub updated_at: Stamp,
    /// Customer of the invoice.
    pub user: PaymentUser,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: InvoiceActions,
}

/// Body of the call that marks an invoice as paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PayInvoiceInput {
    /// Received amount, positive with at most 6 decimals. It may differ from the invoiced amount; an excess counts towards the
    /// caller's daily limit of manual credits.
    pub amount: Money,
    /// Reason, at most 1,000 characters; required where the received amount exceeds the invoiced amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

crate::wire!(Invoice, PayInvoiceInput);
