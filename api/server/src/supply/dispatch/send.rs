//! Sends orders to external panels. A worker claims each placement attempt before it sends the request. After a request with an
//! unknown outcome, the attempt is never sent again automatically: `reconcile` or a staff member resolves it. No transaction is
//! open during a request. The worker writes an outcome only while its claim is valid, except that it always writes an acceptance.

use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId};
use panel_contract::rejections::RejectionReason;
use panel_domain::dispatch;
use panel_domain::states::placement_attempts::after_call::{AfterCall, CallOutcome};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::attempts::{self, UnsentAttempt};
use super::catch_panic;
use super::dispatch_orders;
use super::leases::EXTERNAL_ORDER_LEASE;
use super::superseded;
use crate::app::App;
use crate::metrics::EXTERNAL_ORDERS_UNRECORDED;
use crate::operations::orders::store;
use crate::stores::placement_attempts::sending::{self, AcceptOutcome, RequestAndResponse};
use crate::stores::placement_attempts::truncate_text;
use crate::supply::panels::PanelConnection;
use crate::supply::reseller::placement::Placement;
use crate::supply::reseller::{self, PanelError};
use panel_domain::reseller_protocol::add_order::AddOrderRequest;
use panel_platform::db::retry;
use panel_platform::db::state::Transition;
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// Maximum number of orders that are sent to one external panel in parallel.
const MAX_PARALLEL_REQUESTS: i64 = 10;
/// Time until the worker checks an attempt of a paused order again.
const BLOCKED_ATTEMPT_RETRY: Duration = Duration::from_secs(30);

/// Sends up to `max_requests` due attempts of one external panel, and returns their number.
pub(super) async fn send_due(app: &App, panel: &PanelConnection, max_requests: i64) -> Result<usize> {
    if max_requests == 0 {
        return Ok(0);
    }
    let (claimed, batch) =
        attempts::claim_unsent(app, panel.id, max_requests.min(MAX_PARALLEL_REQUESTS)).await?;
    let now = app.clock.now();
    if claimed.is_empty() {
        attempts::postpone_blocked(app, panel.id, now.plus(BLOCKED_ATTEMPT_RETRY)).await?;
        return Ok(0);
    }
    let sends = claimed.iter().map(|attempt| {
        catch_panic(async move {
            let (request, outcome) = send(app, panel, attempt).await;
            // The outcome is written immediately after the request, so that a failure of another request or the end of the process
            // cannot lose it.
            let write_result = write_with_retry(app, attempt, &request, &outcome).await;
            if let Err(error) = &write_result {
                log_unrecorded_outcome(panel.id, attempt, &outcome, error);
            }
            write_result
        })
    });
    batch.run(app, join_all(sends)).await.into_iter().collect::<Result<Vec<()>>>()?;
    Ok(claimed.len())
}

/// Logs an outcome that could not be written. If the external panel accepted the order, this server has no record of the external
/// order until reconciliation or a staff member finds it.
fn log_unrecorded_outcome(
    panel: ExternalPanelId,
    attempt: &UnsentAttempt,
    outcome: &CallOutcome,
    error: &Error,
) {
    let (attempt_id, order_id, external_panel_id) = (attempt.id.get(), attempt.order_id.get(), panel.get());
    if let CallOutcome::Accepted(external_order_id) = outcome {
        EXTERNAL_ORDERS_UNRECORDED.unlabeled().increment(1);
        tracing::error!(
            ?error,
            attempt_id,
            order_id,
            external_panel_id,
            external_order_id,
            "failed to record an order that the external panel accepted"
        );
    } else {
        tracing::error!(
            ?error,
            attempt_id,
            order_id,
            external_panel_id,
            ?outcome,
            "failed to record the outcome of a request to an external panel"
        );
    }
}

async fn send(app: &App, panel: &PanelConnection, attempt: &UnsentAttempt) -> (String, CallOutcome) {
    let Some(service_id) = attempt.external_panel_service_id.as_deref() else {
        return (
            String::new(),
            CallOutcome::Rejected(
                "The provider has no service of its external panel. Set the service of the provider.".into(),
            ),
        );
    };
    match attempt.prepare_request() {
        Err(message) => (String::new(), CallOutcome::Rejected(message)),
        Ok(prepared) => {
            let request = &prepared.request;
            if app.clock.now().since(attempt.claimed_at) >= attempts::REQUEST_START_TIMEOUT {
                return (request_json(service_id, request), CallOutcome::NotSent(app.clock.now()));
            }
            let placement =
                reseller::place_order(app, panel.api(), &panel.rejections, service_id, request).await;
            (request_json(service_id, request), outcome_for_placement(placement))
        }
    }
}

