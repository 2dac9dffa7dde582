//! Sends refill requests to the panel that completed the order and polls their status. `automatic` requests refills for orders with
//! automatic refills. The API has no quantity: the panel refills the quantity that it finds missing, and ours is only recorded.
//! No money moves.

mod automatic;

use std::time::Duration;

use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId, RecordId, RefillRequestId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;
use panel_kernel::backoff::{Backoff, JitterFraction, poll_interval};
use panel_kernel::error::Result;

use super::leases::REFILL;
use super::superseded;
use crate::app::App;
use crate::operations::orders::store;
use crate::stores::orders::losses::record_refill;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::refills::{self, RefillOutcome};
use crate::supply::panels;
use crate::supply::reseller::{self, MessageSubject, PanelError};
use panel_platform::db::{Source, Sql, retry};
use panel_platform::lease::declared::max_calls_per_claim;
use panel_platform::lease::{ClaimedWork, LeasedRow, LeasedRows};
use panel_platform::poller::work::WorkSummary;
use panel_platform::quarantine;
use panel_platform::scope::Scope;

pub use automatic::request_automatic_refills;

/// The largest number of requests per batch of one panel; see [`batch_size`].
const BATCH: i64 = 5;
/// The largest number of requests per poll that are assigned to an attempt.
const ASSIGN_BATCH: i64 = 1_000;
/// Time between two tries to request a refill; after the last step the request is rejected.
const REQUEST_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[60, 300, 1_800, 7_200, 21_600, 86_400]);
/// The shortest and the longest time between two polls of a refill's status.
const STATUS_INTERVALS: [Duration; 2] = [Duration::from_secs(300), Duration::from_secs(3_600)];
/// How long a refill's status waits after the panel rejected the call.
const STATUS_RETRY_AFTER_REJECTION: Duration = Duration::from_secs(3_600);
/// How long a refill's status waits after a call without an answer.
const STATUS_RETRY_AFTER_ERROR: Duration = Duration::from_secs(600);

#[derive(Debug, sqlx::FromRow)]
struct RefillRequest {
    id: RefillRequestId,
    order_id: OrderId,
    quantity: i64,
    tries: i64,
    external_refill_id: Option<String>,
    external_order_id: Option<String>,
    /// When the panel may first have received the request; `None` while no call can have reached it.
    sent_at: Option<Time>,
    created_at: Time,
}

impl LeasedRow for RefillRequest {
    fn id(&self) -> RecordId {
        self.id.as_record_id()
    }
}

/// The outcome of a call for a refill request.
enum RefillCallOutcome {
    /// The panel accepted the request under this refill id.
    Accepted(String),
    Completed,
    Rejected(String),
    /// Retry at this time, with the error if there is one.
    Retry(Time, Option<String>),
    /// No call was made, because calls to the panel are paused until this time. It counts as no try.
    NotSent(Time),
}

/// Sends and polls due refill requests, one panel after the other, and returns their number. For tests and callers that need the
/// result.
pub async fn run_due(app: &App) -> Result<usize> {
    let mut processed = assign(app).await?;
    for panel in panels_due(app).await? {
        processed += run_for(app, panel).await?.done;
    }
    Ok(processed)
}

/// Processes one batch of a panel.
pub(super) async fn run_for(app: &App, panel: ExternalPanelId) -> Result<WorkSummary> {
    // Claimed first: if the panel cannot be called at all, the requests wait until their claim expires.
    let ClaimedWork { batch, records, guard } = claim(app, panel).await?;
    if records == 0 {
        return Ok(WorkSummary::default());
    }
    guard.run(app, process_all(app, panel, &batch)).await
}

async fn process_all(
    app: &App,
    panel: ExternalPanelId,
    claimed: &LeasedRows<RefillRequest>,
) -> Result<WorkSummary> {
    let panel = panels::load_connection(app, &mut &app.db, panel).await?;
    let mut summary = WorkSummary::default();
    for request in &claimed.rows {
        match process(app, &panel, request, claimed.until).await {
            Ok(()) => summary.done += 1,
            Err(error) => summary.record_failure(REFILL.kind, request.id.as_record_id(), error)?,
        }
    }
    Ok(summary)
}

