//! Applies an action to one order or to ten thousand: the same rule, the same statements, one transaction.
//!
//! The rule decides about each order alone. Allowed orders change their state; the others are reported with the reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use panel_contract::amount::Money;
use panel_contract::ids::{OrderId, UserId};
use panel_contract::orders::OrderStatus;
use panel_contract::payments::{BalanceType, PaymentType};
use panel_domain::orders::{self, OrderAction};
use panel_domain::states::cancel_requests::CancelRequestEvent;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::emails::{self, OrderSummary, Recipient};
use crate::marketing::coupons::redeem;
use crate::marketing::order_widgets::intake;
use crate::operations::cancel_requests::store as cancel_requests;
use crate::operations::grades::promotion;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::bulk_result::{BulkActionResult, OrderRefusal};
use crate::operations::orders::commission::{self, OwedCommission};
use crate::operations::orders::store::{self, CancelTexts, OrderEarning, OrderFacts, OrderTransition};
use crate::operations::orders::{undo, webhook_events};
use crate::operations::{combo_orders, manual_credits};
use crate::stores::placement_attempts::ending;
use panel_domain::refund::{self, Share};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::ledger::{self, Account, Cause, Posting};
use panel_platform::mail::Email;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

pub async fn apply(work: &mut UnitOfWork, bulk_action: &BulkAction) -> Result<BulkActionResult> {
    let facts: HashMap<OrderId, OrderFacts> =
        store::lock(work, &bulk_action.ids).await?.into_iter().map(|facts| (facts.id, facts)).collect();
    let mut planner = TransitionPlanner::new(work, bulk_action, &facts).await?;
    let mut applied = BulkActionResult { moved: Vec::new(), refused: Vec::new() };
    for id in &bulk_action.ids {
        match facts.get(id).map(|facts| planner.plan(facts)) {
            None => applied.refused.push((*id, OrderRefusal::Unknown)),
            Some(Err(refusal)) => applied.refused.push((*id, OrderRefusal::Rule(refusal))),
            Some(Ok(moved)) => applied.moved.push(moved),
        }
    }
    if !applied.moved.is_empty() {
        write(work, bulk_action, &applied.moved, &planner.owed).await?;
    }
    Ok(applied)
}

/// Data that the rules need beside the orders themselves.
struct TransitionPlanner<'w> {
    bulk_action: &'w BulkAction,
    shares: HashMap<OrderId, Vec<Share>>,
    /// Main balance of each customer, less the charges that this action planned so far.
    spendable: BTreeMap<UserId, Money>,
    /// Customers of unpaid orders who are frozen or deactivated.
    inactive: BTreeSet<UserId>,
    /// Highest cost of an order that needs no moderation.
    limit: Option<Money>,
    /// Commissions for the orders that this action may charge.
    owed: Vec<OwedCommission>,
}

impl<'w> TransitionPlanner<'w> {
    async fn new(
        work: &mut UnitOfWork,
        bulk_action: &'w BulkAction,
        facts: &HashMap<OrderId, OrderFacts>,
    ) -> Result<Self> {
        let mut shares: HashMap<OrderId, Vec<Share>> = HashMap::new();
        if bulk_action.cancel.as_ref().is_some_and(|cancel| cancel.return_money) {
            for (id, share) in store::load_payment_shares(work, &bulk_action.ids).await? {
                shares.entry(id).or_default().push(share);
            }
        }
        let (mut owed, mut balances, mut limit) = (Vec::new(), BTreeMap::new(), None);
        let mut inactive = BTreeSet::new();
        let unpaid = |facts: &&OrderFacts| facts.status == OrderStatus::Unpaid;
        if bulk_action.action == OrderAction::Activate && facts.values().any(|facts| unpaid(&facts)) {
            limit = settings::maximal_cost_without_approval(work).await?;
            owed = commission::load_owed(work, &bulk_action.ids).await?;
            let charged: BTreeSet<UserId> =
                facts.values().filter(unpaid).map(|facts| facts.user_id).collect();
            // Users who are rewarded below are locked together with the customers, in the order of their ids.
            let mut ids: Vec<UserId> = charged.into_iter().collect();
            ids.extend(intake::owners(work, &bulk_action.ids).await?);
            ids.extend(owed.iter().map(OwedCommission::affiliate_id));
            balances = ledger::balances(work, &ids).await?;
            inactive = store::inactive_customers(work, &ids).await?;
        }
        Ok(Self {
            bulk_action,
            shares,
            spendable: balances.into_iter().map(|(id, user)| (id, user.balance_main)).collect(),
            inactive,
            limit,
            owed,
        })
    }

