//! A fake external panel with the reseller API v2 for tests and the demo. It can simulate the failures of real panels.

mod cancel;
pub mod counter;
mod order_validation;
mod service;
pub mod state;
mod unreliable;

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use panel_kernel::clock::Clock;
use serde_json::Value;
use tokio::net::TcpListener;

use state::FakePanelState;

/// Behavior of the fake panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FakeBehavior {
    /// Responds correctly, with numbers as strings.
    #[default]
    Correct,
    /// Responds with JSON numbers where real panels send strings.
    JsonNumbers,
    /// Responds with an HTML page and status 200.
    HtmlPage,
    /// Executes the request and never responds.
    NoResponse,
    /// Executes the request, announces the full length of the response and sends half of it.
    Truncated,
    /// Executes the request, then responds with status 500.
    ExecutesThen500,
    /// Executes the request, then responds with a JSON error and this status.
    ExecutesThenError(u16),
    /// Echoes the request, including the key.
    EchoesRequest,
    /// Responds with status 502 without executing the request.
    BadGateway,
    /// Responds with status 429 and a `Retry-After` of one minute, without executing the request.
    RateLimited,
    /// Responds with `{"status":"success","data":"Empty Data"}` to every request, without executing it.
    EmptyData,
    /// Replaces every status by an unknown one. A fake counter sends a count that is not a number.
    UnknownStatuses,
    /// Sends errors with a 4xx status: a fake panel 400, a fake counter 404.
    ErrorsAs4xx,
    /// Handles each new order in a way that the seed determines (see `unreliable`), and other requests correctly.
    Unreliable(u64),
}

/// A reply to a new order that a test sets in advance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedReply {
    /// Whether the panel creates the order, if the order is valid.
    pub accepts_order: bool,
    pub status: u16,
    pub body: String,
}

/// A running fake panel.
pub struct FakePanel {
    /// URL of the API, on loopback.
    pub url: String,
    shared: SharedState,
}

#[derive(Clone)]
struct SharedState {
    panel_state: Arc<Mutex<FakePanelState>>,
    behavior: Arc<Mutex<FakeBehavior>>,
    /// Fixed replies by link.
    replies: Arc<Mutex<HashMap<String, FixedReply>>>,
    /// The fields of each request so far, oldest first.
    requests: Arc<Mutex<Vec<BTreeMap<String, String>>>>,
    clock: Arc<dyn Clock>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakePanel {
    /// Starts a panel that listens on a loopback port until the process exits.
    pub async fn start(panel_state: FakePanelState, clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let url = format!("http://{}/api/v2", listener.local_addr()?);
        let shared = SharedState {
            panel_state: Arc::new(Mutex::new(panel_state)),
            behavior: Arc::default(),
            replies: Arc::default(),
            requests: Arc::default(),
            clock,
        };
        let router = Router::new().fallback(handle_request).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, shared })
    }

    /// Locks the state. The caller must release the lock before the next request to the panel.
    pub fn state(&self) -> MutexGuard<'_, FakePanelState> {
        lock(&self.shared.panel_state)
    }

    pub fn set_behavior(&self, behavior: FakeBehavior) {
        *lock(&self.shared.behavior) = behavior;
    }

    /// Sets a fixed reply to new orders for this link. The reply takes precedence over the panel's behavior.
    pub fn set_reply(&self, link: &str, reply: FixedReply) {
        lock(&self.shared.replies).insert(link.to_owned(), reply);
    }

    /// The fields of each request so far, oldest first.
    pub fn requests(&self) -> Vec<BTreeMap<String, String>> {
        lock(&self.shared.requests).clone()
    }
}

impl SharedState {
    /// The special behavior for this new order; `None` if it has no fixed reply and the panel is not unreliable.
    fn new_order_behavior(&self, fields: &BTreeMap<String, String>) -> Option<unreliable::NewOrderBehavior> {
        let link = fields.get("link").map(String::as_str).unwrap_or_default();
        if let Some(reply) = lock(&self.replies).get(link) {
            return Some(unreliable::NewOrderBehavior::SendsReply(reply.clone()));
        }
        let FakeBehavior::Unreliable(seed) = *lock(&self.behavior) else { return None };
        let is_order_for_same_link = |request: &&BTreeMap<String, String>| {
            request.get("action").is_some_and(|action| action == "add")
                && request.get("link") == fields.get("link")
        };
        let attempt_number = lock(&self.requests).iter().filter(is_order_for_same_link).count();
        Some(unreliable::choose_behavior(seed, link, attempt_number))
    }

    async fn respond_to_order(
        &self,
        fields: &BTreeMap<String, String>,
        behavior: unreliable::NewOrderBehavior,
    ) -> Response {
        let execute = || lock(&self.panel_state).handle_request(fields, self.clock.now());
        match behavior {
            unreliable::NewOrderBehavior::RespondsCorrectly => json_response(StatusCode::OK, &execute()),
            unreliable::NewOrderBehavior::AcceptsThenTruncates => truncated_response(&execute()),
            unreliable::NewOrderBehavior::AcceptsThenHangs => {
                execute();
                std::future::pending().await
            }
            unreliable::NewOrderBehavior::SendsReply(reply) => {
                if reply.accepts_order {
                    execute();
                }
                let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                (status, reply.body).into_response()
            }
        }
    }
}

