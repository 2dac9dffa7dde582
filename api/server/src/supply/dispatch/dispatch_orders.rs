//! Decides what happens next with each due order: a first placement attempt, a further attempt, completion, cancellation, or a
//! decision by staff. It processes sets of locked orders in the caller's transaction, and must not send requests to external
//! panels.

use std::collections::HashMap;
use std::time::Duration;

use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId, ProviderId, RecordId};
use panel_contract::orders::{CancelInput, CancelReason, OrderStatus};
use panel_contract::quarantine::Poller;
use panel_domain::dispatch::{DispatchDecision, DispatchInput, decide};
use panel_domain::orders::OrderAction;
use panel_kernel::error::Result;
use serde_json::json;

use super::leases::ORDER_LEASE;
use crate::app::App;
use crate::catalogue::delivery_checks::{check_deliverable, load_answer_kinds};
use crate::operations::cancel_requests::store::cancel_requested;
use crate::operations::orders::apply::apply_action;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store;
use crate::pricing::available::provider_is_available;
use crate::pricing::ratio::{self, OrderShare};
use crate::stores::orders::dispatch;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::insert::{NewAttempt, insert};
use crate::supply::counter;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::poller::work::WorkSummary;
use panel_platform::quarantine;
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// Time until the dispatch of an order is retried after a failure, so that the order does not delay other due orders.
const RETRY_AFTER_FAILURE: Duration = Duration::from_secs(60);
/// Maximum number of orders per poll.
const BATCH_SIZE: i64 = 200;

/// Dispatches due orders and returns their number. Several processes may run it in parallel.
pub async fn dispatch_due_orders(app: &App) -> Result<usize> {
    Ok(poll(app).await?.done)
}

/// Dispatches due orders and returns the numbers of successes and failures.
pub(super) async fn poll(app: &App) -> Result<WorkSummary> {
    // This query comes first, because usually no order is due and the query needs no write connection.
    let due_ids = load_due_ids(app).await?;
    if due_ids.is_empty() {
        return Ok(WorkSummary::default());
    }
    let batch = quarantine::claim_batch(app, Poller::Order, &due_ids).await?;
    batch.run(app, dispatch_batch(app, &due_ids)).await
}

/// Dispatches all orders in one transaction. If this transaction fails, each order gets its own transaction, so that one failing
/// order does not delay the others.
async fn dispatch_batch(app: &App, due_ids: &[OrderId]) -> Result<WorkSummary> {
    match dispatch_in_transaction(app, due_ids).await {
        Ok(dispatched_count) => return Ok(WorkSummary::done(dispatched_count)),
        Err(error) if error.is_database_error() || error.is_retryable() => return Err(error),
        Err(error) => {
            let order_count = due_ids.len();
            tracing::warn!(
                order_count,
                ?error,
                "failed to dispatch a batch of orders; each order is retried in its own transaction"
            );
        }
    }
    let mut summary = WorkSummary::default();
    for order in due_ids {
        match dispatch_in_transaction(app, std::slice::from_ref(order)).await {
            Ok(dispatched_count) => summary.done += dispatched_count,
            Err(error) => {
                summary.record_failure(ORDER_LEASE.kind, order.as_record_id(), error)?;
                let until = app.clock.now().plus(RETRY_AFTER_FAILURE);
                warn_if_not_postponed(
                    order.as_record_id(),
                    dispatch::postpone_dispatch(&mut &app.db, *order, until).await,
                );
            }
        }
    }
    Ok(summary)
}

/// Logs a failure to postpone a failing record. If the record is not postponed, the next poll claims it again.
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