// Rules

/// Maps the placement to the outcome. Only an order that the external panel certainly did not accept may be sent again, to the same
/// or the next provider.
fn outcome_for_placement(placement: Placement) -> CallOutcome {
    use RejectionReason as R;
    match placement {
        Placement::Accepted(id) => CallOutcome::Accepted(id),
        Placement::Unknown { explanation, message } => CallOutcome::Unknown { reason: explanation, message },
        Placement::NotSent(PanelError::Paused(until)) => CallOutcome::NotSent(until),
        Placement::NotSent(error @ PanelError::NotSent(_)) => CallOutcome::RetryOrFailover(error.to_string()),
        Placement::NotSent(error) => CallOutcome::Retry(error.to_string()),
        Placement::Rejected(reason, message) => match reason {
            // The external panel would reject the same request again, but another external panel may accept it.
            R::UnknownService | R::QuantityBelow | R::QuantityAbove | R::InvalidLink | R::InvalidRequest => {
                CallOutcome::Rejected(message)
            }
            R::InvalidKey | R::AccountSuspended | R::InsufficientFunds | R::DuplicateLink => {
                CallOutcome::RetryOrFailover(message)
            }
            R::ServiceDisabled | R::TooManyCalls => CallOutcome::Retry(message),
        },
    }
}

/// Formats the request as JSON without the API key, which staff see.
fn request_json(service_id: &str, request: &AddOrderRequest) -> String {
    let fields = reseller::place_order_fields(service_id, request);
    let mut request = json!({ "action": "add" });
    for (name, value) in fields {
        request[name] = json!(value);
    }
    truncate_text(&request.to_string())
}

// Store

/// Writes the outcome. If the external panel accepted the order, retries the write until the database is available, because
/// otherwise the external panel would have an order that this server does not know. The write of any other outcome is not retried
/// after an outage, because the first write may have succeeded and another process may have claimed the attempt since then. Staff
/// then resolve the attempt, whose outcome is unknown.
async fn write_with_retry(
    app: &App,
    attempt: &UnsentAttempt,
    request: &str,
    outcome: &CallOutcome,
) -> Result<()> {
    let policy = if matches!(outcome, CallOutcome::Accepted(_)) {
        retry::RECORD_ACCEPTED_POLICY
    } else {
        retry::RECORD_OUTCOME_POLICY
    };
    retry::retry(app, policy, || write_outcome(app, attempt, request, outcome)).await
}

async fn write_outcome(
    app: &App,
    attempt: &UnsentAttempt,
    request: &str,
    outcome: &CallOutcome,
) -> Result<()> {
    let now = app.clock.now();
    let (claim, texts_with_response) = (attempt.claim(), |response| RequestAndResponse { request, response });
    match (AfterCall::from_outcome(outcome, dispatch::next_placement_attempt(attempt.tries, now)), outcome) {
        (AfterCall::Accept, CallOutcome::Accepted(id)) => {
            accept(app, (attempt.id, attempt.order_id), id, request).await
        }
        (AfterCall::MarkUnknown, CallOutcome::Unknown { reason, message }) => {
            let times = (now, dispatch::next_reconciliation(1, now));
            let db = &mut &app.db;
            sending::mark_unknown(db, claim, texts_with_response(reason), message.as_deref(), times)
                .await?
                .ignore_superseded();
            Ok(())
        }
        (AfterCall::Requeue { at, counts_as_try }, _) => {
            let tries = if counts_as_try { attempt.tries } else { attempt.tries - 1 };
            let reason = failure_reason(outcome);
            match sending::requeue(&mut &app.db, claim, (at, tries), reason, now).await? {
                Transition::Applied => Ok(()),
                // A cancel request arrived in the meantime, and the external panel certainly does not have the order.
                Transition::Superseded => {
                    let response = reason.unwrap_or("The order was canceled before it was sent.");
                    reject(app, attempt, RequestAndResponse { request: "", response }).await
                }
            }
        }
        (AfterCall::FailOverOrRequeue, _) => {
            fail_over(app, attempt, texts_with_response(failure_reason(outcome).unwrap_or_default())).await
        }
        _ => reject(app, attempt, texts_with_response(failure_reason(outcome).unwrap_or_default())).await,
    }
}

/// Returns the reason why an order was not placed; `None` if the outcome has no reason.
fn failure_reason(outcome: &CallOutcome) -> Option<&str> {
    match outcome {
        CallOutcome::Retry(reason) | CallOutcome::RetryOrFailover(reason) | CallOutcome::Rejected(reason) => {
            Some(reason)
        }
        CallOutcome::Unknown { reason, .. } => Some(reason),
        CallOutcome::Accepted(_) | CallOutcome::NotSent(_) => None,
    }
}

