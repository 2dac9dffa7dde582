//! Sends orders to panels. Each attempt is claimed before its call. After a call with an unknown outcome the attempt is never sent
//! again automatically: `reconcile` or a staff member resolves it. No transaction is open during a call. An outcome is written only
//! while the claim is valid; an acceptance is written even later.

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
use super::leases::EXTERNAL_ORDER;
use super::superseded;
use crate::app::App;
use crate::metrics::EXTERNAL_ORDERS_UNRECORDED;
use crate::operations::orders::store;
use crate::stores::placement_attempts::sending::{self, AcceptOutcome, CallTexts};
use crate::stores::placement_attempts::truncate_text;
use crate::supply::panels::PanelConnection;
use crate::supply::reseller::placement::Placement;
use crate::supply::reseller::{self, PanelError};
use panel_domain::reseller_protocol::add_order::AddOrderRequest;
use panel_platform::db::retry;
use panel_platform::db::state::Transition;
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// Orders sent to one panel in parallel.
const MAX_PARALLEL_CALLS: i64 = 10;
/// Time until an attempt is checked again whose order is paused.
const PAUSED_ORDER_RETRY: Duration = Duration::from_secs(30);

/// Sends the due attempts of one panel with up to `calls` calls, and returns their number.
pub(super) async fn send_due(app: &App, panel: &PanelConnection, calls: i64) -> Result<usize> {
    if calls == 0 {
        return Ok(0);
    }
    let (claimed, batch) = attempts::claim_unsent(app, panel.id, calls.min(MAX_PARALLEL_CALLS)).await?;
    let now = app.clock.now();
    if claimed.is_empty() {
        attempts::postpone_waiting(app, panel.id, now.plus(PAUSED_ORDER_RETRY)).await?;
        return Ok(0);
    }
    let calls = claimed.iter().map(|attempt| {
        catch_panic(async move {
            let (request, outcome) = send(app, panel, attempt).await;
            // Written right after the call, so that neither another call's failure nor the end of the process loses the outcome.
            let write_result = write_with_retry(app, attempt, &request, &outcome).await;
            if let Err(error) = &write_result {
                log_unrecorded_outcome(panel.id, attempt, &outcome, error);
            }
            write_result
        })
    });
    batch.run(app, join_all(calls)).await.into_iter().collect::<Result<Vec<()>>>()?;
    Ok(claimed.len())
}

/// Logs an outcome that could not be written. If the panel accepted the order, it has no record here until reconciliation or a
/// staff member finds it.
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
            "failed to record the outcome of a call"
        );
    }
}

async fn send(app: &App, panel: &PanelConnection, attempt: &UnsentAttempt) -> (String, CallOutcome) {
    let Some(service) = attempt.external_panel_service_id.as_deref() else {
        return (String::new(), CallOutcome::Rejected("The provider names no service of its panel.".into()));
    };
    match attempt.prepare() {
        Err(missing) => (String::new(), CallOutcome::Rejected(missing)),
        Ok(prepared) => {
            let request = &prepared.request;
            if app.clock.now().since(attempt.claimed_at) >= attempts::CALL_START_DEADLINE {
                return (request_text(service, request), CallOutcome::NotSent(app.clock.now()));
            }
            let placement = reseller::add(app, panel.api(), &panel.rejections, service, request).await;
            (request_text(service, request), outcome_of(placement))
        }
    }
}

// Rules