/// Decides the next step of each order and carries it out.
pub(super) async fn dispatch_orders(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    store::lock(work, ids).await?;
    let next_providers = load_next_providers(work, ids).await?;
    let mut orders_by_decision: HashMap<DispatchDecision, Vec<DispatchOrder>> = HashMap::new();
    for order in load_orders(work, ids).await? {
        let decision = order.decide(next_providers.get(&order.id));
        orders_by_decision.entry(decision).or_default().push(order);
    }
    let orders_for =
        |decision: DispatchDecision| orders_by_decision.get(&decision).map(Vec::as_slice).unwrap_or_default();
    dispatch::mark_dispatched(work, ids).await?;
    let first_attempt_ids = ids_without_attempts(orders_for(DispatchDecision::Send));
    let waiting_for_count = counter::start_and_wait_for_first_count(work, &first_attempt_ids).await?;
    let sendable_orders: Vec<&DispatchOrder> = orders_for(DispatchDecision::Send)
        .iter()
        .filter(|order| !waiting_for_count.contains(&order.id))
        .collect();
    insert_attempts(work, &sendable_orders, &next_providers).await?;
    complete_orders(work, orders_for(DispatchDecision::Complete)).await?;
    cancel_orders(work, orders_for(DispatchDecision::Cancel), CancelReason::ProviderFailure).await?;
    cancel_orders(work, orders_for(DispatchDecision::CancelAsRequested), CancelReason::CustomerRequest)
        .await?;
    mark_without_provider(work, orders_for(DispatchDecision::WaitForProvider)).await
}

/// Returns the ids of the orders that have no attempt yet.
fn ids_without_attempts(orders: &[DispatchOrder]) -> Vec<OrderId> {
    orders.iter().filter(|order| order.attempt_count == 0).map(|order| order.id).collect()
}

#[derive(Debug, sqlx::FromRow)]
struct DispatchOrder {
    id: OrderId,
    status: OrderStatus,
    undelivered_quantity: i64,
    is_complete_by_counter: bool,
    attempt_count: i64,
    live_attempt_count: i64,
    manual_attempt_count: i64,
    sent_attempt_count: i64,
    is_cancel_requested: bool,
    reorders_undelivered: bool,
    was_accepted: bool,
    auto_cancel: bool,
    no_refund: bool,
    has_active_providers: bool,
}

/// The provider to which an order would be sent next.
#[derive(Debug, Clone)]
struct NextProvider {
    id: ProviderId,
    /// `None` if staff deliver the order by hand.
    panel_id: Option<ExternalPanelId>,
}

impl DispatchOrder {
    fn decide(&self, next_provider: Option<&NextProvider>) -> DispatchDecision {
        let is_delivered = matches!(self.status, OrderStatus::InProcessing | OrderStatus::Stopped)
            && self.undelivered_quantity <= 0;
        // No external panel reports the end of a delivery by hand. Such a delivery ends when the whole quantity is delivered.
        let blocking_attempt_count = if is_delivered {
            self.live_attempt_count - self.manual_attempt_count
        } else {
            self.live_attempt_count
        };
        // An attempt blocks a cancellation only if it may have been sent, at any provider.
        let blocking_attempt_count = if self.is_cancel_requested && !is_delivered {
            self.sent_attempt_count
        } else {
            blocking_attempt_count
        };
        let input = DispatchInput {
            is_in_processing: self.status == OrderStatus::InProcessing,
            is_delivered,
            is_complete_by_counter: self.is_complete_by_counter,
            has_unfinished_attempt: blocking_attempt_count > 0,
            has_no_attempt: self.attempt_count == 0,
            reorders_undelivered: self.reorders_undelivered,
            has_next_provider: next_provider.is_some(),
            was_accepted: self.was_accepted,
            auto_cancel: self.auto_cancel,
            is_cancel_requested: self.is_cancel_requested,
        };
        match decide(input) {
            // Staff deliver the orders of a provider without an external panel by hand, so the server sends no request.
            DispatchDecision::Send if next_provider.is_some_and(|provider| provider.panel_id.is_none()) => {
                DispatchDecision::Wait
            }
            decision => decision,
        }
    }
}

// Store

/// Loads the ids of due orders. Orders have no lease, because one transaction does the whole dispatch of an order.
async fn load_due_ids(app: &App) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT id FROM orders WHERE dispatch_at IS NOT NULL AND dispatch_at <= ?");
    let sql = sql.bind(app.clock.now());
    let sql = sql.append(quarantine::claimable_condition_without_lease(app, Poller::Order, "orders.id"));
    let sql = sql.push(" ORDER BY dispatch_at, id LIMIT ?").bind(BATCH_SIZE);
    let rows: Vec<(OrderId,)> = (&mut &app.db).fetch_all(sql).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Locks the orders that are still due, and skips orders that another process has locked.
