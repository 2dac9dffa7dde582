//! What becomes of orders whose turn it is: a first attempt, the next one, completed, canceled, or left for staff. All
//! of it in the caller's transaction, set-wise, with the orders locked. No call to the outside.

use std::collections::HashMap;
use std::time::Duration;

use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId, ProviderId, RecordId};
use panel_contract::orders::{CancelInput, CancelReason, OrderStatus};
use panel_contract::quarantine::Poller;
use panel_domain::dispatch::{Case, Next, next};
use panel_domain::orders::Action;
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
use crate::pricing::ratio::{self, Share};
use crate::stores::orders::dispatch;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::insert::{NewAttempt, insert};
use crate::supply::counter;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::poller::worked::Worked;
use panel_platform::quarantine;
use panel_platform::scope::Scope;
use panel_platform::work::Work;

/// An order that failed is tried again after this time, so that it takes no place of those behind it.
const FAILED_RETRY: Duration = Duration::from_secs(60);
/// Orders taken at once.
const BATCH: i64 = 200;

/// Takes orders whose turn it is; how many there were. Processes may do so side by side.
pub async fn take_due(app: &App) -> Result<usize> {
    Ok(poll(app).await?.done)
}

/// As [`take_due`], with what became of the orders.
pub(super) async fn poll(app: &App) -> Result<Worked> {
    // A look that needs no writer, as there is mostly nothing to do.
    let due = due_ids(app).await?;
    if due.is_empty() {
        return Ok(Worked::default());
    }
    let batch = quarantine::claim_for(app, Poller::Order, &due).await?;
    batch.work(app, take_all(app, &due)).await
}

/// All in one transaction; where that fails, each order in a transaction of its own, so that an order that fails holds up no other.
async fn take_all(app: &App, due: &[OrderId]) -> Result<Worked> {
    match take(app, due).await {
        Ok(taken) => return Ok(Worked::done(taken)),
        Err(error) if error.is_of_database() || error.is_worth_a_retry() => return Err(error),
        Err(error) => {
            let orders = due.len();
            tracing::warn!(orders, ?error, "failed to dispatch orders together; each is tried alone");
        }
    }
    let mut worked = Worked::default();
    for order in due {
        match take(app, std::slice::from_ref(order)).await {
            Ok(taken) => worked.done += taken,
            Err(error) => {
                worked.fail(ORDER.kind, order.record(), error)?;
                let until = app.clock.now().after(FAILED_RETRY);
                put_off(order.record(), dispatch::put_off_dispatch(&mut &app.db, *order, until).await);
            }
        }
    }
    Ok(worked)
}

/// Logs that a record that failed could not be put off: it takes a place of the next poll again.
pub(super) fn put_off(record_id: RecordId, written: DbResult<()>) {
    if let Err(error) = written {
        tracing::warn!(record_id = record_id.get(), ?error, "failed to put a failing record off");
    }
}

async fn take(app: &App, due: &[OrderId]) -> Result<usize> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    let ids = claim(&mut work, due).await?;
    settle(&mut work, &ids).await?;
    work.finish(()).await?;
    Ok(ids.len())
}

/// Judges these orders and does what follows.
pub(super) async fn settle(work: &mut Work, ids: &[OrderId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    store::lock(work, ids).await?;
    let untried = providers(work, ids).await?;
    let mut follows: HashMap<Next, Vec<Order>> = HashMap::new();
    for order in orders(work, ids).await? {
        let next = order.next(untried.get(&order.id));
        follows.entry(next).or_default().push(order);
    }
    let of = |next: Next| follows.get(&next).map(Vec::as_slice).unwrap_or_default();
    dispatch::mark_dispatched(work, ids).await?;
    let held = counter::hold(work, &fresh(of(Next::Send))).await?;
    let sent: Vec<&Order> = of(Next::Send).iter().filter(|order| !held.contains(&order.id)).collect();
    attempt(work, &sent, &untried).await?;
    complete(work, of(Next::Complete)).await?;
    cancel(work, of(Next::Cancel), CancelReason::ProviderFailure).await?;
    cancel(work, of(Next::CancelAsRequested), CancelReason::CustomerRequest).await?;
    abandon(work, of(Next::Abandon)).await
}

/// Those of which nothing was sent yet.
fn fresh(orders: &[Order]) -> Vec<OrderId> {
    orders.iter().filter(|order| order.attempts == 0).map(|order| order.id).collect()
}

#[derive(Debug, sqlx::FromRow)]
struct Order {
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
    was_taken: bool,
    auto_cancel: bool,
    no_refund: bool,
    has_active_providers: bool,
}

/// Who would be next.
#[derive(Debug, Clone)]
struct Provider {
    id: ProviderId,
    /// None: staff deliver by hand.
    panel: Option<ExternalPanelId>,
}

impl Order {
    fn next(&self, untried: Option<&Provider>) -> Next {
        let is_full =
            matches!(self.status, OrderStatus::InProcessing | OrderStatus::Stopped) && self.undelivered <= 0;
        // Nobody says that a delivery by hand is over: it is when all of the order is there.
        let live = if is_full { self.live - self.by_hand } else { self.live };
        // What was not sent does not hold up a cancel, and what may have been sent does, whichever provider has it.
        let live = if self.is_cancel_requested && !is_full { self.sent } else { live };
        let case = Case {
            runs: self.status == OrderStatus::InProcessing,
            is_full,
            is_counted: self.is_counted,
            has_live: live > 0,
            is_fresh: self.attempts == 0,
            recreates: self.recreates,
            has_next: untried.is_some(),
            was_taken: self.was_taken,
            cancels: self.auto_cancel,
            is_cancel_requested: self.is_cancel_requested,
        };
        match next(case) {
            // Who delivers by hand is sent nothing.
            Next::Send if untried.is_some_and(|provider| provider.panel.is_none()) => Next::Wait,
            next => next,
        }
    }
}

// Store

/// Orders whose turn it is. They have no lease: what is done of them is done in one transaction.
async fn due_ids(app: &App) -> Result<Vec<OrderId>> {
    let due = Sql::new("SELECT id FROM orders WHERE dispatch_at IS NOT NULL AND dispatch_at <= ?");
    let due = due.bind(app.clock.now());
    let due = due.append(quarantine::condition_without_lease(app, Poller::Order, "orders.id"));
    let due = due.push(" ORDER BY dispatch_at, id LIMIT ?").bind(BATCH);
    let due: Vec<(OrderId,)> = (&mut &app.db).all(due).await?;
    Ok(due.into_iter().map(|(id,)| id).collect())
}

/// Those of these that no other process took meanwhile or holds now.
async fn claim(work: &mut Work, due: &[OrderId]) -> Result<Vec<OrderId>> {
    let sql = Sql::new("SELECT id FROM orders WHERE dispatch_at IS NOT NULL AND dispatch_at <= ? AND id IN ");
    let sql = sql.bind(work.now).ids(due).push(" ORDER BY dispatch_at, id").for_update_skipping();
    Ok(work.all::<(OrderId,)>(sql).await?.into_iter().map(|(id,)| id).collect())
}

/// An attempt that was taken back before it was sent is none. Whom an order was taken from, and who has no id of it to
/// follow, does not hold it up.
async fn orders(work: &mut Work, ids: &[OrderId]) -> Result<Vec<Order>> {
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
             AND (e.cancel_requested_at IS NULL OR e.sent_at IS NOT NULL) ORDER BY e.id DESC LIMIT 1), FALSE) AS was_taken
         FROM orders o JOIN services s ON s.id = o.service_id WHERE o.id IN ",
    ));
    Ok(work.all(sql.ids(ids).push(" ORDER BY o.id")).await?)
}

