//! One attempt at a delivery: read, call without holding a transaction, write down what came of it.

use std::time::Duration;

use panel_contract::ids::{Id, WebhookDeliveryId, WebhookId};
use panel_contract::moment::Time;
use panel_contract::webhooks::{DeliveryStatus, WebhookAttempt};
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::configuration::webhooks::store::{self, Delivery, Outcome, Receiver};
use crate::emails;
use panel_domain::webhooks::{self, Case, Heard, Verdict};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::jobs;
use panel_platform::jobs::failure::Failure;
use panel_platform::jobs::job::Job;
use panel_platform::outbound::{Call, OutboundError, Purpose};
use panel_platform::scope::Scope;
use panel_platform::work::Work;

/// Bytes of an answer that are read.
const READ_ANSWER: usize = 8 << 10;
/// Deliveries that wait for a pause come back over this time, not all at once.
const SPREAD: Duration = Duration::from_secs(10);

/// Makes one attempt, as the job of a delivery.
pub async fn attempt(app: &App, delivery_id: WebhookDeliveryId) -> std::result::Result<(), Failure> {
    let failed = |error: panel_platform::db::DbError| Failure::Later(error.to_string());
    let mut db = &app.db;
    let Some(delivery) = store::delivery_of(&mut db, delivery_id).await.map_err(failed)? else {
        return Ok(());
    };
    if delivery.status != DeliveryStatus::Pending {
        return Ok(());
    }
    let receiver = store::receiver(&mut db, delivery.webhook_id).await.map_err(failed)?;
    let Some(receiver) = receiver.filter(|receiver| receiver.is_active) else {
        let error = "The webhook is switched off.";
        return store::give_up(&app.db, delivery.id, error).await.map_err(failed);
    };
    let now = app.clock.now();
    if let Some(until) = receiver.paused_until.filter(|until| *until > now) {
        return Err(Failure::Postponed(until.after(SPREAD / 100 * delivery.id.shard(100))));
    }
    let outcome = make(app, &delivery, &receiver, true).await;
    match outcome.map_err(|error| Failure::Later(error.report("").message))? {
        Some(Verdict { error, again: Some(again), .. }) => Err(Failure::At(error, again)),
        _ => Ok(()),
    }
}

/// Calls the receiver and writes down what it did; nothing for a success. A single attempt (`again` is false: the test
/// button's) is not repeated.
pub(super) async fn make(
    app: &App,
    delivery: &Delivery,
    receiver: &Receiver,
    again: bool,
) -> Result<Option<Verdict>> {
    let began = app.clock.now();
    let secrets =
        receiver.secrets(app, delivery.webhook_id, began).map_err(panel_kernel::error::Error::Fault)?;
    let (heard, answer) = call(app, delivery, receiver, &secrets, began).await?;
    let ended = app.clock.now();
    let unbroken_from = webhooks::unbroken_from(ended, &app.config.webhooks.delays);
    let [chance] = app.random.bytes::<1>();
    let case = Case {
        now: ended,
        delays: &app.config.webhooks.delays,
        attempts: delivery.attempts + 1,
        chance,
        failing_since: receiver
            .failing_since
            .filter(|_| receiver.last_failed_at.is_some_and(|last| last >= unbroken_from)),
        patience_days: app.config.webhooks.patience_days,
    };
    let mut verdict = webhooks::judge(&heard, case);
    if let Some(verdict) = verdict.as_mut().filter(|_| !again) {
        // A test says nothing of the deliveries: it neither pauses nor ends them.
        *verdict = Verdict { again: None, pause: None, off: None, error: std::mem::take(&mut verdict.error) };
    }
    let attempt = WebhookAttempt {
        at: began,
        url: receiver.url.clone(),
        status: if let Heard::Answer(status, _) = heard { Some(i64::from(status)) } else { None },
        answer: answer.map(|answer| webhooks::kept(&answer, &secrets)),
        error: verdict.as_ref().map(|verdict| verdict.error.clone()),
        took_ms: (ended.0 - began.0) / 1_000,
    };
    write(app, delivery, attempt, verdict.as_ref(), again.then_some(unbroken_from)).await?;
    Ok(verdict)
}

