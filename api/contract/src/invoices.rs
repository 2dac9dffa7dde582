//! Invoices: money that customers said they would send.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::Named;
use crate::ids::{CouponId, InvoiceId, PaymentMethodId};
use crate::moment::{Stamp, Time};
use crate::payments::PaymentUser;

crate::words! {
    /// Where an invoice stands. Paid is final.
    InvoiceStatus { Pending = "pending", Paid = "paid", Canceled = "canceled" }
}

/// What the caller may do with it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct InvoiceActions {
    /// `POST …/{id}/mark-as-paid`.
    pub can_be_marked_as_paid: bool,
}

/// The coupon of an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvoiceCoupon {
    /// Its id.
    pub id: CouponId,
    /// What the customer typed.
    pub code: String,
}

/// An invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Invoice {
    /// Its id.
    pub id: InvoiceId,
    /// What the customer said they would send.
    pub amount: Money,
    /// What came in, once it is paid.
    pub paid_amount: Option<Money>,
    /// What the payment method added to it.
    pub bonus_amount: Money,
    /// When it was made.
    pub created_at: Time,
    /// When it was paid.
    pub paid_at: Option<Time>,
    /// By which payment method; none without the permission to view payment methods.
    pub payment_method: Option<Named<PaymentMethodId>>,
    /// What the customer and the payment method call it.
    pub short_name: String,
    /// The coupon that it was made with.
    pub coupon: Option<InvoiceCoupon>,
    /// Where it stands.
    pub status: InvoiceStatus,
    /// When it last changed.
    pub updated_at: Stamp,
    /// The customer.
    pub user: PaymentUser,
    /// What the caller may do now.
    pub actions: InvoiceActions,
}

/// How an invoice was paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PayInvoiceInput {
    /// What came in: above zero, at most 6 decimals. It may differ from what was invoiced; what is above it counts towards
    /// the caller's daily limit of manual credits.
    pub amount: Money,
    /// Why; at most 1,000 characters. Needed where more came in than was invoiced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

crate::wire!(Invoice, PayInvoiceInput);
