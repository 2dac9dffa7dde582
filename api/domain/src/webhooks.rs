//! Rules of webhooks: signatures by the Standard Webhooks scheme, retries, and when to disable a webhook. Pure.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac as _};
use panel_contract::fields::FieldErrors;
use panel_contract::moment::{DAY, Time};
use panel_contract::webhooks::{
    DeliveryStatus, EventType, WebhookActions, WebhookInput, WebhookStatus, WebhookType,
};
use panel_kernel::backoff::{Backoff, Chance};
use panel_kernel::rejection::Rejection;
use sha2::Sha256;

/// Prefix of secrets.
const PREFIX: &str = "whsec_";
/// Largest number of characters of an answer that are stored.
pub const MAX_STORED_CHARS: usize = 1_000;
/// Limit of the delay that a `Retry-After` may demand.
const MAX_RETRY_AFTER: Duration = DAY;
/// Shortest pause of deliveries to an overloaded receiver.
const OVERLOADED_PAUSE: Duration = Duration::from_secs(60);
/// Pause of deliveries to a receiver that does not answer, so that its timeouts do not delay other receivers.
const NO_ANSWER_PAUSE: Duration = Duration::from_secs(30);

/// Encodes 32 random bytes as a secret for the receiver.
#[must_use]
pub fn secret(bytes: &[u8; 32]) -> String {
    format!("{PREFIX}{}", STANDARD.encode(bytes))
}

/// Signs a message for its `webhook-signature` header.
pub fn sign(secret: &str, id: &str, timestamp: i64, body: &str) -> Result<String, String> {
    let key = secret.strip_prefix(PREFIX).and_then(|key| STANDARD.decode(key).ok());
    let key = key.ok_or("the secret of a webhook is malformed")?;
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(&key).map_err(|error| error.to_string())?;
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    Ok(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

/// Validates an input; with `is_new` the required fields must be present.
pub fn check(input: &WebhookInput, is_new: bool) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    match &input.url {
        None if is_new => errors.add("url", "The url field is required."),
        Some(url) if url.len() > 2_000 => errors.add("url", "Write at most 2,000 characters."),
        _ => {}
    }
    match &input.webhook_types {
        None if is_new => errors.add("webhook_types", "Choose at least one type of event."),
        Some(types) if types.is_empty() => errors.add("webhook_types", "Choose at least one type of event."),
        Some(types) => {
            for (at, kind) in types.iter().enumerate().filter(|(_, kind)| **kind == EventType::Test) {
                let message = format!("{kind} is only sent by the test button; choose another.");
                errors.add(format!("webhook_types.{at}"), message);
            }
        }
        None => {}
    }
    errors.or(())
}

/// The types of an input, without duplicates and in the declared order.
#[must_use]
pub fn normalize_types(types: &[EventType]) -> Vec<EventType> {
    EventType::CHOICES.iter().copied().filter(|kind| types.contains(kind)).collect()
}

/// A type as pickers show it.
#[must_use]
pub fn type_of(kind: EventType) -> WebhookType {
    let id = EventType::ALL.iter().zip(1..).find(|(word, _)| **word == kind).map_or(0, |(_, id)| id);
    WebhookType { id, name: name_of(kind).to_owned(), kind }
}

const fn name_of(kind: EventType) -> &'static str {
    match kind {
        EventType::OrderCreated => "An order was placed",
        EventType::OrderStatusChanged => "An order changed its status",
        EventType::OrderCompleted => "An order was completed",
        EventType::OrderCanceled => "An order was canceled",
        EventType::PaymentCreated => "Money moved on a customer's balance",
        EventType::WithdrawalCreated => "A withdrawal was requested",
        EventType::WithdrawalStatusChanged => "A withdrawal changed its status",
        EventType::UserCreated => "A user was created",
        EventType::UserUpdated => "A user was changed",
        EventType::UserStatusChanged => "A user changed their status",
        EventType::Test => "A test",
    }
}

