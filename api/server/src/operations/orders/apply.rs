//! Doing an action to one order or to ten thousand: the same rule, the same statements, one transaction.
//!
//! Each order is judged alone; those allowed move, the others are reported with their reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, BulkReach, BulkTotals, Skipped};
use panel_contract::ids::{OrderId, UserId};
use panel_contract::orders::OrderStatus;
use panel_contract::payments::{BalanceType, PaymentType};
use panel_domain::orders::{self, Action};
use panel_domain::states::cancel_requests::CancelRequestEvent;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::emails::{self, OrderSummary, Recipient};
use crate::marketing::coupons::redeem;
use crate::marketing::order_widgets::intake;
use crate::operations::cancel_requests::store as cancel_requests;
use crate::operations::grades::promotion;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::commission::{self, Owed};
use crate::operations::orders::store::{self, CancelWords, Earned, Facts, Moved};
use crate::operations::orders::{tell, undo};
use crate::operations::{combo_orders, manual_credits};
use crate::stores::placement_attempts::ending;
use panel_domain::refund::{self, Share};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::ledger::{self, Account, Cause, Posting};
use panel_platform::mail::Email;
use panel_platform::settings;
use panel_platform::work::Work;

/// Why an order was left as it was.
enum Refused {
    Unknown,
    Rule(Rejection),
}

/// What came of it.
pub struct Applied {
    moved: Vec<Moved>,
    refused: Vec<(OrderId, Refused)>,
}

/// Does it.
pub async fn apply(work: &mut Work, wanted: &BulkAction) -> Result<Applied> {
    let facts: HashMap<OrderId, Facts> =
        store::lock(work, &wanted.ids).await?.into_iter().map(|facts| (facts.id, facts)).collect();
    let mut judge = Judge::new(work, wanted, &facts).await?;
    let mut applied = Applied { moved: Vec::new(), refused: Vec::new() };
    for id in &wanted.ids {
        match facts.get(id).map(|facts| judge.judge(facts)) {
            None => applied.refused.push((*id, Refused::Unknown)),
            Some(Err(refusal)) => applied.refused.push((*id, Refused::Rule(refusal))),
            Some(Ok(moved)) => applied.moved.push(moved),
        }
    }
    if !applied.moved.is_empty() {
        write(work, wanted, &applied.moved, &judge.owed).await?;
    }
    Ok(applied)
}

/// What judging needs beside the orders themselves.
struct Judge<'w> {
    wanted: &'w BulkAction,
    shares: HashMap<OrderId, Vec<Share>>,
    /// What customers can still spend, as this run charges them.
    spendable: BTreeMap<UserId, Money>,
    /// Customers of unpaid orders who are frozen or deactivated.
    inactive: BTreeSet<UserId>,
    /// What an order may cost without moderation.
    limit: Option<Money>,
    /// Commissions for the orders that this run may charge.
    owed: Vec<Owed>,
}

impl<'w> Judge<'w> {
    async fn new(work: &mut Work, wanted: &'w BulkAction, facts: &HashMap<OrderId, Facts>) -> Result<Self> {
        let mut shares: HashMap<OrderId, Vec<Share>> = HashMap::new();
        if wanted.cancel.as_ref().is_some_and(|cancel| cancel.return_money) {
            for (id, share) in store::shares(work, &wanted.ids).await? {
                shares.entry(id).or_default().push(share);
            }
        }
        let (mut owed, mut balances, mut limit) = (Vec::new(), BTreeMap::new(), None);
        let mut inactive = BTreeSet::new();
        let unpaid = |facts: &&Facts| facts.status == OrderStatus::Unpaid;
        if wanted.action == Action::Activate && facts.values().any(|facts| unpaid(&facts)) {
            limit = settings::maximal_cost_without_approval(work).await?;
            owed = commission::owed(work, &wanted.ids).await?;
            let charged: BTreeSet<UserId> =
                facts.values().filter(unpaid).map(|facts| facts.user_id).collect();
            // Whoever is rewarded below is locked at once with the customers, in the order of their ids.
            let mut ids: Vec<UserId> = charged.into_iter().collect();
            ids.extend(intake::owners(work, &wanted.ids).await?);
            ids.extend(owed.iter().map(Owed::affiliate_id));
            balances = ledger::balances(work, &ids).await?;
            inactive = store::inactive_customers(work, &ids).await?;
        }
        Ok(Self {
            wanted,
            shares,
            spendable: balances.into_iter().map(|(id, user)| (id, user.balance_main)).collect(),
            inactive,
            limit,
            owed,
        })
    }

