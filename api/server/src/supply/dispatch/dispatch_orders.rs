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
use crate::catalogue::deliverable::{check_deliverable, load_answers};
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
/// The largest number of orders per poll.
const BATCH: i64 = 200;

/// Dispatches due orders and returns their number. Several processes may run it in parallel.
pub async fn dispatch_due_orders(app: &App) -> Result<usize> {
    Ok(poll(app).await?.done)
}

/// Dispatches due orders and returns how many succeeded and failed.
pub(super) async fn poll(app: &App) -> Result<WorkSummary> {
    // This query needs no write connection, and usually no order is due.
    let due_ids = load_due_ids(app).await?;
    if due_ids.is_empty() {
        return Ok(WorkSummary::default());
    }
    let batch = quarantine::claim_batch(app, Poller::Order, &due_ids).await?;
    batch.run(app, dispatch_batch(app, &due_ids)).await
}

/// Dispatches all orders in one transaction. If it fails, each order gets its own transaction, so that a failing order delays no
/// other.
async fn dispatch_batch(app: &App, due_ids: &[OrderId]) -> Result<WorkSummary> {
    match dispatch_in_transaction(app, due_ids).await {
        Ok(dispatched) => return Ok(WorkSummary::done(dispatched)),
        Err(error) if error.is_database_error() || error.is_retryable() => return Err(error),
        Err(error) => {
            let orders = due_ids.len();
            tracing::warn!(orders, ?error, "failed to dispatch a batch of orders; retried each order alone");
        }
    }
    let mut summary = WorkSummary::default();
    for order in due_ids {
        match dispatch_in_transaction(app, std::slice::from_ref(order)).await {
            Ok(dispatched) => summary.done += dispatched,
            Err(error) => {
                summary.record_failure(ORDER.kind, order.as_record_id(), error)?;
                let until = app.clock.now().plus(FAILED_RETRY);
                warn_if_not_postponed(
                    order.as_record_id(),
                    dispatch::postpone_dispatch(&mut &app.db, *order, until).await,
                );
            }
        }
    }
    Ok(summary)
}

/// Logs a failure to postpone a failing record. The next poll claims the record again.
pub(super) fn warn_if_not_postponed(record_id: RecordId, postpone_result: DbResult<()>) {
    if let Err(error) = postpone_result {
        tracing::warn!(record_id = record_id.get(), ?error, "failed to postpone a failing record");
    }
}

async fn dispatch_in_transaction(app: &App, due_ids: &[OrderId]) -> Result<usize> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    let ids = lock_due(&mut work, due_ids).await?;
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
    let orders_for =
        |decision: DispatchDecision| by_decision.get(&decision).map(Vec::as_slice).unwrap_or_default();
    dispatch::mark_dispatched(work, ids).await?;
    let waiting_for_count =
        counter::hold_for_first_count(work, &without_attempts(orders_for(DispatchDecision::Send))).await?;
    let sendable: Vec<&DispatchOrder> = orders_for(DispatchDecision::Send)
        .iter()
        .filter(|order| !waiting_for_count.contains(&order.id))
        .collect();
    insert_attempts(work, &sendable, &next_providers).await?;
    complete(work, orders_for(DispatchDecision::Complete)).await?;
    cancel(work, orders_for(DispatchDecision::Cancel), CancelReason::ProviderFailure).await?;
    cancel(work, orders_for(DispatchDecision::CancelAsRequested), CancelReason::CustomerRequest).await?;
    mark_without_provider(work, orders_for(DispatchDecision::WaitForProvider)).await
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
    is_complete_by_counter: bool,
    attempts: i64,
    live_attempts: i64,
    manual_attempts: i64,
    sent_attempts: i64,
    is_cancel_requested: bool,
    reorders_undelivered: bool,
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
    fn decide(&self, next_provider: Option<&NextProvider>) -> DispatchDecision {
        let is_delivered =
            matches!(self.status, OrderStatus::InProcessing | OrderStatus::Stopped) && self.undelivered <= 0;
        // No panel reports the end of a manual delivery: it ends when the whole quantity is delivered.
        let blocking_attempts =
            if is_delivered { self.live_attempts - self.manual_attempts } else { self.live_attempts };
        // An unsent attempt does not block a cancellation; an attempt that may have been sent does, at any provider.
        let blocking_attempts =
            if self.is_cancel_requested && !is_delivered { self.sent_attempts } else { blocking_attempts };
        let input = DispatchInput {
            is_in_processing: self.status == OrderStatus::InProcessing,
            is_delivered,
            is_complete_by_counter: self.is_complete_by_counter,
            has_live_attempt: blocking_attempts > 0,
            has_no_attempt: self.attempts == 0,
            reorders_undelivered: self.reorders_undelivered,
            has_next_provider: next_provider.is_some(),
            was_accepted: self.was_accepted,
            auto_cancel: self.auto_cancel,
            is_cancel_requested: self.is_cancel_requested,
        };
        match decide(input) {
            // A provider without a panel delivers manually, so nothing is sent to it.
            DispatchDecision::Send if next_provider.is_some_and(|provider| provider.panel.is_none()) => {
                DispatchDecision::Wait
            }
            decision => decision,
        }
    }
}

