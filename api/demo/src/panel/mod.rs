//! A fake external panel with the reseller API v2, which can simulate the failures of real panels. For tests and for the demo.

mod cancel;
mod check;
pub mod counter;
mod lossy;
mod offer;
pub mod world;

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

use world::World;

/// Behavior of the fake panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FakeBehavior {
    /// Correct answers.
    #[default]
    Good,
    /// Numbers as JSON numbers, where correct panels send strings.
    Numbers,
    /// An HTML page with status 200.
    Html,
    /// Accepts the call and never answers.
    Silent,
    /// Accepts the call and sends half of the answer.
    Half,
    /// Executes the call, then answers 500.
    Forgetful,
    /// Executes the call, then answers a JSON error with this status.
    Sorry(u16),
    /// Echoes the request, including the key.
    Echo,
    /// Answers 502 without executing the call.
    Down,
    /// Answers 429 with a `Retry-After` of a minute.
    Busy,
    /// Answers `{"status":"success","data":"Empty Data"}` to every call.
    Empty,
    /// Uses unknown words for every status.
    Odd,
    /// Sends errors with status 400.
    Strict,
    /// Unreliable answers to new orders, by this seed: see `lossy`. Other calls are answered correctly.
    Lossy(u64),
}

/// A fixed reply to a new order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Whether the order is accepted, if it is valid.
    pub takes: bool,
    /// HTTP status.
    pub status: u16,
    /// Body, JSON or not.
    pub body: String,
}

/// A running fake panel.
pub struct FakePanel {
    /// URL of its API.
    pub url: String,
    state: Shared,
}

#[derive(Clone)]
struct Shared {
    world: Arc<Mutex<World>>,
    behavior: Arc<Mutex<FakeBehavior>>,
    replies: Arc<Mutex<HashMap<String, Reply>>>,
    calls: Arc<Mutex<Vec<BTreeMap<String, String>>>>,
    clock: Arc<dyn Clock>,
}

fn open<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakePanel {
    /// Listens on a loopback port until the process ends.
    pub async fn start(world: World, clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let url = format!("http://{}/api/v2", listener.local_addr()?);
        let state = Shared {
            world: Arc::new(Mutex::new(world)),
            behavior: Arc::default(),
            replies: Arc::default(),
            calls: Arc::default(),
            clock,
        };
        let router = Router::new().fallback(answer).with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, state })
    }

    /// Locks its state, to read and change it.
    pub fn world(&self) -> MutexGuard<'_, World> {
        open(&self.state.world)
    }

    /// Sets the behavior.
    pub fn behave(&self, behavior: FakeBehavior) {
        *open(&self.state.behavior) = behavior;
    }

    /// Sets a fixed reply to new orders for a link, for any behavior.
    pub fn reply(&self, link: &str, reply: Reply) {
        open(&self.state.replies).insert(link.to_owned(), reply);
    }

    /// The fields of all calls so far.
    pub fn calls(&self) -> Vec<BTreeMap<String, String>> {
        open(&self.state.calls).clone()
    }
}

impl Shared {
    /// The behavior for this new order, if a reply is set or the panel is lossy.
    fn reply_to(&self, fields: &BTreeMap<String, String>) -> Option<lossy::AddBehavior> {
        let link = fields.get("link").map(String::as_str).unwrap_or_default();
        if let Some(reply) = open(&self.replies).get(link) {
            return Some(lossy::AddBehavior::Replies(reply.clone()));
        }
        let FakeBehavior::Lossy(seed) = *open(&self.behavior) else { return None };
        let is_same = |call: &&BTreeMap<String, String>| {
            call.get("action").is_some_and(|action| action == "add") && call.get("link") == fields.get("link")
        };
        let turn = open(&self.calls).iter().filter(is_same).count();
        Some(lossy::behavior_of(seed, link, turn))
    }

    async fn answer_order(
        &self,
        fields: &BTreeMap<String, String>,
        behavior: lossy::AddBehavior,
    ) -> Response {
        let take = || open(&self.world).answer(fields, self.clock.now());
        match behavior {
            lossy::AddBehavior::Answers => json(StatusCode::OK, &take()),
            lossy::AddBehavior::Breaks => half(&take()),
            lossy::AddBehavior::Hangs => {
                take();
                std::future::pending().await
            }
            lossy::AddBehavior::Replies(reply) => {
                if reply.takes {
                    take();
                }
                let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                (status, reply.body).into_response()
            }
        }
    }
}