async fn call(
    app: &App,
    delivery: &Delivery,
    receiver: &Receiver,
    secrets: &[String],
    now: Time,
) -> Result<(Heard, Option<Vec<u8>>)> {
    if secrets.is_empty() {
        return Ok((Heard::Refused("this webhook has no secret yet; make one".into()), None));
    }
    let seconds = now.0 / 1_000_000;
    let sign = |secret: &String| webhooks::sign(secret, &delivery.message_id, seconds, &delivery.body);
    let signatures: std::result::Result<Vec<String>, String> = secrets.iter().map(sign).collect();
    let signatures = signatures.map_err(panel_kernel::error::Error::Fault)?.join(" ");
    let call =
        Call::post(Purpose::Webhook, &receiver.url, "application/json", delivery.body.clone().into_bytes())
            .header("webhook-id", &delivery.message_id)
            .header("webhook-timestamp", &seconds.to_string())
            .header("webhook-signature", &signatures)
            .within(Duration::from_secs(app.config.webhooks.seconds))
            .cut_at(READ_ANSWER);
    Ok(match app.outbound.send(call).await {
        Ok(answer) => (Heard::Answer(answer.status, answer.retry_after(now)), Some(answer.body)),
        Err(OutboundError::Refused(why)) => (Heard::Refused(why), None),
        Err(OutboundError::Unreached(why) | OutboundError::Failed(why)) => (Heard::Nothing(why), None),
        Err(error) => (Heard::Nothing(error.to_string()), None),
    })
}

/// The log, the webhook's health and, where it comes to that, its end, in one transaction. A failure goes on
/// with those since `unbroken_from`; there is none for a test, whose failure does not count.
async fn write(
    app: &App,
    delivery: &Delivery,
    attempt: WebhookAttempt,
    verdict: Option<&Verdict>,
    unbroken_from: Option<Time>,
) -> Result<()> {
    let mut work = Scope::system(app, "webhooks").begin().await?;
    let next_attempt_at = verdict.and_then(|verdict| verdict.again);
    let status = match verdict {
        None => DeliveryStatus::Delivered,
        Some(_) if next_attempt_at.is_some() => DeliveryStatus::Pending,
        Some(_) => DeliveryStatus::Failed,
    };
    let url = attempt.url.clone();
    write_down(&mut work, delivery, &Outcome { status, attempt, next_attempt_at }).await?;
    match verdict {
        None => store::note_success(&mut work, delivery.webhook_id).await?,
        Some(verdict) => {
            if let Some(from) = unbroken_from {
                store::note_failure(&mut work, delivery.webhook_id, from, verdict.pause).await?;
            }
            if let Some(why) = verdict.off {
                switch_off(&mut work, delivery.webhook_id, why, &url).await?;
            }
        }
    }
    work.finish(()).await
}

/// Writes an attempt down. Another worker may have written a failure since the delivery was read, such as one that was frozen
/// during its attempt and lost its lease. A failure then changes nothing; but what the receiver has is delivered, or the
/// delivery would wait for a job that has ended.
async fn write_down(work: &mut Work, delivery: &Delivery, outcome: &Outcome) -> Result<()> {
    let mut read = Some(delivery.clone());
    while let Some(delivery) = read.take() {
        let is_written = store::write_attempt(work, &delivery, outcome).await? == 1;
        if !is_written && outcome.status == DeliveryStatus::Delivered {
            let now = store::delivery_of(work, delivery.id).await?;
            read = now.filter(|now| now.status != DeliveryStatus::Delivered);
        }
    }
    Ok(())
}

/// Switches a webhook off and says so: in the trail, and by mail to those who mind webhooks.
async fn switch_off(work: &mut Work, webhook: WebhookId, why: &'static str, url: &str) -> Result<()> {
    if !store::switch_off(work, webhook, why).await? {
        return Ok(());
    }
    let notice = webhooks::notice(why, work.scope().platform.config.webhooks.patience_days);
    let change = Change {
        id: webhook.record(),
        old: json!({ "is_active": true }),
        new: json!({ "is_active": false, "notice": notice }),
    };
    audit::record(work, "webhook.switched_off", "webhook", change).await?;
    let recipients = store::minders(work).await?.into_iter();
    let emails: Vec<Job> = recipients
        .map(|to| Job::Mail(emails::webhook_switched_off(to.into(), webhook, url, &notice)))
        .collect();
    let now = work.now;
    jobs::enqueue(work, &emails, now).await
}