    fn judge(&mut self, facts: &Facts) -> Result<Moved, Rejection> {
        let mut state = facts.state_above(self.limit);
        state.customer_is_active &= !self.inactive.contains(&facts.user_id);
        let to = orders::judge(self.wanted.action, state)?;
        let mut returned = Vec::new();
        if let Some(cancel) = self.wanted.cancel.as_ref().filter(|cancel| cancel.return_money) {
            let amount = facts.bill().refund(cancel.amount)?;
            returned = refund::split(amount, self.shares.get(&facts.id).map_or(&[], Vec::as_slice));
            let total: i64 = returned.iter().map(|part| part.1.0).sum();
            if total != amount.0 {
                // Less must never go back silently; the doctor finds such orders too (`orders_paid`).
                return Err(Rejection::conflict(
                    "order_payments_unknown",
                    "What paid for this order is not recorded, so no balance can get money back; cancel it without money and pay by hand.",
                ));
            }
        }
        if to.charges {
            let balance = self.spendable.entry(facts.user_id).or_default();
            if *balance < facts.cost {
                let message =
                    format!("The customer's balance holds {balance}; the order costs {}.", facts.cost);
                return Err(Rejection::invalid("balance", "not_enough_balance", message));
            }
            balance.0 -= facts.cost.0;
        }
        Ok(Moved {
            facts: facts.clone(),
            status: to.status,
            approval: to.approval,
            charged: to.charges,
            returned,
        })
    }
}

async fn write(work: &mut Work, wanted: &BulkAction, moves: &[Moved], owed: &[Owed]) -> Result<()> {
    let now = work.now;
    let words = wanted.cancel.as_ref().map_or_else(CancelWords::default, |cancel| CancelWords {
        reason: cancel.cancel_reason.map(|reason| reason.to_string()),
        description: cancel
            .cancel_description
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned),
    });
    let before = undo::before(work, wanted, moves).await?;
    store::write_moves(work, moves, &words).await?;
    let charged: Vec<&Moved> = moves.iter().filter(|moved| moved.charged).collect();
    store::write_payments(work, &charged).await?;
    store::write_returns(work, moves).await?;
    move_money(work, moves, owed).await?;
    manual_credits::count_refunds(work, wanted, moves).await?;
    redeem::paid(work, &charged.iter().map(|moved| moved.facts.id).collect::<Vec<_>>()).await?;
    let ids = || moves.iter().map(|moved| moved.facts.id).collect::<Vec<_>>();
    match wanted.action {
        Action::Cancel => {
            let unpaid = moves.iter().filter(|moved| moved.facts.status == OrderStatus::Unpaid);
            let unpaid: Vec<OrderId> = unpaid.map(|moved| moved.facts.id).collect();
            redeem::follow_cancels(work, &unpaid, &returned(moves)).await?;
            ending::request_cancel(work, &ids(), now).await?;
            ending::end_with_orders(work, &ids(), now).await?;
            cancel_requests::close(work, CancelRequestEvent::OrderCanceled, &returned(moves)).await?;
        }
        Action::Complete => {
            promotion::promote_customers_of(work, &ids()).await?;
            ending::complete_by_hand(work, &ids(), now).await?;
            ending::end_with_orders(work, &ids(), now).await?;
            cancel_requests::close(work, CancelRequestEvent::OrderCompleted, &returned(moves)).await?;
        }
        _ => {}
    }
    let changes = moves.iter().map(|moved| changed(moved, &words)).collect();
    audit::record_undoable(work, wanted.action.event(), &undo::ORDERS, &before, changes).await?;
    combo_orders::follow_orders(work, &ids()).await?;
    tell::moved(work, moves).await?;
    enqueue_emails(work, wanted, moves, &words).await
}

/// What each order returned with this change.
fn returned(moves: &[Moved]) -> Vec<(OrderId, Money)> {
    moves.iter().map(|moved| (moved.facts.id, moved.returned_total())).collect()
}

