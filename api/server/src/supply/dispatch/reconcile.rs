//! Finds out whether an external panel accepted an order if the outcome of the request is unknown. External panels offer no list of
//! orders, but their order ids increase. Therefore reconciliation queries the status of the ids between the orders sent just before
//! and just after. An attempt adopts the only order that it can have created; without a match, staff decide and nothing is resent.

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
use crate::supply::reseller::{self, MAX_IDS_PER_REQUEST, PanelError};
use panel_domain::reseller_protocol::responses::ExternalOrderStatus;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::lease::declared::CLAIM_DURATION;
use panel_platform::quarantine::{self, ClaimedBatch};

const BATCH_SIZE: i64 = 100;
const MAX_PARALLEL_REQUESTS: usize = 4;
/// Maximum number of attempts before and after an attempt, by id, that are searched for neighboring external ids.
const MAX_NEIGHBORS: i64 = 200;
/// Maximum number of requests for one attempt, with a hundred ids each. If the rate limit of an external panel allows a smaller
/// burst, the burst is the maximum, because all ids of an attempt must be queried in one batch.
const MAX_REQUESTS_PER_ATTEMPT: i64 = 5;

/// Staff are notified after this many tries without a match, some minutes after the request.
const NOTIFY_STAFF_AFTER_TRIES: i64 = 2;

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
struct UnknownAttempt {
    id: ExternalOrderId,
    order_id: OrderId,
    quantity: i64,
    sent_at: Time,
    tries: i64,
    /// The provider's price for `pricing_per` units, in the currency of the external panel.
    price: Money,
    pricing_per: i64,
    last_request: Option<String>,
}

/// The range of external ids that can belong to an attempt, and the times between which its order was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IdWindow {
    /// Inclusive.
    first_id: i64,
    /// Exclusive.
    end_id: i64,
    /// When the order before the window was sent.
    sent_from: Time,
    /// When the order after the window was sent; `None` if no such order exists.
    sent_until: Option<Time>,
}

impl IdWindow {
    fn contains(&self, id: i64) -> bool {
        (self.first_id..self.end_id).contains(&id)
    }

    /// Returns the part of this window that was queried.
    fn intersect(self, queried_window: Self) -> Self {
        Self {
            first_id: self.first_id.max(queried_window.first_id),
            end_id: self.end_id.min(queried_window.end_id),
            ..self
        }
    }
}

#[derive(Debug, Clone)]
enum QueryOutcome {
    /// The orders with these ids that belong to us.
    Orders(Vec<(i64, ExternalOrderStatus)>),
    /// Requests to the external panel are paused until this time.
    Paused(Time),
    /// The request failed, so the orders with its ids are unknown.
    Failed,
}

/// Reconciles due attempts with up to `max_requests` requests, some in parallel, and returns the number of attempts. Attempts with
/// the same neighbors share queries, so that each id is queried only once even after a hundred orders without a response.
pub(super) async fn reconcile_due(app: &App, panel: &PanelConnection, max_requests: i64) -> Result<usize> {
    if max_requests == 0 {
        return Ok(0);
    }
    let requests_per_attempt = MAX_REQUESTS_PER_ATTEMPT.min(app.panel_limits.burst(panel.id));
    let mut windows = HashMap::new();
    let mut due_ids = Vec::new();
    for attempt in load_due_attempts(app, panel.id).await? {
        if let Some(window) = load_window(app, panel.id, &attempt, requests_per_attempt).await? {
            windows.insert(attempt.id, window);
        }
        due_ids.push(attempt.id);
    }
    let max_requests = max_requests
        .max(requests_per_attempt)
        .min(app.panel_limits.available_requests(panel.id, app.clock.now()));
    let (chosen_attempts, ids) = choose_attempts(&due_ids, &windows, max_requests);
    let (attempts, batch) = claim(app, panel.id, &chosen_attempts).await?;
    batch.run(app, reconcile_claimed(app, panel, &attempts, &windows, &ids)).await?;
    Ok(attempts.len())
}

