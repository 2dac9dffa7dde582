//! The client of the reseller API v2 that most panels of the field speak: one POST with `key` and `action`.
//!
//! Errors contain the panel's own message. Only `placement` decides whether the panel accepted a new order: only messages that
//! are known to mean "not accepted" allow another attempt. For other calls, [`PanelError::has_no_effect`] returns whether
//! the panel certainly did nothing.

mod call_metrics;
mod messages;
pub mod placement;
pub mod probe;

use std::time::{Duration, Instant};

use panel_contract::amount::Money;
use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use serde_json::Value;

use crate::app::App;
use crate::app::panel_limits::CallOutcome;
use messages::{redact_text, redact_value};
use panel_domain::reseller_protocol::add_order::AddOrderRequest;
use panel_domain::reseller_protocol::rejections::PanelRejections;
use panel_domain::reseller_protocol::responses;
use panel_domain::reseller_protocol::responses::{Catalogue, ExternalOrderStatus, ResultsById};
use panel_platform::outbound::{
    self, Call, JsonError, MAX_RESPONSE_BYTES, OutboundError, OutboundResponse, Purpose, UniqueFieldsJson,
};
use placement::Placement;

pub use messages::{asks_to_wait, subject_of_message};

/// The largest number of ids that one call may contain.
pub const MAX_IDS_PER_CALL: usize = 100;
/// The largest catalogue in bytes; 20,000 services have ten million bytes. For other responses it is [`MAX_RESPONSE_BYTES`].
const MAX_CATALOGUE_BYTES: usize = 32 << 20;
/// The largest number of JSON values in a catalogue. A service has about twelve, so 32 MiB of real services have 800,000.
const MAX_JSON_VALUES: usize = 1_000_000;
/// Timeout of a catalogue call; other calls have the configured timeout. A job of one minute still has time to write the result.
const CATALOGUE_TIMEOUT: Duration = Duration::from_secs(40);

/// An external panel and the credentials for its API.
#[derive(Clone, Copy)]
pub struct Panel<'p> {
    /// All calls with this id share one rate limit.
    pub id: ExternalPanelId,
    /// URL of the panel's API.
    pub endpoint: &'p str,
    /// API token. It is sent in the request body only.
    pub token: &'p str,
    /// Whether the panel runs this product: such a panel describes its services in more detail.
    pub is_this_product: bool,
}

/// The subject of a panel's error message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSubject {
    /// The panel does not accept the API token.
    Key,
    /// Our balance at the panel is too low.
    Funds,
    /// The panel does not know the order.
    Order,
    /// The panel does not know the service.
    Service,
    /// The panel has an open order for the same link.
    DuplicateLink,
    /// The quantity is below the minimum or above the maximum.
    Quantity,
    /// The panel does not know the refill.
    Refill,
    Other,
}

/// Why a call to an external panel failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PanelError {
    /// The rules for outgoing requests forbid the address.
    #[error("{0}")]
    ForbiddenAddress(String),
    /// No call is sent before this time, because of the circuit breaker, the rate limit or `Retry-After`.
    #[error("Calls to the panel are paused until {0}, because it did not answer or reached its rate limit.")]
    Paused(Time),
    /// The panel did not receive the request.
    #[error("The panel cannot be reached: {0}.")]
    NotSent(String),
    /// The outcome is unknown_outcome: the panel may have carried out the request.
    #[error("The panel sent no readable answer: {0}.")]
    Unknown(String),
    /// The panel answered with an error message.
    #[error("{1}")]
    Rejected(MessageSubject, String),
}

impl PanelError {
    /// Whether it is certain that the panel did not carry out the request.
    #[must_use]
    pub const fn has_no_effect(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }
}

/// The balance of this account at an external panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    pub balance: Money,
    /// ISO code; `None` if the panel sends none.
    pub currency: Option<String>,
}

type Result<T> = std::result::Result<T, PanelError>;

/// Fetches the panel's list of services.
pub async fn services(app: &App, panel: Panel<'_>) -> Result<Catalogue> {
    let (name, value) = panel_domain::reseller_protocol::extended_texts::REQUEST_FIELD;
    let fields = if panel.is_this_product { vec![(name, value.to_owned())] } else { Vec::new() };
    let value = call_json(app, panel, "services", fields, Some(CATALOGUE_TIMEOUT)).await?;
    responses::parse_catalogue(&value).ok_or_else(|| unknown_outcome("it sent no list of services", &value))
}

/// The fields of an `add` call besides `key` and `action`.
#[must_use]
pub fn add_fields(service: &str, request: &AddOrderRequest) -> Vec<(&'static str, String)> {
    let mut fields = vec![("service", service.to_owned())];
    fields.extend_from_slice(request.fields());
    fields
}

