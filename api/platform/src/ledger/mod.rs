//! The ledger is the only module that moves money: double entry, append-only, each cause at most once.
//!
//! The legs of a posting sum to zero over accounts of customers and of the panel. The row of a customer in `users` also stores the
//! balances, which no other module writes. The ledger writes in the caller's transaction.

mod store;

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::ids::{LedgerTxnId, OrderId, PaymentMethodId, RecordId, UserId};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::{Error, Result};

use crate::db::SqlExecutor;
use crate::metrics::catalogue::{LEDGER_POSTINGS, LEDGER_REJECTIONS};
use crate::work::UnitOfWork;
pub use store::Balances;

/// An account of a customer or of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Account {
    User(UserId, BalanceType),
    /// The part of a customer's balance that is on hold: it belongs to the customer, who cannot spend it.
    Hold(UserId, BalanceType),
    /// Payments of customers for orders.
    Revenue,
    Adjustments,
    /// Commissions paid to referrers.
    ReferralExpense,
    /// Incoming money of payment methods.
    GatewayClearing,
    /// Outgoing money to customers.
    Payouts,
    Bonus,
}

impl Account {
    fn name(self) -> &'static str {
        match self {
            Self::User(_, kind) => kind.as_str(),
            Self::Hold(_, BalanceType::Main) => "hold_main",
            Self::Hold(_, BalanceType::Task) => "hold_task",
            Self::Hold(_, BalanceType::Referral) => "hold_referral",
            Self::Revenue => "revenue",
            Self::Adjustments => "adjustments",
            Self::ReferralExpense => "referral_expense",
            Self::GatewayClearing => "gateway_clearing",
            Self::Payouts => "payouts",
            Self::Bonus => "bonus",
        }
    }

    /// The customer who owns the account; `None` for accounts of the panel.
    fn user(self) -> Option<UserId> {
        match self {
            Self::User(id, _) | Self::Hold(id, _) => Some(id),
            _ => None,
        }
    }
}

/// Identifies why money moves. A unique constraint rejects a second posting with the same cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostingCause {
    /// For example `order_refund`.
    pub kind: &'static str,
    /// The kind of the referenced record, for example `order`.
    pub ref_type: &'static str,
    /// The id of the referenced record.
    pub ref_id: RecordId,
    /// Numbers the causes of one kind on one record, from 0: the second refund of an order has 1.
    pub seq: i64,
}

/// A movement of money between two or more accounts.
#[derive(Debug, Clone)]
pub struct Posting {
    pub cause: PostingCause,
    /// The type that customers see.
    pub kind: PaymentType,
    pub order_id: Option<OrderId>,
    pub payment_method_id: Option<PaymentMethodId>,
    pub comment: Option<String>,
    /// The signed amount for each account; the amounts sum to zero.
    pub legs: Vec<(Account, Money)>,
    /// The amount to add to `users.spent` of this customer.
    pub spent_change: Option<(UserId, Money)>,
    /// Whether to debit at most the balance instead of failing, for money that the customer may have spent in the meantime.
    pub cap_at_balance: bool,
}

/// Posts all postings or none. Locks the customers in the order of their ids.
///
/// Returns a 422 for the field `balance` if a debit exceeds the balance, and a 409 if a cause was posted before.
pub async fn post(work: &mut UnitOfWork, postings: Vec<Posting>) -> Result<Vec<LedgerTxnId>> {
    if postings.is_empty() {
        return Ok(Vec::new());
    }
    let users = lock_users_of(work, &postings).await?;
    post_locked(work, postings, users).await
}

/// As [`post`], for a caller that has locked all these customers in this transaction and has posted nothing since.
pub async fn post_locked(
    work: &mut UnitOfWork,
    postings: Vec<Posting>,
    mut users: BTreeMap<UserId, Balances>,
) -> Result<Vec<LedgerTxnId>> {
    let mut balances_after = Vec::new();
    let mut nonzero_postings = Vec::new();
    for mut posting in postings {
        if posting.cap_at_balance {
            cap_at_balance(&mut posting, &users);
        }
        if posting.legs.iter().all(|leg| leg.1 == Money::ZERO) {
            continue;
        }
        balances_after.push(apply(&posting, &mut users)?);
        nonzero_postings.push(posting);
    }
    let transactions = store::write(work, &nonzero_postings, &balances_after, &users).await?;
    for posting in &nonzero_postings {
        work.count_on_commit(&LEDGER_POSTINGS, posting.cause.kind, 1);
    }
    work.publish_posted(&transactions).await?;
    Ok(transactions)
}

/// Loads the balances of the customers and locks them until the transaction ends.
pub async fn lock_balances(
    work: &mut impl SqlExecutor,
    user_ids: &[UserId],
) -> Result<BTreeMap<UserId, Balances>> {
    store::lock_users(work, user_ids).await
}

async fn lock_users_of(work: &mut UnitOfWork, postings: &[Posting]) -> Result<BTreeMap<UserId, Balances>> {
    let mut ids: Vec<UserId> = postings
        .iter()
        .flat_map(|posting| {
            let legs = posting.legs.iter().filter_map(|leg| leg.0.user());
            legs.chain(posting.spent_change.map(|(user_id, _)| user_id))
        })
        .collect();
    ids.sort_unstable();
    ids.dedup();
    store::lock_users(work, &ids).await
}

/// Reduces a posting with two legs to the balance of the debited account.
fn cap_at_balance(posting: &mut Posting, users: &BTreeMap<UserId, Balances>) {
    let debit = posting.legs.iter().find_map(|(account, amount)| match account {
        Account::User(id, kind) if *amount < Money::ZERO => {
            users.get(id).map(|user| user.spendable(*kind).0.min(-amount.0))
        }
        _ => None,
    });
    if let Some(debit) = debit {
        for (_, amount) in &mut posting.legs {
            amount.0 = debit * amount.0.signum();
        }
    }
}

/// Applies a posting to the loaded balances; returns the balance after each leg, `None` for an account of the panel.
fn apply(posting: &Posting, users: &mut BTreeMap<UserId, Balances>) -> Result<Vec<Option<Money>>> {
    if Money::sum(posting.legs.iter().map(|leg| leg.1))? != Money::ZERO {
        return Err(Error::Internal(format!("the legs of {:?} do not sum to zero", posting.cause)));
    }
    let mut balances_after = Vec::new();
    for (account, amount) in &posting.legs {
        let Some(id) = account.user() else {
            balances_after.push(None);
            continue;
        };
        let user = users.get_mut(&id).ok_or_else(|| Error::not_found("user", id))?;
        let Some(balance) = user.balance_mut(*account) else { continue };
        let old_balance = *balance;
        *balance = old_balance.plus(*amount)?;
        if *balance < Money::ZERO {
            let name = account.name().replace('_', " ");
            let message = format!("The {name} balance holds {old_balance}; {} is needed.", Money(-amount.0));
            LEDGER_REJECTIONS.with_labels(["not_enough_balance"]).increment(1);
            return Err(Error::invalid("balance", "not_enough_balance", message));
        }
        balances_after.push(Some(*balance));
    }
    if let Some((id, change)) = posting.spent_change
        && let Some(user) = users.get_mut(&id)
    {
        user.spent = user.spent.plus(change)?;
    }
    Ok(balances_after)
}