async fn lock_due(work: &mut UnitOfWork, due_ids: &[OrderId]) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT id FROM orders WHERE dispatch_at IS NOT NULL AND dispatch_at <= ? AND id IN ");
    let sql = sql.bind(work.now).ids(due_ids).push(" ORDER BY dispatch_at, id").for_update_skip_locked();
    Ok(work.fetch_all::<(OrderId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// Loads the orders with the numbers of their attempts. Attempts that were withdrawn before they were sent do not count. An attempt
/// with a cancel request but without an external id does not block its order, because its status cannot be polled.
async fn load_orders(work: &mut UnitOfWork, ids: &[OrderId]) -> Result<Vec<DispatchOrder>> {
    let sql = Sql::new(concat!(
        "SELECT o.id, o.status, o.quantity - o.current_quantity AS undelivered_quantity, s.auto_cancel, s.no_refund, s.has_active_providers,
           s.real_counter_complete_is_enabled AND COALESCE(o.external_statistics_quantity, 0) >= o.quantity AS is_complete_by_counter,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND (e.cancel_requested_at IS NULL OR e.sent_at IS NOT NULL)) AS attempt_count,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND ",
        attempt_is!(unfinished, "e"),
        " AND (e.cancel_requested_at IS NULL OR e.external_order_id IS NOT NULL)) AS live_attempt_count,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND ",
        attempt_is!(by_hand, "e"),
        " AND e.cancel_requested_at IS NULL) AS manual_attempt_count,
           (SELECT count(*) FROM external_panel_orders e WHERE e.order_id = o.id AND ",
        attempt_is!(unfinished, "e"),
        " AND (e.sent_at IS NOT NULL OR e.external_order_id IS NOT NULL OR e.external_panel_id IS NULL)) AS sent_attempt_count, ",
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

/// An order, one provider of its service, the external panel of the provider, and the type of the service as a string of the
/// external panel.
type CandidateRow = (OrderId, ProviderId, Option<ExternalPanelId>, String);

/// Selects the next provider of each order: the first available provider of its service that has not already ended an attempt of
/// the order without delivering the whole quantity. A provider whose external panel would reject the order because of a missing
/// answer comes last. If no other provider exists, the error of its attempt names the missing answer.
async fn load_next_providers(
    work: &mut UnitOfWork,
    ids: &[OrderId],
) -> Result<HashMap<OrderId, NextProvider>> {
    let sql = Sql::new(concat!(
        "SELECT o.id, p.id, p.external_panel_id, COALESCE(k.type, '') FROM orders o
         JOIN service_providers m ON m.service_id = o.service_id JOIN providers p ON p.id = m.provider_id
         LEFT JOIN external_panel_services k ON k.external_panel_id = p.external_panel_id AND k.external_panel_service_id = p.external_panel_service_id
         WHERE ",
        provider_is_available!(),
        " AND NOT EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.order_id = o.id AND e.provider_id = p.id AND ",
        attempt_is!(partial_or_canceled, "e"),
        " AND e.cancel_requested_at IS NULL) AND o.id IN ",
    ));
    let sql = sql.ids(ids).push(" ORDER BY o.id, m.position, p.id");
    let rows: Vec<CandidateRow> = work.fetch_all(sql).await?;
    let needs_answers = |panel_type: &str| check_deliverable(panel_type, &[]).is_err();
    let ids_that_need_answers: Vec<OrderId> =
        rows.iter().filter(|(.., panel_type)| needs_answers(panel_type)).map(|(id, ..)| *id).collect();
    let answers = if ids_that_need_answers.is_empty() {
        HashMap::new()
    } else {
        load_answer_kinds(work, &ids_that_need_answers).await?
    };
    // A provider that cannot deliver an order is selected only if no other provider can deliver the order.
    let (mut able_providers, mut unable_providers) = (HashMap::new(), HashMap::new());
    for (order, id, panel_id, panel_type) in rows {
        let order_answers = answers.get(&order).map_or(&[][..], Vec::as_slice);
        let can_deliver = check_deliverable(&panel_type, order_answers).is_ok();
        let providers = if can_deliver { &mut able_providers } else { &mut unable_providers };
        providers.entry(order).or_insert(NextProvider { id, panel_id });
    }
    for (order, provider) in unable_providers {
        able_providers.entry(order).or_insert(provider);
    }
    Ok(able_providers)
}

/// Whether the order of this attempt would fail over to another provider if the attempt ended now.
pub(super) async fn has_other_provider(work: &mut UnitOfWork, attempt: ExternalOrderId) -> Result<bool> {
    let sql = Sql::new(concat!(
        "SELECT p.id FROM external_panel_orders a JOIN orders o ON o.id = a.order_id JOIN external_panels x ON x.id = a.external_panel_id
         JOIN service_providers m ON m.service_id = o.service_id JOIN providers p ON p.id = m.provider_id AND p.id <> a.provider_id
         WHERE a.id = ? AND x.auto_recreate_orders_is_allowed AND o.status = 'in_processing' AND ",
        provider_is_available!(),
        " AND NOT EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.order_id = o.id AND e.provider_id = p.id AND ",
        attempt_is!(partial_or_canceled, "e"),
        " AND e.cancel_requested_at IS NULL) LIMIT 1"
    ));
    Ok(work.fetch_optional::<(ProviderId,)>(sql.bind(attempt)).await?.is_some())
}

/// Inserts a placement attempt for each order, which is due immediately.
async fn insert_attempts(
    work: &mut UnitOfWork,
    orders: &[&DispatchOrder],
    next_providers: &HashMap<OrderId, NextProvider>,
) -> Result<()> {
    let to_share = |order: &&DispatchOrder| {
        let provider = next_providers.get(&order.id)?;
        Some(OrderShare { order: order.id, provider: provider.id, quantity: order.undelivered_quantity })
    };
    let shares: Vec<OrderShare> = orders.iter().filter_map(to_share).collect();
    if shares.is_empty() {
        return Ok(());
    }
    let ordered_quantities = ratio::load_ordered_quantities(work, &shares).await?;
    ratio::record_full_fill(work, &ordered_quantities).await?;
    let now = work.now;
    let to_new_attempt = |share: &OrderShare| {
        let quantity = ordered_quantities.get(&share.order)?;
        Some(NewAttempt {
            order_id: share.order,
            provider_id: share.provider,
            initial_quantity: quantity.ordered,
            sold_quantity: quantity.sold,
            due_at: Some(now),
        })
    };
    insert(work, &shares.iter().filter_map(to_new_attempt).collect::<Vec<_>>(), now).await?;
    let ids_with_provider = orders.iter().filter(|order| order.has_active_providers).map(|order| order.id);
    dispatch::set_without_provider(work, &ids_with_provider.collect::<Vec<_>>(), false).await?;
    Ok(())
}

async fn complete_orders(work: &mut UnitOfWork, orders: &[DispatchOrder]) -> Result<()> {
    if !orders.is_empty() {
        apply_action(work, &bulk_action(OrderAction::Complete, orders, None)).await?;
    }
    Ok(())
}

/// Cancels the orders and refunds the undelivered quantity, unless the service gives no refunds.
async fn cancel_orders(work: &mut UnitOfWork, orders: &[DispatchOrder], reason: CancelReason) -> Result<()> {
    for gives_refund in [true, false] {
        let ids: Vec<OrderId> =
            orders.iter().filter(|order| order.no_refund != gives_refund).map(|order| order.id).collect();
        if ids.is_empty() {
            continue;
        }
        let input =
            CancelInput { return_money: gives_refund, cancel_reason: Some(reason), ..CancelInput::default() };
        apply_action(
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
    let changed_ids = dispatch::set_without_provider(work, &ids, true).await?;
    let audit_values = |has_no_provider: bool| json!({ "has_no_active_providers": has_no_provider });
    let changes = changed_ids.into_iter().map(|id| AuditChange {
        id: id.as_record_id(),
        old: audit_values(false),
        new: audit_values(true),
    });
    audit::record_all(work, "order.left_without_provider", "order", changes.collect()).await
}
