//! The client of the reseller API v2 that most panels of the field speak: one POST with `key` and `action`.
//!
//! Errors keep the panel's own words. Whether a new order was taken is read by `placement` alone: only words that are
//! known to mean "not taken" allow another attempt. Of other calls [`PanelError::is_certain`] says whether the panel
//! surely did nothing.

mod measure;
pub mod placement;
pub mod probe;
mod words;

use std::time::{Duration, Instant};

use panel_contract::amount::Money;
use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use serde_json::Value;

use crate::app::App;
use crate::app::panel_limits::CallOutcome;
use panel_domain::reseller_protocol::add_order::AddOrderRequest;
use panel_domain::reseller_protocol::read;
use panel_domain::reseller_protocol::read::{Catalogue, Each, OrderState};
use panel_domain::reseller_protocol::rejections::Rejections;
use panel_platform::outbound::{
    self, Answer, Call, Distinct, LARGEST_ANSWER, OutboundError, Purpose, UnreadableJson,
};
use placement::Placement;
use words::{clean, scrubbed};

pub use words::{asks_to_wait, reason};

/// Most ids of one call.
pub const MOST: usize = 100;
/// Bytes of a catalogue: 20,000 services have ten million. Other answers have [`LARGEST_ANSWER`].
const LARGEST: usize = 32 << 20;
/// Values of a catalogue: a service has twelve, so that 32 MiB of real ones have 800,000.
const MOST_VALUES: usize = 1_000_000;
/// Longest that a catalogue may take; other calls take what is configured. A job of a minute still has the time to write it.
const CATALOGUE: Duration = Duration::from_secs(40);

/// A panel to call.
#[derive(Clone, Copy)]
pub struct Panel<'p> {
    /// Its id here: calls to it keep one pace.
    pub id: ExternalPanelId,
    /// The address of its API.
    pub endpoint: &'p str,
    /// The token, which travels in the body only.
    pub token: &'p str,
    /// Whether it is a panel of this product, which says more of its services.
    pub is_own_kind: bool,
}

/// What a panel's refusal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The token is not theirs.
    Key,
    /// Our balance there does not reach.
    Funds,
    /// It does not know the order.
    Order,
    /// It does not know the service.
    Service,
    /// It has an open order for this address.
    DuplicateLink,
    /// Too few or too many.
    Quantity,
    /// It does not know the refill.
    Refill,
    /// Anything else.
    Other,
}

/// Why a call brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PanelError {
    /// Its address may not be called.
    #[error("{0}")]
    Refused(String),
    /// It is left alone until then.
    #[error("The panel is left alone until {0}, as it did not answer or is called too often.")]
    Resting(Time),
    /// It heard nothing.
    #[error("The panel cannot be reached: {0}.")]
    Unreached(String),
    /// It may have heard everything.
    #[error("The panel did not answer so that it could be understood: {0}.")]
    Unclear(String),
    /// It said no, in these words.
    #[error("{1}")]
    Said(Reason, String),
}

impl PanelError {
    /// Whether the panel surely did nothing.
    #[must_use]
    pub const fn is_certain(&self) -> bool {
        !matches!(self, Self::Unclear(_))
    }
}

/// What a panel owes or is owed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// How much.
    pub balance: Money,
    /// In which currency, where it says.
    pub currency: Option<String>,
}

type Result<T> = std::result::Result<T, PanelError>;

/// Everything that the panel sells.
pub async fn services(app: &App, panel: Panel<'_>) -> Result<Catalogue> {
    let (name, value) = panel_domain::reseller_protocol::own_texts::ASKED_BY;
    let fields = if panel.is_own_kind { vec![(name, value.to_owned())] } else { Vec::new() };
    let value = ask(app, panel, "services", fields, Some(CATALOGUE)).await?;
    read::catalogue(&value).ok_or_else(|| unclear("it sent no list of services", &value))
}

/// What an order sends beside key and action.
#[must_use]
pub fn add_fields(service: &str, request: &AddOrderRequest) -> Vec<(&'static str, String)> {
    let mut fields = vec![("service", service.to_owned())];
    fields.extend_from_slice(request.fields());
    fields
}

/// Places an order. It is asked once, and only its answer says what became of it.
pub async fn add(
    app: &App,
    panel: Panel<'_>,
    rejections: &Rejections,
    service: &str,
    request: &AddOrderRequest,
) -> Placement {
    let read = |answer: &Answer, now| {
        let value = parsed(answer, panel.token, false);
        let placement = placement::read(answer, value.as_ref().ok(), panel.token, rejections);
        match (placement, retry_after(answer, now)) {
            (Err(error), None) => Err(error),
            (placement, rest) => Ok((placement, rest)),
        }
    };
    let fields = add_fields(service, request);
    ask_by(app, panel, "add", fields, None, read).await.unwrap_or_else(Placement::without_answer)
}

