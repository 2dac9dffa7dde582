//! Sends refill requests to the external panel that completed the order, and polls their status. `automatic` requests refills for
//! orders with automatic refills. The reseller API has no parameter for a quantity: the external panel itself measures how much is
//! missing. Our quantity is only recorded. No balance changes.

mod automatic;

use std::time::Duration;

use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId, RecordId, RefillRequestId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;
use panel_kernel::backoff::{Backoff, JitterFraction, poll_interval};
use panel_kernel::error::Result;

use super::leases::REFILL_LEASE;
use super::superseded;
use crate::app::App;
use crate::operations::orders::store;
use crate::stores::orders::losses::record_refill;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::refills::{self, RefillOutcome};
use crate::supply::panels;
use crate::supply::reseller::{self, MessageSubject, PanelError};
use panel_platform::db::{Sql, SqlExecutor, retry};
use panel_platform::lease::declared::max_calls_per_claim;
use panel_platform::lease::{ClaimedWork, LeasedRow, LeasedRows};
use panel_platform::poller::work::WorkSummary;
use panel_platform::quarantine;
use panel_platform::scope::Scope;

pub use automatic::request_automatic_refills;

/// Maximum number of refill requests in one batch of one external panel; see [`batch_size`].
const MAX_BATCH_SIZE: i64 = 5;
/// Maximum number of refill requests per poll that are assigned to an attempt.
const ASSIGN_BATCH_SIZE: i64 = 1_000;
/// Time between two tries to request a refill. After the last step, the refill request counts as rejected.
const REQUEST_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[60, 300, 1_800, 7_200, 21_600, 86_400]);
/// Minimum time between two polls of a refill's status.
const MIN_STATUS_INTERVAL: Duration = Duration::from_secs(300);
/// Maximum time between two polls of a refill's status.
const MAX_STATUS_INTERVAL: Duration = Duration::from_secs(3_600);
/// Time until the next status poll after the external panel rejected a status poll.
const STATUS_RETRY_AFTER_REJECTION: Duration = Duration::from_secs(3_600);
/// Time until the next status poll after a request without a response.
const STATUS_RETRY_AFTER_ERROR: Duration = Duration::from_secs(600);

#[derive(Debug, sqlx::FromRow)]
struct RefillRequest {
    id: RefillRequestId,
    order_id: OrderId,
    quantity: i64,
    tries: i64,
    external_refill_id: Option<String>,
    external_order_id: Option<String>,
    /// When the external panel may have received the request for the first time; `None` if no request can have reached it.
    sent_at: Option<Time>,
    created_at: Time,
}

impl LeasedRow for RefillRequest {
    fn id(&self) -> RecordId {
        self.id.as_record_id()
    }
}

/// The outcome of sending or polling a refill request.
enum RefillStepOutcome {
    /// The external panel accepted the request under this refill id.
    Accepted(String),
    Completed,
    Rejected(String),
    /// The worker tries again at this time. Holds the error, if any.
    Retry(Time, Option<String>),
    /// The worker sent no request, because requests to the external panel are paused until this time. This does not count as a try.
    NotSent(Time),
}

/// Sends and polls due refill requests, one external panel after the other, and returns their number. Used by tests and by callers
/// that need the result.
pub async fn process_due(app: &App) -> Result<usize> {
    let mut processed_count = assign_requests(app).await?;
    for panel in load_panels_with_due_requests(app).await? {
        processed_count += process_panel(app, panel).await?.done;
    }
    Ok(processed_count)
}

/// Processes one batch of an external panel.
pub(super) async fn process_panel(app: &App, panel: ExternalPanelId) -> Result<WorkSummary> {
    // The claim comes first, so that the requests wait until the claim expires if the external panel cannot be reached.
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
        match process_request(app, &panel, request, claimed.until).await {
            Ok(()) => summary.done += 1,
            Err(error) => summary.record_failure(REFILL_LEASE.kind, request.id.as_record_id(), error)?,
        }
    }
    Ok(summary)
}

