//! Withdrawals: payouts that customers request. The panel holds the money until staff pay or reject a withdrawal.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::NamedRef;
use crate::ids::{PaymentMethodId, UserId, WithdrawalId};
use crate::moment::{Time, Timestamp};
use crate::payments::{BalanceType, UserSummary};

crate::string_enum! {
    /// Status of a withdrawal. `paid` and `rejected` are final.
    WithdrawalStatus { Pending = "pending", Approved = "approved", Paid = "paid", Rejected = "rejected" }
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct WithdrawalActions {
    /// Whether the caller can send `POST …/{id}/approve`.
    pub approve: bool,
    /// Whether the caller can send `POST …/{id}/mark-as-paid`.
    pub paid: bool,
    /// Whether the caller can send `POST …/{id}/reject`.
    pub reject: bool,
    /// Whether the caller cannot mark the withdrawal as paid only because they approved it. Another staff member must mark it as
    /// paid.
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
    /// Payment method for the payout, by id and name; null if the caller lacks the permission to view payment methods.
    pub withdrawal_method: Option<NamedRef<PaymentMethodId>>,
    /// Reason of the rejection, which the customer sees; null unless rejected.
    pub admin_note: Option<String>,
    /// Comment of the customer; null if there is none.
    pub user_comment: Option<String>,
    /// Id of the transfer that paid the withdrawal; null until the withdrawal is paid.
    pub transaction_id: Option<String>,
    /// Status of the withdrawal.
    pub status: WithdrawalStatus,
    /// Amount that the rejection refunded to the balance; 0 for other withdrawals.
    pub refunded: Money,
    /// When the customer requested the withdrawal.
    pub created_at: Time,
    /// When the withdrawal was approved; null until then.
    pub approved_at: Option<Time>,
    /// Staff member who approved the withdrawal, by id and name; null until then.
    pub approved_by: Option<NamedRef<UserId>>,
    /// When the withdrawal was paid; null until then.
    pub paid_at: Option<Time>,
    /// When the withdrawal was rejected; null until then.
    pub rejected_at: Option<Time>,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// Customer who requested the withdrawal.
    pub user: UserSummary,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: WithdrawalActions,
}

/// Body of `POST withdrawals/{id}/reject`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectWithdrawalInput {
    /// Reason of the rejection, which the customer sees, 1 to 1,000 characters.
    pub admin_note: String,
}

/// Body of `POST withdrawals/{id}/mark-as-paid`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PaidWithdrawalInput {
    /// Id of the transfer: 1 to 200 characters on one line, unique per payment method.
    pub transaction_id: String,
}

crate::json_bodies!(Withdrawal, RejectWithdrawalInput, PaidWithdrawalInput);
