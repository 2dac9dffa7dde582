//! The client of the reseller API v2, which most external panels offer: every request is a POST with `key` and `action`.
//!
//! Errors contain the message of the external panel. Only `placement` decides whether the external panel accepted a new order: only
//! messages that are known to mean "not accepted" allow another attempt. For other requests, [`PanelError::has_no_effect`] returns
//! whether the external panel has certainly not carried out the request.

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
use crate::app::panel_limits::PanelRequestOutcome;
use messages::{redact_text, redact_value};
use panel_domain::reseller_protocol::add_order::AddOrderRequest;
use panel_domain::reseller_protocol::rejections::PanelRejections;
use panel_domain::reseller_protocol::responses;
use panel_domain::reseller_protocol::responses::{Catalogue, ExternalOrderStatus, ResultsById};
use panel_platform::outbound::{
    self, JsonError, MAX_RESPONSE_BYTES, OutboundError, OutboundRequest, OutboundResponse, Purpose,
    UniqueFieldsJson,
};
use placement::Placement;

pub use messages::{asks_to_wait, subject_of_message};

/// Maximum number of ids in one request.
pub const MAX_IDS_PER_REQUEST: usize = 100;
/// Maximum size of a list of services in bytes; 20,000 services have about ten million bytes. [`MAX_RESPONSE_BYTES`] limits other
/// responses.
const MAX_CATALOGUE_BYTES: usize = 32 << 20;
/// Maximum number of JSON values in a list of services. A service has about twelve values, so 32 MiB of real services have 800,000.
const MAX_CATALOGUE_VALUES: usize = 1_000_000;
/// Timeout of a request for the list of services; other requests have the configured timeout. It leaves a job that may run for one
/// minute enough time to write the result.
const CATALOGUE_TIMEOUT: Duration = Duration::from_secs(40);

/// An external panel and the credentials for its API.
#[derive(Clone, Copy)]
pub struct PanelApi<'p> {
    /// All requests with this id share one rate limit and one circuit breaker.
    pub id: ExternalPanelId,
    /// URL of the external panel's API.
    pub endpoint: &'p str,
    /// API token. The client sends it only in the request body.
    pub token: &'p str,
    /// Whether the external panel runs the same product as this server. Such a panel describes its services in more detail.
    pub is_same_product: bool,
}

/// The subject of an error message of an external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSubject {
    /// The external panel does not accept our API token.
    Key,
    /// Our balance at the external panel is too low.
    Funds,
    /// The external panel does not know the order.
    Order,
    /// The external panel does not know the service.
    Service,
    /// The external panel already has an open order for the same link.
    DuplicateLink,
    /// The quantity is below the minimum or above the maximum.
    Quantity,
    /// The external panel does not know the refill.
    Refill,
    Other,
}

/// Why a request to an external panel failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PanelError {
    /// The rules for outgoing requests forbid the address.
    #[error("{0}")]
    ForbiddenAddress(String),
    /// The client sends no request before this time, because of the circuit breaker, the rate limit or `Retry-After`.
    #[error(
        "Requests to the external panel are paused until {0}, because it did not respond or reached its rate limit."
    )]
    Paused(Time),
    /// The external panel did not receive the request.
    #[error("The panel cannot be reached: {0}.")]
    NotSent(String),
    /// The outcome is unknown: the external panel may have carried out the request.
    #[error("The panel sent no readable answer: {0}.")]
    Unknown(String),
    /// The external panel responded with an error message.
    #[error("{1}")]
    Rejected(MessageSubject, String),
}

impl PanelError {
    /// Whether it is certain that the external panel did not carry out the request.
    #[must_use]
    pub const fn has_no_effect(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }
}

/// The balance of our account at an external panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    pub balance: Money,
    /// ISO code; `None` if the response has no currency.
    pub currency: Option<String>,
}

type Result<T> = std::result::Result<T, PanelError>;

/// Fetches the list of services.
pub async fn fetch_services(app: &App, panel: PanelApi<'_>) -> Result<Catalogue> {
    let (name, value) = panel_domain::reseller_protocol::extended_texts::REQUEST_FIELD;
    let fields = if panel.is_same_product { vec![(name, value.to_owned())] } else { Vec::new() };
    let value = request_json(app, panel, "services", fields, Some(CATALOGUE_TIMEOUT)).await?;
    responses::parse_catalogue(&value).ok_or_else(|| unknown_outcome("it sent no list of services", &value))
}

