//! Applies an action, such as a cancellation, to one or many orders in one transaction, with the same rules and SQL statements.
//!
//! The state machine decides about each order separately. The action changes the orders that it allows; the result names the other
//! orders with the reason.

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
use crate::marketing::order_widgets::widget_orders;
use crate::operations::cancel_requests::store as cancel_requests;
use crate::operations::grades::promotion;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::bulk_result::{BulkActionResult, SkipReason};
use crate::operations::orders::commission::{self, OwedCommission};
use crate::operations::orders::store::{self, CancelTexts, OrderEarning, OrderFacts, OrderTransition};
use crate::operations::orders::{undo, webhook_events};
use crate::operations::{combo_orders, manual_credits};
use crate::stores::placement_attempts::ending;
use panel_domain::refund::{self, BalanceShare};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::ledger::{self, Account, Posting, PostingCause};
use panel_platform::mail::Email;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Applies an action to orders. The result names the changed orders and the skipped orders.
pub async fn apply_action(work: &mut UnitOfWork, bulk_action: &BulkAction) -> Result<BulkActionResult> {
    let orders: HashMap<OrderId, OrderFacts> =
        store::lock(work, &bulk_action.ids).await?.into_iter().map(|order| (order.id, order)).collect();
    let mut planner = TransitionPlanner::new(work, bulk_action, &orders).await?;
    let mut result = BulkActionResult { transitions: Vec::new(), skipped_orders: Vec::new() };
    for id in &bulk_action.ids {
        match orders.get(id).map(|order| planner.plan(order)) {
            None => result.skipped_orders.push((*id, SkipReason::Unknown)),
            Some(Err(rejection)) => result.skipped_orders.push((*id, SkipReason::Rule(rejection))),
            Some(Ok(transition)) => result.transitions.push(transition),
        }
    }
    if !result.transitions.is_empty() {
        write_transitions(work, bulk_action, &result.transitions, &planner.owed_commissions).await?;
    }
    Ok(result)
}

/// Decides how the action changes each order. Holds the data that the rules need in addition to the orders.
struct TransitionPlanner<'w> {
    bulk_action: &'w BulkAction,
    payment_shares: HashMap<OrderId, Vec<BalanceShare>>,
    /// Main balance of each customer. Each planned charge reduces it.
    spendable_balances: BTreeMap<UserId, Money>,
    /// Customers of unpaid orders who are frozen or deactivated.
    inactive_customers: BTreeSet<UserId>,
    /// Highest cost of an order that needs no moderation.
    moderation_limit: Option<Money>,
    /// Commissions for the orders that this action may charge.
    owed_commissions: Vec<OwedCommission>,
}

impl<'w> TransitionPlanner<'w> {
    async fn new(
        work: &mut UnitOfWork,
        bulk_action: &'w BulkAction,
        orders: &HashMap<OrderId, OrderFacts>,
    ) -> Result<Self> {
        let mut payment_shares: HashMap<OrderId, Vec<BalanceShare>> = HashMap::new();
        if bulk_action.cancel.as_ref().is_some_and(|cancel| cancel.return_money) {
            for (id, share) in store::load_payment_shares(work, &bulk_action.ids).await? {
                payment_shares.entry(id).or_default().push(share);
            }
        }
        let (mut owed_commissions, mut balances, mut moderation_limit) = (Vec::new(), BTreeMap::new(), None);
        let mut inactive_customers = BTreeSet::new();
        let is_unpaid = |order: &&OrderFacts| order.status == OrderStatus::Unpaid;
        if bulk_action.action == OrderAction::Activate && orders.values().any(|order| is_unpaid(&order)) {
            moderation_limit = settings::read_max_cost_without_approval(work).await?;
            owed_commissions = commission::load_owed(work, &bulk_action.ids).await?;
            let charged_customers: BTreeSet<UserId> =
                orders.values().filter(is_unpaid).map(|order| order.user_id).collect();
            // Affiliates and widget owners get a part of the charges. They are locked together with the customers, in the order of
            // their ids, so that two transactions cannot deadlock.
            let mut ids: Vec<UserId> = charged_customers.into_iter().collect();
            ids.extend(widget_orders::load_widget_owners(work, &bulk_action.ids).await?);
            ids.extend(owed_commissions.iter().map(OwedCommission::affiliate_id));
            balances = ledger::lock_balances(work, &ids).await?;
            inactive_customers = store::load_inactive_customers(work, &ids).await?;
        }
        Ok(Self {
            bulk_action,
            payment_shares,
            spendable_balances: balances.into_iter().map(|(id, user)| (id, user.balance_main)).collect(),
            inactive_customers,
            moderation_limit,
            owed_commissions,
        })
    }

