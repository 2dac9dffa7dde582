//! Customers request withdrawals, which puts the amount on hold at once. Staff never create a withdrawal.

use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, UserId, WithdrawalId};
use panel_contract::payments::BalanceType;
use panel_contract::webhooks::EventType;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::store;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::ledger::{self, Account};
use panel_platform::work::UnitOfWork;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWithdrawal {
    pub user_id: UserId,
    pub amount: Money,
    /// The balance to withdraw from: main or referral.
    pub balance_type: BalanceType,
    pub payment_method_id: PaymentMethodId,
    pub account_number: String,
    pub user_comment: Option<String>,
}

/// Puts the amount on hold, inserts the withdrawal and returns its id. A balance that is too low is a 422 on `balance`.
pub async fn submit_withdrawal(work: &mut UnitOfWork, withdrawal: &NewWithdrawal) -> Result<WithdrawalId> {
    let account_number = validate(withdrawal)?;
    // Lock the customer first, so that no concurrent request spends the same money.
    if !ledger::lock_balances(work, &[withdrawal.user_id]).await?.contains_key(&withdrawal.user_id) {
        return Err(Error::not_found("user", withdrawal.user_id));
    }
    let (customer_and_method, balance_and_amount) =
        ((withdrawal.user_id, withdrawal.payment_method_id), (withdrawal.balance_type, withdrawal.amount));
    let id = store::insert(
        work,
        customer_and_method,
        &account_number,
        balance_and_amount,
        withdrawal.user_comment.as_deref(),
    )
    .await?;
    let legs = vec![
        (Account::User(withdrawal.user_id, withdrawal.balance_type), Money(-withdrawal.amount.0)),
        (Account::Hold(withdrawal.user_id, withdrawal.balance_type), withdrawal.amount),
    ];
    let hold_posting = super::build_posting("withdrawal_hold", id, withdrawal.payment_method_id, legs);
    ledger::post(work, vec![hold_posting]).await?;
    let new_values = json!({ "status": "pending", "amount": withdrawal.amount, "balance_type": withdrawal.balance_type, "account_number": account_number });
    let change = AuditChange { id: id.as_record_id(), old: json!({}), new: new_values };
    audit::record(work, "withdrawal.requested", "withdrawal", change).await?;
    super::publish_event(work, id, EventType::WithdrawalCreated, None).await?;
    Ok(id)
}

/// Validates the input without the database, and returns the trimmed account number.
fn validate(withdrawal: &NewWithdrawal) -> Result<String, Rejection> {
    if withdrawal.amount <= Money::ZERO {
        return Err(Rejection::invalid("amount", "invalid", "Enter an amount above zero."));
    }
    if withdrawal.balance_type == BalanceType::Task {
        let message = "Money earned by quests cannot be withdrawn. Choose the main or the referral balance.";
        return Err(Rejection::invalid("balance_type", "not_withdrawable", message));
    }
    super::require_text("account_number", &withdrawal.account_number, 200, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_amounts_and_balances_that_cannot_be_withdrawn() {
        let withdrawal = NewWithdrawal {
            user_id: UserId::new(1),
            amount: Money(1),
            balance_type: BalanceType::Referral,
            payment_method_id: PaymentMethodId::new(1),
            account_number: " DE1 ".into(),
            user_comment: None,
        };
        assert_eq!(validate(&withdrawal).as_deref(), Ok("DE1"));
        for invalid in [
            NewWithdrawal { amount: Money::ZERO, ..withdrawal.clone() },
            NewWithdrawal { amount: Money(-1), ..withdrawal.clone() },
            NewWithdrawal { balance_type: BalanceType::Task, ..withdrawal.clone() },
            NewWithdrawal { account_number: " ".into(), ..withdrawal },
        ] {
            assert!(validate(&invalid).is_err(), "{invalid:?}");
        }
    }
}
