//! Payments, which are all credits and debits on the balances of customers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::{Choice, NamedRef};
use crate::ids::{OrderId, PaymentId, PaymentMethodId, UserId};
use crate::moment::Time;

crate::string_enum! {
    /// A balance of a customer.
    BalanceType { Main = "main", Task = "task", Referral = "referral" }
}

crate::string_enum! {
    /// Direction of a movement: `income` is a credit, `outcome` a debit.
    TransactionType { Income = "income", Outcome = "outcome" }
}

crate::string_enum! {
    /// Reason of a movement on a balance.
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
    /// Id of the staff member who made the payment; null for the system.
    pub admin_id: Option<UserId>,
    /// Amount in the panel's currency; negative for a debit.
    pub amount: Money,
    /// Balance of the customer after the payment.
    pub balance_after: Money,
    /// Balance that the payment changes.
    pub balance_type: BalanceType,
    /// When the payment was made.
    pub created_at: Time,
    /// Id of the order that the payment belongs to; null if there is none.
    pub order_id: Option<OrderId>,
    /// Payment method of a deposit; null for other payments, or if the caller lacks the permission to view payment methods.
    pub payment_method: Option<NamedRef<PaymentMethodId>>,
    /// Credit (`income`) or debit (`outcome`).
    pub transaction_type: TransactionType,
    /// Reason of the movement.
    #[serde(rename = "type")]
    pub kind: PaymentType,
    /// Customer whose balance changed.
    pub user: UserSummary,
    /// Comment of a staff member on a manual payment; null if there is none.
    pub comment: Option<String>,
}

/// A user with name and email address, such as the customer of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserSummary {
    /// Id of the user.
    pub id: UserId,
    /// Display name of the user.
    pub name: String,
    /// Email address of the user.
    pub email: String,
}

/// Body of `POST payments`: a manual credit or debit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ManualPaymentInput {
    /// Id of the customer whose balance changes.
    pub user_id: UserId,
    /// `income` credits the balance, `outcome` debits it.
    pub transaction_type: TransactionType,
    /// Positive amount with at most 6 decimals. A debit must not make the balance negative.
    pub amount: Money,
    /// Reason, at most 1,000 characters; required for a credit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Balance that the payment changes.
    pub balance_type: BalanceType,
}

/// Response of `GET payments/collections`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentCollections {
    /// Values of `type`.
    pub types: Vec<Choice>,
    /// Values of `transaction_type`.
    pub transaction_types: Vec<Choice>,
    /// Values of `balance_type`.
    pub balance_types: Vec<Choice>,
}

crate::json_bodies!(ManualPaymentInput, PaymentCollections, PaymentRow);
