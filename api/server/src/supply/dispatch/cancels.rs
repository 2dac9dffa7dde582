//! Sends customers' cancel requests to external panels. An acknowledgement does not cancel the order: the attempt is polled at
//! once, and its final status cancels the order (`dispatch_orders`). A rejection, a panel without that action, and an expired
//! deadline escalate the request to staff. Money moves only through the cancel action of orders.

#[cfg(test)]
mod simulation;

use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::cancel_requests::CancelRequestCause;
use panel_contract::ids::{CancelRequestId, ExternalPanelId, OrderId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;
use panel_domain::cancel_requests::{CancelRoute, choose_route};
use panel_kernel::backoff::{Backoff, JitterFraction};
use panel_kernel::error::Result;

use super::dispatch_orders::{dispatch_orders, warn_if_not_postponed};
use super::leases::CANCEL_REQUEST;
use super::superseded;
use crate::app::App;
use crate::operations::cancel_requests::store::{self, LeasedRequest};
use crate::operations::orders::store as orders;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::polling;
use crate::supply::panels;
use crate::supply::reseller::{self, MessageSubject, PanelError};
use panel_platform::db::state::Transition;
use panel_platform::db::{Source, Sql, retry};
use panel_platform::lease::declared::max_calls_per_claim;
use panel_platform::lease::{ClaimedWork, LeasedRows};
use panel_platform::poller::work::WorkSummary;
use panel_platform::quarantine;
use panel_platform::scope::Scope;

/// The largest number of requests per batch of one panel. If the panel rejects the common call, each request needs its own call
/// ([`parallel_calls`]).
const BATCH: i64 = 20;
/// The largest number of requests per poll that are decided without a call to a panel.
const DECISION_BATCH: i64 = 200;
/// Time until the decision about a request without a panel to call is repeated.
const UNASSIGNED_RETRY: Duration = Duration::from_secs(60);
/// Time between two calls for a request that the panel did not answer, until the deadline of the request.
const CALL_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[30, 120, 600, 1_800, 3_600]);

/// The outcome of a call for one cancel request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum CancelOutcome {
    Acknowledged,
    /// The panel rejected the request with this message.
    Rejected(String),
    /// The outcome is unknown or temporary; the call is repeated at this time for this reason.
    Retry(Time, String),
    /// No call was made, because calls to the panel are paused until this time.
    NotSent(Time),
}

impl CancelOutcome {
    /// The outcome if an earlier call contained this request too: the panel may have received it, so `NotSent` becomes `Retry`.
    fn after_call(self) -> Self {
        match self {
            Self::NotSent(until) => {
                Self::Retry(until, "Calls to the panel are paused until then.".to_owned())
            }
            other => other,
        }
    }
}

/// Processes every due request, one panel after the other, and returns their number. For tests, and for a process that works on a
/// single record.
pub async fn run_due(app: &App) -> Result<usize> {
    let mut processed = decide_due(app).await?.done;
    for panel in panels_due(app).await? {
        processed += run_for(app, panel).await?.done;
    }
    Ok(processed)
}

/// Processes one batch of a panel.
pub(super) async fn run_for(app: &App, panel: ExternalPanelId) -> Result<WorkSummary> {
    let ClaimedWork { batch, records, guard } = claim(app, panel).await?;
    if records == 0 {
        return Ok(WorkSummary::default());
    }
    guard.run(app, process_batch(app, panel, batch)).await
}

async fn process_batch(
    app: &App,
    panel: ExternalPanelId,
    claimed: LeasedRows<LeasedRequest>,
) -> Result<WorkSummary> {
    let panel = panels::load_connection(app, &mut &app.db, panel).await?;
    let LeasedRows { mut rows, until } = claimed;
    let ids: Vec<CancelRequestId> = rows.iter().map(|request| request.id).collect();
    let marked_ids = store::mark_sent(&app.db, (&ids, until), app.clock.now()).await?;
    // Requests that are not marked were decided meanwhile, or another worker claimed them.
    rows.retain(|request| marked_ids.contains(&request.id));
    let mut summary = WorkSummary::default();
    for (request, outcome) in send_requests(app, &panel, &rows).await {
        let transition = retry::retry(app, retry::RECORD_OUTCOME_POLICY, || {
            write_outcome(app, (request, until), &outcome)
        })
        .await;
        match transition {
            Ok(()) => summary.done += 1,
            Err(error) => summary.record_failure(CANCEL_REQUEST.kind, request.id.as_record_id(), error)?,
        }
    }
    Ok(summary)
}

