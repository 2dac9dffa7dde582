//! Withdrawals: money that customers want back, held until it is paid out or refused.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::Money;
use crate::common::Named;
use crate::ids::{PaymentMethodId, UserId, WithdrawalId};
use crate::moment::{Stamp, Time};
use crate::payments::{BalanceType, PaymentUser};

crate::words! {
    /// Where a withdrawal stands. Paid and rejected are final.
    WithdrawalStatus { Pending = "pending", Approved = "approved", Paid = "paid", Rejected = "rejected" }
}

/// What the caller may do with it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct WithdrawalActions {
    /// `POST …/{id}/approve`.
    pub approve: bool,
    /// `POST …/{id}/mark-as-paid`.
    pub paid: bool,
    /// `POST …/{id}/reject`.
    pub reject: bool,
    /// Whether `paid` is refused only because the caller approved the withdrawal: a colleague marks it as paid.
    pub needs_colleague: bool,
}

/// A withdrawal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Withdrawal {
    /// Its id.
    pub id: WithdrawalId,
    /// Where the money goes: what the customer typed.
    pub account_number: String,
    /// How much.
    pub amount: Money,
    /// The balance it is taken from: `main` or `referral`.
    pub balance_type: BalanceType,
    /// By which payment method; null without the permission to view payment methods.
    pub withdrawal_method: Option<Named<PaymentMethodId>>,
    /// Why it was rejected.
    pub admin_note: Option<String>,
    /// What the customer said.
    pub user_comment: Option<String>,
    /// The transfer that paid it.
    pub transaction_id: Option<String>,
    /// Where it stands.
    pub status: WithdrawalStatus,
    /// What went back to the balance when it was rejected.
    pub returned: Money,
    /// When the customer asked.
    pub created_at: Time,
    /// When it was approved.
    pub approved_at: Option<Time>,
    /// The staff member who approved it.
    pub approved_by: Option<Named<UserId>>,
    /// When it was paid.
    pub paid_at: Option<Time>,
    /// When it was rejected.
    pub rejected_at: Option<Time>,
    /// When it last changed.
    pub updated_at: Stamp,
    /// The customer.
    pub user: PaymentUser,
    /// What the caller may do now.
    pub actions: WithdrawalActions,
}

/// Why a withdrawal is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectWithdrawalInput {
    /// For the customer; 1 to 1,000 characters.
    pub admin_note: String,
}

/// How a withdrawal was paid.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PaidWithdrawalInput {
    /// The transfer's id: 1 to 200 characters on one line, unique for the payment method.
    pub transaction_id: String,
}

crate::wire!(Withdrawal, RejectWithdrawalInput, PaidWithdrawalInput);
