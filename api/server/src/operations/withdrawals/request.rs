//! The request of a withdrawal by a customer, which puts the amount on hold at once. Staff never create one.

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
    /// From which balance: main or referral.
    pub balance_type: BalanceType,
    pub payment_method_id: PaymentMethodId,
    pub account_number: String,
    pub user_comment: Option<String>,
}

/// Puts the amount on hold, inserts the withdrawal and returns its id.
///
/// A balance that is too low is 422 on `balance`.
pub async fn request(work: &mut UnitOfWork, new: &NewWithdrawal) -> Result<WithdrawalId> {
    let account = check(new)?;
    // Lock the customer first, so that no concurrent request spends the same money.
    if !ledger::balances(work, &[new.user_id]).await?.contains_key(&new.user_id) {
        return Err(Error::not_found("user", new.user_id));
    }
    let (owner, money) = ((new.user_id, new.payment_method_id), (new.balance_type, new.amount));
    let id = store::insert(work, owner, &account, money, new.user_comment.as_deref()).await?;
    let legs = vec![
        (Account::User(new.user_id, new.balance_type), Money(-new.amount.0)),
        (Account::Hold(new.user_id, new.balance_type), new.amount),
    ];
    let hold = super::posting("withdrawal_hold", id, new.payment_method_id, legs);
    ledger::post(work, vec![hold]).await?;
    let new_values = json!({ "status": "pending", "amount": new.amount, "balance_type": new.balance_type, "account_number": account });
    let change = AuditChange { id: id.record(), old: json!({}), new: new_values };
    audit::record(work, "withdrawal.requested", "withdrawal", change).await?;
    super::publish_event(work, id, EventType::WithdrawalCreated, None).await?;
    Ok(id)
}

/// Checks the input by itself and returns the trimmed account number.
fn check(new: &NewWithdrawal) -> Result<String, Rejection> {
    if new.amount <= Money::ZERO {
        return Err(Rejection::invalid("amount", "invalid", "Enter an amount above zero."));
    }
    if new.balance_type == BalanceType::Task {
        let message = "Money earned by quests cannot be withdrawn. Choose the main or the referral balance.";
        return Err(Rejection::invalid("balance_type", "not_withdrawable", message));
    }
    super::required_text("account_number", &new.account_number, 200, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_amounts_and_balances_that_cannot_be_withdrawn() {
        let new = NewWithdrawal {
            user_id: UserId::new(1),
            amount: Money(1),
            balance_type: BalanceType::Referral,
            payment_method_id: PaymentMethodId::new(1),
            account_number: " DE1 ".into(),
            user_comment: None,
        };
        assert_eq!(check(&new).as_deref(), Ok("DE1"));
        for wrong in [
            NewWithdrawal { amount: Money::ZERO, ..new.clone() },
            NewWithdrawal { amount: Money(-1), ..new.clone() },
            NewWithdrawal { balance_type: BalanceType::Task, ..new.clone() },
            NewWithdrawal { account_number: " ".into(), ..new },
        ] {
            assert!(check(&wrong).is_err(), "{wrong:?}");
        }
    }
}