/// Sends all requests in one call. If the panel rejects the whole call, it sends each request alone, because a panel that supports
/// only one order per call must not count as rejecting them all.
async fn send_requests<'c>(
    app: &App,
    panel: &panels::PanelConnection,
    claimed: &'c [LeasedRequest],
) -> Vec<(&'c LeasedRequest, CancelOutcome)> {
    let outcomes = call_panel(app, panel, claimed).await;
    match outcomes {
        Err(PanelError::Rejected(..)) if claimed.len() > 1 => {
            let timeout = Duration::from_secs(app.config.outbound.timeout_seconds);
            let mut outcomes = Vec::with_capacity(claimed.len());
            for chunk in claimed.chunks(parallel_calls(claimed.len(), timeout)) {
                let calls: Vec<_> = chunk.iter().map(|request| send_alone(app, panel, request)).collect();
                outcomes.extend(join_all(calls).await.into_iter().flatten());
            }
            outcomes
        }
        Err(error) => outcomes_of_error(app, claimed, &error),
        Ok(outcomes) => outcomes,
    }
}

/// Sends one request that an earlier call for several requests contained.
async fn send_alone<'c>(
    app: &App,
    panel: &panels::PanelConnection,
    request: &'c LeasedRequest,
) -> Vec<(&'c LeasedRequest, CancelOutcome)> {
    let single_request = std::slice::from_ref(request);
    let outcomes = call_panel(app, panel, single_request).await;
    let outcomes = outcomes.unwrap_or_else(|error| outcomes_of_error(app, single_request, &error));
    outcomes.into_iter().map(|(request, outcome)| (request, outcome.after_call())).collect()
}

async fn call_panel<'c>(
    app: &App,
    panel: &panels::PanelConnection,
    claimed: &'c [LeasedRequest],
) -> Result<Vec<(&'c LeasedRequest, CancelOutcome)>, PanelError> {
    let ids: Vec<String> = claimed.iter().map(|request| request.external_order_id.clone()).collect();
    let answers = reseller::cancel(app, panel.api(), &ids).await?;
    let now = app.clock.now();
    let with_outcome = |request: &'c LeasedRequest| {
        let outcome = match answers.get(&request.external_order_id) {
            Some(Ok(())) => CancelOutcome::Acknowledged,
            Some(Err(message)) => outcome_of_rejection(request.tries, message, now),
            None => CancelOutcome::Retry(
                next_call_at(request.tries, now),
                "The answer lacks this order.".to_owned(),
            ),
        };
        (request, outcome)
    };
    Ok(claimed.iter().map(with_outcome).collect())
}

/// The outcome of each request after an error of the whole call.
fn outcomes_of_error<'c>(
    app: &App,
    claimed: &'c [LeasedRequest],
    error: &PanelError,
) -> Vec<(&'c LeasedRequest, CancelOutcome)> {
    let now = app.clock.now();
    claimed.iter().map(|request| (request, outcome_of_error(request.tries, error, now))).collect()
}

// Rules

/// Parallel calls for this many requests, so that the call for all and then the single calls end before the claim expires.
fn parallel_calls(requests: usize, timeout: Duration) -> usize {
    let sequential_calls = max_calls_per_claim(timeout).saturating_sub(1).max(1);
    requests.div_ceil(sequential_calls).max(1)
}

fn outcome_of_error(tries: i64, error: &PanelError, now: Time) -> CancelOutcome {
    match error {
        PanelError::Paused(until) => CancelOutcome::NotSent(*until),
        PanelError::Rejected(subject, message) if is_about_cancel(*subject, message) => {
            outcome_of_rejection(tries, message, now)
        }
        _ => CancelOutcome::Retry(next_call_at(tries, now), error.to_string()),
    }
}

/// Whether the rejection of a whole call is about the order or the action, as opposed to our API key, our balance or a temporary
/// limit.
fn is_about_cancel(subject: MessageSubject, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    match subject {
        MessageSubject::Key | MessageSubject::Funds => false,
        MessageSubject::Other => {
            ["cancel", "order", "request", "action", "support"].iter().any(|part| message.contains(part))
        }
        _ => true,
    }
}

/// A rejection escalates to staff, unless its message asks the caller to try again later.
fn outcome_of_rejection(tries: i64, message: &str, now: Time) -> CancelOutcome {
    if reseller::asks_to_wait(message) {
        return CancelOutcome::Retry(next_call_at(tries, now), message.to_owned());
    }
    CancelOutcome::Rejected(message.to_owned())
}

/// When the call is repeated after no answer.
fn next_call_at(tries: i64, now: Time) -> Time {
    CALL_BACKOFF.at(tries.saturating_add(1), JitterFraction::NONE, now)
}

// Store