// Store

/// The ids of due orders. Orders have no lease, because all of their dispatch is one transaction.
async fn load_due_ids(app: &App) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT id FROM orders WHERE dispatch_at IS NOT NULL AND dispatch_at <= ?");
    let sql = sql.bind(app.clock.now());
    let sql = sql.append(quarantine::claimable_condition_without_lease(app, Poller::Order, "orders.id"));
    let sql = sql.push(" ORDER BY dispatch_at, id LIMIT ?").bind(BATCH);
    let rows: Vec<(OrderId,)> = (&mut &app.db).fetch_all(sql).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Locks the orders that are still due, and skips those that another process has locked.
async fn lock_due(work: &mut UnitOfWork, due_ids: &[OrderId]) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT id FROM orders WHERE dispatch_at IS NOT NULL AND dispatch_at <= ? AND id IN ");
    let sql = sql.bind(work.now).ids(due_ids).push(" ORDER BY dispatch_at, id").for_update_skip_locked();
    Ok(work.fetch_all::<(OrderId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Loads the orders. An attempt that was withdrawn before it was sent does not count. An attempt that was asked to cancel and has
/// no external id to poll does not block its order.
async fn load_orders(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<Vec<DispatchOrder>> {
    let sql = Sql::new(concat!(
        "SELECT o.id, o.status, o.quantity - o.current_quantity AS undelivered, s.auto_cancel, s.no_refund, s.has_active_providers,
           s.real_counter_complete_is_enabled AND COALESCE(o.external_statistics_quantity, 0) >= o.quantity AS is_complete_by_counter,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND (e.cancel_requested_at IS NULL OR e.sent_at IS NOT NULL)) AS attempts,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND ",
        attempt_is!(live, "e"),
        " AND (e.cancel_requested_at IS NULL OR e.external_order_id IS NOT NULL)) AS live_attempts,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND ",
        attempt_is!(by_hand, "e"),
        " AND e.cancel_requested_at IS NULL) AS manual_attempts,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND ",
        attempt_is!(live, "e"),
        " AND (e.sent_at IS NOT NULL OR e.external_order_id IS NOT NULL OR e.external_panel_id IS NULL)) AS sent_attempts, ",
        cancel_requested!("o.id"),
        " AS is_cancel_requested,
           COALESCE((SELECT x.auto_recreate_orders_is_allowed FROM external_panel_orders e JOIN external_panels x ON x.id = e.external_panel_id
             WHERE e.order_id = o.id AND (e.cancel_requested_at IS NULL OR e.sent_at IS NOT NULL) ORDER BY e.id DESC LIMIT 1), FALSE) AS reorders_undelivered,
           COALESCE((SELECT e.external_order_id IS NOT NULL FROM external_panel_orders e WHERE e.order_id = o.id
             AND (e.cancel_requested_at IS NULL OR e.sent_at IS NOT NULL) ORDER BY e.id DESC LIMIT 1), FALSE) AS was_accepted
         FROM orders o JOIN services s ON s.id = o.service_id WHERE o.id IN ",
    ));
    Ok(work.fetch_all(sql.ids(ids).push(" ORDER BY o.id")).await?)
}

/// An order, one of its service's providers, the provider's panel, and the panel's text for the type of the service.
type Candidate = (OrderId, ProviderId, Option<ExternalPanelId>, String);

/// The first active provider of each order's service, without the providers that ended an attempt of the order before they had
/// delivered the whole quantity. A provider whose panel would reject the order because a customer's answer is missing comes last:
/// if there is no other provider, the error of its attempt names the missing answer.
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
    let rows: Vec<Candidate> = work.fetch_all(sql).await?;
    let needs_answers = |panel_type: &str| check_deliverable(panel_type, &[]).is_err();
    let orders_with_answers: Vec<OrderId> =
        rows.iter().filter(|row| needs_answers(&row.3)).map(|row| row.0).collect();
    let answers = if orders_with_answers.is_empty() {
        HashMap::new()
    } else {
        load_answers(work, &orders_with_answers).await?
    };
    // A provider that cannot deliver an order is chosen only if no other provider can.
    let (mut deliverable, mut undeliverable) = (HashMap::new(), HashMap::new());
    for (order, id, panel, panel_type) in rows {
        let order_answers = answers.get(&order).map_or(&[][..], Vec::as_slice);
        let delivers = check_deliverable(&panel_type, order_answers).is_ok();
        let group = if delivers { &mut deliverable } else { &mut undeliverable };
        group.entry(order).or_insert(NextProvider { id, panel });
    }
    for (order, provider) in undeliverable {
        deliverable.entry(order).or_insert(provider);
    }
    Ok(deliverable)
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
    Ok(work.fetch_optional::<(ProviderId,)>(sql.bind(attempt)).await?.is_some())
}

/// Inserts a placement attempt for each order, due now.
async fn insert_attempts(
    work: &mut UnitOfWork,
    orders: &[&DispatchOrder],
    next_providers: &HashMap<OrderId, NextProvider>,
) -> Result<()> {
    let share = |order: &&DispatchOrder| {
        let provider = next_providers.get(&order.id)?;
        Some(OrderShare { order: order.id, provider: provider.id, quantity: order.undelivered })
    };
    let shares: Vec<OrderShare> = orders.iter().filter_map(share).collect();
    if shares.is_empty() {
        return Ok(());
    }
    let amounts = ratio::ordered_amounts(work, &shares).await?;
    ratio::record_full_fill(work, &amounts).await?;
    let now = work.now;
    let new_attempt = |share: &OrderShare| {
        let amount = amounts.get(&share.order)?;
        Some(NewAttempt {
            order_id: share.order,
            provider_id: share.provider,
            initial_quantity: amount.ordered,
            sold_quantity: amount.sold,
            due_at: Some(now),
        })
    };
    insert(work, &shares.iter().filter_map(new_attempt).collect::<Vec<_>>(), now).await?;
    let assigned_orders = orders.iter().filter(|order| order.has_active_providers).map(|order| order.id);
    dispatch::set_without_provider(work, &assigned_orders.collect::<Vec<_>>(), false).await?;
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
    for gives_refund in [true, false] {
        let ids: Vec<OrderId> =
            orders.iter().filter(|order| order.no_refund != gives_refund).map(|order| order.id).collect();
        if ids.is_empty() {
            continue;
        }
        let input =
            CancelInput { return_money: gives_refund, cancel_reason: Some(reason), ..CancelInput::default() };
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
async fn mark_without_provider(work: &mut UnitOfWork, orders: &[DispatchOrder]) -> Result<()> {
    let ids: Vec<OrderId> = orders.iter().map(|order| order.id).collect();
    let changed = dispatch::set_without_provider(work, &ids, true).await?;
    let values = |has_no_provider: bool| json!({ "has_no_active_providers": has_no_provider });
    let changes = changed.into_iter().map(|id| AuditChange {
        id: id.as_record_id(),
        old: values(false),
        new: values(true),
    });
    audit::record_all(work, "order.left_without_provider", "order", changes.collect()).await
}