async fn handle_request(State(panel): State<SharedState>, headers: HeaderMap, body: Bytes) -> Response {
    let fields = parse_fields(&headers, &body);
    lock(&panel.requests).push(fields.clone());
    if fields.get("action").is_some_and(|action| action == "add")
        && let Some(new_order_behavior) = panel.new_order_behavior(&fields)
    {
        return panel.respond_to_order(&fields, new_order_behavior).await;
    }
    let behavior = *lock(&panel.behavior);
    match behavior {
        FakeBehavior::BadGateway => return (StatusCode::BAD_GATEWAY, "Bad gateway").into_response(),
        FakeBehavior::RateLimited => {
            return (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "60")], "slow down")
                .into_response();
        }
        FakeBehavior::HtmlPage => return html_page(),
        FakeBehavior::EmptyData => {
            return json_response(
                StatusCode::OK,
                &serde_json::json!({ "status": "success", "data": "Empty Data" }),
            );
        }
        _ => {}
    }
    let correct_body = lock(&panel.panel_state).handle_request(&fields, panel.clock.now());
    match behavior {
        FakeBehavior::NoResponse => std::future::pending().await,
        FakeBehavior::Truncated => truncated_response(&correct_body),
        FakeBehavior::ExecutesThen500 => (StatusCode::INTERNAL_SERVER_ERROR, "Server error").into_response(),
        FakeBehavior::ExecutesThenError(status) => json_response(
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            &serde_json::json!({ "error": "Internal error" }),
        ),
        FakeBehavior::EchoesRequest => json_response(StatusCode::OK, &echo_request(&fields)),
        FakeBehavior::JsonNumbers => json_response(StatusCode::OK, &to_numbers(correct_body)),
        FakeBehavior::UnknownStatuses => json_response(StatusCode::OK, &with_unknown_statuses(correct_body)),
        FakeBehavior::ErrorsAs4xx if correct_body.get("error").is_some() => {
            json_response(StatusCode::BAD_REQUEST, &correct_body)
        }
        _ => json_response(StatusCode::OK, &correct_body),
    }
}

/// Parses the fields of a form or of a JSON object.
fn parse_fields(headers: &HeaderMap, body: &Bytes) -> BTreeMap<String, String> {
    let is_json = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|media_type| media_type.as_bytes().starts_with(b"application/json"));
    if !is_json {
        return serde_html_form::from_bytes::<Vec<(String, String)>>(body)
            .unwrap_or_default()
            .into_iter()
            .collect();
    }
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let to_string = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    value.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), to_string(value))).collect()
}

fn json_response(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

fn html_page() -> Response {
    (
        [(header::CONTENT_TYPE, "text/html")],
        "<!doctype html><title>Sign in</title><h1>Checking your browser</h1>",
    )
        .into_response()
}

/// Sends the first half of the body, then breaks the connection.
fn truncated_response(value: &Value) -> Response {
    let text = value.to_string().into_bytes();
    let first_half = text[..text.len() / 2].to_vec();
    let chunks = futures_util::stream::iter([
        Ok(Bytes::from(first_half)),
        Err(std::io::Error::new(std::io::ErrorKind::ConnectionReset, "reset")),
    ]);
    Body::from_stream(chunks).into_response()
}

/// A response that contains the request's fields, and its key in the status of each order: some panels echo requests that they
/// reject.
fn echo_request(fields: &BTreeMap<String, String>) -> Value {
    let key = fields.get("key").map(String::as_str).unwrap_or_default();
    let status_text = format!("\u{1b}[31mkey={key}\n");
    match fields.get("orders") {
        Some(ids) if ids.contains(',') => {
            ids.split(',').map(|id| (id.to_owned(), serde_json::json!({ "error": status_text }))).collect()
        }
        Some(ids) => {
            serde_json::json!({ ids.as_str(): { "status": status_text, "charge": "0.1", "remains": "1" } })
        }
        None => serde_json::json!({ "request": fields, "message": status_text }),
    }
}

/// Converts numeric strings in JSON to numbers.
fn to_numbers(value: Value) -> Value {
    match value {
        Value::String(text) => match text.parse::<serde_json::Number>() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::String(text),
        },
        Value::Array(items) => items.into_iter().map(to_numbers).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, to_numbers(value))).collect(),
        other => other,
    }
}

/// Appends a suffix to each status, which no client knows.
fn with_unknown_statuses(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(with_unknown_statuses).collect(),
        Value::Object(fields) => {
            let replace_status = |name: String, value: Value| match (name.as_str(), value) {
                ("status", Value::String(status)) => (name, Value::String(format!("{status} (auto)"))),
                (_, value) => (name, with_unknown_statuses(value)),
            };
            fields.into_iter().map(|(name, value)| replace_status(name, value)).collect()
        }
        other => other,
    }
}
