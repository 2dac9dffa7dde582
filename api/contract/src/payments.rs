//! Payments: movements of money on customers' balances, as the payments and transactions screens show them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::{Choice, Named};
use crate::ids::{OrderId, PaymentId, PaymentMethodId, UserId};
use crate::moment::Time;

crate::words! {
    /// Which of a customer's balances.
    BalanceType { Main = "main", Task = "task", Referral = "referral" }
}

crate::words! {
    /// Whether the balance grew or shrank.
    TransactionType { Income = "income", Outcome = "outcome" }
}

crate::words! {
    /// What a payment is about.
    PaymentType {
        Deposit = "deposit",
        Order = "order",
        Refund = "refund",
        Bonus = "bonus",
        Manual = "manual",
        Withdrawal = "withdrawal",
        Referral = "referral",
        Task = "task",
    }
}

/// One row of the payments and transactions lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentRow {
    /// The payment's id.
    pub id: PaymentId,
    /// The staff member; none for the system.
    pub admin_id: Option<UserId>,
    /// With sign: negative when the balance shrank.
    pub amount: Money,
    /// The balance after it.
    pub balance_after: Money,
    /// Which balance.
    pub balance_type: BalanceType,
    /// When.
    pub created_at: Time,
    /// The order it is about.
    pub order_id: Option<OrderId>,
    /// The payment method it came by.
    pub payment_method: Option<Named<PaymentMethodId>>,
    /// Grew or shrank.
    pub transaction_type: TransactionType,
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: PaymentType,
    /// The customer.
    pub user: PaymentUser,
    /// A word from the staff.
    pub comment: Option<String>,
}

/// The customer of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentUser {
    /// The user's id.
    pub id: UserId,
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
}

/// A manual payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ManualPaymentInput {
    /// The customer.
    pub user_id: UserId,
    /// `income` credits, `outcome` debits.
    pub transaction_type: TransactionType,
    /// Above zero; at most 6 decimals. A debit may not take the balance below zero.
    pub amount: Money,
    /// Why; at most 1,000 characters. Needed where money is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Which balance.
    pub balance_type: BalanceType,
}

/// What pickers of payments offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentCollections {
    /// Kinds of payment.
    pub types: Vec<Choice>,
    /// Grew or shrank.
    pub transaction_types: Vec<Choice>,
    /// Balances.
    pub balance_types: Vec<Choice>,
}

crate::wire!(ManualPaymentInput, PaymentCollections, PaymentRow);