async fn process(
    app: &App,
    panel: &panels::PanelConnection,
    request: &RefillRequest,
    lease_until: Time,
) -> Result<()> {
    let now = app.clock.now();
    let leased = (request.id, lease_until);
    let outcome = match (&request.external_refill_id, &request.external_order_id) {
        (Some(refill), _) => poll_status(app, panel, request, refill).await,
        (None, Some(order)) => {
            if !refills::mark_called(&mut &app.db, leased, now).await?.is_applied() {
                // Staff closed the request meanwhile, or another worker claimed it. No call was made.
                return Ok(());
            }
            match reseller::refill(app, panel.api(), order).await {
                Ok(refill) => RefillCallOutcome::Accepted(refill),
                Err(error) => {
                    if error.has_no_effect() && request.sent_at.is_none() {
                        // If another worker has claimed it, the write below is superseded too, and counts the dropped outcome.
                        refills::unmark_called(&mut &app.db, leased).await?.ignore_superseded();
                    }
                    outcome_of_error(request.tries, &error, now)
                }
            }
        }
        (None, None) => RefillCallOutcome::Rejected("The panel never accepted this order.".into()),
    };
    let policy = match outcome {
        RefillCallOutcome::Accepted(_) => retry::RECORD_ACCEPTED_POLICY,
        _ => retry::RECORD_OUTCOME_POLICY,
    };
    retry::retry(app, policy, || write_outcome(app, request, lease_until, &outcome)).await
}

async fn poll_status(
    app: &App,
    panel: &panels::PanelConnection,
    request: &RefillRequest,
    refill: &str,
) -> RefillCallOutcome {
    let now = app.clock.now();
    match reseller::refill_status(app, panel.api(), refill).await {
        Ok(status_text) => outcome_of_status(&status_text, request.created_at, now),
        Err(PanelError::Paused(until)) => RefillCallOutcome::NotSent(until),
        Err(PanelError::Rejected(_, message)) => {
            RefillCallOutcome::Retry(now.plus(STATUS_RETRY_AFTER_REJECTION), Some(message))
        }
        Err(error) => RefillCallOutcome::Retry(now.plus(STATUS_RETRY_AFTER_ERROR), Some(error.to_string())),
    }
}

// Rules

/// Requests per batch, so few that sequential calls end before the claim expires, even if every call times out.
fn batch_size(timeout: Duration) -> i64 {
    i64::try_from(max_calls_per_claim(timeout)).unwrap_or(BATCH).min(BATCH)
}

/// Interprets the panel's status of a refill. Only exact values are final.
fn outcome_of_status(status_text: &str, requested_at: Time, now: Time) -> RefillCallOutcome {
    match status_text.trim().to_ascii_lowercase().as_str() {
        "completed" => RefillCallOutcome::Completed,
        "rejected" | "error" | "canceled" | "cancelled" => {
            RefillCallOutcome::Rejected(format!("The panel reports the refill as {status_text}."))
        }
        _ => {
            let [min, max] = STATUS_INTERVALS;
            RefillCallOutcome::Retry(now.plus(poll_interval(now.since(requested_at), 10, min, max)), None)
        }
    }
}

/// A refill costs nothing and a second one finds nothing to refill, so only a rejection of this refill is final; every other error
/// is retried for some days.
fn outcome_of_error(tries: i64, error: &PanelError, now: Time) -> RefillCallOutcome {
    if let PanelError::Paused(until) = error {
        return RefillCallOutcome::NotSent(*until);
    }
    let is_final =
        matches!(error, PanelError::Rejected(subject, message) if is_about_refill(*subject, message));
    let retry_at = REQUEST_BACKOFF
        .at_or_give_up(tries.saturating_add(1), JitterFraction::NONE, now)
        .filter(|_| !is_final);
    match retry_at {
        Some(retry_at) => RefillCallOutcome::Retry(retry_at, Some(error.to_string())),
        None => RefillCallOutcome::Rejected(error.to_string()),
    }
}

