//! A counter service that is none: it counts what fake panels deliver, and behaves well or as badly as real ones do.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use panel_contract::moment::Time;
use panel_kernel::clock::Clock;
use serde_json::json;
use tokio::net::TcpListener;

use super::world::{START_COUNT, World};
use super::{Temper, half, json, open, page};

/// A counter that listens.
pub struct FakeCounter {
    /// Its address, with the places that a panel's setting has.
    pub url: String,
    state: Shared,
}

#[derive(Clone)]
struct Shared {
    worlds: Vec<Arc<Mutex<World>>>,
    token: Option<String>,
    temper: Arc<Mutex<Temper>>,
    /// Counts that were said to it, instead of what is delivered.
    said: Arc<Mutex<HashMap<String, i64>>>,
    calls: Arc<Mutex<Vec<BTreeMap<String, String>>>>,
    /// What its answers say beside the count.
    more: Arc<Mutex<serde_json::Map<String, serde_json::Value>>>,
    clock: Arc<dyn Clock>,
}

impl FakeCounter {
    /// Counts what these panels deliver, until the process ends; for those who bring the token, where there is one.
    pub async fn start(
        panels: &[super::FakePanel],
        token: Option<&str>,
        clock: Arc<dyn Clock>,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let url =
            format!("http://{}/count?url={{url}}&type={{type}}&network={{network}}", listener.local_addr()?);
        let state = Shared {
            worlds: panels.iter().map(|panel| Arc::clone(&panel.state.world)).collect(),
            token: token.map(str::to_owned),
            temper: Arc::default(),
            said: Arc::default(),
            calls: Arc::default(),
            more: Arc::default(),
            clock,
        };
        let router = Router::new().fallback(answer).with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, state })
    }

    /// How it behaves from now on.
    pub fn behave(&self, temper: Temper) {
        *open(&self.state.temper) = temper;
    }

    /// What it says of an address from now on.
    pub fn say(&self, url: &str, count: i64) {
        self.state.said.lock().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned(), count);
    }

    /// What its answers say beside the count from now on: an object.
    pub fn say_more(&self, more: &serde_json::Value) {
        *open(&self.state.more) = more.as_object().cloned().unwrap_or_default();
    }

    /// What it was asked so far.
    pub fn calls(&self) -> Vec<BTreeMap<String, String>> {
        open(&self.state.calls).clone()
    }
}

async fn answer(
    State(counter): State<Shared>,
    Query(asked): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let url = asked.get("url").cloned().unwrap_or_default();
    open(&counter.calls).push(asked);
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if counter.token.as_ref().is_some_and(|token| bearer != Some(&format!("Bearer {token}"))) {
        return (StatusCode::UNAUTHORIZED, "who are you").into_response();
    }
    let said = open(&counter.said).get(&url).copied();
    let count = said.unwrap_or_else(|| delivered(&counter, &url));
    let mut good = json!({ "count": count });
    for (name, value) in open(&counter.more).clone() {
        good[name] = value;
    }
    let temper = *open(&counter.temper);
    match temper {
        Temper::Html => page(),
        Temper::Silent => std::future::pending().await,
        Temper::Half => half(&good),
        Temper::Down => (StatusCode::BAD_GATEWAY, "Bad gateway").into_response(),
        Temper::Busy => (StatusCode::TOO_MANY_REQUESTS, "slow down").into_response(),
        Temper::Empty => json(StatusCode::OK, &json!({ "count": null })),
        Temper::Odd => json(StatusCode::OK, &json!({ "count": format!("{count}K") })),
        Temper::Strict => json(StatusCode::NOT_FOUND, &json!({ "error": "no such address" })),
        _ => json(StatusCode::OK, &good),
    }
}

/// What panels delivered to an address, above what panels say it had at the start.
fn delivered(counter: &Shared, url: &str) -> i64 {
    let now: Time = counter.clock.now();
    START_COUNT + counter.worlds.iter().map(|world| open(world).delivered(url, now)).sum::<i64>()
}
