//! A fake external panel with the reseller API v2, which can simulate the failures of real panels. For tests and for the demo.

mod cancel;
pub mod counter;
mod lossy;
mod order_check;
mod service;
pub mod state;

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
    /// Correct answers, with numbers as strings.
    #[default]
    Correct,
    /// Numbers as JSON numbers, where correct panels send strings.
    JsonNumbers,
    /// An HTML page with status 200.
    HtmlPage,
    /// Executes the call and never answers.
    NoAnswer,
    /// Executes the call, announces the whole answer and sends half of it.
    Truncated,
    /// Executes the call, then answers 500.
    ExecutesThen500,
    /// Executes the call, then answers a JSON error with this status.
    ExecutesThenError(u16),
    /// Echoes the request, including the key.
    EchoesRequest,
    /// Answers 502 without executing the call.
    BadGateway,
    /// Answers 429 with a `Retry-After` of a minute.
    RateLimited,
    /// Answers `{"status":"success","data":"Empty Data"}` to every call.
    EmptyData,
    /// Uses unknown words for every status; the counter sends a count that is no number.
    UnknownStatuses,
    /// Sends errors with a 4xx status: the panel 400, the counter 404.
    ErrorsAs4xx,
    /// Unreliable answers to new orders, chosen by this seed: see `lossy`. Answers other calls correctly.
    Lossy(u64),
}

/// A fixed reply to a new order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedReply {
    /// Whether the panel creates the order, if it is valid.
    pub accepts_order: bool,
    pub status: u16,
    pub body: String,
}

/// A running fake panel.
pub struct FakePanel {
    pub url: String,
    shared: SharedState,
}

#[derive(Clone)]
struct SharedState {
    panel_state: Arc<Mutex<FakePanelState>>,
    behavior: Arc<Mutex<FakeBehavior>>,
    replies: Arc<Mutex<HashMap<String, FixedReply>>>,
    calls: Arc<Mutex<Vec<BTreeMap<String, String>>>>,
    clock: Arc<dyn Clock>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakePanel {
    /// Listens on a loopback port until the process ends.
    pub async fn start(panel_state: FakePanelState, clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let url = format!("http://{}/api/v2", listener.local_addr()?);
        let shared = SharedState {
            panel_state: Arc::new(Mutex::new(panel_state)),
            behavior: Arc::default(),
            replies: Arc::default(),
            calls: Arc::default(),
            clock,
        };
        let router = Router::new().fallback(handle_call).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, shared })
    }

    /// Locks the state; release it before the next call of the panel.
    pub fn state(&self) -> MutexGuard<'_, FakePanelState> {
        lock(&self.shared.panel_state)
    }

    pub fn set_behavior(&self, behavior: FakeBehavior) {
        *lock(&self.shared.behavior) = behavior;
    }

    /// Sets a fixed reply to new orders for this link. It takes precedence over the behavior.
    pub fn set_reply(&self, link: &str, reply: FixedReply) {
        lock(&self.shared.replies).insert(link.to_owned(), reply);
    }

    /// The fields of each call so far, oldest first.
    pub fn calls(&self) -> Vec<BTreeMap<String, String>> {
        lock(&self.shared.calls).clone()
    }
}

impl SharedState {
    /// How to answer this new order, if it has a fixed reply or the panel is lossy.
    fn add_behavior(&self, fields: &BTreeMap<String, String>) -> Option<lossy::AddBehavior> {
        let link = fields.get("link").map(String::as_str).unwrap_or_default();
        if let Some(reply) = lock(&self.replies).get(link) {
            return Some(lossy::AddBehavior::SendsReply(reply.clone()));
        }
        let FakeBehavior::Lossy(seed) = *lock(&self.behavior) else { return None };
        let is_for_same_link = |call: &&BTreeMap<String, String>| {
            call.get("action").is_some_and(|action| action == "add") && call.get("link") == fields.get("link")
        };
        let call_number = lock(&self.calls).iter().filter(is_for_same_link).count();
        Some(lossy::add_behavior(seed, link, call_number))
    }

    async fn answer_order(
        &self,
        fields: &BTreeMap<String, String>,
        behavior: lossy::AddBehavior,
    ) -> Response {
        let execute = || lock(&self.panel_state).answer(fields, self.clock.now());
        match behavior {
            lossy::AddBehavior::AnswersCorrectly => json_response(StatusCode::OK, &execute()),
            lossy::AddBehavior::AcceptsThenTruncates => truncated_response(&execute()),
            lossy::AddBehavior::AcceptsThenHangs => {
                execute();
                std::future::pending().await
            }
            lossy::AddBehavior::SendsReply(reply) => {
                if reply.accepts_order {
                    execute();
                }
                let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                (status, reply.body).into_response()
            }
        }
    }
}

async fn handle_call(State(panel): State<SharedState>, headers: HeaderMap, body: Bytes) -> Response {
    let fields = parse_fields(&headers, &body);
    lock(&panel.calls).push(fields.clone());
    if fields.get("action").is_some_and(|action| action == "add")
        && let Some(add_behavior) = panel.add_behavior(&fields)
    {
        return panel.answer_order(&fields, add_behavior).await;
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
    let answer = lock(&panel.panel_state).answer(&fields, panel.clock.now());
    match behavior {
        FakeBehavior::NoAnswer => std::future::pending().await,
        FakeBehavior::Truncated => truncated_response(&answer),
        FakeBehavior::ExecutesThen500 => (StatusCode::INTERNAL_SERVER_ERROR, "Server error").into_response(),
        FakeBehavior::ExecutesThenError(status) => json_response(
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            &serde_json::json!({ "error": "Internal error" }),
        ),
        FakeBehavior::EchoesRequest => json_response(StatusCode::OK, &echo_request(&fields)),
        FakeBehavior::JsonNumbers => json_response(StatusCode::OK, &to_numbers(answer)),
        FakeBehavior::UnknownStatuses => json_response(StatusCode::OK, &with_unknown_statuses(answer)),
        FakeBehavior::ErrorsAs4xx if answer.get("error").is_some() => {
            json_response(StatusCode::BAD_REQUEST, &answer)
        }
        _ => json_response(StatusCode::OK, &answer),
    }
}

/// The fields of a form or of a JSON object.
fn parse_fields(headers: &HeaderMap, body: &Bytes) -> BTreeMap<String, String> {
    let is_json = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !is_json {
        return serde_html_form::from_bytes::<Vec<(String, String)>>(body)
            .unwrap_or_default()
            .into_iter()
            .collect();
    }
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    value.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), text(value))).collect()
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

/// Announces the whole answer and sends half of it.
fn truncated_response(value: &Value) -> Response {
    let text = value.to_string().into_bytes();
    let first_half = text[..text.len() / 2].to_vec();
    let broken = futures_util::stream::iter([
        Ok(Bytes::from(first_half)),
        Err(std::io::Error::new(std::io::ErrorKind::ConnectionReset, "reset")),
    ]);
    Body::from_stream(broken).into_response()
}

/// The request as the answer: its fields, and its key in the status of each order. Some panels echo a request that they refuse.
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

/// Converts numeric strings to numbers.
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

/// Replaces statuses by unknown words.
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
