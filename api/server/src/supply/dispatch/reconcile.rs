//! Finds out whether a panel accepted an order whose call has an unknown outcome. Panels have no list of orders, but their ids
//! increase and they report only the caller's own orders. So this asks for the status of the ids between our orders that were sent
//! just before and just after. An order that only one attempt can have created is adopted. An attempt without a match is never sent
//! again automatically: staff decide. No transaction is open during a call.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

use futures_util::{StreamExt as _, stream};
use panel_contract::amount::Money;
use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;
use panel_domain::dispatch;
use panel_kernel::error::Result;

use super::{send, unknown_attempts};
use crate::app::App;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::ending;
use crate::stores::placement_attempts::reconciling::{self, ReconcileTry};
use crate::supply::panels::Reachable;
use crate::supply::reseller::{self, MAX_IDS_PER_CALL, PanelError};
use panel_domain::reseller_protocol::read::ExternalOrderStatus;
use panel_platform::db::{Source, Sql};
use panel_platform::lease::declared::CLAIM_DURATION;
use panel_platform::quarantine::{self, ClaimedBatch};

const BATCH: i64 = 100;
const MAX_PARALLEL_CALLS: usize = 4;
/// Attempts on each side, by id, that are searched for neighbouring external ids.
const MAX_NEIGHBOURS: i64 = 200;
/// Calls for one attempt at most, with a hundred ids each. A panel with a smaller burst gets as many calls as its burst: all ids of
/// an attempt are read in one batch or not at all.
const MAX_CALLS_PER_ATTEMPT: i64 = 5;

/// Staff are notified after this many tries without a match: some minutes after the call, before the customer asks.
const NOTIFY_STAFF_AFTER_TRIES: i64 = 2;

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
struct UnknownAttempt {
    id: ExternalOrderId,
    order_id: OrderId,
    quantity: i64,
    sent_at: Time,
    tries: i64,
    /// The provider's price for `price_quantity` units, in the panel's currency.
    price: Money,
    price_quantity: i64,
    last_request: Option<String>,
}

/// The range of external ids that can belong to an attempt, and the times between which its order was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Window {
    /// First external id, inclusive.
    from: i64,
    /// Last external id, exclusive.
    to: i64,
    /// When the neighbour before was sent.
    since: Time,
    /// When the neighbour after was sent, if there is one.
    until: Option<Time>,
}

impl Window {
    fn contains(&self, id: i64) -> bool {
        (self.from..self.to).contains(&id)
    }

    /// The part of this window that was queried.
    fn intersect(self, queried: Self) -> Self {
        Self { from: self.from.max(queried.from), to: self.to.min(queried.to), ..self }
    }
}

#[derive(Debug, Clone)]
enum QueryOutcome {
    /// Our orders among the ids.
    Orders(Vec<(i64, ExternalOrderStatus)>),
    /// Calls to the panel are paused until this time.
    Paused(Time),
    /// The call failed, so nothing is known about its ids.
    Failed,
}

/// Reconciles due attempts with up to `calls` calls, some in parallel, and returns the number of attempts. Attempts with the same
/// neighbours share queries: after a hundred orders without an answer, each id is queried once.
pub(super) async fn reconcile_due(app: &App, panel: &Reachable, calls: i64) -> Result<usize> {
    if calls == 0 {
        return Ok(0);
    }
    let calls_per_attempt = MAX_CALLS_PER_ATTEMPT.min(app.panel_limits.burst(panel.id));
    let mut windows = HashMap::new();
    let mut due = Vec::new();
    for attempt in load_due(app, panel.id).await? {
        if let Some(window) = load_window(app, panel.id, &attempt, calls_per_attempt).await? {
            windows.insert(attempt.id, window);
        }
        due.push(attempt.id);
    }
    let most = calls.max(calls_per_attempt).min(app.panel_limits.available(panel.id, app.clock.now()));
    let (chosen, ids) = plan(&due, &windows, most);
    let (lost, batch) = claim(app, panel.id, &chosen).await?;
    batch.work(app, reconcile_claimed(app, panel, &lost, &windows, &ids)).await?;
    Ok(lost.len())
}