/// Returns the fields of a request that places an order, without `key` and `action`.
#[must_use]
pub fn place_order_fields(service: &str, request: &AddOrderRequest) -> Vec<(&'static str, String)> {
    let mut fields = vec![("service", service.to_owned())];
    fields.extend_from_slice(request.fields());
    fields
}

/// Places an order with exactly one request. The response of the external panel alone decides the outcome.
pub async fn place_order(
    app: &App,
    panel: PanelApi<'_>,
    rejections: &PanelRejections,
    service: &str,
    request: &AddOrderRequest,
) -> Placement {
    let parse = |response: &OutboundResponse, now| {
        let value = parse_json(response, panel.token, false);
        let placement = placement::parse_placement(response, value.as_ref().ok(), panel.token, rejections);
        match (placement, retry_after(response, now)) {
            (Err(error), None) => Err(error),
            (placement, retry_delay) => Ok((placement, retry_delay)),
        }
    };
    let fields = place_order_fields(service, request);
    send_limited(app, panel, "add", fields, None, parse).await.unwrap_or_else(Placement::without_response)
}

/// Fetches the status of one order.
pub async fn fetch_status(app: &App, panel: PanelApi<'_>, order: &str) -> Result<ExternalOrderStatus> {
    let value = request_json(app, panel, "status", vec![("order", order.to_owned())], None).await?;
    responses::parse_order_status(&value).ok_or_else(|| unknown_outcome("it sent no status", &value))
}

/// Fetches the status of up to [`MAX_IDS_PER_REQUEST`] orders. The result contains only orders that the response contains.
pub async fn fetch_statuses(
    app: &App,
    panel: PanelApi<'_>,
    orders: &[String],
) -> Result<ResultsById<ExternalOrderStatus>> {
    send_with_order_ids(app, panel, "status", "order", orders, responses::parse_order_status).await
}

/// Requests a refill of an order and returns the id of the refill.
pub async fn request_refill(app: &App, panel: PanelApi<'_>, order: &str) -> Result<String> {
    let value = request_json(app, panel, "refill", vec![("order", order.to_owned())], None).await?;
    find_id(&value, "refill").ok_or_else(|| unknown_outcome("it sent no refill id", &value))
}

/// Fetches the status of a refill as the string that the external panel sends, such as "Completed".
pub async fn fetch_refill_status(app: &App, panel: PanelApi<'_>, refill: &str) -> Result<String> {
    let value = request_json(app, panel, "refill_status", vec![("refill", refill.to_owned())], None).await?;
    let status = value.get("status").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    status.map(str::to_owned).ok_or_else(|| unknown_outcome("it sent no status", &value))
}

/// Requests to cancel up to [`MAX_IDS_PER_REQUEST`] orders. For a single order the request has both fields, because most external
/// panels read `orders`, but some read only `order`.
pub async fn request_cancels(app: &App, panel: PanelApi<'_>, orders: &[String]) -> Result<ResultsById<()>> {
    let parse_result = |entry: &Value| {
        let result = entry.get("cancel").or_else(|| entry.get("success")).unwrap_or(entry);
        match responses::find_error_message(result) {
            None if responses::parse_flag(result) || responses::parse_id(result).is_some() => Some(()),
            _ => None,
        }
    };
    send_with_order_ids(app, panel, "cancel", "order", orders, parse_result).await
}

/// Fetches the balance of our account.
pub async fn fetch_balance(app: &App, panel: PanelApi<'_>) -> Result<Balance> {
    parse_balance(&request_json(app, panel, "balance", Vec::new(), None).await?)
}

fn parse_balance(value: &Value) -> Result<Balance> {
    let currency =
        value.get("currency").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let balance = value.get("balance").and_then(responses::parse_money);
    let balance = balance.ok_or_else(|| unknown_outcome("it sent no balance", value))?;
    Ok(Balance { balance, currency: currency.map(str::to_owned) })
}

