//! One delivery attempt: loads the delivery, sends it to the URL without an open transaction, then records the result.

use std::time::Duration;

use panel_contract::ids::{Id, WebhookDeliveryId, WebhookId};
use panel_contract::moment::Time;
use panel_contract::webhooks::{DeliveryStatus, WebhookAttempt};
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::configuration::webhooks::delivery_store::{self, AttemptOutcome, DeliveryRecord, DeliveryTarget};
use crate::emails;
use panel_domain::webhooks::{self, DeliveryFailure, DeliveryResponse, RetryContext};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::jobs;
use panel_platform::jobs::failure::JobFailure;
use panel_platform::jobs::job::Job;
use panel_platform::outbound::{OutboundError, OutboundRequest, Purpose};
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// Maximum number of bytes of a response that are read.
const MAX_RESPONSE_BYTES: usize = 8 << 10;
/// When a pause ends, the retries of the deliveries that waited are spread over this time.
const RETRY_SPREAD: Duration = Duration::from_secs(10);

/// Runs the job of a delivery: one attempt.
pub async fn run_delivery_job(
    app: &App,
    delivery_id: WebhookDeliveryId,
) -> std::result::Result<(), JobFailure> {
    let to_retry = |error: panel_platform::db::DbError| JobFailure::Retry(error.to_string());
    let mut db = &app.db;
    let Some(delivery) = delivery_store::load_delivery_by_id(&mut db, delivery_id).await.map_err(to_retry)?
    else {
        return Ok(());
    };
    if delivery.status != DeliveryStatus::Pending {
        return Ok(());
    }
    let delivery_target =
        delivery_store::load_delivery_target(&mut db, delivery.webhook_id).await.map_err(to_retry)?;
    let Some(delivery_target) = delivery_target.filter(|delivery_target| delivery_target.is_active) else {
        let message = "The webhook is disabled.";
        return delivery_store::mark_failed(&app.db, delivery.id, message).await.map_err(to_retry);
    };
    let now = app.clock.now();
    if let Some(until) = delivery_target.paused_until.filter(|until| *until > now) {
        return Err(JobFailure::Postponed(until.plus(RETRY_SPREAD / 100 * delivery.id.shard(100))));
    }
    let outcome = deliver_once(app, &delivery, &delivery_target, true).await;
    match outcome.map_err(|error| JobFailure::Retry(error.report("").message))? {
        Some(DeliveryFailure { error, next_attempt_at: Some(next_attempt_at), .. }) => {
            Err(JobFailure::RetryAt(error, next_attempt_at))
        }
        _ => Ok(()),
    }
}

/// Sends the delivery to the URL and records the result. Returns `None` for a success. An attempt with `retry_on_failure` false,
/// that of the test endpoint, is not retried.
pub(super) async fn deliver_once(
    app: &App,
    delivery: &DeliveryRecord,
    delivery_target: &DeliveryTarget,
    retry_on_failure: bool,
) -> Result<Option<DeliveryFailure>> {
    let started_at = app.clock.now();
    let secrets = delivery_target
        .open_secrets(app, delivery.webhook_id, started_at)
        .map_err(panel_kernel::error::Error::Internal)?;
    let (outcome, response) = send_request(app, delivery, delivery_target, &secrets, started_at).await?;
    let ended_at = app.clock.now();
    let failure_streak_cutoff =
        webhooks::failing_streak_start(ended_at, &app.config.webhooks.retry_delay_seconds);
    let [random_byte] = app.random.bytes::<1>();
    let retry_context = RetryContext {
        now: ended_at,
        delays: &app.config.webhooks.retry_delay_seconds,
        attempts: delivery.attempts + 1,
        jitter_byte: random_byte,
        failing_since: delivery_target
            .failing_since
            .filter(|_| delivery_target.last_failed_at.is_some_and(|last| last >= failure_streak_cutoff)),
        disable_after_days: app.config.webhooks.disable_after_days,
    };
    let mut failure = webhooks::evaluate_attempt(&outcome, retry_context);
    if let Some(failure) = failure.as_mut().filter(|_| !retry_on_failure) {
        // A test does not affect other deliveries: it neither pauses nor disables the webhook.
        *failure = DeliveryFailure {
            next_attempt_at: None,
            paused_until: None,
            disabled_reason: None,
            error: std::mem::take(&mut failure.error),
        };
    }
    let attempt = WebhookAttempt {
        at: started_at,
        url: delivery_target.url.clone(),
        status: if let DeliveryResponse::Response(status, _) = outcome {
            Some(i64::from(status))
        } else {
            None
        },
        response_body: response.map(|response| webhooks::redact_response(&response, &secrets)),
        error: failure.as_ref().map(|failure| failure.error.clone()),
        took_ms: (ended_at.0 - started_at.0) / 1_000,
    };
    commit_attempt(
        app,
        delivery,
        attempt,
        failure.as_ref(),
        retry_on_failure.then_some(failure_streak_cutoff),
    )
    .await?;
    Ok(failure)
}