async fn answer(State(panel): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let fields = fields(&headers, &body);
    open(&panel.calls).push(fields.clone());
    if fields.get("action").is_some_and(|action| action == "add")
        && let Some(reply) = panel.reply_to(&fields)
    {
        return panel.answer_order(&fields, reply).await;
    }
    let behavior = *open(&panel.behavior);
    match behavior {
        FakeBehavior::Down => return (StatusCode::BAD_GATEWAY, "Bad gateway").into_response(),
        FakeBehavior::Busy => {
            return (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "60")], "slow down")
                .into_response();
        }
        FakeBehavior::Html => return page(),
        FakeBehavior::Empty => {
            return json(StatusCode::OK, &serde_json::json!({ "status": "success", "data": "Empty Data" }));
        }
        _ => {}
    }
    let answered = open(&panel.world).answer(&fields, panel.clock.now());
    match behavior {
        FakeBehavior::Silent => std::future::pending().await,
        FakeBehavior::Half => half(&answered),
        FakeBehavior::Forgetful => (StatusCode::INTERNAL_SERVER_ERROR, "Server error").into_response(),
        FakeBehavior::Sorry(status) => json(
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            &serde_json::json!({ "error": "Internal error" }),
        ),
        FakeBehavior::Echo => json(StatusCode::OK, &echo(&fields)),
        FakeBehavior::Numbers => json(StatusCode::OK, &numbers(answered)),
        FakeBehavior::Odd => json(StatusCode::OK, &odd(answered)),
        FakeBehavior::Strict if answered.get("error").is_some() => json(StatusCode::BAD_REQUEST, &answered),
        _ => json(StatusCode::OK, &answered),
    }
}

/// Parses the fields of a form or a JSON body.
fn fields(headers: &HeaderMap, body: &Bytes) -> BTreeMap<String, String> {
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

fn json(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

fn page() -> Response {
    (
        [(header::CONTENT_TYPE, "text/html")],
        "<!doctype html><title>Sign in</title><h1>Checking your browser</h1>",
    )
        .into_response()
}

/// Announces the whole answer and sends half of it.
fn half(value: &Value) -> Response {
    let text = value.to_string().into_bytes();
    let first = text[..text.len() / 2].to_vec();
    let broken = futures_util::stream::iter([
        Ok(Bytes::from(first)),
        Err(std::io::Error::new(std::io::ErrorKind::ConnectionReset, "reset")),
    ]);
    Body::from_stream(broken).into_response()
}

/// The request echoed, as some panels do for requests that they refuse: as fields, and in the status word of each order.
fn echo(fields: &BTreeMap<String, String>) -> Value {
    let key = fields.get("key").map(String::as_str).unwrap_or_default();
    let word = format!("\u{1b}[31mkey={key}\n");
    match fields.get("orders") {
        Some(ids) if ids.contains(',') => {
            ids.split(',').map(|id| (id.to_owned(), serde_json::json!({ "error": word }))).collect()
        }
        Some(ids) => serde_json::json!({ ids.as_str(): { "status": word, "charge": "0.1", "remains": "1" } }),
        None => serde_json::json!({ "request": fields, "said": word }),
    }
}

/// Converts numeric strings to numbers.
fn numbers(value: Value) -> Value {
    match value {
        Value::String(text) => match text.parse::<serde_json::Number>() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::String(text),
        },
        Value::Array(all) => all.into_iter().map(numbers).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, numbers(value))).collect(),
        other => other,
    }
}

/// Replaces statuses by unknown words.
fn odd(value: Value) -> Value {
    match value {
        Value::Array(all) => all.into_iter().map(odd).collect(),
        Value::Object(fields) => {
            let strange = |name: String, value: Value| match (name.as_str(), value) {
                ("status", Value::String(word)) => (name, Value::String(format!("{word} (auto)"))),
                (_, value) => (name, odd(value)),
            };
            fields.into_iter().map(|(name, value)| strange(name, value)).collect()
        }
        other => other,
    }
}