async fn process_request(
    app: &App,
    panel: &panels::PanelConnection,
    request: &RefillRequest,
    lease_until: Time,
) -> Result<()> {
    let now = app.clock.now();
    let leased = (request.id, lease_until);
    let outcome = match (&request.external_refill_id, &request.external_order_id) {
        (Some(refill_id), _) => poll_status(app, panel, request, refill_id).await,
        (None, Some(external_order_id)) => {
            if !refills::mark_called(&mut &app.db, leased, now).await?.is_applied() {
                // Staff have closed the request in the meantime, or another worker has claimed it. No request was sent.
                return Ok(());
            }
            match reseller::request_refill(app, panel.api(), external_order_id).await {
                Ok(refill_id) => RefillStepOutcome::Accepted(refill_id),
                Err(error) => {
                    if error.has_no_effect() && request.sent_at.is_none() {
                        // If another worker has claimed the request, the write of the outcome below is superseded too, and counts
                        // it as discarded.
                        refills::unmark_called(&mut &app.db, leased).await?.ignore_superseded();
                    }
                    outcome_for_error(request.tries, &error, now)
                }
            }
        }
        (None, None) => RefillStepOutcome::Rejected("The external panel never accepted this order.".into()),
    };
    let policy = match outcome {
        RefillStepOutcome::Accepted(_) => retry::RECORD_ACCEPTED_POLICY,
        _ => retry::RECORD_OUTCOME_POLICY,
    };
    retry::retry(app, policy, || write_outcome(app, request, lease_until, &outcome)).await
}

async fn poll_status(
    app: &App,
    panel: &panels::PanelConnection,
    request: &RefillRequest,
    refill_id: &str,
) -> RefillStepOutcome {
    let now = app.clock.now();
    match reseller::fetch_refill_status(app, panel.api(), refill_id).await {
        Ok(status_text) => outcome_for_status(&status_text, request.created_at, now),
        Err(PanelError::Paused(until)) => RefillStepOutcome::NotSent(until),
        Err(PanelError::Rejected(_, message)) => {
            RefillStepOutcome::Retry(now.plus(STATUS_RETRY_AFTER_REJECTION), Some(message))
        }
        Err(error) => RefillStepOutcome::Retry(now.plus(STATUS_RETRY_AFTER_ERROR), Some(error.to_string())),
    }
}

// Rules

/// Returns the number of refill requests per batch, so that sequential HTTP requests end before the claim expires even if every
/// request times out.
fn batch_size(timeout: Duration) -> i64 {
    i64::try_from(max_calls_per_claim(timeout)).unwrap_or(MAX_BATCH_SIZE).min(MAX_BATCH_SIZE)
}

/// Interprets the status of a refill that the external panel sends. Only the exact strings below are final.
fn outcome_for_status(status_text: &str, requested_at: Time, now: Time) -> RefillStepOutcome {
    match status_text.trim().to_ascii_lowercase().as_str() {
        "completed" => RefillStepOutcome::Completed,
        "rejected" | "error" | "canceled" | "cancelled" => {
            RefillStepOutcome::Rejected(format!("The external panel reports the refill as {status_text}."))
        }
        _ => {
            let interval =
                poll_interval(now.since(requested_at), 10, MIN_STATUS_INTERVAL, MAX_STATUS_INTERVAL);
            RefillStepOutcome::Retry(now.plus(interval), None)
        }
    }
}

