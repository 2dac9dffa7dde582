//! The ledger, the only module that moves money: double entry, append-only, each cause at most once.
//!
//! The legs of a posting sum to zero over accounts of customers and of the panel. The balances of customers are also stored in their
//! row of `users`, and no other module writes them. Everything happens in the caller's transaction.

mod store;

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::ids::{LedgerTxnId, OrderId, PaymentMethodId, RecordId, UserId};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::{Error, Result};

use crate::db::Source;
use crate::metrics::catalogue::{LEDGER_POSTINGS, LEDGER_REJECTIONS};
use crate::work::UnitOfWork;
pub use store::Balances;

/// An account: one of a customer's, or one of the panel's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Account {
    /// A customer's balance.
    User(UserId, BalanceType),
    /// Held part of a customer's balance: it belongs to the customer but cannot be spent.
    Hold(UserId, BalanceType),
    /// Payments of customers for orders.
    Revenue,
    /// Manual corrections.
    Adjustments,
    /// Commissions paid to referrers.
    ReferralExpense,
    /// Incoming money of payment methods.
    GatewayClearing,
    /// Outgoing money to customers.
    Payouts,
    /// Bonuses on deposits.
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

    /// The customer whose account it is.
    fn user(self) -> Option<UserId> {
        match self {
            Self::User(id, _) | Self::Hold(id, _) => Some(id),
            _ => None,
        }
    }
}

/// Cause of a posting. Each cause is posted once: a unique constraint refuses the second posting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// Such as `order_refund`.
    pub kind: &'static str,
    /// Such as `order`.
    pub ref_type: &'static str,
    /// The id of the referenced record.
    pub ref_id: RecordId,
    /// Counts causes of one kind on one record, from 0.
    pub seq: i64,
}

/// One movement of money.
#[derive(Debug, Clone)]
pub struct Posting {
    /// The cause.
    pub cause: Cause,
    /// The type that customers see.
    pub kind: PaymentType,
    /// The order, where it concerns one.
    pub order_id: Option<OrderId>,
    /// The payment method, where it concerns one.
    pub payment_method_id: Option<PaymentMethodId>,
    /// Comment of staff.
    pub comment: Option<String>,
    /// Amounts with sign; they sum to zero.
    pub legs: Vec<(Account, Money)>,
    /// Change of `users.spent` of this customer.
    pub spent: Option<(UserId, Money)>,
    /// Whether to debit at most the balance instead of failing: for money that the customer may have spent meanwhile.
    pub at_most: bool,
}

/// Posts all postings or none. Locks the customers in the order of their ids.
///
/// A debit above the balance is 422 on `balance`; a cause that was posted before is 409.
pub async fn post(work: &mut UnitOfWork, postings: Vec<Posting>) -> Result<Vec<LedgerTxnId>> {
    if postings.is_empty() {
        return Ok(Vec::new());
    }
    let users = lock(work, &postings).await?;
    post_locked(work, postings, users).await
}

/// As [`post`], for a caller that has locked all these customers in this transaction and posted nothing since.
pub async fn post_locked(
    work: &mut UnitOfWork,
    postings: Vec<Posting>,
    mut users: BTreeMap<UserId, Balances>,
) -> Result<Vec<LedgerTxnId>> {
    let mut entries = Vec::new();
    let mut effective = Vec::new();
    for mut posting in postings {
        if posting.at_most {
            cap(&mut posting, &users);
        }
        if posting.legs.iter().all(|leg| leg.1 == Money::ZERO) {
            continue;
        }
        entries.push(apply(&posting, &mut users)?);
        effective.push(posting);
    }
    let transactions = store::write(work, &effective, &entries, &users).await?;
    for posting in &effective {
        work.count_on_commit(&LEDGER_POSTINGS, posting.cause.kind, 1);
    }
    work.publish_posted(&transactions).await?;
    Ok(transactions)
}

/// Balances of the customers, locked until the transaction ends.
pub async fn balances(work: &mut impl Source, user_ids: &[UserId]) -> Result<BTreeMap<UserId, Balances>> {
    store::lock_users(work, user_ids).await
}

async fn lock(work: &mut UnitOfWork, postings: &[Posting]) -> Result<BTreeMap<UserId, Balances>> {
    let mut ids: Vec<UserId> = postings
        .iter()
        .flat_map(|posting| {
            let legs = posting.legs.iter().filter_map(|leg| leg.0.user());
            legs.chain(posting.spent.map(|spent| spent.0))
        })
        .collect();
    ids.sort_unstable();
    ids.dedup();
    store::lock_users(work, &ids).await
}

/// Caps a posting with two legs at the debited balance.
fn cap(posting: &mut Posting, users: &BTreeMap<UserId, Balances>) {
    let debit = posting.legs.iter().find_map(|(account, amount)| match account {
        Account::User(id, kind) if *amount < Money::ZERO => {
            users.get(id).map(|user| user.of(*kind).0.min(-amount.0))
        }
        _ => None,
    });
    if let Some(size) = debit {
        for (_, amount) in &mut posting.legs {
            amount.0 = size * amount.0.signum();
        }
    }
}

/// Applies a posting to the loaded balances; returns the balance after each leg of a customer's account.
fn apply(posting: &Posting, users: &mut BTreeMap<UserId, Balances>) -> Result<Vec<Option<Money>>> {
    if Money::sum(posting.legs.iter().map(|leg| leg.1))? != Money::ZERO {
        return Err(Error::Fault(format!("the legs of {:?} do not sum to zero", posting.cause)));
    }
    let mut after = Vec::new();
    for (account, amount) in &posting.legs {
        let Some(id) = account.user() else {
            after.push(None);
            continue;
        };
        let user = users.get_mut(&id).ok_or_else(|| Error::not_found("user", id))?;
        let Some(balance) = user.account(*account) else { continue };
        let before = *balance;
        *balance = before.plus(*amount)?;
        if *balance < Money::ZERO {
            let name = account.name().replace('_', " ");
            let message = format!("The {name} balance holds {before}; {} is needed.", Money(-amount.0));
            LEDGER_REJECTIONS.with(["not_enough_balance"]).increment(1);
            return Err(Error::invalid("balance", "not_enough_balance", message));
        }
        after.push(Some(*balance));
    }
    if let Some((id, change)) = posting.spent
        && let Some(user) = users.get_mut(&id)
    {
        user.spent = user.spent.plus(change)?;
    }
    Ok(after)
}