async fn reconcile_claimed(
    app: &App,
    panel: &Reachable,
    lost: &[UnknownAttempt],
    windows: &HashMap<ExternalOrderId, Window>,
    ids: &[i64],
) -> Result<()> {
    let answers = if lost.is_empty() { Vec::new() } else { query(app, panel, ids).await };
    let mut tried = Vec::new();
    for attempt in lost {
        tried.push(attempt.id);
        let Some(queried) = windows.get(&attempt.id) else { continue };
        match orders_in_window(&answers, *queried) {
            // No call was made, so this counts as no try.
            QueryOutcome::Paused(until) => {
                tried.pop();
                let tries = attempt.tries - 1;
                reconciling::postpone_reconcile(&mut &app.db, attempt.id, tries, until)
                    .await?
                    .ignore_superseded();
            }
            // With incomplete answers, an order could look like the only match.
            QueryOutcome::Failed => {}
            QueryOutcome::Orders(orders) => {
                // The window is smaller if another attempt adopted an order meanwhile.
                let Some(current) = load_window(app, panel.id, attempt, MAX_CALLS_PER_ATTEMPT).await? else {
                    continue;
                };
                let current = current.intersect(*queried);
                let candidates = orders.into_iter().filter(|(id, _)| current.contains(*id));
                let candidates = candidates.map(|(id, state)| (id.to_string(), state)).collect();
                adopt(app, panel.id, attempt, current, candidates).await?;
            }
        }
    }
    let unmatched = lost
        .iter()
        .filter(|attempt| attempt.tries == NOTIFY_STAFF_AFTER_TRIES && tried.contains(&attempt.id));
    unknown_attempts::notify_staff(app, &unmatched.map(|attempt| attempt.id).collect::<Vec<_>>()).await?;
    end_of_finished_orders(app, lost).await
}

/// Records the external order that only this attempt can have created, if there is exactly one.
async fn adopt(
    app: &App,
    panel: ExternalPanelId,
    attempt: &UnknownAttempt,
    window: Window,
    candidates: Vec<(String, ExternalOrderStatus)>,
) -> Result<()> {
    // The order of these two reads matters: an attempt that gets its external id between them appears in one of them.
    let others = load_rivals(app, panel, attempt, window).await?;
    let unassigned = without_assigned(app, panel, candidates).await?;
    if let Some(id) = only_match(attempt, &others, &unassigned) {
        let request = attempt.last_request.as_deref().unwrap_or_default();
        send::accept(app, (attempt.id, attempt.order_id), &id, request).await?;
    }
    Ok(())
}

// Rules

/// Chooses, in due order, the attempts that the number of calls suffices for. Returns them and the ids to query.
fn plan(
    due: &[ExternalOrderId],
    windows: &HashMap<ExternalOrderId, Window>,
    calls: i64,
) -> (Vec<ExternalOrderId>, Vec<i64>) {
    let most = usize::try_from(calls).unwrap_or(0) * MAX_IDS_PER_CALL;
    let (mut chosen, mut ids) = (Vec::new(), BTreeSet::new());
    for attempt in due {
        // An attempt without a window needs no call.
        let Some(window) = windows.get(attempt) else {
            chosen.push(*attempt);
            continue;
        };
        let new: Vec<i64> = (window.from..window.to).filter(|id| !ids.contains(id)).collect();
        if ids.len() + new.len() <= most {
            ids.extend(new);
            chosen.push(*attempt);
        }
    }
    (chosen, ids.into_iter().collect())
}

/// The orders in a window, or the outcome of a query that failed for one of its ids.
fn orders_in_window(answers: &[(Vec<i64>, QueryOutcome)], window: Window) -> QueryOutcome {
    let mut found = Vec::new();
    for (ids, outcome) in answers {
        if !ids.iter().any(|id| window.contains(*id)) {
            continue;
        }
        match outcome {
            QueryOutcome::Orders(orders) => {
                found.extend(orders.iter().filter(|(id, _)| window.contains(*id)).cloned());
            }
            other => return other.clone(),
        }
    }
    QueryOutcome::Orders(found)
}

/// The one order that this attempt, and no other attempt, can have created.
fn only_match(
    attempt: &UnknownAttempt,
    others: &[UnknownAttempt],
    candidates: &[(String, ExternalOrderStatus)],
) -> Option<String> {
    let mut fitting = candidates.iter().filter(|(_, state)| fits(attempt, state));
    let (id, state) = fitting.next()?;
    let is_only = fitting.next().is_none() && !others.iter().any(|other| fits(other, state));
    is_only.then(|| id.clone())
}

