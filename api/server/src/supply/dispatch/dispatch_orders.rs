//! Decides what happens next with each due order: a first attempt, the next attempt, completion, cancellation, or a decision by
//! staff. It works on sets of locked orders in the caller's transaction, and makes no outbound call.

use std::collections::HashMap;
use std::time::Duration;

use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId, ProviderId, RecordId};
use panel_contract::orders::{CancelInput, CancelReason, OrderStatus};
use panel_contract::quarantine::Poller;
use panel_domain::dispatch::{DispatchDecision, DispatchInput, decide};
use panel_domain::orders::OrderAction;
use panel_kernel::error::Result;
use serde_json::json;

use super::leases::ORDER;
use crate::app::App;
use crate::catalogue::deliverable::{answers, deliverable};
use crate::operations::cancel_requests::store::cancel_requested;
use crate::operations::orders::apply::apply;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store;
use crate::pricing::available::available;
use crate::pricing::ratio::{self, OrderShare};
use crate::stores::orders::dispatch;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::insert::{NewAttempt, insert};
use crate::supply::counter;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::poller::work::WorkSummary;
use panel_platform::quarantine;
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// An order whose dispatch failed is retried after this time, so that it does not delay the orders behind it.
const FAILED_RETRY: Duration = Duration::from_secs(60);
/// Orders per poll at most.
const BATCH: i64 = 200;

/// Dispatches due orders and returns their number. Several processes may run it in parallel.
pub async fn dispatch_due_orders(app: &App) -> Result<usize> {
    Ok(poll(app).await?.done)
}

/// Dispatches due orders and returns how many succeeded and failed.
pub(super) async fn poll(app: &App) -> Result<WorkSummary> {
    // This read needs no write connection; usually no order is due.
    let due = due_ids(app).await?;
    if due.is_empty() {
        return Ok(WorkSummary::default());
    }
    let batch = quarantine::claim_for(app, Poller::Order, &due).await?;
    batch.work(app, dispatch_batch(app, &due)).await
}

/// Dispatches all orders in one transaction. If it fails, each order gets its own transaction, so that a failing order delays no
/// other.
async fn dispatch_batch(app: &App, due: &[OrderId]) -> Result<WorkSummary> {
    match dispatch_in_transaction(app, due).await {
        Ok(dispatched) => return Ok(WorkSummary::done(dispatched)),
        Err(error) if error.is_database_error() || error.is_worth_a_retry() => return Err(error),
        Err(error) => {
            let orders = due.len();
            tracing::warn!(orders, ?error, "failed to dispatch a batch of orders; retried each order alone");
        }
    }
    let mut summary = WorkSummary::default();
    for order in due {
        match dispatch_in_transaction(app, std::slice::from_ref(order)).await {
            Ok(dispatched) => summary.done += dispatched,
            Err(error) => {
                summary.fail(ORDER.kind, order.record(), error)?;
                let until = app.clock.now().after(FAILED_RETRY);
                warn_if_not_postponed(
                    order.record(),
                    dispatch::postpone_dispatch(&mut &app.db, *order, until).await,
                );
            }
        }
    }
    Ok(summary)
}

/// Logs a failure to postpone a failing record. The next poll claims the record again.
pub(super) fn warn_if_not_postponed(record_id: RecordId, written: DbResult<()>) {
    if let Err(error) = written {
        tracing::warn!(record_id = record_id.get(), ?error, "failed to postpone a failing record");
    }
}

async fn dispatch_in_transaction(app: &App, due: &[OrderId]) -> Result<usize> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    let ids = claim(&mut work, due).await?;
    dispatch_orders(&mut work, &ids).await?;
    work.finish(()).await?;
    Ok(ids.len())
}

