//! The only place that moves money: double entry, written once, every cause at most once.
//!
//! A posting's legs sum to zero over customers' accounts and the panel's own. Customers' balances are kept beside the
//! ledger on the users row and never written by anybody else. Everything happens in the caller's transaction.

mod store;

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::ids::{LedgerTxnId, OrderId, PaymentMethodId, RecordId, UserId};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::{Error, Result};

use crate::db::Source;
use crate::metrics::catalogue::{LEDGER_POSTINGS, LEDGER_REJECTIONS};
use crate::work::Work;
pub use store::Balances;

/// An account: one of a customer's, or one of the panel's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Account {
    /// A customer's balance.
    User(UserId, BalanceType),
    /// What is held of one of a customer's balances: theirs, but not to be spent.
    Hold(UserId, BalanceType),
    /// What customers paid for orders.
    Revenue,
    /// Corrections by hand.
    Adjustments,
    /// Commissions paid to those who bring customers.
    ReferralExpense,
    /// Money on its way in from a payment method.
    GatewayClearing,
    /// Money on its way out to customers.
    Payouts,
    /// Money given away with deposits.
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

/// What a posting is for. One cause posts once: the database refuses the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// Such as `order_refund`.
    pub kind: &'static str,
    /// Such as `order`.
    pub ref_type: &'static str,
    /// The id of what it is about.
    pub ref_id: RecordId,
    /// Counts causes of one kind on one record, from 0.
    pub seq: i64,
}

/// One movement of money.
#[derive(Debug, Clone)]
pub struct Posting {
    /// What it is for.
    pub cause: Cause,
    /// What customers see it as.
    pub kind: PaymentType,
    /// The order it is about.
    pub order_id: Option<OrderId>,
    /// The payment method it came by.
    pub payment_method_id: Option<PaymentMethodId>,
    /// A word from the staff.
    pub comment: Option<String>,
    /// Amounts with sign; they sum to zero.
    pub legs: Vec<(Account, Money)>,
    /// How `users.spent` of this customer changes.
    pub spent: Option<(UserId, Money)>,
    /// Takes only what the balance holds, instead of failing: for money that its owner may have spent since.
    pub at_most: bool,
}

/// Moves money: all postings or none. Locks the customers in the order of their ids.
///
/// A debit that a balance cannot bear is 422 on `balance`; a cause that was posted before is 409.
pub async fn post(work: &mut Work, postings: Vec<Posting>) -> Result<Vec<LedgerTxnId>> {
    if postings.is_empty() {
        return Ok(Vec::new());
    }
    let users = lock(work, &postings).await?;
    post_held(work, postings, users).await
}

/// The same for a caller that locked all these customers in this transaction and has moved nothing since.
pub async fn post_held(
    work: &mut Work,
    postings: Vec<Posting>,
    mut users: BTreeMap<UserId, Balances>,
) -> Result<Vec<LedgerTxnId>> {
    let mut entries = Vec::new();
    let mut kept = Vec::new();
    for mut posting in postings {
        if posting.at_most {
            cap(&mut posting, &users);
        }
        if posting.legs.iter().all(|leg| leg.1 == Money::ZERO) {
            continue;
        }
        entries.push(apply(&posting, &mut users)?);
        kept.push(posting);
    }
    let made = store::write(work, &kept, &entries, &users).await?;
    for posting in &kept {
        work.count_on_commit(&LEDGER_POSTINGS, posting.cause.kind, 1);
    }
    work.publish_posted(&made).await?;
    Ok(made)
}

/// Balances of the customers, locked until the transaction ends.
pub async fn balances(work: &mut impl Source, user_ids: &[UserId]) -> Result<BTreeMap<UserId, Balances>> {
    store::lock_users(work, user_ids).await
}

async fn lock(work: &mut Work, postings: &[Posting]) -> Result<BTreeMap<UserId, Balances>> {
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

/// Lowers a two-legged posting to what the debited balance holds.
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

/// Changes the balances in hand; the balance after each leg, for customers' accounts.
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
