//! Staff decide about one or many cancel requests. A confirmation cancels the order as the action `cancel` of orders does; after
//! a rejection the order continues. This module locks the orders first, then all users whose balance may change, then the requests.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use panel_contract::amount::Money;
use panel_contract::cancel_requests::{
    CancelRequestStatus, ConfirmCancelRequestInput, ConfirmCancelRequestsInput, OrderCancelRequest,
};
use panel_contract::common::{AffectedIds, BulkOutcome, BulkTotals, Data, SkippedRecord};
use panel_contract::ids::{CancelRequestId, OrderId, ServiceId, UserId};
use panel_contract::moment::Time;
use panel_contract::orders::CancelInput;
use panel_domain::cancel_requests;
use panel_domain::orders::{MAX_IDS, OrderAction};
use panel_domain::states::cancel_requests::{CancelRequestEvent, CancelRequestState};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use super::request::cancel_input;
use super::{CANCEL_REQUESTS, CancelRequestRow, store};
use crate::context::Ctx;
use crate::operations::orders::apply::apply_action;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::bulk_result::sorted_unique;
use crate::operations::orders::store as order_store;
use crate::stores::orders::dispatch::schedule_dispatch;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::ledger;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// Confirms one request: cancels its order, and refunds the amount in the body or the default refund.
pub(super) async fn confirm_request(
    ctx: Ctx,
    id: CancelRequestId,
    body: ConfirmCancelRequestInput,
) -> Result<Data<OrderCancelRequest>> {
    let mut work = ctx.begin().await?;
    let request = lock_request(&mut work, id).await?;
    request.check_event(CancelRequestEvent::OrderCanceled)?;
    let with_refund = body.amount.is_some() || !request.no_refund;
    let cancel =
        CancelInput { amount: body.amount, ..cancel_input(with_refund, body.send_email_notification) };
    let bulk_action = BulkAction {
        action: OrderAction::Cancel,
        ids: vec![request.order_id],
        cancel: Some(cancel),
        is_undoable: false,
    };
    apply_action(&mut work, &bulk_action).await?.into_single()?;
    commit_and_respond(work, &ctx, id).await
}

/// Rejects one request: its order continues.
pub(super) async fn reject_request(ctx: Ctx, id: CancelRequestId) -> Result<Data<OrderCancelRequest>> {
    let mut work = ctx.begin().await?;
    let request = lock_request(&mut work, id).await?;
    request.check_event(CancelRequestEvent::Reject)?;
    reject_locked_requests(&mut work, &[&request]).await?;
    commit_and_respond(work, &ctx, id).await
}

/// Confirms many requests, each with its default refund, and reports the requests that the rules do not allow to confirm.
pub(super) async fn confirm_requests(ctx: Ctx, body: &ConfirmCancelRequestsInput) -> Result<BulkOutcome> {
    let ids = check_ids(&body.ids)?;
    let mut work = ctx.begin().await?;
    let (decidable_requests, mut skipped) =
        split_decidable(&mut work, &ids, CancelRequestEvent::OrderCanceled).await?;
    let requests_by_order: HashMap<OrderId, CancelRequestId> =
        decidable_requests.iter().map(|request| (request.order_id, request.id)).collect();
    let mut transitions = Vec::new();
    for with_refund in [true, false] {
        let orders = decidable_requests.iter().filter(|request| request.no_refund != with_refund);
        let bulk_action = BulkAction {
            action: OrderAction::Cancel,
            ids: orders.map(|request| request.order_id).collect(),
            cancel: Some(cancel_input(with_refund, body.send_email_notification)),
            is_undoable: false,
        };
        if bulk_action.ids.is_empty() {
            continue;
        }
        let (order_transitions, skipped_orders) = apply_action(&mut work, &bulk_action).await?.into_parts();
        transitions.extend(order_transitions);
        let with_request_id = |skip: SkippedRecord| SkippedRecord {
            id: requests_by_order.get(&skip.id.typed_as::<OrderId>()).map_or(skip.id, |id| id.as_record_id()),
            ..skip
        };
        skipped.extend(skipped_orders.into_iter().map(with_request_id));
    }
    let refunded_transitions = transitions.iter().filter(|transition| !transition.refunds.is_empty());
    let affected_ids = AffectedIds {
        users: sorted_unique(refunded_transitions.map(|transition| transition.order.user_id)),
        services: sorted_unique(transitions.iter().map(|transition| transition.order.service_id)),
        customers: sorted_unique(transitions.iter().map(|transition| transition.order.user_id)),
    };
    let totals = BulkTotals {
        orders: i64::try_from(transitions.len()).unwrap_or(i64::MAX),
        refunded: Money::sum(transitions.iter().map(|transition| transition.refund_total()))?,
        ..affected_ids.totals()
    };
    let outcome = build_bulk_outcome(&ctx, &ids, skipped, (totals, affected_ids))?;
    work.finish(outcome).await
}