/// The status of a webhook.
#[must_use]
pub const fn status(is_active: bool, was_switched_off: bool, is_failing: bool) -> WebhookStatus {
    match (is_active, was_switched_off, is_failing) {
        (true, _, true) => WebhookStatus::Failing,
        (true, ..) => WebhookStatus::Active,
        (false, true, _) => WebhookStatus::SwitchedOff,
        (false, ..) => WebhookStatus::Disabled,
    }
}

/// The actions of a webhook for a caller; `may` is whether the caller may manage webhooks.
#[must_use]
pub const fn actions(is_active: bool, may: bool) -> WebhookActions {
    WebhookActions {
        editable: may,
        enable: may && !is_active,
        disable: may && is_active,
        test: may,
        rotate_secret: may,
        deletable: may,
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

/// Message to staff why the panel disabled a webhook.
#[must_use]
pub fn notice(switched_off: &str, days: u32) -> String {
    match switched_off {
        "gone" => {
            "The receiver answered 410 (Gone). Enable the webhook when the receiver accepts deliveries again."
                .into()
        }
        _ => format!(
            "Every delivery failed for {days} days. Fix the receiver, send a test, then enable the webhook."
        ),
    }
}

/// Response of a receiver to a delivery attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryResponse {
    /// Status and `Retry-After` of the answer.
    Answer(u16, Option<Duration>),
    /// No answer, for this reason.
    NoAnswer(String),
    /// Not sent, for this reason.
    NotSent(String),
}

/// Consequences of a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryFailure {
    /// Why it failed.
    pub error: String,
    /// Time of the next attempt; none when the delivery is given up.
    pub next_attempt_at: Option<Time>,
    /// Until when no delivery is sent to the receiver.
    pub paused_until: Option<Time>,
    /// Why the webhook is disabled; none where it stays enabled.
    pub disabled_reason: Option<&'static str>,
}

/// Facts that decide about the next attempt.
#[derive(Debug, Clone, Copy)]
pub struct RetryContext<'c> {
    /// Current time.
    pub now: Time,
    /// Delays between attempts, in seconds, from the configuration.
    pub delays: &'c [u32],
    /// Number of attempts, this one included.
    pub attempts: i64,
    /// A random byte for the jitter.
    pub chance: u8,
    /// Since when every delivery has failed, without a long gap in between.
    pub failing_since: Option<Time>,
    /// Days until a failing webhook is disabled.
    pub patience_days: u32,
}

/// None for a success, else the consequences of the failure.
#[must_use]
pub fn evaluate_attempt(response: &DeliveryResponse, case: RetryContext<'_>) -> Option<DeliveryFailure> {
    let now = case.now;
    let (error, wait, pause) = match response {
        DeliveryResponse::Answer(200..=299, _) => return None,
        DeliveryResponse::Answer(410, _) => {
            let error = "The receiver answered 410 (Gone).".into();
            return Some(DeliveryFailure {
                error,
                next_attempt_at: None,
                paused_until: None,
                disabled_reason: Some("gone"),
            });
        }
        DeliveryResponse::Answer(status, after) => {
            let wait = after.unwrap_or_default().min(MAX_RETRY_AFTER);
            let overloaded = matches!(status, 429 | 502 | 503 | 504) || !wait.is_zero();
            let hint = if (300..400).contains(status) { "; redirects are not followed" } else { "" };
            let pause = if overloaded { wait.max(OVERLOADED_PAUSE) } else { Duration::ZERO };
            (format!("The receiver answered {status}{hint}."), wait, pause)
        }
        DeliveryResponse::NoAnswer(error) => {
            (format!("The receiver did not answer: {error}."), Duration::ZERO, NO_ANSWER_PAUSE)
        }
        DeliveryResponse::NotSent(error) => {
            (format!("The delivery was not sent: {error}."), Duration::ZERO, Duration::ZERO)
        }
    };
    let limit = DAY * case.patience_days;
    let is_over = case.failing_since.is_some_and(|since| now.since(since) >= limit);
    Some(DeliveryFailure {
        error,
        next_attempt_at: if is_over { None } else { next_attempt(case, wait) },
        paused_until: (!pause.is_zero()).then(|| now.after(pause)),
        disabled_reason: is_over.then_some("failed"),
    })
}

