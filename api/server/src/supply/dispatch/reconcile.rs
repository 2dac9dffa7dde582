//! Finds out whether a panel accepted an order whose call has an unknown outcome. Panels have no list of orders, but their ids
//! increase and they report only the caller's own orders. So reconciliation queries the status of the ids between the orders that
//! this server sent just before and just after the call. An order that only one attempt can have created is adopted. An attempt
//! without a match is never sent again automatically: staff decide. No transaction is open during a call.

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
use crate::supply::panels::PanelConnection;
use crate::supply::reseller::{self, MAX_IDS_PER_CALL, PanelError};
use panel_domain::reseller_protocol::responses::ExternalOrderStatus;
use panel_platform::db::{Source, Sql};
use panel_platform::lease::declared::CLAIM_DURATION;
use panel_platform::quarantine::{self, ClaimedBatch};

const BATCH: i64 = 100;
const MAX_PARALLEL_CALLS: usize = 4;
/// Attempts on each side, by id, that are searched for neighbouring external ids.
const MAX_NEIGHBOURS: i64 = 200;
/// Largest number of calls for one attempt, with a hundred ids each. A panel with a smaller burst gets as many calls as its burst,
/// because all ids of an attempt are queried in one batch or not at all.
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
    /// Inclusive.
    first_id: i64,
    /// Exclusive.
    end_id: i64,
    /// When the preceding neighbour was sent.
    sent_from: Time,
    /// When the following neighbour was sent; `None` if there is none.
    sent_until: Option<Time>,
}

impl Window {
    fn contains(&self, id: i64) -> bool {
        (self.first_id..self.end_id).contains(&id)
    }

