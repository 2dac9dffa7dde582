//! A fake counter service: it counts the deliveries of fake panels, and simulates failures of real counters.

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
use super::{FakeBehavior, half, json, open, page};

/// A running fake counter.
pub struct FakeCounter {
    /// URL template, for the panel's setting.
    pub url: String,
    state: Shared,
}

#[derive(Clone)]
struct Shared {
    worlds: Vec<Arc<Mutex<World>>>,
    token: Option<String>,
    behavior: Arc<Mutex<FakeBehavior>>,
    /// Fixed counts by URL, instead of the delivered quantities.
    fixed_counts: Arc<Mutex<HashMap<String, i64>>>,
    calls: Arc<Mutex<Vec<BTreeMap<String, String>>>>,
    /// Additional fields of its answers.
    more: Arc<Mutex<serde_json::Map<String, serde_json::Value>>>,
    clock: Arc<dyn Clock>,
}

impl FakeCounter {
    /// Counts the deliveries of these panels until the process ends. If `token` is set, callers must send it.
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
            behavior: Arc::default(),
            fixed_counts: Arc::default(),
            calls: Arc::default(),
            more: Arc::default(),
            clock,
        };
        let router = Router::new().fallback(answer).with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, state })
    }

    /// Sets the behavior.
    pub fn behave(&self, behavior: FakeBehavior) {
        *open(&self.state.behavior) = behavior;
    }

    /// Sets a fixed count for a URL.
    pub fn set_count(&self, url: &str, count: i64) {
        self.state.fixed_counts.lock().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned(), count);
    }

    /// Sets additional fields of its answers; `more` is an object.
    pub fn set_extra_fields(&self, more: &serde_json::Value) {
        *open(&self.state.more) = more.as_object().cloned().unwrap_or_default();
    }

    /// The query parameters of all calls so far.
    pub fn calls(&self) -> Vec<BTreeMap<String, String>> {
        open(&self.state.calls).clone()
    }
}

async fn answer(
    State(counter): State<Shared>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let url = query.get("url").cloned().unwrap_or_default();
    open(&counter.calls).push(query);
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if counter.token.as_ref().is_some_and(|token| bearer != Some(&format!("Bearer {token}"))) {
        return (StatusCode::UNAUTHORIZED, "who are you").into_response();
    }
    let fixed = open(&counter.fixed_counts).get(&url).copied();
    let count = fixed.unwrap_or_else(|| delivered(&counter, &url));
    let mut good = json!({ "count": count });
    for (name, value) in open(&counter.more).clone() {
        good[name] = value;
    }
    let behavior = *open(&counter.behavior);
    match behavior {
        FakeBehavior::Html => page(),
        FakeBehavior::Silent => std::future::pending().await,
        FakeBehavior::Half => half(&good),
        FakeBehavior::Down => (StatusCode::BAD_GATEWAY, "Bad gateway").into_response(),
        FakeBehavior::Busy => (StatusCode::TOO_MANY_REQUESTS, "slow down").into_response(),
        FakeBehavior::Empty => json(StatusCode::OK, &json!({ "count": null })),
        FakeBehavior::Odd => json(StatusCode::OK, &json!({ "count": format!("{count}K") })),
        FakeBehavior::Strict => json(StatusCode::NOT_FOUND, &json!({ "error": "no such address" })),
        _ => json(StatusCode::OK, &good),
    }
}

/// The units that the panels delivered to a URL, plus the start count.
fn delivered(counter: &Shared, url: &str) -> i64 {
    let now: Time = counter.clock.now();
    START_COUNT + counter.worlds.iter().map(|world| open(world).delivered(url, now)).sum::<i64>()
}