async fn move_money(work: &mut Work, moves: &[Moved], owed: &[Owed]) -> Result<()> {
    let mut postings: Vec<Posting> = moves.iter().filter(|moved| moved.charged).map(charge).collect();
    let refunded: Vec<&Moved> = moves.iter().filter(|moved| !moved.returned.is_empty()).collect();
    if !postings.is_empty() {
        let charged: BTreeSet<OrderId> =
            moves.iter().filter(|moved| moved.charged).map(|moved| moved.facts.id).collect();
        let owed: Vec<Owed> = owed.iter().filter(|owed| charged.contains(&owed.id)).copied().collect();
        postings.extend(commission::postings(work, &owed).await?);
        postings.extend(intake::rewards(work, &charged.into_iter().collect::<Vec<_>>()).await?);
    }
    postings.extend(refunded.iter().map(|moved| give_back(moved)));
    if !refunded.is_empty() {
        let by_id: HashMap<OrderId, &Moved> = refunded.iter().map(|moved| (moved.facts.id, *moved)).collect();
        let ids: Vec<OrderId> = by_id.keys().copied().collect();
        for earned in store::commissions(work, &ids).await? {
            if let Some(moved) = by_id.get(&earned.order_id) {
                postings.push(take_back(moved, &earned));
            }
        }
    }
    ledger::post(work, postings).await?;
    Ok(())
}

fn posting(kind: &'static str, moved: &Moved, payment: PaymentType, legs: Vec<(Account, Money)>) -> Posting {
    Posting {
        cause: Cause {
            kind,
            ref_type: "order",
            ref_id: moved.facts.id.record(),
            seq: moved.facts.refund_seq,
        },
        kind: payment,
        order_id: Some(moved.facts.id),
        payment_method_id: None,
        comment: None,
        legs,
        spent: None,
        at_most: false,
    }
}

fn charge(moved: &Moved) -> Posting {
    let (user, cost) = (moved.facts.user_id, moved.facts.cost);
    let legs = vec![(Account::User(user, BalanceType::Main), Money(-cost.0)), (Account::Revenue, cost)];
    Posting { spent: Some((user, cost)), ..posting("order_charge", moved, PaymentType::Order, legs) }
}

fn give_back(moved: &Moved) -> Posting {
    let (user, total) = (moved.facts.user_id, moved.returned_total());
    let mut legs: Vec<_> =
        moved.returned.iter().map(|(kind, amount)| (Account::User(user, *kind), *amount)).collect();
    legs.push((Account::Revenue, Money(-total.0)));
    Posting {
        spent: Some((user, Money(-total.0))),
        ..posting("order_refund", moved, PaymentType::Refund, legs)
    }
}

/// What was earned by the returned share, as far as its owner still has it. A widget's owner and an affiliate both earn by
/// one order, maybe as one person: each earning is taken back by a cause of its own.
fn take_back(moved: &Moved, earned: &Earned) -> Posting {
    let left = (moved.facts.cost.0 - moved.facts.refunded.0).max(1);
    let share = i128::from(earned.amount.0) * i128::from(moved.returned_total().0) / i128::from(left);
    let amount = Money(i64::try_from(share).unwrap_or(earned.amount.0).min(earned.amount.0));
    let legs = vec![
        (Account::User(earned.user_id, BalanceType::Referral), Money(-amount.0)),
        (Account::ReferralExpense, amount),
    ];
    let kind = if earned.by_widget { "order_widget_reward_reversal" } else { "commission_reversal" };
    Posting { at_most: true, ..posting(kind, moved, PaymentType::Referral, legs) }
}

fn changed(moved: &Moved, words: &CancelWords) -> Change {
    let old = json!({ "status": moved.facts.status, "approval": moved.facts.approval });
    let mut new = json!({ "status": moved.status, "approval": moved.approval });
    if moved.status == OrderStatus::Canceled {
        new["returned"] = json!(moved.returned_total());
        new["cancel_reason"] = json!(words.reason);
        new["cancel_description"] = json!(words.description);
    }
    if moved.is_stuck() {
        new["has_no_active_providers"] = json!(true);
    }
    if moved.charged {
        new["charged"] = json!(moved.facts.cost);
    }
    Change { id: moved.facts.id.record(), old, new }
}