async fn reconcile_claimed(
    app: &App,
    panel: &PanelConnection,
    attempts: &[UnknownAttempt],
    windows: &HashMap<ExternalOrderId, IdWindow>,
    ids: &[i64],
) -> Result<()> {
    let query_results = if attempts.is_empty() { Vec::new() } else { query_statuses(app, panel, ids).await };
    let mut tried_ids = Vec::new();
    for attempt in attempts {
        tried_ids.push(attempt.id);
        let Some(queried_window) = windows.get(&attempt.id) else { continue };
        match orders_in_window(&query_results, *queried_window) {
            // No request was sent, so this does not count as a try.
            QueryOutcome::Paused(until) => {
                tried_ids.pop();
                let tries = attempt.tries - 1;
                reconciling::postpone_reconcile(&mut &app.db, attempt.id, tries, until)
                    .await?
                    .ignore_superseded();
            }
            // Incomplete results are ignored, because an order could seem to be the only match.
            QueryOutcome::Failed => {}
            QueryOutcome::Orders(orders) => {
                // The window is smaller now if another attempt has adopted an order since the query.
                let Some(current_window) =
                    load_window(app, panel.id, attempt, MAX_REQUESTS_PER_ATTEMPT).await?
                else {
                    continue;
                };
                let current_window = current_window.intersect(*queried_window);
                let candidates = orders.into_iter().filter(|(id, _)| current_window.contains(*id));
                let candidates = candidates.map(|(id, status)| (id.to_string(), status)).collect();
                adopt_single_match(app, panel.id, attempt, current_window, candidates).await?;
            }
        }
    }
    let unmatched_attempts = attempts
        .iter()
        .filter(|attempt| attempt.tries == NOTIFY_STAFF_AFTER_TRIES && tried_ids.contains(&attempt.id));
    unknown_attempts::notify_staff(app, &unmatched_attempts.map(|attempt| attempt.id).collect::<Vec<_>>())
        .await?;
    end_attempts_of_finished_orders(app, attempts).await
}

/// Records the external order that only this attempt can have created, if exactly one such order exists.
async fn adopt_single_match(
    app: &App,
    panel: ExternalPanelId,
    attempt: &UnknownAttempt,
    window: IdWindow,
    candidates: Vec<(String, ExternalOrderStatus)>,
) -> Result<()> {
    // These two reads must stay in this sequence, so that an attempt that gets its external id between them appears in one of them.
    let competing_attempts = load_competing_attempts(app, panel, attempt, window).await?;
    let unassigned_orders = remove_assigned(app, panel, candidates).await?;
    if let Some(id) = find_single_match(attempt, &competing_attempts, &unassigned_orders) {
        let request = attempt.last_request.as_deref().unwrap_or_default();
        send::accept(app, (attempt.id, attempt.order_id), &id, request).await?;
    }
    Ok(())
}

// Rules

/// Chooses the attempts for which `max_requests` requests are enough, earliest due time first. Returns these attempts and the ids
/// to query.
fn choose_attempts(
    due_attempts: &[ExternalOrderId],
    windows: &HashMap<ExternalOrderId, IdWindow>,
    max_requests: i64,
) -> (Vec<ExternalOrderId>, Vec<i64>) {
    let max_ids = usize::try_from(max_requests).unwrap_or(0) * MAX_IDS_PER_REQUEST;
    let (mut chosen_attempts, mut ids) = (Vec::new(), BTreeSet::new());
    for attempt in due_attempts {
        // An attempt without a window needs no request.
        let Some(window) = windows.get(attempt) else {
            chosen_attempts.push(*attempt);
            continue;
        };
        let new_ids: Vec<i64> = (window.first_id..window.end_id).filter(|id| !ids.contains(id)).collect();
        if ids.len() + new_ids.len() <= max_ids {
            ids.extend(new_ids);
            chosen_attempts.push(*attempt);
        }
    }
    (chosen_attempts, ids.into_iter().collect())
}

/// Returns the orders in a window, or the outcome of a query that failed for one of its ids.
fn orders_in_window(query_results: &[(Vec<i64>, QueryOutcome)], window: IdWindow) -> QueryOutcome {
    let mut orders_in_window = Vec::new();
    for (ids, outcome) in query_results {
        if !ids.iter().any(|id| window.contains(*id)) {
            continue;
        }
        match outcome {
            QueryOutcome::Orders(orders) => {
                orders_in_window.extend(orders.iter().filter(|(id, _)| window.contains(*id)).cloned());
            }
            failed_outcome => return failed_outcome.clone(),
        }
    }
    QueryOutcome::Orders(orders_in_window)
}