    /// The part of this window that was queried.
    fn intersect(self, queried: Self) -> Self {
        Self {
            first_id: self.first_id.max(queried.first_id),
            end_id: self.end_id.min(queried.end_id),
            ..self
        }
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
pub(super) async fn reconcile_due(app: &App, panel: &PanelConnection, calls: i64) -> Result<usize> {
    if calls == 0 {
        return Ok(0);
    }
    let calls_per_attempt = MAX_CALLS_PER_ATTEMPT.min(app.panel_limits.burst(panel.id));
    let mut windows = HashMap::new();
    let mut due_ids = Vec::new();
    for attempt in load_due(app, panel.id).await? {
        if let Some(window) = load_window(app, panel.id, &attempt, calls_per_attempt).await? {
            windows.insert(attempt.id, window);
        }
        due_ids.push(attempt.id);
    }
    let max_calls = calls.max(calls_per_attempt).min(app.panel_limits.available(panel.id, app.clock.now()));
    let (chosen, ids) = choose_attempts(&due_ids, &windows, max_calls);
    let (attempts, batch) = claim(app, panel.id, &chosen).await?;
    batch.run(app, reconcile_claimed(app, panel, &attempts, &windows, &ids)).await?;
    Ok(attempts.len())
}

async fn reconcile_claimed(
    app: &App,
    panel: &PanelConnection,
    attempts: &[UnknownAttempt],
    windows: &HashMap<ExternalOrderId, Window>,
    ids: &[i64],
) -> Result<()> {
    let query_results = if attempts.is_empty() { Vec::new() } else { query_statuses(app, panel, ids).await };
    let mut tried_ids = Vec::new();
    for attempt in attempts {
        tried_ids.push(attempt.id);
        let Some(queried) = windows.get(&attempt.id) else { continue };
        match orders_in_window(&query_results, *queried) {
            // No call was made, so this counts as no try.
            QueryOutcome::Paused(until) => {
                tried_ids.pop();
                let tries = attempt.tries - 1;
                reconciling::postpone_reconcile(&mut &app.db, attempt.id, tries, until)
                    .await?
                    .ignore_superseded();
            }
            // With incomplete results, an order could look like the only match.
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
    let unmatched = attempts
        .iter()
        .filter(|attempt| attempt.tries == NOTIFY_STAFF_AFTER_TRIES && tried_ids.contains(&attempt.id));
    unknown_attempts::notify_staff(app, &unmatched.map(|attempt| attempt.id).collect::<Vec<_>>()).await?;
    end_attempts_of_finished_orders(app, attempts).await
}

/// Records the external order that only this attempt can have created, if there is exactly one.
async fn adopt(
    app: &App,
    panel: ExternalPanelId,
    attempt: &UnknownAttempt,
    window: Window,
    candidates: Vec<(String, ExternalOrderStatus)>,
) -> Result<()> {
    // The sequence of these two reads matters: an attempt that gets its external id between them still appears in one of them.
    let competing = load_competing_attempts(app, panel, attempt, window).await?;
    let unassigned = remove_assigned(app, panel, candidates).await?;
    if let Some(id) = single_match(attempt, &competing, &unassigned) {
        let request = attempt.last_request.as_deref().unwrap_or_default();
        send::accept(app, (attempt.id, attempt.order_id), &id, request).await?;
    }
    Ok(())
}

// Rules

/// Chooses, in due order, the attempts that the number of calls suffices for. Returns them and the ids to query.
fn choose_attempts(
    due: &[ExternalOrderId],
    windows: &HashMap<ExternalOrderId, Window>,
    calls: i64,
) -> (Vec<ExternalOrderId>, Vec<i64>) {
    let max_ids = usize::try_from(calls).unwrap_or(0) * MAX_IDS_PER_CALL;
    let (mut chosen, mut ids) = (Vec::new(), BTreeSet::new());
    for attempt in due {
        // An attempt without a window needs no call.
        let Some(window) = windows.get(attempt) else {
            chosen.push(*attempt);
            continue;
        };
        let new_ids: Vec<i64> = (window.first_id..window.end_id).filter(|id| !ids.contains(id)).collect();
        if ids.len() + new_ids.len() <= max_ids {
            ids.extend(new_ids);
            chosen.push(*attempt);
        }
    }
    (chosen, ids.into_iter().collect())
}

/// The orders in a window, or the outcome of a query that failed for one of its ids.
fn orders_in_window(query_results: &[(Vec<i64>, QueryOutcome)], window: Window) -> QueryOutcome {
    let mut orders_in_window = Vec::new();
    for (ids, outcome) in query_results {
        if !ids.iter().any(|id| window.contains(*id)) {
            continue;
        }
        match outcome {
            QueryOutcome::Orders(orders) => {
                orders_in_window.extend(orders.iter().filter(|(id, _)| window.contains(*id)).cloned());
            }
            other => return other.clone(),
        }
    }
    QueryOutcome::Orders(orders_in_window)
}

/// The one order that this attempt, and no other attempt, can have created.
fn single_match(
    attempt: &UnknownAttempt,
    competing: &[UnknownAttempt],
    candidates: &[(String, ExternalOrderStatus)],
) -> Option<String> {
    let mut matching = candidates.iter().filter(|(_, state)| can_have_created(attempt, state));
    let (id, state) = matching.next()?;
    let is_unique =
        matching.next().is_none() && !competing.iter().any(|other| can_have_created(other, state));
    is_unique.then(|| id.clone())
}

/// Whether the charge matches the price and `remains` is not above the quantity.
fn can_have_created(attempt: &UnknownAttempt, state: &ExternalOrderStatus) -> bool {
    let expected = i128::from(attempt.price.0) * i128::from(attempt.quantity)
        / i128::from(attempt.price_quantity.max(1));
    let charged = state.charge.map(|charge| i128::from(charge.0));
    // Panels round, some of them up, so a difference of 1 % is tolerated, but at most one cent (10,000 millionths).
    let is_close = |charge: i128| (charge - expected).abs() <= (expected / 100).min(10_000);
    state.remains.is_some_and(|remains| remains <= attempt.quantity)
        && charged.is_some_and(is_close)
        && expected > 0
}

/// The window of at most `max_ids` ids: after the last external id that was sent before the attempt, up to the first one after it.
fn window_between(earlier: &[(i64, Time)], later: &[(i64, Time)], max_ids: i64) -> Option<Window> {
    let (last_id, sent_from) = earlier.iter().max().copied()?;
    let first_id = last_id + 1;
    let following = later.iter().filter(|(id, _)| *id >= first_id).min();
    let end_id = following.map_or(first_id + max_ids, |(id, _)| *id).min(first_id + max_ids);
    (end_id > first_id).then_some(Window {
        first_id,
        end_id,
        sent_from,
        sent_until: following.map(|(_, sent_at)| *sent_at),
    })
}

// Store

const UNKNOWN_ATTEMPTS: &str = "SELECT e.id, e.order_id, e.initial_quantity AS quantity, e.sent_at, e.tries, p.source_price AS price, p.source_pricing_per AS price_quantity, e.last_request
    FROM external_panel_orders e JOIN providers p ON p.id = e.provider_id";

fn select_due(app: &App, panel: ExternalPanelId) -> Sql {
    let sql = Sql::new(UNKNOWN_ATTEMPTS).push(" WHERE e.external_panel_id = ? AND e.due_at <= ? AND ");
    let sql = sql.bind(panel).bind(app.clock.now()).push(attempt_is!(reconcilable, "e"));
    sql.append(quarantine::claimable_condition(app, Poller::ExternalOrder, "e.id"))
}

async fn load_due(app: &App, panel: ExternalPanelId) -> Result<Vec<UnknownAttempt>> {
    Ok((&mut &app.db)
        .fetch_all(select_due(app, panel).push(" ORDER BY e.due_at, e.id LIMIT ?").bind(BATCH))
        .await?)
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
    let sql = select_due(app, panel).push(" AND e.id IN ").ids(ids);
    let sql = sql.push(" ORDER BY e.due_at, e.id").for_update_skip_locked_of("e");
    let mut tx = app.db.begin().await?;
    let mut attempts: Vec<UnknownAttempt> = tx.fetch_all(sql).await?;
    for attempt in &mut attempts {
        attempt.tries += 1;
    }
    let reconcile_try = |attempt: &UnknownAttempt| ReconcileTry {
        id: attempt.id,
        tries: attempt.tries,
        next_try_at: dispatch::next_reconciliation(attempt.tries + 1, now),
    };
    reconciling::record_reconcile_tries(
        &mut tx,
        &attempts.iter().map(reconcile_try).collect::<Vec<_>>(),
        now,
    )
    .await?;
    let ids: Vec<ExternalOrderId> = attempts.iter().map(|attempt| attempt.id).collect();
    let batch = quarantine::insert_batch(&mut tx, app, Poller::ExternalOrder, &ids).await?;
    tx.commit().await?;
    Ok((attempts, batch))
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
    let rows: Vec<(String, Time)> = (&mut &app.db).fetch_all(sql).await?;
    // Attempts that were sent at the same time do not show which of their ids is smaller.
    let neighbours_sent = |ordering: Ordering| {
        let neighbours = rows.iter().filter(|row| row.1.cmp(&attempt.sent_at) == ordering);
        neighbours.filter_map(|row| Some((row.0.parse::<i64>().ok()?, row.1))).collect::<Vec<_>>()
    };
    let max_ids = calls * i64::try_from(MAX_IDS_PER_CALL).unwrap_or(1);
    Ok(window_between(&neighbours_sent(Ordering::Less), &neighbours_sent(Ordering::Greater), max_ids))
}

async fn query_statuses(app: &App, panel: &PanelConnection, ids: &[i64]) -> Vec<(Vec<i64>, QueryOutcome)> {
    let chunks: Vec<Vec<i64>> = ids.chunks(MAX_IDS_PER_CALL).map(<[i64]>::to_vec).collect();
    let calls = chunks.into_iter().map(|chunk| async move {
        let id_texts: Vec<String> = chunk.iter().map(ToString::to_string).collect();
        let outcome = match reseller::statuses(app, panel.api(), &id_texts).await {
            Ok(results) => {
                let orders =
                    results.into_iter().filter_map(|(id, status)| Some((id.parse().ok()?, status.ok()?)));
                QueryOutcome::Orders(orders.collect())
            }
            Err(PanelError::Paused(until)) => QueryOutcome::Paused(until),
            Err(_) => QueryOutcome::Failed,
        };
        (chunk, outcome)
    });
    stream::iter(calls).buffer_unordered(MAX_PARALLEL_CALLS).collect().await
}

/// The other attempts that can have created an order of this window: all attempts with an unknown outcome at any connection with
/// the same endpoint, including those that wait for staff and those that another process sends right now.
async fn load_competing_attempts(
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
    let until = window.sent_until.map_or(Time(i64::MAX), |until| until.plus(CLAIM_DURATION));
    let sql = sql.bind(panel).bind(attempt.id).bind(window.sent_from.minus(CLAIM_DURATION)).bind(until);
    Ok((&mut &app.db).fetch_all(sql).await?)
}

/// The candidates that no attempt has as its external order, at any connection with the same endpoint.
async fn remove_assigned(
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
    let assigned: Vec<(String,)> = (&mut &app.db).fetch_all(sql.bind(panel)).await?;
    let assigned: HashSet<String> = assigned.into_iter().map(|(id,)| id).collect();
    Ok(candidates.into_iter().filter(|(id, _)| !assigned.contains(id)).collect())
}

/// Ends attempts after their last try if their order has finished. While the order waits, staff decide.
async fn end_attempts_of_finished_orders(app: &App, attempts: &[UnknownAttempt]) -> Result<()> {
    let now = app.clock.now();
    let last_tries =
        attempts.iter().filter(|attempt| dispatch::next_reconciliation(attempt.tries + 1, now).is_none());
    let ids: Vec<ExternalOrderId> = last_tries.map(|attempt| attempt.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    Ok(ending::end_unreconciled(&mut &app.db, &ids, now).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use panel_domain::reseller_protocol::responses::ExternalOrderState;

    fn attempt_of(quantity: i64) -> UnknownAttempt {
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
            status_text: "Pending".into(),
            state: ExternalOrderState::Open,
            charge: charge.parse().ok(),
            start_count: None,
            remains: Some(remains),
            currency: None,
        }
    }

    #[test]
    fn adopts_only_an_order_that_no_other_attempt_can_have_created() {
        let matching_order = ("11".to_owned(), order("0.5", 500));
        let other_order = ("12".to_owned(), order("0.9", 900));
        let orders = [matching_order.clone(), other_order.clone()];
        assert_eq!(single_match(&attempt_of(500), &[], &orders), Some("11".into()));
        assert_eq!(single_match(&attempt_of(500), &[attempt_of(900)], &orders), Some("11".into()));
        assert_eq!(single_match(&attempt_of(500), &[attempt_of(500)], &orders), None, "two attempts match");
        assert_eq!(
            single_match(&attempt_of(500), &[], &[matching_order.clone(), matching_order]),
            None,
            "two orders match"
        );
        assert_eq!(single_match(&attempt_of(500), &[], &[other_order]), None);
        assert_eq!(single_match(&attempt_of(500), &[], &[("13".into(), order("0.5", 501))]), None);
    }

    #[test]
    fn distinguishes_small_orders_by_their_charge() {
        // 0.005 and 0.006 differ by less than a cent, but by more than 1 %.
        assert_eq!(single_match(&attempt_of(5), &[], &[("11".into(), order("0.006", 5))]), None);
        assert_eq!(single_match(&attempt_of(5), &[], &[("11".into(), order("0.005", 5))]), Some("11".into()));
        assert_eq!(
            single_match(&attempt_of(500), &[], &[("11".into(), order("0.505", 5))]),
            Some("11".into())
        );
        assert_eq!(single_match(&attempt_of(500), &[], &[("11".into(), order("0.506", 5))]), None);
    }

    #[test]
    fn attempts_share_queries() {
        let window = |first_id, end_id| Window { first_id, end_id, sent_from: Time(0), sent_until: None };
        let shared_window = window(11, 211);
        let windows = HashMap::from([
            (1, shared_window),
            (2, shared_window),
            (4, window(300, 350)),
            (5, window(900, 1_400)),
            (6, window(340, 400)),
        ]);
        let windows: HashMap<_, _> =
            windows.into_iter().map(|(id, window)| (ExternalOrderId::new(id), window)).collect();
        let plan = |due: &[i64], calls| {
            let due: Vec<_> = due.iter().copied().map(ExternalOrderId::new).collect();
            let (chosen, ids) = choose_attempts(&due, &windows, calls);
            (chosen.into_iter().map(ExternalOrderId::get).collect::<Vec<_>>(), ids)
        };
        let (chosen, ids) = plan(&[1, 2, 3, 4, 5, 6], 3);
        assert_eq!(chosen, [1, 2, 3, 4, 6], "the fifth waits for more calls");
        assert_eq!((ids.len(), ids[0], ids[299]), (300, 11, 399));
        assert_eq!(plan(&[5, 3], 4).0, [3], "all of its ids or none");
        assert_eq!(plan(&[5], 5).0, [5]);

        let orders = |ids: &[i64]| ids.iter().map(|id| (*id, order("0.5", 500))).collect::<Vec<_>>();
        let query_results = [
            ((11..111).collect(), QueryOutcome::Orders(orders(&[20, 110]))),
            ((111..211).collect(), QueryOutcome::Orders(orders(&[111]))),
            ((300..400).collect(), QueryOutcome::Failed),
            ((900..1_000).collect(), QueryOutcome::Paused(Time(9))),
        ];
        let ids_in = |window| match orders_in_window(&query_results, window) {
            QueryOutcome::Orders(orders) => orders.into_iter().map(|(id, _)| id).collect::<Vec<_>>(),
            QueryOutcome::Paused(_) => vec![-1],
            QueryOutcome::Failed => vec![-2],
        };
        assert_eq!(ids_in(shared_window), [20, 110, 111]);
        assert_eq!(ids_in(window(100, 120)), [110, 111]);
        assert_eq!((ids_in(window(210, 301)), ids_in(window(950, 960))), (vec![-2], vec![-1]));
    }

    #[test]
    fn the_window_is_between_the_neighbours() {
        let sent_ids = |ids: &[i64]| ids.iter().map(|id| (*id, Time(id * 10))).collect::<Vec<_>>();
        let window = |earlier: &[i64], later: &[i64]| {
            window_between(&sent_ids(earlier), &sent_ids(later), 500)
                .map(|window| (window.first_id, window.end_id, window.sent_until.is_some()))
        };
        assert_eq!(window(&[10, 12], &[15, 20]), Some((13, 15, true)));
        assert_eq!(window(&[10], &[11]), None);
        assert_eq!(window(&[10], &[]), Some((11, 511, false)));
        assert_eq!(window(&[10], &[90_000]), Some((11, 511, true)));
        assert_eq!(window(&[], &[15]), None, "no earlier neighbour");
    }
}
