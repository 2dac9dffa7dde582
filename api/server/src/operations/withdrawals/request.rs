//! How a withdrawal begins: its customer asks, and the amount is held in the same moment. Staff never begin one.

use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, UserId, WithdrawalId};
use panel_contract::payments::BalanceType;
use panel_contract::webhooks::EventType;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::store;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::ledger::{self, Account};
use panel_platform::work::Work;

/// What a customer asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWithdrawal {
    /// The customer.
    pub user_id: UserId,
    /// How much.
    pub amount: Money,
    /// From which balance: main or referral.
    pub balance_type: BalanceType,
    /// By which payment method.
    pub payment_method_id: PaymentMethodId,
    /// Where to.
    pub account_number: String,
    /// What they say.
    pub user_comment: Option<String>,
}

/// Holds the amount and writes the withdrawal; its id.
///
/// A balance that does not hold as much is 422 on `balance`.
pub async fn request(work: &mut Work, new: &NewWithdrawal) -> Result<WithdrawalId> {
    let account = check(new)?;
    // The customer first: nobody spends what is being held.
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
    let asked = json!({ "status": "pending", "amount": new.amount, "balance_type": new.balance_type, "account_number": account });
    let change = Change { id: id.record(), old: json!({}), new: asked };
    audit::record(work, "withdrawal.requested", "withdrawal", change).await?;
    super::tell(work, id, EventType::WithdrawalCreated, None).await?;
    Ok(id)
}

/// What is asked for must make sense by itself; the account as it is kept.
fn check(new: &NewWithdrawal) -> Result<String, Rejection> {
    if new.amount <= Money::ZERO {
        return Err(Rejection::invalid("amount", "invalid", "Give an amount above zero."));
    }
    if new.balance_type == BalanceType::Task {
        let message = "What quests earned is spent here and not paid out; choose main or referral.";
        return Err(Rejection::invalid("balance_type", "not_withdrawable", message));
    }
    super::fit("account_number", &new.account_number, 200, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_paid_out_is_asked_for() {
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