/// Whether the attempt can have created an order with this status: the charge matches the price, and `remains` is not above the
/// quantity.
fn fits(attempt: &UnknownAttempt, state: &ExternalOrderStatus) -> bool {
    let expected = i128::from(attempt.price.0) * i128::from(attempt.quantity)
        / i128::from(attempt.price_quantity.max(1));
    let charged = state.charge.map(|charge| i128::from(charge.0));
    // Panels round, some of them up, so 1 % is tolerated. At most a cent (10,000 millionths), the price of a whole small order.
    let is_close = |charge: i128| (charge - expected).abs() <= (expected / 100).min(10_000);
    state.remains.is_some_and(|remains| remains <= attempt.quantity)
        && charged.is_some_and(is_close)
        && expected > 0
}

/// The window of at most `most` ids: after the last external id that was sent before the attempt, up to the first one after it.
fn window_between(before: &[(i64, Time)], after: &[(i64, Time)], most: i64) -> Option<Window> {
    let (last, since) = before.iter().max().copied()?;
    let from = last + 1;
    let next = after.iter().filter(|(id, _)| *id >= from).min();
    let to = next.map_or(from + most, |(id, _)| *id).min(from + most);
    (to > from).then_some(Window { from, to, since, until: next.map(|(_, at)| *at) })
}

// Store

const UNKNOWN_ATTEMPTS: &str = "SELECT e.id, e.order_id, e.initial_quantity AS quantity, e.sent_at, e.tries, p.source_price AS price, p.source_pricing_per AS price_quantity, e.last_request
    FROM external_panel_orders e JOIN providers p ON p.id = e.provider_id";

fn due(app: &App, panel: ExternalPanelId) -> Sql {
    let sql = Sql::new(UNKNOWN_ATTEMPTS).push(" WHERE e.external_panel_id = ? AND e.due_at <= ? AND ");
    let sql = sql.bind(panel).bind(app.clock.now()).push(attempt_is!(reconcilable, "e"));
    sql.append(quarantine::condition(app, Poller::ExternalOrder, "e.id"))
}

async fn load_due(app: &App, panel: ExternalPanelId) -> Result<Vec<UnknownAttempt>> {
    Ok((&mut &app.db).all(due(app, panel).push(" ORDER BY e.due_at, e.id LIMIT ?").bind(BATCH)).await?)
}

/// Claims the attempts that are still due. After the last try, an attempt waits for a decision by staff.
async fn claim(
    app: &App,
    panel: ExternalPanelId,
    ids: &[ExternalOrderId],
) -> Result<(Vec<UnknownAttempt>, ClaimedBatch)> {
    if ids.is_empty() {
        return Ok((Vec::new(), ClaimedBatch::none()));
    }
    let now = app.clock.now();
    let sql = due(app, panel).push(" AND e.id IN ").ids(ids);
    let sql = sql.push(" ORDER BY e.due_at, e.id").for_update_skipping_of("e");
    let mut tx = app.db.begin().await?;
    let mut lost: Vec<UnknownAttempt> = tx.all(sql).await?;
    for attempt in &mut lost {
        attempt.tries += 1;
    }
    let reconcile_try = |attempt: &UnknownAttempt| ReconcileTry {
        id: attempt.id,
        tries: attempt.tries,
        next: dispatch::next_reconciliation(attempt.tries + 1, now),
    };
    reconciling::record_reconcile_tries(&mut tx, &lost.iter().map(reconcile_try).collect::<Vec<_>>(), now)
        .await?;
    let ids: Vec<ExternalOrderId> = lost.iter().map(|attempt| attempt.id).collect();
    let batch = quarantine::insert_batch(&mut tx, app, Poller::ExternalOrder, &ids).await?;
    tx.commit().await?;
    Ok((lost, batch))
}

async fn load_window(
    app: &App,
    panel: ExternalPanelId,
    attempt: &UnknownAttempt,
    calls: i64,
) -> Result<Option<Window>> {
    let sql = Sql::new(
        "SELECT external_order_id, sent_at FROM external_panel_orders WHERE external_panel_id = ? AND external_order_id IS NOT NULL
         AND sent_at IS NOT NULL AND id >= ? AND id <= ? ORDER BY id",
    );
    let id = attempt.id.get();
    let sql = sql.bind(panel).bind(id - MAX_NEIGHBOURS).bind(id + MAX_NEIGHBOURS);
    let rows: Vec<(String, Time)> = (&mut &app.db).all(sql).await?;
    // Attempts that were sent at the same time give no order of ids.
    let ids = |side: Ordering| {
        let side = rows.iter().filter(|row| row.1.cmp(&attempt.sent_at) == side);
        side.filter_map(|row| Some((row.0.parse::<i64>().ok()?, row.1))).collect::<Vec<_>>()
    };
    let most = calls * i64::try_from(MAX_IDS_PER_CALL).unwrap_or(1);
    Ok(window_between(&ids(Ordering::Less), &ids(Ordering::Greater), most))
}