/// Decides what to do with each of these orders and does it.
pub(super) async fn dispatch_orders(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    store::lock(work, ids).await?;
    let next_providers = load_next_providers(work, ids).await?;
    let mut by_decision: HashMap<DispatchDecision, Vec<DispatchOrder>> = HashMap::new();
    for order in load_orders(work, ids).await? {
        let decision = order.decide(next_providers.get(&order.id));
        by_decision.entry(decision).or_default().push(order);
    }
    let of = |decision: DispatchDecision| by_decision.get(&decision).map(Vec::as_slice).unwrap_or_default();
    dispatch::mark_dispatched(work, ids).await?;
    let waiting = counter::hold_for_first_count(work, &without_attempts(of(DispatchDecision::Send))).await?;
    let sendable: Vec<&DispatchOrder> =
        of(DispatchDecision::Send).iter().filter(|order| !waiting.contains(&order.id)).collect();
    insert_attempts(work, &sendable, &next_providers).await?;
    complete(work, of(DispatchDecision::Complete)).await?;
    cancel(work, of(DispatchDecision::Cancel), CancelReason::ProviderFailure).await?;
    cancel(work, of(DispatchDecision::CancelAsRequested), CancelReason::CustomerRequest).await?;
    abandon(work, of(DispatchDecision::Abandon)).await
}

/// The ids of the orders that have no attempt yet.
fn without_attempts(orders: &[DispatchOrder]) -> Vec<OrderId> {
    orders.iter().filter(|order| order.attempts == 0).map(|order| order.id).collect()
}

#[derive(Debug, sqlx::FromRow)]
struct DispatchOrder {
    id: OrderId,
    status: OrderStatus,
    undelivered: i64,
    is_counted: bool,
    attempts: i64,
    live: i64,
    by_hand: i64,
    sent: i64,
    is_cancel_requested: bool,
    recreates: bool,
    was_accepted: bool,
    auto_cancel: bool,
    no_refund: bool,
    has_active_providers: bool,
}

/// The provider that an order would be sent to next.
#[derive(Debug, Clone)]
struct NextProvider {
    id: ProviderId,
    /// `None` if staff deliver the order manually.
    panel: Option<ExternalPanelId>,
}

impl DispatchOrder {
    fn decide(&self, next: Option<&NextProvider>) -> DispatchDecision {
        let is_full =
            matches!(self.status, OrderStatus::InProcessing | OrderStatus::Stopped) && self.undelivered <= 0;
        // No panel reports the end of a manual delivery: it ends when the whole quantity is delivered.
        let live = if is_full { self.live - self.by_hand } else { self.live };
        // An unsent attempt does not block a cancellation; an attempt that may have been sent does, at any provider.
        let live = if self.is_cancel_requested && !is_full { self.sent } else { live };
        let case = DispatchInput {
            runs: self.status == OrderStatus::InProcessing,
            is_full,
            is_counted: self.is_counted,
            has_live: live > 0,
            is_fresh: self.attempts == 0,
            recreates: self.recreates,
            has_next: next.is_some(),
            was_accepted: self.was_accepted,
            cancels: self.auto_cancel,
            is_cancel_requested: self.is_cancel_requested,
        };
        match decide(case) {
            // A provider without a panel delivers manually, so nothing is sent to it.
            DispatchDecision::Send if next.is_some_and(|provider| provider.panel.is_none()) => {
                DispatchDecision::Wait
            }
            decision => decision,
        }
    }
}

// Store

/// The ids of due orders. Orders have no lease, because all of their dispatch is one transaction.
async fn due_ids(app: &App) -> Result<Vec<OrderId>> {
    let due = Sql::new("SELECT id FROM orders WHERE dispatch_at IS NOT NULL AND dispatch_at <= ?");
    let due = due.bind(app.clock.now());
    let due = due.append(quarantine::condition_without_lease(app, Poller::Order, "orders.id"));
    let due = due.push(" ORDER BY dispatch_at, id LIMIT ?").bind(BATCH);
    let due: Vec<(OrderId,)> = (&mut &app.db).all(due).await?;
    Ok(due.into_iter().map(|(id,)| id).collect())
}