/// Where one order stands.
pub async fn status(app: &App, panel: Panel<'_>, order: &str) -> Result<OrderState> {
    let value = ask(app, panel, "status", vec![("order", order.to_owned())], None).await?;
    read::order_state(&value).ok_or_else(|| unclear("it sent no status", &value))
}

/// Where up to a hundred orders stand. What the answer lacks stays as it is.
pub async fn statuses(app: &App, panel: Panel<'_>, orders: &[String]) -> Result<Each<OrderState>> {
    several(app, panel, "status", "order", orders, read::order_state).await
}

/// Asks for a refill of an order; the refill's id.
pub async fn refill(app: &App, panel: Panel<'_>, order: &str) -> Result<String> {
    let value = ask(app, panel, "refill", vec![("order", order.to_owned())], None).await?;
    named(&value, "refill").ok_or_else(|| unclear("it sent no refill id", &value))
}

/// What became of a refill, in the panel's word.
pub async fn refill_status(app: &App, panel: Panel<'_>, refill: &str) -> Result<String> {
    let value = ask(app, panel, "refill_status", vec![("refill", refill.to_owned())], None).await?;
    let word = value.get("status").and_then(Value::as_str).map(str::trim).filter(|word| !word.is_empty());
    word.map(str::to_owned).ok_or_else(|| unclear("it sent no status", &value))
}

/// Asks to cancel up to a hundred orders. One is named twice, as most panels read `orders` and some only `order`.
pub async fn cancel(app: &App, panel: Panel<'_>, orders: &[String]) -> Result<Each<()>> {
    let yes = |part: &Value| {
        let said = part.get("cancel").or_else(|| part.get("success")).unwrap_or(part);
        match read::error(said) {
            None if read::flag(said) || read::id(said).is_some() => Some(()),
            _ => None,
        }
    };
    several(app, panel, "cancel", "order", orders, yes).await
}

/// Our balance there.
pub async fn balance(app: &App, panel: Panel<'_>) -> Result<Balance> {
    balance_in(&ask(app, panel, "balance", Vec::new(), None).await?)
}

fn balance_in(value: &Value) -> Result<Balance> {
    let currency =
        value.get("currency").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let balance = value.get("balance").and_then(read::money);
    let balance = balance.ok_or_else(|| unclear("it sent no balance", value))?;
    Ok(Balance { balance, currency: currency.map(str::to_owned) })
}