async fn query(app: &App, panel: &Reachable, ids: &[i64]) -> Vec<(Vec<i64>, QueryOutcome)> {
    let parts: Vec<Vec<i64>> = ids.chunks(MAX_IDS_PER_CALL).map(<[i64]>::to_vec).collect();
    let calls = parts.into_iter().map(|part| async move {
        let names: Vec<String> = part.iter().map(ToString::to_string).collect();
        let outcome = match reseller::statuses(app, panel.panel(), &names).await {
            Ok(each) => {
                let orders =
                    each.into_iter().filter_map(|(id, status)| Some((id.parse().ok()?, status.ok()?)));
                QueryOutcome::Orders(orders.collect())
            }
            Err(PanelError::Paused(until)) => QueryOutcome::Paused(until),
            Err(_) => QueryOutcome::Failed,
        };
        (part, outcome)
    });
    stream::iter(calls).buffer_unordered(MAX_PARALLEL_CALLS).collect().await
}

/// The other attempts that can have created an order of this window: all attempts with an unknown outcome at any connection with
/// the same endpoint, including those that wait for staff and those that another process sends right now.
async fn load_rivals(
    app: &App,
    panel: ExternalPanelId,
    attempt: &UnknownAttempt,
    window: Window,
) -> Result<Vec<UnknownAttempt>> {
    let sql = Sql::new(UNKNOWN_ATTEMPTS).push(concat!(
        " WHERE e.external_panel_id IN (SELECT s.id FROM external_panels s JOIN external_panels x ON x.endpoint = s.endpoint WHERE x.id = ?)
          AND ",
        attempt_is!(unconfirmed, "e"),
        " AND e.id <> ? AND e.sent_at >= ? AND e.sent_at <= ?",
    ));
    let until = window.until.map_or(Time(i64::MAX), |until| until.after(CLAIM_DURATION));
    let sql = sql.bind(panel).bind(attempt.id).bind(window.since.before(CLAIM_DURATION)).bind(until);
    Ok((&mut &app.db).all(sql).await?)
}

/// The candidates that no attempt has as its external order, at any connection with the same endpoint.
async fn without_assigned(
    app: &App,
    panel: ExternalPanelId,
    candidates: Vec<(String, ExternalOrderStatus)>,
) -> Result<Vec<(String, ExternalOrderStatus)>> {
    if candidates.is_empty() {
        return Ok(candidates);
    }
    let rows = candidates.iter().map(|(id, _)| vec![id.clone().into()]).collect();
    let sql = Sql::new("SELECT r.id FROM ").rows("r", &["id"], rows).push(
        " WHERE EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.external_order_id = r.id
           AND e.external_panel_id IN (SELECT s.id FROM external_panels s JOIN external_panels x ON x.endpoint = s.endpoint WHERE x.id = ?))",
    );
    let assigned: Vec<(String,)> = (&mut &app.db).all(sql.bind(panel)).await?;
    let assigned: HashSet<String> = assigned.into_iter().map(|(id,)| id).collect();
    Ok(candidates.into_iter().filter(|(id, _)| !assigned.contains(id)).collect())
}