/// An order, one of its service's providers with its panel, and the panel's word for the type of its service there.
type Candidate = (OrderId, ProviderId, Option<ExternalPanelId>, String);

/// The first active provider of each order's service that has not ended one of its attempts short. One whose panel would
/// refuse the order for want of an answer comes after all others; where it is the only one, its attempt says what is missing.
async fn providers(work: &mut Work, ids: &[OrderId]) -> Result<HashMap<OrderId, Provider>> {
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
    let asked: Vec<OrderId> = rows.iter().filter(|row| needs_answers(&row.3)).map(|row| row.0).collect();
    let answers = if asked.is_empty() { HashMap::new() } else { answers(work, &asked).await? };
    let (mut first, mut last) = (HashMap::new(), HashMap::new());
    for (order, id, panel, word) in rows {
        let answered = answers.get(&order).map_or(&[][..], Vec::as_slice);
        let delivers = deliverable(&word, answered).is_ok();
        let found = if delivers { &mut first } else { &mut last };
        found.entry(order).or_insert(Provider { id, panel });
    }
    for (order, provider) in last {
        first.entry(order).or_insert(provider);
    }
    Ok(first)
}

/// Whether the order of an attempt, were it to end now, would go to another provider.
pub(super) async fn has_other(work: &mut Work, attempt: ExternalOrderId) -> Result<bool> {
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

/// Writes an attempt for each: to be sent, at once.
async fn attempt(work: &mut Work, orders: &[&Order], to: &HashMap<OrderId, Provider>) -> Result<()> {
    let share = |order: &&Order| {
        let provider = to.get(&order.id)?;
        Some(Share { order: order.id, provider: provider.id, quantity: order.undelivered })
    };
    let shares: Vec<Share> = orders.iter().filter_map(share).collect();
    if shares.is_empty() {
        return Ok(());
    }
    let amounts = ratio::amounts(work, &shares).await?;
    ratio::note_full_fill(work, &amounts).await?;
    let now = work.now;
    let new = |share: &Share| {
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

async fn complete(work: &mut Work, orders: &[Order]) -> Result<()> {
    if !orders.is_empty() {
        apply(work, &wanted(Action::Complete, orders, None)).await?;
    }
    Ok(())
}

/// Gives back what was not delivered, where the service gives anything back.
async fn cancel(work: &mut Work, orders: &[Order], reason: CancelReason) -> Result<()> {
    for gives_back in [true, false] {
        let ids: Vec<OrderId> =
            orders.iter().filter(|order| order.no_refund != gives_back).map(|order| order.id).collect();
        if ids.is_empty() {
            continue;
        }
        let input =
            CancelInput { return_money: gives_back, cancel_reason: Some(reason), ..CancelInput::default() };
        apply(work, &BulkAction { action: Action::Cancel, ids, cancel: Some(input), is_undoable: false })
            .await?;
    }
    Ok(())
}

fn wanted(action: Action, orders: &[Order], cancel: Option<CancelInput>) -> BulkAction {
    BulkAction { action, ids: orders.iter().map(|order| order.id).collect(), cancel, is_undoable: false }
}

/// Staff hear of each once: when it begins to be counted.
async fn abandon(work: &mut Work, orders: &[Order]) -> Result<()> {
    let ids: Vec<OrderId> = orders.iter().map(|order| order.id).collect();
    let abandoned = dispatch::set_without_provider(work, &ids, true).await?;
    let shown = |is_abandoned: bool| json!({ "has_no_active_providers": is_abandoned });
    let changes =
        abandoned.into_iter().map(|id| Change { id: id.record(), old: shown(false), new: shown(true) });
    audit::record_all(work, "order.left_without_provider", "order", changes.collect()).await
}
