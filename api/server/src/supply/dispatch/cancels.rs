//! Sends customers' cancel requests to external panels. An acknowledgement does not cancel the order: the worker polls the attempt
//! immediately, and the final status of the attempt cancels the order (`dispatch_orders`). The request is escalated to staff if the
//! external panel rejects it, does not support cancel requests, or does not respond before the deadline. Only the cancel action of
//! orders changes balances.

#[cfg(test)]
mod simulation;

use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::cancel_requests::CancelRequestCause;
use panel_contract::ids::{CancelRequestId, ExternalPanelId, OrderId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;
use panel_domain::cancel_requests::{CancelStep, choose_cancel_step};
use panel_kernel::backoff::{Backoff, JitterFraction};
use panel_kernel::error::Result;

use super::dispatch_orders::{dispatch_orders, warn_if_not_postponed};
use super::leases::CANCEL_REQUEST_LEASE;
use super::superseded;
use crate::app::App;
use crate::operations::cancel_requests::store::{self, LeasedRequest};
use crate::operations::orders::store as orders;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::polling;
use crate::supply::panels;
use crate::supply::reseller::{self, MessageSubject, PanelError};
use panel_platform::db::state::Transition;
use panel_platform::db::{Sql, SqlExecutor, retry};
use panel_platform::lease::declared::max_calls_per_claim;
use panel_platform::lease::{ClaimedWork, LeasedRows};
use panel_platform::poller::work::WorkSummary;
use panel_platform::quarantine;
use panel_platform::scope::Scope;

/// Maximum number of cancel requests in one batch of one external panel. If the panel rejects the combined HTTP request, the worker
/// sends each cancel request in its own HTTP request ([`parallel_requests`]).
const BATCH_SIZE: i64 = 20;
/// Maximum number of cancel requests per poll that are decided without an HTTP request.
const DECISION_BATCH_SIZE: i64 = 200;
/// Time until the worker decides again about a cancel request that has no external panel to send it to.
const DECISION_RETRY_INTERVAL: Duration = Duration::from_secs(60);
/// Time between two tries to send a cancel request to an external panel that does not respond, until the deadline of the request.
const SEND_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[30, 120, 600, 1_800, 3_600]);

/// The outcome of sending one cancel request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum CancelOutcome {
    Acknowledged,
    /// The external panel rejected the request with this message.
    Rejected(String),
    /// The outcome is unknown or the failure is temporary; the worker sends the request again at this time, for this reason.
    Retry(Time, String),
    /// The worker did not send the request, because requests to the external panel are paused until this time.
    NotSent(Time),
}

impl CancelOutcome {
    /// Corrects the outcome if an earlier HTTP request contained this cancel request too: the external panel may have received it,
    /// so `NotSent` becomes `Retry`.
    fn after_earlier_request(self) -> Self {
        match self {
            Self::NotSent(until) => {
                Self::Retry(until, "Requests to the external panel are paused until then.".to_owned())
            }
            other_outcome => other_outcome,
        }
    }
}

/// Processes every due cancel request, one external panel after the other, and returns their number. Used by tests, and by a
/// process that works on a single record.
pub async fn process_due(app: &App) -> Result<usize> {
    let mut processed = decide_due(app).await?.done;
    for panel in load_panels_with_due_requests(app).await? {
        processed += process_panel(app, panel).await?.done;
    }
    Ok(processed)
}

/// Processes one batch of an external panel.
pub(super) async fn process_panel(app: &App, panel: ExternalPanelId) -> Result<WorkSummary> {
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
    // A request that could not be marked was decided in the meantime, or another worker has claimed it.
    rows.retain(|request| marked_ids.contains(&request.id));
    let mut summary = WorkSummary::default();
    for (request, outcome) in send_requests(app, &panel, &rows).await {
        let transition = retry::retry(app, retry::RECORD_OUTCOME_POLICY, || {
            write_outcome(app, (request, until), &outcome)
        })
        .await;
        match transition {
            Ok(()) => summary.done += 1,
            Err(error) => {
                summary.record_failure(CANCEL_REQUEST_LEASE.kind, request.id.as_record_id(), error)?
            }
        }
    }
    Ok(summary)
}