/// Whether a rejection is about this order or refill and is permanent, as opposed to one about our API key, our balance or a
/// temporary limit.
fn is_about_refill(subject: MessageSubject, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let contains_any = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
    match subject {
        MessageSubject::Order
        | MessageSubject::Refill
        | MessageSubject::Service
        | MessageSubject::Quantity
        | MessageSubject::DuplicateLink => true,
        MessageSubject::Key | MessageSubject::Funds => false,
        MessageSubject::Other => {
            contains_any(&["refill", "order", "guarantee", "drop"]) && !reseller::asks_to_wait(&message)
        }
    }
}

// Store

/// Assigns each new request to the last attempt that completed its order at a panel, and returns the number of requests. Without
/// such an attempt, staff refill manually.
pub(super) async fn assign(app: &App) -> Result<usize> {
    let now = app.clock.now();
    let sql = Sql::new(concat!(
        "SELECT r.id, (SELECT max(a.id) FROM external_panel_orders a WHERE a.order_id = r.order_id AND ",
        attempt_is!(completed, "a"),
        " AND a.external_panel_id IS NOT NULL AND a.external_order_id IS NOT NULL) AS attempt
         FROM order_refill_requests r WHERE r.due_at IS NOT NULL AND r.due_at <= ? AND r.external_panel_order_id IS NULL",
    ));
    let sql = sql.bind(now).append(quarantine::claimable_condition(app, Poller::Refill, "r.id"));
    let sql = sql.push(" ORDER BY r.due_at, r.id LIMIT ?").bind(ASSIGN_BATCH);
    let requests: Vec<(RefillRequestId, Option<ExternalOrderId>)> = (&mut &app.db).fetch_all(sql).await?;
    if requests.is_empty() {
        return Ok(0);
    }
    refills::assign(&mut &app.db, &requests).await?;
    Ok(requests.len())
}

/// Panels with due refill requests whose circuit is not open.
pub(super) async fn panels_due(app: &App) -> Result<Vec<ExternalPanelId>> {
    let now = app.clock.now();
    let sql = Sql::new(
        "SELECT DISTINCT a.external_panel_id FROM order_refill_requests r JOIN external_panel_orders a ON a.id = r.external_panel_order_id
         WHERE r.due_at IS NOT NULL AND r.due_at <= ? AND a.external_panel_id IS NOT NULL",
    );
    let sql = sql.bind(now).append(quarantine::claimable_condition(app, Poller::Refill, "r.id"));
    let due: Vec<(ExternalPanelId,)> =
        (&mut &app.db).fetch_all(sql.push(" ORDER BY a.external_panel_id")).await?;
    Ok(due.into_iter().map(|(panel,)| panel).filter(|panel| !app.panel_limits.is_open(*panel, now)).collect())
}

async fn claim(app: &App, panel: ExternalPanelId) -> Result<ClaimedWork<LeasedRows<RefillRequest>>> {
    let due = REFILL.select_claimable(app).push(
        " AND EXISTS (SELECT 1 FROM external_panel_orders a WHERE a.id = order_refill_requests.external_panel_order_id
           AND a.external_panel_id = ?) ORDER BY due_at, id LIMIT ?",
    );
    let columns = "id, order_id, quantity, tries, external_refill_id, sent_at, created_at,
          (SELECT a.external_order_id FROM external_panel_orders a WHERE a.id = order_refill_requests.external_panel_order_id) AS external_order_id";
    let max_requests = batch_size(Duration::from_secs(app.config.outbound.timeout_seconds));
    Ok(REFILL.claim(app, due.bind(panel).bind(max_requests), columns).await?)
}