/// Decides due requests that need no call: those past their deadline, and those that are not assigned to an attempt.
pub(super) async fn decide_due(app: &App) -> Result<WorkSummary> {
    let now = app.clock.now();
    let sql = Sql::new(concat!(
        "SELECT c.id, c.order_id FROM order_cancel_requests c WHERE c.due_at IS NOT NULL AND c.due_at <= ?
           AND (c.external_panel_order_id IS NULL OR c.deadline_at <= ? OR c.acknowledged_at IS NOT NULL OR NOT EXISTS (
             SELECT 1 FROM external_panel_orders a WHERE a.id = c.external_panel_order_id AND a.external_order_id IS NOT NULL
               AND ",
        attempt_is!(open, "a"),
        "))",
    ));
    let sql = sql.bind(now).bind(now);
    let sql = sql.append(quarantine::claimable_condition_without_lease(app, Poller::CancelRequest, "c.id"));
    let due: Vec<(CancelRequestId, OrderId)> =
        (&mut &app.db).fetch_all(sql.push(" ORDER BY c.due_at, c.id LIMIT ?").bind(DECISION_BATCH)).await?;
    let ids: Vec<CancelRequestId> = due.iter().map(|(id, _)| *id).collect();
    let batch = quarantine::claim_batch(app, Poller::CancelRequest, &ids).await?;
    batch.run(app, decide_all(app, &due)).await
}

async fn decide_all(app: &App, due: &[(CancelRequestId, OrderId)]) -> Result<WorkSummary> {
    let mut summary = WorkSummary::default();
    for (id, order) in due {
        match decide(app, *id, *order).await {
            Ok(()) => summary.done += 1,
            Err(error) => {
                summary.record_failure(CANCEL_REQUEST.kind, id.as_record_id(), error)?;
                let now = app.clock.now();
                let until = now.plus(UNASSIGNED_RETRY);
                let transition = store::postpone(&mut &app.db, *id, now, until).await;
                warn_if_not_postponed(id.as_record_id(), transition.map(Transition::ignore_superseded));
            }
        }
    }
    Ok(summary)
}

/// Decides one request in its own transaction, with its order locked.
async fn decide(app: &App, id: CancelRequestId, order: OrderId) -> Result<()> {
    let mut work = Scope::system(app, "cancel").begin().await?;
    let now = work.now;
    orders::lock(&mut work, &[order]).await?;
    let Some(request) = store::load_undecided(&mut work, id, now).await? else {
        return work.finish(()).await;
    };
    let open_attempts =
        store::load_open_attempts(&mut work, &[order]).await?.remove(&order).unwrap_or_default();
    let if_expired = |cause| (request.deadline_at <= now).then_some(cause);
    let cause = match request.acknowledged_at {
        Some(_) => if_expired(CancelRequestCause::NotEnded),
        None => if_expired(CancelRequestCause::NoResponse),
    };
    match (choose_route(&open_attempts), cause) {
        (CancelRoute::Immediately, _) => {
            dispatch_orders(&mut work, &[order]).await?;
            // If that does not decide the request, it is checked again later.
            store::postpone(&mut work, id, now, now.plus(UNASSIGNED_RETRY)).await?.ignore_superseded();
        }
        (_, Some(cause)) => store::escalate(&mut work, id, cause, None).await?,
        (CancelRoute::Staff(cause, attempt), None) => {
            store::escalate(&mut work, id, cause, attempt).await?;
        }
        (CancelRoute::Send(attempt), None) if request.acknowledged_at.is_none() => {
            store::assign(&mut work, id, attempt, now).await?.ignore_superseded();
        }
        (CancelRoute::Send(_) | CancelRoute::Wait, None) => {
            store::postpone(&mut work, id, now, now.plus(UNASSIGNED_RETRY)).await?.ignore_superseded();
        }
    }
    work.finish(()).await
}

/// Panels with due cancel requests whose circuit is not open.
pub(super) async fn panels_due(app: &App) -> Result<Vec<ExternalPanelId>> {
    let now = app.clock.now();
    let sql = Sql::new(
        "SELECT DISTINCT e.external_panel_id FROM order_cancel_requests JOIN external_panel_orders e ON e.id = order_cancel_requests.external_panel_order_id
         JOIN external_panels x ON x.id = e.external_panel_id WHERE x.api_token_sealed IS NOT NULL AND order_cancel_requests.due_at IS NOT NULL AND order_cancel_requests.due_at <= ? AND deadline_at > ? AND ",
    );
    let sql = sql.bind(now).bind(now).push(store::HAS_CALLABLE_ATTEMPT).push(")");
    let sql =
        sql.append(quarantine::claimable_condition(app, Poller::CancelRequest, "order_cancel_requests.id"));
    let due: Vec<(ExternalPanelId,)> =
        (&mut &app.db).fetch_all(sql.push(" ORDER BY e.external_panel_id")).await?;
    Ok(due.into_iter().map(|(panel,)| panel).filter(|panel| !app.panel_limits.is_open(*panel, now)).collect())
}

async fn claim(app: &App, panel: ExternalPanelId) -> Result<ClaimedWork<LeasedRows<LeasedRequest>>> {
    let due = CANCEL_REQUEST.select_claimable(app).push(" AND deadline_at > ? AND ").bind(app.clock.now());
    let due = due.push(store::HAS_CALLABLE_ATTEMPT).push(" AND a.external_panel_id = ?)").bind(panel);
    let due = due.push(" ORDER BY due_at, id LIMIT ?").bind(BATCH);
    Ok(CANCEL_REQUEST.claim(app, due, LeasedRequest::COLUMNS).await?)
}

async fn write_outcome(
    app: &App,
    (request, lease_until): (&LeasedRequest, Time),
    outcome: &CancelOutcome,
) -> Result<()> {
    let now = app.clock.now();
    let leased = (request.id, lease_until);
    let transition = match outcome {
        CancelOutcome::Retry(at, reason) => store::retry(&mut &app.db, leased, *at, Some(reason)).await?,
        CancelOutcome::NotSent(until) => store::unmark_sent(&mut &app.db, leased, *until).await?,
        CancelOutcome::Acknowledged => {
            let mut tx = app.db.begin().await?;
            let transition = store::acknowledge(&mut tx, leased, now).await?;
            // Polled even if another worker has claimed the request: the panel acknowledged it.
            polling::poll_now(&mut tx, request.attempt, now).await?.ignore_superseded();
            tx.commit().await?;
            transition
        }
        CancelOutcome::Rejected(message) => {
            let mut work = Scope::system(app, "cancel").begin().await?;
            let transition = store::escalate_refused(&mut work, leased, message).await?;
            // The order may have ended at the panel: then its final status decides.
            polling::poll_now(&mut work, request.attempt, now).await?.ignore_superseded();
            work.finish(()).await?;
            transition
        }
    };
    superseded::log_if_superseded(CANCEL_REQUEST.kind, request.id.as_record_id(), transition);
    Ok(())
}

#[cfg(test)]
mod tests {
    use panel_platform::lease::declared::CLAIM_DURATION;

    use super::*;

    #[test]
    fn a_batch_ends_while_its_claim_holds() {
        let max_requests = usize::try_from(BATCH).unwrap();
        for secs in 1..=60 {
            let timeout = Duration::from_secs(secs);
            for requests in 1..=max_requests {
                let calls = 1 + requests.div_ceil(parallel_calls(requests, timeout));
                assert!(
                    timeout * u32::try_from(calls).unwrap() <= CLAIM_DURATION,
                    "{calls} calls of {secs} s"
                );
            }
        }
        assert_eq!(parallel_calls(max_requests, Duration::from_secs(15)), 4);
        assert_eq!(parallel_calls(max_requests, Duration::from_secs(1)), 1, "sequential if there is time");
    }

    #[test]
    fn only_a_rejection_about_the_order_escalates_to_staff() {
        let rejected = |subject, message: &str| {
            outcome_of_error(0, &PanelError::Rejected(subject, message.into()), Time(0))
        };
        for (subject, message) in [
            (MessageSubject::Order, "Incorrect order ID"),
            (MessageSubject::Other, "Order cannot be canceled"),
            (MessageSubject::Other, "Incorrect request"),
        ] {
            assert_eq!(rejected(subject, message), CancelOutcome::Rejected(message.into()), "{message}");
        }
        for (subject, message) in [
            (MessageSubject::Key, "Invalid API key"),
            (MessageSubject::Other, "Too many requests, please try again later"),
            (MessageSubject::Other, "The panel answered 429: too many calls."),
        ] {
            assert!(
                matches!(rejected(subject, message), CancelOutcome::Retry(Time(30_000_000), _)),
                "{message}"
            );
        }
        assert_eq!(
            outcome_of_error(0, &PanelError::Paused(Time(9)), Time(0)),
            CancelOutcome::NotSent(Time(9))
        );
        let unknown = PanelError::Unknown("cut".into());
        assert!(matches!(outcome_of_error(2, &unknown, Time(0)), CancelOutcome::Retry(Time(600_000_000), _)));
        assert!(
            matches!(outcome_of_error(99, &unknown, Time(0)), CancelOutcome::Retry(Time(3_600_000_000), _)),
            "every hour"
        );
    }
}