/// Returns the id of the only order that this attempt, and no other attempt, can have created.
fn find_single_match(
    attempt: &UnknownAttempt,
    competing_attempts: &[UnknownAttempt],
    candidates: &[(String, ExternalOrderStatus)],
) -> Option<String> {
    let mut matching_orders = candidates.iter().filter(|(_, status)| can_have_created(attempt, status));
    let (id, status) = matching_orders.next()?;
    let is_unique = matching_orders.next().is_none()
        && !competing_attempts.iter().any(|other| can_have_created(other, status));
    is_unique.then(|| id.clone())
}

/// Whether the charge matches the price, and `remains` is at most the quantity.
fn can_have_created(attempt: &UnknownAttempt, status: &ExternalOrderStatus) -> bool {
    let expected_charge =
        i128::from(attempt.price.0) * i128::from(attempt.quantity) / i128::from(attempt.pricing_per.max(1));
    let charge = status.charge.map(|charge| i128::from(charge.0));
    // External panels round charges, and some round up. A difference of 1 % is tolerated, but at most one cent (10,000 millionths).
    let is_close = |charge: i128| (charge - expected_charge).abs() <= (expected_charge / 100).min(10_000);
    status.remains.is_some_and(|remains| remains <= attempt.quantity)
        && charge.is_some_and(is_close)
        && expected_charge > 0
}

/// Returns the window of at most `max_ids` ids between the last external id sent before the attempt and the first one sent after
/// it.
fn window_between(earlier: &[(i64, Time)], later: &[(i64, Time)], max_ids: i64) -> Option<IdWindow> {
    let (last_id, sent_from) = earlier.iter().max().copied()?;
    let first_id = last_id + 1;
    let next_order = later.iter().filter(|(id, _)| *id >= first_id).min();
    let end_id = next_order.map_or(first_id + max_ids, |(id, _)| *id).min(first_id + max_ids);
    (end_id > first_id).then_some(IdWindow {
        first_id,
        end_id,
        sent_from,
        sent_until: next_order.map(|(_, sent_at)| *sent_at),
    })
}

// Store

const SELECT_ATTEMPTS: &str = "SELECT e.id, e.order_id, e.initial_quantity AS quantity, e.sent_at, e.tries, p.source_price AS price, p.source_pricing_per AS pricing_per, e.last_request
    FROM external_panel_orders e JOIN providers p ON p.id = e.provider_id";

fn select_due_sql(app: &App, panel: ExternalPanelId) -> Sql {
    let sql = Sql::new(SELECT_ATTEMPTS).push(" WHERE e.external_panel_id = ? AND e.due_at <= ? AND ");
    let sql = sql.bind(panel).bind(app.clock.now()).push(attempt_is!(reconcilable, "e"));
    sql.append(quarantine::claimable_condition(app, Poller::ExternalOrder, "e.id"))
}

