//! What holds for webhooks: the Standard Webhooks scheme, when to try again, when to give a receiver up.

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

/// What secrets begin with.
const PREFIX: &str = "whsec_";
/// Characters of an answer that are kept.
pub const KEPT_ANSWER: usize = 1_000;
/// Longest wait that a receiver may ask for.
const LONGEST_WAIT: Duration = DAY;
/// How long a receiver which says it is overloaded is left alone, at least.
const OVERLOADED: Duration = Duration::from_secs(60);
/// How long a receiver which does not answer is left alone, so that it does not hold up the others.
const SILENT: Duration = Duration::from_secs(30);

/// A secret as receivers keep it, of 32 random bytes.
#[must_use]
pub fn secret(bytes: &[u8; 32]) -> String {
    format!("{PREFIX}{}", STANDARD.encode(bytes))
}

/// One signature over a message.
pub fn sign(secret: &str, id: &str, timestamp: i64, body: &str) -> Result<String, String> {
    let key = secret.strip_prefix(PREFIX).and_then(|key| STANDARD.decode(key).ok());
    let key = key.ok_or("the secret of a webhook cannot be read")?;
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(&key).map_err(|error| error.to_string())?;
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    Ok(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

/// What is wrong with an input; `is_new` asks for everything.
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

/// The types of an input, each once, in their own order.
#[must_use]
pub fn settled(types: &[EventType]) -> Vec<EventType> {
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
        EventType::WithdrawalCreated => "A withdrawal was asked for",
        EventType::WithdrawalStatusChanged => "A withdrawal changed its status",
        EventType::UserCreated => "A user was made",
        EventType::UserUpdated => "A user was changed",
        EventType::UserStatusChanged => "A user changed their status",
        EventType::Test => "A test",
    }
}

/// How a webhook is doing.
#[must_use]
pub const fn status(is_active: bool, was_switched_off: bool, is_failing: bool) -> WebhookStatus {
    match (is_active, was_switched_off, is_failing) {
        (true, _, true) => WebhookStatus::Failing,
        (true, ..) => WebhookStatus::Active,
        (false, true, _) => WebhookStatus::SwitchedOff,
        (false, ..) => WebhookStatus::Disabled,
    }
}

/// What may be done with a webhook by a caller who may manage webhooks, or may not.
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

/// Whether a delivery may be sent again: its webhook is on, and it waits for no attempt of its own.
pub fn judge_redelivery(is_active: bool, status: DeliveryStatus) -> Result<(), Rejection> {
    if !is_active {
        let message = "This webhook is switched off; switch it on, then deliver again.";
        return Err(Rejection::conflict("webhook_off", message));
    }
    if status == DeliveryStatus::Pending {
        let message = "This delivery waits for its next attempt already; see when in its log.";
        return Err(Rejection::conflict("delivery_pending", message));
    }
    Ok(())
}

/// Why the panel switched a webhook off, for staff.
#[must_use]
pub fn notice(switched_off: &str, days: u32) -> String {
    match switched_off {
        "gone" => {
            "The receiver answered 410: it wants no more deliveries. Switch it on again when it does.".into()
        }
        _ => format!(
            "Every delivery failed for {days} days. Mend the receiver, test it, and switch it on again."
        ),
    }
}

/// What a receiver did with an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// An answer with its status and the wait that it asks for.
    Answer(u16, Option<Duration>),
    /// Nothing, for this reason.
    Nothing(String),
    /// It was not called.
    Refused(String),
}

/// What comes of a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Why it failed.
    pub error: String,
    /// When it is tried again; none when it is given up.
    pub again: Option<Time>,
    /// Until when the receiver is left alone.
    pub pause: Option<Time>,
    /// Why the webhook is switched off.
    pub off: Option<&'static str>,
}

