//! Payments: movements of money on customers' balances.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::{Choice, Named};
use crate::ids::{OrderId, PaymentId, PaymentMethodId, UserId};
use crate::moment::Time;

crate::string_enum! {
    /// A balance of a customer.
    BalanceType { Main = "main", Task = "task", Referral = "referral" }
}

crate::string_enum! {
    /// Direction of a movement: credit or debit.
    TransactionType { Income = "income", Outcome = "outcome" }
}

crate::string_enum! {
    /// Type of a payment.
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

/// A row of the payments and transactions lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentRow {
    /// Id of the payment.
    pub id: PaymentId,
    /// Id of the staff member who booked it; null for the system.
    pub admin_id: Option<UserId>,
    /// Amount with sign; negative for a debit.
    pub amount: Money,
    /// Balance after the payment.
    pub balance_after: Money,
    /// Balance that the payment changes.
    pub balance_type: BalanceType,
    /// When the payment was booked.
    pub created_at: Time,
    /// Id of the related order.
    pub order_id: Option<OrderId>,
    /// Payment method of a deposit.
    pub payment_method: Option<Named<PaymentMethodId>>,
    /// Credit (`income`) or debit (`outcome`).
    pub transaction_type: TransactionType,
    /// Type of the payment.
    #[serde(rename = "type")]
    pub kind: PaymentType,
    /// Customer of the payment.
    pub user: PaymentUser,
    /// Comment of staff on a manual payment.
    pub comment: Option<String>,
}

/// The customer of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentUser {
    /// Id of the user.
    pub id: UserId,
    /// Display name of the user.
    pub name: String,
    /// Email address of the user.
    pub email: String,
}

/// Body of a manual credit or debit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ManualPaymentInput {
    /// Id of the customer.
    pub user_id: UserId,
    /// `income` credits, `outcome` debits.
    pub transaction_type: TransactionType,
    /// Positive amount with at most 6 decimals. A debit must not make the balance negative.
    pub amount: Money,
    /// Reason, at most 1,000 characters; required for a credit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Balance that the payment changes.
    pub balance_type: BalanceType,
}

/// Options for forms and filters of payments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentCollections {
    /// Values of `type`.
    pub types: Vec<Choice>,
    /// Values of `transaction_type`.
    pub transaction_types: Vec<Choice>,
    /// Values of `balance_type`.
    pub balance_types: Vec<Choice>,
}

crate::wire!(ManualPaymentInput, PaymentCollections, PaymentRow);