/// Records that the external panel accepted the order, and schedules the first status poll.
pub(super) async fn accept(
    app: &App,
    (id, order_id): (ExternalOrderId, OrderId),
    external_id: &str,
    request: &str,
) -> Result<()> {
    let now = app.clock.now();
    let times = (now, now.plus(dispatch::poll_interval_of_open_attempt(Duration::ZERO, true)));
    let accept_outcome = sending::mark_accepted(&app.db, id, external_id, request, times).await?;
    let (attempt_id, order_id) = (id.get(), order_id.get());
    match accept_outcome {
        AcceptOutcome::Accepted => {}
        AcceptOutcome::Conflicting => tracing::warn!(
            attempt_id,
            order_id,
            external_order_id = external_id,
            "two attempts have the same external order; staff must decide which attempt created it"
        ),
        AcceptOutcome::Superseded => {
            superseded::add_to_metric(EXTERNAL_ORDER_LEASE.kind, 1);
            // The external panel has an order that this server has not recorded.
            EXTERNAL_ORDERS_UNRECORDED.unlabeled().increment(1);
            tracing::error!(
                attempt_id,
                order_id,
                external_order_id = external_id,
                "failed to record an accepted external order, because the attempt already had another external order or had ended"
            );
        }
    }
    Ok(())
}

/// Fails over to the next provider. If no other provider exists, queues the attempt again with an alert for staff.
async fn fail_over(app: &App, attempt: &UnsentAttempt, texts: RequestAndResponse<'_>) -> Result<()> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    let now = work.now;
    store::lock(&mut work, &[attempt.order_id]).await?;
    let is_requeued = !dispatch_orders::has_other_provider(&mut work, attempt.id).await? && {
        let retry_at = dispatch::next_attempt_without_try_limit(attempt.tries, now);
        sending::requeue_with_alert(&mut work, attempt.claim(), texts, retry_at, now).await?.is_applied()
    };
    if !is_requeued {
        end_as_rejected(&mut work, attempt, texts).await?;
    }
    work.finish(()).await
}

/// Ends the attempt as rejected and dispatches its order again.
async fn reject(app: &App, attempt: &UnsentAttempt, texts: RequestAndResponse<'_>) -> Result<()> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    store::lock(&mut work, &[attempt.order_id]).await?;
    end_as_rejected(&mut work, attempt, texts).await?;
    work.finish(()).await
}

async fn end_as_rejected(
    work: &mut UnitOfWork,
    attempt: &UnsentAttempt,
    texts: RequestAndResponse<'_>,
) -> Result<()> {
    let now = work.now;
    match sending::mark_rejected(work, attempt.claim(), texts, now).await? {
        Transition::Applied => dispatch_orders::dispatch_orders(work, &[attempt.order_id]).await,
        Transition::Superseded => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::moment::Time;

    use super::*;

    #[test]
    fn only_an_order_that_was_certainly_not_accepted_is_sent_again() {
        let outcome_for_reason = |reason| outcome_for_placement(Placement::Rejected(reason, "No".into()));
        assert_eq!(outcome_for_placement(Placement::Accepted("7".into())), CallOutcome::Accepted("7".into()));
        let unknown_placement =
            Placement::Unknown { explanation: "No answer".into(), message: Some("Closed".into()) };
        assert_eq!(
            outcome_for_placement(unknown_placement),
            CallOutcome::Unknown { reason: "No answer".into(), message: Some("Closed".into()) }
        );
        assert_eq!(
            outcome_for_placement(Placement::NotSent(PanelError::Paused(Time(9)))),
            CallOutcome::NotSent(Time(9))
        );
        assert!(matches!(
            outcome_for_placement(Placement::NotSent(PanelError::NotSent("down".into()))),
            CallOutcome::RetryOrFailover(_)
        ));
        assert!(matches!(
            outcome_for_placement(Placement::NotSent(PanelError::ForbiddenAddress("private".into()))),
            CallOutcome::Retry(_)
        ));
        for reason in RejectionReason::ALL {
            let expected_outcome = match reason.as_str() {
                "invalid_key" | "account_suspended" | "insufficient_funds" | "duplicate_link" => {
                    CallOutcome::RetryOrFailover("No".into())
                }
                "service_disabled" | "too_many_calls" => CallOutcome::Retry("No".into()),
                _ => CallOutcome::Rejected("No".into()),
            };
            assert_eq!(outcome_for_reason(*reason), expected_outcome, "{reason}");
        }
    }
}