/// A moment, and what decides about the next attempt.
#[derive(Debug, Clone, Copy)]
pub struct Case<'c> {
    /// Now.
    pub now: Time,
    /// Delays of the configuration.
    pub delays: &'c [u32],
    /// Attempts so far, this one included.
    pub attempts: i64,
    /// 0 to 255, by chance.
    pub chance: u8,
    /// Since when every delivery has failed, without a long silence in between.
    pub failing_since: Option<Time>,
    /// Days until a failing webhook is switched off.
    pub patience_days: u32,
}

/// Nothing for a success, else what comes of the failure.
#[must_use]
pub fn judge(heard: &Heard, case: Case<'_>) -> Option<Verdict> {
    let now = case.now;
    let (error, wait, pause) = match heard {
        Heard::Answer(200..=299, _) => return None,
        Heard::Answer(410, _) => {
            let error = "The receiver answered 410: it wants no more deliveries.".into();
            return Some(Verdict { error, again: None, pause: None, off: Some("gone") });
        }
        Heard::Answer(status, after) => {
            let wait = after.unwrap_or_default().min(LONGEST_WAIT);
            let overloaded = matches!(status, 429 | 502 | 503 | 504) || !wait.is_zero();
            let hint = if (300..400).contains(status) { "; redirects are not followed" } else { "" };
            let pause = if overloaded { wait.max(OVERLOADED) } else { Duration::ZERO };
            (format!("The receiver answered {status}{hint}."), wait, pause)
        }
        Heard::Nothing(error) => (format!("The receiver did not answer: {error}."), Duration::ZERO, SILENT),
        Heard::Refused(error) => (format!("It was not sent: {error}."), Duration::ZERO, Duration::ZERO),
    };
    let patience = DAY * case.patience_days;
    let is_over = case.failing_since.is_some_and(|since| now.since(since) >= patience);
    Some(Verdict {
        error,
        again: if is_over { None } else { again(case, wait) },
        pause: (!pause.is_zero()).then(|| now.after(pause)),
        off: is_over.then_some("failed"),
    })
}

/// The moment from which on a failure must have been for the next one to go on with it. A silence that is longer than a day
/// and the longest wait between two attempts says nothing of a receiver, so the time of its failing begins anew.
#[must_use]
pub fn unbroken_from(now: Time, delays: &[u32]) -> Time {
    let longest = Duration::from_secs(u64::from(delays.iter().copied().max().unwrap_or(0)));
    now.before(DAY + longest + longest / 10)
}

/// The schedule's next moment, lengthened by up to a tenth, and not before the receiver wants it.
fn again(case: Case<'_>, wait: Duration) -> Option<Time> {
    let backoff = Backoff::steps_secs(case.delays).add_up_to(100);
    let next = backoff.next_try(case.attempts, Chance::of_byte(case.chance), case.now)?;
    Some(next.max(case.now.after(wait)))
}