    fn plan(&mut self, facts: &OrderFacts) -> Result<OrderTransition, Rejection> {
        let mut state = facts.state_above(self.limit);
        state.customer_is_active &= !self.inactive.contains(&facts.user_id);
        let to = orders::judge(self.bulk_action.action, state)?;
        let mut returned = Vec::new();
        if let Some(cancel) = self.bulk_action.cancel.as_ref().filter(|cancel| cancel.return_money) {
            let amount = facts.bill().refund(cancel.amount)?;
            returned = refund::split(amount, self.shares.get(&facts.id).map_or(&[], Vec::as_slice));
            let total: i64 = returned.iter().map(|part| part.1.0).sum();
            if total != amount.0 {
                // A refund must never be smaller than the requested amount; the doctor finds such orders too (`orders_paid`).
                return Err(Rejection::conflict(
                    "order_payments_unknown",
                    "The payments of this order are not recorded, so its cost cannot be refunded to a balance. Cancel it without a refund and pay the customer manually.",
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
        Ok(OrderTransition {
            facts: facts.clone(),
            status: to.status,
            approval: to.approval,
            charged: to.charges,
            returned,
        })
    }
}

async fn write(
    work: &mut UnitOfWork,
    bulk_action: &BulkAction,
    moves: &[OrderTransition],
    owed: &[OwedCommission],
) -> Result<()> {
    let now = work.now;
    let words = bulk_action.cancel.as_ref().map_or_else(CancelTexts::default, |cancel| CancelTexts {
        reason: cancel.cancel_reason.map(|reason| reason.to_string()),
        description: cancel
            .cancel_description
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned),
    });
    let before = undo::snapshot(work, bulk_action, moves).await?;
    store::write_transitions(work, moves, &words).await?;
    let charged: Vec<&OrderTransition> = moves.iter().filter(|moved| moved.charged).collect();
    store::record_charges(work, &charged).await?;
    store::record_refunds(work, moves).await?;
    move_money(work, moves, owed).await?;
    manual_credits::count_refunds(work, bulk_action, moves).await?;
    redeem::record_payment(work, &charged.iter().map(|moved| moved.facts.id).collect::<Vec<_>>()).await?;
    let ids = || moves.iter().map(|moved| moved.facts.id).collect::<Vec<_>>();
    match bulk_action.action {
        OrderAction::Cancel => {
            let unpaid = moves.iter().filter(|moved| moved.facts.status == OrderStatus::Unpaid);
            let unpaid: Vec<OrderId> = unpaid.map(|moved| moved.facts.id).collect();
            redeem::reverse_for_cancels(work, &unpaid, &returned(moves)).await?;
            ending::request_cancel(work, &ids(), now).await?;
            ending::end_with_orders(work, &ids(), now).await?;
            cancel_requests::close(work, CancelRequestEvent::OrderCanceled, &returned(moves)).await?;
        }
        OrderAction::Complete => {
            promotion::promote_customers_of(work, &ids()).await?;
            ending::complete_by_hand(work, &ids(), now).await?;
            ending::end_with_orders(work, &ids(), now).await?;
            cancel_requests::close(work, CancelRequestEvent::OrderCompleted, &returned(moves)).await?;
        }
        _ => {}
    }
    let changes = moves.iter().map(|moved| audit_change(moved, &words)).collect();
    audit::record_undoable(work, bulk_action.action.event(), &undo::ORDERS, &before, changes).await?;
    combo_orders::follow_orders(work, &ids()).await?;
    webhook_events::publish_status_changes(work, moves).await?;
    enqueue_emails(work, bulk_action, moves, &words).await
}

/// The refund of each order in this change.
fn returned(moves: &[OrderTransition]) -> Vec<(OrderId, Money)> {
    moves.iter().map(|moved| (moved.facts.id, moved.returned_total())).collect()
}

async fn move_money(work: &mut UnitOfWork, moves: &[OrderTransition], owed: &[OwedCommission]) -> Result<()> {
    let mut postings: Vec<Posting> = moves.iter().filter(|moved| moved.charged).map(charge_posting).collect();
    let refunded: Vec<&OrderTransition> = moves.iter().filter(|moved| !moved.returned.is_empty()).collect();
    if !postings.is_empty() {
        let charged: BTreeSet<OrderId> =
            moves.iter().filter(|moved| moved.charged).map(|moved| moved.facts.id).collect();
        let owed: Vec<OwedCommission> =
            owed.iter().filter(|owed| charged.contains(&owed.id)).copied().collect();
        postings.extend(commission::postings(work, &owed).await?);
        postings.extend(intake::rewards(work, &charged.into_iter().collect::<Vec<_>>()).await?);
    }
    postings.extend(refunded.iter().map(|moved| refund_posting(moved)));
    if !refunded.is_empty() {
        let by_id: HashMap<OrderId, &OrderTransition> =
            refunded.iter().map(|moved| (moved.facts.id, *moved)).collect();
        let ids: Vec<OrderId> = by_id.keys().copied().collect();
        for earned in store::load_earnings(work, &ids).await? {
            if let Some(moved) = by_id.get(&earned.order_id) {
                postings.push(earning_reversal(moved, &earned));
            }
        }
    }
    ledger::post(work, postings).await?;
    Ok(())
}

fn posting(
    kind: &'static str,
    moved: &OrderTransition,
    payment: PaymentType,
    legs: Vec<(Account, Money)>,
) -> Posting {
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

fn charge_posting(moved: &OrderTransition) -> Posting {
    let (user, cost) = (moved.facts.user_id, moved.facts.cost);
    let legs = vec![(Account::User(user, BalanceType::Main), Money(-cost.0)), (Account::Revenue, cost)];
    Posting { spent: Some((user, cost)), ..posting("order_charge", moved, PaymentType::Order, legs) }
}

fn refund_posting(moved: &OrderTransition) -> Posting {
    let (user, total) = (moved.facts.user_id, moved.returned_total());
    let mut legs: Vec<_> =
        moved.returned.iter().map(|(kind, amount)| (Account::User(user, *kind), *amount)).collect();
    legs.push((Account::Revenue, Money(-total.0)));
    Posting {
        spent: Some((user, Money(-total.0))),
        ..posting("order_refund", moved, PaymentType::Refund, legs)
    }
}

/// Takes back the part of an earning that belongs to the refunded share, limited to what the earner still has. A widget's
/// owner and an affiliate can both earn by one order and can be the same user, so each reversal has a cause of its own.
fn earning_reversal(moved: &OrderTransition, earned: &OrderEarning) -> Posting {
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

fn audit_change(moved: &OrderTransition, words: &CancelTexts) -> AuditChange {
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
    AuditChange { id: moved.facts.id.record(), old, new }
}

async fn enqueue_emails(
    work: &mut UnitOfWork,
    bulk_action: &BulkAction,
    moves: &[OrderTransition],
    words: &CancelTexts,
) -> Result<()> {
    let sends_email = bulk_action.cancel.as_ref().is_some_and(|cancel| cancel.send_email_notification);
    let emails: Vec<Job> = moves
        .iter()
        .filter(|moved| sends_email && moved.facts.notify_orders)
        .map(|moved| Job::Mail(email(moved, words)))
        .collect();
    let now = work.now;
    jobs::enqueue(work, &emails, now).await
}

fn email(moved: &OrderTransition, words: &CancelTexts) -> Email {
    let facts = &moved.facts;
    let to = Recipient { name: facts.user_name.clone(), email: facts.user_email.clone() };
    let order = OrderSummary { id: facts.id, name: &facts.name, url: &facts.url };
    let returned = (!moved.returned.is_empty()).then(|| moved.returned_total());
    emails::order_canceled(to, order, words.description.as_deref(), returned)
}