/// Earliest time of the last failure for the next one to continue the same streak. After a gap that is longer than a day and the
/// longest delay between two attempts, a new streak begins, because a gap is no evidence of a failing receiver.
#[must_use]
pub fn failing_streak_start(now: Time, delays: &[u32]) -> Time {
    let longest = Duration::from_secs(u64::from(delays.iter().copied().max().unwrap_or(0)));
    now.before(DAY + longest + longest / 10)
}

/// Next time of the schedule, with up to a tenth of jitter, and not before the receiver's `Retry-After`.
fn next_attempt(case: RetryContext<'_>, wait: Duration) -> Option<Time> {
    let backoff = Backoff::steps_secs(case.delays).add_up_to(100);
    let next = backoff.next_try(case.attempts, Chance::of_byte(case.chance), case.now)?;
    Some(next.max(case.now.after(wait)))
}

/// The beginning of an answer for the log: text without control characters and without the webhook's secrets.
#[must_use]
pub fn redact_answer(answer: &[u8], secrets: &[String]) -> String {
    let mut text = String::from_utf8_lossy(answer).into_owned();
    for secret in secrets {
        for part in [secret.as_str(), secret.trim_start_matches(PREFIX)] {
            text = text.replace(part, "[secret]");
        }
    }
    let shown = |letter: char| if letter.is_control() && letter != '\n' { ' ' } else { letter };
    text.chars().take(MAX_STORED_CHARS).map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAYS: [u32; 3] = [5, 300, 1_800];
    const NOW: Time = Time(1_000_000_000);

    fn case(attempts: i64, chance: u8) -> RetryContext<'static> {
        RetryContext { now: NOW, delays: &DELAYS, attempts, chance, failing_since: None, patience_days: 5 }
    }

    fn answer(status: u16, after_secs: Option<u64>) -> DeliveryResponse {
        DeliveryResponse::Answer(status, after_secs.map(Duration::from_secs))
    }

    /// The vector that the scheme's libraries agree on.
    #[test]
    fn signs_as_the_standard_webhooks_scheme_describes() {
        let signed = sign(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed.as_deref(), Ok("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
        assert!(sign("whsec_%", "a", 1, "b").is_err() && sign("abc", "a", 1, "b").is_err());
        assert_eq!(secret(&[7; 32]).len(), PREFIX.len() + 44);
    }

    #[test]
    fn only_a_success_is_one() {
        for status in [200, 201, 204, 299] {
            assert_eq!(evaluate_attempt(&answer(status, None), case(1, 0)), None, "{status}");
        }
        for status in [100, 199, 300, 301, 307, 400, 401, 404, 409, 418, 429, 500, 503, 599, 999] {
            let verdict = evaluate_attempt(&answer(status, None), case(1, 0)).unwrap();
            assert!(
                verdict.next_attempt_at.is_some() && verdict.disabled_reason.is_none(),
                "{status}: {verdict:?}"
            );
        }
        assert!(evaluate_attempt(&answer(301, None), case(1, 0)).unwrap().error.contains("redirects"));
    }

    #[test]
    fn tries_by_the_schedule_then_gives_up() {
        let wait = |attempts, chance| {
            let verdict = evaluate_attempt(&answer(500, None), case(attempts, chance)).unwrap();
            verdict.next_attempt_at.map(|at| at.since(NOW).as_millis())
        };
        assert_eq!(
            [wait(1, 0), wait(2, 0), wait(3, 0), wait(4, 0)],
            [Some(5_000), Some(300_000), Some(1_800_000), None]
        );
        assert_eq!([wait(1, 255), wait(2, 255)], [Some(5_500), Some(330_000)]);
        assert!(wait(2, 100).is_some_and(|wait| (300_000..330_000).contains(&wait)));
    }

    #[test]
    fn a_receiver_may_ask_for_time() {
        let seconds = |status, rest| {
            let verdict = evaluate_attempt(&answer(status, rest), case(1, 0)).unwrap();
            let secs = |time: Time| time.since(NOW).as_secs();
            (verdict.next_attempt_at.map(secs), verdict.paused_until.map(secs))
        };
        assert_eq!(seconds(429, Some(120)), (Some(120), Some(120)));
        assert_eq!(seconds(503, Some(1)), (Some(5), Some(60)));
        assert_eq!(seconds(429, None), (Some(5), Some(60)));
        assert_eq!(seconds(429, Some(999_999_999)), (Some(86_400), Some(86_400)));
        assert_eq!(evaluate_attempt(&answer(500, None), case(1, 0)).unwrap().paused_until, None);
        let silent =
            evaluate_attempt(&DeliveryResponse::NoAnswer("it took too long".into()), case(1, 0)).unwrap();
        assert!(silent.paused_until.is_some() && silent.error.contains("took too long"));
    }

    #[test]
    fn disables_a_webhook_after_410_or_days_of_failures() {
        let gone = evaluate_attempt(&answer(410, Some(5)), case(1, 0)).unwrap();
        assert_eq!((gone.disabled_reason, gone.next_attempt_at), (Some("gone"), None));
        let since = |days: u32| RetryContext { failing_since: Some(NOW.before(DAY * days)), ..case(1, 0) };
        assert_eq!(evaluate_attempt(&answer(500, None), since(4)).unwrap().disabled_reason, None);
        let over = evaluate_attempt(&answer(500, None), since(5)).unwrap();
        assert_eq!((over.disabled_reason, over.next_attempt_at), (Some("failed"), None));
        assert_eq!(evaluate_attempt(&answer(200, None), since(9)), None);
    }

    #[test]
    fn a_long_silence_begins_the_time_anew() {
        let day = |days: u32| Time(0).after(DAY * days);
        assert_eq!(failing_streak_start(day(10), &[]), day(9));
        assert_eq!(failing_streak_start(day(10), &[5, 36_000]), day(9).before(Duration::from_secs(39_600)));
    }

    #[test]
    fn answers_are_cut_and_hold_no_secret() {
        let secret = "whsec_c2VjcmV0".to_owned();
        let said = redact_answer(b"you sent whsec_c2VjcmV0, c2VjcmV0\x07\xff", &[secret]);
        assert_eq!(said, "you sent [secret], [secret] \u{fffd}");
        assert_eq!(redact_answer("ä".repeat(5_000).as_bytes(), &[]).chars().count(), MAX_STORED_CHARS);
    }

    #[test]
    fn inputs_are_checked_by_field() {
        use EventType::{OrderCreated, UserCreated};
        let fields = |input: &WebhookInput| {
            check(input, true).err().map(|errors| errors.0.into_keys().collect::<Vec<_>>())
        };
        let new = |types: &[EventType]| WebhookInput {
            url: Some("https://example.com".into()),
            webhook_types: Some(types.to_vec()),
            ..WebhookInput::default()
        };
        assert_eq!(fields(&WebhookInput::default()), Some(vec!["url".into(), "webhook_types".into()]));
        assert_eq!(fields(&new(&[])), Some(vec!["webhook_types".into()]));
        assert_eq!(fields(&new(&[OrderCreated, EventType::Test])), Some(vec!["webhook_types.1".into()]));
        assert_eq!(fields(&new(EventType::CHOICES)), None);
        assert_eq!(check(&WebhookInput::default(), false), Ok(()));
        assert_eq!(normalize_types(&[UserCreated, OrderCreated, UserCreated]), [OrderCreated, UserCreated]);
    }

    #[test]
    fn fuzz_webhook_secrets_and_answers() {
        let samples = [secret(&[7; 32]), "whsec_".to_owned(), "whsec_AA==".to_owned()];
        let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
        let texts = panel_fuzz::texts(&samples, &["whsec_", "=", "/", "+", "\0", "\u{fffd}"]);
        panel_fuzz::Run::new("panel-domain", "webhook_secrets").on(texts, |text| {
            drop(sign(text, "msg", 1, text));
            assert!(
                redact_answer(text.as_bytes(), std::slice::from_ref(text)).chars().count()
                    <= MAX_STORED_CHARS
            );
        });
    }
}