/// Ends attempts after their last try if their order has finished. While the order waits, staff decide.
async fn end_of_finished_orders(app: &App, lost: &[UnknownAttempt]) -> Result<()> {
    let now = app.clock.now();
    let last = lost.iter().filter(|attempt| dispatch::next_reconciliation(attempt.tries + 1, now).is_none());
    let ids: Vec<ExternalOrderId> = last.map(|attempt| attempt.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    Ok(ending::end_of_finished_orders(&mut &app.db, &ids, now).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use panel_domain::reseller_protocol::read::ExternalOrderState;

    fn lost(quantity: i64) -> UnknownAttempt {
        UnknownAttempt {
            id: ExternalOrderId::new(1),
            order_id: OrderId::new(1),
            quantity,
            sent_at: Time(0),
            tries: 1,
            price: Money(1_000_000),
            price_quantity: 1_000,
            last_request: None,
        }
    }

    fn order(charge: &str, remains: i64) -> ExternalOrderStatus {
        ExternalOrderStatus {
            word: "Pending".into(),
            state: ExternalOrderState::Open,
            charge: charge.parse().ok(),
            start_count: None,
            remains: Some(remains),
            currency: None,
        }
    }

    #[test]
    fn adopts_only_an_order_that_no_other_attempt_can_have_created() {
        let mine = ("11".to_owned(), order("0.5", 500));
        let other = ("12".to_owned(), order("0.9", 900));
        let both = [mine.clone(), other.clone()];
        assert_eq!(only_match(&lost(500), &[], &both), Some("11".into()));
        assert_eq!(only_match(&lost(500), &[lost(900)], &both), Some("11".into()));
        assert_eq!(only_match(&lost(500), &[lost(500)], &both), None, "two attempts match");
        assert_eq!(only_match(&lost(500), &[], &[mine.clone(), mine]), None, "two orders match");
        assert_eq!(only_match(&lost(500), &[], &[other]), None);
        assert_eq!(only_match(&lost(500), &[], &[("13".into(), order("0.5", 501))]), None);
    }

    #[test]
    fn distinguishes_small_orders_by_their_charge() {
        // 0.005 and 0.006 differ by less than a cent, but by more than 1 %.
        assert_eq!(only_match(&lost(5), &[], &[("11".into(), order("0.006", 5))]), None);
        assert_eq!(only_match(&lost(5), &[], &[("11".into(), order("0.005", 5))]), Some("11".into()));
        assert_eq!(only_match(&lost(500), &[], &[("11".into(), order("0.505", 5))]), Some("11".into()));
        assert_eq!(only_match(&lost(500), &[], &[("11".into(), order("0.506", 5))]), None);
    }

    #[test]
    fn attempts_share_queries() {
        let window = |from, to| Window { from, to, since: Time(0), until: None };
        let same = window(11, 211);
        let windows = HashMap::from([
            (1, same),
            (2, same),
            (4, window(300, 350)),
            (5, window(900, 1_400)),
            (6, window(340, 400)),
        ]);
        let windows: HashMap<_, _> =
            windows.into_iter().map(|(id, window)| (ExternalOrderId::new(id), window)).collect();
        let plan = |due: &[i64], calls| {
            let due: Vec<_> = due.iter().copied().map(ExternalOrderId::new).collect();
            let (chosen, ids) = plan(&due, &windows, calls);
            (chosen.into_iter().map(ExternalOrderId::get).collect::<Vec<_>>(), ids)
        };
        let (chosen, ids) = plan(&[1, 2, 3, 4, 5, 6], 3);
        assert_eq!(chosen, [1, 2, 3, 4, 6], "the fifth waits for more calls");
        assert_eq!((ids.len(), ids[0], ids[299]), (300, 11, 399));
        assert_eq!(plan(&[5, 3], 4).0, [3], "all of its ids or none");
        assert_eq!(plan(&[5], 5).0, [5]);

        let orders = |ids: &[i64]| ids.iter().map(|id| (*id, order("0.5", 500))).collect::<Vec<_>>();
        let answers = [
            ((11..111).collect(), QueryOutcome::Orders(orders(&[20, 110]))),
            ((111..211).collect(), QueryOutcome::Orders(orders(&[111]))),
            ((300..400).collect(), QueryOutcome::Failed),
            ((900..1_000).collect(), QueryOutcome::Paused(Time(9))),
        ];
        let found = |window| match orders_in_window(&answers, window) {
            QueryOutcome::Orders(found) => found.into_iter().map(|(id, _)| id).collect::<Vec<_>>(),
            QueryOutcome::Paused(_) => vec![-1],
            QueryOutcome::Failed => vec![-2],
        };
        assert_eq!(found(same), [20, 110, 111]);
        assert_eq!(found(window(100, 120)), [110, 111]);
        assert_eq!((found(window(210, 301)), found(window(950, 960))), (vec![-2], vec![-1]));
    }

    #[test]
    fn the_window_is_between_the_neighbours() {
        let at = |ids: &[i64]| ids.iter().map(|id| (*id, Time(id * 10))).collect::<Vec<_>>();
        let window = |before: &[i64], after: &[i64]| {
            window_between(&at(before), &at(after), 500)
                .map(|window| (window.from, window.to, window.until.is_some()))
        };
        assert_eq!(window(&[10, 12], &[15, 20]), Some((13, 15, true)));
        assert_eq!(window(&[10], &[11]), None);
        assert_eq!(window(&[10], &[]), Some((11, 511, false)));
        assert_eq!(window(&[10], &[90_000]), Some((11, 511, true)));
        assert_eq!(window(&[], &[15]), None, "no neighbour before");
    }
}