/// Returns the outcome for an error. Only a rejection of this refill is final; the worker retries after every other error for some
/// days. A repeated request does no harm, because a refill costs nothing and a second refill finds nothing to refill.
fn outcome_for_error(tries: i64, error: &PanelError, now: Time) -> RefillStepOutcome {
    if let PanelError::Paused(until) = error {
        return RefillStepOutcome::NotSent(*until);
    }
    let is_final =
        matches!(error, PanelError::Rejected(subject, message) if is_about_refill(*subject, message));
    let retry_at = REQUEST_BACKOFF
        .next_attempt_at_or_none(tries.saturating_add(1), JitterFraction::NONE, now)
        .filter(|_| !is_final);
    match retry_at {
        Some(retry_at) => RefillStepOutcome::Retry(retry_at, Some(error.to_string())),
        None => RefillStepOutcome::Rejected(error.to_string()),
    }
}

/// Whether a rejection is permanent and about this order or refill, and not about our API key, our balance or a temporary limit.
fn is_about_refill(subject: MessageSubject, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let contains_any = |words: &[&str]| words.iter().any(|word| message.contains(word));
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

/// Assigns each new refill request to the last attempt that completed its order at an external panel, and returns the number of
/// requests. If no such attempt exists, staff refill the order by hand.
pub(super) async fn assign_requests(app: &App) -> Result<usize> {
    let now = app.clock.now();
    let sql = Sql::new(concat!(
        "SELECT r.id, (SELECT max(a.id) FROM external_panel_orders a WHERE a.order_id = r.order_id AND ",
        attempt_is!(completed, "a"),
        " AND a.external_panel_id IS NOT NULL AND a.external_order_id IS NOT NULL) AS attempt
         FROM order_refill_requests r WHERE r.due_at IS NOT NULL AND r.due_at <= ? AND r.external_panel_order_id IS NULL",
    ));
    let sql = sql.bind(now).append(quarantine::claimable_condition(app, Poller::Refill, "r.id"));
    let sql = sql.push(" ORDER BY r.due_at, r.id LIMIT ?").bind(ASSIGN_BATCH_SIZE);
    let requests: Vec<(RefillRequestId, Option<ExternalOrderId>)> = (&mut &app.db).fetch_all(sql).await?;
    if requests.is_empty() {
        return Ok(0);
    }
    refills::assign(&mut &app.db, &requests).await?;
    Ok(requests.len())
}

/// Loads the external panels that have due refill requests and whose circuit is not open.
pub(super) async fn load_panels_with_due_requests(app: &App) -> Result<Vec<ExternalPanelId>> {
    let now = app.clock.now();
    let sql = Sql::new(
        "SELECT DISTINCT a.external_panel_id FROM order_refill_requests r JOIN external_panel_orders a ON a.id = r.external_panel_order_id
         WHERE r.due_at IS NOT NULL AND r.due_at <= ? AND a.external_panel_id IS NOT NULL",
    );
    let sql = sql.bind(now).append(quarantine::claimable_condition(app, Poller::Refill, "r.id"));
    let panels: Vec<(ExternalPanelId,)> =
        (&mut &app.db).fetch_all(sql.push(" ORDER BY a.external_panel_id")).await?;
    Ok(panels
        .into_iter()
        .map(|(panel,)| panel)
        .filter(|panel| !app.panel_limits.is_open(*panel, now))
        .collect())
}

async fn claim(app: &App, panel: ExternalPanelId) -> Result<ClaimedWork<LeasedRows<RefillRequest>>> {
    let select_due_sql = REFILL_LEASE.select_claimable(app).push(
        " AND EXISTS (SELECT 1 FROM external_panel_orders a WHERE a.id = order_refill_requests.external_panel_order_id
           AND a.external_panel_id = ?) ORDER BY due_at, id LIMIT ?",
    );
    let returned_columns = "id, order_id, quantity, tries, external_refill_id, sent_at, created_at,
          (SELECT a.external_order_id FROM external_panel_orders a WHERE a.id = order_refill_requests.external_panel_order_id) AS external_order_id";
    let max_requests = batch_size(Duration::from_secs(app.config.outbound.timeout_seconds));
    Ok(REFILL_LEASE.claim(app, select_due_sql.bind(panel).bind(max_requests), returned_columns).await?)
}