/// Rejects many requests, and reports the requests that the rules do not allow staff to reject.
pub(super) async fn reject_requests(ctx: Ctx, ids: &[CancelRequestId]) -> Result<BulkOutcome> {
    let ids = check_ids(ids)?;
    let mut work = ctx.begin().await?;
    let (decidable_requests, skipped) = split_decidable(&mut work, &ids, CancelRequestEvent::Reject).await?;
    reject_locked_requests(&mut work, &decidable_requests.iter().collect::<Vec<_>>()).await?;
    let affected_ids = AffectedIds {
        users: Vec::new(),
        services: sorted_unique(decidable_requests.iter().map(|request| request.service_id)),
        customers: sorted_unique(decidable_requests.iter().map(|request| request.user_id)),
    };
    let orders = i64::try_from(decidable_requests.len()).unwrap_or(i64::MAX);
    let totals = BulkTotals { orders, ..affected_ids.totals() };
    let outcome = build_bulk_outcome(&ctx, &ids, skipped, (totals, affected_ids))?;
    work.finish(outcome).await
}

/// Rejects requests, and schedules their orders for the dispatcher.
async fn reject_locked_requests(work: &mut UnitOfWork, requests: &[&LockedRequest]) -> Result<()> {
    let ids: Vec<CancelRequestId> = requests.iter().map(|request| request.id).collect();
    let orders: Vec<OrderId> = requests.iter().map(|request| request.order_id).collect();
    store::record_rejected(work, &ids).await?;
    let now = work.now;
    Ok(schedule_dispatch(work, &orders, now).await?)
}

async fn commit_and_respond(
    mut work: UnitOfWork,
    ctx: &Ctx,
    id: CancelRequestId,
) -> Result<Data<OrderCancelRequest>> {
    let mut rows =
        table::load_rows_from(&mut work, ctx, &CANCEL_REQUESTS, &[id], CancelRequestRow::into_response)
            .await?;
    let data = rows.pop().ok_or_else(|| Error::not_found("cancel request", id))?;
    work.finish(Data { data }).await
}

// Rules

/// Returns the ids of a bulk decision without duplicates, in the order of the input. Rejects an empty list and more than
/// [`MAX_IDS`] ids.
fn check_ids(ids: &[CancelRequestId]) -> Result<Vec<CancelRequestId>, Rejection> {
    if ids.is_empty() || ids.len() > MAX_IDS {
        let message = format!("Send 1 to {MAX_IDS} ids of cancel requests; the list has {}.", ids.len());
        return Err(Rejection::invalid("ids", "ids_out_of_bounds", message));
    }
    let mut unique_ids = BTreeSet::new();
    Ok(ids.iter().copied().filter(|id| unique_ids.insert(*id)).collect())
}

/// Builds the response of a bulk decision; an error with all reasons if no request was decided.
fn build_bulk_outcome(
    ctx: &Ctx,
    ids: &[CancelRequestId],
    mut skipped: Vec<SkippedRecord>,
    (totals, affected_ids): (BulkTotals, AffectedIds),
) -> Result<BulkOutcome, Error> {
    let positions: HashMap<CancelRequestId, usize> =
        ids.iter().enumerate().map(|(position, id)| (*id, position)).collect();
    skipped.sort_by_key(|skip| positions.get(&skip.id.typed_as::<CancelRequestId>()).copied());
    if totals.orders == 0 {
        return Err(Error::nothing_processed("ids", "cancel requests", skipped));
    }
    Ok(BulkOutcome {
        processed: totals.orders,
        skipped,
        totals,
        dry_run: ctx.meta.dry_run,
        undo: None,
        costs: None,
        affected_ids,
    })
}