/// Locks the orders that are still due, and skips those that another process has locked.
async fn claim(work: &mut UnitOfWork, due: &[OrderId]) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT id FROM orders WHERE dispatch_at IS NOT NULL AND dispatch_at <= ? AND id IN ");
    let sql = sql.bind(work.now).ids(due).push(" ORDER BY dispatch_at, id").for_update_skipping();
    Ok(work.all::<(OrderId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Loads the orders. An attempt that was withdrawn before it was sent does not count. An attempt that was asked to cancel and has
/// no external id to poll does not block its order.
async fn load_orders(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<Vec<DispatchOrder>> {
    let sql = Sql::new(concat!(
        "SELECT o.id, o.status, o.quantity - o.current_quantity AS undelivered, s.auto_cancel, s.no_refund, s.has_active_providers,
           s.real_counter_complete_is_enabled AND COALESCE(o.external_statistics_quantity, 0) >= o.quantity AS is_counted,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND (e.cancel_requested_at IS NULL OR e.sent_at IS NOT NULL)) AS attempts,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND ",
        attempt_is!(live, "e"),
        " AND (e.cancel_requested_at IS NULL OR e.external_order_id IS NOT NULL)) AS live,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND ",
        attempt_is!(by_hand, "e"),
        " AND e.cancel_requested_at IS NULL) AS by_hand,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND ",
        attempt_is!(live, "e"),
        " AND (e.sent_at IS NOT NULL OR e.external_order_id IS NOT NULL OR e.external_panel_id IS NULL)) AS sent, ",
        cancel_requested!("o.id"),
        " AS is_cancel_requested,
           COALESCE((SELECT x.auto_recreate_orders_is_allowed FROM external_panel_orders e JOIN external_panels x ON x.id = e.external_panel_id
             WHERE e.order_id = o.id AND (e.cancel_requested_at IS NULL OR e.sent_at IS NOT NULL) ORDER BY e.id DESC LIMIT 1), FALSE) AS recreates,
           COALESCE((SELECT e.external_order_id IS NOT NULL FROM external_panel_orders e WHERE e.order_id = o.id
             AND (e.cancel_requested_at IS NULL OR e.sent_at IS NOT NULL) ORDER BY e.id DESC LIMIT 1), FALSE) AS was_accepted
         FROM orders o JOIN services s ON s.id = o.service_id WHERE o.id IN ",
    ));
    Ok(work.all(sql.ids(ids).push(" ORDER BY o.id")).await?)
}

/// An order, one of its service's providers with its panel, and the panel's word for the type of its service there.
type Candidate = (OrderId, ProviderId, Option<ExternalPanelId>, String);

/// The first active provider of each order's service that did not end an attempt of the order short. A provider whose panel would
/// reject the order because an answer is missing comes last; if it is the only one, the error of its attempt names the answer.
async fn load_next_providers(
    work: &mut UnitOfWork,
    ids: &[OrderId],
) -> Result<HashMap<OrderId, NextProvider>> {
    let sql = Sql::new(concat!(
        "SELECT o.id, p.id, p.external_panel_id, COALESCE(k.type, '') FROM orders o
         JOIN service_providers m ON m.service_id = o.service_id JOIN providers p ON p.id = m.provider_id
         LEFT JOIN external_panel_services k ON k.external_panel_id = p.external_panel_id AND k.external_panel_service_id = p.external_panel_service_id
         WHERE ",
        available!(),
        " AND NOT EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.order_id = o.id AND e.provider_id = p.id AND ",
        attempt_is!(ended_short, "e"),
        " AND e.cancel_requested_at IS NULL) AND o.id IN ",
    ));
    let sql = sql.ids(ids).push(" ORDER BY o.id, m.position, p.id");
    let rows: Vec<Candidate> = work.all(sql).await?;
    let needs_answers = |word: &str| deliverable(word, &[]).is_err();
    let orders_with_answers: Vec<OrderId> =
        rows.iter().filter(|row| needs_answers(&row.3)).map(|row| row.0).collect();
    let answers = if orders_with_answers.is_empty() {
        HashMap::new()
    } else {
        answers(work, &orders_with_answers).await?
    };
    let (mut first, mut last) = (HashMap::new(), HashMap::new());
    for (order, id, panel, word) in rows {
        let order_answers = answers.get(&order).map_or(&[][..], Vec::as_slice);
        let delivers = deliverable(&word, order_answers).is_ok();
        let group = if delivers { &mut first } else { &mut last };
        group.entry(order).or_insert(NextProvider { id, panel });
    }
    for (order, provider) in last {
        first.entry(order).or_insert(provider);
    }
    Ok(first)
}

/// Whether the order of this attempt would fail over to another provider if the attempt ended now.
pub(super) async fn has_other_provider(work: &mut UnitOfWork, attempt: ExternalOrderId) -> Result<bool> {
    let sql = Sql::new(concat!(
        "SELECT p.id FROM external_panel_orders a JOIN orders o ON o.id = a.order_id JOIN external_panels x ON x.id = a.external_panel_id
         JOIN service_providers m ON m.service_id = o.service_id JOIN providers p ON p.id = m.provider_id AND p.id <> a.provider_id
         WHERE a.id = ? AND x.auto_recreate_orders_is_allowed AND o.status = 'in_processing' AND ",
        available!(),
        " AND NOT EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.order_id = o.id AND e.provider_id = p.id AND ",
        attempt_is!(ended_short, "e"),
        " AND e.cancel_requested_at IS NULL) LIMIT 1"
    ));
    Ok(work.opt::<(ProviderId,)>(sql.bind(attempt)).await?.is_some())
}

/// Inserts a placement attempt for each order, due now.
async fn insert_attempts(
    work: &mut UnitOfWork,
    orders: &[&DispatchOrder],
    to: &HashMap<OrderId, NextProvider>,
) -> Result<()> {
    let share = |order: &&DispatchOrder| {
        let provider = to.get(&order.id)?;
        Some(OrderShare { order: order.id, provider: provider.id, quantity: order.undelivered })
    };
    let shares: Vec<OrderShare> = orders.iter().filter_map(share).collect();
    if shares.is_empty() {
        return Ok(());
    }
    let amounts = ratio::amounts(work, &shares).await?;
    ratio::record_full_fill(work, &amounts).await?;
    let now = work.now;
    let new = |share: &OrderShare| {
        let amount = amounts.get(&share.order)?;
        Some(NewAttempt {
            order_id: share.order,
            provider_id: share.provider,
            initial_quantity: amount.ordered,
            sold_quantity: amount.sold,
            due_at: Some(now),
        })
    };
    insert(work, &shares.iter().filter_map(new).collect::<Vec<_>>(), now).await?;
    let placed = orders.iter().filter(|order| order.has_active_providers).map(|order| order.id);
    dispatch::set_without_provider(work, &placed.collect::<Vec<_>>(), false).await?;
    Ok(())
}

async fn complete(work: &mut UnitOfWork, orders: &[DispatchOrder]) -> Result<()> {
    if !orders.is_empty() {
        apply(work, &bulk_action(OrderAction::Complete, orders, None)).await?;
    }
    Ok(())
}

/// Cancels the orders and refunds the undelivered quantity, unless the service gives no refunds.
async fn cancel(work: &mut UnitOfWork, orders: &[DispatchOrder], reason: CancelReason) -> Result<()> {
    for refunds in [true, false] {
        let ids: Vec<OrderId> =
            orders.iter().filter(|order| order.no_refund != refunds).map(|order| order.id).collect();
        if ids.is_empty() {
            continue;
        }
        let input =
            CancelInput { return_money: refunds, cancel_reason: Some(reason), ..CancelInput::default() };
        apply(
            work,
            &BulkAction { action: OrderAction::Cancel, ids, cancel: Some(input), is_undoable: false },
        )
        .await?;
    }
    Ok(())
}

fn bulk_action(action: OrderAction, orders: &[DispatchOrder], cancel: Option<CancelInput>) -> BulkAction {
    BulkAction { action, ids: orders.iter().map(|order| order.id).collect(), cancel, is_undoable: false }
}

/// Marks the orders as without a provider. The audit event notifies staff once per order, when the mark is set.
async fn abandon(work: &mut UnitOfWork, orders: &[DispatchOrder]) -> Result<()> {
    let ids: Vec<OrderId> = orders.iter().map(|order| order.id).collect();
    let changed = dispatch::set_without_provider(work, &ids, true).await?;
    let values = |is_abandoned: bool| json!({ "has_no_active_providers": is_abandoned });
    let changes =
        changed.into_iter().map(|id| AuditChange { id: id.record(), old: values(false), new: values(true) });
    audit::record_all(work, "order.left_without_provider", "order", changes.collect()).await
}