    fn plan(&mut self, order: &OrderFacts) -> Result<OrderTransition, Rejection> {
        let mut snapshot = order.snapshot_with_limit(self.moderation_limit);
        snapshot.customer_is_active &= !self.inactive_customers.contains(&order.user_id);
        let change = orders::plan_change(self.bulk_action.action, snapshot)?;
        let mut refunds = Vec::new();
        if let Some(cancel) = self.bulk_action.cancel.as_ref().filter(|cancel| cancel.return_money) {
            let amount = order.bill().refund(cancel.amount)?;
            refunds =
                refund::split_refund(amount, self.payment_shares.get(&order.id).map_or(&[], Vec::as_slice));
            let total: i64 = refunds.iter().map(|(_, amount)| amount.0).sum();
            if total != amount.0 {
                // A refund must not be smaller than the requested amount. The doctor also reports such orders (`orders_paid`).
                return Err(Rejection::conflict(
                    "order_payments_unknown",
                    "The payments of this order are not recorded, so its cost cannot be refunded to a balance. Cancel it without a refund and pay the customer manually.",
                ));
            }
        }
        if change.charges {
            let balance = self.spendable_balances.entry(order.user_id).or_default();
            if *balance < order.cost {
                let message =
                    format!("The customer's balance holds {balance}; the order costs {}.", order.cost);
                return Err(Rejection::invalid("balance", "not_enough_balance", message));
            }
            balance.0 -= order.cost.0;
        }
        Ok(OrderTransition {
            order: order.clone(),
            status: change.status,
            approval: change.approval,
            is_charged: change.charges,
            refunds,
        })
    }
}

async fn write_transitions(
    work: &mut UnitOfWork,
    bulk_action: &BulkAction,
    transitions: &[OrderTransition],
    owed_commissions: &[OwedCommission],
) -> Result<()> {
    let now = work.now;
    let cancel_texts = bulk_action.cancel.as_ref().map_or_else(CancelTexts::default, |cancel| CancelTexts {
        reason: cancel.cancel_reason.map(|reason| reason.to_string()),
        description: cancel
            .cancel_description
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned),
    });
    let snapshot_before = undo::take_snapshot(work, bulk_action, transitions).await?;
    store::write_transitions(work, transitions, &cancel_texts).await?;
    let charged_transitions: Vec<&OrderTransition> =
        transitions.iter().filter(|transition| transition.is_charged).collect();
    store::record_charges(work, &charged_transitions).await?;
    store::record_refunds(work, transitions).await?;
    post_money(work, transitions, owed_commissions).await?;
    manual_credits::count_refunds(work, bulk_action, transitions).await?;
    redeem::record_payment(
        work,
        &charged_transitions.iter().map(|transition| transition.order.id).collect::<Vec<_>>(),
    )
    .await?;
    let order_ids = || transitions.iter().map(|transition| transition.order.id).collect::<Vec<_>>();
    match bulk_action.action {
        OrderAction::Cancel => {
            let unpaid_orders =
                transitions.iter().filter(|transition| transition.order.status == OrderStatus::Unpaid);
            let unpaid_ids: Vec<OrderId> = unpaid_orders.map(|transition| transition.order.id).collect();
            redeem::reverse_for_cancels(work, &unpaid_ids, &refund_amounts(transitions)).await?;
            ending::request_cancel(work, &order_ids(), now).await?;
            ending::end_with_orders(work, &order_ids(), now).await?;
            cancel_requests::close(work, CancelRequestEvent::OrderCanceled, &refund_amounts(transitions))
                .await?;
        }
        OrderAction::Complete => {
            promotion::promote_customers_of(work, &order_ids()).await?;
            ending::complete_by_hand(work, &order_ids(), now).await?;
            ending::end_with_orders(work, &order_ids(), now).await?;
            cancel_requests::close(work, CancelRequestEvent::OrderCompleted, &refund_amounts(transitions))
                .await?;
        }
        _ => {}
    }
    let audit_changes =
        transitions.iter().map(|transition| audit_change(transition, &cancel_texts)).collect();
    audit::record_undoable(work, bulk_action.action.event(), &undo::ORDERS, &snapshot_before, audit_changes)
        .await?;
    combo_orders::update_from_orders(work, &order_ids()).await?;
    webhook_events::publish_status_changes(work, transitions).await?;
    enqueue_emails(work, bulk_action, transitions, &cancel_texts).await
}

/// Returns the amount that this change refunds for each order.
fn refund_amounts(transitions: &[OrderTransition]) -> Vec<(OrderId, Money)> {
    transitions.iter().map(|transition| (transition.order.id, transition.refund_total())).collect()
}

async fn post_money(
    work: &mut UnitOfWork,
    transitions: &[OrderTransition],
    owed_commissions: &[OwedCommission],
) -> Result<()> {
    let mut postings: Vec<Posting> =
        transitions.iter().filter(|transition| transition.is_charged).map(charge_posting).collect();
    let refunded_transitions: Vec<&OrderTransition> =
        transitions.iter().filter(|transition| !transition.refunds.is_empty()).collect();
    if !postings.is_empty() {
        let charged_ids: BTreeSet<OrderId> = transitions
            .iter()
            .filter(|transition| transition.is_charged)
            .map(|transition| transition.order.id)
            .collect();
        let charged_commissions: Vec<OwedCommission> =
            owed_commissions.iter().filter(|owed| charged_ids.contains(&owed.order_id)).copied().collect();
        postings.extend(commission::build_postings(work, &charged_commissions).await?);
        postings.extend(
            widget_orders::build_reward_postings(work, &charged_ids.into_iter().collect::<Vec<_>>()).await?,
        );
    }
    postings.extend(refunded_transitions.iter().map(|transition| refund_posting(transition)));
    if !refunded_transitions.is_empty() {
        let transitions_by_order: HashMap<OrderId, &OrderTransition> =
            refunded_transitions.iter().map(|transition| (transition.order.id, *transition)).collect();
        let ids: Vec<OrderId> = transitions_by_order.keys().copied().collect();
        for earning in store::load_earnings(work, &ids).await? {
            if let Some(transition) = transitions_by_order.get(&earning.order_id) {
                postings.push(earning_reversal_posting(transition, &earning));
            }
        }
    }
    ledger::post(work, postings).await?;
    Ok(())
}

