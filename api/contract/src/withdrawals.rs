//! Withdrawals: payouts that customers request. The panel holds the money until staff pay or reject them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::Named;
use crate::ids::{PaymentMethodId, UserId, WithdrawalId};
use crate::moment::{Stamp, Time};
use crate::payments::{BalanceType, PaymentUser};

crate::string_enum! {
    /// Status of a withdrawal. `paid` and `rejected` are final.
    WithdrawalStatus { Pending = "pending", Approved = "approved", Paid = "paid", Rejected = "rejected" }
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct WithdrawalActions {
    /// Whether the caller can call `POST …/{id}/approve`.
    pub approve: bool,
    /// Whether the caller can call `POST …/{id}/mark-as-paid`.
    pub paid: bool,
    /// Whether the caller can call `POST …/{id}/reject`.
    pub reject: bool,
    /// Whether `paid` is false only because the caller approved the withdrawal and another staff member must mark it as paid.
    pub needs_colleague: bool,
}

/// A withdrawal of a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Withdrawal {
    /// Id of the withdrawal.
    pub id: WithdrawalId,
    /// Account to pay to, as the customer entered it.
    pub account_number: String,
    /// Amount of the withdrawal in the panel's currency.
    pub amount: Money,
    /// Balance that the money comes from: `main` or `referral`.
    pub balance_type: BalanceType,
    /// Payment method; null without the permission to view payment methods.
    pub withdrawal_method: Option<Named<PaymentMethodId>>,
    /// Reason of the rejection, for the customer.
    pub admin_note: Option<String>,
    /// Comment of the customer.
    pub user_comment: Option<String>,
    /// Id of the transfer that paid the withdrawal.
    pub transaction_id: Option<String>,
    /// Status of the withdrawal.
    pub status: WithdrawalStatus,
    /// Amount returned to the balance by a rejection.
    pub returned: Money,
    /// When the customer requested the withdrawal.
    pub created_at: Time,
    /// When the withdrawal was approved; null before.
    pub approved_at: Option<Time>,
    /// Staff member who approved the withdrawal.
    pub approved_by: Option<Named<UserId>>,
    /// When the withdrawal was paid; null before.
    pub paid_at: Option<Time>,
    /// When the withdrawal was rejected; null before.
    pub rejected_at: Option<Time>,
    /// When the record last changed.
    pub updated_at: Stamp,
    /// Customer of the withdrawal.
    pub user: PaymentUser,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: WithdrawalActions,
}

/// Body of a rejection.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectWithdrawalInput {
    /// Reason for the customer, 1 to 1,000 characters.
    pub admin_note: String,
}

/// Body of the call that marks a withdrawal as paid.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PaidWithdrawalInput {
    /// Id of the transfer: 1 to 200 characters on one line, unique per payment method.
    pub transaction_id: String,
}

crate::wire!(Withdrawal, RejectWithdrawalInput, PaidWithdrawalInput);
