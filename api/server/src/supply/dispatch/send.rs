//! Sending orders to panels. The attempt is claimed before the call; after a call whose end is unclear it is never sent
//! again by itself (`reconcile` looks for it, or a person does). No transaction is open during a call. What an attempt ended
//! with is written only as long as the claim holds; that the panel has it is written even after.

use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId};
use panel_contract::rejections::RejectionReason;
use panel_domain::dispatch;
use panel_domain::states::placement_attempts::after_call::{AfterCall, CallOutcome};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::attempts::{self, Unsent};
use super::caught;
use super::leases::EXTERNAL_ORDER;
use super::settle;
use super::superseded;
use crate::app::App;
use crate::metrics::EXTERNAL_ORDERS_UNRECORDED;
use crate::operations::orders::store;
use crate::stores::placement_attempts::cut;
use crate::stores::placement_attempts::sending::{self, AcceptOutcome, CallTexts};
use crate::supply::panels::Reachable;
use crate::supply::reseller::placement::Placement;
use crate::supply::reseller::{self, PanelError};
use panel_domain::reseller_protocol::add_order::AddOrderRequest;
use panel_platform::db::retry;
use panel_platform::db::state::Transition;
use panel_platform::scope::Scope;
use panel_platform::work::Work;

/// Orders sent side by side to one panel.
const AT_ONCE: i64 = 10;
/// How long an attempt waits whose order does not run.
const HELD_RETRY: Duration = Duration::from_secs(30);

/// Sends what is due at one panel, up to `calls`; how many there were.
pub(super) async fn send_due(app: &App, panel: &Reachable, calls: i64) -> Result<usize> {
    if calls == 0 {
        return Ok(0);
    }
    let (claimed, batch) = attempts::claim_unsent(app, panel.id, calls.min(AT_ONCE)).await?;
    let now = app.clock.now();
    if claimed.is_empty() {
        attempts::put_off_waiting(app, panel.id, now.after(HELD_RETRY)).await?;
        return Ok(0);
    }
    let all = claimed.iter().map(|attempt| {
        caught(async move {
            let (request, outcome) = send(app, panel, attempt).await;
            // At once: what one call brought is not lost with another one, nor with a process that dies meanwhile.
            let written = write_surely(app, attempt, &request, &outcome).await;
            if let Err(error) = &written {
                report_unrecorded(panel.id, attempt, &outcome, error);
            }
            written
        })
    });
    batch.work(app, join_all(all)).await.into_iter().collect::<Result<Vec<()>>>()?;
    Ok(claimed.len())
}