/// The beginning of an answer as it is kept: text, without the webhook's secrets.
#[must_use]
pub fn kept(answer: &[u8], secrets: &[String]) -> String {
    let mut text = String::from_utf8_lossy(answer).into_owned();
    for secret in secrets {
        for part in [secret.as_str(), secret.trim_start_matches(PREFIX)] {
            text = text.replace(part, "[secret]");
        }
    }
    let shown = |letter: char| if letter.is_control() && letter != '\n' { ' ' } else { letter };
    text.chars().take(KEPT_ANSWER).map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAYS: [u32; 3] = [5, 300, 1_800];
    const NOW: Time = Time(1_000_000_000);

    fn case(attempts: i64, chance: u8) -> Case<'static> {
        Case { now: NOW, delays: &DELAYS, attempts, chance, failing_since: None, patience_days: 5 }
    }

    fn answer(status: u16, after_secs: Option<u64>) -> Heard {
        Heard::Answer(status, after_secs.map(Duration::from_secs))
    }

    /// The vector that the scheme's libraries agree on.
    #[test]
    fn signs_as_the_scheme_says() {
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
            assert_eq!(judge(&answer(status, None), case(1, 0)), None, "{status}");
        }
        for status in [100, 199, 300, 301, 307, 400, 401, 404, 409, 418, 429, 500, 503, 599, 999] {
            let verdict = judge(&answer(status, None), case(1, 0)).unwrap();
            assert!(verdict.again.is_some() && verdict.off.is_none(), "{status}: {verdict:?}");
        }
        assert!(judge(&answer(301, None), case(1, 0)).unwrap().error.contains("redirects"));
    }

    #[test]
    fn tries_by_the_schedule_then_gives_up() {
        let wait = |attempts, chance| {
            let verdict = judge(&answer(500, None), case(attempts, chance)).unwrap();
            verdict.again.map(|again| again.since(NOW).as_millis())
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
            let verdict = judge(&answer(status, rest), case(1, 0)).unwrap();
            let secs = |time: Time| time.since(NOW).as_secs();
            (verdict.again.map(secs), verdict.pause.map(secs))
        };
        assert_eq!(seconds(429, Some(120)), (Some(120), Some(120)));
        assert_eq!(seconds(503, Some(1)), (Some(5), Some(60)));
        assert_eq!(seconds(429, None), (Some(5), Some(60)));
        assert_eq!(seconds(429, Some(999_999_999)), (Some(86_400), Some(86_400)));
        assert_eq!(judge(&answer(500, None), case(1, 0)).unwrap().pause, None);
        let silent = judge(&Heard::Nothing("it took too long".into()), case(1, 0)).unwrap();
        assert!(silent.pause.is_some() && silent.error.contains("took too long"));
    }

    #[test]
    fn a_receiver_is_given_up_when_it_says_so_or_fails_for_days() {
        let gone = judge(&answer(410, Some(5)), case(1, 0)).unwrap();
        assert_eq!((gone.off, gone.again), (Some("gone"), None));
        let since = |days: u32| Case { failing_since: Some(NOW.before(DAY * days)), ..case(1, 0) };
        assert_eq!(judge(&answer(500, None), since(4)).unwrap().off, None);
        let over = judge(&answer(500, None), since(5)).unwrap();
        assert_eq!((over.off, over.again), (Some("failed"), None));
        assert_eq!(judge(&answer(200, None), since(9)), None);
    }

    #[test]
    fn a_long_silence_begins_the_time_anew() {
        let day = |days: u32| Time(0).after(DAY * days);
        assert_eq!(unbroken_from(day(10), &[]), day(9));
        assert_eq!(unbroken_from(day(10), &[5, 36_000]), day(9).before(Duration::from_secs(39_600)));
    }

    #[test]
    fn answers_are_cut_and_hold_no_secret() {
        let secret = "whsec_c2VjcmV0".to_owned();
        let said = kept(b"you sent whsec_c2VjcmV0, c2VjcmV0\x07\xff", &[secret]);
        assert_eq!(said, "you sent [secret], [secret] \u{fffd}");
        assert_eq!(kept("ä".repeat(5_000).as_bytes(), &[]).chars().count(), KEPT_ANSWER);
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
        assert_eq!(settled(&[UserCreated, OrderCreated, UserCreated]), [OrderCreated, UserCreated]);
    }

    #[test]
    fn fuzz_webhook_secrets_and_answers() {
        let samples = [secret(&[7; 32]), "whsec_".to_owned(), "whsec_AA==".to_owned()];
        let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
        let texts = panel_fuzz::texts(&samples, &["whsec_", "=", "/", "+", "\0", "\u{fffd}"]);
        panel_fuzz::Run::new("panel-domain", "webhook_secrets").on(texts, |text| {
            drop(sign(text, "msg", 1, text));
            assert!(kept(text.as_bytes(), std::slice::from_ref(text)).chars().count() <= KEPT_ANSWER);
        });
    }
}