fn posting(
    kind: &'static str,
    transition: &OrderTransition,
    payment_type: PaymentType,
    legs: Vec<(Account, Money)>,
) -> Posting {
    Posting {
        cause: PostingCause {
            kind,
            ref_type: "order",
            ref_id: transition.order.id.as_record_id(),
            seq: transition.order.refund_seq,
        },
        kind: payment_type,
        order_id: Some(transition.order.id),
        payment_method_id: None,
        comment: None,
        legs,
        spent_change: None,
        cap_at_balance: false,
    }
}

fn charge_posting(transition: &OrderTransition) -> Posting {
    let (user_id, cost) = (transition.order.user_id, transition.order.cost);
    let legs = vec![(Account::User(user_id, BalanceType::Main), Money(-cost.0)), (Account::Revenue, cost)];
    Posting {
        spent_change: Some((user_id, cost)),
        ..posting("order_charge", transition, PaymentType::Order, legs)
    }
}

fn refund_posting(transition: &OrderTransition) -> Posting {
    let (user_id, total) = (transition.order.user_id, transition.refund_total());
    let mut legs: Vec<_> = transition
        .refunds
        .iter()
        .map(|(balance_type, amount)| (Account::User(user_id, *balance_type), *amount))
        .collect();
    legs.push((Account::Revenue, Money(-total.0)));
    Posting {
        spent_change: Some((user_id, Money(-total.0))),
        ..posting("order_refund", transition, PaymentType::Refund, legs)
    }
}

/// Reverses the part of a commission or reward that corresponds to the refund, at most the balance of the user who got it. The
/// owner of a widget and an affiliate can both earn from one order and can be the same user, so the two reversals have different
/// causes.
fn earning_reversal_posting(transition: &OrderTransition, earning: &OrderEarning) -> Posting {
    let net_charge = (transition.order.cost.0 - transition.order.refunded.0).max(1);
    let reversal =
        i128::from(earning.amount.0) * i128::from(transition.refund_total().0) / i128::from(net_charge);
    let amount = Money(i64::try_from(reversal).unwrap_or(earning.amount.0).min(earning.amount.0));
    let legs = vec![
        (Account::User(earning.user_id, BalanceType::Referral), Money(-amount.0)),
        (Account::ReferralExpense, amount),
    ];
    let kind = if earning.is_widget_reward { "order_widget_reward_reversal" } else { "commission_reversal" };
    Posting { cap_at_balance: true, ..posting(kind, transition, PaymentType::Referral, legs) }
}

fn audit_change(transition: &OrderTransition, cancel_texts: &CancelTexts) -> AuditChange {
    let old = json!({ "status": transition.order.status, "approval": transition.order.approval });
    let mut new = json!({ "status": transition.status, "approval": transition.approval });
    if transition.status == OrderStatus::Canceled {
        new["refunded"] = json!(transition.refund_total());
        new["cancel_reason"] = json!(cancel_texts.reason);
        new["cancel_description"] = json!(cancel_texts.description);
    }
    if transition.is_without_provider() {
        new["has_no_active_providers"] = json!(true);
    }
    if transition.is_charged {
        new["charged"] = json!(transition.order.cost);
    }
    AuditChange { id: transition.order.id.as_record_id(), old, new }
}

async fn enqueue_emails(
    work: &mut UnitOfWork,
    bulk_action: &BulkAction,
    transitions: &[OrderTransition],
    cancel_texts: &CancelTexts,
) -> Result<()> {
    let sends_email = bulk_action.cancel.as_ref().is_some_and(|cancel| cancel.send_email_notification);
    let emails: Vec<Job> = transitions
        .iter()
        .filter(|transition| sends_email && transition.order.notify_orders)
        .map(|transition| Job::Mail(cancellation_email(transition, cancel_texts)))
        .collect();
    let now = work.now;
    jobs::enqueue(work, &emails, now).await
}

fn cancellation_email(transition: &OrderTransition, cancel_texts: &CancelTexts) -> Email {
    let order = &transition.order;
    let recipient = Recipient { name: order.user_name.clone(), email: order.user_email.clone() };
    let summary = OrderSummary { id: order.id, name: &order.name, url: &order.url };
    let refund = (!transition.refunds.is_empty()).then(|| transition.refund_total());
    emails::order_canceled(recipient, summary, cancel_texts.description.as_deref(), refund)
}
