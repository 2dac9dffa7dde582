//! Staff decide about requests, one or many: a confirmation cancels the order by its own action, a refusal lets it go on.
//! Orders are locked first, then all users whose balance may move, then the requests.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use panel_contract::amount::Money;
use panel_contract::cancel_requests::{
    CancelRequestStatus, ConfirmCancelRequestInput, ConfirmCancelRequestsInput, OrderCancelRequest,
};
use panel_contract::common::{BulkOutcome, BulkReach, BulkTotals, Data, Skipped};
use panel_contract::ids::{CancelRequestId, OrderId, ServiceId, UserId};
use panel_contract::moment::Time;
use panel_contract::orders::CancelInput;
use panel_domain::cancel_requests;
use panel_domain::orders::{Action, MOST_IDS};
use panel_domain::states::cancel_requests::{CancelRequestEvent, CancelRequestState};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use super::request::input;
use super::{CANCEL_REQUESTS, Record, store};
use crate::context::Ctx;
use crate::operations::orders::apply::{apply, distinct};
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::store as order_store;
use crate::stores::orders::dispatch::schedule_dispatch;
use panel_platform::db::{Source as _, Sql};
use panel_platform::ledger;
use panel_platform::table;
use panel_platform::work::Work;

/// Confirms one: its order is canceled, with the amount given or the default refund.
pub(super) async fn confirm(
    ctx: Ctx,
    id: CancelRequestId,
    body: ConfirmCancelRequestInput,
) -> Result<Data<OrderCancelRequest>> {
    let mut work = ctx.begin().await?;
    let request = lock_one(&mut work, id).await?;
    request.judge(CancelRequestEvent::OrderCanceled)?;
    let returns = body.amount.is_some() || !request.no_refund;
    let cancel = CancelInput { amount: body.amount, ..input(returns, body.send_email_notification) };
    let wanted = BulkAction {
        action: Action::Cancel,
        ids: vec![request.order_id],
        cancel: Some(cancel),
        is_undoable: false,
    };
    apply(&mut work, &wanted).await?.single()?;
    answer(work, &ctx, id).await
}

/// Refuses one: its order goes on.
pub(super) async fn refuse(ctx: Ctx, id: CancelRequestId) -> Result<Data<OrderCancelRequest>> {
    let mut work = ctx.begin().await?;
    let request = lock_one(&mut work, id).await?;
    request.judge(CancelRequestEvent::Refuse)?;
    refuse_all(&mut work, &[&request]).await?;
    answer(work, &ctx, id).await
}

/// Confirms many, each with its own default refund; the others are reported.
pub(super) async fn confirm_many(ctx: Ctx, body: &ConfirmCancelRequestsInput) -> Result<BulkOutcome> {
    let ids = check_ids(&body.ids)?;
    let mut work = ctx.begin().await?;
    let (open, mut skipped) = judged(&mut work, &ids, CancelRequestEvent::OrderCanceled).await?;
    let by_order: HashMap<OrderId, CancelRequestId> =
        open.iter().map(|request| (request.order_id, request.id)).collect();
    let mut all = Vec::new();
    for returns in [true, false] {
        let orders = open.iter().filter(|request| request.no_refund != returns);
        let wanted = BulkAction {
            action: Action::Cancel,
            ids: orders.map(|request| request.order_id).collect(),
            cancel: Some(input(returns, body.send_email_notification)),
            is_undoable: false,
        };
        if wanted.ids.is_empty() {
            continue;
        }
        let (moved, refused) = apply(&mut work, &wanted).await?.into_parts();
        all.extend(moved);
        let own = |skip: Skipped| Skipped {
            id: by_order.get(&skip.id.known_as::<OrderId>()).map_or(skip.id, |id| id.record()),
            ..skip
        };
        skipped.extend(refused.into_iter().map(own));
    }
    let paid = all.iter().filter(|order| !order.returned.is_empty());
    let reach = BulkReach {
        users: distinct(paid.map(|order| order.facts.user_id)),
        services: distinct(all.iter().map(|order| order.facts.service_id)),
        customers: distinct(all.iter().map(|order| order.facts.user_id)),
    };
    let totals = BulkTotals {
        orders: i64::try_from(all.len()).unwrap_or(i64::MAX),
        returned: Money::sum(all.iter().map(|order| order.returned_total()))?,
        ..reach.totals()
    };
    let outcome = outcome(&ctx, &ids, skipped, (totals, reach))?;
    work.finish(outcome).await
}

/// Refuses many; the others are reported.
pub(super) async fn refuse_many(ctx: Ctx, ids: &[CancelRequestId]) -> Result<BulkOutcome> {
    let ids = check_ids(ids)?;
    let mut work = ctx.begin().await?;
    let (open, skipped) = judged(&mut work, &ids, CancelRequestEvent::Refuse).await?;
    refuse_all(&mut work, &open.iter().collect::<Vec<_>>()).await?;
    let reach = BulkReach {
        users: Vec::new(),
        services: distinct(open.iter().map(|request| request.service_id)),
        customers: distinct(open.iter().map(|request| request.user_id)),
    };
    let orders = i64::try_from(open.len()).unwrap_or(i64::MAX);
    let totals = BulkTotals { orders, ..reach.totals() };
    let outcome = outcome(&ctx, &ids, skipped, (totals, reach))?;
    work.finish(outcome).await
}