async fn write_outcome(
    app: &App,
    request: &RefillRequest,
    lease_until: Time,
    outcome: &RefillCallOutcome,
) -> Result<()> {
    let now = app.clock.now();
    let leased = (request.id, lease_until);
    let outcome = match outcome {
        RefillCallOutcome::Accepted(refill) => {
            RefillOutcome::Accepted(refill.clone(), now.plus(STATUS_INTERVALS[0]))
        }
        RefillCallOutcome::Completed => RefillOutcome::Completed,
        RefillCallOutcome::Rejected(error) => RefillOutcome::Rejected(error.clone()),
        RefillCallOutcome::Retry(at, error) => RefillOutcome::Undecided(*at, error.clone()),
        RefillCallOutcome::NotSent(until) => {
            let transition = refills::postpone(&mut &app.db, leased, *until).await?;
            superseded::log_if_superseded(REFILL.kind, request.id.as_record_id(), transition);
            return Ok(());
        }
    };
    let mut work = Scope::system(app, "refill").begin().await?;
    store::lock(&mut work, &[request.order_id]).await?;
    let transition = refills::record_outcome(&mut work, leased, &outcome).await?;
    if transition.is_applied() && outcome == RefillOutcome::Completed {
        record_refill(&mut work, request.order_id, request.quantity).await?;
    }
    work.finish(()).await?;
    superseded::log_if_superseded(REFILL.kind, request.id.as_record_id(), transition);
    Ok(())
}

#[cfg(test)]
mod tests {
    use panel_platform::lease::declared::CLAIM_DURATION;

    use super::*;

    #[test]
    fn a_batch_ends_while_its_claim_holds() {
        for secs in 1..=105 {
            let batch = u64::try_from(batch_size(Duration::from_secs(secs))).unwrap();
            assert!(
                batch >= 1 && Duration::from_secs(secs * batch) <= CLAIM_DURATION,
                "{batch} calls of {secs} s"
            );
        }
        assert_eq!(batch_size(Duration::from_secs(15)), BATCH);
    }

    const HOUR: i64 = 3_600_000_000;

    #[test]
    fn only_exact_status_words_are_final() {
        assert!(matches!(outcome_of_status("Completed", Time(0), Time(0)), RefillCallOutcome::Completed));
        assert!(matches!(outcome_of_status("rejected", Time(0), Time(0)), RefillCallOutcome::Rejected(_)));
        assert!(matches!(
            outcome_of_status("In progress", Time(0), Time(0)),
            RefillCallOutcome::Retry(Time(300_000_000), None)
        ));
        assert!(matches!(
            outcome_of_status("Incompleted", Time(0), Time(HOUR)),
            RefillCallOutcome::Retry(..)
        ));
    }

    #[test]
    fn only_a_rejection_of_the_refill_is_final() {
        let rejected = |subject, message: &str| {
            outcome_of_error(0, &PanelError::Rejected(subject, message.into()), Time(0))
        };
        for (subject, message) in [
            (MessageSubject::Order, "Incorrect order ID"),
            (MessageSubject::Other, "Refill is not available for this order"),
            (MessageSubject::Other, "This order has no guarantee"),
        ] {
            assert!(matches!(rejected(subject, message), RefillCallOutcome::Rejected(_)), "{message}");
        }
        for (subject, message) in [
            (MessageSubject::Key, "Invalid API key"),
            (MessageSubject::Other, "The panel answered 429: too many calls."),
            (MessageSubject::Other, "Refills are off for maintenance, try later"),
            (MessageSubject::Other, "Internal problem"),
        ] {
            assert!(
                matches!(rejected(subject, message), RefillCallOutcome::Retry(Time(60_000_000), Some(_))),
                "{message}"
            );
        }
        assert!(
            matches!(
                outcome_of_error(6, &PanelError::Unknown("cut".into()), Time(0)),
                RefillCallOutcome::Rejected(_)
            ),
            "some days"
        );
        assert!(
            matches!(
                outcome_of_error(6, &PanelError::Paused(Time(9)), Time(0)),
                RefillCallOutcome::NotSent(Time(9))
            ),
            "no try"
        );
    }
}