/// Places an order with exactly one call. Only the panel's response decides the outcome.
pub async fn add(
    app: &App,
    panel: Panel<'_>,
    rejections: &PanelRejections,
    service: &str,
    request: &AddOrderRequest,
) -> Placement {
    let parse = |response: &OutboundResponse, now| {
        let value = parse_json(response, panel.token, false);
        let placement = placement::parse_placement(response, value.as_ref().ok(), panel.token, rejections);
        match (placement, retry_after(response, now)) {
            (Err(error), None) => Err(error),
            (placement, wait) => Ok((placement, wait)),
        }
    };
    let fields = add_fields(service, request);
    call_panel(app, panel, "add", fields, None, parse).await.unwrap_or_else(Placement::without_response)
}

/// Fetches the status of one order.
pub async fn status(app: &App, panel: Panel<'_>, order: &str) -> Result<ExternalOrderStatus> {
    let value = call_json(app, panel, "status", vec![("order", order.to_owned())], None).await?;
    responses::parse_order_status(&value).ok_or_else(|| unknown_outcome("it sent no status", &value))
}

/// Fetches the status of up to [`MAX_IDS_PER_CALL`] orders. Orders that the response lacks are not in the result.
pub async fn statuses(
    app: &App,
    panel: Panel<'_>,
    orders: &[String],
) -> Result<ResultsById<ExternalOrderStatus>> {
    call_with_order_ids(app, panel, "status", "order", orders, responses::parse_order_status).await
}

/// Requests a refill of an order and returns the refill's id.
pub async fn refill(app: &App, panel: Panel<'_>, order: &str) -> Result<String> {
    let value = call_json(app, panel, "refill", vec![("order", order.to_owned())], None).await?;
    find_id(&value, "refill").ok_or_else(|| unknown_outcome("it sent no refill id", &value))
}

/// Fetches the status of a refill as the panel's own text, such as "Completed".
pub async fn refill_status(app: &App, panel: Panel<'_>, refill: &str) -> Result<String> {
    let value = call_json(app, panel, "refill_status", vec![("refill", refill.to_owned())], None).await?;
    let status = value.get("status").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    status.map(str::to_owned).ok_or_else(|| unknown_outcome("it sent no status", &value))
}

/// Requests to cancel up to [`MAX_IDS_PER_CALL`] orders. A single order is sent in both fields, because most panels read `orders`
/// and some only `order`.
pub async fn cancel(app: &App, panel: Panel<'_>, orders: &[String]) -> Result<ResultsById<()>> {
    let parse_result = |entry: &Value| {
        let result = entry.get("cancel").or_else(|| entry.get("success")).unwrap_or(entry);
        match responses::error_message(result) {
            None if responses::parse_flag(result) || responses::parse_id(result).is_some() => Some(()),
            _ => None,
        }
    };
    call_with_order_ids(app, panel, "cancel", "order", orders, parse_result).await
}

/// Fetches the balance of our account.
pub async fn balance(app: &App, panel: Panel<'_>) -> Result<Balance> {
    parse_balance(&call_json(app, panel, "balance", Vec::new(), None).await?)
}

fn parse_balance(value: &Value) -> Result<Balance> {
    let currency =
        value.get("currency").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let balance = value.get("balance").and_then(responses::parse_money);
    let balance = balance.ok_or_else(|| unknown_outcome("it sent no balance", value))?;
    Ok(Balance { balance, currency: currency.map(str::to_owned) })
}

async fn call_with_order_ids<T>(
    app: &App,
    panel: Panel<'_>,
    action: &'static str,
    id_field: &'static str,
    orders: &[String],
    parse_entry: impl Fn(&Value) -> Option<T>,
) -> Result<ResultsById<T>> {
    let requested = &orders[..orders.len().min(MAX_IDS_PER_CALL)];
    if requested.is_empty() {
        return Ok(ResultsById::new());
    }
    let mut fields = vec![("orders", requested.join(","))];
    if let ("cancel", [single_id]) = (action, requested) {
        fields.push((id_field, single_id.clone()));
    }
    let value = call_json(app, panel, action, fields, None).await?;
    if !value.is_object() && !value.is_array() {
        return Err(unknown_outcome("it sent neither a list nor an object", &value));
    }
    Ok(responses::parse_by_id(&value, requested, id_field, parse_entry))
}

fn find_id(value: &Value, name: &str) -> Option<String> {
    value
        .get(name)
        .and_then(responses::parse_id)
        .or_else(|| value.get("data").and_then(|data| find_id(data, name)))
}

