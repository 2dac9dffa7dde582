//! Rules of webhooks: signatures by the Standard Webhooks specification, retries, and when to disable a webhook. Pure functions.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac as _};
use panel_contract::fields::FieldErrors;
use panel_contract::moment::{DAY, Time};
use panel_contract::webhooks::{
    DeliveryStatus, EventType, WebhookActions, WebhookInput, WebhookStatus, WebhookType,
};
use panel_kernel::backoff::{Backoff, JitterFraction};
use panel_kernel::rejection::Rejection;
use sha2::Sha256;

const SECRET_PREFIX: &str = "whsec_";
/// Maximum number of characters of a response in the delivery log.
pub const MAX_STORED_CHARS: usize = 1_000;
/// Maximum `Retry-After`; a longer value of a receiver is shortened.
const MAX_RETRY_AFTER: Duration = DAY;
/// Minimum pause of deliveries to an overloaded receiver.
const OVERLOADED_PAUSE: Duration = Duration::from_secs(60);
/// Pause of deliveries to a receiver that does not respond, so that its timeouts do not delay other receivers.
const NO_RESPONSE_PAUSE: Duration = Duration::from_secs(30);

/// Encodes 32 random bytes as a secret for the receiver.
#[must_use]
pub fn encode_secret(bytes: &[u8; 32]) -> String {
    format!("{SECRET_PREFIX}{}", STANDARD.encode(bytes))
}

/// Computes the value of the `webhook-signature` header of a message.
pub fn sign(secret: &str, id: &str, timestamp: i64, body: &str) -> Result<String, String> {
    let key = secret.strip_prefix(SECRET_PREFIX).and_then(|key| STANDARD.decode(key).ok());
    let key = key.ok_or("the secret of a webhook is malformed")?;
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(&key).map_err(|error| error.to_string())?;
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    Ok(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

/// Validates an input. For a new webhook, all required fields must be present.
pub fn validate_input(input: &WebhookInput, is_new: bool) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    match &input.url {
        None if is_new => errors.add("url", "Enter a URL."),
        Some(url) if url.len() > 2_000 => errors.add("url", "Use at most 2,000 characters."),
        _ => {}
    }
    match &input.webhook_types {
        None if is_new => errors.add("webhook_types", "Choose at least one event type."),
        Some(types) if types.is_empty() => errors.add("webhook_types", "Choose at least one event type."),
        Some(types) => {
            for (index, kind) in types.iter().enumerate().filter(|(_, kind)| **kind == EventType::Test) {
                let message = format!("Only the test button sends {kind}. Choose another event type.");
                errors.add(format!("webhook_types.{index}"), message);
            }
        }
        None => {}
    }
    errors.into_result(())
}

/// The event types without duplicates, in the order of their declaration.
#[must_use]
pub fn normalize_types(types: &[EventType]) -> Vec<EventType> {
    EventType::SUBSCRIBABLE_TYPES.iter().copied().filter(|kind| types.contains(kind)).collect()
}

/// An event type with its position and name, as the API lists it.
#[must_use]
pub fn to_webhook_type(kind: EventType) -> WebhookType {
    let id =
        EventType::ALL.iter().zip(1..).find(|(event_type, _)| **event_type == kind).map_or(0, |(_, id)| id);
    WebhookType { id, name: event_name(kind).to_owned(), kind }
}

const fn event_name(kind: EventType) -> &'static str {
    match kind {
        EventType::OrderCreated => "An order was placed",
        EventType::OrderStatusChanged => "The status of an order changed",
        EventType::OrderCompleted => "An order was completed",
        EventType::OrderCanceled => "An order was canceled",
        EventType::PaymentCreated => "A customer's balance changed",
        EventType::WithdrawalCreated => "A withdrawal was requested",
        EventType::WithdrawalStatusChanged => "The status of a withdrawal changed",
        EventType::UserCreated => "A user was created",
        EventType::UserUpdated => "A user was changed",
        EventType::UserStatusChanged => "The status of a user changed",
        EventType::Test => "A test",
    }
}

#[must_use]
pub const fn status(is_active: bool, was_auto_disabled: bool, is_failing: bool) -> WebhookStatus {
    match (is_active, was_auto_disabled, is_failing) {
        (true, _, true) => WebhookStatus::Failing,
        (true, ..) => WebhookStatus::Active,
        (false, true, _) => WebhookStatus::AutoDisabled,
        (false, ..) => WebhookStatus::Disabled,
    }
}