/// The orders go on: the dispatcher looks at them again.
async fn refuse_all(work: &mut Work, requests: &[&Request]) -> Result<()> {
    let ids: Vec<CancelRequestId> = requests.iter().map(|request| request.id).collect();
    let orders: Vec<OrderId> = requests.iter().map(|request| request.order_id).collect();
    store::refuse(work, &ids).await?;
    let now = work.now;
    Ok(schedule_dispatch(work, &orders, now).await?)
}

async fn answer(mut work: Work, ctx: &Ctx, id: CancelRequestId) -> Result<Data<OrderCancelRequest>> {
    let mut rows = table::rows_from(&mut work, ctx, &CANCEL_REQUESTS, &[id], Record::shown).await?;
    let data = rows.pop().ok_or_else(|| Error::not_found("cancel request", id))?;
    work.finish(Data { data }).await
}

// Rules

/// The ids of a bulk decision: 1 to 10,000, each once, in the order given.
fn check_ids(ids: &[CancelRequestId]) -> Result<Vec<CancelRequestId>, Rejection> {
    if ids.is_empty() || ids.len() > MOST_IDS {
        let message = format!("Give 1 to {MOST_IDS} ids of cancel requests; there are {}.", ids.len());
        return Err(Rejection::invalid("ids", "ids_out_of_bounds", message));
    }
    let mut seen = BTreeSet::new();
    Ok(ids.iter().copied().filter(|id| seen.insert(*id)).collect())
}

/// The answer of a bulk decision; when nothing was decided, that is an error which says why.
fn outcome(
    ctx: &Ctx,
    ids: &[CancelRequestId],
    mut skipped: Vec<Skipped>,
    (totals, reach): (BulkTotals, BulkReach),
) -> Result<BulkOutcome, Error> {
    let place: HashMap<CancelRequestId, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    skipped.sort_by_key(|skip| place.get(&skip.id.known_as::<CancelRequestId>()).copied());
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
        reach,
    })
}

// Store

/// What a decision looks at, locked.
#[derive(Debug, Clone, sqlx::FromRow)]
struct Request {
    id: CancelRequestId,
    order_id: OrderId,
    status: CancelRequestStatus,
    acknowledged_at: Option<Time>,
    escalated_at: Option<Time>,
    no_refund: bool,
    user_id: UserId,
    service_id: ServiceId,
}

impl Request {
    fn judge(&self, event: CancelRequestEvent) -> Result<(), Rejection> {
        let (is_acknowledged, is_escalated) = (self.acknowledged_at.is_some(), self.escalated_at.is_some());
        let state = CancelRequestState::of(self.status, is_acknowledged, is_escalated);
        cancel_requests::judge(state, self.status, event)
    }
}

/// Requests by id, locked after their orders and customers. A bulk confirmation refunds in two steps: all customers, and those
/// who get commissions for their orders, are locked in one pass, so that two bulks never wait for each other.
async fn lock(work: &mut Work, ids: &[CancelRequestId]) -> Result<BTreeMap<CancelRequestId, Request>> {
    let orders = Sql::new("SELECT order_id FROM order_cancel_requests WHERE id IN ").ids(ids);
    let orders: Vec<(OrderId,)> = work.all(orders).await?;
    let orders: Vec<OrderId> = orders.into_iter().map(|(order,)| order).collect();
    order_store::lock(work, &orders).await?;
    let people = Sql::new("SELECT user_id FROM orders WHERE id IN ").ids(&orders);
    let people = people.push(
        " UNION SELECT x.user_id FROM user_affiliates x JOIN orders o ON o.user_id = x.referral_id WHERE o.id IN ",
    );
    let people: Vec<(UserId,)> = work.all(people.ids(&orders).push(" ORDER BY user_id")).await?;
    let people: Vec<UserId> = people.into_iter().map(|(id,)| id).collect();
    if !people.is_empty() {
        ledger::balances(work, &people).await?;
    }
    work.lock("order_cancel_requests", ids).await?;
    let sql = Sql::new(
        "SELECT c.id, c.order_id, c.status, c.acknowledged_at, c.escalated_at, s.no_refund, o.user_id, o.service_id FROM order_cancel_requests c
         JOIN orders o ON o.id = c.order_id JOIN services s ON s.id = o.service_id WHERE c.id IN ",
    );
    let rows: Vec<Request> = work.all(sql.ids(ids).push(" ORDER BY c.id")).await?;
    Ok(rows.into_iter().map(|request| (request.id, request)).collect())
}

async fn lock_one(work: &mut Work, id: CancelRequestId) -> Result<Request> {
    lock(work, &[id]).await?.remove(&id).ok_or_else(|| Error::not_found("cancel request", id))
}

/// Those that an event may happen to, and why the others are left as they are.
async fn judged(
    work: &mut Work,
    ids: &[CancelRequestId],
    event: CancelRequestEvent,
) -> Result<(Vec<Request>, Vec<Skipped>)> {
    let mut found = lock(work, ids).await?;
    let (mut open, mut skipped) = (Vec::new(), Vec::new());
    for id in ids {
        let Some(request) = found.remove(id) else {
            let message = format!("There is no cancel request {id}.");
            skipped.push(Skipped { id: id.record(), code: "not_found".into(), message });
            continue;
        };
        match request.judge(event) {
            Ok(()) => open.push(request),
            Err(refusal) => {
                skipped.push(Skipped {
                    id: id.record(),
                    code: refusal.code.into(),
                    message: refusal.message,
                });
            }
        }
    }
    Ok((open, skipped))
}