async fn write_outcome(
    app: &App,
    request: &RefillRequest,
    lease_until: Time,
    outcome: &RefillStepOutcome,
) -> Result<()> {
    let now = app.clock.now();
    let leased = (request.id, lease_until);
    let outcome = match outcome {
        RefillStepOutcome::Accepted(refill_id) => {
            RefillOutcome::Accepted(refill_id.clone(), now.plus(MIN_STATUS_INTERVAL))
        }
        RefillStepOutcome::Completed => RefillOutcome::Completed,
        RefillStepOutcome::Rejected(error) => RefillOutcome::Rejected(error.clone()),
        RefillStepOutcome::Retry(at, error) => RefillOutcome::Undecided(*at, error.clone()),
        RefillStepOutcome::NotSent(until) => {
            let transition = refills::postpone(&mut &app.db, leased, *until).await?;
            superseded::log_if_superseded(REFILL_LEASE.kind, request.id.as_record_id(), transition);
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
    superseded::log_if_superseded(REFILL_LEASE.kind, request.id.as_record_id(), transition);
    Ok(())
}

#[cfg(test)]
mod tests {
    use panel_platform::lease::declared::CLAIM_DURATION;

    use super::*;

    #[test]
    fn a_batch_ends_before_its_claim_expires() {
        for secs in 1..=105 {
            let request_count = u64::try_from(batch_size(Duration::from_secs(secs))).unwrap();
            assert!(
                request_count >= 1 && Duration::from_secs(secs * request_count) <= CLAIM_DURATION,
                "{request_count} requests of {secs} s each exceed the claim"
            );
        }
        assert_eq!(batch_size(Duration::from_secs(15)), MAX_BATCH_SIZE);
    }

    const HOUR_MICROS: i64 = 3_600_000_000;

    #[test]
    fn only_exact_status_strings_are_final() {
        assert!(matches!(outcome_for_status("Completed", Time(0), Time(0)), RefillStepOutcome::Completed));
        assert!(matches!(outcome_for_status("rejected", Time(0), Time(0)), RefillStepOutcome::Rejected(_)));
        assert!(matches!(
            outcome_for_status("In progress", Time(0), Time(0)),
            RefillStepOutcome::Retry(Time(300_000_000), None)
        ));
        assert!(matches!(
            outcome_for_status("Incompleted", Time(0), Time(HOUR_MICROS)),
            RefillStepOutcome::Retry(..)
        ));
    }

    #[test]
    fn only_a_rejection_of_the_refill_is_final() {
        let reject = |subject, message: &str| {
            outcome_for_error(0, &PanelError::Rejected(subject, message.into()), Time(0))
        };
        for (subject, message) in [
            (MessageSubject::Order, "Incorrect order ID"),
            (MessageSubject::Other, "Refill is not available for this order"),
            (MessageSubject::Other, "This order has no guarantee"),
        ] {
            assert!(matches!(reject(subject, message), RefillStepOutcome::Rejected(_)), "{message}");
        }
        for (subject, message) in [
            (MessageSubject::Key, "Invalid API key"),
            (MessageSubject::Other, "The external panel responded with status 429: too many requests."),
            (MessageSubject::Other, "Refills are off for maintenance, try later"),
            (MessageSubject::Other, "Internal problem"),
        ] {
            assert!(
                matches!(reject(subject, message), RefillStepOutcome::Retry(Time(60_000_000), Some(_))),
                "{message}"
            );
        }
        assert!(
            matches!(
                outcome_for_error(6, &PanelError::Unknown("cut".into()), Time(0)),
                RefillStepOutcome::Rejected(_)
            ),
            "the worker must give up after some days"
        );
        assert!(
            matches!(
                outcome_for_error(6, &PanelError::Paused(Time(9)), Time(0)),
                RefillStepOutcome::NotSent(Time(9))
            ),
            "a paused request must not count as a try"
        );
    }
}