/// The field `actions` of a webhook. `may_manage` is whether the caller can manage webhooks.
#[must_use]
pub const fn actions(is_active: bool, may_manage: bool) -> WebhookActions {
    WebhookActions {
        editable: may_manage,
        enable: may_manage && !is_active,
        disable: may_manage && is_active,
        test: may_manage,
        rotate_secret: may_manage,
        deletable: may_manage,
    }
}

/// Checks that a delivery may be sent again: the webhook is enabled, and no attempt is pending.
pub fn check_redelivery(is_active: bool, status: DeliveryStatus) -> Result<(), Rejection> {
    if !is_active {
        let message = "This webhook is disabled. Enable it, then deliver again.";
        return Err(Rejection::conflict("webhook_off", message));
    }
    if status == DeliveryStatus::Pending {
        let message = "This delivery is already waiting for its next attempt. Its log shows the time.";
        return Err(Rejection::conflict("delivery_pending", message));
    }
    Ok(())
}

/// The text that shows staff why the server disabled a webhook. `reason` is a [`DeliveryFailure::disabled_reason`].
#[must_use]
pub fn disabled_notice(reason: &str, days: u32) -> String {
    match reason {
        "gone" => {
            "The receiver responded with 410 (Gone). Enable the webhook when the receiver accepts deliveries again."
                .into()
        }
        _ => format!(
            "Every delivery failed for {days} days. Fix the receiver, send a test, then enable the webhook."
        ),
    }
}

/// Result of a delivery attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryResponse {
    /// The HTTP status and the `Retry-After` of the response.
    Response(u16, Option<Duration>),
    /// The receiver did not respond, for this reason.
    NoResponse(String),
    /// The server did not send the request, for this reason.
    NotSent(String),
}

/// Consequences of a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryFailure {
    pub error: String,
    /// Time of the next attempt; `None` after the last attempt.
    pub next_attempt_at: Option<Time>,
    /// The server does not send deliveries to the receiver before this time; `None` for no pause.
    pub paused_until: Option<Time>,
    /// Why the webhook is disabled: `gone` or `failed`; `None` if the webhook stays enabled.
    pub disabled_reason: Option<&'static str>,
}

/// The values from which the time of the next attempt is calculated.
#[derive(Debug, Clone, Copy)]
pub struct RetryContext<'c> {
    pub now: Time,
    /// Delays between attempts, in seconds, from the configuration.
    pub delays: &'c [u32],
    /// Number of attempts, including the current attempt.
    pub attempts: i64,
    /// A random byte for the jitter.
    pub jitter_byte: u8,
    /// Start of the current streak of failures, see [`failing_streak_start`].
    pub failing_since: Option<Time>,
    /// Days until a failing webhook is disabled.
    pub disable_after_days: u32,
}

/// Returns `None` for a success, otherwise the consequences of the failure.
#[must_use]
pub fn evaluate_attempt(response: &DeliveryResponse, context: RetryContext<'_>) -> Option<DeliveryFailure> {
    let now = context.now;
    let (error, retry_after, pause) = match response {
        DeliveryResponse::Response(200..=299, _) => return None,
        DeliveryResponse::Response(410, _) => {
            let error = "The receiver responded with 410 (Gone).".into();
            return Some(DeliveryFailure {
                error,
                next_attempt_at: None,
                paused_until: None,
                disabled_reason: Some("gone"),
            });
        }
        DeliveryResponse::Response(status, retry_after) => {
            let retry_after = retry_after.unwrap_or_default().min(MAX_RETRY_AFTER);
            let is_overloaded = matches!(status, 429 | 502 | 503 | 504) || !retry_after.is_zero();
            let hint = if (300..400).contains(status) { "; redirects are not followed" } else { "" };
            let pause = if is_overloaded { retry_after.max(OVERLOADED_PAUSE) } else { Duration::ZERO };
            (format!("The receiver responded with {status}{hint}."), retry_after, pause)
        }
        DeliveryResponse::NoResponse(error) => {
            (format!("The receiver did not respond: {error}."), Duration::ZERO, NO_RESPONSE_PAUSE)
        }
        DeliveryResponse::NotSent(error) => {
            (format!("The delivery was not sent: {error}."), Duration::ZERO, Duration::ZERO)
        }
    };
    let max_failing_time = DAY * context.disable_after_days;
    let is_failing_too_long = context.failing_since.is_some_and(|since| now.since(since) >= max_failing_time);
    Some(DeliveryFailure {
        error,
        next_attempt_at: if is_failing_too_long { None } else { next_attempt_at(context, retry_after) },
        paused_until: (!pause.is_zero()).then(|| now.plus(pause)),
        disabled_reason: is_failing_too_long.then_some("failed"),
    })
}

