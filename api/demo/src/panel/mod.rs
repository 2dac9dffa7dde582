//! A panel that is none: it speaks the reseller API v2, and behaves well or as badly as real ones do. For tests, and for
//! a demo whose orders move by themselves.

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

/// How it behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Temper {
    /// As it should.
    #[default]
    Good,
    /// Every number as a number, where good ones send texts.
    Numbers,
    /// A page for people, with 200.
    Html,
    /// It takes the call and never answers.
    Silent,
    /// It takes the call and answers half.
    Half,
    /// It does what is asked, then answers 500.
    Forgetful,
    /// It does what is asked, then says that something went wrong, in JSON and with this status.
    Sorry(u16),
    /// It sends the request back with whatever it says, the key with it.
    Echo,
    /// 502 without doing anything.
    Down,
    /// 429, for a minute.
    Busy,
    /// `{"status":"success","data":"Empty Data"}` whatever is asked.
    Empty,
    /// Words of its own for every status.
    Odd,
    /// Its errors come with 400.
    Strict,
    /// Whatever a panel can do wrong with a new order, by this seed: see `lossy`. Other calls are answered as they should.
    Lossy(u64),
}

/// What is answered to a new order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Whether the order is taken, if the panel can take it.
    pub takes: bool,
    /// The status of the answer.
    pub status: u16,
    /// The whole answer, JSON or not.
    pub body: String,
}

/// A panel that listens.
pub struct FakePanel {
    /// Its address.
    pub url: String,
    state: Shared,
}

#[derive(Clone)]
struct Shared {
    world: Arc<Mutex<World>>,
    temper: Arc<Mutex<Temper>>,
    replies: Arc<Mutex<HashMap<String, Reply>>>,
    calls: Arc<Mutex<Vec<BTreeMap<String, String>>>>,
    clock: Arc<dyn Clock>,
}

fn open<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakePanel {
    /// Listens on a port of this machine until the process ends.
    pub async fn start(world: World, clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let url = format!("http://{}/api/v2", listener.local_addr()?);
        let state = Shared {
            world: Arc::new(Mutex::new(world)),
            temper: Arc::default(),
            replies: Arc::default(),
            calls: Arc::default(),
            clock,
        };
        let router = Router::new().fallback(answer).with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, state })
    }

    /// What it has, to look at and to change.
    pub fn world(&self) -> MutexGuard<'_, World> {
        open(&self.state.world)
    }

    /// How it behaves from now on.
    pub fn behave(&self, temper: Temper) {
        *open(&self.state.temper) = temper;
    }

    /// Answers every new order for an address so from now on, whatever its temper.
    pub fn reply(&self, link: &str, reply: Reply) {
        open(&self.state.replies).insert(link.to_owned(), reply);
    }

    /// The fields of all calls so far.
    pub fn calls(&self) -> Vec<BTreeMap<String, String>> {
        open(&self.state.calls).clone()
    }
}

impl Shared {
    /// What is answered to this new order, where that was said before; the seed decides for a lossy panel.
    fn reply_to(&self, fields: &BTreeMap<String, String>) -> Option<lossy::Does> {
        let link = fields.get("link").map(String::as_str).unwrap_or_default();
        if let Some(reply) = open(&self.replies).get(link) {
            return Some(lossy::Does::Says(reply.clone()));
        }
        let Temper::Lossy(seed) = *open(&self.temper) else { return None };
        let is_same = |call: &&BTreeMap<String, String>| {
            call.get("action").is_some_and(|action| action == "add") && call.get("link") == fields.get("link")
        };
        let turn = open(&self.calls).iter().filter(is_same).count();
        Some(lossy::does(seed, link, turn))
    }

    async fn ordered(&self, fields: &BTreeMap<String, String>, does: lossy::Does) -> Response {
        let take = || open(&self.world).answer(fields, self.clock.now());
        match does {
            lossy::Does::Answers => json(StatusCode::OK, &take()),
            lossy::Does::Breaks => half(&take()),
            lossy::Does::Hangs => {
                take();
                std::future::pending().await
            }
            lossy::Does::Says(reply) => {
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
        return panel.ordered(&fields, reply).await;
    }
    let temper = *open(&panel.temper);
    match temper {
        Temper::Down => return (StatusCode::BAD_GATEWAY, "Bad gateway").into_response(),
        Temper::Busy => {
            return (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "60")], "slow down")
                .into_response();
        }
        Temper::Html => return page(),
        Temper::Empty => {
            return json(StatusCode::OK, &serde_json::json!({ "status": "success", "data": "Empty Data" }));
        }
        _ => {}
    }
    let said = open(&panel.world).answer(&fields, panel.clock.now());
    match temper {
        Temper::Silent => std::future::pending().await,
        Temper::Half => half(&said),
        Temper::Forgetful => (StatusCode::INTERNAL_SERVER_ERROR, "Server error").into_response(),
        Temper::Sorry(status) => json(
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            &serde_json::json!({ "error": "Internal error" }),
        ),
        Temper::Echo => json(StatusCode::OK, &echo(&fields)),
        Temper::Numbers => json(StatusCode::OK, &numbers(said)),
        Temper::Odd => json(StatusCode::OK, &odd(said)),
        Temper::Strict if said.get("error").is_some() => json(StatusCode::BAD_REQUEST, &said),
        _ => json(StatusCode::OK, &said),
    }
}

/// Forms and JSON alike.
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

/// Promises all of it and sends half.
fn half(value: &Value) -> Response {
    let text = value.to_string().into_bytes();
    let first = text[..text.len() / 2].to_vec();
    let broken = futures_util::stream::iter([
        Ok(Bytes::from(first)),
        Err(std::io::Error::new(std::io::ErrorKind::ConnectionReset, "reset")),
    ]);
    Body::from_stream(broken).into_response()
}

/// The request, as some panels send it back where it does not please them: as fields, and in a word of each order.
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

/// Texts that are numbers, as numbers.
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

/// Statuses in words that nobody else uses.
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