/// Sends all cancel requests in one HTTP request. If the external panel rejects this HTTP request, sends each cancel request alone,
/// because the panel may support only one order per request.
async fn send_requests<'c>(
    app: &App,
    panel: &panels::PanelConnection,
    claimed: &'c [LeasedRequest],
) -> Vec<(&'c LeasedRequest, CancelOutcome)> {
    let outcomes = send_combined(app, panel, claimed).await;
    match outcomes {
        Err(PanelError::Rejected(..)) if claimed.len() > 1 => {
            let timeout = Duration::from_secs(app.config.outbound.timeout_seconds);
            let mut outcomes = Vec::with_capacity(claimed.len());
            for chunk in claimed.chunks(parallel_requests(claimed.len(), timeout)) {
                let requests: Vec<_> = chunk.iter().map(|request| send_single(app, panel, request)).collect();
                outcomes.extend(join_all(requests).await.into_iter().flatten());
            }
            outcomes
        }
        Err(error) => outcomes_for_error(app, claimed, &error),
        Ok(outcomes) => outcomes,
    }
}

/// Sends one cancel request that an earlier combined HTTP request contained.
async fn send_single<'c>(
    app: &App,
    panel: &panels::PanelConnection,
    request: &'c LeasedRequest,
) -> Vec<(&'c LeasedRequest, CancelOutcome)> {
    let single_request = std::slice::from_ref(request);
    let outcomes = send_combined(app, panel, single_request).await;
    let outcomes = outcomes.unwrap_or_else(|error| outcomes_for_error(app, single_request, &error));
    outcomes.into_iter().map(|(request, outcome)| (request, outcome.after_earlier_request())).collect()
}

async fn send_combined<'c>(
    app: &App,
    panel: &panels::PanelConnection,
    claimed: &'c [LeasedRequest],
) -> Result<Vec<(&'c LeasedRequest, CancelOutcome)>, PanelError> {
    let ids: Vec<String> = claimed.iter().map(|request| request.external_order_id.clone()).collect();
    let results = reseller::request_cancels(app, panel.api(), &ids).await?;
    let now = app.clock.now();
    let to_outcome = |request: &'c LeasedRequest| {
        let outcome = match results.get(&request.external_order_id) {
            Some(Ok(())) => CancelOutcome::Acknowledged,
            Some(Err(message)) => outcome_for_rejection(request.tries, message, now),
            None => CancelOutcome::Retry(
                next_send_at(request.tries, now),
                "The response does not contain this order.".to_owned(),
            ),
        };
        (request, outcome)
    };
    Ok(claimed.iter().map(to_outcome).collect())
}

/// Returns the outcome of each cancel request after an error of the combined HTTP request.
fn outcomes_for_error<'c>(
    app: &App,
    claimed: &'c [LeasedRequest],
    error: &PanelError,
) -> Vec<(&'c LeasedRequest, CancelOutcome)> {
    let now = app.clock.now();
    claimed.iter().map(|request| (request, outcome_for_error(request.tries, error, now))).collect()
}

// Rules

/// Returns how many single HTTP requests to send in parallel, so that the combined request and all single requests end before the
/// claim expires.
fn parallel_requests(request_count: usize, timeout: Duration) -> usize {
    let sequential_requests = max_calls_per_claim(timeout).saturating_sub(1).max(1);
    request_count.div_ceil(sequential_requests).max(1)
}

fn outcome_for_error(tries: i64, error: &PanelError, now: Time) -> CancelOutcome {
    match error {
        PanelError::Paused(until) => CancelOutcome::NotSent(*until),
        PanelError::Rejected(subject, message) if is_about_cancel(*subject, message) => {
            outcome_for_rejection(tries, message, now)
        }
        _ => CancelOutcome::Retry(next_send_at(tries, now), error.to_string()),
    }
}

/// Whether the rejection of an HTTP request is about the order or the cancel action, and not about our API key, our balance or a
/// temporary limit.
fn is_about_cancel(subject: MessageSubject, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    match subject {
        MessageSubject::Key | MessageSubject::Funds => false,
        MessageSubject::Other => {
            ["cancel", "order", "request", "action", "support"].iter().any(|word| message.contains(word))
        }
        _ => true,
    }
}