async fn enqueue_emails(
    work: &mut Work,
    wanted: &BulkAction,
    moves: &[Moved],
    words: &CancelWords,
) -> Result<()> {
    let tell = wanted.cancel.as_ref().is_some_and(|cancel| cancel.send_email_notification);
    let emails: Vec<Job> = moves
        .iter()
        .filter(|moved| tell && moved.facts.notify_orders)
        .map(|moved| Job::Mail(email(moved, words)))
        .collect();
    let now = work.now;
    jobs::enqueue(work, &emails, now).await
}

fn email(moved: &Moved, words: &CancelWords) -> Email {
    let facts = &moved.facts;
    let to = Recipient { name: facts.user_name.clone(), email: facts.user_email.clone() };
    let order = OrderSummary { id: facts.id, name: &facts.name, url: &facts.url };
    let returned = (!moved.returned.is_empty()).then(|| moved.returned_total());
    emails::order_canceled(to, order, words.description.as_deref(), returned)
}

impl Applied {
    /// The one order of a single action, or its refusal as an error.
    pub fn single(self) -> Result<()> {
        match self.refused.into_iter().next() {
            None => Ok(()),
            Some((id, Refused::Unknown)) => Err(Error::not_found("order", id)),
            Some((_, Refused::Rule(refusal))) => Err(refusal.into()),
        }
    }

    /// The money that went back to customers.
    pub fn returned(&self) -> Result<Money> {
        Ok(Money::sum(self.moved.iter().map(Moved::returned_total))?)
    }

    /// The money that customers were charged.
    pub fn charged(&self) -> Result<Money> {
        Ok(Money::sum(self.moved.iter().filter(|moved| moved.charged).map(|moved| moved.facts.cost))?)
    }

    /// What came of orders that follow what they belong to: those that had moved on by themselves stay as they are;
    /// any other refusal (money that cannot go back) refuses the whole.
    pub fn followed(self) -> Result<Vec<OrderId>> {
        for (_, refused) in self.refused {
            if let Refused::Rule(refusal) = refused
                && !refusal.code.starts_with("order_not_")
            {
                return Err(refusal.into());
            }
        }
        Ok(self.moved.into_iter().map(|moved| moved.facts.id).collect())
    }

    /// Why each order that stayed as it was did so, by id.
    #[must_use]
    pub fn refusals(self) -> Vec<(OrderId, String)> {
        self.refused.into_iter().map(|(id, refused)| (id, skipped(id, refused).message)).collect()
    }

    /// The orders that moved, and why the others stayed as they were.
    #[must_use]
    pub fn into_parts(self) -> (Vec<Moved>, Vec<Skipped>) {
        (self.moved, self.refused.into_iter().map(|(id, refused)| skipped(id, refused)).collect())
    }

    /// The answer of a bulk action; when nothing moved, that is an error which says why.
    pub fn bulk(self, dry_run: bool) -> Result<BulkOutcome> {
        let paid = self.moved.iter().filter(|moved| !moved.returned.is_empty());
        let reach = BulkReach {
            users: distinct(paid.map(|moved| moved.facts.user_id)),
            services: distinct(self.moved.iter().map(|moved| moved.facts.service_id)),
            customers: distinct(self.moved.iter().map(|moved| moved.facts.user_id)),
        };
        let processed = i64::try_from(self.moved.len()).unwrap_or(i64::MAX);
        let returned = self.returned()?;
        let charged = self.charged()?;
        let totals = BulkTotals { orders: processed, returned, charged, ..reach.totals() };
        let skipped: Vec<Skipped> =
            self.refused.into_iter().map(|(id, refused)| skipped(id, refused)).collect();
        if processed == 0 {
            return Err(Error::nothing_processed("order_ids", "orders", skipped));
        }
        Ok(BulkOutcome { processed, skipped, totals, dry_run, undo: None, costs: None, reach })
    }
}

/// The ids ascending, each once.
pub(crate) fn distinct<I: Ord>(ids: impl Iterator<Item = I>) -> Vec<I> {
    ids.collect::<BTreeSet<_>>().into_iter().collect()
}

fn skipped(id: OrderId, refused: Refused) -> Skipped {
    match refused {
        Refused::Unknown => {
            Skipped { id: id.record(), code: "not_found".into(), message: format!("There is no order {id}.") }
        }
        Refused::Rule(refusal) => {
            Skipped { id: id.record(), code: refusal.code.into(), message: refusal.message }
        }
    }
}