async fn several<T>(
    app: &App,
    panel: Panel<'_>,
    action: &'static str,
    named_by: &'static str,
    orders: &[String],
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Each<T>> {
    let asked = &orders[..orders.len().min(MOST)];
    if asked.is_empty() {
        return Ok(Each::new());
    }
    let mut fields = vec![("orders", asked.join(","))];
    if let ("cancel", [only]) = (action, asked) {
        fields.push((named_by, only.clone()));
    }
    let value = ask(app, panel, action, fields, None).await?;
    if !value.is_object() && !value.is_array() {
        return Err(unclear("it sent neither a list nor an object", &value));
    }
    Ok(read::each(&value, asked, named_by, read))
}

fn named(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(read::id).or_else(|| value.get("data").and_then(|data| named(data, name)))
}

/// One call: JSON, and the panel's own no before anything else.
async fn ask(
    app: &App,
    panel: Panel<'_>,
    action: &'static str,
    fields: Vec<(&'static str, String)>,
    patience: Option<Duration>,
) -> Result<Value> {
    let read = |answer: &Answer, now| understand(answer, panel.token, action == "services", now);
    ask_by(app, panel, action, fields, patience, read).await
}

/// One call within the panel's limits, by the guarded client; its answer is read by `read`.
async fn ask_by<T>(
    app: &App,
    panel: Panel<'_>,
    action: &'static str,
    fields: Vec<(&'static str, String)>,
    patience: Option<Duration>,
    read: impl FnOnce(&Answer, Time) -> Result<Said<T>>,
) -> Result<T> {
    if let Err(until) = app.panel_limits.admit(panel.id, app.clock.now()) {
        let is_open = app.panel_limits.is_open(panel.id, app.clock.now());
        measure::count(panel.id, action, if is_open { "breaker_open" } else { "rate_limited" });
        return Err(PanelError::Resting(until));
    }
    let begun = Instant::now();
    let said = send(app, (panel.endpoint, panel.token), action, fields, patience, read).await;
    let label = match &said {
        Ok((Ok(_), _)) => "answered",
        Ok((Err(_), _)) | Err(PanelError::Said(..)) => "rejected",
        Err(PanelError::Refused(_)) => {
            measure::count(panel.id, action, "refused");
            return said?.0;
        }
        Err(_) => "no_answer",
    };
    measure::record(panel.id, action, label, begun.elapsed());
    let outcome = match &said {
        Ok((_, Some(wait))) => CallOutcome::RetryAfter(*wait),
        Ok(_) => CallOutcome::Answered,
        Err(_) => CallOutcome::NoAnswer,
    };
    app.panel_limits.record(panel.id, outcome, app.clock.now());
    said?.0
}

/// The call itself, by the guarded client.
async fn send<T>(
    app: &App,
    (endpoint, token): (&str, &str),
    action: &'static str,
    fields: Vec<(&'static str, String)>,
    patience: Option<Duration>,
    read: impl FnOnce(&Answer, Time) -> Result<Said<T>>,
) -> Result<Said<T>> {
    let mut form = vec![("key", token.to_owned()), ("action", action.to_owned())];
    form.extend(fields);
    let largest = if action == "services" { LARGEST } else { LARGEST_ANSWER };
    let call = Call::form(Purpose::ExternalPanel, endpoint, &form)
        .at_most(largest)
        .header("accept", "application/json");
    let call = if let Some(patience) = patience { call.within(patience) } else { call };
    match app.outbound.send(call).await {
        Ok(answer) => read(&answer, app.clock.now()),
        Err(OutboundError::Refused(why)) => Err(PanelError::Refused(why)),
        Err(OutboundError::Unreached(why)) => Err(PanelError::Unreached(why)),
        Err(error) => Err(PanelError::Unclear(error.to_string())),
    }
}

/// A panel's answer, or its no; and the wait that it asks for.
type Said<T = Value> = (Result<T>, Option<Duration>);

/// The wait that a panel asks for; a minute where it does not say how long.
fn retry_after(answer: &Answer, now: Time) -> Option<Duration> {
    (answer.status == 429).then(|| answer.retry_after(now).unwrap_or(Duration::from_mins(1)))
}

/// The JSON of an answer, without our token. An answer that names a field twice is none: readers take either value.
fn parsed(answer: &Answer, token: &str, keeps_lines: bool) -> std::result::Result<Value, UnreadableJson> {
    let most_values = if keeps_lines { MOST_VALUES } else { outbound::MOST_VALUES };
    answer.json_of(most_values).map(|Distinct(value)| scrubbed(value, token, keeps_lines))
}

/// What an answer says. Nothing of it goes on before our token is out of it. Behind a status of 500 and above there is no
/// no, whatever the body says: the panel fell over, or what stands before it did, and it may have done everything.
fn understand(answer: &Answer, token: &str, keeps_lines: bool, now: Time) -> Result<Said> {
    let rest = retry_after(answer, now);
    let value = parsed(answer, token, keeps_lines);
    if answer.status < 500
        && let Some(words) = value.as_ref().ok().and_then(read::error)
    {
        let words = clean(&words, token);
        return Ok((Err(PanelError::Said(reason(&words), words)), rest));
    }
    match value {
        Ok(value) if answer.is_success() => Ok((Ok(value), rest)),
        _ if rest.is_some() => {
            let words = "The panel answered 429: too many calls.".to_owned();
            Ok((Err(PanelError::Said(Reason::Other, words)), rest))
        }
        // Its first levels say nothing of why it was not read.
        Err(UnreadableJson::Refused(why)) => Err(PanelError::Unclear(format!("{}, {why}", answer.status))),
        _ => {
            let text = String::from_utf8_lossy(&answer.body[..answer.body.len().min(2_000)]).into_owned();
            Err(PanelError::Unclear(format!("{}, \"{}\"", answer.status, clean(&text, token))))
        }
    }
}

fn unclear(what: &str, value: &Value) -> PanelError {
    let text: String = value.to_string().chars().take(200).collect();
    PanelError::Unclear(format!("{what}, but {text}"))
}

#[cfg(test)]
mod tests {
    use panel_contract::external_panels::StatisticType;

    use super::*;

    fn answer(status: u16, body: &str) -> Answer {
        Answer { status, retry_after: None, body: body.as_bytes().to_vec(), is_cut: false }
    }

    #[test]
    fn a_no_is_a_no_whatever_its_status() {
        for status in [200, 400, 401, 402, 404, 422] {
            let (said, rest) = understand(
                &answer(status, r#"{"error":"Not enough funds on balance"}"#),
                "token-of-ours",
                false,
                Time(0),
            )
            .unwrap();
            assert_eq!(
                said,
                Err(PanelError::Said(Reason::Funds, "Not enough funds on balance".into())),
                "{status}"
            );
            assert_eq!(rest, None);
        }
        let (said, rest) = understand(&answer(429, "slow down"), "token-of-ours", false, Time(0)).unwrap();
        assert!(said.is_err_and(|error| error.is_certain()));
        assert_eq!(rest, Some(Duration::from_mins(1)));
    }

    #[test]
    fn what_is_no_json_is_unclear_and_holds_no_token() {
        for (status, body) in [
            (200, "<html>Login</html>"),
            (502, "Bad gateway"),
            (500, "{}"),
            (200, ""),
            (200, "{\"order\":"),
            (500, r#"{"error":"Internal error"}"#),
            (504, r#"{"status":"error"}"#),
            (502, r#"{"order":7}"#),
        ] {
            let error = understand(&answer(status, body), "secret-token", false, Time(0)).unwrap_err();
            assert!(!error.is_certain(), "{status} {body}: {error}");
        }
        let echo =
            understand(&answer(200, "<p>key secret-token\nis wrong</p>"), "secret-token", false, Time(0))
                .unwrap_err();
        assert!(
            !echo.to_string().contains("secret-token") && echo.to_string().contains("[key] is wrong"),
            "{echo}"
        );
        let echo =
            understand(&answer(200, r#"{"error":"key secret-token"}"#), "secret-token", false, Time(0))
                .unwrap()
                .0;
        assert_eq!(echo, Err(PanelError::Said(Reason::Other, "key [key]".into())));
    }

    const SAMPLES: &[&str] = &[
        r#"[{"service":1,"name":"Likes","type":"Default","category":"A","rate":"0.90","min":"50","max":"10000","refill":1,"cancel":"true","dripfeed":false,"desc":"a\nb"}]"#,
        r#"{"order":23501}"#,
        r#"{"status":"Partial","charge":"0.27819","start_count":"3572","remains":"157","currency":"USD"}"#,
        r#"{"1":{"status":"Completed","charge":1e-5},"10":{"error":"Incorrect order ID"}}"#,
        r#"[{"order":1,"refill":{"error":"x"}},{"order":"10","refill":"2"}]"#,
        r#"[{"order":9,"cancel":{"error":"Incorrect order ID"}},{"order":1,"cancel":1}]"#,
        r#"{"balance":"100.84292","currency":"USD"}"#,
        r#"{"data":{"data":{"data":{"order":7}}}}"#,
    ];

    /// Services, add, status, statuses, refill, cancel and balance: whatever a panel says, it is read or refused.
    #[test]
    fn fuzz_panel_answers() {
        const NAMES: &[&str] = &[
            "service", "name", "type", "rate", "min", "max", "order", "data", "services", "error", "errors",
            "status", "charge", "remains", "refill", "cancel", "balance", "currency", "message", "1", "10",
        ];
        let asked = ["1", "10"].map(str::to_owned);
        panel_fuzz::Run::new("panel-server", "panel_answers").on(
            panel_fuzz::json_texts(NAMES, SAMPLES),
            |text| {
                let answer = Answer { status: 200, retry_after: None, body: text.to_vec(), is_cut: false };
                let value = parsed(&answer, "token-of-ours", false);
                drop(placement::read(&answer, value.as_ref().ok(), "token-of-ours", &Rejections::default()));
                for keeps_lines in [true, false] {
                    let Ok((Ok(value), _)) = understand(&answer, "token-of-ours", keeps_lines, Time(0))
                    else {
                        continue;
                    };
                    drop(read::catalogue(&value));
                    drop((named(&value, "refill"), balance_in(&value)));
                    drop(read::each(&value, &asked, "order", read::order_state));
                    if let Some(state) = read::order_state(&value) {
                        drop(panel_domain::reseller_protocol::statistic::measured(
                            StatisticType::Charge,
                            1_000,
                            Money(900_000),
                            state,
                        ));
                    }
                }
            },
        );
    }

    #[test]
    fn answers_out_of_bounds_are_unclear() {
        for body in [
            format!("{{\"order\":7,\"x\":{}{}}}", "[".repeat(65), "]".repeat(65)),
            "[".repeat(100_000),
            format!("{{\"order\":7,\"x\":[{}0]}}", "0,".repeat(outbound::MOST_VALUES)),
        ] {
            let error = understand(&answer(200, &body), "secret-token", false, Time(0)).unwrap_err();
            assert!(!error.is_certain(), "{error}");
        }
    }
}