/// An order that the panel accepted is there without a record here until reconciliation or a person finds it.
fn report_unrecorded(panel: ExternalPanelId, attempt: &Unsent, outcome: &CallOutcome, error: &Error) {
    let (attempt_id, order_id, external_panel_id) = (attempt.id.get(), attempt.order_id.get(), panel.get());
    if let CallOutcome::Accepted(external_order_id) = outcome {
        EXTERNAL_ORDERS_UNRECORDED.only().increment(1);
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

async fn send(app: &App, panel: &Reachable, attempt: &Unsent) -> (String, CallOutcome) {
    let Some(service) = attempt.external_panel_service_id.as_deref() else {
        return (String::new(), CallOutcome::Rejected("The provider names no service of its panel.".into()));
    };
    match attempt.prepare() {
        Err(missing) => (String::new(), CallOutcome::Rejected(missing)),
        Ok(prepared) => {
            let request = &prepared.request;
            if app.clock.now().since(attempt.claimed_at) >= attempts::BEGIN {
                return (shown(service, request), CallOutcome::NotSent(app.clock.now()));
            }
            let placed = reseller::add(app, panel.panel(), &panel.rejections, service, request).await;
            (shown(service, request), outcome_of(placed))
        }
    }
}

// Rules

/// What the end of a call means. Only what surely was not taken leads to another call, here or at the next provider.
fn outcome_of(placed: Placement) -> CallOutcome {
    use RejectionReason as R;
    match placed {
        Placement::Accepted(id) => CallOutcome::Accepted(id),
        Placement::Unknown { why, message } => CallOutcome::Unknown { why, message },
        Placement::NotSent(PanelError::Resting(until)) => CallOutcome::NotSent(until),
        Placement::NotSent(error @ PanelError::Unreached(_)) => {
            CallOutcome::RetryOrFailover(error.to_string())
        }
        Placement::NotSent(error) => CallOutcome::Retry(error.to_string()),
        Placement::Rejected(reason, words) => match reason {
            // The same request would be rejected again; another panel may sell it.
            R::UnknownService | R::QuantityBelow | R::QuantityAbove | R::InvalidLink | R::InvalidRequest => {
                CallOutcome::Rejected(words)
            }
            R::InvalidKey | R::AccountSuspended | R::InsufficientFunds | R::DuplicateLink => {
                CallOutcome::RetryOrFailover(words)
            }
            R::ServiceDisabled | R::TooManyCalls => CallOutcome::Retry(words),
        },
    }
}

/// The call as staff see it: without the key, which never was in it.
fn shown(service: &str, request: &AddOrderRequest) -> String {
    let fields = reseller::add_fields(service, request);
    let mut shown = json!({ "action": "add" });
    for (name, value) in fields {
        shown[name] = json!(value);
    }
    cut(&shown.to_string())
}

// Store

/// Writes it, and waits for a database that is gone where a panel accepted the order: else the panel would have it without a
/// record here. Any other outcome is not written again after an outage: where the first try was written after all, the attempt
/// may be another process's by now. A person decides then.
async fn write_surely(app: &App, attempt: &Unsent, request: &str, outcome: &CallOutcome) -> Result<()> {
    let policy = if matches!(outcome, CallOutcome::Accepted(_)) {
        retry::RECORD_ACCEPTED
    } else {
        retry::RECORD_OUTCOME
    };
    retry::retry(app, policy, || write(app, attempt, request, outcome)).await
}

async fn write(app: &App, attempt: &Unsent, request: &str, outcome: &CallOutcome) -> Result<()> {
    let now = app.clock.now();
    let (claim, texts) = (attempt.claim(), |answer| CallTexts { request, answer });
    match (AfterCall::of(outcome, dispatch::again(attempt.tries, now)), outcome) {
        (AfterCall::Accept, CallOutcome::Accepted(id)) => {
            accept(app, (attempt.id, attempt.order_id), id, request).await
        }
        (AfterCall::LoseOutcome, CallOutcome::Unknown { why, message }) => {
            let looks = (now, dispatch::probe(1, now));
            let db = &mut &app.db;
            sending::mark_unknown(db, claim, texts(why), message.as_deref(), looks).await?.or_nothing();
            Ok(())
        }
        (AfterCall::Requeue { at, is_try }, _) => {
            let tries = if is_try { attempt.tries } else { attempt.tries - 1 };
            let why = reason(outcome);
            match sending::requeue(&mut &app.db, claim, (at, tries), why, now).await? {
                Transition::Applied => Ok(()),
                // A cancel was requested meanwhile, and the panel certainly does not have it.
                Transition::Superseded => {
                    let answer = why.unwrap_or("Canceled before it was sent.");
                    reject(app, attempt, CallTexts { request: "", answer }).await
                }
            }
        }
        (AfterCall::FailOverOrRequeue, _) => {
            fail_over(app, attempt, texts(reason(outcome).unwrap_or_default())).await
        }
        _ => reject(app, attempt, texts(reason(outcome).unwrap_or_default())).await,
    }
}

/// Why an order was not placed.
fn reason(outcome: &CallOutcome) -> Option<&str> {
    match outcome {
        CallOutcome::Retry(why) | CallOutcome::RetryOrFailover(why) | CallOutcome::Rejected(why) => Some(why),
        CallOutcome::Unknown { why, .. } => Some(why),
        CallOutcome::Accepted(_) | CallOutcome::NotSent(_) => None,
    }
}

/// The panel has it, and is polled from now on.
pub(super) async fn accept(
    app: &App,
    (id, order_id): (ExternalOrderId, OrderId),
    external_id: &str,
    request: &str,
) -> Result<()> {
    let now = app.clock.now();
    let times = (now, now.after(dispatch::open_poll_interval(Duration::ZERO, true)));
    let accepted = sending::mark_accepted(&app.db, id, external_id, request, times).await?;
    let (attempt_id, order_id) = (id.get(), order_id.get());
    match accepted {
        AcceptOutcome::Accepted => {}
        AcceptOutcome::Conflicting => tracing::warn!(
            attempt_id,
            order_id,
            external_order_id = external_id,
            "two attempts have the same external order; staff decide which one made it"
        ),
        AcceptOutcome::Superseded => {
            superseded::count_of(EXTERNAL_ORDER.kind, 1);
            // The panel has an order without a record here.
            EXTERNAL_ORDERS_UNRECORDED.only().increment(1);
            tracing::error!(
                attempt_id,
                order_id,
                external_order_id = external_id,
                "dropped an acceptance, as the attempt had another external order or had ended"
            );
        }
    }
    Ok(())
}

/// The next provider gets it where there is one; else it is sent again, and staff see that it waits.
async fn fail_over(app: &App, attempt: &Unsent, texts: CallTexts<'_>) -> Result<()> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    let now = work.now;
    store::lock(&mut work, &[attempt.order_id]).await?;
    let waits = !settle::has_other(&mut work, attempt.id).await? && {
        let at = dispatch::once_more(attempt.tries, now);
        sending::requeue_with_alert(&mut work, attempt.claim(), texts, at, now).await?.is_applied()
    };
    if !waits {
        end(&mut work, attempt, texts).await?;
    }
    work.finish(()).await
}

/// It ends without a delivery, and the order goes on without it.
async fn reject(app: &App, attempt: &Unsent, texts: CallTexts<'_>) -> Result<()> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    store::lock(&mut work, &[attempt.order_id]).await?;
    end(&mut work, attempt, texts).await?;
    work.finish(()).await
}

async fn end(work: &mut Work, attempt: &Unsent, texts: CallTexts<'_>) -> Result<()> {
    let now = work.now;
    match sending::mark_rejected(work, attempt.claim(), texts, now).await? {
        Transition::Applied => settle::settle(work, &[attempt.order_id]).await,
        Transition::Superseded => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::moment::Time;

    use super::*;

    #[test]
    fn only_what_surely_was_not_taken_is_sent_again() {
        let said = |reason| outcome_of(Placement::Rejected(reason, "No".into()));
        assert_eq!(outcome_of(Placement::Accepted("7".into())), CallOutcome::Accepted("7".into()));
        let unknown = Placement::Unknown { why: "cut".into(), message: Some("Closed".into()) };
        assert_eq!(
            outcome_of(unknown),
            CallOutcome::Unknown { why: "cut".into(), message: Some("Closed".into()) }
        );
        assert_eq!(
            outcome_of(Placement::NotSent(PanelError::Resting(Time(9)))),
            CallOutcome::NotSent(Time(9))
        );
        assert!(matches!(
            outcome_of(Placement::NotSent(PanelError::Unreached("down".into()))),
            CallOutcome::RetryOrFailover(_)
        ));
        assert!(matches!(
            outcome_of(Placement::NotSent(PanelError::Refused("private".into()))),
            CallOutcome::Retry(_)
        ));
        for reason in RejectionReason::ALL {
            let wanted = match reason.as_str() {
                "invalid_key" | "account_suspended" | "insufficient_funds" | "duplicate_link" => {
                    CallOutcome::RetryOrFailover("No".into())
                }
                "service_disabled" | "too_many_calls" => CallOutcome::Retry("No".into()),
                _ => CallOutcome::Rejected("No".into()),
            };
            assert_eq!(said(*reason), wanted, "{reason}");
        }
    }
}