/// Earliest time of the previous failure for which a failure at `now` continues the same streak of failures. The gap may be one day
/// plus the longest delay between two attempts. After a longer gap a new streak begins, because the receiver may have worked in
/// between.
#[must_use]
pub fn failing_streak_start(now: Time, delays: &[u32]) -> Time {
    let longest_delay = Duration::from_secs(u64::from(delays.iter().copied().max().unwrap_or(0)));
    now.minus(DAY + longest_delay + longest_delay / 10)
}

/// The time of the next attempt by the schedule, with up to 10 % of jitter, but not before the `Retry-After` of the receiver.
fn next_attempt_at(context: RetryContext<'_>, retry_after: Duration) -> Option<Time> {
    let backoff = Backoff::steps_secs(context.delays).add_up_to(100);
    let scheduled_at = backoff.next_attempt_at_or_none(
        context.attempts,
        JitterFraction::from_byte(context.jitter_byte),
        context.now,
    )?;
    Some(scheduled_at.max(context.now.plus(retry_after)))
}

/// The beginning of a response for the delivery log, without control characters and without the webhook's secrets.
#[must_use]
pub fn redact_response(response: &[u8], secrets: &[String]) -> String {
    let mut text = String::from_utf8_lossy(response).into_owned();
    for secret in secrets {
        for part in [secret.as_str(), secret.trim_start_matches(SECRET_PREFIX)] {
            text = text.replace(part, "[secret]");
        }
    }
    let replace_control = |letter: char| if letter.is_control() && letter != '\n' { ' ' } else { letter };
    text.chars().take(MAX_STORED_CHARS).map(replace_control).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAYS: [u32; 3] = [5, 300, 1_800];
    const NOW: Time = Time(1_000_000_000);

    fn context(attempts: i64, jitter_byte: u8) -> RetryContext<'static> {
        RetryContext {
            now: NOW,
            delays: &DELAYS,
            attempts,
            jitter_byte,
            failing_since: None,
            disable_after_days: 5,
        }
    }

    fn response(status: u16, retry_after_secs: Option<u64>) -> DeliveryResponse {
        DeliveryResponse::Response(status, retry_after_secs.map(Duration::from_secs))
    }

    /// A test vector of the reference libraries of Standard Webhooks.
    #[test]
    fn signs_as_the_standard_webhooks_specification_describes() {
        let signature = sign(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signature.as_deref(), Ok("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
        assert!(sign("whsec_%", "a", 1, "b").is_err() && sign("abc", "a", 1, "b").is_err());
        assert_eq!(encode_secret(&[7; 32]).len(), SECRET_PREFIX.len() + 44);
    }

    #[test]
    fn only_a_2xx_response_is_a_success() {
        for status in [200, 201, 204, 299] {
            assert_eq!(evaluate_attempt(&response(status, None), context(1, 0)), None, "{status}");
        }
        for status in [100, 199, 300, 301, 307, 400, 401, 404, 409, 418, 429, 500, 503, 599, 999] {
            let failure = evaluate_attempt(&response(status, None), context(1, 0)).unwrap();
            assert!(
                failure.next_attempt_at.is_some() && failure.disabled_reason.is_none(),
                "{status}: {failure:?}"
            );
        }
        assert!(evaluate_attempt(&response(301, None), context(1, 0)).unwrap().error.contains("redirects"));
    }

    #[test]
    fn retries_by_the_schedule_and_then_gives_up() {
        let wait = |attempts, jitter_byte| {
            let failure = evaluate_attempt(&response(500, None), context(attempts, jitter_byte)).unwrap();
            failure.next_attempt_at.map(|at| at.since(NOW).as_millis())
        };
        assert_eq!(
            [wait(1, 0), wait(2, 0), wait(3, 0), wait(4, 0)],
            [Some(5_000), Some(300_000), Some(1_800_000), None]
        );
        assert_eq!([wait(1, 255), wait(2, 255)], [Some(5_500), Some(330_000)]);
        assert!(wait(2, 100).is_some_and(|wait| (300_000..330_000).contains(&wait)));
    }

    #[test]
    fn respects_the_retry_after_of_a_receiver() {
        let seconds = |status, retry_after_secs| {
            let failure = evaluate_attempt(&response(status, retry_after_secs), context(1, 0)).unwrap();
            let secs = |time: Time| time.since(NOW).as_secs();
            (failure.next_attempt_at.map(secs), failure.paused_until.map(secs))
        };
        assert_eq!(seconds(429, Some(120)), (Some(120), Some(120)));
        assert_eq!(seconds(503, Some(1)), (Some(5), Some(60)));
        assert_eq!(seconds(429, None), (Some(5), Some(60)));
        assert_eq!(seconds(429, Some(999_999_999)), (Some(86_400), Some(86_400)));
        assert_eq!(evaluate_attempt(&response(500, None), context(1, 0)).unwrap().paused_until, None);
        let no_response =
            evaluate_attempt(&DeliveryResponse::NoResponse("timeout".into()), context(1, 0)).unwrap();
        assert!(no_response.paused_until.is_some() && no_response.error.contains("timeout"));
    }

    #[test]
    fn disables_a_webhook_after_410_or_days_of_failures() {
        let gone = evaluate_attempt(&response(410, Some(5)), context(1, 0)).unwrap();
        assert_eq!((gone.disabled_reason, gone.next_attempt_at), (Some("gone"), None));
        let since = |days: u32| RetryContext { failing_since: Some(NOW.minus(DAY * days)), ..context(1, 0) };
        assert_eq!(evaluate_attempt(&response(500, None), since(4)).unwrap().disabled_reason, None);
        let failing_too_long = evaluate_attempt(&response(500, None), since(5)).unwrap();
        assert_eq!(
            (failing_too_long.disabled_reason, failing_too_long.next_attempt_at),
            (Some("failed"), None)
        );
        assert_eq!(evaluate_attempt(&response(200, None), since(9)), None);
    }

    #[test]
    fn a_failure_after_a_long_gap_begins_a_new_streak() {
        let day = |days: u32| Time(0).plus(DAY * days);
        assert_eq!(failing_streak_start(day(10), &[]), day(9));
        assert_eq!(failing_streak_start(day(10), &[5, 36_000]), day(9).minus(Duration::from_secs(39_600)));
    }

    #[test]
    fn the_log_shortens_responses_and_removes_secrets() {
        let secret = "whsec_c2VjcmV0".to_owned();
        let stored = redact_response(b"you sent whsec_c2VjcmV0, c2VjcmV0\x07\xff", &[secret]);
        assert_eq!(stored, "you sent [secret], [secret] \u{fffd}");
        assert_eq!(redact_response("ä".repeat(5_000).as_bytes(), &[]).chars().count(), MAX_STORED_CHARS);
    }

    #[test]
    fn errors_name_the_invalid_fields_of_an_input() {
        use EventType::{OrderCreated, UserCreated};
        let error_fields = |input: &WebhookInput| {
            validate_input(input, true).err().map(|errors| errors.0.into_keys().collect::<Vec<_>>())
        };
        let new = |types: &[EventType]| WebhookInput {
            url: Some("https://example.com".into()),
            webhook_types: Some(types.to_vec()),
            ..WebhookInput::default()
        };
        assert_eq!(error_fields(&WebhookInput::default()), Some(vec!["url".into(), "webhook_types".into()]));
        assert_eq!(error_fields(&new(&[])), Some(vec!["webhook_types".into()]));
        assert_eq!(
            error_fields(&new(&[OrderCreated, EventType::Test])),
            Some(vec!["webhook_types.1".into()])
        );
        assert_eq!(error_fields(&new(EventType::SUBSCRIBABLE_TYPES)), None);
        assert_eq!(validate_input(&WebhookInput::default(), false), Ok(()));
        assert_eq!(normalize_types(&[UserCreated, OrderCreated, UserCreated]), [OrderCreated, UserCreated]);
    }

    #[test]
    fn fuzz_webhook_secrets_and_responses() {
        let samples = [encode_secret(&[7; 32]), "whsec_".to_owned(), "whsec_AA==".to_owned()];
        let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
        let texts = panel_fuzz::mutated_texts(&samples, &["whsec_", "=", "/", "+", "\0", "\u{fffd}"]);
        panel_fuzz::FuzzTarget::new("panel-domain", "webhook_secrets").run(texts, |text| {
            drop(sign(text, "msg", 1, text));
            assert!(
                redact_response(text.as_bytes(), std::slice::from_ref(text)).chars().count()
                    <= MAX_STORED_CHARS
            );
        });
    }
}