/// Returns the outcome for a rejection, which escalates the request to staff unless the message asks for a later retry.
fn outcome_for_rejection(tries: i64, message: &str, now: Time) -> CancelOutcome {
    if reseller::asks_to_wait(message) {
        return CancelOutcome::Retry(next_send_at(tries, now), message.to_owned());
    }
    CancelOutcome::Rejected(message.to_owned())
}

/// Returns the time of the next try if the external panel did not respond.
fn next_send_at(tries: i64, now: Time) -> Time {
    SEND_BACKOFF.next_attempt_at(tries.saturating_add(1), JitterFraction::NONE, now)
}

// Store

/// Decides due cancel requests that need no HTTP request: those past their deadline, and those without an assigned attempt.
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
    let due_requests: Vec<(CancelRequestId, OrderId)> = (&mut &app.db)
        .fetch_all(sql.push(" ORDER BY c.due_at, c.id LIMIT ?").bind(DECISION_BATCH_SIZE))
        .await?;
    let ids: Vec<CancelRequestId> = due_requests.iter().map(|(id, _)| *id).collect();
    let batch = quarantine::claim_batch(app, Poller::CancelRequest, &ids).await?;
    batch.run(app, decide_all(app, &due_requests)).await
}

async fn decide_all(app: &App, due_requests: &[(CancelRequestId, OrderId)]) -> Result<WorkSummary> {
    let mut summary = WorkSummary::default();
    for (id, order) in due_requests {
        match decide(app, *id, *order).await {
            Ok(()) => summary.done += 1,
            Err(error) => {
                summary.record_failure(CANCEL_REQUEST_LEASE.kind, id.as_record_id(), error)?;
                let now = app.clock.now();
                let until = now.plus(DECISION_RETRY_INTERVAL);
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
    let is_past_deadline = request.deadline_at <= now;
    let expiry_cause = is_past_deadline.then_some(match request.acknowledged_at {
        Some(_) => CancelRequestCause::NotEnded,
        None => CancelRequestCause::NoResponse,
    });
    match (choose_cancel_step(&open_attempts), expiry_cause) {
        (CancelStep::Immediately, _) => {
            dispatch_orders(&mut work, &[order]).await?;
            // If the dispatch does not decide the request, the worker checks the request again later.
            store::postpone(&mut work, id, now, now.plus(DECISION_RETRY_INTERVAL)).await?.ignore_superseded();
        }
        (_, Some(cause)) => store::escalate(&mut work, id, cause, None).await?,
        (CancelStep::Staff(cause, attempt), None) => {
            store::escalate(&mut work, id, cause, attempt).await?;
        }
        (CancelStep::Send(attempt), None) if request.acknowledged_at.is_none() => {
            store::assign(&mut work, id, attempt, now).await?.ignore_superseded();
        }
        (CancelStep::Send(_) | CancelStep::Wait, None) => {
            store::postpone(&mut work, id, now, now.plus(DECISION_RETRY_INTERVAL)).await?.ignore_superseded();
        }
    }
    work.finish(()).await
}

/// Loads the external panels that have due cancel requests and whose circuit is not open.
pub(super) async fn load_panels_with_due_requests(app: &App) -> Result<Vec<ExternalPanelId>> {
    let now = app.clock.now();
    let sql = Sql::new(
        "SELECT DISTINCT e.external_panel_id FROM order_cancel_requests JOIN external_panel_orders e ON e.id = order_cancel_requests.external_panel_order_id
         JOIN external_panels x ON x.id = e.external_panel_id WHERE x.api_token_sealed IS NOT NULL AND order_cancel_requests.due_at IS NOT NULL AND order_cancel_requests.due_at <= ? AND deadline_at > ? AND ",
    );
    let sql = sql.bind(now).bind(now).push(store::HAS_CALLABLE_ATTEMPT).push(")");
    let sql =
        sql.append(quarantine::claimable_condition(app, Poller::CancelRequest, "order_cancel_requests.id"));
    let panels: Vec<(ExternalPanelId,)> =
        (&mut &app.db).fetch_all(sql.push(" ORDER BY e.external_panel_id")).await?;
    Ok(panels
        .into_iter()
        .map(|(panel,)| panel)
        .filter(|panel| !app.panel_limits.is_open(*panel, now))
        .collect())
}

async fn claim(app: &App, panel: ExternalPanelId) -> Result<ClaimedWork<LeasedRows<LeasedRequest>>> {
    let select_due_sql =
        CANCEL_REQUEST_LEASE.select_claimable(app).push(" AND deadline_at > ? AND ").bind(app.clock.now());
    let select_due_sql =
        select_due_sql.push(store::HAS_CALLABLE_ATTEMPT).push(" AND a.external_panel_id = ?)").bind(panel);
    let select_due_sql = select_due_sql.push(" ORDER BY due_at, id LIMIT ?").bind(BATCH_SIZE);
    Ok(CANCEL_REQUEST_LEASE.claim(app, select_due_sql, LeasedRequest::COLUMNS).await?)
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
            // The attempt is polled even if another worker has claimed the request, because the external panel acknowledged it.
            polling::poll_now(&mut tx, request.attempt, now).await?.ignore_superseded();
            tx.commit().await?;
            transition
        }
        CancelOutcome::Rejected(message) => {
            let mut work = Scope::system(app, "cancel").begin().await?;
            let transition = store::escalate_rejected(&mut work, leased, message).await?;
            // If the order has already ended at the external panel, its final status decides.
            polling::poll_now(&mut work, request.attempt, now).await?.ignore_superseded();
            work.finish(()).await?;
            transition
        }
    };
    superseded::log_if_superseded(CANCEL_REQUEST_LEASE.kind, request.id.as_record_id(), transition);
    Ok(())
}

#[cfg(test)]
mod tests {
    use panel_platform::lease::declared::CLAIM_DURATION;

    use super::*;

    #[test]
    fn a_batch_ends_before_its_claim_expires() {
        let max_requests = usize::try_from(BATCH_SIZE).unwrap();
        for secs in 1..=60 {
            let timeout = Duration::from_secs(secs);
            for request_count in 1..=max_requests {
                let calls = 1 + request_count.div_ceil(parallel_requests(request_count, timeout));
                assert!(
                    timeout * u32::try_from(calls).unwrap() <= CLAIM_DURATION,
                    "{calls} requests of {secs} s each exceed the claim"
                );
            }
        }
        assert_eq!(parallel_requests(max_requests, Duration::from_secs(15)), 4);
        assert_eq!(
            parallel_requests(max_requests, Duration::from_secs(1)),
            1,
            "requests must be sequential if there is enough time"
        );
    }

    #[test]
    fn only_a_rejection_about_the_order_escalates_to_staff() {
        let reject = |subject, message: &str| {
            outcome_for_error(0, &PanelError::Rejected(subject, message.into()), Time(0))
        };
        for (subject, message) in [
            (MessageSubject::Order, "Incorrect order ID"),
            (MessageSubject::Other, "Order cannot be canceled"),
            (MessageSubject::Other, "Incorrect request"),
        ] {
            assert_eq!(reject(subject, message), CancelOutcome::Rejected(message.into()), "{message}");
        }
        for (subject, message) in [
            (MessageSubject::Key, "Invalid API key"),
            (MessageSubject::Other, "Too many requests, please try again later"),
            (MessageSubject::Other, "The external panel responded with status 429: too many requests."),
        ] {
            assert!(
                matches!(reject(subject, message), CancelOutcome::Retry(Time(30_000_000), _)),
                "{message}"
            );
        }
        assert_eq!(
            outcome_for_error(0, &PanelError::Paused(Time(9)), Time(0)),
            CancelOutcome::NotSent(Time(9))
        );
        let unknown_outcome = PanelError::Unknown("cut".into());
        assert!(matches!(
            outcome_for_error(2, &unknown_outcome, Time(0)),
            CancelOutcome::Retry(Time(600_000_000), _)
        ));
        assert!(
            matches!(
                outcome_for_error(99, &unknown_outcome, Time(0)),
                CancelOutcome::Retry(Time(3_600_000_000), _)
            ),
            "the longest pause must be one hour"
        );
    }
}
