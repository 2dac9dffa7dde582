//! Invoices for deposits of customers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::NamedRef;
use crate::ids::{CouponId, InvoiceId, PaymentMethodId};
use crate::moment::{Time, Timestamp};
use crate::payments::UserSummary;

crate::string_enum! {
    /// Status of an invoice. `paid` is final.
    InvoiceStatus { Pending = "pending", Paid = "paid", Canceled = "canceled" }
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct InvoiceActions {
    /// Whether the caller can send `POST …/{id}/mark-as-paid`.
    pub can_be_marked_as_paid: bool,
}

/// The coupon that a customer used for an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvoiceCoupon {
    /// Id of the coupon.
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
    /// Amount that was received, in the panel's currency; null until the invoice is paid.
    pub paid_amount: Option<Money>,
    /// Bonus that the payment method adds to the deposit, in the panel's currency; 0 for none.
    pub bonus_amount: Money,
    /// When the invoice was created.
    pub created_at: Time,
    /// When the invoice was paid; null until then.
    pub paid_at: Option<Time>,
    /// Payment method; null if the caller lacks the permission to view payment methods.
    pub payment_method: Option<NamedRef<PaymentMethodId>>,
    /// Reference of the invoice for the customer and the payment provider.
    pub short_name: String,
    /// Coupon that the customer used; null if there is none.
    pub coupon: Option<InvoiceCoupon>,
    /// Status of the invoice.
    pub status: InvoiceStatus,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// Customer who pays the invoice.
    pub user: UserSummary,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: InvoiceActions,
}

/// Body of `POST invoices/{id}/mark-as-paid`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PayInvoiceInput {
    /// Received amount, positive with at most 6 decimals. It may differ from the invoiced amount; an excess counts towards the
    /// caller's daily limit of manual credits.
    pub amount: Money,
    /// Reason, at most 1,000 characters; required if the received amount exceeds the invoiced amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

crate::json_bodies!(Invoice, PayInvoiceInput);