async fn send_request(
    app: &App,
    delivery: &DeliveryRecord,
    delivery_target: &DeliveryTarget,
    secrets: &[String],
    now: Time,
) -> Result<(DeliveryResponse, Option<Vec<u8>>)> {
    if secrets.is_empty() {
        return Ok((
            DeliveryResponse::NotSent(
                "this webhook has no secret yet; rotate its secret to create one".into(),
            ),
            None,
        ));
    }
    let seconds = now.0 / 1_000_000;
    let sign = |secret: &String| webhooks::sign(secret, &delivery.message_id, seconds, &delivery.body);
    let signatures: std::result::Result<Vec<String>, String> = secrets.iter().map(sign).collect();
    let signatures = signatures.map_err(panel_kernel::error::Error::Internal)?.join(" ");
    let request = OutboundRequest::post(
        Purpose::Webhook,
        &delivery_target.url,
        "application/json",
        delivery.body.clone().into_bytes(),
    )
    .header("webhook-id", &delivery.message_id)
    .header("webhook-timestamp", &seconds.to_string())
    .header("webhook-signature", &signatures)
    .with_timeout(Duration::from_secs(app.config.webhooks.timeout_seconds))
    .truncate_at(MAX_RESPONSE_BYTES);
    Ok(match app.outbound.send(request).await {
        Ok(response) => {
            (DeliveryResponse::Response(response.status, response.retry_after(now)), Some(response.body))
        }
        Err(OutboundError::ForbiddenAddress(reason) | OutboundError::InvalidRequest(reason)) => {
            (DeliveryResponse::NotSent(reason), None)
        }
        Err(OutboundError::NotConnected(reason) | OutboundError::NoCompleteResponse(reason)) => {
            (DeliveryResponse::NoResponse(reason), None)
        }
        Err(error) => (DeliveryResponse::NoResponse(error.to_string()), None),
    })
}

/// Writes the attempt log and the webhook's health, and disables the webhook if the failure requires it, in one transaction. The
/// failure continues the webhook's failure streak if the last failure was at or after `failure_streak_cutoff`. The cutoff is
/// `None` for a test delivery, whose failure does not count.
async fn commit_attempt(
    app: &App,
    delivery: &DeliveryRecord,
    attempt: WebhookAttempt,
    failure: Option<&DeliveryFailure>,
    failure_streak_cutoff: Option<Time>,
) -> Result<()> {
    let mut work = Scope::system(app, "webhooks").begin().await?;
    let next_attempt_at = failure.and_then(|failure| failure.next_attempt_at);
    let status = match failure {
        None => DeliveryStatus::Delivered,
        Some(_) if next_attempt_at.is_some() => DeliveryStatus::Pending,
        Some(_) => DeliveryStatus::Failed,
    };
    let url = attempt.url.clone();
    record_attempt(&mut work, delivery, &AttemptOutcome { status, attempt, next_attempt_at }).await?;
    match failure {
        None => delivery_store::record_success(&mut work, delivery.webhook_id).await?,
        Some(failure) => {
            if let Some(streak_cutoff) = failure_streak_cutoff {
                delivery_store::record_failure(
                    &mut work,
                    delivery.webhook_id,
                    streak_cutoff,
                    failure.paused_until,
                )
                .await?;
            }
            if let Some(reason) = failure.disabled_reason {
                disable_webhook(&mut work, delivery.webhook_id, reason, &url).await?;
            }
        }
    }
    work.finish(()).await
}

/// Records an attempt. Another worker may have recorded a failure since the delivery was read, for example one that was frozen
/// during its attempt and lost its lease. A failure then changes nothing. A success must be recorded: the receiver has the
/// event, and the delivery would otherwise wait for a job that has ended.
async fn record_attempt(
    work: &mut UnitOfWork,
    delivery: &DeliveryRecord,
    outcome: &AttemptOutcome,
) -> Result<()> {
    let mut next_delivery = Some(delivery.clone());
    while let Some(delivery) = next_delivery.take() {
        let is_written = delivery_store::write_attempt(work, &delivery, outcome).await? == 1;
        if !is_written && outcome.status == DeliveryStatus::Delivered {
            let current = delivery_store::load_delivery_by_id(work, delivery.id).await?;
            next_delivery = current.filter(|current| current.status != DeliveryStatus::Delivered);
        }
    }
    Ok(())
}

/// Disables a webhook, writes an audit entry, and queues emails to the staff members who may manage webhooks.
async fn disable_webhook(
    work: &mut UnitOfWork,
    webhook: WebhookId,
    reason: &'static str,
    url: &str,
) -> Result<()> {
    if !delivery_store::disable_webhook(work, webhook, reason).await? {
        return Ok(());
    }
    let notice = webhooks::disabled_notice(reason, work.scope().platform.config.webhooks.disable_after_days);
    let change = AuditChange {
        id: webhook.as_record_id(),
        old: json!({ "is_active": true }),
        new: json!({ "is_active": false, "notice": notice }),
    };
    audit::record(work, "webhook.auto_disabled", "webhook", change).await?;
    let recipients = delivery_store::load_webhook_managers(work).await?.into_iter();
    let emails: Vec<Job> = recipients
        .map(|recipient| Job::Mail(emails::webhook_switched_off(recipient.into(), webhook, url, &notice)))
        .collect();
    let now = work.now;
    jobs::enqueue(work, &emails, now).await
}