/// Sends one call and parses the JSON response. An error message of the panel is returned as [`PanelError::Rejected`].
async fn call_json(
    app: &App,
    panel: Panel<'_>,
    action: &'static str,
    fields: Vec<(&'static str, String)>,
    timeout: Option<Duration>,
) -> Result<Value> {
    let parse =
        |response: &OutboundResponse, now| parse_response(response, panel.token, action == "services", now);
    call_panel(app, panel, action, fields, timeout, parse).await
}

/// Sends one call within the panel's rate limit and circuit breaker, and parses the response with `parse`.
async fn call_panel<T>(
    app: &App,
    panel: Panel<'_>,
    action: &'static str,
    fields: Vec<(&'static str, String)>,
    timeout: Option<Duration>,
    parse: impl FnOnce(&OutboundResponse, Time) -> Result<ParsedResponse<T>>,
) -> Result<T> {
    if let Err(until) = app.panel_limits.admit(panel.id, app.clock.now()) {
        let is_open = app.panel_limits.is_open(panel.id, app.clock.now());
        call_metrics::count(panel.id, action, if is_open { "breaker_open" } else { "rate_limited" });
        return Err(PanelError::Paused(until));
    }
    let started = Instant::now();
    let result = send(app, (panel.endpoint, panel.token), action, fields, timeout, parse).await;
    let label = match &result {
        Ok((Ok(_), _)) => "answered",
        Ok((Err(_), _)) | Err(PanelError::Rejected(..)) => "rejected",
        Err(PanelError::ForbiddenAddress(_)) => {
            call_metrics::count(panel.id, action, "refused");
            return result?.0;
        }
        Err(_) => "no_answer",
    };
    call_metrics::record(panel.id, action, label, started.elapsed());
    let outcome = match &result {
        Ok((_, Some(wait))) => CallOutcome::RetryAfter(*wait),
        Ok(_) => CallOutcome::ResponseReceived,
        Err(_) => CallOutcome::NoResponse,
    };
    app.panel_limits.record(panel.id, outcome, app.clock.now());
    result?.0
}

/// Sends the request through the outbound client, which enforces the rules for outgoing requests.
async fn send<T>(
    app: &App,
    (endpoint, token): (&str, &str),
    action: &'static str,
    fields: Vec<(&'static str, String)>,
    timeout: Option<Duration>,
    parse: impl FnOnce(&OutboundResponse, Time) -> Result<ParsedResponse<T>>,
) -> Result<ParsedResponse<T>> {
    let mut form = vec![("key", token.to_owned()), ("action", action.to_owned())];
    form.extend(fields);
    let max_bytes = if action == "services" { MAX_CATALOGUE_BYTES } else { MAX_RESPONSE_BYTES };
    let call = Call::form(Purpose::ExternalPanel, endpoint, &form)
        .max_bytes(max_bytes)
        .header("accept", "application/json");
    let call = if let Some(timeout) = timeout { call.with_timeout(timeout) } else { call };
    match app.outbound.send(call).await {
        Ok(response) => parse(&response, app.clock.now()),
        Err(OutboundError::Refused(reason)) => Err(PanelError::ForbiddenAddress(reason)),
        Err(OutboundError::NotConnected(reason)) => Err(PanelError::NotSent(reason)),
        Err(error) => Err(PanelError::Unknown(error.to_string())),
    }
}

/// The panel's response or error, and the wait of its `Retry-After`.
type ParsedResponse<T = Value> = (Result<T>, Option<Duration>);

/// The wait after status 429: `Retry-After`, else one minute.
fn retry_after(response: &OutboundResponse, now: Time) -> Option<Duration> {
    (response.status == 429).then(|| response.retry_after(now).unwrap_or(Duration::from_mins(1)))
}

/// The JSON of a response with the token removed. Refuses a response with a duplicate field, because JSON readers differ in
/// which value they use.
fn parse_json(
    response: &OutboundResponse,
    token: &str,
    keep_line_breaks: bool,
) -> std::result::Result<Value, JsonError> {
    let max_values = if keep_line_breaks { MAX_JSON_VALUES } else { outbound::MAX_JSON_VALUES };
    response
        .json_with_max_values(max_values)
        .map(|UniqueFieldsJson(value)| redact_value(value, token, keep_line_breaks))
}

/// Parses a response and removes the token from it before any other code sees it. A status of 500 or above is never a
/// rejection, whatever the body contains: the panel or its proxy failed, and the panel may have carried out the request.
fn parse_response(
    response: &OutboundResponse,
    token: &str,
    keep_line_breaks: bool,
    now: Time,
) -> Result<ParsedResponse> {
    let wait = retry_after(response, now);
    let value = parse_json(response, token, keep_line_breaks);
    if response.status < 500
        && let Some(message) = value.as_ref().ok().and_then(responses::error_message)
    {
        let message = redact_text(&message, token);
        return Ok((Err(PanelError::Rejected(subject_of_message(&message), message)), wait));
    }
    match value {
        Ok(value) if response.is_success() => Ok((Ok(value), wait)),
        _ if wait.is_some() => {
            let message = "The panel answered 429: too many calls.".to_owned();
            Ok((Err(PanelError::Rejected(MessageSubject::Other, message)), wait))
        }
        // The limit that the response exceeded explains more than its first bytes.
        Err(JsonError::LimitExceeded(reason)) => {
            Err(PanelError::Unknown(format!("{}, {reason}", response.status)))
        }
        _ => {
            let text = String::from_utf8_lossy(&response.body[..response.body.len().min(2_000)]).into_owned();
            Err(PanelError::Unknown(format!("{}, \"{}\"", response.status, redact_text(&text, token))))
        }
    }
}

fn unknown_outcome(problem: &str, value: &Value) -> PanelError {
    let text: String = value.to_string().chars().take(200).collect();
    PanelError::Unknown(format!("{problem}, but {text}"))
}

#[cfg(test)]
mod tests {
    use panel_contract::external_panels::StatisticType;

    use super::*;

    fn response(status: u16, body: &str) -> OutboundResponse {
        OutboundResponse { status, retry_after: None, body: body.as_bytes().to_vec(), is_truncated: false }
    }

    #[test]
    fn an_error_message_is_a_rejection_with_every_status_below_500() {
        for status in [200, 400, 401, 402, 404, 422] {
            let (result, wait) = parse_response(
                &response(status, r#"{"error":"Not enough funds on balance"}"#),
                "token-of-ours",
                false,
                Time(0),
            )
            .unwrap();
            assert_eq!(
                result,
                Err(PanelError::Rejected(MessageSubject::Funds, "Not enough funds on balance".into())),
                "{status}"
            );
            assert_eq!(wait, None);
        }
        let (result, wait) =
            parse_response(&response(429, "slow down"), "token-of-ours", false, Time(0)).unwrap();
        assert!(result.is_err_and(|error| error.has_no_effect()));
        assert_eq!(wait, Some(Duration::from_mins(1)));
    }

    #[test]
    fn a_response_without_json_is_unknown_and_hides_the_token() {
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
            let error = parse_response(&response(status, body), "secret-token", false, Time(0)).unwrap_err();
            assert!(!error.has_no_effect(), "{status} {body}: {error}");
        }
        let echoed_error = parse_response(
            &response(200, "<p>key secret-token\nis wrong</p>"),
            "secret-token",
            false,
            Time(0),
        )
        .unwrap_err();
        assert!(
            !echoed_error.to_string().contains("secret-token")
                && echoed_error.to_string().contains("[key] is wrong"),
            "{echoed_error}"
        );
        let echoed_error =
            parse_response(&response(200, r#"{"error":"key secret-token"}"#), "secret-token", false, Time(0))
                .unwrap()
                .0;
        assert_eq!(echoed_error, Err(PanelError::Rejected(MessageSubject::Other, "key [key]".into())));
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

    /// Every response to every call is either parsed or rejected, without a panic.
    #[test]
    fn fuzz_panel_answers() {
        const NAMES: &[&str] = &[
            "service", "name", "type", "rate", "min", "max", "order", "data", "services", "error", "errors",
            "status", "charge", "remains", "refill", "cancel", "balance", "currency", "message", "1", "10",
        ];
        let requested = ["1", "10"].map(str::to_owned);
        panel_fuzz::FuzzTarget::new("panel-server", "panel_answers").run(
            panel_fuzz::json_texts(NAMES, SAMPLES),
            |text| {
                let response = OutboundResponse {
                    status: 200,
                    retry_after: None,
                    body: text.to_vec(),
                    is_truncated: false,
                };
                let value = parse_json(&response, "token-of-ours", false);
                drop(placement::parse_placement(
                    &response,
                    value.as_ref().ok(),
                    "token-of-ours",
                    &PanelRejections::default(),
                ));
                for keep_line_breaks in [true, false] {
                    let Ok((Ok(value), _)) =
                        parse_response(&response, "token-of-ours", keep_line_breaks, Time(0))
                    else {
                        continue;
                    };
                    drop(responses::parse_catalogue(&value));
                    drop((find_id(&value, "refill"), parse_balance(&value)));
                    drop(responses::parse_by_id(&value, &requested, "order", responses::parse_order_status));
                    if let Some(state) = responses::parse_order_status(&value) {
                        drop(panel_domain::reseller_protocol::delivered_quantity::apply_statistic_type(
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
    fn a_response_beyond_the_limits_is_unknown() {
        for body in [
            format!("{{\"order\":7,\"x\":{}{}}}", "[".repeat(65), "]".repeat(65)),
            "[".repeat(100_000),
            format!("{{\"order\":7,\"x\":[{}0]}}", "0,".repeat(outbound::MAX_JSON_VALUES)),
        ] {
            let error = parse_response(&response(200, &body), "secret-token", false, Time(0)).unwrap_err();
            assert!(!error.has_no_effect(), "{error}");
        }
    }
}