async fn send_with_order_ids<T>(
    app: &App,
    panel: PanelApi<'_>,
    action: &'static str,
    id_field: &'static str,
    orders: &[String],
    parse_entry: impl Fn(&Value) -> Option<T>,
) -> Result<ResultsById<T>> {
    let requested_ids = &orders[..orders.len().min(MAX_IDS_PER_REQUEST)];
    if requested_ids.is_empty() {
        return Ok(ResultsById::new());
    }
    let mut fields = vec![("orders", requested_ids.join(","))];
    if let ("cancel", [single_id]) = (action, requested_ids) {
        fields.push((id_field, single_id.clone()));
    }
    let value = request_json(app, panel, action, fields, None).await?;
    if !value.is_object() && !value.is_array() {
        return Err(unknown_outcome("it sent neither a list nor an object", &value));
    }
    Ok(responses::parse_by_id(&value, requested_ids, id_field, parse_entry))
}

fn find_id(value: &Value, name: &str) -> Option<String> {
    value
        .get(name)
        .and_then(responses::parse_id)
        .or_else(|| value.get("data").and_then(|data| find_id(data, name)))
}

/// Sends one request and parses the JSON response. Returns an error message of the external panel as [`PanelError::Rejected`].
async fn request_json(
    app: &App,
    panel: PanelApi<'_>,
    action: &'static str,
    fields: Vec<(&'static str, String)>,
    timeout: Option<Duration>,
) -> Result<Value> {
    let parse =
        |response: &OutboundResponse, now| parse_response(response, panel.token, action == "services", now);
    send_limited(app, panel, action, fields, timeout, parse).await
}

/// Sends one request within the rate limit and the circuit breaker of the external panel, and parses the response with `parse`.
async fn send_limited<T>(
    app: &App,
    panel: PanelApi<'_>,
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
    let started_at = Instant::now();
    let result = send(app, (panel.endpoint, panel.token), action, fields, timeout, parse).await;
    let outcome_label = match &result {
        Ok((Ok(_), _)) => "answered",
        Ok((Err(_), _)) | Err(PanelError::Rejected(..)) => "rejected",
        Err(PanelError::ForbiddenAddress(_)) => {
            call_metrics::count(panel.id, action, "forbidden_address");
            return result?.0;
        }
        Err(_) => "no_answer",
    };
    call_metrics::record(panel.id, action, outcome_label, started_at.elapsed());
    let outcome = match &result {
        Ok((_, Some(retry_delay))) => PanelRequestOutcome::RetryAfter(*retry_delay),
        Ok(_) => PanelRequestOutcome::ResponseReceived,
        Err(_) => PanelRequestOutcome::NoResponse,
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
    let request = OutboundRequest::form(Purpose::ExternalPanel, endpoint, &form)
        .max_bytes(max_bytes)
        .header("accept", "application/json");
    let request = if let Some(timeout) = timeout { request.with_timeout(timeout) } else { request };
    match app.outbound.send(request).await {
        Ok(response) => parse(&response, app.clock.now()),
        Err(OutboundError::ForbiddenAddress(reason) | OutboundError::InvalidRequest(reason)) => {
            Err(PanelError::ForbiddenAddress(reason))
        }
        Err(OutboundError::NotConnected(reason)) => Err(PanelError::NotSent(reason)),
        Err(error) => Err(PanelError::Unknown(error.to_string())),
    }
}

/// The parsed response or error, and the delay of a `Retry-After` header.
type ParsedResponse<T = Value> = (Result<T>, Option<Duration>);

/// Returns the delay after status 429: the `Retry-After` header, else one minute.
fn retry_after(response: &OutboundResponse, now: Time) -> Option<Duration> {
    (response.status == 429).then(|| response.retry_after(now).unwrap_or(Duration::from_mins(1)))
}

/// Parses the JSON of a response and removes our token. Rejects a response with a duplicate field, because JSON parsers differ in
/// which of the values they use.
fn parse_json(
    response: &OutboundResponse,
    token: &str,
    keep_line_breaks: bool,
) -> std::result::Result<Value, JsonError> {
    let max_values = if keep_line_breaks { MAX_CATALOGUE_VALUES } else { outbound::MAX_JSON_VALUES };
    response
        .json_with_max_values(max_values)
        .map(|UniqueFieldsJson(value)| redact_value(value, token, keep_line_breaks))
}

/// Parses a response, and removes our token before any other code reads the response. A status of 500 or above is never a
/// rejection, whatever the body contains: the external panel or its proxy failed, and the external panel may have carried out the
/// request.
fn parse_response(
    response: &OutboundResponse,
    token: &str,
    keep_line_breaks: bool,
    now: Time,
) -> Result<ParsedResponse> {
    let retry_delay = retry_after(response, now);
    let value = parse_json(response, token, keep_line_breaks);
    if response.status < 500
        && let Some(message) = value.as_ref().ok().and_then(responses::find_error_message)
    {
        let message = redact_text(&message, token);
        return Ok((Err(PanelError::Rejected(subject_of_message(&message), message)), retry_delay));
    }
    match value {
        Ok(value) if response.is_success() => Ok((Ok(value), retry_delay)),
        _ if retry_delay.is_some() => {
            let message = "The external panel responded with status 429: too many requests.".to_owned();
            Ok((Err(PanelError::Rejected(MessageSubject::Other, message)), retry_delay))
        }
        // The name of the exceeded limit is more useful in the error than the first bytes of the response.
        Err(JsonError::LimitExceeded(reason)) => {
            Err(PanelError::Unknown(format!("{}, {reason}", response.status)))
        }
        _ => {
            let text = String::from_utf8_lossy(&response.body[..response.body.len().min(2_000)]).into_owned();
            Err(PanelError::Unknown(format!("{}, \"{}\"", response.status, redact_text(&text, token))))
        }
    }
}

fn unknown_outcome(description: &str, value: &Value) -> PanelError {
    let text: String = value.to_string().chars().take(200).collect();
    PanelError::Unknown(format!("{description}, but {text}"))
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
            let (result, retry_delay) = parse_response(
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
            assert_eq!(retry_delay, None);
        }
        let (result, retry_delay) =
            parse_response(&response(429, "slow down"), "token-of-ours", false, Time(0)).unwrap();
        assert!(result.is_err_and(|error| error.has_no_effect()));
        assert_eq!(retry_delay, Some(Duration::from_mins(1)));
    }

    #[test]
    fn a_response_without_json_has_an_unknown_outcome_and_hides_the_token() {
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
        let error_with_token = parse_response(
            &response(200, "<p>key secret-token\nis wrong</p>"),
            "secret-token",
            false,
            Time(0),
        )
        .unwrap_err();
        assert!(
            !error_with_token.to_string().contains("secret-token")
                && error_with_token.to_string().contains("[key] is wrong"),
            "{error_with_token}"
        );
        let error_with_token =
            parse_response(&response(200, r#"{"error":"key secret-token"}"#), "secret-token", false, Time(0))
                .unwrap()
                .0;
        assert_eq!(error_with_token, Err(PanelError::Rejected(MessageSubject::Other, "key [key]".into())));
    }

    const SAMPLE_RESPONSES: &[&str] = &[
        r#"[{"service":1,"name":"Likes","type":"Default","category":"A","rate":"0.90","min":"50","max":"10000","refill":1,"cancel":"true","dripfeed":false,"desc":"a\nb"}]"#,
        r#"{"order":23501}"#,
        r#"{"status":"Partial","charge":"0.27819","start_count":"3572","remains":"157","currency":"USD"}"#,
        r#"{"1":{"status":"Completed","charge":1e-5},"10":{"error":"Incorrect order ID"}}"#,
        r#"[{"order":1,"refill":{"error":"x"}},{"order":"10","refill":"2"}]"#,
        r#"[{"order":9,"cancel":{"error":"Incorrect order ID"}},{"order":1,"cancel":1}]"#,
        r#"{"balance":"100.84292","currency":"USD"}"#,
        r#"{"data":{"data":{"data":{"order":7}}}}"#,
    ];

    /// Parses arbitrary responses with every parser; no parser may panic.
    #[test]
    fn fuzz_panel_answers() {
        const FIELD_NAMES: &[&str] = &[
            "service", "name", "type", "rate", "min", "max", "order", "data", "services", "error", "errors",
            "status", "charge", "remains", "refill", "cancel", "balance", "currency", "message", "1", "10",
        ];
        let requested_ids = ["1", "10"].map(str::to_owned);
        panel_fuzz::FuzzTarget::new("panel-server", "panel_answers").run(
            panel_fuzz::json_documents(FIELD_NAMES, SAMPLE_RESPONSES),
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
                    drop(responses::parse_by_id(
                        &value,
                        &requested_ids,
                        "order",
                        responses::parse_order_status,
                    ));
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
    fn a_response_beyond_the_limits_has_an_unknown_outcome() {
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