/// Maps the placement to the next step. Only an order that the panel certainly did not accept may be sent again, here or at the
/// next provider.
fn outcome_of(placement: Placement) -> CallOutcome {
    use RejectionReason as R;
    match placement {
        Placement::Accepted(id) => CallOutcome::Accepted(id),
        Placement::Unknown { explanation, message } => CallOutcome::Unknown { reason: explanation, message },
        Placement::NotSent(PanelError::Paused(until)) => CallOutcome::NotSent(until),
        Placement::NotSent(error @ PanelError::NotSent(_)) => CallOutcome::RetryOrFailover(error.to_string()),
        Placement::NotSent(error) => CallOutcome::Retry(error.to_string()),
        Placement::Rejected(reason, message) => match reason {
            // The same request would be rejected again; another panel may sell it.
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

/// The request as JSON text for staff, without the API key.
fn request_text(service: &str, request: &AddOrderRequest) -> String {
    let fields = reseller::add_fields(service, request);
    let mut request = json!({ "action": "add" });
    for (name, value) in fields {
        request[name] = json!(value);
    }
    truncate_text(&request.to_string())
}

// Store

/// Writes the outcome. If the panel accepted the order, it retries until the database is back: otherwise the panel would have an
/// order without a record here. Any other outcome is not retried after an outage: the first write may have succeeded, and another
/// process may have claimed the attempt since. Staff decide then.
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
    let (claim, texts_with) = (attempt.claim(), |response| CallTexts { request, response });
    match (AfterCall::of(outcome, dispatch::next_placement_attempt(attempt.tries, now)), outcome) {
        (AfterCall::Accept, CallOutcome::Accepted(id)) => {
            accept(app, (attempt.id, attempt.order_id), id, request).await
        }
        (AfterCall::LoseOutcome, CallOutcome::Unknown { reason, message }) => {
            let times = (now, dispatch::next_reconciliation(1, now));
            let db = &mut &app.db;
            sending::mark_unknown(db, claim, texts_with(reason), message.as_deref(), times)
                .await?
                .ignore_superseded();
            Ok(())
        }
        (AfterCall::Requeue { at, is_try }, _) => {
            let tries = if is_try { attempt.tries } else { attempt.tries - 1 };
            let reason = failure_reason(outcome);
            match sending::requeue(&mut &app.db, claim, (at, tries), reason, now).await? {
                Transition::Applied => Ok(()),
                // A cancel was requested meanwhile, and the panel certainly does not have the order.
                Transition::Superseded => {
                    let answer = reason.unwrap_or("Canceled before it was sent.");
                    reject(app, attempt, CallTexts { request: "", response: answer }).await
                }
            }
        }
        (AfterCall::FailOverOrRequeue, _) => {
            fail_over(app, attempt, texts_with(failure_reason(outcome).unwrap_or_default())).await
        }
        _ => reject(app, attempt, texts_with(failure_reason(outcome).unwrap_or_default())).await,
    }
}

/// Why an order was not placed.
fn failure_reason(outcome: &CallOutcome) -> Option<&str> {
    match outcome {
        CallOutcome::Retry(reason) | CallOutcome::RetryOrFailover(reason) | CallOutcome::Rejected(reason) => {
            Some(reason)
        }
        CallOutcome::Unknown { reason, .. } => Some(reason),
        CallOutcome::Accepted(_) | CallOutcome::NotSent(_) => None,
    }
}

/// Records that the panel accepted the order and schedules the first status poll.
pub(super) async fn accept(
    app: &App,
    (id, order_id): (ExternalOrderId, OrderId),
    external_id: &str,
    request: &str,
) -> Result<()> {
    let now = app.clock.now();
    let times = (now, now.plus(dispatch::open_poll_interval(Duration::ZERO, true)));
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
            superseded::add_to_metric(EXTERNAL_ORDER.kind, 1);
            // The panel has an order without a record here.
            EXTERNAL_ORDERS_UNRECORDED.unlabeled().increment(1);
            tracing::error!(
                attempt_id,
                order_id,
                external_order_id = external_id,
                "failed to record an accepted external order: the attempt had another one or had ended"
            );
        }
    }
    Ok(())
}

/// Fails over to the next provider. Without one, the attempt is queued again with an alert for staff.
async fn fail_over(app: &App, attempt: &UnsentAttempt, texts: CallTexts<'_>) -> Result<()> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    let now = work.now;
    store::lock(&mut work, &[attempt.order_id]).await?;
    let is_requeued = !dispatch_orders::has_other_provider(&mut work, attempt.id).await? && {
        let retry_at = dispatch::next_unlimited_attempt(attempt.tries, now);
        sending::requeue_with_alert(&mut work, attempt.claim(), texts, retry_at, now).await?.is_applied()
    };
    if !is_requeued {
        end_as_rejected(&mut work, attempt, texts).await?;
    }
    work.finish(()).await
}

/// Ends the attempt as rejected and dispatches its order again.
async fn reject(app: &App, attempt: &UnsentAttempt, texts: CallTexts<'_>) -> Result<()> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    store::lock(&mut work, &[attempt.order_id]).await?;
    end_as_rejected(&mut work, attempt, texts).await?;
    work.finish(()).await
}

async fn end_as_rejected(work: &mut UnitOfWork, attempt: &UnsentAttempt, texts: CallTexts<'_>) -> Result<()> {
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
        let rejected = |reason| outcome_of(Placement::Rejected(reason, "No".into()));
        assert_eq!(outcome_of(Placement::Accepted("7".into())), CallOutcome::Accepted("7".into()));
        let unknown = Placement::Unknown { explanation: "No answer".into(), message: Some("Closed".into()) };
        assert_eq!(
            outcome_of(unknown),
            CallOutcome::Unknown { reason: "No answer".into(), message: Some("Closed".into()) }
        );
        assert_eq!(
            outcome_of(Placement::NotSent(PanelError::Paused(Time(9)))),
            CallOutcome::NotSent(Time(9))
        );
        assert!(matches!(
            outcome_of(Placement::NotSent(PanelError::NotSent("down".into()))),
            CallOutcome::RetryOrFailover(_)
        ));
        assert!(matches!(
            outcome_of(Placement::NotSent(PanelError::ForbiddenAddress("private".into()))),
            CallOutcome::Retry(_)
        ));
        for reason in RejectionReason::ALL {
            let expected = match reason.as_str() {
                "invalid_key" | "account_suspended" | "insufficient_funds" | "duplicate_link" => {
                    CallOutcome::RetryOrFailover("No".into())
                }
                "service_disabled" | "too_many_calls" => CallOutcome::Retry("No".into()),
                _ => CallOutcome::Rejected("No".into()),
            };
            assert_eq!(rejected(*reason), expected, "{reason}");
        }
    }
}