async fn load_due_attempts(app: &App, panel: ExternalPanelId) -> Result<Vec<UnknownAttempt>> {
    Ok((&mut &app.db)
        .fetch_all(select_due_sql(app, panel).push(" ORDER BY e.due_at, e.id LIMIT ?").bind(BATCH_SIZE))
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
    let sql = select_due_sql(app, panel).push(" AND e.id IN ").ids(ids);
    let sql = sql.push(" ORDER BY e.due_at, e.id").for_update_skip_locked_of("e");
    let mut tx = app.db.begin().await?;
    let mut attempts: Vec<UnknownAttempt> = tx.fetch_all(sql).await?;
    for attempt in &mut attempts {
        attempt.tries += 1;
    }
    let to_reconcile_try = |attempt: &UnknownAttempt| ReconcileTry {
        id: attempt.id,
        tries: attempt.tries,
        next_try_at: dispatch::next_reconciliation(attempt.tries + 1, now),
    };
    reconciling::record_reconcile_tries(
        &mut tx,
        &attempts.iter().map(to_reconcile_try).collect::<Vec<_>>(),
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
    max_requests: i64,
) -> Result<Option<IdWindow>> {
    let sql = Sql::new(
        "SELECT external_order_id, sent_at FROM external_panel_orders WHERE external_panel_id = ? AND external_order_id IS NOT NULL
         AND sent_at IS NOT NULL AND id >= ? AND id <= ? ORDER BY id",
    );
    let id = attempt.id.get();
    let sql = sql.bind(panel).bind(id - MAX_NEIGHBORS).bind(id + MAX_NEIGHBORS);
    let rows: Vec<(String, Time)> = (&mut &app.db).fetch_all(sql).await?;
    // Attempts that were sent at exactly the same time are left out, because the order of their external ids is unknown.
    let neighbors_sent = |ordering: Ordering| {
        let neighbors = rows.iter().filter(|(_, sent_at)| sent_at.cmp(&attempt.sent_at) == ordering);
        neighbors.filter_map(|(id, sent_at)| Some((id.parse::<i64>().ok()?, *sent_at))).collect::<Vec<_>>()
    };
    let max_ids = max_requests * i64::try_from(MAX_IDS_PER_REQUEST).unwrap_or(1);
    Ok(window_between(&neighbors_sent(Ordering::Less), &neighbors_sent(Ordering::Greater), max_ids))
}

async fn query_statuses(app: &App, panel: &PanelConnection, ids: &[i64]) -> Vec<(Vec<i64>, QueryOutcome)> {
    let chunks: Vec<Vec<i64>> = ids.chunks(MAX_IDS_PER_REQUEST).map(<[i64]>::to_vec).collect();
    let requests = chunks.into_iter().map(|chunk| async move {
        let id_strings: Vec<String> = chunk.iter().map(ToString::to_string).collect();
        let outcome = match reseller::fetch_statuses(app, panel.api(), &id_strings).await {
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
    stream::iter(requests).buffer_unordered(MAX_PARALLEL_REQUESTS).collect().await
}

/// Loads the other attempts that can have created an order in this window: all attempts with an unknown outcome at any external
/// panel with the same endpoint, including those that wait for a decision by staff and those that another process is sending now.
async fn load_competing_attempts(
    app: &App,
    panel: ExternalPanelId,
    attempt: &UnknownAttempt,
    window: IdWindow,
) -> Result<Vec<UnknownAttempt>> {
    let sql = Sql::new(SELECT_ATTEMPTS).push(concat!(
        " WHERE e.external_panel_id IN (SELECT s.id FROM external_panels s JOIN external_panels x ON x.endpoint = s.endpoint WHERE x.id = ?)
          AND ",
        attempt_is!(unconfirmed, "e"),
        " AND e.id <> ? AND e.sent_at >= ? AND e.sent_at <= ?",
    ));
    let until = window.sent_until.map_or(Time(i64::MAX), |sent_until| sent_until.plus(CLAIM_DURATION));
    let sql = sql.bind(panel).bind(attempt.id).bind(window.sent_from.minus(CLAIM_DURATION)).bind(until);
    Ok((&mut &app.db).fetch_all(sql).await?)
}

/// Removes the candidates that are already the external order of an attempt, at any external panel with the same endpoint.
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
    let assigned_ids: Vec<(String,)> = (&mut &app.db).fetch_all(sql.bind(panel)).await?;
    let assigned_ids: HashSet<String> = assigned_ids.into_iter().map(|(id,)| id).collect();
    Ok(candidates.into_iter().filter(|(id, _)| !assigned_ids.contains(id)).collect())
}

/// Ends attempts after their last try if their order has finished. If the order still waits, staff decide.
async fn end_attempts_of_finished_orders(app: &App, attempts: &[UnknownAttempt]) -> Result<()> {
    let now = app.clock.now();
    let attempts_after_last_try =
        attempts.iter().filter(|attempt| dispatch::next_reconciliation(attempt.tries + 1, now).is_none());
    let ids: Vec<ExternalOrderId> = attempts_after_last_try.map(|attempt| attempt.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    Ok(ending::end_unreconciled(&mut &app.db, &ids, now).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use panel_domain::reseller_protocol::responses::ExternalOrderState;

    fn attempt_with_quantity(quantity: i64) -> UnknownAttempt {
        UnknownAttempt {
            id: ExternalOrderId::new(1),
            order_id: OrderId::new(1),
            quantity,
            sent_at: Time(0),
            tries: 1,
            price: Money(1_000_000),
            pricing_per: 1_000,
            last_request: None,
        }
    }

    fn order_status(charge: &str, remains: i64) -> ExternalOrderStatus {
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
        let matching_order = ("11".to_owned(), order_status("0.5", 500));
        let other_order = ("12".to_owned(), order_status("0.9", 900));
        let orders = [matching_order.clone(), other_order.clone()];
        assert_eq!(find_single_match(&attempt_with_quantity(500), &[], &orders), Some("11".into()));
        assert_eq!(
            find_single_match(&attempt_with_quantity(500), &[attempt_with_quantity(900)], &orders),
            Some("11".into())
        );
        assert_eq!(
            find_single_match(&attempt_with_quantity(500), &[attempt_with_quantity(500)], &orders),
            None,
            "an order that two attempts match must not be adopted"
        );
        assert_eq!(
            find_single_match(&attempt_with_quantity(500), &[], &[matching_order.clone(), matching_order]),
            None,
            "an attempt that matches two orders must not adopt one"
        );
        assert_eq!(find_single_match(&attempt_with_quantity(500), &[], &[other_order]), None);
        assert_eq!(
            find_single_match(&attempt_with_quantity(500), &[], &[("13".into(), order_status("0.5", 501))]),
            None
        );
    }

    #[test]
    fn distinguishes_small_orders_by_their_charge() {
        // 0.005 and 0.006 differ by less than a cent, but by more than 1 %.
        assert_eq!(
            find_single_match(&attempt_with_quantity(5), &[], &[("11".into(), order_status("0.006", 5))]),
            None
        );
        assert_eq!(
            find_single_match(&attempt_with_quantity(5), &[], &[("11".into(), order_status("0.005", 5))]),
            Some("11".into())
        );
        assert_eq!(
            find_single_match(&attempt_with_quantity(500), &[], &[("11".into(), order_status("0.505", 5))]),
            Some("11".into())
        );
        assert_eq!(
            find_single_match(&attempt_with_quantity(500), &[], &[("11".into(), order_status("0.506", 5))]),
            None
        );
    }

    #[test]
    fn attempts_with_the_same_window_share_queries() {
        let window = |first_id, end_id| IdWindow { first_id, end_id, sent_from: Time(0), sent_until: None };
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
        let plan = |due_ids: &[i64], max_requests| {
            let due_attempts: Vec<_> = due_ids.iter().copied().map(ExternalOrderId::new).collect();
            let (chosen_attempts, ids) = choose_attempts(&due_attempts, &windows, max_requests);
            (chosen_attempts.into_iter().map(ExternalOrderId::get).collect::<Vec<_>>(), ids)
        };
        let (chosen, ids) = plan(&[1, 2, 3, 4, 5, 6], 3);
        assert_eq!(chosen, [1, 2, 3, 4, 6], "the fifth attempt must wait until more requests are available");
        assert_eq!((ids.len(), ids[0], ids[299]), (300, 11, 399));
        assert_eq!(plan(&[5, 3], 4).0, [3], "an attempt must get all of its ids or none");
        assert_eq!(plan(&[5], 5).0, [5]);

        let orders_with_ids =
            |ids: &[i64]| ids.iter().map(|id| (*id, order_status("0.5", 500))).collect::<Vec<_>>();
        let query_results = [
            ((11..111).collect(), QueryOutcome::Orders(orders_with_ids(&[20, 110]))),
            ((111..211).collect(), QueryOutcome::Orders(orders_with_ids(&[111]))),
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
    fn the_window_is_between_the_neighboring_orders() {
        let sent_ids = |ids: &[i64]| ids.iter().map(|id| (*id, Time(id * 10))).collect::<Vec<_>>();
        let window = |earlier: &[i64], later: &[i64]| {
            window_between(&sent_ids(earlier), &sent_ids(later), 500)
                .map(|window| (window.first_id, window.end_id, window.sent_until.is_some()))
        };
        assert_eq!(window(&[10, 12], &[15, 20]), Some((13, 15, true)));
        assert_eq!(window(&[10], &[11]), None);
        assert_eq!(window(&[10], &[]), Some((11, 511, false)));
        assert_eq!(window(&[10], &[90_000]), Some((11, 511, true)));
        assert_eq!(window(&[], &[15]), None, "without an earlier order there must be no window");
    }
}