// Store

/// A locked request with the data that a decision needs.
#[derive(Debug, Clone, sqlx::FromRow)]
struct LockedRequest {
    id: CancelRequestId,
    order_id: OrderId,
    status: CancelRequestStatus,
    acknowledged_at: Option<Time>,
    escalated_at: Option<Time>,
    no_refund: bool,
    user_id: UserId,
    service_id: ServiceId,
}

impl LockedRequest {
    fn check_event(&self, event: CancelRequestEvent) -> Result<(), Rejection> {
        let (is_acknowledged, is_escalated) = (self.acknowledged_at.is_some(), self.escalated_at.is_some());
        let state = CancelRequestState::of(self.status, is_acknowledged, is_escalated);
        cancel_requests::check_decision(state, self.status, event)
    }
}

/// Locks the requests after their orders and users, and returns them by id. A bulk confirmation refunds in two steps, so all
/// customers and all users with a commission for their orders are locked at once; otherwise two bulk decisions could deadlock.
async fn lock_requests(
    work: &mut UnitOfWork,
    ids: &[CancelRequestId],
) -> Result<BTreeMap<CancelRequestId, LockedRequest>> {
    let select_orders = Sql::new("SELECT order_id FROM order_cancel_requests WHERE id IN ").ids(ids);
    let rows: Vec<(OrderId,)> = work.fetch_all(select_orders).await?;
    let order_ids: Vec<OrderId> = rows.into_iter().map(|(id,)| id).collect();
    order_store::lock(work, &order_ids).await?;
    let select_users = Sql::new("SELECT user_id FROM orders WHERE id IN ").ids(&order_ids);
    let select_users = select_users.push(
        " UNION SELECT x.user_id FROM user_affiliates x JOIN orders o ON o.user_id = x.referral_id WHERE o.id IN ",
    );
    let rows: Vec<(UserId,)> = work.fetch_all(select_users.ids(&order_ids).push(" ORDER BY user_id")).await?;
    let user_ids: Vec<UserId> = rows.into_iter().map(|(id,)| id).collect();
    if !user_ids.is_empty() {
        ledger::lock_balances(work, &user_ids).await?;
    }
    work.lock("order_cancel_requests", ids).await?;
    let sql = Sql::new(
        "SELECT c.id, c.order_id, c.status, c.acknowledged_at, c.escalated_at, s.no_refund, o.user_id, o.service_id FROM order_cancel_requests c
         JOIN orders o ON o.id = c.order_id JOIN services s ON s.id = o.service_id WHERE c.id IN ",
    );
    let rows: Vec<LockedRequest> = work.fetch_all(sql.ids(ids).push(" ORDER BY c.id")).await?;
    Ok(rows.into_iter().map(|request| (request.id, request)).collect())
}

async fn lock_request(work: &mut UnitOfWork, id: CancelRequestId) -> Result<LockedRequest> {
    lock_requests(work, &[id]).await?.remove(&id).ok_or_else(|| Error::not_found("cancel request", id))
}

/// Locks the requests. Returns those in a state that allows the event, and a skip record with the reason for each other one.
async fn split_decidable(
    work: &mut UnitOfWork,
    ids: &[CancelRequestId],
    event: CancelRequestEvent,
) -> Result<(Vec<LockedRequest>, Vec<SkippedRecord>)> {
    let mut locked_requests = lock_requests(work, ids).await?;
    let (mut decidable_requests, mut skipped) = (Vec::new(), Vec::new());
    for id in ids {
        let Some(request) = locked_requests.remove(id) else {
            let message = format!("There is no cancel request {id}.");
            skipped.push(SkippedRecord { id: id.as_record_id(), code: "not_found".into(), message });
            continue;
        };
        match request.check_event(event) {
            Ok(()) => decidable_requests.push(request),
            Err(rejection) => {
                skipped.push(SkippedRecord {
                    id: id.as_record_id(),
                    code: rejection.code.into(),
                    message: rejection.message,
                });
            }
        }
    }
    Ok((decidable_requests, skipped))
}
